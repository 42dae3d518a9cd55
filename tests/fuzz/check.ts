import { Ajv, type ValidateFunction } from 'ajv'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import type { Operation } from './requests.ts'
import type { Answer, Wire } from './wire.ts'

/** Refusals that any operation may answer, whatever its own page says: they are about how, not what, was asked. */
const everywhere: readonly ErrorCode[] = [
  'malformed',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'too_large',
  'unsupported_media_type',
  'expectation_failed',
  'invalid_request',
  'rate_limited',
  'headers_too_large',
]
const ajv = new Ajv({ strict: false, formats: { password: true, 'object-key': true, 'key-prefix': true } })
ajv.addFormat('date-time', (text: string) => new Date(text).toISOString() === text)
const validators = new WeakMap<object, ValidateFunction>()

/** What is wrong with an answer; undefined: nothing. */
export function faultOf(operation: Operation, wire: Wire, answer: Answer): string | undefined {
  const { status, headers, body } = answer
  // Half a request may be given up without a word.
  if (status === 0) return wire.framing === 'short' ? undefined : 'the connection was closed without an answer'
  if (!headers['x-request-id']) return 'no X-Request-Id'
  if (headers['x-content-type-options'] !== 'nosniff') return 'no nosniff'
  if (Object.keys(headers).some((name) => name === 'x-injected')) return 'an injected header'
  if (wire.method === 'HEAD' || status === 204 || status === 304) {
    // What is no HTTP is answered without looking at its method, and the connection is closed.
    if (body.length > 0 && !(headers.connection === 'close' && /^(400|431)$/.test(String(status))))
      return `a body with a ${status}`
    return status >= 500 ? `status ${status}` : undefined
  }
  if (status >= 400) return problemFault(operation, answer)
  const declared = operation.responses[status]
  if (!declared && status < 300) return `undeclared status ${status}`
  const schema = declared?.content?.['application/json']?.schema
  if (!schema || !headers['content-type']?.startsWith('application/json')) return undefined
  let validate = validators.get(schema)
  if (!validate) {
    validate = ajv.compile(schema)
    validators.set(schema, validate)
  }
  return validate(JSON.parse(body.toString())) ? undefined : `reply ${ajv.errorsText(validate.errors)}`
}

function problemFault(operation: Operation, { status, headers, body }: Answer): string | undefined {
  const type = headers['content-type'] ?? ''
  if (!/^application\/problem\+json(;|$)/.test(type)) {
    // A browser is shown a page where a login went wrong, and readiness is answered in its own shape.
    if (operation.tags[0] === 'auth' && /^text\/html/.test(type) && status < 500) return undefined
    if (status === 503 && operation.operationId === 'GET /console/{rest}') return undefined
    // The documentation has a page of its own for what it does not have.
    if (status === 404 && operation.operationId === 'GET /help/{rest}') return undefined
    if (operation.operationId === 'readyz') return `not ready: ${body}`
    return `status ${status} as ${type}: ${body.subarray(0, 200)}`
  }
  const problem = JSON.parse(body.toString()) as { status: number; code: string; request_id: string; detail: unknown }
  const known = Object.hasOwn(errors, problem.code) ? errors[problem.code as ErrorCode] : undefined
  if (!known || known.status !== status || problem.status !== status) return `status ${status} with ${problem.code}`
  if (problem.request_id !== headers['x-request-id']) return 'the request id differs from the header'
  if (typeof problem.detail !== 'string' || problem.detail === '') return 'no detail'
  if (status === 401 && !headers['www-authenticate']) return 'a 401 without WWW-Authenticate'
  if ((status === 429 || problem.code === 'busy') && !/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
    return `a ${status} without Retry-After`
  const documented = operation.responses[status] !== undefined || everywhere.includes(problem.code as ErrorCode)
  if (status >= 500) return problem.code === 'internal' || !documented ? `status ${status}: ${problem.code}` : undefined
  return documented ? undefined : `undocumented ${status} ${problem.code}`
}
