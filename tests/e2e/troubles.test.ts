// What administrators are told while a storage cannot be reached, or the disk is full: above every view, and where they look.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { it } from 'node:test'
import { describeConsole, inBrowserOf, navigate, openConsole } from '../support/browser.ts'
import { checkReflow } from '../support/reflow.ts'
import { STORED, startServer, type TestServer } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'

const PHONE = { width: 390, height: 844 }
const MINUTE = 60_000

describeConsole('troubles of storages and disks', (engine) => {
  let server: TestServer
  const inBrowser = inBrowserOf(() => server)

  it('names a storage that cannot be reached above every view, until it can', async (t) => {
    const disks = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-disks-'))
    t.after(() => fs.rmSync(disks, { recursive: true, force: true }))
    server = await startServer(engine, { ...STORED, STORAGE_FOLDERS: disks })
    t.after(server.stop)
    const { admin } = server
    const folder = path.join(disks, 'nas')
    await admin.createStorage({ body: { name: 'nas', kind: 'file', folder } })
    await admin.createBucket({ body: { name: 'photos', storage: 'nas' } })
    fs.renameSync(folder, `${folder}-away`)
    await server.running.tick('storage-watch')
    await server.later(5 * MINUTE)
    await inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/')
      const banner = page.getByText(/^The storage nas is unreachable\. Noticed 5 minutes ago\. Show storage$/)
      await banner.waitFor()
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention.getByRole('link', { name: 'The storage nas is unreachable.' }).waitFor()
      await check('trouble-home')
      await navigate(page, '/buckets')
      await banner.waitFor()
      await page.getByRole('link', { name: 'Show storage' }).click()
      await page.waitForURL('**/console/admin/storages/nas')
      const facts = page.getByRole('region', { name: 'About this storage' })
      await facts.getByText('Unreachable', { exact: true }).waitFor()
      await facts.getByText('Noticed 5 minutes ago').waitFor()
      await check('trouble-storage')
      await navigate(page, '/admin/storages')
      await page.getByRole('row', { name: /^nas/ }).getByText('Noticed 5 minutes ago').waitFor()
      const room = page.getByRole('region', { name: 'Disk space' })
      await room.getByText('Enough').first().waitFor()
      assert.equal(await room.getByRole('link').count(), 0)
      await check('trouble-storages')
      fs.renameSync(`${folder}-away`, folder)
      await page.reload()
      await page.getByRole('row', { name: /^nas/ }).getByText('Reachable').waitFor()
      await banner.waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    })
    await inBrowser(
      async (browser) => {
        fs.renameSync(folder, `${folder}-away`)
        await server.running.tick('storage-watch')
        const view = await openConsole(browser, server, '/admin/storages')
        await view.page.getByText(/^Der Speicher nas ist nicht erreichbar\./).waitFor()
        await view.check('trouble-storages-de-phone')
        await checkReflow(view, 'trouble-storages-de')
        assert.deepEqual(view.faults, [])
      },
      { ...PHONE, locale: 'de-DE' },
    )
    // Others are not told: they can do nothing about it.
    const token = await server.userWith({ bucket_pattern: 'photos', prefix: '', actions: ['list', 'read'] })
    const { email } = await server.as(token).me()
    const who = { email, password: `password of ${/\d+/.exec(email)?.[0]}` }
    await inBrowser(
      async (browser) => {
        const { page, faults } = await openConsole(browser, server, '/')
        await page.getByRole('region', { name: 'Needs attention' }).getByText('Nothing needs').waitFor()
        await page.clock.runFor(3000)
        assert.equal(await page.locator('.banner').count(), 0)
        assert.deepEqual(faults, [])
      },
      { who },
    )
  })

  it('says that uploads are refused on a full disk, and what to do', async (t) => {
    const folder = mountSmallDisk(t, 60)
    if (!folder) return
    server = await startServer(engine, {
      ...STORED,
      DATABASE_URL: `sqlite:${path.join(folder, 'strongroom.db')}`,
      STORAGE_URL: `file:${path.join(folder, 'blobs')}`,
    })
    t.after(server.stop)
    const { bavail, bsize } = fs.statfsSync(folder)
    fs.writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(bavail * bsize - 5_000_000))
    const refused = server.admin.putObject({ params: { bucket: 'photos', key: 'a' }, body: Buffer.alloc(1_000_000) })
    await assert.rejects(refused)
    for (const { locale, ...size } of [{ locale: 'en-US' }, { ...PHONE, locale: 'de-DE' }])
      await inBrowser(
        async (browser) => {
          const view = await openConsole(browser, server, '/')
          const { page, check, faults } = view
          const inGerman = locale === 'de-DE'
          const what = page.getByRole('link', { name: inGerman ? 'Was tun?' : 'What to do' })
          await what.waitFor()
          await check(`trouble-full-home-${locale}`)
          await what.click()
          await page.waitForURL('**/console/admin/storages')
          const room = page.getByRole('region', { name: inGerman ? 'Speicherplatz' : 'Disk space' })
          await room.getByText(inGerman ? 'Datenbank und Objekte' : 'Database and objects').waitFor()
          await room.getByText(inGerman ? 'Fast voll' : 'Almost full', { exact: true }).waitFor()
          assert.equal(await room.getByRole('link').count(), 3)
          await check(`trouble-full-${locale}`)
          if (inGerman) await checkReflow(view, 'trouble-full-de')
          await room.getByRole('link').first().click()
          await page.waitForURL('**/console/trash')
          assert.deepEqual(faults, [])
        },
        { ...size, locale },
      )
  })
})
