// deploy/nginx.conf before two replicas, with a real nginx: what passes through it, and what its log must not hold.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { noProxy, type RunningProxy, startProxy } from '../support/proxies.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const skip = noProxy('nginx')

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

describe('behind nginx', { skip }, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-nginx-'))
  let drop: () => Promise<void>
  let replicas: ServerProcess[]
  let proxy: RunningProxy
  let token: string
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false })

  const ask = async (
    method: string,
    url: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer } = {},
  ): Promise<Answer> => {
    const at = url.replace(/^https:\/\/storage\.example\.com/, '')
    const request = https.request({ host: '127.0.0.1', port: proxy.port, method, path: at, agent, headers })
    request.end(body)
    const [answer] = await once(request, 'response')
    return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) }
  }
  const api = (method: string, url: string, body?: unknown) =>
    ask(method, `/api/v1${url}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || Buffer.isBuffer(body) ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    })
  const json = ({ body }: Answer) => JSON.parse(body.toString())

  before(async () => {
    const postgres = await createDatabase(await postgresUrl())
    drop = postgres.drop
    const env = {
      ...serverEnv(folder, postgres.url),
      PUBLIC_BASE_URL: 'https://storage.example.com',
      TRUSTED_PROXIES: '127.0.0.1',
    }
    replicas = [await spawnServer(env), await spawnServer(env)]
    const hosts = replicas.map(({ url }) => new URL(url).host)
    proxy = await startProxy('nginx', folder, { api: hosts, s3: ['127.0.0.1:9'] })
    await until(() =>
      ask('GET', '/healthz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
    const body = new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '6.6.6.6' }
    token = json(await ask('POST', '/api/v1/auth/token', { headers, body })).access_token
    assert.equal((await api('POST', '/buckets', { name: 'behind' })).status, 201)
  })
  after(async () => {
    agent.destroy()
    await proxy?.stop()
    for (const one of replicas ?? []) await one.kill('SIGKILL')
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('passes large bodies without a copy on disk, ranges, and keys as they are', async () => {
    const bytes = randomBytes(24 * 1024 * 1024)
    const md5 = createHash('md5').update(bytes).digest('hex')
    const put = await api('PUT', '/buckets/behind/objects/large', bytes)
    assert.equal(put.status, 201)
    assert.equal(json(put).etag, md5)
    assert.deepEqual(proxy.copies('client_body'), [])
    const whole = await api('GET', '/buckets/behind/objects/large')
    assert.equal(createHash('md5').update(whole.body).digest('hex'), md5)
    assert.deepEqual(proxy.copies('proxy'), [])
    for (const key of ['a%2Fb c', 'ä/漢//🙂', 'x?y#z&+', 'trailing/']) {
      const encoded = key.split('/').map(encodeURIComponent).join('/')
      assert.equal((await api('PUT', `/buckets/behind/objects/${encoded}`, Buffer.from(key))).status, 201, key)
      assert.equal((await api('GET', `/buckets/behind/objects/${encoded}`)).body.toString(), key)
    }
    const dots = await api('PUT', `/buckets/behind/object?key=${encodeURIComponent('../../up')}`, Buffer.from('dots'))
    assert.equal(dots.status, 201)
    const part = await ask('GET', '/api/v1/buckets/behind/objects/large', {
      headers: { authorization: `Bearer ${token}`, range: 'bytes=5-9' },
    })
    assert.deepEqual([part.status, part.body], [206, bytes.subarray(5, 10)])
  })

  it('builds links with the public address, and trusts the client address from nginx', async () => {
    const link = json(await api('POST', '/share/behind/large', { expires_in: '1h' }))
    assert.match(link.url, /^https:\/\/storage\.example\.com\/public\/s\//)
    const opened = await ask('GET', link.url, { headers: { range: 'bytes=0-0' } })
    assert.equal(opened.status, 206)
    const { url } = json(await api('POST', '/buckets/behind/objects/presign', { key: 'large' }))
    assert.equal((await ask('HEAD', url)).status, 200)
    const { items } = json(await api('GET', '/audit?action=login'))
    assert.deepEqual([...new Set(items.map((one: { actor_ip: string }) => one.actor_ip))], ['127.0.0.1'])

    const log = proxy.log()
    assert.ok(!log.includes(link.token), 'no token of a link')
    assert.ok(!log.includes(new URL(url).pathname.slice(-40)) && !log.includes('signature'), 'no presigned URL')
    assert.match(log, /"GET \/public\/s\/\[token\]" 206/)
  })

  it('keeps metrics to the inside, and sends the console', async () => {
    assert.equal((await ask('GET', '/metrics')).status, 403)
    const page = await ask('GET', '/console/buckets')
    assert.equal(page.status, 200)
    assert.match(String(page.headers['content-security-policy']), /nonce-/)
  })

  it('keeps working when a replica is killed', async () => {
    await replicas[0]?.kill('SIGKILL')
    for (let i = 0; i < 20; i++) assert.equal((await api('GET', '/buckets/behind')).status, 200)
  })
})
