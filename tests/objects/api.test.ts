import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
const bucket = 'store'
const upload = (key: string) => [{ action: 'upload' as const, bucket, key }]

describeEngines('objects', (engine, itOnce, itStored) => {
  let server: TestServer
  let admin: Client
  const put = (key: string, body: BodyInit, headers: Record<string, string> = {}) =>
    admin.putObject({ params: { bucket, key }, body, headers })
  const get = (key: string, headers: Record<string, string> = {}) =>
    request({ url: server.url, path: `/api/v1/buckets/${bucket}/objects/${key}`, token: server.adminToken, headers })
  const usage = async () => {
    const { used_bytes, object_count, trash_bytes } = await admin.getBucket({ params: { bucket } })
    return { used_bytes, object_count, trash_bytes }
  }

  before(async () => {
    server = await startServer(engine)
    admin = server.admin
    await admin.createBucket({ body: { name: bucket } })
  })
  after(() => server.stop())

  it('stores, replaces, shows and deletes, and counts every byte', async () => {
    const first = randomBytes(100_000)
    const stored = await server.records(upload('a.png'), () =>
      put('a.png', first, {
        'x-meta-camera': 'Leica',
        'content-md5': createHash('md5').update(first).digest('base64'),
      }),
    )
    assert.equal(stored.etag, md5(first))
    assert.equal(stored.sha256, undefined)
    assert.equal(stored.content_type, 'image/png')
    assert.deepEqual(await usage(), { used_bytes: 100_000, object_count: 1, trash_bytes: 0 })
    server.clock.advance(5000)
    const second = await server.records(upload('a.png'), () => put('a.png', 'short', { 'content-type': 'text/plain' }))
    assert.equal(second.created_at, stored.created_at)
    assert.notEqual(second.last_modified, stored.last_modified)
    assert.deepEqual(await usage(), { used_bytes: 5, object_count: 1, trash_bytes: 100_000 })
    await server.records([], async () => {
      const { status, headers, body } = await get('a.png')
      assert.equal(status, 200)
      assert.equal(body.toString(), 'short')
      assert.equal(headers.etag, `"${md5(Buffer.from('short'))}"`)
      assert.equal(headers['content-type'], 'text/plain')
      assert.equal(headers['cache-control'], 'private, no-cache')
      assert.equal(headers['last-modified'], 'Thu, 01 Jan 2026 00:00:05 GMT')
    })
    await server.records([{ action: 'delete', bucket, key: 'a.png' }], () =>
      admin.deleteObject({ params: { bucket, key: 'a.png' } }),
    )
    assert.deepEqual(await usage(), { used_bytes: 0, object_count: 0, trash_bytes: 100_005 })
    await server.records([], () => rejectsWith(admin.deleteObject({ params: { bucket, key: 'a.png' } }), 'not_found'))
  })

  itOnce('answers 201 for a new key and 200 for a replaced one, with the ETag', async () => {
    const raw = (body: string) =>
      request({
        url: server.url,
        path: `/api/v1/buckets/${bucket}/objects/status`,
        method: 'PUT',
        token: server.adminToken,
        body,
      })
    assert.equal((await raw('1')).status, 201)
    const again = await raw('2')
    assert.equal(again.status, 200)
    assert.equal(again.headers.etag, `"${again.json().etag}"`)
  })

  itOnce('returns metadata unchanged, whatever the names', async () => {
    const title = Buffer.from('Über 漢').toString('latin1')
    const stored = await request({
      url: server.url,
      path: `/api/v1/buckets/${bucket}/objects/meta`,
      method: 'PUT',
      token: server.adminToken,
      headers: { 'x-meta-title': title, 'x-meta-empty': '', 'x-meta-__proto__': 'p', 'x-meta-constructor': 'c' },
      body: 'x',
    })
    assert.deepEqual(
      Object.entries(stored.json<{ metadata: object }>().metadata).toSorted(),
      Object.entries(JSON.parse('{"__proto__":"p","constructor":"c","empty":"","title":"Über 漢"}')),
    )
    const { headers } = await get('meta')
    assert.equal(Buffer.from(String(headers['x-meta-title']), 'latin1').toString(), 'Über 漢')
    assert.deepEqual(
      [headers['x-meta-empty'], headers['x-meta-constructor'], Object.entries(headers).length],
      ['', 'c', Object.entries((await get('status')).headers).length + 4],
    )
    await put('meta', 'y')
    assert.equal((await get('meta')).headers['x-meta-title'], undefined)
    await server.records([], () =>
      rejectsWith(put('meta2', 'x', { 'x-meta-big': 'x'.repeat(9000) }), 'invalid_request'),
    )
  })

  it('keeps headers and tags through overwriting, restoring, copying, moving and changes', async () => {
    const headers = {
      'cache-control': 'public, max-age=600',
      'content-disposition': 'inline; filename="näme.txt"',
      'content-encoding': 'gzip',
      'content-language': 'de',
      expires: 'Thu, 01 Jan 2099 00:00:00 GMT',
    }
    const latin1 = (text: string) => Buffer.from(text).toString('latin1')
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, latin1(value)]))
    const tags = { project: 'apollo & co', größe: '' }
    const stored = await put('described.txt', 'zipped', { ...sent, 'x-tags': new URLSearchParams(tags).toString() })
    assert.deepEqual([stored.headers, stored.tags], [headers, tags])
    const params = { bucket }
    const plain = await put('described.txt', 'plain')
    assert.deepEqual([plain.headers, plain.tags], [undefined, undefined])
    const [item] = (await admin.listTrash({ params, query: { prefix: 'described.txt' } })).items
    const restored = await admin.restoreTrash({
      params,
      body: { ids: [item?.id ?? ''], on_conflict: 'keep_both' },
    })
    const [back] = restored.items
    const copy = await admin.copyObject({
      params,
      body: { source_bucket: bucket, source_key: back?.key ?? '', dest_key: 'd/copy' },
    })
    const moved = await admin.moveObject({
      params,
      body: { source_bucket: bucket, source_key: 'd/copy', dest_key: 'd/moved' },
    })
    const listed = (await admin.browse({ params, query: { prefix: 'd/' } })).objects[0]
    for (const one of [back, copy, moved, listed]) assert.deepEqual([one?.headers, one?.tags], [headers, tags])

    const got = await get('d/moved')
    assert.equal(got.body.toString(), 'zipped')
    assert.deepEqual(
      ['cache-control', 'content-encoding', 'content-language', 'expires'].map((name) => got.headers[name]),
      ['private, no-cache', 'gzip', 'de', undefined],
    )
    assert.match(
      got.headers['content-disposition'] ?? '',
      /^inline; filename="n.me\.txt"; filename\*=UTF-8''n%C3%A4me\.txt$/,
    )
    assert.deepEqual(
      [
        (await get('d/moved', { range: 'bytes=0-1' })).status,
        (await get('d/moved', { range: 'bytes=0-1,3-4' })).status,
      ],
      [206, 200],
    )
    const change = { headers: { 'cache-control': 'no-store', 'content-disposition': 'attachment' }, tags: {} }
    const content_type = 'text/plain;charset=UTF-8'
    const before = { content_type, headers, metadata: {}, tags }
    const after = { content_type, headers: change.headers, metadata: {} }
    await server.records([{ action: 'update_object', bucket, key: 'd/moved' }], () =>
      admin.updateObject({ params: { bucket, key: 'd/moved' }, body: change }),
    )
    const [audited] = (await admin.listAudit({ query: { action: ['update_object'] } })).items
    assert.deepEqual(audited?.details, { before, after })
    const now = await get('d/moved')
    assert.deepEqual(
      [now.headers['cache-control'], now.headers['content-encoding'], now.headers['content-disposition']],
      ['no-store', undefined, 'attachment; filename=moved'],
    )
  })

  itOnce('never shows what could run as a page because its Content-Disposition says so', async () => {
    await put('page.html', '<script>', {
      'content-type': 'text/html',
      'content-disposition': 'inline; filename="x.png"',
    })
    assert.equal((await get('page.html')).headers['content-disposition'], 'attachment; filename=x.png')
    await put('odd.png', 'x', { 'content-type': 'image/png', 'content-disposition': 'what; ever; "' })
    assert.equal((await get('odd.png')).headers['content-disposition'], 'inline; filename=odd.png')
  })

  itOnce('refuses tags that are too many, too long or named twice, and headers that are too long', async () => {
    const many = Array.from({ length: 11 }, (_, i) => `t${i}=`).join('&')
    for (const tags of [many, 'a=1&a=2', '=x', `${'n'.repeat(129)}=x`, `n=${'v'.repeat(257)}`, 'n=%00'])
      await server.records([], () => rejectsWith(put('refused', 'x', { 'x-tags': tags }), 'invalid_request'))
    await rejectsWith(put('refused', 'x', { 'cache-control': 'x'.repeat(1025) }), 'invalid_request')
    await put('most', 'x', { 'x-tags': `${'n'.repeat(128)}=${'v'.repeat(256)}` })
  })

  itOnce('takes the content type that is given, else that of the extension, else the default', async () => {
    const cases: [string, string | undefined, string][] = [
      ['t/a.png', 'text/x-own; charset=utf-8', 'text/x-own; charset=utf-8'],
      ['t/a.png', undefined, 'image/png'],
      ['t/A.PNG', undefined, 'image/png'],
      ['t/a.tar.gz', undefined, 'application/gzip'],
      ['t/a.png/b', undefined, 'application/octet-stream'],
      ['t/a.png/', undefined, 'application/octet-stream'],
      ['t/unknown.xyzzy', undefined, 'application/octet-stream'],
      ['html', undefined, 'application/octet-stream'],
      ['t/.png', undefined, 'application/octet-stream'],
      ['t/dot.', undefined, 'application/octet-stream'],
    ]
    for (const [key, given, expected] of cases) {
      const headers: Record<string, string> = given === undefined ? {} : { 'content-type': given }
      const stored = await put(key, Buffer.from('x'), headers)
      assert.equal(stored.content_type, expected, key)
      assert.equal((await get(key)).headers['content-type'], expected, key)
    }
  })

  it('stores and serves an object of no bytes', async () => {
    const before = await usage()
    const stored = await server.records(upload('zero'), () => put('zero', ''))
    assert.deepEqual([stored.size, stored.etag], [0, md5(Buffer.alloc(0))])
    assert.deepEqual(await usage(), { ...before, object_count: (before.object_count ?? 0) + 1 })
    const cases: [string | undefined, number][] = [
      [undefined, 200],
      ['bytes=0-', 416],
      ['bytes=0-0', 416],
      ['bytes=-0', 416],
      ['bytes=-5', 200],
    ]
    for (const [range, status] of cases) {
      const answer = await get('zero', range === undefined ? {} : { range })
      assert.equal(answer.status, status, range)
      if (status === 200) assert.deepEqual([answer.body.length, answer.headers['content-length']], [0, '0'])
      else assert.equal(answer.headers['content-range'], 'bytes */0')
    }
  })

  itOnce('has a variant of every path with the key in the query', async () => {
    const path = (more = '') => `/api/v1/buckets/${bucket}/object?key=${encodeURIComponent('twin/../a b')}${more}`
    const send = (method: string, more = '', headers: Record<string, string> = {}, body?: string) =>
      request({ url: server.url, path: path(more), method, token: server.adminToken, headers, body })
    const key = 'twin/../a b'
    await server.records([{ action: 'upload', bucket, key }], async () => {
      assert.equal((await send('PUT', '', { 'if-none-match': '*' }, '0123456789')).status, 201)
      assert.equal((await send('PUT', '', { 'if-none-match': '*' }, 'other')).status, 412)
    })
    const part = await send('GET', '&download=1', { range: 'bytes=2-3' })
    assert.deepEqual([part.status, part.body.toString()], [206, '23'])
    assert.match(String(part.headers['content-disposition']), /^attachment; filename="a b"$/)
    const head = await send('HEAD')
    assert.deepEqual([head.status, head.headers['content-length']], [200, '10'])
    assert.equal((await send('GET', '', { 'if-none-match': String(head.headers.etag) })).status, 304)
    await server.records([], async () => {
      assert.equal((await send('DELETE', '', { 'if-match': '"other"' })).status, 412)
      assert.equal((await send('GET', '&download=2')).status, 422)
      assert.equal((await send('DELETE', '&permanent=yes')).status, 422)
      assert.equal((await send('GET', '&key=b')).status, 422)
    })
    await server.records([{ action: 'delete', bucket, key }], async () => {
      assert.equal((await send('DELETE', '', { 'if-match': String(head.headers.etag) })).status, 204)
    })
    assert.equal((await send('GET')).status, 404)
  })

  itOnce('refuses a piece of a body, which would replace all of the object', async () => {
    const kept = await put('in-pieces', 'the whole body')
    const before = await usage()
    await server.records([], () =>
      rejectsWith(put('in-pieces', 'body', { 'content-range': 'bytes 10-13/14' }), 'malformed', 'header.content-range'),
    )
    assert.deepEqual(await usage(), before)
    assert.equal((await get('in-pieces')).headers.etag, `"${kept.etag}"`)
    await server.admin.deleteObject({ params: { bucket, key: 'in-pieces' } })
  })

  itStored('refuses a body that is not what Content-MD5 says, and keeps nothing of it', async () => {
    const before = await usage()
    const files = await server.stored()
    await server.records([], async () => {
      await rejectsWith(
        put('wrong', 'body', { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }),
        'malformed',
        'header.content-md5',
      )
      await rejectsWith(put('wrong', 'body', { 'content-md5': 'nonsense' }), 'malformed', 'header.content-md5')
    })
    assert.deepEqual(await usage(), before)
    assert.deepEqual(await server.stored(), files)
    await rejectsWith(admin.getObject({ params: { bucket, key: 'wrong' } }), 'not_found')
  })

  it('computes and compares a checksum, keeps it with every copy, and nothing of a body that differs', async () => {
    const params = { bucket }
    for (const body of [Buffer.from('123456789'), randomBytes(100_000)])
      for (const algorithm of ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const) {
        const header = `x-checksum-${algorithm}`
        const asked = await put('summed', body, { 'x-checksum-algorithm': algorithm })
        const value = asked.checksums?.[0]?.value ?? ''
        const checksums = [{ algorithm, type: 'full_object', value }]
        assert.deepEqual(asked.checksums, checksums)
        if (body.length === 9 && algorithm === 'crc64nvme') assert.equal(value, 'rosUhgp5mIg=')
        if (algorithm === 'sha256') assert.equal(asked.sha256, createHash('sha256').update(body).digest('hex'))
        assert.deepEqual((await put('summed', body, { [header]: value })).checksums, checksums)
        const copy = { source_bucket: bucket, source_key: 'summed', dest_key: `summed/${algorithm}` }
        assert.deepEqual((await admin.copyObject({ params, body: copy })).checksums, checksums)
        assert.equal((await get(copy.dest_key)).headers[header], value)
        assert.equal((await get(copy.dest_key, { range: 'bytes=0-3' })).headers[header], undefined)
        const before = await usage()
        const wrong = `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`
        await server.records([], async () => {
          await rejectsWith(put('summed', body, { [header]: wrong }), 'malformed', `header.${header}`)
          await rejectsWith(put('summed', body, { [header]: 'AAA=' }), 'malformed', `header.${header}`)
        })
        assert.deepEqual(await usage(), before)
      }
    await rejectsWith(put('summed', 'x', { 'x-checksum-algorithm': 'md4' }), 'malformed')
    await rejectsWith(put('summed', 'x', { 'x-checksum-crc32': 'AAAAAA==', 'x-checksum-sha1': 'x' }), 'malformed')
    assert.equal((await put('summed', 'x')).checksums, undefined)
  })

  it('decides If-None-Match and If-Match when it stores', async () => {
    const { etag } = await put('cond', 'one', { 'if-none-match': '*' })
    await server.records([], async () => {
      await rejectsWith(put('cond', 'two', { 'if-none-match': '*' }), 'precondition_failed')
      await rejectsWith(put('cond', 'two', { 'if-match': '"other"' }), 'precondition_failed')
      await rejectsWith(put('absent', 'two', { 'if-match': '*' }), 'precondition_failed')
      const deleting = admin.deleteObject({ params: { bucket, key: 'cond' }, headers: { 'if-match': '"other"' } })
      await rejectsWith(deleting, 'precondition_failed')
      // RFC 9110 section 13.1.1: If-Match compares strongly, If-None-Match weakly.
      await rejectsWith(put('cond', 'two', { 'if-match': `W/"${etag}"` }), 'precondition_failed')
      await rejectsWith(put('cond', 'two', { 'if-none-match': `"x", W/"${etag}"` }), 'precondition_failed')
    })
    await server.records(upload('cond'), () => put('cond', 'one', { 'if-none-match': '"x"' }))
    await server.records(upload('cond'), () => put('cond', 'two', { 'if-match': `"x", "${etag}"` }))
    await server.records([{ action: 'delete', bucket, key: 'cond' }], () =>
      admin.deleteObject({ params: { bucket, key: 'cond' }, headers: { 'if-match': '*' } }),
    )
    await rejectsWith(admin.getObject({ params: { bucket, key: 'absent' } }), 'not_found')
  })

  it('lets one of eight racing creators win, every time', async () => {
    for (let round = 0; round < 5; round++) {
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) => put(`race-${round}`, `body ${i}`, { 'if-none-match': '*' })),
      )
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    }
  })

  itOnce('answers conditional reads as RFC 9110 section 13 says', async () => {
    const { etag } = await put('read', '0123456789')
    const modified = (await get('read')).headers['last-modified'] ?? ''
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString()
    const cases: [Record<string, string>, number][] = [
      [{ 'if-none-match': `"${etag}"` }, 304],
      [{ 'if-none-match': `W/"${etag}"` }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"other", "more"' }, 200],
      [{ 'if-none-match': '"other"', 'if-modified-since': modified }, 200],
      [{ 'if-modified-since': modified }, 304],
      [{ 'if-modified-since': earlier }, 200],
      [{ 'if-modified-since': 'nonsense' }, 200],
      [{ 'if-match': `"${etag}"` }, 200],
      [{ 'if-match': '"other"' }, 412],
      [{ 'if-match': `W/"${etag}"` }, 412],
      [{ 'if-unmodified-since': earlier }, 412],
      [{ 'if-unmodified-since': modified }, 200],
      [{ 'if-match': `"${etag}"`, 'if-unmodified-since': earlier }, 200],
    ]
    for (const [headers, status] of cases) {
      const answer = await get('read', headers)
      assert.equal(answer.status, status, JSON.stringify(headers))
      if (status === 304) assert.equal(answer.body.length, 0)
      if (status !== 412) assert.equal(answer.headers.etag, `"${etag}"`)
    }
  })

  itStored('serves ranges, one and several', async () => {
    const bytes = randomBytes(300_000)
    const { etag } = await put('ranged', bytes)
    const cases: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=-1', 299_999, 299_999],
      ['bytes=100-', 100, 299_999],
      ['bytes=5-70000', 5, 70_000],
      ['bytes=299990-999999', 299_990, 299_999],
      ['bytes=0-9,10-19', 0, 19],
      ['bytes=10-19,0-12', 0, 19],
      ['bytes=-999999', 0, 299_999],
      ['bytes=0-99999999999999999999999', 0, 299_999],
      ['bytes=7-8,300000-', 7, 8],
    ]
    for (const [range, start, end] of cases) {
      const { status, headers, body } = await get('ranged', { range })
      assert.equal(status, 206, range)
      assert.equal(headers['content-range'], `bytes ${start}-${end}/300000`)
      assert.deepEqual(body, bytes.subarray(start, end + 1))
      assert.equal(headers['content-length'], String(end - start + 1))
    }
    const several = await get('ranged', { range: 'bytes=0-4, 100-104, -5' })
    assert.equal(several.status, 206)
    const boundary = /boundary=(\S+)/.exec(String(several.headers['content-type']))?.[1]
    assert.equal(Number(several.headers['content-length']), several.body.length)
    const parts = several.body.toString('latin1').split(`--${boundary}`).slice(1, -1)
    const expected = [bytes.subarray(0, 5), bytes.subarray(100, 105), bytes.subarray(-5)]
    assert.deepEqual(
      parts.map((part) => Buffer.from(part.slice(part.indexOf('\r\n\r\n') + 4, -2), 'latin1')),
      expected,
    )
    assert.deepEqual(
      parts.map((part) => /Content-Range: (.*)\r\n/.exec(part)?.[1]),
      ['bytes 0-4/300000', 'bytes 100-104/300000', 'bytes 299995-299999/300000'],
    )
    const many = Array.from({ length: 33 }, (_, i) => `${i * 2}-${i * 2}`).join()
    assert.equal((await get('ranged', { range: `bytes=${many}` })).status, 200)
    const beyond = await get('ranged', { range: 'bytes=300000-' })
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, 'bytes */300000'])
    assert.equal(beyond.json().code, 'range_not_satisfiable')
    for (const range of ['bytes=-0', 'bytes=300000-400000,-0'])
      assert.equal((await get('ranged', { range })).status, 416, range)
    for (const range of [
      'items=0-1',
      'bytes=a-b',
      'bytes=5-1',
      'bytes=',
      'bytes=-',
      'bytes=1',
      'bytes=0-1,x',
      'bytes=+1-2',
    ])
      assert.equal((await get('ranged', { range })).status, 200, range)
    assert.equal((await get('ranged', { range: 'bytes=0-1', 'if-range': `"${etag}"` })).status, 206)
    const modified = (await get('ranged')).headers['last-modified'] ?? ''
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString()
    for (const [ifRange, status] of [
      ['"other"', 200],
      [`W/"${etag}"`, 200],
      [etag, 200],
      [modified, 206],
      [earlier, 200],
    ] as const)
      assert.equal((await get('ranged', { range: 'bytes=0-1', 'if-range': ifRange })).status, status, ifRange)
    // The range counts only where the conditions let a body be sent.
    assert.equal((await get('ranged', { range: 'bytes=0-1', 'if-none-match': `"${etag}"` })).status, 304)
    assert.equal((await get('ranged', { range: 'bytes=300000-', 'if-match': '"other"' })).status, 412)
  })

  itOnce('answers HEAD with the headers of the download and no body', async () => {
    await put('head', '0123456789')
    const head = await request({
      url: server.url,
      path: `/api/v1/buckets/${bucket}/objects/head`,
      method: 'HEAD',
      token: server.adminToken,
      headers: { range: 'bytes=0-1' },
    })
    const { headers } = await get('head')
    assert.equal(head.status, 200)
    assert.equal(head.body.length, 0)
    for (const name of [
      'content-length',
      'content-type',
      'etag',
      'last-modified',
      'accept-ranges',
      'content-disposition',
    ])
      assert.equal(head.headers[name], headers[name], name)
    const path = `/api/v1/buckets/${bucket}/objects`
    for (const [key, conditions, status] of [
      ['head', { 'if-none-match': headers.etag }, 304],
      ['head', { 'if-modified-since': headers['last-modified'] }, 304],
      ['head', { 'if-match': '"other"' }, 412],
      ['no-head', {}, 404],
    ] as const) {
      const sent = { url: server.url, path: `${path}/${key}`, method: 'HEAD', token: server.adminToken }
      const answer = await request({ ...sent, headers: { ...conditions } })
      assert.deepEqual([answer.status, answer.body.length], [status, 0])
    }
  })

  itOnce("never lets a user's contents run as a page of ours", async () => {
    for (const [key, inline] of Object.entries({
      'x.html': false,
      'x.svg': false,
      'x.xml': false,
      'x.png': true,
      'x.pdf': true,
    })) {
      await put(key, Buffer.from('<script>alert(1)</script>'))
      const { headers } = await get(key)
      assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none'/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
      assert.match(String(headers['content-disposition']), inline ? /^inline/ : /^attachment/)
    }
    assert.match(String((await get('x.png?download=1')).headers['content-disposition']), /^attachment; filename=x.png/)
    await admin.putObject({ params: { bucket, key: 'a/Größe 漢.txt' }, body: 'x' })
    const { headers } = await get(encodeURI('a/Größe 漢.txt'))
    assert.match(String(headers['content-disposition']), /filename\*=UTF-8''Gr%C3%B6%C3%9Fe%20%E6%BC%A2\.txt/)
  })

  it('holds the quota exactly, also when replacing', async () => {
    await admin.createBucket({ body: { name: 'tight', quota_gb: 1000 / 1024 ** 3 } })
    const into = (key: string, size: number) =>
      admin.putObject({ params: { bucket: 'tight', key }, body: Buffer.alloc(size) })
    await into('a', 600)
    const files = await server.stored()
    await server.records([], async () => {
      await rejectsWith(into('b', 401), 'quota_exceeded')
      // Without a Content-Length the bytes are counted as they come.
      const streamed = admin.putObject({
        params: { bucket: 'tight', key: 'b' },
        body: new Blob([Buffer.alloc(401)]).stream(),
      })
      await rejectsWith(streamed, 'quota_exceeded')
    })
    assert.deepEqual(await server.stored(), files)
    await into('b', 400)
    await into('a', 600)
    await into('a', 100)
    await into('c', 500)
    await rejectsWith(into('a', 101), 'quota_exceeded')
    const { used_bytes, object_count } = await admin.getBucket({ params: { bucket: 'tight' } })
    assert.deepEqual([used_bytes, object_count], [1000, 3])
    await admin.updateBucket({ params: { bucket: 'tight' }, body: { quota_gb: 500 / 1024 ** 3 } })
    await into('a', 100)
    await rejectsWith(into('d', 1), 'quota_exceeded')
  })

  itOnce('deletes permanently only with manage', async () => {
    const editor = server.as(
      await server.userWith({ bucket_pattern: bucket, actions: ['list', 'read', 'write', 'delete'] }),
    )
    await put('gone', 'x')
    const params = { bucket, key: 'gone' }
    await server.records([{ action: 'access_denied', result: 'denied' }], () =>
      rejectsWith(editor.deleteObject({ params, query: { permanent: true } }), 'forbidden'),
    )
    const before = await usage()
    await server.records([{ action: 'delete', bucket, key: 'gone' }], () =>
      admin.deleteObject({ params, query: { permanent: true } }),
    )
    assert.equal((await usage()).trash_bytes, before.trash_bytes)
  })

  itOnce('requires a permission on the key for everything, and names it', async () => {
    await put('in/a', 'x')
    await put('out/a', 'x')
    const rights = ['list', 'read', 'write', 'delete'] as const
    const calls = (client: Client, key: string) => ({
      list: () => client.browse({ params: { bucket }, query: { prefix: key } }),
      read: () => client.getObject({ params: { bucket, key } }),
      write: () => client.putObject({ params: { bucket, key }, body: 'y' }),
      delete: () => client.deleteObject({ params: { bucket, key } }),
    })
    for (const missing of rights) {
      const actions = rights.filter((one) => one !== missing)
      const client = server.as(await server.userWith({ bucket_pattern: 's*', prefix: 'in/', actions }))
      await server.records([{ action: 'access_denied', result: 'denied' }], async () => {
        const { problem } = await rejectsWith(calls(client, 'in/a')[missing](), 'forbidden')
        assert.match(problem.detail, new RegExp(`"${missing}".*"in/a".*"${bucket}"`))
      })
      for (const one of actions) await rejectsWith(calls(client, 'out/a')[one](), 'forbidden')
    }
    assert.equal((await get('out/a')).body.toString(), 'x')
    // What may not be seen answers alike, there or not; who may read learns that it is absent.
    const reader = server.as(await server.userWith({ bucket_pattern: bucket, prefix: 'in/', actions: ['read'] }))
    const read = (name: string, key: string) => reader.getObject({ params: { bucket: name, key } })
    const answer = async (name: string, key: string) => {
      const { problem } = await rejectsWith(read(name, key), 'forbidden')
      return { ...problem, request_id: '', detail: problem.detail.replace(name, 'NAME').replace(key, 'KEY') }
    }
    assert.deepEqual(await answer(bucket, 'out/a'), await answer(bucket, 'out/absent'))
    assert.deepEqual(await answer(bucket, 'out/a'), await answer('no-bucket', 'out/absent'))
    await rejectsWith(read(bucket, 'in/absent'), 'not_found')
    await rejectsWith(server.as().getObject({ params: { bucket, key: 'in/a' } }), 'unauthenticated')
    await rejectsWith(admin.getObject({ params: { bucket, key: 'nothing' } }), 'not_found')
    await rejectsWith(admin.getObject({ params: { bucket: 'no-bucket', key: 'nothing' } }), 'not_found')
    await rejectsWith(admin.putObject({ params: { bucket: 'no-bucket', key: 'x' }, body: 'x' }), 'not_found')
  })
})
