import { actionsFor, isOfS3 } from './actions.ts'
import { conditionsFor, type For, Obstacle, withNames } from './conditions.ts'
import { type Fields, isFields, textsOf } from './read.ts'
import { resourcesFor } from './resources.ts'
import { matches } from './wildcards.ts'

/** What a statement becomes: statements of ours, and what of it is left out. */
export interface TranslatedStatement {
  statements: Fields[]
  notes: string[]
}
/** Whose policy it is in. */
export interface Context {
  of: For
  /** Whether it is a key's own policy. */
  ofKey: boolean
  /** The bucket whose policy it is. */
  bucket?: string
}

const ARN = 'arn:aws:s3:::'
const KNOWN = ['Sid', 'Effect', 'Principal', 'Action', 'NotAction', 'Resource', 'NotResource', 'Condition']

/** What of a statement decides whether it is translated: read, and nothing more. */
export const deniesSomething = (given: unknown): boolean => !isFields(given) || given.Effect !== 'Allow'

/** Translates a statement as a whole. Throws Obstacle. */
export function translateStatement(given: unknown, context: Context): TranslatedStatement {
  if (!isFields(given)) throw new Obstacle('a statement cannot be read')
  const { Effect, Sid } = given
  if (Effect !== 'Allow' && Effect !== 'Deny') throw new Obstacle('a statement neither allows nor denies')
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) throw new Obstacle(`a statement has ${unknown}`)
  const principal = principalOf(given, context)
  if (principal === 'nobody')
    return { statements: [], notes: ['What its policy says of users has no effect in MinIO, and is left out.'] }
  const { texts, negated } = oneOf(given, 'Action')
  const others = negated ? [] : texts.filter((text) => !isOfS3(text))
  if (others.length === texts.length && !negated) return ofOtherServices(given, others, context)
  if (others.some((text) => !text.startsWith('s3:')))
    throw new Obstacle(`a statement is about S3 and about ${others.join(', ')}, for which MinIO ignores its resources`)
  const condition = conditionsFor(given.Condition, context.of)
  // What only holds for somebody else says nothing of whose policy it is.
  if (condition === undefined) return { statements: [], notes: [] }
  const when = onlyAnonymous(condition, Effect, context)
  const head = {
    ...(typeof Sid === 'string' && Sid !== '' ? { Sid } : {}),
    Effect,
    ...principal,
  }
  const tail = Object.keys(when).length > 0 ? { Condition: when } : {}
  const allows = Effect === 'Allow'
  const written = { allows, texts, negated, ofKey: context.ofKey }
  const statements = placed(given, written, context).map((middle) => ({ ...head, ...middle, ...tail }))
  // In MinIO it holds for what administrators do as well.
  const isOfAll = context.bucket === undefined && (negated || texts.includes('*')) && isEverywhere(given)
  if (!isOfAll) return { statements, notes: [] }
  if (allows) return { statements, notes: ['Of other services than S3, nothing here is like MinIO’s.'] }
  const stop = { Effect, Action: ['iam:*', 'sts:*'], Resource: ['*'], ...tail }
  return { statements: [...statements, stop], notes: [] }
}

/** What a statement names with an element or its negation, of which it has one. */
function oneOf(given: Fields, name: 'Action' | 'Resource'): { texts: string[]; negated: boolean } {
  const [plain, negated] = [given[name], given[`Not${name}`]]
  if ((plain === undefined) === (negated === undefined)) throw new Obstacle(`a statement has no ${name}, or two`)
  const value = plain ?? negated
  const texts = textsOf(value)
  if (texts.length === 0 || texts.length !== (Array.isArray(value) ? value.length : 1))
    throw new Obstacle(`the ${name} of a statement cannot be read`)
  return { texts, negated: plain === undefined }
}

/** Whether a statement is about what is in no bucket, too. */
const isEverywhere = ({ Resource, NotResource }: Fields): boolean =>
  NotResource !== undefined || textsOf(Resource).some((one) => /^(arn:aws:s3:::)?\*+$/.test(one))

/** The actions and resources of a statement: in one where MinIO and we match the same, else one for buckets and one for objects. */
function placed(given: Fields, written: Parameters<typeof actionsFor>[0], { of, bucket }: Context): Fields[] {
  const { texts, negated } = oneOf(given, 'Resource')
  const patterns = texts.map((text) => {
    if (text === '*') return '*'
    if (!text.startsWith(ARN)) throw new Obstacle(`${text} is no resource of S3`)
    const pattern = String(withNames(text.slice(ARN.length), of))
    if (bucket !== undefined && !matches(pattern.split('/', 1)[0] ?? '', bucket))
      throw new Obstacle(`${text} is not in the bucket`)
    return pattern
  })
  const resources = resourcesFor(patterns)
  const element = negated ? 'NotResource' : 'Resource'
  const at = (found: readonly string[]): Fields => ({ [element]: found.map((one) => ARN + one) })
  if (resources.both) {
    const actions = actionsFor(written, 'both')
    return actions ? [{ ...actions, ...at(resources.both) }] : []
  }
  return (['bucket', 'object'] as const).flatMap((level): Fields[] => {
    const actions = actionsFor(written, level)
    if (!actions) return []
    const found = resources[level]
    if (found.length > 0) return [{ ...actions, ...at(found) }]
    return negated ? [{ ...actions, Resource: [`${ARN}*`] }] : []
  })
}

/** What is about the service itself, keys of its key service, or tables: nothing here, but whom it stops is stopped. */
function ofOtherServices(
  { Effect, Condition }: Fields,
  texts: readonly string[],
  { of, bucket }: Context,
): TranslatedStatement {
  const foreign = texts.filter((text) => !text.startsWith('s3:'))
  const notes = foreign.length > 0 ? [`${foreign.join(', ')}: nothing here is like it.`] : []
  const stops = [
    ...(texts.some((text) => text.startsWith('admin:')) ? ['iam:*'] : []),
    ...(texts.some((text) => text.startsWith('sts:')) ? ['sts:*'] : []),
  ]
  if (Effect === 'Allow' || stops.length === 0 || bucket !== undefined) return { statements: [], notes }
  const condition = conditionsFor(Condition, of)
  if (condition === undefined) return { statements: [], notes: [] }
  const tail = Object.keys(condition).length > 0 ? { Condition: condition } : {}
  return { statements: [{ Effect, Action: stops, Resource: ['*'], ...tail }], notes: [] }
}

/** Whom a statement of a bucket's policy is about: everyone, or nobody that MinIO asks it for. */
function principalOf({ Principal }: Fields, { bucket }: Context): Fields | 'nobody' {
  if (bucket === undefined) {
    if (Principal !== undefined) throw new Obstacle('a statement has Principal')
    return {}
  }
  const named = isFields(Principal) ? textsOf(Principal.AWS ?? []) : textsOf(Principal ?? [])
  return named.includes('*') ? { Principal: '*' } : 'nobody'
}

/**
 * A Deny of a bucket's policy is only about requests without a credential, as in MinIO. What it allows, it allows everyone, who
 * could ask without a credential as well.
 */
function onlyAnonymous(condition: Fields, effect: string, { bucket }: Context): Fields {
  if (bucket === undefined || effect === 'Allow') return condition
  const equals = isFields(condition.StringEquals) ? condition.StringEquals : {}
  return { ...condition, StringEquals: { ...equals, 'aws:PrincipalType': 'Anonymous' } }
}
