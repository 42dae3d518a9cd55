// Keyboard use of the object browser: keys act only on what is visibly selected, and the focus stays on the list.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Browser, inBrowserOf, openConsole } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const at = (bucket: string, query: Record<string, string> = {}) => `/b/${bucket}?${new URLSearchParams(query)}`
/** A line of the list, or a tile. */
const item = (page: Page, name: string) =>
  page.locator('[data-index]').filter({ has: page.getByRole('link', { name, exact: true }) })
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
/** The name of what the cursor is seen on, while the grid has the focus; else what has the focus instead. */
const cursorOn = (page: Page) =>
  page.evaluate(() => {
    const active = document.activeElement
    if (active?.getAttribute('role') !== 'grid') return `focus on ${active?.tagName} ${active?.className}`
    const row = document.getElementById(active.getAttribute('aria-activedescendant') ?? '')
    if (!row) return 'no cursor'
    const [box, frame] = [row.getBoundingClientRect(), active.getBoundingClientRect()]
    if (box.bottom < frame.top + 1 || box.top > frame.bottom - 1) return 'out of sight'
    if (getComputedStyle(row).outlineStyle !== 'solid') return 'not drawn'
    return row.querySelector('[data-name]')?.textContent ?? 'no name'
  })
const cursorIs = async (page: Page, name: string, when: string) => {
  let seen = ''
  await until(async () => {
    seen = await cursorOn(page)
    return seen === name
  }).catch(() => assert.equal(seen, name, `${when}, ${page.url()}`))
}

