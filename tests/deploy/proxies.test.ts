// The proxies in deploy/ before both ports of a service: the console, the API and S3 clients through each of them.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import type http from 'node:http'
import https from 'node:https'
import type net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { parse } from 'yaml'
import { clientTo, type Pair, signerOf } from '../s3/s3.ts'
import { type ServerProcess, s3UrlOf, spawnServer } from '../support/process.ts'
import { noProxy, type ProxyName, type RunningProxy, startProxy } from '../support/proxies.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
/** Every name is this machine. */
const lookup: net.LookupFunction = (_name, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)
const KEYS = ['a b+c', 'slash%2Fkey', 'ü/漢/🙂', 'x//y', '?a=b&c#d', "~!*'()", 'trailing/']

for (const name of ['nginx', 'caddy'] satisfies ProxyName[])
  describe(`both ports behind ${name}`, { skip: noProxy(name) }, () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), `strongroom-${name}-`))
    const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false, lookup })
    let server: ServerProcess
    let proxy: RunningProxy
    let authorization: string
    let pair: Pair
    let endpoint: URL

    /** Sends a request as it is, to a host behind the proxy. */
    const ask = async (
      method: string,
      host: string,
      at: string,
      { headers = {}, body }: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
    ) => {
      const request = https.request({
        host: '127.0.0.1',
        port: proxy.port,
        servername: host,
        method,
        path: at,
        agent,
        headers: { host: `${host}:${proxy.port}`, ...headers },
      })
      if (headers.expect) request.once('continue', () => request.end(body)).flushHeaders()
      else request.end(body)
      const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
      return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) }
    }
    const api = (method: string, at: string, body?: Uint8Array | object) => {
      const bytes = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body)
      const type: Record<string, string> = typeof bytes === 'string' ? { 'content-type': 'application/json' } : {}
      const headers = { authorization, ...type }
      return ask(method, 'storage.example.com', `/api/v1${at}`, { headers, ...(bytes ? { body: bytes } : {}) })
    }
    /** A request that is signed for one host and sent to another, or the same. */
    const signed = async (method: string, at: string, body = '', host = `s3.example.com:${proxy.port}`) => {
      const { headers } = await signerOf(pair).sign({
        method,
        protocol: 'https:',
        hostname: host,
        path: at,
        query: {},
        headers: { host },
        body,
      })
      return ask(method, 's3.example.com', at, { headers: { ...headers, host: `s3.example.com:${proxy.port}` }, body })
    }
    const client = (forcePathStyle = true) =>
      clientTo(endpoint, pair, { forcePathStyle, requestHandler: { httpsAgent: agent } })

    before(async () => {
      server = await spawnServer({
        ...serverEnv(folder),
        PUBLIC_BASE_URL: 'https://storage.example.com',
        TRUSTED_PROXIES: '127.0.0.1',
        S3_PORT: '0',
        S3_DOMAIN: 's3.example.com',
      })
      const s3 = await s3UrlOf(server)
      proxy = await startProxy(name, folder, { api: [new URL(server.url).host], s3: [s3.host] })
      endpoint = new URL(`https://s3.example.com:${proxy.port}`)
      const body = new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const login = await ask('POST', 'storage.example.com', '/api/v1/auth/token', { headers, body })
      authorization = `Bearer ${JSON.parse(login.body.toString()).access_token}`
      pair = JSON.parse((await api('POST', '/access-keys', { name: 'behind' })).body.toString())
      assert.equal((await api('POST', '/buckets', { name: 'behind' })).status, 201)
    })
    after(async () => {
      agent.destroy()
      await proxy?.stop()
      await server?.kill('SIGKILL')
      fs.rmSync(folder, { recursive: true, force: true })
    })

    it('the console loads, and metrics stay inside', async () => {
      const page = await ask('GET', 'storage.example.com', '/console/buckets')
      assert.equal(page.status, 200)
      const script = /src="(\/console\/[^"]+\.js)"/.exec(page.body.toString())?.[1] ?? ''
      assert.equal((await ask('GET', 'storage.example.com', script)).status, 200, script)
      assert.equal((await ask('GET', 'storage.example.com', '/metrics')).status, 403)
    })

    it('the API gets 20 MB without a copy on disk, sends ranges, and sees keys as they were sent', async () => {
      const bytes = randomBytes(20 * 1024 * 1024)
      const put = await api('PUT', '/buckets/behind/objects/large', bytes)
      assert.equal(put.status, 201)
      assert.deepEqual(proxy.copies('client_body'), [])
      assert.equal(md5((await api('GET', '/buckets/behind/objects/large')).body), md5(bytes))
      assert.deepEqual(proxy.copies('proxy'), [])
      const headers = { authorization, range: 'bytes=5-9' }
      const part = await ask('GET', 'storage.example.com', '/api/v1/buckets/behind/objects/large', { headers })
      assert.deepEqual([part.status, part.body], [206, bytes.subarray(5, 10)])
      for (const key of KEYS) {
        const at = `/buckets/behind/objects/${key.split('/').map(encodeURIComponent).join('/')}`
        assert.equal((await api('PUT', at, Buffer.from(key))).status, 201, key)
        assert.equal((await api('GET', at)).body.toString(), key)
      }
    })

    it('S3 clients put, get and list keys of all kinds, by path and by subdomain', async () => {
      const s3 = client()
      await s3.send(new CreateBucketCommand({ Bucket: 'by-sdk' }))
      for (const Key of KEYS) await s3.send(new PutObjectCommand({ Bucket: 'by-sdk', Key, Body: `content of ${Key}` }))
      for (const Key of KEYS)
        for (const one of [s3, client(false)]) {
          const { Body } = await one.send(new GetObjectCommand({ Bucket: 'by-sdk', Key }))
          assert.equal(await Body?.transformToString(), `content of ${Key}`)
        }
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'by-sdk' }))
      assert.deepEqual(Contents.map(({ Key }) => Key).toSorted(), KEYS.toSorted())
    })

    it('S3 clients upload 20 MB at once and in parts, and read a range', async () => {
      const s3 = client()
      const Body = randomBytes(20 * 1024 * 1024)
      await s3.send(new PutObjectCommand({ Bucket: 'behind', Key: 'whole', Body }))
      await new Upload({
        client: s3,
        params: { Bucket: 'behind', Key: 'parts', Body },
        partSize: 8 * 1024 * 1024,
      }).done()
      for (const Key of ['whole', 'parts']) {
        const got = await s3.send(new GetObjectCommand({ Bucket: 'behind', Key }))
        assert.equal(md5((await got.Body?.transformToByteArray()) ?? new Uint8Array()), md5(Body), Key)
      }
      const Range = 'bytes=-3'
      const end = await s3.send(new GetObjectCommand({ Bucket: 'behind', Key: 'parts', Range }))
      assert.deepEqual(Buffer.from((await end.Body?.transformToByteArray()) ?? []), Body.subarray(-3))
      assert.deepEqual(proxy.copies('client_body'), [])
    })

    it('signatures hold for paths with dots and escapes, and for no other host', async () => {
      for (const at of [
        '/behind/a/../b',
        '/behind/./c',
        '/behind/%2E%2E/d',
        '/behind/e%2Ff',
        '/behind//g',
        '/behind/h%2Bi%20j',
      ]) {
        assert.equal((await signed('PUT', at, `at ${at}`)).status, 200, at)
        assert.equal((await signed('GET', at)).body.toString(), `at ${at}`)
      }
      assert.equal((await signed('GET', '/behind/b')).status, 404, 'nothing has shortened a path')
      const elsewhere = await signed('GET', '/behind//g', '', 's3.example.org')
      assert.deepEqual([elsewhere.status, /SignatureDoesNotMatch/.test(elsewhere.body.toString())], [403, true])
    })

    it('a presigned URL opens its own bucket only, whatever the client says of its host', async () => {
      await client().send(new PutObjectCommand({ Bucket: 'by-sdk', Key: 'behind/secret', Body: 'secret' }))
      await client().send(new PutObjectCommand({ Bucket: 'behind', Key: 'secret', Body: 'shared' }))
      const command = new GetObjectCommand({ Bucket: 'behind', Key: 'secret' })
      const { pathname, search } = new URL(await getSignedUrl(client(), command, { expiresIn: 60 }))
      assert.equal((await ask('GET', 's3.example.com', pathname + search)).body.toString(), 'shared')
      const headers = { 'x-forwarded-host': endpoint.host, forwarded: `host=${endpoint.host}` }
      const turned = await ask('GET', 'by-sdk.s3.example.com', pathname + search, { headers })
      assert.deepEqual([turned.status, /SignatureDoesNotMatch/.test(turned.body.toString())], [403, true])
    })

    it('presigned URLs work, and are not in the log', async () => {
      const url = async (command: PutObjectCommand | GetObjectCommand) =>
        new URL(await getSignedUrl(client(), command as GetObjectCommand, { expiresIn: 60 }))
      const Key = 'presigned ü+.bin'
      const put = await url(new PutObjectCommand({ Bucket: 'behind', Key }))
      const get = await url(new GetObjectCommand({ Bucket: 'behind', Key }))
      const at = ({ pathname, search }: URL) => pathname + search
      assert.equal((await ask('PUT', 's3.example.com', at(put), { body: 'presigned' })).status, 200)
      assert.equal((await ask('GET', 's3.example.com', at(get))).body.toString(), 'presigned')
      assert.equal((await ask('PUT', 's3.example.com', at(get), { body: 'other' })).status, 403)
      assert.ok(!/X-Amz-Signature=[0-9a-f]/i.test(proxy.log()))
    })

    it('a client that waits for 100 Continue gets it', async () => {
      const body = 'after a wait'
      const { headers } = await signerOf(pair).sign({
        method: 'PUT',
        protocol: 'https:',
        hostname: endpoint.host,
        path: '/behind/waited',
        query: {},
        headers: { host: endpoint.host, 'content-length': String(body.length) },
        body,
      })
      const put = await ask('PUT', 's3.example.com', '/behind/waited', {
        headers: { ...headers, expect: '100-continue' },
        body,
      })
      assert.equal(put.status, 200)
      assert.equal((await signed('GET', '/behind/waited')).body.toString(), body)
    })

    it('what fails is logged without its credentials', async () => {
      await server.kill('SIGKILL')
      const failed = await ask('GET', 'storage.example.com', '/public/s/a-token-of-a-link/file?signature=abcdef')
      assert.ok([502, 503, 504].includes(failed.status ?? 0), String(failed.status))
      // Logged after it was answered.
      await until(() => /public\/s\//.test(proxy.log()))
      assert.ok(!/a-token-of-a-link|abcdef/.test(proxy.log()))
    })
  })

