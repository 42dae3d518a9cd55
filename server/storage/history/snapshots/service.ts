import { ServiceError } from '../../../../contract/errors.ts'
import type { Snapshot } from '../../../../contract/snapshots.ts'
import { decodeCursor, pageOf } from '../../../base/cursor.ts'
import { invalid } from '../../../base/invalid.ts'
import { formatMoment } from '../../../base/moment.ts'
import { allow, type Ctx, currentActor } from '../../../context.ts'
import { allowAny, bucketMissing } from '../../buckets/service.ts'
import { holdWhole } from '../../buckets/soft-delete.ts'
import { findBucket } from '../../buckets/store.ts'
import { assertKnown, momentOf } from '../former/past.ts'
import { findSnapshot, type SnapshotRow } from '../former/store.ts'
import { sumExpected } from './limit.ts'
import * as store from './store.ts'
import { holdForSnapshot, takeSnapshot } from './take.ts'

const snapshotMissing = (bucket: string, name: string) =>
  new ServiceError('not_found', `The bucket "${bucket}" has no snapshot "${name}".`)

const describe = ({ name, moment, note, created_at, created_by, expires_at }: SnapshotRow): Snapshot => ({
  name,
  moment: formatMoment(Number(moment)),
  note,
  created_at,
  created_by,
  expires_at,
})

interface NewSnapshot {
  name: string
  note?: string | undefined
  at?: string | undefined
  expires_at?: string | undefined
}

/**
 * Names a moment of a bucket, by default the present, and keeps what the bucket was then; needs `manage`. Throws already_exists,
 * read_only for a bucket whose contents others keep, limit_reached, quota_exceeded where snapshots keep as much as they may, and invalid_request for a moment that has not come or is
 * not known any more.
 */
export async function createSnapshot(
  ctx: Ctx,
  bucketName: string,
  { name, note, at, expires_at }: NewSnapshot,
): Promise<Snapshot> {
  allow(ctx.actor, 'manage', bucketName)
  const ends = expires_at === undefined ? null : readEnd(expires_at, ctx.now())
  const wanted = at === undefined ? undefined : await momentIn(ctx, bucketName, at)
  const expected = await sumExpected(ctx.db, await findBucket(ctx.db, bucketName))
  return ctx.act(async (step) => {
    const { tx } = step
    const bucket = await holdForSnapshot(tx, bucketName)
    allow(await currentActor(step), 'manage', bucketName)
    if (!bucket) throw bucketMissing(bucketName)
    // What is known of the past may have been deleted since.
    if (wanted !== undefined) await assertKnown(tx, bucket, { moment: wanted, path: 'body.at' })
    return describe(
      await takeSnapshot(step, bucket, { names: [name], note, moment: wanted, expires_at: ends, expected }),
    )
  })
}

async function momentIn(ctx: Ctx, bucketName: string, at: string): Promise<number> {
  const bucket = await findBucket(ctx.db, bucketName)
  if (!bucket) throw bucketMissing(bucketName)
  return momentOf(ctx, bucket, { text: at, path: 'body.at' })
}

/** When something ends by itself, as its row has it. Throws invalid_request unless that is to come. */
export function readEnd(expires_at: string, now: Date): string {
  const time = Date.parse(expires_at)
  if (!(time > now.getTime())) throw invalid('body.expires_at', 'must be in the future')
  return new Date(time).toISOString()
}

/** The snapshots of a bucket, the latest moment first, for callers with any right in it. */
export async function listSnapshots(
  ctx: Ctx,
  bucketName: string,
  { limit = 100, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  const bucket = await seen(ctx, bucketName)
  const [moment, id] = decodeCursor(cursor, 2) ?? []
  const after = moment !== undefined && id !== undefined ? { moment: readCursorMoment(moment), id } : undefined
  const rows = await store.listSnapshots(ctx.db, bucket.id, { after, limit: limit + 1 })
  const { page, next_cursor } = pageOf(rows, limit, (row) => [String(row.moment), row.id])
  return { items: page.map(describe), next_cursor }
}

function readCursorMoment(text: string): number {
  const moment = Number(text)
  if (!Number.isSafeInteger(moment)) throw invalid('query.cursor', 'is not a cursor of this list')
  return moment
}

/** One of them. Throws not_found. */
export async function getSnapshot(ctx: Ctx, bucketName: string, name: string): Promise<Snapshot> {
  const bucket = await seen(ctx, bucketName)
  const row = await findSnapshot(ctx.db, bucket.id, { name })
  if (!row) throw snapshotMissing(bucketName, name)
  return describe(row)
}

async function seen(ctx: Ctx, bucketName: string) {
  allowAny(ctx, bucketName)
  const bucket = await findBucket(ctx.db, bucketName)
  if (!bucket) throw bucketMissing(bucketName)
  return bucket
}

/** Deletes a snapshot; needs `manage`. What only it kept is released afterwards. Throws not_found. */
export async function deleteSnapshot(ctx: Ctx, bucketName: string, name: string): Promise<undefined> {
  allow(ctx.actor, 'manage', bucketName)
  await ctx.act(async (step) => {
    const bucket = await holdWhole(step.tx, bucketName)
    allow(await currentActor(step), 'manage', bucketName)
    if (!bucket) throw bucketMissing(bucketName)
    const row = await store.deleteSnapshot(step.tx, bucket.id, { name }, step.now())
    if (!row) throw snapshotMissing(bucketName, name)
    const details = { name, moment: formatMoment(Number(row.moment)), reason: 'requested' as const }
    step.record({ name: 'snapshot_delete', bucket: bucketName, details })
  })
}
