import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import type { Database } from '../../server/db/open.ts'
import { copyMigratedSqlite, migratedPostgres } from './migrated.ts'
import { createDatabase, postgresUrl } from './postgres.ts'
import { type ServerProcess, spawnServer } from './process.ts'
import { ADMIN, type Engine, serverEnv } from './server.ts'

/** A service in a separate process that can be killed and restarted on the same database and folder. */
export interface Killable {
  readonly folder: string
  readonly env: Record<string, string>
  readonly databaseUrl: string
  /** The latest process. */
  readonly running: ServerProcess
  /** Starts or restarts it, and signs the administrator in. */
  connect(): Promise<Client>
}

/** Creates one for the calling suite; afterwards it is stopped, and its database and folder are removed. */
export function killableService(engine: Engine, more: Record<string, string> = {}): Killable {
  let folder = ''
  let env: Record<string, string> = {}
  let running: ServerProcess | undefined
  let drop: (() => Promise<void>) | undefined
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-crash-'))
    const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl(), migratedPostgres) : undefined
    if (engine === 'sqlite') copyMigratedSqlite(path.join(folder, 'strongroom.db'))
    drop = postgres?.drop
    env = { ...serverEnv(folder, postgres?.url), ...more }
  })
  after(async () => {
    await running?.kill('SIGKILL')
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  return {
    get folder() {
      return folder
    },
    get env() {
      return env
    },
    get databaseUrl() {
      return env.DATABASE_URL ?? ''
    },
    get running() {
      if (!running) throw new Error('it was never started')
      return running
    },
    async connect() {
      running = await spawnServer(env)
      const anonymous = createClient({ baseUrl: running.url })
      const { access_token } = await anonymous.login({ body: { username: ADMIN.email, password: ADMIN.password } })
      return createClient({ baseUrl: running.url, token: access_token })
    },
  }
}

/**
 * Creates objects that share the bytes of the only existing one, each with a different size and with the MD5 of its key as
 * ETag, and a webhook endpoint for all events.
 */
export async function fillBeside(database: Database, keys: readonly string[]): Promise<void> {
  const seed = await database.db.selectFrom('objects').selectAll().executeTakeFirstOrThrow()
  const etag = (key: string) => createHash('md5').update(key).digest('hex')
  const rows = keys.map((key, i) => ({ ...seed, key, size: 1 + (i % 97), etag: etag(key) }))
  const bytes = rows.reduce((sum, { size }) => sum + size, 0)
  const created_at = new Date().toISOString()
  await database.transaction(async (tx) => {
    for (let i = 0; i < rows.length; i += 1000)
      await tx
        .insertInto('objects')
        .values(rows.slice(i, i + 1000))
        .execute()
    await tx
      .insertInto('bucket_usage')
      .values({ bucket_id: seed.bucket_id, shard: 99, bytes, objects: rows.length, trash_bytes: 0 })
      .execute()
    await tx
      .insertInto('webhooks')
      .values({ id: newId(), name: 'n', url: 'https://example.com/', events: '["*"]', secret: 's', created_at })
      .execute()
  })
}
