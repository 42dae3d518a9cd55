import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'

describeEngines('users and groups', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  it('the first start makes one administrator in the built-in group', async () => {
    const { items } = await server.admin.listUsers()
    assert.deepEqual(
      items.map(({ email, is_admin, is_active, groups }) => [
        email,
        is_admin,
        is_active,
        groups.map(({ name }) => name),
      ]),
      [[ADMIN.email, true, true, ['Administrators']]],
    )
    const groups = (await server.admin.listGroups()).items
    assert.deepEqual(
      groups.map(({ name, builtin, global, member_count }) => [name, builtin, global, member_count]),
      [
        ['Administrators', true, ['admin'], 1],
        ['Public', true, [], 0],
      ],
    )
  })

  it('everyone chooses the language of their own account, and nobody another’s', async () => {
    const { admin } = server
    const password = 'a password for a language'
    server.secrets.add(password)
    const { id, email } = await admin.createUser({
      body: { email: 'ines@example.com', display_name: 'Inés', password },
    })
    const ines = server.as(await server.login(email, password))
    assert.equal((await ines.me()).language, null)
    const chosen = await server.records([{ action: 'user_update' }], () => ines.updateMe({ body: { language: 'es' } }))
    assert.deepEqual([chosen.id, chosen.language], [id, 'es'])
    const { items } = await admin.listAudit({ query: { action: ['user_update'], page_size: 1 } })
    assert.deepEqual(items[0]?.details, { email, before: { language: null }, after: { language: 'es' } })
    await server.records([], () => ines.updateMe({ body: { language: 'es' } }))
    const refused = (body: object, path: string) =>
      rejectsWith(ines.updateMe({ body: body as { language: null } }), 'invalid_request', path)
    await server.records([], async () => {
      await refused({ language: 'tlh' }, 'body.language')
      await refused({ language: 'es', is_active: false }, 'body.is_active')
      await refused({}, 'body.language')
    })
    const again = server.as(await server.login(email, password))
    assert.equal((await again.me()).language, 'es')
    assert.equal((await admin.me()).language, null)
    await server.records([{ action: 'user_update' }], () => again.updateMe({ body: { language: null } }))
    assert.equal((await ines.me()).language, null)
    await admin.deleteUser({ params: { id } })
  })

  it('creates users and groups, and puts one into the other', async () => {
    const { admin } = server
    const group = await server.records([{ action: 'group_create' }], () =>
      admin.createGroup({
        body: {
          name: 'Editors',
          grants: [{ bucket_pattern: 'photos-*', prefix: '2026/', actions: ['list', 'write'] }],
        },
      }),
    )
    assert.deepEqual(
      group.grants.map(({ id: _id, ...grant }) => grant),
      [{ bucket_pattern: 'photos-*', prefix: '2026/', actions: ['list', 'write'], preset: 'uploader' }],
    )
    const user = await server.records([{ action: 'user_create' }], () =>
      admin.createUser({
        body: { email: 'Kim@Example.com', display_name: 'Kim', password: 'a long password', group_ids: [group.id] },
      }),
    )
    assert.deepEqual([user.is_admin, user.groups], [false, [{ id: group.id, name: 'Editors' }]])
    const other = await admin.createUser({ body: { email: 'lee@example.com', display_name: 'Lee' } })
    const grown = await server.records([{ action: 'group_update' }], () =>
      admin.addMembers({ params: { id: group.id }, body: { user_ids: [other.id, user.id] } }),
    )
    assert.equal(grown.member_count, 2)
    await rejectsWith(
      server.as().login({ body: { username: 'lee@example.com', password: 'anything' } }),
      'invalid_grant',
    )
    const token = await server.login('kim@example.com', 'a long password')
    assert.deepEqual((await server.as(token).me()).groups, [{ id: group.id, name: 'Editors' }])
    const page = await admin.listUsers({ query: { limit: 2 } })
    const rest = await admin.listUsers({ query: { limit: 2, cursor: page.next_cursor ?? '' } })
    assert.deepEqual(
      [...page.items, ...rest.items].map(({ email }) => email),
      [ADMIN.email, 'Kim@Example.com', 'lee@example.com'],
    )
  })

  it('permission changes take effect on a session’s next request', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'later' } })
    const group = await admin.createGroup({
      body: { name: 'Later', grants: [{ bucket_pattern: 'later', actions: ['list'] }] },
    })
    const user = await admin.createUser({
      body: { email: 'mo@example.com', display_name: 'Mo', password: 'a long password' },
    })
    const mo = server.as(await server.login('mo@example.com', 'a long password'))
    assert.deepEqual((await mo.listBuckets()).items, [], 'without a grant there is no bucket')
    await rejectsWith(mo.browse({ params: { bucket: 'later' } }), 'forbidden')
    await admin.addMembers({ params: { id: group.id }, body: { user_ids: [user.id] } })
    await mo.browse({ params: { bucket: 'later' } })
    assert.deepEqual(
      (await mo.listBuckets()).items.map(({ name }) => name),
      ['later'],
    )
  })

  itOnce('rejects existing, unknown and invalid values, and changes nothing', async () => {
    const { admin } = server
    const group = await admin.createGroup({ body: { name: 'Taken' } })
    await server.records([], async () => {
      await rejectsWith(admin.createUser({ body: { email: 'KIM@example.COM', display_name: 'K' } }), 'already_exists')
      await rejectsWith(admin.createGroup({ body: { name: ' taken ' } }), 'already_exists')
      const unknown = newId()
      await rejectsWith(
        admin.createUser({ body: { email: 'new@example.com', display_name: 'N', group_ids: [group.id, unknown] } }),
        'invalid_request',
        'body.group_ids.1',
      )
      await rejectsWith(
        admin.addMembers({ params: { id: group.id }, body: { user_ids: [unknown] } }),
        'invalid_request',
        'body.user_ids.0',
      )
      await rejectsWith(admin.addMembers({ params: { id: unknown }, body: { user_ids: [unknown] } }), 'not_found')
      for (const bucket_pattern of ['', 'A', 'a?b', '****', 'x'.repeat(64)])
        await rejectsWith(
          admin.createGroup({ body: { name: 'Readers', grants: [{ bucket_pattern, actions: ['list'] }] } }),
          'invalid_request',
          'body.grants.0.bucket_pattern',
        )
      await rejectsWith(
        admin.createGroup({ body: { name: 'Readers', grants: [{ bucket_pattern: '*', actions: ['fly' as 'list'] }] } }),
        'invalid_request',
        'body.grants.0.actions.0',
      )
      for (const email of ['no-at', 'a b@c', ''])
        await rejectsWith(admin.createUser({ body: { email, display_name: 'N' } }), 'invalid_request', 'body.email')
    })
    assert.equal(
      (await admin.listUsers()).items.some(({ email }) => email === 'new@example.com'),
      false,
    )
  })

  itOnce('is for administrators and those who manage users', async () => {
    const someone = server.as(await server.userWith({ bucket_pattern: '*', actions: ['manage', 'create'] }))
    for (const call of [
      () => someone.listUsers(),
      () => someone.listGroups(),
      () => someone.createGroup({ body: { name: 'Mine' } }),
    ]) {
      await server.records([{ action: 'access_denied', result: 'denied' }], () => rejectsWith(call(), 'forbidden'))
      await rejectsWith(server.as().listUsers(), 'unauthenticated')
    }
  })

  let made = 0
  const person = async (...group_ids: string[]) => {
    const email = `made${++made}@example.com`
    const password = `secret of made ${made}`
    server.secrets.add(password)
    const { id } = await server.admin.createUser({
      body: { email, display_name: `Made ${made}`, password, group_ids },
    })
    return { id, email, password, token: await server.login(email, password) }
  }
  const group = (name: string, body: Partial<Parameters<typeof server.admin.createGroup>[0]['body']> = {}) =>
    server.admin.createGroup({ body: { name: `${name} ${++made}`, ...body } })
  const changes = async () => JSON.parse((await allActions(server.database)).at(-1)?.details ?? '{}')

  it('changes users and says in the audit log what was before and after', async () => {
    const { admin } = server
    const first = await group('First')
    const second = await group('Second')
    const kim = await person(first.id)
    const user = await server.records([{ action: 'user_update' }], () =>
      admin.updateUser({
        params: { id: kim.id },
        body: { display_name: ' Kim Possible ', email: 'Kim.Possible@Example.com', group_ids: [second.id] },
      }),
    )
    assert.deepEqual(
      [user.display_name, user.email, user.groups.map(({ id }) => id)],
      ['Kim Possible', 'Kim.Possible@Example.com', [second.id]],
    )
    assert.deepEqual(await changes(), {
      email: kim.email,
      before: {
        email: kim.email,
        display_name: user.display_name.replace('Kim Possible', `Made ${made}`),
        group_ids: [first.id],
      },
      after: { email: 'Kim.Possible@Example.com', display_name: 'Kim Possible', group_ids: [second.id] },
    })
    assert.deepEqual(await admin.getUser({ params: { id: kim.id } }), user)
    assert.equal((await server.as(kim.token).me()).display_name, 'Kim Possible', 'their session goes on')
    await server.login('KIM.possible@example.com', kim.password)
    await server.records([], async () => {
      await rejectsWith(admin.updateUser({ params: { id: kim.id }, body: { email: ADMIN.email } }), 'already_exists')
      await rejectsWith(admin.updateUser({ params: { id: newId() }, body: { display_name: 'X' } }), 'not_found')
      await rejectsWith(admin.updateUser({ params: { id: kim.id }, body: {} }), 'invalid_request')
      await rejectsWith(
        admin.updateUser({ params: { id: kim.id }, body: { is_admin: true } as object }),
        'invalid_request',
        'body.is_admin',
      )
      await rejectsWith(
        admin.updateUser({ params: { id: kim.id }, body: { group_ids: [newId()] } }),
        'invalid_request',
        'body.group_ids.0',
      )
      await rejectsWith(admin.updateUser({ params: { id: kim.id }, body: { idp_subject: 'x' } }), 'conflict')
    })
  })

  it('finds users by part of the address or the name, in a group, active or not', async () => {
    const { admin } = server
    const crowd = await group('Crowd')
    const ids: string[] = []
    for (const [email, display_name] of [
      ['ABBA_1%@example.com', 'Ölaf Ström'],
      ['abba22@example.com', 'Ⅳ Zoë'],
      ['abba33@example.com', 'Plain'],
    ] as const)
      ids.push((await admin.createUser({ body: { email, display_name, group_ids: [crowd.id] } })).id)
    await admin.updateUser({ params: { id: ids[2] ?? '' }, body: { is_active: false } })
    const found = async (query: NonNullable<Parameters<typeof admin.listUsers>[0]>['query']) =>
      (await admin.listUsers({ query: query ?? {} })).items.map(({ id }) => ids.indexOf(id)).sort()
    assert.deepEqual(await found({ q: 'abba' }), [0, 1, 2])
    assert.deepEqual(await found({ q: 'ölAF' }), [0])
    assert.deepEqual(await found({ q: 'iv zoË' }), [1])
    assert.deepEqual(await found({ q: '_1%' }), [0])
    assert.deepEqual(await found({ q: '%' }), [0])
    assert.deepEqual(await found({ group_id: crowd.id }), [0, 1, 2])
    assert.deepEqual(await found({ group_id: crowd.id, active: true }), [0, 1])
    assert.deepEqual(await found({ group_id: crowd.id, active: false }), [2])
    const page = await admin.listMembers({ params: { id: crowd.id }, query: { limit: 2 } })
    const rest = await admin.listMembers({
      params: { id: crowd.id },
      query: { limit: 2, cursor: page.next_cursor ?? '' },
    })
    assert.deepEqual([...page.items, ...rest.items].map(({ id }) => id).sort(), [...ids].sort())
    assert.equal(rest.next_cursor, null)
    await rejectsWith(admin.listMembers({ params: { id: newId() } }), 'not_found')
  })

  it('disabling, a new password and deleting end every session at once', async () => {
    const { admin } = server
    const kim = await person()
    const { refresh_token = '' } = await server.as().login({ body: { username: kim.email, password: kim.password } })
    await server.records([{ action: 'user_update' }], () =>
      admin.updateUser({ params: { id: kim.id }, body: { is_active: false } }),
    )
    await rejectsWith(server.as(kim.token).me(), 'unauthenticated')
    await rejectsWith(server.as().refresh({ body: { refresh_token } }), 'unauthenticated')
    await rejectsWith(server.login(kim.email, kim.password), 'invalid_grant')
    await admin.updateUser({ params: { id: kim.id }, body: { is_active: true } })
    await rejectsWith(server.as(kim.token).me(), 'unauthenticated')
    const again = await server.login(kim.email, kim.password)
    server.secrets.add('a new password of kim')
    await admin.updateUser({ params: { id: kim.id }, body: { password: 'a new password of kim' } })
    assert.deepEqual((await changes()).after, { password: 'changed' })
    await rejectsWith(server.as(again).me(), 'unauthenticated')
    await rejectsWith(server.login(kim.email, kim.password), 'invalid_grant')
    const third = await server.login(kim.email, 'a new password of kim')
    await admin.updateUser({ params: { id: kim.id }, body: { password: null } })
    await rejectsWith(server.as(third).me(), 'unauthenticated')
    assert.equal((await admin.getUser({ params: { id: kim.id } })).has_password, false)
    await rejectsWith(server.login(kim.email, 'a new password of kim'), 'invalid_grant')
    const lee = await person()
    await server.records([{ action: 'logout' }], () => admin.endUserSessions({ params: { id: lee.id } }))
    await rejectsWith(server.as(lee.token).me(), 'unauthenticated')
    const fresh = await server.login(lee.email, lee.password)
    await server.records([{ action: 'user_delete' }], () => admin.deleteUser({ params: { id: lee.id } }))
    await rejectsWith(server.as(fresh).me(), 'unauthenticated')
    await rejectsWith(server.login(lee.email, lee.password), 'invalid_grant')
    await rejectsWith(admin.getUser({ params: { id: lee.id } }), 'not_found')
    await rejectsWith(admin.deleteUser({ params: { id: lee.id } }), 'not_found')
    const trail = await admin.listAudit({ query: { user_id: lee.id } })
    assert.ok(trail.total > 0, 'what they did stays in the audit log')
    assert.ok(trail.items.every(({ actor }) => actor.email === lee.email))
  })

  it('changes groups: presets, grants that keep their ids, rights that act on the next request', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'grants-here' } })
    const team = await group('Team', { grants: [{ bucket_pattern: 'grants-*', preset: 'viewer' }] })
    assert.deepEqual([team.grants[0]?.actions, team.grants[0]?.preset], [['list', 'read'], 'viewer'])
    const kim = await person(team.id)
    const client = server.as(kim.token)
    const put = () => client.putObject({ params: { bucket: 'grants-here', key: 'a' }, body: 'x' })
    await rejectsWith(put(), 'forbidden')
    const changed = await server.records([{ action: 'group_update' }], () =>
      admin.updateGroup({
        params: { id: team.id },
        body: {
          name: 'Renamed',
          grants: [
            { bucket_pattern: 'grants-*', actions: ['list', 'read'] },
            { bucket_pattern: 'grants-*', prefix: 'a', actions: ['write'] },
          ],
        },
      }),
    )
    assert.equal(changed.grants.find(({ preset }) => preset === 'viewer')?.id, team.grants[0]?.id)
    const { before, after } = await changes()
    assert.deepEqual([before.name, after.name, before.grants.length, after.grants.length], [team.name, 'Renamed', 0, 1])
    assert.equal(after.description, undefined, 'what did not change is not told')
    await put()
    await admin.removeMembers({ params: { id: team.id }, body: { user_ids: [kim.id] } })
    await rejectsWith(put(), 'forbidden')
    assert.deepEqual((await client.listBuckets()).items, [])
    await rejectsWith(admin.deleteGroup({ params: { id: newId() } }), 'not_found')
    await admin.addMembers({ params: { id: team.id }, body: { user_ids: [kim.id] } })
    await server.records([], () => rejectsWith(admin.deleteGroup({ params: { id: team.id } }), 'not_empty'))
    await server.records([{ action: 'group_delete' }], () =>
      admin.deleteGroup({ params: { id: team.id }, query: { force: true } }),
    )
    await rejectsWith(put(), 'forbidden')
    for (const grant of [
      { bucket_pattern: '*' },
      { bucket_pattern: '*', preset: 'viewer', actions: ['list'] },
    ] as const)
      await rejectsWith(
        admin.createGroup({ body: { name: 'Both', grants: [{ ...grant } as { bucket_pattern: string }] } }),
        'invalid_request',
        'body.grants.0.actions',
      )
    const other = await group('Other')
    await rejectsWith(
      admin.updateGroup({ params: { id: other.id }, body: { name: 'administrators' } }),
      'already_exists',
    )
  })

  it('sets the members of a group', async () => {
    const { admin } = server
    const [a, b, c] = [await person(), await person(), await person()]
    const team = await group('Members')
    const ids = async () => (await admin.listMembers({ params: { id: team.id } })).items.map(({ id }) => id).sort()
    await admin.addMembers({ params: { id: team.id }, body: { user_ids: [a.id, b.id] } })
    const set = await server.records([{ action: 'group_update' }], () =>
      admin.replaceMembers({ params: { id: team.id }, body: { user_ids: [b.id, c.id] } }),
    )
    assert.equal(set.member_count, 2)
    assert.deepEqual((await changes()).after, { member_count: 2, added: [c.id], removed: [a.id] })
    assert.deepEqual(await ids(), [b.id, c.id].sort())
    await server.records([], () =>
      rejectsWith(
        admin.replaceMembers({ params: { id: team.id }, body: { user_ids: [newId()] } }),
        'invalid_request',
        'body.user_ids.0',
      ),
    )
    await admin.replaceMembers({ params: { id: team.id }, body: { user_ids: [] } })
    assert.deepEqual(await ids(), [])
  })

  it('the last administrator who can log in cannot be removed', async () => {
    const { admin } = server
    const me = await admin.me()
    const administrators = (await admin.listGroups()).items.find(({ builtin }) => builtin)?.id ?? ''
    const byId = { params: { id: me.id } }
    const inGroup = { params: { id: administrators } }
    await server.records([], async () => {
      await rejectsWith(admin.deleteUser(byId), 'last_admin')
      await rejectsWith(admin.updateUser({ ...byId, body: { is_active: false } }), 'last_admin')
      await rejectsWith(admin.updateUser({ ...byId, body: { group_ids: [] } }), 'last_admin')
      await rejectsWith(admin.updateUser({ ...byId, body: { password: null } }), 'last_admin')
      await rejectsWith(admin.removeMembers({ ...inGroup, body: { user_ids: [me.id] } }), 'last_admin')
      await rejectsWith(admin.replaceMembers({ ...inGroup, body: { user_ids: [] } }), 'last_admin')
      await rejectsWith(admin.updateGroup({ ...inGroup, body: { global: [] } }), 'conflict')
      await rejectsWith(admin.deleteGroup({ ...inGroup, query: { force: true } }), 'conflict')
      await rejectsWith(admin.updateSettings({ body: { auth: { enable_local: false } } }), 'last_admin')
    })
    const passwordless = await admin.createUser({
      body: { email: 'pl@example.com', display_name: 'P', group_ids: [administrators] },
    })
    await rejectsWith(admin.deleteUser(byId), 'last_admin')
    await admin.deleteUser({ params: { id: passwordless.id } })
    const others = await group('Other admins', { global: ['admin'] })
    const second = await person(others.id)
    assert.equal((await admin.getUser({ params: { id: second.id } })).is_admin, true)
    await admin.updateUser({ ...byId, body: { group_ids: [] } })
    const now = server.as(second.token)
    await rejectsWith(now.deleteGroup({ params: { id: others.id }, query: { force: true } }), 'last_admin')
    await rejectsWith(now.updateGroup({ params: { id: others.id }, body: { global: ['users.manage'] } }), 'last_admin')
    await now.updateUser({ ...byId, body: { group_ids: [administrators] } })
    await admin.updateGroup({ params: { id: others.id }, body: { global: [] } })
    await rejectsWith(now.listUsers(), 'forbidden')
    await rejectsWith(admin.updateUser({ ...byId, body: { password: 'x'.repeat(10) } }), 'conflict')
  })

  itOnce('user managers cannot exceed their own permissions', async () => {
    const { admin } = server
    const managers = await group('Managers', {
      global: ['users.manage'],
      grants: [{ bucket_pattern: 'team-*', prefix: 'a/', actions: ['list', 'read'] }],
    })
    const manager = await person(managers.id)
    const client = server.as(manager.token)
    const administrators = (await admin.listGroups()).items.find(({ builtin }) => builtin)?.id ?? ''
    const within = await group('Within', {
      grants: [{ bucket_pattern: 'team-x*', prefix: 'a/b/', actions: ['read'] }],
    })
    const beyond = [
      await group('Wider pattern', { grants: [{ bucket_pattern: 'tea*', prefix: 'a/', actions: ['read'] }] }),
      await group('Wider prefix', { grants: [{ bucket_pattern: 'team-*', actions: ['read'] }] }),
      await group('More actions', { grants: [{ bucket_pattern: 'team-*', prefix: 'a/', actions: ['write'] }] }),
      await group('Admins', { global: ['admin'] }),
    ]
    const owner = await person(beyond[1]?.id ?? '')
    const plain = await person(within.id)
    const boss = await person(administrators)
    const refused = async (call: Promise<unknown>) => void (await rejectsWith(call, 'forbidden'))

    const user = await client.createUser({
      body: { email: 'm1@example.com', display_name: 'M', group_ids: [within.id] },
    })
    await client.addMembers({ params: { id: within.id }, body: { user_ids: [manager.id, owner.id] } })
    await client.updateUser({ params: { id: plain.id }, body: { password: 'a fine password', display_name: 'Q' } })
    await client.updateUser({ params: { id: owner.id }, body: { is_active: false } })
    await client.updateUser({ params: { id: owner.id }, body: { is_active: true, group_ids: [within.id] } })
    await admin.updateUser({ params: { id: owner.id }, body: { group_ids: [beyond[1]?.id ?? ''] } })
    const made = await client.createGroup({ body: { name: 'Of the manager', description: 'without rights' } })
    await client.updateGroup({ params: { id: made.id }, body: { name: 'Still of the manager' } })

    const before = await admin.listGroups()
    for (const { id } of [...beyond, { id: administrators }]) {
      await refused(client.createUser({ body: { email: 'no@example.com', display_name: 'N', group_ids: [id] } }))
      await refused(client.addMembers({ params: { id }, body: { user_ids: [manager.id] } }))
      await refused(client.replaceMembers({ params: { id }, body: { user_ids: [manager.id] } }))
      await refused(client.updateUser({ params: { id: user.id }, body: { group_ids: [id] } }))
      await refused(client.updateUser({ params: { id: manager.id }, body: { group_ids: [managers.id, id] } }))
    }
    await refused(
      client.createGroup({ body: { name: 'Rich', grants: [{ bucket_pattern: 'team-*', preset: 'viewer' }] } }),
    )
    await refused(client.createGroup({ body: { name: 'Rich', global: ['users.manage'] } }))
    await refused(
      client.updateGroup({ params: { id: made.id }, body: { grants: [{ bucket_pattern: '*', preset: 'owner' }] } }),
    )
    await refused(client.updateGroup({ params: { id: managers.id }, body: { global: ['users.manage', 'admin'] } }))
    await refused(client.updateGroup({ params: { id: administrators }, body: { name: 'Mine' } }))
    await refused(client.removeMembers({ params: { id: administrators }, body: { user_ids: [boss.id] } }))
    await refused(client.deleteGroup({ params: { id: beyond[3]?.id ?? '' } }))
    for (const body of [{ display_name: 'X' }, { is_active: false }, { password: 'taken over' }, { group_ids: [] }])
      await refused(client.updateUser({ params: { id: boss.id }, body }))
    await refused(client.deleteUser({ params: { id: boss.id } }))
    await refused(client.endUserSessions({ params: { id: boss.id } }))
    for (const body of [{ password: 'taken over' }, { email: 'mine@example.com' }, { password: null }])
      await refused(client.updateUser({ params: { id: owner.id }, body }))
    await refused(client.updateUser({ params: { id: plain.id }, body: { idp_subject: null } }))
    await refused(client.getSettings())
    await refused(client.listAudit())
    await refused(client.listUserTokens({ params: { id: plain.id } }))
    assert.deepEqual(await admin.listGroups(), before, 'nothing changed')
    assert.equal((await server.as(boss.token).me()).is_admin, true)
  })

  itOnce('explains what is allowed, and through which grants', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'why-bucket' } })
    const one = await group('Reads', { grants: [{ bucket_pattern: 'why-*', prefix: 'docs/', preset: 'viewer' }] })
    const two = await group('Reads too', { grants: [{ bucket_pattern: '*', prefix: 'docs/a', actions: ['read'] }] })
    const kim = await person(one.id, two.id)
    const ask = (key: string, action: 'read' | 'write' = 'read', user_id?: string) =>
      server.as(kim.token).explainPermission({
        query: { action, bucket: 'why-bucket', key, ...(user_id ? { user_id } : {}) },
      })
    await server.records([], async () => {
      const both = await ask('docs/a.txt')
      assert.equal(both.allowed, true)
      assert.deepEqual(both.via.map(({ group: name, grant }) => [name, grant?.prefix]).sort(), [
        [one.name, 'docs/'],
        [two.name, 'docs/a'],
      ])
      assert.deepEqual(
        (await ask('docs/b')).via.map(({ grant }) => grant?.preset),
        ['viewer'],
      )
      const no = await ask('docs/a', 'write')
      assert.deepEqual([no.allowed, no.via], [false, []])
      assert.match(no.reason, /No group of the user grants "write" on key "docs\/a" of bucket "why-bucket"/)
    })
    const me = await admin.me()
    await rejectsWith(ask('docs/a', 'read', me.id), 'forbidden')
    const boss = await admin.explainPermission({ query: { action: 'manage', bucket: 'anything' } })
    assert.deepEqual([boss.allowed, boss.via.map(({ grant }) => grant)], [true, [null]])
    await admin.updateUser({ params: { id: kim.id }, body: { is_active: false } })
    const disabled = await admin.explainPermission({
      query: { user_id: kim.id, action: 'read', bucket: 'why-bucket', key: 'docs/a' },
    })
    assert.deepEqual([disabled.allowed, disabled.reason], [false, 'The user is disabled.'])
    await rejectsWith(
      admin.explainPermission({ query: { user_id: newId(), action: 'read', bucket: 'x' } }),
      'not_found',
    )
  })

  itOnce('says the same 403 whether or not a bucket exists, and shows no sibling of a granted prefix', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'hidden-one' } })
    const outsider = server.as((await person()).token)
    const details = new Set<string>()
    for (const name of ['hidden-one', 'hidden-two'])
      for (const call of [
        () => outsider.getBucket({ params: { bucket: name } }),
        () => outsider.browse({ params: { bucket: name } }),
        () => outsider.getObject({ params: { bucket: name, key: 'k' } }),
        () => outsider.deleteBucket({ params: { bucket: name } }),
      ])
        details.add((await rejectsWith(call(), 'forbidden')).problem.detail.replace(name, '…'))
    assert.equal(details.size, 3)
    for (const key of ['team/plans/a', 'team/private/b', 'team2/c', 'zebra'])
      await admin.putObject({ params: { bucket: 'hidden-one', key }, body: 'x' })
    const team = await group('Prefix', {
      grants: [{ bucket_pattern: 'hidden-one', prefix: 'team/plans/', preset: 'viewer' }],
    })
    const kim = server.as((await person(team.id)).token)
    const seen = async (prefix: string) => {
      const { common_prefixes, objects, total } = await kim.browse({
        params: { bucket: 'hidden-one' },
        query: { prefix },
      })
      return [...common_prefixes, ...objects.map(({ key }) => key), total]
    }
    assert.deepEqual(await seen(''), ['team/', 1])
    assert.deepEqual(await seen('team/'), ['team/plans/', 1])
    assert.deepEqual(await seen('team/plans/'), ['team/plans/a', 1])
    await rejectsWith(seen('team/private/'), 'forbidden')
    await rejectsWith(seen('team2/'), 'forbidden')
  })
})
