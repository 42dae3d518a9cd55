import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import { assertSignIn } from '../auth/sign-in.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, dump, startServer, type TestServer } from '../support/server.ts'

const MIB = 1024 ** 2
const GIB_OF = (bytes: number) => bytes / 1024 ** 3

describeEngines('settings', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())
  const change = (body: Parameters<typeof server.admin.updateSettings>[0]['body']) =>
    server.admin.updateSettings({ body })
  const lastDetails = async () => JSON.parse((await allActions(server.database)).at(-1)?.details ?? '{}')

  it('starts with the defaults and changes only named fields', async () => {
    const before = await server.admin.getSettings()
    assert.deepEqual(before.auth, {
      enable_local: true,
      enable_idp: true,
      second_factor: 'optional',
      auto_create_users: false,
      refresh_rotation: true,
      idp_require_browser_cookie: true,
    })
    assert.deepEqual(before.fixed, {})
    const after = await server.records([{ action: 'settings_update' }], () =>
      change({ auth: { auto_create_users: true }, trash: { default_days: 3 } }),
    )
    assert.deepEqual(after, {
      ...before,
      auth: { ...before.auth, auto_create_users: true },
      trash: { default_days: 3 },
    })
    assert.deepEqual(await server.admin.getSettings(), after)
    assert.deepEqual(await lastDetails(), {
      before: { auth: { auto_create_users: false }, trash: { default_days: 7 } },
      after: { auth: { auto_create_users: true }, trash: { default_days: 3 } },
    })
    const made = await server.admin.createBucket({ body: { name: 'three-days' } })
    assert.equal(made.trash_days, 3)
  })

  itOnce('limits for links and tokens are visible to everyone they apply to', async () => {
    const kim = server.as(await server.userWith())
    assert.deepEqual((await kim.me()).limits, {
      share_default_expires_in: '7d',
      share_max_expires_in: null,
      token_max_lifetime_days: null,
    })
    await change({ shares: { default_expires_in: '1d', max_expires_in: '2w' }, tokens: { max_lifetime_days: 90 } })
    assert.deepEqual((await kim.me()).limits, {
      share_default_expires_in: '1d',
      share_max_expires_in: '2w',
      token_max_lifetime_days: 90,
    })
    await change({ shares: { default_expires_in: '7d', max_expires_in: null }, tokens: { max_lifetime_days: 0 } })
  })

  itOnce('rejects unknown and invalid settings', async () => {
    await server.records([], async () => {
      const bad: [object, string][] = [
        [{ auth: { enable_locla: true } }, 'body.auth.enable_locla'],
        [{ oauth: {} }, 'body.oauth'],
        [{ auth: { enable_local: 'yes' } }, 'body.auth.enable_local'],
        [{ quotas: { total_quota_gb: 0 } }, 'body.quotas.total_quota_gb'],
        [{ trash: { default_days: 1.5 } }, 'body.trash.default_days'],
        [{ idp: { issuer_url: 'http://elsewhere.example' } }, 'body.idp.issuer_url'],
        [{ idp: { issuer_url: 'https://169.254.169.254' } }, 'body.idp.issuer_url'],
        [{ idp: { issuer_url: 'https://0.0.0.0:8443' } }, 'body.idp.issuer_url'],
        [{ idp: { issuer_url: 'https://[fe80::1]' } }, 'body.idp.issuer_url'],
        [{ idp: { issuer_url: 'https://[::ffff:169.254.169.254]' } }, 'body.idp.issuer_url'],
        [{ idp: { issuer_url: 'https://login.microsoftonline.com/common/v2.0' } }, 'body.idp.issuer_url'],
        [{ idp: { issuer_url: 'https://login.microsoftonline.com/organizations/v2.0' } }, 'body.idp.issuer_url'],
        [{ idp: { group_mapping: [{ value: 'x', group_id: newId() }] } }, 'body.idp.group_mapping.0.group_id'],
        [{ shares: { default_expires_in: '0d' } }, 'body.shares.default_expires_in'],
      ]
      for (const [body, path] of bad) await rejectsWith(change(body), 'invalid_request', path)
      await rejectsWith(change({}), 'invalid_request')
    })
  })

  it('keeps secrets encrypted and never shows them', async () => {
    const secret = 'the-client-secret-of-the-provider'
    server.secrets.add(secret)
    const after = await change({ idp: { client_secret: secret, client_id: 'strongroom' } })
    assert.deepEqual([after.idp.client_secret_set, JSON.stringify(after).includes(secret)], [true, false])
    assert.deepEqual(await lastDetails(), {
      before: { idp: { client_id: null, client_secret: null } },
      after: { idp: { client_id: 'strongroom', client_secret: '***' } },
    })
    assert.match(await dump(server.database, engine), /v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+/)
    const cleared = await change({ idp: { client_secret: null, client_id: null } })
    assert.equal(cleared.idp.client_secret_set, false)
  })

  it('holds the quota of new buckets and of everything together', async () => {
    await change({ quotas: { default_bucket_quota_gb: GIB_OF(2 * MIB) } })
    const small = await server.admin.createBucket({ body: { name: 'by-default' } })
    assert.equal(small.quota_gb, GIB_OF(2 * MIB))
    const free = await server.admin.createBucket({ body: { name: 'said-none', quota_gb: null } })
    assert.equal(free.quota_gb, null)
    const put = (name: string, key: string, bytes: number) =>
      server.admin.putObject({ params: { bucket: name, key }, body: new Uint8Array(bytes) })
    await put('said-none', 'a', MIB)
    await change({ quotas: { total_quota_gb: GIB_OF(3 * MIB) } })
    await put('by-default', 'b', MIB)
    await server.records([], async () => {
      await rejectsWith(put('said-none', 'c', MIB + 1), 'quota_exceeded')
      await rejectsWith(put('by-default', 'c', MIB + 1), 'quota_exceeded')
    })
    await put('said-none', 'c', MIB)
    await rejectsWith(put('three-days', 'd', 1), 'quota_exceeded')
    await put('said-none', 'c', MIB / 2)
    await server.admin.deleteObject({ params: { bucket: 'by-default', key: 'b' } })
    const { items } = await server.admin.listTrash({ params: { bucket: 'by-default' } })
    await put('three-days', 'd', MIB)
    await server.records([], () =>
      rejectsWith(
        server.admin.restoreTrash({ params: { bucket: 'by-default' }, body: { ids: [items[0]?.id ?? ''] } }),
        'quota_exceeded',
      ),
    )
    await put('three-days', 'd', MIB / 4)
    await server.admin.restoreTrash({ params: { bucket: 'by-default' }, body: { ids: [items[0]?.id ?? ''] } })
    const used = (await server.admin.usage()).used_bytes
    const counted = await server.database.db
      .selectFrom('quotas')
      .selectAll()
      .where('used_bytes', 'is not', null)
      .execute()
    assert.deepEqual([counted[0]?.used_bytes, used], [2.75 * MIB, 2.75 * MIB])
    await change({ quotas: { total_quota_gb: GIB_OF(MIB) } })
    await rejectsWith(put('said-none', 'e', 1), 'quota_exceeded')
    await server.admin.deleteObject({ params: { bucket: 'said-none', key: 'a' } })
    await change({ quotas: { total_quota_gb: null, default_bucket_quota_gb: null } })
    await put('said-none', 'e', 4 * MIB)
  })

  itOnce('shows what the environment fixes, and refuses to change it', async () => {
    const fixed = await startServer(engine, {
      TRASH_DAYS: '30',
      IDP_TENANT_ID: '0f0e0d0c-0b0a-0908-0706-050403020100',
      IDP_CLIENT_ID: 'from-env',
      IDP_CLIENT_SECRET: 'secret-from-the-environment',
    })
    try {
      fixed.secrets.add('secret-from-the-environment')
      const settings = await fixed.admin.getSettings()
      assert.deepEqual(settings.fixed, {
        'trash.default_days': 'TRASH_DAYS',
        'idp.issuer_url': 'IDP_TENANT_ID',
        'idp.client_id': 'IDP_CLIENT_ID',
        'idp.client_secret': 'IDP_CLIENT_SECRET',
      })
      assert.deepEqual(
        [settings.trash.default_days, settings.idp.issuer_url, settings.idp.client_id, settings.idp.client_secret_set],
        [30, 'https://login.microsoftonline.com/0f0e0d0c-0b0a-0908-0706-050403020100/v2.0', 'from-env', true],
      )
      await assertSignIn(fixed, { idp_name: 'login.microsoftonline.com' })
      await fixed.records([], () =>
        rejectsWith(
          fixed.admin.updateSettings({ body: { idp: { client_id: 'x' } } }),
          'conflict',
          'body.idp.client_id',
        ),
      )
      await fixed.admin.updateSettings({ body: { idp: { name: 'Work' } } })
      assert.equal((await fixed.as().authConfig()).idp_name, 'Work')
    } finally {
      await fixed.stop()
    }
  })

  itOnce('leaves a provider on this machine to the variable, where the service is reached from elsewhere', async () => {
    const public_ = await startServer(engine, { PUBLIC_BASE_URL: 'https://files.example.com' })
    try {
      for (const issuer_url of ['http://localhost:8080', 'http://127.0.0.1:1/realm', 'https://[::1]'])
        await public_.records([], () =>
          rejectsWith(
            public_.admin.updateSettings({ body: { idp: { issuer_url } } }),
            'invalid_request',
            'body.idp.issuer_url',
          ),
        )
      await public_.admin.updateSettings({ body: { idp: { issuer_url: 'https://10.1.2.3', client_id: 'x' } } })
    } finally {
      await public_.stop()
    }
  })

  it('acts on the next request of every replica', { skip: engine === 'sqlite' }, async () => {
    const twin: Running = await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), {
      now: server.clock.now,
      timers: false,
    })
    try {
      const there = createClient({ baseUrl: twin.url, token: () => server.adminToken })
      for (const name of ['One', 'Two']) {
        await change({ idp: { name, issuer_url: 'https://idp.example.com', client_id: 'x' } })
        assert.equal((await there.authConfig()).idp_name, name)
        assert.equal((await there.getSettings()).idp.name, name)
      }
      await there.updateSettings({ body: { auth: { enable_idp: false } } })
      await assertSignIn(server)
      await change({ auth: { enable_idp: true }, idp: { name: null, issuer_url: null, client_id: null } })
    } finally {
      await twin.stop()
    }
  })
})
