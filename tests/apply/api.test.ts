import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { ProblemError } from '../../client/index.ts'
import type { ConfigurationChange } from '../../contract/apply.ts'
import type { Configuration } from '../../contract/configuration.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, describeEngines, dump, startServer, type TestServer } from '../support/server.ts'

const SITE = {
  index: 'index.html',
  rules: [{ condition: { key_prefix: 'old/' }, redirect: { replace_key_prefix: 'new/' } }],
}
const SECRET = 'a-secret-of-another-system'

/** Something of every kind but storages, which need an engine. */
const team: Configuration = {
  groups: [
    { name: 'Designers', grants: [{ bucket_pattern: 'photos', preset: 'editor' }] },
    { name: 'Machines', description: 'No people', grants: [{ bucket_pattern: 'backups', actions: ['write', 'list'] }] },
  ],
  users: [
    { email: 'grace@example.com', display_name: 'Grace', groups: ['designers', 'Machines'] },
    { email: 'backup@example.com', groups: ['Machines'], password: 'long enough for us' },
  ],
  buckets: [
    {
      name: 'photos',
      quota_gb: 20,
      trash_days: 3,
      cors: [{ origins: ['https://example.com'], methods: ['GET'] }],
      website: SITE,
    },
    { name: 'backups', object_lock: { mode: 'governance', days: 30 } },
    {
      name: 'logs',
      lifecycle: [
        { id: 'ninety', expiration: { days: 90 } },
        { id: 'parts', abort_days: 3 },
      ],
    },
  ],
  access_keys: [
    {
      access_key_id: 'BACKUPS',
      secret_access_key: SECRET,
      user: 'Backup@example.com',
      scope: [{ bucket: 'backups', actions: ['write'] }],
      expires_at: '2027-01-01T00:00:00Z',
    },
  ],
  webhooks: [{ name: 'Website', url: 'https://hooks.example.com/x', events: ['upload', 'delete'], bucket: 'photos' }],
  policies: [{ name: 'Drafts', bucket_patterns: ['photos'], prefix: 'drafts/', older_than_days: 30 }],
  settings: { trash: { default_days: 9 }, shares: { default_expires_in: '14d' } },
}

const brief = (changes: readonly ConfigurationChange[]) =>
  changes.map(({ kind, name, action, fields, result }) => [
    action,
    kind,
    name,
    fields.map(({ field }) => field).join(),
    result,
  ])

