import { disguised } from './pseudo-locale.ts'
import { inUnits } from './units.ts'

/**
 * A feature's texts: objects of strings and functions beside it (`messages.ts`), in English. Other languages have them
 * in `languages/`, loaded before anything is shown. `?lang=en-XA` shows every text longer and accented, which reveals
 * texts that are not in a catalogue or have no room; `?lang=ar-XB` also turns the page right to left.
 */
type Text = string | ((...given: never[]) => string)
export type Messages = { readonly [name: string]: Text }
/** A catalogue in another language: it says the same, given the same. */
export type Translation<M> = {
  readonly [Name in keyof M]: M[Name] extends (...given: infer Given) => string ? (...given: Given) => string : string
}
/** A language's catalogues by feature and name. */
export type Catalogues = { readonly [feature: string]: { readonly [name: string]: Messages } }

/** The language of texts, numbers and dates. */
export let locale = 'en'
let spoken: Catalogues | 'disguised' = {}
const shown = new Map<string, Messages>()
const translated = (name: string, english: Messages): Messages => {
  if (spoken === 'disguised') return disguised(english)
  const [feature = '', catalogue = ''] = name.split('.')
  const texts = spoken[feature]?.[catalogue]
  if (!texts && locale !== 'en') console.error(`${name} is used before its language has arrived`)
  return texts ?? english
}

/** Returns a catalogue in the page's language. `name` is the feature's and the catalogue's, with a dot in between. */
export function catalogue<M extends Messages>(name: string, english: M): M {
  const texts = { ...english, ...translated(name, english) }
  shown.set(name, texts)
  return texts
}

/**
 * Sets the page's language. Catalogues that exist are changed in place, so it is called before anything is shown and
 * before views are loaded: they may keep texts in constants.
 */
export function speak(language: string, texts: Catalogues | 'disguised'): void {
  locale = language
  spoken = texts
  formats = formatsOf(language)
  for (const [name, one] of shown) Object.assign(one, translated(name, one))
}

let whole: Promise<void> = Promise.resolve()
/** Resolves once the page's language has all texts: for what is loaded later than the frame. */
export const wholeLanguage = (): Promise<void> => whole

/** Adds catalogues of the page's language once they arrive, before what has them is loaded. */
export function speakMore(arriving: Promise<Catalogues>): void {
  whole = arriving.then((texts) => {
    if (spoken !== 'disguised') speak(locale, { ...spoken, ...texts })
  }, console.error)
}

/** The text for a value that only the server names, if the page's language has one. */
export const translate = (name: string, value: string, english: string): string => {
  const text = translated(name, {})[value]
  return typeof text === 'string' ? text : english
}

/** The formatters of a language: to construct one takes longer than to draw a row. */
const formatsOf = (language: string) => ({
  plurals: new Intl.PluralRules(language),
  percent: new Intl.NumberFormat(language, { style: 'percent' }),
  counts: new Intl.NumberFormat(language),
  wholes: new Intl.NumberFormat(language, { maximumFractionDigits: 0 }),
  tenths: new Intl.NumberFormat(language, { maximumFractionDigits: 1 }),
  relative: new Intl.RelativeTimeFormat(language),
  present: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second'),
  absolute: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }),
  clock: new Intl.DateTimeFormat(language, { timeStyle: 'short' }),
  moment: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }),
})
let formats = formatsOf(locale)

/** `plural(3, { one: 'object', other: 'objects' })` is `3 objects`. */
export const plural = (n: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }): string =>
  `${formats.counts.format(n)} ${forms[formats.plurals.select(n)] ?? forms.other}`
export const formatCount = (n: number): string => formats.counts.format(n)

/** `98%`; less than all is never rounded up to 100%. */
export const formatShare = (share: number): string => formats.percent.format(Math.floor(share * 100) / 100)

export const MB = 1024 ** 2
export const GB = 1024 ** 3
/** `1.4 MB`, always in units of 1024, as in the API's quotas, so that used and free add up. */
export function formatBytes(bytes: number): string {
  const { value, unit, decimals } = inUnits(bytes, locale)
  return `${(decimals ? formats.tenths : formats.wholes).format(value)} ${unit}`
}

/** Each unit in seconds, and the number of them from which the next one is used. */
const steps = [
  ['minute', 60, 60],
  ['hour', 3600, 24],
  ['day', 86_400, 60],
  ['month', 2_629_800, 24],
  ['year', 31_557_600, Number.POSITIVE_INFINITY],
] as const
/** `3 hours ago`, `in 7 days`; rounded, so that what expires in 7 days still says so a second later. */
export function formatAgo(time: string | number | Date, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000
  if (Math.abs(seconds) < 60) return formats.present
  for (const [unit, length, most] of steps) {
    const n = Math.round(seconds / length)
    if (Math.abs(n) < most) return formats.relative.format(n, unit)
  }
  return formats.present
}
export const formatTime = (time: string | number | Date): string => formats.absolute.format(new Date(time))
/** `12:03 PM`, with the date unless it is today's. */
export function formatMoment(time: string | number | Date, now = Date.now()): string {
  const date = new Date(time)
  return (date.toDateString() === new Date(now).toDateString() ? formats.clock : formats.moment).format(date)
}
/** Local time and UTC, for a title. */
export const formatBoth = (time: string | number | Date): string =>
  `${formatTime(time)} · ${new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')}`

export const durations = catalogue('i18n.durations', {
  seconds: (s: number) => `${s} s`,
  minutes: (min: number, s: number) => `${min} min ${s} s`,
  hours: (h: number, min: number) => `${h} h ${min} min`,
})
export function formatDuration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds))
  if (s < 60) return durations.seconds(s)
  if (s < 3600) return durations.minutes(Math.floor(s / 60), s % 60)
  return durations.hours(Math.floor(s / 3600), Math.floor((s % 3600) / 60))
}
