// Jobs that copy and move beside what has their keys.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { jobsWorld, md5, numbered } from './jobs.ts'

describeEngines('jobs that keep both', (engine, itOnce) => {
  const world = jobsWorld(engine)
  const { open, fill, run, create, restore, counts, succeeded, contents, keysOf, rowsOf, assertExact } = world

  it('a folder of more than one step, of which some names are taken, and a move back', async () => {
    for (const kind of ['copy', 'move'] as const) {
      const [source, dest] = [await open(), await open()]
      const keys = [...numbered('a/', 1500).map((key) => `${key}.jpg`), 'a/deep/x', 'a/empty/']
      await fill(source, keys, (key) => (key.endsWith('/') ? 0 : key.length))
      const taken = ['b/0003.jpg', 'b/0004.jpg', 'b/0004 (1).jpg', 'b/1400.jpg', 'b/deep/x', 'b/empty/', 'c']
      await fill(dest, taken, (key) => (key.endsWith('/') ? 0 : key.length))
      const was = [await contents(source), await contents(dest)] as const
      const body = { kind, source_bucket: source, prefix: 'a/', dest_bucket: dest, dest_prefix: 'b/', keep_both: true }
      const job = await run(body)
      assert.deepEqual([counts(job), job.errors, job.keep_both], [succeeded(1502), [], true])
      const now = await contents(dest)
      for (const key of taken) if (key !== 'b/empty/') assert.equal(now.get(key), md5(`${dest}/${key}`), key)
      for (const [key, from] of [
        ['b/0003 (1).jpg', 'a/0003.jpg'],
        ['b/0004 (2).jpg', 'a/0004.jpg'],
        ['b/1400 (1).jpg', 'a/1400.jpg'],
        ['b/deep/x (1)', 'a/deep/x'],
        ['b/0000.jpg', 'a/0000.jpg'],
      ] as const)
        assert.equal(now.get(key), md5(`${source}/${from}`), key)
      assert.equal(now.size, 1502 + taken.length - 1)
      for (const name of [source, dest]) await assertExact(name)
      if (kind === 'copy') continue
      assert.deepEqual([await keysOf(source), job.restorable], [[], true])
      const back = await restore(job)
      assert.deepEqual(back.errors, [])
      assert.deepEqual([await contents(source), await contents(dest)], was, 'all of it, under its own name')
      assert.deepEqual(await rowsOf('trash', dest), [])
      for (const name of [source, dest]) await assertExact(name)
    }
  })

  itOnce('a retried job makes no more copies than were left, and a dry run none', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, ['a/1', 'a/2'])
    await fill(dest, ['1'])
    const body = { kind: 'copy', source_bucket: source, prefix: 'a/', dest_bucket: dest, dest_prefix: '' } as const
    const dry = await server().records([], () => run({ ...body, keep_both: true, dry_run: true }))
    assert.deepEqual([dry.total, await keysOf(dest)], [2, ['1']])
    await run({ ...body, keys: ['a/1'], keep_both: true })
    assert.deepEqual(await keysOf(dest), ['1', '1 (1)'])
    const plain = await run(body)
    assert.deepEqual([plain.keep_both, await keysOf(dest)], [false, ['1', '1 (1)', '2']])
  })

  itOnce('is for copies and moves alone', async () => {
    const name = await open()
    const asked = { source_bucket: name, keep_both: true }
    for (const body of [
      { kind: 'delete', ...asked },
      { kind: 'empty_bucket', ...asked },
      { kind: 'tag', tags: { add: { a: 'b' } }, ...asked },
      { kind: 'rollback', to: '2026-01-01T00:00:00Z', ...asked },
    ] as const)
      await server().records([], () => rejectsWith(create(body), 'invalid_request', 'body.keep_both'))
  })

  const server = () => world.server
})
