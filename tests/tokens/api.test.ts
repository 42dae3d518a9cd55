import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { after, before, beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { type Client, createClient, ProblemError } from '../../contract/client.ts'
import { errors, ServiceError } from '../../contract/errors.ts'
import { TOKEN_PATTERN } from '../../contract/tokens.ts'
import { readConfig } from '../../server/config.ts'
import type { Origin, System } from '../../server/context.ts'
import { newId } from '../../server/id.ts'
import { createLog } from '../../server/log.ts'
import { start } from '../../server/start.ts'
import { authenticatePat } from '../../server/tokens/service.ts'
import { isTokenValue, newTokenValue } from '../../server/tokens/value.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { allActions, describeEngines, dump, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TEN_YEARS = 315_360_000
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** CRC-32 as ISO 3309 has it, bit by bit, in base62 with leading zeros: the rule of the specification, not our code. */
function checksumOf(text: string): string {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  const number = BigInt((crc ^ 0xffffffff) >>> 0)
  const digits = [5n, 4n, 3n, 2n, 1n, 0n].map((power) => ALPHABET[Number((number / 62n ** power) % 62n)])
  return digits.join('')
}

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
/** How each call ended: `ok` or its problem's code. */
const outcomes = async (calls: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) => {
    if (one.status === 'fulfilled') return 'ok'
    return one.reason instanceof ProblemError ? one.reason.problem.code : String(one.reason)
  })
const count = (all: string[], code: string) => all.filter((one) => one === code).length

