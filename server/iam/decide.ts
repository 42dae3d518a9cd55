/**
 * The one decision about who may do what: an explicit Deny of any policy, else what a grant, a policy of the caller's or
 * the bucket's policy allows, within the scope of the credential and the policy of the session
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html). Where no policy is in force,
 * grants alone decide, as `decide` in contract/permissions.ts says.
 */
import type { BucketAction } from '../../contract/names.ts'
import { bucketActions } from '../../contract/names.ts'
import { matchesPattern } from '../../contract/patterns.ts'
import {
  actionsOn,
  afterPrefix,
  allowedRanges,
  compareKeys,
  decide,
  isAdmin,
  type KeyRange,
  type Reason,
} from '../../contract/permissions.ts'
import { knownActions } from './actions.ts'
import type { Asker, Latest, PoliciesInForce, StatementOf } from './asker.ts'
import { canHave } from './condition-keys.ts'
import type { Known } from './conditions.ts'
import type { Statement } from './document.ts'
import { evaluate, limitOfSession, type SessionLimit, type Verdict } from './evaluate.ts'
import { ACTION_OF, type Asked } from './names-of-rights.ts'
import { matches, patternOf } from './patterns.ts'
import { isAbout } from './principal.ts'
import { isPublicStatement } from './public.ts'

/** What decided. */
export type Ruling =
  | { allowed: true; via: Reason | StatementOf }
  | {
      allowed: false
      denied?: StatementOf
      /** It may be allowed once the tags of the object are known. */
      depends?: boolean
      /** The policy of the session does not allow it. */
      outside?: true
    }

/** A key, with the tags of its object: null where it has none, undefined while they are not known. */
export interface TaggedKey {
  key: string
  /** Whether it stands for all keys that begin with it. */
  below?: boolean
  tags: { readonly [name: string]: string } | null | undefined
}

const TAG = 's3:existingobjecttag/'
/** The actions for which a request has the tags of the object; for others the key is absent. */
const WITH_TAGS =
  /^s3:((Get|Put)Object(Version)?(Acl|Tagging)|DeleteObject(Version)?Tagging|GetObject(Version)?(Attributes)?)$/
/** Administrators may always see, replace and delete a bucket's policy: their way back. */
const WAY_BACK = new Set(['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:DeleteBucketPolicy'])

/** What is asked for: what the request says of the right comes first. */
const askedOf = ({ policies }: Asker, asking: BucketAction | Asked): Asked => {
  const asked = typeof asking === 'string' ? { right: asking, action: ACTION_OF[asking] } : asking
  const named = policies?.names[asked.right]
  return named === undefined || asked.exactly ? asked : { ...asked, action: named }
}

/** Whether an action is about objects, and not about a bucket. */
export const isAboutObjects = (action: string): boolean => knownActions.get(action) === 'object'
/** What an action is asked for on. */
export const arnOf = (bucket: string, key: string, action: string): string =>
  isAboutObjects(action) ? `arn:aws:s3:::${bucket}/${key}` : `arn:aws:s3:::${bucket}`

/** The policies that say something of a bucket to this caller. */
function inForce({ policies }: Asker, bucket: string) {
  if (!policies) return undefined
  const ofBucket = policies.ofBucket(bucket)
  if (!ofBucket && policies.ofCaller.length === 0 && !policies.ofSession) return undefined
  return { policies, ofBucket, all: ofBucket ? [ofBucket, ...policies.ofCaller] : policies.ofCaller }
}

/** Whether the scope of the credential has this. */
const isInScope = ({ scope }: Asker, right: BucketAction, bucket: string, key: string): boolean =>
  scope === undefined ||
  scope.some(
    (entry) => entry.actions.includes(right) && key.startsWith(entry.prefix) && matchesPattern(entry.bucket, bucket),
  )

