import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketCorsCommand,
  DeleteBucketTaggingCommand,
  GetBucketCorsCommand,
  GetBucketTaggingCommand,
  PutBucketCorsCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { type CorsRule, corsAnswer } from '../../server/storage/buckets/documents/cors.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { outcome, type Pair, type s3World, startS3 } from './s3.ts'

const B = 'site'

describeEngines('S3: what is configured of a bucket', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  let s3: S3Client
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B }))
    await s3.send(new PutObjectCommand({ Bucket: B, Key: 'page', Body: 'hello' }))
  })
  after(() => server.stop())

  const rules = (...CORSRules: object[]) =>
    new PutBucketCorsCommand({ Bucket: B, CORSConfiguration: { CORSRules: CORSRules as never } })
  const put = async (path: string, body: string) =>
    world.send('PUT', path, await world.signed(pair, { method: 'PUT', path, body }), body)

  /** Runs what changes the bucket once, and says so in its record. */
  const changes = async (details: object, work: () => Promise<unknown>) => {
    await server.records([{ action: 'update_bucket', bucket: B }], work)
    const { items } = await server.admin.listAudit({ query: { action: ['update_bucket'], bucket: B } })
    assert.deepEqual(items[0]?.details, { ...details, via: 's3' })
  }

  it('keeps tags, and records what they were and are', async () => {
    assert.equal(await outcome(s3.send(new GetBucketTaggingCommand({ Bucket: B }))), 'NoSuchTagSet')
    const tag = (TagSet: { Key: string; Value: string }[]) =>
      s3.send(new PutBucketTaggingCommand({ Bucket: B, Tagging: { TagSet } }))
    const set = [
      { Key: 'cost centre', Value: '42 + more' },
      { Key: 'team', Value: '' },
    ]
    const tags = { 'cost centre': '42 + more', team: '' }
    await changes({ before: { tagging: null }, after: { tagging: tags } }, () => tag(set))
    assert.deepEqual((await s3.send(new GetBucketTaggingCommand({ Bucket: B }))).TagSet, set)
    await server.records([], () => tag(set))
    await changes({ before: { tagging: tags }, after: { tagging: null } }, () =>
      s3.send(new DeleteBucketTaggingCommand({ Bucket: B })),
    )
    await server.records([], () => s3.send(new DeleteBucketTaggingCommand({ Bucket: B })))
    assert.equal(await outcome(s3.send(new GetBucketTaggingCommand({ Bucket: B }))), 'NoSuchTagSet')
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ Key: `k${i}`, Value: 'v' }))
    await server.records([], async () => {
      assert.equal(await outcome(tag(many(51))), 'InvalidTag')
      assert.equal(await outcome(tag([...set, ...set])), 'InvalidTag')
      assert.equal((await put(`/${B}?tagging`, '<Tagging/>')).code, 'MalformedXML')
    })
    assert.equal(await outcome(tag(many(50))), 'ok')
  })

  it('keeps CORS rules as they were given', async () => {
    assert.equal(await outcome(s3.send(new GetBucketCorsCommand({ Bucket: B }))), 'NoSuchCORSConfiguration')
    const first = {
      ID: 'first',
      AllowedOrigins: ['https://app.example.com', 'https://*.example.org'],
      AllowedMethods: ['GET', 'PUT'],
      AllowedHeaders: ['x-amz-*', 'content-type'],
      ExposeHeaders: ['ETag'],
      MaxAgeSeconds: 600,
    }
    const second = { AllowedOrigins: ['*'], AllowedMethods: ['HEAD'] }
    const rule = {
      id: 'first',
      origins: first.AllowedOrigins,
      methods: ['GET', 'PUT'],
      headers: first.AllowedHeaders,
      expose: ['ETag'],
      max_age_seconds: 600,
    }
    const after = { cors: [rule, { origins: ['*'], methods: ['HEAD'] }] }
    await changes({ before: { cors: null }, after }, () => s3.send(rules(first, second)))
    assert.deepEqual((await s3.send(new GetBucketCorsCommand({ Bucket: B }))).CORSRules, [first, second])
  })

  itOnce('refuses rules that mean nothing, and keeps those before', async () => {
    const rule = (inner: string) => `<CORSConfiguration><CORSRule>${inner}</CORSRule></CORSConfiguration>`
    const good = '<AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>'
    const before = (await s3.send(new GetBucketCorsCommand({ Bucket: B }))).CORSRules
    for (const [body, code] of [
      ['', 'MalformedXML'],
      ['<CORSConfiguration/>', 'MalformedXML'],
      [rule('<AllowedOrigin>*</AllowedOrigin>'), 'MalformedXML'],
      [rule('<AllowedMethod>GET</AllowedMethod>'), 'MalformedXML'],
      [rule(`${good}<Other/>`), 'MalformedXML'],
      [rule(`${good}<MaxAgeSeconds>soon</MaxAgeSeconds>`), 'MalformedXML'],
      [rule(`${good}<AllowedMethod>PATCH</AllowedMethod>`), 'InvalidRequest'],
      [rule(`${good}<AllowedOrigin>*.*</AllowedOrigin>`), 'InvalidRequest'],
      [rule(`${good}<AllowedHeader>x-*-*</AllowedHeader>`), 'InvalidRequest'],
      [rule(`${good}<ExposeHeader>x-*</ExposeHeader>`), 'InvalidRequest'],
      [rule(`${good}<ExposeHeader>a&#13;&#10;b: c</ExposeHeader>`), 'InvalidRequest'],
      [rule(`${good}<ID>${'i'.repeat(256)}</ID>`), 'InvalidRequest'],
      [`<CORSConfiguration>${`<CORSRule>${good}</CORSRule>`.repeat(101)}</CORSConfiguration>`, 'InvalidRequest'],
    ] as const)
      await server.records([], async () => assert.equal((await put(`/${B}?cors`, body)).code, code, body))
    assert.deepEqual((await s3.send(new GetBucketCorsCommand({ Bucket: B }))).CORSRules, before)
  })

  it('answers browsers by the rules, with a credential or without', async () => {
    const app = 'https://app.example.com'
    await s3.send(
      rules(
        {
          AllowedOrigins: [app],
          AllowedMethods: ['GET', 'PUT'],
          AllowedHeaders: ['x-amz-*'],
          ExposeHeaders: ['ETag', 'x-amz-meta-a'],
          MaxAgeSeconds: 600,
        },
        { AllowedOrigins: ['*'], AllowedMethods: ['HEAD'] },
      ),
    )
    const ask = async (path: string, headers: Record<string, string>) => {
      const { status, code, headers: sent } = await world.send('OPTIONS', path, headers)
      return [status, code, sent['access-control-allow-origin'], sent['access-control-allow-methods']]
    }
    const asks = (origin: string, method: string, headers = '') => ({
      origin,
      'access-control-request-method': method,
      ...(headers === '' ? {} : { 'access-control-request-headers': headers }),
    })
    const refused = [403, 'AccessForbidden', undefined, undefined]
    assert.deepEqual(await ask(`/${B}/page`, asks(app, 'PUT', 'X-Amz-Date, x-amz-acl')), [200, '', app, 'GET, PUT'])
    assert.deepEqual(await ask(`/${B}/none`, asks('https://other', 'HEAD')), [200, '', '*', 'HEAD'])
    assert.deepEqual(await ask(`/${B}/page`, asks(app, 'PUT', 'authorization')), refused)
    assert.deepEqual(await ask(`/${B}/page`, asks(app, 'DELETE')), refused)
    assert.deepEqual(await ask(`/${B}/page`, asks('https://app.example.com.evil', 'GET')), refused)
    assert.deepEqual(await ask('/none-such/page', asks(app, 'GET')), refused)
    assert.deepEqual(await ask('/', asks(app, 'GET')), refused)
    assert.deepEqual(await ask(`/${B}/page`, { origin: app }), [400, 'BadRequest', undefined, undefined])
    assert.deepEqual(await ask(`/${B}/page`, {}), [400, 'BadRequest', undefined, undefined])
    const preflight = await world.send('OPTIONS', `/${B}/page`, asks(app, 'GET', 'x-amz-date'))
    const said = (name: string) => preflight.headers[`access-control-${name}`]
    assert.deepEqual(
      [said('allow-headers'), said('expose-headers'), said('max-age'), said('allow-credentials')],
      ['x-amz-date', 'ETag, x-amz-meta-a', '600', 'true'],
    )
    assert.match(preflight.headers.vary ?? '', /^Origin/)

    const get = async (path: string, origin: string) => {
      const headers = { origin, ...(await world.signed(pair, { method: 'GET', path })) }
      const { status, headers: sent } = await world.send('GET', path, headers)
      return [
        status,
        sent['access-control-allow-origin'],
        sent['access-control-expose-headers'],
        sent.vary?.slice(0, 6),
      ]
    }
    assert.deepEqual(await get(`/${B}/page`, app), [200, app, 'ETag, x-amz-meta-a', 'Origin'])
    assert.deepEqual(await get(`/${B}/none`, app), [404, app, 'ETag, x-amz-meta-a', 'Origin'])
    assert.deepEqual(await get(`/${B}/page`, 'https://other'), [200, undefined, undefined, 'Origin'])
    const anonymous = await world.send('GET', `/${B}/page`, { origin: app })
    assert.deepEqual([anonymous.status, anonymous.headers['access-control-allow-origin']], [403, app])
    await s3.send(new DeleteBucketCorsCommand({ Bucket: B }))
    assert.deepEqual(await ask(`/${B}/page`, asks(app, 'GET')), refused)
    assert.deepEqual(await get(`/${B}/page`, app), [200, undefined, undefined, 'Origin'])
  })

  it('needs manage to change, any right to read, and goes with its bucket', async () => {
    const token = await server.userWith({ bucket_pattern: B, actions: ['list', 'read', 'write', 'delete'] })
    const reader = world.clientOf(await world.keyOf(token))
    const stranger = world.clientOf(
      await world.keyOf(await server.userWith({ bucket_pattern: 'other', actions: ['manage', 'list'] })),
    )
    const Tagging = { TagSet: [{ Key: 'a', Value: 'b' }] }
    await s3.send(new PutBucketTaggingCommand({ Bucket: B, Tagging }))
    assert.deepEqual((await reader.send(new GetBucketTaggingCommand({ Bucket: B }))).TagSet, Tagging.TagSet)
    for (const client of [reader, stranger])
      for (const call of [
        () => client.send(new PutBucketTaggingCommand({ Bucket: B, Tagging })),
        () => client.send(new DeleteBucketTaggingCommand({ Bucket: B })),
        () => client.send(rules({ AllowedOrigins: ['*'], AllowedMethods: ['GET'] })),
        () => client.send(new DeleteBucketCorsCommand({ Bucket: B })),
      ])
        await server.records([{ action: 'access_denied', result: 'denied' }], async () =>
          assert.equal(await outcome(call()), 'AccessDenied'),
        )
    for (const Bucket of [B, 'none-such'])
      assert.equal(await outcome(stranger.send(new GetBucketTaggingCommand({ Bucket }))), 'AccessDenied')
    assert.equal(await outcome(s3.send(new PutBucketTaggingCommand({ Bucket: 'none-such', Tagging }))), 'NoSuchBucket')
    const brief = { Bucket: 'brief' }
    for (let i = 0; i < 2; i++) {
      await s3.send(new CreateBucketCommand(brief))
      assert.equal(await outcome(s3.send(new GetBucketTaggingCommand(brief))), 'NoSuchTagSet')
      await s3.send(new PutBucketTaggingCommand({ ...brief, Tagging }))
      await s3.send(new DeleteBucketCommand(brief))
    }
  })

  itOnce('an origin is allowed exactly where a rule has it', () => {
    const piece = fc.constantFrom('a', 'b', '.', '-')
    const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
    const pattern = fc.oneof(
      text,
      fc.tuple(text, text).map((ends) => ends.join('*')),
    )
    /** What AWS documents: one `*` stands for any characters. */
    const fits = (one: string, origin: string) => {
      const [start = '', end] = one.split('*')
      if (end === undefined) return one === origin
      return origin.length >= start.length + end.length && origin.startsWith(start) && origin.endsWith(end)
    }
    fc.assert(
      fc.property(
        fc.array(fc.array(pattern, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
        text,
        (all, origin) => {
          const given: CorsRule[] = all.map((origins) => ({ origins, methods: ['GET'] }))
          const expected = given.find(({ origins }) => origins.some((one) => fits(one, origin)))
          assert.equal(corsAnswer(given, { origin, method: 'GET', headers: [] })?.rule, expected)
          assert.equal(corsAnswer(given, { origin, method: 'PUT', headers: [] }), undefined)
        },
      ),
    )
  })
})
