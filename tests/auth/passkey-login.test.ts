// Signing in with a passkey alone.
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { Authenticator, type Tampering } from '../support/authenticator.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { addApp, addPasskey, challengeOf, ORIGIN, problemOf, SITE } from '../support/second-factor.ts'
import { ADMIN, allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'
import { withTwin } from '../support/twin.ts'

const MINUTE = 60_000
const PASSWORD = 'a password of somebody'
const proof = { current_password: PASSWORD }
const failed = [{ action: 'login_failed', result: 'failure' }] as const

describeEngines('a passkey alone', (engine, itOnce) => {
  let server: TestServer
  let people = 0
  before(async () => {
    server = await startServer(engine, { ...SITE, TRUSTED_PROXIES: '127.0.0.1' })
    server.secrets.add(PASSWORD)
  })
  after(() => server.stop())
  beforeEach(() => server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute()))

  async function make(options: { counts?: boolean; discoverable?: boolean } = {}) {
    const email = `keyless${++people}@example.com`
    const { id } = await server.admin.createUser({ body: { email, display_name: email, password: PASSWORD } })
    const client = server.as(await server.login(email, PASSWORD))
    const passkey = await addPasskey(server, client, proof, options)
    return { id, email, client, factor: passkey.id, key: passkey.key, codes: passkey.recovery_codes ?? [] }
  }
  type Changed = Tampering & { userHandle?: string }
  /** Signs in with a key, from an address. */
  async function enter(key: Authenticator, tampering: Changed = {}, ip = '192.0.2.1', client = server.as()) {
    const { challenge, passkey } = await client.beginPasskeyLogin()
    const body = { challenge, passkey: key.find(passkey, tampering) }
    return client.passkeyLogin({ body, headers: { 'x-forwarded-for': ip } })
  }
  const last = async (action: string) => {
    const found = (await allActions(server.database)).filter((one) => one.action === action).at(-1)
    return { ...found, details: JSON.parse(found?.details ?? '{}') as Record<string, unknown> }
  }

  it('signs in, counts as both factors, and the session says so', async () => {
    const who = await make()
    assert.deepEqual(await server.as().authConfig(), {
      local: true,
      idp: false,
      idp_name: null,
      passkeys: true,
      password_reset: false,
      setup_required: false,
      first_sign_in: false,
    })
    const { passkey, expires_in } = await server.records([], () => server.as().beginPasskeyLogin())
    assert.deepEqual(
      [passkey.rpId, passkey.allowCredentials, passkey.userVerification, expires_in],
      ['storage.example.com', [], 'required', 600],
    )
    const tokens = await server.records([{ action: 'login' }], () => enter(who.key))
    const client = server.as(tokens.access_token)
    assert.equal((await client.me()).id, who.id)
    await server.as().refresh({ body: { refresh_token: tokens.refresh_token ?? '' } })
    const record = await last('login')
    assert.deepEqual(record.details, { auth_method: 'local', signed_in_with: 'passkey' })
    assert.deepEqual([record.actor_user_id, record.resource_id, record.auth_method], [who.id, who.id, 'local'])
    const sessions = (await client.listSessions()).items
    assert.deepEqual(
      sessions.map(({ signed_in_with, second_factor, current }) => [signed_in_with, second_factor, current]),
      [
        ['passkey', true, true],
        // It added the passkey, which counts as having given one.
        ['password', true, false],
      ],
    )
    const [factor] = (await client.listSecondFactors()).items
    assert.equal(factor?.last_used_at, server.clock.now().toISOString())
    assert.equal((await client.listSecondFactors()).verified, true)
    // Such a session may do what needs both factors.
    const codes = await client.createRecoveryCodes({ body: { proof } })
    for (const code of codes.recovery_codes) server.secrets.add(code)
    const changed = await client.changePassword({
      body: { current_password: PASSWORD, new_password: `${PASSWORD} else` },
    })
    server.secrets.add(`${PASSWORD} else`)
    const [again] = (await server.as(changed.access_token).listSessions()).items
    assert.deepEqual([again?.signed_in_with, again?.second_factor], ['password', true])
  })

  it('is enough where everyone must have a second factor, and still is a second factor of the password', async () => {
    const who = await make()
    const { token } = await server.admin.createToken({ body: { name: 'root' } })
    const root = server.as(token)
    await root.updateSettings({ body: { auth: { second_factor: 'everyone' } } })
    try {
      await server.as((await enter(who.key)).access_token).me()
      const { challenge, passkey } = await challengeOf(server, { email: who.email, password: PASSWORD })
      const signature = who.key.get(passkey ?? assert.fail('no options'))
      await server.as().verifyLogin({ body: { challenge, passkey: signature } })
    } finally {
      await root.updateSettings({ body: { auth: { second_factor: 'optional' } } })
    }
    await server.later(0)
  })

  it('answers everything that is wrong alike, and records what it was', async () => {
    const [who, other] = [await make(), await make()]
    await enter(who.key)
    const { counter } = who.key
    const answers: object[] = []
    const refused = async (
      reason: string,
      user: { id: string; email: string } | null,
      call: () => Promise<unknown>,
    ) => {
      const problem = await server.records(failed, () => problemOf(call()))
      const { request_id: _id, ...answer } = problem
      answers.push(answer)
      const record = await last('login_failed')
      assert.deepEqual(record.details, { email: user?.email ?? null, reason })
      assert.deepEqual(
        [record.resource_id, record.error_code, record.status_code, record.auth_method],
        [user?.id ?? null, 'invalid_passkey', 401, 'local'],
      )
      await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())
    }
    await refused('unknown_passkey', null, () => enter(new Authenticator(ORIGIN), { userHandle: 'x' }))
    for (const tampering of [
      { flags: 1 },
      { flags: 0 },
      { flags: 4 },
      { origin: 'https://evil.example' },
      { rpId: 'example.com' },
      { type: 'webauthn.create' },
      { challenge: 'another' },
      { counter },
      { userHandle: Buffer.from(other.id).toString('base64url') },
      { userHandle: 'x' },
    ])
      await refused('wrong_passkey', who, () => enter(who.key, tampering))
    const update = (body: object) => server.admin.updateUser({ params: { id: who.id }, body })
    await update({ is_active: false })
    await refused('disabled', who, () => enter(who.key))
    await update({ is_active: true, password: null })
    await refused('no_password', who, () => enter(who.key))
    await update({ password: `${PASSWORD} new` })
    server.secrets.add(`${PASSWORD} new`)
    await enter(who.key)
    await server.admin.deleteUser({ params: { id: who.id } })
    await refused('unknown_passkey', null, () => enter(who.key))
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.deepEqual((answers[0] as { code: string }).code, 'invalid_passkey')
  })

  it('uses a challenge once, in one of many requests, and within ten minutes', async () => {
    const who = await make({ counts: false })
    const { twin } = await withTwin(server, engine)
    const clients: Client[] = [server.as(), ...(twin ? [createClient({ baseUrl: twin.url })] : [])]
    try {
      for (let round = 0; round < 3; round++) {
        const { challenge, passkey } = await server.as().beginPasskeyLogin()
        const body = { challenge, passkey: who.key.find(passkey) }
        const tries = [...clients, ...clients].map((client, i) =>
          client.passkeyLogin({ body, headers: { 'x-forwarded-for': `192.0.${100 + i}.1` } }),
        )
        const outcomes = await Promise.allSettled(tries)
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        await server.records([], () => rejectsWith(server.as().passkeyLogin({ body }), 'invalid_state'))
      }
    } finally {
      await twin?.stop()
    }
    await server.database.transaction((tx) => tx.deleteFrom('login_throttle').execute())

    const { challenge, passkey } = await server.as().beginPasskeyLogin()
    const signed = who.key.find(passkey)
    server.clock.advance(10 * MINUTE)
    await server.records([], () =>
      rejectsWith(server.as().passkeyLogin({ body: { challenge, passkey: signed } }), 'invalid_state'),
    )
    const second = await challengeOf(server, { email: who.email, password: PASSWORD })
    for (const forged of ['x', `${challenge}x`, second.challenge])
      await rejectsWith(server.as().passkeyLogin({ body: { challenge: forged, passkey: signed } }), 'invalid_state')
    const used = () => server.database.db.selectFrom('used_passkey_challenges').selectAll().execute()
    assert.equal((await used()).length > 0, true)
    await server.running.tick('auth-expiry')
    assert.deepEqual(await used(), [])
    await server.later(0)
  })

  it('failures are limited like those of passwords, and count with them', async () => {
    const who = await make()
    const ip = '203.0.113.9'
    const wrong = () => enter(who.key, { flags: 1 }, ip)
    const password = (given: string) =>
      server.as().login({ body: { username: who.email, password: given }, headers: { 'x-forwarded-for': ip } })
    for (let i = 0; i < 3; i++) await rejectsWith(wrong(), 'invalid_passkey')
    for (let i = 0; i < 2; i++) await rejectsWith(password('a wrong one'), 'invalid_grant')
    const blocked = await server.records([], () => rejectsWith(enter(who.key, {}, ip), 'rate_limited'))
    assert.equal(blocked.response.headers.get('retry-after'), '2')
    await rejectsWith(password(PASSWORD), 'rate_limited')
    await enter(who.key, {}, '198.51.100.3')
    server.clock.advance(2000)
    await enter(who.key, {}, ip)
    await rejectsWith(wrong(), 'invalid_passkey')

    // One that nobody has is limited in the same way.
    const none = new Authenticator(ORIGIN)
    for (let i = 0; i < 5; i++) await rejectsWith(enter(none, { userHandle: 'x' }, ip), 'invalid_passkey')
    const same = await rejectsWith(enter(none, { userHandle: 'x' }, ip), 'rate_limited')
    assert.equal(same.response.headers.get('retry-after'), '2')
  })

  itOnce('a device that cannot be found without a list of passkeys stays a second factor', async () => {
    const who = await make({ discoverable: false })
    const { items } = await who.client.listSecondFactors()
    assert.deepEqual(
      items.map(({ discoverable }) => discoverable),
      [false],
    )
    const { challenge, passkey } = await challengeOf(server, { email: who.email, password: PASSWORD })
    await server
      .as()
      .verifyLogin({ body: { challenge, passkey: who.key.get(passkey ?? assert.fail('no options'), { flags: 1 }) } })
    await addApp(server, who.client, proof)
    assert.deepEqual(
      (await who.client.listSecondFactors()).items.map(({ discoverable }) => discoverable),
      [false, null],
    )
  })

  itOnce('a session in a cookie, and the ticket by which the browser is known', async () => {
    const who = await make()
    const post = async (headers: object) => {
      const { challenge, passkey } = await server.as().beginPasskeyLogin()
      return request({
        url: server.url,
        path: '/api/v1/auth/passkey?session=cookie',
        method: 'POST',
        body: JSON.stringify({ challenge, passkey: who.key.find(passkey) }),
        headers: { 'content-type': 'application/json', ...headers },
      })
    }
    const answer = await post({})
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.json()).sort(), ['access_token', 'expires_in', 'token_type'])
    const names = (answer.headers['set-cookie'] ?? []).map((one) => one.split('=')[0])
    assert.deepEqual(names.sort(), ['__Host-strongroom_device', '__Host-strongroom_refresh'])
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal((await post({ 'sec-fetch-site': 'cross-site' })).status, 403, 'nobody signs others in as themselves')
  })

  itOnce('is off where passwords are, and where browsers have no passkeys', async () => {
    const who = await make()
    const { challenge, passkey } = await server.as().beginPasskeyLogin()
    const body = { challenge, passkey: who.key.find(passkey) }
    const { id } = await server.admin.me()
    const { token } = await server.admin.createToken({ body: { name: 'root too' } })
    const root = server.as(token)
    await root.updateSettings({
      body: { idp: { issuer_url: 'https://idp.example.com', client_id: 'x' }, auth: { enable_idp: true } },
    })
    await root.updateUser({ params: { id }, body: { idp_subject: 'admin-there' } })
    await root.updateSettings({ body: { auth: { enable_local: false } } })
    await server.records([], async () => {
      await rejectsWith(server.as().beginPasskeyLogin(), 'login_disabled')
      await rejectsWith(server.as().passkeyLogin({ body }), 'login_disabled')
    })
    assert.equal((await server.as().authConfig()).passkeys, false)
    await root.updateSettings({ body: { auth: { enable_local: true } } })

    const lan = await startServer(engine, { PUBLIC_BASE_URL: 'http://storage.lan' })
    try {
      await rejectsWith(lan.as().beginPasskeyLogin(), 'conflict')
      await rejectsWith(lan.as().passkeyLogin({ body }), 'conflict')
      assert.equal((await lan.as().authConfig()).passkeys, false)
      assert.equal(typeof (await lan.login(ADMIN.email, ADMIN.password)), 'string')
    } finally {
      await lan.stop()
    }
  })
})
