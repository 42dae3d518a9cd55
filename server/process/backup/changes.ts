import type { BackupState, Stored } from '../../db/backup-state.ts'
import type { PageChanges, PageSet } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { type ChangesHeader, changesName, decode, encode, sha256, Unreadable } from './format.ts'

/** A history that is being written. */
export interface Chain extends Stored {
  name: string
  key: Uint8Array
  /** Whether a whole copy of the database belongs to it. */
  based: boolean
}

/** Changes that are to be stored, and the file once it was made: what may have been stored already must not be made again. */
export interface Pending {
  changes: PageChanges
  moment: string
  file?: Buffer
}

/**
 * Stores changes under the next number of a chain. `onFile` is called before, with what the chain will be then: who finds the file
 * at the place after a crash knows by it that it is whole, and where it ends. Returns the bytes of the file.
 */
export async function storeChanges(
  place: NamedFiles,
  chain: Chain,
  pending: Pending,
  onFile: (next: Stored) => void,
): Promise<number> {
  const number = chain.number + 1
  const name = changesName(chain.name, number)
  const file = pending.file ?? (await encodeChanges(chain, name, pending))
  pending.file = file
  const next: Stored = { number, hash: sha256(file), position: pending.changes.end }
  onFile(next)
  await place.put(name, file)
  Object.assign(chain, next)
  return file.length
}

async function encodeChanges(chain: Chain, name: string, { changes, moment }: Pending): Promise<Buffer> {
  const { pages, pageSize, size } = changes
  const numbers = Buffer.alloc(pages.size * 4)
  const contents: Buffer[] = [numbers]
  let at = 0
  for (const [page, bytes] of [...pages].sort(([a], [b]) => a - b)) {
    at = numbers.writeUInt32LE(page, at)
    contents.push(bytes)
  }
  const [number, previous] = [chain.number + 1, chain.hash]
  const header = { kind: 'changes' as const, number, previous, moment, pageSize, size, pages: pages.size }
  return encode(chain.key, name, header, contents)
}

/**
 * How far a chain got that an earlier process has noted; undefined if it cannot be continued. A file that was stored and not
 * noted before the process died counts if it is the one that was to be stored. Any other would be stored a second time with
 * something else in it, and who follows may have it already.
 */
export async function storedBefore(place: NamedFiles, state: BackupState): Promise<BackupState | undefined> {
  const { chain, number, hash, based, storing } = state
  const get = (which: number) => place.get(changesName(chain, which))
  const last = number > 0 ? await get(number) : undefined
  if (!based || (number > 0 && (!last || sha256(last) !== hash))) return undefined
  const next = await get(number + 1)
  if (!next) return { ...state, storing: null }
  if (sha256(next) !== storing?.hash) return undefined
  return { ...state, ...storing, storing: null }
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
