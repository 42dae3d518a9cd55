import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { ShareInfo } from '../../contract/shares.ts'
import { newId } from '../../server/base/id.ts'
import { request } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, dump, onS3, startServer, type TestServer } from '../support/server.ts'

const DAY = 24 * 3600_000
const BUCKET = 'linked'

describeEngines('share links', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { TRUSTED_PROXIES: '127.0.0.1' })
    await server.admin.createBucket({ body: { name: BUCKET } })
  })
  after(() => server.stop())

  const put = async (key: string, body = `contents of ${key}`, type = 'text/plain') => {
    const headers = { 'content-type': type }
    await server.admin.putObjectByQuery({ params: { bucket: BUCKET }, query: { key }, body, headers })
    return key
  }
  const share = (key: string, body: Parameters<typeof server.admin.shareObject>[0]['body'] = {}) =>
    server.admin.shareObjectByQuery({ params: { bucket: BUCKET }, query: { key }, body })
  const open = (token: string, { path = '', ...more }: Partial<Parameters<typeof request>[0]> = {}) =>
    request({ url: server.url, path: `/api/v1/public/s/${token}${path}`, ...more })
  const from = (ip: string) => ({ 'x-forwarded-for': ip })
  let people = 0
  const person = async (prefix: string, ...actions: ('read' | 'share' | 'write' | 'list')[]) => {
    const email = `sharer${++people}@example.com`
    const password = `secret of sharer ${people}`
    server.secrets.add(password)
    const group = await server.admin.createGroup({
      body: { name: `Sharers ${people}`, grants: [{ bucket_pattern: BUCKET, prefix, actions }] },
    })
    const { id } = await server.admin.createUser({
      body: { email, display_name: 'S', password, group_ids: [group.id] },
    })
    return { id, group, client: server.as(await server.login(email, password)) }
  }
  /** What is written down after the answer. */
  const settled = () => server.running.tick()

  itOnce('embed=1 lets our own pages frame a PDF, sandboxed, also of a link that says attachment', async () => {
    const key = 'docs/framed.pdf'
    await server.admin.putObject({
      params: { bucket: BUCKET, key },
      body: '%PDF-1.4',
      headers: { 'content-type': 'application/pdf' },
    })
    const link = await share(key, { disposition: 'attachment' })
    const open = async (query: string) =>
      (await request({ url: server.url, path: `/public/s/${link.token}${query}` })).headers
    const plain = await open('')
    assert.equal(plain['x-frame-options'], 'DENY')
    assert.match(String(plain['content-disposition']), /^attachment/)
    const framed = await open('?embed=1')
    assert.equal(framed['x-frame-options'], 'SAMEORIGIN')
    assert.match(String(framed['content-security-policy']), /^sandbox; .*frame-ancestors 'self'$/)
    assert.match(String(framed['content-disposition']), /^inline/)
  })

  it('mints a link that serves the object at both places, with nothing kept by a cache', async () => {
    const key = await put('docs/a.txt')
    const link = await server.records([{ action: 'share_create', bucket: BUCKET, key }], () => share(key))
    assert.match(link.token, /^[\w-]{43}$/)
    assert.equal(link.url, `${server.env.PUBLIC_BASE_URL ?? 'http://127.0.0.1:0'}/public/s/${link.token}`)
    assert.equal(Date.parse(link.expires_at ?? '') - server.clock.now().getTime(), 7 * DAY)
    for (const path of [`/api/v1/public/s/${link.token}`, `/public/s/${link.token}`]) {
      const answer = await server.records([], () => request({ url: server.url, path }))
      assert.deepEqual([answer.status, answer.body.toString()], [200, `contents of ${key}`])
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.match(String(answer.headers['content-security-policy']), /sandbox/)
      const head = await request({ url: server.url, path, method: 'HEAD' })
      assert.deepEqual([head.status, head.headers['content-length']], [200, String(`contents of ${key}`.length)])
      // Downloads that nothing limits are noted after the answer: what comes sooner may count as one of its own.
      await settled()
      const part = await request({ url: server.url, path, headers: { range: 'bytes=3-7' } })
      assert.deepEqual([part.status, part.body.toString()], [206, 'tents'])
    }
    await settled()
    const [listed] = (await server.admin.listShares({ query: { bucket: BUCKET } })).items
    assert.deepEqual(
      [listed?.id, listed?.access_count, listed?.object_key],
      [link.id, 2, key],
      'a range that goes on is the same download',
    )
    assert.equal(JSON.stringify(listed).includes(link.token), false)
    const kept = await dump(server.database, engine)
    assert.equal(kept.includes(link.token) || server.logged().includes(link.token), false, 'only a hash is kept')
    const accesses = await server.admin.listShareAccesses({ params: { id: link.id } })
    assert.deepEqual([accesses.total, accesses.items[0]?.outcome, accesses.items[0]?.object_key], [4, 'continued', key])
  })

  itOnce('takes its limits from the body or the query, and keys of every kind', async () => {
    const key = await put('ä/漢 %+#?//../x')
    const path = `/api/v1/share/${BUCKET}?key=${encodeURIComponent(key)}&expires_in=1h&max_downloads=3`
    const link = await request({ url: server.url, path, method: 'POST', token: server.adminToken })
    assert.equal(link.status, 201)
    const body = link.json<{ token: string; max_downloads: number; object_key: string }>()
    assert.deepEqual([body.max_downloads, body.object_key], [3, key])
    assert.equal((await open(body.token)).body.toString(), `contents of ${key}`)
    const bad: [object, string][] = [
      [{ expires_in: '0d' }, 'body.expires_in'],
      [{ expires_in: '31x' }, 'body.expires_in'],
      [{ expires_in: -1 }, 'body.expires_in'],
      [{ expires_in: '11w', max_downloads: 0 }, 'body.max_downloads'],
      [{ expires_in: '999w' }, 'body.expires_in'],
      [{ filename: 'a/b' }, 'body.filename'],
      [{ disposition: 'page' }, 'body.disposition'],
      [{ password: 'x'.repeat(73) }, 'body.password'],
      [{ unknown: 1 }, 'body.unknown'],
    ]
    await server.records([], async () => {
      for (const [given, at] of bad) await rejectsWith(share(key, given), 'invalid_request', at)
      await rejectsWith(share('not there'), 'not_found')
    })
    const never = await share(key, { expires_in: 'never', filename: 'Größe.txt', disposition: 'attachment' })
    assert.equal(never.expires_at, null)
    assert.match(
      String((await open(never.token)).headers['content-disposition']),
      /^attachment; .*filename\*=UTF-8''Gr%C3%B6%C3%9Fe.txt/,
    )
  })

  it('says the same 410 to what is expired, revoked, unknown or used up, from the next request on', async () => {
    const key = await put('gone.txt')
    const [expiring, revoked, spent] = [
      await share(key, { expires_in: '1h' }),
      await share(key),
      await share(key, { max_downloads: 1 }),
    ]
    assert.equal((await open(spent.token)).status, 200)
    assert.equal((await open(revoked.token)).status, 200)
    await server.records([{ action: 'share_revoke', bucket: BUCKET, key }], () =>
      server.admin.revokeShare({ params: { id: revoked.id } }),
    )
    await rejectsWith(server.admin.revokeShare({ params: { id: revoked.id } }), 'not_found')
    server.clock.advance(3600_000 - 1)
    assert.equal((await open(expiring.token)).status, 200)
    server.clock.advance(1)
    const texts = new Set<string>()
    for (const token of [expiring.token, revoked.token, spent.token, 'x'.repeat(43), 'y']) {
      const answer = await open(token)
      assert.equal(answer.status, 410)
      assert.equal(answer.headers['cache-control'], 'no-store')
      const { request_id: _id, ...problem } = answer.json()
      texts.add(JSON.stringify(problem))
    }
    assert.equal(texts.size, 1)
    await server.later(0)
    const there = await share(key)
    await server.admin.deleteObject({ params: { bucket: BUCKET, key } })
    assert.equal((await open(there.token)).status, 404, 'the link is good, the object is not there')
  })

  itOnce('asks for a password, whose guesses are slowed down', async () => {
    const key = await put('secret.txt')
    server.secrets.add('pässword of a link')
    const link = await share(key, { password: 'pässword of a link' })
    assert.equal(link.has_password, true)
    const asked = await open(link.token, { headers: from('192.0.2.1') })
    assert.equal(asked.status, 401)
    assert.match(String(asked.headers['www-authenticate']), /^Basic realm=/)
    const utf8 = Buffer.from('pässword of a link').toString('latin1')
    const right = { 'x-share-password': utf8 }
    assert.equal((await open(link.token, { headers: { ...right, ...from('192.0.2.1') } })).status, 200)
    const basic = `Basic ${Buffer.from('anyone:pässword of a link').toString('base64')}`
    assert.equal((await open(link.token, { headers: { authorization: basic, ...from('192.0.2.1') } })).status, 200)
    for (let i = 0; i < 5; i++)
      assert.equal(
        (await open(link.token, { headers: { 'x-share-password': `guess ${i}`, ...from('192.0.2.9') } })).status,
        401,
      )
    const blocked = await open(link.token, { headers: { 'x-share-password': 'another guess', ...from('192.0.2.9') } })
    assert.equal(blocked.status, 429)
    assert.ok(Number(blocked.headers['retry-after']) > 0)
    const info = await open(link.token, { path: '?info=1' })
    assert.deepEqual([info.json().needs_password, info.json().name], [true, null])
    await server.admin.updateShare({ params: { id: link.id }, body: { password: null } })
    assert.equal((await open(link.token)).status, 200)
    await server.later(16 * 60_000)
  })

  itOnce('a ticket stands for the password in a URL: for an hour, for this link and this password alone', async () => {
    const key = await put('ticket/a b.txt')
    const password = 'schlüssel 漢字'
    server.secrets.add(password)
    const [link, other] = [
      await server.admin.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'ticket/', password } }),
      await share(key, { password }),
    ]
    const unlock = (token: string, given: string) =>
      server.as().unlockShare({ params: { token }, body: { password: given } })
    await rejectsWith(unlock(link.token, 'wrong'), 'unauthenticated')
    await rejectsWith(unlock('unknown', password), 'gone')
    const { ticket, expires_in } = await server.records([], () => unlock(link.token, password))
    server.secrets.add(ticket)
    assert.equal(expires_in, 3600)
    const at = `ticket=${encodeURIComponent(ticket)}`
    const [listing, entry, byKey, zip, info, hidden] = await Promise.all([
      open(link.token, { path: `?${at}` }),
      open(link.token, { path: `/a%20b.txt?${at}&download=1` }),
      open(link.token, { path: `?key=a%20b.txt&${at}` }),
      open(link.token, { path: `?archive=1&${at}` }),
      open(link.token, { path: `?info=1&${at}` }),
      open(link.token, { path: '?info=1&ticket=forged' }),
    ])
    assert.deepEqual(
      [listing.status, entry.body.toString(), byKey.body.toString(), zip.status],
      [200, `contents of ${key}`, `contents of ${key}`, 200],
    )
    assert.deepEqual([info.json().name, hidden.json().name, hidden.status], ['ticket', null, 200])
    assert.deepEqual([info.json().downloads_left, hidden.json().downloads_left], [null, null])
    assert.equal((await open(other.token, { path: `?${at}` })).status, 401, 'of another link')
    for (const bad of [`${ticket}x`, ticket.replace(/^./, 'Z'), 'x', ''])
      assert.equal((await open(link.token, { path: `?ticket=${bad}` })).status, 401, bad)
    await server.later(3600_000 - 1)
    assert.equal((await open(link.token, { path: `?${at}` })).status, 200)
    await server.later(1)
    assert.equal((await open(link.token, { path: `?${at}` })).status, 401, 'after an hour')

    const again = await unlock(link.token, password)
    server.secrets.add(again.ticket)
    const path = `?ticket=${encodeURIComponent(again.ticket)}`
    await server.admin.updateShare({ params: { id: link.id }, body: { password: 'another one' } })
    assert.equal((await open(link.token, { path })).status, 401, 'with another password')
    await server.admin.revokeShare({ params: { id: link.id } })
    assert.equal((await open(link.token, { path })).status, 410, 'revoked')
    const open1 = await share(key)
    assert.equal(
      (await server.as().unlockShare({ params: { token: open1.token }, body: { password: '' } })).expires_in,
      3600,
    )
  })

  itOnce('a guess for a ticket is slowed down like any; a link that takes files takes a ticket too', async () => {
    const link = await server.admin.createShare({
      body: { kind: 'upload', bucket: BUCKET, prefix: 'ticketed/', password: 'the way in' },
    })
    const unlock = (password: string) => server.as().unlockShare({ params: { token: link.token }, body: { password } })
    const { ticket } = await unlock('the way in')
    const send = (query: string) =>
      open(link.token, { path: `/a.txt${query}`, method: 'PUT', body: 'x', headers: { 'content-type': 'text/plain' } })
    assert.equal((await send('')).status, 401)
    assert.equal((await send(`?ticket=${encodeURIComponent(ticket)}`)).status, 201)
    assert.equal((await send(`?ticket=${encodeURIComponent(ticket)}&unknown=1`)).status, 422)
    for (let i = 0; i < 20; i++) {
      const refused = await unlock(`guess ${i}`).then(
        () => '',
        (error: { problem: { code: string } }) => error.problem.code,
      )
      if (refused === 'rate_limited') return
      assert.equal(refused, 'unauthenticated')
    }
    assert.fail('twenty guesses were let through')
  })

  it('tells what is looked for of its links: by state, by object, by a part of a name; and in which state each is', async () => {
    const [plan, hundred] = [await put('found/Plan_1.txt'), await put('found/100%.txt')]
    const alive = await share(plan, { filename: 'Straße.txt' })
    const ended = await share(plan, { expires_in: '1s' })
    const spent = await share(hundred, { max_downloads: 1 })
    const revoked = await share(hundred)
    await open(spent.token)
    await server.admin.revokeShare({ params: { id: revoked.id } })
    server.clock.advance(1000)
    const made = [alive, ended, spent, revoked].map(({ id }) => id)
    type Query = NonNullable<NonNullable<Parameters<typeof server.admin.listShares>[0]>['query']>
    const found = async (query: Query) =>
      (await server.admin.listShares({ query: { limit: 1000, ...query } })).items.filter(({ id }) => made.includes(id))
    const ids = async (query: Query) => (await found(query)).map(({ id }) => id).sort()
    assert.deepEqual(
      (await found({})).map(({ id, state }) => [id, state]).sort(),
      [
        [alive.id, 'active'],
        [ended.id, 'expired'],
        [spent.id, 'spent'],
        [revoked.id, 'revoked'],
      ].sort(),
    )
    assert.deepEqual(await ids({ state: 'active' }), [alive.id])
    assert.deepEqual(await ids({ state: 'expired' }), [ended.id, spent.id].sort())
    assert.deepEqual(await ids({ state: 'revoked' }), [revoked.id])
    assert.deepEqual(await ids({ key: plan }), [alive.id, ended.id].sort())
    assert.deepEqual(await ids({ key: plan, state: 'active' }), [alive.id])
    assert.deepEqual(await ids({ q: 'PLAN_' }), [alive.id, ended.id].sort())
    assert.deepEqual(await ids({ q: '100%' }), [spent.id, revoked.id].sort(), 'no wildcard')
    assert.deepEqual(await ids({ q: 'stra' }), [alive.id])
    assert.deepEqual(await ids({ q: '\\' }), [])
    assert.deepEqual(await ids({ q: 'admin@' }), made.toSorted())
    const page = await server.admin.listShares({ query: { q: 'found/', limit: 3 } })
    assert.equal(page.items.length, 3)
    const rest = await server.admin.listShares({ query: { q: 'found/', limit: 3, cursor: page.next_cursor ?? '' } })
    assert.deepEqual([rest.items.length, rest.next_cursor], [1, null])
    assert.equal((await open(spent.token, { path: '?info=1' })).status, 410, 'used up')
  })

  it('a limit of one gives exactly one of twenty racers the object; looking and going on are free', async () => {
    const key = await put('once.bin', 'x'.repeat(100_000), 'application/octet-stream')
    const link = await share(key, { max_downloads: 1 })
    for (let i = 0; i < 3; i++) assert.equal((await open(link.token, { method: 'HEAD' })).status, 200)
    const { limited, downloads_left } = (await open(link.token, { path: '?info=1' })).json<ShareInfo>()
    assert.deepEqual([limited, downloads_left], [true, 1])
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => open(link.token, { headers: from(`198.51.100.${i + 1}`) })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 410)])
    await settled()
    const { items } = await server.admin.listShareAccesses({ params: { id: link.id }, query: { page_size: 200 } })
    const winner = items.find(({ outcome }) => outcome === 'served')?.ip ?? ''
    assert.equal(items.filter(({ outcome }) => outcome === 'limit_spent').length, 19)
    const rest = await open(link.token, { headers: { range: 'bytes=50000-', ...from(winner) } })
    assert.deepEqual([rest.status, rest.body.length], [206, 50_000], 'a download that broke off goes on')
    const other = await open(link.token, { headers: { range: 'bytes=1-', ...from('203.0.113.5') } })
    assert.equal(other.status, 410, 'and is no way around the limit')
  })

  it('ends with the right, the account, or (if the settings say so) not', async () => {
    const key = await put('team/plan.txt')
    const kim = await person('team/', 'read', 'share')
    const mint = () => kim.client.shareObject({ params: { bucket: BUCKET, key }, body: {} })
    const link = await mint()
    const status = async () => (await open(link.token)).status
    assert.equal(await status(), 200)
    await server.admin.removeMembers({ params: { id: kim.group.id }, body: { user_ids: [kim.id] } })
    assert.equal(await status(), 410)
    assert.equal((await open(link.token, { path: '?info=1' })).status, 410)
    await server.admin.updateSettings({ body: { shares: { require_creator_access: false } } })
    assert.equal(await status(), 200)
    await server.admin.updateSettings({ body: { shares: { require_creator_access: true } } })
    await server.admin.addMembers({ params: { id: kim.group.id }, body: { user_ids: [kim.id] } })
    assert.equal(await status(), 200)
    await server.admin.updateUser({ params: { id: kim.id }, body: { is_active: false } })
    assert.equal(await status(), 410)
    await server.admin.updateUser({ params: { id: kim.id }, body: { is_active: true } })
    assert.equal(await status(), 200)
    await server.admin.deleteUser({ params: { id: kim.id } })
    assert.equal(await status(), 410)
  })

  it('ends with the right to share alone, or to read or write alone; what is left of the rights goes on', async () => {
    const keys = [await put('duo/a/1.txt'), await put('duo/b/1.txt')]
    const kim = await person('duo/', 'read', 'write', 'share')
    const object = await kim.client.shareObject({ params: { bucket: BUCKET, key: keys[0] ?? '' }, body: {} })
    const make = (body: Parameters<typeof kim.client.createShare>[0]['body']) => kim.client.createShare({ body })
    const folder = await make({ kind: 'folder', bucket: BUCKET, prefix: 'duo/' })
    const selection = await make({ kind: 'selection', bucket: BUCKET, keys })
    const upload = await make({ kind: 'upload', bucket: BUCKET, prefix: 'duo/' })
    const send = async (name: string) =>
      (await open(upload.token, { path: `/${name}`, method: 'PUT', body: 'x' })).status
    const seen = async () => [
      ...(await Promise.all([object, folder, selection, upload].map(async ({ token }) => (await open(token)).status))),
      await send('new.txt'),
    ]
    const allow = (...grants: { prefix: string; actions: ('read' | 'write' | 'share' | 'list')[] }[]) =>
      server.admin.updateGroup({
        params: { id: kim.group.id },
        body: { grants: grants.map((one) => ({ bucket_pattern: BUCKET, ...one })) },
      })
    assert.deepEqual(await seen(), [200, 200, 200, 200, 201])
    await allow({ prefix: 'duo/', actions: ['read', 'write', 'list'] })
    assert.deepEqual(await seen(), [410, 410, 410, 410, 410], 'without share')
    for (const path of ['?archive=1', '/a/1.txt', '?key=a/1.txt', '?info=1'])
      assert.equal((await open(folder.token, { path })).status, 410, path)
    await allow({ prefix: 'duo/', actions: ['share', 'write'] })
    assert.deepEqual(await seen(), [410, 410, 410, 200, 201], 'without read')
    await allow({ prefix: 'duo/', actions: ['share', 'read'] })
    assert.deepEqual(await seen(), [200, 200, 200, 410, 410], 'without write')
    await allow(
      { prefix: 'duo/a/', actions: ['share'] },
      { prefix: 'duo/', actions: ['read'] },
      { prefix: 'duo/b/', actions: ['write', 'share'] },
    )
    const names = async (token: string) =>
      (await open(token)).json<{ items: { name: string }[] }>().items.map(({ name }) => name)
    assert.deepEqual(await names(folder.token), ['a/1.txt', 'b/1.txt'])
    assert.deepEqual([await send('new.txt'), await send('b/new.txt')], [410, 201])
    await allow({ prefix: 'duo/a/', actions: ['share'] }, { prefix: '', actions: ['read', 'write'] })
    assert.deepEqual([await names(folder.token), await names(selection.token)], [['a/1.txt'], ['duo/a/1.txt']])
    await server.admin.updateSettings({ body: { shares: { require_creator_access: false } } })
    assert.deepEqual((await seen()).slice(0, 4), [200, 200, 200, 200])
    await server.admin.updateSettings({ body: { shares: { require_creator_access: true } } })
  })

  itOnce('takes no names from strangers that lead out of a folder elsewhere', async () => {
    const link = await server.admin.createShare({ body: { kind: 'upload', bucket: BUCKET, prefix: 'drop/' } })
    const send = (name: string) =>
      open(link.token, { path: `/${encodeURIComponent(name).replaceAll('.', '%2E')}`, method: 'PUT', body: 'x' })
    await server.records([], async () => {
      for (const name of ['..', '.', '../x', './x', 'in/../../x', 'in/..', 'in/./x', '..\\x', 'in\\..\\x']) {
        const answer = await send(name)
        assert.equal(answer.status, 422, name)
        assert.equal(answer.json<{ errors: { path: string }[] }>().errors[0]?.path, 'params.key', name)
      }
    })
    for (const name of ['.hidden', '...', 'a..b', '..x/y.', 'in/x.']) assert.equal((await send(name)).status, 201, name)
  })

  it('finds a free name however often one was sent, with few look-ups', async () => {
    const link = await server.admin.createShare({ body: { kind: 'upload', bucket: BUCKET, prefix: 'often/' } })
    const send = async (name: string) =>
      (await open(link.token, { path: `/${name}`, method: 'PUT', body: 'x' })).json<{ name?: string }>().name ?? ''
    const keys = async (search: string) => {
      const query = { prefix: 'often/', search, limit: 1000 }
      const { items } = await server.admin.listObjects({ params: { bucket: BUCKET }, query })
      return items.map(({ key }) => key.slice('often/'.length)).sort()
    }
    // Visitors are not told what there is.
    assert.equal(await send('photo.jpg'), 'photo.jpg')
    assert.equal(await send('photo.jpg'), 'photo.jpg')
    assert.deepEqual(await keys('photo'), ['photo (2).jpg', 'photo.jpg'])
    await server.database.transaction(async (tx) => {
      const row = await tx
        .selectFrom('objects')
        .selectAll()
        .where('key', '=', 'often/photo.jpg')
        .executeTakeFirstOrThrow()
      const rows = Array.from({ length: 998 }, (_, i) => ({ ...row, key: `often/photo (${i + 3}).jpg` }))
      await tx.insertInto('objects').values(rows).execute()
    })
    const before = await keys('photo (')
    const names = await Promise.all(Array.from({ length: 8 }, () => send('photo.jpg')))
    assert.deepEqual(names, Array(8).fill('photo.jpg'))
    const numbered = (await server.admin.listAudit({ query: { action: ['upload'], page_size: 8 } })).items
    const stored = numbered.map(({ object_key }) => object_key?.slice('often/'.length) ?? '')
    for (const name of stored) {
      assert.match(name, /^photo \(\d+\)\.jpg$/)
      assert.ok(!before.includes(name))
    }
    assert.equal(new Set(stored).size, 8)
    const long = `${'ä'.repeat(507)}.jpg`
    assert.equal(await send(encodeURIComponent(long)), long)
    assert.equal(await send(encodeURIComponent(long)), long)
    assert.deepEqual(await keys('ä'), [`${'ä'.repeat(505)} (2).jpg`, long].sort(), 'a key has 1024 bytes')
  })

  it('shows links to their makers, and to who manages what they are of', async () => {
    const key = await put('theirs/x.txt')
    const [kim, lee] = [await person('theirs/', 'read', 'share'), await person('theirs/', 'read', 'share')]
    const link = await kim.client.shareObject({ params: { bucket: BUCKET, key }, body: {} })
    assert.deepEqual(
      (await kim.client.listShares()).items.map(({ id }) => id),
      [link.id],
    )
    assert.deepEqual((await lee.client.listShares()).items, [])
    await server.records([], async () => {
      await rejectsWith(lee.client.revokeShare({ params: { id: link.id } }), 'not_found')
      await rejectsWith(lee.client.updateShare({ params: { id: link.id }, body: { expires_in: '1h' } }), 'not_found')
      await rejectsWith(lee.client.listShareAccesses({ params: { id: link.id } }), 'not_found')
      await rejectsWith(kim.client.revokeShare({ params: { id: newId() } }), 'not_found')
    })
    for (const key of ['docs/a.txt', 'theirs'])
      await server.records([{ action: 'access_denied', result: 'denied' }], () =>
        rejectsWith(kim.client.shareObject({ params: { bucket: BUCKET, key }, body: {} }), 'forbidden'),
      )
    const manager = server.as(await server.userWith({ bucket_pattern: BUCKET, prefix: 'theirs/', actions: ['manage'] }))
    await manager.revokeShare({ params: { id: link.id } })
    assert.equal((await open(link.token)).status, 410)
    await rejectsWith(kim.client.updateShare({ params: { id: link.id }, body: { expires_in: '1h' } }), 'conflict')
  })

  itOnce('keeps to the default and the longest life of the settings', async () => {
    const key = await put('long.txt')
    await server.admin.updateSettings({ body: { shares: { default_expires_in: '2h', max_expires_in: '1d' } } })
    const link = await share(key)
    assert.equal(Date.parse(link.expires_at ?? '') - server.clock.now().getTime(), 2 * 3600_000)
    for (const expires_in of ['never', '2d', 86_401])
      await rejectsWith(share(key, { expires_in }), 'invalid_request', 'body.expires_in')
    await server.admin.updateSettings({ body: { shares: { default_expires_in: 'never' } } })
    assert.equal(Date.parse((await share(key)).expires_at ?? '') - server.clock.now().getTime(), DAY)
    await server.admin.updateSettings({ body: { shares: { default_expires_in: '7d', max_expires_in: null } } })
    const changed = await server.records([{ action: 'share_update', bucket: BUCKET, key }], () =>
      server.admin.updateShare({ params: { id: link.id }, body: { expires_in: 'never', max_downloads: 5 } }),
    )
    assert.deepEqual([changed.expires_at, changed.max_downloads], [null, 5])
  })

  it('opens a folder: listing, objects, zip; a link of a bucket made again is dead', async () => {
    for (const name of ['album/1.jpg', 'album/ü/2.jpg', 'album2/no.jpg']) await put(name)
    const link = await server.admin.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'album/' } })
    const first = await open(link.token, { path: '?limit=1' })
    const { items, next_cursor, name } = first.json<{ items: { name: string }[]; next_cursor: string; name: string }>()
    assert.deepEqual([name, items.map((one) => one.name)], ['album', ['1.jpg']])
    const rest = (await open(link.token, { path: `?limit=1&cursor=${next_cursor}` })).json<{
      items: { name: string }[]
    }>()
    assert.deepEqual(
      rest.items.map((one) => one.name),
      ['ü/2.jpg'],
    )
    const entry = await open(link.token, { path: `/${encodeURIComponent('ü')}/2.jpg` })
    assert.equal(entry.body.toString(), 'contents of album/ü/2.jpg')
    for (const path of ['/../album2/no.jpg', '/nothing.jpg'])
      assert.equal((await open(link.token, { path })).status, 404)
    const zip = await open(link.token, { path: '?archive=1' })
    assert.deepEqual(
      [zip.status, zip.headers['content-type'], zip.headers['cache-control']],
      [200, 'application/zip', 'no-store'],
    )
    assert.equal(zip.body.subarray(0, 4).toString('latin1'), 'PK\x03\x04')
    assert.ok(zip.body.includes('album/1.jpg') && !zip.body.includes('no.jpg'))
    const some = await server.admin.createShare({
      body: { kind: 'selection', bucket: BUCKET, keys: ['album/1.jpg', 'album2/no.jpg'] },
    })
    const listed = (await open(some.token)).json<{ items: { name: string }[] }>()
    assert.deepEqual(
      listed.items.map((one) => one.name),
      ['album/1.jpg', 'album2/no.jpg'],
    )
    assert.equal((await open(some.token, { path: '/album2/no.jpg' })).status, 200)
    assert.equal((await open(some.token, { path: '/docs/a.txt' })).status, 404)
    for (const body of [
      { kind: 'folder', bucket: BUCKET },
      { kind: 'selection', bucket: BUCKET, prefix: 'x' },
      { kind: 'object', bucket: BUCKET, key: 'docs/a.txt', max_files: 1 },
    ] as const)
      await rejectsWith(server.admin.createShare({ body }), 'invalid_request')

    await server.admin.createBucket({ body: { name: 'again' } })
    const params = { bucket: 'again', key: 'k' }
    await server.admin.putObject({ params, body: 'first' })
    const old = await server.admin.shareObject({ params: { bucket: 'again', key: 'k' }, body: {} })
    await server.admin.deleteObject({ params })
    await server.admin.deleteBucket({ params: { bucket: 'again' } })
    await server.admin.createBucket({ body: { name: 'again' } })
    await server.admin.putObject({ params, body: 'second' })
    assert.equal((await open(old.token)).status, 404)
  })

  it('changes the types that an upload link takes, for the next file; no other link has any', async () => {
    const link = await server.admin.createShare({
      body: { kind: 'upload', bucket: BUCKET, prefix: 'typed/', max_files: 3, content_types: ['image/*'] },
    })
    const send = async (type: string) =>
      (await open(link.token, { path: '/a', method: 'PUT', body: 'x', headers: { 'content-type': type } })).status
    const said = async () => (await open(link.token, { path: '?info=1' })).json().content_types
    const change = (content_types: string[] | null) =>
      server.records([{ action: 'share_update', bucket: BUCKET }], async () => {
        const changed = await server.admin.updateShare({ params: { id: link.id }, body: { content_types } })
        assert.deepEqual([changed.content_types, changed.max_files, await said()], [content_types, 3, content_types])
      })
    assert.equal(await send('text/plain'), 415)
    // To browsers a type with commas is a list, of which the last counts.
    for (const type of ['image/png,text/html', 'image/png;a=b,text/html']) assert.equal(await send(type), 415, type)
    const texts = ['text/*', 'application/pdf']
    await change(texts)
    assert.deepEqual([await send('image/png'), await send('text/plain')], [415, 201])

    const objectLink = await share(await put('typed.txt'))
    const folderLink = await server.admin.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'typed/' } })
    await server.records([], async () => {
      for (const content_types of [[], ['text'], ['*/*'], Array.from({ length: 51 }, (_, i) => `x/${i}`)] as string[][])
        await rejectsWith(
          server.admin.updateShare({ params: { id: link.id }, body: { content_types } }),
          'invalid_request',
        )
      for (const { id } of [objectLink, folderLink])
        for (const content_types of [texts, null])
          await rejectsWith(
            server.admin.updateShare({ params: { id }, body: { content_types, message: 'not this either' } }),
            ...(['invalid_request', 'body.content_types'] as const),
          )
    })
    const { items } = await server.admin.listShares({ query: { bucket: BUCKET } })
    const messages = items.filter(({ id }) => id === objectLink.id || id === folderLink.id).map((one) => one.message)
    assert.deepEqual([messages, await said()], [[null, null], texts])
    await change(null)
    assert.equal(await send('image/png'), 201)
    const updates = (await server.admin.listAudit({ query: { action: ['share_update'] } })).items
    assert.deepEqual(
      updates.slice(0, 2).map(({ details }) => details),
      [
        { share_id: link.id, before: { content_types: texts }, after: { content_types: null } },
        { share_id: link.id, before: { content_types: ['image/*'] }, after: { content_types: texts } },
      ],
    )
  })

  it('says who saw what a link holds: once an hour for a browser at an address, not of those who only look for it', async () => {
    await put('seen/a.txt')
    server.secrets.add('word to see it')
    const folder = await server.admin.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'seen/' } })
    const locked = await share('seen/a.txt', { password: 'word to see it', max_downloads: 2 })
    const seen = async ({ id }: { id: string }) => {
      await settled()
      const { items } = await server.admin.listShareAccesses({ params: { id } })
      return items.map(({ outcome, ip, user_agent, object_key }) => [outcome, ip, user_agent, object_key])
    }
    const see = (token: string, path: string, ip: string, agent: string, method = 'GET') =>
      open(token, { path, method, headers: { ...from(ip), 'user-agent': agent } })
    await settled()
    await server.records([], async () => {
      await see(folder.token, '', '203.0.113.1', 'one', 'HEAD')
      await see(folder.token, '?info=1', '203.0.113.1', 'one', 'HEAD')
      await request({ url: server.url, path: `/s/${folder.token}` })
      assert.deepEqual(await seen(folder), [])
      for (const path of ['?info=1&folder=', '?info=1', '?folder=', '', '/a.txt?embed=1', '?info=1'])
        assert.equal((await see(folder.token, path, '203.0.113.1', 'one')).status, 200)
      const first = [
        ['previewed', '203.0.113.1', 'one', 'seen/a.txt'],
        ['opened', '203.0.113.1', 'one', null],
      ]
      assert.deepEqual(await seen(folder), first)
      await Promise.all(Array.from({ length: 5 }, () => see(folder.token, '?info=1', '203.0.113.1', 'two')))
      await settled()
      await see(folder.token, '?info=1', '203.0.113.2', 'one')
      const three = [['opened', '203.0.113.2', 'one', null], ['opened', '203.0.113.1', 'two', null], ...first]
      assert.deepEqual(await seen(folder), three)
      const listed = (await server.admin.listShares({ query: { bucket: BUCKET } })).items
      const { access_count, last_accessed_at } = listed.find(({ id }) => id === folder.id) ?? {}
      assert.deepEqual([access_count, last_accessed_at], [0, null])

      await see(locked.token, '?info=1', '203.0.113.1', 'one')
      assert.deepEqual(await seen(locked), [], 'the password is missing')
      const body = JSON.stringify({ password: 'word to see it' })
      const headers = { 'content-type': 'application/json' }
      const { ticket } = (await open(locked.token, { method: 'POST', body, headers })).json<{ ticket: string }>()
      const info = (await see(locked.token, `?info=1&ticket=${ticket}`, '203.0.113.1', 'one')).json<ShareInfo>()
      assert.equal(info.downloads_left, 2)
      assert.deepEqual(await seen(locked), [['opened', '203.0.113.1', 'one', null]])
    })
    const before = await seen(folder)
    await server.later(3600_000)
    await see(folder.token, '?info=1', '203.0.113.1', 'one')
    assert.deepEqual(await seen(folder), [['opened', '203.0.113.1', 'one', null], ...before])
  })

  it('takes files from strangers: within its limits, never over another, telling nothing', async () => {
    await put('inbox/photo.png', 'mine', 'image/png')
    const link = await server.admin.createShare({
      body: {
        kind: 'upload',
        bucket: BUCKET,
        prefix: 'inbox/',
        max_file_bytes: 10,
        max_total_bytes: 25,
        max_files: 4,
        content_types: ['image/*'],
      },
    })
    const send = (name: string, body: string, headers: Record<string, string> = { 'content-type': 'image/png' }) =>
      open(link.token, { path: `/${name}`, method: 'PUT', body, headers })
    const stored = await server.records([{ action: 'upload', bucket: BUCKET, key: 'inbox/photo (2).png' }], () =>
      request({
        url: server.url,
        path: `${new URL(link.url).pathname}/photo.png`,
        method: 'PUT',
        body: '0123456789',
        headers: { 'content-type': 'image/png' },
      }),
    )
    assert.deepEqual([stored.status, stored.json()], [201, { name: 'photo.png', size: 10 }])
    const read = async (key: string) => (await server.admin.getObject({ params: { bucket: BUCKET, key } })).text()
    assert.deepEqual([await read('inbox/photo.png'), await read('inbox/photo (2).png')], ['mine', '0123456789'])
    const before = (await server.stored()).length
    await server.records([], async () => {
      assert.equal((await send('big.png', '01234567890')).status, 413)
      assert.equal((await send('page.html', 'x', { 'content-type': 'text/html' })).status, 415)
      assert.equal((await send('folder/', 'x')).status, 422)
      assert.equal((await open(link.token, { path: '/photo.png' })).status, 404, 'nothing can be read through it')
      const info = (await open(link.token)).json()
      assert.deepEqual([info.kind, info.items], ['upload', undefined])
    })
    assert.equal((await server.stored()).length, before, 'nothing is left of what was refused')
    const racers = await Promise.all(Array.from({ length: 6 }, (_, i) => send('same.png', `${i}`.repeat(5))))
    assert.deepEqual(racers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409], 'four files in all')
    const names = (await server.admin.listObjects({ params: { bucket: BUCKET }, query: { prefix: 'inbox/same' } }))
      .items
    assert.deepEqual(
      names.map(({ key }) => key),
      ['inbox/same (2).png', 'inbox/same (3).png', 'inbox/same.png'],
    )
    const [listed] = (await server.admin.listShares()).items
    assert.deepEqual([listed?.id, listed?.received_bytes], [link.id, 25])
    await server.admin.revokeShare({ params: { id: link.id } })
    assert.equal((await send('late.png', 'x')).status, 410)
    const kim = await person('inbox/', 'share', 'read')
    await rejectsWith(
      kim.client.createShare({ body: { kind: 'upload', bucket: BUCKET, prefix: 'inbox/' } }),
      'forbidden',
    )
    if (onS3) return
    const object = await put('not-upload.txt')
    const plain = await share(object)
    assert.equal((await open(plain.token, { path: '/x', method: 'PUT', body: 'x' })).status, 410)
  })
})
