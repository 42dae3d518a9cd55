// Policies of users, groups, roles and access keys in configurations.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { AssumeRoleCommand, GetSessionTokenCommand } from '@aws-sdk/client-sts'
import type { Configuration } from '../../contract/configuration.ts'
import { sdkClients } from '../iam/sessions.ts'
import { outcome, type Pair, s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { ADMIN, describeEngines, startServer, type TestServer } from '../support/server.ts'

const Version = '2012-10-17'
const policy = (...Statement: object[]) => ({ Version, Statement })
const on = (...resources: string[]) => resources.map((one) => `arn:aws:s3:::${one}`)
const READ = policy({ Effect: 'Allow', Action: ['s3:GetObject', 's3:ListBucket'], Resource: on('photos', 'photos/*') })
const NO_SECRETS = policy({ Effect: 'Deny', Action: 's3:*', Resource: on('photos/secret/*') })
const WRITE_OWN = policy({ Effect: 'Allow', Action: 's3:PutObject', Resource: on('photos/kim/*') })
const ONLY_2026 = policy({ Effect: 'Allow', Action: 's3:*', Resource: on('photos/2026/*') })
const SECRETS = ['the-secret-of-kim-1', 'the-secret-of-kim-2'] as const

const wanted: Configuration = {
  identity_policies: [
    { name: 'photos', path: '/web/', description: 'Reads photos.', document: READ },
    { name: 'No-Secrets', document: NO_SECRETS },
  ],
  groups: [{ name: 'Viewers', attached_policies: ['Photos', 'no-secrets'] }],
  users: [{ email: 'kim@example.com', groups: ['Viewers'], inline_policies: { own: WRITE_OWN } }],
  roles: [
    {
      name: 'Gallery',
      trust: policy({
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { AWS: 'arn:aws:iam::000000000000:user/kim@example.com' },
      }),
      max_session_seconds: 900,
      tags: { team: 'web' },
      attached_policies: ['aws:readonly'],
    },
  ],
  buckets: [{ name: 'photos' }],
  access_keys: [
    { access_key_id: 'KIM1', secret_access_key: SECRETS[0], user: 'kim@example.com' },
    { access_key_id: 'KIM2', secret_access_key: SECRETS[1], user: 'kim@example.com', policy: ONLY_2026 },
  ],
}
describeEngines('policies in a configuration', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    world = s3World(server)
    for (const secret of SECRETS) server.secrets.add(secret)
  })
  after(() => server.stop())

  const apply = (configuration: Configuration, more: { dry_run?: boolean; prune?: boolean } = {}) =>
    server.admin.apply({ body: { configuration, ...more } })
  const pair = (i: 0 | 1): Pair => ({ id: '', access_key_id: `KIM${i + 1}`, secret_access_key: SECRETS[i] })
  const get = (i: 0 | 1, Key: string) =>
    outcome(world.clientOf(pair(i)).send(new GetObjectCommand({ Bucket: 'photos', Key })))
  const put = (i: 0 | 1, Key: string) =>
    outcome(world.clientOf(pair(i)).send(new PutObjectCommand({ Bucket: 'photos', Key, Body: Key })))

  it('are planned with what they say, made in order, and then as named', async () => {
    const plan = await server.records([], () => apply(wanted, { dry_run: true }))
    const effects = Object.fromEntries(
      plan.changes.map(({ kind, name, effects: said }) => [kind === 'buckets' ? 'bucket' : name, said]),
    )
    assert.match(effects.photos?.[0] ?? '', /read objects.*list|list.*read objects/i)
    assert.match(effects['No-Secrets']?.[0] ?? '', /on objects that start with photos\/secret\//)
    assert.deepEqual(effects.Viewers, [
      'What the policy no-secrets allows and denies counts for them.',
      'What the policy photos allows and denies counts for them.',
    ])
    assert.match(effects['kim@example.com']?.at(-1) ?? '', /^own: .*photos\/kim\//)
    assert.match(effects.Gallery?.join('\n') ?? '', /kim@example\.com(.|\n)*aws:readonly: Reads every object/)
    assert.match(effects.KIM2?.[0] ?? '', /^Of what its user may do, no more than: .*photos\/2026\//)
    const made = await server.records(
      [
        { action: 'identity_policy_create' },
        { action: 'identity_policy_create' },
        { action: 'group_create' },
        { action: 'identity_policy_attach' },
        { action: 'identity_policy_attach' },
        { action: 'user_create' },
        { action: 'identity_policy_create' },
        { action: 'role_create' },
        { action: 'identity_policy_attach' },
        { action: 'create_bucket', bucket: 'photos' },
        { action: 'access_key_create' },
        { action: 'access_key_create' },
      ],
      () => apply(wanted),
    )
    assert.deepEqual([...new Set(made.changes.map(({ result }) => result))], ['done'])
    const again = await server.records([], () => apply(wanted))
    assert.deepEqual([again.changes, again.unchanged], [[], 8])
  })

  it('count for everyone who has them, and a key of their own policy may no more', async () => {
    for (const key of ['a', 'secret/a', '2026/a', 'kim/a'])
      await server.admin.putObject({ params: { bucket: 'photos', key }, body: new Blob(['x']) })
    assert.deepEqual(
      [await get(0, 'a'), await get(0, 'secret/a'), await get(0, '2026/a')],
      ['ok', 'AccessDenied', 'ok'],
    )
    assert.deepEqual([await put(0, 'kim/b'), await put(0, 'b')], ['ok', 'AccessDenied'])
    // What the key's policy allows and its user may not, and the other way round.
    assert.deepEqual(
      [await get(1, '2026/a'), await get(1, 'a'), await put(1, '2026/b')],
      ['ok', 'AccessDenied', 'AccessDenied'],
    )
    assert.equal(await put(1, 'kim/b'), 'AccessDenied')
    const { items } = await server.admin.listUserAccessKeys({ params: { id: (await kim()).id } })
    assert.deepEqual(items.map(({ access_key_id: id, policy: text }) => [id, text && JSON.parse(text)]).sort(), [
      ['KIM1', null],
      ['KIM2', ONLY_2026],
    ])
  })
  const kim = async () => {
    const { items } = await server.admin.listUsers()
    return items.find(({ email }) => email === 'kim@example.com') ?? assert.fail()
  }

  itOnce('a key with a policy opens no sessions, which would not have it', async () => {
    const sdk = sdkClients(server)
    const sts = (i: 0 | 1) => sdk.sts(sdk.ofPair(pair(i)))
    const role = { RoleArn: 'arn:aws:iam:::role/Gallery', RoleSessionName: 'pod', DurationSeconds: 900 }
    await server.records([{ action: 'session_open' }, { action: 'session_open' }], async () => {
      await sts(0).send(new AssumeRoleCommand(role))
      await sts(0).send(new GetSessionTokenCommand({}))
    })
    const denied = { action: 'access_denied', result: 'denied' } as const
    await server.records([denied, denied], async () => {
      assert.equal(await outcome(sts(1).send(new AssumeRoleCommand(role))), 'AccessDenied')
      assert.equal(await outcome(sts(1).send(new GetSessionTokenCommand({}))), 'AccessDenied')
    })
  })

  it('are changed, and taken away, in the change of whose they are', async () => {
    const changed: Configuration = {
      identity_policies: [{ name: 'PHOTOS', document: policy(...READ.Statement, ...NO_SECRETS.Statement) }],
      groups: [{ name: 'viewers', description: 'Look.', attached_policies: ['photos'] }],
      users: [{ email: 'kim@example.com', attached_policies: ['aws:writeonly'], inline_policies: {} }],
      roles: [{ name: 'Gallery', description: 'For pods.', attached_policies: [], inline_policies: { own: READ } }],
      access_keys: [{ access_key_id: 'KIM2', policy: null }],
    }
    const { changes } = await server.records(
      [
        { action: 'identity_policy_update' },
        { action: 'group_update' },
        { action: 'identity_policy_detach' },
        { action: 'identity_policy_delete' },
        { action: 'identity_policy_attach' },
        { action: 'role_update' },
        { action: 'identity_policy_detach' },
        { action: 'identity_policy_create' },
        { action: 'access_key_update' },
      ],
      () => apply(changed),
    )
    assert.deepEqual([...new Set(changes.map(({ result }) => result))], ['done'])
    assert.match(changes[0]?.effects.at(-1) ?? '', /attached to 1 users, groups or roles/)
    assert.ok(changes[1]?.effects.includes('no-secrets: what it allowed and denied is no longer so.'))
    // Of a policy that is there, an attachment says what it says.
    const attached = { users: [{ email: 'kim@example.com', attached_policies: ['aws:writeonly', 'photos'] }] }
    const planned = (await server.records([], () => apply(attached, { dry_run: true }))).changes[0]?.effects ?? []
    assert.match(planned.join('\n'), /^What the policy .*photos.* counts for them\.\n.*photos, now: They can /i)
    assert.deepEqual(changes.at(-1)?.effects, ['It is not limited by its policy any more.'])
    assert.deepEqual([await get(1, 'a'), await get(1, 'secret/a'), await put(1, 'b')], ['ok', 'AccessDenied', 'ok'])
    await server.records([], () => apply(changed))
    await server.records(
      [
        { action: 'identity_policy_update' },
        { action: 'group_update' },
        { action: 'identity_policy_attach' },
        { action: 'identity_policy_create' },
        { action: 'role_update' },
        { action: 'identity_policy_delete' },
        { action: 'identity_policy_attach' },
        { action: 'access_key_update' },
      ],
      async () => {
        const back = { ...wanted, groups: [{ ...wanted.groups?.[0], name: 'Viewers', description: '' }] }
        const roles = wanted.roles?.map((role) => ({ ...role, description: '', inline_policies: {} }))
        await apply({ ...back, roles })
      },
    )
  })

  it('are exported as they can be applied, also elsewhere', async () => {
    const { configuration } = await server.records([], () => server.admin.exportConfiguration())
    assert.deepEqual(
      configuration.identity_policies?.map(({ name, path }) => [name, path]),
      [
        ['No-Secrets', undefined],
        ['photos', '/web/'],
      ],
    )
    assert.deepEqual(configuration.groups?.find(({ name }) => name === 'Viewers')?.attached_policies, [
      'No-Secrets',
      'photos',
    ])
    const exported = configuration.access_keys?.find(({ access_key_id: id }) => id === 'KIM2')
    assert.deepEqual(exported?.policy, ONLY_2026)
    const { changes } = await server.records([], () => apply(configuration, { prune: true }))
    assert.deepEqual(changes, [])
    const other = await startServer(engine)
    try {
      const keys = configuration.access_keys?.map((key) => ({ ...key, secret_access_key: 'of-the-other-service' }))
      const made = await other.admin.apply({ body: { configuration: { ...configuration, access_keys: keys ?? [] } } })
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

  it('are exchanged for others of those who have as many as can be', async () => {
    const named = (start: string) => Array.from({ length: 20 }, (_, i) => `${start}-${i}`)
    const long = (Sid: string, n: number) =>
      policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: on(`photos/${Sid}${'x'.repeat(n)}`), Sid })
    const nine = (n: number) => Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`n${i}`, long(`n${i}`, n)]))
    const [email, document] = ['full@example.com', READ]
    await apply({ identity_policies: [...named('one'), ...named('other')].map((name) => ({ name, document })) })
    const full = (attached_policies: string[], inline_policies: Record<string, object>) =>
      apply({ users: [{ email, attached_policies, inline_policies: inline_policies as never }] })
    for (const [attached, inline] of [
      [named('one'), { ...nine(880), a: long('a', 880) }],
      [named('other'), { ...nine(880), b: long('b', 880) }],
      [named('one'), { ...nine(976), b: long('b', 10) }],
    ] as const) {
      const { changes } = await full(attached, inline)
      assert.deepEqual(
        changes.map(({ result, problem }) => [result, problem]),
        [['done', undefined]],
      )
      assert.deepEqual((await full(attached, inline)).changes, [])
    }
    const { items } = await server.admin.listUsers()
    await server.admin.deleteUser({ params: { id: items.find((one) => one.email === email)?.id ?? '' } })
    const prune = { identity_policies: wanted.identity_policies ?? [] }
    assert.equal((await apply(prune, { prune: true })).changes.length, 40)
  })
  itOnce('are refused with all that is wrong, and nothing is changed', async () => {
    const bad: Configuration = {
      identity_policies: [
        { name: 'new' },
        { name: 'wrong', document: policy({ Effect: 'Allow', Action: 's3:Fly', Resource: '*' }) },
        { name: 'photos', path: '/other/' },
      ],
      groups: [{ name: 'Public', attached_policies: ['photos'] }],
      users: [
        { email: 'kim@example.com', attached_policies: ['nobodys', 'aws:none', 'photos', 'PHOTOS'] },
        { email: ADMIN.email, inline_policies: { long: policy({ ...READ.Statement[0], Sid: 'x'.repeat(1025) }) } },
      ],
      roles: [
        { name: 'r' },
        {
          name: 's',
          trust: policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: 'arn:aws:iam:::user/gone' } }),
        },
      ],
      access_keys: [
        { access_key_id: 'KIM1', policy: policy({ Effect: 'Allow', Action: 's3:*', Resource: '*', Principal: '*' }) },
      ],
    }
    const faults = await server.records([], async () => {
      const problem = await rejectsWith(apply(bad), 'invalid_request')
      return (problem.problem.errors ?? []).map(({ path }) => path.replace('body.configuration.', ''))
    })
    assert.deepEqual(faults.sort(), [
      'access_keys.0.policy.Statement.0',
      'groups.0.attached_policies',
      'identity_policies.0.document',
      'identity_policies.1.document.Statement.0.Action',
      'identity_policies.2.path',
      'roles.0.trust',
      'roles.1.trust',
      'users.0.attached_policies.0',
      'users.0.attached_policies.1',
      'users.0.attached_policies.3',
      'users.1.inline_policies.long.Statement.0.Sid',
    ])
  })

  it('go with prune unless they are attached, and with whom they belong to', async () => {
    const { changes, kept } = await server.records(
      [{ action: 'identity_policy_detach' }, { action: 'role_delete' }],
      () =>
        apply(
          { identity_policies: [], roles: [], groups: [{ name: 'Viewers', attached_policies: ['photos'] }] },
          { prune: true },
        ),
    )
    assert.deepEqual(
      changes.map(({ kind, name, action }) => `${action} ${kind} ${name}`),
      ['update groups Viewers', 'delete roles Gallery'],
    )
    assert.deepEqual(kept.map(({ kind, name }) => `${kind} ${name}`).sort(), [
      'identity_policies No-Secrets',
      'identity_policies photos',
    ])
    const next = await server.records([{ action: 'identity_policy_delete' }], () =>
      apply({ identity_policies: [{ name: 'photos' }] }, { prune: true }),
    )
    assert.deepEqual(
      next.changes.map(({ action, name }) => `${action} ${name}`),
      ['delete No-Secrets'],
    )
    // The policy of a key goes with its user.
    await server.admin.deleteUser({ params: { id: (await kim()).id } })
    const left = await server.database.db.selectFrom('inline_policies').selectAll().execute()
    assert.deepEqual(left, [])
  })
})
