import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { type BrowserContext, type BrowserContextOptions, type Browser as Chromium, chromium } from 'playwright-core'
import { findChromium } from './chromium.ts'

const isBuilt = fs.existsSync(path.join(import.meta.dirname, '../../console/dist/index.html'))
/** Why there is no console to be opened; false when there is. */
export const noConsole: string | false = !isBuilt && 'the console is not built (npm run build)'
/** Why the console cannot be opened in Chromium; false when it can. */
export const noBrowser: string | false =
  findChromium() === undefined
    ? 'Chromium is not installed (apt-get install chromium, or set CHROMIUM_PATH)'
    : noConsole

const QUIET = [
  'disable-quic',
  'no-first-run',
  'disable-background-networking',
  'disable-component-update',
  'disable-sync',
]

/**
 * Its own pages for what an address bar suggests: a second of processor for every profile, and nobody types there. Of two
 * lists on a command line the last one counts, so what Playwright turns off is named again.
 */
const OFF = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AimEnabled', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose'],
  ...['HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay', 'MediaRouter', 'NetworkTimeServiceQuerying'],
  ...['OptimizationHints', 'PaintHolding', 'PreconnectToSearch', 'ThirdPartyStoragePartitioning'],
]

/** Starts Chromium, without a window and without a word to anybody. */
export function launchChromium(
  args: readonly string[] = [],
  executablePath: string | undefined = findChromium(),
): Promise<Chromium> {
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', ...QUIET.map((one) => `--${one}`), `--disable-features=${OFF}`, ...args],
  })
}

/** An empty profile in it: no cookies, no storage; nothing of it stays when it is closed. */
export async function newProfile(browser: Chromium, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...{ viewport: { width: 1440, height: 900 }, acceptDownloads: true, locale: 'en-US', timezoneId: 'UTC' },
    ...options,
  })
  // What a person who signed in here has beside their cookie: without it the login is shown at once.
  await context.addInitScript(() => {
    try {
      if (location.protocol.startsWith('http')) localStorage.setItem('strongroom-signed-in', '1')
    } catch {
      // A sandboxed frame has no storage.
    }
  })
  return context
}

/** Signs the profile in, as its cookie has it; pages that are opened afterwards are that person's. */
export async function signInto(
  context: BrowserContext,
  { url }: { url: string },
  who: { email: string; password: string },
): Promise<void> {
  const answer = await context.request.post(`${url}/api/v1/auth/token?session=cookie`, {
    form: { username: who.email, password: who.password },
    headers: { origin: url },
  })
  assert.equal(answer.status(), 200)
}
