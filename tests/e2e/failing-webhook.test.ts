// A webhook that fails, as the console says it: once, and the same everywhere.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describeConsole('a failing webhook', (engine) => {
  let server: TestServer
  let receiver: Receiver
  before(async () => {
    server = await startServer(engine, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' })
    receiver = await startReceiver((_request, response) => void response.writeHead(500).end())
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })

  it('needs attention, and has one state on its page', () =>
    inBrowserOf(() => server)(async (browser) => {
      const body = { name: 'Thumbnails', url: `${receiver.url}/hook`, events: ['upload'] }
      const { id } = await server.admin.createWebhook({ body })
      await server.admin.createBucket({ body: { name: 'photos' } })
      await server.admin.putObject({ params: { bucket: 'photos', key: 'a.txt' }, body: 'x' })
      await until(async () => {
        await server.running.tick()
        return (await server.admin.getWebhook({ params: { id } })).failing_since !== null
      })
      const { page, check, faults } = await openConsole(browser, server, '/')
      const attention = page.getByRole('region', { name: 'Needs attention' })
      const item = attention.getByRole('link', { name: /^The webhook Thumbnails fails\. First failure:/ })
      await item.waitFor()
      await check('home-webhook-fails')
      await item.click()
      await page.waitForURL(`**/admin/webhooks/${id}?tab=deliveries`)
      await page.getByText('Failing', { exact: true }).waitFor()
      assert.equal(await page.getByText('Active', { exact: true }).count(), 0)
      assert.deepEqual(faults, [])
    }))
})
