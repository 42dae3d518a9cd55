import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG = { authTagLength: 16 }

/** 256 random bits. */
export const newKey = (): KeyObject => createSecretKey(randomBytes(32))

/** A key encrypted with another (AES-256-GCM), bound to what it is for; in base64url. */
export function wrapKey(by: KeyObject, key: KeyObject, purpose: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, by, nonce, TAG)
  cipher.setAAD(Buffer.from(purpose))
  const wrapped = [nonce, cipher.update(key.export()), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(wrapped).toString('base64url')
}

/** The inverse of `wrapKey`. Throws if it was wrapped by another key or for another purpose, or was changed. */
export function unwrapKey(by: KeyObject, wrapped: string, purpose: string): KeyObject {
  const bytes = Buffer.from(wrapped, 'base64url')
  const decipher = createDecipheriv(ALGORITHM, by, bytes.subarray(0, NONCE_BYTES), TAG)
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(bytes.subarray(-TAG.authTagLength))
  const key = decipher.update(bytes.subarray(NONCE_BYTES, -TAG.authTagLength))
  decipher.final()
  return createSecretKey(key)
}
