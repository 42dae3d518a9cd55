import os from 'node:os'
import { DAY_MS, HOUR_MS } from '../base/time.ts'

/** Milliseconds since the machine was booted, also while it slept (Linux): setting the clock does not move it. */
export const machineUptime = (): number => os.uptime() * 1000

/** Says why nothing may be deleted for its age at this moment; null when it may. */
export type ClockDoubt = () => string | null

/**
 * Watches a clock for leaps ahead, which make everything look old. `noted` is the newest time that the database knew when
 * this process began; null where it knew none.
 *
 * A leap of more than a day while the process runs shows against the uptime, and is doubted until the clock is set back or
 * the process is started anew. One before the process began cannot be told from a service that was off for so long: that
 * is doubted for a day, in which a clock that was wrong at boot is set right, or somebody reads the log.
 */
export function watchClock(now: () => Date, uptime: () => number, noted: Date | null): ClockDoubt {
  const first = { time: now().getTime(), uptime: uptime() }
  return () => {
    const passed = uptime() - first.uptime
    // When the process began, as the clock sees it now.
    const began = now().getTime() - passed
    // One that was behind when the process began, and was set right since, is no more than the database knows.
    const leap = began - Math.max(first.time, noted?.getTime() ?? first.time)
    if (leap > DAY_MS)
      return `the clock leapt ${hours(leap)} hours ahead while this process ran: set it right, or restart the service if it is right now`
    if (noted !== null && began - noted.getTime() > DAY_MS && passed < DAY_MS)
      return `the clock was ${hours(began - noted.getTime())} hours ahead of the newest time in the database when this process began: either the service was off for so long, or the clock is wrong; what is old is deleted again ${hours(DAY_MS - passed)} hours from now`
    return null
  }
}

const hours = (ms: number): number => Math.ceil(ms / HOUR_MS)
