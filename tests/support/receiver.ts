import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'

/** A request as it arrived. */
export interface Received {
  method: string
  path: string
  headers: http.IncomingHttpHeaders
  body: string
  at: number
}
type Reply = (request: Received, response: http.ServerResponse) => void

/** A webhook receiver. */
export interface Receiver {
  url: string
  port: number
  received: Received[]
  /** Handles requests from now on; default: 204. */
  reply: Reply
  /** Number of connections so far. */
  connections: number
  stop(): Promise<void>
}

/** Starts a receiver on 127.0.0.1 (or another address of this machine), with TLS if a key is given. */
export async function startReceiver(
  reply: Reply = (_request, response) => void response.writeHead(204).end(),
  options: { host?: string; tls?: https.ServerOptions } = {},
): Promise<Receiver> {
  const { host = '127.0.0.1', tls } = options
  const handle = (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
      }
      receiver.received.push(request)
      receiver.reply(request, response)
    })
  }
  const server = tls ? https.createServer(tls, handle) : http.createServer(handle)
  server.on('connection', () => receiver.connections++)
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    port,
    received: [],
    reply,
    connections: 0,
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return receiver
}

/** Answers with a status. */
export const answer =
  (status: number, headers: http.OutgoingHttpHeaders = {}, body = ''): Reply =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body)
