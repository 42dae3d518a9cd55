import { within } from '../../base/deadline.ts'
import { storedSizeOfBlob } from '../../blobs/encrypted.ts'
import { listReferencedBlobs, type ReferencedBlob } from '../../blobs/pointers.ts'
import { findComplete, findKnown } from '../../blobs/store.ts'
import type { Ctx } from '../../context.ts'
import { hasBlob } from '../../drivers/copies/has-blob.ts'
import { damageOf } from '../../drivers/copies/mirrored.ts'
import { listMirrors } from '../../drivers/copies/store.ts'
import type { BlobDriver, StoredBlob } from '../../drivers/driver.ts'
import { isExternal } from '../../drivers/routing/ids.ts'
import { listStorages } from '../../drivers/routing/store.ts'
import { markAt, nameOfPlace } from '../../storage/storages/mirrors/places.ts'
import { findKept } from '../../storage/storages/mirrors/store.ts'

const BATCH = 1000
const AT_ONCE = 16

export interface Compared {
  /** Contents with their bytes on a storage that the database names. */
  blobs: number
  /** Those of them that no copy has, each of which was reported. */
  nowhere: number
  /** Those that no copy has of the places that could be looked at, while another could not. */
  unknown: number
  /** What a place lacks, and another has. */
  lacking: { storage: string; count: number }[]
  /** What is on the storages and was written after the last change of the database. */
  newer: { count: number; bytes: number }
  /** What else is there that the database does not know. */
  unnamed: number
  /** Places that cannot be looked at. */
  away: { storage: string; why: string }[]
}
interface Options {
  since: Date | undefined
  /** The last change of the database. */
  moment: Date | null
  report(line: string): void
}

/** Compares what the database says exists with what each copy has, and the other way round. Constant memory. */
export async function compareCopies(ctx: Ctx, { since, moment, report }: Options): Promise<Compared> {
  const places = await openPlaces(ctx)
  const found: Omit<Compared, 'lacking' | 'away'> = {
    blobs: 0,
    nowhere: 0,
    unknown: 0,
    newer: { count: 0, bytes: 0 },
    unnamed: 0,
  }
  const lacking = new Map<number, number>()

  async function compareRow(row: ReferencedBlob): Promise<void> {
    const { blob_id, where, size } = row
    const at = await ctx.blobs.placesOf(blob_id)
    const has = await Promise.all(at.map((place) => hasAt(ctx, places, place, row)))
    found.blobs++
    if (has.includes(true)) {
      for (const [i, place] of at.entries()) if (has[i] === false) lacking.set(place, (lacking.get(place) ?? 0) + 1)
    } else if (has.includes(undefined)) found.unknown++
    else {
      found.nowhere++
      report(`missing: the bytes of ${where} (blob ${blob_id}, ${size} bytes) are on no copy`)
    }
  }
  for (let after = since === undefined ? '' : firstIdOf(since); ; ) {
    const rows = await listReferencedBlobs(ctx.db, after, BATCH)
    const byBlob = new Map(
      rows.filter((row) => row.inline_size === null && !isExternal(row.blob_id)).map((row) => [row.blob_id, row]),
    )
    const blobs = [...byBlob.values()]
    for (let i = 0; i < blobs.length; i += AT_ONCE) await Promise.all(blobs.slice(i, i + AT_ONCE).map(compareRow))
    const last = rows.at(-1)?.blob_id
    if (last === undefined || rows.length < BATCH) break
    after = last
  }

  async function compareStored(place: number, stored: readonly StoredBlob[]): Promise<void> {
    const ids = stored.map(({ id }) => id)
    const complete = await findComplete(ctx.db, ids)
    const known = (await findKnown(ctx.db, ids)).union(await findKept(ctx.db, place, ids))
    for (const { id, size, modified_at } of stored) {
      // By their own time: ids are reserved beforehand.
      const isNewer = moment !== null && modified_at > moment
      if ((isNewer ? complete : known).has(id) || (await isCountedBefore(place, id, size))) continue
      if (isNewer) {
        found.newer.count++
        found.newer.bytes += size
      } else found.unnamed++
    }
  }
  /** Whether a place that is looked at earlier has the same. */
  async function isCountedBefore(place: number, id: string, size: number): Promise<boolean> {
    for (const [other, { driver }] of places) {
      if (other === place) return false
      if (driver && (await hasBlob(driver, id, size).catch(() => false))) return true
    }
    return false
  }
  for (const [place, opened] of places)
    if (opened.driver)
      try {
        let batch: StoredBlob[] = []
        for await (const blob of opened.driver.list(() => undefined)) {
          if (since && blob.modified_at < since) continue
          batch.push(blob)
          if (batch.length < BATCH) continue
          await compareStored(place, batch)
          batch = []
        }
        await compareStored(place, batch)
      } catch (error) {
        opened.why = `it cannot be listed: ${(error as Error).message}`
      }

  const named = <T extends object>(entries: [number, T][]) =>
    Promise.all(entries.map(async ([place, value]) => ({ storage: await nameOfPlace(ctx.db, place), ...value })))
  return {
    ...found,
    lacking: await named([...lacking].map(([place, count]) => [place, { count }])),
    away: await named([...places].flatMap(([place, { why }]) => (why === undefined ? [] : [[place, { why }]]))),
  }
}

/** A place of bytes: its driver, or why it cannot be used. */
interface Opened {
  driver?: BlobDriver
  why?: string
}

/** All places that have bytes of ours. What has no mark of ours is another disk, and is not looked at. */
async function openPlaces(ctx: Ctx): Promise<Map<number, Opened>> {
  const [mirrors, storages] = [await listMirrors(ctx.db), await listStorages(ctx.db)]
  const own = storages.filter(({ marked_at }) => marked_at !== null).map(({ id }) => id)
  const numbers = new Set([0, ...own, ...mirrors.flatMap(({ first, second }) => [first, second])])
  const opened = new Map<number, Opened>()
  for (const place of numbers)
    if (place !== null)
      opened.set(
        place,
        await within(ctx.config.mirrorTimeoutMs, markAt(ctx, place))
          .then(async () => ({ driver: await ctx.blobs.place(place) }))
          .catch((error: unknown) => ({ why: (error as Error).message.replace(/\.$/, '') })),
      )
  return opened
}

/** Whether a place has the bytes of a blob; undefined if it does not answer. */
function hasAt(
  ctx: Ctx,
  places: ReadonlyMap<number, Opened>,
  place: number,
  row: ReferencedBlob,
): Promise<boolean | undefined> {
  const driver = places.get(place)?.driver
  if (!driver) return Promise.resolve(undefined)
  const look = hasBlob(driver, row.blob_id, storedSizeOfBlob(row)).catch((error: unknown) => {
    if (damageOf(error)) return false
    throw error
  })
  return within(ctx.config.mirrorTimeoutMs, look).catch(() => undefined)
}

/** What sorts before the ids of all blobs that were made at a time or after it: the first 48 bits of a UUIDv7. */
function firstIdOf(time: Date): string {
  const digits = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}
