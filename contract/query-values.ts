// Sizes and times as a search names them. Without the schema library, for browsers too.

/** A moment: so long before now, or a time; in milliseconds. */
export type When = { ago: number } | { at: number }

/** A range of sizes in bytes, or of times, with both ends; null is no end. */
export interface Range<T> {
  from: T | null
  to: T | null
}

const SIZE = /^(\d{1,15}(?:\.\d{1,6})?)\s?([kmgt]?)(i?)(b?)$/i
const POWERS: { readonly [unit: string]: number } = { '': 0, k: 1, m: 2, g: 3, t: 4 }

/** A size in bytes; a unit is a power of 1024, with or without `i`. Null if it is none. */
function sizeOf(text: string): number | null {
  const [, number = '', unit = '', binary = ''] = SIZE.exec(text) ?? []
  if (number === '' || (binary !== '' && unit === '')) return null
  const bytes = Number(number) * 1024 ** (POWERS[unit.toLowerCase()] ?? 0)
  return bytes <= Number.MAX_SAFE_INTEGER ? bytes : null
}

const COMPARED = /^(>=|<=|>|<|=)?(.*)$/s

/** `>10MB`, `<=1KB`, `5B` or `1MB..2MB`, in whole bytes; null if it is none, or if no size is in it. */
export function readSizes(text: string): Range<number> | null {
  const dots = text.indexOf('..')
  if (dots >= 0) {
    const [low, high] = [text.slice(0, dots), text.slice(dots + 2)]
    const [from, to] = [low === '' ? null : sizeOf(low), high === '' ? null : sizeOf(high)]
    if ((low !== '' && from === null) || (high !== '' && to === null)) return null
    return inOrder(from === null ? null : Math.ceil(from), to === null ? null : Math.floor(to))
  }
  const [, compared = '=', rest = ''] = COMPARED.exec(text) ?? []
  const size = sizeOf(rest)
  if (size === null) return null
  if (compared === '>') return { from: Math.floor(size) + 1, to: null }
  if (compared === '>=') return { from: Math.ceil(size), to: null }
  if (compared === '=') return { from: Math.round(size), to: Math.round(size) }
  return inOrder(null, compared === '<' ? Math.ceil(size) - 1 : Math.floor(size))
}

function inOrder(from: number | null, to: number | null): Range<number> | null {
  if ((from === null && to === null) || (to !== null && to < (from ?? 0))) return null
  return { from, to }
}

/** Sizes as `readSizes` reads them. */
export const writeSizes = ({ from, to }: Range<number>): string =>
  from === to ? String(from) : from === null ? `<=${to}` : to === null ? `>=${from}` : `${from}..${to}`

const SECOND = 1000
const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['y', 365 * 86400 * SECOND],
  ['mo', 30 * 86400 * SECOND],
  ['w', 7 * 86400 * SECOND],
  ['d', 86400 * SECOND],
  ['h', 3600 * SECOND],
  ['m', 60 * SECOND],
  ['s', SECOND],
]
const AGO = /^(\d{1,9})(y|mo|w|d|h|m|s)$/i
/** A thousand years. */
const LONGEST = 1000 * 365 * 86400 * SECOND

/** How long `7d` is in milliseconds; null if it is no length of time. */
function lengthOf(text: string): number | null {
  const [, number = '', unit = ''] = AGO.exec(text) ?? []
  const ms = UNITS.find(([name]) => name === unit.toLowerCase())?.[1]
  const length = ms === undefined ? Number.NaN : Number(number) * ms
  return length <= LONGEST ? length : null
}

