import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import type { Scan } from '../../contract/scans.ts'
import { describeOnce } from '../support/server.ts'
import { until } from '../support/until.ts'
import { attachedWorld, skip } from './attached.ts'

describeOnce('the commands for scans and their buckets', (engine) => {
  const world = attachedWorld(engine)
  const { attach, begin, filled, ok, strongroom, working } = world

  it('scans: what changed is counted, a held scan is explained, shown and confirmed', { skip }, async () => {
    const foreign = await filled('a', 'b', 'c')
    await attach(foreign, 'scanned')
    const none = await world.server.records([], () => strongroom(['scan', 'absences', 'scanned']))
    assert.deepEqual(
      [none.code, none.out, none.err],
      [1, '', 'strongroom: The latest scan of sr:scanned is not held.\n'],
    )
    await foreign.put('b', 'changed')
    await foreign.put('d', 'd')
    const changes = ['d', 'b'].map((key) => ({ action: 'external_change', bucket: 'scanned', key }) as const)
    const scanned = await world.server.records([...changes, { action: 'scan', bucket: 'scanned' }], () =>
      working(['scan', 'scanned']),
    )
    assert.deepEqual([scanned.code, scanned.out, scanned.err], [0, '4 objects, 1 added, 1 changed\n', ''])

    await foreign.delete('a', 'b', 'c', 'd')
    const held = await world.server.records([{ action: 'scan', bucket: 'scanned' }], () =>
      working(['scan', 'sr:scanned/', '--json']),
    )
    const scan = JSON.parse(held.out) as Scan
    assert.deepEqual([held.code, scan.status, scan.held_reason, scan.absent], [1, 'held', 'empty', 4])
    assert.match(
      held.err,
      /^strongroom: The scan is held, and nothing was marked as missing\. \S.*\nTo see what it would mark as missing, run "strongroom scan absences scanned"; if they are gone, run "strongroom scan confirm scanned"\.\n$/,
    )
    const absences = await ok('scan', 'absences', 'scanned')
    assert.match(absences, /^( +\d+ {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [abcd]\n){4}$/)
    const lines = (await ok('scan', 'absences', scan.id, '--json')).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).key),
      ['a', 'b', 'c', 'd'],
    )
    const list = (await ok('scan', 'list', 'scanned')).trimEnd().split('\n')
    assert.equal(list.length, 3)
    assert.match(list[0] ?? '', new RegExp(`^${scan.id}  \\S+Z {2}request {3}held \\(empty\\) +0 objects, 4 absent$`))
    assert.match(list[2] ?? '', /Z {2}attach {4}succeeded +3 objects, 3 added$/)
    const marked = ['a', 'b', 'c', 'd'].map((key) => ({ action: 'external_change', bucket: 'scanned', key }) as const)
    const confirmed = await world.server.records(
      [{ action: 'scan_confirm', bucket: 'scanned' }, ...marked, { action: 'scan', bucket: 'scanned' }],
      () => working(['scan', 'confirm', 'scanned', '--yes']),
    )
    assert.deepEqual([confirmed.code, confirmed.out, confirmed.err], [0, '0 objects, 4 missing\n', ''])
    const over = await world.server.records([], () => strongroom(['scan', 'confirm', scan.id]))
    assert.deepEqual([over.code, over.err], [1, `strongroom: The scan ${scan.id} is not held: it is succeeded.\n`])
  })

  it('Ctrl-C leaves a scan running; releasing a bucket leaves its objects', { skip }, async () => {
    const { server, proxy } = world
    const foreign = await filled('a', 'b')
    await attach(foreign, 'slow')
    const [first] = (await server.admin.listScans({ params: { bucket: 'slow' } })).items
    const scan = first?.id ?? ''
    // As if another process worked on it.
    const leased_until = new Date(server.clock.now().getTime() + 300_000).toISOString()
    const running = { status: 'running', runner: 'elsewhere', leased_until, finished_at: null } as const
    await server.database.transaction((tx) => tx.updateTable('scans').set(running).where('id', '=', scan).execute())
    proxy.seen.length = 0
    await server.records([], async () => {
      const child = begin(['scan', 'slow'])
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
      await until(() => proxy.seen.some((line) => line.startsWith(`GET /api/v1/scans/${scan} `)))
      child.kill('SIGINT')
      const [out, err, [code]] = await ended
      assert.deepEqual([code, out], [130, ''])
      assert.equal(err, 'strongroom: the scan continues: to follow it, run "strongroom scan slow"\n')
      assert.equal((await server.admin.getScan({ params: { scan } })).status, 'running')
      assert.equal(await ok('scan', 'slow', '--no-wait'), `${scan}\n`)
    })
    const released = await world.server.records([{ action: 'release_bucket', bucket: 'slow' }], () =>
      ok('release', 'slow'),
    )
    assert.equal(released, 'Released the bucket slow, which showed 2 objects. Everything on the storage stays.\n')
    assert.equal((await foreign.listed()).length, 2)
    assert.equal((await ok('ls')).includes('sr:slow/'), false)
    const again = await working(['attach', `s3://${foreign.bucket}`, '--storage', 'slow', '--bucket', 'again'])
    assert.deepEqual([again.code, again.err], [0, ''])
    const json = await world.server.records([{ action: 'release_bucket', bucket: 'again' }], () =>
      ok('release', 'again', '--json'),
    )
    assert.deepEqual(JSON.parse(json), { released: 'again', objects: 2 })
  })

  it('leaves it to administrators, except for scans of those who manage the bucket', { skip }, async () => {
    const foreign = await filled('a')
    await attach(foreign, 'managed')
    await foreign.delete('a')
    const { code } = await working(['scan', 'managed'])
    assert.equal(code, 1)
    const person = await world.server.userWith({ bucket_pattern: 'managed', actions: ['list', 'read', 'manage'] })
    world.server.secrets.add(person)
    const asPerson = { env: { STRONGROOM_TOKEN: person } }
    for (const args of [
      ['attach', 's3://bucket', '--bucket', 'mine'],
      ['attach', 'in', '--storage', 'managed', '--bucket', 'mine'],
      ['scan', 'confirm', 'managed'],
      ['release', 'managed'],
      ['storages', 'events-token', 'managed'],
    ]) {
      const denied = await world.server.records([{ action: 'access_denied', result: 'denied' }], () =>
        strongroom(args, asPerson),
      )
      assert.deepEqual([args, denied.code, denied.out], [args, 1, ''])
      assert.match(denied.err, /\(forbidden, request /)
    }
    const listed = await world.server.records([], () => strongroom(['scan', 'absences', 'managed'], asPerson))
    assert.deepEqual([listed.code, listed.err], [0, ''])
    assert.match(listed.out, /Z a\n$/)
  })
})
