import type http from 'node:http'
import { corsMethods } from '../../../../../contract/bucket-rules.ts'
import { MOST_ONE_WILDCARD } from '../../../../../contract/patterns.ts'
import { trimBlanks } from '../../../../base/blanks.ts'
import type { System } from '../../../../context.ts'
import { findConfig, setConfig } from '../../../../storage/buckets/documents/config.ts'
import { type CorsQuestion, type CorsRule, corsAnswer } from '../../../../storage/buckets/documents/cors.ts'
import { answer } from '../../answers/answer.ts'
import { element, result } from '../../answers/xml.ts'
import { S3Error } from '../../errors.ts'
import type { Exchange, Wire } from '../../requests/exchange.ts'
import {
  childTexts,
  type DocumentShape,
  malformedXml,
  many,
  readDocument,
  type XmlNode,
} from '../../requests/read-xml.ts'

/** As in S3. */
const MOST_BYTES = 65_536
const MOST_RULES = 100
const MOST_ID = 255
/** Of origins, methods or headers of one rule: what a configuration can say, too. */
const MOST_NAMES = 100
/** One more rule than there may be, so that it is refused by name. */
export const CORS: DocumentShape = {
  root: 'CORSConfiguration',
  most: MOST_BYTES,
  elements: {
    CORSRule: many(MOST_RULES + 1, {
      ID: 'text',
      AllowedOrigin: many(MOST_NAMES),
      AllowedMethod: many(MOST_NAMES),
      AllowedHeader: many(MOST_NAMES),
      ExposeHeader: many(MOST_NAMES),
      MaxAgeSeconds: 'text',
      // In examples of AWS' documents.
      MaxAgeSec: 'text',
    }),
  },
}
/** The name of a header (RFC 9110 section 5.1). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~\w-]+$/

const refused = (message: string) => new S3Error('InvalidRequest', message)

function assertWildcard(what: string, text: string): void {
  if (text.indexOf('*') !== text.lastIndexOf('*'))
    throw refused(`${what} "${text}" can not have more than one wildcard.`)
  if (text.length > MOST_ONE_WILDCARD) throw refused(`${what} has at most ${MOST_ONE_WILDCARD} characters.`)
}

/** The texts of a rule's elements of a name. An empty one says nothing, as in examples of AWS' documents. */
const saidIn = (node: XmlNode, name: string): string[] =>
  childTexts(node, name)
    .map((text) => text.trim())
    .filter((text) => text !== '')

/**
 * One `<CORSRule>` (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CORSRule.html); throws MalformedXML or
 * InvalidRequest.
 */
function ruleOf(node: XmlNode): CorsRule {
  const origins = saidIn(node, 'AllowedOrigin')
  const headers = saidIn(node, 'AllowedHeader')
  const expose = saidIn(node, 'ExposeHeader')
  const [id] = saidIn(node, 'ID')
  const [age] = [...saidIn(node, 'MaxAgeSeconds'), ...saidIn(node, 'MaxAgeSec')]
  const methods = childTexts(node, 'AllowedMethod').map((method) => {
    const known = corsMethods.find((one) => one === method)
    if (known === undefined)
      throw refused(`Found unsupported HTTP method in CORS config. Unsupported method is ${method}`)
    return known
  })
  if (origins.length === 0 || methods.length === 0) throw malformedXml()
  if (id !== undefined && id.length > MOST_ID) throw refused(`A rule's ID has at most ${MOST_ID} characters.`)
  if (age !== undefined && !/^\d{1,9}$/.test(age)) throw malformedXml()
  for (const origin of origins) assertWildcard('AllowedOrigin', origin)
  for (const name of headers) {
    if (!FIELD_NAME.test(name)) throw refused(`AllowedHeader "${name}" contains invalid character.`)
    assertWildcard('AllowedHeader', name)
  }
  for (const name of expose) {
    if (name.includes('*'))
      throw refused(`ExposeHeader "${name}" contains wildcard. We currently do not support wildcard for ExposeHeader.`)
    if (!FIELD_NAME.test(name)) throw refused(`ExposeHeader "${name}" contains invalid character.`)
  }
  return {
    ...(id === undefined ? {} : { id }),
    origins,
    methods,
    ...(headers.length === 0 ? {} : { headers }),
    ...(expose.length === 0 ? {} : { expose }),
    ...(age === undefined ? {} : { max_age_seconds: Number(age) }),
  }
}

