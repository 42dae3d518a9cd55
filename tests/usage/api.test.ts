import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, onS3, startServer, type TestServer } from '../support/server.ts'

const HOUR = 3600_000
const DAY = 24 * HOUR

describeEngines('usage over time', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0

  const open = async () => {
    const name = `usage-${++buckets}`
    await server.admin.createBucket({ body: { name } })
    return name
  }
  const put = (name: string, key: string, body: string, type = 'text/plain', token = server.adminToken) =>
    fetch(`${server.url}/api/v1/buckets/${name}/objects/${key}`, {
      method: 'PUT',
      body,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    })
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${server.adminToken}`, ...headers },
    })
    return Buffer.from(await response.arrayBuffer())
  }
  /** A URL the service gave out, where it listens here. */
  const here = (url = '') => server.url + new URL(url).pathname
  /** To the beginning of the next hour, so that a test has an hour of its own. */
  const nextHour = () => server.later(HOUR - (server.clock.now().getTime() % HOUR))
  const ofHour = (bucket?: string, client: Client = server.admin) => {
    const now = server.clock.now().getTime()
    const from = new Date(now - (now % HOUR)).toISOString()
    const to = new Date(now - (now % HOUR) + HOUR).toISOString()
    return client.usageHistory({ query: { from, to, step: 'hour', ...(bucket ? { bucket } : {}) } })
  }
  const pointOf = async (bucket: string) => (await ofHour(bucket)).series[0]?.points[0]

  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  it('adds up to the objects, what went in and what went out', async () => {
    const name = await open()
    await nextHour()
    await put(name, 'a.txt', 'x'.repeat(1000))
    await put(name, 'b.bin', 'y'.repeat(200_000), 'application/octet-stream')
    const form = new FormData()
    form.append('file', new Blob(['z'.repeat(30)]), 'c.txt')
    await server.admin.uploadForm({ params: { bucket: name }, query: {}, body: form })
    const init = await server.admin.initUpload({ params: { bucket: name }, body: { key: 'd.bin', file_size: 5000 } })
    const part = await fetch(here(init.urls[0]), { method: 'PUT', body: 'p'.repeat(5000) })
    const { etag } = (await part.json()) as { etag: string }
    await server.admin.completeUpload({
      params: { bucket: name },
      body: { upload_id: init.upload_id, parts: [{ part_number: 1, etag }] },
    })
    assert.equal((await get(`/buckets/${name}/objects/b.bin`)).length, 200_000)
    assert.equal((await get(`/buckets/${name}/objects/a.txt`, { range: 'bytes=0-9' })).length, 10)
    const link = await server.admin.shareObject({ params: { bucket: name, key: 'a.txt' }, query: {}, body: {} })
    assert.equal((await fetch(here(link.url)).then((r) => r.arrayBuffer())).byteLength, 1000)
    await fetch(`${server.url}/api/v1/buckets/${name}/objects/a.txt`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${server.adminToken}` },
    })
    const zip = (await get(`/buckets/${name}/objects/archive?prefix=`)).length
    await server.running.tick()
    const point = await pointOf(name)
    const bucket = await server.admin.getBucket({ params: { bucket: name } })
    const { items } = await server.admin.listObjects({ params: { bucket: name }, query: {} })
    const stored = items.reduce((sum, { size }) => sum + size, 0)
    assert.equal(stored, 206_030)
    assert.equal(bucket.used_bytes, stored)
    assert.equal(point?.used_bytes, stored)
    assert.equal(point?.object_count, 4)
    assert.equal(point?.uploaded_bytes, stored)
    const sent = 200_000 + 10 + 1000 + zip
    // Contents that the storage serves directly are not seen.
    assert.equal(point?.downloaded_bytes, sent)
    assert.ok((point?.requests ?? 0) >= 10, `${point?.requests} requests`)
    const { types, totals } = {
      types: await server.admin.usageTypes({ query: { bucket: name } }),
      totals: (await ofHour(name)).totals,
    }
    assert.deepEqual(types.items, [
      { content_type: 'application/octet-stream', used_bytes: 205_000, object_count: 2 },
      { content_type: 'text/plain', used_bytes: 1030, object_count: 2 },
    ])
    assert.equal(types.counted_at, server.clock.now().toISOString())
    assert.equal(totals.uploaded_bytes, stored)
  })

  itOnce('counts bytes of an upload that is refused as traffic, and nothing as stored', async () => {
    const name = await open()
    await nextHour()
    await put(name, 'kept.txt', 'kept')
    const response = await fetch(`${server.url}/api/v1/buckets/${name}/objects/refused.txt`, {
      method: 'PUT',
      body: 'refused',
      headers: { authorization: `Bearer ${server.adminToken}`, 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' },
    })
    assert.equal(response.status, 400)
    // Replaced: what was there is in the trash, and is stored no more.
    await put(name, 'kept.txt', 'rolled back')
    const form = new FormData()
    form.append('file', new Blob(['first of two']), 'fine.txt')
    form.append('file', new Blob(['second']), 'x'.repeat(1025))
    await rejectsWith(server.admin.uploadForm({ params: { bucket: name }, query: {}, body: form }), 'invalid_request')
    await server.running.tick()
    const point = await pointOf(name)
    assert.equal(point?.used_bytes, 11)
    assert.equal(point?.object_count, 1)
    assert.equal(point?.uploaded_bytes, 4 + 7 + 11 + 12)
  })

  it('keeps counting while nothing can be written', async () => {
    const name = await open()
    await nextHour()
    const rename = (from: string, to: string) =>
      server.database.transaction(async (tx) => void (await tx.schema.alterTable(from).renameTo(to).execute()))
    await put(name, 'a.txt', 'a')
    await rename('usage_history', 'elsewhere')
    await assert.rejects(server.running.tick())
    await put(name, 'b.txt', 'bb')
    await rename('elsewhere', 'usage_history')
    await server.running.tick()
    assert.equal((await pointOf(name))?.uploaded_bytes, 3)
  })

  itOnce('records nothing in the audit log', async () => {
    const name = await open()
    await put(name, 'a.txt', 'a')
    await nextHour()
    await server.records([], async () => {
      await server.running.tick()
      await server.admin.usageHistory({ query: {} })
      await server.admin.usageTypes({ query: {} })
    })
  })

  it('shows people the buckets they can list as a whole, by name, number and sum', async () => {
    const [mine, theirs, partly] = [await open(), await open(), await open()]
    await nextHour()
    await put(mine, 'a.txt', 'mine')
    await put(theirs, 'a.txt', 'not mine', 'text/x-theirs')
    await put(partly, 'deep/a.txt', 'partly', 'text/x-partly')
    await server.running.tick()
    const token = await server.userWith(
      { bucket_pattern: mine, actions: ['list'] },
      { bucket_pattern: partly, prefix: 'deep/', actions: ['list', 'read', 'manage'] },
    )
    const me = server.as(token)
    const { buckets, ...sums } = await me.usage()
    assert.deepEqual(
      buckets.map(({ name }) => name),
      [mine],
    )
    assert.deepEqual(sums, { used_bytes: 4, object_count: 1, trash_bytes: 0, encrypted_bytes: 0, encrypted_objects: 0 })
    const seen = await ofHour(undefined, me)
    assert.deepEqual(
      seen.series.map(({ bucket }) => bucket),
      [mine],
    )
    assert.equal(seen.others, null)
    assert.equal(seen.totals.uploaded_bytes, 4)
    assert.equal(seen.failed_deliveries, null)
    assert.ok(!JSON.stringify(seen).includes(theirs))
    const types = await me.usageTypes({ query: {} })
    assert.deepEqual(
      types.items.map(({ content_type }) => content_type),
      ['text/plain'],
    )
    // The same answer whether the bucket is there or not.
    await rejectsWith(ofHour(theirs, me), 'forbidden')
    await rejectsWith(ofHour('no-such-bucket', me), 'forbidden')
    await rejectsWith(me.usageTypes({ query: { bucket: theirs } }), 'forbidden')
    await rejectsWith(ofHour(partly, me), 'forbidden')
    await rejectsWith(me.usageTypes({ query: { bucket: partly } }), 'forbidden')
    await rejectsWith(ofHour('no-such-bucket'), 'not_found')
    const nobody = server.as(await server.userWith())
    assert.deepEqual((await ofHour(undefined, nobody)).series, [])
    assert.equal((await ofHour(undefined, nobody)).totals.requests, 0)
    const all = await ofHour()
    assert.ok(all.series.some(({ bucket }) => bucket === theirs))
    assert.equal(all.series.at(-1)?.bucket, null)
    assert.equal(all.failed_deliveries, 0)
  })

  it('keeps a deleted bucket’s history for administrators; a new bucket of that name starts empty', async () => {
    const name = await open()
    await nextHour()
    const token = await server.userWith({ bucket_pattern: name, actions: ['list'] })
    await put(name, 'a.txt', 'old')
    await server.running.tick()
    await server.admin.deleteObject({ params: { bucket: name, key: 'a.txt' }, query: { permanent: true } })
    await server.admin.deleteBucket({ params: { bucket: name } })
    await server.running.tick()
    await rejectsWith(ofHour(name, server.as(token)), 'not_found')
    const gone = (await ofHour(name)).series
    assert.deepEqual(
      gone.map(({ bucket, deleted, points }) => [bucket, deleted, points[0]?.uploaded_bytes]),
      [[name, true, 3]],
    )
    await server.admin.createBucket({ body: { name } })
    await put(name, 'b.txt', 'newer')
    await server.running.tick()
    const own = (await ofHour(name, server.as(token))).series
    assert.deepEqual(
      own.map(({ points }) => points[0]?.uploaded_bytes),
      [5],
    )
    assert.equal((await ofHour(name)).series.length, 2)
    assert.deepEqual(
      (await server.admin.usageTypes({ query: { bucket: name } })).items.map(({ used_bytes }) => used_bytes),
      [5],
    )
  })

  it('leaves out hours without data, and samples idle buckets every hour', async () => {
    const name = await open()
    await put(name, 'a.txt', 'idle')
    const from = new Date(server.clock.now().getTime() + HOUR).toISOString()
    const hours: string[] = []
    for (const skipped of [1, 1, 3]) {
      for (let i = 0; i < skipped; i++) await nextHour()
      hours.push(server.clock.now().toISOString())
      await server.running.tick()
      await server.running.tick()
    }
    const { series } = await server.admin.usageHistory({
      query: { from, to: new Date(server.clock.now().getTime() + 1).toISOString(), step: 'hour', bucket: name },
    })
    assert.deepEqual(
      series[0]?.points.map(({ time, used_bytes, uploaded_bytes }) => [time, used_bytes, uploaded_bytes]),
      hours.map((time) => [time, 4, 0]),
    )
  })

  it('adds up buckets beyond those that held most', async () => {
    await nextHour()
    const names = [await open(), await open(), await open()]
    for (const [i, name] of names.entries()) await put(name, 'a.txt', 'x'.repeat(10_000_000 * (3 - i)))
    await server.running.tick()
    const token = await server.userWith(
      ...names.map((bucket_pattern) => ({ bucket_pattern, actions: ['list' as const] })),
    )
    const me = server.as(token)
    const now = server.clock.now().getTime()
    const { series, others } = await me.usageHistory({
      query: { from: new Date(now - DAY).toISOString(), to: new Date(now + 1).toISOString(), top: 1 },
    })
    assert.deepEqual(
      series.map(({ bucket }) => bucket),
      [names[0]],
    )
    assert.equal(others?.buckets, 2)
    assert.equal(others?.points.at(-1)?.used_bytes, 30_000_000)
    assert.equal(others?.points.at(-1)?.object_count, 2)
  })

  itOnce('rejects ranges that are invalid or longer than the retention', async () => {
    const now = server.clock.now().getTime()
    const at = (days: number) => new Date(now - days * DAY).toISOString()
    const ask = (query: object) => server.admin.usageHistory({ query: query as never })
    await rejectsWith(ask({ from: at(0), to: at(1) }), 'invalid_request')
    await rejectsWith(ask({ from: at(1), to: at(1) }), 'invalid_request')
    await rejectsWith(ask({ from: at(36), step: 'hour' }), 'invalid_request')
    await rejectsWith(ask({ from: at(402) }), 'invalid_request')
    await rejectsWith(ask({ from: 'yesterday' }), 'invalid_request')
    await rejectsWith(ask({ from: at(3), days: 3 }), 'invalid_request', 'query.days')
    await rejectsWith(ask({ days: 401 }), 'invalid_request')
    await rejectsWith(ask({ days: 36, step: 'hour' }), 'invalid_request')
    await rejectsWith(ask({ step: 'week' }), 'invalid_request')
    await rejectsWith(ask({ top: 0 }), 'invalid_request')
    await rejectsWith(ask({ sum: '1' }), 'invalid_request')
    const midnight = new Date(now - (now % DAY)).getTime()
    assert.equal((await ask({ days: 7 })).from, new Date(midnight - 6 * DAY).toISOString())
    const hour = new Date(now - (now % HOUR)).getTime()
    assert.equal((await ask({ days: 7, step: 'hour' })).from, new Date(hour - 7 * DAY + HOUR).toISOString())
    assert.equal((await ask({ from: at(400) })).step, 'day')
    assert.equal((await ask({ from: at(35), step: 'hour' })).step, 'hour')
  })

  it('counts types again when a bucket changed, at most once an hour, and daily whatever', async () => {
    const name = await open()
    await put(name, 'a', 'a', 'Text/CSV; charset=utf-8')
    const types = async () => {
      await server.running.tick()
      const { items } = await server.admin.usageTypes({ query: { bucket: name } })
      return items.map(({ content_type, object_count }) => [content_type, object_count])
    }
    assert.deepEqual(await types(), [['text/csv', 1]])
    await put(name, 'b', 'bb', 'text/html')
    assert.deepEqual(await types(), [['text/csv', 1]])
    await server.later(HOUR)
    assert.deepEqual(await types(), [
      ['text/html', 1],
      ['text/csv', 1],
    ])
    const key = 'b'
    await server.admin.updateObject({ params: { bucket: name, key }, body: { content_type: 'image/png' } })
    await server.later(HOUR)
    assert.deepEqual(await types(), [
      ['text/html', 1],
      ['text/csv', 1],
    ])
    await server.later(DAY)
    assert.deepEqual(await types(), [
      ['image/png', 1],
      ['text/csv', 1],
    ])
  })

  it('forgets hours after 35 days and days after 400, and then deleted buckets', async () => {
    const name = await open()
    await nextHour()
    await put(name, 'a.txt', 'a')
    await server.running.tick()
    await server.admin.deleteObject({ params: { bucket: name, key: 'a.txt' }, query: { permanent: true } })
    await server.admin.deleteBucket({ params: { bucket: name } })
    await server.running.tick()
    const rows = async (step: 'hour' | 'day') =>
      (
        await server.database.db
          .selectFrom('usage_history')
          .innerJoin('usage_buckets', 'usage_buckets.bucket_id', 'usage_history.bucket_id')
          .select('time')
          .where('name', '=', name)
          .where('step', '=', step)
          .execute()
      ).length
    assert.deepEqual([await rows('hour'), await rows('day')], [1, 1])
    await server.later(36 * DAY)
    await server.running.tick()
    assert.deepEqual([await rows('hour'), await rows('day')], [0, 1])
    await server.later(366 * DAY)
    await server.running.tick()
    const left = await server.database.db.selectFrom('usage_buckets').select('name').where('name', '=', name).execute()
    assert.deepEqual(left, [])
    const { series } = await server.admin.usageHistory({
      query: { from: new Date(server.clock.now().getTime() - DAY * 2).toISOString() },
    })
    assert.ok(!series.some(({ bucket }) => bucket === name))
  })

  it('writes what is not written yet when it stops', {
    skip: onS3,
  }, async () => {
    const name = await open()
    await nextHour()
    const env = { ...server.env, PORT: '0' }
    const twin = await start(readConfig(env), { now: server.clock.now, timers: false })
    await fetch(`${twin.url}/api/v1/buckets/${name}/objects/a.txt`, {
      method: 'PUT',
      body: 'through the other one',
      headers: { authorization: `Bearer ${server.adminToken}` },
    })
    await twin.stop()
    assert.equal((await pointOf(name))?.uploaded_bytes, 21)
    assert.equal((await pointOf(name))?.used_bytes, 21)
  })

  it('has two services add to the same hours', { skip: engine === 'sqlite' || onS3 }, async () => {
    const names = [await open(), await open()]
    await nextHour()
    const env = { ...server.env, PORT: '0' }
    const twins: Running[] = [server.running]
    twins.push(await start(readConfig(env), { now: server.clock.now, timers: false }))
    const rounds = 12
    try {
      for (let round = 0; round < rounds; round++) {
        await Promise.all(
          twins.flatMap(({ url }, i) =>
            names.map((name) =>
              fetch(`${url}/api/v1/buckets/${name}/objects/${i}.txt`, {
                method: 'PUT',
                body: 'ten bytes!',
                headers: { authorization: `Bearer ${server.adminToken}` },
              }),
            ),
          ),
        )
        await Promise.all(twins.map((one) => one.tick()))
      }
    } finally {
      await twins[1]?.stop()
    }
    for (const name of names) {
      const point = await pointOf(name)
      assert.equal(point?.uploaded_bytes, rounds * 20)
      assert.equal(point?.used_bytes, 20)
      assert.equal(point?.object_count, 2)
    }
    const samples = await server.database.db
      .selectFrom('usage_samples')
      .select('finished_at')
      .where('time', '=', (await pointOf(names[0] ?? ''))?.time ?? '')
      .execute()
    assert.equal(samples.length, 1)
    assert.ok(samples[0]?.finished_at)
  })
})
