// Copies and moves that arrive beside what has their keys.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createClient, type ProblemError } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type Seen, startServer, type TestServer } from '../support/server.ts'
import { assertExact, bucketsOf, GIB, KINDS, times } from './transfers.ts'

describeEngines('keeping both', (engine, itOnce) => {
  let server: TestServer
  const open = bucketsOf(() => server, 'both')
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())
  const both = { keep_both: true }

  it('one object: under the first number that is free, and what is there stays as it is', async () => {
    for (const kind of KINDS) {
      const [from, to] = [await open(), await open()]
      for (const key of ['a.txt', 'free.txt', 'b.txt']) await from.put(key, `new ${key}`)
      for (const key of ['a.txt', 'a (1).txt', 'b.txt']) await to.put(key)
      const key = 'a (2).txt'
      const arrived = await server.records([{ action: kind, bucket: to.name, key }], () =>
        to.take(kind, 'a.txt', from.name, both),
      )
      assert.equal(arrived.key, key)
      assert.deepEqual(
        [await to.text('a.txt'), await to.text('a (1).txt'), await to.text(key)],
        ['a.txt', 'a (1).txt', 'new a.txt'],
      )
      assert.equal((await to.take(kind, 'free.txt', from.name, both)).key, 'free.txt')
      // The condition is about the key that was asked for.
      const careful = { ...both, if_none_match: '*' } as const
      assert.equal((await to.take(kind, 'b.txt', from.name, careful)).key, 'b (1).txt')
      assert.deepEqual(await from.keys(), kind === 'copy' ? ['a.txt', 'b.txt', 'free.txt'] : [])
      assert.deepEqual(await to.trash(), [])
      await assertExact(server, from.name, to.name)
    }
  })

  it('a copy onto its own key is one beside it; a move stays refused', async () => {
    const one = await open()
    await one.put('in/a.txt')
    assert.equal((await one.take('copy', 'in/a.txt', one.name, both)).key, 'in/a (1).txt')
    assert.equal((await one.take('copy', 'in/a.txt', one.name, both)).key, 'in/a (2).txt')
    await server.records([], () => rejectsWith(one.take('move', 'in/a.txt', one.name, both), 'conflict'))
    await rejectsWith(one.take('copy', 'in/none.txt', one.name, both), 'not_found')
    assert.deepEqual(await one.keys(), ['in/a (1).txt', 'in/a (2).txt', 'in/a.txt'])
    await assertExact(server, one.name)
  })

  it('many: says which got another key, and numbers those of one name among them', async () => {
    for (const kind of KINDS) {
      const [from, to] = [await open(), await open()]
      const keys = ['x/a.txt', 'y/a.txt', 'z/a.txt', 'b', 'none', 'x/a (1).txt']
      for (const key of keys.filter((key) => key !== 'none')) await from.put(key)
      for (const key of ['b', 'a (2).txt', '.profile', 'tar.gz']) await to.put(key, 'old')
      const done = ['a.txt', 'a (3).txt', 'a (4).txt', 'b (1)', 'a (1).txt']
      const result = await server.records(
        done.map((key): Seen => ({ action: kind, bucket: to.name, key })),
        () => to.takeMany(kind, keys, from.name, both),
      )
      assert.deepEqual(result.succeeded, done)
      assert.deepEqual(
        result.errors.map(({ key, code }) => [key, code]),
        [['none', 'not_found']],
      )
      assert.deepEqual(result.kept_both, [
        { source_key: 'y/a.txt', key: 'a (3).txt' },
        { source_key: 'z/a.txt', key: 'a (4).txt' },
        { source_key: 'b', key: 'b (1)' },
      ])
      assert.deepEqual(
        await Promise.all(done.map((key) => to.text(key))),
        ['x/a.txt', 'y/a.txt', 'z/a.txt', 'b', 'x/a (1).txt'],
        'a key that another asks for is left to it',
      )
      assert.deepEqual([await to.text('b'), await to.text('a (2).txt'), await to.trash()], ['old', 'old', []])
      await assertExact(server, from.name, to.name)
      const without = await to.takeMany('copy', ['b'], to.name, { dest_prefix: 'elsewhere/' })
      assert.ok(!('kept_both' in without))
    }
  })

  it('names: hidden files, endings, and folders, of which two of one name are one', async () => {
    const [from, to] = [await open(), await open()]
    const keys = ['.profile', 'backup.tar.gz', 'no ending', 'empty/', 'full/', 'dir.d/file']
    for (const key of keys) {
      await from.put(key, key === 'empty/' ? '' : 'new')
      await to.put(key, key === 'empty/' ? '' : 'old')
    }
    const { succeeded, errors } = await to.takeMany('copy', keys, from.name, { ...both, source_prefix: '' })
    assert.deepEqual(errors, [])
    assert.deepEqual(succeeded, [
      '.profile (1)',
      'backup.tar (1).gz',
      'no ending (1)',
      'empty/',
      'full (1)/',
      'dir.d/file (1)',
    ])
    assert.deepEqual(
      (await to.trash()).map(({ key }) => key),
      ['empty/'],
    )
    await assertExact(server, from.name, to.name)
  })

  itOnce('names at the limit of 1,024 bytes are shortened between letters', async () => {
    const [from, to] = [await open(), await open()]
    const long = `in/${'é'.repeat(508)}.txt`
    assert.equal(Buffer.byteLength(long), 1023)
    for (const one of [from, to]) await one.put(long, one.name)
    const { key } = await to.take('copy', long, from.name, both)
    assert.equal(key, `in/${'é'.repeat(506)} (1).txt`)
    assert.equal(await to.text(key), from.name)
    const again = await to.take('copy', long, from.name, both)
    assert.equal(again.key, `in/${'é'.repeat(506)} (2).txt`)
    // A folder whose name takes it all leaves no room for a number.
    const deep = `${'d'.repeat(1022)}/a`
    for (const one of [from, to]) await one.put(deep, one.name)
    await server.records([], () => rejectsWith(to.take('copy', deep, from.name, both), 'conflict'))
    assert.equal(await to.text(deep), to.name)
  })

  it('many copies of one object: each gets a number of its own, up to 1,000', async () => {
    const [from, to] = [await open(), await open()]
    const keys = times(300, (n) => `${String(n).padStart(3, '0')}/a.txt`)
    for (const key of keys.slice(0, 3)) await from.put(key)
    for (let at = 3; at < keys.length; at += 3) {
      const three = keys.slice(at, at + 3)
      await Promise.all(three.map((key, i) => from.take('copy', keys[i] ?? '', from.name, { dest_key: key })))
    }
    for (let round = 0; round < 3; round++) {
      const { succeeded, errors } = await to.takeMany('copy', keys, from.name, both)
      assert.deepEqual([succeeded.length, errors], [300, []])
    }
    const { succeeded, errors } = await to.takeMany('copy', keys, from.name, both)
    const left = new Set(errors.map(({ code }) => code))
    assert.deepEqual([succeeded.length + errors.length, [...left]], [300, ['conflict']])
    assert.ok(succeeded.length >= 100, `${succeeded.length}`)
    assert.ok((await to.keys()).includes('a (1000).txt'))
    await assertExact(server, to.name)
  })

  it('needs write on the key that it gets, and counts with the quota', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 10 / GIB })]
    for (const key of ['a.txt', 'b.txt']) {
      await from.put(key, Buffer.alloc(4))
      await to.put(key, Buffer.alloc(2))
    }
    const client = server.as(
      await server.userWith(
        { bucket_pattern: from.name, actions: ['read'] },
        { bucket_pattern: to.name, prefix: 'a', actions: ['write'] },
        { bucket_pattern: to.name, prefix: 'b.txt', actions: ['write'] },
      ),
    )
    const params = { bucket: to.name }
    const { succeeded, errors } = await client.bulkCopy({
      params,
      body: { source_bucket: from.name, keys: ['b.txt', 'a.txt'], ...both },
    })
    assert.deepEqual(succeeded, ['a (1).txt'])
    assert.deepEqual(
      errors.map(({ key, code }) => [key, code]),
      [['b.txt', 'forbidden']],
    )
    assert.match(errors[0]?.detail ?? '', /"write" permission on key "b \(1\)\.txt"/)
    const full = { source_bucket: from.name, source_key: 'a.txt', ...both }
    await rejectsWith(client.copyObject({ params, body: full }), 'quota_exceeded')
    assert.deepEqual(await to.keys(), ['a (1).txt', 'a.txt', 'b.txt'])
    await assertExact(server, to.name)
  })

  it('where versions are kept, it is another object and no version', async () => {
    const [from, to] = [await open(), await open({ versioning: 'enabled' })]
    await from.put('a.txt', 'new')
    const { version_id } = await to.put('a.txt', 'old')
    const { key } = await to.take('move', 'a.txt', from.name, both)
    assert.equal(key, 'a (1).txt')
    const { items } = await server.admin.listVersions({ params: { bucket: to.name }, query: {} })
    assert.deepEqual(
      items.map((one) => one.key),
      ['a (1).txt', 'a.txt'],
    )
    assert.ok(items.some((one) => one.version_id === version_id))
    // Behind a delete marker the key is free.
    await server.admin.deleteObject({ params: { bucket: to.name, key: 'a.txt' } })
    assert.equal((await to.take('copy', 'a (1).txt', to.name, { dest_key: 'a.txt', ...both })).key, 'a.txt')
  })

  it('two processes that want the same name at once: nobody loses anything', async () => {
    const [from, to] = [await open(), await open()]
    await from.put('a.txt', 'copied')
    await to.put('a.txt', 'old')
    const other = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent', PORT: '0' }), {
      now: server.clock.now,
      timers: false,
    })
    try {
      const there = createClient({ baseUrl: other.url, token: server.adminToken })
      const ofTurn = (n: number) => (n % 2 === 0 ? server.admin : there)
      const body = { source_bucket: from.name, source_key: 'a.txt', ...both }
      const copies = times(24, (n) => ofTurn(n).copyObject({ params: { bucket: to.name }, body }))
      // Uploads want the same names, and do not wait for a copy to have ended.
      const uploads = times(24, async (n) => {
        const key = `a (${n + 1}).txt`
        const headers = { 'if-none-match': '*' }
        const upload = { params: { bucket: to.name, key }, headers, body: Buffer.from(`uploaded ${key}`) }
        return ofTurn(n + 1)
          .putObject(upload)
          .then(
            () => [key],
            (error: ProblemError) => {
              assert.equal(error.problem?.status, 412)
              return []
            },
          )
      })
      const uploaded = (await Promise.all(uploads)).flat()
      const copied = (await Promise.all(copies)).map(({ key }) => key)
      assert.equal(new Set([...uploaded, ...copied]).size, uploaded.length + 24)
      assert.deepEqual((await to.keys()).toSorted(), [...uploaded, ...copied, 'a.txt'].toSorted())
      for (const key of uploaded) assert.equal(await to.text(key), `uploaded ${key}`)
      for (const key of copied) assert.equal(await to.text(key), 'copied')
      assert.equal(await to.text('a.txt'), 'old')
      await assertExact(server, to.name)
    } finally {
      await other.stop()
    }
  })
})
