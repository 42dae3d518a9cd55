import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { type BrowserContext, chromium } from 'playwright-core'
import { api } from '../../contract/index.ts'
import { findChromium } from '../support/chromium.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'

const executablePath = findChromium()
const skip =
  executablePath === undefined && 'Chromium is not installed (apt-get install chromium, or set CHROMIUM_PATH)'
let server: TestServer
let browser: BrowserContext
let profile: string

before(async () => {
  if (skip) return
  server = await startServer('sqlite')
  profile = fs.mkdtempSync(path.join(os.tmpdir(), 'stowage-chromium-'))
  const quiet = [
    'disable-quic',
    'no-first-run',
    'disable-background-networking',
    'disable-component-update',
    'disable-sync',
  ]
  browser = await chromium.launchPersistentContext(profile, {
    ...{ executablePath, headless: true, viewport: { width: 1280, height: 900 } },
    args: ['--no-sandbox', '--disable-gpu', ...quiet.map((one) => `--${one}`)],
  })
})
after(async () => {
  if (skip) return
  await browser.close()
  await server.stop()
  fs.rmSync(profile, { recursive: true, force: true })
})

/** Opens a page; every error, violation of the policy, failed or foreign request is collected. */
async function open(at: string) {
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`error ${error.message}`))
  page.on('console', (message) => message.type() === 'error' && faults.push(`console ${message.text()}`))
  page.on('response', (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url))
      faults.push(`foreign ${request.url()}`)
  })
  page.setDefaultTimeout(10_000)
  await page.goto(server.url + at)
  return { page, faults }
}

it('Swagger UI shows every operation, runs one, and needs nothing from anywhere else', { skip }, async () => {
  const { page, faults } = await open('/docs')
  await page.locator('.opblock').first().waitFor()
  assert.equal(await page.locator('.download-url-wrapper').isVisible(), false)
  // Of so many operations only those are drawn that are in sight.
  const seen = new Set<string>()
  for (let last = -1; last < seen.size; ) {
    last = seen.size
    for (const id of await page.locator('.opblock').evaluateAll((all) => all.map((one) => one.id))) seen.add(id)
    await page.mouse.wheel(0, 500)
    await page.waitForTimeout(50)
  }
  for (const [name, { tag }] of Object.entries(api)) assert.ok(seen.has(`operations-${tag}-${name}`), name)
  const operation = page.locator('#operations-system-healthz')
  await operation.locator('.opblock-summary').click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  await operation.locator('.live-responses-table').getByText('"ok"').waitFor()
  assert.deepEqual(faults, [])
})

it('Swagger UI logs in with e-mail and password, and then calls as that person', { skip }, async () => {
  const { page, faults } = await open('/docs')
  await page.getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.locator('.auth-container', { hasText: 'OAuth2, password' })
  await dialog.getByLabel('username').fill(ADMIN.email)
  await dialog.getByLabel('password').fill(ADMIN.password)
  await dialog.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click()
  await dialog.getByRole('button', { name: 'Remove authorization' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).last().click()
  const operation = page.locator('#operations-auth-me')
  await operation.locator('.opblock-summary').click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  await operation.locator('.live-responses-table').getByText(ADMIN.email).first().waitFor()
  assert.deepEqual(faults, [])
})

it('Redoc shows every operation and needs nothing from anywhere else', { skip }, async () => {
  const { page, faults } = await open('/redoc')
  await page.getByRole('heading', { name: 'Create a bucket' }).waitFor()
  assert.match(await page.title(), /Stowage/)
  assert.deepEqual(faults, [])
})
