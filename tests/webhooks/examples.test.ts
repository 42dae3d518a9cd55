import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { type Client, createClient } from '../../client/derived.ts'
import { bareEnv, type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const examples = path.join(import.meta.dirname, '../../examples/webhooks')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-examples-'))
const children: ChildProcess[] = []
let running: ServerProcess
let admin: Client
before(async () => {
  running = await spawnServer({ ...serverEnv(folder), WEBHOOK_ALLOWED_CIDRS: '127.0.0.1' })
  const { access_token: token } = await createClient({ baseUrl: running.url }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  admin = createClient({ baseUrl: running.url, token })
  await admin.createBucket({ body: { name: 'hooked' } })
})
after(async () => {
  await running.kill('SIGTERM')
  for (const child of children) child.kill('SIGKILL')
  fs.rmSync(folder, { recursive: true, force: true })
})

/** A receiver in a separate process that prints its port and what it received. */
const serving = (command: string, file: string) => async (secret: string) => {
  const child = spawn(command, [path.join(examples, file)], {
    env: { ...bareEnv, PORT: '0', WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  await until(() => /listening on \d+/.test(printed))
  return { port: Number(/listening on (\d+)/.exec(printed)?.[1]), told: () => printed }
}

/** The receiver of one request behind a listener, as socat makes one. */
async function handling(secret: string) {
  const log = path.join(folder, `told-${children.length}-${Date.now()}`)
  fs.writeFileSync(log, '')
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const child = spawn('bash', [path.join(examples, 'receiver.sh')], {
      env: { ...bareEnv, WEBHOOK_SECRET: secret, WEBHOOK_LOG: log },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.on('error', () => undefined)
    socket.on('error', () => undefined)
    socket.pipe(child.stdin)
    child.stdout.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return { port: (server.address() as AddressInfo).port, told: () => fs.readFileSync(log, 'utf8') }
}

const missing = (...commands: string[]) => {
  const found = commands.find((one) => spawnSync(one, [one === 'openssl' ? 'version' : '--version']).error)
  return found ? `${found} is not on this machine` : false
}

for (const [name, start, skip] of [
  ['receiver.mjs', serving(process.execPath, 'receiver.mjs'), false],
  ['receiver.py', serving('python3', 'receiver.py'), missing('python3')],
  ['receiver.sh', handling, missing('bash', 'openssl')],
] as const)
  it(`examples/webhooks/${name} takes what is signed with its secret, also during a rotation, and nothing else`, {
    skip,
  }, async () => {
    const created = await admin.createWebhook({
      body: { name, url: 'http://127.0.0.1:1/', events: ['upload'], bucket: 'hooked', prefix: `${name}/` },
    })
    const params = { id: created.id }
    const point = (port: number) => admin.updateWebhook({ params, body: { url: `http://127.0.0.1:${port}/hook` } })
    const send = async (key: string) => {
      await admin.putObject({ params: { bucket: 'hooked', key: `${name}/${key}` }, body: 'x' })
      const newest = async () => {
        const [first] = (await admin.listDeliveries({ params, query: { page_size: 1 } })).items
        return first
      }
      await until(async () => (await newest())?.attempts === 1)
      const delivery = await newest()
      return [delivery?.status, delivery?.last_status_code]
    }
    const receiver = await start(created.secret)
    await point(receiver.port)
    assert.deepEqual(await send('größe & 漢.txt'), ['acknowledged', 204])
    await until(() => receiver.told().includes('größe & 漢.txt'))

    const stranger = await start(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
    await point(stranger.port)
    assert.deepEqual(await send('not for you'), ['queued', 401])
    assert.ok(!stranger.told().includes('not for you'))

    const { secret } = await admin.rotateWebhookSecret({ params })
    const [before, next] = [receiver, await start(secret)]
    for (const [i, one] of [before, next].entries()) {
      await point(one.port)
      assert.deepEqual(await send(`rotating ${i}`), ['acknowledged', 204])
    }
  })
