import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { newTokenValue } from '../../server/access/tokens/value.ts'
import { newId } from '../../server/base/id.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import type { ServerProcess } from '../support/process.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { DAY, MINUTE, tokensWorld } from './tokens.ts'

describeEngines('tokens: what they may do, and the notes of their use', (engine, itOnce) => {
  const world = tokensWorld(engine)
  const { address, send, ask, statusOf, person, make, rotate, revoke, rowOf, listed, run, holding, waiting } = world
  let server: TestServer
  let twin: ServerProcess | undefined
  before(() => {
    server = world.server
    twin = world.twin
  })

  it('works up to the instant of its expiry, not at it', async () => {
    const { client } = await person()
    const short = await make(client, 60)
    server.clock.advance(59_999)
    assert.equal(await statusOf(short.token), 200)
    server.clock.advance(1)
    assert.equal(await statusOf(short.token), 401)
    const long = await make(client, '365d')
    server.clock.advance(365 * DAY - 1)
    assert.equal(await statusOf(long.token), 200)
    server.clock.advance(1)
    assert.equal(await statusOf(long.token), 401)
  })

  itOnce('gives the same response whatever is wrong with a token', async () => {
    const one = await person()
    const [expired, revoked, rotated] = [await make(one.client, 60), await make(one.client), await make(one.client)]
    const [gone, disabled] = [await person(), await person()]
    const [orphan, resting] = [await make(gone.client), await make(disabled.client)]
    await revoke(one.client, revoked.id)
    await rotate(one.client, rotated.id)
    await server.admin.deleteUser({ params: { id: gone.id } })
    await server.admin.updateUser({ params: { id: disabled.id }, body: { is_active: false } })
    server.clock.advance(MINUTE)
    const cases = { expired, revoked, rotated, orphan, resting, unknown: { token: newTokenValue() } }
    const seen = new Map<string, string[]>()
    for (const [what, { token }] of [...Object.entries(cases), ['malformed', { token: 'svc_pat_x' }] as const]) {
      const { status, headers, json } = await ask(token, address(50))
      const { request_id, ...body } = json()
      assert.equal(headers['x-request-id'], request_id)
      const { date: _date, 'x-request-id': _id, ...rest } = headers
      const answer = JSON.stringify([status, body, rest])
      seen.set(answer, [...(seen.get(answer) ?? []), what])
    }
    assert.equal(seen.size, 1, JSON.stringify([...seen]))
    const [status, body, headers] = JSON.parse([...seen.keys()][0] ?? '')
    assert.deepEqual([status, body.code], [401, 'unauthenticated'])
    assert.equal(headers['www-authenticate'], 'Bearer error="invalid_token"')
    assert.equal(headers['cache-control'], 'no-store')
  })

  it('has the rights its owner has at each request', async () => {
    await server.admin.createBucket({ body: { name: 'rights' } })
    const { client, id, groupId } = await person({ bucket_pattern: 'rights', actions: ['list'] })
    const { client: pat } = await make(client)
    const browse = () => pat.browse({ params: { bucket: 'rights' } })
    const members = { params: { id: groupId }, body: { user_ids: [id] } }
    for (let round = 0; round < 3; round++) {
      await browse()
      await server.admin.removeMembers(members)
      await rejectsWith(browse(), 'forbidden')
      assert.deepEqual((await pat.me()).groups, [])
      await server.admin.addMembers(members)
    }
    await server.admin.updateGroup({ params: { id: groupId }, body: { grants: [] } })
    await rejectsWith(browse(), 'forbidden')
    await rejectsWith(pat.listUsers(), 'forbidden')
    const admins = (await server.admin.listGroups()).items.find(({ builtin }) => builtin)
    await server.admin.addMembers({ params: { id: admins?.id ?? '' }, body: { user_ids: [id] } })
    await pat.listUsers()
    await browse()
    await server.admin.removeMembers({ params: { id: admins?.id ?? '' }, body: { user_ids: [id] } })
    await rejectsWith(pat.listUsers(), 'forbidden')
  })

  it('notes its use at most once a minute', async () => {
    const { client } = await person()
    const { id, token } = await make(client)
    const made = await rowOf(id)
    assert.deepEqual([made.last_used_at, made.last_used_ip], [null, null])
    const seen = new Set<string>()
    for (let i = 1; i <= 100; i++) {
      server.clock.advance(1000)
      assert.equal(await statusOf(token, i <= 60 ? address(71) : address(72)), 200)
      if (i % 5 !== 1) continue
      await server.running.tick()
      const { last_used_at, last_used_ip, ...rest } = await rowOf(id)
      const age = server.clock.now().getTime() - Date.parse(last_used_at ?? '')
      assert.ok(age >= 0 && age < MINUTE, `${age} ms ago`)
      assert.equal(last_used_ip, i <= 60 ? address(71) : address(72))
      seen.add(last_used_at ?? '')
      assert.deepEqual({ ...rest, last_used_at: null, last_used_ip: null }, { ...made })
    }
    assert.equal(seen.size, 2)
    const shown = await listed(client, id)
    assert.deepEqual([shown?.last_used_at, shown?.last_used_ip], [[...seen][1], address(72)])
  })

  it('is at most a minute old when several processes record it', async () => {
    const { client } = await person()
    const { id, token } = await make(client)
    const earlier = new Date(server.clock.now().getTime() - 30_000).toISOString()
    await server.database.transaction((tx) =>
      tx.updateTable('tokens').set({ last_used_at: earlier }).where('id', '=', id).execute(),
    )
    assert.equal(await statusOf(token), 200)
    await server.running.tick()
    assert.equal((await rowOf(id)).last_used_at, earlier)
    server.clock.advance(31_000)
    assert.equal(await statusOf(token), 200)
    await server.running.tick()
    assert.equal((await rowOf(id)).last_used_at, server.clock.now().toISOString())
  })

  it('writes no other column, and no failure of it reaches the answer', async () => {
    const { client } = await person()
    const { id, token } = await make(client)
    const used = ['last_used_at', 'last_used_ip']
    const others = Object.keys(await rowOf(id)).filter((column) => !used.includes(column))
    const refuse = (columns: string[]) =>
      run(
        engine === 'sqlite'
          ? `create trigger refused before update of ${columns} on tokens begin select raise(abort, 'refused'); end`
          : `create trigger refused before update of ${columns} on tokens for each row execute function refuse()`,
      )
    if (engine === 'postgres')
      await run(`create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`)
    await refuse(others)
    try {
      assert.equal(await statusOf(token), 200)
      await server.running.tick()
    } finally {
      await run(`drop trigger refused ${engine === 'sqlite' ? '' : 'on tokens'}`)
    }
    const noted = server.clock.now().toISOString()
    assert.equal((await rowOf(id)).last_used_at, noted)
    await refuse(used)
    try {
      server.clock.advance(MINUTE)
      assert.equal(await statusOf(token), 200)
      await server.running.tick()
    } finally {
      await run(`drop trigger refused ${engine === 'sqlite' ? '' : 'on tokens'}`)
    }
    assert.equal((await rowOf(id)).last_used_at, noted)
    server.clock.advance(MINUTE)
    assert.equal(await statusOf(token), 200)
    await server.running.tick()
    assert.equal((await rowOf(id)).last_used_at, server.clock.now().toISOString())
  })

  it('a use that was refused for want of rights is noted too', async () => {
    await server.admin.createBucket({ body: { name: 'not-mine' } })
    const { client } = await person()
    const calls = [
      (pat: Client) => pat.browse({ params: { bucket: 'not-mine' } }),
      (pat: Client) => pat.listUsers(),
      (pat: Client) => pat.listAudit(),
    ]
    for (const call of calls) {
      const { id, client: pat } = await make(client)
      await rejectsWith(call(pat), 'forbidden')
      await server.running.tick()
      assert.equal((await rowOf(id)).last_used_at, server.clock.now().toISOString(), String(call))
    }
  })

  if (engine === 'postgres')
    itOnce('the answer does not wait for the note', async () => {
      const { client } = await person()
      const { id, token } = await make(client)
      const release = await holding('select id from tokens where id = $1 for update', id)
      try {
        assert.equal(await statusOf(token), 200)
        await until(async () => (await waiting()) === 1)
        assert.equal(await statusOf(token), 200)
        assert.equal((await rowOf(id)).last_used_at, null)
      } finally {
        await release()
      }
      await server.running.tick()
      assert.equal((await rowOf(id)).last_used_at, server.clock.now().toISOString())
    })

  it('lists one’s own, latest first, page by page', async () => {
    const [mine, other] = [await person(), await person()]
    await make(other.client)
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.unshift((await make(mine.client, 'never', `n${i}`)).id)
    await revoke(mine.client, made[2] ?? '')
    for (const list of [
      (query: object) => mine.client.listTokens({ query }),
      (query: object) => server.admin.listUserTokens({ params: { id: mine.id }, query }),
    ]) {
      const all = await list({})
      assert.deepEqual(
        all.items.map(({ id }) => id),
        made,
      )
      assert.equal(all.next_cursor, null)
      const paged: string[] = []
      const sizes: number[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
        sizes.push(page.items.length)
        paged.push(...page.items.map(({ id }) => id))
        cursor = page.next_cursor
      }
      assert.deepEqual([paged, sizes], [made, [2, 2, 1]])
      assert.equal((await list({ limit: 5 })).next_cursor, null, 'a full last page is the last')
      for (const query of [{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { cursor: 'nonsense' }, { page: 1 }])
        await rejectsWith(list(query), 'invalid_request', `query.${Object.keys(query)[0]}`)
    }
  })

  it('tells what state each is in', async () => {
    const { client } = await person()
    const forever = await make(client)
    const month = await make(client, '30d')
    const week = await make(client, 7 * 86_400)
    const { client: pat } = forever
    const statuses = async (...ids: string[]) => {
      const { items } = await pat.listTokens()
      return ids.map((id) => items.find((one) => one.id === id)?.status)
    }
    assert.deepEqual(await statuses(forever.id, month.id, week.id), ['active', 'active', 'expiring'])
    server.clock.advance(23 * DAY - 1)
    assert.deepEqual(await statuses(forever.id, month.id, week.id), ['active', 'active', 'expired'])
    server.clock.advance(1)
    assert.deepEqual(await statuses(month.id), ['expiring'])
    server.clock.advance(7 * DAY - 1)
    assert.deepEqual(await statuses(month.id), ['expiring'])
    server.clock.advance(1)
    assert.deepEqual(await statuses(month.id), ['expired'])
    const ended = await make(pat, '30d')
    const at = server.clock.now().toISOString()
    await revoke(pat, ended.id)
    server.clock.advance(31 * DAY)
    assert.deepEqual(await statuses(ended.id), ['revoked'])
    assert.equal((await listed(pat, ended.id))?.revoked_at, at)
  })

  it('shows administrators, and nobody else, the tokens of others', async () => {
    const [one, other] = [await person(), await person()]
    const { id } = await make(one.client)
    const managers = await server.admin.createGroup({ body: { name: 'Managers', global: ['users.manage'] } })
    await server.admin.addMembers({ params: { id: managers.id }, body: { user_ids: [other.id] } })
    const view = (by: Client, user: string) => by.listUserTokens({ params: { id: user } })
    assert.deepEqual(await view(server.admin, one.id), await one.client.listTokens())
    const byPat = await make(server.admin)
    assert.deepEqual(
      (await view(byPat.client, one.id)).items.map((token) => token.id),
      [id],
    )
    assert.deepEqual(await view(server.admin, other.id), { items: [], next_cursor: null })
    for (const client of [one.client, other.client, (await make(one.client)).client])
      for (const user of [one.id, newId()])
        await server.records([{ action: 'access_denied', result: 'denied' }], () =>
          rejectsWith(view(client, user), 'forbidden'),
        )
    await rejectsWith(view(server.admin, newId()), 'not_found')
    await rejectsWith(view(server.admin, 'me'), 'invalid_request', 'params.id')
    await rejectsWith(view(server.as(), one.id), 'unauthenticated')
    for (const call of [server.as().listTokens(), server.as().createToken({ body: { name: 'x' } })])
      await rejectsWith(call, 'unauthenticated')
  })

  itOnce('what is done with it is recorded with it', async () => {
    const who = await person({ bucket_pattern: 'recorded', actions: ['list', 'read', 'write', 'create'] })
    const { id, token } = await make(who.client)
    const doing = [
      ['POST', '/buckets', { name: 'recorded' }, 201],
      ['POST', '/tokens', { name: 'child' }, 201],
      ['GET', '/users', undefined, 403],
      ['DELETE', '/buckets/recorded', undefined, 403],
    ] as const
    for (const [method, url, body, status] of doing) {
      const answer = await send(method, url, token, body, { 'x-forwarded-for': address(140), 'user-agent': 'ci/1' })
      assert.equal(answer.status, status, url)
    }
    const { items } = await server.admin.listAudit({ query: { token_id: id } })
    assert.deepEqual(items.map(({ action, result }) => [action, result]).reverse(), [
      ['create_bucket', 'success'],
      ['token_create', 'success'],
      ['access_denied', 'denied'],
      ['access_denied', 'denied'],
    ])
    for (const one of items)
      assert.deepEqual(
        [one.auth_method, one.token_id, one.session_id, one.actor, one.actor_ip, one.user_agent],
        ['pat', id, null, { user_id: who.id, email: who.email, type: 'user' }, address(140), 'ci/1'],
      )
    const byMethod = await server.admin.listAudit({ query: { auth_method: 'pat', user_id: who.id } })
    assert.deepEqual(byMethod.items, items)
  })

  itOnce('an address may send 100 bad tokens a minute, and good ones all the time', async () => {
    const { client } = await person()
    const good = await make(client)
    const bad = [await make(client), await make(client, 1)]
    await revoke(client, bad[0]?.id ?? '')
    const wrong = [...bad.map(({ token }) => token), 'svc_pat_x', newTokenValue()]
    await server.later(2 * MINUTE - (server.clock.now().getTime() % MINUTE) + 12_345)
    const [ip, other] = [address(150), address(151)]
    const one = (i: number, from = ip) => ask(wrong[i % wrong.length] ?? '', from)
    for (let i = 0; i < 100; i++) {
      assert.equal((await one(i)).status, 401, `the ${i + 1}th`)
      if (i % 10 === 0) assert.equal(await statusOf(good.token, ip), 200)
    }
    for (let i = 0; i < wrong.length; i++) {
      const { status, headers, json } = await one(i)
      assert.deepEqual([status, json().code, headers['retry-after']], [429, 'rate_limited', '48'])
    }
    assert.equal(await statusOf(good.token, ip), 200)
    assert.equal((await one(0, other)).status, 401)
    const spoofed = await ask(wrong[0] ?? '', `192.0.2.1, ${ip}`)
    assert.equal(spoofed.status, 429, 'what stands before the trusted proxy’s word does not count')
    server.clock.advance(47_654)
    assert.deepEqual([(await one(1)).status, (await one(1)).headers['retry-after']], [429, '1'])
    server.clock.advance(1)
    assert.equal((await one(2)).status, 401)
    assert.equal(await statusOf(good.token, ip), 200)
  })

  it('is suspended while its owner is disabled, survives a new password and ends with the account', async () => {
    const { client, id, email, jwt } = await person()
    const { id: tokenId, token } = await make(client)
    const change = (body: Parameters<Client['updateUser']>[0]['body']) =>
      server.admin.updateUser({ params: { id }, body })
    await change({ password: 'another password' })
    assert.deepEqual([await statusOf(jwt), await statusOf(token)], [401, 200])
    server.secrets.add('another password').add('a third password')
    const again = server.as(await server.login(email, 'another password'))
    await again.changePassword({
      body: { current_password: 'another password', new_password: 'a third password' },
    })
    assert.equal(await statusOf(token), 200)
    await server.admin.endUserSessions({ params: { id } })
    assert.equal(await statusOf(token), 200)
    await change({ password: null })
    assert.equal(await statusOf(token), 200)
    for (let round = 0; round < 2; round++) {
      await change({ is_active: false })
      assert.equal(await statusOf(token), 401)
      await change({ is_active: true })
      assert.equal(await statusOf(token), 200)
    }
    await change({ is_active: false })
    await revoke(server.admin, tokenId)
    await change({ is_active: true })
    assert.equal(await statusOf(token), 401, 'revoked while it rested')

    const last = await make(server.as(await server.userWith()))
    const owner = await last.client.me()
    await server.admin.deleteUser({ params: { id: owner.id } })
    assert.equal(await statusOf(last.token), 401)
    const { db } = server.database
    assert.deepEqual(await db.selectFrom('tokens').selectAll().where('user_id', '=', owner.id).execute(), [])
    await rejectsWith(server.admin.listUserTokens({ params: { id: owner.id } }), 'not_found')
    await rejectsWith(revoke(server.admin, last.id), 'not_found')
  })

  itOnce('has no session to end, and is a credential in the header alone', async () => {
    const { client, jwt } = await person()
    const { client: pat, token } = await make(client)
    await server.records([], () => rejectsWith(pat.logout(), 'conflict'))
    assert.deepEqual([await statusOf(token), await statusOf(jwt)], [200, 200])
    for (const [query, headers] of [
      [`?access_token=${token}`, {}],
      [`?token=${token}`, {}],
      ['', { cookie: `access_token=${token}; token=${token}` }],
      ['', { 'x-api-key': token, 'proxy-authorization': `Bearer ${token}` }],
      ['', { authorization: token }],
      ['', { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` }],
      ['', { authorization: `Bearer ${token}, Bearer ${token}` }],
    ] as const) {
      const { status } = await request({ url: server.url, path: `/api/v1/auth/me${query}`, headers })
      assert.equal(status, 401, JSON.stringify([query, Object.keys(headers)]))
    }
    const lower = await request({
      url: server.url,
      path: '/api/v1/auth/me',
      headers: { authorization: `bearer ${token}` },
    })
    assert.equal(lower.status, 200)
    const swapped = await send('POST', '/auth/refresh', jwt, { refresh_token: token })
    assert.equal(swapped.status, 401)
  })

  if (engine === 'postgres')
    it('a replaced value is dead at once everywhere, whatever the clocks', async () => {
      assert.ok(twin)
      // The service of the tests lives years from the real time of the other.
      const { client } = await person()
      for (const [here, there] of [
        [server.url, twin.url],
        [twin.url, server.url],
      ] as const) {
        const { id, token } = await make(client)
        const next = await rotate(createClient({ baseUrl: here, token }), id)
        const elsewhere = (value: string) => createClient({ baseUrl: there, token: value }).me()
        await elsewhere(next.token)
        await rejectsWith(elsewhere(token), 'unauthenticated')
      }
    })

  if (engine === 'postgres')
    it('a change in one service takes effect on the next request to another', async () => {
      assert.ok(twin)
      const url = twin.url
      await server.admin.createBucket({ body: { name: 'replicas' } })
      const admins = await make(server.admin)
      const sides = [
        { admin: admins.client, as: (token: string) => server.as(token) },
        {
          admin: createClient({ baseUrl: url, token: admins.token }),
          as: (token: string) => createClient({ baseUrl: url, token }),
        },
      ]
      for (const [i, here] of sides.entries()) {
        const there = sides[1 - i]
        assert.ok(there)
        const who = await person({ bucket_pattern: 'replicas', actions: ['list'] })
        const browse = () => there.as(token).browse({ params: { bucket: 'replicas' } })
        const members = { params: { id: who.groupId }, body: { user_ids: [who.id] } }
        const { id, token } = await make(who.client)
        const last = await make(who.client)
        await browse()
        await here.admin.removeMembers(members)
        await rejectsWith(browse(), 'forbidden')
        await here.admin.addMembers(members)
        await browse()
        await here.admin.updateUser({ params: { id: who.id }, body: { is_active: false } })
        await rejectsWith(browse(), 'unauthenticated')
        await here.admin.updateUser({ params: { id: who.id }, body: { is_active: true } })
        await browse()
        const child = await make(here.as(token))
        await there.as(child.token).me()
        await revoke(here.as(token), id, true)
        await rejectsWith(browse(), 'unauthenticated')
        await rejectsWith(there.as(child.token).me(), 'unauthenticated')
        await there.as(last.token).me()
        await here.admin.updateSettings({ body: { tokens: { max_lifetime_days: 1 } } })
        await rejectsWith(make(there.as(last.token)), 'invalid_request', 'body.expires_in')
        await here.admin.updateSettings({ body: { tokens: { max_lifetime_days: 0 } } })
        await make(there.as(last.token))
        await here.admin.deleteUser({ params: { id: who.id } })
        await rejectsWith(there.as(last.token).me(), 'unauthenticated')
      }
      assert.equal(/svc_pat_[0-9A-Za-z]{36}/.test(twin.log()), false)
    })
})
