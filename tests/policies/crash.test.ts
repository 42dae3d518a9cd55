import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '../../server/db/open.ts'
import { fillBeside, killableService } from '../support/killable.ts'
import { endLeases } from '../support/leases.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'

const KILLS = 3
const OBJECTS = 4000
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

describeEngines('kill -9 in the midst of a policy run', (engine) => {
  const service = killableService(engine)

  it('ends complete after restarts: nothing twice, nothing lost, recorded once', async (t) => {
    let client = await service.connect()
    await client.createBucket({ body: { name: 'source' } })
    await client.putObject({ params: { bucket: 'source', key: 'seed' }, body: 'x' })
    const database = await openDatabase(service.databaseUrl)
    const keys = Array.from({ length: OBJECTS }, (_, i) => `old/${String(i).padStart(6, '0')}`)
    await fillBeside(database, keys)
    const { id } = await client.createPolicy({
      body: { name: 'x', bucket_patterns: ['source'], prefix: 'old/', glob: '*' },
    })
    // Killed as it lists, and again and again as it deletes.
    client.runPolicy({ params: { id } }).catch(() => undefined)
    const look = async () => (await client.listPolicyRuns({ params: { id } })).items[0]
    const stored = () =>
      database.db.selectFrom('policy_runs').select(['status', 'matched', 'deleted', 'finished_at']).executeTakeFirst()
    let seen = { matched: 0, deleted: 0 }
    let kills = 0
    for (; kills < KILLS; kills++) {
      await until(async () => {
        const run = await stored()
        if (!run || run.finished_at !== null) return run !== undefined
        return run.deleted > seen.deleted || (kills < 2 && run.matched > seen.matched)
      })
      if (kills > 1) await setTimeout(randomInt(0, 50))
      if ((await stored())?.finished_at !== null) break
      assert.equal(await service.running.kill('SIGKILL'), 'SIGKILL')
      const run = await stored()
      assert.ok((run?.deleted ?? 0) >= seen.deleted, 'what is deleted stays deleted')
      seen = { matched: run?.matched ?? 0, deleted: run?.deleted ?? 0 }
      await endLeases(database, 'policy_runs')
      client = await service.connect()
    }
    await until(async () => (await look())?.finished_at !== null)
    t.diagnostic(`killed ${kills} times; the last time ${seen.matched} were listed and ${seen.deleted} deleted`)
    assert.ok(kills >= 2, 'it was not killed in the midst')

    const run = await look()
    assert.deepEqual([run?.status, run?.matched, run?.deleted, run?.kept], ['succeeded', OBJECTS, OBJECTS, 0])
    const rows = async (table: 'objects' | 'trash') =>
      database.db.selectFrom(table).select(['key', 'etag', 'size']).execute()
    const trash = await rows('trash')
    assert.deepEqual(trash.map(({ key }) => key).sort(), keys)
    for (const { key, etag } of trash) assert.equal(etag, md5(key))
    assert.deepEqual(
      (await rows('objects')).map(({ key }) => key),
      ['seed'],
    )
    const records = (await allActions(database)).filter(({ details }) => details.includes(run?.id ?? 'none'))
    const deletes = records.filter(({ action }) => action === 'delete')
    assert.deepEqual([deletes.length, new Set(deletes.map(({ object_key }) => object_key)).size], [OBJECTS, OBJECTS])
    assert.deepEqual(
      records.filter(({ action }) => action !== 'delete').map(({ action }) => action),
      ['policy_run'],
    )
    const deliveries = await database.db.selectFrom('webhook_deliveries').select(['audit_id', 'event']).execute()
    const events = deliveries.filter(({ event }) => event === 'delete' || event === 'policy_run')
    assert.deepEqual([events.length, new Set(events.map(({ audit_id }) => audit_id)).size], [OBJECTS + 1, OBJECTS + 1])
    const items = await database.db.selectFrom('policy_run_items').select(['outcome']).execute()
    assert.deepEqual([items.length, items.every(({ outcome }) => outcome === 'deleted')], [OBJECTS, true])
    const bucket = await client.getBucket({ params: { bucket: 'source' } })
    const bytes = trash.reduce((sum, { size }) => sum + size, 0)
    assert.deepEqual([bucket.used_bytes, bucket.object_count, bucket.trash_bytes], [1, 1, bytes])
    await database.close()
    assert.equal(await service.running.kill('SIGTERM'), 0)
  })
})
