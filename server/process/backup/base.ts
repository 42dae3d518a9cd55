import fs from 'node:fs'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { baseFolder, baseName, encode, pieceName, sha256 } from './format.ts'

const PIECE = 8 * 1024 * 1024

/** Where in a chain a copy of the database belongs. */
export interface BasePlace {
  key: Uint8Array
  chain: string
  first: number
  previous: string
}

/**
 * Stores a copy of the database that lies in a file; with the changes up to `whole` it is a state that the database was in.
 * Returns its bytes. What is left of one that was interrupted (`isOver`) is never taken for a copy.
 */
export async function storeBase(
  place: NamedFiles,
  file: string,
  { key, chain, first, previous }: BasePlace,
  { whole, isOver }: { whole: { number: number; moment: string }; isOver: () => boolean },
): Promise<number> {
  const folder = baseFolder(chain, first)
  const handle = await fs.promises.open(file, 'r')
  const pieces: string[] = []
  let bytes = 0
  try {
    for (let index = 0; !isOver(); index++) {
      const piece = Buffer.allocUnsafe(PIECE)
      const { bytesRead } = await handle.read(piece, 0, PIECE, bytes)
      if (bytesRead === 0) break
      bytes += bytesRead
      const name = pieceName(folder, index)
      const encoded = await encode(key, name, { kind: 'piece', index }, [piece.subarray(0, bytesRead)])
      await place.put(name, encoded)
      pieces.push(sha256(encoded))
    }
  } finally {
    await handle.close()
  }
  if (isOver()) return bytes
  const name = baseName(folder)
  const header = { kind: 'base' as const, first, whole: whole.number, previous, moment: whole.moment, bytes, pieces }
  await place.put(name, await encode(key, name, header, []))
  return bytes
}
