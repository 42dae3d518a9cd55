// Uploads in a real browser, with real files and folders.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { CDPSession, Page, Request } from 'playwright-core'
import { type Client, createClient } from '../../client/derived.ts'
import {
  type Browser,
  type ConsolePage,
  describeConsole,
  inBrowserOf,
  navigate,
  openConsole,
  signIn,
  startBrowser,
} from '../support/browser.ts'
import { dropFile, noBrowser } from '../support/launch.ts'
import { spawnServer } from '../support/process.ts'
import { ADMIN, serverEnv, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const MIB = 1024 ** 2
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')
/** Chromium says so of every request that gets no answer. */
const isBroken = (fault: string) => /ERR_(CONNECTION|SOCKET|INTERNET|ABORTED|NETWORK|EMPTY)/.test(fault)

describeConsole('uploads', (engine) => {
  let server: TestServer
  let folder: string
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-files-'))
  })
  after(async () => {
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** Makes a file of noise; gives where it is. */
  const makeFile = (name: string, bytes: number): string => {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, randomBytes(bytes))
    return file
  }
  const newBucket = async (quota_gb: number | null = null): Promise<string> => {
    const name = `files-${++buckets}`
    await server.admin.createBucket({ body: { name, quota_gb } })
    return name
  }
  const run = inBrowserOf(() => server, { realTime: true })
  const inBrowser = (at: string, work: (view: ConsolePage, browser: Browser) => Promise<void>) =>
    run(async (browser) => {
      const view = await openConsole(browser, server, at, { expect: [412, 413] })
      view.page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined))
      await work(view, browser)
    })
  const uploads = (name: string) => `/b/${name}/uploads`

  it('uploads a file, an empty file and a folder of more than 100 files from the picker', async () => {
    const bucket = await newBucket()
    const one = makeFile('one/readme.txt', 1234)
    const empty = makeFile('one/empty.bin', 0)
    for (let i = 0; i < 130; i++) makeFile(`picked/deep/${i}.bin`, 100 + i)
    makeFile('picked/.hidden', 5)
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      await page.getByText('No unfinished uploads').waitFor()
      await check('uploads-none')
      await openDialog(page)
      await check('upload-dialog-empty')
      await choose(page, 'Choose files', [one, empty])
      await page.getByText('2 files, 1.2 KB').waitFor()
      await page.getByRole('button', { name: 'Upload 2 files' }).click()
      await dockSays(page, '2 files uploaded')
      await openDialog(page)
      await choose(page, 'Choose folder', path.join(folder, 'picked'))
      await page.getByText('1 hidden file skipped').waitFor()
      await check('upload-dialog-folder')
      await page.getByRole('button', { name: 'Upload 130 files' }).click()
      await dockSays(page, '130 files uploaded')
      await check('upload-dock-done')
      assert.deepEqual(faults, [])
    })
    await assertSame(server.admin, bucket, folder, ['picked/deep'])
    const keys = new Map((await listAll(server.admin, bucket)).map(({ key, size }) => [key, size]))
    assert.deepEqual([keys.get('readme.txt'), keys.get('empty.bin'), keys.size], [1234, 0, 132])
  })

  it('uploads a dropped folder of 250 files and 90 MB across a pause, a reload and a resume', async () => {
    const bucket = await newBucket()
    for (let i = 0; i < 160; i++) makeFile(`dropped/many/${i}.bin`, 150_000 + i)
    for (let i = 0; i < 88; i++) makeFile(`dropped/ä 漢/${i} é.bin`, 180_000 + i)
    makeFile('dropped/large one.bin', 26 * MIB + 5)
    makeFile('dropped/large two.bin', 24 * MIB)
    fs.mkdirSync(path.join(folder, 'dropped/nothing'))
    await inBrowser(uploads(bucket), async ({ page, shot, check, faults }) => {
      await slow(page, 12 * MIB)
      await openDialog(page)
      await drop(page, path.join(folder, 'dropped'))
      await page.getByText('1 empty folder skipped').waitFor()
      await page.getByRole('button', { name: 'Upload 250 files' }).click()
      await until(async () => (await listAll(server.admin, bucket)).length > 25)
      await shot('upload-dock-running')
      await page.getByRole('button', { name: 'Pause all' }).click()
      await dockSays(page, /^Paused: \d+ of 250 files$/)
      const arrived = (await listAll(server.admin, bucket)).length
      assert.ok(arrived < 250, `${arrived} were there before the pause`)
      await page.waitForTimeout(600)
      const paused = (await listAll(server.admin, bucket)).length
      await page.waitForTimeout(600)
      assert.equal((await listAll(server.admin, bucket)).length, paused, 'nothing moves while paused')
      await page.reload()
      await dockSays(page, /uploads can be resumed$/)
      await page.getByRole('button', { name: 'Show files' }).click()
      await check('upload-dock-resumable')
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'PUT') sent.push(request.url())
      })
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('region', { name: 'Uploads' }).getByRole('button', { name: 'Choose folder' }).click(),
      ])
      await chooser.setFiles(path.join(folder, 'dropped'))
      await dockSays(page, /files uploaded$/)
      assert.ok(sent.length < 250 - arrived + 15, `${sent.length} requests for what was left of ${250 - arrived}`)
      assert.deepEqual(faults, [])
    })
    await assertSame(server.admin, bucket, folder, ['dropped/many', 'dropped/ä 漢'])
    const objects = await listAll(server.admin, bucket)
    assert.equal(objects.length, 250)
    for (const name of ['dropped/large one.bin', 'dropped/large two.bin'])
      assert.equal(
        objects.find(({ key }) => key === name)?.etag,
        partsEtag(fs.readFileSync(path.join(folder, name)), 8 * MIB),
      )
    await assertNothingOpen(bucket)
  })

  it('uploads every file of a chosen folder under its own name, and names those of which there are two', async () => {
    const bucket = await newBucket()
    makeFile('twins/a\\b.txt', 40)
    makeFile('twins/a/b.txt', 3)
    makeFile('twins/deep/c\\d\\e.txt', 7)
    makeFile('twins/same.txt', 10)
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      await openDialog(page)
      await choose(page, 'Choose folder', path.join(folder, 'twins'))
      await page.getByText('4 files, 60 B').waitFor()
      // Chosen once more, they are the same files.
      await choose(page, 'Choose folder', path.join(folder, 'twins'))
      await page.getByText('4 files, 60 B').waitFor()
      const dialog = page.getByRole('dialog')
      assert.equal(await dialog.getByRole('alert').count(), 0)
      makeFile('twins/same.txt', 11)
      await choose(page, 'Choose folder', path.join(folder, 'twins'))
      const said = dialog.getByRole('alert')
      await said.getByText('Two different files were chosen for 1 name. Only the later one is uploaded:').waitFor()
      assert.deepEqual(await said.getByRole('listitem').allTextContents(), ['twins/same.txt'])
      await check('upload-dialog-twins')
      await page.getByRole('button', { name: 'Upload 4 files' }).click()
      await dockSays(page, '4 files uploaded')
      assert.deepEqual(faults, [])
    })
    assert.deepEqual(
      new Map((await listAll(server.admin, bucket)).map(({ key, size }) => [key, size])),
      new Map([
        ['twins/a/b.txt', 3],
        ['twins/a\\b.txt', 40],
        ['twins/deep/c\\d\\e.txt', 7],
        ['twins/same.txt', 11],
      ]),
    )
  })

  it('uploads every file of a dropped folder, whatever it is called', async () => {
    const bucket = await newBucket()
    // Chromium's handles leave out what it calls unsafe, and say nothing.
    const odd = [
      'it\'s "quoted".txt',
      'question?.txt',
      'back\\slash.txt',
      '<img src=x>.txt',
      '  leading.txt',
      'CON.txt',
    ]
    const names = [...odd, 'right\u202eleft.txt', 'two\nlines.txt', 'plain.txt', 'deep/Invoice?.pdf']
    for (const name of names) makeFile(`odd/${name}`, 20)
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      await openDialog(page)
      await drop(page, path.join(folder, 'odd'))
      await page.getByText('10 files, 200 B').waitFor()
      await check('upload-dialog-odd-names')
      await page.getByRole('button', { name: 'Upload 10 files' }).click()
      await dockSays(page, '10 files uploaded')
      assert.deepEqual(faults, [])
    })
    const keys = (await listAll(server.admin, bucket)).map(({ key }) => key)
    assert.deepEqual(keys.toSorted(), names.map((name) => `odd/${name}`).toSorted())
  })

  it('uploads 120 MB in parts with pause and resume, cancels without leftovers, and keeps the API responsive', async (t) => {
    const bucket = await newBucket()
    const file = makeFile('big.bin', 120 * MIB + 7)
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      const underWay = partsUnderWay(page)
      await slow(page, 25 * MIB)
      await openDialog(page)
      await choose(page, 'Choose files', [file])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await received(bucket)) > 2)
      const times: number[] = []
      for (let i = 0; i < 20; i++) {
        const from = performance.now()
        await server.admin.listBuckets()
        times.push(performance.now() - from)
      }
      times.sort((a, b) => a - b)
      t.diagnostic(`API beside four parts: p50 ${times[10]?.toFixed(1)} ms, worst ${times[19]?.toFixed(1)} ms`)
      assert.ok((times[18] ?? 0) < 1000)
      await page.getByRole('button', { name: 'Pause big.bin' }).click()
      await page.getByRole('button', { name: 'Resume big.bin' }).waitFor()
      await until(() => underWay.size === 0)
      const before = await received(bucket)
      await page.waitForTimeout(500)
      assert.equal(await received(bucket), before)
      await check('upload-dock-paused')
      const sent = await countParts(page, async () => {
        await page.getByRole('button', { name: 'Resume big.bin' }).click()
        await dockSays(page, '1 file uploaded')
      })
      assert.equal(sent, 16 - before, 'what had arrived was not sent again')
      const [object] = await listAll(server.admin, bucket)
      assert.equal(object?.etag, partsEtag(fs.readFileSync(file), 8 * MIB))

      fs.renameSync(file, path.join(folder, 'big two.bin'))
      await openDialog(page)
      await choose(page, 'Choose files', [path.join(folder, 'big two.bin')])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await received(bucket)) > 1)
      await page.getByRole('button', { name: 'Cancel big two.bin' }).click()
      await until(async () => (await server.admin.listUploads({ params: { bucket } })).items.length === 0)
      assert.deepEqual(faults, [])
    })
    await assertNothingOpen(bucket)
    assert.equal((await listAll(server.admin, bucket)).length, 1)
  })

  it('after a reload in mid-file sends only the missing parts', async () => {
    const bucket = await newBucket()
    const file = makeFile('again.bin', 64 * MIB)
    const other = makeFile('other/again.bin', 64 * MIB)
    const { mtime } = fs.statSync(file)
    fs.utimesSync(other, mtime, mtime)
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      await slow(page, 15 * MIB)
      await openDialog(page)
      await choose(page, 'Choose files', [file])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await received(bucket)) >= 3)
      await page.reload()
      await dockSays(page, '1 upload can be resumed')
      const before = await received(bucket)
      const dock = page.getByRole('region', { name: 'Uploads' })
      // It waits folded up, and says what the server has of it.
      const arrived = `${before * 8} MB of 64 MB arrived`
      await dock.getByText(arrived, { exact: true }).waitFor()
      assert.equal(await dock.getByRole('button', { name: 'Choose files' }).count(), 0)
      assert.equal(await page.getByText('0%', { exact: true }).count(), 0)
      await check('upload-dock-interrupted')
      await dock.getByRole('button', { name: 'Discard' }).waitFor()
      await dock.getByRole('button', { name: 'Hide until later' }).click()
      await dock.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: '1 upload can be resumed' }).click()
      await dock.getByRole('button', { name: 'Hide files' }).click()
      await dock.getByRole('button', { name: 'Show files' }).click()
      await dock.locator('.uploads-row').getByText(arrived).waitFor()
      await check('upload-dock-arrived')
      await page.setViewportSize({ width: 390, height: 800 })
      await check('upload-dock-arrived-narrow')
      await page.setViewportSize({ width: 1440, height: 900 })
      // So does the dialog, for the same file only.
      await openDialog(page)
      const dialog = page.getByRole('dialog')
      await choose(dialog, 'Choose files', [file])
      await dialog.getByText(`1 interrupted upload resumes: ${arrived}.`).waitFor()
      await check('upload-dialog-resumes')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'hidden' })
      // The same name, size and time, but not the same file.
      await choose(dock, 'Choose files', [other])
      await page.getByText('None of these files matches').waitFor()
      const sent = await countParts(page, async () => {
        await choose(dock, 'Choose files', [file])
        await dockSays(page, '1 file uploaded')
      })
      assert.equal(sent, 8 - before)
      assert.deepEqual(faults, [])
    })
    const [object] = await listAll(server.admin, bucket)
    assert.equal(object?.etag, partsEtag(fs.readFileSync(file), 8 * MIB))
  })

  it('resumes an upload started elsewhere with the same file, and rejects another file', async () => {
    const bucket = await newBucket()
    const file = makeFile('elsewhere.bin', 20 * MIB)
    const wrong = makeFile('wrong.bin', 20 * MIB)
    const bytes = fs.readFileSync(file)
    const { urls } = await server.admin.initUpload({
      params: { bucket },
      body: { key: 'far/elsewhere.bin', file_size: bytes.length, part_size: 5 * MIB },
    })
    await fetch(new URL(new URL(urls[1] ?? '').pathname, server.url), {
      method: 'PUT',
      body: bytes.subarray(5 * MIB, 10 * MIB),
    })
    await server.admin.initUpload({ params: { bucket }, body: { key: 'forgotten.bin', file_size: 9 } })
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      const row = page.getByRole('row', { name: /elsewhere/ })
      await row.waitFor()
      await check('uploads-unfinished')
      await choose(row, 'Resume', [wrong])
      await page.getByText('This is a different file').waitFor()
      await page.getByRole('button', { name: 'Cancel elsewhere.bin' }).waitFor()
      const sent = await countParts(page, async () => {
        await page.reload()
        await dockSays(page, '1 upload can be resumed')
        await choose(row, 'Resume', [file])
        await dockSays(page, '1 file uploaded')
      })
      assert.equal(sent, 3)
      await page
        .getByRole('row', { name: /forgotten/ })
        .getByRole('button', { name: 'Cancel' })
        .click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel upload' }).click()
      await page.getByText('No unfinished uploads').waitFor()
      assert.deepEqual(faults, [])
    })
    const [object] = await listAll(server.admin, bucket)
    assert.deepEqual([object?.key, object?.etag], ['far/elsewhere.bin', partsEtag(bytes, 5 * MIB)])
  })

  it('asks about existing files while the others upload', async () => {
    const bucket = await newBucket()
    const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt']
    const files = names.map((name) => makeFile(`clash/${name}`, 300))
    for (const key of ['a.txt', 'b.txt', 'c.txt'])
      await server.admin.putObject({ params: { bucket, key }, body: `old ${key}` })
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      await openDialog(page)
      await choose(page, 'Choose files', files)
      await page.getByRole('button', { name: 'Upload 5 files' }).click()
      await page.getByText('3 files already exist.').first().waitFor()
      await until(async () => (await listAll(server.admin, bucket)).length === 5)
      await check('upload-dock-conflict')
      await page.setViewportSize({ width: 390, height: 800 })
      await check('upload-dock-narrow')
      await page.getByRole('button', { name: 'Review…' }).first().click()
      await page.getByRole('dialog').waitFor()
      await check('upload-conflicts-narrow')
      await page.setViewportSize({ width: 1440, height: 900 })
      await check('upload-conflicts')
      await page.getByRole('button', { name: 'Skip: a.txt' }).click()
      await page.getByRole('button', { name: 'Keep both: b.txt' }).click()
      await page.getByRole('button', { name: 'Replace: c.txt' }).click()
      await dockSays(page, '4 files uploaded')
      assert.deepEqual(faults, [])
    })
    const etags = new Map((await listAll(server.admin, bucket)).map(({ key, etag }) => [key, etag]))
    const local = (name: string) => md5(fs.readFileSync(path.join(folder, 'clash', name)))
    assert.deepEqual(Object.fromEntries(etags), {
      'a.txt': md5(Buffer.from('old a.txt')),
      'b (1).txt': local('b.txt'),
      'b.txt': md5(Buffer.from('old b.txt')),
      'c.txt': local('c.txt'),
      'd.txt': local('d.txt'),
      'e.txt': local('e.txt'),
    })
  })

  it('stops for a full bucket while others continue, and resumes once there is room', async () => {
    const full = await newBucket(1 / 1024)
    const other = await newBucket()
    for (let i = 0; i < 12; i++) makeFile(`quota/${i}.bin`, 150_000)
    const small = makeFile('small.txt', 10)
    await inBrowser(uploads(full), async ({ page, check, faults }) => {
      await openDialog(page)
      await choose(page, 'Choose folder', path.join(folder, 'quota'))
      await page.getByText('Files that don’t fit won’t be uploaded').waitFor()
      await check('upload-dialog-quota')
      await page.getByRole('button', { name: 'Upload 12 files' }).click()
      await page.getByText(`“${full}” is full: 6 files not uploaded, 734 KB missing.`).waitFor()
      await until(async () => (await listAll(server.admin, full)).length === 6)
      await page.evaluate((to) => history.pushState({}, '', to), `/console/b/${other}/uploads`)
      // All that wait for the same reason say the same, whether they were refused or not tried any more.
      const dock = page.getByRole('region', { name: 'Uploads' })
      assert.equal(await dock.getByText('Bucket full · 146 KB').count(), 6)
      assert.equal(await dock.getByText(/Failed|Paused/).count(), 0)
      await check('upload-dock-full')
      await openDialog(page)
      await choose(page.getByRole('dialog'), 'Choose files', [small])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await listAll(server.admin, other)).length === 1)
      assert.equal(await dock.getByText('Bucket full · 146 KB').count(), 6)
      await page.getByRole('main').getByRole('link', { name: 'Buckets' }).click()
      await page.getByRole('link', { name: other }).click()
      await page.evaluate(() => history.back())
      await server.admin.updateBucket({ params: { bucket: full }, body: { quota_gb: 1 } })
      await page.getByRole('button', { name: 'Try again', exact: true }).click()
      await dockSays(page, '13 files uploaded')
      assert.deepEqual(faults, [])
    })
    await assertSame(server.admin, full, folder, ['quota'])
  })

  it('continues by itself once a full bucket has room, with what fits', async () => {
    const full = await newBucket(1 / 1024)
    for (let i = 0; i < 8; i++) makeFile(`room/${i}.bin`, 200_000)
    const keys = async () => (await listAll(server.admin, full)).map(({ key }) => key)
    await inBrowser(uploads(full), async ({ page, check, faults }, browser) => {
      await openDialog(page)
      await choose(page, 'Choose folder', path.join(folder, 'room'))
      await page.getByRole('button', { name: 'Upload 8 files' }).click()
      const dock = page.getByRole('region', { name: 'Uploads' })
      await page.getByText(`“${full}” is full: 3 files not uploaded`).waitFor()
      await dock.getByText('Uploads continue when there is room.').waitFor()
      await until(async () => (await keys()).length === 5)
      await check('upload-dock-room')
      let asked = 0
      const sent: string[] = []
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        if (pathname === `/api/v1/buckets/${full}`) asked++
        if (request.method() === 'PUT') sent.push(searchParams.get('key') ?? '')
      })
      // Room for one of them, which another window has made. Nothing there says so to this page.
      const [first = ''] = await keys()
      await server.admin.deleteObjectByQuery({ params: { bucket: full }, query: { key: first, permanent: true } })
      await until(() => sent.length > 0)
      assert.ok(asked <= 2, `the server is asked now and then: ${asked} times`)
      await until(async () => (await keys()).length === 5)
      await page.getByText(`“${full}” is full: 2 files not uploaded`).waitFor()
      assert.equal(sent.length, 1, 'only what fits is tried')
      // The user's other window says at once that the bucket has changed.
      const other = await openConsole(browser, server, `/b/${full}/settings`)
      await other.page.getByLabel('Quota (GB)').fill('1')
      await other.page.getByRole('button', { name: 'Save' }).first().press('Enter')
      await dockSays(page, '8 files uploaded')
      assert.deepEqual(faults, [])
    })
    assert.equal((await keys()).length, 7, 'all but the one that was deleted')
  })

  it('lists what was interrupted at its bucket only, apart from new uploads, and not what found no room', async () => {
    const full = await newBucket(1 / 1024)
    const other = await newBucket()
    await server.admin.putObject({ params: { bucket: full, key: 'there.txt' }, body: 'there' })
    for (let i = 0; i < 8; i++) makeFile(`later/${i}.bin`, 200_000)
    const large = makeFile('large.bin', 64 * MIB)
    const small = makeFile('new.txt', 10)
    await inBrowser(uploads(full), async ({ page, check, faults }) => {
      const dock = page.getByRole('region', { name: 'Uploads' })
      await openDialog(page)
      await choose(page, 'Choose folder', path.join(folder, 'later'))
      await page.getByRole('button', { name: 'Upload 8 files' }).click()
      await page.getByText(`“${full}” is full: 3 files not uploaded`).waitFor()
      await page.reload()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.evaluate((to) => history.pushState({}, '', to), `/console/b/${other}/uploads`)
      await slow(page, 12 * MIB)
      await openDialog(page)
      await choose(page.getByRole('dialog'), 'Choose files', [large])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await received(other)) >= 1)
      await page.reload()
      await dockSays(page, '1 upload can be resumed')
      await check('upload-dock-waits')

      // Elsewhere there is its button in the top bar, and nothing over the page.
      await navigate(page, `/b/${full}`)
      await page.getByRole('row', { name: /there\.txt/ }).waitFor()
      await dock.waitFor({ state: 'detached' })
      const button = page.getByRole('button', { name: '1 upload can be resumed' })
      await button.click()
      await dock.getByText('1 upload was interrupted').waitFor()
      await page.goto(`${server.url}/console/b/${full}?sel=there.txt`)
      const panel = page.locator('.details')
      await panel.waitFor()
      await button.click()
      const [over, under] = [await dock.boundingBox(), await panel.boundingBox()]
      assert.ok(over && under && over.x + over.width <= under.x, 'beside the panel of an object')
      await check('upload-dock-beside-details')

      // A new upload is counted alone.
      await navigate(page, `/b/${other}/uploads`)
      await openDialog(page)
      await choose(page.getByRole('dialog'), 'Choose files', [small])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await listAll(server.admin, other)).length === 1)
      await dockSays(page, '1 upload can be resumed')
      await dock.getByRole('button', { name: 'Hide until later' }).click()
      await dock.waitFor({ state: 'detached' })
      await page.reload()
      await button.waitFor()
      assert.equal(await dock.count(), 0, 'out of the way in this tab, also after a reload')
      await button.click()
      await dock.getByRole('button', { name: 'Hide files' }).click()
      await dock.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
      await dock.waitFor({ state: 'detached' })
      await assertNothingOpen(other)
      assert.deepEqual(faults, [])
    })
  })

  it('says of files that exist which are identical, and skips these at once', async () => {
    const bucket = await newBucket()
    const names = ['same.txt', 'other.txt', 'longer.txt', 'parts.bin']
    const files = names.map((name) => makeFile(`alike/${name}`, name === 'parts.bin' ? 17 * MIB : 300))
    const [same = '', , longer = '', parts = ''] = files
    const put = (key: string, body: Buffer) =>
      server.admin.putObject({ params: { bucket, key }, body: new Uint8Array(body) })
    await put('same.txt', fs.readFileSync(same))
    await put('other.txt', Buffer.alloc(300, 'x'))
    await put('longer.txt', Buffer.concat([fs.readFileSync(longer), Buffer.from('!')]))
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      await openDialog(page)
      await choose(page, 'Choose files', [parts])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await dockSays(page, '1 file uploaded')
      await openDialog(page)
      await choose(page.getByRole('dialog'), 'Choose files', files)
      await page.getByRole('button', { name: 'Upload 4 files' }).click()
      const dock = page.getByRole('region', { name: 'Uploads' })
      await dock
        .getByText(/^Already exists, identical/)
        .nth(1)
        .waitFor()
      assert.equal(await dock.getByText(/^Already exists · /).count(), 2)
      const row = dock.getByRole('listitem').filter({ hasText: 'same.txt' })
      assert.equal(await row.locator('.tabler-icon-alert-triangle').count(), 1, 'one sign for one thing')
      await check('upload-dock-identical')
      await row.getByRole('button', { name: 'Review…' }).click()
      const dialog = page.getByRole('dialog')
      for (const name of ['same.txt', 'parts.bin'])
        await dialog.getByRole('row', { name }).getByText('Identical').waitFor()
      assert.equal(await dialog.getByText('Identical', { exact: true }).count(), 2)
      await check('upload-conflicts-identical')
      await dialog.getByRole('button', { name: 'Skip 2 identical' }).click()
      await page
        .getByRole('dialog', { name: '2 files already exist' })
        .getByRole('button', { name: 'Skip', exact: true })
        .click()
      await dockSays(page, 'Nothing was uploaded')
      assert.deepEqual(faults, [])
    })
    assert.equal((await listAll(server.admin, bucket)).length, 4)
  })

  it('after a reload, says of a folder of which nothing has arrived that it can be resumed, and nothing of identical files', async () => {
    const bucket = await newBucket()
    const same = makeFile('again/same.txt', 700)
    const large = makeFile('again/large.bin', 40 * MIB)
    await server.admin.putObject({
      params: { bucket, key: 'same.txt' },
      body: new Uint8Array(fs.readFileSync(same)),
    })
    await inBrowser(`/b/${bucket}?prefix=new%2F`, async ({ page, check, faults }) => {
      await slow(page, 8 * MIB)
      // The page's own button, before that of the empty folder.
      await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
      await choose(page.getByRole('dialog'), 'Choose files', [large])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await received(bucket)) >= 1)
      await page.getByText('Files are being uploaded').waitFor()
      await page.reload()
      await page.getByText('Nothing has arrived here yet').waitFor()
      assert.equal(await page.getByText('Folder not found').count(), 0)
      await check('upload-interrupted-folder')

      await page.getByRole('navigation').getByRole('link', { name: 'Buckets' }).click()
      await page.getByRole('link', { name: bucket }).click()
      await openDialog(page)
      await choose(page.getByRole('dialog'), 'Choose files', [same])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      const dock = page.getByRole('region', { name: 'Uploads' })
      await dock.getByText(/^Already exists, identical/).waitFor()
      await page.reload()
      await dockSays(page, '1 upload can be resumed')
      assert.deepEqual(faults, [])
    })
  })

  it('resumes automatically when the network is back', async () => {
    const bucket = await newBucket()
    const file = makeFile('net.bin', 40 * MIB)
    await inBrowser(uploads(bucket), async ({ page, shot, faults }) => {
      await slow(page, 12 * MIB)
      await openDialog(page)
      await choose(page, 'Choose files', [file])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await received(bucket)) >= 1)
      await slow(page, 12 * MIB, true)
      await page.getByText('Uploads resume automatically').waitFor()
      const dock = page.getByRole('region', { name: 'Uploads' })
      await dockSays(page, 'Waiting: 0 of 1 file')
      await dock.getByRole('button', { name: 'Hide files' }).click()
      await dock.getByText('Waiting for the server').waitFor()
      assert.equal(await dock.getByText(/\/s$/).count(), 0, 'no rate of what does not move')
      await dock.getByRole('button', { name: 'Show files' }).click()
      await shot('upload-dock-offline')
      await slow(page, 12 * MIB)
      await dockSays(page, '1 file uploaded')
      assert.deepEqual(
        faults.filter((fault) => !isBroken(fault)),
        [],
      )
    })
    const [object] = await listAll(server.admin, bucket)
    assert.equal(object?.etag, partsEtag(fs.readFileSync(file), 8 * MIB))
  })

  it('uploads thousands of small files: listed immediately, with a responsive page', async (t) => {
    const bucket = await newBucket()
    const count = Number(process.env.CONSOLE_FILES ?? 1200)
    const shown = count.toLocaleString('en-US')
    for (let i = 0; i < count; i++) makeFile(`thousands/${i % 7}/${i}.txt`, 20)
    await inBrowser(uploads(bucket), async ({ page, check, faults }) => {
      await openDialog(page)
      await choose(page, 'Choose folder', path.join(folder, 'thousands'))
      const button = page.getByRole('button', { name: `Upload ${shown} files` })
      await button.waitFor()
      const from = performance.now()
      await button.click()
      await dockSays(page, new RegExp(`of ${shown} files$`))
      const listed = performance.now() - from
      const frames = await page.evaluate(
        () =>
          new Promise<number[]>((resolve) => {
            const times: number[] = []
            let last = performance.now()
            const step = (now: number) => {
              times.push(now - last)
              last = now
              if (times.length < 120) requestAnimationFrame(step)
              else resolve(times.sort((a, b) => a - b))
            }
            requestAnimationFrame(step)
          }),
      )
      assert.ok((await page.locator('.uploads-row').count()) <= 100)
      await page.getByText(`${shown} files uploaded`).first().waitFor({ timeout: 120_000 })
      t.diagnostic(
        `listed in ${Math.round(listed)} ms, frame p95 ${frames[113]?.toFixed(0)} ms, all in ${Math.round(performance.now() - from)} ms`,
      )
      await check('upload-dock-thousands')
      assert.deepEqual(faults, [])
    })
    assert.equal((await listAll(server.admin, bucket)).length, count)
  })

  it('continues with a new access token when the old one expires mid-upload', async () => {
    const bucket = await newBucket()
    for (let i = 0; i < 40; i++) makeFile(`expiry/${i}.bin`, 300_000)
    makeFile('expiry/large.bin', 20 * MIB)
    await inBrowser(uploads(bucket), async ({ page, faults }) => {
      await slow(page, 8 * MIB)
      await openDialog(page)
      await choose(page, 'Choose folder', path.join(folder, 'expiry'))
      await page.getByRole('button', { name: 'Upload 41 files' }).click()
      await until(async () => (await listAll(server.admin, bucket)).length > 3)
      await server.later(31 * 60_000)
      await dockSays(page, '41 files uploaded')
      assert.deepEqual(
        faults.filter((fault) => !fault.includes('401')),
        [],
      )
    })
    assert.equal((await listAll(server.admin, bucket)).length, 41)
  })

  it('leaves another tab’s uploads alone', async () => {
    const bucket = await newBucket()
    const file = makeFile('tabs.bin', 60 * MIB)
    await inBrowser(uploads(bucket), async ({ page, faults }, browser) => {
      await slow(page, 15 * MIB)
      await openDialog(page)
      await choose(page, 'Choose files', [file])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await until(async () => (await received(bucket)) >= 1)
      // Parts are left, and hardly anything moves until the other tab was looked at, however long that takes.
      await slow(page, 64 * 1024)
      const second = await openConsole(browser, server, uploads(bucket))
      await second.page.getByRole('row', { name: /tabs/ }).waitFor()
      await second.page.waitForTimeout(2000)
      assert.equal(await second.page.getByRole('region', { name: 'Uploads' }).count(), 0)
      await second.page.close()
      await slow(page, -1)
      await dockSays(page, '1 file uploaded')
      assert.deepEqual(faults, [])
    })
  })

  it('uploads in an insecure context', async () => {
    const bucket = await newBucket()
    const file = makeFile('plain.bin', 17 * MIB)
    const browser = await startBrowser({ args: ['--host-resolver-rules=MAP strongroom.test 127.0.0.1'] })
    try {
      const url = server.url.replace('127.0.0.1', 'strongroom.test')
      const page = await browser.context.newPage()
      await page.goto(`${url}/console/b/${bucket}/uploads`)
      await page.getByLabel('Email').fill(ADMIN.email)
      await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await openDialog(page)
      assert.equal(await page.evaluate(() => isSecureContext), false)
      await choose(page, 'Choose files', [file])
      await page.getByRole('button', { name: 'Upload 1 file' }).click()
      await dockSays(page, '1 file uploaded')
    } finally {
      await browser.close()
    }
    assert.equal((await listAll(server.admin, bucket))[0]?.etag, partsEtag(fs.readFileSync(file), 8 * MIB))
  })

  async function received(bucket: string): Promise<number> {
    const { items } = await server.admin.listUploads({ params: { bucket } })
    return items.reduce((sum, { received_parts }) => sum + received_parts, 0)
  }
  async function assertNothingOpen(bucket: string): Promise<void> {
    assert.deepEqual((await server.admin.listUploads({ params: { bucket } })).items, [])
    // An upload that is aborted is listed no more before its parts are deleted, and releases its bytes after that.
    await until(async () => (await server.admin.getBucket({ params: { bucket } })).reserved_bytes === 0)
  }
})

