import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, it } from 'node:test'
import { CreateBucketCommand, GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { signingKey } from '../../server/fronts/s3/signature/verify.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { type Pair, type s3World, startS3 } from './s3.ts'

const B = 'forms'

describeEngines('S3: uploads by forms', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let s3: S3Client
  let pair: Pair
  before(async () => {
    ;({ server, world, pair, s3 } = await startS3(engine))
    await s3.send(new CreateBucketCommand({ Bucket: B }))
  })
  after(() => server.stop())

  const later = (ms: number) => new Date(server.clock.now().getTime() + ms).toISOString()
  const usual = [{ bucket: B }, ['starts-with', '$key', 'up/'], ['content-length-range', 1, 100]]
  /** A policy and its signature, by Version 4 unless `two`. */
  function signed(conditions: unknown, { by = pair, two = false, expiration = later(60_000) as unknown } = {}) {
    const date = server.clock
      .now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')
    const credential = `${by.access_key_id}/${date.slice(0, 8)}/eu-west-1/s3/aws4_request`
    const own = two
      ? []
      : [{ 'x-amz-algorithm': 'AWS4-HMAC-SHA256' }, { 'x-amz-credential': credential }, { 'X-Amz-Date': date }]
    const document = { expiration, conditions: Array.isArray(conditions) ? [...conditions, ...own] : conditions }
    const policy = Buffer.from(JSON.stringify(document)).toString('base64')
    if (two)
      return {
        policy,
        AWSAccessKeyId: by.access_key_id,
        signature: createHmac('sha1', by.secret_access_key).update(policy).digest('base64'),
      }
    return {
      policy,
      ...Object.assign({}, ...own),
      'x-amz-signature': createHmac('sha256', signingKey(by.secret_access_key, date.slice(0, 8), 'eu-west-1'))
        .update(policy)
        .digest('hex'),
    }
  }
  async function post(fields: Record<string, string>, file: string | null = 'hello', path = `/${B}`) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    if (file !== null) form.append('file', new Blob([file]), 'ü name.txt')
    const answer = await fetch(new URL(path, world.url), { method: 'POST', body: form, redirect: 'manual' })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, code: /<Code>(\w+)</.exec(text)?.[1] }
  }
  const upload = (key: string) => [{ action: 'upload' as const, bucket: B, key }]

  it('stores a file within its policy, signed by either version', async () => {
    for (const two of [false, true]) {
      const conditions = [
        ...usual,
        ['eq', '$Content-Type', 'text/x'],
        ['starts-with', '$x-amz-meta-a', ''],
        { tagging: TAGS },
      ]
      const fields = { key: `up/\${filename}`, 'Content-Type': 'text/x', 'x-amz-meta-a': 'b', tagging: TAGS }
      const { status, headers } = await server.records(upload('up/ü name.txt'), () =>
        post({ ...fields, ...signed(conditions, { two }), 'x-ignore-me': 'x' }),
      )
      assert.deepEqual([status, headers.get('etag')], [204, '"5d41402abc4b2a76b9719d911017c592"'])
      const { Body, ContentType, Metadata, TagCount } = await s3.send(
        new GetObjectCommand({ Bucket: B, Key: 'up/ü name.txt' }),
      )
      assert.deepEqual(
        [await Body?.transformToString(), ContentType, Metadata, TagCount],
        ['hello', 'text/x', { a: 'b' }, 1],
      )
    }
  })

  it('answers as the form asks', async () => {
    const made = await post({
      key: 'up/status',
      success_action_status: '201',
      ...signed([...usual, { success_action_status: '201' }]),
    })
    assert.equal(made.status, 201)
    assert.match(made.text, /<PostResponse.*<Key>up\/status<\/Key>/s)
    const target = 'https://example.com/done?a=b'
    const moved = await post({
      key: 'up/redirect',
      success_action_redirect: target,
      ...signed([...usual, { success_action_redirect: target }]),
    })
    assert.equal(moved.status, 303)
    const location = new URL(moved.headers.get('location') ?? '')
    assert.deepEqual([location.searchParams.get('a'), location.searchParams.get('key')], ['b', 'up/redirect'])
  })

  it('refuses what its policy does not allow, and stores nothing', async () => {
    const stranger = { ...pair, access_key_id: 'STRGAAAAAAAAAAAAAAAA' }
    const cases: [what: string, fields: Record<string, string>, code: string, file?: string | null][] = [
      ['nothing signed', { key: 'up/k' }, 'AccessDenied'],
      ['half a credential', { key: 'up/k', AWSAccessKeyId: pair.access_key_id }, 'InvalidArgument'],
      ['another key', { key: 'up/k', ...signed(usual, { by: stranger }) }, 'InvalidAccessKeyId'],
      [
        'another policy',
        { key: 'up/k', ...signed(usual), policy: signed([{ bucket: B }]).policy },
        'SignatureDoesNotMatch',
      ],
      ['another key prefix', { key: 'down/k', ...signed(usual) }, 'AccessDenied'],
      [
        'another bucket',
        { key: 'up/k', ...signed([{ bucket: 'other' }, ['starts-with', '$key', '']]) },
        'AccessDenied',
      ],
      ['a field not mentioned', { key: 'up/k', 'x-amz-meta-a': 'b', ...signed(usual) }, 'AccessDenied'],
      ['too large', { key: 'up/k', ...signed(usual) }, 'EntityTooLarge', 'x'.repeat(101)],
      ['too small', { key: 'up/k', ...signed(usual) }, 'EntityTooSmall', ''],
      ['no key', signed(usual), 'InvalidArgument'],
      ['no file', { key: 'up/k', ...signed(usual) }, 'MalformedPOSTRequest', null],
      ['no conditions', { key: 'up/k', ...signed('x') }, 'InvalidPolicyDocument'],
      ['a bad condition', { key: 'up/k', ...signed([['content-length-range', 0]]) }, 'InvalidPolicyDocument'],
      ['a bad date', { key: 'up/k', ...signed(usual, { expiration: 'tomorrow' }) }, 'InvalidPolicyDocument'],
      ['too late', { key: 'up/k', ...signed(usual, { expiration: later(-1000) }) }, 'AccessDenied'],
      [
        'a wrong checksum',
        {
          key: 'up/k',
          'x-amz-checksum-crc32': 'AAAAAA==',
          ...signed([...usual, ['starts-with', '$x-amz-checksum-crc32', '']]),
        },
        'BadDigest',
      ],
      [
        'a public ACL',
        { key: 'up/k', acl: 'public-read', ...signed([...usual, { acl: 'public-read' }]) },
        'AccessControlListNotSupported',
      ],
      [
        'long fields',
        { key: 'up/k', 'x-amz-meta-a': 'x'.repeat(9000), ...signed(usual) },
        'MaxPostPreDataLengthExceeded',
      ],
    ]
    for (const [what, fields, code, file] of cases) assert.equal((await post(fields, file)).code, code, what)
    const read = await world.keyOf(await server.userWith({ bucket_pattern: B, actions: ['read'] }))
    assert.equal((await post({ key: 'up/k', ...signed(usual, { by: read }) })).code, 'AccessDenied')
    await assert.rejects(s3.send(new HeadObjectCommand({ Bucket: B, Key: 'up/k' })))
  })

  itOnce('a form can ask for nothing else', async () => {
    await server.records([], async () => {
      for (const path of [`/${B}?delete`, `/${B}/key`, '/'])
        assert.match(
          (await post({ key: 'up/k', ...signed(usual) }, 'x', path)).code ?? '',
          /NotImplemented|MethodNotAllowed/,
        )
    })
    const path = `/${B}`
    const headers = await world.signed(pair, { method: 'POST', path, headers: { 'content-type': 'text/plain' } })
    assert.equal((await world.send('POST', path, headers)).code, 'MethodNotAllowed')
  })
})

const TAGS = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'
