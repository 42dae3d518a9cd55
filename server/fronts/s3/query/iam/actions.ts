import type { QueryAction } from '../action.ts'
import { accessKeyActions } from './access-keys.ts'
import { accountActions } from './account.ts'
import { groupActions } from './groups.ts'
import { managedPolicyActions } from './managed-policies.ts'
import { neverActions } from './never.ts'
import { actionsOnPoliciesOf } from './owned-policies.ts'
import { simulationActions } from './simulate.ts'
import { OWNERS } from './subjects.ts'
import { userActions } from './users.ts'

/** The actions of IAM that are supported. */
export const iamActions: readonly QueryAction[] = [
  ...userActions,
  ...accessKeyActions,
  ...groupActions,
  ...OWNERS.flatMap(actionsOnPoliciesOf),
  ...managedPolicyActions,
  ...accountActions,
  ...neverActions,
  ...simulationActions,
]
