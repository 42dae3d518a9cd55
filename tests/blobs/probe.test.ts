import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { checkNames, type StorageCheck } from '../../contract/storages.ts'
import { BlobMissing, StorageMissing } from '../../server/drivers/driver.ts'
import { explain } from '../../server/drivers/explain.ts'
import { connect, S3Failure, type S3Options } from '../../server/drivers/s3/client.ts'
import { type ProbeOptions, probeS3 } from '../../server/drivers/s3/probe.ts'
import { cephGateway, type Gateway, newBucket, noGateway } from '../support/ceph.ts'

const modes = ['owned', 'read_only'] as const
type Name = StorageCheck['name']
type Status = StorageCheck['status']

/** Checks that a probe has every check, in order and with a detail, and returns them by name. */
async function probed(options: S3Options, probe: Partial<ProbeOptions>) {
  const { checks, preview } = await probeS3(options, { mode: 'read_only', prefix: '', now: () => new Date(), ...probe })
  assert.deepEqual(
    checks.map(({ name }) => name),
    checkNames,
  )
  for (const { detail } of checks) assert.match(detail, /^[A-Z“\d].{9,}[.]$/s)
  const by = Object.fromEntries(checks.map((check) => [check.name, check])) as Record<Name, StorageCheck>
  /** Checks the statuses of those that have not passed. */
  const assertOnly = (others: Partial<Record<Name, Status>>) => {
    const expected = Object.fromEntries(checkNames.map((name) => [name, others[name] ?? 'passed']))
    assert.deepEqual(
      Object.fromEntries(checks.map(({ name, status }) => [name, status])),
      expected,
      JSON.stringify(checks, null, 1),
    )
  }
  return { checks, preview, assertOnly, detail: (name: Name) => by[name].detail }
}

const gateway = await cephGateway()

