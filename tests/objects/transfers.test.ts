import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { Action } from '../../contract/actions.ts'
import { type Client, createClient, ProblemError } from '../../contract/client.ts'
import type { BulkResult } from '../../contract/transfers.ts'
import { holdBuckets } from '../../server/buckets/service.ts'
import { readConfig } from '../../server/config.ts'
import { type Ctx, createContext, type System, systemActor } from '../../server/context.ts'
import type { Tx } from '../../server/db/schema.ts'
import { createLog } from '../../server/log.ts'
import { transferObjects } from '../../server/objects/transfer.ts'
import { type Running, start } from '../../server/start.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, type Seen, startServer, type TestServer } from '../support/server.ts'

const HOUR = 3600_000
const GIB = 1024 ** 3
type Kind = 'copy' | 'move'
const KINDS: readonly Kind[] = ['copy', 'move']
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const sum = (all: number[]) => all.reduce((total, one) => total + one, 0)
const denied: Seen = { action: 'access_denied', result: 'denied' }
/** How each call ended: `ok` or its problem's code. */
const outcomes = async (calls: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) => {
    if (one.status === 'fulfilled') return 'ok'
    return one.reason instanceof ProblemError ? one.reason.problem.code : String(one.reason)
  })
const count = (all: string[], code: string) => all.filter((one) => one === code).length
const codes = ({ errors }: BulkResult) => Object.fromEntries(errors.map(({ key, code }) => [key, code]))

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

/** Buckets of a server and what tests ask of them. */
function bucketsOf(server: () => TestServer, prefix: string) {
  let made = 0
  return async (body: object = {}) => {
    const name = `${prefix}-${++made}`
    const params = { name }
    const { admin } = server()
    await admin.createBucket({ body: { name, ...body } })
    const one = (kind: Kind) => (kind === 'copy' ? admin.copyObject : admin.moveObject)
    const many = (kind: Kind) => (kind === 'copy' ? admin.bulkCopy : admin.bulkMove)
    type One = Parameters<Client['copyObject']>[0]['body']
    type Many = Parameters<Client['bulkCopy']>[0]['body']
    return {
      name,
      put: (key: string, body: string | Buffer = key, headers: Record<string, string> = {}) =>
        admin.putObject({ params: { name, key }, body: Buffer.from(body), headers }),
      text: async (key: string) =>
        (await admin.getObjectByQuery({ params, query: { key } }).catch(() => undefined))?.text() ?? null,
      keys: async () => (await admin.listObjects({ params, query: { limit: 1000 } })).items.map(({ key }) => key),
      find: async (key: string) => {
        const { items } = await admin.listObjects({ params, query: { prefix: key } })
        return items.find((item) => item.key === key)
      },
      trash: async () => (await admin.listTrash({ params, query: { limit: 1000 } })).items,
      restore: (...ids: string[]) => admin.restoreTrash({ params, body: { ids } }),
      usage: async () => {
        const { used_bytes, object_count, trash_bytes } = await admin.getBucket({ params })
        return [used_bytes, object_count, trash_bytes]
      },
      take: (kind: Kind, source_key: string, source_bucket = name, more: Partial<One> = {}) =>
        one(kind)({ params, body: { source_bucket, source_key, ...more } }),
      takeMany: (kind: Kind, keys: string[], source_bucket = name, more: Partial<Many> = {}) =>
        many(kind)({ params, body: { source_bucket, keys, ...more } }),
      removeMany: (keys: string[]) => admin.bulkDelete({ params, body: { keys } }),
    }
  }
}

/** Asserts that what is counted for a bucket, and for all of them together, is what the tables hold. */
async function assertExact({ database, admin }: TestServer, ...names: string[]): Promise<void> {
  const { db } = database
  for (const name of names) {
    const { id } = await db.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
    const sizes = async (table: 'objects' | 'trash') =>
      (await db.selectFrom(table).select('size').where('bucket_id', '=', id).execute()).map(({ size }) => size)
    const objects = await sizes('objects')
    const bucket = await admin.getBucket({ params: { name } })
    assert.deepEqual(
      [bucket.used_bytes, bucket.object_count, bucket.trash_bytes],
      [sum(objects), objects.length, sum(await sizes('trash'))],
      name,
    )
  }
  const total = await db.selectFrom('quotas').select('used_bytes').where('used_bytes', 'is not', null).execute()
  for (const { used_bytes } of total) assert.equal(used_bytes, (await admin.usage()).used_bytes)
}

