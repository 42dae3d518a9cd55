import type { Compilable } from 'kysely'
import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'
import { atLeastOne, GRANT_COLUMNS, USER_COLUMNS, type UserRow } from '../sessions/store.ts'

export type TokenRow = Row<'tokens'>

export const insertToken = (tx: Tx, row: NewRow<'tokens'>) => tx.insertInto('tokens').values(row).execute()

export const replaceValue = (
  tx: Tx,
  id: string,
  value: Pick<TokenRow, 'token_hash' | 'token_prefix' | 'previous_hash' | 'previous_until'>,
) => tx.updateTable('tokens').set(value).where('id', '=', id).execute()

/** A token with its owner: one row per grant of each of the owner's groups, at least one row. */
export interface CredentialRow extends UserRow {
  token_id: string
  token_name: string
  token_prefix: string
  previous_hash: string | null
  previous_until: string | null
  expires_at: string | null
  revoked_at: string | null
  scope: string | null
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
      .select(['t.expires_at', 't.revoked_at', 't.scope'])
      .select(USER_COLUMNS)
      .select((e) => e.selectFrom('instance').select('policies').$asScalar().$notNull().as('policies'))
      .select(GRANT_COLUMNS)
      .where((e) => e.or([e('t.token_hash', '=', hash), e('t.previous_hash', '=', hash)])),
)

/** The token whose current or previous value has this hash, with its owner; undefined if there is none. */
export const findCredential = kept((db, hash) => credentialRows(db, { hash }).then(atLeastOne))
