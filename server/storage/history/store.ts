import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { compareKeys, type KeyRange } from '../../../contract/permissions.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

export type VersionRow = Row<'versions'>
/** One with contents. */
export type KeptRow = VersionRow & { blob_id: string }
export const hasContents = (row: VersionRow): row is KeptRow => row.blob_id !== null

export const insertVersions = (tx: Tx, rows: readonly NewRow<'versions'>[]) => insert(tx, { rows })
const insert = prepared(
  (tx: Tx, { rows }: { rows: readonly NewRow<'versions'>[] }) => tx.insertInto('versions').values(rows),
  { blind: true },
)

/** A key's version by its id; null is the `null` version. */
export interface VersionName {
  key: string
  version_id: string | null
}

/** The same as a text, to compare by. */
export const nameOf = ({ key, version_id }: VersionName): string => JSON.stringify([key, version_id])

const named = (db: Db, bucketId: string, names: readonly VersionName[]) => {
  const keys = [...new Set(names.map(({ key }) => key))]
  const ids = names.flatMap(({ version_id }) => version_id ?? [])
  return db
    .selectFrom('versions')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('key', 'in', keys)
    .where((e) =>
      e.or([
        ...(ids.length > 0 ? [e('version_id', 'in', ids)] : []),
        ...(ids.length < names.length ? [e('version_id', 'is', null)] : []),
      ]),
    )
}
const only = (rows: readonly VersionRow[], names: readonly VersionName[]): VersionRow[] => {
  const wanted = new Set(names.map(nameOf))
  return rows.filter((row) => wanted.has(nameOf(row)))
}

/** Those of these versions that are not, or no longer, current. */
export const findVersions = async (db: Db, bucketId: string, names: readonly VersionName[]): Promise<VersionRow[]> =>
  names.length === 0 ? [] : only(await named(db, bucketId, names).execute(), names)

/** Like `findVersions`; nobody can remove them until the transaction ends. */
export const lockVersions = async (tx: Tx, bucketId: string, names: readonly VersionName[]): Promise<VersionRow[]> =>
  names.length === 0 ? [] : only(await named(tx, bucketId, names).forUpdate().execute(), names)

export const deleteVersions = (tx: Tx, seqs: readonly number[]) =>
  tx.deleteFrom('versions').where('seq', 'in', seqs).execute()

export const setVersionLock = (
  tx: Tx,
  seq: number,
  lock: Pick<VersionRow, 'lock_mode' | 'locked_until' | 'legal_hold'>,
) => tx.updateTable('versions').set(lock).where('seq', '=', seq).execute()

export const setVersionTags = (tx: Tx, seq: number, tags: string | null) =>
  tx.updateTable('versions').set({ tags }).where('seq', '=', seq).execute()

export const setVersionAcl = (tx: Tx, seq: number, acl: string | null) =>
  tx.updateTable('versions').set({ acl }).where('seq', '=', seq).execute()

