// Bucket policies: what they allow everyone, as grants.
import type { Grant } from '../../../../contract/permissions.ts'
import { type PublicAction, publicActions } from '../../../../contract/public-access.ts'

/** What a statement is about: contents as they are, or versions, which are another action each. */
export type PolicySubject = 'current' | 'versions'
export interface PolicyAction {
  action: PublicAction
  about: PolicySubject
}

/** Keys that start with a text, or one key. */
export interface KeyPattern {
  prefix: string
  exact: boolean
}

/** What everyone may ask of a bucket besides: which region it is in, and which uploads in parts they have there. */
export type PolicyQuestion = 'location' | 'uploads'

/** What one statement of a policy allows everyone. */
export interface PolicyStatement {
  actions: readonly PolicyAction[]
  /** Of the bucket itself; missing where there are none. */
  questions?: readonly PolicyQuestion[]
  /** Whose contents may be read, written and deleted. */
  objects: readonly KeyPattern[]
  /** Which keys may be listed, by the prefixes that they start with. */
  listed: readonly string[]
}

/** A bucket policy: as it was written, and what it comes to. */
export interface BucketPolicy {
  text: string
  statements: readonly PolicyStatement[]
}

/** The actions of `grants` that apply to all that a request is about. */
export const actionsForAll = (actions: readonly PolicyAction[], about: readonly PolicySubject[]): PublicAction[] =>
  publicActions.filter((action) =>
    about.every((one) => actions.some((allowed) => allowed.action === action && allowed.about === one)),
  )

/** What a policy allows everyone in its bucket, for a request that is about this. */
export const policyGrants = (
  { statements }: BucketPolicy,
  bucket: string,
  about: readonly PolicySubject[],
): Omit<Grant, 'id'>[] =>
  statements.flatMap(({ actions, objects, listed }) => {
    const allowed = actionsForAll(actions, about)
    const others = allowed.filter((action) => action !== 'list')
    return [
      ...(allowed.includes('list') ? listed.map((prefix) => grant(bucket, { prefix, exact: false }, ['list'])) : []),
      ...(others.length > 0 ? objects.map((keys) => grant(bucket, keys, others)) : []),
    ]
  })

/** Whether a policy lets everyone ask this of its bucket. */
export const allowsQuestion = ({ statements }: BucketPolicy, question: PolicyQuestion): boolean =>
  statements.some(({ questions = [] }) => questions.includes(question))

const grant = (bucket_pattern: string, { prefix, exact }: KeyPattern, actions: readonly PublicAction[]) => ({
  bucket_pattern,
  prefix,
  actions,
  ...(exact ? { exact } : {}),
})
