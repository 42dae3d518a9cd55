import type { BucketEncryption } from '../../../contract/encryption.ts'
import type { Ctx } from '../../context.ts'
import { type Sealing, sealingFor, type WantedEncryption } from '../../encryption/sealing.ts'
import type { BucketRow } from './store.ts'

/** How new contents of a bucket are encrypted of which nobody says; null if they are not. */
export const defaultEncryption = ({ encryption }: Pick<BucketRow, 'encryption'>): BucketEncryption | null =>
  encryption === null ? null : (JSON.parse(encryption) as BucketEncryption)

/** The same as a bucket's row has it. */
export const encryptionColumn = (encryption: BucketEncryption | null): string | null =>
  encryption && JSON.stringify(encryption)

/** How new contents of a bucket are to be encrypted: as wanted, else as the bucket says; null: not at all. */
export function encryptionFor(
  bucket: Pick<BucketRow, 'encryption'>,
  wanted: WantedEncryption | undefined,
): WantedEncryption {
  if (wanted !== undefined) return wanted
  const byDefault = defaultEncryption(bucket)
  return byDefault && { kind: byDefault.algorithm }
}

/** What encrypts new contents of a bucket; undefined if nothing does. */
export const sealingOf = async (
  ctx: Ctx,
  bucket: Pick<BucketRow, 'encryption'>,
  wanted: WantedEncryption | undefined,
): Promise<Sealing | undefined> => sealingFor(ctx, encryptionFor(bucket, wanted))
