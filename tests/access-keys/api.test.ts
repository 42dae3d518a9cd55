import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { findAccessKey } from '../../server/access/access-keys/authenticate.ts'
import { readConfig } from '../../server/config/config.ts'
import type { Origin } from '../../server/context.ts'
import { start } from '../../server/process/start.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { allActions, describeEngines, dump, startServer, type TestServer } from '../support/server.ts'
import { count, DAY, MINUTE, outcomes, times } from '../tokens/tokens.ts'

const origin: Origin = { request_id: null, ip: '203.0.113.9', user_agent: null, method: null, route: null }

describeEngines('access keys', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const person = async (...grants: Parameters<TestServer['userWith']>) => {
    const client = server.as(await server.userWith(...grants))
    const { id, email } = await client.me()
    return { id, email, client }
  }
  const make = async (by: Client, more: Partial<Parameters<Client['createAccessKey']>[0]['body']> = {}) => {
    const made = await by.createAccessKey({ body: { name: 'ci', ...more } })
    server.secrets.add(made.secret_access_key)
    return made
  }
  const rotate = async (by: Client, id: string, grace_seconds = 0) => {
    const made = await by.rotateAccessKey({ params: { id }, body: { grace_seconds } })
    server.secrets.add(made.secret_access_key)
    return made
  }
  const revoke = (by: Client, id: string) => by.revokeAccessKey({ params: { id } })
  const system = () => ({
    ...server,
    config: readConfig({ ...server.env, LOG_LEVEL: 'silent' }),
    now: server.clock.now,
  })
  /** The secrets that sign for a key now, or why none does. */
  const secretsOf = async (accessKeyId: string, config = system().config) => {
    const found = await findAccessKey({ ...system(), config } as never, accessKeyId, origin)
    return typeof found === 'string' ? found : found.secrets.map((one) => one.open())
  }

  itOnce('has the form that S3 clients expect; its secret is answered once and kept encrypted', async () => {
    const { client, id } = await person()
    const made = await server.records([{ action: 'access_key_create' }], () => make(client, { expires_in: '90d' }))
    assert.match(made.access_key_id, /^STRG[A-Z2-7]{16}$/)
    assert.match(made.secret_access_key, /^[0-9A-Za-z]{40}$/)
    assert.equal(Date.parse(made.expires_at ?? '') - Date.parse(made.created_at), 90 * DAY)
    const next = await server.records([{ action: 'access_key_rotate' }], () => rotate(client, made.id))
    assert.equal(next.access_key_id, made.access_key_id)
    assert.notEqual(next.secret_access_key, made.secret_access_key)
    const listed = (await client.listAccessKeys()).items[0]
    assert.deepEqual(Object.keys(listed ?? {}).sort(), [
      'access_key_id',
      'created_at',
      'created_by_token_id',
      'created_via',
      'expires_at',
      'id',
      'last_used_at',
      'last_used_ip',
      'name',
      'policy',
      'revoked_at',
      'scope',
      'status',
    ])
    const all = await server.admin.listUserAccessKeys({ params: { id } })
    assert.deepEqual(all.items, [listed])
    const kept = await dump(server.database, engine)
    assert.ok(kept.includes(made.access_key_id))
    for (const { secret_access_key } of [made, next])
      for (const text of [kept, server.logged()]) assert.equal(text.includes(secret_access_key), false)
    assert.deepEqual(await secretsOf(made.access_key_id), [next.secret_access_key])
  })

  it('an encrypted secret does not open as that of another key', async () => {
    const { client } = await person()
    const [one, other] = [await make(client), await make(client)]
    await server.database.transaction(async (tx) => {
      const { secret } = await tx
        .selectFrom('access_keys')
        .select('secret')
        .where('id', '=', other.id)
        .executeTakeFirstOrThrow()
      await tx.updateTable('access_keys').set({ secret }).where('id', '=', one.id).execute()
    })
    await assert.rejects(secretsOf(one.access_key_id), /another key's/)
  })

  it('both secrets sign during the grace period of a rotation', async () => {
    const { client } = await person()
    const made = await make(client)
    const next = await rotate(client, made.id, 60)
    assert.deepEqual(await secretsOf(made.access_key_id), [next.secret_access_key, made.secret_access_key])
    server.clock.advance(59_999)
    assert.equal((await secretsOf(made.access_key_id)).length, 2)
    server.clock.advance(1)
    assert.deepEqual(await secretsOf(made.access_key_id), [next.secret_access_key])
  })

  it('does not sign once it is revoked or expired, or its owner is disabled or deleted', async () => {
    const [one, resting, gone] = [await person(), await person(), await person()]
    const [expired, revoked] = [await make(one.client, { expires_in: 60 }), await make(one.client)]
    const [disabled, orphan] = [await make(resting.client), await make(gone.client)]
    await server.records([{ action: 'access_key_revoke' }], () => revoke(one.client, revoked.id))
    await server.admin.updateUser({ params: { id: resting.id }, body: { is_active: false } })
    await server.admin.deleteUser({ params: { id: gone.id } })
    server.clock.advance(MINUTE)
    assert.equal(await secretsOf(expired.access_key_id), 'expired')
    assert.equal(await secretsOf(revoked.access_key_id), 'revoked')
    assert.equal(await secretsOf(disabled.access_key_id), 'owner disabled')
    assert.equal(await secretsOf(orphan.access_key_id), 'unknown')
    await server.records([], async () => {
      await rejectsWith(revoke(one.client, revoked.id), 'not_found')
      await rejectsWith(rotate(one.client, revoked.id), 'conflict')
      await rejectsWith(rotate(one.client, expired.id), 'conflict')
    })
  })

  itOnce('others can neither see, rotate nor revoke it; administrators can see and revoke it', async () => {
    const [mine, other] = [await person(), await person()]
    const made = await make(mine.client)
    await server.records([], async () => {
      await rejectsWith(revoke(other.client, made.id), 'not_found')
      for (const by of [other.client, server.admin]) await rejectsWith(rotate(by, made.id), 'not_found')
      assert.deepEqual((await other.client.listAccessKeys()).items, [])
    })
    await server.records([{ action: 'access_key_revoke' }], () => revoke(server.admin, made.id))
  })

  it('ends with the token that created it, where that is asked for', async () => {
    const { client } = await person()
    const parent = await client.createToken({ body: { name: 'parent' } })
    server.secrets.add(parent.token)
    const child = await server.as(parent.token).createToken({ body: { name: 'child' } })
    server.secrets.add(child.token)
    const [byParent, byChild, own] = [
      await make(server.as(parent.token)),
      await make(server.as(child.token)),
      await make(client),
    ]
    assert.equal(
      (await client.listAccessKeys()).items.find(({ id }) => id === byChild.id)?.created_by_token_id,
      child.id,
    )
    await server.records(
      [
        { action: 'token_revoke' },
        { action: 'token_revoke' },
        { action: 'access_key_revoke' },
        { action: 'access_key_revoke' },
      ],
      () => client.revokeToken({ params: { id: parent.id }, query: { cascade: true } }),
    )
    const states = new Map((await client.listAccessKeys()).items.map(({ id, status }) => [id, status]))
    assert.deepEqual(
      [byParent.id, byChild.id, own.id].map((id) => states.get(id)),
      ['revoked', 'revoked', 'active'],
    )
  })

  itOnce('keeps its scope as given, and refuses what is none', async () => {
    const { client } = await person()
    const scope = [
      { bucket: 'photos', prefix: 'a/x/', actions: ['read' as const, 'list' as const] },
      { bucket: 'backup-*', prefix: '', actions: ['write' as const] },
      { bucket: '*', prefix: '', actions: ['list' as const] },
    ]
    const [first, second, third] = scope
    const made = await make(client, { scope: [first, { bucket: 'backup-*', actions: ['write'] }, third] as never })
    assert.deepEqual(made.scope, [first, second, third])
    assert.equal((await make(client, { scope: null })).scope, null)
    await server.records([], async () => {
      for (const wrong of [
        [],
        [{ bucket: 'a*b', actions: ['read'] }],
        [{ bucket: '', actions: ['read'] }],
        [{ bucket: 'photos', actions: [] }],
        [{ bucket: 'photos', actions: ['admin'] }],
        [{ bucket: 'photos', actions: ['read'], prefix: 'a\0' }],
        [{ bucket: 'photos', actions: ['read'], more: 1 }],
        times(21, () => ({ bucket: 'photos', actions: ['read'] })),
      ])
        await rejectsWith(make(client, { scope: wrong as never }), 'invalid_request')
    })
  })

  it('a user has at most 50 valid keys, besides their tokens', async () => {
    const { client } = await person()
    server.secrets.add((await client.createToken({ body: { name: 'token' } })).token)
    const results = await outcomes(times(53, () => make(client)))
    assert.deepEqual([count(results, 'ok'), count(results, 'limit_reached')], [50, 3], results.join())
  })

  it('its owner is told seven days and one day before it expires', async () => {
    const { client } = await person()
    const made = await make(client, { expires_in: '30d' })
    const days = async () =>
      (await allActions(server.database))
        .filter(({ action, resource_id }) => action === 'access_key_expiring' && resource_id === made.id)
        .map(({ details }) => JSON.parse(details).days)
    for (const [ms, expected] of [
      [23 * DAY - 1, []],
      [1, [7]],
      [6 * DAY, [7, 1]],
      [DAY, [7, 1]],
    ] as const) {
      await server.later(ms)
      await server.running.tick()
      await server.running.tick()
      assert.deepEqual(await days(), expected)
    }
  })

  it('a key pair of another service can be imported by someone with a shell', async () => {
    const { client, email } = await person()
    const secret = 'minio+secret/of=8-128'
    server.secrets.add(secret)
    const run = (args: readonly string[], input = `${secret}\n`) =>
      strongroom(['access-key', 'import', ...args], { ...server.env, LOG_LEVEL: 'error' }, { input })
    await server.records([{ action: 'access_key_create' }], async () => {
      const { code, out, err } = await run([email, 'minio.root_user-1', 'from', 'MinIO'])
      assert.deepEqual([code, out, err], [0, `${email} can use access key minio.root_user-1.\n`, ''])
    })
    assert.deepEqual(await secretsOf('minio.root_user-1'), [secret])
    assert.equal((await client.listAccessKeys()).items[0]?.name, 'from MinIO')
    await server.records([], async () => {
      for (const [args, message, input] of [
        [[email, 'minio.root_user-1'], /already/],
        [['nobody@example.com', 'another'], /No user/],
        [[email, 'a b'], /3 to 128/],
        [[email, 'another'], /8 to 128/, 'short'],
        [[email, 'another'], /8 to 128/, 'with a space in it'],
      ] as const) {
        const { code, err } = await run(args, input)
        assert.equal(code, 1)
        assert.match(err, message)
      }
    })
  })

  it('rotate-secrets encrypts both secrets of a key with the new SECRET_KEY', async () => {
    const other = await startServer(engine)
    try {
      const made = await other.admin.createAccessKey({ body: { name: 'kept' } })
      const next = await other.admin.rotateAccessKey({ params: { id: made.id }, body: { grace_seconds: 86_400 } })
      for (const { secret_access_key } of [made, next]) other.secrets.add(secret_access_key)
      const keys = {
        SECRET_KEY: 'another-secret-key-of-the-tests-long-enough',
        SECRET_KEY_PREVIOUS: other.env.SECRET_KEY ?? '',
      }
      const config = readConfig({ ...other.env, ...keys, LOG_LEVEL: 'silent' })
      await (await start(config, { now: other.clock.now, timers: false })).stop()
      const done = await strongroom(['rotate-secrets'], { ...other.env, ...keys, LOG_LEVEL: 'error' })
      assert.match(done.out, /^[3-9] secret\(s\) re-encrypted\.\n$/)
      const alone = readConfig({ ...other.env, SECRET_KEY: keys.SECRET_KEY, LOG_LEVEL: 'silent' })
      const found = await findAccessKey(
        { ...other, config: alone, now: other.clock.now } as never,
        made.access_key_id,
        origin,
      )
      assert.ok(typeof found === 'object')
      assert.deepEqual(
        found.secrets.map((one) => one.open()),
        [next.secret_access_key, made.secret_access_key],
      )
    } finally {
      await other.stop()
    }
  })
})
