import { absent, compare, defineHandler, put, update } from 'idempotent-pipeline';

/** What the mapping of variables cannot say: a reservation reads the stock, and changes two tables at once. */
const STOCK = process.env.STOCK_TABLE ?? 'stock';
const RESERVATIONS = process.env.RESERVATIONS_TABLE ?? 'reservations';

export default defineHandler({
  reads: ({ input }) => [{ table: STOCK, key: { pk: String(input.sku) } }],
  plan({ id, input }, [stock]) {
    const sku = String(input.sku);
    // Nothing in stock: the business refuses the event, which is quarantined with the reason `business_rejected`.
    if (stock === undefined || Number(stock.left) < 1) return { reject: true };
    return {
      writes: [
        put({ table: RESERVATIONS, key: { pk: id }, item: { sku }, condition: absent('pk') }),
        update({
          table: STOCK,
          key: { pk: sku },
          add: { left: -1 },
          // Somebody else was quicker: read again, and plan again.
          condition: compare('left', '=', stock.left),
          onConditionFailed: 'replan',
        }),
      ],
      notifications: [{ message: { reservation: id, sku } }],
    };
  },
});
