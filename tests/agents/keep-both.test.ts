// Agents that copy and move beside what is there: one by one, and by plans.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeEngines } from '../support/server.ts'
import { agentsWorld } from './agents.ts'
import { connectHttp } from './mcp-client.ts'

describeEngines('agents that keep both', (engine) => {
  const world = agentsWorld(engine)
  const { bucketWith, agentOn, keysOf } = world
  const connected = async (bucket: string, more: Parameters<typeof agentOn>[1] = { approval: { actions: [] } }) => {
    const agent = await agentOn(bucket, more)
    return { ...agent, ...(await connectHttp(world.server.url, agent.token)) }
  }
  const nothing = <T>(work: () => Promise<T>) => world.server.records([], work)
  const textOf = async (bucket: string, key: string) =>
    (await world.server.admin.getObject({ params: { bucket, key } })).text()
  const textsOf = async (bucket: string) =>
    Object.fromEntries(await Promise.all((await keysOf(bucket)).map(async (key) => [key, await textOf(bucket, key)])))
  /** Waits until what comes is later than what is there. */
  const moment = () => {
    world.server.clock.advance(1000)
    const now = world.server.clock.now().toISOString()
    world.server.clock.advance(1000)
    return now
  }
  /** A user takes back what the agent did since. */
  async function takeBack(bucket: string, agent: string, to: string) {
    const job = await world.server.admin.createJob({
      body: { kind: 'rollback', source_bucket: bucket, to, by: { agent } },
    })
    const { status, failed } = await world.ended(job.id)
    assert.deepEqual([status, failed], ['succeeded', 0])
  }

  it('by one tool: the object gets the first number that is free, and taking it back leaves what was there', async () => {
    const { server } = world
    const bucket = await bucketWith('a.txt', 'b.txt', 'to/a.txt', 'to/b.txt', 'to/b (1).txt')
    const { call, id } = await connected(bucket)
    const before = await textsOf(bucket)
    const since = moment()
    const copy = { bucket, key: 'a.txt', to_key: 'to/a.txt' }
    const taken = (await nothing(() => call('copy', copy))).error
    assert.equal(taken?.code, 'precondition_failed')
    assert.match(String(taken?.what_next), /keep_both/)
    const both = { ...copy, keep_both: true, overwrite: true }
    assert.equal((await nothing(() => call('copy', both))).error?.code, 'invalid_request')
    const record = (action: 'copy' | 'move', key: string) => [{ action, bucket, key }]
    const copied = await server.records(record('copy', 'to/a (1).txt'), () =>
      call('copy', { ...copy, keep_both: true }),
    )
    assert.equal(copied.data.key, 'to/a (1).txt')
    const move = { bucket, key: 'b.txt', to_key: 'to/b.txt', keep_both: true }
    const moved = await server.records(record('move', 'to/b (2).txt'), () => call('move', move))
    assert.equal(moved.data.key, 'to/b (2).txt')
    const { 'b.txt': text, ...rest } = before
    assert.deepEqual(await textsOf(bucket), { ...rest, 'to/a (1).txt': 'a.txt', 'to/b (2).txt': text })
    await server.records(
      [
        { action: 'delete', bucket, key: 'to/a (1).txt' },
        { action: 'delete', bucket, key: 'to/b (2).txt' },
        { action: 'restore', bucket, key: 'b.txt' },
      ],
      () => takeBack(bucket, id, since),
    )
    assert.deepEqual(await textsOf(bucket), before)
  })

  for (const action of ['copy', 'move'] as const)
    it(`by a plan to ${action}: it has the names, and is carried out with these or not at all`, async () => {
      const { server } = world
      const bucket = await bucketWith('in/1', 'in/2', 'in/3', 'out/1', 'out/2', 'out/2 (1)')
      const { call, id } = await connected(bucket)
      const before = await textsOf(bucket)
      const since = moment()
      const change = { action, bucket, prefix: 'in/', to_prefix: 'out/' }
      // Without it, both are named as left out.
      const { data: without } = await nothing(() => call('plan', change))
      assert.deepEqual([without.objects, without.beside, without.left_out, without.kept_both], [1, 0, 2, []])
      assert.deepEqual(
        (without.errors as { key: string; detail: string }[]).map(({ key, detail }) => [key, detail]),
        [
          ['in/1', 'The key "out/1" is taken.'],
          ['in/2', 'The key "out/2" is taken.'],
        ],
      )
      const kept = [
        { source_key: 'in/1', key: 'out/1 (1)' },
        { source_key: 'in/2', key: 'out/2 (2)' },
      ]
      const plan = async () => (await nothing(() => call('plan', { ...change, keep_both: true }))).data
      const planned = await plan()
      assert.deepEqual([planned.objects, planned.beside, planned.left_out, planned.kept_both], [3, 2, 0, kept])
      assert.deepEqual(
        (planned.actions as { key: string; to: { key: string } }[]).map(({ key, to }) => [key, to.key]),
        [
          ['in/1', 'out/1 (1)'],
          ['in/2', 'out/2 (2)'],
          ['in/3', 'out/3'],
        ],
      )
      assert.deepEqual(await textsOf(bucket), before)
      // Another object that takes one of these names, or one that leaves, makes it another change.
      const carry = (plan_id: unknown) => call('carry_out', { plan_id })
      const other = { params: { bucket, key: 'out/1 (1)' } }
      await server.admin.putObject({ ...other, body: 'taken meanwhile' })
      assert.equal((await nothing(() => carry(planned.plan_id))).error?.code, 'changed')
      const later = await plan()
      assert.deepEqual((later.kept_both as typeof kept)[0], { source_key: 'in/1', key: 'out/1 (2)' })
      await server.admin.deleteObject(other)
      assert.equal((await nothing(() => carry(later.plan_id))).error?.code, 'changed')

      const made = ['out/1 (1)', 'out/2 (2)', 'out/3']
      const last = await plan()
      const records = made.map((key) => ({ action, bucket, key }))
      const { data } = await server.records(records, () => carry(last.plan_id))
      assert.deepEqual([data.objects, data.beside, data.left_out, data.kept_both], [3, 2, 0, kept])
      const sources = ['in/1', 'in/2', 'in/3']
      const arrived = made.map((key, i) => [key, sources[i]])
      const stayed = Object.entries(before).filter(([key]) => action === 'copy' || !sources.includes(key))
      assert.deepEqual(await textsOf(bucket), Object.fromEntries([...stayed, ...arrived]))
      // "out/1 (1)" was another's meanwhile, so it stays: what is there of it is the agent's and theirs.
      const job = await server.admin.createJob({
        body: { kind: 'rollback', source_bucket: bucket, to: since, by: { agent: id } },
      })
      const ended = await world.ended(job.id)
      assert.deepEqual(
        ended.errors.map(({ key, code }) => [key, code]),
        [['out/1 (1)', 'conflict']],
      )
      assert.deepEqual(await textsOf(bucket), { ...before, 'out/1 (1)': 'in/1' })
      assert.equal((await server.admin.verifyAudit()).ok, true)
    })

  it('by a plan: taking back leaves all as it was, record by record', async () => {
    const { server } = world
    const bucket = await bucketWith('in/1', 'in/2', 'out/1')
    const { call, id } = await connected(bucket)
    const before = await textsOf(bucket)
    const since = moment()
    const { data: plan } = await call('plan', {
      action: 'move',
      bucket,
      prefix: 'in/',
      to_prefix: 'out/',
      keep_both: true,
    })
    await call('carry_out', { plan_id: plan.plan_id })
    assert.deepEqual(await keysOf(bucket), ['out/1', 'out/1 (1)', 'out/2'])
    const on = (action: 'delete' | 'restore', ...keys: string[]) => keys.map((key) => ({ action, bucket, key }))
    await server.records([...on('delete', 'out/1 (1)', 'out/2'), ...on('restore', 'in/1', 'in/2')], () =>
      takeBack(bucket, id, since),
    )
    assert.deepEqual(await textsOf(bucket), before)
  })

  it('is approved with the names, within the scope, and only for copies and moves', async () => {
    const { server } = world
    const bucket = await bucketWith('in/1', 'in/2', 'out/1', 'out/2')
    const { call } = await connected(bucket, { approval: { actions: ['write'] } })
    const copy = { action: 'copy', bucket, prefix: 'in/', to_prefix: 'out/', keep_both: true }
    const { data: plan } = await nothing(() => call('plan', copy))
    const carry = () => call('carry_out', { plan_id: plan.plan_id })
    const { error } = await server.records([{ action: 'approval_request' }], carry)
    assert.equal(error?.code, 'approval_required')
    const approval = { params: { id: String(error?.approval_id) } }
    const names = ['out/1 (1)', 'out/2 (1)']
    assert.deepEqual(
      (await server.admin.getApproval(approval)).actions.map(({ key }) => key),
      names,
    )
    await server.admin.approve(approval)
    const records = names.map((key) => ({ action: 'copy' as const, bucket, key }))
    assert.deepEqual((await server.records(records, carry)).data.beside, 2)
    for (const action of ['delete', 'share'])
      assert.equal(
        (await nothing(() => call('plan', { action, bucket, prefix: 'in/', keep_both: true }))).error?.code,
        'invalid_request',
      )
  })
})
