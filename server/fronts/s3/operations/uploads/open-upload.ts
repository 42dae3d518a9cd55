import { permits, rule } from '../../../../iam/decide.ts'
import { openUpload, uploadMissing } from '../../../../storage/uploads/service.ts'
import type { UploadRow } from '../../../../storage/uploads/store.ts'
import { S3Error } from '../../errors.ts'
import { type Exchange, parameter } from '../../requests/exchange.ts'

/** The upload that a request names; one of another key does not exist. */
export async function uploadOf(exchange: Exchange): Promise<UploadRow> {
  const { ctx, bucket, key } = exchange
  const row = await openUpload(ctx, bucket, parameter(exchange, 'uploadId') ?? '')
  if (row.key !== key || row.kind !== 'free') throw uploadMissing()
  return row
}

/** The same for what only those may do who began it, manage the bucket, or have it allowed by a policy. */
export async function ownUploadOf(exchange: Exchange): Promise<UploadRow> {
  const row = await uploadOf(exchange)
  const { actor } = exchange.ctx
  const isOwn = actor.user_id !== null && row.created_by === actor.user_id
  if (isOwn || permits(actor, 'manage', exchange.bucket, row.key)) return row
  const ruling = rule(actor, 'write', exchange.bucket, row.key)
  if (!ruling.allowed || !('statement' in ruling.via)) throw uploadMissing()
  return row
}

export const checksumMismatch = (wanted: string, given: string | undefined) =>
  new S3Error(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: ${wanted}, actual checksum Type: ${given ?? 'null'}`,
  )
