import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { outcome } from '../s3/s3.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'
import { ALL, agentsWorld, codeOf, HOUR } from './agents.ts'

describeEngines('ways around the limits of agents', (engine) => {
  const world = agentsWorld(engine)
  const { bucketWith, agentOn, keysOf } = world
  const at = (url: string) => url.replace(/^.*\/api/, `${world.server.url}/api`)
  const NOTHING = { change_objects: 0, change_bytes: 0, delete_objects: 0, delete_bytes: 0, read_bytes: 0 }

  it('parts of uploads count as they arrive, and their object not again', async () => {
    const { server } = world
    const bucket = await bucketWith()
    const { client } = await agentOn(bucket, { budget: { change_bytes: 20 } })
    const body = { key: 'new', file_size: 10 }
    const { upload_id, urls } = await client.initUpload({ params: { bucket }, body })
    const put = (url: string | undefined, text: string) => fetch(at(url ?? ''), { method: 'PUT', body: text })
    const part = await put(urls[0], '0123456789')
    assert.equal(part.status, 200)
    assert.deepEqual((await client.getOwnAgent()).used_in_all, { ...NOTHING, change_bytes: 10 })
    const { etag } = (await part.json()) as { etag: string }
    await server.records([{ action: 'upload', bucket, key: 'new' }], () =>
      client.completeUpload({ params: { bucket }, body: { upload_id, parts: [{ part_number: 1, etag }] } }),
    )
    assert.deepEqual((await client.getOwnAgent()).used_in_all, { ...NOTHING, change_objects: 1, change_bytes: 10 })
    // Parts that no object is made of fill the storage as well.
    const second = await client.initUpload({ params: { bucket }, body })
    assert.equal((await put(second.urls[0], '0123456789')).status, 200)
    await client.abortUpload({ params: { bucket }, body: { upload_id: second.upload_id } })
    const third = await client.initUpload({ params: { bucket }, body })
    const refused = await put(third.urls[0], '0123456789')
    assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [429, 'budget_exceeded'])
    assert.equal((await client.getUpload({ params: { bucket, upload_id: third.upload_id } })).received_parts, 0)
  })

  it('uploads of others are not theirs to end, to see, or to send to', async () => {
    const { server } = world
    const bucket = await bucketWith()
    const { client, s3 } = await agentOn(bucket)
    const { upload_id } = await server.admin.initUpload({ params: { bucket }, body: { key: 'k', file_size: 1 } })
    await server.records([], async () => {
      const params = { bucket }
      assert.equal(await codeOf(client.abortUpload({ params, body: { upload_id } })), 'not_found')
      assert.equal(await codeOf(client.getUpload({ params: { bucket, upload_id } })), 'not_found')
      assert.deepEqual((await client.listUploads({ params })).items, [])
      const of = { Bucket: bucket, Key: 'k', UploadId: upload_id }
      assert.equal(await outcome(s3.send(new AbortMultipartUploadCommand(of))), 'NoSuchUpload')
      assert.equal(await outcome(s3.send(new UploadPartCommand({ ...of, PartNumber: 1, Body: 'x' }))), 'NoSuchUpload')
      assert.deepEqual((await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? [], [])
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'mine' }))
      const { Uploads } = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
      assert.deepEqual(
        Uploads?.map((one) => one.UploadId),
        [UploadId],
      )
      await s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: 'mine', UploadId }))
    })
    assert.equal((await server.admin.getUpload({ params: { bucket, upload_id } })).received_parts, 0)
  })

  it('a move deletes what was at its source', async () => {
    const bucket = await bucketWith('a', 'b')
    const { client } = await agentOn(bucket, { budget: { delete_objects: 1 } })
    const move = (source_key: string) =>
      client.moveObject({
        params: { bucket },
        body: { source_bucket: bucket, source_key, dest_key: `to-${source_key}` },
      })
    await move('a')
    assert.equal(await codeOf(move('b')), 'budget_exceeded')
    assert.deepEqual(await keysOf(bucket), ['b', 'to-a'])
    const { used_in_all } = await client.getOwnAgent()
    assert.deepEqual(used_in_all, {
      ...NOTHING,
      change_objects: 1,
      change_bytes: 1,
      delete_objects: 1,
      delete_bytes: 1,
    })
  })

  it('limits count as they are when a change is made, not as they were when its request came', async () => {
    const { server } = world
    const bucket = await bucketWith()
    /** Sends an object; `meanwhile` runs once its first bytes have arrived. */
    async function put(token: string, key: string, meanwhile: () => Promise<unknown>): Promise<string> {
      const asked = Promise.withResolvers<void>()
      const rest = Promise.withResolvers<void>()
      async function* body() {
        yield Buffer.from('one')
        asked.resolve()
        await rest.promise
        yield Buffer.from('two')
      }
      const sending = fetch(`${server.url}/api/v1/buckets/${bucket}/objects/${key}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
        body: Readable.toWeb(Readable.from(body())),
        duplex: 'half',
      } as RequestInit)
      await asked.promise
      await until(async () => (await server.admin.getBucket({ params: { bucket } })).name === bucket)
      await meanwhile()
      rest.resolve()
      const answer = await sending
      return answer.ok ? 'ok' : ((await answer.json()) as { code: string }).code
    }
    const made = await agentOn(bucket)
    const change = (body: object) => server.admin.updateAgent({ params: { id: made.id }, body })
    assert.equal(await put(made.token, 'a', () => change({ budget: { change_bytes: 5 } })), 'budget_exceeded')
    assert.equal(await put(made.token, 'a', () => change({ budget: { change_bytes: null } })), 'ok')
    assert.equal(await put(made.token, 'b', () => change({ approval: { actions: ['write'] } })), 'approval_required')
    assert.equal(
      await put(made.token, 'b', () => server.admin.revokeAgent({ params: { id: made.id } })),
      'unauthenticated',
    )
    assert.deepEqual(await keysOf(bucket), ['a'])
  })

  it('gives no object an ACL', async () => {
    const bucket = await bucketWith()
    const { s3 } = await agentOn(bucket)
    const put = new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'a', ACL: 'public-read' })
    assert.notEqual(await outcome(s3.send(put)), 'ok')
    assert.deepEqual(await keysOf(bucket), [])
  })

  it('what comes through its links is its own: for the log, and for a rollback', async () => {
    const { server } = world
    const bucket = await bucketWith('in/mine')
    const { client, id } = await agentOn(bucket, { approval: { actions: [] } })
    const { token } = await client.createShare({ body: { kind: 'upload', bucket, prefix: 'in/' } })
    server.secrets.add(token)
    const to = server.clock.now().toISOString()
    server.clock.advance(1000)
    const sent = await fetch(`${server.url}/public/s/${token}/new.txt`, { method: 'PUT', body: 'x' })
    assert.ok(sent.ok, await sent.text())
    const { items } = await server.admin.listAudit({ query: { action: ['upload'], token_id: id } })
    assert.deepEqual(
      items.map(({ object_key, auth_method }) => [object_key, auth_method]),
      [['in/new.txt', 'share_link']],
    )
    const body = { kind: 'rollback', source_bucket: bucket, to, by: { agent: id } } as const
    const job = await server.admin.createJob({ body })
    await until(async () => (await server.admin.getJob({ params: { id: job.id } })).finished_at !== null)
    assert.deepEqual(await keysOf(bucket), ['in/mine'])
  })

  it('its fork ends when it does, and is not made without it', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const end = (hours: number) => new Date(server.clock.now().getTime() + hours * HOUR).toISOString()
    const made = await agentOn(bucket, { fork: { bucket }, expires_at: end(1) })
    const fork = made.fork ?? ''
    const endOf = async () => (await server.admin.getBucket({ params: { bucket: fork } })).fork?.expires_at
    assert.equal(await endOf(), made.expires_at)
    const params = { id: made.id }
    await server.records([{ action: 'update_bucket', bucket: fork }, { action: 'agent_update' }], () =>
      server.admin.updateAgent({ params, body: { expires_at: end(5) } }),
    )
    assert.equal(await endOf(), end(5))
    await server.records([{ action: 'agent_update' }], () =>
      server.admin.updateAgent({ params, body: { name: 'other' } }),
    )
    await server.records([{ action: 'update_bucket', bucket: fork }, { action: 'agent_update' }], () =>
      server.admin.updateAgent({ params, body: { expires_at: null } }),
    )
    assert.equal(await endOf(), null)
    // The fiftieth is the last one.
    const maker = server.as(await server.userWith({ bucket_pattern: '*', actions: ['list', 'read', 'create'] }))
    const scope = [{ bucket, actions: ['read' as const] }]
    for (let i = 0; i < 50; i++) {
      const { token, secret_access_key } = await maker.createAgent({ body: { name: 'x', scope } })
      server.secrets.add(token).add(secret_access_key)
    }
    await server.records([], () =>
      rejectsWith(maker.createAgent({ body: { name: 'x', scope, fork: { bucket } } }), 'limit_reached'),
    )
    assert.deepEqual(
      (await server.admin.listBuckets()).items
        .filter(({ name }) => name.startsWith(`${bucket}-agent-`))
        .map(({ name }) => name),
      [fork],
    )
    assert.deepEqual(made.scope, [{ bucket: fork, prefix: '', actions: [...ALL] }])
  })
})
