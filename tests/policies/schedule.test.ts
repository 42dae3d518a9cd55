import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { sql } from 'kysely'
import { type Client, createClient } from '../../client/derived.ts'
import type { PolicyRun } from '../../contract/policies.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, onS3, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { DAY, policiesWorld } from './policies.ts'

const MINUTE = 60_000

describeEngines('cleanup policies: their times', (engine, itOnce) => {
  const world = policiesWorld(engine)
  const { open, create, run, items, brief } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  /** A run that is over, however long that takes. */
  const settled = async (one: PolicyRun): Promise<PolicyRun> => {
    let last = one
    await until(async () => {
      last = await server.admin.getPolicyRun({ params: { id: one.policy_id, run_id: one.id } })
      return last.finished_at !== null
    })
    return last
  }

  it('runs on schedule: once for all missed times, not while paused, one at a time', async () => {
    const bucket = await open()
    await bucket.put('x')
    await server.running.tick()
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*', cron: '*/10 * * * *' })
    const runs = async () => (await server.admin.listPolicyRuns({ params: { id: policy.id } })).items
    await server.running.tick()
    assert.deepEqual(await runs(), [])
    await server.later(10 * MINUTE)
    await server.running.tick()
    await server.running.tick()
    const [first, ...more] = await runs()
    assert.deepEqual(
      [first?.status, first?.trigger, first?.deleted, first?.scheduled_for, more.length],
      ['succeeded', 'schedule', 1, policy.next_run_at, 0],
    )
    assert.equal(first?.requested_by, null)
    const record = (await allActions(server.database)).findLast(({ action }) => action === 'policy_run')
    assert.deepEqual([record?.actor_type, record?.actor_email], ['system', 'admin@example.com'])
    // A week without us: one run makes up for 1,008.
    await server.later(7 * DAY)
    await server.running.tick()
    await server.running.tick()
    assert.equal((await runs()).length, 2)
    const { next_run_at } = await server.admin.getPolicy({ params: { id: policy.id } })
    const ahead = Date.parse(next_run_at ?? '') - server.clock.now().getTime()
    assert.ok(ahead > 0 && ahead <= 10 * MINUTE)
    // Paused, and nothing to make up for after that.
    await server.admin.updatePolicy({ params: { id: policy.id }, body: { enabled: false } })
    await server.later(DAY)
    await server.running.tick()
    await server.admin.updatePolicy({ params: { id: policy.id }, body: { enabled: true } })
    await server.running.tick()
    assert.equal((await runs()).length, 2)
    // A paused one still runs when asked to.
    await server.admin.updatePolicy({ params: { id: policy.id }, body: { enabled: false } })
    assert.equal((await run(policy.id)).status, 'succeeded')
    await server.admin.deletePolicy({ params: { id: policy.id } })
  })

  it('an unfinished run: others are rejected, the schedule waits, a change stops it, deleting cancels it', async () => {
    const bucket = await open()
    await bucket.put('x')
    await server.running.tick()
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*', cron: '*/10 * * * *' })
    const params = { id: policy.id }
    /** A run that another process claimed and did not renew: no one takes it before its lease expires. */
    const stuck = async (change: { kind?: 'live' | 'dry' } = {}) => {
      const done = await run(policy.id, { dry_run: true })
      const row = await server.database.db
        .selectFrom('policy_runs')
        .selectAll()
        .where('id', '=', done.id)
        .executeTakeFirstOrThrow()
      const id = newId()
      const leased_until = new Date(server.clock.now().getTime() + MINUTE).toISOString()
      await server.database.transaction((tx) =>
        tx
          .insertInto('policy_runs')
          .values({
            ...row,
            kind: 'live',
            id,
            finished_at: null,
            status: 'running',
            runner: newId(),
            leased_until,
            listed_at: null,
            ...change,
          })
          .execute(),
      )
      return id
    }
    const id = await stuck()
    await server.records([], async () => {
      await rejectsWith(run(policy.id), 'conflict')
      await rejectsWith(run(policy.id, { dry_run: true }), 'conflict')
      await server.running.tick()
    })
    // Its lease ends, and the time has come as well: the run is completed, then that of the schedule.
    await server.later(10 * MINUTE)
    await server.records(
      [{ action: 'delete', bucket: bucket.name, key: 'x' }, { action: 'policy_run' }, { action: 'policy_run' }],
      async () => {
        await server.running.tick()
        await server.running.tick()
      },
    )
    assert.deepEqual(brief(await server.admin.getPolicyRun({ params: { ...params, run_id: id } })), [
      'succeeded',
      1,
      1,
      0,
      1,
    ])

    await bucket.put('y')
    const changed = await stuck()
    await server.admin.updatePolicy({ params, body: { enabled: false } })
    await server.later(2 * MINUTE)
    await server.running.tick()
    const stopped = await server.admin.getPolicyRun({ params: { ...params, run_id: changed } })
    assert.deepEqual([stopped.status, stopped.reason], ['stopped', 'The policy was changed during the run.'])

    const cancelled = await stuck()
    await server.later(2 * MINUTE)
    await server.records([{ action: 'policy_run' }], async () => {
      const over = await server.admin.cancelPolicyRun({ params: { ...params, run_id: cancelled } })
      assert.equal(over.status, 'cancelled')
      assert.equal(
        (await server.admin.cancelPolicyRun({ params: { ...params, run_id: cancelled } })).status,
        'cancelled',
      )
    })
    await stuck()
    await server.records([{ action: 'policy_run' }, { action: 'policy_delete' }], () =>
      server.admin.deletePolicy({ params }),
    )
    await server.later(2 * MINUTE)
    await server.records([], () => server.running.tick())
    assert.deepEqual(await bucket.keys(), ['y'])
  })

  it('a failure leaves nothing half done, and is retried', async () => {
    const bucket = await open()
    for (const key of ['a', 'b', 'c']) await bucket.put(key)
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*' })
    const refusing =
      engine === 'sqlite'
        ? [
            sql`create trigger refuse before insert on audit_recent when new.object_key = 'c' begin select raise(abort, 'refused'); end`,
          ]
        : [
            sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
            sql`create trigger refuse before insert on audit_recent for each row when (new.object_key = 'c') execute function refuse()`,
          ]
    await server.database.transaction(async (tx) => {
      for (const one of refusing) await one.execute(tx)
    })
    const usage = await server.admin.getBucket({ params: { bucket: bucket.name } })
    const failed = await server.records([{ action: 'policy_run' }], async () => settled(await run(policy.id)))
    assert.deepEqual(brief(failed), ['failed', 3, 0, 0, 0])
    assert.deepEqual(await bucket.keys(), ['a', 'b', 'c'])
    assert.deepEqual(
      [await bucket.trash(), await server.admin.getBucket({ params: { bucket: bucket.name } })],
      [[], usage],
    )
    assert.ok((await items(failed)).every(({ outcome }) => outcome === 'not_reached'))
    await server.database.transaction((tx) =>
      sql.raw(`drop trigger refuse${engine === 'sqlite' ? '' : ' on audit_recent'}`).execute(tx),
    )
    assert.deepEqual(brief(await run(policy.id)), ['succeeded', 3, 3, 0, 3])
  })

  itOnce(
    'clocks that are set forward and back: a skipped time comes after the gap, a repeated one once',
    {
      skip: onS3 && 'not about storage',
    },
    async () => {
      const clocked = await startServer(engine)
      try {
        const times = async (cron: string, timezone: string, from: string, days: number) => {
          await clocked.later(Date.parse(from) - clocked.clock.now().getTime())
          const { id } = await clocked.admin.createPolicy({
            body: { name: 'x', bucket_patterns: ['none'], glob: '*', cron, timezone },
          })
          for (let half = 0; half < days * 48; half++) {
            clocked.clock.advance(30 * MINUTE)
            await clocked.running.tick()
          }
          await clocked.later(0)
          const { items } = await clocked.admin.listPolicyRuns({ params: { id } })
          await clocked.admin.deletePolicy({ params: { id } })
          return items.map(({ started_at }) => started_at?.slice(5, 16)).reverse()
        }
        // 2026-03-29 there is no 02:30 in Berlin, 2026-10-25 there are two.
        assert.deepEqual(await times('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3), [
          '03-28T01:30',
          '03-29T01:00',
          '03-30T00:30',
        ])
        assert.deepEqual(await times('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', 3), [
          '10-24T00:30',
          '10-25T00:30',
          '10-26T01:30',
        ])
        assert.deepEqual(await times('30 2,14 * * *', 'Europe/Berlin', '2026-10-24T20:00:00Z', 1), [
          '10-25T00:30',
          '10-25T13:30',
        ])
        assert.deepEqual(await times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 0.125), [
          '10-25T00:00',
          '10-25T01:00',
          '10-25T02:00',
        ])
        assert.deepEqual(await times('30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', 2), [
          '11-01T05:30',
          '11-02T06:30',
        ])
      } finally {
        await clocked.stop()
      }
    },
  )

  it('two services: a time that has come makes exactly one run', {
    skip: engine === 'sqlite' && 'one process has it',
  }, async () => {
    const bucket = await open()
    for (let i = 0; i < 30; i++) await bucket.put(`k${i}`)
    const twins: Running[] = []
    for (let i = 0; i < 2; i++)
      twins.push(
        await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), { now: server.clock.now, timers: false }),
      )
    try {
      const all = await Promise.all(
        Array.from({ length: 5 }, () => create({ bucket_patterns: [bucket.name], glob: '*', cron: '0 * * * *' })),
      )
      const ROUNDS = 8
      for (let round = 0; round < ROUNDS; round++) {
        await server.later(60 * MINUTE)
        await Promise.all([server.running, ...twins].flatMap(({ tick }) => [tick(), tick()]))
        await server.running.tick()
        for (const { id } of all) {
          const runs = (await server.admin.listPolicyRuns({ params: { id } })).items
          assert.deepEqual(
            runs.map(({ status }) => status),
            Array(round + 1).fill('succeeded'),
          )
        }
      }
      const done = (await Promise.all(all.map(({ id }) => server.admin.listPolicyRuns({ params: { id } })))).flatMap(
        ({ items }) => items,
      )
      assert.equal(
        done.reduce((sum, one) => sum + one.deleted, 0),
        30,
        'five policies over the same objects delete each once',
      )
      assert.equal((await bucket.trash()).length, 30)
      const recorded = (await allActions(server.database)).filter(
        ({ action, details }) => action === 'policy_run' && all.some(({ id }) => details.includes(id)),
      )
      assert.equal(recorded.length, ROUNDS * all.length)
      // Asked for at once, over all services: one of them has it.
      const policy = await create({ bucket_patterns: [bucket.name], glob: '*' })
      const clients = [server.url, ...twins.map(({ url }) => url)].map((baseUrl) =>
        createClient({ baseUrl, token: server.adminToken }),
      )
      for (let i = 0; i < 60; i++) await bucket.put(`again${i}`)
      const asked = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) => (clients[i % 3] as Client).runPolicy({ params: { id: policy.id } })),
      )
      const given = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      assert.ok(given.length >= 1)
      // On a slow machine an answer comes before its run is over.
      const won = await Promise.all(given.map((one) => settled(one)))
      assert.equal(
        won.reduce((sum, one) => sum + one.deleted, 0),
        60,
      )
    } finally {
      for (const twin of twins) await twin.stop()
    }
  })
})
