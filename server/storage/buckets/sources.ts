import type { BucketSource } from '../../../contract/buckets.ts'
import type { Db } from '../../db/schema.ts'
import type { BucketRow } from './store.ts'

/** Where the objects are that attached ones of these buckets show, or that were taken over, by their ids. */
export async function findSources(
  db: Db,
  rows: readonly Pick<BucketRow, 'id' | 'mode'>[],
): Promise<Map<string, BucketSource>> {
  const attached = rows.flatMap(({ id, mode }) => (mode === null ? [] : id))
  if (attached.length === 0) return new Map()
  const sources = await db
    .selectFrom('attachments')
    .innerJoin('storages', 'storages.id', 'attachments.storage_id')
    .select(['bucket_id', 'storages.name as storage', 'storages.bucket', 'attachments.prefix', 'as_of', 'weak'])
    .select(['changed_at', 'events_at', 'taken_over_at', 'release_job'])
    .select((e) =>
      e
        .selectFrom('findings')
        .select((f) => f.fn.countAll<number>().as('count'))
        .whereRef('findings.bucket_id', '=', 'attachments.bucket_id')
        .as('findings'),
    )
    .where('bucket_id', 'in', attached)
    .execute()
  return new Map(
    sources.map(({ bucket_id, bucket, weak, findings, ...source }) => [
      bucket_id,
      { bucket: bucket ?? '', weak: weak === 1, findings: Number(findings), ...source },
    ]),
  )
}
