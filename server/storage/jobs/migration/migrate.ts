import { ServiceError } from '../../../../contract/errors.ts'
import { isAdmin } from '../../../../contract/permissions.ts'
import { type Ctx, currentActor, type Step } from '../../../context.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { bucketMissing } from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import type { ItemError } from '../../objects/item-error.ts'
import { copyAll, copyError, type MadeCopies } from '../../objects/transfers/copies.ts'
import { keepAlive } from '../keep-alive.ts'
import { lease } from '../lease.ts'
import { noteWalked, progressOf } from '../progress.ts'
import type { CreateJob } from '../request.ts'
import * as store from '../store.ts'
import { enough, pointAtCopies, switchStorage, walk } from '../walk.ts'

/** Throws forbidden unless the caller may move buckets between storages. */
export function assertMayMigrate({ groups }: Ctx['actor']): void {
  if (!isAdmin(groups)) throw new ServiceError('forbidden', 'Only administrators may move a bucket to another storage.')
}

/** Has the bucket's new bytes go to the storage; what is there is moved step by step. */
export async function beginMigration(ctx: Ctx, claim: Claim, request: CreateJob): Promise<void> {
  const begin = async (step: Step) => {
    const { id } = await lease.hold(step.tx, claim)
    assertMayMigrate(await currentActor(step))
    const { turned, contents } = await switchStorage(step, request.source_bucket, request.dest_storage ?? '')
    const listed_at = step.now().toISOString()
    // At least one: what only snapshots keep is not counted, and has to be looked for.
    const total = Math.max(1, contents)
    await store.updateJob(step.tx, id, { total, listed_at, ...renewed(step) })
    return { turned, id, total, listed_at }
  }
  const begun = await ctx.act(async (step) => {
    const begun = await begin(step)
    return begun.turned ? begun : step.nothing(begun)
  })
  if (!begun.turned)
    await ctx.upkeep(async (step) => {
      const { id } = await lease.hold(step.tx, claim)
      await store.updateJob(step.tx, id, { total: begun.total, listed_at: begun.listed_at, ...renewed(step) })
    })
}

/** Moves the next blobs of the bucket that are on another storage. What cannot be read stays where it is, as an error. */
export async function migrateStep(
  ctx: Ctx,
  claim: Claim,
  { job, request, size }: { job: store.JobRow; request: CreateJob; size: number },
): Promise<void> {
  assertMayMigrate(ctx.actor)
  const bucket = await findBucket(ctx.db, request.source_bucket)
  if (!bucket) throw bucketMissing(request.source_bucket)
  const at = progressOf(job)
  const { id: bucketId, storage_id: storage } = bucket
  const found = await walk(ctx.db, at, { bucketId, storage, limit: size })
  const { rows, whole } = enough(found.rows)
  const copies: MadeCopies = { ids: new Map(), recoded: new Map(), faults: new Map() }
  const blobs = [...new Map(rows.filter((row) => row.elsewhere).map((row) => [row.blob_id, row])).values()]
  await copyAll(ctx, { blobs, storage }, { copies, tick: keepAlive(ctx, claim) })
  const errors = rows.flatMap(({ key, blob_id }): ItemError[] => {
    const fault = copies.faults.get(blob_id)
    return fault ? [copyError(key, fault)] : []
  })
  await noteWalked(ctx, claim, { at, found, rows, whole, changed: copies.ids.size, errors }, async (step) => {
    if (copies.ids.size === 0) return
    await pointAtCopies(step, bucketId, new Map([...copies.ids].map(([from, id]) => [from, { id }])))
  })
}
