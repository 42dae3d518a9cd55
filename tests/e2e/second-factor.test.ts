// Two-step verification in a real browser, with passkeys of Chromium's virtual authenticator.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  type Browser,
  type ConsolePage,
  describeConsole,
  inBrowserOf,
  navigate,
  openConsole,
  signIn,
} from '../support/browser.ts'
import { freePort } from '../support/idp.ts'
import { checkReflow } from '../support/reflow.ts'
import { addApp, appCode } from '../support/second-factor.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { checkViews } from '../support/views.ts'

const PASSWORD = 'a password of somebody'
type Person = { id: string; email: string; password: string }

describeConsole('two-step verification', (engine) => {
  let server: TestServer
  /** The same service at a name that browsers have passkeys for. */
  let site: { url: string }
  let people = 0
  before(async () => {
    const port = String(await freePort())
    server = await startServer(engine, { PORT: port, PUBLIC_BASE_URL: `http://localhost:${port}`, HOST: '127.0.0.1' })
    site = { url: `http://localhost:${port}` }
    server.secrets.add(PASSWORD)
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { who: null })

  async function make(): Promise<Person> {
    const email = `steps${++people}@example.com`
    const { id } = await server.admin.createUser({
      body: { email, display_name: `Person ${people}`, password: PASSWORD },
    })
    return { id, email, password: PASSWORD }
  }
  const clientOf = async ({ email, password }: Person) => server.as(await server.login(email, password))

  /** Gives the page a passkey device; returns what counts its passkeys, and what lets it answer or wait. */
  async function withPasskeys({ context }: Browser, page: Page) {
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return {
      count: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
      answers: (enabled: boolean) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    }
  }
  const open = async (browser: Browser, at: string): Promise<ConsolePage> =>
    openConsole(browser, site, at, { expect: [401, 422] })
  async function enterPassword(page: Page, { email, password }: Person) {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  /** Signs the profile in, with a code in the same request. */
  const login = ({ context }: Browser, { email, password }: Person, otp: string) =>
    context.request.post(`${server.url}/api/v1/auth/token?session=cookie`, {
      form: { username: email, password, otp },
      headers: { origin: server.url },
    })
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  }
  const arrived = (page: Page) => page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  const secretOn = async (page: Page) => {
    const secret = await page.getByLabel('Or enter this key').inputValue()
    server.secrets.add(secret)
    return secret
  }
  const codeOn = (page: Page) => page.locator('input[name=otp]')
  const next = () => {
    server.clock.advance(30_000)
    return server.clock.now()
  }
  const saveCodes = async (page: Page): Promise<string[]> => {
    const dialog = page.getByRole('dialog', { name: 'Recovery codes', exact: true })
    await dialog.waitFor()
    const codes = await dialog.getByRole('listitem').allInnerTexts()
    for (const code of codes) server.secrets.add(code)
    assert.equal(codes.length, 10)
    await page.keyboard.press('Escape')
    await dialog.getByText('Shown only once').waitFor()
    await dialog.getByRole('button', { name: 'I’ve saved them' }).click()
    return codes
  }

  it('an authenticator app: added, asked for, replaced by a recovery code, removed', () =>
    inBrowser(async (browser) => {
      const who = await make()
      await signIn(browser, site, who)
      const view = await open(browser, '/account')
      const { page, check } = view
      const card = page.getByRole('region', { name: 'Two-step verification' })
      await card.getByText('Not set up yet.').waitFor()
      await check('two-step-none')
      await card.getByRole('button', { name: 'Add authenticator app' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add authenticator app' })
      const secret = await secretOn(page)
      await dialog.getByRole('img', { name: 'QR code' }).waitFor()
      await check('two-step-add-app')
      await dialog.getByLabel('Name').fill('Phone')
      await codeOn(page).fill(appCode(secret, next()).replace(/^.../, '$& '))
      await dialog.getByLabel('Current password').fill('a wrong one')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByText('Wrong or already used.').waitFor()
      await dialog.getByLabel('Current password').fill(who.password)
      await server.records([{ action: 'second_factor_add' }, { action: 'recovery_codes_create' }], async () => {
        await dialog.getByRole('button', { name: 'Add', exact: true }).click()
        await page.getByRole('dialog', { name: 'Recovery codes', exact: true }).waitFor()
      })
      await check('two-step-codes')
      const [code = ''] = await saveCodes(page)
      await card.getByText('10 recovery codes left.').waitFor()
      await check('two-step-account')
      await checkReflow(view, 'two-step-account')

      await signOut(page)
      await enterPassword(page, who)
      await page.getByRole('heading', { name: 'Two-step verification' }).waitFor()
      const field = codeOn(page)
      assert.equal(await field.getAttribute('autocomplete'), 'one-time-code')
      assert.equal(await page.getByRole('button', { name: 'Use passkey' }).count(), 0)
      await field.fill('000000')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('alert').waitFor()
      await check('two-step-sign-in')
      await checkReflow(view, 'two-step-sign-in')
      await field.fill(appCode(secret, next()))
      await page.getByRole('button', { name: 'Verify' }).click()
      await arrived(page)

      await signOut(page)
      await enterPassword(page, who)
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await page.getByLabel('Recovery code').fill(` ${code.toUpperCase().replaceAll('-', ' ')} `)
      await check('two-step-recovery')
      await server.records([{ action: 'recovery_code_use' }, { action: 'login' }], async () => {
        await page.getByRole('button', { name: 'Verify' }).click()
        await arrived(page)
      })
      await page.goto(`${site.url}/console/account`)
      await card.getByText('9 recovery codes left.').waitFor()
      await card.getByRole('button', { name: 'New recovery codes' }).click()
      const renewing = page.getByRole('dialog', { name: 'New recovery codes' })
      await renewing.getByLabel('Current password').fill(who.password)
      await renewing.getByRole('button', { name: 'Create' }).click()
      await saveCodes(page)
      await card.getByText('10 recovery codes left.').waitFor()
      await card.getByRole('button', { name: 'Rename Phone' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Old phone')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await card.getByRole('button', { name: 'Remove Old phone' }).click()
      const removing = page.getByRole('dialog', { name: 'Remove Old phone?' })
      await removing.getByText('your password alone is enough').waitFor()
      await check('two-step-remove')
      await removing.getByLabel('Current password').fill(who.password)
      await removing.getByRole('button', { name: 'Remove' }).click()
      await card.getByText('Not set up yet.').waitFor()
      await signOut(page)
      await enterPassword(page, who)
      await arrived(page)
    }))

  it('a passkey: added, used at the sign-in and removed', () =>
    inBrowser(async (browser) => {
      const who = await make()
      await signIn(browser, site, who)
      const { page, check } = await open(browser, '/account')
      const { count, answers } = await withPasskeys(browser, page)
      const card = page.getByRole('region', { name: 'Two-step verification' })
      await card.getByRole('button', { name: 'Add passkey' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add passkey' })
      await dialog.getByLabel('Current password').fill('a wrong one')
      await check('two-step-add-passkey')
      await dialog.getByRole('button', { name: 'Create passkey' }).click()
      await dialog.getByText('Wrong or already used.').waitFor()
      await dialog.getByLabel('Current password').fill(who.password)
      await dialog.getByRole('button', { name: 'Create passkey' }).click()
      await saveCodes(page)
      assert.equal(await count(), 1, 'a wrong password makes no second passkey')
      // Or the sign-in page’s suggestion of it would be picked.
      await answers(false)
      await signOut(page)
      await enterPassword(page, who)
      await page.getByRole('button', { name: 'Use passkey' }).waitFor()
      await check('two-step-passkey')
      await answers(true)
      await page.getByRole('button', { name: 'Use passkey' }).click()
      await arrived(page)
      await page.goto(`${site.url}/console/account`)
      await card.getByRole('button', { name: 'Remove Passkey' }).click()
      const removing = page.getByRole('dialog', { name: 'Remove Passkey?' })
      await check('two-step-remove-passkey')
      await server.records([{ action: 'second_factor_remove' }], async () => {
        await removing.getByRole('button', { name: 'Use passkey' }).click()
        await card.getByText('Not set up yet.').waitFor()
      })
    }))

  it('a session that expires asks for both steps over the view', () =>
    inBrowser(async (browser) => {
      const who = await make()
      const client = await clientOf(who)
      const app = await addApp(server, client, { current_password: PASSWORD })
      const { page, check } = await open(browser, '/login')
      await enterPassword(page, who)
      await codeOn(page).fill(app.next())
      await page.getByRole('button', { name: 'Verify' }).click()
      await arrived(page)
      await server.admin.endUserSessions({ params: { id: who.id } })
      await page.getByRole('link', { name: 'Jobs' }).click()
      const dialog = page.getByRole('dialog', { name: 'Your session expired' })
      await dialog.getByLabel(/Password/).fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
      await codeOn(page).waitFor()
      await check('two-step-again')
      await codeOn(page).fill(app.next())
      await dialog.getByRole('button', { name: 'Verify' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    }))

  it('who must have it sets it up at the sign-in, with an app or a passkey', () =>
    inBrowser(async (browser) => {
      const { token } = await server.admin.createToken({ body: { name: 'root' } })
      const root = server.as(token)
      const [first, second] = [await make(), await make()]
      await root.updateSettings({ body: { auth: { second_factor: 'everyone' } } })
      try {
        const view = await open(browser, '/login')
        const { page, check } = view
        const { count } = await withPasskeys(browser, page)
        await enterPassword(page, first)
        await page.getByText('Your administrator requires a second step').waitFor()
        await check('two-step-required')
        await checkReflow(view, 'two-step-required')
        await page.getByRole('button', { name: 'Set up authenticator app' }).click()
        const secret = await secretOn(page)
        await check('two-step-required-app')
        await checkReflow(view, 'two-step-required-app')
        await codeOn(page).fill(appCode(secret, server.clock.now()))
        await page.getByRole('button', { name: 'Verify' }).click()
        await saveCodes(page)
        await arrived(page)
        await page.goto(`${site.url}/console/account`)
        const card = page.getByRole('region', { name: 'Two-step verification' })
        await card.getByText('Your administrator requires').waitFor()
        assert.equal(await card.getByRole('button', { name: 'Remove Authenticator app' }).count(), 0)
        await signOut(page)
        await enterPassword(page, second)
        await page.getByRole('button', { name: 'Create passkey' }).click()
        await saveCodes(page)
        assert.equal(await count(), 1)
        await arrived(page)
      } finally {
        await root.updateSettings({ body: { auth: { second_factor: 'optional' } } })
      }
    }))

  it('an administrator sees who has it, resets it, and hears what requiring it does to themselves', () =>
    inBrowser(async (browser) => {
      const who = await make()
      await addApp(server, await clientOf(who), { current_password: PASSWORD })
      await signIn(browser, site, ADMIN)
      const { page, check } = await open(browser, '/admin/users')
      await page
        .getByRole('row', { name: new RegExp(who.email) })
        .getByText('Two-step')
        .waitFor()
      await check('two-step-users')
      await page.goto(`${site.url}/console/admin/users/${who.id}`)
      await page.getByRole('button', { name: 'Reset' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('their password alone is enough').waitFor()
      await check('two-step-reset')
      await server.records([{ action: 'second_factor_reset' }], async () => {
        await dialog.getByRole('button', { name: 'Reset' }).click()
        await page.getByText('Not set up.').waitFor()
      })

      await page.goto(`${site.url}/console/admin/settings?tab=auth`)
      const select = page.getByRole('combobox', { name: 'Require two-step verification' })
      await select.click()
      await page.getByRole('option', { name: 'For administrators' }).click()
      await check('two-step-settings')
      await page.getByRole('button', { name: 'Save' }).click()
      const warning = page.getByRole('dialog', { name: 'Require two-step verification?' })
      await check('two-step-warning')
      await warning.getByRole('button', { name: 'Cancel' }).click()
      assert.equal((await server.admin.getSettings()).auth.second_factor, 'optional')
      await page.getByRole('button', { name: 'Save' }).click()
      await warning.getByRole('button', { name: 'Require and sign out' }).click()
      // The next request is refused, and the password leads to setting it up.
      await page.getByText('Sign-in settings saved').waitFor()
      await navigate(page, '/admin/users')
      const again = page.getByRole('dialog', { name: 'Your session expired' })
      await again.getByLabel(/Password/).fill(ADMIN.password)
      await again.getByRole('button', { name: 'Sign in', exact: true }).click()
      await again.getByText('Signing in needs another step now.').waitFor()
      await check('two-step-elsewhere')
      const opened = browser.context.waitForEvent('page')
      await again.getByRole('button', { name: 'Sign in in a new tab' }).click()
      const tab = await opened
      await enterPassword(tab, { id: '', ...ADMIN })
      await tab.getByRole('button', { name: 'Set up authenticator app' }).click()
      const secret = await secretOn(tab)
      await codeOn(tab).fill(appCode(secret, server.clock.now()))
      await tab.getByRole('button', { name: 'Verify' }).click()
      await saveCodes(tab)
      await again.waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
      await page.goto(`${site.url}/console/admin/settings?tab=auth`)
      await select.click()
      await page.getByRole('option', { name: 'No, users can turn it on themselves' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Sign-in settings saved').waitFor()
    }))

  it('on plain http at a name of the network there are no passkeys, and the page says so', () =>
    inBrowser(
      async (browser) => {
        const lan = await startServer(engine, { PUBLIC_BASE_URL: 'http://storage.lan' })
        try {
          await signIn(browser, lan, ADMIN)
          const { page } = await openConsole(browser, lan, '/account')
          await page.getByText(/^Passkeys need a service that knows its own address: HTTPS/).waitFor()
          assert.equal(await page.getByRole('button', { name: 'Add passkey' }).count(), 0)
          await page.getByRole('button', { name: 'Add authenticator app' }).waitFor()
        } finally {
          await lan.stop()
        }
      },
      { realTime: true },
    ))

  it('has room for longer texts, from right to left, on a phone', async () => {
    const who = await make()
    const app = await addApp(server, await clientOf(who), { current_password: PASSWORD }, 'Phone of Kim')
    const words = ['Phone of Kim', who.email, `Person ${people}`]
    await checkViews({
      inBrowser: (work, options) => {
        const otp = app.next()
        return inBrowserOf(() => server, { who: null })(async (browser) => {
          assert.equal((await login(browser, who, otp)).status(), 200)
          await work(browser)
        }, options)
      },
      server,
      views: [['/account', '.second-factor-actions']],
      words,
      name: 'two-step-phone',
    })
  })
})
