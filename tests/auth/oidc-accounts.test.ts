import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import { before, it } from 'node:test'
import { request } from '../support/http.ts'
import { claimsOf, IDP_CLIENT } from '../support/idp.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, allActions, describeEngines } from '../support/server.ts'
import { autoCreate, type Both, countOf, dump, html, linkByEmail, MINUTE, person, type Tokens } from './oidc.ts'
import { loginWorld } from './oidc-login.ts'
import { assertSignIn } from './sign-in.ts'

describeEngines('login through OpenID Connect: whose account it is', (engine, itOnce) => {
  const world = loginWorld(engine)
  let both: Both
  before(() => {
    both = world.both
  })

  it('never links accounts by email; only an administrator can', async () => {
    const { server } = both
    const local = await server.admin.createUser({
      body: { email: 'Shared@Example.com', display_name: 'Local', password: 'a password of mine' },
    })
    const account = person({ email: 'shared@example.com', email_verified: true })
    await both.withSettings(autoCreate, async () => {
      await both.refused('email_in_use', async () => both.finish(await both.returning(account)))
      const record = (await allActions(server.database)).at(-1)
      assert.deepEqual(JSON.parse(record?.details ?? ''), { email: account.email, reason: 'email_in_use' })
    })
    await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
    assert.equal((await server.admin.getUser({ params: { id: local.id } })).idp_subject, null)

    await server.records([{ action: 'user_update' }], () =>
      server.admin.updateUser({ params: { id: local.id }, body: { idp_subject: account.sub } }),
    )
    await server.records([{ action: 'login' }], async () => {
      const { access_token } = await both.tokensOf(account)
      assert.equal((await server.as(access_token).me()).id, local.id)
    })
    await server.login('shared@example.com', 'a password of mine')
    const second = await server.admin.createUser({ body: { email: 'second@example.com', display_name: 'Second' } })
    await rejectsWith(
      server.admin.updateUser({ params: { id: second.id }, body: { idp_subject: account.sub } }),
      'already_exists',
    )
    const manager = await server.admin.createGroup({ body: { name: 'Managers', global: ['users.manage'] } })
    await server.admin.createUser({
      body: { email: 'man@example.com', display_name: 'M', password: 'a password of mine', group_ids: [manager.id] },
    })
    const token = await server.login('man@example.com', 'a password of mine')
    await rejectsWith(
      server.as(token).updateUser({ params: { id: second.id }, body: { idp_subject: 'mine' } }),
      'forbidden',
    )
  })

  /** An account with a password, and the claims of someone at the provider who has its address. */
  const withAccount = async (claims: object = { email_verified: true }, change: object = {}) => {
    const account = person(claims)
    const email = `K${account.email?.slice(1)}`
    const body = { email, display_name: 'Local', password: 'a password of mine', ...change }
    const user = await both.server.admin.createUser({ body: { ...body, email: email.toUpperCase() } })
    return { account: { ...account, email: email.toLowerCase() }, user, email: email.toUpperCase() }
  }
  const subjectOf = async (id: string) => (await both.server.admin.getUser({ params: { id } })).idp_subject

  it('links the account of a confirmed address at the first login, if the settings say so', async () => {
    const { server } = both
    const { account, user, email } = await withAccount()
    const earlier = await server.login(email, 'a password of mine')
    await both.withSettings(linkByEmail, async () => {
      const { access_token } = await server.records([{ action: 'user_update' }, { action: 'login' }], () =>
        both.tokensOf(account),
      )
      const me = await server.as(access_token).me()
      assert.deepEqual([me.id, me.email, me.display_name], [user.id, account.email, account.name])
      const [update, login] = (await allActions(server.database)).slice(-2)
      assert.deepEqual(JSON.parse(update?.details ?? ''), {
        email,
        before: { idp_subject: null },
        after: { idp_subject: account.sub },
      })
      for (const record of [update, login])
        assert.deepEqual([record?.actor_user_id, record?.resource_id, record?.auth_method], [user.id, user.id, 'idp'])
      assert.equal(claimsOf(access_token).oid, account.sub)
      assert.equal(await both.me(earlier), 401, 'earlier sessions have ended')
      await server.records([{ action: 'login' }], () => both.tokensOf(account))
    })
    // From now on it is an account like any other that is linked.
    await server.records([{ action: 'login' }], () => both.tokensOf({ ...account, email_verified: false }))
    await server.login(email, 'a password of mine')
  })

  it('links it to whoever the provider confirms first, and to nobody else', async () => {
    const { server } = both
    const { account, user } = await withAccount()
    await both.withSettings(linkByEmail, async () => {
      await both.tokensOf(account)
      const other = person({ email: account.email, email_verified: true })
      await both.refused('user_not_provisioned', async () => both.finish(await both.returning(other)))
      await both.withSettings(autoCreate, () =>
        both.refused('email_in_use', async () => both.finish(await both.returning(other))),
      )
      assert.equal(await subjectOf(user.id), account.sub)
      // Nor to one who has an account, and whose address has become that of another account.
      const { account: second, user: unlinked } = await withAccount()
      await both.tokensOf({ ...account, email: second.email, email_verified: true })
      assert.deepEqual([await subjectOf(unlinked.id), await subjectOf(user.id)], [null, account.sub])
      assert.equal((await server.admin.getUser({ params: { id: user.id } })).email, account.email)
    })
  })

  itOnce('a link ends the invitation of the account', async () => {
    const { server } = both
    const account = person({ email_verified: true })
    const { invitation, id } = await server.admin.createUser({
      body: { email: account.email ?? '', display_name: 'Invited', invite: true },
    })
    const token = invitation?.url.split('#')[1] ?? ''
    server.secrets.add(token)
    await server.as().readInvitation({ body: { token } })
    await both.withSettings(linkByEmail, () => both.tokensOf(account))
    await rejectsWith(server.as().readInvitation({ body: { token } }), 'gone')
    assert.equal((await server.admin.getUser({ params: { id } })).invitation_expires_at, null)
  })

  itOnce('links no account unless the address is confirmed and the setting is on', async () => {
    const unconfirmed = [undefined, false, 'false', 'TRUE', 'yes', '1', '', 1, {}, ['true']].map((email_verified) =>
      email_verified === undefined ? {} : { email_verified },
    )
    for (const claims of unconfirmed) {
      const { account, user } = await withAccount(claims)
      await both.withSettings({ idp: linkByEmail.idp, ...autoCreate }, () =>
        both.refused('email_in_use', async () => both.finish(await both.returning(account))),
      )
      assert.equal(await subjectOf(user.id), null, JSON.stringify(claims))
    }
    const { account, user } = await withAccount()
    await both.withSettings(autoCreate, () =>
      both.refused('email_in_use', async () => both.finish(await both.returning(account))),
    )
    await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
    // A user name is not what was confirmed.
    const { email, ...rest } = account
    await both.withSettings({ idp: linkByEmail.idp, ...autoCreate }, () =>
      both.refused('email_in_use', async () =>
        both.finish(await both.returning({ ...rest, preferred_username: email })),
      ),
    )
    assert.equal(await subjectOf(user.id), null)
  })

  itOnce('links no account that is disabled or linked, and none of another issuer', async () => {
    const { server } = both
    await both.withSettings({ idp: linkByEmail.idp, ...autoCreate }, async () => {
      const disabled = await withAccount()
      await server.admin.updateUser({ params: { id: disabled.user.id }, body: { is_active: false } })
      const linked = await withAccount()
      await server.admin.updateUser({ params: { id: linked.user.id }, body: { idp_subject: 'someone else' } })
      const elsewhere = await withAccount()
      await server.database.transaction((tx) =>
        tx
          .updateTable('users')
          .set({ idp_issuer: 'https://another.example', idp_subject: elsewhere.account.sub })
          .where('id', '=', elsewhere.user.id)
          .execute(),
      )
      for (const { account, user } of [disabled, linked, elsewhere]) {
        const before = await subjectOf(user.id)
        await both.refused('email_in_use', async () => both.finish(await both.returning(account)))
        assert.equal(await subjectOf(user.id), before)
      }
      // An administrator who unlinks an account lets the next confirmed login have it.
      await server.admin.updateUser({ params: { id: linked.user.id }, body: { idp_subject: null } })
      await both.tokensOf(linked.account)
      assert.equal(await subjectOf(linked.user.id), linked.account.sub)
    })
  })

  it('links an account once, to one of those who log in at the same time', async () => {
    const { server } = both
    await both.withSettings(linkByEmail, async () => {
      for (let round = 0; round < 4; round++) {
        const { account, user } = await withAccount()
        const rivals = [account, account, person({ email: account.email, email_verified: true })]
        const flows = await Promise.all(rivals.map((one) => both.returning(one)))
        const before = (await allActions(server.database)).length
        const statuses = (await Promise.all(flows.map((flow) => both.finish(flow)))).map(({ status }) => status)
        const subject = await subjectOf(user.id)
        assert.deepEqual(statuses, subject === account.sub ? [200, 200, 403] : [403, 403, 200])
        const updates = (await allActions(server.database))
          .slice(before)
          .filter(({ action }) => action === 'user_update')
        assert.equal(updates.length, 1)
      }
    })
  })

  it('does not link an account that is disabled at the same time', async () => {
    const { server } = both
    await both.withSettings(linkByEmail, async () => {
      for (let round = 0; round < 4; round++) {
        const { account, user } = await withAccount()
        const flow = await both.returning(account)
        const [answer] = await Promise.all([
          both.finish(flow),
          server.admin.updateUser({ params: { id: user.id }, body: { is_active: false } }),
        ])
        assert.ok(answer.status === 200 || answer.status === 403, `${answer.status}`)
        assert.equal(await subjectOf(user.id), answer.status === 200 ? account.sub : null)
        if (answer.status === 200) assert.equal(await both.me(answer.json<Tokens & object>().access_token), 401)
      }
    })
  })

  itOnce('the same subject of another issuer is another person', async () => {
    const { server } = both
    const account = person()
    await both.withSettings(autoCreate, () => both.tokensOf(account))
    const { id = '' } = (await both.userOf(account)) ?? {}
    await server.database.transaction((tx) =>
      tx.updateTable('users').set({ idp_issuer: 'https://another.example' }).where('id', '=', id).execute(),
    )
    await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
  })

  it('creates accounts only if that is allowed, without any permissions', async () => {
    const { server } = both
    const account = person({ groups: ['admins'], name: '  Kim ' })
    await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
    await server.admin.createBucket({ body: { name: 'private' } })
    const { access_token } = await both.withSettings(autoCreate, () =>
      server.records([{ action: 'user_create' }, { action: 'login' }], () => both.tokensOf(account)),
    )
    const user = await both.userOf(account)
    assert.deepEqual(
      [user?.email, user?.display_name, user?.groups, user?.is_admin, user?.has_password],
      [account.email, 'Kim', [], false, false],
    )
    const kim = server.as(access_token)
    assert.deepEqual((await kim.listBuckets()).items, [])
    await rejectsWith(kim.browse({ params: { bucket: 'private' } }), 'forbidden')
    await rejectsWith(kim.createBucket({ body: { name: 'mine' } }), 'forbidden')
    await rejectsWith(kim.listUsers(), 'forbidden')
    await server.records([{ action: 'login' }], () => both.tokensOf(account))
    await rejectsWith(
      server.as().login({ body: { username: account.email ?? '', password: 'anything' } }),
      'invalid_grant',
    )
  })

  it('each login updates the name and, if it is free, the address, but no groups', async () => {
    const { server } = both
    const account = person({ groups: ['anything'] })
    await both.withSettings(autoCreate, () => both.tokensOf(account))
    const { id = '' } = (await both.userOf(account)) ?? {}
    const group = await server.admin.createGroup({ body: { name: 'Kept' } })
    await server.admin.updateUser({ params: { id }, body: { group_ids: [group.id] } })
    const get = () => server.admin.getUser({ params: { id } })

    await both.tokensOf({ ...account, name: 'New Name', email: 'new.address@example.com', groups: [] })
    const after = await get()
    assert.deepEqual(
      [after.display_name, after.email, after.groups.map(({ name }) => name)],
      ['New Name', 'new.address@example.com', ['Kept']],
    )
    assert.equal(after.last_login_at, server.clock.now().toISOString())
    assert.deepEqual(
      (await server.admin.listUsers({ query: { q: 'new.address' } })).items.map((one) => one.id),
      [id],
      'searches find it',
    )
    await both.tokensOf({ ...account, name: 'Newer Name', email: ADMIN.email.toUpperCase() })
    assert.deepEqual([(await get()).display_name, (await get()).email], ['Newer Name', 'new.address@example.com'])
    const { email: _email, name: _name, ...bare } = account
    await both.tokensOf(bare)
    assert.deepEqual([(await get()).display_name, (await get()).email], ['Newer Name', 'new.address@example.com'])
  })

  itOnce('refuses the disabled', async () => {
    const { server } = both
    const account = person()
    const { access_token } = await both.withSettings(autoCreate, () => both.tokensOf(account))
    const { id = '' } = (await both.userOf(account)) ?? {}
    await server.admin.updateUser({ params: { id }, body: { is_active: false } })
    assert.equal(await both.me(access_token), 401)
    await both.refused('forbidden', async () => both.finish(await both.returning(account)))
    const record = (await allActions(server.database)).at(-1)
    assert.deepEqual([record?.resource_id, JSON.parse(record?.details ?? '').email], [id, account.email])
    await server.admin.updateUser({ params: { id }, body: { is_active: true } })
    assert.equal(await both.me((await both.tokensOf(account)).access_token), 200)
  })

  itOnce('without an email, a user name that is an address is used', async () => {
    await both.withSettings(autoCreate, async () => {
      const { email: _email, name: _name, ...bare } = person()
      await both.refused('user_not_provisioned', async () => both.finish(await both.returning(bare)))
      const named = { ...bare, preferred_username: 'not-an-address' }
      await both.refused('user_not_provisioned', async () => both.finish(await both.returning(named)))
      const account = { ...bare, preferred_username: `${bare.sub}@corp.example.com` }
      await both.tokensOf(account)
      const user = await both.userOf(account)
      assert.deepEqual([user?.email, user?.display_name], [account.preferred_username, account.preferred_username])
    })
  })

  it('two first logins of one person at once make one account', async () => {
    const { server } = both
    await both.withSettings(autoCreate, async () => {
      for (let round = 0; round < 5; round++) {
        const account = person()
        const users = await countOf(server.database, 'users')
        const flows = [await both.returning(account), await both.returning(account), await both.returning(account)]
        const answers = await Promise.all(flows.map((flow) => both.finish(flow)))
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200],
        )
        assert.equal(await countOf(server.database, 'users'), users + 1)
      }
    })
  })

  it('names and addresses that no database can store break nothing', async () => {
    await both.withSettings(autoCreate, async () => {
      const account = person({ name: `${'x'.repeat(199)}😀 and more` })
      await both.tokensOf(account)
      assert.ok((await both.userOf(account))?.display_name.isWellFormed())
    })
  })

  it('a NUL in a claim is no error of ours', async () => {
    await both.withSettings(autoCreate, async () => {
      for (const claims of [{ name: 'a\0b' }, { email: 'a\0b@example.com' }, { sub: 'a\0b' }]) {
        const answer = await both.login(person(claims))
        assert.notEqual(answer.status, 500, JSON.stringify(claims))
      }
    })
  })

  it('tokens contain the subject, and end when it is no longer the user’s', async () => {
    const { server } = both
    const account = person()
    const first = await both.withSettings(autoCreate, () => both.tokensOf(account))
    assert.equal(claimsOf(first.access_token).oid, account.sub)
    const refreshed = (await both.post('refresh', { refresh_token: first.refresh_token })).json<Tokens & object>()
    assert.equal(claimsOf(refreshed.access_token).oid, account.sub)
    assert.equal(await both.me(refreshed.access_token), 200)
    const { id = '' } = (await both.userOf(account)) ?? {}
    // By hand, so that the subject alone is what differs.
    for (const idp_subject of ['somebody else', null]) {
      const tokens = await both.tokensOf(account)
      const set = (subject: string | null) =>
        server.database.transaction((tx) =>
          tx.updateTable('users').set({ idp_subject: subject }).where('id', '=', id).execute(),
        )
      await set(idp_subject)
      assert.equal(await both.me(tokens.access_token), 401)
      assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 401)
      await set(account.sub)
    }
    for (const idp_subject of ['somebody else', null]) {
      const tokens = await both.tokensOf(account)
      await server.records([{ action: 'user_update' }], () =>
        server.admin.updateUser({ params: { id }, body: { idp_subject } }),
      )
      assert.equal(await both.me(tokens.access_token), 401)
      assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 401)
      await both.refused('user_not_provisioned', async () => both.finish(await both.returning(account)))
      await server.admin.updateUser({ params: { id }, body: { idp_subject: account.sub } })
      assert.equal(await both.me(tokens.access_token), 401, 'a new tie does not bring old sessions back')
    }
  })

  itOnce('a key that the provider changes is known at the next login', async () => {
    const { idp } = both
    const account = person()
    await both.withSettings(autoCreate, () => both.tokensOf(account))
    for (let round = 0; round < 2; round++) {
      const begun = await both.returning(account)
      const old = idp.key
      idp.rotateKeys()
      assert.equal((await both.finish(begun)).status, 200, 'the key changed between the two halves')
      await both.tokensOf(account)
      const late = await both.returning(account)
      await both.refused('idp_rejected', () =>
        both.tampering(
          async (answer) => ({ ...answer, id_token: await idp.sign(claimsOf(answer.id_token), old) }),
          () => both.finish(late),
        ),
      )
    }
  })

  it('when turned off, no login starts or finishes and no token is refreshed; issued tokens run out', async () => {
    const { server } = both
    const account = person()
    const tokens = await both.withSettings(autoCreate, () => both.tokensOf(account))
    const pat = (await server.as(tokens.access_token).createToken({ body: { name: 'mine' } })).token
    const begun = await both.returning(account)
    await both.withSettings({ auth: { enable_idp: false } }, async () => {
      await assertSignIn(server)
      await server.records([], () => rejectsWith(server.as().idpLogin(), 'login_disabled'))
      await both.refused('login_disabled', () => both.finish(begun))
      const refreshed = await both.post('refresh', { refresh_token: tokens.refresh_token })
      assert.deepEqual([refreshed.status, refreshed.json().code], [403, 'login_disabled'])
      for (const token of [tokens.access_token, pat]) assert.equal(await both.me(token), 200)
      await server.later(30 * MINUTE)
      assert.deepEqual([await both.me(tokens.access_token), await both.me(pat)], [401, 200])
    })
    assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 200)
    await both.tokensOf(account)
  })

  itOnce('logging out ends the session', async () => {
    const { server } = both
    const tokens = await both.withSettings(autoCreate, () => both.tokensOf(person()))
    await server.records([{ action: 'logout' }], () => server.as(tokens.access_token).logout())
    assert.equal(await both.me(tokens.access_token), 401)
    assert.equal((await both.post('refresh', { refresh_token: tokens.refresh_token })).status, 401)
  })

  itOnce('accepts a form_post response, which a browser completes with a GET', async () => {
    const { server } = both
    const account = person()
    const send = (url: URL, headers: OutgoingHttpHeaders) =>
      request({
        url: server.url,
        path: url.pathname,
        method: 'POST',
        body: url.searchParams.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example', ...headers },
      })
    await both.withSettings(autoCreate, async () => {
      await server.records([{ action: 'user_create' }, { action: 'login' }], async () => {
        const { url, cookie } = await both.returning(account)
        assert.equal((await send(url, { cookie })).status, 200)
      })
      const { url, cookie } = await both.returning(account, '?return_to=/console/')
      url.searchParams.set('session_state', 'a&b=c%d')
      const sent = await server.records([], () => send(url, html))
      assert.equal(sent.status, 303)
      const location = new URL(sent.headers.location ?? '')
      assert.equal(location.origin + location.pathname, `${server.env.PUBLIC_BASE_URL}/api/v1/auth/callback`)
      assert.deepEqual(Object.fromEntries(location.searchParams), Object.fromEntries(url.searchParams))
      const arrived = await both.finish({ url: location, cookie }, html)
      assert.match(arrived.headers.location ?? '', /^\/console\/#code=/)
      await both.refused('invalid_state', async () => send((await both.returning(account)).url, {}))
      const denied = await both.returning(null)
      await both.refused('idp_rejected', () => send(denied.url, { cookie: denied.cookie }))
    })
  })

  it('maps groups of the provider to ours at each login and leaves others alone', async () => {
    const { server } = both
    const [eng, ops, manual] = await Promise.all(
      ['Engineering', 'Operations', 'By hand'].map((name) => server.admin.createGroup({ body: { name } })),
    )
    assert.ok(eng && ops && manual)
    const account = person()
    const { id = '' } = await both.withSettings(autoCreate, async (): Promise<{ id?: string | undefined }> => {
      await both.tokensOf(account)
      return (await both.userOf(account)) ?? { id: undefined }
    })
    await server.admin.updateUser({ params: { id }, body: { group_ids: [manual.id, ops.id] } })
    const group_mapping = [
      { value: 'eng', group_id: eng.id },
      { value: 'engineers', group_id: eng.id },
      { value: 'ops', group_id: ops.id },
    ]
    const after = async (groups: unknown, changes: number) => {
      const updates = Array.from({ length: changes }, () => ({ action: 'group_update' as const }))
      await server.records([...updates, { action: 'login' }], () => both.tokensOf({ ...account, groups }))
      return (await server.admin.getUser({ params: { id } })).groups.map(({ name }) => name).sort()
    }
    await rejectsWith(
      server.admin.updateSettings({ body: { idp: { group_mapping: [{ value: 'x', group_id: id }] } } }),
      'invalid_request',
      'body.idp.group_mapping.0.group_id',
    )
    await both.withSettings({ idp: { group_mapping } }, async () => {
      assert.deepEqual(await after(['eng'], 0), ['By hand', 'Operations'], 'no claim is named')
    })
    await both.withSettings({ idp: { groups_claim: 'groups', group_mapping } }, async () => {
      assert.deepEqual(await after(['eng', 'unknown'], 2), ['By hand', 'Engineering'])
      assert.deepEqual(await after(['engineers', 'eng'], 0), ['By hand', 'Engineering'])
      assert.deepEqual(await after(['engineers', 'ops'], 1), ['By hand', 'Engineering', 'Operations'])
      assert.deepEqual(await after('ops', 1), ['By hand', 'Operations'], 'one as a text')
      assert.deepEqual(await after([], 1), ['By hand'])
      assert.deepEqual(await after(['OPS', 7, null, { ops: 1 }], 0), ['By hand'])
      assert.deepEqual(await after(['ops'], 1), ['By hand', 'Operations'])
      assert.deepEqual(await after(undefined, 0), ['By hand', 'Operations'], 'no claim says nothing of groups')

      const fresh = person({ groups: ['eng'] })
      await both.withSettings(autoCreate, async () => {
        await server.records([{ action: 'user_create' }, { action: 'group_update' }, { action: 'login' }], () =>
          both.tokensOf(fresh),
        )
        const record = (await allActions(server.database)).at(-2)
        assert.deepEqual(
          [record?.action, record?.actor_email, record?.auth_method],
          ['group_update', fresh.email, 'idp'],
        )
      })
      assert.deepEqual((await both.userOf(fresh))?.groups, [{ id: eng.id, name: 'Engineering' }])

      await server.admin.deleteGroup({ params: { id: eng.id }, query: { force: true } })
      assert.deepEqual(
        (await server.admin.getSettings()).idp.group_mapping.map(({ value }) => value),
        ['ops'],
      )
      assert.deepEqual(await after(['eng', 'ops'], 0), ['By hand', 'Operations'])
    })
  })

  itOnce('asks userinfo for what the id_token lacks, about the same subject alone', async () => {
    const { server, idp } = both
    const group = await server.admin.createGroup({ body: { name: 'By userinfo' } })
    const groups = { groups_claim: 'groups', group_mapping: [{ value: 'eng', group_id: group.id }] }
    const told = () => idp.requests.filter((path) => path.startsWith('/me')).length
    const kept = ['iss', 'aud', 'sub', 'nonce', 'exp', 'iat']
    /** An id_token with these claims alone, as providers send them that follow OpenID Connect to the letter. */
    const only = async (names: readonly string[], work: () => Promise<unknown>) => {
      idp.tamper = async (answer) => {
        const claims = Object.entries(claimsOf(answer.id_token)).filter(([name]) => names.includes(name))
        return { ...answer, id_token: await idp.sign(Object.fromEntries(claims)) }
      }
      try {
        return await work()
      } finally {
        idp.tamper = undefined
      }
    }
    await both.withSettings({ idp: { ...linkByEmail.idp, ...groups }, ...autoCreate }, async () => {
      const account = person({ groups: ['eng'] })
      const before = told()
      await only(kept, () => both.tokensOf(account))
      const made = await both.userOf(account)
      assert.deepEqual(
        [made?.email, made?.display_name, made?.groups],
        [account.email, account.name, [{ id: group.id, name: group.name }]],
      )
      const asked = told()
      assert.equal(asked, before + 1)
      // Without groups anywhere, or with all in the id_token, nothing changes, and with all nobody asks.
      await only(kept, () => both.tokensOf({ ...account, groups: undefined }))
      assert.equal((await both.userOf(account))?.groups.length, 1)
      await both.tokensOf({ ...account, email_verified: true, groups: ['eng'] })
      assert.equal(told(), asked + 1, 'all was there')

      // An address is as confirmed as whoever says so says of it.
      const { account: confirmed, user } = await withAccount({ email_verified: 'true' })
      await only([...kept, 'email', 'name', 'groups'], () => both.tokensOf(confirmed))
      assert.equal(await subjectOf(user.id), confirmed.sub)
      const { account: other, user: victim } = await withAccount({ email_verified: true })
      idp.tamper = async (answer) => ({
        ...answer,
        id_token: await idp.sign({ ...claimsOf(answer.id_token), email: other.email, email_verified: undefined }),
      })
      await both.refused('email_in_use', async () =>
        both.finish(await both.returning({ ...other, email: 'elsewhere@example.com' })),
      )
      idp.tamper = undefined
      assert.equal(await subjectOf(victim.id), null)

      idp.faults.set('me', (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ sub: 'somebody else', groups: ['eng'] })),
      )
      await only(kept, () => both.refused('idp_rejected', async () => both.finish(await both.returning(person()))))
      idp.faults.clear()
    })
    await both.withSettings({ idp: { scope: 'openid email' } }, async () => {
      const { authUrl } = await both.begin()
      assert.equal(new URL(authUrl).searchParams.get('scope'), 'openid email')
    })
    for (const scope of ['email', 'openid  email', 'openid\nemail', 'openid "x"'])
      await rejectsWith(server.admin.updateSettings({ body: { idp: { scope } } }), 'invalid_request', 'body.idp.scope')
  })

  itOnce('lists the available login methods, and what the provider reports about itself', async () => {
    const { server, idp } = both
    await assertSignIn(server, { idp_name: '127.0.0.1' })
    await both.withSettings({ idp: { name: 'Acme SSO' } }, async () =>
      assert.equal((await server.as().authConfig()).idp_name, 'Acme SSO'),
    )
    const told = await server.records([], () => server.admin.testIdp())
    assert.deepEqual(told, {
      issuer: idp.issuer,
      authorization_endpoint: `${idp.issuer}/auth`,
      redirect_uri: `${server.env.PUBLIC_BASE_URL}/api/v1/auth/callback`,
    })
    const { fixed } = await server.admin.getSettings()
    assert.deepEqual(fixed, {
      'idp.issuer_url': 'IDP_ISSUER_URL',
      'idp.client_id': 'IDP_CLIENT_ID',
      'idp.client_secret': 'IDP_CLIENT_SECRET',
    })
    await rejectsWith(
      server.admin.updateSettings({ body: { idp: { issuer_url: 'https://evil.example' } } }),
      'conflict',
      'body.idp.issuer_url',
    )
  })

  it('keeps every code, token and secret out of the database, the audit log and the log', async () => {
    const { server, idp } = both
    assert.ok(idp.secrets.length > 100)
    const text = (await dump(server.database)) + JSON.stringify(await allActions(server.database)) + server.logged()
    for (const secret of [...idp.secrets, IDP_CLIENT.secret, JSON.stringify(IDP_CLIENT.secret).slice(1, -1)]) {
      const at = text.indexOf(secret)
      assert.equal(at, -1, text.slice(Math.max(0, at - 500), at + 200))
    }
    assert.doesNotMatch(text, /svc_oidc=|code_verifier=|client_secret=/)
  })
})
