import { Readable } from 'node:stream'
import { crc32 } from '../../../base/crc32.ts'
import type { BlobBody } from '../../../drivers/driver.ts'
import { dataDescriptor, directoryRecord, endOfDirectory, localHeader } from './zip-records.ts'

/** A file in an archive, or a folder if the name ends with a slash; a folder has no bytes. */
export interface ZipEntry {
  /** A relative path, unique in the archive, at most 65,535 bytes. */
  name: string
  /** Exact size in bytes. */
  size: number
  modified: Date
  /** Called when everything before it has been written. */
  open(): Promise<BlobBody>
}

/**
 * A zip (PKWARE APPNOTE 6.3) of stored files, created while it is read; ZIP64 where needed. Memory holds one entry at a
 * time, plus about 60 bytes and the name of each earlier one. Throws what an entry throws, and if an entry's size is
 * wrong.
 */
export const zipOf = (entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> => gathered(piecesOf(entries))

const TOGETHER = 64 * 1024
/** Joins small pieces, so that an archive of small files does not write to the socket for each header. */
async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    waiting.push(piece)
    size += piece.length
    if (size < TOGETHER) continue
    yield waiting.length === 1 ? piece : Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  yield Buffer.concat(waiting)
}

async function* piecesOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = []
  let offset = 0
  for await (const entry of entries) {
    const local = localHeader(entry)
    yield local
    let crc = 0
    let size = 0
    const body = await entry.open()
    for await (const chunk of body instanceof Readable ? (body as AsyncIterable<Uint8Array>) : [body]) {
      crc = crc32(chunk, crc)
      size += chunk.length
      yield chunk
    }
    if (size !== entry.size) throw new Error(`An object of ${entry.size} bytes yielded ${size}`)
    const descriptor = dataDescriptor(crc, size)
    yield descriptor
    directory.push(directoryRecord(entry, crc, offset))
    offset += local.length + size + descriptor.length
  }
  const start = offset
  for (const record of directory) {
    offset += record.length
    yield record
  }
  yield endOfDirectory(directory.length, start, offset)
}
