import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { Refusal } from '../../server/base/refusal.ts'
import { awaitDatabase } from '../../server/process/instance/await-database.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { spawnServer, strongroom } from '../support/process.ts'
import { serverEnv } from '../support/server.ts'

let folder: string
let url: string
let drop: () => Promise<void>
before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-away-'))
  ;({ url, drop } = await createDatabase(await postgresUrl()))
})
after(async () => {
  await drop?.()
  fs.rmSync(folder, { recursive: true, force: true })
})

const listening = async (server: net.Server, port = 0): Promise<number> => {
  await once(server.listen(port, '127.0.0.1').unref(), 'listening')
  return (server.address() as net.AddressInfo).port
}
const through = (port: number): string => {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}
/** The database's URL on a port that nothing listens on. */
async function closedPort(): Promise<string> {
  const probe = net.createServer()
  const port = await listening(probe)
  probe.close()
  await once(probe, 'close')
  return through(port)
}

it('a start waits for PostgreSQL, with one line for each attempt', async (t) => {
  const to = new URL(url)
  let refused = 0
  const proxy = net.createServer((from) => {
    if (++refused <= 2) return void from.destroy()
    const server = net.connect(Number(to.port), to.hostname)
    from.pipe(server).pipe(from)
    for (const socket of [from, server])
      socket.on('error', () => {
        from.destroy()
        server.destroy()
      })
  })
  const server = await spawnServer({ ...serverEnv(folder, through(await listening(proxy))), LOG_LEVEL: 'warn' })
  t.after(async () => {
    await server.kill('SIGKILL')
    proxy.close()
  })
  const lines = server
    .log()
    .split('\n')
    .filter((line) => line.includes('Trying again'))
  assert.equal(lines.length, 2, server.log())
  for (const line of lines) {
    assert.match(JSON.parse(line).msg, /^The database of DATABASE_URL cannot be opened: .+\. Trying again for \d+ s\.$/)
    assert.ok(!line.includes(to.password), 'no password')
  }
})

it('gives up after the given time, with the reason', async () => {
  const closed = await closedPort()
  const said: string[] = []
  await assert.rejects(
    awaitDatabase(closed, (line) => said.push(line), 10),
    (error) => error instanceof Refusal && /ECONNREFUSED/.test(error.message) && !error.message.includes('\n'),
  )
  assert.ok(said.length <= 2, said.join('\n'))
})

it('does not wait for a server that refuses, and commands do not wait at all', async () => {
  const wrong = new URL(url)
  wrong.password = 'not the password'
  const { code, err } = await strongroom(['serve'], serverEnv(folder, wrong.href))
  assert.deepEqual(
    [code, /^The database of DATABASE_URL cannot be opened: password [^\n]*\n$/.test(err)],
    [1, true],
    err,
  )
  const listed = await strongroom(['users', 'list'], serverEnv(folder, await closedPort()))
  assert.deepEqual([listed.code, /^The database [^\n]*ECONNREFUSED[^\n]*\n$/.test(listed.err)], [1, true], listed.err)
})
