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
import type { CreateJob } from '../request.ts'
import * as store from '../store.ts'
import { enough, type Place, pointAtCopies, switchStorage, walk } from '../walk.ts'

/** How often a bucket's contents are walked through at most: what is restored or copied meanwhile may be behind the walk. */
const MOST_WALKS = 20

/** Where a job is. */
interface Progress extends Place {
  /** Starts at 1. */
  walk: number
  /** How many blobs were moved in this walk. */
  moved: number
}
const START: Progress = { walk: 1, table: 'objects', after: null, moved: 0 }

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
    await store.updateJob(step.tx, id, { total: contents, listed_at, ...renewed(step) })
    return { turned, id, contents, listed_at }
  }
  const begun = await ctx.act(async (step) => {
    const begun = await begin(step)
    return begun.turned ? begun : step.nothing(begun)
  })
  if (!begun.turned)
    await ctx.upkeep(async (step) => {
      const { id } = await lease.hold(step.tx, claim)
      await store.updateJob(step.tx, id, { total: begun.contents, listed_at: begun.listed_at, ...renewed(step) })
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
  const at = job.listed_to === null ? START : (JSON.parse(job.listed_to) as Progress)
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
  const moved = at.moved + copies.ids.size
  const next = whole ? found.next : { table: at.table, after: rows.at(-1)?.at ?? at.after }
  const isOver = next === null && (moved === 0 || at.walk === MOST_WALKS)
  const progress = next === null ? { ...START, walk: at.walk + 1 } : { ...next, walk: at.walk, moved }
  await ctx.upkeep(async (step) => {
    const held = await lease.hold(step.tx, claim)
    if (copies.ids.size > 0) await pointAtCopies(step, bucketId, copies.ids)
    const first = at.walk === 1
    const failed = held.failed + (first ? errors.length : 0)
    const seen = first ? Math.min(held.total, held.done + held.failed + rows.length) : held.done + held.failed
    const done = Math.max(held.done, seen - failed)
    const total = isOver ? done + failed : held.total
    const known = JSON.parse(held.errors) as ItemError[]
    await store.updateJob(step.tx, held.id, {
      done,
      failed,
      total,
      // Less than all until the last walk is over.
      position: isOver ? total : Math.min(done + failed, held.total - 1),
      listed_to: JSON.stringify(progress),
      ...(first && errors.length > 0
        ? { errors: JSON.stringify([...known, ...errors].slice(0, store.MOST_ERRORS)) }
        : {}),
      ...renewed(step),
    })
  })
}
