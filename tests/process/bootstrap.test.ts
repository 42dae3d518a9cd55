// What a start creates by BOOTSTRAP_… variables, what it leaves, and what it refuses.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { createClient } from '../../client/derived.ts'
import { ConfigError, readConfig } from '../../server/config/config.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import { type Running, start } from '../../server/process/start.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { ADMIN, allActions, Clock, describeEngines, serverEnv } from '../support/server.ts'

const KEY = { BOOTSTRAP_ACCESS_KEY_ID: 'app-key', BOOTSTRAP_SECRET_ACCESS_KEY: 'a-secret/of+the=app' }
const BUCKETS = { BOOTSTRAP_BUCKETS: 'photos, backups:50GB,logs:versioned:1.5TB' }

describeEngines('a start by environment alone', (engine, itOnce) => {
  let folder: string
  let env: Record<string, string>
  let database: Database
  let drop: (() => Promise<void>) | undefined
  const services: Running[] = []
  let clock: Clock
  let log = ''
  const logTo = new Writable({
    write(chunk, _encoding, done) {
      log += chunk
      done()
    },
  })
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-bootstrap-'))
  })
  beforeEach(async () => {
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    drop = postgres?.drop
    env = { ...serverEnv(fs.mkdtempSync(path.join(folder, 'x-')), postgres?.url), S3_PORT: '0' }
    database = await openDatabase(env.DATABASE_URL as string)
    clock = new Clock()
    log = ''
  })
  afterEach(async () => {
    await stopServices()
    await database.close()
    await drop?.()
    assert.ok(!log.includes(KEY.BOOTSTRAP_SECRET_ACCESS_KEY), 'the log holds the secret')
  })
  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  const serve = async (more: Record<string, string>) => {
    const running = await start(readConfig({ ...env, ...more }), { now: clock.now, timers: false, logTo })
    services.push(running)
    return running
  }
  const stopServices = async () => {
    for (const one of services.splice(0)) await one.stop()
  }
  const clientOf = (
    { s3Url }: Running,
    { accessKeyId = KEY.BOOTSTRAP_ACCESS_KEY_ID, secret = KEY.BOOTSTRAP_SECRET_ACCESS_KEY } = {},
  ) =>
    new s3.S3Client({
      endpoint: s3Url as string,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      systemClockOffset: clock.now().getTime() - Date.now(),
      credentials: { accessKeyId, secretAccessKey: secret },
    })
  const adminOf = async ({ url }: Running) => {
    const { access_token } = await createClient({ baseUrl: url }).login({
      body: { username: ADMIN.email, password: ADMIN.password },
    })
    return createClient({ baseUrl: url, token: access_token })
  }
  const recorded = async () =>
    (await allActions(database)).map(({ action, actor_type }) => `${action} by ${actor_type}`)
  /** The warnings logged so far, and no longer. */
  const warnings = (): { [field: string]: unknown }[] => {
    const lines = log.split('\n').filter(Boolean)
    log = ''
    return lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn' || level >= 40)
  }

  it('creates the administrator, the key and the buckets; the first PutObject works', async () => {
    const running = await serve({ ...KEY, ...BUCKETS })
    assert.deepEqual(await recorded(), [
      ...['group_create', 'user_create'].map((name) => `${name} by system`),
      ...['create_bucket', 'create_bucket', 'create_bucket', 'access_key_create'].map((name) => `${name} by system`),
    ])
    const client = clientOf(running)
    await client.send(new s3.PutObjectCommand({ Bucket: 'photos', Key: 'first.txt', Body: 'the first' }))
    const { Body } = await client.send(new s3.GetObjectCommand({ Bucket: 'photos', Key: 'first.txt' }))
    assert.equal(await Body?.transformToString(), 'the first')
    const { items } = await (await adminOf(running)).listBuckets()
    assert.deepEqual(
      items.map(({ name, quota_gb, versioning }) => [name, quota_gb, versioning]),
      [
        ['backups', 50, 'off'],
        ['logs', 1536, 'enabled'],
        ['photos', null, 'off'],
      ],
    )
    assert.deepEqual(warnings(), [])
  })

  it('changes nothing on a second start, nor when several start at once', async () => {
    await Promise.all([serve({ ...KEY, ...BUCKETS }), serve({ ...KEY, ...BUCKETS })])
    await stopServices()
    const before = await recorded()
    assert.deepEqual(before.toSorted(), [
      'access_key_create by system',
      'create_bucket by system',
      'create_bucket by system',
      'create_bucket by system',
      'group_create by system',
      'user_create by system',
    ])
    await serve({ ...KEY, ...BUCKETS })
    assert.deepEqual(await recorded(), before)
    assert.deepEqual(warnings(), [])
  })

  itOnce('says what differs, and leaves it', async () => {
    const first = await serve({ ...KEY, ...BUCKETS })
    await (await adminOf(first)).updateBucket({ params: { bucket: 'photos' }, body: { quota_gb: 7 } })
    await stopServices()
    const before = await recorded()
    const second = await serve({
      BOOTSTRAP_ACCESS_KEY_ID: KEY.BOOTSTRAP_ACCESS_KEY_ID,
      BOOTSTRAP_SECRET_ACCESS_KEY: 'another-secret',
      BOOTSTRAP_BUCKETS: 'photos:versioned,backups:60GB,logs',
    })
    assert.deepEqual(
      warnings().map(({ bucket, access_key_id, differences }) => [bucket ?? access_key_id, differences]),
      [
        ['photos', ['it does not keep versions']],
        ['backups', ['its quota is 50 GB instead of 60 GB']],
        ['app-key', ['its secret is another one']],
      ],
    )
    assert.deepEqual(await recorded(), before)
    await clientOf(second).send(new s3.HeadBucketCommand({ Bucket: 'photos' }))
    await assert.rejects(clientOf(second, { secret: 'another-secret' }).send(new s3.ListBucketsCommand({})), {
      name: 'SignatureDoesNotMatch',
    })
  })

  itOnce('does not bring a revoked key back', async () => {
    const first = await serve(KEY)
    const admin = await adminOf(first)
    const { items } = await admin.listAccessKeys()
    await admin.revokeAccessKey({ params: { id: items[0]?.id as string } })
    await stopServices()
    const second = await serve(KEY)
    assert.deepEqual(
      warnings().map(({ differences }) => differences),
      [['it is revoked']],
    )
    await assert.rejects(clientOf(second).send(new s3.ListBucketsCommand({})), { name: 'InvalidAccessKeyId' })
  })

  itOnce('gives the key to the oldest administrator if there is none with BOOTSTRAP_ADMIN_EMAIL', async () => {
    await serve({})
    await stopServices()
    const second = await serve({ ...KEY, BOOTSTRAP_ADMIN_EMAIL: 'someone-else@example.com' })
    const admin = await adminOf(second)
    assert.deepEqual(
      (await admin.listAccessKeys()).items.map(({ access_key_id, name }) => [access_key_id, name]),
      [['app-key', 'Bootstrap']],
    )
    assert.deepEqual(
      (await admin.listUsers()).items.map(({ email }) => email),
      [ADMIN.email],
    )
  })

  itOnce('creates an administrator, not a setup link, if it is to have a key', async () => {
    const { BOOTSTRAP_ADMIN_EMAIL: _email, BOOTSTRAP_ADMIN_PASSWORD: _password, ...rest } = env
    env = rest
    const { first } = await serve(KEY)
    assert.equal(first.setupLink, undefined)
    assert.equal(first.admin?.email, 'admin@strongroom.local')
    assert.ok(first.admin?.password)
  })
})

