import type { AgentApproval, AgentBudget } from '../../contract/agents.ts'

/** An agent that acts, and what counts for all that it does. */
export interface ActingAgent {
  id: string
  name: string
  budget: AgentBudget
  approval: AgentApproval
}