describe('the probe of an S3 engine, on Ceph', { skip: gateway ? false : noGateway }, () => {
  const { credentials } = (gateway ?? {}) as Gateway

  /** A place of its own in the tests' bucket, or in a bucket of its own, and what is there. */
  async function openPlace(t: TestContext, { ownBucket = false } = {}) {
    const url = new URL(newBucket(gateway as Gateway))
    const endpoint = url.searchParams.get('endpoint') as string
    const Bucket = ownBucket ? `probe-${randomUUID()}` : url.hostname
    const prefix = `${url.pathname.slice(1)}/`
    const options: S3Options = { bucket: Bucket, prefix: '', endpoint, credentials }
    const client = connect(options)
    if (ownBucket) await client.send(new s3.CreateBucketCommand({ Bucket }))
    const versions = async () => {
      const { Versions = [], DeleteMarkers = [] } = await client.send(
        new s3.ListObjectVersionsCommand({ Bucket, Prefix: prefix }),
      )
      return [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }))
    }
    t.after(async () => {
      for (const version of await versions()) await client.send(new s3.DeleteObjectCommand({ Bucket, ...version }))
      if (ownBucket) await client.send(new s3.DeleteBucketCommand({ Bucket }))
      client.destroy()
    })
    return {
      options,
      prefix,
      client,
      fill: async (keys: readonly string[]) => {
        for (const key of keys)
          await client.send(new s3.PutObjectCommand({ Bucket, Key: prefix + key, Body: Buffer.from(key) }))
      },
      /** All that a probe could leave: objects, versions, delete markers, and unfinished uploads. */
      content: async () => {
        const { Uploads } = await client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: prefix }))
        return { versions: await versions(), uploads: Uploads?.map(({ Key }) => Key) ?? [] }
      },
    }
  }

  test('finds out everything about a filled prefix, and leaves it as it was', async (t) => {
    const { options, prefix, fill, content } = await openPlace(t)
    const keys = ['a b', 'a+b', 'a%20b', '50%', 'ä/ö😀', '～', '😀', 'q?&<>"\'#', ' two  spaces ', 'tab\there', 'x/']
    await fill(keys)
    const before = await content()
    assert.equal(before.versions.length, keys.length)
    for (const mode of modes) {
      const { preview, assertOnly, detail } = await probed(options, { mode, prefix })
      assertOnly(mode === 'owned' ? {} : { write: 'warning' })
      assert.equal(detail('list'), 'There are 11 objects.')
      assert.match(detail('versioning'), /is off/)
      assert.match(detail('write'), mode === 'owned' ? /can be written and removed/ : /could write.*only reads/)
      const sorted = keys.map((key) => Buffer.from(prefix + key)).sort(Buffer.compare)
      assert.deepEqual(
        preview.map(({ key, size }) => [key, size]),
        sorted.map((key) => [key.toString(), key.length - prefix.length]),
      )
      for (const { modified_at } of preview) assert.ok(Math.abs(Date.now() - Number(modified_at)) < 60_000)
      assert.deepEqual(await content(), before)
    }
  })

  test('skips what an empty prefix has nothing for', async (t) => {
    const { options, prefix, fill, content } = await openPlace(t)
    const nothing = { order: 'skipped', head: 'skipped', read: 'skipped', if_match: 'skipped' } as const
    for (const mode of modes) {
      const { preview, assertOnly, detail } = await probed(options, { mode, prefix })
      assertOnly({ ...nothing, ...(mode === 'read_only' && { write: 'warning' }) })
      assert.equal(detail('list'), 'There are no objects.')
      assert.deepEqual(preview, [])
      assert.deepEqual(await content(), { versions: [], uploads: [] })
    }
    await fill([''])
    const { assertOnly } = await probed(options, { mode: 'owned', prefix })
    assertOnly({ order: 'skipped', read: 'skipped' })
  })

  test('reads two pages of a long listing', async (t) => {
    const { options, prefix, client } = await openPlace(t)
    const put = (number: number) =>
      client.send(new s3.PutObjectCommand({ Bucket: options.bucket, Key: `${prefix}${number}`, Body: 'x' }))
    for (let from = 1000; from < 2010; from += 101)
      await Promise.all(Array.from({ length: Math.min(101, 2010 - from) }, (_, i) => put(from + i)))
    const { preview, assertOnly, detail } = await probed(options, { mode: 'owned', prefix })
    assertOnly({})
    assert.equal(detail('list'), 'There are more than 1000 objects.')
    assert.equal(preview.length, 20)
    await Promise.all(
      [0, 1].map(async (half) => {
        const Objects = Array.from({ length: 505 }, (_, i) => ({ Key: `${prefix}${1000 + half * 505 + i}` }))
        await client.send(new s3.DeleteObjectsCommand({ Bucket: options.bucket, Delete: { Objects } }))
      }),
    )
  })

  test('says why the storage cannot be reached, without a secret', async (t) => {
    const { options, prefix } = await openPlace(t)
    const secretAccessKey = 'a-secret-nobody-may-see'
    for (const [wrong, what] of [
      [{ credentials: { ...credentials, secretAccessKey } }, /secret access key is wrong/],
      [{ credentials: { accessKeyId: 'nobody', secretAccessKey } }, /does not know the access key ID/],
      [{ bucket: 'no-such-bucket' }, /no such bucket/],
      [{ endpoint: 'http://127.0.0.1:1' }, /refused/],
      [{ endpoint: options.endpoint?.replace('http:', 'https:') }, /does not speak TLS/],
    ] as const)
      for (const mode of modes) {
        const { checks, preview, detail } = await probed({ ...options, ...wrong }, { mode, prefix })
        assert.match(detail('reach'), what)
        assert.deepEqual(
          checks.map(({ status }) => status),
          ['failed', ...Array(8).fill('skipped')],
        )
        assert.equal(detail('write'), 'Not checked, because the storage could not be reached.')
        assert.deepEqual(preview, [])
        for (const secret of [secretAccessKey, credentials.secretAccessKey])
          assert.ok(!JSON.stringify(checks).includes(secret))
      }
  })

  test('credentials that cannot write are what a read-only storage needs', async (t) => {
    const { options, prefix, fill, client, content } = await openPlace(t, { ownBucket: true })
    await fill(['a', 'b'])
    const before = await content()
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Deny', Principal: '*', Action: 's3:PutObject', Resource: `arn:aws:s3:::${options.bucket}/*` },
      ],
    })
    await client.send(new s3.PutBucketPolicyCommand({ Bucket: options.bucket, Policy }))
    const readOnly = await probed(options, { mode: 'read_only', prefix })
    readOnly.assertOnly({})
    assert.equal(readOnly.detail('write'), 'The credentials cannot write.')
    const owned = await probed(options, { mode: 'owned', prefix })
    owned.assertOnly({ write: 'failed' })
    assert.match(owned.detail('write'), /^Writing an object failed\. The storage denies PutObject/)
    assert.deepEqual(await content(), before)
  })

  test('leaves no versions behind', async (t) => {
    const { options, prefix, fill, client, content } = await openPlace(t, { ownBucket: true })
    await fill(['a', 'b'])
    for (const Status of ['Enabled', 'Suspended'] as const) {
      const VersioningConfiguration = { Status }
      await client.send(new s3.PutBucketVersioningCommand({ Bucket: options.bucket, VersioningConfiguration }))
      const before = await content()
      for (const mode of modes) {
        const { assertOnly, detail } = await probed(options, { mode, prefix })
        assertOnly(mode === 'owned' ? {} : { write: 'warning' })
        assert.ok(detail('versioning').includes(Status.toLowerCase()))
        assert.deepEqual(await content(), before)
      }
    }
  })
})

