import { setTimeout as pause } from 'node:timers/promises'
import type { ActionDetails } from '../../../contract/actions.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Actor, Ctx, Upkeep } from '../../context.ts'
import type { Delivery } from '../../http/delivery.ts'
import { recordActions } from './service.ts'

/** How long reads are batched, and how many at most: further reads are counted and dropped. */
const GATHER_MS = 100
const MOST = 10_000

interface Read {
  actor: Actor
  time: Date
  bucket: string
  key: string
  status: number
  details: ActionDetails['object_read']
}
interface Gathered {
  reads: Read[]
  lost: number
  /** Whether `write` is running. */
  writing: boolean
}
const gatheredOf = perSystem((): Gathered => ({ reads: [], lost: 0, writing: false }))

export interface ReadOf {
  bucket: string
  key: string
  size: number
  via: ActionDetails['object_read']['via']
  share_id?: string
}

/**
 * Records that contents were read, if `audit.log_reads` is on. Costs the request nothing: the setting is read when a
 * batch is written. Best effort: a crash loses the last moments, and a flood loses the reads that exceed a batch. The
 * log says how many were lost.
 */
export function noteRead(ctx: Ctx, contents: ReadOf, { status, complete }: Delivery): void {
  // 304 and errors send no contents; 307 redirects the client to the storage for them.
  if (status < 300 || status === 307) add(ctx, contents, status, complete)
}

/** Like `noteRead`, for one object of an archive whose status was sent long ago. */
export const noteArchived = (ctx: Ctx, contents: Omit<ReadOf, 'via'>): void =>
  add(ctx, { ...contents, via: 'archive' }, 200, true)

function add(ctx: Ctx, { bucket, key, ...details }: ReadOf, status: number, complete: boolean): void {
  const read = { actor: ctx.actor, time: ctx.now(), bucket, key, status, details: { ...details, complete } }
  const gathered = gatheredOf(ctx.config)
  if (gathered.reads.length >= MOST) gathered.lost++
  else gathered.reads.push(read)
  if (gathered.writing) return
  gathered.writing = true
  ctx.background(write(ctx, gathered))
}

const BATCH = 200

/** Writes batches until none is left; runs once at a time per process. */
async function write(ctx: Ctx, batch: Gathered): Promise<void> {
  try {
    while (batch.reads.length > 0) {
      await pause(GATHER_MS, undefined, { signal: ctx.stopping }).catch(() => undefined)
      const reads = batch.reads.splice(0)
      const { audit } = await settingsInForce(ctx)
      if (!audit.log_reads) continue
      for (let i = 0; i < reads.length; i += BATCH)
        await ctx.upkeep((step) => recordReads(step, reads.slice(i, i + BATCH)), { relaxed: true })
      if (batch.lost > 0) ctx.log.warn({ lost: batch.lost }, 'reads came faster than they could be recorded')
      batch.lost = 0
    }
  } finally {
    batch.reads.length = 0
    batch.lost = 0
    batch.writing = false
  }
}

async function recordReads(step: Upkeep, reads: readonly Read[]): Promise<void> {
  const { tx } = step
  for (const { actor, time, bucket, key, status, details } of reads)
    await recordActions(tx, step.config, { actor, time }, [
      { name: 'object_read', bucket, key, status_code: status, details },
    ])
}
