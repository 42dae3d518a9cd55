import { inflateRawSync } from 'node:zlib'

const END = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
const END_BYTES = 22
const MOST_COMMENT = 65_535
const ENCRYPTED = 1

/**
 * The files in a zip of which all is in memory, by name; folders are left out. Reads stored and deflated entries, as the
 * sizes in the directory at its end say. Throws if it is damaged, encrypted, of the 64-bit form, or inflates to more than
 * `most` bytes.
 */
export function readZip(bytes: Buffer, most: number): Map<string, Buffer> {
  const end = endOf(bytes)
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  if (count === 0xffff || at === 0xffffffff) throw new Error('is a zip of the 64-bit form: unpack it')
  const files = new Map<string, Buffer>()
  let total = 0
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== ENTRY) throw damaged()
    const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)]
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)]
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, nameEnd)
    if ((flags & ENCRYPTED) !== 0) throw new Error(`has ${name} encrypted`)
    total += size
    if (total > most) throw new Error(`holds more than ${most} bytes`)
    if (!name.endsWith('/')) {
      if (files.has(name)) throw new Error(`has two files ${name}`)
      files.set(name, contentsOf(bytes, bytes.readUInt32LE(at + 42), { method, packed, size }))
    }
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return files
}

const damaged = () => new Error('is a damaged zip')

/** Where the record of the end is, before a comment of any length. */
function endOf(bytes: Buffer): number {
  for (let at = bytes.length - END_BYTES; at >= Math.max(0, bytes.length - END_BYTES - MOST_COMMENT); at--)
    if (bytes.readUInt32LE(at) === END && at + END_BYTES + bytes.readUInt16LE(at + 20) === bytes.length) return at
  throw new Error('is not a zip')
}

function contentsOf(
  bytes: Buffer,
  at: number,
  { method, packed, size }: { method: number; packed: number; size: number },
): Buffer {
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== LOCAL) throw damaged()
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
  const raw = bytes.subarray(start, start + packed)
  if (raw.length < packed) throw damaged()
  if (method !== 0 && method !== 8) throw new Error(`has a file packed by method ${method}: unpack it`)
  try {
    const contents = method === 0 ? raw : inflateRawSync(raw, { maxOutputLength: size + 1 })
    if (contents.length === size) return contents
  } catch {}
  throw damaged()
}
