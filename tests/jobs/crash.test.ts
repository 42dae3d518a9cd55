import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { fillBeside, killableService } from '../support/killable.ts'
import { endLeases } from '../support/leases.ts'
import { repeats } from '../support/repeats.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'

const KILLS = repeats(2)
const EACH = 600 * KILLS
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const numbered = (prefix: string, n: number) => times(n, (i) => `${prefix}${String(i).padStart(5, '0')}`)
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

describeEngines('kill -9 during jobs', (engine) => {
  const service = killableService(engine)
  let database: Database

  const idOf = async (name: string) =>
    (await database.db.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id
  const rowsOf = async (table: 'objects' | 'trash', name: string) =>
    database.db
      .selectFrom(table)
      .select(['key', 'etag', 'size'])
      .where('bucket_id', '=', await idOf(name))
      .execute()

  it('completes: nothing twice, nothing lost, counted exactly', async (t) => {
    let client = await service.connect()
    await client.createBucket({ body: { name: 'source' } })
    await client.createBucket({ body: { name: 'target', quota_gb: 1 } })
    await client.putObject({ params: { bucket: 'source', key: 'seed' }, body: 'x' })
    database = await openDatabase(service.databaseUrl)
    const half = EACH / 2
    const keys = {
      copy: numbered('c/', EACH),
      // Up into itself: each lower one must not come before the one above it has left.
      move: [...numbered('m/', half), ...numbered('m/m/', half)],
      delete: numbered('d/', EACH),
    }
    await fillBeside(database, Object.values(keys).flat())
    const jobs = {
      copy: await client.createJob({
        body: { kind: 'copy', source_bucket: 'source', prefix: 'c/', dest_bucket: 'target', dest_prefix: 'copied/' },
      }),
      move: await client.createJob({ body: { kind: 'move', source_bucket: 'source', prefix: 'm/', dest_prefix: '' } }),
      delete: await client.createJob({ body: { kind: 'delete', source_bucket: 'source', prefix: 'd/' } }),
    }
    const look = () => Promise.all(Object.values(jobs).map(({ id }) => client.getJob({ params: { id } })))
    const progress = async () => (await look()).reduce((sum, { done, failed }) => sum + done + failed, 0)
    const left = async () => (await look()).filter(({ status }) => ['queued', 'running'].includes(status)).length

    let before = 0
    let kills = 0
    for (; kills < KILLS && (await left()) > 0; kills++) {
      await until(async () => (await progress()) > before || (await left()) === 0)
      await setTimeout(randomInt(0, 60))
      assert.equal(await service.running.kill('SIGKILL'), 'SIGKILL')
      await endLeases(database, 'jobs')
      client = await service.connect()
      const now = await progress()
      assert.ok(now >= before, 'what was done stays done')
      before = now
    }
    await until(async () => (await left()) === 0)
    t.diagnostic(`killed ${kills} times`)
    assert.ok(kills >= 2, 'it was not killed in the midst')

    for (const [kind, { id }] of Object.entries(jobs)) {
      const job = await client.getJob({ params: { id } })
      assert.deepEqual(
        [job.status, job.total, job.done, job.failed, job.errors],
        ['succeeded', EACH, EACH, 0, []],
        kind,
      )
    }
    const [from, to, trash] = [
      await rowsOf('objects', 'source'),
      await rowsOf('objects', 'target'),
      await rowsOf('trash', 'source'),
    ]
    const by = (rows: { key: string; etag: string }[]) => new Map(rows.map(({ key, etag }) => [key, etag]))
    assert.equal(by(from).size, 1 + 2 * EACH)
    for (const key of keys.copy) assert.equal(by(from).get(key), md5(key))
    for (const key of keys.move) assert.equal(by(from).get(key.slice(2)), md5(key))
    assert.deepEqual(by(to), new Map(keys.copy.map((key) => [key.replace('c/', 'copied/'), md5(key)])))
    assert.deepEqual(trash.map(({ key }) => key).sort(), keys.delete)
    assert.deepEqual(await rowsOf('trash', 'target'), [])

    const records = await allActions(database)
    for (const [kind, { id }] of Object.entries(jobs)) {
      const own = records.filter(({ details }) => details.includes(id))
      assert.deepEqual([own.length, new Set(own.map(({ object_key }) => object_key)).size], [EACH, EACH], kind)
      assert.ok(own.every(({ action }) => action === kind))
    }
    assert.equal(records.filter(({ action }) => ['copy', 'move', 'delete'].includes(action)).length, 3 * EACH)
    const deliveries = await database.db.selectFrom('webhook_deliveries').select('audit_id').execute()
    assert.deepEqual(
      [deliveries.length, new Set(deliveries.map(({ audit_id }) => audit_id)).size],
      [3 * EACH, 3 * EACH],
    )
    assert.deepEqual(await database.db.selectFrom('job_items').selectAll().execute(), [])

    const sum = (rows: { size: number }[]) => rows.reduce((total, { size }) => total + size, 0)
    for (const [name, objects, trashed] of [
      ['source', from, trash],
      ['target', to, []],
    ] as const) {
      const bucket = await client.getBucket({ params: { bucket: name } })
      assert.deepEqual(
        [bucket.used_bytes, bucket.object_count, bucket.trash_bytes],
        [sum([...objects]), objects.length, sum([...trashed])],
      )
    }
    await database.close()
    assert.equal(await service.running.kill('SIGTERM'), 0)
  })
})
