import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../contract/errors.ts'
import type { Ctx } from '../context.ts'
import { evaluateConditions } from '../http/conditions.ts'
import { findShown, type ObjectRow } from '../objects/store.ts'
import { settingsInForce } from '../settings/service.ts'
import { countDownload } from '../usage/service.ts'
import { acceptedBy, asksForImage, type Limits, type Plan, planOf, readParameters, snap } from './parameters.ts'
import { PIPELINE } from './render.ts'
import { isBusy, type Principal, tooSlow } from './slots.ts'
import { assertUsable } from './source.ts'
import { boundsOf, derive, type Job, lookAt, release, type Studio, studioOf } from './studio.ts'

export { selfTest } from './render.ts'

export interface ImageOptions {
  cacheControl: string
  /** Whom the slots of a render are counted for: the id of a user or of a link. */
  principal: string
  /** Through a link: sides and quality on a ladder, and the slots of a link. */
  link?: boolean
  /** Always as an attachment. */
  download?: boolean
  /** Default: the last part of the key. */
  filename?: string | undefined
  disposition?: 'inline' | 'attachment' | undefined
  /** Called when there is an image to answer with, before anything of it is sent; what it throws is answered instead. */
  before?: () => Promise<void>
}

/** Whether a request asks for another image than the stored one. */
export const hasImageParameters = ({ query }: FastifyRequest): boolean => asksForImage(query)

/** Answers GET and HEAD of an object as an image by the query's parameters. The caller may read it: that was asked. */
export async function sendImage(
  ctx: Ctx,
  row: ObjectRow,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ImageOptions,
): Promise<FastifyReply> {
  const asked = readParameters(request.query)
  const parameters = options.link ? snap(asked) : asked
  const { images: limits } = await settingsInForce(ctx)
  if (row.size > limits.max_source_mb * 1024 * 1024)
    throw new ServiceError(
      'too_large',
      `The object has ${row.size} bytes; as an image it may have ${limits.max_source_mb} MiB.`,
    )
  const studio = studioOf(ctx.config)
  const accepted = parameters.format === 'auto' ? acceptedBy(request.headers.accept) : 'other'
  const answer = await within(limits.timeout_seconds, reply.raw, (signal, deadline) => {
    const bounds = boundsOf(ctx.config, limits)
    const principal = principalOf(options, limits, bounds.slots)
    const job = { ctx, row, principal, bounds, signal, deadline }
    return findAnswer(studio, job, request, (source) => planOf(parameters, source, accepted, limits))
  }).catch((error: unknown) => {
    if (isBusy(error) && !reply.raw.destroyed) studio.counts.refused++
    throw error
  })
  if (!('unchanged' in answer)) await options.before?.()

  reply.headers({
    etag: `"${answer.key}"`,
    'cache-control': options.cacheControl,
    ...(parameters.format === 'auto' ? { vary: 'Accept' } : {}),
  })
  if ('unchanged' in answer) return reply.code(304).send()
  reply.headers({
    'content-type': `image/${answer.plan.format}`,
    'content-disposition': dispositionOf(row, answer.plan, options),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  })
  countDownload(ctx, row.bucket_id, reply)
  if (answer.bytes) reply.header('content-length', answer.bytes.length)
  return request.method === 'HEAD' ? reply.send() : reply.send(answer.bytes)
}

type Answered = { key: string } & ({ unchanged: true } | { plan: Plan; bytes: Uint8Array | undefined })

async function findAnswer(
  studio: Studio,
  job: Job,
  request: FastifyRequest,
  planFor: (source: Parameters<typeof planOf>[1]) => Plan,
): Promise<Answered> {
  const { row } = job
  const looked = await lookAt(studio, job)
  let { held } = looked
  try {
    const { source } = looked
    assertUsable(source)
    const plan = planFor(source)
    const key = keyOf(row, plan)
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
    const conditions = { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }
    const verdict = evaluateConditions(conditions, { etag: key, last_modified: new Date(0) })
    if (verdict === 412) throw new ServiceError('precondition_failed', 'The image is not the one the conditions name.')
    if (verdict === 304) {
      studio.counts.unchanged++
      return { key, unchanged: true }
    }
    if (request.method === 'HEAD') return { key, plan, bytes: (await studio.cache.get(row.blob_id, key))?.bytes }
    const given = held
    held = undefined
    const { bytes } = await derive(studio, job, { source, plan, key }, given)
    return { key, plan, bytes }
  } finally {
    if (held) release(held)
  }
}

/** Names a derivative, and is its ETag: whatever could change its bytes is in it. */
const keyOf = ({ etag, blob_id }: ObjectRow, { width, height, fit, format, q, frames }: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify([PIPELINE, etag, blob_id, width, height, fit, format, q, frames]))
    .digest('base64url')

/**
 * Answers busy when work takes too long. A render that began goes on to its end, and what it makes is kept (I4); what
 * still waits is given up then, and when the client leaves.
 */
function within<T>(
  seconds: number,
  client: ServerResponse,
  work: (signal: AbortSignal, deadline: number) => Promise<T>,
): Promise<T> {
  const giveUp = new AbortController()
  const leave = () => giveUp.abort()
  client.once('close', leave)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      giveUp.abort()
      reject(tooSlow())
    }, seconds * 1000)
    work(giveUp.signal, performance.now() + seconds * 1000)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        client.off('close', leave)
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

/** What the images of this process did so far, and what they do now. */
export const imageStatus = ({ config }: Ctx) => {
  const { counts, slots, cache, sources } = studioOf(config)
  // Both count bytes: those that renders made, and those of sources in memory.
  const { bytes: source_bytes, ...now } = slots.now()
  return { ...counts, ...now, source_bytes, cache_bytes: cache.used(), sources: sources.size }
}

const BATCH = 500
/** Removes what is kept of contents that were deleted or replaced. */
export const imageCacheWorker = {
  name: 'image-cache',
  every: 60_000,
  local: true as const,
  async run(ctx: Ctx): Promise<void> {
    const { cache, sources } = studioOf(ctx.config)
    await cache.ready()
    const blobs = [...new Set([...cache.blobs(), ...sources.keys()])]
    for (let i = 0; i < blobs.length; i += BATCH) {
      const batch = blobs.slice(i, i + BATCH)
      const shown = new Set(await findShown(ctx.db, batch))
      const gone = new Set(batch.filter((id) => !shown.has(id)))
      for (const id of gone) sources.delete(id)
      await cache.purge(gone)
    }
  },
}
