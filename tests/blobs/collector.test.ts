import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const HOUR = 3600_000
const CHUNK = 300_000
const params = { bucket: 'collected' }

describeEngines('collector', (engine) => {
  let server: TestServer
  const put = (key: string, text: string) =>
    server.admin.putObject({ params: { ...params, key }, body: Buffer.from(text) })
  const get = (key: string) => server.admin.getObject({ params: { ...params, key } })
  /** Lets the grace period pass for everything there is, and collects. */
  const collectAll = async () => {
    await server.later(2 * HOUR)
    await server.running.tick()
  }
  const rows = async () => ({
    blobs: await server.database.db.selectFrom('blobs').selectAll().execute(),
    removals: await server.database.db.selectFrom('blob_removals').selectAll().execute(),
    objects: await server.database.db.selectFrom('objects').selectAll().execute(),
  })
  const pathOf = (id: string) => path.join(server.folder, 'blobs', id.slice(-2), id)
  const queue = (...ids: string[]) =>
    server.database.transaction((tx) =>
      tx
        .insertInto('blob_removals')
        .values(ids.map((blob_id) => ({ blob_id, queued_at: server.clock.now().toISOString() })))
        .execute(),
    )
  /** Everything that is stored, temporary files included, belongs to an object. */
  async function assertClean(): Promise<void> {
    const { blobs, removals, objects } = await rows()
    const ids = objects.map(({ blob_id }) => blob_id).sort()
    assert.deepEqual(
      blobs.map(({ id, check_after }) => [id, check_after]).sort(),
      ids.map((id) => [id, null]),
    )
    assert.deepEqual(
      server
        .files()
        .map((file) => path.basename(file))
        .sort(),
      ids,
    )
    assert.deepEqual(removals, [])
  }

  before(async () => {
    server = await startServer(engine, STORED)
    await server.admin.createBucket({ body: { name: params.bucket, trash_days: 0 } })
  })
  after(() => server.stop())

  /** A request whose parts are written one by one; after each large one half a grace period passes, and it collects. */
  async function sendSlowly(method: string, at: string, headers: object, parts: Buffer[]): Promise<number | undefined> {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const upload = http.request(`${server.url}/api/v1/buckets/collected/${at}`, {
      method,
      agent: false,
      headers: { authorization: `Bearer ${server.adminToken}`, 'content-length': length, ...headers },
    })
    const answered = once(upload, 'response') as Promise<[http.IncomingMessage]>
    // A file may go between the list and the look at it.
    const sizeOf = (file: string) =>
      fs.statSync(path.join(server.folder, 'blobs', file), { throwIfNoEntry: false })?.size ?? 0
    const stored = () => server.files().reduce((sum, file) => sum + sizeOf(file), 0)
    for (const part of parts) {
      const before = stored()
      upload.write(part)
      if (part.length < CHUNK) continue
      await until(() => stored() > before)
      server.clock.advance(0.5 * HOUR)
      await server.running.tick()
    }
    upload.end()
    const [response] = await answered
    response.resume()
    return response.statusCode
  }

  it('leaves an upload alone that takes longer than the grace period', async () => {
    const parts = Array.from({ length: 5 }, (_, i) => Buffer.alloc(CHUNK, i))
    assert.equal(await sendSlowly('PUT', 'objects/slow', {}, parts), 201)
    await collectAll()
    assert.ok(Buffer.from(await (await get('slow')).arrayBuffer()).equals(Buffer.concat(parts)))
    await assertClean()
  })

  it('leaves the first files of a form alone while a later one arrives for longer than that', async () => {
    const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
    const parts = [
      Buffer.from(`${head('first')}small\r\n${head('second')}`),
      ...Array.from({ length: 5 }, (_, i) => Buffer.alloc(CHUNK, i)),
      Buffer.from('\r\n--b--\r\n'),
    ]
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    assert.equal(await sendSlowly('POST', 'objects', headers, parts), 201)
    await collectAll()
    assert.equal(await (await get('first')).text(), 'small')
    assert.equal((await (await get('second')).arrayBuffer()).byteLength, 5 * CHUNK)
    await assertClean()
  })

  it('removes unreferenced blobs once they are old enough, records nothing, and settles used ones', async () => {
    const files = server.files().length
    for (let i = 0; i < 3; i++) await put('again', `${i}`)
    assert.equal(server.files().length, files + 3)
    await server.running.tick()
    await server.later(0.9 * HOUR)
    await server.running.tick()
    assert.equal(server.files().length, files + 3, 'it is not old enough')
    await server.later(0.2 * HOUR)
    await server.records([], () => server.running.tick())
    assert.equal(server.files().length, files + 1)
    assert.equal(await (await get('again')).text(), '2')
    await collectAll()
    await assertClean()
  })

  it('has nothing to do after failed uploads: they left nothing', async () => {
    const files = server.files()
    const body = Buffer.from('x')
    const headers = { 'content-md5': Buffer.alloc(16).toString('base64') }
    await rejectsWith(server.admin.putObject({ params: { ...params, key: 'bad' }, body, headers }), 'malformed')
    const cut = http.request(`${server.url}/api/v1/buckets/collected/objects/cut`, {
      method: 'PUT',
      agent: false,
      headers: { authorization: `Bearer ${server.adminToken}`, 'content-length': 4 * CHUNK },
    })
    cut.on('error', () => undefined)
    cut.write(Buffer.alloc(CHUNK))
    await until(() => server.files().length > files.length)
    cut.destroy()
    await until(() => server.files().length === files.length)
    assert.deepEqual(server.files(), files)
    await collectAll()
    await assertClean()
  })

  it('finishes removals that a crash interrupted, whatever is left of the bytes', async () => {
    const [gone, there] = [newId(), newId()]
    fs.writeFileSync(pathOf(there), 'left over')
    fs.writeFileSync(`${pathOf(there)}.tmp`, 'left over')
    await queue(gone, there)
    await server.running.tick()
    await assertClean()
  })

  it('is not stopped by a row whose bytes are gone', async () => {
    await put('vanished', 'x')
    const { objects } = await rows()
    fs.rmSync(pathOf(objects.find(({ key }) => key === 'vanished')?.blob_id ?? ''))
    await server.admin.deleteObject({ params: { ...params, key: 'vanished' } })
    await put('after it', 'y')
    await collectAll()
    await assertClean()
  })

  it('does not leave uploads without their blobs when the clock goes forward and back', async () => {
    await server.admin.createBucket({ body: { name: 'clock' } })
    const put = (key: string) => server.admin.putObject({ params: { bucket: 'clock', key }, body: key })
    await put('before')
    // What else was reserved is collected in the hours that follow.
    await server.later(3 * 3600_000)
    await server.running.tick()
    await server.later(-3 * 3600_000 - 1000)
    for (const key of ['a', 'b', 'c', 'd']) await put(key)
  })

  it('works through more than one batch', async () => {
    const ids = Array.from({ length: 1200 }, newId)
    await server.database.transaction((tx) =>
      tx
        .insertInto('blobs')
        .values(ids.map((id) => ({ id, check_after: server.clock.now().toISOString() })))
        .execute(),
    )
    for (const id of ids.slice(0, 50)) fs.writeFileSync(pathOf(id), 'x')
    await collectAll()
    await assertClean()
  })

  it('works while a second service collects at the same time', { skip: engine === 'sqlite' }, async () => {
    const config = readConfig({ ...server.env, LOG_LEVEL: 'silent' })
    const twin = await start(config, { now: server.clock.now, timers: false })
    try {
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 60; i++) await put(`k${i % 20}`, `${round} ${i}`)
        const ids = Array.from({ length: 300 }, newId)
        for (const id of ids) fs.writeFileSync(pathOf(id), 'x')
        await queue(...ids)
        await server.later(2 * HOUR)
        await Promise.all([server, { running: twin }, server, { running: twin }].map(({ running }) => running.tick()))
        await collectAll()
        await assertClean()
        assert.equal(await (await get('k19')).text(), `${round} 59`)
      }
    } finally {
      await twin.stop()
    }
  })
})