const DATE = /^([1-9]\d{3})(?:-(\d\d)(?:-(\d\d)(?:t(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(z|[+-]\d\d:\d\d)?)?)?)?$/i

/** The first and the last millisecond of a year, month, day, minute or moment, UTC unless it says otherwise; null if it is none. */
function periodOf(text: string): { first: number; last: number } | null {
  const [found, year, month, day, hour, minute, second, fraction, zone] = DATE.exec(text) ?? []
  if (found === undefined || year === undefined) return null
  const date = `${year}-${month ?? '01'}-${day ?? '01'}`
  const start = Date.parse(`${date}T00:00:00Z`)
  // Others than days that exist become days of the next month.
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(date)) return null
  if (hour === undefined) {
    const next =
      month === undefined
        ? Date.UTC(Number(year) + 1, 0)
        : day === undefined
          ? Date.UTC(Number(year), Number(month))
          : start + 86400 * SECOND
    return { first: start, last: next - 1 }
  }
  const zoned = zone === undefined ? 'Z' : zone.toUpperCase()
  const at = Date.parse(`${date}T${hour}:${minute}:${second ?? '00'}.${(fraction ?? '').padEnd(3, '0')}${zoned}`)
  if (Number.isNaN(at)) return null
  const length = second === undefined ? 60 * SECOND : fraction === undefined ? SECOND : 10 ** (3 - fraction.length)
  return { first: at, last: at + length - 1 }
}

/**
 * `<7d` (changed less than seven days ago), `>1y` (longer ago), `2026-11` (in that month), `>2026-11-01` (after that day) or
 * `2026-11-01..2026-11-15`; null if it is none, or if no time is in it.
 */
export function readTimes(text: string): Range<When> | null {
  const read = timesIn(text)
  return read && [read.from, read.to].every((when) => when === null || 'ago' in when || isWritable(when.at))
    ? read
    : null
}

/** Whether a time has a year of four digits. */
const isWritable = (at: number): boolean => at >= Date.UTC(1000, 0) && at < Date.UTC(10_000, 0)

function timesIn(text: string): Range<When> | null {
  const dots = text.indexOf('..')
  if (dots >= 0) {
    const [low, high] = [text.slice(0, dots), text.slice(dots + 2)]
    const [from, to] = [low === '' ? null : momentOf(low, 'first'), high === '' ? null : momentOf(high, 'last')]
    if ((low !== '' && from === null) || (high !== '' && to === null) || (from === null && to === null)) return null
    return isOrdered(from, to) ? { from, to } : null
  }
  const [, compared = '=', rest = ''] = COMPARED.exec(text) ?? []
  const ago = lengthOf(rest)
  // Younger than a length of time is later than so long ago.
  if (ago !== null) return compared.startsWith('>') ? { from: null, to: { ago } } : { from: { ago }, to: null }
  const period = periodOf(rest)
  if (period === null) return null
  const { first, last } = period
  if (compared === '>') return { from: { at: last + 1 }, to: null }
  if (compared === '>=') return { from: { at: first }, to: null }
  if (compared === '<') return { from: null, to: { at: first - 1 } }
  if (compared === '<=') return { from: null, to: { at: last } }
  return { from: { at: first }, to: { at: last } }
}

function momentOf(text: string, end: 'first' | 'last'): When | null {
  const ago = lengthOf(text)
  if (ago !== null) return { ago }
  const period = periodOf(text)
  return period === null ? null : { at: period[end] }
}

/** False if no time can be in it; what is in a range between a time and a length of time depends on when that is asked. */
function isOrdered(from: When | null, to: When | null): boolean {
  if (from === null || to === null) return true
  if ('at' in from && 'at' in to) return from.at <= to.at
  return !('ago' in from && 'ago' in to) || from.ago >= to.ago
}

/** Times as `readTimes` reads them. */
export function writeTimes({ from, to }: Range<When>): string {
  if (from !== null && to !== null) return `${whenText(from)}..${whenText(to)}`
  if (from !== null) return 'ago' in from ? `<${whenText(from)}` : `>=${whenText(from)}`
  if (to !== null) return 'ago' in to ? `>${whenText(to)}` : `<=${whenText(to)}`
  return ''
}

function whenText(when: When): string {
  if ('at' in when) return new Date(when.at).toISOString()
  const [unit, ms] = UNITS.find((one) => when.ago % one[1] === 0) ?? ['s', SECOND]
  return `${when.ago / ms}${unit}`
}

/** The time that is meant, at a moment. */
export const timeOfWhen = (when: When, now: number): number => ('at' in when ? when.at : now - when.ago)
