import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { ProblemError } from '../../client/derived.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import {
  ABSENT,
  bytes,
  count,
  etagOfParts,
  HOUR,
  MIB,
  md5,
  type Named,
  outcomes,
  PART,
  times,
  uploadsWorld,
} from './uploads.ts'

describeEngines('multipart uploads: completing', (engine, itOnce, itStored) => {
  const world = uploadsWorld(engine)
  const { client, open, usage, refusal, begin, store, read, tick } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  it('names every part that is missing or different, and changes nothing', async () => {
    const [name, other] = [await open(), await open()]
    const body = bytes(2 * PART + 77)
    const cut = times(3, (i) => body.subarray(i * PART, (i + 1) * PART))
    const upload = await begin(name, { key: 'k', file_size: body.length, part_size: PART })
    const one = await upload.send(1, cut[0] as Buffer)
    const three = await upload.send(3, cut[2] as Buffer)
    const two = { part_number: 2, etag: md5(cut[1] as Buffer) }
    const wrong = { part_number: 1, etag: md5(Buffer.from('other')) }
    const four = { part_number: 4, etag: one.etag }
    const faultsOf = async (parts: Named[]) => {
      const { problem } = await rejectsWith(upload.complete(parts), 'conflict')
      return (problem.errors ?? []).map(({ path, message }) => `${path} ${message}`)
    }
    const assertNames = async (parts: Named[], ...expected: RegExp[]) => {
      const faults = await faultsOf(parts)
      for (const one of expected)
        assert.ok(
          faults.some((fault) => one.test(fault)),
          `${one} in ${faults}`,
        )
      return faults
    }
    await server.records([], async () => {
      assert.equal((await assertNames([one, two, three], /^body\.parts\.1 part 2 /)).length, 1)
      await assertNames([one, three], /part 2 /)
      await assertNames([one], /part 2 /, /part 3 /)
      await assertNames([wrong, two, three, four], /parts\.0 part 1 /, /1 part 2 /, /3 part 4 /)
      await upload.send(2, cut[1] as Buffer)
      await assertNames([three, one, two], /part 1 /)
      await assertNames([one, one, two, three], /^body\.parts\.1 part 1 /)
      await assertNames([one, two, two, three], /^body\.parts\.2 part 2 /)
      await assertNames([two, three], /part 1 /)
      await rejectsWith(upload.complete([one, two, three], { key: 'other' }), 'conflict', 'body.key')
      const params = { bucket: name }
      const { upload_id } = upload
      const call = (change: object) =>
        server.admin.completeUpload({ params, body: { upload_id, parts: [one], ...change } as never })
      for (const [change, fault] of [
        [{ parts: [] }, 'body.parts'],
        [{ parts: undefined }, 'body.parts'],
        [{ parts: [{ part_number: 0, etag: 'x' }] }, 'body.parts.0.part_number'],
        [{ parts: [{ part_number: 10_001, etag: 'x' }] }, 'body.parts.0.part_number'],
        [{ parts: [{ part_number: 1 }] }, 'body.parts.0.etag'],
        [{ upload_id: 'x' }, 'body.upload_id'],
        [{ if_none_match: 'x' }, 'body.if_none_match'],
      ] as const)
        await rejectsWith(call(change), 'invalid_request', fault)
      await rejectsWith(call({ upload_id: ABSENT }), 'not_found')
      await rejectsWith(
        server.admin.completeUpload({ params: { bucket: other }, body: { upload_id, parts: [one] } }),
        'not_found',
      )
    })
    await rejectsWith(server.admin.getObject({ params: { bucket: name, key: 'k' } }), 'not_found')
    const quoted = [one, two, three].map(({ part_number, etag }) => ({ part_number, etag: `"${etag.toUpperCase()}"` }))
    const object = await upload.complete(quoted, { key: 'k' })
    assert.equal(object.etag, etagOfParts(...cut))
    assert.ok((await read(name, 'k')).equals(body))
  })

  itStored('takes the size from the parts where none was given', async () => {
    const name = await open()
    const upload = await begin(name, { key: 'k', part_size: PART })
    assert.deepEqual([upload.file_size, upload.num_parts], [null, null])
    assert.deepEqual(refusal(await upload.try(1, bytes(PART + 1))), [413, 'too_large'])
    const [first, small, last] = [bytes(PART), bytes(1000), bytes(10)]
    const named = [await upload.send(1, first), await upload.send(2, small), await upload.send(4, last)]
    const { problem } = await rejectsWith(upload.complete(named), 'conflict', 'body.parts.1')
    assert.match(problem.errors?.[0]?.message ?? '', /part 2 .*1000/)
    assert.equal((await usage(name)).reserved_bytes, PART + 1010)
    const middle = bytes(PART)
    named[1] = await upload.send(2, middle)
    const status = await upload.status({ limit: 5 })
    assert.deepEqual(
      [status.received_bytes, status.urls.map(({ part_number }) => part_number)],
      [2 * PART + 10, [3, 5]],
    )
    // Numbers may be left out, parts that have arrived may not.
    const whole = [first, middle, last]
    const forgotten = await rejectsWith(upload.complete(named.slice(0, 2)), 'conflict')
    assert.match(JSON.stringify(forgotten.problem.errors), /part 4 /)
    const object = await upload.complete(named)
    assert.deepEqual([object.size, object.etag], [2 * PART + 10, etagOfParts(...whole)])
    assert.ok((await read(name, 'k')).equals(Buffer.concat(whole)))
    const some = await begin(name, { key: 'some' })
    assert.equal((await some.complete([await some.send(3, small)])).size, 1000)
    assert.deepEqual(await usage(name), {
      used_bytes: 2 * PART + 1010,
      reserved_bytes: 0,
      object_count: 2,
      trash_bytes: 0,
    })
  })

  it('answers the same when it is asked again, and does it once', async () => {
    const name = await open(3 * MIB)
    const upload = await begin(name, { key: 'k', file_size: MIB })
    const part = await upload.send(1, bytes(MIB))
    await server.records([{ action: 'upload', bucket: name, key: 'k' }], async () => {
      const answers = await Promise.all(times(8, () => upload.complete([part])))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      server.clock.advance(60_000)
      assert.deepEqual(await upload.complete([part]), answers[0])
      await rejectsWith(upload.complete([part], { key: 'other' }), 'conflict', 'body.key')
    })
    assert.deepEqual(await usage(name), { used_bytes: MIB, reserved_bytes: 0, object_count: 1, trash_bytes: 0 })
    await rejectsWith(upload.status(), 'not_found')
    await rejectsWith(upload.abort(), 'not_found')
    assert.deepEqual(refusal(await upload.try(1, bytes(MIB))), [404, 'not_found'])
    const first = await upload.complete([part])
    await server.admin.deleteObject({ params: { bucket: name, key: 'k' } })
    assert.deepEqual(await upload.complete([part]), first, 'also when the object is gone since')
    await rejectsWith(server.admin.getObject({ params: { bucket: name, key: 'k' } }), 'not_found')
    await server.later(24 * HOUR)
    await tick()
    await rejectsWith(upload.complete([part]), 'not_found')
    const { db } = server.database
    assert.deepEqual(
      await db.selectFrom('upload_parts').selectAll().where('upload_id', '=', upload.upload_id).execute(),
      [],
    )
  })

  if (engine === 'postgres')
    it('completes once when two services are asked at the same time', async () => {
      const name = await open()
      for (let round = 0; round < 15; round++) {
        const key = `k${round}`
        const upload = await begin(name, { key, file_size: 1000 })
        const data = bytes(1000)
        const part = await upload.send(1, data)
        await server.records([{ action: 'upload', bucket: name, key }], async () => {
          const results = await outcomes(times(8, (i) => upload.complete([part], {}, client(i))))
          assert.equal(count(results, 'ok'), 8, results.join())
        })
        for (const i of [0, 1]) {
          const response = await client(i).getObject({ params: { bucket: name, key } })
          assert.ok(Buffer.from(await response.arrayBuffer()).equals(data))
        }
      }
    })

  it('keeps what has the key, if asked to, and tells so', async () => {
    const name = await open()
    const params = { bucket: name, key: 'k' }
    const upload = await begin(name, { key: 'k', part_size: PART })
    const [first, second] = [bytes(PART), bytes(20)]
    const named = [await upload.send(1, first), await upload.send(2, second)]
    await server.admin.putObject({ params, body: 'was here' })
    await server.records([], () => rejectsWith(upload.complete(named, { if_none_match: '*' }), 'precondition_failed'))
    assert.equal((await read(name, 'k')).toString(), 'was here')
    // It is still open in every way.
    assert.equal((await upload.status()).received_parts, 2)
    const third = await upload.send(2, bytes(30))
    await server.admin.deleteObject({ params })
    const object = await upload.complete([named[0] as Named, third], { if_none_match: '*' })
    assert.equal(object.size, PART + 30)
    for (let round = 0; round < 5; round++) {
      const key = `race ${round}`
      const uploads = await Promise.all(
        times(8, async (i) => {
          const one = await begin(name, { key, file_size: 10 }, client(i))
          return { one, part: await one.send(1, bytes(10)) }
        }),
      )
      const results = await outcomes(uploads.map(({ one, part }) => one.complete([part], { if_none_match: '*' })))
      assert.deepEqual([count(results, 'ok'), count(results, 'precondition_failed')], [1, 7], results.join())
      for (const { one } of uploads) await one.abort().catch(() => undefined)
    }
    assert.deepEqual([(await usage(name)).reserved_bytes, (await usage(name)).object_count], [0, 6])
  })

  it('puts what it replaces into the trash, whenever that came', async () => {
    const name = await open()
    const params = { bucket: name, key: 'k' }
    const original = await server.admin.putObject({ params, body: 'original' })
    server.clock.advance(1000)
    const upload = await begin(name, { key: 'k', file_size: 500 })
    const part = await upload.send(1, bytes(500))
    // Somebody writes the key while it is open.
    await server.admin.putObject({ params, body: 'meanwhile' })
    server.clock.advance(1000)
    const object = await server.records([{ action: 'upload', bucket: name, key: 'k' }], () => upload.complete([part]))
    assert.deepEqual([object.created_at, object.last_modified], [original.created_at, server.clock.now().toISOString()])
    const trash = (await server.admin.listTrash({ params: { bucket: name } })).items
    assert.deepEqual(
      trash.map(({ size, reason }) => [size, reason]),
      [
        [9, 'overwritten'],
        [8, 'overwritten'],
      ],
    )
    assert.deepEqual(await usage(name), { used_bytes: 500, reserved_bytes: 0, object_count: 1, trash_bytes: 17 })
    const [record] = (await server.admin.listAudit({ query: { action: ['upload'], bucket: name } })).items
    assert.deepEqual(record?.details, {
      size: 500,
      content_type: 'application/octet-stream',
      etag: object.etag,
      replaced: true,
      trash_id: trash[0]?.id,
      parts: 1,
    })
    // And is itself kept when it is replaced.
    await server.admin.putObject({ params, body: 'after' })
    await server.admin.deleteObject({ params })
    const [, mine] = (await server.admin.listTrash({ params: { bucket: name } })).items
    const restored = await server.admin.restoreTrash({ params: { bucket: name }, body: { ids: [mine?.id ?? ''] } })
    assert.equal(restored.items[0]?.etag, object.etag)
    assert.equal((await read(name, 'k')).length, 500)
  })

  it('gives the object its headers and tags, and keeps the MD5 of each part', async () => {
    const name = await open()
    const body = bytes(PART + 5)
    const described = { headers: { 'content-language': 'de', expires: '0' }, tags: { stage: 'draft' } }
    const pieces = [body.subarray(0, PART), body.subarray(PART)]
    const upload = await begin(name, { key: 'described', part_size: PART, ...described })
    const sent = [await upload.send(1, pieces[0] as Buffer), await upload.send(2, pieces[1] as Buffer)]
    const { headers, tags, etag } = await upload.complete(sent)
    assert.deepEqual({ headers, tags }, described)
    const parts = await server.database.db
      .selectFrom('objects')
      .innerJoin('blob_parts', 'blob_parts.blob_id', 'objects.blob_id')
      .innerJoin('blobs', 'blobs.id', 'objects.blob_id')
      .select(['part_number', 'blob_parts.size', 'blob_parts.md5', 'blobs.size as whole'])
      .where('objects.etag', '=', etag)
      .orderBy('part_number')
      .execute()
    assert.deepEqual(
      parts.map((part) => ({ ...part })),
      pieces.map((piece, i) => ({ part_number: i + 1, size: piece.length, md5: md5(piece), whole: body.length })),
    )
  })

  itOnce('keeps content type and metadata', async () => {
    const name = await open()
    const metadata = { colour: 'bläu 漢', 'a.b_c-1': 'x', __proto__x: 'y' }
    await store(name, 'a.html', Buffer.from('<p>'), { content_type: 'text/x-own; charset=utf-8', metadata })
    const response = await server.admin.getObject({ params: { bucket: name, key: 'a.html' } })
    assert.equal(response.headers.get('content-type'), 'text/x-own; charset=utf-8')
    const utf8 = (header: string | null) => Buffer.from(header ?? '', 'latin1').toString()
    assert.equal(utf8(response.headers.get('x-meta-colour')), 'bläu 漢')
    const { items } = await server.admin.listObjects({ params: { bucket: name } })
    assert.deepEqual(items[0]?.metadata, metadata)
    assert.equal((await store(name, 'b.png', Buffer.from('x'))).content_type, 'image/png')
    assert.equal((await store(name, 'c.png', Buffer.from('x'), { content_type: 'nonsense' })).content_type, 'nonsense')
    // Whatever it takes, a download can give back.
    for (const value of ['two\nlines', 'a\r\nset-cookie: x=y', 'nul\0', '\u007f', '']) {
      const begun = await begin(name, { key: 'odd', file_size: 1, metadata: { odd: value } }).catch((error) => error)
      if (begun instanceof ProblemError) {
        assert.equal(begun.problem.code, 'invalid_request')
        continue
      }
      await begun.complete([await begun.send(1, Buffer.from('x'))])
      const got = await server.admin.getObject({ params: { bucket: name, key: 'odd' } })
      assert.deepEqual([await got.text(), got.headers.get('set-cookie')], ['x', null])
    }
  })
})
