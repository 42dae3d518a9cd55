// What the pages of share links ask the API for: folders one at a time, totals, previews, and where the pages are.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { ShareInfo, ShareListing } from '../../contract/shares.ts'
import { request } from '../support/http.ts'
import { quarters } from '../support/pictures.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const BUCKET = 'shown'

describeEngines('what the pages of links ask for', (engine, itOnce) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: BUCKET } })
    for (const key of ['a/', 'a/one.txt', 'a/sub/', 'a/sub/two.txt', 'a/sub/deep/three.txt', 'a/zoo.txt', 'b/four.txt'])
      await put(key, key.endsWith('/') ? '' : key)
  })
  after(() => server.stop())
  const put = (key: string, body: string | Buffer, type = 'text/plain') =>
    server.admin.putObjectByQuery({
      params: { bucket: BUCKET },
      query: { key },
      body: body as BodyInit,
      headers: { 'content-type': type },
    })
  const open = (token: string, query: { [name: string]: string } = {}, headers = {}) =>
    request({ url: server.url, path: `/public/s/${token}?${new URLSearchParams(query)}`, headers })
  const ask = async <T>(token: string, query: { [name: string]: string }): Promise<T> =>
    (await open(token, query)).json<T>()
  const linkTo = async (body: Omit<Parameters<typeof server.admin.createShare>[0]['body'], 'bucket'>) => {
    const link = await server.admin.createShare({ body: { ...body, bucket: BUCKET } })
    server.secrets.add(link.token)
    return link
  }
  const namesOf = ({ items }: ShareListing) => items.map(({ name }) => name)

  it('names nothing that a policy keeps from whose link it is, in its pages and where they end', async () => {
    const creator = server.as(await server.userWith({ bucket_pattern: BUCKET, actions: ['list', 'read', 'share'] }))
    const Resource = [`arn:aws:s3:::${BUCKET}/c/hidden/*`, `arn:aws:s3:::${BUCKET}/c/b-hidden`]
    const deny = { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: 's3:GetObject', Resource }] }
    await server.admin.putInlinePolicy({
      params: { kind: 'user', owner: (await creator.me()).id, name: 'own' },
      body: { document: JSON.stringify(deny) },
    })
    const keys = ['c/a', 'c/b-hidden', 'c/hidden/1', 'c/open/1']
    for (const key of keys) await put(key, key)
    const { token } = await creator.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'c/' } })
    server.secrets.add(token)
    for (const query of [{}, { folder: '' }] as { [name: string]: string }[]) {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const part: ShareListing = await ask(token, { ...query, limit: '1', ...(cursor ? { cursor } : {}) })
        seen.push(...namesOf(part), ...part.folders)
        cursor = part.next_cursor
        assert.doesNotMatch(Buffer.from(cursor ?? '', 'base64url').toString('latin1'), /hidden/)
      }
      assert.deepEqual(seen, ['a', 'folder' in query ? 'open/' : 'open/1'])
    }
    const params = { bucket: BUCKET }
    await server.admin.bulkDelete({ params, body: { keys } })
  })

  it('lists one folder at a time, in pages, with the folders in it', async () => {
    const { token } = await linkTo({ kind: 'folder', prefix: 'a/' })
    const top = await ask<ShareListing>(token, { folder: '' })
    assert.deepEqual([namesOf(top), top.folders, top.next_cursor], [['', 'one.txt', 'zoo.txt'], ['sub/'], null])
    const sub = await ask<ShareListing>(token, { folder: 'sub/' })
    assert.deepEqual([namesOf(sub), sub.folders], [['sub/', 'sub/two.txt'], ['sub/deep/']])
    const seen: string[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null && page < 10; page++) {
      const part: ShareListing = await ask(token, { folder: '', limit: '1', ...(cursor ? { cursor } : {}) })
      seen.push(...namesOf(part), ...part.folders)
      cursor = part.next_cursor
    }
    assert.deepEqual(seen, ['', 'one.txt', 'sub/', 'zoo.txt'])
    const nothing = await ask<ShareListing>(token, { folder: 'none/' })
    assert.deepEqual([nothing.items, nothing.folders], [[], []])
    // As before where no folder is asked for.
    const all = await ask<ShareListing>(token, {})
    assert.deepEqual(
      [namesOf(all), all.folders],
      [['', 'one.txt', 'sub/', 'sub/deep/three.txt', 'sub/two.txt', 'zoo.txt'], []],
    )
  })

  it('describes a link with its totals and the first page of a folder', async () => {
    const { token } = await linkTo({ kind: 'folder', prefix: 'a/', max_downloads: 3 })
    const info = await ask<ShareInfo>(token, { info: '1', folder: 'sub/' })
    assert.deepEqual(info.contents, { files: 4, bytes: 9 + 13 + 20 + 9, exact: true })
    assert.deepEqual([info.downloads_left, info.max_downloads], [3, 3])
    assert.deepEqual(namesOf(info.listing as ShareListing), ['sub/', 'sub/two.txt'])
    assert.equal('listing' in (await ask<ShareInfo>(token, { info: '1' })), false)
    const some = await linkTo({ kind: 'selection', keys: ['a/one.txt', 'b/four.txt', 'b/deleted.txt'] })
    const { contents, listing } = await ask<ShareInfo>(some.token, { info: '1', folder: '' })
    assert.deepEqual(contents, { files: 2, bytes: 19, exact: true })
    assert.deepEqual(listing && namesOf(listing), ['a/one.txt', 'b/four.txt'])
    const one = await linkTo({ kind: 'object', key: 'a/one.txt' })
    const of = await ask<ShareInfo>(one.token, { info: '1', folder: '' })
    assert.deepEqual([of.contents, of.listing, of.size], [null, undefined, 9])
  })

  it('shows and counts no more of a folder than its creator may read', async () => {
    const password = 'password of someone limited'
    server.secrets.add(password)
    const group = await server.admin.createGroup({
      body: {
        name: 'Limited',
        grants: [
          { bucket_pattern: BUCKET, prefix: 'a/', actions: ['share'] },
          { bucket_pattern: BUCKET, prefix: 'a/', actions: ['read'] },
        ],
      },
    })
    const email = 'limited@example.com'
    await server.admin.createUser({ body: { email, display_name: 'L', password, group_ids: [group.id] } })
    const limited = server.as(await server.login(email, password))
    const { token } = await limited.createShare({ body: { kind: 'folder', bucket: BUCKET, prefix: 'a/' } })
    server.secrets.add(token)
    await server.admin.updateGroup({
      params: { id: group.id },
      body: {
        grants: [
          { bucket_pattern: BUCKET, prefix: 'a/', actions: ['share'] },
          { bucket_pattern: BUCKET, prefix: 'a/sub/deep/', actions: ['read'] },
        ],
      },
    })
    const info = await ask<ShareInfo>(token, { info: '1', folder: '' })
    assert.deepEqual(info.contents, { files: 1, bytes: 20, exact: true })
    assert.deepEqual([info.listing?.items, info.listing?.folders], [[], ['sub/']])
    for (const folder of ['../b/', 'sub/../../b/']) {
      const listing = await ask<ShareListing & { status?: number }>(token, { folder })
      assert.ok(listing.status === 410 || listing.items.length + listing.folders.length === 0, folder)
    }
  })

  itOnce('rejects what is no folder, and tells nothing of a protected one', async () => {
    const open1 = await linkTo({ kind: 'folder', prefix: 'a/' })
    for (const folder of ['sub', 'sub/x', `${'x'.repeat(1024)}/`])
      assert.equal((await open(open1.token, { folder })).status, 422, folder)
    server.secrets.add('word of a folder')
    const { token } = await linkTo({ kind: 'folder', prefix: 'a/', password: 'word of a folder', max_downloads: 2 })
    const info = await ask<ShareInfo>(token, { info: '1', folder: '' })
    assert.deepEqual([info.name, info.contents, info.listing, info.max_downloads], [null, null, undefined, null])
    assert.equal((await open(token, { folder: '' })).status, 401)
  })

  itOnce('records a preview as what it is, and counts it where downloads are limited', async () => {
    await put('pictures/quarters.png', await quarters().png().toBuffer(), 'image/png')
    const outcomes = async (id: string) => {
      await server.running.tick()
      return (await server.admin.listShareAccesses({ params: { id } })).items.map(({ outcome }) => outcome)
    }
    const count = async (id: string) =>
      (await server.admin.listShares({ query: { bucket: BUCKET } })).items.find((one) => one.id === id)?.access_count
    const free = await linkTo({ kind: 'folder', prefix: 'pictures/' })
    const small = { key: 'quarters.png', w: '16', format: 'webp' }
    assert.equal((await open(free.token, { ...small, embed: '1' })).status, 200)
    const part = { range: 'bytes=10-19' }
    assert.equal((await open(free.token, { key: 'quarters.png', embed: '1' })).status, 200)
    assert.equal((await open(free.token, { key: 'quarters.png', embed: '1' }, part)).status, 206)
    assert.deepEqual(await outcomes(free.id), ['continued', 'previewed', 'previewed'])
    assert.equal(await count(free.id), 0)
    assert.equal((await open(free.token, small)).status, 200)
    assert.deepEqual([(await outcomes(free.id))[0], await count(free.id)], ['served', 1])
    const limited = await linkTo({ kind: 'folder', prefix: 'pictures/', max_downloads: 1 })
    assert.equal((await open(limited.token, { ...small, embed: '1' })).status, 200)
    assert.equal((await open(limited.token, { ...small, embed: '1' })).status, 410)
    assert.deepEqual(await outcomes(limited.id), ['limit_spent', 'served'])
  })

  it('says who shares it, since when, and the creator’s message; not before the password', async () => {
    const message = 'The pictures of <b>Lisbon</b>.\nKeep them \u{1F600}'
    for (const one of ['', '   ', 'x'.repeat(1001), 'a\0b'])
      await rejectsWith(linkTo({ kind: 'folder', prefix: 'a/', message: one }), 'invalid_request', 'body.message')
    const link = await linkTo({ kind: 'folder', prefix: 'a/', message })
    assert.equal(link.message, message)
    const info = await ask<ShareInfo>(link.token, { info: '1' })
    assert.deepEqual([info.message, info.shared_at], [message, link.created_at])
    const update = { action: 'share_update', bucket: BUCKET } as const
    const changed = await server.records([update], () =>
      server.admin.updateShare({ params: { id: link.id }, body: { message: null } }),
    )
    assert.equal(changed.message, null)
    assert.equal((await ask<ShareInfo>(link.token, { info: '1' })).message, null)
    const { items } = await server.admin.listAudit({ query: { action: ['share_update'] } })
    assert.deepEqual(items[0]?.details, {
      share_id: link.id,
      before: { has_message: true },
      after: { has_message: false },
    })
    const locked = await linkTo({ kind: 'folder', prefix: 'a/', message, password: 'word before a message' })
    server.secrets.add('word before a message')
    const hidden = await ask<ShareInfo>(locked.token, { info: '1' })
    assert.deepEqual([hidden.message, hidden.shared_by], [null, null])
    // The display name, and never an email address in its place.
    for (const [name, shown] of [
      ['Ada Moreau', 'Ada Moreau'],
      ['ada@example.com', null],
    ] as const) {
      const password = `password of ${name}`
      const email = `sharer-${name.length}@example.com`
      server.secrets.add(password)
      const group = await server.admin.createGroup({
        body: { name: `Of ${name}`, grants: [{ bucket_pattern: BUCKET, prefix: '', actions: ['read', 'share'] }] },
      })
      await server.admin.createUser({ body: { email, display_name: name, password, group_ids: [group.id] } })
      const { token } = await server
        .as(await server.login(email, password))
        .createShare({ body: { kind: 'object', bucket: BUCKET, key: 'a/one.txt' } })
      server.secrets.add(token)
      const answer = await open(token, { info: '1' })
      assert.equal(answer.json<ShareInfo>().shared_by, shown)
      assert.equal(answer.body.includes('@example.com'), false)
    }
  })

  itOnce('the page unfurls in chats: how much and by whom, and nothing of what is protected or over', async () => {
    const tagsOf = async (token: string): Promise<{ [name: string]: string }> => {
      const { status, body } = await request({ url: server.url, path: `/s/${token}` })
      if (status === 503) return {}
      assert.equal(status, 200)
      const tags = body.toString().matchAll(/<meta property="(og:\w+)" content="([^"]*)">/g)
      return Object.fromEntries([...tags].map(([, name = '', content = '']) => [name, content]))
    }
    const { display_name } = await server.admin.me()
    await server.admin.updateUser({
      params: { id: (await server.admin.me()).id },
      body: { display_name: 'Ada "<Moreau> & Co' },
    })
    const shown = 'Ada &#34;&#60;Moreau&#62; &#38; Co'
    const cases = [
      [{ kind: 'folder', prefix: 'a/' }, `4 files shared by ${shown}`],
      [{ kind: 'object', key: 'a/one.txt' }, `1 file shared by ${shown}`],
      [{ kind: 'upload', prefix: 'in/' }, `Files requested by ${shown}`],
      [{ kind: 'folder', prefix: 'a/', password: 'word before tags' }, 'Strongroom'],
    ] as const
    server.secrets.add('word before tags')
    for (const [body, title] of cases) {
      const link = await linkTo(body)
      const tags = await tagsOf(link.token)
      // Without a build there is no page.
      if (Object.keys(tags).length === 0) continue
      assert.equal(tags['og:title'], title)
      await server.admin.revokeShare({ params: { id: link.id } })
      assert.deepEqual(await tagsOf(link.token), await tagsOf('x'.repeat(43)))
      assert.equal((await tagsOf(link.token))['og:title'], 'Strongroom')
    }
    await server.admin.updateUser({ params: { id: (await server.admin.me()).id }, body: { display_name } })
  })

  itOnce('gives out the address of the page with the link, also later', async () => {
    const link = await linkTo({ kind: 'object', key: 'a/one.txt' })
    assert.equal(link.page_url, link.url.replace('/public/s/', '/s/'))
    const again = await server.admin.getShareLink({ params: { id: link.id } })
    assert.deepEqual([again.url, again.page_url], [link.url, link.page_url])
  })
})
