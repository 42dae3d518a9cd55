import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Configuration } from '../../contract/configuration.ts'
import { type Foreign, foreignBucket } from '../attached/foreign.ts'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const gateway = await cephGateway()

describeEngines('storages of a configuration', (engine) => {
  let server: TestServer
  let folder: string
  let foreign: Foreign | undefined
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-apply-'))
    server = await startServer(engine, { STORAGE_FOLDERS: folder })
  })
  after(async () => {
    await server.stop()
    await foreign?.empty()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const apply = (configuration: Configuration, more: { dry_run?: boolean; prune?: boolean } = {}) =>
    server.admin.apply({ body: { configuration, ...more } })

  it('are registered before the buckets on them, turned off, and forgotten when nothing is there', async () => {
    const disk = { name: 'disk', kind: 'file' as const, folder: `${folder}/disk/` }
    const configuration: Configuration = {
      storages: [disk, { name: 'spare', kind: 'file', folder: path.join(folder, 'spare'), enabled: false }],
      buckets: [{ name: 'on-disk', storage: 'disk' }],
    }
    for (const name of ['disk', 'spare']) fs.mkdirSync(path.join(folder, name))
    await server.records(
      [{ action: 'storage_create' }, { action: 'storage_create' }, { action: 'create_bucket', bucket: 'on-disk' }],
      () => apply(configuration),
    )
    assert.equal((await server.admin.getBucket({ params: { bucket: 'on-disk' } })).storage, 'disk')
    const again = await server.records([], () => apply(configuration))
    assert.deepEqual([again.changes, again.unchanged], [[], 3])
    await server.records([], () =>
      rejectsWith(
        apply({ storages: [{ ...disk, folder: path.join(folder, 'other') }] }),
        'invalid_request',
        'body.configuration.storages.0.folder',
      ),
    )
    const pruned = await server.records([{ action: 'storage_delete' }], () => apply({ storages: [] }, { prune: true }))
    assert.deepEqual(
      pruned.changes.map(({ name, effects }) => [name, effects]),
      [['spare', ['It is forgotten; what is there stays.']]],
    )
    assert.deepEqual(pruned.kept, [{ kind: 'storages', name: 'disk', reason: 'Something of ours still lies there.' }])
    await server.records([{ action: 'storage_update' }], () => apply({ storages: [{ name: 'disk', enabled: false }] }))
  })

  it('of an engine show what is there in attached buckets, and compare secrets that are never returned', {
    skip: gateway ? false : noGateway,
  }, async () => {
    if (!gateway) return
    foreign = await foreignBucket(gateway)
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = gateway.credentials
    server.secrets.add(secret_access_key)
    const endpoint = new URL(gateway.url).searchParams.get('endpoint') ?? ''
    const storage = { name: 'ceph', endpoint: `${endpoint}/`, bucket: foreign.bucket, access_key_id, secret_access_key }
    const configuration: Configuration = {
      storages: [storage],
      buckets: [{ name: 'shown', storage: 'ceph', mode: 'read_only', prefix: 'photos' }],
    }
    await server.records(
      [{ action: 'storage_create' }, { action: 'create_bucket', bucket: 'shown' }, { action: 'scan', bucket: 'shown' }],
      async () => {
        await apply(configuration)
        await until(async () => {
          await server.running.tick('attached-scans')
          const { items } = await server.admin.listScans({ params: { bucket: 'shown' } })
          return items[0]?.status === 'succeeded'
        })
      },
    )
    assert.deepEqual((await server.records([], () => apply(configuration))).changes, [])
    await server.records([], () =>
      rejectsWith(
        apply({ buckets: [{ name: 'shown', quota_gb: 1 }] }),
        'invalid_request',
        'body.configuration.buckets.0.quota_gb',
      ),
    )
    // A secret that does not open it is a change that fails.
    const wrong = await server.records([], () => apply({ storages: [{ ...storage, secret_access_key: 'another' }] }))
    assert.deepEqual(
      wrong.changes.map(({ fields, result, problem }) => [fields, result, problem?.code]),
      [[[{ field: 'secret_access_key', before: null, after: null, secret: true }], 'failed', 'conflict']],
    )
    const pruned = await server.records([], () =>
      apply({ buckets: [{ name: 'on-disk' }] }, { prune: true, dry_run: true }),
    )
    assert.deepEqual(pruned.kept, [
      { kind: 'buckets', name: 'shown', reason: 'Objects of others are in it. Release it instead.' },
    ])
  })
})
