// A link to each of what is selected, in a real browser: created, saved, opened and revoked again.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

describeConsole('a link to each of many objects', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'photos' } })
    for (const key of ['a/1.txt', 'a/2.txt', 'b.txt'])
      await server.admin.putObject({
        params: { bucket: 'photos', key },
        body: key,
        headers: { 'content-type': 'text/plain', 'x-tags': 'stage=draft' },
      })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)
  const created = (...keys: string[]) => keys.map((key) => ({ action: 'share_create' as const, bucket: 'photos', key }))
  const revoked = (...keys: string[]) => keys.map((key) => ({ action: 'share_revoke' as const, bucket: 'photos', key }))

  it('is created, saved as a table, and taken back', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/b/photos?q=tag%3Astage%3Ddraft')
      await page.getByRole('row', { name: /1\.txt/ }).waitFor()
      await page.keyboard.press('Control+a')
      await page.getByText('3 selected').waitFor()
      await page.getByRole('button', { name: 'Share…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('3 links will be created').waitFor()
      await check('each-link-found', { within: '[role=dialog]' })
      await server.records(created('a/1.txt', 'a/2.txt', 'b.txt'), async () => {
        await dialog.getByRole('button', { name: 'Create links' }).click()
        await dialog.getByText('3 links created').waitFor()
      })
      await check('each-link-made', { within: '[role=dialog]' })
      // Closing it asks first, until they were saved.
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByText('Leave without saving the links?').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).last().click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Save as CSV' }).click(),
      ])
      assert.equal(file.suggestedFilename(), 'links.csv')
      const csv = (await Array.fromAsync(await file.createReadStream())).join('')
      const [head = '', ...rows] = csv.trimEnd().split('\r\n')
      assert.equal(head, 'key,page_url,url,expires_at,id')
      const links = rows.map((row) => row.split(','))
      for (const [key, , url = ''] of links) {
        server.secrets.add(url.slice(url.lastIndexOf('/') + 1))
        const answer = await fetch(`${server.url}${new URL(url).pathname}`)
        assert.equal(await answer.text(), key)
      }
      await server.records(revoked('a/1.txt', 'a/2.txt', 'b.txt'), async () => {
        await dialog.getByRole('button', { name: 'Undo' }).click()
        await page.getByText('3 links revoked').waitFor()
      })
      await dialog.waitFor({ state: 'hidden' })
      const [, , url = ''] = links[0] ?? []
      assert.equal((await fetch(`${server.url}${new URL(url).pathname}`)).status, 410)
      assert.deepEqual(faults, [])
    }))

  it('is a choice where some objects are selected; on a phone, in German', () =>
    inBrowser(
      async (browser) => {
        const { page, check, faults } = await openConsole(browser, server, '/b/photos?prefix=a%2F')
        await page.getByRole('row', { name: /1\.txt/ }).waitFor()
        await page.getByRole('checkbox', { name: /1\.txt/ }).check()
        await page.getByRole('checkbox', { name: /2\.txt/ }).check()
        await page.getByRole('button', { name: 'Teilen …' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText('Je ein Link').click()
        await dialog.getByText('2 Links werden erstellt').waitFor()
        await check('each-link-choice', { within: '[role=dialog]' })
        await server.records(created('a/1.txt', 'a/2.txt'), async () => {
          await dialog.getByRole('button', { name: 'Links erstellen' }).click()
          await dialog.getByText('2 Links erstellt').waitFor()
        })
        await check('each-link-made-phone', { within: '[role=dialog]' })
        assert.deepEqual(faults, [])
      },
      { phone: true, locale: 'de-DE' },
    ))
})
