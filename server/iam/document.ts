/**
 * The policy language of AWS (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html): one
 * parser for every kind of policy. What it does not know is refused with AWS' words, never ignored.
 */
import { scanJson } from '../base/scan-json.ts'
import { knownActions } from './actions.ts'
import { type Condition, compileConditions } from './conditions.ts'
import { eachWithin, malformed, within } from './malformed.ts'
import { compileTemplate, matches, type Template } from './patterns.ts'
import {
  awsPrincipal,
  otherPrincipal,
  type PrincipalElement,
  type PrincipalEntry,
  type UsersByArn,
  userNameIn,
} from './principal.ts'

/** What a policy belongs to, which decides what it may say and how long it may be. */
export type PolicyKind =
  | { of: 'bucket'; bucket: string; users: UsersByArn }
  /** Of a user, group or role, or of a session. */
  | { of: 'identity' }
  /** Who may take on a role. */
  | { of: 'role'; users: UsersByArn }

/** Bytes, as S3 and IAM limit them (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html). */
export const MOST_BYTES: { readonly [kind in PolicyKind['of']]: number } = {
  bucket: 20_480,
  identity: 10_240,
  role: 4096,
}

export interface Statement {
  /** Which of the policy's it is, from 0. */
  index: number
  sid: string | null
  effect: 'Allow' | 'Deny'
  /** Undefined in policies of identities, which are about whom they belong to. */
  principal: PrincipalElement | undefined
  /** The names of all actions that it is about. */
  actions: ReadonlySet<string>
  resources: { templates: readonly Template[]; negated: boolean }
  conditions: readonly Condition[]
}

/** A policy, compiled. */
export interface Policy {
  statements: readonly Statement[]
  /** Whether it has to know the tags of the object that it is asked about. */
  readsTags: boolean
}

type Json = { readonly [name: string]: unknown }
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const FIRST_BYTE = 'Policies must be valid JSON and the first byte must be "{"'
const VERSIONS = ['2012-10-17', '2008-10-17']
const ELEMENTS = new Set([
  'Sid',
  'Effect',
  'Principal',
  'NotPrincipal',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
])

/** What is wrong with a field. */
const wrong = (field: string, message: string) =>
  within(field, () => {
    throw malformed(message)
  })
const unknownField = (name: string) => wrong(name, `Unknown field ${name}`)

/** The texts of an element, one or a list of them. */
function textsOf(element: unknown, name: string): string | readonly string[] {
  const texts = Array.isArray(element) ? element : [element]
  if (texts.length === 0 || !texts.every((one) => typeof one === 'string'))
    throw malformed(`Syntax errors in policy: invalid ${name}`)
  return element as string | string[]
}

/** How many fields the objects of a document have; it is not nested deeply. */
const countNames = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : (Array.isArray(value) ? 0 : Object.keys(value).length) +
      Object.values(value).reduce<number>((sum, one) => sum + countNames(one), 0)

/** A document as JSON, of whose fields none is there twice. Throws MalformedPolicy. */
function parse(text: string, most: number): Json {
  const bytes = Buffer.from(text)
  if (bytes.length > most) throw malformed(`Policy exceeds the maximum allowed document size of ${most} bytes`)
  const { excess, names } = scanJson(bytes, most)
  if (excess !== undefined) throw malformed(`The policy ${excess}`)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw malformed(FIRST_BYTE)
  }
  if (!isObject(document)) throw malformed(FIRST_BYTE)
  // Of two, one would have no effect.
  if (names > countNames(document)) throw malformed('Duplicate field')
  if (!JSON.stringify(document).isWellFormed() || /\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(document)))
    throw malformed('The policy has text that is not Unicode')
  return document
}

/**
 * Reads a policy; one that was kept may have two statements of one name, as earlier releases took it. Throws
 * MalformedPolicy.
 */
