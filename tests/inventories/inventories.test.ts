import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, it } from 'node:test'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { ended, type NewInventory, readCsv, readManifest, readObject, readTable } from './inventories.ts'

const DAY = 86_400_000
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

describeEngines('inventories', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const open = async (body: object = {}) => {
    const bucket = `listed-${++buckets}x`
    await server.admin.createBucket({ body: { name: bucket, ...body } })
    return bucket
  }
  const put = (bucket: string, key: string, body: string, headers = {}) =>
    server.admin.putObject({ params: { bucket, key }, body, headers: { 'content-type': 'text/plain', ...headers } })
  const create = (bucket: string | null, dest: string, body: Partial<NewInventory> = {}, client = server.admin) =>
    client.createInventory({ body: { name: 'daily', bucket, destination: { bucket: dest, prefix: 'inv/' }, ...body } })
  const write = async (id: string, client = server.admin) =>
    ended(server.admin, await client.runInventory({ params: { id } }))

  it('writes what is in a bucket as Parquet, with a manifest, and records it', async () => {
    const [bucket, dest] = [await open(), await open()]
    await put(bucket, 'a/first', 'one', { 'x-meta-camera': 'Leica' })
    await put(bucket, 'b "quoted", Ünï\n', 'two two')
    await server.admin.updateObject({
      params: { bucket, key: 'a/first' },
      body: { tags: { project: 'apollo' } },
    })
    const made = await server.records([{ action: 'inventory_create', bucket }], () => create(bucket, dest))
    assert.deepEqual([made.bucket, made.format, made.schedule, made.last_run], [bucket, 'parquet', null, null])
    const before = await server.admin.listAudit({ query: { action: ['inventory_run'] } })
    const run = await write(made.id)
    assert.equal(run.status, 'succeeded', run.reason ?? '')
    const after = await server.admin.listAudit({ query: { action: ['inventory_run'] } })
    assert.equal(after.total - before.total, 1)
    const { details, bucket: of } = after.items[0] ?? {}
    assert.deepEqual([of, (details as { rows: number }).rows], [bucket, 2])
    const uploads = await server.admin.listAudit({ query: { action: ['upload'], bucket: dest } })
    assert.deepEqual(uploads.items.map(({ object_key }) => object_key?.split('/').at(-1)).sort(), [
      '00001.parquet',
      'manifest.checksum',
      'manifest.json',
      'symlink.txt',
    ])
    assert.equal(run.manifest, `inv/${bucket}/daily/${run.moment?.slice(0, 16).replace(':', '-')}Z/manifest.json`)
    const manifest = await readManifest(server.admin, dest, run)
    assert.deepEqual(
      [manifest.sourceBucket, manifest.destinationBucket, manifest.fileFormat, manifest.moment, manifest.changes],
      [bucket, `arn:aws:s3:::${dest}`, 'Parquet', run.moment, null],
    )
    assert.equal(run.no_changes, 'This is the first inventory.')
    const [first, second, ...more] = await readTable(server.admin, dest, manifest.files)
    assert.deepEqual(more, [])
    const me = await server.admin.me()
    const object = await server.admin.headObject({ params: { bucket, key: 'a/first' } })
    assert.ok(object.ok)
    const { changed_at, last_modified_date, created_at, sha256, object_owner, checksums, ...rest } = first ?? {}
    assert.ok(changed_at instanceof Date && last_modified_date instanceof Date && created_at instanceof Date)
    assert.equal(last_modified_date.getTime(), server.clock.now().getTime())
    assert.match(String(object_owner), /^[0-9a-f]{64}$/)
    assert.deepEqual(rest, {
      bucket,
      key: 'a/first',
      version_id: null,
      is_latest: true,
      is_delete_marker: false,
      size: 3n,
      e_tag: md5('one'),
      storage_class: 'STANDARD',
      is_multipart_uploaded: false,
      replication_status: null,
      encryption_status: 'NOT-SSE',
      object_lock_retain_until_date: null,
      object_lock_mode: null,
      object_lock_legal_hold_status: 'Off',
      checksum_algorithm: null,
      content_type: 'text/plain',
      created_by: me.id,
      created_by_email: 'admin@example.com',
      changed_by: me.id,
      changed_by_email: 'admin@example.com',
      changed_with: null,
      changed_how: 'local',
      encryption_key: null,
      storage: 'default',
      tags: '{"project":"apollo"}',
      metadata: '{"camera":"Leica"}',
    })
    assert.deepEqual([second?.key, second?.size], ['b "quoted", Ünï\n', 7n])
    const link = await readObject(
      server.admin,
      dest,
      uploads.items.find(({ object_key }) => object_key?.endsWith('symlink.txt'))?.object_key ?? '',
    )
    assert.equal(link.toString(), `s3://${dest}/${manifest.files[0]?.key}\n`)
  })

  it('lists what a bucket was at one moment, whatever changes meanwhile, in several files', async () => {
    const [bucket, dest] = [await open({ trash_days: 0 }), await open()]
    const keys = Array.from({ length: 2500 }, (_, i) => `k/${String(i).padStart(5, '0')}`)
    const names = keys.map((key) => [key, 'x'] as const)
    for (let i = 0; i < names.length; i += 100)
      await Promise.all(names.slice(i, i + 100).map(([key, text]) => put(bucket, key, text)))
    const { id } = await create(bucket, dest, { rows_per_file: 1000 })
    const started = await server.admin.runInventory({ params: { id } })
    await until(
      async () => (await server.admin.getInventoryRun({ params: { id, run_id: started.id } })).moment !== null,
    )
    // All but the first are gone, or something else, by the time they are listed, or were listed already.
    await Promise.all(keys.slice(-200).map((key) => put(bucket, key, 'changed')))
    await Promise.all(
      keys
        .slice(-400, -200)
        .map((key) => server.admin.deleteObject({ params: { bucket, key }, query: { permanent: true } })),
    )
    await put(bucket, 'z', 'new')
    const run = await ended(server.admin, started)
    assert.equal(run.status, 'succeeded', run.reason ?? '')
    assert.deepEqual(
      run.files.map(({ rows }) => rows),
      [1000, 1000, 500],
    )
    const rows = await readTable(server.admin, dest, run.files)
    assert.deepEqual(
      rows.map(({ key }) => key),
      keys,
    )
    assert.ok(rows.every(({ size, e_tag }) => size === 1n && e_tag === md5('x')))
    const left = await server.database.db.selectFrom('snapshots').select('name').execute()
    assert.deepEqual(left, [], 'nothing is kept for it any more')
  })

  it('lists versions and delete markers as they were, also those that are gone or locked since', async () => {
    const [bucket, dest] = [await open({ versioning: 'enabled', object_lock: {}, trash_days: 0 }), await open()]
    const versions: string[] = []
    for (const text of ['first', 'second', 'third']) versions.push((await put(bucket, 'a', text)).version_id ?? '')
    await put(bucket, 'b', 'gone')
    await server.admin.deleteObject({ params: { bucket, key: 'b' } })
    const { id } = await create(bucket, dest, { versions: 'all' })
    const run = await write(id)
    const rows = await readTable(server.admin, dest, run.files.slice(0, 1))
    const brief = rows.map((one) => [one.key, one.size, one.is_latest, one.is_delete_marker])
    assert.deepEqual(brief, [
      ['a', 5n, true, false],
      ['a', 6n, false, false],
      ['a', 5n, false, false],
      ['b', null, true, true],
      ['b', 4n, false, false],
    ])
    assert.deepEqual(
      rows.slice(0, 3).map(({ version_id }) => version_id),
      versions.toReversed(),
    )
    // The moment is drawn; then one version is deleted, one locked, and a marker removed, before they are read.
    const { db } = server.database
    const again = await server.admin.runInventory({ params: { id } })
    await until(async () => (await server.admin.getInventoryRun({ params: { id, run_id: again.id } })).moment !== null)
    await server.admin.deleteObject({
      params: { bucket, key: 'a' },
      query: { version_id: versions[0] ?? '', permanent: true },
    })
    const second = await ended(server.admin, again)
    assert.deepEqual(
      (await readTable(server.admin, dest, second.files.slice(0, 1))).map((one) => [
        one.key,
        one.size,
        one.is_latest,
        one.is_delete_marker,
      ]),
      brief,
    )
    assert.deepEqual(await db.selectFrom('inventory_buckets').selectAll().execute(), [])
    assert.deepEqual(await db.selectFrom('inventory_versions').selectAll().execute(), [])
  })

  it('lists what has changed since the one before', async () => {
    const [bucket, dest] = [await open({ trash_days: 7 }), await open()]
    for (const key of ['changed', 'deleted', 'same']) await put(bucket, key, key)
    const { id } = await create(bucket, dest)
    const first = await write(id)
    server.clock.advance(60_000)
    await put(bucket, 'added', 'new')
    await put(bucket, 'changed', 'otherwise')
    await server.admin.deleteObject({ params: { bucket, key: 'deleted' } })
    const second = await write(id)
    assert.equal(second.changes_since, first.moment)
    const { changes } = await readManifest(server.admin, dest, second)
    assert.equal(changes?.since, first.moment)
    const rows = await readTable(server.admin, dest, changes?.files)
    assert.deepEqual(
      rows.map((one) => [one.bucket, one.key, one.change, one.size_before, one.size_after, one.changed_by_email]),
      [
        [bucket, 'added', 'added', null, 3n, 'admin@example.com'],
        [bucket, 'changed', 'changed', 7n, 9n, 'admin@example.com'],
        [bucket, 'deleted', 'deleted', 7n, null, 'admin@example.com'],
      ],
    )
    // What the bucket was then is forgotten: nothing is made up.
    await put(bucket, 'same', 'not any more')
    await server.later(30 * DAY)
    await server.running.tick('trash-expiry')
    const third = await write(id)
    assert.deepEqual([third.status, third.changes_since], ['succeeded', null])
    assert.match(third.no_changes ?? '', /not known any more/)
  })

  itOnce('writes CSV as S3 does, and chosen columns in their order', async () => {
    const [bucket, dest] = [await open(), await open()]
    await put(bucket, 'a b/"c",\n&', 'one')
    const { id } = await create(bucket, dest, {
      format: 'csv',
      columns: ['size', 'e_tag', 'tags', 'is_latest'],
      changes: false,
    })
    const run = await write(id)
    const { fileSchema, fileFormat } = await readManifest(server.admin, dest, run)
    assert.deepEqual([fileFormat, fileSchema], ['CSV', 'Bucket, Key, Size, ETag, Tags, IsLatest'])
    assert.match(run.files[0]?.key ?? '', /00001\.csv\.gz$/)
    assert.deepEqual(readCsv(await readObject(server.admin, dest, run.files[0]?.key ?? '')), [
      [bucket, 'a+b/%22c%22%2C%0A%26', '3', md5('one'), '', 'true'],
    ])
  })

  it('is written on a schedule, once however many times were missed', async () => {
    const [bucket, dest] = [await open(), await open()]
    await put(bucket, 'a', 'one')
    const { id, next_run_at } = await create(bucket, dest, { schedule: 'daily', hour: 3 })
    assert.equal(next_run_at?.slice(10), 'T03:00:00.000Z')
    const runs = async () => (await server.admin.listInventoryRuns({ params: { id } })).items
    await server.running.tick('inventories')
    assert.deepEqual(await runs(), [])
    await server.later(3 * DAY)
    await server.running.tick('inventories')
    await until(async () => (await runs()).every(({ finished_at }) => finished_at !== null))
    assert.deepEqual(
      (await runs()).map(({ trigger, status, rows }) => [trigger, status, rows]),
      [['schedule', 'succeeded', 1]],
    )
    const after = await server.admin.getInventory({ params: { id } })
    assert.ok((after.next_run_at ?? '') > server.clock.now().toISOString())
    const weekly = await server.admin.updateInventory({ params: { id }, body: { schedule: 'weekly', hour: 0 } })
    assert.equal(new Date(weekly.next_run_at ?? '').getUTCDay(), 0)
    const off = await server.admin.updateInventory({ params: { id }, body: { enabled: false } })
    assert.equal(off.next_run_at, null)
  })

  it('has the rights of its author, as they are at each run, and the quota of its destination', async () => {
    const [bucket, dest] = [await open(), await open()]
    await put(bucket, 'mine/a', 'one')
    await put(bucket, 'others/b', 'two')
    const token = await server.userWith(
      { bucket_pattern: bucket, prefix: 'mine/', actions: ['list', 'read'] },
      { bucket_pattern: dest, prefix: 'inv/', actions: ['write'] },
    )
    const user = server.as(token)
    const denied = { action: 'access_denied' as const, result: 'denied' }
    await server.records([denied, denied, denied], async () => {
      await rejectsWith(create(bucket, dest, {}, user), 'forbidden')
      await rejectsWith(create(null, dest, {}, user), 'forbidden')
      await rejectsWith(
        create(bucket, dest, { prefix: 'mine/', destination: { bucket: dest, prefix: 'elsewhere/' } }, user),
        'forbidden',
      )
    })
    const { id, author_id } = await create(bucket, dest, { prefix: 'mine/' }, user)
    const run = await write(id, user)
    assert.deepEqual(
      (await readTable(server.admin, dest, run.files)).map(({ key }) => key),
      ['mine/a'],
    )
    const stranger = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read'] }))
    await rejectsWith(stranger.getInventory({ params: { id } }), 'not_found')
    await rejectsWith(stranger.runInventory({ params: { id } }), 'not_found')
    assert.deepEqual((await stranger.listInventories()).items, [])
    const [group] = (await server.admin.getUser({ params: { id: author_id } })).groups
    await server.admin.updateGroup({
      params: { id: group?.id ?? '' },
      body: { grants: [{ bucket_pattern: dest, prefix: 'inv/', actions: ['write'] }] },
    })
    const refused = await write(id)
    assert.deepEqual([refused.status, refused.files], ['failed', []])
    assert.match(refused.reason ?? '', /You need the "list" permission/)
    const small = await open({ quota_gb: 0.000_001 })
    const full = await create(bucket, small, { name: 'full' })
    const failed = await write(full.id)
    assert.equal(failed.status, 'failed')
    assert.match(failed.reason ?? '', /has 1 KB left/)
  })

  it('lists all buckets at one moment, for administrators', async () => {
    const [one, other, dest] = [await open(), await open(), await open()]
    await put(one, 'a', 'one')
    await put(other, 'b', 'two')
    const { id } = await create(null, dest, { columns: ['size'], name: 'whole' })
    const run = await write(id)
    assert.equal(run.status, 'succeeded', run.reason ?? '')
    const rows = await readTable(
      server.admin,
      dest,
      run.files.filter(({ of }) => of === 'objects'),
    )
    const mine = rows.filter(({ bucket }) => bucket === one || bucket === other)
    assert.deepEqual(mine, [
      { bucket: one, key: 'a', size: 3n },
      { bucket: other, key: 'b', size: 3n },
    ])
  })

  it('refuses what cannot be, and ends with its bucket', async () => {
    const [bucket, dest] = [await open(), await open()]
    const { id } = await create(bucket, dest)
    await server.records([], async () => {
      await rejectsWith(create(bucket, dest), 'already_exists')
      await rejectsWith(create('nowhere-at-all', dest), 'not_found')
      await rejectsWith(create(bucket, 'nowhere-at-all', { name: 'x' }), 'not_found')
      await rejectsWith(create(bucket, dest, { name: 'a/b' }), 'invalid_request', 'body.name')
      await rejectsWith(create(bucket, dest, { name: 'x', hour: 24 }), 'invalid_request', 'body.hour')
      await rejectsWith(create(bucket, dest, { name: 'x', rows_per_file: 1 }), 'invalid_request', 'body.rows_per_file')
    })
    await server.records([{ action: 'inventory_delete', bucket }], () =>
      server.admin.deleteInventory({ params: { id } }),
    )
    await rejectsWith(server.admin.getInventory({ params: { id } }), 'not_found')
    const again = await create(bucket, dest)
    await server.admin.deleteBucket({ params: { bucket } })
    await rejectsWith(server.admin.getInventory({ params: { id: again.id } }), 'not_found')
    await server.running.tick('inventory-history')
    const rows = await server.database.db.selectFrom('inventories').select('id').where('id', '=', again.id).execute()
    assert.deepEqual(rows, [])
  })
})
