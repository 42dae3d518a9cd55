import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { AGENT_TOKEN_PATTERN } from '../../contract/agents.ts'
import { hashSecret } from '../../server/secrets/sign.ts'
import { outcome } from '../s3/s3.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines } from '../support/server.ts'
import { ALL, agentsWorld, codeOf, HOUR } from './agents.ts'

describeEngines('agents', (engine, itOnce) => {
  const world = agentsWorld(engine)
  const { bucketWith, agentOn, keysOf, ended } = world

  it('are made by a person, whose token is shown once and never kept', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const made = await server.records([{ action: 'agent_create' }], () => agentOn(bucket))
    assert.match(made.token, new RegExp(`^${AGENT_TOKEN_PATTERN}$`))
    assert.equal(made.token.slice(0, 14), made.token_prefix)
    assert.match(made.access_key_id, /^STRA[A-Z2-7]{16}$/)
    const row = await server.database.db
      .selectFrom('agents')
      .select('token_hash')
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow()
    assert.equal(row.token_hash, hashSecret(made.token))
    const { items } = await server.admin.listAgents({ query: { limit: 1 } })
    assert.deepEqual(items, [await server.admin.getAgent({ params: { id: made.id } })])
    assert.deepEqual(await made.client.getOwnAgent(), items[0])
    assert.deepEqual([items[0]?.status, items[0]?.waiting, items[0]?.email], ['active', 0, 'admin@example.com'])
    const { items: records } = await server.admin.listAudit({
      query: { action: ['agent_create'], resource_id: made.id },
    })
    assert.equal(records[0]?.details.token_prefix, made.token_prefix)
  })

  it('do by both fronts what their scope says, as their maker, and are recorded', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'b/1')
    const { client, s3, id } = await agentOn(bucket, {
      scope: [{ bucket, prefix: 'a/', actions: ['list', 'read', 'write'] }],
    })
    await client.putObject({ params: { bucket, key: 'a/2' }, body: 'x' })
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'a/' }))
    assert.deepEqual(
      Contents?.map(({ Key }) => Key),
      ['a/1', 'a/2'],
    )
    for (const refused of [
      () => client.getObject({ params: { bucket, key: 'b/1' } }),
      () => client.deleteObject({ params: { bucket, key: 'a/1' } }),
      () => client.createShare({ body: { kind: 'object', bucket, key: 'a/1' } }),
      () => client.createAgent({ body: { name: 'more', scope: [{ bucket, actions: ['read'] }] } }),
      () => client.createToken({ body: { name: 'more' } }),
      () => client.listUsers(),
    ])
      assert.equal(await codeOf(refused()), 'forbidden')
    assert.equal(await outcome(s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a/1' }))), 'AccessDenied')
    const { items } = await server.admin.listAudit({
      query: { token_id: id, auth_method: 'agent', action: ['upload'] },
    })
    assert.deepEqual(
      items.map(({ object_key, actor }) => [object_key, actor.email]),
      [['a/2', 'admin@example.com']],
    )
  })

  it('never may more than their maker, at each request', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'b/1')
    const maker = server.as(await server.userWith({ bucket_pattern: bucket, prefix: 'a/', actions: ['list', 'read'] }))
    const { client } = await agentOn(bucket, {}, maker)
    const read = (key: string) => codeOf(client.getObject({ params: { bucket, key } }))
    assert.deepEqual([await read('a/1'), await read('b/1')], ['ok', 'forbidden'])
    assert.equal(await codeOf(client.deleteObject({ params: { bucket, key: 'a/1' } })), 'forbidden')
    const { groups, id } = await maker.me()
    await server.admin.updateGroup({ params: { id: groups[0]?.id ?? '' }, body: { grants: [] } })
    assert.equal(await read('a/1'), 'forbidden')
    await server.admin.updateUser({ params: { id }, body: { is_active: false } })
    assert.equal(await read('a/1'), 'unauthenticated')
  })

  it('stop within one request when they are revoked, with their jobs, links and URLs', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const { client, s3, id } = await agentOn(bucket, { approval: { actions: [] } })
    const params = { bucket, key: 'a/1' }
    const { url } = await client.presignObject({ params: { bucket }, body: { key: 'a/1' } })
    const signed = url.replace(/^.*\/api/, `${server.url}/api`)
    const { token } = await client.createShare({ body: { kind: 'object', ...params } })
    server.secrets.add(token)
    const statuses = async () => [(await fetch(signed)).status, (await fetch(`${server.url}/public/s/${token}`)).status]
    assert.deepEqual(await statuses(), [200, 200])
    await server.records([{ action: 'agent_revoke' }], () => server.admin.revokeAgent({ params: { id } }))
    assert.equal(await codeOf(client.getObject({ params })), 'unauthenticated')
    assert.equal(await outcome(s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'a/1' }))), 'InvalidAccessKeyId')
    assert.deepEqual(await statuses(), [403, 410])
    await rejectsWith(server.admin.revokeAgent({ params: { id } }), 'not_found')
    assert.equal((await server.admin.getAgent({ params: { id } })).status, 'revoked')
  })

  it('end at their time', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const expires_at = new Date(server.clock.now().getTime() + HOUR).toISOString()
    const { client } = await agentOn(bucket, { expires_at })
    const read = () => codeOf(client.getObject({ params: { bucket, key: 'a/1' } }))
    server.clock.advance(HOUR - 1)
    assert.equal(await read(), 'ok')
    server.clock.advance(1)
    assert.equal(await read(), 'unauthenticated')
    await server.later(0)
    await rejectsWith(
      server.admin.createAgent({ body: { name: 'x', scope: [{ bucket, actions: ['read'] }], expires_at } }),
      'invalid_request',
      'body.expires_at',
    )
  })

  it('are changed from the next request on', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'b/1')
    const { client, id } = await agentOn(bucket, { budget: { read_bytes: 100 } })
    const change = {
      name: 'reader',
      scope: [{ bucket, prefix: 'b/', actions: ['read' as const] }],
      budget: { delete_objects: 0 },
    }
    const after = await server.records([{ action: 'agent_update' }], () =>
      server.admin.updateAgent({ params: { id }, body: change }),
    )
    assert.deepEqual([after.name, after.budget.read_bytes, after.budget.delete_objects], ['reader', 100, 0])
    assert.equal(await codeOf(client.getObject({ params: { bucket, key: 'a/1' } })), 'forbidden')
    assert.equal(await codeOf(client.getObject({ params: { bucket, key: 'b/1' } })), 'ok')
    const { items } = await server.admin.listAudit({ query: { action: ['agent_update'], resource_id: id } })
    assert.deepEqual(Object.keys(items[0]?.details.after as object).sort(), ['budget', 'name', 'scope'])
  })

  it('delete nothing for good', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1', 'a/2')
    const { client, s3 } = await agentOn(bucket)
    await client.deleteObject({ params: { bucket, key: 'a/1' } })
    const [trashed] = (await client.listTrash({ params: { bucket } })).items
    const denied = { action: 'access_denied', result: 'denied' } as const
    assert.notEqual(trashed, undefined)
    const purge = client.purgeTrash({ params: { bucket }, body: { ids: [trashed?.id ?? ''] } })
    assert.notEqual(await codeOf(purge.then(({ purged }) => assert.equal(purged, 0))), 'internal')
    assert.equal((await client.listTrash({ params: { bucket } })).items.length, 1)
    await server.admin.updateBucket({ params: { bucket }, body: { trash_days: 0 } })
    await server.records([denied, denied], async () => {
      await rejectsWith(client.deleteObject({ params: { bucket, key: 'a/2' } }), 'forbidden')
      await rejectsWith(client.putObject({ params: { bucket, key: 'a/2' }, body: 'other' }), 'forbidden')
    })
    assert.equal(await outcome(s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a/2' }))), 'AccessDenied')
    assert.deepEqual(await keysOf(bucket), ['a/2'])
    await client.putObject({ params: { bucket, key: 'a/3' }, body: 'new' })
  })

  it('are undone whole, whatever way they came', async () => {
    const { server } = world
    const keys = Array.from({ length: 12 }, (_, i) => `k${i}`)
    const bucket = await bucketWith(...keys)
    server.clock.advance(1000)
    const to = server.clock.now().toISOString()
    server.clock.advance(1000)
    const { client, s3, id } = await agentOn(bucket)
    const params = { bucket }
    await client.putObject({ params: { bucket, key: 'k0' }, body: 'spoilt' })
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k1' }))
    await client.moveObject({ params, body: { source_bucket: bucket, source_key: 'k2', dest_key: 'elsewhere' } })
    const job = await client.createJob({ body: { kind: 'delete', source_bucket: bucket, keys: ['k3', 'k4'] } })
    await ended(job.id)
    await server.admin.putObject({ params: { bucket, key: 'of others' }, body: 'x' })
    await client.putObject({ params: { bucket, key: 'k5' }, body: 'both' })
    await server.admin.putObject({ params: { bucket, key: 'k5' }, body: 'theirs' })
    const undo = await server.admin.createJob({
      body: { kind: 'rollback', source_bucket: bucket, to, by: { agent: id } },
    })
    const { status, done, errors, by } = await ended(undo.id)
    assert.deepEqual([status, done, by], ['succeeded', 6, { agent: id }])
    assert.deepEqual(
      errors.map(({ key, code }) => [key, code]),
      [['k5', 'conflict']],
    )
    assert.deepEqual(await keysOf(bucket), [...keys, 'of others'].sort())
    for (const key of keys.filter((one) => one !== 'k5'))
      assert.equal(await (await server.admin.getObject({ params: { bucket, key } })).text(), key)
  })

  it('work on a fork, and cannot reach what it was made from', async () => {
    const { server } = world
    const bucket = await bucketWith('a/1')
    const { client, fork, scope } = await agentOn(bucket, { fork: { bucket } })
    assert.match(fork ?? '', new RegExp(`^${bucket}-agent-[a-z2-7]{8}$`))
    assert.deepEqual(scope, [{ bucket: fork, prefix: '', actions: [...ALL] }])
    await client.deleteObject({ params: { bucket: fork ?? '', key: 'a/1' } })
    assert.equal(await codeOf(client.deleteObject({ params: { bucket, key: 'a/1' } })), 'forbidden')
    assert.deepEqual(await keysOf(bucket), ['a/1'])
    await rejectsWith(
      server.admin.createAgent({ body: { name: 'x', scope: [{ bucket: '*', actions: ['read'] }], fork: { bucket } } }),
      'invalid_request',
      'body.scope.0.bucket',
    )
  })

  itOnce('must be well-formed; nothing is created otherwise', async () => {
    const { server } = world
    const scope = [{ bucket: 'photos', actions: ['read'] }]
    for (const [body, path] of [
      [{ name: 'x' }, 'body.scope'],
      [{ name: '', scope }, 'body.name'],
      [{ name: 'x', scope: [] }, 'body.scope'],
      [{ name: 'x', scope: [{ bucket: 'photos', actions: ['manage'] }] }, 'body.scope.0.actions.0'],
      [{ name: 'x', scope: [{ bucket: 'photos', actions: ['bypass_lock'] }] }, 'body.scope.0.actions.0'],
      [{ name: 'x', scope, budget: { delete_objects: -1 } }, 'body.budget.delete_objects'],
      [{ name: 'x', scope, budget: { lines: 1 } }, 'body.budget.lines'],
      [{ name: 'x', scope, approval: { actions: ['read'] } }, 'body.approval.actions.0'],
      [{ name: 'x', scope, expires_at: 'tomorrow' }, 'body.expires_at'],
    ] as const)
      await server.records([], async () => {
        const { status, json } = await request({
          url: server.url,
          path: '/api/v1/agents',
          method: 'POST',
          token: server.adminToken,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        const problem = json<{ code: string; errors: { path: string }[] }>()
        assert.deepEqual([status, problem.code, problem.errors[0]?.path], [422, 'invalid_request', path])
      })
  })

  itOnce('share nothing by a signed URL that would need approval as a link', async () => {
    const bucket = await bucketWith('a/1')
    const { client, s3 } = await agentOn(bucket)
    assert.equal(await codeOf(client.presignObject({ params: { bucket }, body: { key: 'a/1' } })), 'forbidden')
    assert.equal(await codeOf(client.presignObject({ params: { bucket }, body: { key: 'a/2', method: 'PUT' } })), 'ok')
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'a/1' }))
    assert.equal((await fetch(url)).status, 403)
  })
})
