import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { after, before, it } from 'node:test'
import type { PolicyRun } from '../../contract/policies.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'

/** POLICY_OBJECTS=100000 for the full size. */
const OBJECTS = Number(process.env.POLICY_OBJECTS ?? 4000)
const DAY = 86_400_000
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

describeEngines(`a policy over ${OBJECTS} objects while uploads go on`, (engine) => {
  let server: TestServer
  const name = 'large'
  before(async () => {
    server = await startServer(engine, { LOG_LEVEL: 'warn' })
    await server.admin.createBucket({ body: { name } })
  })
  after(() => server.stop())

  let shard = 99
  /** Makes objects that share the bytes of one, as old as the clock says. */
  async function fill(keys: readonly string[]): Promise<void> {
    await server.admin.putObject({ params: { bucket: name, key: 'seed' }, body: 'x' })
    const seed = await server.database.db.selectFrom('objects').selectAll().executeTakeFirstOrThrow()
    await server.database.transaction(async (tx) => {
      for (let i = 0; i < keys.length; i += 1000) {
        const rows = keys.slice(i, i + 1000).map((key) => ({ ...seed, key, etag: md5(key) }))
        await tx.insertInto('objects').values(rows).execute()
      }
      await tx
        .insertInto('bucket_usage')
        .values({ bucket_id: seed.bucket_id, shard: ++shard, bytes: keys.length, objects: keys.length, trash_bytes: 0 })
        .execute()
    })
  }
  async function settled({ policy_id: id, id: run_id }: PolicyRun): Promise<PolicyRun> {
    for (;;) {
      const run = await server.admin.getPolicyRun({ params: { id, run_id } })
      if (run.finished_at !== null) return run
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  async function listed({ policy_id: id, id: run_id }: PolicyRun) {
    const all: { key: string; outcome: string }[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: 1000, ...(cursor ? { cursor } : {}) }
      const page = await server.admin.listPolicyRunItems({ params: { id, run_id }, query })
      all.push(...page.items.map(({ key, outcome }) => ({ key, outcome })))
      cursor = page.next_cursor
    }
    return all
  }
  /** Uploads, four at a time, until told to stop; returns what was acknowledged and how long it took. */
  function uploads(keyOf: (i: number) => string) {
    let stop = false
    let next = 0
    const etags = new Map<string, string>()
    const times: number[] = []
    const lane = async () => {
      while (!stop) {
        const key = keyOf(next++)
        const body = `${key} anew ${next}`
        const start = performance.now()
        const { etag } = await server.admin.putObject({ params: { bucket: name, key }, body })
        times.push(performance.now() - start)
        etags.set(key, etag)
      }
    }
    const lanes = Promise.all([lane(), lane(), lane(), lane()])
    return async () => {
      stop = true
      await lanes
      times.sort((a, b) => a - b)
      const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
      return {
        etags,
        text: `${times.length} uploads meanwhile, ms at 50 % ${at(0.5)}, 99 % ${at(0.99)}, most ${at(0.9999)}`,
      }
    }
  }
  const timed = async <T>(work: () => Promise<T>) => {
    const start = performance.now()
    const result = await work()
    return { result, seconds: (performance.now() - start) / 1000 }
  }

  it('lists in a dry run exactly what the run then deletes', { timeout: 900_000 }, async (t) => {
    const old = Array.from({ length: OBJECTS }, (_, i) => `logs/${i % 97}/${String(i).padStart(7, '0')}.log`)
    const others = Array.from({ length: OBJECTS / 10 }, (_, i) => `logs/${i % 97}/${String(i).padStart(7, '0')}.txt`)
    await fill([...old, ...others])
    await server.later(40 * DAY)
    const { id } = await server.admin.createPolicy({
      body: { name: 'logs', bucket_patterns: [name], prefix: 'logs/', glob: '**/*.log', older_than_days: 30 },
    })
    const finish = uploads((i) => `logs/${i % 97}/new${i}.log`)
    const go = async (query: object) => settled(await server.admin.runPolicy({ params: { id }, query }))
    const dry = await timed(() => go({ dry_run: true }))
    const expected = await listed(dry.result)
    const live = await timed(() => go({}))
    const { etags, text } = await finish()
    t.diagnostic(`${engine}: dry run ${dry.seconds.toFixed(1)} s, run ${live.seconds.toFixed(1)} s; ${text}`)
    assert.deepEqual([dry.result.status, dry.result.matched, live.result.status], ['succeeded', OBJECTS, 'succeeded'])
    assert.deepEqual([live.result.matched, live.result.deleted, live.result.kept], [OBJECTS, OBJECTS, 0])
    const keys = (all: { key: string }[]) => all.map(({ key }) => key).sort()
    const deleted = await listed(live.result)
    assert.ok(deleted.every(({ outcome }) => outcome === 'deleted'))
    assert.deepEqual(keys(deleted), keys(expected))
    assert.deepEqual(keys(expected), old.toSorted())
    const { db } = server.database
    const left = new Map((await db.selectFrom('objects').select(['key', 'etag']).execute()).map((o) => [o.key, o.etag]))
    assert.equal(left.size, others.length + 1 + etags.size)
    for (const [key, etag] of etags) assert.equal(left.get(key), etag)
    const records = (await allActions(server.database)).filter(({ action }) => action === 'delete')
    assert.deepEqual([records.length, new Set(records.map(({ object_key }) => object_key)).size], [OBJECTS, OBJECTS])
    const bucket = await server.admin.getBucket({ params: { bucket: name } })
    assert.deepEqual([bucket.object_count, bucket.trash_bytes], [left.size, OBJECTS])
  })

  it('keeps what is overwritten before its turn, and deletes the rest of the list', { timeout: 900_000 }, async (t) => {
    const count = OBJECTS / 2
    const old = Array.from({ length: count }, (_, i) => `second/${String(i).padStart(7, '0')}`)
    await server.database.transaction((tx) => tx.deleteFrom('objects').where('key', '=', 'seed').execute())
    await fill(old)
    await server.later(40 * DAY)
    const { id } = await server.admin.createPolicy({
      body: { name: 'second', bucket_patterns: [name], prefix: 'second/', older_than_days: 30 },
    })
    const dry = await settled(await server.admin.runPolicy({ params: { id }, query: { dry_run: true } }))
    assert.equal(dry.matched, count)
    server.clock.advance(1000)
    let random = 7
    const finish = uploads(() => {
      random = (random * 48271) % 2147483647
      return old[random % count] as string
    })
    const run = await server.admin.runPolicy({ params: { id }, query: { of: dry.id } })
    const done = await settled(run)
    const { etags } = await finish()
    const outcomes = await listed(done)
    t.diagnostic(`${done.deleted} deleted, ${done.kept} kept of ${count}; ${etags.size} overwritten`)
    assert.deepEqual([done.status, done.deleted + done.kept], ['succeeded', count])
    assert.deepEqual(outcomes.map(({ key }) => key).sort(), old)
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'deleted').length, done.deleted)
    const { db } = server.database
    const left = new Map(
      (
        await db
          .selectFrom('objects')
          .select(['key', 'etag'])
          .where('key', '>=', 'second/')
          .where('key', '<', 'second0')
          .execute()
      ).map((o) => [o.key, o.etag]),
    )
    assert.deepEqual(
      [...left.keys()].sort(),
      [...etags.keys()].sort(),
      'nothing acknowledged is lost, nothing else is left',
    )
    for (const { key, outcome } of outcomes) if (outcome === 'kept_changed') assert.ok(etags.has(key))
  })
})
