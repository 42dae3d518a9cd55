// One service of several processes (`--workers`), workers in a process of their own, draining, and schemas of other releases.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { createClient } from '../../client/derived.ts'
import { openDatabase } from '../../server/db/open.ts'
import { parseMetrics } from '../support/metrics.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { childrenOf, type ServerProcess, spawnServer } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

let folder: string
let env: Record<string, string>
let drop: () => Promise<void>
let started: ServerProcess[]
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-processes-'))
  const postgres = await createDatabase(await postgresUrl())
  drop = postgres.drop
  env = { ...serverEnv(folder, postgres.url), LOG_LEVEL: 'info' }
  started = []
})
afterEach(async () => {
  for (const one of started) await one.kill('SIGKILL')
  await drop()
  fs.rmSync(folder, { recursive: true, force: true })
})
const spawned = async (args: string[], more: Record<string, string> = {}): Promise<ServerProcess> => {
  const one = await spawnServer({ ...env, ...more }, args)
  started.push(one)
  return one
}
const sqlite = () => `sqlite:${path.join(folder, 'strongroom.db')}`
const connect = async (url: string) => {
  const body = { username: ADMIN.email, password: ADMIN.password }
  const { access_token: token } = await createClient({ baseUrl: url }).login({ body })
  return createClient({ baseUrl: url, token })
}
const isAlive = (pid: number): boolean => fs.existsSync(`/proc/${pid}`)
/** What clients of every kind got from before `change` until it is over: how often each answer or fault. */
async function answeredUntil(url: string, over: () => boolean, change: () => void): Promise<Record<string, number>> {
  const seen: Record<string, number> = {}
  const { hostname, port } = new URL(url)
  const get = async (kind: string, agent: http.Agent) => {
    const request = http.get(`${url}/healthz`, { agent })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    await buffer(response)
    return `${kind} ${response.statusCode}`
  }
  const keptAlive = new http.Agent({ keepAlive: true })
  const kinds = [
    () => get('a connection each', new http.Agent()),
    () => get('kept alive', keptAlive),
    // Open for a while before the first request, as connections of browsers are.
    async () => {
      const socket = net.connect(Number(port), hostname)
      await once(socket, 'connect')
      await setImmediate()
      socket.write('GET /healthz HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n')
      return `a slow start ${(await text(socket)).slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)}`
    },
  ]
  const asking = [...kinds, ...kinds].map(async (ask) => {
    do {
      const answer = await ask().catch(String)
      seen[answer] = (seen[answer] ?? 0) + 1
    } while (!over())
  })
  change()
  await Promise.all(asking)
  keptAlive.destroy()
  return seen
}
const linux = process.platform === 'linux' ? {} : { skip: 'Looks at /proc, of Linux.' }

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`serve --workers (${engine})`, linux, () => {
    beforeEach(() => {
      if (engine === 'sqlite') env.DATABASE_URL = sqlite()
    })

    it('answers from several processes on one address; a killed one is restarted; SIGTERM stops all', async () => {
      const service = await spawned(['serve', '--workers', '2'])
      const primary = service.child.pid as number
      assert.equal(service.log().match(/Strongroom serves at/g)?.length, 1, 'said once')
      const before = childrenOf(primary)
      assert.equal(before.length, 2)
      const client = await connect(service.url)
      await client.createBucket({ body: { name: 'shared' } })
      // Each on a connection of its own, so that both processes get some.
      const put = (key: string) =>
        fetch(`${service.url}/healthz`, { headers: { connection: 'close' } }).then(() =>
          client.putObject({ params: { bucket: 'shared', key }, body: key }),
        )
      await Promise.all(Array.from({ length: 20 }, (_, i) => put(`a${i}`)))

      process.kill(before[0] as number, 'SIGKILL')
      await until(() => childrenOf(primary).length === 2 && !childrenOf(primary).includes(before[0] as number))
      await until(() =>
        put('after').then(
          () => true,
          () => false,
        ),
      )
      assert.match(service.log(), /process exited, restarting/)

      // SIGHUP: every one replaced, and nobody is refused meanwhile.
      const old = childrenOf(primary)
      const answers = await answeredUntil(
        service.url,
        () => /all processes replaced/.test(service.log()),
        () => process.kill(primary, 'SIGHUP'),
      )
      assert.deepEqual(Object.keys(answers).sort(), ['a connection each 200', 'a slow start 200', 'kept alive 200'])
      const turned = childrenOf(primary)
      assert.equal(turned.length, 2)
      assert.ok(old.every((pid) => !turned.includes(pid) && !isAlive(pid)))
      const { object_count } = await (await connect(service.url)).getBucket({ params: { bucket: 'shared' } })
      assert.equal(object_count, 21)

      assert.equal(await service.kill('SIGTERM'), 0)
      assert.ok(turned.every((pid) => !isAlive(pid)))
    })

    it('answers /metrics for all its processes, whichever is asked, and says which is missing', async () => {
      const service = await spawned(['serve', '--workers', '3'])
      const client = await connect(service.url)
      await client.createBucket({ body: { name: 'counted' } })
      for (let i = 0; i < 12; i++) await fetch(`${service.url}/healthz`, { headers: { connection: 'close' } })
      // What the start recorded is sealed before it is looked at: a look is kept for ten seconds.
      const database = await openDatabase(env.DATABASE_URL as string)
      await until(async () => (await database.db.selectFrom('audit_recent').select('id').execute()).length <= 2)
      await database.close()
      const scrape = async () => {
        const answer = await fetch(`${service.url}/metrics`, { headers: { connection: 'close' } })
        assert.equal(answer.status, 200)
        return parseMetrics(await answer.text())
      }
      const health = 'strongroom_http_requests_total{method="GET",route="/healthz",status="2xx"}'
      for (let i = 0; i < 6; i++) {
        const seen = await scrape()
        assert.equal(seen.get(health), 12, 'the sum, by any of them')
        assert.equal(seen.get('strongroom_http_request_duration_seconds_count{method="GET",route="/healthz"}'), 12)
        assert.equal(seen.get('strongroom_actions_total{action="create_bucket"}'), 1)
        assert.deepEqual(
          ['strongroom_processes', 'strongroom_processes_expected', 'strongroom_database_up'].map((name) =>
            seen.get(name),
          ),
          [3, 3, 1],
        )
        // Of all, once: two sealed or waiting records are not six.
        const unsealed = seen.get('strongroom_audit_unsealed_records') ?? Number.NaN
        assert.ok(unsealed <= 2, `${unsealed} records of login and create_bucket`)
        assert.equal([...seen].find(([name]) => name.startsWith('strongroom_build_info'))?.[1], 1)
      }
      // One that hangs: whoever is asked among the others leaves it out.
      const stuck = childrenOf(service.child.pid as number)[0] as number
      process.kill(stuck, 'SIGSTOP')
      try {
        const seen = await Promise.any(Array.from({ length: 6 }, scrape))
        assert.deepEqual([seen.get('strongroom_processes'), seen.get('strongroom_processes_expected')], [2, 3])
      } finally {
        process.kill(stuck, 'SIGCONT')
      }
      await until(async () => (await scrape()).get('strongroom_processes') === 3)
    })

    it('is refused for a number that is none', async () => {
      await assert.rejects(
        spawnServer(env, ['serve', '--workers', 'many']),
        /exited with 1(.|\n)*must be a number from 1 to 512/,
      )
    })

    it('exits with 1 when no process can start', async () => {
      const taken = http.createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const PORT = String((taken.address() as { port: number }).port)
      await assert.rejects(spawnServer({ ...env, PORT }, ['serve', '--workers', '2']), /exited with 1/)
      taken.close()
    })
  })

