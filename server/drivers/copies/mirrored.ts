import { within } from '../../base/deadline.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Tx } from '../../db/schema.ts'
import { SegmentDamaged } from '../../segments/cipher.ts'
import {
  type BlobDriver,
  BlobMissing,
  type DriverTraits,
  isDamage,
  isStorageOutage,
  StorageAway,
  type StoredPart,
} from '../driver.ts'
import { hasBlob } from './has-blob.ts'
import { type DueReason, insertCopyRemoval, insertDue, type MirrorRow } from './store.ts'
import { tee } from './tee.ts'
import { lastStep, watched, whileItMoves } from './watched.ts'

/** What a storage with a mirror works with. */
export interface Mirroring {
  row: MirrorRow
  /** The driver of a place; rejects with StorageAway. */
  place(id: number): Promise<BlobDriver>
  upkeep<T>(change: (step: { tx: Tx }) => Promise<T>, options?: { relaxed?: boolean }): Promise<unknown>
  now(): Date
  /** Milliseconds that a place may take for a step before it counts as down. */
  limitMs: number
}

/** Handles of uploads that were begun at another place than that of the storage itself say which. */
const HANDLE = /^place:(\d+):/
const AWAY = 'A copy of this storage cannot be reached'

/** Notes that a place lacks a copy. Not synced by itself: what makes the blob visible is committed after it. */
export const noteDue = (
  { upkeep, now }: Pick<Mirroring, 'upkeep' | 'now'>,
  { id, place, reason }: { id: string; place: number; reason: DueReason },
): Promise<unknown> => upkeep(({ tx }) => insertDue(tx, { blob_id: id, place, reason, now: now() }), { relaxed: true })

/** Whether an engine has answered that it has failed (RFC 9110 section 15.6), which says nothing of what it has. */
const hasFailed = (error: Error): boolean =>
  'status' in error && typeof error.status === 'number' && error.status >= 500

/** Why a copy has to be replaced, by the error of reading it; undefined if it need not be. */
export function damageOf(error: unknown): DueReason | undefined {
  if (error instanceof BlobMissing) return 'missing'
  if (error instanceof SegmentDamaged) return 'changed'
  return isDamage(error) && !isStorageOutage(error) && !hasFailed(error) ? 'unreadable' : undefined
}

/**
 * A storage whose bytes are in two places. What is written goes to the first one, and to the second at the same time or, by
 * rows, later; what is removed stays at the second for a while. `get` and `list` are those of the first place.
 */
