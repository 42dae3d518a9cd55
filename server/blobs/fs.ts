import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { sharedSync } from '../shared-sync.ts'
import { assertBlobId, type BlobBody, type BlobDriver, BlobMissing, type ByteRange, type StoredBlob } from './driver.ts'

// The callback functions: a FileHandle costs a third more per small file.
const open = promisify(fs.open)
const close = promisify(fs.close)
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

/** Bodies up to this come in one piece. */
const ONE_CHUNK = 64 * 1024
const READ_SIZE = 256 * 1024
const WRITE_SIZE = 256 * 1024

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
const unlinkIfThere = (file: string): Promise<void> =>
  unlink(file).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })

/**
 * Blobs as files below `folder`: written to `tmp/<id>`, synced, renamed to `<last two digits>/<id>`, and the folder
 * synced. 256 folders, whose syncs are shared by whoever needs them at the same time.
 */
export function fileDriver(folder: string): BlobDriver {
  const root = path.resolve(folder)
  const tmp = path.join(root, 'tmp')
  fs.mkdirSync(tmp, { recursive: true, mode: 0o700 })
  const shards = Array.from({ length: 256 }, (_, i) => {
    const directory = path.join(root, i.toString(16).padStart(2, '0'))
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
    const fd = fs.openSync(directory, 'r')
    return { directory, fd, sync: sharedSync(() => fsync(fd)) }
  })
  const rootFd = fs.openSync(root, 'r')
  fs.fsyncSync(rootFd)
  fs.closeSync(rootFd)

  const shardOf = (id: string) => shards[Number.parseInt(id.slice(-2), 16)] as (typeof shards)[number]
  const tmpPath = (id: string) => path.join(tmp, id)
  const finalPath = (id: string) => path.join(shardOf(id).directory, id)

  async function put(id: string, source: AsyncIterable<Uint8Array>): Promise<number> {
    assertBlobId(id)
    const shard = shardOf(id)
    if (fs.existsSync(finalPath(id))) throw new Error(`Blob ${id} exists already`)
    const fd = await open(tmpPath(id), 'wx', 0o600)
    let size = 0
    try {
      try {
        for await (const chunks of coalesced(source)) {
          await writeAll(fd, chunks)
          for (const chunk of chunks) size += chunk.length
        }
        await fdatasync(fd)
      } finally {
        await close(fd)
      }
      await rename(tmpPath(id), finalPath(id))
      await shard.sync()
    } catch (error) {
      await unlinkIfThere(tmpPath(id))
      await unlinkIfThere(finalPath(id))
      throw error
    }
    return size
  }

  async function get(id: string, size: number, range?: ByteRange): Promise<BlobBody> {
    assertBlobId(id)
    const start = range?.start ?? 0
    const length = (range?.end ?? size - 1) - start + 1
    if (length <= 0) return new Uint8Array(0)
    const fd = await open(finalPath(id), 'r').catch((error: unknown) => {
      throw isMissing(error) ? new BlobMissing(id, error) : error
    })
    if (length > ONE_CHUNK) return rangeStream(id, fd, start, length)
    try {
      const buffer = Buffer.allocUnsafe(length)
      let got = 0
      while (got < length) {
        const count = await read(fd, buffer, got, length - got, start + got)
        if (count === 0) throw new BlobMissing(id)
        got += count
      }
      return buffer
    } finally {
      fs.close(fd)
    }
  }

  async function remove(id: string): Promise<void> {
    assertBlobId(id)
    await unlinkIfThere(tmpPath(id))
    await unlinkIfThere(finalPath(id))
  }

  async function* list(): AsyncGenerator<StoredBlob> {
    for (const { directory } of shards)
      for await (const entry of await fs.promises.opendir(directory)) {
        const stat = await fs.promises.stat(path.join(directory, entry.name)).catch((error: unknown) => {
          if (!isMissing(error)) throw error
        })
        if (stat?.isFile()) yield { id: entry.name, size: stat.size, modified_at: stat.mtime }
      }
  }

  async function check(): Promise<void> {
    const probe = path.join(tmp, `probe-${randomUUID()}`)
    await fs.promises.writeFile(probe, 'stowage', { flag: 'wx' })
    await unlink(probe)
  }

  async function closeAll(): Promise<void> {
    for (const { fd } of shards) await close(fd)
  }

  return { put, get, remove, list, check, close: closeAll }
}

/** Gathers small chunks, so that a trickling body is not written byte by byte. */
async function* coalesced(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  let chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < WRITE_SIZE) continue
    yield chunks
    chunks = []
    bytes = 0
  }
  if (bytes > 0) yield chunks
}

async function writeAll(fd: number, chunks: Uint8Array[]): Promise<void> {
  let rest = chunks
  while (rest.length > 0) {
    let written = await writev(fd, rest)
    const next: Uint8Array[] = []
    for (const chunk of rest) {
      if (written < chunk.length) next.push(written > 0 ? chunk.subarray(written) : chunk)
      written = Math.max(0, written - chunk.length)
    }
    rest = next
  }
}

/** A stream of exactly `length` bytes of an open file, which it closes. */
function rangeStream(id: string, fd: number, start: number, length: number): Readable {
  let position = start
  const end = start + length
  return new Readable({
    highWaterMark: READ_SIZE,
    read() {
      const size = Math.min(READ_SIZE, end - position)
      if (size === 0) return void this.push(null)
      const buffer = Buffer.allocUnsafeSlow(size)
      fs.read(fd, buffer, 0, size, position, (error, got) => {
        if (error || got === 0) return void this.destroy(error ?? new BlobMissing(id))
        position += got
        this.push(got === size ? buffer : buffer.subarray(0, got))
      })
    },
    destroy(error, done) {
      fs.close(fd, (failure) => done(error ?? failure))
    },
  })
}
