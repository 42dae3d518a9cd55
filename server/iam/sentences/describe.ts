// What a policy says, statement by statement, and what whoever saves it should look at.
import type { PolicySentence, PolicyWarning } from '../../../contract/policy-sentences.ts'
import { knownActions } from '../actions.ts'
import { canBeKnown } from '../condition-keys.ts'
import type { Policy, PolicyKind, Statement } from '../document.ts'
import { textOf } from '../patterns.ts'
import { isPublicStatement } from '../public.ts'
import { deedsOf } from './deeds.ts'
import { sentenceIn, warningIn } from './english.ts'
import { type NamesOfUsers, type Who, whenOf, whereOf, whoIn } from './parts.ts'

type Where = PolicySentence['where']
type Warning = Omit<PolicyWarning, 'text' | 'statement'>

/** What a policy says. */
export interface Described {
  sentences: PolicySentence[]
  warnings: PolicyWarning[]
}

/** Describes a policy; `users` says what those whom it names are called. */
export function describePolicy({ statements }: Policy, kind: PolicyKind, users: NamesOfUsers): Described {
  const bucket = kind.of === 'bucket' ? kind.bucket : undefined
  const sentences = statements.map((statement) => describeStatement(statement, bucket, users))
  const warnings = statements.flatMap((statement, i) =>
    warningsOf(statement, sentences[i] as PolicySentence, kind).map((warning): PolicyWarning => {
      const { index } = statement
      return { ...warning, statement: index, text: warningIn(warning) }
    }),
  )
  return { sentences, warnings }
}

/** What one statement says; `bucket`: whose policy it is in, if it is a bucket's. */
export function describeStatement(
  statement: Statement,
  bucket: string | undefined,
  users: NamesOfUsers,
): PolicySentence {
  const { index, sid, effect, actions, conditions } = statement
  const parts = {
    statement: index,
    sid,
    effect,
    who: whoIn(statement, users),
    what: deedsOf(actions),
    where: isWithoutPlace(statement) ? null : placesOf(statement, bucket),
    when: conditions.map(whenOf),
  }
  return { ...parts, text: sentenceIn(parts) }
}

/** Whether a statement says who may take on a role, which is about nothing else. */
const isWithoutPlace = ({ resources: { templates } }: Statement): boolean => templates.length === 0

/** Where a statement is about: a bucket and its objects are all of it. */
function placesOf({ resources: { templates, negated } }: Statement, bucket: string | undefined): Where {
  const places = templates.map((template) => whereOf(template, bucket))
  const has = (kind: string, name: string) => places.some((one) => one.kind === kind && one.name === name)
  const of = places.flatMap((place) => {
    if (place.kind === 'objects' && has('bucket', place.name)) return []
    if (place.kind !== 'bucket' || !has('objects', place.name)) return [place]
    return [{ kind: 'whole' as const, name: place.name }]
  })
  return { all_but: negated, of }
}

const NOTHING: Pick<Warning, 'who' | 'what' | 'names'> = {
  who: [],
  what: { all_but: false, kinds: [], others: [] },
  names: [],
}

function warningsOf(statement: Statement, { who, what }: PolicySentence, kind: PolicyKind): Warning[] {
  const { effect, actions, conditions, principal } = statement
  const allows = effect === 'Allow'
  const named = who?.of ?? []
  const others = named
    .filter((one) => one.kind !== 'account')
    .map((one) => (kind.of === 'role' ? whoTakesOn(one) : one))
  const found: Warning[] = []
  if (allows && kind.of !== 'role' && isPublicStatement(statement))
    found.push({ ...NOTHING, code: 'opens_to_anyone', what })
  else if (allows && others.length > 0) found.push({ ...NOTHING, code: 'opens_to', who: others, what })
  if (allows && principal?.entries.some((one) => one.kind === 'account'))
    found.push({ ...NOTHING, code: 'account_allows_nobody', who: named.filter((one) => one.kind === 'account') })
  const changesPolicy = kind.of === 'bucket' && actions.has('s3:PutBucketPolicy')
  if (allows && changesPolicy) found.push({ ...NOTHING, code: 'lets_change_policy', who: named })
  const isOfAll = principal?.negated || named.some((one) => one.kind === 'anyone' || one.kind === 'account')
  if (!allows && changesPolicy && isOfAll && conditions.length === 0 && isAboutBuckets(statement))
    found.push({ ...NOTHING, code: 'locks_out' })
  const idle = kind.of === 'role' ? [] : idleActions(statement)
  if (idle.length > 0) found.push({ ...NOTHING, code: 'no_effect', names: idle })
  for (const { key, name, holds } of conditions)
    if (!canBeKnown(key)) {
      const always = holds(undefined, () => undefined)
      found.push({ ...NOTHING, code: always ? 'always_holds' : 'never_holds', names: [name] })
    }
  return found
}

/** Nobody takes on a role without a credential, be it a token. */
const whoTakesOn = (who: Who): Who => (who.kind === 'anyone' ? { kind: 'account', name: who.name } : who)

const RESOURCE = /^arn:aws(?:-[a-z-]+)?:s3:::(.*)$/s
/** The part of resources behind the service; `*` for those of all. */
const restsOf = ({ resources: { templates } }: Statement): string[] =>
  templates.map(textOf).map((text) => RESOURCE.exec(text)?.[1] ?? text)
const isAboutBuckets = (statement: Statement): boolean =>
  statement.resources.negated || restsOf(statement).some((rest) => !rest.includes('/'))
const isAboutObjects = (statement: Statement): boolean =>
  statement.resources.negated || restsOf(statement).some((rest) => rest.includes('/') || rest.includes('*'))

/** Of more, somebody has named a kind of actions, such as `s3:Get*`. */
const MOST_IDLE = 6

/** Actions of which a statement says something for nothing that it is about: those of objects on a bucket, and the reverse. */
function idleActions(statement: Statement): string[] {
  const idleOn = (subject: 'bucket' | 'object', isAbout: boolean) =>
    isAbout ? [] : [...statement.actions].filter((name) => knownActions.get(name) === subject)
  const idle = [...idleOn('bucket', isAboutBuckets(statement)), ...idleOn('object', isAboutObjects(statement))]
  return idle.length <= MOST_IDLE ? idle : []
}
