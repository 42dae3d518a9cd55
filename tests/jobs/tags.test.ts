// Jobs that change the tags of what is named or found: what is recorded, left alone and undone.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import type { TagChange } from '../../contract/jobs.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { jobsWorld, type NewJob, numbered } from './jobs.ts'

type Tags = { [name: string]: string }

describeEngines('jobs: tags', (engine, itOnce) => {
  const world = jobsWorld(engine)
  const { open, fill, idOf, run, create, counts, succeeded, codes, recordsOf, person, restore } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  const put = (bucket: string, key: string, tags: Tags = {}) =>
    server.admin.putObject({
      params: { bucket, key },
      body: key,
      headers: { 'x-tags': new URLSearchParams(tags).toString() },
    })
  /** The tags of each object. */
  const tagsIn = async (bucket: string): Promise<{ [key: string]: Tags }> =>
    Object.fromEntries(
      (await server.admin.listObjects({ params: { bucket } })).items.map(({ key, tags = {} }) => [key, tags]),
    )
  /** What of objects does not change with their tags. */
  const others = async (bucket: string) =>
    (
      await server.database.db
        .selectFrom('objects')
        .selectAll()
        .where('bucket_id', '=', await idOf(bucket))
        .orderBy('key')
        .execute()
    ).map(({ moment: _moment, author: _author, tags: _tags, ...row }) => row)
  const tag = (source_bucket: string, tags: TagChange, more: Partial<NewJob> = {}, by?: Client) =>
    run({ kind: 'tag', source_bucket, tags, ...more }, by)
  const updated = (bucket: string, ...keys: string[]) =>
    keys.map((key) => ({ action: 'update_object' as const, bucket, key }))

  it('gives tags to what a query finds, takes them away and replaces them, and says so of each object that changes', async () => {
    const name = await open()
    await put(name, 'a/1', { stage: 'draft', team: 'x' })
    await put(name, 'a/2', { stage: 'final' })
    await put(name, 'b/3', { stage: 'draft' })
    const was = await others(name)
    const found = { query: 'tag:stage=draft' }
    const change = { add: { stage: 'final', seen: 'ja' }, remove: ['team', 'none'] }
    const dry = await server.records([], () => tag(name, change, { ...found, dry_run: true }))
    assert.deepEqual([dry.status, dry.total, dry.done, dry.dry_run], ['succeeded', 2, 0, true])
    const job = await server.records(updated(name, 'a/1', 'b/3'), () => tag(name, change, found))
    assert.deepEqual([counts(job), job.tags, job.query, job.restorable], [succeeded(2), change, found.query, true])
    const both = { stage: 'final', seen: 'ja' }
    assert.deepEqual(await tagsIn(name), { 'a/1': both, 'a/2': { stage: 'final' }, 'b/3': both })
    assert.deepEqual(
      (await recordsOf(job.id)).map(({ details }) => JSON.parse(details)),
      [{ stage: 'draft', team: 'x' }, { stage: 'draft' }].map((tags) => ({
        before: { tags },
        after: { tags: both },
        job_id: job.id,
      })),
    )
    // What has them already is done, and nothing to record.
    const again = await server.records(updated(name, 'a/2'), () => tag(name, { add: both }))
    assert.deepEqual(counts(again), succeeded(3))
    const idle = await server.records([], () => tag(name, { replace: both }))
    assert.deepEqual(counts(idle), succeeded(3))
    await server.records(updated(name, 'a/1', 'a/2'), () => tag(name, { replace: {} }, { prefix: 'a/' }))
    await server.records(updated(name, 'b/3'), () => tag(name, { replace: { only: '' } }, { keys: ['b/3'] }))
    assert.deepEqual(await tagsIn(name), { 'a/1': {}, 'a/2': {}, 'b/3': { only: '' } })
    assert.deepEqual(await others(name), was, 'nothing else of the objects has changed')
    assert.equal((await server.admin.verifyAudit()).ok, true)
  })

  it('works on many objects in steps', async () => {
    const name = await open()
    const keys = numbered('k/', 2300)
    await fill(name, keys)
    const job = await server.records(updated(name, ...keys), () => tag(name, { add: { t: 'v' } }, { prefix: 'k/' }))
    assert.deepEqual(counts(job), succeeded(2300))
    const { total, total_exact } = await server.admin.searchObjects({
      params: { bucket: name },
      query: { q: 'tag:t=v' },
    })
    assert.ok((total ?? 0) > 1000 || total_exact)
    const back = await server.records(
      keys.map((key) => ({ action: 'restore' as const, bucket: name, key })),
      () => restore(job),
    )
    assert.deepEqual(counts(back), succeeded(2300))
    assert.deepEqual((await server.admin.searchObjects({ params: { bucket: name }, query: { q: 'tag:t' } })).items, [])
  })

  for (const versioning of ['off', 'enabled'] as const)
    it(`is undone where nobody has changed the object since (versioning ${versioning})`, async () => {
      const name = await open(versioning === 'off' ? {} : { versioning })
      for (const key of ['a', 'b', 'c', 'd']) await put(name, key, { was: key })
      const was = await others(name)
      const before = await tagsIn(name)
      const job = await tag(name, { add: { new: '1' }, remove: ['was'] })
      await server.admin.updateObject({ params: { bucket: name, key: 'b' }, body: { tags: { other: '2' } } })
      await server.admin.deleteObject({ params: { bucket: name, key: 'c' } })
      const back = await server.records(
        ['a', 'd'].map((key) => ({ action: 'restore' as const, bucket: name, key })),
        () => restore(job),
      )
      assert.deepEqual([counts(back), back.errors, back.of], [succeeded(2), [], job.id])
      assert.deepEqual(await tagsIn(name), { a: before.a, b: { other: '2' }, d: before.d })
      assert.deepEqual(
        await others(name),
        was.filter(({ key }) => key !== 'c'),
        'no version was made, and no time changed',
      )
      // Undone once, and the undoing is no change of tags that could be undone.
      await rejectsWith(create({ kind: 'restore', of: back.id }), 'conflict', 'body.of')
      const twice = await server.records([], () => restore(job))
      assert.deepEqual(counts(twice), succeeded(0))
    })

  itOnce(
    'leaves alone what has changed since it was listed, what is gone, and what would have too many tags',
    async () => {
      const name = await open()
      const full = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`t${i}`, 'v']))
      await put(name, 'full', full)
      await put(name, 'free')
      const job = await server.records(updated(name, 'free'), () =>
        tag(name, { add: { more: '1' } }, { keys: ['full', 'free', 'none'] }),
      )
      assert.deepEqual(counts(job), succeeded(1, 2))
      assert.deepEqual(codes(job).toSorted(), [
        ['full', 'invalid_request'],
        ['none', 'not_found'],
      ])
      assert.match(job.errors.find(({ key }) => key === 'full')?.detail ?? '', /more than 10 tags/)
      const swapped = await tag(name, { add: { more: '1' }, remove: ['t0'] }, { keys: ['full'] })
      assert.deepEqual(counts(swapped), succeeded(1))
    },
  )

  itOnce('keeps its creator’s rights, object by object, and what policies say of tags', async () => {
    const name = await open()
    for (const key of ['in/1', 'in/2', 'out/3', 'open/4']) await put(name, key, { stage: key })
    const { client } = await person({
      bucket_pattern: name,
      prefix: 'in/',
      actions: ['list', 'read', 'write'],
    })
    const all = await server.records(updated(name, 'in/1', 'in/2'), () => tag(name, { add: { x: 'y' } }, {}, client))
    assert.deepEqual(counts(all), succeeded(2))
    const denied = await server.records([], () => tag(name, { add: { x: 'z' } }, { keys: ['out/3'] }, client))
    assert.deepEqual([counts(denied), codes(denied)], [succeeded(0, 1), [['out/3', 'forbidden']]])
    const deny = (condition: object) =>
      server.admin.putBucketPolicy({
        params: { bucket: name },
        body: {
          document: JSON.stringify({
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Deny',
                Principal: '*',
                Action: 's3:PutObjectTagging',
                Resource: `arn:aws:s3:::${name}/in/*`,
                Condition: condition,
              },
            ],
          }),
        },
      })
    await deny({ StringEquals: { 's3:ExistingObjectTag/stage': 'in/1' } })
    const half = await server.records(updated(name, 'in/2'), () => tag(name, { add: { x: 'q' } }, {}, client))
    assert.deepEqual([counts(half), codes(half)], [succeeded(1, 1), [['in/1', 'forbidden']]])
    // Nor is it undone; the other one has changed since.
    const back = await server.records([], () => restore(all, client))
    assert.deepEqual([counts(back), codes(back)], [succeeded(0, 1), [['in/1', 'forbidden']]])
    await server.admin.deleteBucketPolicy({ params: { bucket: name } })
    const reader = await person({ bucket_pattern: name, actions: ['list', 'read'] })
    await rejectsWith(create({ kind: 'tag', source_bucket: name, tags: { replace: {} } }, reader.client), 'forbidden')
  })

  itOnce('says what of a request it does not take', async () => {
    const name = await open()
    const base = { kind: 'tag', source_bucket: name } as const
    const wrong: [Partial<NewJob>, string][] = [
      [{}, 'body.tags'],
      [{ tags: {} }, 'body.tags'],
      [{ tags: { add: { a: '1' }, replace: {} } }, 'body.tags.replace'],
      [{ tags: { add: { a: '1' }, remove: ['a'] } }, 'body.tags.remove'],
      [{ tags: { add: {} } }, 'body.tags.add'],
      [{ tags: { add: { 'a\n': '1' } } }, 'body.tags.add'],
      [{ tags: { remove: [] } }, 'body.tags.remove'],
      [{ tags: { remove: [''] } }, 'body.tags.remove.0'],
      [{ tags: { replace: {} }, dest_prefix: 'x/' }, 'body.dest_bucket'],
      [{ tags: { replace: {} }, keys: ['a'], query: 'b' }, 'body.query'],
    ]
    await server.records([], async () => {
      for (const [more, path] of wrong) {
        const error = await rejectsWith(create({ ...base, ...more } as NewJob), 'invalid_request')
        assert.ok(
          error.problem.errors?.some((one) => one.path.startsWith(path)),
          `${path}: ${JSON.stringify(error.problem)}`,
        )
      }
      await rejectsWith(
        create({ kind: 'delete', source_bucket: name, tags: { replace: {} } }),
        'invalid_request',
        'body.tags',
      )
    })
    // Names that objects have of their own are names like others.
    await put(name, 'k')
    const hostile = JSON.parse('{"constructor": "c", "toString": "t"}') as Tags
    assert.deepEqual(counts(await tag(name, { add: hostile })), succeeded(1))
    const [object] = (await server.admin.listObjects({ params: { bucket: name } })).items
    assert.deepEqual(Object.entries(object?.tags ?? {}), Object.entries(hostile))
    assert.deepEqual(counts(await tag(name, { remove: ['constructor', 'toString', 'valueOf'] })), succeeded(1))
  })

  itOnce('counts for the budget of an agent, and waits for approval, as what it would touch', async () => {
    const name = await open()
    for (const key of ['1', '2', '3']) await put(name, key)
    const agentWith = async (more: object) => {
      const made = await server.admin.createAgent({
        body: { name: 'tagger', scope: [{ bucket: name, actions: ['list', 'read', 'write'] }], ...more },
      })
      server.secrets.add(made.token).add(made.secret_access_key)
      return server.as(made.token)
    }
    const body = { kind: 'tag', source_bucket: name, tags: { add: { by: 'agent' } } } as const
    const poor = await agentWith({ budget: { change_objects_per_hour: 2 } })
    const failed = await server.records([], () => run(body, poor))
    assert.deepEqual([failed.status, failed.done], ['failed', 0])
    assert.match(failed.detail ?? '', /2 changed objects per hour; 2 are left, and this needs 3/)
    const asking = await agentWith({ approval: { actions: ['write'] } })
    const ask = async () => {
      const { problem } = await rejectsWith(asking.createJob({ body }), 'approval_required')
      return String((problem as unknown as { approval_id: string }).approval_id)
    }
    const id = await server.records([{ action: 'approval_request' }], ask)
    const waiting = await server.admin.getApproval({ params: { id } })
    assert.deepEqual([waiting.objects, waiting.actions[0]?.details.tags], [3, body.tags])
    await server.admin.approve({ params: { id } })
    // A tag that somebody else has set is another state.
    await server.admin.updateObject({ params: { bucket: name, key: '1' }, body: { tags: { by: 'user' } } })
    const again = await ask()
    assert.notEqual(again, id)
    await server.admin.approve({ params: { id: again } })
    const done = await server.records(updated(name, '1', '2', '3'), () => run(body, asking))
    assert.deepEqual(counts(done), succeeded(3))
    await until(async () => (await asking.getOwnAgent()).used_this_hour.change_objects === 3)
  })
})
