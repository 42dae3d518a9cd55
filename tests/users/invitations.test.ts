import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { person } from '../auth/oidc.ts'
import { rejectsWith } from '../support/problems.ts'
import { appCode, problemOf } from '../support/second-factor.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'
import { withTwin } from '../support/twin.ts'

const DAY = 24 * 3600_000
const PASSWORD = 'a password of my own'

describeEngines('invitations', (engine, itOnce) => {
  let server: TestServer
  let people = 0
  before(async () => {
    server = await startServer(engine)
    server.secrets.add(PASSWORD)
  })
  after(() => server.stop())

  const tokenOf = ({ url }: { url: string }) => {
    const { PUBLIC_BASE_URL = '' } = server.env
    assert.ok(url.startsWith(`${PUBLIC_BASE_URL}`), url)
    const found = /\/console\/invitation#([\w-]{43})$/.exec(url)?.[1] ?? assert.fail(url)
    server.secrets.add(found)
    return found
  }
  const nextEmail = () => `invited${++people}@example.com`
  const invite = async (more: object = {}, by: Client = server.admin) => {
    const body = { email: nextEmail(), display_name: 'Invited', invite: true, ...more }
    const { invitation, ...user } = await by.createUser({ body })
    return { ...user, params: { id: user.id }, token: tokenOf(invitation ?? assert.fail('no invitation')) }
  }
  const accept = (token: string, password = PASSWORD, client = server.as()) =>
    client.acceptInvitation({ body: { token, password } })
  const read = (token: string) => server.as().readInvitation({ body: { token } })
  /** Asserts that a link leads nowhere, whatever is asked of it. */
  const assertOver = async (token: string) => {
    await server.records([{ action: 'login_failed', result: 'failure' }], () => rejectsWith(read(token), 'gone'))
    await server.records([{ action: 'login_failed', result: 'failure' }], () => rejectsWith(accept(token), 'gone'))
  }
  const get = (id: string) => server.admin.getUser({ params: { id } })

  it('lets whoever has the link choose a password, once, and logs them in', async () => {
    const user = await server.records([{ action: 'user_create' }, { action: 'invitation_create' }], () => invite())
    const expires_at = new Date(server.clock.now().getTime() + 7 * DAY).toISOString()
    assert.deepEqual([user.has_password, user.invitation_expires_at], [false, expires_at])
    const [listed] = (await server.admin.listUsers({ query: { q: user.email } })).items
    assert.equal(listed?.invitation_expires_at, expires_at)
    const whom = await server.records([], () => read(user.token))
    assert.deepEqual(whom, { email: user.email, display_name: 'Invited', expires_at })

    for (const password of ['short', 'x'.repeat(73)])
      await server.records([], () => rejectsWith(accept(user.token, password), 'invalid_request', 'body.password'))
    const tokens = await server.records([{ action: 'invitation_accept' }, { action: 'login' }], () =>
      accept(user.token),
    )
    const me = await server.as(tokens.access_token).me()
    assert.equal(me.id, user.id)
    await server.as().refresh({ body: { refresh_token: tokens.refresh_token ?? '' } })
    const [accepted] = (await allActions(server.database)).slice(-2)
    assert.deepEqual(
      [accepted?.actor_user_id, accepted?.resource_id, accepted?.auth_method, JSON.parse(accepted?.details ?? '')],
      [user.id, user.id, 'local', { email: user.email }],
    )
    const after = await get(user.id)
    assert.deepEqual([after.has_password, after.invitation_expires_at], [true, null])
    await server.login(user.email, PASSWORD)
    await assertOver(user.token)
  })

  it('is replaced by a newer one, revoked, and over after seven days', async () => {
    const replaced = await invite()
    const again = await server.records([{ action: 'invitation_create' }], () =>
      server.admin.inviteUser({ params: replaced.params }),
    )
    await assertOver(replaced.token)
    await read(tokenOf(again))
    await server.records([{ action: 'invitation_revoke' }], () =>
      server.admin.revokeInvitation({ params: replaced.params }),
    )
    await assertOver(tokenOf(again))
    assert.equal((await get(replaced.id)).invitation_expires_at, null)
    await server.records([], () => rejectsWith(server.admin.revokeInvitation({ params: replaced.params }), 'not_found'))

    const late = await invite()
    await server.later(7 * DAY - 1)
    await read(late.token)
    await server.later(1)
    await assertOver(late.token)
    await server.running.tick('auth-expiry')
    assert.equal((await get(late.id)).invitation_expires_at, null)
    assert.deepEqual(await server.database.db.selectFrom('invitations').selectAll().execute(), [])
    await accept(tokenOf(await server.admin.inviteUser({ params: late.params })))
  })

  it('ends with whatever changes who can log in as the user', async () => {
    const update = (id: string, body: object) => server.admin.updateUser({ params: { id }, body })
    for (const change of [
      (id: string) => update(id, { email: nextEmail() }),
      (id: string) => update(id, { password: 'given by an administrator' }),
      (id: string) => update(id, { is_active: false }),
      async (id: string) => {
        await update(id, { is_active: false })
        await update(id, { is_active: true })
      },
      (id: string) => server.admin.endUserSessions({ params: { id } }),
      (id: string) => server.admin.deleteUser({ params: { id } }),
    ]) {
      const user = await invite()
      await change(user.id)
      await assertOver(user.token)
      if ((await server.admin.listUsers({ query: { q: 'invited' } })).items.some(({ id }) => id === user.id))
        assert.equal((await get(user.id)).invitation_expires_at, null)
    }
    // A name or a group does not.
    const kept = await invite()
    const group = await server.admin.createGroup({ body: { name: `Of ${kept.email}` } })
    await update(kept.id, { display_name: 'Another name', group_ids: [group.id], email: kept.email.toUpperCase() })
    await accept(kept.token)
  })

  it('ends earlier sessions, which a user of the identity provider may have', async () => {
    const user = await invite()
    await server.admin.updateUser({ params: user.params, body: { password: 'an earlier password' } })
    const earlier = await server.login(user.email, 'an earlier password')
    // Straight in the table: removing the password through the API ends the sessions already.
    await server.database.transaction((tx) =>
      tx.updateTable('users').set({ password_hash: null }).where('id', '=', user.id).execute(),
    )
    const token = tokenOf(await server.admin.inviteUser({ params: user.params }))
    await server.as(earlier).me()
    const { access_token } = await accept(token)
    await rejectsWith(server.as(earlier).me(), 'unauthenticated')
    await server.as(access_token).me()
  })

  itOnce('is for active users without a password, and not combined with one', async () => {
    const body = { email: nextEmail(), display_name: 'X' }
    await server.records([], () =>
      rejectsWith(
        server.admin.createUser({ body: { ...body, invite: true, password: PASSWORD } }),
        'invalid_request',
        'body.invite',
      ),
    )
    const { invitation, id } = await server.admin.createUser({ body: { ...body, password: PASSWORD } })
    assert.equal(invitation, undefined)
    const params = { id }
    await server.records([], async () => {
      await rejectsWith(server.admin.inviteUser({ params }), 'conflict')
      await rejectsWith(
        server.admin.inviteUser({ params: { id: '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10' } }),
        'not_found',
      )
    })
    await server.admin.updateUser({ params, body: { password: null, is_active: false } })
    await server.records([], () => rejectsWith(server.admin.inviteUser({ params }), 'conflict'))
  })

  itOnce('is given only by those who have the permissions of the invited', async () => {
    const [managers, editors] = await Promise.all([
      server.admin.createGroup({ body: { name: 'Inviters', global: ['users.manage'] } }),
      server.admin.createGroup({
        body: { name: 'Invited editors', grants: [{ bucket_pattern: 'x-*', actions: ['write'] }] },
      }),
    ])
    const email = nextEmail()
    await server.admin.createUser({
      body: { email, display_name: 'Manager', password: PASSWORD, group_ids: [managers.id] },
    })
    const manager = server.as(await server.login(email, PASSWORD))
    const own = await invite({}, manager)
    await accept(own.token)
    const theirs = await invite({ group_ids: [editors.id] })
    await rejectsWith(manager.inviteUser({ params: theirs.params }), 'forbidden')
    await rejectsWith(manager.revokeInvitation({ params: theirs.params }), 'forbidden')
    await rejectsWith(invite({ group_ids: [editors.id] }, manager), 'forbidden')
    await accept(theirs.token)
  })

  itOnce('leads nowhere while nobody logs in with a password', async () => {
    const user = await invite()
    const waiting = await server.admin.createUser({ body: { email: nextEmail(), display_name: 'Waiting' } })
    const { id } = await server.admin.me()
    const { token } = await server.admin.createToken({ body: { name: 'root' } })
    server.secrets.add(token)
    const root = server.as(token)
    await root.updateSettings({
      body: { idp: { issuer_url: 'https://idp.example.com', client_id: 'x' }, auth: { enable_idp: true } },
    })
    await root.updateUser({ params: { id }, body: { idp_subject: person().sub } })
    await root.updateSettings({ body: { auth: { enable_local: false } } })
    await server.records([], async () => {
      await rejectsWith(read(user.token), 'login_disabled')
      await rejectsWith(accept(user.token), 'login_disabled')
      await rejectsWith(root.inviteUser({ params: { id: waiting.id } }), 'conflict')
      await rejectsWith(root.createUser({ body: { email: nextEmail(), display_name: 'X', invite: true } }), 'conflict')
    })
    await root.updateSettings({ body: { auth: { enable_local: true } } })
    await root.updateUser({ params: { id }, body: { idp_subject: null } })
    await accept(user.token)
    await server.later(0)
  })

  itOnce('leads to a second factor where the settings ask for one', async () => {
    const { token: pat } = await server.admin.createToken({ body: { name: 'root too' } })
    server.secrets.add(pat)
    const root = server.as(pat)
    const user = await invite()
    await root.updateSettings({ body: { auth: { second_factor: 'everyone' } } })
    try {
      const refused = await server.records([{ action: 'invitation_accept' }], () => problemOf(accept(user.token)))
      assert.equal(refused.code, 'second_factor_enrollment_required')
      const sessions = () =>
        server.database.db.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute()
      assert.deepEqual(await sessions(), [])
      const challenge = refused.challenge ?? ''
      const { totp } = await server.as().beginLoginEnrollment({ body: { challenge, kind: 'totp' } })
      const secret = totp?.secret ?? ''
      server.secrets.add(secret)
      const otp = appCode(secret, server.clock.now())
      const made = await server.as().finishLoginEnrollment({ body: { challenge, otp } })
      for (const code of made.recovery_codes) server.secrets.add(code)
      assert.equal((await server.as(made.access_token).me()).id, user.id)
    } finally {
      await root.updateSettings({ body: { auth: { second_factor: 'optional' } } })
    }
  })

  itOnce('limits guesses, and lets the right link in nevertheless', async () => {
    const user = await invite()
    let refused = 0
    for (let i = 0; i < 60 && refused === 0; i++)
      refused += Number((await problemOf(read(`guess-${i}-of-many`))).code === 'rate_limited')
    assert.equal(refused, 1)
    await read(user.token)
    await accept(user.token)
  })

  it('is accepted once, by one of those who try at the same time', async () => {
    const { twin } = await withTwin(server, engine)
    const visitors = [server.as(), ...(twin ? [createClient({ baseUrl: twin.url })] : [])]
    try {
      for (let round = 0; round < 4; round++) {
        const user = await invite()
        const tries = [...visitors, ...visitors, ...visitors].map((client, i) =>
          accept(user.token, `${PASSWORD} ${i}`, client),
        )
        const outcomes = await Promise.allSettled(tries)
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
        await server.login(user.email, `${PASSWORD} ${winner}`)
      }
    } finally {
      await twin?.stop()
    }
  })
})
