// What a search finds, in a real browser: its tags are changed and changed back, and its list is saved.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

describeConsole('tags and lists of what is found', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'photos' } })
    for (const key of ['a/1.txt', 'a/2.txt', '=b.txt'])
      await server.admin.putObjectByQuery({
        params: { bucket: 'photos' },
        query: { key },
        body: key,
        headers: { 'content-type': 'text/plain', 'x-tags': 'stage=draft' },
      })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)
  const tags = async () =>
    (await server.admin.listObjects({ params: { bucket: 'photos' } })).items.map(({ key, tags: of = {} }) => [key, of])
  const updated = (...keys: string[]) =>
    keys.map((key) => ({ action: 'update_object' as const, bucket: 'photos', key }))
  /** The text that the menu of a list saves. */
  const saved = async (page: Page, item: string): Promise<string> => {
    await page.evaluate(() => {
      Object.assign(window, {
        showSaveFilePicker: async () =>
          (await navigator.storage.getDirectory()).getFileHandle('list', { create: true }),
      })
    })
    await page.getByRole('button', { name: 'Export list' }).click()
    await page.getByText('written to a file as it arrives').waitFor()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByText('list saved').first().waitFor()
    return page.evaluate(async () =>
      (await (await (await navigator.storage.getDirectory()).getFileHandle('list')).getFile()).text(),
    )
  }

  it('changes the tags of a selection and of a folder, and takes it back', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/b/photos?q=stage%3A')
      await page.goto(
        `${new URL(page.url()).origin}/console/b/photos?${new URLSearchParams({ q: 'tag:stage=draft ext:txt' })}`,
      )
      const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
      await row('1\\.txt').waitFor()
      await page.keyboard.press('Control+a')
      await page.getByText('3 selected').waitFor()
      await page.getByRole('button', { name: 'Tags…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Tags of 3 objects').waitFor()
      assert.equal(await dialog.getByRole('button', { name: 'Change tags' }).isDisabled(), true)
      await dialog.getByRole('textbox', { name: 'Name' }).fill('stage')
      await dialog.getByRole('textbox', { name: 'Value' }).fill('final')
      await dialog.getByLabel('Remove', { exact: true }).fill('todo')
      await check('tag-dialog', { within: '[role=dialog]' })
      await server.records(updated('=b.txt', 'a/1.txt', 'a/2.txt'), async () => {
        await dialog.getByRole('button', { name: 'Change tags' }).click()
        await page.getByText('Tagged 3 objects').waitFor()
      })
      assert.deepEqual(
        (await tags()).map(([, of]) => of),
        [{ stage: 'final' }, { stage: 'final' }, { stage: 'final' }],
      )
      await server.records(
        ['=b.txt', 'a/1.txt', 'a/2.txt'].map((key) => ({ action: 'restore' as const, bucket: 'photos', key })),
        async () => {
          await page.getByRole('button', { name: 'Undo' }).click()
          await page.getByText('Tags of 3 objects are as before').waitFor()
        },
      )
      assert.deepEqual(
        (await tags()).map(([, of]) => of),
        [{ stage: 'draft' }, { stage: 'draft' }, { stage: 'draft' }],
      )
      // A folder: how many objects that is, is counted before anything changes.
      await page.goto(`${new URL(page.url()).origin}/console/b/photos`)
      await row('^.*a.*').first().waitFor()
      await page.getByRole('row', { name: /\ba\b/ }).first().click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Tags…' }).click()
      await dialog.getByText('This is about 2 objects.').waitFor()
      await dialog.getByLabel('Remove all other tags').check()
      await check('tag-dialog-folder', { within: '[role=dialog]' })
      await server.records(updated('a/1.txt', 'a/2.txt'), async () => {
        await dialog.getByRole('button', { name: 'Change tags' }).click()
        await page.getByText('Tagged 2 objects').waitFor()
      })
      const job = (await server.admin.listJobs({ query: { limit: 5 } })).items.find((one) => !one.dry_run)
      assert.deepEqual(job?.tags, { replace: {} })
      await page.goto(`${new URL(page.url()).origin}/console/jobs/${job?.id}`)
      await page.getByText('Tags from now on').waitFor()
      await check('tag-job')
      await page.getByRole('button', { name: 'Undo change of tags' }).waitFor()
      assert.deepEqual(faults, [])
    }))

  it('saves the list of all that is found, in all buckets and in one', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/search?q=ext%3Atxt')
      await page.getByText('3 objects found').waitFor()
      await check('search-export')
      const csv = await server.records([{ action: 'list_export' }], () => saved(page, 'CSV, for spreadsheets'))
      assert.deepEqual(
        csv
          .trimEnd()
          .split('\r\n')
          .map((line) => line.split(',').slice(0, 3).join(',')),
        ['bucket,key,size', "photos,'=b.txt,6", 'photos,a/1.txt,7', 'photos,a/2.txt,7'],
      )
      await page.goto(`${new URL(page.url()).origin}/console/b/photos?prefix=a%2F&q=ext%3Atxt`)
      await page.getByRole('row', { name: /1\.txt/ }).waitFor()
      await check('browse-export')
      const lines = await server.records([{ action: 'list_export', bucket: 'photos' }], () =>
        saved(page, 'NDJSON, with exact paths'),
      )
      assert.deepEqual(
        lines
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).key),
        ['a/1.txt', 'a/2.txt'],
      )
      assert.deepEqual(faults, [])
    }))

  it('on a phone, in German', () =>
    inBrowser(
      async (browser) => {
        const { page, check } = await openConsole(browser, server, '/search?q=ext%3Atxt')
        await page.getByText('3 Objekte gefunden').waitFor()
        await check('search-export-phone')
      },
      { phone: true, locale: 'de-DE' },
    ))
})
