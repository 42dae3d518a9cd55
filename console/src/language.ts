import { firstLanguage, type LanguageTag } from '../../contract/languages.ts'

/** The language that users chose for their account, so that it is there before they have signed in. */
const KEY = 'strongroom-language'
const kept = (): string | null => {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
const asked = new URLSearchParams(globalThis.location?.search ?? '').get('lang')

/** What `?lang=` asks for; it is preferred to every choice. */
export const askedLanguage = (): string | null => asked

/** The page's language: of `?lang=`, of the account that was last here, or the first of the browser's that we have. */
export const wantedLanguage = (): LanguageTag => firstLanguage([asked, kept(), ...navigator.languages])

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