describeEngines('tokens', (engine, itOnce) => {
  let server: TestServer
  let twin: ServerProcess | undefined
  /** Bad tokens are counted by address in each process, and both engines' suites run in this one. */
  const address = (host: number) => `${engine === 'sqlite' ? '198.51.100' : '203.0.113'}.${host}`

  const send = (method: string, url: string, token: string, body?: object, headers = {}) =>
    request({
      ...{ url: server.url, path: `/api/v1${url}`, method, token },
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const ask = (token: string, ip?: string) =>
    send('GET', '/auth/me', token, undefined, ip === undefined ? {} : { 'x-forwarded-for': ip })
  const statusOf = async (token: string, ip?: string) => (await ask(token, ip)).status

  const person = async (...grants: Parameters<TestServer['userWith']>) => {
    const jwt = await server.userWith(...grants)
    const client = server.as(jwt)
    const { id, email, groups } = await client.me()
    return { id, email, jwt, client, groupId: groups[0]?.id ?? '' }
  }
  const keepSecret = (token: string) => void server.secrets.add(token).add(token.slice(-20))
  const make = async (by: Client, expires_in?: string | number, name = 'ci') => {
    const made = await by.createToken({ body: { name, ...(expires_in === undefined ? {} : { expires_in }) } })
    keepSecret(made.token)
    return { ...made, client: server.as(made.token) }
  }
  const rotate = async (by: Client, id: string, grace_seconds?: number) => {
    const made = await by.rotateToken({ params: { id }, body: grace_seconds === undefined ? {} : { grace_seconds } })
    keepSecret(made.token)
    return made
  }
  const revoke = (by: Client, id: string, cascade?: boolean) =>
    by.revokeToken({ params: { id }, query: cascade === undefined ? {} : { cascade } })
  const rowOf = (id: string) =>
    server.database.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const listed = async (by: Client, id: string) => (await by.listTokens()).items.find((one) => one.id === id)
  const run = (statement: string) => server.database.transaction((tx) => sql.raw(statement).execute(tx))
  const setTokens = (tokens: { max_lifetime_days?: number; cap_child_expiry?: boolean }) =>
    server.admin.updateSettings({ body: { tokens } })
  /** Holds what this statement locks on PostgreSQL until it ends. */
  const holding = async (lock: string, ...values: string[]) => {
    const client = new pg.Client({ connectionString: server.env.DATABASE_URL })
    await client.connect()
    await client.query('begin')
    await client.query(lock, values)
    return () => client.end()
  }
  /** How many transactions wait for a lock. */
  const waiting = () =>
    server.database.transaction(async (tx) => {
      const { rows } = await sql<{ n: number }>`
        select count(distinct pid) as n from pg_locks join pg_stat_activity using (pid)
        where not granted and datname = current_database()`.execute(tx)
      return rows[0]?.n
    })

  before(async () => {
    server = await startServer(engine, { TRUSTED_PROXIES: '127.0.0.1' })
    const created_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('webhook_endpoints')
        .values({ id: newId(), name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
        .execute(),
    )
    if (engine === 'postgres') twin = await spawnServer(server.env)
  })
  // Tests move the clock beyond the 30 minutes of an access token, and notes of use wait in the background.
  beforeEach(async () => {
    await server.running.tick()
    await server.later(0)
  })
  after(async () => {
    await twin?.kill('SIGKILL')
    await server.stop()
  })

  itOnce('has the published form, and the CRC-32 of its random part', async () => {
    assert.equal(TOKEN_PATTERN, 'svc_pat_[0-9A-Za-z]{36}')
    const { client } = await person()
    for (const made of [await make(client), await make(client, '30d'), await rotate(client, (await make(client)).id)]) {
      const [, random = '', check] = /^svc_pat_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(made.token) ?? []
      assert.equal(check, checksumOf(random))
      assert.equal(made.token.length, 44)
      assert.equal(made.token_prefix, made.token.slice(0, 12))
    }
    // Of a token that GitHub revoked and published: the checksum is the one that secret scanners know.
    assert.equal(checksumOf('zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ'), '0mLq17')
    assert.ok(isTokenValue(`svc_pat_${'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ'}${'0mLq17'}`))
    const openapi = await (await fetch(`${server.url}/openapi.json`)).text()
    assert.ok(openapi.includes(`^${TOKEN_PATTERN}$`))
  })

  itOnce('answers the value once, to no cache', async () => {
    const { client, jwt } = await person()
    const fields = ['created_at', 'expires_at', 'id', 'name', 'token', 'token_prefix']
    const created = await send('POST', '/tokens', jwt, { name: 'ci', expires_in: '90d' })
    const made = created.json<Awaited<ReturnType<Client['createToken']>>>()
    keepSecret(made.token)
    assert.deepEqual([created.status, created.headers['cache-control']], [201, 'no-store'])
    assert.deepEqual(Object.keys(made).sort(), fields)
    assert.equal(Date.parse(made.expires_at ?? '') - Date.parse(made.created_at), 90 * DAY)
    const rotated = await send('POST', `/tokens/${made.id}/rotate`, jwt, {})
    keepSecret(rotated.json<{ token: string }>().token)
    assert.deepEqual([rotated.status, rotated.headers['cache-control']], [201, 'no-store'])
    assert.deepEqual(Object.keys(rotated.json()).sort(), fields)

    const list = await send('GET', '/tokens', jwt)
    assert.deepEqual(Object.keys((await client.listTokens()).items[0] ?? {}).sort(), [
      ...['created_at', 'created_by_token_id', 'created_via', 'expires_at', 'id', 'last_used_at', 'last_used_ip'],
      ...['name', 'revoked_at', 'status', 'token_prefix'],
    ])
    const { token_hash } = await rowOf(made.id)
    for (const hidden of [made.token.slice(-20), token_hash])
      assert.equal(list.body.toString().includes(hidden), false, hidden)
  })

  it('keeps the SHA-256 and nothing that the value could be told from', async () => {
    const { client } = await person()
    const values = new Set<string>()
    const first = await make(client, '30d')
    values.add(first.token)
    assert.equal((await rowOf(first.id)).token_hash, createHash('sha256').update(first.token).digest('hex'))
    const child = await make(first.client)
    values.add(child.token)
    values.add((await rotate(first.client, child.id)).token)
    await rejectsWith(child.client.me(), 'unauthenticated')
    await rejectsWith(child.client.listUsers(), 'unauthenticated')
    await rejectsWith(first.client.listUsers(), 'forbidden')
    await rejectsWith(first.client.getObject({ params: { name: 'none', key: 'k' } }), 'forbidden')
    const unknown = newTokenValue()
    values.add(unknown)
    for (const [url, headers] of [
      [`/auth/me?access_token=${unknown}`, {}],
      [`/buckets/${unknown}`, {}],
      ['/auth/me', { cookie: `token=${unknown}`, 'x-api-key': unknown, referer: `https://example.com/?t=${unknown}` }],
    ] as const)
      await send('GET', url, unknown, undefined, headers)
    await revoke(first.client, first.id, true)
    await server.running.tick()

    const kept = await dump(server.database, engine)
    assert.ok(kept.includes(first.token_prefix), 'the dump has the tokens')
    const { db } = server.database
    assert.ok((await db.selectFrom('webhook_deliveries').selectAll().execute()).some((one) => one.event.match('token')))
    const files = fs
      .readdirSync(server.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    for (const value of values)
      for (const part of [value, value.slice(-20)])
        for (const text of [kept, server.logged(), ...files]) assert.equal(text.includes(part), false)
  })

  itOnce('a value that was typed as the e-mail of a login, or sent as a browser’s name, is not recorded', async () => {
    const other = await startServer(engine)
    const value = newTokenValue()
    await rejectsWith(other.as().login({ body: { username: value, password: 'x' } }), 'invalid_grant')
    await rejectsWith(
      other.as().login({ body: { username: 'someone@example.com', password: 'x' }, headers: { 'user-agent': value } }),
      'invalid_grant',
    )
    // Looks for anything of the form in the database and the log.
    await other.stop()
  })

  itOnce('the log shows no value wherever in an entry it stands', async () => {
    const value = newTokenValue()
    const lines: string[] = []
    const to = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
    const log = createLog('debug', to)
    log.info({ headers: { authorization: `Bearer ${value}` }, req: { headers: { authorization: value } } }, 'a')
    log.error({ err: new Error(`in a message: ${value}`, { cause: new Error(value) }) }, `b ${value},${value}`)
    log.child({ token: value }).warn({ deep: [{ [value]: `x${value}y` }] }, 'c')
    assert.equal(lines.length, 3)
    for (const line of lines) {
      JSON.parse(line)
      for (const part of [value, value.slice(-20)]) assert.equal(line.includes(part), false, line)
    }
  })

  itOnce('refuses what has not the form without asking the database', async () => {
    const origin: Origin = { request_id: null, ip: address(30), user_agent: null, method: null, route: null }
    const asked = new Error('the database was asked')
    const system = {
      now: server.clock.now,
      get database(): never {
        throw asked
      },
    } as unknown as System
    const value = newTokenValue()
    const body = value.slice(0, -6)
    const wrong = [
      ...['svc_pat_', value.slice(0, -1), `${value}0`, `${body}${value.endsWith('000000') ? '000001' : '000000'}`],
      `${body.slice(0, -1)}${body.endsWith('a') ? 'b' : 'a'}${value.slice(-6)}`,
      ...[`${value} `, `${value}\n`, value.replace(/.$/, '-'), `svc_pat_${'0'.repeat(36)}`, value.toLowerCase()],
    ]
    for (const one of wrong) {
      const error = await authenticatePat(system, one, origin).catch((reason: unknown) => reason)
      assert.ok(error instanceof ServiceError, one)
      assert.equal(error.code, 'unauthenticated')
    }
    await assert.rejects(authenticatePat(system, value, origin), asked)
    for (const one of wrong.filter((text) => /^\S+$/.test(text)))
      assert.equal(await statusOf(one, address(30)), 401, one)
    assert.equal(await statusOf(value, address(30)), 401)
  })

  itOnce('lives as long as was asked for', async () => {
    const { client } = await person()
    for (const [asked, seconds] of [
      ['30d', 30 * 86_400],
      ['90d', 90 * 86_400],
      ['365d', 365 * 86_400],
      [1, 1],
      [3600, 3600],
      [TEN_YEARS, TEN_YEARS],
      ['1', 1],
      ['3600', 3600],
      ['30', 30],
      [String(TEN_YEARS), TEN_YEARS],
      ['never', null],
      [undefined, null],
    ] as const) {
      const made = await make(client, asked)
      const left = made.expires_at === null ? null : Date.parse(made.expires_at) - server.clock.now().getTime()
      assert.equal(left, seconds === null ? null : seconds * 1000, String(asked))
      assert.equal(made.created_at, server.clock.now().toISOString())
      assert.equal((await rowOf(made.id)).expires_at, made.expires_at)
    }
  })

  itOnce('refuses every other lifetime', async () => {
    const { client } = await person()
    const wrong: unknown[] = [
      ...[0, -1, 1.5, true, false, null, [], {}, ['30d'], TEN_YEARS + 1, 1e21],
      ...['31d', '1e3', '', ' 30d', '30d ', '30d\n', '60\n', '30D', 'Never', '0', '000', '-1', '+1', '1.5', '0x10'],
      ...[String(TEN_YEARS + 1), '9999999999', '٣٠', '30 d', 'null', '1_000', '1w'],
    ]
    await server.records([], async () => {
      for (const expires_in of wrong)
        await rejectsWith(
          client.createToken({ body: { name: 'ci', expires_in: expires_in as string } }),
          'invalid_request',
          'body.expires_in',
        ).catch((error: Error) => assert.fail(`${JSON.stringify(expires_in)}: ${error.message}`))
      await rejectsWith(
        client.createToken({ body: { name: 'ci', expires: '30d' } as never }),
        'invalid_request',
        'body.expires',
      )
    })
    assert.deepEqual((await client.listTokens()).items, [])
  })

  itOnce('a setting limits the lifetimes of new tokens, on the next request', async () => {
    const { client } = await person()
    const old = await make(client)
    await setTokens({ max_lifetime_days: 30 })
    try {
      await server.records([], async () => {
        for (const asked of ['never', undefined, '90d', '365d', 30 * 86_400 + 1, String(30 * 86_400 + 1), TEN_YEARS])
          await rejectsWith(make(client, asked), 'invalid_request', 'body.expires_in')
      })
      for (const asked of ['30d', 30 * 86_400, String(30 * 86_400), 1]) await make(client, asked)
      assert.equal(await statusOf(old.token), 200, 'those that are there stay')
      assert.equal((await rotate(client, old.id)).expires_at, null)
    } finally {
      await setTokens({ max_lifetime_days: 0 })
    }
    await make(client, 'never')
  })

  itOnce('a setting keeps a token made with a token from outliving it', async () => {
    const { client } = await person()
    const parent = await make(client, '30d')
    const forever = await make(client)
    const free = await make(parent.client)
    assert.equal(free.expires_at, null, 'off by default')
    await setTokens({ cap_child_expiry: true })
    try {
      for (const asked of ['never', undefined, '90d', TEN_YEARS, 30 * 86_400])
        assert.equal((await make(parent.client, asked)).expires_at, parent.expires_at)
      const shorter = await make(parent.client, 60)
      assert.equal(Date.parse(shorter.expires_at ?? ''), server.clock.now().getTime() + MINUTE)
      assert.equal((await make((await make(parent.client)).client)).expires_at, parent.expires_at)
      assert.equal((await make(forever.client)).expires_at, null)
      assert.equal((await make(client)).expires_at, null, 'a session’s is nobody’s child')
    } finally {
      await setTokens({ cap_child_expiry: false })
    }
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

  itOnce('says the same whatever is wrong with a token', async () => {
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
    const browse = () => pat.browse({ params: { name: 'rights' } })
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

  it('is a minute old at most where others note it too', async () => {
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
      (pat: Client) => pat.browse({ params: { name: 'not-mine' } }),
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
          ...['token_create', 'local'],
          { name: 'ci', token_prefix: token.slice(0, 12), expires_at: null, created_by_token_id: null },
        ],
        [
          ...['token_revoke', 'local'],
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

  it('a person has at most 50 live tokens, however many they make at once', async () => {
    const { client } = await person()
    const dead = [await make(client), await make(client, 60)]
    await revoke(client, dead[0]?.id ?? '')
    server.clock.advance(MINUTE)
    const before = (await allActions(server.database)).length
    const results = await outcomes(times(60, (i) => make(client, 'never', `n${i % 3}`)))
    assert.deepEqual([count(results, 'ok'), count(results, 'limit_reached')], [50, 10], results.join())
    const { items } = await client.listTokens()
    assert.equal(items.filter(({ status }) => status === 'active').length, 50)
    assert.equal((await allActions(server.database)).length - before, 50)
    await server.records([], async () => {
      const error = await rejectsWith(make(client), 'limit_reached')
      assert.equal(error.response.status, errors.limit_reached.status)
    })
    const [first, second] = items
    await rotate(client, first?.id ?? '')
    await revoke(client, second?.id ?? '')
    await make(client)
    await rejectsWith(make(client), 'limit_reached')
    await make((await person()).client)
  })

  itOnce('has a name of 1 to 100 characters, which another may have too', async () => {
    const { client } = await person()
    for (const [name, kept] of [
      ['x', 'x'],
      ['  ci \n', 'ci'],
      ['ci', 'ci'],
      ['n'.repeat(100), 'n'.repeat(100)],
      ['😀'.repeat(100), '😀'.repeat(100)],
    ] as const) {
      const made = await make(client, 'never', name)
      assert.equal(made.name, kept)
      assert.equal((await listed(client, made.id))?.name, kept)
    }
    await server.records([], async () => {
      for (const name of ['', ' ', ' \t\n\u00a0\ufeff', 'n'.repeat(101), 'a\0b', '\ud800', 1, null, undefined])
        await rejectsWith(client.createToken({ body: { name: name as string } }), 'invalid_request', 'body.name')
    })
  })

  it('its owner is told seven days and one day before it expires, once each', async () => {
    const { client } = await person()
    const month = await make(client, '30d', 'month')
    const revoked = await make(client, '30d', 'revoked')
    const halfway = await make(client, '30d', 'revoked after the first notice')
    const forever = await make(client)
    await revoke(client, revoked.id)
    const { client: pat } = forever
    const notices = async (id: string) =>
      (await allActions(server.database))
        .filter(({ action, resource_id }) => action === 'token_expiring' && resource_id === id)
        .map(({ details, auth_method, actor_type }) => [JSON.parse(details), auth_method, actor_type])
    const days = async (id: string) => (await notices(id)).map(([details]) => details.days)
    const wait = async (ms: number) => {
      await server.later(ms)
      await server.running.tick()
      await server.running.tick()
    }
    await wait(23 * DAY - 1)
    assert.deepEqual(await days(month.id), [])
    await wait(1)
    assert.deepEqual(await days(month.id), [7])
    await revoke(pat, halfway.id)
    await wait(6 * DAY - 1)
    assert.deepEqual(await days(month.id), [7])
    await wait(1)
    assert.deepEqual(await days(month.id), [7, 1])
    for (const ms of [DAY - 1, 1, DAY]) {
      await wait(ms)
      assert.deepEqual(await days(month.id), [7, 1])
    }
    const { token_prefix, expires_at } = month
    assert.deepEqual(
      await notices(month.id),
      [7, 1].map((left) => [{ name: 'month', token_prefix, expires_at, days: left }, 'system', 'system']),
    )
    assert.deepEqual([await days(revoked.id), await days(halfway.id), await days(forever.id)], [[], [7], []])
  })

  if (engine === 'postgres')
    it('two services tell it once', async () => {
      const { client } = await person()
      const made = await Promise.all(times(20, () => make(client, 86_400)))
      const config = readConfig({ ...server.env, LOG_LEVEL: 'silent' })
      const other = await start(config, { now: server.clock.now, timers: false })
      try {
        await Promise.all([server.running.tick(), other.tick(), server.running.tick(), other.tick()])
      } finally {
        await other.stop()
      }
      const ids = new Set(made.map(({ id }) => id))
      const told = (await allActions(server.database)).filter(
        ({ action, resource_id }) => action === 'token_expiring' && ids.has(resource_id ?? ''),
      )
      assert.equal(new Set(told.map(({ resource_id, details }) => `${resource_id} ${details}`)).size, told.length)
      assert.equal(told.filter(({ details }) => JSON.parse(details).days === 1).length, 20)
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

  it('rests while its owner is disabled, survives a new password and ends with the account', async () => {
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
    it('what one service changes acts on the very next request to another', async () => {
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
        const browse = () => there.as(token).browse({ params: { name: 'replicas' } })
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