describeEngines('a configuration', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    server.secrets.add(SECRET)
  })
  after(() => server.stop())

  const apply = (configuration: Configuration, more: { dry_run?: boolean; prune?: boolean } = {}) =>
    server.admin.apply({ body: { configuration, ...more } })
  const nothing = async (configuration: Configuration, more: { prune?: boolean } = {}) => {
    const before = await dump(server.database, engine)
    const { changes } = await server.records([], () => apply(configuration, more))
    assert.deepEqual(changes, [])
    assert.deepEqual(await dump(server.database, engine), before)
  }
  const faultsIn = async (configuration: unknown, more: object = {}) => {
    const before = await dump(server.database, engine)
    const refused = await server.records([], () =>
      server.admin.apply({ body: { configuration, ...more } as never }).catch((error: unknown) => error),
    )
    assert.deepEqual(await dump(server.database, engine), before)
    assert.ok(refused instanceof ProblemError, 'it was accepted')
    assert.equal(refused.problem.status, 422)
    return (refused.problem.errors ?? []).map(({ path, message }) => `${path} ${message}`)
  }

  it('plans without a change, makes the changes in order, and finds nothing to do afterwards', async () => {
    const before = await dump(server.database, engine)
    const plan = await server.records([], () => apply(team, { dry_run: true }))
    assert.deepEqual(await dump(server.database, engine), before)
    const expected = [
      ['create', 'groups', 'Designers', 'grants'],
      ['create', 'groups', 'Machines', 'description,grants'],
      ['update', 'settings', 'trash', 'default_days'],
      ['update', 'settings', 'shares', 'default_expires_in'],
      ['create', 'users', 'grace@example.com', 'display_name,groups'],
      ['create', 'users', 'backup@example.com', 'password,groups'],
      ['create', 'buckets', 'photos', 'quota_gb,trash_days,cors,website'],
      ['create', 'buckets', 'backups', 'object_lock'],
      ['create', 'buckets', 'logs', 'lifecycle'],
      ['create', 'access_keys', 'BACKUPS', 'secret_access_key,user,scope,expires_at'],
      ['create', 'webhooks', 'Website', 'url,bucket,events'],
      ['create', 'policies', 'Drafts', 'prefix,older_than_days,bucket_patterns'],
    ]
    assert.deepEqual(
      brief(plan.changes).map(([action, kind, name]) => [action, kind, name]),
      expected.map(([action, kind, name]) => [action, kind, name]),
    )
    for (const [i, [, , , fields]] of expected.entries())
      assert.deepEqual(brief(plan.changes)[i]?.[3]?.split(',').sort(), fields?.split(',').sort())
    assert.deepEqual([...new Set(plan.changes.map(({ result }) => result))], ['planned'])
    assert.equal(JSON.stringify(plan).includes(SECRET), false)

    const made = await server.records(
      [
        { action: 'group_create' },
        { action: 'group_create' },
        { action: 'settings_update' },
        { action: 'settings_update' },
        { action: 'user_create' },
        { action: 'user_create' },
        { action: 'create_bucket', bucket: 'photos' },
        { action: 'create_bucket', bucket: 'backups' },
        { action: 'create_bucket', bucket: 'logs' },
        { action: 'update_bucket', bucket: 'logs' },
        { action: 'policy_create' },
        { action: 'access_key_create' },
        { action: 'webhook_create' },
        { action: 'policy_create' },
      ],
      () => apply(team),
    )
    assert.deepEqual(
      made.changes.map(({ result }) => result),
      expected.map(() => 'done'),
    )
    const again = await server.records([], () => apply(team))
    assert.deepEqual([again.changes, again.unchanged], [[], 12])

    const { items: groups } = await server.admin.listGroups()
    const machines = groups.find(({ name }) => name === 'Machines')
    assert.equal(machines?.member_count, 2)
    const logs = await server.admin.getBucket({ params: { bucket: 'logs' } })
    assert.equal(logs.trash_days, 9, 'settings come before buckets')
    assert.deepEqual((await server.admin.getBucket({ params: { bucket: 'backups' } })).object_lock, {
      mode: 'governance',
      days: 30,
      years: null,
    })
    await server.login('backup@example.com', 'long enough for us')
  })

  it('shows what was changed by hand, and changes it back', async () => {
    await server.admin.updateBucket({ params: { bucket: 'photos' }, body: { quota_gb: 1, trash_days: 30 } })
    const plan = await apply(team, { dry_run: true })
    assert.deepEqual(
      plan.changes.map(({ name, fields }) => [name, fields]),
      [
        [
          'photos',
          [
            { field: 'quota_gb', before: 1, after: 20, secret: false },
            { field: 'trash_days', before: 30, after: 3, secret: false },
          ],
        ],
      ],
    )
    assert.deepEqual(plan.changes[0]?.effects, ['What has been in its trash for longer is deleted.'])
    await server.records([{ action: 'update_bucket', bucket: 'photos' }], () => apply(team))
    await nothing(team)
  })

  it('changes every kind, and leaves alone what is not named', async () => {
    const next: Configuration = {
      groups: [{ name: 'DESIGNERS', grants: [{ bucket_pattern: 'photos', actions: ['read', 'list'] }] }],
      users: [{ email: 'GRACE@example.com', is_active: false, groups: [] }],
      buckets: [{ name: 'logs', lifecycle: null, versioning: 'enabled' }],
      access_keys: [{ access_key_id: 'BACKUPS', secret_access_key: `${SECRET}-2`, scope: null }],
      webhooks: [{ name: 'Website', enabled: false, secret: `whsec_${'A'.repeat(43)}=` }],
      policies: [{ name: 'Drafts', older_than_days: 31 }],
      settings: { audit: { retention_days: 30 } },
    }
    server.secrets.add(`${SECRET}-2`).add(`whsec_${'A'.repeat(43)}=`)
    const { changes } = await server.records(
      [
        { action: 'group_update' },
        { action: 'settings_update' },
        { action: 'user_update' },
        { action: 'update_bucket', bucket: 'logs' },
        { action: 'update_bucket', bucket: 'logs' },
        { action: 'policy_delete' },
        { action: 'access_key_update' },
        { action: 'webhook_update' },
        { action: 'policy_update' },
      ],
      () => apply(next),
    )
    assert.deepEqual(
      brief(changes).map(([, kind, , fields]) => [kind, fields?.split(',').sort().join()]),
      [
        ['groups', 'grants'],
        ['settings', 'retention_days'],
        ['users', 'groups,is_active'],
        ['buckets', 'lifecycle,versioning'],
        ['access_keys', 'scope,secret_access_key'],
        ['webhooks', 'enabled,secret'],
        ['policies', 'older_than_days'],
      ],
    )
    assert.ok(
      changes.every(({ effects, kind }) => effects.length > 0 || kind === 'buckets'),
      JSON.stringify(changes),
    )
    await nothing(next)
    const { items } = await server.admin.listGroups()
    assert.equal(items.find(({ name }) => name === 'Designers')?.description, '')
  })

  it('invites users and has passwords replaced when it creates them, and never again', async () => {
    const password = 'chosen for somebody'
    server.secrets.add(password)
    const people: Configuration = {
      users: [
        { email: 'ina@example.com', display_name: 'Ina', invite: true },
        { email: 'leo@example.com', password, must_change_password: true },
        { email: 'una@example.com', invite: false, must_change_password: false },
      ],
    }
    const plan = await server.records([], () => apply(people, { dry_run: true }))
    assert.deepEqual(
      plan.changes.map(({ effects, invitation }) => [effects, invitation]),
      [
        [['They get a link with which they choose a password: it is shown, once.'], undefined],
        [['They choose another password when they first log in.'], undefined],
        [['They cannot log in before they have a password, or an identity at the provider.'], undefined],
      ],
    )
    const { changes } = await server.records(
      [
        { action: 'user_create' },
        { action: 'invitation_create' },
        { action: 'user_create' },
        { action: 'user_create' },
      ],
      () => apply(people),
    )
    assert.deepEqual(
      changes.map(({ result, invitation }) => [result, invitation !== undefined]),
      [
        ['done', true],
        ['done', false],
        ['done', false],
      ],
    )
    const token = changes[0]?.invitation?.url.split('#')[1] ?? ''
    server.secrets.add(token)
    await rejectsWith(
      server.as().login({ body: { username: 'leo@example.com', password } }),
      'password_change_required',
    )
    await nothing(people)
    const users = new Map((await server.admin.listUsers()).items.map((user) => [user.email, user]))
    assert.notEqual(users.get('ina@example.com')?.invitation_expires_at, null)
    assert.equal(users.get('leo@example.com')?.must_change_password, true)
    assert.equal(users.get('una@example.com')?.invitation_expires_at, null)

    const params = { id: users.get('ina@example.com')?.id ?? '' }
    await server.admin.revokeInvitation({ params })
    await server.admin.updateUser({
      params: { id: users.get('leo@example.com')?.id ?? '' },
      body: { password: 'chosen by themselves' },
    })
    await nothing(people)
    assert.equal((await server.admin.getUser({ params })).invitation_expires_at, null)
    await server.login('leo@example.com', 'chosen by themselves')
    assert.doesNotMatch(JSON.stringify(await server.admin.exportConfiguration()), /invite|must_change/)

    assert.deepEqual(
      await faultsIn({
        users: [
          { email: 'a@example.com', invite: true, password },
          { email: 'b@example.com', must_change_password: true },
          { email: 'c@example.com', invite: true, is_active: false },
          { email: 'd@example.com', invite: 'yes' },
        ],
      }),
      [
        'body.configuration.users.3.invite must be boolean',
        'body.configuration.users.0.invite cannot be combined with a password',
        'body.configuration.users.1.must_change_password needs a password',
        'body.configuration.users.2.invite cannot be combined with is_active: false',
      ],
    )
    const mail = (host: string | null, from_address: string | null) =>
      server.admin.updateSettings({ body: { mail: { host, from_address } } })
    await mail('mail.example.com', 'strongroom@example.com')
    const mailed = await apply({ users: [{ email: 'a@example.com', invite: true }] }, { dry_run: true })
    assert.deepEqual(mailed.changes[0]?.effects, ['They get a link with which they choose a password, by mail.'])
    await mail(null, null)

    await server.records(
      [{ action: 'user_delete' }, { action: 'user_delete' }, { action: 'user_delete' }],
      async () => {
        for (const email of ['ina', 'leo', 'una'])
          await server.admin.deleteUser({ params: { id: users.get(`${email}@example.com`)?.id ?? '' } })
      },
    )
  })

  it('exports what applied again changes nothing, also elsewhere', async () => {
    const { configuration } = await server.records([], () => server.admin.exportConfiguration())
    assert.equal(JSON.stringify(configuration).includes('secret'), false)
    await nothing(configuration, { prune: true })
    const other = await startServer(engine)
    try {
      const keys = configuration.access_keys?.map((key) => ({ ...key, secret_access_key: 'of-the-other-service' }))
      const moved = { ...configuration, access_keys: keys }
      const made = await other.admin.apply({ body: { configuration: moved } })
      assert.deepEqual(
        made.changes.filter(({ result }) => result !== 'done'),
        [],
      )
      const again = await other.admin.exportConfiguration()
      assert.deepEqual(again.configuration, configuration)
    } finally {
      await other.stop()
    }
  })

  it('deletes with prune what is not named of the kinds that are listed, and says what stays', async () => {
    await server.admin.createBucket({ body: { name: 'empty' } })
    await server.admin.createBucket({ body: { name: 'full' } })
    await server.admin.putObject({ params: { bucket: 'full', key: 'x' }, body: new Blob(['x']) })
    const { configuration } = await server.admin.exportConfiguration()
    const kept: Configuration = {
      users: [],
      groups: configuration.groups?.filter(({ name }) => name !== 'Machines') ?? [],
      buckets: configuration.buckets?.filter(({ name }) => name !== 'empty' && name !== 'full') ?? [],
      webhooks: [],
    }
    const plan = await apply(kept, { dry_run: true, prune: true })
    assert.deepEqual(
      plan.changes.map(({ action, kind, name }) => [action, kind, name]),
      [
        ['delete', 'webhooks', 'Website'],
        ['delete', 'buckets', 'empty'],
        ['delete', 'users', 'backup@example.com'],
        ['delete', 'users', 'grace@example.com'],
        ['delete', 'groups', 'Machines'],
      ],
    )
    assert.deepEqual(plan.kept, [
      { kind: 'buckets', name: 'full', reason: 'It has 1 object.' },
      { kind: 'users', name: ADMIN.email, reason: 'It is your own account.' },
    ])
    assert.ok(plan.changes.every(({ effects, kind }) => effects.length > 0 || kind === 'buckets' || kind === 'groups'))
    // Without it, nothing is.
    await nothing(kept)
    await server.records(
      [
        { action: 'webhook_delete' },
        { action: 'delete_bucket', bucket: 'empty' },
        { action: 'user_delete' },
        { action: 'user_delete' },
        { action: 'group_delete' },
      ],
      () => apply(kept, { prune: true }),
    )
    await nothing(kept, { prune: true })
    const policies = await server.admin.listPolicies()
    assert.deepEqual(
      policies.items.map(({ name }) => name),
      ['Drafts'],
      'policies are not listed, so none is deleted',
    )
  })

  it('stops at the first failure, says what was not reached, and goes on from there', async () => {
    // Its storage cannot be checked before.
    const configuration: Configuration = {
      buckets: [{ name: 'first' }, { name: 'backups', versioning: 'suspended' }, { name: 'third' }],
    }
    await server.admin.createBucket({ body: { name: 'locked', object_lock: {} } }).catch(() => undefined)
    configuration.buckets?.splice(1, 1, { name: 'locked', versioning: 'suspended' })
    const { changes } = await server.records([{ action: 'create_bucket', bucket: 'first' }], () => apply(configuration))
    assert.deepEqual(
      changes.map(({ name, result, problem }) => [name, result, problem?.code]),
      [
        ['first', 'done', undefined],
        ['locked', 'failed', 'conflict'],
        ['third', 'not_reached', undefined],
      ],
    )
    configuration.buckets?.splice(1, 1, { name: 'locked', versioning: 'enabled' })
    const next = await server.records([{ action: 'create_bucket', bucket: 'third' }], () => apply(configuration))
    assert.equal(next.changes.length, 1)
  })

  itOnce('names all faults at once, those of shapes and of references, and changes nothing', async () => {
    assert.deepEqual(
      await faultsIn({
        groups: [{ name: 'New', grants: [{ bucket_pattern: 'x', preset: 'viewer', actions: ['read'] }] }],
        users: [
          { email: 'no address' },
          { email: 'a@example.com', groups: ['New', 'Unknown'] },
          { email: 'b@example.com', password: 'short' },
          { email: 'A@example.com' },
        ],
        buckets: [
          { name: 'valid-name', quota_gb: -1, colour: 'red' },
          { name: 'other', storage: 'nas' },
        ],
        access_keys: [{ access_key_id: 'NEW-KEY', user: 'nobody@example.com' }],
        webhooks: [{ name: 'W', url: 'ftp://example.com', events: ['no_event'] }],
        policies: [{ name: 'P', bucket_patterns: ['x'] }],
        settings: { trash: { default_days: -1 }, tokens: { max_lifetime_days: 1 }, colours: {} },
        printers: [],
      }),
      [
        'body.configuration.printers is unknown',
        'body.configuration.settings.colours is unknown',
        'body.configuration.users.0.email must be an email address',
        'body.configuration.buckets.0.colour is unknown',
        'body.configuration.buckets.0.quota_gb must be > 0',
        'body.configuration.settings.trash.default_days must be >= 0',
        'body.configuration.groups.0.grants.0.actions or preset is required, but not both',
        'body.configuration.users.1.groups.1 names a group that does not exist: "Unknown"',
        'body.configuration.users.2.password must have 8 to 72 bytes of UTF-8 (it has 5)',
        'body.configuration.users.3.email is named twice',
        'body.configuration.buckets.1.storage names a storage that does not exist: "nas"',
        'body.configuration.access_keys.0.secret_access_key is required for a new one',
        'body.configuration.access_keys.0.user names a user that does not exist: "nobody@example.com"',
        'body.configuration.webhooks.0.events.0 "no_event" is not an event',
        'body.configuration.webhooks.0.url must be an http or https URL',
        'body.configuration.policies.0 requires at least one condition: glob, older_than_days, min_size, max_size, tags, date, keep_newest, noncurrent_days, keep_versions, expired_markers, or keep_snapshots',
      ],
    )
    assert.deepEqual(await faultsIn([], { dry: true }), ['body.dry is unknown', 'body.configuration must be object'])
    assert.deepEqual(await faultsIn({ users: 'all', groups: [7] }), [
      'body.configuration.users must be array',
      'body.configuration.groups.0 must be object',
    ])
  })

  itOnce('refuses to change what cannot be changed, and says what to do', async () => {
    await server.admin.createBucket({ body: { name: 'mine' } })
    const key = { access_key_id: 'MINE', secret_access_key: 'long-enough', user: ADMIN.email }
    await apply({ access_keys: [key] })
    for (let i = 0; i < 2; i++)
      await server.admin.createWebhook({
        body: { name: 'twice', url: 'https://hooks.example.com/', events: ['*'], enabled: false },
      })
    await apply({ groups: [{ name: 'Nobody yet' }], users: [{ email: 'second@example.com' }] })
    assert.deepEqual(
      await faultsIn({
        storages: [{ name: 'default', region: 'other' }],
        users: [{ email: 'third@example.com', groups: ['Public'] }],
        buckets: [{ name: 'mine', storage: 'default', mode: 'read_only' }],
        access_keys: [{ ...key, user: 'second@example.com' }],
        webhooks: [{ name: 'twice', enabled: true }],
      }),
      [
        'body.configuration.storages.0.name is configured by the variables of the service',
        'body.configuration.users.0.groups.0 stands for everyone, and has no members',
        'body.configuration.buckets.0.mode cannot be changed: attach, take over or release the bucket',
        'body.configuration.access_keys.0.user cannot be changed: give the other user a key with another ID',
        'body.configuration.webhooks.0.name is the name of 2 of them: rename all but one',
      ],
    )
    const { items } = await server.admin.listAccessKeys()
    await server.admin.revokeAccessKey({ params: { id: items.find((one) => one.access_key_id === 'MINE')?.id ?? '' } })
    assert.deepEqual(await faultsIn({ access_keys: [{ ...key, name: 'Again' }] }), [
      'body.configuration.access_keys.0.access_key_id is revoked, and cannot be used again: take another ID',
    ])
  })

  itOnce('does not let a reference point to what prune would delete', async () => {
    assert.deepEqual(
      await faultsIn({ groups: [], users: [{ email: 'second@example.com', groups: ['Nobody yet'] }] }, { prune: true }),
      ['body.configuration.users.0.groups.0 names a group that does not exist: "Nobody yet"'],
    )
  })

  itOnce('is for administrators', async () => {
    const kim = server.as(await server.userWith({ bucket_pattern: '*', actions: ['list', 'manage', 'create'] }))
    const denied = { action: 'access_denied', result: 'denied' } as const
    await server.records([denied, denied], async () => {
      await rejectsWith(kim.apply({ body: { configuration: {} } }), 'forbidden')
      await rejectsWith(kim.exportConfiguration(), 'forbidden')
    })
  })
})
