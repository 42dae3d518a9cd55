import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before } from 'node:test'
import { Ajv } from 'ajv'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { rejectsWith } from '../support/problems.ts'
import type { Receiver } from '../support/receiver.ts'
import { allActions, describeEngines, dump, type TestServer } from '../support/server.ts'
import { type NewEndpoint, SECOND, webhooksWorld } from './webhooks.ts'

describeEngines('webhooks', (engine, itOnce) => {
  const world = webhooksWorld(engine)
  const { receiver, register, tick } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  itOnce('refuses unknown events by name, and none at all', async () => {
    const bad = (body: Partial<NewEndpoint>) =>
      server.admin.createWebhook({ body: { name: 'x', url: 'https://8.8.8.8/', events: ['upload'], ...body } })
    await server.records([], async () => {
      const { problem } = await rejectsWith(
        bad({ events: ['upload', 'no_such', 'login', '*'] }),
        'invalid_request',
        'body.events.1',
      )
      assert.match(JSON.stringify(problem.errors), /no_such.*login/)
      await rejectsWith(bad({ events: [] }), 'invalid_request', 'body.events')
      await rejectsWith(bad({ prefix: 'x/' }), 'invalid_request', 'body.prefix')
      await rejectsWith(bad({ name: ' ' }), 'invalid_request', 'body.name')
    })
  })

  itOnce('the secret is in the answers of create and rotate, and nowhere else', async () => {
    const endpoint = await register('https://8.8.8.8/x')
    assert.match(endpoint.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const { params } = endpoint
    const raw = Buffer.from(endpoint.secret.slice(6), 'base64')
    const rotated = await server.admin.rotateWebhookSecret({ params })
    server.secrets.add(rotated.secret)
    const reads = [
      await endpoint.read(),
      await server.admin.listWebhooks(),
      await server.admin.updateWebhook({ params, body: { name: 'Renamed' } }),
      await server.admin.promoteWebhookSecret({ params }),
      await server.admin.listAudit({ query: { page_size: 200 } }),
    ]
    const kept = (await dump(server.database, engine)) + JSON.stringify(reads)
    for (const text of [endpoint.secret, rotated.secret, raw.toString('hex'), raw.toString('base64url')])
      assert.equal(kept.includes(text), false)
    assert.equal(JSON.stringify(reads).includes('whsec_'), false)
  })

  itOnce(
    'a rotation signs with the old secret until its grace period ends, and with both in separate headers',
    async () => {
      const to = await receiver()
      const endpoint = await register(to.url)
      const { params } = endpoint
      const signs = (secret: string, { body }: { body: string }) =>
        `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      const next = async (name: string) => {
        await endpoint.upload(name)
        await tick()
        const request = to.received.at(-1)
        return request ?? assert.fail()
      }
      const standard = (secret: string, { body, headers }: Receiver['received'][number]) => {
        // It looks at the real clock.
        const { now } = Date
        Date.now = () => server.clock.now().getTime()
        try {
          return new StandardWebhook(secret).verify(body, headers as Record<string, string>)
        } finally {
          Date.now = now
        }
      }
      const first = await next('1')
      assert.ok(standard(endpoint.secret, first))
      const { secret, rotation } = await server.records([{ action: 'webhook_rotate' }], () =>
        server.admin.rotateWebhookSecret({ params, body: { grace_seconds: 100 } }),
      )
      server.secrets.add(secret)
      assert.equal(Date.parse(rotation?.promotes_at ?? '') - server.clock.now().getTime(), 100 * SECOND)
      await rejectsWith(server.admin.rotateWebhookSecret({ params }), 'conflict')
      const during = await next('2')
      assert.equal(during.headers['x-svc-signature'], signs(endpoint.secret, during))
      assert.equal(during.headers['x-svc-signature-next'], signs(secret, during))
      for (const one of [endpoint.secret, secret]) assert.ok(standard(one, during))
      server.clock.advance(100 * SECOND)
      const after = await next('3')
      assert.equal(after.headers['x-svc-signature'], signs(secret, after))
      assert.equal(after.headers['x-svc-signature-next'], undefined)
      assert.throws(() => standard(endpoint.secret, after))
      assert.equal((await endpoint.read()).rotation, null)
      await rejectsWith(server.admin.promoteWebhookSecret({ params }), 'conflict')

      const again = await server.admin.rotateWebhookSecret({ params })
      server.secrets.add(again.secret)
      await server.records([{ action: 'webhook_promote' }], () => server.admin.promoteWebhookSecret({ params }))
      const promoted = await next('4')
      assert.equal(promoted.headers['x-svc-signature'], signs(again.secret, promoted))
      const atOnce = await server.admin.rotateWebhookSecret({ params, body: { grace_seconds: 0 } })
      server.secrets.add(atOnce.secret)
      assert.equal(atOnce.rotation, null)
      const last = await next('5')
      assert.equal(last.headers['x-svc-signature'], signs(atOnce.secret, last))
      await rejectsWith(
        server.admin.rotateWebhookSecret({ params, body: { grace_seconds: 604_801 } }),
        'invalid_request',
        'body.grace_seconds',
      )
    },
  )

  itOnce('lists every event with a schema that its bodies fit', async () => {
    const { items } = await server.admin.listEvents()
    assert.ok(
      ['upload', 'delete', 'move', 'delete_bucket', 'ping'].every((one) => items.some(({ name }) => name === one)),
    )
    assert.ok(items.every(({ name }) => !['login', 'login_failed', 'purge'].includes(name)))
    const ajv = new Ajv({ strict: false })
    ajv.addFormat('date-time', true)
    const schemas = new Map<string, ReturnType<typeof ajv.compile>>(
      items.map(({ name, schema }) => [name, ajv.compile(schema)]),
    )
    const sent = await server.database.db.selectFrom('webhook_deliveries').select(['event', 'body']).execute()
    assert.ok(sent.length > 0)
    for (const { event, body } of sent) {
      const fits = schemas.get(event)
      assert.ok(fits?.(JSON.parse(body)), `${body} ${JSON.stringify(fits?.errors)}`)
    }
  })

  itOnce('changes are recorded with both sides, and queries of URLs left out', async () => {
    const endpoint = await register('https://8.8.8.8/x?token=abc')
    const change = { url: 'https://8.8.4.4/y?token=def', events: ['*'] }
    await server.admin.updateWebhook({ params: endpoint.params, body: change })
    const record = (await allActions(server.database)).at(-1)
    assert.deepEqual(JSON.parse(record?.details ?? '{}'), {
      webhook_id: endpoint.id,
      before: { url: 'https://8.8.8.8/x?***', events: ['upload'] },
      after: { url: 'https://8.8.4.4/y?***', events: ['*'] },
    })
    assert.equal((await endpoint.read()).url, change.url)
    const nothing = server.admin.updateWebhook({ params: endpoint.params, body: {} })
    await rejectsWith(nothing, 'invalid_request')
    await rejectsWith(
      server.admin.updateWebhook({ params: endpoint.params, body: { bucket: null } }),
      'invalid_request',
      'body.prefix',
    )
  })
})
