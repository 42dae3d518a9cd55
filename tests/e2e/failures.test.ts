// What the console shows when the server fails: every list answered with 500, and a build that was replaced.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Locator, Page } from 'playwright-core'
import { api, type OperationName } from '../../contract/index.ts'
import { inBrowserOf, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { spawnServer } from '../support/process.ts'
import { serverEnv, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const ROOT = path.join(import.meta.dirname, '../..')

/** Each list, the operation that it asks for, and what is there when it is answered. */
const lists: readonly (readonly [at: string, asks: OperationName, shows: string])[] = [
  ['/buckets', 'listBuckets', 'photos'],
  ['/b/photos', 'browse', 'a.txt'],
  ['/b/photos/overview', 'getBucket', 'Recent activity'],
  ['/b/photos/uploads', 'listUploads', 'No unfinished uploads'],
  ['/b/photos/trash', 'listTrash', 'gone.txt'],
  ['/shares', 'listShares', 'a.txt'],
  ['/policies', 'listPolicies', 'Old files'],
  ['/policies/{policy}?tab=runs', 'listPolicyRuns', 'No runs yet'],
  ['/jobs', 'listJobs', 'No jobs yet'],
  ['/trash?bucket=photos', 'listTrash', 'gone.txt'],
  ['/tokens', 'listTokens', 'robot'],
  ['/account', 'listSessions', 'This device'],
  ['/admin/usage', 'usage', 'photos'],
  ['/admin/users', 'listUsers', 'admin@example.com'],
  ['/admin/groups', 'listGroups', 'Administrators'],
  ['/admin/groups/{group}', 'listUsers', 'admin@example.com'],
  ['/admin/webhooks', 'listWebhooks', 'Thumbnails'],
  ['/admin/webhooks/{webhook}?tab=deliveries', 'listDeliveries', 'No deliveries yet'],
  ['/admin/audit', 'listAudit', 'create_bucket'],
  ['/admin/settings', 'getSettings', 'Sign-in'],
]
/** The paths of an operation, whatever its parameters. */
const pathsOf = (name: OperationName) => new RegExp(`^/api/v1${api[name].url.replace(/\{\+?\w+\}/g, '[^/]+')}$`)

describe('console: server failures', { skip: noBrowser }, () => {
  let server: TestServer
  const ids: Record<string, string> = {}
  before(async () => {
    server = await startServer('postgres')
    const { admin } = server
    await admin.createBucket({ body: { name: 'photos' } })
    for (const key of ['a.txt', 'gone.txt'])
      await admin.putObjectByQuery({ params: { bucket: 'photos' }, query: { key }, body: key })
    await admin.deleteObjectByQuery({ params: { bucket: 'photos' }, query: { key: 'gone.txt' } })
    server.secrets.add((await admin.createShare({ body: { kind: 'object', bucket: 'photos', key: 'a.txt' } })).token)
    server.secrets.add((await admin.createToken({ body: { name: 'robot' } })).token)
    const rule = { name: 'Old files', bucket_patterns: ['photos'], older_than_days: 30 }
    const hook = { name: 'Thumbnails', url: 'https://hooks.example.com/', events: ['delete'], enabled: false }
    const webhook = await admin.createWebhook({ body: hook })
    server.secrets.add(webhook.secret)
    const policy = await admin.createPolicy({ body: rule })
    const [group] = (await admin.listGroups()).items
    Object.assign(ids, { policy: policy.id, webhook: webhook.id, group: group?.id })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)

  it('shows the request ID and retries when a list fails with 500', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/404', { expect: [500] })
      let failing: RegExp | undefined
      await page.route(
        (url) => url.pathname.startsWith('/api/v1/') && (failing?.test(url.pathname) ?? false),
        (route) => route.fulfill({ status: 500, contentType: 'application/problem+json', body: PROBLEM }),
      )
      for (const [at, asks, shows] of lists) {
        failing = pathsOf(asks)
        // What was read for the screen before is too old to be shown as it is.
        await page.clock.fastForward(10_000)
        await navigate(
          page,
          at.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? ''),
        )
        const alert = page.getByRole('alert').filter({ hasText: 'req-45' }).first()
        await given(page, alert).catch((error) => assert.fail(`${at}: ${error}`))
        await alert.getByText('Internal error').waitFor()
        if (at === '/buckets') await check('list-failed')
        failing = undefined
        await alert.getByRole('button', { name: 'Try again' }).click()
        await page.getByText(shows).filter({ visible: true }).first().waitFor()
        await page.getByText('req-45').waitFor({ state: 'detached' })
      }
      assert.deepEqual(faults, [])
    }))

  it('reports a missing database table and recovers when it is back', () =>
    inBrowser(async (browser) => {
      const { page } = await openConsole(browser, server, '/404', { expect: [500] })
      await server.database.transaction((tx) => sql`alter table policies rename to policies_away`.execute(tx))
      await navigate(page, '/policies')
      const alert = page.getByRole('alert').first()
      await given(page, alert.getByText(/^Request [\w-]{8,}/))
      await server.database.transaction((tx) => sql`alter table policies_away rename to policies`.execute(tx))
      await alert.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('Old files').waitFor()
    }))

  it('ignores a missing chunk that no one opened', () =>
    inBrowser(async (browser) => {
      const background = /\/assets\/menus-[^/]+\.js$/
      await browser.context.route(background, (route) => route.fulfill({ status: 404 }))
      const { page, faults } = await openConsole(browser, server, '/buckets', { expect: [404] })
      const [answer] = await Promise.all([page.waitForResponse(background), page.reload()])
      // It has failed when this fails, of the same module; and what was told of it comes before what is told later.
      await page.evaluate((url) => import(url).catch(() => void Promise.reject(new Error('the last'))), answer.url())
      await until(() => faults.includes('error the last'))
      assert.deepEqual(faults, ['error the last'])
    }))
})

