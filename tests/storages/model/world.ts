import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Client, createClient } from '../../../client/derived.ts'
import { type Database, openDatabase } from '../../../server/db/open.ts'
import { copyMigratedSqlite, migratedPostgres } from '../../support/migrated.ts'
import { createDatabase, postgresUrl } from '../../support/postgres.ts'
import { bareEnv } from '../../support/process.ts'
import { ADMIN, type Engine, serverEnv } from '../../support/server.ts'

const SERVICE = path.join(import.meta.dirname, 'service.ts')
/** Less is kept in the database. */
export const LARGEST_INLINE = 2000

/** A service in a process of its own, with folders for storages, that is killed and started again. */
export interface World {
  readonly url: string
  readonly token: string
  readonly admin: Client
  database: Database
  /** The folder of a place: `main` is that of STORAGE_URL. */
  folderOf(place: string): string
  tick(worker: string): Promise<void>
  advance(ms: number): Promise<void>
  /** SIGKILL, and a new process once nothing is left of it. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export async function openWorld(engine: Engine): Promise<World> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-copies-'))
  const disks = path.join(folder, 'disks')
  fs.mkdirSync(disks)
  const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl(), migratedPostgres) : undefined
  if (!postgres) copyMigratedSqlite(path.join(folder, 'strongroom.db'))
  const env = {
    ...serverEnv(folder, postgres?.url),
    STORAGE_FOLDERS: disks,
    INLINE_MAX_BYTES: `${LARGEST_INLINE}`,
    MIRROR_TIMEOUT_SECONDS: '20',
    SCRUB_DAYS: '30',
    SCRUB_MIB_PER_SECOND: '100000',
    LOG_LEVEL: 'silent',
  }
  let child: ChildProcess
  let gone: Promise<unknown>
  let offset = 0
  let url = ''
  let token = ''
  let orders = 0
  async function start(): Promise<void> {
    child = fork(SERVICE, { env: { ...bareEnv, ...env, CLOCK_OFFSET: `${offset}` }, stdio: ['ignore', 2, 2, 'ipc'] })
    gone = once(child, 'exit')
    const said = await Promise.race([once(child, 'message'), gone.then(() => undefined)])
    if (!said) throw new Error('The service has ended')
    url = (said[0] as { url: string }).url
  }
  async function order(what: { tick: string } | { advance: number }): Promise<void> {
    const number = ++orders
    const answered = new Promise<void>((resolve, reject) => {
      const take = (said: { order: number; error?: string }) => {
        if (said.order !== number) return
        child.off('message', take)
        if (said.error === undefined) resolve()
        else reject(new Error(said.error))
      }
      child.on('message', take)
    })
    child.send({ order: number, ...what })
    // A service that is killed meanwhile answers no more.
    await Promise.race([answered, gone])
  }
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await gone
  }
  await start()
  const { access_token } = await createClient({ baseUrl: url }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  // Days pass, and signing in takes as long as ten of the model's steps.
  token = (await createClient({ baseUrl: url, token: access_token }).createToken({ body: { name: 'model' } })).token
  const database = await openDatabase(env.DATABASE_URL)
  return {
    get url() {
      return url
    },
    get token() {
      return token
    },
    get admin() {
      return createClient({ baseUrl: url, token })
    },
    database,
    folderOf: (place) => (place === 'main' ? path.join(folder, 'blobs') : path.join(disks, place)),
    tick: (tick) => order({ tick }),
    async advance(ms) {
      offset += ms
      await order({ advance: ms })
    },
    async crash() {
      await kill()
      await start()
    },
    async stop() {
      await kill()
      await database.close()
      await postgres?.drop()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
