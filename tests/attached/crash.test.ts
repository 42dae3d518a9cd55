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
const KILLS = 3
const COUNT = 300
/** Of the objects, so many are changed, deleted and added before the second scan. */
const EACH = 60
const BUCKET = 'attached'

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
    // On one of the databases, on an engine that walks through folders: `a/b` comes before `a-` there.
    proxy.bySegments = engine === 'sqlite'
    const pair = ['a-', 'a/b']
    await put(foreign, pair, (key) => key)
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
    assert.deepEqual([first.status, first.seen, first.added], ['succeeded', COUNT + pair.length, COUNT + pair.length])
    await assertSame(0)

    await put(foreign, numbered(0, EACH), (key) => `${key} changed`)
    await put(foreign, numbered(COUNT, COUNT + EACH), (key) => key)
    await foreign.delete(...numbered(COUNT - EACH, COUNT))
    await client.startScan({ params })
    const second = await scanned()
    assert.deepEqual(
      [second.status, second.seen, second.added, second.changed, second.missing],
      ['succeeded', COUNT + pair.length, EACH, EACH, EACH],
    )
    await assertSame(EACH)
    const records = (await allActions(database)).filter(({ bucket }) => bucket === BUCKET)
    assert.equal(records.filter(({ action }) => action === 'scan').length, 2)
    const changes = records.filter(({ action }) => action === 'external_change')
    assert.deepEqual([changes.length, new Set(changes.map(({ object_key }) => object_key)).size], [3 * EACH, 3 * EACH])

    assert.equal(await service.running.kill('SIGTERM'), 0)
  })
})
