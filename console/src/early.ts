import { COLOR_SCHEME, CONFIG, keepEarly, ME, REFRESH, SESSION_LOCK, SIGNED_IN } from './api/early.ts'
import { BASE_PATH } from './base-path.ts'
import { wantedLanguage } from './language.ts'

/**
 * What the page does before its script has arrived; the build puts it into the page's head. It chooses the colors, so
 * that a dark page never flashes white, and asks for what is certainly needed next, so that requests do not wait for one another:
 * the files of the language and of the view, the session, or the methods for signing in.
 */
declare global {
  /** The files of the build; none while developing. */
  var earlyFiles: {
    frame?: readonly string[]
    home?: readonly string[]
    browse?: readonly string[]
    languages?: { readonly [tag: string]: string }
  }
}

const kept = (key: string): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

const scheme = kept(COLOR_SCHEME)
const dark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light'

const path = location.pathname.slice(BASE_PATH.length)
/** These views need no session, and ask for what they need themselves. */
const ALONE = /^\/(signed-in|setup|invitation|forgot-password|password-reset|auth\/callback|403|404|error)\b/
const isAlone = ALONE.test(path)
const isLogin = /^\/login\b/.test(path)
const mayBeSignedIn = kept(SIGNED_IN) !== null

function load(files: readonly string[] = []): void {
  for (const file of files) {
    const link = document.createElement('link')
    link.rel = file.endsWith('.js') ? 'modulepreload' : 'preload'
    if (link.rel === 'preload') link.as = 'style'
    link.crossOrigin = ''
    link.href = `${BASE_PATH}/${file}`
    document.head.append(link)
  }
}

/** The session's token, and whose it is as soon as there is one. */
async function askForSession(): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(REFRESH, { method: 'POST', headers, body: '{}' })
  if (answer.ok) {
    const { access_token } = (await answer.clone().json()) as { access_token: string }
    keepEarly('GET', ME, fetch(ME, { headers: { authorization: `Bearer ${access_token}` } }))
  }
  return answer
}

const { frame, home, browse, languages } = earlyFiles
const language = languages?.[wantedLanguage()]
if (language) load([language])
if (!isAlone) {
  if (mayBeSignedIn)
    keepEarly('POST', REFRESH, navigator.locks ? navigator.locks.request(SESSION_LOCK, askForSession) : askForSession())
  if (isLogin || !mayBeSignedIn) keepEarly('GET', CONFIG, fetch(CONFIG))
  else {
    load(frame)
    if (/^\/?$/.test(path)) load(home)
    if (/^\/b\/[^/]+\/?$/.test(path)) load(browse)
  }
}
