import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { sharedSync } from '../shared-sync.ts'
import {
  assertBlobId,
  type BlobBody,
  type BlobDriver,
  BlobMissing,
  type ByteRange,
  isBlobId,
  type StoredBlob,
} from './driver.ts'

// The callback functions: a read of 4 KiB through a FileHandle takes 1.7 times as long.
const open = promisify(fs.open)
const close = promisify(fs.close)
const fstat = promisify(fs.fstat)
const fdatasync = promisify(fs.fdatasync)
const fsync = promisify(fs.fsync)
const rename = promisify(fs.rename)
const unlink = promisify(fs.unlink)
const writev = (fd: number, chunks: Uint8Array[]): Promise<number> =>
  new Promise((resolve, reject) =>
    fs.writev(fd, chunks, (error, written) => (error ? reject(error) : resolve(written))),
  )
const read = (fd: number, buffer: Uint8Array, offset: number, length: number, position: number): Promise<number> =>
  new Promise((resolve, reject) =>
    fs.read(fd, buffer, offset, length, position, (error, got) => (error ? reject(error) : resolve(got))),
  )
const exists = (file: string): Promise<boolean> => new Promise((resolve) => fs.access(file, (error) => resolve(!error)))
const ignore = () => {}

/** Bodies up to this come in one piece. */
const ONE_CHUNK = 64 * 1024
const READ_SIZE = 256 * 1024
/** Chunks are written together when they have this many bytes, or are this many. */
const WRITE_SIZE = 256 * 1024
const WRITE_CHUNKS = 1024
const STATS_AT_A_TIME = 64

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
const unlinkIfThere = (file: string): Promise<void> =>
  unlink(file).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })

/**
 * Blobs as files below `folder`: written to `<last two digits>/<id>.tmp`, synced, renamed to `<id>`, and the folder
 * synced. 256 folders, whose syncs are shared by whoever needs them at the same time; temporary files lie there too,
 * since one common folder for them makes everyone wait for its lock on a busy disk. Throws when the folders cannot be
 * made.
 */
export function fileDriver(folder: string): BlobDriver {
  const root = path.resolve(folder)
  const shardFolders = Array.from({ length: 256 }, (_, i) => path.join(root, i.toString(16).padStart(2, '0')))
  makeFolders(root, shardFolders)
  const shards = shardFolders.map((directory) => {
    const fd = fs.openSync(directory, 'r')
    return { directory, fd, sync: sharedSync(() => fsync(fd)) }
  })
  const putting = new Set<Promise<number>>()
  let closed = false

  const shardOf = (id: string) => shards[Number.parseInt(id.slice(-2), 16)] as (typeof shards)[number]
  const finalPath = (id: string) => path.join(shardOf(id).directory, id)
  const tmpPath = (id: string) => `${finalPath(id)}.tmp`

  async function store(id: string, source: AsyncIterable<Uint8Array>): Promise<number> {
    assertBlobId(id)
    if (closed) throw new Error('The blob storage is closed')
    const temporary = tmpPath(id)
    const final = finalPath(id)
    let created = false
    let named = false
    let fd: number | undefined
    let size = 0
    let writing: Promise<void> = Promise.resolve()
    const write = async (chunks: Uint8Array[]): Promise<number> => {
      await writing
      fd ??= await open(temporary, 'wx', 0o600)
      created = true
      writing = writeAll(fd, chunks)
      writing.catch(ignore)
      return fd
    }
    try {
      let chunks: Uint8Array[] = []
      let gathered = 0
      for await (const chunk of source) {
        chunks.push(chunk)
        gathered += chunk.length
        size += chunk.length
        if (gathered < WRITE_SIZE && chunks.length < WRITE_CHUNKS) continue
        await write(chunks)
        chunks = []
        gathered = 0
      }
      const file = await write(chunks)
      await writing
      // Looked for only now, as nobody else can come to the final name: that takes the temporary name, which is ours.
      const [taken] = await Promise.all([exists(final), fdatasync(file)])
      if (taken) throw new Error(`Blob ${id} exists already`)
      named = true
      fd = undefined
      fs.close(file, ignore)
      await rename(temporary, final)
      await shardOf(id).sync()
    } catch (error) {
      await writing.catch(ignore)
      if (fd !== undefined) await close(fd).catch(ignore)
      if (created) await unlink(temporary).catch(ignore)
      if (named) await unlink(final).catch(ignore)
      throw error
    }
    return size
  }

  function put(id: string, source: AsyncIterable<Uint8Array>): Promise<number> {
    const result = store(id, source)
    const done = () => putting.delete(result)
    putting.add(result)
    result.then(done, done)
    return result
  }

  async function get(id: string, size: number, range?: ByteRange): Promise<BlobBody> {
    assertBlobId(id)
    const start = range?.start ?? 0
    const length = (range?.end ?? size - 1) - start + 1
    if (range && (start < 0 || length < 1 || range.end >= size)) throw new RangeError('The range is not of this blob')
    const fd = await open(finalPath(id), 'r').catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissing(id, error) : error
    })
    let streamed = false
    try {
      if (length > ONE_CHUNK) {
        if ((await fstat(fd)).size < start + length) throw new BlobMissing(id)
        streamed = true
        return rangeStream(id, fd, start, length)
      }
      const buffer = Buffer.allocUnsafe(length)
      let got = 0
      while (got < length) {
        const count = await read(fd, buffer, got, length - got, start + got)
        if (count === 0) throw new BlobMissing(id)
        got += count
      }
      return buffer
    } finally {
      // Nobody has to wait for it: a fifth more reads a second.
      if (!streamed) fs.close(fd, ignore)
    }
  }

  async function remove(id: string): Promise<void> {
    assertBlobId(id)
    // In this order no put can slip through between the two.
    await unlinkIfThere(tmpPath(id))
    await unlinkIfThere(finalPath(id))
  }

  async function findBlob(id: string): Promise<StoredBlob | undefined> {
    const stat = await fs.promises.stat(finalPath(id)).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    return stat?.isFile() ? { id, size: stat.size, modified_at: stat.mtime } : undefined
  }

  async function* list(): AsyncGenerator<StoredBlob> {
    for (const { directory } of shards)
      for await (const ids of blobIdsIn(directory))
        for (const blob of await Promise.all(ids.map(findBlob))) if (blob) yield blob
  }

  async function check(): Promise<void> {
    const probe = path.join(root, `probe-${randomUUID()}`)
    try {
      await fs.promises.writeFile(probe, 'stowage', { flag: 'wx', mode: 0o600 })
    } catch (error) {
      await unlink(probe).catch(ignore)
      throw error
    }
    await unlink(probe)
  }

  async function closeAll(): Promise<void> {
    if (closed) return
    closed = true
    await Promise.allSettled(putting)
    for (const { fd } of shards) await close(fd)
  }

  return { put, get, remove, list, check, close: closeAll }
}