// Traefik is not in Debian: its files are read, not run.
describe('the files for Traefik', () => {
  const read = (file: string) => parse(fs.readFileSync(path.join(import.meta.dirname, '../../deploy', file), 'utf8'))
  const { http: sites, tls } = read('traefik.dynamic.yaml')
  const configuration = read('traefik.yaml')

  it('refer to routers, services, middlewares, transports and entry points that are there', () => {
    for (const { service, middlewares = [], entryPoints } of Object.values<Record<string, string & string[]>>(
      sites.routers,
    )) {
      assert.ok(service && service in sites.services, String(service))
      for (const one of middlewares) assert.ok(one in sites.middlewares, one)
      for (const one of entryPoints ?? []) assert.ok(one in configuration.entryPoints, one)
    }
    for (const { loadBalancer } of Object.values<Record<string, Record<string, string>>>(sites.services))
      assert.ok(loadBalancer?.serversTransport && loadBalancer.serversTransport in sites.serversTransports)
    const { websecure, web } = configuration.entryPoints
    assert.ok(websecure.http.tls.certResolver in configuration.certificatesResolvers)
    assert.ok(web.http.redirections.entryPoint.to in configuration.entryPoints)
    assert.equal(path.basename(configuration.providers.file.filename), 'traefik.dynamic.yaml')
  })

  it('pass keys on unchanged, do not end long uploads, buffer nothing and log no path', () => {
    const { http, transport } = configuration.entryPoints.websecure
    assert.equal(http.sanitizePath, false)
    assert.deepEqual([...new Set(Object.values(http.encodedCharacters))], [true])
    assert.equal(transport.respondingTimeouts.readTimeout, '0s')
    assert.ok(!('accessLog' in configuration))
    assert.ok(!JSON.stringify(sites).includes('buffering'))
    assert.equal(tls.options.default.minVersion, 'VersionTLS12')
  })
})
