import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Replication, ReplicationFailure, ReplicationRule } from '../../../contract/replication.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { invalid } from '../../base/invalid.ts'
import { SECOND_MS } from '../../base/time.ts'
import { allow, type Ctx, refuseDenied, type Step } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { explain } from '../../drivers/explain.ts'
import { isSecure, whereOf } from '../../drivers/routing/open.ts'
import { findStorage, findStorageById } from '../../drivers/routing/store.ts'
import { managing } from '../../iam/names-of-rights.ts'
import { bucketMissing } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { asPrefix, storageMissing } from '../storages/place.ts'
import { reach } from '../storages/reach.ts'
import { findStorageNames, holdToReplicate } from '../storages/use.ts'
import * as lookups from './lookups.ts'
import { ordered, readRules } from './rules.ts'
import * as store from './store.ts'

export interface SetReplication {
  storage: string
  prefix?: string | undefined
  rules?: readonly ReplicationRule[] | undefined
  encrypted?: Replication['encrypted'] | undefined
  existing?: boolean | undefined
  /** What an S3 client names. */
  role?: string | undefined
}

/** How far clocks may be apart: what changes so soon after a walk has begun may be queued twice, and never not at all. */
const APART_MS = 5 * SECOND_MS

const notReplicated = (name: string) => new ServiceError('not_found', `The bucket "${name}" is not replicated.`)

/** How a bucket is replicated; needs `manage`. Throws not_found. */
async function findOf(ctx: Ctx, name: string): Promise<store.Replicated> {
  allow(ctx.actor, 'manage', name)
  const found = await store.findReplication(ctx.db, name)
  if (found) return found
  throw (await findBucket(ctx.db, name)) ? notReplicated(name) : bucketMissing(name)
}

/** How a bucket is replicated, and how far that is; needs `manage`. Throws not_found. */
export async function getReplication(ctx: Ctx, name: string): Promise<Replication> {
  const found = await findOf(ctx, name)
  const queues = await lookups.sumQueues(ctx.db, found.bucket_id)
  return describe(ctx, found, queues.get(found.bucket_id))
}

/** The same of all buckets that are replicated, in name order. */
export async function listReplications(ctx: Ctx): Promise<(Replication & { bucket: string })[]> {
  const queues = await lookups.sumQueues(ctx.db)
  const items = []
  for (const found of await store.listReplications(ctx.db))
    items.push({ bucket: found.bucket, ...(await describe(ctx, found, queues.get(found.bucket_id))) })
  return items
}

const describe = async (ctx: Ctx, row: store.Replicated, queue = lookups.NOTHING): Promise<Replication> => ({
  ...(await settingsOf(ctx.db, row)),
  configured_at: row.configured_at,
  paused: row.paused_at !== null,
  filled: row.walked_to === null,
  lag_seconds: lagOf(ctx, queue),
  backlog: { objects: queue.objects, bytes: queue.bytes },
  failed: queue.failed,
  error: row.error,
})

const lagOf = ({ now }: Ctx, { since }: lookups.Backlog): number =>
  since === null ? 0 : Math.max(0, Math.round(now().getTime() - since / 1000) / 1000)

/** What is configured; also what is recorded of it. */
async function settingsOf(db: Db, row: store.Replicated) {
  const { storage_id, prefix, rules, encrypted, existing } = row
  const storage = (await findStorageById(db, storage_id))?.name ?? ''
  return { storage, prefix, rules: [...readRules(rules)], encrypted, existing: existing === 1 }
}

/**
 * What is configured of a bucket, with the role that an S3 client named; undefined if it is not replicated. Whoever calls this
 * decides who may know.
 */
export async function findSettings({ db }: Ctx, name: string) {
  const found = await store.findReplication(db, name)
  return found && { ...(await settingsOf(db, found)), role: found.role }
}

