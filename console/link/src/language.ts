import { firstLanguage, type LanguageTag } from '../../../contract/languages.ts'
import { disguised } from '../../src/pseudo-locale.ts'
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

/**
 * Chooses the first of the visitor's languages that has a catalogue, else English, before any text is shown; `?lang=ja` is
 * preferred to theirs. `?lang=en-XA` shows every text longer and accented, `?lang=ar-XB` also from right to left.
 */
export async function readLanguage(): Promise<void> {
  const asked = new URLSearchParams(location.search).get('lang')
  if (asked === 'ar-XB') document.documentElement.dir = 'rtl'
  if (asked === 'en-XA' || asked === 'ar-XB') text = disguised(english)
  const found = firstLanguage([asked, ...navigator.languages])
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
