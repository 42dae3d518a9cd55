import type http from 'node:http'
import type { Socket } from 'node:net'

/**
 * Knows which connections have a request in flight. The function it gives ends every other one, and those as soon as
 * their answer is sent: Node itself waits for clients that keep theirs (65 s here), and for those that never sent a
 * request until the connection's timeout.
 */
export function trackConnections(server: http.Server): () => void {
  const inFlight = new Map<Socket, number>()
  let ending = false
  server.on('connection', (socket: Socket) => {
    if (ending) return void socket.destroy()
    inFlight.set(socket, 0)
    socket.on('close', () => inFlight.delete(socket))
  })
  server.on('request', ({ socket }: http.IncomingMessage, response: http.ServerResponse) => {
    const add = (change: number) => {
      const count = inFlight.get(socket)
      if (count !== undefined) inFlight.set(socket, count + change)
    }
    add(1)
    response.on('close', () => {
      add(-1)
      if (ending && inFlight.get(socket) === 0) socket.destroySoon()
    })
  })
  return () => {
    ending = true
    for (const [socket, count] of inFlight) if (count === 0) socket.destroy()
  }
}
