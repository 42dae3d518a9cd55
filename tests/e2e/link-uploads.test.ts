// Large files through the pages of upload links, over connections that break.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { cutWire } from '../support/cut-wire.ts'
import { startServer, type TestServer } from '../support/server.ts'

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
