import { allow, type Ctx } from '../../../context.ts'
import { allowWhole } from '../../forks/fill.ts'
import { read } from '../../objects/read.ts'
import type { CreateJob, Needed, NeededBody } from '../request.ts'

/**
 * Completes what a deletion takes from a list of the keys that are needed: which contents the list has. Throws forbidden unless the
 * caller sees all that it is compared with.
 */
export async function completeNeeded(
  ctx: Ctx,
  { bucket, key, as_of, report }: NeededBody,
  { source_bucket, prefix = '' }: Pick<CreateJob, 'source_bucket' | 'prefix'>,
): Promise<Needed> {
  const name = bucket ?? source_bucket
  allowWhole(ctx.actor, { name: source_bucket, prefix }, 'list')
  const { row } = await read(ctx, name, key, { opens: false })
  const to = report && { bucket: report.bucket ?? source_bucket, prefix: report.prefix ?? '' }
  if (to) allow(ctx.actor, 'write', to.bucket, to.prefix)
  return {
    bucket: name,
    key,
    blob_id: row.blob_id,
    as_of: new Date(as_of ?? row.last_modified).toISOString(),
    ...(to && { report: to }),
  }
}
