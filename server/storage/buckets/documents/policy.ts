// What a request is about, as far as grants to everyone tell it apart.
import { type PublicAction, publicActions } from '../../../../contract/public-access.ts'

/** Contents as they are, or versions: each is another action. */
export type PolicySubject = 'current' | 'versions'
export interface PolicyAction {
  action: PublicAction
  about: PolicySubject
}

/** The actions of `grants` that apply to all that a request is about. */
export const actionsForAll = (actions: readonly PolicyAction[], about: readonly PolicySubject[]): PublicAction[] =>
  publicActions.filter((action) =>
    about.every((one) => actions.some((allowed) => allowed.action === action && allowed.about === one)),
  )