describe('console: keys of the object browser', { skip: noBrowser }, () => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { realTime: true })

  const fill = async (keys: readonly string[]) => {
    const name = `keys-${++buckets}`
    await server.admin.createBucket({ body: { name } })
    for (const key of keys)
      await server.admin.putObjectByQuery({
        params: { bucket: name },
        query: { key },
        body: Buffer.from(key),
        headers: { 'content-type': 'text/plain' },
      })
    return name
  }
  const keysIn = async (name: string) =>
    (await server.admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } })).items.map(({ key }) => key)
  /** What the page asks the server to do, other than to show. */
  const deedsOn = (page: Page) => {
    const deeds: string[] = []
    page.on('request', (request) => {
      // What folders hold is asked by POST, since the names of a page of them are too long for an address.
      const shows = request.method() === 'GET' || /\/auth\/|\/folder-sizes$/.test(request.url())
      if (!shows) deeds.push(`${request.method()} ${new URL(request.url()).pathname}`)
    })
    return deeds
  }

  for (const view of ['list', 'grid']) {
    it(`keys act only on what is visibly selected (${view})`, () =>
      inBrowser(async (browser: Browser) => {
        const bucket = await fill(['a/x.txt', 'b.txt', 'c.txt', 'd.txt'])
        const all = await keysIn(bucket)
        const { page, faults } = await openConsole(browser, server, at(bucket, { view }))
        const deeds = deedsOn(page)
        await item(page, 'd.txt').hover()
        const nothingHappens = async (when: string) => {
          const address = page.url()
          await press(page, 'i', 's', 'c', 'm', 'd', 'F2', 'Delete')
          // A key that needs no row shows that all before it were heard.
          await press(page, 'n')
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Folder name').waitFor()
          assert.equal(await page.getByRole('dialog').count(), 1, when)
          assert.equal(page.url(), address, when)
          assert.deepEqual(deeds, [], when)
          assert.deepEqual(await keysIn(bucket), all, when)
        }
        // The cursor is seen only while the grid has the focus.
        await item(page, 'c.txt')
          .locator(view === 'list' ? '.cell-type' : '[data-picture]')
          .click()
        await cursorIs(page, 'c.txt', 'a click')
        await press(page, 'Shift+Tab')
        assert.notEqual(await cursorOn(page), 'c.txt')
        await nothingHappens('the focus is elsewhere')
        await page.reload()

        // The menu of a row is about that row, whatever else is selected.
        await item(page, 'b.txt').getByRole('checkbox').click()
        await page.locator('.browse-selected').getByText('1 selected').waitFor()
        await item(page, 'd.txt').getByRole('button').click()
        await page.getByRole('menuitem', { name: 'Delete' }).click()
        await page.getByText('1 object moved to the trash').waitFor()
        assert.deepEqual(await keysIn(bucket), ['a/x.txt', 'b.txt', 'c.txt'])
        assert.deepEqual(faults, [])
      }))

    it(`scrolls the cursor into view before a key acts on it (${view})`, () =>
      inBrowser(async (browser: Browser) => {
        const keys = Array.from({ length: 120 }, (_, i) => `${String(i).padStart(3, '0')}.txt`)
        const bucket = await fill(keys)
        const { page, faults } = await openConsole(browser, server, at(bucket, { view }))
        const deeds = deedsOn(page)
        await item(page, '001.txt')
          .locator(view === 'list' ? '.cell-type' : '[data-picture]')
          .click()
        await cursorIs(page, '001.txt', 'a click')
        await page.mouse.wheel(0, 3000)
        await until(async () => (await cursorOn(page)) === 'out of sight' || (await cursorOn(page)) === 'no cursor')
        await press(page, 'Delete')
        await cursorIs(page, '001.txt', 'shown first')
        assert.deepEqual(deeds, [])
        await press(page, 'Delete')
        await page.getByText('1 object moved to the trash').waitFor()
        assert.deepEqual(
          await keysIn(bucket),
          keys.filter((key) => key !== '001.txt'),
        )
        await cursorIs(page, '002.txt', 'the next')
        // A key that is held down deletes one.
        await page.keyboard.down('Delete')
        await item(page, '002.txt').waitFor({ state: 'detached' })
        for (let i = 0; i < 5; i++) await page.keyboard.down('Delete')
        await page.keyboard.up('Delete')
        await press(page, view === 'list' ? 'ArrowDown' : 'ArrowRight')
        await cursorIs(page, '004.txt', 'goes on')
        assert.deepEqual(
          await keysIn(bucket),
          keys.filter((key) => key !== '001.txt' && key !== '002.txt'),
        )
        assert.deepEqual(faults, [])
      }))

    it(`keeps the focus on the list after folders, Back, dialogs and actions (${view})`, () =>
      inBrowser(async (browser: Browser) => {
        const bucket = await fill(['a/x.txt', 'b/deep/p.txt', 'b/q.txt', 'b/r.txt', 'b/s.txt', 'top.txt'])
        const { page, faults } = await openConsole(browser, server, at(bucket, { view }))
        const dialog = page.getByRole('dialog')
        const closed = () => dialog.waitFor({ state: 'detached' })
        await item(page, 'top.txt').waitFor()
        await cursorIs(page, 'a', 'a page that was just loaded')

        // Folders, by the pointer and by keys.
        await item(page, 'b').getByRole('link').click()
        await cursorIs(page, 'deep', 'a click on the name of a folder')
        assert.equal(await page.getByRole('grid').getAttribute('aria-label'), 'Contents of b/')
        assert.equal(await page.locator('.browse-place[role=status]').textContent(), 'Contents of b/')
        await press(page, 'Enter')
        await cursorIs(page, 'p.txt', 'Enter')
        await press(page, 'Backspace')
        await cursorIs(page, 'deep', 'Backspace')
        await press(page, 'Backspace')
        await cursorIs(page, 'b', 'from a folder to where it is')
        await press(page, view === 'list' ? 'ArrowDown' : 'ArrowRight')
        await cursorIs(page, 'top.txt', 'arrows go on')
        await page.goBack()
        await cursorIs(page, 'deep', 'back')
        await page.goForward()
        await cursorIs(page, 'top.txt', 'forward')
        await page.goBack()
        await cursorIs(page, 'deep', 'back again')
        await press(page, 'Enter')
        await cursorIs(page, 'p.txt', 'Enter again')
        await page.locator('.crumbs').getByRole('link', { name: 'b', exact: true }).click()
        await cursorIs(page, 'deep', 'a crumb')

        // Dialogs and menus, left by keys and by buttons.
        await press(page, 'End')
        await cursorIs(page, 's.txt', 'End')
        for (const [key, title] of [
          ['c', 'Copy 1 object'],
          ['F2', 'Rename s.txt'],
          ['s', 'Share s.txt'],
          ['n', 'New folder'],
        ] as const) {
          await press(page, key)
          await dialog.getByRole('heading', { name: title }).waitFor()
          await press(page, 'Escape')
          await closed()
          await cursorIs(page, 's.txt', `${key}, left by Escape`)
          await press(page, key)
          await dialog.getByRole('button', { name: 'Cancel' }).click()
          await closed()
          await cursorIs(page, 's.txt', `${key}, left by Cancel`)
        }
        await press(page, 'Shift+?')
        await dialog.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
        await press(page, 'Escape')
        await closed()
        await cursorIs(page, 's.txt', 'the sheet of keys')
        await item(page, 's.txt').getByRole('button').click()
        await page.getByRole('menuitem', { name: 'Rename…' }).waitFor()
        await press(page, 'Escape')
        await cursorIs(page, 's.txt', 'the menu')
        await press(page, 'i')
        await page.getByRole('complementary').getByRole('heading', { name: 's.txt' }).waitFor()
        await page.getByRole('button', { name: 'Close details' }).click()
        await cursorIs(page, 's.txt', 'details')

        // A dialog that is left keeps what is selected.
        await press(page, ' ', 'm')
        await dialog.getByRole('heading', { name: 'Move 1 object' }).waitFor()
        await press(page, 'Escape')
        await closed()
        await page.locator('.browse-selected').getByText('1 selected').waitFor()
        await press(page, 'Escape')
        await page.locator('.browse-selected').waitFor({ state: 'detached' })

        // Deeds: rename, delete, move, upload, a new folder.
        await press(page, 'F2')
        await dialog.getByLabel('New name').fill('e.txt')
        await press(page, 'Enter')
        await cursorIs(page, 'e.txt', 'renamed, and elsewhere in the list')
        await press(page, 'Delete')
        await page.getByText('1 object moved to the trash').waitFor()
        await cursorIs(page, 'q.txt', 'the next after a deletion')
        await press(page, 'ArrowDown', ...(view === 'grid' ? ['ArrowRight'] : []))
        await cursorIs(page, 'r.txt', 'arrows after a deletion')
        await press(page, 'Delete')
        await item(page, 'r.txt').waitFor({ state: 'detached' })
        await cursorIs(page, 'q.txt', 'the last after the last was deleted')
        await press(page, 'm')
        await dialog.getByRole('button', { name: 'deep', exact: true }).click()
        await dialog.getByRole('button', { name: 'Move here' }).click()
        await page.getByText(`1 object moved to ${bucket}/b/deep/`).waitFor()
        const undo = page.getByRole('button', { name: 'Undo' }).first()
        const cut = await undo.evaluate((button) => {
          const label = button.querySelector('.mantine-Button-label') as HTMLElement
          return label.scrollWidth - label.clientWidth
        })
        assert.equal(cut, 0, 'Undo is read whole')
        await cursorIs(page, 'deep', 'after a move')
        await press(page, 'u')
        const choosing = page.waitForEvent('filechooser')
        await dialog.getByRole('button', { name: 'Choose files' }).click()
        await (await choosing).setFiles({ name: 'up.txt', mimeType: 'text/plain', buffer: Buffer.from('up') })
        await dialog.getByRole('button', { name: 'Upload 1 file' }).click()
        await item(page, 'up.txt').waitFor()
        await cursorIs(page, 'deep', 'after an upload')
        await press(page, 'n')
        await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT')
        await page.keyboard.type('empty')
        await press(page, 'Enter')
        await page.getByText('This folder is empty').waitFor()
        await press(page, 'Backspace')
        await cursorIs(page, 'empty', 'out of an empty folder')
        await press(page, 'ArrowUp', ...(view === 'grid' ? ['ArrowLeft'] : []))
        await cursorIs(page, 'deep', 'the folder before')
        await press(page, 'Enter')
        await cursorIs(page, 'p.txt', 'into another')

        // A field that somebody types in keeps the focus; from there keys lead to what was found.
        await press(page, '/')
        await page.keyboard.type('q')
        await page.getByText('1 object found').waitFor()
        assert.match(await cursorOn(page), /INPUT/)
        await press(page, 'ArrowDown')
        await cursorIs(page, 'q.txt', 'down from the search')
        await press(page, 'Escape')
        await item(page, 'p.txt').waitFor()
        await cursorIs(page, 'p.txt', 'the search is left')
        await press(page, '/', 'z', 'Escape', 'Escape')
        await cursorIs(page, 'p.txt', 'out of the field')

        // From another page of the console, where one came by a key.
        await press(page, 'g', 'b')
        // The page that is left has a link of this name too.
        await page.getByRole('heading', { name: 'Buckets' }).waitFor()
        await page.getByRole('link', { name: bucket, exact: true }).click()
        await cursorIs(page, 'a', 'into a bucket')
        assert.deepEqual(faults, [])
      }))
  }
})
