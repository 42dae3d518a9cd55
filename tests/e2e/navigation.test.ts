// How views follow one another: their code, their addresses, and how far they are scrolled.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

describeConsole('navigation', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'photos' } })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { height: 400 })
  const place = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

  it('shows a view until the code of the next is there, which a link asks for when the pointer comes', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, '/')
      await heading(page, 'Home').waitFor()
      const arrival = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      await page.route(/assets\/Groups-/, async (route) => {
        asked.resolve()
        await arrival.promise
        await route.continue()
      })
      await place(page, 'Groups').hover()
      await asked.promise
      assert.equal(await page.title(), 'Home – Strongroom')
      await place(page, 'Groups').click()
      await page.waitForURL('**/admin/groups')
      // The frame says where it goes, the view is the one before.
      assert.equal(await place(page, 'Groups').getAttribute('aria-current'), 'page')
      assert.equal(await place(page, 'Home').getAttribute('aria-current'), null)
      assert.ok(await heading(page, 'Home').isVisible())
      arrival.resolve()
      await heading(page, 'Groups').waitFor()
      assert.equal(await page.title(), 'Groups – Strongroom')
      await page.goBack()
      await heading(page, 'Home').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('fetches a view again that could not be fetched', () =>
    inBrowser(async (browser) => {
      const { page } = await openConsole(browser, server, '/')
      await heading(page, 'Home').waitFor()
      await page.route(/assets\/Storages-/, (route) => route.abort())
      await place(page, 'Storages').click()
      await heading(page, 'A new version is available').waitFor()
      await page.unroute(/assets\/Storages-/)
      await place(page, 'Jobs').click()
      await heading(page, 'Jobs').waitFor()
      await place(page, 'Storages').click()
      await heading(page, 'Storages').waitFor()
    }))

  it('goes by what an address says, and writes it in one way', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, '/')
      const addresses = [
        ['/b/photos?prefix=a%20b&empty=', '/b/photos?prefix=a+b', 'a b – photos'],
        ['/b/photos?prefix=a%25b%2Bc%2F', '/b/photos?prefix=a%25b%2Bc%2F', 'a%b+c – photos'],
        ['/b/%70hotos/overview', '/b/photos/overview', 'Overview – photos'],
        ['/BUCKETS', '/BUCKETS', 'Buckets'],
        ['/buckets/photos', '/b/photos', 'photos'],
        ['/users?tab=x', '/admin/users?tab=x', 'Users'],
        ['/nowhere?x=#y', '/nowhere#y', 'Page not found'],
      ] as const
      for (const [given, written, title] of addresses) {
        await page.goto(`${server.url}/console${given}`)
        await page.waitForFunction((wanted) => document.title === wanted, `${title} – Strongroom`)
        assert.equal(page.url(), `${server.url}/console${written}`)
      }
      assert.deepEqual(faults, [])
    }))

  it('asks before Back leaves what is not saved, and before the tab is closed', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, '/')
      await place(page, 'Settings').click()
      await page.getByRole('tab', { name: /^Quotas/ }).click()
      await page.getByLabel('Default quota for new buckets').fill('7')
      await page.getByText('Unsaved changes').last().waitFor()
      const question = page.getByRole('dialog', { name: 'Leave without saving?' })
      await page.evaluate(() => history.go(-2))
      await question.getByRole('button', { name: 'Cancel' }).click()
      await page.waitForURL('**/settings?tab=quotas')
      assert.equal(await page.getByLabel('Default quota for new buckets').inputValue(), '7 GB')
      const asked = page.waitForEvent('dialog')
      await page.evaluate(() => void setTimeout(() => location.reload()))
      await (await asked).dismiss()
      await page.evaluate(() => history.go(-2))
      await question.getByRole('button', { name: 'Leave' }).click()
      await heading(page, 'Home').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('starts another view at the top, and goes back to where one was', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, '/admin/settings')
      const content = page.locator('#content')
      const isAt = (top: number) =>
        page.waitForFunction((wanted) => document.querySelector('#content')?.scrollTop === wanted, top)
      await page.getByRole('tab').nth(1).waitFor()
      await content.evaluate((element) => element.scrollTo(0, 150))
      await isAt(150)
      await place(page, 'Buckets').click()
      await heading(page, 'Buckets').waitFor()
      await isAt(0)
      await page.goBack()
      await heading(page, 'Settings').waitFor()
      await isAt(150)
      // Its tabs are the same view. A click of the mouse would scroll to them first.
      await page.getByRole('tab').nth(1).dispatchEvent('click')
      await page.waitForURL('**/settings?tab=*')
      await page.getByRole('tab', { selected: true }).nth(0).waitFor()
      await isAt(150)
      assert.deepEqual(faults, [])
    }))
})
