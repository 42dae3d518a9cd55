import type { ObjectEncryption } from '../../contract/encryption.ts'
import { kindOf } from './sealing.ts'

/** How contents are encrypted, if they are, as the API returns it. */
export function encryptionField({ encryption }: { encryption: string | null }): { encryption?: ObjectEncryption } {
  const algorithm = kindOf(encryption)
  if (algorithm === null || encryption === null) return {}
  const key = encryption.slice(algorithm.length + 1)
  return { encryption: key === '' ? { algorithm } : { algorithm, key } }
}
