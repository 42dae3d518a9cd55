// What scrubs do besides finding damage and having it repaired, which tests/faults/damage.test.ts does at some scale.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { rejectsWith } from '../support/problems.ts'
import { describeOnce } from '../support/server.ts'
import { until } from '../support/until.ts'
import { storagesWorld } from './storages.ts'

const DAY_MS = 24 * 3_600_000
const DEFAULT = { storage: 'default' }

describeOnce('scrubs', (engine) => {
  const world = storagesWorld(engine, { MIRROR_TIMEOUT_SECONDS: '5', SCRUB_DAYS: '30', SCRUB_MIB_PER_SECOND: '1000' })
  const own = (id: string) => path.join(world.server.folder, 'blobs', id.slice(-2), id)
  const scrubOf = async () => (await world.server.admin.getStorage({ params: DEFAULT })).scrub
  async function blobIds(bucket: string): Promise<Map<string, string>> {
    const rows = await world.server.database.db
      .selectFrom('objects')
      .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
      .where('buckets.name', '=', bucket)
      .select(['objects.key', 'objects.blob_id'])
      .execute()
    return new Map(rows.map(({ key, blob_id }) => [key, blob_id]))
  }
  async function copyAll(): Promise<void> {
    for (let i = 0; i < 4; i++) {
      world.server.clock.advance(61_000)
      await world.server.running.tick('mirror-copies')
    }
    await world.server.later(0)
  }

  it('do not take for damage what a mirror lacks while it is filled', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    for (const key of ['one', 'two']) await world.put(bucket, key, randomBytes(200_000))
    const files = [...(await blobIds(bucket)).values()].map(own)
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    // Whoever reads while the first copy is gone reads the mirror, which has none yet.
    fs.renameSync(files[0] as string, `${files[0]}.gone`)
    await rejectsWith(server.admin.getObject({ params: { bucket, key: 'one' } }), 'damaged')
    const isRecorded = async () =>
      (await server.admin.listAudit({ query: { action: ['read_damaged'], bucket, object_key_prefix: 'one' } })).items
        .length === 1
    await until(isRecorded)
    fs.renameSync(`${files[0]}.gone`, files[0] as string)
    await server.records([{ action: 'login' }], async () => {
      await server.running.tick('scrub')
      await copyAll()
    })
    const { mirror } = await server.admin.getStorage({ params: DEFAULT })
    assert.deepEqual([mirror?.complete, mirror?.copies_due], [true, 0])
    await server.later(31 * DAY_MS)
    await server.records([], () => server.running.tick('scrub'))
    const { scrub } = await server.admin.getStorage({ params: { storage: nas } })
    assert.deepEqual([scrub?.damaged, scrub?.finished_at !== null], [0, true])
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('report what they cannot repair, and give checksums to what has none', async () => {
    const { server } = world
    const bucket = await world.bucket()
    for (const key of ['good', 'bad']) await world.put(bucket, key, randomBytes(200_000))
    const ids = await blobIds(bucket)
    const sumsOf = (key: string) =>
      server.database.db
        .selectFrom('blobs')
        .select('sums')
        .where('id', '=', ids.get(key) ?? '')
        .executeTakeFirstOrThrow()
    const { sums } = await sumsOf('good')
    await server.database.transaction((tx) =>
      tx
        .updateTable('blobs')
        .set({ sums: null })
        .where('id', 'in', [...ids.values()])
        .execute(),
    )
    const file = own(ids.get('bad') ?? '')
    fs.writeFileSync(file, Buffer.concat([fs.readFileSync(file).subarray(1), Buffer.of(0)]))
    await server.later(31 * DAY_MS)
    await server.records([{ action: 'scrub_damaged', bucket, key: 'bad', result: 'failure' }], () =>
      server.running.tick('scrub'),
    )
    assert.deepEqual((await sumsOf('good')).sums, sums)
    assert.equal((await sumsOf('bad')).sums, null)
    assert.deepEqual([(await scrubOf())?.damaged, (await scrubOf())?.summed], [1, 1])
    // A disk that is not mounted is no damage.
    const folder = path.join(server.folder, 'blobs')
    await server.later(31 * DAY_MS)
    fs.renameSync(folder, `${folder}-away`)
    await server.records([], () => server.running.tick('scrub'))
    fs.renameSync(`${folder}-away`, folder)
    assert.equal((await scrubOf())?.finished_at, null)
    await server.running.tick('scrub')
    assert.notEqual((await scrubOf())?.finished_at, null)
  })
})
