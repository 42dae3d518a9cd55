import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import { before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import type { Running } from '../../server/process/start.ts'
import { completeUpload } from '../../server/storage/uploads/complete.ts'
import { getUpload, initUpload } from '../../server/storage/uploads/service.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, onS3, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { bytes, count, HOUR, MIB, md5, outcomes, PART, servicesOf, times, uploadsWorld } from './uploads.ts'

describeEngines('multipart uploads: how they end', (engine, itOnce, itStored) => {
  const world = uploadsWorld(engine)
  const { client, open, usage, putAt, refusal, begin, store, read, person, tick, pastGrace } = world
  let server: TestServer
  let twin: Running | undefined
  before(() => {
    server = world.server
    twin = world.twin
  })

  it('aborts on request: parts, reservation and URLs are gone', {
    skip: onS3 && 'about files of parts',
  }, async () => {
    const name = await open(10 * PART)
    await pastGrace()
    const files = server.files()
    await server.records([], async () => {
      const upload = await begin(name, { key: 'k', file_size: 2 * PART, part_size: PART })
      const part = await upload.send(1, bytes(PART))
      assert.deepEqual([server.files().length, (await usage(name)).reserved_bytes], [files.length + 1, 2 * PART])
      assert.equal(await upload.abort(), undefined)
      assert.deepEqual([server.files(), (await usage(name)).reserved_bytes], [files, 0])
      assert.deepEqual(refusal(await upload.try(2, bytes(PART))), [404, 'not_found'])
      await rejectsWith(upload.abort(), 'not_found')
      await rejectsWith(upload.status(), 'not_found')
      await rejectsWith(upload.complete([part]), 'not_found')
      const both = await begin(name, { key: 'k', file_size: PART, part_size: PART })
      await both.send(1, bytes(PART))
      const results = await outcomes(times(6, (i) => both.abort(client(i))))
      assert.ok(results.every((code) => ['ok', 'not_found'].includes(code)) && count(results, 'ok') > 0, results.join())
      assert.equal((await usage(name)).reserved_bytes, 0, 'given back once')
    })
    await rejectsWith(
      server.admin.abortUpload({ params: { bucket: name }, body: { upload_id: 'x' } }),
      'invalid_request',
      'body.upload_id',
    )
    await pastGrace()
    assert.deepEqual(server.files(), files)
  })

  itOnce(
    'tells a client whose part is on its way that the upload is over',
    {
      skip: onS3 && 'about files of parts',
    },
    async () => {
      const name = await open()
      const logged = server.logged().length
      const files = server.files()
      const slowly = async (url: string, size: number, meanwhile: () => Promise<unknown>) => {
        const { pathname } = new URL(url)
        const headers = { 'content-length': size }
        const sent = http.request(`${server.url}${pathname}`, { method: 'PUT', headers, agent: false })
        const body = bytes(size)
        const before = server.files().length
        sent.write(body.subarray(0, size - 10))
        await until(() => server.files().length > before)
        await meanwhile()
        sent.end(body.subarray(size - 10))
        const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
        response.resume()
        return response.statusCode
      }
      const given = await begin(name, { key: 'a', file_size: MIB })
      assert.equal(await slowly(given.url(1), MIB, () => given.abort()), 404)
      assert.deepEqual(server.files(), files, 'nothing of it stays')
      const done = await begin(name, { key: 'b', file_size: MIB })
      const part = await done.send(1, bytes(MIB))
      assert.equal(await slowly(done.url(1), MIB, () => done.complete([part])), 404)
      assert.equal(md5(await read(name, 'b')), part.etag)
      assert.doesNotMatch(server.logged().slice(logged), /unexpected error/)
    },
  )

  it('aborts by itself when it expires', async () => {
    const name = await open(10 * PART)
    await server.admin.updateSettings({ body: { uploads: { expire_hours: 2 } } })
    await pastGrace()
    const files = server.files()
    const upload = await begin(name, { key: 'k', file_size: PART + 5, part_size: PART })
    await server.admin.updateSettings({ body: { uploads: { expire_hours: 24 } } })
    const later = await begin(name, { key: 'k', file_size: 7 })
    assert.equal(upload.expires_at, new Date(server.clock.now().getTime() + 2 * HOUR).toISOString())
    const part = await upload.send(1, bytes(PART))
    const { blob_id } = await server.database.db
      .selectFrom('uploads')
      .select('blob_id')
      .where('id', '=', upload.upload_id)
      .executeTakeFirstOrThrow()
    await server.later(2 * HOUR - 1000)
    await server.records([], tick)
    assert.equal((await upload.status()).received_parts, 1)
    await server.later(1000)
    assert.deepEqual(refusal(await upload.try(2, bytes(5))), [403, 'forbidden'])
    await server.records([], tick)
    // What the other one has announced is not reserved any more: nothing of it came.
    assert.deepEqual([server.files(), (await usage(name)).reserved_bytes], [files, 0])
    await rejectsWith(upload.status(), 'not_found')
    await rejectsWith(upload.complete([part]), 'not_found')
    await rejectsWith(upload.abort(), 'not_found')
    const blobs = () =>
      server.database.db
        .selectFrom('blobs')
        .select('id')
        .where('id', '=', blob_id ?? '')
        .execute()
    await pastGrace()
    assert.deepEqual(await blobs(), [], 'after the grace period no row is left')
    await later.abort()
  })

  it('aborts any number of expired uploads in one run', { skip: onS3 && 'about rows' }, async () => {
    const upload = await begin(await open(10 * PART), { key: 'k', file_size: 5 })
    await server.database.transaction(async (tx) => {
      const row = await tx
        .selectFrom('uploads')
        .selectAll()
        .where('id', '=', upload.upload_id)
        .executeTakeFirstOrThrow()
      const copies = Array.from({ length: 600 }, () => ({ ...row, id: newId(), blob_id: null, reserved: 0 }))
      for (let i = 0; i < 600; i += 100)
        await tx
          .insertInto('uploads')
          .values(copies.slice(i, i + 100))
          .execute()
    })
    await server.later(24 * HOUR)
    await server.records([], tick)
    const left = server.database.db.selectFrom('uploads').select('id').where('expires_at', '<=', upload.expires_at)
    assert.deepEqual(await left.execute(), [])
  })

  itOnce('URLs end with the account, permission or token that started the upload', async () => {
    const name = await open()
    const five = bytes(5)
    const alice = await person({ bucket_pattern: name, actions: ['write'] })
    const made = await alice.client.createToken({ body: { name: 'ci' } })
    const kept = await alice.client.createToken({ body: { name: 'kept' } })
    for (const { token } of [made, kept]) server.secrets.add(token)
    const byHand = await begin(name, { key: 'hand', file_size: 5 }, alice.client)
    const byToken = await begin(name, { key: 'token', file_size: 5 }, server.as(made.token))
    const byOther = await begin(name, { key: 'other', file_size: 5 }, server.as(kept.token))
    const all = [byHand, byToken, byOther]
    const statuses = () => Promise.all(all.map(async (one) => (await one.try(1, five)).status))
    assert.deepEqual(await statuses(), [200, 200, 200])
    await alice.client.revokeToken({ params: { id: made.id } })
    assert.deepEqual(await statuses(), [200, 403, 200])
    const grants = [{ bucket_pattern: name, actions: ['write' as const] }]
    const params = { id: alice.groupId }
    await server.admin.updateGroup({ params, body: { grants: [{ bucket_pattern: name, actions: ['read'] }] } })
    assert.deepEqual(await statuses(), [403, 403, 403])
    await server.admin.updateGroup({ params, body: { grants } })
    assert.deepEqual(await statuses(), [200, 403, 200])
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: false } })
    assert.deepEqual(await statuses(), [403, 403, 403])
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: true } })
    assert.deepEqual(await statuses(), [200, 403, 200])
    await server.admin.deleteUser({ params: { id: alice.id } })
    assert.deepEqual(await statuses(), [403, 403, 403])
    // What they sent is still there for others.
    await byToken.complete([{ part_number: 1, etag: md5(five) }], {}, server.admin)
    assert.ok((await read(name, 'token')).equals(five))
  })

  itOnce('ends URLs with those who fetched them, and lets others go on after the beginner is gone', async () => {
    const name = await open()
    const five = bytes(5)
    const grant = { bucket_pattern: name, actions: ['write' as const] }
    const [alice, bob] = [await person(grant), await person(grant)]
    const upload = await begin(name, { key: 'k', file_size: 5 }, alice.client)
    const fetched = (await upload.status({}, bob.client)).urls[0]?.url ?? ''
    await server.admin.updateUser({ params: { id: bob.id }, body: { is_active: false } })
    assert.deepEqual(refusal(await putAt(fetched, five)), [403, 'forbidden'], "bob's, though alice may")
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: false } })
    assert.deepEqual(refusal(await upload.try(1, five)), [403, 'forbidden'])
    const fresh = (await upload.status({}, server.admin)).urls[0]?.url ?? ''
    assert.equal((await putAt(fresh, five)).status, 200)
    assert.equal((await upload.complete([{ part_number: 1, etag: md5(five) }], {}, server.admin)).size, 5)
  })

  it('goes with its bucket', async () => {
    const name = await open(10 * PART)
    const files = server.files()
    const upload = await begin(name, { key: 'k', file_size: 10 })
    const unknown = await begin(name, { key: 'u' })
    const part = await upload.send(1, bytes(10))
    await unknown.send(1, bytes(10))
    await server.records([{ action: 'delete_bucket', bucket: name }], () =>
      server.admin.deleteBucket({ params: { bucket: name } }),
    )
    await rejectsWith(upload.status(), 'not_found')
    await rejectsWith(upload.complete([part]), 'not_found')
    await rejectsWith(upload.abort(), 'not_found')
    assert.deepEqual(refusal(await upload.try(1, bytes(10))), [404, 'not_found'])
    assert.deepEqual(refusal(await unknown.try(2, bytes(10))), [404, 'not_found'])
    // A new bucket of the name has nothing to do with it.
    await server.admin.createBucket({ body: { name } })
    await rejectsWith(upload.complete([part]), 'not_found')
    assert.deepEqual((await server.admin.listUploads({ params: { bucket: name } })).items, [])
    await server.records([], tick)
    assert.deepEqual(server.files(), files)
    await tick()
    const { db } = server.database
    assert.deepEqual(await db.selectFrom('buckets').select('name').where('deleted_at', 'is not', null).execute(), [])
    for (const { upload_id } of [upload, unknown])
      assert.deepEqual(await db.selectFrom('uploads').select('id').where('id', '=', upload_id).execute(), [])
  })

  it('is safe from the collector while it is open', async () => {
    const name = await open()
    const [first, second] = [bytes(PART), bytes(5)]
    const upload = await begin(name, { key: 'k', file_size: PART + 5, part_size: PART })
    const named = [await upload.send(1, first)]
    for (let hour = 0; hour < 4; hour++) {
      await server.later(2 * HOUR)
      await server.records([], tick)
    }
    named.push(await upload.send(2, second))
    await pastGrace()
    await upload.complete(named)
    await pastGrace()
    assert.ok((await read(name, 'k')).equals(Buffer.concat([first, second])))
  })

  it('races of complete, abort, sweep and delete end in one of two ways', async () => {
    for (let round = 0; round < 12; round++) {
      const name = await open(MIB)
      const upload = await begin(name, { key: 'k', file_size: 1000 })
      const data = bytes(1000)
      const part = await upload.send(1, data)
      const rivals = [
        () => upload.abort(client(1)),
        async () => {
          await server.database.transaction((tx) =>
            tx
              .updateTable('uploads')
              .set({ expires_at: new Date(0).toISOString() })
              .where('id', '=', upload.upload_id)
              .where('completed_at', 'is', null)
              .execute(),
          )
          await (twin ?? server.running).tick()
        },
        () => client(1).deleteBucket({ params: { bucket: name } }),
      ]
      const work = [() => upload.complete([part], {}, client(0)), rivals[round % 3] as () => Promise<unknown>]
      if (round % 2) work.reverse()
      const results = await outcomes(work.map((one) => one()))
      const completed = results[round % 2]
      if (completed === 'ok') {
        assert.ok((await read(name, 'k')).equals(data), `round ${round}`)
        await tick()
        await pastGrace()
        assert.ok((await read(name, 'k')).equals(data), `round ${round}: it stays`)
        assert.deepEqual(await usage(name), { used_bytes: 1000, reserved_bytes: 0, object_count: 1, trash_bytes: 0 })
      } else {
        assert.ok(['not_found', 'conflict'].includes(completed ?? ''), results.join())
        await pastGrace()
        if (round % 3 !== 2)
          assert.deepEqual(await usage(name), { used_bytes: 0, reserved_bytes: 0, object_count: 0, trash_bytes: 0 })
      }
    }
  })

  itStored('completes what a crash interrupted also where parts go straight to the storage', async () => {
    const name = await open(MIB)
    let crash = true
    // As an engine that takes parts by itself: only it knows of them, and no more once they are put together.
    const { ctx, storage } = await servicesOf(server, (opened) => ({
      ...opened,
      partUrl: async () => 'https://storage.example.com/part',
      async completeParts(...parts) {
        await opened.completeParts(...parts)
        if (crash) throw new Error('killed')
      },
    }))
    const { database } = server
    const { upload_id, urls } = await initUpload(ctx, name, { key: 'k', file_size: 10 })
    assert.deepEqual(urls, ['https://storage.example.com/part'])
    const { blob_id, handle } = await database.db
      .selectFrom('uploads')
      .select(['blob_id', 'handle'])
      .where('id', '=', upload_id)
      .executeTakeFirstOrThrow()
    const data = bytes(10)
    const etag = await storage.putPart(blob_id ?? '', handle, { number: 1, size: 10 }, Readable.from([data]))
    const complete = () => completeUpload(ctx, name, { upload_id, parts: [{ part_number: 1, etag }] })
    assert.equal((await getUpload(ctx, name, upload_id, {})).received_bytes, 10)
    await assert.rejects(complete(), /killed/)
    crash = false
    assert.equal((await complete()).size, 10)
    assert.ok((await read(name, 'k')).equals(data))
    assert.deepEqual(await usage(name), { used_bytes: 10, reserved_bytes: 0, object_count: 1, trash_bytes: 0 })
    await storage.close()
  })

  it('sends one event for the whole upload', async () => {
    const name = await open()
    const created_at = server.clock.now().toISOString()
    const id = newId()
    await server.database.transaction((tx) =>
      tx
        .insertInto('webhooks')
        .values({ id, name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
        .execute(),
    )
    const object = await store(name, 'k', bytes(10))
    const deliveries = await server.database.db.selectFrom('webhook_deliveries').selectAll().execute()
    await server.database.transaction((tx) => tx.deleteFrom('webhooks').where('id', '=', id).execute())
    assert.deepEqual(
      deliveries.map(({ event }) => event),
      ['upload'],
    )
    const { details } = JSON.parse(deliveries[0]?.body ?? '')
    assert.deepEqual([details.parts, details.etag, details.size], [1, object.etag, 10])
  })

  it('leaves nothing behind in the end', async () => {
    for (let day = 0; day < 10; day++) {
      await server.later(24 * HOUR)
      await tick()
    }
    const { db } = server.database
    assert.deepEqual(await db.selectFrom('uploads').select('id').execute(), [])
    assert.deepEqual(await db.selectFrom('upload_parts').select('upload_id').execute(), [])
    const objects = new Set((await db.selectFrom('objects').select('blob_id').execute()).map(({ blob_id }) => blob_id))
    for (const file of server.files()) {
      const blob = (onS3 ? file : file.split(path.sep)[1])?.replace(/\.d$/, '') ?? ''
      assert.ok(objects.has(blob), file)
    }
    const reserved = await db.selectFrom('bucket_usage').select('reserved').where('reserved', '!=', 0).execute()
    const sum = reserved.reduce((total, row) => total + row.reserved, 0)
    assert.equal(sum, 0)
    const uploads = (await allActions(server.database)).filter(({ action }) => /abort|init|part/.test(action))
    assert.deepEqual(uploads, [])
  })
})
