import { isDeepStrictEqual } from 'node:util'
import type { ByteRange } from '../../base/byte-range.ts'
import type { Db } from '../../db/schema.ts'
import type { StorageId } from '../blobs.ts'
import { type Expected, ExpectedSums } from '../copies/expected.ts'
import { damageOf, type Mirroring, mirrored, noteDue } from '../copies/mirrored.ts'
import { readVerified } from '../copies/read.ts'
import type { Copy } from '../copies/reading.ts'
import { listMirrors, type MirrorRow } from '../copies/store.ts'
import type { BlobBody, BlobDriver } from '../driver.ts'
import { DEFAULT, storageOf } from './ids.ts'

/** Milliseconds after which the rows are read again: another process may have changed them. */
const FRESH_MS = 10_000
/** Milliseconds for which a place that did not answer is asked last. */
const LAST_MS = 10_000

/** A place by a storage's id; that of STORAGE_URL is 0. */
export const placeOf = (storage: StorageId): number => storage ?? 0
const storageAt = (place: number): StorageId => (place === 0 ? DEFAULT : place)

interface From extends Pick<Mirroring, 'upkeep' | 'now' | 'limitMs'> {
  db: Db
  /** The driver of a storage's own place; rejects with StorageAway. */
  driver(storage: StorageId): Promise<BlobDriver>
  /** Told of a copy that is damaged or does not answer. */
  onFailure?: ((place: number, error: unknown) => void) | undefined
}

/** Whether a place is a mirror to which not all that was there before has been copied, or at least queued. */
const isFilling = (row: MirrorRow | undefined, place: number): boolean =>
  row?.second === place && (row.walked_to !== null || row.walked_again_at === null)

/** Which storages have their bytes in other places than their own, or in two. */
export function routeCopies({ db, driver, upkeep, now, limitMs, onFailure }: From) {
  let rows: Promise<ReadonlyMap<number, MirrorRow>> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  const composed = new Map<number, { row: MirrorRow; driver: Promise<BlobDriver> }>()
  /** Until when places are asked last, as `performance.now()`. */
  const lastUntil = new Map<number, number>()

  function fresh(): Promise<ReadonlyMap<number, MirrorRow>> {
    const at = now().getTime()
    if (rows && Math.abs(at - readAt) <= FRESH_MS) return rows
    readAt = at
    rows = listMirrors(db).then((all) => new Map(all.map((row) => [row.storage, row])))
    rows.catch(() => {
      rows = undefined
    })
    return rows
  }
  const place = (id: number) => driver(storageAt(id))

  /** The driver of a storage: of its own place, unless a row says otherwise. */
  async function driverOf(storage: StorageId): Promise<BlobDriver> {
    const row = (await fresh()).get(placeOf(storage))
    if (!row) return driver(storage)
    const known = composed.get(row.storage)
    if (known && (known.row === row || isDeepStrictEqual(known.row, row))) return known.driver
    const traits = { buffered: 1024 * 1024, leastPart: 0 }
    // Where the storage's own place is away, what it can do is not known, and does not matter.
    const made = driver(storage).then(
      (own) => mirrored({ row, place, upkeep, now, limitMs }, own.traits),
      () => mirrored({ row, place, upkeep, now, limitMs }, traits),
    )
    composed.set(row.storage, { row, driver: made })
    return made
  }

  /** The places of a blob's copies, that which is to be read first before the others. */
  const placesOf = async (id: string): Promise<number[]> => placesIn(await rowOf(id), id)
  const rowOf = async (id: string): Promise<MirrorRow | undefined> => (await fresh()).get(placeOf(storageOf(id)))
  function placesIn(row: MirrorRow | undefined, id: string): number[] {
    if (!row) return [placeOf(storageOf(id))]
    if (row.second === null) return [row.first]
    const isLast = (lastUntil.get(row.first) ?? 0) > performance.now()
    return isLast ? [row.second, row.first] : [row.first, row.second]
  }

  /** Reads a blob as `Blobs.get` does, from the copy that is whole. */
  async function read(
    id: string,
    size: number,
    { range, expected }: { range: ByteRange | undefined; expected: Expected },
    places?: readonly number[],
  ): Promise<BlobBody> {
    const row = await rowOf(id)
    const copies = (places ?? placesIn(row, id)).map((at) => ({
      at,
      get: async (part: ByteRange | undefined) => (await place(at)).get(id, size, part),
    }))
    const failed = (copy: Copy, error: unknown) => {
      const { at } = copy as (typeof copies)[number]
      onFailure?.(at, error)
      const found = damageOf(error)
      // What a mirror lacks while it is filled is no damage.
      const reason = found === 'missing' && isFilling(row, at) ? 'existing' : found
      if (!reason) lastUntil.set(at, performance.now() + LAST_MS)
      else noteDue({ upkeep, now }, { id, place: at, reason }).catch(() => undefined)
    }
    const sums = new ExpectedSums(db, { id, size }, expected)
    return readVerified({ id, size, copies, sums, limitMs, onFailure: failed }, range)
  }

  return {
    driverOf,
    placesOf,
    place,
    read,
    refresh() {
      readAt = Number.NEGATIVE_INFINITY
    },
  }
}
