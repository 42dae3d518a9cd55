import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import type { BulkResult } from '../../contract/objects.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, type Seen, startServer, type TestServer } from '../support/server.ts'
import { assertExact, bucketsOf, denied, GIB, type Kind, times } from './transfers.ts'

const codes = ({ errors }: BulkResult) => Object.fromEntries(errors.map(({ key, code }) => [key, code]))

describeEngines('bulk copy, move and delete', (engine, itOnce) => {
  let server: TestServer
  const open = bucketsOf(() => server, 'bulk')
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())
  const recorded = (kind: Kind | 'delete', bucket: string, keys: string[]) =>
    keys.map((key): Seen => ({ action: kind, bucket, key }))
  const bulkIds = async (n: number) =>
    (await allActions(server.database)).slice(-n).map((row) => (JSON.parse(row.details) as { bulk_id: string }).bulk_id)

  itOnce('lands at dest_prefix and the last segment, or the rest after source_prefix', async () => {
    const [from, to] = [await open(), await open()]
    const keys = ['a', 'x/b', 'x/y/c', 'x/y/', '//d', '/']
    for (const key of keys) await from.put(key)
    const flat = await server.records(recorded('copy', to.name, ['a', 'b', 'c', 'y/', 'd', '/']), () =>
      to.takeMany('copy', keys, from.name),
    )
    assert.deepEqual([flat.succeeded, flat.errors], [['a', 'b', 'c', 'y/', 'd', '/'], []])
    assert.deepEqual([await to.text('c'), await to.text('y/'), await to.text('/')], ['x/y/c', 'x/y/', '/'])
    const below = await to.takeMany('copy', ['x/b', 'x/y/c', 'x/y/', 'a'], from.name, {
      dest_prefix: 'in/',
      source_prefix: 'x/',
    })
    assert.deepEqual(below.succeeded, ['in/b', 'in/y/c', 'in/y/'])
    assert.deepEqual(codes(below), { a: 'invalid_request' })
    const part = await to.takeMany('copy', ['x/y/c'], from.name, { dest_prefix: 'no slash', source_prefix: 'x' })
    assert.deepEqual(part.succeeded, ['no slash/y/c'])
    const itself = await server.records([], () => from.takeMany('copy', ['x/y/'], from.name, { source_prefix: 'x/y/' }))
    assert.deepEqual(codes(itself), { 'x/y/': 'invalid_request' })
    assert.deepEqual((await from.takeMany('move', ['x/b'], from.name, { dest_prefix: 'x/c/' })).succeeded, ['x/c/b'])
  })

  it('reports the result for each key, shares one bulk_id, and records what was done', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 30 / GIB })]
    for (const key of ['in/a', 'in/b', 'in/x/b', 'in/c', 'out/d']) await from.put(key, Buffer.alloc(10))
    await from.put('in/big', Buffer.alloc(100))
    await to.put('c', Buffer.alloc(10))
    const client = server.as(
      await server.userWith(
        { bucket_pattern: from.name, prefix: 'in/', actions: ['read', 'delete'] },
        { bucket_pattern: from.name, prefix: 'readonly/', actions: ['read'] },
        { bucket_pattern: to.name, actions: ['write'] },
      ),
    )
    const body = {
      source_bucket: from.name,
      keys: ['in/a', 'in/big', 'in/none', 'in/b', 'in/x/b', 'out/d', 'in/c', 'readonly/e'],
    }
    const result = await server.records(recorded('copy', to.name, ['a', 'b', 'c']), () =>
      client.bulkCopy({ params: { bucket: to.name }, body }),
    )
    assert.deepEqual(result.succeeded, ['a', 'b', 'c'])
    assert.deepEqual(codes(result), {
      'in/big': 'quota_exceeded',
      'in/none': 'not_found',
      'in/x/b': 'conflict',
      'out/d': 'forbidden',
      'readonly/e': 'not_found',
    })
    assert.match(result.errors.find(({ key }) => key === 'out/d')?.detail ?? '', /"read" permission on key "out\/d"/)
    const ids = await bulkIds(3)
    assert.deepEqual([new Set(ids).size, typeof ids[0]], [1, 'string'])
    assert.deepEqual(await to.usage(), [30, 3, 10])
    const again = await server.records([], () =>
      client.bulkCopy({ params: { bucket: to.name }, body: { ...body, if_none_match: '*' } }),
    )
    assert.deepEqual(again.succeeded, [])
    assert.deepEqual(codes(again), {
      ...codes(result),
      'in/a': 'precondition_failed',
      'in/c': 'precondition_failed',
      'in/b': 'precondition_failed',
      'in/x/b': 'precondition_failed',
    })
    const moved = await server.records(recorded('move', to.name, ['a', 'b', 'c']), () =>
      client.bulkMove({ params: { bucket: to.name }, body }),
    )
    assert.deepEqual(codes(moved), { ...codes(result), 'readonly/e': 'forbidden' })
    assert.match(
      moved.errors.find(({ key }) => key === 'readonly/e')?.detail ?? '',
      /"delete" permission on key "readonly\/e"/,
    )
    assert.deepEqual((await from.keys()).toSorted(), ['in/big', 'in/x/b', 'out/d'])
    assert.notEqual((await bulkIds(1))[0], ids[0])
    const removed = await server.records(recorded('delete', from.name, ['in/big', 'in/x/b']), () =>
      client.bulkDelete({ params: { bucket: from.name }, body: { keys: ['out/d', 'in/x/b', 'in/none', 'in/big'] } }),
    )
    assert.deepEqual(removed.succeeded.toSorted(), ['in/big', 'in/x/b'])
    assert.deepEqual(codes(removed), { 'out/d': 'forbidden', 'in/none': 'not_found' })
    assert.equal(new Set(await bulkIds(2)).size, 1)
    assert.deepEqual((await from.trash()).map(({ key, reason }) => [key, reason]).toSorted(), [
      ['in/big', 'deleted'],
      ['in/x/b', 'deleted'],
    ])
    await assertExact(server, from.name, to.name)
  })

  it('fills a quota to the byte with what fits, in the order asked, and goes on after what does not', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 100 / GIB })]
    const sizes = { a: 60, b: 50, c: 30, d: 11, e: 10, f: 1, zero: 0 }
    for (const [key, size] of Object.entries(sizes)) await from.put(key, Buffer.alloc(size))
    const result = await to.takeMany('copy', Object.keys(sizes), from.name)
    assert.deepEqual(result.succeeded, ['a', 'c', 'e', 'zero'])
    assert.deepEqual(codes(result), { b: 'quota_exceeded', d: 'quota_exceeded', f: 'quota_exceeded' })
    assert.match(result.errors.find(({ key }) => key === 'd')?.detail ?? '', /has 10 bytes left/)
    assert.deepEqual(await to.usage(), [100, 4, 0])
    // What is overwritten makes room for those after it.
    await from.put('a', Buffer.alloc(10))
    const second = await to.takeMany('move', ['b', 'a', 'd', 'zero'], from.name)
    assert.deepEqual(second.succeeded, ['a', 'd', 'zero'])
    assert.deepEqual(codes(second), { b: 'quota_exceeded' })
    assert.deepEqual(await to.usage(), [61, 5, 60])
    await assertExact(server, from.name, to.name)
  })

  it('counts exactly under the quota over everything', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 1 })]
    for (const key of ['a', 'b', 'c', 'd']) await from.put(key, Buffer.alloc(10))
    const used = (await server.admin.usage()).used_bytes
    try {
      await server.admin.updateSettings({ body: { quotas: { total_quota_gb: (used + 25) / GIB } } })
      const copied = await to.takeMany('copy', ['a', 'b', 'c', 'd'], from.name)
      assert.deepEqual([copied.succeeded, codes(copied)], [['a', 'b'], { c: 'quota_exceeded', d: 'quota_exceeded' }])
      await assertExact(server, from.name, to.name)
      const moved = await to.takeMany('move', ['a', 'b', 'c', 'd'], from.name)
      assert.deepEqual([moved.succeeded, moved.errors], [['a', 'b', 'c', 'd'], []])
      await assertExact(server, from.name, to.name)
      assert.deepEqual(await to.usage(), [40, 4, 20])
      const more = await from.takeMany('copy', ['a', 'b', 'c', 'd'], to.name)
      assert.deepEqual(more.succeeded, ['a', 'b'])
      await from.removeMany(['a', 'b'])
      await assertExact(server, from.name, to.name)
    } finally {
      await server.admin.updateSettings({ body: { quotas: { total_quota_gb: null } } })
    }
  })

  it('moves down a chain in either order without losing anything', async () => {
    const bucket = await open()
    const fill = async () => {
      for (const key of ['a', 'p/a', 'p/p/a']) await bucket.put(key, `was ${key}`)
    }
    const down = (keys: string[]) =>
      bucket.takeMany('move', keys, bucket.name, { dest_prefix: 'p/', source_prefix: '' })
    await fill()
    // Deepest first: each key is free when the next comes; only p/p/a is overwritten by none.
    const deepest = await server.records(recorded('move', bucket.name, ['p/p/p/a', 'p/p/a', 'p/a']), () =>
      down(['p/p/a', 'p/a', 'a']),
    )
    assert.deepEqual([deepest.succeeded, deepest.errors], [['p/p/p/a', 'p/p/a', 'p/a'], []])
    assert.deepEqual(
      [await bucket.text('p/p/p/a'), await bucket.text('p/p/a'), await bucket.text('p/a'), await bucket.trash()],
      ['was p/p/a', 'was p/a', 'was a', []],
    )
    await bucket.removeMany(await bucket.keys())
    await fill()
    const trashed = (await bucket.trash()).length
    // The other way round a key is still taken by one that is about to leave: refused, never overwritten.
    const first = await down(['a', 'p/a', 'p/p/a'])
    assert.deepEqual([first.succeeded, codes(first)], [['p/p/p/a'], { a: 'conflict', 'p/a': 'conflict' }])
    assert.deepEqual([await bucket.text('a'), await bucket.text('p/a')], ['was a', 'was p/a'])
    assert.equal((await bucket.trash()).length, trashed)
    await assertExact(server, bucket.name)
  })

  it('a named but missing key does not get in the way', async () => {
    const bucket = await open()
    await bucket.put('a')
    const result = await bucket.takeMany('move', ['a', 'p/a'], bucket.name, { dest_prefix: 'p/', source_prefix: '' })
    assert.deepEqual([result.succeeded, codes(result)], [['p/a'], { 'p/a': 'not_found' }])
  })

  it('copies down a chain what was there when it began, in either order', async () => {
    for (const keys of [
      ['a', 'p/a'],
      ['p/a', 'a'],
    ]) {
      const bucket = await open()
      for (const key of ['a', 'p/a']) await bucket.put(key, `was ${key}`)
      const { errors } = await bucket.takeMany('copy', keys, bucket.name, { dest_prefix: 'p/', source_prefix: '' })
      assert.deepEqual(errors, [])
      assert.deepEqual(
        [await bucket.text('a'), await bucket.text('p/a'), await bucket.text('p/p/a')],
        ['was a', 'was a', 'was p/a'],
      )
      assert.deepEqual(
        (await bucket.trash()).map(({ key, size }) => [key, size]),
        [['p/a', 7]],
      )
      await assertExact(server, bucket.name)
    }
  })

  it('takes 1,000 keys of 1,000 bytes, and not one more', async () => {
    const [from, to] = [await open(), await open()]
    const key = (i: number) => `${'"'.repeat(994)}${String(i).padStart(6, '0')}`
    const keys = times(1000, key)
    await from.put('seed', 'x')
    await server.database.transaction(async (tx) => {
      const row = await tx.selectFrom('objects').selectAll().where('key', '=', 'seed').executeTakeFirstOrThrow()
      for (let i = 0; i < 1000; i += 250)
        await tx
          .insertInto('objects')
          .values(keys.slice(i, i + 250).map((one) => ({ ...row, key: one })))
          .execute()
      const usage = tx
        .updateTable('bucket_usage')
        .set((e) => ({ objects: e('objects', '+', 1000), bytes: e('bytes', '+', 1000) }))
      await usage.where('bucket_id', '=', row.bucket_id).execute()
    })
    await assertExact(server, from.name)
    const copied = await server.records(recorded('copy', to.name, keys), () => to.takeMany('copy', keys, from.name))
    assert.deepEqual([copied.succeeded.length, copied.errors], [1000, []])
    const moved = await to.takeMany('move', keys, from.name)
    assert.deepEqual([moved.succeeded.length, moved.errors], [1000, []])
    assert.deepEqual(
      [await from.usage(), await to.usage()],
      [
        [1, 1, 0],
        [1000, 1000, 1000],
      ],
    )
    const { items } = await server.admin.objectsExist({ params: { bucket: to.name }, body: { keys } })
    assert.ok(items.length === 1000 && items.every(({ exists, size }) => exists && size === 1))
    const removed = await server.records(recorded('delete', to.name, keys), () => to.removeMany(keys))
    assert.deepEqual([removed.succeeded.length, removed.errors], [1000, []])
    await assertExact(server, from.name, to.name)
    const last = (await allActions(server.database)).at(-1)
    assert.equal(last?.object_key, keys.at(-1))
    await server.records([], async () => {
      const many = [...keys, 'one more']
      await rejectsWith(to.takeMany('copy', many, from.name), 'invalid_request', 'body.keys')
      await rejectsWith(to.takeMany('move', many, from.name), 'invalid_request', 'body.keys')
      await rejectsWith(to.removeMany(many), 'invalid_request', 'body.keys')
      const params = { bucket: to.name }
      await rejectsWith(server.admin.objectsExist({ params, body: { keys: many } }), 'invalid_request', 'body.keys')
      for (const bad of [[], ['a', 'a'], [''], ['a', 'x\0']]) {
        await rejectsWith(to.takeMany('copy', bad, from.name), 'invalid_request')
        await rejectsWith(to.removeMany(bad), 'invalid_request')
      }
      assert.deepEqual(codes(await to.takeMany('copy', ['none', 'neither'], from.name)), {
        none: 'not_found',
        neither: 'not_found',
      })
      assert.deepEqual(codes(await to.removeMany(['none'])), { none: 'not_found' })
      const long = { dest_prefix: `${'x'.repeat(1020)}/` }
      const result = await to.takeMany('copy', ['seed'], from.name, long)
      assert.deepEqual([result.succeeded, codes(result)], [[], { seed: 'invalid_request' }])
      await rejectsWith(to.takeMany('copy', ['seed'], from.name, { dest_prefix: 'x'.repeat(1025) }), 'invalid_request')
    })
    const fits = await to.takeMany('copy', ['seed', 'none'], from.name, { dest_prefix: `${'x'.repeat(1019)}/` })
    assert.deepEqual([fits.succeeded, codes(fits)], [[`${'x'.repeat(1019)}/seed`], { none: 'not_found' }])
  })

  itOnce('rejects callers without any permission, whether or not the bucket exists', async () => {
    const [from, to] = [await open(), await open()]
    await from.put('a')
    const reader = server.as(await server.userWith({ bucket_pattern: from.name, actions: ['read', 'delete'] }))
    const writer = server.as(await server.userWith({ bucket_pattern: to.name, actions: ['write'] }))
    for (const [client, right] of [
      [reader, 'write'],
      [writer, 'read'],
    ] as const)
      for (const operation of [client.bulkCopy, client.bulkMove])
        await server.records([denied, denied], async () => {
          const texts: string[] = []
          for (const swap of [false, true]) {
            const absent = 'bulk-absent'
            const source_bucket = swap && right === 'read' ? absent : from.name
            const name = swap && right === 'write' ? absent : to.name
            const call = operation({ params: { bucket: name }, body: { source_bucket, keys: ['a'] } })
            const { problem } = await rejectsWith(call, 'forbidden')
            assert.match(problem.detail, new RegExp(`"${right}"`))
            texts.push(problem.detail.replace(/"bulk-[^"]*"/, '…'))
          }
          assert.equal(texts[0], texts[1])
        })
    await rejectsWith(writer.bulkDelete({ params: { bucket: from.name }, body: { keys: ['a'] } }), 'forbidden')
    await rejectsWith(writer.bulkDelete({ params: { bucket: 'bulk-absent' }, body: { keys: ['a'] } }), 'forbidden')
    await server.records([], async () => {
      await rejectsWith(to.takeMany('copy', ['a'], 'bulk-absent'), 'not_found')
      const body = { source_bucket: from.name, keys: ['a'] }
      await rejectsWith(server.admin.bulkMove({ params: { bucket: 'bulk-absent' }, body }), 'not_found')
      await rejectsWith(
        server.admin.bulkDelete({ params: { bucket: 'bulk-absent' }, body: { keys: ['a'] } }),
        'not_found',
      )
    })
    assert.deepEqual(await from.keys(), ['a'])
  })

  itOnce('reveals existing keys only to those who can list or read them', async () => {
    const bucket = await open()
    const { etag, last_modified } = await bucket.put('list/a', 'four')
    await bucket.put('read/a', '')
    const ask = (client: Client, keys: string[], name = bucket.name) =>
      client.objectsExist({ params: { bucket: name }, body: { keys } })
    const client = server.as(
      await server.userWith(
        { bucket_pattern: bucket.name, prefix: 'list/', actions: ['list'] },
        { bucket_pattern: bucket.name, prefix: 'read/', actions: ['read'] },
        { bucket_pattern: bucket.name, prefix: 'write/', actions: ['write'] },
      ),
    )
    await server.records([], async () => {
      assert.deepEqual((await ask(client, ['read/a', 'list/b', 'list/a'])).items, [
        { key: 'read/a', exists: true, size: 0, etag: 'd41d8cd98f00b204e9800998ecf8427e', last_modified },
        { key: 'list/b', exists: false, size: null, etag: null, last_modified: null },
        { key: 'list/a', exists: true, size: 4, etag, last_modified },
      ])
      await rejectsWith(ask(server.admin, ['a'], 'bulk-absent'), 'not_found')
    })
    await server.records([denied, denied, denied], async () => {
      const { problem } = await rejectsWith(ask(client, ['list/a', 'write/a']), 'forbidden')
      assert.match(problem.detail, /"list" permission on key "write\/a"/)
      await rejectsWith(ask(client, ['other']), 'forbidden')
      await rejectsWith(ask(client, ['other'], 'bulk-absent'), 'forbidden')
    })
  })
})
