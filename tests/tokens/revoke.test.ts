import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { count, MINUTE, outcomes, times, tokensWorld } from './tokens.ts'

describeEngines('tokens: revoked and renewed', (engine, itOnce) => {
  const world = tokensWorld(engine)
  const { address, send, statusOf, person, make, rotate, revoke, rowOf, listed, holding, waiting } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  it('is refused from the moment it is revoked', async () => {
    const [mine, other] = [await person(), await person()]
    const { id, token } = await make(mine.client)
    const foreign = await make(other.client)
    assert.equal(await statusOf(token), 200)
    await server.records([], async () => {
      await rejectsWith(revoke(other.client, id), 'not_found')
      await rejectsWith(revoke(foreign.client, id, true), 'not_found')
      await rejectsWith(revoke(mine.client, newId()), 'not_found')
      await rejectsWith(revoke(server.admin, newId()), 'not_found')
      await rejectsWith(revoke(mine.client, 'x'), 'invalid_request', 'params.id')
      await rejectsWith(revoke(server.as(), id), 'unauthenticated')
    })
    assert.equal(await statusOf(token), 200)
    const answer = await server.records([{ action: 'token_revoke' }], () => send('DELETE', `/tokens/${id}`, mine.jwt))
    assert.deepEqual([answer.status, answer.body.length], [204, 0])
    assert.equal(await statusOf(token), 401)
    await server.records([], async () => {
      for (const cascade of [undefined, false, true]) await rejectsWith(revoke(mine.client, id, cascade), 'not_found')
      await rejectsWith(revoke(server.admin, id), 'not_found')
    })
    const records = (await allActions(server.database)).filter(({ resource_id }) => resource_id === id)
    assert.deepEqual(
      records.map(({ action, auth_method, details }) => [action, auth_method, JSON.parse(details)]),
      [
        [
          'token_create',
          'local',
          { name: 'ci', token_prefix: token.slice(0, 12), scope: null, expires_at: null, created_by_token_id: null },
        ],
        [
          'token_revoke',
          'local',
          { name: 'ci', token_prefix: token.slice(0, 12), reason: 'requested', user_id: mine.id },
        ],
      ],
    )
  })

  it('may revoke itself, and an administrator any', async () => {
    const { client } = await person()
    const self = await make(client)
    await server.records([{ action: 'token_revoke' }], () => revoke(self.client, self.id))
    await rejectsWith(self.client.me(), 'unauthenticated')
    await server.running.tick()
    const row = await rowOf(self.id)
    assert.ok(row.revoked_at, 'the note of its last use did not undo it')
    const other = await make(client)
    await server.records([{ action: 'token_revoke' }], () => revoke(server.admin, other.id))
    assert.equal(await statusOf(other.token), 401)
    const third = await make(client)
    const results = await outcomes(times(8, (i) => revoke(i % 2 ? server.admin : client, third.id)))
    assert.deepEqual([count(results, 'ok'), count(results, 'not_found')], [1, 7], results.join())
  })

  it('keeps with what it was made, and ends its descendants only when asked to', async () => {
    const { client } = await person()
    const root = await make(client, '30d', 'root')
    const generations = [root]
    for (const name of ['child', 'grandchild', 'great-grandchild'])
      generations.push(await make((generations.at(-1) ?? root).client, 'never', name))
    const sibling = await make((generations[1] ?? root).client, 'never', 'sibling')
    const stranger = await make(client)
    const { items } = await client.listTokens()
    assert.deepEqual(
      generations.map(({ id }) => items.find((one) => one.id === id)).map((one) => [one?.name, one?.created_via]),
      [
        ['root', 'local'],
        ['child', 'pat'],
        ['grandchild', 'pat'],
        ['great-grandchild', 'pat'],
      ],
    )
    assert.deepEqual(
      generations.map(({ id }) => items.find((one) => one.id === id)?.created_by_token_id),
      [null, ...generations.slice(0, -1).map(({ id }) => id)],
    )
    const alive = () => Promise.all(generations.map(({ token }) => statusOf(token)))
    await server.records([{ action: 'token_revoke' }], () => revoke(client, root.id, false))
    assert.deepEqual(await alive(), [401, 200, 200, 200])
    const child = generations[1] ?? root
    await server.records(Array(4).fill({ action: 'token_revoke' }), () => revoke(client, child.id, true))
    assert.deepEqual(await alive(), [401, 401, 401, 401])
    assert.deepEqual([await statusOf(sibling.token), await statusOf(stranger.token)], [401, 200])
    const records = (await allActions(server.database)).filter(({ action }) => action === 'token_revoke').slice(-4)
    assert.deepEqual(
      new Map(records.map(({ resource_id, details }) => [resource_id ?? '', JSON.parse(details).reason])),
      new Map([child, ...generations.slice(2), sibling].map(({ id }, i) => [id, i === 0 ? 'requested' : 'cascade'])),
    )
  })

  it('ends the descendants of a token that was revoked without them before', async () => {
    const { client } = await person()
    const root = await make(client)
    const child = await make(root.client)
    const grandchild = await make(child.client)
    await revoke(client, root.id)
    await revoke(client, child.id)
    assert.equal(await statusOf(grandchild.token), 200)
    await server.records([{ action: 'token_revoke' }], () => revoke(client, root.id, true))
    assert.equal(await statusOf(grandchild.token), 401)
  })

  if (engine === 'postgres')
    for (const [when, lock] of [
      ['before it is counted', 'select id from users where id = $1 for update'],
      ['before it is there for all to see', 'lock table audit in exclusive mode'],
    ] as const)
      it(`no descendant made meanwhile escapes a cascade that comes ${when}`, async () => {
        const { client, id: owner } = await person()
        const root = await make(client)
        const child = await make(root.client)
        assert.equal(await statusOf(child.token), 200)
        await server.running.tick()
        assert.notEqual((await rowOf(child.id)).last_used_at, null, 'its note would wait for a lock as well')
        const release = await holding(lock, ...(lock.includes('$1') ? [owner] : []))
        let settled = false
        const calls: Promise<string[]>[] = []
        try {
          calls.push(outcomes([make(child.client)]))
          await until(async () => (await waiting()) === 1)
          calls.push(
            outcomes([revoke(client, root.id, true)]).finally(() => {
              settled = true
            }),
          )
          await until(async () => settled || (await waiting()) === 2)
        } finally {
          await release()
        }
        assert.deepEqual((await Promise.all(calls))[1], ['ok'])
        const { items } = await server.admin.listUserTokens({ params: { id: owner } })
        assert.deepEqual(
          items.map(({ status }) => status),
          items.map(() => 'revoked'),
        )
      })

  it('a new value replaces the old one at once, and its later use is recorded', async () => {
    const { client } = await person()
    const parent = await make(client)
    const made = await make(parent.client, '30d', 'kept')
    assert.equal(await statusOf(made.token), 200)
    const next = await server.records([{ action: 'token_rotate' }], () => rotate(client, made.id))
    assert.notEqual(next.token, made.token)
    assert.deepEqual(
      [next.id, next.name, next.expires_at, next.created_at, next.token_prefix],
      [made.id, 'kept', made.expires_at, made.created_at, next.token.slice(0, 12)],
    )
    const shown = await listed(client, made.id)
    assert.deepEqual(
      [shown?.created_by_token_id, shown?.created_via, shown?.token_prefix, shown?.status],
      [parent.id, 'pat', next.token_prefix, 'active'],
    )
    assert.equal(await statusOf(next.token), 200)
    await server.records([{ action: 'token_reuse', result: 'denied' }], async () =>
      assert.equal(await statusOf(made.token, address(131)), 401),
    )
    const reuse = (await allActions(server.database)).at(-1)
    assert.deepEqual(
      [reuse?.actor_type, reuse?.actor_user_id, reuse?.actor_ip, reuse?.status_code, reuse?.resource_id],
      ['public', null, address(131), 401, made.id],
    )
    assert.equal(await statusOf(next.token), 200, 'the new one is not hurt by it')
    const own = await rotate(server.as(next.token), made.id)
    assert.deepEqual([await statusOf(next.token), await statusOf(own.token)], [401, 200])
    await revoke(client, made.id)
    await server.records([], async () => {
      for (const { token } of [made, next, own]) assert.equal(await statusOf(token), 401)
    })
  })

  it('the old value lives on for the grace that was asked for', async () => {
    const { client } = await person()
    const made = await make(client)
    const next = await rotate(client, made.id, 60)
    server.clock.advance(59_999)
    await server.records([], async () =>
      assert.deepEqual([await statusOf(made.token), await statusOf(next.token)], [200, 200]),
    )
    server.clock.advance(1)
    await server.records([{ action: 'token_reuse', result: 'denied' }], async () =>
      assert.deepEqual([await statusOf(made.token), await statusOf(next.token)], [401, 200]),
    )
    const { client: pat } = await make(client)
    const day = await make(client)
    await rotate(client, day.id, 86_400)
    server.clock.advance(86_399_999)
    assert.equal(await statusOf(day.token), 200)
    server.clock.advance(1)
    assert.equal(await statusOf(day.token), 401)

    const both = await make(pat)
    const after = await rotate(pat, both.id, 3600)
    await revoke(pat, both.id)
    assert.deepEqual([await statusOf(both.token), await statusOf(after.token)], [401, 401])
    const short = await make(pat, 60)
    const longer = await rotate(pat, short.id, 3600)
    server.clock.advance(MINUTE)
    assert.deepEqual([await statusOf(short.token), await statusOf(longer.token)], [401, 401], 'expiry stays')
    const last = await make(pat)
    await server.records([], async () => {
      for (const grace of [-1, 86_401, 1.5, '60', null, true])
        await rejectsWith(rotate(pat, last.id, grace as number), 'invalid_request', 'body.grace_seconds')
    })
    assert.equal(await statusOf(last.token), 200)
  })

  it('who keeps using a replaced value does not fill the audit log', async () => {
    const { client } = await person()
    const made = await make(client)
    await rotate(client, made.id)
    const before = (await allActions(server.database)).length
    for (let i = 0; i < 150; i++) await statusOf(made.token, address(132))
    const recorded = (await allActions(server.database)).length - before
    assert.ok(recorded >= 1 && recorded <= 100, `${recorded} records`)
  })

  itOnce('renews only live tokens of one’s own', async () => {
    const [mine, other] = [await person(), await person()]
    const { id, token } = await make(mine.client)
    const revoked = await make(mine.client)
    const expired = await make(mine.client, 60)
    await revoke(mine.client, revoked.id)
    server.clock.advance(MINUTE)
    await server.records([], async () => {
      for (const by of [other.client, server.admin]) await rejectsWith(rotate(by, id), 'not_found')
      await rejectsWith(rotate(mine.client, newId()), 'not_found')
      await rejectsWith(rotate(mine.client, 'x'), 'invalid_request', 'params.id')
      await rejectsWith(rotate(mine.client, revoked.id), 'conflict')
      await rejectsWith(rotate(mine.client, expired.id), 'conflict')
      await rejectsWith(rotate(server.as(), id), 'unauthenticated')
    })
    assert.equal(await statusOf(token), 200)
    const both = await Promise.all([rotate(mine.client, id), rotate(mine.client, id)])
    const statuses = await Promise.all(both.map((one) => statusOf(one.token, address(133))))
    assert.deepEqual(statuses.sort(), [200, 401])
  })
})