it('what replaces a process at SIGHUP brings the schema up to date first', linux, async () => {
  env.DATABASE_URL = sqlite()
  const service = await spawned(['serve', '--workers', '2'])
  // As a release left it that lacked the last migration, one whose changes can be made twice.
  // The service writes, too.
  const database = new DatabaseSync(path.join(folder, 'strongroom.db'), { timeout: 10_000 })
  const [last] = database.prepare('select name from kysely_migration order by name desc limit 1').all()
  assert.equal(last?.name, '0069-history-quota', 'what it added is listed here')
  database.exec('drop trigger buckets_revised_by_history')
  for (const column of ['history_quota_gb', 'quota_includes_history'])
    database.exec(`alter table buckets drop column ${column}`)
  database.exec(`delete from kysely_migration where name = '${last.name}'`)
  process.kill(service.child.pid as number, 'SIGHUP')
  await until(() => /all processes replaced/.test(service.log()))
  assert.equal(service.log().match(/applied the migration/g)?.length, 1)
  database.close()
  await connect(service.url)
})

it('workers run in a process of their own: a service without them queues, `strongroom worker` does', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  const hook = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' }
  const service = await spawned(['serve', '--no-background'], hook)
  const client = await connect(service.url)
  await client.createWebhook({ body: { name: 'here', url: receiver.url, events: ['create_bucket'] } })
  await client.createBucket({ body: { name: 'told' } })
  await client.putObject({ params: { bucket: 'told', key: 'a' }, body: 'x' })
  const job = await client.createJob({ body: { kind: 'empty_bucket', source_bucket: 'told' } })
  const { id } = await client.createPolicy({ body: { name: 'all', bucket_patterns: ['told'], older_than_days: 1 } })
  const run = await client.runPolicy({ params: { id }, query: { dry_run: true } })
  const statuses = async () => [
    (await client.getJob({ params: { id: job.id } })).status,
    (await client.getPolicyRun({ params: { id, run_id: run.id } })).status,
  ]
  assert.deepEqual(await statuses(), ['queued', 'queued'])
  const worker = await spawned(['worker'], hook)
  await until(() => receiver.received.length === 1)
  await until(async () => (await statuses()).every((status) => status === 'succeeded'))
  assert.equal((await fetch(`${worker.url}/readyz`)).status, 200)
  assert.equal((await fetch(`${worker.url}/api/v1/auth/config`)).status, 404)
  assert.equal((await fetch(`${worker.url}/console/`)).status, 404)
  assert.equal(await worker.kill('SIGTERM'), 0)
  assert.equal(await service.kill('SIGTERM'), 0)
})

