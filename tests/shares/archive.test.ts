// Zips of some files of a link: what was chosen and nothing outside of the link, counted and recorded as one download.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { request } from '../support/http.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { unzip } from '../support/unzip.ts'

const BUCKET = 'chosen'
const KEYS = ['trip/', 'trip/a & b.txt', 'trip/c.txt', 'trip/day/1.txt', 'trip/day/deep/2.txt', 'trip/day2.txt']
const OUTSIDE = ['trip', 'trip2/no.txt', 'no.txt', 'other/no.txt', 'tri', 'trip/../no.txt']

describeEngines('a zip of some files of a link', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: BUCKET } })
    for (const key of [...KEYS, ...OUTSIDE]) await put(key)
  })
  after(() => server.stop())

  const put = (key: string) =>
    server.admin.putObjectByQuery({
      params: { bucket: BUCKET },
      query: { key },
      body: key.endsWith('/') ? '' : `body of ${key}`,
    })
  const linkTo = async (body: Omit<Parameters<typeof server.admin.createShare>[0]['body'], 'bucket'>) => {
    const link = await server.admin.createShare({ body: { ...body, bucket: BUCKET } })
    server.secrets.add(link.token)
    return link
  }
  const trip = (more: { max_downloads?: number; password?: string } = {}) =>
    linkTo({ kind: 'folder', prefix: 'trip/', ...more })
  const formOf = (names: readonly string[]) => new URLSearchParams(names.map((name) => ['path', name])).toString()
  const send = (token: string, body: string, { at = '/public/s', query = '', headers = {} } = {}) =>
    request({
      url: server.url,
      path: `${at}/${token}/archive${query}`,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  const choose = (token: string, ...names: string[]) => send(token, formOf(names))
  const filesOf = async (answer: ReturnType<typeof send>) => {
    const { status, headers, body } = await answer
    assert.deepEqual([status, headers['content-type']], [200, 'application/zip'], body.toString().slice(0, 500))
    return Object.fromEntries((await unzip(body)).map(({ name, text }) => [name, text]))
  }
  const outcomes = async (id: string) => {
    await server.running.tick()
    const { items } = await server.admin.listShareAccesses({ params: { id } })
    return items.map(({ outcome, object_key }) => [outcome, object_key])
  }

  it('has the files and folders chosen of a folder, each once', async () => {
    const link = await trip()
    const given = { 'trip/a & b.txt': 'body of trip/a & b.txt', 'trip/day/deep/2.txt': 'body of trip/day/deep/2.txt' }
    const answer = await server.records([], () => choose(link.token, 'a & b.txt', 'day/deep/', 'a & b.txt'))
    assert.deepEqual(await filesOf(Promise.resolve(answer)), given)
    assert.equal(answer.headers['content-disposition'], 'attachment; filename=trip.zip')
    assert.equal(answer.headers['cache-control'], 'no-store')
    const day = await filesOf(choose(link.token, 'day/', 'day/deep/2.txt', 'day/1.txt', 'day/deep/', 'gone.txt'))
    assert.deepEqual(Object.keys(day).sort(), ['trip/day/1.txt', 'trip/day/deep/2.txt'])
    assert.deepEqual(await filesOf(send(link.token, formOf(['c.txt']), { at: '/api/v1/public/s' })), {
      'trip/c.txt': 'body of trip/c.txt',
    })
    assert.deepEqual(await outcomes(link.id), Array(3).fill(['served', null]))
  })

  it('has nothing outside of the link, whatever is asked for', async () => {
    const link = await trip()
    const hostile = [
      ...OUTSIDE,
      '../no.txt',
      '../',
      '../trip2/',
      '/',
      '/no.txt',
      '/trip2/no.txt',
      'trip2/',
      './c.txt',
      '..',
    ]
    // An object whose key has `..` in it is one of the folder's.
    assert.deepEqual(await filesOf(choose(link.token, ...hostile)), { 'trip/__/no.txt': 'body of trip/../no.txt' })
    const some = await linkTo({ kind: 'selection', keys: ['trip/c.txt', 'trip/day/1.txt', 'no.txt'] })
    const all = await filesOf(
      choose(some.token, 'trip/day/', 'no.txt', 'trip/day/deep/2.txt', 'trip2/', 'tri', 'other/no.txt'),
    )
    assert.deepEqual(Object.keys(all).sort(), ['no.txt', 'trip/day/1.txt'])
    for (const names of [['trip/day2.txt'], ['trip/day/deep/'], ['trip/c.txt/']])
      assert.equal((await choose(some.token, ...names)).status, 404)
  })

  it('has no more than the creator of the link may read', async () => {
    const password = 'secret of who chooses'
    server.secrets.add(password)
    const { id } = await server.admin.createGroup({
      body: {
        name: 'Choosers',
        grants: [{ bucket_pattern: BUCKET, prefix: 'trip/', actions: ['share', 'read'] }],
      },
    })
    const email = 'chooser@example.com'
    await server.admin.createUser({ body: { email, display_name: 'C', password, group_ids: [id] } })
    const link = await server
      .as(await server.login(email, password))
      .createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'trip/' } })
    server.secrets.add(link.token)
    await server.admin.updateGroup({
      params: { id },
      body: { grants: [{ bucket_pattern: BUCKET, prefix: 'trip/day/', actions: ['share', 'read'] }] },
    })
    assert.deepEqual(
      Object.keys(await filesOf(choose(link.token, 'c.txt', 'day2.txt', 'day/deep/', 'day/1.txt'))).sort(),
      ['trip/day/1.txt', 'trip/day/deep/2.txt'],
    )
    assert.equal((await choose(link.token, 'c.txt')).status, 404)
    await server.admin.updateGroup({ params: { id }, body: { grants: [] } })
    assert.equal((await choose(link.token, 'day/1.txt')).status, 410)
  })

  it('is one download of those that there are, also of racers; what has nothing is none', async () => {
    const link = await trip({ max_downloads: 2 })
    assert.equal((await choose(link.token, 'gone.txt', 'none/')).status, 404)
    const racers = await Promise.all(Array.from({ length: 8 }, () => choose(link.token, 'c.txt', 'day/')))
    assert.deepEqual(racers.map(({ status }) => status).sort(), [200, 200, ...Array(6).fill(410)])
    const served = (await outcomes(link.id)).filter(([outcome]) => outcome === 'served')
    assert.equal(served.length, 2)
  })

  itOnce('records each object where reads are audited', async () => {
    const link = await trip()
    await server.admin.updateSettings({ body: { audit: { log_reads: true } } })
    const read = (key: string) => ({ action: 'object_read' as const, bucket: BUCKET, key })
    await server.records([read('trip/c.txt'), read('trip/day2.txt')], async () => {
      await choose(link.token, 'c.txt', 'day2.txt')
      await server.running.tick()
    })
    await server.admin.updateSettings({ body: { audit: { log_reads: false } } })
    const { items } = await server.admin.listAudit({ query: { action: ['object_read'] } })
    assert.deepEqual(items[0]?.details, { size: 21, via: 'archive', complete: true, share_id: link.id })
  })

  itOnce('needs the password or a ticket, and a link that is valid and has files', async () => {
    const password = 'word of the chosen'
    server.secrets.add(password)
    const link = await trip({ password })
    assert.equal((await choose(link.token, 'c.txt')).status, 401)
    assert.equal((await send(link.token, 'path=c.txt', { headers: { 'x-share-password': 'no' } })).status, 401)
    assert.equal((await send(link.token, 'path=c.txt', { headers: { 'x-share-password': password } })).status, 200)
    const { ticket } = await server.admin.unlockShare({ params: { token: link.token }, body: { password } })
    const query = `?ticket=${encodeURIComponent(ticket)}`
    assert.equal((await send(link.token, 'path=c.txt', { query })).status, 200)
    await server.admin.updateShare({ params: { id: link.id }, body: { password: 'another word of the chosen' } })
    assert.equal((await send(link.token, 'path=c.txt', { query })).status, 401)
    await server.admin.revokeShare({ params: { id: link.id } })
    assert.equal((await send(link.token, 'path=c.txt', { query })).status, 410)
    const one = await linkTo({ kind: 'object', key: 'trip/c.txt' })
    assert.equal((await choose(one.token, 'trip/c.txt')).status, 404)
    const inbox = await linkTo({ kind: 'upload', prefix: 'trip/' })
    assert.equal((await choose(inbox.token, 'c.txt')).status, 404)
  })

  itOnce('rejects what is no choice, and more than a body may have', async () => {
    const { token } = await trip()
    for (const body of ['', 'path=', 'paths=c.txt', 'path=c.txt&all=1', 'path=a%00b'])
      assert.equal((await send(token, body)).status, 422, body)
    const headers = { 'content-type': 'application/json' }
    assert.equal((await send(token, '{"path":"c.txt"}', { headers })).status, 415)
    assert.equal((await send(token, formOf(Array(7000).fill('c.txt')))).status, 413)
    const most = await filesOf(send(token, formOf(Array.from({ length: 5000 }, (_, i) => (i ? `${i}/` : 'c.txt')))))
    assert.deepEqual(Object.keys(most), ['trip/c.txt'])
  })

  it('can be had with the client', async () => {
    const { token } = await trip()
    const answer = await server.admin.archiveShare({ params: { token }, body: { path: ['c.txt', 'day/deep/'] } })
    const names = (await unzip(Buffer.from(await answer.arrayBuffer()))).map(({ name }) => name)
    assert.deepEqual(names, ['trip/c.txt', 'trip/day/deep/2.txt'])
  })
})
