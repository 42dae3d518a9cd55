import { createHmac, type KeyObject } from 'node:crypto'
import { S3Error } from '../errors.ts'
import { isSame, sign } from './verify.ts'

/** What a form's policy allows besides the conditions that its fields met. */
export interface FormTerms {
  /** Bytes of the file. */
  least: number
  most: number
}

type Fields = ReadonlyMap<string, string>

/** How a form is signed: by Signature Version 4, or, for forms alone, by Version 2. */
export type FormCredential =
  | { version: 4; accessKeyId: string; day: string; region: string; signature: string; policy: string }
  | { version: 2; accessKeyId: string; signature: string; policy: string }

const missing = (name: string) =>
  new S3Error(
    'InvalidArgument',
    `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
    {
      fields: { ArgumentName: name, ArgumentValue: '' },
    },
  )

/** The credential in a form's fields; null if there is none. Throws InvalidArgument for a part of one. */
export function readFormCredential(fields: Fields): FormCredential | null {
  const four = fields.has('x-amz-credential') || fields.has('x-amz-signature') || fields.has('x-amz-algorithm')
  if (!four && !fields.has('awsaccesskeyid') && !fields.has('signature')) return null
  const field = (name: string, as = name): string => fields.get(name.toLowerCase()) || raise(missing(as))
  const policy = field('policy')
  if (!four) return { version: 2, accessKeyId: field('AWSAccessKeyId'), signature: field('signature'), policy }
  if (field('x-amz-algorithm') !== 'AWS4-HMAC-SHA256') throw missing('x-amz-algorithm')
  const [accessKeyId = '', day = '', region = '', service, end, ...more] = field('x-amz-credential').split('/')
  if (!/^\d{8}$/.test(day) || region === '' || service !== 's3' || end !== 'aws4_request' || more.length > 0)
    throw missing('x-amz-credential')
  return { version: 4, accessKeyId, day, region, signature: field('x-amz-signature'), policy }
}

const raise = (error: Error): never => {
  throw error
}

/** Whether a form's signature is made with this secret; `key` is the signing key for the day and region of Version 4. */
export const isFormSignature = (
  credential: FormCredential,
  secret: { text(): string; key: KeyObject | null },
): boolean =>
  credential.version === 4
    ? secret.key !== null && isSame(credential.signature, sign(secret.key, credential.policy))
    : isSame(credential.signature, createHmac('sha1', secret.text()).update(credential.policy).digest('base64'))

/** Fields that no condition needs to mention. */
const FREE = /^(x-ignore-.*|x-amz-checksum-.*|signature|x-amz-signature|policy|file|awsaccesskeyid)$/

const badPolicy = (message: string) => new S3Error('InvalidPolicyDocument', `Invalid Policy: ${message}`)
const notMet = (condition: unknown) =>
  new S3Error('AccessDenied', `Invalid according to Policy: Policy Condition failed: ${JSON.stringify(condition)}`)

interface Condition {
  operator: 'eq' | 'starts-with'
  field: string
  value: string
}

/**
 * Checks a form's fields, with the bucket among them, against its policy: it must not have expired, every condition must
 * hold, and every field must be mentioned. Throws InvalidPolicyDocument, or AccessDenied for what it does not allow.
 */
export function checkPolicy(policy: string, fields: Fields, now: Date): FormTerms {
  const { expiration, conditions } = readPolicy(policy)
  if (expiration.getTime() <= now.getTime())
    throw new S3Error('AccessDenied', 'Invalid according to Policy: Policy expired.')
  const terms = { least: 0, most: Number.POSITIVE_INFINITY }
  const mentioned = new Set<string>()
  for (const condition of conditions) {
    const read = readCondition(condition)
    if ('most' in read) {
      terms.least = Math.max(terms.least, read.least)
      terms.most = Math.min(terms.most, read.most)
      continue
    }
    const given = fields.get(read.field) ?? ''
    mentioned.add(read.field)
    if (read.operator === 'eq' ? given !== read.value : !given.startsWith(read.value)) throw notMet(condition)
  }
  for (const name of fields.keys())
    if (!mentioned.has(name) && !FREE.test(name))
      throw new S3Error('AccessDenied', `Invalid according to Policy: Extra input fields: ${name}`)
  return terms
}

function readPolicy(text: string): { expiration: Date; conditions: readonly unknown[] } {
  let document: unknown
  try {
    document = JSON.parse(Buffer.from(text, 'base64').toString())
  } catch {
    throw badPolicy('Invalid JSON.')
  }
  const { expiration, conditions } = (document ?? {}) as { expiration?: unknown; conditions?: unknown }
  if (typeof expiration !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(expiration))
    throw badPolicy("Invalid 'expiration' value.")
  const until = new Date(expiration)
  if (Number.isNaN(until.getTime())) throw badPolicy("Invalid 'expiration' value.")
  if (!Array.isArray(conditions) || conditions.length === 0 || conditions.length > 200)
    throw badPolicy("Invalid 'conditions' value.")
  return { expiration: until, conditions }
}

function readCondition(condition: unknown): Condition | FormTerms {
  if (Array.isArray(condition)) {
    const [operator, field, value, ...more] = condition as unknown[]
    const name = String(operator).toLowerCase()
    if (name === 'content-length-range' && isSize(field) && isSize(value) && more.length === 0)
      return { least: Number(field), most: Number(value) }
    if (
      (name === 'eq' || name === 'starts-with') &&
      more.length === 0 &&
      typeof field === 'string' &&
      field.startsWith('$')
    )
      if (typeof value === 'string') return { operator: name, field: field.slice(1).toLowerCase(), value }
  } else if (typeof condition === 'object' && condition !== null) {
    const [[field, value] = ['', null], ...more] = Object.entries(condition)
    if (more.length === 0 && typeof value === 'string') return { operator: 'eq', field: field.toLowerCase(), value }
  }
  throw badPolicy(`Invalid condition ${JSON.stringify(condition)}.`)
}

const isSize = (value: unknown): boolean =>
  /^\d{1,15}$/.test(String(value)) && (typeof value === 'number' || typeof value === 'string')
