import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { outcome, s3World } from '../s3/s3.ts'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { describeEngines } from '../support/server.ts'
import { replicationWorld } from './world.ts'

const gateway = await cephGateway()

describeEngines('S3: replication of buckets', (engine) => {
  if (!gateway) return it('needs an engine', { skip: noGateway }, () => undefined)
  const world = replicationWorld(engine, gateway)
  const set = (Bucket: string, Rules: object[], Role = 'arn:aws:iam::1:role/x') =>
    world.s3.send(
      new s3.PutBucketReplicationCommand({ Bucket, ReplicationConfiguration: { Role, Rules: Rules as never } }),
    )
  const get = (Bucket: string) => world.s3.send(new s3.GetBucketReplicationCommand({ Bucket }))
  const ruleTo = (storage: string, more: object = {}) => ({
    ID: 'one',
    Priority: 1,
    Status: 'Enabled',
    Filter: { Prefix: '' },
    DeleteMarkerReplication: { Status: 'Disabled' },
    Destination: { Bucket: `arn:aws:s3:::${storage}` },
    ...more,
  })

  it('is put, got as it was put, and deleted', async () => {
    const { server } = world
    const { name, prefix } = await world.storage()
    const bucket = await world.bucket()
    const changed = [{ action: 'update_bucket', bucket }] as const
    assert.equal(await outcome(get(bucket)), 'ReplicationConfigurationNotFoundError')
    const tag = (Key: string) => ({ Key, Value: 'yes' })
    const rules = [
      ruleTo(name, {
        ID: 'high',
        Priority: 9,
        Filter: { Prefix: 'a/' },
        DeleteMarkerReplication: { Status: 'Enabled' },
      }),
      ruleTo(name, { ID: 'both', Priority: 5, Filter: { And: { Prefix: 'b/', Tags: [tag('x'), tag('y')] } } }),
      ruleTo(name, { ID: 'tag', Priority: 3, Status: 'Disabled', Filter: { Tag: tag('z') } }),
    ]
    await server.records(changed, () => set(bucket, rules))
    assert.deepEqual((await get(bucket)).ReplicationConfiguration, { Role: 'arn:aws:iam::1:role/x', Rules: rules })
    const told = await world.state(bucket)
    assert.deepEqual([told.storage, told.prefix, told.existing], [name, prefix, false])
    assert.deepEqual(told.rules[1], {
      id: 'both',
      priority: 5,
      enabled: true,
      prefix: 'b/',
      tags: { x: 'yes', y: 'yes' },
      deletes: false,
    })
    await server.records([], () => set(bucket, rules))
    await server.records(changed, () =>
      set(bucket, [ruleTo(name, { ExistingObjectReplication: { Status: 'Enabled' } })], ''),
    )
    assert.equal((await world.state(bucket)).existing, true)
    const remove = () => world.s3.send(new s3.DeleteBucketReplicationCommand({ Bucket: bucket }))
    await server.records(changed, remove)
    await server.records([], remove)
    assert.equal(await outcome(get(bucket)), 'ReplicationConfigurationNotFoundError')
  })

  it('refuses what cannot be honoured', async () => {
    const { name } = await world.storage()
    const other = await world.storage()
    const bucket = await world.bucket()
    const to = (more: object) => ({ Destination: { Bucket: `arn:aws:s3:::${name}`, ...more } })
    const cases: [code: string, ...rules: object[]][] = [
      ['NotImplemented', ruleTo(name, to({ StorageClass: 'STANDARD_IA' }))],
      ['NotImplemented', ruleTo(name, to({ Account: '123456789012' }))],
      ['NotImplemented', ruleTo(name, to({ EncryptionConfiguration: { ReplicaKmsKeyID: 'x' } }))],
      ['NotImplemented', ruleTo(name, to({ Metrics: { Status: 'Enabled', EventThreshold: { Minutes: 15 } } }))],
      ['NotImplemented', ruleTo(name, to({ ReplicationTime: { Status: 'Enabled', Time: { Minutes: 15 } } }))],
      ['NotImplemented', ruleTo(name, { SourceSelectionCriteria: { SseKmsEncryptedObjects: { Status: 'Enabled' } } })],
      ['NotImplemented', ruleTo(name, { SourceSelectionCriteria: { ReplicaModifications: { Status: 'Enabled' } } })],
      ['NotImplemented', ruleTo(name), ruleTo(other.name, { ID: 'two' })],
      ['InvalidArgument', ruleTo(name), ruleTo(name)],
      ['InvalidArgument', ruleTo('x', { Destination: { Bucket: 'not-an-arn' } })],
      ['InvalidRequest', ruleTo('no-such-storage')],
      [
        'InvalidRequest',
        ruleTo(name, { Filter: { Tag: { Key: 'a', Value: 'b' } }, DeleteMarkerReplication: { Status: 'Enabled' } }),
      ],
      ['MalformedXML', ruleTo(name, { Status: 'Perhaps' })],
      ['MalformedXML'],
    ]
    await world.server.records([], async () => {
      for (const [code, ...rules] of cases) assert.equal(await outcome(set(bucket, rules)), code, JSON.stringify(rules))
      assert.equal(await outcome(set('not-there', [ruleTo(name)])), 'NoSuchBucket')
    })
    const limited = s3World(world.server)
    const someone = await world.server.userWith({ bucket_pattern: bucket, actions: ['list', 'manage'] })
    const client = limited.clientOf(await limited.keyOf(someone))
    const ReplicationConfiguration = { Role: '', Rules: [ruleTo(name)] as never }
    assert.equal(
      await outcome(client.send(new s3.PutBucketReplicationCommand({ Bucket: bucket, ReplicationConfiguration }))),
      'AccessDenied',
    )
  })

  it('deletions are replicated by a document of the first version, and the status is told', async () => {
    const { name, prefix } = await world.storage()
    const bucket = await world.bucket()
    await world.put(bucket, 'old', 'old')
    world.server.clock.advance(1000)
    await set(bucket, [{ ID: 'v1', Status: 'Enabled', Prefix: '', Destination: { Bucket: `arn:aws:s3:::${name}` } }])
    await world.put(bucket, 'new', 'new')
    const statusOf = async (key: string) => {
      const { Body, ReplicationStatus } = await world.s3.send(new s3.GetObjectCommand({ Bucket: bucket, Key: key }))
      await Body?.transformToByteArray()
      return ReplicationStatus
    }
    assert.deepEqual([await statusOf('old'), await statusOf('new')], [undefined, 'PENDING'])
    await world.settle(bucket)
    assert.deepEqual([await statusOf('old'), await statusOf('new')], [undefined, 'COMPLETED'])
    assert.deepEqual(await world.there(prefix), { new: 'new' })
    await world.s3.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: 'new' }))
    await world.settle(bucket)
    assert.deepEqual(await world.there(prefix), {})
  })
})
