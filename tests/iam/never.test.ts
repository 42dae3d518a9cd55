// What Terraform's provider asks for before it deletes a user or a policy: nobody here has any of it, and that is said.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CreatePolicyCommand,
  CreateUserCommand,
  GetLoginProfileCommand,
  type IAMClient,
  ListMFADevicesCommand,
  ListPolicyTagsCommand,
  ListServiceSpecificCredentialsCommand,
  ListSigningCertificatesCommand,
  ListSSHPublicKeysCommand,
  ListUserTagsCommand,
} from '@aws-sdk/client-iam'
import { knownOfToken } from '../../server/access/temporary/claims.ts'
import { s3World } from '../s3/s3.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'
import { iamClientOf } from './iam.ts'
import { ALLOW_S3, ended } from './sessions.ts'

describeOnce('IAM: what nobody has', (engine) => {
  let server: TestServer
  let iam: IAMClient
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    iam = iamClientOf(server, await s3World(server).keyOf())
  })
  after(() => server.stop())

  it('is an empty list for who is there, and NoSuchEntity for who is not', async () => {
    await iam.send(new CreateUserCommand({ UserName: 'deploy' }))
    const { Policy } = await iam.send(new CreatePolicyCommand({ PolicyName: 'all', PolicyDocument: ALLOW_S3 }))
    await server.records([], async () => {
      const user = { UserName: 'deploy' }
      assert.deepEqual((await iam.send(new ListSSHPublicKeysCommand(user))).SSHPublicKeys ?? [], [])
      assert.deepEqual((await iam.send(new ListMFADevicesCommand(user))).MFADevices ?? [], [])
      assert.deepEqual((await iam.send(new ListSigningCertificatesCommand(user))).Certificates ?? [], [])
      const specific = await iam.send(new ListServiceSpecificCredentialsCommand(user))
      assert.deepEqual(specific.ServiceSpecificCredentials ?? [], [])
      assert.deepEqual((await iam.send(new ListUserTagsCommand(user))).Tags ?? [], [])
      const tags = await iam.send(new ListPolicyTagsCommand({ PolicyArn: Policy?.Arn ?? '' }))
      assert.deepEqual(tags.Tags ?? [], [])
      assert.equal(await ended(iam.send(new GetLoginProfileCommand(user))), 'NoSuchEntityException 404')
      assert.equal(await ended(iam.send(new ListMFADevicesCommand({ UserName: 'none' }))), 'NoSuchEntityException 404')
    })
  })
})

it('claims of a provider that is called like a service stand for no key of that', () => {
  const token = { issuerKey: 'aws', claims: { sourceip: '192.0.2.1', sub: 'a' } }
  assert.equal(knownOfToken('aws:sourceip', token), undefined)
  assert.equal(knownOfToken('s3:prefix', { ...token, issuerKey: 's3' }), undefined)
  assert.deepEqual(knownOfToken('idp.example.com:sub', { ...token, issuerKey: 'idp.example.com' }), ['a'])
})
