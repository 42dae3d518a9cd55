import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { ByteRange } from '../../base/byte-range.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/schema.ts'
import type { Blobs, StorageId } from '../blobs.ts'
import type { Mirroring } from '../copies/mirrored.ts'
import { type BlobBody, type BlobDriver, StorageAway, type StoredBlob } from '../driver.ts'
import { withExplanation } from '../explain.ts'
import { ExternalChanged, TakenOverBytesChanged } from '../external.ts'
import { type BlobObserver, observeBlobs } from '../observe.ts'
import { DEFAULT, isExternal, markOfStorage, storageOf } from './ids.ts'
import { routeCopies } from './mirrors.ts'
import { openRemover, openSource, openWhere, openWriter, type Where, whereOf } from './open.ts'
import * as store from './store.ts'

/** Milliseconds after which a row is read again: it may have been changed by another process. */
const FRESH_MS = 10_000
/** How long a driver that was replaced stays open for those who still use it. */
const LINGERS_MS = 600_000

/** What is opened once and closed at the end. */
interface Closable {
  close(): unknown
}
interface Opened {
  /** Opened when it is first needed. */
  driver?: Promise<BlobDriver>
  /** The same of what can be done with a bucket that others keep, by what opens it. */
  externals: Map<unknown, Promise<Closable>>
  row: store.StorageRow
  /** When that was last read, in ms. */
  readAt: number
}
interface From {
  /** The storage of STORAGE_URL. */
  storage: BlobDriver
  db: Db
  config: Config
  now(): Date
  observe?: BlobObserver | undefined
  /** Writes rows of copies; without it no storage has a mirror. */
  upkeep: Mirroring['upkeep']
  /** Told of a copy, by its place, that is damaged or does not answer, where there is another. */
  onFailure?: ((place: number, error: unknown) => void) | undefined
}

