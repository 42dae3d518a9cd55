// AWS' IAM API on the S3 port, asked by AWS' client: what it makes of users, groups, keys and policies counts at every door.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  AddUserToGroupCommand,
  AttachGroupPolicyCommand,
  AttachUserPolicyCommand,
  CreateAccessKeyCommand,
  CreateGroupCommand,
  CreatePolicyCommand,
  CreatePolicyVersionCommand,
  CreateUserCommand,
  DeleteAccessKeyCommand,
  DeleteGroupCommand,
  DeleteGroupPolicyCommand,
  DeletePolicyCommand,
  DeletePolicyVersionCommand,
  DeleteUserCommand,
  DeleteUserPolicyCommand,
  DetachGroupPolicyCommand,
  DetachUserPolicyCommand,
  GetAccessKeyLastUsedCommand,
  GetAccountSummaryCommand,
  GetGroupCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetUserCommand,
  GetUserPolicyCommand,
  type IAMClient,
  ListAccessKeysCommand,
  ListAttachedUserPoliciesCommand,
  ListEntitiesForPolicyCommand,
  ListGroupsForUserCommand,
  ListPoliciesCommand,
  ListPolicyVersionsCommand,
  ListUserPoliciesCommand,
  ListUsersCommand,
  PutGroupPolicyCommand,
  PutUserPolicyCommand,
  RemoveUserFromGroupCommand,
  SetDefaultPolicyVersionCommand,
  SimulatePrincipalPolicyCommand,
  UpdateAccessKeyCommand,
  UpdateGroupCommand,
  UpdateUserCommand,
} from '@aws-sdk/client-iam'
import { GetObjectCommand, ListBucketsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { clientTo, outcome, type Pair, s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { withTwin } from '../support/twin.ts'
import { iamClientOf } from './iam.ts'

const policyOf = (Action: string | string[], Resource: string, Effect = 'Allow') =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect, Action, Resource }] })
const ACCOUNT = '000000000000'

