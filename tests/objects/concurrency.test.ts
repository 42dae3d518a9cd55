import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Client, createClient, ProblemError } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { rejectsWith } from '../support/problems.ts'
import { repeats } from '../support/repeats.ts'
import {
  ADMIN,
  allActions,
  describeEngines,
  onS3,
  SECRET_KEY,
  STORED,
  startServer,
  type TestServer,
} from '../support/server.ts'
import { withTwin } from '../support/twin.ts'

const MIB = 1024 * 1024
const HOUR = 3600_000
/** Of a race. Over S3 a round takes ten times as long, and what decides it is the same database. */
const ROUNDS = repeats(onS3 ? 6 : 10)
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
/** How each call ended: `ok` or its problem's code. */
const outcomes = async (calls: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) => {
    if (one.status === 'fulfilled') return 'ok'
    return one.reason instanceof ProblemError ? one.reason.problem.code : String(one.reason)
  })
const count = (all: string[], code: string) => all.filter((one) => one === code).length
const sum = (all: number[]) => all.reduce((total, one) => total + one, 0)

// SQLite has one writer, so most races can only show on PostgreSQL, where a second service works on the same tables and
// folder.
describeEngines('concurrency', (engine) => {
  let server: TestServer
  let twin: Running | undefined
  let clients: Client[]
  before(async () => {
    server = await startServer(engine, STORED)
    const both = await withTwin(server, engine)
    twin = both.twin
    clients = both.clients
  })
  after(async () => {
    await twin?.stop()
    await server.stop()
  })
  const client = (i: number) => clients[i % clients.length] as Client
  const tick = () => Promise.all([server.running.tick(), twin?.tick()])

  /** Asserts that the counted usage of a bucket is what its tables hold. */
  async function assertExact(name: string): Promise<void> {
    const { db } = server.database
    const { id } = await db.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
    const sizes = async (table: 'objects' | 'trash') =>
      (await db.selectFrom(table).select('size').where('bucket_id', '=', id).execute()).map(({ size }) => size)
    const objects = await sizes('objects')
    const bucket = await server.admin.getBucket({ params: { bucket: name } })
    assert.deepEqual(
      [bucket.used_bytes, bucket.object_count, bucket.trash_bytes],
      [sum(objects), objects.length, sum(await sizes('trash'))],
    )
  }

  /** The contents of every object of a bucket by key; each must be as long as its row says. */
  async function contents(name: string): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const { key, size } of (await server.admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } }))
      .items) {
      const bytes = await (await server.admin.getObject({ params: { bucket: name, key } })).arrayBuffer()
      assert.equal(bytes.byteLength, size)
      found.set(key, Buffer.from(bytes).toString())
    }
    return found
  }

  for (const [over, services] of [
    ['one service', 1],
    ...(engine === 'sqlite' ? [] : [['two services', 2] as const]),
  ] as const)
    it(`lets exactly 10 of 50 parallel uploads into room for 10, over ${over}`, async () => {
      const name = `room-for-ten-${services}`
      await server.admin.createBucket({ body: { name, quota_gb: 10 / 1024 } })
      await server.later(2 * HOUR)
      await tick()
      const files = (await server.stored()).length
      const recorded = (await allActions(server.database)).length
      const body = Buffer.alloc(MIB, 1)
      const results = await outcomes(
        times(50, (i) => client(i % services).putObject({ params: { bucket: name, key: `k${i}` }, body })),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'quota_exceeded')], [10, 40], results.join())
      const bucket = await server.admin.getBucket({ params: { bucket: name } })
      assert.deepEqual([bucket.used_bytes, bucket.object_count], [10 * MIB, 10])
      assert.equal((await server.stored()).length - files, 10, 'nothing is left behind')
      assert.deepEqual(
        (await allActions(server.database)).slice(recorded).map(({ action, bucket }) => [action, bucket]),
        times(10, () => ['upload', name]),
      )
      const { db } = server.database
      assert.deepEqual(await db.selectFrom('blob_removals').selectAll().execute(), [])
      await server.later(2 * HOUR)
      await tick()
      const blobs = (await db.selectFrom('blobs').select('id').execute()).length
      assert.equal(blobs, (await server.stored()).length, 'rows of refused uploads are gone')
    })

  it('gives a key to one of eight creators, every time', async () => {
    await server.admin.createBucket({ body: { name: 'racers' } })
    for (let round = 0; round < ROUNDS; round++) {
      const params = { bucket: 'racers', key: `k${round}` }
      const headers = { 'if-none-match': '*' }
      const results = await outcomes(
        times(8, (i) => client(i).putObject({ params, body: Buffer.from(`${i}`), headers })),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'precondition_failed')], [1, 7], results.join())
      const winner = results.indexOf('ok')
      assert.equal(await (await server.admin.getObject({ params })).text(), `${winner}`)
    }
    assert.equal((await server.admin.listTrash({ params: { bucket: 'racers' } })).items.length, 0)
    await assertExact('racers')
  })

  it('lets one of eight replace the version that all have seen', async () => {
    await server.admin.createBucket({ body: { name: 'seen' } })
    const params = { bucket: 'seen', key: 'k' }
    let { etag } = await server.admin.putObject({ params, body: Buffer.from('first') })
    for (let round = 0; round < ROUNDS; round++) {
      const headers = { 'if-match': `"${etag}"` }
      const results = await outcomes(
        times(8, (i) => client(i).putObject({ params, body: Buffer.from(`${round} ${i}`), headers })),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'precondition_failed')], [1, 7], results.join())
      etag = (await server.admin.getObject({ params })).headers.get('etag')?.slice(1, -1) ?? ''
    }
    await assertExact('seen')
  })

  it('keeps all of eight contents that overwrite each other', async () => {
    const name = 'overwrites'
    await server.admin.createBucket({ body: { name } })
    const params = { bucket: name, key: 'same' }
    await Promise.all(times(8, (i) => client(i).putObject({ params, body: Buffer.from(`content ${i}`) })))
    await assertExact(name)
    const { items } = await server.admin.listTrash({ params: { bucket: name } })
    assert.equal(items.length, 7)
    const read = async () => (await server.admin.getObject({ params })).text()
    const found = [await read()]
    for (const { id } of items) {
      await server.admin.deleteObject({ params })
      await server.admin.restoreTrash({ params: { bucket: name }, body: { ids: [id] } })
      found.push(await read())
    }
    assert.deepEqual(
      found.sort(),
      times(8, (i) => `content ${i}`),
    )
    await assertExact(name)
  })

  it('stores forms of the same files side by side, each whole', async () => {
    const name = 'forms'
    await server.admin.createBucket({ body: { name } })
    const keys = times(5, (i) => `f${i}`)
    const results = await outcomes(
      times(16, (i) => {
        const form = new FormData()
        for (const key of i % 2 ? keys : keys.toReversed()) form.append('file', new Blob([`form ${i}`]), key)
        return client(i).uploadForm({ params: { bucket: name }, body: form })
      }),
    )
    assert.equal(count(results, 'ok'), 16, results.join())
    assert.equal(new Set((await contents(name)).values()).size, 1, 'the files of one form')
    assert.equal((await server.admin.listTrash({ params: { bucket: name } })).items.length, 15 * keys.length)
    await assertExact(name)
  })

  it('counts exactly through a storm of uploads, deletes, restores and collections', async () => {
    const buckets = ['storm-quota', 'storm-free', 'storm-no-trash']
    await server.admin.createBucket({ body: { name: 'storm-quota', quota_gb: 0.01 } })
    await server.admin.createBucket({ body: { name: 'storm-free' } })
    await server.admin.createBucket({ body: { name: 'storm-no-trash', trash_days: 0 } })
    const seen = new Map<string, number>()
    const operate = async (worker: number, i: number): Promise<unknown> => {
      const name = buckets[(worker + i) % 3] as string
      const params = { bucket: name, key: `k${(worker * 7 + i * 3) % 20}` }
      const one = client(worker)
      const kind = Math.floor(Math.random() * 8)
      if (kind < 4) return one.putObject({ params, body: Buffer.alloc(100 + i * 37 + worker, `${worker}`) })
      if (kind < 6) return one.deleteObject({ params, query: { permanent: kind === 5 } })
      const { items } = await one.listTrash({ params: { bucket: name }, query: { limit: 6 } })
      const ids = items.filter((_, n) => n % 2 === 0).map(({ id }) => id)
      if (ids.length === 0) return undefined
      if (kind === 6) return one.restoreTrash({ params: { bucket: name }, body: { ids } })
      return one.purgeTrash({ params: { bucket: name }, body: { ids: ids.slice(0, 1) } })
    }
    await Promise.all(
      times(12, async (worker) => {
        for (let i = 0; i < 25; i++) {
          const [code = ''] = await outcomes([operate(worker, i)])
          seen.set(code, (seen.get(code) ?? 0) + 1)
          // Two thirds of the shortest token's life pass in all, and bytes that were let go of come due meanwhile.
          if (worker === 0 && i % 7 === 0) server.clock.advance(5 * 60_000)
          if (worker === 0 && i % 5 === 0) await tick()
        }
      }),
    )
    assert.deepEqual(
      [...seen.keys()].filter((code) => !['ok', 'not_found', 'conflict'].includes(code)),
      [],
    )
    for (const name of buckets) await assertExact(name)
    await server.later(2 * HOUR)
    await Promise.all([tick(), tick()])
    for (const name of buckets) await contents(name)
    const { db } = server.database
    const blobs = (await db.selectFrom('blobs').select('id').execute()).map(({ id }) => id)
    assert.deepEqual((await server.stored()).map((file) => path.basename(file)).sort(), blobs.sort())
    for (const name of buckets) await assertExact(name)
  })

  it('never removes the bytes of an object that a restore brings back while the collector runs', async () => {
    const name = 'brought-back'
    await server.admin.createBucket({ body: { name } })
    const params = { bucket: name, key: 'k' }
    await server.admin.putObject({ params, body: Buffer.from('precious') })
    for (let round = 0; round < ROUNDS; round++) {
      await server.admin.deleteObject({ params })
      const [item] = (await server.admin.listTrash({ params: { bucket: name } })).items
      // The blob is due, as if its grace period had passed. (Ids that wait for an upload must not be.)
      await server.database.transaction((tx) =>
        tx
          .updateTable('blobs')
          .set({ check_after: new Date(0).toISOString() })
          .where('id', 'in', (e) => e.selectFrom('trash').select('blob_id'))
          .execute(),
      )
      const [, restored] = await outcomes([
        tick(),
        client(round).restoreTrash({ params: { bucket: name }, body: { ids: [item?.id ?? ''] } }),
        tick(),
      ])
      assert.equal(restored, 'ok')
      assert.deepEqual([...(await contents(name))], [['k', 'precious']])
    }
    await assertExact(name)
  })

  it('never leaves an object in a deleted bucket', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `short-lived-${round}`
      await server.admin.createBucket({ body: { name, quota_gb: round % 2 ? 1 : null } })
      const { id } = await server.database.db
        .selectFrom('buckets')
        .select('id')
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      const put = (i: number) => client(i).putObject({ params: { bucket: name, key: `${i}` }, body: Buffer.from('x') })
      // The delete comes at another moment in each round.
      const before = times(round % 3, put)
      const [deleted, ...uploads] = await outcomes([
        client(round).deleteBucket({ params: { bucket: name } }),
        ...before,
        ...times(6, (i) => put(i + 10)),
      ])
      assert.ok(
        uploads.every((code) => ['ok', 'not_found'].includes(code)),
        uploads.join(),
      )
      const objects = await server.database.db.selectFrom('objects').select('key').where('bucket_id', '=', id).execute()
      assert.equal(objects.length, count(uploads, 'ok'))
      if (deleted === 'ok') {
        assert.equal(count(uploads, 'ok'), 0)
        await rejectsWith(server.admin.getBucket({ params: { bucket: name } }), 'not_found')
      } else {
        assert.equal(deleted, 'not_empty')
        await assertExact(name)
      }
    }
  })

  it('holds a quota whatever isolation the database has for a default', async () => {
    if (engine === 'sqlite') return
    const { pathname } = new URL(server.env.DATABASE_URL ?? '')
    const name = decodeURIComponent(pathname.slice(1))
    const setDefault = (what: string) =>
      server.database.transaction((tx) => sql.raw(`alter database "${name}" ${what}`).execute(tx))
    await setDefault(`set default_transaction_isolation = 'repeatable read'`)
    await setDefault('set default_transaction_read_only = on')
    // Connections that are made from now on have these defaults.
    const other = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), {
      now: server.clock.now,
      timers: false,
    })
    try {
      const there = createClient({ baseUrl: other.url, token: () => server.adminToken })
      await server.admin.createBucket({ body: { name: 'any-default', quota_gb: 10_000 / 1024 ** 3 } })
      const put = (i: number) =>
        there.putObject({ params: { bucket: 'any-default', key: `${i}` }, body: Buffer.alloc(1000) })
      const results = await outcomes(times(60, put))
      assert.deepEqual([count(results, 'ok'), count(results, 'quota_exceeded')], [10, 50], results.join())
      const { used_bytes } = await server.admin.getBucket({ params: { bucket: 'any-default' } })
      assert.equal(used_bytes, 10_000)
    } finally {
      await other.stop()
      await setDefault('reset default_transaction_isolation')
      await setDefault('reset default_transaction_read_only')
    }
  })

  it('holds a quota from the moment it is set while uploads run', async () => {
    const name = 'suddenly'
    await server.admin.createBucket({ body: { name } })
    const limit = 20_000
    const running = times(60, (i) =>
      client(i).putObject({ params: { bucket: name, key: `${i}` }, body: Buffer.alloc(1000) }),
    )
    const settled = outcomes(running)
    await running[5]
    const { used_bytes } = await client(1).updateBucket({
      params: { bucket: name },
      body: { quota_gb: limit / 1024 ** 3 },
    })
    const results = await settled
    assert.equal(count(results, 'ok') + count(results, 'quota_exceeded'), 60, results.join())
    const bucket = await server.admin.getBucket({ params: { bucket: name } })
    assert.ok(
      (bucket.used_bytes ?? 0) <= Math.max(used_bytes ?? 0, limit),
      `${bucket.used_bytes}, ${used_bytes} when it was set`,
    )
    assert.equal(bucket.used_bytes, count(results, 'ok') * 1000)
    await assertExact(name)
  })

  it('restores over or beside what others write meanwhile, and loses none of it', async () => {
    const name = 'restore-races'
    await server.admin.createBucket({ body: { name } })
    const put = (i: number, text: string) => client(i).putObject({ params: { bucket: name, key: 'k.txt' }, body: text })
    for (const i of times(13, (n) => n)) await put(0, `old ${i}`)
    const trash = async () => (await server.admin.listTrash({ params: { bucket: name }, query: { limit: 1000 } })).items
    const ids = (await trash()).map(({ id }) => id)
    assert.equal(ids.length, 12)
    const on_conflict = (i: number) => (i % 2 ? 'replace' : 'keep_both')
    const done = await outcomes([
      ...ids.map((id, i) =>
        client(i).restoreTrash({ params: { bucket: name }, body: { ids: [id], on_conflict: on_conflict(i) } }),
      ),
      ...times(12, (i) => put(i, `new ${i}`)),
    ])
    assert.deepEqual(new Set(done), new Set(['ok']), done.join())
    await assertExact(name)
    const left = await trash()
    const visible = await contents(name)
    // Six next to it, one at the key, and every other one of the 25 in the trash.
    assert.equal(visible.size, 7)
    assert.deepEqual(
      [...visible.keys()].filter((key) => key !== 'k.txt').toSorted(),
      ['', ' 2', ' 3', ' 4', ' 5', ' 6'].map((n) => `k (restored${n}).txt`).toSorted(),
    )
    assert.equal(left.length, 18)
    assert.ok(left.every(({ reason }) => reason === 'overwritten'))
    const { items } = await server.admin.restoreTrash({
      params: { bucket: name },
      body: { ids: left.map(({ id }) => id), on_conflict: 'keep_both' },
    })
    assert.equal(items.length, 18)
    assert.equal(new Set((await contents(name)).values()).size, 25)
  })
})

