import type { LogPosition, PageChanges } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { changesName, encode, sha256 } from './format.ts'

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
