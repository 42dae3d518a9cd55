// What somebody should look at: the same as in the lists of each kind, and nothing that these would not show to them.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import type { Attention } from '../../contract/attention.ts'
import { type FakeEngine, startFakeEngine } from '../attached/fake-engine.ts'
import { type Site, siteOf } from '../attached/site.ts'
import { rejectsWith } from '../support/problems.ts'
import { answer, startReceiver } from '../support/receiver.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const DAY_S = 86_400
const DAY_MS = DAY_S * 1000
const NOTHING: Attention = { tokens: [], access_keys: [], held_scans: [], administration: null }

describeEngines('what needs attention', (engine) => {
  let server: TestServer
  let fake: FakeEngine
  let site: Site
  const folders = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-attention-'))
  before(async () => {
    fake = await startFakeEngine()
    server = await startServer(engine, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', STORAGE_FOLDERS: folders })
    site = siteOf(server)
  })
  after(async () => {
    await server.stop()
    await fake.stop()
    fs.rmSync(folders, { recursive: true })
  })
  /** Asking changes nothing and records nothing. */
  const ask = (who: Client): Promise<Attention> => server.records([], () => who.getAttention())
  const administration = async () => {
    const { administration } = await ask(server.admin)
    // How full the disk of the tests is does not matter here.
    return { ...(administration ?? assert.fail('not an administrator')), disks: [] }
  }
  const steps = async () => (await administration()).first_steps

  it('says which first steps an administrator has done', async () => {
    const none = { users: false, sso: false, access_key: false, webhook: false }
    assert.deepEqual(await administration(), { disks: [], storages: [], webhooks: [], first_steps: none })
    await server.admin.createUser({
      body: { email: 'kim@example.com', display_name: 'Kim', password: 'kims password' },
    })
    assert.deepEqual(await steps(), { ...none, users: true })
    const { id } = await server.admin.createAccessKey({ body: { name: 'rclone' } })
    // One that is revoked has been made.
    await server.admin.revokeAccessKey({ params: { id } })
    const { id: hook } = await server.admin.createWebhook({
      body: { name: 'paused', url: 'https://8.8.8.8/', events: ['upload'], enabled: false },
    })
    assert.deepEqual(await steps(), { users: true, sso: false, access_key: true, webhook: true })
    // Whoever pauses one knows.
    assert.deepEqual((await administration()).webhooks, [])
    await server.admin.deleteWebhook({ params: { id: hook } })
    assert.equal((await steps()).webhook, false)
  })

  it('names credentials of the caller that expire within a week, whoever else has some', async () => {
    const lee = server.as(await server.userWith({ bucket_pattern: 'photos', actions: ['list'] }))
    const far = { name: 'far', expires_in: 8 * DAY_S }
    const soon = { name: 'soon', expires_in: 3 * DAY_S }
    const sooner = { name: 'sooner', expires_in: DAY_S }
    for (const body of [far, soon, sooner]) await lee.createToken({ body })
    const gone = await lee.createToken({ body: { name: 'gone', expires_in: DAY_S } })
    await lee.revokeToken({ params: { id: gone.id } })
    for (const body of [soon, far]) await lee.createAccessKey({ body })
    await server.admin.createToken({ body: sooner })
    const { tokens, access_keys, ...rest } = await ask(lee)
    assert.deepEqual(rest, { held_scans: [], administration: null })
    const names = (some: Attention['tokens']) => some.map(({ name }) => name)
    assert.deepEqual([names(tokens), names(access_keys)], [['sooner', 'soon'], ['soon']])
    const listed = (await lee.listTokens()).items.filter(({ status }) => status === 'expiring')
    assert.deepEqual(
      tokens.map(({ id, expires_at }) => [id, expires_at]),
      listed
        .map(({ id, expires_at }) => [id, expires_at])
        .reverse()
        .sort((a, b) => String(a[1]).localeCompare(String(b[1]))),
    )
    assert.deepEqual(names((await ask(server.admin)).tokens), ['sooner'])
    // A scope is not for what is of the account.
    const { token } = await lee.createToken({
      body: { name: 'scoped', scope: [{ bucket: 'photos', actions: ['list'] }] },
    })
    await rejectsWith(server.as(token).getAttention(), 'forbidden')
    await server.later(2 * DAY_MS)
    assert.deepEqual((await ask(server.admin)).tokens, [])
  })

  it('names held scans to those who may list the scans of the bucket, and nobody else', async () => {
    const storage = await site.storage({
      endpoint: fake.endpoint,
      bucket: fake.bucket,
      prefix: '',
      access_key_id: 'reader',
      secret_access_key: 'the secret of a reader',
    })
    fake.put('a/a.txt', 'a')
    const [bucket, other] = [await site.attach(storage, 'a/'), await site.attach(storage, 'b/')]
    await site.finishScan(bucket)
    await site.finishScan(other)
    const manager = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'manage'] }))
    const reader = server.as(await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read'] }))
    assert.deepEqual(await ask(manager), NOTHING)
    fake.delete('a/a.txt')
    const { id, status } = await site.scan(bucket)
    assert.equal(status, 'held')
    const held = [{ id, bucket, held_reason: 'empty' as const }]
    assert.deepEqual(await ask(manager), { ...NOTHING, held_scans: held })
    assert.deepEqual((await ask(server.admin)).held_scans, held)
    assert.deepEqual(await ask(reader), NOTHING)
    await rejectsWith(reader.listScans({ params: { bucket } }), 'forbidden')
    // A later one waits instead of it, and one that runs does not hide it.
    const { id: later } = await site.scan(bucket)
    await server.admin.startScan({ params: { bucket } })
    assert.deepEqual((await ask(manager)).held_scans, [{ ...held[0], id: later }])

    // Policies in AWS' language have no action for it: what they deny changes nothing, neither there nor here.
    const { id: user } = await manager.me()
    const deny = { Effect: 'Deny', Action: '*', Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`] }
    await server.admin.putInlinePolicy({
      params: { kind: 'user', owner: user, name: 'none' },
      body: { document: JSON.stringify({ Version: '2012-10-17', Statement: [deny] }) },
    })
    assert.equal((await manager.listScans({ params: { bucket } })).items[1]?.id, later)
    assert.equal((await ask(manager)).held_scans.length, 1)
    for (const { id: group } of (await manager.me()).groups)
      await server.admin.updateGroup({ params: { id: group }, body: { grants: [] } })
    await rejectsWith(manager.listScans({ params: { bucket } }), 'forbidden')
    assert.deepEqual(await ask(manager), NOTHING)
    await site.finishScan(bucket)
    for (const one of [bucket, other]) await server.admin.releaseBucket({ params: { bucket: one } })
  })

  it('names webhooks that fail or were disabled for it, and storages that cannot be reached, to administrators', async () => {
    const receivers = [
      await startReceiver(answer(500)),
      await startReceiver(answer(410)),
      await startReceiver(),
      await startReceiver(),
    ]
    const ids: string[] = []
    for (const [i, { url }] of receivers.entries())
      ids.push((await server.admin.createWebhook({ body: { name: `hook ${i}`, url, events: ['upload'] } })).id)
    await server.admin.createBucket({ body: { name: 'photos' } })
    await server.admin.putObjectByQuery({ params: { bucket: 'photos' }, query: { key: 'a' }, body: Buffer.from('a') })
    await server.running.tick('webhook-dispatcher')
    for (const one of receivers) await one.stop()
    const failed = (id: string, created_at: string) =>
      server.database.transaction((tx) =>
        tx
          .updateTable('webhook_deliveries')
          .set({ status: 'failed', created_at, next_attempt_at: null })
          .where('webhook_id', '=', id)
          .execute(),
      )
    await failed(ids[2] ?? '', server.clock.now().toISOString())
    await failed(ids[3] ?? '', new Date(server.clock.now().getTime() - DAY_MS - 1).toISOString())
    const { webhooks } = await administration()
    assert.deepEqual(
      webhooks.map(({ id, name, disabled_reason, failing_since, failed }) => [
        id,
        name,
        disabled_reason,
        failing_since !== null,
        failed,
      ]),
      [
        [ids[2], 'hook 2', null, false, 1],
        [ids[1], 'hook 1', 'The receiver answered 410 Gone.', true, 0],
        [ids[0], 'hook 0', null, true, 0],
      ],
    )
    const folder = path.join(folders, 'nas')
    await server.admin.createStorage({ body: { name: 'nas', kind: 'file', folder } })
    await server.admin.createBucket({ body: { name: 'on-nas', storage: 'nas' } })
    await server.running.tick('storage-watch')
    assert.deepEqual((await administration()).storages, [])
    fs.renameSync(folder, `${folder}-away`)
    await server.running.tick('storage-watch')
    const listed = (await server.admin.listStorages()).items.find(({ name }) => name === 'nas')
    assert.deepEqual((await administration()).storages, [{ name: 'nas', health: listed?.health }])
    const lee = server.as(await server.userWith({ bucket_pattern: '*', actions: ['list', 'manage'] }))
    assert.deepEqual(await ask(lee), NOTHING)
    fs.renameSync(`${folder}-away`, folder)
    await server.running.tick('storage-watch')
    assert.deepEqual((await administration()).storages, [])
  })
})
