// Forks: a bucket that begins as another was. Few objects are taken at once, many by a job, step by step.
import type { Bucket } from '../../../../contract/buckets.ts'
import { ServiceError } from '../../../../contract/errors.ts'
import { afterPrefix } from '../../../../contract/permissions.ts'
import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import { invalid } from '../../../base/invalid.ts'
import { formatMoment } from '../../../base/moment.ts'
import { allow, asCurrent, type Ctx, type Step } from '../../../context.ts'
import { drawMoment } from '../../../db/changes.ts'
import type { Row } from '../../../db/schema.ts'
import { type CreateBucket, prepareBucket } from '../../buckets/create.ts'
import { describeAll } from '../../buckets/describe.ts'
import { makeHidden } from '../../buckets/fork-steps.ts'
import { bucketMissing, holdBucket } from '../../buckets/service.ts'
import { holdWhole } from '../../buckets/soft-delete.ts'
import { findBucket } from '../../buckets/store.ts'
import { allowWhole, fillNext, noteFork, type Source } from '../../forks/fill.ts'
import { type ForkRow, listKeys } from '../../forks/store.ts'
import { asOf } from '../../history/former/as-of.ts'
import { assertKnown, momentOf } from '../../history/former/past.ts'
import { findLatest } from '../../history/former/store.ts'
import { keepBeginning, keepMoment, nameWhileFilling } from '../../history/snapshots/internal.ts'
import { readEnd } from '../../history/snapshots/service.ts'
import { findStorageNames } from '../../storages/use.ts'
import { runJobs } from '../runner.ts'
import { insertJobStep, newJob } from '../service.ts'

/** Most objects that are taken at once; of more, a job takes them. */
const AT_ONCE = 2000

interface NewFork extends CreateBucket {
  from: { bucket: string; at?: string | undefined; prefix?: string | undefined }
  expires_at?: string | undefined
}

function assertForkable({ mode, name }: Pick<Row<'buckets'>, 'mode' | 'name'>): void {
  if (mode === null) return
  const why = mode === 'filling' ? 'is not whole itself yet' : 'shows, or keeps, bytes on the storage of others'
  throw new ServiceError('read_only', `The bucket "${name}" ${why}, and cannot be forked. Copy its objects instead.`)
}

/**
 * Creates a bucket with what another one is, or was, under a prefix, by rows alone: the bytes are shared. Needs `create` on its
 * name, and `read` on all that it takes. Returns at once; where there are many objects, a job takes them, and until it has
 * ended the bucket is empty and cannot be changed. `also` is a step that is made with it, or neither is.
 */
export async function forkBucket(
  ctx: Ctx,
  { from, expires_at, ...given }: NewFork,
  also?: (step: Step) => Promise<void>,
): Promise<Bucket> {
  const { bucket: name, at, prefix = '' } = from
  if (given.storage !== undefined) throw invalid('body.storage', 'is that of the bucket it is forked from')
  const ends = expires_at === undefined ? null : readEnd(expires_at, ctx.now())
  if (ends !== null && given.object_lock)
    throw invalid('body.object_lock', 'is not possible in a bucket that ends by itself')
  const create = await prepareBucket(ctx, given, {})
  allowWhole(ctx.actor, { name, prefix })
  const origin = await findBucket(ctx.db, name)
  if (!origin) throw bucketMissing(name)
  assertForkable(origin)
  const past = at === undefined ? null : await momentOf(ctx, origin, { text: at, path: 'body.from.at' })
  const reading = past === null ? ctx.db : asOf(ctx.db, { bucketId: origin.id, moment: past })
  const range = { from: prefix, to: afterPrefix(prefix) }
  const found = await listKeys(reading, origin.id, range, { after: null, limit: AT_ONCE + 1 })
  const isSmall = found.length <= AT_ONCE
  await ctx.act(async (begun) => {
    const step = await asCurrent(begun)
    const { tx } = step
    // Nothing of it changes meanwhile: later changes have later moments.
    const held = await holdWhole(tx, name)
    allow(step.actor, 'create', given.name)
    allowWhole(step.actor, { name, prefix })
    if (held?.id !== origin.id) throw bucketMissing(name)
    assertForkable(held)
    // What is known of the past may have been deleted since.
    if (past !== null) await assertKnown(tx, held, { moment: past, path: 'body.from.at' })
    const moment = past ?? (await drawMoment(tx, await findLatest(tx, held.id)))
    const storage = (await findStorageNames(tx, [held])).get(held.storage_id) ?? DEFAULT_STORAGE
    const described = { bucket: name, moment: formatMoment(moment), prefix }
    await create(step, { storage, mode: isSmall ? null : 'filling', from: described, expires_at: ends })
    const row = await holdWhole(tx, given.name)
    if (!row) throw new Error('A bucket that was just created is not there')
    const fork = { origin_id: held.id, origin_moment: moment, prefix, expires_at: ends }
    if (isSmall) await fillAtOnce(step, row, { fork, source: { id: held.id, name, prefix, moment: past } })
    else await queueFilling(step, ctx, row, { fork, name })
    await also?.(step)
  })
  if (!isSmall) ctx.background(() => runJobs(ctx))
  const row = await findBucket(ctx.db, given.name)
  if (!row) throw bucketMissing(given.name)
  const [bucket] = await describeAll(ctx, [row])
  return bucket as Bucket
}

type NewForkRow = Pick<ForkRow, 'origin_id' | 'origin_moment' | 'prefix' | 'expires_at'>

/** Step: takes all objects at once. */
async function fillAtOnce(
  step: Step,
  { id, name }: { id: string; name: string },
  { fork, source }: { fork: NewForkRow; source: Source },
): Promise<void> {
  const sum = { objects: 0, erased: 0 }
  for (let after: string | null = null, isOver = false; !isOver; ) {
    const filled = await fillNext(step, await holdBucket(step.tx, name), source, { after, limit: AT_ONCE })
    sum.objects += filled.objects
    sum.erased += filled.erased
    after = filled.last
    isOver = filled.isOver
  }
  await noteFork(step, { bucket_id: id, ...fork, ...sum, filled_at: step.now().toISOString() })
  await keepBeginning(step, id)
}

/** Step: has a job take the objects into a bucket that nobody sees; until it is whole, the one made has its name. */
async function queueFilling(
  step: Step,
  ctx: Ctx,
  placeholder: Row<'buckets'>,
  { fork, name }: { fork: NewForkRow; name: string },
): Promise<void> {
  const id = await makeHidden(step, placeholder)
  await keepMoment(step, fork.origin_id, { name: nameWhileFilling(id), moment: fork.origin_moment })
  const job = newJob(ctx, { kind: 'fork', source_bucket: name, prefix: fork.prefix, dest_bucket: placeholder.name })
  await insertJobStep(step, job)
  await noteFork(step, { bucket_id: id, ...fork, placeholder_id: placeholder.id, job_id: job.id })
}
