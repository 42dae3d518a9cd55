import { HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { deleteExpired } from './store.ts'

/** Deletes temporary credentials that have expired. */
export const temporaryExpiry = {
  name: 'temporary-credentials-expiry',
  every: HOUR_MS,
  deletesByAge: true as const,
  run: async (ctx: Ctx): Promise<void> => {
    await ctx.upkeep(({ tx, now }) => deleteExpired(tx, now()))
  },
}
