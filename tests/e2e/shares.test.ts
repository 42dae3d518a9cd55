// Share links in a real browser: creating them, the public pages, and their end.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, it } from 'node:test'
import jsqr from 'jsqr'
import type { Locator } from 'playwright-core'
import sharp from 'sharp'
import { typesOf } from '../../contract/kinds.ts'
import { describeConsole, inBrowserOf, navigate, openConsole, signIn } from '../support/browser.ts'
import { hasUsefulFocus } from '../support/focus.ts'
import { request } from '../support/http.ts'
import { freePort } from '../support/idp.ts'
import { pdf } from '../support/pdf.ts'
import { quarters } from '../support/pictures.ts'
import { startServer, type TestServer } from '../support/server.ts'

const BUCKET = 'photos'
const HOUR = 3600_000

/** How many lines a cell's text takes. */
const linesIn = (cell: Locator) =>
  cell.evaluate((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
  })

describeConsole('share links', (engine) => {
  let server: TestServer
  before(async () => {
    const port = await freePort()
    server = await startServer(engine, { PORT: String(port), PUBLIC_BASE_URL: `http://127.0.0.1:${port}` })
    await server.admin.createBucket({ body: { name: BUCKET } })
    await put('2026/summer/beach.png', await quarters().png().toBuffer(), 'image/png')
    await put('2026/summer/notes.txt', 'Sand & <b>sea</b>\n', 'text/plain')
    await put('2026/summer/a+b&c#d%25?.txt', 'odd', 'text/plain')
    await put('2026/summer//..', 'odder', 'text/plain')
    await put('report.pdf', '%PDF-1.4 not really', 'application/pdf')
  })
  after(() => server.stop())
  const put = (key: string, body: string | Uint8Array<ArrayBuffer> | Buffer, type: string) =>
    server.admin.putObjectByQuery({
      params: { bucket: BUCKET },
      query: { key },
      body: body as BodyInit,
      headers: { 'content-type': type },
    })
  const inBrowser = inBrowserOf(() => server, { who: null })
  const inWhole = inBrowserOf(() => server, { who: null, whole: true })
  /** What a camera reads in a picture of a QR code. */
  const decode = async (picture: Buffer | string): Promise<string | undefined> => {
    const { data, info } = await sharp(picture).resize(600).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data
  }
  const linkTo = async (body: Parameters<typeof server.admin.createShare>[0]['body']) => {
    const link = await server.admin.createShare({ body })
    server.secrets.add(link.token)
    return { ...link, page: `/s/${link.token}` }
  }

  it('previews a PDF on the share page in the browser’s viewer', () =>
    inWhole(async (browser) => {
      await put('figures.pdf', pdf('Quarterly figures'), 'application/pdf')
      const link = await linkTo({ kind: 'object', bucket: BUCKET, key: 'figures.pdf' })
      const { page, check, faults } = await openConsole(browser, server, link.page)
      const frame = page.locator('iframe[title="Preview of figures.pdf"]')
      await frame.waitFor()
      await frame.contentFrame().locator('embed, body').first().waitFor()
      assert.equal(await frame.getAttribute('sandbox'), null)
      await page.getByRole('link', { name: 'Open in a new tab' }).waitFor()
      await check('link-pdf')
      assert.deepEqual(faults, [])
    }))

  it('keeps a new link that is not stored open until it is copied: Escape, the backdrop and buttons ask first', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      await server.admin.updateSettings({ body: { shares: { keep_links: false } } })
      await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const { page, check } = await openConsole(browser, server, `/shares?new=${BUCKET}&key=report.pdf`)
      const dialog = page.getByRole('dialog')
      const closed = () => dialog.waitFor({ state: 'detached' })
      const make = async () => {
        await dialog.getByRole('button', { name: 'Create link' }).click()
        const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
        server.secrets.add(url.split('/').at(-1) ?? '')
        return url
      }
      const url = await make()
      const question = dialog.getByRole('alert').getByText('Leave without copying the link?')
      const stays = async (how: string) => {
        await question.waitFor()
        assert.equal(await dialog.getByRole('textbox', { name: 'Link' }).inputValue(), url, how)
        await page.keyboard.press('Escape')
        await question.waitFor({ state: 'detached' })
      }
      await page.keyboard.press('Escape')
      await question.waitFor()
      await check('share-not-copied')
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      await dialog.getByRole('button', { name: 'Done' }).click()
      await stays('Done')
      await dialog.getByRole('button', { name: 'Close', exact: true }).click()
      await stays('the cross')
      await dialog.getByRole('button', { name: 'Create another' }).click()
      await stays('another')
      await page.mouse.click(5, 450)
      assert.equal(await dialog.getByRole('textbox', { name: 'Link' }).inputValue(), url, 'the backdrop')

      // The button that is offered first copies; then every way out is open.
      await dialog.getByRole('button', { name: 'Copy link' }).click()
      await dialog.getByRole('button', { name: 'Link copied' }).waitFor()
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url)
      await check('share-copied')
      await page.keyboard.press('Escape')
      await closed()

      // Copied by hand, as a picture, or left on purpose.
      await page.goto(`${server.url}/console/shares?new=${BUCKET}&key=report.pdf`)
      const second = await make()
      await dialog.getByRole('textbox', { name: 'Link' }).click()
      await page.keyboard.press('Control+C')
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), second)
      await dialog.getByRole('button', { name: 'Create another' }).click()
      await make()
      await page.keyboard.press('Escape')
      await question.waitFor()
      await dialog.getByRole('button', { name: 'Leave without copying' }).click()
      await closed()
      await server.admin.updateSettings({ body: { shares: { keep_links: true } } })
    }))

  it('shows a stored link again to its creator, where it was created and in the list', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await put('again.txt', 'again', 'text/plain')
      const { page, check, faults } = await openConsole(browser, server, `/shares?new=${BUCKET}&key=again.txt`, {
        expect: [409],
      })
      const dialog = page.getByRole('dialog')
      const field = dialog.getByRole('textbox', { name: 'Link' })
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByText('You can copy it again later from Share links.').waitFor()
      const url = await field.inputValue()
      server.secrets.add(url.split('/').at(-1) ?? '')
      // Nothing is lost, so nothing is asked.
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })

      const read = { action: 'share_link_read', bucket: BUCKET, key: 'again.txt' } as const
      const actions = page.getByRole('button', { name: 'Actions for the link to again.txt' })
      await server.records([read], async () => {
        await actions.click()
        await page.getByRole('menuitem', { name: 'Show link' }).click()
        await dialog.getByRole('button', { name: 'Copy link' }).click()
        await dialog.getByRole('button', { name: 'Link copied' }).waitFor()
        assert.equal(await copied(), url)
        await check('share-link-again')
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      })
      await server.records([read], async () => {
        await navigate(page, `/shares?new=${BUCKET}&key=again.txt`)
        await dialog.getByRole('button', { name: 'Show link' }).click()
        await dialog.getByText('Direct download').click()
        const direct = url.replace('/s/', '/public/s/')
        assert.equal(await field.inputValue(), direct)
        await dialog.getByRole('button', { name: 'Back' }).click()
        await dialog.getByRole('button', { name: 'Create link' }).waitFor()
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      })
      // It was revoked in the meantime.
      const [link] = (await server.admin.listShares({ query: { bucket: BUCKET, key: 'again.txt' } })).items
      await server.admin.revokeShare({ params: { id: link?.id ?? '' } })
      await actions.click()
      await page.getByRole('menuitem', { name: 'Show link' }).click()
      await dialog.getByText('The link was revoked. Create a new one.').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('creates a link with a QR code that opens without an account and stops working once revoked', () =>
    inBrowser(async (browser) => {
      await signIn(browser, server)
      const at = `/shares?new=${BUCKET}&key=${encodeURIComponent('2026/summer/beach.png')}`
      const { page, check } = await openConsole(browser, server, at)
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Share beach.png').waitFor()
      await dialog.getByText('Anyone with the link can open it.').waitFor()
      await dialog.getByText('File name and preview').click()
      await dialog.getByLabel('Password', { exact: true }).fill('for a moment')
      await dialog.getByLabel('Maximum downloads').fill('3')
      await dialog.getByText('Visitors see no previews').waitFor()
      await dialog.getByText('Anyone with the link and the password can open it.').waitFor()
      await check('share-dialog')
      await page.setViewportSize({ width: 390, height: 844 })
      await check('share-dialog-phone')
      await page.setViewportSize({ width: 1440, height: 900 })
      await dialog.getByLabel('Password', { exact: true }).fill('')
      await dialog.getByLabel('Maximum downloads').fill('')
      await dialog.getByLabel('Expires').click()
      await page.getByRole('option', { name: 'Never' }).waitFor()
      await page.getByRole('option', { name: '1 day' }).click()
      await dialog.getByRole('button', { name: 'Create link' }).click()
      const field = dialog.getByRole('textbox', { name: 'Link' })
      const url = await field.inputValue()
      const token = /\/s\/([\w-]{43})$/.exec(url)?.[1] ?? ''
      assert.ok(url.startsWith(`${server.env.PUBLIC_BASE_URL}/s/`), url)
      server.secrets.add(token)
      const code = dialog.getByRole('img', { name: 'QR code' })
      await code.waitFor()
      await check('share-made')
      assert.equal(await decode(await code.screenshot()), url)
      const saved = async (kind: string) => {
        const download = page.waitForEvent('download')
        await dialog.getByRole('button', { name: kind }).click()
        return fs.readFileSync(await (await download).path())
      }
      assert.equal(await decode(await saved('PNG')), url, 'PNG')
      const canvas = await browser.context.newPage()
      await canvas.setViewportSize({ width: 500, height: 500 })
      await canvas.setContent(`<body style="background:#fff;margin:0">${await saved('SVG')}`)
      assert.equal(await decode(await canvas.screenshot()), url, 'SVG')
      await canvas.close()
      await dialog.getByText('Direct download').click()
      const direct = await field.inputValue()
      assert.equal(direct, `${server.env.PUBLIC_BASE_URL}/public/s/${token}`)
      assert.equal(await decode(await code.screenshot()), direct)
      await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await dialog.getByRole('button', { name: 'Copy link' }).click()
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), direct)
      const [made] = (await server.admin.listShares({ query: { bucket: BUCKET } })).items
      assert.equal(Date.parse(made?.expires_at ?? '') - server.clock.now().getTime(), 24 * HOUR)
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('link', { name: '2026/summer/beach.png' }).waitFor()
      assert.equal((await page.content()).includes(token), false, 'the link is gone with its dialog')

      // Somebody else, with an empty profile.
      await inBrowser(async (stranger) => {
        const { page, check, faults } = await openConsole(stranger, server, `/s/${token}`, { expect: [410] })
        await page.getByRole('heading', { name: 'beach.png' }).waitFor()
        const picture = page.getByRole('img', { name: 'Preview of beach.png' })
        await page.waitForFunction(() => (document.querySelector('.picture') as HTMLImageElement)?.naturalWidth > 0)
        assert.ok(await picture.isVisible())
        await check('link-file')
        const saved = page.waitForEvent('download')
        await page.getByRole('link', { name: 'Download' }).click()
        const download = await saved
        assert.equal(download.suggestedFilename(), 'beach.png')
        assert.deepEqual(fs.readFileSync(await download.path()), await quarters().png().toBuffer())
        assert.deepEqual(faults, [])

        await server.admin.revokeShare({ params: { id: made?.id ?? '' } })
        await page.reload()
        await page.getByRole('heading', { name: 'This link is no longer available' }).waitFor()
        assert.equal((await page.content()).includes('beach'), false)
        await check('link-gone')
      })
      await page.reload()
      await page.getByText('Revoked', { exact: true }).last().waitFor()
    }))

  it('the direct download address returns the object itself', () =>
    inBrowser(async (browser) => {
      const link = await linkTo({ kind: 'object', bucket: BUCKET, key: '2026/summer/notes.txt' })
      const page = await browser.context.newPage()
      const answer = await page.goto(`${server.url}/public/s/${link.token}`)
      assert.equal(await answer?.text(), 'Sand & <b>sea</b>\n')
      assert.match(answer?.headers()['content-type'] ?? '', /^text\/plain/)
    }))

  it('lists, filters, edits and revokes links, with the filters in the address', () =>
    inBrowser(async (browser) => {
      const folder = await linkTo({ kind: 'folder', bucket: BUCKET, prefix: '2026/', password: 'kept' })
      await linkTo({ kind: 'upload', bucket: BUCKET, prefix: 'inbox/' })
      const old = await linkTo({ kind: 'object', bucket: BUCKET, key: 'report.pdf', expires_in: '1s' })
      server.clock.advance(2000)
      assert.equal((await server.admin.listShares({ query: { state: 'expired' } })).items[0]?.id, old.id)
      await request({ url: server.url, path: `/public/s/${folder.token}`, headers: { 'x-share-password': 'no' } })
      await request({
        url: server.url,
        path: `/public/s/${folder.token}/summer/notes.txt`,
        headers: { 'x-share-password': 'kept' },
      })
      await server.running.tick()
      await signIn(browser, server)
      const { page, check } = await openConsole(browser, server, '/shares')
      const table = page.getByRole('table', { name: 'Share links' })
      await table.getByText('2026/', { exact: true }).waitFor()
      await table.getByText('in 7 days').first().waitFor()
      await check('shares')
      await page.getByText('Expired', { exact: true }).first().click()
      await page.waitForURL('**/shares?state=expired')
      await table.getByText('2026/', { exact: true }).waitFor({ state: 'detached' })
      await table.getByText('report.pdf').waitFor()
      await page.getByText('All', { exact: true }).click()
      await page.getByLabel('Filter by name or creator').fill('2026/')
      await table.getByText('report.pdf').first().waitFor({ state: 'detached' })
      assert.match(page.url(), /q=2026%2F/)

      await table.getByText('2026/', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Actions for the link to 2026/', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Activity' }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText('Wrong password').waitFor()
      await drawer.getByText('Downloaded', { exact: true }).waitFor()
      await check('share-accesses')
      await page.goBack()
      await drawer.waitFor({ state: 'detached' })

      await page.getByRole('button', { name: 'Actions for the link to 2026/', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Edit…' }).click()
      await drawer.getByLabel('Maximum downloads').fill('5')
      await drawer.getByLabel('Remove password').check()
      await drawer.getByLabel('Change expiry').check()
      await check('share-edit')
      await server.records([{ action: 'share_update', bucket: BUCKET }], async () => {
        await drawer.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Link saved').waitFor()
      })
      const { items } = await server.admin.listShares()
      const changed = items.find(({ id }) => id === folder.id)
      assert.deepEqual([changed?.max_downloads, changed?.has_password], [5, false])

      await page.getByRole('button', { name: 'Actions for the link to 2026/', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Revoke…' }).click()
      await drawer.getByText('stops working immediately').waitFor()
      await check('share-revoke')
      await drawer.getByRole('button', { name: 'Revoke link' }).click()
      await page.getByText('Link revoked').waitFor()
      assert.equal((await request({ url: server.url, path: `/public/s/${folder.token}` })).status, 410)
    }))

  it('without “share” there are no links; with it users see only their own, within the limits of the settings', () =>
    inBrowser(async (browser) => {
      await server.admin.updateSettings({ body: { shares: { max_expires_in: '2d', default_expires_in: '1d' } } })
      server.secrets.add('password of sharer')
      const group = await server.admin.createGroup({
        body: { name: 'Sharers', grants: [{ bucket_pattern: BUCKET, actions: ['list', 'read', 'share'] }] },
      })
      const body = { email: 'sharer@example.com', display_name: 'Sharer', password: 'password of sharer' }
      await server.admin.createUser({ body: { ...body, group_ids: [group.id] } })
      await signIn(browser, server, body)
      const { page, check } = await openConsole(browser, server, `/shares?new=${BUCKET}&prefix=2026/`)
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Share 2026').waitFor()
      assert.equal(await dialog.getByText('Upload files').count(), 0, 'without write no link that takes files')
      await dialog.getByLabel('Expires').click()
      await page.getByRole('option', { name: '2 days' }).waitFor()
      assert.equal(await page.getByRole('option', { name: 'Never' }).count(), 0)
      assert.equal(await page.getByRole('option', { name: '7 days' }).count(), 0)
      await page.getByRole('option', { name: 'Custom date…' }).click()
      await dialog.getByLabel('Date and time (your').fill('2025-12-31T10:00')
      await dialog.getByText('is in the past').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Create link' }).isDisabled())
      await dialog.getByLabel('Date and time (your').fill('2026-01-02T00:00')
      await dialog.getByText('2026-01-02 00:00:00 UTC').waitFor()
      await check('share-custom')
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByText('Link created').waitFor()
      await dialog.getByRole('button', { name: 'Copy link' }).click()
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('link', { name: '2026/' }).waitFor()
      assert.equal(await page.getByRole('row').count(), 2)
      await server.admin.updateSettings({ body: { shares: { max_expires_in: null, default_expires_in: '7d' } } })
    }))

  it('asks for a password once; previews and downloads then use a ticket', () =>
    inBrowser(
      async (browser) => {
        const password = 'öffne dich 漢'
        server.secrets.add(password)
        const link = await linkTo({ kind: 'object', bucket: BUCKET, key: '2026/summer/beach.png', password })
        const { page, check, faults } = await openConsole(browser, server, link.page, { expect: [401] })
        const field = page.getByLabel('Password', { exact: true })
        await field.fill('not this one')
        await page.getByRole('button', { name: 'Open' }).click()
        await page.getByText('Wrong password.').waitFor()
        assert.equal((await page.content()).includes('beach'), false)
        await check('link-locked')
        await field.fill(password)
        await page.getByRole('button', { name: 'Open' }).click()
        await page.waitForFunction(() => (document.querySelector('.picture') as HTMLImageElement)?.naturalWidth > 0)
        await check('link-phone')
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
        )
        assert.equal(wide, false)
        const href = (await page.getByRole('link', { name: 'Download' }).getAttribute('href')) ?? ''
        assert.ok(href.includes('ticket=') && !href.includes('dich'))
        const saved = page.waitForEvent('download')
        await page.getByRole('link', { name: 'Download' }).click()
        assert.equal((await saved).suggestedFilename(), 'beach.png')
        assert.deepEqual(faults, [])
        // It ends with the password.
        await server.admin.updateShare({ params: { id: link.id }, body: { password: 'another' } })
        assert.equal((await request({ url: server.url, path: href })).status, 401)
      },
      { width: 390, height: 844 },
    ))

  it('lists a shared folder with unusual keys: single files or all as a zip', () =>
    inBrowser(async (browser) => {
      const link = await linkTo({ kind: 'folder', bucket: BUCKET, prefix: '2026/summer/' })
      const { page, check, faults } = await openConsole(browser, server, link.page)
      await page.getByRole('cell', { name: 'beach.png', exact: true }).waitFor()
      await page.getByText('4 files').waitFor()
      await check('link-folder')
      // Words are whole.
      const type = page.getByRole('cell', { name: 'PNG picture', exact: true })
      assert.equal(await linesIn(type), 1)
      for (const [name, contents] of [
        ['a+b&c#d%25?.txt', 'odd'],
        ['..', 'odder'],
      ] as const) {
        // The second one is in a folder whose name is empty.
        if (name === '..') await page.getByRole('link', { name: '(no name)' }).click()
        const saved = page.waitForEvent('download')
        await page.getByRole('link', { name: `Download ${name}`, exact: true }).click()
        assert.equal(fs.readFileSync(await (await saved).path(), 'utf8'), contents)
      }
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download all (zip)' }).click()
      const zip = fs.readFileSync(await (await saved).path())
      assert.equal(zip.subarray(0, 2).toString(), 'PK')
      await page.setViewportSize({ width: 390, height: 844 })
      await check('link-folder-phone')
      assert.deepEqual(faults, [])
    }))

  it('a limited link says how many downloads are left, until the last one', () =>
    inBrowser(async (browser) => {
      const link = await linkTo({ kind: 'object', bucket: BUCKET, key: '2026/summer/beach.png', max_downloads: 2 })
      const { page, check, faults } = await openConsole(browser, server, link.page, { expect: [410] })
      const other = await openConsole(browser, server, link.page, { expect: [410] })
      await other.page.getByText('2 of 2 downloads left').waitFor()
      await page.getByText('Preview is off').waitFor()
      await check('link-limited')
      const download = page.getByRole('link', { name: 'Download' })
      for (const left of ['1 of 2 downloads left', 'This was the last download of this link']) {
        const saved = page.waitForEvent('download')
        await download.click()
        await (await saved).path()
        await page.getByText(left).waitFor()
      }
      await download.waitFor({ state: 'detached' })
      await check('link-limited-last')
      // On a page that was open all the time, nothing fails: it says so.
      let failed = 0
      other.page.on('download', () => failed++)
      await other.page.getByRole('link', { name: 'Download' }).click()
      await other.page.getByText('This link is no longer available').waitFor()
      await other.page.getByRole('link', { name: 'Download' }).waitFor({ state: 'detached' })
      assert.equal(failed, 0)
      await page.reload()
      await page.getByRole('heading', { name: 'This link is no longer available' }).waitFor()
      assert.deepEqual([...faults, ...other.faults], [])

      const folder = await linkTo({ kind: 'folder', bucket: BUCKET, prefix: '2026/summer/', max_downloads: 1 })
      await page.goto(server.url + folder.page)
      await page.getByText('1 of 1 download left', { exact: true }).waitFor()
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download notes.txt' }).click()
      await (await saved).path()
      await page.getByText('This was the last download of this link').waitFor()
      assert.equal(await page.getByRole('table').count(), 0)
      // Among the links it does not expire any more.
      await signIn(browser, server)
      await page.goto(`${server.url}/console/shares`)
      const spent = page.getByRole('row').filter({ hasText: 'Used up' }).first()
      await spent.waitFor()
      assert.equal(await spent.getByText(/^in /).count(), 0)
    }))

  it('an upload link is limited to kinds of files, and to own types; its page, the list and the form for it say so', () =>
    inBrowser(
      async (browser) => {
        await signIn(browser, server)
        const { page, check } = await openConsole(browser, server, '/shares')
        const dialog = page.getByRole('dialog')
        await page.getByRole('button', { name: 'Request files' }).first().click()
        await dialog.getByRole('button', { name: `Request files for ${BUCKET}/` }).click()
        const kinds = dialog.getByRole('group', { name: 'Allowed file types' })
        await dialog.getByText('Choose none to allow all.').waitFor()
        // What is pressed before the dialog has taken the focus may go to its ×.
        await hasUsefulFocus(page)
        await kinds.getByLabel('Pictures').press('Space')
        await kinds.getByLabel('Office documents').click()
        await dialog.getByLabel('Other types').press('Space')
        await dialog.getByLabel('Own types').fill('image/* no/type/')
        await dialog.getByRole('button', { name: 'Create link' }).click()
        await dialog.getByText('Use types such as image/* or application/pdf, separated by commas.').waitFor()
        await dialog.getByLabel('Own types').scrollIntoViewIfNeeded()
        await check('share-types')
        await dialog.getByLabel('Own types').fill('font/woff2, application/x-step')
        await dialog.getByRole('button', { name: 'Create link' }).click()
        await dialog.getByText('Link created').waitFor()
        await dialog.getByRole('button', { name: 'Copy link' }).click()
        await dialog.getByRole('button', { name: 'Done' }).click()
        const share = (await server.admin.listShares({ query: {} })).items[0]
        assert.deepEqual(share?.content_types, [
          ...typesOf('pictures'),
          ...typesOf('office'),
          'font/woff2',
          'application/x-step',
        ])

        const words = 'Pictures, Office documents, font/woff2, application/x-step'
        await page.getByText(`Upload link · ${BUCKET} · ${words}`).waitFor()
        await check('share-types-list')
        await page.goto(`${server.url}/console/shares?edit=${share?.id}`)
        // The dialog has what the link takes, and changes it.
        assert.deepEqual(
          [await kinds.getByLabel('Pictures').isChecked(), await kinds.getByLabel('Videos').isChecked()],
          [true, false],
        )
        assert.equal(await dialog.getByLabel('Own types').inputValue(), 'font/woff2, application/x-step')
        assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled())
        await kinds.getByLabel('Office documents').press('Space')
        await kinds.getByLabel('Videos').press('Space')
        await dialog.getByLabel('Own types').fill('no/type/')
        await dialog.getByRole('button', { name: 'Save' }).click()
        await dialog.getByText('Use types such as image/* or application/pdf, separated by commas.').waitFor()
        await dialog.getByLabel('Own types').fill('font/woff2')
        await check('share-types-edit')
        await server.records([{ action: 'share_update', bucket: BUCKET }], async () => {
          await dialog.getByRole('button', { name: 'Save' }).click()
          await dialog.waitFor({ state: 'detached' })
        })
        await page.getByText(`Upload link · ${BUCKET} · Pictures, Videos, font/woff2`).waitFor()
        assert.deepEqual((await server.admin.listShares({ query: {} })).items[0]?.content_types, [
          ...typesOf('pictures'),
          ...typesOf('videos'),
          'font/woff2',
        ])
        await page.goto(`${server.url}/console/shares?edit=${share?.id}`)
        await hasUsefulFocus(page)
        for (const kind of ['Pictures', 'Videos']) await kinds.getByLabel(kind).press('Space')
        await dialog.getByLabel('Other types').press('Space')
        await dialog.getByRole('button', { name: 'Save' }).click()
        await dialog.waitFor({ state: 'detached' })
        assert.equal((await server.admin.listShares({ query: {} })).items[0]?.content_types, null)
        const link = await linkTo({
          kind: 'upload',
          bucket: BUCKET,
          prefix: 'inbox/',
          content_types: [...typesOf('archives'), 'image/*', 'image/svg+xml', 'application/pdf', 'x/y'],
        })
        await page.goto(server.url + link.page)
        await page.getByText('Only pictures, PDF files, archives, SVG picture, x/y').waitFor()
        await server.admin.revokeShare({ params: { id: link.id } })
        await server.admin.revokeShare({ params: { id: share?.id ?? '' } })
      },
      { width: 390, height: 844 },
    ))

  it('an upload link shows and enforces its limits, numbers duplicate names and lists nothing', () =>
    inBrowser(
      async (browser) => {
        const link = await linkTo({
          kind: 'upload',
          bucket: BUCKET,
          prefix: 'inbox/',
          password: 'inbox word',
          max_files: 3,
          max_file_bytes: 1024,
          content_types: ['text/*'],
        })
        const { page, check } = await openConsole(browser, server, link.page, { expect: [409] })
        await page.getByLabel('Password', { exact: true }).fill('inbox word')
        await page.getByRole('button', { name: 'Open' }).click()
        for (const limit of ['Up to 3 files', 'Up to 1 KB per file', 'Only text files'])
          await page.getByText(limit).waitFor()
        const file = (name: string, contents: string, mimeType = 'text/plain') => ({
          name,
          mimeType,
          buffer: Buffer.from(contents),
        })
        const input = page.locator('input[type=file]')
        await page.getByLabel('Your name').fill('Zoë <b>Moreau</b>')
        await page.getByLabel('Message').fill('As agreed')
        await input.setInputFiles([
          file('a note.txt', 'one'),
          file('large.txt', 'x'.repeat(1025)),
          file('picture.png', 'x', 'image/png'),
        ])
        await page.getByText('Sent', { exact: true }).waitFor()
        await page.getByText('Larger than 1 KB.').waitFor()
        await page.getByText('This file type isn’t accepted. Send text files.').waitFor()
        await input.setInputFiles([file('a note.txt', 'two')])
        await page.getByText('2 files sent, 2 not sent.').waitFor()
        // That the name was taken is nothing that a stranger is told.
        assert.equal(await page.getByText('(2)').count(), 0)
        await check('link-upload')
        for (const name of ['large.txt', 'picture.png'])
          await page.getByRole('button', { name: `Remove ${name} from the list` }).click()
        await page.getByText('2 files sent. You can close this page.').waitFor()
        await check('link-upload-sent')
        // One of three is left of the limit; another sender takes it.
        await server.admin.receiveThroughShare({
          params: { token: link.token, key: 'other.txt' },
          body: 'x',
          headers: { 'x-share-password': 'inbox word', 'content-type': 'text/plain' },
        })
        await input.setInputFiles([file('too late.txt', 'three')])
        await page.getByText('This link doesn’t accept more files.').waitFor()
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.getByText('2 files sent, 1 not sent.').waitFor()
        await page.reload()
        assert.equal(await page.getByLabel('Your name').inputValue(), 'Zoë <b>Moreau</b>')
        await server.running.tick()
        const accesses = (await server.admin.listShareAccesses({ params: { id: link.id } })).items
        const sender = { sender_name: 'Zoë <b>Moreau</b>', sender_message: 'As agreed' }
        for (const key of ['inbox/a note.txt', 'inbox/a note (2).txt']) {
          const access = accesses.find(({ object_key }) => object_key === key)
          assert.deepEqual(access && { ...access, ...sender }, access)
          assert.ok(access)
        }
        // The creator sees them as text, as stated.
        await signIn(browser, server)
        const owner = await openConsole(browser, server, '/shares')
        await owner.page.getByRole('button', { name: 'Actions for the link to inbox/' }).first().click()
        await owner.page.getByRole('menuitem', { name: 'Activity' }).click()
        const activity = owner.page.getByRole('table', { name: 'Activity' })
        await activity.getByText('Zoë <b>Moreau</b>', { exact: true }).first().waitFor()
        await activity.getByText('As agreed', { exact: true }).first().waitFor()
        await owner.check('link-upload-activity')
        const { items } = await server.admin.listObjects({ params: { bucket: BUCKET }, query: { prefix: 'inbox/' } })
        assert.deepEqual(items.map(({ key }) => key).sort(), [
          'inbox/a note (2).txt',
          'inbox/a note.txt',
          'inbox/other.txt',
        ])
      },
      { width: 390, height: 844 },
    ))

  it('shared HTML and SVG run no script on this origin', () =>
    inBrowser(async (browser) => {
      const script = 'try{localStorage.setItem("stolen","1")}catch{};document.title="stolen";fetch("/api/v1/auth/me")'
      await put('evil.html', `<!doctype html><script>${script}</script>`, 'text/html')
      await put(
        'evil.svg',
        `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100" onload='${script}'>
          <script>${script}</script><script href="/track.js"/>
          <style>@import url(https://example.com/track.css); .back { fill: rgb(10, 160, 80) }</style>
          <rect class="back" width="200" height="100"/>
          <image href="https://example.com/track.png" width="9" height="9"/><image xlink:href="/track.png" width="9" height="9"/>
          <foreignObject width="50" height="50"><iframe xmlns="http://www.w3.org/1999/xhtml" src="/track.html"/></foreignObject>
          <a href='javascript:${script}'><rect y="50" width="200" height="50" fill="transparent"/></a></svg>`,
        'image/svg+xml',
      )
      await signIn(browser, server)
      for (const key of ['evil.html', 'evil.svg']) {
        const link = await linkTo({ kind: 'object', bucket: BUCKET, key, disposition: 'inline' })
        const { page, check, faults } = await openConsole(browser, server, link.page)
        const loaded: string[] = []
        page.on('request', (one) => loaded.push(one.url()))
        if (key === 'evil.html') await page.getByText('localStorage.setItem').waitFor()
        else {
          const isDrawn = (within: string) =>
            page.waitForFunction(
              (at) => document.querySelector<HTMLImageElement>(`${at} img.picture`)?.naturalWidth === 200,
              within,
            )
          await isDrawn('.frame')
          const shot = sharp(await page.locator('.frame img').screenshot())
          const { width = 0, height = 0 } = await shot.metadata()
          const at = { left: Math.round(width * 0.9), top: Math.round(height * 0.25), width: 1, height: 1 }
          const pixel = await shot.extract(at).removeAlpha().raw().toBuffer()
          assert.deepEqual([...pixel], [10, 160, 80], 'with its own styles')
          await page.getByRole('button', { name: 'Open evil.svg' }).click()
          await isDrawn('dialog')
          await page.keyboard.press('+')
          await page.locator('dialog img').click({ position: { x: 20, y: 80 } })
          await check('link-svg-viewer')
          await page.keyboard.press('Escape')
          await page.getByRole('dialog').waitFor({ state: 'detached' })
        }
        await check(`link-${key}`)
        assert.deepEqual([loaded.filter((url) => /track|example|auth/.test(url)), faults], [[], []])
        assert.doesNotMatch(await page.title(), /stolen/)
        assert.equal(await page.evaluate(() => localStorage.getItem('stolen')), null)
        const tab = await browser.context.newPage()
        const asked: string[] = []
        tab.on('request', (one) => asked.push(one.url()))
        const saved = tab.waitForEvent('download')
        await tab.goto(`${server.url}/public/s/${link.token}`).catch(() => undefined)
        await saved
        // And where something frames it, or ignores what it is told.
        await page.evaluate((url) => {
          const frame = document.createElement('iframe')
          frame.src = url
          document.body.append(frame)
        }, `/public/s/${link.token}`)
        await page.waitForTimeout(300)
        assert.equal(await page.evaluate(() => localStorage.getItem('stolen')), null)
        assert.ok(!asked.some((url) => url.endsWith('/auth/me')))
      }
    }))

  it('shows drawings of a shared folder, and what is no valid one as its source', () =>
    inBrowser(async (browser) => {
      const lines = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h2v4h-2z"/></svg>'
      await put('drawings/a.svg', lines, 'image/svg+xml; charset=utf-8')
      await put('drawings/b.svg', '<svg xmlns="http://www.w3.org/2000/svg"><g>', 'image/svg+xml')
      const link = await linkTo({ kind: 'folder', bucket: BUCKET, prefix: 'drawings/' })
      const { page, check, faults } = await openConsole(browser, server, link.page)
      await page.waitForFunction(() => (document.querySelector('.tile img') as HTMLImageElement)?.naturalWidth > 0)
      await page.getByText('SVG picture').first().waitFor()
      await check('link-drawings')
      await page.getByRole('link', { name: 'Open a.svg' }).click()
      const viewer = page.getByRole('dialog')
      await viewer.locator('img').waitFor()
      const { y = 0, height = 0 } = (await viewer.locator('img').boundingBox()) ?? {}
      assert.ok(height > 400 && y + height <= 900, 'all of it is in sight')
      await check('link-drawing')
      await page.keyboard.press('ArrowRight')
      await viewer.locator('pre').getByText('<g>').waitFor()
      assert.equal(await viewer.getByRole('button', { name: 'Zoom in' }).count(), 0)
      const alone = await linkTo({ kind: 'object', bucket: BUCKET, key: 'drawings/b.svg' })
      await page.goto(server.url + alone.page)
      await page.locator('.frame pre').getByText('<g>').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('creates and copies links on plain HTTP without the clipboard API', () => {
    const port = new URL(server.env.PUBLIC_BASE_URL ?? '').port
    return inBrowser(
      async (browser) => {
        const host = `http://strongroom.test:${port}`
        const there = { ...server, url: host } as TestServer
        const { page } = await openConsole(browser, there, '/login', { expect: [401] })
        assert.equal(await page.evaluate(() => 'clipboard' in navigator || isSecureContext), false)
        await page.getByLabel('Email').fill('admin@example.com')
        await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.waitForURL('**/console/')
        await page.goto(`${host}/console/shares?new=${BUCKET}&key=report.pdf`)
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('button', { name: 'Create link' }).click()
        const field = dialog.getByRole('textbox', { name: 'Link' })
        const url = await field.inputValue()
        await dialog.getByRole('button', { name: 'Copy link' }).click()
        await dialog.getByRole('button', { name: 'Link copied' }).waitFor()
        await dialog.getByRole('button', { name: 'Another', exact: false }).click()
        await dialog.getByText('File name and preview').click()
        await dialog.getByLabel('File name when downloaded').click()
        await page.keyboard.press('Control+V')
        assert.equal(await dialog.getByLabel('File name when downloaded').inputValue(), url)
      },
      { args: ['--host-resolver-rules=MAP strongroom.test 127.0.0.1'] },
    )
  })
})
