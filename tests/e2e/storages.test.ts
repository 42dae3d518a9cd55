// Storages in a real browser: their list and tests, buckets on them, and what they look like while one is off or gone.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { startS3 } from '../s3/s3.ts'
import { describeConsole, inBrowserOf, navigate, openConsole } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { checkReflow } from '../support/reflow.ts'
import { STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { checkViews } from '../support/views.ts'

const NOTHING_LISTENS = 'The connection was refused: nothing listens at this address and port.'
/** More than the grace period of blobs. */
const GRACE_MS = 2 * 3_600_000

describeConsole('storages', (engine) => {
  let server: TestServer
  let disks: string
  /** Another service, as an S3 engine. */
  let s3: Awaited<ReturnType<typeof startS3>>
  before(async () => {
    disks = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-disks-'))
    server = await startServer(engine, { ...STORED, STORAGE_FOLDERS: disks })
    s3 = await startS3('sqlite')
    await s3.server.admin.createBucket({ body: { name: 'archive' } })
    // The client of the S3 engine signs at the machine's time.
    await s3.server.later(Date.now() - s3.server.clock.now().getTime())
    server.secrets.add(s3.pair.secret_access_key)
  })
  let stopped = false
  const stopS3 = async () => {
    if (!stopped) await s3.server.stop()
    stopped = true
  }
  after(async () => {
    await server.stop()
    await stopS3()
    fs.rmSync(disks, { recursive: true, force: true })
  })
  const inBrowser = inBrowserOf(() => server)
  const choose = async (page: Page, name: string, option: string) => {
    await page.getByRole('combobox', { name }).or(page.getByRole('textbox', { name })).first().click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const fillS3 = async (page: Page, { secret = s3.pair.secret_access_key } = {}) => {
    await page.getByLabel('Name', { exact: true }).fill('cloud')
    await page.getByLabel('Endpoint').fill(s3.world.url.origin)
    await page.getByLabel('Bucket', { exact: true }).fill('archive')
    await page.getByLabel('Region').fill('eu-central-1')
    await page.getByLabel('Access key ID').fill(s3.pair.access_key_id)
    await page.getByLabel('Secret access key').fill(secret)
  }

  it('says what is wrong with a storage that is not one', () =>
    inBrowser(async (browser) => {
      const expect = [409, 422]
      const { page, check, faults } = await openConsole(browser, server, '/admin/storages', { expect })
      const row = page.getByRole('row', { name: /^default/ })
      await row.getByText('Default', { exact: true }).waitFor()
      await row.getByText('Reachable').waitFor()
      await check('storages-default')
      await page.getByRole('link', { name: 'Add storage' }).click()
      const [test, add] = [
        page.getByRole('button', { name: 'Test' }),
        page.getByRole('button', { name: 'Add storage' }),
      ]
      assert.ok(await test.isDisabled())
      assert.ok(await add.isDisabled())
      await check('storage-new')
      await page.getByLabel('Name', { exact: true }).fill('Cloud_1')
      await page.getByText('Use up to 63 lowercase letters').waitFor()
      await fillS3(page)
      await page.getByLabel('Endpoint').fill('s3.example.org')
      await page.getByLabel('Secret access key').fill('')
      await test.click()
      await page.locator('.mantine-InputWrapper-error').first().waitFor()
      await check('storage-wrong')
      await fillS3(page)
      await page.getByLabel('Endpoint').fill('http://127.0.0.1:1')
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByText('Test failed').waitFor()
      const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem')
      assert.equal(await checks.count(), 9)
      assert.equal(await checks.first().textContent(), `FailedConnection${NOTHING_LISTENS}`)
      assert.equal(await checks.getByText('Skipped').count(), 8)
      await check('storage-test-failed')
      await add.click()
      await page.getByRole('alert').getByText(NOTHING_LISTENS).waitFor()
      await check('storage-refused')
      assert.equal((await server.admin.listStorages()).items.length, 1)
      assert.deepEqual(faults, [])
    }))

  it('adds an S3 storage, shows what is there, and changes how it is reached', () =>
    inBrowser(async (browser) => {
      const expect = [409]
      for (const key of ['2025/ledger.pdf', '2026/ledger.pdf', 'readme.txt'])
        await s3.server.admin.putObject({ params: { bucket: 'archive', key }, body: `contents of ${key}` })
      const { page, check, faults } = await openConsole(browser, server, '/admin/storages/_new', { expect })
      await fillS3(page)
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByRole('table', { name: 'First objects' }).getByText('2026/ledger.pdf').waitFor()
      await check('storage-tested')
      await page.getByLabel('Prefix').fill('strongroom')
      await page.getByText('The settings have changed since this test.').waitFor()
      await server.records([{ action: 'storage_create' }], async () => {
        await page.getByRole('button', { name: 'Add storage' }).click()
        await page.getByRole('heading', { name: 'cloud' }).waitFor()
      })
      await page.getByText('Storage cloud added').waitFor()
      await page.getByText('Reachable').waitFor()
      assert.equal((await page.content()).includes(s3.pair.secret_access_key), false)
      await check('storage-s3')

      // Another secret, which is wrong, and then removed.
      const secret = page.getByRole('group', { name: 'Secret access key' })
      await secret.getByText('Set', { exact: true }).waitFor()
      await secret.getByRole('button', { name: 'Replace' }).click()
      await page.getByLabel('New secret access key').fill('not the secret of this key, by any chance')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').getByText('The secret access key is wrong').waitFor()
      await check('storage-change-refused')
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByLabel('Access key ID').fill('')
      await secret.getByText('Will be removed').waitFor()
      await secret.getByRole('button', { name: 'Keep current' }).click()
      assert.equal(await page.getByLabel('Access key ID').inputValue(), s3.pair.access_key_id)
      assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled())
      await choose(page, 'Addressing', 'Bucket in the path')
      await secret.getByRole('button', { name: 'Replace' }).click()
      await page.getByLabel('New secret access key').fill(s3.pair.secret_access_key)
      await server.records([{ action: 'storage_update' }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Storage saved').waitFor()
      })
      const { path_style, prefix } = await server.admin.getStorage({ params: { storage: 'cloud' } })
      assert.deepEqual([path_style, prefix], [true, 'strongroom/'])
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByText(/^(Test passed|Passed with warnings)$/).waitFor()
      assert.deepEqual(faults, [])
    }))

  it('adds a folder by keyboard, takes a bucket, gives it away, is turned off and on, and is forgotten', async () => {
    await inBrowser(async (browser) => {
      const view = await openConsole(browser, server, '/admin/storages', { expect: [401, 409, 503] })
      const { page, check, faults } = view
      const dialog = page.getByRole('dialog')
      await page.getByRole('link', { name: 'Add storage' }).press('Enter')
      await tabTo(page, page.getByLabel('Name', { exact: true }))
      await page.keyboard.type('nas')
      await page.keyboard.press('Tab')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByLabel('Folder').waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.type(path.join(disks, 'nas'))
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByText('Test passed').waitFor()
      await check('storage-folder-tested')
      await server.records([{ action: 'storage_create' }], async () => {
        await page.getByLabel('Folder').press('Enter')
        await page.getByRole('heading', { name: 'nas' }).waitFor()
      })
      assert.equal(await page.getByText('Connection', { exact: true }).count(), 0)
      await check('storage-folder')

      // A bucket on it.
      await page.goto(`${server.url}/console/buckets`)
      await page.getByRole('button', { name: 'New bucket' }).first().click()
      await dialog.getByLabel('Name').fill('photos')
      const field = dialog
        .getByRole('combobox', { name: 'Storage' })
        .or(dialog.getByRole('textbox', { name: 'Storage' }))
      assert.equal(await field.first().inputValue(), 'default')
      await field.first().click()
      await page.getByRole('option', { name: 'nas', exact: true }).click()
      await check('bucket-new-storage')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.waitForURL('**/console/b/photos')
      assert.equal((await server.admin.getBucket({ params: { bucket: 'photos' } })).storage, 'nas')
      for (let i = 0; i < 5; i++)
        await server.admin.putObject({ params: { bucket: 'photos', key: `${i}.jpg` }, body: `picture ${i}` })
      await page.goto(`${server.url}/console/admin/storages`)
      await page.getByRole('row', { name: /^nas/ }).getByText('Reachable').waitFor()
      await page
        .getByRole('row', { name: /^cloud/ })
        .getByText('Reachable')
        .waitFor()
      await check('storages')

      // Off: what lies there cannot be read.
      await page.getByRole('link', { name: 'nas', exact: true }).click()
      assert.ok(await page.getByRole('button', { name: 'Delete storage' }).isDisabled())
      await page.getByRole('button', { name: 'Turn off' }).click()
      await dialog.getByText('This affects 1 bucket.').waitFor()
      await check('storage-turn-off')
      await server.records([{ action: 'storage_update' }], async () => {
        await dialog.getByRole('button', { name: 'Turn off' }).click()
        await page.getByText('This storage is turned off.').waitFor()
      })
      await check('storage-off')
      const read = server.admin.getObject({ params: { bucket: 'photos', key: '0.jpg' } })
      await assert.rejects(read, { status: 503 })
      await page.goto(`${server.url}/console/b/photos/settings`)
      await page.getByText('This storage is turned off.').waitFor()
      await check('bucket-storage-off')
      await page.goto(`${server.url}/console/admin/storages`)
      await page.getByRole('row', { name: /^nas/ }).getByText('Turned off').waitFor()
      await check('storages-off')
      await page.getByRole('link', { name: 'nas', exact: true }).click()
      await page.getByRole('button', { name: 'Turn on' }).click()
      await page.getByRole('button', { name: 'Turn off' }).waitFor()

      // The bucket is moved.
      await page.goto(`${server.url}/console/b/photos/settings`)
      await page.getByRole('button', { name: 'Move to another storage' }).click()
      await dialog.getByText('Each blob is copied').waitFor()
      await check('bucket-move')
      await choose(page, 'To storage', 'cloud')
      await dialog.getByRole('button', { name: 'Move bucket' }).click()
      await page.getByRole('heading', { name: 'Move bucket photos to storage cloud' }).waitFor()
      await page.getByText('5 of 5 objects').waitFor()
      await page.getByText('Succeeded').waitFor()
      await check('job-migrate')
      assert.equal(await page.getByRole('button', { name: /Undo|Retry|Continue/ }).count(), 0)
      await page.goto(`${server.url}/console/b/photos/settings`)
      await page.getByRole('button', { name: 'Move to another storage' }).click()
      await dialog.getByRole('button', { name: 'Move bucket' }).click()
      await page.getByRole('heading', { name: 'Move bucket photos to storage default' }).waitFor()
      await page.getByText('Succeeded').waitFor()
      await page.goto(`${server.url}/console/jobs`)
      await page.getByRole('link', { name: 'Move bucket photos to storage cloud' }).waitFor()
      await check('jobs-migrate')
      await page.goto(`${server.url}/console/b/photos/settings`)
      await page.getByRole('link', { name: 'default', exact: true }).waitFor()
      await check('bucket-storage')
      assert.equal(
        await (await server.admin.getObject({ params: { bucket: 'photos', key: '0.jpg' } })).text(),
        'picture 0',
      )

      // Deleted, but not before its bytes.
      await page.goto(`${server.url}/console/admin/storages/nas`)
      const remove = async () => {
        await page.getByRole('button', { name: 'Delete storage' }).click()
        await dialog.getByRole('button', { name: 'Delete storage' }).click()
      }
      await page.getByRole('button', { name: 'Delete storage' }).click()
      await dialog.getByText('Delete nas?').waitFor()
      await check('storage-delete')
      await page.keyboard.press('Escape')
      await remove()
      await page.getByText('Bytes are still on the storage "nas".').waitFor()
      await check('storage-not-empty')
      await server.later(GRACE_MS)
      await server.running.tick('blob-collector')
      await server.records([{ action: 'storage_delete' }], async () => {
        await remove()
        await page.getByText('Storage deleted').waitFor()
      })
      await page.waitForURL('**/console/admin/storages')
      await page.getByRole('link', { name: 'nas', exact: true }).waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    })
  })

  it('continues a move that was cancelled', async () => {
    const bucket = 'continued'
    await server.admin.createBucket({ body: { name: bucket } })
    await server.admin.putObject({ params: { bucket, key: 'one.txt' }, body: 'one' })
    const { id } = await server.admin.createJob({
      body: { kind: 'migrate', source_bucket: bucket, dest_storage: 'cloud' },
    })
    await until(async () => (await server.admin.getJob({ params: { id } })).finished_at !== null)
    await server.database.transaction((tx) =>
      tx.updateTable('jobs').set({ status: 'cancelled' }).where('id', '=', id).execute(),
    )
    await inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/jobs/${id}`)
      await page.getByText('Cancelled', { exact: true }).waitFor()
      await check('job-migrate-cancelled')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('The move continues as a new job').waitFor()
      await page.waitForURL((url) => !url.pathname.endsWith(id))
      await page.getByText('Succeeded').waitFor()
      assert.deepEqual(faults, [])
    })
  })

  it('needs no horizontal scrolling on a phone', () =>
    inBrowser(
      async (browser) => {
        const view = await openConsole(browser, server, '/admin/storages/default')
        const { page, check } = view
        await page.getByRole('button', { name: 'Test' }).click()
        await page.getByText('Test passed').waitFor()
        await check('storage-tested-phone')
        await checkReflow(view, 'storage-tested')
        await navigate(page, '/b/photos/settings')
        await page.getByRole('button', { name: 'Move to another storage' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Move bucket' }).waitFor()
        await checkReflow(view, 'bucket-move')
      },
      { width: 390, height: 844 },
    ))

  it('takes every text from a catalogue, has room for longer ones, and works right to left', () =>
    checkViews({
      inBrowser,
      server,
      name: 'storages',
      views: [
        ['/admin/storages', '.list-table .status-ok'],
        ['/admin/storages/_new', '.storages-columns'],
        ['/admin/storages/cloud', '.storages-columns .status-ok'],
        ['/admin/storages/default', '.storages-columns .status-ok'],
      ],
      words: ['default', 'cloud', 'eu-central-1', s3.pair.access_key_id, s3.world.url.host],
    }))

  it('is not for others, and is not asked for', async () => {
    const { id } = await server.admin.createGroup({
      body: { name: 'Owners', grants: [{ bucket_pattern: '*', preset: 'owner' }] },
    })
    const who = { email: 'owner@example.com', password: 'a password of an owner' }
    server.secrets.add(who.password)
    await server.admin.createUser({ body: { ...who, display_name: 'Owner', group_ids: [id] } })
    await inBrowser(
      async (browser) => {
        const { page, check, faults } = await openConsole(browser, server, '/buckets')
        const asked: string[] = []
        page.on('request', (request) => asked.push(new URL(request.url()).pathname))
        await page.getByRole('button', { name: 'New bucket' }).first().click()
        await page.getByRole('dialog').getByLabel('Quota (GB)').waitFor()
        assert.equal(await page.getByRole('dialog').getByText('Storage', { exact: true }).count(), 0)
        await page.keyboard.press('Escape')
        assert.equal(await page.getByRole('link', { name: 'Storages' }).count(), 0)
        await page.getByRole('link', { name: 'photos' }).click()
        await page.getByRole('link', { name: 'Settings' }).click()
        await page.getByRole('heading', { name: 'Storage' }).waitFor()
        assert.equal(await page.getByRole('button', { name: 'Move to another storage' }).count(), 0)
        await check('bucket-storage-owner')
        for (const at of ['', '/_new', '/default']) {
          await page.goto(`${server.url}/console/admin/storages${at}`)
          await page.getByText('You don’t have permission to view this').waitFor()
        }
        assert.deepEqual(
          asked.filter((one) => one.includes('/storages') && one.startsWith('/api')),
          [],
        )
        assert.deepEqual(faults, [])
      },
      { who },
    )
  })

  it('shows a storage that is not there any more, and a move that it makes fail', () =>
    inBrowser(async (browser) => {
      await stopS3()
      const { page, check, faults } = await openConsole(browser, server, '/admin/storages')
      await page
        .getByRole('row', { name: /^cloud/ })
        .getByText(NOTHING_LISTENS)
        .waitFor()
      await page
        .getByRole('row', { name: /^default/ })
        .getByText('Reachable')
        .waitFor()
      await check('storages-unreachable')
      await page.getByRole('link', { name: 'cloud', exact: true }).click()
      await page.getByText(NOTHING_LISTENS).waitFor()
      await check('storage-unreachable')
      const { id } = await server.admin.createJob({
        body: { kind: 'migrate', source_bucket: 'continued', dest_storage: 'default' },
      })
      await until(async () => (await server.admin.getJob({ params: { id } })).finished_at !== null)
      await page.goto(`${server.url}/console/jobs/${id}`)
      await page.getByRole('button', { name: 'Continue' }).waitFor()
      await check('job-migrate-failed')
      assert.deepEqual(faults, [])
    }))
})
