import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, type TestServer } from '../support/server.ts'
import { DAY, policiesWorld } from './policies.ts'

describeEngines('cleanup policies: runs', (engine, itOnce) => {
  const world = policiesWorld(engine)
  const { open, create, run, items, brief } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  it('deletes exactly what the dry run listed, to the trash, each recorded', async () => {
    const bucket = await open()
    for (const key of ['logs/a.tmp', 'logs/b.tmp', 'logs/c.txt', 'other.tmp']) await bucket.put(key, key)
    await server.later(2 * DAY)
    await bucket.put('logs/new.tmp')
    const policy = await create({ bucket_patterns: [bucket.name], prefix: 'logs/', glob: '*.tmp', older_than_days: 1 })
    const dry = await server.records([{ action: 'policy_run' }], () => run(policy.id, { dry_run: true }))
    assert.deepEqual(brief(dry), ['succeeded', 2, 0, 0, 20])
    assert.deepEqual(
      [dry.examined, dry.dry_run, dry.trigger, dry.sample],
      [4, true, 'manual', ['logs/a.tmp', 'logs/b.tmp']],
    )
    assert.equal((await bucket.keys()).length, 5)
    assert.equal((await server.admin.getPolicy({ params: { id: policy.id } })).last_run, null)

    const action = 'delete' as const
    const done = await server.records(
      [
        { action, bucket: bucket.name, key: 'logs/a.tmp' },
        { action, bucket: bucket.name, key: 'logs/b.tmp' },
        { action: 'policy_run' },
      ],
      () => run(policy.id),
    )
    assert.deepEqual(brief(done), ['succeeded', 2, 2, 0, 20])
    assert.deepEqual(
      (await items(done)).map(({ bucket: of, key, outcome }) => [of, key, outcome]),
      (await items(dry)).map(({ bucket: of, key }) => [of, key, 'deleted']),
    )
    assert.deepEqual(await bucket.keys(), ['logs/c.txt', 'logs/new.tmp', 'other.tmp'])
    const trash = await bucket.trash()
    assert.deepEqual(trash.map(({ key }) => key).sort(), ['logs/a.tmp', 'logs/b.tmp'])
    const last = (await server.admin.getPolicy({ params: { id: policy.id } })).last_run
    assert.deepEqual([last?.id, last?.deleted], [done.id, 2])
    const records = (await allActions(server.database)).slice(-3)
    const me = await server.admin.me()
    for (const { actor_type, actor_user_id, actor_email, details } of records.slice(0, 2)) {
      assert.deepEqual([actor_type, actor_user_id, actor_email], ['system', me.id, me.email])
      const { policy_id, bulk_id, permanent } = JSON.parse(details)
      assert.deepEqual([policy_id, bulk_id, permanent], [policy.id, done.id, false])
    }
    assert.deepEqual([records[2]?.actor_type, JSON.parse(records[2]?.details ?? '').deleted], ['user', 2])
    // What a policy takes comes back.
    await server.admin.restoreTrash({ params: { bucket: bucket.name }, body: { ids: trash.map(({ id }) => id) } })
    assert.equal((await bucket.keys()).length, 5)
    const { object_count } = await server.admin.getBucket({ params: { bucket: bucket.name } })
    assert.equal(object_count, 5)
    const runs = await server.admin.listPolicyRuns({ params: { id: policy.id } })
    assert.deepEqual(
      runs.items.map(({ id }) => id),
      [done.id, dry.id],
    )
  })

  it('deletes the list of a dry run, without what has changed or gone since', async () => {
    const bucket = await open()
    for (const key of ['a', 'described', 'gone', 'moved', 'overwritten', 'same-bytes']) await bucket.put(key, key)
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*' })
    const dry = await run(policy.id, { dry_run: true })
    assert.equal(dry.matched, 6)
    server.clock.advance(1000)
    await bucket.put('later')
    await bucket.put('overwritten', 'anew')
    await bucket.put('same-bytes', 'same-bytes')
    const params = { bucket: bucket.name }
    await server.admin.updateObject({ params: { ...params, key: 'described' }, body: { metadata: { a: 'b' } } })
    await server.admin.deleteObject({ params: { ...params, key: 'gone' } })
    await server.admin.moveObject({
      params,
      body: { source_bucket: bucket.name, source_key: 'moved', dest_key: 'there' },
    })
    const done = await run(policy.id, { of: dry.id })
    assert.deepEqual(brief(done), ['succeeded', 6, 1, 5, 1])
    assert.equal(done.of, dry.id)
    assert.deepEqual(
      (await items(done)).map(({ key, outcome }) => [key, outcome]),
      [
        ['a', 'deleted'],
        ['described', 'kept_changed'],
        ['gone', 'gone'],
        ['moved', 'gone'],
        ['overwritten', 'kept_changed'],
        ['same-bytes', 'kept_changed'],
      ],
    )
    assert.deepEqual(await items(done, { outcome: 'deleted' }).then((all) => all.map(({ key }) => key)), ['a'])
    assert.deepEqual(await items(done, { outcome: 'pending' }), [])
    assert.deepEqual(
      done.errors.map(({ code }) => code),
      ['conflict', 'not_found', 'not_found', 'conflict', 'conflict'],
    )
    assert.deepEqual(await bucket.keys(), ['described', 'later', 'overwritten', 'same-bytes', 'there'])
    // The same list again: nothing is left of it.
    assert.deepEqual(brief(await run(policy.id, { of: dry.id })), ['succeeded', 6, 0, 6, 0])
    await rejectsWith(run(policy.id, { of: done.id }), 'conflict')
    await server.admin.updatePolicy({ params: { id: policy.id }, body: { name: 'other' } })
    await rejectsWith(run(policy.id, { of: dry.id }), 'conflict')
    assert.equal((await bucket.keys()).length, 5)
  })

  it('keeps away from a bucket that took the name of a deleted one', async () => {
    const bucket = await open()
    await bucket.put('k')
    const policy = await create({ bucket_patterns: [bucket.name], glob: '*' })
    const dry = await run(policy.id, { dry_run: true })
    await server.admin.deleteObject({ params: { bucket: bucket.name, key: 'k' } })
    await server.admin.deleteBucket({ params: { bucket: bucket.name } })
    assert.deepEqual(brief(await run(policy.id, { of: dry.id })), ['succeeded', 1, 0, 1, 0])
    await server.admin.createBucket({ body: { name: bucket.name } })
    await bucket.put('k')
    assert.deepEqual(brief(await run(policy.id, { of: dry.id })), ['succeeded', 1, 0, 1, 0])
    assert.deepEqual(await bucket.keys(), ['k'])
  })

  it('keeps the newest of each folder, over several buckets', async () => {
    const stem = `stem${newId().slice(-6)}`
    for (const name of [`${stem}-a`, `${stem}-b`]) {
      await server.admin.createBucket({ body: { name } })
      for (const n of [1, 2, 3])
        for (const folder of ['', 'db/', 'db/sub/']) {
          await server.admin.putObject({ params: { bucket: name, key: `${folder}${n}.bak` }, body: 'xx' })
          await server.admin.putObject({ params: { bucket: name, key: `${folder}${n}.small` }, body: 'x' })
          server.clock.advance(1000)
        }
    }
    const policy = await create({ bucket_patterns: [`${stem}-*`], prefix: 'db/', min_size: 2, keep_newest: 1 })
    const dry = await run(policy.id, { dry_run: true })
    assert.deepEqual(brief(dry), ['succeeded', 8, 0, 0, 16])
    const done = await run(policy.id)
    assert.deepEqual(brief(done), ['succeeded', 8, 8, 0, 16])
    for (const name of [`${stem}-a`, `${stem}-b`]) {
      const left = (await server.admin.listObjects({ params: { bucket: name } })).items.map(({ key }) => key)
      assert.deepEqual(
        left.filter((key) => key.endsWith('.bak')),
        ['1.bak', '2.bak', '3.bak', 'db/3.bak', 'db/sub/3.bak'],
      )
      assert.equal(left.filter((key) => key.endsWith('.small')).length, 9)
    }
  })

  itOnce('stops before deleting anything when a safety limit is exceeded, and the dry run says so', async () => {
    const bucket = await open()
    for (const key of ['a', 'b', 'c', 'd']) await bucket.put(key)
    await bucket.put('keep.txt')
    for (const [guard, limit] of [
      ['max_deletes', 3],
      ['max_deletes', 0],
      ['max_delete_percent', 79.9],
    ] as const) {
      const policy = await create({ bucket_patterns: [bucket.name], glob: '?', [guard]: limit })
      for (const dry_run of [true, false]) {
        const stopped = await server.records([{ action: 'policy_run' }], () => run(policy.id, { dry_run }))
        assert.deepEqual(brief(stopped), ['stopped', 4, 0, 0, dry_run ? 4 : 0])
        assert.match(stopped.reason ?? '', new RegExp(guard))
        assert.deepEqual(
          (await items(stopped)).map(({ outcome }) => outcome),
          Array(4).fill(dry_run ? 'matched' : 'not_reached'),
        )
      }
      const [, dry] = (await server.admin.listPolicyRuns({ params: { id: policy.id } })).items
      assert.equal((await run(policy.id, { of: dry?.id ?? '' })).status, 'stopped')
    }
    assert.equal((await bucket.keys()).length, 5)
    for (const exact of [{ max_deletes: 4 }, { max_delete_percent: 80 }]) {
      const policy = await create({ bucket_patterns: [bucket.name], glob: '?', ...exact })
      assert.equal((await run(policy.id, { dry_run: true })).status, 'succeeded')
    }
    const last = await create({ bucket_patterns: [bucket.name], glob: '?', max_deletes: 4, max_delete_percent: 80 })
    assert.deepEqual(brief(await run(last.id)), ['succeeded', 4, 4, 0, 4])
  })

  itOnce('takes options from the query or the body, and never confuses a dry run with a real one', async () => {
    const bucket = await open()
    await bucket.put('x')
    const { id } = await create({ bucket_patterns: [bucket.name], glob: '*' })
    const ask = (body: object, query = {}) => server.admin.runPolicy({ params: { id }, query, body })
    const dry = await ask({ dry_run: true })
    assert.equal(dry.dry_run, true)
    await rejectsWith(ask({ dry_run: true }, { dry_run: false }), 'invalid_request', 'body.dry_run')
    await rejectsWith(ask({ dryrun: true }), 'invalid_request', 'body.dryrun')
    await rejectsWith(ask({ dry_run: 'true' }), 'invalid_request', 'body.dry_run')
    await rejectsWith(ask({}, { dryrun: true }), 'invalid_request', 'query.dryrun')
    await rejectsWith(ask({ of: dry.id, dry_run: true }), 'invalid_request', 'body.of')
    assert.deepEqual(await bucket.keys(), ['x'])
    const headers = { authorization: `Bearer ${server.adminToken}` }
    const bare = await fetch(`${server.url}/api/v1/policies/${id}/run?dry_run=true`, { method: 'POST', headers })
    assert.equal(bare.status, 200)
    assert.equal((await ask({ of: dry.id })).deleted, 1)
  })

  it('deletes by size, tags and from a time on, and what lost its tags after it was listed stays', async () => {
    const bucket = await open()
    const put = (key: string, size: number, tags?: { [name: string]: string }) =>
      server.admin.putObject({
        params: { bucket: bucket.name, key },
        headers: tags ? { 'x-tags': new URLSearchParams(tags).toString() } : {},
        body: Buffer.alloc(size),
      })
    const scratch = { use: 'scratch', team: 'é' }
    await put('small', 1, scratch)
    await put('fitting', 2, scratch)
    await put('kept', 2, scratch)
    await put('large', 4, scratch)
    await put('other-team', 2, { ...scratch, team: 'b' })
    await put('untagged', 2)
    const date = new Date(server.clock.now().getTime() + DAY).toISOString()
    const { id } = await create({ bucket_patterns: [bucket.name], min_size: 2, max_size: 3, tags: scratch, date })
    const body = { bucket_patterns: [bucket.name], min_size: 2, max_size: 3, tags: scratch, date }
    const { excluded } = await server.admin.previewPolicy({ body })
    assert.deepEqual(excluded, {
      glob: 0,
      min_size: 1,
      max_size: 1,
      tags: 2,
      keep_newest: 0,
      older_than_days: 0,
      date: 2,
      noncurrent_days: 0,
      keep_versions: 0,
      expired_markers: 0,
      locked: 0,
    })
    const explained = await server.admin.explainPolicies({ params: { bucket: bucket.name }, query: { key: 'kept' } })
    assert.deepEqual(
      explained.items.map(({ matches_now, matches_at }) => [matches_now, matches_at]),
      [[false, date]],
    )
    assert.equal((await run(id)).matched, 0)
    await server.later(DAY)
    const dry = await run(id, { dry_run: true })
    assert.deepEqual(dry.sample, ['fitting', 'kept'])
    await server.admin.updateObject({ params: { bucket: bucket.name, key: 'kept' }, body: { tags: { team: 'é' } } })
    await server.records(
      [{ action: 'delete', bucket: bucket.name, key: 'fitting' }, { action: 'policy_run' }],
      async () => assert.deepEqual(brief(await run(id, { of: dry.id })), ['succeeded', 2, 1, 1, 2]),
    )
    assert.deepEqual(await bucket.keys(), ['kept', 'large', 'other-team', 'small', 'untagged'])
  })

  itOnce('previews a draft without saving it', async () => {
    const bucket = await open()
    await bucket.put('old.log', 'xxxx')
    await server.later(DAY)
    const oldest = new Date(server.clock.now().getTime() - DAY).toISOString()
    for (const key of ['a.log', 'a.txt', 'b.log']) await bucket.put(key, 'xx')
    await bucket.put('tiny.log', '1')
    const body = {
      bucket_patterns: [bucket.name],
      glob: '*.log',
      min_size: 2,
      keep_newest: 1,
      older_than_days: 1,
      max_deletes: 0,
      cron: '0 12 * * *',
      timezone: 'Europe/Berlin',
    }
    await server.records([], async () => {
      const preview = await server.admin.previewPolicy({ body })
      assert.deepEqual([preview.complete, preview.examined, preview.matched, preview.bytes], [true, 5, 1, 4])
      assert.deepEqual(preview.excluded, {
        glob: 1,
        min_size: 1,
        max_size: 0,
        tags: 0,
        keep_newest: 1,
        older_than_days: 1,
        date: 0,
        noncurrent_days: 0,
        keep_versions: 0,
        expired_markers: 0,
        locked: 0,
      })
      assert.deepEqual([preview.sample, preview.oldest, preview.newest], [['old.log'], oldest, oldest])
      assert.equal(preview.objects[0]?.bucket, bucket.name)
      assert.match(preview.would_stop ?? '', /max_deletes/)
      assert.deepEqual([preview.next_runs.length, preview.next_runs[0]?.slice(11)], [5, '11:00:00.000Z'])
      await rejectsWith(
        server.admin.previewPolicy({ body: { bucket_patterns: [bucket.name] } }),
        'invalid_request',
        'body',
      )
    })
    const { id } = await create(body)
    assert.equal((await run(id, { dry_run: true })).matched, 1)
  })

  itOnce('says which policies will delete an object, when and why', async () => {
    const bucket = await open()
    const params = { bucket: bucket.name }
    await bucket.put('logs/a.log')
    const at = server.clock.now()
    const on = (body: object) => create({ bucket_patterns: [bucket.name], ...body })
    const aged = await on({ name: 'aged', prefix: 'logs/', older_than_days: 10, cron: '0 6 * * *' })
    const kept = await on({ name: 'kept', keep_newest: 1 })
    const off = await on({ name: 'off', glob: 'logs/*', enabled: false, cron: '0 6 * * *' })
    await on({ name: 'other prefix', prefix: 'data/', older_than_days: 1 })
    await on({ name: 'other glob', glob: '*.log' })
    await on({ name: 'too small', min_size: 2 })
    await create({ name: 'elsewhere', bucket_patterns: ['elsewhere-*'], glob: '**' })
    const explain = async () => {
      const all = (await server.admin.explainPolicies({ params, query: { key: 'logs/a.log' } })).items
      return all.reverse()
    }
    const due = new Date(at.getTime() + 10 * DAY)
    const six = new Date(due)
    six.setUTCHours(6, 0, 0, 0)
    const deletesAt = new Date(six.getTime() + (six < due ? DAY : 0)).toISOString()
    assert.deepEqual(
      (await explain()).map(({ name, enabled, matches_now, matches_at, deletes_at }) => ({
        name,
        enabled,
        matches_now,
        matches_at,
        deletes_at,
      })),
      [
        { name: 'aged', enabled: true, matches_now: false, matches_at: due.toISOString(), deletes_at: deletesAt },
        { name: 'kept', enabled: true, matches_now: false, matches_at: null, deletes_at: null },
        { name: 'off', enabled: false, matches_now: true, matches_at: at.toISOString(), deletes_at: null },
      ],
    )
    assert.match((await explain())[0]?.reason ?? '', /under "logs\/", is deleted once it has not changed for 10 days/)
    assert.match((await explain())[1]?.reason ?? '', /is kept as one of the newest 1/)
    server.clock.advance(1000)
    await bucket.put('logs/b.log')
    await bucket.put('logs/deeper/c.log')
    assert.deepEqual(
      (await explain()).map(({ matches_now }) => matches_now),
      [false, true, true],
    )
    for (const { id } of [aged, kept, off]) {
      const matched = (await run(id, { dry_run: true })).sample.includes('logs/a.log')
      assert.equal(matched, (await explain()).find(({ policy_id }) => policy_id === id)?.matches_now)
    }
    // Callers who can read the object get an answer, others do not.
    const reader = server.as(await server.userWith({ bucket_pattern: bucket.name, prefix: 'logs/', actions: ['read'] }))
    assert.equal((await reader.explainPolicies({ params, query: { key: 'logs/a.log' } })).items.length, 3)
    await rejectsWith(reader.explainPolicies({ params, query: { key: 'x' } }), 'forbidden')
    await rejectsWith(server.admin.explainPolicies({ params, query: { key: 'none' } }), 'not_found')
  })

  itOnce('asks for the right policy on all that is in scope, and hides what others have', async () => {
    const bucket = await open()
    await bucket.put('logs/a')
    const grants = (actions: ('list' | 'policy' | 'delete')[], prefix = 'logs/') => ({
      bucket_pattern: `${bucket.name}*`,
      prefix,
      actions,
    })
    const full = server.as(await server.userWith(grants(['list', 'policy', 'delete'])))
    const body = { name: 'mine', bucket_patterns: [bucket.name], prefix: 'logs/', glob: '*' }
    const { id } = await full.createPolicy({ body })
    for (const change of [
      { prefix: '' },
      { prefix: 'log' },
      { bucket_patterns: ['*'] },
      { bucket_patterns: [bucket.name, 'other'] },
    ]) {
      await rejectsWith(full.createPolicy({ body: { ...body, ...change } }), 'forbidden')
      await rejectsWith(full.previewPolicy({ body: { ...body, ...change } }), 'forbidden')
      await rejectsWith(full.updatePolicy({ params: { id }, body: change }), 'forbidden')
    }
    await full.createPolicy({ body: { ...body, bucket_patterns: [`${bucket.name}-*`], prefix: 'logs/deep' } })
    const wide = await create({ bucket_patterns: [bucket.name], glob: '**' })
    const hidden = await run(wide.id, { dry_run: true })
    const at = { params: { id: wide.id } }
    const atRun = { params: { id: wide.id, run_id: hidden.id } }
    for (const call of [
      () => full.getPolicy(at),
      () => full.updatePolicy({ ...at, body: { prefix: 'logs/' } }),
      () => full.deletePolicy(at),
      () => full.runPolicy(at),
      () => full.listPolicyRuns(at),
      () => full.getPolicyRun(atRun),
      () => full.listPolicyRunItems(atRun),
      () => full.cancelPolicyRun(atRun),
    ])
      await rejectsWith(call(), 'not_found')
    assert.ok((await full.listPolicies()).items.every((one) => one.prefix.startsWith('logs/')))
    // Another policy's run is not found under one's own.
    await rejectsWith(full.getPolicyRun({ params: { id, run_id: hidden.id } }), 'not_found')
    await rejectsWith(full.runPolicy({ params: { id }, query: { of: hidden.id } }), 'not_found')
  })

  it('runs with no more rights than its author has at that moment', async () => {
    const bucket = await open()
    for (const key of ['a', 'b']) await bucket.put(key)
    const group = async (actions: ('list' | 'policy' | 'delete')[]) =>
      (await server.admin.createGroup({ body: { name: newId(), grants: [{ bucket_pattern: bucket.name, actions }] } }))
        .id
    const email = `author-of-${bucket.name}@example.com`
    const password = 'password of the author'
    server.secrets.add(password)
    const [mayPolicy, mayDelete] = [await group(['policy', 'list']), await group(['delete'])]
    const { id: userId } = await server.admin.createUser({
      body: { email, display_name: 'A', password, group_ids: [mayPolicy, mayDelete] },
    })
    const author = server.as(await server.login(email, password))
    const { id } = await author.createPolicy({ body: { name: 'x', bucket_patterns: [bucket.name], glob: '*' } })
    const setGroups = (group_ids: string[]) => server.admin.updateUser({ params: { id: userId }, body: { group_ids } })
    const refused = async (reason: RegExp) => {
      for (const dry_run of [false, true]) {
        // The administrator has every right; the policy has its author's.
        const failed = await server.records([{ action: 'policy_run' }], () => run(id, { dry_run }))
        assert.deepEqual(brief(failed), ['failed', 0, 0, 0, 0])
        assert.match(failed.reason ?? '', reason)
      }
      assert.deepEqual(await bucket.keys(), ['a', 'b'])
    }
    await setGroups([mayPolicy])
    await refused(/lacks the right "delete"/)
    await setGroups([mayDelete])
    await refused(/lacks the right "policy"/)
    await setGroups([mayPolicy, mayDelete])
    await server.admin.updateUser({ params: { id: userId }, body: { is_active: false } })
    await refused(/no longer has an active account/)
    await server.admin.updateUser({ params: { id: userId }, body: { is_active: true } })
    const dry = await run(id, { dry_run: true })
    await setGroups([mayPolicy])
    assert.deepEqual(brief(await run(id, { of: dry.id })), ['failed', 0, 0, 0, 0])
    assert.deepEqual(await bucket.keys(), ['a', 'b'])
    // Whoever edits it becomes its author.
    const taken = await server.admin.updatePolicy({ params: { id }, body: { name: 'mine now' } })
    assert.deepEqual([taken.author_email, taken.created_by], ['admin@example.com', userId])
    assert.deepEqual(brief(await run(id)), ['succeeded', 2, 2, 0, 2])
    const trash = await bucket.trash()
    assert.ok(trash.every(({ deleted_by }) => deleted_by === taken.author_id))
    // And an author with fewer permissions takes them from it.
    await setGroups([mayPolicy])
    const weak = server.as(await server.login(email, password))
    await weak.updatePolicy({ params: { id }, body: { name: 'weaker' } })
    await bucket.put('c')
    assert.equal((await run(id)).status, 'failed')
    await server.admin.deleteUser({ params: { id: userId } })
    assert.match((await run(id)).reason ?? '', /no longer has an active account/)
    assert.deepEqual(await bucket.keys(), ['c'])
  })

  it('stops when its author loses a permission: the rest of the list stays', async () => {
    const bucket = await open()
    await server.running.tick()
    for (const key of ['a', 'b', 'c']) await bucket.put(key)
    const actions = ['list' as const, 'policy' as const, 'delete' as const]
    const author = server.as(await server.userWith({ bucket_pattern: bucket.name, actions }))
    const { id } = await author.createPolicy({ body: { name: 'x', bucket_patterns: [bucket.name], glob: '*' } })
    const dry = await run(id, { dry_run: true }, author)
    // A run as a process left it that ended after the first object.
    await server.admin.deleteObject({ params: { bucket: bucket.name, key: 'a' } })
    const { db } = server.database
    const row = await db.selectFrom('policy_runs').selectAll().where('id', '=', dry.id).executeTakeFirstOrThrow()
    const listed = await db.selectFrom('policy_run_items').selectAll().where('run_id', '=', dry.id).execute()
    const begun = { ...row, id: newId(), kind: 'live' as const, status: 'running' as const, finished_at: null }
    await server.database.transaction(async (tx) => {
      await tx
        .insertInto('policy_runs')
        .values({ ...begun, position: 1, deleted: 1, deleted_bytes: 1 })
        .execute()
      const outcome = (position: number) => (position === 1 ? ('deleted' as const) : null)
      const of = listed.map((item) => ({ ...item, run_id: begun.id, outcome: outcome(item.position) }))
      await tx.insertInto('policy_run_items').values(of).execute()
    })
    const me = await author.me()
    await server.admin.updateUser({ params: { id: me.id }, body: { is_active: false } })
    await server.records([{ action: 'policy_run' }], () => server.running.tick())
    const failed = await server.admin.getPolicyRun({ params: { id, run_id: begun.id } })
    assert.deepEqual(brief(failed), ['failed', 3, 1, 0, 1])
    assert.deepEqual(
      (await items(failed)).map(({ outcome }) => outcome),
      ['deleted', 'not_reached', 'not_reached'],
    )
    assert.deepEqual(await bucket.keys(), ['b', 'c'])
  })

  it('deletes its history: lists after a month, runs after a year, everything of a deleted policy', async () => {
    const bucket = await open()
    await bucket.put('x')
    const [kept, deleted] = [
      await create({ bucket_patterns: [bucket.name], glob: '*' }),
      await create({ bucket_patterns: [bucket.name], glob: '*' }),
    ]
    const dry = await run(kept.id, { dry_run: true })
    await run(deleted.id, { dry_run: true })
    await server.admin.deletePolicy({ params: { id: deleted.id } })
    await server.running.tick()
    const rows = (id: string) =>
      server.database.db.selectFrom('policy_runs').select('id').where('policy_id', '=', id).execute()
    assert.deepEqual([(await rows(kept.id)).length, await rows(deleted.id)], [1, []])
    assert.equal(
      await server.database.db.selectFrom('policies').select('id').where('id', '=', deleted.id).executeTakeFirst(),
      undefined,
    )
    assert.equal((await items(dry)).length, 1)
    await server.later(31 * DAY)
    await server.running.tick()
    assert.deepEqual(await items(dry), [])
    assert.deepEqual((await server.admin.getPolicyRun({ params: { id: kept.id, run_id: dry.id } })).sample, ['x'])
    await rejectsWith(run(kept.id, { of: dry.id }), 'conflict')
    await server.later(340 * DAY)
    await server.running.tick()
    assert.deepEqual(await rows(kept.id), [])
  })
})
