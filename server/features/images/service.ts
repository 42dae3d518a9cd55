import { createHash } from 'node:crypto'
import path from 'node:path'
import { create as contentDisposition } from 'content-disposition'
import { ServiceError } from '../../../contract/errors.ts'
import { spendRead } from '../../access/agent-limits/budget.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import type { Ctx } from '../../context.ts'
import { type EntityTags, matchesStrongly, matchesWeakly } from '../../http/conditions.ts'
import { findReferenced, type ObjectRow } from '../../storage/objects/store.ts'
import { acceptedBy, type Limits, type Plan, planOf, readParameters, snap } from './parameters.ts'
import { boundsOf, derive, type Job, lookAt, type Pipeline, pipelineOf, release } from './pipeline.ts'
import { RENDERER } from './render.ts'
import { isBusy, type Principal, tooSlow } from './slots.ts'
import { assertUsable } from './source.ts'

export interface ImageOptions {
  /** Whose render slots this uses: a user's or link's id. */
  principal: string
  /** Through a link: sides and quality are rounded to fixed steps, and the link's slots apply. */
  link?: boolean
  /** Always answer with an attachment. */
  download?: boolean
  /** Default: the key's last segment. */
  filename?: string | undefined
  disposition?: 'inline' | 'attachment' | undefined
}

/** A request for an image. */
export interface AskedImage {
  /** The URL's parameters, as received. */
  query: unknown
  accept: string | undefined
  ifMatch: EntityTags | undefined
  ifNoneMatch: EntityTags | undefined
  /** False: return only what would be answered (HEAD). */
  bytes: boolean
  /** Aborted when the client disconnects, which abandons waiting work. */
  signal: AbortSignal
}
/** An image to answer with; `unchanged` means the client already has it. */
export type FoundImage = { etag: string; varies: boolean } & (
  | { unchanged: true }
  | { unchanged: false; type: string; disposition: string; bytes: Uint8Array | undefined }
)

/** Finds or renders an object's image. The caller has already checked that the actor may read the object. */
export async function findImage(
  ctx: Ctx,
  row: ObjectRow,
  asked: AskedImage,
  options: ImageOptions,
): Promise<FoundImage> {
  const read = readParameters(asked.query)
  const parameters = options.link ? snap(read) : read
  const { images: limits } = await settingsInForce(ctx)
  if (row.size > limits.max_source_mb * 1024 * 1024)
    throw new ServiceError(
      'too_large',
      `The object has ${row.size} bytes; a source image may have at most ${limits.max_source_mb} MiB.`,
    )
  const pipeline = pipelineOf(ctx.config)
  // Of an agent, the image counts that it gets, and not what that is made of.
  const { agent: _agent, ...reader } = ctx.actor
  const reading = ctx.as(reader)
  const varies = parameters.format === 'auto'
  const accepted = varies ? acceptedBy(asked.accept) : 'other'
  const answer = await within(limits.timeout_seconds, asked.signal, (signal, deadline) => {
    const bounds = boundsOf(ctx.config, limits)
    const principal = principalOf(options, limits, bounds.slots)
    const job = { ctx: reading, row, principal, bounds, signal, deadline }
    return findAnswer(pipeline, job, asked, (source) => planOf(parameters, source, accepted, limits))
  }).catch((error: unknown) => {
    if (isBusy(error) && !asked.signal.aborted) pipeline.counts.refused++
    throw error
  })
  const { key: etag } = answer
  if ('unchanged' in answer) return { etag, varies, unchanged: true }
  const { plan, bytes } = answer
  if (bytes) await spendRead(ctx, bytes.length)
  const disposition = dispositionOf(row, plan, options)
  return { etag, varies, unchanged: false, type: `image/${plan.format}`, disposition, bytes }
}

type Answered = { key: string } & ({ unchanged: true } | { plan: Plan; bytes: Uint8Array | undefined })

