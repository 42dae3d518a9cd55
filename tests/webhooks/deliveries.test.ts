import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { answer, type Receiver } from '../support/receiver.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { BUCKET, SECOND, webhooksWorld } from './webhooks.ts'

describeEngines('webhooks: deliveries', (engine, itOnce) => {
  const world = webhooksWorld(engine)
  const { receiver, register, put, tick } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  itOnce('sends a signed POST with exactly these headers and this body', async () => {
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
    for (const name of ['event', 'delivery', 'signature', 'attempt', 'timestamp'])
      assert.equal(headers[`x-strongroom-${name}`], headers[`x-svc-${name}`], name)
    assert.equal(headers['x-svc-delivery'], delivery.id)
    const hmac = createHmac('sha256', endpoint.secret).update(request.body).digest('hex')
    assert.equal(headers['x-svc-signature'], `sha256=${hmac}`)
    assert.deepEqual(
      [headers['x-svc-attempt'], headers['x-svc-timestamp']],
      ['1', String(server.clock.now().getTime() / SECOND)],
    )
    assert.match(headers['user-agent'] ?? '', /^Strongroom\/\d+\.\d+\.\d+$/)
    assert.equal(headers['x-svc-signature-next'], undefined)
    assert.deepEqual(
      [delivery.status, delivery.attempts, delivery.last_status_code, delivery.last_error, delivery.next_attempt_at],
      ['acknowledged', 1, 204, null, null],
    )
    assert.equal(delivery.body, request.body)
  })

  it('a change that rolls back leaves no record, no delivery and no POST', async () => {
    const to = await receiver()
    const endpoint = await register(to.url)
    // The quota is asked after the object was put in its place; the whole action goes back.
    await server.admin.updateBucket({ params: { bucket: BUCKET }, body: { quota_gb: 1e-9 } })
    await server.records([], () => rejectsWith(endpoint.upload(), 'quota_exceeded'))
    await server.admin.updateBucket({ params: { bucket: BUCKET }, body: { quota_gb: null } })
    await tick()
    assert.deepEqual([await endpoint.deliveries(), to.received], [[], []])
    await endpoint.upload()
    assert.equal((await endpoint.deliveries()).length, 1)
  })

  it('sends what was subscribed to, by name, bucket and prefix, and to `*` everything', async () => {
    const [all, named, other] = [await receiver(), await receiver(), await receiver()]
    const everything = await register(all.url, { events: ['*'], bucket: null, prefix: null })
    const moves = await register(named.url, { events: ['move', 'delete'], prefix: 'left/' })
    await register(other.url, { events: ['*'], bucket: 'another', prefix: null })
    await put('left/a')
    const body = { source_bucket: BUCKET, source_key: 'left/a', dest_key: 'right/a' }
    await server.admin.moveObject({ params: { bucket: BUCKET }, body })
    await server.admin.deleteObject({ params: { bucket: BUCKET, key: 'right/a' } })
    await rejectsWith(server.as('wrong').me(), 'unauthenticated')
    await rejectsWith(server.as().login({ body: { username: 'x@y.z', password: 'wrong' } }), 'invalid_grant')
    await tick()
    const events = (one: Receiver) => one.received.map(({ headers }) => headers['x-svc-event']).sort()
    assert.deepEqual(
      [events(all), events(named), events(other)],
      // A move out of the prefix is sent; creating an endpoint is an event, too.
      [['delete', 'move', 'upload', ...Array(3).fill('webhook_create')], ['move'], []],
    )
    await server.admin.deleteWebhook({ params: everything.params })
    await server.admin.deleteWebhook({ params: moves.params })
  })

  it('retries by the schedule with the same id and bytes, then fails', async () => {
    const to = await receiver(answer(500))
    const endpoint = await register(to.url)
    await endpoint.upload()
    for (const [n, [least, most]] of [
      [60, 66],
      [300, 330],
      [1800, 1980],
    ].entries()) {
      await tick()
      const { status, attempts, last_status_code, last_error, next_attempt_at } = await endpoint.latest()
      assert.deepEqual(
        [status, attempts, last_status_code, last_error],
        ['queued', n + 1, 500, 'the receiver answered 500'],
      )
      const wait = (Date.parse(next_attempt_at ?? '') - server.clock.now().getTime()) / SECOND
      assert.ok(wait >= (least ?? 0) && wait <= (most ?? 0), `attempt ${n + 1} waits ${wait} s`)
      server.clock.advance(wait * SECOND - 1)
      await tick()
      assert.equal(to.received.length, n + 1, 'not before its time')
      server.clock.advance(1)
    }
    await server.later(0)
    await tick()
    const delivery = await endpoint.latest()
    assert.deepEqual([delivery.status, delivery.attempts, delivery.next_attempt_at], ['failed', 4, null])
    await server.later(48 * 3600 * SECOND)
    await tick()
    assert.equal(to.received.length, 4)
    assert.equal(new Set(to.received.map(({ body }) => createHash('sha256').update(body).digest('hex'))).size, 1)
    assert.equal(new Set(to.received.map(({ headers }) => headers['x-svc-delivery'])).size, 1)
    assert.deepEqual(
      to.received.map(({ headers }) => headers['x-svc-attempt']),
      ['1', '2', '3', '4'],
    )
    assert.deepEqual(
      delivery.attempt_log.map(({ number, trigger, status_code, error_class }) => [
        number,
        trigger,
        status_code,
        error_class,
      ]),
      [1, 2, 3, 4].map((n) => [n, 'scheduled', 500, 'http_status']),
    )
  })

  itOnce('honours Retry-After up to double, on 429 and 503 alone', async () => {
    for (const [status, value, least, most] of [
      [429, '90', 90, 90],
      [503, '100000', 120, 120],
      [429, '1', 60, 66],
      [500, '90', 60, 66],
      [503, 'date', 99, 100],
      [503, 'soon', 60, 66],
    ] as const) {
      const at = new Date(server.clock.now().getTime() + 100 * SECOND).toUTCString()
      const to = await receiver(answer(status, { 'retry-after': value === 'date' ? at : value }))
      const endpoint = await register(to.url)
      await endpoint.upload()
      await tick()
      const { next_attempt_at } = await endpoint.latest()
      const wait = (Date.parse(next_attempt_at ?? '') - server.clock.now().getTime()) / SECOND
      assert.ok(wait >= least && wait <= most, `${status} ${value}: ${wait}`)
    }
  })

  itOnce('only 2xx acknowledges; a redirect is a failure, and where it points is never visited', async () => {
    const target = await receiver()
    for (const status of [200, 201, 204, 299, 301, 302, 303, 307, 308, 304, 400, 404, 500]) {
      const to = await receiver(answer(status, { location: target.url }))
      const endpoint = await register(to.url)
      await endpoint.upload()
      await tick()
      const delivery = await endpoint.latest()
      assert.deepEqual(
        [delivery.status, delivery.last_status_code],
        [status < 300 ? 'acknowledged' : 'queued', status],
        String(status),
      )
    }
    assert.deepEqual([target.received, target.connections], [[], 0])
  })

  it('keeps every attempt: headers, answer, address, time', async () => {
    const to = await receiver(answer(418, { 'x-tea': 'yes', 'set-cookie': 'session=1' }, 'no coffee ☕'))
    const endpoint = await register(to.url)
    await endpoint.upload()
    await tick()
    const [attempt] = (await endpoint.latest()).attempt_log
    assert.ok(attempt)
    assert.deepEqual(
      [attempt.status_code, attempt.response_body, attempt.response_encoding, attempt.ip, attempt.url],
      [418, 'no coffee ☕', 'utf-8', '127.0.0.1', to.url],
    )
    assert.equal(attempt.request_headers['X-Svc-Event'], 'upload')
    assert.deepEqual([attempt.response_headers?.['x-tea'], attempt.response_headers?.['set-cookie']], ['yes', '***'])
    assert.ok(attempt.duration_ms >= 0 && attempt.duration_ms < 5000)
    to.reply = answer(500, {}, 'ä'.repeat(10_000))
    server.clock.advance(70 * SECOND)
    await tick()
    const [, second] = (await endpoint.latest()).attempt_log
    assert.deepEqual(
      [second?.response_body, second?.response_truncated, second?.response_encoding],
      ['ä'.repeat(8192), true, 'utf-8'],
    )
    to.reply = (_request, response) => void response.writeHead(500).end(Buffer.from([0xff, 0, 1]))
    server.clock.advance(400 * SECOND)
    await tick()
    const [, , third] = (await endpoint.latest()).attempt_log
    assert.deepEqual([third?.response_body, third?.response_encoding], ['/wAB', 'base64'])
  })

  it('holds the queue of a paused endpoint, queues nothing new, and goes on when it is resumed', async () => {
    const to = await receiver(answer(500))
    const endpoint = await register(to.url)
    await endpoint.upload()
    await tick()
    to.reply = answer(204)
    const { params } = endpoint
    await server.records([{ action: 'webhook_update' }], () =>
      server.admin.updateWebhook({ params, body: { enabled: false } }),
    )
    await endpoint.upload('new.txt')
    server.clock.advance(24 * 3600 * SECOND)
    await server.later(0)
    await tick()
    const held = await endpoint.latest()
    assert.deepEqual([to.received.length, held.attempts, held.status], [1, 1, 'queued'])
    assert.equal((await endpoint.deliveries()).length, 1)
    const resumed = await server.admin.updateWebhook({ params, body: { enabled: true } })
    assert.deepEqual([resumed.enabled, resumed.failing_since], [true, null])
    await tick()
    assert.deepEqual([(await endpoint.latest()).status, to.received.length], ['acknowledged', 2])

    await server.admin.updateWebhook({ params, body: { enabled: false } })
    await server.admin.updateWebhook({ params, body: { enabled: true } })
    await endpoint.upload('third.txt')
    await server.admin.updateWebhook({ params, body: { enabled: false } })
    await server.later(7 * 24 * 3600 * SECOND + 1)
    await tick()
    const expired = await endpoint.latest()
    assert.deepEqual([expired.status, expired.attempts, expired.last_error], ['failed', 0, 'expired while paused'])
  })

  itOnce('410 disables at once, visibly', async () => {
    const to = await receiver(answer(410))
    const [endpoint, watcher] = [await register(to.url), await receiver()]
    await register(watcher.url, { events: ['webhook_disabled'], bucket: null, prefix: null })
    for (const name of ['1', '2', '3', '4', '5', '6']) await endpoint.upload(name)
    await server.records([{ action: 'webhook_disabled' }], tick)
    const { enabled, disabled_reason } = await endpoint.read()
    assert.deepEqual([enabled, disabled_reason], [false, 'The receiver answered 410 Gone.'])
    assert.ok(to.received.length <= 2, 'nothing more was sent than was in flight')
    assert.equal(JSON.parse(watcher.received[0]?.body ?? '{}').details.webhook_id, endpoint.id)
    const [record] = (await server.admin.listAudit({ query: { action: ['webhook_disabled'] } })).items
    assert.deepEqual([record?.actor.type, record?.resource_id], ['system', endpoint.id])
    await server.records([], tick)
  })

  itOnce('failing for five days with ten failed deliveries disables; one success resets it', async () => {
    const fails = answer(500)
    const to = await receiver(fails)
    const endpoint = await register(to.url)
    const giveUp = async (n: number) => {
      for (let i = 0; i < n; i++) await endpoint.upload(`${newId()}`)
      for (let i = 0; i < 14; i++) {
        server.clock.advance(2 * 3700 * SECOND)
        await tick()
      }
      await server.later(0)
    }
    await giveUp(5)
    to.reply = answer(204)
    await endpoint.upload('works')
    await server.later(3700 * SECOND)
    await tick()
    assert.equal((await endpoint.read()).failing_since, null, 'a success begins anew')
    to.reply = fails
    for (let day = 0; day < 4; day++) await giveUp(2)
    assert.equal((await endpoint.read()).enabled, true, 'too few days, and too few given up')
    await giveUp(4)
    const { enabled, disabled_reason } = await endpoint.read()
    assert.equal(enabled, false)
    assert.match(disabled_reason ?? '', /^Every attempt since .* failed\.$/)
  })

  it('four failures in a row delay first attempts; retries continue', async () => {
    const to = await receiver(answer(500))
    const endpoint = await register(to.url, { max_in_flight: 1 })
    for (let i = 0; i < 7; i++) await endpoint.upload(String(i))
    await tick()
    assert.equal(to.received.length, 4)
    const { cooling_until } = await endpoint.read()
    assert.equal(Date.parse(cooling_until ?? '') - server.clock.now().getTime(), 60 * SECOND)
    server.clock.advance(59 * SECOND)
    await tick()
    assert.equal(to.received.length, 4)
    server.clock.advance(SECOND)
    await tick()
    const firsts = () => to.received.filter(({ headers }) => headers['x-svc-attempt'] === '1').length
    assert.equal(firsts(), 5, 'one that fails doubles the time')
    server.clock.advance(67 * SECOND)
    await tick()
    assert.equal(firsts(), 5)
    assert.ok(to.received.length > 5, 'retries are not kept back')
    to.reply = answer(204)
    server.clock.advance(60 * SECOND)
    await tick()
    assert.equal(firsts(), 7)
    assert.deepEqual([(await endpoint.read()).cooling_until, (await endpoint.read()).failing_since], [null, null])
  })

  it('sends a queued delivery now, before its next attempt and while the endpoint cools down', async () => {
    const to = await receiver(answer(500))
    const endpoint = await register(to.url, { max_in_flight: 1 })
    for (let i = 0; i < 5; i++) await endpoint.upload(String(i))
    await tick()
    assert.equal(to.received.length, 4)
    assert.notEqual((await endpoint.read()).cooling_until, null)
    const { items } = await server.admin.listDeliveries({ params: endpoint.params, query: { status: 'queued' } })
    const sendNow = async (one: { id: string } | undefined) => {
      await server.records([{ action: 'webhook_resend' }], () =>
        server.admin.resendDelivery({ params: { ...endpoint.params, delivery_id: one?.id ?? '' } }),
      )
      await tick()
    }
    const retrying = items.find(({ attempts }) => attempts === 1)
    await sendNow(retrying)
    assert.deepEqual(
      to.received.slice(4).map(({ headers }) => [headers['x-svc-delivery'], headers['x-svc-attempt']]),
      [[retrying?.id, '2']],
      'its next attempt, and no other delivery’s',
    )
    to.reply = answer(204)
    const waiting = items.find(({ attempts }) => attempts === 0)
    await sendNow(waiting)
    assert.deepEqual(
      to.received.slice(5).map(({ headers }) => [headers['x-svc-delivery'], headers['x-svc-attempt']]),
      [[waiting?.id, '1']],
    )
    assert.equal((await endpoint.read()).failing_since, null)
  })

  it('an endpoint deleted with an attempt in flight goes without a trace', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: gone, resolve: go } = Promise.withResolvers<void>()
    const to = await receiver((_request, response) => {
      arrive()
      void gone.then(() => response.writeHead(204).end())
    })
    const endpoint = await register(to.url)
    await endpoint.upload()
    const sending = tick()
    await arrived
    await server.records([{ action: 'webhook_delete' }], () => server.admin.deleteWebhook({ params: endpoint.params }))
    go()
    await sending
    await rejectsWith(endpoint.read(), 'not_found')
    await rejectsWith(endpoint.deliveries(), 'not_found')
    const { db } = server.database
    const left = await db.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', endpoint.id).execute()
    assert.deepEqual(left, [])
    assert.doesNotMatch(server.logged(), /"level":50/)
  })

  it('lists deliveries by status, event and page', async () => {
    const to = await receiver()
    const endpoint = await register(to.url, { events: ['*'], max_in_flight: 5 })
    for (let i = 0; i < 5; i++) {
      await endpoint.upload(String(i))
      server.clock.advance(1)
    }
    await tick()
    to.reply = answer(500)
    const key = await endpoint.upload('5')
    await server.admin.deleteObject({ params: { bucket: BUCKET, key } })
    await tick()
    const list = (query: Parameters<Client['listDeliveries']>[0]['query']) =>
      server.admin.listDeliveries({ params: endpoint.params, query: query ?? {} })
    const all = await list({})
    assert.deepEqual([all.total, all.page, all.page_size, all.items.length], [7, 1, 50, 7])
    assert.deepEqual(
      all.items.map(({ event }) => event),
      ['delete', ...Array(6).fill('upload')],
    )
    assert.deepEqual(
      all.items.slice(0, 2).map(({ bucket, object_key }) => [bucket, object_key]),
      [
        [BUCKET, key],
        [BUCKET, key],
      ],
    )
    assert.equal((await list({ status: 'acknowledged' })).total, 5)
    assert.equal((await list({ event: 'delete', status: 'queued' })).total, 1)
    const second = await list({ page: 2, page_size: 3 })
    assert.deepEqual(
      second.items.map(({ id }) => id),
      all.items.slice(3, 6).map(({ id }) => id),
    )
    assert.equal(second.total, 7)
    const [one] = all.items
    const other = await register(to.url)
    await rejectsWith(
      server.admin.getDelivery({ params: { ...other.params, delivery_id: one?.id ?? '' } }),
      'not_found',
    )
    assert.deepEqual(Object.keys(one ?? {}).sort(), [
      'acknowledged_at',
      'attempts',
      'bucket',
      'created_at',
      'event',
      'id',
      'last_error',
      'last_status_code',
      'next_attempt_at',
      'object_key',
      'status',
    ])
  })

  it('the list shows each endpoint’s health: the latest delivery, and those of the last day', async () => {
    const to = await receiver()
    const endpoint = await register(to.url, { max_in_flight: 5 })
    const silent = await register(to.url)
    const listed = async (id: string) =>
      (await server.admin.listWebhooks()).items.find((one) => one.id === id) ?? assert.fail('not listed')
    assert.deepEqual((await listed(endpoint.id)).last_delivery, null)
    await endpoint.upload('old')
    await tick()
    await server.later(25 * 3600 * SECOND)
    for (const name of ['a', 'b', 'c']) {
      await endpoint.upload(name)
      server.clock.advance(1)
    }
    await tick()
    to.reply = answer(500)
    await endpoint.upload('d')
    for (let attempt = 1; attempt <= 4; attempt++) {
      await tick()
      await server.later(1980 * SECOND)
    }
    const { last_delivery, recent } = await listed(endpoint.id)
    const latest = await endpoint.latest()
    assert.deepEqual(last_delivery, {
      id: latest.id,
      event: 'upload',
      status: latest.status,
      attempts: latest.attempts,
      at: latest.created_at,
    })
    // That of yesterday does not count.
    assert.deepEqual([recent, last_delivery?.status], [{ acknowledged: 3, failed: 1 }, 'failed'])
    assert.deepEqual((await listed(silent.id)).recent, { acknowledged: 0, failed: 0 })
  })

  it('resends a finished delivery with the same id and body, once, outside the schedule', async () => {
    const to = await receiver()
    const endpoint = await register(to.url)
    await endpoint.upload()
    const before = await endpoint.latest()
    const at = { ...endpoint.params, delivery_id: before.id }
    await tick()
    const resent = await server.records([{ action: 'webhook_resend' }], () =>
      server.admin.resendDelivery({ params: at }),
    )
    assert.deepEqual([resent.id, resent.status], [before.id, 'queued'])
    await tick()
    const [first, second] = to.received
    assert.deepEqual(
      [second?.body, second?.headers['x-svc-delivery'], second?.headers['x-svc-attempt']],
      [first?.body, first?.headers['x-svc-delivery'], '2'],
    )
    to.reply = answer(500)
    await server.admin.resendDelivery({ params: at })
    await tick()
    const after = await endpoint.latest()
    assert.deepEqual(
      [after.status, after.attempts, after.last_status_code, after.next_attempt_at],
      ['acknowledged', 3, 500, null],
      'it was acknowledged, whatever became of a later attempt',
    )
    assert.deepEqual(
      after.attempt_log.map(({ trigger }) => trigger),
      ['scheduled', 'manual', 'manual'],
    )
    await server.admin.updateWebhook({ params: endpoint.params, body: { enabled: false } })
    await rejectsWith(server.admin.resendDelivery({ params: at }), 'conflict')
    await rejectsWith(server.admin.resendDelivery({ params: { ...at, delivery_id: newId() } }), 'conflict')
  })

  it('recovers what failed, with a whole schedule', async () => {
    const to = await receiver(answer(500))
    const endpoint = await register(to.url)
    const since = server.clock.now().toISOString()
    for (const name of ['1', '2']) await endpoint.upload(name)
    for (let i = 0; i < 4; i++) {
      await tick()
      await server.later(3600 * SECOND)
    }
    assert.deepEqual(
      (await endpoint.deliveries()).map(({ status, attempts }) => [status, attempts]),
      [
        ['failed', 4],
        ['failed', 4],
      ],
    )
    const { params } = endpoint
    const early = { since: '2020-01-01T00:00:00Z', until: since }
    assert.deepEqual(await server.admin.recoverWebhook({ params, body: early }), { requeued: 0 })
    const recovered = await server.records([{ action: 'webhook_recover' }], () =>
      server.admin.recoverWebhook({ params, body: { since } }),
    )
    assert.deepEqual(recovered, { requeued: 2 })
    for (let i = 0; i < 5; i++) {
      await tick()
      await server.later(3600 * SECOND)
    }
    assert.deepEqual(
      (await endpoint.deliveries()).map(({ status, attempts }) => [status, attempts]),
      [
        ['failed', 8],
        ['failed', 8],
      ],
    )
    await server.admin.recoverWebhook({ params, body: { since } })
    to.reply = answer(204)
    await tick()
    assert.ok(
      (await endpoint.deliveries()).every(({ status, attempts }) => status === 'acknowledged' && attempts === 9),
    )
    await server.admin.updateWebhook({ params, body: { enabled: false } })
    await rejectsWith(server.admin.recoverWebhook({ params, body: { since } }), 'conflict')
  })

  itOnce('a test goes to its endpoint alone, also to one that is disabled', async () => {
    const [to, all] = [await receiver(), await receiver()]
    const everything = await register(all.url, { events: ['*'], bucket: null, prefix: null })
    const endpoint = await register(to.url, { enabled: false })
    const delivery = await server.records([{ action: 'ping' }], () =>
      server.admin.testWebhook({ params: endpoint.params }),
    )
    assert.deepEqual([delivery.event, delivery.attempts], ['ping', 0])
    await tick()
    const [request] = to.received
    const body = JSON.parse(request?.body ?? '{}')
    assert.deepEqual(
      [body.event, body.actor.email, body.bucket, body.object_key],
      ['ping', 'admin@example.com', null, null],
    )
    assert.equal(request?.headers['x-svc-delivery'], delivery.id)
    assert.equal((await endpoint.latest()).status, 'acknowledged')
    assert.deepEqual(
      all.received.filter(({ headers }) => headers['x-svc-event'] === 'ping'),
      [],
    )
    await server.admin.deleteWebhook({ params: everything.params })
  })

  it('forgets what was over thirty days ago, and nothing that is queued', async () => {
    const to = await receiver()
    const endpoint = await register(to.url)
    await endpoint.upload('old')
    await tick()
    await server.later(29 * 24 * 3600 * SECOND)
    to.reply = answer(500)
    await endpoint.upload('young')
    await tick()
    assert.equal((await endpoint.deliveries()).length, 2)
    await server.later(1 * 24 * 3600 * SECOND + 1)
    await tick()
    const left = await endpoint.deliveries()
    assert.deepEqual([left.length, left[0]?.status], [1, 'queued'])
    const rows = await server.database.db.selectFrom('webhook_attempts').select('delivery_id').execute()
    assert.ok(rows.every(({ delivery_id }) => delivery_id !== ''))
  })

  itOnce('where webhooks are off nothing is queued and nothing sent; what there is stays', async () => {
    const off = await startServer(engine, { WEBHOOKS_ENABLED: 'false', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' })
    try {
      const to = await receiver()
      const { id } = await off.admin.createWebhook({ body: { name: 'x', url: to.url, events: ['*'] } })
      const row = { webhook_id: id, event: 'upload', body: '{}', status: 'queued', attempts: 0 } as const
      const created_at = off.clock.now().toISOString()
      await off.database.transaction((tx) =>
        tx
          .insertInto('webhook_deliveries')
          .values({ id: newId(), audit_id: newId(), ...row, created_at, next_attempt_at: created_at })
          .execute(),
      )
      await off.admin.createBucket({ body: { name: 'quiet' } })
      await off.running.tick()
      assert.deepEqual([(await off.admin.listDeliveries({ params: { id } })).total, to.received], [1, []])
      await rejectsWith(off.admin.testWebhook({ params: { id } }), 'conflict')
    } finally {
      await off.stop()
    }
  })
})
