import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { startServer, type TestServer } from '../support/server.ts'

const MIB = 1024 * 1024
let server: TestServer
let file: string
before(async () => {
  server = await startServer('sqlite')
  file = path.join(server.folder, 'strongroom.db')
})
after(() => server.stop())

const logBytes = () => fs.statSync(`${file}-wal`).size
/** One transaction that writes so many bytes, which no checkpoint can copy before it ends. */
const grow = (bytes: number) =>
  server.database.transaction(async (tx) => {
    for (let i = 0; i < bytes / 60_000; i++) {
      const id = newId()
      await tx
        .insertInto('blobs')
        .values({ id, check_after: null, inline: 1, md5: null, sha256: null, checksums: null, size: 60_000 })
        .execute()
      await tx
        .insertInto('bodies')
        .values({ blob_id: id, bytes: Buffer.alloc(60_000, i) })
        .execute()
    }
  })

it('gives back what a large transaction made of the log, once nobody reads from it', async () => {
  await grow(40 * MIB)
  assert.ok(logBytes() > 40 * MIB, `the log has only ${logBytes()} bytes`)
  const other = new DatabaseSync(file, { readOnly: true })
  other.exec('begin')
  other.prepare('select count(*) from blobs').get()
  const began = performance.now()
  await server.running.tick('disk-keeper')
  assert.ok(performance.now() - began < 8000, 'nothing waits for the reader')
  assert.ok(logBytes() > 40 * MIB, 'another process is still reading from it')
  await server.admin.createBucket({ body: { name: 'meanwhile' } })
  other.exec('commit')
  other.close()
  await server.running.tick('disk-keeper')
  assert.equal(logBytes(), 0)
  await server.admin.createBucket({ body: { name: 'afterwards' } })
  const { items } = await server.admin.listBuckets()
  assert.deepEqual(items.map(({ name }) => name).sort(), ['afterwards', 'meanwhile'])
})
