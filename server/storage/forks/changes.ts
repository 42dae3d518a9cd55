import type { ForkChange } from '../../../contract/changes.ts'
import { afterKey } from '../../../contract/permissions.ts'
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import { formatMoment } from '../../base/moment.ts'
import { takingTurns } from '../../base/turns.ts'
import { allowSomewhere, type Ctx } from '../../context.ts'
import { isReached } from '../../iam/decide.ts'
import { bucketMissing } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { changesBetween, contentOf, describeAuthor } from '../history/former/changes.ts'
import { findAuthors } from '../history/former/changes-store.ts'
import { findEnds } from '../history/former/store.ts'
import { keysOfEither } from './changed-keys.ts'
import { type Compared, compareKeys, isConflict, isTaken } from './compare.ts'
import { withOrigin } from './origin.ts'

interface ForkChangesQuery {
  prefix?: string | undefined
  only?: 'fork' | 'origin' | 'conflicts' | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const isListed: Record<NonNullable<ForkChangesQuery['only']>, (one: Compared) => boolean> = {
  fork: ({ byFork }) => byFork,
  origin: ({ byOrigin }) => byOrigin,
  conflicts: isConflict,
}

/** What a fork and its origin have made of keys since the fork, of those that the caller may list in both, in key order. */
export async function listForkChanges(ctx: Ctx, name: string, query: ForkChangesQuery) {
  const { prefix = '', limit = 100, cursor, only } = query
  const ranges = allowSomewhere(ctx.actor, 'list', name, prefix)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const { pair, origin } = await withOrigin(ctx, bucket)
  const inOrigin = allowSomewhere(ctx.actor, 'list', origin, prefix)
  const [after] = decodeCursor(cursor, 1) ?? []
  const totals = after === undefined ? { fork: 0, origin: 0, conflicts: 0, same: 0 } : undefined
  const found: Compared[] = []
  const turn = takingTurns()
  for await (const keys of keysOfEither(ctx.db, pair, ranges, after === undefined ? '' : afterKey(after))) {
    const seen = keys.filter((key) => isReached(inOrigin, key))
    for (const one of await compareKeys(ctx.db, pair, seen)) {
      if (!one.byFork && !one.byOrigin) continue
      if (totals) totals[kindOf(one)]++
      if (found.length <= limit && (only === undefined || isListed[only](one))) found.push(one)
    }
    if (!totals && found.length > limit) break
    await turn()
  }
  const page = found.slice(0, limit)
  const ends = {
    fork: await endsOf(ctx, pair.forkId, page, 'fork'),
    origin: await endsOf(ctx, pair.originId, page, 'origin'),
  }
  const ids = page.flatMap(({ fork, origin: there }) => [fork?.author ?? null, there?.author ?? null])
  const ended = [...ends.fork.values(), ...ends.origin.values()].map(({ ended_by }) => ended_by)
  const wanted = new Set([...ids, ...ended].filter((id) => id !== null))
  const authors = new Map((await findAuthors(ctx.db, [...wanted])).map((one) => [Number(one.id), one]))
  const last = page.at(-1)
  const describeSide = (one: Compared, side: 'fork' | 'origin'): ForkChange['fork'] => {
    if (!(side === 'fork' ? one.byFork : one.byOrigin)) return null
    const row = one[side]
    const end = ends[side].get(one.key)
    const [moment, author] = row ? [row.moment, row.author] : [end?.ended ?? null, end?.ended_by ?? null]
    return {
      ...changesBetween(one.before, row),
      after: contentOf(row),
      moment: moment === null ? null : formatMoment(Number(moment)),
      by: describeAuthor(author === null ? undefined : authors.get(Number(author))),
    }
  }
  return {
    items: page.map(
      (one): ForkChange => ({
        key: one.key,
        conflict: isConflict(one),
        before: contentOf(one.before),
        fork: describeSide(one, 'fork'),
        origin: describeSide(one, 'origin'),
      }),
    ),
    next_cursor: found.length > limit && last ? encodeCursor([last.key]) : null,
    origin,
    moment: formatMoment(pair.since),
    ...(totals && { totals }),
  }
}

function kindOf(one: Compared): 'fork' | 'origin' | 'conflicts' | 'same' {
  if (isConflict(one)) return 'conflicts'
  if (isTaken(one)) return 'fork'
  return one.byFork ? 'same' : 'origin'
}

type End = Awaited<ReturnType<typeof findEnds>>[number]

/** When the objects ended of those of these keys that have none in one of the buckets, and who ended them. */
async function endsOf(
  { db }: Ctx,
  bucketId: string,
  compared: readonly Compared[],
  side: 'fork' | 'origin',
): Promise<Map<string, End>> {
  const gone = compared.filter((one) => one[side] === null).map(({ key }) => key)
  return new Map((await findEnds(db, bucketId, gone)).map((one) => [one.key, one]))
}
