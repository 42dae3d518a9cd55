import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { it } from 'node:test'
import { openDatabase } from '../../server/db/open.ts'
import { prepared } from '../../server/db/prepare.ts'
import type { Db } from '../../server/db/schema.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const version = (() => {
  try {
    return /PgBouncer (\d+\.\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }))?.[1]
  } catch {
    return undefined
  }
})()
const skip = version === undefined ? 'PgBouncer is not installed (Debian: apt-get install pgbouncer)' : false

/** A pooler in transaction mode before a database, with fewer connections to it than it accepts itself. */
async function startPooler(url: string) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-pooler-'))
  fs.chmodSync(folder, 0o755)
  const { hostname, port, username, password, pathname } = new URL(url)
  const free = net.createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const own = (free.address() as net.AddressInfo).port
  await new Promise((closed) => free.close(closed))
  const ini = path.join(folder, 'pgbouncer.ini')
  const name = pathname.slice(1)
  fs.writeFileSync(
    ini,
    `[databases]
${name} = host=${hostname} port=${port} user=${username}${password && ` password=${password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_round_robin = 1
`,
  )
  const child = spawn('pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), ini], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  await until(() => log.includes('process up') || child.exitCode !== null)
  assert.equal(child.exitCode, null, log)
  return {
    url: `postgres://${username}@127.0.0.1:${own}/${name}`,
    async stop() {
      child.kill('SIGINT')
      await once(child, 'exit')
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

it('serves through a pooler in transaction mode, whether or not it keeps prepared statements', { skip }, async () => {
  const { url, drop } = await createDatabase(await postgresUrl())
  const direct = await openDatabase(url)
  await direct.migrate()
  await direct.close()
  const pooler = await startPooler(url)
  const reported: string[] = []
  const report = (error: Error) => void reported.push(error.message)
  const open = () => openDatabase(pooler.url, { connections: 6, report })
  const opened = [await open(), await open()]
  try {
    const find = prepared((db: Db, { name }: { name: string }) =>
      db.selectFrom('buckets').selectAll().where('name', '=', name),
    )
    const work = opened.flatMap(({ db, transaction }) =>
      Array.from({ length: 30 }, async (_, i) => {
        assert.deepEqual(await find(db, { name: 'nowhere' }), [])
        await transaction(async (tx) => {
          const [found, settings] = await Promise.all([
            find(tx, { name: 'nowhere' }),
            tx.selectFrom('settings').selectAll().execute(),
          ])
          assert.deepEqual([found.length, settings.length > 1], [0, false])
          await tx
            .insertInto('buckets')
            .values({
              id: crypto.randomUUID(),
              name: `b-${crypto.randomUUID()}`,
              trash_days: i,
              created_at: new Date().toISOString(),
              created_by: null,
              deleted_at: null,
            })
            .execute()
        })
      }),
    )
    await Promise.all(work)
    const [{ db }] = opened as [(typeof opened)[0]]
    assert.equal((await db.selectFrom('buckets').select('id').execute()).length, 60)
    // Each of the two services says it once, where the pooler does not keep them.
    const keeps = Number(version?.split('.')[1]) >= 21 || Number(version?.split('.')[0]) > 1
    assert.deepEqual(
      reported.filter((message) => !/does not keep prepared statements/.test(message)),
      [],
    )
    if (keeps) assert.ok(reported.length <= 2)
    else assert.equal(reported.length, 2)
  } finally {
    for (const one of opened) await one.close()
    await pooler.stop()
    await drop()
  }
})
