import { sql } from 'kysely'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type ShareRow = Row<'shares'>

export const insertShare = (tx: Tx, row: NewRow<'shares'>) => tx.insertInto('shares').values(row).execute()

const byHash = prepared((db: Db, { hash }: { hash: string }) =>
  db.selectFrom('shares').selectAll().where('token_hash', '=', hash),
)
export const findByHash = async (db: Db, hash: string): Promise<ShareRow | undefined> => (await byHash(db, { hash }))[0]

export const findShare = (db: Db, id: string): Promise<ShareRow | undefined> =>
  db.selectFrom('shares').selectAll().where('id', '=', id).executeTakeFirst()

export const lockShare = (tx: Tx, id: string): Promise<ShareRow | undefined> =>
  tx.selectFrom('shares').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** Claims the one notice of a link: true for only one opening. */
export const claimNotice = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (
    await tx
      .updateTable('shares')
      .set({ notified_at: now.toISOString() })
      .where('id', '=', id)
      .where('notify', '=', 1)
      .where('notified_at', 'is', null)
      .returning('id')
      .execute()
  ).length > 0

export const updateShare = (tx: Tx, id: string, change: RowChange<'shares'>) =>
  tx.updateTable('shares').set(change).where('id', '=', id).execute()

/** Filters for listing links. */
export interface Wanted {
  bucket?: string | undefined
  /** Links to exactly this object. */
  key?: string | undefined
  state?: 'active' | 'expired' | 'revoked' | undefined
  /** Part of the target, the file name or the creator's email, ignoring case. */
  q?: string | undefined
}

