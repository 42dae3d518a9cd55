import { DAY_MS } from '../../base/time.ts'
import type { Db, Row, Tx } from '../../db/schema.ts'

/** The tables of what people issue to themselves. Kysely sees one of them: all that is asked here, both have. */
export type CredentialTable = 'tokens' | 'access_keys'
/** A row of either. */
export type CredentialRow<T extends CredentialTable> = Row<T> & Lasting
/** What is asked of rows of both. */
export type Lasting = Pick<Row<'tokens'>, 'id' | 'user_id' | 'name' | 'created_at' | 'revoked_at' | 'expires_at'>
/** Agents have less in common with them: a user has so many, and uses are noted. */
export type Issued = CredentialTable | 'agents'
const as = (table: Issued) => table as 'tokens'

/** Locks the user, so that concurrent creations count their credentials one after another. */
export const lockOwner = (tx: Tx, userId: string) =>
  tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().executeTakeFirst()

export const findUser = (db: Db, id: string) =>
  db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()

/** The token that issues another credential. */
export const findParent = (db: Db, tokenId: string) =>
  db.selectFrom('tokens').select(['expires_at', 'revoked_at']).where('id', '=', tokenId).executeTakeFirst()

export const countLive = async (tx: Tx, table: Issued, userId: string, now: Date): Promise<number> =>
  (
    await tx
      .selectFrom(as(table))
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now.toISOString())]))
      .executeTakeFirstOrThrow()
  ).count

/** A user's credentials before an id, newest first. */
export async function listCredentials<T extends CredentialTable>(
  db: Db,
  table: T,
  userId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<CredentialRow<T>[]> {
  const query = db.selectFrom(as(table)).selectAll().where('user_id', '=', userId)
  const page = before === undefined ? query : query.where('id', '<', before)
  return (await page.orderBy('id', 'desc').limit(limit).execute()) as unknown as CredentialRow<T>[]
}

/** A user's valid credentials that expire within `days`, the next to do so first. */
export const findExpiringOf = async <T extends CredentialTable>(
  db: Db,
  table: T,
  userId: string,
  { now, days, limit }: { now: Date; days: number; limit: number },
): Promise<CredentialRow<T>[]> =>
  (await db
    .selectFrom(as(table))
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .where('expires_at', '<=', new Date(now.getTime() + days * DAY_MS).toISOString())
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute()) as unknown as CredentialRow<T>[]

/** Whether a user has, or had, a credential. */
export const hasCredential = async (db: Db, table: CredentialTable, userId: string): Promise<boolean> =>
  (await db.selectFrom(as(table)).select('id').where('user_id', '=', userId).limit(1).executeTakeFirst()) !== undefined

export const lockCredential = async <T extends CredentialTable>(tx: Tx, table: T, id: string) =>
  (await tx.selectFrom(as(table)).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) as unknown as
    | CredentialRow<T>
    | undefined

/** Whose a credential is; undefined if it does not exist. */
export const findOwner = async (db: Db, table: CredentialTable, id: string): Promise<string | undefined> =>
  (await db.selectFrom(as(table)).select('user_id').where('id', '=', id).executeTakeFirst())?.user_id

/** Ids of the credentials that were issued with these tokens. */
export const findChildren = async (db: Db, table: CredentialTable, tokenIds: readonly string[]): Promise<string[]> =>
  tokenIds.length === 0
    ? []
    : (await db.selectFrom(as(table)).select('id').where('created_by_token_id', 'in', tokenIds).execute()).map(
        ({ id }) => id,
      )

/** Revokes those that are not revoked yet; returns their rows. */
export const revokeCredentials = async <T extends CredentialTable>(
  tx: Tx,
  table: T,
  ids: readonly string[],
  now: Date,
): Promise<CredentialRow<T>[]> =>
  ids.length === 0
    ? []
    : ((await tx
        .updateTable(as(table))
        .set({ revoked_at: now.toISOString() })
        .where('id', 'in', ids)
        .where('revoked_at', 'is', null)
        .returningAll()
        .execute()) as unknown as CredentialRow<T>[])

/**
 * Records a use unless one was recorded since `before`; changes nothing else in the row. Returns when it was last used.
 */
export async function noteUse(
  tx: Tx,
  table: Issued,
  id: string,
  { ip, now, before }: { ip: string | null; now: Date; before: Date },
): Promise<string | null> {
  await tx
    .updateTable(as(table))
    .set({ last_used_at: now.toISOString(), last_used_ip: ip })
    .where('id', '=', id)
    .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', before.toISOString())]))
    .execute()
  const row = await tx.selectFrom(as(table)).select('last_used_at').where('id', '=', id).executeTakeFirst()
  return row?.last_used_at ?? null
}

/** Valid credentials that expire within `days` and whose owners have not been notified yet. */
export const findExpiring = async <T extends CredentialTable>(
  db: Db,
  table: T,
  now: Date,
  { days, limit }: { days: number; limit: number },
): Promise<CredentialRow<T>[]> =>
  (await db
    .selectFrom(as(table))
    .selectAll()
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .where('expires_at', '<=', new Date(now.getTime() + days * DAY_MS).toISOString())
    .where((e) => e.or([e('notice_days', 'is', null), e('notice_days', '>', days)]))
    .limit(limit)
    .execute()) as unknown as CredentialRow<T>[]

/** Claims a notice: true for only one process. */
export const claimNotice = async (tx: Tx, table: CredentialTable, id: string, days: number): Promise<boolean> =>
  (
    await tx
      .updateTable(as(table))
      .set({ notice_days: days })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where((e) => e.or([e('notice_days', 'is', null), e('notice_days', '>', days)]))
      .returning('id')
      .execute()
  ).length > 0
