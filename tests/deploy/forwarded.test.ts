// What the proxies' files in deploy/ and docs/ tell a service of a client, and what they keep from it: nothing that a client
// says of its own address, host or scheme may arrive as if the proxy had said it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { freePort, noProxy, startNginx, startProxy } from '../support/proxies.ts'

const LIES = {
  'x-forwarded-for': '6.6.6.6',
  'x-forwarded-proto': 'gopher',
  'x-forwarded-host': 'private.s3.example.com',
  forwarded: 'for=6.6.6.6;host=private.s3.example.com;proto=gopher',
}
const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')

describe('what proxies tell of a client', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-forwarded-'))
  /** Answers with the headers that arrived. */
  const echo = http.createServer(({ headers }, response) => response.end(JSON.stringify(headers)))
  let upstream: string
  before(async () => {
    await once(echo.listen(0, '127.0.0.1'), 'listening')
    upstream = `127.0.0.1:${(echo.address() as AddressInfo).port}`
  })
  after(() => {
    echo.close()
    echo.closeAllConnections()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const below = (name: string) => fs.mkdtempSync(path.join(folder, name))

  /** The headers that arrive behind a proxy for a client that lies, as it sends them once and twice. */
  async function assertTold(
    at: { port: number; protocol: 'http:' | 'https:' },
    host: string,
    expected: { host?: string | undefined; proto: string },
  ) {
    for (const lies of [LIES, Object.fromEntries(Object.entries(LIES).map(([name, one]) => [name, [one, one]]))]) {
      const options = { hostname: '127.0.0.1', port: at.port, path: '/', headers: { ...lies, host }, agent: false }
      const tls = { servername: host.replace(/:.*/, ''), rejectUnauthorized: false }
      const request = at.protocol === 'https:' ? https.get({ ...options, ...tls }) : http.get(options)
      const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
      const { 'x-forwarded-for': by, 'x-forwarded-proto': proto, ...told } = JSON.parse(await text(answer))
      assert.deepEqual({ by, proto }, { by: '127.0.0.1', proto: expected.proto })
      assert.ok([undefined, host].includes(told['x-forwarded-host']), told['x-forwarded-host'])
      assert.equal(told.forwarded, undefined)
      if (expected.host) assert.equal(told.host, expected.host)
      assert.doesNotMatch(JSON.stringify(told), /6\.6\.6\.6|gopher|private/)
    }
  }

  for (const name of ['nginx', 'caddy'] as const)
    it(`deploy/ for ${name}`, { skip: noProxy(name) }, async () => {
      const proxy = await startProxy(name, below(name), { api: [upstream], s3: [upstream] })
      try {
        const at = { port: proxy.port, protocol: 'https:' as const }
        await assertTold(at, `storage.example.com:${proxy.port}`, { proto: 'https' })
        for (const host of ['s3.example.com', 'pub.s3.example.com'])
          await assertTold(at, `${host}:${proxy.port}`, { proto: 'https', host: `${host}:${proxy.port}` })
      } finally {
        await proxy.stop()
      }
    })

  it('deploy/nginx.compose.conf', { skip: noProxy('nginx') }, async () => {
    const at = below('compose')
    const [api, s3] = [await freePort(), await freePort()]
    const sites = read('deploy/nginx.compose.conf')
      .replace(/^resolver .*$/m, '')
      .replaceAll(/strongroom:(8080|9000);/g, `${upstream};`)
      .replace('listen 8080', `listen 127.0.0.1:${api}`)
      .replace('listen 9000', `listen 127.0.0.1:${s3}`)
      .replace('/var/log/nginx', at)
    const stop = await startNginx(at, sites, s3)
    try {
      for (const port of [api, s3])
        await assertTold({ port, protocol: 'http:' }, `storage.example.com:${port}`, { proto: 'http' })
    } finally {
      await stop()
    }
  })

  it('every example for nginx in docs/', { skip: noProxy('nginx') }, async () => {
    const pages = fs.readdirSync(path.join(root, 'docs')).filter((one) => one.endsWith('.md'))
    const examples = pages.flatMap((page) =>
      [...read(`docs/${page}`).matchAll(/```nginx\n([\s\S]*?)```/g)].map(([, example = '']) => ({ page, example })),
    )
    assert.ok(examples.length > 0)
    for (const { page, example } of examples) {
      const [at, port] = [below('docs'), await freePort()]
      const site = example.replaceAll(/127\.0\.0\.1:(8080|9000)/g, upstream)
      const stop = await startNginx(at, `server { access_log off; listen 127.0.0.1:${port}; ${site} }`, port)
      try {
        const host = `s3.example.com:${port}`
        await assertTold({ port, protocol: 'http:' }, host, { proto: 'http', host }).catch((error: unknown) => {
          throw new Error(`docs/${page}`, { cause: error })
        })
      } finally {
        await stop()
      }
    }
  })
})
