import type { Release } from '../../../contract/attached.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import { invalid } from '../../base/invalid.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { allow, type Ctx } from '../../context.ts'
import { explain } from '../../drivers/explain.ts'
import { ListingDisordered } from '../../drivers/external.ts'
import { findStorage, type StorageRow } from '../../drivers/routing/store.ts'
import { none } from '../buckets/describe.ts'
import { sumUsage } from '../buckets/quotas/store.ts'
import { bucketMissing, countUsage, holdAnyBucket } from '../buckets/service.ts'
import { holdWhole, softDeleteStep } from '../buckets/soft-delete.ts'
import { type BucketRow, findBucket } from '../buckets/store.ts'
import { isReadOnly } from '../buckets/writable.ts'
import { assertReleasable } from '../external-objects/release/freeze.ts'
import { queueJob } from '../jobs/service.ts'
import { hasOpenRelease } from '../jobs/store.ts'
import { assertFreeToAttach } from '../storages/overlap.ts'
import { asPrefix, storageMissing } from '../storages/place.ts'
import { findStorageNames } from '../storages/use.ts'
import { notAttached } from './scans/service.ts'
import { findAttachment } from './scans/store.ts'
import * as store from './store.ts'

const AT_ONCE = 1000

interface Asked {
  dry_run?: boolean | undefined
  /** Where the objects of a bucket that was taken over are written. */
  storage?: string | undefined
  prefix?: string | undefined
}

/**
 * Forgets a read-only bucket and what it showed; everything on the storage stays. Of one that was taken over, queues the job
 * that writes its objects to another place. `dry_run`: only says what that means.
 */
export async function releaseBucket(ctx: Ctx, name: string, { dry_run = false, ...to }: Asked): Promise<Release> {
  allow(ctx.actor, 'manage', name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const { mode } = bucket
  if (mode === null) throw notAttached(name)
  if (mode !== 'read_only') return giveBack(ctx, bucket, { dry_run, ...to })
  for (const [field, value] of Object.entries(to))
    if (value !== undefined) throw invalid(`body.${field}`, 'is only allowed for a bucket that was taken over')
  const { objects } = (await sumUsage(ctx.db, [bucket.id])).get(bucket.id) ?? none
  return { objects: dry_run ? objects : await forget(ctx, name), bytes: 0, job: null }
}

/** Forgets a read-only bucket; returns how many objects it showed. */
async function forget(ctx: Ctx, name: string): Promise<number> {
  const objects = await ctx.act(async (step) => {
    const { tx, record } = step
    const bucket = await holdWhole(tx, name)
    if (!bucket) throw bucketMissing(name)
    if (!isReadOnly(bucket)) throw new ServiceError('conflict', `The bucket "${name}" has just been taken over.`)
    const attachment = await store.deleteAttachment(tx, bucket.id)
    const { objects } = (await sumUsage(tx, [bucket.id])).get(bucket.id) ?? none
    const storage = (await findStorageNames(tx, [bucket])).get(bucket.storage_id) ?? ''
    await softDeleteStep(step, bucket)
    const details = { storage, prefix: attachment?.prefix ?? '', objects, bucket_id: bucket.id }
    record({ name: 'release_bucket', bucket: name, details })
    return objects
  })
  ctx.background(() => forgetReleased(ctx))
  return objects
}

/** Queues the job that writes the objects of a bucket that was taken over, unless that is only asked about. */
async function giveBack(ctx: Ctx, bucket: BucketRow, { dry_run, storage, prefix }: Asked): Promise<Release> {
  const { id, name } = bucket
  if (storage === undefined) throw invalid('body.storage', 'is required for a bucket that was taken over')
  if (storage === DEFAULT_STORAGE) throw invalid('body.storage', 'must name a registered storage')
  await assertReleasable(ctx.db, bucket, ctx.now())
  const row = await findStorage(ctx.db, storage)
  if (!row) throw storageMissing(storage)
  if (row.kind !== 's3') throw invalid('body.storage', 'must be of the kind s3')
  const dest_prefix = asPrefix(prefix ?? row.prefix)
  await assertFreeToAttach(ctx.db, ctx.config, row, dest_prefix)
  const before = await findAttachment(ctx.db, id)
  const isAgain = before?.release_storage_id === row.id && before.release_prefix === dest_prefix
  if (!isAgain) await assertEmpty(ctx, row, dest_prefix)
  const { objects, bytes } = (await sumUsage(ctx.db, [id])).get(id) ?? none
  if (dry_run) return { objects, bytes, job: null }
  if (await hasOpenRelease(ctx.db, name))
    throw new ServiceError('conflict', `A job that releases the bucket "${name}" waits to start.`)
  const job = await queueJob(ctx, { kind: 'release', source_bucket: name, dest_storage: storage, dest_prefix })
  return { objects, bytes, job }
}

/** Throws conflict unless there is nothing under a prefix of a storage. */
async function assertEmpty(ctx: Ctx, { id, name }: StorageRow, prefix: string): Promise<void> {
  ctx.blobs.refresh(id)
  const isEmpty = await ctx.blobs
    .source(id)
    .then((source) => source.list(prefix, {}))
    .then(({ objects, refused }) => objects.length + refused.length === 0)
    .catch((error: unknown) => {
      // Several objects are, in whatever order.
      if (error instanceof ListingDisordered) return false
      throw new ServiceError('conflict', `The storage "${name}" cannot be used. ${explain(error)}`, { cause: error })
    })
  if (!isEmpty)
    throw new ServiceError(
      'conflict',
      `There are objects under that prefix of the storage "${name}" already. Choose an empty one.`,
    )
}

/** Deletes what is known of the objects of released buckets. */
async function forgetReleased(ctx: Ctx): Promise<void> {
  if (!ctx.worksInBackground) return
  for (const id of await store.findReleased(ctx.db))
    while (
      !ctx.stopping.aborted &&
      (await ctx.upkeep(async ({ tx }) => {
        const bucket = await holdAnyBucket(tx, id)
        if (!bucket) return false
        const { objects, bytes } = await store.deleteSome(tx, id, AT_ONCE)
        if (objects > 0) await countUsage(tx, bucket, { objects: -objects, bytes: -bytes })
        return objects === AT_ONCE
      }))
    );
}

export const releasedBuckets = { name: 'released-buckets', every: MINUTE_MS, run: forgetReleased }
