import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Client, createClient } from '../../client/derived.ts'
import type { Job } from '../../contract/jobs.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { byBytes, DAY, isOver, jobsWorld, md5, type NewJob, numbered, times } from './jobs.ts'

describeEngines('jobs: while they run', (engine, itOnce, _itStored, itRaced) => {
  const world = jobsWorld(engine)
  const {
    open,
    fill,
    contents,
    keysOf,
    assertExact,
    create,
    get,
    finish,
    run,
    midway,
    pause,
    counts,
    succeeded,
    codes,
    recordsOf,
    person,
  } = world
  let server: TestServer
  let twin: Running | undefined
  before(() => {
    server = world.server
    twin = world.twin
  })

  /** Starts a job on 3000 objects and changes three of them meanwhile: contents, metadata, deleted and created again. */
  const overtaken = async (body: Omit<NewJob, 'source_bucket'>) => {
    const name = await open({ trash_days: 0 })
    const keys = numbered('a/', 3000)
    await fill(name, keys)
    const job = await create({ ...body, source_bucket: name })
    const paused = await pause(job)
    server.clock.advance(1000)
    const [put, described, anew, gone] = keys.slice(-4) as [string, string, string, string]
    for (const key of [anew, gone]) await server.admin.deleteObject({ params: { bucket: name, key } })
    for (const key of [put, anew]) await server.admin.putObject({ params: { bucket: name, key }, body: `new ${key}` })
    await server.admin.updateObject({ params: { bucket: name, key: described }, body: { content_type: 'text/new' } })
    return { name, keys, job, paused, changed: [put, described, anew], gone }
  }

  const texts = async (name: string, keys: readonly string[]) =>
    Promise.all(keys.map(async (key) => (await server.admin.getObject({ params: { bucket: name, key } })).text()))

  itOnce('shows itself growing while it runs, to its creator and administrators alone', async () => {
    const name = await open()
    const keys = numbered('a/', 3000)
    await fill(name, keys)
    const grant = { bucket_pattern: name, actions: ['list' as const, 'delete' as const] }
    const [alice, bob] = [await person(grant), await person(grant)]
    const job = await create({ kind: 'delete', source_bucket: name, prefix: 'a/' }, alice.client)
    assert.deepEqual(
      [job.status, job.total, job.done, job.started_at, job.finished_at],
      ['queued', null, 0, null, null],
    )
    const seen: Job[] = []
    await until(async () => {
      seen.push(await get(job.id, seen.length % 2 ? server.admin : alice.client))
      return isOver(seen.at(-1) as Job)
    })
    for (const [i, now] of seen.entries()) {
      const before = seen[i - 1] ?? job
      assert.ok(now.done >= before.done && now.failed === 0, 'it never goes back')
      assert.ok(now.total === null || now.total === 3000, 'the total is told when it is known')
      assert.ok(before.total === null || now.total !== null)
      assert.ok(now.total !== null || now.done === 0)
      const order = ['queued', 'running', 'succeeded']
      assert.ok(order.indexOf(now.status) >= order.indexOf(before.status))
    }
    assert.ok(new Set(seen.map(({ done }) => done)).size > 2, 'it was seen on its way')
    assert.deepEqual(counts(seen.at(-1) as Job), succeeded(3000))
    await server.records([], async () => {
      await rejectsWith(get(job.id, bob.client), 'not_found')
      await rejectsWith(bob.client.cancelJob({ params: { id: job.id } }), 'not_found')
    })
    const mine = await run({ kind: 'delete', source_bucket: name, prefix: 'none/' }, bob.client)
    const ids = async (who: Client, query = {}) => (await who.listJobs({ query })).items.map(({ id }) => id)
    assert.deepEqual(await ids(alice.client), [job.id])
    assert.deepEqual(await ids(bob.client), [mine.id])
    assert.deepEqual((await ids(server.admin)).slice(0, 2), [mine.id, job.id])
    assert.deepEqual(await ids(alice.client, { status: 'failed' }), [])
    assert.deepEqual(await ids(alice.client, { status: 'succeeded' }), [job.id])
    const first = await server.admin.listJobs({ query: { limit: 1 } })
    const second = await server.admin.listJobs({ query: { limit: 1, cursor: first.next_cursor ?? '' } })
    assert.deepEqual(
      [...first.items, ...second.items].map(({ id }) => id),
      [mine.id, job.id],
    )
    await rejectsWith(server.admin.listJobs({ query: { cursor: 'x' } }), 'invalid_request', 'query.cursor')
    // Asked to cancel, a job that is over stays as it is.
    assert.deepEqual(await alice.client.cancelJob({ params: { id: job.id } }), await get(job.id))
  })

  itOnce('stops when it is cancelled: what is done stays done, the rest is untouched', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = numbered('a/', 3000)
    await fill(source, keys)
    const job = await create({ kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket: dest })
    await midway(job)
    await server.admin.cancelJob({ params: { id: job.id } })
    const cancelled = await finish(job)
    assert.equal(cancelled.status, 'cancelled')
    assert.ok(cancelled.finished_at !== null && cancelled.done > 0 && cancelled.done < 3000, `${cancelled.done}`)
    const [left, there] = [await keysOf(source), await keysOf(dest)]
    assert.deepEqual([there.length, left.length], [cancelled.done, 3000 - cancelled.done])
    assert.deepEqual([...there, ...left].sort(byBytes), keys)
    assert.equal((await recordsOf(job.id)).length, cancelled.done)
    await server.running.tick()
    assert.deepEqual(await get(job.id), cancelled)
    assert.deepEqual(await server.database.db.selectFrom('job_items').selectAll().execute(), [])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('cancels immediately what has not started', async () => {
    const name = await open()
    await fill(name, numbered('a/', 3))
    // It starts no job: it only answers requests.
    const web = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent', PORT: '0' }), {
      role: 'web',
      now: server.clock.now,
      timers: false,
    })
    try {
      const client = createClient({ baseUrl: web.url, token: server.adminToken })
      const job = await create({ kind: 'empty_bucket', source_bucket: name }, client)
      const cancelled = await server.admin.cancelJob({ params: { id: job.id } })
      assert.deepEqual(
        [job.status, cancelled.status, cancelled.started_at, cancelled.finished_at !== null, cancelled.done],
        ['queued', 'cancelled', null, true, 0],
      )
      await server.running.tick()
      assert.deepEqual(await get(job.id), cancelled)
      assert.equal((await keysOf(name)).length, 3)
    } finally {
      await web.stop()
    }
  })

  itOnce('continues after a temporary failure', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const sqls = (texts: string[]) =>
      server.database.transaction(async (tx) => {
        for (const text of texts) await sql.raw(text).execute(tx)
      })
    const paused = await pause(await create({ kind: 'copy', source_bucket: source, dest_bucket: dest }))
    await sqls(
      engine === 'sqlite'
        ? ["create trigger refuse before insert on audit_recent begin select raise(abort, 'no'); end"]
        : [
            "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
            'create trigger refuse before insert on audit_recent for each row execute function refuse()',
          ],
    )
    const over = paused.goOn()
    await setTimeout(300)
    assert.equal((await get(paused.id)).done, paused.done)
    await sqls([engine === 'sqlite' ? 'drop trigger refuse' : 'drop trigger refuse on audit_recent'])
    assert.deepEqual(counts(await over), succeeded(3000))
    const keys = (await recordsOf(paused.id)).map(({ object_key }) => object_key)
    assert.deepEqual([keys.length, new Set(keys).size], [3000, 3000])
    await assertExact(dest)
  })

  it('tolerates objects that come and go meanwhile', async () => {
    const name = await open()
    const keys = numbered('a/', 3000)
    await fill(name, keys)
    const job = await create({ kind: 'move', source_bucket: name, prefix: 'a/', dest_prefix: 'b/' })
    const paused = await pause(job)
    const late = keys.slice(-20)
    await server.admin.bulkDelete({ params: { bucket: name }, body: { keys: late } })
    await server.admin.putObject({ params: { bucket: name, key: 'a/0000' }, body: 'came later' })
    await server.admin.putObject({ params: { bucket: name, key: 'a/new' }, body: 'came later' })
    const replaced = keys.at(-30) ?? ''
    const { etag } = await server.admin.putObject({ params: { bucket: name, key: replaced }, body: 'another' })
    await server.admin.putObject({ params: { bucket: name, key: 'b/2000' }, body: 'in its way' })
    const done = await paused.goOn()
    assert.deepEqual([counts(done), done.changed], [succeeded(2979, 21), 1])
    assert.deepEqual(
      new Map(codes(done) as [string, string][]),
      new Map([[replaced, 'changed'], ...late.map((key) => [key, 'not_found'] as [string, string])]),
    )
    const is = await contents(name)
    assert.deepEqual(
      [...is.keys()].filter((key) => key.startsWith('a/')),
      ['a/0000', replaced, 'a/new'],
    )
    assert.equal(is.get(replaced), etag, 'it takes what it listed')
    assert.equal(is.get('b/2000'), md5(`${name}/a/2000`))
    assert.equal((await recordsOf(job.id)).length, 2979)
    await assertExact(name)
  })

  for (const [kind, dest] of [
    ['delete', {}],
    ['empty_bucket', {}],
    ['copy', { dest_prefix: 'b/' }],
    ['move', { dest_prefix: 'b/' }],
  ] as const)
    (kind === 'delete' || kind === 'move' ? it : itOnce)(
      `leaves alone what has changed since it was listed: ${kind}`,
      async () => {
        const { name, keys, job, paused, changed, gone } = await overtaken({
          kind,
          ...(kind === 'empty_bucket' ? {} : { prefix: 'a/' }),
          ...dest,
        })
        const done = await paused.goOn()
        assert.deepEqual([counts(done), done.changed], [succeeded(2996, 4), 3])
        assert.deepEqual(
          new Map(codes(done) as [string, string][]),
          new Map([...changed.map((key) => [key, 'changed'] as [string, string]), [gone, 'not_found']]),
        )
        const [put, described, anew] = changed as [string, string, string]
        assert.deepEqual(await texts(name, [put, anew]), [`new ${put}`, `new ${anew}`])
        assert.equal((await server.admin.headObject({ params: { bucket: name, key: described } })).status, 200)
        const is = await keysOf(name)
        assert.deepEqual(
          is.filter((key) => key.startsWith('a/')),
          kind === 'copy' ? keys.slice(0, -1) : changed,
        )
        assert.equal(is.filter((key) => key.startsWith('b/')).length, kind === 'copy' || kind === 'move' ? 2996 : 0)
        assert.equal((await recordsOf(job.id)).length, 2996)
        await assertExact(name)
        if (kind !== 'move') return
        // What stayed is in the way of nothing, and is not touched by the way back either.
        const back = await run({ kind: 'restore', of: job.id })
        assert.deepEqual(counts(back), succeeded(2996))
        assert.deepEqual(await keysOf(name), keys.slice(0, -1))
        assert.deepEqual(await texts(name, [put, anew]), [`new ${put}`, `new ${anew}`])
        await assertExact(name)
      },
    )

  itOnce('leaves objects alone that appeared under a named key after listing', async () => {
    const name = await open()
    const keys = numbered('a/', 3000)
    await fill(name, keys.slice(0, -2))
    const [came, none] = keys.slice(-2) as [string, string]
    const paused = await pause(await create({ kind: 'delete', source_bucket: name, keys }))
    await server.admin.putObject({ params: { bucket: name, key: came }, body: 'new' })
    const done = await paused.goOn()
    assert.deepEqual([counts(done), done.changed], [succeeded(2998, 2), 1])
    assert.deepEqual(codes(done).toSorted(), [
      [came, 'changed'],
      [none, 'not_found'],
    ])
    assert.deepEqual(await keysOf(name), [came])
  })

  itOnce('continues the previous release’s jobs, by key', async () => {
    const { name, paused, changed, gone } = await overtaken({ kind: 'delete', prefix: 'a/' })
    await server.database.transaction((tx) =>
      tx.updateTable('job_items').set({ blob_id: null, last_modified: null }).where('job_id', '=', paused.id).execute(),
    )
    const done = await paused.goOn()
    assert.deepEqual([counts(done), done.changed], [succeeded(2999, 1), 0])
    assert.deepEqual(codes(done), [[gone, 'not_found']])
    assert.deepEqual(
      (await keysOf(name)).filter((key) => changed.includes(key)),
      [],
    )
    await assertExact(name)
  })

  itOnce('ends with the account of its creator, and loses what they lose', async () => {
    const [first, second] = [await open(), await open()]
    for (const name of [first, second]) await fill(name, numbered('a/', 3000))
    const [alice, bob] = [
      await person({ bucket_pattern: first, actions: ['list', 'delete'] }),
      await person({ bucket_pattern: second, actions: ['list', 'delete'] }),
    ]
    const ended = await create({ kind: 'empty_bucket', source_bucket: first }, alice.client)
    await midway(ended)
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: false } })
    const failed = await finish(ended)
    assert.equal(failed.status, 'failed')
    assert.ok(failed.detail && failed.done > 0 && failed.done < 3000, JSON.stringify(failed))
    assert.equal((await keysOf(first)).length, 3000 - failed.done)
    assert.equal((await recordsOf(ended.id)).length, failed.done)
    assert.deepEqual(await server.database.db.selectFrom('job_items').selectAll().execute(), [])
    // It does not come to life again with the account.
    await server.admin.updateUser({ params: { id: alice.id }, body: { is_active: true } })
    await server.running.tick()
    assert.deepEqual(await get(ended.id), failed)

    const poorer = await create({ kind: 'empty_bucket', source_bucket: second }, bob.client)
    await midway(poorer)
    const grants = [{ bucket_pattern: second, actions: ['list' as const] }]
    await server.admin.updateGroup({ params: { id: bob.groupId }, body: { grants } })
    const rest = await finish(poorer)
    assert.deepEqual([rest.status, rest.total, rest.done + rest.failed], ['succeeded', 3000, 3000])
    assert.ok(rest.done > 0 && rest.failed > 0)
    assert.ok(rest.errors.length === 100 && rest.errors.every(({ code }) => code === 'forbidden'))
    assert.equal((await keysOf(second)).length, rest.failed)
    for (const name of [first, second]) await assertExact(name)
  })

  itOnce('ends with the token it was begun with', async () => {
    const name = await open()
    await fill(name, numbered('a/', 3000))
    const token = await server.admin.createToken({ body: { name: 'cleaner' } })
    server.secrets.add(token.token)
    const ended = await create({ kind: 'empty_bucket', source_bucket: name }, server.as(token.token))
    await midway(ended)
    await server.admin.revokeToken({ params: { id: token.id } })
    const failed = await finish(ended)
    assert.equal(failed.status, 'failed')
    assert.match(failed.detail ?? '', /token/)
    assert.equal((await keysOf(name)).length, 3000 - failed.done)
    await assertExact(name)
  })

  itOnce('fails when its bucket goes', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const job = await create({ kind: 'copy', source_bucket: source, dest_bucket: dest })
    await midway(job)
    // As a user would have to: empty it first, repeatedly.
    await until(async () => {
      const { items } = await server.admin.listObjects({ params: { bucket: dest }, query: { limit: 1000 } })
      if (items.length > 0)
        await server.admin.bulkDelete({ params: { bucket: dest }, body: { keys: items.map(({ key }) => key) } })
      return server.admin.deleteBucket({ params: { bucket: dest } }).then(
        () => true,
        () => false,
      )
    })
    const over = await finish(job)
    if (over.status === 'failed') assert.match(over.detail ?? '', new RegExp(`no bucket "${dest}"`))
    else assert.deepEqual(counts(over), succeeded(3000))
    assert.equal((await recordsOf(job.id)).length, over.done)
    await assertExact(source)
  })

  itRaced('works on several side by side, each object once', async () => {
    await server.running.tick()
    const source = await open()
    await fill(source, numbered('a/', 800))
    const dests = [await open(), await open(), await open(), await open()]
    const jobs = await Promise.all(
      dests.map((dest_bucket) => create({ kind: 'copy', source_bucket: source, dest_bucket })),
    )
    await Promise.all([server.running.tick(), twin?.tick(), server.running.tick(), twin?.tick()])
    for (const [i, job] of jobs.entries()) {
      assert.deepEqual(counts(await finish(job)), succeeded(800))
      const keys = (await recordsOf(job.id)).map(({ object_key }) => object_key)
      assert.deepEqual([keys.length, new Set(keys).size], [800, 800])
      await assertExact(dests[i] ?? '')
    }
    // Two moves of the same objects: each is moved by one of them.
    const rivals = await Promise.all(
      dests
        .slice(0, 2)
        .map((dest_bucket) =>
          create({ kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket, dest_prefix: 'moved/' }),
        ),
    )
    const [one, other] = [await finish(rivals[0] as Job), await finish(rivals[1] as Job)]
    assert.equal(one.done + other.done, 800)
    assert.ok([...one.errors, ...other.errors].every(({ code }) => code === 'not_found'))
    assert.deepEqual(await keysOf(source), [])
    for (const name of [source, ...dests]) await assertExact(name)
  })

  itRaced('leaves a job to its holder, and takes it over after a minute of silence', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const services = [server.running, ...(twin ? [twin] : [])]
    const job = await create({ kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket: dest })
    // As if another process claimed it and then stopped forever. The current runner must notice.
    const { goOn: _, ...stopped } = await pause(job)
    assert.equal(stopped.status, 'running')
    for (const service of services) await service.tick()
    await server.later(59_000)
    await Promise.all(services.map((service) => service.tick()))
    assert.deepEqual(await get(job.id), stopped, 'nobody touches it')
    await server.later(2000)
    await Promise.all(services.map((service) => service.tick()))
    const over = await finish(job)
    assert.deepEqual([counts(over), over.started_at], [succeeded(3000), stopped.started_at])
    const keys = (await recordsOf(job.id)).map(({ object_key }) => object_key)
    assert.deepEqual([keys.length, new Set(keys).size], [3000, 3000], 'nothing was done twice')
    assert.deepEqual([await keysOf(source), (await keysOf(dest)).length], [[], 3000])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('does not wait for a lease from before the clock was put back', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const job = await create({ kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket: dest })
    const { goOn: _, ...stopped } = await pause(job)
    assert.equal(stopped.status, 'running')
    const leased_until = new Date(server.clock.now().getTime() + 24 * 3600_000).toISOString()
    await server.database.transaction((tx) =>
      tx.updateTable('jobs').set({ leased_until }).where('id', '=', job.id).execute(),
    )
    await server.running.tick()
    assert.deepEqual(counts(await finish(job)), succeeded(3000))
  })

  if (engine === 'postgres')
    it('is released immediately by a service that stops', async () => {
      const config = readConfig({ ...server.env, LOG_LEVEL: 'silent' })
      const leaving = await start(config, { now: server.clock.now, timers: false })
      const there = createClient({ baseUrl: leaving.url, token: () => server.adminToken })
      const [source, dest] = [await open(), await open()]
      await fill(source, numbered('a/', 3000))
      const job = await create({ kind: 'copy', source_bucket: source, dest_bucket: dest }, there)
      await midway(job)
      await leaving.stop()
      const left = await get(job.id)
      assert.ok(left.status === 'running' && left.done < 3000, JSON.stringify(left))
      await server.running.tick()
      assert.deepEqual(counts(await get(job.id)), succeeded(3000))
      const keys = (await recordsOf(job.id)).map(({ object_key }) => object_key)
      assert.deepEqual([keys.length, new Set(keys).size], [3000, 3000])
      await assertExact(dest)
    })

  it('limits a user to a hundred unfinished jobs, even under concurrent requests', async () => {
    const source_bucket = await open()
    const { id: created_by, client } = await person({ bucket_pattern: source_bucket, actions: ['delete'] })
    const { id } = await run({ kind: 'empty_bucket', source_bucket })
    const of = server.database.db.selectFrom('jobs').selectAll()
    const row = await of.where('id', '=', id).executeTakeFirstOrThrow()
    // As if others were at them.
    const held = { runner: newId(), leased_until: new Date(server.clock.now().getTime() + 60_000).toISOString() }
    const ids = times(99, () => newId())
    const rows = ids.map((one) => ({
      ...row,
      id: one,
      status: 'running' as const,
      created_by,
      finished_at: null,
      ...held,
    }))
    await server.database.transaction((tx) => tx.insertInto('jobs').values(rows).execute())
    const body = { kind: 'delete', source_bucket, prefix: 'a/' } as const
    const attempt = () =>
      create(body, client).then(
        () => 'ok',
        ({ problem }) => problem.code as string,
      )
    const hundredth = { ...rows[0], id: newId() } as (typeof rows)[number]
    await server.database.transaction((tx) => tx.insertInto('jobs').values(hundredth).execute())
    assert.deepEqual(new Set(await Promise.all(times(10, attempt))), new Set(['limit_reached']))
    // The limit is per user.
    await finish(await create(body))
    await server.database.transaction((tx) => tx.deleteFrom('jobs').where('id', '=', hundredth.id).execute())
    if (engine === 'postgres') {
      const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // The bucket lets none of them end while it is held.
      const holding = server.database.transaction(async (tx) => {
        await tx.selectFrom('buckets').select('id').where('name', '=', source_bucket).forUpdate().execute()
        held.resolve()
        await released.promise
      })
      await held.promise
      const answers = await Promise.all(times(10, attempt))
      released.resolve()
      await holding
      assert.equal(answers.filter((one) => one === 'ok').length, 1, answers.join())
    } else assert.equal(await attempt(), 'ok')
    await server.database.transaction((tx) => tx.deleteFrom('jobs').where('id', 'in', ids).execute())
    await finish(await create(body, client))
  })

  itOnce('keeps no list of keys longer than until it has listed them', async () => {
    const source_bucket = await open()
    const keys = numbered('a/', 3000)
    await fill(source_bucket, keys)
    const selectionOf = async (id: string) =>
      (await server.database.db.selectFrom('jobs').select('selection').where('id', '=', id).executeTakeFirstOrThrow())
        .selection
    const paused = await pause(await create({ kind: 'delete', source_bucket, keys, exclude: ['a/0000'] }))
    assert.equal(await selectionOf(paused.id), '{}')
    assert.deepEqual(counts(await paused.goOn()), succeeded(2999))
    assert.deepEqual(await keysOf(source_bucket), ['a/0000'])
    const queued = {
      ...(await server.database.db
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', paused.id)
        .executeTakeFirstOrThrow()),
    }
    const id = newId()
    await server.database.transaction((tx) =>
      tx
        .insertInto('jobs')
        .values({
          ...queued,
          id,
          status: 'queued',
          selection: JSON.stringify({ keys }),
          listed_at: null,
          finished_at: null,
        })
        .execute(),
    )
    await server.admin.cancelJob({ params: { id } })
    assert.equal(await selectionOf(id), '{}')
  })

  it('is forgotten a month after its end', async () => {
    const name = await open()
    const job = await run({ kind: 'empty_bucket', source_bucket: name })
    await server.later(30 * DAY - 1000)
    await server.running.tick()
    assert.deepEqual(await get(job.id), job)
    await server.later(2000)
    await server.running.tick()
    await rejectsWith(get(job.id), 'not_found')
    assert.deepEqual((await server.admin.listJobs()).items, [])
  })
})
