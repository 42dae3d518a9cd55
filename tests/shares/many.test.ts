// Links to many objects, one to each: what is created and recorded, what is refused, and what takes them back.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { request as send } from '../support/http.ts'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'

const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)

type Asked = Parameters<Client['bulkShare']>[0]['body']

describeEngines('links to many objects', (engine, itOnce) => {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  const open = async (...keys: string[]) => {
    const bucket = `many-${++buckets}`
    await server.admin.createBucket({ body: { name: bucket } })
    for (const key of keys)
      await server.admin.putObject({
        params: { bucket, key },
        body: key,
        headers: { 'x-tags': key.startsWith('b') ? 'p=apollo' : '' },
      })
    return bucket
  }
  const share = async (bucket: string, body: Asked, by = server.admin) => {
    const made = await by.bulkShare({ params: { bucket }, body })
    for (const { url } of made.items) server.secrets.add(url.slice(url.lastIndexOf('/') + 1))
    return made
  }
  const created = (bucket: string, ...keys: string[]) =>
    keys.map((key) => ({ action: 'share_create' as const, bucket, key }))
  const revoked = (bucket: string, ...keys: string[]) =>
    keys.map((key) => ({ action: 'share_revoke' as const, bucket, key }))
  const body = async (url: string, headers: { [name: string]: string } = {}) => {
    const answer = await send({ url: server.url, path: new URL(url).pathname, headers })
    return answer.status === 200 ? answer.body.toString() : answer.status
  }
  const listed = async (bucket: string) =>
    (await server.admin.listShares({ query: { bucket, limit: 1000 } })).items.map(({ object_key }) => object_key)

  it('creates one for each object that is named, is in a folder or is found, with the same limits', async () => {
    const bucket = await open('a/1', 'a/2', 'b/3')
    const limits = { expires_in: '1h', max_downloads: 1, password: 'sesame' }
    const dry = await server.records([], () => share(bucket, { prefix: 'a/', dry_run: true, ...limits }))
    assert.deepEqual(dry, { items: [], errors: [], total: 2 })
    const made = await server.records(created(bucket, 'b/3', 'a/1'), () =>
      share(bucket, { keys: ['b/3', 'a/1'], ...limits }),
    )
    assert.deepEqual([made.total, made.errors, made.items.map(({ key }) => key)], [2, [], ['b/3', 'a/1']])
    const expires_at = new Date(server.clock.now().getTime() + 3600_000).toISOString()
    for (const { key, url, expires_at: ends } of made.items) {
      assert.equal(ends, expires_at)
      assert.equal(await body(url), 401)
      assert.equal(await body(url, { 'x-share-password': 'sesame' }), key)
      assert.equal(await body(url, { 'x-share-password': 'sesame' }), 410, 'each has its own downloads')
    }
    // What was recorded is what a single creation records.
    const { token } = await server.admin.createShare({ body: { kind: 'object', bucket, key: 'a/1', ...limits } })
    server.secrets.add(token)
    const rows = (await server.admin.listAudit({ query: { bucket, action: ['share_create'] } })).items
    const said = rows.map(({ details, resource_type }) => ({
      resource_type,
      details: { ...(details as object), share_id: typeof (details as { share_id: unknown }).share_id },
    }))
    assert.equal(said.length, 3)
    for (const one of said) assert.deepEqual(one, said[0])
    const found = await server.records(created(bucket, 'b/3'), () => share(bucket, { query: 'tag:p=apollo' }))
    assert.deepEqual([found.total, await body(found.items[0]?.url ?? '')], [1, 'b/3'])
    const rest = await server.records(created(bucket, 'a/2'), () => share(bucket, { prefix: 'a/', exclude: ['a/1'] }))
    assert.equal(rest.total, 1)
    const outside = await server.records(created(bucket, 'b/3'), () => share(bucket, { prefix: '', exclude: ['a/'] }))
    assert.equal(outside.total, 1)
    const again = await server.admin.getShareLink({ params: { id: rest.items[0]?.id ?? '' } })
    assert.deepEqual([again.url, again.page_url], [rest.items[0]?.url, rest.items[0]?.page_url])
    assert.equal((await server.admin.verifyAudit()).ok, true)
  })

  it('creates a thousand at once and not one more, and takes them back at once', async () => {
    const keys = Array.from({ length: 1001 }, (_, i) => `k/${String(i).padStart(4, '0')}`)
    const bucket = await open('k/0000')
    const from = { source_bucket: bucket, source_key: 'k/0000' }
    await Promise.all(
      keys.slice(1).map((dest_key) => server.admin.copyObject({ params: { bucket }, body: { ...from, dest_key } })),
    )
    await server.records([], async () => {
      await rejectsWith(share(bucket, { prefix: 'k/' }), 'limit_reached')
      await rejectsWith(share(bucket, { query: 'key:k/*' }), 'limit_reached')
      await rejectsWith(share(bucket, { keys }), 'invalid_request', 'body.keys')
    })
    const most = keys.slice(0, 1000)
    const made = await server.records(created(bucket, ...most), () => share(bucket, { keys: most }))
    assert.equal(made.total, 1000)
    assert.equal(new Set(made.items.map(({ url }) => url)).size, 1000)
    assert.equal(await body(made.items[999]?.url ?? ''), 'k/0000')
    const ids = made.items.map(({ id }) => id)
    const back = await server.records(revoked(bucket, ...most), () =>
      server.admin.bulkUnshare({ params: { bucket }, body: { ids } }),
    )
    assert.deepEqual([back.revoked.length, back.errors], [1000, []])
    assert.equal(await body(made.items[999]?.url ?? ''), 410)
    const twice = await server.records([], () => server.admin.bulkUnshare({ params: { bucket }, body: { ids } }))
    assert.deepEqual([twice.revoked, twice.errors.length], [[], 1000])
  })

  it('keeps to the rights of the caller object by object, and to what policies deny', async () => {
    const bucket = await open('in/1', 'in/2', 'out/3')
    const person = async (actions: ('list' | 'read' | 'share')[], prefix = 'in/') =>
      server.as(await server.userWith({ bucket_pattern: bucket, prefix, actions }))
    const keys = ['in/1', 'out/3', 'none', 'in/none', 'in/2']
    const some = await person(['list', 'read', 'share'])
    const codes = (made: { errors: { key: string; code: string }[] }) => made.errors.map(({ key, code }) => [key, code])
    const refused = [
      ['out/3', 'forbidden'],
      ['none', 'forbidden'],
      ['in/none', 'not_found'],
    ]
    const dry = await server.records([], () => share(bucket, { keys, dry_run: true }, some))
    assert.deepEqual([dry.total, codes(dry)], [2, refused])
    const made = await server.records(created(bucket, 'in/1', 'in/2'), () => share(bucket, { keys }, some))
    assert.deepEqual([made.total, codes(made)], [2, refused])
    await server.admin.putBucketPolicy({
      params: { bucket },
      body: {
        document: JSON.stringify({
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/in/1` },
          ],
        }),
      },
    })
    const denied = await server.records(created(bucket, 'in/2'), () => share(bucket, { prefix: 'in/' }, some))
    assert.deepEqual([denied.total, codes(denied)], [1, [['in/1', 'forbidden']]])
    await server.admin.deleteBucketPolicy({ params: { bucket } })
    const refusal = [{ action: 'access_denied', result: 'denied' }] as const
    const [reader, blind, other, elsewhere] = [
      await person(['list', 'read']),
      await person(['read', 'share']),
      await person(['list', 'read', 'share']),
      await open(),
    ]
    const ids = made.items.map(({ id }) => id)
    await server.records(refusal, () => rejectsWith(share(bucket, { keys: ['in/1'] }, reader), 'forbidden'))
    await server.records(refusal, () => rejectsWith(share(bucket, { prefix: 'in/' }, blind), 'forbidden'))
    await server.records(refusal, () =>
      rejectsWith(reader.bulkUnshare({ params: { bucket }, body: { ids } }), 'forbidden'),
    )
    // Links of others are nobody else's, nor are those of another bucket.
    const missing = ids.map((id) => ({ id, code: 'not_found', detail: 'There is no such link.' })).toSorted(byId)
    await server.records([], async () => {
      assert.deepEqual(codes(await share(bucket, { keys: ['out/3'] }, some)), [['out/3', 'forbidden']])
      const left = await other.bulkUnshare({ params: { bucket }, body: { ids } })
      assert.deepEqual([left.revoked, left.errors.toSorted(byId)], [[], missing])
      const none = await server.admin.bulkUnshare({ params: { bucket: elsewhere }, body: { ids } })
      assert.deepEqual([none.revoked, none.errors.toSorted(byId)], [[], missing])
    })
    await server.records(revoked(bucket, 'in/1', 'in/2'), () => some.bulkUnshare({ params: { bucket }, body: { ids } }))
  })

  itOnce('says what of a request it does not take, and creates nothing then', async () => {
    const bucket = await open('a/1')
    const wrong: [Asked, string][] = [
      [{}, 'body.keys'],
      [{ keys: ['a/1'], query: 'a' }, 'body.keys'],
      [{ keys: ['a/1'], prefix: 'a/' }, 'body.keys'],
      [{ keys: [] }, 'body.keys'],
      [{ keys: ['a/1'], expires_in: '1y' }, 'body.expires_in'],
      [{ keys: ['a/1'], expires_in: '900w' }, 'body.expires_in'],
      [{ keys: ['a/1'], password: 'é'.repeat(37) }, 'body.password'],
      [{ keys: ['a/1'], notify: true }, 'body.notify'],
      [{ keys: ['a/1'], filename: 'all.txt' } as Asked, 'body.filename'],
    ]
    await server.records([], async () => {
      for (const [body, path] of wrong) await rejectsWith(share(bucket, body), 'invalid_request', path)
      await rejectsWith(share(bucket, { query: 'sise:1' }), 'invalid_query')
      await rejectsWith(share('nowhere', { keys: ['a'] }), 'not_found')
    })
    assert.deepEqual(await listed(bucket), [])
  })

  itOnce('returns the URLs also where no links are stored, and keeps none', async () => {
    const bucket = await open('a/1')
    const before = (await server.admin.getSettings()).shares
    await server.admin.updateSettings({ body: { shares: { ...before, keep_links: false, max_expires_in: '2h' } } })
    const made = await share(bucket, { keys: ['a/1'] })
    const [{ id, url, expires_at } = { id: '', url: '', expires_at: null }] = made.items
    assert.equal(await body(url), 'a/1')
    assert.equal(Date.parse(expires_at ?? '') - server.clock.now().getTime(), 7200_000)
    await rejectsWith(server.admin.getShareLink({ params: { id } }), 'conflict')
    await rejectsWith(share(bucket, { keys: ['a/1'], expires_in: '3h' }), 'invalid_request', 'body.expires_in')
    await server.admin.updateSettings({ body: { shares: before } })
  })

  itOnce('waits for approval of an agent’s links as one request, which says to what they are', async () => {
    const keys = Array.from({ length: 120 }, (_, i) => `a/${String(i).padStart(3, '0')}`)
    const bucket = await open(...keys)
    const made = await server.admin.createAgent({
      body: {
        name: 'sharer',
        scope: [{ bucket, actions: ['list', 'read', 'share'] }],
        approval: { actions: ['share'] },
      },
    })
    server.secrets.add(made.token).add(made.secret_access_key)
    const agent = server.as(made.token)
    const ask = async (asked: Asked) => {
      const { problem } = await rejectsWith(share(bucket, asked, agent), 'approval_required')
      return String((problem as unknown as { approval_id: string }).approval_id)
    }
    const asked = { prefix: 'a/', expires_in: '1h', password: 'sesame' }
    assert.equal((await server.records([], () => share(bucket, { ...asked, dry_run: true }, agent))).total, 120)
    // One request, whose details are too long for one record.
    const request = { action: 'approval_request' } as const
    const id = await server.records([request, request, request], () => ask(asked))
    const waiting = await server.admin.getApproval({ params: { id } })
    assert.deepEqual([waiting.reason, waiting.objects, waiting.actions.length], ['share', 120, 100])
    const [first] = waiting.actions
    assert.deepEqual(
      [first?.action, first?.key, first?.details.expires_in, first?.details.has_password],
      ['share_create', 'a/000', 3600, true],
    )
    assert.deepEqual(await listed(bucket), [])
    await server.admin.approve({ params: { id } })
    // Other objects, another password or one link alone are other requests.
    assert.notEqual(await ask({ ...asked, exclude: ['a/119'] }), id)
    assert.notEqual(await ask({ ...asked, password: 'another' }), id)
    const done = await server.records(created(bucket, ...keys), () => share(bucket, asked, agent))
    assert.equal(done.total, 120)
    assert.notEqual(await ask(asked), id)
  })
})
