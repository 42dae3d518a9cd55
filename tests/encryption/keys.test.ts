import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { after, before, it } from 'node:test'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { blobFile } from '../support/blob-file.ts'
import { strongroom } from '../support/process.ts'
import { describeEngines, describeOnce, SECRET_KEY, startServer, type TestServer } from '../support/server.ts'

const B = 'keys'
const HOUR = 3_600_000

/** A bucket whose contents are encrypted, with some of each size. */
async function fill(server: TestServer): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  await server.admin.createBucket({ body: { name: B, encryption: { algorithm: 'AES256' } } })
  const bodies = new Map([10, 20_000, 200_000].map((size) => [`of ${size}`, randomBytes(size)]))
  for (const [key, body] of bodies) await server.admin.putObject({ params: { bucket: B, key }, body })
  return bodies
}

const bytesOf = async (server: TestServer, key: string) => {
  const answer = await server.admin.getObject({ params: { bucket: B, key } })
  return new Uint8Array(await answer.arrayBuffer())
}
async function assertReadable(server: TestServer, bodies: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [key, body] of bodies) assert.deepEqual(await bytesOf(server, key), new Uint8Array(body))
}
const versionsOf = async ({ database }: TestServer) =>
  (await database.db.selectFrom('encryption_keys').select('version').orderBy('version').execute()).map(
    ({ version }) => version,
  )

describeEngines('keys of encrypted contents', (engine, itOnce) => {
  let server: TestServer
  let bodies: Map<string, Uint8Array<ArrayBuffer>>
  before(async () => {
    server = await startServer(engine)
    bodies = await fill(server)
  })
  after(() => server.stop())
  const run = (...args: string[]) => strongroom(args, { ...server.env, LOG_LEVEL: 'error' })

  it('rotate-encryption-key rewraps every key while the service runs, and reads no body', async () => {
    const rows = () => server.database.db.selectFrom('blobs').select(['id', 'envelope', 'service_key']).execute()
    const before = new Map((await rows()).map((row) => [row.id, row]))
    const open = await server.admin.initUpload({
      params: { bucket: B },
      body: { key: 'in parts', file_size: 100 },
    })
    const done = await server.records([{ action: 'encryption_key_rotate' }], () => run('rotate-encryption-key'))
    assert.equal(done.code, 0, done.err)
    assert.equal(done.out, 'Key 2 is current: 3 object keys rewrapped.\n')
    for (const { id, envelope, service_key } of await rows()) {
      const was = before.get(id)
      if (was?.envelope == null) continue
      assert.equal(service_key, 2)
      assert.notEqual(envelope, was.envelope)
    }
    await assertReadable(server, bodies)
    // The upload was begun with the key before.
    const upload_id = open.upload_id
    const params = { token: open.urls[0]?.split('/').at(-1) ?? '' }
    const part = randomBytes(100)
    const { etag } = await server.admin.putPart({ params, body: part })
    await server.admin.completeUpload({ params: { bucket: B }, body: { upload_id, parts: [{ part_number: 1, etag }] } })
    assert.deepEqual(await bytesOf(server, 'in parts'), new Uint8Array(part))
    // The command has the clock of the machine.
    await server.database.transaction((tx) =>
      tx
        .updateTable('encryption_keys')
        .set({ retired_at: server.clock.now().toISOString() })
        .where('version', '=', 1)
        .execute(),
    )
    await server.later(2 * HOUR)
    await server.running.tick('service-keys')
    assert.deepEqual(await versionsOf(server), [2])
    bodies.set('in parts', part)
    await assertReadable(server, bodies)
  })

  it('goes on with a rotation that was broken off', async () => {
    await server.database.transaction(async (tx) => {
      // As a crash leaves it: there is a newer key, and one object has it.
      const { newServiceKey } = await import('../../server/encryption/service-keys.ts')
      await newServiceKey({ tx, config: readConfig(server.env), now: server.clock.now })
    })
    const done = await server.records([{ action: 'encryption_key_rotate' }], () => run('rotate-encryption-key'))
    assert.equal(done.out, 'Finished the rotation to key 3: 4 object keys rewrapped.\n')
    await assertReadable(server, bodies)
  })

  itOnce('a change of SECRET_KEY seals them with the new one, and needs the former one no more then', async () => {
    const keys = { SECRET_KEY: 'another key of tests that is long enough', SECRET_KEY_PREVIOUS: SECRET_KEY }
    const started = async (env: Record<string, string>) => {
      const config = readConfig({ ...server.env, ...env, LOG_LEVEL: 'silent' })
      await (await start(config, { now: server.clock.now, timers: false })).stop()
    }
    await started(keys)
    const env = { ...server.env, LOG_LEVEL: 'error' }
    await started({ SECRET_KEY: keys.SECRET_KEY })
    // And to a key of its own, which does not change with SECRET_KEY.
    const ENCRYPTION_KEY = 'a key for encryption that is long enough'
    const both = { SECRET_KEY: keys.SECRET_KEY, ENCRYPTION_KEY }
    await started(both)
    await started(both)
    const refused = async (given: Record<string, string>, message: RegExp) => {
      await assert.rejects(started(given), message)
      const command = await strongroom(['users', 'list'], { ...env, ...given })
      assert.equal(command.code, 1)
      assert.match(command.err, message)
    }
    await refused({ SECRET_KEY: keys.SECRET_KEY }, /the ENCRYPTION_KEY [0-9a-f]{8}/)
    await refused(
      { ...both, ENCRYPTION_KEY: 'a wrong key for encryption, long enough' },
      /the ENCRYPTION_KEY [0-9a-f]{8}.*ENCRYPTION_KEY_PREVIOUS/s,
    )
    // Back, for the service of the test.
    const back = { SECRET_KEY, SECRET_KEY_PREVIOUS: keys.SECRET_KEY, ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY }
    await started(back)
    await assertReadable(server, bodies)
  })
})

