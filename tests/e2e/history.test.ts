// The past of a bucket in a real browser: what was, what has changed since, and the way back.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { at, grid, row } from './listing.ts'

const bucket = 'ledger'

describeConsole('the past of a bucket', (engine) => {
  let server: TestServer
  /** When only what was there first was there. */
  let then: string
  const put = (key: string, body: string) => server.admin.putObject({ params: { bucket, key }, body })
  const textOf = async (key: string) => (await server.admin.getObject({ params: { bucket, key } })).text()
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: bucket } })
    for (const [key, body] of [
      ['books/march.txt', 'forty-two'],
      ['books/april.txt', 'seven'],
      ['books/old/may.txt', 'nine'],
    ] as const)
      await put(key, body)
    await server.later(3 * 3600_000)
    then = server.clock.now().toISOString()
    await server.later(60 * 60_000)
    await put('books/march.txt', 'forty-three, or so')
    await put('books/june.txt', 'new')
    await server.admin.deleteObject({ params: { bucket, key: 'books/april.txt' } })
    await server.later(60_000)
  })
  after(() => server.stop())
  const run = inBrowserOf(() => server)

  it('asks before it is forgotten with the trash, and starts where it is known afterwards', async () => {
    const name = 'without'
    await server.admin.createBucket({ body: { name } })
    await server.admin.putObject({ params: { bucket: name, key: 'a.txt' }, body: 'a' })
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${name}/settings`)
      const days = page.getByLabel('Trash retention (days)')
      const save = page.getByRole('button', { name: 'Save' })
      const was = await days.inputValue()
      await days.fill('0')
      await save.click()
      const question = page.getByRole('dialog', { name: 'Turn off the trash?' })
      await check('trash-off')
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'detached' })
      assert.notEqual((await server.admin.getBucket({ params: { bucket: name } })).history_from, null)
      await save.click()
      await question.getByRole('button', { name: 'Turn off' }).click()
      await page.getByText('Settings saved').waitFor()
      await server.later(60_000)
      await server.running.tick('trash-expiry')
      // Without a question: nothing is lost by it.
      await days.fill(was)
      await save.click()
      await until(async () => (await server.admin.getBucket({ params: { bucket: name } })).trash_days === Number(was))
      await page.getByRole('link', { name: 'History', exact: true }).click()
      await page.getByText('Nothing has changed').first().waitFor()
      assert.deepEqual(faults, [])
    })
  })

  it('shows a folder as it was, read-only, with its previews and downloads, and leads back', async () => {
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, at(bucket, { prefix: 'books/' }))
      await row(page, 'june.txt').waitFor()
      await page.getByRole('button', { name: 'Time line' }).click()
      const dialog = page.getByRole('dialog', { name: 'What was in ledger/books/?' })
      await dialog.getByRole('button', { name: 'An hour ago' }).waitFor()
      await check('past-choose')
      await dialog.getByRole('button', { name: 'An hour ago' }).click()
      await dialog.waitFor({ state: 'detached' })
      const band = page.getByRole('region', { name: 'The past' })
      await band.getByText('Read-only: this is the past.').waitFor()
      await row(page, 'april.txt').waitFor()
      assert.equal(await row(page, 'june.txt').count(), 0)
      assert.match(page.url(), /[?&]at=20/)
      await check('past-folder')
      for (const name of ['Upload', 'New folder', 'Share this folder'])
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
      // What can be done with an object of the past: nothing that changes it.
      await row(page, 'march.txt').click({ button: 'right' })
      const menu = page.getByRole('menu')
      await menu.waitFor()
      const offered = (await menu.getByRole('menuitem').allTextContents()).map((one) =>
        one.replace(/(Del|F2|[a-z])$/, ''),
      )
      assert.equal(
        offered.some((one) => /Delete|Rename|Move|Copy to|Share/.test(one)),
        false,
        offered.join(),
      )
      await page.keyboard.press('Escape')
      await row(page, 'march.txt').getByRole('link').click()
      await page.getByText('forty-two').waitFor()
      await check('past-preview')
      assert.equal(await page.getByRole('tab', { name: 'Links' }).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0)
      const downloading = page.waitForEvent('download')
      await page.getByRole('complementary').getByRole('button', { name: 'Download' }).click()
      const download = await downloading
      assert.equal(download.suggestedFilename(), 'march.txt')
      assert.equal((await (await download.createReadStream()).toArray()).join(''), 'forty-two')
      // A folder below, by its link, and a reload: the address has the moment.
      await row(page, 'old').getByRole('link').click()
      await row(page, 'may.txt').waitFor()
      await page.reload()
      await band.waitFor()
      await row(page, 'may.txt').waitFor()
      await band.getByRole('button', { name: 'Back to now' }).click()
      await band.waitFor({ state: 'detached' })
      await page.goto(`${server.url}/console${at(bucket, { prefix: 'books/', at: then, q: 'apr' })}`)
      await row(page, 'april.txt').waitFor()
      assert.equal(await grid(page).getByRole('row').count(), 2)
      assert.deepEqual(faults, [])
    })
  })

  it('says why a moment cannot be shown, and that a folder was empty', async () => {
    await run(async (browser) => {
      const early = '2001-01-01T00:00:00.000Z'
      const { page, check } = await openConsole(browser, server, at(bucket, { at: early }), { expect: [400, 422] })
      await page.getByRole('heading', { name: 'This moment can’t be shown' }).waitFor()
      await check('past-unknown')
      await page.goto(`${server.url}/console${at(bucket, { prefix: 'none/', at: then })}`)
      await page.getByRole('heading', { name: 'Nothing was here then' }).waitFor()
      await page.getByRole('button', { name: 'Back to now' }).first().click()
      await page.getByRole('heading', { name: 'Folder not found' }).waitFor()
    })
  })

  it('lists what has changed, goes back after showing what that would do, and undoes it', async () => {
    await run(async (browser) => {
      const from = `/b/${bucket}/history?${new URLSearchParams({ from: then })}`
      const { page, check, faults } = await openConsole(browser, server, from)
      const table = page.getByRole('table', { name: 'Changes' })
      const line = (name: string) => table.getByRole('row').filter({ hasText: name })
      await line('books/march.txt').getByText('Changed', { exact: true }).waitFor()
      await line('books/june.txt').getByText('Added', { exact: true }).waitFor()
      await line('books/april.txt').getByText('Deleted', { exact: true }).waitFor()
      assert.equal(await table.getByRole('row').count(), 4)
      await check('changes')
      await page
        .locator('label')
        .filter({ hasText: /^Deleted$/ })
        .click()
      await line('books/june.txt').waitFor({ state: 'detached' })
      assert.equal(await table.getByRole('row').count(), 2)
      await page.locator('label').filter({ hasText: /^All$/ }).click()
      await page.getByLabel('Filter by folder or start of the path').fill('books/m')
      await line('books/june.txt').waitFor({ state: 'detached' })
      await page.getByLabel('Filter by folder or start of the path').fill('')
      await line('books/june.txt').waitFor()

      await page.getByRole('button', { name: 'Go back…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Coming back: 1 object').waitFor()
      await dialog.getByText('Changing back: 1 object').waitFor()
      await dialog.getByText('Deleted, because not there then: 1 object').waitFor()
      assert.equal(await textOf('books/march.txt'), 'forty-three, or so', 'showing it changes nothing')
      await check('go-back')
      await dialog.getByRole('switch', { name: 'Keep what is new' }).click()
      await dialog.getByText('Deleted, because not there then').waitFor({ state: 'detached' })
      await dialog.getByRole('switch', { name: 'Keep what is new' }).click()
      await dialog.getByText('Deleted, because not there then').waitFor()
      const gone = [
        { action: 'delete' as const, bucket, key: 'books/june.txt' },
        { action: 'restore' as const, bucket, key: 'books/april.txt' },
        { action: 'restore' as const, bucket, key: 'books/march.txt' },
      ]
      await server.records(gone, async () => {
        await dialog.getByRole('button', { name: 'Go back' }).click()
        await page.getByText('Went back: 3 objects').waitFor()
      })
      assert.equal(await textOf('books/march.txt'), 'forty-two')
      await page.getByRole('heading', { name: 'Nothing has changed' }).waitFor()
      await check('went-back')
      const back = [
        { action: 'delete' as const, bucket, key: 'books/april.txt' },
        { action: 'restore' as const, bucket, key: 'books/march.txt' },
        { action: 'restore' as const, bucket, key: 'books/june.txt' },
      ]
      await server.records(back, async () => {
        await page.getByRole('region', { name: 'Latest return' }).getByRole('button', { name: 'Undo' }).click()
        await until(async () => (await textOf('books/march.txt')) === 'forty-three, or so')
        await line('books/june.txt').waitFor()
      })
      await page.getByRole('region', { name: 'Latest return' }).waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    })
  })

  it('takes a snapshot, opens it, forks it, and deletes it', async () => {
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}/history?tab=snapshots`)
      await page.getByRole('heading', { name: 'No snapshots yet' }).waitFor()
      await check('snapshots-none')
      await page.getByRole('button', { name: 'Take snapshot' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Before the upgrade')
      await dialog.getByText('Use up to 60 lowercase letters').waitFor()
      await dialog.getByLabel('Name').fill('before-the-upgrade')
      await dialog.getByLabel('Note').fill('Database backup 4711')
      await check('snapshot-new')
      await server.records([{ action: 'snapshot_create', bucket }], async () => {
        await dialog.getByRole('button', { name: 'Take snapshot' }).click()
        await page.getByText('Snapshot before-the-upgrade taken').waitFor()
      })
      await page.getByText('Database backup 4711').waitFor()
      await check('snapshots')
      await page.getByRole('link', { name: 'Open snapshot before-the-upgrade' }).click()
      await page.getByRole('region', { name: 'The past' }).getByText('Snapshot before-the-upgrade').waitFor()
      await row(page, 'books').waitFor()
      await page.goBack()

      await page.getByRole('button', { name: 'Fork before-the-upgrade' }).click()
      await dialog.getByLabel('Bucket name').fill('ledger-test')
      await check('fork-new')
      await server.records([{ action: 'create_bucket', bucket: 'ledger-test' }], async () => {
        await dialog.getByRole('button', { name: 'Create fork' }).click()
        await page.getByRole('heading', { name: 'Fork' }).waitFor()
      })
      await page.getByRole('link', { name: bucket, exact: true }).waitFor()
      await check('fork-overview')
      const { items } = await server.admin.listObjects({ params: { bucket: 'ledger-test' } })
      assert.equal(items.length, 3)

      // What the fork changes is taken back into its origin, after what that would do was shown.
      const fork = { bucket: 'ledger-test' }
      await server.admin.putObject({ params: { ...fork, key: 'books/new.txt' }, body: 'tried out' })
      await server.admin.putObject({ params: { ...fork, key: 'books/march.txt' }, body: 'of the fork' })
      await put('books/march.txt', 'of the origin')
      await page.getByRole('button', { name: 'Merge into ledger…' }).click()
      await dialog.getByText('Added: 1 object').waitFor()
      await dialog.getByText('Conflicts that aren’t decided: 1 object.').waitFor()
      await check('merge')
      await dialog.getByRole('combobox', { name: 'What both have changed' }).click()
      await page.getByRole('option', { name: 'Take the fork’s' }).click()
      await dialog.getByText('Changed: 1 object').waitFor()
      assert.equal(await textOf('books/march.txt'), 'of the origin', 'showing it changes nothing')
      const taken = ['books/march.txt', 'books/new.txt'].map((key) => ({ action: 'copy' as const, bucket, key }))
      await server.records(taken, async () => {
        await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
        await page.getByText('Merged 2 objects').waitFor()
      })
      assert.equal(await textOf('books/march.txt'), 'of the fork')

      await page.goto(`${server.url}/console/b/${bucket}/history?tab=snapshots`)
      await page.getByRole('button', { name: 'Delete snapshot before-the-upgrade' }).click()
      await dialog.getByLabel('Type before-the-upgrade to confirm').fill('before-the-upgrade')
      await server.records([{ action: 'snapshot_delete', bucket }], async () => {
        await dialog.getByRole('button', { name: 'Delete snapshot' }).click()
        await page.getByText('Snapshot before-the-upgrade deleted').waitFor()
      })
      await page.getByRole('heading', { name: 'No snapshots yet' }).waitFor()
      assert.deepEqual(faults, [])
    })
  })
  it('has room on a phone, in another language', async () => {
    await run(
      async (browser) => {
        const view = await openConsole(browser, server, at(bucket, { prefix: 'books/', at: then }))
        const { page, shot, faults } = view
        await page.getByText('Nur lesbar: Das ist die Vergangenheit.').waitFor()
        await page.getByText('april.txt').first().waitFor()
        await shot('past-phone-de')
        await checkReflow(view, 'the past')
        await page.goto(`${server.url}/console/b/${bucket}/history?${new URLSearchParams({ from: then })}`)
        await page.getByText('books/june.txt').waitFor()
        await shot('changes-phone-de')
        await checkReflow(view, 'changes')
        await page.getByRole('button', { name: 'Zurückgehen…' }).click()
        await page.getByText('Das würde geschehen').waitFor()
        await shot('go-back-phone-de')
        await page.goto(`${server.url}/console/admin/protection`)
        await page.getByText('Es gibt nur eine Kopie.').waitFor()
        await shot('protection-phone-de')
        await checkReflow(view, 'protection')
        assert.deepEqual(faults, [])
      },
      { phone: true, locale: 'de-DE' },
    )
  })
})
