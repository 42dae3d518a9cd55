import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CopyObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { outcome } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { agentsWorld, codeOf } from './agents.ts'

describeEngines('what an approval is about', (engine, _itOnce, _itStored, itRaced) => {
  const world = agentsWorld(engine)
  const { bucketWith, agentOn, keysOf, ended } = world
  const idOf = async (call: Promise<unknown>): Promise<string> => {
    const { problem } = await rejectsWith(call, 'approval_required')
    return String((problem as unknown as { approval_id: string }).approval_id)
  }
  /** Approves what a call asks for. */
  const approved = async (call: Promise<unknown>) => {
    const id = await idOf(call)
    await world.server.admin.approve({ params: { id } })
    return id
  }

  it('is all of a link: its password, its limits, its texts and how long it lasts', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const { client } = await agentOn(bucket)
    const asked = {
      kind: 'object',
      bucket,
      key: 'a/1',
      expires_in: '7d',
      password: 'correct',
      max_downloads: 3,
    } as const
    const create = (change: object = {}) => client.createShare({ body: { ...asked, message: 'Hello', ...change } })
    const id = await approved(create())
    const { actions } = await server.admin.getApproval({ params: { id } })
    const { has_password, max_downloads, expires_in, message } = actions[0]?.details ?? {}
    assert.deepEqual([has_password, max_downloads, expires_in, message], [true, 3, 7 * 24 * 3600, 'Hello'])
    assert.ok(!JSON.stringify(actions).includes('correct'))
    await server.records(
      [...Array(6)].map(() => ({ action: 'approval_request' as const })),
      async () => {
        for (const other of [
          { password: 'another' },
          { password: undefined },
          { max_downloads: undefined },
          { expires_in: 'never' },
          { message: 'Something else' },
          { filename: 'other.txt' },
        ])
          assert.equal(await codeOf(create(other)), 'approval_required')
      },
    )
    const { token, id: share } = await server.records([{ action: 'share_create', bucket, key: 'a/1' }], create)
    server.secrets.add(token)
    // A change of it is another question, and one that can be answered.
    const extend = (expires_in: string) => client.updateShare({ params: { id: share }, body: { expires_in } })
    await approved(extend('30d'))
    server.clock.advance(1000)
    assert.equal(await codeOf(extend('31d')), 'approval_required')
    await server.records([{ action: 'share_update', bucket, key: 'a/1' }], () => extend('30d'))
  })

  it('is all of an object, also what no record has', async () => {
    const bucket = await bucketWith('a/1')
    const { s3 } = await agentOn(bucket, { approval: { actions: ['write'] } })
    const put = (more: object = {}) =>
      s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'new', Body: 'one', Metadata: { a: '1' }, ...more }))
    assert.equal(await outcome(put()), 'ApprovalRequired')
    const [asked] = (await world.server.admin.listApprovals({ query: { status: 'waiting' } })).items
    await world.server.admin.approve({ params: { id: asked?.id ?? '' } })
    for (const other of [
      { Metadata: { a: '2' } },
      { Body: 'two' },
      { Tagging: 'a=1' },
      { CacheControl: 'no-cache' },
      { ContentType: 'text/html' },
    ])
      assert.equal(await outcome(put(other)), 'ApprovalRequired')
    const copy = new CopyObjectCommand({ Bucket: bucket, Key: 'new', CopySource: `${bucket}/a/1` })
    assert.equal(await outcome(s3.send(copy)), 'ApprovalRequired')
    assert.deepEqual(await keysOf(bucket), ['a/1'])
    assert.equal(await outcome(put()), 'ok')
    assert.equal(await outcome(put()), 'ApprovalRequired')
  })

  it('is what a job would touch: if that is something else, it asks again', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2', 'b/1')
    const { client } = await agentOn(bucket, { approval: { actions: ['delete', 'write'] } })
    const remove = { kind: 'delete', source_bucket: bucket, prefix: 'a/' } as const
    const start = () => client.createJob({ body: remove })
    const id = await approved(start())
    const { objects, bytes, actions } = await server.admin.getApproval({ params: { id } })
    assert.deepEqual([objects, bytes], [2, 6])
    assert.deepEqual(
      actions.map(({ action, key }) => [action, key]),
      [
        ['job', 'a/'],
        ['delete', 'a/1'],
        ['delete', 'a/2'],
      ],
    )
    for (const change of [
      () => server.admin.putObject({ params: { bucket, key: 'a/3' }, body: 'new' }),
      () => server.admin.putObject({ params: { bucket, key: 'a/1' }, body: 'a/1' }),
      () => server.admin.updateObject({ params: { bucket, key: 'a/2' }, body: { tags: { keep: 'yes' } } }),
      () => server.admin.deleteObject({ params: { bucket, key: 'a/3' } }),
    ]) {
      await change()
      await approved(start())
    }
    // Elsewhere in the bucket, things may change.
    await server.admin.putObject({ params: { bucket, key: 'b/1' }, body: 'b' })
    assert.equal((await ended((await start()).id)).status, 'succeeded')
    assert.deepEqual(await keysOf(bucket), ['b/1'])
    // What a copy would overwrite counts as well.
    const copy = () =>
      client.createJob({ body: { kind: 'copy', source_bucket: bucket, prefix: 'b/', dest_prefix: 'c/' } })
    await approved(copy())
    await server.admin.putObject({ params: { bucket, key: 'c/1' }, body: 'mine' })
    assert.equal(await codeOf(copy()), 'approval_required')
    assert.equal(
      Buffer.from(await (await server.admin.getObject({ params: { bucket, key: 'c/1' } })).bytes()).toString(),
      'mine',
    )
  })

  it('is what a job lists: what changed between the approved request and its list, it leaves alone', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const { client } = await agentOn(bucket, { approval: { actions: ['delete'] } })
    const start = () => client.createJob({ body: { kind: 'delete', source_bucket: bucket, prefix: 'a/' } })
    await approved(start())
    const { id } = await start()
    // As if it had been approved of other objects.
    const { status } = await ended(id)
    assert.equal(status, 'succeeded')
    const row = await server.database.db
      .selectFrom('jobs')
      .select('request')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const request = JSON.stringify({ ...JSON.parse(row.request), approved: 'of something else' })
    await server.admin.putObject({ params: { bucket, key: 'a/1' }, body: 'a/1' })
    const again = {
      status: 'queued' as const,
      request,
      listed_at: null,
      listed_to: null,
      total: 0,
      position: 0,
      done: 0,
    }
    await server.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({ ...again, finished_at: null, runner: null })
        .where('id', '=', id)
        .execute(),
    )
    await server.running.tick('jobs')
    const failed = await ended(id)
    assert.equal(failed.status, 'failed')
    assert.match(failed.detail ?? '', /changed since it was approved/)
    assert.deepEqual(await keysOf(bucket), ['a/1'])
  })

  itRaced('is used once, and of the objects that it was about, whoever changes them at the same time', async () => {
    const { server } = world
    for (let round = 0; round < 8; round++) {
      const bucket = await bucketWith('a/1')
      const { client } = await agentOn(bucket, { approval: { actions: ['delete'] } })
      const remove = () => client.deleteObject({ params: { bucket, key: 'a/1' } })
      await approved(remove())
      const [first, second] = await Promise.all([
        codeOf(remove()),
        codeOf(remove()),
        server.admin.putObject({ params: { bucket, key: 'a/1' }, body: 'of a user' }),
      ])
      assert.ok([first, second].filter((one) => one === 'ok').length <= 1)
      const { items } = await server.admin.listTrash({ params: { bucket } })
      for (const { reason, size } of items) if (reason === 'deleted') assert.equal(size, 3)
    }
  })
})
