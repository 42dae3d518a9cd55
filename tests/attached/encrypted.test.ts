// Encryption of what others keep: a bucket that is attached is left as it is, one that was taken over is encrypted, and what
// is encrypted moves between storages as it is stored.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Job } from '../../contract/jobs.ts'
import { cephGateway, type Gateway, noGateway } from '../support/ceph.ts'
import { rejectsWith } from '../support/problems.ts'
import { STORED, startServer, type TestServer } from '../support/server.ts'
import { type Foreign, foreignBucket } from './foreign.ts'
import { placeOn, type Site, siteOf } from './site.ts'

const gateway = await cephGateway()
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('attached buckets and encryption', { skip: gateway ? false : noGateway }, () => {
  let server: TestServer
  let site: Site
  const foreigners: Foreign[] = []
  const bodies = new Map([0, 10, 70_000, 200_000].map((size) => [`of ${size}`, randomBytes(size)]))
  before(async () => {
    server = await startServer('sqlite', STORED)
    site = siteOf(server)
  })
  after(async () => {
    await server.stop()
    for (const one of foreigners) await one.empty()
  })

  async function newStorage(): Promise<{ theirs: Foreign; storage: string }> {
    const theirs = await foreignBucket(gateway as Gateway)
    foreigners.push(theirs)
    const endpoint = new URL((gateway as Gateway).url).searchParams.get('endpoint') ?? ''
    return { theirs, storage: await site.storage({ ...placeOn(gateway as Gateway, endpoint), bucket: theirs.bucket }) }
  }
  async function attached(): Promise<{ theirs: Foreign; bucket: string }> {
    const { theirs, storage } = await newStorage()
    for (const [key, body] of bodies) await theirs.put(key, body)
    const bucket = await site.attach(storage)
    await site.finishScan(bucket)
    return { theirs, bucket }
  }
  async function finish({ id }: Job): Promise<Job> {
    for (let i = 0; i < 20; i++) {
      await server.running.tick('jobs')
      const job = await server.admin.getJob({ params: { id } })
      if (job.finished_at !== null) return job
    }
    return assert.fail('the job does not end')
  }
  async function assertReads(bucket: string): Promise<void> {
    for (const [key, body] of bodies) {
      const answer = await server.admin.getObject({ params: { bucket, key } })
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), body, key)
    }
  }

  it('refuses to encrypt what others keep, and leaves it as it is', async () => {
    const { theirs, bucket } = await attached()
    const before = await theirs.versions()
    for (const kind of ['encrypt', 'decrypt'] as const)
      await server.records([], () =>
        rejectsWith(server.admin.createJob({ body: { kind, source_bucket: bucket } }), 'read_only'),
      )
    await server.records([], () =>
      rejectsWith(
        server.admin.updateBucket({ params: { bucket }, body: { encryption: { algorithm: 'AES256' } } }),
        'read_only',
      ),
    )
    assert.deepEqual(await theirs.versions(), before)
    await assertReads(bucket)
  })

  it('encrypts what was taken over, and copies it to other storages as it is stored', async () => {
    const { theirs, bucket } = await attached()
    await server.later(86_401_000)
    await server.admin.takeOverBucket({ params: { bucket }, body: {} })
    const scan = await site.finishScan(bucket)
    assert.deepEqual([scan.status, scan.detail], ['succeeded', null])
    const job = await finish(await server.admin.createJob({ body: { kind: 'encrypt', source_bucket: bucket } }))
    assert.deepEqual([job.status, job.failed, job.done], ['succeeded', 0, bodies.size])
    await assertReads(bucket)
    // One that is not encrypted, beside those that are.
    const plain = randomBytes(90_000)
    await server.admin.putObject({ params: { bucket, key: 'plain' }, body: plain })
    bodies.set('plain', plain)
    await server.later(48 * 3_600_000)
    await server.running.tick('blob-collector')

    /** What an engine's bucket has, by hash. */
    const storedIn = async (one: Foreign) =>
      new Set(await Promise.all((await one.listed()).map(async ({ key }) => sha256(await one.bytesOf(key)))))
    // What is written since then goes to the service's own storage.
    const own = server.files().map((name) => sha256(fs.readFileSync(path.join(server.folder, 'blobs', name))))
    for (const [key, body] of bodies) if (key !== 'plain') assert.equal(own.includes(sha256(body)), false, key)
    assert.ok(own.includes(sha256(plain)))
    assert.deepEqual(await theirs.listed(), [], 'what was taken over is still there as it was')
    const { theirs: other, storage } = await newStorage()
    const moved = await finish(
      await server.admin.createJob({ body: { kind: 'migrate', source_bucket: bucket, dest_storage: storage } }),
    )
    assert.deepEqual([moved.status, moved.failed], ['succeeded', 0])
    await assertReads(bucket)
    const copied = await storedIn(other)
    const rows = await server.database.db.selectFrom('objects').select(['key', 'encryption']).execute()
    for (const [key] of bodies)
      assert.ok(rows.some((row) => row.key === key && row.encryption === (key === 'plain' ? null : 'AES256')))
    for (const one of own) assert.ok(copied.has(one), 'something was encrypted anew')
  })
})
