import { createHmac, type KeyObject } from 'node:crypto'
import { basicTime, isoTime } from '../../../../base/dates.ts'
import { scanJson } from '../../../../base/scan-json.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
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
  invalidArgument(
    name,
    '',
    `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
  )

/** The fields of Version 4, in the order in which S3 asks for them; it names them so. */
const FOUR = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Date', 'X-Amz-Signature'] as const

/**
 * The credential in a form's fields; null if there is none. Throws InvalidArgument for a part of one, and for one that
 * cannot be read (https://docs.aws.amazon.com/AmazonS3/latest/developerguide/sigv4-authentication-HTTPPOST.html).
 */
export function readFormCredential(fields: Fields): FormCredential | null {
  const isTwo = fields.has('awsaccesskeyid') || fields.has('signature')
  const isFour = FOUR.some((name) => fields.has(name.toLowerCase()) && !(isTwo && name === 'X-Amz-Date'))
  if (!isFour && !isTwo) return null
  const field = (name: string): string => fields.get(name.toLowerCase()) || raise(missing(name))
  if (!isFour)
    return {
      version: 2,
      accessKeyId: field('AWSAccessKeyId'),
      signature: field('Signature'),
      policy: field('Policy'),
    }
  const [algorithm, text, date, signature] = FOUR.map(field) as [string, string, string, string]
  const policy = field('Policy')
  if (algorithm !== 'AWS4-HMAC-SHA256')
    throw invalidArgument('X-Amz-Algorithm', algorithm, 'Only AWS4-HMAC-SHA256 is supported')
  if (!basicTime(date)) throw invalidArgument('X-Amz-Date', date, 'X-Amz-Date must be formated via ISO8601 Long format')
  return { version: 4, ...credentialIn(text), signature, policy }
}

/** What `X-Amz-Credential` says. Any region is right, also none. Throws InvalidArgument. */
function credentialIn(text: string): { accessKeyId: string; day: string; region: string } {
  const refuse = (message: string): never => raise(invalidArgument('X-Amz-Credential', text, message))
  const parts = text.split('/')
  const [accessKeyId = '', day = '', region = '', service, end] = parts
  if (parts.length !== 5)
    refuse('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".')
  if (accessKeyId === '') refuse('a non-empty Access Key (AKID) must be provided in the credential.')
  if (!basicTime(`${day}T000000Z`))
    refuse(`incorrect date format "${day}". This date in the credential must be in the format "yyyyMMdd".`)
  if (service !== 's3') refuse(`incorrect service "${service}". This endpoint belongs to "s3".`)
  if (end !== 'aws4_request') refuse(`incorrect terminal "${end}". This endpoint uses "aws4_request".`)
  return { accessKeyId, day, region }
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
/** S3 shows every condition as a list, those of one property too. */
const notMet = (...condition: readonly string[]) =>
  new S3Error(
    'AccessDenied',
    `Invalid according to Policy: Policy Condition failed: [${condition.map((one) => JSON.stringify(one)).join(', ')}]`,
  )

interface Condition {
  operator: 'eq' | 'starts-with'
  /** As it is written, without `$`. */
  field: string
  value: string
}

/**
 * Checks a form's fields, with the bucket among them, against its policy: it must not have expired, every condition must
 * hold, and every field must be mentioned. Throws InvalidPolicyDocument, or AccessDenied for what it does not allow
 * (https://docs.aws.amazon.com/AmazonS3/latest/developerguide/sigv4-HTTPPOSTConstructPolicy.html).
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
    const name = read.field.toLowerCase()
    mentioned.add(name)
    if (!holds(read, name, fields.get(name) ?? '')) throw notMet(read.operator, `$${read.field}`, read.value)
  }
  for (const name of fields.keys())
    if (!mentioned.has(name) && !FREE.test(name))
      throw new S3Error('AccessDenied', `Invalid according to Policy: Extra input fields: ${name}`)
  return terms
}

/** A content type with commas is a list to whoever reads it later: every item must start as it has to. */
function holds({ operator, value }: Condition, name: string, given: string): boolean {
  if (operator === 'eq') return given === value
  const items = name === 'content-type' ? given.split(',').map((one) => one.trim()) : [given]
  return given.startsWith(value) && items.every((one) => one.startsWith(value))
}

const MEMBERS = ['expiration', 'conditions']
const MOST_CONDITIONS = 200
/** Far more than 200 conditions of three values have. */
const MOST_VALUES = 2000

function readPolicy(text: string): { expiration: Date; conditions: readonly unknown[] } {
  const bytes = Buffer.from(text, 'base64')
  const { excess } = scanJson(bytes, MOST_VALUES)
  if (excess !== undefined) throw badPolicy(`It ${excess}.`)
  let document: unknown
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badPolicy('Invalid JSON.')
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw badPolicy('Invalid JSON.')
  const unexpected = Object.keys(document).find((name) => !MEMBERS.includes(name))
  if (unexpected !== undefined) throw badPolicy(`Unexpected: '${unexpected}'`)
  const { expiration, conditions } = document as { expiration?: unknown; conditions?: unknown }
  if (expiration === undefined) throw badPolicy('Policy missing expiration.')
  if (typeof expiration !== 'string') throw badPolicy('Invalid JSON.')
  const until = EXPIRATION.test(expiration) ? isoTime(expiration) : undefined
  if (!until) throw badPolicy(`Invalid 'expiration' value: '${expiration}'`)
  if (conditions === undefined) throw badPolicy('Policy missing conditions.')
  if (!Array.isArray(conditions)) throw badPolicy("Invalid 'conditions' value: must be a List.")
  if (conditions.length === 0 || conditions.length > MOST_CONDITIONS) throw badPolicy("Invalid 'conditions' value.")
  return { expiration: until, conditions }
}

const EXPIRATION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,9})?Z$/

function readCondition(condition: unknown): Condition | FormTerms {
  if (Array.isArray(condition)) return listedCondition(condition)
  if (typeof condition !== 'object' || condition === null)
    throw badPolicy('Invalid condition test: must be a List or Object.')
  const [[field, value] = ['', null], ...more] = Object.entries(condition)
  if (field === '' || more.length > 0)
    throw badPolicy('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.')
  if (typeof value !== 'string') throw badPolicy('Invalid Simple-Condition: value must be a string.')
  return { operator: 'eq', field, value }
}

function listedCondition(condition: readonly unknown[]): Condition | FormTerms {
  const [given, field, value] = condition
  if (typeof given !== 'string') throw badPolicy('Invalid Condition: missing operation identifier.')
  const operator = given.toLowerCase()
  if (operator !== 'eq' && operator !== 'starts-with' && operator !== 'content-length-range')
    throw badPolicy(`Invalid Condition: unknown operation '${given}'.`)
  if (condition.length !== 3) throw badPolicy(`Invalid ${given}: wrong number of arguments.`)
  if (operator === 'content-length-range') {
    if (isSize(field) && isSize(value)) return { least: Number(field), most: Number(value) }
    // What is no number, no file has: S3 says so of texts, and calls the rest no policy.
    if ([field, value].every((one) => typeof one === 'string' || isSize(one)))
      throw notMet(given, String(field), String(value))
    throw badPolicy('Invalid JSON.')
  }
  if (typeof field !== 'string' || typeof value !== 'string') throw badPolicy('Invalid JSON.')
  if (!field.startsWith('$')) throw notMet(given, field, value)
  return { operator, field: field.slice(1), value }
}

const isSize = (value: unknown): boolean =>
  (typeof value === 'number' || typeof value === 'string') && /^\d{1,15}$/.test(String(value))