/** May the caller do this to a key of a bucket, and what decided that? Of the bucket itself, with the key ''. */
export function rule(asker: Asker, asking: BucketAction | Asked, bucket: string, on: string | TaggedKey): Ruling {
  const { key, tags, below = false } = typeof on === 'string' ? { key: on, tags: undefined } : on
  const { right, action } = askedOf(asker, asking)
  const granted = decide(asker.groups, right, bucket, key)
  // What AWS has no action for, no policy of a session allows.
  if (action === null) return asker.policies?.ofSession ? { allowed: false, outside: true } : granted
  const force = inForce(asker, bucket)
  if (!force) return granted
  const { policies, ofBucket, all } = force
  const isOpen = policies.open?.has(bucket) ?? false
  const known = (name: string): Known => {
    if (name.startsWith(TAG)) {
      if (!WITH_TAGS.test(action)) return undefined
      if (tags === undefined) return 'later'
      const value = tags?.[name.slice(TAG.length)]
      return value === undefined ? undefined : [value]
    }
    if (!canHave(action, name)) return undefined
    const given = policies.known(name)
    // Whether a key is there is told to whoever could list it.
    return name === 's3:prefix' && given === undefined && !policies.names.list ? [key] : given
  }
  const counts = (statement: Statement) => isOpen || !isPublicStatement(statement)
  const wayBack = WAY_BACK.has(action) && isAdmin(asker.groups)
  const of = (policy: number) => (ofBucket && policy === 0 && !wayBack ? 'bucket' : 'caller')
  const question = {
    principal: policies.principal,
    action,
    resource: arnOf(bucket, key, action),
    known,
    below: below && isAboutObjects(action),
    ...(policies.perhaps && {
      perhaps: (statement: Statement, policy: number) => policies.perhaps?.({ of: of(policy), statement }),
    }),
  }
  const asked = { action, bucket, key, open: policies.open, wayBack }
  const verdict = knownVerdict(policies, asked) ?? evaluate(wayBack ? policies.ofCaller : all, { ...question, counts })
  if (policies.latest && (verdict.effect === 'none' || verdict.sure) && !all.some(({ readsTags }) => readsTags))
    policies.latest.verdict = { ...asked, verdict }
  if (verdict.effect === 'deny')
    return verdict.sure
      ? { allowed: false, denied: { of: of(verdict.policy), statement: verdict.statement } }
      : { allowed: false, depends: true }
  const limit = policies.ofSession && limitOfSession(policies.ofSession, ofBucket, { ...question, counts })
  if (limit) return limited(limit, isInScope(asker, right, bucket, key))
  if (granted.allowed || verdict.effect === 'none') return granted
  if (!isInScope(asker, right, bucket, key)) return { allowed: false }
  return verdict.sure
    ? { allowed: true, via: { of: of(verdict.policy), statement: verdict.statement } }
    : { allowed: false, depends: true }
}

/** The ruling on what the policy of a session does not allow by itself. */
function limited(limit: SessionLimit, inScope: boolean): Ruling {
  if ('denied' in limit) return { allowed: false, denied: { of: 'session', statement: limit.denied } }
  if ('named' in limit && inScope) return { allowed: true, via: { of: 'bucket', statement: limit.named } }
  return 'depends' in limit ? { allowed: false, depends: true } : { allowed: false, outside: true }
}

function knownVerdict({ latest }: PoliciesInForce, asked: Omit<Latest, 'verdict'>): Verdict | undefined {
  const known = latest?.verdict
  return known?.key === asked.key &&
    known.action === asked.action &&
    known.bucket === asked.bucket &&
    known.open === asked.open &&
    known.wayBack === asked.wayBack
    ? known.verdict
    : undefined
}

/** Whether the caller may do this. */
export const permits = (asker: Asker, asked: BucketAction | Asked, bucket: string, on: string | TaggedKey): boolean =>
  rule(asker, asked, bucket, on).allowed

/** A range of keys; with `only`, the keys in it for which that is true. */
export interface Reach extends KeyRange {
  only?: (key: string) => boolean
}

/** What no pattern matches but one that matches whatever follows: a key with it stands for all keys. */
const WHATEVER = '\udc00'.repeat(8)

/** The statements that may decide about an action in a bucket, whatever it is asked for on. */
export function concerning(asker: Asker, { action }: Asked, bucket: string): Statement[] {
  const force = action === null ? undefined : inForce(asker, bucket)
  if (action === null || !force) return []
  const { policies, all } = force
  const isOpen = policies.open?.has(bucket) ?? false
  return all
    .flatMap(({ statements }) => statements)
    .filter(
      (one) =>
        one.actions.has(action) &&
        (!one.principal || isAbout(one.principal, policies.principal, one.effect)) &&
        (one.effect === 'Deny' || isOpen || !isPublicStatement(one)),
    )
}

/** Whether a Deny holds for whatever key starts with a prefix. */
const isDeniedBelow = (asker: Asker, asked: Asked, bucket: string, prefix: string): boolean =>
  'denied' in rule(asker, asked, bucket, { key: prefix + WHATEVER, tags: null })

