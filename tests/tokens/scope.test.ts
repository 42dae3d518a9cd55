import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { type BucketAction, bucketActions } from '../../contract/permissions.ts'
import type { NewScope } from '../../contract/tokens.ts'
import { newId } from '../../server/base/id.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { tokensWorld } from './tokens.ts'

const all: BucketAction[] = [...bucketActions]
const readOnly: BucketAction[] = ['list', 'read']
const denied = { action: 'access_denied', result: 'denied' } as const

describeEngines('tokens with a scope', (engine, itOnce) => {
  const world = tokensWorld(engine)
  const { send, person, keepSecret, rotate, listed } = world
  let server: TestServer
  before(() => {
    server = world.server
  })

  const limited = async (by: Client, ...scope: NewScope) => {
    const made = await by.createToken({ body: { name: 'limited', scope } })
    keepSecret(made.token)
    return { ...made, client: server.as(made.token) }
  }
  const bucketWith = async (...keys: string[]) => {
    const { name: bucket } = await server.admin.createBucket({ body: { name: `s-${newId().slice(-12)}` } })
    for (const key of keys) await server.admin.putObject({ params: { bucket, key }, body: key })
    return bucket
  }
  const keysOf = async (bucket: string) =>
    (await server.admin.listObjects({ params: { bucket } })).items.map(({ key }) => key)

  it('is kept as it was asked for, and recorded', async () => {
    const { client, id } = await person({ bucket_pattern: '*', actions: all })
    const whole = { bucket: 'photos', prefix: '', actions: readOnly }
    const made = await server.records([{ action: 'token_create' }], () =>
      limited(client, { bucket: 'photos', actions: readOnly }),
    )
    const { items } = await server.admin.listAudit({ query: { action: ['token_create'], resource_id: made.id } })
    assert.deepEqual(items[0]?.details.scope, [whole])
    assert.deepEqual(made.scope, [whole])
    assert.deepEqual((await listed(client, made.id))?.scope, [whole])
    assert.deepEqual((await rotate(client, made.id)).scope, [whole])
    assert.deepEqual((await server.admin.listUserTokens({ params: { id } })).items[0]?.scope, [whole])
    for (const body of [{ name: 'all' }, { name: 'all', scope: null }]) {
      const free = await client.createToken({ body })
      keepSecret(free.token)
      assert.equal(free.scope, null)
      assert.equal((await server.as(free.token).me()).scope, null)
    }
  })

  itOnce('must be well-formed; nothing is created otherwise', async () => {
    const { client, jwt } = await person()
    for (const [scope, path] of [
      [[], 'body.scope'],
      ['photos', 'body.scope'],
      [[{ bucket: 'photos', actions: [] }], 'body.scope.0.actions'],
      [[{ bucket: 'photos', actions: ['admin'] }], 'body.scope.0.actions.0'],
      [[{ bucket: '*photos', actions: readOnly }], 'body.scope.0.bucket'],
      [[{ bucket: 'photos', actions: readOnly, prefix: 'a\0' }], 'body.scope.0.prefix'],
      [[{ bucket: 'photos', actions: readOnly, more: 1 }], 'body.scope.0.more'],
      [Array.from({ length: 21 }, () => ({ bucket: 'photos', actions: readOnly })), 'body.scope'],
    ] as const)
      await server.records([], async () => {
        const { status, json } = await send('POST', '/tokens', jwt, { name: 'bad', scope })
        const problem = json<{ code: string; errors: { path: string }[] }>()
        assert.deepEqual([status, problem.code, problem.errors[0]?.path], [422, 'invalid_request', path])
      })
    assert.deepEqual((await client.listTokens()).items, [])
  })

  it('does what both it and its owner may do, and nothing else', async () => {
    const bucket = await bucketWith('a/1', 'b/1')
    const other = await bucketWith('a/1')
    const owner = await person({ bucket_pattern: 's-*', actions: all })
    const { client } = await limited(owner.client, { bucket, prefix: 'a/', actions: [...readOnly, 'manage'] })
    const read = (name: string, key: string) => client.getObject({ params: { bucket: name, key } })
    await server.records([], async () => {
      assert.equal(await (await read(bucket, 'a/1')).text(), 'a/1')
      assert.deepEqual(
        (await client.listBuckets()).items.map(({ name }) => name),
        [bucket],
      )
    })
    for (const refused of [
      () => read(bucket, 'b/1'),
      () => read(other, 'a/1'),
      () => client.putObject({ params: { bucket, key: 'a/2' }, body: 'x' }),
      () => client.deleteObject({ params: { bucket, key: 'a/1' } }),
      () => client.updateBucket({ params: { bucket }, body: { quota_gb: 1 } }),
      () => client.presignObject({ params: { bucket }, body: { key: 'b/1' } }),
      () => client.listUsers(),
    ])
      await server.records([denied], () => rejectsWith(refused(), 'forbidden'))
    const { id: group } = (await owner.client.me()).groups[0] ?? { id: '' }
    await server.admin.updateGroup({ params: { id: group }, body: { grants: [] } })
    await rejectsWith(read(bucket, 'a/1'), 'forbidden')
  })

  it('of an administrator has the permissions of its scope alone', async () => {
    const bucket = await bucketWith('a/1')
    const { client } = await limited(server.admin, { bucket, actions: all })
    const { is_admin, permissions, scope } = await client.me()
    assert.deepEqual(scope, [{ bucket, prefix: '', actions: all }])
    assert.deepEqual([is_admin, permissions.global], [false, []])
    assert.deepEqual(
      permissions.grants.map(({ grant_id, bucket_pattern, prefix }) => [grant_id, bucket_pattern, prefix]),
      [[null, bucket, '']],
    )
    await client.putObject({ params: { bucket, key: 'a/2' }, body: 'x' })
    const elsewhere = { params: { bucket: await bucketWith(), key: 'x' }, body: 'x' }
    for (const refused of [
      () => client.putObject(elsewhere),
      () => client.listUsers(),
      () => client.createBucket({ body: { name: `s-${newId().slice(-12)}` } }),
    ])
      await server.records([denied], () => rejectsWith(refused(), 'forbidden'))
  })

  it('is refused what is about the account: it cannot give itself more', async () => {
    const { client, id, jwt } = await person({ bucket_pattern: '*', actions: all })
    const { client: narrow, id: tokenId } = await limited(client, { bucket: 's-*', actions: all })
    for (const refused of [
      () => narrow.createToken({ body: { name: 'wider' } }),
      () => narrow.rotateToken({ params: { id: tokenId }, body: {} }),
      () => narrow.listTokens(),
      () => narrow.createAccessKey({ body: { name: 'wider' } }),
      () => narrow.listSessions(),
      () => narrow.updateMe({ body: { language: 'de' } }),
      () => narrow.explainPermission({ query: { action: 'read', bucket: 'elsewhere' } }),
    ])
      await server.records([denied], async () => {
        const { problem } = await rejectsWith(refused(), 'forbidden')
        assert.match(problem.detail, /scope/)
      })
    assert.equal((await server.as(jwt).listTokens()).items.length, 1)
    assert.deepEqual((await server.admin.listUserAccessKeys({ params: { id } })).items, [])
  })

  it('its scope holds for what it started or signed: jobs and URLs', async () => {
    const bucket = await bucketWith('a/1', 'a/2', 'b/1')
    const { client: owner } = await person({ bucket_pattern: 's-*', actions: all })
    const one = await limited(owner, { bucket, prefix: 'a/', actions: ['list', 'read', 'write', 'delete'] })
    const other = await limited(owner, { bucket, prefix: 'b/', actions: all })
    const own = await owner.createJob({ body: { kind: 'delete', source_bucket: bucket, prefix: 'none/' } })
    const job = await one.client.createJob({ body: { kind: 'empty_bucket', source_bucket: bucket } })
    const get = () => one.client.getJob({ params: { id: job.id } })
    await until(async () => (await get()).finished_at !== null)
    const over = await get()
    assert.deepEqual([over.status, over.done, over.failed], ['succeeded', 2, 0])
    assert.deepEqual(await keysOf(bucket), ['b/1'])
    const seen = async (by: Client) => (await by.listJobs()).items.map(({ id }) => id)
    assert.deepEqual(await seen(owner), [job.id, own.id])
    assert.deepEqual(await seen(one.client), [job.id])
    assert.deepEqual(await seen(other.client), [])
    for (const hidden of [
      () => other.client.getJob({ params: { id: job.id } }),
      () => one.client.cancelJob({ params: { id: own.id } }),
    ])
      await server.records([], () => rejectsWith(hidden(), 'not_found'))

    const signed = await other.client.presignObject({ params: { bucket }, body: { key: 'b/1' } })
    const { pathname } = new URL(signed.url)
    const open = () => fetch(`${server.url}${pathname}`)
    assert.equal(await (await open()).text(), 'b/1')
    await server.database.transaction((tx) =>
      tx
        .updateTable('tokens')
        .set({ scope: JSON.stringify([{ bucket, prefix: 'a/', actions: all }]) })
        .where('id', '=', other.id)
        .execute(),
    )
    assert.equal((await open()).status, 403)
  })

  it('shares what it may share, and sees those links only', async () => {
    const bucket = await bucketWith('a/1', 'b/1')
    const { client: owner } = await person({ bucket_pattern: 's-*', actions: all })
    const { client } = await limited(owner, { bucket, prefix: 'a/', actions: ['read', 'share'] })
    const outside = await owner.shareObject({ params: { bucket, key: 'b/1' } })
    const both = await owner.createShare({ body: { kind: 'selection', bucket, keys: ['a/1', 'b/1'] } })
    const inside = await owner.shareObject({ params: { bucket, key: 'a/1' } })
    const mine = await server.records([{ action: 'share_create', bucket }], () =>
      client.createShare({ body: { kind: 'folder', bucket, prefix: 'a/' } }),
    )
    await server.records([denied], () =>
      rejectsWith(client.createShare({ body: { kind: 'folder', bucket, prefix: '' } }), 'forbidden'),
    )
    const pages: string[][] = []
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await client.listShares({ query: { limit: 1, ...(cursor === undefined ? {} : { cursor }) } })
      pages.push(page.items.map(({ id }) => id))
      cursor = page.next_cursor ?? undefined
      more = cursor !== undefined
    }
    assert.deepEqual(pages, [[mine.id], [inside.id]])
    assert.equal((await client.getShareLink({ params: { id: inside.id } })).url, inside.url)
    for (const { id } of [outside, both])
      for (const hidden of [
        () => client.getShareLink({ params: { id } }),
        () => client.updateShare({ params: { id }, body: { message: 'x' } }),
        () => client.listShareAccesses({ params: { id } }),
        () => client.revokeShare({ params: { id } }),
      ])
        await server.records([], () => rejectsWith(hidden(), 'not_found'))
    await server.records([{ action: 'share_revoke', bucket }], () => client.revokeShare({ params: { id: mine.id } }))
  })
})
