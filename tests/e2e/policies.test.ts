// Cleanup policies in a real browser: the rule, its preview and its runs.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { PutBucketLifecycleConfigurationCommand } from '@aws-sdk/client-s3'
import { s3World } from '../s3/s3.ts'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

describeConsole('cleanup policies', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    await server.admin.createBucket({ body: { name: 'media' } })
    for (const key of ['logs/a.log', 'logs/b.log', 'logs/deep/c.log', 'logs/keep.txt', 'other.log'])
      await server.admin.putObjectByQuery({ params: { bucket: 'media' }, query: { key }, body: 'x'.repeat(500) })
    await server.later(40 * 24 * 3600_000)
    await server.admin.putObjectByQuery({ params: { bucket: 'media' }, query: { key: 'logs/new.log' }, body: 'x' })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)
  const keys = async () =>
    (await server.admin.listObjects({ params: { bucket: 'media' }, query: {} })).items.map(({ key }) => key)

  it('can be saved only after a preview of the current rule, and deletes exactly what was shown', () =>
    inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/policies')
      await page.getByText('No cleanup policies yet').waitFor()
      await check('policies-empty')
      await page.getByRole('link', { name: 'New policy' }).first().click()
      const save = page.getByRole('button', { name: 'Save' })
      const preview = page.getByRole('region', { name: 'Would be deleted now' })
      await preview.getByText('Enter a bucket').waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Old logs')
      await page
        .getByRole('combobox', { name: 'Buckets' })
        .or(page.locator('input.mantine-TagsInput-inputField'))
        .first()
        .fill('media')
      await page.keyboard.press('Enter')
      await page.getByLabel('Folder', { exact: true }).fill('logs/')
      assert.ok(await save.isDisabled())
      await page.getByLabel('Older than (days)').fill('30')
      await preview.getByText('4 objects', { exact: true }).waitFor()
      await page.getByLabel('Name pattern').fill('**/*.log')
      assert.ok(await save.isDisabled(), 'what is shown is of the rule before')
      await preview.getByText('3 objects', { exact: true }).waitFor()
      await preview.getByText('logs/deep/c.log').waitFor()
      await preview.getByText('Kept: too recent').waitFor()
      await page
        .getByRole('combobox', { name: 'Schedule' })
        .or(page.getByRole('textbox', { name: 'Schedule' }))
        .first()
        .click()
      await page.getByRole('option', { name: 'Daily at 3:00' }).click()
      await preview.getByText('Next runs').waitFor()
      await check('policy-new')
      await server.records([{ action: 'policy_create' }], async () => {
        await save.click()
        await page.waitForURL(/\/policies\/[\w-]{36}$/)
      })
      await page
        .getByText('Delete objects matching **/*.log, older than 30 days under logs/ in media.')
        .first()
        .waitFor()
      const id = page.url().split('/').at(-1) ?? ''

      await page.getByRole('button', { name: 'Run now…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('3 objects (1.5 KB) will be deleted:').waitFor()
      await dialog.getByText('They go to the trash and can be restored for 7 days.').waitFor()
      const shown = await dialog.getByRole('listitem').allTextContents()
      await check('policy-run-now')
      const before = await keys()
      await dialog.getByRole('button', { name: 'Delete 3 objects' }).click()
      await page.waitForURL('**tab=runs')
      const table = page.getByRole('table', { name: 'Runs' })
      await table.getByText('Succeeded').nth(1).waitFor()
      const after = await keys()
      assert.deepEqual(before.filter((key) => !after.includes(key)).sort(), shown.sort())
      assert.deepEqual(after, ['logs/keep.txt', 'logs/new.log', 'other.log'])
      await check('policy-runs')
      await table.getByRole('row').nth(1).click()
      await dialog.getByText('Deleted', { exact: true }).last().waitFor()
      await check('policy-run')
      const gone = before.filter((key) => !after.includes(key))
      await server.records(
        gone.map((key) => ({ action: 'restore', bucket: 'media', key })),
        async () => {
          await dialog.getByRole('button', { name: 'Restore objects' }).click()
          await page.getByText('3 of 3 objects').waitFor()
        },
      )
      assert.deepEqual(await keys(), before)
      await check('policy-restored')
      await page.getByRole('link', { name: 'Run of a cleanup policy' }).click()
      await dialog.getByText('Deleted', { exact: true }).last().waitFor()
      await dialog.getByRole('button', { name: 'Restore objects' }).waitFor({ state: 'detached' })

      await page.goto(`${server.url}/console/policies`)
      await page.getByText('Succeeded').waitFor()
      await check('policies')
      const enabled = page.getByLabel('Enable Old logs')
      await enabled.press('Space')
      await page.getByText('Off', { exact: true }).waitFor()
      assert.equal((await server.admin.getPolicy({ params: { id } })).enabled, false)
    }))

  it('shows the rules of a lifecycle configuration, which can be tried but not changed here', () =>
    inBrowser(async (browser) => {
      const world = s3World(server)
      const s3 = world.clientOf(await world.keyOf())
      await server.admin.createBucket({ body: { name: 'lived' } })
      await server.admin.putObjectByQuery({ params: { bucket: 'lived' }, query: { key: 'tmp/a' }, body: 'x' })
      const Filter = {
        And: { Prefix: 'tmp/', Tags: [{ Key: 'use', Value: 'scratch' }], ObjectSizeLessThan: 1_048_577 },
      }
      const Rules = [{ ID: 'scratch files', Status: 'Enabled' as const, Filter, Expiration: { Days: 7 } }]
      await s3.send(new PutBucketLifecycleConfigurationCommand({ Bucket: 'lived', LifecycleConfiguration: { Rules } }))
      const { page, check } = await openConsole(browser, server, '/policies')
      const row = page.getByRole('row', { name: 'lived: scratch files' })
      await row.getByText('S3 lifecycle').waitFor()
      assert.equal(await row.getByRole('switch').count(), 0)
      await row.getByRole('link').click()
      await page.getByRole('heading', { name: 'S3 lifecycle rule “scratch files”' }).waitFor()
      await page
        .getByText('Delete objects older than 7 days, of 1 MB or less, tagged use=scratch under tmp/ in lived.')
        .first()
        .waitFor()
      assert.equal(await page.getByRole('button', { name: /Save|Delete policy/ }).count(), 0)
      await check('policy-lifecycle')
      await page.getByRole('button', { name: 'Run now…' }).click()
      await page.getByRole('dialog').getByText('No objects match.').waitFor()
    }))

  it('selects by tags and sizes', () =>
    inBrowser(async (browser) => {
      await server.admin.createBucket({ body: { name: 'tagged' } })
      const params = { bucket: 'tagged' }
      const headers = { 'x-tags': 'use=scratch&team=a%3Db' }
      await server.admin.putObjectByQuery({ params, query: { key: 'a' }, headers, body: 'x' })
      await server.admin.putObjectByQuery({ params, query: { key: 'b' }, body: 'x' })
      const { page, check } = await openConsole(browser, server, '/policies/new?bucket=tagged')
      await page.getByLabel('Name', { exact: true }).fill('Scratch')
      await page.getByLabel('Maximum size (MB)').fill('1')
      const preview = page.getByRole('region', { name: 'Would be deleted now' })
      await preview.getByText('2 objects', { exact: true }).waitFor()
      await page.getByLabel('Tags').fill('use=scratch\nteam=a=b\n')
      await preview.getByText('1 object', { exact: true }).first().waitFor()
      await preview.getByText('Kept: tags don’t match').waitFor()
      await page.getByLabel('Not before (UTC)').fill('2030-01-01T00:00')
      await preview.getByText('0 objects', { exact: true }).waitFor()
      await preview.getByText('Kept: rule not in force yet').waitFor()
      await check('policy-tags')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/\/policies\/[\w-]{36}$/)
      const { tags, date, max_size } = await server.admin.getPolicy({
        params: { id: page.url().split('/').at(-1) ?? '' },
      })
      assert.deepEqual([tags, date, max_size], [{ use: 'scratch', team: 'a=b' }, '2030-01-01T00:00:00.000Z', 1_048_576])
    }))

  it('shows a rule’s errors next to their fields, and why a run would stop', () =>
    inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/policies/new?bucket=media&prefix=logs/', {
        expect: [422],
      })
      await page.getByLabel('Older than (days)').fill('0')
      const preview = page.getByRole('region', { name: 'Would be deleted now' })
      await preview.getByText('5 objects', { exact: true }).waitFor()
      await page.getByLabel('Maximum objects per run').fill('1')
      await preview.getByText('A run would stop').waitFor()
      await page
        .getByRole('textbox', { name: 'Schedule' })
        .or(page.getByRole('combobox', { name: 'Schedule' }))
        .first()
        .click()
      await page.getByRole('option', { name: 'Custom…' }).click()
      await page.getByLabel('Minute, hour').fill('99 99 * * *')
      await page.locator('.mantine-InputWrapper-error').waitFor()
      await check('policy-wrong')
      assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled())
    }))

  it('asks to type the number before deleting more than 1,000 objects, also on a phone', () =>
    inBrowser(
      async (browser) => {
        await server.admin.createBucket({ body: { name: 'many', trash_days: 0 } })
        const params = { bucket: 'many' }
        const form = new FormData()
        for (let i = 0; i < 1000; i++) form.append('file', new Blob(['x']), `k${i}`)
        await server.admin.uploadForm({ params, body: form })
        await server.admin.putObjectByQuery({ params, query: { key: 'k1000' }, body: 'x' })
        const { id } = await server.admin.createPolicy({
          body: { name: 'All of many', bucket_patterns: ['many'], older_than_days: 0 },
        })
        const { page, check } = await openConsole(browser, server, `/policies/${id}`)
        await page.getByText('1,001 objects', { exact: true }).waitFor()
        await check('policy-phone')
        await page.getByRole('button', { name: 'Run now…' }).click()
        const dialog = page.getByRole('dialog')
        const go = dialog.getByRole('button', { name: 'Delete 1,001 objects' })
        await go.waitFor()
        assert.ok(await go.isDisabled())
        await dialog.getByText('They are deleted permanently where the trash is off: many.').waitFor()
        await dialog.getByLabel('Type 1001 to confirm').fill('1001')
        await check('policy-typed')
        await go.click()
        await page.getByRole('table', { name: 'Runs' }).getByText('Succeeded').nth(1).waitFor()
        assert.equal((await server.admin.getBucket({ params: { bucket: 'many' } })).object_count, 0)
      },
      { width: 390, height: 844 },
    ))
})
