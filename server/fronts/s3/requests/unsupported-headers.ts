import { S3Error } from '../errors.ts'
import { type Exchange, header, headersNamed } from './exchange.ts'

/** A header, query parameter or element that AWS documents; a name that ends in `*` stands for all that begin with it. */
export interface Asked {
  name: string
  reason: string
  /** The value, in lower case, that asks for nothing. */
  unless?: string
}

/**
 * Headers that ask for what nothing here does. They are refused on every operation, in presigned URLs and in fields of
 * forms too: whoever sends one relies on it.
 */
export const REFUSED_HEADERS: readonly Asked[] = [
  { name: 'x-amz-object-lock-event-hold*', reason: 'no locks are bound to events' },
  { name: 'x-amz-write-offset-bytes', reason: 'objects are written as a whole' },
  { name: 'x-amz-bucket-namespace', reason: 'there is one namespace of buckets', unless: 'global' },
]

/** Headers that are accepted and change nothing, because what they ask for is so anyway, or concerns what cannot be. */
export const IDLE_HEADERS: readonly Asked[] = [
  {
    name: 'x-amz-server-side-encryption-bucket-key-enabled',
    reason: 'keys of key services are used for several objects anyway',
  },
  { name: 'x-amz-request-payer', reason: 'nobody pays for requests' },
  { name: 'x-amz-mfa', reason: 'no operation asks for a second factor' },
  { name: 'x-amz-optional-object-attributes', reason: 'no object is being restored from an archive' },
  { name: 'x-amz-object-annotation-directive', reason: 'no object has annotations' },
  { name: 'x-amz-bucket-object-lock-token', reason: 'Object Lock needs no token to be enabled' },
  { name: 'x-amz-transition-default-minimum-object-size', reason: 'there are no transitions between storage classes' },
  { name: 'x-amz-confirm-remove-self-bucket-access', reason: 'no policy takes permissions away' },
]

/** Whether a header is one that is refused, but perhaps for its value. */
const isAsking = (name: string): boolean =>
  name.startsWith('x-amz-') && (ENCRYPTION.test(name) || REFUSED_HEADERS.some((one) => isNamed(name, one)))

const ENCRYPTION = /^x-amz-(copy-source-)?server-side-encryption/

const isNamed = (name: string, { name: pattern }: Asked): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/** Throws NotImplemented for a header that asks for what nothing here does. */
export function refuseUnknownWishes(
  exchange: Exchange,
  { encrypts = false, copies = false }: { encrypts?: boolean; copies?: boolean },
): void {
  const { form, request, hoisted } = exchange
  // Nearly all requests: none of their headers can be one of these.
  if (!form && !hoisted && !Object.keys(request.headers).some(isAsking)) return
  const unread = (name: string) => !encrypts || (!copies && name.startsWith('x-amz-copy-source-'))
  const encryption = headersNamed(exchange, 'x-amz-').find((name) => ENCRYPTION.test(name) && unread(name))
  if (encryption !== undefined) throw unsupportedHeader(encryption)
  // Only these are read: metadata need not be UTF-8.
  const sent = headersNamed(exchange, 'x-amz-')
    .filter(isAsking)
    .map((name) => [name, header(exchange, name) ?? ''] as const)
  // Beside the fields of a form its headers ask for nothing, but who sends them thinks they do.
  const beside = form ? Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const) : []
  for (const [name, value] of [...sent, ...beside])
    if (REFUSED_HEADERS.some((one) => isNamed(name, one) && value.trim().toLowerCase() !== one.unless))
      throw unsupportedHeader(name)
}

export const unsupportedHeader = (name: string) =>
  new S3Error('NotImplemented', `A header you provided implies functionality that is not implemented: ${name}.`)
