// Which bucket a request is for: the Host header, names that proxies pass on, and targets that name a host.
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { alternatives } from '../../server/fronts/s3/requests/signature/verify.ts'
import { bucketOfHost, readQuery, readTarget } from '../../server/fronts/s3/requests/target.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'
import { type Pair, s3World, signerOf } from './s3.ts'

const label = fc.constantFrom('s3', 'pub', 'private', 'a', 'local', 'b.s3', 'pub.s3')
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
const host = fc
  .tuple(name, fc.constantFrom('', '.'), fc.constantFrom('', ':', ':80', ':443', ':9000'))
  .map((parts) => parts.join(''))

it('compares a signature only with hosts that name the same bucket as the one that arrived', () => {
  fc.assert(
    fc.property(
      fc.record({ domains: fc.array(name, { maxLength: 3 }), hosts: fc.array(host, { maxLength: 8 }) }),
      fc.record({ arrived: host, forwarded: fc.option(host, { nil: undefined }) }),
      fc.constantFrom('/private/k', '/pub/private/k', '/a%2Fb/c', '/', '/~x//y'),
      ({ domains, hosts }, { arrived, forwarded }, path) => {
        const headers = new Map([['host', arrived]])
        const done = readTarget(path, bucketOfHost(arrived, domains))
        const found = alternatives(
          headers,
          { path, query: '' },
          { signedHeaders: ['host'] },
          { hosts, forwarded, domains },
        )
        assert.ok(found.length <= 6)
        for (const { headers: signed } of found)
          assert.deepEqual(readTarget(path, bucketOfHost(signed?.host ?? arrived, domains)), done, signed?.host)
      },
    ),
    { numRuns: 2000 },
  )
})

it('finds the bucket of a host with a port, capitals or a final dot, below the longest domain', () => {
  const domains = ['example.com', 's3.example.com', 'other.test']
  for (const [given, bucket] of [
    ['b.s3.example.com', 'b'],
    ['b.s3.example.com.', 'b'],
    ['b.s3.example.com.:9000', 'b'],
    ['B.S3.Example.COM:80', 'b'],
    ['x.y.other.test.', 'x.y'],
    ['s3.example.com', null],
    ['s3.example.com.', null],
    ['b.s3.example.com:', 'b'],
    ['bs3.example.com', 'bs3'],
    ['example.com', null],
    ['other.test.:80', null],
  ] as const)
    assert.equal(bucketOfHost(given, domains), bucket, given)
})

it('reads a query in the order in which it is signed', () => {
  assert.deepEqual(readQuery('versionId=b&acl&versionId=a'), [
    ['acl', ''],
    ['versionId', 'a'],
    ['versionId', 'b'],
  ])
})

