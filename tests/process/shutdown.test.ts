import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const MIB = 1024 * 1024
let folder: string
let running: ServerProcess
const alive = () => running.child.exitCode === null && running.child.signalCode === null

async function connect(): Promise<{ client: Client; token: string }> {
  running = await spawnServer(serverEnv(folder))
  const { access_token: token } = await createClient({ baseUrl: running.url }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  return { client: createClient({ baseUrl: running.url, token }), token }
}
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-stop-'))
})
after(async () => {
  if (alive()) await running.kill('SIGKILL')
  fs.rmSync(folder, { recursive: true, force: true })
})

it('SIGTERM lets an upload and a download in flight finish, takes no more, and exits 0', async (t) => {
  const { client, token } = await connect()
  await client.createBucket({ body: { name: 'stopping' } })
  const body = Buffer.alloc(32 * MIB, 'strongroom')
  await client.putObject({ params: { bucket: 'stopping', key: 'large' }, body })
  const at = `${running.url}/api/v1/buckets/stopping/objects`
  const headers = { authorization: `Bearer ${token}` }

  // Clients that would keep their connections; the server must not wait for them to let go.
  const agent = new http.Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const download = http.get(`${at}/large`, { headers, agent })
  const [incoming] = (await once(download, 'response')) as [http.IncomingMessage]
  const upload = http.request(`${at}/late`, {
    method: 'PUT',
    agent,
    headers: { ...headers, 'content-length': MIB },
  })
  upload.write(body.subarray(0, MIB / 2))
  await until(() => fs.readdirSync(path.join(folder, 'blobs'), { recursive: true }).length > 258)

  const exit = running.kill('SIGTERM')
  await until(() =>
    fetch(`${running.url}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  running.child.kill('SIGTERM')
  upload.end(body.subarray(MIB / 2, MIB))
  const [answer] = (await once(upload, 'response')) as [http.IncomingMessage]
  assert.equal(answer.statusCode, 201)
  answer.resume()
  const hash = createHash('md5')
  for await (const chunk of incoming) hash.update(chunk as Buffer)
  assert.equal(hash.digest('hex'), createHash('md5').update(body).digest('hex'))
  const finished = Date.now()
  assert.equal(await exit, 0)
  assert.ok(Date.now() - finished < 5000, `it went on for ${Date.now() - finished} ms`)

  const again = await connect()
  const late = await again.client.getObject({ params: { bucket: 'stopping', key: 'late' } })
  assert.equal((await late.arrayBuffer()).byteLength, MIB)
})

it('SIGTERM ends an idle server with open connections within a moment, however often it is sent', async () => {
  const agent = new http.Agent({ keepAlive: true })
  const request = http.get(`${running.url}/healthz`, { agent })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  response.resume()
  await once(response, 'end')
  // One that never sends anything, as browsers open them ahead of need.
  const silent = net.connect(Number(new URL(running.url).port), '127.0.0.1')
  await once(silent, 'connect')
  const begun = Date.now()
  running.child.kill('SIGTERM')
  assert.equal(await running.kill('SIGTERM'), 0)
  assert.ok(Date.now() - begun < 5000, `it took ${Date.now() - begun} ms`)
  agent.destroy()
  silent.destroy()
})

it('all configuration errors are listed, and it exits 1', async () => {
  const wrong = { SECRET_KEY: 'short', DATA_DIR: folder, PORT: '99999', LOG_LEVEL: 'loud' }
  await assert.rejects(spawnServer(wrong), (error: Error) => {
    assert.match(error.message, /exited with 1/)
    for (const name of ['SECRET_KEY', 'PORT', 'LOG_LEVEL']) assert.ok(error.message.includes(name), error.message)
    assert.ok(!error.message.includes('short'), 'a secret is not repeated')
    return true
  })
})

it('an occupied port is reported, and it exits 1', async (t) => {
  const { client: _client } = await connect()
  t.after(() => running.kill('SIGKILL'))
  const other = fs.mkdtempSync(path.join(folder, 'other-'))
  const second = { ...serverEnv(other), PORT: new URL(running.url).port, LOG_LEVEL: 'error' }
  await assert.rejects(spawnServer(second), /exited with 1(.|\n)*EADDRINUSE/)
})
