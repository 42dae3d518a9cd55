import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'
import { ADMIN, type TestServer } from './server.ts'

const executablePath = findChromium()
const isBuilt = fs.existsSync(path.join(import.meta.dirname, '../../console/dist/index.html'))
/** Why the tests of the console cannot run; false when they can. */
export const noBrowser: string | false =
  executablePath === undefined
    ? 'Chromium is not installed (apt-get install chromium, or set CHROMIUM_PATH)'
    : !isBuilt && 'the console is not built (npm run build)'

const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const quiet = [
  'disable-quic',
  'no-first-run',
  'disable-background-networking',
  'disable-component-update',
  'disable-sync',
]

/** A folder to look at the pictures of: every `shot` goes there when it is set. */
const pictures = process.env.SCREENSHOTS

export interface Browser {
  context: BrowserContext
  close(): Promise<void>
}
/** A browser with an empty profile. */
export async function startBrowser(
  options: { width?: number; height?: number; args?: string[] } = {},
): Promise<Browser> {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'stowage-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath === undefined ? {} : { executablePath }),
    ...{ headless: true, viewport: { width: options.width ?? 1440, height: options.height ?? 900 } },
    ...{ acceptDownloads: true, locale: 'en-US', timezoneId: 'UTC' },
    args: ['--no-sandbox', '--disable-gpu', ...quiet.map((one) => `--${one}`), ...(options.args ?? [])],
  })
  context.setDefaultTimeout(10_000)
  return {
    context,
    async close() {
      await context.close()
      fs.rmSync(profile, { recursive: true, force: true })
    },
  }
}

/** Signs the browser in, as its cookie has it; pages that are opened afterwards are that person's. */
export async function signIn(
  { context }: Browser,
  server: TestServer,
  who: { email: string; password: string } = ADMIN,
): Promise<void> {
  const answer = await context.request.post(`${server.url}/api/v1/auth/token?session=cookie`, {
    form: { username: who.email, password: who.password },
    headers: { origin: server.url },
  })
  assert.equal(answer.status(), 200)
}

export interface ConsolePage {
  page: Page
  /** What went wrong on the page so far: errors, violations of its policy, refused and foreign requests. */
  faults: string[]
  /** Fails on any fault, and on what axe finds against WCAG 2.2 A and AA, in the light and in the dark. */
  check(name: string): Promise<void>
  /** Takes a picture for people to look at. */
  shot(name: string): Promise<void>
}

interface OpenOptions {
  /** Statuses that answers may have here, like 404 of a view of what is gone. */
  expect?: readonly number[]
}

/** Opens a view of the console, `/buckets` say. */
export async function openConsole(
  { context }: Browser,
  server: TestServer,
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
    try {
      if (location.protocol.startsWith('http')) localStorage.setItem('stowage-signed-in', '1')
    } catch {
      // A sandboxed frame has no storage.
    }
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
  const inScheme = async (scheme: 'light' | 'dark', name: string) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.waitForFunction((wanted) => document.documentElement.dataset.mantineColorScheme === wanted, scheme)
    await shot(`${name}-${scheme}`)
    assert.deepEqual(await violationsOn(page), [], `${name}, ${scheme}`)
  }
  return {
    page,
    faults,
    shot,
    async check(name) {
      assert.deepEqual(faults, [], name)
      await inScheme('dark', name)
      await inScheme('light', name)
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

/** What axe finds against WCAG 2.2 A and AA, and contrasts that it could not measure for no good reason. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const { violations, incomplete } = await page.evaluate(() =>
    (
      window as unknown as {
        axe: { run(options: object): Promise<{ violations: AxeResult[]; incomplete: AxeResult[] }> }
      }
    ).axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }),
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
