import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { systemActor } from '../../server/access/actors.ts'
import { readConfig } from '../../server/config/config.ts'
import { createContext, type System } from '../../server/context.ts'
import { webhookStatus } from '../../server/features/webhooks/status.ts'
import { type DnsServer, startDns } from '../support/dns.ts'
import { queueDeliveries, registerFor } from '../support/outbox.ts'
import { rejectsWith } from '../support/problems.ts'
import { answer, startReceiver } from '../support/receiver.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

describeEngines('where webhooks may point', (engine, itOnce) => {
  let server: TestServer
  let dns: DnsServer
  let addresses: readonly string[] = ['8.8.8.8']
  before(async () => {
    dns = await startDns(() => addresses)
    server = await startServer(engine, {
      WEBHOOK_DNS_SERVERS: dns.address,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.2',
      WEBHOOK_TIMEOUT_SECONDS: '2',
      PUBLIC_BASE_URL: 'https://files.example.com',
    })
  })
  after(async () => {
    await server.stop()
    await dns.stop()
  })
  const create = (url: string) => server.admin.createWebhook({ body: { name: 'x', url, events: ['*'] } })

  itOnce('refuses early what no delivery would reach, at creation and change', async () => {
    const { id } = await create('https://receiver.test/x')
    await server.records([], async () => {
      for (const url of [
        'ftp://8.8.8.8/',
        'file:///etc/passwd',
        'gopher://8.8.8.8/',
        'javascript:alert(1)',
        'nonsense',
        '/hook',
        'http:8.8.8.8',
        'http://',
        'https://user:pass@8.8.8.8/',
        'https://user@8.8.8.8/',
        'https://@8.8.8.8/',
        'https://8.8.8.8/#x',
        'https://8.8.8.8:0/',
        'https://8.8.8.8:99999/',
        'http://127.1/',
        'http://2130706433/',
        'http://0x7f.1/',
        'http://0177.0.0.1/',
        'http://１２７.0.0.1/',
        'http://[::1]/',
        'http://[::ffff:7f00:1]/',
        'http://169.254.169.254/latest',
        'http://10.0.0.1/',
        'http://[fd00:ec2::254]/',
        'http://168.63.129.16/',
        'http://0.0.0.0/',
        'http://[fe80::1]/',
        'https://files.example.com/x',
        'https://files.example.com:9443/x',
        'https://FILES.example.com./x',
        `https://8.8.8.8/${'x'.repeat(2048)}`,
      ]) {
        await rejectsWith(create(url), 'invalid_request', 'body.url')
        await rejectsWith(server.admin.updateWebhook({ params: { id }, body: { url } }), 'invalid_request', 'body.url')
      }
      for (const now of [['10.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1'], ['::1']]) {
        addresses = now
        const { problem } = await rejectsWith(create('https://receiver.test/'), 'invalid_request', 'body.url')
        assert.doesNotMatch(JSON.stringify(problem), /10\.0|127\.|::/, 'the address is not told')
      }
    })
    addresses = []
    assert.ok((await create('https://not-yet.test/')).id, 'a name may come to be')
  })

  itOnce('what a name stands for at the delivery decides; the refusal is a failure that names no address', async () => {
    addresses = ['127.0.0.2']
    const inside = await startReceiver()
    const endpoint = await create(`http://rebinding.test:${inside.port}/`)
    server.secrets.add(endpoint.secret)
    addresses = ['127.0.0.1']
    const { id } = await server.admin.testWebhook({ params: { id: endpoint.id } })
    await server.running.tick()
    const delivery = await server.admin.getDelivery({ params: { id: endpoint.id, delivery_id: id } })
    assert.deepEqual([delivery.status, delivery.attempts, delivery.last_error], ['queued', 1, 'address not allowed'])
    const [attempt] = delivery.attempt_log
    assert.deepEqual([attempt?.error_class, attempt?.ip, attempt?.status_code], ['blocked', null, null])
    assert.doesNotMatch(JSON.stringify(delivery), /127\.0\.0\.1/)
    assert.match(server.logged(), /"address":"127\.0\.0\.1"/, 'the log says it')
    assert.equal(inside.connections, 0)
    await inside.stop()
  })

  itOnce('WEBHOOK_HTTPS_ONLY refuses http', async () => {
    const strict = await startServer(engine, { WEBHOOK_HTTPS_ONLY: 'true' })
    const body = { name: 'x', events: ['*'] }
    await rejectsWith(
      strict.admin.createWebhook({ body: { ...body, url: 'http://8.8.8.8/' } }),
      'invalid_request',
      'body.url',
    )
    assert.ok(await strict.admin.createWebhook({ body: { ...body, url: 'https://8.8.8.8/' } }))
    await strict.stop()
  })

  it('says how the queue is', async () => {
    const to = await startReceiver(answer(204), { host: '127.0.0.2' })
    const config = readConfig(server.env)
    const ctx = createContext({ database: server.database, config, now: server.clock.now } as System, systemActor)
    const id = await registerFor(server.admin, to.url)
    const before = await webhookStatus(ctx)
    await queueDeliveries(server.database, [id], 3, server.clock.now())
    server.clock.advance(90_000)
    const waiting = await webhookStatus(ctx)
    assert.equal(waiting.queued, before.queued + 3)
    assert.ok(waiting.oldestReadySeconds >= 90, 'worth an alarm')
    await server.admin.updateWebhook({ params: { id }, body: { enabled: false } })
    assert.equal((await webhookStatus(ctx)).disabledEndpoints, before.disabledEndpoints + 1)
    await server.admin.updateWebhook({ params: { id }, body: { enabled: true } })
    await server.running.tick()
    const after = await webhookStatus(ctx)
    assert.deepEqual([after.inFlight, to.received.length], [0, 3])
    await to.stop()
  })
})
