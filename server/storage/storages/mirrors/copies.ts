import { systemActor } from '../../../access/actors.ts'
import { within } from '../../../base/deadline.ts'
import { DAY_MS, MINUTE_MS } from '../../../base/time.ts'
import { isBlobFault } from '../../../blobs/copy.ts'
import type { Ctx } from '../../../context.ts'
import { damageOf } from '../../../drivers/copies/mirrored.ts'
import { listMirrors } from '../../../drivers/copies/store.ts'
import { storageOf } from '../../../drivers/routing/ids.ts'
import { telemetryOf } from '../../../observe/telemetry.ts'
import { copyTo, findDamage, isThere, type Known, type Pace } from './copy.ts'
import { holdCopy, noteLocks } from './hold.ts'
import { markAt, nameOfPlace } from './places.ts'
import * as store from './store.ts'

/** Copies that one process makes at a time, and that it takes at once. */
const AT_ONCE = 4
const BATCH = 32
/** How long what a process has taken is left to it. */
const TAKEN_MS = 10 * MINUTE_MS
const RENEWED_MS = MINUTE_MS
/** Until the row of a new blob says what it is, and until a place that is away is tried again. */
const SOON_MS = 1000
const AWAY_MS = 5000
/** A copy that cannot be made is tried again after twice as long each time, up to this. */
const LATEST_MS = 60 * MINUTE_MS
/** Existing blobs are queued while fewer than this are waiting. */
const WAITING = 200
/** Other processes know of a mirror this long after it was set, at the latest. */
const KNOWN_MS = MINUTE_MS
/** Removals of second copies at once. */
const REMOVALS = 100

/** What came of a copy that was due. */
type Outcome = 'made' | 'there' | 'over' | { again: number; attempts: number }

/**
 * Makes the copies that are due: of new blobs, of those that were there before a mirror was set, and of damaged ones. Any
 * number of processes may; each takes rows and puts them off for the others.
 */
export const copyWorker = {
  name: 'mirror-copies',
  every: 1000,
  async run(ctx: Ctx): Promise<void> {
    const away = new Set<number>()
    await noteLocks(ctx)
    do {
      await makeDue(ctx, away)
    } while (!ctx.stopping.aborted && (await queueExisting(ctx)))
    await removeDue(ctx)
  },
}

async function makeDue(ctx: Ctx, away: Set<number>): Promise<void> {
  while (!ctx.stopping.aborted) {
    const now = ctx.now()
    const until = new Date(now.getTime() + TAKEN_MS)
    const due = await ctx.upkeep(async (step) => {
      const taken = await store.claimDue(step.tx, { now, until, limit: BATCH, except: [...away] })
      return taken.length === 0 ? step.nothing(taken) : taken
    })
    if (due.length === 0) return
    const waiting = [...due]
    const work = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) await makeOne(ctx, one, away)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
}

async function makeOne(ctx: Ctx, due: store.Due, away: Set<number>): Promise<void> {
  const outcome = away.has(due.place)
    ? { again: AWAY_MS, attempts: due.attempts }
    : await make(ctx, due).catch((error: unknown): Outcome => {
        ctx.log.warn(
          { err: error, blob: due.blob_id, place: due.place },
          'a copy could not be made; it will be tried again',
        )
        if (!isBlobFault(error)) away.add(due.place)
        return { again: againAfter(due.attempts), attempts: due.attempts + 1 }
      })
  if (typeof outcome === 'object') {
    await ctx.upkeep(({ tx }) =>
      store.putOffDue(tx, due, { next: new Date(ctx.now().getTime() + outcome.again), attempts: outcome.attempts }),
    )
    return
  }
  if (outcome === 'made' && isDamaged(due)) await recordHealed(ctx, due)
  else await ctx.upkeep(({ tx }) => store.deleteDue(tx, due))
  if (outcome === 'made') count(ctx, due)
}

/** For how long a copy has been due, in ms. */
const ageOf = ({ now }: Ctx, { queued_at }: store.Due): number => now().getTime() - new Date(queued_at).getTime()

const count = ({ config }: Ctx, { reason }: store.Due): void =>
  telemetryOf(config).metrics.strongroom_copies_made_total.inc({
    kind: reason === 'new' || reason === 'existing' ? reason : 'healed',
  })

/** A damaged copy was replaced: with the row, the record of it. */
async function recordHealed(ctx: Ctx, due: store.Due): Promise<void> {
  const [object, storage] = await Promise.all([store.findObjectOf(ctx.db, due.blob_id), nameOfPlace(ctx.db, due.place)])
  await ctx.as(systemActor).act(async ({ tx, record }) => {
    await store.deleteDue(tx, due)
    const details = { blob_id: due.blob_id, storage, reason: due.reason as 'changed' | 'missing' | 'unreadable' }
    record({ name: 'heal', details, ...(object && { bucket: object.name, key: object.key }) })
  })
}

async function make(ctx: Ctx, due: store.Due): Promise<Outcome> {
  const { blob_id, place } = due
  const [blob, places] = await Promise.all([store.findBlob(ctx.db, blob_id), ctx.blobs.placesOf(blob_id)])
  const from = places.find((one) => one !== place)
  if (!blob || blob.inline === 1 || from === undefined || !places.includes(place)) return 'over'
  const { size } = blob
  // What points at it is not committed yet, or never will be: then the collector deletes the row.
  if (size === null) return { again: Math.min(MINUTE_MS, Math.max(SOON_MS, ageOf(ctx, due) / 10)), attempts: 0 }
  const known: Known = { ...blob, size }
  const pace = renewing(ctx, due)
  if (await isRight(ctx, known, due, pace)) return held(ctx, due, 'there')
  // What looks like missing bytes is another disk where our mark is missing as well.
  if (isDamaged(due)) await inTime(ctx, markAt(ctx, place))
  await copyTo(ctx, known, { from, to: place }, pace)
  if (await store.findBlob(ctx.db, blob_id)) return held(ctx, due, 'made')
  // It was removed meanwhile. The second place keeps it for the time that was set.
  if ((await store.findMirror(ctx.db, storageOf(blob_id) ?? 0))?.second !== place)
    await inTime(ctx, (await ctx.blobs.place(place)).removeHeld(blob_id))
  return 'over'
}

