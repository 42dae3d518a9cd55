import { trimBlanks } from '../base/blanks.ts'
import type { ByteRange } from '../base/byte-range.ts'
import { httpDate } from '../base/dates.ts'

/** What conditional requests are compared with. */
export interface Validators {
  /** Without quotes; strong. */
  etag: string
  last_modified: Date
}
type Headers = { [name: string]: string | string[] | undefined }
const text = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** The entity tags of an If-Match or If-None-Match header (RFC 9110 sections 13.1.1 and 13.1.2); `*` means any. */
export type EntityTags = '*' | readonly { tag: string; weak: boolean }[]

/** Reads such a header; undefined without one. Tags without quotes are accepted, too. */
export function readEntityTags(header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined
  if (trimBlanks(header) === '*') return '*'
  return header.split(',').map((one) => {
    const [, weak, tag = ''] = /^(W\/)?(.*)$/s.exec(trimBlanks(one)) ?? []
    return { tag: tag.replace(/^"(.*)"$/, '$1'), weak: weak !== undefined }
  })
}

/** Whether one of the tags matches this version by weak comparison, as If-None-Match requires. */
export const matchesWeakly = (tags: EntityTags, etag: string): boolean =>
  tags === '*' || tags.some(({ tag }) => tag === etag)
/** The same by strong comparison, as If-Match requires: a weak tag never matches. */
export const matchesStrongly = (tags: EntityTags, etag: string): boolean =>
  tags === '*' || tags.some(({ tag, weak }) => !weak && tag === etag)

/** HTTP dates have whole seconds. */
export const wholeSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)
function date(value: string | undefined): number | undefined {
  const time = value === undefined ? undefined : httpDate(value)
  return time && wholeSeconds(time)
}

/** Evaluates the preconditions of a GET or HEAD, in the order of RFC 9110 section 13.2.2. */
export function evaluateConditions(headers: Headers, { etag, last_modified }: Validators): 200 | 304 | 412 {
  const ifMatch = readEntityTags(text(headers, 'if-match'))
  const ifUnmodified = date(text(headers, 'if-unmodified-since'))
  if (ifMatch !== undefined) {
    if (!matchesStrongly(ifMatch, etag)) return 412
  } else if (ifUnmodified !== undefined && wholeSeconds(last_modified) > ifUnmodified) return 412
  const ifNoneMatch = readEntityTags(text(headers, 'if-none-match'))
  const ifModified = date(text(headers, 'if-modified-since'))
  if (ifNoneMatch !== undefined) return matchesWeakly(ifNoneMatch, etag) ? 304 : 200
  if (ifModified !== undefined && wholeSeconds(last_modified) <= ifModified) return 304
  return 200
}

/** Whether a Range still applies to this version (RFC 9110 section 13.1.5): not with a weak tag or another date. */
export function rangeApplies(headers: Headers, { etag, last_modified }: Validators): boolean {
  const ifRange = text(headers, 'if-range')
  if (ifRange === undefined) return true
  if (ifRange.startsWith('W/')) return false
  if (ifRange.startsWith('"')) return ifRange === `"${etag}"`
  return date(ifRange) === wholeSeconds(last_modified)
}

/** More ranges than a client could need. */
const MAX_RANGES = 32

/**
 * The ranges of `size` bytes that a Range header asks for, with overlapping and adjacent ones joined, in their order;
 * undefined if the header is to be ignored (another unit, bad syntax, too many), 'unsatisfiable' if none overlaps.
 */
export function parseRanges(header: string | undefined, size: number): ByteRange[] | 'unsatisfiable' | undefined {
  if (header === undefined || !/^bytes=/i.test(header)) return undefined
  // Blanks may stand around commas only (RFC 9110 sections 5.6.1 and 14.1.1): anywhere else it is no range.
  const specs = header.slice('bytes='.length).split(',', MAX_RANGES + 1)
  if (specs.length > MAX_RANGES) return undefined
  const ranges: ByteRange[] = []
  let empty = false
  for (const [i, spec] of specs.entries()) {
    const [, before = '', first = '', last = '', after = ''] = /^([ \t]*)(\d*)-(\d*)([ \t]*)$/.exec(spec) ?? []
    if ((i === 0 && before !== '') || (i === specs.length - 1 && after !== '')) return undefined
    if (first === '' && last === '') return undefined
    const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
    const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
    if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
    if (start <= end && start < size) ranges.push({ start, end })
    // RFC 9110 section 14.1.2: the last n > 0 bytes of an empty object are satisfiable, but no Content-Range can
    // express it.
    else if (size === 0 && first === '' && Number(last) > 0) empty = true
  }
  if (ranges.length === 0) return empty ? undefined : 'unsatisfiable'
  return joined(ranges)
}

function joined(ranges: readonly ByteRange[]): ByteRange[] {
  const result: ByteRange[] = []
  for (const range of ranges) {
    const other = result.find((one) => range.start <= one.end + 1 && range.end >= one.start - 1)
    if (!other) {
      result.push({ ...range })
      continue
    }
    other.start = Math.min(other.start, range.start)
    other.end = Math.max(other.end, range.end)
  }
  return result.length < ranges.length ? joined(result) : result
}
