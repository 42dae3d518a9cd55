import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../server/db/schema.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { type Bucket, momentsWorld, type State } from './world.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** More in a soak: MODEL_RUNS=3000. */
const RUNS = Number(process.env.MODEL_RUNS ?? 12)

describeEngines('moments', (engine, itOnce) => {
  const world = momentsWorld(engine)
  const { open, stateOf } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  /** The keys that differ, with their sizes at both moments; page by page, and as their totals have it. */
  async function changesOf(bucket: Bucket, query: { from: string; to: string; limit: number }) {
    const first = await server.admin.listChanges({ params: bucket.params, query })
    const items = [...first.items]
    for (let cursor = first.next_cursor; cursor !== null; ) {
      const page = await server.admin.listChanges({ params: bucket.params, query: { ...query, cursor } })
      assert.equal(page.totals, undefined)
      items.push(...page.items)
      cursor = page.next_cursor
    }
    const { added, changed, deleted } = first.totals ?? assert.fail('no totals')
    const count = (change: string) => items.filter((one) => one.change === change).length
    assert.deepEqual(
      [added.objects, changed.objects, deleted.objects],
      [count('added'), count('changed'), count('deleted')],
    )
    return items.map(({ key, before, after }) => [key, before?.size ?? null, after?.size ?? null] as const)
  }

  it('lists what changed between two moments, and who changed it', async () => {
    const bucket = await open()
    const from = (await bucket.put('a', '1')) ?? assert.fail()
    await bucket.put('b', '22')
    const token = await server.admin.createToken({ body: { name: 'changer' } })
    server.secrets.add(token.token)
    await server.as(token.token).putObject({ params: { ...bucket.params, key: 'a' }, body: '333' })
    await bucket.put('gone', 'x')
    await bucket.remove('gone')
    const to = (await bucket.put('d/e', '4444')) ?? assert.fail()
    await bucket.remove('a')
    const found = await server.records([], () =>
      server.admin.listChanges({ params: bucket.params, query: { from, to } }),
    )
    assert.deepEqual(
      found.items.map(({ key, change, before, after, by }) => [
        key,
        change,
        before?.size,
        after?.size,
        by.method,
        by.credential,
      ]),
      [
        ['a', 'changed', 1, 3, 'pat', token.id],
        ['b', 'added', undefined, 2, 'local', null],
        ['d/e', 'added', undefined, 4, 'local', null],
      ],
    )
    assert.deepEqual(found.totals, {
      added: { objects: 2, bytes: 6 },
      changed: { objects: 1, bytes_before: 1, bytes_after: 3 },
      deleted: { objects: 0, bytes: 0 },
    })
    const now = await server.admin.listChanges({ params: bucket.params, query: { from: to } })
    assert.deepEqual(
      now.items.map(({ key, change, by }) => [key, change, by.method]),
      [['a', 'deleted', 'local']],
    )
    const inside = await server.admin.listChanges({ params: bucket.params, query: { from, to, prefix: 'd/' } })
    assert.deepEqual(
      inside.items.map(({ key }) => key),
      ['d/e'],
    )
    const added = { from, to, change: 'added', limit: 1 } as const
    const [first, second] = [
      await server.admin.listChanges({ params: bucket.params, query: added }),
      await server.admin.listChanges({ params: bucket.params, query: { from, to, change: 'changed' } }),
    ]
    assert.deepEqual(
      [first.items, second.items].map(([one]) => one?.key),
      ['b', 'a'],
    )
    assert.deepEqual([first.totals, second.totals], [found.totals, found.totals], 'the totals are of all')
    const cursor = first.next_cursor ?? assert.fail('no second page')
    const rest = await server.admin.listChanges({ params: bucket.params, query: { ...added, cursor } })
    assert.deepEqual(
      rest.items.map(({ key }) => key),
      ['d/e'],
    )
    assert.equal(rest.next_cursor, null)
    await rejectsWith(
      server.admin.listChanges({ params: bucket.params, query: { from: to, to: from } }),
      'invalid_request',
      'query.from',
    )
  })

  it('shows a bucket as it was: lists, folders, contents, tags and counts', async () => {
    const bucket = await open()
    const first = (await bucket.put('a/one', 'first one')) ?? assert.fail('no moment')
    assert.match(first, /^2026-01-01T00:00:00\.\d{6}Z$/)
    await bucket.put('a/two', 'two', 'project=apollo')
    const second = (await bucket.put('b', 'b')) ?? assert.fail()
    server.clock.advance(MINUTE)
    const later = (await server.records([{ action: 'move', bucket: bucket.name, key: 'c/one' }], () =>
      bucket.move('a/one', 'c/one'),
    )) as string
    await bucket.put('b', 'other b')
    await bucket.tag('a/two', { project: 'gemini' })
    await bucket.remove('a/two')
    assert.deepEqual(await stateOf(bucket, first), { 'a/one': { text: 'first one', tags: {} } })
    const then = {
      'a/one': { text: 'first one', tags: {} },
      'a/two': { text: 'two', tags: { project: 'apollo' } },
      b: { text: 'b', tags: {} },
    }
    assert.deepEqual(await stateOf(bucket, second), then)
    assert.deepEqual(await stateOf(bucket, '2026-01-01T01:00:59+01:00'), then, 'any time until the next change')
    assert.deepEqual(Object.keys(await stateOf(bucket, later)), ['a/two', 'b', 'c/one'])
    await server.records([], async () => {
      const page = await server.admin.browse({ params: bucket.params, query: { at: second } })
      assert.deepEqual([page.common_prefixes, page.objects.map(({ key }) => key), page.total], [['a/'], ['b'], 2])
      const jump = await server.admin.browse({ params: bucket.params, query: { at: second, offset: 1 } })
      assert.deepEqual([jump.common_prefixes, jump.objects.map(({ key }) => key), jump.total], [[], ['b'], 2])
      const descending = await server.admin.browse({ params: bucket.params, query: { at: second, order: 'desc' } })
      assert.deepEqual([descending.common_prefixes, descending.objects.map(({ key }) => key)], [['a/'], ['b']])
      const sums = await server.admin.countObjects({ params: bucket.params, query: { at: second } })
      assert.deepEqual(sums, { objects: 3, bytes: 13, next_cursor: null })
      const found = await server.admin.listObjects({ params: bucket.params, query: { at: second, search: 'TWO' } })
      assert.deepEqual(
        found.items.map(({ key }) => key),
        ['a/two'],
      )
      const pages = await server.admin.listObjects({ params: bucket.params, query: { at: second, limit: 2 } })
      assert.equal(pages.items.length, 2)
      const rest = await server.admin.listObjects({
        params: bucket.params,
        query: { at: second, cursor: pages.next_cursor ?? '' },
      })
      assert.deepEqual(
        rest.items.map(({ key }) => key),
        ['b'],
      )
    })
  })

  it('says what was purged since, instead of leaving it out', async () => {
    const bucket = await open()
    const moment = (await bucket.put('secret', 'a long enough body')) ?? assert.fail()
    await bucket.copy('secret', 'copy')
    await bucket.remove('secret')
    assert.equal(await bucket.text('secret', moment), 'a long enough body')
    await server.admin.purgeTrash({ params: bucket.params, body: { all: true } })
    assert.equal(await bucket.text('secret', moment), 'a long enough body', 'the copy still has it')
    await bucket.remove('copy', '?permanent=true')
    const [item] = await bucket.list(moment)
    assert.deepEqual([item?.key, item?.erased], ['secret', true])
    await rejectsWith(bucket.text('secret', moment), 'erased')
  })

  it('forgets what is older than the trash keeps, and says so', async () => {
    const bucket = await open({ trash_days: 2 })
    const moment = (await bucket.put('a', '1')) ?? assert.fail()
    await bucket.put('b', 'stays')
    await bucket.put('a', '2')
    await server.later(DAY)
    const kept = (await bucket.put('a', '3')) ?? assert.fail()
    await server.later(1.5 * DAY)
    await server.running.tick('trash-expiry')
    await rejectsWith(bucket.list(moment), 'invalid_request', 'query.at')
    assert.equal(await bucket.text('a', kept), '3')
    assert.equal(await bucket.text('b', kept), 'stays')
    await server.later(10 * DAY)
    await server.running.tick('trash-expiry')
    const left = await server.database.db
      .selectFrom('former_objects')
      .innerJoin('buckets', 'buckets.id', 'bucket_id')
      .select('key')
      .where('buckets.name', '=', bucket.name)
      .execute()
    assert.deepEqual(left, [])
    assert.equal(await bucket.text('b', kept), 'stays', 'it has not changed since')
  })

  it('says from when on it is known, which can be asked for, and nothing before', async () => {
    const bucket = await open({ trash_days: 2 })
    const { params } = bucket
    const set = (trash_days: number) => server.admin.updateBucket({ params, body: { trash_days } })
    const known = async () => {
      const { history_from } = await server.admin.getBucket({ params })
      const listed = (await server.admin.listBuckets({ query: { limit: 1000 } })).items
      assert.equal(listed.find(({ name }) => name === bucket.name)?.history_from, history_from)
      return history_from ?? assert.fail('nothing is known')
    }
    const { created_at } = await server.admin.getBucket({ params })
    assert.equal(Date.parse(await known()), Date.parse(created_at))
    const earliest = async () => {
      const from = await known()
      await server.admin.listChanges({ params, query: { from } })
      await bucket.list(from)
      const before = new Date(Date.parse(from) - 1).toISOString()
      await rejectsWith(server.admin.listChanges({ params, query: { from: before } }), 'invalid_request', 'query.from')
      return Date.parse(from)
    }
    await earliest()
    await bucket.put('a', '1')
    await server.later(1000)
    await bucket.put('a', '2')
    await server.later(3 * DAY)
    await server.running.tick('trash-expiry')
    const expired = await earliest()
    assert.ok(expired > Date.parse(created_at))
    await bucket.put('a', '3')
    await server.later(1000)
    assert.equal((await set(0)).history_from, null)
    assert.equal((await server.admin.getBucket({ params })).history_from, null)
    await server.later(60_000)
    await server.running.tick('trash-expiry')
    // What was kept before is not known again.
    await set(2)
    await server.later(1000)
    assert.ok((await earliest()) > expired)
  })

  it('still has the contents after the bucket was encrypted', async () => {
    const bucket = await open()
    const moment = (await bucket.put('a', 'the first contents of a')) ?? assert.fail()
    await bucket.tag('a', { later: 'yes' })
    await bucket.put('a', 'the second contents of a')
    await bucket.put('b', 'deleted')
    const both = (await bucket.put('c', 'moved')) ?? assert.fail()
    await bucket.remove('b')
    await bucket.move('c', 'd')
    await server.admin.createJob({ body: { kind: 'encrypt', source_bucket: bucket.name } })
    await server.running.tick('jobs')
    assert.equal(await bucket.text('a', moment), 'the first contents of a')
    assert.deepEqual(
      Object.entries(await stateOf(bucket, both)).map(([key, { text }]) => [key, text]),
      [
        ['a', 'the second contents of a'],
        ['b', 'deleted'],
        ['c', 'moved'],
      ],
    )
    assert.deepEqual(
      (await bucket.list(both)).map(({ erased, encryption }) => [erased, encryption?.algorithm]),
      Array.from({ length: 3 }, () => [undefined, 'AES256']),
    )
  })

  it('knows who made each change: by what credential, through which link, by which job', async () => {
    const bucket = await open()
    const key = await server.admin.createToken({ body: { name: 'robot' } })
    server.secrets.add(key.token)
    await server.as(key.token).putObject({ params: { ...bucket.params, key: 'a' }, body: 'by a token' })
    const job = await server.admin.createJob({
      body: { kind: 'move', source_bucket: bucket.name, keys: ['a'], dest_bucket: bucket.name, dest_prefix: 'b/' },
    })
    await server.running.tick('jobs')
    const link = await server.admin.createShare({
      body: { bucket: bucket.name, kind: 'upload', prefix: 'in/' },
    })
    const token = new URL(link.url).pathname.split('/').at(-1)
    const sent = await fetch(`${server.url}/api/v1/public/s/${token}/x.txt`, {
      method: 'PUT',
      body: 'by a visitor',
    })
    assert.ok(sent.ok, await sent.text())
    const { rows } = await sql<{ key: string; began: string; ended: string | null }>`
      select o.key, b.kind as began, b.credential_id as credential, b.job_id as job, b.share_id as share, null as ended
        from objects o left join change_authors b on b.id = o.author
        where o.bucket_id = (select id from buckets where name = ${bucket.name})
      union all
      select f.key, b.kind, b.credential_id, b.job_id, b.share_id, e.job_id
        from former_objects f left join change_authors b on b.id = f.author left join change_authors e on e.id = f.ended_by
        where f.bucket_id = (select id from buckets where name = ${bucket.name})
      order by key`.execute(server.database.db as Kysely<Schema>)
    assert.deepEqual(rows, [
      { key: 'a', began: 'pat', credential: key.id, job: null, share: null, ended: job.id },
      { key: 'b/a', began: 'local', credential: null, job: job.id, share: null, ended: null },
      { key: 'in/x.txt', began: 'share_link', credential: null, job: null, share: link.id, ended: null },
    ])
  })

  itOnce('refuses moments that are none, have not come or were before the bucket', async () => {
    const bucket = await open()
    for (const at of [
      'yesterday',
      '2026-02-30T00:00:00Z',
      '2026-01-01',
      '2999-01-01T00:00:00Z',
      '1999-01-01T00:00:00Z',
    ])
      await rejectsWith(bucket.list(at), 'invalid_request', 'query.at')
    await rejectsWith(
      server.admin.browse({ params: bucket.params, query: { at: '2026-01-01T00:00:00Z', sort: 'size' } }),
      'invalid_request',
    )
    const stranger = server.as(await server.userWith({ bucket_pattern: 'elsewhere', actions: ['read'] }))
    await rejectsWith(
      stranger.listObjects({ params: bucket.params, query: { at: '1999-01-01T00:00:00Z' } }),
      'forbidden',
    )
  })

  it('has exactly one state for each moment, whatever happens afterwards', async () => {
    const key = fc.constantFrom('a', 'b', 'c/1', 'c/2', 'd')
    const text = fc.constantFrom('x', 'some longer text', 'y')
    const step = fc.oneof(
      fc.record({ kind: fc.constant('put' as const), key, text }),
      fc.record({ kind: fc.constant('remove' as const), key }),
      fc.record({ kind: fc.constant('move' as const), key, to: key }),
      fc.record({ kind: fc.constant('copy' as const), key, to: key }),
      fc.record({ kind: fc.constant('tag' as const), key, text: fc.constantFrom('1', '2') }),
      fc.record({ kind: fc.constant('restore' as const), nth: fc.nat(3) }),
      fc.record({ kind: fc.constant('wait' as const) }),
    )
    const versions = fc.constantFrom(undefined, 'enabled' as const)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), versions, async (steps, versioning) => {
        const bucket = await open(versioning ? { versioning } : {})
        const now: State = {}
        const remembered: [string, State][] = []
        for (const one of steps) {
          let moment: string | null = null
          if (one.kind === 'wait') server.clock.advance(1)
          else if (one.kind === 'put') {
            moment = await bucket.put(one.key, one.text)
            now[one.key] = { text: one.text, tags: {} }
          } else if (one.kind === 'restore') {
            const item = (await bucket.trash())[one.nth]
            if (!item) continue
            await bucket.restore([item.id])
            // What it was then is for the list of now to say: the model does not keep the trash.
            Object.assign(now, { [item.key]: (await stateOf(bucket))[item.key] })
            continue
          } else {
            const before = now[one.key]
            if (!before) continue
            if (one.kind === 'remove') {
              moment = await bucket.remove(one.key)
              delete now[one.key]
            } else if (one.kind === 'tag') {
              moment = await bucket.tag(one.key, { t: one.text })
              now[one.key] = { text: before.text, tags: { t: one.text } }
            } else if (one.to !== one.key) {
              moment = one.kind === 'move' ? await bucket.move(one.key, one.to) : await bucket.copy(one.key, one.to)
              now[one.to] = before
              if (one.kind === 'move') delete now[one.key]
            }
          }
          if (moment !== null) remembered.push([moment, { ...now }])
        }
        for (const [moment, state] of remembered) assert.deepEqual(await stateOf(bucket, moment), state, moment)
        for (const [from, before] of remembered)
          for (const [to, after] of remembered) {
            if (from > to) continue
            const expected = [...new Set([...Object.keys(before), ...Object.keys(after)])]
              .filter((one) => !isDeepStrictEqual(before[one], after[one]))
              .sort()
              .map((one) => [one, before[one]?.text.length ?? null, after[one]?.text.length ?? null])
            const found = await changesOf(bucket, { from, to, limit: 2 })
            // With versions, the same contents written again are another version.
            const real = found.filter(
              ([, b, a], i) => !(versioning && b === a && !expected.some(([k]) => k === found[i]?.[0])),
            )
            assert.deepEqual(real, expected, `${from} ${to}`)
          }
      }),
      { numRuns: RUNS },
    )
  })
})
