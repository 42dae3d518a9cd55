import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { type Client, createClient } from '../../client/derived.ts'
import type { ActionName } from '../../contract/actions.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Database, openDatabase } from '../../server/db/open.ts'
import type { Row, Schema } from '../../server/db/schema.ts'
import { MARK } from '../../server/drivers/driver.ts'
import { openStorage } from '../../server/drivers/open.ts'
import { type Running, start } from '../../server/process/start.ts'
import { poorStatements } from './bounds.ts'
import { cephGateway, newBucket, noGateway } from './ceph.ts'
import { brokenStatements } from './log-faults.ts'
import { copyMigratedSqlite, migratedPostgres } from './migrated.ts'
import { createDatabase, postgresUrl } from './postgres.ts'
import { bareEnv } from './process.ts'

export type Engine = 'sqlite' | 'postgres'
export const engines: readonly Engine[] = ['sqlite', 'postgres']

/**
 * TEST_STORAGE=s3 runs every service on a real S3 engine and PostgreSQL, as two processes that take turns: the same suites
 * on a deployment for more than one machine.
 */
export const onS3 = process.env.TEST_STORAGE === 's3'

const nothing = Object.assign(() => Promise.resolve(), it) as typeof it

/**
 * The same suite on both databases, with files; or on PostgreSQL with S3. `it` is for whatever SQL, locks, isolation or key
 * order can affect, and for one case that shows each feature working. Other cases run once:
 * - `itOnce` those that depend neither on the database nor on the storage (validation, permissions, headers, wording,
 *   formats): on SQLite with files;
 * - `itStored` those about bytes that are written or read: on SQLite with files, and on S3;
 * - `itRaced` those about several that write at once, which SQLite lets one after the other: on PostgreSQL, and on S3.
 */
export const describeEngines = (
  name: string,
  suite: (engine: Engine, itOnce: typeof it, itStored: typeof it, itRaced: typeof it) => void,
): void => {
  if (onS3) describe(`${name} (postgres, s3, two services)`, () => suite('postgres', nothing, it, it))
  else
    for (const engine of engines) {
      const [once, raced] = engine === 'sqlite' ? [it, nothing] : [nothing, it]
      describe(`${name} (${engine})`, () => suite(engine, once, once, raced))
    }
}

/** A suite that does not depend on the database: on SQLite with files; or on PostgreSQL with S3. */
export const describeOnce = (name: string, suite: (engine: Engine) => void): void => {
  if (onS3) describe(`${name} (postgres, s3, two services)`, () => suite('postgres'))
  else describe(`${name} (sqlite)`, () => suite('sqlite'))
}

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }
export const SECRET_KEY = 'a secret key of tests that is long enough'

/** For suites about the storage, whose bodies are small: none goes into the database. */
export const STORED = { INLINE_MAX_BYTES: '0' }

