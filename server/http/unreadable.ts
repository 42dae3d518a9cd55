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
