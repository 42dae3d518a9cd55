import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { after, before, it } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import type { Client } from '../../contract/client.ts'
import { newId } from '../../server/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { answer, type Receiver, startReceiver } from '../support/receiver.ts'
import { allActions, describeEngines, dump, onS3, startServer, type TestServer } from '../support/server.ts'

const SECOND = 1000
const BUCKET = 'hooked'
type NewEndpoint = Parameters<Client['createWebhook']>[0]['body']

describeEngines('webhooks', (engine) => {
  let server: TestServer
  const receivers: Receiver[] = []
  before(async () => {
    server = await startServer(engine, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' })
    await server.admin.createBucket({ body: { name: BUCKET } })
  })
  after(async () => {
    await server.stop()
    for (const one of receivers) await one.stop()
  })

  const receiver = async (reply?: Receiver['reply']) => {
    const one = await startReceiver(reply)
    receivers.push(one)
    return one
  }
  /** An endpoint for the uploads of one test alone. */
  const register = async (url: string, body: Partial<NewEndpoint> = {}) => {
    const prefix = `${newId()}/`
    const endpoint = await server.admin.createWebhook({
      body: { name: 'Test', url, events: ['upload'], bucket: BUCKET, prefix, ...body },
    })
    server.secrets.add(endpoint.secret)
    const params = { id: endpoint.id }
    return {
      ...endpoint,
      params,
      upload: (name = 'a.txt') => put(`${prefix}${name}`),
      deliveries: async () => (await server.admin.listDeliveries({ params })).items,
      read: () => server.admin.getWebhook({ params }),
      latest: async () => {
        const [first] = (await server.admin.listDeliveries({ params })).items
        return server.admin.getDelivery({ params: { ...params, delivery_id: first?.id ?? '' } })
      },
    }
  }
  const put = async (key: string) => {
    await server.admin.putObject({
      params: { name: BUCKET, key },
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    })
    return key
  }
  const tick = () => server.running.tick()

  it('S6.5, S6.6, W3, W4, W8: sends a signed POST with exactly these headers and this body', async () => {
    const to = await receiver()
    const endpoint = await register(to.url)
    const key = await endpoint.upload()
    await tick()
    const [request] = to.received
    assert.ok(request)
    assert.deepEqual([to.received.length, request.method, request.path], [1, 'POST', '/hook'])
    const me = await server.admin.me()
    const { details, ...body } = JSON.parse(request.body)
    assert.deepEqual(body, {
      event: 'upload',
      timestamp: server.clock.now().toISOString().replace('Z', '+00:00'),
      actor: { user_id: me.id, email: me.email },
      bucket: BUCKET,
      object_key: key,
    })
    assert.deepEqual([details.size, details.content_type], [5, 'text/plain'])
    const delivery = await endpoint.latest()
    const { headers } = request
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['x-svc-event'], 'upload')
    assert.equal(headers['x-svc-delivery'], delivery.id)
    const hmac = createHmac('sha256', endpoint.secret).update(request.body).digest('hex')
    assert.equal(headers['x-svc-signature'], `sha256=${hmac}`)
    assert.deepEqual(
      [headers['x-svc-attempt'], headers['x-svc-timestamp']],
      ['1', String(server.clock.now().getTime() / SECOND)],
    )
    assert.match(headers['user-agent'] ?? '', /^Stowage\/\d+\.\d+\.\d+$/)
    assert.equal(headers['x-svc-signature-next'], undefined)
    assert.deepEqual(
      [delivery.status, delivery.attempts, delivery.last_status_code, delivery.last_error, delivery.next_attempt_at],
      ['acknowledged', 1, 204, null, null],
    )
    assert.equal(delivery.body, request.body)
  })
})
