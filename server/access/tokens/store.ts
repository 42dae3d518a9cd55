import type { Compilable } from 'kysely'
import { DAY_MS } from '../../base/time.ts'
import { prepared } from '../../db/prepared.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'
import type { UserRow } from '../sessions/store.ts'

export type TokenRow = Row<'tokens'>

export const insertToken = (tx: Tx, row: NewRow<'tokens'>) => tx.insertInto('tokens').values(row).execute()

/** Locks the user, so that concurrent creations count their tokens one after another. */
export const lockOwner = (tx: Tx, userId: string) =>
  tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().executeTakeFirst()

export const countLive = async (tx: Tx, userId: string, now: Date): Promise<number> =>
  (
    await tx
      .selectFrom('tokens')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now.toISOString())]))
      .executeTakeFirstOrThrow()
  ).count

export const findToken = (db: Db, id: string): Promise<TokenRow | undefined> =>
  db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirst()

export const lockToken = (tx: Tx, id: string): Promise<TokenRow | undefined> =>
  tx.selectFrom('tokens').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const findUser = (db: Db, id: string) =>
  db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()

/** A user's tokens before an id, newest first. */
export function listTokens(db: Db, userId: string, before: string | undefined, limit: number): Promise<TokenRow[]> {
  const query = db.selectFrom('tokens').selectAll().where('user_id', '=', userId)
  return (before === undefined ? query : query.where('id', '<', before)).orderBy('id', 'desc').limit(limit).execute()
}

/** Revokes those of the tokens that are not revoked yet; returns their rows. */
export const revokeTokens = (tx: Tx, ids: readonly string[], now: Date): Promise<TokenRow[]> =>
  tx
    .updateTable('tokens')
    .set({ revoked_at: now.toISOString() })
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute()

/** Ids of the tokens created with these. */
export const findChildren = async (db: Db, ids: readonly string[]): Promise<string[]> =>
  ids.length === 0
    ? []
    : (await db.selectFrom('tokens').select('id').where('created_by_token_id', 'in', ids).execute()).map(({ id }) => id)

export const replaceValue = (
  tx: Tx,
  id: string,
  value: Pick<TokenRow, 'token_hash' | 'token_prefix' | 'previous_hash' | 'previous_until'>,
) => tx.updateTable('tokens').set(value).where('id', '=', id).execute()

/** Records a token's use unless one was recorded since `before`; changes nothing else in the row. */
export const noteUse = (tx: Tx, id: string, { ip, now, before }: { ip: string | null; now: Date; before: Date }) =>
  tx
    .updateTable('tokens')
    .set({ last_used_at: now.toISOString(), last_used_ip: ip })
    .where('id', '=', id)
    .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', before.toISOString())]))
    .execute()

/** Valid tokens that expire within `days` and whose owners have not been notified yet. */
export const findExpiring = (db: Db, now: Date, days: number, limit: number): Promise<TokenRow[]> =>
  db
    .selectFrom('tokens')
    .selectAll()
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .where('expires_at', '<=', new Date(now.getTime() + days * DAY_MS).toISOString())
    .where((e) => e.or([e('notice_days', 'is', null), e('notice_days', '>', days)]))
    .limit(limit)
    .execute()

/** Claims a notice: true for only one process. */
export const claimNotice = async (tx: Tx, id: string, days: number): Promise<boolean> =>
  (
    await tx
      .updateTable('tokens')
      .set({ notice_days: days })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where((e) => e.or([e('notice_days', 'is', null), e('notice_days', '>', days)]))
      .returning('id')
      .execute()
  ).length > 0

/** A token with its owner: one row per grant of each of the owner's groups, at least one row. */
export interface CredentialRow extends UserRow {
  token_id: string
  token_name: string
  token_prefix: string
  previous_hash: string | null
  previous_until: string | null
  expires_at: string | null
  revoked_at: string | null
}

const credentialRows = prepared(
  (db: Db, { hash }: { hash: string }): Compilable<CredentialRow> =>
    db
      .selectFrom('tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .leftJoin('group_members as m', 'm.user_id', 'u.id')
      .leftJoin('groups as g', 'g.id', 'm.group_id')
      .leftJoin('grants as r', 'r.group_id', 'g.id')
      .select(['t.id as token_id', 't.name as token_name', 't.token_prefix', 't.previous_hash', 't.previous_until'])
      .select(['t.expires_at', 't.revoked_at'])
      .select(['u.id as user_id', 'u.email', 'u.display_name', 'u.disabled_at'])
      .select(['g.id as group_id', 'g.name as group_name', 'g.global'])
      .select(['r.id as grant_id', 'r.bucket_pattern', 'r.prefix', 'r.actions'])
      .where((e) => e.or([e('t.token_hash', '=', hash), e('t.previous_hash', '=', hash)])),
)

/** The token whose current or previous value has this hash, with its owner; no rows if there is none. */
export const findCredential = (db: Db, hash: string): Promise<CredentialRow[]> => credentialRows(db, { hash })