it('says all that is wrong with the variables, before anything is created', () => {
  const faultsOf = (more: Record<string, string>) => {
    try {
      readConfig({ SECRET_KEY: 'x'.repeat(32), ...more })
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.message
    }
    return assert.fail('it was accepted')
  }
  for (const [given, said] of [
    ['Photos', 'not a name for a bucket'],
    ['photos,photos', 'has "photos" twice'],
    ['photos:50', 'has "50" for photos'],
    ['photos:0GB', 'has "0GB"'],
    ['photos:2000000GB', 'has "2000000GB"'],
    ['photos:5GB:6GB', 'has "6GB"'],
    ['photos:versioned:versioned', 'each once'],
    ['photos:', 'has ""'],
  ] as const)
    assert.ok(
      faultsOf({ BOOTSTRAP_BUCKETS: given }).includes(said),
      `${given}: ${faultsOf({ BOOTSTRAP_BUCKETS: given })}`,
    )
  assert.match(
    faultsOf({ BOOTSTRAP_ACCESS_KEY_ID: 'a b', BOOTSTRAP_SECRET_ACCESS_KEY: 'short' }),
    /BOOTSTRAP_ACCESS_KEY_ID must be 3 to 128.*BOOTSTRAP_SECRET_ACCESS_KEY must be 8 to 128/s,
  )
  assert.match(faultsOf({ BOOTSTRAP_ACCESS_KEY_ID: 'app' }), /BOOTSTRAP_SECRET_ACCESS_KEY is required/)
  assert.match(faultsOf({ BOOTSTRAP_SECRET_ACCESS_KEY: 'long enough' }), /BOOTSTRAP_ACCESS_KEY_ID is required/)
})
