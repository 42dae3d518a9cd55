import { hash } from 'node:crypto'
import { trimBlanks } from '../../../../base/blanks.ts'
import { compareParameters, compareTexts, decodeBytes, type Query } from '../target.ts'

// Signature Version 4, as S3 has it: the path is encoded once and never normalised. Texts here are Latin-1, one
// character a byte, as Node has headers; they are hashed as those bytes.

/** What of a request a signature covers. */
export interface Signable {
  method: string
  /** Not decoded. */
  path: string
  query: string
  /** Names and values in turn, as they were sent. */
  rawHeaders: readonly string[]
}

/** Differences from the request as it arrived, which proxies make: see `alternatives`. */
export interface Variation {
  headers?: Readonly<Record<string, string>>
  /** The path as it was sent, not decoded and encoded again. */
  rawPath?: boolean
  /** The values of a repeated query parameter in the order in which they were sent, as Go's programs sign them. */
  queryAsSent?: boolean
}

const UNRESERVED = new Set(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'].map((one) => one.charCodeAt(0)),
)
const SLASH = 0x2f
const HEX = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)

function encode(bytes: Uint8Array, slashes: boolean): string {
  let text = ''
  for (const byte of bytes)
    text += UNRESERVED.has(byte) || (slashes && byte === SLASH) ? String.fromCharCode(byte) : HEX[byte]
  return text
}

/** A path without anything to encode: most are. */
const PLAIN = /^[\w.~/-]*$/
/** A path as S3 signs it: decoded and encoded again. Throws InvalidURI. */
export const encodedPath = (path: string): string => (PLAIN.test(path) ? path : encode(decodeBytes(path), true))
const UNRESERVED_TEXT = /^[\w.~-]*$/

function canonicalQuery(query: string, asSent: boolean): string {
  if (query === '') return ''
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): [name: string, value: string] => {
      const at = pair.indexOf('=')
      const encoded = (text: string) =>
        UNRESERVED_TEXT.test(text) ? text : encode(decodeBytes(text.replaceAll('+', ' ')), false)
      return at < 0 ? [encoded(pair), ''] : [encoded(pair.slice(0, at)), encoded(pair.slice(at + 1))]
    })
    .filter(([name]) => name !== 'X-Amz-Signature')
  return pairs
    .sort(asSent ? ([a], [b]) => compareTexts(a, b) : compareParameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Whether a query has a name twice. */
export function repeatsName(query: string): boolean {
  const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '')
  return new Set(names).size < names.length
}

/** A request's headers by lower-case name, with the values of one name joined by commas. */
export function joinHeaders(rawHeaders: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const given = trimBlanks(rawHeaders[i + 1] as string)
    const value = given.includes('  ') ? given.replace(/ {2,}/g, ' ') : given
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before},${value}`)
  }
  return headers
}

/** The canonical request: what is hashed into the text to sign. */
export function canonicalRequest(
  { method, path, query }: Signable,
  {
    headers,
    credential: { signedHeaders },
    payloadHash,
  }: {
    headers: ReadonlyMap<string, string>
    credential: { signedHeaders: readonly string[] }
    payloadHash: string
  },
  variation: Variation = {},
): string {
  const sent = variation.rawPath ? path : encodedPath(path)
  let text = `${method}\n${sent}\n${canonicalQuery(query, variation.queryAsSent ?? false)}\n`
  for (const name of signedHeaders) text += `${name}:${variation.headers?.[name] ?? headers.get(name) ?? ''}\n`
  return `${text}\n${signedHeaders.join(';')}\n${payloadHash}`
}

/** The text that is signed: of a request, a chunk or a trailer. */
export const textToSign = (algorithm: string, date: string, scope: string, ...hashes: readonly string[]): string =>
  [algorithm, date, scope, ...hashes].join('\n')

/** SHA-256 of such a text in hex. */
export const hashLatin1 = (text: string): string => hash('sha256', Buffer.from(text, 'latin1'))

/** A parameter's values, as decoded. */
export const valuesOf = (query: Query, name: string): string[] =>
  query.filter(([one]) => one === name).map(([, value]) => value)
