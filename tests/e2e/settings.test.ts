// The settings in a real browser: every section, values fixed by the environment, secrets, the provider's test and the
// guard against locking everyone out.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inBrowserOf, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { CLIENT_SECRET, startDirectory } from '../support/directories.ts'
import { IDP_CLIENT, type Idp, startIdp } from '../support/idp.ts'
import { tabTo } from '../support/keyboard.ts'
import { noBrowser } from '../support/launch.ts'
import { SVG, transparent } from '../support/pictures.ts'
import { checkReflow } from '../support/reflow.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const SECTIONS = [
  ['auth', 'Sign-in'],
  ['idp', 'Identity provider'],
  ['directory', 'Directory'],
  ['mail', 'Mail'],
  ['quotas', 'Quotas'],
  ['encryption', 'Encryption'],
  ['trash', 'Trash'],
  ['tokens', 'Access tokens'],
  ['uploads', 'Uploads'],
  ['s3', 'S3 clients'],
  ['shares', 'Share links'],
  ['images', 'Images'],
  ['audit', 'Audit log'],
  ['branding', 'Name and logo'],
] as const

describe('console: settings', { skip: noBrowser }, () => {
  let server: TestServer
  let idp: Idp
  before(async () => {
    idp = await startIdp([])
    server = await startServer('sqlite', { TRASH_DAYS: '12' })
    server.secrets.add(IDP_CLIENT.secret)
    server.secrets.add(CLIENT_SECRET)
  })
  after(async () => {
    await server.stop()
    await idp.stop()
  })
  const inBrowser = inBrowserOf(() => server, { who: null, realTime: true })

  it('shows every section without horizontal scrolling', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const opened = await openConsole(browser, server, '/admin/settings')
      const { page, check } = opened
      await page.getByRole('tab', { name: 'Sign-in' }).waitFor()
      assert.deepEqual(
        await page.getByRole('tab').allInnerTexts(),
        SECTIONS.map(([, label]) => label),
      )
      for (const [name, label] of SECTIONS) {
        await page.getByRole('tab', { name: label }).click()
        await page.getByRole('heading', { name: label, level: 2 }).waitFor()
        await check(`settings-${name}`)
        await checkReflow(opened, `settings-${name}`)
      }
    }))

  it('applies settings once they are saved, and not before', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/admin/settings?tab=quotas', { expect: [422] })
      await page.getByLabel('Default quota for new buckets').fill('7')
      await page.getByRole('tab', { name: /^Sign-in/ }).click()
      await page.getByRole('switch', { name: 'Create accounts on first SSO sign-in' }).click()
      await page.getByText('Unsaved changes').last().waitFor()
      await check('settings-unsaved')
      assert.equal((await server.admin.getSettings()).auth.auto_create_users, false)
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Sign-in settings saved').waitFor()
      })
      let saved = await server.admin.getSettings()
      assert.deepEqual([saved.auth.auto_create_users, saved.quotas.default_bucket_quota_gb], [true, null])

      await page.getByRole('link', { name: 'Groups' }).click()
      await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('tab', { name: /^Quotas/ }).click()
      assert.equal(await page.getByLabel('Default quota for new buckets').inputValue(), '7 GB')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Quotas settings saved').waitFor()
      const quota = async () => (await server.admin.getSettings()).quotas.default_bucket_quota_gb
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Undo' }).last().click()
        await page.getByText('Change undone').waitFor()
      })
      assert.equal(await quota(), null)
      await page.getByLabel('Default quota for new buckets').fill('7')
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => (await quota()) === 7)
      const made = await server.admin.createBucket({ body: { name: 'seven' } })
      assert.equal(made.quota_gb, 7)
      await page.getByLabel('Default quota for new buckets').fill('')
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => (await server.admin.getSettings()).quotas.default_bucket_quota_gb === null)

      await page.getByRole('tab', { name: 'Share links' }).click()
      await page.getByLabel('Default lifetime').fill('soon')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Invalid format.').waitFor()
      await check('settings-fault')
      await page.getByRole('button', { name: 'Discard' }).click()
      assert.equal(await page.getByLabel('Default lifetime').inputValue(), '7d')
      await page.getByRole('tab', { name: 'Uploads' }).click()
      await page.getByLabel('Remove unfinished uploads after').fill('')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Required.').waitFor()
      saved = await server.admin.getSettings()
      assert.equal(saved.uploads.expire_hours, 24)
    }))

  it('shows settings fixed by the environment as read-only, with their variable', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page } = await openConsole(browser, server, '/admin/settings?tab=trash')
      await page.getByText('Set by the environment variable TRASH_DAYS').waitFor()
      const field = page.getByLabel('Default trash retention for new buckets')
      assert.equal(await field.inputValue(), '12 days')
      assert.equal(await field.getAttribute('readonly'), '')
    }))

  it('sets up, tests and offers an identity provider, and never locks everyone out', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/admin/settings?tab=idp', { expect: [409, 503] })
      // It is needed at the provider, before anything can be entered here.
      const redirect = page.getByLabel('Redirect URI', { exact: true })
      assert.ok((await redirect.inputValue()).endsWith('/api/v1/auth/callback'))
      await check('settings-idp')
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('No identity provider is configured').waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Acme')
      await page.getByLabel('Issuer URL').fill(idp.issuer)
      await page.getByLabel('Client ID').fill(IDP_CLIENT.id)
      const secret = page.getByRole('group', { name: 'Client secret' })
      await secret.getByText('Not set').waitFor()
      await secret.getByRole('button', { name: 'Set' }).click()
      await page.getByLabel('New client secret').fill(IDP_CLIENT.secret)
      assert.equal(await page.getByRole('button', { name: 'Test connection' }).isDisabled(), true)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Identity provider settings saved').waitFor()
      await secret.getByText('Set', { exact: true }).waitFor()
      assert.ok(!(await page.content()).includes(IDP_CLIENT.secret))
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('Connected').waitFor()
      await check('settings-idp-tested')
      await idp.stop()
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('The identity provider cannot be reached', { exact: true }).waitFor()
      await idp.restart()
      await secret.getByRole('button', { name: 'Remove' }).click()
      await secret.getByText('Will be removed').waitFor()
      await secret.getByRole('button', { name: 'Keep current' }).click()

      await page.getByRole('button', { name: 'Add group' }).click()
      await page.getByLabel('Provider group 1').fill('storage-admins')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Required.').waitFor()
      await page.getByRole('combobox', { name: 'Group 1' }).click()
      await page.getByRole('option', { name: 'Administrators' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => (await server.admin.getSettings()).idp.group_mapping.length === 1)

      await page.getByRole('tab', { name: /^Sign-in/ }).click()
      await page.getByRole('switch', { name: 'Password sign-in' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('This would lock everyone out').waitFor()
      await check('settings-lock-out')
      assert.equal((await server.admin.getSettings()).auth.enable_local, true)

      const { groups } = await server.admin.me()
      const other = await server.admin.createUser({
        body: { email: 'other@example.com', display_name: 'Other', group_ids: groups.map(({ id }) => id) },
      })
      await server.admin.updateUser({ params: { id: other.id }, body: { idp_subject: 'the-admin' } })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Sign-in settings saved').waitFor()
      const elsewhere = await startBrowser()
      try {
        const { page: login } = await openConsole(elsewhere, server, '/login', { expect: [401] })
        await login.getByRole('button', { name: 'Continue with Acme' }).waitFor()
        assert.equal(await login.getByLabel('Email').count(), 0)
        const refused = await fetch(`${server.url}/api/v1/auth/token`, {
          method: 'POST',
          body: new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }),
        })
        assert.equal(refused.status, 403)
      } finally {
        await elsewhere.close()
      }
      await page.getByRole('switch', { name: 'Password sign-in' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => (await server.admin.getSettings()).auth.enable_local)
    }))

  it('shows the site’s own name and logo, here, at sign-in and on the pages of links', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const opened = await openConsole(browser, server, '/admin/settings?tab=branding', { expect: [415] })
      const { page, check } = opened
      await page.getByText('No logo', { exact: true }).waitFor()
      const choose = async (name: string, mimeType: string, buffer: Buffer) => {
        const asked = page.waitForEvent('filechooser')
        await page.getByRole('button', { name: 'Choose image' }).click()
        await (await asked).setFiles({ name, mimeType, buffer })
      }
      await choose('logo.svg', 'image/svg+xml', SVG)
      await page.getByText('The logo must be a PNG, JPEG, WebP, AVIF or GIF.').waitFor()
      await check('settings-logo-refused')
      await server.records([{ action: 'settings_update' }], async () => {
        await choose('logo.png', 'image/png', await transparent(300, 100).png().toBuffer())
        await page.getByText(/Logo saved/).waitFor()
      })
      await page.getByLabel('Name', { exact: true }).fill('Acme Files')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Name and logo settings saved').waitFor()
      await check('settings-branding-set')
      await checkReflow(opened, 'settings-branding-set')
      await page.reload()
      await page.getByRole('banner').getByText('Acme Files').waitFor()
      assert.equal(await page.title(), 'Settings – Acme Files')

      await server.admin.createBucket({ body: { name: 'branded' } })
      await server.admin.putObject({ params: { bucket: 'branded', key: 'a.txt' }, body: 'a' })
      const link = await server.admin.createShare({ body: { bucket: 'branded', kind: 'object', key: 'a.txt' } })
      server.secrets.add(link.token)
      const elsewhere = await startBrowser()
      try {
        const login = await openConsole(elsewhere, server, '/login', { expect: [401] })
        await login.page.getByRole('main').getByText('Acme Files').waitFor()
        await login.check('login-branding')
        const shared = await openConsole(elsewhere, server, `/s/${link.token}`)
        await shared.page.getByText('Acme Files').waitFor()
        await shared.check('link-branding')
      } finally {
        await elsewhere.close()
      }
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Remove logo' }).click()
        await page.getByText('Logo removed').waitFor()
      })
      await server.admin.updateSettings({ body: { branding: { name: null } } })
    }))

  it('sets up and tests the directory', async () => {
    const directory = await startDirectory('scim2', [
      { id: 'd-1', username: 'dana', first: 'Dana', last: 'Dale', email: 'dana@example.com' },
    ])
    await inBrowser(async (browser) => {
      await server.admin.updateSettings({ body: { idp: { issuer_url: idp.issuer, client_id: IDP_CLIENT.id } } })
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/admin/settings?tab=directory')
      await page.getByRole('combobox', { name: 'Type' }).click()
      await page.getByRole('option', { name: 'scim2' }).click()
      const { url, tokenUrl, clientId } = directory.settings
      await page.getByLabel('URL', { exact: true }).fill(url ?? '')
      await page.getByLabel('Token URL').fill(tokenUrl ?? '')
      await page.getByLabel('Client ID').fill(clientId ?? '')
      await page.getByRole('group', { name: 'Client secret' }).getByRole('button', { name: 'Set' }).click()
      await page.getByLabel('New client secret').fill(CLIENT_SECRET)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Directory settings saved').waitFor()
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('Dana Dale').waitFor()
      await check('settings-directory-tested')
    })
  })

  it('changes a section by keyboard alone', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page } = await openConsole(browser, server, '/admin/settings')
      await tabTo(page, page.getByRole('tab', { name: 'Sign-in' }))
      for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowDown')
      await page.getByRole('heading', { name: 'Uploads', level: 2 }).waitFor()
      const named = () =>
        page.evaluate(() => {
          const { activeElement: at } = document
          return at instanceof HTMLInputElement ? (at.labels?.[0]?.textContent ?? '') : (at?.textContent ?? '')
        })
      const tabToField = async (name: string) => {
        for (let i = 0; i < 20; i++) {
          await page.keyboard.press('Tab')
          if ((await named()) === name) return
        }
        assert.fail(`${name} is not reached`)
      }
      await tabToField('Remove unfinished uploads after')
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('48')
      await tabToField('Save')
      await page.keyboard.press('Enter')
      await until(async () => (await server.admin.getSettings()).uploads.expire_hours === 48)
    }))
})
