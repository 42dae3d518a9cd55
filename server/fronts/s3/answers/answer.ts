import type { System } from '../../../context.ts'
import { hasBody, leaveUnread } from '../../../http/body.ts'
import type { Exchange, Wire } from '../requests/exchange.ts'

export type AnswerHeaders = { readonly [name: string]: string | number | undefined }

/**
 * Writes an answer's status and headers: those of every answer, these, and what was set on the response before. They are
 * one list, which Node sends as it is: setting them one by one takes longer than all else about them.
 */
export function writeHead(
  { id, response, system }: Wire & { system: System },
  status: number,
  headers: AnswerHeaders,
  length?: number,
): void {
  // Clients whose clock differs correct their signatures by the date.
  const list = ['x-amz-request-id', id, 'x-amz-id-2', id, 'server', 'Strongroom', 'date', system.now().toUTCString()]
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) list.push(name, String(value))
  }
  if (length !== undefined) list.push('content-length', String(length))
  response.writeHead(status, list)
}

/** Calls `send` once an answer may be sent: when all that it tells is durable, and the rest of the body is dealt with. */
export async function sendOnceDurable(system: System, wire: Wire, status: number, send: () => void): Promise<void> {
  const { request, response, meter } = wire
  // No answer may reveal state that a power failure could still undo. Our own failures reveal none.
  const pending = meter.statements > 0 && status < 500 ? system.database.settled() : undefined
  if (pending) await pending
  meter.answered ||= performance.now()
  if (system.stopping.aborted) response.setHeader('connection', 'close')
  if (!request.complete && hasBody(request)) leaveUnread(request, response, send)
  else send()
}

/** Sends an answer with a whole body, or none. */
export async function answer(
  wire: Wire & { system: System },
  status: number,
  headers: AnswerHeaders,
  body: string | Buffer = '',
): Promise<void> {
  await sendOnceDurable(wire.system, wire, status, () => {
    const { request, response } = wire
    const isBare = status === 204 || status === 304 || headers['content-length'] !== undefined
    writeHead(wire, status, headers, isBare ? undefined : Buffer.byteLength(body))
    response.end(request.method === 'HEAD' ? undefined : body)
  })
}

/** Characters of a document from which on it is made bytes once, instead of being measured and then written. */
const LONG = 16_384

/** Sends a document. */
export const answerXml = (exchange: Exchange, document: string | Buffer, headers: AnswerHeaders = {}): Promise<void> =>
  answer(
    exchange,
    200,
    { 'content-type': 'application/xml', ...headers },
    typeof document !== 'string' || document.length < LONG ? document : Buffer.from(document),
  )