/** Links before an id, latest first; optionally of one user. */
export function listShares(
  db: Db,
  wanted: Wanted & { createdBy: string | null; before: string | undefined; now: Date },
  limit: number,
): Promise<(ShareRow & { email: string })[]> {
  const { createdBy, bucket, key, state, q, before } = wanted
  const now = wanted.now.toISOString()
  let query = db
    .selectFrom('shares')
    .innerJoin('users', 'users.id', 'shares.created_by')
    .selectAll('shares')
    .select('users.email')
  if (createdBy !== null) query = query.where('shares.created_by', '=', createdBy)
  if (bucket !== undefined) query = query.where('shares.bucket', '=', bucket)
  if (key !== undefined) query = query.where('shares.kind', '=', 'object').where('shares.target', '=', key)
  if (state !== undefined) query = query.where('shares.revoked_at', state === 'revoked' ? 'is not' : 'is', null)
  if (state === 'active')
    query = query
      .where((e) => e.or([e('shares.expires_at', 'is', null), e('shares.expires_at', '>', now)]))
      .where((e) => e.or([e('shares.max_downloads', 'is', null), e('shares.downloads', '<', e.ref('max_downloads'))]))
  if (state === 'expired')
    query = query.where((e) =>
      e.or([e('shares.expires_at', '<=', now), e('shares.downloads', '>=', e.ref('max_downloads'))]),
    )
  if (q) {
    const part = `%${q.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
    const holds = (column: 'shares.target' | 'shares.filename' | 'shares.bucket' | 'users.email') =>
      sql<boolean>`lower(${sql.ref(column)}) like ${part} escape '\\'`
    query = query.where((e) =>
      e.or([holds('shares.target'), holds('shares.filename'), holds('shares.bucket'), holds('users.email')]),
    )
  }
  if (before !== undefined) query = query.where('shares.id', '<', before)
  return query.orderBy('shares.id', 'desc').limit(limit).execute()
}

export const emailOf = async (db: Db, userId: string): Promise<string | null> =>
  (await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst())?.email ?? null

/** A user's name as strangers may see it; null if it is empty or an email address. */
export async function nameOf(db: Db, userId: string): Promise<string | null> {
  const user = await db.selectFrom('users').select('display_name').where('id', '=', userId).executeTakeFirst()
  const name = user?.display_name.trim() ?? ''
  return name === '' || name.includes('@') ? null : name
}

/**
 * Takes one of the remaining downloads; false if none is left. A single statement, so that racers cannot both take the
 * last.
 */
export const spendDownload = async (tx: Tx, id: string): Promise<boolean> =>
  (
    await tx
      .updateTable('shares')
      .set((e) => ({ downloads: e('downloads', '+', 1) }))
      .where('id', '=', id)
      .whereRef('downloads', '<', 'max_downloads')
      .returning('id')
      .execute()
  ).length > 0

export const addUse = prepared((tx: Tx, row: NewRow<'share_access_counts'>) =>
  tx
    .insertInto('share_access_counts')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['share_id', 'shard']).doUpdateSet((e) => ({
        count: e('share_access_counts.count', '+', e.ref('excluded.count')),
        last_at: e.ref('excluded.last_at'),
      })),
    ),
)

export async function sumUses(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { count: number; last_at: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('share_access_counts')
    .select((e) => ['share_id', e.fn.sum<number>('count').as('count'), e.fn.max('last_at').as('last_at')])
    .where('share_id', 'in', ids)
    .groupBy('share_id')
    .execute()
  return new Map(rows.map(({ share_id, ...use }) => [share_id, use]))
}

export const insertAccess = (tx: Tx, row: NewRow<'share_accesses'>) =>
  tx.insertInto('share_accesses').values(row).execute()

/** How many of a link's latest accesses are looked through for an earlier opening. */
const LOOKED_THROUGH = 1000

/** Whether a visitor's opening of a link since a time is among its latest accesses. */
export async function hasOpened(
  db: Db,
  { share_id, ip, user_agent }: Pick<Row<'share_accesses'>, 'share_id' | 'ip' | 'user_agent'>,
  since: Date,
): Promise<boolean> {
  const rows = await db
    .selectFrom((e) =>
      e
        .selectFrom('share_accesses')
        .select(['outcome', 'time', 'ip', 'user_agent'])
        .where('share_id', '=', share_id)
        .orderBy('id', 'desc')
        .limit(LOOKED_THROUGH)
        .as('latest'),
    )
    .select('time')
    .where('outcome', '=', 'opened')
    .where('time', '>', since.toISOString())
    .where('ip', ip === null ? 'is' : '=', ip)
    .where('user_agent', user_agent === null ? 'is' : '=', user_agent)
    .limit(1)
    .execute()
  return rows.length > 0
}

/** A link has sent contents to an address, which may continue downloading them until `ends_at`. */
export type Serving = Omit<Row<'share_servings'>, 'left_bytes'>

/** Stores that contents were sent: as many more bytes may be requested to continue them. */
export const addServing = (tx: Tx, row: NewRow<'share_servings'>, now: Date) =>
  tx
    .insertInto('share_servings')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['share_id', 'ip', 'blob_id']).doUpdateSet((e) => ({
        left_bytes: e
          .case()
          .when('share_servings.ends_at', '<=', now.toISOString())
          .then(e.ref('excluded.left_bytes'))
          .else(e('share_servings.left_bytes', '+', e.ref('excluded.left_bytes')))
          .end(),
        ends_at: e.ref('excluded.ends_at'),
      })),
    )
    .execute()

export const findServing = async (db: Db, { share_id, ip, blob_id }: Serving, now: Date): Promise<boolean> =>
  (
    await db
      .selectFrom('share_servings')
      .select('share_id')
      .where('share_id', '=', share_id)
      .where('ip', '=', ip)
      .where('blob_id', '=', blob_id)
      .where('ends_at', '>', now.toISOString())
      .execute()
  ).length > 0

/** Takes bytes from those that an address may still request; false if there are not enough. */
export const takeRest = async (
  tx: Tx,
  { share_id, ip, blob_id }: Serving,
  bytes: number,
  now: Date,
): Promise<boolean> =>
  (
    await tx
      .updateTable('share_servings')
      .set((e) => ({ left_bytes: e('left_bytes', '-', bytes) }))
      .where('share_id', '=', share_id)
      .where('ip', '=', ip)
      .where('blob_id', '=', blob_id)
      .where('ends_at', '>', now.toISOString())
      .where('left_bytes', '>=', bytes)
      .returning('share_id')
      .execute()
  ).length > 0

export const giveBack = (tx: Tx, { share_id, ip, blob_id }: Serving, bytes: number) =>
  tx
    .updateTable('share_servings')
    .set((e) => ({ left_bytes: e('left_bytes', '+', bytes) }))
    .where('share_id', '=', share_id)
    .where('ip', '=', ip)
    .where('blob_id', '=', blob_id)
    .execute()

export const deleteServings = (tx: Tx, now: Date) =>
  tx.deleteFrom('share_servings').where('ends_at', '<=', now.toISOString()).execute()

export const listAccesses = (
  db: Db,
  shareId: string,
  offset: number,
  limit: number,
): Promise<Row<'share_accesses'>[]> =>
  db
    .selectFrom('share_accesses')
    .selectAll()
    .where('share_id', '=', shareId)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export const countAccesses = async (db: Db, shareId: string): Promise<number> =>
  (
    await db
      .selectFrom('share_accesses')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('share_id', '=', shareId)
      .executeTakeFirstOrThrow()
  ).count

export const deleteAccesses = (tx: Tx, before: Date) =>
  tx.deleteFrom('share_accesses').where('time', '<', before.toISOString()).execute()

const TOKENS_AT_ONCE = 500
/** Stored tokens of links after an id, in the order of ids. */
export const listTokens = (db: Db, after: string): Promise<{ id: string; sealed_token: string }[]> =>
  db
    .selectFrom('shares')
    .select('id')
    .select((e) => e.ref('sealed_token').$notNull().as('sealed_token'))
    .where('sealed_token', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(TOKENS_AT_ONCE)
    .execute()

/** Replaces a stored token, unless the link was revoked since. */
export const replaceToken = (tx: Tx, id: string, before: string, sealed_token: string) =>
  tx.updateTable('shares').set({ sealed_token }).where('id', '=', id).where('sealed_token', '=', before).execute()

export const deleteTokens = (tx: Tx) =>
  tx.updateTable('shares').set({ sealed_token: null }).where('sealed_token', 'is not', null).execute()
