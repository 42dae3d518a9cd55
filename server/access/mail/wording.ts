import type { LanguageTag } from '../../../contract/languages.ts'
import { formatSize } from '../../base/size.ts'
import { texts as de } from './languages/de.ts'
import { texts as en, type Texts } from './languages/en.ts'
import { texts as es } from './languages/es.ts'
import { texts as fr } from './languages/fr.ts'
import { texts as ja } from './languages/ja.ts'
import { texts as chinese } from './languages/zh-CN.ts'

export const texts: { readonly [Tag in LanguageTag]: Texts } = { en, de, es, fr, ja, 'zh-CN': chinese }

/** A language's texts, and how it writes times and numbers. */
export function wordingOf(language: LanguageTag) {
  return {
    texts: texts[language],
    /** `March 1, 2026 at 09:30 UTC`: nobody's time zone is known. */
    moment: (iso: string): string =>
      `${new Intl.DateTimeFormat(language, {
        dateStyle: 'long',
        timeStyle: 'short',
        timeZone: 'UTC',
        hourCycle: 'h23',
      }).format(new Date(iso))} UTC`,
    /** `in 7 days` */
    left: (days: number): string => new Intl.RelativeTimeFormat(language).format(days, 'day'),
    percent: (percent: number): string => new Intl.NumberFormat(language, { style: 'percent' }).format(percent / 100),
    size: (bytes: number): string => formatSize(bytes, language),
  }
}
export type Wording = ReturnType<typeof wordingOf>
