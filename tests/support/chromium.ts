import fs from 'node:fs'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

const find = (places: readonly string[]): string | undefined =>
  [process.env.CHROMIUM_PATH, ...places].find((place) => place && fs.existsSync(place))

/** The browser of the console's tests: CHROMIUM_PATH, else the usual places; undefined when there is none. */
export const findChromium = (): string | undefined => find(places)

/**
 * Chromium without a browser around its pages, which take a seventh less of the processors in it; it draws no PDF. Else
 * the whole one.
 */
export const findShell = (): string | undefined => find(['/usr/bin/chromium-headless-shell', ...places])
