import type { Tx } from '../../db/schema.ts'
import { shareKmsKey } from '../store.ts'
import { refused } from './key-service.ts'

const KIND = 'aws:kms '

/**
 * Step: sees to it that the key that a row's `encryption` names stays registered until the transaction ends; it may have been
 * deleted while the bytes came. Throws conflict if it was. Nothing else needs to be registered.
 */
export async function holdKmsKey(tx: Tx, encryption: string | null): Promise<void> {
  if (!encryption?.startsWith(KIND)) return
  const name = encryption.slice(KIND.length)
  if (!(await shareKmsKey(tx, name))) throw refused(name, 'it is not registered')
}
