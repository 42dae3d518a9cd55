import { DAY_MS, lastMidnight, nextMidnight } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { nextTime } from './schedule.ts'
import type { PolicyRow } from './store.ts'

// A lifecycle rule's days end at midnight UTC: its policy judges objects as they were then, whenever it runs.

type Origin = { bucket_id?: PolicyRow['bucket_id'] | undefined }
type Process = Pick<Ctx, 'config'>

const isLifecycle = ({ bucket_id = null }: Origin): boolean => bucket_id !== null

/** How long a policy's days are, in milliseconds. */
export const dayOf = ({ config }: Process, origin: Origin): number =>
  isLifecycle(origin) ? config.s3.lifecycleDayMs : DAY_MS

/** The moment at which a run that starts now judges the objects. */
export const momentOf = (process: Process, origin: Origin, now: Date): Date =>
  isLifecycle(origin) ? lastMidnight(now, dayOf(process, origin)) : now

/** When a policy can first delete an object that is due at a time. */
export const dueOf = (process: Process, origin: Origin, due: Date): Date =>
  isLifecycle(origin) ? nextMidnight(due, dayOf(process, origin)) : due

/** When a policy runs next after a time; null if it does not. With shorter days, a lifecycle rule's at the end of each. */
export function nextRun(
  process: Process,
  { cron, timezone, ...origin }: Pick<PolicyRow, 'cron' | 'timezone'> & Origin,
  after: Date,
): Date | null {
  if (cron === null) return null
  const day = dayOf(process, origin)
  return day === DAY_MS ? nextTime(cron, timezone, after) : nextMidnight(new Date(after.getTime() + 1), day)
}
