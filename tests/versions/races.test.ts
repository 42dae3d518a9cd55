import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import type { Running } from '../../server/process/start.ts'
import { describeEngines, STORED, startServer, type TestServer } from '../support/server.ts'
import { withTwin } from '../support/twin.ts'

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

// SQLite has one writer, so most races can only show on PostgreSQL, where a second service works on the same tables.
describeEngines('versions: races', (engine) => {
  let server: TestServer
  let twin: Running | undefined
  let clients: Client[]
  before(async () => {
    server = await startServer(engine, STORED)
    const both = await withTwin(server, engine)
    twin = both.twin
    clients = both.clients
  })
  after(async () => {
    await twin?.stop()
    await server.stop()
  })
  const client = (i: number) => clients[i % clients.length] as Client

  async function versioned(more: { quota_gb?: number } = {}): Promise<string> {
    const name = `races-${engine}-${newId().slice(-12)}`
    await server.admin.createBucket({ body: { name, versioning: 'enabled', ...more } })
    return name
  }
  const put = (i: number, bucket: string, key: string, body: string) =>
    client(i).putObject({ params: { bucket, key }, body })
  const remove = (i: number, bucket: string, key: string, version_id?: string) =>
    client(i).deleteObject({ params: { bucket, key }, query: version_id === undefined ? {} : { version_id } })
  const versionsOf = async (bucket: string, key: string) =>
    (await server.admin.listVersions({ params: { bucket }, query: { key, limit: 1000 } })).items

  /** Asserts that every key is as its versions say, and that the counters say what there is. */
  async function assertSound(bucket: string): Promise<void> {
    const { items } = await server.admin.listVersions({ params: { bucket }, query: { limit: 1000 } })
    for (const [key, versions] of Map.groupBy(items, (one) => one.key)) {
      assert.deepEqual(
        versions.map(({ latest }) => latest),
        versions.map((_, i) => i === 0),
      )
      const [latest] = versions
      const { items: found } = await server.admin.objectsExist({ params: { bucket }, body: { keys: [key] } })
      assert.equal(
        found[0]?.exists,
        latest?.marker === false,
        `the latest version of ${key} decides whether it is there`,
      )
      assert.equal(new Set(versions.map(({ version_id }) => version_id)).size, versions.length)
    }
    const { used_bytes, object_count } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual(
      [used_bytes, object_count],
      [items.reduce((sum, { size }) => sum + size, 0), items.filter(({ latest, marker }) => latest && !marker).length],
    )
  }

  it('keeps every one of 20 racing overwrites, one of them current, and counts them all', async () => {
    const bucket = await versioned()
    await Promise.all(times(20, (i) => put(i, bucket, 'key', 'x'.repeat(i + 1))))
    const versions = await versionsOf(bucket, 'key')
    assert.deepEqual(
      versions.map(({ size }) => size).sort((a, b) => a - b),
      times(20, (i) => i + 1),
    )
    await assertSound(bucket)
    const { version_bytes, trash_bytes } = await server.admin.getBucket({ params: { bucket } })
    assert.deepEqual([version_bytes, trash_bytes], [210 - (versions[0]?.size ?? 0), 0])
  })

  it('lets no overwrite past the quota, for versions count', async () => {
    const bucket = await versioned({ quota_gb: 100 / 1024 ** 3 })
    const outcomes = await Promise.allSettled(times(20, (i) => put(i, bucket, 'key', 'x'.repeat(10))))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10)
    assert.equal((await versionsOf(bucket, 'key')).length, 10)
    await assertSound(bucket)
  })

  it('brings a version back when the markers above it are removed at the same time', async () => {
    const bucket = await versioned()
    for (const key of times(10, String)) {
      await put(0, bucket, key, 'kept')
      await remove(0, bucket, key)
      // A second marker can only come from an S3 client; here it is a deletion that raced with an upload's removal.
      const raced = await put(0, bucket, key, 'raced')
      await remove(0, bucket, key)
      await remove(0, bucket, key, raced.version_id)
    }
    const markers = (await server.admin.listVersions({ params: { bucket }, query: { limit: 1000 } })).items.filter(
      ({ marker }) => marker,
    )
    assert.equal(markers.length, 20)
    await Promise.all(markers.map(({ key, version_id }, i) => remove(i, bucket, key, version_id)))
    await assertSound(bucket)
    assert.equal((await server.admin.getBucket({ params: { bucket } })).object_count, 10)
  })

  it('stays sound whatever is done to a few keys at once', async () => {
    const bucket = await versioned()
    for (const round of times(6, (i) => i)) {
      const before = (await server.admin.listVersions({ params: { bucket }, query: { limit: 1000 } })).items
      const work = times(24, (i) => {
        const key = `k${i % 3}`
        const version = before.filter((one) => one.key === key)[i % 7]
        switch ((i + round) % 6) {
          case 0:
          case 1:
            return put(i, bucket, key, 'body'.repeat(i % 4))
          case 2:
            return remove(i, bucket, key)
          case 3:
            return version && remove(i, bucket, key, version.version_id)
          case 4:
            return (
              version && client(i).restoreVersion({ params: { bucket }, body: { key, version_id: version.version_id } })
            )
          default:
            return client(i).moveObject({
              params: { bucket },
              body: { source_bucket: bucket, source_key: key, dest_key: `k${(i + 1) % 3}` },
            })
        }
      })
      for (const result of await Promise.allSettled(work))
        if (result.status === 'rejected')
          assert.match(String(result.reason), /not_found|conflict|There is no|no version|marker|current one/)
      await assertSound(bucket)
    }
  })

  it('a version is locked or gone, never both', async () => {
    const bucket = `races-${engine}-${newId().slice(-12)}`
    const params = { bucket }
    await server.admin.createBucket({ body: { name: bucket, object_lock: {} } })
    const until = new Date(server.clock.now().getTime() + 3_600_000).toISOString()
    const ends = await Promise.all(
      times(20, async (i) => {
        const key = `k${i % 4}`
        const { version_id = '' } = await put(i, bucket, key, 'x')
        const lock = client(i).lockObject({ params, body: { key, version_id, mode: 'compliance', until } })
        const gone = remove(i + 1, bucket, key, version_id)
        const [locked, removed] = await Promise.allSettled([lock, gone])
        assert.notEqual(locked.status, removed.status, 'one of the two was first, and the other failed')
        return locked.status === 'fulfilled'
      }),
    )
    const left = (await server.admin.listVersions({ params, query: { limit: 1000 } })).items
    assert.equal(left.length, ends.filter(Boolean).length)
    assert.ok(left.every(({ lock }) => lock?.mode === 'compliance'))
    await assertSound(bucket)
  })
})
