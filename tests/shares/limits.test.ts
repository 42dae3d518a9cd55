import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { after, before, it } from 'node:test'
import { request } from '../support/http.ts'
import { quarters } from '../support/pictures.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const BUCKET = 'limited'
const DAY = 24 * 3600_000
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'

describeEngines('downloads of a link', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { TRUSTED_PROXIES: '127.0.0.1' })
    await server.admin.createBucket({ body: { name: BUCKET } })
  })
  after(() => server.stop())

  const put = async (key: string, body: string | Buffer<ArrayBuffer> = ALPHABET, type = 'text/plain') => {
    await server.admin.putObject({ params: { bucket: BUCKET, key }, body, headers: { 'content-type': type } })
    return key
  }
  const share = (key: string, max_downloads: number) =>
    server.admin.shareObject({ params: { bucket: BUCKET, key }, body: { max_downloads } })
  const folder = (prefix: string, max_downloads: number) =>
    server.admin.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix, max_downloads } })
  const open = (token: string, headers: http.OutgoingHttpHeaders = {}, path = '') =>
    request({
      url: server.url,
      path: `/public/s/${token}${path}`,
      headers: { 'x-forwarded-for': '198.51.100.7', ...headers },
    })
  const status = async (...given: Parameters<typeof open>) => (await open(...given)).status
  const outcomes = async (id: string) => {
    await server.running.tick()
    const { items } = await server.admin.listShareAccesses({ params: { id }, query: { page_size: 200 } })
    return items.map(({ outcome }) => outcome).sort()
  }

  itOnce('are not counted before somebody follows the link', async () => {
    const link = await share(await put('early.txt'), 1)
    const all = await server.admin.createShare({
      body: { kind: 'folder', bucket: BUCKET, prefix: '', max_downloads: 1 },
    })
    for (const early of [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { 'sec-purpose': 'prefetch;anonymous-client-ip' },
      { purpose: 'prefetch' },
      { 'x-purpose': 'preview' },
      { 'x-moz': 'prefetch' },
    ])
      for (const [token, path] of [
        [link.token, ''],
        [all.token, ''],
        [all.token, '/early.txt'],
      ] as const) {
        const answer = await open(token, early, path)
        assert.deepEqual([answer.status, answer.headers['cache-control']], [503, 'no-store'])
      }
    assert.equal(await status(link.token, { 'sec-purpose': 'prefetch' }, '?info=1'), 200)
    assert.deepEqual(await outcomes(link.id), [])
    assert.equal(await status(link.token, { purpose: 'a prefetch of mine' }), 200)
    assert.equal(await status(link.token), 410)
  })

  it('are not got around by ranges that are answered with more than a part', async () => {
    const link = await share(await put('alphabet.txt'), 1)
    assert.equal(await status(link.token), 200)
    assert.equal(await status(link.token), 410)
    for (const [range, ifRange] of [
      ['bytes=1-1,0-'],
      ['bytes=1-2,5-6'],
      ['bytes=0-'],
      ['bytes=-26'],
      ['bytes=5-', '"nope"'],
      ['bytes=5-', 'W/"nope"'],
      ['bytes=5-', 'Thu, 01 Jan 1970 00:00:00 GMT'],
      ['bytes=5-x'],
      ['seconds=5-'],
    ]) {
      const answer = await open(link.token, { range, ...(ifRange === undefined ? {} : { 'if-range': ifRange }) })
      assert.deepEqual([answer.status, answer.body.includes('xyz')], [410, false], `${range} ${ifRange ?? ''}`)
    }
    assert.deepEqual(new Set((await outcomes(link.id)).slice(0, -1)), new Set(['limit_spent']))
  })

  it('let an address go on with what it was given, its size once, and not again and again', async () => {
    const link = await share(await put('continued.txt'), 1)
    const first = await open(link.token, { range: 'bytes=0-3' })
    assert.deepEqual([first.status, first.body.toString()], [206, 'abcd'])
    const { etag = '' } = first.headers
    const rest = await open(link.token, { range: 'bytes=4-13', 'if-range': etag })
    assert.deepEqual([rest.status, rest.body.toString()], [206, 'efghijklmn'])
    const suffix = await open(link.token, { range: 'bytes=-12' })
    assert.deepEqual([suffix.status, suffix.body.toString()], [206, 'opqrstuvwxyz'])
    assert.equal(await status(link.token, { range: 'bytes=1-' }), 410, 'four bytes are left of its size')
    assert.equal(await status(link.token, { range: 'bytes=1-4', 'x-forwarded-for': '203.0.113.9' }), 410, 'another')
    assert.equal(await status(link.token, { range: 'bytes=22-' }), 206)
    assert.equal(await status(link.token, { range: 'bytes=25-' }), 410)
    assert.deepEqual(await outcomes(link.id), [
      'continued',
      'continued',
      'continued',
      'limit_spent',
      'limit_spent',
      'limit_spent',
      'served',
    ])
  })

  itOnce('are taken where nothing is left to go on with, and each brings the size of the object again', async () => {
    const link = await share(await put('twice.txt'), 2)
    assert.equal(await status(link.token), 200)
    assert.equal(await status(link.token, { range: 'bytes=1-' }), 206)
    assert.equal(await status(link.token, { range: 'bytes=1-' }), 206)
    assert.deepEqual(await outcomes(link.id), ['continued', 'served', 'served'])
    assert.equal(await status(link.token, { range: 'bytes=1-' }), 206)
    assert.equal(await status(link.token, { range: 'bytes=1-' }), 410)
  })

  itOnce('are of an object: what was given of one lets nobody go on with another, nor with new contents', async () => {
    for (const name of ['a', 'b', 'c']) await put(`folder/${name}`, `${name}${ALPHABET}`)
    const link = await folder('folder/', 1)
    const first = await open(link.token, {}, '/a')
    assert.equal(first.status, 200)
    for (const name of ['b', 'c'])
      for (const headers of [{ range: 'bytes=5-' }, { range: 'bytes=5-', 'if-range': '"nope"' }])
        assert.equal(await status(link.token, headers, `/${name}`), 410, name)
    for (const headers of [{}, { range: 'bytes=1-' }])
      assert.equal(await status(link.token, headers, '?archive=1'), 410, 'an archive has no ranges')
    await put('folder/a', `A${ALPHABET}`)
    assert.equal(await status(link.token, { range: 'bytes=5-' }, '/a'), 410, 'other contents')
    await put('folder/a', `a${ALPHABET}`)
    assert.equal(await status(link.token, { range: 'bytes=5-' }, '/a'), 410, 'stored again')
  })

  itOnce('an archive is one download, whatever range is asked of it', async () => {
    await put('zipped/a')
    const link = await folder('zipped/', 2)
    assert.equal(await status(link.token, { range: 'bytes=1-' }, '?archive=1'), 200)
    assert.equal(await status(link.token, { range: 'bytes=1-' }, '/a'), 206)
    assert.equal(await status(link.token, { range: 'bytes=1-' }, '?archive=1'), 410)
    assert.equal(await status(link.token, { range: 'bytes=1-' }, '/a'), 206, 'what was begun goes on')
    assert.equal(await status(link.token, { range: 'bytes=1-' }, '/a'), 410)
    assert.deepEqual(await outcomes(link.id), ['continued', 'limit_spent', 'limit_spent', 'served', 'served'])
  })

  it('may be gone on with for a day', async () => {
    const link = await share(await put('day.txt'), 1)
    assert.equal(await status(link.token, { range: 'bytes=0-1' }), 206)
    await server.later(DAY - 1)
    assert.equal(await status(link.token, { range: 'bytes=2-3' }), 206)
    await server.later(1)
    assert.equal(await status(link.token, { range: 'bytes=4-5' }), 410)
    await server.running.tick()
    const rows = await server.database.db.selectFrom('share_servings').selectAll().execute()
    assert.deepEqual(
      rows.filter(({ share_id }) => share_id === link.id),
      [],
      'and then nothing of it is kept',
    )
  })

  it('exactly as many as there are for twenty racers, who begin or go on', async () => {
    const link = await share(await put('raced.bin', 'x'.repeat(1000)), 1)
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, i) => status(link.token, { 'x-forwarded-for': `198.51.100.${i + 1}` })),
    )
    assert.deepEqual(begun.filter((code) => code === 200).length, 1)
    const winner = { 'x-forwarded-for': `198.51.100.${begun.indexOf(200) + 1}` }
    const goneOn = await Promise.all(
      Array.from({ length: 20 }, () => open(link.token, { range: 'bytes=501-', ...winner })),
    )
    assert.deepEqual(goneOn.map((one) => one.status).sort(), [206, 206, ...Array.from({ length: 18 }, () => 410)])
  })

  it('the bytes that were never sent of a part may be asked for again', async () => {
    const size = 30_000_000
    const link = await share(await put('broken.bin', Buffer.alloc(size, 'y'), 'application/octet-stream'), 1)
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    assert.equal(await status(link.token, { range: 'bytes=0-0' }), 206)
    const url = `${server.url}/public/s/${link.token}`
    const broken = http.get(url, { headers: { ...headers, range: 'bytes=1-' }, agent: false })
    const [response] = (await once(broken, 'response')) as [http.IncomingMessage]
    assert.equal(response.statusCode, 206)
    response.destroy()
    const left = () =>
      server.database.db.selectFrom('share_servings').select('left_bytes').where('share_id', '=', link.id).execute()
    await until(async () => ((await left())[0]?.left_bytes ?? 0) > size / 2)
    const rest = await open(link.token, { range: `bytes=${size / 2}-` })
    assert.deepEqual([rest.status, rest.body.length], [206, size / 2])
  })

  itOnce('are not taken by answers that give nothing of the contents', async () => {
    const link = await share(await put('nothing.txt'), 1)
    const { etag = '' } = (await request({ url: server.url, path: `/public/s/${link.token}`, method: 'HEAD' })).headers
    assert.equal(await status(link.token, { 'if-none-match': etag }), 304)
    assert.equal(await status(link.token, { 'if-match': '"other"' }), 412)
    assert.equal(await status(link.token, { range: 'bytes=26-' }), 416)
    assert.equal(await status(link.token, {}, '?w=10'), 415, 'no image')
    assert.deepEqual(await outcomes(link.id), [])
    assert.equal(await status(link.token), 200)
    for (const headers of [{ 'if-none-match': etag }, { 'if-match': '"other"' }, { range: 'bytes=26-' }])
      assert.equal(await status(link.token, { ...headers, 'x-forwarded-for': '203.0.113.9' }), 410)
    assert.equal(await status(link.token, {}, '?w=10'), 410)
    assert.equal(await status(link.token, { range: 'bytes=26-' }), 416, 'what was begun is known to be whole')
  })

  itOnce('an image is a whole answer, and one that fails is none', async () => {
    await put('broken.png', 'no image at all', 'image/png')
    await put('image.png', Buffer.from(await quarters(64, 64).png().toBuffer()), 'image/png')
    const broken = await share('broken.png', 1)
    assert.equal(await status(broken.token, {}, '?w=32'), 415)
    assert.equal(await status(broken.token, {}, '?w=0'), 422)
    assert.deepEqual(await outcomes(broken.id), [])
    const link = await share('image.png', 2)
    const first = await open(link.token, { range: 'bytes=1-' }, '?w=32')
    assert.equal(first.status, 200)
    assert.equal(await status(link.token, { 'if-none-match': String(first.headers.etag) }, '?w=32'), 304)
    assert.equal(await status(link.token, { range: 'bytes=1-' }), 206, 'the image was not the object')
    assert.deepEqual(await outcomes(link.id), ['served', 'served'])
    assert.equal(await status(link.token, {}, '?w=32'), 410)
  })

  it('count without a limit too: a part of what the address was given is no other download', async () => {
    for (const name of ['a', 'b']) await put(`free/${name}`)
    const link = await server.admin.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'free/' } })
    assert.equal(await status(link.token, {}, '/a'), 200)
    await server.running.tick()
    for (let i = 0; i < 3; i++) assert.equal(await status(link.token, { range: 'bytes=1-' }, '/a'), 206)
    assert.equal(await status(link.token, { range: 'bytes=1-', 'if-range': '"nope"' }, '/a'), 200)
    assert.equal(await status(link.token, { range: 'bytes=1-' }, '/b'), 206)
    assert.deepEqual(await outcomes(link.id), ['continued', 'continued', 'continued', 'served', 'served', 'served'])
  })
})
