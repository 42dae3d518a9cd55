import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ByteRange } from '../../server/base/byte-range.ts'
import { decrypt, encrypt, SegmentDamaged } from '../../server/segments/cipher.ts'
import {
  planRead,
  SEGMENT_BYTES,
  type Stretch,
  storedSize,
  storedSizeOf,
  TRAILER_BYTES,
  wholeOf,
} from '../../server/segments/layout.ts'
import { readSegments, streamSegments } from '../../server/segments/read.ts'
import { writeSegment, writeSegments } from '../../server/segments/write.ts'

const newKey = () => ({ id: '01890a5d-ac96-774b-bcce-b302099a8057', key: createSecretKey(randomBytes(32)) })
type Blob = ReturnType<typeof newKey>

/** Bytes in chunks of these sizes, again and again. */
async function* chunked(bytes: Uint8Array, sizes: readonly number[]) {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
  }
}

const write = (bytes: Uint8Array, blob: Blob, { stretch = wholeOf(bytes.length), sizes = [10_000] } = {}) =>
  buffer(writeSegments(chunked(bytes, sizes), blob, stretch))

interface Reading {
  stretches: readonly Stretch[]
  range?: ByteRange | undefined
  sizes?: readonly number[]
}
/** What is read of stored bytes, which only get there as far as the plan asks for. */
async function read(stored: Uint8Array, blob: Blob, { stretches, range, sizes = [100_000] }: Reading): Promise<Buffer> {
  const plan = planRead(stretches, range)
  const fetched = stored.subarray(plan.stored.start, plan.stored.end + 1)
  const whole = Buffer.from(readSegments(fetched, blob, plan))
  const streamed = await buffer(streamSegments(Readable.from(chunked(fetched, sizes)), blob, plan))
  assert.deepEqual(streamed, whole)
  return whole
}

const sizes = fc.oneof(
  fc.integer({ min: 0, max: 200 }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -2, max: 2 }))
    .map(([segments, more]) => segments * SEGMENT_BYTES + more),
)
const chunkSizes = fc.array(fc.integer({ min: 1, max: 150_000 }), { minLength: 1, maxLength: 4 })

/** Parts as they are stored one after the other, and what they were. */
async function writeParts(blob: Blob, lengths: readonly number[]) {
  const bodies = lengths.map((length) => randomBytes(length))
  const stretches = bodies.map(({ length }, i): Stretch => ({ part: 2 * i + 1, size: length, salt: randomBytes(8) }))
  const stored = await Promise.all(
    bodies.map((body, i) => write(body, blob, { stretch: stretches[i] as Stretch, sizes: [7_000] })),
  )
  return { whole: Buffer.concat(bodies), stretches, stored: Buffer.concat(stored) }
}

