import { type LanguageTag, languageFor } from '../../../contract/languages.ts'
import { speak } from './numbers.ts'
import { english, type Texts } from './texts/en.ts'

/** Other languages that have a catalogue: each is a file of its own, loaded for those who read it. */
const others: { readonly [Tag in Exclude<LanguageTag, 'en'>]: () => Promise<{ default: Texts }> } = {
  de: () => import('./texts/de.ts'),
  es: () => import('./texts/es.ts'),
  fr: () => import('./texts/fr.ts'),
  ja: () => import('./texts/ja.ts'),
  'zh-CN': () => import('./texts/zh-CN.ts'),
}

/** All texts of the pages, in the visitor's language once `readLanguage` has resolved. */
export let text: Texts = english

const ACCENTED: { readonly [letter: string]: string } = {
  ...{ a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú', c: 'ç', n: 'ñ', A: 'Á', E: 'É', O: 'Ö', S: 'Š' },
}
const disguise = (plain: string): string =>
  `[${plain.replace(/[aeioucnAEOS]/g, (letter) => ACCENTED[letter] ?? letter)}${'·'.repeat(Math.ceil(plain.length / 4))}]`
const disguised = (texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts).map(([name, one]) => [
      name,
      typeof one === 'string'
        ? disguise(one)
        : (...given: never[]) => disguise((one as (...all: never[]) => string)(...given)),
    ]),
  ) as Texts

/**
 * Chooses the first of the visitor's languages that has a catalogue, else English, before any text is shown; `?lang=ja` is
 * preferred to theirs. `?lang=en-XA` shows every text longer and accented, `?lang=ar-XB` turns the page right to left.
 */
export async function readLanguage(): Promise<void> {
  const asked = new URLSearchParams(location.search).get('lang')
  if (asked === 'ar-XB') document.documentElement.dir = 'rtl'
  if (asked === 'en-XA') text = disguised(english)
  const tags = [...(asked === null ? [] : [asked]), ...navigator.languages]
  const found = tags.map(languageFor).find((tag) => tag !== undefined) ?? 'en'
  if (found === 'en') return
  try {
    text = (await others[found]()).default
  } catch (error) {
    // Without its file, for example after an upgrade, the page is better in English than empty.
    console.error(error)
    return
  }
  speak(found)
  document.documentElement.lang = found
}