describeOnce('S3: hosts', (engine) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  before(async () => {
    server = await startServer(engine, {
      S3_PORT: '0',
      S3_DOMAIN: 's3.local',
      S3_HOSTS: 's3.local,inside:9000,pub.s3.local',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    world = s3World(server)
    pair = await world.keyOf()
    for (const bucket of ['pub', 'private']) {
      await server.admin.createBucket({ body: { name: bucket } })
      for (const key of ['report.txt', 'pub/report.txt', 'private/k.txt', 'k.txt'])
        await server.admin.putObject({ params: { bucket, key }, body: `${key} of ${bucket}` })
    }
  })
  after(() => server.stop())

  /** A presigned URL's path and query, for a host. */
  const presign = async (method: string, at: string, signedFor: string): Promise<string> => {
    const [path = '', search = ''] = at.split('?')
    const { query = {} } = await signerOf(pair).presign(
      {
        method,
        protocol: 'http:',
        hostname: signedFor,
        path,
        headers: { host: signedFor, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
        query: Object.fromEntries(new URLSearchParams(search)),
      },
      { signingDate: server.clock.now(), expiresIn: 60 },
    )
    return `${path}?${new URLSearchParams(query as Record<string, string>).toString().replaceAll('+', '%20')}`
  }
  const via = (forwarded: string) => ({ 'x-forwarded-host': forwarded, 'x-forwarded-for': '1.2.3.4' })
  const ask = async (method: string, at: string, headers: Record<string, string>, body = '') => {
    const { status, text, code } = await world.send(method, at, headers, body)
    return status === 200 ? text : code
  }

  it('a URL for one bucket opens no other, whatever the request says of its host', async () => {
    const path = await presign('GET', '/pub/report.txt', 's3.local')
    assert.equal(await ask('GET', path, { host: 's3.local' }), 'report.txt of pub')
    assert.equal(await ask('GET', path, { host: 'inside:9000' }), 'report.txt of pub', 'by the path in either')
    for (const host of ['private.s3.local', 'private.s3.local.', 'PRIVATE.s3.local:80'])
      for (const more of [{}, via('s3.local'), via('inside:9000'), via('private.s3.local')])
        assert.equal(await ask('GET', path, { host, ...more }), 'SignatureDoesNotMatch', host)

    const byHost = await presign('GET', '/private/k.txt', 'pub.s3.local')
    assert.equal(await ask('GET', byHost, { host: 'pub.s3.local' }), 'private/k.txt of pub')
    for (const host of ['s3.local', 'inside:9000', 'elsewhere', 'private.s3.local'])
      for (const more of [{}, via('pub.s3.local'), via('private.s3.local')])
        assert.equal(await ask('GET', byHost, { host, ...more }), 'SignatureDoesNotMatch', host)

    const put = await presign('PUT', '/pub/upload.txt', 's3.local')
    await server.records([], async () => {
      for (const more of [{}, via('s3.local')])
        assert.equal(await ask('PUT', put, { host: 'private.s3.local', ...more }, 'x'), 'SignatureDoesNotMatch')
    })
  })

  it('a proxy may change the host where it names the same bucket', async () => {
    const byHost = await presign('GET', '/k.txt', 'pub.s3.local:8443')
    assert.equal(await ask('GET', byHost, { host: 'pub.s3.local', ...via('pub.s3.local:8443') }), 'k.txt of pub')
    assert.equal(await ask('GET', byHost, { host: 'pub.s3.local' }), 'SignatureDoesNotMatch')
    const byPath = await presign('GET', '/pub/k.txt', 'cdn.example')
    assert.equal(await ask('GET', byPath, { host: 'inside:9000', ...via('cdn.example') }), 'k.txt of pub')
    const plain = await presign('GET', '/k.txt', 'pub.s3.local')
    assert.equal(await ask('GET', plain, { host: 'pub.s3.local:80' }), 'k.txt of pub')
    const dotted = await presign('GET', '/k.txt', 'pub.s3.local.')
    assert.equal(await ask('GET', dotted, { host: 'pub.s3.local.' }), 'k.txt of pub')
  })

  it('a target that names a host must name that of the header', async () => {
    const path = await presign('GET', '/k.txt', 'pub.s3.local')
    assert.equal(await ask('GET', `http://pub.s3.local${path}`, { host: 'pub.s3.local' }), 'k.txt of pub')
    assert.equal(await ask('GET', `http://PUB.s3.local:80${path}`, { host: 'pub.s3.local' }), 'k.txt of pub')
    for (const authority of ['private.s3.local', 's3.local', 'x@pub.s3.local', 'pub.s3.local:81', ''])
      assert.equal(await ask('GET', `http://${authority}${path}`, { host: 'pub.s3.local' }), 'InvalidRequest')
    assert.equal(await ask('GET', `ftp://pub.s3.local${path}`, { host: 'pub.s3.local' }), 'InvalidRequest')
    const api = (target: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(server.url)
        const headers = { host: 'files.local', authorization: `Bearer ${server.adminToken}` }
        http
          .get({ hostname, port, path: target, headers, agent: false }, (answer) => {
            answer.resume()
            resolve(answer.statusCode)
          })
          .on('error', reject)
      })
    assert.equal(await api('http://files.local/api/v1/buckets'), 200)
    assert.equal(await api('http://other.local/api/v1/buckets'), 400)
  })

  it('an order that is not signed changes nothing, and two sub-resources are refused', async () => {
    const path = await presign('GET', '/pub/k.txt?response-content-type=text%2Fplain', 's3.local')
    const [at = '', query = ''] = path.split('?')
    const turned = `${at}?${query.split('&').reverse().join('&')}`
    assert.equal(await ask('GET', turned, { host: 's3.local' }), 'k.txt of pub')
    const headers = await world.signed(pair, { method: 'GET', path: '/pub/k.txt?acl=&tagging=' })
    for (const order of ['acl=&tagging=', 'tagging=&acl='])
      assert.equal(await ask('GET', `/pub/k.txt?${order}`, headers), 'InvalidArgument', order)
  })
})
