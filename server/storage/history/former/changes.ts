import type { ObjectChange } from '../../../../contract/changes.ts'
import { decodeCursor, encodeCursor } from '../../../base/cursor.ts'
import { invalid } from '../../../base/invalid.ts'
import { formatMoment } from '../../../base/moment.ts'
import { takingTurns } from '../../../base/turns.ts'
import { allowSomewhere, type Ctx } from '../../../context.ts'
import { bucketMissing } from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import { changedKeys, placeAfter } from './changed-keys.ts'
import * as store from './changes-store.ts'
import { momentOf } from './past.ts'
import { findLatest } from './store.ts'

interface ChangesQuery {
  from: string
  to?: string | undefined
  prefix?: string | undefined
  change?: ObjectChange['change'] | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** What is not the same in a bucket at two moments, of the keys that the caller may list, in key order. */
export async function listChanges(ctx: Ctx, name: string, query: ChangesQuery) {
  const { prefix = '', change, limit = 100, cursor } = query
  const ranges = allowSomewhere(ctx.actor, 'list', name, prefix)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  // Later pages are about the same moments, whatever `to` was left to mean.
  const [after, pinned] = decodeCursor(cursor, 2) ?? []
  const given = pinned ?? query.to
  const latest = given ?? formatMoment(Math.max(ctx.now().getTime() * 1000, await findLatest(ctx.db, bucket.id)))
  const to = await momentOf(ctx, bucket, { text: latest, path: 'query.to' })
  const from = await momentOf(ctx, bucket, { text: query.from, path: 'query.from' })
  if (from > to) throw invalid('query.from', 'must not be after to')
  const span = { bucketId: bucket.id, from, to }
  const rows: store.DifferenceRow[] = []
  const totals = after === undefined ? newTotals() : undefined
  const turn = takingTurns()
  const start = after === undefined ? undefined : placeAfter(after)
  for await (const { keys } of changedKeys(ctx.db, span, ranges, start)) {
    const found = await store.findDifferences(ctx.db, span, keys)
    if (totals) for (const row of found) add(totals, row)
    for (const row of found)
      if (rows.length <= limit && (change === undefined || kindOf(row) === change)) rows.push(row)
    if (!totals && rows.length > limit) break
    await turn()
  }
  const page = rows.slice(0, limit)
  const authors = new Map(
    (await store.findAuthors(ctx.db, [...new Set(page.flatMap(({ author }) => author ?? []))])).map((one) => [
      Number(one.id),
      one,
    ]),
  )
  const last = page.at(-1)
  return {
    items: page.map((row) => describe(row, row.author === null ? undefined : authors.get(Number(row.author)))),
    next_cursor: rows.length > limit && last ? encodeCursor([last.key, formatMoment(to)]) : null,
    from: formatMoment(from),
    to: formatMoment(to),
    ...(totals && { totals }),
  }
}

const newTotals = () => ({
  added: { objects: 0, bytes: 0 },
  changed: { objects: 0, bytes_before: 0, bytes_after: 0 },
  deleted: { objects: 0, bytes: 0 },
})

const kindOf = ({ before_size, after_size }: store.DifferenceRow): ObjectChange['change'] =>
  changesBetween(before_size, after_size).change

function add(totals: ReturnType<typeof newTotals>, row: store.DifferenceRow): void {
  const [before, after] = [Number(row.before_size ?? 0), Number(row.after_size ?? 0)]
  const kind = kindOf(row)
  totals[kind].objects++
  if (kind === 'changed') {
    totals.changed.bytes_before += before
    totals.changed.bytes_after += after
  } else totals[kind].bytes += before + after
}

type Author = Awaited<ReturnType<typeof store.findAuthors>>[number]
type Content = { size: number | null; etag: string | null; content_type: string | null }

/** What is told of an object's contents; null for no object. */
export function contentOf(row: Content | null) {
  const { size = null, etag = null, content_type = null } = row ?? {}
  return size === null || etag === null || content_type === null ? null : { size: Number(size), etag, content_type }
}

/** What was done to a key that was one thing before and another after. */
export const changesBetween = (before: unknown, after: unknown): Pick<ObjectChange, 'change'> => ({
  change: before === null ? 'added' : after === null ? 'deleted' : 'changed',
})

/** Who made a change; undefined where that is not known. */
export const describeAuthor = (author: Author | undefined): ObjectChange['by'] => ({
  user: author?.user_id ?? null,
  method: author?.kind ?? null,
  credential: author?.credential_id ?? null,
  share: author?.share_id ?? null,
  job: author?.job_id ?? null,
})

function describe(row: store.DifferenceRow, author: Author | undefined): ObjectChange {
  const before = contentOf({ size: row.before_size, etag: row.before_etag, content_type: row.before_type })
  const after = contentOf({ size: row.after_size, etag: row.after_etag, content_type: row.after_type })
  return {
    key: row.key,
    ...changesBetween(before, after),
    before,
    after,
    moment: formatMoment(Number(row.moment)),
    by: describeAuthor(author),
  }
}
