import { inUnits } from './units.ts'

/**
 * A feature's texts: one object of strings and functions beside it (`messages.ts`), typed by itself. `?lang=en-XA`
 * shows every text longer and accented, which reveals texts that are not in a catalogue or have no room; `?lang=ar-XB`
 * turns the page right to left.
 */
type Text = string | ((...given: never[]) => string)
export type Messages = { readonly [name: string]: Text }

const asked = new URLSearchParams(globalThis.location?.search ?? '').get('lang')
const pseudo = asked === 'en-XA'
if (asked === 'ar-XB') document.documentElement.dir = 'rtl'
export const locale = 'en'

const ACCENTED: Record<string, string> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  c: 'ç',
  n: 'ñ',
  A: 'Á',
  E: 'É',
  O: 'Ö',
  S: 'Š',
}
const disguise = (text: string): string =>
  `[${text.replace(/[aeioucnAEOS]/g, (letter) => ACCENTED[letter] ?? letter)}${'·'.repeat(Math.ceil(text.length / 4))}]`

/** Returns a feature's catalogue in the page's language. */
export function catalogue<M extends Messages>(english: M): M {
  if (!pseudo) return english
  const shown = Object.entries(english).map(([name, text]) => [
    name,
    typeof text === 'string' ? disguise(text) : (...given: never[]) => disguise(text(...given)),
  ])
  return Object.fromEntries(shown) as M
}

const rules = new Intl.PluralRules(locale)
const counts = new Intl.NumberFormat(locale)
/** `plural(3, { one: 'object', other: 'objects' })` is `3 objects`. */
export const plural = (n: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }): string =>
  `${counts.format(n)} ${forms[rules.select(n)] ?? forms.other}`
export const formatCount = (n: number): string => counts.format(n)

/** `98%`; less than all is never rounded up to 100%. */
export const formatShare = (share: number): string =>
  new Intl.NumberFormat(locale, { style: 'percent' }).format(Math.floor(share * 100) / 100)

const wholes = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
export const MB = 1024 ** 2
export const GB = 1024 ** 3
/** `1.4 MB`, always in units of 1024, as in the API's quotas, so that used and free add up. */
export function formatBytes(bytes: number): string {
  const { value, unit, decimals } = inUnits(bytes)
  return `${(decimals ? tenths : wholes).format(value)} ${unit}`
}

/** Each unit in seconds, and the number of them from which the next one is used. */
const steps = [
  ['minute', 60, 60],
  ['hour', 3600, 24],
  ['day', 86_400, 60],
  ['month', 2_629_800, 24],
  ['year', 31_557_600, Number.POSITIVE_INFINITY],
] as const
const relative = new Intl.RelativeTimeFormat(locale)
const present = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second')
/** `3 hours ago`, `in 7 days`; rounded, so that what expires in 7 days still says so a second later. */
export function formatAgo(time: string | number | Date, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000
  if (Math.abs(seconds) < 60) return present
  for (const [unit, length, most] of steps) {
    const n = Math.round(seconds / length)
    if (Math.abs(n) < most) return relative.format(n, unit)
  }
  return present
}
const absolute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
export const formatTime = (time: string | number | Date): string => absolute.format(new Date(time))
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
/** `12:03 PM`, with the date unless it is today's. */
export function formatMoment(time: string | number | Date, now = Date.now()): string {
  const date = new Date(time)
  return (date.toDateString() === new Date(now).toDateString() ? clock : moment).format(date)
}
/** Local time and UTC, for a title. */
export const formatBoth = (time: string | number | Date): string =>
  `${formatTime(time)} · ${new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')}`
export function formatDuration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`
}
