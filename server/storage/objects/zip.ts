import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { BlobBody } from '../../blobs/drivers/driver.ts'

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

const MOST_16 = 0xffff
const MOST_32 = 0xffffffff
const STORED = 0
/** UTF-8 names; CRC and sizes follow the bytes. */
const FLAGS = (1 << 11) | (1 << 3)
const UNIX = 3 << 8
const VERSION = 20
const VERSION_ZIP64 = 45

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
    const descriptor = fields([4, 0x08074b50], [4, crc], ...sizes(size, size >= MOST_32 ? 8 : 4))
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

const sizes = (size: number, bytes: number): Field[] => [
  [bytes, size],
  [bytes, size],
]

function localHeader({ name, size, modified }: ZipEntry): Uint8Array {
  const path = Buffer.from(name)
  // Announces the width of the sizes that follow the bytes.
  const extra = size >= MOST_32 ? fields([2, 1], [2, 16], ...sizes(0, 8)) : Buffer.alloc(0)
  const head = fields(
    [4, 0x04034b50],
    [2, size >= MOST_32 ? VERSION_ZIP64 : VERSION],
    ...common(modified, { crc: 0, size: size >= MOST_32 ? MOST_32 : 0, path, extra: extra.length }),
  )
  return Buffer.concat([head, path, extra])
}

function directoryRecord({ name, size, modified }: ZipEntry, crc: number, offset: number): Uint8Array {
  const path = Buffer.from(name)
  const large = size >= MOST_32 || offset >= MOST_32
  const seconds = Math.min(Math.floor(modified.getTime() / 1000), 0x7fffffff)
  // Info-ZIP's timestamp, in UTC: zip's own has no time zone.
  const time = fields([2, 0x5455], [2, 5], [1, 1], [4, seconds])
  const zip64 = large ? fields([2, 1], [2, 24], ...sizes(size, 8), [8, offset]) : Buffer.alloc(0)
  const folder = name.endsWith('/')
  const head = fields(
    [4, 0x02014b50],
    [2, UNIX | VERSION_ZIP64],
    [2, large ? VERSION_ZIP64 : VERSION],
    ...common(modified, { crc, size: large ? MOST_32 : size, path, extra: time.length + zip64.length }),
    [2, 0],
    [2, 0],
    [2, 0],
    [4, ((folder ? 0o40755 : 0o100644) << 16) >>> 0],
    [4, large ? MOST_32 : offset],
  )
  return Buffer.concat([head, path, time, zip64])
}

/** The fields that both of an entry's headers have between the version and the lengths. */
function common(
  modified: Date,
  { crc, size, path, extra }: { crc: number; size: number; path: Buffer; extra: number },
): Field[] {
  const year = modified.getUTCFullYear()
  const inRange = year >= 1980 && year < 2108
  const date = inRange ? ((year - 1980) << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate() : 0x21
  const time = (modified.getUTCHours() << 11) | (modified.getUTCMinutes() << 5) | (modified.getUTCSeconds() >> 1)
  return [[2, FLAGS], [2, STORED], [2, time], [2, date], [4, crc], ...sizes(size, 4), [2, path.length], [2, extra]]
}

function endOfDirectory(count: number, start: number, end: number): Uint8Array {
  const large = count >= MOST_16 || end >= MOST_32
  const length = end - start
  const zip64 = large
    ? fields(
        ...([
          [4, 0x06064b50],
          [8, 44],
          [2, UNIX | VERSION_ZIP64],
          [2, VERSION_ZIP64],
          [4, 0],
          [4, 0],
        ] as Field[]),
        ...([
          [8, count],
          [8, count],
          [8, length],
          [8, start],
        ] as Field[]),
        ...([
          [4, 0x07064b50],
          [4, 0],
          [8, end],
          [4, 1],
        ] as Field[]),
      )
    : Buffer.alloc(0)
  const counted = Math.min(count, MOST_16)
  const last: Field[] = [
    ...([
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, counted],
      [2, counted],
    ] as Field[]),
    ...([
      [4, Math.min(length, MOST_32)],
      [4, Math.min(start, MOST_32)],
      [2, 0],
    ] as Field[]),
  ]
  return Buffer.concat([zip64, fields(...last)])
}

/** A field's width and value. */
type Field = [bytes: 1 | 2 | 4 | 8 | number, value: number]
function fields(...all: Field[]): Buffer {
  const buffer = Buffer.alloc(all.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of all) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}
