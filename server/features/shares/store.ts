import { sql } from 'kysely'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type ShareRow = Row<'shares'>

export const insertShare = (tx: Tx, row: NewRow<'shares'>) => tx.insertInto('shares').values(row).execute()

export const insertShares = (tx: Tx, rows: readonly NewRow<'shares'>[]) =>
  tx
    .insertInto('shares')
    .values([...rows])
    .execute()

const byHash = prepared((db: Db, { hash }: { hash: string }) =>
  db.selectFrom('shares').selectAll().where('token_hash', '=', hash),
)
export const findByHash = async (db: Db, hash: string): Promise<ShareRow | undefined> => (await byHash(db, { hash }))[0]

export const findShare = (db: Db, id: string): Promise<ShareRow | undefined> =>
  db.selectFrom('shares').selectAll().where('id', '=', id).executeTakeFirst()

export const lockShare = (tx: Tx, id: string): Promise<ShareRow | undefined> =>
  tx.selectFrom('shares').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** Links of an agent to what is in a bucket that were created at or after a time and not revoked. */
export const findLinksOfAgent = (
  db: Db,
  { agent, bucket, since }: { agent: string; bucket: string; since: string },
): Promise<ShareRow[]> =>
  db
    .selectFrom('shares')
    .selectAll()
    .where('agent_id', '=', agent)
    .where('bucket', '=', bucket)
    .where('created_at', '>=', since)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute()

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
