import { firstLanguage, type LanguageTag } from '../../contract/languages.ts'

/** Each in its own words, so that everyone finds theirs. */
export const languageNames: { readonly [Tag in LanguageTag]: string } = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  'zh-CN': '简体中文',
}

/** The language that users chose for their account, so that it is there before they have signed in. */
const KEY = 'strongroom-language'
const read = (from: () => Storage): string | null => {
  try {
    return from().getItem(KEY)
  } catch {
    return null
  }
}
const kept = (): string | null => read(() => localStorage)
/** What was chosen before signing in, for accounts that have chosen none: until the tab is closed. */
const chosenHere = (): string | null => read(() => sessionStorage)
const asked = new URLSearchParams(globalThis.location?.search ?? '').get('lang')

/** What `?lang=` asks for; it is preferred to every choice. */
export const askedLanguage = (): string | null => asked

/** The page's language: of `?lang=`, of the account that was last here, chosen before signing in, or the first of the browser's that we have. */
export const wantedLanguage = (): LanguageTag => firstLanguage([asked, kept(), chosenHere(), ...navigator.languages])

/**
 * Keeps the language of the account (null: the browser's) in this browser. If that is another than the page's, the page
 * is loaded again. Returns whether it is.
 */
export function followLanguage(chosen: LanguageTag | null): boolean {
  if (chosen === kept()) return false
  const before = wantedLanguage()
  try {
    if (chosen === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, chosen)
  } catch {
    // No storage: the browser's language stays.
  }
  if (wantedLanguage() === before) return false
  location.reload()
  return true
}

/** Loads the page again in a language that is chosen before signing in. An account's own goes before it. */
export function chooseHere(tag: LanguageTag): void {
  try {
    localStorage.removeItem(KEY)
    sessionStorage.setItem(KEY, tag)
  } catch {
    // No storage: the browser's language stays.
  }
  location.reload()
}
