import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import type { Job } from '../../contract/jobs.ts'
import { checkNames } from '../../contract/storages.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { describeOnce, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { commandIn, envIn } from './command.ts'
import { type CuttingProxy, startProxy } from './proxy.ts'

const gateway = await cephGateway()
/** More than the grace period of blobs. */
const GRACE_MS = 2 * 3_600_000
const SECRET = 'a secret of an engine, not of ours'

describeOnce('the command for storages', (engine) => {
  let server: TestServer
  let proxy: CuttingProxy
  let folder: string
  let token: string
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-cli-'))
    server = await startServer(engine, { ...STORED, STORAGE_FOLDERS: path.join(folder, 'disks') })
    proxy = await startProxy(server.url)
    token = (await server.admin.createToken({ body: { name: 'cli' } })).token
    for (const secret of [token, SECRET]) server.secrets.add(secret)
  })
  after(async () => {
    for (const secret of server.secrets) assert.equal(printed().includes(secret), false)
    await proxy.close()
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const env = () => envIn(folder, proxy.url, token)
  const { begin, strongroom, ok, printed } = commandIn(() => ({ folder, env: env() }))
  const disk = (name: string) => path.join(folder, 'disks', name)
  const jobs = async () => (await server.admin.listJobs()).items
  const put = (bucket: string, key: string, body = key) => server.admin.putObject({ params: { bucket, key }, body })
  const isOver = ({ status }: Job) => status !== 'queued' && status !== 'running'
  /** What is left of a bucket's old storage is deleted. */
  const collect = async () => {
    await server.later(GRACE_MS)
    await server.running.tick('blob-collector')
  }
  /** Changes a job behind the service's back, so that it is open although nobody works on it, or over. */
  const set = (id: string, change: { status: Job['status']; done?: number; detail?: string }) => {
    const leased_until = new Date(server.clock.now().getTime() + 300_000).toISOString()
    const claim = change.status === 'running' ? { runner: 'elsewhere', leased_until, finished_at: null } : {}
    return server.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({ ...claim, ...change })
        .where('id', '=', id)
        .execute(),
    )
  }
  /** Asserts that a call ends with a code, says why on standard error alone, and that nothing is recorded. */
  async function fails(code: number, why: RegExp, ...args: string[]): Promise<void> {
    const ended = await server.records([], () => strongroom(args))
    assert.deepEqual([args, ended.code, ended.out], [args, code, ''])
    assert.match(ended.err, why)
    assert.match(ended.err, /^strongroom: /)
  }
  /** The statuses of the checks that were printed. */
  const statuses = (out: string) =>
    Object.fromEntries(
      [...out.matchAll(/^(passed|warning|failed|skipped) {2,}(\w+) {2,}\S.*$/gm)].map(([, status, name]) => [
        name,
        status,
      ]),
    )

  it('adds, lists and tests a storage, moves a bucket to and from it, turns it off and on, and removes it', async () => {
    const { admin } = server
    const added = await server.records([{ action: 'storage_create' }], () =>
      ok('storages', 'add', 'disk', `file:${disk('one')}`),
    )
    assert.deepEqual(statuses(added), {
      ...Object.fromEntries(checkNames.map((name) => [name, 'skipped'])),
      reach: 'passed',
      write: 'passed',
    })
    assert.match(added, /^passed {3}reach {7}The folder .* can be read\.$/m)
    assert.match(added, /\nAdded the storage disk\.\n$/)
    assert.equal(added.split('\n').length, checkNames.length + 2)
    assert.equal(fs.existsSync(disk('one')), false)
    const tested = await server.records([], () => ok('storages', 'test', 'disk'))
    assert.deepEqual(statuses(tested), statuses(added))

    await server.records([{ action: 'create_bucket', bucket: 'photos' }], () =>
      admin.createBucket({ body: { name: 'photos', storage: 'disk', trash_days: 0 } }),
    )
    fs.writeFileSync(path.join(folder, 'a.txt'), 'twelve bytes')
    await server.records([{ action: 'upload', bucket: 'photos', key: 'a.txt' }], () => ok('cp', 'a.txt', 'sr:photos/'))
    const [first = '', second = ''] = (await server.records([], () => ok('storages'))).split('\n')
    assert.match(first, /^default {2}(file|s3 {2}) {2}(file:\/|s3:\/\/)\S+.* {2} +0 buckets {2} +0 {2}on$/)
    assert.match(second, /^disk {5}file {2}file:\S+\/disks\/one {2,}1 buckets {2} +12 {2}on$/)
    assert.equal(first.length, second.length)
    const lines = (await ok('storages', '--json')).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      (await admin.listStorages()).items,
    )

    await fails(1, /There are buckets on the storage "disk".*\(not_empty, request /, 'storages', 'remove', 'disk')
    const moved = await server.records([{ action: 'update_bucket', bucket: 'photos' }], () =>
      ok('migrate', 'photos', 'default'),
    )
    assert.equal(moved, '1 done\n')
    assert.equal((await admin.getBucket({ params: { bucket: 'photos' } })).storage, 'default')
    assert.equal(await ok('cp', 'sr:photos/a.txt', '-'), 'twelve bytes')
    await fails(1, /Bytes are still on the storage "disk".*\(not_empty, request /, 'storages', 'remove', 'disk')

    const off = await server.records([{ action: 'storage_update' }], () => ok('storages', 'off', 'disk'))
    assert.equal(off, 'The storage disk is off.\n')
    assert.match(await ok('storages'), /^disk .* {2}off$/m)
    await fails(1, /"disk" is turned off\. \(conflict, request /, 'migrate', 'photos', 'disk')
    const on = await server.records([{ action: 'storage_update' }], () => ok('storages', 'on', '--json', 'disk'))
    assert.deepEqual(JSON.parse(on), await admin.getStorage({ params: { storage: 'disk' } }))

    const mirrored = await server.records([{ action: 'storage_update' }], () =>
      ok('storages', 'mirror', 'default', 'disk'),
    )
    assert.equal(mirrored, 'disk is the mirror of default.\n')
    await fails(1, /is or has a mirror.*\(not_empty, request /, 'storages', 'remove', 'disk')
    for (const [first, second] of [
      ['disk', 'default'],
      ['default', 'disk'],
    ]) {
      const over = await server.records([{ action: 'storage_failover' }], () =>
        ok('storages', 'failover', 'default', '--accept-missing'),
      )
      assert.equal(over, `The bytes of default are now those of ${first}; ${second} is its mirror.\n`)
    }
    assert.equal(await ok('storages', 'mirror', 'default', 'none'), 'The storage default has no mirror.\n')

    await collect()
    const removed = await server.records([{ action: 'storage_delete' }], () => ok('storages', 'remove', 'disk'))
    assert.equal(removed, 'Removed the storage disk.\n')
    assert.equal((await ok('storages')).split('\n').length, 2)
    assert.equal(await ok('cp', 'sr:photos/a.txt', '-'), 'twelve bytes')
  })

  it('explains incorrect calls, without asking the service', async () => {
    proxy.seen.length = 0
    const place = `file:${disk('wrong')}`
    const wrong: [why: RegExp, ...args: string[]][] = [
      [/^strongroom: usage: /, 'storages', 'add'],
      [/^strongroom: usage: /, 'storages', 'add', 'x'],
      [/^strongroom: usage: /, 'storages', 'test', 'x', 'y'],
      [/^strongroom: usage: /, 'storages', 'list'],
      [/^strongroom: usage: /, 'storages', 'mirror', 'x'],
      [/--accept-missing is for "storages failover"/, 'storages', 'on', 'x', '--accept-missing'],
      [/^strongroom: usage: /, 'storages', 'add', 'x', place, 'y'],
      [/"No Name" is not a valid storage name/, 'storages', 'add', 'No Name', place],
      [/"" is not a valid storage name/, 'storages', 'test'],
      [/"\.\." is not a valid storage name/, 'storages', 'remove', '..'],
      [/"" is not a valid storage name/, 'storages', 'on'],
      [/is not a place/, 'storages', 'add', 'x', 'file:relative'],
      [/is not a place/, 'storages', 'add', 'x', 'file://host/folder'],
      [/is not a place/, 'storages', 'add', 'x', disk('wrong')],
      [/is not a place/, 'storages', 'add', 'x', 's3://'],
      [/is not a place/, 'storages', 'add', 'x', 's3://bucket/in?endpoint=https://s3.example.org'],
      [/--endpoint is for s3:\/\/ only/, 'storages', 'add', 'x', place, '--endpoint', 'http://127.0.0.1:1'],
      [/--path-style must be true or false/, 'storages', 'add', 'x', 's3://bucket', '--path-style', 'yes'],
      [/--region is for "storages add"/, 'storages', 'test', 'x', '--region', 'eu'],
      [/The secret access key is empty/, 'storages', 'add', 'x', 's3://bucket', '--access-key-id', 'id'],
      [/Unknown option '--secret-access-key'/, 'storages', 'add', 'x', 's3://bucket', '--secret-access-key', 'x'],
      [/^strongroom: usage: /, 'migrate', 'photos'],
      [/"No Name" is not a valid storage name/, 'migrate', 'photos', 'No Name'],
      [/"X" is not a valid bucket name/, 'migrate', 'X', 'default'],
      [/sr:photos\/a is not a bucket/, 'migrate', 'sr:photos/a', 'default'],
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
    assert.match(await ok('storages', '--help'), /^usage: strongroom storages /)
    assert.match(await ok('migrate', '--help'), /^usage: strongroom migrate /)
  })

  it('what the service refuses is its own words, and adds nothing', async () => {
    const { admin } = server
    await ok('storages', 'add', 'mine', `file:${disk('mine')}`)
    const before = await admin.listStorages()
    const forbidden = /STORAGE_FOLDERS.*\(invalid_request, request /
    await fails(1, forbidden, 'storages', 'add', 'outside', `file:${folder}/elsewhere`)
    await fails(1, /body\.bucket .*\(invalid_request, request /, 'storages', 'add', 'x', 's3://No_Bucket')
    await fails(1, /There is no storage "none"\. \(not_found, request /, 'storages', 'test', 'none')
    await fails(1, /There is no storage "none"\. \(not_found, request /, 'storages', 'remove', 'none')
    await fails(1, /There is no storage "none"\. \(not_found, request /, 'migrate', 'photos', 'none')
    await fails(1, /\(not_found, request /, 'migrate', 'no-bucket', 'mine')
    await fails(1, /default storage.*\(conflict, request /, 'storages', 'off', 'default')
    await fails(1, /default storage.*\(conflict, request /, 'storages', 'remove', 'default')
    // These pass the test first, whose checks are printed.
    for (const [why, name, place] of [
      [/already exists.*\(already_exists, request /, 'mine', 'other'],
      [/place of the storage "mine"\. \(conflict, request /, 'other', 'mine'],
    ] as const) {
      const { code, err } = await server.records([], () => strongroom(['storages', 'add', name, `file:${disk(place)}`]))
      assert.equal(code, 1)
      assert.match(err, why)
    }
    const person = await server.userWith({ bucket_pattern: '*', actions: ['list', 'read', 'write', 'manage'] })
    server.secrets.add(person)
    const denied = [{ action: 'access_denied', result: 'denied' }] as const
    for (const args of [
      ['storages'],
      ['storages', 'add', 'x', `file:${disk('x')}`],
      ['storages', 'test', 'mine'],
      ['storages', 'off', 'mine'],
      ['storages', 'remove', 'mine'],
      ['migrate', 'photos', 'mine'],
    ]) {
      const { code, out, err } = await server.records(denied, () =>
        strongroom(args, { env: { STRONGROOM_TOKEN: person } }),
      )
      assert.deepEqual([args, code, out], [args, 1, ''])
      assert.match(err, /\(forbidden, request /)
    }
    assert.deepEqual(await admin.listStorages(), before)
    await ok('storages', 'remove', 'mine')
  })

  it('adds nothing that fails its test, and prints no secret', async () => {
    const args = ['storages', 'add', 'away', 's3://bucket/in/it', '--endpoint', 'http://127.0.0.1:1']
    const all = [...args, '--region', 'eu-central-1', '--path-style', 'false', '--access-key-id', 'ID']
    const input = `${SECRET}\n`
    const { code, out, err } = await server.records([], () => strongroom(all, { input }))
    assert.equal(code, 1)
    assert.match(out, /^failed {3}reach {7}The connection was refused: nothing listens at this address and port\.$/m)
    assert.equal(statuses(out).write, 'skipped')
    assert.equal(err, 'strongroom: The storage away was not added, because a check failed.\n')
    const json = await server.records([], () => strongroom([...all, '--json'], { input }))
    const { ok: passed, checks, storage } = JSON.parse(json.out)
    assert.deepEqual([json.code, passed, checks.length, storage], [1, false, checkNames.length, null])

    // A disk that fails later.
    await ok('storages', 'add', 'broken', `file:${disk('broken')}`)
    fs.writeFileSync(disk('broken'), 'not a folder')
    const test = await server.records([], () => strongroom(['storages', 'test', 'broken']))
    assert.deepEqual([test.code, Object.values(statuses(test.out)).includes('failed')], [1, true])
    assert.match(test.err, /The storage broken cannot be used, because a check failed/)
    await ok('storages', 'remove', 'broken')
    const listed = (await server.admin.listStorages()).items.map(({ name }) => name)
    assert.deepEqual(listed, ['default'])
  })

  it('a migration with errors names them and ends with 1', async () => {
    const { admin } = server
    await ok('storages', 'add', '--json', 'hurt', `file:${disk('hurt')}`)
    await admin.createBucket({ body: { name: 'hurt', storage: 'hurt' } })
    for (const key of ['good', 'bad']) await put('hurt', key, `contents of ${key}`)
    const rows = await server.database.db.selectFrom('objects').select(['key', 'blob_id']).execute()
    const id = rows.find(({ key }) => key === 'bad')?.blob_id ?? ''
    fs.writeFileSync(path.join(disk('hurt'), id.slice(-2), id), 'DAMAGED')
    const updated = [{ action: 'update_bucket', bucket: 'hurt' }] as const
    const { code, out, err } = await server.records(updated, () => strongroom(['migrate', 'sr:hurt/', 'default']))
    assert.deepEqual([code, out], [1, '1 done, 1 failed\n'])
    assert.match(err, /^strongroom: sr:hurt\/bad: \S.* \(\w+\)\n$/)
    const json = await server.records([], () => strongroom(['migrate', '--json', 'hurt', 'default']))
    const job = JSON.parse(json.out) as Job
    assert.deepEqual([json.code, job.kind, job.done, job.failed, job.errors.length], [1, 'migrate', 1, 1, 1])
  })

  it('waits for a job that runs already, also while the service is away; Ctrl-C leaves it running', async () => {
    const { admin } = server
    await ok('storages', 'add', 'slow', `file:${disk('slow')}`)
    await admin.createBucket({ body: { name: 'slow' } })
    await put('slow', 'a')
    const updated = [{ action: 'update_bucket', bucket: 'slow' }] as const
    const job = await server.records(updated, async () => {
      const id = (await ok('migrate', '--no-wait', 'slow', 'slow')).trim()
      await until(async () => isOver(await admin.getJob({ params: { id } })))
      return admin.getJob({ params: { id } })
    })
    assert.deepEqual([job.status, job.dest_storage, job.done], ['succeeded', 'slow', 1])
    const before = (await jobs()).length
    const { id } = job
    const polled = () => proxy.seen.some((line) => line.startsWith(`GET /api/v1/jobs/${id} `))

    await server.records([], async () => {
      await set(id, { status: 'running' })
      proxy.seen.length = 0
      const child = begin(['migrate', 'slow', 'slow'])
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
      await until(polled)
      child.kill('SIGINT')
      const [out, err, [code]] = await ended
      assert.deepEqual([code, out], [130, ''])
      assert.equal(
        err,
        `strongroom: job ${id} continues: run the same command again to follow it, or open ${proxy.url}/console/jobs/${id}\n`,
      )
      assert.equal((await admin.getJob({ params: { id } })).status, 'running')
      assert.equal((await ok('migrate', '--no-wait', 'slow', 'slow')).trim(), id)

      // More often than the client itself tries again.
      proxy.seen.length = 0
      proxy.away = 5
      const [followed] = await Promise.all([
        ok('migrate', 'slow', 'slow'),
        until(polled).then(() => set(id, { status: 'succeeded', done: 7 })),
      ])
      assert.deepEqual([followed, proxy.away], ['7 done\n', 0])

      for (const [status, why] of [
        ['failed', /^strongroom: It was refused\.\n$/],
        ['cancelled', /^strongroom: The job was cancelled: run the same command again to continue\.\n$/],
      ] as const) {
        await set(id, { status: 'running' })
        proxy.seen.length = 0
        const [end] = await Promise.all([
          strongroom(['migrate', 'slow', 'slow']),
          until(polled).then(() => set(id, { status, ...(status === 'failed' && { detail: 'It was refused.' }) })),
        ])
        assert.deepEqual([end.code, end.out], [1, '7 done\n'])
        assert.match(end.err, why)
      }
    })
    assert.equal((await jobs()).length, before)
  })

  it('adds an S3 engine with a secret from standard input', { skip: gateway ? false : noGateway }, async () => {
    if (!gateway) return
    const { hostname, pathname, searchParams } = new URL(newBucket(gateway))
    const { accessKeyId, secretAccessKey } = gateway.credentials
    server.secrets.add(secretAccessKey)
    const place = `s3://${hostname}${pathname}`
    const endpoint = searchParams.get('endpoint') ?? ''
    const args = ['storages', 'add', 'engine', place, '--endpoint', endpoint, '--access-key-id', accessKeyId]
    const wrong = await server.records([], () => strongroom(args, { input: SECRET }))
    assert.equal(wrong.code, 1)
    assert.match(wrong.out, /^failed {3}reach {7}The secret access key is wrong/m)
    const { code, out, err } = await server.records([{ action: 'storage_create' }], () =>
      strongroom([...args, '--path-style', 'true'], { input: `${secretAccessKey}\n` }),
    )
    assert.deepEqual([code, err], [0, ''])
    assert.equal(statuses(out).write, 'passed')
    const { kind, path_style, access_key_id } = await server.admin.getStorage({ params: { storage: 'engine' } })
    assert.deepEqual([kind, path_style, access_key_id], ['s3', true, accessKeyId])
    assert.ok((await ok('storages')).includes(`${place.replace(/\/?$/, '/')} at ${endpoint}  `))
    await server.admin.createBucket({ body: { name: 'engine' } })
    await put('engine', 'a', 'bytes')
    await server.records([{ action: 'update_bucket', bucket: 'engine' }], () => ok('migrate', 'engine', 'engine'))
    assert.equal(await ok('cp', 'sr:engine/a', '-'), 'bytes')
  })
})
