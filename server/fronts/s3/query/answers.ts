import type { ErrorCode, ServiceError } from '../../../../contract/errors.ts'
import type { System } from '../../../context.ts'
import { asServiceError, isBrokenOff } from '../../../http/failure.ts'
import { MalformedPolicy } from '../../../iam/malformed.ts'
import { answer } from '../answers/answer.ts'
import { dropHeaders } from '../answers/problem.ts'
import { type Element, element, inNamespace } from '../answers/xml.ts'
import { S3Error } from '../errors.ts'
import type { Wire } from '../requests/exchange.ts'
import type { QueryAction, QueryApi } from './action.ts'
import { type QueryCode, QueryError } from './query-error.ts'

const headersOf = ({ id }: Wire) => ({ 'content-type': 'text/xml', 'x-amzn-requestid': id })

/** Answers an action with its result. */
export async function answerResult(
  system: System,
  wire: Wire,
  { name, api }: QueryAction,
  contents: readonly Element[] | undefined,
): Promise<void> {
  const document = inNamespace(
    `${name}Response`,
    api.namespace,
    ...(contents === undefined ? [] : [element(`${name}Result`, ...contents)]),
    element('ResponseMetadata', element('RequestId', wire.id)),
  )
  await answer({ system, ...wire }, 200, headersOf(wire), document)
}

/** Answers with an error, whatever was thrown; what is not for the client's eyes is logged and hidden. */
export async function answerFailure(system: System, wire: Wire, api: QueryApi, error: unknown): Promise<void> {
  if (wire.response.headersSent) {
    system.log.warn({ err: error }, 'an answer of the IAM API was broken off')
    wire.response.destroy()
    return
  }
  const { code, message, status } = failureOf(system, wire, error)
  dropHeaders(wire.response)
  const document = inNamespace(
    'ErrorResponse',
    api.namespace,
    element(
      'Error',
      element('Type', status < 500 ? 'Sender' : 'Receiver'),
      element('Code', code),
      element('Message', message),
    ),
    element('RequestId', wire.id),
  )
  await answer({ system, ...wire }, status, headersOf(wire), document)
}

/** What the S3 gate refuses, in the words of the Query protocol. */
const OF_S3: { readonly [code: string]: QueryCode } = {
  AccessDenied: 'AccessDenied',
  AuthorizationHeaderMalformed: 'IncompleteSignature',
  IncompleteBody: 'IncompleteBody',
  ExpiredToken: 'ExpiredToken',
  InternalError: 'InternalFailure',
  InvalidAccessKeyId: 'InvalidClientTokenId',
  InvalidRequest: 'IncompleteSignature',
  InvalidToken: 'InvalidClientTokenId',
  RequestTimeTooSkewed: 'RequestExpired',
  RequestTimeout: 'RequestTimeout',
  ServiceUnavailable: 'ServiceUnavailable',
  SignatureDoesNotMatch: 'SignatureDoesNotMatch',
  SlowDown: 'Throttling',
}

/** What the core refuses, in the same words. */
const OF_CORE: { readonly [code in ErrorCode]?: QueryCode } = {
  already_exists: 'EntityAlreadyExists',
  busy: 'ServiceUnavailable',
  changed: 'ConcurrentModification',
  conflict: 'UnmodifiableEntity',
  email_in_use: 'EntityAlreadyExists',
  forbidden: 'AccessDenied',
  internal: 'InternalFailure',
  last_admin: 'DeleteConflict',
  limit_reached: 'LimitExceeded',
  not_empty: 'DeleteConflict',
  not_found: 'NoSuchEntity',
  not_implemented: 'NotImplemented',
  rate_limited: 'Throttling',
  request_timeout: 'RequestTimeout',
  standby: 'ServiceUnavailable',
  storage_full: 'ServiceUnavailable',
  unauthenticated: 'InvalidClientTokenId',
}

function failureOf(system: System, { request }: Wire, error: unknown): QueryError {
  if (error instanceof QueryError) return error
  if (error instanceof MalformedPolicy) return new QueryError('MalformedPolicyDocument', error.message)
  if (error instanceof S3Error)
    return new QueryError(
      OF_S3[error.code] ?? (error.status < 500 ? 'ValidationError' : 'InternalFailure'),
      error.message,
    )
  if (error instanceof Error && isBrokenOff(error, request))
    return new QueryError('IncompleteBody', 'The request body terminated unexpectedly')
  const { code, message }: ServiceError = asServiceError(error as Error, false, system.log)
  return new QueryError(OF_CORE[code] ?? 'ValidationError', message)
}
