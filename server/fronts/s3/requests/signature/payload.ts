import { createHash } from 'node:crypto'
import type http from 'node:http'
import { S3Error } from '../../errors.ts'
import type { Query } from '../target.ts'
import { type ChunkSignatures, decodeChunks, type Trailers } from './chunks.ts'
import type { Credential } from './credential.ts'

/** How a request's body is protected and framed, by `x-amz-content-sha256`. */
export type BodyMode =
  /** Its SHA-256 is signed. */
  | { kind: 'hash'; sha256: string }
  | { kind: 'unsigned' }
  /** Framed in chunks (aws-chunked), each signed or none, perhaps with trailers at the end. */
  | { kind: 'chunks'; signed: boolean; trailer: boolean }

const HEADER = 'x-amz-content-sha256'
const UNSIGNED = 'UNSIGNED-PAYLOAD'
const MODES: { [value: string]: BodyMode } = {
  [UNSIGNED]: { kind: 'unsigned' },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { kind: 'chunks', signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { kind: 'chunks', signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { kind: 'chunks', signed: false, trailer: true },
}

/**
 * The payload hash that is part of a canonical request: a presigned URL's own, or that of a header which the URL signs,
 * else of none. Throws InvalidRequest if it is missing from a signed header.
 */
export function payloadHashOf(
  headers: ReadonlyMap<string, string>,
  query: Query,
  { in: place, signedHeaders }: Pick<Credential, 'in' | 'signedHeaders'>,
): string {
  const inHeader = headers.get(HEADER)
  if (place === 'query') {
    const inQuery = query.find(([name]) => name.toLowerCase() === HEADER)?.[1]
    return (signedHeaders.includes(HEADER) ? inHeader : undefined) ?? inQuery ?? UNSIGNED
  }
  if (inHeader !== undefined) return inHeader
  throw new S3Error('InvalidRequest', `Missing required header for this request: ${HEADER}`)
}

/** How the body comes, by that hash. Throws InvalidArgument for any other text. */
export function bodyModeOf(payloadHash: string, headers: ReadonlyMap<string, string>): BodyMode {
  const framed = /(^|,)\s*aws-chunked\s*(,|$)/i.test(headers.get('content-encoding') ?? '')
  const mode = Object.hasOwn(MODES, payloadHash) ? MODES[payloadHash] : undefined
  // Some clients frame a body that they do not sign.
  if (mode?.kind === 'unsigned' && framed && headers.has('x-amz-decoded-content-length'))
    return { kind: 'chunks', signed: false, trailer: true }
  if (mode) return mode
  if (/^[0-9a-f]{64}$/i.test(payloadHash)) return { kind: 'hash', sha256: payloadHash.toLowerCase() }
  throw new S3Error(
    'InvalidArgument',
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, or a valid sha256 value.',
    { fields: { ArgumentName: HEADER, ArgumentValue: payloadHash } },
  )
}

/**
 * The length of a body's contents in bytes. Without chunks it is undefined for a body that ends when its transfer does. Of
 * a body in chunks it must be announced, as AWS wants it. Throws MissingContentLength.
 */
export function lengthOf(mode: BodyMode, headers: http.IncomingHttpHeaders): number | undefined {
  const text = headers[mode.kind === 'chunks' ? 'x-amz-decoded-content-length' : 'content-length']
  if (text !== undefined && /^\d{1,15}$/.test(String(text))) return Number(text)
  if (mode.kind !== 'chunks' && text === undefined && headers['transfer-encoding'] !== undefined) return undefined
  throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.')
}

/**
 * A body's contents as they were meant, checked on the way: what was framed is unpacked, and a difference to what was
 * signed or announced ends it with an error. Trailers are complete when it has ended.
 */
export async function* contentsOf(
  body: AsyncIterable<Uint8Array>,
  mode: BodyMode,
  { length, signatures, trailers }: { length: number | undefined; signatures: ChunkSignatures; trailers: Trailers },
): AsyncGenerator<Uint8Array> {
  if (mode.kind === 'chunks') {
    yield* decodeChunks(body, { ...mode, signatures, length, trailers })
    return
  }
  const hash = mode.kind === 'hash' ? createHash('sha256') : undefined
  let received = 0
  for await (const chunk of body) {
    hash?.update(chunk)
    received += chunk.length
    yield chunk
  }
  if (length !== undefined && received !== length) throw incompleteBody()
  const computed = hash?.digest('hex')
  if (mode.kind === 'hash' && computed !== mode.sha256) throw otherBody(mode.sha256, computed ?? '')
}

/** What a body is refused with whose SHA-256 is not the one that was signed; both in hex. */
export const otherBody = (signed: string, computed: string): S3Error =>
  new S3Error(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    { fields: { ClientComputedContentSHA256: signed, S3ComputedContentSHA256: computed } },
  )

export const incompleteBody = (): S3Error =>
  new S3Error('IncompleteBody', 'You did not provide the number of bytes specified by the Content-Length HTTP header')