describeEngines('copy and move of one object', (engine, itOnce) => {
  let server: TestServer
  const open = bucketsOf(() => server, 'one')
  /** The details of the last records, oldest first. */
  const details = async (n: number) =>
    (await allActions(server.database)).slice(-n).map((row) => JSON.parse(row.details) as Record<string, unknown>)
  before(async () => {
    server = await startServer(engine)
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
        params: { name: bucket.name },
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
    const response = await server.admin.getObject({ params: { name: bucket.name, key: 'dir/b' } })
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
      await server.admin.deleteObject({ params: { name: to.name, key: 'k' } })
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
        const into = await rejectsWith(operation({ params: { name: absent }, body }), 'not_found')
        assert.match(into.problem.detail, /one-absent/)
        await rejectsWith(
          operation({ params: { name: from.name }, body: { ...body, dest_key: '' } }),
          'invalid_request',
        )
        for (const bad of ['a\0', 'x'.repeat(1025), '漢'.repeat(342)])
          await rejectsWith(to.take(kind, 'a', from.name, { dest_key: bad }), 'invalid_request', 'body.dest_key')
        await rejectsWith(to.take(kind, '', from.name), 'invalid_request', 'body.source_key')
        await rejectsWith(
          operation({ params: { name: to.name }, body: { ...body, if_none_match: '"etag"' as '*' } }),
          'invalid_request',
          'body.if_none_match',
        )
        await rejectsWith(
          operation({ params: { name: to.name }, body: { ...body, overwrite: true } as typeof body }),
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
          params: { name: dest },
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
          assert.equal(problem.detail, `You need the right "${right}" on key "in/a" of bucket "${bucket}".`)
        })
      }
      const cannotWrite = await person(['read', 'delete', 'write'], all)
      const { problem } = await rejectsWith(call(cannotWrite, from.name, to.name), 'forbidden')
      assert.equal(problem.detail, `You need the right "write" on key "to/b" of bucket "${to.name}".`)
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
    await server.admin.deleteObject({ params: { name: from.name, key: 'a' }, query: { permanent: true } })
    await server.later(2 * HOUR)
    await server.running.tick()
    assert.deepEqual([await to.text('a'), server.files()], ['shared bytes', files])
    await server.admin.deleteObject({ params: { name: to.name, key: 'a' } })
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
      assert.match(problem.detail, /room for 10 more bytes .* needs 11/)
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
    await server.admin.updateBucket({ params: { name: full.name }, body: { quota_gb: 5 / GIB } })
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
      (await server.admin.objectsExist({ params: { name: to.name }, body: { keys } })).items
    for (const key of HARD_KEYS) {
      const query = { key }
      await server.admin.putObjectByQuery({ params: { name: from.name }, query, body: Buffer.from(`body of ${key}`) })
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
          assert.equal((await server.admin.updateObjectByQuery({ params: { name: to.name }, query, body })).key, key)
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

  it('says for each key what became of it, shares one bulk_id, and records what was done', async () => {
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
      client.bulkCopy({ params: { name: to.name }, body }),
    )
    assert.deepEqual(result.succeeded, ['a', 'b', 'c'])
    assert.deepEqual(codes(result), {
      'in/big': 'quota_exceeded',
      'in/none': 'not_found',
      'in/x/b': 'conflict',
      'out/d': 'forbidden',
      'readonly/e': 'not_found',
    })
    assert.match(result.errors.find(({ key }) => key === 'out/d')?.detail ?? '', /"read" on key "out\/d"/)
    const ids = await bulkIds(3)
    assert.deepEqual([new Set(ids).size, typeof ids[0]], [1, 'string'])
    assert.deepEqual(await to.usage(), [30, 3, 10])
    const again = await server.records([], () =>
      client.bulkCopy({ params: { name: to.name }, body: { ...body, if_none_match: '*' } }),
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
      client.bulkMove({ params: { name: to.name }, body }),
    )
    assert.deepEqual(codes(moved), { ...codes(result), 'readonly/e': 'forbidden' })
    assert.match(moved.errors.find(({ key }) => key === 'readonly/e')?.detail ?? '', /"delete" on key "readonly\/e"/)
    assert.deepEqual((await from.keys()).toSorted(), ['in/big', 'in/x/b', 'out/d'])
    assert.notEqual((await bulkIds(1))[0], ids[0])
    const removed = await server.records(recorded('delete', from.name, ['in/big', 'in/x/b']), () =>
      client.bulkDelete({ params: { name: from.name }, body: { keys: ['out/d', 'in/x/b', 'in/none', 'in/big'] } }),
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
    assert.match(result.errors.find(({ key }) => key === 'd')?.detail ?? '', /room for 10 more bytes/)
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

  it('a key that is named but not there stands in nobody’s way', async () => {
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
    const { items } = await server.admin.objectsExist({ params: { name: to.name }, body: { keys } })
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
      const params = { name: to.name }
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

  itOnce('refuses as a whole who may read or write nothing, the same whether or not there is a bucket', async () => {
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
            const call = operation({ params: { name }, body: { source_bucket, keys: ['a'] } })
            const { problem } = await rejectsWith(call, 'forbidden')
            assert.match(problem.detail, new RegExp(`"${right}"`))
            texts.push(problem.detail.replace(/"bulk-[^"]*"/, '…'))
          }
          assert.equal(texts[0], texts[1])
        })
    await rejectsWith(writer.bulkDelete({ params: { name: from.name }, body: { keys: ['a'] } }), 'forbidden')
    await rejectsWith(writer.bulkDelete({ params: { name: 'bulk-absent' }, body: { keys: ['a'] } }), 'forbidden')
    await server.records([], async () => {
      await rejectsWith(to.takeMany('copy', ['a'], 'bulk-absent'), 'not_found')
      const body = { source_bucket: from.name, keys: ['a'] }
      await rejectsWith(server.admin.bulkMove({ params: { name: 'bulk-absent' }, body }), 'not_found')
      await rejectsWith(
        server.admin.bulkDelete({ params: { name: 'bulk-absent' }, body: { keys: ['a'] } }),
        'not_found',
      )
    })
    assert.deepEqual(await from.keys(), ['a'])
  })

  itOnce('tells which keys are taken to those who may list or read each of them', async () => {
    const bucket = await open()
    const { etag, last_modified } = await bucket.put('list/a', 'four')
    await bucket.put('read/a', '')
    const ask = (client: Client, keys: string[], name = bucket.name) =>
      client.objectsExist({ params: { name }, body: { keys } })
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
      assert.match(problem.detail, /"list" on key "write\/a"/)
      await rejectsWith(ask(client, ['other']), 'forbidden')
      await rejectsWith(ask(client, ['other'], 'bulk-absent'), 'forbidden')
    })
  })
})

describeEngines('changing what an object says of itself', (engine, itOnce) => {
  let server: TestServer
  const open = bucketsOf(() => server, 'said')
  type Change = Parameters<Client['updateObject']>[0]['body']
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  it('changes content type and metadata, together or alone, and leaves the contents and their ETag', async () => {
    const bucket = await open()
    const params = { name: bucket.name, key: 'dir/a b' }
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
    const params = { name: bucket.name, key: 'a' }
    const update = (body: object, headers: Record<string, string> = {}, key = 'a') =>
      server.admin.updateObject({ params: { ...params, key }, body: body as Change, headers })
    await server.records([], async () => {
      const some = { content_type: 'text/plain' }
      await rejectsWith(update(some, { 'if-match': '"other"' }), 'precondition_failed')
      await rejectsWith(update(some, { 'if-match': `W/"${etag}"` }), 'precondition_failed')
      await rejectsWith(update(some, {}, 'absent'), 'not_found')
      const missing = { params: { name: 'said-absent', key: 'a' }, body: some }
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
      assert.match(problem.detail, /"write" on key "a"/)
    })
    const writer = server.as(await server.userWith({ bucket_pattern: bucket.name, actions: ['write'] }))
    await writer.updateObjectByQuery({ params: { name: bucket.name }, query: { key: 'a' }, body: { metadata: {} } })
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

type Step = { key: string; dest: string }
describeEngines('the step that copies and moves', (engine) => {
  let server: TestServer
  let system: System
  const open = bucketsOf(() => server, 'step')
  before(async () => {
    server = await startServer(engine)
    const { database, clock, env } = server
    const log = createLog('silent', undefined)
    const stopping = new AbortController().signal
    const rest = { log, background: () => assert.fail(), worksInBackground: false, stopping }
    system = { database, blobs: null as never, config: readConfig(env), now: clock.now, ...rest }
  })
  after(() => server.stop())

  /** Fills two buckets (sizes by key), does it, gives what `look` finds, and takes everything back. */
  async function attempt<T>(
    kind: Kind,
    given: { source: Record<string, number>; dest: Record<string, number> | 'same'; quota?: number | null },
    pairs: Step[],
    ifNoneMatch: boolean,
    look: (found: {
      placed: Step[]
      errors: Record<string, string>
      source: Record<string, string>
      dest: Record<string, string>
      trash: string[]
      used: number
      recorded: string[]
    }) => T,
  ): Promise<T> {
    class Undo extends Error {}
    let result: T | undefined
    const names = [`${engine}-source`, given.dest === 'same' ? `${engine}-source` : `${engine}-dest`] as const
    await database(async (tx, ctx) => {
      const seed = await tx.selectFrom('objects').selectAll().executeTakeFirstOrThrow()
      for (const [i, name] of [...new Set(names)].entries()) {
        const { id } = await tx.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
        const sizes = Object.entries(i === 0 ? given.source : (given.dest as Record<string, number>))
        if (sizes.length > 0)
          await tx
            .insertInto('objects')
            .values(sizes.map(([key, size]) => ({ ...seed, bucket_id: id, key, size, etag: `${i}:${key}` })))
            .execute()
        const bytes = sum(sizes.map(([, size]) => size))
        await tx
          .insertInto('bucket_usage')
          .values({ bucket_id: id, shard: 0, bytes, objects: sizes.length, trash_bytes: 0 })
          .execute()
        if (name === names[1] && given.quota !== undefined && given.quota !== null)
          await tx
            .insertInto('quotas')
            .values({ scope: id, quota_gb: given.quota / GIB, used_bytes: null })
            .execute()
      }
      const buckets = await holdBuckets(tx, ...names)
      const recorded: string[] = []
      const record = (action: Action) => void recorded.push(`${action.name} ${action.key}`)
      const { placed, errors } = await transferObjects(tx, ctx, kind, buckets, pairs, { ifNoneMatch }, record)
      const held = async (id: string) => {
        const rows = await tx
          .selectFrom('objects')
          .select(['key', 'etag', 'size'])
          .where('bucket_id', '=', id)
          .execute()
        return { rows, byKey: Object.fromEntries(rows.map(({ key, etag }) => [key, etag])) }
      }
      const [source, dest] = [await held(buckets[0].id), await held(buckets[1].id)]
      const trash = await tx.selectFrom('trash').selectAll().where('bucket_id', '=', buckets[1].id).execute()
      for (const [bucket, { rows }] of [
        [buckets[0], source],
        [buckets[1], dest],
      ] as const) {
        const usage = await tx
          .selectFrom('bucket_usage')
          .select((e) => [e.fn.sum<number>('bytes').as('bytes'), e.fn.sum<number>('objects').as('objects')])
          .select((e) => e.fn.sum<number>('trash_bytes').as('trash_bytes'))
          .where('bucket_id', '=', bucket.id)
          .executeTakeFirstOrThrow()
        const kept = bucket === buckets[1] ? trash : []
        assert.deepEqual(
          { ...usage },
          {
            bytes: sum(rows.map(({ size }) => size)),
            objects: rows.length,
            trash_bytes: sum(kept.map(({ size }) => size)),
          },
        )
      }
      result = look({
        placed: placed.map(({ pair }) => pair),
        errors: Object.fromEntries(errors.map(({ key, code }) => [key, code])),
        source: source.byKey,
        dest: dest.byKey,
        trash: trash.map(({ etag }) => etag).toSorted(),
        used: sum(dest.rows.map(({ size }) => size)),
        recorded,
      })
      throw new Undo()
    }).catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
    return result as T
  }
  const database = (work: (tx: Tx, ctx: Ctx) => Promise<void>) =>
    server.database.transaction((tx) =>
      work(
        tx,
        createContext(system, { ...systemActor, groups: [{ id: '', name: '', global: ['admin'], grants: [] }] }),
      ),
    )
  before(async () => {
    const bucket = await open()
    await bucket.put('seed')
    for (const name of [`${engine}-source`, `${engine}-dest`]) await server.admin.createBucket({ body: { name } })
  })

  it('refuses to swap and to turn round, and loses nothing', async () => {
    const source = { a: 1, b: 2, c: 3 }
    for (const pairs of [
      [
        { key: 'a', dest: 'b' },
        { key: 'b', dest: 'a' },
      ],
      [
        { key: 'a', dest: 'b' },
        { key: 'b', dest: 'c' },
        { key: 'c', dest: 'a' },
      ],
    ])
      await attempt('move', { source, dest: 'same' }, pairs, false, ({ placed, errors, dest, recorded }) => {
        assert.deepEqual([placed, recorded, dest], [[], [], { a: '0:a', b: '0:b', c: '0:c' }])
        assert.deepEqual(new Set(Object.values(errors)), new Set(['conflict']))
      })
    const swap = [
      { key: 'a', dest: 'b' },
      { key: 'b', dest: 'a' },
    ]
    await attempt('copy', { source, dest: 'same' }, swap, false, ({ errors, dest, trash }) => {
      assert.deepEqual([errors, dest, trash], [{}, { a: '0:b', b: '0:a', c: '0:c' }, ['0:a', '0:b']])
    })
  })

  it('does or refuses each, loses nothing and counts all, whatever goes where', async () => {
    const name: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const sizes = fc.dictionary(name, fc.integer({ min: 0, max: 20 }), { noNullPrototype: true })
    const pairs = fc.uniqueArray(fc.record({ key: name, dest: name }), { maxLength: 5, selector: ({ key }) => key })
    const quota = fc.option(fc.integer({ min: 0, max: 60 }))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...KINDS),
        sizes,
        fc.oneof(sizes, fc.constant('same' as const)),
        quota,
        pairs,
        fc.boolean(),
        async (kind, source, dest, quota, all, ifNoneMatch) => {
          const same = dest === 'same'
          const begun = same ? source : dest
          await attempt(kind, { source, dest, quota }, all, ifNoneMatch, (found) => {
            const { placed, errors } = found
            assert.deepEqual(
              [...placed.map(({ key }) => key), ...Object.keys(errors)].toSorted(),
              all.map(({ key }) => key).toSorted(),
            )
            assert.deepEqual(
              found.recorded,
              placed.map((pair) => `${kind} ${pair.dest}`),
            )
            assert.deepEqual(
              placed,
              all.filter((pair) => placed.some(({ key }) => key === pair.key)),
              'in their order',
            )
            const left = new Set(kind === 'move' ? placed.map(({ key }) => key) : [])
            const expected = new Map(Object.keys(begun).map((key) => [key, `${same ? 0 : 1}:${key}`]))
            if (same) for (const key of left) expected.delete(key)
            const replaced = placed.flatMap((pair) => expected.get(pair.dest) ?? [])
            for (const pair of placed) expected.set(pair.dest, `0:${pair.key}`)
            assert.deepEqual(found.dest, Object.fromEntries(expected))
            assert.deepEqual(found.trash, replaced.toSorted())
            if (ifNoneMatch) assert.deepEqual(replaced, [])
            if (!same)
              assert.deepEqual(
                Object.keys(found.source).toSorted(),
                Object.keys(source)
                  .filter((key) => !left.has(key))
                  .toSorted(),
              )
            const before = sum(Object.values(begun))
            if (quota !== null) assert.ok(found.used <= Math.max(quota, before), `${found.used} of ${quota}`)
            if (quota === null || quota >= 200 || (same && kind === 'move'))
              assert.ok(!Object.values(errors).includes('quota_exceeded'))
            for (const pair of all) {
              const there = pair.key in source
              assert.equal(errors[pair.key] === 'not_found', !there)
              if (there && same && pair.key === pair.dest) assert.equal(errors[pair.key], 'conflict')
            }
          })
        },
      ),
      { numRuns: engine === 'sqlite' ? 300 : 100 },
    )
  })
})

// SQLite has one writer, so most races can only show on PostgreSQL, where a second service works on the same tables.
describeEngines('racing copies and moves', (engine) => {
  let server: TestServer
  let twin: Running | undefined
  let clients: Client[]
  const open = bucketsOf(() => server, 'race')
  before(async () => {
    server = await startServer(engine)
    clients = [server.admin]
    if (engine === 'sqlite') return
    const config = readConfig({ ...server.env, LOG_LEVEL: 'silent' })
    twin = await start(config, { now: server.clock.now, timers: false })
    clients.push(createClient({ baseUrl: twin.url, token: () => server.adminToken }))
  })
  after(async () => {
    await twin?.stop()
    await server.stop()
  })
  const client = (i: number) => clients[i % clients.length] as Client
  const shuffled = <T>(all: T[]) => all.toSorted(() => Math.random() - 0.5)

  it('lets one of eight move an object, wherever the others want it', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 1 })]
    for (let round = 0; round < 10; round++) {
      const key = `k${round}`
      await from.put(key, `contents ${round}`)
      const spread = round % 2 === 0
      const results = await outcomes(
        times(8, (i) =>
          client(i).moveObject({
            params: { name: i % 3 ? to.name : from.name },
            body: { source_bucket: from.name, source_key: key, dest_key: spread ? `${key}-${i}` : `${key}-new` },
          }),
        ),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'not_found')], [1, 7], results.join())
      const places = [...(await from.keys()), ...(await to.keys())].filter((one) => one.startsWith(`${key}-`))
      assert.equal(places.length, 1)
      await assertExact(server, from.name, to.name)
    }
    assert.deepEqual([await from.trash(), await to.trash()], [[], []])
    const moves = (await allActions(server.database)).filter(({ action }) => action === 'move')
    assert.equal(moves.length, 10)
  })

  it('lets one of eight copy onto a free key where it has to be free', async () => {
    const bucket = await open()
    await bucket.put('a')
    for (let round = 0; round < 5; round++) {
      const results = await outcomes(
        times(8, (i) =>
          client(i).copyObject({
            params: { name: bucket.name },
            body: { source_bucket: bucket.name, source_key: 'a', dest_key: `b${round}`, if_none_match: '*' },
          }),
        ),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'precondition_failed')], [1, 7], results.join())
    }
    assert.deepEqual(await bucket.trash(), [])
    await assertExact(server, bucket.name)
  })

  it('fills a quota to the byte with eight who copy at once', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 100 / GIB })]
    await from.put('ten', Buffer.alloc(10))
    const results = await outcomes(
      times(24, (i) =>
        client(i).copyObject({
          params: { name: to.name },
          body: { source_bucket: from.name, source_key: 'ten', dest_key: `${i}` },
        }),
      ),
    )
    assert.deepEqual([count(results, 'ok'), count(results, 'quota_exceeded')], [10, 14], results.join())
    assert.deepEqual(await to.usage(), [100, 10, 0])
    await assertExact(server, to.name)
  })

  it('copies many onto the same keys from eight sides, each whole', async () => {
    const keys = times(40, (i) => `k${String(i).padStart(2, '0')}`)
    const sources = await Promise.all(times(4, () => open()))
    for (const [i, source] of sources.entries()) for (const key of keys) await source.put(key, `${i}`)
    for (const body of [{}, { quota_gb: 1 }]) {
      const to = await open(body)
      const results = await Promise.allSettled(
        times(8, (i) =>
          client(i).bulkCopy({
            params: { name: to.name },
            body: { source_bucket: sources[i % 4]?.name ?? '', keys: shuffled(keys) },
          }),
        ),
      )
      for (const one of results) {
        assert.ok(one.status === 'fulfilled', one.status === 'rejected' ? String(one.reason) : '')
        assert.deepEqual([one.value.succeeded.length, one.value.errors], [keys.length, []])
      }
      const texts = new Set(await Promise.all(keys.map((key) => to.text(key))))
      assert.equal(texts.size, 1, 'the objects of one of them')
      assert.equal((await to.trash()).length, 7 * keys.length)
      await assertExact(server, to.name, ...sources.map(({ name }) => name))
    }
  })

  it('moves many both ways between two buckets at once: none lost, none doubled, no deadlock shown', async () => {
    const keys = times(30, (i) => `k${String(i).padStart(2, '0')}`)
    for (const quota of [{}, { quota_gb: 1 }]) {
      const [a, b] = [await open(quota), await open(quota)]
      for (const key of keys) {
        await a.put(key, `a ${key}`)
        await b.put(`${key}x`, `b ${key}`)
      }
      const all = [...keys, ...keys.map((key) => `${key}x`)]
      for (let round = 0; round < 4; round++) {
        const results = await Promise.allSettled(
          times(8, (i) => {
            const [from, to] = i % 2 ? [a, b] : [b, a]
            const body = { source_bucket: from.name, keys: shuffled(all), if_none_match: '*' as const }
            return client(Math.floor(i / 2)).bulkMove({ params: { name: to.name }, body })
          }),
        )
        for (const one of results) {
          assert.ok(one.status === 'fulfilled', one.status === 'rejected' ? String(one.reason) : '')
          const { succeeded, errors } = one.value
          assert.equal(succeeded.length + errors.length, all.length)
          for (const { code } of errors) assert.ok(['not_found', 'precondition_failed'].includes(code), code)
        }
        assert.deepEqual([...(await a.keys()), ...(await b.keys())].toSorted(), all.toSorted())
      }
      assert.deepEqual([await a.trash(), await b.trash()], [[], []])
      await assertExact(server, a.name, b.name)
    }
  })

  it('deletes many from eight sides: each object once', async () => {
    const keys = times(60, (i) => `k${i}`)
    const bucket = await open()
    for (const key of keys) await bucket.put(key)
    const results = await Promise.all(
      times(8, (i) => client(i).bulkDelete({ params: { name: bucket.name }, body: { keys: shuffled(keys) } })),
    )
    assert.equal(sum(results.map(({ succeeded }) => succeeded.length)), keys.length)
    assert.deepEqual((await bucket.trash()).map(({ key }) => key).toSorted(), keys.toSorted())
    await assertExact(server, bucket.name)
  })

  it('counts exactly through a storm of copies, moves, uploads, deletes and restores', async () => {
    const buckets = [await open({ quota_gb: 20_000 / GIB }), await open(), await open({ trash_days: 0 })]
    await server.admin.updateSettings({ body: { quotas: { total_quota_gb: 1 } } })
    const seen = new Set<string>()
    const any = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] as T
    const key = () => `k${Math.floor(Math.random() * 12)}`
    const operate = async (i: number): Promise<unknown> => {
      const one = client(i)
      const [from, to] = [any(buckets), any(buckets)]
      const params = { name: to.name }
      const kind = Math.floor(Math.random() * 7)
      const single = { source_bucket: from.name, source_key: key(), dest_key: key() }
      const many = { source_bucket: from.name, keys: [...new Set(times(5, key))], dest_prefix: any(['', 'd/']) }
      if (kind === 0) return one.putObject({ params: { ...params, key: key() }, body: Buffer.alloc(100 + i * 37) })
      if (kind === 1) return one.copyObject({ params, body: single })
      if (kind === 2) return one.moveObject({ params, body: single })
      if (kind === 3) return one.bulkCopy({ params, body: many })
      if (kind === 4) return one.bulkMove({ params, body: many })
      if (kind === 5) return one.bulkDelete({ params, body: { keys: many.keys.slice(0, 2) } })
      const { items } = await one.listTrash({ params, query: { limit: 3 } })
      return items[0] && one.restoreTrash({ params, body: { ids: [items[0].id] } })
    }
    try {
      await Promise.all(
        times(8, async (worker) => {
          for (let i = 0; i < 25; i++) for (const code of await outcomes([operate(worker)])) seen.add(code)
        }),
      )
      const known = ['ok', 'not_found', 'conflict', 'quota_exceeded']
      assert.deepEqual(
        [...seen].filter((code) => !known.includes(code)),
        [],
      )
      await assertExact(server, ...buckets.map(({ name }) => name))
    } finally {
      await server.admin.updateSettings({ body: { quotas: { total_quota_gb: null } } })
    }
    await server.later(2 * HOUR)
    await server.running.tick()
    for (const bucket of buckets) for (const one of await bucket.keys()) assert.notEqual(await bucket.text(one), null)
  })
})
