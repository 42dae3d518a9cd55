import type { LanguageTag } from '../../../contract/languages.ts'
import { speak, speakMore } from '../i18n.ts'
import { askedLanguage, wantedLanguage } from '../language.ts'
import type { FrameTexts, ViewTexts } from './language.ts'

interface Files {
  frame: () => Promise<FrameTexts>
  views: () => Promise<ViewTexts>
}
/** Two files each, for those who read it: the first view does not wait for what all the others say. */
const others: { readonly [Tag in Exclude<LanguageTag, 'en'>]: Files } = {
  de: { frame: () => import('./de/frame.ts'), views: () => import('./de/views.ts') },
  es: { frame: () => import('./es/frame.ts'), views: () => import('./es/views.ts') },
  fr: { frame: () => import('./fr/frame.ts'), views: () => import('./fr/views.ts') },
  ja: { frame: () => import('./ja/frame.ts'), views: () => import('./ja/views.ts') },
  'zh-CN': { frame: () => import('./zh-CN/frame.ts'), views: () => import('./zh-CN/views.ts') },
}

/**
 * Loads the page's language, before anything is shown. `?lang=en-XA` shows every text longer and accented, which reveals
 * texts that are not in a catalogue or have no room; `?lang=ar-XB` also turns the page right to left.
 */
export async function loadLanguage(): Promise<void> {
  const asked = askedLanguage()
  if (asked === 'ar-XB') document.documentElement.dir = 'rtl'
  if (asked === 'en-XA' || asked === 'ar-XB') return speak('en', 'disguised')
  const language = wantedLanguage()
  if (language === 'en') return
  const { frame, views } = others[language]
  try {
    speak(language, { ...(await frame()) })
  } catch (error) {
    // Without its file, for example after an upgrade, the page is better in English than empty.
    console.error(error)
    return
  }
  document.documentElement.lang = language
  speakMore(views().then((texts) => ({ ...texts })))
}
