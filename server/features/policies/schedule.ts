import { Cron } from 'croner'

/** As in cron, a schedule without wildcard or step in hours and minutes means times of day. */
const open = (cron: string, timezone: string) =>
  new Cron(cron, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true })

/** What is wrong with a schedule; null if it is valid. */
export function cronFault(cron: string): string | null {
  if (cron.trim().split(/\s+/).length !== 5)
    return 'must have five fields: minute, hour, day of month, month, day of week'
  try {
    open(cron, 'UTC')
    return null
  } catch (error) {
    return `is invalid: ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

export function isTimeZone(name: string): boolean {
  // JavaScript accepts offsets like +02:00 as zones, but they are not names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * A schedule's first time after a moment; null if there is none. A time of day that a clock change skips runs right
 * after the change, one that it repeats runs once; schedules by the minute or hour continue through both.
 */
export const nextTime = (cron: string, timezone: string, after: Date): Date | null =>
  open(cron, timezone).nextRun(after)
