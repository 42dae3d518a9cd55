import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { start } from '../../server/process/start.ts'
import { signClaims } from '../../server/secrets/sign.ts'
import { type Answer, request } from '../support/http.ts'
import { headerOf, quarters } from '../support/pictures.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, dump, type Seen, startServer, type TestServer } from '../support/server.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
const bucket = 'store'
const params = { bucket }
type Presign = Parameters<Client['presignObject']>[0]['body']
type Right = 'list' | 'read' | 'write' | 'delete' | 'share'
const denied: Seen = { action: 'access_denied', result: 'denied' }
const uploaded = (key: string): Seen => ({ action: 'upload', bucket, key })

describeEngines('presigned URLs', (engine, itOnce) => {
  let server: TestServer
  let admin: Client
  before(async () => {
    server = await startServer(engine)
    admin = server.admin
    await admin.createBucket({ body: { name: bucket } })
  })
  after(() => server.stop())

  const put = (key: string, body: string, headers: Record<string, string> = {}) =>
    admin.putObjectByQuery({ params, query: { key }, body: Buffer.from(body), headers })
  /** The path of a URL; its token is a secret, and may be in no log. */
  const presign = async (body: Presign, client = admin): Promise<string> => {
    const { url } = await client.presignObject({ params, body })
    const path = new URL(url).pathname
    server.secrets.add(path.slice('/api/v1/signed/'.length))
    return path
  }
  const send = (path: string, method = 'GET', headers: Record<string, string> = {}, body?: string): Promise<Answer> =>
    request({ url: server.url, path, method, headers, ...(body === undefined ? {} : { body }) })
  const refused = async (answer: Promise<Answer>, status: number, code?: string): Promise<string> => {
    const { status: given, body, json } = await answer
    assert.equal(given, status, body.toString())
    const problem = json<{ code: string; detail: string }>()
    if (code) assert.equal(problem.code, code)
    return problem.detail
  }
  /** Asserts that a call leaves no file, no byte counted and no record behind. */
  const traceless = async (work: () => Promise<unknown>): Promise<void> => {
    const before = [server.files(), (await admin.getBucket({ params })).used_bytes]
    await server.records([], work)
    assert.deepEqual([server.files(), (await admin.getBucket({ params })).used_bytes], before)
  }
  const person = async (...actions: Right[]) => {
    const client = server.as(await server.userWith({ bucket_pattern: bucket, actions }))
    const { id, email, groups } = await client.me()
    return { client, id, email, group: groups[0]?.id ?? '' }
  }

  it('downloads without credentials, like any download, until it expires', async () => {
    const stored = await put('dir/a.txt', '0123456789', { 'content-type': 'text/plain', 'x-meta-colour': 'blue' })
    const { url, method, expires_at } = await server.records([], () =>
      admin.presignObject({ params, body: { key: 'dir/a.txt' } }),
    )
    assert.deepEqual([method, expires_at], ['GET', new Date(server.clock.now().getTime() + HOUR).toISOString()])
    assert.ok(url.startsWith(`${readConfig(server.env).publicBaseUrl}/api/v1/signed/`))
    const path = new URL(url).pathname
    await server.records([], async () => {
      const whole = await send(path)
      assert.deepEqual(
        [whole.status, whole.body.toString(), whole.headers.etag, whole.headers['x-meta-colour']],
        [200, '0123456789', `"${stored.etag}"`, 'blue'],
      )
      assert.deepEqual(
        ['content-type', 'content-disposition', 'cache-control', 'x-content-type-options', 'content-length'].map(
          (name) => whole.headers[name],
        ),
        ['text/plain', 'inline; filename=a.txt', 'private, no-cache', 'nosniff', '10'],
      )
      assert.match(String(whole.headers['content-security-policy']), /sandbox/)
      const head = await send(path, 'HEAD')
      assert.deepEqual([head.status, head.body.length, head.headers['content-length']], [200, 0, '10'])
      const part = await send(path, 'GET', { range: 'bytes=2-4' })
      assert.deepEqual([part.status, part.body.toString()], [206, '234'])
      assert.equal((await send(path, 'GET', { range: 'bytes=20-' })).status, 416)
      assert.equal((await send(path, 'GET', { range: 'bytes=0-1,5-6' })).status, 206)
      assert.equal((await send(path, 'GET', { 'if-none-match': `"${stored.etag}"` })).status, 304)
      assert.equal((await send(path, 'GET', { 'if-match': '"other"' })).status, 412)
      // Browsers and proxies send what they have; it does not count here.
      assert.equal((await send(path, 'GET', { authorization: 'Bearer nonsense' })).status, 200)
      assert.equal((await send(path, 'GET', { authorization: 'Basic eDp5', cookie: 'a=b' })).status, 200)
    })
    server.clock.advance(HOUR - 1)
    assert.equal((await send(path)).status, 200)
    await server.later(1)
    await traceless(async () => {
      assert.match(await refused(send(path), 403, 'forbidden'), /expired/)
      assert.equal((await send(path, 'HEAD')).status, 403)
    })
  })

  itOnce(
    'lets only what was signed to be embedded into a frame, of this origin alone, and still sandboxed',
    async () => {
      await put('page.html', '<script>1</script>', { 'content-type': 'text/html' })
      const framing = async (body: Presign) => {
        const { headers } = await send(await presign(body))
        return [headers['x-frame-options'], headers['content-security-policy'], headers['content-disposition']]
      }
      const sandbox = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'"
      const attached = 'attachment; filename=page.html'
      assert.deepEqual(await framing({ key: 'page.html' }), ['DENY', sandbox, attached])
      assert.deepEqual(await framing({ key: 'page.html', embed: true }), [
        'SAMEORIGIN',
        `${sandbox}; frame-ancestors 'self'`,
        attached,
      ])
    },
  )

  itOnce('follows the object: replaced, deleted, restored, its bucket gone', async () => {
    await put('follow', 'one')
    const path = await presign({ key: 'follow' })
    await put('follow', 'two')
    assert.equal((await send(path)).body.toString(), 'two')
    await admin.deleteObject({ params: { ...params, key: 'follow' } })
    await refused(send(path), 404, 'not_found')
    const [item] = (await admin.listTrash({ params })).items
    await admin.restoreTrash({ params, body: { ids: [item?.id ?? ''] } })
    assert.equal((await send(path)).body.toString(), 'two')
    await admin.createBucket({ body: { name: 'short-lived' } })
    const { url } = await admin.presignObject({ params: { bucket: 'short-lived' }, body: { key: 'a', method: 'PUT' } })
    await admin.deleteBucket({ params: { bucket: 'short-lived' } })
    await traceless(() => refused(send(new URL(url).pathname, 'PUT', {}, 'x'), 404, 'not_found'))
  })

  it('uploads as the signer, once and again, under the conditions of any upload', async () => {
    const { client, id, email } = await person('write', 'read')
    const { token, id: tokenId } = await client.createToken({ body: { name: 'signer' } })
    server.secrets.add(token)
    const path = await presign({ key: 'up/a.txt', method: 'PUT' }, server.as(token))
    const first = await server.records([uploaded('up/a.txt')], () =>
      send(path, 'PUT', { 'content-type': 'text/x-own', 'x-meta-by': 'url', 'user-agent': 'curl' }, 'one'),
    )
    const object = first.json()
    assert.deepEqual(
      [first.status, object.size, object.content_type, object.metadata, object.created_by, first.headers.etag],
      [201, 3, 'text/x-own', { by: 'url' }, id, `"${object.etag}"`],
    )
    const record = (await allActions(server.database)).at(-1)
    assert.deepEqual(
      [record?.actor_user_id, record?.actor_email, record?.actor_type, record?.auth_method, record?.token_id],
      [id, email, 'user', 'presigned', tokenId],
    )
    assert.deepEqual(
      [record?.session_id, record?.method, record?.route, record?.user_agent, record?.actor_ip],
      [null, 'PUT', '/api/v1/signed/{token}', 'curl', '127.0.0.1'],
    )
    assert.deepEqual((await server.records([uploaded('up/a.txt')], () => send(path, 'PUT', {}, 'two'))).status, 200)
    await traceless(async () => {
      await refused(send(path, 'PUT', { 'if-none-match': '*' }, 'three'), 412, 'precondition_failed')
      await refused(send(path, 'PUT', { 'if-match': '"other"' }, 'three'), 412, 'precondition_failed')
      await refused(send(path, 'PUT', { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, 'three'), 400, 'malformed')
    })
    const md5 = 'NbaVtu0//9gQJVvwTQt9pw=='
    assert.ok([200, 400].includes((await send(path, 'PUT', { 'content-md5': md5 }, 'three')).status))
    const stored = await server.records([uploaded('up/a.txt')], () =>
      send(path, 'PUT', { expect: '100-continue', 'content-length': '4' }, 'four'),
    )
    assert.deepEqual([stored.status, stored.json().size], [200, 4])
    const chunked = await send(path, 'PUT', { 'transfer-encoding': 'chunked' }, 'fifth')
    assert.deepEqual([chunked.status, chunked.json().size], [200, 5])
    assert.equal(await (await admin.getObject({ params: { ...params, key: 'up/a.txt' } })).text(), 'fifth')
  })

  itOnce('is for one method on one key and nothing else', async () => {
    await put('mine', 'x')
    const [get, upload] = [await presign({ key: 'mine' }), await presign({ key: 'mine', method: 'PUT' })]
    await traceless(async () => {
      assert.match(await refused(send(get, 'PUT', {}, 'y'), 403, 'forbidden'), /GET only/)
      assert.match(await refused(send(upload), 403, 'forbidden'), /PUT only/)
      assert.equal((await send(upload, 'HEAD')).status, 403)
      for (const path of [get, upload])
        for (const method of ['POST', 'DELETE', 'PATCH'])
          await refused(send(path, method, {}, ''), 405, 'method_not_allowed')
      for (const query of ['?key=other', '?download=1', '?a', '?method=PUT']) {
        await refused(send(get + query), 422, 'invalid_request')
        await refused(send(upload + query, 'PUT', {}, 'y'), 422, 'invalid_request')
      }
      await refused(send(`${upload}/other`), 403, 'forbidden')
      await refused(send(`${get}/`), 422, 'invalid_request')
      for (const path of [`${get}/other/more`, `${get}%2Fother`, '/api/v1/signed/', '/api/v1/signed'])
        assert.ok([403, 404].includes((await send(path)).status), path)
      // The token is no credential.
      const token = get.slice('/api/v1/signed/'.length)
      const bearer = { authorization: `Bearer ${token}` }
      await refused(send(`/api/v1/buckets/${bucket}/objects/mine`, 'GET', bearer), 401)
    })
  })

  itOnce('is rejected if any part of it was changed', async () => {
    await put('sealed', 'x')
    const path = await presign({ key: 'sealed' })
    const token = path.slice('/api/v1/signed/'.length)
    const [kid = '', body = '', signature = ''] = token.split('.')
    const config = readConfig(server.env)
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const encoded = (change: object) => Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')
    const flip = (text: string, at: number) => {
      const other = text[at] === 'A' ? 'B' : 'A'
      return text.slice(0, at) + other + text.slice(at + 1)
    }
    const elsewhere = { ...config, secretKey: 'another secret key that is long enough' }
    const upload = await admin.initUpload({ params, body: { key: 'sealed', file_size: 1 } })
    const part = new URL(upload.urls[0] ?? '').pathname
    const bad = [
      ...[0, 3, 7].map((at) => [flip(kid, at), body, signature].join('.')),
      ...[0, 20, body.length - 1].map((at) => [kid, flip(body, at), signature].join('.')),
      ...[0, 20, signature.length - 2].map((at) => [kid, body, flip(signature, at)].join('.')),
      // The last character of 32 bytes has two bits that say nothing.
      `${kid}.${body}.${signature.slice(0, -1)}${String.fromCharCode(signature.charCodeAt(42) + 1)}`,
      `${token}.`,
      `${token}.x`,
      `${token}=`,
      `.${token}`,
      `${kid}.${body}`,
      `${kid}.${body}.`,
      `.${body}.${signature}`,
      `${kid}..${signature}`,
      '..',
      '...',
      'x',

      '%F0%9F%98%80',
      token.toUpperCase(),
      `${token} `.replace(' ', '%20'),
      ...[{ key: 'other' }, { until: claims.until + 1 }, { method: 'PUT' }, { bucket: 'other' }, { user: '' }].map(
        (change) => [kid, encoded(change), signature].join('.'),
      ),
      `${kid}.${body}.${'A'.repeat(43)}`,
      signClaims(config, 'upload-part', claims),
      signClaims(config, '', claims),
      signClaims(elsewhere, 'presigned-url', claims),
      [kid, ...signClaims(elsewhere, 'presigned-url', claims).split('.').slice(1)].join('.'),
      part.slice('/api/v1/parts/'.length),
    ]
    const before = await dump(server.database, engine)
    await traceless(async () => {
      for (const one of bad) {
        if (one === token) continue
        await refused(send(`/api/v1/signed/${one}`), 403, 'forbidden')
        await refused(send(`/api/v1/signed/${one}`, 'PUT', {}, 'y'), 403, 'forbidden')
      }
      await refused(send(`/api/v1/parts/${token}`, 'PUT', {}, 'y'), 403, 'forbidden')
      // No text of a token, or longer than any that we sign.
      assert.equal((await send('/api/v1/signed/%00')).status, 422)
      const { status } = await send(`/api/v1/signed/${'x'.repeat(15_000)}`)
      assert.ok(status >= 400 && status < 500, `${status}`)
    })
    assert.equal(await dump(server.database, engine), before, 'whoever has no URL writes nothing at all')
    assert.equal((await send(path)).status, 200)
  })

  itOnce('takes seven days at most and a second at least', async () => {
    await put('brief', 'x')
    const seconds = async (expires_in: Presign['expires_in']) => {
      const { expires_at } = await admin.presignObject({
        params,
        body: { key: 'brief', ...(expires_in === undefined ? {} : { expires_in }) },
      })
      return (Date.parse(expires_at) - server.clock.now().getTime()) / SECOND
    }
    for (const [given, expected] of [
      [undefined, 3600],
      [1, 1],
      ['1s', 1],
      ['15m', 900],
      ['12h', 43_200],
      ['7d', 604_800],
      ['1w', 604_800],
      ['168h', 604_800],
      ['10080m', 604_800],
      [604_800, 604_800],
    ] as const)
      assert.equal(await seconds(given), expected, String(given))
    await server.records([], async () => {
      const bad = [
        0,
        -1,
        1.5,
        604_801,
        '0s',
        '0',
        '',
        '60',
        '-1h',
        '1.5h',
        '1h ',
        '01h',
        '1H',
        '1y',
        'never',
        '604801s',
      ]
      for (const one of [...bad, '8d', '2w', '10081m', '99999999w', '100000000s', true, null, [], '1h1m'])
        await rejectsWith(seconds(one as string), 'invalid_request', 'body.expires_in')
      const key = 'brief'
      for (const [path, body] of [
        ['body.key', {}],
        ['body.key', { key: '' }],
        ['body.method', { key, method: 'DELETE' }],
        ['body.method', { key, method: 'HEAD' }],
        ['body.max_bytes', { key, max_bytes: -1 }],
        ['body.max_bytes', { key, max_bytes: 1.5 }],
        ['body.filename', { key, filename: '' }],
        ['body.filename', { key, filename: 'x'.repeat(256) }],
        ['body.user', { key, user: 'someone' }],
      ] as const)
        await rejectsWith(admin.presignObject({ params, body: body as Presign }), 'invalid_request', path)
    })
    const path = await presign({ key: 'brief', expires_in: '1s' })
    assert.equal((await send(path)).status, 200)
    server.clock.advance(SECOND)
    await refused(send(path), 403)
  })

  itOnce('takes only the content type and no more bytes than it says', async () => {
    const typed = await presign({ key: 'typed', method: 'PUT', content_type: 'image/png', max_bytes: 5 })
    const png = { 'content-type': 'image/png' }
    const chunked = { ...png, 'transfer-encoding': 'chunked' }
    await traceless(async () => {
      for (const type of ['image/jpeg', 'image/png; a=b', 'IMAGE/PNG', ''])
        await refused(send(typed, 'PUT', { 'content-type': type }, 'x'), 415, 'unsupported_media_type')
      await refused(send(typed, 'PUT', {}, 'x'), 415, 'unsupported_media_type')
      assert.match(await refused(send(typed, 'PUT', png, '123456'), 413, 'too_large'), /5 bytes/)
      await refused(send(typed, 'PUT', chunked, '123456'), 413, 'too_large')
      await refused(send(typed, 'PUT', chunked, 'x'.repeat(3_000_000)), 413, 'too_large')
      await refused(send(typed, 'PUT', { ...png, expect: '100-continue', 'content-length': '6' }, '123456'), 413)
    })
    for (const headers of [png, chunked]) {
      const answer = await send(typed, 'PUT', headers, '12345')
      assert.deepEqual([answer.json().size, answer.json().content_type], [5, 'image/png'])
    }
    const empty = await presign({ key: 'empty', method: 'PUT', max_bytes: 0 })
    await traceless(() => refused(send(empty, 'PUT', { 'transfer-encoding': 'chunked' }, 'x'), 413, 'too_large'))
    assert.equal((await send(empty, 'PUT', { 'content-length': '0' })).status, 201)
    // Without a word on it the type goes by the key.
    const free = await presign({ key: 'free.html', method: 'PUT' })
    assert.equal((await send(free, 'PUT', {}, 'x')).json().content_type, 'text/html')
  })

  it('obeys the quota to the byte', async () => {
    await admin.createBucket({ body: { name: 'tight', quota_gb: 10 / 1024 ** 3 } })
    const { url } = await admin.presignObject({ params: { bucket: 'tight' }, body: { key: 'a', method: 'PUT' } })
    const path = new URL(url).pathname
    await traceless(async () => {
      await refused(send(path, 'PUT', {}, '12345678901'), 413, 'quota_exceeded')
      await refused(send(path, 'PUT', { 'transfer-encoding': 'chunked' }, '12345678901'), 413, 'quota_exceeded')
    })
    assert.equal((await send(path, 'PUT', {}, '1234567890')).status, 201)
    const { used_bytes } = await admin.getBucket({ params: { bucket: 'tight' } })
    assert.equal(used_bytes, 10)
  })

  itOnce('names the download as it was told, whatever the name', async () => {
    await put('n/page.html', '<script>', { 'content-type': 'text/html' })
    await put('n/picture.png', 'x', { 'content-type': 'image/png' })
    const disposition = async (body: Presign) => {
      const { status, headers } = await send(await presign(body))
      assert.equal(status, 200)
      assert.equal(headers['set-cookie'], undefined)
      return String(headers['content-disposition'])
    }
    assert.equal(await disposition({ key: 'n/picture.png' }), 'inline; filename=picture.png')
    assert.equal(await disposition({ key: 'n/picture.png', download: true }), 'attachment; filename=picture.png')
    assert.equal(await disposition({ key: 'n/picture.png', download: false }), 'inline; filename=picture.png')
    assert.equal(await disposition({ key: 'n/page.html' }), 'attachment; filename=page.html')
    assert.equal(await disposition({ key: 'n/page.html', filename: 'x.png' }), 'attachment; filename=x.png')
    assert.match(
      await disposition({ key: 'n/picture.png', filename: 'Bär 漢😀.png' }),
      /filename\*=UTF-8''B%C3%A4r%20%E6%BC%A2%F0%9F%98%80\.png/,
    )
    for (const filename of ['a"b\\c.png', '../../etc/passwd', ';', '\u00a0x ', 'x'.repeat(255), '漢'.repeat(255)])
      assert.match(await disposition({ key: 'n/picture.png', filename, download: true }), /^attachment; filename/)
    for (const filename of ['a\r\nSet-Cookie: x=y', '\u0001\u007f', ' '])
      await assert.rejects(presign({ key: 'n/picture.png', filename }), /422 .*body\.filename/)
  })

  it('works for every key', async () => {
    const keys = ['ä/漢 😀', '..', '../../x', '//', '/', 'trailing/', '%2F', 'a?b#c', 'a\r\nb', '漢'.repeat(341)]
    for (const key of [...keys, '"'.repeat(1024), '\u0001'.repeat(1024)]) {
      const upload = await presign({ key, method: 'PUT', max_bytes: 5000 })
      const answer = await server.records([uploaded(key)], () => send(upload, 'PUT', {}, `body of ${key}`))
      assert.deepEqual([answer.status, answer.json().key], [201, key])
      const path = await presign({ key, filename: `${'"'.repeat(254)}x` })
      assert.equal((await send(path)).body.toString(), `body of ${key}`)
    }
  })

  itOnce('requires the permission that it passes on, and reveals nothing about buckets', async () => {
    await put('asked', 'x')
    const reader = (await person('read', 'list', 'delete', 'share')).client
    const writer = (await person('write', 'list', 'delete', 'share')).client
    assert.equal((await send(await presign({ key: 'asked' }, reader))).status, 200)
    assert.equal((await send(await presign({ key: 'asked', method: 'PUT' }, writer), 'PUT', {}, 'x')).status, 200)
    const ask = (client: Client, body: Presign, name = bucket) =>
      client.presignObject({ params: { bucket: name }, body })
    await server.records([denied, denied, denied, denied], async () => {
      const put = await rejectsWith(ask(reader, { key: 'asked', method: 'PUT' }), 'forbidden')
      assert.equal(put.problem.detail, `You need the "write" permission on key "asked" of bucket "${bucket}".`)
      const get = await rejectsWith(ask(writer, { key: 'asked' }), 'forbidden')
      assert.equal(get.problem.detail, `You need the "read" permission on key "asked" of bucket "${bucket}".`)
      const there = await rejectsWith(ask(reader, { key: 'a' }, 'tight'), 'forbidden')
      const absent = await rejectsWith(ask(reader, { key: 'a' }, 'loose'), 'forbidden')
      assert.equal(there.problem.detail, absent.problem.detail.replace('loose', 'tight'))
    })
    await rejectsWith(ask(server.as(), { key: 'asked' }), 'unauthenticated')
    // What is not there yet may be signed; it is asked when it is used.
    await refused(send(await presign({ key: 'absent' }, reader)), 404, 'not_found')
  })

  itOnce('ends with the signer’s permission, account or token', async () => {
    await put('ends', 'x')
    const both = async (client: Client) => {
      const paths = [await presign({ key: 'ends' }, client), await presign({ key: 'ends', method: 'PUT' }, client)]
      const use = () => Promise.all([send(paths[0] ?? ''), send(paths[1] ?? '', 'PUT', {}, 'y')])
      return async (...expected: number[]) => {
        const before = [server.files().length, (await allActions(server.database)).length]
        assert.deepEqual(
          (await use()).map(({ status }) => status),
          expected,
        )
        if (expected[1] === 403)
          assert.deepEqual([server.files().length, (await allActions(server.database)).length], before)
      }
    }
    const grants = (id: string, ...actions: Right[]) =>
      admin.updateGroup({ params: { id }, body: { grants: [{ bucket_pattern: bucket, prefix: '', actions }] } })
    const one = await person('read', 'write')
    const uses = await both(one.client)
    await uses(200, 200)
    await grants(one.group, 'read')
    await uses(200, 403)
    await grants(one.group, 'write', 'list')
    await uses(403, 200)
    await grants(one.group, 'read', 'write')
    await uses(200, 200)
    await admin.updateUser({ params: { id: one.id }, body: { is_active: false } })
    await uses(403, 403)
    await admin.updateUser({ params: { id: one.id }, body: { is_active: true } })
    await uses(200, 200)
    await admin.deleteUser({ params: { id: one.id } })
    await uses(403, 403)

    const two = await person('read', 'write')
    const made = await two.client.createToken({ body: { name: 'signer', expires_in: 60 } })
    server.secrets.add(made.token)
    const other = await two.client.createToken({ body: { name: 'other' } })
    server.secrets.add(other.token)
    const [byToken, byOther, bySession] = [
      await both(server.as(made.token)),
      await both(server.as(other.token)),
      await both(two.client),
    ]
    await byToken(200, 200)
    server.clock.advance(60 * SECOND)
    await byToken(403, 403)
    await byOther(200, 200)
    await two.client.revokeToken({ params: { id: other.id } })
    await byOther(403, 403)
    await bySession(200, 200)
  })

  it('serves an object as the one image that was signed, and nothing else of it', async () => {
    const source = await quarters(120, 80).png().toBuffer()
    await admin.putObjectByQuery({ params, query: { key: 'wide.png' }, body: new Uint8Array(source) })
    const asked = { w: 60, format: 'webp', q: 70, enlarge: '0' } as const
    const path = await presign({ key: 'wide.png', image: asked })
    const answer = await send(path)
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'image/webp'])
    const { format, width, height } = await headerOf(answer.body)
    assert.deepEqual([format, width, height], ['webp', 60, 40])
    assert.match(String(answer.headers['content-disposition']), /^inline; filename="?wide\.webp/)
    const { etag = '' } = answer.headers
    assert.equal((await send(path, 'GET', { 'if-none-match': etag })).status, 304)
    assert.equal((await send(path, 'HEAD')).status, 200)
    await refused(send(`${path}?w=120`), 422)
    const saved = await send(
      await presign({ key: 'wide.png', image: { w: 10 }, download: true, filename: 'small.png' }),
    )
    assert.equal(saved.headers['content-disposition'], 'attachment; filename=small.png')

    await put('words', 'no picture')
    await refused(send(await presign({ key: 'words', image: { w: 10 } })), 415)
    await rejectsWith(admin.presignObject({ params, body: { key: 'x', image: { fit: 'cover' } } }), 'invalid_request')
    for (const [body, at] of [
      [{ key: 'x', image: {} }, 'body.image'],
      [{ key: 'x', method: 'PUT', image: { w: 1 } }, 'body.image'],
      [{ key: 'x', image: { w: 0 } }, 'body.image.w'],
    ] as const)
      await rejectsWith(admin.presignObject({ params, body }), 'invalid_request', at)
    const reader = await person('read')
    const theirs = await presign({ key: 'wide.png', image: asked }, reader.client)
    assert.equal((await send(theirs)).status, 200)
    await admin.updateGroup({ params: { id: reader.group }, body: { grants: [] } })
    await refused(send(theirs), 403)
  })

  itOnce('stays valid while the secret it was signed with is a previous one', async () => {
    await put('rotated', 'x')
    const path = await presign({ key: 'rotated', expires_in: '7d' })
    const { PORT: _port, ...env } = server.env
    const secret = 'the next secret key of tests, long enough'
    const old = server.env.SECRET_KEY ?? ''
    server.secrets.add(secret)
    for (const [previous, status] of [
      [{ SECRET_KEY_PREVIOUS: old }, 200],
      [{ SECRET_KEY_PREVIOUS: `an older one that nobody knows by now,${old}` }, 200],
      [{}, 403],
    ] as const) {
      const config = readConfig({ ...env, SECRET_KEY: secret, ...previous, PORT: '0', LOG_LEVEL: 'silent' })
      const later = await start(config, { now: server.clock.now, timers: false })
      try {
        assert.equal((await request({ url: later.url, path })).status, status)
      } finally {
        await later.stop()
      }
    }
    server.clock.advance(7 * DAY)
    await refused(send(path), 403)
    await server.later(0)
  })
})
