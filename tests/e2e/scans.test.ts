// Scans of attached buckets in a real browser: what they found, what they cannot show, and those that are held.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type FakeEngine, startFakeEngine } from '../attached/fake-engine.ts'
import { type Site, siteOf } from '../attached/site.ts'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { checkViews } from '../support/views.ts'

const DAY_MS = 86_400_000
const OBJECTS = 130

describeConsole('scans', (engine) => {
  let server: TestServer
  let fake: FakeEngine
  let site: Site
  let bucket: string
  before(async () => {
    server = await startServer(engine)
    fake = await startFakeEngine()
    site = siteOf(server)
    for (let i = 0; i < OBJECTS; i++) fake.put(`log/${String(i).padStart(3, '0')}.txt`, `line ${i}`)
    fake.put('cold.txt', 'cold', { storageClass: 'DEEP_ARCHIVE' })
    fake.put('film.mp4', 'not a film', { storageClass: 'GLACIER', type: 'video/mp4' })
    fake.put(Buffer.from([0x6c, 0x6f, 0x67, 0xff, 0xfe]), 'no text')
    const storage = await site.storage({
      endpoint: fake.endpoint,
      bucket: fake.bucket,
      prefix: '',
      access_key_id: 'reader',
      secret_access_key: 'the secret of a reader',
    })
    bucket = await site.attach(storage)
    await site.finishScan(bucket)
  })
  after(async () => {
    await server.stop()
    await fake.stop()
  })
  const inBrowser = inBrowserOf(() => server)

  it('shows what a scan found and what cannot be shown, and starts another one', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}`)
      await page.getByRole('link', { name: 'Scans' }).click()
      const first = page.getByRole('row').filter({ hasText: 'First scan' })
      await first.getByText('1 can’t be shown').waitFor()
      await first.getByRole('button').click()
      await page.getByText('The key is not UTF-8.').waitFor()
      await check('scans-refused')
      fake.put('log/new.txt', 'new')
      fake.put('log/001.txt', 'changed')
      await server.records(
        [
          { action: 'external_change', bucket, key: 'log/new.txt' },
          { action: 'external_change', bucket, key: 'log/001.txt' },
          { action: 'scan', bucket },
        ],
        async () => {
          await page.getByRole('button', { name: 'Scan now' }).click()
          await page.getByText('Scan started').waitFor()
          await page.getByRole('cell', { name: /1 new · 1 changed/ }).waitFor()
        },
      )
      await check('scans')
      assert.deepEqual(faults, [])
    }))

  it('says that an object is archived, where it is opened and where it is downloaded', () =>
    inBrowser(async (browser) => {
      const expect = [409]
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}?sel=cold.txt`, { expect })
      const contents = page.locator('.contents')
      await contents.getByText(/archive/i).waitFor()
      await check('attached-archived')
      await page.getByRole('button', { name: 'Download' }).click()
      await page.getByRole('alert').getByText('The object is archived').waitFor()
      await page.goto(`${server.url}/console/b/${bucket}?sel=film.mp4`)
      await contents.getByText(/archive/i).waitFor()
      assert.deepEqual(faults, [])
    }))

  it('shows a held scan with what it would mark, and marks it once it is confirmed', async () => {
    for (let i = 10; i < OBJECTS; i++) fake.delete(`log/${String(i).padStart(3, '0')}.txt`)
    assert.equal((await site.scan(bucket)).status, 'held')
    await inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/buckets')
      const dialog = page.getByRole('dialog')
      await page.getByRole('link', { name: 'Scan held' }).waitFor()
      await check('buckets-held')
      await page.getByRole('link', { name: 'Scan held' }).click()
      const held = page.getByRole('region', { name: 'A scan was held: many objects are missing' })
      await held.getByText('Nothing was marked as missing').waitFor()
      const rows = held.getByRole('table').getByRole('row')
      await rows.nth(20).waitFor()
      assert.equal(await rows.count(), 1 + 20)
      await held.getByRole('button', { name: 'Load more' }).click()
      await held.getByText('log/030.txt').waitFor()
      await check('scans-held')
      await held.getByRole('button', { name: 'Confirm scan…' }).click()
      await dialog.getByText('Mark 120 objects as missing?').waitFor()
      await check('scans-confirm')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await held.getByRole('button', { name: 'Confirm scan…' }).click()
      await dialog.getByRole('button', { name: 'Mark as missing' }).click()
      await page.getByText('Scan confirmed').waitFor()
      await held.waitFor({ state: 'detached' })
      const row = page.getByRole('row').filter({ hasText: '120 missing' })
      await row.getByText('Succeeded').waitFor()
      await row.getByRole('button').click()
      await page.getByText('Confirmed by').waitFor()
      await check('scans-confirmed')
      assert.equal(await page.getByRole('link', { name: 'Scan held' }).count(), 0)
      assert.equal((await site.missing(bucket)).length, 120)
      assert.deepEqual(faults, [])
    })
  })

  it('says what is wrong with a list that is empty, out of order or incomplete', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/404', { expect: [404] })
      for (const [lies, words, confirmable] of [
        [{ listsNothing: true }, 'the engine lists no objects', true],
        [{ listsOutOfOrder: true }, 'the engine’s list isn’t in order', false],
        [{ answers500: true }, 'the engine’s list is incomplete', false],
      ] as const) {
        fake.lies = lies
        await site.scan(bucket)
        fake.lies = {}
        await page.goto(`${server.url}/console/b/${bucket}/scans`)
        await page.getByRole('heading', { name: `A scan was held: ${words}` }).waitFor()
        assert.equal(await page.getByRole('button', { name: 'Confirm scan…' }).count(), confirmable ? 1 : 0)
        await check(`scans-held-${Object.keys(lies)[0]}`)
      }
      assert.deepEqual(faults, [])
    }))

  it('lets those who manage the bucket look and scan, and no others', async () => {
    fake.lies = { listsNothing: true }
    await site.scan(bucket)
    fake.lies = {}
    for (const [name, preset] of [
      ['owner', 'owner'],
      ['viewer', 'viewer'],
    ] as const) {
      const { id } = await server.admin.createGroup({ body: { name, grants: [{ bucket_pattern: '*', preset }] } })
      const who = { email: `${name}@example.com`, password: `a password of the ${name}` }
      server.secrets.add(who.password)
      await server.admin.createUser({ body: { ...who, display_name: name, group_ids: [id] } })
      await inBrowser(
        async (browser) => {
          const { page, check, faults } = await openConsole(browser, server, '/buckets')
          await page.getByText('Read-only').waitFor()
          assert.equal(await page.getByRole('link', { name: 'Attach bucket' }).count(), 0)
          await page.goto(`${server.url}/console/b/${bucket}/scans`)
          if (name === 'viewer') {
            await page.getByText('Requires the “manage” permission on this bucket.').waitFor()
            assert.equal(await page.getByRole('link', { name: 'Scans' }).count(), 0)
          } else {
            await page.getByText('Only administrators can confirm it.').waitFor()
            assert.ok(await page.getByRole('button', { name: 'Scan now' }).isEnabled())
            assert.equal(await page.getByRole('button', { name: 'Confirm scan…' }).count(), 0)
            await page.goto(`${server.url}/console/b/${bucket}/settings`)
            await page.getByText('Only administrators can release it.').waitFor()
            assert.ok(await page.getByRole('button', { name: 'Release bucket' }).isDisabled())
          }
          await check(`scans-${name}`)
          await page.goto(`${server.url}/console/buckets/attach`)
          await page.getByText('You don’t have permission to view this').waitFor()
          assert.deepEqual(faults, [])
        },
        { who },
      )
    }
  })

  it('explains an engine without ETags; has room for longer texts, on a phone too', async () => {
    await server.later(DAY_MS)
    fake.lies = { noEtags: true }
    await site.scan(bucket)
    const views = [[`/b/${bucket}/scans`, 'main:has(#bucket-source ~ .warn) .list-table .status']] as const
    const words = [bucket, fake.bucket, 'engine-1', 'UTF-8', 'log', 'The storage does not list']
    await checkViews({ inBrowser, server, views, words, name: 'scans-weak' })
  })

  it('records none, some or all of the changes by others, as the settings say', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/admin/settings?tab=audit')
      await page.getByRole('combobox', { name: 'Record changes in attached buckets' }).click()
      await page.getByRole('option', { name: 'All', exact: true }).waitFor()
      await check('settings-external-changes')
      await page.getByRole('option', { name: 'Off', exact: true }).click()
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Audit log settings saved').waitFor()
      })
      assert.equal((await server.admin.getSettings({})).audit.external_changes, 'off')
      assert.deepEqual(faults, [])
    }))
})
