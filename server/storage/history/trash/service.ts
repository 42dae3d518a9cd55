// The trash of buckets: what goes there, who sees it, what is purged and when.
import { ServiceError } from '../../../../contract/errors.ts'
import type { BucketAction } from '../../../../contract/permissions.ts'
import type { TrashItem } from '../../../../contract/trash.ts'
import { decodeCursor, pageOf, timeOf } from '../../../base/cursor.ts'
import { newId } from '../../../base/id.ts'
import { DAY_MS, MINUTE_MS } from '../../../base/time.ts'
import { eraseBlobs, releaseBlobs, removeNow } from '../../../blobs/collector.ts'
import { isDiskShort } from '../../../blobs/room.ts'
import { allow, allowSomewhere, asCurrent, type Ctx, refuseDenied, type Step } from '../../../context.ts'
import type { ObjectRow } from '../../../db/schema.ts'
import { encryptionField } from '../../../encryption/describe.ts'
import { mayBeDenied, permits } from '../../../iam/decide.ts'
import { DELETE_VERSION } from '../../../iam/names-of-rights.ts'
import {
  bucketMissing,
  countUsage,
  type HeldBucket,
  holdAnyBucket,
  holdBucket,
  purgeSoftDeleted,
} from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import { judgeLocks } from '../../locks/clock.ts'
import { assertRemovable, type LockBypass } from '../../locks/gate.ts'
import { lockField } from '../../locks/lock.ts'
import { expireFormer } from '../former/expiry.ts'
import * as store from './store.ts'

const BATCH = 1000
const PURGE_LIMIT = 10_000

/** Why contents stop being visible. */
export interface Removal extends LockBypass {
  reason: 'deleted' | 'overwritten'
  job_id?: string | null | undefined
  permanent?: boolean
}

/** Whether contents that are removed go to the trash. */
export const isTrashed = (
  { trash_days }: HeldBucket,
  { permanent = false }: Pick<Removal, 'permanent'> = {},
): boolean => !permanent && trash_days > 0

/**
 * Step: moves contents that stop being visible to the trash, if the bucket's trash is on, and returns the items' ids in
 * the same order. If it is off, or they are to go permanently, returns nulls and leaves the bytes to the collector. The
 * caller counts the usage. `job_id` is the job doing it, if any.
 */
export function moveToTrash(
  step: Step,
  bucket: HeldBucket,
  rows: readonly ObjectRow[],
  removal: Removal,
): (string | null)[] {
  const { reason, job_id = null } = removal
  if (rows.length === 0) return []
  if (!isTrashed(bucket, removal)) {
    step.awaitAtCommit(releaseOrErase(step, bucket.name, rows))
    return rows.map(() => null)
  }
  const now = step.now().toISOString()
  const more = { reason, deleted_at: now, deleted_by: step.actor.user_id, job_id }
  const items = rows.map((row) => ({ ...row, ...more, id: newId() }))
  step.awaitAtCommit(store.insertTrash(step.tx, items))
  return items.map(({ id }) => id)
}

/**
 * Step: leaves the bytes of contents that are gone for good to the collector. Encrypted ones that nothing else points at are
 * erased with the change, each recorded as `erase`.
 */
export function releaseOrErase(
  step: Step,
  bucket: string,
  rows: readonly Pick<ObjectRow, 'blob_id' | 'encryption' | 'key' | 'size' | 'version_id'>[],
): Promise<void> {
  const encrypted = rows.filter(({ encryption }) => encryption !== null)
  if (encrypted.length > 0)
    step.atEnd(async () => {
      const erased = await eraseBlobs(step, [...new Set(encrypted.map(({ blob_id }) => blob_id))])
      for (const { blob_id, key, size, version_id } of encrypted) {
        if (!erased.has(blob_id)) continue
        const details = { size, blob_id, ...(version_id === null ? {} : { version_id }) }
        step.record({ name: 'erase', bucket, key, details })
      }
    })
  return releaseBlobs(
    step,
    rows.map(({ blob_id }) => blob_id),
  )
}

