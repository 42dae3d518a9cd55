import type { LogPosition, PageChanges, PageSet } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { type ChangesHeader, changesName, decode, encode, sha256, Unreadable } from './format.ts'

/** A history that is being written. */
export interface Chain {
  name: string
  key: Uint8Array
  /** The last number stored, its hash, and up to where in the log that is. */
  number: number
  hash: string
  position: LogPosition
  /** Whether a whole copy of the database belongs to it. */
  based: boolean
}

/** Stores changes under the next number of a chain. Returns the bytes of the file. */
export async function storeChanges(
  place: NamedFiles,
  chain: Chain,
  { pages, pageSize, size, end }: PageChanges,
  moment: string,
): Promise<number> {
  const number = chain.number + 1
  const name = changesName(chain.name, number)
  const numbers = Buffer.alloc(pages.size * 4)
  const contents: Buffer[] = [numbers]
  let at = 0
  for (const [page, bytes] of [...pages].sort(([a], [b]) => a - b)) {
    at = numbers.writeUInt32LE(page, at)
    contents.push(bytes)
  }
  const previous = chain.hash
  const header = { kind: 'changes' as const, number, previous, moment, pageSize, size, pages: pages.size }
  const file = await encode(chain.key, name, header, contents)
  await place.put(name, file)
  chain.number = number
  chain.hash = sha256(file)
  chain.position = end
  return file.length
}

/** A file of changes that was read. */
export interface Changes extends PageSet {
  header: ChangesHeader
  /** SHA-256 of the file. */
  hash: string
}
/** Which file of changes is read, and the SHA-256 of the one before it. */
export interface ChangesPlace {
  chain: string
  number: number
  previous: string
}

/** Reads a file of changes. Throws Unreadable unless it is whole and follows the one before it. */
export async function readChanges(
  key: Uint8Array,
  { chain, number, previous }: ChangesPlace,
  file: Buffer,
): Promise<Changes> {
  const name = changesName(chain, number)
  const { header, bytes } = await decode(key, name, 'changes', file)
  if (header.number !== number || header.previous !== previous)
    throw new Unreadable(`${name} does not follow the file before it`)
  const { pageSize, size } = header
  return { header, hash: sha256(file), pages: pagesOf(bytes, header.pages, pageSize), pageSize, size }
}

function* pagesOf(bytes: Buffer, count: number, pageSize: number): Generator<readonly [number, Buffer]> {
  for (let i = 0; i < count; i++) {
    const at = count * 4 + i * pageSize
    yield [bytes.readUInt32LE(i * 4), bytes.subarray(at, at + pageSize)]
  }
}
