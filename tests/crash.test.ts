import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { type Client, createClient, ProblemError } from '../contract/client.ts'
import { readConfig } from '../server/config.ts'
import { openDatabase } from '../server/db/open.ts'
import { start } from '../server/start.ts'
import { createDatabase, postgresUrl } from './support/postgres.ts'
import { type ServerProcess, spawnServer } from './support/process.ts'
import { ADMIN, describeEngines, SECRET_KEY } from './support/server.ts'

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
const UPLOADS = 200
const IN_FLIGHT = 32

describeEngines('kill -9 in the middle of 200 parallel uploads', (engine) => {
  let env: Record<string, string>
  let folder: string
  let running: ServerProcess | undefined
  let drop: (() => Promise<void>) | undefined

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stowage-crash-'))
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    drop = postgres?.drop
    env = {
      SECRET_KEY,
      DATA_DIR: folder,
      DATABASE_URL: postgres?.url ?? `sqlite:${path.join(folder, 'stowage.db')}`,
      PORT: '0',
      BCRYPT_COST: '10',
      BOOTSTRAP_ADMIN_EMAIL: ADMIN.email,
      BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
      LOG_LEVEL: 'error',
    }
  })
  after(async () => {
    if (running && running.child.exitCode === null && running.child.signalCode === null) await running.kill('SIGKILL')
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  async function connect(): Promise<Client> {
    running = await spawnServer(env)
    const anonymous = createClient({ baseUrl: running.url })
    const { access_token } = await anonymous.login({ body: { username: ADMIN.email, password: ADMIN.password } })
    return createClient({ baseUrl: running.url, token: access_token })
  }

  it('keeps every acknowledged object whole, shows no part, counts exactly and leaves nothing behind', async () => {
    const sent = new Map<string, string>()
    const acknowledged = new Set<string>()
    let client = await connect()
    await client.createBucket({ body: { name: 'crash' } })

    for (let round = 0; round < 3; round++) {
      const killAt = acknowledged.size + randomInt(20, 90)
      let next = 0
      let dead: Promise<unknown> | undefined
      const upload = async (): Promise<void> => {
        while (next < UPLOADS && !dead) {
          const key = `${round}/${next++}`
          const body = randomBytes(randomInt(0, 4) === 0 ? randomInt(100_000, 2_000_000) : randomInt(0, 20_000))
          sent.set(key, md5(body))
          try {
            const object = await client.putObject({ params: { name: 'crash', key }, query: {}, body })
            assert.equal(object.etag, sent.get(key))
            acknowledged.add(key)
          } catch (error) {
            assert.ok(!(error instanceof ProblemError), `refused: ${error}`)
          }
          if (acknowledged.size >= killAt) dead ??= running?.kill('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: IN_FLIGHT }, upload))
      assert.equal(await dead, 'SIGKILL')
      client = await connect()
      await checkEverything(client, sent, acknowledged)
    }
    await client.updateBucket({ params: { name: 'crash' }, body: { trash_days: 0 } })
    assert.equal(await running?.kill('SIGTERM'), 0)
    await checkLeftovers()
  })

  async function checkEverything(client: Client, sent: Map<string, string>, acknowledged: Set<string>) {
    const found = new Map<string, number>()
    let cursor: string | undefined
    do {
      const page = await client.listObjects({ params: { name: 'crash' }, query: { limit: 1000, cursor } })
      for (const { key, size, etag } of page.items) {
        assert.equal(etag, sent.get(key), `${key} is not what was sent`)
        found.set(key, size)
      }
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    for (const key of acknowledged) assert.ok(found.has(key), `${key} was acknowledged and is lost`)
    for (const [key, size] of found) {
      const response = await client.getObject({ params: { name: 'crash', key } })
      const bytes = new Uint8Array(await response.arrayBuffer())
      assert.equal(bytes.length, size)
      assert.equal(md5(bytes), sent.get(key))
    }
    const bucket = await client.getBucket({ params: { name: 'crash' } })
    assert.equal(bucket.object_count, found.size)
    assert.equal(
      bucket.used_bytes,
      [...found.values()].reduce((sum, size) => sum + size, 0),
    )
    const { total } = await client.listAudit({ query: { action: ['upload'], bucket: 'crash' } })
    assert.equal(total, found.size, 'one record per object')
  }

  async function checkLeftovers() {
    const later = new Date(Date.now() + 3 * 3600_000)
    const quiet = fs.createWriteStream('/dev/null')
    const service = await start(readConfig(env), { now: () => later, timers: false, logTo: quiet })
    await service.tick()
    await service.stop()
    const database = await openDatabase(env.DATABASE_URL ?? '')
    const rows = await database.db.selectFrom('objects').select('blob_id').execute()
    assert.equal((await database.db.selectFrom('blob_removals').selectAll().execute()).length, 0)
    assert.equal((await database.db.selectFrom('blobs').selectAll().execute()).length, rows.length)
    await database.close()
    const files = fs
      .readdirSync(path.join(folder, 'blobs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
    assert.deepEqual(files.sort(), rows.map(({ blob_id }) => blob_id).sort())
  }
})
