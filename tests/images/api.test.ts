import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { type Answer, request } from '../support/http.ts'
import { animatedGif, decode, headerOf, quarters, SVG, seenIn, transparent } from '../support/pictures.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { bucket, etagOf, type Images, problem, type Query, withImages } from './images.ts'

describeEngines('images', (engine, itOnce) => {
  let images: Images
  let server: TestServer
  let put: Images['put']
  let get: Images['get']
  before(async () => {
    images = await withImages(engine)
    ;({ server, put, get } = images)
    await put('dir/beach ä.png', await quarters(120, 80).png().toBuffer())
    await put('large.png', await quarters(1000, 600).png().toBuffer())
    await put('alpha.png', await transparent().png().toBuffer())
    await put('moving.gif', await animatedGif())
  })
  after(() => images.stop())

  it('answers with a smaller image, its headers, and 304 to its tag', async () => {
    const answer = await get('dir/beach ä.png', { w: 60, format: 'webp' })
    assert.equal(answer.status, 200, answer.body.toString())
    const { width, height, format } = await headerOf(answer.body)
    assert.deepEqual([width, height, format], [60, 40, 'webp'])
    assert.deepEqual(await seenIn(answer.body), ['red', 'green', 'blue', 'yellow'])
    const { headers } = answer
    assert.deepEqual(
      [
        'content-type',
        'content-length',
        'cache-control',
        'x-content-type-options',
        'content-security-policy',
        'content-disposition',
        'vary',
      ].map((name) => headers[name]),
      [
        'image/webp',
        String(answer.body.length),
        'private, max-age=300, must-revalidate',
        'nosniff',
        "sandbox; default-src 'none'",
        'inline; filename="beach ?.webp"; filename*=UTF-8\'\'beach%20%C3%A4.webp',
        undefined,
      ],
    )
    assert.match(etagOf(answer), /^"[\w-]{43}"$/)
    for (const tag of [etagOf(answer), `"x", W/${etagOf(answer)}`, '*']) {
      const again = await get('dir/beach ä.png', { w: 60, format: 'webp' }, { headers: { 'if-none-match': tag } })
      assert.deepEqual(
        [again.status, again.body.length, again.headers.etag, again.headers['cache-control']],
        [304, 0, headers.etag, headers['cache-control']],
      )
    }
    const other = await get(
      'dir/beach ä.png',
      { w: 61, format: 'webp' },
      { headers: { 'if-none-match': etagOf(answer) } },
    )
    assert.equal(other.status, 200)
    assert.equal((await get('large.png', { w: 9 }, { headers: { 'if-match': '"x"' } })).status, 412)
  })

  itOnce('answers HEAD without rendering, with the length where it is known', async () => {
    const { renders } = images.status()
    const first = await get('large.png', { w: 77 }, { method: 'HEAD' })
    assert.deepEqual([first.status, first.headers['content-length'], first.body.length], [200, undefined, 0])
    assert.equal(images.status().renders, renders)
    const answer = await get('large.png', { w: 77 })
    assert.equal(answer.headers.etag, first.headers.etag)
    await images.settle()
    const second = await get('large.png', { w: 77 }, { method: 'HEAD' })
    assert.equal(second.headers['content-length'], String(answer.body.length))
    assert.equal(second.headers['content-type'], 'image/png')
    const unchanged = await get(
      'large.png',
      { w: 77 },
      { method: 'HEAD', headers: { 'if-none-match': etagOf(answer) } },
    )
    assert.equal(unchanged.status, 304)
  })

  itOnce('returns the object itself without parameters', async () => {
    const stored = await get('large.png')
    const { body, headers } = await server.admin
      .getObject({ params: { bucket, key: 'large.png' } })
      .then(async (response) => ({ body: Buffer.from(await response.arrayBuffer()), headers: response.headers }))
    assert.ok(stored.body.equals(body))
    assert.equal(stored.headers.etag, headers.get('etag'))
    assert.equal(stored.headers['cache-control'], 'private, max-age=300, must-revalidate')
    for (const query of ['fit=cover', 'dpr=2', 'enlarge=1', 'animated=1'])
      assert.ok((await get('large.png', query)).body.equals(body), query)
    const part = await get('large.png', {}, { headers: { range: 'bytes=0-9' } })
    assert.deepEqual([part.status, part.body.length], [206, 10])
  })

  itOnce('takes the key in the query as well', async () => {
    const byPath = await get('dir/beach ä.png', { w: 60 })
    const query = `key=${encodeURIComponent('dir/beach ä.png')}`
    for (const method of ['GET', 'HEAD']) {
      const twin = await request({
        url: images.url,
        path: `/api/v1/images/${bucket}?${query}&w=60`,
        method,
        token: server.adminToken,
      })
      assert.deepEqual([twin.status, twin.headers.etag], [200, byPath.headers.etag])
    }
    const missing = await request({ url: images.url, path: `/api/v1/images/${bucket}?w=60`, token: server.adminToken })
    assert.deepEqual([missing.status, problem(missing).errors?.[0]?.path], [422, 'query.key'])
    const nothing = await get('not there.png', { w: 60 })
    assert.deepEqual([nothing.status, problem(nothing).code], [404, 'not_found'])
    assert.equal(nothing.headers['cache-control'], 'no-store')
  })

  itOnce('rejects unknown parameters by name', async () => {
    const faulty: [query: string, path: string][] = [
      ...['0', '-1', '4097', '5000', '1.5', 'x', '', '1e9', '99999999999999999999', 'NaN', ' ', 'null'].flatMap(
        (value): [string, string][] => [
          [`w=${encodeURIComponent(value)}`, 'query.w'],
          [`h=${encodeURIComponent(value)}`, 'query.h'],
        ],
      ),
      ...['0', '101', '-1', '1.5', 'best', ''].map((value): [string, string] => [`q=${value}`, 'query.q']),
      ...['0', '0.9', '3.1', '4', 'x', ''].map((value): [string, string] => [`w=10&dpr=${value}`, 'query.dpr']),
      ...['svg', 'gif', 'WEBP', 'Auto', 'tiff', 'heic', ''].map((value): [string, string] => [
        `format=${value}`,
        'query.format',
      ]),
      ...['Cover', 'crop', 'outside', ''].map((value): [string, string] => [`w=10&fit=${value}`, 'query.fit']),
      ...['2', 'true', ''].flatMap((value): [string, string][] => [
        [`w=10&enlarge=${value}`, 'query.enlarge'],
        [`w=10&animated=${value}`, 'query.animated'],
      ]),
      ['width=10', 'query.width'],
      ['w=10&background=red', 'query.background'],
      ['w=10&w=20', 'query.w'],
      ['w=10&w=10', 'query.w'],
      ['format=webp&format=png', 'query.format'],
      ['w[]=10', 'query.w[]'],
    ]
    for (const [query, at] of faulty) {
      const answer = await get('large.png', query)
      assert.equal(answer.status, 422, query)
      const { code, errors = [] } = problem(answer)
      assert.equal(code, 'invalid_request', query)
      assert.ok(
        errors.some(({ path: one }) => one === at || one.startsWith(`${at}.`)),
        `${query}: ${JSON.stringify(errors)}`,
      )
      assert.equal(answer.headers['cache-control'], 'no-store')
    }
    for (const query of ['w=1', 'h=4096', 'w=4096&h=1', 'q=1', 'w=10&q=100', 'w=10&dpr=1.5', 'w=10&dpr=3'])
      assert.equal((await get('large.png', query)).status, 200, query)
  })

  itOnce('uses one cache entry for equivalent requests', async () => {
    const same = async (...queries: Query[]) => {
      const tags = new Set<string>()
      for (const query of queries) tags.add(etagOf(await get('large.png', query)))
      assert.equal(tags.size, 1, JSON.stringify(queries))
    }
    await same({ w: 2000 }, { w: 4096 }, { h: 4096 }, { w: 1000 }, { w: 1000, h: 600 }, { format: 'png' }, { q: 10 })
    await same({ w: 50 }, { w: 50, fit: 'inside' }, { w: 50, fit: 'cover' }, { h: 30 }, { w: 25, dpr: 2 })
    await same({ w: 50, format: 'jpg' }, { w: 50, format: 'jpeg' }, { w: 50, format: 'jpeg', q: 80 })
    await same({ w: 2000, h: 2000, fit: 'cover' }, { w: 600, h: 600, fit: 'cover' })
    const tags = new Set<string>()
    for (const query of ['w=50', 'w=51', 'w=50&format=webp', 'w=50&format=webp&q=81'])
      tags.add(etagOf(await get('large.png', query)))
    assert.equal(tags.size, 4)
  })

  itOnce('fits pictures into boxes', async () => {
    const look = async (query: Query) => {
      const { body } = await get('large.png', query)
      const { width, height, at, colourAt } = await decode(body)
      return { size: [width, height], body, at, colourAt }
    }
    for (const fit of ['contain', 'inside']) {
      const { size, body } = await look({ w: 100, h: 100, fit })
      assert.deepEqual(size, [100, 60])
      assert.deepEqual(await seenIn(body), ['red', 'green', 'blue', 'yellow'])
    }
    const cover = await look({ w: 60, h: 60, fit: 'cover' })
    assert.deepEqual(cover.size, [60, 60])
    assert.deepEqual(
      [cover.colourAt(0, 0), cover.colourAt(1, 0), cover.colourAt(0, 1), cover.colourAt(1, 1)],
      ['red', 'green', 'blue', 'yellow'],
    )
    const fill = await look({ w: 50, h: 200, fit: 'fill' })
    assert.deepEqual(fill.size, [50, 200])
    assert.deepEqual(await seenIn(fill.body), ['red', 'green', 'blue', 'yellow'])
    const pad = await look({ w: 100, h: 100, fit: 'pad' })
    assert.deepEqual([pad.size, pad.at(50, 5)[3], pad.at(50, 95)[3]], [[100, 100], 0, 0])
    assert.deepEqual([pad.colourAt(0.25, 0.4), pad.colourAt(0.75, 0.6)], ['red', 'yellow'])
    const white = await look({ w: 100, h: 100, fit: 'pad', format: 'jpeg' })
    assert.deepEqual([white.at(50, 3), white.colourAt(0.25, 0.4)], [[255, 255, 255, 255], 'red'])
    // A crop of a wide picture shows its middle: this one's sides are cropped.
    const narrow = await look({ w: 20, h: 200, fit: 'cover' })
    assert.deepEqual(narrow.size, [20, 200])
    assert.deepEqual([narrow.colourAt(0, 0), narrow.colourAt(1, 1)], ['red', 'yellow'])
  })

  itOnce('enlarges only when told to', async () => {
    const size = async (key: string, query: Query) => {
      const answer = await get(key, query)
      assert.equal(answer.status, 200, `${JSON.stringify(query)} ${answer.body}`)
      const { width, height } = await headerOf(answer.body)
      return [width, height]
    }
    const small = 'dir/beach ä.png'
    assert.deepEqual(await size(small, { w: 400 }), [120, 80])
    assert.deepEqual(await size(small, { w: 400, h: 300, fit: 'cover' }), [107, 80])
    assert.deepEqual(await size(small, { w: 400, h: 300, fit: 'fill' }), [120, 80])
    assert.deepEqual(await size(small, { w: 400, h: 400, fit: 'pad' }), [120, 120])
    assert.deepEqual(await size(small, { w: 400, enlarge: 1 }), [400, 267])
    assert.deepEqual(await size(small, { w: 400, h: 400, fit: 'cover', enlarge: 1 }), [400, 400])
    assert.deepEqual(await size(small, { w: 400, h: 400, fit: 'pad', enlarge: 1 }), [400, 400])
    assert.deepEqual(await size(small, { w: 20, dpr: 3 }), [60, 40])
    assert.deepEqual(await size(small, { w: 20, dpr: 1.5 }), [30, 20])
    assert.deepEqual(
      await size('large.png', { w: 1, h: 4096, fit: 'pad' }),
      [1, 4096].map((n) => Math.min(n, 4096)),
    )
  })

  itOnce('picks the format by Accept', async () => {
    const chrome = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'
    const cases: [accept: string | undefined, type: string, alpha: string][] = [
      [chrome, 'image/avif', 'image/avif'],
      ['image/webp,*/*', 'image/webp', 'image/webp'],
      ['image/webp;q=0.5, image/avif;q=0', 'image/webp', 'image/webp'],
      ['IMAGE/AVIF', 'image/avif', 'image/avif'],
      ['*/*', 'image/jpeg', 'image/png'],
      ['image/*', 'image/jpeg', 'image/png'],
      ['image/png', 'image/jpeg', 'image/png'],
      [undefined, 'image/jpeg', 'image/png'],
    ]
    const tags = new Set<string>()
    for (const [accept, type, alpha] of cases) {
      const headers = accept === undefined ? {} : { accept }
      const plain = await get('large.png', { w: 40, format: 'auto' }, { headers })
      assert.deepEqual([plain.status, plain.headers['content-type'], plain.headers.vary], [200, type, 'Accept'], accept)
      tags.add(etagOf(plain))
      const again = await get(...(['large.png', { w: 40, format: 'auto' }] as const), {
        headers: { ...headers, 'if-none-match': etagOf(plain) },
      })
      assert.deepEqual([again.status, again.headers.vary], [304, 'Accept'])
      const clear = await get('alpha.png', { w: 40, format: 'auto' }, { headers })
      assert.equal(clear.headers['content-type'], alpha)
    }
    assert.equal(tags.size, 3)
    const named = await get('large.png', { w: 40, format: 'webp' }, { headers: { accept: chrome } })
    assert.deepEqual([named.headers['content-type'], named.headers.vary], ['image/webp', undefined])
  })

  itOnce('puts white behind what JPEG cannot show, and keeps alpha elsewhere', async () => {
    const jpeg = await decode((await get('alpha.png', { w: 60, format: 'jpeg' })).body)
    assert.equal(jpeg.colourAt(0.2, 0.5), 'red')
    assert.ok(jpeg.at(50, 20).every((value) => value > 245))
    for (const format of ['png', 'webp', 'avif']) {
      const { at } = await decode((await get('alpha.png', { w: 60, format })).body)
      assert.equal(at(50, 20)[3], 0, format)
    }
  })

  itOnce('returns the first frame, or all of them on request', async () => {
    const still = await headerOf((await get('moving.gif', { w: 20 })).body)
    assert.deepEqual([still.format, still.pages ?? 1, still.width, still.height], ['webp', 1, 20, 15])
    const answer = await get('moving.gif', { w: 20, animated: 1 })
    const all = await headerOf(answer.body)
    assert.deepEqual([all.format, all.pages, all.width, all.pageHeight ?? all.height], ['webp', 3, 20, 15])
    assert.deepEqual(all.delay, [50, 60, 70])
    assert.equal((await decode(answer.body)).colourAt(0.5, 0.5), 'red')
    const jpeg = await get('moving.gif', { w: 20, animated: 1, format: 'jpeg' })
    assert.equal(etagOf(jpeg), etagOf(await get('moving.gif', { w: 20, format: 'jpeg' })))
    await server.admin.updateSettings({ body: { images: { max_frames: 2 } } })
    assert.equal((await headerOf((await get('moving.gif', { w: 20, animated: 1 })).body)).pages, 2)
    await server.admin.updateSettings({ body: { images: { max_frames: 500 } } })
  })

  itOnce('checks permission to read on every hit, also from the cache', async () => {
    const readers = { bucket_pattern: bucket, prefix: 'dir/', actions: ['read' as const] }
    const token = await server.userWith(readers)
    const first = await get('dir/beach ä.png', { w: 33 }, { token })
    assert.equal(first.status, 200)
    const outside = await get('large.png', { w: 33 }, { token })
    assert.deepEqual([outside.status, problem(outside).code], [403, 'forbidden'])
    assert.equal((await get('large.png', { w: 33 }, { headers: {}, token: 'x' })).status, 401)
    const { groups } = await server.as(token).me()
    await server.admin.updateGroup({ params: { id: groups[0]?.id ?? '' }, body: { grants: [] } })
    const conditional = { headers: { 'if-none-match': etagOf(first) }, token }
    for (const options of [{ token }, { token, method: 'HEAD' }, conditional])
      assert.equal((await get('dir/beach ä.png', { w: 33 }, options)).status, 403)
  })

  it('never returns an image of replaced or deleted contents', async () => {
    await put('changing', await quarters(120, 80).png().toBuffer())
    const old = await get('changing', { w: 30 })
    assert.deepEqual(await seenIn(old.body), ['red', 'green', 'blue', 'yellow'])
    await put('changing', await turnedPng())
    const now = await get('changing', { w: 30 }, { headers: { 'if-none-match': etagOf(old) } })
    assert.equal(now.status, 200)
    assert.deepEqual(await seenIn(now.body), ['yellow', 'blue', 'green', 'red'])
    await server.admin.deleteObject({ params: { bucket, key: 'changing' } })
    for (const headers of [{}, { 'if-none-match': etagOf(now) }])
      assert.equal((await get('changing', { w: 30 }, { headers })).status, 404)
    await put('changing', Buffer.from('a text'))
    assert.equal((await get('changing', { w: 30 })).status, 415)
  })
})

