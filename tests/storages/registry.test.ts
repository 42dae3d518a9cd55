import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { it as always } from 'node:test'
import type { ErrorCode } from '../../contract/errors.ts'
import { readConfig } from '../../server/config/config.ts'
import { unsealSecret } from '../../server/drivers/routing/open.ts'
import { start } from '../../server/process/start.ts'
import { cephGateway, newBucket } from '../support/ceph.ts'
import { rejectsWith } from '../support/problems.ts'
import { strongroom } from '../support/process.ts'
import { describeEngines, dump, SECRET_KEY, startServer } from '../support/server.ts'
import { storagesWorld } from './storages.ts'

const gateway = await cephGateway()

/** Asserts that a call is refused with this code, and says why like this. */
async function refuses(call: Promise<unknown>, code: ErrorCode, why = /./): Promise<void> {
  assert.match((await rejectsWith(call, code)).problem.detail, why)
}

/** What an S3 storage is registered with: a place of its own on the tests' engine. */
function placeOn({ url, credentials }: NonNullable<typeof gateway>, prefix = new URL(url).pathname.slice(1)) {
  const { hostname: bucket, searchParams } = new URL(url)
  return {
    bucket,
    prefix,
    endpoint: searchParams.get('endpoint') as string,
    access_key_id: credentials.accessKeyId,
    secret_access_key: credentials.secretAccessKey,
  }
}

