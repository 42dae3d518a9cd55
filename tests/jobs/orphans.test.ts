import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { it } from 'node:test'
import { keysIn, lineOf } from '../../server/storage/jobs/compare/lines.ts'
import { sorted } from '../../server/storage/jobs/compare/sort.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { byBytes, jobsWorld, type NewJob } from './jobs.ts'

describeEngines('orphans: what a list of needed keys does not have', (engine, itOnce) => {
  const world = jobsWorld(engine)
  const { open, keysOf, run } = world
  const put = (bucket: string, key: string, body: string) =>
    world.server.admin.putObject({ params: { bucket, key }, body })
  const text = async (bucket: string, key: string) =>
    (await world.server.admin.getObject({ params: { bucket, key } })).text()
  /** A bucket with these objects, and a list in another one. */
  async function compared(keys: readonly string[], list: string | readonly string[]) {
    const [bucket, lists] = [await open(), await open()]
    for (const key of keys) await put(bucket, key, key)
    world.server.clock.advance(1000)
    await put(lists, 'needed.txt', typeof list === 'string' ? list : list.join('\n'))
    return { bucket, needed: { bucket: lists, key: 'needed.txt' } }
  }

  it('is said by a dry run, which changes nothing, and deleted by the job', async () => {
    const { server } = world
    const odd = '"odd"\nkey'
    const keys = ['a/1', 'a/2', 'a/3', 'a/\u{10000}', 'a/\uffff', odd, 'b/1']
    const { bucket, needed } = await compared(keys, ['a/3', 'gone', 'a/1', 'a/1', '', 'a/\u{10000}\r', 'a/9'])
    const body = { kind: 'delete', source_bucket: bucket, needed } as const
    const planned = await server.records([], () => run({ ...body, dry_run: true }))
    const orphan_keys = [odd, 'a/2', 'a/\uffff', 'b/1']
    const orphans = { objects: 4, bytes: Buffer.byteLength(orphan_keys.join('')) }
    const missing = { needed: 5, missing: 2, missing_keys: ['a/9', 'gone'] }
    assert.deepEqual(planned.comparison, { ...missing, orphans, orphan_keys, newer: 0, report: null })
    assert.deepEqual([planned.status, planned.total, planned.done], ['succeeded', 4, 0])
    assert.deepEqual(await keysOf(bucket), keys.toSorted(byBytes))
    const done = await server.records(
      orphan_keys.map((key) => ({ action: 'delete' as const, bucket, key })),
      () => run(body),
    )
    assert.deepEqual([done.status, done.done, done.failed, done.restorable], ['succeeded', 4, 0, true])
    assert.deepEqual(await keysOf(bucket), ['a/1', 'a/3', 'a/\u{10000}'])
    await run({ kind: 'restore', of: done.id })
    assert.deepEqual(await keysOf(bucket), keys.toSorted(byBytes))
  })

  it('is about what is below the prefix, and leaves out what the list could not know', async () => {
    const { server } = world
    const { bucket } = await compared(['a/1', 'a/2', 'b/1', 'a/kept'], '')
    const needed = { key: 'a/needed.txt', report: { prefix: 'a/report-' } }
    await put(bucket, needed.key, 'a/1\nb/9\n')
    server.clock.advance(1000)
    await put(bucket, 'a/new', 'new')
    const upload = (name: string) => ({ action: 'upload' as const, bucket, key: `a/report-${name}.txt` })
    const body: NewJob = { kind: 'delete', source_bucket: bucket, prefix: 'a/', exclude: ['a/kept'], needed }
    const planned = await server.records([upload('orphans'), upload('missing')], () => run({ ...body, dry_run: true }))
    const { orphans, newer, missing, report } = planned.comparison ?? {}
    assert.deepEqual([orphans?.objects, newer, missing], [1, 1, 0])
    assert.deepEqual(report, { bucket, orphans: 'a/report-orphans.txt', missing: 'a/report-missing.txt' })
    assert.deepEqual(
      [await text(bucket, 'a/report-orphans.txt'), await text(bucket, 'a/report-missing.txt')],
      ['a/2\n', ''],
    )
    const early = { ...body, needed: { key: needed.key, as_of: '2020-01-01T00:00:00Z' } }
    const none = await run({ ...early, dry_run: true })
    assert.equal(none.comparison?.orphans.objects, 0)
  })

  it('deletes nothing by a list of something else, one that changed, or one that is none', async () => {
    const { server } = world
    const { bucket, needed } = await compared(['a/1', 'a/2'], 'b/1\n')
    const body = { kind: 'delete', source_bucket: bucket, prefix: 'a/', needed } as const
    const failed = async (expected: RegExp) => {
      const job = await server.records([], () => run(body))
      assert.equal(job.status, 'failed')
      assert.match(job.detail ?? '', expected)
    }
    await failed(/nothing of it would stay/)
    for (const [list, expected] of [
      ['a/1\n"a', /^Line 2 of the list starts with a quotation mark/],
      [`a/1\n${'x'.repeat(7000)}`, /^Line 2 of the list is longer/],
      [Buffer.from([0x61, 0xff, 0x0a]), /not UTF-8/],
    ] as const) {
      await server.admin.putObject({ params: { bucket: needed.bucket, key: needed.key }, body: list })
      await failed(expected)
    }
    assert.deepEqual(await keysOf(bucket), ['a/1', 'a/2'])
    assert.deepEqual(fs.readdirSync(path.join(server.folder, 'comparing')), [])
  })

  itOnce('needs the right to see all that is compared, and to read the list', async () => {
    const { server } = world
    const { bucket, needed } = await compared(['a/1', 'b/1'], 'a/1')
    const some = server.as(
      await server.userWith(
        { bucket_pattern: bucket, prefix: 'a/', actions: ['list', 'delete'] },
        { bucket_pattern: needed.bucket, actions: ['read'] },
      ),
    )
    const blind = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'delete'] }))
    const body = { kind: 'delete', source_bucket: bucket, needed, dry_run: true } as const
    await rejectsWith(some.createJob({ body }), 'forbidden')
    await rejectsWith(blind.createJob({ body }), 'forbidden')
    await some.createJob({ body: { ...body, prefix: 'a/' } })
    const report = { bucket, prefix: 'a/' }
    await rejectsWith(some.createJob({ body: { ...body, prefix: 'a/', needed: { ...needed, report } } }), 'forbidden')
    for (const [wrong, at] of [
      [{ kind: 'copy', dest_prefix: 'x/' }, 'body.needed'],
      [{ keys: ['a/1'] }, 'body.needed'],
      [{ query: 'a' }, 'body.needed'],
      [{ needed: { bucket } }, 'body.needed.key'],
    ] as const)
      await rejectsWith(server.admin.createJob({ body: { ...body, ...wrong } as typeof body }), 'invalid_request', at)
  })

  itOnce('sorts more keys than it holds, each once', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sorted-'))
    try {
      const many = Array.from({ length: 6_000 }, (_, i) => `k/${(i * 7_919) % 5_003}${['', '\n"', '\uffff', '\u{10000}'][i % 4]}`)
      const source = (async function* () {
        for (let i = 0; i < many.length; i += 500) yield many.slice(i, i + 500)
      })()
      let ticks = 0
      const got: string[] = []
      const tick = async () => void ticks++
      for await (const keys of sorted(source, { folder, tick, inRun: 100, atOnce: 4 })) got.push(...keys)
      assert.deepEqual(got, [...new Set(many)].sort(byBytes))
      assert.ok(ticks > 70)
      const lines: string[] = []
      for await (const keys of keysIn([Buffer.from(['a', '"b', 'c\r', 'd\ne'].map(lineOf).join(''))]))
        lines.push(...keys)
      assert.deepEqual(lines, ['a', '"b', 'c\r', 'd\ne'])
    } finally {
      fs.rmSync(folder, { recursive: true })
    }
  })
})
