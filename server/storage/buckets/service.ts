import type { Bucket } from '../../../contract/buckets.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { formatSize } from '../../base/size.ts'
import { allow, type Ctx, refuseDenied } from '../../context.ts'
import type { Db, Row, Tx } from '../../db/schema.ts'
import type { StorageId } from '../../drivers/blobs.ts'
import { actionsIn } from '../../iam/decide.ts'
import { ALL_BUCKETS, policiesSay } from '../../iam/decide-iam.ts'
import { managing } from '../../iam/names-of-rights.ts'
import { judgeLocks } from '../locks/clock.ts'
import { hasLockedTrash } from '../locks/store.ts'
import { describeAll, none } from './describe.ts'
import { measureBucket } from './measure.ts'
import * as quotaStore from './quotas/store.ts'
import * as store from './store.ts'
import { assertWritable, isReadOnly } from './writable.ts'

const GIB = 1024 ** 3
/** Rows that a bucket's usage is spread over: enough that 16 writers rarely collide. */
const USAGE_SHARDS = 16

export const bucketMissing = (name: string): ServiceError =>
  new ServiceError('not_found', `There is no bucket "${name}".`, { missing: 'bucket' })
export const quotaBytes = (quota_gb: number): number => Math.floor(quota_gb * GIB)

/** A bucket, for a caller with any right in it. Everyone else gets the same 403 whether it exists or not. */
export async function getBucket(ctx: Ctx, name: string): Promise<Bucket> {
  allowAny(ctx, name)
  const row = await store.findBucket(ctx.db, name)
  if (!row) throw bucketMissing(name)
  const [bucket] = await describeAll(ctx, [row])
  return bucket as Bucket
}

/**
 * Deletes a bucket without objects; needs `manage`. The trash worker empties its trash afterwards; while something in it
 * is locked, throws `locked`.
 */
export async function deleteBucket(ctx: Ctx, name: string): Promise<undefined> {
  allow(ctx.actor, 'manage', name)
  refuseDenied(ctx.actor, managing('DeleteBucket'), name)
  await ctx.act(async (step) => {
    const { tx, record } = step
    const row = await store.lockBucket(tx, name)
    if (!row) throw bucketMissing(name)
    if (isReadOnly(row))
      throw new ServiceError(
        'read_only',
        `The bucket "${name}" is attached to a storage. Release it instead: everything there stays.`,
      )
    assertWritable(row)
    if (await store.hasAny(tx, 'objects', row.id))
      throw new ServiceError('not_empty', `Bucket "${name}" still has objects.`)
    if (await store.hasAny(tx, 'versions', row.id))
      throw new ServiceError('not_empty', `Bucket "${name}" still has versions or delete markers.`)
    if (await store.hasSnapshots(tx, row.id))
      throw new ServiceError('not_empty', `Bucket "${name}" still has snapshots.`)
    if (await hasLockedTrash(tx, row.id, await judgeLocks(tx, step.now())))
      throw new ServiceError('locked', `The trash of bucket "${name}" has versions that are locked.`)
    const usage = (await quotaStore.sumUsage(tx, [row.id])).get(row.id) ?? none
    await quotaStore.clearQuota(tx, row.id)
    await store.endSnapshots(tx, row.id, ctx.now())
    await store.softDeleteBucket(tx, row, ctx.now())
    const details = { trash_bytes: usage.trash_bytes, bucket_id: row.id }
    record({ name: 'delete_bucket', bucket: name, details })
  })
}

const SCAN = 1000

/** Throws forbidden for those to whom policies deny the list, and for service accounts and roles that nothing lets see any bucket. */
export function allowList({ actor }: Pick<Ctx, 'actor'>): { all: boolean } {
  const said = policiesSay(actor, 's3:ListAllMyBuckets', ALL_BUCKETS)
  if (said === 'deny') throw new ServiceError('forbidden', 'A policy denies the list of buckets.')
  const isPerson = actor.type !== 'role' && !actor.service_account
  const mayList = said === 'allow' || isPerson || actor.groups.some(({ grants }) => grants.length > 0)
  if (!mayList)
    throw new ServiceError('forbidden', 'No policy or group lets this service account or role list buckets.')
  return { all: said === 'allow' }
}

/**
 * The buckets in which the caller has any right and whose names start with a text, in name order; all of them, where a policy
 * of the caller's allows `s3:ListAllMyBuckets`. Throws forbidden where one denies it.
 */
export async function listBuckets(ctx: Ctx, limit: number, cursor: string | undefined, prefix = '') {
  const { all } = allowList(ctx)
  let [after = ''] = decodeCursor(cursor, 1) ?? []
  const found: store.BucketRow[] = []
  for (;;) {
    const rows = await store.listBuckets(ctx.db, after, SCAN, prefix)
    found.push(...rows.filter(({ name }) => all || actionsIn(ctx.actor, name).length > 0))
    after = rows.at(-1)?.name ?? after
    if (rows.length < SCAN || found.length > limit) break
  }
  const { page, next_cursor } = pageOf(found, limit, ({ name }) => [name])
  return { items: await describeAll(ctx, page), next_cursor }
}

