import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type ErrorCode, errors, type Fault } from '../../../contract/errors.ts'
import { asServiceError, isBrokenOff } from '../../http/failure.ts'
import { faultOf } from '../../http/validation.ts'
import type { Raw } from './handle.ts'

/** Clients of RFC 6749 section 5.2 look for `error`. */
const ofOauth: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_grant',
  'unsupported_grant_type',
  'second_factor_required',
  'second_factor_enrollment_required',
  'password_change_required',
  'invalid_second_factor',
])

/** Sends an RFC 9457 problem. */
export function sendProblem(
  { request, reply }: Raw,
  code: ErrorCode,
  detail: string,
  more: {
    faults?: readonly Fault[]
    headers?: Readonly<Record<string, string>>
    extensions?: Readonly<Record<string, unknown>>
  } = {},
): FastifyReply {
  const { status, title } = errors[code]
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (more.headers) reply.headers(more.headers)
  const oauth = ofOauth.has(code) ? { error: code } : {}
  const problem = { status, code, title, detail, request_id: request.id, ...oauth, ...more.extensions }
  return reply
    .code(status)
    .header('content-type', 'application/problem+json')
    .header('cache-control', 'no-store')
    .serializer(JSON.stringify)
    .send(more.faults?.length ? { ...problem, errors: more.faults } : problem)
}

/** Fastify's own errors by code. */
const frameworkErrors: Record<string, { code: ErrorCode; detail?: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'too_large', detail: 'The body is larger than this operation accepts.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'malformed', detail: 'The body does not match its Content-Length.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'malformed', detail: 'The body is empty; this operation expects JSON.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'malformed', detail: 'The body is not valid JSON.' },
  FST_ERR_BAD_URL: { code: 'malformed', detail: 'The URL has an invalid percent-encoding.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found', detail: 'No such path.' },
  FST_STATIC_FORBIDDEN_PATH: { code: 'not_found', detail: 'No such path.' },
}

/** Errors from the static file server of the API pages, by status. */
const fileErrors: Record<number, ErrorCode> = {
  400: 'malformed',
  403: 'not_found',
  404: 'not_found',
  412: 'precondition_failed',
  416: 'range_not_satisfiable',
}

const isFrameworkRefusal = (error: Error & { code?: string; statusCode?: number }): boolean =>
  error.code?.startsWith('FST_') === true && Math.floor((error.statusCode ?? 500) / 100) === 4

/** Turns anything thrown while serving a request into a problem; unknown errors are logged and hidden. */
export function handleError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if ('validation' in error && error.validation) {
    const where = error.validationContext === 'querystring' ? 'query' : (error.validationContext ?? 'body')
    const faults = error.validation.slice(0, 20).map((fault) => faultOf(where, fault))
    const detail = faults.map(({ path, message }) => `${path} ${message}`).join('; ')
    return sendProblem({ request, reply }, 'invalid_request', detail, { faults })
  }
  if (isBrokenOff(error, request.raw)) return sendProblem({ request, reply }, 'malformed', 'The body is incomplete.')
  const known = 'code' in error ? frameworkErrors[error.code] : undefined
  if (known) return sendProblem({ request, reply }, known.code, known.detail ?? error.message)
  // Others of the framework that are the client's fault.
  if (isFrameworkRefusal(error)) return sendProblem({ request, reply }, 'malformed', error.message)
  if (error instanceof SyntaxError && (error as FastifyError).statusCode === 400)
    return sendProblem({ request, reply }, 'malformed', 'The body is not valid JSON.')
  const ofFile = 'expose' in error && error.expose ? fileErrors[(error as FastifyError).statusCode ?? 0] : undefined
  if (ofFile) return sendProblem({ request, reply }, ofFile, error.message)
  const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  const answered = asServiceError(error, reads, request.log as Logger)
  return sendProblem({ request, reply }, answered.code, answered.message, answered)
}
