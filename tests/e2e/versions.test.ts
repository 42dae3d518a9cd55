// A bucket's versions in a real browser.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

const bucket = 'kept'
const key = 'reports/plan.txt'

describeConsole('versions', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: bucket } })
    await server.admin.putObject({ params: { bucket, key }, body: 'before there were versions' })
  })
  after(() => server.stop())
  const run = inBrowserOf(() => server, { realTime: true })
  const text = async () => (await server.admin.getObject({ params: { bucket, key } })).text()

  it('turns them on, shows what a key had, and brings it back', async () => {
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}/protection`, { expect: [] })
      await page.getByText('Off: replaced and deleted files go to the trash.').waitFor()
      await check('bucket-versions-off')
      await page.getByRole('button', { name: 'Turn on versions' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Turn on versions' }).click()
      await page.getByText('Versions turned on').waitFor()
      await page.getByText('On: replaced and deleted files are kept').waitFor()
      await server.admin.putObject({ params: { bucket, key }, body: 'the second' })
      await server.admin.deleteObject({ params: { bucket, key } })
      await server.admin.putObject({ params: { bucket, key }, body: 'the third, after a deletion' })

      await page.goto(`${server.url}/console/b/${bucket}?prefix=reports/&sel=${encodeURIComponent(key)}`)
      await page.getByRole('tab', { name: 'History' }).click()
      const items = page.locator('.versions > li')
      await items.nth(3).waitFor()
      assert.equal(await items.count(), 4)
      await items.nth(0).getByText('Current').waitFor()
      await items.nth(1).getByText('Deleted').waitFor()
      await check('object-versions')
      await items.nth(2).getByRole('button', { name: 'Compare with the current version' }).click()
      const compared = page.getByRole('dialog', { name: 'Versions of plan.txt' })
      await compared.getByText('the second').waitFor()
      await compared.getByText('the third, after a deletion').waitFor()
      await check('version-compare')
      await page.keyboard.press('Escape')
      await compared.waitFor({ state: 'detached' })
      await items.nth(2).getByRole('button', { name: 'Restore this version' }).click()
      await page.getByText('Version restored').waitFor()
      await items.nth(4).waitFor()
      assert.equal(await text(), 'the second')

      await items.nth(0).getByRole('button', { name: 'Delete this version' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('It moves to the trash').waitFor()
      await check('version-delete')
      await dialog.getByRole('button', { name: 'Delete this version' }).click()
      await page.getByText('Version deleted').waitFor()
      assert.equal(await text(), 'the third, after a deletion')
      const downloading = page.waitForEvent('download')
      await items.last().getByRole('button', { name: 'Download this version' }).click()
      assert.equal((await downloading).suggestedFilename(), 'plan.txt')
      assert.deepEqual(faults, [])
    })
  })

  it('shows what is deleted in a folder, and brings it back', async () => {
    const put = (name: string) => server.admin.putObject({ params: { bucket, key: name }, body: 'x' })
    for (const name of ['lost/a.txt', 'lost/b.txt', 'lost/deep/c.txt']) {
      await put(name)
      await server.admin.deleteObject({ params: { bucket, key: name } })
    }
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}`, { expect: [] })
      await page.getByRole('button', { name: 'Deleted files' }).click()
      await page.getByRole('heading', { name: 'Deleted files' }).waitFor()
      await page.getByText('All deleted').waitFor()
      await page.getByRole('link', { name: 'lost' }).click()
      const row = page.getByRole('row', { name: 'a.txt' })
      await row.waitFor()
      await check('deleted-files')
      await server.records([{ action: 'version_delete', bucket, key: 'lost/a.txt' }], async () => {
        await row.getByRole('button', { name: 'Undo deletion of a.txt' }).click()
        await page.getByText('a.txt is back').waitFor()
      })
      await row.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'b.txt' }).click()
      await page.locator('.versions > li').nth(1).waitFor()
      await page.goBack()
      await page.goBack()
      await page.getByRole('button', { name: 'Back to the folder' }).click()
      await page.getByText('a.txt').first().waitFor()
      assert.deepEqual(faults, [])
    })
    const { items } = await server.admin.listVersions({ params: { bucket }, query: { prefix: 'lost/' } })
    for (const { key: name, version_id } of items)
      await server.admin.deleteObject({ params: { bucket, key: name }, query: { version_id } })
  })

  it('undoes a deletion by one click, and restores a whole folder', async () => {
    const names = ['back/a.txt', 'back/b.txt', 'back/deep/c.txt']
    for (const name of names) await server.admin.putObject({ params: { bucket, key: name }, body: name })
    const there = async () =>
      (await server.admin.listObjects({ params: { bucket }, query: { prefix: 'back/' } })).items.map(({ key }) => key)
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}?prefix=back/`, { expect: [] })
      for (const name of ['a.txt', 'b.txt']) await page.getByLabel(`Select ${name}`).click()
      const deletions = ['back/a.txt', 'back/b.txt'].map((key) => ({ action: 'delete' as const, bucket, key }))
      await server.records(deletions, async () => {
        await page.keyboard.press('Delete')
        await page.getByText('2 objects deleted').waitFor()
      })
      assert.equal(await page.getByRole('dialog').count(), 0, 'what can be undone is not asked about')
      assert.deepEqual(await there(), ['back/deep/c.txt'])
      const back = ['back/a.txt', 'back/b.txt'].map((key) => ({ action: 'version_delete' as const, bucket, key }))
      await server.records(back, async () => {
        await page.getByRole('button', { name: 'Undo' }).click()
        await page.getByText('2 objects restored').waitFor()
      })
      assert.deepEqual(await there(), names)
      // By a key, too.
      await page.getByLabel('Select b.txt').click()
      await page.keyboard.press('Delete')
      await page.getByText('1 object deleted').waitFor()
      await page.keyboard.press('Control+z')
      await page.getByText('1 object restored').waitFor()
      assert.deepEqual(await there(), names)

      await server.admin.bulkDelete({ params: { bucket }, body: { keys: names } })
      await page.goto(`${server.url}/console/b/${bucket}/deleted?prefix=back/`)
      await page.getByLabel('Select a.txt').check()
      await page.getByLabel('Select deep').check()
      await check('deleted-selected')
      await page.getByRole('button', { name: 'Restore 2 items' }).click()
      await page.getByText('2 objects restored').waitFor()
      assert.deepEqual(await there(), ['back/a.txt', 'back/deep/c.txt'])
      await page.getByRole('button', { name: 'Restore all' }).click()
      await page.getByText('1 object restored').waitFor()
      assert.deepEqual(await there(), names)
      assert.deepEqual(faults, [])
    })
    const { items } = await server.admin.listVersions({ params: { bucket }, query: { prefix: 'back/' } })
    for (const { key: name, version_id } of items)
      await server.admin.deleteObject({ params: { bucket, key: name }, query: { version_id } })
  })

  it('empties such a bucket of all its versions, so that it can be deleted', async () => {
    await server.admin.putObject({ params: { bucket, key: 'gone' }, body: 'x' })
    await server.admin.deleteObject({ params: { bucket, key: 'gone' } })
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}/settings`, { expect: [] })
      await page.getByText('and every earlier version').waitFor()
      await check('bucket-versions-on')
      await page.getByRole('button', { name: 'Empty bucket' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(`Type ${bucket} to confirm`).fill(bucket)
      await dialog.getByRole('button', { name: 'Empty bucket' }).click()
      await page.getByText('6 of 6 objects').waitFor()
      await page.getByRole('button', { name: 'Delete bucket' }).click()
      await dialog.getByLabel(`Type ${bucket} to confirm`).fill(bucket)
      await dialog.getByRole('button', { name: 'Delete bucket' }).click()
      await page.waitForURL('**/console/buckets')
      assert.deepEqual(faults, [])
    })
    await assert.rejects(server.admin.getBucket({ params: { bucket } }))
  })
})
