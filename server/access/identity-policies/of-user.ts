// The policies that a user, a group or a role is judged by, compiled.
import { setWithin } from '../../base/bounded.ts'
import type { Db } from '../../db/schema.ts'
import { type Policy, readPolicy } from '../../iam/document.ts'
import { MalformedPolicy } from '../../iam/malformed.ts'
import { findBuiltIn } from './built-in.ts'
import * as store from './store.ts'

/** What cannot be read must not open what it closed. */
const CLOSED = readPolicy(
  JSON.stringify({ Statement: { Sid: 'Unreadable', Effect: 'Deny', Action: '*', Resource: '*' } }),
  { of: 'identity' },
)

/** The latest texts, compiled: many users have the same. */
const compiled = new Map<string, Policy>()
const MOST_TEXTS = 1000

/** A kept policy of a user, group, role or session, compiled once for each text. */
export function compiledPolicy(text: string): Policy {
  const known = compiled.get(text)
  if (known) return known
  let policy: Policy
  try {
    policy = readPolicy(text, { of: 'identity' }, true)
  } catch (error) {
    if (!(error instanceof MalformedPolicy)) throw error
    policy = CLOSED
  }
  setWithin(compiled, text, policy, MOST_TEXTS)
  return policy
}

/** The text of a policy that is in force; undefined for one that there is none of. */
const textOf = ({ policy, document }: store.InForce): string | undefined =>
  document ?? findBuiltIn(policy?.slice(store.BUILT_IN.length) ?? '')?.document

/** The policies of a user, and of the groups that they are in. */
export const policiesOfUser = async (db: Db, userId: string): Promise<readonly Policy[]> =>
  (await store.findOfUser(db, { userId })).map(inForce)

/** The policies of a role. */
export const policiesOfRole = async (db: Db, roleId: string): Promise<readonly Policy[]> =>
  (await store.findOfRole(db, { id: roleId })).map(inForce)

/** The policies of a group. */
export const policiesOfGroup = async (db: Db, groupId: string): Promise<readonly Policy[]> =>
  (await store.findOfGroup(db, { id: groupId })).map(inForce)

/** The policy that limits an access key, if it has one. */
export const policiesOfKey = async (db: Db, keyId: string): Promise<readonly Policy[]> =>
  (await store.findOfKey(db, { id: keyId })).map(inForce)

/** A policy that is in force for somebody, compiled. */
export function inForce(row: store.InForce): Policy {
  const text = textOf(row)
  return text === undefined ? CLOSED : compiledPolicy(text)
}
