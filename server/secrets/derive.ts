import { createHash, hkdfSync } from 'node:crypto'

/** The secrets of a configuration: the current one, and those that it replaces. */
export interface Keys {
  readonly secretKey: string
  readonly previousSecretKeys: readonly string[]
}

/** Derives a 32-byte key for one purpose by HKDF-SHA-256. The secret itself only signs JWTs. */
export const deriveKey = (secretKey: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secretKey, '', purpose, 32))

/** A secret's public id: the `kid` of the JWTs it signs. */
export const keyId = (secretKey: string): string =>
  createHash('sha256').update(deriveKey(secretKey, 'kid')).digest('hex').slice(0, 8)
