import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { systemCalls } from '../../base/system-calls.ts'
import { claimFolder } from './folder.ts'

/** A cached result. */
export interface Entry {
  /** Media type. */
  type: string
  bytes: Uint8Array
}

/** Files occupy whole disk blocks. */
const BLOCK = 4096
const HEAD_LIMIT = 1024
const FOLDERS = 256
/** One in this many hits also updates the file's time on disk, to preserve the order across restarts. */
const TOUCH_EVERY = 50
/**
 * Age in milliseconds at which a leftover of an interrupted write is deleted; a younger one may be another process's.
 */
const STALE_MS = 600_000

const { open, close, fstat, rename, unlink, writev, read } = systemCalls()
const ignore = () => {}
const costOf = (size: number): number => Math.ceil(size / BLOCK) * BLOCK

export type Cache = ReturnType<typeof createCache>

/**
 * Derivatives on disk, evicted least recently used first, never more than `limit` bytes. A file name starts with the
 * blob's id, so that all files of a blob can be found; the full key is in the file. A damaged file counts as a miss.
 */
export function createCache(folder: string, limit: number) {
  /** Sizes of files by name, least recently used first. */
  const sizes = new Map<string, number>()
  let used = 0
  /** Whether `sizes` covers everything on disk. */
  let complete = false
  const temporary = path.join(folder, 'tmp')
  const nameOf = (blobId: string, key: string) => `${blobId}.${key.slice(0, 22)}`
  const fileOf = (name: string) => path.join(folder, name.slice(34, 36), name)

  let scanned: Promise<void> | undefined
  /** Loads what an earlier process cached. */
  const ready = (): Promise<void> => {
    scanned ??= limit > 0 ? scan().catch(ignore) : Promise.resolve()
    return scanned
  }
  async function scan(): Promise<void> {
    await claimFolder(folder)
    await fs.promises.mkdir(temporary, { recursive: true, mode: 0o700 })
    for (const name of await fs.promises.readdir(temporary)) {
      const file = path.join(temporary, name)
      const there = await fs.promises.stat(file).catch(() => undefined)
      if (there && Date.now() - there.mtimeMs > STALE_MS) await fs.promises.unlink(file).catch(ignore)
    }
    const found: { name: string; size: number; at: number }[] = []
    for (let i = 0; i < FOLDERS; i++) {
      const inside = path.join(folder, i.toString(16).padStart(2, '0'))
      for (const name of await fs.promises.readdir(inside).catch(() => [])) {
        // Another process may have removed it by now.
        const there = await fs.promises.stat(path.join(inside, name)).catch(() => undefined)
        if (there) found.push({ name, size: there.size, at: there.mtimeMs })
      }
    }
    found.sort((a, b) => a.at - b.at)
    for (const { name, size } of found) {
      if (sizes.has(name)) continue
      sizes.set(name, size)
      used += costOf(size)
    }
    await makeRoom(0)
    complete = true
  }

  function drop(name: string): Promise<void> {
    const size = sizes.get(name)
    if (size !== undefined) used -= costOf(size)
    sizes.delete(name)
    return unlink(fileOf(name)).catch(ignore)
  }

  /** Reserves bytes before they are written, evicting as needed; false when there is no room. */
  async function makeRoom(cost: number): Promise<boolean> {
    used += cost
    const gone: Promise<void>[] = []
    for (const name of sizes.keys()) {
      if (used <= limit) break
      gone.push(drop(name))
    }
    await Promise.all(gone)
    if (used <= limit) return true
    used -= cost
    return false
  }

  async function load(file: string, known: number | undefined): Promise<Buffer> {
    const fd = await open(file, 'r')
    try {
      const buffer = Buffer.allocUnsafe(known ?? (await fstat(fd)).size)
      return buffer.subarray(0, await read(fd, buffer, { offset: 0, length: buffer.length, position: 0 }))
    } finally {
      await close(fd)
    }
  }

  return {
    ready,
    /** Bytes on disk, as blocks. */
    used: () => used,
    async get(blobId: string, key: string): Promise<Entry | undefined> {
      if (limit === 0) return undefined
      const name = nameOf(blobId, key)
      const size = sizes.get(name)
      if (size === undefined && complete) return undefined
      const file = fileOf(name)
      let content: Buffer
      try {
        content = await load(file, size)
      } catch {
        await drop(name)
        return undefined
      }
      const entry = parse(content, key)
      if (!entry) {
        await drop(name)
        return undefined
      }
      if (sizes.delete(name)) sizes.set(name, content.length)
      if (Math.random() * TOUCH_EVERY < 1) fs.utimes(file, new Date(), new Date(), ignore)
      return entry
    },
    /** Caches an entry if there is room; rejects if it cannot be written. */
    async put(blobId: string, key: string, { type, bytes }: Entry): Promise<void> {
      const head = Buffer.from(`${JSON.stringify({ key, type, length: bytes.length, crc: crc32(bytes) })}\n`)
      const size = head.length + bytes.length
      if (costOf(size) > limit) return
      await ready()
      const name = nameOf(blobId, key)
      if (sizes.has(name) || !(await makeRoom(costOf(size)))) return
      const draft = path.join(temporary, randomUUID())
      const file = fileOf(name)
      const write = () => writeNew(draft, [head, bytes]).then(() => rename(draft, file))
      try {
        await write().catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error
          await claimFolder(folder)
          for (const one of [temporary, path.dirname(file)])
            await fs.promises.mkdir(one, { recursive: true, mode: 0o700 })
          await unlink(draft).catch(ignore)
          await write()
        })
      } catch (error) {
        used -= costOf(size)
        await unlink(draft).catch(ignore)
        throw error
      }
      if (sizes.has(name)) used -= costOf(size)
      else sizes.set(name, size)
    },
    /** Ids of the blobs that have cached entries. */
    blobs: (): Set<string> => new Set([...sizes.keys()].map((name) => name.slice(0, 36))),
    /** Deletes everything cached for these blobs. */
    async purge(blobs: ReadonlySet<string>): Promise<void> {
      const gone = [...sizes.keys()].filter((name) => blobs.has(name.slice(0, 36)))
      await Promise.all(gone.map(drop))
    },
  }
}

async function writeNew(file: string, chunks: Uint8Array[]): Promise<void> {
  const fd = await open(file, 'wx', 0o600)
  try {
    const wanted = chunks.reduce((sum, { length }) => sum + length, 0)
    if ((await writev(fd, chunks)) !== wanted) throw new Error('The disk accepted only part of the data')
  } finally {
    await close(fd)
  }
}

/** Parses a file's entry; undefined if it belongs to another key or is damaged. */
function parse(content: Buffer, key: string): Entry | undefined {
  const end = content.subarray(0, HEAD_LIMIT).indexOf(10)
  try {
    const head = JSON.parse(content.toString('utf8', 0, end)) as {
      key: string
      type: string
      length: number
      crc: number
    }
    const bytes = content.subarray(end + 1)
    if (head.key !== key || head.length !== bytes.length || head.crc !== crc32(bytes)) return undefined
    return { type: head.type, bytes }
  } catch {
    return undefined
  }
}
