import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { type Client, createClient, type ProblemError } from '../../client/derived.ts'
import type { Running } from '../../server/process/start.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import {
  ABSENT,
  bytes,
  etagOfParts,
  GIB,
  HOUR,
  type Init,
  MIB,
  md5,
  type Named,
  PART,
  times,
  uploadsWorld,
} from './uploads.ts'

const TIB = 1024 ** 4

describeEngines('multipart uploads', (engine, itOnce, itStored) => {
  const world = uploadsWorld(engine)
  const { open, usage, putAt, refusal, begin, store, read, person } = world
  let server: TestServer
  let twin: Running | undefined
  before(() => {
    server = world.server
    twin = world.twin
  })

  itOnce('begins with sizes, numbers and URLs that fit together', async () => {
    const name = await open()
    await server.records([], async () => {
      const {
        url: _u,
        try: _t,
        send: _s,
        status: _g,
        complete: _c,
        abort,
        ...upload
      } = await begin(name, {
        key: 'a b/ä',
        file_size: 40 * MIB,
      })
      assert.deepEqual(
        { ...upload, upload_id: '', urls: upload.urls.length },
        {
          upload_id: '',
          bucket: name,
          key: 'a b/ä',
          file_size: 40 * MIB,
          part_size: 16 * MIB,
          num_parts: 3,
          expires_at: new Date(server.clock.now().getTime() + 24 * HOUR).toISOString(),
          urls: 3,
        },
      )
      assert.match(upload.upload_id, /^[0-9a-f-]{36}$/)
      await abort()
      const shape = async (body: Omit<Init, 'key'>) => {
        const { part_size, num_parts, urls, abort } = await begin(name, { key: 'k', ...body })
        assert.equal(new Set(urls).size, urls.length)
        await abort()
        return [part_size, num_parts, urls.length]
      }
      assert.deepEqual(await shape({ file_size: 0 }), [16 * MIB, 1, 1])
      assert.deepEqual(await shape({ file_size: 1 }), [16 * MIB, 1, 1])
      assert.deepEqual(await shape({ file_size: 16 * MIB }), [16 * MIB, 1, 1])
      assert.deepEqual(await shape({ file_size: 16 * MIB + 1 }), [16 * MIB, 2, 2])
      assert.deepEqual(await shape({}), [16 * MIB, null, 1000])
      assert.deepEqual(await shape({ file_size: 5 * MIB + 1, part_size: 5 * MIB }), [5 * MIB, 2, 2])
      assert.deepEqual(await shape({ part_size: 5 * GIB }), [5 * GIB, null, 1000])
      assert.deepEqual(await shape({ file_size: 10_000 * PART, part_size: PART }), [PART, 10_000, 1000])
      const [size, parts] = (await shape({ file_size: 5 * TIB })) as [number, number]
      assert.ok(parts <= 10_000 && size * parts >= 5 * TIB && size * (parts - 1) < 5 * TIB, `${parts} of ${size}`)
    })
    assert.equal((await usage(name)).reserved_bytes, 0)
  })

  itOnce('gives the URLs beyond the first thousand when asked', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: 1500 * PART - 3, part_size: PART })
    assert.deepEqual([upload.num_parts, upload.urls.length], [1500, 1000])
    const rest = await upload.status({ from: 1001 })
    assert.deepEqual(
      rest.urls.map(({ part_number }) => part_number),
      times(500, (i) => 1001 + i),
    )
    const last = rest.urls.at(-1)?.url ?? ''
    assert.deepEqual(refusal(await putAt(last, bytes(PART - 4))), [400, 'malformed'])
    assert.equal((await putAt(last, bytes(PART - 3))).status, 200)
    const few = await upload.status({ from: 1499, limit: 2 })
    assert.deepEqual(
      [few.urls.map(({ part_number }) => part_number), few.parts.map(({ part_number }) => part_number)],
      [[1499], [1500]],
    )
    assert.deepEqual((await upload.status({ from: 1501 })).urls, [])
    assert.equal((await upload.status({ from: 3, limit: 1 })).urls[0]?.part_number, 3)
  })

  itOnce('refuses what cannot be begun', async () => {
    const name = await open()
    const init = (body: object) => server.admin.initUpload({ params: { bucket: name }, body: body as Init })
    await server.records([], async () => {
      for (const [body, fault] of [
        [{}, 'body.key'],
        [{ key: '' }, 'body.key'],
        [{ key: 'a\0' }, 'body.key'],
        [{ key: 'ä'.repeat(513) }, 'body.key'],
        [{ key: 'k', file_size: -1 }, 'body.file_size'],
        [{ key: 'k', file_size: 1.5 }, 'body.file_size'],
        [{ key: 'k', file_size: '5' }, 'body.file_size'],
        [{ key: 'k', file_size: 5 * TIB + 1 }, 'body.file_size'],
        [{ key: 'k', part_size: PART - 1 }, 'body.part_size'],
        [{ key: 'k', part_size: 5 * GIB + 1 }, 'body.part_size'],
        [{ key: 'k', file_size: 10_000 * PART + 1, part_size: PART }, 'body.part_size'],
        [{ key: 'k', content_type: 'x'.repeat(256) }, 'body.content_type'],
        [{ key: 'k', metadata: { a: 'x'.repeat(4000), b: 'x'.repeat(4000), c: 'x'.repeat(300) } }, 'body.metadata'],
        [{ key: 'k', metadata: { 'A b': 'x' } }, 'body.metadata.A b'],
        [{ key: 'k', filesize: 5 }, 'body.filesize'],
      ] as const)
        await rejectsWith(init(body), 'invalid_request', fault)
      await rejectsWith(server.admin.initUpload({ params: { bucket: 'no-bucket' }, body: { key: 'k' } }), 'not_found')
      await rejectsWith(server.as().initUpload({ params: { bucket: name }, body: { key: 'k' } }), 'unauthenticated')
    })
    assert.deepEqual((await server.admin.listUploads({ params: { bucket: name } })).items, [])
  })

  itStored('stores an empty file as one empty part', async () => {
    const name = await open()
    const object = await store(name, 'empty', Buffer.alloc(0))
    assert.deepEqual([object.size, object.etag], [0, etagOfParts(Buffer.alloc(0))])
    assert.equal((await read(name, 'empty')).length, 0)
    const unknown = await begin(name, { key: 'empty too' })
    const part = await unknown.send(1, Buffer.alloc(0))
    assert.equal((await unknown.complete([part])).size, 0)
    assert.equal((await usage(name)).object_count, 2)
  })

  itStored('lists what has arrived, and returns fresh URLs for the rest', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', file_size: 3 * PART, part_size: PART })
    const data = bytes(PART)
    await upload.send(2, data)
    server.clock.advance(1000)
    const status = await upload.status()
    const { urls, parts, ...rest } = status
    const me = await server.admin.me()
    assert.deepEqual(rest, {
      upload_id: upload.upload_id,
      bucket: name,
      key: 'k',
      file_size: 3 * PART,
      part_size: PART,
      num_parts: 3,
      expires_at: upload.expires_at,
      created_at: new Date(Date.parse(upload.expires_at) - 24 * HOUR).toISOString(),
      created_by: me.id,
      received_parts: 1,
      received_bytes: PART,
    })
    assert.deepEqual(parts, [{ part_number: 2, size: PART, etag: md5(data) }])
    assert.deepEqual(
      urls.map(({ part_number }) => part_number),
      [1, 3],
    )
    assert.deepEqual(
      (await upload.status({ from: 2 })).urls.map(({ part_number }) => part_number),
      [3],
    )
    assert.deepEqual(
      (await upload.status({ limit: 2 })).urls.map(({ part_number }) => part_number),
      [1],
    )
    const params = { bucket: name, upload_id: upload.upload_id }
    for (const [query, fault] of [
      [{ from: 0 }, 'query.from'],
      [{ from: 10_001 }, 'query.from'],
      [{ limit: 0 }, 'query.limit'],
      [{ limit: 1001 }, 'query.limit'],
      [{ part: 1 }, 'query.part'],
    ] as const)
      await rejectsWith(server.admin.getUpload({ params, query: query as never }), 'invalid_request', fault)
    await rejectsWith(server.admin.getUpload({ params: { bucket: name, upload_id: 'x' } }), 'invalid_request')
    await rejectsWith(server.admin.getUpload({ params: { bucket: name, upload_id: ABSENT } }), 'not_found')
    await rejectsWith(server.admin.getUpload({ params: { ...params, bucket: await open() } }), 'not_found')
    await rejectsWith(server.admin.getUpload({ params: { ...params, bucket: 'no-bucket' } }), 'not_found')
    await upload.abort()
  })

  itStored('continues with another token, on another service, and by another user', async () => {
    const name = await open()
    const body = bytes(2 * PART + 9)
    const cut = times(3, (i) => body.subarray(i * PART, (i + 1) * PART))
    const alice = await person({ bucket_pattern: name, actions: ['write'] })
    const bob = await person({ bucket_pattern: name, prefix: 'in/', actions: ['list', 'write'] })
    const upload = await begin(name, { key: 'in/k', file_size: body.length, part_size: PART }, alice.client)
    const named = [await upload.send(1, cut[0] as Buffer)]
    const made = await alice.client.createToken({ body: { name: 'other machine' } })
    server.secrets.add(made.token)
    const machine = createClient({ baseUrl: twin?.url ?? server.url, token: made.token })
    const second = (await upload.status({}, machine)).urls.find(({ part_number }) => part_number === 2)
    const path = new URL(second?.url ?? '').pathname
    const sent = await request({ url: twin?.url ?? server.url, path, method: 'PUT', body: cut[1] as Buffer })
    assert.equal(sent.status, 200)
    const forBob = await upload.status({}, bob.client)
    assert.deepEqual(
      [forBob.parts.map(({ part_number }) => part_number), forBob.urls.length, forBob.created_by],
      [[1, 2], 1, alice.id],
    )
    assert.equal((await putAt(forBob.urls[0]?.url ?? '', cut[2] as Buffer)).status, 200)
    named.push(...[2, 3].map((n) => ({ part_number: n, etag: md5(cut[n - 1] as Buffer) })))
    const object = await server.records([{ action: 'upload', bucket: name, key: 'in/k' }], () =>
      upload.complete(named, {}, bob.client),
    )
    assert.deepEqual([object.created_by, object.etag], [bob.id, etagOfParts(...cut)])
    assert.ok((await read(name, 'in/k')).equals(body))
  })

  itOnce('shows nothing to those who may not write the key', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'out/secret-name', file_size: 10 })
    const part = await upload.send(1, bytes(10))
    const denied = { action: 'access_denied', result: 'denied' } as const
    const reader = await person({ bucket_pattern: name, actions: ['list', 'read', 'delete', 'manage'] })
    const elsewhere = await person({ bucket_pattern: name, prefix: 'in/', actions: ['write'] })
    const nobody = await person()
    const calls = (who: Client) => [
      () => upload.status({}, who),
      () => upload.complete([part], {}, who),
      () => upload.abort(who),
    ]
    for (const who of [reader, nobody]) {
      const all = [
        ...calls(who.client),
        () => who.client.listUploads({ params: { bucket: name } }),
        () => who.client.initUpload({ params: { bucket: name }, body: { key: 'k' } }),
      ]
      await server.records(
        all.map(() => denied),
        async () => {
          for (const call of all) {
            const { problem } = await rejectsWith(call(), 'forbidden')
            assert.doesNotMatch(JSON.stringify(problem), /secret-name/)
          }
        },
      )
    }
    const message = async (name: string) =>
      (await rejectsWith(nobody.client.listUploads({ params: { bucket: name } }), 'forbidden')).problem.detail
    assert.equal((await message(name)).replace(name, ''), (await message('no-bucket')).replace('no-bucket', ''))
    for (const call of calls(elsewhere.client)) {
      const error = await call().then(
        () => assert.fail(),
        (reason: ProblemError) => reason,
      )
      assert.doesNotMatch(JSON.stringify(error.problem), /secret-name/)
      assert.equal(error.problem.code, 'not_found', 'the same as of an upload that is not')
    }
    await rejectsWith(elsewhere.client.getUpload({ params: { bucket: name, upload_id: ABSENT } }), 'not_found')
    await rejectsWith(elsewhere.client.initUpload({ params: { bucket: name }, body: { key: 'out/x' } }), 'forbidden')
    // Also where the request would be refused for something else.
    const impossible = { key: 'out/x', checksum: { algorithm: 'sha256' as const, type: 'full_object' as const } }
    await rejectsWith(elsewhere.client.initUpload({ params: { bucket: name }, body: impossible }), 'forbidden')
    const own = await begin(name, { key: 'in/mine' }, elsewhere.client)
    const listed = await elsewhere.client.listUploads({ params: { bucket: name } })
    assert.deepEqual(
      listed.items.map(({ key }) => key),
      ['in/mine'],
    )
    for (const call of calls(server.as())) await rejectsWith(call(), 'unauthenticated')
    await own.abort()
    assert.equal((await upload.complete([part])).size, 10)
  })

  it('lists what is open, latest first, page by page', async () => {
    const name = await open()
    const list = (query = {}) => server.admin.listUploads({ params: { bucket: name }, query })
    assert.deepEqual(await list(), { items: [], next_cursor: null })
    const begun = []
    for (let i = 0; i < 5; i++) {
      begun.push(await begin(name, { key: `k${i}`, file_size: 10 }))
      server.clock.advance(1000)
    }
    await begun[3]?.send(1, bytes(10))
    await begun[1]?.abort()
    await begun[2]?.complete([await (begun[2]?.send(1, bytes(10)) as Promise<Named>)])
    const all = (await list()).items
    assert.deepEqual(
      all.map(({ key, received_parts, received_bytes, num_parts }) => [key, received_parts, received_bytes, num_parts]),
      [
        ['k4', 0, 0, 1],
        ['k3', 1, 10, 1],
        ['k0', 0, 0, 1],
      ],
    )
    const first = await list({ limit: 2 })
    const second = await list({ limit: 2, cursor: first.next_cursor })
    assert.deepEqual([...first.items, ...second.items, second.next_cursor], [...all, null])
    await rejectsWith(list({ cursor: 'x' }), 'invalid_request', 'query.cursor')
    await rejectsWith(list({ limit: 0 }), 'invalid_request', 'query.limit')
    await rejectsWith(server.admin.listUploads({ params: { bucket: 'no-bucket' } }), 'not_found')
  })
})
