import type { Row, RowChange, Tx } from '../../db/schema.ts'

export type UseRow = Row<'agent_uses'>

/** Locks what an agent has used, so that all that it does at once is counted one after the other. */
export const lockUse = (tx: Tx, agentId: string): Promise<UseRow | undefined> =>
  tx.selectFrom('agent_uses').selectAll().where('agent_id', '=', agentId).forUpdate().executeTakeFirst()

export const updateUse = (tx: Tx, agentId: string, change: RowChange<'agent_uses'>) =>
  tx.updateTable('agent_uses').set(change).where('agent_id', '=', agentId).execute()
