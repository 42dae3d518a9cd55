// What a policy's run deleted is restored together.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Job } from '../../contract/jobs.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'
import { policiesWorld } from './policies.ts'

describeEngines('policies: restoring a run', (engine) => {
  const world = policiesWorld(engine)
  const { open, create, run } = world
  const at = ({ policy_id, id }: { policy_id: string; id: string }) => ({ id: policy_id, run_id: id })
  const finish = async ({ id }: Job): Promise<Job> => {
    let job: Job | undefined
    await until(async () => {
      job = await world.server.admin.getJob({ params: { id } })
      return job.finished_at !== null
    })
    return job as Job
  }
  const counts = ({ status, total, done, failed }: Job) => [status, total, done, failed]

  it('takes what is left of it in each bucket, from the trash or under delete markers, and nothing else', async () => {
    const { admin } = world.server
    const plain = await open()
    const kept = await open({ versioning: 'enabled' })
    const keys = ['old/1', 'old/2', 'old/3', 'old/4']
    for (const bucket of [plain, kept]) for (const key of [...keys, 'new/1']) await bucket.put(key, key)
    await plain.put('old/alone')
    await admin.deleteObject({ params: { bucket: plain.name, key: 'old/alone' } })
    // An earlier version that the run deletes as well: it is not one of the objects.
    await kept.put('old/1', 'newer')
    const policy = await create({
      bucket_patterns: [plain.name, kept.name],
      prefix: 'old/',
      older_than_days: 0,
      noncurrent_days: 0,
    })
    const dry = await run(policy.id, { dry_run: true })
    assert.deepEqual(dry.restorable, [])
    await rejectsWith(admin.restorePolicyRun({ params: at(dry), body: { bucket: plain.name } }), 'nothing_to_restore')
    const done = await run(policy.id)
    assert.deepEqual([done.deleted, done.restorable], [9, [plain.name, kept.name].sort()])
    assert.deepEqual([await plain.keys(), await kept.keys()], [['new/1'], ['new/1']])

    // One key is used again, one item is restored by itself, one is deleted from the trash.
    await plain.put('old/1', 'again')
    const trash = await plain.trash()
    const idsOf = (key: string) => trash.filter((one) => one.key === key).map(({ id }) => id)
    await admin.restoreTrash({ params: { bucket: plain.name }, body: { ids: idsOf('old/2') } })
    await admin.purgeTrash({ params: { bucket: plain.name }, body: { ids: idsOf('old/3') } })
    const back = await world.server.records([{ action: 'restore', bucket: plain.name, key: 'old/4' }], async () =>
      finish(await admin.restorePolicyRun({ params: at(done), body: { bucket: plain.name } })),
    )
    assert.deepEqual(
      [counts(back), back.of, back.of_run, back.source_bucket, back.prefix],
      [['succeeded', 2, 1, 1], null, { policy_id: policy.id, run_id: done.id }, plain.name, 'old/'],
    )
    assert.deepEqual(
      back.errors.map(({ key, code }) => [key, code]),
      [['old/1', 'already_exists']],
    )
    assert.deepEqual(await plain.keys(), ['new/1', 'old/1', 'old/2', 'old/4'])
    assert.deepEqual((await plain.trash()).map(({ key }) => key).sort(), ['old/1', 'old/alone'])

    const shown = await world.server.records(
      keys.map((key) => ({ action: 'version_delete', bucket: kept.name, key })),
      async () => finish(await admin.restorePolicyRun({ params: at(done), body: { bucket: kept.name } })),
    )
    assert.deepEqual(counts(shown), ['succeeded', 4, 4, 0])
    assert.deepEqual(await kept.keys(), ['new/1', ...keys])
    const { body } = await admin.getObject({ params: { bucket: kept.name, key: 'old/1' } })
    assert.equal(await new Response(body).text(), 'newer')
    assert.deepEqual((await admin.getPolicyRun({ params: at(done) })).restorable, [plain.name], 'one key is in use')
    await rejectsWith(admin.restorePolicyRun({ params: at(done), body: { bucket: kept.name } }), 'nothing_to_restore')
    // Listed with the run, until the bucket is gone.
    const listed = async () =>
      (await admin.listPolicyRuns({ params: { id: policy.id } })).items.map(({ restorable }) => restorable)
    assert.deepEqual(await listed(), [[plain.name], []])
    const over = await finish(await admin.createJob({ body: { kind: 'empty_bucket', source_bucket: plain.name } }))
    assert.equal(over.status, 'succeeded')
    await admin.deleteBucket({ params: { bucket: plain.name } })
    assert.deepEqual(await listed(), [[], []])
    await rejectsWith(admin.restorePolicyRun({ params: at(done), body: { bucket: plain.name } }), 'not_found')
  })

  it('asks for the right to write, of the bucket and of each key', async () => {
    const { server } = world
    const bucket = await open()
    for (const key of ['a/1', 'b/1']) await bucket.put(key)
    const policy = await create({ bucket_patterns: [bucket.name], older_than_days: 0 })
    const done = await run(policy.id)
    const client = async (...grants: { prefix?: string; actions: ('write' | 'policy' | 'list')[] }[]) =>
      server.as(await server.userWith(...grants.map((one) => ({ bucket_pattern: bucket.name, ...one }))))
    const asked = { params: at(done), body: { bucket: bucket.name } }
    const keeper = await client({ actions: ['policy', 'list'] })
    const writer = await client({ actions: ['write', 'list'] })
    await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
      await rejectsWith(keeper.restorePolicyRun(asked), 'forbidden')
      await rejectsWith(writer.restorePolicyRun(asked), 'not_found')
    })
    const half = await client({ actions: ['policy', 'list'] }, { prefix: 'a/', actions: ['write'] })
    const back = await server.records([{ action: 'restore', bucket: bucket.name, key: 'a/1' }], async () =>
      finish(await half.restorePolicyRun(asked)),
    )
    assert.deepEqual(
      [counts(back), back.errors.map(({ key, code }) => [key, code])],
      [['succeeded', 2, 1, 1], [['b/1', 'forbidden']]],
    )
    assert.deepEqual(await bucket.keys(), ['a/1'])
  })
})
