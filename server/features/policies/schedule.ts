import { Cron } from 'croner'

/** A schedule without wildcard or step in its hours and minutes, as in cron, is one of times of day. */
const open = (cron: string, timezone: string) =>
  new Cron(cron, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true })

/** What is wrong with a schedule's text; null when it is fine. */
export function cronFault(cron: string): string | null {
  if (cron.trim().split(/\s+/).length !== 5)
    return 'must have five fields: minute, hour, day of month, month, day of week'
  try {
    open(cron, 'UTC')
    return null
  } catch (error) {
    return `cannot be read: ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

export function isTimeZone(name: string): boolean {
  // Offsets like +02:00 are zones to JavaScript, but no names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * The first time of a schedule after a moment; null when none comes. A time of day that the clocks skip comes as soon as
 * they have moved on, one that they repeat comes once; schedules by the minute or hour go on through both.
 */
export const nextTime = (cron: string, timezone: string, after: Date): Date | null =>
  open(cron, timezone).nextRun(after)
