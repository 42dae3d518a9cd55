import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { BucketAction } from '../../contract/permissions.ts'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { byBytes, GIB, type Grants, jobsWorld, md5, type NewJob, numbered, times } from './jobs.ts'

const ABSENT = '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'

describeEngines('jobs', (engine, itOnce) => {
  const world = jobsWorld(engine)
  const {
    open,
    fill,
    rowsOf,
    contents,
    keysOf,
    assertExact,
    create,
    get,
    run,
    counts,
    succeeded,
    codes,
    recordsOf,
    person,
  } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  itOnce('rejects invalid requests, naming the field', async () => {
    const [source_bucket, dest_bucket] = [await open(), await open()]
    const keys = ['a/x']
    await server.records([], async () => {
      for (const [body, code, fault] of [
        [{}, 'invalid_request', 'body.kind'],
        [{ kind: 'copy' }, 'invalid_request', 'body.source_bucket'],
        [{ kind: 'rename', source_bucket }, 'invalid_request', 'body.kind'],
        [{ kind: 'delete', source_bucket, keys: [] }, 'invalid_request', 'body.keys'],
        [{ kind: 'delete', source_bucket, keys: ['a', 'a'] }, 'invalid_request', 'body.keys'],
        [{ kind: 'delete', source_bucket, keys: [''] }, 'invalid_request', 'body.keys.0'],
        [{ kind: 'delete', source_bucket, keys: numbered('k', 10_001) }, 'invalid_request', 'body.keys'],
        [{ kind: 'delete', source_bucket, exclude: numbered('k', 10_001) }, 'invalid_request', 'body.exclude'],
        [{ kind: 'delete', source_bucket, search: '' }, 'invalid_request', 'body.search'],
        [{ kind: 'delete', source_bucket, search: 'x'.repeat(201) }, 'invalid_request', 'body.search'],
        [{ kind: 'delete', source_bucket, search: 'x', keys }, 'invalid_request', 'body.search'],
        [{ kind: 'delete', source_bucket, prefix: 'ä'.repeat(513) }, 'invalid_request', 'body.prefix'],
        [{ kind: 'delete', source_bucket, dest_bucket }, 'invalid_request', 'body.dest_bucket'],
        [{ kind: 'empty_bucket', source_bucket, dest_prefix: 'x' }, 'invalid_request', 'body.dest_bucket'],
        [{ kind: 'empty_bucket', source_bucket, prefix: 'a/' }, 'invalid_request', 'body.prefix'],
        [{ kind: 'empty_bucket', source_bucket, keys }, 'invalid_request', 'body.prefix'],
        [{ kind: 'empty_bucket', source_bucket, search: 'a' }, 'invalid_request', 'body.prefix'],
        [{ kind: 'copy', source_bucket, prefix: 'a/' }, 'invalid_request', 'body.dest_prefix'],
        [{ kind: 'copy', source_bucket, dest_bucket, if_none_match: 'x' }, 'invalid_request', 'body.if_none_match'],
        [{ kind: 'copy', source_bucket, dest_bucket, folder: 'x' }, 'invalid_request', 'body.folder'],
        [{ kind: 'copy', source_bucket, prefix: 'a/', dest_prefix: 'a/' }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'copy', source_bucket, prefix: 'a/', dest_bucket: source_bucket }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'move', source_bucket, prefix: 'a/', dest_prefix: 'a/' }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'move', source_bucket, prefix: 'a/', dest_prefix: 'a/b/' }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'move', source_bucket, dest_prefix: 'b/' }, 'conflict', 'body.dest_prefix'],
        [{ kind: 'delete', source_bucket, of: ABSENT }, 'invalid_request', 'body.of'],
        [{ kind: 'restore' }, 'invalid_request', 'body.of'],
        [{ kind: 'restore', of: 'x' }, 'invalid_request', 'body.of'],
        [{ kind: 'restore', of: ABSENT, source_bucket }, 'invalid_request', 'body.source_bucket'],
        [{ kind: 'restore', of: ABSENT, keys }, 'invalid_request', 'body.keys'],
        [{ kind: 'restore', of: ABSENT }, 'not_found', undefined],
        [{ kind: 'delete', source_bucket: 'no-bucket' }, 'not_found', undefined],
        [{ kind: 'copy', source_bucket, dest_bucket: 'no-bucket' }, 'not_found', undefined],
      ] as const)
        await rejectsWith(create(body as unknown as NewJob), code, fault)
      await rejectsWith(create({ kind: 'delete', source_bucket }, server.as()), 'unauthenticated')
      await rejectsWith(server.admin.listJobs({ query: { status: 'over' as 'failed' } }), 'invalid_request')
      await rejectsWith(get('x'), 'invalid_request')
      await rejectsWith(get(ABSENT), 'not_found')
      await rejectsWith(server.admin.cancelJob({ params: { id: ABSENT } }), 'not_found')
    })
    assert.deepEqual((await server.admin.listJobs()).items, [])
  })

  itOnce('requires permissions in both buckets, and reveals nothing otherwise', async () => {
    const [source_bucket, dest_bucket] = [await open(), await open()]
    const as = async (...grants: Grants) => (await person(...grants)).client
    const on = (bucket_pattern: string, ...actions: BucketAction[]) => ({ bucket_pattern, actions })
    const copy: NewJob = { kind: 'copy', source_bucket, dest_bucket }
    const move: NewJob = { kind: 'move', source_bucket, dest_bucket }
    const denied = { action: 'access_denied', result: 'denied' } as const
    for (const [who, body, missing] of [
      [await as(on(dest_bucket, 'write')), copy, 'read'],
      [await as(on(source_bucket, 'list', 'read')), copy, 'write'],
      [await as(on(source_bucket, 'list', 'read'), on(dest_bucket, 'write')), move, 'delete'],
      [await as(on(source_bucket, 'list', 'read', 'write')), { kind: 'delete', source_bucket }, 'delete'],
      [await as(on(source_bucket, 'list', 'read', 'write')), { kind: 'empty_bucket', source_bucket }, 'delete'],
      [await as(), { kind: 'delete', source_bucket: 'no-bucket' }, 'delete'],
    ] as const)
      await server.records([denied], async () => {
        const { problem } = await rejectsWith(create(body as NewJob, who), 'forbidden')
        assert.match(problem.detail, new RegExp(`"${missing}"`))
      })
    assert.deepEqual((await server.admin.listJobs()).items, [])
  })

  it('copies a folder, each object with its record and event', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = ['a/1', 'a/2', 'a/b/ä', 'a/', 'a/z 漢/😀', 'a//']
    await fill(source, [...keys, 'a', 'a0', 'b/1'])
    const endpoint = newId()
    const created_at = server.clock.now().toISOString()
    await server.database.transaction((tx) =>
      tx
        .insertInto('webhooks')
        .values({ id: endpoint, name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
        .execute(),
    )
    const inOrder = keys.map((key) => key.slice(2)).sort(byBytes)
    const job = await server.records(
      inOrder.map((key) => ({ action: 'copy', bucket: dest, key: `x/${key}` })),
      () => run({ kind: 'copy', source_bucket: source, prefix: 'a/', dest_bucket: dest, dest_prefix: 'x/' }),
    )
    const me = await server.admin.me()
    const now = server.clock.now().toISOString()
    const { id, ...rest } = job
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(rest, {
      kind: 'copy',
      status: 'succeeded',
      source_bucket: source,
      prefix: 'a/',
      search: null,
      dest_bucket: dest,
      dest_prefix: 'x/',
      if_none_match: null,
      keep_both: false,
      of: null,
      of_run: null,
      dest_storage: null,
      to: null,
      keep_new: false,
      by: null,
      dry_run: false,
      plan: null,
      query: null,
      on_conflict: null,
      merge_plan: null,
      needed: null,
      comparison: null,
      tags: null,
      restorable: false,
      total: 6,
      done: 6,
      failed: 0,
      changed: 0,
      errors: [],
      detail: null,
      created_at: now,
      created_by: me.id,
      created_by_email: me.email,
      started_at: now,
      finished_at: now,
    })
    assert.deepEqual(
      await contents(dest),
      new Map(
        inOrder
          .map((key) => [`x/${key}`, md5(`${source}/a/${key}`)])
          .sort((a, b) => byBytes(a[0] as string, b[0] as string)) as [string, string][],
      ),
    )
    assert.equal((await keysOf(source)).length, 9)
    const records = await recordsOf(id)
    for (const [i, record] of records.entries()) {
      const key = inOrder[i] ?? ''
      assert.deepEqual(JSON.parse(record.details), {
        source: { bucket: source, key: `a/${key}` },
        size: `a/${key}`.length,
        etag: md5(`${source}/a/${key}`),
        replaced: false,
        job_id: id,
      })
      assert.deepEqual(
        [record.actor_user_id, record.auth_method, record.route, record.method, record.actor_ip],
        [me.id, 'local', '/api/v1/jobs', 'POST', '127.0.0.1'],
      )
    }
    assert.equal(new Set(records.map(({ request_id }) => request_id)).size, 1)
    const { db } = server.database
    const deliveries = await db.selectFrom('webhook_deliveries').select(['event', 'audit_id']).execute()
    await server.database.transaction((tx) => tx.deleteFrom('webhooks').execute())
    assert.deepEqual(new Set(deliveries.map(({ audit_id }) => audit_id)), new Set(records.map((one) => one.id)))
    assert.ok(deliveries.every(({ event }) => event === 'copy'))
    assert.deepEqual(await db.selectFrom('job_items').selectAll().execute(), [])
    for (const name of [source, dest]) await assertExact(name)
    // A real object, with its bytes.
    await run({ kind: 'copy', source_bucket: 'seed', dest_bucket: dest })
    assert.equal(await (await server.admin.getObject({ params: { bucket: dest, key: 'k' } })).text(), 'x')
  })

  it('moves a folder within its bucket and to another', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = numbered('a/', 30)
    await fill(source, [...keys, 'b/1', 'ab'])
    const moved = await server.records(
      keys.map((key) => ({ action: 'move', bucket: source, key: key.replace('a/', 'b/c/') })),
      () => run({ kind: 'move', source_bucket: source, prefix: 'a/', dest_prefix: 'b/c/' }),
    )
    assert.deepEqual(counts(moved), succeeded(30))
    assert.deepEqual(await keysOf(source), ['ab', 'b/1', ...numbered('b/c/', 30)].sort(byBytes))
    const away = await run({ kind: 'move', source_bucket: source, prefix: 'b/c/', dest_bucket: dest })
    assert.deepEqual([counts(away), away.dest_prefix], [succeeded(30), 'b/c/'])
    assert.deepEqual(await keysOf(source), ['ab', 'b/1'])
    const there = await contents(dest)
    for (const key of keys) assert.equal(there.get(key.replace('a/', 'b/c/')), md5(`${source}/${key}`))
    for (const name of [source, dest]) await assertExact(name)
    assert.deepEqual([await rowsOf('trash', source), await rowsOf('trash', dest)], [[], []])
  })

  it('deletes a folder, and empties a bucket, to the trash', async () => {
    const name = await open()
    await fill(name, [...numbered('a/', 20), ...numbered('b/', 5), 'a'])
    const job = await server.records(
      numbered('a/', 20).map((key) => ({ action: 'delete', bucket: name, key })),
      () => run({ kind: 'delete', source_bucket: name, prefix: 'a/' }),
    )
    assert.deepEqual([counts(job), job.dest_bucket, job.dest_prefix], [succeeded(20), null, null])
    const [record] = await recordsOf(job.id)
    const [item] = (await server.admin.listTrash({ params: { bucket: name }, query: { prefix: 'a/0000' } })).items
    assert.deepEqual(JSON.parse(record?.details ?? ''), {
      size: 6,
      permanent: false,
      trash_id: item?.id,
      job_id: job.id,
    })
    assert.deepEqual(await keysOf(name), ['a', ...numbered('b/', 5)])
    await assertExact(name)
    assert.deepEqual(counts(await run({ kind: 'empty_bucket', source_bucket: name })), succeeded(6))
    assert.deepEqual([await keysOf(name), (await rowsOf('trash', name)).length], [[], 26])
    await assertExact(name)
    // Of nothing.
    assert.deepEqual(counts(await run({ kind: 'empty_bucket', source_bucket: name })), succeeded(0))
    await server.admin.deleteBucket({ params: { bucket: name } })
    const off = await open({ trash_days: 0 })
    await fill(off, numbered('a/', 3))
    await run({ kind: 'empty_bucket', source_bucket: off })
    assert.deepEqual([await keysOf(off), await rowsOf('trash', off)], [[], []])
    await assertExact(off)
  })

  itOnce('leaves out keys and folders', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, ['a/1', 'a/2', 'a/b/1', 'a/b/2', 'a/b', 'a/bc', 'a/c/d/1', 'a/c/1', 'x'])
    const exclude = ['a/2', 'a/b/', 'a/c/d/', 'absent', 'a/c']
    const job = await run({ kind: 'copy', source_bucket: source, prefix: 'a/', dest_bucket: dest, exclude })
    assert.deepEqual(counts(job), succeeded(4))
    assert.deepEqual(await keysOf(dest), ['a/1', 'a/b', 'a/bc', 'a/c/1'])
    await run({ kind: 'empty_bucket', source_bucket: source, exclude: ['a/', 'none'] })
    assert.deepEqual((await keysOf(source)).length, 8)
    // The prefix itself is but the marker of the folder.
    await fill(dest, ['a/', 'a/z/'])
    const kept = await run({ kind: 'delete', source_bucket: dest, prefix: 'a/', exclude: ['a/'] })
    assert.deepEqual(counts(kept), succeeded(5))
    assert.deepEqual(await keysOf(dest), ['a/'])
    // Also the maximum number of keys, with many objects.
    await fill(source, numbered('many/', 2200))
    const most = [...numbered('many/', 2190), ...times(7810, (i) => `many/${i}/`)]
    const rest = await run({ kind: 'delete', source_bucket: source, prefix: 'many/', exclude: most })
    assert.deepEqual(counts(rest), succeeded(10))
    assert.equal((await keysOf(source)).length, 8 + 2190)
    await assertExact(source)
  })

  it('takes what a search finds under the prefix', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, [
      'a/Invoice 1',
      'a/x/INVOICE',
      'a/other',
      'invoice',
      'a/ab',
      'a/x/aB/1',
      'invoice/a/x',
      'a/100%',
    ])
    const found = async (search: string, more: Partial<NewJob> = {}) => {
      await run({ kind: 'empty_bucket', source_bucket: dest })
      const body = { kind: 'copy', source_bucket: source, prefix: 'a/', search, dest_bucket: dest, dest_prefix: '' }
      const job = await run({ ...body, ...more } as NewJob)
      assert.deepEqual([job.search, job.failed], [search, 0])
      return keysOf(dest)
    }
    assert.deepEqual(await found('invoice'), ['Invoice 1', 'x/INVOICE'])
    assert.deepEqual(await found('ab'), ['ab', 'x/aB/1'], 'shorter than the index knows')
    assert.deepEqual(await found('0%'), ['100%'])
    assert.deepEqual(await found('a/'), [], 'not in the prefix itself')
    assert.deepEqual(await found('invoice', { exclude: ['a/x/'] }), ['Invoice 1'])
    assert.deepEqual((await found('invoice', { prefix: '' })).length, 4)
    // More than one step of either kind finds.
    await fill(source, [...numbered('b/needle-', 2100), ...numbered('b/hay-', 2100)])
    const job = await run({ kind: 'delete', source_bucket: source, prefix: 'b/', search: 'needle' })
    assert.deepEqual(counts(job), succeeded(2100))
    const short = await run({ kind: 'delete', source_bucket: source, prefix: 'b/', search: 'Y-' })
    assert.deepEqual(counts(short), succeeded(2100))
    await assertExact(source)
  })

  itOnce('takes a list of keys, as long as may be', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = numbered('in/folder/', 3000)
    await fill(source, [...keys, 'in/other', 'top'])
    const job = await run({
      kind: 'copy',
      source_bucket: source,
      keys: [...keys.toReversed(), 'absent', 'top'],
      prefix: 'in/',
      dest_bucket: dest,
      dest_prefix: 'out/',
    })
    assert.deepEqual([counts(job), codes(job)], [succeeded(3001, 1), [['absent', 'not_found']]])
    const there = await contents(dest)
    assert.deepEqual([...there.keys()], [...numbered('out/folder/', 3000), 'out/top'])
    assert.equal(there.get('out/folder/0007'), md5(`${source}/in/folder/0007`))
    const some = await run({ kind: 'delete', source_bucket: source, keys, exclude: ['in/folder/0000'] })
    assert.deepEqual(counts(some), succeeded(2999))
    assert.deepEqual(await keysOf(source), ['in/folder/0000', 'in/other', 'top'])
    // Longest keys, as many as fit.
    const long = times(10_000, (i) => `${i}`.padEnd(1000, 'x'))
    await fill(source, long.slice(0, 5))
    const most = await run({ kind: 'delete', source_bucket: source, keys: long })
    assert.deepEqual([counts(most), most.errors.length], [succeeded(5, 9995), 100])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('moves selected keys of the top of a bucket into a folder of it', async () => {
    const name = await open()
    await fill(name, ['1', '2', '3', 'y/1'])
    const job = await run({ kind: 'move', source_bucket: name, keys: ['1', '2'], dest_prefix: 'y/' })
    assert.deepEqual(counts(job), succeeded(2))
    assert.deepEqual(await keysOf(name), ['3', 'y/1', 'y/2'])
    assert.equal((await contents(name)).get('y/1'), md5(`${name}/1`))
    assert.deepEqual(
      (await rowsOf('trash', name)).map(({ etag }) => etag),
      [md5(`${name}/y/1`)],
    )
    await assertExact(name)
  })

  it('puts what it replaces into the trash, or leaves it alone', async () => {
    for (const kind of ['copy', 'move'] as const) {
      const [source, dest] = [await open(), await open()]
      await fill(source, ['a/1', 'a/2', 'a/3'])
      await fill(dest, ['1', '2', 'other'])
      const body = { kind, source_bucket: source, prefix: 'a/', dest_bucket: dest, dest_prefix: '' }
      const careful = await run({ ...body, if_none_match: '*' })
      assert.deepEqual(
        [counts(careful), codes(careful)],
        [
          succeeded(1, 2),
          [
            ['a/1', 'precondition_failed'],
            ['a/2', 'precondition_failed'],
          ],
        ],
      )
      const here = (key: string) => md5(`${dest}/${key}`)
      const from = (key: string) => md5(`${source}/a/${key}`)
      const expected = { '1': here('1'), '2': here('2'), '3': from('3'), other: here('other') }
      assert.deepEqual(Object.fromEntries(await contents(dest)), expected)
      assert.deepEqual(await rowsOf('trash', dest), [])
      const job = await run(body)
      assert.deepEqual(counts(job), succeeded(kind === 'move' ? 2 : 3))
      assert.deepEqual(Object.fromEntries(await contents(dest)), {
        '1': from('1'),
        '2': from('2'),
        '3': from('3'),
        other: here('other'),
      })
      const trash = await server.admin.listTrash({ params: { bucket: dest } })
      assert.deepEqual(trash.items.map(({ key, reason }) => [key, reason]).sort(), [
        ['1', 'overwritten'],
        ['2', 'overwritten'],
        ...(kind === 'move' ? [] : [['3', 'overwritten']]),
      ])
      for (const { details, object_key } of await recordsOf(job.id)) {
        const { replaced, trash_id } = JSON.parse(details)
        assert.deepEqual([replaced, trash.items.some(({ id }) => id === trash_id)], [true, true], object_key ?? '')
      }
      assert.deepEqual(await keysOf(source), kind === 'move' ? [] : ['a/1', 'a/2', 'a/3'])
      for (const name of [source, dest]) await assertExact(name)
    }
  })

  itOnce('continues after single failures, and keeps the first hundred errors', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, [...numbered('in/', 150), ...numbered('out/', 150)])
    const grants: Grants = [
      { bucket_pattern: source, actions: ['list', 'read'] },
      { bucket_pattern: source, prefix: 'in/', actions: ['delete'] },
      { bucket_pattern: dest, prefix: 'in/00', actions: ['write'] },
    ]
    const { client } = await person(...grants)
    const deleting = await run(
      { kind: 'delete', source_bucket: source, prefix: '', exclude: numbered('in/', 145) },
      client,
    )
    assert.deepEqual(counts(deleting), succeeded(5, 150))
    assert.equal(deleting.errors.length, 100)
    assert.deepEqual(codes(deleting).slice(0, 1), [['out/0000', 'forbidden']])
    assert.match(deleting.errors[0]?.detail ?? '', /"delete" permission on key "out\/0000"/)
    assert.equal((await recordsOf(deleting.id)).length, 5)
    const copying = await run({ kind: 'copy', source_bucket: source, dest_bucket: dest }, client)
    assert.deepEqual(counts(copying), succeeded(100, 195))
    assert.deepEqual(await keysOf(dest), numbered('in/', 100))
    // Nothing at all can be done.
    const refused = await server.records([], () =>
      run({ kind: 'delete', source_bucket: source, keys: numbered('out/', 150) }, client),
    )
    assert.deepEqual(counts(refused), succeeded(0, 150))
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('sees only what its creator may list', async () => {
    const name = await open()
    await fill(name, [...numbered('in/', 5), ...numbered('secret/', 5)])
    const { client } = await person({ bucket_pattern: name, prefix: 'in/', actions: ['list', 'delete'] })
    const job = await run({ kind: 'empty_bucket', source_bucket: name }, client)
    assert.deepEqual([counts(job), job.errors], [succeeded(5), []])
    assert.deepEqual(await keysOf(name), numbered('secret/', 5))
  })

  it('fails items that exceed the quota', async () => {
    const source = await open()
    await fill(source, numbered('a/', 10), (key) => (key === 'a/0003' ? 500 : 100))
    for (const kind of ['copy', 'move'] as const) {
      const dest = await open({ quota_gb: 750 / GIB })
      await fill(dest, ['0000'], () => 150)
      const job = await run({ kind, source_bucket: source, prefix: 'a/', dest_bucket: dest, dest_prefix: '' })
      // 650 bytes are free in addition to the replaced object; the large one never fits after three.
      assert.deepEqual(counts(job), succeeded(7, 3))
      assert.deepEqual(codes(job), [
        ['a/0003', 'quota_exceeded'],
        ['a/0008', 'quota_exceeded'],
        ['a/0009', 'quota_exceeded'],
      ])
      for (const name of [source, dest]) await assertExact(name)
      if (kind === 'move') assert.deepEqual(await keysOf(source), ['a/0003', 'a/0008', 'a/0009'])
    }
    const full = await open({ quota_gb: 300 / GIB })
    await fill(full, ['a/1', 'a/2'], () => 150)
    assert.deepEqual(
      counts(await run({ kind: 'copy', source_bucket: full, prefix: 'a/', dest_prefix: 'b/' })),
      succeeded(0, 2),
    )
    assert.deepEqual(
      counts(await run({ kind: 'move', source_bucket: full, prefix: 'a/', dest_prefix: 'b/' })),
      succeeded(2),
    )
    await assertExact(full)
  })
})
