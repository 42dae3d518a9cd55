import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, type Seen, STORED, startServer, type TestServer } from '../support/server.ts'
import { assertExact, bucketsOf, denied, GIB, HOUR, KINDS } from './transfers.ts'

/** Keys that break what takes a key for a path, a pattern, a header or a piece of SQL. See keys.test.ts. */
const HARD_KEYS = [
  'ä',
  '漢字/かな',
  '😀/😀.png',
  ' leading and trailing ',
  '%2F%00%zz',
  'a+b&c=d',
  'hash#tag',
  'what?no',
  '//double//slash',
  '/leading',
  'trailing/',
  '..',
  '.',
  '../../../etc/passwd',
  'a/../b',
  'con\\aux:nul*?"<>|',
  '\u0001\u001f\u007f',
  'e\u0301',
  "it's; drop table objects--",
  '[1]',
  '{"a":1}',
  '*',
  '\u{10ffff}',
  '漢'.repeat(340),
  'a\r\nSet-Cookie: b',
  'line\u2028end.txt',
  '__proto__',
  'constructor',
  'copy',
  'archive',
  '/',
  '..//',
]

describeEngines('copy and move of one object', (engine, itOnce) => {
  let server: TestServer
  const open = bucketsOf(() => server, 'one')
  /** The details of the last records, oldest first. */
  const details = async (n: number) =>
    (await allActions(server.database)).slice(-n).map((row) => JSON.parse(row.details) as Record<string, unknown>)
  before(async () => {
    server = await startServer(engine, STORED)
  })
  after(() => server.stop())

  it('copies in a bucket: no bytes, everything but times and owner as it was', async () => {
    const bucket = await open()
    const headers = { 'content-type': 'text/x-own; a=b', 'x-meta-colour': 'blue', 'x-meta-__proto__': 'p' }
    const original = await bucket.put('a', 'contents', headers)
    const files = server.files()
    server.clock.advance(5000)
    const token = await server.userWith({ bucket_pattern: bucket.name, actions: ['read', 'write'] })
    const person = await server.as(token).me()
    const copied = await server.records([{ action: 'copy', bucket: bucket.name, key: 'dir/b' }], () =>
      server.as(token).copyObject({
        params: { bucket: bucket.name },
        body: { source_bucket: bucket.name, source_key: 'a', dest_key: 'dir/b' },
      }),
    )
    const now = server.clock.now().toISOString()
    assert.deepEqual(copied, {
      ...original,
      key: 'dir/b',
      created_at: now,
      last_modified: now,
      created_by: person.id,
    })
    assert.deepEqual(server.files(), files)
    assert.deepEqual(await details(1), [
      { source: { bucket: bucket.name, key: 'a' }, size: 8, etag: original.etag, replaced: false },
    ])
    assert.deepEqual(await bucket.usage(), [16, 2, 0])
    const response = await server.admin.getObject({ params: { bucket: bucket.name, key: 'dir/b' } })
    assert.deepEqual(
      ['etag', 'content-type', 'x-meta-colour', 'x-meta-__proto__'].map((name) => response.headers.get(name)),
      [`"${original.etag}"`, 'text/x-own; a=b', 'blue', 'p'],
    )
    assert.equal(await response.text(), 'contents')
    assert.deepEqual(await bucket.find('a'), original)
  })

  it('moves in a bucket and across: the very same object under another name', async () => {
    const [from, to] = [await open(), await open()]
    const original = await from.put('a', 'contents', { 'content-type': 'text/x-own', 'x-meta-colour': 'blue' })
    const files = server.files()
    server.clock.advance(5000)
    const renamed = await server.records([{ action: 'move', bucket: from.name, key: 'b' }], () =>
      from.take('move', 'a', from.name, { dest_key: 'b' }),
    )
    assert.deepEqual(renamed, { ...original, key: 'b' })
    assert.deepEqual([await from.text('a'), await from.text('b'), await from.usage()], [null, 'contents', [8, 1, 0]])
    const moved = await server.records([{ action: 'move', bucket: to.name, key: 'b' }], () =>
      to.take('move', 'b', from.name),
    )
    assert.deepEqual(moved, { ...original, bucket: to.name, key: 'b' })
    assert.deepEqual(await to.find('b'), moved)
    assert.deepEqual(
      [await from.usage(), await to.usage()],
      [
        [0, 0, 0],
        [8, 1, 0],
      ],
    )
    assert.deepEqual([await from.trash(), server.files()], [[], files])
    assert.deepEqual(await details(2), [
      { source: { bucket: from.name, key: 'a' }, size: 8, etag: original.etag, replaced: false },
      { source: { bucket: from.name, key: 'b' }, size: 8, etag: original.etag, replaced: false },
    ])
  })

  for (const kind of KINDS)
    it(`${kind}: what it overwrites is in the trash and can be restored`, async () => {
      const [from, to] = [await open(), await open()]
      await from.put('k', 'new!')
      const old = await to.put('k', 'old contents', { 'x-meta-kept': 'yes' })
      server.clock.advance(1000)
      await server.records([{ action: kind, bucket: to.name, key: 'k' }], () => to.take(kind, 'k', from.name))
      const [item, ...others] = await to.trash()
      assert.deepEqual(
        [others, item?.key, item?.size, item?.reason, item?.deleted_at],
        [[], 'k', 12, 'overwritten', server.clock.now().toISOString()],
      )
      const [recorded] = await details(1)
      assert.deepEqual([recorded?.replaced, recorded?.trash_id], [true, item?.id])
      assert.deepEqual(await to.usage(), [4, 1, 12])
      assert.deepEqual(await from.usage(), kind === 'copy' ? [4, 1, 0] : [0, 0, 0])
      await server.admin.deleteObject({ params: { bucket: to.name, key: 'k' } })
      const { items } = await to.restore(item?.id ?? '')
      assert.deepEqual(items, [old])
      assert.equal(await to.text('k'), 'old contents')
      assert.deepEqual(await to.usage(), [12, 1, 4])
    })

  for (const kind of KINDS)
    it(`${kind}: overwrites without a trash where that is off, also in its own bucket`, async () => {
      const bucket = await open({ trash_days: 0 })
      await bucket.put('a', 'one')
      await bucket.put('b', 'three')
      await bucket.take(kind, 'a', bucket.name, { dest_key: 'b' })
      const [recorded] = await details(1)
      assert.deepEqual([recorded?.replaced, 'trash_id' in (recorded ?? {})], [true, false])
      assert.deepEqual([await bucket.text('b'), await bucket.trash()], ['one', []])
      assert.deepEqual(await bucket.usage(), kind === 'copy' ? [6, 2, 0] : [3, 1, 0])
      await server.later(2 * HOUR)
      await server.running.tick()
      assert.equal(await bucket.text('b'), 'one')
    })

  for (const kind of KINDS)
    itOnce(`${kind}: refuses itself, a taken key where asked to, and what is not there; nothing changes`, async () => {
      const [from, to] = [await open(), await open()]
      await from.put('a')
      await to.put('taken', 'old')
      const absent = 'one-absent'
      await server.records([], async () => {
        await rejectsWith(from.take(kind, 'a'), 'conflict')
        await rejectsWith(from.take(kind, 'a', from.name, { dest_key: 'a' }), 'conflict')
        const unless = { dest_key: 'taken', if_none_match: '*' } as const
        await rejectsWith(to.take(kind, 'a', from.name, unless), 'precondition_failed')
        const { problem } = await rejectsWith(to.take(kind, 'b', from.name), 'not_found')
        assert.match(problem.detail, /"b".*"one-\d+"/)
        await rejectsWith(from.take(kind, 'b'), 'not_found')
        await rejectsWith(to.take(kind, 'a', absent), 'not_found')
        const operation = kind === 'copy' ? server.admin.copyObject : server.admin.moveObject
        const body = { source_bucket: from.name, source_key: 'a' }
        const into = await rejectsWith(operation({ params: { bucket: absent }, body }), 'not_found')
        assert.match(into.problem.detail, /one-absent/)
        await rejectsWith(
          operation({ params: { bucket: from.name }, body: { ...body, dest_key: '' } }),
          'invalid_request',
        )
        for (const bad of ['a\0', 'x'.repeat(1025), '漢'.repeat(342)])
          await rejectsWith(to.take(kind, 'a', from.name, { dest_key: bad }), 'invalid_request', 'body.dest_key')
        await rejectsWith(to.take(kind, '', from.name), 'invalid_request', 'body.source_key')
        await rejectsWith(
          operation({ params: { bucket: to.name }, body: { ...body, if_none_match: '"etag"' as '*' } }),
          'invalid_request',
          'body.if_none_match',
        )
        await rejectsWith(
          operation({ params: { bucket: to.name }, body: { ...body, overwrite: true } as typeof body }),
          'invalid_request',
          'body.overwrite',
        )
      })
      assert.deepEqual([await from.keys(), await to.keys(), await to.text('taken')], [['a'], ['taken'], 'old'])
      const free = { dest_key: 'free', if_none_match: '*' } as const
      await server.records([{ action: kind, bucket: to.name, key: 'free' }], () => to.take(kind, 'a', from.name, free))
    })

  for (const kind of KINDS)
    itOnce(`${kind}: asks each right where it is needed, and tells nothing about buckets`, async () => {
      const [from, to] = [await open(), await open()]
      await from.put('in/a')
      const operation = (client: Client) => (kind === 'copy' ? client.copyObject : client.moveObject)
      const call = (client: Client, source: string, dest: string) =>
        operation(client)({
          params: { bucket: dest },
          body: { source_bucket: source, source_key: 'in/a', dest_key: 'to/b' },
        })
      type Actions = Parameters<TestServer['userWith']>[0]['actions']
      const person = async (onSource: Actions, onDest: Actions, prefixes: [string, string] = ['in/', 'to/']) =>
        server.as(
          await server.userWith(
            { bucket_pattern: from.name, prefix: prefixes[0], actions: onSource },
            { bucket_pattern: to.name, prefix: prefixes[1], actions: onDest },
          ),
        )
      const all: Actions = ['list', 'read', 'delete', 'share', 'policy', 'manage', 'create']
      const needed: ['read' | 'delete', string][] = [['read', from.name]]
      if (kind === 'move') needed.push(['delete', from.name])
      for (const [right, bucket] of needed) {
        const client = await person([...all.filter((one) => one !== right), 'write'], ['write'])
        await server.records([denied], async () => {
          const { problem } = await rejectsWith(call(client, from.name, to.name), 'forbidden')
          assert.equal(problem.detail, `You need the "${right}" permission on key "in/a" of bucket "${bucket}".`)
        })
      }
      const cannotWrite = await person(['read', 'delete', 'write'], all)
      const { problem } = await rejectsWith(call(cannotWrite, from.name, to.name), 'forbidden')
      assert.equal(problem.detail, `You need the "write" permission on key "to/b" of bucket "${to.name}".`)
      const elsewhere = await person(['read', 'delete'], ['write'], ['out/', 'to/'])
      await rejectsWith(call(elsewhere, from.name, to.name), 'forbidden')
      const wrongDest = await person(['read', 'delete'], ['write'], ['in/', 'in/'])
      await rejectsWith(call(wrongDest, from.name, to.name), 'forbidden')

      const stranger = await person(['read', 'delete'], ['write'])
      const same = async (make: (bucket: string) => Promise<unknown>, real: string) => {
        const texts: string[] = []
        for (const name of [real, real.replace('one', 'no1')])
          texts.push((await rejectsWith(make(name), 'forbidden')).problem.detail.replaceAll(name, '…'))
        assert.equal(texts[0], texts[1])
      }
      const hidden = await open()
      await hidden.put('in/a')
      await same((name) => call(stranger, name, to.name), hidden.name)
      await same((name) => call(stranger, from.name, name), hidden.name)
      await rejectsWith(call(server.as(), from.name, to.name), 'unauthenticated')
      assert.deepEqual(await to.usage(), [0, 0, 0])
      const just: Actions = kind === 'copy' ? ['read'] : ['read', 'delete']
      await call(await person(just, ['write']), from.name, to.name)
      assert.deepEqual(await to.keys(), ['to/b'])
    })

  it('a copy lives on when its source is destroyed, and its bytes go with the last of them', async () => {
    const [from, to] = [await open(), await open({ trash_days: 0 })]
    await from.put('a', 'shared bytes')
    await to.take('copy', 'a', from.name)
    await to.take('copy', 'a', from.name, { dest_key: 'second' })
    const files = server.files()
    await server.admin.deleteObject({ params: { bucket: from.name, key: 'a' }, query: { permanent: true } })
    await server.later(2 * HOUR)
    await server.running.tick()
    assert.deepEqual([await to.text('a'), server.files()], ['shared bytes', files])
    await server.admin.deleteObject({ params: { bucket: to.name, key: 'a' } })
    // A copy over a copy of itself lets go of the bytes and takes them again.
    await to.put('b', 'x')
    await to.take('copy', 'second', to.name, { dest_key: 'b' })
    await to.take('copy', 'second', to.name, { dest_key: 'b' })
    await server.later(2 * HOUR)
    await server.running.tick()
    assert.deepEqual([await to.text('second'), await to.text('b')], ['shared bytes', 'shared bytes'])
    assert.equal(server.files().length, files.length, 'the bytes of "x" are gone, the shared ones are not')
    await to.removeMany(['second', 'b'])
    await server.later(2 * HOUR)
    await server.running.tick()
    assert.equal(server.files().length, files.length - 1)
  })

  it('a copy counts to the byte, a move in the bucket does not, one into it does', async () => {
    const [full, other] = [await open({ quota_gb: 20 / GIB }), await open()]
    await full.put('a', Buffer.alloc(10))
    await other.put('ten', Buffer.alloc(10))
    await other.put('eleven', Buffer.alloc(11))
    await server.records([], async () => {
      const { problem } = await rejectsWith(full.take('copy', 'eleven', other.name), 'quota_exceeded')
      assert.match(problem.detail, /has 10 bytes left; this needs 11 bytes/)
      await rejectsWith(full.take('move', 'eleven', other.name), 'quota_exceeded')
    })
    await full.take('copy', 'a', full.name, { dest_key: 'b' })
    assert.deepEqual(await full.usage(), [20, 2, 0])
    await server.records([], async () => {
      await rejectsWith(full.take('copy', 'a', full.name, { dest_key: 'c' }), 'quota_exceeded')
      await rejectsWith(full.take('move', 'ten', other.name), 'quota_exceeded')
      await rejectsWith(full.take('copy', 'eleven', other.name, { dest_key: 'b' }), 'quota_exceeded')
    })
    assert.deepEqual(await other.usage(), [21, 2, 0])
    await full.take('move', 'b', full.name, { dest_key: 'c' })
    await full.take('copy', 'ten', other.name, { dest_key: 'c' })
    assert.deepEqual(await full.usage(), [20, 2, 10])
    await full.take('move', 'a', full.name, { dest_key: 'c' })
    assert.deepEqual(await full.usage(), [10, 1, 20])
    await full.take('move', 'ten', other.name)
    assert.deepEqual(
      [await full.usage(), await other.usage()],
      [
        [20, 2, 20],
        [11, 1, 0],
      ],
    )
    // Below what is used: only growth is refused.
    await server.admin.updateBucket({ params: { bucket: full.name }, body: { quota_gb: 5 / GIB } })
    await full.take('move', 'c', full.name, { dest_key: 'd' })
    await full.take('copy', 'ten', full.name, { dest_key: 'd' })
    await rejectsWith(full.take('copy', 'ten', full.name, { dest_key: 'e' }), 'quota_exceeded')
    await other.take('move', 'ten', full.name)
    assert.deepEqual(await full.usage(), [10, 1, 30])
    await assertExact(server, full.name, other.name)
  })

  it('a move needs no room under the quota over everything, a copy does', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 1 })]
    const total = async (bytes: number | null) =>
      server.admin.updateSettings({ body: { quotas: { total_quota_gb: bytes === null ? null : bytes / GIB } } })
    await from.put('a', Buffer.alloc(10))
    await from.put('b', Buffer.alloc(20))
    const used = (await server.admin.usage()).used_bytes
    try {
      await total(used)
      await server.records([], () => rejectsWith(to.take('copy', 'a', from.name), 'quota_exceeded'))
      await to.take('move', 'a', from.name)
      await from.take('move', 'b', from.name, { dest_key: 'c' })
      await assertExact(server, from.name, to.name)
      await total(used + 10)
      await to.take('copy', 'a', to.name, { dest_key: 'copy' })
      await rejectsWith(to.take('copy', 'a', to.name, { dest_key: 'again' }), 'quota_exceeded')
      await assertExact(server, from.name, to.name)
      // What is over the quota already may still be moved about: nothing grows.
      await total(1)
      await to.take('move', 'c', from.name)
      const { succeeded, errors } = await from.takeMany('move', ['a', 'c'], to.name)
      assert.deepEqual([succeeded, errors], [['a', 'c'], []])
      await rejectsWith(to.take('copy', 'a', from.name), 'quota_exceeded')
      await to.take('copy', 'a', from.name, { dest_key: 'copy' })
      await assertExact(server, from.name, to.name)
      assert.deepEqual(
        [await from.usage(), await to.usage()],
        [
          [30, 2, 0],
          [10, 1, 10],
        ],
      )
    } finally {
      await total(null)
    }
  })

  it('keeps every key as it is', async () => {
    const [from, to] = [await open(), await open()]
    const exists = async (keys: string[]) =>
      (await server.admin.objectsExist({ params: { bucket: to.name }, body: { keys } })).items
    for (const key of HARD_KEYS) {
      const query = { key }
      await server.admin.putObjectByQuery({ params: { bucket: from.name }, query, body: Buffer.from(`body of ${key}`) })
      await server.records(
        [
          { action: 'copy', bucket: to.name, key },
          { action: 'move', bucket: to.name, key: `${key}!` },
          { action: 'move', bucket: to.name, key },
          { action: 'update_object', bucket: to.name, key },
        ],
        async () => {
          assert.equal((await to.take('copy', key, from.name)).key, key)
          assert.equal((await to.take('move', key, to.name, { dest_key: `${key}!` })).key, `${key}!`)
          assert.equal((await to.take('move', `${key}!`, to.name, { dest_key: key })).key, key)
          const body = { metadata: { touched: 'yes' } }
          assert.equal((await server.admin.updateObjectByQuery({ params: { bucket: to.name }, query, body })).key, key)
        },
      )
      assert.equal(await to.text(key), `body of ${key}`)
      const [first, second] = await exists([key, `${key}!`])
      assert.deepEqual([first?.exists, second?.exists], [true, false])
    }
    const sorted = HARD_KEYS.toSorted()
    const deep = await server.records(
      HARD_KEYS.map((key): Seen => ({ action: 'copy', bucket: to.name, key: `d/${key}` })),
      () => to.takeMany('copy', HARD_KEYS, from.name, { dest_prefix: 'd/', source_prefix: '' }),
    )
    assert.deepEqual([deep.succeeded, deep.errors], [HARD_KEYS.map((key) => `d/${key}`), []])
    const removed = await from.removeMany(HARD_KEYS)
    assert.deepEqual([removed.succeeded.toSorted(), removed.errors], [sorted, []])
    const back = await from.takeMany(
      'move',
      HARD_KEYS.map((key) => `d/${key}`),
      to.name,
      { source_prefix: 'd/' },
    )
    assert.deepEqual([back.succeeded, back.errors], [HARD_KEYS, []])
    for (const key of HARD_KEYS) assert.equal(await from.text(key), `body of ${key}`)
    await assertExact(server, from.name, to.name)
  })
})

