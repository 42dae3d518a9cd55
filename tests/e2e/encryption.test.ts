// Encryption at rest in a real browser: of new buckets, of a bucket and what is in it, of one object; keys of key services.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { Page } from 'playwright-core'
import { startS3 } from '../s3/s3.ts'
import { describeConsole, inBrowserOf, navigate, openConsole } from '../support/browser.ts'
import { startTransit } from '../support/key-services.ts'
import { checkReflow } from '../support/reflow.ts'
import type { TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const bucket = 'ledger'
const TOKEN = 'the-token-of-the-tests'
const AES = { algorithm: 'AES256' } as const

describeConsole('encryption', (engine) => {
  let server: TestServer
  let s3: Awaited<ReturnType<typeof startS3>>
  let transit: Awaited<ReturnType<typeof startTransit>>
  before(async () => {
    s3 = await startS3(engine)
    server = s3.server
    transit = await startTransit(TOKEN)
    server.secrets.add(TOKEN)
    await server.admin.createBucket({ body: { name: bucket } })
    for (const [key, size] of Object.entries({ 'a.txt': 1000, 'b.txt': 70_000, 'c.txt': 0 }))
      await server.admin.putObject({ params: { bucket, key }, body: 'x'.repeat(size) })
  })
  after(async () => {
    await server.stop()
    await transit.stop()
  })
  const run = inBrowserOf(() => server)
  const choose = async (page: Page, name: string, option: string) => {
    await page.getByRole('combobox', { name }).or(page.getByRole('textbox', { name })).first().click()
    await page.getByRole('option', { name: option }).click()
  }
  /** Has jobs worked on until a text is there. */
  const working = async (page: Page, text: string | RegExp) => {
    await until(async () => {
      await server.running.tick('jobs')
      return (await page.getByText(text).count()) > 0
    })
  }

  it('registers keys of key services that can be used, and turns them off and on', () =>
    run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/admin/kms-keys', { expect: [409] })
      await page.getByText('No keys registered').waitFor()
      await check('kms-keys-none')
      await page.getByRole('link', { name: 'Register key' }).first().click()
      await page.getByLabel('Name', { exact: true }).fill('finance')
      await choose(page, 'Key service', 'Transit (Vault, OpenBao)')
      await page.getByLabel('Endpoint').fill(transit.url)
      await page.getByLabel('Mount path').fill('keys')
      await page.getByLabel('Key ID').fill('strongroom')
      await page.getByLabel('Token').fill('another token')
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Test and register' }).click()
        await page.getByText('The key wasn’t registered').waitFor()
      })
      await check('kms-key-refused')
      await page.getByLabel('Token').fill(TOKEN)
      await server.records([{ action: 'kms_key_create' }], async () => {
        await page.getByRole('button', { name: 'Test and register' }).click()
        await page.getByText('finance registered').waitFor()
      })
      await page.getByText('In use').waitFor()
      await check('kms-keys')
      await server.records([{ action: 'kms_key_update' }], async () => {
        await page.getByRole('button', { name: 'Turn off' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
        await page.getByText('Turned off', { exact: true }).waitFor()
      })
      await server.records([{ action: 'kms_key_update' }], async () => {
        await page.getByRole('button', { name: 'Turn on' }).click()
        await page.getByText('In use').waitFor()
      })
      await server.admin.updateBucket({
        params: { bucket },
        body: { encryption: { algorithm: 'aws:kms', key: 'finance' } },
      })
      await server.records([], async () => {
        await page.getByRole('button', { name: 'Delete' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
        await page.getByText('Something is encrypted with the key "finance"').waitFor()
      })
      await server.admin.updateBucket({ params: { bucket }, body: { encryption: null } })
      assert.deepEqual(faults, [])
    }))

  it('says how much of a bucket is encrypted, and encrypts and decrypts what there is', () =>
    run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}/protection`)
      await page.getByText('0% encrypted: 0 B of 69.3 KB').waitFor()
      await page.getByText('0 of 3 files').waitFor()
      await choose(page, 'New files', 'With a key of the service (AES256)')
      await server.records([{ action: 'update_bucket', bucket }], async () => {
        await page.getByRole('button', { name: 'Apply' }).click()
        await page.getByText('Encryption of new files changed').waitFor()
      })
      assert.deepEqual((await server.admin.getBucket({ params: { bucket } })).encryption, AES)
      await page.getByRole('button', { name: 'Encrypt existing files' }).click()
      const encrypt = page.getByRole('dialog').getByRole('button', { name: 'Encrypt', exact: true })
      await encrypt.waitFor()
      await check('protection-encrypt-asked', { within: '[role=dialog]' })
      await encrypt.click()
      await page.getByRole('link', { name: `Encrypt bucket ${bucket}` }).waitFor()
      await check('protection-encrypting')
      await working(page, '100% encrypted: 69.3 KB of 69.3 KB')
      await page.getByText('3 of 3 files').waitFor()
      await check('protection-encrypted')
      await page.getByRole('button', { name: 'Decrypt existing files' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Decrypt', exact: true }).click()
      await working(page, '0% encrypted: 0 B of 69.3 KB')
      await page.getByRole('link', { name: `Decrypt bucket ${bucket}` }).click()
      await page.getByRole('heading', { name: `Decrypt bucket ${bucket}` }).waitFor()
      assert.deepEqual(faults, [])
    }))

  it('shows it to those who may only read, without anything to change', async () => {
    const reader = { email: 'reader@example.com', password: 'the password of the reader' }
    server.secrets.add(reader.password)
    const { id } = await server.admin.createGroup({
      body: { name: 'Readers', grants: [{ bucket_pattern: bucket, actions: ['list', 'read'] }] },
    })
    await server.admin.createUser({ body: { ...reader, display_name: 'Reader', group_ids: [id] } })
    await run(
      async (browser) => {
        const { page, check, faults } = await openConsole(browser, server, `/b/${bucket}/protection`)
        await page.getByText('New files: With a key of the service (AES256)').waitFor()
        assert.equal(await page.getByRole('button', { name: 'Encrypt existing files' }).count(), 0)
        await check('protection-reader')
        assert.deepEqual(faults, [])
      },
      { who: reader },
    )
  })

  it('has new buckets encrypted as the settings say', () =>
    run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/admin/settings?tab=encryption')
      await choose(page, 'New buckets', 'With the key “finance” of a key service')
      await check('settings-encryption')
      await server.records([{ action: 'settings_update' }], async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Encryption settings saved').waitFor()
      })
      const made = await server.admin.createBucket({ body: { name: 'made-later' } })
      assert.deepEqual(made.encryption, { algorithm: 'aws:kms', key: 'finance' })
      assert.deepEqual(faults, [])
    }))

  it('says how an object is encrypted, and who can read one with a key of its client', async () => {
    const key = randomBytes(32)
    server.secrets.add(key.toString('base64'))
    await server.admin.putObject({ params: { bucket: 'made-later', key: 'by-key.txt' }, body: 'by key' })
    await s3.s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'secret.txt',
        Body: 'of its client',
        SSECustomerAlgorithm: 'AES256',
        SSECustomerKey: key.toString('base64'),
        SSECustomerKeyMD5: createHash('md5').update(key).digest('base64'),
      }),
    )
    await run(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/b/made-later?sel=by-key.txt')
      await page.getByText('With the key “finance” of a key service').waitFor()
      await navigate(page, `/b/${bucket}?sel=secret.txt`)
      await page.getByText('Only the owner of its key can read this file').waitFor()
      await page.getByText('With a key of its client (SSE-C)').waitFor()
      await check('object-of-client')
      assert.deepEqual(faults, [])
    })
  })

  it('fits phones, and speaks German', () =>
    run(
      async (browser) => {
        for (const [name, at, text] of [
          ['protection', `/b/${bucket}/protection`, 'Vorhandene verschlüsseln'],
          ['keys', '/admin/kms-keys', 'Schlüsseldienst'],
          ['new', '/admin/kms-keys/new', 'Prüfen und registrieren'],
          ['settings', '/admin/settings?tab=encryption', 'Neue Buckets'],
        ] as const) {
          const opened = await openConsole(browser, server, at)
          const { page, shot, faults } = opened
          await page.getByText(text).first().waitFor()
          await shot(`encryption-${name}-de`)
          await checkReflow(opened, `encryption-${name}`)
          await page.setViewportSize({ width: 390, height: 844 })
          await shot(`encryption-${name}-de-phone`)
          assert.deepEqual(faults, [])
          await page.close()
        }
      },
      { locale: 'de' },
    ))
})
