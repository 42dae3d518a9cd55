import type { AgentApproval } from '../../../contract/agents.ts'
import type { Upkeep } from '../../context.ts'
import type { ActingAgent } from '../../iam/acting-agent.ts'
import { invalidToken } from '../sessions/jwt.ts'
import { actingAgent } from '../sessions/service.ts'
import { findLiveAgent } from '../sessions/store.ts'
import { lockUse, type UseRow } from './store.ts'

/** What visitors of an agent's link need. */
export const NO_APPROVAL: AgentApproval = { actions: [], above_objects: null, above_bytes: null }

/** An agent as it is now, with what it has used. */
export interface HeldAgent {
  agent: ActingAgent
  use: UseRow
}

/**
 * Step: the agent as it is at this moment, and not as it was when the request came, until the transaction ends: whoever changes
 * or revokes it waits. Throws `unauthenticated` where it is no longer valid.
 */
export async function holdAgent(
  { tx, now }: Pick<Upkeep, 'tx' | 'now'>,
  { id, ofLink }: Pick<ActingAgent, 'id' | 'ofLink'>,
): Promise<HeldAgent> {
  const use = await lockUse(tx, id)
  const row = use && (await findLiveAgent(tx, id, now()))
  if (!row) throw invalidToken('The agent is no longer valid.')
  const agent = actingAgent(row)
  return { use, agent: ofLink ? { ...agent, approval: NO_APPROVAL, ofLink } : agent }
}

/** Step: has nothing be counted for an agent until the transaction ends. */
export const holdUses = async ({ tx }: Pick<Upkeep, 'tx'>, id: string): Promise<void> => void (await lockUse(tx, id))
