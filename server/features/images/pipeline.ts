import { free } from '../../base/free.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import { type Cache, createCache, type Entry } from './cache.ts'
import type { Source, Unusable } from './kinds.ts'
import type { Limits, Plan } from './parameters.ts'
import { heldPixels, isTimeout, RENDERER, render } from './render.ts'
import { type Bounds, createSlots, isBusy, type Principal, type Slot, type Slots, tooSlow } from './slots.ts'
import { brokenSource, inspect, readSource } from './source.ts'

/** Counters since the start, for metrics. */
export interface Counts {
  /** Sources whose header was read. */
  inspected: number
  renders: number
  failed: number
  /** Answered from the cache, by another request's render, and with 304. */
  hits: number
  joined: number
  unchanged: number
  /** Answered 503. */
  refused: number
  /** Milliseconds that renders waited for a slot. */
  waited_ms: number
  /** Bytes rendered. */
  bytes: number
  /** Milliseconds spent rendering, by format. */
  render_ms: { [format: string]: number }
}
/** The image pipeline of this process. */
export interface Pipeline {
  sources: Map<string, Source | Unusable>
  inspecting: Map<string, Promise<Source | Unusable>>
  rendering: Map<string, Promise<Entry>>
  cache: Cache
  slots: Slots
  counts: Counts
}

export const pipelineOf = perSystem(
  (config: Config): Pipeline => ({
    sources: new Map(),
    inspecting: new Map(),
    rendering: new Map(),
    cache: createCache(config.imageCacheDir, config.imageCacheBytes),
    slots: createSlots(),
    counts: {
      inspected: 0,
      renders: 0,
      failed: 0,
      hits: 0,
      joined: 0,
      unchanged: 0,
      refused: 0,
      waited_ms: 0,
      bytes: 0,
      render_ms: {},
    },
  }),
)

const MEGA = 1_000_000
const MIB = 1024 * 1024
/** Fewer slots than threads: reading files needs threads of the same pool. */
export function boundsOf(config: Config, limits: Limits): Bounds {
  const cores = Math.min(config.cores, Math.max(1, Math.floor(config.poolThreads * 0.75)))
  return {
    slots: Math.min(cores, limits.render_slots ?? cores),
    queue: limits.queue_length,
    bytes: limits.source_mb_in_flight * MIB,
    pixels: limits.megapixels_in_flight * MEGA,
  }
}

/** A request for an image. */
export interface Job {
  ctx: Ctx
  row: ObjectRow
  principal: Principal
  bounds: Bounds
  /** Aborted at the deadline, or when the client disconnects. */
  signal: AbortSignal
  /** As `performance.now()`. */
  deadline: number
}
/** A source in memory, with the slot that accounts for it. */
export interface Held {
  slot: Slot
  bytes: Uint8Array
}
/** Releases both. Call it when nothing reads the bytes any more. */
export function release({ slot, bytes }: Held): void {
  free(bytes)
  slot.release()
}

const MOST_SOURCES = 50_000
function remember({ sources }: Pipeline, blobId: string, found: Source | Unusable): void {
  const oldest = sources.size >= MOST_SOURCES ? sources.keys().next().value : undefined
  if (oldest !== undefined) sources.delete(oldest)
  sources.set(blobId, found)
}
/** The key under which a source's header is cached beside its derivatives. */
const HEADER_KEY = `source ${RENDERER}`

async function acquire(pipeline: Pipeline, { principal, row, bounds, signal }: Job): Promise<Slot> {
  const began = performance.now()
  const slot = await pipeline.slots.acquire(principal, row.size, bounds, signal)
  pipeline.counts.waited_ms += performance.now() - began
  return slot
}

/**
 * Returns a blob's header, which never changes: from memory, from the cache, or by reading it. Concurrent callers wait
 * for the first, which also gets the bytes and must release them.
 */
