// Users' first sign-in in a real browser: by an invitation, and with a password that they must change.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { describeConsole, inBrowserOf, openConsole, signIn } from '../support/browser.ts'
import { checkReflow } from '../support/reflow.ts'
import { addApp, appCode } from '../support/second-factor.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { checkViews } from '../support/views.ts'

const GIVEN = 'given by an administrator'
const CHOSEN = 'chosen by the user'

describeConsole('first sign-in', (engine) => {
  let server: TestServer
  let people = 0
  before(async () => {
    server = await startServer(engine)
    for (const secret of [GIVEN, CHOSEN]) server.secrets.add(secret)
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { who: null })

  const nextEmail = () => `first${++people}@example.com`
  const create = (more: object = {}) =>
    server.admin.createUser({ body: { email: nextEmail(), display_name: 'Robin First', ...more } })
  const invite = async () => {
    const { invitation, ...user } = await create({ invite: true })
    return { ...user, at: atOf(invitation?.url ?? '') }
  }
  /** Where the console shows an invitation; its token is a secret. */
  const atOf = (url: string) => {
    const token = url.split('#')[1] ?? ''
    server.secrets.add(token)
    return `/invitation#${token}`
  }
  const arrived = (page: Page) => page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  const choose = async (page: Page, password: string) => {
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }
  const enter = async (page: Page, email: string, password: string) => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }

  it('a new user gets a link, chooses a password with it, and is signed in', async () => {
    const email = nextEmail()
    let at = ''
    await inBrowser(async (browser) => {
      await signIn(browser, server)
      const view = await openConsole(browser, server, '/admin/users')
      const { page, check } = view
      await page.getByRole('button', { name: 'New user' }).click()
      const dialog = page.getByRole('dialog', { name: 'New user' })
      assert.ok(await dialog.getByRole('radio', { name: 'Create an invitation link' }).isChecked())
      await dialog.getByLabel('Email').fill(email)
      await dialog.getByLabel('Name').fill('Robin First')
      await check('invitation-new')
      await dialog.getByRole('button', { name: 'Create' }).click()
      const shown = page.getByRole('dialog', { name: `Invitation for ${email}` })
      const link = shown.getByLabel('Invitation link')
      await link.waitFor()
      const url = await link.inputValue()
      at = atOf(url)
      assert.match(url, /\/console\/invitation#[\w-]{43}$/)
      await check('invitation-link')
      await page.keyboard.press('Escape')
      await link.waitFor()
      await shown.getByRole('button', { name: 'I’ve saved it' }).click()
      await page.getByRole('heading', { level: 1, name: 'Robin First' }).waitFor()
      await page.getByText('Invited to choose a password').waitFor()
      await page.getByText('can’t sign in yet').waitFor({ state: 'detached' })
      await check('invitation-user')
      await checkReflow(view, 'invitation-user')
      await page.getByRole('link', { name: 'Users', exact: true }).first().click()
      await page.getByRole('row', { name: email }).getByText('Invited').waitFor()
      await check('invitation-list')
      assert.deepEqual(view.faults, [])
    })
    await inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, at)
      assert.equal(await page.getByLabel('Email').inputValue(), email)
      assert.ok(await page.getByRole('button', { name: 'Save and sign in' }).isDisabled())
      await page.getByLabel('New password', { exact: true }).fill('short')
      await page.getByText('Too short').waitFor()
      await check('invitation')
      await choose(page, CHOSEN)
      await arrived(page)
      await server.login(email, CHOSEN)
      assert.deepEqual(faults, [])
    })
    await inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, at, { expect: [401, 410] })
      await page.getByRole('heading', { level: 1, name: 'This invitation has ended' }).waitFor()
      await check('invitation-over')
      await page.getByRole('link', { name: 'Go to sign-in' }).click()
      await page.getByLabel('Password', { exact: true }).waitFor()
      assert.deepEqual(faults, [])
    })
  })

  it('an invitation is replaced and revoked on the page of the user', () =>
    inBrowser(async (browser) => {
      const { id, email, at } = await invite()
      await signIn(browser, server)
      const { page, faults } = await openConsole(browser, server, `/admin/users/${id}`)
      await page.getByRole('button', { name: 'New invitation link' }).click()
      const link = page.getByRole('dialog', { name: `Invitation for ${email}` }).getByLabel('Invitation link')
      await link.waitFor()
      const next = atOf(await link.inputValue())
      assert.notEqual(next, at)
      await page.getByRole('button', { name: 'I’ve saved it' }).click()
      await page.getByRole('button', { name: 'Revoke invitation' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke invitation' }).click()
      await page.getByText('can’t sign in yet').waitFor()
      await page.getByRole('button', { name: 'Invite', exact: true }).waitFor()
      assert.equal((await server.admin.getUser({ params: { id } })).invitation_expires_at, null)
      assert.deepEqual(faults, [])
    }))

  it('an invited user sets up a second step where the settings ask for one', async () => {
    const { at } = await invite()
    const { token } = await server.admin.createToken({ body: { name: 'root' } })
    server.secrets.add(token)
    const root = server.as(token)
    await root.updateSettings({ body: { auth: { second_factor: 'everyone' } } })
    try {
      await inBrowser(async (browser) => {
        const { page, faults } = await openConsole(browser, server, at, { expect: [401] })
        await choose(page, CHOSEN)
        await page.getByRole('button', { name: 'Set up authenticator app' }).click()
        const secret = await page.getByLabel('Or enter this key').inputValue()
        server.secrets.add(secret)
        await page.locator('input[name=otp]').fill(appCode(secret, server.clock.now()))
        await page.keyboard.press('Enter')
        const dialog = page.getByRole('dialog', { name: 'Recovery codes', exact: true })
        await dialog.waitFor()
        for (const code of await dialog.getByRole('listitem').allInnerTexts()) server.secrets.add(code)
        await dialog.getByRole('button', { name: 'I’ve saved them' }).click()
        await arrived(page)
        assert.deepEqual(faults, [])
      })
    } finally {
      await root.updateSettings({ body: { auth: { second_factor: 'optional' } } })
    }
  })

  it('a generated password is replaced at the first sign-in', async () => {
    const email = nextEmail()
    let password = ''
    await inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check, faults } = await openConsole(browser, server, '/admin/users')
      await page.getByRole('button', { name: 'New user' }).click()
      const dialog = page.getByRole('dialog', { name: 'New user' })
      await dialog.getByLabel('Email').fill(email)
      await dialog.getByLabel('Name').fill('Robin First')
      await dialog.getByRole('radio', { name: 'Set a password' }).check()
      await dialog.getByRole('button', { name: 'Create' }).click()
      await dialog.getByText('Required.').waitFor()
      await dialog.getByRole('button', { name: 'Generate' }).click()
      password = await dialog.getByLabel('Password', { exact: true }).inputValue()
      server.secrets.add(password)
      assert.match(password, /^[a-zA-Z2-9]{20}$/)
      assert.ok(await dialog.getByLabel('Must change it at the first sign-in').isChecked())
      await dialog.getByRole('button', { name: 'Copy password' }).waitFor()
      await check('password-new')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.getByText('It must be changed at the next sign-in.').waitFor()
      assert.deepEqual(faults, [])
    })
    await inBrowser(async (browser) => {
      const view = await openConsole(browser, server, '/login', { expect: [401, 422] })
      const { page, check, faults } = view
      await enter(page, email, password)
      await page.getByRole('heading', { level: 1, name: 'Choose a new password' }).waitFor()
      await page.getByLabel('New password', { exact: true }).fill(CHOSEN)
      await page.getByLabel('Repeat new password').fill('something else')
      await page.keyboard.press('Enter')
      await page.getByText('The passwords don’t match.').waitFor()
      await check('password-replace')
      await checkReflow(view, 'password-replace')
      for (const label of ['New password', 'Repeat new password'])
        await page.getByLabel(label, { exact: true }).fill(password)
      await page.keyboard.press('Enter')
      await page.getByText('must not be the password that has to be changed').waitFor()
      for (const label of ['New password', 'Repeat new password'])
        await page.getByLabel(label, { exact: true }).fill(CHOSEN)
      await page.keyboard.press('Enter')
      await arrived(page)
      await server.login(email, CHOSEN)
      assert.deepEqual(faults, [])
    })
  })

  it('a user with a second step gives it after the new password', () =>
    inBrowser(async (browser) => {
      const { id, email } = await create({ password: GIVEN })
      const app = await addApp(server, server.as(await server.login(email, GIVEN)), { current_password: GIVEN })
      await server.admin.updateUser({ params: { id }, body: { password: GIVEN, must_change_password: true } })
      const { page, check, faults } = await openConsole(browser, server, '/login', { expect: [401] })
      await enter(page, email, GIVEN)
      for (const label of ['New password', 'Repeat new password'])
        await page.getByLabel(label, { exact: true }).fill(CHOSEN)
      await page.keyboard.press('Enter')
      await page.locator('input[name=otp]').fill('000000')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      await check('password-second-step')
      await page.locator('input[name=otp]').fill(app.next())
      await page.keyboard.press('Enter')
      await arrived(page)
      assert.deepEqual(faults, [])
    }))

  it('fits a phone, longer texts and right-to-left', async () => {
    const { id, at, email } = await invite()
    await checkViews({
      inBrowser,
      server,
      name: 'invitation-views',
      words: ['Robin First', email, 'Strongroom'],
      views: [
        [at, 'input[type=password]'],
        ['/invitation', 'a[href$="/login"]'],
      ],
    })
    assert.equal((await server.admin.getUser({ params: { id } })).has_password, false)
  })
})
