// Large files through the pages of upload links, over connections that break.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import sharp from 'sharp'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { cutWire } from '../support/cut-wire.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { unzip } from '../support/unzip.ts'

const BUCKET = 'large'
const MIB = 1024 ** 2
const SIZE = 200 * MIB + 321

describeConsole('large files through upload links', (engine) => {
  let server: TestServer
  let folder: string
  let file: string
  let hash: string
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: BUCKET } })
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-large-'))
    file = path.join(folder, 'holiday.mp4')
    const piece = randomBytes(MIB)
    const out = fs.openSync(file, 'w')
    const digest = createHash('sha256')
    for (let left = SIZE; left > 0; left -= MIB) {
      // No two parts are the same.
      piece.writeUInt32BE(left, 0)
      const bytes = piece.subarray(0, Math.min(MIB, left))
      fs.writeSync(out, bytes)
      digest.update(bytes)
    }
    fs.closeSync(out)
    hash = digest.digest('hex')
  })
  after(async () => {
    fs.rmSync(folder, { recursive: true })
    await server.stop()
  })
  const inBrowser = inBrowserOf(() => server, { who: null, realTime: true, width: 390, height: 844 })
  const linkTo = async (prefix: string) => {
    const link = await server.admin.createShare({ body: { kind: 'upload', bucket: BUCKET, prefix, max_files: 1 } })
    server.secrets.add(link.token)
    return `/s/${link.token}`
  }
  const hashOf = async (key: string) => {
    const { body } = await server.admin.getObject({ params: { bucket: BUCKET, key } })
    const digest = createHash('sha256')
    for await (const chunk of body ?? []) digest.update(chunk)
    return digest.digest('hex')
  }

  it('a connection that breaks twice and a page that is loaded again cost no more than what was under way', () =>
    inBrowser(async (browser) => {
      const wire = await cutWire(server.url)
      try {
        const { page, check, faults } = await openConsole(browser, { url: wire.url }, await linkTo('in/'))
        page.on('dialog', (dialog) => dialog.accept())
        const input = page.locator('input[type=file]')
        const lost = page.getByText('Connection lost. It continues when the connection is back.')
        await page.getByLabel('Your name').fill('Zoë')
        for (const [i, cut] of [40, 90].entries()) {
          wire.cutAt(cut * MIB)
          if (i === 0) await input.setInputFiles(file)
          await lost.waitFor()
          wire.mend()
          await lost.waitFor({ state: 'detached' })
        }
        wire.cutAt(140 * MIB)
        await lost.waitFor()
        faults.length = 0
        await check('link-upload-lost')
        wire.mend()
        await page.reload()
        await page.getByText('These files were not sent completely.').waitFor()
        faults.length = 0
        await check('link-upload-unfinished')
        await input.setInputFiles(file)
        await page.getByText('1 file sent. You can close this page.').waitFor({ timeout: 60_000 })
        assert.equal(await page.getByText('These files were not sent completely.').count(), 0)
        assert.ok(wire.sent() < SIZE + 90 * MIB, `${Math.round(wire.sent() / MIB)} MiB were sent`)
        assert.equal(await hashOf('in/holiday.mp4'), hash)
        const { items } = await server.admin.listObjects({ params: { bucket: BUCKET }, query: { prefix: 'in/' } })
        assert.equal(items.length, 1)
        assert.equal(await page.evaluate(() => Object.keys(localStorage).some((key) => key.includes('uploads'))), false)
        assert.deepEqual(faults, [])
      } finally {
        wire.close()
      }
    }))

  it('a stranger with a phone and in Japanese: password, gallery, choice, zip, and a film over a connection that breaks', () =>
    inBrowser(
      async (browser) => {
        for (const [i, background] of ['#c2553f', '#3f7fc2', '#4fa36a'].entries()) {
          const picture = sharp({ create: { width: 1200, height: 800, channels: 3, background } })
          const place = { params: { bucket: BUCKET }, query: { key: `京都/写真 ${i + 1}.jpg` } }
          await server.admin.putObjectByQuery({ ...place, body: (await picture.jpeg().toBuffer()) as BodyInit })
        }
        const password = '桜の季節'
        server.secrets.add(password)
        const given = { bucket: BUCKET, password, message: '旅行の写真です。動画を送ってください。' } as const
        const gallery = await server.admin.createShare({ body: { ...given, kind: 'folder', prefix: '京都/' } })
        const film = await server.admin.createShare({ body: { ...given, kind: 'upload', prefix: '動画/' } })
        for (const { token } of [gallery, film]) server.secrets.add(token)
        const wire = await cutWire(server.url)
        try {
          const opened = await openConsole(browser, { url: wire.url }, `/s/${gallery.token}`, { expect: [401] })
          const { page, check, faults } = opened
          const unlock = async (word: string) => {
            await page.getByLabel('パスワード', { exact: true }).fill(word)
            await page.getByRole('button', { name: '開く' }).tap()
          }
          await page.getByRole('heading', { name: 'このリンクを開くにはパスワードを入力してください' }).waitFor()
          assert.doesNotMatch(await page.content(), /京都|写真/, 'without the password there is no name')
          await unlock('梅の季節')
          await page.getByText('パスワードが正しくありません。').waitFor()
          await check('journey-password')
          await unlock(password)
          await page.getByText('3 個のファイル').waitFor()
          await page.getByText(given.message).waitFor()
          const drawn = () => [...document.images].filter(({ naturalWidth }) => naturalWidth > 0).length >= 3
          await page.waitForFunction(drawn)
          await check('journey-gallery')
          await page.getByRole('link', { name: '写真 2.jpg を開く' }).tap()
          await page.getByRole('dialog').getByText('3 件中 2 件目').waitFor()
          await page.getByRole('button', { name: '閉じる' }).tap()

          await page.getByRole('button', { name: '選択', exact: true }).tap()
          for (const n of [1, 3])
            await page
              .locator('.tile', { hasText: `写真 ${n}.jpg` })
              .locator('label')
              .tap()
          const bar = page.getByRole('region', { name: '選択項目' })
          await bar.getByText('2 個を選択中').waitFor()
          await check('journey-choice')
          const download = page.waitForEvent('download')
          await bar.getByRole('button', { name: 'ダウンロード (zip)' }).tap()
          const zip = await unzip(fs.readFileSync(await (await download).path()))
          assert.deepEqual(
            zip.map(({ name }) => name),
            ['京都/写真 1.jpg', '京都/写真 3.jpg'],
          )

          await page.goto(`${wire.url}/s/${film.token}`)
          await unlock(password)
          await page.getByLabel(/お名前/).fill('花子')
          const lost = page.getByText('接続が切れました。接続が戻りしだい再開します。')
          for (const [i, cut] of [40, 120].entries()) {
            wire.cutAt(cut * MIB)
            if (i === 0) await page.locator('input[type=file]').setInputFiles(file)
            await lost.waitFor()
            faults.length = 0
            if (i === 0) await check('journey-broken')
            wire.mend()
            await lost.waitFor({ state: 'detached' })
          }
          await page.getByText('1 個のファイルを送信しました。').waitFor({ timeout: 60_000 })
          faults.length = 0
          await check('journey-sent')
          assert.ok(wire.sent() < SIZE + 60 * MIB, `${Math.round(wire.sent() / MIB)} MiB were sent`)
          assert.equal(await hashOf('動画/holiday.mp4'), hash)
        } finally {
          wire.close()
        }
      },
      { locale: 'ja-JP', phone: true },
    ))

  it('is paused, resumed and cancelled by its sender; what was cancelled takes no place', () =>
    inBrowser(async (browser) => {
      const wire = await cutWire(server.url)
      try {
        const { page, check, faults } = await openConsole(browser, { url: wire.url }, await linkTo('paused/'))
        wire.holdAt(30 * MIB)
        await page.locator('input[type=file]').setInputFiles(file)
        await page.getByText(/^1\d%$/).waitFor()
        await page.getByRole('button', { name: 'Pause' }).click()
        await page.getByText('Paused', { exact: true }).waitFor()
        await check('link-upload-paused')
        await page.getByRole('button', { name: 'Resume' }).click()
        await page.getByRole('button', { name: 'Pause' }).waitFor()
        await page.getByRole('button', { name: 'Cancel holiday.mp4' }).click()
        await page.getByText('Cancelled', { exact: true }).waitFor()
        wire.mend()
        // The only place of the link is free for it again.
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.getByText('1 file sent. You can close this page.').waitFor({ timeout: 60_000 })
        assert.equal(await hashOf('paused/holiday.mp4'), hash)
        assert.deepEqual(faults, [])
      } finally {
        wire.close()
      }
    }))
})
