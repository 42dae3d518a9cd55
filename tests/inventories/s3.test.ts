// S3's configurations of inventories are our inventories.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  DeleteBucketInventoryConfigurationCommand,
  GetBucketInventoryConfigurationCommand,
  type InventoryConfiguration,
  ListBucketInventoryConfigurationsCommand,
  PutBucketInventoryConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { outcome, startS3 } from '../s3/s3.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { ended, readCsv, readManifest, readObject } from './inventories.ts'

describeEngines('S3: inventories', (engine, itOnce) => {
  let server: TestServer
  let world: Awaited<ReturnType<typeof startS3>>['world']
  let s3: S3Client
  before(async () => {
    ;({ server, s3, world } = await startS3(engine))
    for (const name of ['source', 'dest']) await server.admin.createBucket({ body: { name } })
    await server.admin.putObject({ params: { bucket: 'source', key: 'a/one' }, body: 'one' })
    await server.admin.putObject({ params: { bucket: 'source', key: 'b/two' }, body: 'two' })
  })
  after(async () => {
    s3.destroy()
    await server.stop()
  })

  const configuration = (more: Partial<InventoryConfiguration> = {}): InventoryConfiguration => ({
    Id: 'report-1',
    IsEnabled: true,
    Destination: { S3BucketDestination: { Bucket: 'arn:aws:s3:::dest', Format: 'CSV', Prefix: 'inv' } },
    Filter: { Prefix: 'a/' },
    IncludedObjectVersions: 'All',
    OptionalFields: ['Size', 'ETag', 'StorageClass'],
    Schedule: { Frequency: 'Weekly' },
    ...more,
  })
  const put = (one: InventoryConfiguration, Id = one.Id, client = s3) =>
    client.send(new PutBucketInventoryConfigurationCommand({ Bucket: 'source', Id, InventoryConfiguration: one }))
  const get = async (Id = 'report-1', client = s3) =>
    (await client.send(new GetBucketInventoryConfigurationCommand({ Bucket: 'source', Id }))).InventoryConfiguration

  it('are put, shown, listed, written and deleted', async () => {
    await server.records([{ action: 'inventory_create', bucket: 'source' }], () => put(configuration()))
    assert.deepEqual(await get(), configuration({ OptionalFields: ['Size', 'StorageClass', 'ETag'] }))
    const listed = await s3.send(new ListBucketInventoryConfigurationsCommand({ Bucket: 'source' }))
    assert.deepEqual(listed.InventoryConfigurationList, [await get()])
    const { items } = await server.admin.listInventories({ query: { bucket: 'source' } })
    const [one] = items
    assert.deepEqual(
      [one?.name, one?.versions, one?.schedule, one?.destination, one?.columns],
      [
        'report-1',
        'all',
        'weekly',
        { bucket: 'dest', prefix: 'inv/' },
        ['bucket', 'key', 'version_id', 'is_latest', 'is_delete_marker', 'size', 'e_tag', 'storage_class'],
      ],
    )
    const params = { id: one?.id ?? '' }
    const run = await ended(server.admin, await server.admin.runInventory({ params }))
    const manifest = await readManifest(server.admin, 'dest', run)
    assert.equal(manifest.fileSchema, 'Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, ETag, StorageClass')
    const rows = readCsv(await readObject(server.admin, 'dest', manifest.files[0]?.key ?? ''))
    assert.deepEqual(rows, [
      ['source', 'a/one', '', 'true', 'false', '3', 'f97c5d29941bfb1b2fdab0874906ab82', 'STANDARD'],
    ])
    await server.admin.updateInventory({ params, body: { hour: 5 } })
    await server.records([{ action: 'inventory_update', bucket: 'source' }], () =>
      put(configuration({ IsEnabled: false, Schedule: { Frequency: 'Daily' } })),
    )
    const changed = await server.admin.getInventory({ params })
    assert.deepEqual([changed.schedule, changed.enabled, changed.hour, changed.next_run_at], ['daily', false, 5, null])
    const remove = () => s3.send(new DeleteBucketInventoryConfigurationCommand({ Bucket: 'source', Id: 'report-1' }))
    await server.records([{ action: 'inventory_delete', bucket: 'source' }], remove)
    assert.equal(await outcome(get()), 'NoSuchConfiguration')
    await server.records([], remove)
  })

  itOnce('are listed by pages, in the order of their names', async () => {
    for (let i = 0; i < 101; i++) await put(configuration({ Id: `n${String(i).padStart(3, '0')}` }))
    const first = await s3.send(new ListBucketInventoryConfigurationsCommand({ Bucket: 'source' }))
    assert.deepEqual([first.IsTruncated, first.InventoryConfigurationList?.length], [true, 100])
    const next = { Bucket: 'source', ContinuationToken: first.NextContinuationToken }
    const second = await s3.send(new ListBucketInventoryConfigurationsCommand(next))
    assert.deepEqual([second.IsTruncated, second.InventoryConfigurationList?.map(({ Id }) => Id)], [false, ['n100']])
  })

  itOnce('are refused by name where something of them is not done here, and change nothing', async () => {
    const destination = (more: object): InventoryConfiguration =>
      configuration({
        Id: 'x',
        Destination: { S3BucketDestination: { Bucket: 'arn:aws:s3:::dest', Format: 'CSV', ...more } },
      })
    await server.records([], async () => {
      for (const [one, code] of [
        [destination({ Format: 'ORC' }), 'NotImplemented'],
        [destination({ Encryption: { SSES3: {} } }), 'NotImplemented'],
        [destination({ AccountId: '123456789012' }), 'InvalidRequest'],
        [destination({ Bucket: 'arn:aws:s3:::none-of-these' }), 'InvalidRequest'],
        [destination({ Bucket: 'dest' }), 'InvalidArgument'],
        [destination({ Prefix: 'p'.repeat(900) }), 'InvalidArgument'],
        [destination({ Prefix: 'p'.repeat(1100) }), 'InvalidArgument'],
        [configuration({ Id: 'x', Filter: { Prefix: 'ü'.repeat(600) } }), 'InvalidArgument'],
        [configuration({ Id: 'x', OptionalFields: ['ObjectAccessControlList'] }), 'NotImplemented'],
        [configuration({ Id: 'x', OptionalFields: ['Nonsense' as 'Size'] }), 'MalformedXML'],
        [configuration({ Id: 'x', Schedule: { Frequency: 'Hourly' as 'Daily' } }), 'MalformedXML'],
      ] as const)
        assert.equal(await outcome(put(one)), code, JSON.stringify(one))
      assert.equal(await outcome(put(configuration(), 'another')), 'InvalidArgument')
    })
    const manager = world.clientOf(
      await world.keyOf(await server.userWith({ bucket_pattern: 'source', actions: ['manage', 'list', 'read'] })),
    )
    assert.equal(await outcome(put(configuration({ Id: 'x' }), 'x', manager)), 'AccessDenied')
    assert.equal(await outcome(get('x', manager)), 'NoSuchConfiguration')
    manager.destroy()
  })
})
