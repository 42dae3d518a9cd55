import assert from 'node:assert/strict'
import { after, afterEach, it as always, before } from 'node:test'
import { cephGateway } from '../support/ceph.ts'
import { request } from '../support/http.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'
import { type FakeEngine, startFakeEngine } from './fake-engine.ts'
import { foreignBucket } from './foreign.ts'
import { asOnAws, escaped, recordOf } from './records.ts'
import { placeOn, type Site, siteOf } from './site.ts'
import { reportChanges } from './topic.ts'

const gateway = await cephGateway()
describeEngines('events of an engine', (engine, itOnce) => {
  let server: TestServer
  let site: Site
  let fake: FakeEngine
  let storage: string
  let bucket: string
  let token: string
  let url: string
  before(async () => {
    fake = await startFakeEngine()
    server = await startServer(engine)
    site = siteOf(server)
    storage = await site.storage({
      endpoint: fake.endpoint,
      bucket: fake.bucket,
      prefix: '',
      access_key_id: 'id',
      secret_access_key: 'the secret of the fake engine',
    })
    for (const key of ['a', 'b b+%41ö/c', 'd']) fake.put(`docs/${key}`, key)
    bucket = await site.attach(storage, 'docs/')
    await site.finishScan(bucket)
    await renew()
  })
  after(async () => {
    await server.stop()
    await fake.stop()
  })
  afterEach(() => {
    fake.lies = {}
  })

  async function renew(): Promise<void> {
    const made = await server.admin.createEventsToken({ params: { storage } })
    token = made.token
    url = made.url
    server.secrets.add(token)
  }
  interface Sent {
    query?: string
    headers?: Record<string, string>
    authorization?: string | undefined
    path?: string
    type?: string
  }
  /** Sends a body; by default with the token in the header. */
  const send = (body: unknown, { query = '', path = '', type = 'application/json', ...more }: Sent = {}) => {
    const authorization = 'authorization' in more ? more.authorization : `Bearer ${token}`
    return request({
      url: server.url,
      path: path || `/api/v1/storages/${storage}/events${query}`,
      method: 'POST',
      headers: { ...more.headers, 'content-type': type, ...(authorization === undefined ? {} : { authorization }) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }
  const report = async (...Records: object[]) => assert.equal((await send({ Records })).status, 204)
  const changed = (key: string) => recordOf(fake.bucket, asOnAws(`docs/${key}`))
  /** Lets the worker look at what was reported; returns the keys that it asked for, in order. */
  async function looked(): Promise<string[]> {
    const from = fake.log.length
    await server.running.tick('scan-hints')
    const asked = fake.log.slice(from).filter((line) => line.startsWith('HEAD '))
    return asked.map((line) => decodeURIComponent(line.slice(`HEAD /${fake.bucket}/docs/`.length))).sort()
  }
  const sizeOf = async (key: string) => (await site.shown(bucket)).get(key)?.split(' ')[0]

  always('a report of a change shows it without a scan, whoever sends it and however', async () => {
    const hard = 'b b+%41ö/c'
    const forms: [name: string, body: () => object][] = [
      ['AWS', () => ({ Records: [changed(hard)] })],
      [
        'MinIO and RustFS',
        () => ({
          EventName: 's3:ObjectCreated:Put',
          Key: `${fake.bucket}/docs/${hard}`,
          Records: [
            recordOf(fake.bucket, escaped(`docs/${hard}`), {
              eventName: 's3:ObjectCreated:Put',
              eventSource: 'minio:s3',
            }),
          ],
        }),
      ],
      // It does not encode keys.
      ['Ceph', () => ({ Records: [recordOf(fake.bucket, `docs/${hard}`, { eventSource: 'ceph:s3' })] })],
    ]
    for (const [i, [name, body]] of forms.entries()) {
      fake.put(`docs/${hard}`, 'x'.repeat(100 + i))
      assert.equal((await send(body())).status, 204)
      await looked()
      assert.equal(await sizeOf(hard), String(100 + i), name)
    }
    const { items } = await server.admin.listAudit({ query: { action: ['external_change'] } })
    assert.equal(items[0]?.actor.type, 'engine')
    assert.equal((await server.admin.getStorage({ params: { storage } })).events, true)
    assert.ok((await server.admin.getBucket({ params: { bucket } })).source?.events_at)
  })

  always('order, repetition and loss do not matter: what counts is what is there', async () => {
    fake.put('docs/a', 'changed a')
    fake.put('docs/new', 'new')
    fake.delete('docs/d')
    await report(
      changed('d'),
      recordOf(fake.bucket, 'docs/a', { eventName: 'ObjectRemoved:Delete' }),
      ...Array.from({ length: 50 }, () => changed('new')),
    )
    for (let i = 0; i < 5; i++) await report(changed('a'))
    const asked = await looked()
    assert.deepEqual([...new Set(asked)], ['a', 'd', 'new'])
    assert.equal(asked.filter((key) => key !== 'd').length, 2, 'each is asked for once')
    assert.deepEqual([await sizeOf('a'), await sizeOf('new')], ['9', '3'])
    assert.deepEqual(await site.missing(bucket), ['d'])
    assert.deepEqual(await looked(), [])
    // It comes back, and of that there is no report.
    fake.put('docs/d', 'back')
    assert.equal((await site.scan(bucket)).status, 'succeeded')
    assert.deepEqual(await site.missing(bucket), [])
    const { used_bytes, object_count } = await server.admin.getBucket({ params: { bucket } })
    const all = [...fake.objects].filter(([key]) => key.startsWith('docs/'))
    assert.deepEqual(
      [object_count, used_bytes],
      [all.length, all.reduce((sum, [, { bytes }]) => sum + bytes.length, 0)],
    )
  })

  itOnce('what no attached bucket shows is ignored', async () => {
    const before = fake.log.length
    await report(
      recordOf(fake.bucket, 'elsewhere/a'),
      recordOf(fake.bucket, 'docs'),
      recordOf(fake.bucket, 'docs/'),
      recordOf(fake.bucket, ''),
      recordOf('another', 'docs/a'),
    )
    await server.running.tick('scan-hints')
    assert.equal(fake.log.length, before)
  })

  itOnce('what is no report does no harm', async () => {
    const before = await site.shown(bucket)
    const asked = fake.log.length
    for (const body of [
      {},
      [],
      'null',
      '1',
      '""',
      { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: fake.bucket },
      { Records: 'x' },
      { Records: [null, 1, 'x', [], {}] },
      { Records: [{ s3: null }, { s3: { bucket: null, object: null } }, { s3: { bucket: { name: 1 }, object: [] } }] },
      { Records: [null, undefined, 7, {}, []].map((key) => recordOf(fake.bucket, key)) },
      // Keys that no object here can have.
      {
        Records: ['docs/%00', 'docs/%FF', `docs/${'x'.repeat(1025)}`, 'docs/%', 'docs/\ud800'].map((key) =>
          recordOf(fake.bucket, key),
        ),
      },
      {
        Records: [
          { ...changed('a'), __proto__: { s3: 1 } },
          { s3: { bucket: { name: '__proto__' }, object: { key: 'a' } } },
        ],
      },
      'no JSON',
      '',
      '{"Records":[',
    ]) {
      const { status } = await send(body)
      assert.ok([204, 400, 422].includes(status), `${status} for ${JSON.stringify(body)}`)
    }
    assert.ok([204, 415, 422].includes((await send('<xml/>', { type: 'text/xml' })).status))
    await server.running.tick('scan-hints')
    assert.ok(fake.log.slice(asked).every((line) => line.startsWith('HEAD ')))
    assert.deepEqual(await site.shown(bucket), before)
    assert.deepEqual(await site.missing(bucket), [])
  })

  itOnce('a body of more than 64 KiB is refused, one of nearly that is taken', async () => {
    const large = (bytes: number) => {
      const text = JSON.stringify({ Records: [changed('a')], padding: '' })
      return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`)
    }
    const taken = await send(large(64 * 1024))
    assert.equal(taken.status, 204, taken.body.toString())
    assert.equal((await send(large(64 * 1024 + 1))).status, 413)
    const inChunks = { headers: { 'transfer-encoding': 'chunked' } }
    assert.equal((await send({ Records: [changed('a')] }, inChunks)).status, 204)
    const many = Array.from({ length: 3000 }, (_, i) => changed(`many/${i}`))
    for (let i = 0; i < many.length; i += 30) await report(...many.slice(i, i + 30))
    assert.equal((await looked()).filter((key) => key.startsWith('many/')).length, 3000)
    assert.deepEqual(await site.missing(bucket), [])
  })

  always('only with the token, in the header or in the query, while there is one', async () => {
    const wrong = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`
    const of = async (more: Sent) => (await send({ Records: [] }, more)).status
    const without = { authorization: undefined }
    assert.equal(await of({}), 204)
    assert.equal(await of({ ...without, query: `?token=${encodeURIComponent(token)}` }), 204)
    assert.equal(new URL(url).pathname, `/api/v1/storages/${storage}/events`)
    for (const more of [
      without,
      { authorization: `Bearer ${wrong}` },
      { authorization: token },
      { authorization: `Bearer ${server.adminToken}` },
      { authorization: 'Bearer ' },
      { ...without, query: `?token=${wrong}` },
      { ...without, query: '?token=' },
    ]) {
      const refused = await send({ Records: [changed('a')] }, more)
      assert.equal(refused.status, 401, JSON.stringify(more))
      for (const secret of [token, wrong]) assert.ok(!refused.body.toString().includes(secret))
    }
    const elsewhere = await send({ Records: [] }, { path: '/api/v1/storages/none/events' })
    assert.ok([401, 404].includes(elsewhere.status))
    assert.ok(!elsewhere.body.toString().includes(token))

    const before = token
    await renew()
    assert.notEqual(token, before)
    assert.equal(await of({ authorization: `Bearer ${before}` }), 401)
    assert.equal(await of({}), 204)
    await server.admin.deleteEventsToken({ params: { storage } })
    assert.equal(await of({}), 401)
    assert.equal((await server.admin.getStorage({ params: { storage } })).events, false)
    const records = JSON.stringify(await allActions(server.database))
    for (const secret of [token, before]) {
      assert.ok(!records.includes(secret))
      assert.ok(!server.logged().includes(secret))
    }
    await renew()
  })

  always('while the engine is away nothing is concluded; afterwards the reports still count', async () => {
    fake.put('docs/a', 'changed while away')
    fake.delete('docs/d')
    await report(changed('a'), changed('d'))
    for (const lie of ['answers500', 'noSuchBucket', 'answersHtml'] as const) {
      fake.lies = { [lie]: true }
      // The worker's failure is logged, and it waits before it tries again.
      await server.later(60_000)
      await assert.rejects(server.running.tick('scan-hints'), /^Error: The (storage|bucket|endpoint)|no such bucket/)
      assert.deepEqual(await site.missing(bucket), [], lie)
    }
    fake.lies = {}
    await server.later(3_600_000)
    await server.running.tick('scan-hints')
    await site.scan(bucket)
    assert.equal(await sizeOf('a'), '18')
    assert.deepEqual(await site.missing(bucket), ['d'])
    fake.put('docs/d', 'back')
    await site.scan(bucket)
  })

  itOnce('Ceph itself reports to it', { skip: gateway === undefined }, async () => {
    if (!gateway) return
    const foreign = await foreignBucket(gateway)
    const endpoint = new URL(gateway.url).searchParams.get('endpoint') ?? ''
    const own = await site.storage({ ...placeOn(gateway, endpoint), bucket: foreign.bucket })
    const shows = await site.attach(own)
    await site.finishScan(shows)
    const made = await server.admin.createEventsToken({ params: { storage: own } })
    server.secrets.add(made.token)
    const path = `/api/v1/storages/${own}/events?token=${encodeURIComponent(made.token)}`
    const reports = await reportChanges(gateway, foreign.bucket, server.url + path)
    try {
      for (const key of ['plain', 'dir/a +b ö%41&.txt']) await foreign.put(key, key)
      await server.running.tick('scan-hints')
      assert.deepEqual([...(await site.shown(shows)).keys()], ['dir/a +b ö%41&.txt', 'plain'])
      await foreign.deleteOne('plain')
      await server.running.tick('scan-hints')
      assert.deepEqual(await site.missing(shows), ['plain'])
    } finally {
      await reports.remove()
      await foreign.empty()
    }
  })
})
