// Single sign-on set up step by step in a real browser, with a real OpenID provider.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inBrowserOf, openConsole, startBrowser } from '../support/browser.ts'
import { freePort, IDP_CLIENT, type Idp, startIdp } from '../support/idp.ts'
import { noBrowser } from '../support/launch.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('console: single sign-on, step by step', { skip: noBrowser }, () => {
  let server: TestServer
  let idp: Idp
  before(async () => {
    const port = String(await freePort())
    const base = `http://127.0.0.1:${port}`
    idp = await startIdp([`${base}/api/v1/auth/callback`])
    server = await startServer('sqlite', { PORT: port, HOST: '127.0.0.1', PUBLIC_BASE_URL: base })
    server.clock.advance(Date.now() - server.clock.now().getTime())
    await server.later(0)
    server.secrets.add(IDP_CLIENT.secret)
  })
  after(async () => {
    for (const secret of idp.secrets) server.secrets.add(secret)
    await server.stop()
    await idp.stop()
  })
  // The last step asks again every two seconds.
  const inBrowser = inBrowserOf(() => server, { realTime: true })

  it('leads from the provider to a test sign-in', () =>
    inBrowser(async (browser) => {
      const opened = await openConsole(browser, server, '/admin/settings?tab=idp', { expect: [503] })
      const { page, check } = opened
      await page.getByRole('link', { name: 'Set up step by step' }).click()
      await page.getByRole('heading', { name: 'Where do your users have their accounts?' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Next' }).isDisabled(), true)
      await check('sso-provider')
      await page.getByRole('radio', { name: 'Microsoft Entra ID' }).check()
      await page.getByRole('button', { name: 'Next' }).click()

      // The redirect URI comes before anything that only the provider can give.
      await page.getByRole('heading', { name: 'Register with Microsoft Entra ID' }).waitFor()
      const redirect = page.getByLabel('Redirect URI', { exact: true })
      assert.equal(await redirect.inputValue(), `${server.url}/api/v1/auth/callback`)
      await check('sso-register')
      await checkReflow(opened, 'sso-register')
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByLabel('Directory (tenant) ID').fill('1b2c')
      await page.getByText('https://login.microsoftonline.com/1b2c/v2.0').waitFor()
      await page.getByRole('button', { name: /^Provider/ }).click()
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor({ state: 'detached' })
      await page.getByRole('radio', { name: 'Another OpenID Connect provider' }).check()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('button', { name: 'Next' }).click()

      await server.records([], async () => {
        await page.getByRole('button', { name: 'Save and connect' }).click()
        await page.getByText('Required.').first().waitFor()
        assert.equal(await page.getByText('Required.').count(), 3)
      })
      await check('sso-connect-empty')
      await page.getByLabel('Issuer URL').fill(idp.issuer)
      await page.getByRole('button', { name: 'Back' }).click()
      await page.getByRole('button', { name: 'Next' }).click()
      assert.equal(await page.getByLabel('Issuer URL').inputValue(), idp.issuer, 'kept')
      await page.getByLabel('Client ID').fill(IDP_CLIENT.id)
      await page.getByRole('group', { name: 'Client secret' }).getByRole('button', { name: 'Set' }).click()
      await page.getByLabel('New client secret').fill(IDP_CLIENT.secret)
      await page.getByLabel('Name', { exact: true }).fill('Acme')
      await idp.stop()
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Save and connect' }).click()
        await page.getByText('Saved, but not connected').waitFor()
      })
      await check('sso-connect')
      await idp.restart()
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Save and connect' }).click()
        await page.getByRole('heading', { name: 'Who can sign in?' }).waitFor()
      })
      assert.ok(!(await page.content()).includes(IDP_CLIENT.secret))

      await page.getByRole('switch', { name: 'Link existing accounts by verified email' }).click()
      await page.getByText(/Turn this on only if/).waitFor()
      const team = await server.admin.createGroup({ body: { name: 'Staff' } })
      await page.getByRole('button', { name: 'Add group' }).click()
      await page.getByRole('textbox', { name: 'Provider group 1' }).fill('staff')
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Next' }).click()
        await page.getByText('Required.').waitFor()
      })
      await page.reload()
      await page.getByRole('button', { name: 'Add group' }).click()
      await page.getByRole('switch', { name: 'Link existing accounts by verified email' }).click()
      await page.getByRole('textbox', { name: 'Provider group 1' }).fill('staff')
      await page.getByRole('combobox', { name: 'Group 1' }).click()
      await page.getByRole('option', { name: 'Staff' }).click()
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Next' }).click()
        await page.getByText('Required.').waitFor()
      })
      await page.getByLabel('Groups claim').fill('groups')
      await check('sso-users')
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Next' }).click()
        await page.getByText('Waiting for a sign-in').waitFor()
      })
      const { idp: saved, auth } = await server.admin.getSettings()
      assert.deepEqual(
        [saved.issuer_url, saved.client_id, saved.name, saved.link_verified_email, auth.auto_create_users],
        [idp.issuer, IDP_CLIENT.id, 'Acme', true, false],
      )
      assert.deepEqual([saved.groups_claim, saved.group_mapping], ['groups', [{ value: 'staff', group_id: team.id }]])
      await check('sso-test')

      // In the private window: an account that is not known here, and then one with a user's verified address.
      const { id } = await server.admin.createUser({ body: { email: 'noor@example.com', display_name: 'Noor' } })
      const signInAs = async (sub: string, shows: string | RegExp) => {
        server.clock.advance(Date.now() - server.clock.now().getTime())
        idp.accounts.set(sub, {
          sub,
          email: `${sub}@example.com`,
          email_verified: true,
          name: sub,
          groups: sub === 'noor' ? ['staff'] : [],
        })
        const elsewhere = await startBrowser()
        try {
          await elsewhere.context.route(`${idp.issuer}/**`, (route) =>
            route.continue({ headers: { ...route.request().headers(), 'x-account': sub } }),
          )
          const { page: other } = await openConsole(elsewhere, server, '/login', { expect: [401, 403] })
          await other.getByRole('button', { name: 'Continue with Acme' }).click()
          await other.getByText(shows).waitFor()
        } finally {
          await elsewhere.close()
        }
      }
      await signInAs('stranger', /no account/i)
      await page.getByText('stranger@example.com: You have no account here').waitFor()
      await page.getByText(/Go back to “Users”/).waitFor()
      await signInAs('noor', /Your groups don’t grant you any permissions yet/)
      await page.getByText('noor@example.com signed in').waitFor()
      await check('sso-tested')
      await checkReflow(opened, 'sso-tested')
      const linked = await server.admin.getUser({ params: { id } })
      assert.deepEqual([linked.idp_subject, linked.groups.map(({ name }) => name)], ['noor', ['Staff']])
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('heading', { name: 'Identity provider', level: 2 }).waitFor()
    }))

  it('keeps what was typed when the session of someone without a password expires', async () => {
    // Passwords can be turned off where an administrator can come through the provider.
    const group = (await server.admin.listGroups()).items.find(({ name }) => name === 'Administrators')
    const root = { email: 'root@example.com', display_name: 'Root', group_ids: [group?.id ?? ''] }
    const { id: rootId } = await server.admin.createUser({ body: root })
    await server.admin.updateUser({ params: { id: rootId }, body: { idp_subject: 'root' } })
    await server.admin.updateSettings({ body: { auth: { enable_local: false } } })
    const browser = await startBrowser()
    try {
      await browser.context.route(`${idp.issuer}/**`, (route) =>
        route.continue({ headers: { ...route.request().headers(), 'x-account': 'noor' } }),
      )
      const { page, check, faults } = await openConsole(browser, server, '/login?next=/tokens', { expect: [401] })
      await page.getByRole('button', { name: 'Continue with Acme' }).click()
      await page.getByRole('button', { name: 'New token' }).first().click()
      const form = page.getByRole('dialog', { name: 'New token' })
      await form.getByLabel('Name').fill('for the nightly build')
      const noor = (await server.admin.listUsers({ query: { q: 'noor' } })).items[0]?.id ?? ''
      await server.admin.endUserSessions({ params: { id: noor } })
      await page.keyboard.press('Enter')
      const again = page.getByRole('dialog', { name: 'Your session expired' })
      await again.waitFor()
      // The provider's pages are not ours.
      faults.length = 0
      await check('session-expired-sso')
      assert.equal(await again.getByRole('textbox').count(), 0, 'no password is asked for')
      const opened = browser.context.waitForEvent('page')
      await again.getByRole('button', { name: 'Sign in in a new tab' }).click()
      const tab = await opened
      const closed = tab.waitForEvent('close')
      await tab.getByRole('button', { name: 'Continue with Acme' }).click()
      await closed
      await again.waitFor({ state: 'detached' })
      assert.equal(await form.getByLabel('Name').inputValue(), 'for the nightly build')
      await form.getByRole('button', { name: 'Create token' }).click()
      const secret = form.getByLabel('Token', { exact: true })
      await secret.waitFor()
      server.secrets.add(await secret.inputValue())
    } finally {
      await browser.close()
      await server.admin.updateSettings({ body: { auth: { enable_local: true } } })
    }
  })

  it('starts with what is saved', () =>
    inBrowser(async (browser) => {
      await server.admin.updateSettings({
        body: { idp: { issuer_url: 'https://sso.example.com/realms/staff', client_id: 'x' } },
      })
      const { page } = await openConsole(browser, server, '/admin/settings/sso?step=connect')
      await page.getByRole('heading', { name: 'What the provider gave you' }).waitFor()
      assert.deepEqual(
        [await page.getByLabel('Server address').inputValue(), await page.getByLabel('Realm').inputValue()],
        ['https://sso.example.com', 'staff'],
      )
      await page.getByLabel('Realm').fill('guests')
      await page.getByRole('navigation').getByRole('link', { name: 'Buckets' }).click()
      await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
      assert.equal(await page.getByLabel('Realm').inputValue(), 'guests')
    }))
})
