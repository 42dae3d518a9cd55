import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, it } from 'node:test'
import sharp from 'sharp'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { request } from '../support/http.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { verifying } from './verifying.ts'

const HOUR = 3600_000
const LIMIT = 2000
const params = { bucket: 'small' }
const bytesOf = (length: number, seed = 0) => Buffer.from(Array.from({ length }, (_, i) => (i * 7 + seed) % 256))

describeEngines('inline bodies', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { INLINE_MAX_BYTES: `${LIMIT}` })
    await server.admin.createBucket({ body: { name: params.bucket, trash_days: 7 } })
  })
  after(() => server.stop())

  const send = (method: string, key: string, headers: { [name: string]: string } = {}, body?: Buffer | string) =>
    request({
      url: server.url,
      path: `/api/v1/buckets/small/objects/${key}`,
      method,
      token: server.adminToken,
      headers,
      ...(body === undefined ? {} : { body }),
    })
  const put = (key: string, body: Buffer | string, headers = {}) => send('PUT', key, headers, body)
  const get = async (key: string) => (await send('GET', key)).body
  const rowOf = (key: string) =>
    server.database.db
      .selectFrom('objects')
      .innerJoin('blobs', 'blobs.id', 'objects.blob_id')
      .select(['blobs.id', 'check_after', 'inline'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
  const bodies = async () =>
    (await server.database.db.selectFrom('bodies').select('blob_id').orderBy('blob_id').execute()).map(
      ({ blob_id }) => blob_id,
    )
  const isStored = async (id: string) => (await server.stored()).some((name) => path.basename(name) === id)

  it('keeps contents up to the limit in the database, whether or not their length is announced', async () => {
    const chunked = { 'transfer-encoding': 'chunked' }
    for (const length of [0, 1, LIMIT, LIMIT + 1, 1_000_000])
      for (const [kind, headers] of Object.entries({ announced: {}, chunked })) {
        const key = `${kind}-${length}`
        const bytes = bytesOf(length)
        const answer = await server.records([{ action: 'upload', bucket: 'small', key }], () =>
          put(key, bytes, headers),
        )
        const { size, etag } = answer.json<{ size: number; etag: string }>()
        assert.deepEqual([size, etag], [length, createHash('md5').update(bytes).digest('hex')], key)
        const row = await rowOf(key)
        assert.equal(row.inline, length > LIMIT ? 0 : 1, key)
        assert.equal(await isStored(row.id), length > LIMIT, key)
        assert.ok((await get(key)).equals(bytes), key)
      }
    assert.equal((await rowOf('chunked-1')).check_after, null, 'nothing has to check it')
  })

  it('answers ranges, conditions, HEAD, signed URLs and archives from it', async () => {
    const key = `announced-${LIMIT}`
    const bytes = bytesOf(LIMIT)
    const head = await send('HEAD', key)
    assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, `${LIMIT}`, 0])
    const range = async (value: string) => {
      const { status, body } = await send('GET', key, { range: value })
      return { status, body }
    }
    assert.deepEqual(await range('bytes=10-19'), { status: 206, body: bytes.subarray(10, 20) })
    assert.deepEqual(await range('bytes=-5'), { status: 206, body: bytes.subarray(-5) })
    assert.equal((await range(`bytes=${LIMIT}-`)).status, 416)
    const several = await range('bytes=0-1,1990-')
    assert.equal(several.status, 206)
    assert.ok(several.body.includes(bytes.subarray(1990)))
    assert.equal((await send('GET', key, { 'if-none-match': head.headers.etag ?? '' })).status, 304)
    assert.deepEqual((await send('GET', key, { 'if-none-match': '"other"' })).body, bytes)
    const { url } = await server.admin.presignObject({ params, body: { key } })
    assert.deepEqual(Buffer.from(await (await fetch(server.url + new URL(url).pathname)).arrayBuffer()), bytes)
    const zip = await server.admin.archiveSelection({ params, body: { keys: [key, 'announced-1000000'] } })
    assert.ok(Buffer.from(await zip.arrayBuffer()).includes(bytes))
  })

  it('renders images from it', async () => {
    const png = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#a33' } })
      .png()
      .toBuffer()
    assert.ok(png.length <= LIMIT)
    await put('picture', png)
    assert.equal((await rowOf('picture')).inline, 1)
    const answer = await server.admin.getImage({ params: { ...params, key: 'picture' }, query: { w: 10 } })
    assert.equal((await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).width, 10)
  })

  it('is shared by copies, survives the trash, and ends with the last of them', async () => {
    const bytes = bytesOf(300, 42)
    await put('first', bytes)
    const { id } = await rowOf('first')
    await server.admin.copyObject({ params, body: { source_bucket: 'small', source_key: 'first', dest_key: 'second' } })
    await server.admin.moveObject({ params, body: { source_bucket: 'small', source_key: 'second', dest_key: 'third' } })
    assert.equal((await rowOf('third')).id, id)
    await server.admin.deleteObject({ params: { ...params, key: 'first' } })
    await server.admin.deleteObject({ params: { ...params, key: 'third' }, query: { permanent: true } })
    await server.later(2 * HOUR)
    await server.running.tick()
    assert.ok((await bodies()).includes(id), 'the trash has it')
    const { items } = await server.admin.listTrash({ params })
    const item = items.find(({ key }) => key === 'first') ?? assert.fail()
    await server.admin.restoreTrash({ params, body: { ids: [item.id] } })
    assert.ok((await get('first')).equals(bytes))
    await server.admin.deleteObject({ params: { ...params, key: 'first' }, query: { permanent: true } })
    await server.running.tick()
    assert.ok((await bodies()).includes(id), 'within the grace period')
    await server.later(2 * HOUR)
    await server.records([], () => server.running.tick())
    assert.ok(!(await bodies()).includes(id))
    const { db } = server.database
    assert.deepEqual(await db.selectFrom('blobs').select('id').where('id', '=', id).execute(), [])
    assert.deepEqual(await db.selectFrom('blob_removals').selectAll().execute(), [], 'the storage is not asked')
  })

  it('writes nothing where an upload is refused', async () => {
    const before = await bodies()
    const md5 = createHash('md5').update('other').digest('base64')
    for (const [headers, status] of [
      [{ 'if-none-match': '*' }, 412],
      [{ 'if-match': '"other"' }, 412],
      [{ 'content-md5': md5 }, 400],
    ] as const)
      await server.records([], async () =>
        assert.equal((await put('announced-1', 'x', headers)).status, status, JSON.stringify(headers)),
      )
    assert.deepEqual(await bodies(), before)
  })

  it('holds at most a mebibyte of a form in memory; what follows goes to the storage', async () => {
    const one = bytesOf(LIMIT)
    const files = 600
    const form = new FormData()
    for (let i = 0; i < files; i++) form.append('file', new Blob([one]), `${i}`.padStart(5, '0'))
    const answer = await fetch(`${server.url}/api/v1/buckets/small/objects?prefix=form/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.adminToken}` },
      body: form,
    })
    assert.equal(answer.status, 201, await answer.clone().text())
    const kept = await server.database.db
      .selectFrom('objects')
      .innerJoin('blobs', 'blobs.id', 'objects.blob_id')
      .select((e) => ['inline', e.fn.countAll<number>().as('n')])
      .where('key', 'like', 'form/%')
      .groupBy('inline')
      .orderBy('inline')
      .execute()
    const most = Math.floor((1024 * 1024) / LIMIT)
    assert.deepEqual(
      kept.map(({ inline, n }) => [inline, Number(n)]),
      [
        [0, files - most],
        [1, most],
      ],
    )
  })

  it('stays where it is when the limit is lowered', async () => {
    const config = readConfig({ ...server.env, INLINE_MAX_BYTES: '0' })
    const other = await start(config, { now: server.clock.now, timers: false, logTo: new PassThrough().resume() })
    const at = (method: string, key: string, body?: string) =>
      request({
        url: other.url,
        path: `/api/v1/buckets/small/objects/${key}`,
        method,
        token: server.adminToken,
        ...(body === undefined ? {} : { body }),
      })
    try {
      assert.deepEqual((await at('GET', `announced-${LIMIT}`)).body, bytesOf(LIMIT))
      assert.equal((await at('PUT', 'stored', 'x')).status, 201)
    } finally {
      await other.stop()
    }
    assert.equal((await rowOf('stored')).inline, 0)
    assert.equal(`${await get('stored')}`, 'x')
  })

  it('is verified', async () => {
    const strongroom = async (...args: string[]) => (await verifying(server, ...args)).findings.sort()
    assert.deepEqual(await strongroom('verify', '--deep'), [])
    const [lost, altered, cut] = await Promise.all(
      ['chunked-1', `chunked-${LIMIT}`, `announced-${LIMIT}`].map(async (key) => (await rowOf(key)).id),
    )
    await server.database.transaction(async (tx) => {
      const at = (id = '') => tx.updateTable('bodies').where('blob_id', '=', id)
      await tx
        .deleteFrom('bodies')
        .where('blob_id', '=', lost ?? '')
        .execute()
      await at(altered)
        .set({ bytes: bytesOf(LIMIT, 1) })
        .execute()
      await at(cut)
        .set({ bytes: bytesOf(LIMIT - 1) })
        .execute()
    })
    const missing = [
      'missing: the bytes of small/announced-2000 (blob ID, 2000 bytes) are not in the database',
      'missing: the bytes of small/chunked-1 (blob ID, 1 bytes) are not in the storage',
    ]
    assert.deepEqual(await strongroom('verify'), missing)
    const different = 'different: the bytes of small/chunked-2000 (blob ID) do not match their checksums'
    assert.deepEqual(await strongroom('verify', '--deep'), [different, ...missing])
  })
})
