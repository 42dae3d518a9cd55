import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import { buildConnector } from 'undici'
import { mayConnect } from '../base/address.ts'
import { asFailure, blocked, OutboundFailure } from './failure.ts'
import { allowedAddresses, hostOf, type Route } from './route.ts'

/** How far a connection has progressed, for error messages after a timeout. */
export interface Progress {
  phase: 'dns' | 'connect' | 'tls' | 'ready'
  /** The remote address; null through a proxy. */
  ip: string | null
}

/** Timeout in milliseconds for one address while there are others to try. */
const TRY_NEXT_AFTER = 2500

/** Creates undici's connect function: every connection is checked, whatever the URL. */
export function createDial(route: Route) {
  const secure = buildConnector({
    allowH2: false,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    timeout: 0,
    ...(route.ca === null ? {} : { ca: [...tls.rootCertificates, route.ca] }),
  })
  return async (options: buildConnector.Options, progress: Progress, signal: AbortSignal): Promise<net.Socket> => {
    const { hostname, protocol } = options
    const port = Number(options.port) || (protocol === 'https:' ? 443 : 80)
    const socket = await (route.proxy
      ? throughProxy(route, route.proxy, { hostname, port }, { progress, signal })
      : openSocket(route, { hostname, port }, { progress, signal }))
    if (protocol !== 'https:') {
      progress.phase = 'ready'
      return socket
    }
    progress.phase = 'tls'
    const host = hostOf(hostname)
    // The certificate must be valid for the name, not the address.
    const servername = net.isIP(host) ? '' : host
    return new Promise((resolve, reject) => {
      const abort = () => socket.destroy(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      secure({ ...options, hostname: host, servername, httpSocket: socket }, (error, encrypted) => {
        signal.removeEventListener('abort', abort)
        if (error) {
          socket.destroy()
          return reject(asFailure(error, 'tls'))
        }
        progress.phase = 'ready'
        resolve(encrypted as net.Socket)
      })
    })
  }
}

interface Target {
  hostname: string
  port: number
}
interface Attempt {
  progress: Progress
  signal: AbortSignal
}

/** Connects to one of the host's addresses, all of which must be allowed. Rejects with an OutboundFailure, or when aborted. */
export async function openSocket(route: Route, { hostname, port }: Target, { progress, signal }: Attempt) {
  progress.phase = 'dns'
  const addresses = await allowedAddresses(route, hostname, port)
  progress.phase = 'connect'
  let failure: unknown
  for (const [i, address] of addresses.entries()) {
    signal.throwIfAborted()
    progress.ip = address
    try {
      const timeout = i < addresses.length - 1 ? TRY_NEXT_AFTER : undefined
      return await connect(route, { hostname: address, port }, signal, timeout)
    } catch (error) {
      failure = error
    }
  }
  throw asFailure(failure, 'connect')
}

async function connect(route: Route, { hostname: host, port }: Target, signal: AbortSignal, timeout?: number) {
  const socket = net.connect({ host, port, noDelay: true })
  const limit = timeout === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeout)])
  const abort = () => socket.destroy(limit.reason as Error)
  limit.addEventListener('abort', abort, { once: true })
  try {
    await once(socket, 'connect')
  } finally {
    limit.removeEventListener('abort', abort)
  }
  if (mayConnect(socket.remoteAddress ?? '', route)) return socket
  socket.destroy()
  throw blocked(socket.remoteAddress)
}

/** A tunnel through the proxy (RFC 9110 section 9.3.6). The proxy's own failures are reported as such. */
async function throughProxy(
  route: Route,
  proxy: URL,
  { hostname, port }: Target,
  { progress, signal }: Attempt,
): Promise<net.Socket> {
  const host = hostOf(hostname)
  if (net.isIP(host)) await allowedAddresses(route, host, port)
  progress.phase = 'connect'
  progress.ip = null
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  const request = (proxy.protocol === 'https:' ? https : http).request({
    hostname: hostOf(proxy.hostname),
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    agent: false,
    signal,
    headers: {
      host: authority,
      ...(proxy.username ? { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` } : {}),
    },
  })
  request.end()
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>()
  const proxyFailed = (text: string, cause?: unknown) => new OutboundFailure('proxy', `the proxy ${text}`, { cause })
  request.on('error', (error) => reject(signal.aborted ? signal.reason : proxyFailed('cannot be reached', error)))
  request.on('connect', ({ statusCode = 0 }, socket: net.Socket, head: Buffer) => {
    if (statusCode >= 200 && statusCode < 300 && head.length === 0) return resolve(socket)
    socket.destroy()
    if (statusCode === 403) reject(blocked('by the proxy'))
    else if (statusCode >= 502 && statusCode <= 504)
      reject(new OutboundFailure('connect', `connect: the proxy answered ${statusCode}`))
    else reject(proxyFailed(`answered ${statusCode}`))
  })
  request.on('response', (response) => {
    response.destroy()
    reject(proxyFailed(`answered ${response.statusCode}`))
  })
  return promise
}
