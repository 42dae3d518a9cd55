// What Terraform's AWS provider sends, replayed: it creates something, reads every attribute of it back, and plans a change where one
// differs from what was configured. So a second plan is empty if each answer here is what was sent, or what AWS says where nothing was.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import * as iam from '@aws-sdk/client-iam'
import * as s3 from '@aws-sdk/client-s3'
import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts'
import { outcome, s3World } from '../s3/s3.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { policy, sdkClients } from './sessions.ts'

const B = 'terraform'
const READ = policy({ Effect: 'Allow', Action: ['s3:GetObject'], Resource: `arn:aws:s3:::${B}/*` })

describeEngines('What Terraform’s provider asks', (engine) => {
  let server: TestServer
  let ofIam: iam.IAMClient
  let ofSts: STSClient
  let ofS3: s3.S3Client
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    const sdk = sdkClients(server)
    const own = sdk.ofPair(await s3World(server).keyOf())
    ofIam = sdk.iam(own)
    ofSts = sdk.sts(own)
    ofS3 = sdk.s3(own)
  })
  after(() => server.stop())

  it('about the account, once it starts', async () => {
    const { Account, Arn } = await ofSts.send(new GetCallerIdentityCommand({}))
    assert.deepEqual([Account, Arn], ['000000000000', 'arn:aws:iam::000000000000:root'])
  })

  it('about users, groups, memberships and keys', async () => {
    const user = { UserName: 'deploy', Path: '/ci/' }
    const made = (await ofIam.send(new iam.CreateUserCommand(user))).User
    const { User } = await ofIam.send(new iam.GetUserCommand({ UserName: 'deploy' }))
    assert.deepEqual(
      [User?.UserName, User?.Path, User?.Arn, User?.UserId, User?.PermissionsBoundary, User?.Tags ?? []],
      ['deploy', '/ci/', 'arn:aws:iam::000000000000:user/ci/deploy', made?.UserId, undefined, []],
    )
    await ofIam.send(new iam.CreateGroupCommand({ GroupName: 'builds', Path: '/' }))
    await ofIam.send(new iam.AddUserToGroupCommand({ GroupName: 'builds', UserName: 'deploy' }))
    const { Group, Users } = await ofIam.send(new iam.GetGroupCommand({ GroupName: 'builds' }))
    assert.deepEqual(
      [Group?.GroupName, Group?.Path, Group?.Arn, Users?.map(({ UserName }) => UserName)],
      ['builds', '/', 'arn:aws:iam::000000000000:group/builds', ['deploy']],
    )
    const { Groups } = await ofIam.send(new iam.ListGroupsForUserCommand({ UserName: 'deploy' }))
    assert.deepEqual(
      Groups?.map(({ GroupName }) => GroupName),
      ['builds'],
    )
    const { AccessKey } = await ofIam.send(new iam.CreateAccessKeyCommand({ UserName: 'deploy' }))
    server.secrets.add(AccessKey?.SecretAccessKey ?? '')
    const key = { UserName: 'deploy', AccessKeyId: AccessKey?.AccessKeyId }
    await ofIam.send(new iam.UpdateAccessKeyCommand({ ...key, Status: 'Inactive' }))
    const { AccessKeyMetadata } = await ofIam.send(new iam.ListAccessKeysCommand({ UserName: 'deploy' }))
    assert.deepEqual(
      AccessKeyMetadata?.map(({ UserName, AccessKeyId, Status }) => ({ UserName, AccessKeyId, Status })),
      [{ ...key, Status: 'Inactive' }],
    )
    // What it asks before it deletes a user.
    const whose = { UserName: 'deploy' }
    for (const command of [
      new iam.ListSSHPublicKeysCommand(whose),
      new iam.ListMFADevicesCommand(whose),
      new iam.ListSigningCertificatesCommand(whose),
      new iam.ListServiceSpecificCredentialsCommand(whose),
      new iam.ListUserTagsCommand(whose),
    ])
      await ofIam.send(command as iam.ListUserTagsCommand)
  })

  it('about policies, attached and inline', async () => {
    const { Policy } = await ofIam.send(
      new iam.CreatePolicyCommand({ PolicyName: 'read', Path: '/', Description: 'reads', PolicyDocument: READ }),
    )
    const PolicyArn = Policy?.Arn ?? ''
    const read = (await ofIam.send(new iam.GetPolicyCommand({ PolicyArn }))).Policy
    assert.deepEqual(
      [read?.PolicyName, read?.Path, read?.Description, read?.Arn, read?.DefaultVersionId, read?.Tags ?? []],
      ['read', '/', 'reads', 'arn:aws:iam::000000000000:policy/read', 'v1', []],
    )
    const version = new iam.GetPolicyVersionCommand({ PolicyArn, VersionId: 'v1' })
    const text = decodeURIComponent((await ofIam.send(version)).PolicyVersion?.Document ?? '')
    assert.deepEqual(JSON.parse(text), JSON.parse(READ))
    await ofIam.send(new iam.AttachUserPolicyCommand({ UserName: 'deploy', PolicyArn }))
    const attached = await ofIam.send(new iam.ListAttachedUserPoliciesCommand({ UserName: 'deploy' }))
    assert.deepEqual(attached.AttachedPolicies, [{ PolicyName: 'read', PolicyArn }])
    const entities = await ofIam.send(new iam.ListEntitiesForPolicyCommand({ PolicyArn }))
    assert.deepEqual(
      entities.PolicyUsers?.map(({ UserName }) => UserName),
      ['deploy'],
    )
    const inline = { UserName: 'deploy', PolicyName: 'own' }
    await ofIam.send(new iam.PutUserPolicyCommand({ ...inline, PolicyDocument: READ }))
    const own = await ofIam.send(new iam.GetUserPolicyCommand(inline))
    assert.deepEqual(
      [own.UserName, own.PolicyName, decodeURIComponent(own.PolicyDocument ?? '')],
      ['deploy', 'own', READ],
    )
  })

  it('about roles and identity providers', async () => {
    const trust = policy({
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::000000000000:user/ci/deploy' },
      Action: 'sts:AssumeRole',
    })
    const role = { RoleName: 'Deploy', Path: '/', Description: 'of the site', MaxSessionDuration: 7200 }
    await ofIam.send(new iam.CreateRoleCommand({ ...role, AssumeRolePolicyDocument: trust }))
    const { Role } = await ofIam.send(new iam.GetRoleCommand({ RoleName: 'Deploy' }))
    assert.deepEqual(
      [Role?.RoleName, Role?.Path, Role?.Description, Role?.MaxSessionDuration, Role?.Tags ?? []],
      ['Deploy', '/', 'of the site', 7200, []],
    )
    assert.equal(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? ''), trust)
    const own = { RoleName: 'Deploy', PolicyName: 'own' }
    await ofIam.send(new iam.PutRolePolicyCommand({ ...own, PolicyDocument: READ }))
    assert.deepEqual((await ofIam.send(new iam.ListRolePoliciesCommand({ RoleName: 'Deploy' }))).PolicyNames, ['own'])
    assert.equal(decodeURIComponent((await ofIam.send(new iam.GetRolePolicyCommand(own))).PolicyDocument ?? ''), READ)
    const none = await ofIam.send(new iam.ListAttachedRolePoliciesCommand({ RoleName: 'Deploy' }))
    assert.deepEqual(none.AttachedPolicies ?? [], [])
    const Url = 'https://token.example.com'
    const ThumbprintList = ['a'.repeat(40)]
    const made = new iam.CreateOpenIDConnectProviderCommand({
      Url,
      ClientIDList: ['sts.amazonaws.com'],
      ThumbprintList,
    })
    const { OpenIDConnectProviderArn } = await ofIam.send(made)
    const provider = await ofIam.send(new iam.GetOpenIDConnectProviderCommand({ OpenIDConnectProviderArn }))
    assert.deepEqual(
      [provider.Url?.replace('https://', ''), provider.ClientIDList, provider.ThumbprintList, provider.Tags ?? []],
      ['token.example.com', ['sts.amazonaws.com'], ThumbprintList, []],
    )
  })

  it('about a bucket with nothing but its name', async () => {
    const Bucket = 'terraform-bare'
    await ofS3.send(new s3.CreateBucketCommand({ Bucket }))
    assert.equal((await ofS3.send(new s3.HeadBucketCommand({ Bucket }))).BucketRegion, 'us-east-1')
    const ask = async (command: { resolveMiddleware: unknown }) => outcome(ofS3.send(command as never))
    assert.deepEqual(
      {
        policy: await ask(new s3.GetBucketPolicyCommand({ Bucket })),
        cors: await ask(new s3.GetBucketCorsCommand({ Bucket })),
        website: await ask(new s3.GetBucketWebsiteCommand({ Bucket })),
        lifecycle: await ask(new s3.GetBucketLifecycleConfigurationCommand({ Bucket })),
        replication: await ask(new s3.GetBucketReplicationCommand({ Bucket })),
        lock: await ask(new s3.GetObjectLockConfigurationCommand({ Bucket })),
        tags: await ask(new s3.GetBucketTaggingCommand({ Bucket })),
      },
      {
        policy: 'NoSuchBucketPolicy',
        cors: 'NoSuchCORSConfiguration',
        website: 'NoSuchWebsiteConfiguration',
        lifecycle: 'NoSuchLifecycleConfiguration',
        replication: 'ReplicationConfigurationNotFoundError',
        lock: 'ObjectLockConfigurationNotFoundError',
        tags: 'NoSuchTagSet',
      },
    )
    const versioning = await ofS3.send(new s3.GetBucketVersioningCommand({ Bucket }))
    const accelerate = await ofS3.send(new s3.GetBucketAccelerateConfigurationCommand({ Bucket }))
    const { Payer } = await ofS3.send(new s3.GetBucketRequestPaymentCommand({ Bucket }))
    const { LoggingEnabled } = await ofS3.send(new s3.GetBucketLoggingCommand({ Bucket }))
    const said = [versioning.Status, versioning.MFADelete, accelerate.Status, Payer, LoggingEnabled]
    assert.deepEqual(said, [undefined, undefined, undefined, 'BucketOwner', undefined])
    const { Grants, Owner } = await ofS3.send(new s3.GetBucketAclCommand({ Bucket }))
    assert.deepEqual(
      Grants?.map(({ Grantee, Permission }) => [Grantee?.Type, Grantee?.ID, Permission]),
      [['CanonicalUser', Owner?.ID, 'FULL_CONTROL']],
    )
    // Either is what is configured of nothing: the attribute is computed.
    const encryption = await ask(new s3.GetBucketEncryptionCommand({ Bucket }))
    assert.ok(['ok', 'ServerSideEncryptionConfigurationNotFoundError'].includes(encryption), encryption)
    await ofS3.send(new s3.DeleteBucketCommand({ Bucket }))
    assert.equal(await ask(new s3.HeadBucketCommand({ Bucket })), 'NotFound')
  })

  it('about a bucket with a policy, versions, rules, CORS, encryption and tags', async () => {
    const Bucket = B
    await ofS3.send(new s3.CreateBucketCommand({ Bucket }))
    const TagSet = [
      { Key: 'env', Value: 'prod' },
      { Key: 'team', Value: 'web' },
    ]
    await ofS3.send(new s3.PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }))
    assert.deepEqual((await ofS3.send(new s3.GetBucketTaggingCommand({ Bucket }))).TagSet, TagSet)

    const Policy = policy({
      Sid: 'Deploy',
      Effect: 'Deny',
      Principal: { AWS: 'arn:aws:iam::000000000000:user/ci/deploy' },
      Action: ['s3:DeleteObject'],
      Resource: `arn:aws:s3:::${B}/*`,
    })
    await ofS3.send(new s3.PutBucketPolicyCommand({ Bucket, Policy }))
    const kept = (await ofS3.send(new s3.GetBucketPolicyCommand({ Bucket }))).Policy
    assert.deepEqual(JSON.parse(kept ?? ''), JSON.parse(Policy))

    const VersioningConfiguration = { Status: 'Enabled' } as const
    await ofS3.send(new s3.PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    assert.equal((await ofS3.send(new s3.GetBucketVersioningCommand({ Bucket }))).Status, 'Enabled')

    const Rules: s3.LifecycleRule[] = [
      { ID: 'old', Status: 'Enabled', Filter: { Prefix: 'tmp/' }, Expiration: { Days: 30 } },
      {
        ID: 'versions',
        Status: 'Disabled',
        Filter: { Prefix: '' },
        NoncurrentVersionExpiration: { NoncurrentDays: 90 },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
    ]
    const TransitionDefaultMinimumObjectSize = 'all_storage_classes_128K'
    await ofS3.send(
      new s3.PutBucketLifecycleConfigurationCommand({
        Bucket,
        TransitionDefaultMinimumObjectSize,
        LifecycleConfiguration: { Rules },
      }),
    )
    const lifecycle = await ofS3.send(new s3.GetBucketLifecycleConfigurationCommand({ Bucket }))
    assert.deepEqual(lifecycle.Rules, Rules)
    assert.equal(lifecycle.TransitionDefaultMinimumObjectSize, TransitionDefaultMinimumObjectSize)

    const CORSRules: s3.CORSRule[] = [
      {
        AllowedHeaders: ['*'],
        AllowedMethods: ['GET', 'PUT'],
        AllowedOrigins: ['https://app.example.com'],
        ExposeHeaders: ['ETag'],
        MaxAgeSeconds: 3000,
      },
    ]
    await ofS3.send(new s3.PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
    assert.deepEqual((await ofS3.send(new s3.GetBucketCorsCommand({ Bucket }))).CORSRules, CORSRules)

    const byDefault = { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' as const } }
    await ofS3.send(
      new s3.PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules: [byDefault] } }),
    )
    const { ServerSideEncryptionConfiguration } = await ofS3.send(new s3.GetBucketEncryptionCommand({ Bucket }))
    const [rule] = ServerSideEncryptionConfiguration?.Rules ?? []
    assert.deepEqual(rule?.ApplyServerSideEncryptionByDefault, byDefault.ApplyServerSideEncryptionByDefault)
    assert.equal(rule?.BucketKeyEnabled ?? false, false)
  })
})
