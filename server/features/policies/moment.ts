import { DAY_MS, nextMidnight } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { endOfDay, isDayShort, RUNS_A_SHORT_DAY } from '../../storage/buckets/documents/lifecycle.ts'
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
export const momentOf = ({ config }: Process, origin: Origin, now: Date): Date =>
  isLifecycle(origin) ? endOfDay(config, now) : now

/** When a policy can first delete an object that is due at a time. */
export const dueOf = ({ config }: Process, origin: Origin, due: Date): Date =>
  isLifecycle(origin) && !isDayShort(config) ? nextMidnight(due) : due

/** When a policy runs next after a time; null if it does not. A lifecycle rule of short days runs several times in each. */
export function nextRun(
  { config }: Process,
  { cron, timezone, ...origin }: Pick<PolicyRow, 'cron' | 'timezone'> & Origin,
  after: Date,
): Date | null {
  if (cron === null) return null
  if (isLifecycle(origin) && isDayShort(config))
    return new Date(after.getTime() + config.s3.lifecycleDayMs / RUNS_A_SHORT_DAY)
  return nextTime(cron, timezone, after)
}
