// Users in a real browser: the list, one user, import from a directory, sign-in through a real provider, and what a user
// without permissions sees.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole, signIn } from '../support/browser.ts'
import { answer, CLIENT_SECRET, startDirectory } from '../support/directories.ts'
import { freePort, type Idp, startIdp } from '../support/idp.ts'
import { noBrowser } from '../support/launch.ts'
import { checkReflow } from '../support/reflow.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

let server: TestServer
const inBrowser = inBrowserOf(() => server, { who: null, realTime: true })

describeConsole('users', (engine) => {
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'photos' } })
    await server.admin.createGroup({
      body: { name: 'Photo editors', grants: [{ bucket_pattern: 'photos', preset: 'editor' }] },
    })
  })
  after(() => server.stop())
  let people = 0
  const person = async (group_ids: string[] = [], withPassword = true) => {
    const email = `user${String(++people).padStart(2, '0')}@example.com`
    const password = `password of user ${people}`
    server.secrets.add(password)
    const { id } = await server.admin.createUser({
      body: { email, display_name: `User ${people}`, group_ids, ...(withPassword ? { password } : {}) },
    })
    return { id, email, password }
  }
  const groupNamed = async (name: string) =>
    (await server.admin.listGroups()).items.find((group) => group.name === name)?.id ?? ''

  it('creates a user by keyboard alone, who can sign in', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/admin/users', { expect: [422] })
      await page.getByRole('link', { name: 'Administrator', exact: true }).waitFor()
      const focused = () =>
        page.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.textContent ?? '')
      for (let i = 0; i < 40 && (await focused()) !== 'New user'; i++) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      server.secrets.add('kim knows this one')
      await page.keyboard.type('kim@example.com')
      await page.keyboard.press('Tab')
      await page.keyboard.type('Kim Keys')
      await page.keyboard.press('Tab')
      await page.keyboard.press('ArrowDown')
      await page.getByLabel('Password', { exact: true }).waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.type('kim')
      await page.keyboard.press('Enter')
      await page.getByText('must have 8 to 72 bytes').waitFor()
      await page.keyboard.type(' knows this one')
      const tabTo = async (selector: string) => {
        for (let i = 0; i < 8 && (await page.locator(`${selector}:focus`).count()) === 0; i++)
          await page.keyboard.press('Tab')
      }
      await tabTo('input[type=checkbox]')
      await page.keyboard.press('Space')
      await tabTo('input[aria-haspopup=listbox]')
      await page.keyboard.type('Photo')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await check('user-new')
      for (let i = 0; i < 8 && (await focused()) !== 'Create'; i++) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Kim Keys' }).waitFor()
      const token = await server.login('kim@example.com', 'kim knows this one')
      assert.deepEqual(
        (await server.as(token).me()).groups.map(({ name }) => name),
        ['Photo editors'],
      )
    }))

  it('a choice of groups leaves nothing under the pointer, and full access is asked about', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const { page, check, faults } = await openConsole(browser, server, '/admin/users')
      await page.getByRole('button', { name: 'New user' }).click()
      const dialog = page.getByRole('dialog', { name: 'New user' })
      await dialog.getByLabel('Email').fill('mia@example.com')
      await dialog.getByLabel('Name').fill('Mia Marketing')
      const groups = dialog.getByRole('combobox', { name: 'Groups' })
      await groups.click()
      const option = page.getByRole('option', { name: 'Photo editors' })
      const box = await option.boundingBox()
      assert.ok(box)
      // A double click: its second half must not press what the list covered.
      await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2)
      await page.getByRole('listbox').waitFor({ state: 'hidden' })
      assert.equal(await dialog.count(), 1, 'the dialog is still there')
      await groups.click()
      await page.getByRole('option', { name: 'Administrators' }).click()
      const asked = page.getByRole('dialog', { name: 'Give full access through Administrators?' })
      await asked.waitFor()
      await check('user-full-access')
      await asked.getByRole('button', { name: 'Cancel' }).click()
      await asked.waitFor({ state: 'detached' })
      await server.records([{ action: 'user_create' }, { action: 'invitation_create' }], async () => {
        await dialog.getByRole('button', { name: 'Create' }).click()
        await page.getByRole('button', { name: 'I’ve saved it' }).click()
      })
      const mia = (await server.admin.listUsers({ query: { q: 'mia@' } })).items[0]
      assert.deepEqual(
        mia?.groups.map(({ name }) => name),
        ['Photo editors'],
      )
      assert.deepEqual(faults, [])
    }))

  it('are listed, filtered by the address, and changed in bulk', () =>
    inBrowser(async (browser) => {
      const first = await person()
      const second = await person([], false)
      await person([await groupNamed('Photo editors')])
      await signIn(browser, server)
      const opened = await openConsole(browser, server, '/admin/users')
      const { page, check, faults } = opened
      await page.getByRole('link', { name: 'User 1', exact: true }).waitFor()
      await check('users')
      await checkReflow(opened, 'users')
      await page.getByLabel('Filter by email or name').fill('user0')
      await page.waitForURL('**/admin/users?q=user0')
      await page.getByRole('link', { name: 'Kim Keys' }).waitFor({ state: 'detached' })
      await page.getByLabel('Select user01@example.com').check()
      await page.getByLabel('Select user02@example.com').check()
      await page.getByText('2 users selected').waitFor()
      await check('users-selected')
      await page.getByRole('button', { name: 'Add to groups…' }).click()
      await page.getByRole('dialog').getByRole('combobox', { name: 'Groups' }).click()
      await page.getByRole('option', { name: 'Photo editors' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
      await until(
        async () => (await server.admin.getUser({ params: { id: second.id } })).groups[0]?.name === 'Photo editors',
      )
      await page.getByText('2 users selected').waitFor({ state: 'detached' })

      const token = await server.login(first.email, first.password)
      await page.getByLabel('Select user01@example.com').check()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('dialog').getByText(first.email).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
      await until(() =>
        server
          .as(token)
          .me()
          .then(
            () => false,
            () => true,
          ),
      )
      await page.getByText('1 user selected').waitFor({ state: 'detached' })
      await page.getByLabel('Select all on this page').check()
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByRole('dialog').getByText('Disable 3 users?').waitFor()
      await check('users-deactivate')
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
      await page.getByText('3 users updated').waitFor()
      await page.getByRole('radiogroup').getByText('Active').click()
      await page.getByText('No results for').waitFor()
      await page.getByRole('radiogroup').getByText('Disabled').click()
      await page.getByRole('link', { name: 'User 2', exact: true }).waitFor()
      assert.ok(page.url().includes('state=disabled'))
      assert.deepEqual(faults, [])
    }))

  it('one user: profile, password, groups, permissions, tokens, activity', () =>
    inBrowser(async (browser) => {
      const ada = await person()
      await signIn(browser, server)
      const opened = await openConsole(browser, server, `/admin/users/${ada.id}`, { expect: [409, 422] })
      const { page, check, shot } = opened
      await page.getByText('doesn’t belong to a group yet').waitFor()
      await check('user-no-group')
      await page.getByLabel('Email').fill(ADMIN.email)
      await page.getByRole('form', { name: 'Profile' }).getByRole('button', { name: 'Save' }).click()
      await page.getByText('already exists').waitFor()
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
      await page.getByRole('form', { name: 'Profile' }).getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
      await page.getByRole('button', { name: 'Change password' }).click()
      server.secrets.add('another one of ada')
      await page.getByLabel('New password').fill('another one of ada')
      await page.getByLabel('Must change it at the next sign-in').uncheck()
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByText('Password saved').waitFor()
      const token = await server.login('ada@example.com', 'another one of ada')
      await page.getByLabel('Subject ID').fill('ada-at-provider')
      await page.getByRole('button', { name: 'Link', exact: true }).click()
      await page.getByText('No identity provider is configured').waitFor()
      await checkReflow(opened, 'user')

      await page.getByRole('button', { name: 'Choose groups' }).click()
      await page.getByRole('combobox', { name: 'Add to groups' }).click()
      await page.getByRole('option', { name: 'Photo editors' }).click()
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('button', { name: 'Remove from Photo editors' }).waitFor()
      await page.getByText('doesn’t belong to a group yet').waitFor({ state: 'detached' })
      await check('user-groups')
      await page.getByRole('tab', { name: 'Permissions' }).click()
      await page.getByText('write on photos: allowed by Photo editors').waitFor({ state: 'attached' })
      await page.getByText('share on photos: not allowed').waitFor({ state: 'attached' })
      await page.getByRole('combobox', { name: 'Bucket', exact: true }).fill('photos')
      await page.getByText('Allowed', { exact: true }).waitFor()
      await check('user-permissions')
      await checkReflow(opened, 'user-permissions')

      const pat = await server.as(token).createToken({ body: { name: 'backup', expires_in: '90d' } })
      await server.as(token).createToken({ body: { name: 'ci' } })
      await page.getByRole('tab', { name: 'Tokens' }).click()
      await page.getByRole('button', { name: 'Revoke backup' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('backup revoked').waitFor()
      await page.getByRole('button', { name: 'Revoke backup' }).waitFor({ state: 'detached' })
      await check('user-tokens')
      await assert.rejects(server.as(pat.token).me())
      await page.getByRole('tab', { name: 'Activity' }).click()
      await page.getByText('token_create').first().waitFor()
      await check('user-activity')

      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
      await page.getByText('Ada Lovelace is disabled').waitFor()
      await page.getByRole('button', { name: 'Enable' }).click()
      await page.getByRole('button', { name: 'Disable' }).waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await shot('user-menu')
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete ada@example.com?' })
      await dialog.getByText('Revokes 1 access token.').waitFor()
      await dialog.getByText('Removes them from 1 group.').waitFor()
      await check('user-delete')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.waitForURL('**/admin/users')
      await assert.rejects(server.admin.getUser({ params: { id: ada.id } }))
    }))

  it('keeps the last administrator, and no one removes their own administrator access', () =>
    inBrowser(async (browser) => {
      const me = await server.admin.me()
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, `/admin/users/${me.id}`, { expect: [409] })
      await page.getByRole('button', { name: 'Disable' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Disable' }).isDisabled(), true)
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByText('no active administrator could log in').waitFor()
      await check('user-last-admin')
      await page.getByRole('tab', { name: /Groups/ }).click()
      const leave = page.getByRole('button', { name: 'Remove from Administrators' })
      await leave.waitFor()
      assert.equal(await leave.isDisabled(), true)
      assert.equal((await server.admin.me()).is_admin, true)
    }))

  it('tells users without a group whom to ask, and keeps them out of /admin', () =>
    inBrowser(async (browser) => {
      const eve = await person()
      await signIn(browser, server, eve)
      const opened = await openConsole(browser, server, '/buckets')
      const { page, check } = opened
      await page.getByText('belong to a group yet').waitFor()
      await page.getByText(eve.email).waitFor()
      await check('zero-group')
      await checkReflow(opened, 'zero-group')
      const nav = await page.getByRole('navigation').getByRole('link').allInnerTexts()
      assert.ok(!nav.includes('Users') && !nav.includes('Settings'))
      assert.equal(await page.getByText('Administration').count(), 0)
      const places = ['users', 'users/import', `users/${eve.id}`, 'groups', `groups/${eve.id}`, 'settings']
      for (const place of places) {
        await page.goto(`${server.url}/console/admin/${place}`)
        await page.getByText('You don’t have permission to view this').waitFor()
      }
      await check('forbidden')
    }))
})

describe('console: users from an identity provider', { skip: noBrowser }, () => {
  let idp: Idp
  before(async () => {
    const port = String(await freePort())
    idp = await startIdp([`http://127.0.0.1:${port}/api/v1/auth/callback`])
    server = await startServer('postgres', {
      ...idp.env,
      IDP_NAME: 'Acme',
      PORT: port,
      HOST: '127.0.0.1',
      PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    })
    server.clock.advance(Date.now() - server.clock.now().getTime())
    await server.later(0)
  })
  after(async () => {
    for (const secret of idp.secrets) server.secrets.add(secret)
    await server.stop()
    await idp.stop()
  })

  it('signs in through the provider, at first without a group', () =>
    inBrowser(async (browser) => {
      await server.admin.updateSettings({ body: { auth: { auto_create_users: true } } })
      idp.accounts.set('noor', { sub: 'noor', email: 'noor@example.com', name: 'Noor' })
      // Who sits in front of the browser, as far as the provider is concerned.
      await browser.context.route(`${idp.issuer}/**`, (route) =>
        route.continue({ headers: { ...route.request().headers(), 'x-account': 'noor' } }),
      )
      const { page, faults } = await openConsole(browser, server, '/login?next=/tokens', { expect: [401] })
      await page.getByRole('button', { name: 'Continue with Acme' }).click()
      await page.waitForURL(`${server.url}/console/tokens`)
      await page.goto(`${server.url}/console/buckets`)
      await page.getByText('belong to a group yet').waitFor()
      assert.deepEqual(
        faults.filter((fault) => !fault.startsWith(`foreign ${idp.issuer}`)),
        [],
      )
      assert.ok(!(await page.evaluate(() => location.href)).includes('code='))
      const noor = (await server.admin.listUsers({ query: { q: 'noor' } })).items[0]
      assert.equal(noor?.idp_subject, 'noor')
      const group = await server.admin.createGroup({
        body: { name: 'Makers', grants: [{ bucket_pattern: 'noor-*', preset: 'owner' }] },
      })
      await server.admin.addMembers({ params: { id: group.id }, body: { user_ids: [noor?.id ?? ''] } })
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByRole('button', { name: 'New bucket' }).first().waitFor()
    }))

  it('explains a cancelled sign-in at the provider and a missing account', () =>
    inBrowser(async (browser) => {
      await server.admin.updateSettings({ body: { auth: { auto_create_users: false } } })
      const { page } = await openConsole(browser, server, '/login', { expect: [401, 403] })
      await page.getByRole('button', { name: 'Continue with Acme' }).click()
      await page.getByText('Sign-in failed').waitFor()
      idp.accounts.set('ola', { sub: 'ola', email: 'ola@example.com', name: 'Ola' })
      await browser.context.route(`${idp.issuer}/**`, (route) =>
        route.continue({ headers: { ...route.request().headers(), 'x-account': 'ola' } }),
      )
      await page.getByRole('link', { name: 'Back to sign-in' }).click()
      await page.getByRole('button', { name: 'Continue with Acme' }).click()
      await page.getByText(/no account/i).waitFor()
      assert.equal((await server.admin.listUsers({ query: { q: 'ola' } })).items.length, 0)
    }))

  it('finds users in the directory, imports them and adds them to groups', async () => {
    const directory = await startDirectory('scim2', [
      { id: 'd-1', username: 'dana', first: 'Dana', last: 'Dale', email: 'dana@example.com' },
      { id: 'd-2', username: 'dan', first: 'Dan', last: 'Dover', email: 'dan@example.com', enabled: false },
      { id: 'd-3', username: 'daisy', first: 'Daisy', last: 'Day', email: null },
      { id: 'd-4', username: 'dara', first: 'Dara', last: 'Dale', email: 'dara@example.com' },
    ])
    server.secrets.add(CLIENT_SECRET)
    await inBrowser(async (browser) => {
      await signIn(browser, server)
      const opened = await openConsole(browser, server, '/admin/users/import', { expect: [501, 502, 503, 504] })
      const { page, check } = opened
      await page.getByText('Enter at least 2 characters').waitFor()
      await page.getByLabel('Search the directory').fill('d')
      await page.getByText('Enter at least 2 characters').waitFor()
      await page.getByLabel('Search the directory').fill('da')
      await page.getByText('No directory set up').waitFor()
      await check('import-not-configured')
      assert.equal(directory.requests.length, 0)
      const { url, tokenUrl, clientId } = directory.settings
      await server.admin.updateSettings({
        body: {
          directory: { kind: 'scim2', url, token_url: tokenUrl, client_id: clientId, client_secret: CLIENT_SECRET },
        },
      })
      directory.faults.push(answer(500), answer(500), answer(500), answer(500), answer(500))
      await page.getByLabel('Search the directory').fill('dal')
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await check('import-unreachable')
      directory.faults.length = 0
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByLabel('Dana Dale').waitFor()
      await page.getByLabel('Search the directory').fill('da')
      await page.getByText('Disabled in the directory').waitFor()
      assert.equal(await page.getByLabel('Dan Dover').isDisabled(), true)
      assert.equal(await page.getByLabel('Daisy Day').isDisabled(), true)
      await page.getByLabel('Dana Dale', { exact: true }).check()
      // What was picked stays while something else is searched for.
      await page.getByLabel('Search the directory').fill('dara')
      await page.getByLabel('Dana Dale', { exact: true }).waitFor({ state: 'detached' })
      await page.getByLabel('Dara Dale', { exact: true }).check()
      await check('import')
      await checkReflow(opened, 'import')
      await page.getByRole('button', { name: 'Import 2 users' }).click()
      await page.getByText('Choose groups for 2 users').waitFor()
      await page.getByRole('combobox', { name: 'Groups' }).click()
      await page.getByRole('option', { name: 'Makers' }).click()
      await page.keyboard.press('Escape')
      await check('import-groups')
      await page.getByRole('button', { name: 'Add to these groups' }).click()
      await page.waitForURL('**/admin/users')
      await page.getByRole('link', { name: 'Dana Dale' }).waitFor()
      const [dana] = (await server.admin.listUsers({ query: { q: 'dana' } })).items
      assert.deepEqual([dana?.idp_subject, dana?.groups.map(({ name }) => name)], ['d-1', ['Makers']])
      await page.goto(`${server.url}/console/admin/users/import?q=dana`)
      await page.getByText('Already imported').waitFor()
    })
  })
})
