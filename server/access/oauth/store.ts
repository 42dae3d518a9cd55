import { sql } from 'kysely'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type ClientRow = Row<'oauth_clients'>
export type GrantRow = Row<'oauth_grants'>

export const insertClient = (tx: Tx, row: NewRow<'oauth_clients'>) =>
  tx.insertInto('oauth_clients').values(row).execute()

/** A registration that can still be used. */
export const findClient = (db: Db, id: string, now: Date): Promise<ClientRow | undefined> =>
  db
    .selectFrom('oauth_clients')
    .selectAll()
    .where('id', '=', id)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now.toISOString())]))
    .executeTakeFirst()

/** Registrations that no user has made an agent for: all but the latest `most` go. */
export const dropOldest = (tx: Tx, most: number) =>
  tx
    .deleteFrom('oauth_clients')
    .where('expires_at', 'is not', null)
    .where('id', 'not in', (e) =>
      e
        .selectFrom('oauth_clients')
        .select('id')
        .where('expires_at', 'is not', null)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(most),
    )
    .execute()

/** A registration stays while an agent made for it is valid. */
export const keepClient = (tx: Tx, id: string) =>
  tx.updateTable('oauth_clients').set({ expires_at: null }).where('id', '=', id).execute()

/** Deletes registrations that are over, and those whose agents are all over. */
export async function deleteOverClients(tx: Tx, now: Date): Promise<void> {
  await tx.deleteFrom('oauth_clients').where('expires_at', '<=', now.toISOString()).execute()
  await tx
    .deleteFrom('oauth_clients')
    .where('expires_at', 'is', null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('oauth_grants as g')
            .innerJoin('agents as a', 'a.id', 'g.agent_id')
            .select(sql`1`.as('one'))
            .whereRef('g.client_id', '=', 'oauth_clients.id')
            .where('a.revoked_at', 'is', null)
            .where((of) => of.or([of('a.expires_at', 'is', null), of('a.expires_at', '>', now.toISOString())])),
        ),
      ),
    )
    .execute()
}

export const insertGrant = (tx: Tx, row: NewRow<'oauth_grants'>) => tx.insertInto('oauth_grants').values(row).execute()

export const updateGrant = (tx: Tx, agentId: string, change: RowChange<'oauth_grants'>) =>
  tx.updateTable('oauth_grants').set(change).where('agent_id', '=', agentId).execute()

export const lockByCode = (tx: Tx, codeHash: string): Promise<GrantRow | undefined> =>
  tx.selectFrom('oauth_grants').selectAll().where('code_hash', '=', codeHash).forUpdate().executeTakeFirst()

export const lockByAgent = (tx: Tx, agentId: string): Promise<GrantRow | undefined> =>
  tx.selectFrom('oauth_grants').selectAll().where('agent_id', '=', agentId).forUpdate().executeTakeFirst()

export const lockByAccess = (tx: Tx, accessHash: string): Promise<GrantRow | undefined> =>
  tx.selectFrom('oauth_grants').selectAll().where('access_hash', '=', accessHash).forUpdate().executeTakeFirst()

/** Agents whose code nobody exchanged in time. */
export const agentsNotConnected = async (db: Db, since: Date, most: number): Promise<string[]> =>
  (
    await db
      .selectFrom('oauth_grants as g')
      .innerJoin('agents as a', 'a.id', 'g.agent_id')
      .select('g.agent_id')
      .where('g.code_used_at', 'is', null)
      .where('g.code_expires_at', '<', since.toISOString())
      .where('a.revoked_at', 'is', null)
      .limit(most)
      .execute()
  ).map(({ agent_id }) => agent_id)

/** The hash of the token of the agent that an access token is of, while that is valid. */
export const findTokenHash = async (db: Db, accessHash: string, now: Date): Promise<string | undefined> =>
  (
    await db
      .selectFrom('oauth_grants as g')
      .innerJoin('agents as a', 'a.id', 'g.agent_id')
      .select('a.token_hash')
      .where('g.access_hash', '=', accessHash)
      .where('g.access_expires_at', '>', now.toISOString())
      .executeTakeFirst()
  )?.token_hash
