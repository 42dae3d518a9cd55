// Forks: buckets that began as another was, and the rows that fill them.
import { type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { KeyRange } from '../../../contract/permissions.ts'
import type { Db, NewRow, ObjectRow, Row, RowChange, Schema, Tx } from '../../db/schema.ts'
import { shared } from '../history/store.ts'

export type ForkRow = Row<'bucket_forks'>

export const insertFork = (tx: Tx, row: NewRow<'bucket_forks'>) => tx.insertInto('bucket_forks').values(row).execute()

export const updateFork = (tx: Tx, bucketId: string, change: RowChange<'bucket_forks'>) =>
  tx.updateTable('bucket_forks').set(change).where('bucket_id', '=', bucketId).execute()

/** The fork that a job fills, locked; undefined once it is whole, or given up. */
export const lockForkOf = (tx: Tx, jobId: string): Promise<ForkRow | undefined> =>
  tx
    .selectFrom('bucket_forks')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('placeholder_id', 'is not', null)
    .forUpdate()
    .executeTakeFirst()

/** How a bucket began that is a fork, and whole. */
export const findFork = (db: Db, bucketId: string): Promise<ForkRow | undefined> =>
  db
    .selectFrom('bucket_forks')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('placeholder_id', 'is', null)
    .executeTakeFirst()

/** The objects of some keys, of a bucket as `db` shows it. */
export const findObjects = (db: Db, bucketId: string, keys: readonly string[]): Promise<Row<'objects'>[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : db.selectFrom('objects').selectAll().where('bucket_id', '=', bucketId).where('key', 'in', keys).execute()

export type MergedRow = Row<'fork_merges'>

/** What was merged of these keys of a fork. */
export const findMerged = (db: Db, bucketId: string, keys: readonly string[]): Promise<MergedRow[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : db.selectFrom('fork_merges').selectAll().where('bucket_id', '=', bucketId).where('key', 'in', keys).execute()

/** The next keys of a range in their order of which something was merged. */
export const listMergedKeys = async (db: Db, bucketId: string, { from, to }: KeyRange, limit: number) => {
  const all = db.selectFrom('fork_merges').select('key').where('bucket_id', '=', bucketId).where('key', '>=', from)
  const until = to === null ? all : all.where('key', '<', to)
  return (await until.orderBy('key').limit(limit).execute()).map(({ key }) => key)
}

/** What is noted of a key that was merged just now. */
export interface NewMerged extends Pick<MergedRow, 'bucket_id' | 'key' | 'origin_key' | 'fork_moment' | 'job_id'> {
  /** What the key had for a moment in the origin; 0 if that was nothing. */
  was_moment: number
  is: Merged
}
/** What a key is in the origin now: the fork's object, nothing like in the fork, or what it was, perhaps with the fork's beside it. */
export type Merged = 'there' | 'gone' | 'as_it_was'

/** Notes what was merged just now, and what had been before: objects of the origin have the moment of the transaction. */
export const insertMerged = (tx: Tx, rows: readonly NewMerged[]) =>
  tx
    .insertInto('fork_merges')
    .values(
      rows.map(({ is, ...row }) => ({
        ...row,
        origin_moment: is === 'there' ? sql<number>`strongroom_moment(0)` : is === 'gone' ? 0 : null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'key']).doUpdateSet((e) => ({
        origin_key: e.ref('excluded.origin_key'),
        fork_moment: e.ref('excluded.fork_moment'),
        origin_moment: e.ref('excluded.origin_moment'),
        job_id: e.ref('excluded.job_id'),
        was_moment: e.ref('excluded.was_moment'),
        before_job_id: e.ref('fork_merges.job_id'),
        before_origin_key: e.ref('fork_merges.origin_key'),
        before_fork_moment: e.ref('fork_merges.fork_moment'),
        before_origin_moment: e.ref('fork_merges.origin_moment'),
      })),
    )
    .execute()

/**
 * Forgets what a job has merged to these keys of an origin, which are what they were again from this transaction on; or, without
 * keys, what it has kept of it. What had been merged before holds again.
 */
export async function undoMerged(tx: Tx, jobId: string, originKeys: readonly string[] | 'kept'): Promise<void> {
  const which = (e: ExpressionBuilder<Schema, 'fork_merges'>) =>
    e.and([
      e('job_id', '=', jobId),
      originKeys === 'kept'
        ? e.and([e('origin_moment', 'is', null), e('origin_key', '=', e.ref('key'))])
        : e('origin_key', 'in', originKeys),
    ])
  await tx.deleteFrom('fork_merges').where(which).where('before_job_id', 'is', null).execute()
  await tx
    .updateTable('fork_merges')
    .set({
      origin_key: sql`before_origin_key`,
      fork_moment: sql`before_fork_moment`,
      // Where nobody had changed the origin in between, it is again what had been merged, but at another moment.
      origin_moment: sql`case when before_origin_moment = was_moment and was_moment <> 0
        then strongroom_moment(0) else before_origin_moment end`,
      job_id: sql`before_job_id`,
      was_moment: null,
      before_job_id: null,
      before_origin_key: null,
      before_fork_moment: null,
      before_origin_moment: null,
    })
    .where(which)
    .execute()
}

/** What a fork does not take from its origin of an object: neither its version, nor its lock, nor its ACL. */
const LEFT = ['bucket_id', 'version_id', 'lock_mode', 'locked_until', 'legal_hold', 'acl'] as const
type Left = (typeof LEFT)[number]
const isTaken = (name: (typeof shared)[number]): name is Exclude<(typeof shared)[number], Left> =>
  !(LEFT as readonly string[]).includes(name)
const TAKEN = ['blob_id' as const, ...shared.filter(isTaken)]

/** The next keys of a range in their order, after one of it, of a bucket as `db` shows it. */
export async function listKeys(
  db: Db,
  bucketId: string,
  { from, to }: KeyRange,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const all = db.selectFrom('objects').select('key').where('bucket_id', '=', bucketId)
  // One bound: of two, SQLite would begin at the first and read what was read before.
  const rest = after === null ? all.where('key', '>=', from) : all.where('key', '>', after)
  const until = to === null ? rest : rest.where('key', '<', to)
  return (await until.orderBy('key').limit(limit).execute()).map(({ key }) => key)
}

/**
 * Takes the objects between two keys, with these, into another bucket, and returns them. `where` leaves out those whose contents
 * are gone.
 */
export const takeObjects = (
  reading: Db,
  { from, to }: { from: string; to: string },
  { origin, bucket, limit, where }: { origin: string; bucket: string; limit: number; where: RawBuilder<SqlBool> },
) =>
  (reading as unknown as Kysely<Schema>)
    .insertInto('objects')
    .columns(['bucket_id', 'moment', 'author', ...TAKEN])
    .expression((e) =>
      e
        .selectFrom('objects')
        .select([
          e.val(bucket).as('bucket_id'),
          sql<number>`strongroom_moment(0)`.as('moment'),
          sql<number | null>`strongroom_author()`.as('author'),
        ])
        .select(TAKEN)
        .where('objects.bucket_id', '=', origin)
        .where('key', '>=', from)
        .where('key', '<=', to)
        .where(where)
        // So that the keys' index is read, as for a page.
        .orderBy('key')
        .limit(limit),
    )
    .returning(['size', 'encryption'])
    .execute()

export async function moveForkEnd(tx: Tx, name: string, end: string | null): Promise<string | null | undefined> {
  const fork = await tx
    .selectFrom('bucket_forks')
    .innerJoin('buckets', (join) =>
      join.on((e) => e.or([e('buckets.id', '=', e.ref('bucket_id')), e('buckets.id', '=', e.ref('placeholder_id'))])),
    )
    .select(['bucket_id', 'expires_at'])
    .where('buckets.name', '=', name)
    .where('deleted_at', 'is', null)
    .forUpdate('bucket_forks')
    .executeTakeFirst()
  if (!fork) return undefined
  await tx.updateTable('bucket_forks').set({ expires_at: end }).where('bucket_id', '=', fork.bucket_id).execute()
  return fork.expires_at
}

/** Whole forks whose time has come. */
export const findExpired = async (db: Db, now: Date): Promise<string[]> =>
  (
    await db
      .selectFrom('bucket_forks')
      .innerJoin('buckets', 'buckets.id', 'bucket_id')
      .select('bucket_id')
      .where('bucket_forks.expires_at', '<=', now.toISOString())
      .where('filled_at', 'is not', null)
      .where('deleted_at', 'is', null)
      // Nothing that may be locked goes by itself.
      .where('object_lock', 'is', null)
      .execute()
  ).map(({ bucket_id }) => bucket_id)

/** Forks that no job fills any more, and that are not whole. */
export const findAbandoned = async (db: Db): Promise<string[]> =>
  (
    await db
      .selectFrom('bucket_forks')
      .select('bucket_id')
      .where('placeholder_id', 'is not', null)
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('jobs')
              .select('jobs.id')
              .whereRef('jobs.id', '=', 'job_id')
              .where('status', 'in', ['queued', 'running']),
          ),
        ),
      )
      .execute()
  ).map(({ bucket_id }) => bucket_id)

export const lockFork = (tx: Tx, bucketId: string): Promise<ForkRow | undefined> =>
  tx.selectFrom('bucket_forks').selectAll().where('bucket_id', '=', bucketId).forUpdate().executeTakeFirst()

/** Deleted buckets of our own that still have objects or versions. */
export const findWithContents = async (db: Db): Promise<string[]> =>
  (
    await db
      .selectFrom('bucket_forks')
      .innerJoin('buckets', 'buckets.id', 'bucket_id')
      .select('bucket_id')
      .where('deleted_at', 'is not', null)
      .where('placeholder_id', 'is', null)
      .where((e) =>
        e.or([
          e.exists(e.selectFrom('objects').select('objects.key').whereRef('objects.bucket_id', '=', 'buckets.id')),
          e.exists(e.selectFrom('versions').select('versions.key').whereRef('versions.bucket_id', '=', 'buckets.id')),
        ]),
      )
      .execute()
  ).map(({ bucket_id }) => bucket_id)

/** Deletes some objects of a bucket. */
export async function deleteObjects(tx: Tx, bucketId: string, limit: number): Promise<ObjectRow[]> {
  const rows = await tx
    .selectFrom('objects')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .orderBy('key')
    .limit(limit)
    .forUpdate()
    .execute()
  if (rows.length > 0)
    await tx
      .deleteFrom('objects')
      .where('bucket_id', '=', bucketId)
      .where(
        'key',
        'in',
        rows.map(({ key }) => key),
      )
      .execute()
  return rows
}

/** Deletes some versions, and delete markers, of a bucket. */
export async function deleteVersions(tx: Tx, bucketId: string, limit: number): Promise<Row<'versions'>[]> {
  const rows = await tx
    .selectFrom('versions')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .limit(limit)
    .forUpdate()
    .execute()
  if (rows.length > 0)
    await tx
      .deleteFrom('versions')
      .where(
        'seq',
        'in',
        rows.map(({ seq }) => seq),
      )
      .execute()
  return rows
}
