import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { after, before, it } from 'node:test'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetObjectAclCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { outcome, type Pair, s3World } from './s3.ts'

const B = 'shared'

describeEngines('S3: who may do what', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0' })
    world = s3World(server)
    await server.admin.createBucket({ body: { name: B } })
    await server.admin.createBucket({ body: { name: 'other' } })
    const admin = world.clientOf(await world.keyOf())
    for (const Key of ['a/x/1', 'a/y/1', 'b/1']) await admin.send(new PutObjectCommand({ Bucket: B, Key, Body: Key }))
  })
  after(() => server.stop())

  /** How each operation ends, within the scope's prefix and outside. */
  async function outcomes(s3: S3Client) {
    const at = (Key: string) => ({ Bucket: B, Key })
    const listed = await s3
      .send(new ListObjectsV2Command({ Bucket: B }))
      .then(({ Contents = [] }) => Contents.map(({ Key }) => Key).join())
      .catch((error: Error) => error.name)
    return {
      listed,
      inside: await outcome(s3.send(new GetObjectCommand(at('a/x/1')))),
      outside: await outcome(s3.send(new GetObjectCommand(at('a/y/1')))),
      absent: await outcome(s3.send(new HeadObjectCommand(at('a/x/none')))),
      tags: await outcome(s3.send(new GetObjectTaggingCommand(at('b/1')))),
      put: await outcome(s3.send(new PutObjectCommand({ ...at('a/x/new'), Body: 'x' }))),
      putOutside: await outcome(s3.send(new PutObjectCommand({ ...at('b/new'), Body: 'x' }))),
      removed: await s3
        .send(new DeleteObjectsCommand({ Bucket: B, Delete: { Objects: [{ Key: 'a/x/new' }, { Key: 'b/1' }] } }))
        .then(({ Errors = [] }) => Errors.map(({ Key, Code }) => `${Key} ${Code}`).join())
        .catch((error: Error) => error.name),
      deleteOutside: await outcome(s3.send(new DeleteObjectCommand(at('b/1')))),
      create: await outcome(s3.send(new CreateBucketCommand({ Bucket: 'created-by-key' }))),
      head: await outcome(s3.send(new HeadBucketCommand({ Bucket: B }))),
      headOther: await outcome(s3.send(new HeadBucketCommand({ Bucket: 'other' }))),
      headNone: await outcome(s3.send(new HeadBucketCommand({ Bucket: 'none-such' }))),
      buckets: (await s3.send(new ListBucketsCommand())).Buckets?.map(({ Name }) => Name).join(),
    }
  }

  it('a key limited to a prefix sees and does nothing else, whoever owns it', async () => {
    const person = await server.userWith({
      bucket_pattern: '*',
      actions: ['list', 'read', 'write', 'delete', 'create'],
    })
    for (const token of [server.adminToken, person]) {
      const scope = [{ bucket: B, prefix: 'a/x/', actions: ['list' as const, 'read' as const] }]
      const reader = await world.keyOf(token, scope)
      assert.deepEqual(await outcomes(world.clientOf(reader)), {
        listed: 'a/x/1',
        inside: 'ok',
        outside: 'AccessDenied',
        absent: 'NotFound',
        tags: 'AccessDenied',
        put: 'AccessDenied',
        putOutside: 'AccessDenied',
        removed: 'AccessDenied',
        deleteOutside: 'AccessDenied',
        create: 'AccessDenied',
        head: 'ok',
        headOther: '403',
        headNone: '403',
        buckets: B,
      })
      const writer = await world.keyOf(token, [
        { bucket: 'sha*', prefix: 'a/x/', actions: ['write', 'delete', 'read'] },
      ])
      assert.deepEqual(await outcomes(world.clientOf(writer)), {
        listed: 'AccessDenied',
        inside: 'ok',
        outside: 'AccessDenied',
        absent: '403',
        tags: 'AccessDenied',
        put: 'ok',
        putOutside: 'AccessDenied',
        removed: 'b/1 AccessDenied',
        deleteOutside: 'AccessDenied',
        create: 'AccessDenied',
        head: 'ok',
        headOther: '403',
        headNone: '403',
        buckets: B,
      })
      for (const { secret_access_key, access_key_id } of [reader, writer])
        for (const value of [secret_access_key, access_key_id])
          await assert.rejects(server.as(value).me(), /unauthenticated|401/i)
    }
  })

  it('a revoked key, a disabled owner and a narrowed group are refused at the next request', async () => {
    const grants = [{ bucket_pattern: B, actions: ['read' as const, 'list' as const] }]
    for (const end of ['revoke', 'disable', 'narrow'] as const) {
      const token = await server.userWith(...grants)
      const me = await server.as(token).me()
      const pair = await world.keyOf(token)
      const s3 = world.clientOf(pair)
      const read = () => outcome(s3.send(new GetObjectCommand({ Bucket: B, Key: 'b/1' })))
      assert.equal(await read(), 'ok')
      if (end === 'revoke') await server.as(token).revokeAccessKey({ params: { id: pair.id } })
      if (end === 'disable') await server.admin.updateUser({ params: { id: me.id }, body: { is_active: false } })
      if (end === 'narrow')
        await server.admin.updateGroup({ params: { id: me.groups[0]?.id ?? '' }, body: { grants: [] } })
      assert.equal(await read(), end === 'narrow' ? 'AccessDenied' : 'InvalidAccessKeyId', end)
    }
  })

  it('also in the middle of a long upload', async () => {
    for (const end of ['revoke', 'narrow'] as const) {
      const token = await server.userWith({ bucket_pattern: B, actions: ['write'] })
      const me = await server.as(token).me()
      const pair = await world.keyOf(token)
      const path = `/${B}/slow-${end}`
      const body = 'x'.repeat(40_000)
      const headers = await world.signed(pair, {
        method: 'PUT',
        path,
        headers: { 'content-length': String(body.length) },
        body,
      })
      const request = http.request({
        host: world.url.hostname,
        port: world.url.port,
        method: 'PUT',
        path,
        headers: { ...headers, expect: '100-continue' },
      })
      request.flushHeaders()
      await once(request, 'continue')
      request.write(body.slice(0, 20_000))
      if (end === 'revoke') await server.as(token).revokeAccessKey({ params: { id: pair.id } })
      else await server.admin.updateGroup({ params: { id: me.groups[0]?.id ?? '' }, body: { grants: [] } })
      request.end(body.slice(20_000))
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      const text = Buffer.concat(await response.toArray()).toString()
      assert.equal(response.statusCode, 403, text)
      const { objects } = await server.admin.browse({ params: { bucket: B }, query: { prefix: 'slow-' } })
      assert.deepEqual(objects, [])
    }
  })

  itOnce('refuses every request without a credential, and with one that is not right', async () => {
    const pair = await world.keyOf()
    const path = `/${B}/b/1`
    const right = await world.signed(pair, { method: 'GET', path })
    const wrongSecret: Pair = { ...pair, secret_access_key: 'x'.repeat(40) }
    const unknown: Pair = { ...pair, access_key_id: 'STRGAAAAAAAAAAAAAAAA' }
    const other = (name: string, value: string) => ({ ...right, [name]: value })
    const without = (name: string) => Object.fromEntries(Object.entries(right).filter(([one]) => one !== name))
    const cases: [what: string, target: string, headers: Record<string, string>, code: string][] = [
      ['nothing', path, {}, 'AccessDenied'],
      ['nothing, of the service', '/', {}, 'AccessDenied'],
      ['nothing, of a bucket', `/${B}`, {}, 'AccessDenied'],
      ['another secret', path, await world.signed(wrongSecret, { method: 'GET', path }), 'SignatureDoesNotMatch'],
      ['an unknown key', path, await world.signed(unknown, { method: 'GET', path }), 'InvalidAccessKeyId'],
      ['Version 2', path, { authorization: `AWS ${pair.access_key_id}:abc` }, 'InvalidRequest'],
      ['Version 2 in the query', `${path}?AWSAccessKeyId=a&Signature=b&Expires=1`, {}, 'InvalidRequest'],
      ['both', `${path}?X-Amz-Signature=b`, right, 'InvalidArgument'],
      ['a token', path, { authorization: `Bearer ${server.adminToken}` }, 'InvalidRequest'],
      ['half a credential', path, { authorization: 'AWS4-HMAC-SHA256 Credential=x' }, 'AuthorizationHeaderMalformed'],
      [
        'another service',
        path,
        other('authorization', (right.authorization ?? '').replace('/s3/', '/ec2/')),
        'AuthorizationHeaderMalformed',
      ],
      [
        'upper case',
        path,
        other(
          'authorization',
          (right.authorization ?? '').replace(/Signature=.*/, (one) =>
            one.toUpperCase().replace('SIGNATURE', 'Signature'),
          ),
        ),
        'AuthorizationHeaderMalformed',
      ],
      ['no date', path, without('x-amz-date'), 'AccessDenied'],
      ['no payload hash', path, without('x-amz-content-sha256'), 'InvalidRequest'],
      ['a header that is not signed', path, other('x-amz-meta-a', 'b'), 'AccessDenied'],
      ['another path', `/${B}/a/x/1`, right, 'SignatureDoesNotMatch'],
      [
        'half a presigned URL',
        `${path}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=x`,
        {},
        'AuthorizationQueryParametersError',
      ],
    ]
    for (const [what, target, headers, code] of cases) {
      const answer = await world.send('GET', target, headers)
      assert.equal(answer.code, code, what)
      assert.equal(answer.text.includes(/<RequestId>(.*?)<\/RequestId>/.exec(answer.text)?.[1] ?? '-'), true)
      assert.equal(answer.headers['x-amz-request-id'], /<RequestId>(.*?)<\/RequestId>/.exec(answer.text)?.[1])
    }
    assert.equal((await world.send('GET', path, right)).status, 200)
    server.clock.advance(16 * 60_000)
    assert.equal((await world.send('GET', path, right)).code, 'RequestTimeTooSkewed')
  })

  itOnce('what is not supported is refused by name, and changes nothing', async () => {
    const pair = await world.keyOf()
    const ask = async (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
      world.send(method, path, await world.signed(pair, { method, path, headers, body }), body)
    await server.records([], async () => {
      for (const [method, path, code, headers] of [
        ['PUT', `/${B}/b/1?renameObject=`, 'NotImplemented'],
        ['PUT', `/${B}/b/1?unheard-of=`, 'NotImplemented'],
        ['POST', `/${B}/b/1?select=&select-type=2`, 'NotImplemented'],
        ['PUT', `/${B}?policy=`, 'MalformedPolicy'],
        ['PUT', `/${B}?website=`, 'MalformedXML'],
        ['GET', `/${B}/b/1?annotation=`, 'NotImplemented'],
        ['GET', `/${B}?abac=`, 'NotImplemented'],
        ['PUT', `/${B}?versions=`, 'NotImplemented'],
        ['GET', `/${B}?delete=`, 'MethodNotAllowed'],
        ['POST', `/${B}/b/1`, 'MethodNotAllowed'],
        ['PUT', `/${B}/b/1`, 'InvalidArgument', { 'x-amz-server-side-encryption': 'AES192' }],
        ['PUT', `/${B}/b/1?tagging=`, 'NotImplemented', { 'x-amz-server-side-encryption': 'AES256' }],
        ['PUT', `/${B}/b/1`, 'InvalidArgument', { 'x-amz-object-lock-retain-until-date': '2030-01-01T00:00:00Z' }],
        ['PUT', `/${B}/b/1`, 'NotImplemented', { 'x-amz-write-offset-bytes': '3' }],
        ['PUT', `/${B}/b/1`, 'NotImplemented', { 'content-range': 'bytes 3-5/6' }],
        ['PUT', `/${B}/b/1`, 'InvalidStorageClass', { 'x-amz-storage-class': 'WARM' }],
        ['PUT', `/${B}/${'k'.repeat(1025)}`, 'KeyTooLongError'],
        ['PUT', `/${B}/b/1`, 'InvalidArgument', { 'x-amz-tagging': 'a=1&a=2' }],
        ['GET', `/${B}/b/1?versionId=abc`, 'InvalidArgument'],
      ] as const) {
        const answer = await ask(method, path, headers ?? {}, method === 'PUT' ? 'x' : '')
        assert.equal(answer.code, code, `${method} ${path}`)
      }
    })
    for (const [path, code] of [
      [`/${B}/a%00b`, 'InvalidArgument'],
      ['/b%00c/k', 'InvalidArgument'],
      [`/${B}?prefix=%00`, 'InvalidArgument'],
      [`/${B}/%zz`, 'InvalidURI'],
      [`/${B}/%ff`, 'InvalidURI'],
    ] as const)
      assert.equal((await world.send('GET', path, await world.signed(pair, { method: 'GET', path }))).code, code, path)
    const strange = { ...pair, access_key_id: 'a\u00e9 b' }
    assert.equal((await world.send('GET', '/', await world.signed(strange, { method: 'GET', path: '/' }))).status, 403)
    assert.equal((await ask('GET', `/${B}/b/1`)).text, 'b/1')
  })

  itOnce('whoever may not list is not told which keys there are, whatever is asked of them', async () => {
    const scope = [{ bucket: B, prefix: 'a/', actions: ['read' as const, 'write' as const] }]
    const blind = world.clientOf(await world.keyOf(server.adminToken, scope))
    const seeing = world.clientOf(await world.keyOf())
    const none = { Bucket: B, Key: 'a/none' }
    const upload = { Bucket: B, Key: 'a/parts' }
    const { UploadId } = await blind.send(new CreateMultipartUploadCommand(upload))
    for (const [what, ask] of [
      ['tags', (s3: S3Client) => s3.send(new GetObjectTaggingCommand(none))],
      ['ACL', (s3: S3Client) => s3.send(new GetObjectAclCommand(none))],
      [
        'attributes',
        (s3: S3Client) => s3.send(new GetObjectAttributesCommand({ ...none, ObjectAttributes: ['ETag'] })),
      ],
      ['copy', (s3: S3Client) => s3.send(new CopyObjectCommand({ ...upload, CopySource: `${B}/a/none` }))],
      [
        'part',
        (s3: S3Client) =>
          s3.send(new UploadPartCopyCommand({ ...upload, UploadId, PartNumber: 1, CopySource: `${B}/a/none` })),
      ],
    ] as const) {
      assert.equal(await outcome(ask(blind)), 'AccessDenied', what)
      assert.equal(await outcome(ask(seeing)), 'NoSuchKey', what)
    }
  })

  itOnce('a bucket of another owner than expected is refused, and so are the client’s own keys', async () => {
    const s3 = world.clientOf(await world.keyOf())
    const { Owner: { ID = '', DisplayName } = {} } = await s3.send(new GetBucketAclCommand({ Bucket: B }))
    assert.ok(DisplayName)
    const at = { Bucket: B, Key: 'a/x/1' }
    for (const [owner, ends] of [
      [ID, 'ok'],
      ['123456789012', 'AccessDenied'],
      [ID.toUpperCase(), 'AccessDenied'],
    ] as const)
      await server.records(
        ends === 'ok'
          ? [
              { action: 'update_object', bucket: B, key: at.Key },
              { action: 'copy', bucket: B, key: 'a/copy' },
            ]
          : [],
        async () => {
          const expected = { ExpectedBucketOwner: owner }
          const Tagging = { TagSet: [{ Key: 'owner', Value: 'x' }] }
          assert.equal(await outcome(s3.send(new PutObjectTaggingCommand({ ...at, Tagging, ...expected }))), ends)
          assert.equal(await outcome(s3.send(new ListObjectsV2Command({ Bucket: B, ...expected }))), ends)
          const copy = { Bucket: B, Key: 'a/copy', CopySource: `${B}/a/x/1`, ExpectedSourceBucketOwner: owner }
          assert.equal(await outcome(s3.send(new CopyObjectCommand(copy))), ends)
        },
      )
    const pair = await world.keyOf()
    const absent = { Bucket: 'none-such', ExpectedBucketOwner: ID }
    assert.equal(await outcome(s3.send(new ListObjectsV2Command(absent))), 'NoSuchBucket')
    for (const [name, ...refused] of [
      ['', 400, 'InvalidArgument'],
      ['copy-source-', 501, 'NotImplemented'],
    ] as const) {
      const headers = { [`x-amz-${name}server-side-encryption-customer-key`]: 'AAAA' }
      const path = `/${B}/a/x/1`
      const { status, code } = await world.send('GET', path, await world.signed(pair, { method: 'GET', path, headers }))
      assert.deepEqual([status, code], refused)
    }
    assert.equal(
      await outcome(s3.send(new PutObjectCommand({ ...at, Body: 'x', SSECustomerAlgorithm: 'AES256' }))),
      'InvalidArgument',
    )
  })

  itOnce('a bucket that exists is told apart from one of your own', async () => {
    const create = (s3: S3Client, Bucket: string) => outcome(s3.send(new CreateBucketCommand({ Bucket })))
    const clientWith = async (...actions: ('create' | 'read')[]) =>
      world.clientOf(await world.keyOf(await server.userWith({ bucket_pattern: '*', actions })))
    const [creator, reader, nobody] = [
      await clientWith('create'),
      await clientWith('create', 'read'),
      await clientWith('read'),
    ]
    await server.records([{ action: 'create_bucket', bucket: 'mine' }], async () => {
      assert.equal(await create(creator, 'mine'), 'ok')
      assert.equal(await create(creator, 'mine'), 'ok')
      assert.equal(await create(creator, B), 'BucketAlreadyExists')
      assert.equal(await create(reader, B), 'BucketAlreadyOwnedByYou')
      assert.equal(await create(reader, 'mine'), 'BucketAlreadyOwnedByYou')
    })
    assert.equal(await create(nobody, 'another'), 'AccessDenied')
  })

  it('limits how many requests a key may make in a minute, where that is set', async () => {
    const [pair, another] = [await world.keyOf(), await world.keyOf()]
    const ask = async (one: Pair) => {
      const { status, headers, code } = await world.send(
        'GET',
        '/',
        await world.signed(one, { method: 'GET', path: '/' }),
      )
      return status === 200 ? 200 : [status, code, headers['retry-after']]
    }
    const setRate = (rate_per_key: number) => server.admin.updateSettings({ body: { s3: { rate_per_key } } })
    await server.records([{ action: 'settings_update' }], () => setRate(2))
    await server.later(60_000 - (server.clock.now().getTime() % 60_000))
    await server.records([{ action: 'access_key_denied', result: 'denied' }], async () => {
      assert.deepEqual([await ask(pair), await ask(pair)], [200, 200])
      const slow = [503, 'SlowDown', '60']
      assert.deepEqual([await ask(pair), await ask(another), await ask(pair)], [slow, 200, slow])
      // A wrong signature does not count.
      const wrong = { ...another, secret_access_key: 'x'.repeat(40) }
      assert.deepEqual(await ask(wrong), [403, 'SignatureDoesNotMatch', undefined])
      assert.equal(await ask(another), 200)
      server.clock.advance(60_000)
      assert.equal(await ask(pair), 200)
    })
    await setRate(0)
    assert.deepEqual([await ask(pair), await ask(pair), await ask(pair)], [200, 200, 200])
  })

  it('records say that a request came over S3', async () => {
    const s3 = world.clientOf(await world.keyOf())
    const at = { Bucket: B, Key: 'via' }
    await server.records(
      [
        { action: 'upload', bucket: B, key: 'via' },
        { action: 'delete', bucket: B, key: 'via' },
      ],
      async () => {
        await s3.send(new PutObjectCommand({ ...at, Body: 'x' }))
        await s3.send(new DeleteObjectCommand(at))
      },
    )
    const { items } = await server.admin.listAudit({ query: { action: ['upload', 'delete'], bucket: B, page_size: 2 } })
    assert.deepEqual(
      items.map(({ details, auth_method, route }) => [(details as { via?: string }).via, auth_method, route]),
      [
        ['s3', 'access_key', 's3:DeleteObject'],
        ['s3', 'access_key', 's3:PutObject'],
      ],
    )
  })
})
