import { inUnits } from '../../src/units.ts'

/** The language of numbers and dates, and of which a catalogue's plural forms are. */
export let locale = 'en'
export const speak = (language: string): void => {
  locale = language
}

/** One formatter for each language and style: to make one takes longer than to draw a row. */
const made: { [kind: string]: unknown } = {}
function once<T>(kind: string, make: () => T): T {
  made[`${locale} ${kind}`] ??= make()
  return made[`${locale} ${kind}`] as T
}
const numbers = (digits: number) =>
  once(`number ${digits}`, () => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
const dates = (timeStyle?: 'short') =>
  once(
    `date ${timeStyle}`,
    () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...(timeStyle && { timeStyle }) }),
  )

export const formatCount = (n: number): string => numbers(0).format(n)

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }
/** `plural(3, { one: 'file', other: 'files' })` is `3 files`. */
export const plural = (n: number, forms: Forms): string =>
  `${formatCount(n)} ${forms[once('plural', () => new Intl.PluralRules(locale)).select(n)] ?? forms.other}`

/** `1.4 MB`, as the console has it. */
export function formatBytes(bytes: number): string {
  const { value, unit, decimals } = inUnits(bytes, locale)
  return `${numbers(decimals ? 1 : 0).format(value)} ${unit}`
}
/** `Dec 3, 2026` */
export const formatDate = (time: string): string => dates().format(new Date(time))
/** `Dec 3, 2026, 5:00 PM` */
export const formatMoment = (time: string): string => dates('short').format(new Date(time))
