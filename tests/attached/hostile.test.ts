import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { HeldReason } from '../../contract/scans.ts'
import { allActions, type TestServer } from '../support/server.ts'
import type { FakeEngine, Lies } from './fake-engine.ts'
import { fakeWorld } from './fake-world.ts'
import { md5, type Site, type Taken } from './site.ts'

/** Larger than what is read in one piece before it is sent. */
const LARGE = 300_000
const OBJECTS: Record<string, string> = {
  'a.txt': 'ten bytes!',
  'dir/large.bin': 'x'.repeat(LARGE),
  'dir/space +ö%41': 'a key that has to be encoded',
  empty: '',
  'z.txt': 'the last one',
}
const KEYS = Object.keys(OBJECTS)

/** What an engine does wrong, and what is to be seen of it. */
interface Case {
  name: string
  lies: Lies
  /** What a read that is refused says; without it, all reads succeed. */
  read?: RegExp
  /** As what a scan ends; default `succeeded`. */
  held?: HeldReason
  /** What the scan says. */
  scan?: RegExp
}

const cases: Case[] = [
  {
    name: 'lists other sizes',
    lies: { listedSize: 1 },
  },
  {
    name: 'says another length in HEAD than in GET',
    lies: { headLength: 1 },
    read: /sends \d+ bytes of an object instead of \d+, under the same ETag|was changed/,
  },
  {
    name: 'announces more bytes than it sends',
    lies: { getLength: 5 },
    read: /sends \d+ bytes of an object instead of \d+, under the same ETag/,
  },
  {
    name: 'sends fewer bytes than the object has',
    lies: { getLength: -3 },
    read: /sends \d+ bytes of an object instead of \d+, under the same ETag/,
  },
  { name: 'sends another object than it was asked for', lies: { otherEtagOnGet: true }, read: /was changed/ },
  { name: 'ignores If-Match', lies: { ignoresIfMatch: true } },
  {
    name: 'ignores If-Match, and objects change between HEAD and GET',
    lies: { ignoresIfMatch: true, changesAfterHead: true },
    read: /was changed/,
  },
  { name: 'has objects that change between HEAD and GET', lies: { changesAfterHead: true }, read: /was changed/ },
  { name: 'ignores Range', lies: { ignoresRange: true } },
  { name: 'sends another range', lies: { otherRange: true }, read: /another range/ },
  { name: 'lists out of order', lies: { listsOutOfOrder: true }, held: 'disordered', scan: /not listed in byte order/ },
  { name: 'lists nothing', lies: { listsNothing: true }, held: 'empty', scan: /list.*empty|lists nothing/i },
  {
    name: 'lists the same again and again',
    lies: { listsWithoutEnd: true },
    held: 'disordered',
    scan: /not listed in byte order/,
  },
  {
    name: 'lists objects outside of the prefix',
    lies: { ignoresPrefix: true },
    held: 'listing_failed',
    scan: /lists keys that do not have the prefix/,
  },
  {
    name: 'answers with 500',
    lies: { answers500: true },
    read: /fault of its own \(HTTP 500\)/,
    held: 'listing_failed',
    scan: /fault of its own \(HTTP 500\)/,
  },
  { name: 'breaks off in the middle of an object', lies: { breaksOff: true }, read: /broke off the connection/ },
  { name: 'sends no Content-Length', lies: { noLengths: true }, read: /does not say how many bytes/ },
  {
    name: 'answers with a web page',
    lies: { answersHtml: true },
    read: /does not answer like an S3 engine/,
    held: 'listing_failed',
    scan: /does not answer like an S3 engine/,
  },
  {
    name: 'denies the bucket',
    lies: { noSuchBucket: true },
    read: /no such bucket/,
    held: 'listing_failed',
    scan: /no such bucket/,
  },
]

