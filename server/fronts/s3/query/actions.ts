import type { QueryAction } from './action.ts'
import { iamActions } from './iam/actions.ts'
import { roleActions } from './roles/actions.ts'
import { providerActions } from './roles/provider-actions.ts'
import { stsActions } from './sts/actions.ts'

/** Every action that is supported, of all APIs. Each API has a list of its own. */
export const queryActions: readonly QueryAction[] = [...iamActions, ...roleActions, ...providerActions, ...stsActions]

const byName = new Map(queryActions.map((action) => [action.name, action]))

/** The action of a name; undefined where there is none. */
export const findAction = (name: string): QueryAction | undefined => byName.get(name)
