// How the files of a backup place are named and what is in them: docs/decisions/0079-the-database-follows.md.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { deriveKey } from '../../secrets/derive.ts'

const MAGIC = Buffer.from('SRB1')
const IV_BYTES = 12
const TAG_BYTES = 16
const HEAD = MAGIC.length + IV_BYTES
/** The fastest that still compresses pages to a third. */
const LEVEL = 1

/** A file of changes: what some commits did, in one number of a chain. */
export interface ChangesHeader {
  kind: 'changes'
  number: number
  /** SHA-256 of the file before it, as hex; of the chain's name in the first. */
  previous: string
  /** Everything that was acknowledged until then is in the files up to this one. */
  moment: string
  pageSize: number
  /** Pages of the database after it. */
  size: number
  /** How many pages follow: their numbers, four bytes each, then their contents. */
  pages: number
}
/** A piece of a copy of the database. */
export interface PieceHeader {
  kind: 'piece'
  index: number
}
/** The last file of a copy: a copy without it is not finished. */
export interface BaseHeader {
  kind: 'base'
  /** The first number of changes that may not be in the copy, and the first with which it is whole; equal to `first - 1` if it is so without. */
  first: number
  whole: number
  /** What `previous` of the first is. */
  previous: string
  moment: string
  /** Bytes of the database. */
  bytes: number
  /** SHA-256 of the pieces' files. */
  pieces: string[]
}
/** Who may write: the one with the highest number. */
export interface EpochHeader {
  kind: 'epoch'
  number: number
  instance: string
  holder: string
  since: string
  /** Of the machine, for people. */
  host: string
}
/** Written again and again while nothing changes. */
export interface PulseHeader {
  kind: 'pulse'
  /** The last number stored: everything that was acknowledged until the moment is in the files up to it. */
  number: number
  moment: string
}
type Header = ChangesHeader | PieceHeader | BaseHeader | EpochHeader | PulseHeader

const digits = (value: number, width: number): string => String(value).padStart(width, '0')

/**
 * A chain is one uninterrupted history. Names are in the order of epochs, then of their numbers, whatever the clocks said. Those of
 * earlier releases have no number, and come before.
 */
export const chainName = (epoch: number, number: number, at: Date): string =>
  `chains/${digits(epoch, 6)}-n${digits(number, 6)}-${at.toISOString().replaceAll(/[-:]/g, '')}-${randomBytes(4).toString('hex')}`
/** The number of the next chain of an epoch, where these are known. */
export function nextOfChains(epoch: number, names: readonly string[]): number {
  const start = `chains/${digits(epoch, 6)}-n`
  const numbers = names
    .filter((name) => name.startsWith(start))
    .map((name) => Number.parseInt(name.slice(start.length), 10))
  return 1 + Math.max(0, ...numbers.filter(Number.isSafeInteger))
}
export const changesName = (chain: string, number: number): string => `${chain}/changes/${digits(number, 12)}`
export const baseFolder = (chain: string, first: number): string => `${chain}/bases/${digits(first, 12)}/`
export const pieceName = (folder: string, index: number): string => `${folder}${digits(index, 6)}`
export const baseName = (folder: string): string => `${folder}complete`
export const pulseName = (chain: string): string => `${chain}/pulse`
export const epochName = (number: number, holder: string): string => `epochs/${digits(number, 6)}-${holder}`
/** There is at most one of these for each number. It comes before all names with a holder. */
export const takenName = (number: number): string => `epochs/${digits(number, 6)}--taken`

/** The chain that a file's name says it belongs to, and what it is there; undefined for other names. */
export function partsOf(
  name: string,
): { chain: string; kind: 'changes' | 'base' | 'piece' | 'pulse'; number: number } | undefined {
  const found = /^(chains\/[^/]+)\/(?:changes\/(\d+)|bases\/(\d+)\/(complete|\d+)|pulse)$/.exec(name)
  if (!found) return undefined
  const [, chain = '', changes, base, which] = found
  if (changes !== undefined) return { chain, kind: 'changes', number: Number(changes) }
  if (base === undefined) return { chain, kind: 'pulse', number: 0 }
  return { chain, kind: which === 'complete' ? 'base' : 'piece', number: Number(base) }
}

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
/** The key of a chain's files, or of the epochs. */
export const keyFor = (secretKey: string, what: string): Uint8Array => deriveKey(secretKey, `backup of ${what}`)
export const EPOCHS = 'epochs'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/**
 * A file: what it says of itself and bytes, compressed (zstd), then encrypted with AES-256-GCM under a random IV. The name
 * is authenticated with it, so that none can be put in the place of another.
 */
export async function encode(key: Uint8Array, name: string, header: Header, bytes: readonly Buffer[]): Promise<Buffer> {
  const head = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  const plain = await compress(Buffer.concat([length, head, ...bytes]), {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  })
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(name))
  return Buffer.concat([MAGIC, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** A file that is not what its name says: cut, changed, another's, or of another key. */
export class Unreadable extends Error {}

export async function decode<K extends Header['kind']>(
  key: Uint8Array,
  name: string,
  kind: K,
  file: Buffer,
): Promise<{ header: Extract<Header, { kind: K }>; bytes: Buffer }> {
  if (file.length < HEAD + TAG_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC))
    throw new Unreadable(`${name} is cut off, or no file of a backup`)
  const decipher = createDecipheriv('aes-256-gcm', key, file.subarray(MAGIC.length, HEAD))
  decipher.setAAD(Buffer.from(name))
  decipher.setAuthTag(file.subarray(-TAG_BYTES))
  let plain: Buffer
  try {
    plain = Buffer.concat([decipher.update(file.subarray(HEAD, -TAG_BYTES)), decipher.final()])
  } catch {
    throw new Unreadable(`${name} is damaged, or SECRET_KEY is not the one it was written with`)
  }
  const whole = await decompress(plain)
  const end = 4 + whole.readUInt32LE(0)
  const header = JSON.parse(whole.toString('utf8', 4, end)) as Header
  if (header.kind !== kind) throw new Unreadable(`${name} is not what its name says`)
  return { header: header as Extract<Header, { kind: K }>, bytes: whole.subarray(end) }
}