export function readPolicy(text: string, kind: PolicyKind, isKept = false): Policy {
  const document = parse(text, MOST_BYTES[kind.of])
  const { Version = '2008-10-17', Statement: list, ...others } = document
  const unknown = Object.keys(others).find((name) => name !== 'Id')
  if (unknown !== undefined) throw unknownField(unknown)
  if (others.Id !== undefined && typeof others.Id !== 'string') throw wrong('Id', 'Syntax errors in policy: invalid Id')
  if (!VERSIONS.includes(Version as string)) throw wrong('Version', 'The policy must contain a valid version string')
  if (list === undefined || (Array.isArray(list) && list.length === 0))
    throw malformed('Missing required field Statement')
  const variables = Version === '2012-10-17'
  const statements = eachWithin('Statement', list, (element, index) =>
    statementOf(element, { index, kind, variables, isKept }),
  )
  const sids = statements.flatMap(({ sid }) => sid ?? [])
  if (!isKept && new Set(sids).size < sids.length)
    throw malformed('Statement IDs (SID) in a single policy must be unique.')
  const tagged = ({ conditions, resources }: Statement) =>
    conditions.some(({ key }) => isTag(key)) ||
    [...resources.templates].some(({ pieces }) => pieces.some((one) => typeof one !== 'string' && isTag(one.key)))
  return { statements, readsTags: statements.some(tagged) }
}
const isTag = (key: string): boolean => key.startsWith('s3:existingobjecttag/')

interface Place {
  index: number
  kind: PolicyKind
  variables: boolean
  isKept: boolean
}

function statementOf(element: unknown, { index, kind, variables, isKept }: Place): Statement {
  if (!isObject(element)) throw malformed('Syntax errors in policy: invalid Statement')
  const unknown = Object.keys(element).find((name) => !ELEMENTS.has(name))
  if (unknown !== undefined) throw unknownField(unknown)
  const { Sid: sid, Effect: effect } = element
  if (sid !== undefined && (typeof sid !== 'string' || sid.length > 1024))
    throw wrong('Sid', 'Syntax errors in policy: invalid Sid')
  if (effect === undefined) throw malformed('Missing required field Effect')
  if (effect !== 'Allow' && effect !== 'Deny') throw wrong('Effect', `Invalid effect: ${String(effect)}`)
  return {
    index,
    // MinIO's clients write an empty one into each.
    sid: sid || null,
    effect,
    principal: principalOf(element, effect, kind),
    actions: actionsOf(element, kind),
    resources: resourcesOf(element, kind, { variables, isKept }),
    conditions: within('Condition', () => compileConditions(element.Condition, variables)),
  }
}

/** Which of an element and its negation a statement has, one of them. Throws MalformedPolicy. */
function oneOf(statement: Json, name: string): { field: string; element: unknown; negated: boolean } {
  const { [name]: element, [`Not${name}`]: negated } = statement
  if (element !== undefined && negated !== undefined)
    throw wrong(`Not${name}`, `Statement has both ${name} and Not${name}, of which there can only be one`)
  if (element === undefined && negated === undefined) throw malformed(`Missing required field ${name}`)
  const isNegated = negated !== undefined
  return { field: isNegated ? `Not${name}` : name, element: element ?? negated, negated: isNegated }
}

function principalOf(statement: Json, effect: 'Allow' | 'Deny', kind: PolicyKind): PrincipalElement | undefined {
  if (kind.of === 'identity') {
    if (statement.Principal === undefined && statement.NotPrincipal === undefined) return undefined
    throw malformed('Policy document should not specify a principal.')
  }
  const { field, element, negated } = oneOf(statement, 'Principal')
  if (negated && effect === 'Allow') throw wrong(field, 'Allow with NotPrincipal is not allowed')
  if (element === '*') return { entries: [{ kind: 'anyone' }], negated }
  if (!isObject(element)) throw wrong(field, 'Invalid principal in policy')
  const entries = within(field, () =>
    Object.entries(element).flatMap(([type, named]) =>
      eachWithin(type, textsOf(named, 'Principal'), (text): PrincipalEntry => {
        return type === 'AWS' ? awsPrincipal(text, kind.users) : otherPrincipal(type, text)
      }),
    ),
  )
  if (entries.length === 0) throw wrong(field, 'Invalid principal in policy')
  return { entries, negated }
}

