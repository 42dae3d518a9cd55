import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import {
  type BrowserContext,
  type BrowserContextOptions,
  type Browser as Chromium,
  chromium,
  type Page,
} from 'playwright-core'
import { findChromium } from './chromium.ts'

const isBuilt = fs.existsSync(path.join(import.meta.dirname, '../../console/dist/index.html'))
/** Why the console cannot be opened; false if it can. */
export const noConsole: string | false = !isBuilt && 'the console is not built (npm run build)'
/** Why the console cannot be opened in Chromium; false if it can. */
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
 * Turns off the address bar's suggestion pages, which cost a second of CPU per profile. If an option is repeated, the last
 * one counts, so this repeats what Playwright turns off.
 */
const OFF = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** Starts Chromium without a window and without network requests of its own. */
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

/** An empty profile: no cookies, no storage; it is discarded when closed. */
export async function newProfile(browser: Chromium, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
    locale: 'en-US',
    timezoneId: 'UTC',
    ...options,
  })
  // Set in addition to the cookie when a user signs in: without it, the login is shown immediately.
  await context.addInitScript(() => {
    try {
      if (location.protocol.startsWith('http')) localStorage.setItem('strongroom-signed-in', '1')
    } catch {
      // A sandboxed frame has no storage.
    }
  })
  return context
}

/** Signs the profile in by its cookie; pages opened afterwards belong to that user. */
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

/** Drops a file or folder on a place of a page, as the system would. */
export async function dropFile(page: Page, at: { x: number; y: number }, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data })
}

/** The path of a view of the console; pages of share links are not below `/console`. */
export const pathOf = (at: string): string => (at.startsWith('/s/') ? at : `/console${at}`)
