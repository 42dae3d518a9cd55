// Jobs that change the tags of what others keep: the tags are ours, and what they were is only in the audit log.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Job, TagChange } from '../../contract/jobs.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { FakeEngine } from './fake-engine.ts'
import { fakeWorld } from './fake-world.ts'
import type { Site } from './site.ts'

type Tags = { [name: string]: string }

describeEngines('tags of what others keep', (engine) => {
  const world = fakeWorld({}, engine)
  let server: TestServer
  let site: Site
  let fake: FakeEngine
  let storage: string
  before(() => {
    ;({ server, site, fake, storage } = world.parts())
  })

  const finished = async ({ id }: Job): Promise<Job> => {
    await until(async () => {
      await server.running.tick('jobs')
      return ['succeeded', 'failed'].includes((await server.admin.getJob({ params: { id } })).status)
    })
    return server.admin.getJob({ params: { id } })
  }
  const tag = async (source_bucket: string, tags: TagChange, more: { query?: string; keys?: string[] } = {}) =>
    finished(await server.admin.createJob({ body: { kind: 'tag', source_bucket, tags, ...more } }))
  const tagsIn = async (bucket: string): Promise<{ [key: string]: Tags }> =>
    Object.fromEntries(
      (await server.admin.listObjects({ params: { bucket } })).items.map(({ key, tags = {} }) => [key, tags]),
    )
  const updated = (bucket: string, ...keys: string[]) =>
    keys.map((key) => ({ action: 'update_object' as const, bucket, key }))

  it('are set here, whether or not an object was read, and stay; the engine is asked for nothing but reads', async () => {
    const prefix = world.nextPrefix()
    for (const key of ['read', 'unread']) fake.put(prefix + key, key, { tags: { stage: 'draft' } })
    const bucket = await site.attach(storage, prefix)
    await site.finishScan(bucket)
    await site.read(bucket, 'read')
    assert.deepEqual(await tagsIn(bucket), { read: { stage: 'draft' }, unread: {} })
    const asked = fake.log.length
    // Of what was not read, the tags that the engine has are not known, and not found.
    const found = await server.records(updated(bucket, 'read'), () =>
      tag(bucket, { add: { seen: 'yes' } }, { query: 'tag:stage=draft' }),
    )
    assert.deepEqual([found.status, found.done, found.failed, found.restorable], ['succeeded', 1, 0, false])
    const named = await server.records(updated(bucket, 'unread'), () =>
      tag(bucket, { add: { seen: 'yes' } }, { keys: ['unread'] }),
    )
    assert.deepEqual([named.done, named.failed], [1, 0])
    const after = { read: { stage: 'draft', seen: 'yes' }, unread: { seen: 'yes' } }
    assert.deepEqual(await tagsIn(bucket), after)
    // Reading it for the first time takes nothing away that was set here, and neither does a scan.
    await site.read(bucket, 'unread')
    await site.settle(bucket)
    assert.deepEqual(await tagsIn(bucket), after)
    assert.deepEqual(
      fake.log.slice(asked).filter((line) => !/^(GET|HEAD) /.test(line)),
      [],
    )
    assert.deepEqual(fake.objects.get(`${prefix}read`)?.tags, { stage: 'draft' })
  })

  it('cannot be set back by undoing the job, which says so; what they were is in the audit log', async () => {
    const prefix = world.nextPrefix()
    fake.put(`${prefix}a`, 'a', { tags: { stage: 'draft' } })
    const bucket = await site.attach(storage, prefix)
    await site.finishScan(bucket)
    await site.read(bucket, 'a')
    assert.deepEqual(await tagsIn(bucket), { a: { stage: 'draft' } })
    const job = await tag(bucket, { replace: { stage: 'final' } })
    assert.equal(job.restorable, false)
    await server.records([], async () => {
      const { problem } = await rejectsWith(
        server.admin.createJob({ body: { kind: 'restore', of: job.id } }),
        'nothing_to_restore',
      )
      assert.match(problem.detail ?? '', /a change of tags cannot be undone\. The audit log has the tags/)
    })
    assert.deepEqual(await tagsIn(bucket), { a: { stage: 'final' } })
    const record = (await allActions(server.database)).find(
      ({ action, object_key, bucket: of }) => action === 'update_object' && object_key === 'a' && of === bucket,
    )
    const { before, after, job_id } = JSON.parse(record?.details ?? '{}') as {
      before: object
      after: object
      job_id: string
    }
    assert.deepEqual([before, after, job_id], [{ tags: { stage: 'draft' } }, { tags: { stage: 'final' } }, job.id])
    // With them, they are set back by hand.
    await server.records(updated(bucket, 'a'), () => tag(bucket, { replace: { stage: 'draft' } }))
    assert.deepEqual(await tagsIn(bucket), { a: { stage: 'draft' } })
  })
})
