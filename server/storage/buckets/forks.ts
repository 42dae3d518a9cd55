import type { BucketFork } from '../../../contract/buckets.ts'
import { formatMoment } from '../../base/moment.ts'
import type { Actor } from '../../context.ts'
import type { Db, Row } from '../../db/schema.ts'
import { actionsIn } from '../../iam/decide.ts'

type FoundFork = Row<'bucket_forks'> & { origin_name: string | null }

/** What these buckets began as, by their ids: also of those that only have the name of one until that is whole. */
export const findForks = async (db: Db, bucketIds: readonly string[]): Promise<Map<string, FoundFork>> => {
  if (bucketIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('bucket_forks')
    .leftJoin('buckets as origin', (join) =>
      join.onRef('origin.id', '=', 'origin_id').on('origin.deleted_at', 'is', null),
    )
    .selectAll('bucket_forks')
    .select('origin.name as origin_name')
    .where((e) => e.or([e('bucket_id', 'in', bucketIds), e('placeholder_id', 'in', bucketIds)]))
    .execute()
  return new Map(rows.map((row) => [row.placeholder_id ?? row.bucket_id, row]))
}

/** A fork as the API tells of it; its origin's name only to those who may know of that. */
export function describeFork(actor: Actor, row: FoundFork): BucketFork {
  const { origin_name, origin_moment, prefix, placeholder_id, job_id, erased, expires_at } = row
  const isFilling = placeholder_id !== null
  return {
    bucket: origin_name !== null && actionsIn(actor, origin_name).length > 0 ? origin_name : null,
    moment: formatMoment(Number(origin_moment)),
    prefix,
    state: isFilling ? 'filling' : 'whole',
    job: isFilling ? job_id : null,
    erased: Number(erased),
    expires_at,
  }
}
