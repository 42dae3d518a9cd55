// Search by anything: what is found, for whom, and that the index says what objects are whatever happened to them.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { PutBucketPolicyCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import type { Client } from '../../client/derived.ts'
import { kindOf } from '../../contract/kinds.ts'
import { compareKeys } from '../../contract/permissions.ts'
import { s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const MB = 1024 * 1024
const DAY = 86_400_000

describeEngines('search by anything', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let buckets = 0
  before(async () => {
    server = await startServer(engine, { INLINE_MAX_BYTES: '4', S3_PORT: '0' })
    world = s3World(server)
  })
  after(() => server.stop())

  const open = async (body: object = {}) => {
    const name = `find-${++buckets}`
    await server.admin.createBucket({ body: { name, ...body } })
    return name
  }
  interface Content {
    body?: string | Uint8Array<ArrayBuffer>
    type?: string
    tags?: { [name: string]: string }
    meta?: { [name: string]: string }
  }
  const put = (bucket: string, key: string, { body = 'x', type, tags, meta = {} }: Content = {}, token?: string) =>
    server.as(token ?? server.adminToken).putObject({
      params: { bucket, key },
      body,
      headers: {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(tags ? { 'x-tags': new URLSearchParams(tags).toString() } : {}),
        ...Object.fromEntries(Object.entries(meta).map(([name, value]) => [`x-meta-${name}`, value])),
      },
    })
  type Query = NonNullable<Parameters<Client['searchObjects']>[0]['query']>
  /** All pages of a search of one bucket, put together; asserts what each says of the total. */
  async function find(bucket: string, q: string, more: Query = {}, client: Client = server.admin): Promise<string[]> {
    const keys: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<Client['searchObjects']>> = await client.searchObjects({
        params: { bucket },
        query: { q, ...more, ...(cursor === null ? {} : { cursor }) },
      })
      keys.push(...page.items.map(({ key }) => key))
      cursor = page.next_cursor
      assert.ok((page.total ?? 0) >= keys.length)
      if (cursor === null && more.sort === undefined)
        assert.deepEqual([page.total, page.total_exact], [keys.length, true])
    } while (cursor !== null)
    return keys
  }
  async function findAll(q: string, limit = 100, client: Client = server.admin): Promise<string[]> {
    const found: string[] = []
    let cursor: string | null = null
    do {
      const query = { q, limit, ...(cursor === null ? {} : { cursor }) }
      const page: Awaited<ReturnType<Client['searchEverywhere']>> = await client.searchEverywhere({ query })
      assert.ok(page.items.length <= limit)
      found.push(...page.items.map(({ bucket, key }) => `${bucket}/${key}`))
      cursor = page.next_cursor
      if (cursor === null) assert.deepEqual([page.total, page.total_exact], [found.length, true])
    } while (cursor !== null)
    return found
  }

  it('finds objects by what they are', async () => {
    const bucket = await open()
    await put(bucket, '2025/Report final.pdf', { type: 'application/pdf', tags: { project: 'apollo', stage: 'final' } })
    await put(bucket, '2026/report draft.txt', { type: 'text/plain; charset=utf-8', tags: { project: 'apollo' } })
    await put(bucket, '2026/photo.jpg', {
      type: 'image/jpeg',
      meta: { camera: 'nikon d5' },
      body: Buffer.alloc(2 * MB),
    })
    await put(bucket, '2026/big.bin', { body: Buffer.alloc(MB), meta: { camera: 'canon' } })
    await put(bucket, 'empty', { type: 'image/png', body: '', tags: { 'a=b': 'c d', project: '' } })
    await server.later(30 * DAY)
    await put(bucket, 'new.png', { type: 'image/png', tags: { project: 'apollo 11' } })
    const me = (await server.admin.me()).id
    const cases: [string, string[]][] = [
      ['tag:project=apollo', ['2025/Report final.pdf', '2026/report draft.txt']],
      ['tag:project', ['2025/Report final.pdf', '2026/report draft.txt', 'empty', 'new.png']],
      ['tag:project=', ['empty']],
      ['tag:project=apollo*', ['2025/Report final.pdf', '2026/report draft.txt', 'new.png']],
      ['tag:project="apollo 11"', ['new.png']],
      ['tag:"a=b"="c d"', ['empty']],
      ['tag:a', []],
      ['tag:Project=apollo', []],
      ['tag:project=apollo -tag:stage=final', ['2026/report draft.txt']],
      ['tag:project=apollo tag:stage', ['2025/Report final.pdf']],
      ['-tag:project', ['2026/big.bin', '2026/photo.jpg']],
      ['meta:camera', ['2026/big.bin', '2026/photo.jpg']],
      ['meta:camera=nikon*', ['2026/photo.jpg']],
      ['meta:Camera="nikon d5"', ['2026/photo.jpg']],
      ['type:image/*', ['2026/photo.jpg', 'empty', 'new.png']],
      ['type:text/plain', ['2026/report draft.txt']],
      ['-type:image', ['2025/Report final.pdf', '2026/big.bin', '2026/report draft.txt']],
      ['kind:document', ['2025/Report final.pdf', '2026/report draft.txt']],
      ['size:>1MB', ['2026/photo.jpg']],
      ['size:>=1MB', ['2026/big.bin', '2026/photo.jpg']],
      ['size:0', ['empty']],
      ['size:..1KB type:image/png', ['empty', 'new.png']],
      ['modified:<7d', ['new.png']],
      ['modified:>7d kind:picture', ['2026/photo.jpg', 'empty']],
      ['created:<1d', ['new.png']],
      [`modified:>=${server.clock.now().toISOString()}`, ['new.png']],
      ['name:*report*', ['2025/Report final.pdf', '2026/report draft.txt']],
      ['name:report', ['2025/Report final.pdf', '2026/report draft.txt']],
      ['*.pdf', ['2025/Report final.pdf']],
      ['name:?????.jpg', ['2026/photo.jpg']],
      ['key:2026/*', ['2026/big.bin', '2026/photo.jpg', '2026/report draft.txt']],
      ['key:2026/big.bin', ['2026/big.bin']],
      ['prefix:2026/ report', ['2026/report draft.txt']],
      ['prefix:2026/ prefix:2025/', []],
      ['-prefix:2026/ -prefix:2025/', ['empty', 'new.png']],
      ['ext:PDF', ['2025/Report final.pdf']],
      ['report final', ['2025/Report final.pdf']],
      ['"report final"', ['2025/Report final.pdf']],
      ['2026', ['2026/big.bin', '2026/photo.jpg', '2026/report draft.txt']],
      ['by:me size:>=1MB', ['2026/big.bin', '2026/photo.jpg']],
      [`by:${me} ext:pdf`, ['2025/Report final.pdf']],
      ['by:ADMIN@example.com ext:pdf', ['2025/Report final.pdf']],
      ['by:nobody@example.com', []],
      ['encrypted:no ext:pdf', ['2025/Report final.pdf']],
      ['encrypted:yes', []],
      ['storage:standard ext:pdf', ['2025/Report final.pdf']],
      [`bucket:${bucket} ext:pdf`, ['2025/Report final.pdf']],
      ['bucket:other-* ext:pdf', []],
      ['-bucket:other-* ext:pdf', ['2025/Report final.pdf']],
    ]
    for (const [q, expected] of cases) assert.deepEqual(await find(bucket, q), expected, q)
    assert.equal((await find(bucket, ' ')).length, 6)
    assert.deepEqual(await find(bucket, 'tag:project', { order: 'desc', limit: 2 }), [
      'new.png',
      'empty',
      '2026/report draft.txt',
      '2025/Report final.pdf',
    ])
    assert.deepEqual(
      await find(bucket, 'size:>=1', { sort: 'size', order: 'desc', limit: 1 }).then((all) => all.slice(0, 2)),
      ['2026/photo.jpg', '2026/big.bin'],
    )
    assert.deepEqual(await find(bucket, 'report', { kind: 'document', prefix: '2026/' }), ['2026/report draft.txt'])
    const page = await server.admin.searchObjects({ params: { bucket }, query: { q: '202' } })
    assert.deepEqual(page.folders, ['2025/', '2026/'])
  })

  itOnce('says what is not understood, and where', async () => {
    const bucket = await open()
    const fault = { reason: 'unknown_field', position: 2, length: 3, suggestion: 'tag' }
    for (const ask of [
      () => server.admin.searchObjects({ params: { bucket }, query: { q: 'a tga:x' } }),
      () => server.admin.searchEverywhere({ query: { q: 'a tga:x' } }),
    ]) {
      const { problem } = await server.records([], () => rejectsWith(ask(), 'invalid_query', 'query.q'))
      const { reason, position, length, suggestion } = problem as typeof problem & typeof fault
      assert.deepEqual({ reason, position, length, suggestion }, fault)
    }
    await rejectsWith(server.admin.searchObjects({ params: { bucket }, query: {} }), 'invalid_request', 'query.search')
    await rejectsWith(
      server.admin.searchObjects({ params: { bucket }, query: { q: 'x'.repeat(2001) } }),
      'invalid_request',
      'query.q',
    )
  })

  it('finds in all buckets what the caller may list, row by row, and suggests no more', async () => {
    const [open1, open2, other] = [await open(), await open(), await open()]
    const tags = { team: `t${buckets}` }
    for (const bucket of [open1, open2, other])
      for (const key of ['a/1', 'a/2', 'b/1']) await put(bucket, key, { tags, meta: { [`m${key[0]}`]: key } })
    await put(other, 'b/hidden', { tags: { ...tags, secret: 'yes' } })
    const token = await server.userWith(
      { bucket_pattern: open1, actions: ['list'] },
      { bucket_pattern: open2, prefix: 'b/', actions: ['list', 'read'] },
      { bucket_pattern: other, actions: ['write'] },
    )
    const q = `tag:team=${tags.team}`
    const client = server.as(token)
    assert.equal((await findAll(q)).length, 10)
    const seen = [`${open1}/a/1`, `${open1}/a/2`, `${open1}/b/1`, `${open2}/b/1`]
    for (const limit of [1, 2, 3, 100]) assert.deepEqual(await findAll(q, limit, client), seen)
    assert.deepEqual(await findAll(`${q} bucket:${open2}`, 100, client), [`${open2}/b/1`])
    assert.deepEqual(await findAll('tag:secret', 100, client), [])
    assert.deepEqual(await findAll('tag:secret'), [`${other}/b/hidden`])
    assert.deepEqual(await find(open2, q, {}, client), ['b/1'])
    await rejectsWith(find(other, q, {}, client), 'forbidden')
    const suggested = async (query: Parameters<Client['suggestSearch']>[0]['query'], of: Client = client) =>
      (await of.suggestSearch({ query })).items.map(({ value }) => value)
    assert.deepEqual(await suggested({ field: 'tag', bucket: open2 }), ['team'])
    assert.deepEqual(await suggested({ field: 'tag', name: 'team', starts_with: 't', bucket: open2 }), [tags.team])
    assert.deepEqual(await suggested({ field: 'meta', bucket: open2 }), ['mb'], 'only of what is below b/')
    assert.deepEqual(await suggested({ field: 'meta', bucket: open1 }), ['ma', 'mb'])
    assert.ok(!(await suggested({ field: 'tag' })).includes('secret'))
    assert.ok((await suggested({ field: 'tag' }, server.admin)).includes('secret'))
    assert.deepEqual(await suggested({ field: 'type', bucket: open1 }), ['text/plain'])
    const [pair] = (await server.admin.suggestSearch({ query: { field: 'tag', name: 'secret', bucket: other } })).items
    assert.deepEqual(pair, { value: 'yes', query: 'tag:secret=yes' })
    await rejectsWith(suggested({ field: 'tag', bucket: other }), 'forbidden')
    const scoped = await server.admin.createToken({
      body: { name: 'scoped', scope: [{ bucket: open1, prefix: 'a/', actions: ['list'] }] },
    })
    assert.deepEqual(await findAll(q, 100, server.as(scoped.token)), [`${open1}/a/1`, `${open1}/a/2`])
  })

  it('finds nothing that a policy keeps from the caller', async () => {
    const bucket = await open()
    for (const key of ['open/1', 'secret/1']) await put(bucket, key, { tags: { kind: 'k' }, meta: { camera: 'c' } })
    const client = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read'] }))
    assert.deepEqual(await find(bucket, 'tag:kind=k', {}, client), ['open/1', 'secret/1'])
    const s3 = world.clientOf(await world.keyOf())
    const deny = (statement: object) =>
      s3.send(
        new PutBucketPolicyCommand({
          Bucket: bucket,
          Policy: JSON.stringify({
            Version: '2012-10-17',
            Statement: [{ Effect: 'Deny', Principal: '*', ...statement }],
          }),
        }),
      )
    await deny({
      Action: 's3:ListBucket',
      Resource: `arn:aws:s3:::${bucket}`,
      Condition: { StringLike: { 's3:prefix': 'secret/*' } },
    })
    assert.deepEqual(await find(bucket, 'tag:kind=k', {}, client), ['open/1'])
    assert.deepEqual(
      (await findAll('tag:kind=k', 100, client)).filter((one) => one.startsWith(bucket)),
      [`${bucket}/open/1`],
    )
    const plain = await client.searchObjects({ params: { bucket }, query: { search: '1' } })
    assert.deepEqual(
      plain.items.map(({ key }) => key),
      ['open/1'],
    )
    for (const key of ['open/plans/1', 'secret/plans of theirs/1']) await put(bucket, key)
    const params = { bucket }
    for (const query of [
      { q: 'plan' },
      { search: 'plan' },
      { q: 'plan', sort: 'size' },
      { search: 'pl' },
      { q: 'pl' },
    ] as const)
      assert.deepEqual((await client.searchObjects({ params, query })).folders, ['open/plans/'], JSON.stringify(query))
    for (const key of ['open/plans/1', 'secret/plans of theirs/1'])
      await server.admin.deleteObject({ params: { bucket, key } })
    // A page that ends among what is hidden does not say so.
    for (let i = 0; i < 4; i++) await put(bucket, `open/${i}1`)
    const page = await client.searchObjects({ params: { bucket }, query: { q: '1', limit: 2 } })
    assert.ok(page.next_cursor && !Buffer.from(page.next_cursor, 'base64url').toString('latin1').includes('open/'))
    await rejectsWith(
      client.searchObjects({
        params: { bucket },
        query: { q: '1', cursor: Buffer.from('["a","1"]').toString('base64url') },
      }),
      'invalid_request',
      'query.cursor',
    )
    await deny({ Action: 's3:GetObjectTagging', Resource: `arn:aws:s3:::${bucket}/open/*` })
    assert.deepEqual(await find(bucket, 'tag:kind=k', {}, client), ['secret/1'])
    assert.deepEqual(await find(bucket, 'meta:camera=c', {}, client), ['open/1', 'secret/1'])
    await deny({ Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/open/*` })
    assert.deepEqual(await find(bucket, 'meta:camera=c', {}, client), ['secret/1'])
  })

  it('shows no tags or metadata that a policy forbids to read, however the object was found', async () => {
    const bucket = await open()
    for (const key of ['open/1', 'other/1']) await put(bucket, key, { tags: { kind: 'k' }, meta: { camera: 'c' } })
    const client = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read'] }))
    const s3 = world.clientOf(await world.keyOf())
    const shown = async () => {
      const params = { bucket }
      const lists = [
        (await client.searchObjects({ params, query: { q: '1' } })).items,
        (await client.searchObjects({ params, query: { search: '1', sort: 'size' } })).items,
        (await client.searchEverywhere({ query: { q: `1 bucket:${bucket}` } })).items,
        (await client.listObjects({ params })).items,
        (await client.browse({ params, query: { prefix: 'open/' } })).objects,
      ]
      return lists.map((items) => {
        const one = items.find(({ key }) => key === 'open/1')
        return [one?.tags ?? null, one?.metadata]
      })
    }
    const deny = (Action: string) =>
      s3.send(
        new PutBucketPolicyCommand({
          Bucket: bucket,
          Policy: JSON.stringify({
            Version: '2012-10-17',
            Statement: [{ Effect: 'Deny', Principal: '*', Action, Resource: `arn:aws:s3:::${bucket}/open/*` }],
          }),
        }),
      )
    const five = (one: unknown) => Array.from({ length: 5 }, () => one)
    assert.deepEqual(await shown(), five([{ kind: 'k' }, { camera: 'c' }]))
    await deny('s3:GetObjectTagging')
    assert.deepEqual(await shown(), five([null, { camera: 'c' }]))
    await deny('s3:GetObject')
    assert.deepEqual(await shown(), five([{ kind: 'k' }, {}]))
  })

  it('has jobs act on what it finds, as it was listed, and only counts in a dry run', async () => {
    const bucket = await open()
    for (const [key, stage] of [
      ['a/1', 'draft'],
      ['a/2', 'final'],
      ['b/3', 'draft'],
      ['b/4', 'draft'],
    ] as const)
      await put(bucket, key, { tags: { stage } })
    const job = async (body: Parameters<Client['createJob']>[0]['body']) => {
      const { id, query } = await server.admin.createJob({ body })
      assert.equal(query, body.query ?? null)
      await until(async () => ['succeeded', 'failed'].includes((await server.admin.getJob({ params: { id } })).status))
      return server.admin.getJob({ params: { id } })
    }
    const query = 'tag:stage=draft -key:b/4'
    const base = { source_bucket: bucket, query }
    const dry = await server.records([], () => job({ kind: 'delete', ...base, dry_run: true }))
    assert.deepEqual([dry.status, dry.total, dry.done, dry.failed, dry.dry_run], ['succeeded', 2, 0, 0, true])
    assert.equal((await find(bucket, ' ')).length, 4)
    const done = await server.records(
      [
        { action: 'delete', bucket, key: 'a/1' },
        { action: 'delete', bucket, key: 'b/3' },
      ],
      () => job({ kind: 'delete', ...base }),
    )
    assert.deepEqual([done.total, done.done, done.failed], [2, 2, 0])
    assert.deepEqual(await find(bucket, ' '), ['a/2', 'b/4'])
    await job({ kind: 'restore', of: done.id })
    assert.deepEqual(await find(bucket, query), ['a/1', 'b/3'])
    const copied = await job({ kind: 'copy', ...base, prefix: 'a/', dest_prefix: 'copied/' })
    assert.equal(copied.done, 1)
    assert.deepEqual(await find(bucket, 'tag:stage=draft prefix:copied/'), ['copied/1'])
    await rejectsWith(
      server.admin.createJob({ body: { kind: 'delete', ...base, query: 'sise:1' } }),
      'invalid_query',
      'body.query',
    )
    await rejectsWith(
      server.admin.createJob({ body: { kind: 'delete', ...base, keys: ['a/1'] } }),
      'invalid_request',
      'body.query',
    )
    const none = await job({ kind: 'delete', ...base, query: 'bucket:other-bucket' })
    assert.equal(none.total, 0)
  })

  /** The words of all objects of a bucket as the index has them, and as they follow from the objects. */
  async function indexOf(bucket: string) {
    const { db } = server.database
    const { id } = await db.selectFrom('buckets').select('id').where('name', '=', bucket).executeTakeFirstOrThrow()
    const words = await db.selectFrom('object_words').select(['key', 'word']).where('bucket_id', '=', id).execute()
    const objects = await db.selectFrom('objects').selectAll().where('bucket_id', '=', id).execute()
    const expected = objects.flatMap(({ key, tags, metadata }) => [
      ...Object.entries(JSON.parse(tags ?? '{}') as object).flatMap(([name, value]) => [
        [key, `k:${name.replace('=', '%3D')}`],
        [key, `t:${name.replace('=', '%3D')}=${[...String(value)].slice(0, 200).join('')}`],
      ]),
      ...Object.entries(JSON.parse(metadata) as object).map(([name, value]) => [
        key,
        `m:${name}=${[...String(value)].slice(0, 200).join('')}`,
      ]),
    ])
    const sorted = (pairs: string[][]) => [...new Set(pairs.map((pair) => pair.join('\n')))].sort()
    return { index: sorted(words.map(({ key, word }) => [key, word])), expected: sorted(expected), objects }
  }

  it('names and values are told apart, whatever equals signs they have', async () => {
    const bucket = await open()
    await put(bucket, 'one', { tags: { 'a=b': 'c' } })
    await put(bucket, 'other', { tags: { a: 'b=c' } })
    await put(bucket, 'percent', { tags: { 'a%3Db': 'c' } })
    assert.deepEqual(await find(bucket, 'tag:"a=b"=c'), ['one'])
    assert.deepEqual(await find(bucket, 'tag:a=b=c'), ['other'])
    assert.deepEqual(await find(bucket, 'tag:a%3Db=c'), ['percent'])
    const suggested = async (query: object) =>
      (await server.admin.suggestSearch({ query: { field: 'tag', bucket, ...query } })).items.map(({ value }) => value)
    assert.deepEqual(await suggested({}), ['a', 'a%3Db', 'a=b'])
    assert.deepEqual(await suggested({ name: 'a' }), ['b=c'])
    assert.deepEqual(await suggested({ name: 'a=b' }), ['c'])
  })

  it('an index that is still written leaves nothing out, and goes on where it stopped', async () => {
    const bucket = await open()
    for (let i = 0; i < 12; i++) await put(bucket, `k${i % 10}${i}`, { tags: { project: i % 2 ? 'apollo' : 'gemini' } })
    const found = async () => [
      await find(bucket, 'tag:project=apollo'),
      await findAll(`tag:project=apollo bucket:${bucket}`),
      (await server.admin.suggestSearch({ query: { field: 'tag', bucket } })).complete,
    ]
    const [whole, everywhere, complete] = await found()
    assert.deepEqual([(whole as string[]).length, (everywhere as string[]).length, complete], [6, 6, true])
    // As an upgrade leaves it.
    await server.database.transaction(async (tx) => {
      await tx.deleteFrom('object_words').execute()
      await tx.updateTable('instance').set({ words_to: '' }).execute()
    })
    assert.deepEqual(await found(), [whole, everywhere, false])
    // What changes meanwhile is in the index already.
    await put(bucket, 'k00', { tags: { project: 'soyuz' } })
    await server.admin.deleteObject({ params: { bucket, key: 'k22' } })
    await server.records([], () => server.running.tick('search-words'))
    const { words_to } = await server.database.db.selectFrom('instance').select('words_to').executeTakeFirstOrThrow()
    assert.equal(words_to, null)
    const { index, expected } = await indexOf(bucket)
    assert.deepEqual(index, expected)
    assert.deepEqual(await found(), [whole, everywhere, true])
  })

  it('the index says what the objects are, whatever happens to them', async () => {
    const names = fc.constantFrom('project', 'a=b', 'x', 'ü')
    const values = fc.constantFrom('apollo', '', 'c d', 'b=c', 'é'.repeat(256), '"\\')
    const tags = fc.dictionary(names, values, { maxKeys: 3 })
    const key = fc.constantFrom('a/1', 'a/2', 'a/b/3', 'c/4', 'c/5')
    const op = fc.oneof(
      fc.record({ do: fc.constant('put' as const), key, tags, meta: fc.constantFrom('', 'nikon', 'm'.repeat(300)) }),
      fc.record({ do: fc.constant('tag' as const), key, tags, over: fc.constantFrom('rest' as const, 's3' as const) }),
      fc.record({ do: fc.constant('meta' as const), key, meta: fc.constantFrom('', 'sony') }),
      fc.record({ do: fc.constant('delete' as const), key }),
      fc.record({ do: fc.constantFrom('copy' as const, 'move' as const), key, to: key }),
      fc.record({
        do: fc.constant('folder' as const),
        from: fc.constantFrom('a/', 'c/'),
        to: fc.constantFrom('c/', 'd/'),
      }),
      fc.record({ do: fc.constant('restore' as const) }),
      fc.record({ do: fc.constant('rollback' as const) }),
    )
    const job = async (body: Parameters<Client['createJob']>[0]['body']) => {
      const { id } = await server.admin.createJob({ body })
      await until(async () => ['succeeded', 'failed'].includes((await server.admin.getJob({ params: { id } })).status))
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(null, 'enabled'),
        fc.array(op, { minLength: 4, maxLength: 12 }),
        async (versioning, ops) => {
          const bucket = await open(versioning === null ? {} : { versioning })
          const params = { bucket }
          let past = server.clock.now().toISOString()
          for (const one of ops) {
            // Whatever is refused (what is not there, or moves onto itself) changes nothing.
            await (async () => {
              if (one.do === 'put')
                await put(bucket, one.key, { tags: one.tags, meta: one.meta ? { camera: one.meta } : {} })
              else if (one.do === 'tag')
                await server.admin.updateObject({ params: { ...params, key: one.key }, body: { tags: one.tags } })
              else if (one.do === 'meta') {
                const metadata: Record<string, string> = one.meta ? { camera: one.meta } : {}
                await server.admin.updateObject({ params: { ...params, key: one.key }, body: { metadata } })
              } else if (one.do === 'delete') await server.admin.deleteObject({ params: { ...params, key: one.key } })
              else if (one.do === 'copy' || one.do === 'move') {
                const body = { source_bucket: bucket, source_key: one.key, dest_key: one.to }
                await (one.do === 'copy'
                  ? server.admin.copyObject({ params, body })
                  : server.admin.moveObject({ params, body }))
              } else if (one.do === 'folder')
                await job({ kind: 'move', source_bucket: bucket, prefix: one.from, dest_prefix: one.to })
              else if (one.do === 'restore') {
                const ids = (await server.admin.listTrash({ params })).items.map(({ id }) => id).slice(0, 1)
                await server.admin.restoreTrash({ params, body: { ids, on_conflict: 'replace' } })
              } else await job({ kind: 'rollback', source_bucket: bucket, to: past })
            })().catch((error: { problem?: unknown }) => assert.ok(error.problem, String(error)))
            if (one.do === 'put') past = server.clock.now().toISOString()
            server.clock.advance(1000)
          }
          const { index, expected, objects } = await indexOf(bucket)
          assert.deepEqual(index, expected)
          const having = (test: (row: (typeof objects)[number]) => boolean) =>
            objects
              .filter(test)
              .map((row) => row.key)
              .sort(compareKeys)
          const tagged = (name: string, value?: string) =>
            having(({ tags }) => {
              const pairs = JSON.parse(tags ?? '{}') as Record<string, string>
              return name in pairs && (value === undefined || pairs[name] === value)
            })
          assert.deepEqual(await find(bucket, 'tag:project=apollo', { limit: 2 }), tagged('project', 'apollo'))
          assert.deepEqual(await find(bucket, 'tag:"a=b"'), tagged('a=b'))
          assert.deepEqual(await find(bucket, `tag:x=${'é'.repeat(256)}`), tagged('x', 'é'.repeat(256)))
          assert.deepEqual(await find(bucket, `tag:x=${'é'.repeat(255)}`), [])
          assert.deepEqual(
            await find(bucket, '-meta:camera=nikon'),
            having(({ metadata }) => JSON.parse(metadata).camera !== 'nikon'),
          )
          if (objects.length > 0) {
            const fork = `${bucket}-fork`
            await server.admin.createBucket({ body: { name: fork, from: { bucket } } })
            const forked = await indexOf(fork)
            assert.deepEqual(forked.index, forked.expected)
            assert.equal(forked.objects.length, objects.length)
          }
        },
      ),
      { numRuns: 12, endOnFailure: true },
    )
  })

  it('leads through all that is found, whatever it looks at on the way', async () => {
    const bucket = await open()
    await put(bucket, 'seed', { tags: { seed: 'yes' } })
    const types = ['image/png', 'text/plain', 'binary/octet-stream', 'Image/JPEG']
    await server.database.transaction(async (tx) => {
      const seed = await tx
        .selectFrom('objects')
        .selectAll()
        .where('key', '=', 'seed')
        .orderBy('moment', 'desc')
        .executeTakeFirstOrThrow()
      for (let at = 0; at < 6000; at += 1000)
        await tx
          .insertInto('objects')
          .values(
            Array.from({ length: 1000 }, (_, i) => ({
              ...seed,
              key: `${String(at + i).padStart(5, '0')}${(at + i) % 3 === 0 ? '.png' : '.txt'}`,
              size: (at + i) * 100,
              content_type: types[(at + i) % 4] ?? '',
              tags: (at + i) % 2 === 0 ? JSON.stringify({ half: 'yes', n: String((at + i) % 50) }) : null,
              metadata: JSON.stringify({ id: String(at + i) }),
            })),
          )
          .execute()
    })
    await server.admin.deleteObject({ params: { bucket, key: 'seed' } })
    const all = Array.from({ length: 6000 }, (_, i) => ({
      i,
      key: `${String(i).padStart(5, '0')}${i % 3 === 0 ? '.png' : '.txt'}`,
      type: types[i % 4] === 'binary/octet-stream' ? (i % 3 === 0 ? 'image/png' : 'text/plain') : (types[i % 4] ?? ''),
    }))
    const cases: [string, (one: (typeof all)[number]) => boolean][] = [
      ['tag:half=yes', ({ i }) => i % 2 === 0],
      ['tag:half=yes tag:n=7', () => false],
      ['tag:half=yes tag:n=8', ({ i }) => i % 50 === 8],
      ['tag:n=1*', ({ i }) => i % 2 === 0 && String(i % 50).startsWith('1')],
      ['-tag:half type:image/jpeg', ({ i }) => i % 4 === 3],
      ['type:image/*', ({ type }) => kindOf(type) === 'picture'],
      ['kind:document tag:half', ({ i, type }) => i % 2 === 0 && kindOf(type) === 'document'],
      ['size:>=400KB ext:png', ({ i }) => i * 100 >= 400 * 1024 && i % 3 === 0],
      ['size:<1KB', ({ i }) => i * 100 < 1024],
      ['meta:id=4321', ({ i }) => i === 4321],
      ['meta:id ext:png', ({ i }) => i % 3 === 0],
      ['name:*123*', ({ key }) => key.includes('123')],
      ['123 -ext:png', ({ key, i }) => key.includes('123') && i % 3 !== 0],
    ]
    for (const [q, fits] of cases) {
      const expected = all.filter(fits).map(({ key }) => key)
      for (const limit of [150, 1000]) assert.deepEqual(await find(bucket, q, { limit }), expected, q)
      assert.deepEqual(await find(bucket, q, { limit: 333, order: 'desc' }), expected.toReversed(), q)
    }
  })
})
