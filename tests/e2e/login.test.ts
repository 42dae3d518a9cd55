// The console's frame, sign-in and list of buckets in a real browser.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeConsoleOnBoth, inBrowserOf, openConsole, signIn } from '../support/browser.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'

// The way into the console, whole, over each database.
describeConsoleOnBoth('sign-in and buckets', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { who: null, realTime: true })

  it('is served at /console, and / redirects there', async () => {
    const answer = await fetch(server.url, { redirect: 'manual' })
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/console/'])
    const page = await fetch(`${server.url}/console/b/any/where`)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('cache-control'), 'no-cache')
    const policy = page.headers.get('content-security-policy') ?? ''
    const nonce = /script-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    assert.match(nonce, /^[\w+/]{22}==$/)
    const html = await page.text()
    assert.ok(html.includes(`nonce="${nonce}"`))
    assert.ok(!html.includes('STRONGROOM_NONCE'))
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(html)?.[1]
    const asset = await fetch(server.url + script, { headers: { 'accept-encoding': 'br' } })
    assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(asset.headers.get('content-encoding'), 'br')
    assert.equal((await fetch(`${server.url}/console/assets/none.js`)).status, 404)
  })

  it('signs in and out, and says no more than that a password is wrong', () =>
    inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/', { expect: [401] })
      assert.equal(await page.getByText('First start?').count(), 0, 'someone has signed in')
      await page.getByLabel('Email').fill(ADMIN.email)
      await page.getByLabel('Password', { exact: true }).fill('not this one')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').waitFor()
      await check('login')
      const forgot = page.getByRole('link', { name: 'Forgot password?' })
      const anchor = 'var(--mantine-color-anchor)'
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.waitForFunction((is) => document.documentElement.dataset.mantineColorScheme === is, colorScheme)
        const [color, wanted, line] = await forgot.evaluate((link, themes) => {
          const beside = link.parentElement?.appendChild(document.createElement('i')) as HTMLElement
          beside.style.color = themes
          const { color, textDecorationLine } = getComputedStyle(link)
          const found = [color, getComputedStyle(beside).color, textDecorationLine]
          beside.remove()
          return found
        }, anchor)
        assert.deepEqual([color, line], [wanted, 'none'], `the theme's colour, ${colorScheme}`)
      }
      await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Finish setting up').waitFor()
      await page.getByRole('navigation').getByRole('link', { name: 'Buckets' }).click()
      await page.getByText('No buckets yet').waitFor()
      await check('buckets-empty')
      assert.deepEqual(
        await page.evaluate(() => Object.entries(localStorage).filter(([, value]) => value.length > 20)),
        [],
        'no token in the storage',
      )
      await page.getByRole('button', { name: 'Account' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      await server.database.transaction((tx) => sql`update users set last_login_at = null`.execute(tx))
      await page.reload()
      await page.getByText('First start?').waitFor()
    }))

  it('creates a bucket and rejects bad names while they are typed', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/buckets')
      await page.getByRole('button', { name: 'New bucket' }).first().click()
      const name = page.getByLabel('Name', { exact: true })
      await name.fill('Bad_Name')
      await page.getByText('Use lowercase letters, digits').waitFor()
      await check('bucket-new')
      await name.fill('photos')
      await page.getByLabel('Quota (GB)').fill('5')
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
      await page.waitForURL('**/console/b/photos')
      assert.equal((await server.admin.getBucket({ params: { bucket: 'photos' } })).quota_gb, 5)
      await page.goto(`${server.url}/console/buckets`)
      await page.getByRole('link', { name: 'photos' }).waitFor()
      await check('buckets')
    }))
})
