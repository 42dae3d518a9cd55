// Reads what is in a bucket as of a moment, page by page, in the order of keys.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { afterKey, afterPrefix, compareKeys } from '../../../contract/permissions.ts'
import type { Db, Row, Schema } from '../../db/schema.ts'

const COLUMNS = [
  'key',
  'version_id',
  'blob_id',
  'size',
  'etag',
  'sha256',
  'checksums',
  'content_type',
  'metadata',
  'tags',
  'storage_class',
  'lock_mode',
  'locked_until',
  'legal_hold',
  'encryption',
  'created_at',
  'last_modified',
  'created_by',
] as const satisfies readonly (keyof Row<'inventory_versions'>)[]

/** An object or version as it was; a delete marker has no blob. */
export interface ListedRow extends Pick<Row<'inventory_versions'>, (typeof COLUMNS)[number]> {
  /** Of a version that is not current. */
  seq: number | null
  /** Of an object: since when it was so, and who made it so. */
  moment: number | null
  author: number | null
}

/** What is listed of a bucket. */
export interface Listed {
  bucketId: string
  prefix: string
  /** Microseconds since 1970. */
  moment: number
  /** The run that lists, where versions that are not current belong to it, and up to which one. */
  versions: { run: string; seq: number } | null
}

/** After the row of a key that has this `seq`. */
export interface RowPlace {
  key: string
  seq: number | null
}

const list = (names: readonly string[]) => sql.raw(names.join(', '))
const run = async <R>(db: Db, query: RawBuilder<R>): Promise<R[]> => (await query.execute(db as Kysely<Schema>)).rows
const below = (prefix: string) => {
  const end = afterPrefix(prefix)
  return end === null ? sql`` : sql` and key < ${end}`
}

/** The objects of a bucket at a moment, after a key. Signs keep the indexes by moment out, which would lead to all of the bucket. */
const readObjects = (db: Db, { bucketId, prefix, moment }: Listed, from: string, limit: number) =>
  run(
    db,
    sql<Omit<ListedRow, 'seq'>>`
    select ${list(COLUMNS)}, moment, author from objects
    where bucket_id = ${bucketId} and key >= ${from}${below(prefix)} and +moment <= ${moment}
    union all
    select ${list(COLUMNS)}, moment, author from former_objects
    where bucket_id = ${bucketId} and key >= ${from}${below(prefix)} and +moment <= ${moment} and +ended > ${moment}
    order by key limit ${limit}`,
  )

/** The versions that were not current, and delete markers, of each key the latest first; in one statement, for they change. */
const readVersions = (
  db: Db,
  { bucketId, prefix }: Listed,
  { run: runId, seq }: NonNullable<Listed['versions']>,
  { after, limit }: { after: RowPlace | null; limit: number },
) => {
  const start =
    after === null
      ? sql`key >= ${prefix}`
      : sql`key >= ${after.key} and (key > ${after.key} or seq < ${after.seq ?? Number.MAX_SAFE_INTEGER})`
  return run(
    db,
    sql<Omit<ListedRow, 'moment' | 'author' | 'seq'> & { seq: number }>`
    select ${list(COLUMNS)}, seq from versions
    where bucket_id = ${bucketId} and ${start}${below(prefix)} and seq <= ${seq}
      and not exists (select 1 from inventory_versions i where i.run_id = ${runId} and i.seq = versions.seq)
    union all
    select ${list(COLUMNS)}, seq from inventory_versions
    where run_id = ${runId} and bucket_id = ${bucketId} and ${start}${below(prefix)}
    order by key, seq desc limit ${limit}`,
  )
}

/** The next rows after one; fewer than `limit` are the last. */
export async function readRows(db: Db, of: Listed, after: RowPlace | null, limit: number): Promise<ListedRow[]> {
  const objects = await readObjects(db, of, after === null ? of.prefix : afterKey(after.key), limit)
  const current = objects.map((row): ListedRow => ({ ...row, moment: Number(row.moment), seq: null }))
  if (of.versions === null) return current
  const older = (await readVersions(db, of, of.versions, { after, limit })).map(
    (row): ListedRow => ({ ...row, seq: Number(row.seq), moment: null, author: null }),
  )
  return merged(current, older).slice(0, limit)
}

/** Both in the order of keys; of each key what was current comes first. */
function merged(current: readonly ListedRow[], older: readonly ListedRow[]): ListedRow[] {
  const rows: ListedRow[] = []
  let at = 0
  for (const row of current) {
    for (let next = older[at]; next && compareKeys(next.key, row.key) < 0; next = older[++at]) rows.push(next)
    rows.push(row)
  }
  for (; at < older.length; at++) rows.push(older[at] as ListedRow)
  return rows
}
