import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Client } from '../../client/derived.ts'
import type { Scan } from '../../contract/scans.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { cephGateway } from '../support/ceph.ts'
import { killableService } from '../support/killable.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'
import { type Foreign, foreignBucket } from './foreign.ts'
import { startProxy } from './proxy.ts'
import { placeOn } from './site.ts'

const gateway = await cephGateway()
const KILLS = 3
const COUNT = 300
/** Of the objects, so many are changed, deleted and added before the second scan. */
const EACH = 60
const AT_ONCE = 16
const BUCKET = 'attached'
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `k/${String(from + i).padStart(4, '0')}`)

async function put(foreign: Foreign, keys: readonly string[], body: (key: string) => string): Promise<void> {
  const left = [...keys]
  const worker = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await foreign.put(key, body(key))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** As if a minute had passed: until then a silent process may still be at its work. */
const endLeases = (database: Database, table: 'scans' | 'jobs') =>
  database.transaction((tx) =>
    tx
      .updateTable(table)
      .set({ leased_until: new Date(0).toISOString() })
      .where('leased_until', 'is not', null)
      .execute(),
  )

describeEngines('kill -9 during scans', (engine) => {
  const service = killableService(engine)

  it('goes on where it was: nothing twice, nothing left out, counted exactly', { skip: !gateway }, async (t) => {
    if (!gateway) return
    const foreign = await foreignBucket(gateway)
    const proxy = await startProxy(gateway)
    t.after(async () => {
      await proxy.stop()
      await foreign.empty()
    })
    proxy.page = 8
    await put(foreign, numbered(0, COUNT), (key) => key)
    let client: Client = await service.connect()
    const database = await openDatabase(service.databaseUrl)
    t.after(() => database.close())
    const params = { bucket: BUCKET }
    const last = async (): Promise<Scan> => {
      const { items } = await client.listScans({ params, query: { limit: 1 } })
      return items[0] ?? assert.fail('there is no scan')
    }
    const isOpen = ({ status }: Scan) => status === 'queued' || status === 'running'

    /** Kills the service some times while it scans. */
    async function scanned(): Promise<Scan> {
      let kills = 0
      for (; kills < KILLS && isOpen(await last()); kills++) {
        const before = await last()
        await until(async () => {
          const now = await last()
          return now.seen > before.seen || now.phase !== before.phase || !isOpen(now)
        })
        await setTimeout(randomInt(0, 300))
        assert.equal(await service.running.kill('SIGKILL'), 'SIGKILL')
        await endLeases(database, 'scans')
        client = await service.connect()
        assert.ok((await last()).seen >= before.seen, 'what was done stays done')
      }
      await until(async () => !isOpen(await last()))
      t.diagnostic(`killed ${kills} times`)
      assert.ok(kills >= 2, 'it was not killed in the midst')
      return last()
    }
    async function assertSame(missing: number): Promise<void> {
      const listed = await foreign.listed()
      const rows = await database.db
        .selectFrom('objects')
        .innerJoin('external_blobs', 'external_blobs.blob_id', 'objects.blob_id')
        .select(['objects.key', 'objects.size', 'objects.etag'])
        .where('missing_since', 'is', null)
        .orderBy('objects.key')
        .execute()
      assert.deepEqual(
        rows.map(({ key, size, etag }) => ({ key, size, etag })),
        listed,
      )
      const { used_bytes, object_count } = await client.getBucket({ params })
      const bytes = listed.reduce((sum, { size }) => sum + size, 0)
      // What is missing has the size of its key.
      assert.deepEqual([object_count, used_bytes], [listed.length + missing, bytes + missing * 'k/0000'.length])
    }

    await proxy.misbehave({ kind: 'delay', ms: 15 })
    const place = { ...placeOn(gateway, proxy.endpoint), bucket: foreign.bucket }
    await client.createStorage({ body: { name: 'engine', ...place } })
    await client.createBucket({ body: { name: BUCKET, mode: 'read_only', storage: 'engine' } })
    const first = await scanned()
    assert.deepEqual([first.status, first.seen, first.added], ['succeeded', COUNT, COUNT])
    await assertSame(0)

    await put(foreign, numbered(0, EACH), (key) => `${key} changed`)
    await put(foreign, numbered(COUNT, COUNT + EACH), (key) => key)
    await foreign.delete(...numbered(COUNT - EACH, COUNT))
    await client.startScan({ params })
    const second = await scanned()
    assert.deepEqual(
      [second.status, second.seen, second.added, second.changed, second.missing],
      ['succeeded', COUNT, EACH, EACH, EACH],
    )
    await assertSame(EACH)
    const records = (await allActions(database)).filter(({ bucket }) => bucket === BUCKET)
    assert.equal(records.filter(({ action }) => action === 'scan').length, 2)
    const changes = records.filter(({ action }) => action === 'external_change')
    assert.deepEqual([changes.length, new Set(changes.map(({ object_key }) => object_key)).size], [3 * EACH, 3 * EACH])

    assert.equal(await service.running.kill('SIGTERM'), 0)
  })

  it('takes a bucket over and gives it back: each object once, none lost', { skip: !gateway }, async (t) => {
    if (!gateway) return
    const [foreign, there] = [await foreignBucket(gateway), await foreignBucket(gateway)]
    const proxy = await startProxy(gateway)
    t.after(async () => {
      await proxy.stop()
      await foreign.empty()
      await there.empty()
    })
    const keys = numbered(0, COUNT)
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
      assert.ok(kills >= 2, 'it was not killed in the midst')
      return state()
    }

    const place = placeOn(gateway, proxy.endpoint)
    await client.createStorage({ body: { name: 'theirs', ...place, bucket: foreign.bucket } })
    await client.createStorage({ body: { name: 'there', ...place, bucket: there.bucket } })
    await client.createBucket({ body: { name: bucket, mode: 'read_only', storage: 'theirs' } })
    await until(async () => !isOpen(await last()))
    await proxy.misbehave({ kind: 'delay', ms: 150 })
    proxy.page = 20
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
