import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { newId } from '../../server/id.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const HOUR = 3600_000

describeEngines('collector', (engine) => {
  let server: TestServer
  const rows = async () => ({
    blobs: await server.database.db.selectFrom('blobs').selectAll().execute(),
    removals: await server.database.db.selectFrom('blob_removals').selectAll().execute(),
  })
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'collected', trash_days: 0 } })
  })
  after(() => server.stop())

  it('leaves an upload alone that takes longer than the grace period', async () => {
    const upload = http.request(`${server.url}/api/v1/buckets/collected/objects/slow`, {
      ...{ method: 'PUT', agent: false },
      headers: { authorization: `Bearer ${server.adminToken}`, 'content-length': 4 * 300_000 },
    })
    const answered = once(upload, 'response') as Promise<[http.IncomingMessage]>
    for (let i = 0; i < 4; i++) {
      const before =
        server.files().length && fs.statSync(path.join(server.folder, 'blobs', server.files()[0] ?? '')).size
      upload.write(Buffer.alloc(300_000, i))
      await until(() =>
        server.files().some((file) => fs.statSync(path.join(server.folder, 'blobs', file)).size > before),
      )
      server.clock.advance(0.5 * HOUR)
      await server.running.tick()
    }
    upload.end()
    const [response] = await answered
    response.resume()
    assert.equal(response.statusCode, 201)
    await server.later(2 * HOUR)
    await server.running.tick()
    const object = await server.admin.getObject({ params: { name: 'collected', key: 'slow' } })
    assert.equal((await object.arrayBuffer()).byteLength, 1_200_000)
  })

  it('removes what nothing points at, once it is old enough, and settles what is in use', async () => {
    for (let i = 0; i < 3; i++)
      await server.admin.putObject({ params: { name: 'collected', key: 'again' }, body: Buffer.from(`${i}`) })
    assert.equal(server.files().length, 4)
    await server.running.tick()
    assert.equal(server.files().length, 4)
    await server.later(1.1 * HOUR)
    await server.records([], () => server.running.tick())
    assert.equal(server.files().length, 2)
    const { blobs, removals } = await rows()
    assert.deepEqual(
      blobs.map(({ check_after }) => check_after),
      [null, null],
    )
    assert.deepEqual(removals, [])
  })

  it('finishes removals that a crash interrupted, whatever is left of the bytes', async () => {
    const [gone, there] = [newId(), newId()]
    const file = path.join(server.folder, 'blobs', there.slice(-2), there)
    fs.writeFileSync(file, 'left over')
    fs.writeFileSync(`${file}.tmp`, 'left over')
    const queued_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('blob_removals')
        .values([gone, there].map((blob_id) => ({ blob_id, queued_at })))
        .execute(),
    )
    await server.running.tick()
    assert.deepEqual((await rows()).removals, [])
    assert.equal(fs.existsSync(file) || fs.existsSync(`${file}.tmp`), false)
  })
})
