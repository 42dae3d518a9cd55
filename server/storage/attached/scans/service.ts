import { ServiceError } from '../../../../contract/errors.ts'
import type { Absence, Scan } from '../../../../contract/scans.ts'
import { decodeCursor, pageOf } from '../../../base/cursor.ts'
import { allow, type Ctx, refusal } from '../../../context.ts'
import { bucketMissing } from '../../buckets/service.ts'
import { type BucketRow, findBucket } from '../../buckets/store.ts'
import { listAbsent } from '../../external-objects/scan-state/store.ts'
import { runScans } from './scan.ts'
import { queueScan } from './schedule.ts'
import * as store from './store.ts'

/** An attached bucket, or one that was taken over, that the caller manages. Throws conflict for an owned one. */
async function findAttached(ctx: Ctx, name: string): Promise<BucketRow> {
  allow(ctx.actor, 'manage', name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  if (bucket.mode === null) throw notAttached(name)
  return bucket
}
export const notAttached = (name: string): ServiceError =>
  new ServiceError('conflict', `The bucket "${name}" is not attached: its objects are Strongroom's own.`)

/** Queues a scan, unless one is queued or running already; returns either. */
export async function startScan(ctx: Ctx, name: string): Promise<Scan> {
  const { id, mode } = await findAttached(ctx, name)
  if (mode === 'releasing') throw new ServiceError('conflict', `The bucket "${name}" is being released.`)
  const row = await ctx.upkeep(async (step) => {
    if (!(await store.lockAttachment(step.tx, id))) throw bucketMissing(name)
    return queueScan(step, id, 'request')
  })
  ctx.background(() => runScans(ctx))
  return describeScan(row, name)
}

/** The scans of an attached bucket, latest first. */
export async function listScans(ctx: Ctx, name: string, limit: number, cursor: string | undefined) {
  const { id } = await findAttached(ctx, name)
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listScans(ctx.db, id, before, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, (row) => [row.id])
  return { items: page.map((row) => describeScan(row, name)), next_cursor }
}

/** The scans that wait for confirmation, of attached buckets that the caller manages, by the names of these. */
export const listHeld = async ({ db, actor }: Ctx, limit: number) =>
  (await store.listHeld(db)).filter(({ name }) => refusal(actor, 'manage', name) === null).slice(0, limit)

const scanMissing = () => new ServiceError('not_found', 'There is no such scan.')

/** A scan of a bucket that the caller manages. Everyone else gets the same 404 whether it exists or not. */
async function find(ctx: Ctx, id: string): Promise<store.ScanRow & { name: string }> {
  const row = await store.findScan(ctx.db, id)
  if (!row) throw scanMissing()
  try {
    allow(ctx.actor, 'manage', row.name)
  } catch (error) {
    throw error instanceof ServiceError ? scanMissing() : error
  }
  return row
}

export async function getScan(ctx: Ctx, id: string): Promise<Scan> {
  const { name, ...row } = await find(ctx, id)
  return describeScan(row, name)
}

/** The objects that a scan did not find and that were not marked yet, in key order. */
export async function listAbsences(ctx: Ctx, id: string, limit: number, cursor: string | undefined) {
  const { bucket_id } = await find(ctx, id)
  const [after] = decodeCursor(cursor, 1) ?? []
  const rows = await listAbsent(ctx.db, { scanId: id, bucketId: bucket_id, after }, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ object }) => [object.key])
  const items = page.map(
    ({ object: { key, size, last_modified }, external: { missing_since } }): Absence => ({
      key,
      size,
      last_modified,
      missing_since,
    }),
  )
  return { items, next_cursor }
}

/** Has a held scan mark what it did not find; for administrators. Only the latest one of its bucket, while none runs. */
export async function confirmScan(ctx: Ctx, id: string): Promise<Scan> {
  const { name, bucket_id } = await find(ctx, id)
  await ctx.act(async (step) => {
    const { tx, record } = step
    await store.lockAttachment(tx, bucket_id)
    const scan = await store.findScan(tx, id)
    if (!scan) throw scanMissing()
    const { status, held_reason, absent } = scan
    if (status === 'superseded')
      throw new ServiceError('conflict', 'A later scan has ended since. Look at that one instead.')
    if (status !== 'held') throw new ServiceError('conflict', 'The scan is not held.')
    if (held_reason !== 'many_missing' && held_reason !== 'empty')
      throw new ServiceError('conflict', 'The scan did not read the whole list. Start another one.')
    if (await store.findOpenScan(tx, bucket_id))
      throw new ServiceError('conflict', 'Another scan of the bucket is running. Wait for its end.')
    const confirmed_at = step.now().toISOString()
    await store.updateScan(tx, id, {
      status: 'queued',
      phase: 'marking',
      finished_at: null,
      detail: null,
      confirmed_at,
      confirmed_by: ctx.actor.user_id,
    })
    const details = { scan_id: id, absent, held_reason }
    record({ name: 'scan_confirm', bucket: name, resource: { type: 'scan', id }, details })
  })
  ctx.background(() => runScans(ctx))
  return getScan(ctx, id)
}

/** A scan as the API returns it. */
export const describeScan = (row: store.ScanRow, bucket: string): Scan => ({
  id: row.id,
  bucket,
  status: row.status,
  phase: row.phase,
  trigger: row.started_by,
  position: row.position,
  seen: row.seen,
  added: row.added,
  changed: row.changed,
  absent: row.absent,
  missing: row.missing,
  removed: row.removed,
  refused: row.refused,
  refused_keys: JSON.parse(row.refused_keys),
  held_reason: row.held_reason,
  detail: row.detail,
  created_at: row.created_at,
  created_by: row.created_by,
  started_at: row.started_at,
  finished_at: row.finished_at,
  confirmed_by: row.confirmed_by,
})
