// The account page in a real browser: profile, password, sessions and their renewal.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowserOf, openConsole, signIn } from '../support/browser.ts'
import { focusIn } from '../support/keyboard.ts'
import { noBrowser } from '../support/launch.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('console: account and sessions', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
    await server.admin.createBucket({ body: { name: 'photos' } })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { who: null })
  let people = 0
  const person = async () => {
    const email = `kim${++people}@example.com`
    const password = `the password of kim ${people}`
    server.secrets.add(password)
    await server.admin.createUser({ body: { email, display_name: 'Kim', password } })
    return { email, password }
  }
  const refreshes = (page: Page) => {
    const seen: string[] = []
    page.on('request', (one) => {
      if (one.url().includes('/auth/refresh')) seen.push(one.url())
    })
    return seen
  }
  /** Waits until a page has asked for all it wants: Playwright's `networkidle` may come before its scripts run. */
  const settled = async (page: Page) => {
    const answered = () => page.evaluate(() => performance.getEntriesByType('resource').length)
    for (let before = -1, now = await answered(); now !== before; now = await answered()) {
      before = now
      await page.waitForTimeout(500)
    }
  }
  /** Goes to another view within the page. */
  const visit = async (page: Page, link: string, title: string) => {
    await page.getByRole('navigation').getByRole('link', { name: link }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  }

  it('shows in one tab what changed in another of the same user', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const one = await openConsole(browser, server, '/buckets')
      await one.page.getByRole('link', { name: 'photos' }).waitFor()
      const two = await openConsole(browser, server, '/buckets')
      await two.page.getByRole('button', { name: 'New bucket' }).click()
      await two.page.getByLabel('Name', { exact: true }).fill('of-another-tab')
      await two.page.keyboard.press('Enter')
      await two.page.getByText('This bucket is empty').waitFor()
      await one.page.getByRole('link', { name: 'of-another-tab' }).waitFor()
      await server.admin.deleteBucket({ params: { bucket: 'of-another-tab' } })
      assert.deepEqual([...one.faults, ...two.faults], [])
    }))

  it('renews an expired access token once for all tabs and loses nothing', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const one = await openConsole(browser, server, '/buckets', { expect: [401] })
      await one.page.getByRole('link', { name: 'photos' }).waitFor()
      const two = await openConsole(browser, server, '/tokens', { expect: [401] })
      await two.page.getByText('No access tokens yet').waitFor()
      await Promise.all([settled(one.page), settled(two.page)])
      const asked = [refreshes(one.page), refreshes(two.page)]
      const count = () => asked.flat().length
      await server.later(31 * 60_000)
      // Several requests at a time find out that the token has ended.
      await visit(one.page, 'Share links', 'Share links')
      await one.page.getByText('No share links yet').waitFor()
      assert.equal(count(), 1)
      await visit(two.page, 'Share links', 'Share links')
      await two.page.getByText('No share links yet').waitFor()
      assert.equal(count(), 1, 'the other tab was handed the new token')

      // Both at the same time: no more than one each, and neither is signed out.
      await server.later(31 * 60_000)
      await Promise.all([
        visit(one.page, 'Access tokens', 'Access tokens'),
        visit(two.page, 'Access tokens', 'Access tokens'),
      ])
      await Promise.all([one, two].map(({ page }) => page.getByText('No access tokens yet').waitFor()))
      assert.ok(count() <= 3, `${count()} refreshes`)
      const faults = [...one.faults, ...two.faults]
      assert.deepEqual(faults, [])
    }))

  it('sends an expired session to sign-in and returns to the same address afterwards', () =>
    inBrowser(async (browser) => {
      const kim = await person()
      await signIn(browser, server, kim)
      const { page, check } = await openConsole(browser, server, '/tokens?ended=1', { expect: [401] })
      await page.getByText('No access tokens yet').waitFor()
      // What was being entered is still there once the password was.
      await page.getByRole('button', { name: 'New token' }).first().click()
      await focusIn(page.getByRole('dialog').getByLabel('Name'))
      await page.keyboard.type('kept while signed out')
      const other = server.as(await server.login(kim.email, kim.password))
      const { items } = await other.listSessions()
      for (const { id, current } of items) if (!current) await other.endSession({ params: { id } })
      await page.keyboard.press('Enter')
      const again = page.getByRole('dialog', { name: 'Your session expired' })
      await again.waitFor()
      await check('session-expired')
      await focusIn(again.locator('input[type=password]'))
      await page.keyboard.type('not this one')
      await page.keyboard.press('Enter')
      await again.locator('.mantine-InputWrapper-error').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(kim.password)
      await page.keyboard.press('Enter')
      await again.waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('alert').count(), 0, 'there is no notice of what the dialog has said')
      const form = page.getByRole('dialog')
      assert.equal(await form.getByLabel('Name').inputValue(), 'kept while signed out')
      await form.getByRole('button', { name: 'Create token' }).click()
      await form.getByLabel('Token', { exact: true }).waitFor()
      server.secrets.add(await form.getByLabel('Token', { exact: true }).inputValue())
      await form.getByRole('button', { name: 'I’ve saved it' }).click()

      // The page is looked at again, after the session has ended once more.
      for (const { id, current } of (await other.listSessions()).items)
        if (!current) await other.endSession({ params: { id } })
      await page.evaluate(() => void window.dispatchEvent(new Event('visibilitychange')))
      await again.waitFor()
      await page.goto(`${server.url}/console/tokens?ended=1`)
      await page.getByText('Your session expired').waitFor()
      await check('session-ended')
      await page.getByLabel('Email').fill(kim.email)
      await page.getByLabel('Password', { exact: true }).fill(kim.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL('**/console/tokens?ended=1')
    }))

  it('shows nothing of a session to somebody else who signs in after it', () =>
    inBrowser(async (browser) => {
      const [kim, other] = [await person(), await person()]
      await signIn(browser, server, kim)
      const { page } = await openConsole(browser, server, '/tokens', { expect: [401] })
      await page.getByRole('button', { name: 'New token' }).first().click()
      await page.getByRole('dialog').getByLabel('Name').fill('a secret plan')
      const { id } = await server.as(await server.login(kim.email, kim.password)).me()
      await server.admin.endUserSessions({ params: { id } })
      await page.keyboard.press('Enter')
      const again = page.getByRole('dialog', { name: 'Your session expired' })
      const opened = browser.context.waitForEvent('page')
      await again.getByRole('button', { name: 'Sign in in a new tab' }).click()
      const tab = await opened
      await tab.getByLabel('Email').fill(other.email)
      await tab.getByLabel('Password', { exact: true }).fill(other.password)
      await Promise.all([
        tab.waitForEvent('close'),
        page.waitForEvent('load'),
        tab.getByRole('button', { name: 'Sign in' }).click(),
      ])
      await page.getByText('No access tokens yet').waitFor()
      assert.equal(await page.getByRole('dialog').count(), 0)
      await page.goto(`${server.url}/console/account`)
      await page.getByRole('definition').filter({ hasText: other.email }).waitFor()
    }))

  it('signs out in all tabs at once', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server, await person())
      const one = await openConsole(browser, server, '/tokens')
      await one.page.getByText('No access tokens yet').waitFor()
      const two = await openConsole(browser, server, '/account')
      await two.page.getByText('This device').waitFor()
      await two.page.getByRole('button', { name: 'Account' }).click()
      await two.page.getByRole('menuitem', { name: 'Sign out' }).click()
      await one.page.waitForURL('**/console/login?next=**')
      await Promise.all([one, two].map(({ page }) => page.getByLabel('Email').waitFor()))
    }))

  it('shows the profile, changes the password and signs out other sessions', () =>
    inBrowser(async (browser) => {
      const kim = await person()
      await signIn(browser, server, kim)
      const elsewhere = server.as(await server.login(kim.email, kim.password))
      const { page, check } = await openConsole(browser, server, '/account', { expect: [401, 403, 422] })
      await page.getByText('This device').waitFor()
      assert.equal(await page.getByRole('table', { name: 'Sessions' }).getByRole('row').count(), 3)
      await check('account')
      const next = 'another good password'
      server.secrets.add(next)
      const fill = async (current: string, wanted: string, again: string) => {
        await page.getByLabel('Current password').fill(current)
        await page.getByLabel('New password', { exact: true }).fill(wanted)
        await page.getByLabel('Confirm new password').fill(again)
        await page.getByRole('button', { name: 'Change password' }).click()
      }
      await fill(kim.password, next, 'not the same')
      await page.getByText('Passwords don’t match.').waitFor()
      await fill('not the password', next, next)
      await page.getByRole('alert').or(page.locator('.mantine-InputWrapper-error')).first().waitFor()
      await check('account-wrong')
      await fill(kim.password, next, next)
      await page.getByText('Password changed.').waitFor()
      await assert.rejects(elsewhere.me())
      await server.login(kim.email, next)
      await visit(page, 'Access tokens', 'Access tokens')
      await page.getByText('No access tokens yet').waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      await page.goto(`${server.url}/console/account`)
      await page.getByText('This device').waitFor()
      await check('account-phone')
    }))

  it('signs out one of several sessions and keeps appearance settings in the browser', () =>
    inBrowser(async (browser) => {
      const kim = await person()
      await signIn(browser, server, kim)
      const elsewhere = server.as(await server.login(kim.email, kim.password))
      const { page } = await openConsole(browser, server, '/account')
      const table = page.getByRole('table', { name: 'Sessions' })
      await table
        .getByRole('row')
        .filter({ hasNotText: 'This device' })
        .getByRole('button', { name: /Sign out/ })
        .click()
      const dialog = page.getByRole('dialog')
      await server.records([{ action: 'logout' }], async () => {
        await dialog.getByRole('button', { name: 'Sign out' }).click()
        await page.getByText('Session signed out').waitFor()
      })
      await assert.rejects(elsewhere.me())
      assert.equal(await table.getByRole('row').count(), 2)

      await page.getByText('Compact', { exact: true }).click()
      await page.getByLabel('Single-key shortcuts').uncheck({ force: true })
      await page.reload()
      await table.waitFor()
      assert.equal(await page.evaluate(() => document.documentElement.dataset.density), 'compact')
      assert.equal(await page.getByLabel('Single-key shortcuts').isChecked(), false)
    }))
})
