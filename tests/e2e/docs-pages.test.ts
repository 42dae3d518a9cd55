import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { api } from '../../contract/index.ts'
import { type Browser, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const skip = noBrowser
const isBuilt = fs.existsSync(path.join(import.meta.dirname, '../../site/dist/index.html.br'))
let server: TestServer
let browser: Browser

before(async () => {
  if (skip) return
  server = await startServer('sqlite')
  browser = await startBrowser({ width: 1280 })
})
after(async () => {
  if (skip) return
  await browser.close()
  await server.stop()
})

/** Opens a page; every error, violation of the policy, failed or foreign request is collected. */
async function open(at: string) {
  const page = await browser.context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`error ${error.message}`))
  page.on('console', (message) => message.type() === 'error' && faults.push(`console ${message.text()}`))
  page.on('response', (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url))
      faults.push(`foreign ${request.url()}`)
  })
  await page.goto(server.url + at)
  return { page, faults }
}

it('Swagger UI shows every operation, runs one, and loads nothing from other hosts', { skip }, async () => {
  const { page, faults } = await open('/docs')
  await page.locator('.opblock').first().waitFor()
  assert.equal(await page.locator('.download-url-wrapper').isVisible(), false)
  // Of so many operations only those are drawn that are in sight, and what is scrolled past too soon is not.
  const missing = new Set(Object.entries(api).map(([name, { tag }]) => `operations-${tag}-${name}`))
  await until(async () => {
    for (const id of await page.locator('.opblock').evaluateAll((all) => all.map((one) => one.id))) missing.delete(id)
    const isEnd = await page.evaluate(() => innerHeight + scrollY >= document.documentElement.scrollHeight - 1)
    if (isEnd) await page.evaluate(() => scrollTo(0, 0))
    else await page.mouse.wheel(0, 500)
    return missing.size === 0
  }).catch(() => assert.deepEqual([...missing], []))
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  const operation = page.locator('#operations-system-healthz')
  await operation.locator('.opblock-summary').click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  await operation.locator('.live-responses-table').getByText('"ok"').waitFor()
  assert.deepEqual(faults, [])
})

it('Swagger UI signs in with email and password and then calls as that user', { skip }, async () => {
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

it('Redoc shows every operation and loads nothing from other hosts', { skip }, async () => {
  const { page, faults } = await open('/redoc')
  // It draws every operation at once: 9 s on two idle cores, and more while other pages are drawn.
  await page.getByRole('heading', { name: 'Create a bucket' }).waitFor({ timeout: 120_000 })
  assert.match(await page.title(), /Strongroom/)
  assert.deepEqual(faults, [])
})

it('the documentation has a search and changes its scheme, without breaking its policy or asking other hosts', {
  skip: skip || (!isBuilt && 'the documentation is not built (npm run site)'),
}, async () => {
  const { page, faults } = await open('/help/')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.locator('#localsearch-input').fill('legal hold')
  await page.locator('.VPLocalSearchBox .result', { hasText: 'Versions' }).first().click()
  await page.waitForURL(/versions/)
  await page.getByRole('heading', { name: 'Versions', level: 1 }).waitFor()
  await page.goto(`${server.url}/help/versions.html`)
  await page.getByRole('heading', { name: 'Versions', level: 1 }).waitFor()
  assert.ok((await page.locator('.code-string').count()) > 0, 'code has colors')
  await page.getByRole('switch').first().click()
  await page.waitForFunction(() => document.documentElement.classList.contains('dark'))
  await page.getByRole('link', { name: 'Object Lock' }).first().click()
  await page.setViewportSize({ width: 390, height: 800 })
  for (const at of ['', 'api/objects.html', 'webhook-events.html', 'comparison.html', 'configuration.html']) {
    await page.goto(`${server.url}/help/${at}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, at)
  }
  await page.getByRole('link', { name: 'Console' }).first().waitFor({ state: 'attached' })
  assert.deepEqual(faults, [])
})

it('the console links to the documentation if it is built in', { skip }, async () => {
  const own = await startBrowser({ width: 1280 })
  try {
    await signIn(own, server)
    const { page, faults } = await openConsole(own, server, '/buckets')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'API reference' }).waitFor()
    const help = page.getByRole('menuitem', { name: 'Help' })
    assert.equal(await help.count(), isBuilt ? 1 : 0)
    if (isBuilt) {
      await help.click()
      await page.getByRole('heading', { name: 'Strongroom documentation' }).waitFor()
    }
    assert.deepEqual(faults, [])
  } finally {
    await own.close()
  }
})