/** A clock that moves only when told to. */
export class Clock {
  #time = new Date('2026-01-01T00:00:00.000Z')
  now = (): Date => new Date(this.#time)
  /** Advances by milliseconds. */
  advance(ms: number): void {
    this.#time = new Date(this.#time.getTime() + ms)
  }
}

/** A recorded action, reduced to what tests compare. */
export interface Seen {
  action: ActionName
  bucket?: string
  key?: string
  result?: string
}

export interface TestServer {
  /** Where it listens; alternates between two services. */
  readonly url: string
  engine: Engine
  env: Record<string, string>
  clock: Clock
  running: Running
  /** The test's own connection to the same database. */
  database: Database
  folder: string
  /** The first administrator, with a token that `later` keeps fresh. */
  admin: Client
  readonly adminToken: string
  /** Advances the clock and logs the administrator in again. */
  later(ms: number): Promise<void>
  /** A client for a credential. */
  as(token?: string): Client
  /** Logs in and returns the access token. */
  login(email: string, password: string): Promise<string>
  /** Creates a user in a new group with these grants and returns the user's token. */
  userWith(...grants: { bucket_pattern: string; prefix?: string; actions: GrantActions }[]): Promise<string>
  /** Paths of all files in the blob folder, relative to it; on S3 the ids of all blobs. */
  stored(): Promise<string[]>
  /** The same synchronously; on S3 it takes another process. */
  files(): string[]
  /** Everything logged so far. */
  logged(): string
  /** Texts that must be found neither in the database nor in the log: asserted when the server stops. */
  secrets: Set<string>
  /** Runs `work` and asserts that it records exactly these actions, in this order. */
  records<T>(expected: readonly Seen[], work: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}
type GrantActions = NonNullable<Parameters<Client['createGroup']>[0]['body']['grants']>[number]['actions']

/** The environment of a test's service: its own folder, with SQLite in it unless a database is given. */
export const serverEnv = (folder: string, databaseUrl?: string) => ({
  SECRET_KEY,
  DATA_DIR: folder,
  DATABASE_URL: databaseUrl ?? `sqlite:${path.join(folder, 'strongroom.db')}`,
  PORT: '0',
  BCRYPT_COST: '10',
  BOOTSTRAP_ADMIN_EMAIL: ADMIN.email,
  BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
  // Those that damage something say what they expect of it.
  SCRUB_DAYS: '0',
  LOG_LEVEL: 'warn',
  // A suite is one client whose clock stands still; limits.test.ts sets its own limits.
  RATE_LIMIT_PUBLIC: '0',
  RATE_LIMIT_COSTLY: '0',
})

function listS3(env: Record<string, string>): string[] {
  const open = path.join(import.meta.dirname, '../../server/drivers/open.ts')
  const config = path.join(import.meta.dirname, '../../server/config/config.ts')
  const code = `import { openStorage } from ${JSON.stringify(open)}
    import { readConfig } from ${JSON.stringify(config)}
    const blobs = await openStorage(readConfig(process.env))
    for await (const { id } of blobs.list()) console.log(id)
    await blobs.close()`
  const args = ['--input-type=module', '--eval', code]
  return execFileSync(process.execPath, args, { env: { ...bareEnv, ...env }, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
    .sort()
}

async function s3Env(): Promise<Record<string, string>> {
  if (!onS3) return {}
  const gateway = await cephGateway()
  if (!gateway) throw new Error(noGateway)
  const { accessKeyId, secretAccessKey } = gateway.credentials
  return {
    STORAGE_URL: newBucket(gateway),
    ...STORED,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  }
}

/** Starts a whole service on its own database and folder, listening on 127.0.0.1. */
export async function startServer(engine: Engine, env: Record<string, string> = {}): Promise<TestServer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-test-'))
  const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl(), migratedPostgres) : undefined
  if (engine === 'sqlite') copyMigratedSqlite(path.join(folder, 'strongroom.db'))
  const fullEnv = { ...serverEnv(folder, postgres?.url), ...(await s3Env()), LOG_LEVEL: 'debug', ...env }
  const secrets = new Set([ADMIN.password, SECRET_KEY])
  const clock = new Clock()
  let log = ''
  const logTo = new Writable({
    write(chunk, _encoding, done) {
      log += chunk
      if (process.env.TEST_LOG && /"level":[56]0/.test(String(chunk))) process.stderr.write(chunk)
      done()
    },
  })
  const asked = readConfig(fullEnv)
  // Tests log in all the time: even at the lowest cost allowed in production, that would be half of their run time.
  const config = env.BCRYPT_COST === undefined ? { ...asked, bcryptCost: 4 } : asked
  const running = await start(config, { now: clock.now, timers: false, logTo })
  // A second service cannot use the same fixed port.
  const twin =
    onS3 && fullEnv.PORT === '0' ? await start({ ...config }, { now: clock.now, timers: false, logTo }) : undefined
  const services = twin ? [running, twin] : [running]
  let turn = 0
  const nextUrl = () => services[turn++ % services.length]?.url ?? running.url
  const takingTurns: typeof fetch = (input, init) => fetch(String(input).replace(running.url, nextUrl()), init)
  const database = await openDatabase(fullEnv.DATABASE_URL)
  const as = (token?: string) =>
    createClient({ baseUrl: running.url, fetch: takingTurns, ...(token === undefined ? {} : { token }) })
  const login = async (email: string, password: string) =>
    (await as().login({ body: { username: email, password } })).access_token
  let adminToken = await login(ADMIN.email, ADMIN.password)
  const admin = createClient({ baseUrl: running.url, fetch: takingTurns, token: () => adminToken })
  let people = 0

  const files = () =>
    onS3
      ? listS3(fullEnv)
      : fs
          .readdirSync(path.join(folder, 'blobs'), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && entry.name !== MARK)
          .map((entry) => path.relative(path.join(folder, 'blobs'), path.join(entry.parentPath, entry.name)))
  const auditIds = async () =>
    (await database.db.selectFrom('audit').select('id').orderBy('id').execute()).map(({ id }) => id)
  return {
    get url() {
      return nextUrl()
    },
    engine,
    env: fullEnv,
    clock,
    running: {
      ...running,
      async tick(only) {
        for (const service of services) await service.tick(only)
      },
    },
    database,
    folder,
    admin,
    get adminToken() {
      return adminToken
    },
    async later(ms) {
      clock.advance(ms)
      adminToken = await login(ADMIN.email, ADMIN.password)
    },
    as,
    login,
    async userWith(...grants) {
      const n = ++people
      const group = await admin.createGroup({ body: { name: `Group ${n}`, grants } })
      const email = `person${n}@example.com`
      const password = `password of ${n}`
      secrets.add(password)
      await admin.createUser({ body: { email, display_name: `Person ${n}`, password, group_ids: [group.id] } })
      return login(email, password)
    },
    async stored() {
      if (!onS3) return files()
      const blobs = await openStorage(readConfig(fullEnv))
      const ids = (await Array.fromAsync(blobs.list())).map(({ id }) => id).sort()
      await blobs.close()
      return ids
    },
    files,
    logged: () => log,
    secrets,
    async records(expected, work) {
      const before = new Set(await auditIds())
      const result = await work()
      // Reads only what was added to the log, not the whole log of a long suite.
      const first = (await auditIds()).find((id) => !before.has(id))
      const since = first === undefined ? [] : await allActions(database, first)
      const recorded = since.filter(({ id }) => !before.has(id))
      assert.deepEqual(
        recorded.map(({ action, bucket, object_key, result }) => ({
          action,
          ...(bucket === null ? {} : { bucket }),
          ...(object_key === null ? {} : { key: object_key }),
          ...(result === 'success' ? {} : { result }),
        })),
        expected,
      )
      return result
    },
    async stop() {
      for (const service of services) await service.stop()
      const kept = await dump(database, engine).catch((error: { code?: string }) => {
        // 3D000: the test itself dropped the database.
        if (error.code === '3D000') return ''
        throw error
      })
      await database.close()
      await postgres?.drop()
      fs.rmSync(folder, { recursive: true, force: true })
      assertHoldsNoSecret('database', kept, secrets)
      assertHoldsNoSecret('log', log, secrets)
      assert.deepEqual(brokenStatements(log), [])
      assert.deepEqual(poorStatements(), [])
    },
  }
}

/** Every audit record from an id on, in the order of creation. */
export const allActions = ({ db }: Pick<Database, 'db'>, from = ''): Promise<Row<'audit'>[]> =>
  db.selectFrom('audit').selectAll().where('id', '>=', from).orderBy('id').execute()

const ROWS = 5000
/** The contents of all tables but `bodies`, up to a number of rows each. */
export async function dump({ db }: Database, engine: Engine): Promise<string> {
  const tables =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables where table_schema = 'public'`
  const executor = db as Kysely<Schema>
  const texts: string[] = []
  const { rows } = await tables.execute(executor)
  for (const { name } of rows.filter((table) => table.name !== 'bodies'))
    texts.push(JSON.stringify((await sql`select * from ${sql.table(name)} limit ${ROWS}`.execute(executor)).rows))
  return texts.join('\n')
}

/** Any of 53 characters may follow a bcrypt hash's salt and cost, so that its end can look like a JWT. */
const BCRYPT = /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/g

/** The first personal access token or JWT in a text, or of the texts that are known to be secret; undefined without one. */
export function secretIn(text: string, secrets: ReadonlySet<string>): string | undefined {
  const pattern = /svc_(?:pat|agent|mcp)_[0-9A-Za-z]{36}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+/
  return pattern.exec(text.replaceAll(BCRYPT, ''))?.[0] ?? [...secrets].find((one) => text.includes(one))
}

function assertHoldsNoSecret(where: string, text: string, secrets: ReadonlySet<string>): void {
  assert.equal(secretIn(text, secrets), undefined, `the ${where} holds a secret`)
}
