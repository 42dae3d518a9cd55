// States that say what is: no "not found", "failed" or "empty" where it is not so, and one figure for one thing.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { at, row } from './listing.ts'

const MIB = 1024 ** 2

describeConsole('states that say what is', (engine) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())
  const run = inBrowserOf(() => server)
  const fill = async (...keys: string[]): Promise<string> => {
    const bucket = `states-${++buckets}`
    await server.admin.createBucket({ body: { name: bucket } })
    for (const key of keys) await server.admin.putObjectByQuery({ params: { bucket }, query: { key }, body: 'x' })
    return bucket
  }

  it('a folder that the user has emptied is empty, and one that never was is not found', () =>
    run(async (browser) => {
      const bucket = await fill('work/a.txt', 'b.txt')
      const { page, check, faults } = await openConsole(browser, server, at(bucket, { prefix: 'work/' }))
      await row(page, 'a.txt').getByRole('checkbox').click()
      await page.keyboard.press('Delete')
      await page.getByText('This folder is empty').waitFor()
      await page.getByText('It disappears when you leave it').waitFor()
      assert.equal(await page.getByText('Folder not found').count(), 0)
      await check('folder-emptied')
      await page.goto(`${server.url}/console${at(bucket, { prefix: 'never/' })}`)
      await page.getByText('Folder not found').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('a page that was just loaded can be used by keys', () =>
    run(async (browser) => {
      const bucket = await fill('a.txt', 'b.txt', 'folder/c.txt')
      const { page, faults } = await openConsole(browser, server, at(bucket))
      const grid = page.getByRole('grid').and(page.locator(':focus'))
      await grid.waitFor()
      await page.keyboard.press('Enter')
      await row(page, 'c.txt').waitFor()
      await page.goto(`${server.url}/console${at(bucket, { sel: 'b.txt' })}`)
      await grid.waitFor()
      await page.locator('[data-cursor][data-open]').getByText('b.txt').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('a name that is in use is said at its field, in the page’s language', async () => {
    const bucket = await fill()
    await run(
      async (browser) => {
        const { page, check } = await openConsole(browser, server, '/buckets', { expect: [409] })
        await page.getByRole('button', { name: 'Neuer Bucket' }).first().click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('textbox', { name: 'Name' }).fill(bucket)
        await dialog.getByRole('button', { name: 'Erstellen' }).click()
        await dialog.getByText('Ist schon vorhanden').waitFor()
        assert.equal(await page.locator('[class*=Notification-root]').count(), 0)
        await check('bucket-name-in-use')
      },
      { locale: 'de-DE' },
    )
  })

  it('what a bucket stores is one figure, with what uploads reserve beside it', () =>
    run(async (browser) => {
      const bucket = await fill('a.txt')
      await server.admin.initUpload({ params: { bucket }, body: { key: 'large.bin', file_size: 80 * MIB } })
      const { page, check, faults } = await openConsole(browser, server, '/buckets')
      const line = page.getByRole('row').filter({ hasText: bucket })
      await line.getByText('1 B used · no limit').waitFor()
      await line.getByText('+ 80 MB reserved by uploads').waitFor()
      await check('bucket-reserved')
      await page.goto(`${server.url}/console/`)
      await page.getByRole('region', { name: 'Largest buckets' }).getByText('+ 80 MB reserved by uploads').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('a folder without a name is refused at the field, and spaces at the ends of names are seen', () =>
    run(async (browser) => {
      const bucket = await fill('  two.txt', 'two.txt', 'a/ b/c.txt')
      const { page, check, faults } = await openConsole(browser, server, at(bucket))
      await row(page, '␣␣two.txt').waitFor()
      await page.getByRole('button', { name: 'New folder' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Folder name').fill('a/b//c')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await dialog.getByText('Every folder in the path needs a name').waitFor()
      await check('folder-without-name')
      await dialog.getByLabel('Folder name').fill('a/b/c/')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.getByText('This folder is empty').waitFor()
      assert.deepEqual(faults, [])
    }))
})
