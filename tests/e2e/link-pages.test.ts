// The pages of share links as their visitors use them: gallery, folders, viewer, refusals, and what they load.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, it } from 'node:test'
import sharp from 'sharp'
import { describeConsole, inBrowserOf, openConsole, startBrowser } from '../support/browser.ts'
import { request } from '../support/http.ts'
import { pdf } from '../support/pdf.ts'
import { checkReflow } from '../support/reflow.ts'
import { ADMIN, startServer, type TestServer } from '../support/server.ts'
import { unzip } from '../support/unzip.ts'

const BUCKET = 'photos'
const PHONE = { width: 390, height: 844 }
const COLOURS = ['#c2553f', '#3f7fc2', '#4fa36a', '#c9a13b', '#7a5bb0']

describeConsole('pages of share links', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: BUCKET } })
    for (const [i, background] of COLOURS.entries()) {
      const picture = sharp({ create: { width: 1200, height: 800, channels: 3, background } })
      await put(`trip/img-${i * 3 + 1}.jpg`, await picture.jpeg().toBuffer(), 'image/jpeg')
    }
    await put('trip/', '', 'application/octet-stream')
    await put('trip/day 2/notes & plans.txt', 'Take the <early> train.\n', 'text/plain')
    await put('trip/day 2/map/route.gpx', 'not shown', 'application/gpx+xml')
    await put('trip/tickets.pdf', pdf('Tickets'), 'application/pdf')
    await put('trip/report.docx', 'PK', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document')
  })
  after(() => server.stop())
  const put = (key: string, body: string | Buffer, type: string) =>
    server.admin.putObjectByQuery({
      params: { bucket: BUCKET },
      query: { key },
      body: body as BodyInit,
      headers: { 'content-type': type },
    })
  const inBrowser = inBrowserOf(() => server, { who: null })
  const linkTo = async (body: Omit<Parameters<typeof server.admin.createShare>[0]['body'], 'bucket'>) => {
    const link = await server.admin.createShare({ body: { ...body, bucket: BUCKET } })
    server.secrets.add(link.token)
    return { ...link, page: `/s/${link.token}` }
  }
  const trip = () => linkTo({ kind: 'folder', prefix: 'trip/' })

  for (const [where, size] of [
    ['wide', {}],
    ['phone', PHONE],
  ] as const)
    it(`a folder of pictures is a gallery, with folders to go into and back (${where})`, () =>
      inBrowser(async (browser) => {
        const link = await trip()
        const { page, check, faults } = await openConsole(browser, server, link.page)
        await page.getByText('9 files').waitFor()
        const tiles = page.getByRole('list', { name: 'Files' }).getByRole('listitem')
        assert.deepEqual(
          (await tiles.locator('.name').allInnerTexts()).map((name) => name.trim()),
          ['day 2', 'img-1.jpg', 'img-4.jpg', 'img-7.jpg', 'img-10.jpg', 'img-13.jpg', 'report.docx', 'tickets.pdf'],
          'folders first, numbers in their order, without the marker of the folder',
        )
        await page.getByText('JPEG picture').first().waitFor()
        await page.getByText('Word document').waitFor()
        await page.waitForFunction(
          () =>
            [...document.querySelectorAll<HTMLImageElement>('.tile img')].filter(({ naturalWidth }) => naturalWidth > 0)
              .length === 5,
        )
        await check(`link-gallery-${where}`)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        assert.equal(wide, false)

        await page.getByRole('link', { name: 'Open folder day 2' }).click()
        await page.getByText('notes & plans.txt').waitFor()
        assert.equal(await page.getByText('img-1.jpg').count(), 0)
        await page
          .getByRole('link', { name: 'map', exact: true })
          .or(page.getByLabel('Open folder map'))
          .first()
          .click()
        await page.getByText('route.gpx').waitFor()
        const crumbs = page.getByRole('navigation', { name: 'Path' })
        assert.equal(await crumbs.textContent(), 'trip/day 2/map')
        await check(`link-subfolder-${where}`)
        await page.goBack()
        await page.getByText('notes & plans.txt').waitFor()
        await page.goBack()
        await page.getByText('img-1.jpg').waitFor()
        await page.reload()
        await page.getByText('img-1.jpg').waitFor()

        await page.getByRole('button', { name: 'List' }).click()
        await page.getByRole('table', { name: 'Files' }).waitFor()
        await check(`link-list-${where}`)
        await page.reload()
        await page.getByRole('table', { name: 'Files' }).waitFor()
        assert.deepEqual(faults, [])
      }, size))

  it('opens each file in a viewer: by keys, by swipes, by its address; Back and Escape close it', () =>
    inBrowser(
      async (browser) => {
        const link = await trip()
        const { page, check, faults } = await openConsole(browser, server, link.page)
        await page.getByRole('link', { name: 'Open img-1.jpg' }).click()
        const viewer = page.getByRole('dialog')
        const shows = (name: string) => viewer.getByRole('heading', { name, exact: true }).waitFor()
        await shows('img-1.jpg')
        await viewer.getByText('1 of 7').waitFor()
        const isDrawn = () =>
          page.waitForFunction(() => (document.querySelector('dialog .picture') as HTMLImageElement)?.naturalWidth > 0)
        await isDrawn()
        await check('link-viewer')
        for (const name of ['img-4.jpg', 'img-7.jpg']) {
          await page.keyboard.press('ArrowRight')
          await shows(name)
        }
        await page.keyboard.press('ArrowLeft')
        await shows('img-4.jpg')
        await viewer.getByRole('button', { name: 'Next file' }).click()
        await shows('img-7.jpg')
        // Zoom and back.
        await isDrawn()
        const width = () => viewer.locator('.picture').evaluate((picture) => picture.getBoundingClientRect().width)
        const whole = await width()
        await page.keyboard.press('+')
        await page.keyboard.press('+')
        await page.waitForFunction(
          (before) => (document.querySelector('dialog .picture')?.getBoundingClientRect().width ?? 0) > before * 1.5,
          whole,
        )
        await page.keyboard.press('-')
        await page.keyboard.press('-')
        await page.waitForFunction(
          (before) => (document.querySelector('dialog .picture')?.getBoundingClientRect().width ?? 0) <= before + 1,
          whole,
        )
        assert.match(page.url(), /#\/img-7\.jpg$/)
        await page.keyboard.press('Escape')
        await viewer.waitFor({ state: 'detached' })
        assert.match(page.url(), /#\/?$|\/s\/[\w-]+$/)
        await page.goForward()
        await shows('img-7.jpg')
        await page.goBack()
        await viewer.waitFor({ state: 'detached' })

        await page.goto(`${server.url}${link.page}#/day%202/notes%20%26%20plans.txt`)
        await page.reload()
        await viewer.getByText('Take the <early> train.').waitFor()
        await check('link-viewer-text')
        await viewer.getByRole('button', { name: 'Close' }).click()
        await viewer.waitFor({ state: 'detached' })
        await page.getByText('notes & plans.txt').waitFor()
        await page.goto(`${server.url}${link.page}#/report.docx`)
        await page.reload()
        await viewer.getByText('No preview for this file type.').waitFor()
        await check('link-viewer-none')
        const saved = page.waitForEvent('download')
        await viewer.getByRole('link', { name: 'Download report.docx' }).click()
        assert.equal(fs.readFileSync(await (await saved).path(), 'utf8'), 'PK')
        assert.deepEqual(faults, [])
      },
      { ...PHONE },
    ))

  it('a swipe shows the next file', () =>
    inBrowser(async (browser) => {
      const link = await trip()
      const { page } = await openConsole(browser, server, `${link.page}#/img-4.jpg`)
      const viewer = page.getByRole('dialog')
      await viewer.getByRole('heading', { name: 'img-4.jpg' }).waitFor()
      const swipe = async (from: number, to: number) => {
        const session = await browser.context.newCDPSession(page)
        const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
          session.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 400 }] })
        await touch('touchStart', from)
        await touch('touchMove', (from + to) / 2)
        await touch('touchMove', to)
        await touch('touchEnd')
      }
      await swipe(300, 90)
      await viewer.getByRole('heading', { name: 'img-7.jpg' }).waitFor()
      await swipe(90, 300)
      await viewer.getByRole('heading', { name: 'img-4.jpg' }).waitFor()
    }, PHONE))

  for (const [where, size] of [
    ['wide', {}],
    ['phone', PHONE],
  ] as const)
    it(`some files and folders are chosen and downloaded as one zip, by hand and by keyboard (${where})`, () =>
      inBrowser(async (browser) => {
        const link = await trip()
        const { page, check, faults } = await openConsole(browser, server, link.page, { expect: [404] })
        const saved = async (start: () => Promise<void>) => {
          const download = page.waitForEvent('download')
          await start()
          const file = await download
          assert.equal(file.suggestedFilename(), 'trip.zip')
          const all = await unzip(fs.readFileSync(await file.path()))
          return Object.fromEntries(all.map(({ name, entry }) => [name, entry.uncompressedSize]))
        }
        const bar = page.getByRole('region', { name: 'Selection' })
        const get = bar.getByRole('button', { name: 'Download (zip)' })
        await page.getByRole('button', { name: 'Select', exact: true }).click()
        await bar.getByText('0 selected').waitFor()
        assert.ok(await get.isDisabled())
        await page.getByRole('checkbox', { name: 'Select day 2' }).check()
        await page.locator('.tile', { hasText: 'report.docx' }).locator('label').click()
        await bar.getByText('2 selected').waitFor()
        await check(`link-choice-${where}`)
        const day = { 'trip/day 2/map/route.gpx': 9, 'trip/day 2/notes & plans.txt': 24 }
        assert.deepEqual(await saved(() => get.click()), { ...day, 'trip/report.docx': 2 })
        await bar.getByText('Download started. Your browser shows its progress.').waitFor()
        await check(`link-choice-started-${where}`)
        await page.clock.runFor(10_000)
        await bar.getByText('Download started').waitFor({ state: 'detached' })

        // The list has the same choice; by keyboard; and none of it is left in another folder.
        await page.getByRole('button', { name: 'List' }).click()
        const box = page.getByRole('checkbox', { name: 'Select report.docx' })
        assert.ok(await box.isChecked())
        await box.focus()
        await page.keyboard.press('Space')
        await bar.getByText('1 selected').waitFor()
        await check(`link-choice-list-${where}`)
        await get.focus()
        assert.deepEqual(await saved(() => page.keyboard.press('Enter')), day)
        await bar.getByRole('button', { name: 'Select all' }).click()
        await bar.getByText('8 selected').waitFor()
        await bar.getByRole('button', { name: 'Select none' }).click()
        await bar.getByText('0 selected').waitFor()
        await page.keyboard.press('Escape')
        await bar.waitFor({ state: 'detached' })
        assert.equal(await page.getByRole('checkbox').count(), 0)
        await page.getByRole('link', { name: 'day 2' }).click()
        await page.getByRole('button', { name: 'Select', exact: true }).click()
        await page.getByRole('checkbox', { name: 'Select notes & plans.txt' }).check()
        await bar.getByText('1 selected · 24 B').waitFor()
        assert.deepEqual(await saved(() => get.click()), { 'trip/day 2/notes & plans.txt': 24 })
        await bar.getByText('Download started: 1 file, 24 B.').waitFor()
        assert.deepEqual(faults, [])
      }, size))

  for (const [where, size] of [
    ['wide', {}],
    ['phone', PHONE],
  ] as const)
    it(`says that a zip of everything is prepared, then that the browser loads it, once however often it is asked (${where})`, () =>
      inBrowser(async (browser) => {
        const link = await trip()
        const { page, check, faults } = await openConsole(browser, server, link.page)
        await page.getByText('9 files').waitFor()
        let started = 0
        page.on('download', () => started++)
        const { promise, resolve: goOn } = Promise.withResolvers<void>()
        await page.route(
          (url) => url.searchParams.get('archive') === '1',
          async (route) => {
            if (route.request().method() === 'HEAD') await promise
            await route.continue()
          },
        )
        const all = page.getByRole('link', { name: 'Download all (zip)' })
        const said = page.getByRole('status')
        await all.click()
        await said.getByText('Preparing ZIP…').waitFor()
        await check(`link-zip-preparing-${where}`)
        await all.focus()
        await page.keyboard.press('Enter')
        const saved = page.waitForEvent('download')
        goOn()
        await (await saved).path()
        await said.getByText(/^Download started: 9 files, .+ KB\. Your browser shows its progress\.$/).waitFor()
        await check(`link-zip-started-${where}`)
        await page.clock.runFor(10_000)
        await said.getByText('Download started').waitFor({ state: 'detached' })
        assert.deepEqual([started, faults], [1, []])
        await page.unrouteAll()

        // What is refused is no download.
        await server.admin.revokeShare({ params: { id: link.id } })
        await all.click()
        await page.getByText('This link is no longer available').waitFor()
        assert.equal(await page.getByText('Download started').count(), 0)
      }, size))

  it('a choice of which nothing is left is explained on the page, and counts one of the downloads where it is not', () =>
    inBrowser(async (browser) => {
      await put('some/first.txt', 'first', 'text/plain')
      await put('some/second.txt', 'second', 'text/plain')
      const link = await linkTo({ kind: 'folder', prefix: 'some/', max_downloads: 2 })
      const { page, shot } = await openConsole(browser, server, link.page, { expect: [404] })
      let started = 0
      page.on('download', () => started++)
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      await page.getByRole('checkbox', { name: 'Select first.txt' }).check()
      await server.admin.deleteObject({ params: { bucket: BUCKET, key: 'some/first.txt' } })
      const get = page.getByRole('button', { name: 'Download (zip)' })
      await get.click()
      await page.getByRole('alert').getByText('They were moved or deleted.').waitFor()
      await shot('link-choice-refused')
      await page.getByText('2 of 2 downloads left').waitFor()
      await page.getByText('Previews are off so that they don’t use downloads up.').waitFor()
      assert.equal(started, 0)
      await page.getByRole('checkbox', { name: 'Select second.txt' }).check()
      const saved = page.waitForEvent('download')
      await get.click()
      const all = await unzip(fs.readFileSync(await (await saved).path()))
      assert.deepEqual(
        all.map(({ name, text }) => [name, text]),
        [['some/second.txt', 'second']],
      )
      await page.clock.runFor(5000)
      await page.getByText('1 of 2 downloads left').waitFor()
    }))

  it('a preview is not counted as a download, and is recorded as what it is', () =>
    inBrowser(async (browser) => {
      const link = await linkTo({ kind: 'object', key: 'trip/img-1.jpg' })
      const { page } = await openConsole(browser, server, link.page)
      await page.waitForFunction(() => (document.querySelector('.picture') as HTMLImageElement)?.naturalWidth > 0)
      await server.running.tick()
      const { items } = await server.admin.listShareAccesses({ params: { id: link.id } })
      assert.deepEqual([...new Set(items.map(({ outcome }) => outcome))], ['previewed', 'opened'])
      const listed = async () => (await server.admin.listShares()).items.find(({ id }) => id === link.id)?.access_count
      assert.equal(await listed(), 0)
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download' }).click()
      await (await saved).path()
      await server.running.tick()
      assert.equal(await listed(), 1)
    }))

  it('a page that was opened and left is in the activity of its link, once however often it is loaded', () =>
    inBrowser(
      async (browser) => {
        const link = await linkTo({ kind: 'object', key: 'trip/report.docx' })
        const visitor = await openConsole(browser, server, link.page)
        await visitor.page.getByRole('heading', { name: 'report.docx' }).waitFor()
        await visitor.page.reload()
        await visitor.page.getByRole('heading', { name: 'report.docx' }).waitFor()
        await server.running.tick()
        const { page, check, faults } = await openConsole(browser, server, '/shares')
        await page.getByRole('button', { name: 'Actions for the link to trip/report.docx' }).click()
        await page.getByRole('menuitem', { name: 'Activity' }).click()
        const activity = page.getByRole('table', { name: 'Activity' })
        await activity.getByText('Opened', { exact: true }).waitFor()
        await page.getByText('1 entry').waitFor()
        await check('link-opened')
        await page.keyboard.press('Escape')
        const row = page.getByRole('row').filter({ hasText: 'trip/report.docx' })
        await row.locator('.number', { hasText: /^0$/ }).first().waitFor()
        assert.deepEqual([...faults, ...visitor.faults], [])
      },
      { who: ADMIN },
    ))

  it('shows the message that its creator wrote and changed in the console, as plain text', () =>
    inBrowser(
      async (browser) => {
        const { page, check, faults } = await openConsole(browser, server, `/shares?new=${BUCKET}&prefix=trip%2F`)
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Message').fill('Our <b>trip</b>\nSee you soon')
        await check('share-message')
        await dialog.getByRole('button', { name: 'Create link' }).click()
        const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
        server.secrets.add(url.split('/').at(-1) ?? '')
        const stranger = await openConsole(browser, server, new URL(url).pathname)
        const message = stranger.page.locator('blockquote')
        await message.waitFor()
        assert.equal(await message.textContent(), 'Our <b>trip</b>\nSee you soon')
        await stranger.page.getByText(/^Shared Jan 1, 2026$/).waitFor()
        await stranger.check('link-message')
        await page.goto(`${server.url}/console/shares`)
        await page.getByRole('button', { name: 'Actions for the link to trip/' }).first().click()
        await page.getByRole('menuitem', { name: 'Edit…' }).click()
        await dialog.getByLabel('Message').fill('')
        await dialog.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Link saved').waitFor()
        await stranger.page.reload()
        await stranger.page.getByText('9 files').waitFor()
        assert.equal(await message.count(), 0)
        assert.deepEqual([...faults, ...stranger.faults], [])
      },
      { who: ADMIN },
    ))

  it('what is refused is told on the page: a file that was deleted, a link that was revoked', () =>
    inBrowser(async (browser) => {
      await put('going/first.txt', 'first', 'text/plain')
      await put('going/second.txt', 'second', 'text/plain')
      const link = await linkTo({ kind: 'folder', prefix: 'going/' })
      const { page, check } = await openConsole(browser, server, link.page, { expect: [404, 410] })
      let started = 0
      page.on('download', () => started++)
      await page.getByRole('link', { name: 'Download first.txt' }).waitFor()
      await server.admin.deleteObject({ params: { bucket: BUCKET, key: 'going/first.txt' } })
      await page.getByRole('link', { name: 'Download first.txt' }).click()
      await page.getByRole('alert').getByText('first.txt couldn’t be downloaded.').waitFor()
      await check('link-refused')
      await server.admin.revokeShare({ params: { id: link.id } })
      await page.getByRole('link', { name: 'Download second.txt' }).click()
      await page.getByRole('heading', { name: 'This link is no longer available' }).waitFor()
      assert.equal(started, 0)
      assert.equal((await page.content()).includes('second'), false)
    }))

  it('asks for the password once a tab, and again when it was changed', () =>
    inBrowser(async (browser) => {
      for (const word of ['word of the day', 'another word']) server.secrets.add(word)
      const link = await linkTo({ kind: 'folder', prefix: 'trip/', password: 'word of the day' })
      const { page } = await openConsole(browser, server, `${link.page}#/day%202/`, { expect: [401] })
      await page.getByLabel('Password', { exact: true }).fill('word of the day')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('notes & plans.txt').waitFor()
      await page.reload()
      await page.getByText('notes & plans.txt').waitFor()
      await server.admin.updateShare({ params: { id: link.id }, body: { password: 'another word' } })
      await page.reload()
      await page.getByLabel('Password', { exact: true }).waitFor()
      assert.equal((await page.content()).includes('notes'), false)
    }))

  it('links given out before lead to the page; its HTML has no name and is not for search engines', async () => {
    const link = await trip()
    const ask = (path: string, method = 'GET') => request({ url: server.url, path, method })
    const old = await ask(`/console/s/${link.token}?lang=en`)
    assert.deepEqual([old.status, old.headers.location], [308, `/s/${link.token}?lang=en`])
    for (const hostile of ['%2f%2fevil.example', '..%2f..%2fx', '%0d%0aset-cookie:a=b', '%3c']) {
      const { status, headers } = await ask(`/console/s/${hostile}`)
      if (status === 308) assert.match(String(headers.location), /^\/s\/[^/]*$/, hostile)
      assert.equal(headers['set-cookie'], undefined)
    }
    const page = await ask(link.page)
    assert.equal(page.status, 200)
    assert.equal(page.headers['x-robots-tag'], 'noindex, nofollow')
    assert.equal(page.headers['referrer-policy'], 'no-referrer')
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(String(page.headers['content-security-policy'])) ?? []
    assert.ok(nonce.length >= 22)
    const html = page.body.toString()
    assert.equal(html.includes('__STRONGROOM_NONCE__') || html.includes(link.token), false)
    for (const [tag] of html.matchAll(/<script[^>]*>/g)) assert.ok(tag.includes(`nonce="${nonce}"`), tag)
    assert.notEqual((await ask(link.page)).headers['content-security-policy'], page.headers['content-security-policy'])
    const [script = ''] = /\/s\/assets\/[^"]+\.js/.exec(html) ?? []
    const asset = await ask(script)
    assert.deepEqual([asset.status, asset.headers['cache-control']], [200, 'public, max-age=31536000, immutable'])
    for (const path of ['/s/assets/none.js', '/s/assets/..%2findex.html', '/s/', '/s', `${link.page}/deeper`])
      assert.equal((await ask(path)).status, 404, path)
  })

  for (const [locale, language, words] of [
    ['de-AT', 'de', ['9 Dateien', 'Alles herunterladen (ZIP)', /^Gültig bis \d+\./]],
    ['fr-CA', 'fr', ['9 fichiers', 'Tout télécharger (zip)', /^Expire le /]],
    ['es-MX', 'es', ['9 archivos', 'Descargar todo (zip)', /^Caduca el /]],
    ['ja-JP', 'ja', ['9 個のファイル', 'すべてダウンロード (zip)', /^有効期限: \d{4}/]],
    ['zh-CN', 'zh-CN', ['9 个文件', '全部下载 (zip)', /^有效期至 \d{4}/]],
    ['zh-TW', 'en', ['9 files', 'Download all (zip)', /^Expires /]],
    ['sv-SE', 'en', ['9 files', 'Download all (zip)', /^Expires /]],
  ] as const)
    it(`speaks the visitor’s language: ${locale}`, async () => {
      const browser = await startBrowser({ ...PHONE, locale })
      try {
        const link = await trip()
        const opened = await openConsole(browser, server, link.page)
        for (const word of words) await opened.page.getByText(word).first().waitFor()
        assert.equal(await opened.page.evaluate(() => document.documentElement.lang), language)
        await opened.check(`link-${locale}`)
        await checkReflow(opened, `link-${locale}`)
      } finally {
        await browser.close()
      }
    })
})