async function findAnswer(
  pipeline: Pipeline,
  job: Job,
  asked: AskedImage,
  planFor: (source: Parameters<typeof planOf>[1]) => Plan,
): Promise<Answered> {
  const { row } = job
  const looked = await lookAt(pipeline, job)
  let { held } = looked
  try {
    const { source } = looked
    assertUsable(source)
    const plan = planFor(source)
    const key = keyOf(row, plan)
    if (asked.ifMatch !== undefined && !matchesStrongly(asked.ifMatch, key))
      throw new ServiceError('precondition_failed', 'The image does not match the conditions.')
    if (asked.ifNoneMatch !== undefined && matchesWeakly(asked.ifNoneMatch, key)) {
      pipeline.counts.unchanged++
      return { key, unchanged: true }
    }
    if (!asked.bytes) return { key, plan, bytes: (await pipeline.cache.get(row.blob_id, key))?.bytes }
    const given = held
    held = undefined
    const { bytes } = await derive(pipeline, job, { source, plan, key }, given)
    return { key, plan, bytes }
  } finally {
    if (held) release(held)
  }
}

/** A derivative's key and ETag: covers everything that can change its bytes. */
const keyOf = ({ etag, blob_id }: ObjectRow, { width, height, fit, format, q, frames }: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify([RENDERER, etag, blob_id, width, height, fit, format, q, frames]))
    .digest('base64url')

/**
 * Throws `busy` when work takes too long. A render that has started finishes, since libvips cannot be stopped, and its
 * result is cached; what is still waiting is abandoned then, or when the client disconnects.
 */
function within<T>(
  seconds: number,
  client: AbortSignal,
  work: (signal: AbortSignal, deadline: number) => Promise<T>,
): Promise<T> {
  const giveUp = new AbortController()
  const leave = () => giveUp.abort()
  client.addEventListener('abort', leave, { once: true })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      giveUp.abort()
      reject(tooSlow())
    }, seconds * 1000)
    work(giveUp.signal, performance.now() + seconds * 1000)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        client.removeEventListener('abort', leave)
      })
  })
}

function principalOf({ principal: id, link }: ImageOptions, limits: Limits, slots: number): Principal {
  return link
    ? { id, most: limits.slots_per_link ?? Math.max(1, Math.floor(slots / 2)) }
    : { id, most: limits.slots_per_user ?? Math.max(2, Math.ceil(slots * 0.75)) }
}

function dispositionOf(row: ObjectRow, { format }: Plan, { filename, download, disposition }: ImageOptions): string {
  const name = filename ?? row.key.split('/').findLast((segment) => segment !== '') ?? ''
  const stem = path.posix.basename(name, path.posix.extname(name)) || 'image'
  const type = download ? 'attachment' : (disposition ?? 'inline')
  return contentDisposition(`${stem}.${format === 'jpeg' ? 'jpg' : format}`, { type })
}

/** What this process's image pipeline has done so far, and what it is doing now. */
export const imageStatus = ({ config }: Ctx) => {
  const { counts, slots, cache, sources } = pipelineOf(config)
  // Both count bytes: those rendered, and those of sources in memory.
  const { bytes: source_bytes, ...now } = slots.now()
  return { ...counts, ...now, source_bytes, cache_bytes: cache.used(), sources: sources.size }
}

const BATCH = 500
/** Deletes cached images of contents that were deleted or replaced. */
export const imageCacheWorker = {
  name: 'image-cache',
  every: 60_000,
  local: true as const,
  async run(ctx: Ctx): Promise<void> {
    const { cache, sources } = pipelineOf(ctx.config)
    await cache.ready()
    const blobs = [...new Set([...cache.blobs(), ...sources.keys()])]
    for (let i = 0; i < blobs.length; i += BATCH) {
      const batch = blobs.slice(i, i + BATCH)
      const shown = new Set(await findReferenced(ctx.db, batch))
      const gone = new Set(batch.filter((id) => !shown.has(id)))
      for (const id of gone) sources.delete(id)
      await cache.purge(gone)
    }
  },
}
