import type http from 'node:http'
import type { Duplex } from 'node:stream'
import { trimBlanks } from '../base/blanks.ts'

/** Why a request is refused, whatever it asks for; the connection ends with the answer. */
export interface Misread {
  code: 'malformed' | 'not_implemented'
  detail: string
}

/**
 * Headers of which a request has one at most: of two, one reader takes the first, another the last or both (RFC 9110
 * section 5.3). Node itself keeps the first of some and joins others.
 */
const SINGLE: ReadonlySet<string> = new Set([
  'access-control-request-method',
  'authorization',
  'content-disposition',
  'content-length',
  'content-location',
  'content-md5',
  'content-range',
  'content-type',
  'date',
  'expires',
  'host',
  'if-modified-since',
  'if-range',
  'if-unmodified-since',
  'max-forwards',
  'origin',
  'proxy-authorization',
  'range',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-purpose',
  'transfer-encoding',
])

/** Codings that chunks may be in; `identity` has not been one since RFC 7230. */
const CODING = /^[\w!#$%&'*+.^`|~-]+$/
/** A host name or an address, perhaps with a port (RFC 9110 section 7.2); an escaped or empty one serves nobody here. */
const HOST = /^(\[[\da-f:.]{2,45}\]|[\w.~-]{1,255})(:\d{0,5})?$/i
/** A name with a part of no characters: what is left of it after its final dot would be taken for another name. */
const EMPTY_PART = /^\.|\.\./
const ABSOLUTE = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)/i
const DEFAULT_PORTS: { readonly [scheme: string]: RegExp } = { http: /:(80)?$/, https: /:(443)?$/ }

const malformed = (detail: string): Misread => ({ code: 'malformed', detail })

/** Why a request could be read differently by others on its way, or cannot be read at all; undefined if neither. */
export function framingFault(
  { rawHeaders, httpVersion }: Pick<http.IncomingMessage, 'rawHeaders' | 'httpVersion'>,
  target = '',
  isSingle: (name: string) => boolean = () => false,
): Misread | undefined {
  const seen = new Set<string>()
  let host: string | undefined
  let encoding: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    if (name === 'host') host ??= rawHeaders[i + 1]
    if (name === 'transfer-encoding') encoding ??= rawHeaders[i + 1]
    if (!SINGLE.has(name) && !isSingle(name)) continue
    if (seen.has(name)) return malformed(`Send exactly one ${name === 'host' ? 'Host' : name} header.`)
    seen.add(name)
  }
  return misreadFraming(encoding, httpVersion) ?? misreadHost(host, httpVersion, target)
}

/** RFC 9112 section 6.1: a coding that is not known here is refused, not taken for the contents. */
function misreadFraming(encoding: string | undefined, httpVersion: string): Misread | undefined {
  if (encoding === undefined) return undefined
  if (httpVersion === '1.0') return malformed('HTTP/1.0 has no Transfer-Encoding.')
  const codings = encoding.toLowerCase().split(',', 3).map(trimBlanks)
  if (codings.length === 1 && codings[0] === 'chunked') return undefined
  const isKnown = (one: string) => CODING.test(one) && one !== 'identity' && one !== 'chunked'
  if (codings.length === 2 && codings[1] === 'chunked' && isKnown(codings[0] ?? ''))
    return {
      code: 'not_implemented',
      detail: 'The only Transfer-Encoding is chunked. A body that is compressed as such has a Content-Encoding.',
    }
  return malformed('Transfer-Encoding can only be chunked.')
}

/** RFC 9112 section 3.2: one host, and the same in a target that names it, of which some readers take one or the other. */
function misreadHost(host: string | undefined, httpVersion: string, url: string): Misread | undefined {
  if (host === undefined && httpVersion !== '1.0') return malformed('Send exactly one Host header.')
  if (host !== undefined && host !== '' && (!HOST.test(host) || EMPTY_PART.test(host)))
    return malformed('The Host header is not a host.')
  const [, scheme, authority = ''] = ABSOLUTE.exec(url) ?? []
  if (scheme === undefined) return undefined
  const port = DEFAULT_PORTS[scheme.toLowerCase()]
  const bare = (name: string) => name.toLowerCase().replace(port ?? '', '')
  if (port && host !== undefined && bare(authority) === bare(host)) return undefined
  return malformed('The request target names another host than the Host header.')
}

/** Judges the requests of one server in the order in which they arrive. */
export function judgeRequests(isSingle?: (name: string) => boolean) {
  const last = new WeakMap<Duplex, Exchange & { refused: boolean }>()
  return {
    /**
     * What is wrong with a request whose target was sent so, or `ignored` for whatever follows one that was refused on the
     * same connection: where such a request ends is not known.
     */
    judge({ request, response }: Exchange, target = request.url): Misread | 'ignored' | undefined {
      const { socket } = request
      if (last.get(socket)?.refused) return 'ignored'
      const misread = framingFault(request, target, isSingle)
      last.set(socket, { request, response, refused: misread !== undefined })
      return misread
    },
    /**
     * The answer with which a connection ends when what follows on it cannot be read: that to a request which was refused,
     * or whose body is broken after it was answered.
     */
    endingOf(socket: Duplex): http.ServerResponse | undefined {
      const { request, response, refused } = last.get(socket) ?? {}
      return refused || (request && !request.complete && response?.headersSent) ? response : undefined
    },
  }
}

interface Exchange {
  request: http.IncomingMessage
  response: http.ServerResponse
}