describe('first start', () => {
  it('makes one administrator when three replicas start at once over an empty PostgreSQL', async () => {
    const { url, drop } = await createDatabase(await postgresUrl())
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-first-'))
    const config = readConfig({
      SECRET_KEY,
      DATA_DIR: folder,
      DATABASE_URL: url,
      PORT: '0',
      BCRYPT_COST: '10',
      BOOTSTRAP_ADMIN_EMAIL: ADMIN.email,
      LOG_LEVEL: 'silent',
    })
    const replicas = await Promise.allSettled(times(3, () => start(config, { timers: false })))
    try {
      const started = replicas.map((one) => (one.status === 'fulfilled' ? one.value : assert.fail(one.reason as Error)))
      const made = started.flatMap(({ first }) => first.admin ?? [])
      assert.equal(made.length, 1)
      const login = { username: ADMIN.email, password: made[0]?.password ?? '' }
      for (const { url } of started) {
        const { access_token } = await createClient({ baseUrl: url }).login({ body: login })
        const admin = createClient({ baseUrl: url, token: access_token })
        assert.equal((await admin.listUsers()).items.length, 1)
        assert.equal((await admin.listGroups()).items.length, 2)
      }
    } finally {
      for (const one of replicas) if (one.status === 'fulfilled') await one.value.stop()
      await drop()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})
