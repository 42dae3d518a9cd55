import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { type Client, createClient, ProblemError } from '../../client/derived.ts'
import type { Action } from '../../contract/actions.ts'
import { systemActor } from '../../server/access/actors.ts'
import { agentGate } from '../../server/access/agent-limits/gate.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Ctx, createContext, type System } from '../../server/context.ts'
import { createLog } from '../../server/observe/log.ts'
import { publish } from '../../server/process/publish.ts'
import { type Running, start } from '../../server/process/start.ts'
import { holdBuckets } from '../../server/storage/buckets/service.ts'
import { transferObjects } from '../../server/storage/objects/transfers/transfer.ts'
import { repeats } from '../support/repeats.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'
import { assertExact, bucketsOf, GIB, HOUR, KINDS, type Kind, sum, times } from './transfers.ts'

/** How each call ended: `ok` or its problem's code. */
const outcomes = async (calls: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) => {
    if (one.status === 'fulfilled') return 'ok'
    return one.reason instanceof ProblemError ? one.reason.problem.code : String(one.reason)
  })

const count = (all: string[], code: string) => all.filter((one) => one === code).length

type Step = { key: string; dest: string }

describeEngines('the step that copies and moves', (engine) => {
  let server: TestServer
  let system: System
  const open = bucketsOf(() => server, 'step')
  before(async () => {
    server = await startServer(engine)
    const { database, clock, env } = server
    const log = createLog('silent', undefined)
    const stopping = new AbortController().signal
    const rest = { log, background: () => assert.fail(), worksInBackground: false, stopping, publish, agentGate }
    system = { database, blobs: null as never, config: readConfig(env), now: clock.now, ...rest }
  })
  after(() => server.stop())

  /** Fills two buckets (sizes by key), runs the operation, returns what `look` finds, and undoes everything. */
  async function attempt<T>(
    kind: Kind,
    given: { source: Record<string, number>; dest: Record<string, number> | 'same'; quota?: number | null },
    pairs: Step[],
    ifNoneMatch: boolean,
    look: (found: {
      placed: Step[]
      errors: Record<string, string>
      source: Record<string, string>
      dest: Record<string, string>
      trash: string[]
      used: number
      recorded: string[]
    }) => T,
  ): Promise<T> {
    class Undo extends Error {}
    let result: T | undefined
    const names = [`${engine}-source`, given.dest === 'same' ? `${engine}-source` : `${engine}-dest`] as const
    await database(async (upkeep) => {
      const { tx } = upkeep
      const seed = await tx.selectFrom('objects').selectAll().executeTakeFirstOrThrow()
      for (const [i, name] of [...new Set(names)].entries()) {
        const { id } = await tx.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
        const sizes = Object.entries(i === 0 ? given.source : (given.dest as Record<string, number>))
        if (sizes.length > 0)
          await tx
            .insertInto('objects')
            .values(sizes.map(([key, size]) => ({ ...seed, moment: 0, bucket_id: id, key, size, etag: `${i}:${key}` })))
            .execute()
        const bytes = sum(sizes.map(([, size]) => size))
        await tx
          .insertInto('bucket_usage')
          .values({ bucket_id: id, shard: 0, bytes, objects: sizes.length, trash_bytes: 0 })
          .execute()
        if (name === names[1] && given.quota !== undefined && given.quota !== null)
          await tx
            .insertInto('quotas')
            .values({ scope: id, quota_gb: given.quota / GIB, used_bytes: null })
            .execute()
      }
      const buckets = await holdBuckets(tx, ...names, kind)
      const recorded: string[] = []
      const record = (action: Action) => void recorded.push(`${action.name} ${action.key}`)
      const others: Promise<unknown>[] = []
      const awaitAtCommit = (work: Promise<unknown>) => {
        others.push(work)
        work.catch(() => undefined)
      }
      const step = { ...upkeep, record, awaitAtCommit, atEnd: () => assert.fail(), nothing: assert.fail }
      const { placed, errors } = await transferObjects(step, buckets, pairs, { kind, ifNoneMatch })
      await Promise.all(others)
      const held = async (id: string) => {
        const rows = await tx
          .selectFrom('objects')
          .select(['key', 'etag', 'size'])
          .where('bucket_id', '=', id)
          .execute()
        return { rows, byKey: Object.fromEntries(rows.map(({ key, etag }) => [key, etag])) }
      }
      const [source, dest] = [await held(buckets[0].id), await held(buckets[1].id)]
      const trash = await tx.selectFrom('trash').selectAll().where('bucket_id', '=', buckets[1].id).execute()
      for (const [bucket, { rows }] of [
        [buckets[0], source],
        [buckets[1], dest],
      ] as const) {
        const usage = await tx
          .selectFrom('bucket_usage')
          .select((e) => [e.fn.sum<number>('bytes').as('bytes'), e.fn.sum<number>('objects').as('objects')])
          .select((e) => e.fn.sum<number>('trash_bytes').as('trash_bytes'))
          .where('bucket_id', '=', bucket.id)
          .executeTakeFirstOrThrow()
        const kept = bucket === buckets[1] ? trash : []
        assert.deepEqual(
          { ...usage },
          {
            bytes: sum(rows.map(({ size }) => size)),
            objects: rows.length,
            trash_bytes: sum(kept.map(({ size }) => size)),
          },
        )
      }
      result = look({
        placed: placed.map(({ pair }) => pair),
        errors: Object.fromEntries(errors.map(({ key, code }) => [key, code])),
        source: source.byKey,
        dest: dest.byKey,
        trash: trash.map(({ etag }) => etag).toSorted(),
        used: sum(dest.rows.map(({ size }) => size)),
        recorded,
      })
      throw new Undo()
    }).catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
    return result as T
  }
  const database = (work: Parameters<Ctx['upkeep']>[0]) =>
    createContext(system, { ...systemActor, groups: [{ id: '', name: '', global: ['admin'], grants: [] }] }).upkeep(
      work,
    )
  before(async () => {
    const bucket = await open()
    await bucket.put('seed')
    for (const name of [`${engine}-source`, `${engine}-dest`]) await server.admin.createBucket({ body: { name } })
  })

  it('rejects swaps and cycles, and loses nothing', async () => {
    const source = { a: 1, b: 2, c: 3 }
    for (const pairs of [
      [
        { key: 'a', dest: 'b' },
        { key: 'b', dest: 'a' },
      ],
      [
        { key: 'a', dest: 'b' },
        { key: 'b', dest: 'c' },
        { key: 'c', dest: 'a' },
      ],
    ])
      await attempt('move', { source, dest: 'same' }, pairs, false, ({ placed, errors, dest, recorded }) => {
        assert.deepEqual([placed, recorded, dest], [[], [], { a: '0:a', b: '0:b', c: '0:c' }])
        assert.deepEqual(new Set(Object.values(errors)), new Set(['conflict']))
      })
    const swap = [
      { key: 'a', dest: 'b' },
      { key: 'b', dest: 'a' },
    ]
    await attempt('copy', { source, dest: 'same' }, swap, false, ({ errors, dest, trash }) => {
      assert.deepEqual([errors, dest, trash], [{}, { a: '0:b', b: '0:a', c: '0:c' }, ['0:a', '0:b']])
    })
  })

  it('does or rejects each, loses nothing and counts everything, whatever goes where', async () => {
    const name: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const sizes = fc.dictionary(name, fc.integer({ min: 0, max: 20 }), { noNullPrototype: true })
    const pairs = fc.uniqueArray(fc.record({ key: name, dest: name }), { maxLength: 5, selector: ({ key }) => key })
    const quota = fc.option(fc.integer({ min: 0, max: 60 }))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...KINDS),
        sizes,
        fc.oneof(sizes, fc.constant('same' as const)),
        quota,
        pairs,
        fc.boolean(),
        async (kind, source, dest, quota, all, ifNoneMatch) => {
          const same = dest === 'same'
          const begun = same ? source : dest
          await attempt(kind, { source, dest, quota }, all, ifNoneMatch, (found) => {
            const { placed, errors } = found
            assert.deepEqual(
              [...placed.map(({ key }) => key), ...Object.keys(errors)].toSorted(),
              all.map(({ key }) => key).toSorted(),
            )
            assert.deepEqual(
              found.recorded,
              placed.map((pair) => `${kind} ${pair.dest}`),
            )
            assert.deepEqual(
              placed,
              all.filter((pair) => placed.some(({ key }) => key === pair.key)),
              'in their order',
            )
            const left = new Set(kind === 'move' ? placed.map(({ key }) => key) : [])
            const expected = new Map(Object.keys(begun).map((key) => [key, `${same ? 0 : 1}:${key}`]))
            if (same) for (const key of left) expected.delete(key)
            const replaced = placed.flatMap((pair) => expected.get(pair.dest) ?? [])
            for (const pair of placed) expected.set(pair.dest, `0:${pair.key}`)
            assert.deepEqual(found.dest, Object.fromEntries(expected))
            assert.deepEqual(found.trash, replaced.toSorted())
            if (ifNoneMatch) assert.deepEqual(replaced, [])
            if (!same)
              assert.deepEqual(
                Object.keys(found.source).toSorted(),
                Object.keys(source)
                  .filter((key) => !left.has(key))
                  .toSorted(),
              )
            const before = sum(Object.values(begun))
            if (quota !== null) assert.ok(found.used <= Math.max(quota, before), `${found.used} of ${quota}`)
            if (quota === null || quota >= 200 || (same && kind === 'move'))
              assert.ok(!Object.values(errors).includes('quota_exceeded'))
            for (const pair of all) {
              const there = pair.key in source
              assert.equal(errors[pair.key] === 'not_found', !there)
              if (there && same && pair.key === pair.dest) assert.equal(errors[pair.key], 'conflict')
            }
          })
        },
      ),
      { numRuns: repeats(engine === 'sqlite' ? 150 : 50) },
    )
  })
})

