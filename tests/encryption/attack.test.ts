// Whoever can change what is stored gets no wrong byte delivered, and is noticed.
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import fs from 'node:fs'
import { after, before, it } from 'node:test'
import { SEGMENT_BYTES, STORED_SEGMENT } from '../../server/segments/layout.ts'
import { blobFile } from '../support/blob-file.ts'
import { parseMetrics } from '../support/metrics.ts'
import { describeOnce, onS3, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const B = 'attacked'
const FLIPS = 1000

describeOnce('encrypted contents under attack', (engine) => {
  let server: TestServer
  const bodies = new Map<string, Buffer<ArrayBuffer>>()
  before(async () => {
    server = await startServer(engine, STORED)
    await server.admin.createBucket({ body: { name: B, encryption: { algorithm: 'AES256' } } })
  })
  after(() => server.stop())

  async function put(key: string, size: number): Promise<Buffer<ArrayBuffer>> {
    const body = randomBytes(size)
    await server.admin.putObject({ params: { bucket: B, key }, body })
    bodies.set(key, body)
    return body
  }
  /** What a read delivers, of all or of a range, until it ends or breaks off; and whether it ended well. */
  async function read(key: string, range?: [start: number, end: number]): Promise<{ bytes: Buffer; whole: boolean }> {
    const headers = {
      authorization: `Bearer ${server.adminToken}`,
      ...(range && { range: `bytes=${range.join('-')}` }),
    }
    const answer = await fetch(`${server.running.url}/api/v1/buckets/${B}/objects/${encodeURIComponent(key)}`, {
      headers,
    })
    if (!answer.ok) {
      assert.equal(answer.status, 409)
      assert.equal(((await answer.json()) as { code: string }).code, 'damaged')
      return { bytes: Buffer.alloc(0), whole: false }
    }
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of answer.body ?? []) chunks.push(chunk)
      return { bytes: Buffer.concat(chunks), whole: true }
    } catch {
      return { bytes: Buffer.concat(chunks), whole: false }
    }
  }
  /** How many damaged reads were counted, for one of the reasons. */
  const countedAs = async (...reasons: ('changed' | 'missing' | 'key')[]) => {
    const headers = { authorization: `Bearer ${server.adminToken}` }
    const metrics = parseMetrics(await (await fetch(`${server.running.url}/metrics`, { headers })).text())
    return reasons.reduce(
      (sum, reason) => sum + (metrics.get(`strongroom_damaged_reads_total{reason="${reason}"}`) ?? 0),
      0,
    )
  }
  const counted = () => countedAs('changed', 'missing', 'key')
  /** Reads what was damaged: an error, nothing wrong before it, counted once: what lacks bytes may count as missing. */
  async function assertRefused(key: string, what: string): Promise<void> {
    const before = await counted()
    const { bytes, whole } = await read(key)
    assert.equal(whole, false, `${what} was read as if nothing was`)
    assert.ok(
      bytes.equals((bodies.get(key) as Buffer).subarray(0, bytes.length)),
      `${what}: wrong bytes were delivered`,
    )
    await until(async () => (await counted()) === before + 1)
  }
  async function assertFine(key: string): Promise<void> {
    const { bytes, whole } = await read(key)
    assert.ok(whole && bytes.equals(bodies.get(key) as Buffer), key)
  }
  const recorded = async (key: string) =>
    (await server.admin.listAudit({ query: { action: ['read_damaged'] } })).items.filter(
      ({ object_key }) => object_key === key,
    ).length

  it('delivers no wrong byte for any of 1,000 flipped bits, and every other segment', { skip: onS3 }, async () => {
    const key = 'flipped'
    const body = await put(key, 4 * SEGMENT_BYTES + 12_345)
    const file = await blobFile(server, key)
    const good = fs.readFileSync(file)
    const count = Math.ceil(body.length / SEGMENT_BYTES)
    assert.equal(good.length, body.length + count * 16)
    const rangeOf = (segment: number): [number, number] => [
      segment * SEGMENT_BYTES,
      Math.min(body.length, (segment + 1) * SEGMENT_BYTES) - 1,
    ]
    let delivered = 0
    const fd = fs.openSync(file, 'r+')
    for (let i = 0; i < FLIPS; i++) {
      const at = randomInt(good.length)
      const bad = Buffer.from([(good[at] ?? 0) ^ (1 << randomInt(8))])
      fs.writeSync(fd, bad, 0, 1, at)
      const hit = Math.floor(at / STORED_SEGMENT)
      const { whole, bytes } = await read(key, rangeOf(hit))
      if (whole || bytes.length > 0) delivered++
      const other = (hit + 1 + randomInt(count - 1)) % count
      const [start, end] = rangeOf(other)
      const fine = await read(key, [start, end])
      assert.ok(fine.bytes.equals(body.subarray(start, end + 1)), `segment ${other} while ${hit} is damaged`)
      fs.writeSync(fd, good, at, 1, at)
    }
    fs.closeSync(fd)
    assert.equal(delivered, 0)
    await until(async () => (await counted()) === FLIPS)
    assert.equal(await countedAs('changed'), FLIPS)
    await assertFine(key)
    // The clock stands still: it is the same minute.
    await until(async () => (await recorded(key)) === 1)
    await server.later(61_000)
    fs.writeFileSync(file, good.subarray(0, -1))
    await assertRefused(key, 'a cut file')
    await assertRefused(key, 'a cut file')
    await until(async () => (await recorded(key)) === 2)
    fs.writeFileSync(file, good)
  })

  it('refuses files that are cut, gone, or in another order, and those of other blobs', { skip: onS3 }, async () => {
    await put('one', 3 * SEGMENT_BYTES)
    await put('two', 3 * SEGMENT_BYTES)
    const [one, two] = [await blobFile(server, 'one'), await blobFile(server, 'two')]
    const [good, other] = [fs.readFileSync(one), fs.readFileSync(two)]
    const [a, b, c] = [0, 1, 2].map((i) => good.subarray(i * STORED_SEGMENT, (i + 1) * STORED_SEGMENT)) as Buffer[]
    const bads: [what: string, bytes: Uint8Array | undefined][] = [
      ['no file', undefined],
      ['an empty file', Buffer.alloc(0)],
      ['a file without its last byte', good.subarray(0, -1)],
      ['a file without its last segment', good.subarray(0, -STORED_SEGMENT)],
      ['a file without its first segment', good.subarray(STORED_SEGMENT)],
      ['a file with two segments swapped', Buffer.concat([b, a, c] as Buffer[])],
      ['a file with a segment twice', Buffer.concat([a, a, c] as Buffer[])],
      ['a file whose last segment is another', Buffer.concat([a, b, a] as Buffer[])],
      ['a file of zeros', Buffer.alloc(good.length)],
      ["another blob's file", other],
      ["another blob's segment", Buffer.concat([a, other.subarray(STORED_SEGMENT, 2 * STORED_SEGMENT), c] as Buffer[])],
    ]
    for (const [what, bytes] of bads) {
      if (bytes) fs.writeFileSync(one, bytes)
      else fs.rmSync(one)
      await assertRefused('one', what)
    }
    fs.writeFileSync(one, good)
    await assertFine('one')
    // Both files, each in the place of the other.
    fs.writeFileSync(one, other)
    fs.writeFileSync(two, good)
    for (const key of ['one', 'two']) await assertRefused(key, 'a swapped file')
    fs.writeFileSync(one, good)
    fs.writeFileSync(two, other)
    for (const key of ['one', 'two']) await assertFine(key)
    // An old state of the same key.
    await put('one', 3 * SEGMENT_BYTES)
    const now = await blobFile(server, 'one')
    assert.notEqual(now, one)
    const newer = fs.readFileSync(now)
    fs.writeFileSync(now, good)
    await assertRefused('one', 'what was there before')
    fs.writeFileSync(now, newer)
    await assertFine('one')
  })

  it('takes no read of what is erased meanwhile for damage', { skip: onS3 }, async () => {
    await server.admin.createBucket({
      body: { name: 'bare', trash_days: 0, encryption: { algorithm: 'AES256' } },
    })
    const before = await counted()
    const params = { bucket: 'bare', key: 'replaced' }
    let over = false
    const writing = async () => {
      for (let i = 0; i < 25; i++) {
        await server.admin.putObject({ params, body: randomBytes(70_000) })
        // Otherwise it comes once a minute.
        await server.running.tick('blob-collector')
      }
      over = true
    }
    const statuses = new Set<number>()
    const reading = async () => {
      while (!over) {
        const answer = await fetch(`${server.running.url}/api/v1/buckets/bare/objects/replaced`, {
          headers: { authorization: `Bearer ${server.adminToken}` },
        })
        await answer.arrayBuffer()
        statuses.add(answer.status)
      }
    }
    await server.admin.putObject({ params, body: randomBytes(70_000) })
    await Promise.all([writing(), ...Array.from({ length: 4 }, reading)])
    for (const status of statuses) assert.ok([200, 503].includes(status), `${status}`)
    assert.equal(await counted(), before)
  })
})
