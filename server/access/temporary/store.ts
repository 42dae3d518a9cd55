import { type Compilable, sql } from 'kysely'
import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'
import { atLeastOne, GRANT_COLUMNS, type UserRow } from '../sessions/store.ts'

export type CredentialRow = Row<'temporary_credentials'>

export const insertCredential = (tx: Tx, row: NewRow<'temporary_credentials'>) =>
  tx.insertInto('temporary_credentials').values(row).execute()

export const insertGroups = (tx: Tx, rows: readonly NewRow<'temporary_credential_groups'>[]) =>
  tx.insertInto('temporary_credential_groups').values(rows).execute()

/** Temporary credentials with what decides what they may: one row per grant of each group, at least one row. */
export type SessionRow = Omit<UserRow, 'user_id' | 'email' | 'display_name' | 'path' | 'service_account'> &
  Pick<
    CredentialRow,
    | (
        | 'id'
        | 'kind'
        | 'access_key_id'
        | 'secret_key_id'
        | 'session_name'
        | 'subject'
        | 'source_identity'
        | 'issuer_key'
      )
    | ('policy' | 'scope' | 'tags' | 'claims' | 'created_at' | 'expires_at' | 'revoked_at' | 'role_id')
  > & {
    user_id: string | null
    email: string | null
    display_name: string | null
    path: string | null
    service_account: number | null
    role_name: string | null
    role_path: string | null
    /** The stored settings; null where there are none. */
    settings: string | null
  }

const sessionRows = prepared(
  (db: Db, { accessKeyId }: { accessKeyId: string }): Compilable<SessionRow> =>
    db
      .selectFrom('temporary_credentials as c')
      .leftJoin('roles as o', 'o.id', 'c.role_id')
      .leftJoin('users as u', 'u.id', 'c.user_id')
      // What a role may has nothing to do with the groups of who took it on.
      .leftJoin('group_members as m', (join) =>
        join.onRef('m.user_id', '=', 'c.user_id').on('c.kind', '=', sql.lit('user')),
      )
      .leftJoin('temporary_credential_groups as t', 't.credential_id', 'c.id')
      .leftJoin('groups as g', (join) => join.on((e) => e('g.id', '=', e.fn.coalesce('m.group_id', 't.group_id'))))
      .leftJoin('grants as r', 'r.group_id', 'g.id')
      .select(['c.id', 'c.kind', 'c.access_key_id', 'c.secret_key_id', 'c.session_name', 'c.subject', 'c.role_id'])
      .select(['c.source_identity', 'c.issuer_key', 'c.policy', 'c.scope', 'c.tags', 'c.claims'])
      .select(['c.created_at', 'c.expires_at', 'c.revoked_at', 'c.user_id'])
      .select(['o.name as role_name', 'o.path as role_path'])
      .select(['u.email', 'u.display_name', 'u.disabled_at', 'u.path', 'u.service_account'])
      .select((e) => e.selectFrom('instance').select('policies').$asScalar().$notNull().as('policies'))
      .select(GRANT_COLUMNS)
      .select((e) => e.selectFrom('settings').select('overrides').as('settings'))
      .where('c.access_key_id', '=', accessKeyId),
)

/** The credentials with this id; undefined if there are none. */
export const findSession = kept((db, accessKeyId) => sessionRows(db, { accessKeyId }).then(atLeastOne))

/** Locks live credentials that open another session, so that this one ends if they do. */
export const lockLive = (tx: Tx, id: string, now: Date) =>
  tx
    .selectFrom('temporary_credentials')
    .select(['expires_at'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .forUpdate()
    .executeTakeFirst()

/** Deletes what had expired at a time; returns how many. */
export const deleteExpired = async (tx: Tx, at: Date): Promise<number> =>
  (await tx.deleteFrom('temporary_credentials').where('expires_at', '<=', at.toISOString()).returning('id').execute())
    .length

/** A session with the names of its role and its user. */
export type ListedSession = Pick<
  CredentialRow,
  | ('id' | 'kind' | 'access_key_id' | 'session_name' | 'subject' | 'source_identity' | 'issuer_key' | 'user_id')
  | ('ip' | 'created_at' | 'expires_at')
> & { role_name: string | null; email: string | null }

/** Live sessions before an id, newest first. */
export function listSessions(
  db: Db,
  { now, before, limit }: { now: Date; before: string | undefined; limit: number },
): Promise<ListedSession[]> {
  const query = db
    .selectFrom('temporary_credentials as c')
    .leftJoin('roles as o', 'o.id', 'c.role_id')
    .leftJoin('users as u', 'u.id', 'c.user_id')
    .select(['c.id', 'c.kind', 'c.access_key_id', 'c.session_name', 'c.subject', 'c.source_identity', 'c.issuer_key'])
    .select(['c.user_id', 'c.ip', 'c.created_at', 'c.expires_at', 'o.name as role_name', 'u.email'])
    .where('c.revoked_at', 'is', null)
    .where('c.expires_at', '>', now.toISOString())
  return (before === undefined ? query : query.where('c.id', '<', before))
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute()
}
