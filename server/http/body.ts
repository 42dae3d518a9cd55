import type http from 'node:http'

type Request = http.IncomingMessage
type Response = http.ServerResponse

/** Sends `100 Continue` to a client that waits with its body, now that the body is needed. */
export function expectBody({ headers }: Request, response: Response): void {
  if (headers.expect?.toLowerCase() !== '100-continue') return
  delete headers.expect
  response.writeContinue()
}

export const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Whether all of a body is here. Node says so only after it has called everyone with its bytes. */
const hasArrived = ({ complete, headers, readableLength }: Request): boolean =>
  complete || readableLength === Number(headers['content-length'])

/**
 * The chunks of a body. Its stream stays open when reading stops half-way, so that the answer can still be sent. What has
 * arrived as a whole, as small bodies have when they are wanted, is read without the machinery of a stream.
 */
export const chunksOf = (request: Request): AsyncIterable<Uint8Array> =>
  hasArrived(request) ? arrived(request) : request.iterator({ destroyOnReturn: false })

async function* arrived(request: Request): AsyncGenerator<Uint8Array> {
  const whole: Uint8Array | null = request.read()
  // Nobody reads it any further: this lets it end, and the connection continue with its next request.
  request.resume()
  if (whole !== null) yield whole
}

const DRAIN_BYTES = 64 * 1024 * 1024
const DRAIN_MS = 5000

/**
 * Reads and discards a rejected body for a while, so that a client that is still sending sees the response (a reset
 * would discard it); then closes the connection. A client waiting for `100 Continue` sends nothing. `answer` is called
 * when the response may be sent: a short one arrives before a reset, a GET's may be long and waits for the body's end,
 * or for the end of that while.
 */
export function leaveUnread(request: Request, response: Response, answer: () => void): void {
  if (request.headers.expect !== undefined) {
    response.setHeader('connection', 'close')
    answer()
    return
  }
  // A form whose parsing was abandoned half-way is still held back by its parser.
  request.unpipe()
  let drained = 0
  const waits = request.method === 'GET' && !request.destroyed
  const timer = setTimeout(() => {
    if (!waits) return void request.socket.destroy()
    request.off('close', answer)
    response.setHeader('connection', 'close')
    answer()
  }, DRAIN_MS)
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > DRAIN_BYTES) request.socket.destroy()
  })
  request.resume()
  request.on('close', () => clearTimeout(timer))
  if (!response.shouldKeepAlive) lingerOverBody(request)
  if (waits) request.once('close', answer)
  else answer()
}

/**
 * After a connection's last response Node destroys the socket, and the system resets it while bytes still arrive. So we
 * close only our side until the body has ended (RFC 9112 section 9.6). Only for clients that asked for the close: the
 * parser then reads no request after the body.
 */
function lingerOverBody(request: Request): void {
  const { socket } = request
  const destroySoon = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    socket.end()
    if (request.closed) destroySoon()
    else request.once('close', destroySoon)
  }
}

/** Minimum progress of a body in each span of time. */
const LEAST_BYTES = 1024
/** Over this many spans, a body must progress at a rate that would have brought what it holds in this many seconds. */
const SPANS = 4
const HOLD_SECONDS = 1024
/** Bytes per second that are always enough: a slow line today. */
const ENOUGH = 4096

/**
 * Called once per span of `ms` with the bytes received so far; returns whether the body arrives fast enough. The more
 * it holds, the faster it must continue: reserved space is unavailable to others, and a trickle must not hold it for
 * hours.
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
 * Rejects a request (408) whose body does not arrive: a small one must be complete within `ms`; a streamed one may take
 * hours as long as it keeps its pace. Time during which we do not read does not count.
 */
export function expectPace(
  server: http.Server,
  { request, response }: { request: Request; response: Response },
  streams: boolean,
  ms: number,
): void {
  if (hasArrived(request)) return
  const { socket } = request
  const begun = socket.bytesRead
  let pace = paceOf(ms)
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer)
    const total = socket.bytesRead - begun
    if (streams && request.readableLength > 0) {
      pace = paceOf(ms, total)
      return
    }
    if (pace(total) && streams) return
    clearInterval(timer)
    if (response.headersSent) return void socket.destroy()
    server.emit('clientError', Object.assign(new Error('body'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  }, ms)
  timer.unref()
  request.once('close', () => clearInterval(timer))
}