it('drains: /readyz says 503 and requests are still answered until DRAIN_SECONDS are over', async () => {
  const service = await spawned(['serve'], { DRAIN_SECONDS: '20' })
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
  const exit = service.kill('SIGTERM')
  await until(async () => (await fetch(`${service.url}/readyz`)).status === 503)
  const answer = await fetch(`${service.url}/healthz`)
  assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close'])
  // One that is refused while its body is still coming is heard, too.
  for (let i = 0; i < 4; i++) {
    const refused = { method: 'PUT', body: Buffer.alloc(16 * 1024 * 1024) }
    assert.equal((await fetch(`${service.url}/api/v1/buckets/none/objects/none`, refused)).status, 401)
  }
  await connect(service.url)
  assert.equal(await exit, 0)
})

it('four that begin at once on an empty database migrate it once', async () => {
  const four = await Promise.all(Array.from({ length: 4 }, () => spawned(['serve'])))
  for (const { url } of four) await connect(url)
  assert.equal(four.filter((one) => /First administrator/.test(one.log())).length, 1)
})

it('serves a schema of a later release, unless that says it is breaking', async () => {
  const first = await spawned(['serve'])
  await first.kill('SIGTERM')
  const database = await openDatabase(env.DATABASE_URL as string)
  const add = (name: string) =>
    database.transaction((tx) =>
      sql`insert into kysely_migration (name, timestamp) values (${name}, '2030-01-01T00:00:00.000Z')`.execute(tx),
    )
  await add('9998-later')
  const older = await spawned(['serve'])
  await connect(older.url)
  assert.match(older.log(), /later release \(9998-later\)/)
  await older.kill('SIGTERM')
  await add('9999-keys-breaking')
  await assert.rejects(spawnServer(env), /exited with 1(.|\n)*later release(.|\n)*9999-keys-breaking/)
  await database.close()
})