type Call = 'list' | 'versioning' | 'uploads' | 'begin' | 'abort' | 'head' | 'get' | 'put' | 'remove'
/** Answers a call in its own way; a call that it does not answer is answered properly. */
type Twist = (request: http.IncomingMessage, response: http.ServerResponse, key: string) => unknown

describe('the probe of an S3 engine that misbehaves', () => {
  const options = { bucket: 'bucket', prefix: '', credentials: { accessKeyId: 'id', secretAccessKey: 'secret' } }
  const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`
  const refuse = (response: http.ServerResponse, status: number, code: string) =>
    response.writeHead(status).end(`<Error><Code>${code}</Code><Message>so it is</Message></Error>`)
  const deny: Twist = (_, response) => refuse(response, 403, 'AccessDenied')

  function callOf({ method }: http.IncomingMessage, url: URL): Call {
    const has = (name: string) => url.searchParams.has(name)
    if (method === 'GET' && url.pathname === '/bucket/')
      return has('versioning') ? 'versioning' : has('uploads') ? 'uploads' : 'list'
    if (method === 'POST') return 'begin'
    if (method === 'DELETE') return has('uploadId') ? 'abort' : 'remove'
    return method === 'GET' ? 'get' : method === 'PUT' ? 'put' : 'head'
  }

  /** A small engine that does everything right but for its twists. It lists in the order of `objects`. */
  async function openFake(t: TestContext, twists: Partial<Record<Call | 'all', Twist>> = {}, pageSize = 1000) {
    const objects = new Map<string, Buffer>()
    const uploads = new Set<string>()
    const calls: string[] = []
    const listing = (url: URL): string => {
      const keys = [...objects.keys()].filter((key) => key.startsWith(url.searchParams.get('prefix') ?? ''))
      const start = Number(url.searchParams.get('continuation-token') ?? 0)
      const end = start + Math.min(pageSize, Number(url.searchParams.get('max-keys')))
      const entries = keys.slice(start, end).map((key) => {
        const bytes = objects.get(key) as Buffer
        const encoded = encodeURIComponent(key).replaceAll('%20', '+')
        return `<Contents><Key>${encoded}</Key><Size>${bytes.length}</Size><ETag>${etagOf(bytes)}</ETag></Contents>`
      })
      const more = end < keys.length ? `<NextContinuationToken>${end}</NextContinuationToken>` : ''
      return `<ListBucketResult><Name>bucket</Name><EncodingType>url</EncodingType><IsTruncated>${end < keys.length}</IsTruncated>${more}${entries.join('')}</ListBucketResult>`
    }
    const server = http.createServer(async (request, response) => {
      const url = new URL(request.url as string, 'http://engine')
      const call = callOf(request, url)
      const key = decodeURIComponent(url.pathname.slice('/bucket/'.length))
      calls.push(call)
      await twists.all?.(request, response, key)
      await twists[call]?.(request, response, key)
      if (response.writableEnded || response.headersSent) return
      const bytes = objects.get(key)
      if (call === 'list') return response.end(listing(url))
      if (call === 'versioning') return response.end('<VersioningConfiguration/>')
      if (call === 'uploads') {
        const entries = [...uploads].map((one) => `<Upload><Key>${one}</Key><UploadId>up</UploadId></Upload>`)
        return response.end(`<ListMultipartUploadsResult>${entries.join('')}</ListMultipartUploadsResult>`)
      }
      if (call === 'begin') {
        uploads.add(key)
        return response.end('<InitiateMultipartUploadResult><UploadId>up</UploadId></InitiateMultipartUploadResult>')
      }
      if (call === 'abort') uploads.delete(key)
      if (call === 'remove') objects.delete(key)
      if (call === 'abort' || call === 'remove') return response.writeHead(204).end()
      if (call === 'put') {
        const body = await buffer(request)
        const md5 = request.headers['content-md5']
        if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64'))
          return refuse(response, 400, 'BadDigest')
        objects.set(key, body)
        return response.end()
      }
      if (!bytes) return refuse(response, 404, 'NoSuchKey')
      response.setHeader('etag', etagOf(bytes))
      const ifMatch = request.headers['if-match']
      if (ifMatch !== undefined && ifMatch !== etagOf(bytes)) return refuse(response, 412, 'PreconditionFailed')
      if (call === 'head') return response.writeHead(200, { 'content-length': bytes.length }).end()
      if (request.headers.range === undefined) return response.end(bytes)
      response.writeHead(206, { 'content-range': `bytes 0-0/${bytes.length}`, 'content-length': 1 })
      response.end(bytes.subarray(0, 1))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const place = { ...options, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    for (const key of ['a b', 'a+b', 'b']) objects.set(key, Buffer.from(`bytes of ${key}`))
    const run = (probe: Partial<ProbeOptions> = {}) => probed(place, { mode: 'owned', ...probe })
    return { run, objects, uploads, calls }
  }

  test('all is well with one that does not', async (t) => {
    const { run, objects, uploads } = await openFake(t)
    for (const mode of modes) {
      const { assertOnly, preview } = await run({ mode })
      assertOnly(mode === 'owned' ? {} : { write: 'warning' })
      assert.deepEqual(
        preview.map(({ key, size, modified_at }) => [key, size, modified_at]),
        [...objects].map(([key, { length }]) => [key, length, null]),
      )
    }
    assert.deepEqual([objects.size, uploads.size], [3, 0])
  })

  test('a listing out of order is found, also between pages and by code units', async (t) => {
    for (const [keys, pageSize, wrong] of [
      [['b', 'a'], 1000, /“b” comes before “a”/],
      [['b', 'c', 'a', 'd'], 2, /“c” comes before “a”/],
      // Folder by folder is an order, too; one that is neither is not.
      [['a', 'a/', 'a-'], 1000, null],
      [['a', 'a/', 'a-', 'a!'], 1000, /comes before/],
      // U+1F600 is two units from D83D on in UTF-16, which is less than U+FF5E.
      [['😀', '～'], 1000, /“😀” comes before “～”/],
      [['b', 'c', 'd'], 2, null],
    ] as const) {
      const { run, objects } = await openFake(t, {}, pageSize)
      objects.clear()
      for (const key of keys) objects.set(key, Buffer.from('x'))
      const { assertOnly, detail } = await run()
      assertOnly(wrong ? { order: 'failed' } : {})
      if (wrong) assert.match(detail('order'), wrong)
    }
  })

  test('a listing that cannot be used fails, and the rest of it is not checked', async (t) => {
    const unchecked = { order: 'skipped', head: 'skipped', read: 'skipped', if_match: 'skipped' } as const
    const contents = (key: string, size = '<Size>1</Size>') => `<Contents><Key>${key}</Key>${size}</Contents>`
    for (const [content, what] of [
      [contents('a%FFb'), /cannot be decoded: “a%FFb”/],
      [contents('a', ''), /does not say how large “a” is/],
      [contents('a', '<Size>-1</Size>'), /does not say how large “a” is/],
      [contents('other/a'), /“other\/a”, which is not under the prefix/],
      ['<IsTruncated>true</IsTruncated>', /stops before its end/],
    ] as const) {
      const { run } = await openFake(t, {
        list: (_, response) =>
          response.end(
            `<ListBucketResult><Name>bucket</Name><EncodingType>url</EncodingType>${content}</ListBucketResult>`,
          ),
      })
      const { assertOnly, detail, preview } = await run({ prefix: content.includes('other') ? 'own/' : '' })
      assertOnly({ list: 'failed', ...unchecked })
      assert.match(detail('list'), what)
      assert.equal(detail('head'), 'Not checked, because the objects could not be listed.')
      assert.deepEqual(preview, [])
    }
    const { run } = await openFake(
      t,
      { list: (request, response) => request.url?.includes('continuation') && refuse(response, 500, 'InternalError') },
      2,
    )
    const { assertOnly, detail } = await run()
    assertOnly({ order: 'failed' })
    assert.match(detail('order'), /second page.*HTTP 500/)
  })

  test('keys are taken as they are from one that does not know encoding-type', async (t) => {
    const { run } = await openFake(t, {
      list: (_, response) =>
        response.end(
          '<ListBucketResult><Name>b</Name><Contents><Key>a+b</Key><Size>0</Size></Contents></ListBucketResult>',
        ),
    })
    assert.equal((await run()).preview[0]?.key, 'a+b')
  })

  test('what a HEAD says is compared with the listing', async (t) => {
    for (const [headers, status, what] of [
      [{ 'content-length': 4, etag: '"e"' }, 'failed', /“a b” has 12 bytes in the listing, but 4 bytes/],
      [{ etag: '"e"' }, 'failed', /no number of bytes/],
      [{ 'content-length': 12 }, 'warning', /no ETags/],
      [{ 'content-length': 12, etag: '"e"' }, 'warning', /differs/],
      [{ 'content-length': 12, etag: etagOf(Buffer.from('bytes of a b')).replaceAll('"', '') }, 'passed', /agree/],
    ] as const) {
      const { run } = await openFake(t, { head: (_, response) => response.writeHead(200, headers).end() })
      const { assertOnly, detail } = await run()
      assertOnly({ head: status })
      assert.match(detail('head'), what)
    }
    const { run } = await openFake(t, { head: deny })
    assert.match((await run()).detail('head'), /denies HeadObject/)
  })

  test('one that ignores If-Match is a warning', async (t) => {
    const { run } = await openFake(t, { get: (request) => delete request.headers['if-match'] })
    const { assertOnly, detail } = await run()
    assertOnly({ if_match: 'warning' })
    assert.match(detail('if_match'), /ignores If-Match/)
    const failing = await openFake(t, {
      get: (request, response) => request.headers['if-match'] && refuse(response, 501, 'NotImplemented'),
    })
    const answer = await failing.run()
    answer.assertOnly({ if_match: 'warning' })
    assert.match(answer.detail('if_match'), /status 412\. The storage does not support/)
  })

  test('one that ignores Range is a warning, and its endless answer is not downloaded', async (t) => {
    let [sent, closed] = [0, 0]
    const { run, objects } = await openFake(t, {
      get: (request, response, key) => {
        if (key.startsWith('probe-') || request.headers['if-match']) return
        response.writeHead(200, { 'content-length': 2 ** 40 })
        const chunk = Buffer.alloc(64 * 1024)
        const more = () => {
          while (!response.destroyed && response.write(chunk)) sent += chunk.length
        }
        response.on('drain', more).on('close', () => closed++)
        more()
      },
    })
    const { assertOnly, detail } = await run()
    assertOnly({ read: 'warning' })
    assert.match(detail('read'), /ignores Range/)
    assert.equal(objects.size, 3)
    assert.equal(closed, 1)
    assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes were sent`)
  })

  test('one that sends other bytes than asked for fails', async (t) => {
    const total = 'bytes of a b'.length
    for (const [headers, body, what] of [
      [{ 'content-range': `bytes 0-1/${total}` }, 'by', /something else/],
      [{ 'content-range': `bytes 1-1/${total}` }, 'y', /something else/],
      [{ 'content-range': 'bytes 0-0/99' }, 'b', /something else/],
      [{ 'content-range': `bytes 0-0/${total}` }, '', /something else/],
      [{ 'content-range': `bytes 0-0/${total}`, 'content-length': '5' }, null, /broke off the connection/],
    ] as const) {
      const { run } = await openFake(t, {
        get: (request, response, key) => {
          if (key.startsWith('probe-') || request.headers['if-match']) return
          response.writeHead(206, headers)
          if (body === null) response.write('b', () => response.destroy())
          else response.end(body)
        },
      })
      const { assertOnly, detail } = await run()
      assertOnly({ read: 'failed' })
      assert.match(detail('read'), what)
    }
  })

  test('one that fails, or is none, cannot be reached', async (t) => {
    for (const [status, body, what] of [
      [500, '', /HTTP 500/],
      [503, '', /unavailable/],
      [200, '<!DOCTYPE html><html><body><p>It works!</p></body></html>', /not answer like an S3 engine/],
      [200, '{"a":1}', /not answer like an S3 engine/],
      [400, '<h1>Bad request<br>', /not answer like an S3 engine/],
      [301, '', /region or the endpoint is wrong/],
      [404, '', /check the endpoint/],
    ] as const) {
      const { run, calls } = await openFake(t, { all: (_, response) => response.writeHead(status).end(body) })
      const { checks, detail } = await run()
      assert.equal(checks.filter((check) => check.status === 'skipped').length, 8)
      assert.match(detail('reach'), what)
      assert.deepEqual([...new Set(calls)], ['list'])
    }
  })

  test('one that hangs is given up after the deadline', async (t) => {
    const forever = () => new Promise(() => {})
    const begun: Twist = (_, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('<')
    }
    const { run } = await openFake(t, { all: forever })
    assert.match((await run({ deadline: 200 })).detail('reach'), /did not answer in time/)
    const inBody = await openFake(t, { list: begun })
    assert.match((await inBody.run({ deadline: 200 })).detail('reach'), /did not answer in time/)
    const inChecks = await openFake(t, { head: forever, get: begun, versioning: begun, begin: forever })
    const started = Date.now()
    const { assertOnly, detail } = await inChecks.run({ deadline: 200 })
    assertOnly({ head: 'failed', read: 'failed', if_match: 'warning', versioning: 'skipped', write: 'failed' })
    assert.match(detail('write'), /^Reading back an object failed\. The storage did not answer in time\./)
    assert.ok(Date.now() - started < 5000)
  })

  test('a clock an hour off is a warning, none is not', async (t) => {
    for (const [ms, what] of [
      [3_600_000, /60 minutes ahead/],
      [-3_600_000, /60 minutes behind/],
    ] as const) {
      const { run } = await openFake(t, {
        all: (_, response) => response.setHeader('date', new Date(Date.now() + ms).toUTCString()),
      })
      const { assertOnly, detail } = await run()
      assertOnly({ clock: 'warning' })
      assert.match(detail('clock'), what)
    }
    const { run } = await openFake(t)
    ;(await run({ now: () => new Date(Date.now() - 240_000) })).assertOnly({})
    ;(await run({ now: () => new Date(Date.now() - 360_000) })).assertOnly({ clock: 'warning' })
    const silent = await openFake(t, {
      all: (_, response) => {
        response.sendDate = false
      },
    })
    ;(await silent.run()).assertOnly({ clock: 'skipped' })
  })

  test('whether it keeps versions need not be known', async (t) => {
    const { run } = await openFake(t, { versioning: deny })
    const { assertOnly, detail } = await run()
    assertOnly({ versioning: 'skipped' })
    assert.match(detail('versioning'), /denies GetBucketVersioning/)
  })

  test('what it writes against its will is deleted again', async (t) => {
    const before = ['a b', 'a+b', 'b']
    const careless: Twist = (request) => delete request.headers['content-md5']
    const { run, objects, calls } = await openFake(t, { put: careless })
    const { assertOnly, detail } = await run({ mode: 'read_only' })
    assertOnly({ write: 'warning' })
    assert.match(detail('write'), /can write.*ignores Content-MD5.*deleted it again/)
    assert.deepEqual([...objects.keys()], before)
    assert.deepEqual(
      calls.filter((call) => !['list', 'head', 'get', 'versioning'].includes(call)),
      ['put', 'remove'],
    )

    const stubborn = await openFake(t, { put: careless, remove: deny })
    const left = await stubborn.run({ mode: 'read_only' })
    left.assertOnly({ write: 'failed' })
    const [, key] = /left “(strongroom-write-probe-[0-9a-f-]{36})” behind/.exec(left.detail('write')) ?? []
    assert.deepEqual([...stubborn.objects.keys()], [...before, key])

    const { run: runLosing, objects: kept } = await openFake(t, {
      put: (_, response, key) => {
        kept.set(key, Buffer.from('kept'))
        refuse(response, 500, 'InternalError')
      },
    })
    const lost = await runLosing({ mode: 'read_only' })
    lost.assertOnly({ write: 'warning' })
    assert.match(lost.detail('write'), /could not be found out.*HTTP 500/)
    assert.deepEqual([...kept.keys()], before)

    const unsure = await openFake(t, { put: (_, response) => refuse(response, 500, 'InternalError'), head: deny })
    const unknown = await unsure.run({ mode: 'read_only' })
    assert.match(unknown.detail('write'), /may have left “strongroom-write-probe-.* behind.*HTTP 500/)
  })

  test('reading only takes credentials, or an engine, that refuse every write', async (t) => {
    for (const [status, code, expected] of [
      [403, 'AccessDenied', 'passed'],
      [403, '', 'passed'],
      [405, 'MethodNotAllowed', 'passed'],
      [403, 'QuotaExceeded', 'warning'],
      [400, 'InvalidDigest', 'warning'],
      [501, 'NotImplemented', 'warning'],
    ] as const) {
      const { run, calls } = await openFake(t, { put: (_, response) => refuse(response, status, code) })
      const { assertOnly } = await run({ mode: 'read_only' })
      assertOnly({ write: expected })
      assert.ok(!calls.includes('remove'))
    }
  })

  test('a failed write names its step and leaves nothing', async (t) => {
    for (const [twists, what] of [
      [{ put: deny }, /^Writing an object failed\. The storage denies PutObject/],
      [{ get: (_: unknown, response: http.ServerResponse) => response.end('other') }, /^Reading back an object failed/],
      [{ begin: deny }, /^Starting an upload in parts failed\. The storage denies CreateMultipartUpload/],
      [{ uploads: deny }, /^Listing uploads in parts failed/],
      [{ abort: deny }, /^Aborting an upload in parts failed.* “probe-[0-9a-f-]{36}” may be left behind/],
      [{ remove: deny }, /^Deleting an object failed.* “probe-[0-9a-f-]{36}” may be left behind/],
    ] as const) {
      const { run, objects, uploads } = await openFake(t, twists)
      const { detail } = await run()
      assert.match(detail('write'), what)
      assert.equal(objects.size, 'remove' in twists ? 4 : 3)
      assert.equal(uploads.size, 'abort' in twists ? 1 : 0)
      assert.equal(/left behind/.test(detail('write')), 'abort' in twists || 'remove' in twists)
    }
    const forgetful = await openFake(t, {
      uploads: (_, response) => response.end('<ListMultipartUploadsResult></ListMultipartUploadsResult>'),
    })
    const { assertOnly, detail } = await forgetful.run()
    assertOnly({ write: 'warning' })
    assert.match(detail('write'), /unfinished uploads are not listed/)
    assert.equal(forgetful.uploads.size, 0)
  })
})

