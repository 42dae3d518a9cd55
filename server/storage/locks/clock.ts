import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import * as store from './store.ts'

/** How far the clock may be from the newest time that is known. */
const MOST_OFF_MS = 10 * MINUTE_MS

/** Which locks are over, as far as the clock is to be believed. */
export interface Endings {
  /** ISO 8601: what was locked until then, or for less, is not locked any more; null if that is certain of nothing. */
  endedBy: string | null
  /** Why the clock is in doubt; null if it is not. Locks that end after `endedBy` by this clock alone count as locks. */
  doubt: string | null
  /** What the clock says, ISO 8601. */
  now: string
}

/**
 * Which locks have ended. While the clock is in doubt, only those that had ended when it was last known to be right. The
 * one place where the ends of locks are compared with a time, by `isOver` (`lock.ts`) and the conditions of `store.ts`.
 */
export async function judgeLocks(db: Db, now: Date): Promise<Endings> {
  const times = await store.findTimes(db)
  const doubt = doubtOf(times, now)
  const known = doubt === null ? now : times.trusted
  const endedBy = known === null ? null : new Date(Math.min(known.getTime(), now.getTime())).toISOString()
  return { endedBy, doubt, now: now.toISOString() }
}

/**
 * Why the clock must not end a lock; null if it may. While a service runs, it notes every minute that its clock
 * is right; a clock that was set ahead would end every lock. A service that was off for longer looks the same, so an
 * administrator confirms the clock. The newest sealed audit record does not make it right, for it has the time of that
 * clock, but a clock that is behind it is wrong, or was.
 */
export const findClockDoubt = async (db: Db, now: Date): Promise<string | null> =>
  doubtOf(await store.findTimes(db), now)

function doubtOf({ trusted, sealed }: store.KnownTimes, now: Date): string | null {
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
  `The clock is ${(Math.abs(off) / HOUR_MS).toFixed(1)} hours ${off > 0 ? 'ahead of' : 'behind'} ${what}. What was locked counts as locked until an administrator confirms that the clock is right.`

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
