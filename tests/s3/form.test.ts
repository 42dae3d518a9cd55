import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { after, before, it } from 'node:test'
import { CreateBucketCommand, GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { decodeWords } from '../../server/fronts/s3/requests/encoded-words.ts'
import { signingKey } from '../../server/fronts/s3/requests/signature/verify.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { type Pair, type s3World, startS3 } from './s3.ts'

const B = 'forms'
// biome-ignore lint/suspicious/noTemplateCurlyInString: that is how forms write it.
const NAME = '${filename}'
interface SignedAs {
  by?: Pair
  two?: boolean
  expiration?: unknown
  extra?: true
}

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
  function signed(
    conditions: unknown,
    { by = pair, two = false, expiration = later(60_000) as unknown, ...more } = {} as SignedAs,
  ) {
    const date = server.clock
      .now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')
    const credential = `${by.access_key_id}/${date.slice(0, 8)}/eu-west-1/s3/aws4_request`
    const own = two
      ? []
      : [{ 'x-amz-algorithm': 'AWS4-HMAC-SHA256' }, { 'x-amz-credential': credential }, { 'X-Amz-Date': date }]
    const document = {
      expiration,
      ...more,
      conditions: Array.isArray(conditions) ? [...conditions, ...own] : conditions,
    }
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
      ['no file', { key: 'up/k', ...signed(usual) }, 'InvalidArgument', null],
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
    assert.equal((await world.send('POST', path, headers)).code, 'PreconditionFailed')
  })

  /** Sends a form of which every byte is given; `disposition` is the file's. */
  function postRaw(
    fields: Record<string, string>,
    {
      disposition = 'form-data; name="file"; filename="a.txt"',
      file = 'hello',
      end = '--x--\r\n',
      more = '' as string | Buffer,
    } = {},
  ) {
    const part = (head: string, value: string) => `--x\r\nContent-Disposition: ${head}\r\n\r\n${value}\r\n`
    const parts = Object.entries(fields).map(([name, value]) => part(`form-data; name="${name}"`, value))
    const body = Buffer.concat([...parts, more, part(disposition, file), end].map((one) => Buffer.from(one as string)))
    return world.send('POST', `/${B}`, { 'content-type': 'multipart/form-data; boundary=x' }, body)
  }
  const stored = async (key: string) => s3.send(new HeadObjectCommand({ Bucket: B, Key: key }))

  // https://docs.aws.amazon.com/AmazonS3/latest/developerguide/sigv4-HTTPPOSTForms.html
  itOnce(
    'the name of the file replaces its variable as it is, in every field, before conditions are judged',
    async () => {
      const plain = ['price$$.pdf', 'a$&b.txt', 'a$`b.txt', "a$'b.txt", '$1$<x>', 'ü 1.txt']
      const paths = ['dir/sub/a.jpg', 'C:\\Users\\x\\a.jpg', '../../a.jpg', '/a.jpg', 'x\\../a.jpg']
      const names = [...plain.map((name) => [name, name]), ...paths.map((path) => [path, 'a.jpg']), ['', '']]
      for (const [given = '', name] of names) {
        const terms = signed([...usual, ['starts-with', '$x-amz-meta-n', name]])
        const fields = { key: `up/k-${NAME}`, 'x-amz-meta-n': NAME, ...terms }
        // The parser of the form unescapes a backslash before a quote only.
        const { status, text } = await postRaw(fields, { disposition: `form-data; name="file"; filename="${given}"` })
        assert.equal(status, 204, `${given}: ${text}`)
        const { Metadata } = await stored(`up/k-${name}`)
        assert.equal(decodeWords(Metadata?.n ?? ''), name)
      }
      const unnamed = await postRaw({ key: `up/u${NAME}`, ...signed(usual) }, { disposition: 'form-data; name="file"' })
      assert.equal(unnamed.status, 204, unnamed.text)
      await stored('up/u')
      const target = `https://example.com/done?f=${NAME}`
      const judged = signed([...usual, { success_action_redirect: 'https://example.com/done?f=a.txt' }])
      const moved = await postRaw({ key: 'up/k', success_action_redirect: target, ...judged })
      assert.match(
        moved.headers.location ?? '',
        /^https:\/\/example\.com\/done\?f=a\.txt&bucket=forms&key=up%2Fk&etag=%22\w+%22$/,
      )
      const literal = signed([...usual, { success_action_redirect: target }])
      assert.equal((await postRaw({ key: 'up/k', success_action_redirect: target, ...literal })).code, 'AccessDenied')
      // What a long name makes of many variables is bounded as the fields are.
      const many = { key: 'up/k', 'x-amz-meta-n': NAME.repeat(700), ...signed(usual) }
      const long = { disposition: `form-data; name="file"; filename="${'n'.repeat(4000)}"` }
      assert.equal((await postRaw(many, long)).code, 'MaxPostPreDataLengthExceeded')
    },
  )

  itOnce('a content type is stored as it was judged, every item of a list', async () => {
    const image = [...usual, ['starts-with', '$Content-Type', 'image/']]
    const cases: [type: string, conditions: unknown[], stored: string | null][] = [
      ['image/', image, 'image/'],
      ['image/ x', image, 'image/ x'],
      ['image/png, image/gif', image, 'image/png, image/gif'],
      ['image/png,text/html', image, null],
      ['image/png;a=b,text/html', image, null],
      ['text/html', image, null],
      ['properties', [...usual, ['eq', '$content-type', 'properties']], 'properties'],
      ['', [...usual, { 'content-type': '' }], 'binary/octet-stream'],
    ]
    for (const [type, conditions, expected] of cases) {
      const answer = await postRaw({ key: 'up/x.html', 'Content-Type': type, ...signed(conditions) })
      assert.equal(answer.code, expected === null ? 'AccessDenied' : '', type)
      if (expected !== null) assert.equal((await stored('up/x.html')).ContentType, expected)
    }
    for (const type of ['properties', 'jpg', 'image/ x']) {
      const path = `/${B}/given.html`
      const headers = await world.signed(pair, { method: 'PUT', path, headers: { 'content-type': type } })
      assert.equal((await world.send('PUT', path, headers)).status, 200)
      assert.equal((await stored('given.html')).ContentType, type)
    }
  })

  itOnce('says what is wrong with a credential in the fields, or with the form', async () => {
    const good = signed(usual)
    const scope = (text: string) => ({ ...good, 'x-amz-credential': `${pair.access_key_id}/${text}` })
    const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([one]) => one !== name))
    const sends = (to: string) => ({ 'x-amz-website-redirect-location': to, ...signed([...usual, REDIRECTS]) })
    assert.equal((await postRaw({ key: 'up/sends', ...sends('/ü') })).status, 204)
    assert.equal((await stored('up/sends')).WebsiteRedirectLocation, Buffer.from('/ü').toString('latin1'))
    const cases: [what: string, fields: Record<string, string>, code: string, argument?: string][] = [
      ['a redirect to anywhere', sends('ftp://x'), 'InvalidRedirectLocation'],
      ['a redirect of two lines', sends('/x\r\ny: z'), 'InvalidArgument'],
      ['another algorithm', { ...good, 'x-amz-algorithm': 'AWS4-HMAC-SHA1' }, 'InvalidArgument', 'X-Amz-Algorithm'],
      ['no algorithm', without('x-amz-algorithm'), 'InvalidArgument', 'X-Amz-Algorithm'],
      ['no credential', without('x-amz-credential'), 'InvalidArgument', 'X-Amz-Credential'],
      ['no date', without('X-Amz-Date'), 'InvalidArgument', 'X-Amz-Date'],
      ['no signature', without('x-amz-signature'), 'InvalidArgument', 'X-Amz-Signature'],
      ['no policy', without('policy'), 'InvalidArgument', 'Policy'],
      ['a date that is none', { ...good, 'X-Amz-Date': '20260230T000000Z' }, 'InvalidArgument', 'X-Amz-Date'],
      ['a text for a date', { ...good, 'X-Amz-Date': 'today' }, 'InvalidArgument', 'X-Amz-Date'],
      ['no slashes', { ...good, 'x-amz-credential': 'x' }, 'InvalidArgument', 'X-Amz-Credential'],
      ['another day', scope('2026-01-01/eu-west-1/s3/aws4_request'), 'InvalidArgument', 'X-Amz-Credential'],
      ['another service', scope('20260101/eu-west-1/ec2/aws4_request'), 'InvalidArgument', 'X-Amz-Credential'],
      ['another end', scope('20260101/eu-west-1/s3/aws4'), 'InvalidArgument', 'X-Amz-Credential'],
      ['another region', scope('20260101/eu-west-9/s3/aws4_request'), 'SignatureDoesNotMatch'],
      ['a member that no policy has', signed(usual, { extra: true }), 'InvalidPolicyDocument'],
      ['a form in a form', { ...good, 'x-amz-meta-\xc3': '\xff' }, 'AccessDenied'],
      ['an unknown checksum', { ...good, 'x-amz-checksum-foo': 'x' }, 'InvalidRequest'],
      ['a checksum that is not there', { ...good, 'x-amz-checksum-algorithm': 'CRC32' }, 'InvalidRequest'],
    ]
    for (const [what, fields, code, argument] of cases) {
      const answer = await postRaw({ key: 'up/wrong', ...fields })
      assert.equal(answer.code, code, `${what}: ${answer.text}`)
      if (argument) assert.match(answer.text, new RegExp(`<ArgumentName>${argument}<`), what)
    }
    const crlf = { ...signed([...usual, ['starts-with', '$x-amz-meta-a', '']]), 'x-amz-meta-a': 'x\r\nSet-Cookie: y' }
    assert.equal((await postRaw({ key: 'up/wrong', ...crlf })).code, 'InvalidArgument')
    const forms: [what: string, answer: ReturnType<typeof postRaw>, code: string][] = [
      ['it ends in the file', postRaw({ key: 'up/wrong', ...good }, { end: '' }), 'MalformedPOSTRequest'],
      ['no name', postRaw({ key: 'up/wrong', ...good }, { more: nameless }), 'MalformedPOSTRequest'],
      ['no UTF-8', postRaw({ key: 'up/wrong', ...good }, { more: latin }), 'MalformedPOSTRequest'],
      ['no file', postRaw({ key: 'up/wrong', ...good }, { disposition: 'form-data; name="f"' }), 'InvalidArgument'],
    ]
    for (const [what, answer, code] of forms) assert.equal((await answer).code, code, what)
    for (const [type, code] of [
      ['application/json', 'PreconditionFailed'],
      ['multipart/form-data', 'MalformedPOSTRequest'],
    ] as const)
      assert.equal((await world.send('POST', `/${B}`, { 'content-type': type }, 'body')).code, code, type)
    await assert.rejects(stored('up/wrong'))
  })

  itOnce('answers, on the same connection, where a policy refuses a file that was not read', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const form = new FormData()
    for (const [name, value] of Object.entries({ key: 'down/k', ...signed(usual) })) form.append(name, value as string)
    form.append('file', new Blob(['x'.repeat(4_000_000)]), '')
    const sent = new Response(form)
    const bytes = Buffer.from(await sent.arrayBuffer())
    const ask = async (method: string, content?: Buffer) => {
      const request = http.request(world.url, {
        agent,
        method,
        path: `/${B}`,
        headers: content
          ? { 'content-type': sent.headers.get('content-type') ?? '', 'content-length': content.length }
          : {},
      })
      request.end(content)
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      const text = Buffer.concat(await response.toArray()).toString()
      return { code: /<Code>(\w+)</.exec(text)?.[1], port: request.socket?.localPort }
    }
    const refused = await ask('POST', bytes)
    assert.equal(refused.code, 'AccessDenied')
    assert.deepEqual(await ask('GET'), { code: 'AccessDenied', port: refused.port })
    agent.destroy()
  })
})

const REDIRECTS = ['starts-with', '$x-amz-website-redirect-location', '']
const nameless = '--x\r\nContent-Disposition: form-data\r\n\r\nv\r\n'
const latin = Buffer.from('--x\r\nContent-Disposition: form-data; name="x-ignore-a"\r\n\r\n\xff\r\n', 'latin1')

const TAGS = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'
