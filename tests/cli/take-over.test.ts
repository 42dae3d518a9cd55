import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import type { Finding, Release, TakeOver } from '../../contract/attached.ts'
import type { Bucket } from '../../contract/buckets.ts'
import type { Job } from '../../contract/jobs.ts'
import type { Foreign } from '../attached/foreign.ts'
import { describeOnce } from '../support/server.ts'
import { until } from '../support/until.ts'
import { attachedWorld, skip } from './attached.ts'

describeOnce('the commands that take over buckets and release them', (engine) => {
  const world = attachedWorld(engine)
  const { attach, begin, filled, ok, reach, scanned, secret, strongroom, working } = world
  const getBucket = (bucket: string) => world.server.admin.getBucket({ params: { bucket } })
  /** Attaches a bucket and takes it over. */
  async function takenOver(foreign: Foreign, name: string): Promise<void> {
    await attach(foreign, name)
    const { code, err } = await working(['take-over', name, '--quiet-hours', '0', '--yes'])
    assert.deepEqual([code, err], [0, ''])
  }

  it('says what would happen and what is in the way, and takes a bucket over without copying', { skip }, async () => {
    const foreign = await filled('a.txt', 'b/c.txt')
    await attach(foreign, 'photos')
    const before = await foreign.listed()
    const where = `s3://${foreign.bucket}/ on the storage photos`
    const plan = [
      `2 objects (12 B) stay at ${where}.`,
      'New bytes go to the storage default.',
      '2 requests for what no list has: types, metadata, tags and versions.',
    ]
    const early = await world.server.records([], () => strongroom(['take-over', 'photos']))
    assert.deepEqual([early.code, early.err], [1, 'strongroom: The bucket photos cannot be taken over yet.\n'])
    assert.deepEqual(early.out.split('\n').slice(0, 3), plan)
    assert.match(early.out, /\nnot_quiet {6}\S.*\n$/)
    const json = await world.server.records([], () => strongroom(['take-over', 'photos', '--dry-run', '--json']))
    const { ready, problems, scan, storage } = JSON.parse(json.out) as TakeOver
    assert.deepEqual([json.code, ready, scan, storage], [1, false, null, 'default'])
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['not_quiet'],
    )

    const dry = await world.server.records([], () => ok('take-over', 'photos', '--dry-run', '--quiet-hours', '0'))
    assert.deepEqual(dry.split('\n').slice(0, 3), plan)
    assert.match(dry, /\nOthers have changed nothing since \S+Z, as far as is known\.\n$/)
    assert.equal((await getBucket('photos')).mode, 'read_only')
    const taken = await world.server.records(
      [
        { action: 'take_over', bucket: 'photos' },
        { action: 'scan', bucket: 'photos' },
      ],
      () => working(['take-over', 'sr:photos/', '--quiet-hours', '0']),
    )
    assert.deepEqual([taken.code, taken.err], [0, ''])
    const outcome = `The bucket photos is taken over: its 2 objects stay at ${where}, and new bytes go to the storage default.\n`
    assert.ok(taken.out.startsWith(plan.join('\n')))
    assert.ok(taken.out.endsWith(`known.\n${outcome}`))
    const { mode, source, storage: newStorage } = await getBucket('photos')
    assert.deepEqual([mode, source?.storage, newStorage], ['taken_over', 'photos', 'default'])
    assert.match(await ok('ls', '-l'), /2 objects {2}sr:photos\/ {2}\(taken over\)$/m)
    assert.equal(await ok('cp', 'sr:photos/b/c.txt', '-'), 'b/c.txt')
    await ok('mv', 'sr:photos/b/c.txt', 'sr:photos/d.txt')
    await strongroom(['cp', '-', 'sr:photos/new.txt'], { input: 'new' })
    assert.equal(await ok('ls', 'sr:photos'), 'a.txt\nd.txt\nnew.txt\n')
    assert.equal(await ok('cp', 'sr:photos/d.txt', '-'), 'b/c.txt')
    assert.deepEqual(await foreign.listed(), before)

    const again = await world.server.records([], () => strongroom(['take-over', 'photos']))
    assert.deepEqual(
      [again.code, again.out, again.err],
      [1, '', 'strongroom: The bucket photos was taken over already.\n'],
    )
    await world.server.admin.createBucket({ body: { name: 'own' } })
    const own = await strongroom(['take-over', 'own'])
    assert.deepEqual(
      [own.code, own.err],
      [1, 'strongroom: The bucket own is not attached, so there is nothing to take over.\n'],
    )
  })

  it('names what is missing, and leaves it out only with --without-missing', { skip }, async () => {
    const foreign = await filled('a', 'gone', 'z')
    await attach(foreign, 'holes')
    await foreign.delete('gone')
    await working(['scan', 'holes'])
    const refused = await world.server.records([], () =>
      strongroom(['take-over', 'holes', '--quiet-hours', '0', '--yes']),
    )
    assert.equal(refused.code, 1)
    assert.match(refused.out, /\nIn the way: 1 object marked as missing\n {2}gone\nmissing {8}1 object is marked/)
    const options = ['--quiet-hours', '0', '--without-missing']
    const dry = await world.server.records([], () => ok('take-over', 'holes', '--dry-run', ...options))
    assert.match(dry, /\nLeft out: 1 object marked as missing\n {2}gone\n$/)
    const taken = await working(['take-over', 'holes', '--yes', ...options])
    assert.deepEqual([taken.code, taken.err], [0, ''])
    assert.match(taken.out, /its 2 objects stay at/)
    assert.equal(await ok('ls', 'sr:holes'), 'a\nz\n')
  })

  it('says why a bucket was not taken over; with --json it prints the scan and the bucket', { skip }, async () => {
    const foreign = await filled('a', 'b')
    await attach(foreign, 'busy')
    await foreign.put('b', 'changed since')
    const held = await working(['take-over', 'busy', '--quiet-hours', '0'])
    assert.equal(held.code, 1)
    assert.match(
      held.err,
      /^strongroom: The bucket busy stays read-only\. Others have changed 1 object, .*\nWhen that is over, run "strongroom take-over busy"\.\n$/,
    )
    assert.equal((await getBucket('busy')).mode, 'read_only')
    assert.match(await ok('scan', 'list', 'busy'), /Z {2}take_over {2}held \(changed\) /)
    const taken = await working(['take-over', 'busy', '--quiet-hours', '0', '--json'])
    assert.deepEqual([taken.code, taken.err], [0, ''])
    const { scan, bucket, ready } = JSON.parse(taken.out) as TakeOver & { bucket: Bucket }
    assert.deepEqual([ready, scan?.status, scan?.trigger, bucket.mode], [true, 'succeeded', 'take_over', 'taken_over'])
  })

  it('Ctrl-C leaves the scan running that takes a bucket over; the same command follows it', { skip }, async () => {
    const { server, proxy } = world
    await attach(await filled('a'), 'slow')
    const [first] = (await server.admin.listScans({ params: { bucket: 'slow' } })).items
    const scan = first?.id ?? ''
    // As if it was to take the bucket over, and another process worked on it.
    const leased_until = new Date(server.clock.now().getTime() + 300_000).toISOString()
    const running = { status: 'running', runner: 'elsewhere', leased_until, finished_at: null } as const
    const started = { started_by: 'take_over', phase: 'reading', position: null, seen: 0, added: 0 } as const
    const take_over = JSON.stringify({ quiet_hours: 0, storage: 'default', changed_at: null })
    await server.database.transaction((tx) =>
      tx
        .updateTable('scans')
        .set({ ...running, ...started, take_over })
        .where('id', '=', scan)
        .execute(),
    )
    proxy.seen.length = 0
    await server.records([], async () => {
      const child = begin(['take-over', 'slow'])
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
      await until(() => proxy.seen.some((line) => line.startsWith(`GET /api/v1/scans/${scan} `)))
      child.kill('SIGINT')
      const [out, err, [code]] = await ended
      assert.deepEqual([code, out], [130, ''])
      assert.equal(err, 'strongroom: the scan continues: to follow it, run "strongroom take-over slow"\n')
      assert.equal(await ok('take-over', 'slow', '--no-wait'), `${scan}\n`)
    })
    proxy.seen.length = 0
    const [{ code, out, err }] = await Promise.all([
      strongroom(['take-over', 'slow']),
      (async () => {
        await until(() => proxy.seen.some((line) => line.startsWith(`GET /api/v1/scans/${scan} `)))
        server.clock.advance(301_000)
        await scanned('slow')
      })(),
    ])
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^The bucket slow is taken over: its 1 object stays at /)
  })

  it('lists what others did where a bucket was taken over', { skip }, async () => {
    const foreign = await filled('changed', 'gone', 'kept')
    await takenOver(foreign, 'found')
    assert.equal(await ok('findings', 'found'), '')
    await ok('mv', 'sr:found/gone', 'sr:found/renamed')
    await foreign.put('changed', 'by others')
    await foreign.put('x', 'theirs')
    await foreign.deleteOne('gone')
    const findings = ['changed', 'gone', 'x'].map(
      (key) => ({ action: 'external_finding', bucket: 'found', key }) as const,
    )
    const scanned = await world.server.records([...findings, { action: 'scan', bucket: 'found' }], () =>
      working(['scan', 'found']),
    )
    assert.deepEqual(
      [scanned.code, scanned.err],
      [0, 'strongroom: others did that: to see where, run "strongroom findings found"\n'],
    )
    assert.match(scanned.out, /^\d objects, 1 added, 1 changed, 1 missing\n$/)
    const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ'
    const lines = [
      `changed {16}9 {2}${time} changed`,
      `missing {17} {2}${time} gone \\(now sr:found/renamed\\)`,
      `foreign {16}6 {2}${time} x`,
    ]
    assert.match(await ok('findings', 'sr:found'), new RegExp(`^${lines.join('\n')}\n$`))
    const json = (await ok('findings', 'found', '--json')).trimEnd().split('\n')
    assert.deepEqual(
      json.map((line) => {
        const { key, kind, object } = JSON.parse(line) as Finding
        return [key, kind, object]
      }),
      [
        ['changed', 'changed', 'changed'],
        ['gone', 'missing', 'renamed'],
        ['x', 'foreign', null],
      ],
    )
    assert.match(await ok('ls', '-l'), /sr:found\/ {2}\(taken over, 3 findings\)$/m)
    const broken = await strongroom(['cp', 'sr:found/changed', '-'])
    assert.deepEqual([broken.code, broken.out], [1, ''])
    assert.match(broken.err, /\(conflict, request /)
    assert.equal(await ok('cp', 'sr:found/kept', '-'), 'kept')
    const other = await strongroom(['findings', 'own-or-not'])
    assert.match(other.err, /\(not_found, request /)
  })

  it('releases a bucket that was taken over to another place, and then forgets it', { skip }, async () => {
    const foreign = await filled('a.txt', 'b/c.txt')
    await takenOver(foreign, 'leaving')
    await strongroom(['cp', '-', 'sr:leaving/new.txt'], { input: 'new' })
    const there = await filled()
    const add = await strongroom(['storages', 'add', 'out', `s3://${there.bucket}`, ...reach], { input: secret })
    assert.deepEqual([add.code, add.err], [0, ''])
    const before = await foreign.listed()

    const nowhere = await world.server.records([], () => strongroom(['release', 'leaving', '--yes']))
    assert.deepEqual(
      [nowhere.code, nowhere.out, nowhere.err],
      [2, '', 'strongroom: The bucket leaving was taken over: write with --storage where its objects are to go.\n'],
    )
    const to = ['--storage', 'out', '--prefix', 'photos']
    const where = `s3://${there.bucket}/photos/ on the storage out`
    const dry = await world.server.records([], () => ok('release', 'leaving', ...to, '--dry-run'))
    assert.equal(dry, `3 objects (15 B) would be written to ${where}, read again and compared.\n`)
    const json = JSON.parse(await ok('release', 'leaving', ...to, '--dry-run', '--json')) as Release
    assert.deepEqual(json, { objects: 3, bytes: 15, job: null })
    assert.deepEqual(await there.listed(), [])

    // Frozen, and released.
    const updated = { action: 'update_bucket', bucket: 'leaving' } as const
    const released = await world.server.records([updated, updated], () => ok('release', 'leaving', ...to))
    const old = `s3://${foreign.bucket}/ on the storage leaving`
    assert.equal(
      released,
      `${dry}Released the bucket leaving. Its 3 objects are at ${where} now, and it is read-only. What was taken over stays at ${old}.\n`,
    )
    assert.deepEqual(
      (await there.listed()).map(({ key }) => key),
      ['photos/a.txt', 'photos/b/c.txt', 'photos/new.txt'],
    )
    assert.equal((await there.bytesOf('photos/b/c.txt')).toString(), 'b/c.txt')
    assert.deepEqual(await foreign.listed(), before)
    assert.match(await ok('ls', '-l'), /sr:leaving\/ {2}\(read-only\)$/m)
    assert.equal(await ok('cp', 'sr:leaving/new.txt', '-'), 'new')

    // The same command again forgets nothing.
    const again = await world.server.records([], () => strongroom(['release', 'leaving', ...to]))
    assert.deepEqual([again.code, again.out], [2, ''])
    assert.equal(
      again.err,
      `strongroom: --storage is for a bucket that was taken over. leaving is read-only, and shows ${where}.\n`,
    )
    const would = await world.server.records([], () => ok('release', 'leaving', '-n'))
    assert.equal(would, 'The bucket leaving with 3 objects would be forgotten. Everything on the storage stays.\n')
    const forgotten = await world.server.records([{ action: 'release_bucket', bucket: 'leaving' }], () =>
      ok('release', 'leaving', '--json'),
    )
    assert.deepEqual(JSON.parse(forgotten), { released: 'leaving', objects: 3 })
    assert.equal((await there.listed()).length, 3)
  })

  it('says why a bucket was not released; Ctrl-C leaves the job running, and one that is cancelled ends', {
    skip,
  }, async () => {
    const { server, proxy } = world
    const foreign = await filled('a', 'b')
    await takenOver(foreign, 'undecided')
    await foreign.put('b', 'by others')
    const there = await filled()
    const add = await strongroom(['storages', 'add', 'elsewhere', `s3://${there.bucket}`, ...reach], { input: secret })
    assert.equal(add.code, 0)
    const to = ['--storage', 'elsewhere']
    const failed = await strongroom(['release', 'undecided', ...to, '--json'])
    const job = JSON.parse(failed.out) as Job
    assert.deepEqual(
      [failed.code, job.kind, job.source_bucket, job.status, job.done, job.failed],
      [1, 'release', 'undecided', 'failed', 1, 1],
    )
    assert.match(failed.err, /^strongroom: sr:undecided\/b: \S.* \(conflict\)\nstrongroom: \S.*\n$/)
    assert.match(failed.err, / The bucket undecided stays taken over\. To continue, release it to the same place\.\n$/)
    assert.equal((await getBucket('undecided')).source?.release_job, null)

    // As if another process worked on it.
    const leased_until = new Date(server.clock.now().getTime() + 300_000).toISOString()
    const running = { status: 'running', runner: 'elsewhere', leased_until, finished_at: null } as const
    await server.database.transaction(async (tx) => {
      await tx.updateTable('jobs').set(running).where('id', '=', job.id).execute()
      await tx.updateTable('buckets').set({ mode: 'releasing' }).where('name', '=', 'undecided').execute()
      const ofBucket = tx.selectFrom('buckets').select('id').where('name', '=', 'undecided')
      await tx.updateTable('attachments').set({ release_job: job.id }).where('bucket_id', '=', ofBucket).execute()
    })
    // First to learn which job it is.
    const polled = () => proxy.seen.filter((line) => line.startsWith(`GET /api/v1/jobs/${job.id} `)).length > 1
    await server.records([], async () => {
      assert.match(await ok('ls', '-l'), /sr:undecided\/ {2}\(taken over, being released\)$/m)
      assert.equal(await ok('release', 'undecided', '--no-wait'), `${job.id}\n`)
      const other = await strongroom(['release', 'undecided', '--storage', 'undecided'])
      assert.deepEqual(
        [other.code, other.err],
        [1, 'strongroom: The bucket undecided is being released to the storage elsewhere already.\n'],
      )
      const child = begin(['release', 'undecided', ...to])
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
      proxy.seen.length = 0
      await until(polled)
      child.kill('SIGINT')
      const [out, err, [code]] = await ended
      assert.deepEqual([code, out], [130, ''])
      assert.match(err, /^strongroom: job \S+ continues: run the same command again to follow it, or open /)
    })
    const [followed] = await Promise.all([
      strongroom(['release', 'undecided', ...to]),
      (async () => {
        proxy.seen.length = 0
        await until(polled)
        await server.admin.cancelJob({ params: { id: job.id } })
        server.clock.advance(301_000)
        await server.running.tick('jobs')
      })(),
    ])
    assert.deepEqual([followed.code, followed.out], [1, '1 done, 1 failed\n'])
    assert.match(followed.err, /\nstrongroom: The job was cancelled\. The bucket undecided stays taken over\. /)
    assert.equal((await getBucket('undecided')).source?.release_job, null)
    await ok('mv', 'sr:undecided/a', 'sr:undecided/renamed')
  })

  it('leaves it to administrators, except for findings of those who manage the bucket', { skip }, async () => {
    await takenOver(await filled('a'), 'managed')
    await attach(await filled('a'), 'shown')
    const person = await world.server.userWith({ bucket_pattern: '*', actions: ['list', 'read', 'manage'] })
    world.server.secrets.add(person)
    const asPerson = { env: { STRONGROOM_TOKEN: person } }
    for (const args of [
      ['take-over', 'shown'],
      ['release', 'managed', '--storage', 'shown'],
      ['release', 'shown', '--dry-run'],
    ]) {
      const denied = await world.server.records([{ action: 'access_denied', result: 'denied' }], () =>
        strongroom(args, asPerson),
      )
      assert.deepEqual([args, denied.code, denied.out], [args, 1, ''])
      assert.match(denied.err, /\(forbidden, request /)
    }
    const listed = await world.server.records([], () => strongroom(['findings', 'managed'], asPerson))
    assert.deepEqual([listed.code, listed.out, listed.err], [0, '', ''])
  })

  it('explains incorrect calls, without asking the service', async () => {
    const wrong: [why: RegExp, ...args: string[]][] = [
      [/^strongroom: usage: strongroom take-over /, 'take-over'],
      [/"X" is not a valid bucket name/, 'take-over', 'X'],
      [/--quiet-hours must be a number of at most 720/, 'take-over', 'photos', '--quiet-hours', 'one'],
      [/--quiet-hours must be a number of at most 720/, 'take-over', 'photos', '--quiet-hours', '721'],
      [/"No Name" is not a valid storage name/, 'take-over', 'photos', '--storage', 'No Name'],
      [/^strongroom: usage: strongroom findings /, 'findings'],
      [/sr:photos\/a is not a bucket/, 'findings', 'sr:photos/a'],
      [/--prefix needs --storage/, 'release', 'photos', '--prefix', 'out/'],
      [/"No Name" is not a valid storage name/, 'release', 'photos', '--storage', 'No Name'],
    ]
    await world.explains(wrong)
    for (const name of ['take-over', 'findings', 'release'])
      assert.match(await ok(name, '--help'), new RegExp(`^usage: strongroom ${name} `))
  })
})
