import type { BucketEncryption } from '../../../contract/encryption.ts'
import type { Ctx } from '../../context.ts'
import { assertComplete } from '../../encryption/default.ts'
import { type Sealing, sealingFor, type WantedEncryption } from '../../encryption/sealing.ts'
import type { BucketRow } from './store.ts'

/** How new contents of a bucket are encrypted of which nobody says; null if they are not. */
export const defaultEncryption = ({ encryption }: Pick<BucketRow, 'encryption'>): BucketEncryption | null =>
  encryption === null ? null : (JSON.parse(encryption) as BucketEncryption)

/** The same as a bucket's row has it. Throws invalid_request where the key is lacking, or too much. */
export function encryptionColumn(encryption: BucketEncryption | null): string | null {
  if (encryption === null) return null
  assertComplete(encryption)
  const { algorithm, key } = encryption
  return JSON.stringify(key === undefined ? { algorithm } : { algorithm, key })
}

/** How new contents of a bucket are to be encrypted: as wanted, else as the bucket says; null: not at all. */
export function encryptionFor(
  bucket: Pick<BucketRow, 'encryption'>,
  wanted: WantedEncryption | undefined,
): WantedEncryption {
  if (wanted !== undefined) return wanted
  const byDefault = defaultEncryption(bucket)
  return byDefault && wantedBy(byDefault)
}

/** The same as what encrypts takes it. */
export const wantedBy = ({ algorithm, key = '' }: BucketEncryption): WantedEncryption =>
  algorithm === 'aws:kms' ? { kind: 'aws:kms', key } : { kind: 'AES256' }

/** What a request asks for, in the same way; undefined: nothing. Throws invalid_request where the key is lacking, or too much. */
export function askedBy(encryption: BucketEncryption | undefined): WantedEncryption | undefined {
  if (encryption === undefined) return undefined
  assertComplete(encryption)
  return wantedBy(encryption)
}

/** What encrypts new contents of a bucket; undefined if nothing does. */
export const sealingOf = async (
  ctx: Ctx,
  bucket: Pick<BucketRow, 'encryption'>,
  wanted: WantedEncryption | undefined,
): Promise<Sealing | undefined> => sealingFor(ctx, encryptionFor(bucket, wanted))