describe('engines that lie', () => {
  const world = fakeWorld()
  let server: TestServer
  let site: Site
  let fake: FakeEngine
  let storage: string
  before(() => {
    ;({ server, site, fake, storage } = world.parts())
  })

  /** A filled place of its own, attached and scanned. */
  async function filled(objects: Record<string, string> = OBJECTS) {
    const prefix = world.nextPrefix()
    for (const [key, text] of Object.entries(objects)) fake.put(prefix + key, text)
    const bucket = await site.attach(storage, prefix)
    const scan = await site.finishScan(bucket)
    assert.equal(scan.status, 'succeeded', scan.detail ?? '')
    return { prefix, bucket }
  }
  const bytesOf = (prefix: string, key: string): Buffer =>
    fake.objects.get(Buffer.from(prefix + key).toString('latin1'))?.bytes ?? assert.fail(`there is no ${key}`)

  /** Reads an object in every way. What is sent must have been an object's bytes, and be what its ETag says. */
  async function readInAllWays(bucket: string, key: string, history: ReadonlyMap<string, Buffer>): Promise<Taken[]> {
    const etag = (await site.shown(bucket)).get(key)?.split(' ')[1] ?? ''
    const all: Taken[] = []
    for (const headers of [
      {},
      { range: 'bytes=1-3' },
      { range: 'bytes=2-' },
      { range: 'bytes=-2', 'if-range': `"${etag}"` },
      { 'if-match': `"${etag}"` },
      { 'if-none-match': `"${etag}"` },
    ]) {
      const read = await site.read(bucket, key, headers as Record<string, string>)
      all.push(read)
      if (read.kind !== 'whole' && read.kind !== 'part') continue
      const truth = history.get(read.etag) ?? assert.fail(`${key} never had the ETag ${read.etag}`)
      const [, from, to] = /bytes (\d+)-(\d+)\//.exec(read.range ?? '') ?? [null, 0, truth.length - 1]
      assert.ok(read.bytes.equals(truth.subarray(Number(from), Number(to) + 1)), `${key} has other bytes`)
    }
    return all
  }

  /** Everything is there, by a quiet scan, and is what the engine has. */
  async function assertSame(bucket: string, prefix: string): Promise<void> {
    const scan = await site.scan(bucket)
    assert.deepEqual([scan.status, scan.detail], ['succeeded', null])
    const theirs = [...fake.objects].filter(([key]) => key.startsWith(prefix))
    const expected = new Map(
      theirs.map(([key, { bytes, etag }]) => [
        Buffer.from(key, 'latin1').toString().slice(prefix.length),
        `${bytes.length} ${etag}`,
      ]),
    )
    assert.deepEqual(new Map(await site.shown(bucket)), expected)
    assert.deepEqual(await site.missing(bucket), [])
    for (const key of expected.keys()) {
      const read = await site.read(bucket, key)
      assert.ok(read.kind === 'whole' && read.bytes.equals(bytesOf(prefix, key)), JSON.stringify(read))
    }
    const { used_bytes } = await server.admin.getBucket({ params: { bucket } })
    assert.equal(
      used_bytes,
      theirs.reduce((sum, [, { bytes }]) => sum + bytes.length, 0),
    )
  }

  const lost = async (bucket: string): Promise<string[]> =>
    (await allActions(server.database))
      .filter((one) => one.bucket === bucket && one.action === 'external_change')
      .map(({ details }) => String(JSON.parse(details).change))
      .filter((change) => change === 'missing' || change === 'removed')

  function assertSentence(text: string | null, expected: RegExp): void {
    assert.match(text ?? '', expected)
    assert.match(text ?? '', /^[A-Z“].{10,300}\.$/s, 'it is a sentence')
  }

  for (const { name, lies, read, held, scan: says } of cases)
    it(`one that ${name}: nothing is lost, and it is said what is wrong`, async () => {
      const { prefix, bucket } = await filled()
      fake.lies = lies
      for (const key of KEYS) {
        /** All that the object was, by ETag. */
        const history = new Map<string, Buffer>()
        const put = fake.put
        const remember = (bytes: Buffer) => history.set(md5(bytes), bytes)
        remember(bytesOf(prefix, key))
        fake.put = (name, body, more) => {
          const object = put(name, body, more)
          remember(object.bytes)
          return object
        }
        const reads = await readInAllWays(bucket, key, history).finally(() => {
          fake.put = put
        })
        if (read === undefined) {
          const failed = reads.filter(({ kind }) => kind === 'broken' || kind === 'problem')
          assert.deepEqual(
            failed.filter((one) => one.kind !== 'problem' || !/range|precondition/.test(one.code)),
            [],
          )
          continue
        }
        for (const one of reads)
          if (one.kind === 'problem' && !/range|precondition/.test(one.code)) assertSentence(one.detail, read)
      }
      const scan = await site.scan(bucket)
      assert.deepEqual([scan.status, scan.held_reason], [held ? 'held' : 'succeeded', held ?? null], scan.detail ?? '')
      if (says) assertSentence(scan.detail, says)
      // However often it repeats.
      if (held === 'empty') assert.equal((await site.scan(bucket)).held_reason, held)
      assert.deepEqual(await site.missing(bucket), [])
      assert.deepEqual([...(await site.shown(bucket)).keys()].sort(), [...KEYS].sort())
      assert.deepEqual(await lost(bucket), [])

      fake.lies = {}
      await assertSame(bucket, prefix)
    })
})
