// One segment: AES-256-GCM with a nonce that says which segment of its stretch it is, and whether it is the last one.
// That is the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, "Online Authenticated-Encryption and its
// Nonce-Reuse Misuse-Resistance", CRYPTO 2015, section 7), as Tink's streaming AEAD and age have it.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { Stretch } from './layout.ts'

const ALGORITHM = 'aes-256-gcm'
export const TAG_BYTES = 16
const TAG = { authTagLength: TAG_BYTES }

/** What bytes are encrypted with. */
export interface StretchKey {
  key: KeyObject
  /** What they belong to: authenticated with them, and not stored. */
  associated: Uint8Array
}

/** The key of a blob's bytes, and the id under which they were encrypted. */
export interface BlobKey {
  id: string
  /** 256 random bits. */
  key: KeyObject
}

/** A segment is not what was written there: its bytes, its place, its blob or its key are others. */
export class SegmentDamaged extends Error {
  constructor(id: string, where: { part: number; number: number }, cause?: unknown) {
    super(`Segment ${where.number} of blob ${id}, part ${where.part}, is not what was written`, { cause })
  }
}

/** Encrypted bytes cannot be had, because of their key. */
export class KeyUnavailable extends Error {}

/**
 * The key of a stretch. A blob's own key encrypts one that is all of it. A part may be sent several times, whose segments
 * have the same numbers; so each has a key of its own, by HKDF-SHA-256 (RFC 5869).
 */
export function stretchKey({ id, key }: BlobKey, { part, salt }: Pick<Stretch, 'part' | 'salt'>): StretchKey {
  const associated = Buffer.from(`strongroom segments 1 ${id} ${part}`)
  if (part === 0) return { key, associated }
  return { key: createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, `strongroom part ${part}`, 32))), associated }
}

/** The nonce of a segment: its number within its stretch in 11 bytes, most significant first, and 1 if it is the last one. */
export function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** Encrypts bytes; the last chunk that it returns is their tag. */
export function encrypt(
  { key, associated }: StretchKey,
  nonce: Uint8Array,
  chunks: readonly Uint8Array[],
): readonly Uint8Array[] {
  const cipher = createCipheriv(ALGORITHM, key, nonce, TAG)
  cipher.setAAD(associated)
  const encrypted: Uint8Array[] = chunks.map((chunk) => cipher.update(chunk))
  cipher.final()
  encrypted.push(cipher.getAuthTag())
  return encrypted
}

/** Decrypts bytes; throws if they, or what is authenticated with them, are not those that were encrypted. */
export function decrypt(
  { key, associated }: StretchKey,
  nonce: Uint8Array,
  { chunks, tag }: { chunks: readonly Uint8Array[]; tag: Uint8Array },
): readonly Uint8Array[] {
  const decipher = createDecipheriv(ALGORITHM, key, nonce, TAG)
  decipher.setAAD(associated)
  decipher.setAuthTag(tag)
  const decrypted = chunks.map((chunk) => decipher.update(chunk))
  decipher.final()
  return decrypted
}
