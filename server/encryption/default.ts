import type { BucketEncryption } from '../../contract/encryption.ts'
import { invalid } from '../base/invalid.ts'
import type { Db } from '../db/schema.ts'
import { findKmsKey } from './store.ts'

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
  if (encryption?.key === undefined || (await findKmsKey(db, encryption.key))) return
  throw invalid(`${path}.key`, 'is not registered')
}