interface ListQuery {
  prefix?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** Trash items under a prefix that the caller may list, latest first. */
export async function listTrash(ctx: Ctx, name: string, { prefix = '', limit = 100, cursor }: ListQuery) {
  const ranges = allowSomewhere(ctx.actor, 'list', name, prefix)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const [deleted_at, id] = decodeCursor(cursor, 2) ?? []
  const after = deleted_at !== undefined && id !== undefined ? { deleted_at: timeOf(deleted_at), id } : undefined
  const rows = await store.listTrash(ctx.db, bucket.id, ranges, { after, limit: limit + 1 })
  const { page, next_cursor } = pageOf(rows, limit, (row) => [row.deleted_at, row.id])
  return {
    items: page.map(
      (row): TrashItem => ({
        id: row.id,
        bucket: name,
        key: row.key,
        ...(row.version_id === null ? {} : { version_id: row.version_id }),
        size: row.size,
        etag: row.etag,
        content_type: row.content_type,
        ...encryptionField(row),
        ...lockField(row),
        reason: row.reason,
        deleted_at: row.deleted_at,
        deleted_by: row.deleted_by,
        expires_at: new Date(Date.parse(row.deleted_at) + bucket.trash_days * DAY_MS).toISOString(),
      }),
    ),
    next_cursor,
  }
}

/**
 * The items that the actor may do this to. Throws forbidden for an item that they may only see. An item that they may
 * not even see is left out, as if it did not exist.
 */
export function visibleItems(
  { actor }: Pick<Ctx, 'actor'>,
  action: 'write' | 'manage',
  name: string,
  rows: readonly store.TrashRow[],
) {
  const may = (right: BucketAction, key: string) => permits(actor, right, name, key)
  return rows.filter(({ key }) => {
    if (!may(action, key) && may('list', key)) allow(actor, action, name, key)
    if (action === 'manage') refuseDenied(actor, DELETE_VERSION, name, key)
    return may(action, key)
  })
}

export function assertFound(ids: readonly string[], rows: readonly store.TrashRow[]): void {
  const found = new Set(rows.map(({ id }) => id))
  const faults = ids.flatMap((id, i) =>
    found.has(id) ? [] : [{ path: `body.ids.${i}`, message: 'is not in the trash' }],
  )
  if (faults.length > 0)
    throw new ServiceError('not_found', "Some of the ids are not in the bucket's trash.", { faults })
}

function allowPurge({ actor }: Pick<Ctx, 'actor'>, name: string, ids: readonly string[] | 'all'): void {
  if (ids === 'all') allow(actor, 'manage', name)
  // What is in the trash may be of any key.
  if (ids === 'all' && mayBeDenied(actor, DELETE_VERSION, name))
    throw new ServiceError('forbidden', `A policy denies the deletion of versions in bucket "${name}": name the items.`)
  else allowSomewhere(actor, 'manage', name)
}

/** Deletes the bytes of what was purged at once if the disk is almost full, whose grace period would keep it so. */
function makeRoom(ctx: Ctx, blobs: readonly string[]): void {
  if (blobs.length > 0 && isDiskShort(ctx.config)) ctx.background(() => removeNow(ctx, blobs))
}

/**
 * Deletes items permanently: the given ones, or all that are not locked (up to 10,000 per call). Needs `manage` on each
 * key. Throws `locked` if one of the given must not go.
 */
export async function purgeTrash(ctx: Ctx, name: string, ids: readonly string[] | 'all') {
  allowPurge(ctx, name, ids)
  let purged = 0
  let bytes = 0
  for (;;) {
    const step = await ctx.act(async (step) => {
      const { tx, record } = step
      const bucket = await holdBucket(tx, name)
      const caller = await asCurrent(step)
      allowPurge(caller, name, ids)
      const rows =
        ids === 'all'
          ? await lockDeletable(step, bucket.id, null)
          : visibleItems(caller, 'manage', name, await store.lockTrash(tx, bucket.id, ids))
      if (ids !== 'all') assertFound(ids, rows)
      for (const row of rows)
        record({
          name: 'purge',
          bucket: name,
          key: row.key,
          details: { reason: 'requested', objects: 1, bytes: row.size, trash_id: row.id },
        })
      if (rows.length === 0)
        record({ name: 'purge', bucket: name, details: { reason: 'requested', objects: 0, bytes: 0 } })
      return { ...(await destroy(step, bucket, rows)), blobs: rows.map(({ blob_id }) => blob_id) }
    })
    makeRoom(ctx, step.blobs)
    purged += step.objects
    bytes += step.bytes
    if (ids !== 'all' || step.objects < BATCH) return { purged, bytes, more: false }
    if (purged >= PURGE_LIMIT) return { purged, bytes, more: true }
  }
}

/** Step: deletes the rows, releases their blobs and updates the usage. Throws `locked` if one of them must not go. */
async function destroy(step: Step, bucket: HeldBucket, rows: readonly store.TrashRow[]) {
  const { tx } = step
  // A lock of mode `governance` did not count when they were removed.
  await assertRemovable(step, rows, { ends: true, bypass: () => true })
  const bytes = rows.reduce((sum, row) => sum + row.size, 0)
  if (rows.length > 0) {
    await store.deleteTrash(
      tx,
      rows.map(({ id }) => id),
    )
    await releaseOrErase(step, bucket.name, rows)
    await countUsage(tx, bucket, { bytes: 0, objects: 0, trash_bytes: -bytes })
  }
  return { objects: rows.length, bytes }
}

/**
 * Step: locks a bucket's oldest items deleted before a time (null: any) that may go: none that is locked, and while the
 * clock is in doubt none that may be.
 */
async function lockDeletable(step: Step, bucketId: string, before: string | null): Promise<store.TrashRow[]> {
  const { endedBy, doubt } = await judgeLocks(step.tx, step.now())
  return store.lockOldest(step.tx, bucketId, { before, endedBy, governed: doubt === null }, BATCH)
}

/** Step: locks the items with these ids. */
export const lockItems = store.lockTrash

/** Step: deletes the rows of items that are objects again. */
export const deleteTrashRows = store.deleteTrash

/** Deletes what has exceeded its bucket's retention in the trash, and the trash of deleted buckets. */
export const trashWorker = {
  name: 'trash-expiry',
  every: MINUTE_MS,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    for (const { id } of await store.findBucketsWithTrash(ctx.db)) while (await destroyBatch(ctx, id));
    await expireFormer(ctx)
    await ctx.upkeep(({ tx }) => purgeSoftDeleted(tx))
  },
}

/** Deletes one batch in one action, by the bucket's current settings; false when nothing is left. */
const destroyBatch = (ctx: Ctx, id: string): Promise<boolean> =>
  ctx.act(async (step) => {
    const { tx, record } = step
    const bucket = await holdAnyBucket(tx, id)
    // Another process has meanwhile emptied the bucket and deleted its row.
    if (!bucket) return step.nothing(false)
    const isDeleted = bucket.deleted_at !== null
    const before = isDeleted ? null : new Date(step.now().getTime() - bucket.trash_days * DAY_MS).toISOString()
    const rows = await lockDeletable(step, bucket.id, before)
    if (rows.length === 0) return step.nothing(false)
    const named = isDeleted ? { ...bucket, name: bucket.former_name ?? id } : bucket
    const destroyed = await destroy(step, named, rows)
    if (isDeleted) {
      const details = { reason: 'bucket_deleted' as const, ...destroyed, bucket_id: id }
      record({ name: 'purge', bucket: named.name, details })
    } else record({ name: 'purge', bucket: bucket.name, details: { reason: 'expired', ...destroyed } })
    return destroyed.objects === BATCH
  })
