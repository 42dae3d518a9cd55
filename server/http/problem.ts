import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, errors, type Fault, ServiceError } from '../../contract/errors.ts'

/** Answers with an RFC 9457 problem. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ErrorCode,
  detail: string,
  more: { faults?: readonly Fault[]; headers?: Readonly<Record<string, string>> } = {},
): FastifyReply {
  const { status, title } = errors[code]
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (more.headers) reply.headers(more.headers)
  // RFC 6749 section 5.2 clients look for `error`.
  const oauth = code === 'invalid_grant' || code === 'unsupported_grant_type' ? { error: code } : {}
  const problem = { status, code, title, detail, request_id: request.id, ...oauth }
  return reply
    .code(status)
    .header('content-type', 'application/problem+json')
    .header('cache-control', 'no-store')
    .serializer(JSON.stringify)
    .send(more.faults?.length ? { ...problem, errors: more.faults } : problem)
}

/** Fastify's own refusals by their code. */
const frameworkErrors: Record<string, { code: ErrorCode; detail?: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'too_large', detail: 'The body is larger than this operation takes.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'malformed', detail: 'The body does not have its Content-Length.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'malformed', detail: 'The body is empty; this operation takes JSON.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'malformed', detail: 'The body is not valid JSON.' },
  FST_ERR_BAD_URL: { code: 'malformed', detail: 'The URL has a faulty percent-encoding.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found', detail: 'There is nothing at this path.' },
  FST_STATIC_FORBIDDEN_PATH: { code: 'not_found', detail: 'There is nothing at this path.' },
  ECONNRESET: { code: 'malformed', detail: 'The body ended before it was complete.' },
}

/** Turns anything thrown while a request is served into a problem; unknown errors are logged and hidden. */
export function handleError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ServiceError) {
    if (error.code === 'busy') request.log.warn(error.message)
    else if (errors[error.code].status >= 500) request.log.error({ err: error }, error.message)
    return sendProblem(request, reply, error.code, error.message, error)
  }
  if ('validation' in error && error.validation) {
    const where = error.validationContext === 'querystring' ? 'query' : (error.validationContext ?? 'body')
    const faults = error.validation.slice(0, 20).map((fault): Fault => {
      const params = fault.params as { missingProperty?: string; additionalProperty?: string }
      const name = params.missingProperty ?? params.additionalProperty
      const path = [where, ...fault.instancePath.split('/').slice(1), ...(name ? [name] : [])].join('.')
      return { path, message: params.additionalProperty ? 'is not known here' : (fault.message ?? 'is not valid') }
    })
    const detail = faults.map(({ path, message }) => `${path} ${message}`).join('; ')
    return sendProblem(request, reply, 'invalid_request', detail, { faults })
  }
  const known = 'code' in error ? frameworkErrors[error.code] : undefined
  if (known) return sendProblem(request, reply, known.code, known.detail ?? error.message)
  if (error instanceof SyntaxError && (error as FastifyError).statusCode === 400)
    return sendProblem(request, reply, 'malformed', 'The body is not valid JSON.')
  request.log.error({ err: error }, 'unexpected error')
  return sendProblem(
    request,
    reply,
    'internal',
    'Something went wrong on our side. The request id finds it in the log.',
  )
}
