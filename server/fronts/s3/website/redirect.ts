import type { Website, WebsiteRule } from '../../../../contract/bucket-rules.ts'
import type { Site } from '../../../http/site.ts'

/** What a redirect is made from besides its rule. */
export interface RedirectRequest extends Site {
  scheme: 'http' | 'https'
  key: string
  /** As it was sent, of single bytes. */
  query: string
}

/** The first rule about a key: before the object is looked for, and for an answer with this status after that. */
export const ruleFor = (website: Website, key: string, status?: number): WebsiteRule | undefined =>
  'redirect_all' in website
    ? undefined
    : website.rules?.find(
        ({ condition: { key_prefix = '', error_code } = {} }) => error_code === status && key.startsWith(key_prefix),
      )

const hex = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
const percent = (text: string) => Array.from(Buffer.from(text), hex).join('')

/** A key as a path, without the slash before it. */
const asPath = (key: string): string => key.toWellFormed().split('/').map(encodeURIComponent).join('/')
/** What owners wrote as it is, `?` and `%` too: only what no header or URL can have is encoded. */
export const asWritten = (text: string): string => text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (one) => percent(one))
/** A host, and the path that may follow it, without the slash that the key's path begins with. */
const asHost = (host: string): string => asWritten(host).replace(/\/$/, '')
/** What a visitor sent as a query: bytes, whatever they are. */
const asQuery = (query: string): string => query.replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, (one) => hex(one.charCodeAt(0)))

/** Adds a query to what has one perhaps, before its fragment. */
function withQuery(url: string, query: string): string {
  if (query === '') return url
  const at = url.indexOf('#')
  const [start, fragment] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)]
  return `${start}${start.includes('?') ? '&' : '?'}${asQuery(query)}${fragment}`
}

/** Where a rule sends a request. */
export function locationBy({ condition, redirect }: WebsiteRule, visit: RedirectRequest): string {
  const { key, scheme } = visit
  const { protocol = scheme, host, replace_key, replace_key_prefix } = redirect
  const path =
    replace_key !== undefined
      ? asWritten(replace_key)
      : replace_key_prefix !== undefined
        ? asWritten(replace_key_prefix) + asPath(key.slice(condition?.key_prefix?.length ?? 0))
        : asPath(key)
  // A port is that of one protocol.
  const own = protocol === scheme ? visit.host : visit.host.replace(/:\d+$/, '')
  return withQuery(`${protocol}://${asHost(host ?? own)}/${path}`, visit.query)
}

/** Where a website that is elsewhere sends every request. */
export const locationElsewhere = (
  { host, protocol }: Extract<Website, { redirect_all: unknown }>['redirect_all'],
  { key, scheme, query }: RedirectRequest,
): string => withQuery(`${protocol ?? scheme}://${asHost(host)}/${asPath(key)}`, query)

/** The address of a folder. Its first slashes are encoded: two at the start of a Location would name another host. */
export const locationOfFolder = ({ key, query }: RedirectRequest): string =>
  withQuery(`/${asPath(key).replace(/^\/+/, (slashes) => '%2F'.repeat(slashes.length))}/`, query)
