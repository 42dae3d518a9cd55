import type { BucketFork } from '../../../contract/buckets.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { formatMoment } from '../../base/moment.ts'
import type { Actor } from '../../context.ts'
import type { Db, Row, Tx } from '../../db/schema.ts'
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

/** Step: throws conflict where a bucket deletes itself one day, with all that is in it. */
export async function assertStays(tx: Tx, bucketId: string): Promise<void> {
  const fork = await tx
    .selectFrom('bucket_forks')
    .select('expires_at')
    .where('bucket_id', '=', bucketId)
    .where('expires_at', 'is not', null)
    .executeTakeFirst()
  if (fork)
    throw new ServiceError(
      'conflict',
      `The bucket is a fork that deletes itself at ${fork.expires_at}: nothing in it can be locked.`,
    )
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
