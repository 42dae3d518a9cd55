import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import * as store from './store.ts'

/** How far the clock may be from the newest time that is known. */
const MOST_OFF_MS = 10 * MINUTE_MS

/**
 * Why the clock must not end a lock for good; null if it may. While a service runs, it notes every minute that its clock
 * is right; a clock that was set ahead would end every lock. A service that was off for longer looks the same, so an
 * administrator confirms the clock. The newest sealed audit record does not make it right, for it has the time of that
 * clock, but a clock that is behind it is wrong, or was.
 */
export async function findClockDoubt(db: Db, now: Date): Promise<string | null> {
  const { trusted, sealed } = await store.findTimes(db)
  const known = trusted ?? sealed
  const off = known === null ? 0 : now.getTime() - known.getTime()
  const behind = sealed === null ? 0 : sealed.getTime() - now.getTime()
  if (known !== null && Math.abs(off) > MOST_OFF_MS)
    return doubt(off, `the last time that was known to be right, ${known.toISOString()}`)
  if (sealed !== null && behind > MOST_OFF_MS)
    return doubt(-behind, `the newest record of the audit log, ${sealed.toISOString()}`)
  return null
}

const doubt = (off: number, what: string): string =>
  `The clock is ${(Math.abs(off) / HOUR_MS).toFixed(1)} hours ${off > 0 ? 'ahead of' : 'behind'} ${what}. What was locked is not deleted permanently until an administrator confirms that the clock is right.`

/** Step: trusts the clock from now on, if nothing could be locked before: nobody noted the time. */
export async function trustClock({ tx, now }: Upkeep): Promise<void> {
  if (!(await store.isAnyLockable(tx))) await store.noteTime(tx, now())
}

/** Notes the time while the clock is found right, where anything can be locked. */
export const clockKeeper = {
  name: 'lock-clock',
  every: MINUTE_MS,
  async run(ctx: Ctx): Promise<void> {
    if (!(await store.isAnyLockable(ctx.db))) return
    const doubt = await findClockDoubt(ctx.db, ctx.now())
    if (doubt !== null) return ctx.log.error(doubt)
    await ctx.upkeep(({ tx }) => store.noteTime(tx, ctx.now()), { relaxed: true })
  },
}

/** The clock as it is, and why it is in doubt. */
export const describeClock = async (ctx: Ctx) => {
  const now = ctx.now()
  return { now: now.toISOString(), doubt: await findClockDoubt(ctx.db, now) }
}

/** Confirms that the clock is right; for administrators. */
export function confirmClock(ctx: Ctx): Promise<{ now: string; doubt: null }> {
  return ctx.act(async (step) => {
    const now = step.now()
    const doubt = await findClockDoubt(step.tx, now)
    const result = { now: now.toISOString(), doubt: null }
    if (doubt === null) return step.nothing(result)
    await store.noteTime(step.tx, now)
    step.record({ name: 'clock_confirm', details: { now: result.now, doubt } })
    return result
  })
}