function assertAdmin(ctx: Ctx, name: string): void {
  allow(ctx.actor, 'manage', name)
  refuseDenied(ctx.actor, managing('PutReplicationConfiguration'), name)
  if (!isAdmin(ctx.actor.groups))
    throw new ServiceError('forbidden', 'Only administrators may configure the replication of a bucket.')
}

/**
 * Replicates a bucket, or changes how; for administrators. What is there already is queued again where the place or the rules are
 * new. Throws conflict unless the place answers and is free, and invalid_request.
 */
export async function setReplication(ctx: Ctx, name: string, given: SetReplication): Promise<void> {
  assertAdmin(ctx, name)
  const { storage, encrypted = 'refuse', existing = true, role = null } = given
  if (storage === DEFAULT_STORAGE) throw invalid('body.storage', 'must name a registered storage')
  const row = await findStorage(ctx.db, storage)
  if (!row) throw storageMissing(storage)
  const where = whereOf(ctx.config, row)
  if (where.kind !== 's3') throw invalid('body.storage', 'must be of the kind s3')
  const prefix = asPrefix(given.prefix ?? row.prefix)
  const rules = ordered(given.rules ?? [{ prefix: '', deletes: false }])
  for (const [i, { tags, deletes }] of (given.rules ?? []).entries())
    if (tags && deletes)
      throw invalid(`body.rules[${i}].deletes`, 'is not possible with tags: what is deleted has none any more')
  if (encrypted !== 'refuse' && !isSecure(row))
    throw invalid('body.encrypted', 'needs an endpoint with TLS (https), so that nobody reads what is sent')
  if (row.disabled_at === null && ctx.config.storagesEnabled)
    await reach({ ...where, s3: { ...where.s3, prefix } }).catch((error: unknown) => {
      throw new ServiceError('conflict', `The storage cannot be used. ${explain(error)}`, { cause: error })
    })
  await ctx.act(async (step) => {
    const { tx } = step
    const bucket = await store.lockBucket(tx, name)
    if (!bucket) throw bucketMissing(name)
    if (bucket.mode !== null)
      throw new ServiceError(
        'read_only',
        `The bucket "${name}" is attached to a storage, or was taken over from one. Only the service's own buckets are replicated.`,
      )
    const { id: storage_id } = await holdToReplicate(step, storage, { prefix, bucket: name })
    const before = await store.findReplication(tx, name)
    const text = JSON.stringify(rules)
    const isSame = before?.storage_id === storage_id && before.prefix === prefix && before.rules === text
    const now = step.now()
    const goesOn = isSame && before.existing === 1
    await store.putReplication(
      tx,
      {
        bucket_id: bucket.id,
        storage_id,
        prefix,
        encrypted,
        role,
        existing: existing ? 1 : 0,
        configured_at: before?.configured_at ?? now.toISOString(),
        walked_to: existing ? (goesOn ? before.walked_to : '') : null,
        walk_before: goesOn ? before.walk_before : (now.getTime() + APART_MS) * 1000,
        paused_at: before?.paused_at ?? null,
        error: null,
        failures: 0,
        retry_at: null,
      },
      text,
    )
    return recordChange(step, name, before)
  })
}

/** Step: records what has changed; nothing where that is nothing. */
async function recordChange(step: Step, bucket: string, row: store.Replicated | undefined) {
  const { tx, record } = step
  const told = async (one: store.Replicated | undefined) =>
    one
      ? { ...(await settingsOf(tx, one)), paused: one.paused_at !== null, ...(one.role !== null && { role: one.role }) }
      : null
  const [before, after] = [await told(row), await told(await store.findReplication(tx, bucket))]
  if (JSON.stringify(before) === JSON.stringify(after)) return step.nothing(undefined)
  record({ name: 'update_bucket', bucket, details: { before: { replication: before }, after: { replication: after } } })
  return undefined
}

/** What is to be compared of a bucket; for administrators. Throws not_found. */
export function findForVerify(ctx: Ctx, name: string): Promise<store.Replicated> {
  assertAdmin(ctx, name)
  return findOf(ctx, name)
}

