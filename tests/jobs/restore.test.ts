import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { BucketAction } from '../../contract/permissions.ts'
import type { Running } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { DAY, GIB, jobsWorld, md5, numbered } from './jobs.ts'

/** Lets a refusal with this code pass, and no other. */
const refusedAs =
  (code: string) =>
  (error: Error & { problem?: { code: string } }): undefined => {
    if (error.problem?.code !== code) throw error
  }

describeEngines('jobs: undoing deletions and moves', (engine, itOnce, _itStored, itRaced) => {
  const world = jobsWorld(engine)
  const {
    open,
    idOf,
    fill,
    rowsOf,
    contents,
    keysOf,
    assertExact,
    create,
    get,
    finish,
    run,
    midway,
    pause,
    counts,
    succeeded,
    codes,
    recordsOf,
    person,
    restore,
  } = world
  let server: TestServer
  let twin: Running | undefined
  before(() => {
    server = world.server
    twin = world.twin
  })

  /** A bucket's rows, but for when they changed: what comes back does so at another moment. */
  const asIs = async (name: string) =>
    (
      await server.database.db
        .selectFrom('objects')
        .selectAll()
        .where('bucket_id', '=', await idOf(name))
        .orderBy('key')
        .execute()
    ).map(({ moment: _moment, author: _author, ...row }) => row)

  it('restores what a job deleted, all of it and nothing else', async () => {
    const name = await open()
    const keys = numbered('a/', 2300)
    await fill(name, [...keys, 'a/alone', 'b/1'])
    await server.admin.deleteObject({ params: { bucket: name, key: 'a/alone' } })
    const was = await contents(name)
    const wasRows = await asIs(name)
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    assert.deepEqual([counts(deleted), deleted.restorable, deleted.of], [succeeded(2300), true, null])
    assert.equal((await server.admin.listJobs({ query: { limit: 1 } })).items[0]?.restorable, true)
    const trashIds = new Set((await recordsOf(deleted.id)).map(({ details }) => JSON.parse(details).trash_id))
    const back = await server.records(
      keys.map((key) => ({ action: 'restore', bucket: name, key })),
      () => restore(deleted),
    )
    assert.deepEqual(
      [counts(back), back.kind, back.of, back.source_bucket, back.prefix, back.restorable, back.errors],
      [succeeded(2300), 'restore', deleted.id, name, 'a/', false, []],
    )
    const records = await recordsOf(back.id)
    assert.equal(records.length, 2300)
    for (const { details, object_key } of records) {
      const { trash_id, ...rest } = JSON.parse(details)
      assert.ok(trashIds.delete(trash_id), 'each item once')
      assert.deepEqual(rest, { size: object_key?.length, job_id: back.id })
    }
    assert.deepEqual(await contents(name), was)
    assert.deepEqual(await asIs(name), wasRows, 'as they were, with their times')
    assert.deepEqual(
      (await rowsOf('trash', name)).map(({ key }) => key),
      ['a/alone'],
    )
    await assertExact(name)
    assert.equal((await get(deleted.id)).restorable, false)
    // There is nothing more to restore, and of a restore there never is; emptying a bucket is undone as well.
    await server.records([], async () => {
      await rejectsWith(create({ kind: 'restore', of: deleted.id }), 'nothing_to_restore')
      await rejectsWith(create({ kind: 'restore', of: back.id }), 'conflict', 'body.of')
    })
    const emptied = await run({ kind: 'empty_bucket', source_bucket: name })
    assert.deepEqual(counts(await restore(emptied)), succeeded(2301))
    assert.deepEqual(await contents(name), was)
    await assertExact(name)
  })

  it('takes away the delete markers of a job where versions are kept, and no others', async () => {
    const name = await open({ versioning: 'enabled' })
    const keys = numbered('a/', 1200)
    await fill(name, [...keys, 'a/alone', 'a/again', 'a/twice', 'b/1'])
    const { admin } = server
    await admin.deleteObject({ params: { bucket: name, key: 'a/alone' } })
    const was = await contents(name)
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    assert.deepEqual([counts(deleted), deleted.restorable], [succeeded(1202), true])
    assert.deepEqual(await keysOf(name), ['b/1'])
    // Written again since, and deleted again after that.
    await admin.putObject({ params: { bucket: name, key: 'a/again' }, body: 'newer' })
    await admin.putObject({ params: { bucket: name, key: 'a/twice' }, body: 'newer' })
    await admin.deleteObject({ params: { bucket: name, key: 'a/twice' } })
    const { client: reader } = await person({ bucket_pattern: name, actions: ['list', 'read'] })
    await rejectsWith(create({ kind: 'restore', of: deleted.id }, reader), 'not_found')
    const back = await server.records(
      keys.map((key) => ({ action: 'version_delete', bucket: name, key })),
      () => restore(deleted),
    )
    assert.deepEqual(
      [counts(back), codes(back)],
      [
        { status: 'succeeded', total: 1202, done: 1200, failed: 2 },
        [
          ['a/again', 'changed'],
          ['a/twice', 'changed'],
        ],
      ],
    )
    const now = await contents(name)
    assert.deepEqual([...now.keys()], [...keys, 'a/again', 'b/1'].sort())
    for (const key of keys) assert.equal(now.get(key), was.get(key))
    const { items } = await admin.listVersions({ params: { bucket: name }, query: { key: keys[0] ?? '' } })
    assert.deepEqual(
      items.map(({ latest, marker }) => [latest, marker]),
      [[true, false]],
    )
    const { object_count, version_bytes } = await admin.getBucket({ params: { bucket: name } })
    assert.deepEqual([object_count, version_bytes], [1202, 'a/aloneAa/againAa/twice'.length - 2 + 'newer'.length])
  })

  itOnce('restores objects as they were, and counts only what is there', async () => {
    const name = await open()
    const object = { params: { bucket: name, key: 'a/real' } }
    await server.admin.putObject({ ...object, body: 'real bytes', headers: { 'content-type': 'text/x-odd' } } as never)
    const before = await server.admin.listObjects({ params: { bucket: name } })
    await fill(name, ['a/1', 'a/2', 'a/3'])
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    const trash = (await server.admin.listTrash({ params: { bucket: name } })).items
    const idsOf = (...keys: string[]) => trash.filter(({ key }) => keys.includes(key)).map(({ id }) => id)
    await server.admin.restoreTrash({ params: { bucket: name }, body: { ids: idsOf('a/1') } })
    await server.admin.purgeTrash({ params: { bucket: name }, body: { ids: idsOf('a/2') } })
    const back = await restore(deleted)
    assert.deepEqual(counts(back), succeeded(2))
    assert.deepEqual(await keysOf(name), ['a/1', 'a/3', 'a/real'])
    assert.equal(await (await server.admin.getObject(object)).text(), 'real bytes')
    const { items } = await server.admin.listObjects({ params: { bucket: name }, query: { prefix: 'a/r' } })
    assert.deepEqual(items, before.items)
    await assertExact(name)
  })

  itOnce('never overwrites, exceeds a quota or a permission when restoring', async () => {
    const name = await open()
    await fill(name, numbered('a/', 6), () => 100)
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    const { etag } = await server.admin.putObject({ params: { bucket: name, key: 'a/0001' }, body: 'newer' })
    await server.admin.updateBucket({ params: { bucket: name }, body: { quota_gb: 405 / GIB } })
    const full = await restore(deleted)
    assert.deepEqual(
      [counts(full), codes(full)],
      [
        succeeded(4, 2),
        [
          ['a/0001', 'already_exists'],
          ['a/0005', 'quota_exceeded'],
        ],
      ],
    )
    assert.equal((await contents(name)).get('a/0001'), etag)
    await assertExact(name)
    assert.ok((await get(deleted.id)).restorable, 'what could not be done stays in the trash')
    const none = await server.records([], () => restore(deleted))
    assert.deepEqual(counts(none), succeeded(0, 2))
    // What stood in the way is gone: the same again does the rest.
    await server.admin.deleteObject({ params: { bucket: name, key: 'a/0001' } })
    await server.admin.updateBucket({ params: { bucket: name }, body: { quota_gb: null } })
    assert.deepEqual(counts(await restore(deleted)), succeeded(2))
    assert.equal((await contents(name)).get('a/0001'), md5(`${name}/a/0001`))
    await assertExact(name)

    const other = await open()
    await fill(other, [...numbered('in/', 3), ...numbered('out/', 3)])
    const { client } = await person(
      { bucket_pattern: other, actions: ['list', 'delete'] },
      { bucket_pattern: other, prefix: 'in/', actions: ['write'] },
    )
    const mine = await run({ kind: 'delete', source_bucket: other, prefix: '' }, client)
    const half = await restore(mine, client)
    assert.deepEqual([counts(half), codes(half)], [succeeded(3, 3), numbered('out/', 3).map((k) => [k, 'forbidden'])])
    assert.match(half.errors[0]?.detail ?? '', /"write" permission on key "out\/0000"/)
    assert.deepEqual(await keysOf(other), numbered('in/', 3))
    await assertExact(other)
  })

  itOnce('lets only its creator and administrators undo a job, with the right to write', async () => {
    const name = await open()
    await fill(name, numbered('a/', 3))
    const grant = (...actions: BucketAction[]) => ({ bucket_pattern: name, actions })
    const [alice, bob] = [await person(grant('list', 'delete')), await person(grant('list', 'delete', 'write'))]
    const deleted = await run({ kind: 'delete', source_bucket: name, prefix: 'a/' }, alice.client)
    await server.records([], () =>
      rejectsWith(create({ kind: 'restore', of: deleted.id }, bob.client), 'not_found').then(() => undefined),
    )
    await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
      const { problem } = await rejectsWith(create({ kind: 'restore', of: deleted.id }, alice.client), 'forbidden')
      assert.match(problem.detail, /"write"/)
    })
    const back = await server.records(
      numbered('a/', 3).map((key) => ({ action: 'restore', bucket: name, key })),
      () => restore(deleted),
    )
    assert.deepEqual([counts(back), back.created_by_email], [succeeded(3), (await server.admin.me()).email])
    await rejectsWith(get(back.id, alice.client), 'not_found')
  })

  itOnce('says where there is nothing to restore', async () => {
    const [name, off, dest] = [await open(), await open({ trash_days: 0 }), await open()]
    for (const one of [name, off]) await fill(one, numbered('a/', 3000))
    const copied = await run({ kind: 'copy', source_bucket: name, dest_bucket: dest })
    const running = await create({ kind: 'delete', source_bucket: name, prefix: 'a/' })
    const paused = await pause(running)
    const gone = await run({ kind: 'empty_bucket', source_bucket: off })
    await server.records([], async () => {
      await rejectsWith(create({ kind: 'restore', of: copied.id }), 'conflict', 'body.of')
      await rejectsWith(create({ kind: 'restore', of: running.id }), 'conflict', 'body.of')
      assert.equal((await get(running.id)).restorable, false)
      await rejectsWith(create({ kind: 'restore', of: gone.id }), 'nothing_to_restore')
      assert.equal(gone.restorable, false)
    })
    const deleted = await paused.goOn()
    assert.ok(deleted.restorable)
    await server.admin.deleteBucket({ params: { bucket: name } })
    assert.equal((await get(deleted.id)).restorable, false, 'its bucket is deleted')
    await rejectsWith(create({ kind: 'restore', of: deleted.id }), 'not_found')
    // Another bucket of the same name has nothing to do with it.
    await server.admin.createBucket({ body: { name } })
    await rejectsWith(create({ kind: 'restore', of: deleted.id }), 'nothing_to_restore')
    assert.deepEqual(await keysOf(name), [])
  })

  itRaced(
    'stops restoring when it is cancelled, and goes on where it was after a crash, each object once',
    async () => {
      const COUNT = 9000
      const name = await open()
      // Enough steps for it to be cancelled and paused between two of them.
      const keys = numbered('a/', COUNT)
      await fill(name, keys)
      const was = await contents(name)
      const emptied = await run({ kind: 'empty_bucket', source_bucket: name })
      const job = await create({ kind: 'restore', of: emptied.id })
      await midway(job)
      await server.admin.cancelJob({ params: { id: job.id } })
      const cancelled = await finish(job)
      assert.equal(cancelled.status, 'cancelled')
      const there = await keysOf(name)
      assert.ok(there.length > 0 && there.length < COUNT)
      assert.equal(there.length, cancelled.done)
      await assertExact(name)
      assert.ok((await get(emptied.id)).restorable)
      const rest = await restore(emptied)
      assert.deepEqual(counts(rest), succeeded(COUNT - cancelled.done))
      assert.deepEqual(await contents(name), was)

      const again = await run({ kind: 'empty_bucket', source_bucket: name })
      const paused = await pause(await create({ kind: 'restore', of: again.id }))
      // Meanwhile others take from the end of the trash, and take keys.
      const trash = (await server.admin.listTrash({ params: { bucket: name }, query: { limit: 5 } })).items
      await server.admin.purgeTrash({ params: { bucket: name }, body: { ids: trash.map(({ id }) => id) } })
      const next = (await server.admin.listTrash({ params: { bucket: name }, query: { limit: 1 } })).items[0]?.key ?? ''
      await server.admin.putObject({ params: { bucket: name, key: next }, body: 'in its way' })
      const over = await paused.goOn()
      assert.deepEqual([counts(over), codes(over)], [succeeded(COUNT - 6, 1), [[next, 'already_exists']]])
      const done = (await recordsOf(paused.id)).map(({ object_key }) => object_key)
      assert.deepEqual([done.length, new Set(done).size], [COUNT - 6, COUNT - 6])
      await assertExact(name)
    },
  )

  itRaced('restores a job once where two restores of it run side by side', async () => {
    await server.running.tick()
    const name = await open()
    await fill(name, numbered('a/', 2000))
    const was = await contents(name)
    const emptied = await run({ kind: 'empty_bucket', source_bucket: name })
    const jobs = await Promise.all([1, 2].map(() => create({ kind: 'restore', of: emptied.id })))
    await Promise.all([server.running.tick(), twin?.tick(), server.running.tick(), twin?.tick()])
    let done = 0
    for (const job of jobs) {
      const over = await finish(job)
      assert.deepEqual([over.status, over.failed], ['succeeded', 0])
      done += over.done
    }
    assert.equal(done, 2000)
    assert.deepEqual([await contents(name), await rowsOf('trash', name)], [was, []])
    await assertExact(name)
  })

  it('undoes a move: objects that are unchanged, then what it overwrote, and nothing else', async () => {
    const [source, dest] = [await open(), await open()]
    const keys = numbered('a/', 300)
    await fill(source, [...keys, 'other'])
    await fill(dest, ['b/0003', 'b/0004', 'b/own', 'c'])
    const was = [await asIs(source), await asIs(dest)] as const
    const moved = await run({
      kind: 'move',
      source_bucket: source,
      prefix: 'a/',
      dest_bucket: dest,
      dest_prefix: 'b/',
    })
    assert.deepEqual([counts(moved), moved.restorable], [succeeded(300), true])
    const at = (name: string, key: string) => ({ params: { bucket: name, key } })
    await server.admin.putObject({ ...at(dest, 'b/0000'), body: 'newer' })
    await server.admin.deleteObject(at(dest, 'b/0001'))
    await server.admin.moveObject({
      params: { bucket: dest },
      body: { source_bucket: dest, source_key: 'b/0002', dest_key: 'on' },
    })
    const { etag } = await server.admin.putObject({ ...at(dest, 'b/new'), body: 'new' })
    const back = await server.records(
      [
        // The last first, as it was done.
        ...keys
          .slice(3)
          .reverse()
          .map((key) => ({ action: 'move' as const, bucket: source, key })),
        ...['b/0003', 'b/0004'].map((key) => ({ action: 'restore' as const, bucket: dest, key })),
      ],
      () => restore(moved),
    )
    assert.deepEqual(
      [counts(back), back.kind, back.of, back.restorable, back.errors],
      [succeeded(299), 'restore', moved.id, false, []],
    )
    assert.deepEqual(
      [back.source_bucket, back.prefix, back.dest_bucket, back.dest_prefix, back.if_none_match],
      [dest, 'b/', source, 'a/', '*'],
    )
    const gone = keys.slice(0, 3)
    assert.deepEqual(
      await asIs(source),
      was[0].filter(({ key }) => !gone.includes(key)),
      'as they were, with their times',
    )
    assert.deepEqual(await keysOf(dest), ['b/0000', 'b/0003', 'b/0004', 'b/new', 'b/own', 'c', 'on'])
    assert.deepEqual(
      (await asIs(dest)).filter(({ key }) => was[1].some((one) => one.key === key)),
      was[1],
    )
    assert.equal((await contents(dest)).get('b/new'), etag)
    for (const name of [source, dest]) await assertExact(name)
    assert.equal((await get(moved.id)).restorable, false)
    await server.records([], async () => {
      await rejectsWith(create({ kind: 'restore', of: moved.id }), 'nothing_to_restore')
      await rejectsWith(create({ kind: 'restore', of: back.id }), 'conflict', 'body.of')
    })
  })

  itOnce('undoes moves that led through each other, also of keys from anywhere', async () => {
    const deep = ['a/a/a/1', 'a/a/1', 'a/a/a/a/2', 'a/1', 'a/a/a/', '1', 'a', 'z', 'b/x']
    for (const [prefix, dest_prefix] of [
      ['a/', ''],
      ['a/', 'a/a/'],
      ['a/a/', 'a/'],
      ['a/', 'b/'],
    ] as const) {
      const name = await open()
      await fill(name, [...deep, ...numbered('a/many/', 300), ...numbered('a/a/many/', 300), 'a/a/many/0007x'])
      const was = await asIs(name)
      // Down into itself go only keys that are named.
      const down = dest_prefix.startsWith(prefix)
      const keys = down ? { keys: (await keysOf(name)).filter((key) => key.startsWith(prefix)) } : {}
      const moved = await run({ kind: 'move', source_bucket: name, prefix, dest_prefix, ...keys })
      assert.deepEqual([moved.status, moved.failed], ['succeeded', 0])
      assert.notDeepEqual(await asIs(name), was)
      const back = await restore(moved)
      assert.deepEqual([back.status, back.errors], ['succeeded', []], `${prefix} to ${dest_prefix}`)
      assert.deepEqual([await asIs(name), await rowsOf('trash', name)], [was, []])
      await assertExact(name)
    }
    const [source, dest] = [await open(), await open()]
    const keys = ['x/1', 'y/2', 'deep/er/3', '4', 'x/folder/']
    await fill(source, keys)
    const was = await asIs(source)
    const moved = await run({
      kind: 'move',
      source_bucket: source,
      keys,
      prefix: 'x/',
      dest_bucket: dest,
      dest_prefix: 'in/',
    })
    assert.deepEqual(await keysOf(dest), ['in/1', 'in/2', 'in/3', 'in/4', 'in/folder/'])
    assert.deepEqual(counts(await restore(moved)), succeeded(5))
    assert.deepEqual([await asIs(source), await keysOf(dest)], [was, []])
  })

  it('undoes moves that overwrote each other, one from under the other', async () => {
    const [source, dest] = [await open(), await open({ quota_gb: 20_000 / GIB })]
    const keys = [...numbered('x/', 1500), ...numbered('y/', 1500)]
    await fill(source, keys, () => 10)
    await fill(dest, ['in/0000'], () => 10)
    const was = [await asIs(source), await asIs(dest)]
    const moved = await run({
      kind: 'move',
      source_bucket: source,
      prefix: 'x/',
      keys,
      dest_bucket: dest,
      dest_prefix: 'in/',
    })
    assert.deepEqual(counts(moved), succeeded(3000))
    assert.deepEqual([(await keysOf(dest)).length, (await rowsOf('trash', dest)).length], [1500, 1501])
    assert.equal((await contents(dest)).get('in/0000'), md5(`${source}/y/0000`))
    // What was moved back makes room for what it had taken the place of.
    await server.admin.updateBucket({ params: { bucket: dest }, body: { quota_gb: 15_000 / GIB } })
    assert.deepEqual(counts(await restore(moved)), succeeded(4501))
    assert.deepEqual([await asIs(source), await asIs(dest), await rowsOf('trash', dest)], [...was, []])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce(
    'takes a move back never over what is there, beyond a quota or a right; the same again does the rest',
    async () => {
      const [source, dest] = [await open(), await open()]
      await fill(source, numbered('a/', 6), () => 100)
      const grant = (bucket_pattern: string, ...actions: BucketAction[]) => ({ bucket_pattern, actions })
      const all = ['list', 'read', 'write', 'delete'] as const
      const [mover, other] = [
        await person(grant(source, 'list', 'read', 'delete'), grant(dest, ...all)),
        await person(grant(source, ...all), grant(dest, ...all)),
      ]
      const move = { kind: 'move', source_bucket: source, prefix: 'a/', dest_bucket: dest } as const
      const moved = await run({ ...move, dest_prefix: 'b/' }, mover.client)
      await server.records([], () =>
        rejectsWith(create({ kind: 'restore', of: moved.id }, other.client), 'not_found').then(() => undefined),
      )
      await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
        const { problem } = await rejectsWith(create({ kind: 'restore', of: moved.id }, mover.client), 'forbidden')
        assert.match(problem.detail, /"write"/)
      })
      await server.admin.putObject({ params: { bucket: source, key: 'a/0002' }, body: 'newer' })
      await server.admin.updateBucket({ params: { bucket: source }, body: { quota_gb: 420 / GIB } })
      const full = await restore(moved)
      assert.deepEqual(
        [counts(full), codes(full)],
        [
          succeeded(4, 2),
          [
            ['b/0002', 'already_exists'],
            ['b/0000', 'quota_exceeded'],
          ],
        ],
      )
      assert.deepEqual(await keysOf(dest), ['b/0000', 'b/0002'])
      for (const name of [source, dest]) await assertExact(name)
      assert.ok((await get(moved.id)).restorable, 'what could not be done can be tried again')
      await server.admin.deleteObject({ params: { bucket: source, key: 'a/0002' }, query: { permanent: true } })
      await server.admin.updateBucket({ params: { bucket: source }, body: { quota_gb: null } })
      assert.deepEqual(counts(await restore(moved)), succeeded(2))
      assert.deepEqual([await keysOf(source), await keysOf(dest)], [numbered('a/', 6), []])

      // Where nothing is as it came there is nothing more to undo.
      const changed = await run({ ...move, dest_prefix: 'c/' })
      await run({ kind: 'empty_bucket', source_bucket: dest })
      const none = await server.records([], () => restore(changed))
      assert.deepEqual([counts(none), (await get(changed.id)).restorable], [succeeded(0), false])
      await fill(source, numbered('a/', 6), () => 100)

      // Where the destination is gone there is nothing to be found, in another bucket of its name neither.
      const again = await run({ ...move, dest_prefix: '' })
      await run({ kind: 'empty_bucket', source_bucket: dest })
      await server.admin.deleteBucket({ params: { bucket: dest } })
      assert.equal((await get(again.id)).restorable, false)
      await rejectsWith(create({ kind: 'restore', of: again.id }), 'not_found')
      await server.admin.createBucket({ body: { name: dest } })
      await rejectsWith(create({ kind: 'restore', of: again.id }), 'nothing_to_restore')
    },
  )

  itRaced('undoes a move once, after a crash and with two restores in parallel', async () => {
    const [source, dest] = [await open(), await open()]
    await fill(source, numbered('a/', 3000))
    const was = await asIs(source)
    const move = { kind: 'move', source_bucket: source, dest_bucket: dest } as const
    const paused = await pause(await create({ kind: 'restore', of: (await run(move)).id }))
    const over = await paused.goOn()
    assert.deepEqual(counts(over), succeeded(3000))
    const done = (await recordsOf(over.id)).map(({ object_key }) => object_key)
    assert.deepEqual([done.length, new Set(done).size], [3000, 3000])
    assert.deepEqual([await asIs(source), await keysOf(dest)], [was, []])

    const moved = await run({ ...move, keys: numbered('a/', 600) })
    const asked = [1, 2].map(() => create({ kind: 'restore', of: moved.id }))
    // Where the first is done before the second is asked for, nothing is left for that.
    const jobs = (await Promise.all(asked.map((job) => job.catch(refusedAs('nothing_to_restore'))))).filter(
      (job) => job !== undefined,
    )
    await Promise.all([server.running.tick(), twin?.tick(), server.running.tick(), twin?.tick()])
    let sum = 0
    for (const job of jobs) {
      const { status, failed, done } = await finish(job)
      assert.deepEqual([status, failed], ['succeeded', 0])
      sum += done
    }
    assert.equal(sum, 600)
    assert.deepEqual([await asIs(source), await keysOf(dest)], [was, []])
    for (const name of [source, dest]) await assertExact(name)
  })

  itOnce('can undo a move for a week', async () => {
    const name = await open()
    await fill(name, numbered('a/', 3))
    const moved = await run({ kind: 'move', source_bucket: name, prefix: 'a/', dest_prefix: 'b/' })
    const left = async () =>
      (await server.database.db.selectFrom('job_moves').select('position').where('job_id', '=', moved.id).execute())
        .length
    await server.later(7 * DAY - 60_000)
    await server.running.tick()
    assert.deepEqual([await left(), (await get(moved.id)).restorable], [3, true])
    await server.later(120_000)
    await server.running.tick()
    assert.deepEqual([await left(), (await get(moved.id)).restorable], [0, false])
    await rejectsWith(create({ kind: 'restore', of: moved.id }), 'nothing_to_restore')
  })
})
