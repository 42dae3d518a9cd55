import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { outcome } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { ALL, agentsWorld, codeOf, HOUR } from './agents.ts'

describeEngines('budgets of agents', (engine, itOnce, _itStored, itRaced) => {
  const world = agentsWorld(engine)
  const { bucketWith, agentOn, keysOf, ended } = world
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `k${String(i).padStart(3, '0')}`)

  it('a loop of deletions stops at its budget, says when it renews, and goes on then', async () => {
    const { server } = world
    const bucket = await bucketWith(...keys(6))
    const { client, s3 } = await agentOn(bucket, { budget: { delete_objects_per_hour: 3 } })
    const del = (key: string) => client.deleteObject({ params: { bucket, key } })
    await server.records(
      [
        { action: 'delete', bucket, key: 'k000' },
        { action: 'delete', bucket, key: 'k001' },
        { action: 'delete', bucket, key: 'k002' },
      ],
      async () => {
        await del('k000')
        // The same budget by S3.
        await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k001' }))
        await del('k002')
        const { problem, response } = await rejectsWith(del('k003'), 'budget_exceeded')
        const renews_at = new Date(server.clock.now().getTime() + HOUR).toISOString()
        const { budget, limit, left, needed } = problem as unknown as Record<string, unknown>
        assert.deepEqual([budget, limit, left, needed], ['delete_objects_per_hour', 3, 0, 1])
        assert.equal((problem as unknown as { renews_at: string }).renews_at, renews_at)
        assert.equal(response.headers.get('retry-after'), '3600')
        assert.equal(await outcome(s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k003' }))), 'BudgetExceeded')
      },
    )
    assert.deepEqual(await keysOf(bucket), ['k003', 'k004', 'k005'])
    await server.later(HOUR - 1)
    assert.equal(await codeOf(del('k003')), 'budget_exceeded')
    await server.later(1)
    await del('k003')
    assert.deepEqual(await keysOf(bucket), ['k004', 'k005'])
    const own = await client.getOwnAgent()
    assert.deepEqual([own.used_this_hour.delete_objects, own.used_in_all.delete_objects], [1, 4])
    assert.equal(own.used_in_all.delete_bytes, 16)
  })

  it('what does not fit as a whole changes nothing', async () => {
    const { server } = world
    const bucket = await bucketWith(...keys(5))
    const { client, s3 } = await agentOn(bucket, {
      budget: { delete_objects: 3, change_objects: 2, change_bytes: 10 },
    })
    await server.records([], async () => {
      await rejectsWith(client.bulkDelete({ params: { bucket }, body: { keys: keys(4) } }), 'budget_exceeded')
      const Objects = keys(4).map((Key) => ({ Key }))
      const many = s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }))
      assert.equal(await outcome(many), 'BudgetExceeded')
      await rejectsWith(client.putObject({ params: { bucket, key: 'new' }, body: 'x'.repeat(11) }), 'budget_exceeded')
      const put = new PutObjectCommand({ Bucket: bucket, Key: 'new', Body: 'x'.repeat(11) })
      assert.equal(await outcome(s3.send(put)), 'BudgetExceeded')
    })
    assert.deepEqual(await keysOf(bucket), keys(5))
    const body = { source_bucket: bucket, source_key: 'k000', dest_key: 'new' }
    await client.moveObject({ params: { bucket }, body })
    await s3.send(new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: `${bucket}/new` }))
    assert.equal(
      await codeOf(client.moveObject({ params: { bucket }, body: { ...body, source_key: 'k001' } })),
      'budget_exceeded',
    )
    const { used_in_all } = await client.getOwnAgent()
    assert.deepEqual(used_in_all, {
      change_objects: 2,
      change_bytes: 8,
      delete_objects: 1,
      delete_bytes: 4,
      read_bytes: 0,
    })
  })

  it('holds at every step of a job, which ends there', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2', 'a/3')
    const { client } = await agentOn(bucket, { budget: { delete_objects_per_hour: 2 } })
    const body = { kind: 'delete', source_bucket: bucket, prefix: 'a/' } as const
    const job = await client.createJob({ body })
    await server.running.tick('jobs')
    const { status, detail, done } = await ended(job.id)
    assert.deepEqual([status, done], ['failed', 0])
    assert.match(detail ?? '', /2 deleted objects per hour; 2 are left, and this needs 3/)
    assert.deepEqual(await keysOf(bucket), ['a/1', 'a/2', 'a/3'])
    await server.admin.updateAgent({
      params: { id: (await client.getOwnAgent()).id },
      body: { budget: { delete_objects_per_hour: 3 } },
    })
    const again = await client.createJob({ body })
    assert.equal((await ended(again.id)).status, 'succeeded')
    assert.equal((await client.getOwnAgent()).used_this_hour.delete_objects, 3)
  })

  itRaced('is exact where many ask at once', async () => {
    const bucket = await bucketWith(...keys(30))
    const { client } = await agentOn(bucket, { budget: { delete_objects_per_hour: 20 } })
    const codes = await Promise.all(keys(30).map((key) => codeOf(client.deleteObject({ params: { bucket, key } }))))
    assert.equal(codes.filter((code) => code === 'ok').length, 20)
    assert.equal(codes.filter((code) => code === 'budget_exceeded').length, 10)
    assert.equal((await keysOf(bucket)).length, 10)
  })

  it('counts what is read, whatever way it is read', async () => {
    const { server } = world
    const bucket = await bucketWith('0123456789')
    const key = '0123456789'
    const { client, s3 } = await agentOn(bucket, {
      budget: { read_bytes_per_hour: 27 },
      approval: { actions: [] },
    })
    const params = { bucket, key }
    assert.equal(await (await client.getObject({ params })).text(), key)
    const range = new GetObjectCommand({ Bucket: bucket, Key: key, Range: 'bytes=0-3' })
    assert.equal(await (await s3.send(range)).Body?.transformToString(), '0123')
    await client.headObject({ params })
    const { url } = await client.presignObject({ params: { bucket }, body: { key } })
    assert.equal(await (await fetch(url.replace(/^.*\/api/, `${server.url}/api`))).text(), key)
    assert.equal((await client.getOwnAgent()).used_this_hour.read_bytes, 24)
    const { token } = await client.createShare({ body: { kind: 'object', ...params } })
    server.secrets.add(token)
    const shared = await fetch(`${server.url}/public/s/${token}`)
    assert.equal(shared.status, 429)
    assert.equal(((await shared.json()) as { code: string }).code, 'budget_exceeded')
    assert.equal(await codeOf(client.getObject({ params })), 'budget_exceeded')
    assert.equal(await outcome(s3.send(range)), 'BudgetExceeded')
    await server.later(HOUR)
    assert.equal(await (await fetch(`${server.url}/public/s/${token}`)).text(), key)
    assert.equal((await client.getOwnAgent()).used_this_hour.read_bytes, 10)
  })

  itOnce('has limits by default, and null is none', async () => {
    const bucket = await bucketWith()
    const { budget, approval } = await agentOn(bucket)
    assert.deepEqual([budget.delete_objects_per_hour, budget.change_objects_per_hour], [100, 1000])
    assert.deepEqual(approval, { actions: ['share'], above_objects: null, above_bytes: null })
    const free = await agentOn(bucket, { budget: { delete_objects_per_hour: null } })
    assert.equal(free.budget.delete_objects_per_hour, null)
    assert.deepEqual(free.scope, [{ bucket, prefix: '', actions: [...ALL] }])
  })
})
