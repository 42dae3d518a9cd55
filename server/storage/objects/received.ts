import { ServiceError } from '../../../contract/errors.ts'
import { discardBlobs, newClaim, type WrittenBlob, writeBlob } from '../../blobs/write.ts'
import type { Ctx } from '../../context.ts'
import { bucketMissing, estimateRoom } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { type Arrival, beginArrival, type LinkRoom } from '../incoming/arrival.ts'
import { countUpload } from '../traffic/traffic.ts'
import type { Description } from './describe.ts'
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
  const free = await estimateRoom(ctx.db, row)
  const claim = newClaim(ctx)
  const arrival = beginArrival(ctx, row, free, link)
  let grown = 0
  const receive = async (upload: Upload): Promise<Received> => {
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
    }).finally(() => countUpload(ctx, row.id, arrived))
    if (upload.md5 !== undefined && upload.md5 !== blob.md5) {
      await discardBlobs(ctx, [blob])
      throw new ServiceError('malformed', "The body's MD5 does not match Content-MD5.", {
        faults: [{ path: 'header.content-md5', message: "does not match the body's MD5" }],
      })
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