describeOnce('verify of encrypted contents', (engine) => {
  let server: TestServer
  let bodies: Map<string, Uint8Array<ArrayBuffer>>
  before(async () => {
    server = await startServer(engine, { INLINE_MAX_BYTES: '0' })
    bodies = await fill(server)
  })
  after(() => server.stop())

  const fileOf = (key: string) => blobFile(server, key)

  it('finds what was changed, and keys that cannot be had', async () => {
    const verify = (...more: string[]) => strongroom(['verify', ...more], { ...server.env, LOG_LEVEL: 'error' })
    const fine = await verify('--deep')
    assert.equal(fine.code, 0, fine.out)
    const file = await fileOf('of 20000')
    const good = fs.readFileSync(file)
    const bad = Buffer.from(good)
    bad[50] = (bad[50] ?? 0) ^ 1
    fs.writeFileSync(file, bad)
    const changed = await verify('--deep')
    assert.equal(changed.code, 1)
    assert.match(changed.out, /^different: the bytes of keys\/of 20000 /m)
    assert.match(changed.err, / 1 different/)
    fs.writeFileSync(file, good)
    const { envelope } = await server.database.db
      .selectFrom('blobs')
      .select('envelope')
      .where('size', '=', 20_000)
      .executeTakeFirstOrThrow()
    const swapped = JSON.stringify({ ...JSON.parse(envelope ?? ''), version: 77 })
    const setEnvelope = (to: string | null) =>
      server.database.transaction((tx) =>
        tx.updateTable('blobs').set({ envelope: to }).where('size', '=', 20_000).execute(),
      )
    await setEnvelope(swapped)
    const lost = await verify()
    assert.match(lost.out, /^sealed: the bytes of keys\/of 20000 .*There is no service key 77/m)
    assert.match(lost.err, / 1 sealed/)
    await assert.rejects(bytesOf(server, 'of 20000'))
    await setEnvelope(envelope)
    await assertReadable(server, bodies)
  })
})
