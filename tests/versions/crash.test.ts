import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Client, ProblemError } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { workDaysLater } from '../support/days-later.ts'
import { killableService } from '../support/killable.ts'
import { describeEngines } from '../support/server.ts'

const bucket = 'crash'
const params = { bucket }
const ROUNDS = 5
const WORKERS = 10
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
/** One in four goes to the storage and not into the database. */
const someBytes = () => randomBytes(randomInt(0, 4) === 0 ? randomInt(50_000, 200_000) : randomInt(1, 5000))

/** A key's version; a delete marker has no ETag. The id of one that was cut off is not known before it is listed. */
interface Version {
  id: string
  etag: string | null
  /** Whether it is on legal hold. */
  held: boolean
}

describeEngines('versions: kill -9 in the middle of everything', (engine) => {
  const service = killableService(engine)
  const expected = new Map<string, Version[]>()
  let client: Client
  let cut = 0
  let tookEffect = 0

  /** One worker's requests on a key of its own, until one fails; what is under way is in `sent`. */
  async function work(key: string, sent: Map<string, Version[]>): Promise<void> {
    const settle = (after: Version[]) => {
      expected.set(key, after)
      sent.delete(key)
    }
    for (;;) {
      const before = expected.get(key) ?? []
      const [latest] = before
      const other = before[randomInt(0, Math.max(1, before.length))]
      const choice = randomInt(0, 10)
      if (choice < 3 || !latest || !other) {
        const body = someBytes()
        sent.set(key, [{ id: '', etag: md5(body), held: false }, ...before])
        const { version_id = '', etag } = await client.putObject({ params: { bucket, key }, body })
        settle([{ id: version_id, etag, held: false }, ...before])
      } else if (choice < 5 && latest.etag !== null) {
        sent.set(key, [{ id: '', etag: null, held: false }, ...before])
        await client.deleteObject({ params: { bucket, key } })
        const { items } = await client.listVersions({ params, query: { key, limit: 1 } })
        settle([{ id: items[0]?.version_id ?? '', etag: null, held: false }, ...before])
      } else if (choice < 7 && other.held) {
        await client.deleteObject({ params: { bucket, key }, query: { version_id: other.id } }).then(
          () => assert.fail('a version on legal hold was deleted'),
          (error: unknown) => {
            if (!(error instanceof ProblemError && error.problem.code === 'locked')) throw error
          },
        )
      } else if (choice < 7) {
        const after = before.filter((one) => one !== other)
        sent.set(key, after)
        await client.deleteObject({ params: { bucket, key }, query: { version_id: other.id } })
        settle(after)
      } else if (choice < 9 && other.etag !== null) {
        const after = before.map((one) => (one === other ? { ...one, held: !one.held } : one))
        sent.set(key, after)
        await client.lockObject({ params, body: { key, version_id: other.id, legal_hold: !other.held } })
        settle(after)
      } else if (other !== latest && other.etag !== null) {
        sent.set(key, [{ id: '', etag: other.etag, held: false }, ...before])
        const { version_id = '', etag } = await client.restoreVersion({ params, body: { key, version_id: other.id } })
        settle([{ id: version_id, etag, held: false }, ...before])
      }
    }
  }

  it('keeps every acknowledged version, does the rest wholly or not at all, and leaves nothing behind', async (t) => {
    client = await service.connect()
    await client.createBucket({ body: { name: bucket, trash_days: 0, object_lock: {} } })
    for (let round = 0; round < ROUNDS; round++) {
      const sent = new Map<string, Version[]>()
      let dead = false
      const kill = setTimeout(randomInt(100, 500)).then(() => {
        dead = true
        return service.running.kill('SIGKILL')
      })
      const workers = Array.from({ length: WORKERS }, (_, i) =>
        work(`key ${i}`, sent).catch((error: unknown) => {
          // Only the dying connection may fail one.
          if (!dead || error instanceof ProblemError || error instanceof assert.AssertionError) throw error
          cut++
        }),
      )
      await Promise.all(workers)
      assert.equal(await kill, 'SIGKILL')
      client = await service.connect()
      await check(sent)
    }
    assert.equal(await service.running.kill('SIGTERM'), 0)
    await checkLeftovers()
    t.diagnostic(`${[...expected.values()].flat().length} versions, ${cut} requests cut off, ${tookEffect} took effect`)
  })

  /** Asserts that every key is as acknowledged, or as what was cut off would have made it; settles which. */
  async function check(sent: ReadonlyMap<string, Version[]>): Promise<void> {
    let bytes = 0
    let objects = 0
    for (let i = 0; i < WORKERS; i++) {
      const key = `key ${i}`
      const { items } = await client.listVersions({ params, query: { key, limit: 1000 } })
      const there = items.map(
        ({ version_id, etag, lock }): Version => ({ id: version_id, etag, held: lock?.legal_hold ?? false }),
      )
      const said = (versions: readonly Version[]) => versions.map(({ etag, held }) => [etag, held])
      const after = sent.get(key)
      const isAsBefore = JSON.stringify(said(there)) === JSON.stringify(said(expected.get(key) ?? []))
      if (!isAsBefore) {
        assert.ok(after, `${key} has changed without a request`)
        assert.deepEqual(said(there), said(after), key)
        tookEffect++
      }
      expected.set(key, there)
      for (const { version_id, marker, size, etag } of items) {
        bytes += size
        if (marker) continue
        const body = await (await client.getObject({ params: { bucket, key }, query: { version_id } })).bytes()
        assert.equal(md5(body), etag)
      }
      const isThere = items[0]?.marker === false
      if (isThere) objects++
      const { items: found } = await client.objectsExist({ params, body: { keys: [key] } })
      assert.deepEqual([found[0]?.exists, found[0]?.etag ?? null], [isThere, isThere ? (items[0]?.etag ?? null) : null])
    }
    const { used_bytes, object_count } = await client.getBucket({ params })
    assert.deepEqual([used_bytes, object_count], [bytes, objects])
  }

  /** Runs the workers days later: only what versions are made of may be left. */
  async function checkLeftovers(): Promise<void> {
    await workDaysLater(readConfig({ ...service.env, LOG_LEVEL: 'silent' }))
    const database = await openDatabase(service.databaseUrl)
    const { db } = database
    const pointed = [
      ...(await db.selectFrom('objects').select('blob_id').execute()),
      ...(await db.selectFrom('versions').select('blob_id').execute()),
    ].flatMap(({ blob_id }) => blob_id ?? [])
    const rows = (await db.selectFrom('blobs').select('id').execute()).map(({ id }) => id)
    assert.deepEqual(await db.selectFrom('blob_removals').selectAll().execute(), [])
    await database.close()
    assert.deepEqual(rows.sort(), [...new Set(pointed)].sort())
  }
})