describeEngines('images through links', (engine, itOnce) => {
  let images: Images
  let open: (
    link: { token: string },
    query: string,
    options?: Partial<Parameters<typeof request>[0]>,
  ) => Promise<Answer>
  const share = (key: string, body: Parameters<Client['shareObjectByQuery']>[0]['body'] = {}) =>
    images.server.admin.shareObjectByQuery({ params: { bucket }, query: { key }, body })
  before(async () => {
    images = await withImages(engine)
    open = ({ token }, query, options = {}) =>
      request({ url: images.url, path: `/api/v1/public/s/${token}${query}`, ...options })
    await images.put('dir/large.png', await quarters(1000, 600).png().toBuffer())
    await images.put('dir/x.svg', SVG)
  })
  after(() => images.stop())

  it('serves them uncacheable, under the link’s name', async () => {
    const link = await share('dir/large.png', { filename: 'Beach.png' })
    const answer = await open(link, '?w=64&format=auto', { headers: { accept: 'image/webp' } })
    assert.deepEqual(
      [
        answer.status,
        ...['content-type', 'cache-control', 'vary', 'x-content-type-options', 'content-disposition'].map(
          (name) => answer.headers[name],
        ),
      ],
      [200, 'image/webp', 'no-store', 'Accept', 'nosniff', 'inline; filename=Beach.webp'],
    )
    assert.match(String(answer.headers['content-security-policy']), /^sandbox/)
    assert.deepEqual(await seenIn(answer.body), ['red', 'green', 'blue', 'yellow'])
    const again = await open(link, '?w=64&format=auto', {
      headers: { accept: 'image/webp', 'if-none-match': etagOf(answer) },
    })
    assert.deepEqual([again.status, again.headers.vary, again.headers['cache-control']], [304, 'Accept', 'no-store'])
    const saved = await open(link, '?w=64&download=1')
    assert.match(String(saved.headers['content-disposition']), /^attachment/)
    const attached = await open(await share('dir/large.png', { disposition: 'attachment' }), '?w=64')
    assert.equal(attached.headers['content-disposition'], 'attachment; filename=large.png')
    const below = await images.server.admin.createShare({
      body: { bucket, kind: 'folder', prefix: 'dir/' },
    })
    assert.equal((await headerOf((await open(below, '/large.png?w=64')).body)).width, 64)
    assert.equal((await open(below, '/x.svg?w=64')).status, 415)
  })

  itOnce('offers few sizes, so that strangers cannot create endless variants', async () => {
    const link = await share('dir/large.png')
    const tags = new Set<string>()
    for (const query of ['w=81', 'w=90', 'w=96', 'w=48&dpr=2', 'w=41&dpr=2']) {
      const answer = await open(link, `?${query}`)
      assert.equal((await headerOf(answer.body)).width, 96, query)
      tags.add(etagOf(answer))
    }
    const qualities = new Set<string>()
    for (const q of [71, 75, 80]) qualities.add(etagOf(await open(link, `?w=96&format=webp&q=${q}`)))
    assert.deepEqual([tags.size, qualities.size], [1, 1])
  })

  itOnce('refuses faulty parameters by name, and lets pass what others add to links', async () => {
    const link = await share('dir/large.png', { max_downloads: 2 })
    for (const [query, at] of [
      ['w=0', 'query.w'],
      ['w=1&w=2', 'query.w'],
      ['fit=Cover', 'query.fit'],
      ['format=svg', 'query.format'],
    ] as const) {
      const answer = await open(link, `?${query}`)
      assert.equal(answer.status, 422, query)
      assert.equal(problem(answer).errors?.[0]?.path.startsWith(at), true, query)
      assert.equal(answer.headers['cache-control'], 'no-store')
    }
    assert.equal((await open(link, '?fbclid=x')).status, 200)
    assert.equal((await open(await share('dir/large.png'), '?w=64&blur=3')).status, 422)
    // A whole image is never the rest of a download.
    assert.equal((await open(link, '?w=64', { headers: { range: 'bytes=1-' } })).status, 200)
    assert.equal((await open(link, '?w=64', { headers: { range: 'bytes=1-' } })).status, 410)
  })

  itOnce('ends with the link, also for cached images', async () => {
    const link = await share('dir/large.png')
    const first = await open(link, '?w=64')
    assert.equal(first.status, 200)
    await images.server.admin.revokeShare({ params: { id: link.id } })
    for (const headers of [{}, { 'if-none-match': etagOf(first) }])
      assert.equal((await open(link, '?w=64', { headers })).status, 410)
  })
})

/** The quarters upside down. */
const turnedPng = () =>
  quarters(120, 80)
    .png()
    .toBuffer()
    .then(async (bytes) => {
      const { default: sharp } = await import('sharp')
      return sharp(bytes).rotate(180).png().toBuffer()
    })
