import type { Compilable } from 'kysely'
import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'
import { atLeastOne, GRANT_COLUMNS, USER_COLUMNS, type UserRow } from '../sessions/store.ts'

export type AccessKeyRow = Row<'access_keys'>

/** False if the id is taken. */
export const insertAccessKey = async (tx: Tx, row: NewRow<'access_keys'>): Promise<boolean> =>
  (
    await tx
      .insertInto('access_keys')
      .values(row)
      .onConflict((conflict) => conflict.column('access_key_id').doNothing())
      .returning('id')
      .execute()
  ).length > 0

export const updateAccessKey = (tx: Tx, id: string, change: RowChange<'access_keys'>) =>
  tx.updateTable('access_keys').set(change).where('id', '=', id).execute()

export const lockAll = (tx: Tx): Promise<AccessKeyRow[]> =>
  tx.selectFrom('access_keys').selectAll().orderBy('id').forUpdate().execute()

/** An access key with its owner: one row per grant of each of the owner's groups, at least one row. */
export interface KeyRow extends UserRow {
  token_id: string
  secret: string
  previous_secret: string | null
  previous_until: string | null
  scope: string | null
  expires_at: string | null
  revoked_at: string | null
  deactivated_at: string | null
  /** The stored settings; null where there are none. */
  settings: string | null
}

const keyRows = prepared(
  (db: Db, { accessKeyId }: { accessKeyId: string }): Compilable<KeyRow> =>
    db
      .selectFrom('access_keys as k')
      .innerJoin('users as u', 'u.id', 'k.user_id')
      .leftJoin('group_members as m', 'm.user_id', 'u.id')
      .leftJoin('groups as g', 'g.id', 'm.group_id')
      .leftJoin('grants as r', 'r.group_id', 'g.id')
      .select(['k.id as token_id', 'k.secret', 'k.previous_secret', 'k.previous_until'])
      .select(['k.scope', 'k.expires_at', 'k.revoked_at', 'k.deactivated_at'])
      .select(USER_COLUMNS)
      .select((e) => e.selectFrom('instance').select('policies').$asScalar().$notNull().as('policies'))
      .select(GRANT_COLUMNS)
      .select((e) => e.selectFrom('settings').select('overrides').as('settings'))
      .where('k.access_key_id', '=', accessKeyId),
)

/** Keys with the addresses and paths of their owners. */
const named = (db: Db) =>
  db
    .selectFrom('access_keys')
    .innerJoin('users', 'users.id', 'access_keys.user_id')
    .selectAll('access_keys')
    .select(['users.email', 'users.path'])
export type NamedKey = AccessKeyRow & { email: string; path: string }

/** The key with this id. */
export const findNamedKey = (db: Db, accessKeyId: string): Promise<NamedKey | undefined> =>
  named(db).where('access_key_id', '=', accessKeyId).executeTakeFirst()

/** Keys of all users after an id that are not revoked, in the order of their ids. */
export const listNamedKeys = (db: Db, after: string, limit: number): Promise<NamedKey[]> =>
  named(db)
    .where('access_keys.id', '>', after)
    .where('revoked_at', 'is', null)
    .orderBy('access_keys.id')
    .limit(limit)
    .execute()

/** A user's keys that are not revoked, after an id, in the order of their ids. */
export const findLiveKeys = (
  db: Db,
  userId: string,
  { after, limit }: { after: string; limit: number },
): Promise<AccessKeyRow[]> =>
  db
    .selectFrom('access_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()

/** A user's key with this id, locked, if it is not revoked. */
export const lockKeyOf = (tx: Tx, userId: string, accessKeyId: string): Promise<AccessKeyRow | undefined> =>
  tx
    .selectFrom('access_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('access_key_id', '=', accessKeyId)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

/** The key with this id and its owner; undefined if there is none. */
export const findKey = kept((db, accessKeyId) => keyRows(db, { accessKeyId }).then(atLeastOne))
