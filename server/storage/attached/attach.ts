import type { Bucket } from '../../../contract/buckets.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { DEFAULT_STORAGE } from '../../../contract/storages.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import { allow, type Ctx } from '../../context.ts'
import { explain } from '../../drivers/explain.ts'
import { type Where, whereOf } from '../../drivers/routing/open.ts'
import { findInstanceId, findStorage } from '../../drivers/routing/store.ts'
import type { CreateBucket } from '../buckets/create.ts'
import { getBucket } from '../buckets/service.ts'
import { asPrefix, storageMissing } from '../storages/place.ts'
import { ownerAt, reach } from '../storages/reach.ts'
import { holdToAttach } from '../storages/use.ts'
import { runScans } from './scans/scan.ts'
import { queueScan } from './scans/schedule.ts'
import * as store from './store.ts'

export interface AttachBucket extends CreateBucket {
  /** What of the engine's bucket to show; default: what is under the storage's prefix. */
  prefix?: string | undefined
}

/** What a bucket cannot have whose objects others keep. */
const OF_OWNED = [
  'quota_gb',
  'history_quota_gb',
  'quota_includes_history',
  'trash_days',
  'versioning',
  'object_lock',
  'encryption',
] as const

/**
 * Creates a bucket that shows what others keep on a storage, and queues the scan that finds it; for administrators. Throws
 * conflict if the storage cannot be listed, or if what is to be shown overlaps with bytes of our own or with what another
 * bucket shows.
 */
export async function attachBucket(ctx: Ctx, given: AttachBucket): Promise<Bucket> {
  const { name, storage } = given
  allow(ctx.actor, 'create', name)
  if (!isAdmin(ctx.actor.groups)) throw new ServiceError('forbidden', 'Only administrators may attach a bucket.')
  const other = OF_OWNED.find((field) => given[field] !== undefined && given[field] !== null)
  if (other) throw invalid(`body.${other}`, 'is not possible for a bucket whose objects others keep')
  if (storage === undefined || storage === DEFAULT_STORAGE)
    throw invalid('body.storage', 'must name a registered storage')
  const row = await findStorage(ctx.db, storage)
  if (!row) throw storageMissing(storage)
  const where = whereOf(ctx.config, row)
  if (where.kind !== 's3') throw invalid('body.storage', 'must be of the kind s3')
  const prefix = asPrefix(given.prefix ?? row.prefix)
  if (row.disabled_at === null && ctx.config.storagesEnabled)
    await assertShowable(ctx, { ...where, s3: { ...where.s3, prefix } })
  const created_at = ctx.now().toISOString()
  await ctx.act(async (step) => {
    const { tx, record } = step
    const { id: storage_id } = await holdToAttach(step, storage, prefix)
    const bucket = await store.insertBucket(tx, {
      id: newId(),
      name,
      trash_days: 0,
      versioning: null,
      object_lock: null,
      storage_id,
      mode: 'read_only',
      created_at,
      created_by: ctx.actor.user_id,
      deleted_at: null,
    })
    if (!bucket) throw new ServiceError('already_exists', `Bucket "${name}" already exists.`)
    const times = { as_of: null, changed_at: null, events_at: null, scanned_at: null }
    await store.insertAttachment(tx, { bucket_id: bucket.id, storage_id, prefix, weak: 0, ...times })
    await queueScan(step, bucket.id, 'attach')
    const details = { quota_gb: null, trash_days: 0, storage, mode: 'read_only' as const, prefix }
    record({ name: 'create_bucket', bucket: name, details })
  })
  ctx.background(() => runScans(ctx))
  return getBucket(ctx, name)
}

/** Throws conflict unless a storage can be listed, and what is there is not our own under another address. */
async function assertShowable(ctx: Ctx, where: Where): Promise<void> {
  const refuse = (why: string, cause?: unknown) =>
    new ServiceError('conflict', `The storage cannot be shown. ${why}`, { cause })
  try {
    await reach(where)
  } catch (error) {
    throw refuse(explain(error), error)
  }
  const owner = await ownerAt(where).catch(() => null)
  if (owner?.split('/', 1)[0] === (await findInstanceId(ctx.db)))
    throw refuse('Strongroom keeps bytes of its own there.')
}
