import { defineHandler } from './core/handler.ts';

/** Stands where the bundler puts the user's handler, so that the entry beside it is type checked like everything else. */
export default defineHandler({
  plan: () => {
    throw new Error('bundled without a handler');
  },
});
