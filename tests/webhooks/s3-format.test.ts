import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { canonicalId } from '../../server/base/canonical-id.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { webhooksWorld } from './webhooks.ts'

interface S3Record {
  eventName: string
  userIdentity: { principalId: string }
  s3: {
    configurationId: string
    bucket: { name: string; arn: string; ownerIdentity: { principalId: string } }
    object: { key: string; size?: number; eTag?: string; versionId?: string; sequencer: string }
  }
}

describeEngines('webhooks: events as S3 sends them', (engine) => {
  const world = webhooksWorld(engine)
  const { receiver, tick } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  it('has S3’s names and shapes for what S3 knows, and is silent about the rest', async () => {
    const { admin } = server
    const me = await admin.me()
    const to = await receiver()
    const { id } = await admin.createWebhook({ body: { name: 'For S3', url: to.url, events: ['*'], format: 's3' } })
    const bucket = 'noted'
    const params = { bucket }
    await admin.createBucket({ body: { name: bucket } })
    const put = (key: string) => admin.putObject({ params: { bucket, key }, body: 'four' })
    const { etag } = await put('a b/ü+1.txt')
    await put('plain')
    await admin.copyObject({ params, body: { source_bucket: bucket, source_key: 'plain', dest_key: 'copy' } })
    await admin.moveObject({ params, body: { source_bucket: bucket, source_key: 'copy', dest_key: 'moved' } })
    await admin.updateObject({ params: { bucket, key: 'moved' }, body: { tags: { a: 'b' } } })
    await admin.updateObject({ params: { bucket, key: 'moved' }, body: { tags: {} } })
    // The second change is too long for one record.
    for (const one of ['x', 'y'])
      await admin.updateObject({
        params: { bucket, key: 'moved' },
        body: { metadata: { a: one.repeat(3900), b: one.repeat(3900) } },
      })
    await admin.deleteObject({ params: { bucket, key: 'moved' } })
    await admin.updateBucket({ params, body: { versioning: 'enabled' } })
    const { version_id = '' } = await put('kept')
    await admin.deleteObject({ params: { bucket, key: 'kept' } })
    await admin.deleteObject({ params: { bucket, key: 'kept' }, query: { version_id } })
    const policy = await admin.createPolicy({ body: { name: 'all', bucket_patterns: [bucket], glob: 'plain' } })
    await admin.runPolicy({ params: { id: policy.id } })
    for (let i = 0; i < 12; i++) await tick()

    const records = to.received.flatMap(({ body }) => (JSON.parse(body) as { Records: S3Record[] }).Records)
    const told = records.map(({ eventName, s3 }) => `${eventName} ${s3.object.key}`)
    assert.deepEqual(
      told.toSorted(),
      [
        'ObjectCreated:Put a+b/%C3%BC%2B1.txt',
        'ObjectCreated:Put plain',
        'ObjectCreated:Copy copy',
        'ObjectCreated:Copy moved',
        'ObjectRemoved:Delete copy',
        'ObjectTagging:Put moved',
        'ObjectTagging:Delete moved',
        'ObjectCreated:Copy moved',
        'ObjectCreated:Copy moved',
        'ObjectRemoved:Delete moved',
        'ObjectCreated:Put kept',
        'ObjectRemoved:DeleteMarkerCreated kept',
        'ObjectRemoved:Delete kept',
        'LifecycleExpiration:DeleteMarkerCreated plain',
      ].toSorted(),
    )
    const [first] = records.filter(({ s3 }) => s3.object.key.startsWith('a+b'))
    assert.ok(first)
    const owner = canonicalId(me.id)
    assert.deepEqual(first.userIdentity, { principalId: owner })
    const { sequencer, ...object } = first.s3.object
    assert.deepEqual(object, { key: 'a+b/%C3%BC%2B1.txt', size: 4, eTag: etag })
    assert.match(sequencer, /^[0-9A-F]{32}$/)
    assert.deepEqual(first.s3.bucket, {
      name: bucket,
      arn: `arn:aws:s3:::${bucket}`,
      ownerIdentity: { principalId: owner },
    })
    assert.equal(first.s3.configurationId, id)
    const versions = records.filter(({ s3 }) => s3.object.key === 'kept').map(({ s3 }) => s3.object.versionId)
    assert.ok(versions.every((one) => one !== undefined) && versions.includes(version_id))
    const ofOne = records.filter(({ s3 }) => s3.object.key === 'kept')
    assert.equal(new Set(ofOne.map(({ s3 }) => s3.object.sequencer)).size, 3)
  })

  it('tells of a move what the endpoint is for, and tests as S3 does', async () => {
    const { admin } = server
    const to = await receiver()
    const bucket = 'left'
    await admin.createBucket({ body: { name: bucket } })
    await admin.createBucket({ body: { name: 'arrived' } })
    const created = await admin.createWebhook({
      body: { name: 'Left', url: to.url, events: ['move'], bucket, format: 's3' },
    })
    assert.equal(created.format, 's3')
    await admin.putObject({ params: { bucket, key: 'k' }, body: 'x' })
    await admin.moveObject({ params: { bucket: 'arrived' }, body: { source_bucket: bucket, source_key: 'k' } })
    const params = { id: created.id }
    await admin.testWebhook({ params })
    await tick()
    const bodies = to.received.map(
      ({ body }) => JSON.parse(body) as { Event?: string; Bucket?: string; Records?: S3Record[] },
    )
    assert.deepEqual(
      bodies.flatMap(({ Records = [] }) => Records.map(({ eventName, s3 }) => [eventName, s3.bucket.name])),
      [['ObjectRemoved:Delete', bucket]],
    )
    const [test] = bodies.filter(({ Event }) => Event !== undefined)
    assert.deepEqual([test?.Event, test?.Bucket], ['s3:TestEvent', bucket])

    const changed = await server.records([{ action: 'webhook_update' }], () =>
      admin.updateWebhook({ params, body: { format: 'strongroom' } }),
    )
    assert.equal(changed.format, 'strongroom')
    await rejectsWith(admin.updateWebhook({ params, body: { format: 'xml' as 's3' } }), 'invalid_request')
  })
})
