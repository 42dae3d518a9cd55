// Roles, identity providers and the policies of users, groups and roles through the API: what changes, for whom, and what is recorded.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { GetRoleCommand, type IAMClient } from '@aws-sdk/client-iam'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { AssumeRoleCommand } from '@aws-sdk/client-sts'
import type { Client } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import { s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { ALLOW_S3, ended, policy, sdkClients } from './sessions.ts'

const ACCOUNT = 'arn:aws:iam::000000000000'
const DENIED = [{ action: 'access_denied', result: 'denied' }] as const
const trusting = (who: string) => policy({ Effect: 'Allow', Principal: { AWS: who }, Action: 'sts:AssumeRole' })

describeEngines('Roles and policies of identities in the API', (engine) => {
  let server: TestServer
  let iam: IAMClient
  let sdk: ReturnType<typeof sdkClients>
  let world: ReturnType<typeof s3World>

  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    world = s3World(server)
    sdk = sdkClients(server)
    iam = sdk.iam(sdk.ofPair(await world.keyOf()))
    await server.admin.createBucket({ body: { name: 'photos' } })
    await server.admin.putObject({ params: { bucket: 'photos', key: 'a.txt' }, body: 'hello' })
  })
  after(() => server.stop())

  /** Somebody without permissions, and what a policy of theirs allows. */
  async function somebody(...statements: object[]) {
    const token = await server.userWith()
    const client = server.as(token)
    const { id, email } = await client.me()
    const params = { kind: 'user', owner: id, name: 'own' } as const
    if (statements.length > 0) await server.admin.putInlinePolicy({ params, body: { document: policy(...statements) } })
    return { token, client, id, email }
  }

  it('a role is created, changed, taken on, and deleted with its policies and sessions', async () => {
    const kim = await somebody()
    const pair = sdk.ofPair(await world.keyOf(kim.token))
    const { admin } = server
    const body = { name: 'Reader', trust: trusting(`${ACCOUNT}:user/${kim.email}`), tags: { team: 'web' } }
    const made = await server.records([{ action: 'role_create' }], () => admin.createRole({ body }))
    assert.deepEqual(
      [made.name, made.arn, made.path, made.max_session_seconds, made.tags, made.trust],
      ['Reader', 'arn:aws:iam:::role/Reader', '/', 3600, { team: 'web' }, body.trust],
    )
    const params = { role: 'Reader' }
    assert.deepEqual(await admin.getRole({ params }), made)
    assert.deepEqual((await admin.listRoles({ query: { limit: 1 } })).items, [made])
    const change = { max_session_seconds: 900, description: 'for pods', tags: {} }
    const changed = await server.records([{ action: 'role_update' }], () => admin.updateRole({ params, body: change }))
    assert.deepEqual(changed, { ...made, ...change })
    await server.records([], () => admin.updateRole({ params, body: change }))
    const { Role } = await iam.send(new GetRoleCommand({ RoleName: 'Reader' }))
    assert.equal(Role?.MaxSessionDuration, 900)
    const own = { kind: 'role', owner: 'Reader', name: 'photos' } as const
    await server.records([{ action: 'identity_policy_create' }], () =>
      admin.putInlinePolicy({ params: own, body: { document: ALLOW_S3 } }),
    )
    const assume = () => sdk.sts(pair).send(new AssumeRoleCommand({ RoleArn: made.arn, RoleSessionName: 'pod' }))
    const { Credentials } = await assume()
    const session = sdk.s3(sdk.ofSession(Credentials))
    // As long as the role allows, though nobody asked for less than an hour.
    assert.equal(Credentials?.Expiration?.getTime(), Math.floor(server.clock.now().getTime()) + 900_000)
    const get = () => ended(session.send(new GetObjectCommand({ Bucket: 'photos', Key: 'a.txt' })))
    assert.equal(await get(), 'ok')
    // Nobody else may take it on, from the next request on.
    await server.records([{ action: 'role_update' }], () =>
      admin.updateRole({ params, body: { trust: trusting(`${ACCOUNT}:user/admin@example.com`) } }),
    )
    assert.equal(await ended(assume()), 'AccessDenied 403')
    await server.records([{ action: 'role_delete' }], () => admin.deleteRole({ params }))
    assert.notEqual(await get(), 'ok')
    await rejectsWith(admin.getRole({ params }), 'not_found')
    await rejectsWith(admin.getPoliciesOf({ params: own }), 'not_found')
  })

  it('large bodies are read for those who have a right by a policy alone, and for nobody without any', async () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `${'x'.repeat(100)}${i}`)
    const list = { Effect: 'Allow', Action: 's3:*', Resource: ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*'] }
    const [may, mayNot] = [await somebody(list), await somebody()]
    const remove = ({ client }: typeof may) => client.bulkDelete({ params: { bucket: 'photos' }, body: { keys } })
    const { succeeded, errors } = await server.records([], () => remove(may))
    assert.deepEqual([succeeded.length, new Set(errors.map(({ code }) => code))], [0, new Set(['not_found'])])
    await server.records(DENIED, () => rejectsWith(remove(mayNot), 'forbidden'))
    const job = { kind: 'delete', source_bucket: 'photos', keys } as const
    assert.equal((await may.client.createJob({ body: job })).kind, 'delete')
    await server.records(DENIED, () => rejectsWith(mayNot.client.createJob({ body: job }), 'forbidden'))
  })

  it('what is no trust policy, or no policy, is refused with its place, and nothing is recorded', async () => {
    const { admin } = server
    await server.records([], async () => {
      const bad = policy({ Effect: 'Allow', Principal: '*', Action: 'sts:Assume' })
      const role = { name: 'Bad', trust: bad }
      const { problem } = await rejectsWith(admin.createRole({ body: role }), 'invalid_request', 'body.trust')
      assert.match(problem.errors?.[0]?.message ?? '', /^line 1, column \d+: /)
      await rejectsWith(
        admin.createIdentityPolicy({ body: { name: 'bad', document: '{' } }),
        'invalid_request',
        'body.document',
      )
      const params = { kind: 'group', owner: newId(), name: 'bad' } as const
      await rejectsWith(admin.putInlinePolicy({ params, body: { document: ALLOW_S3 } }), 'not_found')
      for (const seconds of [899, 43_201])
        await rejectsWith(
          admin.createRole({ body: { ...role, max_session_seconds: seconds } }),
          'invalid_request',
          'body.max_session_seconds',
        )
      for (const issuer of ['ftp://id.example.com', 'https://a@b.example', 'https://id.example.com?x', 'https://'])
        await rejectsWith(admin.createOidcProvider({ body: { issuer } }), 'invalid_request', 'body.issuer')
    })
  })

  it('identity providers are registered, changed and removed', async () => {
    const { admin } = server
    const issuer = 'https://token.example.com/x'
    const made = await server.records([{ action: 'oidc_provider_create' }], () =>
      admin.createOidcProvider({ body: { issuer, audiences: ['sts.amazonaws.com'] } }),
    )
    assert.deepEqual(
      [made.key, made.arn, made.audiences, made.own],
      ['token.example.com/x', 'arn:aws:iam:::oidc-provider/token.example.com/x', ['sts.amazonaws.com'], false],
    )
    await rejectsWith(admin.createOidcProvider({ body: { issuer } }), 'already_exists')
    const body = { issuer, audiences: ['a', 'b'] }
    await server.records([{ action: 'oidc_provider_update' }], () => admin.updateOidcProvider({ body }))
    assert.deepEqual((await admin.listOidcProviders()).items, [{ ...made, audiences: ['a', 'b'] }])
    await server.records([{ action: 'oidc_provider_delete' }], () => admin.deleteOidcProvider({ query: { issuer } }))
    await rejectsWith(admin.deleteOidcProvider({ query: { issuer } }), 'not_found')
    await rejectsWith(admin.updateOidcProvider({ body }), 'not_found')
  })

  it('a policy is created, attached, changed, put back, and deleted once it is attached to nobody', async () => {
    const { admin } = server
    const kim = await somebody()
    const of = (action: string) => policy({ Effect: 'Allow', Action: action, Resource: '*' })
    const read = () => kim.client.getObject({ params: { bucket: 'photos', key: 'a.txt' } })
    const made = await server.records([{ action: 'identity_policy_create' }], () =>
      admin.createIdentityPolicy({ body: { name: 'Site', description: 'of the site', document: of('s3:GetObject') } }),
    )
    assert.deepEqual([made.arn, made.version, made.attachments], [`${ACCOUNT}:policy/Site`, 1, 0])
    await rejectsWith(admin.createIdentityPolicy({ body: { name: 'site', document: ALLOW_S3 } }), 'already_exists')
    const params = { kind: 'user', owner: kim.id, policy: made.id } as const
    const policyParams = { policy: made.id }
    await rejectsWith(read(), 'forbidden')
    await server.records([{ action: 'identity_policy_attach' }], () => admin.attachPolicy({ params }))
    await server.records([], () => admin.attachPolicy({ params }))
    await read()
    await rejectsWith(admin.deleteIdentityPolicy({ params: policyParams }), 'not_empty')
    const update = (document: string) => admin.updateIdentityPolicy({ params: policyParams, body: { document } })
    await server.records([{ action: 'identity_policy_update' }], () => update(of('s3:PutObject')))
    await rejectsWith(read(), 'forbidden')
    // Six versions: the oldest goes, and what is in force stays.
    for (const action of ['s3:ListBucket', 's3:DeleteObject', 's3:GetObject', 's3:PutObject']) await update(of(action))
    const detail = await admin.getIdentityPolicy({ params: policyParams })
    assert.deepEqual(
      detail.versions.map(({ version, in_force }) => [version, in_force]),
      [
        [6, true],
        [5, false],
        [4, false],
        [3, false],
        [2, false],
      ],
    )
    assert.deepEqual(detail.attached_to, [{ kind: 'user', id: kim.id, name: kim.email }])
    await server.records([{ action: 'identity_policy_update' }], () =>
      admin.updateIdentityPolicy({ params: policyParams, body: { version: 5 } }),
    )
    await read()
    await rejectsWith(admin.updateIdentityPolicy({ params: policyParams, body: { version: 1 } }), 'not_found')
    const { attached, inline, name } = await admin.getPoliciesOf({ params })
    assert.deepEqual([attached.map((one) => one.name), inline, name], [['Site'], [], kim.email])
    await server.records([{ action: 'identity_policy_detach' }], () => admin.detachPolicy({ params }))
    await rejectsWith(admin.detachPolicy({ params }), 'not_found')
    await rejectsWith(read(), 'forbidden')
    await server.records([{ action: 'identity_policy_delete' }], () =>
      admin.deleteIdentityPolicy({ params: policyParams }),
    )
    await rejectsWith(admin.getIdentityPolicy({ params: policyParams }), 'not_found')
  })

  it('built-in policies are listed first, and neither changed nor deleted', async () => {
    const { admin } = server
    const all: string[] = []
    let cursor: string | undefined
    await admin.createIdentityPolicy({ body: { name: 'aaa', document: ALLOW_S3 } })
    do {
      const page = await admin.listIdentityPolicies({ query: { limit: 2, ...(cursor ? { cursor } : {}) } })
      all.push(...page.items.map(({ name }) => name))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    const builtin = ['consoleAdmin', 'diagnostics', 'readonly', 'readwrite', 'writeonly']
    assert.deepEqual(
      all.filter((one) => builtin.includes(one)),
      builtin,
    )
    assert.equal(all.at(-1), 'aaa')
    assert.equal(new Set(all).size, all.length)
    const params = { policy: 'aws:readonly' }
    const { versions, builtin: isBuiltIn } = await admin.getIdentityPolicy({ params })
    assert.deepEqual([versions.length, isBuiltIn], [1, true])
    await rejectsWith(admin.updateIdentityPolicy({ params, body: { document: ALLOW_S3 } }), 'forbidden')
    await rejectsWith(admin.deleteIdentityPolicy({ params }), 'forbidden')
    await rejectsWith(admin.getIdentityPolicy({ params: { policy: 'aws:nothing' } }), 'not_found')
  })

  it('a group’s own policies count for its members until they go', async () => {
    const { admin } = server
    const kim = await somebody()
    const group = await admin.createGroup({ body: { name: 'team' } })
    await admin.addMembers({ params: { id: group.id }, body: { user_ids: [kim.id] } })
    const params = { kind: 'group', owner: group.id, name: 'own' } as const
    const read = () => kim.client.getObject({ params: { bucket: 'photos', key: 'a.txt' } })
    await admin.putInlinePolicy({ params, body: { document: ALLOW_S3 } })
    assert.equal((await admin.getInlinePolicy({ params })).document, ALLOW_S3)
    await read()
    const deny = policy({ Effect: 'Deny', Action: 's3:GetObject', Resource: '*' })
    await server.records([{ action: 'identity_policy_update' }], () =>
      admin.putInlinePolicy({ params, body: { document: deny } }),
    )
    await rejectsWith(read(), 'forbidden')
    await server.records([{ action: 'identity_policy_delete' }], () => admin.deleteInlinePolicy({ params }))
    await rejectsWith(admin.getInlinePolicy({ params }), 'not_found')
  })

  it('who may what a policy allows may that alone, and no policy reaches an administrator', async () => {
    const some = { kind: 'user', owner: (await somebody()).id, name: 'x' } as const
    const boss = { kind: 'user', owner: (await server.admin.me()).id, name: 'x' } as const
    const { groups } = await server.admin.getUser({ params: { id: boss.owner } })
    const administrators = { kind: 'group', owner: groups[0]?.id ?? '', name: 'x' } as const
    const helper = await somebody(
      { Effect: 'Allow', Action: ['iam:*UserPolicy', 'iam:*GroupPolicy', 'iam:GetRole'], Resource: '*' },
      { Effect: 'Deny', Action: 'iam:PutUserPolicy', Resource: `${ACCOUNT}:user/admin*` },
    )
    const { client } = helper
    const put = (params: Parameters<Client['putInlinePolicy']>[0]['params']) =>
      client.putInlinePolicy({ params, body: { document: ALLOW_S3 } })
    await server.records([{ action: 'identity_policy_create' }], () => put(some))
    for (const owner of [boss, administrators]) await server.records(DENIED, () => rejectsWith(put(owner), 'forbidden'))
    const attach = { ...administrators, policy: 'aws:readonly' }
    await server.records(DENIED, () => rejectsWith(client.attachPolicy({ params: attach }), 'forbidden'))
    const refused: (() => Promise<unknown>)[] = [
      () => client.createRole({ body: { name: 'Mine', trust: trusting(`${ACCOUNT}:user/${helper.email}`) } }),
      () => client.createIdentityPolicy({ body: { name: 'mine', document: ALLOW_S3 } }),
      () => client.listRoles(),
      () => client.listOidcProviders(),
      () => client.createOidcProvider({ body: { issuer: 'https://mine.example.com' } }),
      () => client.updateRole({ params: { role: 'None' }, body: { description: 'x' } }),
    ]
    for (const attempt of refused) await server.records(DENIED, () => rejectsWith(attempt(), 'forbidden'))
    // Whose an id is, and that there is none, is told to those who may ask.
    await rejectsWith(client.getRole({ params: { role: 'None' } }), 'not_found')
    const nobody = (await somebody()).client
    const unknown = { kind: 'user', owner: newId(), name: 'x' } as const
    for (const params of [some, unknown]) {
      const { message } = await rejectsWith(nobody.getInlinePolicy({ params }), 'forbidden')
      assert.match(message, new RegExp(`user/${params.owner}$`))
    }
  })
})
