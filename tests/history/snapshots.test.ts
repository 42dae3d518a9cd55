import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { compareUsage } from '../../server/storage/buckets/compare.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

describeEngines('snapshots', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine, { INLINE_MAX_BYTES: '4' })
  })
  after(() => server.stop())

  const open = async (body: object = {}) => {
    const name = `snapshots-${++buckets}`
    await server.admin.createBucket({ body: { name, ...body } })
    const params = { bucket: name }
    return {
      name,
      params,
      put: (key: string, text: string) =>
        server.admin.putObject({ params: { ...params, key }, body: text, headers: { 'content-type': 'text/plain' } }),
      remove: (key: string, query = {}) => server.admin.deleteObject({ params: { ...params, key }, query }),
      snapshot: (named: string, more = {}) => server.admin.createSnapshot({ params, body: { name: named, ...more } }),
      end: (named: string) => server.admin.deleteSnapshot({ params: { ...params, name: named } }),
      /** Keys and contents at a moment. */
      state: async (at?: string) => {
        const query = at === undefined ? {} : { at }
        const { items } = await server.admin.listObjects({ params, query })
        const texts = items.map(async ({ key, erased }) => [
          key,
          erased ? null : await (await server.admin.getObject({ params: { ...params, key }, query })).text(),
        ])
        return Object.fromEntries(await Promise.all(texts))
      },
      kept: async () => {
        const { history_bytes, trash_bytes, used_bytes } = await server.admin.getBucket({ params })
        return { history_bytes, trash_bytes, used_bytes }
      },
    }
  }
  /** Everything that deletes by age, after everything of age is so old that it may go. */
  const expire = async (ms: number) => {
    await server.later(ms)
    for (const worker of ['trash-expiry', 'snapshot-expiry']) await server.running.tick(worker)
    await server.later(HOUR * 25)
    await server.running.tick('blob-collector')
  }
  const usageIsRight = async () => {
    for (const { held, counted } of await compareUsage(server.database.db)) assert.deepEqual(counted, held)
  }

  it('keeps what a bucket was for longer than the trash, and until it is deleted', async () => {
    const bucket = await open({ trash_days: 1 })
    await bucket.put('a', 'the first of a')
    await bucket.put('b', 'the only of b')
    await bucket.put('c', 'c stays')
    const before = new Set(await server.stored())
    const snapshot = await server.records([{ action: 'snapshot_create', bucket: bucket.name }], () =>
      bucket.snapshot('before', { note: 'Backup 1' }),
    )
    assert.match(snapshot.moment, /^2026-.*\.\d{6}Z$/)
    const then = { a: 'the first of a', b: 'the only of b', c: 'c stays' }
    await bucket.put('a', 'the second of a')
    await bucket.put('a', 'the third of a')
    await bucket.remove('b')
    await bucket.put('d', 'new')
    assert.deepEqual(await bucket.state('before'), then)
    assert.deepEqual(await bucket.kept(), { history_bytes: 0, trash_bytes: 42, used_bytes: 24 })
    await expire(3 * DAY)
    assert.deepEqual(await bucket.state('before'), then)
    assert.deepEqual(await bucket.state(snapshot.moment), then, 'its moment, too')
    assert.deepEqual(await bucket.kept(), { history_bytes: 27, trash_bytes: 0, used_bytes: 24 })
    const left = await server.database.db.selectFrom('former_objects').select('key').execute()
    assert.deepEqual(left.map(({ key }) => key).sort(), ['a', 'b'], 'what was between is not kept')
    await usageIsRight()
    await expire(30 * DAY)
    assert.deepEqual(await bucket.state('before'), then)
    await server.records([{ action: 'snapshot_delete', bucket: bucket.name }], () => bucket.end('before'))
    await rejectsWith(bucket.state('before'), 'invalid_request', 'query.at')
    await server.records([{ action: 'purge', bucket: bucket.name }], () => server.running.tick('snapshot-expiry'))
    await expire(DAY)
    assert.deepEqual(await bucket.kept(), { history_bytes: 0, trash_bytes: 0, used_bytes: 24 })
    const now = new Set(await server.stored())
    assert.equal([...before].filter((file) => !now.has(file)).length, 2, 'the bytes of a and b are gone')
    assert.deepEqual(await bucket.state(), { a: 'the third of a', c: 'c stays', d: 'new' })
    await usageIsRight()
  })

  it('keeps what is purged, deleted permanently, or overwritten without a trash, also as a copy of elsewhere', async () => {
    const bucket = await open({ trash_days: 0 })
    const other = await open({ trash_days: 0 })
    await bucket.put('a', 'contents of a')
    await bucket.put('b', 'contents of b')
    await bucket.put('m', 'contents of m')
    await bucket.snapshot('s')
    await bucket.put('a', 'other')
    await bucket.remove('b', { permanent: true })
    // What it was is the contents of another bucket for a while.
    const move = { source_bucket: bucket.name, source_key: 'm', dest_key: 'moved' }
    await server.admin.moveObject({ params: other.params, body: move })
    await expire(2 * DAY)
    assert.equal((await bucket.kept()).history_bytes, 26)
    await other.remove('moved')
    await expire(2 * DAY)
    assert.equal((await bucket.kept()).history_bytes, 39)
    const then = { a: 'contents of a', b: 'contents of b', m: 'contents of m' }
    assert.deepEqual(await bucket.state('s'), then)
    await server.admin.updateBucket({ params: bucket.params, body: { trash_days: 7 } })
    await bucket.remove('a')
    await server.admin.purgeTrash({ params: bucket.params, body: { all: true } })
    assert.deepEqual(await bucket.state('s'), then)
    await usageIsRight()
  })

  it('keeps versions that are removed since', async () => {
    const bucket = await open({ versioning: 'enabled', trash_days: 0 })
    await bucket.put('a', 'the first of a')
    await bucket.snapshot('s')
    await bucket.put('a', 'the second of a')
    const { items } = await server.admin.listVersions({ params: bucket.params, query: { key: 'a' } })
    const version_id = items.at(-1)?.version_id ?? ''
    await bucket.remove('a', { version_id, permanent: true })
    await expire(3 * DAY)
    assert.deepEqual(await bucket.state('s'), { a: 'the first of a' })
    assert.equal((await bucket.kept()).history_bytes, 14)
    await bucket.end('s')
    await expire(DAY)
    assert.equal((await bucket.kept()).history_bytes, 0)
  })

  it('keeps and erases what is encrypted, with its key', async () => {
    const bucket = await open({ trash_days: 0, encryption: { algorithm: 'AES256' } })
    await bucket.put('a', 'a secret')
    await bucket.snapshot('s')
    await server.records([{ action: 'delete', bucket: bucket.name, key: 'a' }], () => bucket.remove('a'))
    assert.deepEqual(await bucket.state('s'), { a: 'a secret' })
    await bucket.end('s')
    await server.records(
      [
        { action: 'purge', bucket: bucket.name },
        { action: 'erase', bucket: bucket.name, key: 'a' },
      ],
      () => server.running.tick('snapshot-expiry'),
    )
  })

  it('is moved and encrypted with its bucket', async () => {
    const bucket = await open({ trash_days: 0 })
    await bucket.put('a', 'contents of a')
    await bucket.snapshot('s')
    await bucket.remove('a')
    await expire(DAY)
    await server.admin.createJob({ body: { kind: 'encrypt', source_bucket: bucket.name } })
    await server.running.tick('jobs')
    const { items } = await server.admin.listObjects({ params: bucket.params, query: { at: 's' } })
    assert.equal(items[0]?.encryption?.algorithm, 'AES256')
    assert.deepEqual(await bucket.state('s'), { a: 'contents of a' })
    await usageIsRight()
  })

  it('is encrypted with its bucket while the collector has not looked yet, and where another bucket has the same bytes', async () => {
    const bucket = await open({ trash_days: 0 })
    const other = await open({ trash_days: 0 })
    await bucket.put('a', 'contents of a')
    await bucket.put('m', 'contents of m')
    await bucket.snapshot('s')
    await bucket.remove('a')
    const move = { source_bucket: bucket.name, source_key: 'm', dest_key: 'moved' }
    await server.admin.moveObject({ params: other.params, body: move })
    const encrypt = async () => {
      const { id } = await server.admin.createJob({ body: { kind: 'encrypt', source_bucket: bucket.name } })
      await server.running.tick('jobs')
      const { status, total, done, failed } = await server.admin.getJob({ params: { id } })
      assert.deepEqual([status, done, failed], ['succeeded', total, 0])
    }
    await encrypt()
    const { items } = await server.admin.listObjects({ params: bucket.params, query: { at: 's' } })
    assert.deepEqual(
      items.map(({ encryption }) => encryption?.algorithm),
      ['AES256', 'AES256'],
    )
    const then = { a: 'contents of a', m: 'contents of m' }
    assert.deepEqual(await bucket.state('s'), then)
    await expire(DAY)
    assert.deepEqual(await bucket.state('s'), then)
    assert.deepEqual(await other.state(), { moved: 'contents of m' })
    assert.equal((await bucket.kept()).history_bytes, 26)
    await usageIsRight()
    await encrypt()
    await bucket.end('s')
    await expire(DAY)
    assert.equal((await bucket.kept()).history_bytes, 0)
    await usageIsRight()
  })

  it('is not alone in keeping what a rollback, a copy or a fork has brought back', async () => {
    const bucket = await open({ trash_days: 1 })
    for (const key of ['a', 'b', 'c']) await bucket.put(key, `contents of ${key}`)
    await bucket.snapshot('s')
    for (const key of ['a', 'b', 'c']) await bucket.remove(key)
    await expire(2 * DAY)
    assert.equal((await bucket.kept()).history_bytes, 39)
    await server.admin.createBucket({
      body: { name: 'brought-back', from: { bucket: bucket.name, at: 's', prefix: 'a' } },
    })
    assert.equal((await bucket.kept()).history_bytes, 26)
    await usageIsRight()
    await server.admin.createJob({ body: { kind: 'rollback', source_bucket: bucket.name, to: 's', prefix: 'b' } })
    await server.running.tick('jobs')
    assert.deepEqual(await bucket.kept(), { history_bytes: 13, trash_bytes: 0, used_bytes: 13 })
    await usageIsRight()
    // What only the snapshot keeps again is counted again.
    await bucket.remove('b')
    await server.admin.deleteObject({ params: { bucket: 'brought-back', key: 'a' } })
    await server.admin.purgeTrash({ params: { bucket: 'brought-back' }, body: { all: true } })
    await expire(2 * DAY)
    assert.equal((await bucket.kept()).history_bytes, 39)
    assert.deepEqual(Object.keys(await bucket.state('s')), ['a', 'b', 'c'])
    await usageIsRight()
  })

  it('ends by itself', async () => {
    const bucket = await open({ trash_days: 0 })
    await bucket.put('a', 'contents of a')
    const expires_at = new Date(server.clock.now().getTime() + 2 * DAY).toISOString()
    await bucket.snapshot('s', { expires_at })
    await bucket.remove('a')
    await expire(DAY / 2)
    assert.deepEqual(await bucket.state('s'), { a: 'contents of a' })
    await server.later(DAY)
    await server.records(
      [
        { action: 'snapshot_delete', bucket: bucket.name },
        { action: 'purge', bucket: bucket.name },
      ],
      () => server.running.tick('snapshot-expiry'),
    )
    assert.deepEqual((await server.admin.listSnapshots({ params: bucket.params })).items, [])
  })

  it('can be of a moment that has been', async () => {
    const bucket = await open({ trash_days: 2 })
    await bucket.put('a', 'the first of a')
    const { moment } = await bucket.snapshot('first')
    await bucket.end('first')
    await bucket.put('a', 'the second of a')
    await server.later(DAY)
    await bucket.snapshot('again', { at: moment })
    await expire(10 * DAY)
    assert.deepEqual(await bucket.state('again'), { a: 'the first of a' })
    await rejectsWith(bucket.snapshot('late', { at: '1999-01-01T00:00:00Z' }), 'invalid_request', 'body.at')
    await rejectsWith(bucket.snapshot('early', { at: '2999-01-01T00:00:00Z' }), 'invalid_request', 'body.at')
    await bucket.snapshot('twice', { at: moment })
    assert.deepEqual(
      (await server.admin.listSnapshots({ params: bucket.params })).items.map(({ name }) => name).sort(),
      ['again', 'twice'],
    )
  })

  it('has every change before it and none after it, of several who write at once', async () => {
    const bucket = await open()
    let count = 0
    let stop = false
    const write = async (who: number) => {
      while (!stop) await bucket.put(`${who}/${count++}`, 'x')
    }
    const writers = [1, 2, 3, 4].map(write)
    const taken: [string, unknown][] = []
    for (let i = 0; i < 5; i++) {
      const { name } = await bucket.snapshot(`s${i}`)
      taken.push([name, await bucket.state(name)])
    }
    stop = true
    await Promise.all(writers)
    for (const [name, state] of taken) assert.deepEqual(await bucket.state(name), state)
  })

  itOnce('refuses names that are taken or none, ends that are over, and buckets that still have one', async () => {
    const bucket = await open()
    await bucket.snapshot('s')
    await rejectsWith(bucket.snapshot('s'), 'already_exists')
    for (const name of ['S', 'a_b', '-a', '20261127t140500z', 'x'.repeat(61)])
      await rejectsWith(bucket.snapshot(name), 'invalid_request', 'body.name')
    const expires_at = server.clock.now().toISOString()
    await rejectsWith(bucket.snapshot('t', { expires_at }), 'invalid_request', 'body.expires_at')
    await rejectsWith(bucket.end('none'), 'not_found')
    await server.records([], () => rejectsWith(server.admin.deleteBucket({ params: bucket.params }), 'not_empty'))
    await bucket.end('s')
    await server.admin.deleteBucket({ params: bucket.params })
  })

  itOnce('is listed page by page, the latest first', async () => {
    const bucket = await open()
    for (const name of ['a', 'b', 'c']) await bucket.snapshot(name)
    const first = await server.admin.listSnapshots({ params: bucket.params, query: { limit: 2 } })
    const cursor = first.next_cursor ?? assert.fail()
    const rest = await server.admin.listSnapshots({ params: bucket.params, query: { limit: 2, cursor } })
    assert.deepEqual(
      [...first.items, ...rest.items].map(({ name }) => name),
      ['c', 'b', 'a'],
    )
    assert.equal(rest.next_cursor, null)
  })

  itOnce('shows readers what it keeps, and only managers make and delete it', async () => {
    const bucket = await open()
    await bucket.put('a', 'x')
    await bucket.snapshot('s')
    const reader = server.as(await server.userWith({ bucket_pattern: bucket.name, actions: ['list', 'read'] }))
    assert.equal((await reader.listObjects({ params: bucket.params, query: { at: 's' } })).items.length, 1)
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(reader.createSnapshot({ params: bucket.params, body: { name: 't' } }), 'forbidden'),
    )
    const stranger = server.as(await server.userWith({ bucket_pattern: 'elsewhere', actions: ['read'] }))
    for (const at of ['s', 'none'])
      await rejectsWith(stranger.listObjects({ params: bucket.params, query: { at } }), 'forbidden')
  })
})
