// A forgotten password in a real browser, with a real mail server.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { decoded, type MailServer, startMailServer } from '../support/mail.ts'
import { checkReflow } from '../support/reflow.ts'
import { addApp } from '../support/second-factor.ts'
import { startServer, type TestServer } from '../support/server.ts'

const PASSWORD = 'a password of somebody'
const NEW = 'another password of theirs'

describeConsole('a forgotten password', (engine) => {
  let server: TestServer
  let mail: MailServer
  let people = 0
  before(async () => {
    server = await startServer(engine, { MAIL_ALLOWED_CIDRS: '127.0.0.1' })
    mail = await startMailServer()
    for (const secret of [PASSWORD, NEW]) server.secrets.add(secret)
  })
  after(async () => {
    await server.stop()
    await mail.stop()
  })
  const inBrowser = inBrowserOf(() => server, { who: null })
  const make = async () => {
    const email = `forgetful${++people}@example.com`
    const { id } = await server.admin.createUser({ body: { email, display_name: 'Robin', password: PASSWORD } })
    return { id, email }
  }
  const arrived = (page: Page) => page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  /** Asks for a link on the page, and returns where it leads in the console. */
  async function ask(page: Page, email: string): Promise<string> {
    await server.running.tick('mail-dispatcher')
    mail.forget()
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText(`If ${email} belongs to an account`).waitFor()
    await server.running.tick('password-resets')
    await server.running.tick('mail-dispatcher')
    const token = /password-reset#([\w-]{43})/.exec(mail.taken[0]?.body ?? '')?.[1] ?? ''
    if (token !== '') server.secrets.add(token)
    return `/password-reset#${token}`
  }

  it('where no mail is sent, the page says whom to ask', () =>
    inBrowser(async (browser) => {
      const view = await openConsole(browser, server, '/login', { expect: [401] })
      const { page, check, faults } = view
      await page.getByRole('link', { name: 'Forgot password?' }).click()
      await page.getByText('Ask an administrator').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Send link' }).count(), 0)
      await check('forgot-password-no-mail')
      await checkReflow(view, 'forgot-password-no-mail')
      await page.getByRole('link', { name: 'Back to sign-in' }).click()
      await page.getByLabel('Password', { exact: true }).waitFor()
      assert.deepEqual(faults, [])
    }))

  it('a link by mail, a new password, and in; once', async () => {
    await server.admin.updateSettings({ body: { mail: { ...mail.settings, security: 'none' } } })
    const who = await make()
    await inBrowser(async (browser) => {
      const view = await openConsole(browser, server, '/login', { expect: [401, 410] })
      const { page, check, faults } = view
      await page.getByRole('link', { name: 'Forgot password?' }).click()
      await page.getByRole('button', { name: 'Send link' }).waitFor()
      await check('forgot-password')
      await checkReflow(view, 'forgot-password')
      await page.getByRole('link', { name: 'Back to sign-in' }).click()
      const at = await ask(page, who.email)
      await check('forgot-password-sent')
      await page.goto(`${server.url}/console${at}`)
      await page.getByRole('heading', { level: 1, name: 'Choose a new password' }).waitFor()
      assert.equal(await page.getByLabel('Email').inputValue(), who.email)
      await page.getByLabel('New password', { exact: true }).fill('short')
      await page.getByText('Too short').waitFor()
      await check('password-reset')
      await page.getByLabel('New password', { exact: true }).fill(NEW)
      await server.records([{ action: 'password_reset' }, { action: 'login' }], async () => {
        await page.keyboard.press('Enter')
        await arrived(page)
      })
      await server.login(who.email, NEW)
      mail.forget()
      await server.running.tick('mail-dispatcher')
      assert.deepEqual(
        mail.taken.map(({ to, headers }) => [to.join(), decoded(headers.subject)]),
        [[who.email, 'Your password was changed']],
      )
      await page.goto(`${server.url}/console/account`)
      await page.getByRole('region', { name: 'Sessions' }).getByText('Link', { exact: true }).first().waitFor()
      await page.goto('about:blank')
      await page.goto(`${server.url}/console${at}`)
      await page.getByRole('heading', { level: 1, name: 'This link doesn’t work any more' }).waitFor()
      await check('password-reset-over')
      await page.getByRole('link', { name: 'Ask for a new link' }).click()
      await page.getByRole('button', { name: 'Send link' }).waitFor()
      assert.deepEqual(faults, [])
    })
  })

  it('an address of nobody is answered alike, and a second step is still asked for', async () => {
    await server.admin.updateSettings({ body: { mail: { ...mail.settings, security: 'none' } } })
    const who = await make()
    const app = await addApp(server, server.as(await server.login(who.email, PASSWORD)), { current_password: PASSWORD })
    await inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, '/login', { expect: [401] })
      await ask(page, 'nobody@example.com')
      assert.equal(mail.taken.length, 0)
      await page.getByRole('link', { name: 'Back to sign-in' }).click()
      const at = await ask(page, who.email)
      await page.goto(`${server.url}/console${at}`)
      await page.getByLabel('New password', { exact: true }).fill(NEW)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Two-step verification' }).waitFor()
      await page.locator('input[name=otp]').fill(app.next())
      await page.getByRole('button', { name: 'Verify' }).click()
      await arrived(page)
      assert.deepEqual(faults, [])
    })
  })
})