/** Throws the same 403 for every name on which the caller has no right at all. */
export function allowAny(ctx: Ctx, name: string): void {
  if (actionsIn(ctx.actor, name).length === 0) allow(ctx.actor, 'list', name)
}

/** A bucket held for a change of its contents. */
export interface HeldBucket {
  id: string
  name: string
  trash_days: number
  /** Null if it never kept versions. */
  versioning: store.BucketRow['versioning']
  /** How new versions are locked, as JSON; null if nothing can be locked. */
  object_lock: store.BucketRow['object_lock']
  /** Where its new bytes go. */
  storage_id: StorageId
  /** Null if its objects are our own. */
  mode: store.BucketRow['mode']
  /** How contents are encrypted of which nobody says, as JSON; null if they are not. */
  encryption: store.BucketRow['encryption']
  /** Whether what snapshots alone keep takes room of its quota. */
  quota_includes_history: store.BucketRow['quota_includes_history']
  /** Its lifecycle document, as JSON; absent where it was held by its id. */
  lifecycle?: string | null
  /** Bytes that may be added under its own quota, negative if that was set below its usage; null without a quota. */
  room: number | null
  /** Like `room`, for the quota over all buckets. */
  totalRoom: number | null
}

/**
 * Step: holds a bucket for a change of its contents. Under a quota, other writers wait, so that `room` stays correct
 * until the transaction ends; without one they do not. Throws not_found.
 */
export async function holdBucket(tx: Tx, name: string, use: Use = 'write'): Promise<HeldBucket> {
  // In a statement of their own: joined, the quotas would show the state before the wait for the bucket's row.
  const [bucket, quotas] = await Promise.all([store.shareBucket(tx, name), quotaStore.lockQuotasOf(tx, name)])
  if (!bucket) throw bucketMissing(name)
  if (use === 'write') assertWritable(bucket)
  return withRoom(tx, bucket, quotas)
}

/** What a bucket is held for; only with `write` must it be writable. */
type Use = 'write' | 'read' | 'describe'

/** A bucket that may have been deleted; `former_name` is then its name before, if known. */
export type AnyBucket = HeldBucket & { deleted_at: string | null; former_name: string | null }

/** Step: holds a bucket by id, even a deleted one, to finish pending work; undefined if its row is gone. */
export async function holdAnyBucket(tx: Tx, id: string): Promise<AnyBucket | undefined> {
  const bucket = await store.shareAnyBucket(tx, id)
  return bucket && withRoom(tx, bucket, await quotaStore.lockQuotas(tx, id))
}

async function withRoom<B extends Pick<HeldBucket, 'id' | 'mode' | 'quota_includes_history'>>(
  tx: Tx,
  bucket: B,
  quotas: readonly Row<'quotas'>[],
) {
  // What others keep takes none of the room for all buckets.
  if (isReadOnly(bucket)) return { ...bucket, room: null, totalRoom: null }
  const own = quotas.find(({ scope }) => scope === bucket.id)
  const total = quotas.find(({ scope }) => scope === quotaStore.TOTAL)
  const usage = own ? ((await quotaStore.sumUsage(tx, [bucket.id])).get(bucket.id) ?? none) : none
  const incoming = quotas.length > 0 ? await quotaStore.sumIncoming(tx, bucket.id) : { own: 0, all: 0 }
  return {
    ...bucket,
    room: own ? quotaBytes(own.quota_gb) - heldOf(bucket, usage) - incoming.own : null,
    totalRoom: total ? quotaBytes(total.quota_gb) - (total.used_bytes ?? 0) - incoming.all : null,
  }
}

/** What a bucket holds of its quota, with what open uploads have reserved. */
export const heldOf = (
  { quota_includes_history }: Pick<HeldBucket, 'quota_includes_history'>,
  { bytes, reserved, history_bytes }: Pick<quotaStore.Usage, 'bytes' | 'reserved' | 'history_bytes'>,
): number => bytes + reserved + (quota_includes_history === 1 ? history_bytes : 0)

/**
 * Step: holds the two buckets of a transfer, which may be the same, always in the same order, so that callers cannot
 * deadlock. Copies leave the first one as it is.
 */
export async function holdBuckets(
  tx: Tx,
  source: string,
  dest: string,
  kind: 'copy' | 'move',
): Promise<[HeldBucket, HeldBucket]> {
  if (source === dest) {
    const both = await holdBucket(tx, dest)
    return [both, both]
  }
  const use = kind === 'copy' ? 'read' : 'write'
  const first = () => holdBucket(tx, source, use)
  const [one, other] = source < dest ? [first(), holdBucket(tx, dest)] : [holdBucket(tx, dest), first()]
  const held = await Promise.all([one, other])
  return source < dest ? held : [held[1], held[0]]
}

