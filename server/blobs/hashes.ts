import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../db/schema.ts'
import { isExternal } from '../drivers/routing/ids.ts'
import { listParts } from './store.ts'

/** What a blob's bytes must hash to: as a whole, or in the parts in which they came. No pieces if nothing is known. */
export interface Hashes {
  algorithm: 'sha256' | 'md5'
  name: string
  pieces: readonly Piece[]
}
interface Piece {
  /** Bytes. */
  size: number
  /** Hex. */
  hash: string
}
/** What rows say about a blob: those that point at it, and its own. */
export interface Described {
  blob_id: string
  size: number
  sha256: string | null
  md5: string | null
  etag: string
  /** As its own row has it: how its bytes are encrypted. */
  envelope: string | null
}

export const UNKNOWN: Hashes = { algorithm: 'md5', name: 'MD5', pieces: [] }

/** The hashes that are known of a blob's bytes. */
export async function findHashes(
  db: Db,
  { blob_id, size, sha256, md5, etag }: Omit<Described, 'envelope'>,
): Promise<Hashes> {
  // What an engine's ETag is, only the engine knows; it vouches for these bytes with each read.
  if (isExternal(blob_id)) return UNKNOWN
  if (sha256 !== null) return { algorithm: 'sha256', name: 'SHA-256', pieces: [{ size, hash: sha256 }] }
  const whole = md5 ?? (etag.includes('-') ? null : etag)
  const pieces = whole === null ? await listParts(db, blob_id) : [{ size, md5: whole }]
  return { algorithm: 'md5', name: 'MD5', pieces: pieces.map((piece) => ({ size: piece.size, hash: piece.md5 })) }
}

/** Hashes bytes in the same pieces as known ones. */
export function newCutter({ algorithm, pieces }: Pick<Hashes, 'algorithm' | 'pieces'>) {
  const found: Piece[] = []
  let hash = createHash(algorithm)
  let size = 0
  const wanted = () => pieces[found.length]?.size ?? Number.POSITIVE_INFINITY
  const next = () => {
    found.push({ size, hash: hash.digest('hex') })
    hash = createHash(algorithm)
    size = 0
  }
  const end = (): readonly Piece[] => {
    while (found.length < pieces.length || size > 0) next()
    return found
  }
  return {
    update(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length; ) {
        while (size >= wanted()) next()
        const piece = chunk.subarray(at, at + wanted() - size)
        hash.update(piece)
        at += piece.length
        size += piece.length
      }
    },
    /** The pieces: shorter ones if the bytes ended early, and another of what came after the last. */
    end,
    /** Whether the bytes were those that are known, as far as anything is. */
    isAlike: (): boolean => pieces.length === 0 || isDeepStrictEqual(end(), pieces),
  }
}
