import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient, ProblemError } from '../contract/client.ts'
import { readConfig } from '../server/config.ts'
import { type Running, start } from '../server/start.ts'
import { createDatabase, postgresUrl } from './support/postgres.ts'
import { rejectsWith } from './support/problems.ts'
import { ADMIN, allActions, describeEngines, startServer, type TestServer } from './support/server.ts'

const MIB = 1024 * 1024
const codes = (results: PromiseSettledResult<unknown>[]) =>
  results.map((one) =>
    one.status === 'fulfilled'
      ? 'ok'
      : one.reason instanceof ProblemError
        ? one.reason.problem.code
        : String(one.reason),
  )
const count = (all: string[], code: string) => all.filter((one) => one === code).length

describeEngines('concurrency', (engine) => {
  let server: TestServer
  /** On PostgreSQL a second replica; SQLite has one writer by design. */
  let twin: Running
  before(async () => {
    server = await startServer(engine)
    twin =
      engine === 'sqlite'
        ? server.running
        : await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), { now: server.clock.now, timers: false })
  })
  after(async () => {
    if (twin !== server.running) await twin.stop()
    await server.stop()
  })
  const clients = () => [server.admin, createClient({ baseUrl: twin.url, token: () => server.adminToken })] as const

  /** Asserts that the counted usage of a bucket is what its tables hold. */
  async function assertExact(name: string): Promise<void> {
    const { db } = server.database
    const { id } = await db.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
    const sizes = async (table: 'objects' | 'trash') =>
      (await db.selectFrom(table).select('size').where('bucket_id', '=', id).execute()).map(({ size }) => size)
    const sum = (all: number[]) => all.reduce((total, size) => total + size, 0)
    const bucket = await server.admin.getBucket({ params: { name } })
    const objects = await sizes('objects')
    assert.deepEqual(
      [bucket.used_bytes, bucket.object_count, bucket.trash_bytes],
      [sum(objects), objects.length, sum(await sizes('trash'))],
    )
  }

  it('lets exactly 10 of 50 parallel uploads into room for 10, over two processes', async () => {
    await server.admin.createBucket({ body: { name: 'room-for-ten', quota_gb: 10 / 1024 } })
    const files = server.files().length
    const before = (await allActions(server.database)).length
    const body = Buffer.alloc(MIB, 1)
    const results = codes(
      await Promise.allSettled(
        Array.from({ length: 50 }, (_, i) =>
          (clients()[i % 2] as (typeof server)['admin']).putObject({
            params: { name: 'room-for-ten', key: `k${i}` },
            body,
          }),
        ),
      ),
    )
    assert.deepEqual([count(results, 'ok'), count(results, 'quota_exceeded')], [10, 40])
    const bucket = await server.admin.getBucket({ params: { name: 'room-for-ten' } })
    assert.deepEqual([bucket.used_bytes, bucket.object_count], [10 * MIB, 10])
    assert.equal(server.files().length - files, 10, 'nothing is left behind')
    const recorded = (await allActions(server.database)).slice(before)
    assert.deepEqual(
      recorded.map(({ action }) => action),
      Array(10).fill('upload'),
    )
  })

  it('gives a key to one of eight creators, twenty times', async () => {
    await server.admin.createBucket({ body: { name: 'racers' } })
    for (let round = 0; round < 20; round++) {
      const results = codes(
        await Promise.allSettled(
          Array.from({ length: 8 }, (_, i) =>
            (clients()[i % 2] as (typeof server)['admin']).putObject({
              params: { name: 'racers', key: `k${round}` },
              body: Buffer.from(`${i}`),
              headers: { 'if-none-match': '*' },
            }),
          ),
        ),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'precondition_failed')], [1, 7])
    }
    await assertExact('racers')
  })

  it('loses none of eight contents that overwrite each other', async () => {
    await server.admin.createBucket({ body: { name: 'overwrites' } })
    const params = { name: 'overwrites', key: 'same' }
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, i) => server.admin.putObject({ params, body: Buffer.from(`content ${i}`) })),
    )
    const { items } = await server.admin.listTrash({ params: { name: 'overwrites' } })
    const live = await server.admin.getObject({ params })
    assert.deepEqual(
      [...items.map(({ etag }) => etag), live.headers.get('etag')?.slice(1, -1)].sort(),
      results.map(({ etag }) => etag).sort(),
    )
    await assertExact('overwrites')
  })

  it('counts exactly through a storm of uploads, deletes, restores and collections', async () => {
    await server.admin.createBucket({ body: { name: 'storm', quota_gb: 1 } })
    const seen = new Map<string, number>()
    const work = async (worker: number) => {
      const client = clients()[worker % 2] as (typeof server)['admin']
      for (let i = 0; i < 25; i++) {
        const params = { name: 'storm', key: `k${(worker * 7 + i * 3) % 10}` }
        const operation = async () => {
          if ((worker + i) % 4 < 2) return client.putObject({ params, body: Buffer.alloc(100 + i) })
          if ((worker + i) % 4 === 2) return client.deleteObject({ params })
          const { items } = await client.listTrash({ params, query: { limit: 3 } })
          const ids = items.slice(0, 1).map(({ id }) => id)
          return ids.length > 0 && client.restoreTrash({ params, body: { ids } })
        }
        const [code = ''] = codes(await Promise.allSettled([operation()]))
        seen.set(code, (seen.get(code) ?? 0) + 1)
        if (worker === 0 && i % 5 === 0) {
          server.clock.advance(60_000)
          await Promise.all([server.running.tick(), twin.tick()])
        }
      }
    }
    await Promise.all(Array.from({ length: 12 }, (_, worker) => work(worker)))
    assert.deepEqual(
      [...seen.keys()].filter((code) => !['ok', 'not_found', 'conflict'].includes(code)),
      [],
    )
    await assertExact('storm')
    await server.later(2 * 3600_000)
    await Promise.all([server.running.tick(), twin.tick()])
    for (const { key, size } of (await server.admin.listObjects({ params: { name: 'storm' } })).items) {
      const response = await server.admin.getObject({ params: { name: 'storm', key } })
      assert.equal((await response.arrayBuffer()).byteLength, size, 'the collector took nothing that is visible')
    }
  })

  it('never leaves an object in a deleted bucket', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `short-lived-${round}`
      await server.admin.createBucket({ body: { name } })
      const [deleted, ...uploads] = codes(
        await Promise.allSettled([
          server.admin.deleteBucket({ params: { name } }),
          ...Array.from({ length: 6 }, (_, i) =>
            server.admin.putObject({ params: { name, key: `${i}` }, body: Buffer.from('x') }),
          ),
        ]),
      )
      assert.ok(
        uploads.every((code) => ['ok', 'not_found'].includes(code)),
        uploads.join(),
      )
      if (deleted === 'ok') {
        assert.equal(count(uploads, 'ok'), 0)
        await rejectsWith(server.admin.getBucket({ params: { name } }), 'not_found')
      } else {
        assert.equal(deleted, 'not_empty')
        await assertExact(name)
      }
    }
  })

  it('holds a quota that is set while uploads run', async () => {
    await server.admin.createBucket({ body: { name: 'suddenly' } })
    const params = { name: 'suddenly' }
    const uploads = Array.from({ length: 40 }, (_, i) =>
      server.admin.putObject({ params: { ...params, key: `${i}` }, body: Buffer.alloc(1000) }),
    )
    const settled = Promise.allSettled(uploads)
    await uploads[5]
    const { used_bytes } = await server.admin.updateBucket({ params, body: { quota_gb: 10_000 / 1024 ** 3 } })
    await settled
    const after = (await server.admin.getBucket({ params })).used_bytes
    assert.ok(after <= Math.max(used_bytes, 10_000), `${after} bytes, ${used_bytes} when the quota was set`)
    await assertExact('suddenly')
  })
})

describe('first start', () => {
  it('makes one administrator when two replicas start at once', async () => {
    const { url, drop } = await createDatabase(await postgresUrl())
    const env = { SECRET_KEY: 'x'.repeat(32), DATABASE_URL: url, PORT: '0', BCRYPT_COST: '10', LOG_LEVEL: 'silent' }
    const replicas = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        start(
          readConfig({
            ...env,
            STORAGE_URL: `file:${process.env.TMPDIR ?? '/tmp'}/stowage-first-${process.pid}-${name}`,
            BOOTSTRAP_ADMIN_EMAIL: ADMIN.email,
          }),
          { timers: false },
        ),
      ),
    )
    try {
      assert.equal(replicas.filter(({ firstAdmin }) => firstAdmin !== undefined).length, 1)
    } finally {
      for (const replica of replicas) await replica.stop()
      await drop()
    }
  })
})
