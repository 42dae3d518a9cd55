// Who may do less cannot do more by way of policies: not reach what those allow, nor deny anything to an administrator.
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
  DeleteUserPolicyCommand,
  GetAccessKeyLastUsedCommand,
  GetGroupCommand,
  GetUserCommand,
  type IAMClient,
  PutGroupPolicyCommand,
  PutUserPolicyCommand,
  SetDefaultPolicyVersionCommand,
  UpdateGroupCommand,
  UpdateUserCommand,
} from '@aws-sdk/client-iam'
import { canonicalId } from '../../server/base/canonical-id.ts'
import { outcome, s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { iamClientOf } from './iam.ts'

const policyOf = (Action: string, Resource: string, Effect = 'Allow') =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect, Action, Resource }] })
const DENY_ALL = policyOf('*', '*', 'Deny')
const ACCOUNT = '000000000000'
const ADMIN = 'admin@example.com'
const DENIED = [{ action: 'access_denied', result: 'denied' }] as const

describeEngines('Policies of IAM and those who are no administrators', (engine) => {
  let server: TestServer
  let iam: IAMClient
  let people = 0

  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    iam = iamClientOf(server, await s3World(server).keyOf())
  })
  after(() => server.stop())

  /** A service account whom a policy allows something. */
  async function account(name: string, document?: string) {
    const { User } = await iam.send(new CreateUserCommand({ UserName: name }))
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: name }))
    const pair = {
      id: name,
      access_key_id: AccessKey?.AccessKeyId ?? '',
      secret_access_key: AccessKey?.SecretAccessKey ?? '',
    }
    server.secrets.add(pair.secret_access_key)
    if (document !== undefined)
      await iam.send(new PutUserPolicyCommand({ UserName: name, PolicyName: 'own', PolicyDocument: document }))
    return { ...pair, user: User?.UserId ?? '', iam: iamClientOf(server, pair) }
  }
  /** A person in these groups. */
  async function person(group_ids: string[]) {
    const email = `someone${++people}@example.com`
    const password = `a password of ${people}`
    server.secrets.add(password)
    const body = { email, display_name: 'Someone', password, group_ids }
    const { id } = await server.admin.createUser({ body })
    return { id, email, login: async () => server.as(await server.login(email, password)) }
  }
  const refused = (client: IAMClient, command: unknown) =>
    server.records(DENIED, async () => assert.equal(await outcome(client.send(command as never)), 'AccessDenied'))

  it('lets who manages users neither join a group with policies, nor take over who has any', async () => {
    const managers = await server.admin.createGroup({ body: { name: 'Managers', global: ['users.manage'] } })
    const own = await person([managers.id])
    const manager = await own.login()
    for (const GroupName of ['ops', 'inline', 'plain']) await iam.send(new CreateGroupCommand({ GroupName }))
    await iam.send(
      new AttachGroupPolicyCommand({ GroupName: 'ops', PolicyArn: 'arn:aws:iam::aws:policy/consoleAdmin' }),
    )
    await iam.send(
      new PutGroupPolicyCommand({ GroupName: 'inline', PolicyName: 'a', PolicyDocument: policyOf('s3:*', '*') }),
    )
    const groups = new Map((await server.admin.listGroups()).items.map(({ id, name }) => [name, id]))
    const idOf = (name: string) => groups.get(name) ?? ''
    for (const group of [idOf('ops'), idOf('inline')]) {
      const at = { params: { id: group }, body: { user_ids: [own.id] } }
      const group_ids = [managers.id, group]
      const someone = { email: 'new@example.com', display_name: 'New', group_ids: [group] }
      for (const attempt of [
        () => manager.addMembers(at),
        () => manager.replaceMembers(at),
        () => manager.updateUser({ params: { id: own.id }, body: { group_ids } }),
        () => manager.createUser({ body: someone }),
      ])
        await server.records(DENIED, () => rejectsWith(attempt(), 'forbidden'))
    }
    await manager.addMembers({ params: { id: idOf('plain') }, body: { user_ids: [own.id] } })

    const byGroup = await person([idOf('ops')])
    const byPolicy = await person([])
    const PolicyName = 'all'
    await iam.send(
      new PutUserPolicyCommand({ UserName: byPolicy.email, PolicyName, PolicyDocument: policyOf('s3:*', '*') }),
    )
    for (const { id } of [byGroup, byPolicy])
      for (const attempt of [
        () => manager.updateUser({ params: { id }, body: { password: 'another long password' } }),
        () => manager.updateUser({ params: { id }, body: { email: 'mine@example.com' } }),
        () => manager.inviteUser({ params: { id } }),
        () => manager.resetSecondFactors({ params: { id } }),
      ])
        await server.records(DENIED, () => rejectsWith(attempt(), 'forbidden'))
    await iam.send(new DeleteUserPolicyCommand({ UserName: byPolicy.email, PolicyName }))
    await manager.updateUser({ params: { id: byPolicy.id }, body: { password: 'another long password' } })
  })

  it('lets nobody else put a policy over an administrator', async () => {
    const { iam: theirs } = await account('operator', policyOf('iam:*', '*'))
    await theirs.send(new CreateGroupCommand({ GroupName: 'trap' }))
    await refused(theirs, new AddUserToGroupCommand({ GroupName: 'trap', UserName: ADMIN }))
    const put = { PolicyName: 'no', PolicyDocument: DENY_ALL }
    await theirs.send(new PutGroupPolicyCommand({ GroupName: 'trap', ...put }))

    await iam.send(new CreateGroupCommand({ GroupName: 'mixed' }))
    const create = new CreatePolicyCommand({ PolicyName: 'shared', PolicyDocument: policyOf('s3:*', '*') })
    const PolicyArn = (await theirs.send(create)).Policy?.Arn ?? ''
    await theirs.send(new AttachGroupPolicyCommand({ GroupName: 'mixed', PolicyArn }))
    await iam.send(new AddUserToGroupCommand({ GroupName: 'mixed', UserName: ADMIN }))
    await refused(theirs, new PutGroupPolicyCommand({ GroupName: 'mixed', ...put }))
    await refused(theirs, new AttachGroupPolicyCommand({ GroupName: 'mixed', PolicyArn }))
    const next = { PolicyArn, PolicyDocument: DENY_ALL }
    await refused(theirs, new CreatePolicyVersionCommand({ ...next, SetAsDefault: true }))
    await theirs.send(new CreatePolicyVersionCommand(next))
    await refused(theirs, new SetDefaultPolicyVersionCommand({ PolicyArn, VersionId: 'v2' }))

    const another = new CreatePolicyCommand({ PolicyName: 'direct', PolicyDocument: policyOf('s3:*', '*') })
    const direct = (await theirs.send(another)).Policy?.Arn ?? ''
    await theirs.send(new CreatePolicyVersionCommand({ PolicyArn: direct, PolicyDocument: policyOf('s3:Get*', '*') }))
    await theirs.send(new SetDefaultPolicyVersionCommand({ PolicyArn: direct, VersionId: 'v2' }))
    await iam.send(new AttachUserPolicyCommand({ UserName: ADMIN, PolicyArn: direct }))
    await refused(theirs, new SetDefaultPolicyVersionCommand({ PolicyArn: direct, VersionId: 'v1' }))
    await iam.send(new SetDefaultPolicyVersionCommand({ PolicyArn: direct, VersionId: 'v1' }))
  })

  it('finds an id before a name, and gives nobody a name that looks like one', async () => {
    const { id } = await person([])
    const group = await server.admin.createGroup({ body: { name: 'Named' } })
    // What the console allows a group to be called shadows no id.
    await server.admin.createGroup({ body: { name: group.id } })
    const found = await iam.send(new GetGroupCommand({ GroupName: group.id }))
    assert.equal(found.Group?.GroupName, 'Named')
    assert.equal((await iam.send(new GetUserCommand({ UserName: id }))).User?.UserId, id)
    assert.equal((await iam.send(new GetUserCommand({ UserName: canonicalId(id) }))).User?.UserId, id)
    await iam.send(new CreateUserCommand({ UserName: 'renamed' }))
    await server.records([], async () => {
      for (const name of [id, id.toUpperCase(), canonicalId(id), canonicalId(id).toUpperCase()])
        for (const command of [
          new CreateUserCommand({ UserName: name }),
          new CreateGroupCommand({ GroupName: name }),
          new UpdateUserCommand({ UserName: 'renamed', NewUserName: name }),
          new UpdateGroupCommand({ GroupName: 'Named', NewGroupName: name }),
        ])
          assert.equal(await outcome(iam.send(command as never)), 'ValidationError', name)
    })
  })

  it('asks for the last use of a key on the user where they are', async () => {
    const { iam: theirs } = await account('auditor', policyOf('iam:*', `arn:aws:iam::${ACCOUNT}:user/ci/*`))
    const { access_key_id: AccessKeyId } = await account('moved')
    await refused(theirs, new GetAccessKeyLastUsedCommand({ AccessKeyId }))
    await iam.send(new UpdateUserCommand({ UserName: 'moved', NewPath: '/ci/' }))
    const { UserName } = await theirs.send(new GetAccessKeyLastUsedCommand({ AccessKeyId }))
    assert.equal(UserName, 'moved')
  })

  it('tells those it refuses no more than they asked', async () => {
    const { iam: theirs, access_key_id } = await account('stranger')
    const ann = await person([])
    await iam.send(new UpdateUserCommand({ UserName: ann.email, NewPath: '/hidden/' }))
    const group = await server.admin.createGroup({ body: { name: 'Secret' } })
    const key = new GetAccessKeyLastUsedCommand({ AccessKeyId: access_key_id })
    const cases: [command: unknown, resource: string][] = [
      [new GetUserCommand({ UserName: ann.id }), `user/${ann.id}`],
      [new GetUserCommand({ UserName: canonicalId(ann.id) }), `user/${canonicalId(ann.id)}`],
      [new GetUserCommand({ UserName: ann.email }), `user/${ann.email}`],
      [new GetGroupCommand({ GroupName: group.id }), `group/${group.id}`],
      [key, 'user/*'],
    ]
    for (const [command, resource] of cases)
      await server.records(DENIED, () =>
        assert.rejects(theirs.send(command as never), (error: Error) => {
          assert.ok(error.message.endsWith(`on resource: arn:aws:iam::${ACCOUNT}:${resource}`), error.message)
          return true
        }),
      )
  })

  it('asks for permission on a canonical id before it looks for whose that is', async () => {
    const { iam: theirs } = await account('looking', policyOf('iam:*', `arn:aws:iam::${ACCOUNT}:user/known`))
    const { user } = await account('known')
    const UserName = canonicalId(user)
    await refused(theirs, new GetUserCommand({ UserName }))
    await iam.send(
      new PutUserPolicyCommand({
        UserName: 'looking',
        PolicyName: 'own',
        PolicyDocument: policyOf('iam:*', `arn:aws:iam::${ACCOUNT}:user/${UserName}`),
      }),
    )
    assert.equal((await theirs.send(new GetUserCommand({ UserName }))).User?.UserName, 'known')
  })
})
