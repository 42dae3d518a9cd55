import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import type { BrowserContext, Browser as Chromium, Page } from 'playwright-core'
import { findShell } from './chromium.ts'
import { launchChromium, newProfile, noBrowser, signInto } from './launch.ts'
import { ADMIN, type Engine, engines, type TestServer } from './server.ts'

const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Where every `shot` is stored, if set. */
const pictures = process.env.SCREENSHOTS

/** An empty profile in the Chromium that the tests of a file share. */
export interface Browser {
  context: BrowserContext
  close(): Promise<void>
}
interface BrowserOptions {
  width?: number
  height?: number
  /** Arguments for Chromium: with any, the test gets its own Chromium. */
  args?: readonly string[]
  /** The full browser, the test's own: includes the PDF viewer. */
  whole?: boolean
}

let shared: Promise<Chromium> | undefined
after(async () => (await shared)?.close())

/** A browser with an empty profile. */
export async function startBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { width = 1440, height = 900, args, whole = false } = options
  if (args || whole) {
    const own = await launchChromium(args, whole ? undefined : findShell())
    return { context: await newProfile(own, { viewport: { width, height } }), close: () => own.close() }
  }
  if (!(await shared)?.isConnected()) shared = launchChromium([], findShell())
  const context = await newProfile(await (shared as Promise<Chromium>), { viewport: { width, height } })
  return { context, close: () => context.close() }
}

/** Signs the browser in by its cookie; pages opened afterwards belong to that user. */
export const signIn = ({ context }: Browser, server: Pick<TestServer, 'url'>, who: Person = ADMIN): Promise<void> =>
  signInto(context, server, who)

export type Person = { email: string; password: string }
interface InBrowserOptions extends BrowserOptions {
  /** Default: the administrator; null: signed out. */
  who?: Person | null
  /** Uses the machine's clock instead of the server's: for tests of speed or frames. */
  realTime?: boolean
}

/** Returns a function that runs a test with an empty profile; a test can add to its file's options. */
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

const chosen = process.env.E2E_ENGINES?.split(',')
/** Whether the tests of this file run on each engine. */
let onBoth = false
const consoleEngines = engines.filter((engine) => chosen?.includes(engine) ?? true)

/**
 * A suite of the console on both databases (`E2E_ENGINES=sqlite` leaves it at one): of the features whose screens show
 * what the database filters, sorts, counts or serialises. Its `test` are tests of the page alone (a width, the keyboard,
 * a speed): they run on the first engine.
 */
export function describeConsole(name: string, suite: (engine: Engine, test: typeof it) => void): void {
  onBoth = true
  const none = Object.assign(() => Promise.resolve(), it) as typeof it
  for (const engine of consoleEngines)
    describe(`console: ${name} (${engine})`, { skip: noBrowser }, () =>
      suite(engine, engine === consoleEngines[0] ? it : none),
    )
}

export interface ConsolePage {
  page: Page
  /** The page's faults so far: errors, policy violations, failed and foreign requests. */
  faults: string[]
  /**
   * Fails on any fault, and on violations of WCAG 2.2 A and AA that axe finds in dark and light mode, or in one of them;
   * `within` limits it to a part of the page. In a test that runs on both engines, axe checks the first one's pages.
   */
  check(name: string, options?: { schemes?: readonly ('light' | 'dark')[]; within?: string }): Promise<void>
  /** Takes a screenshot for people to look at. */
  shot(name: string): Promise<void>
}

interface OpenOptions {
  /** Error statuses that are expected here, such as 404 for a deleted item. */
  expect?: readonly number[]
}

/** Opens a view of the console, `/buckets` say. */
export async function openConsole(
  { context }: Browser,
  server: Pick<TestServer, 'url'> & Partial<Pick<TestServer, 'engine'>>,
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
  await page.goto(`${server.url}/console${at}`)

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
      // The engine does not affect a page's structure: in a test that runs on both, axe checks only the first.
      if (onBoth && server.engine !== undefined && server.engine !== consoleEngines[0])
        return page.emulateMedia({ colorScheme: schemes.at(-1) ?? null, reducedMotion: 'reduce' })
      // The page is the same in both: only the colors remain to be checked in the second.
      for (const [i, scheme] of schemes.entries()) await inScheme(scheme, name, i === 0 ? WCAG : COLOURS, within)
    },
  }
}

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
/** Violations of WCAG 2.2 A and AA, and contrasts that axe could not measure for no good reason. */
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
        resultTypes: ['violations', 'incomplete'],
      }),
    [within, rules] as const,
  )
  const overlaps = [
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
