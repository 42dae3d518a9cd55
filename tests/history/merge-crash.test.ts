import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Client } from '../../client/derived.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { killableService } from '../support/killable.ts'
import { endLeases } from '../support/leases.ts'
import { repeats } from '../support/repeats.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'

const KILLS = repeats(2)
const EACH = 600 * KILLS
const numbered = (prefix: string, n: number) =>
  Array.from({ length: n }, (_, i) => `${prefix}${String(i).padStart(5, '0')}`)

describeEngines('kill -9 during a merge', (engine) => {
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

  it('completes, and so does its undo: nothing twice, nothing lost, and remembered exactly', async (t) => {
    client = await service.connect()
    await client.createBucket({ body: { name: 'source' } })
    await client.putObject({ params: { bucket: 'source', key: 'seed' }, body: 'x' })
    await client.putObject({ params: { bucket: 'source', key: 'both' }, body: 'x' })
    database = await openDatabase(service.databaseUrl)
    const contents = async (name: string) =>
      new Map(
        (
          await database.db
            .selectFrom('objects')
            .innerJoin('buckets', 'buckets.id', 'bucket_id')
            .select(['key', 'etag'])
            .where('name', '=', name)
            .execute()
        ).map(({ key, etag }) => [key, etag]),
      )
    const isWhole = async () => (await client.getBucket({ params: { bucket: 'fork' } })).fork?.state === 'whole'
    await client.createBucket({ body: { name: 'fork', from: { bucket: 'source' } } })
    await until(isWhole)
    const before = await contents('source')
    // What the fork has changed: new objects, and a conflict that is decided for the origin.
    await client.putObject({ params: { bucket: 'fork', key: 'both' }, body: 'of the fork' })
    await client.putObject({ params: { bucket: 'source', key: 'both' }, body: 'of the origin' })
    before.set('both', (await contents('source')).get('both') ?? '')
    const keys = numbered('d/', EACH)
    for (let i = 0; i < keys.length; i += 50)
      await Promise.all(
        keys.slice(i, i + 50).map((key) => client.putObject({ params: { bucket: 'fork', key }, body: 'y' })),
      )
    const merge = await client.createJob({
      body: { kind: 'merge', source_bucket: 'fork', on_conflict: 'origin' },
    })
    let kills = await killUntilOver(merge.id)
    const merged = new Map([...before, ...[...(await contents('fork'))].filter(([key]) => key.startsWith('d/'))])
    assert.deepEqual(await contents('source'), merged)
    const remembered = async () =>
      Number(
        (
          await database.db
            .selectFrom('fork_merges')
            .select((e) => e.fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      )
    assert.equal(await remembered(), EACH + 1)
    const again = await client.createJob({ body: { kind: 'merge', source_bucket: 'fork' } })
    await until(() => isOver(again.id))
    assert.equal((await client.getJob({ params: { id: again.id } })).total, 0, 'nothing is left to be merged')
    const undo = await client.createJob({ body: { kind: 'restore', of: merge.id } })
    kills += await killUntilOver(undo.id)
    t.diagnostic(`killed ${kills} times`)
    assert.ok(kills >= 2, 'it was not killed in the midst')
    assert.deepEqual(await contents('source'), before)
    assert.equal(await remembered(), 0)
    const records = await allActions(database)
    for (const [{ id }, action, done] of [
      [merge, 'copy', EACH + 1],
      [undo, 'delete', EACH],
    ] as const) {
      const job = await client.getJob({ params: { id } })
      assert.deepEqual([job.status, job.total, job.done, job.failed, job.errors], ['succeeded', done, done, 0, []])
      const own = records.filter(({ details }) => details.includes(id))
      assert.deepEqual([own.length, new Set(own.map(({ object_key }) => object_key)).size], [EACH, EACH])
      assert.ok(own.every((one) => one.action === action))
    }
    assert.deepEqual(await database.db.selectFrom('job_items').selectAll().execute(), [])
    await database.close()
    assert.equal(await service.running.kill('SIGTERM'), 0)
  })
})
