import { sql } from 'kysely'
import { compareKeys, type KeyRange } from '../../../contract/permissions.ts'
import { countUpToMost } from '../../db/count.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type UploadRow = Row<'uploads'>
export type PartRow = Row<'upload_parts'>

export const insertUpload = (tx: Tx, row: NewRow<'uploads'>) => tx.insertInto('uploads').values(row).execute()

export const updateUpload = (tx: Tx, id: string, change: RowChange<'uploads'>) =>
  tx.updateTable('uploads').set(change).where('id', '=', id).execute()

export const deleteUpload = (tx: Tx, id: string) => tx.deleteFrom('uploads').where('id', '=', id).execute()

export const findUpload = (db: Db, id: string): Promise<UploadRow | undefined> =>
  db.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst()

export const lockUpload = (tx: Tx, id: string): Promise<UploadRow | undefined> =>
  tx.selectFrom('uploads').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** A bucket's open uploads before an id, latest first. */
export function listUploads(db: Db, bucketId: string, before: string | undefined, limit: number): Promise<UploadRow[]> {
  const query = db.selectFrom('uploads').selectAll().where('bucket_id', '=', bucketId).where('completed_at', 'is', null)
  return (before === undefined ? query : query.where('id', '<', before)).orderBy('id', 'desc').limit(limit).execute()
}

/** A bucket's open uploads of keys in a range whose parts have any size, in the order of keys and ids. */
export function listOpenFree(
  db: Db,
  bucketId: string,
  { from, to }: KeyRange,
  { after, limit }: { after: Pick<UploadRow, 'key' | 'id'> | undefined; limit: number },
): Promise<UploadRow[]> {
  let query = db
    .selectFrom('uploads')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('completed_at', 'is', null)
    .where('kind', '=', 'free')
  if (to !== null) query = query.where('key', '<', to)
  // One bound: of two, SQLite would begin at the first and read what was read before.
  query =
    after && compareKeys(after.key, from) >= 0
      ? query.where((e) => e(e.refTuple('key', 'id'), '>', e.tuple(after.key, after.id)))
      : query.where('key', '>=', from)
  return query.orderBy('key').orderBy('id').limit(limit).execute()
}

/** Expired uploads after a given one, oldest first. */
export function findExpired(db: Db, now: Date, after: UploadRow | undefined, limit: number): Promise<UploadRow[]> {
  const query = db.selectFrom('uploads').selectAll().where('expires_at', '<=', now.toISOString())
  const rest =
    after === undefined
      ? query
      : query.where((e) => e(e.refTuple('expires_at', 'id'), '>', e.tuple(after.expires_at, after.id)))
  return rest.orderBy('expires_at').orderBy('id').limit(limit).execute()
}

/** Expires up to `limit` of a bucket's open uploads of keys in a range that were started by a time; returns how many. */
export const expireStarted = async (
  tx: Tx,
  { bucket_id, keys, startedBy, now }: { bucket_id: string; keys: KeyRange; startedBy: Date; now: Date },
  limit: number,
): Promise<number> =>
  (
    await tx
      .updateTable('uploads')
      .set({ expires_at: now.toISOString() })
      .where('id', 'in', (e) => {
        const open = e
          .selectFrom('uploads')
          .select('id')
          .where('bucket_id', '=', bucket_id)
          .where('completed_at', 'is', null)
          .where('key', '>=', keys.from)
          .where('created_at', '<=', startedBy.toISOString())
          .where('expires_at', '>', now.toISOString())
        return (keys.to === null ? open : open.where('key', '<', keys.to)).limit(limit)
      })
      .where('completed_at', 'is', null)
      .returning('id')
      .execute()
  ).length

