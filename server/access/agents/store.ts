import { type Compilable, sql } from 'kysely'
import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'
import { atLeastOne, GRANT_COLUMNS, USER_COLUMNS, type UserRow } from '../sessions/store.ts'

export type AgentRow = Row<'agents'>
type UseRow = Row<'agent_uses'>

export const insertAgent = (tx: Tx, row: NewRow<'agents'>) => tx.insertInto('agents').values(row).execute()

export const insertUse = (tx: Tx, row: NewRow<'agent_uses'>) => tx.insertInto('agent_uses').values(row).execute()

export const updateAgent = (tx: Tx, id: string, change: RowChange<'agents'>) =>
  tx.updateTable('agents').set(change).where('id', '=', id).execute()

export const lockAgent = (tx: Tx, id: string): Promise<AgentRow | undefined> =>
  tx.selectFrom('agents').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const lockAll = (tx: Tx): Promise<AgentRow[]> =>
  tx.selectFrom('agents').selectAll().orderBy('id').forUpdate().execute()

/** An agent with who made it, what it has used and what waits. */
export type ListedAgent = AgentRow &
  Omit<UseRow, 'agent_id'> & {
    email: string
    waiting: number
    /** Of the client that it was made for. */
    client_name: string | null
    redirect_uri: string | null
  }

const listed = (db: Db, now: Date) =>
  db
    .selectFrom('agents as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .innerJoin('agent_uses as s', 's.agent_id', 'a.id')
    .leftJoin('oauth_grants as g', 'g.agent_id', 'a.id')
    .selectAll('a')
    .select(['u.email', 's.hour_from', 's.this_hour', 's.in_all', 'g.client_name', 'g.redirect_uri'])
    .select((e) =>
      e
        .selectFrom('agent_approvals as p')
        .select(sql<number>`count(*)`.as('waiting'))
        .whereRef('p.agent_id', '=', 'a.id')
        .where('p.status', '=', 'waiting')
        .where('p.expires_at', '>', now.toISOString())
        .$asScalar()
        .$notNull()
        .as('waiting'),
    )

export const findListed = (db: Db, id: string, now: Date): Promise<ListedAgent | undefined> =>
  listed(db, now).where('a.id', '=', id).executeTakeFirst()

/** Agents before an id, latest first; of one maker, or of all. */
export function listAgents(
  db: Db,
  { userId, now, before, limit }: { userId: string | null; now: Date; before: string | undefined; limit: number },
): Promise<ListedAgent[]> {
  let query = listed(db, now)
  if (userId !== null) query = query.where('a.user_id', '=', userId)
  if (before !== undefined) query = query.where('a.id', '<', before)
  return query.orderBy('a.id', 'desc').limit(limit).execute()
}

/** An agent with its maker: one row per grant of each of the maker's groups, at least one row. */
export interface CredentialRow extends UserRow, Pick<AgentRow, 'scope' | 'budget' | 'approval' | 'secret'> {
  token_id: string
  name: string
  access_key_id: string
  expires_at: string | null
  revoked_at: string | null
  /** The stored settings; null where there are none. */
  settings: string | null
}

const rowsBy = (column: 'a.token_hash' | 'a.access_key_id') =>
  prepared(
    (db: Db, { value }: { value: string }): Compilable<CredentialRow> =>
      db
        .selectFrom('agents as a')
        .innerJoin('users as u', 'u.id', 'a.user_id')
        .leftJoin('group_members as m', 'm.user_id', 'u.id')
        .leftJoin('groups as g', 'g.id', 'm.group_id')
        .leftJoin('grants as r', 'r.group_id', 'g.id')
        .select(['a.id as token_id', 'a.name', 'a.access_key_id', 'a.secret', 'a.scope', 'a.budget', 'a.approval'])
        .select(['a.expires_at', 'a.revoked_at'])
        .select(USER_COLUMNS)
        .select((e) => e.selectFrom('instance').select('policies').$asScalar().$notNull().as('policies'))
        .select(GRANT_COLUMNS)
        .select((e) => e.selectFrom('settings').select('overrides').as('settings'))
        .where(column, '=', value),
  )
const byToken = rowsBy('a.token_hash')
const byKey = rowsBy('a.access_key_id')

/** The agent whose token has this hash, with its maker; undefined if there is none. */
export const findByToken = kept((db, hash) => byToken(db, { value: hash }).then(atLeastOne))
/** The agent whose key pair has this id. */
export const findByKey = kept((db, accessKeyId) => byKey(db, { value: accessKeyId }).then(atLeastOne))
