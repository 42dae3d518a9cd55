import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, it } from 'node:test'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

let folder: string
let taken: net.Server
let port: number
let started: ServerProcess[]
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-s3-port-'))
  started = []
  taken = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(taken, 'listening')
  port = (taken.address() as AddressInfo).port
})
afterEach(async () => {
  for (const one of started) await one.kill('SIGTERM')
  taken.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function run(args: string[], env: Record<string, string>): Promise<string> {
  const one = await spawnServer({ ...serverEnv(folder), HOST: '127.0.0.1', ...env }, args)
  started.push(one)
  // Written right after the line that says where the service is.
  if (env.S3_PORT !== '') await until(() => one.log().includes('rclone lsf'))
  return one.log()
}
/** The S3 endpoint that the service says it has. */
const saidIn = (log: string) => /^S3 clients.*: (http:\S+)$/m.exec(log)?.[1]
const answers = async (url = '') => [(await fetch(url)).status, (await fetch(url)).headers.get('server')]

it('start serves S3 clients unless told otherwise, and says how to connect', async () => {
  const log = await run(['start'], {})
  const url = saidIn(log)
  assert.match(url ?? '', /^http:\/\/127\.0\.0\.1:9\d{3}$/)
  assert.ok(log.includes(`aws --endpoint-url ${url} s3 ls\n`))
  assert.deepEqual(await answers(url), [403, 'Strongroom'])
})

it('start without an S3 endpoint, when its port is empty', async () => {
  await run(['start'], { S3_PORT: '' })
  await started[0]?.kill('SIGTERM')
  assert.equal(saidIn(started[0]?.log() ?? ''), undefined)
})

it('serve has an S3 endpoint only where one is configured', async () => {
  assert.ok(saidIn(await run(['serve'], { S3_PORT: '0' })))
  await started.pop()?.kill('SIGTERM')
  const without = await spawnServer(serverEnv(folder), ['serve'])
  await without.kill('SIGTERM')
  assert.equal(saidIn(without.log()), undefined)
})

it('takes the next free port where that is allowed, and refuses to start where it is not', async () => {
  const url = saidIn(await run(['serve'], { S3_PORT: `${port}+` }))
  const next = Number(new URL(url ?? '').port)
  assert.ok(next > port && next < port + 100, `${next} after ${port}`)
  assert.deepEqual(await answers(url), [403, 'Strongroom'])
  await started.pop()?.kill('SIGTERM')
  await assert.rejects(run(['serve'], { S3_PORT: String(port) }), /EADDRINUSE/)
})

it('several processes share the port that was free', async () => {
  const { url: DATABASE_URL, drop } = await createDatabase(await postgresUrl())
  try {
    const url = saidIn(await run(['serve', '--workers', '2'], { DATABASE_URL, S3_PORT: `${port}+` }))
    assert.notEqual(new URL(url ?? '').port, String(port))
    for (let i = 0; i < 6; i++) assert.deepEqual(await answers(url), [403, 'Strongroom'])
  } finally {
    await started.pop()?.kill('SIGTERM')
    await drop()
  }
})