const least = (...rooms: readonly (number | null)[]): number | null => {
  const known = rooms.filter((room) => room !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Bytes that may be added to a held bucket, of which `moved` come from other buckets. Null without a quota. */
export const roomOf = (bucket: HeldBucket, moved = 0): number | null =>
  least(bucket.room, bucket.totalRoom === null ? null : bucket.totalRoom + moved)

/** Whether contents of the past that come back into a held bucket take no new room of its quota. */
export const countsHistory = ({ quota_includes_history, room }: HeldBucket): boolean =>
  quota_includes_history === 1 && room !== null

/** A held bucket, with the room that these bytes had taken as long as snapshots alone kept them. */
export const withRoomOfHistory = (bucket: HeldBucket, freed: number): HeldBucket =>
  countsHistory(bucket) ? { ...bucket, room: (bucket.room ?? 0) + freed } : bucket

/**
 * Bytes that may be added to a bucket, as an estimate before the change is made; null without a quota. `countUsage`
 * makes the exact decision.
 */
export async function estimateRoom(db: Db, bucket: store.FoundBucket): Promise<number | null> {
  const { quota_gb, total_quota_gb, total_used_bytes } = bucket
  if (quota_gb === null && total_quota_gb === null) return null
  const incoming = await quotaStore.sumIncoming(db, bucket.id)
  const total = total_quota_gb === null ? null : quotaBytes(total_quota_gb) - (total_used_bytes ?? 0) - incoming.all
  if (quota_gb === null) return total
  const usage = (await quotaStore.sumUsage(db, [bucket.id])).get(bucket.id) ?? none
  return least(quotaBytes(quota_gb) - heldOf(bucket, usage) - incoming.own, total)
}

/**
 * Step: counts a change of contents; throws quota_exceeded if it grows the bucket beyond its room. `moved` of the bytes
 * come from another bucket and are not new to the quota over all buckets.
 */
export async function countUsage(
  tx: Tx,
  bucket: HeldBucket,
  change: Partial<quotaStore.Usage>,
  moved = 0,
): Promise<void> {
  const full = { ...none, ...change }
  const growth = full.bytes + full.reserved
  if (growth > 0) assertRoom(bucket.name, bucket.room, growth)
  // A mere move is allowed even above the quota over all buckets.
  if (growth > moved) assertRoom(bucket.name, bucket.totalRoom, growth - moved)
  await quotaStore.addUsage(tx, { bucket_id: bucket.id, shard: Math.floor(Math.random() * USAGE_SHARDS), ...full })
  if (bucket.totalRoom !== null && growth !== 0)
    await quotaStore.addToQuota(tx, { scope: quotaStore.TOTAL, bytes: growth })
}

/**
 * Step: sets the quota over all buckets, or removes it with null. All writers wait meanwhile, so that its count is
 * exact.
 */
export async function setTotalQuota(tx: Tx, quota_gb: number | null): Promise<void> {
  await quotaStore.lockAllBuckets(tx)
  if (quota_gb === null) await quotaStore.clearQuota(tx, quotaStore.TOTAL)
  else await quotaStore.setQuota(tx, quotaStore.TOTAL, quota_gb, await quotaStore.sumAllUsage(tx))
}

/** The error for `needed` bytes where `room` has fewer. */
export function quotaExceeded(name: string, room: number, needed: number): ServiceError {
  const left = Math.max(0, room)
  const sizes = [formatSize(left), formatSize(needed)]
  // Sizes that look alike would not explain anything.
  const [free, wanted] = sizes[0] === sizes[1] ? [`${left} bytes`, `${needed} bytes`] : sizes
  return new ServiceError('quota_exceeded', `Bucket "${name}" has ${free} left; this needs ${wanted}.`)
}

/** Throws quota_exceeded unless `growth` bytes fit into `room`. */
export function assertRoom(name: string, room: number | null, growth: number): void {
  if (room !== null && growth > room) throw quotaExceeded(name, room, growth)
}

/** Step: recounts a bucket from its contents, while its writers wait. */
export async function correctUsage(tx: Tx, id: string): Promise<void> {
  const bucket = await store.lockAnyBucket(tx, id)
  if (!bucket) return
  await quotaStore.deleteUsage(tx, bucket.id)
  await quotaStore.addUsage(tx, { bucket_id: bucket.id, shard: 0, ...(await measureBucket(tx, bucket.id)) })
}

/** Step: deletes the rows of deleted buckets whose trash is empty. */
export const purgeSoftDeleted = store.deleteSoftDeleted
