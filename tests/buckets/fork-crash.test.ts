import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '../../server/db/open.ts'
import { compareUsage } from '../../server/storage/buckets/compare.ts'
import { fillBeside, killableService } from '../support/killable.ts'
import { endLeases } from '../support/leases.ts'
import { repeats } from '../support/repeats.ts'
import { describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'

const KILLS = repeats(2)
const MANY = 4000 * KILLS

describeEngines('kill -9 while a fork is filled', (engine) => {
  const service = killableService(engine)

  it('is whole in the end, with what its origin was, and is never seen in part', async (t) => {
    let client = await service.connect()
    await client.createBucket({ body: { name: 'source' } })
    await client.putObject({ params: { bucket: 'source', key: 'seed' }, body: 'x' })
    const database = await openDatabase(service.databaseUrl)
    t.after(() => database.close())
    const keys = Array.from({ length: MANY }, (_, i) => `k/${String(i).padStart(6, '0')}`)
    await fillBeside(database, keys)
    const made = await client.createBucket({ body: { name: 'fork', from: { bucket: 'source' } } })
    const params = { bucket: 'fork' }
    // Its origin changes meanwhile: what it was is not lost.
    await client.deleteObject({ params: { bucket: 'source', key: keys.at(-1) ?? '' } })
    await client.putObject({ params: { bucket: 'source', key: 'zzz' }, body: 'new' })
    const isWhole = async () => (await client.getBucket({ params })).fork?.state === 'whole'
    const done = async () => (await client.getJob({ params: { id: made.fork?.job ?? '' } })).done
    let kills = 0
    for (let before = 0; kills < KILLS && !(await isWhole()); kills++) {
      await until(async () => (await done()) > before || (await isWhole()))
      if (!(await isWhole())) assert.deepEqual((await client.listObjects({ params })).items, [])
      await setTimeout(randomInt(0, 40))
      assert.equal(await service.running.kill('SIGKILL'), 'SIGKILL')
      await endLeases(database, 'jobs')
      client = await service.connect()
      assert.ok((await done()) >= before)
      before = await done()
    }
    t.diagnostic(`killed ${kills} times`)
    await until(isWhole)
    const { id } = await database.db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', 'fork')
      .executeTakeFirstOrThrow()
    const rows = await database.db
      .selectFrom('objects')
      .select('key')
      .where('bucket_id', '=', id)
      .orderBy('key')
      .execute()
    assert.deepEqual(
      rows.map(({ key }) => key),
      [...keys, 'seed'],
    )
    for (const { held, counted } of await compareUsage(database.db)) assert.deepEqual(counted, held)
    const snapshots = await database.db.selectFrom('snapshots').select('name').execute()
    assert.deepEqual(snapshots, [{ name: '~fork' }], 'nothing is kept of its origin any more')
  })
})
