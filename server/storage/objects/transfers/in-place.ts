import { copiedEnvelope, encryptionIn, type WrittenBlob } from '../../../blobs/write.ts'
import type { HeldBucket } from '../../buckets/service.ts'
import { type Copies, placedOn } from './copies.ts'

/** Received bytes where a bucket may point at them. Throws Elsewhere. */
export function inPlace(bucket: HeldBucket, blob: WrittenBlob, copies: Copies): WrittenBlob {
  if (blob.body) return blob
  const { envelope } = blob
  const described = {
    ...blob,
    blob_id: blob.id,
    etag: blob.md5,
    encryption: encryptionIn(envelope),
    envelope: envelope && JSON.stringify(envelope),
  }
  const id = placedOn(bucket, described, copies)
  return id === blob.id ? blob : { ...blob, id, envelope: envelope && copiedEnvelope(envelope, blob.id) }
}
