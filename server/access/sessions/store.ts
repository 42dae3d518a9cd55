import type { Compilable } from 'kysely'
import { DAY_MS } from '../../base/time.ts'
import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

export const insertSession = (tx: Tx, row: NewRow<'sessions'>) => tx.insertInto('sessions').values(row).execute()

export const insertRefreshToken = (tx: Tx, row: NewRow<'refresh_tokens'>) =>
  tx.insertInto('refresh_tokens').values(row).execute()

export const revokeSession = (tx: Tx, id: string, now: Date) =>
  tx
    .updateTable('sessions')
    .set({ revoked_at: now.toISOString() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()

export const touchSession = (tx: Tx, id: string, now: Date) =>
  tx.updateTable('sessions').set({ last_used_at: now.toISOString() }).where('id', '=', id).execute()

/** Notes that a session's user has given a second factor. */
export const markSecondFactor = (tx: Tx, id: string, now: Date) =>
  tx.updateTable('sessions').set({ second_factor_at: now.toISOString() }).where('id', '=', id).execute()

/** What of an account only its user needs to know. */
export const findOwn = (db: Db, userId: string) =>
  db.selectFrom('users').select(['language', 'password_generated']).where('id', '=', userId).executeTakeFirst()

/** Ends every session of a user; returns how many were live. */
export async function revokeSessionsOf(tx: Tx, userId: string, now: Date): Promise<number> {
  const revoked = await tx
    .updateTable('sessions')
    .set({ revoked_at: now.toISOString() })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .returning('id')
    .execute()
  return revoked.length
}

/** Ends one session of a user; false if they have no such live one. */
export async function revokeOwnSession(tx: Tx, userId: string, id: string, now: Date): Promise<boolean> {
  const revoked = await tx
    .updateTable('sessions')
    .set({ revoked_at: now.toISOString() })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .returning('id')
    .execute()
  return revoked.length > 0
}

/** Live sessions of a user before an id, newest first; a session unused since `idleSince` has no refresh token left. */
export const listSessions = (
  db: Db,
  userId: string,
  { now, idleSince, before, limit }: { now: Date; idleSince: Date; before: string | undefined; limit: number },
): Promise<Row<'sessions'>[]> => {
  const query = db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .where('last_used_at', '>', idleSince.toISOString())
  return (before === undefined ? query : query.where('id', '<', before)).orderBy('id', 'desc').limit(limit).execute()
}

/** The session with its user, locked until the transaction ends. */
export const lockSession = (tx: Tx, id: string) =>
  tx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'sessions.user_id',
      'sessions.auth_method',
      'sessions.expires_at',
      'sessions.revoked_at',
      'sessions.second_factor_at',
      'users.email',
      'users.display_name',
      'users.token_version',
      'users.idp_subject',
      'users.disabled_at',
    ])
    .where('sessions.id', '=', id)
    .forUpdate('sessions')
    .executeTakeFirst()

export const findRefreshToken = (db: Db, jti: string) =>
  db.selectFrom('refresh_tokens').selectAll().where('jti', '=', jti).executeTakeFirst()

export const consumeRefreshToken = (tx: Tx, jti: string, successor: string, now: Date) =>
  tx
    .updateTable('refresh_tokens')
    .set({ consumed_at: now.toISOString(), successor_jti: successor })
    .where('jti', '=', jti)
    .execute()

/** Deletes sessions and refresh tokens that nothing can use any more. */
export async function deleteExpired(tx: Tx, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms).toISOString()
  const week = 7 * DAY_MS
  await tx
    .deleteFrom('sessions')
    .where((e) => e.or([e('expires_at', '<', before(0)), e('revoked_at', '<', before(week))]))
    .execute()
  // Nobody can use a session whose tokens were never fetched in time.
  await tx
    .deleteFrom('sessions')
    .where('id', 'in', (e) => e.selectFrom('handoffs').select('session_id').where('expires_at', '<', before(0)))
    .execute()
  await tx.deleteFrom('refresh_tokens').where('expires_at', '<', before(week)).execute()
}