describe('console: new build while a page is open', { skip: noBrowser }, () => {
  it('asks to reload when a chunk is gone, and loads the new build', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-build-'))
    // Two versions of one service: the server's sources as they are, each with a build of its own.
    const version = (name: string, rename: boolean) => {
      const root = path.join(folder, name)
      fs.mkdirSync(root)
      for (const part of ['server', 'contract', 'package.json'])
        fs.cpSync(path.join(ROOT, part), path.join(root, part), { recursive: true })
      fs.symlinkSync(fs.realpathSync(path.join(ROOT, 'node_modules')), path.join(root, 'node_modules'))
      fs.cpSync(path.join(ROOT, 'console/dist'), path.join(root, 'console/dist'), { recursive: true })
      if (rename) renameChunks(path.join(root, 'console/dist'))
      return path.join(root, 'server/main.ts')
    }
    const [old, next] = [version('old', false), version('next', true)]
    const env = { ...serverEnv(folder), LOG_LEVEL: 'error' }
    let running = await spawnServer(env, ['serve'], old)
    const { url } = running
    const browser = await startBrowser()
    try {
      await signIn(browser, { url })
      const { page } = await openConsole(browser, { url }, '/buckets', { expect: [404] })
      await page.getByText('No buckets yet').waitFor()
      const script = () => page.evaluate(() => document.querySelector<HTMLScriptElement>('script[src]')?.src)
      const before = await script()
      await running.kill('SIGTERM')
      running = await spawnServer({ ...env, PORT: new URL(url).port }, ['serve'], next)
      await page.getByRole('link', { name: 'Access tokens' }).click()
      await page.getByText('A new version is available').waitFor()
      await page.getByRole('button', { name: 'Reload' }).click()
      await page.getByText('No access tokens yet').waitFor()
      assert.notEqual(await script(), before)
      assert.match(page.url(), /\/console\/tokens$/)
    } finally {
      await browser.close()
      await running.kill('SIGTERM')
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})

const PROBLEM = JSON.stringify({
  type: 'about:blank',
  code: 'internal_error',
  title: 'Internal error',
  status: 500,
  detail: 'Something broke in the service.',
  request_id: 'req-45',
})

const navigate = (page: Page, at: string) => page.evaluate((url) => history.pushState(null, '', url), `/console${at}`)

/** Waits for what is shown after the page has asked some times more; the time between them is skipped. */
const given = (page: Page, what: Locator) =>
  until(async () => {
    if (await what.isVisible()) return true
    await page.clock.fastForward(500)
    return false
  })

/** Gives every script of a build another name, as a build of other sources does. */
function renameChunks(dist: string): void {
  const assets = path.join(dist, 'assets')
  const files = fs.readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name))
  const scripts = files.filter((name) => name.endsWith('.js'))
  for (const name of fs.readdirSync(assets)) if (/\.(br|gz)$/.test(name)) fs.rmSync(path.join(assets, name))
  const renamed = (text: string) => scripts.reduce((all, name) => all.replaceAll(name, `n${name}`), text)
  for (const name of files.filter((one) => /\.(js|css)$/.test(one))) {
    const file = path.join(assets, name)
    fs.writeFileSync(file, renamed(fs.readFileSync(file, 'utf8')))
    if (name.endsWith('.js')) fs.renameSync(file, path.join(assets, `n${name}`))
  }
  const index = path.join(dist, 'index.html')
  fs.writeFileSync(index, renamed(fs.readFileSync(index, 'utf8')))
}
