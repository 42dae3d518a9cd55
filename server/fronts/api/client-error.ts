import { randomUUID } from 'node:crypto'
import type http from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, errors } from '../../../contract/errors.ts'
import type { System } from '../../context.ts'
import { answerUnreadable, endUnread } from '../../http/refuse-connection.ts'
import { countUnreadable } from '../../observe/requests.ts'

/** Node's errors that have a code of their own; all others are malformed. */
const codes: { [code: string]: ErrorCode } = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** A whole answer with a problem, for connections whose requests never reach a route. */
export function unreadableAnswer(system: System, security: Record<string, string>, code: ErrorCode): string {
  const { status, title } = errors[code]
  countUnreadable(system.config, status)
  const request_id = randomUUID()
  const body = JSON.stringify({ status, code, title, detail: title, request_id })
  return [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${request_id}`,
    ...Object.entries(security).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

/**
 * Handles requests that are not HTTP or have too large headers: they never reach a route. Where the connection ends with
 * the answer to an earlier request, nothing more is said.
 */
export const clientErrorHandler =
  (system: System, security: Record<string, string>, endingOf: (socket: Socket) => http.ServerResponse | undefined) =>
  (error: NodeJS.ErrnoException, socket: Socket) => {
    const ending = endingOf(socket)
    if (ending) endUnread(error, socket, ending)
    else
      answerUnreadable(error, socket, () => unreadableAnswer(system, security, codes[error.code ?? ''] ?? 'malformed'))
  }