describe('console: uploads while the server is killed', { skip: noBrowser }, () => {
  it('resume when it is back', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-killed-'))
    let running = await spawnServer(serverEnv(folder))
    const { url } = running
    const browser = await startBrowser()
    try {
      const { access_token: token } = await createClient({ baseUrl: url }).login({
        body: { username: ADMIN.email, password: ADMIN.password },
      })
      const client = createClient({ baseUrl: url, token })
      await client.createBucket({ body: { name: 'killed' } })
      await signIn(browser, { url } as TestServer)
      const { page, faults, shot } = await openConsole(browser, { url } as TestServer, '/b/killed/uploads', {
        // A file that had arrived when its answer was lost is recognised by its contents.
        expect: [412],
      })
      const files = Array.from({ length: 60 }, (_, i) => {
        const file = path.join(folder, `${i}.bin`)
        fs.writeFileSync(file, randomBytes(200_000))
        return file
      })
      const big = path.join(folder, 'big.bin')
      fs.writeFileSync(big, randomBytes(60 * MIB))
      // Both views are loaded.
      await page.getByRole('link', { name: 'Objects', exact: true }).click()
      await page.getByText('This bucket is empty').waitFor()
      await page.goBack()
      await slow(page, 10 * MIB)
      await openDialog(page)
      await choose(page, 'Choose files', [...files, big])
      await page.getByRole('button', { name: 'Upload 61 files' }).click()
      await until(async () => {
        const [open] = (await client.listUploads({ params: { bucket: 'killed' } })).items
        return (open?.received_parts ?? 0) >= 2
      })
      await running.kill('SIGKILL')
      await page.getByText('Uploads resume automatically').waitFor()
      await shot('upload-dock-killed')
      // What was loaded stays, under one message; what was not appears by itself once the server is back.
      const unreachable = page.getByText('Can’t reach the server', { exact: false }).filter({ visible: true })
      await page.getByText('Showing the last loaded data').waitFor()
      await page.evaluate(() => history.pushState({}, '', '/console/b/killed?prefix=nothing/'))
      await page.getByRole('heading', { name: 'Can’t reach the server' }).waitFor()
      await page.getByText('Showing the last loaded data').waitFor({ state: 'hidden' })
      await shot('view-unreachable')
      running = await spawnServer({ ...serverEnv(folder), PORT: new URL(url).port })
      await page.getByText('Folder not found').waitFor()
      await unreachable.first().waitFor({ state: 'hidden' })
      await page.getByText('61 files uploaded').first().waitFor({ timeout: 60_000 })
      const objects = await listAll(client, 'killed')
      for (const { key, etag } of objects) {
        const bytes = fs.readFileSync(path.join(folder, key))
        assert.equal(etag, key === 'big.bin' ? partsEtag(bytes, 8 * MIB) : md5(bytes), key)
      }
      assert.equal(objects.length, 61)
      assert.deepEqual((await client.listUploads({ params: { bucket: 'killed' } })).items, [])
      assert.deepEqual(
        faults.filter((fault) => !isBroken(fault)),
        [],
      )
    } finally {
      await browser.close()
      await running.kill('SIGTERM')
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})

async function openDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByRole('dialog').waitFor()
}
async function choose(within: Pick<Page, 'getByRole'> & { page?: unknown }, name: string, files: string[] | string) {
  const button = within.getByRole('button', { name })
  const input = button.locator('xpath=following-sibling::input[1]')
  await input.setInputFiles(files)
}
/** Waits for the title of the list. */
const dockSays = (page: Page, title: string | RegExp) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('heading', { name: title }).waitFor({ timeout: 60_000 })

const sessions = new WeakMap<Page, CDPSession>()
/** Limits the bytes a second that the page sends (-1 lifts it), or takes its network away. */
async function slow(page: Page, bytes: number, offline = false): Promise<void> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytes,
  })
}
/** Drops a folder onto the dialog as the system would. */
async function drop(page: Page, folder: string): Promise<void> {
  const box = await page.locator('.uploads-zone').boundingBox()
  assert.ok(box)
  await dropFile(page, { x: box.x + box.width / 2, y: box.y + 20 }, folder)
}
async function countParts(page: Page, work: () => Promise<void>): Promise<number> {
  let count = 0
  const see = (request: { method(): string; url(): string }) => {
    if (request.method() === 'PUT' && request.url().includes('/parts/')) count++
  }
  page.on('request', see)
  await work()
  page.off('request', see)
  return count
}
/** The requests of this page that send a part now. */
function partsUnderWay(page: Page): ReadonlySet<object> {
  const open = new Set<Request>()
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().includes('/parts/')) open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  return open
}
async function listAll(client: Client, name: string) {
  const found: { key: string; size: number; etag: string }[] = []
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<Client['listObjects']>> = await client.listObjects({
      params: { bucket: name },
      query: { limit: 1000, ...(cursor === null ? {} : { cursor }) },
    })
    found.push(...page.items)
    cursor = page.next_cursor
    if (cursor === null) return found
  }
}
/** Every file of these folders is there with its contents. */
async function assertSame(client: Client, bucket: string, root: string, folders: string[]): Promise<void> {
  const etags = new Map((await listAll(client, bucket)).map(({ key, etag }) => [key, etag]))
  for (const folder of folders)
    for (const name of fs.readdirSync(path.join(root, folder)))
      assert.equal(etags.get(`${folder}/${name}`), md5(fs.readFileSync(path.join(root, folder, name))), name)
}
function partsEtag(bytes: Uint8Array, part: number): string {
  const sums: Buffer[] = []
  for (let at = 0; at < bytes.length; at += part)
    sums.push(
      createHash('md5')
        .update(bytes.subarray(at, at + part))
        .digest(),
    )
  return `${md5(Buffer.concat(sums))}-${sums.length}`
}
