import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Client, createClient, ProblemError } from '../../client/derived.ts'
import { rejectsWith } from '../support/problems.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { startServer, type TestServer } from '../support/server.ts'

const MIB = 1024 ** 2
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error)),
  )

describe('two processes over one PostgreSQL', () => {
  let server: TestServer
  let other: ServerProcess
  let far: Client
  const at = (token: string) => createClient({ baseUrl: other.url, token })
  before(async () => {
    server = await startServer('postgres')
    // The other process has the real clock; the tokens of both are valid there.
    server.clock.advance(Date.now() - server.clock.now().getTime())
    await server.later(0)
    other = await spawnServer({ ...server.env, LOG_LEVEL: 'error' })
    far = createClient({ baseUrl: other.url, token: () => server.adminToken })
  })
  after(async () => {
    await other?.kill('SIGTERM')
    await server.stop()
  })

  let people = 0
  const person = async (group_ids: string[] = []) => {
    const email = `identity${++people}@example.com`
    const password = `secret of identity ${people}`
    server.secrets.add(password)
    const { id } = await server.admin.createUser({ body: { email, display_name: 'P', password, group_ids } })
    const token = await server.login(email, password)
    const pat = await server.as(token).createToken({ body: { name: 'x' } })
    return { id, email, password, token, pat }
  }

  it('revoking, disabling and changing groups take effect on the other process’s next request', async () => {
    await server.admin.createBucket({ body: { name: 'shared-bucket' } })
    const group = await server.admin.createGroup({
      body: { name: 'Readers', grants: [{ bucket_pattern: 'shared-*', preset: 'viewer' }] },
    })
    for (let round = 0; round < 10; round++) {
      const kim = await person([group.id])
      const look = (token: string) => at(token).browse({ params: { bucket: 'shared-bucket' } })
      for (const token of [kim.token, kim.pat.token]) await look(token)
      await server.admin.removeMembers({ params: { id: group.id }, body: { user_ids: [kim.id] } })
      for (const token of [kim.token, kim.pat.token]) await rejectsWith(look(token), 'forbidden')
      await server.admin.addMembers({ params: { id: group.id }, body: { user_ids: [kim.id] } })
      for (const token of [kim.token, kim.pat.token]) await look(token)
      await server.admin.updateGroup({ params: { id: group.id }, body: { grants: [] } })
      await rejectsWith(look(kim.token), 'forbidden')
      await server.admin.updateGroup({
        params: { id: group.id },
        body: { grants: [{ bucket_pattern: 'shared-*', preset: 'viewer' }] },
      })
      await look(kim.pat.token)
      await server.as(kim.token).revokeToken({ params: { id: kim.pat.id } })
      await rejectsWith(look(kim.pat.token), 'unauthenticated')
      await server.admin.updateUser({ params: { id: kim.id }, body: { is_active: false } })
      await rejectsWith(look(kim.token), 'unauthenticated')
      const lee = await person([group.id])
      await look(lee.token)
      await server.admin.deleteUser({ params: { id: lee.id } })
      for (const token of [lee.token, lee.pat.token]) await rejectsWith(look(token), 'unauthenticated')
    }
  })

  it('two administrators who demote each other, fifty times: never none', async () => {
    const me = await server.admin.me()
    const administrators = me.groups[0]?.id ?? ''
    const second = await person([administrators])
    const clients = [server.admin, at(second.token)] as const
    const ids = [me.id, second.id]
    /** Each way to take the other's administration, tried by both at once. */
    const ways: ((client: Client, id: string) => Promise<unknown>)[] = [
      (client, id) => client.removeMembers({ params: { id: administrators }, body: { user_ids: [id] } }),
      (client, id) => client.updateUser({ params: { id }, body: { group_ids: [] } }),
      (client, id) => client.updateUser({ params: { id }, body: { is_active: false } }),
      (client, id) => client.updateUser({ params: { id }, body: { password: null } }),
      (client, id) =>
        client.replaceMembers({ params: { id: administrators }, body: { user_ids: ids.filter((one) => one !== id) } }),
    ]
    const seen = new Set<string>()
    for (let round = 0; round < 50; round++) {
      const one = ways[round % ways.length]
      const two = ways[(round * 3 + Math.floor(round / ways.length)) % ways.length]
      const results = await Promise.all([
        outcome(one?.(clients[0], second.id) ?? Promise.resolve()),
        outcome(two?.(clients[1], me.id) ?? Promise.resolve()),
      ])
      for (const result of results) seen.add(result)
      const able = await server.database.db
        .selectFrom('users as u')
        .innerJoin('group_members as m', 'm.user_id', 'u.id')
        .select('u.id')
        .where('m.group_id', '=', administrators)
        .where('u.disabled_at', 'is', null)
        .where('u.password_hash', 'is not', null)
        .execute()
      assert.ok(able.length > 0, `round ${round}: ${results.join()} left no administrator`)
      await mend(administrators, second, me.id)
    }
    assert.deepEqual(
      [...seen].filter((one) => !['ok', 'last_admin', 'forbidden', 'unauthenticated'].includes(one)),
      [],
    )
  })

  /** Both are administrators who can log in again, with the tokens they had. */
  async function mend(administrators: string, second: { id: string }, first: string): Promise<void> {
    await server.database.transaction(async (tx) => {
      const [{ password_hash } = { password_hash: null }] = await tx
        .selectFrom('users')
        .select('password_hash')
        .where('password_hash', 'is not', null)
        .limit(1)
        .execute()
      for (const id of [first, second.id]) {
        const at = server.clock.now().toISOString()
        await tx
          .insertInto('group_members')
          .values({ group_id: administrators, user_id: id, added_at: at })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await tx.updateTable('users').set({ disabled_at: null, token_version: 1 }).where('id', '=', id).execute()
        await tx.updateTable('sessions').set({ revoked_at: null }).where('user_id', '=', id).execute()
        await tx
          .updateTable('users')
          .set({ password_hash })
          .where('id', '=', id)
          .where('password_hash', 'is', null)
          .execute()
      }
    })
  }

  it('the quota over everything lets exactly 10 of 60 uploads to six buckets in, set while they come', async () => {
    const names = times(6, (i) => `total-${i}`)
    for (const name of names) await server.admin.createBucket({ body: { name } })
    const before = (await server.admin.usage()).used_bytes
    const upload = (i: number) =>
      outcome(
        (i % 2 ? far : server.admin).putObject({
          params: { bucket: names[i % 6] ?? '', key: `k${i}` },
          body: new Uint8Array(MIB),
        }),
      )
    const early = times(5, upload)
    await server.admin.updateSettings({ body: { quotas: { total_quota_gb: (before + 10 * MIB) / 1024 ** 3 } } })
    const results = await Promise.all([...early, ...times(55, (i) => upload(i + 5))])
    assert.equal(results.filter((one) => one === 'ok').length, 10, results.join())
    const { used_bytes } = await server.admin.usage()
    const [total] = await server.database.db
      .selectFrom('quotas')
      .selectAll()
      .where('used_bytes', 'is not', null)
      .execute()
    assert.deepEqual([used_bytes, total?.used_bytes], [before + 10 * MIB, before + 10 * MIB])
    await server.admin.updateSettings({ body: { quotas: { total_quota_gb: null } } })
  })

  it('sixty tokens at once become fifty', async () => {
    const kim = await person()
    const results = await Promise.all(
      times(60, (i) =>
        outcome(
          (i % 2 ? at(kim.token) : server.as(kim.token)).createToken({ body: { name: `n${i}`, expires_in: '30d' } }),
        ),
      ),
    )
    assert.equal(results.filter((one) => one === 'ok').length, 49, 'one was there already')
    assert.equal(results.filter((one) => one === 'limit_reached').length, 11)
  })
})
