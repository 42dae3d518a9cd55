import { ServiceError } from '../../../contract/errors.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { DAY_MS } from '../../base/time.ts'
import { allow, type Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/schema.ts'
import { permits } from '../../iam/decide.ts'
import { type Retention, rightsToWrite, type WantedLock } from '../locks/lock.ts'

/** The caller, as they are now within a step. */
type From = Pick<Ctx, 'actor' | 'config' | 'now'> & ({ db: Db } | { tx: Tx })

/**
 * Throws forbidden unless the caller may write a key, locked as wanted: a legal hold needs `manage`, as does a lock that
 * ends later than the setting `uploads.max_lock_days` has it. Bucket's defaults are not asked: managers set them.
 */
export async function allowLocked(from: From, bucket: string, key: string, lock: WantedLock | undefined) {
  for (const right of rightsToWrite(lock)) allow(from.actor, right, bucket, key)
  if (lock && from.actor.agent)
    throw new ServiceError('forbidden', `Agents lock nothing: key "${key}" of bucket "${bucket}".`)
  if (lock?.retention) await allowPeriod(from, bucket, key, lock.retention)
}

/** Throws forbidden unless the caller may lock a version of a key for so long. */
export async function allowPeriod(from: From, bucket: string, key: string, { until }: Retention): Promise<void> {
  if (permits(from.actor, 'manage', bucket, key)) return
  const { max_lock_days: days } = (await settingsInForce(from)).uploads
  if (days === null || Date.parse(until) - from.now().getTime() <= days * DAY_MS) return
  throw new ServiceError(
    'forbidden',
    `You need the "manage" permission on key "${key}" of bucket "${bucket}" to lock it for more than ${days} days.`,
  )
}
