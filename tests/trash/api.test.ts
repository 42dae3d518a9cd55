import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000
const ABSENT = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'

describeEngines('trash', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0
  const open = async (body: object = {}) => {
    const name = `trash-${++buckets}`
    await server.admin.createBucket({ body: { name, ...body } })
    return {
      name,
      put: (key: string, text: string) =>
        server.admin.putObject({ params: { bucket: name, key }, body: Buffer.from(text) }),
      remove: (key: string) => server.admin.deleteObject({ params: { bucket: name, key } }),
      items: async (query = {}) => (await server.admin.listTrash({ params: { bucket: name }, query })).items,
      restore: (ids: string[], on_conflict?: 'fail' | 'replace' | 'keep_both') =>
        server.admin.restoreTrash({ params: { bucket: name }, body: { ids, ...(on_conflict ? { on_conflict } : {}) } }),
      text: async (key: string) => (await server.admin.getObject({ params: { bucket: name, key } })).text(),
      purge: (body: { ids: string[] } | { all: true }) => server.admin.purgeTrash({ params: { bucket: name }, body }),
      usage: async () => {
        const { used_bytes, object_count, trash_bytes } = await server.admin.getBucket({ params: { bucket: name } })
        return [used_bytes, object_count, trash_bytes]
      },
    }
  }
  before(async () => {
    server = await startServer(engine, STORED)
  })
  after(() => server.stop())

  it('lists deleted and overwritten contents, latest first, page by page', async () => {
    const bucket = await open()
    for (const [key, text] of [
      ['a', '1'],
      ['a', '22'],
      ['b', '333'],
    ] as const) {
      await bucket.put(key, text)
      server.clock.advance(1000)
    }
    await bucket.remove('a')
    server.clock.advance(1000)
    await bucket.remove('b')
    const all = await bucket.items()
    assert.deepEqual(
      all.map(({ key, size, reason }) => [key, size, reason]),
      [
        ['b', 3, 'deleted'],
        ['a', 2, 'deleted'],
        ['a', 1, 'overwritten'],
      ],
    )
    assert.equal(Date.parse(all[0]?.expires_at ?? '') - Date.parse(all[0]?.deleted_at ?? ''), 7 * DAY)
    const first = await server.admin.listTrash({ params: { bucket: bucket.name }, query: { limit: 2 } })
    const second = await bucket.items({ limit: 2, cursor: first.next_cursor })
    assert.deepEqual([...first.items, ...second], all)
    assert.deepEqual(
      (await bucket.items({ prefix: 'b' })).map(({ key }) => key),
      ['b'],
    )
    await rejectsWith(bucket.items({ cursor: 'x' }), 'invalid_request', 'query.cursor')
  })

  it('restores all or none, never over something, and within the quota', async () => {
    const bucket = await open({ quota_gb: 10 / 1024 ** 3 })
    await bucket.put('a', '12345')
    await bucket.put('b', '12345')
    await bucket.remove('a')
    await bucket.remove('b')
    const [b, a] = (await bucket.items()).map(({ id }) => id) as [string, string]
    await bucket.put('b', 'new')
    await server.records([], async () => {
      const { problem } = await rejectsWith(bucket.restore([a, b]), 'conflict')
      assert.deepEqual(
        problem.errors?.map(({ path }) => path),
        ['body.ids.1'],
      )
      await rejectsWith(bucket.restore([a, ABSENT]), 'not_found', 'body.ids.1')
    })
    assert.deepEqual(await bucket.usage(), [3, 1, 10])
    await bucket.put('c', '123')
    await server.records([], () => rejectsWith(bucket.restore([a]), 'quota_exceeded'))
    await bucket.remove('c')
    const { items } = await server.records([{ action: 'restore', bucket: bucket.name, key: 'a' }], () =>
      bucket.restore([a]),
    )
    assert.deepEqual(
      items.map(({ key, size }) => [key, size]),
      [['a', 5]],
    )
    assert.deepEqual(await bucket.usage(), [8, 2, 8])
    await rejectsWith(bucket.restore([a]), 'not_found')
  })

  it('restores over what has the key: that goes to the trash, and may come back in turn', async () => {
    const bucket = await open({ quota_gb: 12 / 1024 ** 3 })
    await bucket.put('k', 'first')
    server.clock.advance(1000)
    await bucket.put('k', 'the second')
    await bucket.put('gone', '1')
    await bucket.remove('gone')
    const [gone, first] = (await bucket.items()).map(({ id }) => id) as [string, string]
    await server.records([], async () => {
      await rejectsWith(bucket.restore([first]), 'conflict', 'body.ids.0')
      await rejectsWith(bucket.restore([first], 'fail'), 'conflict', 'body.ids.0')
      await rejectsWith(bucket.restore([first], 'over' as 'fail'), 'invalid_request', 'body.on_conflict')
    })
    server.clock.advance(1000)
    const answer = await server.records(
      [
        { action: 'restore', bucket: bucket.name, key: 'gone' },
        { action: 'restore', bucket: bucket.name, key: 'k' },
      ],
      () => bucket.restore([first, gone], 'replace'),
    )
    assert.equal(await bucket.text('k'), 'first')
    assert.deepEqual(await bucket.usage(), [6, 2, 10])
    const [item] = await bucket.items()
    assert.deepEqual([item?.key, item?.size, item?.reason], ['k', 10, 'overwritten'])
    const nothing = { replaced: false, replaced_trash_id: null }
    assert.deepEqual(answer.restored, [
      { id: first, key: 'k', original_key: 'k', replaced: true, replaced_trash_id: item?.id },
      { id: gone, key: 'gone', original_key: 'gone', ...nothing },
    ])
    assert.deepEqual(
      answer.items.map(({ key, size }) => [key, size]),
      [
        ['gone', 1],
        ['k', 5],
      ],
    )
    const records = await server.admin.listAudit({ query: { action: ['restore'], bucket: bucket.name } })
    assert.deepEqual(records.items.map(({ details }) => details).toReversed(), [
      { size: 1, trash_id: gone },
      { size: 5, trash_id: first, replaced: true, replaced_trash_id: item?.id },
    ])
    // 10 bytes for 5 more: only what grows the bucket needs room.
    await bucket.restore([item?.id ?? ''], 'replace')
    assert.deepEqual([await bucket.text('k'), await bucket.usage()], ['the second', [11, 2, 5]])
    await server.admin.updateBucket({ params: { bucket: bucket.name }, body: { quota_gb: 5 / 1024 ** 3 } })
    const [again] = (await bucket.items()).map(({ id }) => id) as [string]
    await bucket.restore([again], 'replace')
    const [second] = (await bucket.items()).map(({ id }) => id) as [string]
    await server.records([], () => rejectsWith(bucket.restore([second], 'replace'), 'quota_exceeded'))
    assert.deepEqual([await bucket.text('k'), await bucket.usage()], ['first', [6, 2, 10]])
  })

  it('restores beside what has the key, under the first free name', async () => {
    const bucket = await open({ quota_gb: 30 / 1024 ** 3 })
    for (const text of ['1', '22', '333']) {
      await bucket.put('in/report.final.pdf', text)
      server.clock.advance(1000)
    }
    await bucket.put('folder/', '')
    await bucket.remove('folder/')
    await bucket.put('folder/', '')
    await bucket.put('free', '1')
    await bucket.remove('free')
    const items = await bucket.items()
    const idOf = (key: string, size: number) =>
      items.find((item) => item.key === key && item.size === size)?.id as string
    const [one, two] = [idOf('in/report.final.pdf', 1), idOf('in/report.final.pdf', 2)]
    const ids = [one, two, idOf('free', 1), idOf('folder/', 0)]
    await bucket.put('in/report.final (restored).pdf', 'x')
    const { items: objects, restored } = await server.records(
      [
        { action: 'restore', bucket: bucket.name, key: 'folder (restored)/' },
        { action: 'restore', bucket: bucket.name, key: 'free' },
        { action: 'restore', bucket: bucket.name, key: 'in/report.final (restored 2).pdf' },
        { action: 'restore', bucket: bucket.name, key: 'in/report.final (restored 3).pdf' },
      ],
      () => bucket.restore(ids, 'keep_both'),
    )
    // The one that came into the trash last has the better name.
    const keys = ['in/report.final (restored 3).pdf', 'in/report.final (restored 2).pdf', 'free', 'folder (restored)/']
    assert.deepEqual(
      restored.map(({ id, key, replaced }) => [id, key, replaced]),
      ids.map((id, i) => [id, keys[i], false]),
    )
    assert.deepEqual(
      restored.map(({ original_key }) => original_key),
      ['in/report.final.pdf', 'in/report.final.pdf', 'free', 'folder/'],
    )
    assert.deepEqual(
      objects.map(({ key }) => key),
      keys.toSorted(),
    )
    assert.equal(await bucket.text('in/report.final.pdf'), '333')
    assert.equal(await bucket.text('in/report.final (restored 2).pdf'), '22')
    assert.equal(await bucket.text('in/report.final (restored 3).pdf'), '1')
    assert.deepEqual(await bucket.usage(), [8, 7, 0])
    const records = await server.admin.listAudit({ query: { action: ['restore'], bucket: bucket.name } })
    assert.deepEqual(records.items[0]?.details, { size: 1, trash_id: one, original_key: 'in/report.final.pdf' })
    assert.deepEqual(records.items[2]?.details, { size: 1, trash_id: idOf('free', 1) })
  })

  it('refuses what has no free name beside it, and what the quota has no room for twice', async () => {
    const bucket = await open({ quota_gb: 9 / 1024 ** 3 })
    const long = 'x'.repeat(1020)
    for (const key of [long, 'k']) {
      await bucket.put(key, '1234')
      await bucket.remove(key)
      await bucket.put(key, '1234')
    }
    const [k, other] = (await bucket.items()).map(({ id }) => id) as [string, string]
    await server.records([], async () => {
      await rejectsWith(bucket.restore([k, other], 'keep_both'), 'conflict', 'body.ids.1')
      await rejectsWith(bucket.restore([k], 'keep_both'), 'quota_exceeded')
      await rejectsWith(bucket.restore([k, ABSENT], 'keep_both'), 'not_found', 'body.ids.1')
    })
    assert.deepEqual(await bucket.usage(), [8, 2, 8])
  })

  it('never replaces one key with two items', async () => {
    const bucket = await open()
    for (const text of ['1', '22', '333']) await bucket.put('k', text)
    const ids = (await bucket.items()).map(({ id }) => id)
    await server.records([], async () => {
      const { problem } = await rejectsWith(bucket.restore(ids, 'replace'), 'conflict')
      assert.equal(problem.errors?.length, 1)
    })
    assert.deepEqual([await bucket.text('k'), await bucket.usage()], ['333', [3, 1, 3]])
  })

  it('purges named items or all, and the bytes go after the grace period', async () => {
    const bucket = await open()
    for (const key of ['a', 'b', 'c']) await bucket.put(key, key)
    for (const key of ['a', 'b']) await bucket.remove(key)
    const files = (await server.stored()).length
    const [b, a] = await bucket.items()
    await server.records([{ action: 'purge', bucket: bucket.name, key: 'a' }], () =>
      bucket.purge({ ids: [a?.id ?? ''] }),
    )
    await server.records([], () => rejectsWith(bucket.purge({ ids: [a?.id ?? ''] }), 'not_found'))
    const purged = await server.records([{ action: 'purge', bucket: bucket.name, key: 'b' }], () =>
      bucket.purge({ all: true }),
    )
    assert.deepEqual(purged, { purged: 1, bytes: 1, more: false })
    assert.ok(b)
    assert.deepEqual(await bucket.usage(), [1, 1, 0])
    await server.running.tick()
    assert.equal((await server.stored()).length, files, 'within the grace period the bytes stay')
    await server.later(3601_000)
    await server.running.tick()
    assert.equal((await server.stored()).length, files - 2)
    const response = await server.admin.getObject({ params: { bucket: bucket.name, key: 'c' } })
    assert.equal(await response.text(), 'c')
  })

  it('restores contents as they were, one of two of the same key', async () => {
    const bucket = await open()
    const params = { bucket: bucket.name }
    const headers = { 'content-type': 'text/x-own', 'x-meta-colour': 'blue' }
    const original = await server.admin.putObject({ params: { ...params, key: 'k' }, body: 'first', headers })
    server.clock.advance(1000)
    await bucket.put('k', 'second')
    server.clock.advance(1000)
    await bucket.remove('k')
    const [second, first] = (await bucket.items()).map(({ id }) => id) as [string, string]
    await server.records([], async () => {
      const { problem } = await rejectsWith(bucket.restore([first, second]), 'conflict')
      assert.equal(problem.errors?.length, 1)
      await rejectsWith(bucket.restore([first, first]), 'invalid_request', 'body.ids')
      await rejectsWith(bucket.restore([]), 'invalid_request', 'body.ids')
      await rejectsWith(bucket.restore(['x']), 'invalid_request', 'body.ids.0')
    })
    assert.deepEqual(await bucket.usage(), [0, 0, 11])
    const { items } = await bucket.restore([first])
    assert.deepEqual(items, [original])
    const response = await server.admin.getObject({ params: { ...params, key: 'k' } })
    assert.deepEqual([await response.text(), response.headers.get('x-meta-colour')], ['first', 'blue'])
    assert.deepEqual(await bucket.usage(), [5, 1, 6])
  })

  itOnce('takes ids only in their own bucket', async () => {
    const [bucket, other] = [await open(), await open()]
    await bucket.put('a', 'x')
    await bucket.remove('a')
    const ids = (await bucket.items()).map(({ id }) => id)
    await server.records([], async () => {
      await rejectsWith(other.restore(ids), 'not_found', 'body.ids.0')
      await rejectsWith(other.purge({ ids }), 'not_found', 'body.ids.0')
      await rejectsWith(bucket.purge({ ids: [...ids, ABSENT] }), 'not_found', 'body.ids.1')
      await rejectsWith(bucket.purge({} as { all: true }), 'invalid_request')
      await rejectsWith(bucket.purge({ all: false } as unknown as { all: true }), 'invalid_request')
      const missing = { params: { bucket: 'no-bucket' } }
      await rejectsWith(server.admin.listTrash(missing), 'not_found')
      await rejectsWith(server.admin.restoreTrash({ ...missing, body: { ids } }), 'not_found')
      await rejectsWith(server.admin.purgeTrash({ ...missing, body: { all: true } }), 'not_found')
    })
    assert.deepEqual(await bucket.usage(), [0, 0, 1])
  })

  it('keeps bytes that something else still points at, and those only', async () => {
    const bucket = await open()
    await bucket.put('shared', 'shared bytes')
    await bucket.put('own', 'own bytes')
    await server.admin.deleteObject({ params: { bucket: bucket.name, key: 'own' }, query: { permanent: true } })
    await bucket.remove('shared')
    const files = await server.stored()
    // A copy, as it will be made: another row with the same blob.
    await server.database.transaction(async (tx) => {
      const {
        id: _id,
        reason: _reason,
        deleted_at: _at,
        deleted_by: _by,
        job_id: _job,
        ...row
      } = await tx
        .selectFrom('trash')
        .innerJoin('buckets', 'buckets.id', 'trash.bucket_id')
        .selectAll('trash')
        .where('buckets.name', '=', bucket.name)
        .executeTakeFirstOrThrow()
      await tx
        .insertInto('objects')
        .values({ ...row, key: 'copy' })
        .execute()
    })
    await bucket.purge({ all: true })
    await server.later(3599_000)
    await server.records([], () => server.running.tick())
    assert.deepEqual(await server.stored(), files, 'the grace period is not over')
    await server.later(2000)
    await server.records([], () => server.running.tick())
    assert.equal((await server.stored()).length, files.length - 1)
    const response = await server.admin.getObject({ params: { bucket: bucket.name, key: 'copy' } })
    assert.equal(await response.text(), 'shared bytes')
    await server.database.transaction((tx) => tx.deleteFrom('objects').where('key', '=', 'copy').execute())
  })

  it('uses the bucket’s current trash_days', async () => {
    const bucket = await open({ trash_days: 30 })
    await bucket.put('a', 'x')
    await bucket.remove('a')
    await server.later(10 * DAY)
    await server.running.tick()
    assert.equal((await bucket.items()).length, 1)
    await server.admin.updateBucket({ params: { bucket: bucket.name }, body: { trash_days: 10 } })
    assert.equal((await bucket.items())[0]?.expires_at, server.clock.now().toISOString())
    await server.records([{ action: 'purge', bucket: bucket.name }], () => server.running.tick())
    assert.deepEqual([await bucket.items(), await bucket.usage()], [[], [0, 0, 0]])
  })

  it('forgets what is older than the days of the bucket, as the system', async () => {
    const bucket = await open({ trash_days: 2 })
    await bucket.put('old', '1')
    await bucket.remove('old')
    await server.later(DAY)
    await bucket.put('young', '22')
    await bucket.remove('young')
    await server.later(DAY)
    await server.records([{ action: 'purge', bucket: bucket.name }], () => server.running.tick())
    assert.deepEqual(
      (await bucket.items()).map(({ key }) => key),
      ['young'],
    )
    assert.deepEqual(await bucket.usage(), [0, 0, 2])
    const record = await server.admin.listAudit({ query: { action: ['purge'], bucket: bucket.name } })
    assert.deepEqual(record.items[0]?.actor, { user_id: null, email: null, type: 'system' })
    assert.deepEqual(record.items[0]?.details, { reason: 'expired', objects: 1, bytes: 1 })
    await server.records([], () => server.running.tick())
  })

  it('keeps nothing where the trash is off, and empties the trash of a deleted bucket', async () => {
    const off = await open({ trash_days: 0 })
    await off.put('a', 'one')
    await off.put('a', 'two')
    await off.remove('a')
    assert.deepEqual([await off.items(), await off.usage()], [[], [0, 0, 0]])
    const bucket = await open()
    await bucket.put('a', 'x')
    await rejectsWith(server.admin.deleteBucket({ params: { bucket: bucket.name } }), 'not_empty')
    await bucket.remove('a')
    const files = (await server.stored()).length
    await server.records([{ action: 'delete_bucket', bucket: bucket.name }], () =>
      server.admin.deleteBucket({ params: { bucket: bucket.name } }),
    )
    await server.admin.createBucket({ body: { name: bucket.name } })
    assert.deepEqual([await bucket.items(), await bucket.usage()], [[], [0, 0, 0]])
    await server.running.tick()
    const purges = (await server.admin.listAudit({ query: { action: ['purge'], page_size: 1 } })).items
    assert.deepEqual(
      purges.map(({ actor, bucket: of, details }) => [actor.type, of, { ...details, bucket_id: '' }]),
      [['system', bucket.name, { reason: 'bucket_deleted', objects: 1, bytes: 1, bucket_id: '' }]],
    )
    assert.equal((await server.stored()).length, files, 'within the grace period the bytes stay')
    await server.later(3601_000)
    await server.running.tick()
    assert.ok((await server.stored()).length < files)
    const rows = await server.database.db
      .selectFrom('buckets')
      .select('name')
      .where('deleted_at', 'is not', null)
      .execute()
    assert.deepEqual(rows, [])
  })

  itOnce('requires list to see, write to restore, manage to purge', async () => {
    const bucket = await open()
    for (const key of ['in/a', 'out/a']) {
      await bucket.put(key, 'x')
      await bucket.remove(key)
    }
    const inside = (await bucket.items())[1]?.id as string
    const with_ = async (...actions: ('list' | 'write' | 'manage')[]) =>
      server.as(await server.userWith({ bucket_pattern: bucket.name, prefix: 'in/', actions }))
    const params = { bucket: bucket.name }
    const lister = await with_('list')
    await rejectsWith(lister.restoreTrash({ params, body: { ids: [inside] } }), 'forbidden')
    await rejectsWith(lister.purgeTrash({ params, body: { ids: [inside] } }), 'forbidden')
    const writer = await with_('write')
    await rejectsWith(writer.listTrash({ params }), 'forbidden')
    const manager = await with_('manage')
    await rejectsWith(manager.purgeTrash({ params, body: { all: true } }), 'forbidden')
    await writer.restoreTrash({ params, body: { ids: [inside] } })
    assert.deepEqual(await bucket.usage(), [1, 1, 1])
  })

  itOnce('treats items that the caller cannot see like unknown ids', async () => {
    const bucket = await open()
    for (const key of ['in/a', 'out/hidden']) {
      await bucket.put(key, 'x')
      await bucket.remove(key)
    }
    const [out, inside] = (await bucket.items()).map(({ id }) => id) as [string, string]
    const params = { bucket: bucket.name }
    const on = (prefix: string, actions: ('list' | 'write' | 'manage')[]) => ({
      bucket_pattern: bucket.name,
      prefix,
      actions,
    })
    const blind = server.as(await server.userWith(on('in/', ['write', 'manage'])))
    const calls = (id: string) => [
      () => blind.restoreTrash({ params, body: { ids: [inside, id] } }),
      () => blind.restoreTrash({ params, body: { ids: [inside, id], on_conflict: 'keep_both' } }),
      () => blind.purgeTrash({ params, body: { ids: [inside, id] } }),
    ]
    await server.records([], async () => {
      const [theirs, absent] = [calls(out), calls(ABSENT)]
      for (const [i, call] of theirs.entries()) {
        const { problem } = await rejectsWith(call(), 'not_found', 'body.ids.1')
        const other = await rejectsWith((absent[i] as typeof call)(), 'not_found', 'body.ids.1')
        assert.deepEqual({ ...problem, request_id: '' }, { ...other.problem, request_id: '' })
        assert.ok(!JSON.stringify(problem).includes('hidden'))
      }
    })
    const sees = server.as(await server.userWith(on('in/', ['write', 'manage']), on('', ['list'])))
    await rejectsWith(sees.restoreTrash({ params, body: { ids: [out] } }), 'forbidden')
    await rejectsWith(sees.purgeTrash({ params, body: { ids: [out] } }), 'forbidden')
    assert.deepEqual(await bucket.usage(), [0, 0, 2])
  })

  if (engine === 'postgres')
    it('keeps what it was about to destroy when the days are raised while it works', async () => {
      const bucket = await open({ trash_days: 1 })
      await bucket.put('a', 'x')
      await bucket.remove('a')
      await server.later(2 * DAY)
      const { database } = server
      let commit = () => {}
      let isHeld = () => {}
      const held = new Promise<void>((resolve) => {
        isHeld = resolve
      })
      const change = database.transaction(async (tx) => {
        await tx.updateTable('buckets').set({ trash_days: 30 }).where('name', '=', bucket.name).execute()
        isHeld()
        await new Promise<void>((resolve) => {
          commit = resolve
        })
      })
      await held
      const work = server.running.tick()
      // The worker has seen the bucket as it was, and waits for it.
      await until(async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db as never)
        return rows.length > 0
      })
      commit()
      await Promise.all([change, work])
      assert.equal((await bucket.items()).length, 1)
    })

  it('takes back a deletion of many by the ids its answer has', async () => {
    const bucket = await open()
    await bucket.put('a', '1')
    await bucket.put('b', '22')
    const params = { bucket: bucket.name }
    const removed = await server.admin.bulkDelete({ params, body: { keys: ['a', 'b', 'none'] } })
    assert.deepEqual([removed.succeeded.length, removed.errors.length], [2, 1])
    assert.deepEqual(removed.trash_ids.toSorted(), (await bucket.items()).map(({ id }) => id).toSorted())
    await bucket.restore(removed.trash_ids)
    assert.deepEqual(await bucket.usage(), [3, 2, 0])
    const none = await server.admin.bulkDelete({ params, body: { keys: ['none'] } })
    assert.deepEqual(none.trash_ids, [])
    const off = await open({ trash_days: 0 })
    await off.put('a', '1')
    const gone = await server.admin.bulkDelete({ params: { bucket: off.name }, body: { keys: ['a'] } })
    assert.deepEqual([gone.succeeded, gone.trash_ids], [['a'], []])
  })

  itOnce(
    'asks more of who restores over something that the bucket would not keep, and write where both are kept',
    async () => {
      const bucket = await open()
      await bucket.put('in/k.txt', 'first')
      await bucket.put('in/k.txt', 'second')
      const [first] = (await bucket.items()).map(({ id }) => id) as [string]
      const params = { bucket: bucket.name }
      const as = async (prefix: string, ...actions: ('write' | 'delete' | 'manage')[]) =>
        server.as(await server.userWith({ bucket_pattern: bucket.name, prefix, actions }))
      const narrow = await as('in/k.txt', 'write')
      await server.records([{ action: 'access_denied', result: 'denied' }], () =>
        rejectsWith(narrow.restoreTrash({ params, body: { ids: [first], on_conflict: 'keep_both' } }), 'forbidden'),
      )
      await narrow.restoreTrash({ params, body: { ids: [first], on_conflict: 'replace' } })
      await server.admin.updateBucket({ params, body: { trash_days: 0 } })
      const [second] = (await bucket.items()).map(({ id }) => id) as [string]
      const over = { params, body: { ids: [second], on_conflict: 'replace' as const } }
      for (const rights of [['write'], ['write', 'delete'], ['write', 'manage']] as const)
        await rejectsWith((await as('in/', ...rights)).restoreTrash(over), 'forbidden')
      assert.equal(await bucket.text('in/k.txt'), 'first')
      const { restored } = await (await as('in/', 'write', 'delete', 'manage')).restoreTrash(over)
      assert.deepEqual(
        restored.map(({ replaced, replaced_trash_id }) => [replaced, replaced_trash_id]),
        [[true, null]],
      )
      assert.deepEqual([await bucket.text('in/k.txt'), await bucket.usage()], ['second', [6, 1, 0]])
    },
  )
})
