import { ServiceError } from '../../../contract/errors.ts'
import type { Lock, LockMode, ObjectLock } from '../../../contract/locks.ts'
import type { BucketAction } from '../../../contract/permissions.ts'
import { invalid } from '../../base/invalid.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Row } from '../../db/schema.ts'

/** The columns of a version that say whether it is locked. */
export type Locked = Pick<Row<'objects'>, 'lock_mode' | 'locked_until' | 'legal_hold'>

export const unlocked: Locked = { lock_mode: null, locked_until: null, legal_hold: null }

/** How long a version is kept. */
export interface Retention {
  mode: LockMode
  /** ISO 8601, UTC. */
  until: string
}

/** What a request wants locked of a version that it writes. */
export interface WantedLock {
  retention?: Retention | undefined
  legal_hold?: boolean | undefined
}

/** The rights that a request needs which locks what it writes. */
export const rightsToWrite = (lock: WantedLock | undefined): readonly BucketAction[] =>
  lock?.legal_hold ? ['write', 'manage'] : ['write']

/** A bucket as far as its lock goes. */
type Lockable = Pick<Row<'buckets'>, 'object_lock'>

/** A bucket's Object Lock; null if it is off. */
export const objectLockOf = ({ object_lock }: Lockable): ObjectLock | null =>
  object_lock === null ? null : (JSON.parse(object_lock) as ObjectLock)

/** A bucket's Object Lock as a request gives it; throws invalid_request unless it has a mode and one period, or neither. */
export function completeLock(given: { [K in keyof ObjectLock]?: ObjectLock[K] | undefined }): ObjectLock {
  const { mode = null, days = null, years = null } = given
  if (days !== null && years !== null) throw invalid('body.object_lock.years', 'cannot be combined with days')
  if ((mode === null) !== (days === null && years === null))
    throw invalid('body.object_lock.mode', 'must be given together with days or years')
  return { mode, days, years }
}

const noObjectLock = () =>
  new ServiceError('conflict', 'Object Lock is off in this bucket.', {
    faults: [{ path: 'bucket.object_lock', message: 'is off' }],
  })

/** Throws conflict unless a bucket has Object Lock. */
export function assertLockable(bucket: Lockable): void {
  if (bucket.object_lock === null) throw noObjectLock()
}

/**
 * The lock of a version that is written now: as wanted, else as the bucket has it. Throws conflict if something is wanted
 * of a bucket without Object Lock.
 */
export function lockOf(bucket: Lockable, now: Date, { retention, legal_hold }: WantedLock = {}): Locked {
  const own = objectLockOf(bucket)
  if (own === null) {
    if (retention || legal_hold !== undefined) throw noObjectLock()
    return unlocked
  }
  const { mode, until } = retention ?? defaultRetention(own, now) ?? { mode: null, until: null }
  return { lock_mode: mode, locked_until: until, legal_hold: legal_hold ? 1 : null }
}

/** Whether a lock that ends at a time, ISO 8601, is over, as `judgeLocks` (`clock.ts`) says. */
export const isOver = (until: string, { endedBy }: { endedBy: string | null }): boolean =>
  endedBy !== null && until <= endedBy

/** Whether a retention only lasts longer than the one before, or as long. */
export const isExtended = (before: Retention, after: Retention): boolean =>
  after.mode === before.mode && after.until >= before.until

/** Whether a lock that somebody asks for ends in the future. */
export const isAhead = ({ until }: Retention, now: Date): boolean => until > now.toISOString()

/** Throws invalid_request unless a lock that somebody asks for ends in the future. */
export function assertAhead(retention: Retention, now: Date): void {
  if (!isAhead(retention, now)) throw invalid('body.until', 'must be in the future')
}

function defaultRetention({ mode, days, years }: ObjectLock, now: Date): Retention | undefined {
  if (mode === null) return undefined
  const until = new Date(now.getTime() + (days ?? 0) * DAY_MS)
  until.setUTCFullYear(until.getUTCFullYear() + (years ?? 0))
  return { mode, until: until.toISOString() }
}

/** A version's retention, over or not; undefined if it has none. */
export const retentionOf = ({ lock_mode, locked_until }: Locked): Retention | undefined =>
  lock_mode === null || locked_until === null ? undefined : { mode: lock_mode, until: locked_until }

/** What the API says of a lock: nothing of a version that was never locked. */
export const lockField = (row: Locked): { lock?: Lock } =>
  row.lock_mode === null && row.legal_hold === null ? {} : { lock: describeLock(row) }

/** A version's lock as the API shows it. */
export const describeLock = ({ lock_mode, locked_until, legal_hold }: Locked): Lock => ({
  mode: lock_mode,
  until: locked_until,
  legal_hold: legal_hold !== null,
})
