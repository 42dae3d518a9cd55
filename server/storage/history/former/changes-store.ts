// What differs between two moments of a bucket, found by when it changed or in the order of keys.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { afterKey, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import type { Db, ObjectRow, Schema } from '../../../db/schema.ts'

/** Two moments of a bucket, in microseconds since 1970. */
export interface Span {
  bucketId: string
  from: number
  to: number
}

/** What of an object may differ. */
const COMPARED = [
  'version_id',
  'size',
  'etag',
  'content_type',
  'headers',
  'metadata',
  'tags',
  'storage_class',
  'acl',
  'lock_mode',
  'locked_until',
  'legal_hold',
  'encryption',
] as const satisfies readonly (keyof ObjectRow)[]

/** A key that is not the same at both moments; nulls where it had no object. */
export interface DifferenceRow {
  key: string
  before_size: number | null
  before_etag: string | null
  before_type: string | null
  after_size: number | null
  after_etag: string | null
  after_type: string | null
  /** Of the last change of the key until the later moment. */
  moment: number
  author: number | null
}

const run = async <R>(db: Db, query: RawBuilder<R>): Promise<R[]> => (await query.execute(db as Kysely<Schema>)).rows

const between = (range: KeyRange): RawBuilder<unknown> =>
  range.to === null ? sql`key >= ${range.from}` : sql`key >= ${range.from} and key < ${range.to}`

/** The keys of a range that changed between the moments, in order. Signs keep the indexes by moment out: the range is short. */
export async function findChangedIn(db: Db, { bucketId, from, to }: Span, range: KeyRange): Promise<string[]> {
  const within = between(range)
  const rows = await run(
    db,
    sql<{ key: string }>`
    select key from objects where bucket_id = ${bucketId} and ${within} and +moment > ${from} and +moment <= ${to}
    union
    select key from former_objects where bucket_id = ${bucketId} and ${within}
      and ((+ended > ${from} and +ended <= ${to}) or (+moment > ${from} and +moment <= ${to}))
    order by key`,
  )
  return rows.map(({ key }) => key)
}

/** Of these keys, which changed between the moments, those that are not the same at both, in order. */
export async function findDifferences(db: Db, span: Span, keys: readonly string[]): Promise<DifferenceRow[]> {
  if (keys.length === 0) return []
  const { bucketId, from, to } = span
  const state = (name: string, moment: number) => sql`
    left join objects ${sql.raw(`o${name}`)} on ${sql.raw(`o${name}`)}.bucket_id = ${bucketId}
      and ${sql.raw(`o${name}`)}.key = c.key and ${sql.raw(`o${name}`)}.moment <= ${moment}
    left join former_objects ${sql.raw(`f${name}`)} on ${sql.raw(`f${name}`)}.bucket_id = ${bucketId}
      and ${sql.raw(`f${name}`)}.key = c.key and ${sql.raw(`f${name}`)}.moment <= ${moment}
      and ${sql.raw(`f${name}`)}.ended > ${moment}`
  const same = sql.raw(
    COMPARED.map((one) => `coalesce(oa.${one}, fa.${one}) is not distinct from coalesce(ob.${one}, fb.${one})`).join(
      ' and ',
    ),
  )
  const last = (what: string) => sql`(select ${sql.raw(what)} from former_objects d where d.bucket_id = ${bucketId}
    and d.key = c.key and d.ended <= ${to} order by d.ended desc limit 1)`
  return run(
    db,
    sql<DifferenceRow>`
    select c.key, coalesce(oa.size, fa.size) as before_size, coalesce(oa.etag, fa.etag) as before_etag,
      coalesce(oa.content_type, fa.content_type) as before_type,
      coalesce(ob.size, fb.size) as after_size, coalesce(ob.etag, fb.etag) as after_etag,
      coalesce(ob.content_type, fb.content_type) as after_type,
      coalesce(ob.moment, fb.moment, ${last('d.ended')}) as moment,
      case when ob.key is not null then ob.author when fb.key is not null then fb.author else ${last('d.ended_by')} end as author
    from (select key from objects where bucket_id = ${bucketId} and key in (${sql.join(keys)})
      union select key from former_objects where bucket_id = ${bucketId} and key in (${sql.join(keys)})) c
      ${state('a', from)} ${state('b', to)}
    where not (${same}) or (coalesce(oa.key, fa.key) is null) <> (coalesce(ob.key, fb.key) is null)
    order by c.key`,
  )
}

/** The keys that changed between the moments, in no order, with repetitions; null if there are more than `most` changes. */
export async function findChangedKeys(db: Db, { bucketId, from, to }: Span, most: number): Promise<string[] | null> {
  const keys: string[] = []
  for (const query of [
    sql<{
      key: string
    }>`select key from objects where bucket_id = ${bucketId} and moment > ${from} and moment <= ${to} limit ${most + 1}`,
    // What began between the moments ended after the first of them.
    sql<{ key: string }>`select key from former_objects where bucket_id = ${bucketId} and ended > ${from}
      and (ended <= ${to} or (moment > ${from} and moment <= ${to})) limit ${most + 1}`,
  ]) {
    for (const { key } of await run(db, query)) keys.push(key)
    if (keys.length > most) return null
  }
  return keys
}

/** Where a range is to be cut so that at most `most` objects, and as many former ones, are before that; null for its end. */
export async function findCut(db: Db, bucketId: string, { from, to }: KeyRange, most: number): Promise<string | null> {
  const [cut] = await run(
    db,
    sql<{ key: string | null }>`
    select min(key) as key from (
      select * from (select key from objects where bucket_id = ${bucketId} and key >= ${from}
        order by key limit 1 offset ${most}) o
      union all
      select * from (select key from former_objects where bucket_id = ${bucketId} and key >= ${from}
        order by key limit 1 offset ${most}) f
    ) cuts`,
  )
  if (!cut?.key) return null
  // One key alone has so many.
  const key = cut.key === from ? afterKey(from) : cut.key
  return to === null || compareKeys(key, to) < 0 ? key : null
}

/** Who these authors are. */
export const findAuthors = (db: Db, ids: readonly number[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('change_authors')
        .select(['id', 'kind', 'user_id', 'credential_id', 'share_id', 'job_id'])
        .where('id', 'in', ids)
        .execute()
