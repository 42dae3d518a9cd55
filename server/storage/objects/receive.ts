import { ServiceError } from '../../../contract/errors.ts'
import type { Checksum, ChecksumAlgorithm } from '../../../contract/shapes.ts'
import { malformedHeader } from '../../base/invalid.ts'
import { newClaim } from '../../blobs/claim.ts'
import { discardBlobs, type SignedSha256, type WrittenBlob, writeBlob } from '../../blobs/write.ts'
import type { Ctx } from '../../context.ts'
import type { WantedEncryption } from '../../encryption/sealing.ts'
import { sealingOf } from '../buckets/encryption.ts'
import { bucketMissing, estimateRoom } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { assertWritable } from '../buckets/writable.ts'
import { lockOf, type WantedLock } from '../locks/lock.ts'
import { type Arrival, beginArrival, type LinkRoom } from '../usage/reservations/reserve.ts'
import { countUpload } from '../usage/traffic.ts'
import type { Description } from './describe.ts'
import { allowLocked } from './lock-rights.ts'
import * as store from './store.ts'

/** An upload's properties besides its bytes. */
export interface Upload extends Description {
  key: string
  /** Called once, when the bytes may be sent. */
  source(): AsyncIterable<Uint8Array>
  /** Content-Length, if given. */
  announced?: number | undefined
  /** Hex MD5 that the client claims for the bytes. */
  md5?: string | undefined
  /** The SHA-256 that the request signs. */
  signed?: SignedSha256 | undefined
  /** A checksum to compute; `value` is what the client claims it to be, in base64. */
  checksum?: { algorithm: ChecksumAlgorithm; value?: string | undefined } | undefined
  /** Kept and shown, without effect. */
  storageClass?: string | undefined
  /** Its ACL, as its row has it. */
  acl?: string | null | undefined
  /** What is to be locked of it. */
  lock?: WantedLock | undefined
  /** How it is to be encrypted; undefined: as the bucket says. */
  encryption?: WantedEncryption | undefined
  /** Size limit, independent of the quota. */
  maxBytes?: number | undefined
}

/** Bytes received for one key, not yet visible. */
export interface Received {
  upload: Upload
  blob: WrittenBlob
  /** Shared by all files of the request. */
  arrival: Arrival
}

/** Deletes bytes that will not be placed, and releases what was reserved for them. */
export async function discard(ctx: Ctx, received: readonly Received[]): Promise<void> {
  await discardBlobs(
    ctx,
    received.map(({ blob }) => blob),
  )
  await received[0]?.arrival.end()
}

/**
 * Receives a request's bytes into a bucket, as one file or several. The quota rejects what does not fit before bytes
 * are stored; the exact decision is made when they are placed. A caller that does not place what was received must call
 * `end`.
 */
export async function startReceiving(ctx: Ctx, bucket: string, link?: LinkRoom) {
  const row = await findBucket(ctx.db, bucket)
  if (!row) throw bucketMissing(bucket)
  assertWritable(row)
  const free = await estimateRoom(ctx.db, row)
  const claim = newClaim(ctx, row.storage_id)
  const arrival = beginArrival(ctx, row, free, link)
  let grown = 0
  const receive = async (upload: Upload): Promise<Received> => {
    lockOf(row, ctx.now(), upload.lock)
    if (upload.lock) await allowLocked(ctx, bucket, upload.key, upload.lock)
    const replaced = free === null ? undefined : await store.findObject(ctx.db, bucket, upload.key)
    const freed = replaced?.size ?? 0
    const inspect = (size: number) => {
      if (size > (upload.maxBytes ?? Number.POSITIVE_INFINITY))
        throw new ServiceError('too_large', `The content must be at most ${upload.maxBytes} bytes.`)
      // A replacement of the same size does not grow the bucket, so it is allowed even above the quota.
      const growth = grown + size - freed
      return growth > 0 ? arrival.cover(growth, upload.announced !== undefined) : undefined
    }
    await inspect(upload.announced ?? 0)
    await arrival.begin()
    let arrived = 0
    const count = (size: number) => {
      arrived = size
      return inspect(size)
    }
    const blob = await writeBlob(ctx, claim, upload.source(), {
      inspect: count,
      announced: upload.announced,
      algorithm: upload.checksum?.algorithm,
      signed: upload.signed,
      sealing: await sealingOf(ctx, row, upload.encryption),
    }).finally(() => countUpload(ctx, row.id, arrived))
    const differing = differingHeader(upload, blob)
    if (differing) {
      await discardBlobs(ctx, [blob])
      throw malformedHeader(differing, 'does not match the body')
    }
    grown += blob.size - freed
    return { upload, blob, arrival }
  }
  return {
    receive: (upload: Upload) =>
      receive(upload).catch(async (error: unknown) => {
        await arrival.end()
        throw error
      }),
    end: () => arrival.end(),
  }
}

/** The header whose claim the received bytes do not meet. */
function differingHeader({ md5, checksum }: Upload, blob: WrittenBlob): string | undefined {
  if (md5 !== undefined && md5 !== blob.md5) return 'content-md5'
  if (checksum?.value === undefined) return undefined
  const [computed] = JSON.parse(blob.checksums ?? '[]') as Checksum[]
  return computed?.value === checksum.value ? undefined : `x-checksum-${checksum.algorithm}`
}
