import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { deleteExpired } from './store.ts'

/** How long credentials that have expired are told from those that never were: until then they are refused with `ExpiredToken`. */
const KNOWN_MS = DAY_MS

/** Deletes temporary credentials some time after they have expired. */
export const temporaryExpiry = {
  name: 'temporary-credentials-expiry',
  every: HOUR_MS,
  deletesByAge: true as const,
  run: async (ctx: Ctx): Promise<void> => {
    await ctx.upkeep(({ tx, now }) => deleteExpired(tx, new Date(now().getTime() - KNOWN_MS)))
  },
}