/** Ends the replication of a bucket; for administrators. What is there stays. Throws not_found. */
export async function deleteReplication(ctx: Ctx, name: string): Promise<undefined> {
  await change(ctx, name, async (step, { bucket_id }) => store.deleteReplication(step.tx, bucket_id))
}

/** Pauses the replication of a bucket; for administrators. Changes stay queued. Throws not_found. */
export async function pauseReplication(ctx: Ctx, name: string): Promise<Replication> {
  await change(ctx, name, async (step, { bucket_id, paused_at }) => {
    await store.updateReplication(step.tx, bucket_id, { paused_at: paused_at ?? step.now().toISOString() })
  })
  return getReplication(ctx, name)
}

/** Resumes it, and has tried at once what has failed, or waits to be tried again; for administrators. Throws not_found. */
export async function resumeReplication(ctx: Ctx, name: string): Promise<Replication> {
  const { bucket_id } = await change(ctx, name, async (step, row) => {
    await store.updateReplication(step.tx, row.bucket_id, { paused_at: null })
  })
  await ctx.upkeep(async ({ tx }) => {
    await store.updateReplication(tx, bucket_id, { error: null, failures: 0, retry_at: null })
    await store.retryFailed(tx, bucket_id)
    await store.hurryQueued(tx, bucket_id)
  })
  return getReplication(ctx, name)
}

async function change(
  ctx: Ctx,
  name: string,
  apply: (step: Step, row: store.Replicated) => Promise<void>,
): Promise<store.Replicated> {
  assertAdmin(ctx, name)
  const row = await findOf(ctx, name)
  await ctx.act(async (step) => {
    if (!(await store.lockBucket(step.tx, name))) throw bucketMissing(name)
    const now = await store.findReplication(step.tx, name)
    if (!now) throw notReplicated(name)
    await apply(step, now)
    return recordChange(step, name, now)
  })
  return row
}

/** Keys that could not be replicated, in order; needs `manage`. Throws not_found. */
export async function listFailures(
  ctx: Ctx,
  name: string,
  limit: number,
  cursor: string | undefined,
): Promise<{ items: ReplicationFailure[]; next_cursor: string | null }> {
  const { bucket_id } = await findOf(ctx, name)
  const [key = '', version_id = ''] = decodeCursor(cursor, 2) ?? []
  const rows = await lookups.listFailed(ctx.db, bucket_id, { key, version_id }, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, (row) => [row.key, row.version_id])
  const items = page.map((row) => ({
    key: row.key,
    version_id: ['', store.DELETED].includes(row.version_id) ? null : row.version_id,
    size: row.size,
    reason: row.reason ?? '',
    since: new Date(Math.floor(row.since / 1000)).toISOString(),
  }))
  return { items, next_cursor }
}

/** How far the replicas on each storage are, for metrics. */
export async function findReplicas(ctx: Ctx) {
  const rows = await store.listReplications(ctx.db)
  if (rows.length === 0) return []
  const [queues, names] = [await lookups.sumQueues(ctx.db), await findStorageNames(ctx.db, rows)]
  const found = new Map<
    string,
    { isUp: boolean; lag_seconds: number; objects: number; bytes: number; failed: number }
  >()
  for (const { bucket_id, storage_id, error } of rows) {
    const storage = names.get(storage_id) ?? `${storage_id}`
    const sum = found.get(storage) ?? { isUp: true, lag_seconds: 0, objects: 0, bytes: 0, failed: 0 }
    const queue = queues.get(bucket_id) ?? lookups.NOTHING
    sum.isUp &&= error === null
    sum.lag_seconds = Math.max(sum.lag_seconds, lagOf(ctx, queue))
    for (const field of ['objects', 'bytes', 'failed'] as const) sum[field] += queue[field]
    found.set(storage, sum)
  }
  return [...found].map(([storage, sum]) => ({ storage, ...sum }))
}
