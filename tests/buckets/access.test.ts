import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import type { UserAccess } from '../../contract/bucket-access.ts'
import { matchesPattern } from '../../contract/patterns.ts'
import { type BucketAction, bucketActions, presets } from '../../contract/permissions.ts'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, describeEngines, startServer, type TestServer } from '../support/server.ts'

type At = { key?: string; prefix?: string }
type NewGrant = { bucket_pattern: string; prefix?: string; actions: BucketAction[] }

describeEngines('who has access', (engine, itOnce) => {
  let server: TestServer
  let group: (name: string, ...grants: NewGrant[]) => Promise<string>
  let user: (name: string, ...group_ids: string[]) => Promise<string>
  before(async () => {
    server = await startServer(engine)
    const { admin } = server
    group = async (name, ...grants) => (await admin.createGroup({ body: { name, grants } })).id
    user = async (name, ...group_ids) =>
      (await admin.createUser({ body: { email: `${name}@example.com`, display_name: name, group_ids } })).id
  })
  after(() => server.stop())

  const list = (bucket: string, at: At = {}) =>
    server.records([], async () => (await server.admin.listBucketAccess({ params: { bucket }, query: at })).items)
  /** Names, what they may do, what in part, and through which groups. */
  const short = (items: readonly UserAccess[]) =>
    items
      .filter(({ email }) => email !== ADMIN.email)
      .map(({ display_name, permissions, permissions_in_part, via }) => [
        display_name,
        permissions.join(),
        permissions_in_part.join(),
        via.map(({ group, grant }) => `${group} ${grant?.bucket_pattern}/${grant?.prefix}`).join(),
      ])

  it('names the users of each place, what they may do there, and through which groups', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'photos' } })
    const viewers = await group('Viewers', { bucket_pattern: 'photos', actions: [...presets.viewer] })
    const team = await group('Team', { bucket_pattern: 'ph*s', prefix: 'team/', actions: [...presets.editor] })
    const loose = await group('Loose', { bucket_pattern: '*', prefix: 'team', actions: ['list'] })
    const one = await group('One', { bucket_pattern: 'photos', prefix: 'team/plan.txt', actions: ['read'] })
    const other = await group('Other', { bucket_pattern: 'photo', actions: ['read'] })
    await user('ann', viewers)
    await user('ben', team, loose)
    await user('cem', one)
    await user('dan', viewers, team)
    await user('eva', other)
    await user('fay')
    const gone = await user('gil', viewers)
    await admin.updateUser({ params: { id: gone }, body: { is_active: false } })

    assert.deepEqual(short(await list('photos')), [
      ['ann', 'list,read', '', 'Viewers photos/'],
      ['ben', '', 'list,read,write,delete', 'Loose */team,Team ph*s/team/'],
      ['cem', '', 'read', 'One photos/team/plan.txt'],
      ['dan', 'list,read', 'write,delete', 'Team ph*s/team/,Viewers photos/'],
    ])
    assert.deepEqual(short(await list('photos', { prefix: '' })), short(await list('photos')))
    assert.deepEqual(short(await list('photos', { prefix: 'team/' })), [
      ['ann', 'list,read', '', 'Viewers photos/'],
      ['ben', 'list,read,write,delete', '', 'Loose */team,Team ph*s/team/'],
      ['cem', '', 'read', 'One photos/team/plan.txt'],
      ['dan', 'list,read,write,delete', '', 'Team ph*s/team/,Viewers photos/'],
    ])
    // A prefix without a slash is the start of more than a folder.
    assert.deepEqual(short(await list('photos', { prefix: 'team' }))[1], [
      'ben',
      'list',
      'read,write,delete',
      'Loose */team,Team ph*s/team/',
    ])
    assert.deepEqual(short(await list('photos', { key: 'team2/x' })), [
      ['ann', 'list,read', '', 'Viewers photos/'],
      ['ben', 'list', '', 'Loose */team'],
      ['dan', 'list,read', '', 'Viewers photos/'],
    ])
    // A key is one object: what starts with it is another.
    assert.deepEqual(
      short(await list('photos', { key: 'team/plan' })).map(([name]) => name),
      ['ann', 'ben', 'dan'],
    )
    assert.deepEqual(
      short(await list('photos', { key: 'team/plan.txt' })).map(([name, may]) => [name, may]),
      [
        ['ann', 'list,read'],
        ['ben', 'list,read,write,delete'],
        ['cem', 'read'],
        ['dan', 'list,read,write,delete'],
      ],
    )
  })

  it('lists administrators with everything, and none who only manages users', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'quiet' } })
    const { id: managers } = await admin.createGroup({ body: { name: 'Managers', global: ['users.manage'] } })
    await user('hal', managers)
    const { id: admins } = await admin.createGroup({ body: { name: 'Second', global: ['admin'] } })
    await user('ida', admins, managers)
    const items = (await list('quiet', { key: 'x' })).filter(({ via }) => via.some(({ grant }) => grant === null))
    assert.deepEqual(
      items.map(({ email, permissions, permissions_in_part, via }) => [
        email,
        permissions,
        permissions_in_part,
        via.map((one) => [one.group, one.grant]),
      ]),
      [
        [ADMIN.email, [...bucketActions], [], [['Administrators', null]]],
        ['ida@example.com', [...bucketActions], [], [['Second', null]]],
      ],
    )
    assert.ok(!(await list('quiet')).some(({ display_name }) => display_name === 'hal'))
  })

  it('is read page by page', async () => {
    await server.admin.createBucket({ body: { name: 'paged' } })
    const paged = await group('Paged', { bucket_pattern: 'paged', actions: ['list'] })
    for (let i = 0; i < 7; i++) await user(`page-${i}`, paged)
    const all = await list('paged')
    const read: UserAccess[] = []
    let cursor: string | null | undefined
    do {
      const page = await server.admin.listBucketAccess({
        params: { bucket: 'paged' },
        query: { limit: 3, ...(cursor ? { cursor } : {}) },
      })
      assert.ok(page.items.length <= 3)
      read.push(...page.items)
      cursor = page.next_cursor
    } while (cursor)
    assert.deepEqual(read, all)
    assert.equal(all.filter(({ display_name }) => display_name.startsWith('page-')).length, 7)
  })

  itOnce('is for those who manage the bucket, or users; others learn nothing', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'secret-place' } })
    const params = { bucket: 'secret-place' }
    const every = [...bucketActions]
    const secret = await group('Secret group', { bucket_pattern: 'secret-place', actions: ['read'] })
    await user('zoe', secret)
    const as = async (grant: NewGrant) => server.as(await server.userWith(grant))
    const owner = await as({ bucket_pattern: 'secret-*', actions: ['manage'] })
    const ofOwner = await server.records([], () => owner.listBucketAccess({ params }))
    assert.ok(ofOwner.items.some(({ display_name }) => display_name === 'zoe'))

    const client = async (name: string, ...group_ids: string[]) => {
      const password = `the password of ${name}`
      server.secrets.add(password)
      const email = `${name}@example.com`
      await admin.createUser({ body: { email, display_name: name, password, group_ids } })
      return server.as(await server.login(email, password))
    }
    const { id: managers } = await admin.createGroup({ body: { name: 'User managers', global: ['users.manage'] } })
    const inside = await group('Inside', { bucket_pattern: 'secret-place', prefix: 'own/', actions: ['list'] })
    const managesUsers = await client('max', managers, inside)
    assert.ok((await managesUsers.listBucketAccess({ params })).items.length > 0)

    const refused = [
      await as({ bucket_pattern: 'secret-place', actions: every.filter((one) => one !== 'manage') }),
      await as({ bucket_pattern: 'secret-place', prefix: 'own/', actions: every }),
      await as({ bucket_pattern: 'elsewhere', actions: every }),
      await client('nik', managers),
      await client('ole'),
    ]
    for (const one of refused)
      for (const query of [{}, { key: 'own/a' }, { prefix: 'own/' }]) {
        const { problem } = await rejectsWith(one.listBucketAccess({ params, query }), 'forbidden')
        assert.doesNotMatch(JSON.stringify(problem), /zoe|Secret group|@/)
        const missing = one.listBucketAccess({ params: { bucket: 'secret-missing' }, query })
        const { detail } = (await rejectsWith(missing, 'forbidden')).problem
        const outside = one === refused[2] || one === refused[3] || one === refused[4]
        if (outside) assert.equal(detail.replace('missing', 'place'), problem.detail)
      }
    await rejectsWith(owner.listBucketAccess({ params: { bucket: 'secret-missing' } }), 'not_found')
    await rejectsWith(
      owner.listBucketAccess({ params, query: { key: 'a', prefix: 'a' } }),
      'invalid_request',
      'query.prefix',
    )
    await rejectsWith(owner.listBucketAccess({ params, query: { cursor: 'x' } }), 'invalid_request', 'query.cursor')
    await rejectsWith(owner.listBucketAccess({ params, query: { key: '' } }), 'invalid_request', 'query.key')
  })

  it('agrees with the check of one permission, whatever is granted', async () => {
    const { admin } = server
    const buckets = ['aab', 'a.b', 'bab']
    for (const name of buckets) await admin.createBucket({ body: { name } })
    const groups = [await group('P1'), await group('P2'), await group('P3')]
    const users = new Map<string, string>()
    const memberships = [[], [0], [1], [0, 1], [1, 2], [0, 1, 2]]
    for (const [i, of] of memberships.entries())
      users.set(await user(`of-${i}`, ...of.map((at) => groups[at] ?? newId())), `of-${i}`)
    const letter = fc.constantFrom('a', 'b', '/', 'ä', '😀', '%', '_', '\\')
    const text = (maxLength: number) => fc.array(letter, { maxLength }).map((all) => all.join(''))
    const grant = fc.record({
      bucket_pattern: fc.constantFrom('*', 'a*', '*b', 'a*b', 'aab', 'a.b', '*a*', '**a'),
      prefix: text(2),
      actions: fc.subarray(['list', 'read', 'write', 'manage'] as BucketAction[], { minLength: 1 }),
    })
    const grants = fc.array(grant, { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(grants, grants, grants),
        fc.constantFrom(...buckets),
        text(3),
        fc.boolean(),
        async (granted, bucket, key, isPrefix) => {
          fc.pre(isPrefix || key !== '')
          for (const [i, id] of groups.entries())
            await admin.updateGroup({ params: { id }, body: { grants: granted[i] ?? [] } })
          const items = await list(bucket, isPrefix ? { prefix: key } : { key })
          for (const [user_id, name] of users) {
            const found = items.find((one) => one.user_id === user_id)
            const via = new Set<string | undefined>()
            for (const action of ['list', 'read', 'write', 'manage', 'delete'] as const) {
              const asked = await admin.explainPermission({ query: { user_id, action, bucket, key } })
              assert.equal(found?.permissions.includes(action) ?? false, asked.allowed, `${name} ${action} on ${key}`)
              for (const one of asked.via) via.add(one.grant?.id)
            }
            const covering = found?.via.filter(({ grant }) => key.startsWith(grant?.prefix ?? '')) ?? []
            assert.deepEqual(new Set(covering.map((one) => one.grant?.id)), via)
            const inPart = (memberships[Number(name.slice(3))] ?? [])
              .flatMap((at) => granted[at] ?? [])
              .filter((one) => isPrefix && one.prefix.startsWith(key) && matchesPattern(one.bucket_pattern, bucket))
              .flatMap(({ actions }) => actions)
              .filter((action) => !found?.permissions.includes(action))
            assert.deepEqual(new Set(found?.permissions_in_part), new Set(inPart))
            if (!isPrefix) assert.equal(found?.via.length ?? 0, covering.length)
          }
        },
      ),
      { numRuns: 25 },
    )
  })
})
