import { allow } from '../../../../context.ts'
import { collect } from '../../../../http/collect.ts'
import { scanJson } from '../../../../http/scan-json.ts'
import { findConfig, setConfig } from '../../../../storage/buckets/documents/config.ts'
import type {
  BucketPolicy,
  KeyPattern,
  PolicyAction,
  PolicyQuestion,
  PolicyStatement,
} from '../../../../storage/buckets/documents/policy.ts'
import { findAccess, hasAcls, isPublic } from '../../../../storage/buckets/documents/public-access.ts'
import { answer } from '../../answers/answer.ts'
import { element, result } from '../../answers/xml.ts'
import { S3Error } from '../../errors.ts'
import { verified } from '../../requests/body-digests.ts'
import type { Exchange } from '../../requests/exchange.ts'
import { assertCanBePublic } from '../../requests/public-access.ts'

// Of S3's policy language, what can be said in grants to everyone. All else is refused by name: a policy that was
// accepted means what it says.

const MOST_BYTES = 20_480

const ACTIONS: { readonly [name: string]: readonly PolicyAction[] } = {
  's3:listbucket': [{ action: 'list', about: 'current' }],
  's3:listbucketversions': [{ action: 'list', about: 'versions' }],
  's3:getobject': [{ action: 'read', about: 'current' }],
  's3:getobjectversion': [{ action: 'read', about: 'versions' }],
  's3:putobject': [
    { action: 'write', about: 'current' },
    { action: 'write', about: 'versions' },
  ],
  's3:deleteobject': [{ action: 'delete', about: 'current' }],
  's3:deleteobjectversion': [{ action: 'delete', about: 'versions' }],
}
/**
 * Actions that say no more than others do, or do no harm, and that clients put into every policy
 * (`mc anonymous set`): what they let everyone ask of the bucket. An upload in parts is seen and ended by who began it.
 */
const HARMLESS: { readonly [name: string]: readonly PolicyQuestion[] } = {
  's3:getbucketlocation': ['location'],
  's3:listbucketmultipartuploads': ['uploads'],
  's3:abortmultipartupload': [],
  's3:listmultipartuploadparts': [],
}
/** All that anyone can be allowed. */
const EVERYTHING = new Set(['*', 's3:*'])

const malformed = (message: string) => new S3Error('MalformedPolicy', message)
const unsupported = (what: string) =>
  new S3Error('NotImplemented', `This policy cannot be kept: ${what} is not supported.`)

type Json = { readonly [name: string]: unknown }
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The texts that an element has, one or a list of them. Throws MalformedPolicy. */
function textsOf(statement: Json, name: string): string[] {
  const value = statement[name]
  const texts = Array.isArray(value) ? value : [value]
  if (texts.length === 0 || !texts.every((one) => typeof one === 'string')) throw malformed(`Invalid ${name}`)
  return texts
}

function assertEveryone(principal: unknown): void {
  const named = isObject(principal) && Object.keys(principal).join() === 'AWS' ? principal.AWS : principal
  const [only, ...others] = Array.isArray(named) ? named : [named]
  if (only === undefined) throw malformed('Missing required field Principal')
  if (only !== '*' || others.length > 0) throw unsupported(`Principal ${JSON.stringify(principal)}`)
}

const actionsOf = (name: string): readonly PolicyAction[] => {
  if (EVERYTHING.has(name)) return Object.values(ACTIONS).flat()
  const lower = name.toLowerCase()
  const actions = Object.hasOwn(ACTIONS, lower) ? ACTIONS[lower] : undefined
  if (!actions && !Object.hasOwn(HARMLESS, lower)) throw unsupported(`Action ${name}`)
  return actions ?? []
}

const questionsOf = (name: string): readonly PolicyQuestion[] => {
  if (EVERYTHING.has(name)) return Object.values(HARMLESS).flat()
  const lower = name.toLowerCase()
  return (Object.hasOwn(HARMLESS, lower) ? HARMLESS[lower] : undefined) ?? []
}

/** What a resource names: the bucket itself, objects in it, or both. Throws MalformedPolicy or NotImplemented. */
function resourceOf(text: string, bucket: string): { bucket: boolean; keys?: KeyPattern } {
  const [, name, key] = /^arn:aws:s3:::([^/]+)(?:\/(.*))?$/s.exec(text) ?? []
  if (name !== bucket && name !== '*') throw malformed(`Policy has invalid resource: ${text}`)
  if (key === undefined) return { bucket: true, ...(name === '*' ? { keys: { prefix: '', exact: false } } : {}) }
  return { bucket: false, keys: patternOf(key, `Resource ${text}`) }
}