describe('segments', () => {
  it('encrypts and decrypts as the vectors of NIST say', () => {
    const file = path.join(import.meta.dirname, 'gcm-vectors.csv')
    const lines = fs.readFileSync(file, 'utf8').split('\n')
    let refused = 0
    let known = 0
    for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
      const [key = '', nonce = '', associated = '', plain = '', cipher = '', tag = ''] = line.split(',')
      const bytes = (hex: string) => Buffer.from(hex, 'hex')
      const stretch = { key: createSecretKey(bytes(key)), associated: bytes(associated) }
      const open = () => decrypt(stretch, bytes(nonce), { chunks: [bytes(cipher)], tag: bytes(tag) })
      if (plain === 'FAIL') {
        assert.throws(open)
        refused++
        continue
      }
      assert.equal(Buffer.concat(encrypt(stretch, bytes(nonce), [bytes(plain)])).toString('hex'), cipher + tag)
      assert.equal(Buffer.concat(open()).toString('hex'), plain)
      known++
    }
    assert.ok(known >= 75 && refused >= 20, `${known} vectors, ${refused} of them to be refused`)
  })

  it('gives back what was written, whatever the chunks, and takes the bytes that it says', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, chunkSizes, chunkSizes, async (size, writing, reading) => {
        const blob = newKey()
        const bytes = randomBytes(size)
        const stored = await write(bytes, blob, { sizes: writing })
        assert.equal(stored.length, storedSize(size))
        assert.deepEqual(await read(stored, blob, { stretches: [wholeOf(size)], sizes: reading }), bytes)
      }),
      { numRuns: 150 },
    )
  })

  it('encrypts at once what fits into a segment as it does a stream', async () => {
    const blob = newKey()
    for (const size of [0, 1, 4096, SEGMENT_BYTES]) {
      const bytes = randomBytes(size)
      assert.deepEqual(writeSegment(bytes, blob, wholeOf(size)), await write(bytes, blob))
    }
    assert.throws(() => writeSegment(randomBytes(SEGMENT_BYTES + 1), blob, wholeOf(0)), RangeError)
  })

  it('reads any range of any parts, and only the segments that it touches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sizes, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.nat(),
        chunkSizes,
        async (lengths, from, to, reading) => {
          const blob = newKey()
          const { whole, stretches, stored } = await writeParts(blob, lengths)
          assert.equal(stored.length, storedSizeOf(stretches))
          assert.deepEqual(await read(stored, blob, { stretches, sizes: reading }), whole)
          if (whole.length === 0) return
          const [start = 0, end = 0] = [from % whole.length, to % whole.length].sort((a, b) => a - b)
          const range = { start, end }
          assert.deepEqual(
            await read(stored, blob, { stretches, range, sizes: reading }),
            whole.subarray(start, end + 1),
          )
          const { stored: fetched } = planRead(stretches, range)
          const least = end - start + 1
          const most =
            least +
            (lengths.length + 2) * 2 * TRAILER_BYTES +
            2 * SEGMENT_BYTES +
            (least / SEGMENT_BYTES) * TRAILER_BYTES
          assert.ok(fetched.end - fetched.start + 1 <= most, 'more was fetched than the segments of the range')
        },
      ),
      { numRuns: 150 },
    )
  })

  it('refuses ranges outside of the blob', () => {
    for (const range of [
      { start: 0, end: 10 },
      { start: -1, end: 1 },
      { start: 3, end: 2 },
    ])
      assert.throws(() => planRead([wholeOf(10)], range), RangeError)
    assert.throws(() => planRead([wholeOf(0)], { start: 0, end: 0 }), RangeError)
  })

  it('never gives a wrong byte of what was damaged, and still reads the other segments', async () => {
    const stored = SEGMENT_BYTES + TRAILER_BYTES
    const damages = fc.oneof(
      fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) }),
      fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), bit: fc.constant(0) }),
      fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), bit: fc.constant(0) }),
      fc.record({ kind: fc.constant('double' as const), at: fc.nat(), bit: fc.constant(0) }),
      fc.record({ kind: fc.constant('drop' as const), at: fc.nat(), bit: fc.constant(0) }),
    )
    await fc.assert(
      fc.asyncProperty(damages, async ({ kind, at, bit }) => {
        const blob = newKey()
        const bytes = randomBytes(3 * SEGMENT_BYTES + 1000)
        const good = await write(bytes, blob)
        const segments = [0, 1, 2, 3].map((i): Uint8Array => good.subarray(i * stored, (i + 1) * stored))
        const place = at % good.length
        const number = Math.floor(place / stored)
        let bad = Buffer.from(good)
        const other = (number + 1) % 3
        if (kind === 'flip') bad[place] = (bad[place] as number) ^ (1 << bit)
        else if (kind === 'cut') bad = bad.subarray(0, place)
        else if (kind === 'drop') bad = Buffer.concat(segments.filter((_, i) => i !== number))
        else if (kind === 'double')
          bad = Buffer.concat(segments.flatMap((one, i) => (i === number % 3 ? [one, one] : [one]))).subarray(
            0,
            good.length,
          )
        else
          [segments[number % 3], segments[other]] = [segments[other] as Uint8Array, segments[number % 3] as Uint8Array]
        if (kind === 'swap') bad = Buffer.concat(segments)
        const stretches = [wholeOf(bytes.length)]
        const got: Buffer[] = []
        const reading = async () => {
          for await (const chunk of streamSegments(Readable.from(chunked(bad, [50_000])), blob, planRead(stretches)))
            got.push(chunk)
        }
        await assert.rejects(reading, SegmentDamaged)
        const before = Buffer.concat(got)
        assert.deepEqual(before, bytes.subarray(0, before.length))
        for (let i = 0; i < 4; i++) {
          const range = { start: i * SEGMENT_BYTES, end: Math.min(bytes.length, (i + 1) * SEGMENT_BYTES) - 1 }
          const right = bytes.subarray(range.start, range.end + 1)
          const found = await read(bad, blob, { stretches, range }).catch((error: unknown) => {
            assert.ok(error instanceof SegmentDamaged, String(error))
          })
          if (found) assert.deepEqual(found, right)
          else assert.ok(kind !== 'flip' || i === number, `segment ${i} was not damaged`)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('refuses the bytes of another blob, of another key, and of what was sent before as the same part', async () => {
    const blob = newKey()
    const bytes = randomBytes(100_000)
    const stored = await write(bytes, blob)
    const stretches = [wholeOf(bytes.length)]
    for (const other of [{ ...blob, id: newKey().id.replace('0189', '0190') }, newKey()])
      await assert.rejects(read(stored, other, { stretches }), SegmentDamaged)
    const [first, second] = [1, 1].map((part): Stretch => ({ part, size: bytes.length, salt: randomBytes(8) }))
    const replayed = await write(bytes, blob, { stretch: first as Stretch })
    await assert.rejects(read(replayed, blob, { stretches: [second as Stretch] }), SegmentDamaged)
    await assert.rejects(read(replayed, blob, { stretches: [{ ...(first as Stretch), part: 2 }] }), SegmentDamaged)
    await assert.rejects(read(replayed, blob, { stretches }), SegmentDamaged)
  })

  it('refuses a stretch that ends early, also where a segment does', async () => {
    const blob = newKey()
    const bytes = randomBytes(2 * SEGMENT_BYTES)
    const stored = await write(bytes, blob)
    // Whoever can change sizes as well: the first segment is none that ends a stretch.
    const cut = stored.subarray(0, SEGMENT_BYTES + TRAILER_BYTES)
    await assert.rejects(read(cut, blob, { stretches: [wholeOf(SEGMENT_BYTES)] }), SegmentDamaged)
  })

  it('recycles the memory of chunks, and none that it still needs', async () => {
    const blob = newKey()
    const bytes = randomBytes(9 * SEGMENT_BYTES + 5)
    const stored = await write(bytes, blob)
    const range = { start: 70_000, end: 5 * SEGMENT_BYTES + 10 }
    for (const [size, of] of [1000, 65_552, 100_000, 262_144, 8 * 65_552].flatMap((one) => [
      [one, undefined] as const,
      [one, range] as const,
    ])) {
      const plan = planRead([wholeOf(bytes.length)], of)
      const recycled = new Set<Uint8Array>()
      const chunks = new Map<ArrayBufferLike, Uint8Array>()
      for await (const chunk of chunked(stored.subarray(plan.stored.start, plan.stored.end + 1), [size])) {
        const own = new Uint8Array(chunk)
        chunks.set(own.buffer, own)
      }
      const source = Object.assign(Readable.from(chunks.values()), {
        recycle({ buffer }: Uint8Array) {
          const chunk = chunks.get(buffer)
          if (!chunk) return
          assert.ok(!recycled.has(chunk), 'a chunk was recycled twice')
          recycled.add(chunk)
          chunk.fill(0)
        },
      })
      const found: Buffer[] = []
      const opened = streamSegments(source, blob, plan)
      // An iteration would join what is there.
      opened.on('data', (chunk: Uint8Array) => {
        found.push(Buffer.from(chunk))
        opened.recycle?.(chunk)
      })
      await once(opened, 'end')
      assert.deepEqual(Buffer.concat(found), bytes.subarray(of?.start ?? 0, (of?.end ?? bytes.length - 1) + 1))
      assert.equal(recycled.size, chunks.size)
    }
  })

  it('encrypts into memory that is recycled, and into none that is not', async () => {
    const blob = newKey()
    const bytes = randomBytes(40 * SEGMENT_BYTES + 5)
    const good = await write(bytes, blob)
    const source = writeSegments(chunked(bytes, [50_000]), blob, wholeOf(bytes.length))
    const found: Buffer[] = []
    const seen = new Set<ArrayBufferLike>()
    let kept: { chunk: Uint8Array; copy: Buffer } | undefined
    for await (const chunk of source) {
      found.push(Buffer.from(chunk))
      seen.add(chunk.buffer)
      if (kept) source.recycle?.(chunk)
      else kept = { chunk, copy: Buffer.from(chunk) }
      source.recycle?.(Buffer.alloc(10))
    }
    assert.deepEqual(Buffer.concat(found), good)
    assert.deepEqual(Buffer.from(kept?.chunk ?? []), kept?.copy)
    assert.ok(seen.size <= 3, `${seen.size} blocks of memory`)
  })
})
