/** The languages of the console and of the pages of share links, by their tags (BCP 47). */
export const languages = ['en', 'de', 'es', 'fr', 'ja', 'zh-CN'] as const
export type LanguageTag = (typeof languages)[number]

/** The language that suits a tag: by its language alone, for Chinese only in the same script. Undefined: none does. */
export function languageFor(tag: string): LanguageTag | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize()
    const name = language === 'zh' && script === 'Hans' ? 'zh-CN' : language
    return languages.find((one) => one === name)
  } catch {
    return undefined
  }
}

/** The first language that suits one of these tags, those that are preferred first; English if none does. */
export const firstLanguage = (tags: readonly (string | null)[]): LanguageTag =>
  tags.map((tag) => (tag === null ? undefined : languageFor(tag))).find((found) => found !== undefined) ?? 'en'
