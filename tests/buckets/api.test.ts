import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { ProblemError } from '../../client/derived.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

describeEngines('buckets', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  it('creates, gets, lists, changes and deletes', async () => {
    const { admin } = server
    const created = await server.records([{ action: 'create_bucket', bucket: 'photos' }], () =>
      admin.createBucket({ body: { name: 'photos', quota_gb: 1.5 } }),
    )
    assert.equal(created.quota_gb, 1.5)
    assert.equal(created.trash_days, 7)
    assert.equal(created.used_bytes, 0)
    await server.records([], async () => {
      assert.deepEqual(await admin.getBucket({ params: { bucket: 'photos' } }), created)
      assert.deepEqual((await admin.listBuckets()).items, [created])
    })
    const changed = await server.records([{ action: 'update_bucket', bucket: 'photos' }], () =>
      admin.updateBucket({ params: { bucket: 'photos' }, body: { quota_gb: null, trash_days: 0 } }),
    )
    assert.deepEqual([changed.quota_gb, changed.trash_days], [null, 0])
    await server.records([{ action: 'delete_bucket', bucket: 'photos' }], () =>
      admin.deleteBucket({ params: { bucket: 'photos' } }),
    )
    await rejectsWith(admin.getBucket({ params: { bucket: 'photos' } }), 'not_found')
    await server.running.tick()
    assert.equal((await server.database.db.selectFrom('buckets').selectAll().execute()).length, 0)
  })

  itOnce('rejects an existing name and invalid names, and records nothing', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'taken' } })
    await server.records([], async () => {
      await rejectsWith(admin.createBucket({ body: { name: 'taken' } }), 'already_exists')
      for (const name of ['ab', 'A-b', 'a..b', '-ab', 'ab-', '192.168.0.1', 'a_b', 'ä-b', 'x'.repeat(64)])
        await rejectsWith(admin.createBucket({ body: { name } }), 'invalid_request', 'body.name')
      for (const quota_gb of [0, -1, '5'])
        await rejectsWith(
          admin.createBucket({ body: { name: 'abc', quota_gb: quota_gb as number } }),
          'invalid_request',
        )
    })
  })

  it('gives one of eight concurrent creators the name', async () => {
    const { admin } = server
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => admin.createBucket({ body: { name: 'raced' } })),
    )
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of results)
      if (result.status === 'rejected') {
        assert.ok(result.reason instanceof ProblemError)
        assert.equal(result.reason.problem.code, 'already_exists')
      }
  })

  it('lists only buckets in which the caller has a permission, page by page', async () => {
    for (const name of ['list-a', 'list-b', 'list-c', 'other']) await server.admin.createBucket({ body: { name } })
    const token = await server.userWith({ bucket_pattern: 'list-*', actions: ['read'] })
    const someone = server.as(token)
    const first = await someone.listBuckets({ query: { limit: 2 } })
    assert.deepEqual(
      first.items.map(({ name, permissions }) => ({ name, permissions })),
      ['list-a', 'list-b'].map((name) => ({ name, permissions: ['read'] })),
    )
    const second = await someone.listBuckets({ query: { limit: 2, cursor: first.next_cursor ?? '' } })
    assert.deepEqual([second.items.map(({ name }) => name), second.next_cursor], [['list-c'], null])
    await rejectsWith(someone.listBuckets({ query: { cursor: 'garbage' } }), 'invalid_request', 'query.cursor')
  })

  it('tells what is in the whole bucket only to those who can list or manage it', async () => {
    const { admin } = server
    const params = { bucket: 'shared' }
    await admin.createBucket({ body: { name: 'shared', quota_gb: 1 } })
    for (const key of ['customers/acme/a.txt', 'customers/other/b.txt'])
      await admin.putObjectByQuery({ params, query: { key }, body: Buffer.alloc(1000) })
    const figuresOf = async (...grants: Parameters<TestServer['userWith']>) => {
      const client = server.as(await server.userWith(...grants))
      return server.records([], async () => {
        const bucket = await client.getBucket({ params })
        const { items } = await client.listBuckets()
        assert.deepEqual(items, [bucket])
        const { used_bytes, reserved_bytes, object_count, trash_bytes, version_bytes, quota_gb } = bucket
        return [used_bytes, reserved_bytes, object_count, trash_bytes, version_bytes, quota_gb]
      })
    }
    const all = [2000, 0, 2, 0, 0, 1]
    const none = [null, null, null, null, null, null]
    const whole = { bucket_pattern: 'shared', prefix: '' }
    const folder = { bucket_pattern: 'shared', prefix: 'customers/acme/' }
    assert.deepEqual(await figuresOf({ ...whole, actions: ['list'] }), all)
    assert.deepEqual(await figuresOf({ ...whole, actions: ['manage'] }), all)
    assert.deepEqual(await figuresOf({ ...whole, actions: ['read', 'write', 'create'] }), none)
    assert.deepEqual(await figuresOf({ ...folder, actions: ['list', 'read', 'write', 'manage'] }), none)
    assert.deepEqual(await figuresOf({ ...folder, actions: ['read'] }, { ...whole, actions: ['list'] }), all)
  })

  itOnce('answers the same 403 for a bucket without a grant whether or not it exists', async () => {
    await server.admin.createBucket({ body: { name: 'hidden' } })
    const someone = server.as(await server.userWith({ bucket_pattern: 'mine', actions: ['list', 'create'] }))
    const answer = async (name: string) => {
      const { problem } = await rejectsWith(someone.getBucket({ params: { bucket: name } }), 'forbidden')
      return { ...problem, request_id: '', detail: problem.detail.replace(name, 'NAME') }
    }
    assert.deepEqual(await answer('hidden'), await answer('absent'))
    await rejectsWith(someone.getBucket({ params: { bucket: 'mine' } }), 'not_found')
    await server.records([{ action: 'create_bucket', bucket: 'mine' }], () =>
      someone.createBucket({ body: { name: 'mine' } }),
    )
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(someone.createBucket({ body: { name: 'theirs' } }), 'forbidden'),
    )
  })
})