/** A text, or with an asterisk at its end all that start with it. Throws NotImplemented for other wildcards. */
function patternOf(text: string, what: string): KeyPattern {
  const prefix = text.endsWith('*') ? text.slice(0, -1) : text
  if (/[*?]|\$\{/.test(prefix)) throw unsupported(what)
  return { prefix, exact: prefix === text }
}

/** The prefixes with which a list may be asked for; undefined without a condition. Throws NotImplemented. */
function prefixesOf(condition: unknown): string[] | undefined {
  if (condition === undefined) return undefined
  if (!isObject(condition)) throw malformed('Invalid Condition')
  const [operator = '', ...others] = Object.keys(condition)
  if (others.length > 0 || !['StringLike', 'StringEquals'].includes(operator))
    throw unsupported(`Condition ${[operator, ...others].join(', ')}`)
  const keys = condition[operator]
  if (!isObject(keys)) throw malformed('Invalid Condition')
  const [name = '', ...more] = Object.keys(keys)
  if (more.length > 0 || name.toLowerCase() !== 's3:prefix')
    throw unsupported(`Condition ${operator} of ${[name, ...more].join(', ')}`)
  const texts = textsOf(keys, name)
  if (operator === 'StringEquals') return texts
  return texts.map((text) => patternOf(text, `Condition StringLike ${text}`).prefix)
}

const ELEMENTS = new Set(['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition'])

function statementOf(statement: unknown, bucket: string): PolicyStatement {
  if (!isObject(statement)) throw malformed('Invalid Statement')
  const other = Object.keys(statement).find((name) => !ELEMENTS.has(name))
  if (other !== undefined)
    throw /^Not(Principal|Action|Resource)$/.test(other) ? unsupported(other) : malformed(`Unknown field ${other}`)
  if (statement.Effect === 'Deny') throw unsupported('Effect Deny')
  if (statement.Effect !== 'Allow') throw malformed('Invalid Effect')
  assertEveryone(statement.Principal)
  const prefixes = prefixesOf(statement.Condition)
  const resources = textsOf(statement, 'Resource').map((text) => resourceOf(text, bucket))
  const names = textsOf(statement, 'Action')
  const actions = names.flatMap(actionsOf)
  // Neither has a prefix that a condition could be on.
  const asks = prefixes === undefined && resources.some((one) => one.bucket)
  const questions = asks ? [...new Set(names.flatMap(questionsOf))] : []
  return {
    actions,
    ...(questions.length > 0 ? { questions } : {}),
    // Only lists have a prefix: a statement with that condition allows nothing else.
    objects: prefixes === undefined ? resources.flatMap(({ keys }) => keys ?? []) : [],
    listed: resources.some((one) => one.bucket) ? (prefixes ?? ['']) : [],
  }
}

/** How many fields the objects of a document have; it is not nested deeply. */
const countNames = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : (Array.isArray(value) ? 0 : Object.keys(value).length) +
      Object.values(value).reduce<number>((sum, one) => sum + countNames(one), 0)

/** Reads a bucket's policy. Throws MalformedPolicy, or NotImplemented for what cannot be kept. */
export function readPolicy(text: string, bucket: string): BucketPolicy {
  const { excess, names } = scanJson(Buffer.from(text), MOST_BYTES)
  if (excess !== undefined) throw malformed(`The policy ${excess}`)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw malformed('Policies must be valid JSON and the first byte must be "{"')
  }
  if (!isObject(document)) throw malformed('Policies must be valid JSON and the first byte must be "{"')
  // Of two, one would have no effect.
  if (names > countNames(document)) throw malformed('Duplicate field')
  const other = Object.keys(document).find((name) => !['Version', 'Id', 'Statement'].includes(name))
  if (other !== undefined) throw malformed(`Unknown field ${other}`)
  if (document.Version !== undefined && document.Version !== '2012-10-17' && document.Version !== '2008-10-17')
    throw malformed('The policy must contain a valid version string')
  const statements = Array.isArray(document.Statement) ? document.Statement : [document.Statement]
  if (statements.length === 0) throw malformed('Missing required field Statement')
  return { text, statements: statements.map((statement) => statementOf(statement, bucket)) }
}

const tooLarge = () =>
  new S3Error('MaxMessageLengthExceeded', 'Your request was too large.', {
    fields: { MaxMessageLengthBytes: String(MOST_BYTES) },
  })

const textIn = async (exchange: Exchange): Promise<string> =>
  (await collect(verified(exchange), MOST_BYTES, tooLarge)).toString()

/** `PutBucketPolicy`: what everyone is allowed. Needs `manage`, and that anything can be public. */
export async function putBucketPolicy(exchange: Exchange): Promise<void> {
  const { ctx, bucket, system } = exchange
  allow(ctx.actor, 'manage', bucket)
  const policy = readPolicy(await textIn(exchange), bucket)
  await assertCanBePublic(system)
  if ((await findConfig(ctx.db, bucket, 'public_access_block'))?.block_policy)
    throw new S3Error('AccessDenied', 'Public policies are prevented by the BlockPublicPolicy setting of this bucket.')
  await setConfig(ctx, bucket, 'policy', policy)
  await answer(exchange, 204, {})
}

export async function deleteBucketPolicy(exchange: Exchange): Promise<void> {
  await setConfig(exchange.ctx, exchange.bucket, 'policy', null)
  await answer(exchange, 204, {})
}

const noPolicy = () => new S3Error('NoSuchBucketPolicy', 'The bucket policy does not exist')

/** The policy as it was put. */
export async function policyText({ ctx, bucket }: Exchange): Promise<string> {
  const policy = await findConfig(ctx.db, bucket, 'policy')
  if (!policy) throw noPolicy()
  return policy.text
}

/** Whether the bucket is public, by its policy or its ACL; one without either has no status. */
export async function policyStatusDocument({ ctx, bucket, authenticated }: Exchange): Promise<string> {
  const isOn = authenticated.publicAccess
  const { of } = await findAccess(ctx.db, [bucket])
  if (of(bucket).policy === undefined && !hasAcls(of(bucket))) throw noPolicy()
  return result('PolicyStatus', element('IsPublic', isOn && isPublic(of(bucket))))
}
