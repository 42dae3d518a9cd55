// The commands for what an operator does every day: buckets, the trash, jobs, and a storage's credentials.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Bucket } from '../../contract/buckets.ts'
import type { Job } from '../../contract/jobs.ts'
import { startS3 } from '../s3/s3.ts'
import { describeOnce, STORED, startServer, type TestServer } from '../support/server.ts'
import { commandIn, envIn } from './command.ts'
import { type CuttingProxy, startProxy } from './proxy.ts'

describeOnce('the commands for buckets, trash, jobs and credentials of storages', (engine) => {
  let server: TestServer
  let proxy: CuttingProxy
  let folder: string
  let token: string
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-cli-'))
    server = await startServer(engine, STORED)
    proxy = await startProxy(server.url)
    token = (await server.admin.createToken({ body: { name: 'cli' } })).token
    server.secrets.add(token)
  })
  after(async () => {
    for (const secret of server.secrets) assert.equal(printed().includes(secret), false)
    await proxy.close()
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const env = () => envIn(folder, proxy.url, token)
  const { strongroom, ok, printed } = commandIn(() => ({ folder, env: env() }))
  const bucketOf = (bucket: string) => server.admin.getBucket({ params: { bucket } })
  const put = (bucket: string, key: string, body = key) => server.admin.putObject({ params: { bucket, key }, body })
  /** Asserts that a call ends with a code, says why on standard error alone, and that nothing else is recorded. */
  async function fails(code: number, why: RegExp, args: string[], recorded: Parameters<TestServer['records']>[0] = []) {
    const ended = await server.records(recorded, () => strongroom(args))
    assert.deepEqual([args, ended.code, ended.out], [args, code, ''])
    assert.match(ended.err, why)
  }

  it('creates a bucket, and changes only what is given', async () => {
    const created = (bucket: string) => [{ action: 'create_bucket', bucket }] as const
    const updated = [{ action: 'update_bucket', bucket: 'daily' }] as const
    const said = await server.records(created('daily'), () =>
      ok('buckets', 'create', 'daily', '--quota-gb', '0.5', '--trash-days', '30'),
    )
    assert.equal(said, 'Created the bucket daily.\n')
    const { quota_gb, trash_days, versioning, object_lock, storage } = await bucketOf('daily')
    assert.deepEqual([quota_gb, trash_days, versioning, object_lock, storage], [0.5, 30, 'off', null, 'default'])

    const locked = JSON.parse(
      await server.records(created('kept'), () =>
        ok('buckets', 'create', 'sr:kept', '--versioning', 'enabled', '--object-lock', 'governance:30d', '--json'),
      ),
    ) as Bucket
    assert.deepEqual(locked, await bucketOf('kept'))
    assert.deepEqual(
      [locked.versioning, locked.object_lock],
      ['enabled', { mode: 'governance', days: 30, years: null }],
    )
    await server.records([{ action: 'update_bucket', bucket: 'kept' }], () =>
      ok('buckets', 'set', 'kept', '--object-lock', 'on'),
    )
    assert.deepEqual((await bucketOf('kept')).object_lock, { mode: null, days: null, years: null })

    const changed = await server.records(updated, () => ok('buckets', 'set', 'daily', '--quota-gb', 'none'))
    assert.equal(changed, 'Changed the bucket daily.\n')
    assert.deepEqual([(await bucketOf('daily')).quota_gb, (await bucketOf('daily')).trash_days], [null, 30])

    const limits = ['--history-quota-gb', '2', '--quota-includes-history', 'true']
    await server.records(updated, () => ok('buckets', 'set', 'daily', ...limits))
    const limited = await bucketOf('daily')
    assert.deepEqual([limited.history_quota_gb, limited.quota_includes_history, limited.quota_gb], [2, true, null])

    await fails(1, /\(conflict, request /, ['buckets', 'set', 'daily', '--block-public-access', 'false'])
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
    await server.records(updated, () => ok('buckets', 'set', 'daily', '--block-public-access', 'false'))
    assert.equal((await bucketOf('daily')).public_access?.blocked, false)
    await server.records(updated, () => ok('buckets', 'set', 'daily', '--block-public-access', 'true'))
    assert.equal((await bucketOf('daily')).public_access?.blocked, true)

    await fails(1, /\(already_exists, request /, ['buckets', 'create', 'daily'])
    await fails(1, /\(not_found, request /, ['buckets', 'set', 'no-bucket', '--trash-days', '1'])
    await fails(1, /There is no storage "none"/, ['buckets', 'create', 'other', '--storage', 'none'])
    await fails(1, /trash_days .*\(invalid_request, request /, ['buckets', 'create', 'other', '--trash-days', '9999'])
  })

  it('explains incorrect calls, without asking the service', async () => {
    proxy.seen.length = 0
    const wrong: [why: RegExp, ...args: string[]][] = [
      [/^strongroom: usage: /, 'buckets'],
      [/^strongroom: usage: /, 'buckets', 'remove', 'daily'],
      [/"X" is not a valid bucket name/, 'buckets', 'create', 'X'],
      [/is not a bucket/, 'buckets', 'set', 'sr:daily/a'],
      [/Say what to change/, 'buckets', 'set', 'daily'],
      [/--quota-gb must be a number/, 'buckets', 'set', 'daily', '--quota-gb', '0'],
      [/--history-quota-gb must be a number/, 'buckets', 'set', 'daily', '--history-quota-gb', '0'],
      [/--quota-includes-history must be/, 'buckets', 'set', 'daily', '--quota-includes-history', 'yes'],
      [/--trash-days must be a number/, 'buckets', 'set', 'daily', '--trash-days', 'week'],
      [/--versioning must be/, 'buckets', 'set', 'daily', '--versioning', 'off'],
      [/--object-lock must be/, 'buckets', 'set', 'daily', '--object-lock', 'governance'],
      [/--block-public-access must be/, 'buckets', 'set', 'daily', '--block-public-access', 'yes'],
      [/is for "buckets set"/, 'buckets', 'create', 'x-1', '--block-public-access', 'true'],
      [/is for "buckets create"/, 'buckets', 'set', 'daily', '--storage', 'nas'],
      [/^strongroom: usage: /, 'trash', 'list'],
      [/^strongroom: usage: /, 'trash', 'empty', 'daily', 'an-id'],
      [/Give the ids to restore/, 'trash', 'restore', 'daily'],
      [/^strongroom: usage: /, 'jobs', 'cancel'],
      [/Say what to change/, 'storages', 'set', 'nas'],
      [/^strongroom: usage: /, 'storages', 'set', 'nas', 's3://bucket'],
    ]
    await server.records([], async () => {
      const ended = await Promise.all(wrong.map(([, ...args]) => strongroom(args)))
      for (const [i, { code, out, err }] of ended.entries()) {
        const [why = /./, ...args] = wrong[i] ?? []
        assert.deepEqual([args, code, out], [args, 2, ''])
        assert.match(err, why)
      }
    })
    assert.deepEqual(proxy.seen, [])
    for (const command of ['buckets', 'trash', 'jobs'])
      assert.match(await ok(command, '--help'), new RegExp(`^usage: strongroom ${command} `))
  })

  it('lists the trash, restores from it by id, key and folder, and empties it', async () => {
    const bucket = 'bin'
    await server.admin.createBucket({ body: { name: bucket, trash_days: 7 } })
    const keys = ['in/a.txt', 'in/b.txt', 'c.txt']
    for (const key of keys) await put(bucket, key)
    await put(bucket, 'c.txt', 'twelve bytes')
    for (const key of keys) await server.admin.deleteObject({ params: { bucket, key } })
    const list = async (target: string) => {
      const out = await server.records([], () => ok('trash', 'list', target, '--json'))
      return out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { id: string; key: string; reason: string })
    }
    const all = await list(bucket)
    assert.deepEqual(all.map(({ key }) => key).sort(), ['c.txt', 'c.txt', 'in/a.txt', 'in/b.txt'])
    assert.deepEqual((await list(`sr:${bucket}/in/`)).map(({ key }) => key).sort(), ['in/a.txt', 'in/b.txt'])
    assert.match(
      await ok('trash', 'list', bucket),
      /^[0-9a-f-]{36} +12 {2}\d{4}-\d\d-\d\dT[\d:]{8}Z {2}deleted {6}c\.txt$/m,
    )

    const restored = (...names: string[]) => names.map((key) => ({ action: 'restore', bucket, key }) as const)
    const byKey = await server.records(restored('c.txt'), () => ok('trash', 'restore', `sr:${bucket}/c.txt`))
    assert.equal(byKey, `Restored sr:${bucket}/c.txt\n`)
    assert.equal(await ok('cp', `sr:${bucket}/c.txt`, '-'), 'twelve bytes')
    const one = all.find(({ key }) => key === 'in/a.txt')?.id ?? ''
    await server.records(restored('in/a.txt'), () => ok('trash', 'restore', bucket, one))
    const folder = await server.records(restored('in/b.txt'), () => ok('trash', 'restore', `sr:${bucket}/in/`))
    assert.equal(folder, `Restored sr:${bucket}/in/b.txt\n`)
    await fails(1, /nothing in the trash/, ['trash', 'restore', `sr:${bucket}/in/`])

    const left = await list(bucket)
    assert.deepEqual(
      left.map(({ key, reason }) => [key, reason]),
      [['c.txt', 'overwritten']],
    )
    const emptied = await server.records([{ action: 'purge', bucket, key: 'c.txt' }], () =>
      ok('trash', 'empty', bucket),
    )
    assert.equal(emptied, 'Deleted 1 from the trash, 5 bytes.\n')
    const again = await server.records([{ action: 'purge', bucket }], () => ok('trash', 'empty', '--json', bucket))
    assert.deepEqual(JSON.parse(again), { purged: 0, bytes: 0 })

    const reader = await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read'] })
    server.secrets.add(reader)
    const denied = await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      strongroom(['trash', 'empty', bucket], { env: { STRONGROOM_TOKEN: reader } }),
    )
    assert.equal(denied.code, 1)
    assert.match(denied.err, /\(forbidden, request /)
  })

  it('lists jobs, the latest first, and cancels one', async () => {
    const { admin } = server
    await admin.createBucket({ body: { name: 'worked' } })
    const first = await admin.createJob({ body: { kind: 'empty_bucket', source_bucket: 'worked' } })
    // Open, although nobody works on it.
    await server.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({
          status: 'running',
          runner: 'elsewhere',
          finished_at: null,
          leased_until: new Date(server.clock.now().getTime() + 300_000).toISOString(),
        })
        .where('id', '=', first.id)
        .execute(),
    )
    const lines = (await server.records([], () => ok('jobs'))).trimEnd().split('\n')
    assert.equal(lines.length, (await admin.listJobs()).items.length)
    assert.match(
      lines[0] ?? '',
      new RegExp(`^${first.id} {2}\\S+Z {2}empty_bucket {2}running {4}\\d+ of \\S+ {2}worked$`),
    )
    assert.equal(await ok('jobs', 'list'), `${lines.join('\n')}\n`)
    const cancelled = JSON.parse(await server.records([], () => ok('jobs', 'cancel', first.id, '--json'))) as Job
    assert.deepEqual([cancelled.id, cancelled.kind], [first.id, 'empty_bucket'])
    assert.deepEqual(cancelled, await admin.getJob({ params: { id: first.id } }))
    await fails(1, /\(not_found, request /, ['jobs', 'cancel', '019a0000-0000-7000-8000-000000000000'])
  })

  it('changes the credentials of a storage, with the secret from standard input', async () => {
    // Another service, as an S3 engine. The client of the engine signs at the machine's time.
    const s3 = await startS3('sqlite')
    try {
      await s3.server.later(Date.now() - s3.server.clock.now().getTime())
      await s3.server.admin.createBucket({ body: { name: 'engine' } })
      const other = await s3.server.admin.createAccessKey({ body: { name: 'other' } })
      for (const { secret_access_key } of [s3.pair, other]) server.secrets.add(secret_access_key)
      const { access_key_id, secret_access_key } = s3.pair
      await server.admin.createStorage({
        body: { name: 'nas', endpoint: s3.world.url.origin, bucket: 'engine', access_key_id, secret_access_key },
      })
      const keyOf = async () => (await server.admin.getStorage({ params: { storage: 'nas' } })).access_key_id
      const set = ['storages', 'set', 'nas', '--access-key-id', other.access_key_id]
      const refused = await server.records([], () => strongroom(set, { input: 'not its secret' }))
      assert.deepEqual([refused.code, refused.out], [1, ''])
      assert.match(refused.err, /secret access key is wrong.*\(conflict, request /)
      assert.equal(await keyOf(), access_key_id)
      const changed = await server.records([{ action: 'storage_update' }], () =>
        strongroom(set, { input: `${other.secret_access_key}\n` }),
      )
      assert.deepEqual([changed.code, changed.out, changed.err], [0, 'Changed the storage nas.\n', ''])
      assert.equal(await keyOf(), other.access_key_id)
      await server.records([{ action: 'storage_update' }], () => ok('storages', 'set', 'nas', '--path-style', 'true'))
      const { path_style } = await server.admin.getStorage({ params: { storage: 'nas' } })
      assert.deepEqual([path_style, await keyOf()], [true, other.access_key_id])
    } finally {
      await s3.server.stop()
    }
  })

  it('lists who has access, and why', async () => {
    await server.admin.createBucket({ body: { name: 'seen' } })
    const ann = { email: 'ann@example.com', display_name: 'Ann' }
    await server.admin.createUser({ body: ann })
    const document = JSON.stringify({
      Version: '2012-10-17',
      Statement: {
        Sid: 'Office',
        Effect: 'Allow',
        Principal: { AWS: 'arn:aws:iam::000000000000:user/ann@example.com' },
        Action: 's3:GetObject',
        Resource: 'arn:aws:s3:::seen/in/*',
        Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } },
      },
    })
    await server.admin.putBucketPolicy({ params: { bucket: 'seen' }, body: { document } })
    const [ofBucket, ofFolder, ofObject, asJson] = await server.records([], () =>
      Promise.all([
        ok('access', 'seen'),
        ok('access', 'sr:seen/in/'),
        ok('access', 'sr:seen/out'),
        ok('access', '--json', 'seen'),
      ]),
    )
    const why =
      '    bucket policy, statement Office: ann@example.com can read objects, on objects that start with in/, if the client’s address is in 192.0.2.0/24.\n'
    assert.match(ofBucket, /^admin@example.com\n {2}list, read, .*\n {4}group Administrators: administrators\n/)
    assert.ok(ofBucket.endsWith(`\nann@example.com\n  in part: read\n${why}`), ofBucket)
    assert.ok(ofFolder.endsWith(`\nann@example.com\n  under conditions: read\n${why}`), ofFolder)
    assert.ok(!ofObject.includes('ann@'), ofObject)
    const rows = asJson
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { email: string })
    assert.deepEqual(
      rows.map(({ email }) => email),
      ['admin@example.com', 'ann@example.com'],
    )
    await fails(1, /There is no bucket "nowhere"/, ['access', 'nowhere'])
  })
})
