import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import type { Job } from '../../contract/jobs.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const B = 'recoded'

describeEngines('jobs that encrypt and decrypt a bucket', (engine, itOnce) => {
  let server: TestServer
  const bodies = new Map<string, Uint8Array<ArrayBuffer>>()
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: B, versioning: 'enabled' } })
    for (let i = 0; i < 12; i++) await put(`a/${i}`, [0, 100, 20_000, 200_000][i % 4] ?? 0)
    await put('a/1', 50_000)
    await put('gone', 70_000)
    await server.admin.deleteObject({ params: { bucket: B, key: 'gone' } })
    await server.admin.copyObject({
      params: { bucket: B },
      body: { source_bucket: B, source_key: 'a/2', dest_key: 'copy' },
    })
    bodies.set('copy', bodies.get('a/2') as Uint8Array<ArrayBuffer>)
    bodies.delete('gone')
  })
  after(() => server.stop())

  async function put(key: string, size: number): Promise<void> {
    const body = randomBytes(size)
    bodies.set(key, body)
    await server.admin.putObject({ params: { bucket: B, key }, body })
  }
  async function run(kind: 'encrypt' | 'decrypt', client = server.admin): Promise<Job> {
    const { id } = await client.createJob({ body: { kind, source_bucket: B } })
    for (;;) {
      await server.running.tick('jobs')
      const job = await server.admin.getJob({ params: { id } })
      if (job.finished_at !== null) return job
    }
  }
  async function assertAll(encryption: string | null): Promise<void> {
    for (const table of ['objects', 'versions', 'trash'] as const) {
      const rows = await server.database.db.selectFrom(table).select(['encryption', 'blob_id', 'key']).execute()
      for (const row of rows) if (row.blob_id !== null) assert.equal(row.encryption, encryption, `${table} ${row.key}`)
    }
    for (const [key, body] of bodies) {
      const answer = await server.admin.getObject({ params: { bucket: B, key } })
      assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), new Uint8Array(body), key)
    }
  }

  it('encrypt what there is, with versions and the trash, and leave ETags as they were', async () => {
    const etagOf = async (key: string) =>
      (await server.database.db.selectFrom('objects').select('etag').where('key', '=', key).executeTakeFirstOrThrow())
        .etag
    const before = await etagOf('a/3')
    await assertAll(null)
    const job = await server.records([], () => run('encrypt'))
    assert.deepEqual([job.status, job.failed, job.total, job.done], ['succeeded', 0, 15, 15])
    await assertAll('AES256')
    assert.equal(await etagOf('a/3'), before)
    // Nothing of what was plain is left after the grace period.
    await server.later(48 * 3_600_000)
    await server.running.tick('blob-collector')
    const plain = await server.database.db
      .selectFrom('blobs')
      .select('id')
      .where('envelope', 'is', null)
      .where('check_after', 'is', null)
      .execute()
    assert.deepEqual(plain, [])
    await assertAll('AES256')
  })

  it('decrypt them again, for administrators', async () => {
    const token = await server.userWith({ bucket_pattern: B, actions: ['manage', 'read', 'write'] })
    await rejectsWith(run('decrypt', server.as(token)), 'forbidden')
    const job = await run('decrypt')
    assert.deepEqual([job.status, job.failed], ['succeeded', 0])
    await assertAll(null)
    const again = await run('encrypt', server.as(token))
    assert.equal(again.status, 'succeeded')
    await assertAll('AES256')
  })

  itOnce('refuse what they cannot do', async () => {
    const create = (body: Parameters<typeof server.admin.createJob>[0]['body']) => server.admin.createJob({ body })
    await rejectsWith(create({ kind: 'encrypt', source_bucket: B, prefix: 'a/' }), 'invalid_request', 'body.prefix')
    await rejectsWith(create({ kind: 'encrypt' }), 'invalid_request', 'body.source_bucket')
    await rejectsWith(
      create({ kind: 'decrypt', source_bucket: B, encryption: { algorithm: 'AES256' } }),
      'invalid_request',
      'body.encryption',
    )
    await rejectsWith(
      create({ kind: 'encrypt', source_bucket: B, encryption: { algorithm: 'aws:kms', key: 'none' } }),
      'invalid_request',
      'body.encryption.key',
    )
    const reader = await server.userWith({ bucket_pattern: B, actions: ['read', 'write'] })
    await rejectsWith(server.as(reader).createJob({ body: { kind: 'encrypt', source_bucket: B } }), 'forbidden')
  })
})
