// Signing in with a passkey alone, with Chromium's virtual authenticator.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import {
  type Browser,
  type ConsolePage,
  describeConsole,
  inBrowserOf,
  openConsole,
  signIn,
} from '../support/browser.ts'
import { freePort } from '../support/idp.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'

const PASSWORD = 'a password of somebody'
type Person = { id: string; email: string; password: string }

describeConsole('a passkey alone', (engine) => {
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
    const email = `keyless${++people}@example.com`
    const { id } = await server.admin.createUser({
      body: { email, display_name: `Person ${people}`, password: PASSWORD },
    })
    return { id, email, password: PASSWORD }
  }
  const open = (browser: Browser, at: string): Promise<ConsolePage> =>
    openConsole(browser, site, at, { expect: [400, 401, 429] })
  /** A device whose user is verified, or refuses. It answers at once, or only when a page asks while it is allowed to. */
  class Device {
    readonly #cdp: CDPSession
    readonly #id: string
    constructor(cdp: CDPSession, id: string) {
      this.#cdp = cdp
      this.#id = id
    }
    static async of({ context }: Browser, page: Page, more: { hasResidentKey?: boolean } = {}): Promise<Device> {
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
          ...more,
        },
      })
      return new Device(cdp, authenticatorId)
    }
    answers = (enabled: boolean) =>
      this.#cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#id, enabled })
    verifies = (isUserVerified: boolean) =>
      this.#cdp.send('WebAuthn.setUserVerified', { authenticatorId: this.#id, isUserVerified })
  }
  const arrived = (page: Page) => page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  const button = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await button(page).waitFor()
  }
  /** Adds a passkey on the account page. */
  async function addPasskey(page: Page): Promise<void> {
    const card = page.getByRole('region', { name: 'Two-step verification' })
    await card.getByRole('button', { name: 'Add passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add passkey' })
    await dialog.getByLabel('Current password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Create passkey' }).click()
    const codes = page.getByRole('dialog', { name: 'Recovery codes', exact: true })
    await codes.waitFor()
    for (const code of await codes.getByRole('listitem').allInnerTexts()) server.secrets.add(code)
    await codes.getByRole('button', { name: 'I’ve saved them' }).click()
  }

  it('signs in by the button, is refused alike, and the account says what it is', () =>
    inBrowser(async (browser) => {
      const who = await make()
      await signIn(browser, site, who)
      const view = await open(browser, '/account')
      const { page, check, faults } = view
      const device = await Device.of(browser, page)
      await addPasskey(page)
      const card = page.getByRole('region', { name: 'Two-step verification' })
      await card.getByText('Passkey, also without a password').waitFor()
      // Suggestions wait for the user, who does not pick one here.
      await device.answers(false)
      await signOut(page)
      assert.equal(await page.getByLabel('Email').getAttribute('autocomplete'), 'username webauthn')
      await check('passkey-login')
      await checkReflow(view, 'passkey-login')
      await device.answers(true)
      await server.records([{ action: 'login' }], async () => {
        await button(page).click()
        await arrived(page)
      })
      await page.goto(`${site.url}/console/account`)
      const sessions = page.getByRole('region', { name: 'Sessions' })
      await sessions.getByText('Passkey', { exact: true }).first().waitFor()
      await check('passkey-sessions')

      // Whoever is not verified is not let in, and the password still works.
      await device.answers(false)
      const suggested = page.waitForResponse(/\/auth\/passkey\/challenge/)
      await signOut(page)
      await (await suggested).finished()
      await server.admin.updateUser({ params: { id: who.id }, body: { is_active: false } })
      await device.answers(true)
      // Passkeys are suggested again after a refusal, and this device would answer as long as it may.
      await page.route(/\/auth\/passkey(\?|$)/, async (route) => {
        await device.answers(false)
        await route.continue()
      })
      await server.records([{ action: 'login_failed', result: 'failure' }], async () => {
        await button(page).click()
        await page.getByRole('alert').getByText('This passkey doesn’t sign you in here').waitFor()
      })
      await check('passkey-refused')
      await server.admin.updateUser({ params: { id: who.id }, body: { is_active: true } })
      assert.deepEqual(faults, [])
    }))

  it('signs in from the suggestions of the field', () =>
    inBrowser(async (browser) => {
      const who = await make()
      await signIn(browser, site, who)
      const { page, faults } = await open(browser, '/account')
      await Device.of(browser, page)
      await addPasskey(page)
      await page.getByRole('button', { name: 'Account' }).click()
      // The virtual device picks the suggestion at once.
      await server.records([{ action: 'logout' }, { action: 'login' }], async () => {
        await page.getByRole('menuitem', { name: 'Sign out' }).click()
        await page.waitForURL('**/console/login**')
        await arrived(page)
      })
      assert.deepEqual(faults, [])
    }))

  it('continues an expired session over the view', () =>
    inBrowser(async (browser) => {
      const who = await make()
      await signIn(browser, site, who)
      const { page, check } = await open(browser, '/account')
      await Device.of(browser, page)
      await addPasskey(page)
      await server.admin.endUserSessions({ params: { id: who.id } })
      await page.getByRole('link', { name: 'Jobs' }).click()
      const dialog = page.getByRole('dialog', { name: 'Your session expired' })
      await dialog.getByRole('button', { name: 'Use a passkey' }).waitFor()
      await check('passkey-again')
      await dialog.getByRole('button', { name: 'Use a passkey' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    }))
})
