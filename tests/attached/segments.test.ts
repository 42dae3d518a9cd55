import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import fc from 'fast-check'
import { compareBytesIn, compareIn, sortKeyOf } from '../../server/base/key-order.ts'
import { allActions, describeEngines, type TestServer } from '../support/server.ts'
import { byWalk } from './by-segments.ts'
import type { FakeEngine } from './fake-engine.ts'
import { fakeWorld } from './fake-world.ts'
import type { Site } from './site.ts'

const PAGE = 7
/** Each comes before its neighbor in one order, and after it in the other. */
const PAIRS = ['p/1', 'p-2', 'p.txt', 'p/2/x', 'p/2 y', 'p!', 'q/', 'q/a', 'q\u0001', 'ö/ä', 'ö b']
const numbered = (folder: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${folder}/${String(i).padStart(3, '0')}`)

it('the order by segments is that of a walk through folders', () => {
  const segment = fc.string({
    unit: fc.constantFrom('a', 'b', '-', '.', ' ', '!', '\u0001', '0', 'ö', '\u{1f600}'),
    maxLength: 3,
  })
  const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
  // By definition: the first segment that differs decides; of two, the one that ends first comes first.
  const walk = (a: string, b: string): number => {
    const [one, two] = [a.split('/'), b.split('/')]
    for (let i = 0; i < Math.min(one.length, two.length); i++) {
      const found = Buffer.compare(Buffer.from(one[i] as string), Buffer.from(two[i] as string))
      if (found !== 0) return found
    }
    return one.length - two.length
  }
  fc.assert(
    fc.property(key, key, (a, b) => {
      const expected = Math.sign(walk(a, b))
      assert.equal(Math.sign(compareIn('segments', a, b)), expected)
      assert.equal(Math.sign(compareBytesIn('segments', Buffer.from(a), Buffer.from(b))), expected)
      assert.equal(Math.sign(Buffer.compare(Buffer.from(sortKeyOf(a)), Buffer.from(sortKeyOf(b)))), expected)
      assert.equal(sortKeyOf(a).length, a.length)
    }),
    { numRuns: 2000 },
  )
})

describeEngines('an engine that lists folder by folder', (engine) => {
  const world = fakeWorld({}, engine)
  let server: TestServer
  let site: Site
  let fake: FakeEngine
  let storage: string
  before(() => {
    ;({ server, site, fake, storage } = world.parts())
  })

  async function filled(keys: readonly string[]): Promise<{ bucket: string; prefix: string }> {
    const prefix = world.nextPrefix()
    for (const key of keys) fake.put(prefix + key, key)
    fake.lies = { listsBySegments: true }
    fake.page = PAGE
    return { prefix, bucket: await site.attach(storage, prefix) }
  }
  /** What is shown is what is there. */
  async function assertShown(bucket: string, keys: readonly string[]): Promise<void> {
    const shown = [...(await site.shown(bucket)).keys()]
    assert.deepEqual(shown.toSorted(), keys.toSorted())
    const { object_count } = await server.admin.getBucket({ params: { bucket } })
    assert.equal(object_count, keys.length)
  }
  const lists = () => fake.log.splice(0).filter((line) => line.includes('list-type')).length
  const changes = async (bucket: string) =>
    (await allActions(server.database))
      .filter((one) => one.bucket === bucket && one.action === 'external_change')
      .map(({ object_key, details }) => `${JSON.parse(details).change} ${object_key}`)
      .toSorted()

  it('is scanned whole, also if that shows only beyond the first pages; what others do is found exactly', async () => {
    const keys = [...numbered('a', 3 * PAGE), ...PAIRS, ...numbered('z', PAGE)]
    const { bucket, prefix } = await filled(keys)
    fake.put(Buffer.from(`${prefix}p\u00ff-`, 'latin1'), 'not UTF-8')
    lists()
    const first = await site.finishScan(bucket)
    assert.deepEqual([first.status, first.detail], ['succeeded', null])
    assert.deepEqual([first.seen, first.added, first.refused], [keys.length, keys.length, 1])
    await assertShown(bucket, keys)
    const requests = lists()
    assert.ok(requests <= 2 * Math.ceil((keys.length + 1) / PAGE) + 1, `${requests} requests`)

    fake.put(`${prefix}p.txt`, 'changed')
    fake.put(`${prefix}p+new`, 'new')
    fake.delete(`${prefix}p/2/x`)
    fake.delete(`${prefix}p-2`)
    const second = await site.scan(bucket)
    assert.deepEqual(
      [second.status, second.added, second.changed, second.absent, second.missing, second.refused],
      ['succeeded', 1, 1, 2, 2, 1],
    )
    assert.ok(lists() <= Math.ceil((keys.length + 1) / PAGE) + 1, 'the order is remembered')
    assert.deepEqual(await site.missing(bucket), ['p-2', 'p/2/x'])
    assert.deepEqual(await changes(bucket), ['added p+new', 'changed p.txt', 'missing p-2', 'missing p/2/x'])
    assert.equal((await site.settle(bucket)).removed, 2)
    const left = [...keys.filter((key) => key !== 'p-2' && key !== 'p/2/x'), 'p+new']
    await assertShown(bucket, left)

    // As if the data had moved to another engine behind the same address.
    fake.lies = {}
    const third = await site.scan(bucket)
    assert.deepEqual(
      [third.status, third.seen, third.added, third.changed, third.absent],
      ['succeeded', left.length, 0, 0, 0],
    )
    await assertShown(bucket, left)
  })

  it('marks nothing as missing where a scan in byte order meets it for the first time', async () => {
    const keys = ['p-2', 'p.txt', ...numbered('z', 2 * PAGE)]
    const { bucket, prefix } = await filled(keys)
    assert.equal((await site.finishScan(bucket)).seen, keys.length)
    // Now p/ comes before what is known, at the end of a page or in the midst of one.
    const more = numbered('p', PAGE)
    for (const key of more) fake.put(prefix + key, key)
    const scan = await site.scan(bucket)
    assert.deepEqual(
      [scan.status, scan.seen, scan.added, scan.changed, scan.absent, scan.missing],
      ['succeeded', keys.length + more.length, more.length, 0, 0, 0],
    )
    assert.deepEqual(await site.missing(bucket), [])
    assert.deepEqual(
      await changes(bucket),
      more.map((key) => `added ${key}`),
    )
  })

  it('has new objects that an event reports, and rows of an earlier release, in their places', async () => {
    const { bucket, prefix } = await filled(PAIRS)
    await site.finishScan(bucket)
    await server.database.transaction((tx) => tx.updateTable('external_blobs').set({ sort_key: null }).execute())
    fake.delete(`${prefix}p.txt`)
    fake.put(`${prefix}p!`, 'swapped when it is read')
    assert.equal((await site.read(bucket, 'p!')).kind, 'whole')
    const scan = await site.scan(bucket)
    assert.deepEqual(
      [scan.status, scan.seen, scan.added, scan.changed, scan.missing],
      ['succeeded', PAIRS.length - 1, 0, 0, 1],
    )
    const { db } = server.database
    const rows = await db
      .selectFrom('external_blobs')
      .select(['key', 'sort_key'])
      .where('key', 'like', `${prefix}%`)
      .execute()
    assert.deepEqual(
      rows.map(({ sort_key }) => sort_key),
      rows.map(({ key }) => sortKeyOf(key)),
    )
    // The database orders them as a walk does.
    const ordered = await db
      .selectFrom('external_blobs')
      .select('key')
      .where('key', 'like', `${prefix}%`)
      .orderBy('sort_key')
      .execute()
    assert.deepEqual(
      ordered.map(({ key }) => key),
      rows.map(({ key }) => key).toSorted(byWalk),
    )
  })

  it('is held, after one more try, if it lists now so and now so', async () => {
    const { bucket } = await filled(PAIRS)
    await site.finishScan(bucket)
    lists()
    fake.page = 2
    fake.lies = { listsBySegments: true, listsOutOfOrder: true }
    const scan = await site.scan(bucket)
    assert.deepEqual([scan.status, scan.held_reason, scan.missing], ['held', 'disordered', 0])
    assert.match(
      scan.detail ?? '',
      /^The keys are not listed in byte order, nor folder by folder: “.*” comes before “.*”\.$/,
    )
    assert.ok(lists() <= 6, 'it does not go back and forth')
    await assertShown(bucket, PAIRS)
  })

  it('passes the test of a storage, which says how it lists', async () => {
    const { prefix } = await filled(PAIRS)
    fake.page = 1000
    const test = await server.admin.testNewStorage({
      body: {
        mode: 'read_only',
        endpoint: fake.endpoint,
        bucket: fake.bucket,
        prefix,
        access_key_id: 'id',
        secret_access_key: 'the secret of the fake engine',
      },
    })
    const order = test.checks.find(({ name }) => name === 'order')
    assert.equal(order?.status, 'passed')
    assert.match(order?.detail ?? '', /folder by folder and not in byte order: “.*” comes before “.*”\./)
  })
})