// SQLite has one writer, so most races can only show on PostgreSQL, where a second service works on the same tables.
describeEngines('racing copies and moves', (engine, _itOnce, _itStored, itRaced) => {
  let server: TestServer
  let twin: Running | undefined
  let clients: Client[]
  const open = bucketsOf(() => server, 'race')
  before(async () => {
    server = await startServer(engine)
    clients = [server.admin]
    if (engine === 'sqlite') return
    const config = readConfig({ ...server.env, LOG_LEVEL: 'silent' })
    twin = await start(config, { now: server.clock.now, timers: false })
    clients.push(createClient({ baseUrl: twin.url, token: () => server.adminToken }))
  })
  after(async () => {
    await twin?.stop()
    await server.stop()
  })
  const client = (i: number) => clients[i % clients.length] as Client
  const shuffled = <T>(all: T[]) => all.toSorted(() => Math.random() - 0.5)

  itRaced('lets one of eight move an object, wherever the others want it', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 1 })]
    for (let round = 0; round < 10; round++) {
      const key = `k${round}`
      await from.put(key, `contents ${round}`)
      const spread = round % 2 === 0
      const results = await outcomes(
        times(8, (i) =>
          client(i).moveObject({
            params: { bucket: i % 3 ? to.name : from.name },
            body: { source_bucket: from.name, source_key: key, dest_key: spread ? `${key}-${i}` : `${key}-new` },
          }),
        ),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'not_found')], [1, 7], results.join())
      const places = [...(await from.keys()), ...(await to.keys())].filter((one) => one.startsWith(`${key}-`))
      assert.equal(places.length, 1)
      await assertExact(server, from.name, to.name)
    }
    assert.deepEqual([await from.trash(), await to.trash()], [[], []])
    const moves = (await allActions(server.database)).filter(({ action }) => action === 'move')
    assert.equal(moves.length, 10)
  })

  itRaced('lets one of eight copy onto a free key where it has to be free', async () => {
    const bucket = await open()
    await bucket.put('a')
    for (let round = 0; round < 5; round++) {
      const results = await outcomes(
        times(8, (i) =>
          client(i).copyObject({
            params: { bucket: bucket.name },
            body: { source_bucket: bucket.name, source_key: 'a', dest_key: `b${round}`, if_none_match: '*' },
          }),
        ),
      )
      assert.deepEqual([count(results, 'ok'), count(results, 'precondition_failed')], [1, 7], results.join())
    }
    assert.deepEqual(await bucket.trash(), [])
    await assertExact(server, bucket.name)
  })

  itRaced('fills a quota to the byte with eight who copy at once', async () => {
    const [from, to] = [await open(), await open({ quota_gb: 100 / GIB })]
    await from.put('ten', Buffer.alloc(10))
    const results = await outcomes(
      times(24, (i) =>
        client(i).copyObject({
          params: { bucket: to.name },
          body: { source_bucket: from.name, source_key: 'ten', dest_key: `${i}` },
        }),
      ),
    )
    assert.deepEqual([count(results, 'ok'), count(results, 'quota_exceeded')], [10, 14], results.join())
    assert.deepEqual(await to.usage(), [100, 10, 0])
    await assertExact(server, to.name)
  })

  itRaced('copies many onto the same keys from eight clients, each complete', async () => {
    const keys = times(40, (i) => `k${String(i).padStart(2, '0')}`)
    const sources = await Promise.all(times(4, () => open()))
    for (const [i, source] of sources.entries()) for (const key of keys) await source.put(key, `${i}`)
    for (const body of [{}, { quota_gb: 1 }]) {
      const to = await open(body)
      const results = await Promise.allSettled(
        times(8, (i) =>
          client(i).bulkCopy({
            params: { bucket: to.name },
            body: { source_bucket: sources[i % 4]?.name ?? '', keys: shuffled(keys) },
          }),
        ),
      )
      for (const one of results) {
        assert.ok(one.status === 'fulfilled', one.status === 'rejected' ? String(one.reason) : '')
        assert.deepEqual([one.value.succeeded.length, one.value.errors], [keys.length, []])
      }
      const texts = new Set(await Promise.all(keys.map((key) => to.text(key))))
      assert.equal(texts.size, 1, 'the objects of one of them')
      assert.equal((await to.trash()).length, 7 * keys.length)
      await assertExact(server, to.name, ...sources.map(({ name }) => name))
    }
  })

  itRaced('moves many both ways between two buckets at once: none lost, none doubled, no deadlock shown', async () => {
    const keys = times(30, (i) => `k${String(i).padStart(2, '0')}`)
    for (const quota of [{}, { quota_gb: 1 }]) {
      const [a, b] = [await open(quota), await open(quota)]
      for (const key of keys) {
        await a.put(key, `a ${key}`)
        await b.put(`${key}x`, `b ${key}`)
      }
      const all = [...keys, ...keys.map((key) => `${key}x`)]
      for (let round = 0; round < 4; round++) {
        const results = await Promise.allSettled(
          times(8, (i) => {
            const [from, to] = i % 2 ? [a, b] : [b, a]
            const body = { source_bucket: from.name, keys: shuffled(all), if_none_match: '*' as const }
            return client(Math.floor(i / 2)).bulkMove({ params: { bucket: to.name }, body })
          }),
        )
        for (const one of results) {
          assert.ok(one.status === 'fulfilled', one.status === 'rejected' ? String(one.reason) : '')
          const { succeeded, errors } = one.value
          assert.equal(succeeded.length + errors.length, all.length)
          for (const { code } of errors) assert.ok(['not_found', 'precondition_failed'].includes(code), code)
        }
        assert.deepEqual([...(await a.keys()), ...(await b.keys())].toSorted(), all.toSorted())
      }
      assert.deepEqual([await a.trash(), await b.trash()], [[], []])
      await assertExact(server, a.name, b.name)
    }
  })

  itRaced('deletes many from eight clients: each object once', async () => {
    const keys = times(60, (i) => `k${i}`)
    const bucket = await open()
    for (const key of keys) await bucket.put(key)
    const results = await Promise.all(
      times(8, (i) => client(i).bulkDelete({ params: { bucket: bucket.name }, body: { keys: shuffled(keys) } })),
    )
    assert.equal(sum(results.map(({ succeeded }) => succeeded.length)), keys.length)
    assert.deepEqual((await bucket.trash()).map(({ key }) => key).toSorted(), keys.toSorted())
    await assertExact(server, bucket.name)
  })

  it('counts exactly through a storm of copies, moves, uploads, deletes and restores', async () => {
    const buckets = [await open({ quota_gb: 20_000 / GIB }), await open(), await open({ trash_days: 0 })]
    await server.admin.updateSettings({ body: { quotas: { total_quota_gb: 1 } } })
    const seen = new Set<string>()
    const any = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] as T
    const key = () => `k${Math.floor(Math.random() * 12)}`
    const operate = async (i: number): Promise<unknown> => {
      const one = client(i)
      const [from, to] = [any(buckets), any(buckets)]
      const params = { bucket: to.name }
      const kind = Math.floor(Math.random() * 7)
      const single = { source_bucket: from.name, source_key: key(), dest_key: key() }
      const many = { source_bucket: from.name, keys: [...new Set(times(5, key))], dest_prefix: any(['', 'd/']) }
      if (kind === 0) return one.putObject({ params: { ...params, key: key() }, body: Buffer.alloc(100 + i * 37) })
      if (kind === 1) return one.copyObject({ params, body: single })
      if (kind === 2) return one.moveObject({ params, body: single })
      if (kind === 3) return one.bulkCopy({ params, body: many })
      if (kind === 4) return one.bulkMove({ params, body: many })
      if (kind === 5) return one.bulkDelete({ params, body: { keys: many.keys.slice(0, 2) } })
      const { items } = await one.listTrash({ params, query: { limit: 3 } })
      return items[0] && one.restoreTrash({ params, body: { ids: [items[0].id] } })
    }
    try {
      await Promise.all(
        times(8, async (worker) => {
          for (let i = 0; i < 25; i++) for (const code of await outcomes([operate(worker)])) seen.add(code)
        }),
      )
      const known = ['ok', 'not_found', 'conflict', 'quota_exceeded']
      assert.deepEqual(
        [...seen].filter((code) => !known.includes(code)),
        [],
      )
      await assertExact(server, ...buckets.map(({ name }) => name))
    } finally {
      await server.admin.updateSettings({ body: { quotas: { total_quota_gb: null } } })
    }
    await server.later(2 * HOUR)
    await server.running.tick()
    for (const bucket of buckets) for (const one of await bucket.keys()) assert.notEqual(await bucket.text(one), null)
  })
})
