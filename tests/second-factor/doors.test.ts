// Every way in, for everyone it may be open to: what the setting asks for, and of whom.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import type { Settings } from '../../contract/settings.ts'
import { autoCreate, type Both, person, startBoth } from '../auth/oidc.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { type App, addApp, appCode, challengeOf, problemOf } from '../support/second-factor.ts'
import { describeEngines, type TestServer } from '../support/server.ts'

type Setting = Settings['auth']['second_factor']
const settings: readonly Setting[] = ['optional', 'administrators', 'everyone']
const kinds = ['member', 'manager', 'administrator'] as const
type Kind = (typeof kinds)[number]
type Outcome = 'in' | 'factor' | 'enrollment'
/** What a right password is answered with, by setting; without a second factor, and with one. */
const bare: { [K in Kind]: readonly [Outcome, Outcome, Outcome] } = {
  member: ['in', 'in', 'enrollment'],
  manager: ['in', 'in', 'enrollment'],
  administrator: ['in', 'enrollment', 'enrollment'],
}
const codes = { in: undefined, factor: 'second_factor_required', enrollment: 'second_factor_enrollment_required' }
const PASSWORD = 'a password of somebody'

describeEngines('the second factor at every door', (engine, itOnce) => {
  let both: Both
  let server: TestServer
  /** By a token, so that no setting shuts it out. */
  let root: Client
  let people = 0
  const groups: { [K in Kind]?: string } = {}
  before(async () => {
    both = await startBoth(engine)
    server = both.server
    server.secrets.add(PASSWORD)
    const { token } = await server.admin.createToken({ body: { name: 'root' } })
    root = server.as(token)
    for (const [kind, global] of [
      ['member', []],
      ['manager', ['users.manage']],
      ['administrator', ['admin']],
    ] as const)
      groups[kind] = (await root.createGroup({ body: { name: kind, global: [...global] } })).id
  })
  after(() => both.stop())

  const set = (second_factor: Setting) => root.updateSettings({ body: { auth: { second_factor } } })
  async function make(kind: Kind) {
    const email = `door${++people}@example.com`
    const body = { email, display_name: email, password: PASSWORD, group_ids: [groups[kind] ?? ''] }
    const { id } = await root.createUser({ body })
    return { id, email, password: PASSWORD }
  }
  type Person = Awaited<ReturnType<typeof make>>
  const login = ({ email, password }: Person, more: { otp?: string } = {}) =>
    server.as().login({ body: { username: email, password, ...more } })
  const sessionsOf = async ({ id }: Person) =>
    (await server.database.db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()).length

  for (const kind of kinds)
    for (const [i, setting] of settings.entries())
      it(`${kind}, ${setting}: without a second factor`, async () => {
        await set('optional')
        const who = await make(kind)
        const old = await login(who)
        const renewing = await login(who)
        const pat = (await server.as(old.access_token).createToken({ body: { name: 'mine' } })).token
        const sessions = await sessionsOf(who)
        await set(setting)
        const outcome = bare[kind][i] ?? 'in'

        // Sessions of before, at their next request and their next renewal; tokens are never asked.
        const body = { refresh_token: renewing.refresh_token ?? '' }
        if (outcome === 'in') {
          await server.as(old.access_token).me()
          await server.as().refresh({ body })
        } else {
          const refused = await rejectsWith(server.as(old.access_token).me(), 'second_factor_required')
          assert.equal(
            refused.response.headers.get('www-authenticate'),
            'Bearer error="insufficient_user_authentication"',
          )
          assert.equal(refused.problem.challenge, undefined)
          await rejectsWith(server.as().refresh({ body }), 'second_factor_required')
        }
        assert.equal((await server.as(pat).me()).email, who.email)
        const change = { current_password: PASSWORD, new_password: `${PASSWORD} else` }
        if (outcome !== 'in') await rejectsWith(server.as(pat).changePassword({ body: change }), 'conflict')

        if (outcome === 'in') {
          await login(who)
          await login(who, { otp: '123456' })
        } else {
          const refused = await challengeOf(server, who)
          assert.deepEqual([refused.code, refused.methods, refused.expires_in], [codes[outcome], ['totp'], 300])
          await rejectsWith(login(who, { otp: '123456' }), 'second_factor_enrollment_required')
          assert.equal(await sessionsOf(who), sessions, 'no session before there is a second factor')
          const { challenge } = refused
          await rejectsWith(server.as().verifyLogin({ body: { challenge, otp: '123456' } }), 'invalid_state')
          const { totp } = await server.as().beginLoginEnrollment({ body: { challenge, kind: 'totp' } })
          const secret = totp?.secret ?? ''
          server.secrets.add(secret)
          const otp = appCode(secret, server.clock.now())
          const made = await server.records(
            [{ action: 'second_factor_add' }, { action: 'recovery_codes_create' }, { action: 'login' }],
            () => server.as().finishLoginEnrollment({ body: { challenge, otp, name: 'App' } }),
          )
          for (const code of made.recovery_codes) server.secrets.add(code)
          assert.equal(made.recovery_codes.length, 10)
          const client = server.as(made.access_token)
          await client.me()
          await server.as().refresh({ body: { refresh_token: made.refresh_token ?? '' } })
          const { items, required, verified } = await client.listSecondFactors()
          assert.deepEqual([items.map(({ name }) => name), required, verified], [['App'], true, true])
          assert.equal((await challengeOf(server, who)).code, 'second_factor_required')
        }
      })

  for (const kind of kinds)
    for (const setting of settings)
      it(`${kind}, ${setting}: with a second factor`, async () => {
        await set('optional')
        const who = await make(kind)
        const before = await login(who)
        const earlier = await login(who)
        const app = await addApp(server, server.as(earlier.access_token), { current_password: PASSWORD })
        const pat = (await server.as(earlier.access_token).createToken({ body: { name: 'mine' } })).token
        await set(setting)
        const needed = setting === 'everyone' || (setting === 'administrators' && kind === 'administrator')

        // The session that added it counts as opened with it; the other one does not.
        await server.as(earlier.access_token).me()
        await server.as().refresh({ body: { refresh_token: earlier.refresh_token ?? '' } })
        if (needed) await rejectsWith(server.as(before.access_token).me(), 'second_factor_required')
        else await server.as(before.access_token).me()
        await server.as(pat).me()

        // Whatever the setting says.
        const refused = await challengeOf(server, who)
        assert.deepEqual([refused.code, refused.methods], ['second_factor_required', ['totp', 'recovery_code']])
        await rejectsWith(login(who, { otp: app.again() }), 'invalid_second_factor')
        const inOne = await login(who, { otp: app.next() })
        await server.as(inOne.access_token).me()
        const { challenge } = refused
        await rejectsWith(server.as().beginLoginEnrollment({ body: { challenge, kind: 'totp' } }), 'invalid_state')
        const inTwo = await server.records([{ action: 'login' }], () =>
          server.as().verifyLogin({ body: { challenge, otp: app.next() } }),
        )
        await server.as(inTwo.access_token).me()
        await server.as().refresh({ body: { refresh_token: inTwo.refresh_token ?? '' } })
        await rejectsWith(server.as().verifyLogin({ body: { challenge, otp: app.next() } }), 'invalid_state')

        // A new password neither removes it nor opens a session without it.
        const change = { current_password: PASSWORD, new_password: `${PASSWORD} else` }
        if (!needed) await rejectsWith(server.as(before.access_token).changePassword({ body: change }), 'conflict')
        await rejectsWith(server.as(pat).changePassword({ body: change }), 'conflict')
        const changed = await server.as(inOne.access_token).changePassword({ body: change })
        server.secrets.add(change.new_password)
        const client = server.as(changed.access_token)
        assert.equal((await client.listSecondFactors()).verified, true)
        const next = { ...who, password: change.new_password }
        assert.equal((await challengeOf(server, next)).code, 'second_factor_required')
        // The last one stays where it is required.
        const removal = client.removeSecondFactor({
          params: { id: app.id },
          body: { proof: { current_password: next.password } },
        })
        if (needed) await rejectsWith(removal, 'conflict')
        else await removal
        if (!needed) await login(next)
      })

  it('people who sign in through the provider are never asked', async () => {
    await set('optional')
    await root.updateSettings({ body: autoCreate })
    for (const kind of kinds) {
      const account = person()
      await both.tokensOf(account)
      const { id = '' } = (await both.userOf(account)) ?? {}
      await root.updateUser({ params: { id }, body: { group_ids: [groups[kind] ?? ''] } })
      await set('everyone')
      const { access_token, refresh_token } = await both.tokensOf(account)
      const client = server.as(access_token)
      await client.me()
      await server.as().refresh({ body: { refresh_token } })
      await rejectsWith(client.beginSecondFactor({ body: { kind: 'totp' } }), 'conflict')
      // Somebody with both ways in is asked at the one with the password.
      await set('optional')
      await root.updateUser({ params: { id }, body: { password: PASSWORD } })
      const again = await both.tokensOf(account)
      await addApp(server, server.as(again.access_token), { current_password: PASSWORD })
      await set('everyone')
      const twice = await both.tokensOf(account)
      await server.as(twice.access_token).me()
      const listed = await server.as(twice.access_token).listSecondFactors()
      assert.deepEqual([listed.verified, listed.session_ends], [false, false])
      assert.equal(
        (await challengeOf(server, { email: account.email ?? '', password: PASSWORD })).code,
        'second_factor_required',
      )
      await set('optional')
    }
  })

  itOnce('reset-password on the machine leaves it; the user still has to give it', async () => {
    await set('optional')
    const who = await make('administrator')
    const app: App = await addApp(server, server.as((await login(who)).access_token), { current_password: PASSWORD })
    const { out } = await strongroom(
      ['reset-password', who.email],
      { ...server.env, LOG_LEVEL: 'error' },
      { input: '' },
    )
    const [, password = ''] = /Password, shown only now: (\S+)/.exec(out) ?? []
    server.secrets.add(password)
    assert.equal((await challengeOf(server, { ...who, password })).code, 'second_factor_required')
    await login({ ...who, password }, { otp: app.next() })
  })

  itOnce('a challenge dies with the password, the account and its five minutes', async () => {
    await set('optional')
    for (const kill of [
      ({ id }: Person) => root.updateUser({ params: { id }, body: { password: `${PASSWORD} new` } }),
      ({ id }: Person) => root.updateUser({ params: { id }, body: { is_active: false } }),
      ({ id }: Person) => root.deleteUser({ params: { id } }),
      ({ id }: Person) => root.resetSecondFactors({ params: { id } }),
      async () => server.clock.advance(300_000),
    ]) {
      const who = await make('member')
      const app = await addApp(server, server.as((await login(who)).access_token), { current_password: PASSWORD })
      const { challenge } = await challengeOf(server, who)
      await kill(who)
      await rejectsWith(server.as().verifyLogin({ body: { challenge, otp: app.next() } }), 'invalid_state')
    }
    const who = await make('member')
    const app = await addApp(server, server.as((await login(who)).access_token), { current_password: PASSWORD })
    const { challenge } = await challengeOf(server, who)
    await root.updateUser({ params: { id: (await server.admin.me()).id }, body: { idp_subject: 'admin-there' } })
    await root.updateSettings({ body: { auth: { enable_local: false } } })
    await rejectsWith(server.as().verifyLogin({ body: { challenge, otp: app.next() } }), 'login_disabled')
    await root.updateSettings({ body: { auth: { enable_local: true } } })
  })

  itOnce('an enrollment at the login is only for the first second factor', async () => {
    await set('everyone')
    const who = await make('member')
    const [first, second] = [await challengeOf(server, who), await challengeOf(server, who)]
    const start = async ({ challenge }: { challenge: string }) => {
      const { totp } = await server.as().beginLoginEnrollment({ body: { challenge, kind: 'totp' } })
      const secret = totp?.secret ?? ''
      server.secrets.add(secret)
      return { challenge, otp: appCode(secret, server.clock.now()) }
    }
    const [mine, theirs] = [await start(first), await start(second)]
    await rejectsWith(
      server.as().finishLoginEnrollment({ body: { challenge: mine.challenge, otp: '000000' } }),
      'invalid_second_factor',
    )
    const made = await server.as().finishLoginEnrollment({ body: mine })
    for (const code of made.recovery_codes) server.secrets.add(code)
    await rejectsWith(server.as().finishLoginEnrollment({ body: theirs }), 'invalid_state')
    await rejectsWith(server.as().finishLoginEnrollment({ body: mine }), 'invalid_state')
    assert.equal((await server.as(made.access_token).listSecondFactors()).items.length, 1)
    await set('optional')
  })

  itOnce('before the password is right, nothing says who has one', async () => {
    const [plain, secured] = [await make('member'), await make('member')]
    await addApp(server, server.as((await login(secured)).access_token), { current_password: PASSWORD })
    const answers = await Promise.all(
      [plain, secured, { ...plain, email: 'none@example.com' }].flatMap((who) =>
        [{}, { otp: '123456' }].map(async (more) => {
          const { request_id: _id, ...problem } = await problemOf(login({ ...who, password: 'a wrong one' }, more))
          return problem
        }),
      ),
    )
    assert.equal(answers[0]?.code, 'invalid_grant')
    for (const answer of answers) assert.deepEqual(answer, answers[0])
  })
})
