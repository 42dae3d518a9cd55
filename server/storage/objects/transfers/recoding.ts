import type { Recoded } from '../../../blobs/recode.ts'
import { etagFor } from '../../../encryption/envelope.ts'
import { encryptionText, kindOf, type WantedEncryption } from '../../../encryption/sealing.ts'
import { encryptionFor } from '../../buckets/encryption.ts'
import type { HeldBucket } from '../../buckets/service.ts'
import type { ObjectRow } from '../store.ts'
import type { TransferKind } from './choose.ts'
import type { Recoding } from './copies.ts'

/** How transferred objects are to be encrypted; `wanted` undefined: nobody says. */
export type AskedRecoding = Omit<Recoding, 'wanted'> & { wanted: WantedEncryption | undefined }

/**
 * As asked for, else as the destination says of contents of which nobody does. What is moved within a bucket, or to one that
 * says nothing, stays as it is.
 */
export function recodingFor(
  kind: TransferKind,
  [source, dest]: readonly [HeldBucket, HeldBucket],
  { wanted, customerKey }: Partial<AskedRecoding> = {},
): AskedRecoding {
  if (wanted !== undefined) return { wanted, customerKey }
  const byDefault = kind === 'move' && source.id === dest.id ? null : encryptionFor(dest, undefined)
  return { wanted: byDefault ?? undefined, customerKey }
}

/** Whether an object has to be encrypted otherwise, or no more, to become what is wanted. */
export function isToRecode(kind: TransferKind, { encryption }: ObjectRow, { wanted }: AskedRecoding): boolean {
  // Its bytes may move, but nobody else than its client can copy it.
  if (kindOf(encryption) === 'SSE-C') return kind === 'copy'
  if (wanted === undefined) return false
  return wanted?.kind === 'SSE-C' || encryptionText(wanted) !== encryption
}

/** What of an object is another's once it is encrypted otherwise. */
export function asRecoded(
  { blob_id, etag }: ObjectRow,
  recoded: ReadonlyMap<string, Recoded>,
): Partial<Pick<ObjectRow, 'blob_id' | 'encryption' | 'etag'>> {
  const copy = recoded.get(blob_id)
  if (!copy) return {}
  const { id, encryption, md5 } = copy
  return { blob_id: id, encryption, etag: etag.includes('-') ? etag : etagFor(kindOf(encryption), { id, md5 }) }
}
