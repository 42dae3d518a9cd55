import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Client, createClient } from '../../contract/client.ts'
import type { Job } from '../../contract/jobs.ts'
import type { BucketAction } from '../../contract/permissions.ts'
import { readConfig } from '../../server/config.ts'
import { newId } from '../../server/id.ts'
import { type Running, start } from '../../server/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const GIB = 1024 ** 3
const DAY = 86_400_000
const ABSENT = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const numbered = (prefix: string, n: number) => times(n, (i) => `${prefix}${String(i).padStart(4, '0')}`)
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const isOver = ({ status }: Job) => !['queued', 'running'].includes(status)
type NewJob = Parameters<Client['createJob']>[0]['body']
type Grants = Parameters<TestServer['userWith']>

describeEngines('jobs', (engine, itOnce) => {
  let server: TestServer
  /** On PostgreSQL a second service on the same tables. */
  let twin: Running | undefined
  let blob: string
  let buckets = 0

  const open = async (body: object = {}) => {
    const name = `jobs-${++buckets}`
    await server.admin.createBucket({ body: { name, ...body } })
    return name
  }
  const idOf = async (name: string) =>
    (await server.database.db.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id
  /** Makes objects without their bytes: rows that share one blob, each of another size and ETag. */
  const fill = async (name: string, keys: readonly string[], size = (key: string) => key.length): Promise<void> => {
    const bucket_id = await idOf(name)
    const now = server.clock.now().toISOString()
    const rows = keys.map((key) => ({
      bucket_id,
      key,
      blob_id: blob,
      size: size(key),
      etag: md5(`${name}/${key}`),
      sha256: null,
      content_type: 'text/plain',
      metadata: '{}',
      created_at: now,
      last_modified: now,
      created_by: null,
    }))
    const bytes = rows.reduce((sum, row) => sum + row.size, 0)
    await server.database.transaction(async (tx) => {
      for (let i = 0; i < rows.length; i += 1000)
        await tx
          .insertInto('objects')
          .values(rows.slice(i, i + 1000))
          .execute()
      await tx
        .insertInto('bucket_usage')
        .values({
          bucket_id,
          shard: 100 + Math.floor(Math.random() * 1e6),
          bytes,
          objects: keys.length,
          trash_bytes: 0,
        })
        .execute()
    })
  }
  const rowsOf = async (table: 'objects' | 'trash', name: string) =>
    server.database.db
      .selectFrom(table)
      .select(['key', 'etag', 'size'])
      .where('bucket_id', '=', await idOf(name))
      .orderBy('key')
      .execute()
  /** What is under each key of a bucket, told by its ETag. */
  const contents = async (name: string): Promise<Map<string, string>> =>
    new Map((await rowsOf('objects', name)).map(({ key, etag }) => [key, etag]))
  const keysOf = async (name: string) => [...(await contents(name)).keys()]
  /** Asserts that what is counted is what is there. */
  const assertExact = async (name: string): Promise<void> => {
    const sum = (rows: { size: number }[]) => rows.reduce((total, { size }) => total + size, 0)
    const objects = await rowsOf('objects', name)
    const trash = await rowsOf('trash', name)
    const bucket = await server.admin.getBucket({ params: { name } })
    assert.deepEqual(
      [bucket.used_bytes, bucket.object_count, bucket.trash_bytes, bucket.reserved_bytes],
      [sum(objects), objects.length, sum(trash), 0],
    )
  }
  const create = (body: NewJob, by = server.admin) => by.createJob({ body })
  const get = (id: string, by = server.admin) => by.getJob({ params: { id } })
  /** Waits for its end. */
  const finish = async ({ id }: Job): Promise<Job> => {
    let job: Job | undefined
    await until(async () => {
      job = await get(id)
      return isOver(job)
    })
    return job as Job
  }
  const run = async (body: NewJob, by = server.admin) => finish(await create(body, by))
  /** Waits until it has begun with its objects and is not through. */
  const midway = async ({ id }: Job): Promise<Job> => {
    let job: Job | undefined
    await until(async () => {
      job = await get(id)
      assert.ok(!isOver(job), `it was over too soon: ${JSON.stringify(job)}`)
      return job.done + job.failed > 0
    })
    return job as Job
  }
  /** Takes a job from who is at it, which then must let go of it; gives what lets it go on. */
  const pause = async (job: Job) => {
    await midway(job)
    const set = (runner: string | null, leased_until: string | null) =>
      server.database.transaction((tx) =>
        tx.updateTable('jobs').set({ runner, leased_until }).where('id', '=', job.id).execute(),
      )
    await set(newId(), new Date(server.clock.now().getTime() + 60_000).toISOString())
    const paused = await get(job.id)
    assert.ok(!isOver(paused), 'it was over too soon')
    return {
      ...paused,
      async goOn() {
        await set(null, null)
        await server.running.tick()
        return finish(job)
      },
    }
  }
  const counts = ({ status, total, done, failed }: Job) => ({ status, total, done, failed })
  const succeeded = (done: number, failed = 0) => ({ status: 'succeeded', total: done + failed, done, failed })
  const codes = ({ errors }: Job) => errors.map(({ key, code }) => [key, code])
  const recordsOf = (jobId: string) =>
    server.database.db
      .selectFrom('audit')
      .selectAll()
      .where('details', 'like', `%"job_id":"${jobId}"%`)
      .orderBy('id')
      .execute()
  const person = async (...grants: Grants) => {
    const token = await server.userWith(...grants)
    const { id, email, groups } = await server.as(token).me()
    return { id, email, client: server.as(token), groupId: groups[0]?.id ?? '' }
  }

  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'seed' } })
    await server.admin.putObject({ params: { name: 'seed', key: 'k' }, body: 'x' })
    blob = (await server.database.db.selectFrom('objects').select('blob_id').executeTakeFirstOrThrow()).blob_id
    if (engine === 'sqlite') return
    twin = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), { now: server.clock.now, timers: false })
  })
  after(async () => {
    await twin?.stop()
    await server.stop()
  })

  itOnce('refuses what means nothing, and names where', async () => {
    const [source_bucket, dest_bucket] = [await open(), await open()]
    const keys = ['a/x']
    await server.records([], async () => {
      for (const [body, code, fault] of [
        [{}, 'invalid_request', 'body.kind'],
        [{ kind: 'copy' }, 'invalid_request', 'body.source_bucket'],
        [{ kind: 'rename', source_bucket }, 'invalid_request', 'body.kind'],
        [{ kind: 'delete', source_bucket, keys: [] }, 'invalid_request', 'body.keys'],
        [{ kind: 'delete', source_bucket, keys: ['a', 'a'] }, 'invalid_request', 'body.keys'],
        [{ kind: 'delete', source_bucket, keys: [''] }, 'invalid_request', 'body.keys.0'],
        [{ kind: 'delete', source_bucket, keys: numbered('k', 10_001) }, 'invalid_request', 'body.keys'],
        [{ kind: 'delete', source_bucket, exclude: numbered('k', 10_001) }, 'invalid_request', 'body.exclude'],
        [{ kind: 'delete', source_bucket, search: '' }, 'invalid_request', 'body.search'],
        [{ kind: 'delete', source_bucket, search: 'x'.repeat(201) }, 'invalid_request', 'body.search'],
        [{ kind: 'delete', source_bucket, search: 'x', keys }, 'invalid_request', 'body.search'],
        [{ kind: 'delete', source_bucket, prefix: 'ä'.repeat(513) }, 'invalid_request', 'body.prefix'],
        [{ kind: 'delete', source_bucket, dest_bucket }, 'invalid_request', 'body.dest_bucket'],
        [{ kind: 'empty_bucket', source_bucket, dest_prefix: 'x' }, 'invalid_request', 'body.dest_bucket'],
        [{ kind: 'empty_bucket', source_bucket, prefix: 'a/' }, 'invalid_request', 'body.prefix'],
        [{ kind: 'empty_bucket', source_bucket, keys }, 'invalid_request', 'body.prefix'],
        [{ kind: 'empty_bucket', source_bucket, search: 'a' }, 'invalid_request', 'body.prefix'],
        [{ kind: 'copy', source_bucket, prefix: 'a/' }, 'invalid_request', 'body.dest_prefix'],
        [{ kind: 'copy', source_bucket, dest_bucket, if_none_match: 'x' }, 'invalid_request', 'body.if_none_match'],
        [{ kind: 'copy', source_bucket, dest_bucket, folder: 'x' }, 'invalid_request', 'body.folder'],
        [{ kind: 'copy', source_bucket, prefix: 'a/', dest_prefix: 'a/' }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'copy', source_bucket, prefix: 'a/', dest_bucket: source_bucket }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'move', source_bucket, prefix: 'a/', dest_prefix: 'a/' }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'move', source_bucket, prefix: 'a/', dest_prefix: 'a/b/' }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'move', source_bucket, dest_prefix: 'b/' }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'delete', source_bucket, of: ABSENT }, 'invalid_request', 'body.of'],
        [{ kind: 'restore' }, 'invalid_request', 'body.of'],
        [{ kind: 'restore', of: 'x' }, 'invalid_request', 'body.of'],
        [{ kind: 'restore', of: ABSENT, source_bucket }, 'invalid_request', 'body.source_bucket'],
        [{ kind: 'restore', of: ABSENT, keys }, 'invalid_request', 'body.keys'],
        [{ kind: 'restore', of: ABSENT }, 'not_found', undefined],
        [{ kind: 'delete', source_bucket: 'no-bucket' }, 'not_found', undefined],
        [{ kind: 'copy', source_bucket, dest_bucket: 'no-bucket' }, 'not_found', undefined],
      ] as const)
        await rejectsWith(create(body as unknown as NewJob), code, fault)
      await rejectsWith(create({ kind: 'delete', source_bucket }, server.as()), 'unauthenticated')
      await rejectsWith(server.admin.listJobs({ query: { status: 'over' as 'failed' } }), 'invalid_request')
      await rejectsWith(get('x'), 'invalid_request')
      await rejectsWith(get(ABSENT), 'not_found')
      await rejectsWith(server.admin.cancelJob({ params: { id: ABSENT } }), 'not_found')
    })
    assert.deepEqual((await server.admin.listJobs()).items, [])
  })

  itOnce('asks for rights in both buckets, and tells the rest nothing', async () => {
    const [source_bucket, dest_bucket] = [await open(), await open()]
    const as = async (...grants: Grants) => (await person(...grants)).client
    const on = (bucket_pattern: string, ...actions: BucketAction[]) => ({ bucket_pattern, actions })
    const copy: NewJob = { kind: 'copy', source_bucket, dest_bucket }
    const move: NewJob = { kind: 'move', source_bucket, dest_bucket }
    const denied = { action: 'access_denied', result: 'denied' } as const
    for (const [who, body, missing] of [
      [await as(on(dest_bucket, 'write')), copy, 'read'],
      [await as(on(source_bucket, 'list', 'read')), copy, 'write'],
      [await as(on(source_bucket, 'list', 'read'), on(dest_bucket, 'write')), move, 'delete'],
      [await as(on(source_bucket, 'list', 'read', 'write')), { kind: 'delete', source_bucket }, 'delete'],
      [await as(on(source_bucket, 'list', 'read', 'write')), { kind: 'empty_bucket', source_bucket }, 'delete'],
      [await as(), { kind: 'delete', source_bucket: 'no-bucket' }, 'delete'],
    ] as const)
      await server.records([denied], async () => {
        const { problem } = await rejectsWith(create(body as NewJob, who), 'forbidden')
        assert.match(problem.detail, new RegExp(`"${missing}"`))
      })
    assert.deepEqual((await server.admin.listJobs()).items, [])
  })

  it('copies a folder, each object with its record and event', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = ['a/1', 'a/2', 'a/b/ä', 'a/', 'a/z 漢/😀', 'a//']
    await fill(source, [...keys, 'a', 'a0', 'b/1'])
    const endpoint = newId()
    const created_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('webhook_endpoints')
        .values({ id: endpoint, name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
        .execute(),
    )
    const inOrder = keys.map((key) => key.slice(2)).sort(byBytes)
    const job = await server.records(
      inOrder.map((key) => ({ action: 'copy', bucket: dest, key: `x/${key}` })),
      () => run({ kind: 'copy', source_bucket: source, prefix: 'a/', dest_bucket: dest, dest_prefix: 'x/' }),
    )
    const me = await server.admin.me()
    const now = server.clock.now().toISOString()
    const { id, ...rest } = job
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(rest, {
      kind: 'copy',
      status: 'succeeded',
      source_bucket: source,
      prefix: 'a/',
      search: null,
      dest_bucket: dest,
      dest_prefix: 'x/',
      if_none_match: null,
      of: null,
      restorable: false,
      total: 6,
      done: 6,
      failed: 0,
      changed: 0,
      errors: [],
      detail: null,
      created_at: now,
      created_by: me.id,
      created_by_email: me.email,
      started_at: now,
      finished_at: now,
    })
    assert.deepEqual(
      await contents(dest),
      new Map(
        inOrder
          .map((key) => [`x/${key}`, md5(`${source}/a/${key}`)])
          .sort((a, b) => byBytes(a[0] as string, b[0] as string)) as [string, string][],
      ),
    )
    assert.equal((await keysOf(source)).length, 9)
    const records = await recordsOf(id)
    for (const [i, record] of records.entries()) {
      const key = inOrder[i] ?? ''
      assert.deepEqual(JSON.parse(record.details), {
        source: { bucket: source, key: `a/${key}` },
        size: `a/${key}`.length,
        etag: md5(`${source}/a/${key}`),
        replaced: false,
        job_id: id,
      })
      assert.deepEqual(
        [record.actor_user_id, record.auth_method, record.route, record.method, record.actor_ip],
        [me.id, 'local', '/api/v1/jobs', 'POST', '127.0.0.1'],
      )
    }
    assert.equal(new Set(records.map(({ request_id }) => request_id)).size, 1)
    const { db } = server.database
    const deliveries = await db.selectFrom('webhook_deliveries').select(['event', 'audit_id']).execute()
    await server.database.transaction((tx) => tx.deleteFrom('webhook_endpoints').execute())
    assert.deepEqual(new Set(deliveries.map(({ audit_id }) => audit_id)), new Set(records.map((one) => one.id)))
    assert.ok(deliveries.every(({ event }) => event === 'copy'))
    assert.deepEqual(await db.selectFrom('job_items').selectAll().execute(), [])
    for (const name of [source, dest]) await assertExact(name)
    // A real object, with its bytes.
    await run({ kind: 'copy', source_bucket: 'seed', dest_bucket: dest })
    assert.equal(await (await server.admin.getObject({ params: { name: dest, key: 'k' } })).text(), 'x')
  })

  it('moves a folder within its bucket and to another', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = numbered('a/', 30)
    await fill(source, [...keys, 'b/1', 'ab'])
    const moved = await server.records(
      keys.map((key) => ({ action: 'move', bucket: source, key: key.replace('a/', 'b/c/') })),
      () => run({ kind: 'move', source_bucket: source, prefix: 'a/', dest_prefix: 'b/c/' }),
    )
    assert.deepEqual(counts(moved), succeeded(30))
    assert.deepEqual(await keysOf(source), ['ab', 'b/1', ...numbered('b/c/', 30)].sort(byBytes))
    const away = await run({ kind: 'move', source_bucket: source, prefix: 'b/c/', dest_bucket: dest })
    assert.deepEqual([counts(away), away.dest_prefix], [succeeded(30), 'b/c/'])
    assert.deepEqual(await keysOf(source), ['ab', 'b/1'])
    const there = await contents(dest)
    for (const key of keys) assert.equal(there.get(key.replace('a/', 'b/c/')), md5(`${source}/${key}`))
    for (const name of [source, dest]) await assertExact(name)
    assert.deepEqual([await rowsOf('trash', source), await rowsOf('trash', dest)], [[], []])
  })

  it('deletes a folder, and empties a bucket, to the trash', async () => {
    const name = await open()
    await fill(name, [...numbered('a/', 20), ...numbered('b/', 5), 'a'])
    const job = await server.records(
      numbered('a/', 20).map((key) => ({ action: 'delete', bucket: name, key })),
      () => run({ kind: 'delete', source_bucket: name, prefix: 'a/' }),
    )
    assert.deepEqual([counts(job), job.dest_bucket, job.dest_prefix], [succeeded(20), null, null])
    const [record] = await recordsOf(job.id)
    const [item] = (await server.admin.listTrash({ params: { name }, query: { prefix: 'a/0000' } })).items
    assert.deepEqual(JSON.parse(record?.details ?? ''), {
      size: 6,
      permanent: false,
      trash_id: item?.id,
      job_id: job.id,
    })
    assert.deepEqual(await keysOf(name), ['a', ...numbered('b/', 5)])
    await assertExact(name)
    assert.deepEqual(counts(await run({ kind: 'empty_bucket', source_bucket: name })), succeeded(6))
    assert.deepEqual([await keysOf(name), (await rowsOf('trash', name)).length], [[], 26])
    await assertExact(name)
    // Of nothing.
    assert.deepEqual(counts(await run({ kind: 'empty_bucket', source_bucket: name })), succeeded(0))
    await server.admin.deleteBucket({ params: { name } })
    const off = await open({ trash_days: 0 })
    await fill(off, numbered('a/', 3))
    await run({ kind: 'empty_bucket', source_bucket: off })
    assert.deepEqual([await keysOf(off), await rowsOf('trash', off)], [[], []])
    await assertExact(off)
  })

  const restore = (of: Job, by = server.admin) => run({ kind: 'restore', of: of.id }, by)
  const asIs = async (name: string) =>
    server.database.db
      .selectFrom('objects')
      .selectAll()
      .where('bucket_id', '=', await idOf(name))
      .orderBy('key')
      .execute()

  it('restores what a job deleted, all of it and nothing else', async () => {
    const name = await open()
    const keys = numbered('a/', 2300)
    await fill(name, [...keys, 'a/alone', 'b/1'])
    await server.admin.deleteObject({ params: { name, key: 'a/alone' } })
    const was = await contents(name)
    const wasRows = await asIs(name)
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    assert.deepEqual([counts(deleted), deleted.restorable, deleted.of], [succeeded(2300), true, null])
    assert.equal((await server.admin.listJobs({ query: { limit: 1 } })).items[0]?.restorable, true)
    const trashIds = new Set((await recordsOf(deleted.id)).map(({ details }) => JSON.parse(details).trash_id))
    const back = await server.records(
      keys.map((key) => ({ action: 'restore', bucket: name, key })),
      () => restore(deleted),
    )
    assert.deepEqual(
      [counts(back), back.kind, back.of, back.source_bucket, back.prefix, back.restorable, back.errors],
      [succeeded(2300), 'restore', deleted.id, name, 'a/', false, []],
    )
    const records = await recordsOf(back.id)
    assert.equal(records.length, 2300)
    for (const { details, object_key } of records) {
      const { trash_id, ...rest } = JSON.parse(details)
      assert.ok(trashIds.delete(trash_id), 'each item once')
      assert.deepEqual(rest, { size: object_key?.length, job_id: back.id })
    }
    assert.deepEqual(await contents(name), was)
    assert.deepEqual(await asIs(name), wasRows, 'as they were, with their times')
    assert.deepEqual(
      (await rowsOf('trash', name)).map(({ key }) => key),
      ['a/alone'],
    )
    await assertExact(name)
    assert.equal((await get(deleted.id)).restorable, false)
    // There is nothing more to restore, and of a restore there never is; emptying a bucket is undone as well.
    await server.records([], async () => {
      await rejectsWith(create({ kind: 'restore', of: deleted.id }), 'nothing_to_restore')
      await rejectsWith(create({ kind: 'restore', of: back.id }), 'conflict', 'body.of')
    })
    const emptied = await run({ kind: 'empty_bucket', source_bucket: name })
    assert.deepEqual(counts(await restore(emptied)), succeeded(2301))
    assert.deepEqual(await contents(name), was)
    await assertExact(name)
  })

  itOnce('restores objects as they were, and counts only what is there', async () => {
    const name = await open()
    const object = { params: { name, key: 'a/real' } }
    await server.admin.putObject({ ...object, body: 'real bytes', headers: { 'content-type': 'text/x-odd' } } as never)
    const before = await server.admin.listObjects({ params: { name } })
    await fill(name, ['a/1', 'a/2', 'a/3'])
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    const trash = (await server.admin.listTrash({ params: { name } })).items
    const idsOf = (...keys: string[]) => trash.filter(({ key }) => keys.includes(key)).map(({ id }) => id)
    await server.admin.restoreTrash({ params: { name }, body: { ids: idsOf('a/1') } })
    await server.admin.purgeTrash({ params: { name }, body: { ids: idsOf('a/2') } })
    const back = await restore(deleted)
    assert.deepEqual(counts(back), succeeded(2))
    assert.deepEqual(await keysOf(name), ['a/1', 'a/3', 'a/real'])
    assert.equal(await (await server.admin.getObject(object)).text(), 'real bytes')
    const { items } = await server.admin.listObjects({ params: { name }, query: { prefix: 'a/r' } })
    assert.deepEqual(items, before.items)
    await assertExact(name)
  })

  itOnce('never restores over what is there, beyond a quota or a right', async () => {
    const name = await open()
    await fill(name, numbered('a/', 6), () => 100)
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    const { etag } = await server.admin.putObject({ params: { name, key: 'a/0001' }, body: 'newer' })
    await server.admin.updateBucket({ params: { name }, body: { quota_gb: 405 / GIB } })
    const full = await restore(deleted)
    assert.deepEqual(
      [counts(full), codes(full)],
      [
        succeeded(4, 2),
        [
          ['a/0001', 'already_exists'],
          ['a/0005', 'quota_exceeded'],
        ],
      ],
    )
    assert.equal((await contents(name)).get('a/0001'), etag)
    await assertExact(name)
    assert.ok((await get(deleted.id)).restorable, 'what could not be done stays in the trash')
    const none = await server.records([], () => restore(deleted))
    assert.deepEqual(counts(none), succeeded(0, 2))
    // What stood in the way is gone: the same again does the rest.
    await server.admin.deleteObject({ params: { name, key: 'a/0001' } })
    await server.admin.updateBucket({ params: { name }, body: { quota_gb: null } })
    assert.deepEqual(counts(await restore(deleted)), succeeded(2))
    assert.equal((await contents(name)).get('a/0001'), md5(`${name}/a/0001`))
    await assertExact(name)

    const other = await open()
    await fill(other, [...numbered('in/', 3), ...numbered('out/', 3)])
    const { client } = await person(
      { bucket_pattern: other, actions: ['list', 'delete'] },
      { bucket_pattern: other, prefix: 'in/', actions: ['write'] },
    )
    const mine = await run({ kind: 'delete', source_bucket: other, prefix: '' }, client)
    const half = await restore(mine, client)
    assert.deepEqual([counts(half), codes(half)], [succeeded(3, 3), numbered('out/', 3).map((k) => [k, 'forbidden'])])
    assert.match(half.errors[0]?.detail ?? '', /"write" on key "out\/0000"/)
    assert.deepEqual(await keysOf(other), numbered('in/', 3))
    await assertExact(other)
  })

  itOnce('lets only its creator and administrators undo a job, with the right to write', async () => {
    const name = await open()
    await fill(name, numbered('a/', 3))
    const grant = (...actions: BucketAction[]) => ({ bucket_pattern: name, actions })
    const [alice, bob] = [await person(grant('list', 'delete')), await person(grant('list', 'delete', 'write'))]
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' }, alice.client)
    await server.records([], () =>
      rejectsWith(create({ kind: 'restore', of: deleted.id }, bob.client), 'not_found').then(() => undefined),
    )
    await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
      const { problem } = await rejectsWith(create({ kind: 'restore', of: deleted.id }, alice.client), 'forbidden')
      assert.match(problem.detail, /"write"/)
    })
    const back = await server.records(
      numbered('a/', 3).map((key) => ({ action: 'restore', bucket: name, key })),
      () => restore(deleted),
    )
    assert.deepEqual([counts(back), back.created_by_email], [succeeded(3), (await server.admin.me()).email])
    await rejectsWith(get(back.id, alice.client), 'not_found')
  })

  itOnce('says where there is nothing to restore', async () => {
    const [name, off, dest] = [await open(), await open({ trash_days: 0 }), await open()]
    for (const one of [name, off]) await fill(one, numbered('a/', 3000))
    const copied = await run({ kind: 'copy', source_bucket: name, dest_bucket: dest })
    const running = await create({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    const paused = await pause(running)
    const gone = await run({ kind: 'empty_bucket', source_bucket: off })
    await server.records([], async () => {
      await rejectsWith(create({ kind: 'restore', of: copied.id }), 'conflict', 'body.of')
      await rejectsWith(create({ kind: 'restore', of: running.id }), 'conflict', 'body.of')
      assert.equal((await get(running.id)).restorable, false)
      await rejectsWith(create({ kind: 'restore', of: gone.id }), 'nothing_to_restore')
      assert.equal(gone.restorable, false)
    })
    const deleted = await paused.goOn()
    assert.ok(deleted.restorable)
    await server.admin.deleteBucket({ params: { name } })
    assert.equal((await get(deleted.id)).restorable, false, 'its bucket is deleted')
    await rejectsWith(create({ kind: 'restore', of: deleted.id }), 'not_found')
    // Another bucket of the same name has nothing to do with it.
    await server.admin.createBucket({ body: { name } })
    await rejectsWith(create({ kind: 'restore', of: deleted.id }), 'nothing_to_restore')
    assert.deepEqual(await keysOf(name), [])
  })

  it('stops restoring when it is cancelled, and goes on where it was after a crash, each object once', async () => {
    const name = await open()
    const keys = numbered('a/', 3000)
    await fill(name, keys)
    const was = await contents(name)
    const emptied = await run({ kind: 'empty_bucket', source_bucket: name })
    const job = await create({ kind: 'restore', of: emptied.id })
    await midway(job)
    await server.admin.cancelJob({ params: { id: job.id } })
    const cancelled = await finish(job)
    assert.equal(cancelled.status, 'cancelled')
    const there = await keysOf(name)
    assert.ok(there.length > 0 && there.length < 3000)
    assert.equal(there.length, cancelled.done)
    await assertExact(name)
    assert.ok((await get(emptied.id)).restorable)
    const rest = await restore(emptied)
    assert.deepEqual(counts(rest), succeeded(3000 - cancelled.done))
    assert.deepEqual(await contents(name), was)

    const again = await run({ kind: 'empty_bucket', source_bucket: name })
    const paused = await pause(await create({ kind: 'restore', of: again.id }))
    // Meanwhile others take from the end of the trash, and take keys.
    const trash = (await server.admin.listTrash({ params: { name }, query: { limit: 5 } })).items
    await server.admin.purgeTrash({ params: { name }, body: { ids: trash.map(({ id }) => id) } })
    const next = (await server.admin.listTrash({ params: { name }, query: { limit: 1 } })).items[0]?.key ?? ''
    await server.admin.putObject({ params: { name, key: next }, body: 'in its way' })
    const over = await paused.goOn()
    assert.deepEqual([counts(over), codes(over)], [succeeded(2994, 1), [[next, 'already_exists']]])
    const done = (await recordsOf(paused.id)).map(({ object_key }) => object_key)
    assert.deepEqual([done.length, new Set(done).size], [2994, 2994])
    await assertExact(name)
  })

  it('restores a job once where two restores of it run side by side', async () => {
    await server.running.tick()
    const name = await open()
    await fill(name, numbered('a/', 2000))
    const was = await contents(name)
    const emptied = await run({ kind: 'empty_bucket', source_bucket: name })
    const jobs = await Promise.all([1, 2].map(() => create({ kind: 'restore', of: emptied.id })))
    await Promise.all([server.running.tick(), twin?.tick(), server.running.tick(), twin?.tick()])
    let done = 0
    for (const job of jobs) {
      const over = await finish(job)
      assert.deepEqual([over.status, over.failed], ['succeeded', 0])
      done += over.done
    }
    assert.equal(done, 2000)
    assert.deepEqual([await contents(name), await rowsOf('trash', name)], [was, []])
    await assertExact(name)
  })

  it('takes a move back: what is still as it came, then what it overwrote, and nothing else', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = numbered('a/', 300)
    await fill(source, [...keys, 'other'])
    await fill(dest, ['b/0003', 'b/0004', 'b/own', 'c'])
    const was = [await asIs(source), await asIs(dest)] as const
    const moved = await run({
      ...{ kind: 'move', source_bucket: source, prefix: 'a/' },
      ...{ dest_bucket: dest, dest_prefix: 'b/' },
    })
    assert.deepEqual([counts(moved), moved.restorable], [succeeded(300), true])
    const at = (name: string, key: string) => ({ params: { name, key } })
    await server.admin.putObject({ ...at(dest, 'b/0000'), body: 'newer' })
    await server.admin.deleteObject(at(dest, 'b/0001'))
    await server.admin.moveObject({
      params: { name: dest },
      body: { source_bucket: dest, source_key: 'b/0002', dest_key: 'on' },
    })
    const { etag } = await server.admin.putObject({ ...at(dest, 'b/new'), body: 'new' })
    const back = await server.records(
      [
        // The last first, as it was done.
        ...keys
          .slice(3)
          .reverse()
          .map((key) => ({ action: 'move' as const, bucket: source, key })),
        ...['b/0003', 'b/0004'].map((key) => ({ action: 'restore' as const, bucket: dest, key })),
      ],
      () => restore(moved),
    )
    assert.deepEqual(
      [counts(back), back.kind, back.of, back.restorable, back.errors],
      [succeeded(299), 'restore', moved.id, false, []],
    )
    assert.deepEqual(
      [back.source_bucket, back.prefix, back.dest_bucket, back.dest_prefix, back.if_none_match],
      [dest, 'b/', source, 'a/', '*'],
    )
    const gone = keys.slice(0, 3)
    assert.deepEqual(
      await asIs(source),
      was[0].filter(({ key }) => !gone.includes(key)),
      'as they were, with their times',
    )
    assert.deepEqual(await keysOf(dest), ['b/0000', 'b/0003', 'b/0004', 'b/new', 'b/own', 'c', 'on'])
    assert.deepEqual(
      (await asIs(dest)).filter(({ key }) => was[1].some((one) => one.key === key)),
      was[1],
    )
    assert.equal((await contents(dest)).get('b/new'), etag)
    for (const name of [source, dest]) await assertExact(name)
    assert.equal((await get(moved.id)).restorable, false)
    await server.records([], async () => {
      await rejectsWith(create({ kind: 'restore', of: moved.id }), 'nothing_to_restore')
      await rejectsWith(create({ kind: 'restore', of: back.id }), 'conflict', 'body.of')
    })
  })

  itOnce('takes moves back that led through each other, also of named keys that lay anywhere', async () => {
    const deep = ['a/a/a/1', 'a/a/1', 'a/a/a/a/2', 'a/1', 'a/a/a/', '1', 'a', 'z', 'b/x']
    for (const [prefix, dest_prefix] of [
      ['a/', ''],
      ['a/', 'a/a/'],
      ['a/a/', 'a/'],
      ['a/', 'b/'],
    ] as const) {
      const name = await open()
      await fill(name, [...deep, ...numbered('a/many/', 300), ...numbered('a/a/many/', 300), 'a/a/many/0007x'])
      const was = await asIs(name)
      // Down into itself go only keys that are named.
      const down = dest_prefix.startsWith(prefix)
      const keys = down ? { keys: (await keysOf(name)).filter((key) => key.startsWith(prefix)) } : {}
      const moved = await run({ kind: 'move', source_bucket: name, prefix, dest_prefix, ...keys })
      assert.deepEqual([moved.status, moved.failed], ['succeeded', 0])
      assert.notDeepEqual(await asIs(name), was)
      const back = await restore(moved)
      assert.deepEqual([back.status, back.errors], ['succeeded', []], `${prefix} to ${dest_prefix}`)
      assert.deepEqual([await asIs(name), await rowsOf('trash', name)], [was, []])
      await assertExact(name)
    }
    const [source, dest] = [await open(), await open()]
    const keys = ['x/1', 'y/2', 'deep/er/3', '4', 'x/folder/']
    await fill(source, keys)
    const was = await asIs(source)
    const moved = await run({
      ...{ kind: 'move', source_bucket: source, keys, prefix: 'x/' },
      ...{ dest_bucket: dest, dest_prefix: 'in/' },
    })
    assert.deepEqual(await keysOf(dest), ['in/1', 'in/2', 'in/3', 'in/4', 'in/folder/'])
    assert.deepEqual(counts(await restore(moved)), succeeded(5))
    assert.deepEqual([await asIs(source), await keysOf(dest)], [was, []])
  })

  it('takes moves back that took the place of each other, one from under the other', async () => {
    const [source, dest] = [await open(), await open({ quota_gb: 20_000 / GIB })]
    const keys = [...numbered('x/', 1500), ...numbered('y/', 1500)]
    await fill(source, keys, () => 10)
    await fill(dest, ['in/0000'], () => 10)
    const was = [await asIs(source), await asIs(dest)]
    const moved = await run({
      ...{ kind: 'move', source_bucket: source, prefix: 'x/', keys },
      ...{ dest_bucket: dest, dest_prefix: 'in/' },
    })
    assert.deepEqual(counts(moved), succeeded(3000))
    assert.deepEqual([(await keysOf(dest)).length, (await rowsOf('trash', dest)).length], [1500, 1501])
    assert.equal((await contents(dest)).get('in/0000'), md5(`${source}/y/0000`))
    // What was moved back makes room for what it had taken the place of.
    await server.admin.updateBucket({ params: { name: dest }, body: { quota_gb: 15_000 / GIB } })
    assert.deepEqual(counts(await restore(moved)), succeeded(4501))
    assert.deepEqual([await asIs(source), await asIs(dest), await rowsOf('trash', dest)], [...was, []])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce(
    'takes a move back never over what is there, beyond a quota or a right; the same again does the rest',
    async () => {
      const [source, dest] = [await open(), await open()]
      await fill(source, numbered('a/', 6), () => 100)
      const grant = (bucket_pattern: string, ...actions: BucketAction[]) => ({ bucket_pattern, actions })
      const all = ['list', 'read', 'write', 'delete'] as const
      const [mover, other] = [
        await person(grant(source, 'list', 'read', 'delete'), grant(dest, ...all)),
        await person(grant(source, ...all), grant(dest, ...all)),
      ]
      const move = { kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket: dest } as const
      const moved = await run({ ...move, dest_prefix: 'b/' }, mover.client)
      await server.records([], () =>
        rejectsWith(create({ kind: 'restore', of: moved.id }, other.client), 'not_found').then(() => undefined),
      )
      await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
        const { problem } = await rejectsWith(create({ kind: 'restore', of: moved.id }, mover.client), 'forbidden')
        assert.match(problem.detail, /"write"/)
      })
      await server.admin.putObject({ params: { name: source, key: 'a/0002' }, body: 'newer' })
      await server.admin.updateBucket({ params: { name: source }, body: { quota_gb: 420 / GIB } })
      const full = await restore(moved)
      assert.deepEqual(
        [counts(full), codes(full)],
        [
          succeeded(4, 2),
          [
            ['b/0002', 'already_exists'],
            ['b/0000', 'quota_exceeded'],
          ],
        ],
      )
      assert.deepEqual(await keysOf(dest), ['b/0000', 'b/0002'])
      for (const name of [source, dest]) await assertExact(name)
      assert.ok((await get(moved.id)).restorable, 'what could not be done can be tried again')
      await server.admin.deleteObject({ params: { name: source, key: 'a/0002' }, query: { permanent: true } })
      await server.admin.updateBucket({ params: { name: source }, body: { quota_gb: null } })
      assert.deepEqual(counts(await restore(moved)), succeeded(2))
      assert.deepEqual([await keysOf(source), await keysOf(dest)], [numbered('a/', 6), []])

      // Where nothing is as it came there is nothing more to undo.
      const changed = await run({ ...move, dest_prefix: 'c/' })
      await run({ kind: 'empty_bucket', source_bucket: dest })
      const none = await server.records([], () => restore(changed))
      assert.deepEqual([counts(none), (await get(changed.id)).restorable], [succeeded(0), false])
      await fill(source, numbered('a/', 6), () => 100)

      // Where the destination is gone there is nothing to be found, in another bucket of its name neither.
      const again = await run({ ...move, dest_prefix: '' })
      await run({ kind: 'empty_bucket', source_bucket: dest })
      await server.admin.deleteBucket({ params: { name: dest } })
      assert.equal((await get(again.id)).restorable, false)
      await rejectsWith(create({ kind: 'restore', of: again.id }), 'not_found')
      await server.admin.createBucket({ body: { name: dest } })
      await rejectsWith(create({ kind: 'restore', of: again.id }), 'nothing_to_restore')
    },
  )

  it('takes a move back once, after a crash and where two do it side by side', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const was = await asIs(source)
    const move = { kind: 'move', source_bucket: source, dest_bucket: dest } as const
    const paused = await pause(await create({ kind: 'restore', of: (await run(move)).id }))
    const over = await paused.goOn()
    assert.deepEqual(counts(over), succeeded(3000))
    const done = (await recordsOf(over.id)).map(({ object_key }) => object_key)
    assert.deepEqual([done.length, new Set(done).size], [3000, 3000])
    assert.deepEqual([await asIs(source), await keysOf(dest)], [was, []])

    const moved = await run({ ...move, keys: numbered('a/', 600) })
    const jobs = await Promise.all([1, 2].map(() => create({ kind: 'restore', of: moved.id })))
    await Promise.all([server.running.tick(), twin?.tick(), server.running.tick(), twin?.tick()])
    let sum = 0
    for (const job of jobs) {
      const { status, failed, done } = await finish(job)
      assert.deepEqual([status, failed], ['succeeded', 0])
      sum += done
    }
    assert.equal(sum, 600)
    assert.deepEqual([await asIs(source), await keysOf(dest)], [was, []])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('takes what was moved back for a week', async () => {
    const name = await open()
    await fill(name, numbered('a/', 3))
    const moved = await run({ kind: 'move', source_bucket: name, prefix: 'a/', dest_prefix: 'b/' })
    const left = async () =>
      (await server.database.db.selectFrom('job_moves').select('position').where('job_id', '=', moved.id).execute())
        .length
    await server.later(7 * DAY - 60_000)
    await server.running.tick()
    assert.deepEqual([await left(), (await get(moved.id)).restorable], [3, true])
    await server.later(120_000)
    await server.running.tick()
    assert.deepEqual([await left(), (await get(moved.id)).restorable], [0, false])
    await rejectsWith(create({ kind: 'restore', of: moved.id }), 'nothing_to_restore')
  })

  itOnce('leaves out keys and folders', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, ['a/1', 'a/2', 'a/b/1', 'a/b/2', 'a/b', 'a/bc', 'a/c/d/1', 'a/c/1', 'x'])
    const exclude = ['a/2', 'a/b/', 'a/c/d/', 'absent', 'a/c']
    const job = await run({ kind: 'copy', source_bucket: source, prefix: 'a/', dest_bucket: dest, exclude })
    assert.deepEqual(counts(job), succeeded(4))
    assert.deepEqual(await keysOf(dest), ['a/1', 'a/b', 'a/bc', 'a/c/1'])
    await run({ kind: 'empty_bucket', source_bucket: source, exclude: ['a/', 'none'] })
    assert.deepEqual((await keysOf(source)).length, 8)
    // The prefix itself is but the marker of the folder.
    await fill(dest, ['a/', 'a/z/'])
    const kept = await run({ kind: 'delete', source_bucket: dest, prefix: 'a/', exclude: ['a/'] })
    assert.deepEqual(counts(kept), succeeded(5))
    assert.deepEqual(await keysOf(dest), ['a/'])
    // Also as many as may be named, beside many objects.
    await fill(source, numbered('many/', 2200))
    const most = [...numbered('many/', 2190), ...times(7810, (i) => `many/${i}/`)]
    const rest = await run({ kind: 'delete', source_bucket: source, prefix: 'many/', exclude: most })
    assert.deepEqual(counts(rest), succeeded(10))
    assert.equal((await keysOf(source)).length, 8 + 2190)
    await assertExact(source)
  })

  it('takes what a search finds under the prefix', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, [
      'a/Invoice 1',
      'a/x/INVOICE',
      'a/other',
      'invoice',
      'a/ab',
      'a/x/aB/1',
      'invoice/a/x',
      'a/100%',
    ])
    const found = async (search: string, more: Partial<NewJob> = {}) => {
      await run({ kind: 'empty_bucket', source_bucket: dest })
      const body = { kind: 'copy', source_bucket: source, prefix: 'a/', search, dest_bucket: dest, dest_prefix: '' }
      const job = await run({ ...body, ...more } as NewJob)
      assert.deepEqual([job.search, job.failed], [search, 0])
      return keysOf(dest)
    }
    assert.deepEqual(await found('invoice'), ['Invoice 1', 'x/INVOICE'])
    assert.deepEqual(await found('ab'), ['ab', 'x/aB/1'], 'shorter than the index knows')
    assert.deepEqual(await found('0%'), ['100%'])
    assert.deepEqual(await found('a/'), [], 'not in the prefix itself')
    assert.deepEqual(await found('invoice', { exclude: ['a/x/'] }), ['Invoice 1'])
    assert.deepEqual((await found('invoice', { prefix: '' })).length, 4)
    // More than one step of either kind finds.
    await fill(source, [...numbered('b/needle-', 2100), ...numbered('b/hay-', 2100)])
    const job = await run({ kind: 'delete', source_bucket: source, prefix: 'b/', search: 'needle' })
    assert.deepEqual(counts(job), succeeded(2100))
    const short = await run({ kind: 'delete', source_bucket: source, prefix: 'b/', search: 'Y-' })
    assert.deepEqual(counts(short), succeeded(2100))
    await assertExact(source)
  })

  itOnce('takes a list of keys, as long as may be', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = numbered('in/folder/', 3000)
    await fill(source, [...keys, 'in/other', 'top'])
    const job = await run({
      kind: 'copy',
      source_bucket: source,
      keys: [...keys.toReversed(), 'absent', 'top'],
      prefix: 'in/',
      dest_bucket: dest,
      dest_prefix: 'out/',
    })
    assert.deepEqual([counts(job), codes(job)], [succeeded(3001, 1), [['absent', 'not_found']]])
    const there = await contents(dest)
    assert.deepEqual([...there.keys()], [...numbered('out/folder/', 3000), 'out/top'])
    assert.equal(there.get('out/folder/0007'), md5(`${source}/in/folder/0007`))
    const some = await run({ kind: 'delete', source_bucket: source, keys, exclude: ['in/folder/0000'] })
    assert.deepEqual(counts(some), succeeded(2999))
    assert.deepEqual(await keysOf(source), ['in/folder/0000', 'in/other', 'top'])
    // Longest keys, as many as fit.
    const long = times(10_000, (i) => `${i}`.padEnd(1000, 'x'))
    await fill(source, long.slice(0, 5))
    const most = await run({ kind: 'delete', source_bucket: source, keys: long })
    assert.deepEqual([counts(most), most.errors.length], [succeeded(5, 9995), 100])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('moves selected keys of the top of a bucket into a folder of it', async () => {
    const name = await open()
    await fill(name, ['1', '2', '3', 'y/1'])
    const job = await run({ kind: 'move', source_bucket: name, keys: ['1', '2'], dest_prefix: 'y/' })
    assert.deepEqual(counts(job), succeeded(2))
    assert.deepEqual(await keysOf(name), ['3', 'y/1', 'y/2'])
    assert.equal((await contents(name)).get('y/1'), md5(`${name}/1`))
    assert.deepEqual(
      (await rowsOf('trash', name)).map(({ etag }) => etag),
      [md5(`${name}/y/1`)],
    )
    await assertExact(name)
  })

  it('puts what it replaces into the trash, or leaves it alone', async () => {
    for (const kind of ['copy', 'move'] as const) {
      const [source, dest] = [await open(), await open()]
      await fill(source, ['a/1', 'a/2', 'a/3'])
      await fill(dest, ['1', '2', 'other'])
      const body = { kind, source_bucket: source, prefix: 'a/', dest_bucket: dest, dest_prefix: '' }
      const careful = await run({ ...body, if_none_match: '*' })
      assert.deepEqual(
        [counts(careful), codes(careful)],
        [
          succeeded(1, 2),
          [
            ['a/1', 'precondition_failed'],
            ['a/2', 'precondition_failed'],
          ],
        ],
      )
      const here = (key: string) => md5(`${dest}/${key}`)
      const from = (key: string) => md5(`${source}/a/${key}`)
      const expected = { '1': here('1'), '2': here('2'), '3': from('3'), other: here('other') }
      assert.deepEqual(Object.fromEntries(await contents(dest)), expected)
      assert.deepEqual(await rowsOf('trash', dest), [])
      const job = await run(body)
      assert.deepEqual(counts(job), succeeded(kind === 'move' ? 2 : 3))
      assert.deepEqual(Object.fromEntries(await contents(dest)), {
        '1': from('1'),
        '2': from('2'),
        '3': from('3'),
        other: here('other'),
      })
      const trash = await server.admin.listTrash({ params: { name: dest } })
      assert.deepEqual(trash.items.map(({ key, reason }) => [key, reason]).sort(), [
        ['1', 'overwritten'],
        ['2', 'overwritten'],
        ...(kind === 'move' ? [] : [['3', 'overwritten']]),
      ])
      for (const { details, object_key } of await recordsOf(job.id)) {
        const { replaced, trash_id } = JSON.parse(details)
        assert.deepEqual([replaced, trash.items.some(({ id }) => id === trash_id)], [true, true], object_key ?? '')
      }
      assert.deepEqual(await keysOf(source), kind === 'move' ? [] : ['a/1', 'a/2', 'a/3'])
      for (const name of [source, dest]) await assertExact(name)
    }
  })

  /**
   * What a folder's copy or move must come to: every object as it was before goes to its new key, however the two
   * folders lie in each other.
   */
  const model = (was: Map<string, string>, kind: 'copy' | 'move', prefix: string, dest: string) => {
    const chosen = [...was].filter(([key]) => key.startsWith(prefix))
    const result = new Map(was)
    if (kind === 'move') for (const [key] of chosen) result.delete(key)
    for (const [key, etag] of chosen) result.set(dest + key.slice(prefix.length), etag)
    return new Map([...result].sort(([a], [b]) => byBytes(a, b)))
  }
  /** Names that come before and after those of folders, so that no order of keys is right by chance. */
  const nested = (tops: readonly string[], n: number) =>
    tops.flatMap((top) => [...numbered(top, n / 2), ...numbered(`${top}z`, n / 2)])
  for (const [i, [kind, prefix, dest, n, tops]] of (
    [
      ['move', 'a/', '', 160, ['a/', 'a/a/', 'a/a/a/', 'a/b/', '', 'b/', 'a0']],
      ['move', 'a/b/', 'a/', 160, ['a/', 'a/b/', 'a/b/b/', 'a/b/b/b/x/', 'a/b/a/b/', 'b/']],
      ['move', 'a/', 'a', 160, ['a/', 'a//', 'a///', 'ab', 'a']],
      ['move', 'a/b/', 'c/', 100, ['a/b/', 'a/', 'c/', 'c/b/', 'a/b/c/']],
      // More on a level than are done in the first step.
      ['copy', 'a/', 'a/b/', 600, ['a/', 'a/b/', 'a/b/b/']],
      ['copy', 'a/', 'a/b/', 100, ['a/', 'a/b/', 'a/b/b/', 'a/b/b/b/c/', 'a/a/', 'a/zz/']],
      ['copy', 'a/', '', 600, ['a/', 'a/a/', '']],
      ['copy', 'a/', '', 100, ['a/', 'a/a/', 'a/a/a/', 'a/b/', 'b/', '']],
      ['copy', '', 'a/', 100, ['', 'a/', 'a/a/', 'b/', 'a/b/']],
      ['copy', 'a/', 'c/', 100, ['a/', 'c/', 'a/c/', 'c/a/']],
    ] as const
  ).entries())
    (i % 3 === 0 ? it : itOnce)(
      `comes to the right end: ${kind} of "${prefix}" to "${dest}", ${n} of the same names on every level`,
      async () => {
        const name = await open()
        await fill(name, nested(tops, n))
        const was = await contents(name)
        const chosen = [...was.keys()].filter((key) => key.startsWith(prefix)).length
        const job = await run({ kind, source_bucket: name, prefix, dest_prefix: dest })
        assert.deepEqual(counts(job), succeeded(chosen))
        const expected = model(was, kind, prefix, dest)
        const is = await contents(name)
        const wrong = [...expected].filter(([key, etag]) => is.get(key) !== etag).map(([key]) => key)
        assert.deepEqual([wrong.slice(0, 5), is.size], [[], expected.size], `${wrong.length} are wrong`)
        // What is not there any more was overwritten, and is in the trash.
        const kept = new Set(expected.values())
        const lost = [...was.values()].filter((etag) => !kept.has(etag))
        const trash = (await rowsOf('trash', name)).map(({ etag }) => etag)
        for (const etag of lost) assert.ok(trash.includes(etag))
        if (kind === 'move') assert.deepEqual(trash.sort(), lost.sort())
        assert.equal((await recordsOf(job.id)).length, chosen)
        await assertExact(name)
      },
    )

  itOnce('moves named keys level by level too', async () => {
    const name = await open()
    const keys = nested(['a/', 'a/b/', 'a/b/b/'], 600)
    await fill(name, [...keys, 'x'])
    const was = await contents(name)
    const job = await run({ kind: 'move', source_bucket: name, keys, prefix: 'a/', dest_prefix: 'a/b/' })
    assert.deepEqual([counts(job), codes(job)], [succeeded(1800), []])
    assert.deepEqual(await contents(name), model(was, 'move', 'a/', 'a/b/'))
    const back = await run({
      kind: 'move',
      source_bucket: name,
      keys: (await keysOf(name)).filter((key) => key !== 'x').reverse(),
      prefix: 'a/b/',
      dest_prefix: 'a/',
    })
    assert.deepEqual([counts(back), codes(back)], [succeeded(1800), []])
    assert.deepEqual([await contents(name), await rowsOf('trash', name)], [was, []])
    await assertExact(name)
  })

  itOnce('moves up the deepest nest there can be', async () => {
    const name = await open()
    const step = 'abcdefghi/'
    const deepest = step.repeat(102)
    await fill(name, times(102, (i) => `${step.repeat(i + 1)}x`).concat(`${deepest}yy`))
    const was = await contents(name)
    const job = await run({ kind: 'move', source_bucket: name, prefix: step, dest_prefix: '' })
    assert.deepEqual(counts(job), succeeded(103))
    assert.deepEqual(await contents(name), model(was, 'move', step, ''))
    assert.deepEqual(await rowsOf('trash', name), [])
    // And down, where the keys of the lowest become too long.
    await fill(name, [`${deepest}zz`])
    const down = await run({ kind: 'copy', source_bucket: name, prefix: '', dest_prefix: step })
    assert.deepEqual([down.failed, codes(down)], [1, [[`${deepest}zz`, 'invalid_request']]])
    await assertExact(name)
  })

  itOnce('goes on where single objects cannot be done, and keeps the first hundred reasons', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, [...numbered('in/', 150), ...numbered('out/', 150)])
    const grants: Grants = [
      { bucket_pattern: source, actions: ['list', 'read'] },
      { bucket_pattern: source, prefix: 'in/', actions: ['delete'] },
      { bucket_pattern: dest, prefix: 'in/00', actions: ['write'] },
    ]
    const { client } = await person(...grants)
    const deleting = await run(
      { kind: 'delete', source_bucket: source, prefix: '', exclude: numbered('in/', 145) },
      client,
    )
    assert.deepEqual(counts(deleting), succeeded(5, 150))
    assert.equal(deleting.errors.length, 100)
    assert.deepEqual(codes(deleting).slice(0, 1), [['out/0000', 'forbidden']])
    assert.match(deleting.errors[0]?.detail ?? '', /"delete" on key "out\/0000"/)
    assert.equal((await recordsOf(deleting.id)).length, 5)
    const copying = await run({ kind: 'copy', source_bucket: source, dest_bucket: dest }, client)
    assert.deepEqual(counts(copying), succeeded(100, 195))
    assert.deepEqual(await keysOf(dest), numbered('in/', 100))
    // Nothing at all can be done.
    const refused = await server.records([], () =>
      run({ kind: 'delete', source_bucket: source, keys: numbered('out/', 150) }, client),
    )
    assert.deepEqual(counts(refused), succeeded(0, 150))
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('sees only what its creator may list', async () => {
    const name = await open()
    await fill(name, [...numbered('in/', 5), ...numbered('secret/', 5)])
    const { client } = await person({ bucket_pattern: name, prefix: 'in/', actions: ['list', 'delete'] })
    const job = await run({ kind: 'empty_bucket', source_bucket: name }, client)
    assert.deepEqual([counts(job), job.errors], [succeeded(5), []])
    assert.deepEqual(await keysOf(name), numbered('secret/', 5))
  })

  it('fails the items a quota has no room for', async () => {
    const source = await open()
    await fill(source, numbered('a/', 10), (key) => (key === 'a/0003' ? 500 : 100))
    for (const kind of ['copy', 'move'] as const) {
      const dest = await open({ quota_gb: 750 / GIB })
      await fill(dest, ['0000'], () => 150)
      const job = await run({ kind, source_bucket: source, prefix: 'a/', dest_bucket: dest, dest_prefix: '' })
      // Six and a half hundred are free beside the one that is replaced; the large one never fits after three.
      assert.deepEqual(counts(job), succeeded(7, 3))
      assert.deepEqual(codes(job), [
        ['a/0003', 'quota_exceeded'],
        ['a/0008', 'quota_exceeded'],
        ['a/0009', 'quota_exceeded'],
      ])
      for (const name of [source, dest]) await assertExact(name)
      if (kind === 'move') assert.deepEqual(await keysOf(source), ['a/0003', 'a/0008', 'a/0009'])
    }
    const full = await open({ quota_gb: 300 / GIB })
    await fill(full, ['a/1', 'a/2'], () => 150)
    assert.deepEqual(
      counts(await run({ kind: 'copy', source_bucket: full, prefix: 'a/', dest_prefix: 'b/' })),
      succeeded(0, 2),
    )
    assert.deepEqual(
      counts(await run({ kind: 'move', source_bucket: full, prefix: 'a/', dest_prefix: 'b/' })),
      succeeded(2),
    )
    await assertExact(full)
  })

  itOnce('shows itself growing while it runs, to its creator and administrators alone', async () => {
    const name = await open()
    const keys = numbered('a/', 3000)
    await fill(name, keys)
    const grant = { bucket_pattern: name, actions: ['list' as const, 'delete' as const] }
    const [alice, bob] = [await person(grant), await person(grant)]
    const job = await create({ kind: 'delete', source_bucket: name, prefix: 'a/' }, alice.client)
    assert.deepEqual(
      [job.status, job.total, job.done, job.started_at, job.finished_at],
      ['queued', null, 0, null, null],
    )
    const seen: Job[] = []
    await until(async () => {
      seen.push(await get(job.id, seen.length % 2 ? server.admin : alice.client))
      return isOver(seen.at(-1) as Job)
    })
    for (const [i, now] of seen.entries()) {
      const before = seen[i - 1] ?? job
      assert.ok(now.done >= before.done && now.failed === 0, 'it never goes back')
      assert.ok(now.total === null || now.total === 3000, 'the total is told when it is known')
      assert.ok(before.total === null || now.total !== null)
      assert.ok(now.total !== null || now.done === 0)
      const order = ['queued', 'running', 'succeeded']
      assert.ok(order.indexOf(now.status) >= order.indexOf(before.status))
    }
    assert.ok(new Set(seen.map(({ done }) => done)).size > 2, 'it was seen on its way')
    assert.deepEqual(counts(seen.at(-1) as Job), succeeded(3000))
    await server.records([], async () => {
      await rejectsWith(get(job.id, bob.client), 'not_found')
      await rejectsWith(bob.client.cancelJob({ params: { id: job.id } }), 'not_found')
    })
    const mine = await run({ kind: 'delete', source_bucket: name, prefix: 'none/' }, bob.client)
    const ids = async (who: Client, query = {}) => (await who.listJobs({ query })).items.map(({ id }) => id)
    assert.deepEqual(await ids(alice.client), [job.id])
    assert.deepEqual(await ids(bob.client), [mine.id])
    assert.deepEqual((await ids(server.admin)).slice(0, 2), [mine.id, job.id])
    assert.deepEqual(await ids(alice.client, { status: 'failed' }), [])
    assert.deepEqual(await ids(alice.client, { status: 'succeeded' }), [job.id])
    const first = await server.admin.listJobs({ query: { limit: 1 } })
    const second = await server.admin.listJobs({ query: { limit: 1, cursor: first.next_cursor ?? '' } })
    assert.deepEqual(
      [...first.items, ...second.items].map(({ id }) => id),
      [mine.id, job.id],
    )
    await rejectsWith(server.admin.listJobs({ query: { cursor: 'x' } }), 'invalid_request', 'query.cursor')
    // Asked to cancel, a job that is over stays as it is.
    assert.deepEqual(await alice.client.cancelJob({ params: { id: job.id } }), await get(job.id))
  })

  itOnce('stops when it is cancelled: what is done stays done, the rest is untouched', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = numbered('a/', 3000)
    await fill(source, keys)
    const job = await create({ kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket: dest })
    await midway(job)
    await server.admin.cancelJob({ params: { id: job.id } })
    const cancelled = await finish(job)
    assert.equal(cancelled.status, 'cancelled')
    assert.ok(cancelled.finished_at !== null && cancelled.done > 0 && cancelled.done < 3000, `${cancelled.done}`)
    const [left, there] = [await keysOf(source), await keysOf(dest)]
    assert.deepEqual([there.length, left.length], [cancelled.done, 3000 - cancelled.done])
    assert.deepEqual([...there, ...left].sort(byBytes), keys)
    assert.equal((await recordsOf(job.id)).length, cancelled.done)
    await server.running.tick()
    assert.deepEqual(await get(job.id), cancelled)
    assert.deepEqual(await server.database.db.selectFrom('job_items').selectAll().execute(), [])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('cancels at once what nobody has begun with', async () => {
    const name = await open()
    await fill(name, numbered('a/', 3))
    // It begins with no job: it only answers.
    const web = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent', PORT: '0' }), {
      ...{ role: 'web', now: server.clock.now, timers: false },
    })
    try {
      const client = createClient({ baseUrl: web.url, token: server.adminToken })
      const job = await create({ kind: 'empty_bucket', source_bucket: name }, client)
      const cancelled = await server.admin.cancelJob({ params: { id: job.id } })
      assert.deepEqual(
        [job.status, cancelled.status, cancelled.started_at, cancelled.finished_at !== null, cancelled.done],
        ['queued', 'cancelled', null, true, 0],
      )
      await server.running.tick()
      assert.deepEqual(await get(job.id), cancelled)
      assert.equal((await keysOf(name)).length, 3)
    } finally {
      await web.stop()
    }
  })

  it('goes on after a failure that passes', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const sqls = (texts: string[]) =>
      server.database.transaction(async (tx) => {
        for (const text of texts) await sql.raw(text).execute(tx)
      })
    const paused = await pause(await create({ kind: 'copy', source_bucket: source, dest_bucket: dest }))
    await sqls(
      engine === 'sqlite'
        ? ["create trigger refuse before insert on audit_recent begin select raise(abort, 'no'); end"]
        : [
            "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
            'create trigger refuse before insert on audit_recent for each row execute function refuse()',
          ],
    )
    const over = paused.goOn()
    await setTimeout(300)
    assert.equal((await get(paused.id)).done, paused.done)
    await sqls([engine === 'sqlite' ? 'drop trigger refuse' : 'drop trigger refuse on audit_recent'])
    assert.deepEqual(counts(await over), succeeded(3000))
    const keys = (await recordsOf(paused.id)).map(({ object_key }) => object_key)
    assert.deepEqual([keys.length, new Set(keys).size], [3000, 3000])
    await assertExact(dest)
  })

  it('bears that objects come and go meanwhile', async () => {
    const name = await open()
    const keys = numbered('a/', 3000)
    await fill(name, keys)
    const job = await create({ kind: 'move', source_bucket: name, prefix: 'a/', dest_prefix: 'b/' })
    const paused = await pause(job)
    const late = keys.slice(-20)
    await server.admin.bulkDelete({ params: { name }, body: { keys: late } })
    await server.admin.putObject({ params: { name, key: 'a/0000' }, body: 'came later' })
    await server.admin.putObject({ params: { name, key: 'a/new' }, body: 'came later' })
    const replaced = keys.at(-30) ?? ''
    const { etag } = await server.admin.putObject({ params: { name, key: replaced }, body: 'another' })
    await server.admin.putObject({ params: { name, key: 'b/2000' }, body: 'in its way' })
    const done = await paused.goOn()
    assert.deepEqual([counts(done), done.changed], [succeeded(2979, 21), 1])
    assert.deepEqual(
      new Map(codes(done) as [string, string][]),
      new Map([[replaced, 'changed'], ...late.map((key) => [key, 'not_found'] as [string, string])]),
    )
    const is = await contents(name)
    assert.deepEqual(
      [...is.keys()].filter((key) => key.startsWith('a/')),
      ['a/0000', replaced, 'a/new'],
    )
    assert.equal(is.get(replaced), etag, 'it takes what it listed')
    assert.equal(is.get('b/2000'), md5(`${name}/a/2000`))
    assert.equal((await recordsOf(job.id)).length, 2979)
    await assertExact(name)
  })

  /** Begins a job over 3000 objects and changes three of them behind its back: contents, metadata, deleted and made again. */
  const overtaken = async (body: Omit<NewJob, 'source_bucket'>) => {
    const name = await open({ trash_days: 0 })
    const keys = numbered('a/', 3000)
    await fill(name, keys)
    const job = await create({ ...body, source_bucket: name })
    const paused = await pause(job)
    server.clock.advance(1000)
    const [put, described, anew, gone] = keys.slice(-4) as [string, string, string, string]
    for (const key of [anew, gone]) await server.admin.deleteObject({ params: { name, key } })
    for (const key of [put, anew]) await server.admin.putObject({ params: { name, key }, body: `new ${key}` })
    await server.admin.updateObject({ params: { name, key: described }, body: { content_type: 'text/new' } })
    return { name, keys, job, paused, changed: [put, described, anew], gone }
  }
  const texts = async (name: string, keys: readonly string[]) =>
    Promise.all(keys.map(async (key) => (await server.admin.getObject({ params: { name, key } })).text()))

  for (const [kind, dest] of [
    ['delete', {}],
    ['empty_bucket', {}],
    ['copy', { dest_prefix: 'b/' }],
    ['move', { dest_prefix: 'b/' }],
  ] as const)
    (kind === 'delete' || kind === 'move' ? it : itOnce)(
      `leaves alone what has changed since it was listed: ${kind}`,
      async () => {
        const { name, keys, job, paused, changed, gone } = await overtaken({
          kind,
          ...(kind === 'empty_bucket' ? {} : { prefix: 'a/' }),
          ...dest,
        })
        const done = await paused.goOn()
        assert.deepEqual([counts(done), done.changed], [succeeded(2996, 4), 3])
        assert.deepEqual(
          new Map(codes(done) as [string, string][]),
          new Map([...changed.map((key) => [key, 'changed'] as [string, string]), [gone, 'not_found']]),
        )
        const [put, described, anew] = changed as [string, string, string]
        assert.deepEqual(await texts(name, [put, anew]), [`new ${put}`, `new ${anew}`])
        assert.equal((await server.admin.headObject({ params: { name, key: described } })).status, 200)
        const is = await keysOf(name)
        assert.deepEqual(
          is.filter((key) => key.startsWith('a/')),
          kind === 'copy' ? keys.slice(0, -1) : changed,
        )
        assert.equal(is.filter((key) => key.startsWith('b/')).length, kind === 'copy' || kind === 'move' ? 2996 : 0)
        assert.equal((await recordsOf(job.id)).length, 2996)
        await assertExact(name)
        if (kind !== 'move') return
        // What stayed is in the way of nothing, and is not touched by the way back either.
        const back = await run({ kind: 'restore', of: job.id })
        assert.deepEqual(counts(back), succeeded(2996))
        assert.deepEqual(await keysOf(name), keys.slice(0, -1))
        assert.deepEqual(await texts(name, [put, anew]), [`new ${put}`, `new ${anew}`])
        await assertExact(name)
      },
    )

  itOnce('leaves alone what came under a named key after it looked', async () => {
    const name = await open()
    const keys = numbered('a/', 3000)
    await fill(name, keys.slice(0, -2))
    const [came, none] = keys.slice(-2) as [string, string]
    const paused = await pause(await create({ kind: 'delete', source_bucket: name, keys }))
    await server.admin.putObject({ params: { name, key: came }, body: 'new' })
    const done = await paused.goOn()
    assert.deepEqual([counts(done), done.changed], [succeeded(2998, 2), 1])
    assert.deepEqual(codes(done).toSorted(), [
      [came, 'changed'],
      [none, 'not_found'],
    ])
    assert.deepEqual(await keysOf(name), [came])
  })

  itOnce('goes on with what the release before wrote down, by keys', async () => {
    const { name, paused, changed, gone } = await overtaken({ kind: 'delete', prefix: 'a/' })
    await server.database.transaction((tx) =>
      tx.updateTable('job_items').set({ blob_id: null, last_modified: null }).where('job_id', '=', paused.id).execute(),
    )
    const done = await paused.goOn()
    assert.deepEqual([counts(done), done.changed], [succeeded(2999, 1), 0])
    assert.deepEqual(codes(done), [[gone, 'not_found']])
    assert.deepEqual(
      (await keysOf(name)).filter((key) => changed.includes(key)),
      [],
    )
    await assertExact(name)
  })

  itOnce('ends with the account of its creator, and loses what they lose', async () => {
    const [first, second] = [await open(), await open()]
    for (const name of [first, second]) await fill(name, numbered('a/', 3000))
    const [alice, bob] = [
      await person({ bucket_pattern: first, actions: ['list', 'delete'] }),
      await person({ bucket_pattern: second, actions: ['list', 'delete'] }),
    ]
    const ended = await create({ kind: 'empty_bucket', source_bucket: first }, alice.client)
    await midway(ended)
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: false } })
    const failed = await finish(ended)
    assert.equal(failed.status, 'failed')
    assert.ok(failed.detail && failed.done > 0 && failed.done < 3000, JSON.stringify(failed))
    assert.equal((await keysOf(first)).length, 3000 - failed.done)
    assert.equal((await recordsOf(ended.id)).length, failed.done)
    assert.deepEqual(await server.database.db.selectFrom('job_items').selectAll().execute(), [])
    // It does not come to life again with the account.
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: true } })
    await server.running.tick()
    assert.deepEqual(await get(ended.id), failed)

    const poorer = await create({ kind: 'empty_bucket', source_bucket: second }, bob.client)
    await midway(poorer)
    const grants = [{ bucket_pattern: second, actions: ['list' as const] }]
    await server.admin.updateGroup({ params: { id: bob.groupId }, body: { grants } })
    const rest = await finish(poorer)
    assert.deepEqual([rest.status, rest.total, rest.done + rest.failed], ['succeeded', 3000, 3000])
    assert.ok(rest.done > 0 && rest.failed > 0)
    assert.ok(rest.errors.length === 100 && rest.errors.every(({ code }) => code === 'forbidden'))
    assert.equal((await keysOf(second)).length, rest.failed)
    for (const name of [first, second]) await assertExact(name)
  })

  itOnce('ends with the token it was begun with', async () => {
    const name = await open()
    await fill(name, numbered('a/', 3000))
    const token = await server.admin.createToken({ body: { name: 'cleaner' } })
    server.secrets.add(token.token)
    const ended = await create({ kind: 'empty_bucket', source_bucket: name }, server.as(token.token))
    await midway(ended)
    await server.admin.revokeToken({ params: { id: token.id } })
    const failed = await finish(ended)
    assert.equal(failed.status, 'failed')
    assert.match(failed.detail ?? '', /token/)
    assert.equal((await keysOf(name)).length, 3000 - failed.done)
    await assertExact(name)
  })

  it('fails when its bucket goes', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const job = await create({ kind: 'copy', source_bucket: source, dest_bucket: dest })
    await midway(job)
    // As a person would have to: empty it first, again and again.
    await until(async () => {
      const { items } = await server.admin.listObjects({ params: { name: dest }, query: { limit: 1000 } })
      if (items.length > 0)
        await server.admin.bulkDelete({ params: { name: dest }, body: { keys: items.map(({ key }) => key) } })
      return server.admin.deleteBucket({ params: { name: dest } }).then(
        () => true,
        () => false,
      )
    })
    const over = await finish(job)
    if (over.status === 'failed') assert.match(over.detail ?? '', new RegExp(`no bucket "${dest}"`))
    else assert.deepEqual(counts(over), succeeded(3000))
    assert.equal((await recordsOf(job.id)).length, over.done)
    await assertExact(source)
  })

  it('works on several side by side, each object once', async () => {
    await server.running.tick()
    const source = await open()
    await fill(source, numbered('a/', 800))
    const dests = [await open(), await open(), await open(), await open()]
    const jobs = await Promise.all(
      dests.map((dest_bucket) => create({ kind: 'copy', source_bucket: source, dest_bucket })),
    )
    await Promise.all([server.running.tick(), twin?.tick(), server.running.tick(), twin?.tick()])
    for (const [i, job] of jobs.entries()) {
      assert.deepEqual(counts(await finish(job)), succeeded(800))
      const keys = (await recordsOf(job.id)).map(({ object_key }) => object_key)
      assert.deepEqual([keys.length, new Set(keys).size], [800, 800])
      await assertExact(dests[i] ?? '')
    }
    // Two moves of the same objects: each is moved by one of them.
    const rivals = await Promise.all(
      dests
        .slice(0, 2)
        .map((dest_bucket) =>
          create({ kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket, dest_prefix: 'moved/' }),
        ),
    )
    const [one, other] = [await finish(rivals[0] as Job), await finish(rivals[1] as Job)]
    assert.equal(one.done + other.done, 800)
    assert.ok([...one.errors, ...other.errors].every(({ code }) => code === 'not_found'))
    assert.deepEqual(await keysOf(source), [])
    for (const name of [source, ...dests]) await assertExact(name)
  })

  it('leaves a job to who has it, and takes it over when that has been silent for a minute', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const services = [server.running, ...(twin ? [twin] : [])]
    const job = await create({ kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket: dest })
    // As if another process had it and were then stopped for ever. The one that is at it must notice.
    const { goOn: _, ...stopped } = await pause(job)
    assert.equal(stopped.status, 'running')
    for (const service of services) await service.tick()
    await server.later(59_000)
    await Promise.all(services.map((service) => service.tick()))
    assert.deepEqual(await get(job.id), stopped, 'nobody touches it')
    await server.later(2000)
    await Promise.all(services.map((service) => service.tick()))
    const over = await finish(job)
    assert.deepEqual([counts(over), over.started_at], [succeeded(3000), stopped.started_at])
    const keys = (await recordsOf(job.id)).map(({ object_key }) => object_key)
    assert.deepEqual([keys.length, new Set(keys).size], [3000, 3000], 'nothing was done twice')
    assert.deepEqual([await keysOf(source), (await keysOf(dest)).length], [[], 3000])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('does not wait for a lease from before the clock was put back', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const job = await create({ kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket: dest })
    const { goOn: _, ...stopped } = await pause(job)
    assert.equal(stopped.status, 'running')
    const leased_until = new Date(server.clock.now().getTime() + 24 * 3600_000).toISOString()
    await server.database.transaction((tx) =>
      tx.updateTable('jobs').set({ leased_until }).where('id', '=', job.id).execute(),
    )
    await server.running.tick()
    assert.deepEqual(counts(await finish(job)), succeeded(3000))
  })

  if (engine === 'postgres')
    it('is given on at once by a service that ends', async () => {
      const config = readConfig({ ...server.env, LOG_LEVEL: 'silent' })
      const leaving = await start(config, { now: server.clock.now, timers: false })
      const there = createClient({ baseUrl: leaving.url, token: () => server.adminToken })
      const [source, dest] = [await open(), await open()]
      await fill(source, numbered('a/', 3000))
      const job = await create({ kind: 'copy', source_bucket: source, dest_bucket: dest }, there)
      await midway(job)
      await leaving.stop()
      const left = await get(job.id)
      assert.ok(left.status === 'running' && left.done < 3000, JSON.stringify(left))
      await server.running.tick()
      assert.deepEqual(counts(await get(job.id)), succeeded(3000))
      const keys = (await recordsOf(job.id)).map(({ object_key }) => object_key)
      assert.deepEqual([keys.length, new Set(keys).size], [3000, 3000])
      await assertExact(dest)
    })

  it('lets nobody have more than a hundred that are not over, however many ask at once', async () => {
    const source_bucket = await open()
    const { id: created_by, client } = await person({ bucket_pattern: source_bucket, actions: ['delete'] })
    const { id } = await run({ kind: 'empty_bucket', source_bucket })
    const of = server.database.db.selectFrom('jobs').selectAll()
    const row = await of.where('id', '=', id).executeTakeFirstOrThrow()
    // As if others were at them.
    const held = { runner: newId(), leased_until: new Date(server.clock.now().getTime() + 60_000).toISOString() }
    const ids = times(99, () => newId())
    const rows = ids.map((one) => ({
      ...row,
      id: one,
      status: 'running' as const,
      created_by,
      finished_at: null,
      ...held,
    }))
    await server.database.transaction((tx) => tx.insertInto('jobs').values(rows).execute())
    const body = { kind: 'delete', source_bucket, prefix: 'a/' } as const
    const attempt = () =>
      create(body, client).then(
        () => 'ok',
        ({ problem }) => problem.code as string,
      )
    const hundredth = { ...rows[0], id: newId() } as (typeof rows)[number]
    await server.database.transaction((tx) => tx.insertInto('jobs').values(hundredth).execute())
    assert.deepEqual(new Set(await Promise.all(times(10, attempt))), new Set(['limit_reached']))
    // It is each person's own limit.
    await finish(await create(body))
    await server.database.transaction((tx) => tx.deleteFrom('jobs').where('id', '=', hundredth.id).execute())
    if (engine === 'postgres') {
      const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // The bucket lets none of them end while it is held.
      const holding = server.database.transaction(async (tx) => {
        await tx.selectFrom('buckets').select('id').where('name', '=', source_bucket).forUpdate().execute()
        held.resolve()
        await released.promise
      })
      await held.promise
      const answers = await Promise.all(times(10, attempt))
      released.resolve()
      await holding
      assert.equal(answers.filter((one) => one === 'ok').length, 1, answers.join())
    } else assert.equal(await attempt(), 'ok')
    await server.database.transaction((tx) => tx.deleteFrom('jobs').where('id', 'in', ids).execute())
    await finish(await create(body, client))
  })

  itOnce('keeps no list of keys longer than until it has listed them', async () => {
    const source_bucket = await open()
    const keys = numbered('a/', 3000)
    await fill(source_bucket, keys)
    const selectionOf = async (id: string) =>
      (await server.database.db.selectFrom('jobs').select('selection').where('id', '=', id).executeTakeFirstOrThrow())
        .selection
    const paused = await pause(await create({ kind: 'delete', source_bucket, keys, exclude: ['a/0000'] }))
    assert.equal(await selectionOf(paused.id), '{}')
    assert.deepEqual(counts(await paused.goOn()), succeeded(2999))
    assert.deepEqual(await keysOf(source_bucket), ['a/0000'])
    const queued = {
      ...(await server.database.db
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', paused.id)
        .executeTakeFirstOrThrow()),
    }
    const id = newId()
    await server.database.transaction((tx) =>
      tx
        .insertInto('jobs')
        .values({
          ...queued,
          id,
          status: 'queued',
          selection: JSON.stringify({ keys }),
          listed_at: null,
          finished_at: null,
        })
        .execute(),
    )
    await server.admin.cancelJob({ params: { id } })
    assert.equal(await selectionOf(id), '{}')
  })

  it('is forgotten a month after its end', async () => {
    const name = await open()
    const job = await run({ kind: 'empty_bucket', source_bucket: name })
    await server.later(30 * DAY - 1000)
    await server.running.tick()
    assert.deepEqual(await get(job.id), job)
    await server.later(2000)
    await server.running.tick()
    await rejectsWith(get(job.id), 'not_found')
    assert.deepEqual((await server.admin.listJobs()).items, [])
  })
})
