import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { compareUsage } from '../../server/storage/buckets/compare.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
/** More than are taken at once. */
const MANY = 2500

describeEngines('forks', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine, { INLINE_MAX_BYTES: '4' })
  })
  after(() => server.stop())

  const put = (bucket: string, key: string, body: string, headers = {}) =>
    server.admin.putObject({ params: { bucket, key }, body, headers: { 'content-type': 'text/plain', ...headers } })
  const open = async (body: object = {}) => {
    const name = `forks-${++buckets}`
    await server.admin.createBucket({ body: { name, ...body } })
    return name
  }
  const fork = (from: { bucket: string; at?: string; prefix?: string }, more: object = {}, by = server.admin) =>
    by.createBucket({ body: { name: `forks-${++buckets}`, from, ...more } })
  const state = async (bucket: string, at?: string): Promise<Record<string, { text: string; described: object }>> => {
    const query = at === undefined ? {} : { at }
    const { items } = await server.admin.listObjects({ params: { bucket }, query: { limit: 1000, ...query } })
    const texts = items.map(async ({ key, content_type, metadata, tags = {}, last_modified }) => [
      key,
      {
        text: await (await server.admin.getObject({ params: { bucket, key }, query })).text(),
        described: { content_type, metadata, tags, last_modified },
      },
    ])
    return Object.fromEntries(await Promise.all(texts))
  }
  const usageIsRight = async () => {
    for (const { held, counted } of await compareUsage(server.database.db)) assert.deepEqual(counted, held)
  }
  /** Objects that share the bytes of one, by rows. */
  const fill = async (name: string, count: number) => {
    await put(name, 'a/seed', 'the seed of all')
    const { db } = server.database
    const { id } = await db.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
    const seed = await db.selectFrom('objects').selectAll().where('bucket_id', '=', id).executeTakeFirstOrThrow()
    const keys = Array.from({ length: count - 1 }, (_, i) => `b/${String(i).padStart(7, '0')}`)
    await server.database.transaction(async (tx) => {
      for (let i = 0; i < keys.length; i += 500)
        await tx
          .insertInto('objects')
          .values(keys.slice(i, i + 500).map((key) => ({ ...seed, key })))
          .execute()
      const bytes = keys.length * seed.size
      const counted = { bytes, objects: keys.length, trash_bytes: 0 }
      await tx
        .insertInto('bucket_usage')
        .values({ bucket_id: id, shard: 99, ...counted })
        .execute()
    })
  }
  const whole = (bucket: string) =>
    until(async () => (await server.admin.getBucket({ params: { bucket } })).fork?.state === 'whole')

  it('begins as its origin is, shares its bytes, and neither sees what changes in the other', async () => {
    const origin = await open()
    await put(origin, 'a/1', 'contents of a/1', { 'x-tags': 'stage=draft', 'x-meta-from': 'here' })
    await put(origin, 'a/2', 'contents of a/2')
    await put(origin, 'b', 'b')
    const then = await state(origin)
    const files = await server.stored()
    server.clock.advance(60_000)
    const {
      name,
      fork: made,
      used_bytes,
      object_count,
    } = await server.records([{ action: 'create_bucket', bucket: `forks-${buckets + 1}` }], () =>
      fork({ bucket: origin }),
    )
    assert.deepEqual([made?.state, made?.bucket, made?.erased, made?.job], ['whole', origin, 0, null])
    assert.deepEqual([used_bytes, object_count], [31, 3])
    assert.deepEqual(await state(name), then)
    assert.deepEqual(await server.stored(), files, 'no byte is copied')
    await put(origin, 'a/1', 'changed in the origin')
    await put(name, 'a/2', 'changed in the fork')
    await server.admin.deleteObject({ params: { bucket: name, key: 'b' } })
    const texts = async (bucket: string) =>
      Object.fromEntries(Object.entries(await state(bucket)).map(([key, { text }]) => [key, text]))
    assert.deepEqual(await texts(origin), { 'a/1': 'changed in the origin', 'a/2': 'contents of a/2', b: 'b' })
    assert.deepEqual(await texts(name), { 'a/1': 'contents of a/1', 'a/2': 'changed in the fork' })
    await usageIsRight()
  })

  it('begins as its origin was at a moment or a snapshot, and has only what is under a prefix', async () => {
    const origin = await open({ trash_days: 0 })
    await put(origin, 'a/1', 'contents of a/1')
    await put(origin, 'a/2', 'contents of a/2')
    await put(origin, 'b', 'contents of b')
    await server.admin.createSnapshot({ params: { bucket: origin }, body: { name: 's' } })
    const then = await state(origin)
    await put(origin, 'a/1', 'later')
    await server.admin.deleteObject({ params: { bucket: origin, key: 'b' } })
    await put(origin, 'a/3', 'new')
    const one = await fork({ bucket: origin, at: 's' })
    assert.deepEqual(await state(one.name), then)
    const two = await fork({ bucket: origin, at: 's', prefix: 'a/' })
    assert.deepEqual(Object.keys(await state(two.name)), ['a/1', 'a/2'])
    assert.equal(two.fork?.prefix, 'a/')
    // What it shares stays, whatever becomes of its origin.
    await server.admin.deleteSnapshot({ params: { bucket: origin, name: 's' } })
    await server.running.tick('snapshot-expiry')
    await server.running.tick('trash-expiry')
    await server.later(25 * HOUR)
    await server.running.tick('blob-collector')
    assert.deepEqual(await state(one.name), then)
    await usageIsRight()
  })

  it('lacks what was purged since, and says how much', async () => {
    const origin = await open()
    await put(origin, 'a', 'contents of a')
    await put(origin, 'b', 'contents of b')
    const params = { bucket: origin }
    const { moment: at } = await server.admin.createSnapshot({ params, body: { name: 's' } })
    await server.admin.deleteSnapshot({ params: { ...params, name: 's' } })
    await server.admin.deleteObject({ params: { bucket: origin, key: 'a' }, query: { permanent: true } })
    // Also while its bytes are still there, and when they are not.
    for (const hours of [0, 25]) {
      await server.later(hours * HOUR)
      await server.running.tick('blob-collector')
      const { name, fork: made } = await fork({ bucket: origin, at })
      assert.deepEqual([Object.keys(await state(name)), made?.erased], [['b'], 1])
    }
  })

  it('keeps encryption, and takes neither versions, nor locks, nor ACLs', async () => {
    const origin = await open({ versioning: 'enabled', object_lock: {}, encryption: { algorithm: 'AES256' } })
    await put(origin, 'a', 'the first of a')
    await put(origin, 'a', 'the second of a')
    const until = new Date(server.clock.now().getTime() + DAY).toISOString()
    await server.admin.lockObject({ params: { bucket: origin }, body: { key: 'a', mode: 'compliance', until } })
    const { name } = await fork({ bucket: origin })
    const { items } = await server.admin.listObjects({ params: { bucket: name } })
    assert.deepEqual(
      items.map(({ key, version_id, lock, encryption }) => [key, version_id, lock, encryption?.algorithm]),
      [['a', undefined, undefined, 'AES256']],
    )
    assert.equal((await state(name)).a?.text, 'the second of a')
    await server.admin.deleteObject({ params: { bucket: name, key: 'a' }, query: { permanent: true } })
    assert.equal((await state(origin)).a?.text, 'the second of a')
  })

  it('takes many objects by a job, and is empty and cannot be changed until it is whole', async () => {
    const origin = await open()
    await fill(origin, MANY)
    const made = await fork({ bucket: origin }, { quota_gb: 1 })
    const { name } = made
    assert.equal(made.fork?.state, 'filling')
    const { items } = await server.admin.listObjects({ params: { bucket: name } })
    if ((await server.admin.getBucket({ params: { bucket: name } })).fork?.state === 'filling')
      assert.deepEqual(items, [])
    await whole(name)
    const bucket = await server.admin.getBucket({ params: { bucket: name } })
    assert.deepEqual([bucket.object_count, bucket.quota_gb, bucket.mode], [MANY, 1, 'owned'])
    const sums = await server.admin.countObjects({ params: { bucket: name } })
    assert.equal(sums.objects, MANY)
    assert.equal((await server.admin.listSnapshots({ params: { bucket: origin } })).items.length, 0)
    await until(async () => {
      const job = await server.admin.getJob({ params: { id: made.fork?.job ?? '' } })
      return job.status === 'succeeded' && job.total === MANY && job.done === MANY
    })
    await put(name, 'new', 'x')
    await server.running.tick('trash-expiry')
    await usageIsRight()
  })

  it('is deleted with all that is in it when its time has come, and its bytes if nothing else has them', async () => {
    const origin = await open()
    await put(origin, 'a', 'contents of a')
    const expires_at = new Date(server.clock.now().getTime() + DAY).toISOString()
    const { name } = await fork({ bucket: origin }, { expires_at, versioning: 'enabled' })
    await put(name, 'a', 'changed in the fork')
    await put(name, 'own', 'only in the fork')
    await server.admin.deleteObject({ params: { bucket: name, key: 'own' } })
    const before = (await server.stored()).length
    await server.running.tick('fork-expiry')
    assert.equal((await server.admin.getBucket({ params: { bucket: name } })).fork?.expires_at, expires_at)
    await server.later(2 * DAY)
    await server.records(
      [
        { action: 'delete_bucket', bucket: name },
        { action: 'purge', bucket: name },
        { action: 'purge', bucket: name },
      ],
      () => server.running.tick('fork-expiry'),
    )
    await rejectsWith(server.admin.getBucket({ params: { bucket: name } }), 'not_found')
    for (const worker of ['snapshot-expiry', 'trash-expiry']) await server.running.tick(worker)
    await server.later(25 * HOUR)
    await server.running.tick('blob-collector')
    assert.equal((await server.stored()).length, before - 2)
    assert.equal((await state(origin)).a?.text, 'contents of a')
    await server.running.tick('trash-expiry')
    const left = await server.database.db.selectFrom('buckets').select('id').where('former_name', '=', name).execute()
    assert.deepEqual(left, [])
    await usageIsRight()
  })

  it('leaves nothing behind where it is not filled', async () => {
    const origin = await open()
    await fill(origin, MANY)
    const made = await fork({ bucket: origin }, { quota_gb: 0.000_03 })
    await until(async () => (await server.admin.getJob({ params: { id: made.fork?.job ?? '' } })).status === 'failed')
    assert.equal((await server.admin.getBucket({ params: { bucket: made.name } })).fork?.state, 'filling')
    await rejectsWith(put(made.name, 'x', 'x'), 'read_only')
    await server.running.tick('fork-expiry')
    const { items } = await server.admin.listAudit({ query: { bucket: made.name } })
    const actions = items.map(({ action }) => action).filter((action, i, all) => action !== all[i - 1])
    assert.deepEqual(actions.toReversed(), ['create_bucket', 'delete_bucket', 'purge'])
    await rejectsWith(server.admin.getBucket({ params: { bucket: made.name } }), 'not_found')
    for (const worker of ['fork-expiry', 'snapshot-expiry', 'trash-expiry']) await server.running.tick(worker)
    const { db } = server.database
    assert.deepEqual(await db.selectFrom('buckets').select('id').where('former_name', '=', made.name).execute(), [])
    assert.deepEqual(await db.selectFrom('snapshots').select('name').where('name', 'like', '~0%').execute(), [])
    await usageIsRight()
  })

  itOnce('needs the right to create it, and to read all that it takes', async () => {
    const origin = await open()
    await put(origin, 'a/1', 'x')
    await put(origin, 'b/1', 'x')
    const part = server.as(
      await server.userWith(
        { bucket_pattern: 'forks-*', actions: ['create'] },
        { bucket_pattern: origin, prefix: 'a/', actions: ['read'] },
      ),
    )
    await rejectsWith(fork({ bucket: origin }, {}, part), 'forbidden')
    const { name } = await fork({ bucket: origin, prefix: 'a/' }, {}, part)
    assert.deepEqual(Object.keys(await state(name)), ['a/1'])
    const reader = server.as(await server.userWith({ bucket_pattern: origin, actions: ['read'] }))
    await rejectsWith(fork({ bucket: origin }, {}, reader), 'forbidden')
  })

  itOnce('refuses what cannot be', async () => {
    const origin = await open()
    await put(origin, 'a', 'x'.repeat(2000))
    const expires_at = new Date(server.clock.now().getTime() + DAY).toISOString()
    await rejectsWith(fork({ bucket: 'nowhere' }), 'not_found')
    await rejectsWith(fork({ bucket: origin, at: 'none' }), 'invalid_request', 'body.from.at')
    await rejectsWith(fork({ bucket: origin, at: '1999-01-01T00:00:00Z' }), 'invalid_request', 'body.from.at')
    await rejectsWith(fork({ bucket: origin }, { storage: 'default' }), 'invalid_request', 'body.storage')
    await rejectsWith(fork({ bucket: origin }, { expires_at, object_lock: {} }), 'invalid_request', 'body.object_lock')
    await rejectsWith(
      fork({ bucket: origin }, { expires_at: '2020-01-01T00:00:00.000Z' }),
      'invalid_request',
      'body.expires_at',
    )
    await rejectsWith(fork({ bucket: origin }, { mode: 'read_only' }), 'invalid_request', 'body.from')
    await rejectsWith(server.admin.createBucket({ body: { name: 'forks-x', expires_at } }), 'invalid_request')
    await server.records([], () => rejectsWith(fork({ bucket: origin }, { quota_gb: 0.000_001 }), 'quota_exceeded'))
    await rejectsWith(server.admin.createBucket({ body: { name: origin, from: { bucket: origin } } }), 'already_exists')
  })

  itOnce('is not locked while it has an end: what is locked is not deleted by time', async () => {
    const origin = await open()
    const expires_at = new Date(server.clock.now().getTime() + DAY).toISOString()
    const { name } = await fork({ bucket: origin }, { expires_at, versioning: 'enabled' })
    await server.records([], () =>
      rejectsWith(server.admin.updateBucket({ params: { bucket: name }, body: { object_lock: {} } }), 'conflict'),
    )
    // As an earlier build let it be.
    await server.database.transaction((tx) =>
      tx
        .updateTable('buckets')
        .set({ object_lock: JSON.stringify({ mode: null, days: null, years: null }) })
        .where('name', '=', name)
        .execute(),
    )
    await server.later(2 * DAY)
    await server.running.tick('fork-expiry')
    assert.equal((await server.admin.getBucket({ params: { bucket: name } })).name, name)
  })

  itOnce('can be deleted like any bucket', async () => {
    const origin = await open()
    await put(origin, 'a', 'contents of a')
    const { name } = await fork({ bucket: origin })
    await server.admin.deleteObject({ params: { bucket: name, key: 'a' } })
    await server.admin.deleteBucket({ params: { bucket: name } })
    server.clock.advance(1000)
    for (const worker of ['snapshot-expiry', 'trash-expiry', 'trash-expiry']) await server.running.tick(worker)
    const left = await server.database.db.selectFrom('buckets').select('id').where('former_name', '=', name).execute()
    assert.deepEqual(left, [])
  })
})
