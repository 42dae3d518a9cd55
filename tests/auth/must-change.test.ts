// A password that must be changed opens no door: a table of every way in.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import type { Settings } from '../../contract/settings.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { type App, addApp, addPasskey, appCode, problemOf, SITE } from '../support/second-factor.ts'
import { ADMIN, allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'
import { autoCreate, type Both, person, startBoth } from './oidc.ts'

const GIVEN = 'given by an administrator'
const CHOSEN = 'chosen by the user'
const settings: readonly Settings['auth']['second_factor'][] = ['optional', 'administrators', 'everyone']

describeEngines('a password that must be changed', (engine, itOnce) => {
  let both: Both
  let server: TestServer
  /** By a token, so that no setting shuts it out. */
  let root: Client
  let administrators: string
  let people = 0
  before(async () => {
    both = await startBoth(engine)
    server = both.server
    for (const secret of [GIVEN, CHOSEN]) server.secrets.add(secret)
    const { token } = await server.admin.createToken({ body: { name: 'root' } })
    server.secrets.add(token)
    root = server.as(token)
    administrators = (await root.createGroup({ body: { name: 'More administrators', global: ['admin'] } })).id
  })
  after(() => both.stop())

  const set = (second_factor: Settings['auth']['second_factor']) =>
    root.updateSettings({ body: { auth: { second_factor } } })
  const create = async (more: object = {}) => {
    const email = `must${++people}@example.com`
    const body = { email, display_name: 'Must', password: GIVEN, must_change_password: true, ...more }
    return { id: (await root.createUser({ body })).id, email }
  }
  type Person = Awaited<ReturnType<typeof create>>
  const login = ({ email }: Person, password = GIVEN, more: { otp?: string } = {}) =>
    server.as().login({ body: { username: email, password, ...more } })
  const challengeOf = async (who: Person, more: { otp?: string } = {}) => {
    const problem = await server.records([], () => problemOf(login(who, GIVEN, more)))
    assert.deepEqual([problem.code, problem.status, problem.expires_in], ['password_change_required', 401, 300])
    return { ...problem, challenge: problem.challenge ?? '' }
  }
  const replace = (challenge: string, more: object = {}) =>
    server.as().replaceExpiredPassword({ body: { challenge, new_password: CHOSEN, ...more } })
  const sessionsOf = async ({ id }: Person) =>
    (
      await server.database.db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', id)
        .where('revoked_at', 'is', null)
        .execute()
    ).length
  const changed = [{ action: 'user_update' }, { action: 'login' }] as const

  for (const kind of ['member', 'administrator'] as const)
    for (const setting of settings)
      for (const secured of [false, true])
        it(`${kind}, ${setting}, ${secured ? 'with' : 'without'} a second factor`, async () => {
          await set('optional')
          const groups = kind === 'administrator' ? { group_ids: [administrators] } : {}
          const who = await create({ ...groups, must_change_password: false })
          const old = await login(who)
          const app: App | undefined = secured
            ? await addApp(server, server.as(old.access_token), { current_password: GIVEN })
            : undefined
          const pat = (await server.as(old.access_token).createToken({ body: { name: 'mine' } })).token
          server.secrets.add(pat)
          await root.updateUser({ params: { id: who.id }, body: { password: GIVEN, must_change_password: true } })
          await set(setting)
          const enrolls = !secured && (setting === 'everyone' || (setting === 'administrators' && kind !== 'member'))

          // Sessions of before are over; tokens of programs go on, as after every new password.
          await rejectsWith(server.as(old.access_token).me(), 'unauthenticated')
          await rejectsWith(
            server.as().refresh({ body: { refresh_token: old.refresh_token ?? '' } }),
            'unauthenticated',
          )
          await server.as(pat).me()

          // Neither the password nor the password with a code opens a session, and the challenge is good for nothing else.
          const { challenge, methods } = await challengeOf(who)
          assert.deepEqual(methods, secured ? ['totp', 'recovery_code'] : [])
          await challengeOf(who, { otp: app?.next() ?? '123456' })
          const otp = app?.next() ?? '123456'
          await rejectsWith(server.as().verifyLogin({ body: { challenge, otp } }), 'invalid_state')
          await rejectsWith(server.as().beginLoginEnrollment({ body: { challenge, kind: 'totp' } }), 'invalid_state')
          await rejectsWith(server.as().finishLoginEnrollment({ body: { challenge, otp } }), 'invalid_state')
          const same = { challenge, new_password: GIVEN, ...(secured ? { otp } : {}) }
          await server.records([], async () => {
            await rejectsWith(
              server.as().replaceExpiredPassword({ body: same }),
              'invalid_request',
              'body.new_password',
            )
            await rejectsWith(replace(challenge, { new_password: 'short' }), 'invalid_request', 'body.new_password')
            if (secured) await rejectsWith(replace(challenge), 'invalid_request', 'body')
          })
          if (secured)
            await server.records([{ action: 'login_failed', result: 'failure' }], () =>
              rejectsWith(replace(challenge, { otp: '000000' }), 'invalid_second_factor'),
            )
          assert.equal(await sessionsOf(who), 0)
          assert.equal((await root.getUser({ params: { id: who.id } })).must_change_password, true)

          if (enrolls) {
            const refused = await server.records([{ action: 'user_update' }], () => problemOf(replace(challenge)))
            assert.equal(refused.code, 'second_factor_enrollment_required')
            assert.equal(await sessionsOf(who), 0)
            const next = { challenge: refused.challenge ?? '' }
            const { totp } = await server.as().beginLoginEnrollment({ body: { ...next, kind: 'totp' } })
            const secret = totp?.secret ?? ''
            server.secrets.add(secret)
            const code = appCode(secret, server.clock.now())
            const made = await server.as().finishLoginEnrollment({ body: { ...next, otp: code } })
            for (const one of made.recovery_codes) server.secrets.add(one)
            await server.as(made.access_token).me()
          } else {
            const tokens = await server.records([...changed], () => replace(challenge, secured ? { otp } : {}))
            const client = server.as(tokens.access_token)
            await client.me()
            await server.as().refresh({ body: { refresh_token: tokens.refresh_token ?? '' } })
            assert.equal((await client.listSecondFactors()).verified, secured)
          }
          await rejectsWith(replace(challenge, secured ? { otp: app?.next() } : {}), 'invalid_state')
          await rejectsWith(login(who), 'invalid_grant')
          assert.equal((await root.getUser({ params: { id: who.id } })).must_change_password, false)
          await set('optional')
          if (!secured && !enrolls) await login(who, CHOSEN)
        })

  it('records that it was asked for, and that it was done', async () => {
    const who = await server.records([{ action: 'user_create' }], () => create())
    const [made] = (await allActions(server.database)).slice(-1)
    assert.equal(JSON.parse(made?.details ?? '').must_change_password, true)
    const { challenge } = await challengeOf(who)
    await server.records([...changed], () => replace(challenge))
    const [update] = (await allActions(server.database)).slice(-2)
    assert.deepEqual([update?.actor_user_id, update?.auth_method], [who.id, 'local'])
    assert.deepEqual(JSON.parse(update?.details ?? ''), {
      email: who.email,
      before: { must_change_password: true },
      after: { must_change_password: false, password: 'changed' },
    })
    await server.records([{ action: 'user_update' }], () =>
      root.updateUser({ params: { id: who.id }, body: { password: GIVEN, must_change_password: true } }),
    )
    const [asked] = (await allActions(server.database)).slice(-1)
    assert.deepEqual(JSON.parse(asked?.details ?? '').after, { password: 'changed', must_change_password: true })
  })

  it('is given up with another password, and only asked for together with one', async () => {
    const who = await create()
    const params = { id: who.id }
    for (const body of [{ must_change_password: true }, { must_change_password: false, password: null }])
      await server.records([], () =>
        rejectsWith(root.updateUser({ params, body }), 'invalid_request', 'body.must_change_password'),
      )
    await rejectsWith(
      root.createUser({ body: { email: 'none@example.com', display_name: 'X', must_change_password: true } }),
      'invalid_request',
      'body.must_change_password',
    )
    const { challenge } = await challengeOf(who)
    await root.updateUser({ params, body: { password: GIVEN } })
    await rejectsWith(replace(challenge), 'invalid_state')
    await login(who)
    await root.updateUser({ params, body: { password: GIVEN, must_change_password: true } })
    await root.updateUser({ params, body: { password: null } })
    assert.equal((await root.getUser({ params })).must_change_password, false)
  })

  it('does not concern those who come through the provider, who can change it as users do', async () => {
    const account = person()
    await root.updateSettings({ body: autoCreate })
    await both.tokensOf(account)
    const { id = '' } = (await both.userOf(account)) ?? {}
    await root.updateUser({ params: { id }, body: { password: GIVEN, must_change_password: true } })
    const client = server.as((await both.tokensOf(account)).access_token)
    await client.me()
    const change = (new_password: string) => client.changePassword({ body: { current_password: GIVEN, new_password } })
    await rejectsWith(change(GIVEN), 'invalid_request', 'body.new_password')
    await change(CHOSEN)
    assert.equal((await root.getUser({ params: { id } })).must_change_password, false)
    await login({ id, email: account.email ?? '' }, CHOSEN)
  })

  itOnce('a challenge dies with the account, the settings and its five minutes', async () => {
    for (const kill of [
      ({ id }: Person) => root.updateUser({ params: { id }, body: { is_active: false } }),
      ({ id }: Person) => root.endUserSessions({ params: { id } }),
      ({ id }: Person) => root.deleteUser({ params: { id } }),
      async () => server.clock.advance(300_000),
    ]) {
      const who = await create()
      const { challenge } = await challengeOf(who)
      await kill(who)
      await rejectsWith(replace(challenge), 'invalid_state')
    }
    const who = await create()
    const { challenge } = await challengeOf(who)
    const me = await server.login(ADMIN.email, ADMIN.password)
    const { id } = await server.as(me).me()
    await root.updateUser({ params: { id }, body: { idp_subject: 'admin-there' } })
    await root.updateSettings({ body: { auth: { enable_local: false } } })
    await rejectsWith(replace(challenge), 'login_disabled')
    await root.updateSettings({ body: { auth: { enable_local: true } } })
  })

  itOnce('wrong passwords say nothing of it', async () => {
    const who = await create()
    const { request_id: _a, ...wrong } = await problemOf(login(who, 'a wrong one'))
    const { request_id: _b, ...unknown } = await problemOf(
      login({ ...who, email: 'nobody@example.com' }, 'a wrong one'),
    )
    assert.deepEqual(wrong, unknown)
    assert.equal(wrong.code, 'invalid_grant')
  })

  itOnce('reset-password on the machine gives up that it must be changed', async () => {
    const who = await create()
    const { out } = await strongroom(
      ['reset-password', who.email],
      { ...server.env, LOG_LEVEL: 'error' },
      { input: '' },
    )
    const [, password = ''] = /Password, shown only now: (\S+)/.exec(out) ?? []
    server.secrets.add(password)
    await login(who, password)
  })

  it('is changed once, by one of those who try at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const who = await create()
      const challenges = await Promise.all(
        [challengeOf(who), challengeOf(who)].map(async (one) => (await one).challenge),
      )
      const tries = [...challenges, ...challenges].map((challenge, i) =>
        replace(challenge, { new_password: `${CHOSEN} ${i}` }),
      )
      const outcomes = await Promise.allSettled(tries)
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
      await login(who, `${CHOSEN} ${winner}`)
    }
  })
})

describeEngines('a password that must be changed, with a passkey', (engine, itOnce) => {
  itOnce('is changed with the passkey', async () => {
    const server = await startServer(engine, SITE)
    try {
      for (const secret of [GIVEN, CHOSEN]) server.secrets.add(secret)
      const body = { email: 'key@example.com', display_name: 'Key', password: GIVEN }
      const { id } = await server.admin.createUser({ body })
      const client = server.as(await server.login(body.email, GIVEN))
      const { key } = await addPasskey(server, client, { current_password: GIVEN })
      await server.admin.updateUser({ params: { id }, body: { password: GIVEN, must_change_password: true } })
      const {
        challenge = '',
        methods,
        passkey,
      } = await problemOf(server.as().login({ body: { username: body.email, password: GIVEN } }))
      assert.deepEqual(methods, ['passkey', 'recovery_code'])
      const signed = key.get(passkey ?? assert.fail('no options'))
      const { access_token } = await server
        .as()
        .replaceExpiredPassword({ body: { challenge, new_password: CHOSEN, passkey: signed } })
      assert.equal((await server.as(access_token).listSecondFactors()).verified, true)
    } finally {
      await server.stop()
    }
  })
})
