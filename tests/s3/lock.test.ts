import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectLegalHoldCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  type ObjectLockRetentionMode,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { outcome, type Pair, type s3World, startS3 } from './s3.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describeEngines('S3: Object Lock', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  let buckets = 0
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
  })
  after(() => server.stop())

  const open = async () => {
    const Bucket = `worm-${++buckets}`
    await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
    return Bucket
  }
  const keyWith = async (...grants: Parameters<TestServer['userWith']>) => world.keyOf(await server.userWith(...grants))
  const ahead = (ms: number) => new Date(server.clock.now().getTime() + ms)
  const put = (Bucket: string, more: Partial<PutObjectCommandInput> = {}) =>
    s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ...more }))
  const retain = (Bucket: string, Mode: ObjectLockRetentionMode, RetainUntilDate: Date, more: object = {}) =>
    s3.send(new PutObjectRetentionCommand({ Bucket, Key: 'k', Retention: { Mode, RetainUntilDate }, ...more }))
  const told = async (Bucket: string, more: object = {}) => {
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k', ...more }))
    return [head.ObjectLockMode, head.ObjectLockRetainUntilDate?.getTime(), head.ObjectLockLegalHoldStatus]
  }

  it('whoever may only write locks for no longer than the setting has it, however they write', async () => {
    const Bucket = await open()
    await s3.send(
      new PutObjectLockConfigurationCommand({
        Bucket,
        ObjectLockConfiguration: {
          ObjectLockEnabled: 'Enabled',
          Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Years: 50 } },
        },
      }),
    )
    const grant = { bucket_pattern: Bucket, actions: ['list', 'read', 'write'] as const }
    const writer = world.clientOf(await keyWith({ ...grant, actions: [...grant.actions] }))
    const manager = world.clientOf(await keyWith({ ...grant, actions: [...grant.actions, 'manage'] }))
    // A default of the bucket is what its managers want.
    await writer.send(new PutObjectCommand({ Bucket, Key: 'source', Body: 'x' }))
    const ways = (client: S3Client, days: number) => {
      const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: ahead(days * DAY) } as const
      const Retention = { Mode: lock.ObjectLockMode, RetainUntilDate: lock.ObjectLockRetainUntilDate }
      const at = (Key: string) => ({ Bucket, Key: `${Key}-${days}` })
      return [
        () => client.send(new PutObjectCommand({ ...at('put'), Body: 'x', ...lock })),
        () => client.send(new CopyObjectCommand({ ...at('copy'), CopySource: `${Bucket}/source`, ...lock })),
        () => client.send(new CreateMultipartUploadCommand({ ...at('parts'), ...lock })),
        () => client.send(new PutObjectRetentionCommand({ ...at('retained'), Retention })),
      ]
    }
    const outcomes = async (client: S3Client, days: number) => {
      const soon = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: ahead(HOUR) } as const
      await client.send(new PutObjectCommand({ Bucket, Key: `retained-${days}`, Body: 'x', ...soon }))
      return Promise.all(ways(client, days).map((way) => outcome(way())))
    }
    const all = (one: string) => [one, one, one, one]
    assert.deepEqual(await outcomes(writer, 3654), all('AccessDenied'))
    assert.deepEqual(await outcomes(writer, 3652), all('ok'))
    assert.deepEqual(await outcomes(manager, 30_000), all('ok'))
    const lockByApi = async (days: number) =>
      server.as(await server.userWith({ bucket_pattern: Bucket, actions: ['write'] })).lockObject({
        params: { bucket: Bucket },
        body: { key: 'retained-3652', mode: 'compliance', until: ahead(days * DAY).toISOString() },
      })
    await rejectsWith(lockByApi(3700), 'forbidden')
    await server.admin.updateSettings({ body: { uploads: { max_lock_days: null } } })
    await lockByApi(3700)
    assert.deepEqual(await outcomes(writer, 20_000), all('ok'))
    await server.admin.updateSettings({ body: { uploads: { max_lock_days: 1 } } })
    assert.deepEqual(await outcomes(writer, 2), all('AccessDenied'))
    await server.admin.updateSettings({ body: { uploads: { max_lock_days: 3653 } } })
  })

  it('is configured as clients do, and keeps versioning on', async () => {
    const Bucket = 'plain-worm'
    const configure = (ObjectLockConfiguration: object, bucket = Bucket) =>
      s3.send(new PutObjectLockConfigurationCommand({ Bucket: bucket, ObjectLockConfiguration }))
    const read = async (bucket = Bucket) =>
      (await s3.send(new GetObjectLockConfigurationCommand({ Bucket: bucket }))).ObjectLockConfiguration
    const versioning = (Status: 'Enabled' | 'Suspended') =>
      s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
    await s3.send(new CreateBucketCommand({ Bucket }))
    assert.equal(await outcome(read()), 'ObjectLockConfigurationNotFoundError')
    const ObjectLockEnabled = 'Enabled'
    await server.records([], async () => {
      assert.equal(await outcome(configure({ ObjectLockEnabled })), 'InvalidBucketState')
    })
    await versioning('Enabled')
    const Rule = { DefaultRetention: { Mode: 'COMPLIANCE', Years: 1 } }
    await server.records([{ action: 'update_bucket', bucket: Bucket }], () => configure({ ObjectLockEnabled, Rule }))
    assert.deepEqual(await read(), { ObjectLockEnabled, Rule })
    assert.equal(await outcome(versioning('Suspended')), 'InvalidBucketState')
    const rule = (DefaultRetention: object) => configure({ ObjectLockEnabled, Rule: { DefaultRetention } })
    await server.records([], async () => {
      assert.equal(await outcome(configure({ ObjectLockEnabled: 'Disabled' })), 'MalformedXML')
      assert.equal(await outcome(rule({ Mode: 'GOVERNANCE' })), 'MalformedXML')
      assert.equal(await outcome(rule({ Mode: 'governance', Days: 1 })), 'MalformedXML')
      assert.equal(await outcome(rule({ Mode: 'GOVERNANCE', Days: 1, Years: 1 })), 'MalformedXML')
      assert.equal(await outcome(rule({ Mode: 'GOVERNANCE', Days: 0 })), 'InvalidRetentionPeriod')
      assert.equal(await outcome(rule({ Mode: 'GOVERNANCE', Years: 101 })), 'InvalidRetentionPeriod')
    })
    assert.deepEqual(await read(), { ObjectLockEnabled, Rule })
    const worm = await open()
    assert.deepEqual(await read(worm), { ObjectLockEnabled })
    const bucket = await server.admin.getBucket({ params: { bucket: worm } })
    assert.deepEqual([bucket.versioning, bucket.object_lock?.mode], ['enabled', null])
  })

  it('locks what is written as its headers say, in one piece, in parts, as a copy', async () => {
    const Bucket = await open()
    const until = ahead(DAY)
    const lock = {
      ObjectLockMode: 'GOVERNANCE',
      ObjectLockRetainUntilDate: until,
      ObjectLockLegalHoldStatus: 'ON',
    } as const
    const wanted = ['GOVERNANCE', until.getTime(), 'ON']
    const { VersionId } = await put(Bucket, lock)
    assert.deepEqual(await told(Bucket), wanted)
    const { ObjectLockMode } = await s3.send(new GetObjectCommand({ Bucket, Key: 'k', VersionId }))
    assert.equal(ObjectLockMode, 'GOVERNANCE')
    await put(Bucket)
    assert.deepEqual(await told(Bucket), [undefined, undefined, undefined])
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'k', CopySource: `${Bucket}/k?versionId=${VersionId}` }))
    assert.deepEqual(await told(Bucket), [undefined, undefined, undefined], 'a copy is not locked as its source is')
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'k', CopySource: `${Bucket}/k`, ...lock }))
    assert.deepEqual(await told(Bucket), wanted)
    const upload = async (more: object) => {
      const part = {
        Bucket,
        Key: 'k',
        ...(await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k', ...more }))),
      }
      const { UploadId } = part
      const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key: 'k', UploadId, PartNumber: 1, Body: 'x' }))
      return () =>
        s3.send(
          new CompleteMultipartUploadCommand({
            Bucket,
            Key: 'k',
            UploadId,
            MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
          }),
        )
    }
    await (await upload(lock))()
    assert.deepEqual(await told(Bucket), wanted)
    // The time was ahead when it was asked for; the object comes all the same.
    const late = await upload({ ...lock, ObjectLockLegalHoldStatus: undefined })
    await server.later(2 * DAY)
    s3 = world.clientOf(pair)
    await late()
    assert.deepEqual(await told(Bucket), ['GOVERNANCE', until.getTime(), undefined])

    const refusal = (more: Partial<PutObjectCommandInput>, bucket = Bucket) => outcome(put(bucket, more))
    await s3.send(new CreateBucketCommand({ Bucket: 'no-worm' }))
    await server.records([], async () => {
      const ObjectLockMode = 'GOVERNANCE'
      assert.equal(
        await refusal({ ObjectLockMode, ObjectLockRetainUntilDate: ahead(DAY) }, 'no-worm'),
        'InvalidRequest',
      )
      assert.equal(await refusal({ ObjectLockLegalHoldStatus: 'ON' }, 'no-worm'), 'InvalidRequest')
      assert.equal(await refusal({ ObjectLockMode }), 'InvalidArgument')
      assert.equal(await refusal({ ObjectLockRetainUntilDate: ahead(DAY) }), 'InvalidArgument')
      assert.equal(await refusal({ ObjectLockMode, ObjectLockRetainUntilDate: ahead(-1000) }), 'InvalidArgument')
      const strict = 'STRICT' as 'GOVERNANCE'
      assert.equal(await refusal({ ObjectLockMode: strict, ObjectLockRetainUntilDate: ahead(DAY) }), 'InvalidArgument')
      assert.equal(await refusal({ ObjectLockLegalHoldStatus: 'MAYBE' as 'ON' }), 'InvalidArgument')
      const begun = s3.send(
        new CreateMultipartUploadCommand({
          Bucket: 'no-worm',
          Key: 'k',
          ...lock,
          ObjectLockRetainUntilDate: ahead(DAY),
        }),
      )
      assert.equal(await outcome(begun), 'InvalidRequest')
    })
    // A legal hold is for those who manage the bucket, however it is asked for.
    const writer = world.clientOf(await keyWith({ bucket_pattern: Bucket, actions: ['list', 'read', 'write'] }))
    const asked = (more: object) => outcome(writer.send(new PutObjectCommand({ Bucket, Key: 'w', Body: 'x', ...more })))
    assert.equal(await asked({ ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: ahead(DAY) }), 'ok')
    assert.equal(await asked({ ObjectLockLegalHoldStatus: 'ON' }), 'AccessDenied')
    assert.equal(await asked({ ObjectLockLegalHoldStatus: 'OFF' }), 'ok')
  })

  it('retention and legal holds are put, read and taken away as far as they may', async () => {
    const Bucket = await open()
    const { VersionId } = await put(Bucket)
    const retention = () => s3.send(new GetObjectRetentionCommand({ Bucket, Key: 'k' }))
    const hold = (Status: 'ON' | 'OFF', more: object = {}) =>
      s3.send(new PutObjectLegalHoldCommand({ Bucket, Key: 'k', LegalHold: { Status }, ...more }))
    const held = async () => (await s3.send(new GetObjectLegalHoldCommand({ Bucket, Key: 'k' }))).LegalHold?.Status
    const remove = (more: object = {}) => s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId, ...more }))
    const acted = (action: 'lock_update' | 'legal_hold_update' | 'version_delete') => [
      { action, bucket: Bucket, key: 'k' },
    ]
    assert.equal(await outcome(retention()), 'NoSuchObjectLockConfiguration')
    assert.equal(await held(), 'OFF')
    const until = ahead(2 * DAY)
    await server.records(acted('lock_update'), () => retain(Bucket, 'GOVERNANCE', until))
    assert.deepEqual((await retention()).Retention, { Mode: 'GOVERNANCE', RetainUntilDate: until })
    await server.records([], async () => {
      assert.equal(await outcome(retain(Bucket, 'GOVERNANCE', ahead(DAY))), 'AccessDenied')
      assert.equal(await outcome(retain(Bucket, 'COMPLIANCE', until)), 'AccessDenied')
      assert.equal(await outcome(retain(Bucket, 'GOVERNANCE', ahead(-1000))), 'InvalidArgument')
      for (const date of ['Dec 1 2036', '2036/12/01', '2036-02-30', '0', 'Mon, 01 Dec 2036 00:00:00 GMT']) {
        const headers = { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': date }
        const path = `/${Bucket}/dated`
        const answer = await world.send('PUT', path, await world.signed(pair, { method: 'PUT', path, headers }))
        assert.equal(answer.code, 'InvalidArgument', date)
      }
      assert.equal(await outcome(retain(Bucket, 'governance' as 'GOVERNANCE', until)), 'MalformedXML')
      assert.equal(await outcome(hold('on' as 'ON')), 'MalformedXML')
      assert.equal(await outcome(remove()), 'AccessDenied')
    })
    await server.records(acted('lock_update'), () =>
      retain(Bucket, 'GOVERNANCE', ahead(DAY), { BypassGovernanceRetention: true }),
    )
    await server.records(acted('legal_hold_update'), () => hold('ON'))
    assert.equal(await held(), 'ON')
    assert.equal(await outcome(remove({ BypassGovernanceRetention: true })), 'AccessDenied')
    await server.records(acted('legal_hold_update'), () => hold('OFF', { VersionId }))
    // An empty retention ends it, for those who may.
    const end = (more: object = {}) =>
      s3.send(new PutObjectRetentionCommand({ Bucket, Key: 'k', Retention: {}, ...more }))
    assert.equal(await outcome(end()), 'AccessDenied')
    await server.records(acted('lock_update'), () => end({ BypassGovernanceRetention: true }))
    assert.equal(await outcome(retention()), 'NoSuchObjectLockConfiguration')
    await server.records(acted('lock_update'), () => retain(Bucket, 'GOVERNANCE', until))
    await server.records(acted('version_delete'), () => remove({ BypassGovernanceRetention: true }))

    await s3.send(new CreateBucketCommand({ Bucket: 'never-worm' }))
    await put('never-worm')
    const never = { Bucket: 'never-worm', Key: 'k' }
    assert.equal(await outcome(s3.send(new GetObjectRetentionCommand(never))), 'InvalidRequest')
    assert.equal(await outcome(s3.send(new GetObjectLegalHoldCommand(never))), 'InvalidRequest')
    assert.equal(await outcome(retain('never-worm', 'GOVERNANCE', until)), 'InvalidRequest')
    assert.equal(
      await outcome(s3.send(new PutObjectLegalHoldCommand({ ...never, LegalHold: { Status: 'ON' } }))),
      'InvalidRequest',
    )
    assert.equal(await outcome(s3.send(new GetObjectRetentionCommand({ Bucket, Key: 'none' }))), 'NoSuchKey')
  })

  itOnce('a key limited to some rights has no more of them here', async () => {
    const Bucket = await open()
    await put(Bucket)
    await retain(Bucket, 'GOVERNANCE', ahead(DAY))
    const { VersionId } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }))
    const without = world.clientOf(
      await keyWith({ bucket_pattern: Bucket, actions: ['list', 'read', 'write', 'delete', 'manage'] }),
    )
    const remove = (by: S3Client) =>
      outcome(by.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId, BypassGovernanceRetention: true })))
    assert.equal(await remove(without), 'AccessDenied')
    const trusted = world.clientOf(await keyWith({ bucket_pattern: Bucket, actions: ['delete', 'bypass_lock'] }))
    assert.equal(await remove(trusted), 'ok')
  })
})
