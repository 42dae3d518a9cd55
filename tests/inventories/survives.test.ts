// What an inventory must be whatever happens while it is written.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { InventoryRun } from '../../contract/inventories.ts'
import { bytesOf, writeFile } from '../../server/features/inventories/files.ts'
import { findRun } from '../../server/features/inventories/runs/store.ts'
import { LeaseLost } from '../../server/work/lease.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { servicesOf } from '../uploads/uploads.ts'
import { ended, readManifest, readTable } from './inventories.ts'

const DAY = 86_400_000

describeEngines('inventories that are interrupted', (engine) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const open = async (body: object = {}) => {
    const bucket = `kept-${++buckets}x`
    await server.admin.createBucket({ body: { name: bucket, ...body } })
    return bucket
  }
  const put = (bucket: string, key: string, body: string) =>
    server.admin.putObject({ params: { bucket, key }, body, headers: { 'content-type': 'text/plain' } })
  const create = async (bucket: string | null, dest: string, body: object = {}) =>
    (
      await server.admin.createInventory({
        body: { name: 'daily', bucket, destination: { bucket: dest, prefix: 'inv/' }, ...body },
      })
    ).id
  const write = async (id: string) => ended(server.admin, await server.admin.runInventory({ params: { id } }))
  const setRunner = (id: string, runner: string | null, leased_until: string | null) =>
    server.database.transaction((tx) =>
      tx.updateTable('inventory_runs').set({ runner, leased_until }).where('id', '=', id).execute(),
    )

  /** Has a run taken over, after its moment is drawn, by a process that does nothing with it; returns how to let it go. */
  const interrupt = async (id: string): Promise<{ run: InventoryRun; release: () => Promise<unknown> }> => {
    const run = await server.admin.runInventory({ params: { id } })
    await until(async () => (await server.admin.getInventoryRun({ params: { id, run_id: run.id } })).moment !== null)
    const far = new Date(server.clock.now().getTime() + 60_000).toISOString()
    await setRunner(run.id, 'another', far)
    return { run, release: () => setRunner(run.id, null, null) }
  }

  it('writes no file once another process has the run', async () => {
    const [bucket, dest] = [await open(), await open()]
    await put(bucket, 'a', 'x')
    const { run, release } = await interrupt(await create(bucket, dest))
    const { ctx } = await servicesOf(server, (storage) => storage)
    const row = await findRun(ctx.db, run.inventory_id, run.id)
    assert.ok(row)
    const late = {
      key: `inv/${row.folder}data/00001.parquet`,
      content_type: 'text/plain',
      source: () => bytesOf('what a process writes that was away for a minute'),
    }
    const claim = { id: run.id, runner: 'one that was away' }
    await server.records([], () => assert.rejects(writeFile(ctx, claim, row, late), LeaseLost))
    await release()
    await server.running.tick('inventories')
    const whole = await ended(server.admin, run)
    assert.equal(whole.status, 'succeeded', whole.reason ?? '')
    assert.deepEqual(
      (await readTable(server.admin, dest, whole.files)).map(({ key }) => key),
      ['a'],
    )
    await assert.rejects(writeFile(ctx, claim, row, late), LeaseLost)
    await readManifest(server.admin, dest, whole)
  })

  it('lists changes since the inventory before, also where the trash forgets that meanwhile', async () => {
    const [bucket, dest] = [await open({ trash_days: 7 }), await open()]
    await put(bucket, 'deleted', 'x')
    const id = await create(bucket, dest)
    const first = await write(id)
    await server.later(DAY)
    await server.admin.deleteObject({ params: { bucket, key: 'deleted' } })
    const { run, release } = await interrupt(id)
    await server.later(30 * DAY)
    await server.running.tick('trash-expiry')
    await release()
    await server.running.tick('inventories')
    const second = await ended(server.admin, run)
    assert.deepEqual([second.status, second.changes_since], ['succeeded', first.moment])
    const { changes } = await readManifest(server.admin, dest, second)
    assert.deepEqual(
      (await readTable(server.admin, dest, changes?.files)).map(({ key, change }) => [key, change]),
      [['deleted', 'deleted']],
    )
    const left = await server.database.db.selectFrom('snapshots').select('name').execute()
    assert.deepEqual(left, [], 'nothing is kept for it any more')
  })

  it('never writes where another inventory of the same name has', async () => {
    const [bucket, dest] = [await open(), await open()]
    await put(bucket, 'a', 'x')
    const first = await write(await create(bucket, dest))
    await server.admin.deleteInventory({ params: { id: first.inventory_id } })
    const second = await write(await create(bucket, dest))
    assert.equal(second.manifest, first.manifest?.replace('Z/', 'Z-2/'))
    // A bucket that has the name that stands for all of them elsewhere.
    await server.admin.createBucket({ body: { name: 'all-buckets' } })
    const one = await write(await create('all-buckets', dest))
    const all = await write(await create(null, dest))
    assert.deepEqual([one.manifest?.split('/')[1], all.manifest?.split('/')[1]], ['all-buckets', 'ALL-BUCKETS'])
    await rejectsWith(
      create(bucket, dest, { name: 'long', destination: { bucket: dest, prefix: 'p'.repeat(801) } }),
      'invalid_request',
      'body.destination.prefix',
    )
  })

  it('forgets what it kept of versions, also if the process died while it did so', async () => {
    const [bucket, dest] = [await open({ versioning: 'enabled' }), await open()]
    for (const text of ['one', 'two']) await put(bucket, 'a', text)
    const { id: run_id } = await write(await create(bucket, dest, { versions: 'all' }))
    const { db } = server.database
    const version = await db
      .selectFrom('versions')
      .selectAll()
      .where('bucket_id', 'is not', null)
      .executeTakeFirstOrThrow()
    const { headers, acl, noncurrent_at, job_id, moment, author, ...kept } = version
    await server.database.transaction((tx) =>
      tx
        .insertInto('inventory_versions')
        .values({ ...kept, run_id })
        .execute(),
    )
    await server.running.tick('inventory-history')
    assert.deepEqual(await db.selectFrom('inventory_versions').selectAll().execute(), [])
  })
})
