/**
 * What policies say of a request
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html): an explicit Deny anywhere
 * wins, then an Allow; else nothing is said.
 */
import type { Known } from './conditions.ts'
import type { Policy, Statement } from './document.ts'
import { matches, matchesBelow, patternOf, type ValuesOf } from './patterns.ts'
import { isAbout, type Principal } from './principal.ts'

/** What a policy is asked. */
export interface Question {
  principal: Principal
  /** `s3:GetObject`. */
  action: string
  /** An ARN. */
  resource: string
  /** The values of a condition's key, in the form of `keyOf`. */
  known(key: string): Known
  /** Whether it is about all that begins with the resource, as one; otherwise about that alone. */
  below?: boolean
  /** Which statements that allow something count; all without it. */
  counts?: (statement: Statement) => boolean
  /** With it, a statement that may apply or not, for all that is known, is told and left out; else the verdict is the narrower one. */
  perhaps?: (statement: Statement, policy: number) => void
}

/** What a policy says, and by which statement. */
export type Verdict =
  | { effect: 'deny' | 'allow'; statement: Statement; policy: number; sure: boolean }
  | { effect: 'none' }

/** How much of what is asked about the resources of a statement name: without `below`, all or none. */
export function namedBy(
  { templates }: Pick<Statement['resources'], 'templates'>,
  { resource, below = false }: Pick<Question, 'resource' | 'below'>,
  valuesOf: ValuesOf,
): 'all' | 'some' | 'none' {
  let named: 'some' | 'none' = 'none'
  for (const template of templates) {
    const pattern = patternOf(template, valuesOf)
    if (pattern === undefined) continue
    const found = below ? matchesBelow(pattern, resource) : matches(pattern, resource) ? 'all' : 'none'
    if (found === 'all') return 'all'
    if (found === 'some') named = 'some'
  }
  return named
}

/** Whether a statement is about a request; undefined where that depends on what is not known yet. */
export function applies(statement: Statement, question: Question): boolean | undefined {
  const { principal, actions, resources, conditions, effect } = statement
  if (!actions.has(question.action)) return false
  if (principal && !isAbout(principal, question.principal, effect)) return false
  let depends = false
  const valuesOf = (key: string) => {
    const values = question.known(key)
    if (values !== 'later') return values
    depends = true
    return undefined
  }
  const named = namedBy(resources, question, valuesOf)
  depends ||= named === 'some'
  if ((named === 'all') === resources.negated && !depends) return false
  for (const condition of conditions) {
    const given = question.known(condition.key)
    if (given === 'later') depends = true
    else {
      const before: boolean = depends
      depends = false
      const holds = condition.holds(given, valuesOf)
      // One that certainly does not hold decides, whatever the others depend on.
      if (!holds && !depends) return false
      depends ||= before
    }
  }
  return depends ? undefined : true
}

/**
 * What policies say together, and which statement decides. Where it depends on what is not known yet, the verdict is the
 * narrower one: a Deny counts and an Allow does not, and `sure` is false.
 */
export function evaluate(policies: readonly Policy[], question: Question): Verdict {
  let allowed: Verdict = { effect: 'none' }
  let perhaps: Verdict | undefined
  for (const [policy, { statements }] of policies.entries())
    for (const statement of statements) {
      if (
        statement.effect === 'Allow' &&
        ((allowed.effect === 'allow' && allowed.sure) || question.counts?.(statement) === false)
      )
        continue
      const is = applies(statement, question)
      if (is === false) continue
      const sure = is === true
      if (!sure && question.perhaps) {
        question.perhaps(statement, policy)
        continue
      }
      if (statement.effect === 'Allow') {
        if (sure || allowed.effect === 'none') allowed = { effect: 'allow', statement, policy, sure }
      } else if (sure) return { effect: 'deny', statement, policy, sure }
      else perhaps ??= { effect: 'deny', statement, policy, sure }
    }
  return perhaps ?? allowed
}

/** Why the policy of a session does not allow something by itself, or who allows it all the same. */
export type SessionLimit = { denied: Statement } | { named: Statement } | { depends: true } | { outside: true }

/**
 * How the policy of a session limits it; undefined where it allows what is asked. What a bucket's policy allows to this very
 * session, by its ARN, adds to it (https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session).
 */
export function limitOfSession(
  ofSession: Policy,
  ofBucket: Policy | undefined,
  { counts, ...question }: Question,
): SessionLimit | undefined {
  const within = evaluate([ofSession], question)
  if (within.effect !== 'none') {
    if (!within.sure) return { depends: true }
    return within.effect === 'allow' ? undefined : { denied: within.statement }
  }
  const { arn, kind } = question.principal
  if (!ofBucket || kind !== 'role') return { outside: true }
  const names = ({ principal }: Statement) =>
    principal?.negated === false && principal.entries.some((one) => one.kind === 'arn' && one.arn === arn)
  const named = evaluate([ofBucket], { ...question, counts: (one) => names(one) && counts?.(one) !== false })
  return named.effect === 'allow' && named.sure ? { named: named.statement } : { outside: true }
}