/** The parts of `prefix` in a bucket where the caller may do this, as disjoint ranges in the order of keys. */
export function reachOf(asker: Asker, asking: BucketAction | Asked, bucket: string, prefix: string): Reach[] {
  const asked = askedOf(asker, asking)
  const granted = allowedRanges(asker.groups, asked.right, bucket, prefix)
  if (asked.action === null || !inForce(asker, bucket)) return granted
  if (!isAboutObjects(asked.action)) {
    const ruling = rule(asker, asked, bucket, prefix)
    if (!ruling.allowed) return 'denied' in ruling || ruling.depends ? [] : granted
    return 'of' in ruling.via ? [{ from: prefix, to: afterPrefix(prefix) }] : granted
  }
  const statements = concerning(asker, asked, bucket)
  if (statements.length === 0 && !asker.policies?.ofSession) return granted
  if (isDeniedBelow(asker, asked, bucket, prefix)) return []
  const mayAllow = statements.some(({ effect }) => effect === 'Allow')
  const ranges = mayAllow ? scopedRanges(asker, asked.right, bucket, prefix) : granted
  const only = (key: string) => permits(asker, asked, bucket, key)
  return ranges.map((range) => ({ ...range, only }))
}

/** All that the scope of the credential has below a prefix, which is more than is granted; without a scope all of it. */
function scopedRanges({ scope }: Asker, right: BucketAction, bucket: string, prefix: string): KeyRange[] {
  if (scope === undefined) return [{ from: prefix, to: afterPrefix(prefix) }]
  const grants = scope.map((one) => ({ id: '', bucket_pattern: one.bucket, prefix: one.prefix, actions: one.actions }))
  return allowedRanges([{ id: '', name: '', global: [], grants }], right, bucket, prefix)
}

/** Whether a key is in one of the ranges. */
export const isReached = (ranges: readonly Reach[], key: string): boolean =>
  ranges.some(
    ({ from, to, only }) =>
      compareKeys(key, from) >= 0 && (to === null || compareKeys(key, to) < 0) && (only === undefined || only(key)),
  )

/** Everything that the caller may do somewhere in a bucket; empty means that it is hidden from them. */
export function actionsIn(asker: Asker, bucket: string): BucketAction[] {
  if (!inForce(asker, bucket)) return actionsOn(asker.groups, bucket)
  return bucketActions.filter((right) => reachOf(asker, right, bucket, '').length > 0)
}

/** Whether a policy names the caller in an Allow, so that they may know of the bucket. */
export function isNamedIn(asker: Asker, bucket: string): boolean {
  const force = inForce(asker, bucket)
  if (!force) return false
  const { policies, all } = force
  const isOpen = policies.open?.has(bucket) ?? false
  return all.some(({ statements }) =>
    statements.some(
      (one) =>
        one.effect === 'Allow' &&
        (one.principal ? isAbout(one.principal, policies.principal, 'Allow') : canBeIn(one, policies, bucket)) &&
        (isOpen || !isPublicStatement(one)) &&
        (asker.scope?.some((entry) => matchesPattern(entry.bucket, bucket)) ?? true),
    ),
  )
}

const S3_ARN = 'arn:aws:s3:::'
/** Whether a statement of a caller's policy can be about a bucket, or objects in it. */
function canBeIn({ actions, resources }: Statement, policies: PoliciesInForce, bucket: string): boolean {
  if (![...actions].some((name) => name.startsWith('s3:'))) return false
  if (resources.negated) return true
  const valuesOf = (key: string) => {
    const values = policies.known(key)
    return values === 'later' ? undefined : values
  }
  return resources.templates.some((template) => {
    const pattern = patternOf(template, valuesOf)
    if (pattern === undefined) return false
    const name = pattern.startsWith(S3_ARN) ? pattern.slice(S3_ARN.length).split('/', 1)[0] : undefined
    return name === undefined ? matches(pattern, S3_ARN + bucket) : matches(name, bucket)
  })
}

/** Whether the tags of objects have to be known to decide about an action in a bucket. */
export const dependsOnTags = (asker: Asker, bucket: string): boolean =>
  inForce(asker, bucket)?.all.some(({ readsTags }) => readsTags) ?? false

/** Whether the caller may know how much is in the whole of a bucket: who can list all of it, or manage it. */
export const seesTotalsOf = (asker: Asker, bucket: string): boolean =>
  permits(asker, 'list', bucket, '') || permits(asker, 'manage', bucket, '')

/** Whether a policy denies the caller this action on anything in a bucket. */
export const mayBeDenied = (asker: Asker, asked: Asked, bucket: string): boolean =>
  concerning(asker, asked, bucket).some(({ effect }) => effect === 'Deny')
