import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { hashSecret } from '../../server/secrets/sign.ts'
import { Authenticator, type Tampering } from '../support/authenticator.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { addApp, addPasskey, appCode, challengeOf, ORIGIN, SITE } from '../support/second-factor.ts'
import { ADMIN, allActions, describeEngines, SECRET_KEY, startServer, type TestServer } from '../support/server.ts'

const MINUTE = 60_000
const fail = () => assert.fail('no such change')
const PASSWORD = 'a password of somebody'
const proof = { current_password: PASSWORD }

describeEngines('second factors', (engine, itOnce) => {
  let server: TestServer
  let people = 0
  before(async () => {
    server = await startServer(engine, { ...SITE, TRUSTED_PROXIES: '127.0.0.1' })
    server.secrets.add(PASSWORD)
  })
  after(() => server.stop())

  async function make(group_ids: string[] = []) {
    const email = `factor${++people}@example.com`
    const { id } = await server.admin.createUser({
      body: { email, display_name: email, password: PASSWORD, group_ids },
    })
    const client = server.as(await server.login(email, PASSWORD))
    return { id, email, password: PASSWORD, client }
  }
  const last = async (action: string) => {
    const found = (await allActions(server.database)).filter((one) => one.action === action).at(-1)
    return { ...found, details: JSON.parse(found?.details ?? '{}') as Record<string, unknown> }
  }
  const login = (email: string, more: { otp?: string } = {}, ip?: string) =>
    server.as().login({
      body: { username: email, password: PASSWORD, ...more },
      ...(ip === undefined ? {} : { headers: { 'x-forwarded-for': ip } }),
    })
  const later = async (ms: number) => server.later(ms)

  it('are added, listed, renamed and removed, each with its record', async () => {
    const { id, email, client } = await make()
    const none = { items: [], recovery_codes_left: 0, required: false, verified: false, session_ends: true }
    assert.deepEqual(await client.listSecondFactors(), { ...none, has_password: true, passkeys: true })
    assert.equal((await server.admin.getUser({ params: { id } })).has_second_factor, false)
    const app = await server.records([{ action: 'second_factor_add' }, { action: 'recovery_codes_create' }], () =>
      addApp(server, client, proof, '  Phone '),
    )
    assert.equal(app.recovery_codes?.length, 10)
    assert.equal(new Set(app.recovery_codes).size, 10)
    for (const code of app.recovery_codes ?? []) assert.match(code, /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
    const added = await last('second_factor_add')
    assert.deepEqual(added.details, { email, factor_id: app.id, kind: 'totp', name: 'Phone' })
    assert.deepEqual([added.actor_user_id, added.resource_type, added.resource_id], [id, 'user', id])
    const { items } = await server.admin.listAudit({ query: { user_id: id, action: ['second_factor_add'] } })
    assert.equal(items.length, 1, 'in the activity of the user')
    const key = await server.records([{ action: 'second_factor_add' }], () => addPasskey(server, client, proof))
    assert.equal(key.recovery_codes, null, 'those of the first one stay')
    const second = await addApp(server, client, proof)
    const list = await client.listSecondFactors()
    assert.deepEqual(
      list.items.map((one) => [one.kind, one.name, one.last_used_at]),
      [
        ['totp', 'Phone', null],
        ['passkey', 'Key', null],
        ['totp', 'Authenticator app', null],
      ],
    )
    assert.deepEqual([list.recovery_codes_left, list.verified], [10, true])
    assert.equal((await server.admin.getUser({ params: { id } })).has_second_factor, true)
    const listed = (await server.admin.listUsers({ query: { q: email } })).items[0]
    assert.equal(listed?.has_second_factor, true)

    const renamed = await server.records([{ action: 'second_factor_update' }], () =>
      client.renameSecondFactor({ params: { id: app.id }, body: { name: 'Old phone' } }),
    )
    assert.equal(renamed.name, 'Old phone')
    assert.deepEqual((await last('second_factor_update')).details, {
      email,
      factor_id: app.id,
      before: { name: 'Phone' },
      after: { name: 'Old phone' },
    })
    // Each of the two apps works.
    await login(email, { otp: second.next() })
    await login(email, { otp: app.next() })
    const used = (await client.listSecondFactors()).items.map(({ last_used_at }) => last_used_at !== null)
    assert.deepEqual(used, [true, false, true])
    for (const one of [key.id, app.id, second.id])
      await server.records([{ action: 'second_factor_remove' }], () =>
        client.removeSecondFactor({ params: { id: one }, body: { proof } }),
      )
    const after = { ...none, has_password: true, passkeys: true, verified: true, session_ends: false }
    assert.deepEqual(await client.listSecondFactors(), after, 'without codes')
    await login(email)
  })

  it('every change of them needs the password or a second factor in that very request', async () => {
    const { email, client } = await make()
    const app = await addApp(server, client, proof)
    const { key } = await addPasskey(server, client, proof)
    const pat = server.as((await client.createToken({ body: { name: 'mine' } })).token)
    const begun = await client.beginSecondFactor({ body: { kind: 'totp' } })
    const secret = begun.totp?.secret ?? ''
    server.secrets.add(secret)
    const changes = [
      (by: Client, given: object) =>
        by.addSecondFactor({
          body: { challenge: begun.challenge, otp: appCode(secret, server.clock.now()), proof: given },
        }),
      (by: Client, given: object) => by.removeSecondFactor({ params: { id: app.id }, body: { proof: given } }),
      (by: Client, given: object) => by.createRecoveryCodes({ body: { proof: given } }),
    ]
    for (const change of changes) {
      await rejectsWith(change(client, {}), 'invalid_request')
      await rejectsWith(change(client, { ...proof, otp: '123456' }), 'invalid_request')
      // With a token, which never had a second factor, the password would undo it.
      await rejectsWith(change(pat, proof), 'invalid_request', 'body.proof.current_password')
      for (const [given, reason] of [
        [{ current_password: 'a wrong one' }, 'wrong_current_password'],
        [{ otp: '000000' }, 'wrong_code'],
        [{ recovery_code: 'none' }, 'wrong_recovery_code'],
      ] as const) {
        await server.records([{ action: 'login_failed', result: 'failure' }], () =>
          rejectsWith(change(client, given), 'invalid_request', `body.proof.${Object.keys(given)[0]}`),
        )
        assert.deepEqual((await last('login_failed')).details, { email, reason })
      }
      await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
    }
    // Guesses are throttled.
    for (let i = 0; i < 5; i++) await rejectsWith(changes[2]?.(client, { otp: '000000' }) ?? fail(), 'invalid_request')
    await rejectsWith(changes[2]?.(client, proof) ?? fail(), 'rate_limited')
    await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
    const fresh = server.as((await login(email, { otp: app.next() })).access_token)
    const asked = await fresh.challengeSecondFactor()
    const codes = await server.records([{ action: 'recovery_codes_create' }], () =>
      fresh.createRecoveryCodes({
        body: { proof: { passkey: { challenge: asked.challenge, credential: key.get(asked.passkey) } } },
      }),
    )
    for (const code of codes.recovery_codes) server.secrets.add(code)
    const again = { passkey: { challenge: asked.challenge, credential: key.get(asked.passkey) } }
    await rejectsWith(fresh.createRecoveryCodes({ body: { proof: again } }), 'invalid_state')
    const [old = ''] = app.recovery_codes ?? []
    const [code = ''] = codes.recovery_codes
    const byPat = server.as((await fresh.createToken({ body: { name: 'again' } })).token)
    const byCode = (recovery_code: string) => byPat.createRecoveryCodes({ body: { proof: { recovery_code } } })
    await rejectsWith(byCode(old), 'invalid_request', 'body.proof.recovery_code')
    const replaced = await server.records([{ action: 'recovery_code_use' }, { action: 'recovery_codes_create' }], () =>
      byCode(code),
    )
    for (const one of replaced.recovery_codes) server.secrets.add(one)
    await rejectsWith(byCode(code), 'invalid_request', 'body.proof.recovery_code')
    const otp = app.next()
    await server.records([{ action: 'second_factor_remove' }], () =>
      byPat.removeSecondFactor({ params: { id: app.id }, body: { proof: { otp } } }),
    )
  })

  it('a code, a recovery code and a passkey’s signature each work once, also in parallel', async () => {
    const { email, client } = await make()
    const app = await addApp(server, client, proof)
    const { key } = await addPasskey(server, client, proof)
    const outcomes = async (calls: readonly Promise<unknown>[]) => {
      const settled = await Promise.allSettled(calls)
      return settled.filter(({ status }) => status === 'fulfilled').length
    }
    const who = { email, password: PASSWORD }
    const from = (i: number) => ({ 'x-forwarded-for': `192.0.${100 + i}.1` })
    const many = [0, 1, 2, 3, 4, 5]
    const challenges = async () => {
      const found = []
      for (const _ of many) found.push(await challengeOf(server, who))
      return found
    }

    let open = await challenges()
    const otp = app.next()
    const tries = open.map(({ challenge }, i) =>
      server.as().verifyLogin({ headers: from(i), body: { challenge, otp } }),
    )
    assert.equal(await outcomes(tries), 1, 'one code')
    await rejectsWith(login(email, { otp }, '192.0.90.1'), 'invalid_second_factor')
    await later(16 * MINUTE)

    const next = app.next()
    assert.equal(
      await outcomes(many.map((i) => login(email, { otp: next }, `192.0.${110 + i}.1`))),
      1,
      'in one request',
    )
    await later(16 * MINUTE)

    open = await challenges()
    const [recovery_code = ''] = app.recovery_codes ?? []
    const before = (await allActions(server.database)).length
    const uses = open.map(({ challenge }, i) =>
      server.as().verifyLogin({ headers: from(i), body: { challenge, recovery_code } }),
    )
    assert.equal(await outcomes(uses), 1, 'one recovery code')
    const used = (await allActions(server.database)).slice(before)
    assert.equal(used.filter(({ action }) => action === 'recovery_code_use').length, 1)
    assert.equal(used.filter(({ action }) => action === 'login_failed').length, 5)
    assert.deepEqual((await last('recovery_code_use')).details, { email, left: 9 })
    await later(16 * MINUTE)

    const { challenge, passkey } = await challengeOf(server, who)
    const signature = key.get(passkey ?? assert.fail('no options'))
    const sent = many.map((i) => server.as().verifyLogin({ headers: from(i), body: { challenge, passkey: signature } }))
    assert.equal(await outcomes(sent), 1, 'one signature')
    assert.equal((await last('login')).details.second_factor, 'passkey')
  })

  it('enrolling in parallel adds one factor; removing the last two in parallel leaves one where one is required', async () => {
    const { id, client } = await make()
    const begun = await client.beginSecondFactor({ body: { kind: 'totp' } })
    const secret = begun.totp?.secret ?? ''
    server.secrets.add(secret)
    const body = { challenge: begun.challenge, otp: appCode(secret, server.clock.now()), proof }
    const added = await Promise.allSettled([1, 2, 3].map(() => client.addSecondFactor({ body })))
    assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const one of added)
      if (one.status === 'fulfilled') for (const code of one.value.recovery_codes ?? []) server.secrets.add(code)
    await addApp(server, client, proof)
    const { token } = await server.admin.createToken({ body: { name: 'root' } })
    const root = server.as(token)
    await root.updateSettings({ body: { auth: { second_factor: 'everyone' } } })
    const { items } = await client.listSecondFactors()
    assert.equal(items.length, 2)
    const removed = await Promise.allSettled(
      items.map((one) => client.removeSecondFactor({ params: { id: one.id }, body: { proof } })),
    )
    assert.equal(removed.filter(({ status }) => status === 'fulfilled').length, 1)
    const [left] = (await client.listSecondFactors()).items
    await rejectsWith(client.removeSecondFactor({ params: { id: left?.id ?? '' }, body: { proof } }), 'conflict')
    await root.updateSettings({ body: { auth: { second_factor: 'optional' } } })
    await server.records([{ action: 'second_factor_reset' }], () => root.resetSecondFactors({ params: { id } }))
  })

  it('wrong codes are throttled like wrong passwords, and right passwords do not clear them', async () => {
    const { email, client } = await make()
    const app = await addApp(server, client, proof)
    const ip = '203.0.113.7'
    const headers = { 'x-forwarded-for': ip }
    const wrong = async () => {
      const { challenge } = await challengeOf(server, { email, password: PASSWORD })
      return server.as().verifyLogin({ headers, body: { challenge, otp: '000000' } })
    }
    for (let i = 0; i < 3; i++) await rejectsWith(wrong(), 'invalid_second_factor')
    for (let i = 0; i < 2; i++) await rejectsWith(login(email, { otp: '000000' }, ip), 'invalid_second_factor')
    for (const seconds of [2, 4, 8]) {
      const { challenge } = await challengeOf(server, { email, password: PASSWORD })
      const blocked = await rejectsWith(
        server.as().verifyLogin({ headers, body: { challenge, otp: app.again() } }),
        'rate_limited',
      )
      assert.equal(blocked.response.headers.get('retry-after'), String(seconds))
      await rejectsWith(login(email, {}, ip), 'rate_limited')
      server.clock.advance(seconds * 1000)
      // The right password brings a challenge, which can be answered without another delay.
      const again = await rejectsWith(login(email, {}, ip), 'second_factor_required')
      await rejectsWith(
        server.as().verifyLogin({ headers, body: { challenge: again.problem.challenge ?? '', otp: '000000' } }),
        'invalid_second_factor',
      )
    }
    server.clock.advance(16_000)
    const { problem } = await rejectsWith(login(email, {}, ip), 'second_factor_required')
    await server.as().verifyLogin({ headers, body: { challenge: problem.challenge ?? '', otp: app.next() } })
    for (let i = 0; i < 4; i++) await rejectsWith(login(email, { otp: '000000' }, ip), 'invalid_second_factor')
    assert.equal((await last('login_failed')).details.reason, 'wrong_code')
    assert.equal((await last('login_failed')).error_code, 'invalid_second_factor')

    // A challenge has five tries, from wherever they come.
    const { challenge } = await challengeOf(server, { email, password: PASSWORD })
    for (let i = 0; i < 5; i++)
      await rejectsWith(
        server.as().verifyLogin({
          headers: { 'x-forwarded-for': `198.51.${i}.1` },
          body: { challenge, otp: '000000' },
        }),
        'invalid_second_factor',
      )
    const otp = app.next()
    await rejectsWith(
      server.as().verifyLogin({ headers: { 'x-forwarded-for': '198.51.9.1' }, body: { challenge, otp } }),
      'invalid_state',
    )
    await later(61 * MINUTE)
  })

  it('lets few of fifty parallel guesses at a code be tried', async () => {
    const { email, client } = await make()
    await addApp(server, client, proof)
    const before = (await allActions(server.database)).length
    const guesses = Array.from({ length: 50 }, (_, i) =>
      login(email, { otp: String(i).padStart(6, '0') }, '192.0.2.77').catch((error) => error.problem?.code),
    )
    const tried = (await Promise.all(guesses)).filter((code) => code === 'invalid_second_factor').length
    assert.ok(tried <= 5, `${tried} were tried`)
    assert.equal((await allActions(server.database)).length - before, tried)
    await later(61 * MINUTE)
  })

  it('ordinary logins in two steps leave no failures behind', async () => {
    const { email, client } = await make()
    const app = await addApp(server, client, proof)
    await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
    for (let i = 0; i < 3; i++) {
      const { challenge } = await challengeOf(server, { email, password: PASSWORD })
      await server.as().verifyLogin({ body: { challenge, otp: app.next() } })
    }
    const counts = await server.database.db.selectFrom('login_throttle').select('failures').execute()
    assert.deepEqual(
      counts.filter(({ failures }) => failures > 0),
      [],
    )
  })

  it('a passkey signs for this site, this challenge and with a growing counter, or not at all', async () => {
    const { email, client } = await make()
    const { key } = await addPasskey(server, client, proof)
    const who = { email, password: PASSWORD }
    const asked = await challengeOf(server, who)
    assert.deepEqual(asked.methods, ['passkey', 'recovery_code'])
    assert.equal(asked.passkey?.rpId, 'storage.example.com')
    const sign = async (tampering: Tampering, by = key) => {
      const { challenge, passkey } = await challengeOf(server, who)
      const options = passkey ?? assert.fail('no options')
      return server.as().verifyLogin({ body: { challenge, passkey: by.get(options, tampering) } })
    }
    await sign({})
    await sign({ flags: 1 })
    const { counter } = key
    for (const tampering of [
      { origin: 'https://evil.example' },
      { origin: 'http://storage.example.com' },
      { rpId: 'example.com' },
      { type: 'webauthn.create' },
      { challenge: asked.passkey?.challenge ?? '' },
      { flags: 0 },
      { counter },
      { counter: counter - 1 },
      { counter: 0 },
    ] as const) {
      await server.records([{ action: 'login_failed', result: 'failure' }], () =>
        rejectsWith(sign(tampering), 'invalid_second_factor'),
      )
      assert.equal((await last('login_failed')).details.reason, 'wrong_passkey')
      await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
    }
    const stranger = await make()
    const { key: theirs } = await addPasskey(server, stranger.client, proof)
    await rejectsWith(sign({}, theirs), 'invalid_second_factor')
    await rejectsWith(sign({}, new Authenticator(ORIGIN)), 'invalid_second_factor')
    key.counter = counter
    await sign({})
    // Passkeys that count nothing say 0 for ever.
    const other = await make()
    const silent = await addPasskey(server, other.client, proof, { counts: false })
    for (let i = 0; i < 2; i++) {
      const { challenge, passkey } = await challengeOf(server, { email: other.email, password: PASSWORD })
      const signature = silent.key.get(passkey ?? assert.fail('no options'))
      await server.as().verifyLogin({ body: { challenge, passkey: signature } })
    }
    await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
  })

  it('a passkey is registered once, for this site and this challenge', async () => {
    const { client } = await make()
    const key = new Authenticator(ORIGIN)
    const register = async (tampering: Tampering, by = client) => {
      const { challenge, passkey } = await by.beginSecondFactor({ body: { kind: 'passkey' } })
      const made = key.create(passkey ?? assert.fail('no options'), tampering)
      return by.addSecondFactor({ body: { challenge, passkey: made, proof } })
    }
    const { passkey } = await client.beginSecondFactor({ body: { kind: 'passkey' } })
    assert.deepEqual(passkey?.rp, { id: 'storage.example.com', name: 'Strongroom' })
    for (const tampering of [
      { origin: 'https://evil.example' },
      { rpId: 'example.com' },
      { type: 'webauthn.get' },
      { challenge: passkey?.challenge ?? '' },
      { flags: 0 },
    ])
      await server.records([], () => rejectsWith(register(tampering), 'invalid_request', 'body.passkey'))
    const { recovery_codes } = await register({})
    for (const code of recovery_codes ?? []) server.secrets.add(code)
    const other = await make()
    await rejectsWith(register({}, other.client), 'already_exists')
    const { challenge } = await client.beginSecondFactor({ body: { kind: 'totp' } })
    await rejectsWith(other.client.addSecondFactor({ body: { challenge, otp: '123456', proof } }), 'invalid_state')
    await rejectsWith(client.addSecondFactor({ body: { challenge, proof } }), 'invalid_request', 'body.otp')
    await rejectsWith(
      client.addSecondFactor({ body: { challenge, otp: '000000', proof } }),
      'invalid_request',
      'body.otp',
    )
  })

  it('are reset by those who may change how a user logs in, and never by oneself', async () => {
    const { token } = await server.admin.createToken({ body: { name: 'root' } })
    const root = server.as(token)
    const managers = await root.createGroup({ body: { name: `Managers ${people}`, global: ['users.manage'] } })
    const admins = await root.createGroup({ body: { name: `Admins ${people}`, global: ['admin'] } })
    const holders = await root.createGroup({
      body: { name: `Holders ${people}`, grants: [{ bucket_pattern: 'secret', actions: ['read'] }] },
    })
    const manager = await make([managers.id])
    const [user, holder, admin] = [await make(), await make([holders.id]), await make([admins.id])]
    for (const one of [user, holder, admin, manager]) await addApp(server, one.client, proof)
    const reset = (by: Client, { id }: { id: string }) => by.resetSecondFactors({ params: { id } })
    await rejectsWith(reset(user.client, holder), 'forbidden')
    await rejectsWith(reset(manager.client, admin), 'forbidden')
    await rejectsWith(reset(manager.client, holder), 'forbidden')
    await rejectsWith(reset(manager.client, manager), 'conflict')
    await rejectsWith(reset(admin.client, admin), 'conflict')
    await rejectsWith(reset(root, { id: '00000000-0000-7000-8000-000000000000' }), 'not_found')
    await server.records([{ action: 'second_factor_reset' }], () => reset(manager.client, user))
    assert.deepEqual((await last('second_factor_reset')).details, { email: user.email, factors: 1 })
    await server.records([], () => reset(manager.client, user))
    await user.client.me()
    await login(user.email)
    await server.records([{ action: 'second_factor_reset' }], () => reset(root, admin))
    for (const table of ['second_factors', 'recovery_codes', 'second_factor_challenges'] as const)
      assert.deepEqual(
        await server.database.db.selectFrom(table).select('user_id').where('user_id', '=', admin.id).execute(),
        [],
      )
    await root.deleteUser({ params: { id: holder.id } })
  })

  itOnce('a user has at most twenty', async () => {
    const { id, client } = await make()
    await addApp(server, client, proof)
    const [row] = await server.database.db.selectFrom('second_factors').selectAll().where('user_id', '=', id).execute()
    await server.database.transaction(async (tx) => {
      for (let i = 10; i < 29; i++)
        await tx
          .insertInto('second_factors')
          .values({ ...(row ?? assert.fail('no row')), id: `01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f${i}` })
          .execute()
    })
    await rejectsWith(addApp(server, client, proof), 'limit_reached')
  })

  itOnce('sessions in a cookie, the browser’s ticket and the answers that hold secrets', async () => {
    const { email, client } = await make()
    const app = await addApp(server, client, proof)
    const post = (path: string, body: object, headers = {}) =>
      request({
        url: server.url,
        path: `/api/v1/auth/${path}`,
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
    const { challenge } = await challengeOf(server, { email, password: PASSWORD })
    const answer = await post('token/second-factor?session=cookie', { challenge, otp: app.next() })
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.json()).sort(), ['access_token', 'expires_in', 'token_type'])
    const cookies = (answer.headers['set-cookie'] ?? []).map((one) => one.split('=')[0])
    assert.deepEqual(cookies.sort(), ['__Host-strongroom_device', '__Host-strongroom_refresh'])
    assert.equal(answer.headers['cache-control'], 'no-store')
    const refused = await request({
      url: server.url,
      path: '/api/v1/auth/token',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ username: email, password: PASSWORD }).toString(),
    })
    assert.equal(refused.headers['cache-control'], 'no-store')
    assert.equal(refused.json().error, 'second_factor_required', 'for clients of RFC 6749')
    const { access_token } = answer.json<{ access_token: string }>()
    const begun = await post('second-factors/setup', { kind: 'totp' }, { authorization: `Bearer ${access_token}` })
    assert.equal(begun.headers['cache-control'], 'no-store')
    server.secrets.add(begun.json<{ totp: { secret: string } }>().totp.secret)
    const next = await challengeOf(server, { email, password: PASSWORD })
    const given = { challenge: next.challenge, recovery_code: app.recovery_codes?.[0] ?? '' }
    const path = 'token/second-factor?session=cookie'
    const elsewhere = await server.records([], () => post(path, given, { 'sec-fetch-site': 'cross-site' }))
    assert.equal(elsewhere.status, 403)
    assert.equal((await post(path, given)).status, 200, 'nothing was used up')
  })

  itOnce('challenges are deleted when they have expired', async () => {
    const { email, client } = await make()
    await addApp(server, client, proof)
    const { challenge } = await challengeOf(server, { email, password: PASSWORD })
    const found = () =>
      server.database.db
        .selectFrom('second_factor_challenges')
        .select('challenge_hash')
        .where('challenge_hash', '=', hashSecret(challenge))
        .execute()
    assert.equal((await found()).length, 1)
    server.clock.advance(6 * MINUTE)
    await server.running.tick('auth-expiry')
    assert.equal((await found()).length, 0)
  })

  itOnce('an app’s key is worth nothing in another row', async () => {
    const [mine, theirs] = [await make(), await make()]
    const app = await addApp(server, mine.client, proof)
    const other = await addApp(server, theirs.client, proof)
    const factors = server.database.db.selectFrom('second_factors')
    const { secret } = await factors.select('secret').where('id', '=', app.id).executeTakeFirstOrThrow()
    await server.database.transaction((tx) =>
      tx.updateTable('second_factors').set({ secret }).where('id', '=', other.id).execute(),
    )
    await rejectsWith(login(theirs.email, { otp: app.next() }), 'invalid_second_factor')
    await login(mine.email, { otp: app.again() })
    assert.match(server.logged(), /the key of an authenticator app is unusable/)
  })

  it('rotate-secrets encrypts the keys of apps with the new SECRET_KEY', async () => {
    const other = await startServer(engine)
    try {
      const app = await addApp(other, other.admin, { current_password: ADMIN.password })
      const keys = { SECRET_KEY: 'another-secret-key-of-the-tests-long-enough', SECRET_KEY_PREVIOUS: SECRET_KEY }
      const startWith = (more: Record<string, string>) =>
        start(readConfig({ ...other.env, ...more, LOG_LEVEL: 'silent' }), { now: other.clock.now, timers: false })
      await (await startWith(keys)).stop()
      const { out } = await strongroom(['rotate-secrets'], { ...other.env, ...keys, LOG_LEVEL: 'error' })
      // The key of the audit log too.
      assert.equal(out, '2 secret(s) re-encrypted.\n')
      const running = await startWith({ SECRET_KEY: keys.SECRET_KEY })
      try {
        const body = { username: ADMIN.email, password: ADMIN.password, otp: app.next() }
        await createClient({ baseUrl: running.url }).login({ body })
      } finally {
        await running.stop()
      }
    } finally {
      await other.stop()
    }
  })
})

describeEngines('second factors where browsers have no passkeys', (engine, itOnce) => {
  itOnce('offer authenticator apps alone', async () => {
    for (const PUBLIC_BASE_URL of ['http://storage.lan:8080', 'https://192.0.2.1', 'https://[2001:db8::1]']) {
      const server = await startServer(engine, { PUBLIC_BASE_URL })
      assert.equal((await server.admin.listSecondFactors()).passkeys, false, PUBLIC_BASE_URL)
      await rejectsWith(server.admin.beginSecondFactor({ body: { kind: 'passkey' } }), 'conflict')
      const { token } = await server.admin.createToken({ body: { name: 'root' } })
      const root = createClient({ baseUrl: server.url, token })
      await root.updateSettings({ body: { auth: { second_factor: 'everyone' } } })
      const { challenge, methods } = await challengeOf(server, {
        email: 'admin@example.com',
        password: 'correct horse battery',
      })
      assert.deepEqual(methods, ['totp'])
      await rejectsWith(server.as().beginLoginEnrollment({ body: { challenge, kind: 'passkey' } }), 'conflict')
      await server.stop()
    }
  })
})
