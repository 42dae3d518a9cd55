import type { AgentApproval, AgentBudget } from '../../contract/agents.ts'

/** An agent that acts, and what counts for all that it does. */
export interface ActingAgent {
  id: string
  name: string
  budget: AgentBudget
  approval: AgentApproval
  /** That a visitor of its link acts, which a user has approved where that was needed: `approval` names nothing. */
  ofLink?: true
}