/** What every credential's query returns about the user: one row per grant of each group, at least one row. */
export interface UserRow {
  user_id: string
  email: string
  display_name: string
  disabled_at: string | null
  path: string
  service_account: number
  /** Which policies are in force; see `access/policies/book.ts`. */
  policies: string
  group_id: string | null
  group_name: string | null
  global: string | null
  grant_id: string | null
  bucket_pattern: string | null
  prefix: string | null
  actions: string | null
}
/** Its columns of `users as u`. */
export const USER_COLUMNS = [
  'u.id as user_id',
  'u.email',
  'u.display_name',
  'u.disabled_at',
  'u.path',
  'u.service_account',
] as const
/** Its columns of `groups as g` and `grants as r`. */
export const GRANT_COLUMNS = [
  'g.id as group_id',
  'g.name as group_name',
  'g.global',
  'r.id as grant_id',
  'r.bucket_pattern',
  'r.prefix',
  'r.actions',
] as const
export interface SessionRow extends UserRow {
  token_version: number
  idp_subject: string | null
  auth_method: 'local' | 'idp'
  expires_at: string
  revoked_at: string | null
  second_factor_at: string | null
  /** The stored settings; null where there are none. */
  settings: string | null
}

const sessionRows = prepared(
  (db: Db, { id }: { id: string }): Compilable<SessionRow> =>
    db
      .selectFrom('sessions as s')
      .innerJoin('users as u', 'u.id', 's.user_id')
      .leftJoin('group_members as m', 'm.user_id', 'u.id')
      .leftJoin('groups as g', 'g.id', 'm.group_id')
      .leftJoin('grants as r', 'r.group_id', 'g.id')
      .select(USER_COLUMNS)
      .select(['u.token_version', 'u.idp_subject'])
      .select(['s.auth_method', 's.expires_at', 's.revoked_at', 's.second_factor_at'])
      .select((e) => e.selectFrom('settings').select('overrides').as('settings'))
      .select((e) => e.selectFrom('instance').select('policies').$asScalar().$notNull().as('policies'))
      .select(GRANT_COLUMNS)
      .where('s.id', '=', id),
)

/** Rows of a credential, of which there is one at least; undefined without any. */
export const atLeastOne = <R>(rows: readonly R[]): readonly [R, ...R[]] | undefined =>
  rows.length === 0 ? undefined : (rows as readonly R[] as readonly [R, ...R[]])

/** Everything about a session; undefined if it does not exist. */
export const findSessionRows = kept((db, id) => sessionRows(db, { id }).then(atLeastOne))

const userRows = prepared(
  (db: Db, { id }: { id: string }): Compilable<UserRow> =>
    db
      .selectFrom('users as u')
      .leftJoin('group_members as m', 'm.user_id', 'u.id')
      .leftJoin('groups as g', 'g.id', 'm.group_id')
      .leftJoin('grants as r', 'r.group_id', 'g.id')
      .select(USER_COLUMNS)
      .select((e) => e.selectFrom('instance').select('policies').$asScalar().$notNull().as('policies'))
      .select(GRANT_COLUMNS)
      .where('u.id', '=', id),
)

/** A user with their permissions; no rows if they do not exist. */
export const findUserRows = (db: Db, id: string): Promise<UserRow[]> => userRows(db, { id })

/** An agent that is neither revoked nor expired. */
export const findLiveAgent = async (db: Db, id: string, now: Date) =>
  (await liveAgents(db, { id, now: now.toISOString() })).at(0)
const liveAgents = prepared((db: Db, { id, now }: { id: string; now: string }) =>
  db
    .selectFrom('agents')
    .select(['id', 'name', 'scope', 'budget', 'approval'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)])),
)

/** A personal access token that is neither revoked nor expired. */
export const findLiveToken = async (db: Db, id: string, now: Date): Promise<{ scope: string | null } | undefined> =>
  (await liveTokens(db, { id, now: now.toISOString() })).at(0)
const liveTokens = prepared((db: Db, { id, now }: { id: string; now: string }) =>
  db
    .selectFrom('tokens')
    .select('scope')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)])),
)
