import { hash } from 'node:crypto'
import type { Stretch } from '../segments/layout.ts'
import { wholeOf } from '../segments/layout.ts'

/** How contents can be encrypted: with a key of the service, of a key service, or of the client. */
export type EncryptionKind = 'AES256' | 'aws:kms' | 'SSE-C'

/** How a blob's bytes are encrypted, as its row has it. */
export interface Envelope {
  kind: EncryptionKind
  /** The key of its bytes, encrypted. */
  wrapped: string
  /** Of `AES256`: the version of the service key that wraps it. */
  version?: number
  /** Of `SSE-C`: random, and an HMAC by it of the client's key, in base64url. */
  salt?: string
  check?: string
  /** Of `aws:kms`: the name of the key, and, in base64, what the key service made of the key that wraps. */
  key?: string
  sealed?: string
  /** Of `aws:kms`: what has to be said to the key service, as JSON. */
  context?: string
  /** The id under which the bytes were encrypted, if they were copied as they are. */
  id?: string
  /** Where its parts are, if it came in parts: `packParts`. */
  parts?: string
}

export const readEnvelope = (text: string): Envelope => JSON.parse(text) as Envelope

/** What wraps the key of a blob, as it is bound to it. */
export const wrapPurpose = (id: string, { kind, version, key }: Omit<Envelope, 'wrapped'>): string =>
  `strongroom blob key 1 ${id} ${kind} ${version ?? key ?? ''}`

/** How the rows that point at a blob say how it is encrypted. */
export const encryptionOf = ({ kind, key }: { kind: EncryptionKind; key?: string | undefined }): string =>
  key === undefined ? kind : `${kind} ${key}`

/**
 * The ETag of an object that came as a whole: the MD5 of its bytes, as S3 has it, unless they are encrypted with a key of which
 * more know than the service.
 */
export const etagFor = (kind: EncryptionKind | null, { id, md5 }: { id: string; md5: string }): string =>
  kind === null || kind === 'AES256' ? md5 : hash('md5', `etag ${id}`)

/** Bytes of a part in `packParts`: number, size and salt. */
const PART = 16
export const SALT_BYTES = 8

/** Parts in the order in which they are stored; in base64url. */
export function packParts(parts: readonly Stretch[]): string {
  const bytes = Buffer.alloc(parts.length * PART)
  for (const [i, { part, size, salt }] of parts.entries()) {
    bytes.writeUInt16BE(part, i * PART)
    bytes.writeUIntBE(size, i * PART + 2, 6)
    bytes.set(salt, i * PART + PART - SALT_BYTES)
  }
  return bytes.toString('base64url')
}

/** The stretches of a blob of `size` bytes. */
export function stretchesOf({ parts }: Pick<Envelope, 'parts'>, size: number): Stretch[] {
  if (parts === undefined) return [wholeOf(size)]
  const bytes = Buffer.from(parts, 'base64url')
  return Array.from({ length: bytes.length / PART }, (_, i) => ({
    part: bytes.readUInt16BE(i * PART),
    size: bytes.readUIntBE(i * PART + 2, 6),
    salt: bytes.subarray(i * PART + PART - SALT_BYTES, (i + 1) * PART),
  }))
}
