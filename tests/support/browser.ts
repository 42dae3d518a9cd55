import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, describe } from 'node:test'
import type { BrowserContext, Browser as Chromium, Page } from 'playwright-core'
import { findShell } from './chromium.ts'
import { launchChromium, newProfile, noBrowser, pathOf, signInto } from './launch.ts'
import { ADMIN, type Engine, engines, type TestServer } from './server.ts'

/**
 * axe takes a turn of the event loop for each of its checks. On a page whose clock is the test's these turns cost a tenth of
 * what axe costs, so they are taken at once.
 */
const axeSource = `((setTimeout) => {
  ${fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}
})((work, ms, ...given) => ms ? window.setTimeout(work, ms, ...given) : queueMicrotask(() => work(...given)))`
/** A folder to look at the pictures of: every `shot` goes there when it is set. */
const pictures = process.env.SCREENSHOTS

/** An empty profile of its own in the Chromium that the tests of a file share. */
export interface Browser {
  context: BrowserContext
  close(): Promise<void>
}
interface BrowserOptions {
  width?: number
  height?: number
  /** Arguments for Chromium: with any it is one of the test's own. */
  args?: readonly string[]
  /** The browser whole, one of the test's own: with its viewer of PDF. */
  whole?: boolean
  /** The language of its user; English by default. */
  locale?: string
  /** Its user has a phone: a small screen, touched by a finger. */
  phone?: boolean
}

let shared: Promise<Chromium> | undefined
after(async () => (await shared)?.close())

/** A browser with an empty profile. */
export async function startBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { phone = false, args, whole = false, locale = 'en-US' } = options
  const { width = phone ? 390 : 1440, height = phone ? 844 : 900 } = options
  // Nobody watches: an animation would be drawn frame by frame, and waited for.
  const touch = { hasTouch: phone, isMobile: phone }
  const profile = { viewport: { width, height }, reducedMotion: 'reduce', locale, ...touch } as const
  if (args || whole) {
    const own = await launchChromium(args, whole ? undefined : findShell())
    return { context: await newProfile(own, profile), close: () => own.close() }
  }
  if (!(await shared)?.isConnected()) shared = launchChromium([], findShell())
  const context = await newProfile(await (shared as Promise<Chromium>), profile)
  return { context, close: () => context.close() }
}

/** Signs the browser in, as its cookie has it; pages that are opened afterwards are that person's. */
export const signIn = ({ context }: Browser, server: Pick<TestServer, 'url'>, who: Person = ADMIN): Promise<void> =>
  signInto(context, server, who)

export type Person = { email: string; password: string }
interface InBrowserOptions extends BrowserOptions {
  /** Signed in as the administrator unless told otherwise; null is nobody. */
  who?: Person | null
  /** The page's time is the server's, unless this asks for the machine's: where speed or frames count. */
  realTime?: boolean
}

/** Gives what runs a test with an empty profile; a test may ask for more than its file does. */
export const inBrowserOf =
  (server: () => TestServer, usual: InBrowserOptions = {}) =>
  async (work: (browser: Browser) => Promise<void>, asked: InBrowserOptions = {}): Promise<void> => {
    const { who = ADMIN, realTime = false, ...options } = { ...usual, ...asked }
    const browser = await startBrowser(options)
    try {
      if (!realTime) await browser.context.clock.install({ time: server().clock.now() })
      if (who) await signIn(browser, server(), who)
      await work(browser)
    } finally {
      await browser.close()
    }
  }

/** `E2E_ENGINES=postgres`, or `sqlite,postgres`, runs all suites of the console there instead. */
const chosen = process.env.E2E_ENGINES?.split(',')
const describeOn = (usual: readonly Engine[], name: string, suite: (engine: Engine) => void): void => {
  for (const engine of chosen ? engines.filter((one) => chosen.includes(one)) : usual)
    describe(`console: ${name} (${engine})`, { skip: noBrowser }, () => suite(engine))
}

/**
 * A suite of the console, on SQLite: a page shows what the API answers, and that both databases answer alike is what the
 * API's own tests check.
 */
export const describeConsole = (name: string, suite: (engine: Engine) => void): void =>
  describeOn(['sqlite'], name, suite)

/** The same on both databases. */
export const describeConsoleOnBoth = (name: string, suite: (engine: Engine) => void): void =>
  describeOn(engines, name, suite)

