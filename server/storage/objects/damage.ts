import { Readable } from 'node:stream'
import { perSystem } from '../../base/per-system.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { type Ctx, systemActor } from '../../context.ts'
import { type BlobBody, BlobMissing } from '../../drivers/driver.ts'
import { isExternal } from '../../drivers/routing/ids.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import { KeyUnavailable, SegmentDamaged } from '../../segments/cipher.ts'
import { findBucketName } from '../buckets/store.ts'
import type { ObjectRow } from './store.ts'

/** When each blob was last recorded as damaged, in ms, of the last minute. */
const recordedOf = perSystem(() => new Map<string, number>())

/**
 * What `open` gives of an object. That its bytes are not those that were written, or are gone, or have lost their key, is
 * counted, and recorded as `read_damaged`: once a minute for each blob, whoever reads it.
 */
export async function reported(ctx: Ctx, row: ObjectRow, open: () => Promise<BlobBody>): Promise<BlobBody> {
  try {
    const body = await open()
    if (body instanceof Readable) body.once('error', (error) => note(ctx, row, error))
    return body
  } catch (error) {
    note(ctx, row, error)
    throw error
  }
}

function reasonOf(error: unknown) {
  if (error instanceof SegmentDamaged) return 'changed'
  if (error instanceof BlobMissing) return 'missing'
  return error instanceof KeyUnavailable ? 'key' : undefined
}

function note(ctx: Ctx, { bucket_id, key, blob_id, version_id }: ObjectRow, error: unknown): void {
  const reason = reasonOf(error)
  // What others keep is not ours to vouch for.
  if (!reason || !(error instanceof Error) || isExternal(blob_id)) return
  telemetryOf(ctx.config).metrics.strongroom_damaged_reads_total.inc({ reason })
  const now = ctx.now().getTime()
  const recorded = recordedOf(ctx.config)
  if (Math.abs(now - (recorded.get(blob_id) ?? Number.NEGATIVE_INFINITY)) < MINUTE_MS) return
  for (const [id, at] of recorded) if (Math.abs(now - at) >= MINUTE_MS) recorded.delete(id)
  recorded.set(blob_id, now)
  ctx.background(async () => {
    const bucket = await findBucketName(ctx.db, bucket_id)
    const details = { blob_id, reason, detail: error.message, ...(version_id === null ? {} : { version_id }) } as const
    await ctx.as(systemActor).act(async ({ record }) => {
      record({ name: 'read_damaged', ...(bucket === undefined ? {} : { bucket }), key, result: 'failure', details })
    })
  })
}
