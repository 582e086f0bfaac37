/**
 * What a handler of one's own imports: `import { defineHandler, put } from 'idempotent-pipeline'`. `make handler` bundles
 * it with the pipeline into a zip that the module takes as `consumer_package`.
 */
export {
  defineHandler,
  type Handler,
  type HandlerEvent,
  type HandlerNotification,
  type HandlerPlan,
  type HandlerRead,
  type Rejection,
} from './core/handler.ts';
export { absent, all, any, compare, present } from './core/handler-condition.ts';
export { check, type HandlerWrite, put, remove, update } from './core/handler-write.ts';
export { ExactNumber } from './core/json-value.ts';
export type { StoredItem } from './core/marshal.ts';
