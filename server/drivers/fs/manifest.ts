import path from 'node:path'
import { BlobMissing } from '../driver.ts'
import type { Piece } from './bytes.ts'

/** What a multipart blob consists of, in order. */
export interface Manifest {
  size: number
  parts: { ref: string; size: number }[]
}

const FIRST_LINE = 'strongroom parts 1'

/** The total size on the first line, then one part per line. */
export const manifestText = (parts: readonly { ref: string; size: number }[]): string =>
  [
    `${FIRST_LINE} ${parts.reduce((sum, { size }) => sum + size, 0)}`,
    ...parts.map(({ ref, size }) => `${ref} ${size}`),
    '',
  ].join('\n')

export function parseManifest(id: string, text: string): Manifest {
  const parts = [...text.matchAll(/^(\d+-\d+-[0-9a-f]{8}) (\d+)$/gm)].map(([, ref = '', size]) => ({
    ref,
    size: Number(size),
  }))
  if (manifestText(parts) !== text) throw new BlobMissing(id, new Error('Its manifest is damaged'))
  return { size: parts.reduce((sum, { size }) => sum + size, 0), parts }
}

/** The file ranges that hold `length` bytes starting at `start`. */
export function piecesOf(manifest: Manifest, folder: string, start: number, length: number): Piece[] {
  const pieces: Piece[] = []
  let offset = 0
  for (const { ref, size } of manifest.parts) {
    const from = Math.max(start - offset, 0)
    const to = Math.min(start + length - offset, size)
    if (from < to) pieces.push({ file: path.join(folder, ref), start: from, length: to - from })
    offset += size
    if (offset >= start + length) break
  }
  return pieces
}

export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
