import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Ctx } from '../../context.ts'
import { actionsIn } from '../../iam/decide.ts'
import { findBucketName } from '../buckets/store.ts'
import { type Pair, pairOf } from './compare.ts'

/**
 * How a fork and its origin are compared, and the origin's name, for callers who may know of that. Throws conflict for a bucket
 * that is no fork, or whose origin is gone, and forbidden for callers who may not know of the origin.
 */
export async function withOrigin(
  { db, actor }: Pick<Ctx, 'db' | 'actor'>,
  fork: { id: string; name: string },
): Promise<{ pair: Pair; origin: string }> {
  const pair = await pairOf(db, fork)
  const origin = await findBucketName(db, pair.originId)
  if (origin !== undefined && actionsIn(actor, origin).length > 0) return { pair, origin }
  // Others are not told whether it still exists.
  if (isAdmin(actor.groups))
    throw new ServiceError('conflict', `The bucket that "${fork.name}" was forked from does not exist any more.`)
  throw new ServiceError('forbidden', `You need permissions in the bucket that "${fork.name}" was forked from.`)
}
