import { Readable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/schema.ts'
import type { Blobs, StorageId } from '../drivers/blobs.ts'
import { type BlobDriver, StorageAway, type StoredBlob } from '../drivers/driver.ts'
import { type BlobObserver, observeBlobs } from '../drivers/observed.ts'
import { DEFAULT, markOfStorage, storageOf } from './ids.ts'
import { openWhere, whereOf } from './open.ts'
import * as store from './store.ts'

/** Milliseconds after which a row is read again: it may have been changed by another process. */
const FRESH_MS = 10_000
/** How long a driver that was replaced stays open for those who still use it. */
const LINGERS_MS = 600_000

interface Opened {
  driver: Promise<BlobDriver>
  /** The row it was opened from, as text. */
  row: string
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
}

/** The storage of STORAGE_URL and those of the table, each opened when it is first needed. */
export function routeBlobs({ storage, db, config, now, observe }: From): Blobs {
  const known = new Map<number, Opened>()
  const replaced = new Map<BlobDriver, NodeJS.Timeout>()

  async function open(row: store.StorageRow): Promise<BlobDriver> {
    const away = (why: string, cause?: unknown) => new StorageAway(`The storage "${row.name}" ${why}`, { cause })
    if (row.disabled_at !== null) throw away('is turned off')
    if (!config.storagesEnabled) throw away('is not used, because STORAGES_ENABLED is false')
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
      throw away(`cannot be used: ${(error as Error).message}`, error)
    }
    return observe ? observeBlobs(driver, observe) : driver
  }

  function retire(opened: Opened): void {
    opened.driver.then(
      (driver) => {
        const end = () => {
          replaced.delete(driver)
          driver.close().catch(() => undefined)
        }
        replaced.set(driver, setTimeout(end, LINGERS_MS).unref())
      },
      () => undefined,
    )
  }

  async function read(id: number): Promise<Opened> {
    const row = await store.findStorageById(db, id)
    const before = known.get(id)
    const text = JSON.stringify(row)
    const readAt = now().getTime()
    if (before && before.row === text) {
      before.readAt = readAt
      return before
    }
    known.delete(id)
    if (before) retire(before)
    if (!row) throw new StorageAway(`There is no storage with the number ${id}`)
    const opened = { driver: open(row), row: text, readAt }
    known.set(id, opened)
    // What cannot be opened is tried again by the next who need it.
    opened.driver.catch(() => known.get(id) === opened && known.delete(id))
    return opened
  }
  const reads = new Map<number, Promise<Opened>>()
  const readOnce = (id: number): Promise<Opened> => {
    const reading = reads.get(id) ?? read(id).finally(() => reads.delete(id))
    reads.set(id, reading)
    return reading
  }

  async function driver(id: StorageId): Promise<BlobDriver> {
    if (id === DEFAULT) return storage
    const found = known.get(id)
    const isFresh = found !== undefined && Math.abs(now().getTime() - found.readAt) <= FRESH_MS
    return (isFresh ? found : await readOnce(id)).driver
  }
  const of = (id: string) => driver(storageOf(id))
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
        for await (const blob of list(await driver(id))) if (storageOf(blob.id) === id) yield blob
      } catch (error) {
        failures.push(error)
      }
    if (failures.length > 0) throw failures[0]
  }

  return {
    driver,
    refresh(id) {
      const found = known.get(id)
      if (found) found.readAt = Number.NEGATIVE_INFINITY
    },
    traitsOf: async (id) => (await of(id)).traits,
    put: async (id, source, size) => (await forSource(id, source)).put(id, source, size),
    get: async (id, size, range) => (await of(id)).get(id, size, range),
    remove: async (id) => (await of(id)).remove(id),
    beginParts: async (id) => (await of(id)).beginParts(id),
    putPart: async (id, handle, part, source) => (await forSource(id, source)).putPart(id, handle, part, source),
    copyPart: async (...call) => {
      const [id, , , from] = call
      return storageOf(id) === storageOf(from.id) ? (await of(id)).copyPart(...call) : null
    },
    removePart: async (id, handle, part) => (await of(id)).removePart(id, handle, part),
    listParts: async (id, handle) => (await of(id)).listParts(id, handle),
    completeParts: async (id, handle, parts) => (await of(id)).completeParts(id, handle, parts),
    async copyRanges(id, from, ranges, onCopied) {
      if (storageOf(id) !== storageOf(from.id)) throw new Error('Ranges are only copied within one storage')
      await (await of(id)).copyRanges(id, from, ranges, onCopied)
    },
    abortParts: async (id, handle) => (await of(id)).abortParts(id, handle),
    partUrl: async (id, handle, number, options) => (await of(id)).partUrl(id, handle, number, options),
    directUrl: async (id, options) => (await of(id)).directUrl(id, options),
    list: (onDamaged) => ofAll((one) => one.list(onDamaged)),
    setAside: async (id) => (await of(id)).setAside(id),
    bringBack: async (id) => (await of(id)).bringBack(id),
    listAside: () => ofAll((one) => one.listAside()),
    removeAside: async (id) => (await of(id)).removeAside(id),
    check: () => storage.check(),
    async close() {
      const open = [...known.values()].map((one) => one.driver.catch(() => undefined))
      for (const timer of replaced.values()) clearTimeout(timer)
      const drivers = [storage, ...replaced.keys(), ...(await Promise.all(open))]
      known.clear()
      replaced.clear()
      await Promise.all(drivers.map((one) => one?.close()))
    },
  }
}
