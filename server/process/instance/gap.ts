import { DAY_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { findNewestTime, lockInstance, noteGap } from './store.ts'

/** More than a day before a start of which nothing is on record. */
export interface Gap {
  /** The newest time on record then. */
  from: Date
  /** The time of that start, by a clock that may be wrong. */
  seen: Date
}

/**
 * The newest time on record, and the gap before this start or before one of less than a day ago: whatever a process
 * records since is no proof of the time for the next one. To be called before a start records anything.
 */
export const findGap = (ctx: Ctx): Promise<{ noted: Date | null; gap: Gap | null }> =>
  ctx.upkeep(async ({ tx, ...step }) => {
    const now = step.now()
    const { clock_gap_from, clock_gap_seen } = await lockInstance(tx)
    const noted = await findNewestTime(tx)
    const before =
      clock_gap_from === null || clock_gap_seen === null
        ? null
        : { from: new Date(clock_gap_from), seen: new Date(clock_gap_seen) }
    if (before && now >= before.seen && now.getTime() - before.seen.getTime() < DAY_MS) return { noted, gap: before }
    // A clock that was set back since, but not as far as it was ahead, is as wrong.
    const from = before && now < before.seen ? before.from : noted
    const gap = from && now.getTime() - from.getTime() > DAY_MS ? { from, seen: now } : null
    if (gap || before) await noteGap(tx, gap)
    return { noted, gap }
  })
