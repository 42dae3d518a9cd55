import { ServiceError } from '../../../../contract/errors.ts'
import type { Tx } from '../../../db/schema.ts'
import type { HeldBucket } from '../../buckets/service.ts'
import { type Pair, pairOf } from '../../forks/compare.ts'
import { holdBoth } from '../held.ts'
import type { CreateJob } from '../request.ts'

/** Step: holds a fork and its origin. Throws not_found where one is gone, and conflict where another bucket has its name. */
export async function holdPair(
  tx: Tx,
  request: CreateJob,
): Promise<{ buckets: [fork: HeldBucket, origin: HeldBucket]; pair: Pair }> {
  const buckets = await holdBoth(tx, request, 'copy')
  const [fork, origin] = buckets
  const pair = await pairOf(tx, fork)
  if (pair.originId !== origin.id)
    throw new ServiceError('conflict', `The bucket "${fork.name}" was not forked from the bucket "${origin.name}".`)
  return { buckets, pair }
}