export function mirrored(mirroring: Mirroring, traits: DriverTraits): BlobDriver {
  const { row, place, limitMs, now, upkeep } = mirroring
  const { second } = row
  const first = () => place(row.first)
  const lacking = (id: string, of: number | null = second) =>
    of === null ? Promise.resolve() : noteDue(mirroring, { id, place: of, reason: 'new' })
  const isBoth = second !== null && row.acknowledge === 'both'

  /** The place that is not `at`, if there are two. */
  const other = (at: number): number | null => (at === row.first ? second : at === second ? row.first : null)
  const away = (cause: unknown) =>
    new StorageAway(AWAY, { cause: Object.assign(new Error(AWAY, { cause }), { outage: true }) })

  async function putBoth(id: string, source: AsyncIterable<Uint8Array>, size: number | undefined): Promise<number> {
    const [main, copy] = tee(source)
    let failure: { error: unknown } | undefined
    const failed = (error: unknown) => {
      failure ??= { error }
      copy.leave(error)
      // Nothing more is read of the source for an upload that is refused.
      if (row.when_down === 'refuse') main.leave(away(error))
    }
    const watch = watched(copy.source, limitMs, failed)
    const copying = place(second as number)
      .then((driver) => driver.put(id, watch.source, size))
      .catch((error: unknown) => {
        failed(error)
        return undefined
      })
    try {
      const stored = await (await first()).put(id, main.source, size)
      await lastStep(limitMs, copying).catch(failed)
      if (failure && row.when_down === 'refuse') {
        await (await first()).remove(id).catch(() => undefined)
        throw away(failure.error)
      }
      // The worker that makes copies has the engine hold it.
      if (failure || row.locks === 1) await lacking(id)
      return stored
    } catch (error) {
      copy.leave(error)
      await within(limitMs, copying).catch(() => undefined)
      // The collector removes what this leaves, as the row of the blob is there.
      void place(second as number)
        .then((driver) => driver.removeHeld(id))
        .catch(() => undefined)
      throw error
    } finally {
      watch.end()
    }
  }

  async function putOne(id: string, source: AsyncIterable<Uint8Array>, size: number | undefined): Promise<number> {
    const noting = lacking(id)
    noting.catch(() => undefined)
    const stored = await (await first()).put(id, source, size)
    await noting
    return stored
  }

  /** Where an upload in parts was begun, and what its place calls it. */
  function partsAt(handle: string): { at: number; raw: string } {
    const found = HANDLE.exec(handle)
    return found ? { at: Number(found[1]), raw: handle.slice(found[0].length) } : { at: row.storage, raw: handle }
  }
  const withParts = async <T>(handle: string, work: (driver: BlobDriver, raw: string) => Promise<T>): Promise<T> => {
    const { at, raw } = partsAt(handle)
    return work(await place(at), raw)
  }

  async function complete(id: string, handle: string, parts: readonly StoredPart[]): Promise<void> {
    const { at } = partsAt(handle)
    const target = other(at)
    const noting = isBoth ? undefined : lacking(id, target)
    noting?.catch(() => undefined)
    await withParts(handle, (driver, raw) => driver.completeParts(id, raw, parts))
    await noting
    if (!isBoth || target === null) return
    try {
      await copyWhole(
        id,
        parts.reduce((sum, part) => sum + part.size, 0),
        { at, target },
      )
      if (row.locks === 1) await lacking(id, target)
    } catch (error) {
      if (row.when_down === 'refuse') throw away(error)
      await lacking(id, target)
    }
  }
  /** Copies what was joined to the other place, unless an earlier call has. */
  async function copyWhole(id: string, size: number, { at, target }: { at: number; target: number }): Promise<void> {
    const [from, to] = [await place(at), await place(target)]
    if (await within(limitMs, hasBlob(to, id, size))) return
    const body = await from.get(id, size)
    const chunks = body instanceof Uint8Array ? [body] : (body as AsyncIterable<Uint8Array>)
    async function* source() {
      yield* chunks
    }
    await whileItMoves(source(), limitMs, (moving) => to.putOver(id, moving, size))
  }

  return {
    traits,
    put: isBoth ? putBoth : putOne,
    putOver: async () => {
      throw new Error('Copies are replaced each at its place')
    },
    get: async (...call) => (await first()).get(...call),
    async remove(id) {
      if (second !== null) {
        const due_at = new Date(now().getTime() + row.keep_removed_days * DAY_MS).toISOString()
        await upkeep(({ tx }) => insertCopyRemoval(tx, { blob_id: id, place: second, due_at }), { relaxed: true })
      }
      // Where the two were exchanged, the first one may hold it as well.
      const until = await (await first()).removeHeld(id)
      if (until)
        await upkeep(({ tx }) => insertCopyRemoval(tx, { blob_id: id, place: row.first, due_at: until.toISOString() }))
    },
    // Its places hold what they have each for itself.
    holds: async () => false,
    hold: async () => {
      throw new Error('Copies are held each at its place')
    },
    removeHeld: async (id) => (await first()).removeHeld(id),
    async beginParts(id) {
      const handle = await (await first()).beginParts(id)
      return row.first === row.storage ? handle : `place:${row.first}:${handle}`
    },
    putPart: (id, handle, part, source) => withParts(handle, (driver, raw) => driver.putPart(id, raw, part, source)),
    copyPart: (id, handle, part, ...from) =>
      withParts(handle, (driver, raw) => driver.copyPart(id, raw, part, ...from)),
    removePart: (id, handle, part) => withParts(handle, (driver, raw) => driver.removePart(id, raw, part)),
    listParts: (id, handle) => withParts(handle, (driver, raw) => driver.listParts(id, raw)),
    completeParts: complete,
    async copyRanges(id, ...call) {
      const noting = lacking(id)
      noting.catch(() => undefined)
      await (await first()).copyRanges(id, ...call)
      await noting
    },
    abortParts: (id, handle) => withParts(handle, (driver, raw) => driver.abortParts(id, raw)),
    partUrl: (id, handle, ...call) => withParts(handle, (driver, raw) => driver.partUrl(id, raw, ...call)),
    // What an engine sends to clients itself is not compared with anything.
    directUrl: async () => null,
    async *list(onDamaged) {
      yield* (await first()).list(onDamaged)
    },
    owner: async () => (await first()).owner(),
    claimFor: async (instance) => (await first()).claimFor(instance),
    unclaim: async (instance) => (await first()).unclaim(instance),
    setAside: async (id) => (await first()).setAside(id),
    bringBack: async (id) => (await first()).bringBack(id),
    async *listAside() {
      yield* (await first()).listAside()
    },
    removeAside: async (id) => (await first()).removeAside(id),
    check: async () => (await first()).check(),
    // Its places are closed by those who opened them.
    close: async () => undefined,
  }
}