describe('what an administrator is told about a storage that failed', () => {
  const s3Failure = (name: string, { message = '', status }: { message?: string; status?: number } = {}) =>
    new S3Failure('GetObject', Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } }))
  const coded = (code: string, message = 'failed') => Object.assign(new Error(message), { code })

  test('in a sentence', () => {
    const wrongRegion = "the region 'us-east-1' is wrong; expecting 'eu-west-1'"
    for (const [error, what] of [
      [s3Failure('InvalidAccessKeyId', { status: 403 }), /does not know the access key ID/],
      [s3Failure('SignatureDoesNotMatch', { status: 403 }), /secret access key is wrong/],
      [s3Failure('AccessDenied', { status: 403 }), /denies GetObject/],
      [s3Failure('Unknown', { status: 403 }), /denies GetObject/],
      [s3Failure('NoSuchBucket', { status: 404 }), /no such bucket/],
      [s3Failure('NoSuchKey', { status: 404 }), /object is not there/],
      [s3Failure('NotFound', { status: 404 }), /object is not there/],
      [s3Failure('PermanentRedirect', { status: 301 }), /bucket is elsewhere/],
      [s3Failure('AuthorizationHeaderMalformed', { status: 400 }), /region is wrong/],
      [s3Failure('AuthorizationHeaderMalformed', { message: wrongRegion, status: 400 }), /expects eu-west-1/],
      [s3Failure('RequestTimeTooSkewed', { status: 403 }), /clocks/],
      [s3Failure('InvalidObjectState', { status: 403 }), /archive/],
      [s3Failure('SlowDown', { status: 503 }), /overloaded/],
      [s3Failure('Unknown', { status: 429 }), /overloaded/],
      [s3Failure('Unknown', { status: 502 }), /HTTP 502/],
      [s3Failure('Unknown', { status: 507 }), /full/],
      [s3Failure('Error', { message: 'Region is missing' }), /region or an endpoint is needed/],
      [s3Failure('CredentialsProviderError'), /No credentials/],
      [new S3Failure('GetObject', coded('ECONNREFUSED')), /refused/],
      [new S3Failure('GetObject', coded('CERT_HAS_EXPIRED')), /certificate.*expired/],
      [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), /whom this server trusts/],
      [coded('CERT_REVOKED'), /CERT_REVOKED/],
      [coded('ENOTFOUND'), /host name/],
      [coded('ETIMEDOUT'), /in time/],
      [AbortSignal.abort(new DOMException('late', 'TimeoutError')).reason, /in time/],
      [coded('ENOENT'), /does not exist/],
      [coded('EACCES'), /not permitted/],
      [coded('ENOSPC'), /full/],
      [coded('EROFS'), /read-only/],
      [new Error('opening failed', { cause: coded('EROFS') }), /read-only/],
      [new StorageMissing('There is no storage at /nas'), /^There is no storage at \/nas\.$/],
      [new BlobMissing('id', coded('ENOENT')), /missing or incomplete/],
      [new Error('who knows'), /^The storage failed: who knows$/],
      [new Error(''), /^The storage failed: unknown error$/],
      ['text', /^The storage failed: text$/],
      [undefined, /^The storage failed: undefined$/],
    ] as const)
      assert.match(explain(error), what)
  })

  test('without a secret', () => {
    for (const message of [
      'connect to https://key:hidden@engine.example/bucket failed',
      'GET https://engine.example/bucket?X-Amz-Signature=hidden&x=1 failed',
      'header Authorization: hidden failed',
      'Credential=hidden, Signature=hidden',
      'secretAccessKey: hidden',
      'first line\nhidden',
    ]) {
      const told = explain(new Error(message))
      assert.match(told, /^The storage failed: ./)
      assert.ok(!told.includes('hidden'), told)
    }
    assert.ok(explain(new Error('x'.repeat(10_000))).length < 400)
  })
})
