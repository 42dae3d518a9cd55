import assert from 'node:assert/strict'
import { it } from 'node:test'
import { checkNames } from '../../contract/storages.ts'
import { describeOnce } from '../support/server.ts'
import { attachedWorld, skip, WRONG } from './attached.ts'

describeOnce('the command that attaches buckets', (engine) => {
  const world = attachedWorld(engine)
  const { attach, endpoint, filled, names, ok, reach, scanned, secret, strongroom, working } = world

  it('tests a place, shows its first objects, adds the storage and the bucket, and waits for the scan', {
    skip,
  }, async () => {
    const { bucket } = await filled('2024/a.txt', '2024/b.txt', ...Array.from({ length: 9 }, (_, i) => `c${i}`))
    const args = ['attach', `s3://${bucket}`, ...reach]
    const { code, out, err } = await world.server.records(
      [{ action: 'storage_create' }, { action: 'create_bucket', bucket }, { action: 'scan', bucket }],
      () => working(args, `${secret}\n`),
    )
    assert.deepEqual([code, err], [0, ''])
    const lines = out.split('\n')
    const checks = lines.slice(0, checkNames.length).map((line) => line.split(/ +/).slice(0, 2))
    assert.deepEqual(
      checks.map(([, name]) => name),
      checkNames,
    )
    assert.deepEqual(checks[0], ['passed', 'reach'])
    // The tests' credentials could write.
    assert.deepEqual(checks.at(-1), ['warning', 'write'])
    assert.deepEqual(lines.slice(checkNames.length), [
      'The first objects:',
      '             10  2024/a.txt',
      '             10  2024/b.txt',
      ...Array.from({ length: 8 }, (_, i) => `              2  c${i}`),
      `Added the storage ${bucket}.`,
      `Attached s3://${bucket}/ as the bucket ${bucket}.`,
      '11 objects, 11 added',
      '',
    ])
    assert.match(await ok('ls', '-l'), new RegExp(`^ +38 {2} +11 objects {2}sr:${bucket}/ {2}\\(read-only\\)$`, 'm'))
    assert.equal(await ok('cp', `sr:${bucket}/2024/a.txt`, '-'), '2024/a.txt')

    const again = await world.server.records([], () => strongroom(args, { input: secret }))
    assert.deepEqual([again.code, again.out], [1, ''])
    assert.equal(
      again.err,
      `strongroom: There is a bucket ${bucket} already, which shows s3://${bucket}/: choose another name with --bucket.\n`,
    )
    // The storage is used again, so no secret is asked for; what it shows already is refused.
    const part = await world.server.records([], () =>
      strongroom(['attach', `s3://${bucket}/2024`, '--endpoint', endpoint, '--bucket', 'part']),
    )
    assert.deepEqual([part.code, part.out.includes('Added')], [1, false])
    assert.match(part.err, /\(conflict, request /)
    assert.deepEqual(await names(), ['default', bucket])
  })

  it('uses a registered storage, in which a prefix is enough; a new one is called after bucket and prefix', {
    skip,
  }, async () => {
    const { bucket } = await filled('2023/x.txt', '2024/a.txt', '2024/b.txt')
    const added = await strongroom(['storages', 'add', 'mine', `s3://${bucket}`, ...reach, '--read-only'], {
      input: secret,
    })
    assert.equal(added.code, 0)
    assert.match(added.out, /^warning {2}write /m)
    assert.match(await ok('storages', 'test', 'mine', '--read-only'), /^warning {2}write /m)
    const used = await world.server.records(
      [
        { action: 'create_bucket', bucket: 'year' },
        { action: 'scan', bucket: 'year' },
      ],
      () => working(['attach', '2024', '--storage', 'mine', '--bucket', 'year', '--json']),
    )
    assert.deepEqual([used.code, used.err], [0, ''])
    const result = JSON.parse(used.out)
    assert.deepEqual(Object.keys(result).sort(), ['bucket', 'checks', 'ok', 'preview', 'scan', 'storage'])
    assert.deepEqual(
      [result.ok, result.storage.name, result.bucket.name, result.bucket.object_count],
      [true, 'mine', 'year', 2],
    )
    assert.deepEqual([result.scan.status, result.scan.seen, result.scan.trigger], ['succeeded', 2, 'attach'])
    const { source, mode } = await world.server.admin.getBucket({ params: { bucket: 'year' } })
    assert.deepEqual([mode, source?.bucket, source?.prefix], ['read_only', bucket, '2024/'])
    assert.equal(await ok('ls', 'sr:year'), 'a.txt\nb.txt\n')

    const elsewhere = ['attach', 's3://elsewhere', '--storage', 'mine', '--endpoint', endpoint]
    const wrong = await world.server.records([], () => strongroom(elsewhere))
    assert.deepEqual(
      [wrong.code, wrong.err],
      [1, 'strongroom: s3://elsewhere/ with these options is not in the storage mine.\n'],
    )

    const other = await filled('2023/x.txt')
    const args = ['attach', `s3://${other.bucket}/2023/`, ...reach, '--bucket', 'other', '--no-wait']
    const actions = [
      { action: 'storage_create' },
      { action: 'create_bucket', bucket: 'other' },
      { action: 'scan', bucket: 'other' },
    ] as const
    const started = await world.server.records(actions, async () => {
      const ended = await strongroom(args, { input: secret })
      await scanned('other')
      return ended
    })
    assert.deepEqual([started.code, started.err], [0, ''])
    assert.match(started.out, /\nThe first objects:\n {13}10 {2}2023\/x\.txt\n/)
    assert.match(started.out, /\nIts first scan has started; to follow it, run "strongroom scan other"\.\n$/)
    assert.ok((await names()).includes(`${other.bucket}-2023`))
    const followed = await world.server.records([{ action: 'scan', bucket: 'other' }], () => working(['scan', 'other']))
    assert.deepEqual([followed.code, followed.out, followed.err], [0, '1 object\n', ''])
  })

  it('attaches nothing if a check fails, and says what stays if only the bucket cannot be created', {
    skip,
  }, async () => {
    const { bucket } = await filled('in/a.txt')
    const before = await names()
    const args = ['attach', `s3://${bucket}`, ...reach, '--bucket', 'held']
    const wrong = await world.server.records([], () => strongroom(args, { input: WRONG }))
    assert.equal(wrong.code, 1)
    assert.match(wrong.out, /^failed {3}reach {7}The secret access key is wrong/)
    assert.equal(wrong.out.split('\n').length, checkNames.length + 1)
    assert.equal(wrong.err, 'strongroom: Nothing was attached, because a check failed.\n')
    const json = await world.server.records([], () => strongroom([...args, '--json'], { input: WRONG }))
    const { ok: passed, storage, bucket: created, scan } = JSON.parse(json.out)
    assert.deepEqual([json.code, passed, storage, created, scan], [1, false, null, null, null])
    assert.deepEqual(await names(), before)

    const empty = await filled()
    await attach(empty, 'whole')
    const more = ['attach', `s3://${empty.bucket}/in`, ...reach, '--bucket', 'part', '--storage', 'part']
    const half = await world.server.records([{ action: 'storage_create' }], () => strongroom(more, { input: secret }))
    assert.equal(half.code, 1)
    assert.match(half.out, /\nThere are no objects yet\.\nAdded the storage part\.\n$/)
    assert.match(
      half.err,
      /^strongroom: .*\(conflict, request .*\nThe storage part stays registered: the next "strongroom attach" uses it, .*"strongroom storages remove part" forgets it\.\n$/,
    )
    await world.server.records([{ action: 'storage_delete' }], () => ok('storages', 'remove', 'part'))
  })

  it('prints an events token once, with how to configure MinIO, and deletes it', { skip }, async () => {
    const { bucket } = await filled()
    const add = ['storages', 'add', 'events', `s3://${bucket}/in it`, ...reach]
    assert.equal((await strongroom(add, { input: secret })).code, 0)
    const updated = [{ action: 'storage_update' }] as const
    const out = await world.server.records(updated, () => ok('storages', 'events-token', 'events'))
    const [, made = '', address = ''] = /^Token: (\S+)\nURL: {3}(\S+)\n/.exec(out) ?? []
    world.server.secrets.add(made)
    assert.match(address, /^https?:\/\/[^/]+\/api\/v1\/storages\/events\/events$/)
    assert.ok(out.includes(`notify_webhook:events endpoint='${address}' auth_token='Bearer ${made}'\n`))
    assert.ok(out.includes(`minio/${bucket} arn:minio:sqs::events:webhook --event put,delete --prefix 'in it/'\n`))
    assert.equal((await world.server.admin.getStorage({ params: { storage: 'events' } })).events, true)
    const json = JSON.parse(
      await world.server.records(updated, () => ok('storages', 'events-token', 'events', '--json')),
    )
    world.server.secrets.add(json.token)
    assert.deepEqual([Object.keys(json), json.url, json.token === made], [['token', 'url'], address, false])
    const deleted = await world.server.records(updated, () => ok('storages', 'events-token', 'events', '--delete'))
    assert.equal(deleted, 'Reports of changes on the storage events are no longer accepted.\n')
    assert.equal((await world.server.admin.getStorage({ params: { storage: 'events' } })).events, false)
  })

  it('explains incorrect calls, without asking the service', async () => {
    const wrong: [why: RegExp, ...args: string[]][] = [
      [/^strongroom: usage: strongroom attach /, 'attach'],
      [/^strongroom: usage: strongroom attach /, 'attach', 's3://bucket', 'more'],
      [/photos is not a place/, 'attach', 'photos'],
      [/Only a bucket of an S3 engine can be attached/, 'attach', 'file:/mnt/disk'],
      [/--path-style must be true or false/, 'attach', 's3://bucket', '--path-style', 'yes'],
      [/"No Name" is not a valid storage name/, 'attach', 's3://bucket', '--storage', 'No Name'],
      [/Nothing can be attached from the default storage/, 'attach', 's3://bucket', '--storage', 'default'],
      [/"No_Bucket" is not a valid bucket name: choose one with --bucket/, 'attach', 's3://No_Bucket'],
      [/"X" is not a valid bucket name/, 'attach', 's3://bucket', '--bucket', 'X'],
      [/Unknown option '--secret-access-key'/, 'attach', 's3://bucket', '--secret-access-key', 'x'],
      [/^strongroom: usage: strongroom scan /, 'scan'],
      [/^strongroom: usage: strongroom scan /, 'scan', 'stop', 'photos'],
      [/--yes is for "scan confirm"/, 'scan', 'photos', '--yes'],
      [/--no-wait is not for "scan list"/, 'scan', 'list', 'photos', '--no-wait'],
      [/sr:photos\/a is not a bucket/, 'scan', 'list', 'sr:photos/a'],
      [/"X" is not a valid bucket name/, 'scan', 'X'],
      [/^strongroom: usage: strongroom release /, 'release'],
      [/"X" is not a valid bucket name/, 'release', 'X'],
      [/--read-only is for "storages add" and "test"/, 'storages', 'on', 'x', '--read-only'],
      [/--delete is for "storages events-token"/, 'storages', 'remove', 'x', '--delete'],
      [/--region is for "storages add"/, 'storages', 'events-token', 'x', '--region', 'eu'],
    ]
    await world.explains(wrong)
    for (const name of ['attach', 'scan', 'release'])
      assert.match(await ok(name, '--help'), new RegExp(`^usage: strongroom ${name} `))
  })
})
