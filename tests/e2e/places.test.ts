// Where things are on a page: what stays in its place, what covers nothing, and what a finger or the keyboard reaches.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { at, grid, row } from './listing.ts'

const TABS = ['', '/history', '/trash', '/protection', '/access', '/policy', '/settings', '/overview', '/uploads']
const boxOf = async (what: Locator) => {
  const box = await what.boundingBox()
  assert.ok(box, `${what} is in sight`)
  return box
}
type Box = Awaited<ReturnType<typeof boxOf>>
const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

describeConsole('places', (engine) => {
  let server: TestServer
  const bucket = 'places'
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: bucket } })
    for (const key of ['a.txt', 'b.txt', 'folder/c.txt'])
      await server.admin.putObjectByQuery({ params: { bucket }, query: { key }, body: key })
  })
  after(() => server.stop())
  const run = inBrowserOf(() => server)

  for (const phone of [false, true])
    it(`the title and the tabs of a bucket stay where they are (${phone ? 'phone' : 'desktop'})`, () =>
      run(
        async (browser) => {
          const { page, faults } = await openConsole(browser, server, `/b/${bucket}`)
          const places: string[] = []
          for (const tab of TABS) {
            await page.goto(`${server.url}/console/b/${bucket}${tab}`)
            const [title, tabs] = [page.getByRole('heading', { level: 1 }), page.locator('.bucket-tabs')]
            await tabs.getByText('Objects').waitFor()
            places.push(`${(await boxOf(title)).y} ${(await boxOf(tabs)).y}`)
          }
          assert.deepEqual(places, Array(TABS.length).fill(places[0]))
          assert.deepEqual(faults, [])
        },
        { phone },
      ))

  for (const width of [1440, 1024])
    it(`a notice covers nothing that is used (${width} px)`, () =>
      run(
        async (browser) => {
          const { page, check, faults } = await openConsole(browser, server, at(bucket, { prefix: 'folder/' }))
          await server.admin.putObjectByQuery({ params: { bucket }, query: { key: 'folder/gone.txt' }, body: 'x' })
          await page.reload()
          await row(page, 'gone.txt').getByRole('checkbox').click()
          await page.keyboard.press('Delete')
          const notice = page.locator('[class*=Notification-root]')
          await notice.getByRole('button', { name: 'Undo' }).waitFor()
          const box = await boxOf(notice)
          const used = ['main', 'nav', '.mark', '.bar-search', '.bar button'].map((one) => page.locator(one))
          for (const one of (await Promise.all(used.map((some) => some.all()))).flat())
            if (await one.isVisible()) assert.ok(!overlap(box, await boxOf(one)), `${one} is covered`)
          await check('notice')
          await page.keyboard.press('n')
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Folder name').waitFor()
          assert.ok(!overlap(box, await boxOf(dialog)), 'a dialog is covered')
          await page.keyboard.press('Escape')
          await notice.getByRole('button', { name: 'Close' }).click()
          await notice.waitFor({ state: 'detached' })
          assert.deepEqual(faults, [])
        },
        { width },
      ))

  it('the list is reached from the top of the page by one Tab and Enter', () =>
    run(async (browser) => {
      const { page, faults } = await openConsole(browser, server, at(bucket))
      const focused = (what: Locator) => what.and(page.locator(':focus')).waitFor()
      await focused(grid(page))
      const toTop = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await toTop()
      // Where the focus was, the next Tab goes on: so from the first that there is.
      await page.getByRole('link', { name: 'Skip to content' }).focus()
      await page.keyboard.press('Enter')
      await focused(grid(page))
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('complementary').getByRole('heading', { name: 'a.txt' }).waitFor()
      // A view without a list is skipped to as such.
      await page.goto(`${server.url}/console/b/${bucket}/settings`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('link', { name: 'Skip to content' }).focus()
      await page.keyboard.press('Enter')
      await focused(page.locator('#content'))
      assert.deepEqual(faults, [])
    }))

  it('on a phone the list begins high up, and what is pressed is as large as a finger', () =>
    run(
      async (browser) => {
        const { page, check, faults } = await openConsole(browser, server, at(bucket))
        await row(page, 'a.txt').waitFor()
        assert.ok((await boxOf(grid(page))).y < 240)
        const small = (page: Page) =>
          page.evaluate(() =>
            [...document.querySelectorAll<HTMLElement>('.bar a, button, .bucket-tab, .bucket-page, .page-parent a')]
              .filter((one) => one.checkVisibility() && !one.closest('.vgrid-head') && !one.matches('.nav *'))
              .filter((one) => {
                const { width, height } = one.getBoundingClientRect()
                return Math.min(width, height) < 43.5
              })
              .map((one) => one.getAttribute('aria-label') ?? one.textContent),
          )
        assert.deepEqual(await small(page), [])
        await check('phone-list')
        await page.goto(`${server.url}/console${at(bucket, { prefix: 'folder/' })}`)
        await row(page, 'c.txt').waitFor()
        assert.ok((await boxOf(grid(page))).y < 240)
        assert.deepEqual(await small(page), [])
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
        assert.deepEqual(faults, [])
      },
      { phone: true },
    ))
})
