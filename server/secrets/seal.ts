import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { derivedKeysOf, type Keys } from './derive.ts'

export type { Keys } from './derive.ts'

/**
 * Encrypts a text that must be readable later (AES-256-GCM) with a key derived from SECRET_KEY for one purpose. The
 * result names the key, so that it can still be decrypted after SECRET_KEY changes and moves to SECRET_KEY_PREVIOUS.
 */
export function seal(config: Keys, purpose: string, text: string): string {
  const { current } = derivedKeysOf(config)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', current.for(purpose), nonce)
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return ['v1', current.id, nonce.toString('base64url'), bytes.toString('base64url')].join('.')
}

/** Decrypts; throws when the key is neither SECRET_KEY nor a previous one, or when the text was altered. */
export function unseal(config: Keys, purpose: string, sealed: string): string {
  const [version, kid, nonce = '', data = ''] = sealed.split('.')
  const keys = derivedKeysOf(config).all.find(({ id }) => id === kid)
  if (version !== 'v1' || keys === undefined)
    throw new Error('A stored secret was encrypted with a SECRET_KEY that is no longer configured')
  const bytes = Buffer.from(data, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', keys.for(purpose), Buffer.from(nonce, 'base64url'))
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
}

/** Whether it was encrypted with the current SECRET_KEY. */
export const isSealedWithCurrent = (config: Keys, sealed: string): boolean =>
  sealed.split('.')[1] === derivedKeysOf(config).current.id
