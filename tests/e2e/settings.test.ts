// The settings in a real browser: every section, what the environment fixes, secrets, the provider's test and the guard
// against locking everybody out (cases 1, 30, 31 and 37).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inBrowserOf, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { CLIENT_SECRET, startDirectory } from '../support/directories.ts'
import { IDP_CLIENT, type Idp, startIdp } from '../support/idp.ts'
import { noBrowser } from '../support/launch.ts'
import { checkReflow } from '../support/reflow.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const SECTIONS = [
  ['auth', 'Signing in'],
  ['idp', 'Identity provider'],
  ['directory', 'Directory'],
  ['quotas', 'Quotas'],
  ['trash', 'Trash'],
  ['tokens', 'Access tokens'],
  ['uploads', 'Uploads'],
  ['shares', 'Share links'],
  ['images', 'Images'],
  ['audit', 'Audit log'],
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

  it('has every section; each is readable, and none scrolls sideways', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const opened = await openConsole(browser, server, '/admin/settings')
      const { page, check } = opened
      await page.getByRole('tab', { name: 'Signing in' }).waitFor()
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

  it('31: what is saved acts at once, and nothing before it is saved', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/admin/settings?tab=quotas', { expect: [422] })
      await page.getByLabel('Quota of new buckets').fill('7')
      await page.getByRole('tab', { name: /^Signing in/ }).click()
      await page.getByRole('switch', { name: 'Make accounts at the first login' }).click()
      await page.getByText('Unsaved changes').last().waitFor()
      await check('settings-unsaved')
      assert.equal((await server.admin.getSettings()).auth.auto_create_users, false)
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('“Signing in” is saved').waitFor()
      })
      let saved = await server.admin.getSettings()
      assert.deepEqual([saved.auth.auto_create_users, saved.quotas.default_bucket_quota_gb], [true, null])

      await page.getByRole('link', { name: 'Groups' }).click()
      await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('tab', { name: /^Quotas/ }).click()
      assert.equal(await page.getByLabel('Quota of new buckets').inputValue(), '7 GB')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('“Quotas” is saved').waitFor()
      const made = await server.admin.createBucket({ body: { name: 'seven' } })
      assert.equal(made.quota_gb, 7)
      await page.getByLabel('Quota of new buckets').fill('')
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => (await server.admin.getSettings()).quotas.default_bucket_quota_gb === null)

      await page.getByRole('tab', { name: 'Share links' }).click()
      await page.getByLabel('Usual lifetime').fill('soon')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Not in the form that is described above').waitFor()
      await check('settings-fault')
      await page.getByRole('button', { name: 'Discard' }).click()
      assert.equal(await page.getByLabel('Usual lifetime').inputValue(), '7d')
      await page.getByRole('tab', { name: 'Uploads' }).click()
      await page.getByLabel('Give up unfinished uploads after').fill('')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Has to have a value').waitFor()
      saved = await server.admin.getSettings()
      assert.equal(saved.uploads.expire_hours, 24)
    }))

  it('what the environment fixes is read, with the variable', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page } = await openConsole(browser, server, '/admin/settings?tab=trash')
      await page.getByText('Set by TRASH_DAYS').waitFor()
      const field = page.getByLabel('Days in the trash, in new buckets')
      assert.equal(await field.inputValue(), '12 days')
      assert.equal(await field.getAttribute('readonly'), '')
    }))

  it('1, 30: the provider is set up, tested and offered; nobody can lock everybody out', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/admin/settings?tab=idp', { expect: [409, 503] })
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('No identity provider is set up').waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Acme')
      await page.getByLabel('Issuer URL').fill(idp.issuer)
      await page.getByLabel('Client id').fill(IDP_CLIENT.id)
      const secret = page.getByRole('group', { name: 'Client secret' })
      await secret.getByText('Not set').waitFor()
      await secret.getByRole('button', { name: 'Set' }).click()
      await page.getByLabel('New client secret').fill(IDP_CLIENT.secret)
      assert.equal(await page.getByRole('button', { name: 'Test connection' }).isDisabled(), true)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('“Identity provider” is saved').waitFor()
      await secret.getByText('Set', { exact: true }).waitFor()
      assert.ok(!(await page.content()).includes(IDP_CLIENT.secret))
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('The provider answers').waitFor()
      const redirect = page.getByLabel('Redirect URI to register at the provider')
      assert.ok((await redirect.inputValue()).endsWith('/api/v1/auth/callback'))
      await check('settings-idp-tested')
      await idp.stop()
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('The identity provider cannot be reached', { exact: true }).waitFor()
      await idp.restart()
      await secret.getByRole('button', { name: 'Remove' }).click()
      await secret.getByText('Will be removed').waitFor()
      await secret.getByRole('button', { name: 'Keep it as it is' }).click()

      await page.getByRole('button', { name: 'Add a group' }).click()
      await page.getByLabel('Group at the provider 1').fill('storage-admins')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Has to have a value').waitFor()
      await page.getByRole('combobox', { name: 'Group here 1' }).click()
      await page.getByRole('option', { name: 'Administrators' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => (await server.admin.getSettings()).idp.group_mapping.length === 1)

      await page.getByRole('tab', { name: /^Signing in/ }).click()
      await page.getByRole('switch', { name: 'Sign in with e-mail and password' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('This would lock everybody out').waitFor()
      await check('settings-lock-out')
      assert.equal((await server.admin.getSettings()).auth.enable_local, true)

      const { groups } = await server.admin.me()
      const other = await server.admin.createUser({
        body: { email: 'other@example.com', display_name: 'Other', group_ids: groups.map(({ id }) => id) },
      })
      await server.admin.updateUser({ params: { id: other.id }, body: { idp_subject: 'the-admin' } })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('“Signing in” is saved').waitFor()
      const elsewhere = await startBrowser()
      try {
        const { page: login } = await openConsole(elsewhere, server, '/login', { expect: [401] })
        await login.getByRole('button', { name: 'Continue with Acme' }).waitFor()
        assert.equal(await login.getByLabel('E-mail').count(), 0)
        const refused = await fetch(`${server.url}/api/v1/auth/token`, {
          method: 'POST',
          body: new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }),
        })
        assert.equal(refused.status, 403)
      } finally {
        await elsewhere.close()
      }
      await page.getByRole('switch', { name: 'Sign in with e-mail and password' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => (await server.admin.getSettings()).auth.enable_local)
    }))

  it('the directory is set up and tested', async () => {
    const directory = await startDirectory('scim2', [
      { id: 'd-1', username: 'dana', first: 'Dana', last: 'Dale', email: 'dana@example.com' },
    ])
    await inBrowser(async (browser) => {
      await server.admin.updateSettings({ body: { idp: { issuer_url: idp.issuer, client_id: IDP_CLIENT.id } } })
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/admin/settings?tab=directory')
      await page.getByRole('combobox', { name: 'Kind' }).click()
      await page.getByRole('option', { name: 'scim2' }).click()
      const { url, tokenUrl, clientId } = directory.settings
      await page.getByLabel('URL', { exact: true }).fill(url ?? '')
      await page.getByLabel('Token URL').fill(tokenUrl ?? '')
      await page.getByLabel('Client id').fill(clientId ?? '')
      await page.getByRole('group', { name: 'Client secret' }).getByRole('button', { name: 'Set' }).click()
      await page.getByLabel('New client secret').fill(CLIENT_SECRET)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('“Directory” is saved').waitFor()
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('Dana Dale').waitFor()
      await check('settings-directory-tested')
    })
  })

  it('37: a section is changed by keyboard alone', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page } = await openConsole(browser, server, '/admin/settings')
      await page.getByRole('tab', { name: 'Signing in' }).focus()
      for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowDown')
      await page.getByRole('heading', { name: 'Uploads', level: 2 }).waitFor()
      const named = () =>
        page.evaluate(() => {
          const { activeElement: at } = document
          return at instanceof HTMLInputElement ? (at.labels?.[0]?.textContent ?? '') : (at?.textContent ?? '')
        })
      const tabTo = async (name: string) => {
        for (let i = 0; i < 20; i++) {
          await page.keyboard.press('Tab')
          if ((await named()) === name) return
        }
        assert.fail(`${name} is not reached`)
      }
      await tabTo('Give up unfinished uploads after')
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('48')
      await tabTo('Save')
      await page.keyboard.press('Enter')
      await until(async () => (await server.admin.getSettings()).uploads.expire_hours === 48)
    }))
})
