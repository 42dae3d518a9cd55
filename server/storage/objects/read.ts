import type { ByteRange } from '../../base/byte-range.ts'
import type { BlobBody } from '../../blobs/drivers/driver.ts'
import type { Ctx } from '../../context.ts'
import type { Delivery } from '../../http/delivery.ts'
import { countDownload } from '../traffic/traffic.ts'
import { getObject } from './service.ts'
import type { ObjectRow } from './store.ts'

/** An object whose bytes the caller may read. */
export interface Contents {
  row: ObjectRow
  /** Opens its bytes, or a range of them. */
  open(range?: ByteRange): Promise<BlobBody>
  /** Call when the response to a GET has ended. */
  delivered(delivery: Delivery): void
}

/** Returns a key's contents; needs `read`. Throws `forbidden` or `not_found`. */
export const read = async (ctx: Ctx, bucket: string, key: string): Promise<Contents> =>
  contentsOf(ctx, await getObject(ctx, bucket, key))

/** Like `read`, for an object whose access was already checked. */
export const contentsOf = (ctx: Ctx, row: ObjectRow): Contents => ({
  row,
  open: (range) => ctx.blobs.get(row.blob_id, row.size, range),
  delivered: (delivery) => countDownload(ctx, row.bucket_id, delivery),
})
