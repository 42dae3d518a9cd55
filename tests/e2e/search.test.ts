// The search of all buckets in a real browser: what is found where, what is not understood, and what was not read.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const at = (q: string) => `/search?${new URLSearchParams({ q })}`
const field = (page: Page) => page.getByLabel('Search all buckets', { exact: true })
const results = (page: Page) => page.getByRole('grid', { name: 'Search results' })
/** What is listed: the name and the place of each row. */
const listed = (page: Page): Promise<string[]> =>
  results(page)
    .locator('[data-index]')
    .evaluateAll((rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute('data-index')) - Number(b.getAttribute('data-index')))
        .map((row) =>
          ['[data-name]', '[data-place]'].map((one) => row.querySelector(one)?.getAttribute('title')).join(' in '),
        ),
    )
const shows = (page: Page, ...expected: string[]) => until(async () => String(await listed(page)) === String(expected))

describeConsole('search', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    for (const name of ['archive', 'photos', 'private']) await server.admin.createBucket({ body: { name } })
    const put = (bucket: string, key: string, type: string, tags: Record<string, string> = {}) =>
      server.admin
        .putObjectByQuery({
          params: { bucket },
          query: { key },
          body: Buffer.from(key),
          headers: { 'content-type': type },
        })
        .then(() => server.admin.updateObjectByQuery({ params: { bucket }, query: { key }, body: { tags } }))
    await put('archive', '2026/report.pdf', 'application/pdf', { project: 'apollo', 'year of it': '2026' })
    await put('archive', 'notes.txt', 'text/plain', { project: 'artemis' })
    await put('photos', 'lisbon/harbour & co.txt', 'text/plain', { project: 'apollo' })
    await put('private', 'secret.txt', 'text/plain', { project: 'apollo', hidden: 'yes' })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)

  it('finds objects in all buckets, opens them and their folders, and comes back', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/search')
      await page.getByRole('heading', { name: 'Find objects in all buckets' }).waitFor()
      assert.equal(await field(page).evaluate((one) => one === document.activeElement), true)
      await check('search-start')
      // The first example, by a click.
      await page.getByRole('button', { name: 'tag:project=apollo' }).click()
      const apollo = ['report.pdf in archive/2026/', 'harbour & co.txt in photos/lisbon/', 'secret.txt in private']
      await shows(page, ...apollo)
      await page.getByText('3 objects found', { exact: true }).waitFor()
      assert.equal(new URL(page.url()).searchParams.get('q'), 'tag:project=apollo')
      await check('search-all')

      // By keys: down from the field, and into an object in its bucket.
      await field(page).focus()
      await page.keyboard.press('ArrowDown')
      assert.equal(await results(page).evaluate((one) => one === document.activeElement), true)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('complementary').getByRole('heading', { name: 'harbour & co.txt' }).waitFor()
      const { pathname, searchParams } = new URL(page.url())
      assert.deepEqual(
        [pathname, searchParams.get('prefix'), searchParams.get('sel')],
        ['/console/b/photos', 'lisbon/', 'lisbon/harbour & co.txt'],
      )
      await page.goBack()
      await shows(page, ...apollo)
      // By clicks: the folder of the first one.
      await results(page).locator('[data-place]').first().click()
      await page.waitForURL(
        (url) => url.pathname === '/console/b/archive' && url.searchParams.get('prefix') === '2026/',
      )
      await page.goBack()
      await shows(page, ...apollo)
      await results(page).getByRole('link', { name: 'report.pdf' }).click()
      await page.getByRole('complementary').getByRole('heading', { name: 'report.pdf' }).waitFor()
      await page.goBack()

      await field(page).fill('nothing has this')
      await page.getByRole('heading', { name: 'No results for “nothing has this”' }).waitFor()
      await check('search-none')
      await page.getByRole('main').getByRole('button', { name: 'Clear search' }).last().click()
      await page.getByRole('heading', { name: 'Find objects in all buckets' }).waitFor()
      assert.deepEqual(faults, [])
    }))

  it('says at the field what it does not understand, without asking the server, and repairs it', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, at('tga:project=apollo -secret'))
      await page.getByText('“tga” is not understood.').waitFor()
      assert.equal(await page.locator('.search-fault mark').textContent(), 'tga')
      assert.equal(await field(page).getAttribute('aria-invalid'), 'true')
      await check('search-fault')
      await page.getByRole('button', { name: 'Use tag' }).click()
      await shows(page, 'report.pdf in archive/2026/', 'harbour & co.txt in photos/lisbon/')
      assert.equal(new URL(page.url()).searchParams.get('q'), 'tag:project=apollo -secret')
      assert.deepEqual(faults, [])
    }))

  it('finds only what its user may list', async () => {
    const { id } = await server.admin.createGroup({
      body: { name: 'Readers of photos', grants: [{ bucket_pattern: 'photos', actions: ['list', 'read'] }] },
    })
    const reader = { email: 'reader@example.com', password: 'reads what is in photos' }
    await server.admin.createUser({ body: { ...reader, display_name: 'Reader', group_ids: [id] } })
    await inBrowser(
      async (browser) => {
        const { page, faults } = await openConsole(browser, server, at('tag:project=apollo'))
        await shows(page, 'harbour & co.txt in photos/lisbon/')
        await page.getByText('1 object found', { exact: true }).waitFor()
        assert.deepEqual(faults, [])
      },
      { who: reader },
    )
  })

  it('loads more while scrolling, and says of a bucket what was not read', () =>
    inBrowser(async (browser) => {
      await server.admin.createBucket({ body: { name: 'many' } })
      const keys = Array.from({ length: 450 }, (_, i) => `log-${String(i).padStart(3, '0')}.txt`)
      for (let from = 0; from < keys.length; from += 50)
        await Promise.all(
          keys
            .slice(from, from + 50)
            .map((key) =>
              server.admin.putObjectByQuery({ params: { bucket: 'many' }, query: { key }, body: Buffer.from(key) }),
            ),
        )
      const asked: string[] = []
      const { page, check, faults } = await openConsole(browser, server, '/search')
      // What an attached bucket has not read yet comes with the answer of the real service.
      await page.route('**/api/v1/search?*', async (route) => {
        asked.push(new URL(route.request().url()).searchParams.get('cursor') ?? '')
        const answer = await route.fetch()
        const body = await answer.json()
        await route.fulfill({
          response: answer,
          json: { ...body, total_exact: false, unread: [{ bucket: 'archive', objects: 12, exact: false }] },
        })
      })
      await field(page).fill('bucket:many name:log-*')
      await page.getByText(/^At least [\d,]+ objects found$/).waitFor()
      await page.getByText('archive: at least 12 objects haven’t been read yet').waitFor()
      await check('search-unread')
      await results(page).focus()
      const end = results(page).getByRole('link', { name: 'log-449.txt' })
      await until(async () => {
        await page.keyboard.press('End')
        return end.isVisible()
      })
      assert.equal(asked.length, 3)
      assert.equal(new Set(asked).size, 3, 'each page once')
      assert.deepEqual(faults, [])
    }))

  it('suggests fields, tags and their values while typing, by keys and by clicks', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/search')
      const list = page.getByRole('listbox', { name: 'Suggestions' })
      const options = (...expected: string[]) =>
        until(async () => String(await list.getByRole('option').allTextContents()) === String(expected))
      const chosen = () => list.getByRole('option', { selected: true })
      await field(page).waitFor()
      await page.keyboard.type('ta')
      await options('tag:Tag')
      assert.equal(await field(page).getAttribute('aria-expanded'), 'true')
      assert.equal(await chosen().count(), 0, 'what was typed stands')
      await check('search-suggest-field')
      await page.keyboard.press('ArrowDown')
      // Screen readers are told.
      const told = () => field(page).getAttribute('aria-activedescendant')
      await until(async () => (await chosen().getAttribute('id')) === (await told()))
      await page.keyboard.press('Tab')
      assert.equal(await field(page).inputValue(), 'tag:')
      await options('hidden', 'project', 'year of it')
      assert.equal(await page.getByText('is not understood').count(), 0, 'not while it is being typed')
      await page.keyboard.type('pr')
      await options('project')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      assert.equal(await field(page).inputValue(), 'tag:project')
      await options('project = apollo', 'project = artemis')
      await check('search-suggest-values')
      // Up from the first leads back to what was typed, and round to the last.
      await page.keyboard.press('ArrowUp')
      assert.equal(await chosen().textContent(), 'project = artemis')
      await page.keyboard.press('ArrowDown')
      assert.equal(await chosen().count(), 0)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      assert.equal(await field(page).inputValue(), 'tag:project=apollo')
      await list.waitFor({ state: 'detached' })
      assert.equal(await field(page).getAttribute('aria-expanded'), 'false')
      await page.getByText('3 objects found', { exact: true }).waitFor()

      // A name with blanks is quoted; a click takes it, and the field keeps the focus.
      await page.keyboard.type(' -tag:ye')
      await list.getByRole('option', { name: 'year of it' }).click()
      assert.equal(await field(page).inputValue(), 'tag:project=apollo -tag:"year of it"')
      assert.equal(await field(page).evaluate((one) => one === document.activeElement), true)
      await options('year of it = 2026')
      await page.keyboard.press('Escape')
      await list.waitFor({ state: 'detached' })
      assert.equal(await field(page).inputValue(), 'tag:project=apollo -tag:"year of it"', 'Esc closes the list alone')
      await page.getByText('2 objects found', { exact: true }).waitFor()
      // Esc once more clears the field; plain words get no list, and go on as they did.
      await page.keyboard.press('Escape')
      assert.equal(await field(page).inputValue(), '')
      await page.keyboard.type('notes')
      await shows(page, 'notes.txt in archive')
      assert.equal(await list.count(), 0)
      await page.keyboard.press('ArrowDown')
      assert.equal(await results(page).evaluate((one) => one === document.activeElement), true)
      await field(page).fill('type:te')
      await options('text/plain')
      await field(page).fill('bucket:p')
      await options('photos', 'private')
      assert.deepEqual(faults, [])
    }))

  it('suggests in a bucket what is in it', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/b/photos')
      await page.getByRole('link', { name: 'lisbon' }).waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('tag:')
      const list = page.getByRole('listbox', { name: 'Suggestions' })
      await until(async () => String(await list.getByRole('option').allTextContents()) === 'project')
      await check('search-suggest-bucket')
      await page.keyboard.type('project=')
      await until(async () => String(await list.getByRole('option').allTextContents()) === 'apollo')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByText('1 object found').waitFor()
      assert.equal(new URL(page.url()).searchParams.get('q'), 'tag:project=apollo')
      // It has no field for buckets: there is one.
      await page.getByLabel('Search in this folder and subfolders').fill('buc')
      await page.locator('.state').getByRole('heading', { name: 'No results for “buc”' }).waitFor()
      assert.equal(await list.count(), 0)
      assert.deepEqual(faults, [])
    }))

  it('is reached from the palette and from the search of a bucket', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/b/archive')
      await page.getByRole('link', { name: 'notes.txt' }).waitFor()
      await page.getByRole('button', { name: 'Search or jump to…' }).click()
      const palette = page.getByRole('dialog', { name: 'Search or jump to…' })
      await palette.getByRole('combobox').fill('harbour')
      await palette.getByRole('option', { name: 'Search all buckets for “harbour”' }).click()
      await shows(page, 'harbour & co.txt in photos/lisbon/')
      await page.goBack()
      await page.getByLabel('Search in this folder and subfolders').fill('tag:project')
      await page.getByText('2 objects found').waitFor()
      await check('search-of-bucket')
      await page.getByRole('link', { name: 'In all buckets' }).click()
      await shows(
        page,
        'report.pdf in archive/2026/',
        'notes.txt in archive',
        'harbour & co.txt in photos/lisbon/',
        'secret.txt in private',
      )
      await page.goBack()
      await page.getByLabel('Search in this folder and subfolders').fill('harbour')
      await page.locator('.state').getByRole('link', { name: 'Search all buckets' }).click()
      await shows(page, 'harbour & co.txt in photos/lisbon/')
      assert.deepEqual(faults, [])
    }))

  it('fits a phone, and other languages', async () => {
    await inBrowser(
      async (browser) => {
        const { page, check, faults } = await openConsole(browser, server, at('tag:project=apollo'))
        await shows(page, 'report.pdf in archive/2026/', 'harbour & co.txt in photos/lisbon/', 'secret.txt in private')
        await check('search-phone')
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
        assert.deepEqual(faults, [])
      },
      { phone: true },
    )
    await inBrowser(
      async (browser) => {
        const { page, check, faults } = await openConsole(browser, server, '/search')
        await page.getByRole('heading', { name: 'Objekte in allen Buckets finden' }).waitFor()
        await check('search-start-de')
        assert.deepEqual(faults, [])
      },
      { locale: 'de-DE' },
    )
  })
})
