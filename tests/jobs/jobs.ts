import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Client } from '../../client/derived.ts'
import type { Job } from '../../contract/jobs.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import type { Tx } from '../../server/db/schema.ts'
import { type Running, start } from '../../server/process/start.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

export const GIB = 1024 ** 3

export const DAY = 86_400_000

export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

export const numbered = (prefix: string, n: number) => times(n, (i) => `${prefix}${String(i).padStart(4, '0')}`)

export const md5 = (text: string) => createHash('md5').update(text).digest('hex')

export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

export const isOver = ({ status }: Job) => !['queued', 'running'].includes(status)

export type NewJob = Parameters<Client['createJob']>[0]['body']

export type Grants = Parameters<TestServer['userWith']>

/** The service of a suite, started before and stopped after it, and what its cases ask of it. */
export function jobsWorld(engine: Engine) {
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
  /** Each key in a bucket, with its ETag. */
  const contents = async (name: string): Promise<Map<string, string>> =>
    new Map((await rowsOf('objects', name)).map(({ key, etag }) => [key, etag]))
  const keysOf = async (name: string) => [...(await contents(name)).keys()]
  /** Asserts that what is counted is what is there. */
  const assertExact = async (name: string): Promise<void> => {
    const sum = (rows: { size: number }[]) => rows.reduce((total, { size }) => total + size, 0)
    const objects = await rowsOf('objects', name)
    const trash = await rowsOf('trash', name)
    const bucket = await server.admin.getBucket({ params: { bucket: name } })
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
  /** Waits until the job has started on its objects but not finished. */
  const midway = async ({ id }: Job): Promise<Job> => {
    let job: Job | undefined
    await until(async () => {
      job = await get(id)
      assert.ok(!isOver(job), `it was over too soon: ${JSON.stringify(job)}`)
      return job.done + job.failed > 0
    })
    return job as Job
  }
  /** Takes a job away from its runner, which must then release it; returns a function that lets it continue. */
  const pause = async (job: Job) => {
    const set = (tx: Tx, runner: string | null, leased_until: string | null) =>
      tx.updateTable('jobs').set({ runner, leased_until }).where('id', '=', job.id).execute()
    // In the transaction that sees its first progress, and at every turn: asked every 20 ms, it was sometimes through.
    const seize = () =>
      server.database.transaction(async (tx) => {
        const open = tx.selectFrom('jobs').select(['done', 'failed']).where('id', '=', job.id).forUpdate()
        const { done, failed } = await open.executeTakeFirstOrThrow()
        if (done + failed === 0) return false
        await set(tx, newId(), new Date(server.clock.now().getTime() + 60_000).toISOString())
        return true
      })
    let seized = false
    for (let turn = 0; turn < 100_000 && !seized; turn++) {
      seized = await seize()
      await nextTurn()
    }
    assert.ok(seized, 'it did not begin')
    const paused = await get(job.id)
    assert.ok(!isOver(paused) && paused.done + paused.failed < (paused.total ?? 0), 'it was over too soon')
    return {
      ...paused,
      async goOn() {
        await server.database.transaction((tx) => set(tx, null, null))
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
  const restore = (of: Job, by = server.admin) => run({ kind: 'restore', of: of.id }, by)

  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: 'seed' } })
    await server.admin.putObject({ params: { bucket: 'seed', key: 'k' }, body: 'x' })
    blob = (await server.database.db.selectFrom('objects').select('blob_id').executeTakeFirstOrThrow()).blob_id
    if (engine === 'sqlite') return
    twin = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), { now: server.clock.now, timers: false })
  })
  after(async () => {
    await twin?.stop()
    await server.stop()
  })

  return {
    get server() {
      return server
    },
    get twin() {
      return twin
    },
    open,
    idOf,
    fill,
    rowsOf,
    contents,
    keysOf,
    assertExact,
    create,
    get,
    finish,
    run,
    midway,
    pause,
    counts,
    succeeded,
    codes,
    recordsOf,
    person,
    restore,
  }
}
