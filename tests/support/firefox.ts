import fs from 'node:fs'
import type { Browser } from 'puppeteer-core'
import { noConsole } from './launch.ts'

const places = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox']
const executablePath = [process.env.FIREFOX_PATH, ...places].find((place) => place && fs.existsSync(place))

/** Why Firefox tests cannot run; false if they can. */
export const noFirefox: string | false =
  executablePath === undefined
    ? 'Firefox is not installed (apt-get install firefox-esr, or set FIREFOX_PATH)'
    : noConsole

/** A Firefox with an empty profile, without a window, driven by WebDriver BiDi. */
export async function startFirefox(downloads: string): Promise<Browser> {
  const { default: puppeteer } = await import('puppeteer-core')
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: executablePath ?? '',
    headless: true,
    defaultViewport: { width: 1440, height: 900 },
    extraPrefsFirefox: {
      'intl.accept_languages': 'en-US',
      'browser.download.folderList': 2,
      'browser.download.dir': downloads,
      // Do not check for updates, studies and addons.
      'app.update.disabledForTesting': true,
      'browser.region.network.url': '',
      'extensions.getAddons.cache.enabled': false,
    },
  })
}
