import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Tx } from '../../server/db/schema.ts'
import { type Pair, s3World } from '../s3/s3.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const B = 'shared'
const PATH = `/${B}/a`

describeEngines('what another process changes counts for the next request', (engine) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let who: { id: string; token: string; pat: string; pair: Pair; group: string }
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    world = s3World(server)
    await server.admin.createBucket({ body: { name: B } })
    const token = await server.userWith({ bucket_pattern: B, actions: ['read', 'write'] })
    const client = server.as(token)
    const { id, groups } = await client.me()
    const pat = await client.createToken({ body: { name: 'ci' } })
    who = { id, token, pat: pat.token, pair: await world.keyOf(token), group: groups[0]?.id ?? '' }
    await client.putObject({ params: { bucket: B, key: 'a' }, query: {}, body: Buffer.from('a') })
  })
  after(() => server.stop())

  /** Changes the database as another process does: over a connection that is not the service's. */
  const elsewhere = (change: (tx: Tx) => Promise<unknown>) => server.database.transaction(change)
  const rest = async (credential: string, method = 'HEAD') =>
    (
      await fetch(`${server.url}/api/v1/buckets/${B}/objects/a`, {
        method,
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'text/plain' },
        ...(method === 'PUT' ? { body: 'a' } : {}),
      })
    ).status
  const ask = async (method: string, path: string, body = '', headers: Record<string, string> = {}) =>
    world.send(method, path, await world.signed(who.pair, { method, path, headers, body }), body)
  const s3 = async (method = 'GET') => {
    const { status, code } = await ask(method, PATH, method === 'PUT' ? 'a' : '')
    return status === 200 ? status : code || status
  }
  const all = async () => ({
    session: await rest(who.token),
    pat: await rest(who.pat),
    put: await rest(who.token, 'PUT'),
    s3: await s3(),
    s3Put: await s3('PUT'),
  })
  const FINE = { session: 200, pat: 200, put: 200, s3: 200, s3Put: 200 }
  const FORBIDDEN = { session: 403, pat: 403, put: 403, s3: 'AccessDenied', s3Put: 'AccessDenied' }

  /** What is answered before a change, right after it, and right after it was taken back. */
  async function around(change: (tx: Tx) => Promise<unknown>, back: (tx: Tx) => Promise<unknown>) {
    assert.deepEqual(await all(), FINE)
    assert.deepEqual(await all(), FINE)
    await elsewhere(change)
    const changed = await all()
    await elsewhere(back)
    assert.deepEqual(await all(), FINE)
    return changed
  }
  const now = () => server.clock.now().toISOString()

  it('a revoked access key, session or token', async () => {
    const set = (table: 'access_keys' | 'tokens' | 'sessions', revoked_at: () => string | null) => (tx: Tx) =>
      tx
        .updateTable(table as 'tokens')
        .set({ revoked_at: revoked_at() })
        .where('user_id', '=', who.id)
        .execute()
    const none = () => null
    assert.deepEqual(await around(set('access_keys', now), set('access_keys', none)), {
      ...FINE,
      s3: 'InvalidAccessKeyId',
      s3Put: 'InvalidAccessKeyId',
    })
    assert.deepEqual(await around(set('tokens', now), set('tokens', none)), { ...FINE, pat: 401 })
    assert.deepEqual(await around(set('sessions', now), set('sessions', none)), { ...FINE, session: 401, put: 401 })
  })

  it('the scope of a key', async () => {
    const scope = JSON.stringify([{ bucket: B, prefix: '', actions: ['read'] }])
    const set = (text: string | null) => (tx: Tx) =>
      tx.updateTable('access_keys').set({ scope: text }).where('user_id', '=', who.id).execute()
    assert.deepEqual(await around(set(scope), set(null)), { ...FINE, s3Put: 'AccessDenied' })
  })

  it('a grant, the group it belongs to, a membership, and the account', async () => {
    const grants = (actions: string) => (tx: Tx) =>
      tx.updateTable('grants').set({ actions }).where('group_id', '=', who.group).execute()
    assert.deepEqual(await around(grants('["read"]'), grants('["read","write"]')), {
      ...FINE,
      put: 403,
      s3Put: 'AccessDenied',
    })
    const member = { group_id: who.group, user_id: who.id, added_at: now() }
    const leave = (tx: Tx) => tx.deleteFrom('group_members').where('user_id', '=', who.id).execute()
    const join = (tx: Tx) => tx.insertInto('group_members').values(member).execute()
    assert.deepEqual(await around(leave, join), FORBIDDEN)
    const [kept] = await server.database.db.selectFrom('groups').selectAll().where('id', '=', who.group).execute()
    const granted = await server.database.db
      .selectFrom('grants')
      .selectAll()
      .where('group_id', '=', who.group)
      .execute()
    // Grants and memberships go with the group.
    const drop = (tx: Tx) => tx.deleteFrom('groups').where('id', '=', who.group).execute()
    const make = async (tx: Tx) => {
      await tx
        .insertInto('groups')
        .values(kept as NonNullable<typeof kept>)
        .execute()
      await tx.insertInto('grants').values(granted).execute()
      await join(tx)
    }
    assert.deepEqual(await around(drop, make), FORBIDDEN)
    const disable = (disabled_at: string | null) => (tx: Tx) =>
      tx.updateTable('users').set({ disabled_at }).where('id', '=', who.id).execute()
    assert.deepEqual(await around(disable(now()), disable(null)), {
      session: 401,
      pat: 401,
      put: 401,
      s3: 'InvalidAccessKeyId',
      s3Put: 'InvalidAccessKeyId',
    })
  })

  it('the mode of a bucket, its quota, and that it is gone', async () => {
    const bucket = (change: { mode?: 'releasing' | null; deleted_at?: string | null }) => (tx: Tx) =>
      tx.updateTable('buckets').set(change).where('name', '=', B).execute()
    const { put, s3Put, ...reads } = await around(bucket({ mode: 'releasing' }), bucket({ mode: null }))
    assert.deepEqual(reads, { session: 200, pat: 200, s3: 200 })
    assert.notEqual(put, 200)
    assert.notEqual(s3Put, 200)
    const gone = { session: 404, pat: 404, put: 404, s3: 'NoSuchBucket', s3Put: 'NoSuchBucket' }
    assert.deepEqual(await around(bucket({ deleted_at: now() }), bucket({ deleted_at: null })), gone)
    const { id } = await server.database.db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', B)
      .executeTakeFirstOrThrow()
    // Of two writes to a full bucket, each replaces as much as it brings.
    const more = () => ask('PUT', `/${B}/more`, 'b')
    await elsewhere((tx) => tx.insertInto('quotas').values({ scope: id, quota_gb: 0, used_bytes: null }).execute())
    assert.notEqual((await more()).status, 200)
    assert.equal(await s3('PUT'), 200)
    await elsewhere((tx) => tx.deleteFrom('quotas').where('scope', '=', id).execute())
    assert.equal((await more()).status, 200)
  })

  it('a document of a bucket, and a setting', async () => {
    const { id } = await server.database.db
      .selectFrom('buckets')
      .select('id')
      .where('name', '=', B)
      .executeTakeFirstOrThrow()
    const origin = async () => {
      const answer = await ask('GET', PATH, '', { origin: 'https://example.com' })
      return answer.headers['access-control-allow-origin']
    }
    assert.equal(await origin(), undefined)
    const document = (origins: string) => `[{"origins":["${origins}"],"methods":["GET"],"headers":[]}]`
    const set = (text: string) => (tx: Tx) =>
      tx
        .insertInto('bucket_config')
        .values({ bucket_id: id, kind: 'cors', document: text, updated_at: now(), updated_by: null })
        .onConflict((conflict) => conflict.columns(['bucket_id', 'kind']).doUpdateSet({ document: text }))
        .execute()
    await elsewhere(set(document('https://example.com')))
    assert.equal(await origin(), 'https://example.com')
    await elsewhere(set(document('https://example.org')))
    assert.equal(await origin(), undefined)
    const settings = (overrides: string) => (tx: Tx) => tx.updateTable('settings').set({ overrides }).execute()
    await elsewhere(settings('{"s3":{"rate_per_key":1}}'))
    await s3()
    assert.equal(await s3(), 'SlowDown')
    await elsewhere(settings('{}'))
    assert.equal(await s3(), 200)
  })

  it('what the service itself has changed counts too', async () => {
    await server.admin.updateUser({ params: { id: who.id }, body: { is_active: false } })
    assert.equal(await s3(), 'InvalidAccessKeyId')
    await server.admin.updateUser({ params: { id: who.id }, body: { is_active: true } })
    assert.equal(await s3(), 200)
    await server
      .as(who.token)
      .logout()
      .catch(() => undefined)
    await server.admin.deleteUser({ params: { id: who.id } })
    assert.deepEqual(await all(), {
      session: 401,
      pat: 401,
      put: 401,
      s3: 'InvalidAccessKeyId',
      s3Put: 'InvalidAccessKeyId',
    })
  })
})
