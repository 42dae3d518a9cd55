import fs from 'node:fs'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

const find = (places: readonly string[]): string | undefined =>
  [process.env.CHROMIUM_PATH, ...places].find((place) => place && fs.existsSync(place))

/** The browser for the console's tests: CHROMIUM_PATH, or the usual places; undefined if there is none. */
export const findChromium = (): string | undefined => find(places)

/** Chromium's headless shell if it is installed, which uses 14% less CPU but cannot show PDF; otherwise Chromium. */
export const findShell = (): string | undefined => find(['/usr/bin/chromium-headless-shell', ...places])
