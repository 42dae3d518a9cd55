// The object browser with a folder of 100,000 objects: few rows in the page, positions, ranges, a job that deletes them all.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { flat, seedObjects } from '../../bench/seed.ts'
import { type Browser, type ConsolePage, describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { at, grid, names, row, rowsInPage, tabToGrid } from './listing.ts'

const MANY = 100_000
/** A grid of any length is in the page with no more rows than this. */
const MOST_IN_PAGE = 60

describeConsole('object browser with 100,000 objects', (engine) => {
  const bucket = 'many'
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: bucket } })
    await seedObjects(server.env.DATABASE_URL as string, bucket, flat(MANY))
    // Beside them folders, and sizes to sort by.
    const extra = Array.from({ length: 24 }, (_, i) => `flat/folder-${String(i).padStart(2, '0')}/x`)
    await seedObjects(server.env.DATABASE_URL as string, bucket, extra)
    await server.admin.putObjectByQuery({
      params: { bucket },
      query: { key: 'flat/big' },
      body: Buffer.alloc(9000),
    })
    await server.admin.deleteObjectByQuery({ params: { bucket }, query: { key: 'flat/IMG_0099999.jpg' } })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { realTime: true })
  const open = (browser: Browser, query: Record<string, string>, options = {}): Promise<ConsolePage> =>
    openConsole(browser, server, at(bucket, query), options)
  const total = MANY + 24

  it('scrolls, jumps, sorts and searches with few rows rendered', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await open(browser, { prefix: 'flat/' })
      await page.getByText('24 folders, 100,000 objects').waitFor()
      assert.equal(await grid(page).getAttribute('aria-rowcount'), String(total + 1))
      await check('browse-many')
      assert.ok((await rowsInPage(page)) <= MOST_IN_PAGE)

      await tabToGrid(page)
      const started = Date.now()
      await page.keyboard.press('End')
      await row(page, 'big').waitFor()
      const jump = Date.now() - started
      assert.ok((await rowsInPage(page)) <= MOST_IN_PAGE)
      const active = await grid(page).getAttribute('aria-activedescendant')
      assert.equal(await page.locator(`[id="${active}"]`).getAttribute('aria-rowindex'), String(total + 1))

      // Anywhere: the middle, by the scrollbar.
      await grid(page).evaluate((element) => element.scrollTo({ top: 50_024 * 36 }))
      await row(page, 'IMG_0050010.jpg').waitFor()
      // Frames while it is scrolled, and rows meanwhile.
      const frames = await grid(page).evaluate(async (element, most) => {
        const times: number[] = []
        let rows = 0
        let last = performance.now()
        for (let i = 0; i < 120; i++) {
          element.scrollTop += 400
          await new Promise(requestAnimationFrame)
          const now = performance.now()
          times.push(now - last)
          last = now
          rows = Math.max(rows, element.querySelectorAll('.vgrid-body .vgrid-row').length)
        }
        times.sort((a, b) => a - b)
        return { p95: times[Math.floor(times.length * 0.95)] ?? 0, rows, most }
      }, MOST_IN_PAGE)
      assert.ok(frames.rows <= MOST_IN_PAGE, `${frames.rows} rows`)
      console.log(`# jump ${jump} ms, p95 frame ${Math.round(frames.p95)} ms, ${frames.rows} rows`)

      await page.getByRole('button', { name: 'Size' }).click()
      await page.getByRole('button', { name: 'Size' }).click()
      await page.waitForURL((url) => url.searchParams.get('dir') === 'desc')
      await grid(page).evaluate((element) => element.scrollTo({ top: 0 }))
      await page.waitForFunction(() => document.querySelectorAll('.vgrid-body [data-name]')[24]?.textContent === 'big')
      assert.equal(await page.getByRole('columnheader', { name: 'Size' }).getAttribute('aria-sort'), 'descending')
      await page.getByLabel('Search in this folder and subfolders').fill('0099998')
      await page.getByText('1 object found').waitFor()
      assert.deepEqual(await names(page), ['IMG_0099998.jpg'])
      await check('browse-search')
      await page.getByLabel('Search in this folder and subfolders').fill('nothing like it')
      await page.getByText('No results for “nothing like it”').waitFor()
      await check('browse-nomatch')
      await page.locator('.state').getByRole('button', { name: 'Clear search' }).click()
      await page.getByText('24 folders, 100,000 objects').waitFor()
      // Of too many results, only the first are sorted; all of them are listed by name.
      await page.getByLabel('Search in this folder and subfolders').fill('img_0')
      await page.getByText('Only the first 10,000 results are sorted. Sort by name to see all.').waitFor()
      await page.getByText('1,000+ objects found').waitFor()
      await check('browse-search-part')
      await page.getByRole('columnheader').getByRole('button', { name: 'Name' }).click()
      await page.getByText('200+ objects found').waitFor()
      await page.getByText('Only the first').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Clear search' }).click()
      await page.getByText('24 folders, 100,000 objects').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('counts a folder a part at a time, and stops when its details are closed', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await open(browser, {})
      const asked: string[] = []
      let held = true
      await page.route('**/count?*', async (route) => {
        asked.push(new URL(route.request().url()).searchParams.get('cursor') ?? '')
        if (asked.length === 2) await until(() => !held)
        await route.continue().catch(() => undefined)
      })
      await row(page, 'flat').click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Details' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('20,000', { exact: true }).waitFor()
      assert.equal(await dialog.getByText('so far').count(), 2)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      held = false
      await page.getByRole('grid').and(page.locator(':focus')).waitFor()
      assert.equal(asked.length, 2)
      await page.keyboard.press('i')
      await dialog.getByText('100,024', { exact: true }).waitFor()
      await dialog.getByText('so far').first().waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    }))

  it('keeps the scroll position when details or a folder open and after a reload', () =>
    inBrowser(async (browser) => {
      // The rows were put in without contents, so there is no picture.
      const { page, faults } = await open(browser, { prefix: 'flat/' }, { expect: [409] })
      await row(page, 'folder-00').waitFor()
      await grid(page).evaluate((element) => element.scrollTo({ top: 30_000 * 36 }))
      const link = row(page, 'IMG_0029980.jpg').getByRole('link')
      await link.waitFor()
      const top = () => grid(page).evaluate((element) => element.scrollTop)
      const before = await top()
      await page.waitForFunction(() => sessionStorage.getItem('strongroom-scroll')?.includes('1080000'))
      await link.click()
      await page.getByRole('complementary').getByRole('heading').first().waitFor()
      assert.equal(await top(), before)
      await page.getByRole('link', { name: bucket }).click()
      await page.getByText('1 folder', { exact: true }).waitFor()
      await page.goBack()
      await page.goBack()
      await link.waitFor()
      assert.equal(await top(), before)
      await page.reload()
      await link.waitFor()
      assert.equal(await top(), before)
      assert.deepEqual(faults, [])
    }))

  it('selects ranges that include rows never loaded, and single rows', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await open(browser, { prefix: 'flat/' })
      const cell = (name: string) => row(page, name).locator('.cell-type')
      await cell('folder-23').click()
      await grid(page).evaluate((element) => element.scrollTo({ top: 3000 * 36 }))
      await cell('IMG_0002990.jpg').click({ modifiers: ['Shift'] })
      const chosen = page.locator('.browse-selected')
      await chosen.getByText('2,992 selected').waitFor()
      await row(page, 'IMG_0002980.jpg').getByRole('checkbox').click()
      await chosen.getByText('2,991 selected').waitFor()
      await cell('IMG_0002995.jpg').click({ modifiers: ['Control'] })
      await chosen.getByText('2,992 selected').waitFor()
      await check('browse-selected')
      assert.equal(await row(page, 'IMG_0002980.jpg').getAttribute('aria-selected'), 'false')
      assert.equal(await row(page, 'IMG_0002979.jpg').getAttribute('aria-selected'), 'true')
      await page.getByRole('button', { name: 'Size' }).click()
      await page.getByText('24 folders, 100,000 objects').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('deletes 100,000 objects in a job whose counts add up, and empties the folder', { timeout: 280_000 }, () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await open(browser, { prefix: 'flat/' })
      await row(page, 'folder-03').waitFor()
      await page.getByRole('checkbox', { name: 'Select all in this folder' }).click()
      const chosen = page.locator('.browse-selected')
      await chosen.getByText('100,024 selected').waitFor()
      await chosen.getByText('includes 99,824 not loaded').waitFor()
      await row(page, 'folder-03').getByRole('checkbox').click()
      await chosen.getByText('100,023 selected').waitFor()
      await row(page, 'folder-03').getByRole('checkbox').click()
      await chosen.getByText('100,024 selected').waitFor()
      await check('browse-all')
      await chosen.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog')
      const button = dialog.getByRole('button', { name: 'Delete' })
      await button.waitFor()
      assert.equal(await button.isDisabled(), true)
      await check('browse-delete')
      await dialog.getByRole('textbox').fill('100024')
      await button.click()
      await page.getByRole('link', { name: /Deleting/ }).waitFor()
      await page.getByText('Deleted 100,024 objects').waitFor({ timeout: 240_000 })
      await page.getByText('This folder is empty').waitFor()
      await check('browse-missing')
      const [job] = (await server.admin.listJobs()).items
      assert.deepEqual([job?.status, job?.total, job?.done, job?.failed], ['succeeded', MANY + 24, MANY + 24, 0])
      assert.equal((await server.admin.getBucket({ params: { bucket: bucket } })).object_count, 0)
      assert.deepEqual(faults, [])
    }),
  )
})
