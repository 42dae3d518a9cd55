import type { Known } from './conditions.ts'
import type { ActionNames } from './names-of-rights.ts'

/** What a request asks for with each right, and what conditions of policies can know of it. */
export interface RequestFacts {
  names: ActionNames
  /** In the form of `keyOf`. */
  known(key: string): Known
}
