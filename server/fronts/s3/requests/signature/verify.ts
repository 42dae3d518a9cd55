import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { bucketOfHost } from '../target.ts'
import { canonicalRequest, hashLatin1, repeatsName, type Signable, textToSign, type Variation } from './canonical.ts'
import type { Credential, Service } from './credential.ts'

const hmac = (key: KeyObject | Uint8Array, text: string): Buffer =>
  createHmac('sha256', key).update(text, 'latin1').digest()

/**
 * The key that signs for one secret on one day in one region, for a service. As a key object: Node takes six times as long to sign with
 * bytes, which it makes one of each time.
 */
export const signingKey = (secret: string, day: string, region: string, service: Service = 's3'): KeyObject =>
  createSecretKey(hmac(hmac(hmac(hmac(Buffer.from(`AWS4${secret}`), day), region), service), 'aws4_request'))

/** A signature in hex. */
export const sign = (key: KeyObject, text: string): string => hmac(key, text).toString('hex')

/** Whether two signatures of 64 hex digits are equal, in the same time whatever they are. */
export const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'))

/** Names under which clients may have reached us, besides the Host header that arrived. */
export interface Names {
  hosts: readonly string[]
  /** Of a trusted proxy's X-Forwarded-Host. */
  forwarded: string | undefined
  /** The domains whose subdomains are buckets. */
  domains: readonly string[]
}

const MOST_ALTERNATIVES = 6

/**
 * How a request may have looked before a proxy passed it on or a client collapsed its blanks, at most six: under another
 * name, with or without the default port, with another Accept-Encoding, or with its path or values written differently.
 * None of it changes what the request does: a name is tried only if it names the same bucket as the Host that arrived, or
 * like that none. A request for `/a/b` signed for the service is none for the key `a/b` of a bucket that its host names.
 */
export function alternatives(
  headers: ReadonlyMap<string, string>,
  { path, query }: Pick<Signable, 'path' | 'query'>,
  { signedHeaders }: Pick<Credential, 'signedHeaders'>,
  { hosts, forwarded, domains }: Names,
): Variation[] {
  const host = headers.get('host') ?? ''
  const bare = host.replace(/:\d*$/, '')
  const bucket = bucketOfHost(host, domains)
  const asHosts = (...names: readonly string[]): Variation[] =>
    names
      .filter((name) => name !== host && bucketOfHost(name, domains) === bucket)
      .map((name) => ({ headers: { host: name } }))
  const encoding = signedHeaders.includes('accept-encoding') ? headers.get('accept-encoding') : undefined
  const encodings = encoding === undefined ? [] : ['identity', 'gzip', ''].filter((one) => one !== encoding)
  const tabbed = signedHeaders.filter((name) => headers.get(name)?.includes('\t'))
  return [
    ...(tabbed.length === 0
      ? []
      : [{ headers: Object.fromEntries(tabbed.map((name) => [name, spaced(headers.get(name) ?? '')])) }]),
    ...(repeatsName(query) ? [{ queryAsSent: true }] : []),
    ...asHosts(...(forwarded === undefined ? [] : [forwarded]), ...hosts),
    ...encodings.map((one): Variation => ({ headers: { 'accept-encoding': one } })),
    ...(path.includes('%') ? [{ rawPath: true }] : []),
    ...asHosts(bare, `${bare}:443`, `${bare}:80`),
  ].slice(0, MOST_ALTERNATIVES)
}

/** Some signers collapse tabs as well as spaces. */
const spaced = (value: string): string => value.replace(/[ \t]+/g, ' ')

/** What a request is signed with, and over what of its headers and body. */
export interface Signed {
  headers: ReadonlyMap<string, string>
  credential: Credential
  payloadHash: string
}

/** What was signed, for those who look for their mistake; nothing in it is secret. */
export interface Mismatch {
  canonical: string
  text: string
}

/** The text to sign of a request. */
export function textOf(request: Signable, signed: Signed, variation?: Variation): Mismatch {
  const { date, scope } = signed.credential
  const canonical = canonicalRequest(request, signed, variation)
  return { canonical, text: textToSign('AWS4-HMAC-SHA256', date, scope, hashLatin1(canonical)) }
}