/** Has the engine hold a copy that is there; what came of it is due until that is done. */
async function held(ctx: Ctx, { blob_id, place, attempts }: store.Due, outcome: 'made' | 'there'): Promise<Outcome> {
  const mirror = await store.findMirror(ctx.db, storageOf(blob_id) ?? 0)
  if (mirror?.second !== place) return outcome
  try {
    await inTime(ctx, holdCopy(ctx, mirror, blob_id))
    return outcome
  } catch (error) {
    ctx.log.warn({ err: error, blob: blob_id, place }, 'a copy could not be locked; it will be tried again')
    return { again: againAfter(attempts), attempts: attempts + 1 }
  }
}
const againAfter = (attempts: number): number => Math.min(LATEST_MS, AWAY_MS * 2 ** Math.min(attempts, 10))

/** Puts what was taken off again while it is worked on, so that nobody else takes it, however long that is. */
function renewing(ctx: Ctx, due: store.Due): Pace {
  let renewed = ctx.now().getTime()
  return () => {
    const now = ctx.now().getTime()
    if (now - renewed < RENEWED_MS) return undefined
    renewed = now
    const next = new Date(now + TAKEN_MS)
    return ctx.upkeep(({ tx }) => store.putOffDue(tx, due, { next, attempts: due.attempts })).then(() => undefined)
  }
}

const isDamaged = ({ reason }: store.Due): boolean => reason !== 'new' && reason !== 'existing'

/** Whether a place has a copy that is whole: a place that was away has looked as if it had lost its copies. */
async function isRight(ctx: Ctx, blob: Known, due: store.Due, pace: Pace): Promise<boolean> {
  try {
    // First, because a place that hangs is noticed in time by it.
    if (!(await inTime(ctx, isThere(ctx, blob, due.place)))) return false
    return !isDamaged(due) || (await findDamage(ctx, blob, due.place, pace)).reason === undefined
  } catch (error) {
    if (isDamaged(due) && damageOf(error)) return false
    throw error
  }
}

const inTime = <T>({ config }: Ctx, work: Promise<T>): Promise<T> => within(config.mirrorTimeoutMs, work)

/**
 * Queues some of the blobs that were there before a mirror was set, newest first, while few are waiting; resolves to whether
 * it did.
 */
async function queueExisting(ctx: Ctx): Promise<boolean> {
  const waiting = await store.countDue(ctx.db)
  let hasQueued = false
  for (const row of await listMirrors(ctx.db)) {
    const { second, walked_to } = row
    if (second === null || (waiting.get(second)?.count ?? 0) >= WAITING) continue
    if (walked_to !== null) {
      if (await queueBefore(ctx, row, walked_to)) hasQueued = true
    } else if (row.walked_again_at === null && ctx.now().getTime() >= new Date(row.changed_at).getTime() + KNOWN_MS)
      // Once more, from the newest on, for what processes wrote that did not know of the mirror yet.
      await ctx.upkeep(({ tx }) =>
        store.updateMirror(tx, row.storage, { walked_to: NEWEST, walked_again_at: ctx.now().toISOString() }),
      )
  }
  return hasQueued
}
/** After the ids of all blobs. */
export const NEWEST = '~'

/** Resolves to whether it has gone on; not if another process has meanwhile. */
async function queueBefore(ctx: Ctx, row: store.MirrorRow, before: string): Promise<boolean> {
  const { storage, second, walked_again_at } = row
  const found = await store.listBefore(ctx.db, { storage: storage === 0 ? null : storage, before, limit: WAITING })
  const last = found.at(-1)?.id
  const at = ctx.now().toISOString()
  // The second walk is over with what was there a day before the mirror: no request takes that long to begin.
  const isOver =
    last === undefined || (walked_again_at !== null && timeOf(last) < new Date(row.changed_at).getTime() - DAY_MS)
  const rows = found.map(({ id: blob_id }): store.Due => {
    return { blob_id, place: second as number, reason: 'existing', queued_at: at, next_at: at, attempts: 0 }
  })
  return ctx.upkeep(async (step) => {
    const { tx } = step
    const now = await store.lockMirror(tx, storage)
    if (now?.second !== second || now.walked_to !== before) return step.nothing(false)
    await store.insertAllDue(tx, rows)
    await store.updateMirror(tx, storage, { walked_to: isOver ? null : last })
    return true
  })
}

/** When the id of a blob was made, in ms: the first 48 bits of a UUIDv7, or of ours of version 8. */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** Removes second copies of what was removed long enough ago. */
async function removeDue(ctx: Ctx): Promise<void> {
  for (;;) {
    const due = await store.listRemovals(ctx.db, ctx.now(), REMOVALS)
    let failed = 0
    for (const removal of due) {
      try {
        const until = await inTime(ctx, (await ctx.blobs.place(removal.place)).removeHeld(removal.blob_id))
        await ctx.upkeep(async ({ tx }) => {
          await (until ? store.putOffRemoval(tx, removal, until) : store.deleteRemoval(tx, removal))
        })
      } catch (error) {
        failed++
        ctx.log.warn({ err: error, place: removal.place }, 'a second copy could not be removed; it will be tried again')
        break
      }
    }
    if (due.length < REMOVALS || failed > 0 || ctx.stopping.aborted) return
  }
}
