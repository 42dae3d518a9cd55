import type { BucketEncryption } from '../../contract/encryption.ts'
import { invalid } from '../base/invalid.ts'
import type { Db, Tx } from '../db/schema.ts'
import { findKmsKey, shareKmsKey } from './store.ts'

/** Throws invalid_request, about the field at `path`, where a key is lacking, or too much. */
export function assertComplete({ algorithm, key }: BucketEncryption, path = 'body.encryption'): void {
  if (algorithm === 'aws:kms' && key === undefined) throw invalid(`${path}.key`, 'is required with `aws:kms`')
  if (algorithm === 'AES256' && key !== undefined) throw invalid(`${path}.key`, 'only with `aws:kms`')
}

/** Throws invalid_request, about the field at `path`, if the key that is to be used is not registered. */
export async function assertKeyKnown(
  db: Db,
  encryption: BucketEncryption | null | undefined,
  path = 'body.encryption',
): Promise<void> {
  if (encryption?.key !== undefined && !(await findKmsKey(db, encryption.key))) throw unknown(path)
}

/** Step: the same; the key stays registered until the transaction ends. */
export async function holdKeyKnown(
  tx: Tx,
  encryption: BucketEncryption | null | undefined,
  path = 'body.encryption',
): Promise<void> {
  if (encryption?.key !== undefined && !(await shareKmsKey(tx, encryption.key))) throw unknown(path)
}

const unknown = (path: string) => invalid(`${path}.key`, 'is not registered')
