import { ServiceError } from '../../../../contract/errors.ts'
import type { KeyOrder } from '../../../base/key-order.ts'
import type { Step, Upkeep } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { changeBucketMode, endWriting, holdExclusivelyById } from '../../buckets/change-mode.ts'
import { none } from '../../buckets/describe.ts'
import { sumUsage } from '../../buckets/quotas/store.ts'
import { bucketMissing, holdAnyBucket } from '../../buckets/service.ts'
import { holdWhole } from '../../buckets/soft-delete.ts'
import type { BucketRow } from '../../buckets/store.ts'
import { judgeLocks } from '../../locks/clock.ts'
import { findStorageNames } from '../../storages/use.ts'
import * as store from './store.ts'

const REFUSALS = {
  versions: 'keeps versions, for which a layout of keys has no place. Delete them first.',
  trash: 'has a trash. Empty it first.',
  locks: 'has objects that are locked.',
  snapshots: 'has snapshots. Delete them first.',
}

/** Throws conflict unless a bucket was taken over and has nothing that a layout of keys has no place for. */
export async function assertReleasable(
  db: Db,
  { id, name, mode }: Pick<BucketRow, 'id' | 'name' | 'mode'>,
  now: Date,
): Promise<void> {
  if (mode === 'releasing') throw new ServiceError('conflict', `The bucket "${name}" is being released already.`)
  if (mode !== 'taken_over') throw new ServiceError('conflict', `The bucket "${name}" was not taken over.`)
  const endings = await judgeLocks(db, now)
  const kept = await store.findUnreleasable(db, id, endings)
  if (kept) throw new ServiceError('conflict', `The bucket "${name}" ${REFUSALS[kept]}`)
}

/**
 * Step: lets nothing of a bucket change while a job writes its objects to another place. Returns how many there are. Throws
 * like `assertReleasable`.
 */
export async function freezeStep(
  step: Step,
  name: string,
  to: { job_id: string; storage_id: number; prefix: string },
): Promise<{ id: string; objects: number }> {
  const { tx, record } = step
  const bucket = await holdWhole(tx, name)
  if (!bucket) throw bucketMissing(name)
  await assertReleasable(tx, bucket, step.now())
  await changeBucketMode(step, bucket, { mode: 'releasing' })
  await store.updateAttachment(tx, bucket.id, {
    release_job: to.job_id,
    release_storage_id: to.storage_id,
    release_prefix: to.prefix,
  })
  const details = { before: { mode: 'taken_over' }, after: { mode: 'taken_over', release_job: to.job_id } }
  record({ name: 'update_bucket', bucket: name, details })
  const { objects } = (await sumUsage(tx, [bucket.id])).get(bucket.id) ?? none
  return { id: bucket.id, objects }
}

/** Step: holds a bucket that a job releases; throws conflict if it does not any more. */
export async function holdFrozen({ tx }: Upkeep, bucketId: string, jobId: string): Promise<void> {
  const bucket = await holdAnyBucket(tx, bucketId)
  const attachment = await store.lockAttachment(tx, bucketId)
  if (bucket?.mode !== 'releasing' || attachment?.release_job !== jobId)
    throw new ServiceError('conflict', 'The bucket is not being released any more.')
}

/** Step: lets a bucket change again that a job was releasing; false if it was not. */
export async function thawStep(step: Step, jobId: string): Promise<boolean> {
  const { tx, record } = step
  const attachment = await store.findReleasing(tx, jobId)
  const bucket = attachment && (await holdExclusivelyById(step, attachment.bucket_id))
  if (bucket?.mode !== 'releasing') return false
  await changeBucketMode(step, bucket, { mode: 'taken_over' })
  await store.updateAttachment(tx, bucket.id, { release_job: null })
  const details = { before: { mode: 'taken_over', release_job: jobId }, after: { mode: 'taken_over' } }
  record({ name: 'update_bucket', bucket: bucket.name, details })
  return true
}

/** Step: has a bucket show, read-only, what was written of it, to an engine that lists in this order. */
export async function giveBackStep(step: Step, jobId: string, order: KeyOrder): Promise<void> {
  const { tx, record } = step
  const attachment = await store.findReleasing(tx, jobId)
  const bucket = attachment && (await holdExclusivelyById(step, attachment.bucket_id))
  if (bucket?.mode !== 'releasing' || attachment?.release_storage_id == null)
    throw new ServiceError('conflict', 'The bucket is not being released any more.')
  const { id } = bucket
  const { release_storage_id: storage_id, release_prefix: prefix } = attachment
  const names = await findStorageNames(tx, [bucket, { storage_id }])
  await changeBucketMode(step, bucket, {
    mode: 'read_only',
    storage_id,
    trash_days: 0,
    versioning: null,
    object_lock: null,
  })
  await endWriting(step, id)
  await store.deleteFindings(tx, id)
  await store.updateAttachment(tx, id, {
    storage_id,
    prefix: prefix ?? '',
    weak: 0,
    as_of: step.now().toISOString(),
    changed_at: null,
    events_at: null,
    scanned_at: null,
    taken_over_at: null,
    release_job: null,
    release_storage_id: null,
    release_prefix: null,
    key_order: order === 'segments' ? order : null,
  })
  const side = (of: number | null) => names.get(of) ?? ''
  record({
    name: 'update_bucket',
    bucket: bucket.name,
    details: {
      before: { mode: 'taken_over', storage: side(bucket.storage_id) },
      after: { mode: 'read_only', storage: side(storage_id), prefix: prefix ?? '' },
    },
  })
}
