import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { signerOf } from '../s3/s3.ts'
import type { Gateway } from '../support/ceph.ts'
import { listBySegments } from './by-segments.ts'

/** A request as the engine would log it. */
export interface Logged {
  method: string
  /** Without the query, as it was sent. */
  path: string
  query: URLSearchParams
}

/**
 * What happens instead of an answer: nothing listens; an error of this status; half of each body, then the connection
 * breaks; a list without objects; the answer comes so many milliseconds late.
 */
export type Fault =
  | { kind: 'refuse' }
  | { kind: 'status'; status: 500 | 503 }
  | { kind: 'cut' }
  | { kind: 'empty' }
  | { kind: 'delay'; ms: number }

/** An answer of the engine that is kept back. */
export interface Held {
  /** Resolves when there is such an answer. */
  reached: Promise<Logged>
  /** Lets it pass; without one, nothing will be held. */
  release(): void
}

export interface EngineProxy {
  endpoint: string
  /** All requests so far, in their order. */
  log: Logged[]
  /** The most keys that a list has: a scan of few objects takes several pages. */
  page: number | undefined
  /** Lists come as from an engine that walks through folders, instead of in byte order. */
  bySegments: boolean
  /** From now on; null: everything is passed on. */
  misbehave(fault: Fault | null): Promise<void>
  /** Keeps back the answer to the nth request (from 1) that is like this, counted from now. */
  hold(nth: number, like?: (request: Logged) => boolean): Held
  stop(): Promise<void>
}

export const isList = ({ method, query }: Logged): boolean => method === 'GET' && query.has('list-type')
/** What a request is in the words of S3. */
export function said({ method, query }: Logged): string {
  if (method === 'GET' && query.has('list-type')) return 'LIST'
  if (method === 'GET' && query.has('versioning')) return 'GET versioning'
  if (method === 'GET' && query.has('tagging')) return 'GET tagging'
  return method
}
/** All that reads are, in these words. */
export const READS = ['GET', 'GET tagging', 'GET versioning', 'HEAD', 'LIST']

const EMPTY =
  '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>x</Name><Prefix></Prefix><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>'
const errorOf = (status: number) =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${status === 503 ? 'SlowDown' : 'InternalError'}</Code><Message>asked to fail</Message></Error>`

/**
 * Stands between Strongroom and an S3 engine on this machine, logs what is asked, and fails when asked to. The Host header
 * is passed on, because it is signed.
 */
export async function startProxy(gateway: Gateway): Promise<EngineProxy> {
  const { url, credentials } = gateway
  const engine = new URL(new URL(url).searchParams.get('endpoint') ?? '')
  const sign = signerOf({
    id: '',
    access_key_id: credentials.accessKeyId,
    secret_access_key: credentials.secretAccessKey,
  })
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  const holds = new Set<{ take(request: Logged): Promise<void> | undefined }>()
  let fault: Fault | null = null

  async function pass(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    logged: Logged,
  ): Promise<http.IncomingMessage> {
    const to = { host: engine.hostname, port: engine.port, agent, method: request.method ?? 'GET' }
    const shorter =
      proxy.page !== undefined && isList(logged) ? await shortened(request, logged, proxy.page) : undefined
    const sent = http.request({ ...to, path: request.url ?? '/', headers: request.rawHeaders, ...shorter })
    request.pipe(sent)
    response.once('close', () => response.writableFinished || sent.destroy())
    const [answer] = (await once(sent, 'response')) as [http.IncomingMessage]
    return answer
  }

  /** The same request for fewer keys, signed again. */
  async function shortened(request: http.IncomingMessage, { path, query }: Logged, most: number) {
    const asked = {
      ...Object.fromEntries(query),
      'max-keys': String(Math.min(most, Number(query.get('max-keys') ?? most))),
    }
    const signed = await sign.sign({
      method: 'GET',
      protocol: 'http:',
      hostname: engine.hostname,
      port: Number(engine.port),
      path,
      query: asked,
      headers: { host: request.headers.host ?? '' },
      body: '',
    })
    return { path: `${path}?${new URLSearchParams(asked)}`.replaceAll('+', '%20'), headers: signed.headers }
  }

  async function respond(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const [path = '', query] = (request.url ?? '').split('?')
    const logged = { method: request.method ?? '', path, query: new URLSearchParams(query) }
    proxy.log.push(logged)
    const now = fault
    if (now?.kind === 'delay') await pause(now.ms)
    // Whoever asked was killed meanwhile: what is passed on would never end, and keep its connection.
    if (response.destroyed) return
    if (now?.kind === 'status') return void response.writeHead(now.status, XML).end(errorOf(now.status))
    if (now?.kind === 'empty' && isList(logged)) return void response.writeHead(200, XML).end(EMPTY)
    const isWalk = proxy.bySegments && isList(logged)
    if (isWalk) request.resume()
    const answer = isWalk ? await listBySegments(gateway, logged, proxy.page) : await pass(request, response, logged)
    let held: Promise<void> | undefined
    for (const hold of holds) held ??= hold.take(logged)
    if (held || now?.kind === 'cut') {
      const bytes = await buffer(answer)
      await held
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
      if (now?.kind !== 'cut' || bytes.length === 0) return void response.end(bytes)
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
      return
    }
    response.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
    answer.once('error', () => response.destroy())
    response.once('close', () => answer.destroy())
    answer.pipe(response)
  }

  const server = http.createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  const proxy: EngineProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    log: [],
    page: undefined,
    bySegments: false,
    async misbehave(next) {
      fault = next
      if (next?.kind === 'refuse') return close()
      if (server.listening) return
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    hold(nth, like = () => true) {
      const reached = Promise.withResolvers<Logged>()
      const released = Promise.withResolvers<void>()
      let left = nth
      const hold = {
        take(request: Logged) {
          if (!like(request) || --left > 0) return undefined
          holds.delete(hold)
          reached.resolve(request)
          return released.promise
        },
      }
      holds.add(hold)
      return {
        reached: reached.promise,
        release() {
          holds.delete(hold)
          released.resolve()
        },
      }
    },
    async stop() {
      await close()
      agent.destroy()
    },
  }
  return proxy
}

const XML = { 'content-type': 'application/xml' }
