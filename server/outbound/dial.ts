import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import type { buildConnector } from 'undici'
import { type AddressRules, isOwnAddress, mayConnect } from '../base/address.ts'
import { asFailure, blocked, OutboundFailure } from './failure.ts'
import type { Resolve } from './resolve.ts'

/** How to reach receivers. */
export interface Route extends AddressRules {
  readonly resolve: Resolve
  /** All connections go through it, and it checks names; addresses in URLs are still checked here. */
  readonly proxy: URL | null
  /** Certificate authorities besides the public ones (PEM), or null. */
  readonly ca: string | null
  /** The port this process listens on; 0: unknown. */
  readonly ownPort: number
}

/** How far a connection has progressed, for error messages after a timeout. */
export interface Progress {
  phase: 'dns' | 'connect' | 'tls' | 'ready'
  /** The remote address; null through a proxy. */
  ip: string | null
}

/** Timeout in milliseconds for one address while there are others to try. */
const TRY_NEXT_AFTER = 2500

export const hostOf = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/**
 * The addresses of a URL's host, all of them allowed. Rejects with an OutboundFailure: `blocked` if any of them is not
 * allowed, `dns` if there are none. An address in the URL is checked like any other.
 */
export async function allowedAddresses(route: Route, hostname: string, port: number): Promise<string[]> {
  const host = hostOf(hostname)
  const addresses = net.isIP(host) ? [host] : await route.resolve(host)
  const bad = addresses.find((one) => !mayConnect(one, route) || (port === route.ownPort && isOwnAddress(one)))
  if (bad !== undefined) throw blocked(bad)
  return addresses
}

/** Creates undici's connect function: every connection is checked, whatever the URL. */
export function createDial(route: Route) {
  const makeSecure = async () => {
    // Only what sends loads it: a command does not.
    const undici = await import('undici')
    return undici.buildConnector({
      allowH2: false,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      timeout: 0,
      ...(route.ca === null ? {} : { ca: [...tls.rootCertificates, route.ca] }),
    })
  }
  let securing: ReturnType<typeof makeSecure> | undefined
  return async (options: buildConnector.Options, progress: Progress, signal: AbortSignal): Promise<net.Socket> => {
    const { hostname, protocol } = options
    const port = Number(options.port) || (protocol === 'https:' ? 443 : 80)
    // Before there is a socket: one whose errors nobody hears would end the process.
    securing ??= makeSecure()
    const secure = await securing
    const socket = await (route.proxy
      ? throughProxy(route, route.proxy, { hostname, port }, { progress, signal })
      : direct(route, { hostname, port }, { progress, signal }))
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

async function direct(route: Route, { hostname, port }: Target, { progress, signal }: Attempt) {
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
