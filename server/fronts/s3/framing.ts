import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { System } from '../../context.ts'
import type { Misread } from '../../http/request-framing.ts'
import { countUnreadable } from '../../observe/requests.ts'
import { errorDocument } from './answers/xml.ts'
import { type S3Code, S3Error, s3Errors } from './errors.ts'

/** Texts of the refusals of requests that never reach an operation. */
const MESSAGES = {
  InvalidRequest: 'The request is not HTTP that this service reads.',
  MethodNotAllowed: 'The specified method is not allowed against this resource.',
  RequestHeaderSectionTooLarge:
    'The request header and query parameters used to make the request exceed the maximum allowed size.',
  RequestTimeout:
    'Your socket connection to the server was not read from or written to within the timeout period. Idle connections will be closed.',
} as const satisfies Partial<Record<S3Code, string>>

/** Node's errors that have a code of their own. */
export const UNREADABLE: { readonly [code: string]: keyof typeof MESSAGES } = {
  HPE_HEADER_OVERFLOW: 'RequestHeaderSectionTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'RequestTimeout',
}

/** A whole answer with an error, for connections whose requests cannot be read. */
export function unreadableAnswer(system: System, code: keyof typeof MESSAGES): string {
  const status = s3Errors[code]
  countUnreadable(system.config, status)
  const id = randomUUID()
  const body = errorDocument({ Code: code, Message: MESSAGES[code], RequestId: id, HostId: id })
  return [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    `x-amz-request-id: ${id}`,
    `x-amz-id-2: ${id}`,
    'Server: Strongroom',
    'Content-Type: application/xml',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

/** Headers of S3 that are lists, or that clients may repeat: their values are joined. */
const LISTS = /^x-amz-(meta-.*|grant-.*|object-attributes|optional-object-attributes|trailer)$/

/** Whether a header of S3 can be there once only: of two, a signature and what is done could each take another. */
export const isSingleHeader = (name: string): boolean => name.startsWith('x-amz-') && !LISTS.test(name)

/** The methods that an operation can have, and that of preflight requests. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/** Throws for what is refused before anything is asked of the request: how it is written, and its method. */
export function refuseMisread({ method = '' }: http.IncomingMessage, misread: Misread | undefined): void {
  if (misread) {
    const code = misread.code === 'not_implemented' ? 'NotImplemented' : 'InvalidRequest'
    throw new S3Error(code, misread.detail, { headers: { connection: 'close' } })
  }
  if (!METHODS.has(method))
    throw new S3Error('MethodNotAllowed', MESSAGES.MethodNotAllowed, {
      fields: { Method: method },
      headers: { allow: [...METHODS].join(', ') },
    })
}
