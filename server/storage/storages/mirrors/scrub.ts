import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { systemActor } from '../../../access/actors.ts'
import { DAY_MS, MINUTE_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import { type DueReason, listMirrors } from '../../../drivers/copies/store.ts'
import { StorageAway } from '../../../drivers/driver.ts'
import { storageOf } from '../../../drivers/routing/ids.ts'
import { listStorages } from '../../../drivers/routing/store.ts'
import { telemetryOf } from '../../../observe/telemetry.ts'
import { findDamage, type Pace } from './copy.ts'
import { holdCopy } from './hold.ts'
import { markAt, nameOfPlace } from './places.ts'
import * as store from './store.ts'

const MIB = 1024 * 1024
/** Blobs after which the position is written down, and how long a process keeps a place without doing that. */
const BATCH = 50
const LEASE_MS = 10 * MINUTE_MS
/** How often the load of this process is looked at, for how long, and from when on it is too high. */
const LOOK_EVERY_MS = 1000
const LOOK_MS = 100
const BUSY = 0.6
/** How often it waits in a row for less load: it is never put off for good. */
const MOST_WAITS = 100

/** A place and the storages whose bytes are there; null is the default one, `inline` says whether what the database has is read as well. */
interface Scrubbed {
  place: number
  storages: (number | null)[]
  inline: boolean
}

/**
 * Reads every copy at every place once in SCRUB_DAYS, and compares it with what is known of its blob; blobs without checksums get
 * theirs. What the database has is read with the first place of the default storage. A damaged copy is queued to be replaced, or recorded where there is no other. A place is one process's at a time;
 * after an interruption it is continued.
 */
export const scrubber = {
  name: 'scrub',
  every: 30_000,
  async run(ctx: Ctx): Promise<void> {
    if (ctx.config.scrubDays === 0) return
    for (const scrubbed of await placesInUse(ctx))
      await scrub(ctx, scrubbed).catch((error: unknown) =>
        ctx.log.warn(
          { err: error, place: scrubbed.place },
          'the scrub of a storage was interrupted; it will be continued',
        ),
      )
  },
}

/** What a mirror lacks while it is filled is no damage. */
const isFilled = ({ second, walked_to, walked_again_at }: store.MirrorRow): boolean =>
  second !== null && walked_to === null && walked_again_at !== null

async function placesInUse(ctx: Ctx): Promise<Scrubbed[]> {
  const [rows, storages] = [await listMirrors(ctx.db), await listStorages(ctx.db)]
  const moved = new Map(rows.map((row) => [row.storage, row]))
  const used = new Map<number, Scrubbed>()
  const own = storages.filter(({ marked_at, disabled_at }) => marked_at !== null && disabled_at === null)
  for (const storage of [0, ...own.map(({ id }) => id)]) {
    const row = moved.get(storage)
    const first = row?.first ?? storage
    for (const place of [first, ...(row && isFilled(row) ? [row.second as number] : [])]) {
      const scrubbed = used.get(place) ?? { place, storages: [], inline: false }
      used.set(place, scrubbed)
      scrubbed.storages.push(storage === 0 ? null : storage)
      if (storage === 0 && place === first) scrubbed.inline = true
    }
  }
  return [...used.values()]
}

async function scrub(ctx: Ctx, { place, storages, inline }: Scrubbed): Promise<void> {
  const begun = await begin(ctx, place)
  if (!begun) return
  const pacer = newPacer(ctx)
  let { position } = begun
  try {
    const mark = await markAt(ctx, place)
    for (;;) {
      const blobs = await store.listAfter(ctx.db, { storages, inline, after: position, limit: BATCH })
      const mirrors = new Map((await listMirrors(ctx.db)).map((row) => [row.storage, row]))
      const counts = { checked: 0, damaged: 0, summed: 0 }
      for (const blob of blobs) {
        if (ctx.stopping.aborted) break
        position = blob.id
        counts.checked++
        if (await store.isDue(ctx.db, { blob_id: blob.id, place })) continue
        const { reason, isSummed } = await findDamage(ctx, blob, place, pacer)
        const mirror = mirrors.get(storageOf(blob.id) ?? 0)
        if (!reason && blob.inline === 0 && mirror?.second === place)
          await holdCopy(ctx, mirror, blob.id).catch((error: unknown) =>
            ctx.log.warn(
              { err: error, blob: blob.id, place },
              'a copy could not be locked; the next scrub tries it again',
            ),
          )
        if (isSummed) counts.summed++
        if (!reason || !(await store.findBlob(ctx.db, blob.id))) continue
        if (reason === 'missing' && (await markAt(ctx, place)) !== mark)
          throw new StorageAway('The mark of the storage is gone')
        counts.damaged++
        await report(ctx, blob, { place, reason })
      }
      const isOver = blobs.length < BATCH && !ctx.stopping.aborted
      await advance(ctx, place, { position, isOver, counts })
      if (isOver || ctx.stopping.aborted) return
    }
  } finally {
    await ctx.upkeep(({ tx }) => store.updateScrub(tx, place, { leased_until: null }))
  }
}

/** Takes a place, if it is its turn; undefined if not, or another process has it. */
const begin = (ctx: Ctx, place: number): Promise<store.Scrub | undefined> =>
  ctx.upkeep(async (step) => {
    const now = step.now()
    const row = await store.lockScrub(step.tx, place, now)
    if (row.leased_until !== null && new Date(row.leased_until) > now) return undefined
    const next = new Date(row.started_at).getTime() + ctx.config.scrubDays * DAY_MS
    if (row.finished_at !== null && now.getTime() < next) return undefined
    const again = { position: '', started_at: now.toISOString(), finished_at: null, checked: 0, damaged: 0, summed: 0 }
    const change = row.finished_at === null ? {} : again
    const leased_until = new Date(now.getTime() + LEASE_MS).toISOString()
    await store.updateScrub(step.tx, place, { ...change, leased_until })
    return { ...row, ...change }
  })

const advance = (
  ctx: Ctx,
  place: number,
  {
    position,
    isOver,
    counts,
  }: { position: string; isOver: boolean; counts: Pick<store.Scrub, 'checked' | 'damaged' | 'summed'> },
): Promise<void> =>
  ctx.upkeep(async ({ tx, now }) => {
    const row = await store.lockScrub(tx, place, now())
    await store.updateScrub(tx, place, {
      position,
      checked: row.checked + counts.checked,
      damaged: row.damaged + counts.damaged,
      summed: row.summed + counts.summed,
      finished_at: isOver ? now().toISOString() : null,
      leased_until: new Date(now().getTime() + LEASE_MS).toISOString(),
    })
  })

/** Queues a damaged copy to be replaced, or records that there is none to replace it with. */
async function report(
  ctx: Ctx,
  { id: blob_id, inline }: Pick<store.Copied, 'id' | 'inline'>,
  { place, reason }: { place: number; reason: DueReason },
): Promise<void> {
  telemetryOf(ctx.config).metrics.strongroom_scrub_damaged_total.inc()
  const isInline = inline === 1
  if (!isInline && (await ctx.blobs.placesOf(blob_id)).length > 1) {
    const at = ctx.now().toISOString()
    const due = { blob_id, place, reason, queued_at: at, next_at: at, attempts: 0 }
    return ctx.upkeep(({ tx }) => store.insertAllDue(tx, [due]))
  }
  const [object, storage] = await Promise.all([
    store.findObjectOf(ctx.db, blob_id),
    isInline ? null : nameOfPlace(ctx.db, place),
  ])
  await ctx.as(systemActor).act(async ({ record }) => {
    const details = { blob_id, storage, reason: reason as 'changed' | 'missing' | 'unreadable' }
    record({
      name: 'scrub_damaged',
      details,
      result: 'failure',
      ...(object && { bucket: object.name, key: object.key }),
    })
  })
}

/** Waits after chunks so that no more than SCRUB_MIB_PER_SECOND are read, and while this process has much else to do. */
function newPacer({ config, stopping }: Ctx): Pace {
  const { metrics } = telemetryOf(config)
  const began = performance.now()
  let read = 0
  let looked = Number.NEGATIVE_INFINITY
  const wait = async (ms: number) => {
    if (ms > 0) await pause(ms, undefined, { signal: stopping }).catch(() => undefined)
  }
  async function whileBusy(): Promise<void> {
    for (let i = 0; i < MOST_WAITS && !stopping.aborted; i++) {
      const before = performance.eventLoopUtilization()
      await wait(LOOK_MS)
      if (performance.eventLoopUtilization(before).utilization < BUSY) break
    }
    looked = performance.now()
  }
  return (bytes) => {
    read += bytes
    metrics.strongroom_scrubbed_bytes_total.inc(bytes)
    if (performance.now() - looked > LOOK_EVERY_MS) return whileBusy()
    const ahead = (read / (config.scrubMibPerSecond * MIB)) * 1000 - (performance.now() - began)
    return ahead > LOOK_MS ? wait(ahead) : undefined
  }
}