/** Expires the open uploads through a share link. */
export const expireOfLink = (tx: Tx, shareId: string, now: Date) =>
  tx
    .updateTable('uploads')
    .set({ expires_at: now.toISOString() })
    .where('share_id', '=', shareId)
    .where('completed_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .execute()

/** An open upload through a share link, by what its sender chose. */
export const findAttempt = (db: Db, shareId: string, hash: string, now: Date): Promise<UploadRow | undefined> =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('share_id', '=', shareId)
    .where('attempt_hash', '=', hash)
    .where('completed_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()

/** Of the open uploads through a share link: how many there are, how many of them are not idle, and the bytes they reserve. */
export const sumOfLink = (
  db: Db,
  shareId: string,
  now: Date,
): Promise<{ open: number; active: number; bytes: number }> =>
  db
    .selectFrom('uploads')
    .select((e) => [
      e.fn.countAll<number>().as('open'),
      e.fn.countAll<number>().filterWhere('lapsed_at', 'is', null).as('active'),
      e.fn.coalesce(e.fn.sum<number>('reserved'), e.lit(0)).as('bytes'),
    ])
    .where('share_id', '=', shareId)
    .where('completed_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirstOrThrow()

/** Locks a user, so that their uploads are counted one at a time, without blocking rows that reference the user. */
export const lockCreator = (tx: Tx, userId: string) =>
  tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().executeTakeFirst()

export const countOpen = async (db: Db, userId: string): Promise<number> =>
  (
    await db
      .selectFrom('uploads')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('created_by', '=', userId)
      .where('completed_at', 'is', null)
      .executeTakeFirstOrThrow()
  ).count

/** Open uploads after an id that reserve a size although nothing has arrived since a time. */
export const findIdle = (db: Db, since: Date, after: string, limit: number): Promise<UploadRow[]> =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('id', '>', after)
    .where('completed_at', 'is', null)
    .where('lapsed_at', 'is', null)
    .where('file_size', 'is not', null)
    .where('created_at', '<=', since.toISOString())
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('upload_parts')
            .select('part_number')
            .whereRef('upload_parts.upload_id', '=', 'uploads.id')
            .where('received_at', '>', since.toISOString()),
        ),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute()

/** Open uploads whose parts are encrypted with keys of the service, after an id. */
export const findSealed = (db: Db, after: string, limit: number): Promise<UploadRow[]> =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('id', '>', after)
    .where('blob_id', 'is not', null)
    .where('encryption', '=', 'AES256')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Changes how the key of an open upload is wrapped, unless it was changed meanwhile. */
export const replaceEnvelope = (tx: Tx, { id, envelope: before }: UploadRow, envelope: string) =>
  tx.updateTable('uploads').set({ envelope }).where('id', '=', id).where('envelope', '=', before).execute()

export const upsertPart = (tx: Tx, row: NewRow<'upload_parts'>) =>
  tx
    .insertInto('upload_parts')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['upload_id', 'part_number']).doUpdateSet((e) => ({
        size: e.ref('excluded.size'),
        etag: e.ref('excluded.etag'),
        checksum: e.ref('excluded.checksum'),
        brought: e.ref('excluded.brought'),
        ref: e.ref('excluded.ref'),
        salt: e.ref('excluded.salt'),
        sums: e.ref('excluded.sums'),
        received_at: e.ref('excluded.received_at'),
      })),
    )
    .execute()

export const findPart = (db: Db, uploadId: string, number: number): Promise<PartRow | undefined> =>
  db
    .selectFrom('upload_parts')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .where('part_number', '=', number)
    .executeTakeFirst()

/** Deletes exactly this part: it may have been replaced meanwhile. */
export const deletePart = (tx: Tx, { upload_id, part_number, ref }: PartRow) =>
  tx
    .deleteFrom('upload_parts')
    .where('upload_id', '=', upload_id)
    .where('part_number', '=', part_number)
    .where('ref', '=', ref)
    .execute()

export const deleteParts = (tx: Tx, uploadId: string) =>
  tx.deleteFrom('upload_parts').where('upload_id', '=', uploadId).execute()

/** In order of part number. */
export const listParts = (db: Db, uploadId: string): Promise<PartRow[]> =>
  db.selectFrom('upload_parts').selectAll().where('upload_id', '=', uploadId).orderBy('part_number').execute()

/** Count and bytes of each upload's received parts. */
export async function sumParts(db: Db, ids: readonly string[]): Promise<Map<string, { parts: number; bytes: number }>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('upload_parts')
    .select((e) => [
      'upload_id',
      e.fn.countAll<number>().as('parts'),
      e.fn.coalesce(e.fn.sum<number>('size'), e.lit(0)).as('bytes'),
    ])
    .where('upload_id', 'in', ids)
    .groupBy('upload_id')
    .execute()
  return new Map(rows.map(({ upload_id, ...sums }) => [upload_id, sums]))
}

/** A multipart upload is open as long as it has a blob, which is indexed. */
export const countOpenUploads = (db: Db): Promise<number> => countUpToMost(db, sql`uploads where blob_id is not null`)
