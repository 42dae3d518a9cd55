// Policies of buckets through the API, what they would say, and how requests would be decided.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam'
import type { Client } from '../../client/derived.ts'
import { s3World } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { sdkClients } from './sessions.ts'

const document = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement }, null, 2)
const ALL = ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*']
const UPDATED = [{ action: 'update_bucket', bucket: 'photos' }] as const
const DENIED = [{ action: 'access_denied', result: 'denied' }] as const

describeEngines('Policies of buckets in the API', (engine) => {
  let server: TestServer
  let reader: Client
  let readerId: string
  const params = { bucket: 'photos' }

  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    await server.admin.createBucket({ body: { name: 'photos' } })
    reader = server.as(
      await server.userWith({ bucket_pattern: 'photos', prefix: 'public/', actions: ['list', 'read'] }),
    )
    readerId = (await reader.me()).id
  })
  after(() => server.stop())

  it('are set, read with what they say, and deleted, each change recorded', async () => {
    const { email } = await reader.me()
    const written = document({
      Sid: 'Secret',
      Effect: 'Deny',
      Principal: { AWS: `arn:aws:iam::000000000000:user/${email}` },
      Action: 's3:GetObject',
      Resource: 'arn:aws:s3:::photos/public/secret/*',
    })
    const sentence = `${email} can never read objects, on objects that start with public/secret/.`
    assert.equal((await server.admin.getBucketPolicy({ params })).document, null)
    const saved = await server.records(UPDATED, () =>
      server.admin.putBucketPolicy({ params, body: { document: written } }),
    )
    assert.deepEqual([saved.fault, saved.sentences.map(({ text }) => text), saved.warnings], [null, [sentence], []])
    assert.deepEqual(await server.admin.getBucketPolicy({ params }), saved)
    await server.records([], () => server.admin.putBucketPolicy({ params, body: { document: written } }))
    await server.admin.putObject({ params: { ...params, key: 'public/secret/x' }, body: 'x' })
    await rejectsWith(reader.getObject({ params: { ...params, key: 'public/secret/x' } }), 'forbidden')
    await server.records(UPDATED, () => server.admin.deleteBucketPolicy({ params }))
    await reader.getObject({ params: { ...params, key: 'public/secret/x' } })
    await rejectsWith(server.admin.getBucketPolicy({ params: { bucket: 'nowhere' } }), 'not_found')
  })

  it('are refused with the place in the text, and by whom they are not for', async () => {
    const put = (text: string, by = server.admin) => by.putBucketPolicy({ params, body: { document: text } })
    await server.records([], async () => {
      const text = document({ Effect: 'Allow', Principal: '*', Action: 's3:Get', Resource: ALL })
      const { problem } = await rejectsWith(put(text), 'invalid_request', 'body.document')
      assert.match(problem.errors?.[0]?.message ?? '', /^line 7, column 17: Policy has invalid action$/)
      const nobody = document({
        Effect: 'Deny',
        Principal: { AWS: 'arn:aws:iam::000000000000:user/nobody' },
        Action: 's3:*',
        Resource: ALL,
      })
      assert.match((await rejectsWith(put(nobody), 'invalid_request')).message, /line 7, column 16/)
      await rejectsWith(put('x'.repeat(20_481)), 'invalid_request', 'body.document')
    })
    const open = document({ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: ALL[1] as string })
    await server.records(DENIED, () => rejectsWith(put(open), 'forbidden'))
    await server.records(DENIED, () => rejectsWith(put(open, reader), 'forbidden'))
  })

  it('can be described before they are saved, which changes nothing', async () => {
    await server.records([], async () => {
      const open = document({ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: ALL[1] as string })
      const describe = (body: Parameters<Client['describePolicy']>[0]['body']) => server.admin.describePolicy({ body })
      const { warnings, sentences } = await describe({ kind: 'bucket', bucket: 'photos', document: open })
      assert.deepEqual(
        warnings.map(({ code, what }) => [code, what.kinds]),
        [['opens_to_anyone', ['read']]],
      )
      assert.equal(sentences[0]?.text, 'Anyone can read objects, on all objects of photos.')
      const { fault } = await describe({ kind: 'identity', document: open })
      assert.deepEqual([fault?.message, fault?.line], ['Policy document should not specify a principal.', 4])
      const trust = document({ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' })
      assert.equal(
        (await describe({ kind: 'role', document: trust })).sentences[0]?.text,
        'A service of AWS, which is nobody here can take on the role.',
      )
      assert.equal((await describe({ kind: 'role', document: '{"Statement": [' })).fault?.column, 16)
      await rejectsWith(describe({ kind: 'bucket', document: open }), 'invalid_request', 'body.bucket')
      await rejectsWith(describe({ kind: 'role', bucket: 'photos', document: open }), 'invalid_request', 'body.bucket')
    })
    const asked = { kind: 'identity', document: '{}' } as const
    await server.records(DENIED, () => rejectsWith(reader.describePolicy({ body: asked }), 'forbidden'))
  })

  it('are simulated by the decision itself, for users, groups, roles and whoever has no credential', async () => {
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
    const clients = sdkClients(server)
    const iam = clients.iam(clients.ofPair(await s3World(server).keyOf()))
    await iam.send(
      new CreateRoleCommand({
        RoleName: 'Reader',
        AssumeRolePolicyDocument: document({ Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' }),
      }),
    )
    await iam.send(
      new PutRolePolicyCommand({
        RoleName: 'Reader',
        PolicyName: 'own',
        PolicyDocument: document({ Sid: 'Role', Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }),
      }),
    )
    const text = document(
      { Sid: 'Open', Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::photos/open/*' },
      {
        Sid: 'Office',
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:*',
        Resource: ALL,
        Condition: { IpAddress: { 'aws:SourceIp': '198.51.100.0/24' } },
      },
    )
    await server.admin.putBucketPolicy({ params, body: { document: text } })
    type Question = Parameters<Client['simulatePermission']>[0]['body']
    const simulate = async (who: Question['who'], key: string, address = '192.0.2.1', action = 's3:GetObject') => {
      const context = [{ key: 'aws:SourceIp', values: [address] }]
      const body = { who, action, bucket: 'photos', key, context }
      const { allowed, reason, statement } = await server.admin.simulatePermission({ body })
      return [allowed, reason, ...(statement ? [statement.policy_of, statement.sid] : [])]
    }
    const { id: group = '' } = (await reader.me()).groups[0] ?? {}
    const user = { user_id: readerId }
    await server.records([], async () => {
      const anonymous = { anonymous: true } as const
      assert.deepEqual(await simulate(anonymous, 'open/a'), [true, 'statement', 'bucket', 'Open'])
      assert.deepEqual(await simulate(anonymous, 'public/a'), [false, 'nothing'])
      assert.deepEqual(await simulate(anonymous, 'open/a', '198.51.100.9'), [false, 'statement', 'bucket', 'Office'])
      assert.deepEqual(await simulate(user, 'public/a'), [true, 'grant'])
      assert.deepEqual(await simulate(user, 'public/a', '198.51.100.9'), [false, 'statement', 'bucket', 'Office'])
      assert.deepEqual(await simulate(user, 'private/a'), [false, 'nothing'])
      assert.deepEqual(await simulate({ group_id: group }, 'public/a'), [true, 'grant'])
      assert.deepEqual(await simulate({ role: 'Reader' }, 'private/a'), [true, 'statement', 'caller', 'Role'])
      assert.deepEqual(await simulate({ role: 'Reader' }, 'a', '198.51.100.9'), [
        false,
        'statement',
        'bucket',
        'Office',
      ])
      assert.deepEqual(await simulate({ role: 'Reader' }, 'a', '192.0.2.1', 's3:PutObject'), [false, 'nothing'])
      const { id } = await server.admin.me()
      assert.deepEqual(await simulate({ user_id: id }, 'a'), [true, 'administrator'])
      assert.deepEqual(await simulate(user, '', '192.0.2.1', 'iam:CreateUser'), [false, 'nothing'])
      await rejectsWith(simulate({ role: 'None' }, 'a'), 'not_found')
      await rejectsWith(simulate(user, 'a', '192.0.2.1', 's3:Get'), 'invalid_request', 'body.action')
    })
    // What is simulated is what happens.
    const s3 = s3World(server)
    await server.admin.putObject({ params: { ...params, key: 'open/a' }, body: 'a' })
    assert.equal((await s3.send('GET', '/photos/open/a', {})).status, 200)
    assert.equal((await s3.send('GET', '/photos/public/a', {})).status, 403)
    await server.records(DENIED, () =>
      rejectsWith(
        reader.simulatePermission({ body: { who: { user_id: readerId }, action: 's3:GetObject', bucket: 'photos' } }),
        'forbidden',
      ),
    )
    await server.admin.deleteBucketPolicy({ params })
  })

  it('of configurations are named in sentences before they are applied, and found again', async () => {
    const policy = {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Deny', Principal: '*', Action: ['s3:DeleteObject'], Resource: ALL[1] }],
    }
    const configuration = { buckets: [{ name: 'photos', policy }] }
    const plan = await server.records([], () => server.admin.apply({ body: { configuration, dry_run: true } }))
    assert.deepEqual(plan.changes[0]?.effects, ['Nobody can delete objects, on all objects of photos.'])
    await server.records(UPDATED, () => server.admin.apply({ body: { configuration } }))
    assert.deepEqual((await server.admin.apply({ body: { configuration } })).changes, [])
    const exported = (await server.admin.exportConfiguration()).configuration
    assert.deepEqual(exported.buckets?.find(({ name }) => name === 'photos')?.policy, policy)
    const wrong = { ...policy, Statement: [{ ...policy.Statement[0], Action: ['s3:DeleteObject', 's3:No'] }] }
    await server.records([], () =>
      rejectsWith(
        server.admin.apply({ body: { configuration: { buckets: [{ name: 'photos', policy: wrong }] } } }),
        'invalid_request',
        'body.configuration.buckets.0.policy.Statement.0.Action.1',
      ),
    )
    const future = {
      users: [{ email: 'new@example.com' }],
      buckets: [
        {
          name: 'photos',
          policy: {
            Statement: {
              Effect: 'Allow',
              Principal: { AWS: 'arn:aws:iam::000000000000:user/new@example.com' },
              Action: 's3:GetObject',
              Resource: ALL[1],
            },
          },
        },
      ],
    }
    await server.records([{ action: 'user_create' }, ...UPDATED], () =>
      server.admin.apply({ body: { configuration: future } }),
    )
    const none = { buckets: [{ name: 'photos', policy: null }] }
    await server.records(UPDATED, () => server.admin.apply({ body: { configuration: none } }))
  })
})