/** The document of a bucket's rules. */
export const corsDocument = (rules: readonly CorsRule[]): string =>
  result(
    'CORSConfiguration',
    ...rules.map(({ id, origins, methods, headers = [], expose = [], max_age_seconds }) =>
      element(
        'CORSRule',
        element('ID', id),
        ...headers.map((one) => element('AllowedHeader', one)),
        ...methods.map((one) => element('AllowedMethod', one)),
        ...origins.map((one) => element('AllowedOrigin', one)),
        ...expose.map((one) => element('ExposeHeader', one)),
        element('MaxAgeSeconds', max_age_seconds),
      ),
    ),
  )

export async function putBucketCors(exchange: Exchange): Promise<void> {
  const { children } = await readDocument(exchange, CORS)
  if (children.length === 0) throw malformedXml()
  if (children.length > MOST_RULES)
    throw refused(`The number of CORS rules should not exceed allowed limit of ${MOST_RULES} rules.`)
  await setConfig(exchange.ctx, exchange.bucket, 'cors', children.map(ruleOf))
  await answer(exchange, 200, {})
}

export async function deleteBucketCors(exchange: Exchange): Promise<void> {
  await setConfig(exchange.ctx, exchange.bucket, 'cors', null)
  await answer(exchange, 204, {})
}

/** What a request says of the script that sends it; undefined where none does. */
function questionOf({ method, headers }: http.IncomingMessage): CorsQuestion | undefined {
  if (!headers.origin) return undefined
  const asked = headers['access-control-request-method']
  return {
    origin: headers.origin,
    method: typeof asked === 'string' ? asked : (method ?? ''),
    headers: headersAskedIn(headers).map((name) => name.toLowerCase()),
  }
}

/** The headers that a script wants to send. */
const headersAskedIn = (headers: http.IncomingHttpHeaders): string[] =>
  (headers['access-control-request-headers'] ?? '')
    .split(',')
    .map(trimBlanks)
    .filter((name) => name !== '')

/**
 * Lets a script of another origin read the answer, if the bucket's rules allow it: also one that refuses, which says
 * why. Needs no credential, as browsers ask without one. Returns whether a rule allows it.
 */
export async function allowOrigin({ database }: System, wire: Wire, bucket: string): Promise<boolean> {
  const { request, response } = wire
  const question = questionOf(request)
  if (question === undefined || bucket === '') return false
  const found = corsAnswer((await findConfig(database.db, bucket, 'cors')) ?? [], question)
  // Also without a rule that matches: a cache must not answer one origin with what another was told.
  response.setHeader('vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method')
  if (!found) return false
  const { methods, expose = [], max_age_seconds } = found.rule
  response.setHeader('access-control-allow-origin', found.everyone ? '*' : question.origin)
  if (!found.everyone) response.setHeader('access-control-allow-credentials', 'true')
  response.setHeader('access-control-allow-methods', methods.join(', '))
  if (question.headers.length > 0) response.setHeader('access-control-allow-headers', question.headers.join(', '))
  if (expose.length > 0) response.setHeader('access-control-expose-headers', expose.join(', '))
  if (max_age_seconds !== undefined) response.setHeader('access-control-max-age', max_age_seconds)
  return true
}

/**
 * Answers a browser that asks whether a script may send a request. One refusal for every bucket, whether it exists or
 * not. Throws BadRequest or AccessForbidden.
 */
export async function answerPreflight(
  system: System,
  wire: Wire,
  { bucket, allowed }: { bucket: string; allowed: boolean },
): Promise<void> {
  const { origin, 'access-control-request-method': method } = wire.request.headers
  if (!origin) throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  if (!corsMethods.some((one) => one === method))
    throw new S3Error('BadRequest', `Invalid Access-Control-Request-Method: ${method ?? 'null'}`)
  const wrong = headersAskedIn(wire.request.headers).find((name) => !FIELD_NAME.test(name))
  if (wrong !== undefined)
    throw new S3Error('BadRequest', `Access-Control-Request-Headers "${wrong}" contains invalid character.`)
  if (!allowed)
    throw new S3Error(
      'AccessForbidden',
      "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
      { fields: { Method: String(method), ResourceType: bucket === '' ? 'SERVICE' : 'BUCKET' } },
    )
  await answer({ system, ...wire }, 200, {})
}
