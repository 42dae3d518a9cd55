import { ACCESS_KEY_ID } from '../../../../../contract/names.ts'
import { trimBlanks } from '../../../../base/blanks.ts'
import { anyTime, basicTime } from '../../../../base/dates.ts'
import { S3Error } from '../../errors.ts'
import type { Query } from '../target.ts'
import { valuesOf } from './canonical.ts'

/** The services of AWS that requests can be signed for here. */
export type Service = 's3' | 'iam' | 'sts'
const ONLY_S3: readonly Service[] = ['s3']

/** What a client says of its signatures all day (Signature Version 4). */
interface Scope {
  accessKeyId: string
  /** `YYYYMMDD`. */
  day: string
  region: string
  service: Service
  /** `<day>/<region>/<service>/aws4_request`. */
  scope: string
  signedHeaders: readonly string[]
}

/** What a signed request says of its signature. */
export interface Credential extends Scope {
  /** In the Authorization header, or in the query of a presigned URL. */
  in: 'header' | 'query'
  /** `YYYYMMDD'T'HHMMSS'Z'`. */
  date: string
  time: Date
  /** Lower-case hex. */
  signature: string
  /** How long a presigned URL is valid, in seconds. */
  expires: number | null
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
const SIGNATURE = /^[0-9a-f]{64}$/
const SIGNATURE_LENGTH = 64
const ENDS_IN_SIGNATURE = /[,\s]Signature=$/
const ID = new RegExp(ACCESS_KEY_ID)
const MOST_SECONDS = 604_800
/** Characters of a region: signing keys are kept by it. Some clients leave it empty. */
export const MOST_REGION = 100

/** Parameters that are part of a signature, and of no operation. */
export const SIGNATURE_PARAMETERS: ReadonlySet<string> = new Set(
  ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature', 'Security-Token'].map(
    (name) => `x-amz-${name.toLowerCase()}`,
  ),
)

const malformed = (message: string) => new S3Error('AuthorizationHeaderMalformed', message)
const badQuery = (message: string) => new S3Error('AuthorizationQueryParametersError', message)
/** AWS' code for a period that cannot be, with the status that clients expect of a URL that is not valid (any more). */
const outOfRange = (message: string) => new S3Error('AuthorizationQueryParametersError', message, { status: 403 })
const unsupported = (message: string) => new S3Error('InvalidRequest', message)

/** How a request is signed; null if it has no credential of any kind. Throws InvalidArgument for two at once. */
export function mechanismOf(
  headers: ReadonlyMap<string, string>,
  query: Query,
): 'header' | 'query' | 'old query' | null {
  const header = headers.get('authorization')
  const inQuery = query.some(([name]) => /^x-amz-(algorithm|credential|signature)$/i.test(name))
  const inOldQuery = query.some(([name]) => name === 'AWSAccessKeyId' || name === 'Signature')
  if (inQuery ? inOldQuery || header !== undefined : inOldQuery && header !== undefined)
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      {
        fields: { ArgumentName: 'Authorization', ArgumentValue: header ?? '' },
      },
    )
  if (header !== undefined) return 'header'
  return inQuery ? 'query' : inOldQuery ? 'old query' : null
}

/**
 * What a request is signed with by Version 4, for one of these services; null without that. Throws for all that cannot be
 * checked.
 */
export function readCredential(
  headers: ReadonlyMap<string, string>,
  query: Query,
  mechanism = mechanismOf(headers, query),
  services = ONLY_S3,
): Credential | null {
  if (mechanism === 'header') return ofHeader(headers.get('authorization') ?? '', headers, services)
  return mechanism === 'query' ? ofQuery(query) : null
}

/**
 * Headers that ended in their signature, without it, and what they say: a client repeats that all day. What is kept is as
 * it was read; whether it is right is asked each time.
 */
