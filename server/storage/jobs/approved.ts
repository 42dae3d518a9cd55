// What jobs of agents touch that a user has to approve first: listed before, and again when the job has its list.
import { createHash } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import { type JobPlan, needsJobApproval } from '../../access/agent-limits/approvals/ask.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { bucketMissing } from '../buckets/service.ts'
import { findLatest } from '../history/former/store.ts'
import { findStates, type ObjectState } from '../objects/object-state.ts'
import { findObjects } from '../objects/store.ts'
import { destination } from '../objects/transfers/bulk.ts'
import * as itemStore from './items/store.ts'
import { listStep } from './listing.ts'
import type { CreateJob } from './request.ts'

/** Most objects of a job that has to be approved: more are not read by one request. */
const MOST = 100_000
const FIRST = 100
const ITEMS_AT_ONCE = 2000

/** Jobs that act on a list of objects. */
const LISTED: ReadonlySet<string> = new Set(['copy', 'move', 'delete', 'empty_bucket', 'tag'])
/** Whether that is told by the list; what is compared with a list of others takes too long. */
const isListed = ({ kind, needed }: CreateJob): boolean => LISTED.has(kind) && needed === undefined

interface Buckets {
  source: string
  dest: string
}

/** The buckets that a job was asked for about (`withIds`). Throws not_found where one was not there. */
function bucketsOf({ source_bucket, source_id: source, dest_bucket, dest_id }: CreateJob): Buckets {
  if (source === undefined) throw bucketMissing(source_bucket)
  if (dest_bucket === undefined) return { source, dest: source }
  if (dest_id === undefined) throw bucketMissing(dest_bucket)
  return { source, dest: dest_id }
}

/** What jobs that act on no list of objects are about: their buckets as they are. A restore only takes back what its job did. */
async function stateOfBuckets({ db }: Pick<Ctx, 'db'>, request: CreateJob, { source, dest }: Buckets): Promise<string> {
  if (request.kind === 'restore') return 'restore'
  return JSON.stringify([await findLatest(db, source), source === dest ? null : await findLatest(db, dest)])
}

/** What tells these objects apart from others, as texts: what they are, and what is where they would go. */
async function textsOf(
  db: Db,
  request: CreateJob,
  dest: string,
  objects: readonly { key: string; seen: ObjectState | undefined }[],
): Promise<string[]> {
  const { kind, prefix = '', dest_prefix = '' } = request
  const isTransfer = kind === 'copy' || kind === 'move'
  const goesTo = (key: string) =>
    isTransfer ? destination(key, dest_prefix, key.startsWith(prefix) ? prefix : undefined) : null
  const known = (one: ObjectState | undefined) => one && [one.blob_id, one.last_modified, Number(one.moment)]
  const pairs = objects.map((one) => ({ ...one, to: goesTo(one.key) }))
  const states = await findStates(
    db,
    dest,
    pairs.flatMap(({ to }) => to ?? []),
  )
  const there = new Map(states.map((one) => [one.key, one]))
  return pairs.map(({ key, seen, to }) =>
    JSON.stringify([key, known(seen) ?? null, (to !== null && known(there.get(to))) || null]),
  )
}

/** What a job would touch, if it is an agent's that needs approval. Throws limit_reached where that is too much for one request. */
export async function planForApproval(ctx: Ctx, request: CreateJob): Promise<JobPlan | undefined> {
  if (!needsJobApproval(ctx, request)) return undefined
  const buckets = bucketsOf(request)
  if (!isListed(request)) return { state: await stateOfBuckets(ctx, request, buckets), objects: 0, bytes: 0, first: [] }
  const sum = createHash('sha256')
  const plan = { objects: 0, bytes: 0, first: [] as { bucket: string; key: string; size: number }[] }
  for (let listedTo: string | null = null, isOver = false; !isOver; ) {
    const to: string | null = listedTo
    // A transaction for each page, as the job itself will list them.
    const page = await ctx.upkeep(async (step) => {
      const { keys, next } = await listStep(step, buckets.source, request, to)
      const found = new Map((await findStates(step.tx, buckets.source, keys)).map((one) => [one.key, one]))
      const sizes = new Map(
        (await findObjects(step.tx, buckets.source, keys)).map(({ key, size }) => [key, Number(size)]),
      )
      const objects = keys.map((key) => ({ key, seen: found.get(key) }))
      return { objects, sizes, next, texts: await textsOf(step.tx, request, buckets.dest, objects) }
    })
    for (const text of page.texts) sum.update(text)
    for (const { key } of page.objects) {
      const size = page.sizes.get(key) ?? 0
      plan.objects++
      plan.bytes += size
      if (plan.first.length < FIRST) plan.first.push({ bucket: request.source_bucket, key, size })
    }
    if (plan.objects > MOST)
      throw new ServiceError(
        'limit_reached',
        `A job that has to be approved may be about ${MOST} objects at most. Ask for parts of it, by prefix or query.`,
      )
    listedTo = page.next
    isOver = page.next === null
  }
  return { state: sum.digest('hex'), ...plan }
}

/** Step: once a job has its list, throws unless that is what was approved. */
export async function assertAsApproved({ tx }: Upkeep, jobId: string, request: CreateJob): Promise<void> {
  if (request.approved === undefined) return
  const buckets = bucketsOf(request)
  if ((await stateNow()) === request.approved) return
  throw new ServiceError('conflict', 'What the job would do has changed since it was approved. It has done nothing.')

  async function stateNow(): Promise<string> {
    if (!isListed(request)) return stateOfBuckets({ db: tx }, request, buckets)
    const sum = createHash('sha256')
    for (let after = 0, isOver = false; !isOver; ) {
      const items = await itemStore.listItems(tx, jobId, after, ITEMS_AT_ONCE)
      const seen = items.map(({ key, blob_id, last_modified, seen: moment }) => ({
        key,
        seen: last_modified === null || blob_id === null ? undefined : { key, blob_id, last_modified, moment },
      }))
      for (const text of await textsOf(tx, request, buckets.dest, seen)) sum.update(text)
      after = items.at(-1)?.position ?? after
      isOver = items.length < ITEMS_AT_ONCE
    }
    return sum.digest('hex')
  }
}