/** Makes `root` and the folders in it, and syncs every folder that got a new entry. */
function makeFolders(root: string, folders: string[]): void {
  const first = fs.mkdirSync(root, { recursive: true, mode: 0o700 })
  for (const folder of folders) fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const last = first === undefined ? root : path.dirname(first)
  for (let folder = root; ; folder = path.dirname(folder)) {
    const fd = fs.openSync(folder, 'r')
    fs.fsyncSync(fd)
    fs.closeSync(fd)
    if (folder === last) break
  }
}

/** The blob ids that belong in a folder, some at a time. */
async function* blobIdsIn(directory: string): AsyncGenerator<string[]> {
  let ids: string[] = []
  for await (const { name } of await fs.promises.opendir(directory)) {
    if (!isBlobId(name) || name.slice(-2) !== path.basename(directory)) continue
    ids.push(name)
    if (ids.length < STATS_AT_A_TIME) continue
    yield ids
    ids = []
  }
  yield ids
}

/** Writes all bytes: one call may write fewer than it was given, and only the next one says why. */
async function writeAll(fd: number, chunks: Uint8Array[]): Promise<void> {
  let rest = chunks.filter((chunk) => chunk.length > 0)
  while (rest.length > 0) {
    let written = await writev(fd, rest)
    rest = rest.flatMap((chunk) => {
      const left = chunk.subarray(Math.min(written, chunk.length))
      written -= chunk.length - left.length
      return left.length > 0 ? [left] : []
    })
  }
}

/** A stream of exactly `length` bytes of an open file, which it closes. */
function rangeStream(id: string, fd: number, start: number, length: number): Readable {
  let position = start
  const end = start + length
  let reading = false
  let closeFile: (() => void) | undefined
  return new Readable({
    highWaterMark: READ_SIZE,
    read() {
      const size = Math.min(READ_SIZE, end - position)
      if (size === 0) return void this.push(null)
      const buffer = Buffer.allocUnsafeSlow(size)
      reading = true
      fs.read(fd, buffer, 0, size, position, (error, got) => {
        reading = false
        if (closeFile) return closeFile()
        if (error || got === 0) return void this.destroy(error ?? new BlobMissing(id))
        position += got
        this.push(got === size ? buffer : buffer.subarray(0, got))
      })
    },
    destroy(error, done) {
      closeFile = () => fs.close(fd, (failure) => done(error ?? failure))
      // A read in flight would otherwise go to whichever file gets this descriptor next.
      if (!reading) closeFile()
    },
  })
}
