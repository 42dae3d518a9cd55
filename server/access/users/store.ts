import { sql } from 'kysely'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

/** Returns undefined if the address or the identity is in use. */
export const insertUser = (tx: Tx, row: NewRow<'users'>): Promise<Row<'users'> | undefined> =>
  tx
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** Changes a user; a generated password that is replaced is one no more. */
export async function updateUser(tx: Tx, id: string, change: RowChange<'users'>): Promise<void> {
  await tx.updateTable('users').set(change).where('id', '=', id).execute()
  if (change.password_hash === undefined || change.password_generated !== undefined) return
  const replaced = tx.updateTable('users').set({ password_generated: 0 }).where('id', '=', id)
  await replaced.where('password_generated', '=', 1).execute()
}

/** Replaces a password's hash if it is still the expected one. */
export const renewHash = (tx: Tx, id: string, from: string, to: string) =>
  tx.updateTable('users').set({ password_hash: to }).where('id', '=', id).where('password_hash', '=', from).execute()

export const deleteUser = (tx: Tx, id: string) => tx.deleteFrom('users').where('id', '=', id).execute()

export const findByEmailKey = (db: Db, key: string) =>
  db.selectFrom('users').selectAll().where('email_key', '=', key).executeTakeFirst()

export const findByIdentity = (db: Db, issuer: string, subject: string) =>
  db
    .selectFrom('users')
    .selectAll()
    .where('idp_issuer', '=', issuer)
    .where('idp_subject', '=', subject)
    .executeTakeFirst()

export const findBySubjects = async (db: Db, issuer: string, subjects: readonly string[]): Promise<string[]> => {
  if (subjects.length === 0) return []
  const rows = await db
    .selectFrom('users')
    .select('idp_subject')
    .where('idp_issuer', '=', issuer)
    .where('idp_subject', 'in', subjects)
    .execute()
  return rows.flatMap(({ idp_subject }) => idp_subject ?? [])
}

export const findUser = (db: Db, id: string) =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

/** Whether there is more than one user. */
export const hasSeveralUsers = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(2).execute()).length > 1

export const listIds = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('users').select('id').execute()).map(({ id }) => id)

/** Users whose path starts with a text, after an address and sorted by it. */
export const listBelow = (
  db: Db,
  path: string,
  { after, limit, groupId }: { after: string; limit: number; groupId?: string },
): Promise<Row<'users'>[]> => {
  const query = db
    .selectFrom('users')
    .selectAll()
    .where('email_key', '>', after)
    .where(sql<boolean>`substr(path, 1, length(${path})) = ${path}`)
  const page =
    groupId === undefined
      ? query
      : query.where('id', 'in', (e) => e.selectFrom('group_members').select('user_id').where('group_id', '=', groupId))
  return page.orderBy('email_key').limit(limit).execute()
}

export const findUsers = async (db: Db, ids: readonly string[]): Promise<Row<'users'>[]> =>
  ids.length === 0 ? [] : db.selectFrom('users').selectAll().where('id', 'in', ids).execute()

export const countUsers = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('users')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

/** The display names of users, by id. */
export async function findNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('users').select(['id', 'display_name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, display_name }) => [id, display_name]))
}

/** Which of these users have a second factor. */
export async function findSecured(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom('second_factors').select('user_id').distinct().where('user_id', 'in', ids).execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

export const lockUser = (tx: Tx, id: string) =>
  tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const hasUsers = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined

/** Whether there is an administrator, able to log in or not. */
export const hasAdmin = async (db: Db): Promise<boolean> =>
  (await db
    .selectFrom('groups as g')
    .innerJoin('group_members as m', 'm.group_id', 'g.id')
    .select('m.user_id')
    .where('g.global', 'like', '%"admin"%')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Whether anyone has ever signed in. */
export const hasSignedIn = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('users').select('id').where('last_login_at', 'is not', null).limit(1).executeTakeFirst()) !==
  undefined

/** The administrator with this address, otherwise the oldest one; of those who are not disabled. */
export const findFirstAdmin = (db: Db, emailKey: string): Promise<Pick<Row<'users'>, 'id' | 'email'> | undefined> =>
  db
    .selectFrom('users as u')
    .innerJoin('group_members as m', 'm.user_id', 'u.id')
    .innerJoin('groups as g', 'g.id', 'm.group_id')
    .select(['u.id', 'u.email'])
    .where('g.global', 'like', '%"admin"%')
    .where('u.disabled_at', 'is', null)
    .orderBy((e) => e.case().when('u.email_key', '=', emailKey).then(0).else(1).end())
    .orderBy('u.created_at')
    .orderBy('u.id')
    .limit(1)
    .executeTakeFirst()

export interface UserFilter {
  q?: string | undefined
  groupId?: string | undefined
  active?: boolean | undefined
}

/** Users after an address, sorted by it; `q` is folded like the text it is searched in. */
export function listUsers(db: Db, filter: UserFilter, after: string, limit: number): Promise<Row<'users'>[]> {
  let query = db.selectFrom('users').selectAll().where('email_key', '>', after)
  const { q, groupId, active } = filter
  if (q !== undefined) query = query.where((e) => e(e.fn<number>('instr', ['search_key', e.val(q)]), '>', 0))
  if (groupId !== undefined)
    query = query.where('id', 'in', (e) =>
      e.selectFrom('group_members').select('user_id').where('group_id', '=', groupId),
    )
  if (active !== undefined) query = query.where('disabled_at', active ? 'is' : 'is not', null)
  return query.orderBy('email_key').limit(limit).execute()
}

// ---- Invitations -----------------------------------------------------------------------------------------------

/** Replaces a user's earlier invitation. */
export const putInvitation = (tx: Tx, row: NewRow<'invitations'>) =>
  tx
    .insertInto('invitations')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet((e) => ({
        token_hash: e.ref('excluded.token_hash'),
        email_key: e.ref('excluded.email_key'),
        token_version: e.ref('excluded.token_version'),
        expires_at: e.ref('excluded.expires_at'),
      })),
    )
    .execute()

/** Deletes a user's invitation; false if there was none. */
export const deleteInvitation = async (tx: Tx, userId: string): Promise<boolean> =>
  (await tx.deleteFrom('invitations').where('user_id', '=', userId).returning('user_id').execute()).length > 0

/** Invitations with their users as they were invited: another address or another login ends an invitation. */
const invited = (db: Db) =>
  db
    .selectFrom('invitations as i')
    .innerJoin('users as u', (join) =>
      join
        .onRef('u.id', '=', 'i.user_id')
        .onRef('u.email_key', '=', 'i.email_key')
        .onRef('u.token_version', '=', 'i.token_version'),
    )
    .where('u.disabled_at', 'is', null)
    .where('u.password_hash', 'is', null)

/** The invitation whose token has this hash, with its user, if it has not expired. */
export const findOpenInvitation = (db: Db, hash: string, now: Date) =>
  invited(db)
    .selectAll('u')
    .select('i.expires_at')
    .where('i.token_hash', '=', hash)
    .where('i.expires_at', '>', now.toISOString())
    .executeTakeFirst()

/** When the invitations of these users expire, by their ids. */
export async function findInvited(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await invited(db).select(['i.user_id', 'i.expires_at']).where('i.user_id', 'in', ids).execute()
  return new Map(rows.map(({ user_id, expires_at }) => [user_id, expires_at]))
}

export const deleteExpiredInvitations = (tx: Tx, now: Date) =>
  tx.deleteFrom('invitations').where('expires_at', '<=', now.toISOString()).execute()
