import type { Keys } from '../../secrets/derive.ts'
import { BASE62, randomText } from '../../secrets/random.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'

const PURPOSE = 's3-access-key'
const ID_START = 'STRG'
const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new access key ID: 80 random bits, in the form that S3 clients expect. */
export const newAccessKeyId = (): string => ID_START + randomText(ID_ALPHABET, 16)

/** A new secret: 238 random bits, without the characters that some clients do not encode. */
export const newSecret = (): string => randomText(BASE62, 40)

/** A secret as it is stored: encrypted, and together with its key's id, so that it cannot be moved to another row. */
export const sealSecret = (config: Keys, accessKeyId: string, secret: string): string =>
  seal(config, PURPOSE, `${accessKeyId}:${secret}`)

/** The secret of that key; throws if it belongs to another. */
export function unsealSecret(config: Keys, accessKeyId: string, sealed: string): string {
  const text = unseal(config, PURPOSE, sealed)
  const start = `${accessKeyId}:`
  if (!text.startsWith(start)) throw new Error(`The stored secret of access key ${accessKeyId} is another key's`)
  return text.slice(start.length)
}

/** The same secret encrypted with the current SECRET_KEY. */
export const resealSecret = (config: Keys, accessKeyId: string, sealed: string): string =>
  isSealedWithCurrent(config, sealed)
    ? sealed
    : sealSecret(config, accessKeyId, unsealSecret(config, accessKeyId, sealed))
