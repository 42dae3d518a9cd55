import { DAY_MS } from '../../base/time.ts'
import type { NewRow, Row, Tx } from '../../db/schema.ts'

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
