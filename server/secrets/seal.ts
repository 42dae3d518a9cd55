import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey, type Keys, keyId } from './derive.ts'

/**
 * Encrypts a text that must be readable later (AES-256-GCM) with a key derived from SECRET_KEY for one purpose. The
 * result names the key, so that it can still be decrypted after SECRET_KEY changes and moves to SECRET_KEY_PREVIOUS.
 */
export function seal({ secretKey }: Keys, purpose: string, text: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secretKey, purpose), nonce)
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return ['v1', keyId(secretKey), nonce.toString('base64url'), bytes.toString('base64url')].join('.')
}

/** Decrypts; throws when the key is neither SECRET_KEY nor a previous one, or when the text was altered. */
export function unseal({ secretKey, previousSecretKeys }: Keys, purpose: string, sealed: string): string {
  const [version, kid, nonce = '', data = ''] = sealed.split('.')
  const key = [secretKey, ...previousSecretKeys].find((one) => keyId(one) === kid)
  if (version !== 'v1' || key === undefined)
    throw new Error('A stored secret was encrypted with a SECRET_KEY that is no longer configured')
  const bytes = Buffer.from(data, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(key, purpose), Buffer.from(nonce, 'base64url'))
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
}

/** Whether it was encrypted with the current SECRET_KEY. */
export const isSealedWithCurrent = ({ secretKey }: Keys, sealed: string): boolean =>
  sealed.split('.')[1] === keyId(secretKey)
