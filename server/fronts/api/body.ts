import type http from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Tells a client that waits with its body (`Expect: 100-continue`) to send it: it is wanted now. */
export function expectBody(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.expect?.toLowerCase() !== '100-continue') return
  delete request.headers.expect
  reply.raw.writeContinue()
}

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const DRAIN_BYTES = 64 * 1024 * 1024
const DRAIN_MS = 5000

/**
 * A body that is refused unread is read away for a while, so that a client that is still sending gets to see the
 * answer (a reset would discard it); then the connection is given up. One that waits for `100 Continue` sends nothing.
 * `answer` is called when the answer may be sent: a short one arrives before a reset, that of a GET may be long and waits
 * for the end of the body.
 */
export function leaveUnread({ raw, headers }: FastifyRequest, reply: FastifyReply, answer: () => void): void {
  if (headers.expect !== undefined) {
    reply.header('connection', 'close')
    answer()
    return
  }
  // A form that was given up half-way is still held back by its parser.
  raw.unpipe()
  let drained = 0
  const timer = setTimeout(() => raw.socket.destroy(), DRAIN_MS)
  raw.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > DRAIN_BYTES) raw.socket.destroy()
  })
  raw.resume()
  raw.on('close', () => clearTimeout(timer))
  if (!reply.raw.shouldKeepAlive) lingerOverBody(raw)
  if (raw.method === 'GET' && !raw.destroyed) raw.once('close', answer)
  else answer()
}

/**
 * Behind the last answer of a connection Node destroys the socket, and the system then resets it while bytes still arrive.
 * So only our side is closed until the body has ended (RFC 9112 section 9.6). Only for a client that asked for the close:
 * the parser then reads no request behind the body.
 */
function lingerOverBody(raw: http.IncomingMessage): void {
  const { socket } = raw
  const destroySoon = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    socket.end()
    if (raw.closed) destroySoon()
    else raw.once('close', destroySoon)
  }
}

/** What a body that goes on must bring in each span of time. */
const LEAST_BYTES = 1024
/** Over so many spans a body must go on at a rate that would have brought what it holds in so many seconds. */
const SPANS = 4
const HOLD_SECONDS = 1024
/** Bytes a second that are enough, whatever is held: a slow line of today. */
const ENOUGH = 4096

/**
 * Tells once in each span of `ms`, by how many bytes there are by then, whether a body comes fast enough. The more it
 * holds the faster it has to go on: what is held takes room from others, and a trickle must not hold it for hours.
 */
export function paceOf(ms: number, from = 0): (total: number) => boolean {
  const totals = [from]
  return (total) => {
    const last = totals.at(-1) ?? 0
    totals.push(total)
    if (totals.length > SPANS + 1) totals.shift()
    const [first = 0] = totals
    const rate = Math.min(ENOUGH, first / HOLD_SECONDS)
    return total - last >= LEAST_BYTES && total - first >= rate * (ms / 1000) * (totals.length - 1)
  }
}

/**
 * Gives a request up (408) whose body does not come: a small one must be there within `ms`; one that is streamed may take
 * hours, as long as it keeps its pace. While we are the ones who do not read, time does not count.
 */
export function expectPace({ raw, server }: FastifyRequest, reply: FastifyReply, streams: boolean, ms: number): void {
  const { socket } = raw
  const begun = socket.bytesRead
  let pace = paceOf(ms)
  const timer = setInterval(() => {
    if (raw.complete) return clearInterval(timer)
    const total = socket.bytesRead - begun
    if (streams && raw.readableLength > 0) {
      pace = paceOf(ms, total)
      return
    }
    if (pace(total) && streams) return
    clearInterval(timer)
    if (reply.raw.headersSent) return void socket.destroy()
    server.server.emit('clientError', Object.assign(new Error('body'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  }, ms)
  timer.unref()
  raw.once('close', () => clearInterval(timer))
}