describeEngines('The IAM API', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let admin: Pair
  let iam: IAMClient
  let s3: S3Client

  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    world = s3World(server)
    admin = await world.keyOf()
    iam = iamClientOf(server, admin)
    s3 = world.clientOf(admin)
    await server.admin.createBucket({ body: { name: 'reports' } })
    await s3.send(new PutObjectCommand({ Bucket: 'reports', Key: 'a.txt', Body: 'a' }))
  })
  after(() => server.stop())

  /** A service account with a key. */
  async function account(name: string): Promise<Pair & { client: S3Client; iam: IAMClient }> {
    await iam.send(new CreateUserCommand({ UserName: name }))
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: name }))
    const pair = {
      id: name,
      access_key_id: AccessKey?.AccessKeyId ?? '',
      secret_access_key: AccessKey?.SecretAccessKey ?? '',
    }
    server.secrets.add(pair.secret_access_key)
    return { ...pair, client: world.clientOf(pair), iam: iamClientOf(server, pair) }
  }
  const reads = (client: S3Client) => outcome(client.send(new GetObjectCommand({ Bucket: 'reports', Key: 'a.txt' })))

  it('creates service accounts with paths, renames, lists and deletes them', async () => {
    const created = await server.records([{ action: 'user_create' }], () =>
      iam.send(new CreateUserCommand({ UserName: 'Deploy', Path: '/ci/' })),
    )
    assert.equal(created.User?.Arn, `arn:aws:iam::${ACCOUNT}:user/ci/Deploy`)
    assert.equal(created.User?.Path, '/ci/')
    await rejectsNamed(iam.send(new CreateUserCommand({ UserName: 'deploy' })), 'EntityAlreadyExistsException')
    const got = await server.records([], () => iam.send(new GetUserCommand({ UserName: 'DEPLOY' })))
    assert.deepEqual(got.User, created.User)
    await server.records([{ action: 'user_update' }], () =>
      iam.send(new UpdateUserCommand({ UserName: 'Deploy', NewUserName: 'Deployer', NewPath: '/ci/old/' })),
    )
    await server.records([], () => iam.send(new UpdateUserCommand({ UserName: 'Deployer' })))
    await rejectsNamed(iam.send(new GetUserCommand({ UserName: 'Deploy' })), 'NoSuchEntityException')
    for (const name of ['b', 'C', 'a']) await iam.send(new CreateUserCommand({ UserName: name, Path: '/list/' }))
    const names: string[] = []
    for (let Marker: string | undefined, more = true; more; ) {
      const page = await iam.send(new ListUsersCommand({ PathPrefix: '/list/', MaxItems: 2, Marker }))
      names.push(...(page.Users ?? []).map(({ UserName }) => UserName ?? ''))
      Marker = page.Marker
      more = page.IsTruncated ?? false
    }
    assert.deepEqual(names, ['a', 'b', 'C'])
    // In the console it is a user, who can never sign in.
    const [shown] = (await server.admin.listUsers({ query: { q: 'deployer' } })).items
    assert.equal(shown?.email, 'Deployer@iam.invalid')
    assert.equal(shown?.is_service_account, true)
    await rejectsWith(
      server.admin.updateUser({ params: { id: shown?.id ?? '' }, body: { password: 'a long enough password' } }),
      'conflict',
    )
    await rejectsWith(server.admin.inviteUser({ params: { id: shown?.id ?? '' } }), 'conflict')
    await server.records([{ action: 'user_delete' }], () => iam.send(new DeleteUserCommand({ UserName: 'Deployer' })))
    await rejectsNamed(iam.send(new DeleteUserCommand({ UserName: 'Deployer' })), 'NoSuchEntityException')
  })

  it('names people by their addresses, and administrators as the root of the account', async () => {
    const me = await iam.send(new GetUserCommand({}))
    assert.equal(me.User?.Arn, `arn:aws:iam::${ACCOUNT}:root`)
    const { User } = await iam.send(new GetUserCommand({ UserName: 'admin@example.com' }))
    assert.equal(User?.Arn, `arn:aws:iam::${ACCOUNT}:user/admin@example.com`)
    await rejectsNamed(
      iam.send(new UpdateUserCommand({ UserName: 'admin@example.com', NewUserName: 'boss' })),
      'UnmodifiableEntityException',
    )
  })

  it('gives keys, turns them off and on, and ends them at the next request', async () => {
    const { client, access_key_id } = await account('keyed')
    await iam.send(
      new PutUserPolicyCommand({
        UserName: 'keyed',
        PolicyName: 'read',
        PolicyDocument: policyOf('s3:GetObject', 'arn:aws:s3:::reports/*'),
      }),
    )
    assert.equal(await reads(client), 'ok')
    const update = (Status: 'Active' | 'Inactive') =>
      iam.send(new UpdateAccessKeyCommand({ UserName: 'keyed', AccessKeyId: access_key_id, Status }))
    await server.records([{ action: 'access_key_update' }], () => update('Inactive'))
    assert.equal(await reads(client), 'InvalidAccessKeyId')
    const listed = await iam.send(new ListAccessKeysCommand({ UserName: 'keyed' }))
    assert.deepEqual(
      listed.AccessKeyMetadata?.map(({ Status }) => Status),
      ['Inactive'],
    )
    await server.records([], () => update('Inactive'))
    const [{ id } = { id: '' }] = (await server.admin.listUsers({ query: { q: 'keyed' } })).items
    const [shown] = (await server.admin.listUserAccessKeys({ params: { id } })).items
    assert.equal(shown?.status, 'inactive')
    await update('Active')
    assert.equal(await reads(client), 'ok')
    const used = await iam.send(new GetAccessKeyLastUsedCommand({ AccessKeyId: access_key_id }))
    assert.equal(used.UserName, 'keyed')
    await rejectsNamed(iam.send(new DeleteUserCommand({ UserName: 'keyed' })), 'DeleteConflictException')
    await server.records([{ action: 'access_key_revoke' }], () =>
      iam.send(new DeleteAccessKeyCommand({ UserName: 'keyed', AccessKeyId: access_key_id })),
    )
    assert.equal(await reads(client), 'InvalidAccessKeyId')
    await rejectsNamed(
      iam.send(new DeleteAccessKeyCommand({ UserName: 'keyed', AccessKeyId: access_key_id })),
      'NoSuchEntityException',
    )
    await rejectsNamed(
      iam.send(new UpdateAccessKeyCommand({ AccessKeyId: 'abcdefghijklmnopqrstu', Status: 'Active' })),
      'NoSuchEntityException',
    )
  })

  it('keeps policies of users, which count from the next request on', async () => {
    const { client } = await account('inline')
    assert.equal(await reads(client), 'AccessDenied')
    assert.equal(await outcome(client.send(new ListBucketsCommand({}))), 'AccessDenied')
    const PolicyDocument = policyOf('s3:GetObject', 'arn:aws:s3:::reports/*')
    const of = { UserName: 'inline', PolicyName: 'read' }
    await server.records([{ action: 'identity_policy_create' }], () =>
      iam.send(new PutUserPolicyCommand({ ...of, PolicyDocument })),
    )
    assert.equal(await reads(client), 'ok')
    const got = await iam.send(new GetUserPolicyCommand(of))
    assert.equal(decodeURIComponent(got.PolicyDocument ?? ''), PolicyDocument)
    await server.records([{ action: 'identity_policy_update' }], () =>
      iam.send(new PutUserPolicyCommand({ ...of, PolicyDocument: policyOf('s3:*', '*', 'Deny') })),
    )
    assert.equal(await reads(client), 'AccessDenied')
    assert.deepEqual((await iam.send(new ListUserPoliciesCommand({ UserName: 'inline' }))).PolicyNames, ['read'])
    await server.records([{ action: 'identity_policy_delete' }], () => iam.send(new DeleteUserPolicyCommand(of)))
    await rejectsNamed(iam.send(new DeleteUserPolicyCommand(of)), 'NoSuchEntityException')
    await rejectsNamed(iam.send(new GetUserPolicyCommand(of)), 'NoSuchEntityException')
    for (const text of ['{', policyOf('s3:Nothing', '*'), JSON.stringify({ Version: '2010-10-17', Statement: [] })])
      await server.records([], () =>
        rejectsNamed(
          iam.send(new PutUserPolicyCommand({ ...of, PolicyDocument: text })),
          'MalformedPolicyDocumentException',
        ),
      )
    await rejectsNamed(
      iam.send(new PutUserPolicyCommand({ ...of, PolicyDocument: policyOf(Array(700).fill('s3:GetObject'), '*') })),
      'MalformedPolicyDocumentException',
    )
  })

  it('keeps managed policies with versions; the default one counts', async () => {
    const { client } = await account('managed')
    const reading = policyOf('s3:GetObject', 'arn:aws:s3:::reports/*')
    const { Policy } = await server.records([{ action: 'identity_policy_create' }], () =>
      iam.send(new CreatePolicyCommand({ PolicyName: 'Reports', Path: '/team/', PolicyDocument: reading })),
    )
    const PolicyArn = Policy?.Arn
    assert.equal(PolicyArn, `arn:aws:iam::${ACCOUNT}:policy/team/Reports`)
    await rejectsNamed(
      iam.send(new CreatePolicyCommand({ PolicyName: 'reports', PolicyDocument: reading })),
      'EntityAlreadyExistsException',
    )
    const attach = () => iam.send(new AttachUserPolicyCommand({ UserName: 'managed', PolicyArn }))
    await server.records([{ action: 'identity_policy_attach' }], attach)
    await server.records([], attach)
    assert.equal(await reads(client), 'ok')
    const PolicyDocument = policyOf('s3:PutObject', 'arn:aws:s3:::reports/*')
    await server.records([{ action: 'identity_policy_update' }], () =>
      iam.send(new CreatePolicyVersionCommand({ PolicyArn, PolicyDocument })),
    )
    assert.equal(await reads(client), 'ok')
    await server.records([{ action: 'identity_policy_update' }], () =>
      iam.send(new SetDefaultPolicyVersionCommand({ PolicyArn, VersionId: 'v2' })),
    )
    assert.equal(await reads(client), 'AccessDenied')
    const version = await iam.send(new GetPolicyVersionCommand({ PolicyArn, VersionId: 'v2' }))
    assert.equal(decodeURIComponent(version.PolicyVersion?.Document ?? ''), PolicyDocument)
    for (let n = 0; n < 3; n++) await iam.send(new CreatePolicyVersionCommand({ PolicyArn, PolicyDocument }))
    await rejectsNamed(
      iam.send(new CreatePolicyVersionCommand({ PolicyArn, PolicyDocument })),
      'LimitExceededException',
    )
    assert.deepEqual(
      (await iam.send(new ListPolicyVersionsCommand({ PolicyArn }))).Versions?.map((one) => one.VersionId),
      ['v5', 'v4', 'v3', 'v2', 'v1'],
    )
    assert.equal((await iam.send(new GetPolicyCommand({ PolicyArn }))).Policy?.AttachmentCount, 1)
    const entities = await iam.send(new ListEntitiesForPolicyCommand({ PolicyArn }))
    assert.deepEqual(
      entities.PolicyUsers?.map(({ UserName }) => UserName),
      ['managed'],
    )
    await rejectsNamed(iam.send(new DeletePolicyCommand({ PolicyArn })), 'DeleteConflictException')
    await rejectsNamed(
      iam.send(new DeletePolicyVersionCommand({ PolicyArn, VersionId: 'v2' })),
      'DeleteConflictException',
    )
    for (const VersionId of ['v1', 'v3', 'v4', 'v5'])
      await iam.send(new DeletePolicyVersionCommand({ PolicyArn, VersionId }))
    const detach = () => iam.send(new DetachUserPolicyCommand({ UserName: 'managed', PolicyArn }))
    await server.records([{ action: 'identity_policy_detach' }], detach)
    await rejectsNamed(detach(), 'NoSuchEntityException')
    await server.records([{ action: 'identity_policy_delete' }], () => iam.send(new DeletePolicyCommand({ PolicyArn })))
    await rejectsNamed(iam.send(new GetPolicyCommand({ PolicyArn })), 'NoSuchEntityException')
  })

  it("knows MinIO's policies by name, and AWS'", async () => {
    const { client } = await account('minio')
    const arn = (name: string) => `arn:aws:iam::aws:policy/${name}`
    const use = async (name: string) => {
      await iam.send(new AttachUserPolicyCommand({ UserName: 'minio', PolicyArn: arn(name) }))
      const may = {
        read: await reads(client),
        write: await outcome(client.send(new PutObjectCommand({ Bucket: 'reports', Key: name, Body: name }))),
      }
      await iam.send(new DetachUserPolicyCommand({ UserName: 'minio', PolicyArn: arn(name) }))
      return may
    }
    assert.deepEqual(await use('readonly'), { read: 'ok', write: 'AccessDenied' })
    assert.deepEqual(await use('writeonly'), { read: 'AccessDenied', write: 'ok' })
    for (const name of ['readwrite', 'consoleAdmin', 'AmazonS3FullAccess'])
      assert.deepEqual(await use(name), { read: 'ok', write: 'ok' }, name)
    assert.deepEqual(await use('diagnostics'), { read: 'AccessDenied', write: 'AccessDenied' })
    await rejectsNamed(iam.send(new DeletePolicyCommand({ PolicyArn: arn('readonly') })), 'AccessDenied')
    const { Policies } = await iam.send(new ListPoliciesCommand({ Scope: 'AWS' }))
    assert.ok(Policies?.some(({ PolicyName }) => PolicyName === 'diagnostics'))
  })

  it('keeps groups with policies, which count for their members', async () => {
    const { client } = await account('member')
    await server.records([{ action: 'group_create' }], () =>
      iam.send(new CreateGroupCommand({ GroupName: 'Readers', Path: '/teams/' })),
    )
    const put = () =>
      iam.send(
        new PutGroupPolicyCommand({
          GroupName: 'readers',
          PolicyName: 'read',
          PolicyDocument: policyOf('s3:GetObject', '*'),
        }),
      )
    await server.records([{ action: 'identity_policy_create' }], put)
    assert.equal(await reads(client), 'AccessDenied')
    const membership = { GroupName: 'Readers', UserName: 'member' }
    await server.records([{ action: 'group_update' }], () => iam.send(new AddUserToGroupCommand(membership)))
    assert.equal(await reads(client), 'ok')
    await server.records([{ action: 'group_update' }], () =>
      iam.send(new UpdateGroupCommand({ GroupName: 'Readers', NewGroupName: 'Viewers', NewPath: '/' })),
    )
    const { Groups } = await iam.send(new ListGroupsForUserCommand({ UserName: 'member' }))
    assert.deepEqual(
      Groups?.map(({ Arn }) => Arn),
      [`arn:aws:iam::${ACCOUNT}:group/Viewers`],
    )
    const { Users } = await iam.send(new GetGroupCommand({ GroupName: 'Viewers' }))
    assert.deepEqual(
      Users?.map(({ UserName }) => UserName),
      ['member'],
    )
    membership.GroupName = 'Viewers'
    await rejectsNamed(iam.send(new DeleteGroupCommand({ GroupName: 'Viewers' })), 'DeleteConflictException')
    await iam.send(new RemoveUserFromGroupCommand(membership))
    assert.equal(await reads(client), 'AccessDenied')
    await rejectsNamed(iam.send(new RemoveUserFromGroupCommand(membership)), 'NoSuchEntityException')
    await iam.send(new AddUserToGroupCommand(membership))
    await iam.send(new DeleteGroupPolicyCommand({ GroupName: 'Viewers', PolicyName: 'read' }))
    assert.equal(await reads(client), 'AccessDenied')
    const PolicyArn = 'arn:aws:iam::aws:policy/readonly'
    await iam.send(new AttachGroupPolicyCommand({ GroupName: 'Viewers', PolicyArn }))
    assert.equal(await reads(client), 'ok')
    await iam.send(new DetachGroupPolicyCommand({ GroupName: 'Viewers', PolicyArn }))
    await iam.send(new RemoveUserFromGroupCommand(membership))
    await server.records([{ action: 'group_delete' }], () => iam.send(new DeleteGroupCommand({ GroupName: 'Viewers' })))
  })

  it('has a Deny of a user hold at every door, administrators too; the way back is open', async () => {
    const token = await server.userWith({ bucket_pattern: '*', actions: ['list', 'read', 'write', 'share'] })
    const client = server.as(token)
    const { email, id } = await client.me()
    const link = await client.createShare({ body: { kind: 'object', bucket: 'reports', key: 'a.txt' } })
    const at = { params: { bucket: 'reports', key: 'a.txt' } }
    const follow = async () => (await fetch(`${server.url}/api/v1/public/s/${link.token}`)).status
    assert.equal(await follow(), 200)
    await client.getObject(at)
    const deny = { UserName: email, PolicyName: 'no' }
    await iam.send(new PutUserPolicyCommand({ ...deny, PolicyDocument: policyOf('s3:GetObject', '*', 'Deny') }))
    await rejectsWith(client.getObject(at), 'forbidden')
    assert.notEqual(await follow(), 200)
    const explained = await server.admin.explainPermission({
      query: { user_id: id, action: 'read', bucket: 'reports', key: 'a.txt' },
    })
    assert.equal(explained.statement?.policy_of, 'caller')
    await iam.send(new DeleteUserPolicyCommand(deny))
    assert.equal(await follow(), 200)

    const own = { UserName: 'admin@example.com', PolicyName: 'all' }
    await iam.send(new PutUserPolicyCommand({ ...own, PolicyDocument: policyOf('*', '*', 'Deny') }))
    assert.equal(await reads(s3), 'AccessDenied')
    await rejectsNamed(iam.send(new GetAccountSummaryCommand({})), 'AccessDenied')
    await iam.send(new DeleteUserPolicyCommand(own))
    assert.equal(await reads(s3), 'ok')
  })

  it('is for administrators, and those whose policies allow it; nobody takes over an administrator', async () => {
    const { iam: theirs } = await account('operator')
    const denied = [{ action: 'access_denied', result: 'denied' }] as const
    await server.records(denied, () => rejectsNamed(theirs.send(new GetAccountSummaryCommand({})), 'AccessDenied'))
    await iam.send(
      new PutUserPolicyCommand({
        UserName: 'operator',
        PolicyName: 'iam',
        PolicyDocument: policyOf('iam:*', `arn:aws:iam::${ACCOUNT}:user/dev/*`),
      }),
    )
    await theirs.send(new CreateUserCommand({ UserName: 'bob', Path: '/dev/' }))
    await rejectsNamed(theirs.send(new CreateUserCommand({ UserName: 'eve', Path: '/ops/' })), 'AccessDenied')
    await rejectsNamed(theirs.send(new UpdateUserCommand({ UserName: 'bob', NewPath: '/ops/' })), 'AccessDenied')
    await rejectsNamed(theirs.send(new DeleteUserCommand({ UserName: 'nobody' })), 'AccessDenied')
    await iam.send(
      new PutUserPolicyCommand({ UserName: 'operator', PolicyName: 'iam', PolicyDocument: policyOf('iam:*', '*') }),
    )
    await theirs.send(new GetAccountSummaryCommand({}))
    for (const attempt of [
      new CreateAccessKeyCommand({ UserName: 'admin@example.com' }),
      new UpdateUserCommand({ UserName: 'admin@example.com', NewPath: '/x/' }),
      new AddUserToGroupCommand({ GroupName: 'Administrators', UserName: 'operator' }),
      new PutUserPolicyCommand({
        UserName: 'admin@example.com',
        PolicyName: 'no',
        PolicyDocument: policyOf('*', '*', 'Deny'),
      }),
      new PutGroupPolicyCommand({
        GroupName: 'Administrators',
        PolicyName: 'no',
        PolicyDocument: policyOf('*', '*', 'Deny'),
      }),
      new DeleteUserCommand({ UserName: 'admin@example.com' }),
    ])
      await rejectsNamed(theirs.send(attempt as never), 'AccessDenied')
    // Only over TLS: this is none.
    await iam.send(
      new PutUserPolicyCommand({
        UserName: 'operator',
        PolicyName: 'tls',
        PolicyDocument: JSON.stringify({
          Version: '2012-10-17',
          Statement: {
            Effect: 'Deny',
            Action: '*',
            Resource: '*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        }),
      }),
    )
    await rejectsNamed(theirs.send(new GetAccountSummaryCommand({})), 'AccessDenied')
    await iam.send(new DeleteUserPolicyCommand({ UserName: 'operator', PolicyName: 'tls' }))
    const { AccessKeyMetadata = [] } = await iam.send(new ListAccessKeysCommand({ UserName: 'operator' }))
    await theirs.send(new GetAccountSummaryCommand({}))
    for (const { AccessKeyId } of AccessKeyMetadata)
      await iam.send(new DeleteAccessKeyCommand({ UserName: 'operator', AccessKeyId }))
    await rejectsNamed(theirs.send(new GetAccountSummaryCommand({})), 'InvalidClientTokenId')
    // A credential with a scope is for buckets.
    const scoped = iamClientOf(server, await world.keyOf(undefined, [{ bucket: '*', actions: ['read'] }]))
    await rejectsNamed(scoped.send(new GetAccountSummaryCommand({})), 'AccessDenied')
  })

  it('counts at the next request in every process', async () => {
    const { twin } = await withTwin(server, engine)
    if (!twin) return
    const { access_key_id, secret_access_key } = await account('twin')
    const elsewhere = clientTo(
      new URL(twin.s3Url ?? ''),
      { id: '', access_key_id, secret_access_key },
      {
        systemClockOffset: server.clock.now().getTime() - Date.now(),
      },
    )
    const policy = { UserName: 'twin', PolicyName: 'read', PolicyDocument: policyOf('s3:GetObject', '*') }
    const membership = { GroupName: 'Twins', UserName: 'twin' }
    await iam.send(new CreateGroupCommand({ GroupName: 'Twins' }))
    await iam.send(new PutGroupPolicyCommand({ ...policy, GroupName: 'Twins' }))
    for (let round = 0; round < 5; round++) {
      assert.equal(await reads(elsewhere), 'AccessDenied')
      await iam.send(new PutUserPolicyCommand(policy))
      assert.equal(await reads(elsewhere), 'ok')
      await iam.send(new DeleteUserPolicyCommand(policy))
      assert.equal(await reads(elsewhere), 'AccessDenied')
      await iam.send(new AddUserToGroupCommand(membership))
      assert.equal(await reads(elsewhere), 'ok')
      await iam.send(new RemoveUserFromGroupCommand(membership))
    }
    await twin.stop()
  })

  it('simulates what would be decided', async () => {
    await account('simulated')
    await iam.send(
      new PutUserPolicyCommand({
        UserName: 'simulated',
        PolicyName: 'p',
        PolicyDocument: JSON.stringify({
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::reports/*' },
            {
              Sid: 'FromHere',
              Effect: 'Deny',
              Action: 's3:GetObject',
              Resource: '*',
              Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } },
            },
          ],
        }),
      }),
    )
    const simulate = async (address: string) => {
      const { EvaluationResults } = await server.records([], () =>
        iam.send(
          new SimulatePrincipalPolicyCommand({
            PolicySourceArn: `arn:aws:iam::${ACCOUNT}:user/simulated`,
            ActionNames: ['s3:GetObject', 's3:PutObject', 'iam:GetUser'],
            ResourceArns: ['arn:aws:s3:::reports/a.txt'],
            ContextEntries: [{ ContextKeyName: 'aws:SourceIp', ContextKeyType: 'ip', ContextKeyValues: [address] }],
          }),
        ),
      )
      return EvaluationResults?.map(({ EvalDecision }) => EvalDecision)
    }
    assert.deepEqual(await simulate('198.51.100.1'), ['allowed', 'implicitDeny', 'implicitDeny'])
    assert.deepEqual(await simulate('192.0.2.1'), ['explicitDeny', 'implicitDeny', 'implicitDeny'])
  })

  itOnce('refuses what is no request of it, at no more than its length, and changes nothing', async () => {
    const post = async (body: string, more: Record<string, string> = {}, as: Pair | null = admin) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', ...more }
      const path = '/'
      const signed = as ? await world.signed(as, { method: 'POST', path, headers, body }) : headers
      return world.send('POST', path, { ...signed, 'content-length': String(Buffer.byteLength(body)) }, body)
    }
    const V = 'Version=2010-05-08'
    await server.records([], async () => {
      const cases: [body: string, code: string, status: number][] = [
        ['', 'MissingAction', 400],
        [V, 'MissingAction', 400],
        [`Action=CreateEverything&${V}`, 'InvalidAction', 400],
        ['Action=GetUser&Version=2011-06-15', 'InvalidAction', 400],
        [`Action=GetUser&Action=GetUser&${V}`, 'MalformedQueryString', 400],
        [`Action=GetUser&${V}&UserName=%ff`, 'MalformedQueryString', 400],
        [`Action=GetUser&${V}&UserName=%zz`, 'MalformedQueryString', 400],
        [`Action=GetUser&${V}&UserName=%00`, 'MalformedQueryString', 400],
        [`Action=GetUser&${V}&UserName=`, 'ValidationError', 400],
        [`Action=GetUser&${V}&UserName=a%20b`, 'ValidationError', 400],
        [`Action=CreateUser&${V}`, 'ValidationError', 400],
        [`Action=CreateUser&${V}&UserName=x&Path=nowhere`, 'ValidationError', 400],
        [`Action=CreateUser&${V}&UserName=${'x'.repeat(65)}`, 'ValidationError', 400],
        [`Action=CreateUser&${V}&UserName=a@@b`, 'ValidationError', 400],
        [`Action=CreateUser&${V}&UserName=a@iam.invalid`, 'ValidationError', 400],
        [`Action=CreateUser&${V}&UserName=x&PermissionsBoundary=y`, 'NotImplemented', 501],
        [`Action=CreateUser&${V}&UserName=x&Tags.member.1.Key=y`, 'NotImplemented', 501],
        [`Action=ListUsers&${V}&MaxItems=0`, 'ValidationError', 400],
        [`Action=ListUsers&${V}&MaxItems=1e3`, 'ValidationError', 400],
        ['&'.repeat(5000), 'MalformedQueryString', 400],
        [`Action=GetUser&${V}&UserName=${'x'.repeat(140_000)}`, 'RequestEntityTooLarge', 413],
      ]
      for (const [body, code, status] of cases) {
        const answer = await post(body)
        assert.deepEqual([answer.code, answer.status], [code, status], body.slice(0, 100))
      }
      const action = `Action=ListUsers&${V}`
      assert.equal((await post(action, {}, null)).code, 'MissingAuthenticationToken')
      assert.equal((await post(action, { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })).code, 'SignatureDoesNotMatch')
      const signed = await world.signed(admin, {
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: action,
      })
      // Another body than the one that was signed.
      assert.equal((await world.send('POST', '/', signed, `${action}&MaxItems=1`)).code, 'SignatureDoesNotMatch')
      assert.equal((await world.send('POST', '/?UserName=x', signed, action)).code, 'MalformedQueryString')
    })
  })

  itOnce("answers clients of MinIO's admin API with our way", async () => {
    const path = '/minio/admin/v3/add-user?accessKey=x'
    const headers = await world.signed(admin, { method: 'PUT', path, headers: {}, body: '{}' })
    const answer = await world.send(
      'PUT',
      path,
      { ...headers, 'user-agent': 'MinIO (linux; amd64) madmin-go/3.0.0' },
      '{}',
    )
    assert.equal(answer.status, 501)
    assert.match(JSON.parse(answer.text).Message, /IAM API/)
    assert.equal((await world.send('PUT', path, headers, '{}')).status, 501)
  })

  itOnce('answers in pages, and lists what is attached', async () => {
    await account('paged')
    for (const name of ['readonly', 'writeonly', 'readwrite'])
      await iam.send(new AttachUserPolicyCommand({ UserName: 'paged', PolicyArn: `arn:aws:iam::aws:policy/${name}` }))
    const first = await iam.send(new ListAttachedUserPoliciesCommand({ UserName: 'paged', MaxItems: 2 }))
    assert.equal(first.AttachedPolicies?.length, 2)
    const { Marker } = first
    const rest = await iam.send(new ListAttachedUserPoliciesCommand({ UserName: 'paged', MaxItems: 2, Marker }))
    assert.deepEqual([rest.AttachedPolicies?.length, rest.IsTruncated], [1, false])
    for (const name of ['One', 'Two'])
      await iam.send(new CreatePolicyCommand({ PolicyName: name, PolicyDocument: policyOf('s3:GetObject', '*') }))
    const all: string[] = []
    for (let Marker: string | undefined, more = true; more; ) {
      const page = await iam.send(new ListPoliciesCommand({ MaxItems: 3, Marker }))
      all.push(...(page.Policies ?? []).map(({ PolicyName }) => PolicyName ?? ''))
      Marker = page.Marker
      more = page.IsTruncated ?? false
    }
    assert.equal(new Set(all).size, all.length)
    assert.ok(all.includes('diagnostics') && all.includes('One') && all.includes('Two'))
    const attached = await iam.send(new ListPoliciesCommand({ OnlyAttached: true }))
    assert.deepEqual(attached.Policies?.map(({ PolicyName }) => PolicyName).sort(), [
      'readonly',
      'readwrite',
      'writeonly',
    ])
  })
})

/** Asserts that a call is refused with AWS' code. */
async function rejectsNamed(call: Promise<unknown>, name: string): Promise<void> {
  assert.equal(await outcome(call), name)
}
