/** The records of a zip of stored files (PKWARE APPNOTE 6.3, section 4.3), with ZIP64 where a field needs it. */

/** What the records say of an entry. */
interface Described {
  name: string
  size: number
  modified: Date
}

const MOST_16 = 0xffff
const MOST_32 = 0xffffffff
const STORED = 0
/** UTF-8 names; CRC and sizes follow the bytes. */
const FLAGS = (1 << 11) | (1 << 3)
const VERSION = 20
const VERSION_ZIP64 = 45
const MADE_BY = (3 << 8) | VERSION_ZIP64
const FOLDER_MODE = 0o40755
const FILE_MODE = 0o100644

export function localHeader({ name, size, modified }: Described): Uint8Array {
  const path = Buffer.from(name)
  const large = size >= MOST_32
  // Announces that the sizes after the bytes have 8 bytes each.
  const extra = large ? fields([2, 1], [2, 16], [8, 0], [8, 0]) : Buffer.alloc(0)
  const head = fields(
    [4, 0x04034b50],
    [2, large ? VERSION_ZIP64 : VERSION],
    ...common(modified, { crc: 0, size: large ? MOST_32 : 0, path, extra: extra.length }),
  )
  return Buffer.concat([head, path, extra])
}

/** Follows an entry's bytes. */
export function dataDescriptor(crc: number, size: number): Uint8Array {
  const width = size >= MOST_32 ? 8 : 4
  return fields([4, 0x08074b50], [4, crc], [width, size], [width, size])
}

/** An entry's record in the central directory; `offset`: where its local header is. */
export function directoryRecord({ name, size, modified }: Described, crc: number, offset: number): Uint8Array {
  const path = Buffer.from(name)
  const large = size >= MOST_32 || offset >= MOST_32
  const seconds = Math.min(Math.floor(modified.getTime() / 1000), 0x7fffffff)
  // Info-ZIP's timestamp, in UTC: zip's own has no time zone.
  const time = fields([2, 0x5455], [2, 5], [1, 1], [4, seconds])
  const zip64 = large ? fields([2, 1], [2, 24], [8, size], [8, size], [8, offset]) : Buffer.alloc(0)
  const head = fields(
    [4, 0x02014b50],
    [2, MADE_BY],
    [2, large ? VERSION_ZIP64 : VERSION],
    ...common(modified, { crc, size: large ? MOST_32 : size, path, extra: time.length + zip64.length }),
    [2, 0], // comment
    [2, 0], // disk
    [2, 0], // internal attributes
    [4, ((name.endsWith('/') ? FOLDER_MODE : FILE_MODE) << 16) >>> 0],
    [4, large ? MOST_32 : offset],
  )
  return Buffer.concat([head, path, time, zip64])
}

/** The fields that both of an entry's headers have between the version and the comment. */
function common(
  modified: Date,
  { crc, size, path, extra }: { crc: number; size: number; path: Buffer; extra: number },
): Field[] {
  const year = modified.getUTCFullYear()
  const inRange = year >= 1980 && year < 2108
  const date = inRange ? ((year - 1980) << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate() : 0x21
  const time = (modified.getUTCHours() << 11) | (modified.getUTCMinutes() << 5) | (modified.getUTCSeconds() >> 1)
  return [
    [2, FLAGS],
    [2, STORED],
    [2, time],
    [2, date],
    [4, crc],
    [4, size], // compressed
    [4, size],
    [2, path.length],
    [2, extra],
  ]
}

/** What follows the central directory: `count` records from `start` to `end`. */
export function endOfDirectory(count: number, start: number, end: number): Uint8Array {
  const large = count >= MOST_16 || end >= MOST_32
  const counted = Math.min(count, MOST_16)
  const last = fields(
    [4, 0x06054b50],
    [2, 0], // this disk
    [2, 0], // the directory's disk
    [2, counted], // on this disk
    [2, counted],
    [4, Math.min(end - start, MOST_32)],
    [4, Math.min(start, MOST_32)],
    [2, 0], // comment
  )
  return large ? Buffer.concat([zip64End(count, start, end), last]) : last
}

/** The ZIP64 end of the directory, and its locator. */
const zip64End = (count: number, start: number, end: number): Uint8Array =>
  fields(
    [4, 0x06064b50],
    [8, 44], // length of what follows
    [2, MADE_BY],
    [2, VERSION_ZIP64],
    [4, 0], // this disk
    [4, 0], // the directory's disk
    [8, count], // on this disk
    [8, count],
    [8, end - start],
    [8, start],
    [4, 0x07064b50],
    [4, 0], // disk of the record above
    [8, end],
    [4, 1], // disks
  )

/** A field's width in bytes and its value. */
type Field = [width: 1 | 2 | 4 | 8, value: number]
function fields(...all: Field[]): Buffer {
  const buffer = Buffer.alloc(all.reduce((sum, [width]) => sum + width, 0))
  let at = 0
  for (const [width, value] of all) {
    if (width === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, width)
    at += width
  }
  return buffer
}
