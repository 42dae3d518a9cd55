// The commands for moments of a bucket.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { ObjectChange } from '../../contract/changes.ts'
import type { Job } from '../../contract/jobs.ts'
import { describeOnce, type TestServer } from '../support/server.ts'
import { commandWorld } from './world.ts'

describeOnce('the commands for moments', (engine) => {
  const world = commandWorld(engine)
  const { strongroom, ok } = world
  let server: TestServer
  before(() => {
    server = world.parts().server
  })
  const put = (bucket: string, key: string, body: string) => server.admin.putObject({ params: { bucket, key }, body })
  const keysOf = async (bucket: string) =>
    (await server.admin.listObjects({ params: { bucket } })).items.map(({ key }) => key)

  it('lists changes, plans a rollback, and goes back', async () => {
    const bucket = 'past'
    await server.admin.createBucket({ body: { name: bucket } })
    await put(bucket, 'a/changed', 'first')
    await put(bucket, 'a/deleted', 'deleted')
    server.clock.advance(60_000)
    const to = server.clock.now().toISOString()
    server.clock.advance(60_000)
    await put(bucket, 'a/changed', 'the second')
    await server.admin.deleteObject({ params: { bucket, key: 'a/deleted' } })
    await put(bucket, 'a/new', 'new')
    await put(bucket, 'b', 'elsewhere')
    const listed = await server.records([], () => strongroom(['changes', '--from', to, 'sr:past/a/']))
    assert.equal(listed.code, 0, listed.err)
    assert.deepEqual(
      listed.out
        .trimEnd()
        .split('\n')
        .map((line) => [line[0], line.split('  ').at(-1)]),
      [
        ['~', 'a/changed'],
        ['-', 'a/deleted'],
        ['+', 'a/new'],
      ],
    )
    assert.match(listed.err, /added: 1 object, 3 B; changed: 1 object, 5 B to 10 B; deleted: 1 object, 7 B/)
    const lines = (await ok('changes', '--json', '--from', to, bucket)).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as ObjectChange).key),
      ['a/changed', 'a/deleted', 'a/new', 'b'],
    )
    const plan = await server.records([], () => ok('rollback', '--to', to, '--dry-run', 'sr:past/a/'))
    assert.equal(plan, 'come back: 1 object, 7 B\nchange back: 1 object, 10 B to 5 B\nare deleted: 1 object, 3 B\n')
    assert.deepEqual(await keysOf(bucket), ['a/changed', 'a/new', 'b'])
    const on = (action: 'restore' | 'delete', key: string) => ({ action, bucket, key })
    const done = await server.records([on('restore', 'a/changed'), on('restore', 'a/deleted')], () =>
      ok('rollback', '--to', to, '--keep-new', '--prefix', 'a/', '--yes', '--json', bucket),
    )
    const [planned, job] = done
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Job)
    assert.deepEqual([planned?.dry_run, job?.dry_run, job?.done], [true, false, 2])
    assert.deepEqual(await keysOf(bucket), ['a/changed', 'a/deleted', 'a/new', 'b'])
    const { email } = await server.admin.me()
    await server.records([on('delete', 'a/new'), on('delete', 'b')], () =>
      ok('rollback', '--to', to, '--by', `user:${email}`, '--yes', bucket),
    )
    assert.deepEqual(await keysOf(bucket), ['a/changed', 'a/deleted'])
  })

  it('takes back an agent, also one that has only created links, of which it says how many', async () => {
    const bucket = 'shared'
    await server.admin.createBucket({ body: { name: bucket } })
    await put(bucket, 'a', 'a')
    server.clock.advance(60_000)
    const to = server.clock.now().toISOString()
    server.clock.advance(60_000)
    const agent = await server.admin.createAgent({
      body: { name: 'sharer', scope: [{ bucket, actions: ['read', 'share'] }], approval: { actions: [] } },
    })
    server.secrets.add(agent.token).add(agent.secret_access_key)
    const { token } = await server.as(agent.token).createShare({ body: { kind: 'object', bucket, key: 'a' } })
    server.secrets.add(token)
    const back = ['--to', to, '--by', `agent:${agent.id}`, bucket]
    const plan = await server.records([], () => ok('rollback', '--dry-run', ...back))
    assert.match(plan, /\nare revoked: 1 share link\n$/)
    const revoke = { action: 'share_revoke' as const, bucket, key: 'a' }
    await server.records([revoke], () => ok('rollback', '--yes', ...back))
    assert.doesNotMatch(await server.records([], () => ok('rollback', '--yes', ...back)), /revoked/)
  })

  it('plans a merge, and takes what a fork has changed', async () => {
    const [origin, fork] = ['production', 'preview']
    await server.admin.createBucket({ body: { name: origin } })
    for (const key of ['a/changed', 'a/both', 'a/other', 'b']) await put(origin, key, 'first')
    await server.admin.createBucket({ body: { name: fork, from: { bucket: origin } } })
    for (const key of ['a/changed', 'a/both', 'a/other', 'a/new', 'b']) await put(fork, key, 'by the fork')
    for (const key of ['a/both', 'a/other']) await put(origin, key, 'by the origin')
    const plan = await server.records([], () => strongroom(['merge', '--dry-run', 'sr:preview/a/']))
    assert.equal(plan.code, 1)
    assert.equal(
      plan.out,
      'are added: 1 object, 11 B\nchange: 1 object, 5 B to 11 B\nare deleted: 0 objects, 0 B\nstay, since both have changed them: 2 objects\n',
    )
    assert.match(plan.err, /Both the fork and its origin have changed "a\/both"/)
    const on = (key: string) => ({ action: 'copy' as const, bucket: origin, key })
    await server.records([on('a/both'), on('a/changed'), on('a/new')], () =>
      ok('merge', '--prefix', 'a/', '--on-conflict', 'origin', '--take', 'fork:a/both', '--yes', fork),
    )
    const texts = async (key: string) => (await server.admin.getObject({ params: { bucket: origin, key } })).text()
    assert.deepEqual(await Promise.all(['a/both', 'a/changed', 'a/other', 'b'].map(texts)), [
      'by the fork',
      'by the fork',
      'by the origin',
      'first',
    ])
  })

  it('explains incorrect calls', async () => {
    const wrong: [number, RegExp, ...string[]][] = [
      [2, /Give the moment: --to/, 'rollback', 'past'],
      [2, /Give the moment: --from/, 'changes', 'past'],
      [2, /--by must be/, 'rollback', '--to', '2026-01-01T00:00:00Z', '--by', 'ann', 'past'],
      [2, /in the path or as --prefix/, 'rollback', '--to', '2026-01-01T00:00:00Z', '--prefix', 'a', 'sr:past/a'],
      [
        1,
        /There is no user "nobody@example.com"/,
        'rollback',
        '--to',
        '2026-01-01T00:00:00Z',
        '--by',
        'user:nobody@example.com',
        'past',
      ],
      [2, /--on-conflict must be fork, origin or both/, 'merge', '--on-conflict', 'mine', 'past'],
      [2, /--take must be fork:KEY/, 'merge', '--take', 'fork', 'past'],
      [1, /is no fork/, 'merge', '--yes', 'past'],
      [1, /\(invalid_request, request /, 'rollback', '--to', 'yesterday', 'past'],
    ]
    await server.records([], async () => {
      for (const [code, why, ...args] of wrong) {
        const ended = await strongroom(args)
        assert.deepEqual([args, ended.code, ended.out], [args, code, ''])
        assert.match(ended.err, why)
      }
    })
  })
})
