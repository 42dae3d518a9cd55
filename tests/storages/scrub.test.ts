// Damage of many kinds at once: nothing wrong is ever answered, and one scrub finds and repairs all of it.
// DAMAGE_BLOBS=10000 for the figures of docs/second-copy.md.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { describeOnce } from '../support/server.ts'
import { storagesWorld } from './storages.ts'

const BLOBS = Number(process.env.DAMAGE_BLOBS ?? 300)
const SIZE = 3000
const AT_ONCE = 16
const DAY_MS = 24 * 3_600_000
const DEFAULT = { storage: 'default' }

describeOnce('scrubs', (engine) => {
  const world = storagesWorld(engine, { MIRROR_TIMEOUT_SECONDS: '5', SCRUB_DAYS: '30', SCRUB_MIB_PER_SECOND: '1000' })
  const own = (id: string) => path.join(world.server.folder, 'blobs', id.slice(-2), id)
  const scrubOf = async () => (await world.server.admin.getStorage({ params: DEFAULT })).scrub
  async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
    const rest = [...items]
    const one = async () => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  }
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
  const healed = async () => {
    const { db } = world.server.database
    return db.selectFrom('audit').select('object_key').where('action', '=', 'heal').execute()
  }

  it('finds and repairs from the mirror whatever is wrong, each once, and until then nothing wrong is read', async () => {
    const { server } = world
    const nas = await world.storage()
    const bucket = await world.bucket()
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: { storage: nas } } })
    const bodies = new Map(Array.from({ length: BLOBS }, (_, i) => [`k${i}`, randomBytes(SIZE)]))
    await eachOf([...bodies], ([key, body]) => world.put(bucket, key, body))
    await copyAll()
    const mirror = (await server.admin.getStorage({ params: DEFAULT })).mirror
    assert.deepEqual([mirror?.complete, mirror?.copies_due], [true, 0])

    const ids = await blobIds(bucket)
    const files = [...ids].map(([key, id]) => ({ key, file: own(id) }))
    const of = (share: number) => Math.round(BLOBS * share)
    const flips = files.splice(0, of(0.03))
    const deleted = files.splice(0, of(0.03))
    const cut = files.splice(0, of(0.01))
    const swapped = files.splice(0, 2 * of(0.005))
    for (const { file } of flips) {
      const bytes = fs.readFileSync(file)
      const at = Math.floor(Math.random() * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8))
      fs.writeFileSync(file, bytes)
    }
    for (const { file } of deleted) fs.rmSync(file)
    for (const { file } of cut) fs.truncateSync(file, Math.floor(Math.random() * SIZE))
    for (let i = 0; i < swapped.length; i += 2) {
      const [one, two] = [swapped[i]?.file ?? '', swapped[i + 1]?.file ?? '']
      fs.renameSync(one, `${one}.swap`)
      fs.renameSync(two, one)
      fs.renameSync(`${one}.swap`, two)
    }
    const damaged = [...flips, ...deleted, ...cut, ...swapped].map(({ key }) => key)

    let wrong = 0
    // Half of them are read before the scrub, which then has them queued already.
    await eachOf(
      [...bodies].filter((_, i) => i % 2 === 0),
      async ([key, body]) => {
        const response = await server.admin.getObject({ params: { bucket, key } })
        if (!body.equals(Buffer.from(await response.arrayBuffer()))) wrong++
      },
    )
    assert.equal(wrong, 0)
    await server.running.tick('scrub')
    const scrub = await scrubOf()
    assert.deepEqual([scrub?.checked, scrub?.finished_at !== null], [BLOBS, true])
    await copyAll()
    const found = await healed()
    assert.deepEqual(found.map(({ object_key }) => object_key).sort(), damaged.sort())
    for (const [key, id] of ids) assert.ok(bodies.get(key)?.equals(fs.readFileSync(own(id))), key)
    await server.later(30 * DAY_MS)
    await server.running.tick('scrub')
    assert.deepEqual([(await scrubOf())?.damaged, (await scrubOf())?.checked], [0, BLOBS])
    await server.admin.updateStorage({ params: DEFAULT, body: { mirror: null } })
  })

  it('reports what it cannot repair, and gives checksums to what has none', async () => {
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