/** The ARNs of users that a policy names, which have to be found before it can be read. Throws MalformedPolicy. */
export function usersNamedIn(text: string, most = MOST_BYTES.bucket): Map<string, string> {
  const { Statement: list } = parse(text, most)
  const found = new Map<string, string>()
  for (const statement of Array.isArray(list) ? list : [list])
    for (const element of isObject(statement) ? [statement.Principal, statement.NotPrincipal] : [])
      for (const named of isObject(element) ? [element.AWS].flat() : []) {
        const name = typeof named === 'string' ? userNameIn(named) : undefined
        if (name !== undefined) found.set(named as string, name)
      }
  return found
}

/** The known actions by lower-case name. */
const actionsByName = new Map([...knownActions.keys()].map((name) => [name.toLowerCase(), name]))

function actionsOf(statement: Json, { of }: PolicyKind): ReadonlySet<string> {
  const { field, element, negated } = oneOf(statement, 'Action')
  const named = new Set<string>()
  eachWithin(field, textsOf(element, 'Action'), (text) => {
    // Policies of identities are written for more services than there are here: what they say of others allows nothing.
    if (of === 'identity' && isOfOthers(text)) return
    const found = namesLike(text.toLowerCase())
    const fits = of === 'bucket' ? 's3:' : of === 'role' ? 'sts:' : ''
    if (found.length === 0 || (text !== '*' && !found.some((name) => name.startsWith(fits))))
      throw malformed('Policy has invalid action')
    for (const name of found) named.add(name)
  })
  return negated ? new Set([...knownActions.keys()].filter((name) => !named.has(name))) : named
}

const OTHERS = /^(?!(s3|iam|sts):)[a-z0-9-]+:[a-z0-9*?]+$/i
/** Whether a text names actions of a service that there is nothing of here. */
const isOfOthers = (text: string): boolean => OTHERS.test(text)

/** The known actions that a text names, in lower case. */
function namesLike(text: string): string[] {
  if (!/[*?]/.test(text)) return [actionsByName.get(text) ?? []].flat()
  const { fixed = '' } = compileTemplate(text, { wildcards: true, variables: false })
  return [...actionsByName].flatMap(([lower, name]) => (matches(fixed, lower) ? name : []))
}

function resourcesOf(
  statement: Json,
  kind: PolicyKind,
  { variables, isKept }: Pick<Place, 'variables' | 'isKept'>,
): Statement['resources'] {
  if (kind.of === 'role') {
    if (statement.Resource === undefined && statement.NotResource === undefined) return { templates: [], negated: true }
    throw malformed('Has prohibited field Resource')
  }
  const { field, element, negated } = oneOf(statement, 'Resource')
  const templates = eachWithin(field, textsOf(element, 'Resource'), (text) => {
    if (text !== '*' && !/^arn:aws(-[a-z-]+)?:[a-z0-9*?-]+:/.test(text))
      throw malformed(
        kind.of === 'bucket'
          ? `Policy has invalid resource: ${text}`
          : `Resource ${text} must be in ARN format or "*".`,
      )
    // A Deny of what is in another partition would deny nothing here.
    const [, partition = 'aws'] = /^arn:(aws-[a-z-]+):/.exec(text) ?? []
    if (partition !== 'aws' && !isKept) throw malformed(`Partition "${partition}" is not valid for resource "${text}".`)
    if (kind.of === 'bucket' && !isIn(text, kind.bucket)) throw malformed(`Policy has invalid resource: ${text}`)
    return compileTemplate(text, { wildcards: true, variables })
  })
  return { templates, negated }
}

/** Whether a resource can be a bucket or objects in it. */
function isIn(text: string, bucket: string): boolean {
  if (text === '*') return true
  const [, name] = /^arn:aws(?:-[a-z-]+)?:s3:::([^/]+)/s.exec(text) ?? []
  if (name === undefined) return false
  const { fixed = '' } = compileTemplate(name.replaceAll(/\$\{[^{}]*\}/g, '*'), { wildcards: true, variables: false })
  return matches(fixed, bucket)
}
