// What several processes on one SQLite file owe to those who use them as one service.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { request } from '../support/http.ts'
import { childrenOf, type ServerProcess, spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const PROCESSES = 3
const linux = process.platform === 'linux' ? {} : { skip: 'Looks at /proc, of Linux.' }

describe('several processes on one SQLite file', linux, () => {
  let folder: string
  let env: Record<string, string>
  let service: ServerProcess
  let token: string
  let admin: ReturnType<typeof createClient>
  /** One connection to each process, as they take turns at accepting. */
  let agents: http.Agent[]
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-sqlite-processes-'))
    env = { ...serverEnv(folder), LOG_LEVEL: 'error' }
    service = await spawnServer(env, ['serve', '--workers', String(PROCESSES)])
    const body = { username: ADMIN.email, password: ADMIN.password }
    token = (await createClient({ baseUrl: service.url }).login({ body })).access_token
    admin = createClient({ baseUrl: service.url, token })
  })
  after(async () => {
    for (const agent of agents) agent.destroy()
    await service.kill('SIGKILL')
    fs.rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    for (const agent of agents ?? []) agent.destroy()
    agents = Array.from({ length: PROCESSES }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }))
    for (const agent of agents) await request({ url: service.url, agent, path: '/healthz' })
  })
  const children = () => childrenOf(service.child.pid as number)
  /** The same request, through every process at once. */
  const byAll = (what: Parameters<typeof request>[0]) =>
    Promise.all(agents.map((agent) => request({ token, ...what, url: service.url, agent })))
  const recorded = async (query: object) => (await admin.listAudit({ query })).items

  it('holds a quota to the byte, and counts what was stored', async () => {
    await admin.createBucket({ body: { name: 'tight', quota_gb: 64 / 1024 / 1024, trash_days: 0 } })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        request({
          url: service.url,
          token,
          agent: agents[i % PROCESSES],
          method: 'PUT',
          path: `/api/v1/buckets/tight/objects/k${i}`,
          body: 'x'.repeat(4096),
        }),
      ),
    )
    const stored = answers.filter(({ status }) => status === 201).length
    assert.equal(stored, 16)
    assert.ok(answers.every(({ status }) => status === 201 || status === 413 || status === 507))
    const { used_bytes, object_count } = await admin.getBucket({ params: { bucket: 'tight' } })
    assert.deepEqual([used_bytes, object_count], [16 * 4096, 16])
    assert.equal((await recorded({ action: 'upload', bucket: 'tight' })).length, 16)
  })

  it('lets one of all win a key that must not exist yet', async () => {
    await admin.createBucket({ body: { name: 'race' } })
    for (let i = 0; i < 20; i++) {
      const answers = await byAll({
        url: '',
        method: 'PUT',
        path: `/api/v1/buckets/race/objects/k${i}`,
        headers: { 'if-none-match': '*' },
        body: 'x',
      })
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 412, 412])
    }
    assert.equal((await recorded({ action: 'upload', bucket: 'race' })).length, 20)
  })

  it('refuses in every process, on the next request, what was revoked in one', async () => {
    await admin.createBucket({ body: { name: 'guarded' } })
    await admin.putObject({ params: { bucket: 'guarded', key: 'a' }, body: 'a' })
    const head = { url: '', method: 'HEAD', path: '/api/v1/buckets/guarded/objects/a' }
    const statuses = async (token: string) => (await byAll({ ...head, token })).map(({ status }) => status)
    for (let i = 0; i < 10; i++) {
      const { id, token: one } = await admin.createToken({ body: { name: `t${i}` } })
      assert.deepEqual(await statuses(one), [200, 200, 200])
      const revoked = await request({
        url: service.url,
        token,
        agent: agents[i % PROCESSES],
        method: 'DELETE',
        path: `/api/v1/tokens/${id}`,
      })
      assert.equal(revoked.status, 204)
      assert.deepEqual(await statuses(one), [401, 401, 401])
    }
  })

  it('shows in every process what one has answered', async () => {
    await admin.createBucket({ body: { name: 'seen' } })
    for (let i = 0; i < 30; i++) {
      const at = `/api/v1/buckets/seen/objects/k${i}`
      const put = { url: service.url, token, agent: agents[i % PROCESSES], method: 'PUT', path: at, body: String(i) }
      assert.equal((await request(put)).status, 201)
      const got = await byAll({ url: '', path: at })
      assert.deepEqual(
        got.map(({ status, body }) => [status, String(body)]),
        agents.map(() => [200, String(i)]),
      )
    }
  })

  it('goes on writing where a process hangs, or is killed, while the turn to write is with it', async () => {
    await admin.createBucket({ body: { name: 'stuck' } })
    const put = async (agent: http.Agent | undefined, key: string) =>
      (
        await request({
          url: service.url,
          token,
          agent,
          method: 'PUT',
          path: `/api/v1/buckets/stuck/objects/${key}`,
          body: 'x',
        })
      ).status
    const [first, second] = agents as [http.Agent, http.Agent]
    const before = children()
    const pid = processOf(first, service.url, before)
    assert.notEqual(processOf(second, service.url, before), pid)
    // Whoever has written last keeps the turn until another one wants it.
    assert.equal(await put(first, 'a'), 201)
    await stopOutsideTransactions(pid, path.join(folder, 'strongroom.db'))
    try {
      assert.equal(await put(second, 'b'), 201)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    assert.equal(await put(first, 'c'), 201)
    process.kill(pid, 'SIGKILL')
    assert.equal(await put(second, 'd'), 201)
    await until(() => children().length === PROCESSES && !children().includes(pid))
    assert.equal((await recorded({ action: 'upload', bucket: 'stuck' })).length, 4)
  })

  it('is a service that commands can work beside, and that verifies', async () => {
    const { code, out, err } = await strongroom(['verify', '--deep'], env)
    assert.equal(code, 0, out + err)
    assert.equal((await strongroom(['audit', 'verify'], env)).code, 0)
    const second = await strongroom(['serve'], { ...env, PORT: '0' })
    assert.match(second.err, /Another service is using/)
    assert.equal(second.code, 1)
  })
})

/** Stops a process at a moment in which it has no transaction open, which nobody could end for it. */
async function stopOutsideTransactions(pid: number, file: string): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 0 })
  const isFree = () => {
    try {
      database.exec('begin immediate; rollback')
      return true
    } catch {
      return false
    }
  }
  await until(() => {
    process.kill(pid, 'SIGSTOP')
    const free = isFree()
    if (!free) process.kill(pid, 'SIGCONT')
    return free
  })
  database.close()
}

/** Which of some processes has the server's end of a kept connection, by /proc. */
function processOf(agent: http.Agent, url: string, pids: readonly number[]): number {
  const socket = Object.values(agent.freeSockets)[0]?.[0]
  const hex = (port: number | string | undefined) => Number(port).toString(16).toUpperCase().padStart(4, '0')
  const ends = `:${hex(new URL(url).port)} \\S+:${hex(socket?.localPort)} 01 .*`
  const inode = new RegExp(ends).exec(fs.readFileSync('/proc/net/tcp', 'utf8'))?.[0].split(/ +/)[8]
  const has = (pid: number) =>
    fs.readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return fs.readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`
      } catch {
        return false
      }
    })
  const found = pids.find(has)
  assert.ok(found !== undefined, `nobody has ${inode}`)
  return found
}
