import type http from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config.ts'

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

/**
 * Closes connections above MAX_CONNECTIONS; without proxies before us, where each address is a client's own, also those
 * of one address above a quarter of it.
 */
export function limitConnections(
  server: http.Server,
  { maxConnections, trustedProxies }: Pick<Config, 'maxConnections' | 'trustedProxies'>,
): void {
  if (maxConnections === 0) return
  server.maxConnections = maxConnections
  if (trustedProxies.length > 0) return
  const mostOfOne = Math.ceil(maxConnections / 4)
  const open = new Map<string, number>()
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
    if (count > mostOfOne) socket.destroy()
  })
}
