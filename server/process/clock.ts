import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/time.ts'
import type { Gap } from './instance/gap.ts'

/** Returns why nothing may be deleted by age right now, or null when it may be. */
export type ClockDoubt = () => string | null

/**
 * Watches for a clock that jumps ahead, which would make everything look old. `noted` is the newest time in the
 * database when the process started, null where it was empty; `gap` is what `findGap` says.
 *
 * A jump of more than a day while the process runs shows against the uptime; deletion stops until the clock is set back
 * or the process restarts. A jump before the start looks the same as a service that was off for that long, so deletion
 * waits a day: time for a clock that was wrong at boot to be corrected, or for somebody to read the log.
 */
export function watchClock(
  now: () => Date,
  uptime: () => number,
  { noted, gap }: { noted: Date | null; gap: Gap | null },
): ClockDoubt {
  const first = { time: now().getTime(), uptime: uptime() }
  return () => {
    const passed = uptime() - first.uptime
    // The start of the process by the clock's present reading.
    const began = now().getTime() - passed
    // A clock that was behind at the start and has been corrected since is no newer than the database.
    const leap = began - Math.max(first.time, noted?.getTime() ?? first.time)
    if (leap > DAY_MS)
      return `the clock jumped ${hours(leap)} hours ahead while this process was running: correct it, or restart the service if it is right now`
    const from = (gap?.from ?? noted)?.getTime() ?? null
    // Other processes may have started since the gap was seen.
    const waited = passed + (gap ? Math.max(0, first.time - gap.seen.getTime()) : 0)
    if (from !== null && began - from > DAY_MS && waited < DAY_MS)
      return `the clock was ${hours(began - from)} hours ahead of the newest time in the database when this process started: either the service was off that long, or the clock is wrong; deletion by age resumes in ${hours(DAY_MS - waited)} hours`
    return null
  }
}

/** How far the clock may be behind the newest record before somebody is told: replicas need not agree on the second. */
const MOST_BEHIND_MS = 10 * MINUTE_MS

/** What is wrong with a clock that is behind the newest record of the database; null if it is not. */
export function clockBehind(now: Date, noted: Date | null): string | null {
  const behind = noted === null ? 0 : noted.getTime() - now.getTime()
  if (noted === null || behind <= MOST_BEHIND_MS) return null
  return `the clock is ${(behind / HOUR_MS).toFixed(1)} hours behind the newest record in the database, ${noted.toISOString()}: either it is wrong now, and S3 clients get RequestTimeTooSkewed, or it was ahead before`
}

const hours = (ms: number): number => Math.ceil(ms / HOUR_MS)
