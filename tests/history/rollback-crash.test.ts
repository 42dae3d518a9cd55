import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Client } from '../../client/derived.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { fillBeside, killableService } from '../support/killable.ts'
import { endLeases } from '../support/leases.ts'
import { repeats } from '../support/repeats.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'

const KILLS = repeats(2)
const EACH = 600 * KILLS
const numbered = (prefix: string, n: number) =>
  Array.from({ length: n }, (_, i) => `${prefix}${String(i).padStart(5, '0')}`)

describeEngines('kill -9 during a rollback', (engine) => {
  const service = killableService(engine)
  let database: Database
  let client: Client

  const isOver = async (id: string) => !['queued', 'running'].includes((await client.getJob({ params: { id } })).status)

  /** Kills the service again and again until a job is over; returns how often. */
  async function killUntilOver(id: string): Promise<number> {
    const progress = async () => (await client.getJob({ params: { id } })).done
    let kills = 0
    for (let before = 0; kills < KILLS && !(await isOver(id)); kills++) {
      await until(async () => (await progress()) > before || (await isOver(id)))
      await setTimeout(randomInt(0, 40))
      assert.equal(await service.running.kill('SIGKILL'), 'SIGKILL')
      await endLeases(database, 'jobs')
      client = await service.connect()
      const now = await progress()
      assert.ok(now >= before, 'what was done stays done')
      before = now
    }
    await until(() => isOver(id))
    return kills
  }

  it('completes, and so does its undo: nothing twice, nothing lost, counted exactly', async (t) => {
    client = await service.connect()
    await client.createBucket({ body: { name: 'source' } })
    await client.putObject({ params: { bucket: 'source', key: 'seed' }, body: 'x' })
    database = await openDatabase(service.databaseUrl)
    const keys = numbered('d/', EACH)
    await fillBeside(database, keys)
    const contents = async () =>
      new Map(
        (await database.db.selectFrom('objects').select(['key', 'etag', 'blob_id']).execute()).map((one) => [
          one.key,
          [one.etag, one.blob_id],
        ]),
      )
    const then = await contents()
    const to = new Date().toISOString()
    await setTimeout(20)
    const deleted = await client.createJob({ body: { kind: 'delete', source_bucket: 'source', prefix: 'd/' } })
    await until(() => isOver(deleted.id))
    const before = await contents()
    assert.equal(before.size, 1)
    const back = await client.createJob({ body: { kind: 'rollback', source_bucket: 'source', to } })
    let kills = await killUntilOver(back.id)
    assert.deepEqual(await contents(), then)
    const undo = await client.createJob({ body: { kind: 'restore', of: back.id } })
    kills += await killUntilOver(undo.id)
    t.diagnostic(`killed ${kills} times`)
    assert.ok(kills >= 2, 'it was not killed in the midst')
    assert.deepEqual(await contents(), before)
    const records = await allActions(database)
    for (const [{ id }, action] of [
      [back, 'restore'],
      [undo, 'delete'],
    ] as const) {
      const job = await client.getJob({ params: { id } })
      assert.deepEqual([job.status, job.total, job.done, job.failed, job.errors], ['succeeded', EACH, EACH, 0, []])
      const own = records.filter(({ details }) => details.includes(id))
      assert.deepEqual([own.length, new Set(own.map(({ object_key }) => object_key)).size], [EACH, EACH])
      assert.ok(own.every((one) => one.action === action))
    }
    assert.deepEqual(await database.db.selectFrom('job_items').selectAll().execute(), [])
    const bucket = await client.getBucket({ params: { bucket: 'source' } })
    const sizes = async (table: 'objects' | 'trash') =>
      (await database.db.selectFrom(table).select('size').execute()).reduce((sum, { size }) => sum + size, 0)
    assert.deepEqual(
      [bucket.used_bytes, bucket.object_count, bucket.trash_bytes],
      [await sizes('objects'), 1, await sizes('trash')],
    )
    await database.close()
    assert.equal(await service.running.kill('SIGTERM'), 0)
  })
})
