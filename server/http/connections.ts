import type http from 'node:http'
import type { Socket } from 'node:net'

/** At shutdown, how long an unused connection waits for its first request, in milliseconds: it may be on its way. */
const FIRST_REQUEST_MS = 1000

/**
 * Tracks which connections have a request in flight. The returned function closes idle ones at once, busy ones after
 * their response, and ones that have not sent a request yet after giving them time for it. Node itself would wait for
 * keep-alive clients (65 s here), and for clients that never send a request until the connection's timeout.
 */
export function trackConnections(server: http.Server): () => void {
  const connections = new Map<Socket, { isNew: boolean; inFlight: number }>()
  let ending = false
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { isNew: true, inFlight: 0 })
    socket.on('close', () => connections.delete(socket))
  })
  server.on('request', ({ socket }: http.IncomingMessage, response: http.ServerResponse) => {
    const connection = connections.get(socket)
    if (!connection) return
    connection.isNew = false
    connection.inFlight++
    response.on('close', () => {
      connection.inFlight--
      if (ending && connection.inFlight === 0) socket.destroySoon()
    })
  })
  return () => {
    ending = true
    for (const [socket, { isNew, inFlight }] of connections) if (inFlight === 0 && !isNew) socket.destroy()
    const endNew = () => {
      for (const [socket, { isNew }] of connections) if (isNew) socket.destroy()
    }
    setTimeout(endNew, FIRST_REQUEST_MS).unref()
  }
}

/**
 * Closes connections above MAX_CONNECTIONS; without trusted proxies, where each address belongs to a client, also those
 * from one address above a quarter of it.
 */
export function limitConnections(
  server: http.Server,
  {
    maxConnections,
    maxConnectionsOfOne: mostOfOne,
    trustedProxies,
  }: { maxConnections: number; maxConnectionsOfOne: number; trustedProxies: readonly string[] },
): void {
  if (maxConnections === 0) return
  server.maxConnections = maxConnections
  if (trustedProxies.length > 0 || mostOfOne === 0) return
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
