import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { systemActor } from '../../access/actors.ts'
import { compareIn, type KeyOrder } from '../../base/key-order.ts'
import { writeOut } from '../../blobs/write-out.ts'
import { type Ctx, currentActor } from '../../context.ts'
import { type ListedPage, ListingDisordered } from '../../drivers/external.ts'
import { storageOf } from '../../drivers/routing/ids.ts'
import { type Claim, renewed } from '../../work/lease.ts'
import { notePlaces } from '../external-objects/apply-changes.ts'
import { freezeStep, giveBackStep, holdFrozen, thawStep } from '../external-objects/release/freeze.ts'
import { type Attachment, findReleasing, listReleasable, type Releasable } from '../external-objects/release/store.ts'
import { pointAtWritten, type Written } from '../external-objects/repoint.ts'
import { listUnsorted } from '../external-objects/scan-state/store.ts'
import { describedOf } from '../objects/described.ts'
import type { ItemError } from '../objects/item-error.ts'
import { copyError, isFault } from '../objects/transfers/copies.ts'
import { holdStorage } from '../storages/use.ts'
import { keepAlive } from './keep-alive.ts'
import { lease } from './lease.ts'
import type { CreateJob } from './request.ts'
import * as store from './store.ts'
import { enough } from './walk.ts'

/** Objects that are looked at in one step, and written at the same time. */
const ROWS = 250
const AT_ONCE = 8
/** Objects of a page of an engine's list. */
const PAGE = 1000

/**
 * Where a job is: it writes all objects, then compares the list in byte order. Where that differs, the list may be by path
 * segments: then it notes of each object where it is in such a list, and compares that.
 */
interface Progress {
  phase: 'writing' | 'comparing' | 'sorting'
  after: string
  /** How the engine orders its list; without it by the bytes of the keys. */
  order?: KeyOrder
  /** Where the list in byte order differs. */
  difference?: string
}
const START: Progress = { phase: 'writing', after: '' }

function assertMayRelease({ groups }: Ctx['actor']): void {
  if (!isAdmin(groups)) throw new ServiceError('forbidden', 'Only administrators may release a bucket.')
}

/** Lets nothing of the bucket change from now on; its objects are written step by step. */
export async function beginRelease(ctx: Ctx, claim: Claim, request: CreateJob): Promise<void> {
  await ctx.act(async (step) => {
    const { tx } = step
    const { id: job_id } = await lease.hold(tx, claim)
    assertMayRelease(await currentActor(step))
    const storage_id = await holdStorage(tx, request.dest_storage ?? '', { forOwn: false })
    if (storage_id === null) throw new Error('Objects are not released to the default storage')
    const prefix = request.dest_prefix ?? ''
    const { objects } = await freezeStep(step, request.source_bucket, { job_id, storage_id, prefix })
    if (objects === 0) await giveBackStep(step, job_id, 'bytes')
    const listed_at = step.now().toISOString()
    await store.updateJob(tx, job_id, { total: objects, listed_at, listed_to: JSON.stringify(START), ...renewed(step) })
  })
}

/** Ends the freeze if a job ends without having released its bucket. */
export async function thaw(ctx: Ctx, claim: Claim): Promise<void> {
  const { kind } = await lease.find(ctx.db, claim)
  if (kind !== 'release') return
  await ctx.as(systemActor).act(async (step) => {
    const { id } = await lease.hold(step.tx, claim)
    return (await thawStep(step, id)) ? undefined : step.nothing(undefined)
  })
}

/** Writes the next objects, or compares the next part of the list; in the end the bucket shows what was written. */
export async function releaseStep(ctx: Ctx, claim: Claim, job: store.JobRow): Promise<void> {
  assertMayRelease(ctx.actor)
  const attachment = await findReleasing(ctx.db, job.id)
  if (!attachment) throw new ServiceError('conflict', 'The bucket is not being released any more.')
  const progress = JSON.parse(job.listed_to ?? JSON.stringify(START)) as Progress
  const { phase, after } = progress
  if (phase === 'writing') await writeStep(ctx, claim, attachment, after)
  else if (phase === 'sorting') await sortStep(ctx, claim, attachment, progress)
  else await compareStep(ctx, claim, attachment, progress)
}

/** The place to which a bucket is released. */
const placeOf = ({ release_storage_id, release_prefix }: Attachment) => ({
  storage: release_storage_id as number,
  prefix: release_prefix ?? '',
})

