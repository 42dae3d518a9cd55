/**
 * What somebody may do at a place, before they ask: by the decision itself, of which what a request would say of itself, such as
 * from where it comes, is left open.
 */
import { type BucketAction, bucketActions } from '../../contract/names.ts'
import { type GrantingGroup, grantReaches, type Reason } from '../../contract/permissions.ts'
import type { Asker, PoliciesInForce, StatementOf } from './asker.ts'
import { canBeKnown, isOfService } from './condition-keys.ts'
import type { Known } from './conditions.ts'
import { arnOf, isAboutObjects, rule, type TaggedKey } from './decide.ts'
import type { Policy } from './document.ts'
import { namedBy } from './evaluate.ts'
import { ACTION_OF, type Asked, DELETE_VERSION, managing, READ_VERSION } from './names-of-rights.ts'

/** A place in a bucket: one key, or (`below`) all that begin with it. */
export interface Place {
  bucket: string
  key: string
  below: boolean
  /** Of the object with the key; undefined where they are not known. */
  tags?: TaggedKey['tags']
}

/** `conditional`: of everything there, if a request is as a policy says; `in_part`: of some of it. */
export type Effect = 'allowed' | 'conditional' | 'in_part' | 'denied'

/** What somebody may do, or could but for a Deny. */
export interface Outlook {
  effect: Effect
  /** What allows it. */
  by: readonly (Reason | StatementOf)[]
  /** What denies it, or may. */
  unless: readonly StatementOf[]
}

/** What can be asked for at a place; of the bucket itself, to change its policy as well. */
export const askedAt = ({ key, below }: Place): Asked[] => [
  ...bucketActions.map((right: BucketAction) => ({ right, action: ACTION_OF[right] })),
  READ_VERSION,
  DELETE_VERSION,
  ...(below && key === '' ? [managing('PutBucketPolicy')] : []),
]

/** Keys of conditions that say who asks, or when, and not how. */
const OF_USERS = new Set([
  'aws:username',
  'aws:userid',
  'aws:principalarn',
  'aws:principalaccount',
  'aws:principaltype',
  'aws:principalisawsservice',
  'aws:viaawsservice',
  'aws:currenttime',
  'aws:epochtime',
  'aws:resourceaccount',
  's3:resourceaccount',
])
/** Which of them are of nobody in particular, such as anyone, as well. */
const OF_ALL = new Set([...OF_USERS].filter((key) => !/:(username|userid|principal(arn|type))$/.test(key)))
/** The same of roles, whose sessions have ids of their own. */
const OF_ROLES = new Set([...OF_USERS].filter((key) => key !== 'aws:userid'))
/** What only sessions of roles have: tags, and claims of tokens. */
const isOfSessions = (key: string): boolean => key.startsWith('aws:principaltag/') || !isOfService(key)

/** Of whom something is asked. */
export type Whom = 'user' | 'role' | 'everyone'

/** The same policies, of which what requests say is not known yet. */
export function leftOpen(policies: PoliciesInForce, whom: Whom): PoliciesInForce {
  const fixed = whom === 'user' ? OF_USERS : whom === 'role' ? OF_ROLES : OF_ALL
  const known = (key: string): Known => {
    if (fixed.has(key)) return policies.known(key)
    // What is listed is the place, unless that is left open too.
    if (key === 's3:prefix' || !canBeKnown(key) || (whom === 'user' && isOfSessions(key))) return undefined
    return 'later'
  }
  const { principal, ofBucket, ofCaller, open } = policies
  return { principal, ofBucket, ofCaller, known, names: {}, ...(open && { open }) }
}

/** What somebody may do at a place; undefined where nothing allows it. Their policies are those of `leftOpen`. */
export function outlookOf(asker: Asker, asked: Asked, place: Place): Outlook | undefined {
  const found = at(asker, asked, place)
  // A list is of all that begins with what it asks for: other folders can be asked for where it is not allowed here.
  if (asked.right !== 'list' || !place.below || (found && found.effect !== 'denied' && found.effect !== 'in_part'))
    return found
  const deeper = asker.policies && at(withPrefixOpen(asker, asker.policies), asked, place)
  return deeper && deeper.effect !== 'denied' ? { ...deeper, effect: 'in_part' } : found
}

const withPrefixOpen = (asker: Asker, policies: PoliciesInForce): Asker => ({
  ...asker,
  policies: { ...policies, known: (key) => (key === 's3:prefix' ? 'later' : policies.known(key)) },
})

function at(asker: Asker, asked: Asked, place: Place): Outlook | undefined {
  const { bucket, key, below, tags } = place
  const open: StatementOf[] = []
  const { policies } = asker
  const asking = policies
    ? { ...asker, policies: { ...policies, perhaps: (one: StatementOf) => void open.push(one) } }
    : asker
  const ruling = rule(asking, asked, bucket, { key, below, tags })
  const may = open.filter(({ statement }) => statement.effect === 'Allow')
  const unless = open.filter(({ statement }) => statement.effect === 'Deny')
  const isPart = (one: StatementOf) => policies !== undefined && isAboutPart(one, asked, place, policies)
  if (ruling.allowed) {
    const effect = unless.length === 0 ? 'allowed' : unless.some(isPart) ? 'in_part' : 'conditional'
    return { effect, by: [ruling.via], unless }
  }
  if (ruling.denied) {
    const otherwise = policies && outlookOf({ ...asker, policies: withoutDenials(policies) }, asked, place)
    return otherwise && { effect: 'denied', by: otherwise.by, unless: [ruling.denied] }
  }
  const inPart = place.below ? grantsWithin(asker.groups, asked.right, place) : []
  if (may.length === 0 && inPart.length === 0) return undefined
  const isWhole = may.some((one) => !isPart(one)) && !unless.some(isPart)
  return { effect: isWhole ? 'conditional' : 'in_part', by: [...inPart, ...may], unless }
}

/** Whether a statement is about some of the keys at a place, and not about all. */
function isAboutPart({ statement }: StatementOf, { action }: Asked, place: Place, { known }: PoliciesInForce): boolean {
  if (action === null || !place.below || !isAboutObjects(action)) return false
  const question = { resource: arnOf(place.bucket, place.key, action), below: true }
  const valuesOf = (key: string) => {
    const values = known(key)
    return values === 'later' ? undefined : values
  }
  return namedBy(statement.resources, question, valuesOf) === 'some'
}

const grantsWithin = (groups: readonly GrantingGroup[], right: BucketAction, { bucket, key }: Place): Reason[] =>
  groups.flatMap(({ id, name, grants }) =>
    grants
      .filter((one) => one.actions.includes(right) && one.prefix.startsWith(key) && grantReaches(one, bucket))
      .map((one) => ({ group_id: id, group: name, grant_id: one.id })),
  )

const allowing = new WeakMap<Policy, Policy>()
/** What a policy allows, whatever it denies. */
function withoutDenial(policy: Policy): Policy {
  const known = allowing.get(policy)
  if (known) return known
  const found = { ...policy, statements: policy.statements.filter(({ effect }) => effect === 'Allow') }
  allowing.set(policy, found)
  return found
}
const withoutDenials = (policies: PoliciesInForce): PoliciesInForce => ({
  ...policies,
  ofBucket(bucket) {
    const policy = policies.ofBucket(bucket)
    return policy && withoutDenial(policy)
  },
  ofCaller: policies.ofCaller.map(withoutDenial),
})
