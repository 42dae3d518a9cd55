import { ServiceError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import { releaseBlobs } from '../../blobs/collector.ts'
import { allow, type Ctx, currentActor, type Step } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { bucketMissing, countUsage, type HeldBucket, holdBucket } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { moveToTrash } from '../trash/service.ts'
import { describeObject } from './describe.ts'
import { type Found, findContents, findWithLifecycle } from './found.ts'
import * as store from './store.ts'
import { isAsExpected, type RemovalConditions } from './write.ts'

/** Returns an object that the caller may read; throws `forbidden` or `not_found`. */
export async function getObject(ctx: Ctx, bucket: string, key: string): Promise<store.ObjectRow> {
  allow(ctx.actor, 'read', bucket, key)
  return (await store.findObject(ctx.db, bucket, key)) ?? throwMissing(ctx, bucket, key)
}
/**
 * Like `getObject`, with its bucket's lifecycle document and, if `opens`, the bytes of an inline blob (null for any
 * other), from the same statement.
 */
export async function getContents(
  ctx: Ctx,
  bucket: string,
  key: string,
  { opens }: { opens: boolean },
): Promise<Found & { bytes?: Uint8Array | null }> {
  allow(ctx.actor, 'read', bucket, key)
  const find = opens ? findContents : findWithLifecycle
  return (await find(ctx.db, bucket, key)) ?? throwMissing(ctx, bucket, key)
}
async function throwMissing(ctx: Ctx, bucket: string, key: string): Promise<never> {
  throw (await findBucket(ctx.db, bucket)) ? objectMissing(bucket, key) : bucketMissing(bucket)
}
export const objectMissing = (bucket: string, key: string) =>
  new ServiceError('not_found', `There is no object "${key}" in bucket "${bucket}".`, { missing: 'object' })

/** Moves an object to the trash, or deletes it with `permanent`, which needs `manage`. */
export async function deleteObject(
  ctx: Ctx,
  bucketName: string,
  key: string,
  { permanent, ...conditions }: RemovalConditions & { permanent: boolean },
): Promise<undefined> {
  const rights = permanent ? (['delete', 'manage'] as const) : (['delete'] as const)
  for (const right of rights) allow(ctx.actor, right, bucketName, key)
  await ctx.act(async (step) => {
    const { tx } = step
    const [bucket, actor] = await Promise.all([holdBucket(tx, bucketName), currentActor(step)])
    for (const right of rights) allow(actor, right, bucketName, key)
    const old = await store.lockObject(tx, bucket.id, key)
    if (!old) throw objectMissing(bucketName, key)
    if (!isAsExpected(old, conditions))
      throw new ServiceError('precondition_failed', 'The object does not match the conditions, or no longer does.')
    await removeObjects(step, bucket, [old], { permanent })
  })
}

/**
 * Step: moves locked objects to the trash or deletes them, and records each with `more` in its details. Returns their
 * trash ids.
 */
export async function removeObjects(
  step: Step,
  bucket: HeldBucket,
  rows: readonly store.ObjectRow[],
  { permanent = false, ...more }: { permanent?: boolean; bulk_id?: string; job_id?: string; policy_id?: string },
): Promise<string[]> {
  const { tx, record, alongside } = step
  if (rows.length === 0) return []
  const keys = rows.map(({ key }) => key)
  const blobs = rows.map(({ blob_id }) => blob_id)
  alongside(store.deleteObjects(tx, bucket.id, keys))
  if (permanent) alongside(releaseBlobs(step, blobs))
  const kept = permanent
    ? rows.map(() => null)
    : moveToTrash(step, bucket, rows, { reason: 'deleted', job_id: more.job_id })
  const bytes = rows.reduce((sum, { size }) => sum + size, 0)
  const trashed = rows.reduce((sum, { size }, i) => sum + (kept[i] ? size : 0), 0)
  alongside(countUsage(tx, bucket, { bytes: -bytes, objects: -rows.length, trash_bytes: trashed }))
  for (const [i, { key, size }] of rows.entries()) {
    const trash_id = kept[i] ?? undefined
    record({
      name: 'delete',
      bucket: bucket.name,
      key,
      details: { size, permanent: !trash_id, ...(trash_id ? { trash_id } : {}), ...more },
    })
  }
  return kept.filter((id) => id !== null)
}

/** Step: makes contents visible again under their key; undefined if the key is taken. */
export const reinstate = async (tx: Tx, bucket: HeldBucket, row: store.ObjectRow): Promise<StoredObject | undefined> =>
  (await store.insertObject(tx, row)) ? describeObject(row, bucket.name) : undefined

/** Step: like `reinstate` for many; returns those whose key was free, by key. */
export async function reinstateAll(
  tx: Tx,
  bucket: HeldBucket,
  rows: readonly store.ObjectRow[],
): Promise<Map<string, StoredObject>> {
  const free = new Set(await store.insertObjects(tx, rows))
  return new Map(rows.flatMap((row) => (free.has(row.key) ? [[row.key, describeObject(row, bucket.name)]] : [])))
}

/**
 * Step: makes contents visible again under their key, replacing the current object, which goes to the trash as
 * overwritten. The caller counts the usage.
 */
export async function reinstateOver(
  step: Step,
  bucket: HeldBucket,
  row: store.ObjectRow,
): Promise<{ object: StoredObject; replaced?: { size: number; trash_id: string | null } }> {
  const { tx } = step
  for (;;) {
    const object = await reinstate(tx, bucket, row)
    if (object) return { object }
    const old = await store.lockObject(tx, bucket.id, row.key)
    if (!old) continue
    const [trash_id = null] = moveToTrash(step, bucket, [old], { reason: 'overwritten' })
    await store.replaceObject(tx, row)
    const now = { ...row, created_at: old.created_at }
    return { object: describeObject(now, bucket.name), replaced: { size: old.size, trash_id } }
  }
}
