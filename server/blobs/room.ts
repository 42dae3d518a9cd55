import fs from 'node:fs'
import path from 'node:path'
import { perSystem } from '../base/per-system.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { databaseFile } from '../db/engine.ts'
import { storageFull } from '../db/storage-full.ts'
import type { StorageId } from '../drivers/blobs.ts'
import { storageFolder } from '../drivers/open.ts'
import { DEFAULT } from '../drivers/routing/ids.ts'

/** How long a measurement counts, in milliseconds. */
const FRESH_MS = 250
/** Bytes that an upload takes of the database's disk besides its own: some 20 pages of the log, and of the database. */
const ROW_BYTES = 128 * 1024
/** The least part of a disk that is usable: no more than an eighth is kept free. */
const MOST_KEPT = 1 / 8

/** A disk on which this service's own files are: those of a SQLite database, or of the default storage, or both. */
export interface Disk {
  /** What is on it. */
  of: 'database' | 'storage'
  folder: string
  /** Bytes that may still be written; negative infinity before the first measurement. */
  free: number
  /** Bytes of the whole disk. */
  size: number
  /** Bytes that are kept for what makes room, and for the reserve while it is let go: uploads end there. */
  kept: number
  /** Bytes that the reserve beside the database should have; 0 on a disk without. */
  reserve: number
}
interface Measured extends Disk {
  /** Which file system it is: both may be the same. */
  device: number | undefined
  /** What this process has taken of it since. */
  taken: number
  at: number
}

interface Room {
  disks: Measured[]
  database: Pick<Database, 'reserve' | 'shrinkLog'> | undefined
  /** When a key was deleted that the log of the database may still hold, in ms; undefined if none was. */
  erased: number | undefined
  measuring: Promise<void> | undefined
}

const roomFor = perSystem<Room, Config>(({ databaseUrl, storageUrl }) => {
  const file = databaseFile(databaseUrl)
  const folder = storageFolder(storageUrl)
  const disk = (of: Disk['of'], place: string): Measured => ({
    of,
    folder: place,
    free: Number.NEGATIVE_INFINITY,
    size: 0,
    kept: 0,
    reserve: 0,
    device: undefined,
    taken: 0,
    at: Number.NEGATIVE_INFINITY,
  })
  return {
    disks: [
      ...(file === undefined ? [] : [disk('database', path.dirname(path.resolve(file)))]),
      ...(folder === undefined ? [] : [disk('storage', folder)]),
    ],
    database: undefined,
    erased: undefined,
    measuring: undefined,
  }
})

/** Tells which database it is whose log and reserve take space of these disks. */
export function useDatabase(config: Config, database: Room['database']): void {
  roomFor(config).database = database
}
/** Notes that a transaction deletes keys. */
export function noteErased(config: Config, now: Date): void {
  roomFor(config).erased ??= now.getTime()
}

/** How long a transaction may take that deletes keys, in ms; then they are in the log at most. */
const ERASED_MS = 60_000

/**
 * Empties the log of a SQLite database of keys that were deleted a minute ago or before: what is deleted is overwritten in
 * the database's file at once, but not what was logged of it. Tried again by the next call if someone reads the log just then.
 */
export async function emptyLogOfErased(config: Config, now: Date): Promise<void> {
  const room = roomFor(config)
  const at = room.erased
  if (at === undefined || Math.abs(now.getTime() - at) < ERASED_MS) return
  room.erased = undefined
  if (!((await room.database?.shrinkLog(0)) ?? true)) room.erased ??= at
}
/** The database that was told. */
export const databaseOf = (config: Config): Room['database'] => roomFor(config).database

/** Measures the disks, which takes microseconds. One that cannot be measured keeps what was known of it. */
export async function measureDisks(config: Config): Promise<readonly Disk[]> {
  const room = roomFor(config)
  room.measuring ??= Promise.all(room.disks.map((disk) => measure(config, room, disk))).then(() => {
    room.measuring = undefined
  })
  await room.measuring
  return room.disks
}

async function measure({ diskReserveBytes }: Config, { database }: Room, disk: Measured): Promise<void> {
  const found = await Promise.all([fs.promises.statfs(disk.folder), fs.promises.stat(disk.folder)]).catch(() => null)
  if (!found) return
  const [{ bavail, blocks, bsize }, { dev: device }] = found
  const least = Math.min(diskReserveBytes, Math.floor(blocks * bsize * MOST_KEPT))
  const reserve = disk.of === 'database' && database?.reserve ? least : 0
  // Of an earlier size until it is made again.
  const missing = Math.max(0, reserve - (database?.reserve?.held() ?? 0))
  Object.assign(disk, { free: bavail * bsize, size: blocks * bsize, reserve, kept: least + missing })
  Object.assign(disk, { device, taken: 0, at: performance.now() })
}

/** Whether so little of a disk is left that nothing new is stored on it. */
export const isShort = ({ free, size, kept }: Disk): boolean => size > 0 && free < kept

/** Whether that is so of a disk of this service, as last measured. */
export const isDiskShort = (config: Config): boolean => roomFor(config).disks.some(isShort)

/** Throws storage_full while it is so: for what grows without sending bytes. */
export function refuseIfShort(config: Config): void {
  if (isDiskShort(config)) throw storageFull()
}

/**
 * Takes room for bytes that are about to be written to a storage. Throws, or rejects, with storage_full if less would be left
 * than is kept. Returns a promise only where the disks have to be measured first. `ahead`: takes room for the rows, and only
 * looks whether there is some for the bytes, which is taken as they arrive.
 */
export function takeRoom(
  config: Config,
  storage: StorageId,
  bytes: number,
  { ahead = false } = {},
): Promise<void> | undefined {
  if (config.diskReserveBytes === 0) return undefined
  const { disks } = roomFor(config)
  const ours = disks.find(({ of }) => of === 'storage')?.device
  const rows = ({ of }: Measured) => (of === 'database' && ahead ? ROW_BYTES : 0)
  const bodies = ({ device }: Measured) => (storage === DEFAULT && device === ours ? bytes : 0)
  const fits = (disk: Measured) => disk.free - disk.taken - rows(disk) - bodies(disk) >= disk.kept
  const take = () => {
    for (const disk of disks) disk.taken += rows(disk) + (ahead ? 0 : bodies(disk))
  }
  const now = performance.now()
  if (disks.every((disk) => now - disk.at < FRESH_MS && fits(disk))) {
    take()
    return undefined
  }
  return measureDisks(config).then(() => {
    // One that could not be measured keeps nobody from trying.
    if (disks.some((disk) => disk.size > 0 && !fits(disk))) throw storageFull()
    take()
  })
}
