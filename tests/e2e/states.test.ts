// Pages for a state alone: forbidden, not found, failed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Browser, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('console: states with an address', { skip: noBrowser }, () => {
  let server: TestServer
  let browser: Browser
  before(async () => {
    server = await startServer('sqlite')
    browser = await startBrowser()
  })
  after(async () => {
    await browser.close()
    await server.stop()
  })

  for (const [at, title] of [
    ['/403?request=0199-abc', 'You don’t have permission to view this'],
    ['/404', 'Page not found'],
    ['/error?request=0199-abc', 'Something went wrong'],
  ] as const)
    it(`${at} says "${title}"`, async () => {
      const { page, check } = await openConsole(browser, server, at, { expect: [401] })
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      assert.equal(await page.title(), `${title} – Strongroom`)
      assert.equal(await page.getByText('Request 0199-abc').count(), at.includes('request') ? 1 : 0)
      assert.equal(await page.getByRole('link', { name: 'Go to Home' }).count(), 1)
      await check(`state${at.replace(/\W+/g, '-')}`)
      await page.close()
    })

  it('shows a request ID only if it looks like one', async () => {
    const { page } = await openConsole(browser, server, `/403?request=${encodeURIComponent('call 555 now')}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await page.getByText('555').count(), 0)
    await page.close()
  })

  it('an address without a view keeps the frame, and is for those who are signed in', async () => {
    const at = '/no/such/view?x=1'
    const stranger = await openConsole(browser, server, at, { expect: [401] })
    await stranger.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await stranger.page.close()
    await signIn(browser, server)
    const { page, check } = await openConsole(browser, server, at)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    assert.equal(await page.title(), 'Page not found – Strongroom')
    await page.getByRole('navigation').getByRole('link', { name: 'Buckets' }).waitFor()
    await check('state-no-such-view')
    await page.close()
  })
})
