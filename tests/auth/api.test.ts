import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import * as bcrypt from '@node-rs/bcrypt'
import fc from 'fast-check'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import {
  ADMIN,
  allActions,
  describeEngines,
  engines,
  SECRET_KEY,
  startServer,
  type TestServer,
} from '../support/server.ts'
import { assertSignIn } from './sign-in.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const MOST_TRIES = 150

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
function forge(header: object, claims: object, key = SECRET_KEY, hash = 'sha256'): string {
  const body = `${part(header)}.${part(claims)}`
  return `${body}.${createHmac(hash, key).update(body).digest('base64url')}`
}
const decode = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((one) => JSON.parse(Buffer.from(one, 'base64url').toString()) as Record<string, unknown>)

describeEngines('auth', (engine, itOnce) => {
  let server: TestServer
  let people = 0
  /** Every login of the suite comes from an address of its own, so that the throttle sees only what a test means. */
  const from = (ip: string) => ({ 'x-forwarded-for': ip, 'content-type': 'application/x-www-form-urlencoded' })
  const login = (
    username: string,
    password: string,
    ip = `10.${people++ % 250}.${Math.floor(people / 250)}.1`,
    extra = '',
  ) =>
    request({
      url: server.url,
      path: '/api/v1/auth/token',
      method: 'POST',
      headers: from(ip),
      body: `${new URLSearchParams({ username, password })}${extra}`,
    })
  const me = async (token: string) => (await request({ url: server.url, path: '/api/v1/auth/me', token })).status
  const refresh = async (refresh_token: string) => {
    const { refresh_token: next = '', ...rest } = await server.as().refresh({ body: { refresh_token } })
    return { ...rest, refresh_token: next }
  }
  const session = async () => {
    const { status, json } = await login(ADMIN.email, ADMIN.password)
    assert.equal(status, 200)
    return json<{ access_token: string; refresh_token: string; expires_in: number; token_type: string }>()
  }
  const person = async (password: string | null = 'a password of mine') => {
    const email = `auth${++people}@example.com`
    await server.admin.createUser({
      body: { email, display_name: 'P', ...(password === null ? {} : { password }) },
    })
    return email
  }
  const disabledPerson = async () => {
    const email = await person()
    const disabled_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx.updateTable('users').set({ disabled_at }).where('email', '=', email).execute(),
    )
    return email
  }

  before(async () => {
    server = await startServer(engine, { TRUSTED_PROXIES: '127.0.0.1' })
  })
  after(() => server.stop())

  itOnce('accepts a form and returns tokens that no cache stores', async () => {
    await server.records([{ action: 'login' }], async () => {
      const answer = await login(ADMIN.email, ADMIN.password, undefined, '&grant_type=password')
      assert.equal(answer.status, 200)
      assert.deepEqual([answer.headers['cache-control'], answer.headers.pragma], ['no-store', 'no-cache'])
      const body = answer.json()
      assert.deepEqual([body.token_type, body.expires_in], ['bearer', 1800])
      assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type'])
    })
    const other = await login(ADMIN.email, ADMIN.password, undefined, '&grant_type=client_credentials')
    assert.deepEqual(
      [other.status, other.json().code, other.json().error],
      [400, 'unsupported_grant_type', 'unsupported_grant_type'],
    )
    const json = await request({
      url: server.url,
      path: '/api/v1/auth/token',
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(json.status, 415)
  })

  itOnce(
    'gives the same response for a wrong password, an unknown, a disabled and a passwordless account',
    async () => {
      const disabled = await disabledPerson()
      const bodies = new Set<string>()
      for (const [email, password] of [
        [ADMIN.email, 'wrong password'],
        ['nobody@example.com', 'wrong password'],
        [disabled, 'a password of mine'],
        [await person(null), 'wrong password'],
        [ADMIN.email, 'x'.repeat(73)],
      ] as const)
        await server.records([{ action: 'login_failed', result: 'failure' }], async () => {
          const answer = await login(email, password)
          assert.equal(answer.status, 401)
          assert.equal(answer.headers['www-authenticate'], 'Bearer')
          const { request_id, ...body } = answer.json()
          assert.deepEqual([body.code, body.error], ['invalid_grant', 'invalid_grant'])
          bodies.add(JSON.stringify(body))
        })
      assert.equal(bodies.size, 1)
    },
  )

  describe('at a realistic bcrypt cost', () => {
    let cheap: TestServer
    before(async () => {
      cheap = server
      server = await startServer(engine, { TRUSTED_PROXIES: '127.0.0.1', BCRYPT_COST: '10' })
    })
    after(async () => {
      await server.stop()
      server = cheap
    })

    itOnce('renews a hash of another version or a lower cost at the next login', async () => {
      const email = await person()
      const hash = await bcrypt.hash('a password of mine', { cost: 6, version: '2a' })
      await server.database.transaction((tx) =>
        tx.updateTable('users').set({ password_hash: hash }).where('email', '=', email).execute(),
      )
      assert.equal((await login(email, 'a password of mine')).status, 200)
      const row = await server.database.db
        .selectFrom('users')
        .select('password_hash')
        .where('email', '=', email)
        .executeTakeFirst()
      assert.match(row?.password_hash ?? '', /^\$2b\$10\$/)
      assert.equal((await login(email, 'a password of mine')).status, 200)
    })

    // Hashing has nothing to do with the database.
    if (engine !== engines[0]) return

    it('takes as long for an unknown, a disabled and a passwordless account as for a wrong password', async (t) => {
      const known = await person()
      const passwordless = await person(null)
      const disabled = await disabledPerson()
      const kinds = ['known', 'passwordless', 'disabled', 'unknown'] as const
      const times = kinds.map((): number[] => [])
      const median = (of: number[]) => of.toSorted((a, b) => a - b)[of.length >> 1] ?? 0
      const seen: string[] = []
      // What else the machine does moves the medians of a few tries by more than that, and those of many ever less; an
      // answer that left the comparison out would be ten times as fast in all.
      for (let tries = 1; tries <= MOST_TRIES; tries++) {
        // A balanced Latin square: each kind comes first, and after each other kind, as often.
        for (const at of [0, 1, 3, 2].map((first) => (first + tries) % kinds.length)) {
          const kind = kinds[at] ?? 'known'
          const email = { known, passwordless, disabled, unknown: `unknown${tries}@example.com` }[kind]
          server.clock.advance(20 * MINUTE)
          const began = performance.now()
          // Even with the right password, so that nobody learns that it is right.
          const password = kind === 'disabled' ? 'a password of mine' : 'wrong password'
          assert.equal((await login(email, password)).status, 401)
          times[at]?.push(performance.now() - began)
        }
        if (tries % 15 > 0) continue
        const [first = 0, ...others] = times.map(median)
        if (others.every((one) => Math.abs(one / first - 1) < 0.15)) return t.diagnostic(`${tries} tries`)
        seen.push([first, ...others].map((one) => one.toFixed(1)).join(' / '))
      }
      assert.fail(`medians in ms of ${kinds.join(' / ')}: ${seen.join('; ')}`)
    })

    it('rejects logins beyond the hash queue instead of slowing everything down', async () => {
      await server.later(20 * MINUTE)
      const email = await person()
      const answers = await Promise.all(
        Array.from({ length: 80 }, (_, i) => login(email, 'a password of mine', `10.250.${i}.1`)),
      )
      const busy = answers.filter(({ status }) => status === 503)
      assert.ok(busy.length > 0)
      for (const answer of answers) assert.ok([200, 503].includes(answer.status), String(answer.status))
      for (const answer of busy) assert.equal(answer.headers['retry-after'], '2')
      await server.later(2 * 60 * MINUTE)
    })
  })

  itOnce('accepts passwords of 8 to 72 bytes after NFKC', async () => {
    await server.records([], async () => {
      for (const password of ['short77', 'é'.repeat(37), 'with\0nul in it', 'x'.repeat(73)])
        await rejectsWith(
          server.admin.createUser({ body: { email: 'p2@example.com', display_name: 'P', password } }),
          'invalid_request',
          'body.password',
        )
    })
    const email = await person('ﬁ-Ⅳ-password')
    assert.equal((await login(email, 'fi-IV-password')).status, 200)
    assert.equal(
      (await login((await person('é'.repeat(36))).toUpperCase(), 'é'.repeat(36))).status,
      200,
      'the case of the address does not matter',
    )
  })

  it('blocks an account for a network after five failures, longer each time, and resets on success', async () => {
    const email = await person()
    for (const account of [email, 'not-there@example.com']) {
      for (let i = 0; i < 5; i++) assert.equal((await login(account, 'wrong', '203.0.113.7')).status, 401)
      for (const seconds of [2, 4, 8]) {
        const blocked = await login(account, 'a password of mine', '203.0.113.99')
        assert.deepEqual(
          [blocked.status, blocked.json().code, blocked.headers['retry-after']],
          [429, 'rate_limited', String(seconds)],
        )
        server.clock.advance(seconds * 1000)
        assert.equal((await login(account, 'wrong', '203.0.113.7')).status, 401)
      }
      assert.equal((await login(account, 'wrong', '198.51.100.1')).status, 401, 'another network is not blocked')
    }
    server.clock.advance(16_000)
    assert.equal((await login(email, 'a password of mine', '203.0.113.7')).status, 200)
    for (let i = 0; i < 4; i++) assert.equal((await login(email, 'wrong', '203.0.113.7')).status, 401)
  })

  it('lets at most five of fifty parallel guesses be tried', async () => {
    const email = await person()
    const before = (await allActions(server.database)).length
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => login(email, `guess ${i}`, '192.0.2.1')))
    const tried = answers.filter(({ status }) => status === 401).length
    assert.ok(tried <= 5, `${tried} were tried`)
    assert.equal(answers.filter(({ status }) => status === 429).length, 50 - tried)
    assert.equal((await allActions(server.database)).length - before, tried)
  })

  itOnce('guesses at a few accounts or at links do not lock out a network', async () => {
    await server.later(20 * MINUTE)
    const ip = '192.0.4.1'
    for (let n = 0; n < 11; n++)
      for (let i = 0; i < 5; i++) assert.equal((await login(`few${n}@example.com`, 'wrong', ip)).status, 401)
    assert.equal((await login(ADMIN.email, ADMIN.password, ip)).status, 200, '55 failures at 11 accounts')

    await server.admin.createBucket({ body: { name: 'guessed' } })
    await server.admin.putObject({ params: { bucket: 'guessed', key: 'k' }, body: 'x' })
    const link = () =>
      server.admin.shareObject({ params: { bucket: 'guessed', key: 'k' }, body: { password: 'of the link' } })
    const open = async (token: string, password: string) =>
      (
        await request({
          url: server.url,
          path: `/public/s/${token}`,
          headers: { 'x-forwarded-for': ip, 'x-share-password': password },
        })
      ).status
    for (let n = 0; n < 50; n++) assert.equal(await open((await link()).token, 'wrong'), 401)
    assert.equal(await open((await link()).token, 'of the link'), 429, 'fifty links in a quarter of an hour')
    assert.equal((await login(ADMIN.email, ADMIN.password, ip)).status, 200)
    assert.equal((await login(await person(), 'a password of mine', ip)).status, 200)
    await server.later(16 * MINUTE)
  })

  itOnce('a browser that has logged in before is counted separately, whatever others do', async () => {
    const email = await person()
    const inBrowser = (password: string, ip: string, cookie = '', username = email) =>
      request({
        url: server.url,
        path: '/api/v1/auth/token?session=cookie',
        method: 'POST',
        headers: { ...from(ip), cookie },
        body: new URLSearchParams({ username, password }).toString(),
      })
    const right = 'a password of mine'
    const answer = await inBrowser(right, '192.0.5.1')
    const set = answer.headers['set-cookie']?.find((one) => one.startsWith('strongroom_device=')) ?? ''
    const device = set.split(';')[0] ?? ''
    assert.deepEqual(set.split('; ').slice(1).sort(), ['HttpOnly', 'Max-Age=15552000', 'Path=/', 'SameSite=Strict'])
    for (let i = 0; i < 50; i++) await login(`shut${i}@example.com`, 'wrong', '192.0.5.9')
    assert.equal((await inBrowser(right, '192.0.5.1')).status, 429, 'the network is shut')
    assert.equal((await inBrowser(right, '192.0.5.1', device)).status, 200)
    for (const forged of ['strongroom_device=x', `${device}x`, device.replace('.', '.x'), 'strongroom_device=ü'])
      assert.equal((await inBrowser(right, '192.0.5.1', forged)).status, 429, forged)
    assert.equal((await inBrowser(right, '192.0.5.1', device, await person())).status, 429, 'another account')

    for (let n = 0; n < 20; n++) for (let i = 0; i < 5; i++) await login(email, 'wrong', `192.1.${n}.1`)
    assert.equal((await inBrowser(right, '192.2.0.1')).status, 429, 'a hundred failures in an hour')
    assert.equal((await inBrowser(right, '192.2.0.1', device)).status, 200)

    for (let i = 0; i < 5; i++) assert.equal((await inBrowser('wrong', `192.3.${i}.1`, device)).status, 401)
    const blocked = await inBrowser(right, '192.3.0.9', device)
    assert.deepEqual([blocked.status, blocked.headers['retry-after']], [429, '2'], 'its own guesses count')
    await server.later(180 * 24 * 60 * MINUTE)
    for (let i = 0; i < 50; i++) await login(`again${i}@example.com`, 'wrong', '192.0.5.9')
    assert.equal((await inBrowser(right, '192.0.5.1', device)).status, 429, 'for half a year')
    await server.later(16 * MINUTE)
  })

  itOnce('refuses a network its 51st account in a quarter of an hour, whatever the accounts', async () => {
    await server.later(20 * MINUTE)
    for (let i = 0; i < 50; i++)
      assert.equal((await login(`other${i}@example.com`, 'wrong', `192.0.2.${i + 1}`)).status, 401)
    const email = await person()
    const blocked = await login(email, 'a password of mine', '192.0.2.200')
    assert.deepEqual([blocked.status, blocked.headers['retry-after']], [429, String(15 * 60)])
    assert.equal((await login(email, 'a password of mine', '192.0.3.200')).status, 200)
    server.clock.advance(15 * MINUTE)
    assert.equal((await login(email, 'a password of mine', '192.0.2.200')).status, 200)
    await server.later(0)
  })

  itOnce('issues signed tokens and accepts nothing else', async () => {
    const { access_token, refresh_token } = await session()
    const [header = {}, claims = {}] = decode(access_token)
    assert.deepEqual([header.alg, header.typ], ['HS256', 'at+jwt'])
    assert.match(String(header.kid), /^[0-9a-f]{8}$/)
    assert.equal(Number(claims.exp) - Number(claims.iat), 1800)
    assert.deepEqual(Object.keys(claims).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub', 'ver'])
    assert.equal(await me(forge(header, claims)), 200, 'the key is SECRET_KEY as it is')
    const { ver: _ver, ...incomplete } = claims
    const bad = {
      none: `${part({ ...header, alg: 'none' })}.${part(claims)}.`,
      hs512: forge({ ...header, alg: 'HS512' }, claims, SECRET_KEY, 'sha512'),
      otherKey: forge(header, claims, 'another secret key of thirty-two characters'),
      issuer: forge(header, { ...claims, iss: 'other' }),
      audience: forge(header, { ...claims, aud: 'other' }),
      incomplete: forge(header, incomplete),
      session: forge(header, { ...claims, sid: randomUUID() }),
      user: forge(header, { ...claims, sub: randomUUID() }),
      version: forge(header, { ...claims, ver: 99 }),
      oid: forge(header, { ...claims, oid: 'someone' }),
      sessionType: forge(header, { ...claims, sid: { $ne: '' } }),
      sessionText: forge(header, { ...claims, sid: `${String(claims.sid).slice(1)}\0` }),
      versionType: forge(header, { ...claims, ver: String(claims.ver) }),
      expiryType: forge(header, { ...claims, exp: 'never' }),
      kid: forge({ ...header, kid: 'ffffffff' }, claims),
      refresh: refresh_token,
      altered: access_token.replace(/\.[^.]+\./, `.${part({ ...claims, sub: 'x' })}.`),
      garbage: 'garbage',
      long: 'x'.repeat(8000),
    }
    for (const [what, token] of Object.entries(bad)) {
      const answer = await request({ url: server.url, path: '/api/v1/auth/me', token })
      assert.equal(answer.status, 401, what)
      assert.equal(answer.headers['www-authenticate'], 'Bearer error="invalid_token"', what)
    }
    await rejectsWith(refresh(access_token), 'unauthenticated')
    const query = await request({ url: server.url, path: `/api/v1/auth/me?access_token=${access_token}` })
    assert.equal(query.status, 401, 'a token in the query is no credential')
    server.clock.advance(1799_000)
    assert.equal(await me(access_token), 200)
    server.clock.advance(1000)
    assert.equal(await me(access_token), 401)
    await server.later(0)
  })

  itOnce('never answers 500 to whatever an Authorization header holds', async () => {
    const token = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 60 }).filter((text) => /^[\x20-\x7e]*$/.test(text)),
      fc
        .array(fc.stringMatching(/^[A-Za-z0-9_-]{0,40}$/), { minLength: 1, maxLength: 4 })
        .map((parts) => `Bearer ${parts.join('.')}`),
      fc
        .tuple(fc.json(), fc.json())
        .map(([a, b]) => `Bearer ${Buffer.from(a).toString('base64url')}.${Buffer.from(b).toString('base64url')}.x`),
    )
    await fc.assert(
      fc.asyncProperty(token, async (authorization) => {
        const answer = await request({ url: server.url, path: '/api/v1/auth/me', headers: { authorization } })
        assert.equal(answer.status, 401)
      }),
      { numRuns: 150 },
    )
  })

  it('replaces refresh tokens, and a replaced one used again ends the session', async () => {
    const first = await session()
    const second = await server.records([], () => refresh(first.refresh_token))
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.equal(await me(second.access_token), 200)
    server.clock.advance(29_000)
    assert.equal((await refresh(first.refresh_token)).refresh_token, second.refresh_token, 'the unused successor again')
    server.clock.advance(2000)
    await server.records([{ action: 'refresh_reuse', result: 'denied' }], () =>
      rejectsWith(refresh(first.refresh_token), 'unauthenticated'),
    )
    assert.equal(await me(second.access_token), 401)
    assert.equal(await me(first.access_token), 401)
    await rejectsWith(refresh(second.refresh_token), 'unauthenticated')
  })

  it('answers the successor only while it is unused, and the same one to parallel refreshes', async () => {
    const first = await session()
    const [a, b] = await Promise.all([refresh(first.refresh_token), refresh(first.refresh_token)])
    assert.equal(a.refresh_token, b.refresh_token)
    await refresh(a.refresh_token)
    await server.records([{ action: 'refresh_reuse', result: 'denied' }], () =>
      rejectsWith(refresh(first.refresh_token), 'unauthenticated'),
    )
  })

  it('refresh tokens last 7 days, a session 30, and expired sessions are deleted', async () => {
    const idle = await session()
    let { refresh_token } = await session()
    server.clock.advance(7 * DAY)
    await rejectsWith(refresh(idle.refresh_token), 'unauthenticated')
    await server.later(0)
    refresh_token = (await session()).refresh_token
    for (let day = 6; day < 30; day += 6) {
      server.clock.advance(6 * DAY)
      refresh_token = (await refresh(refresh_token)).refresh_token
    }
    server.clock.advance(6 * DAY)
    await rejectsWith(refresh(refresh_token), 'unauthenticated')
    server.clock.advance(30 * DAY)
    await server.running.tick()
    for (const table of ['sessions', 'refresh_tokens', 'login_throttle'] as const)
      assert.deepEqual(await server.database.db.selectFrom(table).selectAll().execute(), [], table)
    await server.later(0)
  })

  it('disabling, a raised token version and a lost group act on the very next request', async () => {
    const change = (email: string, set: object) =>
      server.database.transaction((tx) => tx.updateTable('users').set(set).where('email', '=', email).execute())
    for (const set of [{ disabled_at: server.clock.now().toISOString() }, { token_version: 2 }]) {
      const email = await person()
      const { access_token, refresh_token } = (await login(email, 'a password of mine')).json<
        Awaited<ReturnType<typeof session>>
      >()
      assert.equal(await me(access_token), 200)
      await change(email, set)
      assert.equal(await me(access_token), 401)
      await rejectsWith(refresh(refresh_token), 'unauthenticated')
    }
    await server.admin.createBucket({ body: { name: 'granted' } })
    const token = await server.userWith({ bucket_pattern: 'granted', actions: ['list'] })
    const browse = () => server.as(token).browse({ params: { bucket: 'granted' } })
    await browse()
    await server.database.transaction((tx) => tx.deleteFrom('grants').where('bucket_pattern', '=', 'granted').execute())
    await rejectsWith(browse(), 'forbidden')
  })

  it('no password and no token is in the audit log, the outbox or the log of the process', async () => {
    const { access_token, refresh_token } = await session()
    await refresh(refresh_token)
    await rejectsWith(refresh('garbage'), 'unauthenticated')
    const [audit, deliveries] = await Promise.all([
      allActions(server.database),
      server.database.db.selectFrom('webhook_deliveries').selectAll().execute(),
    ])
    const text = JSON.stringify([audit, deliveries]) + server.logged()
    for (const secret of [ADMIN.password, 'a password of mine', access_token, refresh_token, '$2b$', SECRET_KEY])
      assert.equal(text.includes(secret), false, secret)
  })

  itOnce('logout ends the session with all its tokens', async () => {
    const first = await session()
    const second = await refresh(first.refresh_token)
    await server.records([{ action: 'logout' }], () => server.as(first.access_token).logout())
    for (const token of [first.access_token, second.access_token]) assert.equal(await me(token), 401)
    await rejectsWith(refresh(second.refresh_token), 'unauthenticated')
  })

  itOnce('returns the caller’s identity and permissions', async () => {
    const mine = await server.admin.me()
    assert.deepEqual(
      [mine.email, mine.is_admin, mine.permissions],
      [ADMIN.email, true, { global: ['admin'], grants: [] }],
    )
    const token = await server.userWith({ bucket_pattern: 'b*', prefix: 'x/', actions: ['list', 'read'] })
    const { permissions, groups, is_admin } = await server.as(token).me()
    assert.deepEqual([is_admin, groups.length], [false, 1])
    assert.deepEqual(
      permissions.grants.map(({ bucket_pattern, prefix, actions }) => ({ bucket_pattern, prefix, actions })),
      [{ bucket_pattern: 'b*', prefix: 'x/', actions: ['list', 'read'] }],
    )
    await assertSignIn(server)
  })

  itOnce('with the old key as SECRET_KEY_PREVIOUS, its tokens stay valid and new ones use the new key', async () => {
    const { access_token, refresh_token } = await session()
    const key = 'a newer secret key of more than 32 characters'
    const second = async (previous: Record<string, string>) =>
      start(readConfig({ ...server.env, SECRET_KEY: key, ...previous }), {
        now: server.clock.now,
        timers: false,
        logTo: process.stderr,
      })
    const kept = await second({ SECRET_KEY_PREVIOUS: SECRET_KEY, LOG_LEVEL: 'silent' })
    const ask = (url: string, token: string) => request({ url, path: '/api/v1/auth/me', token })
    assert.equal((await ask(kept.url, access_token)).status, 200)
    const renewed = await request({
      url: kept.url,
      path: '/api/v1/auth/refresh',
      method: 'POST',
      body: JSON.stringify({ refresh_token }),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(renewed.status, 200)
    const next = renewed.json<{ access_token: string }>().access_token
    assert.notEqual(decode(next)[0]?.kid, decode(access_token)[0]?.kid)
    await kept.stop()
    const dropped = await second({ LOG_LEVEL: 'silent' })
    assert.equal((await ask(dropped.url, access_token)).status, 401)
    assert.equal((await ask(dropped.url, next)).status, 200)
    await dropped.stop()
  })
})

describe('forwarded addresses', () => {
  for (const [proxies, seen] of [
    ['', '127.0.0.1'],
    ['10.0.0.0/8', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.7'],
    ['127.0.0.0/8, 198.51.100.0/24', '203.0.113.5'],
  ] as const)
    it(`are used only from trusted proxies: "${proxies}"`, async () => {
      const server = await startServer('sqlite', { TRUSTED_PROXIES: proxies })
      try {
        await request({
          url: server.url,
          path: '/api/v1/auth/token',
          method: 'POST',
          body: 'username=a%40b.c&password=x',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            'x-forwarded-for': '192.0.2.1, 203.0.113.5, 198.51.100.7',
          },
        })
        const [record] = (await allActions(server.database)).slice(-1)
        assert.deepEqual([record?.action, record?.actor_ip], ['login_failed', seen])
      } finally {
        await server.stop()
      }
    })
})