async function writeStep(ctx: Ctx, claim: Claim, attachment: Attachment, after: string): Promise<void> {
  const { bucket_id } = attachment
  const { storage, prefix } = placeOf(attachment)
  const isThere = ({ blob_id, key, engine_key }: Releasable) =>
    engine_key === prefix + key && storageOf(blob_id) === storage
  const listed = await listReleasable(ctx.db, bucket_id, { after, to: null, order: 'bytes', prefix }, ROWS)
  const { rows } = enough(listed.map((row) => ({ ...row, elsewhere: !isThere(row) })))
  const waiting = rows.filter((row) => row.elsewhere)
  const written: Written[] = []
  const errors: ItemError[] = []
  const failures: unknown[] = []
  const tick = keepAlive(ctx, claim)
  const writeNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next && failures.length === 0; next = waiting.shift()) {
      const { elsewhere: _, md5, engine_key: _key, engine_etag: _etag, ...row } = next
      try {
        const to = { storage, key: prefix + row.key, description: describedOf(row) }
        written.push({ row, ref: await writeOut(ctx, { ...row, md5 }, to, tick) })
      } catch (error) {
        if (!isFault(error)) failures.push(error)
        else errors.push(copyError(row.key, error))
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, writeNext))
  if (failures.length > 0) throw failures[0]
  const last = rows.at(-1)
  await ctx.upkeep(async (step) => {
    const held = await lease.hold(step.tx, claim)
    await holdFrozen(step, bucket_id, held.id)
    await pointAtWritten(step, storage, written)
    const failed = held.failed + errors.length
    const done = held.done + rows.length - errors.length
    const known = JSON.parse(held.errors) as ItemError[]
    const next: Progress = last ? { phase: 'writing', after: last.key } : { phase: 'comparing', after: '' }
    await store.updateJob(step.tx, held.id, {
      done,
      failed,
      listed_to: JSON.stringify(next),
      // Less than all until the list was compared.
      position: Math.min(done + failed, held.total - 1),
      ...(errors.length > 0 ? { errors: JSON.stringify([...known, ...errors].slice(0, store.MOST_ERRORS)) } : {}),
      ...renewed(step),
    })
  })
  const { failed } = await lease.find(ctx.db, claim)
  if (!last && failed > 0)
    throw new ServiceError(
      'conflict',
      `${failed.toLocaleString('en')} of the objects could not be written, so the bucket stays as it was.`,
    )
}

async function note(ctx: Ctx, claim: Claim, next: Progress): Promise<void> {
  await ctx.upkeep(async (step) => {
    const { id } = await lease.hold(step.tx, claim)
    await store.updateJob(step.tx, id, { listed_to: JSON.stringify(next), ...renewed(step) })
  })
}

/** Notes of the next objects where they are in a list by path segments; after the last one, that list is compared. */
async function sortStep(ctx: Ctx, claim: Claim, { bucket_id }: Attachment, progress: Progress): Promise<void> {
  const { after } = progress
  const rows = await listUnsorted(ctx.db, bucket_id, after, ROWS)
  const last = rows.at(-1)
  if (!last) return note(ctx, claim, { ...progress, phase: 'comparing', after: '', order: 'segments' })
  await ctx.upkeep((step) => notePlaces(step, rows))
  await note(ctx, claim, { ...progress, after: last.key })
}

/** Compares a page of the list with what was written. Throws conflict where they differ. */
async function compareStep(ctx: Ctx, claim: Claim, attachment: Attachment, progress: Progress): Promise<void> {
  const { after, order = 'bytes' } = progress
  const { bucket_id } = attachment
  const { storage, prefix } = placeOf(attachment)
  const source = await ctx.blobs.source(storage)
  const differs = (key: string) =>
    new ServiceError(
      'conflict',
      `The storage does not list what was written: the first difference is at “${progress.difference ?? key}”. The bucket stays as it was.`,
    )
  const page = await source
    .list(prefix, { order, ...(after === '' ? {} : { after: prefix + after }) })
    .catch((error: unknown) => {
      if (!(error instanceof ListingDisordered)) throw error
      if (progress.difference !== undefined) throw differs(progress.difference)
      if (order === 'bytes' && error.order === 'segments') return undefined
      throw error
    })
  if (!page) return note(ctx, claim, { phase: 'sorting', after: '' })
  const [odd] = page.refused
  if (odd) throw differs(odd.key)
  const end = page.next === undefined ? null : (page.objects.at(-1)?.key.slice(prefix.length) ?? after)
  const rows = await listReleasable(ctx.db, bucket_id, { after, to: end, order, prefix }, PAGE + 1)
  const difference = firstDifference(page, rows, { prefix, order })
  if (difference !== undefined) {
    if (order === 'segments') throw differs(difference)
    return note(ctx, claim, { phase: 'sorting', after: '', difference })
  }
  if (end !== null) {
    await note(ctx, claim, { ...progress, after: end })
    return
  }
  await ctx.act(async (step) => {
    const { id, total } = await lease.hold(step.tx, claim)
    await giveBackStep(step, id, order)
    await store.updateJob(step.tx, id, { position: total, ...renewed(step) })
  })
}

/** The first key at which a page of the list is not what was written; undefined if there is none. */
function firstDifference(
  page: Pick<ListedPage, 'objects'>,
  rows: readonly Releasable[],
  { prefix, order }: { prefix: string; order: KeyOrder },
): string | undefined {
  const listed = page.objects.map(({ key, size, etag }) => ({ key: key.slice(prefix.length), size, etag }))
  for (let i = 0; i < Math.max(listed.length, rows.length); i++) {
    const [there, ours] = [listed[i], rows[i]]
    if (there?.key !== ours?.key || there?.size !== ours?.size || there?.etag !== ours?.engine_etag)
      return [there?.key, ours?.key].filter((key) => key !== undefined).toSorted((a, b) => compareIn(order, a, b))[0]
  }
  return undefined
}
