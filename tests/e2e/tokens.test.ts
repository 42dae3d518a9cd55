// Personal access tokens in a real browser.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { TOKEN_PATTERN } from '../../contract/tokens.ts'
import { inBrowserOf, openConsole } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { rejectsWith } from '../support/problems.ts'
import { startServer, type TestServer } from '../support/server.ts'

const DAY = 24 * 3600_000

describe('console: access tokens', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)

  it('shows a token once, keeps it nowhere after closing, and rejects it once revoked', () =>
    inBrowser(async (browser) => {
      const { page, check, shot } = await openConsole(browser, server, '/tokens')
      await page.getByText('No access tokens yet').waitFor()
      await check('tokens-empty')
      await page.getByRole('button', { name: 'New token' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('backup on nas')
      await dialog.getByLabel('Expires').click()
      await page.getByRole('option', { name: 'Never' }).click()
      await dialog.getByText('Set a date and rotate the token instead').waitFor()
      await check('token-new')
      await dialog.getByLabel('Expires').click()
      await page.getByRole('option', { name: '90 days' }).click()
      await dialog.getByRole('button', { name: 'Create token' }).click()
      const value = await dialog.getByLabel('Token', { exact: true }).inputValue()
      assert.match(value, new RegExp(`^${TOKEN_PATTERN}$`))
      await shot('token-reveal')
      await page.keyboard.press('Escape')
      await page.mouse.click(5, 5)
      assert.ok(await dialog.isVisible(), 'it does not close before it was copied or confirmed')
      const saved = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Download .env' }).click()
      const file = await saved
      assert.equal(file.suggestedFilename(), 'strongroom.env')
      assert.equal(fs.readFileSync(await file.path(), 'utf8'), `STRONGROOM_TOKEN=${value}\n`)
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      await page.getByRole('cell', { name: 'backup on nas', exact: true }).waitFor()
      await check('tokens')

      const secret = value.slice(12)
      const kept = await page.evaluate(async () => {
        const names = await indexedDB.databases()
        return [
          document.documentElement.outerHTML,
          JSON.stringify({ ...localStorage }),
          JSON.stringify({ ...sessionStorage }),
          JSON.stringify(names),
          JSON.stringify(await caches.keys()),
          document.cookie,
          location.href,
          JSON.stringify(history.state),
          JSON.stringify(performance.getEntriesByType('resource').map(({ name }) => name)),
        ].join('\n')
      })
      assert.equal(kept.includes(secret), false)
      await page.reload()
      await page.getByRole('cell', { name: 'backup on nas', exact: true }).waitFor()
      assert.equal((await page.content()).includes(secret), false)

      const [token] = (await server.admin.listTokens()).items
      assert.equal(Date.parse(token?.expires_at ?? '') - server.clock.now().getTime(), 90 * DAY)
      const holder = server.as(value)
      assert.equal((await holder.me()).email, 'admin@example.com')
      const child = await holder.createToken({ body: { name: 'made by it' } })

      await page.reload()
      await page.getByText('created with another token').waitFor()
      // On a phone, what can be done with a row is in sight.
      await page.setViewportSize({ width: 390, height: 844 })
      const more = await page.getByRole('button', { name: 'Actions for token backup on nas' }).boundingBox()
      assert.ok(more && more.x + more.width <= 390 - 16, `at ${more?.x}`)
      await check('tokens-phone')
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.getByRole('button', { name: 'Actions for token backup on nas' }).click()
      await page.getByRole('menuitem', { name: 'Rotate…' }).click()
      await check('token-rotate')
      await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
      const field = dialog.getByLabel('Token', { exact: true })
      await field.waitFor()
      const next = await field.inputValue()
      assert.notEqual(next, value)
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      await rejectsWith(holder.me(), 'unauthenticated')
      await server.as(next).me()

      await page.getByRole('button', { name: 'Actions for token backup on nas' }).click()
      await page.getByRole('menuitem', { name: 'Revoke…' }).click()
      await dialog.getByLabel('Also revoke tokens that were created with it').check()
      await check('token-revoke')
      await dialog.getByRole('button', { name: 'Revoke token' }).click()
      await page.getByText('No active tokens').waitFor()
      await rejectsWith(server.as(next).me(), 'unauthenticated')
      await rejectsWith(server.as(child.token).me(), 'unauthenticated')
      await page.getByLabel('Show expired and revoked').check({ force: true })
      await page.getByText('Revoked', { exact: true }).first().waitFor()
      assert.match(page.url(), /ended=1/)
    }))

  it('leads from a bucket to a token for it, which works by the calls shown and nowhere else', () =>
    inBrowser(async (browser) => {
      for (const bucket of ['photos', 'private']) {
        await server.admin.createBucket({ body: { name: bucket } })
        await server.admin.putObject({ params: { bucket, key: 'it’s/1.txt' }, body: bucket })
      }
      const { page, check, shot } = await openConsole(browser, server, '/b/photos/connect')
      const calls = page.getByRole('region', { name: 'API, command line and TypeScript' })
      await calls.getByText('Bearer $STRONGROOM_TOKEN').first().waitFor()
      await page.getByRole('link', { name: 'New token for this bucket' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name', { exact: true }).fill('reads photos')
      const rule = dialog.getByRole('group', { name: 'photos' })
      assert.equal(await rule.getByLabel(/^write/).isChecked(), true)
      await rule.getByRole('combobox').or(rule.getByRole('textbox')).last().click()
      await page.getByRole('option', { name: 'viewer', exact: true }).click()
      await rule.getByLabel(/^Prefix/).fill('it’s/')
      await check('token-new-limited')
      await server.records([{ action: 'token_create' }], async () => {
        await dialog.getByRole('button', { name: 'Create token' }).click()
        await dialog.getByLabel('Token', { exact: true }).waitFor()
      })
      const token = await dialog.getByLabel('Token', { exact: true }).inputValue()
      server.secrets.add(token)
      const shown = dialog.locator('pre.snippet')
      const curl = (await shown.textContent()) ?? ''
      assert.equal(curl.includes('-T '), false, 'it cannot write')
      assert.ok(curl.includes(`'${token}'`))
      const { stdout } = await promisify(execFile)('sh', ['-c', curl.replace('curl -H', 'curl -s -H')])
      assert.deepEqual(
        JSON.parse(stdout).items.map(({ key }: { key: string }) => key),
        ['it’s/1.txt'],
      )
      for (const [name, line] of [
        ['CLI', "npx strongroom ls 'sr:photos/it’s/'"],
        ['TypeScript', "listObjects({ params, query: { prefix: 'it’s/' } })"],
      ] as const) {
        await dialog.getByText(name, { exact: true }).click()
        await shown.getByText(line).waitFor()
      }
      await shot('token-reveal-limited')
      const client = server.as(token)
      const read = (bucket: string) => client.getObject({ params: { bucket, key: 'it’s/1.txt' } })
      assert.equal(await (await read('photos')).text(), 'photos')
      await rejectsWith(read('private'), 'forbidden')
      await rejectsWith(client.putObject({ params: { bucket: 'photos', key: 'it’s/2' }, body: 'x' }), 'forbidden')
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      await page
        .getByRole('row', { name: /reads photos/ })
        .getByText('photos/it’s/ (viewer)')
        .waitFor()
      assert.equal(new URL(page.url()).search, '')
      await check('tokens-limited')
    }))

  it('marks expiring and expired tokens, takes a custom date, and respects the maximum lifetime', () =>
    inBrowser(async (browser) => {
      await server.admin.createToken({ body: { name: 'soon', expires_in: 3 * 86_400 } })
      await server.admin.createToken({ body: { name: 'over', expires_in: 1 } })
      server.clock.advance(2000)
      const { page, check } = await openConsole(browser, server, '/tokens?ended=1', { expect: [422] })
      await page.getByRole('row', { name: /soon/ }).getByText('Expires soon').waitFor()
      await page.getByRole('row', { name: /over/ }).getByText('Expired').waitFor()
      await check('tokens-ended')
      await server.admin.updateSettings({ body: { tokens: { max_lifetime_days: 60 } } })
      await page.reload()
      await page.getByRole('button', { name: 'New token' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('for at most 60 days').waitFor()
      await dialog.getByLabel('Name').fill('custom')
      await dialog.getByLabel('Expires').click()
      assert.deepEqual(await page.getByRole('option').allTextContents(), ['30 days', '60 days', 'Custom date…'])
      await page.getByRole('option', { name: 'Custom date…' }).click()
      await dialog.getByLabel('Date and time (your').fill('2027-01-01T00:00')
      await dialog.getByRole('button', { name: 'Create token' }).click()
      await dialog.getByText("by the service's settings").waitFor()
      await dialog.getByLabel('Date and time (your').fill('2026-02-01T00:00')
      await check('token-custom')
      await dialog.getByRole('button', { name: 'Create token' }).click()
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      const made = (await server.admin.listTokens()).items.find(({ name }) => name === 'custom')
      assert.ok(Math.abs(Date.parse(made?.expires_at ?? '') - Date.parse('2026-02-01T00:00:00Z')) < 60_000)
    }))
})
