import { isIP } from 'node:net'
import { isBucketName } from '../../../../contract/names.ts'
import { domainOf, readHost } from '../../../http/site.ts'
import { S3Error } from '../errors.ts'

/** What a request is about. Both are empty for the service itself, `key` for a bucket. */
export interface Target {
  bucket: string
  key: string
}

/** A query's parameters: decoded, by name and value, with duplicates. */
export type Query = readonly (readonly [name: string, value: string])[]

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Percent-decodes a text of single bytes (as Node has paths) into bytes; throws InvalidURI. */
export function decodeBytes(text: string): Buffer {
  const bytes = Buffer.alloc(text.length)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    let byte = text.charCodeAt(i)
    if (byte === 0x25) {
      const hex = text.slice(i + 1, i + 3)
      if (!/^[0-9a-f]{2}$/i.test(hex)) throw notAnUri()
      byte = Number.parseInt(hex, 16)
      i += 2
    }
    bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}

const withNul = () => new S3Error('InvalidArgument', 'A request cannot contain NUL.')
const notAnUri = () => new S3Error('InvalidURI', "Couldn't parse the specified URI.")

/** A percent-encoded text of single bytes as UTF-8; throws InvalidURI, or InvalidArgument for one with NUL. */
export function decodeText(text: string): string {
  if (!/[%\x80-\xff]/.test(text)) return text
  let decoded: string
  try {
    decoded = utf8.decode(decodeBytes(text))
  } catch {
    throw notAnUri()
  }
  // No name, key or parameter has one, and no database could compare it.
  if (decoded.includes('\0')) throw withNul()
  return decoded
}

/** Splits a request's target into its path and its query, without decoding; an absolute target loses its authority. */
export function splitTarget(target: string): { path: string; query: string } {
  const authority = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? ''
  const rest = target.slice(authority.length)
  const at = rest.indexOf('?')
  const path = at < 0 ? rest : rest.slice(0, at)
  return { path: path.startsWith('/') ? path : `/${path}`, query: at < 0 ? '' : rest.slice(at + 1) }
}

/**
 * Reads a query; in it a plus is a space. Its parameters are in the order of their names and values, as they are signed:
 * what a request means must not depend on an order that no signature covers. Throws InvalidURI.
 */
export function readQuery(query: string): Query {
  if (query === '') return []
  const decode = (text: string) => decodeText(text.replaceAll('+', ' '))
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const at = pair.indexOf('=')
      return at < 0 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))]
    })
  return pairs.sort(compareParameters)
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
/** Compares parameters of a query in the order in which they are signed. */
export const compareParameters = ([a, x]: Query[number], [b, y]: Query[number]): number =>
  compareTexts(a, b) || compareTexts(x, y)

/**
 * The bucket that a Host header names as a subdomain of one of these domains, the longest that fits; null for the path
 * style, also at a domain that is listed itself.
 */
export function bucketOfHost(host: string, domains: readonly string[]): string | null {
  const { name } = readHost(host)
  const domain = domainOf(name, domains)
  return domain === undefined || name === domain ? null : name.slice(0, -domain.length - 1)
}

/** The first of several forwarded hosts, if it is one. */
export function hostOf(forwarded: string | string[] | undefined): string | undefined {
  if (forwarded === undefined) return undefined
  const host = String(forwarded).split(',', 1)[0]?.trim()
  return host && (isIP(host) || /^[\w.-]+(:\d+)?$/.test(host)) ? host : undefined
}

const MOST_KEY_BYTES = 1024

/**
 * What a path names: the bucket up to the first slash, and the rest verbatim as the key; with a host's bucket, all of it
 * is the key. Throws InvalidURI, InvalidBucketName or KeyTooLongError.
 */
export function readTarget(path: string, hostBucket: string | null): Target {
  const slash = hostBucket === null ? path.indexOf('/', 1) : 0
  const bucket = hostBucket ?? decodeText(slash < 0 ? path.slice(1) : path.slice(1, slash))
  const key = slash < 0 ? '' : decodeText(path.slice(slash + 1))
  if (bucket === '' && key !== '') throw new S3Error('InvalidBucketName', 'The specified bucket is not valid.')
  assertKey(key)
  return { bucket, key }
}

/** Throws KeyTooLongError, or InvalidArgument for a key with NUL. */
export function assertKey(key: string): void {
  if (key.includes('\0')) throw withNul()
  if (Buffer.byteLength(key) > MOST_KEY_BYTES)
    throw new S3Error('KeyTooLongError', 'Your key is too long', {
      fields: { Size: String(Buffer.byteLength(key)), MaxSizeAllowed: String(MOST_KEY_BYTES) },
    })
}

/** Throws InvalidBucketName unless a new bucket may have the name. */
export function assertBucketName(bucket: string): void {
  if (!isBucketName(bucket) || /\.-|-\./.test(bucket))
    throw new S3Error('InvalidBucketName', 'The specified bucket is not valid.', { fields: { BucketName: bucket } })
}
