// What only environment variables set for S3 clients, where settings are; and where a bucket is shown as a website.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PutBucketPolicyCommand } from '@aws-sdk/client-s3'
import { outcome, s3World } from '../s3/s3.ts'
import { inBrowserOf, openConsole } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('console: websites and what the environment sets for S3 clients', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', {
      S3_PORT: '0',
      S3_WEBSITE_DOMAIN: 'sites.example.net',
      S3_SIGNATURE_V2: 'presigned',
    })
    await server.admin.createBucket({ body: { name: 'docs' } })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)

  it('shows them read-only, with their variables', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/admin/settings?tab=s3')
      const signatures = page.getByRole('switch', { name: 'Presigned URLs of Signature Version 2' })
      await signatures.waitFor()
      assert.deepEqual([await signatures.isChecked(), await signatures.isDisabled()], [true, true])
      await page.getByText('Set by the environment variable S3_SIGNATURE_V2.').waitFor()
      const domains = page.getByLabel('Domains of websites')
      assert.equal(await domains.inputValue(), 'sites.example.net')
      assert.equal(await domains.isEditable(), false)
      await page.getByText('Set by the environment variable S3_WEBSITE_DOMAIN.').waitFor()
      await check('settings-s3')
      assert.deepEqual(faults, [])
    }))

  it('says where a bucket is shown as a website and how to set it up, with a policy that the endpoint takes', () =>
    inBrowser(async (browser) => {
      const world = s3World(server)
      const { page, check, faults } = await openConsole(browser, server, '/b/docs/connect')
      const site = page.getByRole('region', { name: 'Website' })
      assert.equal(await site.getByLabel('Address').inputValue(), `http://docs.sites.example.net:${world.url.port}/`)
      const commands = (await site.locator('pre.snippet').textContent()) ?? ''
      assert.ok(
        commands.includes(`--endpoint-url ${world.url.origin} s3 website s3://docs --index-document index.html`),
      )
      const Policy = /--policy '(.*)'$/m.exec(commands)?.[1] ?? ''
      await server.admin.updateSettings({ body: { s3: { public_access: true } } })
      await server.admin.updateBucket({ params: { bucket: 'docs' }, body: { public_access_blocked: false } })
      const put = new PutBucketPolicyCommand({ Bucket: 'docs', Policy })
      assert.equal(await outcome(world.clientOf(await world.keyOf()).send(put)), 'ok')
      assert.deepEqual((await server.admin.getBucket({ params: { bucket: 'docs' } })).public_access?.actions, ['read'])
      await check('connect-website')
      assert.deepEqual(faults, [])
    }))
})
