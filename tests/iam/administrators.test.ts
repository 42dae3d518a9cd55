// Whose policies and keys are for administrators alone is decided in the transaction that changes them.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  AddUserToGroupCommand,
  AttachUserPolicyCommand,
  CreateAccessKeyCommand,
  CreateGroupCommand,
  CreateUserCommand,
  type IAMClient,
  PutGroupPolicyCommand,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam'
import { s3World } from '../s3/s3.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { iamClientOf } from './iam.ts'
import { ALLOW_S3, ended, policy } from './sessions.ts'

const READ_ONLY = 'arn:aws:iam::aws:policy/readonly'
const ACCOUNT = 'arn:aws:iam::000000000000'

describeEngines('Policies and keys of who becomes an administrator meanwhile', (engine) => {
  let server: TestServer
  let helper: IAMClient
  let adminGroup = ''

  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    const admin = iamClientOf(server, await s3World(server).keyOf())
    for (const UserName of ['helper', 'first', 'second', 'third', 'fourth', 'fifth'])
      await admin.send(new CreateUserCommand({ UserName }))
    await admin.send(new CreateGroupCommand({ GroupName: 'team' }))
    await admin.send(
      new PutUserPolicyCommand({
        UserName: 'helper',
        PolicyName: 'own',
        PolicyDocument: policy({ Effect: 'Allow', Action: 'iam:*', Resource: `${ACCOUNT}:*` }),
      }),
    )
    const { AccessKey } = await admin.send(new CreateAccessKeyCommand({ UserName: 'helper' }))
    const [access_key_id = '', secret_access_key = ''] = [AccessKey?.AccessKeyId, AccessKey?.SecretAccessKey]
    server.secrets.add(secret_access_key)
    const pair = { id: 'helper', access_key_id, secret_access_key }
    helper = iamClientOf(server, pair)
    const { items } = await server.admin.listGroups()
    adminGroup = items.find(({ global }) => global.includes('admin'))?.id ?? ''
  })
  after(() => server.stop())

  const idOf = async (name: string): Promise<string> =>
    (await server.admin.listUsers({ query: { q: name } })).items.find(({ display_name }) => display_name === name)
      ?.id ?? ''

  /**
   * Asks for a change while another process, here the test's own connection, makes somebody an administrator: it holds what
   * decides that when the request is looked at, and has committed when its transaction goes on.
   */
  async function meanwhile(userId: string, ask: () => Promise<unknown>): Promise<string> {
    const { promise: asked, resolve: start } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const promoting = server.database.transaction(async (tx) => {
      await tx
        .selectFrom('settings')
        .selectAll()
        .$if(engine === 'postgres', (one) => one.forUpdate())
        .execute()
      await tx
        .insertInto('group_members')
        .values({ group_id: adminGroup, user_id: userId, added_at: server.clock.now().toISOString() })
        .execute()
      start()
      await released
    })
    await asked
    let over = false
    const outcome = ended(ask()).then((end) => {
      over = true
      return end
    })
    // Others are answered in the meantime; this one only once the other transaction has ended.
    for (let i = 0; i < 10 && !over; i++) await server.admin.me()
    const early = over
    release()
    await promoting
    assert.equal(early, false, 'the request was decided before the other transaction had ended')
    return outcome
  }

  it('are refused to who is none, whatever was so when the request came', async () => {
    const attempts: [name: string, ask: () => Promise<unknown>][] = [
      ['first', () => helper.send(new AttachUserPolicyCommand({ UserName: 'first', PolicyArn: READ_ONLY }))],
      [
        'second',
        () =>
          helper.send(new PutUserPolicyCommand({ UserName: 'second', PolicyName: 'own', PolicyDocument: ALLOW_S3 })),
      ],
      ['third', () => helper.send(new CreateAccessKeyCommand({ UserName: 'third' }))],
      ['fourth', () => helper.send(new AddUserToGroupCommand({ UserName: 'fourth', GroupName: 'team' }))],
    ]
    for (const [name, ask] of attempts) {
      const id = await idOf(name)
      await server.records([{ action: 'access_denied', result: 'denied' }], async () =>
        assert.equal(await meanwhile(id, ask), 'AccessDenied 403', name),
      )
    }
    // Of a group with an administrator in it, too.
    await server.admin.addMembers({
      params: { id: (await server.admin.listGroups()).items.find(({ name }) => name === 'team')?.id ?? '' },
      body: { user_ids: [await idOf('fifth')] },
    })
    const put = new PutGroupPolicyCommand({ GroupName: 'team', PolicyName: 'own', PolicyDocument: ALLOW_S3 })
    assert.equal(await meanwhile(await idOf('fifth'), () => helper.send(put)), 'AccessDenied 403')
  })
})
