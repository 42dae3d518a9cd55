import { createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { perSystem } from '../base/per-system.ts'

/** The secrets of a configuration: the current one, and those that it replaces. */
export interface Keys {
  readonly secretKey: string
  readonly previousSecretKeys: readonly string[]
}

/** All of them, the current one first. */
export const secretKeysOf = ({ secretKey, previousSecretKeys }: Keys): string[] => [secretKey, ...previousSecretKeys]

/** Derives a 32-byte key for one purpose by HKDF-SHA-256. The secret itself only signs JWTs. */
export const deriveKey = (secretKey: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secretKey, '', purpose, 32))

/** A secret's public id: the `kid` of the JWTs it signs. */
export const keyId = (secretKey: string): string =>
  createHash('sha256').update(deriveKey(secretKey, 'kid')).digest('hex').slice(0, 8)

/** A secret's id and the keys derived from it. */
export interface DerivedKeys {
  id: string
  /** The key for one purpose. */
  for(purpose: string): KeyObject
}

function derivedKeys(secretKey: string): DerivedKeys {
  const known = new Map<string, KeyObject>()
  return {
    id: keyId(secretKey),
    for(purpose) {
      let key = known.get(purpose)
      if (!key) {
        key = createSecretKey(deriveKey(secretKey, purpose))
        known.set(purpose, key)
      }
      return key
    },
  }
}

/**
 * The keys of a configuration's current secret, and of all of them, the current one first. Each is derived once: HKDF
 * takes longer than signing with its result.
 */
export const derivedKeysOf = perSystem(({ secretKey, previousSecretKeys }: Keys) => {
  const current = derivedKeys(secretKey)
  return { current, all: [current, ...previousSecretKeys.map(derivedKeys)] }
})
