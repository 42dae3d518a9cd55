import type net from 'node:net'

/**
 * Breaks a connection as a network does: with RST where that is possible, else by closing it. Node never closes a socket
 * that is reset after its `end` (TCPWrap::Reset forgets it when libuv refuses), and its process then spins at its end.
 */
export function reset(socket: net.Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
