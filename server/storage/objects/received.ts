import { ServiceError } from '../../../contract/errors.ts'
import { discardBlobs, newClaim, type WrittenBlob, writeBlob } from '../../blobs/write.ts'
import type { Ctx } from '../../context.ts'
import { bucketMissing, estimateRoom } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { type Arrival, beginArrival, type LinkRoom } from '../incoming/arrival.ts'
import { countUpload } from '../traffic/traffic.ts'
import * as store from './store.ts'

/** What an upload says of itself besides its bytes. */
export interface Upload {
  key: string
  content_type: string
  metadata: { [name: string]: string }
  /** Called once, when the bytes may come. */
  source(): AsyncIterable<Uint8Array>
  /** Bytes announced by Content-Length, if any. */
  announced?: number | undefined
  /** Hex MD5 the client says the bytes have. */
  md5?: string | undefined
  /** The most bytes that are taken, whatever the quota. */
  maxBytes?: number | undefined
}

/** Bytes received for one key, not yet visible. */
export interface Received {
  upload: Upload
  blob: WrittenBlob
  /** Of all files of the request. */
  arrival: Arrival
}

/** Removes bytes that will not be placed, and what was reserved for them. */
export async function discard(ctx: Ctx, received: readonly Received[]): Promise<void> {
  await discardBlobs(
    ctx,
    received.map(({ blob }) => blob.id),
  )
  await received[0]?.arrival.end()
}

/**
 * Receives the bytes of one request into a bucket, as one file or several. The quota refuses before bytes land what does
 * not fit; the exact decision is made when they are placed. Whoever does not place what was received calls `end`.
 */
export async function receiver(ctx: Ctx, bucket: string, link?: LinkRoom) {
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
        throw new ServiceError('too_large', `At most ${upload.maxBytes} bytes are taken here.`)
      // What replaces as many bytes does not grow the bucket, so it passes even where the quota is below what is used.
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
      await discardBlobs(ctx, [blob.id])
      throw new ServiceError('malformed', 'The body does not have the MD5 that Content-MD5 gives.', {
        faults: [{ path: 'header.content-md5', message: 'differs from the MD5 of the body' }],
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
