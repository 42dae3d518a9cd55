// Presigned URLs of both versions of signatures, and what signed requests have in their headers and queries.
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import http from 'node:http'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { decodeWords, encodeWords } from '../../server/fronts/s3/requests/encoded-words.ts'
import { isOldSignature, oldTexts, readOldCredential } from '../../server/fronts/s3/requests/signature/version2.ts'
import { readQuery } from '../../server/fronts/s3/requests/target.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'
import { type Answer, type Pair, s3World, signerOf } from './s3.ts'

const latin1 = (text: string) => Buffer.from(text).toString('latin1')

it('Version 2: agrees with the example that AWS published', () => {
  const query = readQuery(
    'AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620',
  )
  const target = { bucket: 'johnsmith', key: 'photos/puppy.jpg' }
  const credential = readOldCredential(query)
  const signed = { method: 'GET', path: '/photos/puppy.jpg', query, target, hostBucket: 'johnsmith' }
  const texts = oldTexts(signed, credential, new Map())
  assert.ok(isOldSignature(credential.signature, texts, 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'))
})

it('a text is the same after it was encoded into words and decoded, and no other text is changed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const sent = encodeWords(text)
      assert.match(sent, /^[\x20-\x7e]*$/)
      for (const word of sent === text ? [] : sent.split(' ')) assert.ok(word.length <= 75)
      const isWords = /^=\?/.test(text) || /\p{Cc}/u.test(text) || !text.isWellFormed()
      if (!isWords) assert.equal(decodeWords(sent), text)
      // What a client sends is what it reads back.
      assert.equal(encodeWords(decodeWords(sent)), sent)
    }),
  )
  assert.equal(encodeWords('voilà'), '=?UTF-8?B?dm9pbMOg?=')
  for (const kept of ['=?UTF-8?B?YWJj?=', '=?UTF-8?Q?voil=C3=A0?=', '=?UTF-8?B?////?=', '=?UTF-8?B?w7w=?= =?', 'a'])
    assert.equal(decodeWords(kept), kept)
})