/** The storage of STORAGE_URL and those of the table, each opened when it is first needed. */
export function routeBlobs({ storage, db, config, now, observe, upkeep, onFailure }: From): Blobs {
  const known = new Map<number, Opened>()
  const replaced = new Map<Closable, NodeJS.Timeout>()

  const away = ({ name }: store.StorageRow, why: string, cause?: unknown) =>
    new StorageAway(`The storage "${name}" ${why}`, { cause })
  function assertUsable(row: store.StorageRow): void {
    if (row.disabled_at !== null) throw away(row, 'is turned off')
    if (!config.storagesEnabled) throw away(row, 'is not used, because STORAGES_ENABLED is false')
  }

  async function open(row: store.StorageRow): Promise<BlobDriver> {
    assertUsable(row)
    let driver: BlobDriver
    try {
      driver = await openWhere(whereOf(config, row), { existing: row.marked_at !== null })
      if (row.marked_at !== null) {
        const owner = await driver.owner()
        if (owner !== markOfStorage(await store.findInstanceId(db), row.id)) {
          await driver.close()
          throw new Error(`it has another mark than ours: ${owner ?? 'none'}`)
        }
      }
    } catch (error) {
      throw away(row, `cannot be used: ${(error as Error).message}`, error)
    }
    return observe ? observeBlobs(driver, observe) : driver
  }

  async function openExternal<T>(row: store.StorageRow, open: (where: Where) => Promise<T>): Promise<T> {
    assertUsable(row)
    return open(whereOf(config, row)).catch((error: unknown) => {
      throw away(row, `cannot be used: ${(error as Error).message}`, error)
    })
  }

  function retire({ driver, externals }: Opened): void {
    for (const one of [driver, ...externals.values()])
      one?.then(
        (opened) => {
          const end = () => {
            replaced.delete(opened)
            Promise.resolve(opened.close()).catch(() => undefined)
          }
          replaced.set(opened, setTimeout(end, LINGERS_MS).unref())
        },
        () => undefined,
      )
  }

  async function read(id: number): Promise<Opened> {
    const row = await store.findStorageById(db, id)
    const before = known.get(id)
    const readAt = now().getTime()
    if (before && isDeepStrictEqual(before.row, row)) {
      before.readAt = readAt
      return before
    }
    known.delete(id)
    if (before) retire(before)
    if (!row) throw new StorageAway(`There is no storage with the number ${id}`)
    const opened = { row, readAt, externals: new Map() }
    known.set(id, opened)
    return opened
  }
  const reads = new Map<number, Promise<Opened>>()
  const readOnce = (id: number): Promise<Opened> => {
    const reading = reads.get(id) ?? read(id).finally(() => reads.delete(id))
    reads.set(id, reading)
    return reading
  }

  async function fresh(id: number): Promise<Opened> {
    const found = known.get(id)
    return found && Math.abs(now().getTime() - found.readAt) <= FRESH_MS ? found : readOnce(id)
  }
  /** What cannot be opened is tried again by the next who need it. */
  function forget(opened: Opened, what: unknown): void {
    if (what === 'driver') delete opened.driver
    else opened.externals.delete(what)
    opened.readAt = Number.NEGATIVE_INFINITY
  }
  async function driver(id: StorageId): Promise<BlobDriver> {
    if (id === DEFAULT) return storage
    const opened = await fresh(id)
    opened.driver ??= open(opened.row).catch((error: unknown) => {
      forget(opened, 'driver')
      throw error
    })
    return opened.driver
  }
  /** What `open` opens of a bucket that others keep, when it is first needed. */
  const external =
    <T extends Closable>(open: (where: Where) => Promise<T>) =>
    async (id: number): Promise<T> => {
      const opened = await fresh(id)
      const known = opened.externals.get(open) as Promise<T> | undefined
      const opening =
        known ??
        openExternal(opened.row, open).catch((error: unknown) => {
          forget(opened, open)
          throw error
        })
      opened.externals.set(open, opening)
      return opening
    }
  const source = external(openSource)
  const copies = routeCopies({ db, driver, upkeep, now, limitMs: config.mirrorTimeoutMs, onFailure })
  async function of(id: string): Promise<BlobDriver> {
    if (isExternal(id)) throw new Error('Bytes that others keep are only read')
    return copies.driverOf(storageOf(id))
  }
  async function getExternal(id: string, range: ByteRange | undefined): Promise<BlobBody> {
    const ref = await store.findExternal(db, id)
    if (!ref) throw new ExternalChanged()
    const engine = await source(storageOf(id) as number)
    return engine.get(ref, range).catch((error: unknown) => {
      throw ref.frozen && error instanceof ExternalChanged ? new TakenOverBytesChanged(error) : withExplanation(error)
    })
  }
  /** Destroys the source on failure, like a driver that cannot store it. */
  const forSource = (id: string, source: unknown) =>
    of(id).catch((error: unknown) => {
      if (source instanceof Readable) source.destroy()
      throw error
    })

  /**
   * What is on every storage that has blobs of ours, the default one first. One that is away does not keep the others from
   * being read; then it rejects.
   */
  async function* ofAll(list: (driver: BlobDriver) => AsyncIterable<StoredBlob>): AsyncGenerator<StoredBlob> {
    const failures: unknown[] = []
    const marked = (await store.listStorages(db)).filter(({ marked_at }) => marked_at !== null)
    for (const id of [DEFAULT, ...marked.map((row) => row.id)])
      try {
        for await (const blob of list(await copies.driverOf(id))) if (storageOf(blob.id) === id) yield blob
      } catch (error) {
        failures.push(error)
      }
    if (failures.length > 0) throw failures[0]
  }

  return {
    driver: copies.driverOf,
    source,
    remover: external(openRemover),
    writer: external(openWriter),
    refresh(id) {
      const found = known.get(id)
      if (found) found.readAt = Number.NEGATIVE_INFINITY
    },
    traitsOf: async (id) => (await of(id)).traits,
    put: async (id, source, size) => (await forSource(id, source)).put(id, source, size),
    async get(id, size, range, expected) {
      if (isExternal(id)) return getExternal(id, range)
      return expected ? copies.read(id, size, { range, expected }) : (await of(id)).get(id, size, range)
    },
    getFrom: (places, id, size, expected) => copies.read(id, size, { range: undefined, expected }, places),
    placesOf: copies.placesOf,
    place: copies.place,
    refreshCopies: copies.refresh,
    remove: async (id) => (await of(id)).remove(id),
    beginParts: async (id) => (await of(id)).beginParts(id),
    putPart: async (id, handle, part, source) => (await forSource(id, source)).putPart(id, handle, part, source),
    copyPart: async (...call) => {
      const [id, , , from] = call
      const isNear = storageOf(id) === storageOf(from.id) && !isExternal(from.id)
      return isNear ? (await of(id)).copyPart(...call) : null
    },
    removePart: async (id, handle, part) => (await of(id)).removePart(id, handle, part),
    listParts: async (id, handle) => (await of(id)).listParts(id, handle),
    completeParts: async (id, handle, parts) => (await of(id)).completeParts(id, handle, parts),
    async copyRanges(id, from, ranges, onCopied) {
      if (storageOf(id) !== storageOf(from.id) || isExternal(from.id))
        throw new Error('Ranges are only copied within one storage')
      await (await of(id)).copyRanges(id, from, ranges, onCopied)
    },
    abortParts: async (id, handle) => (await of(id)).abortParts(id, handle),
    partUrl: async (id, handle, number, options) => (await of(id)).partUrl(id, handle, number, options),
    directUrl: async (id, options) => (isExternal(id) ? null : (await of(id)).directUrl(id, options)),
    list: (onDamaged) => ofAll((one) => one.list(onDamaged)),
    setAside: async (id) => (await of(id)).setAside(id),
    bringBack: async (id) => (await of(id)).bringBack(id),
    listAside: () => ofAll((one) => one.listAside()),
    removeAside: async (id) => (await of(id)).removeAside(id),
    check: () => storage.check(),
    async close() {
      const open = [...known.values()].flatMap((one) =>
        [one.driver, ...one.externals.values()].map((each) => each?.catch(() => undefined)),
      )
      for (const timer of replaced.values()) clearTimeout(timer)
      const drivers = [storage, ...replaced.keys(), ...(await Promise.all(open))]
      known.clear()
      replaced.clear()
      await Promise.all(drivers.map((one) => one?.close()))
    },
  }
}
