import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { decrypt, encrypt, TAG_BYTES } from '../segments/cipher.ts'

const NONCE_BYTES = 12

/** 256 random bits. */
export const newKey = (): KeyObject => createSecretKey(randomBytes(32))

/** A key encrypted with another (AES-256-GCM), bound to what it is for; in base64url. */
export function wrapKey(by: KeyObject, key: KeyObject, purpose: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const wrapped = encrypt({ key: by, associated: Buffer.from(purpose) }, nonce, [key.export()])
  return Buffer.concat([nonce, ...wrapped]).toString('base64url')
}

/** The inverse of `wrapKey`. Throws if it was wrapped by another key or for another purpose, or was changed. */
export function unwrapKey(by: KeyObject, wrapped: string, purpose: string): KeyObject {
  const bytes = Buffer.from(wrapped, 'base64url')
  const [nonce, key, tag] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, -TAG_BYTES),
    bytes.subarray(-TAG_BYTES),
  ]
  const chunks = decrypt({ key: by, associated: Buffer.from(purpose) }, nonce, { chunks: [key], tag })
  return createSecretKey(Buffer.concat(chunks))
}
