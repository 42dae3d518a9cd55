import type { Versioning } from '../../../contract/buckets.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { ObjectLock } from '../../../contract/locks.ts'
import { invalid } from '../../base/invalid.ts'
import type { Row } from '../../db/schema.ts'
import { completeLock } from '../locks/lock.ts'

/** What a request says of what a bucket keeps. */
export interface VersioningChange {
  versioning?: Exclude<Versioning, 'off'> | undefined
  object_lock?: { [K in keyof ObjectLock]?: ObjectLock[K] | undefined } | undefined
}

/**
 * What a bucket keeps after a request, as its row has it; `before` is undefined of a new one, which keeps versions if it
 * has Object Lock. Throws invalid_request, and conflict where there would be Object Lock without versions.
 */
export function completeVersioning(
  { versioning: wanted, object_lock: given }: VersioningChange,
  before?: Pick<Row<'buckets'>, 'versioning' | 'object_lock'>,
): Pick<Row<'buckets'>, 'versioning' | 'object_lock'> {
  const lock = given && completeLock(given)
  const object_lock = lock ? JSON.stringify(lock) : (before?.object_lock ?? null)
  const versioning = wanted ?? (before ? before.versioning : lock ? 'enabled' : null)
  if (object_lock === null || versioning === 'enabled') return { versioning, object_lock }
  if (!before) throw invalid('body.versioning', 'must be enabled for Object Lock')
  throw new ServiceError('conflict', 'Object Lock needs a bucket that keeps versions, and keeps it so.')
}
