import type http from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How long a client may go on sending after it was answered. */
const LINGER_MS = 5000

/**
 * Answers a request that could not be read (`clientError` of Node's server) and closes the connection. What the client
 * still sends is read and dropped: closing with bytes unread would reset the connection, and the client could lose the
 * answer.
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex, answer: () => string): void {
  // Each further piece of such a request is an error again.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  socket.end(answer())
  ;(socket as Socket).setTimeout(LINGER_MS, () => socket.destroy())
}

/**
 * The same where a request on the connection was answered already, or is being: a second answer would be taken for that
 * of the next request, or for part of the first. The connection ends with the first.
 */
export function endUnread(error: NodeJS.ErrnoException, socket: Duplex, response: http.ServerResponse): void {
  // What cannot be parsed is expected; a connection that is too slow or broken waits for nobody.
  if (!error.code?.startsWith('HPE_')) return void socket.destroy()
  const end = () => {
    socket.end()
    ;(socket as Socket).setTimeout(LINGER_MS, () => socket.destroy())
  }
  if (response.writableFinished) end()
  else response.once('close', end)
}

/**
 * Answers `CONNECT` and closes the connection: without a listener, Node closes it without an answer. The service is no
 * proxy.
 */
export function refuseConnect(server: http.Server, answer: () => string): void {
  server.on('connect', (_request: http.IncomingMessage, socket: Duplex) => {
    // Node has taken its own listeners away, and an error without one would end the process.
    socket.on('error', () => socket.destroy())
    socket.resume()
    answerUnreadable(new Error('CONNECT'), socket, answer)
  })
}
