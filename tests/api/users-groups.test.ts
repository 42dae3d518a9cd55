import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { newId } from '../../server/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, describeEngines, startServer, type TestServer } from '../support/server.ts'

describeEngines('users and groups', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  it('R5, R8: the first start makes one administrator in the built-in group', async () => {
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
      [['Administrators', true, ['admin'], 1]],
    )
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

  it('rights act on the next request of a session that is open', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'later' } })
    const group = await admin.createGroup({
      body: { name: 'Later', grants: [{ bucket_pattern: 'later', actions: ['list'] }] },
    })
    const user = await admin.createUser({
      body: { email: 'mo@example.com', display_name: 'Mo', password: 'a long password' },
    })
    const mo = server.as(await server.login('mo@example.com', 'a long password'))
    assert.deepEqual((await mo.listBuckets()).items, [], 'R4')
    await rejectsWith(mo.browse({ params: { name: 'later' } }), 'forbidden')
    await admin.addMembers({ params: { id: group.id }, body: { user_ids: [user.id] } })
    await mo.browse({ params: { name: 'later' } })
    assert.deepEqual(
      (await mo.listBuckets()).items.map(({ name }) => name),
      ['later'],
    )
  })

  it('refuses what is taken, unknown or not valid, and changes nothing', async () => {
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
          admin.createGroup({ body: { name: 'R1', grants: [{ bucket_pattern, actions: ['list'] }] } }),
          'invalid_request',
          'body.grants.0.bucket_pattern',
        )
      await rejectsWith(
        admin.createGroup({ body: { name: 'R1', grants: [{ bucket_pattern: '*', actions: ['fly' as 'list'] }] } }),
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

  it('is for administrators', async () => {
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
})
