import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { ADMIN, describeEngines, startServer, type TestServer } from '../support/server.ts'

const BUCKET = 'linked'
const KEY = 'docs/a.txt'
const HOUR = 3600_000

describeEngines('the URL of a link, again', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: BUCKET } })
    await server.admin.putObject({ params: { bucket: BUCKET, key: KEY }, body: 'shared' })
  })
  after(() => server.stop())

  const create = async (by = server.admin) => {
    const link = await by.shareObject({ params: { bucket: BUCKET, key: KEY }, body: {} })
    server.secrets.add(link.token)
    return link
  }
  const again = (id: string, by = server.admin) => by.getShareLink({ params: { id } })
  const read = { action: 'share_link_read', bucket: BUCKET, key: KEY } as const
  const listed = async (id: string, by = server.admin) =>
    (await by.listShares({ query: {} })).items.find((one) => one.id === id)?.has_link
  const stored = async (id: string) =>
    (await server.database.db.selectFrom('shares').select('sealed_token').where('id', '=', id).execute())[0]
      ?.sealed_token ?? null

  it('is for its creator alone, and recorded', async () => {
    const token = await server.userWith({ bucket_pattern: BUCKET, prefix: 'docs/', actions: ['read', 'share'] })
    const creator = server.as(token)
    const link = await create(creator)
    assert.equal(link.has_link, true)
    const found = await server.records([read], () => again(link.id, creator))
    assert.deepEqual(found, { id: link.id, token: link.token, url: link.url, page_url: link.page_url })
    assert.equal((await request({ url: server.url, path: `/public/s/${found.token}` })).body.toString(), 'shared')
    assert.deepEqual([await listed(link.id, creator), await listed(link.id)], [true, false])
    const manager = server.as(
      await server.userWith({ bucket_pattern: BUCKET, prefix: '', actions: ['read', 'share', 'manage'] }),
    )
    await server.records([], async () => {
      for (const other of [server.admin, manager]) await rejectsWith(again(link.id, other), 'not_found')
      await rejectsWith(again('01980000-0000-7000-8000-000000000000', creator), 'not_found')
    })
    const answer = await request({ url: server.url, path: `/api/v1/share/${link.id}/link`, token })
    assert.deepEqual([answer.status, answer.headers['cache-control']], [200, 'no-store'])
    const limited = await creator.updateShare({ params: { id: link.id }, body: { expires_in: '1h' } })
    assert.equal(limited.has_link, true)
  })

  it('is deleted when the link is revoked', async () => {
    const link = await create()
    assert.notEqual(await stored(link.id), null)
    await server.admin.revokeShare({ params: { id: link.id } })
    assert.deepEqual([await stored(link.id), await listed(link.id)], [null, false])
    await server.records([], () => rejectsWith(again(link.id), 'conflict'))
  })

  it('is not stored where the settings say so, and what was is deleted', async () => {
    const before = await create()
    await server.admin.updateSettings({ body: { shares: { keep_links: false } } })
    const link = await create()
    assert.deepEqual([link.has_link, await stored(link.id)], [false, null])
    await server.records([], async () => {
      for (const { id } of [before, link]) await rejectsWith(again(id), 'conflict')
    })
    assert.notEqual(await stored(before.id), null)
    await server.later(HOUR)
    await server.running.tick()
    assert.equal(await stored(before.id), null)
    await server.admin.updateSettings({ body: { shares: { keep_links: true } } })
    await rejectsWith(again(before.id), 'conflict')
    assert.equal((await request({ url: server.url, path: `/public/s/${before.token}` })).status, 200)
  })

  it('is worth nothing in the row of another link', async () => {
    const [one, other] = [await create(), await create()]
    const sealed_token = await stored(other.id)
    await server.database.transaction((tx) =>
      tx.updateTable('shares').set({ sealed_token }).where('id', '=', one.id).execute(),
    )
    const answer = await server.records([], () =>
      request({ url: server.url, path: `/api/v1/share/${one.id}/link`, token: server.adminToken }),
    )
    assert.equal(answer.status, 500)
    assert.equal(answer.body.includes(other.token), false)
    assert.match(server.logged(), /The stored token is that of another link/)
  })

  it('survives a change of SECRET_KEY', async () => {
    const other = await startServer(engine)
    try {
      await other.admin.createBucket({ body: { name: BUCKET } })
      const body = { kind: 'folder', bucket: BUCKET, prefix: '' } as const
      const links = [await other.admin.createShare({ body }), await other.admin.createShare({ body })]
      for (const { token } of links) other.secrets.add(token)
      const keys = {
        SECRET_KEY: 'another-secret-key-of-the-tests-long-enough',
        SECRET_KEY_PREVIOUS: other.env.SECRET_KEY ?? '',
      }
      const startWith = (more: Record<string, string>) =>
        start(readConfig({ ...other.env, ...more, LOG_LEVEL: 'silent' }), { now: other.clock.now, timers: false })
      await (await startWith(keys)).stop()
      const { out } = await strongroom(['rotate-secrets'], { ...other.env, ...keys, LOG_LEVEL: 'error' })
      // The key of the audit log too.
      assert.equal(out, '3 secret(s) re-encrypted.\n')
      const running = await startWith({ SECRET_KEY: keys.SECRET_KEY })
      try {
        const login = { username: ADMIN.email, password: ADMIN.password }
        const { access_token } = await createClient({ baseUrl: running.url }).login({ body: login })
        const admin = createClient({ baseUrl: running.url, token: access_token })
        for (const { id, token } of links) assert.equal((await admin.getShareLink({ params: { id } })).token, token)
      } finally {
        await running.stop()
      }
    } finally {
      await other.stop()
    }
  })
})
