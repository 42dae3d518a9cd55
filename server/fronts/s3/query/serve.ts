/**
 * AWS' Query protocol on the S3 port: `POST /` with a form that names an `Action`, as IAM and STS have it
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/iam-query-requests.html).
 */
import { createHash } from 'node:crypto'
import type http from 'node:http'
import { ServiceError } from '../../../../contract/errors.ts'
import { publicActor } from '../../../access/actors.ts'
import { auditDenied } from '../../../access/auth/audit-denied.ts'
import { TokenRefused } from '../../../access/oidc-providers/refusal.ts'
import { type Actor, createContext, type System } from '../../../context.ts'
import { chunksOf, expectBody, expectPace } from '../../../http/body.ts'
import { collect } from '../../../http/collect.ts'
import type { RequestFacts } from '../../../iam/request-facts.ts'
import { type Arrived, authenticateSigned } from '../requests/authenticate.ts'
import type { Wire } from '../requests/exchange.ts'
import { limitFailures } from '../requests/limits.ts'
import { joinHeaders } from '../requests/signature/canonical.ts'
import { assertCovered, assertCurrent, type Credential, readCredential } from '../requests/signature/credential.ts'
import type { Target } from '../requests/target.ts'
import { IAM, type QueryAction, type QueryApi, STS } from './action.ts'
import { findAction } from './actions.ts'
import { answerFailure, answerResult } from './answers.ts'
import { type Parameters, readParameters } from './parameters.ts'
import { QueryError } from './query-error.ts'

/** Bytes: many times what a policy may have, each character of which may be encoded with three. */
const MOST_BYTES = 131_072
/** Of forms that nobody has signed: a token of an identity provider, and a policy. */
const MOST_UNSIGNED_BYTES = 65_536
const SERVICES = ['iam', 'sts', 's3'] as const

const isForm = ({ headers }: http.IncomingMessage): boolean =>
  /^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '')

/** Whether a request is one of this protocol. */
export const isQuery = (request: http.IncomingMessage, { bucket, key }: Target): boolean =>
  request.method === 'POST' && bucket === '' && key === '' && isForm(request)

/** What the log and the metrics say of a request. */
interface Seen {
  operation?: { name: string }
  actor?: Actor
  accessKeyId?: string
}

/** Serves such a request to the end of its answer. */
export async function serveQuery(
  system: System,
  server: http.Server,
  wire: Wire,
  { arrived, seen }: { arrived: Arrived; seen: Seen },
): Promise<void> {
  let api: QueryApi = IAM
  try {
    arrived.origin.asks = factsOf(system, wire)
    const { body, headers, credential } = await receive(system, server, wire, arrived)
    const parameters = readParameters(body)
    // Whose words the answer is in, also where it is a refusal.
    api = parameters.optional('Version', { most: 100, least: 0 }) === STS.version ? STS : IAM
    const authenticated = credential
      ? await authenticateSigned(system, arrived, { headers, credential, payloadHash: sha256(body) })
      : undefined
    if (authenticated) Object.assign(seen, { actor: authenticated.actor, accessKeyId: authenticated.accessKeyId })
    const action = actionIn(parameters, api)
    seen.operation = { name: action.name }
    arrived.origin.route = `${action.api.service}:${action.name}`
    assertSigned(system, action, arrived, credential)
    const ctx = createContext(system, authenticated?.actor ?? publicActor(arrived.origin))
    try {
      const accessKeyId = authenticated?.accessKeyId
      await answerResult(system, wire, action, await action.run({ action, ctx, system, parameters, accessKeyId }))
    } catch (error) {
      if (!credential && isRefusal(error)) limitFailures(system, arrived.origin)
      if (error instanceof ServiceError && error.code === 'forbidden') await auditDenied(ctx, error)
      throw error
    }
  } catch (error) {
    await answerFailure(system, wire, api, error)
  }
}

/** Whether somebody without a credential was refused, and could try again and again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ServiceError
    ? error.code === 'forbidden'
    : error instanceof QueryError && error.cause instanceof TokenRefused && error.cause.reason !== 'unreachable'

/** What policies can know of such a request, besides of its caller. */
const factsOf = ({ config }: System, { scheme, request }: Wire): RequestFacts => ({
  names: {},
  known(key) {
    if (key === 'aws:securetransport') return [String(scheme === 'https')]
    if (key === 'aws:requestedregion') return [config.s3.region]
    const { referer } = request.headers
    return key === 'aws:referer' && referer !== undefined ? [referer] : undefined
  },
})

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

/** The body of a request, once all that its headers say of a signature can be checked. */
async function receive(system: System, server: http.Server, wire: Wire, { rawHeaders, decodedQuery, query }: Arrived) {
  const { request, response } = wire
  if (query !== '') throw new QueryError('MalformedQueryString', 'Parameters belong in the body of the request.')
  const headers = joinHeaders(rawHeaders)
  const credential = readCredential(headers, decodedQuery, undefined, SERVICES)
  if (credential) {
    assertCurrent(credential, system.now())
    assertCovered(credential, headers, headers.get('x-amz-content-sha256') ?? '')
  }
  const most = credential ? MOST_BYTES : MOST_UNSIGNED_BYTES
  const tooLarge = () => new QueryError('RequestEntityTooLarge', `The request is larger than ${most} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge()
  expectPace(server, wire, false, system.config.requestTimeoutMs)
  expectBody(request, response)
  return { headers, credential, body: await collect(chunksOf(request), most, tooLarge) }
}

/** Throws MissingAction or InvalidAction. */
function actionIn(parameters: Parameters, api: QueryApi): QueryAction {
  const name = parameters.optional('Action', { most: 128 })
  if (name === undefined) throw new QueryError('MissingAction', 'The request is missing an Action.')
  const version = parameters.optional('Version', { most: 100, least: 0 }) ?? api.version
  const action = findAction(name)
  if (action?.api.version !== version)
    throw new QueryError('InvalidAction', `Could not find operation ${name} for version ${version}`)
  const unknown = parameters
    .names()
    .find((one) => one !== 'Action' && one !== 'Version' && !action.accepts.includes(one))
  if (unknown !== undefined)
    throw new QueryError('NotImplemented', `The parameter ${unknown} of ${name} is not implemented.`)
  return action
}

/** Throws unless a request is signed for the API of its action, or need not be signed. */
function assertSigned(
  system: System,
  { api, unsigned }: QueryAction,
  { origin }: Arrived,
  credential: Credential | null,
) {
  if (!credential) {
    if (unsigned) return
    limitFailures(system, origin)
    throw new QueryError('MissingAuthenticationToken', 'Request is missing Authentication Token')
  }
  if (credential.service !== api.service && credential.service !== 's3')
    throw new QueryError('SignatureDoesNotMatch', `Credential should be scoped to correct service: '${api.service}'.`)
}
