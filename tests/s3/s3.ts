import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { SignatureV4 } from '@smithy/signature-v4'
import type { NewScope } from '../../contract/tokens.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'

export interface Pair {
  id: string
  access_key_id: string
  secret_access_key: string
}

/** What `@smithy/signature-v4` hashes with. */
class Sha256 {
  #hash
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : Buffer.from(secret as ArrayBuffer))
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data)
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}

/** A signer that is not ours. */
export const signerOf = ({ access_key_id, secret_access_key }: Pair, region = 'us-east-1') =>
  new SignatureV4({
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
    region,
    service: 's3',
    sha256: Sha256 as never,
    uriEscapePath: false,
    applyChecksum: true,
  })

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  /** The error's code; empty without one. */
  code: string
}

/** The SDK's client of an S3 service. */
export const clientTo = (url: URL, { access_key_id, secret_access_key }: Pair, config: Partial<S3ClientConfig> = {}) =>
  new S3Client({
    endpoint: url.href,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
    ...config,
  })

/** Requests to an S3 service, signed at the time that `now` tells. */
export function wireTo(url: URL, now: () => Date) {
  /** Sends a request as it is given. */
  async function send(
    method: string,
    path: string,
    headers: http.OutgoingHttpHeaders | readonly string[],
    body: string | Uint8Array = '',
  ): Promise<Answer> {
    const request = http.request({ host: url.hostname, port: url.port, method, path, headers, agent: false })
    request.end(body)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const text = Buffer.concat(await response.toArray()).toString()
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '',
    }
  }
  /** Signs a request's headers as S3 clients do, at the service's time. */
  async function signed(
    pair: Pair,
    {
      method,
      path,
      headers = {},
      body = '',
    }: { method: string; path: string; headers?: Record<string, string>; body?: string },
  ): Promise<Record<string, string>> {
    const [pathname = '', search = ''] = path.split('?')
    const query: Record<string, string> = {}
    for (const [name, value] of new URLSearchParams(search)) query[name] = value
    const { headers: all } = await signerOf(pair).sign(
      {
        method,
        protocol: 'http:',
        hostname: url.hostname,
        port: Number(url.port),
        path: pathname,
        query,
        headers: { host: url.host, ...headers },
        body,
      },
      { signingDate: now() },
    )
    return all
  }
  return { send, signed }
}
export type Wire = ReturnType<typeof wireTo>

/** What S3 tests ask of a service. */
export function s3World(server: TestServer) {
  const url = new URL(server.running.s3Url ?? '')
  const keep = (pair: Pair): Pair => {
    server.secrets.add(pair.secret_access_key)
    return pair
  }
  /** A key of the one with this token; by default of the administrator. */
  const keyOf = async (token = server.adminToken, scope?: NewScope): Promise<Pair> =>
    keep(await server.as(token).createAccessKey({ body: { name: 's3', ...(scope ? { scope } : {}) } }))
  const clientOf = (pair: Pair, config: Partial<S3ClientConfig> = {}) =>
    clientTo(url, pair, { systemClockOffset: server.clock.now().getTime() - Date.now(), ...config })
  return { url, keyOf, clientOf, ...wireTo(url, () => server.clock.now()) }
}

/** A service with an endpoint for S3, and the administrator's client of it. */
export async function startS3(engine: Engine) {
  const server = await startServer(engine, { S3_PORT: '0' })
  const world = s3World(server)
  const pair = await world.keyOf()
  return { server, world, pair, s3: world.clientOf(pair) }
}

/** How a call ended: `ok`, the error's name, or the status of an answer that has no body to name one. */
export const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    ({ name, $metadata }: Error & { $metadata?: { httpStatusCode?: number } }) =>
      name === 'Unknown' ? String($metadata?.httpStatusCode) : name,
  )
