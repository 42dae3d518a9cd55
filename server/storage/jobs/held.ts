// The buckets of jobs: those that they were asked for about, whatever has their names by now.
import type { Db, Tx } from '../../db/schema.ts'
import { bucketMissing, type HeldBucket, holdBucket, holdBuckets } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import type { CreateJob } from './request.ts'

type Asked = Pick<CreateJob, 'source_bucket' | 'source_id' | 'dest_bucket' | 'dest_id'>

/** Earlier releases wrote down no ids. */
const isOther = (id: string | undefined, bucket: { id: string } | undefined): boolean =>
  id !== undefined && bucket?.id !== id

/** A request with the ids of the buckets that have its names now, unless it has ids. */
export async function withIds(db: Db, request: CreateJob): Promise<CreateJob> {
  const { source_bucket, dest_bucket } = request
  const source = await findBucket(db, source_bucket)
  const dest = dest_bucket === undefined ? undefined : await findBucket(db, dest_bucket)
  return { source_id: source?.id, dest_id: dest?.id, ...request }
}

/** Throws not_found if one of a job's buckets was deleted, also where another one has its name now. */
export async function assertSameBuckets(db: Db, { source_bucket, source_id, dest_bucket, dest_id }: Asked) {
  if (isOther(source_id, source_id === undefined ? undefined : await findBucket(db, source_bucket)))
    throw bucketMissing(source_bucket)
  if (dest_bucket !== undefined && dest_id !== undefined && isOther(dest_id, await findBucket(db, dest_bucket)))
    throw bucketMissing(dest_bucket)
}

/** Step: holds the bucket that a job is about. Throws not_found. */
export async function holdSource(
  tx: Tx,
  { source_bucket, source_id }: Asked,
  use?: 'read' | 'write',
): Promise<HeldBucket> {
  const bucket = await holdBucket(tx, source_bucket, use)
  if (isOther(source_id, bucket)) throw bucketMissing(source_bucket)
  return bucket
}

/** Step: holds both buckets of a job, which may be the same. Throws not_found. */
export async function holdBoth(
  tx: Tx,
  { source_bucket, source_id, dest_bucket = source_bucket, dest_id }: Asked,
  kind: 'copy' | 'move',
): Promise<[HeldBucket, HeldBucket]> {
  const buckets = await holdBuckets(tx, source_bucket, dest_bucket, kind)
  if (isOther(source_id, buckets[0])) throw bucketMissing(source_bucket)
  if (isOther(dest_id, buckets[1])) throw bucketMissing(dest_bucket)
  return buckets
}
