import { createHmac } from 'node:crypto'
import { S3Error } from '../../errors.ts'
import { SUBRESOURCES } from '../subresources.ts'
import type { Query, Target } from '../target.ts'
import { encodedPath, valuesOf } from './canonical.ts'
import { isSame } from './verify.ts'

// Presigned URLs of Signature Version 2
// (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html#RESTAuthenticationQueryStringAuth), which
// boto3, django-storages and s3cmd still make. Decision 67 says what they may be used for here.

/** What a presigned URL of Version 2 says of its signature. */
export interface OldCredential {
  accessKeyId: string
  /** In Base64. */
  signature: string
  /** In seconds since 1970, as it is signed. */
  expires: string
}

/** What such a signature covers. */
export interface OldSigned {
  method: string
  /** Not decoded. */
  path: string
  query: Query
  target: Target
  /** The bucket that the host names; null if the path does. */
  hostBucket: string | null
}

/** Headers that SDKs move into the query of such a URL, besides `x-amz-…`. */
export const MOVED: ReadonlySet<string> = new Set(['content-type', 'content-md5'])
/** Parameters that are part of such a URL, and of no operation. */
const OLD_PARAMETERS: ReadonlySet<string> = new Set(['AWSAccessKeyId', 'Signature', 'Expires', ...MOVED])

/** Throws AccessDenied for a URL that is incomplete. */
export function readOldCredential(query: Query): OldCredential {
  const [accessKeyId, signature, expires] = ['AWSAccessKeyId', 'Signature', 'Expires'].map((name) => {
    const [value, ...others] = valuesOf(query, name)
    if (!value || others.length > 0)
      throw new S3Error(
        'AccessDenied',
        'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
      )
    return value
  }) as [string, string, string]
  if (!/^\d{1,12}$/.test(expires))
    throw new S3Error('AccessDenied', `Invalid date (should be seconds since epoch): ${expires}`)
  // Some programs leave a plus as it is, which is a space in a query.
  return { accessKeyId, signature: signature.replaceAll(' ', '+'), expires }
}

/** Throws AccessDenied for a URL that has expired. It has no beginning, hence no longest validity: it ends with its key. */
export function assertNotExpired({ expires }: OldCredential, now: Date): void {
  if (now.getTime() < Number(expires) * 1000) return
  throw new S3Error('AccessDenied', 'Request has expired', {
    fields: { Expires: new Date(Number(expires) * 1000).toISOString(), ServerTime: now.toISOString() },
  })
}

/** Parameters of which such a signature covers the value, besides sub-resources. */
const SIGNED = /^(partNumber|versionId|response-(cache-control|content-(disposition|encoding|language|type)|expires))$/

/**
 * Throws InvalidRequest for what such a signature does not cover well enough. It joins decoded values by `&`, so a
 * `response-…` whose text somebody else chose could be split into a sub-resource; and it does not sign what is listed.
 */
export function assertOldCovers({ query, target }: OldSigned): void {
  const not = (what: string) =>
    new S3Error('InvalidRequest', `Signature Version 2 does not cover ${what}: use Version 4.`)
  if (target.key === '') throw not('requests about buckets')
  const names = query.map(([name]) => name)
  if (
    names.some((name) => name.startsWith('response-')) &&
    names.some((name) => SUBRESOURCES.has(name) || name === 'versionId' || name === 'partNumber')
  )
    throw not('response headers together with a version or a sub-resource')
}

/** Control characters, and names that are no header's, could be taken for the end of a line of what is signed. */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/
const hasControl = (value: string): boolean => /\p{Cc}/u.test(value)

/**
 * What counts as headers: those that are signed, and the parameters that SDKs have made of them. Throws InvalidArgument
 * where both are there and differ.
 */
export function oldHeaders(headers: ReadonlyMap<string, string>, query: Query): Map<string, string> {
  const found = new Map(
    [...headers].filter(([name]) => (name.startsWith('x-amz-') && name !== 'x-amz-cf-id') || MOVED.has(name)),
  )
  for (const [given, text] of query) {
    const name = given.toLowerCase()
    if (!name.startsWith('x-amz-') && !MOVED.has(name)) continue
    const value = Buffer.from(text).toString('latin1')
    const differs = found.get(name) !== undefined && found.get(name) !== value
    if (differs || !NAME.test(name) || hasControl(text))
      throw new S3Error('InvalidArgument', `The parameter ${name} cannot be read as a header, or differs from it.`, {
        fields: { ArgumentName: name, ArgumentValue: text },
      })
    found.set(name, value)
  }
  return found
}

/** The texts that may have been signed, the likeliest first: with the path as it was sent, or encoded otherwise. */
export function oldTexts(
  { method, path, query, hostBucket }: OldSigned,
  { expires }: OldCredential,
  headers: ReadonlyMap<string, string>,
): string[] {
  const covered = query.filter(([name]) => SUBRESOURCES.has(name) || SIGNED.test(name))
  const parameters = covered.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')
  const end = parameters === '' ? '' : `?${Buffer.from(parameters).toString('latin1')}`
  const lines = (names: readonly string[]) => names.map((name) => `${name}:${headers.get(name)}\n`).join('')
  const names = [...headers.keys()].filter((name) => name.startsWith('x-amz-')).sort()
  // An unsigned header that says what is so anyway.
  const saysNothing = (name: string) => name === 'x-amz-content-sha256' && headers.get(name) === 'UNSIGNED-PAYLOAD'
  const start = [method, headers.get('content-md5') ?? '', headers.get('content-type') ?? '', expires, ''].join('\n')
  const bucket = hostBucket === null ? '' : `/${hostBucket}`
  const texts = [path, encodedPath(path)].flatMap((one) =>
    [names, names.filter((name) => !saysNothing(name))].map((all) => `${start}${lines(all)}${bucket}${one}${end}`),
  )
  return [...new Set(texts)]
}

/** Whether the signature is that of one of these texts with a secret. */
export const isOldSignature = (signature: string, texts: readonly string[], secret: string): boolean =>
  texts.some((text) => isSame(signature, createHmac('sha1', secret).update(text, 'latin1').digest('base64')))

/** A query without what is part of such a signature alone. */
export const withoutOld = (query: Query): Query => query.filter(([name]) => !OLD_PARAMETERS.has(name))