export async function lookAt(pipeline: Pipeline, job: Job): Promise<{ source: Source | Unusable; held?: Held }> {
  const { blob_id } = job.row
  for (;;) {
    const known = pipeline.sources.get(blob_id)
    if (known) return { source: known }
    const other = pipeline.inspecting.get(blob_id)
    if (!other) break
    try {
      return { source: await other }
    } catch (error) {
      // The first caller got no slot; this one may, since slots are counted per principal.
      if (!isBusy(error)) throw error
      if (job.signal.aborted) throw tooSlow()
    }
  }
  const { promise, resolve, reject } = Promise.withResolvers<Source | Unusable>()
  promise.catch(() => undefined)
  pipeline.inspecting.set(blob_id, promise)
  try {
    const result = await look(pipeline, job)
    remember(pipeline, blob_id, result.source)
    resolve(result.source)
    return result
  } catch (error) {
    reject(error)
    throw error
  } finally {
    pipeline.inspecting.delete(blob_id)
  }
}

async function look(pipeline: Pipeline, job: Job): Promise<{ source: Source | Unusable; held?: Held }> {
  const { ctx, row } = job
  const kept = await pipeline.cache.get(row.blob_id, HEADER_KEY)
  if (kept) return { source: JSON.parse(Buffer.from(kept.bytes).toString()) as Source | Unusable }
  const slot = await acquire(pipeline, job)
  try {
    pipeline.counts.inspected++
    const { found, bytes } = await inspect(ctx, row)
    keep(pipeline, job, HEADER_KEY, { type: 'application/json', bytes: Buffer.from(JSON.stringify(found)) })
    if (bytes) return { source: found, held: { slot, bytes } }
    slot.release()
    return { source: found }
  } catch (error) {
    slot.release()
    throw error
  }
}

/** Keeps an entry, unless it is of encrypted contents: these are on no disk as they are. */
async function keep({ cache }: Pipeline, { ctx, row }: Job, key: string, entry: Entry): Promise<void> {
  if (row.encryption !== null) return
  const kept = cache.put(row.blob_id, key, entry).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'could not cache an image')
  })
  ctx.background(kept)
  await kept
}

/**
 * Returns a key's derivative: from the cache, from a render in progress, or rendered now. Takes ownership of `held`.
 * Others can join from before the cache is asked until the result is in it, so that the same image is never rendered
 * twice at a time.
 */
export async function derive(
  pipeline: Pipeline,
  job: Job,
  { source, plan, key }: { source: Source; plan: Plan; key: string },
  held?: Held,
): Promise<Entry> {
  const { rendering, counts } = pipeline
  for (;;) {
    const other = rendering.get(key)
    if (!other) break
    if (held) release(held)
    held = undefined
    try {
      const entry = await other
      counts.joined++
      return entry
    } catch (error) {
      if (!isBusy(error)) throw error
      if (job.signal.aborted) throw tooSlow()
    }
  }
  let writing: Promise<void> | undefined
  const finding = (async () => {
    const kept = await pipeline.cache.get(job.row.blob_id, key)
    if (kept) {
      if (held) release(held)
      counts.hits++
      return kept
    }
    const entry = await make(pipeline, job, { source, plan, held })
    writing = keep(pipeline, job, key, entry)
    return entry
  })()
  rendering.set(key, finding)
  const settled = finding.then(() => writing).catch(() => undefined)
  job.ctx.background(settled.finally(() => rendering.delete(key)))
  return finding
}

async function make(
  pipeline: Pipeline,
  job: Job,
  { source, plan, held }: { source: Source; plan: Plan; held: Held | undefined },
): Promise<Entry> {
  const slot = held?.slot ?? (await acquire(pipeline, job))
  const { counts } = pipeline
  let bytes = held?.bytes
  try {
    bytes ??= await readSource(job.ctx, job.row)
    await slot.hold(heldPixels(source, plan))
    // Nobody is waiting any more. From here on the render would finish anyway: libvips cannot be stopped.
    if (job.signal.aborted) throw tooSlow()
    const began = performance.now()
    counts.renders++
    const seconds = (job.deadline - began) / 1000
    const result = await render(bytes, source, plan, seconds).catch((error: unknown) => {
      counts.failed++
      throw isTimeout(error) ? tooSlow() : brokenSource(error)
    })
    counts.render_ms[plan.format] = (counts.render_ms[plan.format] ?? 0) + performance.now() - began
    counts.bytes += result.length
    return { type: `image/${plan.format}`, bytes: result }
  } finally {
    if (bytes) release({ slot, bytes })
    else slot.release()
  }
}
