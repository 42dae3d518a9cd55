import { DAY_MS } from '../../base/time.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

export const insertIdpLogin = (tx: Tx, row: NewRow<'idp_logins'>) => tx.insertInto('idp_logins').values(row).execute()

/** Removes and returns a login in progress, so that its state works only once. */
export const takeIdpLogin = (tx: Tx, stateHash: string): Promise<Row<'idp_logins'> | undefined> =>
  tx.deleteFrom('idp_logins').where('state_hash', '=', stateHash).returningAll().executeTakeFirst()

export const insertHandoff = (tx: Tx, row: NewRow<'handoffs'>) => tx.insertInto('handoffs').values(row).execute()

export const takeHandoff = (tx: Tx, codeHash: string): Promise<Row<'handoffs'> | undefined> =>
  tx.deleteFrom('handoffs').where('code_hash', '=', codeHash).returningAll().executeTakeFirst()

/** Deletes logins that can no longer be finished, and counters whose windows are long over. */
export async function deleteExpired(tx: Tx, now: Date): Promise<void> {
  const dayAgo = new Date(now.getTime() - DAY_MS).toISOString()
  await tx.deleteFrom('idp_logins').where('expires_at', '<', now.toISOString()).execute()
  await tx.deleteFrom('login_throttle').where('window_started_at', '<', dayAgo).execute()
}

// ---- Forgotten passwords ---------------------------------------------------------------------------------------

export const insertResetRequest = (tx: Tx, row: NewRow<'password_reset_requests'>) =>
  tx.insertInto('password_reset_requests').values(row).execute()

/** The request that has waited for longest. */
export const findResetRequest = (db: Db): Promise<Row<'password_reset_requests'> | undefined> =>
  db.selectFrom('password_reset_requests').selectAll().orderBy('id').limit(1).executeTakeFirst()

/** Takes a request; false if another process has. */
export const takeResetRequest = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.deleteFrom('password_reset_requests').where('id', '=', id).returning('id').execute()).length > 0

export const insertReset = (tx: Tx, row: NewRow<'password_resets'>) =>
  tx.insertInto('password_resets').values(row).execute()

/** The user of a link's token as they were when it was sent: another address, password or login ends it. */
export const findOpenReset = (db: Db, hash: string, now: Date) =>
  db
    .selectFrom('password_resets as r')
    .innerJoin('users as u', (join) =>
      join
        .onRef('u.id', '=', 'r.user_id')
        .onRef('u.email_key', '=', 'r.email_key')
        .onRef('u.token_version', '=', 'r.token_version'),
    )
    .selectAll('u')
    .select('r.expires_at')
    .where('r.token_hash', '=', hash)
    .where('r.expires_at', '>', now.toISOString())
    .where('u.disabled_at', 'is', null)
    .where('u.password_hash', 'is not', null)
    .executeTakeFirst()

export const deleteResetsOf = (tx: Tx, userId: string) =>
  tx.deleteFrom('password_resets').where('user_id', '=', userId).execute()

export const deleteExpiredResets = (tx: Tx, now: Date) =>
  tx.deleteFrom('password_resets').where('expires_at', '<=', now.toISOString()).execute()