/** The next delete markers that a job or policy run made in a bucket, after one. */
export const findMarkers = (
  db: Db,
  { by, bucketId, after, limit }: { by: string; bucketId: string; after: number; limit: number },
): Promise<Pick<VersionRow, 'seq' | 'key'>[]> =>
  db
    .selectFrom('versions')
    .select(['seq', 'key'])
    .where('job_id', '=', by)
    .where('bucket_id', '=', bucketId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()

export const countMarkers = async (db: Db, { by, bucketId }: { by: string; bucketId: string }): Promise<number> => {
  const { count } = await db
    .selectFrom('versions')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('job_id', '=', by)
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Of each of these keys the latest version that is not current; none for a key without any. */
export const findNewest = async (db: Db, bucketId: string, keys: readonly string[]): Promise<VersionRow[]> =>
  keys.length === 0 ? [] : newest(db, { bucketId, keys })
const newest = prepared((db: Db, { bucketId, keys }: { bucketId: string; keys: readonly string[] }) =>
  db
    .selectFrom('versions')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('key', 'in', keys)
    .where('seq', '=', (e) =>
      e
        .selectFrom('versions as later')
        .select('later.seq')
        .where('later.bucket_id', '=', bucketId)
        .whereRef('later.key', '=', 'versions.key')
        .orderBy('later.seq', 'desc')
        .limit(sql.lit(1)),
    ),
)

/** The columns that versions and objects have, but for those of their contents' blob and moment. */
export const shared = [
  'bucket_id',
  'key',
  'version_id',
  'size',
  'etag',
  'sha256',
  'checksums',
  'content_type',
  'headers',
  'metadata',
  'tags',
  'storage_class',
  'created_at',
  'last_modified',
  'created_by',
  'lock_mode',
  'locked_until',
  'legal_hold',
  'acl',
  'encryption',
] as const

/** A version, current or not; what is current has no `seq` and no `noncurrent_at`. */
export type AnyVersion = Omit<VersionRow, 'seq' | 'noncurrent_at' | 'job_id' | 'moment' | 'author'> & {
  seq: number | null
  noncurrent_at: string | null
}

/**
 * The first versions of a range of keys, current or not, in the order of keys and of each the latest first. In one
 * statement, for a version can move from one table to the other between two.
 */
export async function listVersions(
  db: Db,
  bucketId: string,
  { from, to }: KeyRange,
  { limit, at }: { limit: number; at?: number | undefined },
): Promise<AnyVersion[]> {
  const rows = await db
    .selectFrom((e) => {
      const objects = e.selectFrom('objects').selectAll().where('bucket_id', '=', bucketId).where('key', '>=', from)
      return (to === null ? objects : objects.where('key', '<', to)).orderBy('key').limit(limit).as('o')
    })
    .select(shared)
    .select((e) => [
      e.ref('blob_id').$castTo<string | null>().as('blob_id'),
      sql<number | null>`cast(null as bigint)`.as('seq'),
      // Of the type that the other half has.
      e.ref('last_modified').as('noncurrent_at'),
    ])
    .unionAll(
      db
        .selectFrom((e) => {
          const older = e.selectFrom('versions').selectAll().where('bucket_id', '=', bucketId).where('key', '>=', from)
          const those = to === null ? older : older.where('key', '<', to)
          return (at === undefined ? those : those.where(wasRetired(at)))
            .orderBy('key')
            .orderBy('seq', 'desc')
            .limit(limit)
            .as('v')
        })
        .select(shared)
        .select((e) => ['blob_id', e.ref('seq').$castTo<number | null>().as('seq'), 'noncurrent_at']),
    )
    .execute()
  const place = ({ seq }: AnyVersion) => seq ?? Number.MAX_SAFE_INTEGER
  return rows
    .map((row): AnyVersion => (row.seq === null ? { ...row, noncurrent_at: null } : row))
    .sort((a, b) => compareKeys(a.key, b.key) || place(b) - place(a))
    .slice(0, limit)
}

/**
 * Whether a version was not current any more at a moment. What it was while it was current is kept for as long as it is; of a
 * delete marker, only its time is.
 */
function wasRetired(at: number): RawBuilder<SqlBool> {
  const former = sql`select 1 from former_objects f where f.bucket_id = versions.bucket_id and f.key = versions.key
    and f.blob_id = versions.blob_id and f.version_id is not distinct from versions.version_id`
  return sql<SqlBool>`case when versions.blob_id is null
    then versions.last_modified <= ${new Date(Math.floor(at / 1000)).toISOString()}
    else exists (${former} and f.ended <= ${at}) and not exists (${former} and f.ended > ${at}) end`
}

/** Versions of one key before another of it, the latest first; as they were at a moment, if that is given. */
export const listEarlier = (
  db: Db,
  bucketId: string,
  { key, before }: { key: string; before: number },
  { limit, at }: { limit: number; at?: number | undefined },
): Promise<VersionRow[]> => {
  const older = db
    .selectFrom('versions')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)
    .where('seq', '<', before)
  return (at === undefined ? older : older.where(wasRetired(at))).orderBy('seq', 'desc').limit(limit).execute()
}

/** Versions of a range of keys that are not current, and delete markers, in the order of keys, the latest of each first. */
export function listRetired(db: Db, bucketId: string, { from, to }: KeyRange, limit: number): Promise<VersionRow[]> {
  const query = db.selectFrom('versions').selectAll().where('bucket_id', '=', bucketId).where('key', '>=', from)
  return (to === null ? query : query.where('key', '<', to))
    .orderBy('key')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
}

/** Those of these rows that are still there; nobody can remove them until the transaction ends. */
export const lockRows = async (tx: Tx, seqs: readonly number[]): Promise<VersionRow[]> =>
  seqs.length === 0
    ? []
    : tx.selectFrom('versions').selectAll().where('seq', 'in', seqs).orderBy('seq').forUpdate().execute()

/** Where a row is among the versions of its key. */
export interface RowPlace {
  /** When the version after it was written; null of the latest. */
  covered_at: string | null
  /** Whether no other version of the key is left. */
  alone: boolean
}

/** The same of each of these rows that is there. */
export async function findPlaces(db: Db, seqs: readonly number[]): Promise<Map<number, RowPlace>> {
  if (seqs.length === 0) return new Map()
  const rows = await db
    .selectFrom('versions as v')
    .select('v.seq')
    .select((e) => [
      e
        .selectFrom('versions as n')
        .select('n.last_modified')
        .whereRef('n.bucket_id', '=', 'v.bucket_id')
        .whereRef('n.key', '=', 'v.key')
        .whereRef('n.seq', '>', 'v.seq')
        .orderBy('n.seq')
        .limit(sql.lit(1))
        .as('newer_at'),
      e
        .selectFrom('objects as o')
        .select('o.last_modified')
        .whereRef('o.bucket_id', '=', 'v.bucket_id')
        .whereRef('o.key', '=', 'v.key')
        .as('current_at'),
      e
        .selectFrom('versions as p')
        .select('p.seq')
        .whereRef('p.bucket_id', '=', 'v.bucket_id')
        .whereRef('p.key', '=', 'v.key')
        .whereRef('p.seq', '<', 'v.seq')
        .orderBy('p.seq', 'desc')
        .limit(sql.lit(1))
        .as('earlier'),
    ])
    .where('v.seq', 'in', seqs)
    .execute()
  return new Map(
    rows.map(({ seq, newer_at, current_at, earlier }) => {
      const covered_at = newer_at ?? current_at
      return [seq, { covered_at, alone: covered_at === null && earlier === null }]
    }),
  )
}
