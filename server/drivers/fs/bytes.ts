import fs from 'node:fs'
import { Readable } from 'node:stream'
import type { RecyclingSource } from '../../base/recycling-source.ts'
import { systemCalls } from '../../base/system-calls.ts'
import { STORED_SEGMENT } from '../../segments/layout.ts'
import { BlobMissing, type RecyclingStream, WrongLength } from '../driver.ts'

/** A range of a file. */
export interface Piece {
  file: string
  start: number
  length: number
}

/** Bodies up to this size are returned as one chunk: what a range within one segment of an encrypted blob takes. */
export const ONE_CHUNK = STORED_SEGMENT
const READ_SIZE = 8 * STORED_SEGMENT
/** Most buffers kept for the next reads: 8 MiB. */
const MOST_SPARE = 16
/** Chunks are buffered and written together at this many bytes, or this many chunks. */
const WRITE_SIZE = 256 * 1024
const WRITE_CHUNKS = 1024

export const ignore = () => {}
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
/** Returns undefined if a file or folder does not exist. */
export const ifThere = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch((error: unknown) => {
    if (!isMissing(error)) throw error
    return undefined
  })
export const exists = (file: string): Promise<boolean> =>
  new Promise((resolve) => fs.access(file, (error) => resolve(!error)))

const CALLS_AT_A_TIME = 64
/** Runs a few at a time; returns the results in order. */
export async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += CALLS_AT_A_TIME)
    results.push(...(await Promise.all(items.slice(at, at + CALLS_AT_A_TIME).map(work))))
  return results
}

export type FileCalls = ReturnType<typeof fileCalls>

/** System calls, and reading and writing files with them. */
export function fileCalls() {
  const calls = systemCalls()
  const { open, close, fdatasync, unlink, writev } = calls
  const unlinkIfThere = (file: string) => ifThere(unlink(file))

  /**
   * Writes a new file and syncs it. Leaves nothing if that fails, if the source yields a number of bytes other than
   * `size`, or if `check`, which runs alongside the sync, rejects.
   */
  async function writeFile(
    file: string,
    source: RecyclingSource,
    size?: number,
    check?: () => Promise<void>,
  ): Promise<number> {
    let created = false
    let fd: number | undefined
    let count = 0
    let writing: Promise<void> = Promise.resolve()
    const write = async (chunks: Uint8Array[]): Promise<number> => {
      await writing
      fd ??= await open(file, 'wx', 0o600)
      created = true
      writing = writeAll(fd, chunks).then(() => {
        if (source.recycle) for (const chunk of chunks) source.recycle(chunk)
      })
      writing.catch(ignore)
      return fd
    }
    try {
      let chunks: Uint8Array[] = []
      let gathered = 0
      for await (const chunk of source) {
        chunks.push(chunk)
        gathered += chunk.length
        count += chunk.length
        if (size !== undefined && count > size) throw new WrongLength(`The source gave more than ${size} bytes`)
        if (gathered < WRITE_SIZE && chunks.length < WRITE_CHUNKS) continue
        await write(chunks)
        chunks = []
        gathered = 0
      }
      if (size !== undefined && count < size) throw new WrongLength(`The source gave ${count} bytes instead of ${size}`)
      const opened = await write(chunks)
      await writing
      const checked = check?.()
      checked?.catch(ignore)
      await fdatasync(opened)
      await checked
      fd = undefined
      fs.close(opened, ignore)
      return count
    } catch (error) {
      await writing.catch(ignore)
      if (fd !== undefined) await close(fd).catch(ignore)
      if (created) await unlink(file).catch(ignore)
      throw error
    }
  }

  /** Writes all bytes: one call may write fewer than it was given, and only the next one reports why. */
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

  const spare: Uint8Array[] = []
  return {
    ...calls,
    unlinkIfThere,
    writeFile,
    streamOf: (id: string, pieces: readonly Piece[], opened?: number) => streamOf(spare, id, pieces, opened),
  }
}

/**
 * A stream of exactly these file ranges, which closes their descriptors. Each file is opened once the previous one has
 * been read; the first may already be open. `spare`: buffers to read into, shared by all streams. With a new one for
 * each chunk, V8 counts so much external memory that it searches the whole heap for garbage several times a second.
 */
function streamOf(spare: Uint8Array[], id: string, pieces: readonly Piece[], opened?: number): RecyclingStream {
  /** Memory of the chunks that were passed on; weak, because most readers recycle nothing. */
  const passedOn = new WeakSet<ArrayBufferLike>()
  let fd = opened
  let at = 0
  /** Bytes read of the current range. */
  let done = 0
  let busy = false
  let closeFile: (() => void) | undefined
  const stream = new Readable({
    highWaterMark: READ_SIZE,
    read() {
      const piece = pieces[at]
      if (!piece) return void this.push(null)
      busy = true
      if (fd === undefined) {
        fs.open(piece.file, 'r', (error, file) => {
          busy = false
          if (!error) fd = file
          if (closeFile) return closeFile()
          if (error) return void this.destroy(isMissing(error) ? new BlobMissing(id, error) : error)
          this._read(READ_SIZE)
        })
        return
      }
      const size = Math.min(READ_SIZE, piece.length - done)
      const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(READ_SIZE)
      fs.read(fd, buffer, 0, size, piece.start + done, (error, got) => {
        busy = false
        if (closeFile) return closeFile()
        if (error || got === 0) return void this.destroy(error ?? new BlobMissing(id))
        done += got
        if (done === piece.length && ++at < pieces.length) {
          fs.close(fd as number, ignore)
          fd = undefined
          done = 0
        }
        passedOn.add(buffer.buffer)
        this.push(buffer.subarray(0, got))
      })
    },
    destroy(error, finish) {
      closeFile = () => {
        if (fd === undefined) return finish(error)
        fs.close(fd, (failure) => finish(error ?? failure))
      }
      // A call in flight would otherwise reach whichever file gets this descriptor next.
      if (!busy) closeFile()
    },
  })
  return Object.assign(stream, {
    recycle({ buffer }: Uint8Array) {
      if (passedOn.delete(buffer) && spare.length < MOST_SPARE) spare.push(Buffer.from(buffer))
    },
  })
}