describeEngines('storages', (engine, itOnce) => {
  const world = storagesWorld(engine)
  const { folderOf } = world
  const here = { params: { storage: 'here' } }

  always('is registered, listed, turned off and on, and forgotten; nothing is written before it is used', async () => {
    const { server } = world
    const { admin } = server
    const folder = folderOf('here')
    const made = await server.records([{ action: 'storage_create' }], () =>
      admin.createStorage({ body: { name: 'here', kind: 'file', folder: `${folder}/../here` } }),
    )
    assert.deepEqual(made, {
      name: 'here',
      kind: 'file',
      endpoint: null,
      region: null,
      bucket: null,
      prefix: '',
      path_style: null,
      folder,
      access_key_id: null,
      enabled: true,
      bucket_count: 0,
      used_bytes: 0,
      events: false,
      served_by: null,
      mirror: null,
      scrub: null,
      health: null,
      created_at: server.clock.now().toISOString(),
      created_by: (await admin.me()).id,
    })
    assert.equal(fs.existsSync(folder), false)
    const { items } = await admin.listStorages()
    assert.deepEqual(
      items.map(({ name, kind }) => [name, kind]),
      [
        ['default', server.env.STORAGE_URL ? 's3' : 'file'],
        ['here', 'file'],
      ],
    )
    assert.deepEqual(await admin.getStorage(here), made)
    const off = await server.records([{ action: 'storage_update' }], () =>
      admin.updateStorage({ ...here, body: { enabled: false } }),
    )
    assert.deepEqual(off, { ...made, enabled: false })
    assert.equal((await admin.getStorageHealth(here)).detail, 'It is turned off.')
    await refuses(admin.createBucket({ body: { name: 'refused', storage: 'here' } }), 'conflict', /turned off/)
    assert.equal((await admin.updateStorage({ ...here, body: { enabled: true } })).enabled, true)
    assert.equal((await admin.getStorageHealth(here)).ok, true)
    await server.records([{ action: 'storage_delete' }], () => admin.deleteStorage(here))
    await refuses(admin.getStorage(here), 'not_found')
  })

  itOnce('refuses what cannot be a storage, and changes nothing', async () => {
    const { server } = world
    const { admin } = server
    const taken = await world.storage()
    const inside = (name: string) => ({ kind: 'file' as const, folder: folderOf(name) })
    const refused: [code: ErrorCode, body: object][] = [
      ['already_exists', { name: 'default', ...inside('x') }],
      ['already_exists', { name: taken, ...inside('x') }],
      ['conflict', { name: 'same-place', ...inside(taken) }],
      ['conflict', { name: 'away', bucket: 'away', endpoint: 'http://127.0.0.1:1' }],
      ['invalid_request', { name: 'No Name', ...inside('x') }],
      ['invalid_request', { name: 'no-bucket', endpoint: 'http://127.0.0.1:1' }],
      ['invalid_request', { name: 'half', bucket: 'half', access_key_id: 'x' }],
      ['invalid_request', { name: 'half', bucket: 'half', secret_access_key: 'x' }],
      ['invalid_request', { name: 'both', bucket: 'both', folder: folderOf('x') }],
      ['invalid_request', { name: 'outside', kind: 'file', folder: `${world.disks}-not` }],
      ['invalid_request', { name: 'above', kind: 'file', folder: `${folderOf('x')}/../../above` }],
      ['invalid_request', { name: 'relative', kind: 'file', folder: 'x' }],
      ['invalid_request', { name: 'dots', bucket: 'dots', prefix: 'a/../b' }],
      ['invalid_request', { name: 'query', bucket: 'query', endpoint: 'https://s3.example.org/?x=1' }],
      ['invalid_request', { name: 'login', bucket: 'login', endpoint: 'https://me:secret@s3.example.org' }],
    ]
    const before = await admin.listStorages()
    await server.records([], async () => {
      for (const [code, body] of refused) await refuses(admin.createStorage({ body } as never), code)
    })
    assert.deepEqual(await admin.listStorages(), before)
    const credentials = { access_key_id: 'id', secret_access_key: 'secret' }
    const away = await admin.testNewStorage({
      body: { bucket: 'away', endpoint: 'http://127.0.0.1:1', ...credentials },
    })
    assert.equal(away.ok, false)
    assert.deepEqual(away.checks[0], {
      name: 'reach',
      status: 'failed',
      detail: 'The connection was refused: nothing listens at this address and port.',
    })
  })

  itOnce('a folder is tested without leaving anything there', async () => {
    const { admin } = world.server
    const folder = folderOf('tested')
    fs.mkdirSync(folder)
    const test = await admin.testNewStorage({ body: { kind: 'file', folder } })
    assert.equal(test.ok, true)
    assert.deepEqual(
      test.checks.flatMap(({ name, status }) => (status === 'skipped' ? [] : [[name, status]])),
      [
        ['reach', 'passed'],
        ['write', 'passed'],
      ],
    )
    assert.deepEqual(fs.readdirSync(folder), [])
  })

  itOnce('the place of another service or storage is refused, whatever it is called', async () => {
    const { server } = world
    const { admin } = server
    const [one, other] = [await world.storage(), await world.storage()]
    await world.bucket(one)
    // The same disk by another path.
    fs.symlinkSync(folderOf(one), folderOf(other))
    await refuses(admin.createBucket({ body: { name: 'elsewhere', storage: other } }), 'conflict', /another storage/)
    const third = await world.storage()
    fs.mkdirSync(folderOf(third))
    fs.writeFileSync(path.join(folderOf(third), 'instance-id'), 'another\n')
    await refuses(admin.createBucket({ body: { name: 'elsewhere', storage: third } }), 'conflict', /another Strongroom/)
    await refuses(admin.getBucket({ params: { bucket: 'elsewhere' } }), 'not_found')
  })

  itOnce('the place of a storage that was forgotten can be used again', async () => {
    const { admin } = world.server
    const one = await world.storage()
    const bucket = await world.bucket(one)
    await admin.deleteBucket({ params: { bucket } })
    await world.server.running.tick('trash-expiry')
    await world.collect()
    await admin.deleteStorage({ params: { storage: one } })
    await admin.createStorage({ body: { name: 'again', kind: 'file', folder: folderOf(one) } })
    await admin.createBucket({ body: { name: 'on-it-again', storage: 'again' } })
    await world.put('on-it-again', 'k', 'bytes')
    assert.equal(await world.get('on-it-again', 'k'), 'bytes')
  })

  itOnce('an S3 storage keeps its secret to itself, also while its key is changed', { skip: !gateway }, async () => {
    const { server } = world
    const { admin } = server
    if (!gateway) return
    const place = placeOn({ ...gateway, url: newBucket(gateway) })
    server.secrets.add(place.secret_access_key)
    const params = { storage: 'engine' }
    const made = await admin.createStorage({ body: { name: 'engine', ...place } })
    assert.deepEqual([made.kind, made.prefix, made.access_key_id], ['s3', `${place.prefix}/`, place.access_key_id])
    const test = await admin.testStorage({ params })
    assert.deepEqual(
      test.checks.filter(({ status }) => status === 'failed'),
      [],
    )
    await world.bucket('engine')
    await refuses(
      admin.updateStorage({ params, body: { secret_access_key: 'not the secret' } }),
      'conflict',
      /secret access key is wrong/,
    )
    const changed = await server.records([{ action: 'storage_update' }], () =>
      admin.updateStorage({ params, body: { secret_access_key: place.secret_access_key, region: 'eu-central-1' } }),
    )
    assert.equal(changed.region, 'eu-central-1')
    assert.equal((await dump(server.database, engine)).includes(place.secret_access_key), false)
    const text = JSON.stringify([await admin.listStorages(), await admin.listAudit()])
    assert.equal(text.includes(place.secret_access_key), false)
  })

  itOnce('rotate-secrets encrypts it with the new SECRET_KEY', { skip: !gateway }, async () => {
    if (!gateway) return
    const other = await startServer(engine)
    try {
      const place = placeOn({ ...gateway, url: newBucket(gateway) })
      await other.admin.createStorage({ body: { name: 'rotated', ...place } })
      const secretOf = async () =>
        (await other.database.db.selectFrom('storages').select('secret').executeTakeFirstOrThrow()).secret ?? ''
      const before = await secretOf()
      const keys = { SECRET_KEY: 'another key of tests that is long enough', SECRET_KEY_PREVIOUS: SECRET_KEY }
      const next = readConfig({ ...other.env, ...keys, LOG_LEVEL: 'silent' })
      await (await start(next, { now: other.clock.now, timers: false })).stop()
      const done = await strongroom(['rotate-secrets'], { ...other.env, ...keys, LOG_LEVEL: 'error' })
      assert.equal(done.code, 0, done.err)
      const config = readConfig({ ...other.env, SECRET_KEY: keys.SECRET_KEY })
      assert.throws(() => unsealSecret(config, 'rotated', before))
      assert.equal(unsealSecret(config, 'rotated', await secretOf()), place.secret_access_key)
      assert.throws(() => unsealSecret(config, 'another', 'v1.x.y.z'))
    } finally {
      await other.stop()
    }
  })
})
