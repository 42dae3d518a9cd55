import { createHash } from 'node:crypto'
import { queryOf, signFast } from '../../tests/s3/sign.ts'
import { type Answer, Connection, type Request } from './connection.ts'

/** Where an S3 server listens, and with which access key. */
export interface Target {
  host: string
  port: number
  /** What comes before the bucket in its paths; empty, or as in `/s3`. */
  base: string
  access_key_id: string
  secret_access_key: string
}

/** A body with its media type, and the hashes that its requests have in their headers. */
export interface Body {
  bytes: Buffer
  type: string
  sha256: string
  md5: string
}
export const bodyOf = (bytes: Buffer, type = 'application/octet-stream'): Body => ({
  bytes,
  type,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  md5: createHash('md5').update(bytes).digest('base64'),
})
export const xmlOf = (text: string): Body => bodyOf(Buffer.from(text), 'application/xml')
const NOTHING = bodyOf(Buffer.alloc(0))

/** What may be asked of an object or a bucket besides its path. */
export interface More {
  query?: Readonly<Record<string, string>>
  body?: Body
  /** Sends the Content-MD5, which some servers want of a DeleteObjects. */
  md5?: boolean
}

/**
 * A request of S3, signed (Signature Version 4) with the SHA-256 of its body, as the SDKs sign what they send by plain HTTP. It
 * can be sent again for 15 minutes. `path` is the bucket, or the bucket and a key that needs no encoding.
 */
export function signed(target: Target, method: string, path: string, { query = {}, body, md5 }: More = {}): Request {
  const { sha256, bytes, type, md5: digest } = body ?? NOTHING
  const to = {
    method,
    host: `${target.host}:${target.port}`,
    path: `${target.base}/${path}`,
    query: queryOf(query),
    headers: { 'x-amz-content-sha256': sha256 },
  }
  const headers: Record<string, string> = signFast(target, to)
  if (method === 'PUT' || method === 'POST') headers['content-length'] = String(bytes.length)
  if (body) headers['content-type'] = type
  if (md5) headers['content-md5'] = digest
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const url = to.query === '' ? to.path : `${to.path}?${to.query}`
  return {
    head: Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    body: body?.bytes,
    isHead: method === 'HEAD',
  }
}

/** Throws if an answer is an error. */
export function assertOk(answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer
  throw new Error(`${answer.head.split('\r\n', 1)[0]}: ${answer.body.slice(0, 400)}`)
}

/** Sends one request over a connection of its own, and gives the answer with its body. Throws if it is an error. */
export async function ask(target: Target, ...request: [method: string, path: string, more?: More]): Promise<Answer> {
  const connection = await Connection.open(target.host, target.port)
  try {
    return assertOk(await connection.send(signed(target, ...request), true))
  } finally {
    connection.close()
  }
}
