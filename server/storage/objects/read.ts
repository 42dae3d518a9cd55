import type { KeyObject } from 'node:crypto'
import { spendRead } from '../../access/agent-limits/budget.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import { assertOpens } from '../../blobs/encrypted.ts'
import { type DirectUrlOptions, directUrl, type OpenOptions, openBlob, pieceOf } from '../../blobs/open.ts'
import type { Ctx } from '../../context.ts'
import type { BlobBody } from '../../drivers/driver.ts'
import { kindOf } from '../../encryption/sealing.ts'
import type { Delivery } from '../../http/delivery.ts'
import { standbyRefuses } from '../../http/standby.ts'
import { countDownload } from '../usage/traffic.ts'
import { reported } from './damage.ts'
import type { Found } from './lookup.ts'
import { getContents } from './service.ts'
import type { ObjectRow } from './store.ts'

/** An object whose bytes the caller may read. */
export interface Contents {
  row: ObjectRow
  /** Opens its bytes, or a range of them. */
  open(range?: ByteRange): Promise<BlobBody>
  /** A URL at which the storage itself serves them; null if there is none. */
  directUrl(options: DirectUrlOptions): Promise<string | null>
  /** Call when the response to a GET has ended. */
  delivered(delivery: Delivery): void
}

/** Contents with the lifecycle document of their bucket, as JSON. */
export interface ReadContents extends Contents {
  /** Null also for a version that is not current. */
  lifecycle: string | null
  /** Its bucket's. */
  versioning: Found['versioning']
  replication: Found['replication']
  /** Throws unless the key that the client gave is the one that is needed, or none is. */
  checkKey(): Promise<void>
}

/** How an object is to be read. */
export interface ReadOptions {
  /** Whether `open` will probably be called, so that the bytes of a small object come with its row. */
  opens: boolean
  /** One that is perhaps not current; null is the `null` version. */
  version?: string | null | undefined
  /** The client's, of what is encrypted with it. */
  customerKey?: KeyObject | undefined
  /** Whether the caller calls `checkKey`; else it is called before this returns. */
  checksKey?: boolean
}

/** Returns a key's contents; needs `read`. Throws `forbidden` or `not_found`. */
export async function read(ctx: Ctx, bucket: string, key: string, options: ReadOptions): Promise<ReadContents> {
  await assertTraceable(ctx)
  const { row, bytes, sums, envelope, lifecycle, versioning, replication } = await getContents(
    ctx,
    bucket,
    key,
    options,
  )
  const { opens, customerKey, checksKey = false } = options
  const isChecked = customerKey !== undefined || kindOf(row.encryption) === 'SSE-C'
  const checkKey = async () => {
    if (isChecked) await assertOpens(ctx, { ...row, envelope }, customerKey)
  }
  if (isChecked && !checksKey) await checkKey()
  const sealed = opens && typeof envelope === 'string' ? { envelope, bytes: bytes ?? null, sums } : undefined
  const opened = contentsOf(ctx, row, { customerKey, sealed, sums })
  const contents = { ...opened, lifecycle, versioning, replication, checkKey }
  if (!bytes || row.encryption !== null) return contents
  const body = { bytes, sums: sums ?? null }
  const open = async (range?: ByteRange) => {
    await spendRead(ctx, lengthOf(row, range))
    return reported(ctx, row, async () => pieceOf(row, body, range))
  }
  return { ...contents, open, directUrl: async () => null }
}

/** Throws on a standby where reads are recorded, which it cannot. */
async function assertTraceable(ctx: Ctx): Promise<void> {
  if (ctx.config.standbyOf === null || !(await settingsInForce(ctx)).audit.log_reads) return
  throw standbyRefuses('Reads of objects are recorded (audit.log_reads), which only the main service can.')
}

const lengthOf = ({ size }: Pick<ObjectRow, 'size'>, range?: ByteRange): number =>
  range ? range.end - range.start + 1 : size

/** Like `read`, for an object whose access was already checked. */
export const contentsOf = (ctx: Ctx, row: ObjectRow, options?: OpenOptions): Contents => ({
  row,
  async open(range) {
    await spendRead(ctx, lengthOf(row, range))
    return reported(ctx, row, () => openBlob(ctx, row, range, options))
  },
  // The storage does not know the object's own headers.
  async directUrl(options) {
    // It could be fetched again and again, and outlive an agent.
    return row.headers === null && !ctx.actor.agent ? directUrl(ctx, row, options) : null
  },
  delivered: (delivery) => countDownload(ctx, row.bucket_id, delivery),
})
