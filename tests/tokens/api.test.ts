import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { errors, ServiceError } from '../../contract/errors.ts'
import { TOKEN_PATTERN } from '../../contract/tokens.ts'
import { authenticatePat } from '../../server/access/tokens/authenticate.ts'
import { isTokenValue, newTokenValue } from '../../server/access/tokens/value.ts'
import { readConfig } from '../../server/config/config.ts'
import type { Origin, System } from '../../server/context.ts'
import { createLog } from '../../server/observe/log.ts'
import { start } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, dump, startServer, type TestServer } from '../support/server.ts'
import { count, DAY, MINUTE, outcomes, times, tokensWorld } from './tokens.ts'

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

describeEngines('tokens', (engine, itOnce) => {
  const world = tokensWorld(engine)
  const { address, send, statusOf, person, keepSecret, make, rotate, revoke, rowOf, listed } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  const setTokens = (tokens: { max_lifetime_days?: number; cap_child_expiry?: boolean }) =>
    server.admin.updateSettings({ body: { tokens } })

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
    const fields = ['created_at', 'expires_at', 'id', 'name', 'scope', 'token', 'token_prefix']
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
      'created_at',
      'created_by_token_id',
      'created_via',
      'expires_at',
      'id',
      'last_used_at',
      'last_used_ip',
      'name',
      'revoked_at',
      'scope',
      'status',
      'token_prefix',
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
    await rejectsWith(first.client.getObject({ params: { bucket: 'none', key: 'k' } }), 'forbidden')
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
      config: {},
      now: server.clock.now,
      get database(): never {
        throw asked
      },
    } as unknown as System
    const value = newTokenValue()
    const body = value.slice(0, -6)
    const wrong = [
      'svc_pat_',
      value.slice(0, -1),
      `${value}0`,
      `${body}${value.endsWith('000000') ? '000001' : '000000'}`,
      `${body.slice(0, -1)}${body.endsWith('a') ? 'b' : 'a'}${value.slice(-6)}`,
      `${value} `,
      `${value}\n`,
      value.replace(/.$/, '-'),
      `svc_pat_${'0'.repeat(36)}`,
      value.toLowerCase(),
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
      0,
      -1,
      1.5,
      true,
      false,
      null,
      [],
      {},
      ['30d'],
      TEN_YEARS + 1,
      1e21,
      '31d',
      '1e3',
      '',
      ' 30d',
      '30d ',
      '30d\n',
      '60\n',
      '30D',
      'Never',
      '0',
      '000',
      '-1',
      '+1',
      '1.5',
      '0x10',
      String(TEN_YEARS + 1),
      '9999999999',
      '٣٠',
      '30 d',
      'null',
      '1_000',
      '1w',
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
      ['  ci ', 'ci'],
      ['ci', 'ci'],
      ['n'.repeat(100), 'n'.repeat(100)],
      ['😀'.repeat(100), '😀'.repeat(100)],
    ] as const) {
      const made = await make(client, 'never', name)
      assert.equal(made.name, kept)
      assert.equal((await listed(client, made.id))?.name, kept)
    }
    await server.records([], async () => {
      for (const name of ['', ' ', ' \t\n\u00a0\ufeff', 'n'.repeat(101), 'a\0b', 'ci\n', '\ud800', 1, null, undefined])
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
})
