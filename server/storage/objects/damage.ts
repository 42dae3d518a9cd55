import { Readable } from 'node:stream'
import { ServiceError } from '../../../contract/errors.ts'
import { systemActor } from '../../access/actors.ts'
import { perSystem } from '../../base/per-system.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { findPointed } from '../../blobs/pointers.ts'
import type { Ctx } from '../../context.ts'
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
 * counted, and recorded as `read_damaged`: once a minute for each blob, whoever reads it. Throws `busy` if the object was
 * erased between the look at its row and at its bytes.
 */
export async function reported(ctx: Ctx, row: ObjectRow, open: () => Promise<BlobBody>): Promise<BlobBody> {
  try {
    const body = await open()
    if (body instanceof Readable)
      body.once('error', (error) => {
        if (isDamage(error))
          ctx.background(async () => void ((await isErased(ctx, row, error)) || note(ctx, row, error)))
      })
    return body
  } catch (error) {
    if (!isDamage(error)) throw error
    if (await isErased(ctx, row, error))
      throw new ServiceError('busy', 'The object was replaced or deleted while it was about to be read. Try again.', {
        headers: { 'retry-after': '0' },
        cause: error,
      })
    note(ctx, row, error)
    throw error
  }
}

type Damage = SegmentDamaged | KeyUnavailable | BlobMissing
const isDamage = (error: unknown): error is Damage =>
  error instanceof SegmentDamaged || error instanceof KeyUnavailable || error instanceof BlobMissing

/** Whether there is nothing left to read, because nothing points at a blob any more: its key went with that. */
const isErased = async (ctx: Ctx, { blob_id }: ObjectRow, error: Damage): Promise<boolean> =>
  !(error instanceof SegmentDamaged) && !(await findPointed(ctx.db, [blob_id])).has(blob_id)

function reasonOf(error: Damage) {
  if (error instanceof SegmentDamaged) return 'changed'
  return error instanceof BlobMissing ? 'missing' : 'key'
}

function note(ctx: Ctx, { bucket_id, key, blob_id, version_id }: ObjectRow, error: Damage): void {
  // What others keep is not ours to vouch for.
  if (isExternal(blob_id)) return
  const reason = reasonOf(error)
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
