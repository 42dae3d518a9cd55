// Who asks, as far as it decides what they may do, and the policies that they are judged by.
import type { GrantingGroup, ScopeEntry } from '../../contract/permissions.ts'
import type { Known } from './conditions.ts'
import type { Policy, Statement } from './document.ts'
import type { Verdict } from './evaluate.ts'
import type { ActionNames } from './names-of-rights.ts'
import type { Principal } from './principal.ts'

/** The policies that a caller's requests are judged by, and what conditions can ask of a request. */
export interface PoliciesInForce {
  principal: Principal
  /** The policy of the bucket of this name. */
  ofBucket(bucket: string): Policy | undefined
  /** Of the user, their groups or their role. */
  ofCaller: readonly Policy[]
  /** Of the session: nothing that it does not allow is allowed. */
  ofSession?: Policy
  /** What a request says of a key, but for what depends on the object that is asked for. */
  known(key: string): Known
  /** What the request asks for with each right. */
  names: ActionNames
  /** The buckets in which counts what policies allow everyone. */
  open?: ReadonlySet<string>
  /** Told of statements that may apply or not, for all that is known; they are left out then. */
  perhaps?(found: StatementOf): void
  /** The latest verdict that nothing can change any more: one request asks the same several times. */
  latest?: { verdict?: Latest }
}
/** What was asked, and what policies said. */
export interface Latest {
  action: string
  bucket: string
  key: string
  open: ReadonlySet<string> | undefined
  wayBack: boolean
  verdict: Verdict
}

/** Who asks, as far as it decides what they may do. */
export interface Asker {
  groups: readonly GrantingGroup[]
  scope?: readonly ScopeEntry[]
  /** Missing where no policy is in force. */
  policies?: PoliciesInForce
}

/** A statement of a policy, and whose policy it is. */
export interface StatementOf {
  of: 'bucket' | 'caller' | 'session'
  statement: Statement
}
