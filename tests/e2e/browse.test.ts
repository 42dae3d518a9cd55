// The object browser in a real browser: addresses, unusual keys, selection, bulk actions, details.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Locator } from 'playwright-core'
import {
  type Browser,
  type ConsolePage,
  describeConsole,
  inBrowserOf,
  openConsole,
  signIn,
} from '../support/browser.ts'
import { focusIn } from '../support/keyboard.ts'
import { pdf } from '../support/pdf.ts'
import { photo } from '../support/pictures.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { at, found, grid, names, paths, row, tabToGrid } from './listing.ts'

describeConsole('object browser', (engine) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const fill = async (objects: Record<string, string | Buffer | { body: string | Buffer; type: string }>) => {
    const name = `browse-${++buckets}`
    await server.admin.createBucket({ body: { name } })
    for (const [key, given] of Object.entries(objects)) {
      const { body, type } = typeof given === 'object' && 'body' in given ? given : { body: given, type: 'text/plain' }
      await server.admin.putObjectByQuery({
        params: { bucket: name },
        query: { key },
        body: Buffer.from(body as string),
        headers: { 'content-type': type },
      })
    }
    return name
  }
  const inBrowser = inBrowserOf(() => server, { realTime: true })
  const inWhole = inBrowserOf(() => server, { realTime: true, whole: true })
  const open = (
    browser: Browser,
    bucket: string,
    query: Record<string, string> = {},
    options = {},
  ): Promise<ConsolePage> => openConsole(browser, server, at(bucket, query), options)
  const keysIn = async (name: string) =>
    (await server.admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } })).items.map(({ key }) => key)

  it('has an address for every folder and open object; Back, Forward and reload return there', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'a/b/one.txt': '1', 'a/two.txt': '22', 'a/b/three.txt': '3', 'top.txt': 'top' })
      const { page, check, faults } = await open(browser, bucket)
      await page.getByText('1 folder, 1 object').waitFor()
      await check('browse')
      await row(page, 'a').getByRole('link').click()
      await row(page, 'b').getByRole('link').click()
      await row(page, 'three.txt').waitFor()
      assert.equal(new URL(page.url()).searchParams.get('prefix'), 'a/b/')
      await row(page, 'three.txt').getByRole('link').click()
      const details = page.getByRole('complementary')
      await details.getByRole('heading', { name: 'three.txt' }).waitFor()
      assert.equal(new URL(page.url()).searchParams.get('sel'), 'a/b/three.txt')
      assert.match(await page.title(), /^three\.txt – browse-\d+ – Strongroom$/)
      await page.reload()
      await details.getByText('3', { exact: true }).first().waitFor()
      await check('browse-details')
      await page.goBack()
      await details.waitFor({ state: 'detached' })
      await page.goBack()
      await row(page, 'two.txt').waitFor()
      await page.goForward()
      await row(page, 'one.txt').waitFor()
      await page.getByRole('link', { name: bucket }).click()
      await row(page, 'top.txt').waitFor()
      assert.deepEqual(await names(page), ['a', 'top.txt'], 'folders first')
      assert.deepEqual(faults, [])
    }))

  it('shows, opens and links keys that look like paths, numbers or markup', () =>
    inBrowser(async (browser) => {
      const long = `${'漢'.repeat(340)}.txt`
      const odd = [
        'a+b&c#d%25?.txt',
        '日本/é',
        '/leading',
        'a//double',
        '2026/january',
        'true/yes',
        'null/0',
        'עברית/قائمة.txt',
        '😀/😀.txt',
        '"quotes" \'and\' `ticks`',
        '<script>window.hacked = 1</script>',
        'evil\u202Egnp.txt',
        '../up',
        './here',
        'trailing space ',
        long,
      ]
      const bucket = await fill(Object.fromEntries(odd.map((key) => [key, `of ${key}`])))
      const { page, check, faults } = await open(browser, bucket)
      await page.getByText('11 folders, 5 objects').waitFor()
      await check('browse-odd')
      for (const key of odd) {
        const prefix = key.slice(0, key.lastIndexOf('/') + 1)
        await page.goto(`${server.url}/console${at(bucket, { ...(prefix ? { prefix } : {}), sel: key })}`)
        const contents = page.locator('.contents-words pre')
        await contents.waitFor()
        assert.equal(await contents.textContent(), `of ${key}`)
        // The way there by clicks ends at the same address.
        const address = page.url()
        await page.evaluate((to) => history.pushState(null, '', to), `/console${at(bucket)}`)
        await contents.waitFor({ state: 'detached' })
        let walked = ''
        for (const part of prefix.split('/').slice(0, -1)) {
          walked += `${part}/`
          await page.locator(`[data-folder=${JSON.stringify(walked)}] [data-name]`).click()
          await page.waitForURL((url) => url.searchParams.get('prefix') === walked)
        }
        const name = key.slice(prefix.length)
        const shown = name.replace('\u202E', '⟨U+202E⟩').replace(/ $/, '␣')
        await page.locator('[data-name]').filter({ hasText: shown }).first().click()
        await contents.waitFor()
        assert.equal(new URL(page.url()).search, new URL(address).search)
      }
      // A path is folded where it has no room.
      await page.goto(`${server.url}/console${at(bucket, { prefix: 'one/two/three/four/five/' })}`)
      await page.getByRole('link', { name: 'two', exact: true }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'More folders' }).count(), 0)
      const deep = ['one', 'two', 'three', 'four', 'five'].map((name) => `${name} of the folders of this path/`)
      await page.goto(`${server.url}/console${at(bucket, { prefix: deep.join('') })}`)
      await page.getByRole('button', { name: 'More folders' }).click()
      const second = page.getByRole('menuitem', { name: 'two of the folders' })
      await second.waitFor()
      await check('browse-crumbs')
      await second.click()
      await page.waitForURL((url) => url.searchParams.get('prefix') === deep.slice(0, 2).join(''))
      for (const [prefix, words] of [
        ['2026/', '1 object'],
        ['true/', '1 object'],
        ['a//', '1 object'],
        ['/', '1 object'],
      ] as const) {
        await page.goto(`${server.url}/console${at(bucket, { prefix })}`)
        await page.getByText(words, { exact: true }).waitFor()
      }
      assert.equal(await page.evaluate(() => 'hacked' in window), false)
      assert.deepEqual(faults, [])
    }))

  it('undoes a delete and a move, skips or replaces conflicts, and moves no folder into itself', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'a.txt': 'a', 'b.txt': 'b', 'in/c.txt': 'c', 'in/deep/d.txt': 'd' })
      const other = await fill({ 'to/a.txt': 'older' })
      const { page, check, faults } = await open(browser, bucket)
      await row(page, 'a.txt').getByRole('checkbox').click()
      await row(page, 'b.txt').getByRole('checkbox').click()
      await page.keyboard.press('Delete')
      await page.getByText('2 objects moved to the trash').waitFor()
      await page.getByText('1 folder', { exact: true }).waitFor()
      assert.deepEqual(await keysIn(bucket), ['in/c.txt', 'in/deep/d.txt'])
      await check('browse-deleted')
      await page.getByRole('button', { name: 'Undo' }).click()
      await row(page, 'a.txt').waitFor()
      assert.deepEqual(await keysIn(bucket), ['a.txt', 'b.txt', 'in/c.txt', 'in/deep/d.txt'])

      // To another bucket, where one of the names is taken.
      await row(page, 'a.txt').getByRole('checkbox').click()
      await row(page, 'b.txt').getByRole('checkbox').click()
      await page.locator('.browse-selected').getByRole('button', { name: 'Move' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Choose another folder.').waitFor()
      assert.equal(await dialog.locator('.bad').count(), 0, 'nothing is wrong yet')
      await dialog.locator('.browse-folders:focus').waitFor()
      await dialog.getByRole('button', { name: 'in', exact: true }).click()
      await dialog.getByRole('button', { name: bucket, exact: true }).click()
      await dialog.locator('.bad').getByText('Already in this folder.').waitFor()
      await dialog.getByRole('combobox', { name: 'Bucket' }).click()
      await page.getByRole('option', { name: other, exact: true }).click()
      await dialog.getByRole('button', { name: 'to', exact: true }).click()
      await dialog.getByText(`${other}/to/`).waitFor()
      await check('browse-move')
      await dialog.getByRole('button', { name: 'Move here' }).click()
      await page.getByText(`1 object moved to ${other}/to/ · 1 object skipped`).waitFor()
      assert.equal(await page.getByRole('alert').count(), 0, 'what was chosen is no failure')
      assert.deepEqual(await keysIn(bucket), ['a.txt', 'in/c.txt', 'in/deep/d.txt'])
      assert.deepEqual(await keysIn(other), ['to/a.txt', 'to/b.txt'])
      // Undo is never cut, however long its text.
      const undo = page.getByRole('button', { name: 'Undo' }).first()
      assert.ok(
        await undo.evaluate((one) =>
          [one, ...one.querySelectorAll('*')].every(
            (part) => part.scrollWidth <= part.clientWidth + 1 || part.clientWidth === 0,
          ),
        ),
      )
      await undo.click()
      await row(page, 'b.txt').waitFor()
      assert.deepEqual(await keysIn(other), ['to/a.txt'])

      // Replacing, as a copy.
      await row(page, 'a.txt').getByRole('button').click()
      await page.getByRole('menuitem', { name: 'Copy to…' }).click()
      await dialog.getByRole('combobox', { name: 'Bucket' }).click()
      await page.getByRole('option', { name: other, exact: true }).click()
      await dialog.getByRole('button', { name: 'to', exact: true }).click()
      await dialog.getByLabel(/Keep both/).check()
      await dialog.getByRole('button', { name: 'Copy here' }).click()
      await page.getByText(`1 object copied to ${other}/to/`).waitFor()
      assert.deepEqual(await keysIn(other), ['to/a (1).txt', 'to/a.txt'])
      await server.admin.deleteObjectByQuery({ params: { bucket: other }, query: { key: 'to/a (1).txt' } })
      await page.reload()
      await row(page, 'a.txt').getByRole('button').click()
      await page.getByRole('menuitem', { name: 'Copy to…' }).click()
      await dialog.getByRole('combobox', { name: 'Bucket' }).click()
      await page.getByRole('option', { name: other, exact: true }).click()
      await dialog.getByRole('button', { name: 'to', exact: true }).click()
      await dialog.getByLabel(/Replace/).check()
      await dialog.getByRole('button', { name: 'Copy here' }).click()
      await page.getByText(`1 object copied to ${other}/to/`).waitFor()
      const replaced = await server.admin.getObjectByQuery({ params: { bucket: other }, query: { key: 'to/a.txt' } })
      assert.equal(await replaced.text(), 'a')

      // A folder into itself is refused; into a new one it is a job.
      await row(page, 'in').getByRole('button').click()
      await page.getByRole('menuitem', { name: 'Move to…' }).click()
      await dialog.getByRole('button', { name: 'in', exact: true }).click()
      await dialog.getByText('A folder can’t be moved into itself.').waitFor()
      assert.equal(await dialog.getByRole('button', { name: 'Move here' }).isDisabled(), true)
      await dialog.getByRole('button', { name: bucket, exact: true }).click()
      await dialog.getByRole('button', { name: 'New folder' }).click()
      await dialog.getByLabel('Folder name').fill('new')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await dialog.getByRole('button', { name: 'Move here' }).click()
      await page.getByText('Moved 2 objects').waitFor()
      await row(page, 'new').waitFor()
      assert.deepEqual(await keysIn(bucket), ['a.txt', 'b.txt', 'new/in/c.txt', 'new/in/deep/d.txt'])
      // What came there since stays there.
      await server.admin.putObject({ params: { bucket, key: 'new/in/e.txt' }, body: 'e' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Restored 2 objects').waitFor()
      await row(page, 'in').waitFor()
      assert.deepEqual(await keysIn(bucket), ['a.txt', 'b.txt', 'in/c.txt', 'in/deep/d.txt', 'new/in/e.txt'])

      // Dragging onto a folder moves.
      await row(page, 'a.txt').locator('.cell-name').dragTo(row(page, 'new'))
      await page.getByText(`1 object moved to ${bucket}/new/`).waitFor()
      assert.deepEqual(await keysIn(bucket), ['b.txt', 'in/c.txt', 'in/deep/d.txt', 'new/a.txt', 'new/in/e.txt'])
      assert.deepEqual(faults, [])
    }))

  it('undoes a folder and a file that were deleted, moved or copied together as one', () =>
    inBrowser(async (browser) => {
      const content = { 'a.txt': 'a', 'in/c.txt': 'c', 'in/deep/d.txt': 'd', 'to/x.txt': 'x' }
      const bucket = await fill(content)
      const { page, faults } = await open(browser, bucket)
      const dialog = page.getByRole('dialog')
      const undo = page.getByRole('button', { name: 'Undo' })
      const pick = async () => {
        await row(page, 'a.txt').getByRole('checkbox').click()
        await row(page, 'in').getByRole('checkbox').click()
      }
      const isBack = async (words: string) => {
        await page.getByText(words, { exact: true }).first().waitFor()
        await row(page, 'a.txt').waitFor()
        await row(page, 'in').waitFor()
        assert.deepEqual(await keysIn(bucket), Object.keys(content))
      }
      await pick()
      await page.keyboard.press('Delete')
      await page.getByText('Deleted 3 objects').waitFor()
      assert.deepEqual(await keysIn(bucket), ['to/x.txt'])
      assert.equal(await undo.count(), 1, 'one deed, one way back')
      await undo.click()
      await isBack('Restored 3 objects')

      // By the key, and what was moved.
      await page.reload()
      await pick()
      await page.locator('.browse-selected').getByRole('button', { name: 'Move' }).click()
      await dialog.getByRole('button', { name: 'to', exact: true }).click()
      await dialog.getByRole('button', { name: 'Move here' }).click()
      await page.getByText('Moved 3 objects').waitFor()
      assert.deepEqual(await keysIn(bucket), ['to/a.txt', 'to/in/c.txt', 'to/in/deep/d.txt', 'to/x.txt'])
      assert.equal(await undo.count(), 1)
      await page.keyboard.press('Control+z')
      await isBack('Restored 3 objects')

      await page.reload()
      await pick()
      await page.locator('.browse-selected').getByRole('button', { name: 'Copy' }).click()
      await dialog.getByRole('button', { name: 'to', exact: true }).click()
      await dialog.getByRole('button', { name: 'Copy here' }).click()
      await page.getByText('Copied 3 objects').waitFor()
      assert.equal(await undo.count(), 0, 'half of a deed is not taken back')
      await page.keyboard.press('Control+z')
      await page.getByText('The latest change can’t be undone').waitFor()
      assert.deepEqual(await keysIn(bucket), [
        'a.txt',
        'in/c.txt',
        'in/deep/d.txt',
        'to/a.txt',
        'to/in/c.txt',
        'to/in/deep/d.txt',
        'to/x.txt',
      ])
      assert.deepEqual(faults, [])
    }))

  it('undoes by Ctrl+Z the latest deed and never an older one instead', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'a.txt': 'a', 'b.txt': 'b', 'to/x.txt': 'x' })
      const { page, faults } = await open(browser, bucket)
      const dialog = page.getByRole('dialog')
      const rename = async (from: string, to: string) => {
        await row(page, from).locator('.cell-type').click()
        await page.keyboard.press('F2')
        await dialog.getByLabel('New name').fill(to)
        await page.keyboard.press('Enter')
        await page.getByText(`Renamed to ${to}`).waitFor()
        await row(page, to).waitFor()
      }
      const copy = async (how: RegExp) => {
        await row(page, 'b.txt').getByRole('button').click()
        await page.getByRole('menuitem', { name: 'Copy to…' }).click()
        await dialog.getByRole('button', { name: 'to', exact: true }).click()
        await dialog.getByLabel(how).check()
        await dialog.getByRole('button', { name: 'Copy here' }).click()
        await page.getByText(`1 object copied to ${bucket}/to/`).first().waitFor()
        await dialog.waitFor({ state: 'detached' })
      }
      await rename('a.txt', 'renamed.txt')
      await copy(/Skip/)
      assert.deepEqual(await keysIn(bucket), ['b.txt', 'renamed.txt', 'to/b.txt', 'to/x.txt'])
      await page.keyboard.press('Control+z')
      await page.getByText('1 copy removed').waitFor()
      assert.deepEqual(await keysIn(bucket), ['b.txt', 'renamed.txt', 'to/x.txt'])

      // A copy that somebody has changed stays.
      await copy(/Skip/)
      await server.admin.putObjectByQuery({ params: { bucket }, query: { key: 'to/b.txt' }, body: 'other' })
      await page.keyboard.press('Control+z')
      await page.getByText('Someone changed it after you. It stays as it is now.').waitFor()
      await page.getByRole('alert').getByRole('button', { name: 'Close' }).click()
      assert.deepEqual(await keysIn(bucket), ['b.txt', 'renamed.txt', 'to/b.txt', 'to/x.txt'])
      // A copy that may have replaced something is not undone, nor is anything older.
      await copy(/Replace/)
      await page.keyboard.press('Control+z')
      await page.getByText('The latest change can’t be undone').waitFor()
      assert.deepEqual(await keysIn(bucket), ['b.txt', 'renamed.txt', 'to/b.txt', 'to/x.txt'])

      // A new folder, while nothing is in it; then what was done before.
      await rename('renamed.txt', 'c.txt')
      await page.getByRole('button', { name: 'New folder' }).click()
      await dialog.getByLabel('Folder name').fill('new')
      await page.keyboard.press('Enter')
      await page.getByText('This folder is empty').waitFor()
      await page.keyboard.press('Control+z')
      await page.getByText('New folder new removed').waitFor()
      assert.deepEqual(await keysIn(bucket), ['b.txt', 'c.txt', 'to/b.txt', 'to/x.txt'])
      await page.goBack()
      await row(page, 'c.txt').waitFor()
      await page.keyboard.press('Control+z')
      await row(page, 'renamed.txt').waitFor()
      assert.deepEqual(await keysIn(bucket), ['b.txt', 'renamed.txt', 'to/b.txt', 'to/x.txt'])
      // Changed properties, too, are the latest deed.
      await row(page, 'b.txt').getByRole('checkbox').click()
      await page.keyboard.press('Delete')
      await page.getByText('1 object moved to the trash').waitFor()
      await row(page, 'renamed.txt').getByRole('link').click()
      await page.getByRole('complementary').getByRole('button', { name: 'Edit' }).first().click()
      await page.getByRole('complementary').getByLabel('Type').fill('text/markdown')
      await page.getByRole('complementary').getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
      await grid(page).focus()
      await page.keyboard.press('Control+z')
      await page.getByText('The latest change can’t be undone').first().waitFor()
      assert.deepEqual(await keysIn(bucket), ['renamed.txt', 'to/b.txt', 'to/x.txt'])
      assert.deepEqual(faults, [])
    }))

  it('keeps both of a folder and of objects that are moved, and undoes that', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'a.txt': 'a', 'b.txt': 'b', 'in/c.txt': 'c', 'in/deep/d.txt': 'd' })
      const other = await fill({ 'to/a.txt': 'older', 'to/in/c.txt': 'older' })
      const { page, check, faults } = await open(browser, bucket)
      const dialog = page.getByRole('dialog')
      const move = async () => {
        await dialog.getByRole('combobox', { name: 'Bucket' }).click()
        await page.getByRole('option', { name: other, exact: true }).click()
        await dialog.getByRole('button', { name: 'to', exact: true }).click()
        await dialog.getByLabel(/Keep both/).check()
        await check('browse-keep-both')
        await dialog.getByRole('button', { name: 'Move here' }).click()
      }
      await row(page, 'in').getByRole('button').click()
      await page.getByRole('menuitem', { name: 'Move to…' }).click()
      await move()
      await page.getByText('Moved 2 objects').waitFor()
      assert.deepEqual(await keysIn(other), ['to/a.txt', 'to/in/c (1).txt', 'to/in/c.txt', 'to/in/deep/d.txt'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Restored 2 objects').waitFor()
      await row(page, 'in').waitFor()
      assert.deepEqual(await keysIn(bucket), ['a.txt', 'b.txt', 'in/c.txt', 'in/deep/d.txt'])
      assert.deepEqual(await keysIn(other), ['to/a.txt', 'to/in/c.txt'])

      await page.reload()
      await row(page, 'a.txt').getByRole('checkbox').click()
      await row(page, 'b.txt').getByRole('checkbox').click()
      await page.locator('.browse-selected').getByRole('button', { name: 'Move' }).click()
      const moved = { action: 'move', bucket: other } as const
      await server.records(
        [
          { ...moved, key: 'to/a (1).txt' },
          { ...moved, key: 'to/b.txt' },
        ],
        async () => {
          await move()
          await page.getByText(`2 objects moved to ${other}/to/`).waitFor()
        },
      )
      await page.getByRole('button', { name: 'Undo' }).first().click()
      await row(page, 'a.txt').waitFor()
      await until(async () => (await keysIn(bucket)).length === 4)
      assert.deepEqual(await keysIn(other), ['to/a.txt', 'to/in/c.txt'])

      const { items } = await server.admin.listJobs({ query: { limit: 10 } })
      const job = items.find(({ kind, source_bucket }) => kind === 'move' && source_bucket === bucket)
      assert.equal(job?.keep_both, true)
      await page.goto(`${server.url}/console/jobs/${job?.id}`)
      await page.getByText('Keep both', { exact: true }).waitFor()
      await check('job-keep-both')
      assert.deepEqual(faults, [])
    }))

  it('creates folders that persist, and renames objects and folders', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'a.txt': 'a', 'old/b.txt': 'b' })
      const { page, check, faults } = await open(browser, bucket, {}, { expect: [412] })
      await page.getByRole('button', { name: 'New folder' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Folder name').fill('old')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await dialog.getByText('An item with this name already exists.').waitFor()
      await dialog.getByLabel('Folder name').fill('2026')
      await check('browse-new-folder')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.getByText('This folder is empty').waitFor()
      await check('browse-empty')
      assert.equal(new URL(page.url()).searchParams.get('prefix'), '2026/')
      await page.getByRole('link', { name: bucket }).click()
      await row(page, '2026').waitFor()
      await row(page, 'a.txt').locator('.cell-type').click()
      await page.keyboard.press('F2')
      await dialog.getByLabel('New name').fill('é?#%.txt')
      await dialog.getByRole('button', { name: 'Rename' }).click()
      await row(page, 'é?#%.txt').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await row(page, 'a.txt').waitFor()
      await row(page, 'old').locator('.cell-type').click()
      await page.keyboard.press('F2')
      await dialog.getByLabel('New name').fill('2026')
      await dialog.getByRole('button', { name: 'Rename' }).click()
      await dialog.getByText('An item with this name already exists.').waitFor()
      await dialog.getByLabel('New name').fill('newer')
      await dialog.getByRole('button', { name: 'Rename' }).click()
      await page.getByText('Renamed to newer: 1 object').waitFor()
      assert.deepEqual(await keysIn(bucket), ['2026/', 'a.txt', 'newer/b.txt'])
      // There is a way back from the page of the job as well.
      const [renamed] = (await server.admin.listJobs({ query: { limit: 1 } })).items
      await page.goto(`${server.url}/console/jobs/${renamed?.id}`)
      await page.getByRole('button', { name: 'Undo move' }).waitFor()
      await check('job-moved')
      await page.getByRole('button', { name: 'Undo move' }).click()
      await page.getByRole('heading', { name: `Restore ${bucket}/newer/ to ${bucket}/old/` }).waitFor()
      await page.getByText('1 of 1 object').waitFor()
      await check('job-moved-back')
      assert.deepEqual(await keysIn(bucket), ['2026/', 'a.txt', 'old/b.txt'])
      const again = { kind: 'move', source_bucket: bucket, prefix: 'old/', dest_prefix: 'newer/' } as const
      await server.admin.createJob({ body: again })
      await until(async () => (await keysIn(bucket)).includes('newer/b.txt'))
      // Everything in a folder is not the folder.
      await page.goto(`${server.url}/console${at(bucket, { prefix: 'newer/' })}`)
      await row(page, 'b.txt').waitFor()
      await tabToGrid(page)
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Delete')
      await page.getByText('1 object moved to the trash').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('shares, renames and shows in their folder what a search has found', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'x/2026/plan.txt': 'a', 'x/2027/plan.txt': 'b', 'x/2027/zebra.txt': 'c' })
      const { page, faults } = await open(browser, bucket)
      await row(page, 'x').waitFor()
      const dialog = page.getByRole('dialog')
      await page.keyboard.press('/')
      await page.keyboard.type('plan')
      await page.getByText('2 objects found').waitFor()
      await found(page, 'x/2027/plan.txt').click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Share…' }).click()
      await dialog.getByRole('heading', { name: 'Share plan.txt' }).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      // Its name is that in its own folder.
      await page.keyboard.press('F2')
      await focusIn(dialog.getByLabel('New name'))
      assert.equal(await dialog.getByLabel('New name').inputValue(), 'plan.txt')
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('plan-b.txt')
      await page.keyboard.press('Enter')
      await found(page, 'x/2027/plan-b.txt').waitFor()
      assert.deepEqual(await keysIn(bucket), ['x/2026/plan.txt', 'x/2027/plan-b.txt', 'x/2027/zebra.txt'])
      // As tiles, a name first and then its folder.
      await page.getByRole('button', { name: 'Tiles' }).click()
      const tile = page
        .getByRole('gridcell')
        .filter({ has: page.getByRole('link', { name: 'plan-b.txt', exact: true }) })
      await tile.getByText('x/2027').waitFor()
      await tile.click({ button: 'right', position: { x: 60, y: 30 } })
      await page.getByRole('menuitem', { name: 'Show in folder' }).click()
      await page.waitForURL((url) => url.searchParams.get('prefix') === 'x/2027/' && !url.searchParams.has('q'))
      await page.getByRole('link', { name: 'zebra.txt' }).waitFor()
      await page.getByRole('complementary').getByRole('heading', { name: 'plan-b.txt' }).waitFor()
      assert.deepEqual(faults, [])
    }))

  it('filters without a text, takes the language of searches, and says what it does not understand', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({
        'a/photo.png': { body: 'p', type: 'image/png' },
        'b/report.txt': 'report',
        'b/other.txt': 'other',
      })
      await server.admin.updateObject({
        params: { bucket, key: 'b/report.txt' },
        body: { tags: { project: 'apollo' } },
      })
      const { page, check } = await open(browser, bucket)
      await row(page, 'a').waitFor()
      const shows = (...expected: string[]) => until(async () => String(await paths(page)) === String(expected))
      await page.getByRole('button', { name: 'Filter results' }).click()
      const filters = page.getByRole('group', { name: 'Filter results' })
      await filters.getByRole('combobox', { name: 'Type' }).click()
      await page.getByRole('option', { name: 'Pictures', exact: true }).click()
      await shows('a/photo.png')
      await check('search-filters-alone')
      await page.getByRole('button', { name: 'Filter results' }).click()
      await shows('a', 'b')
      await page.keyboard.press('/')
      await page.keyboard.type('tga:project=apollo -other')
      await page.getByText('“tga” is not understood.').waitFor()
      await check('search-not-understood')
      await page.getByRole('button', { name: 'Use tag' }).click()
      await shows('b/report.txt')
      await page.getByLabel('Select all results').click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('1 object moved to the trash').waitFor()
      assert.deepEqual(await keysIn(bucket), ['a/photo.png', 'b/other.txt'])
    }))

  it('sorts and filters what a search has found, and lists folders by their own name first', () =>
    inBrowser(async (browser) => {
      const large = Buffer.alloc(1024 ** 2 + 1, 'x')
      const bucket = await fill({
        'plans/2026/a.txt': 'aaa',
        'plans/notes.txt': 'bb',
        'x/old plan.zip': { body: 'zip', type: 'application/zip' },
        'x/plan of the house.png': { body: large, type: 'image/png' },
        'x/plan.txt': 'a',
        'x/other.txt': 'o',
      })
      const changed = (time: Date, ...keys: string[]) =>
        server.database.transaction((tx) =>
          tx
            .updateTable('objects')
            .set({ last_modified: time.toISOString() })
            .where('bucket_id', '=', tx.selectFrom('buckets').select('id').where('name', '=', bucket))
            .where('key', 'in', keys)
            .execute(),
        )
      const now = new Date()
      await changed(new Date(0), 'x/plan.txt')
      await changed(new Date(now.getTime() - 10 * 86_400_000), 'x/old plan.zip')
      await changed(now, 'plans/2026/a.txt', 'plans/notes.txt', 'x/plan of the house.png')
      const { page, check, faults } = await open(browser, bucket)
      await row(page, 'x').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('plan')
      await page.getByText('1 folder, 5 objects found').waitFor()
      const byName = [
        'plans',
        'plans/2026/a.txt',
        'plans/notes.txt',
        'x/old plan.zip',
        'x/plan of the house.png',
        'x/plan.txt',
      ]
      const shows = (...expected: string[]) => until(async () => String(await paths(page)) === String(expected))
      await shows(...byName)
      await check('search')

      const head = (name: string) => page.getByRole('columnheader').getByRole('button', { name, exact: true })
      await head('Size').click()
      await shows(
        'plans',
        'x/plan.txt',
        'plans/notes.txt',
        'plans/2026/a.txt',
        'x/old plan.zip',
        'x/plan of the house.png',
      )
      await head('Size').click()
      await until(async () => (await paths(page))[1] === 'x/plan of the house.png')
      assert.deepEqual(
        [new URL(page.url()).searchParams.get('sort'), new URL(page.url()).searchParams.get('dir')],
        ['size', 'desc'],
      )
      await head('Type').focus()
      await page.keyboard.press('Enter')
      await until(async () => (await paths(page))[1] === 'x/old plan.zip')
      assert.equal(await page.getByRole('columnheader', { name: 'Type' }).getAttribute('aria-sort'), 'ascending')
      await page.reload()
      await until(async () => (await paths(page))[1] === 'x/old plan.zip')
      await head('Modified').click()
      await until(async () => (await paths(page))[1] === 'x/plan.txt')
      await head('Name').click()
      await head('Name').click()
      await shows('plans', ...byName.slice(1).toReversed())

      // By mouse and by keys.
      const filters = page.getByRole('group', { name: 'Filter results' })
      const choose = async (filter: string, option: string) => {
        await filters.getByRole('combobox', { name: filter }).click()
        await page.getByRole('option', { name: option, exact: true }).click()
      }
      await choose('Type', 'Documents')
      await page.getByText('3 objects found').waitFor()
      await shows('x/plan.txt', 'plans/notes.txt', 'plans/2026/a.txt')
      await filters.getByRole('combobox', { name: 'Modified' }).focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await shows('plans/notes.txt', 'plans/2026/a.txt')
      assert.equal(new URL(page.url()).searchParams.get('changed'), 'today')
      await choose('Size', 'Over 1 MB')
      await page.getByRole('heading', { name: 'No results for these filters' }).waitFor()
      await check('search-no-match')
      await page.getByRole('main').locator('.state').getByText('Clear filters').click()
      await page.getByText('1 folder, 5 objects found').waitFor()
      await choose('Type', 'Pictures')
      await shows('x/plan of the house.png')
      await page.reload()
      await shows('x/plan of the house.png')
      await filters.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByText('1 folder, 5 objects found').waitFor()
      await choose('Modified', 'Last 30 days')
      await page.getByText('4 objects found').waitFor()
      await choose('Type', 'Documents')
      await page.getByText('2 objects found').waitFor()
      await check('search-filtered')

      // All of them are what the filters leave, not what the text has.
      await page.getByLabel('Select all results').click()
      await page.getByText('2 selected').waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('2 objects moved to the trash').waitFor()
      await page.getByRole('heading', { name: 'No results for these filters' }).waitFor()
      assert.deepEqual(await keysIn(bucket), ['x/old plan.zip', 'x/other.txt', 'x/plan of the house.png', 'x/plan.txt'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('2 objects restored').waitFor()

      // A folder that was found opens, without the search and its filters.
      await filters.getByRole('button', { name: 'Clear filters' }).click()
      await row(page, 'plans').getByRole('link').click()
      await row(page, 'notes.txt').waitFor()
      const { searchParams } = new URL(page.url())
      assert.deepEqual(
        ['prefix', 'q', 'kind', 'changed'].map((name) => searchParams.get(name)),
        ['plans/', null, null, null],
      )
      assert.deepEqual(faults, [])
    }))

  it('names what it has found before the folder that it is in, with what was asked for marked', () =>
    inBrowser(async (browser) => {
      const long = 'minutes of the meeting about the harbour, final-report.txt'
      const bucket = await fill({ 'Reports/2026/my REPORT.txt': 'a', [`x/${long}`]: 'b', 'x/other.txt': 'c' })
      const { page, check, faults } = await open(browser, bucket, { q: 'report' })
      await page.getByText('1 folder, 2 objects found').waitFor()
      assert.deepEqual(await paths(page), ['Reports', 'Reports/2026/my REPORT.txt', `x/${long}`])
      const marks = (path: string) => found(page, path).locator('mark').allTextContents()
      await found(page, 'Reports').locator('mark').waitFor()
      assert.deepEqual(await marks('Reports'), ['Report'])
      assert.deepEqual(await marks('Reports/2026/my REPORT.txt'), ['REPORT', 'Report'])
      const parts = found(page, 'Reports/2026/my REPORT.txt').locator('.cell-name bdi')
      assert.deepEqual(await parts.allTextContents(), ['my REPORT.txt', 'Reports/2026/'])
      // The end of a long name is drawn by the style.
      await found(page, `x/${long}`).locator('.cut[data-hit]').waitFor()
      assert.equal(await row(page, long).count(), 1, 'the name of the link is whole')
      await check('search-marks')
      await page.getByRole('button', { name: 'Tiles' }).click()
      const tile = page.getByRole('gridcell').filter({ has: page.getByRole('link', { name: 'my REPORT.txt' }) })
      await tile.locator('mark').first().waitFor()
      assert.deepEqual(await tile.locator('mark').allTextContents(), ['REPORT', 'Report'])
      await check('search-marks-tiles')
      await page.goto(`${server.url}/console/search?${new URLSearchParams({ q: `bucket:${bucket} my rep` })}`)
      const line = page.getByRole('row').filter({ hasText: 'my REPORT.txt' })
      await line.locator('mark').first().waitFor()
      assert.deepEqual(await line.locator('mark').allTextContents(), ['my', 'REP', 'Rep'])
      // A folder that is opened from there is no search.
      await page.goto(`${server.url}/console${at(bucket, { prefix: 'Reports/2026/' })}`)
      await row(page, 'my REPORT.txt').waitFor()
      assert.equal(await page.locator('mark').count(), 0)
      assert.deepEqual(faults, [])
    }))

  it('acts once on what is in a folder that was found with it', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'plans/a.txt': 'a', 'plans/b.txt': 'b', 'x/plan.txt': 'c', 'other.txt': 'o' })
      const { page, faults } = await open(browser, bucket, { q: 'plan' })
      await page.getByText('1 folder, 3 objects found').waitFor()
      await page.getByLabel('Select all results').click()
      await page.getByText('4 selected').waitFor()
      // Without the folder, and so without what is in it.
      await row(page, 'plans').getByRole('checkbox').click()
      await page.getByText('1 selected').waitFor()
      const checked = (path: string) => found(page, path).getByRole('checkbox').isChecked()
      assert.deepEqual(await Promise.all(['plans', 'plans/a.txt', 'plans/b.txt', 'x/plan.txt'].map(checked)), [
        false,
        false,
        false,
        true,
      ])
      // One thing in it alone, and without it again.
      await found(page, 'plans/a.txt').getByRole('checkbox').click()
      await page.getByText('3 selected').waitFor()
      assert.equal(await checked('plans/b.txt'), false)
      await row(page, 'plans').getByRole('checkbox').click()
      await page.getByText('1 selected').waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('1 object moved to the trash').waitFor()
      assert.deepEqual(await keysIn(bucket), ['other.txt', 'plans/a.txt', 'plans/b.txt'])
      await page.getByText('1 folder, 2 objects found').waitFor()
      await page.getByLabel('Select all results').click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('2 objects moved to the trash').waitFor()
      await page.getByText('No results for “plan”').waitFor()
      assert.deepEqual(await keysIn(bucket), ['other.txt'])
      assert.deepEqual(faults, [])
    }))

  it('offers the whole bucket to a search that found nothing in a folder, and shows a folder where it is', () =>
    inBrowser(async (browser) => {
      const others = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`x/y/a${i}/o.txt`, 'o']))
      const bucket = await fill({ ...others, 'x/y/plans/a.txt': 'a', 'here/b.txt': 'b' })
      const { page, check, faults } = await open(browser, bucket, { prefix: 'here/' })
      await row(page, 'b.txt').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('plans')
      await page.getByRole('heading', { name: 'No results for “plans”' }).waitFor()
      const state = page.getByRole('main').locator('.state')
      await state.getByText('Nothing in this folder or its subfolders matches.').waitFor()
      assert.equal(await page.getByText('Clear filters').count(), 0)
      await check('search-nothing')
      await state.getByRole('button', { name: 'Clear search' }).click()
      await row(page, 'b.txt').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('plans')
      await state.getByRole('button', { name: 'Search the whole bucket' }).press('Enter')
      await page.getByText('1 folder, 1 object found').waitFor()
      const { searchParams } = new URL(page.url())
      assert.deepEqual([searchParams.get('prefix'), searchParams.get('q')], [null, 'plans'])

      await found(page, 'x/y/plans').click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Show in folder' }).click()
      await page.waitForURL((url) => url.searchParams.get('prefix') === 'x/y/' && !url.searchParams.has('q'))
      // The cursor is on it, wherever it is.
      await page.locator('.vgrid-row[data-cursor]').getByRole('link', { name: 'plans', exact: true }).waitFor()
      assert.ok(await row(page, 'plans').isVisible())
      await page.keyboard.press('Enter')
      await row(page, 'a.txt').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('nowhere')
      await state.getByRole('button', { name: 'Search the whole bucket' }).click()
      await page.waitForURL((url) => !url.searchParams.has('prefix'))
      await state.waitFor()
      assert.equal(await state.getByRole('button', { name: 'Search the whole bucket' }).count(), 0)
      assert.deepEqual(faults, [])
    }))

  it('shortens a long name before its end, and keeps it whole for those who read or copy it', () =>
    inBrowser(async (browser) => {
      const long =
        'holiday pictures of the harbour, the beach and the old town in the evening, all of them, edited-final-2.jpg'
      const wide = `${'海と港の夕暮れ'.repeat(12)}の二枚目.txt`
      const bucket = await fill({ [long]: 'a', [wide]: 'b', 'short name.txt': 'c' })
      const { page, check, faults } = await open(browser, bucket)
      const cuts = page.locator('[data-name] .cut')
      for (const [name, end] of [
        [long, '-final-2.jpg'],
        [wide, '目.txt'],
      ] as const)
        for (const [width, view] of [
          [1440, 'Tiles'],
          [1000, 'List'],
          [390, 'List'],
          [390, 'Tiles'],
        ] as const) {
          await page.setViewportSize({ width, height: 844 })
          await page.getByRole('button', { name: view }).click()
          const link = page.getByRole('link', { name, exact: true })
          await link.waitFor()
          assert.equal(await link.getAttribute('title'), name)
          const seen = await link.evaluate((element) => {
            const cut = element.querySelector<HTMLElement>('.cut')
            const head = cut?.firstElementChild as HTMLElement
            // What can be dragged can't be selected; whoever may only read can do that.
            element.closest<HTMLElement>('[data-index]')?.setAttribute('draggable', 'false')
            const range = document.createRange()
            range.selectNodeContents(element)
            getSelection()?.removeAllRanges()
            getSelection()?.addRange(range)
            const copied = String(getSelection())
            getSelection()?.removeAllRanges()
            return {
              copied,
              end: cut?.dataset.end ?? '',
              isCut: head.scrollWidth > head.clientWidth,
              headWidth: head.clientWidth,
              overflow: (cut?.scrollWidth ?? 0) - (element as HTMLElement).clientWidth,
            }
          })
          const where = `${name}, ${view} at ${width}`
          assert.equal(seen.copied, name, where)
          assert.ok(end.endsWith(seen.end) || seen.end.endsWith(end.slice(-8)), where)
          assert.ok(seen.isCut, where)
          assert.ok(seen.headWidth > 16, `${where}: ${seen.headWidth}`)
          assert.ok(seen.overflow <= 0, where)
          if (name === long) await check(`browse-long-${view.toLowerCase()}-${width}`)
        }
      assert.equal(await cuts.count(), 2, 'a short name is one piece')
      assert.deepEqual(faults, [])
    }))

  it('says how many objects are in a folder and their size, by its menu and by a key', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'in/a.txt': 'a', 'in/deep/b.txt': 'b'.repeat(2000), 'in/deep/': '', 'out.txt': 'c' })
      const { page, check, faults } = await open(browser, bucket, {}, { expect: [500] })
      await row(page, 'in').click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Details' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('heading', { name: 'in', exact: true }).waitFor()
      await dialog.getByText('(2,001 B)').waitFor()
      const facts = await dialog.locator('dd').allTextContents()
      assert.match(facts.join('|'), /^in\/\|2 \|2 KB \(2,001 B\) $/)
      await check('folder-details')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      // What is added meanwhile is counted too.
      await server.admin.putObjectByQuery({ params: { bucket }, query: { key: 'in/c.txt' }, body: Buffer.from('cc') })
      await page.getByRole('grid').and(page.locator(':focus')).waitFor()
      const counts = `**/api/v1/buckets/${bucket}/count?*`
      await page.route(counts, (route) => route.fulfill({ status: 500, body: '{}' }))
      await page.keyboard.press('i')
      const again = dialog.getByRole('button', { name: 'Try again' })
      await again.waitFor()
      await page.unroute(counts)
      await again.click()
      await dialog.getByText('(2,003 B)').waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      await check('folder-details-narrow', { schemes: ['light'] })
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    }))

  it('shows in the menu of a row what each action looks like, and its key', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'in/a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
      const { page, check, faults } = await open(browser, bucket)
      const items = page.getByRole('menuitem')
      const keys = async () => {
        await items.first().waitFor()
        assert.equal(await items.locator('svg').count(), await items.count(), 'an icon each')
        return Promise.all(
          (await items.all()).map(async (item) => [
            await item.locator('.mantine-Menu-itemLabel').textContent(),
            await item.getAttribute('aria-keyshortcuts'),
          ]),
        )
      }
      await row(page, 'b.txt').click({ button: 'right' })
      assert.deepEqual(await keys(), [
        ['Details', 'i'],
        ['Full screen', 'f'],
        ['Download', 'd'],
        ['Share…', 's'],
        ['Rename…', 'F2'],
        ['Copy to…', 'c'],
        ['Move to…', 'm'],
        ['Tags…', null],
        ['Copy link', null],
        ['Copy path', null],
        ['Who has access', null],
        ['Delete', 'Delete'],
      ])
      assert.ok(await items.locator('kbd', { hasText: 'F2' }).isVisible())
      await page.getByRole('menuitem', { name: 'Rename…', exact: true }).waitFor()
      await check('browse-menu')
      await page.keyboard.press('Escape')
      // The keys are about what is selected, the menu of another row is not.
      await row(page, 'c.txt').getByRole('checkbox').click()
      const bar = page.locator('.browse-selected')
      assert.equal(await bar.getByRole('button', { name: 'Move to…' }).getAttribute('aria-keyshortcuts'), 'm')
      await row(page, 'b.txt').getByRole('button').click()
      assert.ok((await keys()).every(([, key]) => key === null))
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Clear selection' }).click()
      await row(page, 'in').getByRole('button').click()
      assert.deepEqual((await keys()).slice(0, 2), [
        ['Open', 'Enter'],
        ['Details', 'i'],
      ])
      await page.keyboard.press('Escape')
      await page.keyboard.press('Enter')
      await row(page, 'a.txt').waitFor()

      // Turned off, single keys are not shown.
      await page.keyboard.press('Shift+?')
      await page.getByRole('dialog').getByRole('switch', { name: 'Single-key shortcuts' }).click({ force: true })
      await page.keyboard.press('Escape')
      await row(page, 'a.txt').click({ button: 'right' })
      assert.deepEqual(
        (await keys()).flatMap(([, key]) => key ?? []),
        ['F2', 'Delete'],
      )
      await page.keyboard.press('Escape')
      await page.setViewportSize({ width: 390, height: 844 })
      await row(page, 'a.txt').getByRole('button').click()
      await items.first().waitFor()
      await check('browse-menu-narrow')
      assert.deepEqual(faults, [])
    }))

  it('puts files that are dropped on a folder into it', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'in/a.txt': 'a', 'b.txt': 'b' })
      const { page, check, faults } = await open(browser, bucket)
      await row(page, 'in').waitFor()
      const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-drop-')), 'dropped.txt')
      fs.writeFileSync(file, 'dropped')
      const session = await page.context().newCDPSession(page)
      const data = { items: [], files: [file], dragOperationsMask: 1 }
      const drag = async (onto: Locator, ...types: ('dragEnter' | 'dragOver' | 'drop')[]) => {
        const box = await onto.boundingBox()
        assert.ok(box)
        for (const type of types)
          await session.send('Input.dispatchDragEvent', { type, x: box.x + 80, y: box.y + box.height / 2, data })
      }
      const says = page.locator('.browse-drop')
      await drag(row(page, 'b.txt'), 'dragEnter', 'dragOver', 'dragOver')
      await says.getByText(`Drop to upload to ${bucket}/`, { exact: true }).waitFor()
      await drag(row(page, 'in'), 'dragOver', 'dragOver')
      await says.getByText(`Drop to upload to ${bucket}/in/`).waitFor()
      await check('browse-drop', { within: '.browse-drop' })
      await drag(row(page, 'in'), 'drop')
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await keysIn(bucket)).includes('in/dropped.txt'))
      assert.deepEqual(faults, [])
      fs.rmSync(path.dirname(file), { recursive: true })
    }))

  it('previews images, PDF, the start of a text and audio by ranges, and says what it can’t preview', () =>
    inWhole(async (browser) => {
      const png = await photo(900, 600).png().toBuffer()
      const bucket = await fill({
        'a.png': { body: png, type: 'image/png' },
        'b.pdf': { body: pdf('Quarterly figures'), type: 'application/pdf' },
        'c.json': { body: '{"name": "value", "n": 12}', type: 'application/json' },
        'd.txt': { body: 'x'.repeat(600_000), type: 'text/plain' },
        'e.wav': { body: wav(40), type: 'audio/wav' },
        'f.bin': { body: Buffer.from([0, 1, 2, 3]), type: 'application/octet-stream' },
        'g.png': { body: 'not a picture', type: 'image/png' },
        'h.txt': { body: '', type: 'text/plain' },
        'i.md': { body: '# Title\n\n*words*', type: 'text/markdown' },
      })
      const { page, check, faults } = await open(browser, bucket, { sel: 'a.png' }, { expect: [415, 422] })
      const ranges: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/signed/')) ranges.push(request.headers().range ?? '')
      })
      const picture = page.getByRole('img', { name: 'Contents of a.png' })
      await page.waitForFunction(() => (document.querySelector('.contents img') as HTMLImageElement | null)?.complete)
      assert.deepEqual(
        await picture.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.src.slice(0, 5)]),
        [900, 'blob:'],
      )
      await check('preview-picture')
      const next = page.getByRole('button', { name: 'Next object' })
      await next.click()
      const frame = page.frameLocator('.contents-pdf')
      await page.locator('.contents-pdf').waitFor()
      await frame.locator('embed, body').first().waitFor()
      // The viewer's title, and the name under which it saves.
      assert.match((await page.locator('.contents-pdf').getAttribute('src')) ?? '', /\/signed\/[^/]+\/b\.pdf$/)
      await check('preview-pdf')
      await next.click()
      await page.locator('.contents-json').getByText('"value"').waitFor()
      await check('preview-json')
      await page.locator('.contents').getByText('Source').click()
      await page.locator('.contents pre .tone-name').first().waitFor()
      assert.equal(await page.locator('.contents pre').textContent(), '{"name": "value", "n": 12}')
      await next.click()
      await page.getByText('First 256 KB of 586 KB').waitFor()
      assert.equal((await page.locator('.contents pre').textContent())?.length, 256 * 1024)
      await next.click()
      ranges.length = 0
      const sound = page.locator('.contents audio')
      await sound.waitFor()
      await page.waitForFunction(() => (document.querySelector('audio')?.readyState ?? 0) > 0)
      await sound.evaluate(
        (audio: HTMLAudioElement) =>
          new Promise((resolve) => {
            audio.addEventListener('seeked', resolve, { once: true })
            audio.currentTime = 35
          }),
      )
      assert.ok(
        ranges.some((range) => /^bytes=[1-9]/.test(range)),
        `the sound is read from where it was sought: ${ranges.join()}`,
      )
      await next.click()
      await page.getByText('No preview for this file type').waitFor()
      await check('preview-none')
      await next.click()
      await page.getByText('Preview failed').waitFor()
      await next.click()
      await page.getByText('Empty (0 bytes)').waitFor()
      await next.click()
      await page.locator('.contents').getByRole('heading', { name: 'Title' }).waitFor()
      assert.equal(await next.isDisabled(), true)

      // Its type and metadata, and ways to it.
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Type').fill('text/plain')
      await page.getByRole('button', { name: 'Add entry' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Colour')
      await page.getByLabel('Value').fill('blue')
      await check('details-edit')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved').waitFor()
      const [item] = (await server.admin.listObjects({ params: { bucket }, query: { prefix: 'i.md' } })).items
      assert.deepEqual([item?.content_type, item?.metadata], ['text/plain', { colour: 'blue' }])
      await page.getByRole('tab', { name: 'Links' }).click()
      await page.getByRole('button', { name: 'Create presigned URL' }).click()
      const url = await page.getByLabel('Presigned URL').inputValue()
      assert.equal(await (await fetch(server.url + new URL(url).pathname)).text(), '# Title\n\n*words*')
      await check('details-links')
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('complementary').getByRole('button', { name: 'Download' }).click(),
      ])
      assert.equal(saved.suggestedFilename(), 'i.md')
      await server.admin.deleteObjectByQuery({ params: { bucket }, query: { key: 'i.md' } })
      await page.reload()
      await page.getByText('This object no longer exists').waitFor()
      await check('details-gone')
      assert.deepEqual(faults, [])
    }))

  it('offers in the details what people do most, and the rest in a menu that gives the focus back', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'a.txt': { body: 'a', type: 'text/plain' } })
      const { page, check, faults } = await open(browser, bucket)
      await page.getByRole('link', { name: 'a.txt' }).click()
      const details = page.getByRole('complementary')
      await details.getByRole('tab', { name: 'Links' }).waitFor()
      const actions = await details.locator('.details-deeds button').allTextContents()
      assert.deepEqual(actions, ['Download', 'Share…', 'Copy link', ''])
      const more = details.getByRole('button', { name: 'Actions' })
      await more.press('Enter')
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
      const items = await page.getByRole('menu').getByRole('menuitem').allTextContents()
      assert.deepEqual(items, ['Rename…', 'Copy to…', 'Move to…', 'Tags…', 'Delete'])
      await check('details-menu')
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Actions')
      await server.records([{ action: 'delete', bucket, key: 'a.txt' }], async () => {
        await more.click()
        await page.getByRole('menuitem', { name: 'Delete' }).click()
        await page.getByText('1 object moved to the trash').waitFor()
      })
      assert.deepEqual(faults, [])
    }))

  it('never runs an object’s script on its own origin', () =>
    inBrowser(async (browser) => {
      const steal =
        'document.title = "stolen"; top.postMessage(localStorage.length, "*"); fetch("/api/v1/auth/refresh")'
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload='${steal}'><script>${steal}</script></svg>`
      const html = `<!doctype html><script>${steal}</script><img src=x onerror='${steal}'>`
      const bucket = await fill({
        'evil.svg': { body: svg, type: 'image/svg+xml' },
        'evil.html': { body: html, type: 'text/html' },
        'evil.md': { body: html, type: 'text/markdown' },
        'evil.xml': { body: svg, type: 'application/xml' },
        'lies.png': { body: html, type: 'image/png' },
      })
      const { page, faults } = await open(browser, bucket, {}, { expect: [415, 422] })
      await page.evaluate(() => {
        addEventListener('message', () => document.body.setAttribute('data-stolen', '1'))
      })
      for (const key of ['evil.html', 'evil.md', 'evil.svg', 'evil.xml']) {
        await row(page, key).getByRole('link').click()
        await page.getByRole('complementary').getByRole('heading', { name: key }).waitFor()
        if (key === 'evil.md') {
          await page.locator('.contents-markdown').getByText('stolen').first().waitFor()
          await page.locator('.contents').getByText('Source').click()
        }
        if (key === 'evil.svg') {
          await page.locator('.contents img').waitFor()
          await page.locator('.contents-drawing').getByText('Source').click()
        }
        await page.locator('.contents pre').getByText('stolen').first().waitFor()
      }
      await row(page, 'lies.png').getByRole('link').click()
      await page.getByText('Preview failed').waitFor()
      assert.equal(await page.locator('body').getAttribute('data-stolen'), null)
      assert.match(await page.title(), /Strongroom$/)
      assert.deepEqual(faults, [])

      // The same objects by the URLs that the browser itself opens.
      for (const key of ['evil.html', 'evil.svg', 'lies.png'])
        for (const embed of [true, false]) {
          const { url } = await server.admin.presignObject({ params: { bucket }, body: { key, embed } })
          const address = server.url + new URL(url).pathname
          const direct = await fetch(address)
          assert.match(direct.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
          assert.equal(direct.headers.get('x-content-type-options'), 'nosniff')
          if (key !== 'lies.png') assert.match(direct.headers.get('content-disposition') ?? '', /^attachment/)
          await page.evaluate((src) => {
            const frame = document.createElement('iframe')
            frame.src = src
            document.body.append(frame)
          }, address)
          await page.waitForTimeout(200)
          assert.equal(await page.locator('body').getAttribute('data-stolen'), null, `${key} ${embed}`)
        }
      assert.match(await page.title(), /Strongroom$/)
    }))

  it('works by keyboard alone, lists its shortcuts, can turn them off, and opens any page from the palette', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'a/one.txt': '1', 'a/two.txt': '2', 'top.txt': 'top' })
      const { page, check, faults } = await open(browser, bucket)
      await row(page, 'a').waitFor()
      const press = (...keys: string[]) =>
        keys.reduce((last, key) => last.then(() => page.keyboard.press(key)), Promise.resolve())
      await tabToGrid(page)
      await press('Enter')
      await row(page, 'one.txt').waitFor()
      await press('ArrowDown', 'Space')
      await page.locator('.browse-selected').getByText('1 selected').waitFor()
      await press('Escape')
      await page.getByText('2 objects', { exact: true }).waitFor()
      await press('Enter')
      await page.getByRole('complementary').getByRole('heading', { name: 'two.txt' }).waitFor()
      await press('ArrowUp')
      await page.getByRole('complementary').getByRole('heading', { name: 'one.txt' }).waitFor()
      await press('Escape')
      await page.getByRole('complementary').waitFor({ state: 'detached' })
      assert.equal(await grid(page).evaluate((one) => one === document.activeElement), true)
      await press('c')
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Copy 1 object').waitFor()
      await press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await press('Delete')
      await page.getByText('1 object moved to the trash').waitFor()
      assert.deepEqual(await keysIn(bucket), ['a/two.txt', 'top.txt'])
      await press('Backspace')
      await row(page, 'top.txt').waitFor()
      await press('n')
      await focusIn(dialog.getByLabel('Folder name'))
      // In a field they are letters.
      await page.keyboard.type('nu?')
      assert.equal(await dialog.getByLabel('Folder name').inputValue(), 'nu?')
      await press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await press('/')
      await page.keyboard.type('two')
      await page.getByText('1 object found').waitFor()
      await press('Escape')
      await row(page, 'top.txt').waitFor()
      // Out of the field as well.
      await press('Escape')
      await press('Shift+?')
      await dialog.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
      await check('shortcuts')
      await dialog.getByRole('switch').click({ force: true })
      await press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await press('n')
      await page.getByText('0 objects found').waitFor()
      await press('Control+k')
      await dialog.getByRole('combobox').fill('audit')
      await check('palette')
      await press('Enter')
      await page.waitForURL('**/console/admin/audit')
      // The account's switch is the same.
      await page.goto(`${server.url}/console/account`)
      const keys = page.getByRole('switch', { name: 'Single-key shortcuts' })
      assert.equal(await keys.isChecked(), false)
      await keys.click({ force: true })
      assert.deepEqual(faults, [])
    }))

  it('offers a reader only what they can do, and names the missing permission or folder', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'in/a.txt': 'a', 'out/b.txt': 'b' })
      const token = await server.userWith({ bucket_pattern: bucket, prefix: 'in/', actions: ['list', 'read'] })
      const { email } = await server.as(token).me()
      const number = /\d+/.exec(email)?.[0]
      await signIn(browser, server, { email, password: `password of ${number}` })
      const { page, check, shot, faults } = await open(browser, bucket, { prefix: 'in/' }, { expect: [403] })
      await row(page, 'a.txt').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Upload' }).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'New folder' }).count(), 0)
      await row(page, 'a.txt').getByRole('link').click()
      // Who has uploaded it is not for everyone.
      await page.getByRole('complementary').getByText('Another user').waitFor()
      await page.keyboard.press('Escape')
      await row(page, 'a.txt').click({ button: 'right' })
      await page.getByRole('menuitem').first().waitFor()
      assert.deepEqual(await page.getByRole('menuitem').locator('.mantine-Menu-itemLabel').allTextContents(), [
        'Details',
        'Full screen',
        'Download',
        'Copy link',
        'Copy path',
      ])
      await check('browse-reader')
      await page.keyboard.press('Escape')
      const files = await page.evaluateHandle(() => {
        const transfer = new DataTransfer()
        transfer.items.add(new File(['x'], 'x.txt'))
        return transfer
      })
      await page.locator('.browse').dispatchEvent('dragover', { dataTransfer: files })
      await page.getByText(`You can’t upload here. Requires the “write” permission on ${bucket}/in/`).waitFor()
      await shot('browse-denied')
      await page.goto(`${server.url}/console${at(bucket, { prefix: 'out/' })}`)
      await page.getByText('You don’t have permission to view this').waitFor()
      await check('browse-forbidden')
      assert.deepEqual(faults, [])
    }))

  it('shows missing folders and failures, and retries', () =>
    inBrowser(async (browser) => {
      const bucket = await fill({ 'a.txt': 'a' })
      const { page, check } = await open(browser, bucket, { prefix: 'none/' }, { expect: [404, 500] })
      await page.getByText('Folder not found').waitFor()
      await page.getByRole('button', { name: 'Go to the top of the bucket' }).click()
      await row(page, 'a.txt').waitFor()
      await page.goto(`${server.url}/console${at('absent-bucket')}`)
      await page.getByText('There is no bucket').waitFor()
      await check('browse-absent')
      await page.route('**/browse?*', (route) =>
        route.fulfill({
          status: 500,
          json: { status: 500, code: 'internal', title: 'It broke', detail: 'Something.', request_id: 'req-1' },
        }),
      )
      await page.goto(`${server.url}/console${at(bucket)}`)
      await page.getByText('req-1').waitFor()
      await page.unroute('**/browse?*')
      await page.getByRole('button', { name: 'Try again' }).click()
      await row(page, 'a.txt').waitFor()
    }))

  it('sorts and filters results on a phone, where the heads of columns have no room', () =>
    inBrowser(
      async (browser) => {
        const bucket = await fill({
          'plan a.txt': 'aaa',
          'plan b.txt': 'b',
          'plan c.png': { body: 'cc', type: 'image/png' },
        })
        const { page, check, faults } = await open(browser, bucket, { q: 'plan' })
        await page.getByText('3 objects found').waitFor()
        const filters = page.getByRole('group', { name: 'Filter results' })
        await filters.getByRole('combobox', { name: 'Sort order' }).click()
        await page.getByRole('option', { name: 'Size ↓' }).click()
        await until(async () => String(await names(page)) === 'plan a.txt,plan c.png,plan b.txt')
        await filters.getByRole('combobox', { name: 'Type' }).click()
        await page.getByRole('option', { name: 'Documents' }).click()
        await until(async () => String(await names(page)) === 'plan a.txt,plan b.txt')
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
        await check('search-phone')
        assert.deepEqual(faults, [])
      },
      { width: 390, height: 844 },
    ))

  it('fits a phone with two lines a row, in the right color scheme from the first frame', () =>
    inBrowser(
      async (browser) => {
        const bucket = await fill({
          'photos/a.txt': 'a',
          'a rather long name of a file that is cut.txt': 'b',
          'c.txt': 'c',
        })
        const { page, check, faults } = await open(browser, bucket)
        await row(page, 'c.txt').waitFor()
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
        await check('browse-phone')
        // The bucket's name is as large as on its other tabs.
        const title = page.locator('h1').getByText(bucket, { exact: true })
        assert.equal(await title.evaluate((one) => getComputedStyle(one).fontSize), '20px')
        // The path starts with the buckets, in a folder and on the other tabs too, and fits.
        const toBuckets = page.getByRole('main').getByRole('link', { name: 'Buckets' })
        for (const at of [
          '?prefix=photos/',
          '?prefix=one/two/three/four/five/',
          '/settings',
          '/uploads',
          '/trash',
          '/overview',
        ]) {
          await page.goto(`${server.url}/console/b/${bucket}${at}`)
          await toBuckets.waitFor()
          // In a folder, the way to it is in a menu.
          const folder = /([^/=]+)\/$/.exec(at)?.[1]
          const heading = page.getByRole('heading', { level: 1 })
          await heading.getByText(folder ?? bucket, { exact: true }).waitFor()
          if (folder !== undefined) {
            await heading.getByRole('button', { name: 'More folders' }).click()
            await page.getByRole('menuitem', { name: bucket, exact: true }).waitFor()
            await page.keyboard.press('Escape')
          }
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
          await check(`bucket-path-phone${at.replace(/\W+/g, '-')}`)
        }
        await toBuckets.click()
        await page.getByRole('heading', { level: 1, name: 'Buckets' }).waitFor()
        await page.goBack()
        await page.goto(`${server.url}/console/b/${bucket}`)
        await row(page, 'c.txt').waitFor()
        // The menu covers the view: Escape and a tap outside close it, and do nothing else.
        const menu = page.getByRole('button', { name: 'Menu', exact: true })
        const buckets = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Buckets' })
        await menu.click()
        await page.locator('.nav-link:focus').waitFor()
        await check('menu-phone')
        await page.keyboard.press('Escape')
        await buckets.waitFor({ state: 'hidden' })
        await menu.and(page.locator(':focus')).waitFor()
        await page.keyboard.press('Enter')
        await buckets.waitFor()
        await page.mouse.click(370, 300)
        await buckets.waitFor({ state: 'hidden' })
        assert.equal(new URL(page.url()).search, '')
        await row(page, 'c.txt').getByRole('checkbox').click()
        await check('browse-phone-selected')
        await row(page, 'c.txt').getByRole('link').click()
        await page.getByRole('complementary').getByRole('heading', { name: 'c.txt' }).waitFor()
        await check('browse-phone-details')
        await page.goBack()
        await row(page, 'c.txt').waitFor()
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.addInitScript(() => {
          const seen: (string | undefined)[] = []
          Object.assign(window, { seen })
          const look = () => seen.push(document.documentElement?.dataset.mantineColorScheme)
          new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true })
        })
        await page.reload()
        await row(page, 'c.txt').waitFor()
        const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
        const first = seen.indexOf('dark')
        assert.ok(first >= 0 && !seen.slice(first).includes('light'), 'once dark, it is never light')
        assert.deepEqual(faults, [])
      },
      { width: 390, height: 844 },
    ))
})

/** Seconds of silence, long enough to be read in parts. */
function wav(seconds: number): Buffer {
  const rate = 44_100
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + seconds * rate * 2, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(seconds * rate * 2, 40)
  return Buffer.concat([head, Buffer.alloc(seconds * rate * 2)])
}
