import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { outcome } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { agentsWorld, codeOf, HOUR } from './agents.ts'

const DAY = 24 * HOUR

describeEngines('approval of what agents ask for', (engine, itOnce) => {
  const world = agentsWorld(engine)
  const { bucketWith, agentOn, keysOf, ended } = world
  const idOf = async (call: Promise<unknown>): Promise<string> => {
    const { problem } = await rejectsWith(call, 'approval_required')
    return String((problem as unknown as { approval_id: string }).approval_id)
  }

  it('a share link waits for a person, and is made once, as it was asked for', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const { client } = await agentOn(bucket)
    const share = () => client.createShare({ body: { kind: 'object', bucket, key: 'a/1' } })
    const id = await server.records([{ action: 'approval_request' }], () => idOf(share()))
    // Asked again, it is the same that waits.
    assert.equal(await server.records([], () => idOf(share())), id)
    assert.deepEqual(
      (await server.admin.listShares()).items.filter((one) => one.bucket === bucket),
      [],
    )
    const waiting = await client.getApproval({ params: { id } })
    assert.deepEqual([waiting.status, waiting.reason], ['waiting', 'share'])
    assert.deepEqual(
      waiting.actions.map(({ action, key, details }) => [action, key, details.kind]),
      [['share_create', 'a/1', 'object']],
    )
    assert.equal((await client.getOwnAgent()).waiting, 1)
    assert.equal(await codeOf(client.approve({ params: { id } })), 'forbidden')
    await server.records([{ action: 'approval_approve' }], () => server.admin.approve({ params: { id } }))
    // Another request is another question.
    const other = () => client.createShare({ body: { kind: 'folder', bucket, prefix: 'a/' } })
    assert.notEqual(await idOf(other()), id)
    const { token } = await server.records([{ action: 'share_create', bucket, key: 'a/1' }], share)
    server.secrets.add(token)
    assert.equal((await client.getApproval({ params: { id } })).status, 'done')
    assert.notEqual(await idOf(share()), id)
    await rejectsWith(server.admin.approve({ params: { id } }), 'conflict')
  })

  it('counts for both fronts, and not if an object has changed since', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2')
    const { client, s3 } = await agentOn(bucket, { approval: { actions: ['delete'] } })
    const del = (Key: string) => outcome(s3.send(new DeleteObjectCommand({ Bucket: bucket, Key })))
    assert.equal(await del('a/1'), 'ApprovalRequired')
    const [asked] = (await client.listApprovals({ query: { status: 'waiting' } })).items
    await server.admin.approve({ params: { id: asked?.id ?? '' } })
    await server.admin.putObject({ params: { bucket, key: 'a/1' }, body: 'a/1' })
    assert.equal(await del('a/1'), 'ApprovalRequired')
    const [again] = (await client.listApprovals({ query: { status: 'waiting' } })).items
    assert.notEqual(again?.id, asked?.id)
    await server.admin.approve({ params: { id: again?.id ?? '' } })
    assert.equal(await del('a/2'), 'ApprovalRequired')
    assert.equal(await del('a/1'), 'ok')
    assert.deepEqual(await keysOf(bucket), ['a/2'])
  })

  it('is asked for above a number of objects or bytes, and for jobs', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2', 'a/3')
    const { client } = await agentOn(bucket, { approval: { actions: [], above_objects: 2, above_bytes: 100 } })
    const all = { params: { bucket }, body: { keys: ['a/1', 'a/2', 'a/3'] } }
    await client.bulkDelete({ params: { bucket }, body: { keys: ['a/1'] } })
    await client.putObject({ params: { bucket, key: 'a/1' }, body: 'a/1' })
    const id = await idOf(client.bulkDelete(all))
    const { reason, objects, bytes, actions } = await server.admin.getApproval({ params: { id } })
    assert.deepEqual([reason, objects, bytes, actions.length], ['above_objects', 3, 9, 3])
    assert.deepEqual(await keysOf(bucket), ['a/1', 'a/2', 'a/3'])
    const large = client.putObject({ params: { bucket, key: 'large' }, body: 'x'.repeat(101) })
    assert.equal((await server.admin.getApproval({ params: { id: await idOf(large) } })).reason, 'above_bytes')
    const body = { kind: 'delete', source_bucket: bucket, prefix: 'a/' } as const
    const job = await idOf(client.createJob({ body }))
    await server.admin.approve({ params: { id: job } })
    assert.equal(await codeOf(client.createJob({ body: { ...body, prefix: '' } })), 'approval_required')
    const { id: started } = await client.createJob({ body })
    assert.equal((await ended(started)).status, 'succeeded')
    assert.deepEqual(await keysOf(bucket), [])
    assert.equal(await codeOf(client.createJob({ body })), 'approval_required')
  })

  it('a copy beside what is there is another request than one over it', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'b/1')
    const { client } = await agentOn(bucket, { approval: { actions: ['write'] } })
    const over = { kind: 'copy', source_bucket: bucket, prefix: 'a/', dest_prefix: 'b/' } as const
    const beside = { ...over, keep_both: true }
    const id = await idOf(client.createJob({ body: beside }))
    await server.admin.approve({ params: { id } })
    assert.equal(await codeOf(client.createJob({ body: over })), 'approval_required')
    assert.equal((await ended((await client.createJob({ body: beside })).id)).status, 'succeeded')
    assert.deepEqual(await keysOf(bucket), ['a/1', 'b/1', 'b/1 (1)'])

    // Of one object the key that it gets is approved as well.
    const copy = () =>
      client.copyObject({
        params: { bucket },
        body: { source_bucket: bucket, source_key: 'a/1', dest_key: 'b/1', keep_both: true },
      })
    const asked = await idOf(copy())
    const { actions } = await server.admin.getApproval({ params: { id: asked } })
    assert.deepEqual(
      actions.map(({ action, key }) => [action, key]),
      [['copy', 'b/1 (2)']],
    )
    await server.admin.approve({ params: { id: asked } })
    await server.admin.putObject({ params: { bucket, key: 'b/1 (2)' }, body: 'taken meanwhile' })
    const next = await idOf(copy())
    assert.notEqual(next, asked)
    await server.admin.approve({ params: { id: next } })
    assert.equal((await copy()).key, 'b/1 (3)')
  })

  it('is refused by its maker or an administrator, who alone know of it', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const maker = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['read', 'share'] }))
    const other = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['read', 'share'] }))
    const { client } = await agentOn(bucket, {}, maker)
    const share = () => client.createShare({ body: { kind: 'object', bucket, key: 'a/1' } })
    const id = await idOf(share())
    assert.equal(await codeOf(other.getApproval({ params: { id } })), 'not_found')
    assert.equal(await codeOf(other.approve({ params: { id } })), 'not_found')
    assert.deepEqual((await other.listApprovals()).items, [])
    await server.records([{ action: 'approval_reject' }], () => maker.reject({ params: { id } }))
    await server.records([{ action: 'access_denied', result: 'denied' }], () => rejectsWith(share(), 'forbidden'))
    server.clock.advance(DAY)
    await server.later(0)
    assert.notEqual(await idOf(share()), id)
  })

  itOnce('is over after a week without a decision, and a day after one', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const { client } = await agentOn(bucket)
    const share = () => client.createShare({ body: { kind: 'object', bucket, key: 'a/1' } })
    const first = await idOf(share())
    await server.later(7 * DAY)
    assert.equal((await server.admin.getApproval({ params: { id: first } })).status, 'expired')
    await rejectsWith(server.admin.approve({ params: { id: first } }), 'conflict')
    const second = await idOf(share())
    await server.admin.approve({ params: { id: second } })
    await server.later(DAY)
    assert.notEqual(await idOf(share()), second)
    await server.later(31 * DAY)
    await server.running.tick('approval-expiry')
    assert.equal(await codeOf(server.admin.getApproval({ params: { id: first } })), 'not_found')
  })
})
