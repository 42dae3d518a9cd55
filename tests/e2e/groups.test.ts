// Groups and their permissions in a real browser, and the effect of a change before it is saved.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ProblemError } from '../../client/derived.ts'
import { inBrowserOf, openConsole, signIn } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describe('console: groups', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
    for (const name of ['photos', 'logs-2026', 'logs-2027']) await server.admin.createBucket({ body: { name } })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { who: null, realTime: true })
  let people = 0
  const person = async (group_ids: string[] = []) => {
    const email = `grouped${++people}@example.com`
    const password = `password of grouped ${people}`
    server.secrets.add(password)
    const { id } = await server.admin.createUser({
      body: { email, display_name: `Grouped ${people}`, password, group_ids },
    })
    return { id, email, password }
  }

  it('creates a group, adds members and permissions, and shows what will change', () =>
    inBrowser(async (browser) => {
      const kim = await person()
      await signIn(browser, server)
      const opened = await openConsole(browser, server, '/admin/groups')
      const { page, check, faults } = opened
      await page.getByRole('link', { name: 'Administrators' }).waitFor()
      await check('groups')
      await page.getByRole('button', { name: 'New group' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Editors')
      await page.getByLabel('Description').fill('They look after the photos')
      await check('group-new')
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
      await page.waitForURL('**/admin/groups/*?tab=permissions')
      await page.getByRole('heading', { name: 'Editors', level: 1 }).waitFor()

      await page.getByRole('button', { name: 'Add permission' }).click()
      await page.getByRole('combobox', { name: 'Bucket, Row 1' }).fill('Not A Name')
      await page.getByText('up to three').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
      await page.getByRole('combobox', { name: 'Bucket, Row 1' }).fill('photos')
      await page.getByRole('button', { name: 'Add permission' }).click()
      await page.getByRole('combobox', { name: 'Bucket, Row 2' }).fill('logs-*')
      await page.getByLabel('Prefix, Row 2').fill('team/')
      await page.getByRole('combobox', { name: 'Preset, Row 1' }).click()
      await page.getByRole('option', { name: 'editor' }).click()
      await page.getByLabel('read on logs-*/team/').uncheck()
      const diff = page.getByRole('region', { name: 'Review changes' })
      await diff.getByText('adds write on photos').waitFor()
      await diff.getByText('adds list on logs-*/team/').waitFor()
      await check('group-permissions-diff')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Permissions saved').waitFor()
      const group = (await server.admin.listGroups()).items.find(({ name }) => name === 'Editors')
      assert.deepEqual(
        group?.grants.map(({ id: _, ...grant }) => grant),
        [
          { bucket_pattern: 'photos', prefix: '', actions: ['list', 'read', 'write', 'delete'], preset: 'editor' },
          { bucket_pattern: 'logs-*', prefix: 'team/', actions: ['list'], preset: null },
        ],
      )
      await page.getByLabel('delete on photos').uncheck()
      await diff.getByText('removes delete on photos').waitFor()
      await page.getByRole('tab', { name: /Members/ }).click()
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      assert.ok(page.url().endsWith('tab=permissions'), 'still there')
      await page.getByRole('button', { name: 'Discard' }).click()

      await page.getByRole('tab', { name: /Members/ }).click()
      await page.getByText('No members yet').waitFor()
      await page.getByRole('button', { name: 'Add members' }).click()
      await page.getByLabel('Find users by email or name').fill(kim.email.slice(0, 8))
      await page.getByRole('checkbox', { name: kim.email }).check()
      await check('group-add-members')
      await page.getByRole('button', { name: 'Add 1 user' }).click()
      await page.getByRole('link', { name: 'Grouped' }).waitFor()
      await check('group-members')
      assert.deepEqual(
        (await server.admin.getUser({ params: { id: kim.id } })).groups.map(({ name }) => name),
        ['Editors'],
      )
      await page.getByRole('button', { name: `Remove ${kim.email}` }).click()
      await page.getByText('No members yet').waitFor()
      const removed = page.getByRole('status').filter({ hasText: '1 member removed' })
      await removed.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: 'Grouped' }).waitFor()
      for (const [at, name] of [
        ['', 'members'],
        ['?tab=permissions', 'permissions'],
      ] as const) {
        await page.goto(`${server.url}/console/admin/groups/${group?.id}${at}`)
        await page.getByRole('heading', { name: 'Editors' }).waitFor()
        if (at) await page.getByRole('combobox', { name: 'Bucket, Row 2' }).waitFor()
        await checkReflow(opened, `group-${name}`)
      }
      assert.deepEqual(faults, [])
    }))

  it('undoes a change of permissions, unless somebody has changed them since', () =>
    inBrowser(async (browser) => {
      const grant = { bucket_pattern: 'photos', actions: ['list' as const, 'read' as const, 'delete' as const] }
      const group = await server.admin.createGroup({ body: { name: 'Undone', grants: [grant] } })
      const params = { id: group.id }
      const actions = async () => (await server.admin.getGroup({ params })).grants.map((one) => one.actions)
      await signIn(browser, server)
      const { page, faults } = await openConsole(browser, server, `/admin/groups/${group.id}?tab=permissions`)
      const save = async () => {
        await page.getByLabel('delete on photos').uncheck()
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Permissions saved').waitFor()
      }
      await save()
      assert.deepEqual(await actions(), [['list', 'read']])
      await server.records([{ action: 'group_update' }], async () => {
        await page.getByRole('button', { name: 'Undo' }).click()
        await page.getByText('Change undone').waitFor()
      })
      assert.deepEqual(await actions(), [grant.actions])
      await save()
      await server.admin.updateGroup({ params, body: { grants: [{ ...grant, actions: ['list'] }] } })
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Undo' }).click()
        await page.getByText('Someone changed it after you.').waitFor()
      })
      assert.deepEqual(await actions(), [['list']])
      assert.deepEqual(faults, [])
    }))

  it('chooses a folder for a permission, and says what a prefix without a slash matches besides', () =>
    inBrowser(async (browser) => {
      for (const key of ['customers/acme/a.txt', 'customers/acme-old/b.txt', 'customers/zen/c.txt'])
        await server.admin.putObjectByQuery({ params: { bucket: 'photos' }, query: { key }, body: 'x' })
      const group = await server.admin.createGroup({ body: { name: 'Account managers' } })
      await signIn(browser, server)
      const opened = await openConsole(browser, server, `/admin/groups/${group.id}?tab=permissions`)
      const { page, check, faults } = opened
      await page.getByRole('button', { name: 'Add permission' }).click()
      const choose = page.getByRole('button', { name: 'Choose folder, Row 1' })
      assert.equal(await choose.isDisabled(), true)
      await page.getByRole('combobox', { name: 'Bucket, Row 1' }).fill('photos')
      const prefix = page.getByLabel('Prefix, Row 1')
      await prefix.fill('customers/acme')
      await page.getByText('Also matches files and folders that start with “acme”, such as acme-old/').waitFor()
      await check('group-loose-prefix')
      await checkReflow(opened, 'group-loose-prefix')
      await page.getByRole('button', { name: 'Add /, Row 1' }).click()
      assert.equal(await prefix.inputValue(), 'customers/acme/')
      assert.equal(await page.getByText('Also matches').count(), 0)

      await choose.click()
      const dialog = page.getByRole('dialog', { name: 'Choose folder' })
      await dialog.getByRole('button', { name: 'customers', exact: true }).click()
      await dialog.getByRole('button', { name: 'zen', exact: true }).click()
      await dialog.getByText('No folders here').waitFor()
      await check('group-choose-folder')
      await dialog.getByRole('button', { name: 'Use customers/zen/' }).click()
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await prefix.inputValue(), 'customers/zen/')
      assert.ok(await page.getByLabel('read on photos/customers/zen/').isChecked(), 'a new row starts with something')
      await page.getByLabel('list on photos/customers/zen/').uncheck()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Permissions saved').waitFor()
      const { grants } = await server.admin.getGroup({ params: { id: group.id } })
      assert.deepEqual(
        grants.map(({ bucket_pattern, prefix, actions }) => [bucket_pattern, prefix, actions]),
        [['photos', 'customers/zen/', ['read']]],
      )

      // A new folder is only named: nothing is saved yet.
      await page.getByLabel('list on photos/customers/zen/').check()
      await choose.click()
      await dialog.getByRole('button', { name: 'New folder' }).click()
      await dialog.getByLabel('Folder name').fill('next')
      await server.records([], async () => {
        await page.keyboard.press('Enter')
        await dialog.getByRole('button', { name: 'Use customers/zen/next/' }).click()
        assert.equal(await prefix.inputValue(), 'customers/zen/next/')
      })

      // A pattern has the folders of each bucket that matches.
      await page.getByRole('combobox', { name: 'Bucket, Row 1' }).fill('logs-*')
      await choose.click()
      await dialog.getByRole('combobox', { name: 'Bucket' }).click()
      await page.getByRole('option', { name: 'logs-2027' }).click()
      await dialog.getByRole('button', { name: 'Use the whole bucket' }).click()
      assert.equal(await prefix.inputValue(), '')
      assert.deepEqual(faults, [])
    }))

  it('applies a granted and a removed permission without a new sign-in', () =>
    inBrowser(async (browser) => {
      const group = await server.admin.createGroup({ body: { name: 'Watchers' } })
      const lee = await person([group.id])
      await signIn(browser, server, lee)
      const { page, check } = await openConsole(browser, server, '/buckets', { expect: [403] })
      await page.getByText('groups don’t grant you any permissions yet').waitFor()
      await check('zero-rights')
      await server.admin.updateGroup({
        params: { id: group.id },
        body: { grants: [{ bucket_pattern: 'photos', preset: 'editor' }], global: ['users.manage'] },
      })
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByRole('link', { name: 'photos' }).waitFor()
      await page.getByRole('link', { name: 'Users' }).click()
      await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
      // Taken away while they look: the next refusal tells the page.
      await server.admin.updateGroup({ params: { id: group.id }, body: { grants: [], global: [] } })
      await page.getByLabel('Filter by email or name').fill('kim')
      await page.getByText('You don’t have permission to view this').waitFor()
      await page.getByRole('navigation').getByRole('link', { name: 'Users' }).waitFor({ state: 'detached' })
      await check('users-forbidden')
      await page.getByRole('link', { name: 'Buckets' }).click()
      await page.getByText('groups don’t grant you any permissions yet').waitFor()
      // Coming back to the page is enough.
      await server.admin.updateGroup({
        params: { id: group.id },
        body: { grants: [{ bucket_pattern: 'logs-*', preset: 'viewer' }] },
      })
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
      await page.getByRole('link', { name: 'logs-2026' }).waitFor()
    }))

  it('hides a bucket on the next refresh when its permission is removed', () =>
    inBrowser(async (browser) => {
      const grants = [{ bucket_pattern: 'photos', preset: 'editor' as const }]
      const group = await server.admin.createGroup({ body: { name: 'For a while', grants } })
      const params = { bucket: 'photos', key: 'while/open.txt' }
      await server.admin.putObject({ params, body: 'x', headers: { 'content-type': 'text/plain' } })
      await signIn(browser, server, await person([group.id]))
      const at = `/b/photos?prefix=while/&sel=${encodeURIComponent(params.key)}`
      const { page, check, faults } = await openConsole(browser, server, at, { expect: [403] })
      const row = page.getByRole('gridcell').getByText('open.txt', { exact: true })
      await row.waitFor()
      await page.getByText('1 object').waitFor()
      await server.admin.updateGroup({ params: { id: group.id }, body: { grants: [] } })
      let asked = 0
      page.on('request', (request) => {
        if (request.url().includes('/browse')) asked++
      })
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByRole('heading', { name: 'You don’t have permission to view this' }).first().waitFor()
      await row.waitFor({ state: 'detached' })
      assert.equal(await page.getByText('1 object').count(), 0)
      await page.getByRole('button', { name: 'Upload' }).waitFor({ state: 'detached' })
      await check('browse-revoked')
      assert.ok(asked <= 3, `it asked ${asked} times`)
      // Given again, it is seen again.
      await server.admin.updateGroup({ params: { id: group.id }, body: { grants } })
      await page.getByRole('button', { name: 'Refresh' }).click()
      await row.waitFor()
      assert.deepEqual(faults, [])
    }))

  it('warns before users remove their own permissions, and does not overwrite another user’s change', () =>
    inBrowser(async (browser) => {
      await server.admin.createGroup({ body: { name: 'Second admins', global: ['admin'] } })
      const group = (await server.admin.listGroups()).items.find(({ name }) => name === 'Second admins')
      const id = group?.id ?? ''
      const sam = await person([id])
      await signIn(browser, server, sam)
      const { page, check } = await openConsole(browser, server, `/admin/groups/${id}?tab=permissions`)
      await page.getByRole('checkbox', { name: /^Administrator/ }).uncheck()
      await page.getByText('You would lose permissions yourself').waitFor()
      await check('group-own-loss')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').getByText('couldn’t undo this').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      assert.deepEqual((await server.admin.getGroup({ params: { id } })).global, ['admin'])

      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('checkbox', { name: /^User manager/ }).check()
      await server.admin.updateGroup({
        params: { id },
        body: { grants: [{ bucket_pattern: 'photos', preset: 'viewer' }] },
      })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Someone else changed this group').waitFor()
      assert.equal((await server.admin.getGroup({ params: { id } })).grants.length, 1, 'theirs stays')
    }))

  it('renames and deletes a group, and protects the built-in group', () =>
    inBrowser(async (browser) => {
      const group = await server.admin.createGroup({ body: { name: 'Leavers' } })
      await person([group.id])
      await person([group.id])
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, `/admin/groups/${group.id}`, { expect: [409] })
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Name', { exact: true }).fill('administrators')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('already exists').waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Gone soon')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Gone soon' }).waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByText('2 members lose its permissions').waitFor()
      await check('group-delete')
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.waitForURL('**/admin/groups')
      assert.ok(!(await server.admin.listGroups()).items.some(({ id }) => id === group.id))

      await page.getByRole('link', { name: 'Administrators' }).click()
      await page.getByText('can’t be deleted').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Remove admin@example.com' }).isDisabled(), true)
      await page.getByRole('tab', { name: 'Permissions' }).click()
      assert.equal(await page.getByRole('checkbox', { name: /^Administrator/ }).isDisabled(), true)
      await check('group-builtin')
    }))

  it('explains who can do what and why, with the question in the address', () =>
    inBrowser(async (browser) => {
      const group = await server.admin.createGroup({
        body: { name: 'Uploaders', grants: [{ bucket_pattern: 'logs-*', prefix: 'in/', preset: 'uploader' }] },
      })
      const ada = await person([group.id])
      await signIn(browser, server)
      const opened = await openConsole(browser, server, '/admin/groups?tab=explain')
      const { page, check } = opened
      await page.getByRole('combobox', { name: 'User' }).fill(ada.email)
      await page.getByRole('option', { name: ada.email }).click()
      await page.getByRole('combobox', { name: 'Bucket', exact: true }).fill('logs-2026')
      await page.getByText('Not allowed').waitFor()
      await page.getByRole('combobox', { name: 'Permission' }).click()
      await page.getByRole('option', { name: /^write/ }).click()
      await page.getByLabel('Key (optional)').fill('in/a.log')
      await page.getByText('Allowed', { exact: true }).waitFor()
      await page.getByRole('list', { name: 'Allowed by' }).getByRole('link', { name: 'Uploaders' }).waitFor()
      await check('explain')
      await checkReflow(opened, 'explain')
      await page.reload()
      await page.getByText('Allowed', { exact: true }).waitFor()
      assert.equal(await page.getByRole('combobox', { name: 'User' }).inputValue(), ada.email)
    }))

  it('lists who has access to a bucket, a folder and an object, and why', () =>
    inBrowser(async (browser) => {
      await server.admin.createBucket({ body: { name: 'plans' } })
      for (const key of ['team/plan.txt', 'team/secret/x.txt', 'other/a.txt'])
        await server.admin.putObject({
          params: { bucket: 'plans', key },
          body: 'x',
          headers: { 'content-type': 'text/plain' },
        })
      const groupOf = async (name: string, prefix: string, preset: 'viewer' | 'editor' | 'owner') =>
        (await server.admin.createGroup({ body: { name, grants: [{ bucket_pattern: 'plans', prefix, preset }] } })).id
      const team = await groupOf('Plan team', 'team/', 'editor')
      const readers = await groupOf('Plan readers', '', 'viewer')
      const owners = await groupOf('Plan owners', '', 'owner')
      const kim = await person([team])
      const lee = await person([readers, team])
      const olga = await person([owners])
      const outsider = await person()
      await signIn(browser, server)
      const opened = await openConsole(browser, server, '/b/plans')
      const { page, check, faults } = opened
      const tabs = page.getByRole('navigation', { name: 'Sections of plans' })
      await tabs.getByRole('link', { name: 'Access', exact: true }).click()
      await page.getByRole('heading', { name: 'Who has access to plans' }).waitFor()
      const rowOf = ({ email }: { email: string }) => page.getByRole('row').filter({ hasText: email })
      await rowOf(kim).getByText('in parts of it: list, read, write, delete').waitFor()
      await rowOf(lee).getByText('in parts of it: write, delete').waitFor()
      await page.getByRole('row').filter({ hasText: 'admin@example.com' }).getByText('Full access').waitFor()
      assert.equal(await rowOf(outsider).count(), 0)
      await check('access-bucket')
      await checkReflow(opened, 'access-bucket')

      // From a folder's menu, by keys.
      await tabs.getByRole('link', { name: 'Objects' }).click()
      await page.getByRole('button', { name: 'Actions for team' }).click()
      await page.getByRole('menuitem', { name: 'Who has access' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Who has access to plans/team/' }).waitFor()
      await rowOf(kim).getByText('list, read, write, delete', { exact: true }).waitFor()
      assert.equal(await page.getByText('in parts of it').count(), 0)
      await check('access-folder')

      // From an object's details.
      await page.getByRole('link', { name: 'Show in folder' }).click()
      await page.getByRole('gridcell').getByText('plan.txt', { exact: true }).click()
      await page.getByRole('link', { name: 'Who has access' }).click()
      await page.getByRole('heading', { name: 'Who has access to plans/team/plan.txt' }).waitFor()
      await rowOf(lee).getByRole('link', { name: 'Plan readers' }).filter({ visible: true }).waitFor()
      await check('access-object')
      await checkReflow(opened, 'access-object')
      await rowOf(kim)
        .getByRole('link', { name: /^Check access of/ })
        .click()
      await page.getByText('Allowed', { exact: true }).waitFor()
      assert.equal(await page.getByLabel('Key (optional)').inputValue(), 'team/plan.txt')
      await page.getByRole('list', { name: 'Allowed by' }).getByRole('link', { name: 'Plan team' }).waitFor()
      await page.goBack()
      await page.getByRole('link', { name: 'Show in folder' }).click()
      await page.getByRole('complementary', { name: 'Contents of plan.txt' }).waitFor()
      assert.deepEqual(faults, [])
      await signIn(browser, server, olga)
      const owner = await openConsole(browser, server, '/b/plans/access?prefix=team%2F')
      await owner.page
        .getByRole('row')
        .filter({ hasText: lee.email })
        .getByText('Plan readers')
        .filter({ visible: true })
        .waitFor()
      assert.equal(await owner.page.getByRole('table').getByRole('link').count(), 0, 'what an owner could not open')
      assert.deepEqual(owner.faults, [])

      await signIn(browser, server, lee)
      const reader = await openConsole(browser, server, '/b/plans/access?key=team%2Fplan.txt')
      await reader.page.getByText('You don’t have permission to view this').waitFor()
      await reader.page.goto(`${server.url}/console/b/plans?prefix=team%2F&sel=team%2Fplan.txt`)
      await reader.page.getByText('Uploaded by').waitFor()
      assert.equal(await reader.page.getByRole('link', { name: /^(Who has access|Access)$/ }).count(), 0)
      assert.deepEqual(reader.faults, [])
    }))

  it('says which statements of policies allow or deny something, to whom, and under which conditions', () =>
    inBrowser(async (browser) => {
      const bucket = 'ruled'
      await server.admin.createBucket({ body: { name: bucket } })
      const readers = await server.admin.createGroup({
        body: { name: 'Ruled readers', grants: [{ bucket_pattern: bucket, preset: 'viewer' }] },
      })
      const nia = await person([readers.id])
      const oli = await person()
      const trust = { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' }
      const documentOf = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement })
      await server.admin.createRole({ body: { name: 'Deploy', trust: documentOf(trust) } })
      await server.admin.attachPolicy({ params: { kind: 'role', owner: 'Deploy', policy: 'aws:writeonly' } })
      const userArn = ({ email }: { email: string }) => ({ AWS: `arn:aws:iam::000000000000:user/${email}` })
      const all = `arn:aws:s3:::${bucket}/*`
      const office = { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } }
      const document = documentOf(
        {
          Sid: 'Office',
          Effect: 'Allow',
          Principal: userArn(oli),
          Action: 's3:GetObject',
          Resource: all,
          Condition: office,
        },
        { Sid: 'Sealed', Effect: 'Deny', Principal: userArn(nia), Action: 's3:GetObject', Resource: all },
      )
      await server.admin.putBucketPolicy({ params: { bucket }, body: { document } })
      await signIn(browser, server)
      const opened = await openConsole(browser, server, `/b/${bucket}/access`)
      const { page, check, faults } = opened
      const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })
      await rowOf(oli.email).getByText('under conditions: read', { exact: true }).waitFor()
      await rowOf(oli.email)
        .getByText(
          `${oli.email} can read objects, on all objects of ruled, if the client’s address is in 192.0.2.0/24.`,
        )
        .filter({ visible: true })
        .waitFor()
      await rowOf(nia.email).getByText('denied by a policy: read', { exact: false }).waitFor()
      await rowOf(nia.email).getByText('Bucket policy, statement Sealed').filter({ visible: true }).waitFor()
      await rowOf('Role Deploy')
        .getByText('Policy writeonly of Deploy, statement 1')
        .filter({ visible: true })
        .waitFor()
      await check('access-policies')
      await checkReflow(opened, 'access-policies')
      assert.deepEqual(faults, [])
    }))

  it('says what a policy allows before it is attached', () =>
    inBrowser(async (browser) => {
      const { id } = await server.admin.createGroup({ body: { name: 'Attached to' } })
      await signIn(browser, server)
      const { page, check, faults } = await openConsole(browser, server, `/admin/groups/${id}?tab=policies`)
      const chosen = page.getByRole('combobox', { name: 'Policy to attach' })
      await chosen.fill('writeonly')
      await page.getByRole('option', { name: 'writeonly' }).click()
      await page.getByText('Can upload and replace objects, everywhere.').waitFor()
      await check('group-policy-chosen')
      await server.records([{ action: 'identity_policy_attach' }], async () => {
        await page.getByRole('button', { name: 'Attach', exact: true }).click()
        await page.getByRole('link', { name: 'writeonly' }).waitFor()
      })
      await page.getByText('Can upload and replace objects, everywhere.').waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    }))

  it('lets user managers manage users and nothing else', () =>
    inBrowser(async (browser) => {
      const managers = await server.admin.createGroup({
        body: {
          name: 'Managers',
          global: ['users.manage'],
          grants: [{ bucket_pattern: 'photos', preset: 'viewer' }],
        },
      })
      const strong = await server.admin.createGroup({
        body: { name: 'Strong', grants: [{ bucket_pattern: '*', preset: 'owner' }] },
      })
      const mia = await person([managers.id])
      await signIn(browser, server, mia)
      const { page, check } = await openConsole(browser, server, `/admin/groups/${strong.id}`)
      await page.getByText('grants permissions you don’t have').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add members' }).isDisabled(), true)
      await check('group-manager')
      await page.getByRole('tab', { name: 'Permissions' }).click()
      await page.getByText('Only administrators can change a group’s permissions').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
      assert.equal(await page.getByLabel('list on *', { exact: true }).isDisabled(), true)
      await check('group-permissions-read-only')
      const nav = await page.getByRole('navigation').getByRole('link').allInnerTexts()
      assert.ok(nav.includes('Users') && nav.includes('Groups') && !nav.includes('Settings'))
      await page.goto(`${server.url}/console/admin/settings`)
      await page.getByText('Requires the “admin” permission').waitFor()
      const token = await server.login(mia.email, mia.password)
      await assert.rejects(server.as(token).getSettings(), (error: ProblemError) => error.problem.code === 'forbidden')
    }))

  it('grants permissions by keyboard alone', () =>
    inBrowser(async (browser) => {
      const group = await server.admin.createGroup({ body: { name: 'By keyboard' } })
      await signIn(browser, server)
      const { page } = await openConsole(browser, server, `/admin/groups/${group.id}?tab=permissions`)
      const named = (name: string) =>
        page.evaluate((name) => {
          const { activeElement: at } = document
          return (at?.getAttribute('aria-label') ?? at?.textContent ?? '').includes(name)
        }, name)
      const tabTo = async (name: string) => {
        for (let i = 0; i < 60; i++) {
          await page.keyboard.press('Tab')
          if (await named(name)) return
        }
        assert.fail(`${name} is not reached`)
      }
      await page.getByRole('button', { name: 'Add permission' }).waitFor()
      await tabTo('Add permission')
      await page.keyboard.press('Enter')
      await tabTo('Bucket, Row 1').catch(async () => {
        for (let i = 0; i < 20 && !(await named('Bucket, Row 1')); i++) await page.keyboard.press('Shift+Tab')
      })
      await page.keyboard.type('photos')
      await page.keyboard.press('Escape')
      await tabTo('read on photos')
      await page.keyboard.press('Space')
      await tabTo('Save')
      await page.keyboard.press('Enter')
      await until(async () => (await server.admin.getGroup({ params: { id: group.id } })).grants.length === 1)
    }))
})
