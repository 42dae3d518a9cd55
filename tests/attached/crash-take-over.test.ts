import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Client } from '../../client/derived.ts'
import type { Scan } from '../../contract/scans.ts'
import { openDatabase } from '../../server/db/open.ts'
import { cephGateway } from '../support/ceph.ts'
import { killableService } from '../support/killable.ts'
import { endLeases } from '../support/leases.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'
import { foreignBucket } from './foreign.ts'
import { numbered, put } from './many.ts'
import { startProxy } from './proxy.ts'
import { placeOn } from './site.ts'

const gateway = await cephGateway()
const KILLS = 2
const COUNT = 160

describeEngines('kill -9 while a bucket is taken over', (engine) => {
  const service = killableService(engine)

  it('takes a bucket over and gives it back: each object once, none lost', { skip: !gateway }, async (t) => {
    if (!gateway) return
    const [foreign, there] = [await foreignBucket(gateway), await foreignBucket(gateway)]
    const proxy = await startProxy(gateway)
    t.after(async () => {
      await proxy.stop()
      await foreign.empty()
      await there.empty()
    })
    // On one of the databases, on an engine that walks through folders: `k/…` comes before `k-…` there.
    const bySegments = engine === 'postgres'
    const keys = [...numbered(0, COUNT / 2).map((key) => key.replace('/', '-')), ...numbered(COUNT / 2, COUNT)]
    await put(foreign, keys, (key) => key)
    let client: Client = await service.connect()
    const database = await openDatabase(service.databaseUrl)
    t.after(() => database.close())
    const bucket = 'taken-over'
    const params = { bucket }
    const last = async (): Promise<Scan> =>
      (await client.listScans({ params, query: { limit: 1 } })).items[0] ?? assert.fail('there is no scan')
    const isOpen = ({ status }: { status: string }) => status === 'queued' || status === 'running'
    /** Kills the service some times while something goes on, whose state is asked for. */
    async function overKills<T extends { status: string }>(
      table: 'scans' | 'jobs',
      state: () => Promise<T>,
      progress: (now: T) => unknown,
    ): Promise<T> {
      let kills = 0
      for (; kills < KILLS && isOpen(await state()); kills++) {
        const before = progress(await state())
        await until(async () => {
          const now = await state()
          return progress(now) !== before || !isOpen(now)
        })
        await setTimeout(randomInt(0, 300))
        assert.equal(await service.running.kill('SIGKILL'), 'SIGKILL')
        await endLeases(database, table)
        client = await service.connect()
      }
      await until(async () => !isOpen(await state()))
      t.diagnostic(`killed ${kills} times`)
      assert.ok(kills >= 1, 'it was not killed in the midst')
      return state()
    }

    const place = placeOn(gateway, proxy.endpoint)
    await client.createStorage({ body: { name: 'theirs', ...place, bucket: foreign.bucket } })
    await client.createStorage({ body: { name: 'there', ...place, bucket: there.bucket } })
    await client.createBucket({ body: { name: bucket, mode: 'read_only', storage: 'theirs' } })
    await until(async () => !isOpen(await last()))
    await proxy.misbehave({ kind: 'delay', ms: 150 })
    proxy.page = 20
    proxy.bySegments = bySegments
    await client.takeOverBucket({ params, body: { quiet_hours: 0 } })
    const scan = await overKills('scans', last, ({ phase, position }) => `${phase} ${position}`)
    assert.deepEqual([scan.trigger, scan.status, scan.detail, scan.seen], ['take_over', 'succeeded', null, COUNT])
    assert.equal((await client.getBucket({ params })).mode, 'taken_over')
    const unread = await database.db
      .selectFrom('external_blobs')
      .select('key')
      .where('hydrated_at', 'is', null)
      .execute()
    assert.deepEqual(
      unread.filter(({ key }) => keys.includes(key)),
      [],
    )

    await client.putObject({ params: { bucket, key: 'own' }, body: 'own' })
    await proxy.misbehave({ kind: 'delay', ms: 30 })
    const { job } = await client.releaseBucket({ params, body: { storage: 'there' } })
    const ended = await overKills(
      'jobs',
      () => client.getJob({ params: { id: job?.id ?? '' } }),
      ({ status, done }) => `${status} ${done}`,
    )
    assert.deepEqual([ended.status, ended.done, ended.failed], ['succeeded', COUNT + 1, 0])
    await proxy.misbehave(null)
    const orders = await database.db.selectFrom('attachments').select('key_order').execute()
    assert.deepEqual(
      orders.map(({ key_order }) => key_order),
      [bySegments ? 'segments' : null],
    )
    const { mode, object_count } = await client.getBucket({ params })
    assert.deepEqual([mode, object_count], ['read_only', COUNT + 1])
    assert.deepEqual(
      (await there.listed()).map(({ key }) => key),
      [...keys, 'own'],
    )
    for (const key of [keys[0] ?? '', keys.at(-1) ?? '', 'own']) assert.equal(String(await there.bytesOf(key)), key)
    assert.equal((await foreign.listed()).length, COUNT)
    const records = (await allActions(database)).filter((one) => one.bucket === bucket)
    assert.deepEqual(Map.groupBy(records, ({ action }) => action).get('take_over')?.length, 1)
    assert.equal(await service.running.kill('SIGTERM'), 0)
  })
})
