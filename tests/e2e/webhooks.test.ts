// Webhooks in a real browser: endpoints, their secret, tests, deliveries.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole, signIn, startBrowser } from '../support/browser.ts'
import { answer, type Receiver, startReceiver } from '../support/receiver.ts'
import { checkReflow } from '../support/reflow.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describeConsole('webhooks', (engine) => {
  let server: TestServer
  let receiver: Receiver
  before(async () => {
    server = await startServer(engine, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' })
    receiver = await startReceiver()
    await server.admin.createBucket({ body: { name: 'photos' } })
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })
  const inBrowser = inBrowserOf(() => server)
  /** The service of tests sends when it is told to. */
  const delivered = (n: number) =>
    until(async () => {
      await server.running.tick()
      return receiver.received.length >= n
    })

  it('shows the secret once, sends a signed ping, lists a failing receiver’s attempts, and resends', () =>
    inBrowser(async (browser) => {
      const { page, check, shot } = await openConsole(browser, server, '/admin/webhooks', { expect: [401, 422] })
      await page.getByText('No webhooks yet').waitFor()
      await check('webhooks-empty')
      await page.getByRole('link', { name: 'New webhook' }).first().click()
      const url = page.getByLabel('URL', { exact: true })
      await page.getByLabel('Name', { exact: true }).fill('Thumbnails')
      await url.fill('http://hooks.example.com/')
      await page.getByText('Without HTTPS').waitFor()
      await url.fill('ftp://hooks.example.com/')
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.locator('.mantine-InputWrapper-error').waitFor()
      await check('webhook-wrong')
      await url.fill(receiver.url)
      await page.getByText('Internal address.').waitFor()
      assert.ok(await page.getByLabel('Key starts with').isDisabled())
      await page.getByLabel('Objects: all events').check()
      assert.equal(await page.getByLabel('restore', { exact: true }).isChecked(), true)
      await page.getByLabel('Objects: all events').uncheck()
      await page.getByLabel('upload', { exact: true }).check()
      await page
        .getByRole('combobox', { name: 'Bucket' })
        .or(page.getByRole('textbox', { name: 'Bucket' }))
        .first()
        .click()
      await page.getByRole('option', { name: 'photos' }).click()
      await page.getByLabel('Key starts with').fill('in/')
      await check('webhook-new')
      await server.records([{ action: 'webhook_create' }], async () => {
        await page.getByRole('button', { name: 'Create webhook' }).click()
        await page.getByRole('dialog').waitFor()
      })
      const dialog = page.getByRole('dialog')
      const secret = await dialog.getByLabel('Signing secret').inputValue()
      assert.match(secret, /^whsec_/)
      server.secrets.add(secret)
      await shot('webhook-secret')
      assert.equal(await page.getByText('hmac').first().isVisible(), true)
      await page.keyboard.press('Escape')
      assert.ok(await dialog.isVisible())
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      await page.waitForURL(/\/admin\/webhooks\/[\w-]{36}$/)
      const id = page.url().split('/').at(-1) ?? ''
      await page.getByText('Active', { exact: true }).waitFor()
      const kept = await page.evaluate(async () =>
        [
          document.documentElement.outerHTML,
          ...[...document.querySelectorAll('input')].map(({ value }) => value),
          JSON.stringify({ ...localStorage }),
          JSON.stringify({ ...sessionStorage }),
          JSON.stringify(await indexedDB.databases()),
          JSON.stringify(await caches.keys()),
          document.cookie,
          location.href,
          JSON.stringify(history.state),
        ].join('\n'),
      )
      assert.equal(kept.includes(secret.slice(6)), false)
      assert.deepEqual(
        await server.admin
          .getWebhook({ params: { id } })
          .then(({ events, bucket, prefix }) => [events, bucket, prefix]),
        [['upload'], 'photos', 'in/'],
      )
      // It was allowed when it was saved.
      assert.equal(await page.getByText('Internal address.').count(), 0)
      await check('webhook-settings')

      await page.getByRole('button', { name: 'Send test ping' }).click()
      await page.getByText('Sending ping').waitFor()
      await delivered(1)
      await page.getByText(/Ping succeeded: 204/).waitFor()
      await check('webhook-pinged')
      const isSigned = ({ headers, body }: Receiver['received'][number], key: string) =>
        headers['x-svc-signature'] === `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
      assert.ok(receiver.received.every((one) => isSigned(one, secret)))
      await page.getByRole('button', { name: 'View delivery' }).click()
      await dialog.getByText('Delivery: ping').waitFor()
      await dialog.getByText('"event": "ping"').waitFor()
      await check('webhook-delivery')
      await dialog.getByText('Raw').click()
      assert.equal(await dialog.getByRole('region', { name: 'Body' }).textContent(), receiver.received[0]?.body)
      await page.goBack()
      await dialog.waitFor({ state: 'detached' })

      // A receiver that fails.
      receiver.reply = answer(500, { 'content-type': 'text/plain' }, 'out of order')
      await page.getByRole('tab', { name: 'Deliveries' }).click()
      await server.admin.putObjectByQuery({ params: { bucket: 'photos' }, query: { key: 'in/a.jpg' }, body: 'x' })
      await delivered(2)
      await page.reload()
      const table = page.getByRole('table', { name: 'Delivery' })
      await table.getByText('Retrying').waitFor()
      await check('webhook-deliveries')
      // Without waiting for its time.
      await table.getByText('upload').click()
      await server.records([{ action: 'webhook_resend' }], async () => {
        await dialog.getByRole('button', { name: 'Send now' }).click()
        await page.getByText('Sending now').waitFor()
      })
      await delivered(3)
      await dialog.getByRole('tab', { name: 'Attempts (2)' }).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      // Not only once a delivery has failed for the last time.
      const address = page.url()
      await page.goto(`${server.url}/console/`)
      await page
        .getByRole('region', { name: 'Needs attention' })
        .getByText(/The webhook .+ fails\. First failure:/)
        .waitFor()
      await page.goto(address)
      for (let attempt = 4; attempt <= 5; attempt++) {
        await server.later(45 * 60_000)
        await delivered(attempt)
      }
      await table.getByText('Failed', { exact: true }).waitFor()
      await page.getByText('Failed', { exact: true }).first().click()
      await page.waitForURL(/status=failed/)
      await table.getByText('ping').waitFor({ state: 'detached' })
      await table.getByText('Failed').click()
      await page.waitForURL(/d=[\w-]{36}/)
      await dialog.getByRole('tab', { name: 'Attempts (4)' }).click()
      assert.equal(await dialog.getByText('out of order').count(), 4)
      await check('webhook-attempts')
      receiver.reply = answer(204)
      await server.records([{ action: 'webhook_resend' }], async () => {
        await dialog.getByRole('button', { name: 'Resend' }).click()
        await page.getByText('Queued again with the same ID').waitFor()
      })
      await dialog.getByRole('button', { name: 'Send now' }).waitFor()
      await delivered(6)
      await dialog.getByRole('tab', { name: 'Attempts (5)' }).waitFor()
      await dialog.getByText('Delivered', { exact: true }).waitFor()
      assert.deepEqual(
        receiver.received.at(-1)?.headers['x-svc-delivery'],
        receiver.received.at(-2)?.headers['x-svc-delivery'],
      )

      // Paused: resending is off, and says why.
      await page.goto(`${server.url}/console/admin/webhooks/${id}?tab=deliveries`)
      await page.getByLabel('Enable Thumbnails').press('Space')
      await page.getByText('New events aren’t queued').waitFor()
      await table.getByText('upload').click()
      await dialog.getByText('Enable the webhook to resend').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Resend' }).isDisabled())
      await check('webhook-paused')
    }))

  it('rotates and activates the secret, retries failed deliveries, edits and deletes', () =>
    inBrowser(async (browser) => {
      const made = await server.admin.createWebhook({
        body: { name: 'Mirror', url: receiver.url, events: ['*'], max_in_flight: 1 },
      })
      server.secrets.add(made.secret)
      const params = { id: made.id }
      const { page, check } = await openConsole(browser, server, `/admin/webhooks/${made.id}`)
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Rotate…' }).click()
      await check('webhook-rotate')
      await dialog.getByRole('button', { name: 'Rotate secret' }).click()
      const field = dialog.getByLabel('Signing secret')
      await field.waitFor()
      server.secrets.add(await field.inputValue())
      assert.notEqual(await field.inputValue(), made.secret)
      await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
      await page.getByText('A new secret becomes active').waitFor()
      await check('webhook-rotating')
      await page.getByRole('button', { name: 'Activate new secret…' }).click()
      await server.records([{ action: 'webhook_promote' }], async () => {
        await dialog.getByRole('button', { name: 'Activate new secret' }).click()
        await page.getByRole('button', { name: 'Rotate…' }).waitFor()
      })

      await page.getByLabel('Name', { exact: true }).fill('Mirror 2')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Mirror 2' }).waitFor()
      await page.getByLabel('Concurrent deliveries').fill('5')
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => (await server.admin.getWebhook({ params })).max_in_flight === 5)
      await page.getByRole('tab', { name: 'Deliveries' }).click()
      await page.getByRole('button', { name: 'Retry failed…' }).click()
      await check('webhook-recover')
      await server.records([{ action: 'webhook_recover' }], async () => {
        await dialog.getByRole('button', { name: 'Retry deliveries' }).click()
        await page.getByText('No failed deliveries since then').waitFor()
      })
      await page.goto(`${server.url}/console/admin/webhooks`)
      await page.getByRole('link', { name: 'Mirror 2' }).waitFor()
      const row = page.getByRole('row', { name: /Thumbnails/ })
      const { items } = await server.admin.listWebhooks()
      const thumbnails = items.find(({ name }) => name === 'Thumbnails')
      const { acknowledged = 0, failed = 0 } = thumbnails?.recent ?? {}
      await row.getByText(`${Math.floor((100 * acknowledged) / (acknowledged + failed))}%`).waitFor()
      const to = await row.getByRole('link').last().getAttribute('href')
      assert.ok(to?.endsWith(`d=${thumbnails?.last_delivery?.id}`), to ?? 'no link')
      await check('webhooks')
      await page.getByLabel('Enable Mirror 2').press('Space')
      await page.getByText('Mirror 2 paused').waitFor()
      assert.equal((await server.admin.getWebhook({ params })).enabled, false)
      await page.getByRole('link', { name: 'Mirror 2' }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await dialog.getByRole('button', { name: 'Delete webhook' }).click()
      await page.getByText('Webhook deleted').waitFor()
      assert.equal(
        (await server.admin.listWebhooks()).items.some(({ id }) => id === made.id),
        false,
      )
    }))

  it('works on a phone', () =>
    inBrowser(
      async (browser) => {
        const made = await server.admin.createWebhook({
          body: { name: 'Phone', url: receiver.url, events: ['create_bucket', 'upload', 'copy', 'move', 'delete'] },
        })
        server.secrets.add(made.secret)
        const before = receiver.received.length
        await server.admin.createBucket({ body: { name: 'from-phone' } })
        await delivered(before + 1)
        const opened = await openConsole(browser, server, '/admin/webhooks')
        const { page, check } = opened
        await page.getByRole('link', { name: 'Phone' }).waitFor()
        assert.equal(await page.getByText('Last delivery').isVisible(), false)
        await check('webhooks-phone')
        await checkReflow(opened, 'webhooks')
        await page.getByRole('link', { name: 'Phone' }).click()
        await page.getByLabel('create_bucket', { exact: true }).waitFor()
        await check('webhook-phone')
        await checkReflow(opened, 'webhook')
        await page.getByRole('tab', { name: 'Deliveries' }).click()
        await page.getByText('Delivered', { exact: true }).last().waitFor()
        await check('webhook-deliveries-phone')
        await page.getByRole('row', { name: /create_bucket/ }).click()
        await page.getByRole('dialog').getByText('"event": "create_bucket"').waitFor()
        await check('webhook-delivery-phone')
        await checkReflow(opened, 'webhook-delivery')
      },
      { width: 390, height: 844 },
    ))

  it('says that webhooks are turned off, and names the missing permission to others', async () => {
    const off = await startServer('sqlite', { WEBHOOKS_ENABLED: 'false' })
    const browser = await startBrowser()
    try {
      await browser.context.clock.install({ time: off.clock.now() })
      await signIn(browser, off)
      const { page, check } = await openConsole(browser, off, '/admin/webhooks')
      await page.getByText('Webhooks are turned off').waitFor()
      await check('webhooks-off')
      const { id } = await off.admin.createGroup({ body: { name: 'Nobody' } })
      const someone = { email: 'someone@example.com', password: 'a password of someone' }
      await off.admin.createUser({ body: { ...someone, display_name: 'Someone', group_ids: [id] } })
      await browser.context.clearCookies()
      await signIn(browser, off, someone)
      for (const at of ['/admin/webhooks', '/admin/webhooks/new', '/admin/webhooks/x', '/admin/audit']) {
        const refused = await openConsole(browser, off, at)
        await refused.page.getByText('You don’t have permission to view this').waitFor()
        assert.deepEqual(refused.faults, [])
      }
    } finally {
      await browser.close()
      await off.stop()
    }
  })
})