const scopes = new Map<string, Scope>()
const MOST_SCOPES = 1000
/** Characters; the header of a client that signs twenty headers has some 500. */
const LONGEST_SCOPE = 1000

function ofHeader(header: string, headers: ReadonlyMap<string, string>, services: readonly Service[]): Credential {
  const start = header.slice(0, -SIGNATURE_LENGTH)
  const signature = header.slice(-SIGNATURE_LENGTH)
  const known = SIGNATURE.test(signature) ? scopes.get(start) : undefined
  if (known && services.includes(known.service)) {
    const { date, time } = dateOf(headers)
    assertDay(known.day, date, malformed)
    return { ...known, in: 'header', date, time, signature, expires: null }
  }
  const credential = readHeader(header, headers, services)
  if (ENDS_IN_SIGNATURE.test(start) && start.length <= LONGEST_SCOPE) {
    if (scopes.size >= MOST_SCOPES) scopes.clear()
    const { accessKeyId, day, region, service, scope, signedHeaders } = credential
    scopes.set(start, { accessKeyId, day, region, service, scope, signedHeaders })
  }
  return credential
}

function readHeader(header: string, headers: ReadonlyMap<string, string>, services: readonly Service[]): Credential {
  const [, algorithm = '', rest = ''] = /^(\S+)\s+(.*)$/s.exec(header) ?? []
  if (algorithm !== ALGORITHM)
    throw unsupported('The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.')
  const fields = new Map(
    rest.split(',').map((field): [string, string] => {
      const at = field.indexOf('=')
      return [trimBlanks(field.slice(0, at)), trimBlanks(field.slice(at + 1))]
    }),
  )
  const [credential, signedHeaders, signature] = ['Credential', 'SignedHeaders', 'Signature'].map((name) => {
    const value = fields.get(name)
    if (!value) throw malformed(`The authorization header is malformed; ${name} is missing.`)
    return value
  }) as [string, string, string]
  return {
    in: 'header',
    ...read({ credential, signedHeaders, signature, ...dateOf(headers) }, malformed, services),
    expires: null,
  }
}

