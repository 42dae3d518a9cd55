import type { Ctx } from '../../../context.ts'
import * as store from './store.ts'

/** Deletes reservations left by processes that died during uploads. */
export const reservationSweeper = {
  name: 'reservation-sweeper',
  every: 60_000,
  run: async (ctx: Ctx): Promise<void> => {
    await ctx.upkeep(({ tx }) => store.deleteExpired(tx, ctx.now()), { relaxed: true })
  },
}
