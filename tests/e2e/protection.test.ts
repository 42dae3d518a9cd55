// Object Lock in a real browser.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

const bucket = 'records'
const key = 'contract.txt'
const DAY = 86_400_000

describeConsole('protection', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: bucket, versioning: 'enabled' } })
  })
  after(() => server.stop())
  const run = inBrowserOf(() => server)

  it('says what can be removed and by whom, and locks new versions', async () => {
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}/protection`, { expect: [] })
      await page.getByText('Nothing in this bucket can be locked.').waitFor()
      await check('protection-off')
      await server.records([{ action: 'update_bucket', bucket }], async () => {
        await page.getByRole('button', { name: 'Turn on Object Lock' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText('It can’t be turned off again').waitFor()
        await dialog.getByRole('button', { name: 'Turn on Object Lock' }).click()
        await page.getByText('Versions can be locked one at a time.').waitFor()
      })
      assert.equal(await page.getByRole('button', { name: 'Suspend versions' }).count(), 0)
      const choose = async (name: string, option: string) => {
        await page.getByRole('combobox', { name }).or(page.getByRole('textbox', { name })).first().click()
        await page.getByRole('option', { name: option }).click()
      }
      await choose('New versions', 'Locked in compliance mode')
      await page.getByLabel('For', { exact: true }).fill('7')
      await choose('Unit', 'years')
      await page.getByRole('button', { name: 'Save' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Lock every new version for 7 years?').waitFor()
      await check('protection-compliance')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await choose('New versions', 'Locked in governance mode')
      await page.getByLabel('For', { exact: true }).fill('90')
      await choose('Unit', 'days')
      await server.records([{ action: 'update_bucket', bucket }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Every new version is locked for 90 days.').waitFor()
      })
      await check('protection-on')
      const { object_lock } = await server.admin.getBucket({ params: { bucket } })
      assert.deepEqual(object_lock, { mode: 'governance', days: 90, years: null })
      assert.deepEqual(faults, [])
    })
  })

  it('shows locks with their ends, and changes them as far as they may be changed', async () => {
    const first = await server.admin.putObject({ params: { bucket, key }, body: 'as signed' })
    await server.admin.putObject({ params: { bucket, key }, body: 'as amended' })
    const until = new Date(server.clock.now().getTime() + 400 * DAY).toISOString()
    const version_id = first.version_id ?? ''
    await server.admin.lockObject({
      params: { bucket },
      body: { key, version_id, mode: 'compliance', until, bypass_lock: true },
    })
    await run(async (browser) => {
      const address = `/b/${bucket}?sel=${encodeURIComponent(key)}`
      const { page, check, faults } = await openConsole(browser, server, address, { expect: [] })
      await page.getByText('Only users with “bypass_lock” can delete it before.').waitFor()
      await check('lock-details')
      await page.getByRole('tab', { name: 'History' }).click()
      const items = page.locator('.versions > li')
      await items.nth(1).getByText('Locked until').waitFor()
      await check('lock-versions')
      // Nobody deletes the older one: there is no button for it.
      assert.equal(await items.nth(1).getByRole('button', { name: 'Delete this version' }).count(), 0)
      await items.nth(0).getByRole('button', { name: 'Lock this version…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Lock this version' })
      await check('lock-dialog')
      await server.records([{ action: 'legal_hold_update', bucket, key }], async () => {
        assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'there is nothing to save')
        await dialog.getByRole('switch', { name: 'Legal hold' }).check()
        await dialog.getByRole('button', { name: 'Save' }).click()
        await items.nth(0).getByText('Legal hold').waitFor()
      })
      assert.equal(await items.nth(0).getByRole('button', { name: 'Delete this version' }).count(), 0)
      await server.admin.lockObject({ params: { bucket }, body: { key, legal_hold: false } })
      await page.reload()
      await page.getByRole('tab', { name: 'History' }).click()
      await items.nth(0).getByRole('button', { name: 'Delete this version' }).click()
      const sure = page.getByRole('dialog')
      await sure.getByText('Your “bypass_lock” permission lets you delete it all the same.').waitFor()
      assert.ok(await sure.getByRole('button', { name: 'Delete this version' }).isDisabled(), 'one click is not enough')
      await sure.getByRole('textbox').fill('contract.txt')
      await server.records([{ action: 'version_delete', bucket, key }], async () => {
        await sure.getByRole('button', { name: 'Delete this version' }).click()
        await page.getByText('Version deleted').waitFor()
      })
      assert.equal(await (await server.admin.getObject({ params: { bucket, key } })).text(), 'as signed')
      // What was locked is marked in the trash as well.
      await page.goto(`${server.url}/console/b/${bucket}/trash`)
      await page.getByRole('row').filter({ hasText: key }).getByText('Locked until').waitFor()
      await check('trash-locked')
      assert.deepEqual(faults, [])
    })
  })

  it('locks a version that is not locked yet, and says which and until when', async () => {
    const place = { params: { bucket: 'signed' } }
    await server.admin.createBucket({ body: { name: 'signed', versioning: 'enabled' } })
    await server.admin.updateBucket({ ...place, body: { object_lock: { mode: null, days: null, years: null } } })
    await server.admin.putObject({ params: { bucket: 'signed', key }, body: 'as signed' })
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/signed?sel=${encodeURIComponent(key)}`)
      await page.getByRole('tab', { name: 'History' }).click()
      await page.getByRole('button', { name: 'Lock this version…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Lock this version' })
      await dialog.getByText(/^contract\.txt, version of /).waitFor()
      await dialog.getByRole('combobox', { name: 'Until' }).click()
      await page.getByRole('option', { name: '7 years' }).click()
      await check('lock-dialog-governance')
      await server.records([{ action: 'lock_update', bucket: 'signed', key }], async () => {
        await dialog.getByRole('button', { name: 'Lock', exact: true }).click()
        await page.getByText('Lock saved').waitFor()
      })
      assert.deepEqual(faults, [])
    })
    const [latest] = (await server.admin.listVersions({ ...place, query: { key } })).items
    const years = (Date.parse(latest?.lock?.until ?? '') - server.clock.now().getTime()) / (365 * DAY)
    assert.deepEqual([latest?.lock?.mode, Math.round(years)], ['governance', 7])
  })

  it('asks administrators to confirm a clock that is in doubt, and nobody else', async () => {
    await server.database.transaction((tx) =>
      tx
        .updateTable('instance')
        .set({ clock_trusted_at: new Date(server.clock.now().getTime() - DAY).toISOString() })
        .execute(),
    )
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}/protection`, { expect: [] })
      await page.getByText('The clock is in doubt').waitFor()
      await check('protection-clock')
      await server.records([{ action: 'clock_confirm' }], async () => {
        await page.getByRole('button', { name: 'Confirm the clock' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Confirm the clock' }).click()
        await page.getByText('Clock confirmed').waitFor()
      })
      await page.getByText('The clock is in doubt').waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
    })
  })
})
