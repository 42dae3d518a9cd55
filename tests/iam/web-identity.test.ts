// Sessions that tokens of identity providers open: real ones, and those of attackers.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import * as iam from '@aws-sdk/client-iam'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { AssumeRoleWithWebIdentityCommand, type AssumeRoleWithWebIdentityCommandInput } from '@aws-sdk/client-sts'
import { fromTokenFile } from '@aws-sdk/credential-provider-web-identity'
import { UnsecuredJWT } from 'jose'
import { type Pair, s3World } from '../s3/s3.ts'
import { type Idp, newKey, startIdp } from '../support/idp.ts'
import { findPrograms } from '../support/programs.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { ALLOW_S3, ended, policy, sdkClients, tokenOf } from './sessions.ts'

const B = 'shared'
const GROUPS_ROLE = 'arn:aws:iam::000000000000:role/as-my-groups'
const DENIED = 'AccessDenied 403'

/** One whose boto3 takes the endpoint of STS from the environment. */
const HAS_BOTO3 = 'import boto3, botocore; assert tuple(map(int, botocore.__version__.split(".")[:2])) >= (1, 31)'
const python = findPrograms('python3').find((one) => spawnSync(one, ['-c', HAS_BOTO3]).status === 0)

describeEngines('Web identities', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let sdk: ReturnType<typeof sdkClients>
  let admin: iam.IAMClient
  let adminPair: Pair
  /** The service's own provider, and one of a cluster that an administrator has registered. */
  let own: Idp
  let cluster: Idp
  let role: string
  const key = () => cluster.issuer.replace('http://', '')

  before(async () => {
    own = await startIdp([])
    cluster = await startIdp([])
    server = await startServer(engine, { S3_PORT: '0', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', ...own.env })
    world = s3World(server)
    sdk = sdkClients(server)
    adminPair = await world.keyOf()
    admin = sdk.iam(sdk.ofPair(adminPair))
    await server.admin.createBucket({ body: { name: B } })
    await world.clientOf(adminPair).send(new PutObjectCommand({ Bucket: B, Key: 'a.txt', Body: 'hello' }))
    await server.records([{ action: 'oidc_provider_create' }], () =>
      admin.send(new iam.CreateOpenIDConnectProviderCommand({ Url: cluster.issuer, ClientIDList: ['a-pod'] })),
    )
    role = await roleWith({ StringLike: { [`${key()}:sub`]: 'system:serviceaccount:default:*' } })
  })
  after(async () => {
    await server.stop()
    await own.stop()
    await cluster.stop()
  })

  /** Clients have the time from when they are made. */
  async function later(ms: number): Promise<void> {
    await server.later(ms)
    admin = sdk.iam(sdk.ofPair(adminPair))
  }
  let roles = 0
  /** A role that tokens of the cluster may take on, under a condition. */
  async function roleWith(Condition: object, text = ALLOW_S3, more: object = {}): Promise<string> {
    const RoleName = `Pod${++roles}`
    const trust = policy({
      Effect: 'Allow',
      Principal: { Federated: `arn:aws:iam:::oidc-provider/${key()}` },
      Action: ['sts:AssumeRoleWithWebIdentity', 'sts:TagSession'],
      Condition,
      ...more,
    })
    const { Role } = await admin.send(new iam.CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: trust }))
    await admin.send(new iam.PutRolePolicyCommand({ RoleName, PolicyName: 'own', PolicyDocument: text }))
    return Role?.Arn ?? ''
  }
  const assume = async (token: string, RoleArn = role, more: Partial<AssumeRoleWithWebIdentityCommandInput> = {}) => {
    const command = { RoleArn, RoleSessionName: 'pod-1', WebIdentityToken: token, ...more }
    return sdk.anonymousSts().send(new AssumeRoleWithWebIdentityCommand(command))
  }
  const session = async (...of: Parameters<typeof assume>) => sdk.ofSession((await assume(...of)).Credentials)
  const get = (with_: Awaited<ReturnType<typeof session>>) =>
    ended(sdk.s3(with_).send(new GetObjectCommand({ Bucket: B, Key: 'a.txt' })))

  let mapped = 0
  /** Maps the claim `readers` to a new group that may read, for whoever comes with a token; its name, or its id. */
  async function mapReaders(what: 'name' | 'id' = 'name'): Promise<string> {
    const grants = [{ bucket_pattern: B, actions: ['read' as const] }]
    const group = await server.admin.createGroup({ body: { name: `Readers-${++mapped}`, grants } })
    const group_mapping = [{ value: 'readers', group_id: group.id }]
    await server.admin.updateSettings({
      body: { idp: { groups_claim: 'groups', group_mapping }, auth: { auto_create_users: true } },
    })
    return group[what]
  }
  /** A token of the service's own provider about somebody whom it makes a reader. */
  const ofReader = (claims: object = {}) =>
    tokenOf(own, server, { aud: 'strongroom', sub: 'someone', groups: ['readers'], ...claims })

  it('a token of a registered provider opens a session of a role that trusts it', async () => {
    const token = await tokenOf(cluster, server)
    const answer = await server.records([{ action: 'session_open' }], () => assume(token))
    assert.equal(answer.SubjectFromWebIdentityToken, 'system:serviceaccount:default:app')
    assert.equal(answer.Audience, 'a-pod')
    assert.equal(answer.Provider, cluster.issuer)
    const opened = sdk.ofSession(answer.Credentials)
    assert.equal(await get(opened), 'ok')
    await server.records([{ action: 'upload', bucket: B, key: 'b' }], () =>
      sdk.s3(opened).send(new PutObjectCommand({ Bucket: B, Key: 'b', Body: 'b' })),
    )
    const { items } = await server.admin.listAudit({ query: { action: ['upload'], page_size: 1 } })
    const { role: name, session_name, subject } = items[0]?.details ?? {}
    assert.deepEqual(
      { actor: items[0]?.actor, name, session_name, subject },
      {
        actor: { user_id: null, email: null, type: 'role' },
        name: 'Pod1',
        session_name: 'pod-1',
        subject: 'system:serviceaccount:default:app',
      },
    )
  })

  it('the SDK gets there with a file of a token, and nothing else', async () => {
    const file = path.join(server.folder, 'token')
    fs.writeFileSync(file, await tokenOf(cluster, server))
    const provider = fromTokenFile({
      webIdentityTokenFile: file,
      roleArn: role,
      roleSessionName: 'from-file',
      clientConfig: { endpoint: server.running.s3Url ?? '', region: 'us-east-1' },
    })
    const { accessKeyId, secretAccessKey, sessionToken = '' } = await provider()
    server.secrets.add(secretAccessKey).add(sessionToken)
    assert.equal(await get({ accessKeyId, secretAccessKey, sessionToken }), 'ok')
  })

  it('boto3 gets there the same way', {
    skip: python ? false : 'there is no boto3 of 1.31 or newer',
  }, async () => {
    const real = await startServer(engine, { S3_PORT: '0', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' })
    try {
      // A program has the time of its machine.
      real.clock.advance(Date.now() - real.clock.now().getTime())
      await real.later(0)
      const its = sdkClients(real)
      const pair = await s3World(real).keyOf()
      const client = its.iam(its.ofPair(pair))
      await client.send(new iam.CreateOpenIDConnectProviderCommand({ Url: cluster.issuer, ClientIDList: ['a-pod'] }))
      const trust = policy({
        Effect: 'Allow',
        Principal: { Federated: `arn:aws:iam:::oidc-provider/${key()}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
      })
      await client.send(new iam.CreateRoleCommand({ RoleName: 'Pod', AssumeRolePolicyDocument: trust }))
      const own_ = { RoleName: 'Pod', PolicyName: 'own', PolicyDocument: ALLOW_S3 }
      await client.send(new iam.PutRolePolicyCommand(own_))
      const file = path.join(real.folder, 'token')
      fs.writeFileSync(file, await tokenOf(cluster, real))
      const script = `import boto3
s3 = boto3.client('s3')
s3.create_bucket(Bucket='of-a-pod')
s3.put_object(Bucket='of-a-pod', Key='k', Body=b'hello')
print(s3.get_object(Bucket='of-a-pod', Key='k')['Body'].read().decode())
print(boto3.client('sts').get_caller_identity()['Arn'])`
      const { stdout } = await promisify(execFile)(python ?? '', ['-c', script], {
        env: {
          PATH: process.env.PATH,
          AWS_ENDPOINT_URL: real.running.s3Url ?? '',
          AWS_REGION: 'us-east-1',
          AWS_DEFAULT_REGION: 'us-east-1',
          AWS_ROLE_ARN: 'arn:aws:iam:::role/Pod',
          AWS_ROLE_SESSION_NAME: 'pod-2',
          AWS_WEB_IDENTITY_TOKEN_FILE: file,
        },
      })
      assert.deepEqual(stdout.trim().split('\n'), ['hello', 'arn:aws:sts::000000000000:assumed-role/Pod/pod-2'])
    } finally {
      await real.stop()
    }
  })

  it('no token of anybody else opens any', async () => {
    const now = Math.floor(server.clock.now().getTime() / 1000)
    const claims = { iss: cluster.issuer, aud: 'a-pod', sub: 'system:serviceaccount:default:app' }
    const right = await tokenOf(cluster, server)
    const [head = '', body = '', signature = ''] = right.split('.')
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'system:serviceaccount:default:root', exp: now + 60 }))
    const INVALID = 'InvalidIdentityTokenException 400'
    const attacks: [what: string, token: string, ends: string][] = [
      ['another audience', await tokenOf(cluster, server, { aud: 'another' }), INVALID],
      ['no audience', await tokenOf(cluster, server, { aud: undefined }), INVALID],
      ['expired', await tokenOf(cluster, server, { exp: now - 120 }), 'ExpiredTokenException 400'],
      ['without an end', await tokenOf(cluster, server, { exp: undefined }), INVALID],
      ['not yet', await tokenOf(cluster, server, { nbf: now + 3600 }), INVALID],
      ['another subject', await tokenOf(cluster, server, { sub: 'system:serviceaccount:other:app' }), DENIED],
      ['without a subject', await tokenOf(cluster, server, { sub: undefined }), INVALID],
      [
        'another issuer, which is not registered',
        await tokenOf(cluster, server, { iss: 'https://evil.example' }),
        INVALID,
      ],
      ['another issuer, of its own key', await tokenOf(own, server), INVALID],
      ['a token of another provider in its name', await tokenOf(own, server, { iss: cluster.issuer }), INVALID],
      ['a key of the attacker', await tokenOf(cluster, server, {}, newKey(cluster.key.kid)), INVALID],
      ['a key of no known name', await tokenOf(cluster, server, {}, newKey()), INVALID],
      ['not signed', new UnsecuredJWT(claims).setExpirationTime(now + 60).encode(), INVALID],
      ['another body', `${head}.${changed.toString('base64url')}.${signature}`, INVALID],
      ['no signature', `${head}.${body}.`, INVALID],
      ['no token', 'abcdef', INVALID],
    ]
    for (const [what, token, ends] of attacks) assert.equal(await ended(assume(token)), ends, what)
    const rows = await server.database.db
      .selectFrom('audit')
      .select('action')
      .where('action', '=', 'session_denied')
      .execute()
    // Once a minute for each address: they cannot fill the log.
    assert.equal(rows.length, 1)
    assert.equal(await ended(assume(right)), 'ok')
    assert.equal(await ended(assume(right, 'arn:aws:iam::000000000000:role/none')), DENIED)
    assert.equal(await ended(assume(right, GROUPS_ROLE)), DENIED)
  })

  itOnce('conditions on claims, in trust policies and in those of roles', async () => {
    const may = async (Condition: object, claims: object = {}) =>
      ended(assume(await tokenOf(cluster, server, claims), await roleWith(Condition)))
    const of = (claim: string) => `${key()}:${claim}`
    assert.equal(await may({ StringEquals: { [of('aud')]: 'a-pod' } }), 'ok')
    assert.equal(await may({ StringEquals: { [of('app_id')]: 'a-pod' } }), 'ok')
    assert.equal(await may({ StringEquals: { [of('azp')]: 'web' } }, { azp: 'web' }), 'ok')
    assert.equal(await may({ StringEquals: { [of('azp')]: 'web' } }), DENIED)
    assert.equal(await may({ 'ForAnyValue:StringEquals': { [of('groups')]: 'ops' } }, { groups: ['dev', 'ops'] }), 'ok')
    assert.equal(await may({ StringEquals: { 'jwt:sub': 'system:serviceaccount:default:app' } }), 'ok')
    assert.equal(await may({ StringEquals: { 'other.example.com:sub': 'system:serviceaccount:default:app' } }), DENIED)
    const home = policy({ Effect: 'Allow', Action: 's3:*', Resource: `arn:aws:s3:::${B}/\${jwt:team}.txt` })
    const arn = await roleWith({}, home)
    assert.equal(await get(await session(await tokenOf(cluster, server, { team: 'a' }), arn)), 'ok')
    assert.equal(await get(await session(await tokenOf(cluster, server, { team: 'b' }), arn)), DENIED)
    const tags = (principal_tags: object) => ({ 'https://aws.amazon.com/tags': { principal_tags } })
    const tagged = await roleWith(
      { StringEquals: { 'aws:RequestTag/Team': 'a' } },
      policy({
        Effect: 'Allow',
        Action: 's3:*',
        Resource: '*',
        Condition: { StringEquals: { 'aws:PrincipalTag/Team': 'a' } },
      }),
    )
    assert.equal(await get(await session(await tokenOf(cluster, server, tags({ Team: ['a'] })), tagged)), 'ok')
    assert.equal(await ended(assume(await tokenOf(cluster, server, tags({ Team: ['b'] })), tagged)), DENIED)
  })

  it('keys are read again when a provider changes them, and not for every token with another name', async () => {
    await later(60_000)
    const asked = () => cluster.requests.filter((one) => one.endsWith('/jwks')).length
    const before = asked()
    for (let i = 0; i < 5; i++) await ended(assume(await tokenOf(cluster, server, {}, newKey())))
    assert.ok(asked() - before <= 1)
    cluster.rotateKeys()
    await later(60_000)
    assert.equal(await ended(assume(await tokenOf(cluster, server))), 'ok')
    // It is away: what is known of it still counts, for an hour.
    await cluster.stop()
    assert.equal(await ended(assume(await tokenOf(cluster, server))), 'ok')
    await later(3_700_000)
    assert.equal(await ended(assume(await tokenOf(cluster, server))), 'IDPCommunicationErrorException 400')
    await cluster.restart()
    await later(60_000)
    assert.equal(await ended(assume(await tokenOf(cluster, server))), 'ok')
  })

  it('a provider is read only where outbound requests may go', async () => {
    const blocked = await startServer(engine, { S3_PORT: '0' })
    try {
      const own_ = sdkClients(blocked)
      const pair = await s3World(blocked).keyOf()
      const client = own_.iam(own_.ofPair(pair))
      await client.send(new iam.CreateOpenIDConnectProviderCommand({ Url: cluster.issuer, ClientIDList: ['a-pod'] }))
      const before = cluster.requests.length
      const command = {
        RoleArn: 'arn:aws:iam::000000000000:role/any',
        RoleSessionName: 'pod',
        WebIdentityToken: await tokenOf(cluster, blocked),
      }
      assert.equal(
        await ended(own_.anonymousSts().send(new AssumeRoleWithWebIdentityCommand(command))),
        'IDPCommunicationErrorException 400',
      )
      assert.equal(cluster.requests.length, before)
    } finally {
      await blocked.stop()
    }
  })

  it('the service’s own provider counts without being registered, and opens what somebody’s groups may', async () => {
    const group = await server.admin.createGroup({
      body: { name: 'Readers', grants: [{ bucket_pattern: B, actions: ['read'] }] },
    })
    const mapping = [{ value: 'readers', group_id: group.id }]
    await server.admin.updateSettings({ body: { idp: { groups_claim: 'groups', group_mapping: mapping } } })
    const mine = (claims: object = {}) =>
      tokenOf(own, server, {
        aud: 'strongroom',
        sub: 'someone',
        groups: ['readers'],
        email: 's@example.com',
        ...claims,
      })
    // Nobody who could not sign in.
    await server.admin.updateSettings({ body: { auth: { auto_create_users: false } } })
    assert.equal(await ended(assume(await mine(), GROUPS_ROLE)), DENIED)
    await server.admin.updateSettings({ body: { auth: { auto_create_users: true } } })
    const opened = await server.records([{ action: 'session_open' }], async () => session(await mine(), GROUPS_ROLE))
    assert.equal(await get(opened), 'ok')
    assert.equal(await ended(sdk.s3(opened).send(new PutObjectCommand({ Bucket: B, Key: 'x', Body: 'x' }))), DENIED)
    assert.equal(await ended(assume(await mine({ groups: ['others'] }), GROUPS_ROLE)), DENIED)
    assert.equal(await ended(assume(await mine({ aud: 'another' }), GROUPS_ROLE)), 'InvalidIdentityTokenException 400')
    // Narrower, by a policy of the session.
    const narrow = await session(await mine(), GROUPS_ROLE, {
      Policy: policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: `arn:aws:s3:::${B}/other` }),
    })
    assert.equal(await get(narrow), DENIED)
    // What the group may no longer, the session may not.
    await server.admin.updateGroup({ params: { id: group.id }, body: { grants: [] } })
    assert.equal(await get(opened), DENIED)
    const listed = await admin.send(new iam.ListOpenIDConnectProvidersCommand({}))
    assert.equal(listed.OpenIDConnectProviderList?.length, 2)
  })

  it('only a token that was made for the service opens what somebody’s groups may, whatever else is registered', async () => {
    await mapReaders()
    const arn = {
      OpenIDConnectProviderArn: `arn:aws:iam::000000000000:oidc-provider/${own.issuer.replace('http://', '')}`,
    }
    // Who may do everything in IAM, and is no administrator.
    const token = await server.userWith()
    const { email } = await server.as(token).me()
    await admin.send(
      new iam.PutUserPolicyCommand({
        UserName: email,
        PolicyName: 'iam',
        PolicyDocument: policy({ Effect: 'Allow', Action: 'iam:*', Resource: '*' }),
      }),
    )
    const mallory = sdk.iam(sdk.ofPair(await world.keyOf(token)))
    const url = (Url: string) => new iam.CreateOpenIDConnectProviderCommand({ Url, ClientIDList: ['another-app'] })
    assert.equal(await ended(mallory.send(url('https://id.example.com'))), 'ok')
    assert.equal(await ended(mallory.send(url(own.issuer))), DENIED)
    assert.equal(await ended(mallory.send(url(`${own.issuer}/`))), DENIED)
    await server.records([{ action: 'oidc_provider_create' }], () => admin.send(url(own.issuer)))
    const add = new iam.AddClientIDToOpenIDConnectProviderCommand({ ...arn, ClientID: 'mallory-app' })
    assert.equal(await ended(mallory.send(add)), DENIED)
    const INVALID = 'InvalidIdentityTokenException 400'
    const may = async (claims: object, RoleArn = GROUPS_ROLE) => ended(assume(await ofReader(claims), RoleArn))
    assert.equal(await may({ aud: 'another-app' }), INVALID)
    assert.equal(await may({ aud: ['another-app', 'strongroom'], azp: 'another-app' }), INVALID)
    assert.equal(await may({ azp: ['strongroom'] }), INVALID)
    assert.equal(await may({ aud: ['another-app', 'strongroom'], azp: 'strongroom' }), 'ok')
    assert.equal(await may({}), 'ok')
    // A role may trust any of the clients.
    const trust = { Principal: { Federated: arn.OpenIDConnectProviderArn } }
    assert.equal(await may({ aud: 'another-app' }, await roleWith({}, ALLOW_S3, trust)), 'ok')
    assert.equal(await ended(mallory.send(new iam.DeleteOpenIDConnectProviderCommand(arn))), DENIED)
    await admin.send(new iam.DeleteOpenIDConnectProviderCommand(arn))
  })

  it('the policies of its groups count for a session of nobody’s account, as soon as they change', async () => {
    const GroupName = await mapReaders()
    const opened = await session(await ofReader(), GROUPS_ROLE)
    const put = () => ended(sdk.s3(opened).send(new PutObjectCommand({ Bucket: B, Key: 'x', Body: 'x' })))
    assert.deepEqual([await get(opened), await put()], ['ok', DENIED])
    const of = (Effect: string, Action: string) => policy({ Effect, Action, Resource: '*' })
    const inline = { GroupName, PolicyName: 'own' }
    await admin.send(new iam.PutGroupPolicyCommand({ ...inline, PolicyDocument: of('Deny', 's3:GetObject') }))
    assert.deepEqual([await get(opened), await put()], [DENIED, DENIED])
    await admin.send(new iam.PutGroupPolicyCommand({ ...inline, PolicyDocument: of('Allow', 's3:PutObject') }))
    assert.deepEqual([await get(opened), await put()], ['ok', 'ok'])
    await admin.send(new iam.DeleteGroupPolicyCommand(inline))
    assert.deepEqual([await get(opened), await put()], ['ok', DENIED])
    const managed = { PolicyName: 'Writers', PolicyDocument: of('Allow', 's3:PutObject') }
    const PolicyArn = (await admin.send(new iam.CreatePolicyCommand(managed))).Policy?.Arn ?? ''
    await admin.send(new iam.AttachGroupPolicyCommand({ GroupName, PolicyArn }))
    assert.deepEqual([await get(opened), await put()], ['ok', 'ok'])
    const next = { PolicyArn, PolicyDocument: of('Deny', 's3:*'), SetAsDefault: true }
    await admin.send(new iam.CreatePolicyVersionCommand(next))
    assert.deepEqual([await get(opened), await put()], [DENIED, DENIED])
    await admin.send(new iam.DetachGroupPolicyCommand({ GroupName, PolicyArn }))
    assert.deepEqual([await get(opened), await put()], ['ok', DENIED])
  })

  it('a token changes no membership, and opens nothing where it says otherwise than the account', async () => {
    const group_ids = [await mapReaders('id')]
    const body = { email: 'eve@example.com', display_name: 'Eve', password: 'a password of eve', group_ids }
    server.secrets.add(body.password)
    const { id } = await server.admin.createUser({ body })
    await server.admin.updateUser({ params: { id }, body: { idp_subject: 'eve' } })
    const old = await ofReader({ sub: 'eve' })
    const opened = await server.records([{ action: 'session_open' }], () => session(old, GROUPS_ROLE))
    assert.equal(await get(opened), 'ok')
    const groupsOf = async () => (await server.admin.getUser({ params: { id } })).groups.map((one) => one.id)
    // It has been removed since.
    const [group = ''] = group_ids
    await server.admin.removeMembers({ params: { id: group }, body: { user_ids: [id] } })
    assert.equal(await get(opened), DENIED)
    assert.equal(await ended(assume(old, GROUPS_ROLE)), DENIED)
    assert.deepEqual(await groupsOf(), [])
    assert.equal(await get(opened), DENIED)
    const now = await ofReader({ sub: 'eve', groups: [] })
    assert.equal(await ended(assume(now, GROUPS_ROLE)), 'ok')
    await server.admin.addMembers({ params: { id: group }, body: { user_ids: [id] } })
    assert.equal(await ended(assume(now, GROUPS_ROLE)), DENIED)
    assert.deepEqual(await groupsOf(), group_ids)
  })

  it('no session is opened by a provider that is removed while its keys are read', async () => {
    const slow = await startIdp([])
    try {
      const at = `arn:aws:iam::000000000000:oidc-provider/${slow.issuer.replace('http://', '')}`
      await admin.send(new iam.CreateOpenIDConnectProviderCommand({ Url: slow.issuer, ClientIDList: ['a-pod'] }))
      const arn = await roleWith({}, ALLOW_S3, { Principal: { Federated: at } })
      const remove = new iam.DeleteOpenIDConnectProviderCommand({ OpenIDConnectProviderArn: at })
      slow.faults.set('jwks', (response) => {
        const { kid, privateKey } = slow.key
        const key = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }
        admin.send(remove).then(() => response.end(JSON.stringify({ keys: [key] })))
      })
      const asked = assume(await tokenOf(slow, server), arn)
      assert.equal(await ended(asked), 'InvalidIdentityTokenException 400')
    } finally {
      await slow.stop()
    }
  })

  it('the service’s own provider is read as far as any, ends its sessions when it is replaced, and is not asked without end', async () => {
    const other = await startServer(engine, { S3_PORT: '0', RATE_LIMIT_PUBLIC: '10' })
    try {
      const its = sdkClients(other)
      await other.admin.createBucket({ body: { name: B } })
      await s3World(other)
        .clientOf(await s3World(other).keyOf())
        .send(new PutObjectCommand({ Bucket: B, Key: 'a.txt', Body: 'hello' }))
      const grants = [{ bucket_pattern: B, actions: ['read' as const] }]
      const { id: group_id } = await other.admin.createGroup({ body: { name: 'Readers', grants } })
      const idp = {
        issuer_url: own.issuer,
        client_id: 'strongroom',
        groups_claim: 'groups',
        group_mapping: [{ value: 'readers', group_id }],
      }
      await other.admin.updateSettings({ body: { idp, auth: { auto_create_users: true } } })
      const open = async (of: Idp) => {
        const token = await tokenOf(of, other, { aud: 'strongroom', sub: 'someone', groups: ['readers'] })
        const asked = { RoleArn: GROUPS_ROLE, RoleSessionName: 'pod', WebIdentityToken: token }
        return its.anonymousSts().send(new AssumeRoleWithWebIdentityCommand(asked))
      }
      const opened = async (of: Idp) => its.ofSession((await open(of)).Credentials)
      const read = (with_: Awaited<ReturnType<typeof opened>>) =>
        ended(its.s3(with_).send(new GetObjectCommand({ Bucket: B, Key: 'a.txt' })))
      own.faults.set('jwks', (response) => response.end(JSON.stringify({ keys: [], more: 'x'.repeat(262_144) })))
      assert.equal(await ended(open(own)), 'IDPCommunicationErrorException 400')
      assert.match(other.logged(), /more than 262144 bytes/)
      own.faults.clear()
      await other.later(60_000)
      const first = await opened(own)
      assert.equal(await read(first), 'ok')
      await other.admin.updateSettings({ body: { idp: { name: 'Ours' } } })
      assert.equal(await read(first), 'ok')
      await other.admin.updateSettings({ body: { idp: { issuer_url: cluster.issuer } } })
      assert.equal(await read(first), 'InvalidToken 400')
      assert.equal(await ended(open(own)), 'InvalidIdentityTokenException 400')
      const second = await opened(cluster)
      assert.equal(await read(second), 'ok')
      await other.admin.updateSettings({ body: { auth: { enable_idp: false } } })
      assert.equal(await read(second), 'InvalidToken 400')
      await other.admin.updateSettings({ body: { auth: { enable_idp: true, auto_create_users: false } } })
      // An ended session stays ended.
      assert.equal(await read(second), 'InvalidToken 400')
      await other.later(60_000)
      const refusals: string[] = []
      for (let i = 0; i < 6; i++) refusals.push(await ended(open(own)), await ended(open(cluster)))
      assert.deepEqual(new Set(refusals.slice(0, 10)), new Set(['InvalidIdentityTokenException 400', DENIED]))
      assert.deepEqual(refusals.slice(10), ['Throttling 400', 'Throttling 400'])
      await other.admin.updateSettings({ body: { auth: { auto_create_users: true } } })
      assert.equal(await ended(open(cluster)), 'ok')
    } finally {
      own.faults.clear()
      await other.stop()
    }
  })

  it('its sessions end with the provider', async () => {
    const opened = await session(await tokenOf(cluster, server))
    assert.equal(await get(opened), 'ok')
    const arn = { OpenIDConnectProviderArn: `arn:aws:iam::000000000000:oidc-provider/${key()}` }
    const found = await admin.send(new iam.GetOpenIDConnectProviderCommand(arn))
    assert.deepEqual(found.ClientIDList, ['a-pod'])
    await server.records([{ action: 'oidc_provider_update' }], () =>
      admin.send(new iam.AddClientIDToOpenIDConnectProviderCommand({ ...arn, ClientID: 'another' })),
    )
    assert.equal(await ended(assume(await tokenOf(cluster, server, { aud: 'another' }))), 'ok')
    await server.records([{ action: 'oidc_provider_update' }], () =>
      admin.send(new iam.RemoveClientIDFromOpenIDConnectProviderCommand({ ...arn, ClientID: 'another' })),
    )
    assert.equal(
      await ended(assume(await tokenOf(cluster, server, { aud: 'another' }))),
      'InvalidIdentityTokenException 400',
    )
    await server.records([{ action: 'oidc_provider_delete' }], () =>
      admin.send(new iam.DeleteOpenIDConnectProviderCommand(arn)),
    )
    assert.equal(await get(opened), 'InvalidToken 400')
    assert.equal(await ended(assume(await tokenOf(cluster, server))), 'InvalidIdentityTokenException 400')
  })
})