function ofQuery(query: Query): Credential {
  const one = (name: string): string => {
    const [value, ...others] = valuesOf(query, name)
    if (!value || others.length > 0)
      throw badQuery(
        'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
      )
    return value
  }
  if (one('X-Amz-Algorithm') !== ALGORITHM) throw badQuery('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"')
  const date = one('X-Amz-Date')
  const time = basicTime(date)
  if (!time) throw badQuery("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
  const expires = one('X-Amz-Expires')
  if (!/^-?\d+$/.test(expires)) throw badQuery('X-Amz-Expires should be a number')
  if (Number(expires) < 0) throw outOfRange('X-Amz-Expires must be non-negative')
  if (Number(expires) > MOST_SECONDS)
    throw outOfRange(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    )
  const parts = {
    credential: one('X-Amz-Credential'),
    signedHeaders: one('X-Amz-SignedHeaders'),
    signature: one('X-Amz-Signature'),
    date,
    time,
  }
  return { in: 'query', ...read(parts, badQuery, ONLY_S3), expires: Number(expires) }
}

type Bad = (message: string) => S3Error

/** Throws unless the day of a scope is that of the date. */
function assertDay(day: string, date: string, bad: Bad): void {
  if (day !== date.slice(0, 8))
    throw bad(`Invalid credential date "${day}". This date is not the same as X-Amz-Date: "${date.slice(0, 8)}".`)
}

function read(
  {
    credential,
    signedHeaders,
    signature,
    date,
    time,
  }: { credential: string; signedHeaders: string; signature: string; date: string; time: Date },
  bad: Bad,
  services: readonly Service[],
): Omit<Credential, 'in' | 'expires'> {
  const [accessKeyId = '', day = '', region, named, end, ...more] = credential.split('/')
  if (!accessKeyId || region === undefined || region.length > MOST_REGION || end !== 'aws4_request' || more.length > 0)
    throw bad('The Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".')
  if (!ID.test(accessKeyId))
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
  const service = services.find((one) => one === named)
  if (service === undefined)
    throw bad(
      `The credential scope has the service "${named}"; expecting ${services.map((one) => `"${one}"`).join(' or ')}.`,
    )
  assertDay(day, date, bad)
  if (!SIGNATURE.test(signature)) throw bad('The Signature must be 64 lower-case hexadecimal digits.')
  const names = signedHeaders.split(';')
  if (names.some((name) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || name !== name.toLowerCase()))
    throw bad('The SignedHeaders must be lower-case names, separated by semicolons.')
  // A long header named a thousand times would make a text of megabytes to be hashed, before the key is known.
  if (new Set(names).size < names.length) throw bad('The SignedHeaders name a header more than once.')
  return {
    accessKeyId,
    day,
    region,
    service,
    scope: `${day}/${region}/${service}/aws4_request`,
    date,
    time,
    signedHeaders: names,
    signature,
  }
}

/** When a header signature was made, also in the form that is signed. Throws AccessDenied. */
function dateOf(headers: ReadonlyMap<string, string>): { date: string; time: Date } {
  const given = headers.get('x-amz-date') ?? headers.get('date') ?? ''
  const basic = basicTime(given)
  if (basic) return { date: given, time: basic }
  // In a `Date`, botocore writes UTC as mail does (RFC 5322).
  const any = anyTime(given.replace(/ [+-]0000$/, ' GMT'))
  if (!any) throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  any.setUTCMilliseconds(0)
  return { date: any.toISOString().replace(/[-:]|\.\d+/g, ''), time: any }
}

const SKEW_MS = 15 * 60_000

/** Throws unless a signature is of now: at most 15 minutes old or ahead, a presigned URL's until it expires. */
export function assertCurrent({ time, expires, date }: Credential, now: Date): void {
  const ahead = time.getTime() - now.getTime()
  if (expires === null) {
    if (Math.abs(ahead) <= SKEW_MS) return
    throw new S3Error(
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
      {
        fields: { RequestTime: date, ServerTime: now.toISOString(), MaxAllowedSkewMilliseconds: String(SKEW_MS) },
      },
    )
  }
  if (ahead > SKEW_MS) throw new S3Error('AccessDenied', 'Request is not yet valid')
  if (now.getTime() < time.getTime() + expires * 1000) return
  throw new S3Error('AccessDenied', 'Request has expired', {
    fields: {
      'X-Amz-Expires': String(expires),
      Expires: new Date(time.getTime() + expires * 1000).toISOString(),
      ServerTime: now.toISOString(),
    },
  })
}

/** Headers that networks in between add, and that mean nothing here: CloudFront's id of a request. */
const FOREIGN: ReadonlySet<string> = new Set(['x-amz-cf-id'])

/** Of fewer headers than this, a list is searched in less time than a set is made. */
const FEW = 16

/** Throws unless everything is signed that could change what a request does. */
export function assertCovered(
  { in: place, signedHeaders }: Credential,
  headers: ReadonlyMap<string, string>,
  payloadHash: string,
): void {
  const signed =
    signedHeaders.length > FEW ? new Set(signedHeaders) : { has: (name: string) => signedHeaders.includes(name) }
  // Some programs add to a presigned URL a header that repeats what its signature says of the body.
  const repeats = (name: string, value: string) =>
    place === 'query' && name === 'x-amz-content-sha256' && value === payloadHash
  const saysNothing = (name: string, value: string) => FOREIGN.has(name) || repeats(name, value)
  const missing: string[] = []
  for (const [name, value] of headers)
    if (name.startsWith('x-amz-') && !signed.has(name) && !saysNothing(name, value)) missing.push(name)
  if (!signed.has('host')) missing.unshift('host')
  if (missing.length > 0)
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      fields: { HeadersNotSigned: missing.join(', ') },
    })
}
