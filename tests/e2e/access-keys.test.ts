// Access keys and settings for S3 clients in a real browser.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { outcome, s3World } from '../s3/s3.ts'
import { inBrowserOf, openConsole } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('console: access keys', { skip: noBrowser }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', { S3_PORT: '0' })
    for (const name of ['photos', 'private']) await server.admin.createBucket({ body: { name } })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)

  it('leads from a bucket to a key for it, which works with the settings shown and nowhere else', () =>
    inBrowser(async (browser) => {
      const world = s3World(server)
      const { page, check, shot } = await openConsole(browser, server, '/b/photos/overview')
      await page.getByRole('navigation', { name: 'Sections of photos' }).getByRole('link', { name: 'Access' }).click()
      await page.getByRole('navigation', { name: 'Access' }).getByRole('link', { name: 'Connect' }).click()
      assert.equal(await page.getByLabel('Endpoint', { exact: true }).inputValue(), world.url.origin)
      const settings = page.getByRole('region', { name: 'S3 clients' }).locator('pre.snippet')
      await settings.getByText('aws configure set').waitFor()
      for (const [name, line] of [
        ['rclone', `endpoint = ${world.url.origin}`],
        ['boto3 (Python)', `endpoint_url="${world.url.origin}"`],
        ['AWS SDK (JavaScript)', 'forcePathStyle: true'],
        ['restic', `restic -r s3:${world.url.origin}/photos/restic init`],
        ['s3fs', `s3fs photos /mnt/photos -o url=${world.url.origin}`],
      ] as const) {
        await page
          .getByRole('combobox', { name: 'Client' })
          .or(page.getByRole('textbox', { name: 'Client' }))
          .click()
        await page.getByRole('option', { name, exact: true }).click()
        await settings.getByText(line).waitFor()
      }
      await check('connect')
      await page.getByRole('link', { name: 'New key for this bucket' }).click()
      await page.getByLabel('Name', { exact: true }).fill('nightly')
      const rule = page.getByRole('group', { name: 'photos' })
      assert.equal(await rule.getByLabel(/^read/).isChecked(), true)
      assert.equal(await rule.getByLabel(/^manage/).isChecked(), false)
      await check('access-key-new')
      await server.records([{ action: 'access_key_create' }], async () => {
        await page.getByRole('button', { name: 'Create access key' }).click()
        await page.getByRole('dialog').waitFor()
      })
      const dialog = page.getByRole('dialog')
      const access_key_id = await dialog.getByLabel('Access key ID').inputValue()
      const secret_access_key = await dialog.getByLabel('Secret access key', { exact: true }).inputValue()
      server.secrets.add(secret_access_key)
      await dialog.locator('pre.snippet').getByText(access_key_id).waitFor()
      await shot('access-key-reveal')
      const s3 = world.clientOf({ id: '', access_key_id, secret_access_key })
      assert.equal(await outcome(s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'a', Body: 'x' }))), 'ok')
      assert.equal(await outcome(s3.send(new GetObjectCommand({ Bucket: 'private', Key: 'a' }))), 'AccessDenied')
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      const row = page.getByRole('row', { name: /nightly/ })
      await row.getByText('photos (editor)').waitFor()
      assert.equal((await page.content()).includes(secret_access_key), false)
      await check('access-keys')

      await page.getByRole('button', { name: 'Actions for access key nightly' }).click()
      await page.getByRole('menuitem', { name: 'Rotate…' }).click()
      await server.records([{ action: 'access_key_rotate' }], async () => {
        await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
        await dialog.getByLabel('Secret access key', { exact: true }).waitFor()
      })
      const next = await dialog.getByLabel('Secret access key', { exact: true }).inputValue()
      server.secrets.add(next)
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      assert.equal(await outcome(s3.send(new ListBucketsCommand({}))), 'SignatureDoesNotMatch')
      const rotated = world.clientOf({ id: '', access_key_id, secret_access_key: next })
      assert.equal(await outcome(rotated.send(new ListBucketsCommand({}))), 'ok')

      await page.getByRole('button', { name: 'Actions for access key nightly' }).click()
      await page.getByRole('menuitem', { name: 'Revoke…' }).click()
      await server.records([{ action: 'access_key_revoke' }], async () => {
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke access key' }).click()
        await page.getByText('No active access keys').waitFor()
      })
      assert.equal(await outcome(rotated.send(new ListBucketsCommand({}))), 'InvalidAccessKeyId')
    }))

  it('lets administrators revoke anyone’s', () =>
    inBrowser(async (browser) => {
      const world = s3World(server)
      const token = await server.userWith({ bucket_pattern: 'photos', actions: ['list'] })
      const pair = await world.keyOf(token)
      const { id } = await server.as(token).me()
      const { page, check } = await openConsole(browser, server, `/admin/users/${id}?tab=keys`)
      await page.getByText(pair.access_key_id).waitFor()
      await check('user-keys')
      await page.getByRole('button', { name: 'Revoke s3' }).click()
      await server.records([{ action: 'access_key_revoke' }], async () => {
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
        await page.getByText('Revoked', { exact: true }).waitFor()
      })
      const s3 = world.clientOf(pair)
      assert.equal(await outcome(s3.send(new ListBucketsCommand({}))), 'InvalidAccessKeyId')
    }))

  it('creates keys without limits, and names what is wrong with a limit', () =>
    inBrowser(async (browser) => {
      const { page, check } = await openConsole(browser, server, '/access-keys', { expect: [422] })
      await page.getByRole('link', { name: 'New access key' }).first().click()
      await page.getByLabel('Name', { exact: true }).fill('everything')
      const make = page.getByRole('button', { name: 'Create access key' })
      await page.getByLabel('Limit to buckets').check({ force: true })
      assert.ok(await make.isDisabled(), 'a limit to nothing')
      await page
        .getByRole('combobox', { name: /^Bucket/ })
        .or(page.getByRole('textbox', { name: /^Bucket/ }))
        .first()
        .fill('a*b')
      await make.click()
      await page.locator('.bad').getByText('scope').or(page.locator('p.bad')).first().waitFor()
      await check('access-key-wrong')
      await page.getByLabel('Limit to buckets').uncheck({ force: true })
      await make.click()
      await page.getByRole('dialog').getByRole('button', { name: 'I’ve saved it' }).click()
      await page
        .getByRole('row', { name: /everything/ })
        .getByText('Everything you can do')
        .waitFor()
      assert.equal((await server.admin.listAccessKeys()).items[0]?.scope, null)
    }))
})
