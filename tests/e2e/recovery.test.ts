// What of the service can be lost, and how to get it back, in a real browser.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { STORED, startServer, type TestServer } from '../support/server.ts'

describeConsole('what can be lost', (engine) => {
  let server: TestServer
  const disk = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-mirror-'))
  before(async () => {
    server = await startServer(engine, { ...STORED, STORAGE_FOLDERS: disk })
    await server.admin.createStorage({ body: { name: 'nas', kind: 'file', folder: path.join(disk, 'nas') } })
    await server.admin.createBucket({ body: { name: 'safe' } })
    await server.admin.createBucket({ body: { name: 'risky', trash_days: 0 } })
    await server.admin.putObject({ params: { bucket: 'safe', key: 'a' }, body: 'kept' })
  })
  after(async () => {
    await server.stop()
    fs.rmSync(disk, { recursive: true, force: true })
  })
  const run = inBrowserOf(() => server)

  it('says what has one copy only, sets up a mirror, and switches to it', async () => {
    await run(async (browser) => {
      const { page, check, faults, shot } = await openConsole(browser, server, '/admin/protection')
      const contents = page.getByRole('region', { name: 'Contents of files' })
      await contents.getByText('There is one copy only. If default is lost, its contents are lost.').waitFor()
      await page.getByText('The database has no second copy that this page knows of.').waitFor()
      await page.getByText('Nothing that is stored is encrypted').waitFor()
      const mistakes = page.getByRole('region', { name: 'Mistakes and stolen keys' })
      await mistakes.getByRole('link', { name: 'risky' }).waitFor()
      assert.equal(await mistakes.getByRole('link', { name: 'safe' }).count(), 0)
      await check('protection-none')
      await page.setViewportSize({ width: 390, height: 844 })
      await shot('protection-phone')
      await page.setViewportSize({ width: 1440, height: 900 })

      await contents.getByRole('button', { name: 'Set up mirror…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Mirror of default' })
      await dialog.getByLabel('Storage of the second copy').waitFor()
      await check('mirror-new')
      await server.records([{ action: 'storage_update' }], async () => {
        await dialog.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Mirror saved').waitFor()
      })
      await contents.getByText('What was there before is still being copied to nas.').waitFor()
      for (let i = 0; i < 3; i++) {
        server.clock.advance(61_000)
        await server.running.tick('mirror-copies')
      }
      await contents.getByText('Everything has a second copy on nas.').waitFor()
      await contents.getByText('What is removed stays on the mirror for 30 days.').waitFor()
      await check('protection-mirrored')

      await contents.getByRole('button', { name: 'Switch to nas…' }).click()
      await page.getByRole('dialog').getByText('The same button is the way back.').waitFor()
      await check('mirror-switch')
      await server.records([{ action: 'storage_failover' }], async () => {
        await page.getByRole('dialog').getByRole('button', { name: 'Switch', exact: true }).click()
        await page.getByText('Switched to nas').waitFor()
      })
      assert.equal((await server.admin.getStorage({ params: { storage: 'default' } })).served_by, 'nas')
      await contents.getByText('It was switched').waitFor()
      assert.deepEqual(faults, [])
    })
  })

  it('offers replicas, and says what they need', async () => {
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/admin/protection')
      await page.getByText('No bucket has a replica.').waitFor()
      await page.getByRole('button', { name: 'Replicate a bucket…' }).click()
      await page.getByText('A replica needs a registered storage on an S3 engine.').waitFor()
      await check('replica-new')
      assert.deepEqual(faults, [])
    })
  })

  it('is for administrators', async () => {
    const token = await server.userWith({ bucket_pattern: 'safe', actions: ['list', 'read'] })
    const response = await server.as(token).me()
    assert.equal(response.is_admin, false)
    await run(
      async (browser) => {
        const { page, faults } = await openConsole(browser, server, '/admin/protection')
        await page.getByRole('heading', { name: 'You don’t have permission to view this' }).waitFor()
        assert.equal(await page.getByRole('link', { name: 'Protection', exact: true }).count(), 0)
        assert.deepEqual(faults, [])
      },
      { who: { email: response.email, password: 'password of 1' } },
    )
  })
})
