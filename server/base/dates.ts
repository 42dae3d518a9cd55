import { trimBlanks } from './blanks.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const month = `(?<month>${MONTHS.join('|')})`
const time = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
const HTTP_DATES = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  // RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  // asctime: Sun Nov  6 08:49:37 1994
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} (?<day>\\d\\d| \\d) ${time} (?<year>\\d{4})$`),
]
/** No date of any of these forms is longer. */
const MOST_TEXT = 40
/** Two digits of a year: 1970 to 2069. */
const FIRST_SHORT_YEAR = 70

type Fields = { [name in 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second']: number }

/** A time of the calendar, UTC; undefined for one that it does not have. A leap second is the one after it. */
function timeOf({ year, month, day, hour, minute, second }: Fields): Date | undefined {
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const found = new Date(0)
  found.setUTCFullYear(year, month - 1, day)
  if (found.getUTCMonth() !== month - 1 || found.getUTCDate() !== day) return undefined
  found.setUTCHours(hour, minute, second)
  return found
}

/**
 * An HTTP-date in any of its three forms (RFC 9110 section 5.6.7); undefined for every other text, also for one that
 * `Date` understands: a recipient ignores a condition whose date is none.
 */
export function httpDate(text: string): Date | undefined {
  const trimmed = trimBlanks(text)
  if (trimmed.length > MOST_TEXT) return undefined
  for (const form of HTTP_DATES) {
    const groups = form.exec(trimmed)?.groups
    if (!groups) continue
    const { year = '', month: name = '' } = groups
    const short = Number(year) + (Number(year) < FIRST_SHORT_YEAR ? 2000 : 1900)
    return timeOf({
      year: year.length === 2 ? short : Number(year),
      month: MONTHS.indexOf(name) + 1,
      day: Number(groups.day),
      hour: Number(groups.hour),
      minute: Number(groups.minute),
      second: Number(groups.second),
    })
  }
  return undefined
}

const ISO =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:T(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?<fraction>[.,]\d{1,9})?)?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?)?$/

/**
 * A date, or a date with a time, in the extended format of ISO 8601; in UTC where it names no zone, whatever the zone of
 * the machine. Undefined for every other text, and for days and times that there are none of.
 */
export function isoTime(text: string): Date | undefined {
  const groups = text.length > MOST_TEXT ? undefined : ISO.exec(text)?.groups
  if (!groups) return undefined
  const number = (name: string) => Number(groups[name] ?? 0)
  const { zone = 'Z', fraction = '' } = groups
  const found = timeOf({
    year: number('year'),
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
  })
  const [, sign = '', hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  if (!found || Number(hours) > 23 || Number(minutes) > 59) return undefined
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  return new Date(found.getTime() + Math.floor(Number(`0.${fraction.slice(1) || 0}`) * 1000) - ahead)
}

/** A time as clients write it who may write either kind of date; undefined for every other text. */
export const anyTime = (text: string): Date | undefined => httpDate(text) ?? isoTime(text)

/** A time in the basic format of ISO 8601 that signatures have, as `20260101T000000Z`; undefined for every other text. */
export function basicTime(text: string): Date | undefined {
  if (!/^\d{8}T\d{4}[0-5]\dZ$/.test(text)) return undefined
  const field = (from: number, to: number) => Number(text.slice(from, to))
  return timeOf({
    year: field(0, 4),
    month: field(4, 6),
    day: field(6, 8),
    hour: field(9, 11),
    minute: field(11, 13),
    second: field(13, 15),
  })
}