describeOnce('S3: presigned URLs', (engine) => {
  let server: TestServer
  let strict: TestServer
  let world: ReturnType<typeof s3World>
  let pair: Pair
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0', S3_DOMAIN: 's3.local', S3_SIGNATURE_V2: 'presigned' })
    strict = await startServer(engine, { S3_PORT: '0' })
    world = s3World(server)
    pair = await world.keyOf()
    for (const name of ['pre', 'other']) await server.admin.createBucket({ body: { name } })
    for (const key of ['k', 'a b/ü+', '.tagging'])
      await server.admin.putObject({ params: { bucket: 'pre', key }, body: `the ${key}` })
  })
  after(async () => {
    await server.stop()
    await strict.stop()
  })

  const inAnHour = () => Math.floor(server.clock.now().getTime() / 1000) + 3600
  /** A URL of Version 2 as its documentation says to make one. */
  function old(
    method: string,
    path: string,
    {
      of = pair,
      expires = inAnHour(),
      resource = path,
      type = '',
      amz = '',
      more = '',
    }: { of?: Pair; expires?: number | string; resource?: string; type?: string; amz?: string; more?: string } = {},
  ): string {
    const text = `${method}\n\n${type}\n${expires}\n${amz}${resource}`
    const signature = createHmac('sha1', of.secret_access_key).update(text).digest('base64')
    const credential = `AWSAccessKeyId=${of.access_key_id}&Expires=${expires}&Signature=${encodeURIComponent(signature)}`
    return `${path}${path.includes('?') ? '&' : '?'}${credential}${more}`
  }
  const told = ({ status, text, code }: Answer) => (status < 300 ? text || String(status) : code)
  const send = async (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
    told(await world.send(method, path, { host: 'localhost', ...headers }, body))

  it('Version 2: opens what was signed, by path and by host, and nothing with a change', async () => {
    assert.equal(await send('GET', old('GET', '/pre/k')), 'the k')
    assert.equal(await send('GET', old('GET', '/pre/a%20b/%C3%BC%2B')), 'the a b/ü+')
    assert.equal(await send('GET', old('GET', '/k', { resource: '/pre/k' }), { host: 'pre.s3.local' }), 'the k')
    const head = await world.send('HEAD', old('HEAD', '/pre/k'), { host: 'localhost' })
    assert.equal(head.status, 200)
    const changed: [method: string, path: string, headers?: Record<string, string>][] = [
      ['PUT', old('GET', '/pre/k')],
      ['HEAD', old('GET', '/pre/k')],
      ['GET', old('GET', '/pre/k').replace('/pre/k', '/other/k')],
      ['GET', old('GET', '/pre/k').replace('/pre/k', '/k'), { host: 'other.s3.local' }],
      ['GET', old('GET', '/pre/k'), { host: 'other.s3.local' }],
      ['GET', `${old('GET', '/pre/k')}&tagging`],
      ['GET', `${old('GET', '/pre/k')}&acl`],
      ['GET', `${old('GET', '/pre/k')}&retention`],
      ['GET', `${old('GET', '/pre/k')}&versionId=null`],
      ['GET', `${old('GET', '/pre/k')}&response-content-type=text/html`],
      ['GET', old('GET', '/pre/k'), { 'x-amz-meta-a': 'b' }],
      ['GET', old('GET', '/pre/k'), { 'content-type': 'a/b' }],
      ['GET', `${old('GET', '/pre/k')}&x-amz-acl=public-read`],
      ['GET', old('GET', '/pre/k').replace(/Expires=\d+/, `Expires=${inAnHour() + 1}`)],
      ['GET', old('GET', '/pre/k', { of: { ...pair, secret_access_key: 'another' } })],
    ]
    for (const [method, path, headers] of changed)
      assert.match(await send(method, path, headers), /^(SignatureDoesNotMatch|)$/, `${method} ${path}`)
  })

  it('Version 2: uploads with signed headers, also where an SDK moved them into the query', async () => {
    assert.equal(await send('PUT', old('PUT', '/pre/put', { type: 'a/b' }), { 'content-type': 'a/b' }, 'x'), '200')
    const amz = 'x-amz-meta-a:b c\n'
    const moved = '&content-type=a%2Fb&x-amz-meta-a=b%20c'
    const path = old('PUT', '/pre/moved', { type: 'a/b', amz, more: moved })
    await server.records([{ action: 'upload', bucket: 'pre', key: 'moved' }], async () =>
      assert.equal(await send('PUT', path, {}, 'x'), '200'),
    )
    const { headers } = await world.send('GET', old('GET', '/pre/moved'), { host: 'localhost' })
    assert.deepEqual([headers['content-type'], headers['x-amz-meta-a']], ['a/b', 'b c'])
    assert.equal(await send('PUT', path, { 'content-type': 'text/html' }, 'x'), 'InvalidArgument')
    assert.equal(await send('PUT', `${path}&x-amz-meta-b%0Ax=1`, {}, 'x'), 'InvalidArgument')
    const unsigned = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-cf-id': 'abc' }
    assert.equal(await send('PUT', old('PUT', '/pre/put'), unsigned, 'y'), '200')
    assert.equal(await send('DELETE', old('DELETE', '/pre/put')), '204')
  })

  it('Version 2: overrides headers of the answer, but not together with anything that says what is asked', async () => {
    const type = '/pre/k?response-content-disposition=attachment%3B%20a&response-content-type=text%2Fcsv'
    const resource = '/pre/k?response-content-disposition=attachment; a&response-content-type=text/csv'
    const { status, headers } = await world.send('GET', old('GET', type, { resource }), { host: 'localhost' })
    assert.deepEqual(
      [status, headers['content-type'], headers['content-disposition']],
      [200, 'text/csv', 'attachment; a'],
    )
    // One signature covers both: somebody else may have chosen the text.
    const split = { resource: '/pre/k?response-content-type=a&tagging' }
    assert.equal(await send('GET', old('GET', '/pre/k?response-content-type=a&tagging', split)), 'InvalidRequest')
    const version = { resource: '/pre/k?response-content-type=a&versionId=null' }
    assert.equal(
      await send('GET', old('GET', '/pre/k?response-content-type=a&versionId=null', version)),
      'InvalidRequest',
    )
    assert.match(await send('GET', old('GET', '/pre/k?tagging')), /<TagSet/)
    assert.equal(await send('GET', old('GET', '/pre/k?versionId=null')), 'the k')
    for (const path of ['/pre', '/pre/', '/', '/pre?uploads'])
      assert.equal(await send('GET', old('GET', path)), 'InvalidRequest', path)
  })

  it('Version 2: ends in time, and with its key and what that may do', async () => {
    const now = Math.floor(server.clock.now().getTime() / 1000)
    for (const expires of [0, now - 1, now])
      assert.equal(await send('GET', old('GET', '/pre/k', { expires })), 'AccessDenied')
    for (const expires of ['', '-1', 'soon', '1e12', '9'.repeat(30), `${inAnHour()}.5`])
      assert.equal(await send('GET', old('GET', '/pre/k', { expires })), 'AccessDenied', expires)
    assert.equal(await send('GET', old('GET', '/pre/k').replace(/&Signature=[^&]*/, '')), 'AccessDenied')
    assert.equal(await send('GET', `${old('GET', '/pre/k')}&Expires=1`), 'AccessDenied')
    assert.equal(await send('GET', `${old('GET', '/pre/k')}&X-Amz-Signature=0`), 'InvalidArgument')
    assert.equal(await send('GET', old('GET', '/pre/k'), { authorization: 'AWS a:b' }), 'InvalidArgument')
    const unknown = { ...pair, access_key_id: 'STRGAAAAAAAAAAAAAAAA' }
    assert.equal(await send('GET', old('GET', '/pre/k', { of: unknown })), 'InvalidAccessKeyId')

    const scope = [{ bucket: 'pre', prefix: 'in/', actions: ['read' as const] }]
    const scoped = await world.keyOf(server.adminToken, scope)
    await server.admin.putObject({ params: { bucket: 'pre', key: 'in/k' }, body: 'inside' })
    assert.equal(await send('GET', old('GET', '/pre/in/k', { of: scoped })), 'inside')
    assert.equal(await send('GET', old('GET', '/pre/k', { of: scoped })), 'AccessDenied')
    assert.equal(await send('PUT', old('PUT', '/pre/in/k', { of: scoped }), {}, 'x'), 'AccessDenied')
    await server.admin.revokeAccessKey({ params: { id: scoped.id } })
    assert.equal(await send('GET', old('GET', '/pre/in/k', { of: scoped })), 'InvalidAccessKeyId')
  })

  it('Version 2: says where it is off what to set on either side', async () => {
    const { url, send: ask } = s3World(strict)
    const { status, code, text } = await ask('GET', old('GET', '/pre/k'), { host: url.host })
    assert.deepEqual([status, code], [400, 'InvalidRequest'])
    assert.match(text, /s3v4[^<]*S3_SIGNATURE_V2=presigned/)
  })

  /** An object's metadata, as the API tells it. */
  const metadataOf = async (key: string) =>
    (await server.admin.listObjects({ params: { bucket: 'pre' }, query: { prefix: key } })).items[0]?.metadata

  /** A URL of Version 4. */
  const presign = async (method: string, at: string, { region = 'us-east-1', expires = 60 } = {}) => {
    const [path = '', search = ''] = at.split('?')
    const { query = {} } = await signerOf(pair, region).presign(
      {
        method,
        protocol: 'http:',
        hostname: 'localhost',
        path,
        headers: { host: 'localhost', 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
        query: Object.fromEntries(new URLSearchParams(search)),
      },
      { signingDate: server.clock.now(), expiresIn: expires },
    )
    return `${path}?${new URLSearchParams(query as Record<string, string>).toString().replaceAll('+', '%20')}`
  }

  // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html and …/API/ErrorResponses.html
  it('refuses malformed parameters of a signature as AWS documents it', async () => {
    const good = await presign('GET', '/pre/k')
    assert.equal(await send('GET', good), 'the k')
    const expires = (value: string) => good.replace(/X-Amz-Expires=\d+/, `X-Amz-Expires=${value}`)
    for (const value of ['-1', '-7', '604801', '9'.repeat(40), 'abc', '1.5', '1e3', '', '%20'])
      assert.equal(await send('GET', expires(value)), 'AuthorizationQueryParametersError', value)
    for (const [value, status] of [
      ['-1', 403],
      ['604801', 403],
      ['abc', 400],
    ] as const)
      assert.equal((await world.send('GET', expires(value), { host: 'localhost' })).status, status, value)
    assert.equal(await send('GET', expires('0')), 'AccessDenied', 'it has expired')
    for (const name of ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'])
      for (const path of [
        good.replace(new RegExp(`X-Amz-${name}=[^&]*`), ''),
        good.replace(new RegExp(`X-Amz-${name}=[^&]*`), `X-Amz-${name}=`),
        `${good}&X-Amz-${name}=x`,
      ])
        assert.equal(await send('GET', path), 'AuthorizationQueryParametersError', path)
    for (const [from, to] of [
      [/X-Amz-Algorithm=[^&]*/, 'X-Amz-Algorithm=AWS4-HMAC-SHA1'],
      [/X-Amz-Date=[^&]*/, 'X-Amz-Date=20260101'],
      [/X-Amz-Date=[^&]*/, 'X-Amz-Date=20261301T000000Z'],
      [/%2Fs3%2F/, '%2Fec2%2F'],
      [/aws4_request/, 'aws3_request'],
      [/X-Amz-Signature=[^&]*/, 'X-Amz-Signature=00'],
      [/us-east-1/, 'r'.repeat(200)],
    ] as const)
      assert.equal(await send('GET', good.replace(from, to)), 'AuthorizationQueryParametersError', String(to))
  })

  it('takes headers that say nothing new unsigned, any region and none', async () => {
    const put = await presign('PUT', '/pre/unsigned')
    const says = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    assert.equal(await send('PUT', put, says, 'x'), '200')
    assert.equal(await send('GET', await presign('GET', '/pre/k'), { ...says, 'x-amz-cf-id': 'abc==' }), 'the k')
    for (const headers of [
      { 'x-amz-content-sha256': '0'.repeat(64) },
      { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
      { 'x-amz-meta-a': 'b' },
      { 'x-amz-acl': 'private' },
    ] as Record<string, string>[])
      assert.equal(await send('PUT', put, headers, 'x'), 'AccessDenied', JSON.stringify(headers))
    for (const region of ['', 'eu-central-1', 'nowhere'])
      assert.equal(await send('GET', await presign('GET', '/pre/k', { region })), 'the k', region)
  })

  it('ignores parameters that start with x-, whatever is asked, and refuses other unknown ones', async () => {
    const signed = async (method: string, path: string, body = '') =>
      send(method, path, await world.signed(pair, { method, path, body }), body)
    assert.equal(await signed('PUT', '/pre/x?x-user=1', 'x'), '200')
    assert.equal(await signed('PUT', '/pre/x?X-Trace=1&x-id=PutObject', 'x'), '200')
    const started = await signed('POST', '/pre/parts?uploads=&x-user=1')
    const id = /<UploadId>([^<]+)/.exec(started)?.[1] ?? ''
    assert.equal(await signed('PUT', `/pre/parts?partNumber=1&uploadId=${id}&x-user=1`, 'x'), '200')
    assert.equal(await signed('DELETE', `/pre/parts?uploadId=${id}&x-user=1`), '204')
    assert.equal(await signed('DELETE', '/pre/x?x-user=1'), '204')
    assert.equal(await signed('PUT', '/pre/x?user=1', 'x'), 'NotImplemented')
  })

  it('takes a parameter twice, signed by value or in the order sent', async () => {
    const sign = async (canonical: string) => {
      const date = server.clock
        .now()
        .toISOString()
        .replaceAll(/[-:]|\.\d+/g, '')
      const day = date.slice(0, 8)
      const hash = (text: string) => createHash('sha256').update(text).digest('hex')
      const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
      const nothing = hash('')
      const scope = `${day}/us-east-1/s3/aws4_request`
      const names = 'host;x-amz-content-sha256;x-amz-date'
      const request = `GET\n/pre\n${canonical}\nhost:localhost\nx-amz-content-sha256:${nothing}\nx-amz-date:${date}\n\n${names}\n${nothing}`
      let key: string | Buffer = `AWS4${pair.secret_access_key}`
      for (const one of [day, 'us-east-1', 's3', 'aws4_request']) key = hmac(key, one)
      const signature = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash(request)}`).toString('hex')
      return {
        'x-amz-date': date,
        'x-amz-content-sha256': nothing,
        authorization: `AWS4-HMAC-SHA256 Credential=${pair.access_key_id}/${scope},SignedHeaders=${names},Signature=${signature}`,
      }
    }
    for (const canonical of ['events=a&events=b&ping=1', 'events=b&events=a&ping=1'])
      assert.match(await send('GET', '/pre?ping=1&events=b&events=a', await sign(canonical)), /<ListBucketResult/)
    const wrong = await sign('events=b&events=a&ping=1')
    assert.equal(await send('GET', '/pre?ping=1&events=a&events=b', wrong), 'SignatureDoesNotMatch')
  })

  it('reads signed headers as the bytes that they are, and loses none of them', async () => {
    /** Signs values as texts, and sends them as bytes. */
    const put = async (values: Record<string, string>, asSent: (value: string) => string) => {
      const headers = await world.signed(pair, {
        method: 'PUT',
        path: '/pre/bytes',
        headers: { host: 'localhost', ...values },
      })
      const sent = Object.entries(values).map(([name, value]) => [name, asSent(value)])
      return send('PUT', '/pre/bytes', { ...headers, ...Object.fromEntries(sent) })
    }
    const read = async () =>
      (await world.send('GET', await presign('GET', '/pre/bytes'), { host: 'localhost' })).headers
    const kept = () => metadataOf('bytes')
    for (const text of ['voilà', '张', 'НАПЕР', 'Ѡ à', `${'ж'.repeat(90)}à`]) {
      assert.equal(await put({ 'x-amz-meta-title': text, 'content-disposition': `a; ${text}` }, latin1), '200', text)
      const headers = await read()
      assert.equal(headers['x-amz-meta-title'], encodeWords(text))
      assert.equal(headers['content-disposition'], latin1(`a; ${text}`))
      assert.deepEqual(await kept(), { title: text })
      assert.equal(await put({ 'x-amz-meta-title': encodeWords(text) }, (same) => same), '200')
      assert.deepEqual(await kept(), { title: text }, 'sent as it was read')
    }
    assert.equal(await put({ 'x-amz-meta-title': '=?UTF-8?Q?voil=C3=A0?=' }, (same) => same), '200')
    assert.equal((await read())['x-amz-meta-title'], '=?UTF-8?Q?voil=C3=A0?=')
    for (const blanks of ['x\ty', 'x \t  y', 'x   y'])
      assert.equal(await put({ 'x-amz-meta-a': 'x y' }, () => blanks), '200', JSON.stringify(blanks))
  })

  it('reads what is not UTF-8 as Latin-1 where it is kept, and refuses it elsewhere', async () => {
    const auth = { authorization: `Bearer ${server.adminToken}` }
    const { hostname, port } = new URL(server.url)
    const api = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve) =>
        http
          .request(
            {
              hostname,
              port,
              method: 'PUT',
              path: '/api/v1/buckets/pre/objects/latin',
              headers: { ...auth, ...headers },
            },
            (answer) => answer.resume().once('end', () => resolve(answer.statusCode)),
          )
          // A body that is a text would have the headers written in its encoding.
          .end(Buffer.from('x')),
      )
    assert.equal(await api({ 'x-meta-title': 'voil\xe0' }), 201)
    assert.deepEqual(await metadataOf('latin'), { title: 'voilà' })
    assert.equal(await api({ 'x-tags': 'a=\xe0' }), 422)
    /** By a URL of Version 2, which signs headers as bytes. */
    const s3 = (amz: string) => {
      const signed = Buffer.from(`PUT\n\n\n${inAnHour()}\n${amz}\n/pre/latin`, 'latin1')
      const signature = createHmac('sha1', pair.secret_access_key).update(signed).digest('base64')
      const [name = '', value = ''] = amz.split(':')
      const query = `AWSAccessKeyId=${pair.access_key_id}&Expires=${inAnHour()}&Signature=${encodeURIComponent(signature)}`
      return send('PUT', `/pre/latin?${query}`, { [name]: value })
    }
    assert.equal(await s3('x-amz-meta-title:voil\xe0 \x80\xff'), '200')
    assert.deepEqual(await metadataOf('latin'), { title: 'voilà \x80ÿ' })
    for (const refused of ['x-amz-tagging:a=\xe0', 'x-amz-storage-class:\xe0', 'x-amz-copy-source:pre/\xe0'])
      assert.match(await s3(refused), /^Invalid(Argument|Tag)$/, refused)
    const body = Buffer.concat([Buffer.from('{"name":"a'), Buffer.from([0xe0]), Buffer.from('"}')])
    const answer = await fetch(`${server.url}/api/v1/access-keys`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json' },
      body,
    })
    assert.equal(answer.status, 400)
  })
})
