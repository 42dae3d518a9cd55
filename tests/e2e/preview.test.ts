// What the console makes of an object's contents, in the panel and on the full screen.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import sharp from 'sharp'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { photo } from '../support/pictures.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { at, row, tabToGrid } from './listing.ts'

const JSON_TEXT = `{"id": 12345678901234567890, "name": "Alder", "tags": ["a", "b"], "deep": {"er": {"est": {"key": null}}},
"many": [${Array.from({ length: 450 }, (_, i) => i).join(', ')}]}`
const CSV = `name,city,"what, else"\nAda,London,"first ""line""\nsecond"\n=cmd|' /C calc'!A0,Berlin\n`
const MARKDOWN = `# The *title*

Words with \`code\`, a [link](https://example.com/a?b&amp;c), a [trap](javascript:alert(1)), one &copy; &lt;b&gt; and
<img src=x onerror="document.title='stolen'"> ![a picture](https://example.com/track.png)

- [x] done
- [ ] to do

| a | b |
| - | - |
| 1 | **2** |

\`\`\`js
const answer = 42
\`\`\`
`

describeConsole('previews', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'previews' } })
    const put = (key: string, body: string | Buffer, type: string) =>
      server.admin.putObjectByQuery({
        params: { bucket: 'previews' },
        query: { key },
        body: Buffer.from(body as string),
        headers: { 'content-type': type },
      })
    await put('a.json', JSON_TEXT, 'application/json')
    await put('b.csv', CSV, 'text/csv')
    await put('c.md', MARKDOWN, 'text/markdown')
    await put('d.png', await photo(1800, 900).png().toBuffer(), 'image/png')
    await put('e.py', 'def answer():\n    return 42\n', 'application/octet-stream')
    await put('f.bin', 'plain after all', 'application/octet-stream')
    await put('g.json', '{"unfinished": ', 'application/json')
    await put('h.csv', `n,word\n${Array.from({ length: 40_000 }, (_, i) => `${i},word ${i}`).join('\n')}`, 'text/csv')
    await put('folder/i.txt', 'in a folder', 'text/plain')
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server, { realTime: true, whole: true })

  it('show JSON as a tree, CSV as a table, Markdown rendered, and anything as text', () =>
    inBrowser(async (browser) => {
      const asked: string[] = []
      const { page, check, faults } = await openConsole(browser, server, at('previews', { sel: 'a.json' }))
      page.on('request', (request) => asked.push(request.url()))
      const contents = page.locator('.contents')
      const next = page.getByRole('button', { name: 'Next object' })

      // JSON: digits as they were written, deep parts closed, long ones in parts.
      await contents.getByText('12345678901234567890').waitFor()
      assert.equal(await contents.getByText('null').count(), 0)
      await contents.getByText('est: ').click()
      await contents.getByText('null').waitFor()
      await contents.getByText('[ 450 items ]').click()
      await contents.getByText('199: ').waitFor()
      assert.equal(await contents.getByText('200: ').count(), 0)
      await contents.getByRole('button', { name: 'Show 200 more' }).click()
      await contents.getByText('399: ').waitFor()
      await check('contents-json')
      await contents.getByText('Source').click()
      await contents.locator('pre .tone-name').first().waitFor()
      assert.equal(await contents.locator('pre').textContent(), JSON_TEXT)

      // CSV: quotes, line breaks and a formula are text.
      await next.click()
      await contents.getByText('2 rows').waitFor()
      const cells = await contents.locator('tbody td').allTextContents()
      assert.deepEqual(cells, ['Ada', 'London', 'first "line"\nsecond', "=cmd|' /C calc'!A0", 'Berlin', ''])
      assert.deepEqual(await contents.locator('thead th').allTextContents(), ['#', 'name', 'city', 'what, else'])
      await check('contents-csv')

      // Markdown: no markup of the text, nothing loaded, links only to web addresses.
      await next.click()
      await contents.getByRole('heading', { name: 'The title' }).waitFor()
      await contents.locator('pre .tone-word').first().waitFor()
      assert.deepEqual(
        await contents
          .getByRole('link')
          .evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('href')])),
        [['link', 'https://example.com/a?b&c']],
      )
      await contents.getByText('one © <b> and').waitFor()
      assert.equal(await contents.locator('img').count(), 0)
      assert.deepEqual(
        await contents.locator('.task input').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked)),
        [true, false],
      )
      await contents.getByText('[a picture]').waitFor()
      await check('contents-markdown')

      await next.click()
      await contents.locator('img').waitFor()
      await next.click()
      await contents.locator('pre .tone-word').getByText('def').waitFor()
      await next.click()
      await contents.getByRole('button', { name: 'Show as text' }).click()
      await contents.locator('pre').getByText('plain after all').waitFor()
      await next.click()
      await contents.locator('pre').getByText('{"unfinished": ').waitFor()
      assert.equal(await contents.getByText('Formatted').count(), 0, 'what is no JSON has no tree')
      await next.click()
      await contents.getByText(/^200 of \d+,\d{3} rows/).waitFor()
      await contents.getByText('First 256 KB of').waitFor()
      await contents.getByRole('button', { name: 'Show more rows' }).click()
      await contents.getByText(/^1,200 of/).waitFor()
      assert.doesNotMatch(await page.title(), /stolen/)
      assert.deepEqual(
        asked.filter((url) => !url.startsWith(server.url) && !url.startsWith('blob:')),
        [],
      )
      assert.deepEqual(faults, [])
    }))

  it('show an SVG as a picture that runs nothing and loads nothing, and as its source', () =>
    inBrowser(async (browser) => {
      await server.admin.createBucket({ body: { name: 'drawings' } })
      const hostile = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100"
          onload="document.title='stolen'; top.document.title='stolen'; fetch('/track')">
        <script>top.document.title = 'stolen'; fetch('/track?script')</script>
        <script href="/track.js"/>
        <style>@import url(https://example.com/track.css); @font-face { font-family: x; src: url(/track.woff2) }
          .back { fill: rgb(10, 160, 80) } text { font-family: x }</style>
        <rect class="back" width="200" height="100"/><text x="5" y="20">Words</text>
        <image href="https://example.com/track.png" width="9" height="9"/><image xlink:href="/track.png" width="9" height="9"/>
        <use href="https://example.com/track.svg#x"/><rect width="9" height="9" fill="url(/track.svg#y)"/>
        <foreignObject width="50" height="50"><div xmlns="http://www.w3.org/1999/xhtml"><iframe src="/track.html"></iframe>
          <img src="/track.gif" onerror="top.document.title='stolen'"/><script>top.document.title='stolen'</script></div></foreignObject>
        <set attributeName="onmouseover" to="top.document.title='stolen'"/>
        <a href="javascript:top.document.title='stolen'"><rect y="50" width="200" height="50" fill="transparent"/></a>
      </svg>`
      for (const [key, body, type] of [
        ['a.svg', hostile, 'image/svg+xml'],
        ['b.svg', '<svg xmlns="http://www.w3.org/2000/svg"><g>', 'image/svg+xml'],
        [
          'c.svg',
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h2v4h-2z"/></svg>',
          'text/plain',
        ],
      ] as const)
        await server.admin.putObject({
          params: { bucket: 'drawings', key },
          body,
          headers: { 'content-type': type },
        })
      const { page, check, faults } = await openConsole(browser, server, at('drawings', { sel: 'a.svg' }))
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      const details = page.getByRole('complementary')
      const image = details.locator('.contents img')
      await image.waitFor()
      await page.waitForFunction(
        () => (document.querySelector('.contents img') as HTMLImageElement).naturalWidth === 200,
      )
      // It is drawn, with its own styles.
      const shot = sharp(await image.screenshot())
      const { width = 0, height = 0 } = await shot.metadata()
      const pixel = await shot
        .extract({ left: Math.round(width * 0.9), top: Math.round(height * 0.25), width: 1, height: 1 })
        .removeAlpha()
        .raw()
        .toBuffer()
      assert.deepEqual([...pixel], [10, 160, 80])
      await image.hover({ position: { x: 20, y: height - 10 } })
      await check('contents-svg')
      await image.click()
      const box = page.getByRole('dialog')
      await box.locator('img').waitFor()
      await page.waitForFunction(
        () => (document.querySelector('[role=dialog] img') as HTMLImageElement | null)?.naturalWidth === 200,
      )
      await box.getByRole('button', { name: 'Zoom in' }).click()
      await box.getByText(/^3(59|60)%$/).waitFor()
      await check('lightbox-svg')
      // A link in it is none.
      await box.locator('img').click({ position: { x: 20, y: 250 } })
      await box.getByText('Source').click()
      await box.locator('pre .tone-name').first().waitFor()
      assert.equal(await box.locator('pre').textContent(), hostile)
      await check('lightbox-svg-source')
      await page.keyboard.press('Escape')
      await box.waitFor({ state: 'detached' })
      await details.getByText('Source').click()
      await details.locator('pre').getByText('stolen').first().waitFor()

      // What is none has its source alone; one that is known by its name only is shown too.
      await page.getByRole('button', { name: 'Next object' }).click()
      await details.locator('pre').getByText('<g>').waitFor()
      assert.equal(await details.getByRole('radiogroup', { name: 'Show as' }).count(), 0)
      await page.getByRole('button', { name: 'Next object' }).click()
      await page.waitForFunction(() => (document.querySelector('.contents img') as HTMLImageElement)?.naturalWidth > 0)
      await check('contents-svg-lines')
      // One without a size of its own is seen on the full screen too.
      await image.click()
      assert.ok(((await box.locator('img').boundingBox())?.width ?? 0) >= 480)
      await check('lightbox-svg-lines')
      assert.deepEqual(
        asked.filter((url) => /track|example/.test(url)),
        [],
      )
      assert.match(await page.title(), /Strongroom$/)
      assert.deepEqual(faults, [])
    }))

  it('fill the screen: arrows lead through the folder, a picture is enlarged, Back and Escape return', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, at('previews'))
      await row(page, 'c.md').waitFor()
      await tabToGrid(page)
      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('f')
      const box = page.getByRole('dialog')
      await box.getByRole('heading', { name: 'The title' }).waitFor()
      await box.getByText('3 of 8').waitFor()
      await check('lightbox-markdown')
      assert.equal(new URL(page.url()).searchParams.get('full'), '1')

      await page.keyboard.press('ArrowRight')
      const picture = box.locator('img')
      await picture.waitFor()
      await page.waitForFunction(
        () => (document.querySelector('[role=dialog] img') as HTMLImageElement | null)?.complete,
      )
      await check('lightbox-picture')
      const width = () => picture.evaluate((one) => Math.round(one.getBoundingClientRect().width))
      const fits = await width()
      await box.getByRole('button', { name: 'Zoom in' }).click()
      assert.equal(await width(), Math.round(fits * 1.5))
      await box.locator('.contents-scroll').focus()
      await page.keyboard.press('-')
      await page.keyboard.press('-')
      assert.equal(await width(), Math.round(fits / 1.5))
      await page.keyboard.press('0')
      await box.getByText('Fit', { exact: true }).waitFor()
      assert.equal(await width(), fits)

      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft')
      await box.getByText('1 of 8').waitFor()
      await box.locator('.contents-json').waitFor()
      assert.ok(await box.getByRole('button', { name: 'Previous object' }).isDisabled(), 'a folder is no object')
      await page.keyboard.press('ArrowLeft')
      await box.getByText('1 of 8').waitFor()

      // Escape closes only the full screen, and a reload has it again.
      await page.reload()
      await box.getByText('12345678901234567890').waitFor()
      await page.keyboard.press('Escape')
      await box.waitFor({ state: 'detached' })
      assert.equal(new URL(page.url()).searchParams.get('sel'), 'a.json')
      const details = page.getByRole('complementary')
      await details.getByRole('button', { name: 'Full screen' }).click()
      await box.waitFor()
      await page.goBack()
      await box.waitFor({ state: 'detached' })
      await details.getByRole('heading', { name: 'a.json' }).waitFor()
      await details.getByRole('button', { name: 'Full screen' }).click()
      await box.getByRole('button', { name: 'Share…' }).click()
      await page.getByRole('dialog', { name: 'Share a.json' }).waitFor()
      assert.deepEqual(faults, [])
    }))

  it('are turned by a finger on a phone', () =>
    inBrowser(
      async (browser) => {
        const { page, check, faults } = await openConsole(browser, server, at('previews', { sel: 'd.png', full: '1' }))
        const box = page.getByRole('dialog')
        await box.locator('img').waitFor()
        await check('lightbox-phone')
        const swipe = async (from: number, to: number) => {
          const cdp = await page.context().newCDPSession(page)
          const touch = (type: string, x?: number) =>
            cdp.send('Input.dispatchTouchEvent', {
              type: type as 'touchStart',
              touchPoints: x === undefined ? [] : [{ x, y: 400 }],
            })
          await touch('touchStart', from)
          await touch('touchMove', (from + to) / 2)
          await touch('touchMove', to)
          await touch('touchEnd')
        }
        await swipe(300, 60)
        await box.locator('pre').getByText('def').waitFor()
        assert.equal(new URL(page.url()).searchParams.get('sel'), 'e.py')
        await box.getByRole('button', { name: 'Previous object' }).click()
        await box.locator('img').waitFor()
        assert.deepEqual(faults, [])
      },
      { width: 390, height: 844 },
    ))

  it('a folder and a bucket are shared from their own page', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, at('previews'))
      await page.getByRole('button', { name: 'Share this bucket' }).click()
      await page.getByRole('dialog', { name: 'Share previews' }).getByRole('button', { name: 'Cancel' }).click()
      await row(page, 'folder').getByRole('link').click()
      await page.getByRole('button', { name: 'Share this folder' }).click()
      const dialog = page.getByRole('dialog', { name: 'Share folder' })
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByText('Link created').waitFor()
      const { items } = await server.admin.listShares({ query: {} })
      assert.deepEqual(
        items.map(({ kind, bucket, prefix }) => [kind, bucket, prefix]),
        [['folder', 'previews', 'folder/']],
      )
      assert.deepEqual(faults, [])
    }))
})
