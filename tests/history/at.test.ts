// What else can be asked for as it was: searches, versions, zips and images.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import sharp from 'sharp'
import { rejectsWith } from '../support/problems.ts'
import { describeEngines, type TestServer } from '../support/server.ts'
import { unzip } from '../support/unzip.ts'
import { momentsWorld } from './world.ts'

const MINUTE = 60_000

describeEngines('reading at a moment', (engine, itOnce) => {
  const world = momentsWorld(engine)
  const { open } = world
  let server: TestServer
  before(() => {
    server = world.server
  })
  const pass = (): string => {
    server.clock.advance(MINUTE)
    const at = server.clock.now().toISOString()
    server.clock.advance(MINUTE)
    return at
  }
  const textsOf = async (bytes: ArrayBuffer) =>
    Object.fromEntries((await unzip(Buffer.from(bytes))).map(({ name, text }) => [name, text]))

  it('searches what there was, by texts and by queries, and says what was erased since', async () => {
    const bucket = await open()
    await bucket.put('a/report-1', 'first', 'stage=old')
    await bucket.put('a/report-2', 'first!')
    const at = pass()
    await bucket.put('a/report-1', 'a longer text', 'stage=new')
    await bucket.remove('a/report-2')
    await bucket.put('a/report-3', 'later')
    const find = async (query: object) =>
      (await server.admin.searchObjects({ params: bucket.params, query })).items.map(({ key, size, erased }) => [
        key,
        erased ? 'erased' : size,
      ])
    const then = [
      ['a/report-1', 5],
      ['a/report-2', 6],
    ]
    assert.deepEqual(await find({ search: 'report', at }), then)
    assert.deepEqual(await find({ q: 'report', at }), then)
    assert.deepEqual(await find({ q: 'tag:stage=old', at }), [['a/report-1', 5]])
    assert.deepEqual(await find({ q: 'tag:stage=new', at }), [])
    assert.deepEqual(await find({ q: 'report', sort: 'size', order: 'desc', at }), [...then].reverse())
    const now = [
      ['a/report-1', 13],
      ['a/report-3', 5],
    ]
    assert.deepEqual([await find({ search: 'report' }), await find({ q: 'report' })], [now, now])
    await server.admin.purgeTrash({ params: bucket.params, body: { all: true } })
    assert.deepEqual(
      await find({ q: 'report', at }),
      then.map(([key]) => [key, 'erased']),
    )
  })

  it('lists the versions that there were, and which was the latest', async () => {
    const bucket = await open({ versioning: 'enabled' })
    const versions = async (query: object) =>
      (await server.admin.listVersions({ params: bucket.params, query })).items.map(({ key, size, latest, marker }) => [
        key,
        marker ? 'marker' : size,
        latest,
      ])
    await bucket.put('a', '1')
    const first = pass()
    await bucket.put('a', '22')
    await bucket.put('b', '1')
    const second = pass()
    await bucket.tag('a', { t: '1' })
    const tagged = pass()
    await bucket.remove('a')
    const removed = pass()
    await bucket.put('a', '333')
    for (const query of [{ key: 'a' }, {}]) {
      const others = 'key' in query ? [] : [['b', 1, true]]
      assert.deepEqual(await versions({ ...query, at: first }), [['a', 1, true]])
      const both = [['a', 2, true], ['a', 1, false], ...others]
      assert.deepEqual(await versions({ ...query, at: second }), both)
      assert.deepEqual(await versions({ ...query, at: tagged }), both)
      const marked = [['a', 'marker', true], ['a', 2, false], ['a', 1, false], ...others]
      assert.deepEqual(await versions({ ...query, at: removed }), marked)
    }
    assert.equal((await versions({ key: 'a' })).length, 4)
    const page = await server.admin.listVersions({ params: bucket.params, query: { at: second, limit: 1 } })
    const rest = await versions({ at: second, limit: 1, cursor: page.next_cursor ?? '' })
    assert.deepEqual(rest, [['a', 1, false]])
  })

  it('zips a folder and a selection as they were, and says what was erased since', async () => {
    const bucket = await open()
    await bucket.put('a/one', 'first')
    await bucket.put('a/two', 'second')
    await bucket.put('b', 'beside')
    const at = pass()
    await bucket.put('a/one', 'changed')
    await bucket.remove('a/two')
    await bucket.put('a/new', 'new')
    const { params } = bucket
    const folder = async (query: object = {}) =>
      textsOf(await (await server.admin.archiveObjects({ params, query: { prefix: 'a/', ...query } })).arrayBuffer())
    assert.deepEqual(await folder({ at }), { 'a/one': 'first', 'a/two': 'second' })
    assert.deepEqual(await folder(), { 'a/new': 'new', 'a/one': 'changed' })
    const keys = ['a/one', 'a/two', 'a/new', 'b']
    const some = await server.admin.archiveSelection({ params, body: { keys, at } })
    assert.deepEqual(await textsOf(await some.arrayBuffer()), { 'a/one': 'first', 'a/two': 'second', b: 'beside' })
    await server.admin.purgeTrash({ params, body: { all: true } })
    assert.deepEqual(await folder({ at }), { 'a/one.erased': '', 'a/two.erased': '' })
  })

  it('makes images of what an object was, and none of what was erased', async () => {
    const bucket = await open()
    const picture = (background: string) =>
      sharp({ create: { width: 40, height: 20, channels: 3, background } })
        .png()
        .toBuffer()
    const params = { ...bucket.params, key: 'cat.png' }
    await server.admin.putObject({ params, body: await picture('#ff0000') })
    const at = pass()
    await server.admin.putObject({ params, body: await picture('#0000ff') })
    const red = async (query: object) => {
      const image = await server.admin.getImage({ params, query: { w: 10, format: 'png', ...query } })
      const { channels } = await sharp(Buffer.from(await image.arrayBuffer())).stats()
      return Math.round(channels[0]?.mean ?? -1)
    }
    assert.deepEqual([await red({ at }), await red({})], [255, 0])
    assert.ok((await server.admin.headImage({ params, query: { w: 10, at } })).ok)
    await server.admin.purgeTrash({ params: bucket.params, body: { all: true } })
    await rejectsWith(red({ at }), 'erased')
  })

  itOnce('asks for the same rights as now', async () => {
    const bucket = await open()
    await bucket.put('a', 'first')
    await bucket.put('b', 'first')
    const at = pass()
    await bucket.put('a', 'second')
    const { params } = bucket
    const visitor = server.as(
      await server.userWith({ bucket_pattern: bucket.name, prefix: 'b', actions: ['list', 'read'] }),
    )
    const found = await visitor.searchObjects({ params, query: { search: '', at } }).catch(() => undefined)
    assert.ok(!found || found.items.every(({ key }) => key === 'b'))
    assert.deepEqual(
      (await visitor.listVersions({ params, query: { at } })).items.map(({ key }) => key),
      ['b'],
    )
    const zip = await visitor.archiveObjects({ params, query: { prefix: '', at } })
    assert.deepEqual(await textsOf(await zip.arrayBuffer()), { b: 'first' })
    await rejectsWith(visitor.getImage({ params: { ...params, key: 'a' }, query: { w: 1, at } }), 'forbidden')
    for (const wrong of ['2999-01-01T00:00:00Z', 'no-such-snapshot'])
      await rejectsWith(
        server.admin.searchObjects({ params, query: { q: 'a', at: wrong } }),
        'invalid_request',
        'query.at',
      )
  })
})
