// Attaching a bucket of a real S3 engine in a real browser: the steps there, what its bucket offers, and the way out.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Foreign, foreignBucket } from '../attached/foreign.ts'
import { type EngineProxy, isList, startProxy } from '../attached/proxy.ts'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { cephGateway, type Gateway, noGateway } from '../support/ceph.ts'
import { quarters } from '../support/pictures.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { checkViews } from '../support/views.ts'

const gateway = await cephGateway()
const skip = gateway ? false : noGateway

describeConsole('attach', (engine) => {
  let server: TestServer
  let foreign: Foreign
  let proxy: EngineProxy
  before(async () => {
    if (!gateway) return
    proxy = await startProxy(gateway)
    foreign = await foreignBucket(gateway)
    server = await startServer(engine, { S3_PORT: '0' })
    server.secrets.add(gateway.credentials.secretAccessKey)
    await foreign.put('photos/2026/harbour.png', await quarters().png().toBuffer(), { ContentType: 'image/png' })
    await foreign.put('photos/2026/notes.txt', 'Day 2: light from the left.\n')
    await foreign.put('photos/readme.md', '# Photos\n')
    await foreign.put('private/ledger.txt', 'not to be shown')
    await server.admin.createBucket({ body: { name: 'pictures' } })
  })
  after(async () => {
    if (!gateway) return
    await server.stop()
    await foreign.empty()
    await proxy.stop()
  })
  const inBrowser = inBrowserOf(() => server)
  const fillPlace = async (page: Page, bucket = foreign.bucket) => {
    const { accessKeyId, secretAccessKey } = (gateway as Gateway).credentials
    await page.getByLabel('Endpoint').fill(proxy.endpoint)
    await page.getByLabel('Bucket', { exact: true }).fill(bucket)
    await page.getByLabel('Prefix').fill('photos')
    await page.getByLabel('Access key ID').fill(accessKeyId)
    await page.getByLabel('Secret access key').fill(secretAccessKey)
  }
  const step = (page: Page) => page.getByRole('list', { name: 'Steps' }).locator('[aria-current=step]')

  it('tests a new storage, registers it once, attaches its bucket, and follows the first scan', { skip }, () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/buckets', { expect: [409, 422] })
      const next = page.getByRole('button', { name: 'Continue' })
      await page.getByRole('link', { name: 'Attach bucket' }).press('Enter')
      await page.getByText('Where are the objects?').waitFor()
      await check('attach-place')

      // A wrong form stays at its field; a failed check ends the way.
      await fillPlace(page, 'there-is-no-such-bucket')
      await page.getByLabel('Endpoint').fill('s3.example.org')
      await page.getByRole('button', { name: 'Test connection' }).click()
      await page.getByText('Invalid format.').waitFor()
      await check('attach-wrong')
      await page.getByLabel('Endpoint').fill(proxy.endpoint)
      await page.getByLabel('Secret access key').press('Enter')
      await page.getByText('Test failed').waitFor()
      assert.equal(await step(page).textContent(), '2Test')
      assert.ok(await next.isDisabled())
      await check('attach-failed')
      await page.goBack()
      await page.getByText('Where are the objects?').waitFor()
      assert.equal(await page.getByLabel('Bucket', { exact: true }).inputValue(), 'there-is-no-such-bucket')
      await page.getByLabel('Bucket', { exact: true }).fill(foreign.bucket)
      await page.getByRole('button', { name: 'Test connection' }).click()

      // These credentials can write, which is a warning. Only what is under the prefix is shown.
      await page.getByText('Passed with warnings').waitFor()
      const preview = page.getByRole('table', { name: 'First objects' })
      await preview.getByText('photos/2026/harbour.png').waitFor()
      assert.equal(await preview.getByText('private/').count(), 0)
      await check('attach-tested')
      await next.click()
      await page.getByLabel('Bucket name').waitFor()
      assert.equal(await page.getByLabel('Bucket name').inputValue(), foreign.bucket)
      await check('attach-name')

      // A name that exists: the storage is registered, and only the name has to be changed.
      await page.getByLabel('Bucket name').fill('pictures')
      await page.getByLabel('Storage name').fill('media')
      await server.records([{ action: 'storage_create' }], async () => {
        await page.getByRole('button', { name: 'Attach bucket' }).click()
        await page.getByText('Already exists').waitFor()
      })
      await page.getByText('Storage media was added and is selected.').waitFor()
      assert.equal(await page.getByLabel('Storage name').count(), 0)
      await check('attach-name-exists')
      await page.getByRole('button', { name: 'Back' }).click()
      await page.getByText('Passed with warnings').waitFor()
      await next.click()
      await page.getByLabel('Bucket name').fill('photos')

      // The engine takes its time: what the scan does meanwhile can be seen.
      const held = proxy.hold(2, isList)
      await page.getByRole('button', { name: 'Attach bucket' }).click()
      await page.getByRole('heading', { name: 'photos is attached' }).waitFor()
      await page.getByRole('progressbar', { name: 'Progress of the scan' }).waitFor()
      await held.reached
      await check('attach-scan')
      const { storage, mode, source } = await server.admin.getBucket({ params: { bucket: 'photos' } })
      assert.deepEqual(
        [storage, mode, source?.bucket, source?.prefix],
        ['media', 'read_only', foreign.bucket, 'photos/'],
      )
      await page.getByRole('link', { name: 'Open bucket' }).click()
      await page.getByText('Objects appear as it finds them.').waitFor()
      await page.getByText('Not scanned yet').waitFor()
      await check('browse-first-scan')
      held.release()
      await page.getByRole('gridcell', { name: '2026', exact: true }).waitFor()
      await page.getByText(/^as of 12:00/).waitFor()
      await page.goto(`${server.url}/console/buckets/attach?bucket=photos`)
      await page.getByText('The first scan is complete: 3 objects.').waitFor()
      await check('attach-scanned')
      assert.equal((await page.content()).includes((gateway as Gateway).credentials.secretAccessKey), false)
      assert.deepEqual(faults, [])
    }),
  )

  it('offers nothing in it that would be refused', { skip }, () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/buckets')
      const row = page.getByRole('row', { name: /^photos/ })
      await row.getByText('Read-only').waitFor()
      await check('buckets-attached')
      await row.getByRole('link', { name: 'photos' }).click()
      await page.getByRole('gridcell', { name: 'readme.md', exact: true }).waitFor()
      const tabs = page.getByRole('navigation', { name: 'Sections of photos' }).getByRole('link')
      assert.deepEqual(await tabs.allTextContents(), ['Objects', 'Scans', 'Access', 'Settings'])
      for (const name of ['Upload', 'New folder', 'Show deleted files'])
        assert.equal(await page.getByRole('button', { name }).count(), 0, name)
      await check('browse-attached')

      // Neither in the menu nor by keys.
      await page.getByRole('button', { name: 'Actions for readme.md' }).click()
      const items = page.getByRole('menuitem')
      await items.first().waitFor()
      assert.deepEqual(await items.locator('.mantine-Menu-itemLabel').allTextContents(), [
        'Details',
        'Full screen',
        'Download',
        'Share…',
        'Copy to…',
        'Tags…',
        'Copy link',
        'Copy path',
        'Who has access',
      ])
      await check('browse-attached-menu')
      await page.keyboard.press('Escape')
      await page.getByRole('grid').and(page.locator(':focus')).waitFor()
      for (const key of ['u', 'n', 'm', 'F2', 'Delete']) await page.keyboard.press(key)
      assert.equal(await page.getByRole('dialog').count(), 0)
      assert.equal(await page.getByRole('row', { name: /readme/ }).getAttribute('draggable'), 'false')

      // Files that are dropped are not taken.
      await dropFile(page)
      await page.getByRole('alert').getByText('This bucket is read-only').waitFor()
      await check('browse-attached-drop')
      await page.getByRole('button', { name: 'Close', exact: true }).click()

      // A link to a folder takes no files; copies go to other buckets.
      await page.getByRole('button', { name: 'Actions for 2026' }).click()
      await page.getByRole('menuitem', { name: 'Share…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Create link' }).waitFor()
      assert.equal(await dialog.getByText('Upload files').count(), 0)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Actions for 2026' }).click()
      await page.getByRole('menuitem', { name: 'Copy to…' }).click()
      await dialog.getByText('1 folder → pictures/').waitFor()
      await check('browse-attached-copy')
      await server.records(
        [
          { action: 'copy', bucket: 'pictures', key: '2026/harbour.png' },
          { action: 'copy', bucket: 'pictures', key: '2026/notes.txt' },
        ],
        async () => {
          await dialog.getByRole('button', { name: 'Copy here' }).click()
          await page.getByText('Copied 2 objects').waitFor()
        },
      )

      // Where there is nothing for it, an address leads to the reason.
      for (const [at, words] of [
        ['protection', 'Nothing can be changed or removed here'],
        ['trash', 'The trash is off for this bucket.'],
        ['uploads', 'No unfinished uploads'],
      ] as const) {
        await page.goto(`${server.url}/console/b/photos/${at}`)
        await page.getByText(words).waitFor()
        assert.equal(await page.getByRole('button', { name: /Upload|Turn on|Empty/ }).count(), 0)
        await check(`attached-${at}`)
      }
      await page.goto(`${server.url}/console/b/photos/overview`)
      await page.getByRole('heading', { name: 'What it shows' }).waitFor()
      assert.equal(await page.getByText('Quota', { exact: true }).count(), 0)
      await check('attached-overview')
      await page.goto(`${server.url}/console/b/photos/connect`)
      await page.getByText('Replace the access key ID').waitFor()
      await page.getByRole('combobox', { name: 'Client' }).click()
      await page.getByRole('option', { name: 's3fs' }).waitFor()
      assert.equal(await page.getByRole('option', { name: 'restic' }).count(), 0)
      assert.deepEqual(faults, [])
    }),
  )

  it('shows an object as it is now, keeps tags of its own, and says when it is gone', { skip }, () =>
    inBrowser(async (browser) => {
      const expect = [404]
      const at = '/b/photos?prefix=2026%2F&sel=2026%2Fnotes.txt'
      const { page, check, faults } = await openConsole(browser, server, at, { expect })
      await page.getByText('Day 2: light from the left.').waitFor()
      assert.equal(await page.getByRole('tab', { name: 'History' }).count(), 0)
      await check('attached-details')
      await page.getByRole('button', { name: 'Edit tags' }).click()
      await page.getByRole('button', { name: 'Add tag' }).click()
      await page.getByLabel('Name').fill('Stage')
      await page.getByLabel('Value').fill('draft')
      await check('attached-tags')
      await server.records([{ action: 'update_object', bucket: 'photos', key: '2026/notes.txt' }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByRole('button', { name: 'Edit tags' }).waitFor()
      })
      await page.getByText('Stage', { exact: true }).waitFor()

      // Others change it: the new contents are shown, without a scan.
      await foreign.put('photos/2026/notes.txt', 'Day 3: fog.\n')
      await page.goto(`${server.url}/console${at}`)
      await page.getByText('Day 3: fog.').waitFor()
      await page.goto(`${server.url}/console/admin/audit?action=external_change`)
      const record = page.getByRole('row').filter({ hasText: 'external_change' })
      await record.getByText('storage engine').waitFor()
      await check('audit-external-change')
      await page.goto(`${server.url}/console/b/photos/overview`)
      await page.getByRole('row').filter({ hasText: 'external_change' }).getByText('Storage engine').waitFor()

      // Others delete it.
      await page.goto(`${server.url}/console${at}`)
      await page.getByText('Day 3: fog.').waitFor()
      await foreign.deleteOne('photos/2026/notes.txt')
      await page.getByRole('button', { name: 'Download' }).click()
      await page
        .getByRole('alert')
        .getByText(/2026\/notes\.txt/)
        .waitFor()
      await check('attached-gone')
      assert.deepEqual(faults, [])
    }),
  )

  it('creates the token for event notifications, replaces and deletes it', { skip }, () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/admin/storages/media')
      const dialog = page.getByRole('dialog')
      await page.getByRole('link', { name: 'photos', exact: true }).waitFor()
      await page.getByText('Reachable').waitFor()
      await check('storage-attached')
      const create = async (button: string) => {
        await page.getByRole('button', { name: button }).click()
        if (button === 'Replace token') await dialog.getByRole('button', { name: button }).click()
        await dialog.getByLabel('Token', { exact: true }).waitFor()
        const [token, url] = await Promise.all([
          dialog.getByLabel('Token', { exact: true }).inputValue(),
          dialog.getByLabel('URL for the engine').inputValue(),
        ])
        server.secrets.add(token)
        return { token, url }
      }
      const report = async ({ token, url }: { token: string; url: string }) => {
        const { pathname } = new URL(url)
        const s3 = { bucket: { name: foreign.bucket }, object: { key: 'photos/readme.md' } }
        const { status } = await fetch(server.url + pathname, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ Records: [{ s3 }] }),
        })
        return status
      }
      const updated = [{ action: 'storage_update' }] as const
      const first = await server.records(updated, () => create('Create token'))
      await page.keyboard.press('Escape')
      await dialog.waitFor()
      await check('storage-events')
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      await page.getByText('Token set').waitFor()
      assert.equal((await page.content()).includes(first.token), false)
      assert.equal(await report(first), 204)
      await page.getByRole('button', { name: 'Replace token' }).click()
      await dialog.getByText('Reports with the current token are refused').waitFor()
      await check('storage-events-replace')
      await page.keyboard.press('Escape')
      const second = await server.records(updated, () => create('Replace token'))
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      assert.deepEqual([await report(first), await report(second)], [401, 204])
      await server.records(updated, async () => {
        await page.getByRole('button', { name: 'Delete token' }).click()
        await dialog.getByRole('button', { name: 'Delete token' }).click()
        await page.getByText('Token deleted').waitFor()
      })
      assert.equal(await report(second), 401)
      await page.goto(`${server.url}/console/b/photos/settings`)
      await page.getByText('Last change reported').waitFor()
      assert.deepEqual(faults, [])
    }),
  )

  it('says which part of the engine is shown already, from a registered storage', { skip }, () =>
    inBrowser(async (browser) => {
      const expect = [409]
      const { page, check, faults } = await openConsole(browser, server, '/admin/storages/media', { expect })
      await page.getByRole('link', { name: 'Attach a bucket' }).click()
      await page.getByText('Leave empty for everything in').waitFor()
      await check('attach-registered')
      await page.getByLabel('Prefix').fill('photos/2026')
      await page.getByLabel('Prefix').press('Enter')
      await page.getByText('Passed with warnings').waitFor()
      await page.getByRole('button', { name: 'Continue' }).click()
      assert.equal(await page.getByLabel('Storage name').count(), 0)
      await page.getByLabel('Bucket name').fill('photos-2026')
      await page.getByRole('button', { name: 'Attach bucket' }).click()
      await page.getByRole('alert').getByText('The bucket "photos" shows some of it already.').waitFor()
      await check('attach-overlap')
      await page
        .getByRole('list', { name: 'Steps' })
        .getByRole('button', { name: /Storage/ })
        .click()
      assert.equal(await page.getByLabel('Prefix').inputValue(), 'photos/2026')
      await page.getByRole('link', { name: 'Jobs' }).click()
      await page.getByRole('dialog').getByText('Leave without saving?').waitFor()
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor()
      assert.deepEqual(faults, [])
    }),
  )

  it('needs no horizontal scrolling on a phone, and no texts but those of catalogues', { skip }, async () => {
    const words = [
      'photos',
      'media',
      'default',
      'pictures',
      'eu-central-1',
      foreign.bucket,
      new URL(proxy.endpoint).host,
    ]
    const views = [
      ['/buckets/attach', '.attach'],
      ['/buckets/attach?storage=media', '.attach'],
      ['/buckets/attach?bucket=photos', '.attach .ok'],
      ['/b/photos', '.attached-badges'],
      ['/b/photos/overview', '#bucket-source'],
      ['/b/photos/settings', '#bucket-danger'],
      ['/b/photos/protection', '#protection-summary'],
      ['/admin/storages/media', '#storage-events'],
      ['/admin/settings?tab=audit', '.settings-section'],
    ] as const
    await checkViews({ inBrowser, server, views, words, name: 'attach' })
  })

  it('is released, and everything stays on the engine', { skip }, () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/b/photos/settings')
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Release bucket' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Delete bucket' }).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Move to another storage' }).count(), 0)
      await check('attached-settings')
      await page.getByRole('button', { name: 'Release bucket' }).click()
      await dialog.getByText('Everything stays on the S3 engine.').waitFor()
      await check('attached-release')
      const before = await foreign.listed()
      await dialog.getByLabel('Type photos to confirm').fill('photos')
      await server.records([{ action: 'release_bucket', bucket: 'photos' }], async () => {
        await dialog.getByRole('button', { name: 'Release bucket' }).click()
        await page.getByText(/^Bucket photos released\. Its [23] objects stay on the S3 engine\.$/).waitFor()
        await page.waitForURL('**/console/buckets')
      })
      await page.getByRole('link', { name: 'photos', exact: true }).waitFor({ state: 'detached' })
      assert.deepEqual(await foreign.listed(), before)
      assert.deepEqual(faults, [])
    }),
  )
})

/** Drags a file over the page and drops it. */
async function dropFile(page: Page): Promise<void> {
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['a file'], 'a.txt', { type: 'text/plain' }))
    return transfer
  })
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.locator('.browse').dispatchEvent(type, { dataTransfer: data })
}
