// Objects as tiles in a real browser: pictures and their memory, keys, selection over what was never loaded.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { flat, seedObjects } from '../../bench/seed.ts'
import { type Browser, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { quarters } from '../support/pictures.ts'
import { startServer, type TestServer } from '../support/server.ts'

const MANY = 100_000
const MOST_IN_PAGE = 80
/** More than the page keeps. */
const PICTURES = 260
const MOST_KEPT = 200

const at = (bucket: string, query: Record<string, string> = {}) => `/b/${bucket}?${new URLSearchParams(query)}`
const grid = (page: Page) => page.getByRole('grid')
const tile = (page: Page, name: string) =>
  page.getByRole('gridcell').filter({ has: page.getByRole('link', { name, exact: true }) })
const tilesInPage = (page: Page) => page.locator('.tile').count()
const columnsOf = async (page: Page) => Number(await grid(page).getAttribute('aria-colcount'))
/** The name of the tile that the grid says the cursor is on. */
const current = async (page: Page) => {
  const id = await grid(page).getAttribute('aria-activedescendant')
  return page.locator(`[id="${id}"] [data-name]`).textContent()
}

/** By the Tab key, as somebody without a pointer gets there. */
const tabToGrid = async (page: Page) => {
  for (let i = 0; i < 60 && (await grid(page).evaluate((one) => one !== document.activeElement)); i++)
    await page.keyboard.press('Tab')
}

describe('console: objects as tiles', { skip: noBrowser }, () => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server.stop())

  const newBucket = async () => {
    const name = `tiles-${++buckets}`
    await server.admin.createBucket({ body: { name } })
    return name
  }
  const put = (name: string, key: string, body: Buffer | string, type: string) =>
    server.admin.putObjectByQuery({
      params: { bucket: name },
      query: { key },
      body: Buffer.from(body as string),
      headers: { 'content-type': type },
    })
  const inBrowser = async (work: (browser: Browser) => Promise<void>, options = {}) => {
    const browser = await startBrowser(options)
    try {
      await signIn(browser, server)
      await work(browser)
    } finally {
      await browser.close()
    }
  }
  const mixed = async () => {
    const bucket = await newBucket()
    const picture = await quarters(600, 400).jpeg().toBuffer()
    for (const name of ['beach', 'dunes', 'harbour', 'lighthouse with a rather long name', 'pier', 'sea'])
      await put(bucket, `${name}.jpg`, picture, 'image/jpeg')
    await put(bucket, 'notes.txt', 'words', 'text/plain')
    await put(bucket, 'evil.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>', 'image/svg+xml')
    await put(bucket, 'all.zip', 'PK', 'application/zip')
    for (const key of ['2025/a.txt', '2026/b.txt']) await put(bucket, key, 'x', 'text/plain')
    return bucket
  }

  it('has an address, is remembered, shows folders first, and thumbnails for images', () =>
    inBrowser(async (browser) => {
      const bucket = await mixed()
      const { page, check, faults } = await openConsole(browser, server, at(bucket))
      await page.getByText('2 folders, 9 objects').waitFor()
      await page.getByRole('button', { name: 'Tiles' }).click()
      await page.waitForURL((url) => url.searchParams.get('view') === 'grid')
      await tile(page, 'beach.jpg').locator('img').waitFor()
      // The image proxy's six, a drawing, in which nothing runs, and the first lines of a text.
      await page.waitForFunction(() => document.querySelectorAll('.tile img').length === 8)
      assert.deepEqual((await page.locator('.tile [data-name]').allTextContents()).slice(0, 3), [
        '2025',
        '2026',
        'all.zip',
      ])
      const { width, source } = await tile(page, 'beach.jpg')
        .locator('img')
        .evaluate((image) => ({
          width: (image as HTMLImageElement).naturalWidth,
          source: (image as HTMLImageElement).src,
        }))
      assert.equal(width, 256)
      assert.match(source, /^blob:/)
      for (const name of ['all.zip', '2025']) assert.equal(await tile(page, name).locator('img').count(), 0, name)
      await check('tiles')

      // Opened without saying how, and after a reload: as it was left.
      await page.goto(`${server.url}/console${at(bucket)}`)
      await tile(page, 'beach.jpg').locator('img').waitFor()
      await page.goto(`${server.url}/console${at(bucket, { view: 'list' })}`)
      await page.getByRole('row').filter({ hasText: 'beach.jpg' }).waitFor()
      assert.equal(await tilesInPage(page), 0, 'the address counts more')
      await page.getByRole('button', { name: 'List' }).click()
      await page.goto(`${server.url}/console${at(bucket)}`)
      await page.locator('.vgrid').waitFor()

      // A folder opens as tiles too; details open beside them.
      await page.goto(`${server.url}/console${at(bucket, { view: 'grid' })}`)
      await tile(page, '2026').dblclick({ position: { x: 60, y: 30 } })
      await tile(page, 'b.txt').waitFor()
      assert.equal(new URL(page.url()).searchParams.get('view'), 'grid')
      await page.goBack()
      await tile(page, 'pier.jpg').getByRole('link').click()
      await page.getByRole('complementary').getByRole('heading', { name: 'pier.jpg' }).waitFor()
      await page.locator('.contents-picture img').waitFor()
      await check('tiles-details')
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('complementary').getByRole('heading', { name: 'sea.jpg' }).waitFor()
      assert.equal(await current(page), 'sea.jpg')
      assert.deepEqual(faults, [])
    }))

  it('shows texts in their encoding, and no letters of what is none', () =>
    inBrowser(async (browser) => {
      const bucket = await newBucket()
      const utf16 = Buffer.from(`\ufeff${'Hello\n'.repeat(9)}`, 'utf16le')
      await put(bucket, 'a-little.txt', utf16, 'text/plain')
      await put(bucket, 'b-big.txt', Buffer.from(utf16).swap16(), 'text/plain')
      await put(bucket, 'c-utf8.txt', 'Hello\n'.repeat(9), 'text/plain')
      // A character of three bytes lies across the end of what is read.
      await put(bucket, 'd-cut.txt', `a${'語'.repeat(1000)}`, 'text/plain')
      await put(bucket, 'e-binary.txt', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xff, 0x80]), 'text/plain')
      await put(bucket, 'f-last.txt', 'the last', 'text/plain')
      const { page, faults } = await openConsole(browser, server, at(bucket, { view: 'grid' }))
      await page.waitForFunction(() => document.querySelectorAll('.tile img').length === 5)
      const picture = (name: string) =>
        tile(page, name)
          .locator('img')
          .evaluate((image) => {
            const canvas = document.createElement('canvas')
            canvas.getContext('2d')?.drawImage(image as HTMLImageElement, 0, 0)
            return canvas.toDataURL()
          })
      const plain = await picture('c-utf8.txt')
      assert.equal(await picture('a-little.txt'), plain)
      assert.equal(await picture('b-big.txt'), plain)
      assert.notEqual(await picture('d-cut.txt'), plain)
      assert.equal(await tile(page, 'e-binary.txt').locator('img').count(), 0, 'it keeps its icon')
      assert.deepEqual(faults, [])
    }))

  it('works with arrow keys in both directions, menus and dragging', () =>
    inBrowser(async (browser) => {
      const bucket = await mixed()
      const { page, check, faults } = await openConsole(browser, server, at(bucket, { view: 'grid' }))
      await tile(page, 'sea.jpg').waitFor()
      const names = await page.locator('.tile [data-name]').allTextContents()
      const across = await columnsOf(page)
      assert.ok(across >= 5 && across < names.length, `${across} across`)
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key)
      }
      await tabToGrid(page)
      await press('ArrowRight', 'ArrowRight')
      assert.equal(await current(page), names[2])
      await press('ArrowDown')
      assert.equal(await current(page), names[2 + across])
      await press('ArrowUp', 'ArrowLeft')
      assert.equal(await current(page), names[1])
      await press('ArrowUp')
      assert.equal(await current(page), names[1], 'nothing is above')
      await press('End')
      assert.equal(await current(page), names.at(-1))
      await press('Home')
      assert.equal(await current(page), names[0])
      await check('tiles-cursor')
      await press('Enter')
      await tile(page, 'a.txt').waitFor()
      await press('Backspace')
      await tile(page, 'sea.jpg').waitFor()

      // Ranges by keys, single ones by the pointer, the menu, and dragging onto a folder.
      await press('Home', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight')
      const chosen = page.locator('.browse-selected')
      await chosen.getByText('3 selected').waitFor()
      await tile(page, 'sea.jpg')
        .locator('[data-picture]')
        .click({ modifiers: ['Control'] })
      await chosen.getByText('4 selected').waitFor()
      assert.equal(await tile(page, 'sea.jpg').getAttribute('aria-selected'), 'true')
      await check('tiles-selected')
      await press('Escape')
      await tile(page, 'notes.txt').click({ button: 'right', position: { x: 60, y: 30 } })
      await page.getByRole('menuitem', { name: 'Rename…' }).waitFor()
      await check('tiles-menu')
      await press('Escape')
      await page.getByRole('menuitem').first().waitFor({ state: 'detached' })
      await tile(page, 'notes.txt').locator('[data-picture]').dragTo(tile(page, '2025').locator('[data-picture]'))
      await page.getByText(`1 object moved to ${bucket}/2025/`).waitFor()
      await tile(page, 'notes.txt').waitFor({ state: 'detached' })

      // Their order, and searching by typing.
      await page.getByRole('button', { name: 'Sort by Size' }).click()
      await page.getByRole('button', { name: 'Size, sorted ascending' }).waitFor()
      await page.waitForFunction(() => document.querySelectorAll('.tile [data-name]')[2]?.textContent === 'all.zip')
      await tabToGrid(page)
      await press('h')
      await page.keyboard.type('arbour')
      await page.getByText('1 object found').waitFor()
      await tile(page, 'harbour.jpg').locator('img').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('releases thumbnails, and does not load those that are only scrolled past', () =>
    inBrowser(async (browser) => {
      const bucket = await newBucket()
      const picture = await quarters(64, 48).png().toBuffer()
      const form = new FormData()
      for (let i = 0; i < PICTURES; i++)
        form.append('file', new Blob([picture], { type: 'image/png' }), `${String(i).padStart(3, '0')}.png`)
      await server.admin.uploadForm({ params: { bucket }, body: form })
      const { page, faults } = await openConsole(browser, server, at(bucket))
      await page.locator('.vgrid').waitFor()
      let asked = 0
      page.on('request', (request) => {
        if (request.url().includes('/images/')) asked++
      })
      await page.evaluate(() => {
        const live = new Set<string>()
        Object.assign(globalThis, { live })
        const [create, revoke] = [URL.createObjectURL, URL.revokeObjectURL]
        URL.createObjectURL = (blob: Blob) => {
          const url = create(blob)
          live.add(url)
          return url
        }
        URL.revokeObjectURL = (url: string) => {
          live.delete(url)
          revoke(url)
        }
      })
      const live = () => page.evaluate(() => (globalThis as unknown as { live: Set<string> }).live.size)
      await page.getByRole('button', { name: 'Tiles' }).click()
      await tile(page, '000.png').locator('img').waitFor()
      const allShown = () =>
        page.waitForFunction(() => {
          const box = document.querySelector('.tiles')?.getBoundingClientRect()
          return [...document.querySelectorAll('.tile-picture')].every((one) => {
            const { top, bottom } = one.getBoundingClientRect()
            const isInSight = bottom > (box?.top ?? 0) && top < (box?.bottom ?? 0)
            return !isInSight || one.querySelector('img')?.complete
          })
        })
      await allShown()
      const before = asked
      // To the end in one go: those between are not asked for.
      await grid(page).evaluate(async (element) => {
        while (element.scrollTop + element.clientHeight < element.scrollHeight - 1) {
          element.scrollTop += 300
          await new Promise(requestAnimationFrame)
        }
      })
      await tile(page, `${PICTURES - 1}.png`)
        .locator('img')
        .waitFor()
      await allShown()
      assert.ok(asked - before < MOST_IN_PAGE + 40, `${asked - before} asked for on the way`)
      // All of them, slowly.
      for (let back = true; back; ) {
        await allShown()
        back = await grid(page).evaluate((element) => {
          element.scrollTop -= element.clientHeight - 20
          return element.scrollTop > 0
        })
      }
      await allShown()
      assert.ok(asked >= PICTURES, `${asked} asked for in all`)
      assert.ok((await live()) <= MOST_KEPT, `${await live()} are kept`)
      // Those that were kept are not asked for again.
      const soFar = asked
      await grid(page).evaluate((element) => element.scrollBy({ top: element.clientHeight }))
      await allShown()
      assert.equal(asked, soFar)
      assert.deepEqual(faults, [])
    }))

  describe('with 100,000 objects', () => {
    const bucket = 'many'
    before(async () => {
      await server.admin.createBucket({ body: { name: bucket } })
      // Without pictures: the rows have no contents.
      await seedObjects(server.env.DATABASE_URL as string, bucket, flat(MANY), 'application/zip')
    })

    it('renders few tiles; ranges and Select all include objects that were never loaded', () =>
      inBrowser(async (browser) => {
        const { page, check, faults } = await openConsole(
          browser,
          server,
          at(bucket, { prefix: 'flat/', view: 'grid' }),
        )
        await page.getByText('100,000 objects').waitFor()
        await tile(page, 'IMG_0000000.jpg').waitFor()
        const across = await columnsOf(page)
        assert.equal(Number(await grid(page).getAttribute('aria-rowcount')), Math.ceil(MANY / across))
        await check('tiles-many')
        await tabToGrid(page)
        await page.keyboard.press('End')
        await tile(page, 'IMG_0099999.jpg').waitFor()
        assert.equal(await current(page), 'IMG_0099999.jpg')
        assert.ok((await tilesInPage(page)) <= MOST_IN_PAGE)
        const most = await grid(page).evaluate(async (element) => {
          let seen = 0
          for (let i = 0; i < 60; i++) {
            element.scrollTop -= 400
            await new Promise(requestAnimationFrame)
            seen = Math.max(seen, element.querySelectorAll('.tile').length)
          }
          return seen
        })
        assert.ok(most <= MOST_IN_PAGE, `${most} tiles`)

        await page.keyboard.press('Home')
        await tile(page, 'IMG_0000000.jpg').locator('[data-picture]').click()
        await grid(page).evaluate((element) => element.scrollTo({ top: element.scrollHeight * 0.02 }))
        await page.waitForFunction(
          () => (document.querySelectorAll('.tile [data-name]')[20]?.textContent ?? '') > 'IMG_0001',
        )
        const name = await page.locator('.tile [data-name]').nth(20).textContent()
        await tile(page, name ?? '')
          .locator('[data-picture]')
          .click({ modifiers: ['Shift'] })
        const n = Number(/\d+/.exec(name ?? '')?.[0]) + 1
        const chosen = page.locator('.browse-selected')
        await chosen.getByText(`${n.toLocaleString('en-US')} selected`).waitFor()
        assert.ok(n > 1500, `${n} in the range`)
        await page.keyboard.press('Escape')
        await page.getByRole('checkbox', { name: 'Select all in this folder' }).click()
        await chosen.getByText('100,000 selected').waitFor()
        await tile(page, name ?? '')
          .getByRole('checkbox')
          .click()
        await chosen.getByText('99,999 selected').waitFor()

        // As a list, the cursor and the selection are what they were.
        await page.keyboard.press('Escape')
        await tile(page, name ?? '')
          .locator('[data-picture]')
          .click()
        await page.getByRole('button', { name: 'List' }).click()
        await page
          .getByRole('row')
          .filter({ hasText: name ?? '' })
          .waitFor()
        assert.deepEqual(faults, [])
      }))

    it('keeps its scroll position when details open and after a reload', () =>
      inBrowser(async (browser) => {
        const { page, faults } = await openConsole(browser, server, at(bucket, { prefix: 'flat/', view: 'grid' }), {
          expect: [404, 409],
        })
        await tile(page, 'IMG_0000000.jpg').waitFor()
        await grid(page).evaluate((element) => element.scrollTo({ top: element.scrollHeight / 2 }))
        await page.waitForFunction(
          () => (document.querySelectorAll('.tile [data-name]')[20]?.textContent ?? '') > 'IMG_0049',
        )
        const names = await page.locator('.tile [data-name]').allTextContents()
        const name = names[Math.floor(names.length / 2)] as string
        const before = await columnsOf(page)
        await page.waitForFunction(() => sessionStorage.getItem('strongroom-scroll')?.includes('grid'))
        await tile(page, name).getByRole('link').click()
        await page.getByRole('complementary').getByRole('heading', { name }).waitFor()
        assert.ok((await columnsOf(page)) < before)
        await tile(page, name).waitFor()
        await page.goBack()
        await tile(page, name).waitFor()
        await page.reload()
        await tile(page, name).waitFor()
        assert.deepEqual(faults, [])
      }))
  })

  it('fits a phone, where a tap opens an object', () =>
    inBrowser(
      async (browser) => {
        const bucket = await mixed()
        const { page, check, faults } = await openConsole(browser, server, at(bucket, { view: 'grid' }))
        await tile(page, 'beach.jpg').locator('img').waitFor()
        assert.equal(await columnsOf(page), 2)
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
        await check('tiles-phone')
        await tile(page, 'beach.jpg').getByRole('link').click()
        await page.getByRole('complementary').getByRole('heading', { name: 'beach.jpg' }).waitFor()
        await check('tiles-phone-details')
        assert.deepEqual(faults, [])
      },
      { width: 390, height: 844 },
    ))
})