export interface ConsolePage {
  page: Page
  /** What went wrong on the page so far: errors, violations of its policy, refused and foreign requests. */
  faults: string[]
  /**
   * Fails on any fault, and on what axe finds against WCAG 2.2 A and AA, in the dark and in the light, or in one of them;
   * `within` a part of the page.
   */
  check(name: string, options?: { schemes?: readonly ('light' | 'dark')[]; within?: string }): Promise<void>
  /** Takes a picture for people to look at. */
  shot(name: string): Promise<void>
}

interface OpenOptions {
  /** Statuses that answers may have here, like 404 of a view of what is gone. */
  expect?: readonly number[]
}

/** Opens a view of the console, `/buckets` say, or the page of a share link, `/s/{token}`. */
export async function openConsole(
  { context }: Browser,
  server: Pick<TestServer, 'url'>,
  at: string,
  { expect = [] }: OpenOptions = {},
): Promise<ConsolePage> {
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`error ${error.message}`))
  page.on('console', (message) => {
    const status = /status of (\d+)/.exec(message.text())?.[1]
    if (message.type() === 'error' && !(status && expect.includes(Number(status))))
      faults.push(`console ${message.text()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400 && !expect.includes(response.status()))
      faults.push(`${response.status()} ${response.request().method()} ${response.url()}`)
  })
  page.on('request', (request) => {
    if (!/^(data|blob|chrome|chrome-extension):/.test(request.url()) && !request.url().startsWith(server.url))
      faults.push(`foreign ${request.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
    )
  })
  await page.goto(server.url + pathOf(at))

  const shot = async (name: string) => {
    if (!pictures) return
    fs.mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: path.join(pictures, `${name}.png`) })
  }
  const inScheme = async (scheme: 'light' | 'dark', name: string, rules: readonly string[], within?: string) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.waitForFunction((wanted) => document.documentElement.dataset.mantineColorScheme === wanted, scheme)
    await shot(`${name}-${scheme}`)
    assert.deepEqual(await violationsOn(page, rules, within), [], `${name}, ${scheme}`)
  }
  return {
    page,
    faults,
    shot,
    async check(name, { schemes = ['dark', 'light'] as const, within } = {}) {
      assert.deepEqual(faults, [], name)
      // The page is the same in both: what is left to look at in the second are its colours.
      for (const [i, scheme] of schemes.entries()) await inScheme(scheme, name, i === 0 ? WCAG : COLOURS, within)
    },
  }
}

/** Goes to another view of the same page, as a link in it does. */
export const navigate = (page: Page, at: string): Promise<void> =>
  page.evaluate((url) => history.pushState(null, '', url), `/console${at}`)

interface AxeNode {
  target: string[]
  failureSummary?: string
  any: { id: string; data?: { messageKey?: string } | null }[]
}
interface AxeResult {
  id: string
  nodes: AxeNode[]
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const COLOURS = ['color-contrast', 'link-in-text-block']
/** What axe finds against WCAG 2.2 A and AA, and contrasts that it could not measure for no good reason. */
async function violationsOn(page: Page, rules: readonly string[], within = 'html'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const { violations, incomplete } = await page.evaluate(
    ([within, rules]) =>
      (
        window as unknown as {
          axe: {
            run(within: string, options: object): Promise<{ violations: AxeResult[]; incomplete: AxeResult[] }>
          }
        }
      ).axe.run(within, {
        runOnly: [...rules],
        rules: { 'empty-table-header': { enabled: true } },
        resultTypes: ['violations', 'incomplete'],
      }),
    [within, rules] as const,
  )
  const overlaps = [
    // An empty field shows no text.
    'emptyValue',
    'bgOverlap',
    'elmPartiallyObscured',
    'elmPartiallyObscuring',
    'shortTextContent',
    'nonBmp',
    'pseudoContent',
  ]
  const unmeasured = incomplete
    .filter(({ id }) => id === 'color-contrast')
    .flatMap(({ nodes }) => nodes)
    .filter(({ any }) => !any.some(({ data }) => overlaps.includes(data?.messageKey ?? '')))
    .map(({ target, any }) => `contrast not measured: ${target.join(' ')} (${any[0]?.data?.messageKey})`)
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
  )
  return [...found, ...unmeasured]
}
