// Public access in a real browser.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { PUBLIC_GROUP } from '../../contract/public-access.ts'
import { s3World } from '../s3/s3.ts'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/server.ts'

const bucket = 'website'

describeConsole('public access', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    for (const name of [bucket, 'backups']) await server.admin.createBucket({ body: { name } })
    await server.admin.putObject({ params: { bucket, key: 'index.html' }, body: 'hello' })
  })
  after(() => server.stop())
  const run = inBrowserOf(() => server)

  it('is turned on in the settings, and granted to the group of everyone', async () => {
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/admin/groups/${PUBLIC_GROUP}`, {
        expect: [],
      })
      await page.getByText('Built-in group without members.').waitFor()
      assert.equal(await page.getByRole('tab', { name: /Members/ }).count(), 0)
      await page.getByRole('button', { name: 'Add permission' }).click()
      const row = page.getByRole('group', { name: 'Row 1' })
      assert.equal(await row.getByRole('checkbox').count(), 4)
      await page
        .getByRole('combobox', { name: 'Bucket, Row 1' })
        .or(page.getByLabel('Bucket, Row 1'))
        .first()
        .fill(bucket)
      await page.getByRole('checkbox', { name: `list on ${bucket}` }).check()
      await page.getByRole('checkbox', { name: `read on ${bucket}` }).check()
      await page.getByText('Applies to everyone immediately, while public access is on.').waitFor()
      await check('public-group')
      await server.records([{ action: 'group_update' }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Permissions saved').waitFor()
      })
      assert.equal((await server.admin.getBucket({ params: { bucket } })).public_access, null)
      assert.deepEqual(faults, [])
    })
  })

  it('shows wherever the bucket is shown, and can be blocked', async () => {
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/buckets', { expect: [] })
      const badge = page.getByText('Public', { exact: true })
      await badge.waitFor()
      assert.equal(await badge.count(), 1)
      await check('public-buckets')
      for (const tab of ['Objects', 'History', 'Trash', 'Access', 'Connect', 'Settings', 'Overview', 'Protection']) {
        if (tab === 'Objects') await page.getByRole('link', { name: bucket }).click()
        // The navigation of the console has a Trash and a Protection, too.
        else await page.getByRole('main').getByRole('link', { name: tab, exact: true }).last().click()
        await badge.first().waitFor()
        if (tab === 'Objects') await check('public-objects')
      }
      await page.getByText('Everyone can list objects and download at the S3 endpoint.').first().waitFor()
      await check('public-protection')
      await server.records([{ action: 'update_bucket', bucket }], async () => {
        await page.getByRole('button', { name: 'Block public access' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Block public access' }).click()
        await page.getByText('Nothing in this bucket is public.').waitFor()
      })
      assert.equal(await badge.count(), 0)
      await check('public-blocked')
      await server.records([{ action: 'update_bucket', bucket }], async () => {
        await page.getByRole('button', { name: 'Lift the block' }).click()
        await badge.first().waitFor()
      })
      assert.deepEqual(faults, [])
    })
  })

  it('of a single object shows with its details', async () => {
    const world = s3World(server)
    const s3 = world.clientOf(await world.keyOf())
    const photos = 'photo-wall'
    await s3.send(new CreateBucketCommand({ Bucket: photos, ObjectOwnership: 'ObjectWriter' }))
    await s3.send(new PutObjectCommand({ Bucket: photos, Key: 'open.txt', Body: 'x', ACL: 'public-read' }))
    await s3.send(new PutObjectCommand({ Bucket: photos, Key: 'closed.txt', Body: 'x' }))
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${photos}?sel=open.txt`, { expect: [] })
      await page.getByText('Everyone can download it at the S3 endpoint').waitFor()
      await page.getByText('Public objects', { exact: true }).waitFor()
      await check('public-details')
      await page.goto(`${server.url}/console/b/${photos}?sel=closed.txt`)
      await page.getByRole('complementary').getByRole('heading', { name: 'closed.txt' }).waitFor()
      assert.equal(await page.getByText('Everyone can download it').count(), 0)
      assert.deepEqual(faults, [])
    })
  })
})