describeEngines('changing an object’s metadata', (engine, itOnce) => {
  let server: TestServer
  const open = bucketsOf(() => server, 'said')
  type Change = Parameters<Client['updateObject']>[0]['body']
  before(async () => {
    server = await startServer(engine, STORED)
  })
  after(() => server.stop())

  it('changes content type and metadata, together or alone, and leaves the contents and their ETag', async () => {
    const bucket = await open()
    const params = { bucket: bucket.name, key: 'dir/a b' }
    const original = await bucket.put('dir/a b', 'contents', { 'content-type': 'text/plain', 'x-meta-colour': 'blue' })
    const files = server.files()
    server.clock.advance(5000)
    const update = (body: Change, headers = {}) =>
      server.records([{ action: 'update_object', bucket: bucket.name, key: 'dir/a b' }], () =>
        server.admin.updateObject({ params, body, headers }),
      )
    const last_modified = server.clock.now().toISOString()
    const typed = await update({ content_type: 'image/svg+xml; charset=utf-8' })
    assert.deepEqual(typed, { ...original, content_type: 'image/svg+xml; charset=utf-8', last_modified })
    const metadata = JSON.parse('{"title":"Über 漢 😀","constructor":"c","empty":""}')
    const named = await update({ metadata }, { 'if-match': `"${original.etag}"` })
    assert.deepEqual(named, { ...typed, metadata })
    const details = JSON.parse((await allActions(server.database)).at(-1)?.details ?? '')
    assert.deepEqual(details, {
      before: { content_type: typed.content_type, metadata: { colour: 'blue' } },
      after: { content_type: typed.content_type, metadata },
    })
    const response = await server.admin.getObject({ params })
    assert.deepEqual(
      [response.headers.get('content-type'), response.headers.get('etag'), response.headers.get('x-meta-colour')],
      ['image/svg+xml; charset=utf-8', `"${original.etag}"`, null],
    )
    assert.equal(Buffer.from(response.headers.get('x-meta-title') ?? '', 'latin1').toString(), 'Über 漢 😀')
    assert.deepEqual([await response.text(), response.headers.get('x-meta-empty')], ['contents', ''])
    assert.deepEqual((await update({ metadata: {} })).metadata, {})
    assert.deepEqual([server.files(), await bucket.trash(), await bucket.usage()], [files, [], [8, 1, 0]])
  })

  itOnce('asks write, compares If-Match strongly, and refuses what no header can say', async () => {
    const bucket = await open()
    const { etag } = await bucket.put('a')
    const params = { bucket: bucket.name, key: 'a' }
    const update = (body: object, headers: Record<string, string> = {}, key = 'a') =>
      server.admin.updateObject({ params: { ...params, key }, body: body as Change, headers })
    await server.records([], async () => {
      const some = { content_type: 'text/plain' }
      await rejectsWith(update(some, { 'if-match': '"other"' }), 'precondition_failed')
      await rejectsWith(update(some, { 'if-match': `W/"${etag}"` }), 'precondition_failed')
      await rejectsWith(update(some, {}, 'absent'), 'not_found')
      const missing = { params: { bucket: 'said-absent', key: 'a' }, body: some }
      await rejectsWith(server.admin.updateObject(missing), 'not_found')
      await rejectsWith(update({}), 'invalid_request')
      await rejectsWith(update({ ...some, size: 3 }), 'invalid_request', 'body.size')
      for (const type of ['', 'text', 'text/', '/plain', 'text/plain\n', 'text/plain\r\n;a=b', 'text/pläin', 'a/b c'])
        await rejectsWith(update({ content_type: type }), 'invalid_request', 'body.content_type')
      for (const type of ['text/plain; a=\u{7f}', 'text/plain; a=ä', 'text/plain\u2028; a=b', `a/${'b'.repeat(128)}`])
        await rejectsWith(update({ content_type: type }), 'invalid_request', 'body.content_type')
      for (const metadata of [{ Upper: 'x' }, { 'a b': 'x' }, { 'a\n': 'x' }, { ä: 'x' }, { '': 'x' }, { 'a:': 'x' }])
        await rejectsWith(update({ metadata }), 'invalid_request')
      for (const value of ['a\nb', 'a\r', '\u0001', '\u007f'])
        await rejectsWith(update({ metadata: { a: value } }), 'invalid_request')
      for (const value of [1, null, ['x'], {}]) await rejectsWith(update({ metadata: { a: value } }), 'invalid_request')
      await rejectsWith(update({ metadata: { a: 'x'.repeat(4097) } }), 'invalid_request')
      await rejectsWith(update({ metadata: { ['x'.repeat(101)]: 'x' } }), 'invalid_request')
      const big = { a: '漢'.repeat(1365), b: '漢'.repeat(1363) }
      await rejectsWith(update({ metadata: big }), 'invalid_request', 'body.metadata')
    })
    const most = { a: 'x'.repeat(4096), b: 'x'.repeat(8192 - 4096 - '{"a":"","b":""}'.length) }
    assert.deepEqual((await update({ metadata: most })).metadata, most)
    await rejectsWith(update({ metadata: { ...most, b: `${most.b}x` } }), 'invalid_request', 'body.metadata')
    // Whatever was taken can be sent.
    assert.equal((await server.admin.getObject({ params })).headers.get('x-meta-a'), most.a)
    const reader = server.as(
      await server.userWith({ bucket_pattern: bucket.name, actions: ['read', 'delete', 'list'] }),
    )
    await server.records([denied], async () => {
      const { problem } = await rejectsWith(reader.updateObject({ params, body: { metadata: {} } }), 'forbidden')
      assert.match(problem.detail, /"write" permission on key "a"/)
    })
    const writer = server.as(await server.userWith({ bucket_pattern: bucket.name, actions: ['write'] }))
    await writer.updateObjectByQuery({ params: { bucket: bucket.name }, query: { key: 'a' }, body: { metadata: {} } })
    assert.deepEqual((await bucket.find('a'))?.metadata, {})
  })

  itOnce('takes any name of a header for a name of metadata', async () => {
    const bucket = await open()
    await bucket.put('a')
    const { token, url } = { token: server.adminToken, url: server.url }
    const names = "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+.^_`|~-"
    const body = JSON.stringify({ metadata: { [names]: 'x', __proto: 'y', 'x-y': '\t tabs and spaces ' } })
    const path = `/api/v1/buckets/${bucket.name}/object?key=a`
    const headers = { 'content-type': 'application/json' }
    const changed = await request({ url, path, token, method: 'PATCH', headers, body })
    assert.equal(changed.status, 200, changed.body.toString())
    const answer = await request({ url, path, token })
    assert.deepEqual(
      [answer.status, answer.headers[`x-meta-${names}`], answer.headers['x-meta-__proto']],
      [200, 'x', 'y'],
    )
    const poisoned = '{"metadata":{"__proto__":"p"}}'
    const refused = await request({ url, path, token, method: 'PATCH', headers, body: poisoned })
    assert.ok([200, 400, 422].includes(refused.status), refused.body.toString())
  })
})
