import assert from 'node:assert/strict'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { type BlobDriver, BlobMissing } from '../../server/drivers/driver.ts'
import {
  assertNothing,
  collect,
  inChunks,
  KiB,
  list,
  MiB,
  md5,
  putBytes,
  repeated,
  sizes,
} from './conformance-bytes.ts'
import { describeCopies } from './conformance-copies.ts'
import { describeMark } from './conformance-mark.ts'
import { describeMemory } from './conformance-memory.ts'
import { describeOrphans } from './conformance-orphans.ts'
import { describeParts } from './conformance-parts.ts'
import { describePutOver } from './conformance-put-over.ts'

export interface OpenedDriver {
  driver: BlobDriver
  /** Removes the storage; the driver is closed by then. */
  dispose(): Promise<void>
}

export interface PartsOfEngine {
  /** The least a part may have that is not the last. */
  part: number
  /** Bytes of one part whose memory is measured. */
  large: number
  /** Whether a blob can be made while parts that were sent are left out. */
  leavesOut: boolean
  /** Whether what is sent as the same part stays until it is removed; else only the latest one is there. */
  keepsEach: boolean
}

/** Every test gets an empty storage of its own from `open`. What passes is a BlobDriver as driver.ts promises it. */
export function describeDriver(name: string, open: () => Promise<OpenedDriver>, parts: PartsOfEngine): void {
  const it = (what: string, run: (driver: BlobDriver) => Promise<void>) =>
    test(what, async () => {
      const { driver, dispose } = await open()
      try {
        await run(driver)
      } finally {
        await driver.close()
        await dispose()
      }
    })

  describe(name, () => {
    for (const size of [0, 1, 4 * KiB, 64 * KiB - 1, 64 * KiB, 64 * KiB + 1, 256 * KiB, 5 * MiB])
      it(`returns ${size} bytes`, async (driver) => {
        const id = randomUUID()
        const bytes = randomBytes(size)
        assert.equal(await driver.put(id, inChunks(bytes)), size)
        const got = await collect(await driver.get(id, size))
        assert.equal(got.length, size)
        assert.equal(md5(got), md5(bytes))
      })

    it('takes empty chunks, single bytes and one huge chunk', async (driver) => {
      const bytes = randomBytes(2 * MiB)
      const [none, single] = [Buffer.alloc(0), [...bytes.subarray(0, 5000)].map((byte) => Buffer.of(byte))]
      for (const chunks of [[bytes], [none, bytes, none], single]) {
        const id = randomUUID()
        const whole = Buffer.concat(chunks)
        assert.equal(await driver.put(id, Readable.from(chunks)), whole.length)
        assert.equal(md5(await collect(await driver.get(id, whole.length))), md5(whole))
      }
    })

    it('returns one chunk as bytes and several as a stream', async (driver) => {
      const [small, big] = [await putBytes(driver, randomBytes(4 * KiB)), await putBytes(driver, randomBytes(MiB))]
      assert.ok((await driver.get(small, 4 * KiB)) instanceof Uint8Array)
      const body = await driver.get(big, MiB)
      assert.ok(body instanceof Readable)
      body.destroy()
      assert.ok((await driver.get(big, MiB, { start: 5, end: 5 })) instanceof Uint8Array)
    })

    it('returns any range', async (driver) => {
      const bytes = randomBytes(MiB + 17)
      const last = bytes.length - 1
      const id = await putBytes(driver, bytes)
      const check = async (start: number, end: number) => {
        const got = await collect(await driver.get(id, bytes.length, { start, end }))
        assert.ok(got.equals(bytes.subarray(start, end + 1)), `${start}-${end} differs`)
      }
      const edges = [0, 1, 64 * KiB - 1, 64 * KiB, last - 64 * KiB, last - 1, last]
      for (const start of edges) for (const end of edges) if (start <= end) await check(start, end)
      const position = fc.integer({ min: 0, max: last })
      await fc.assert(
        fc.asyncProperty(position, position, (a, b) => check(Math.min(a, b), Math.max(a, b))),
        { numRuns: 200 },
      )
    })

    it('refuses a range that is not of the blob', async (driver) => {
      const id = await putBytes(driver, randomBytes(10))
      const refuse = (start: number, end: number) => assert.rejects(driver.get(id, 10, { start, end }), RangeError)
      await refuse(0, 10)
      await refuse(10, 10)
      await refuse(-1, 5)
      await refuse(5, 4)
    })

    it('reports BlobMissing for a missing blob, whatever its size', async (driver) => {
      for (const size of [0, 1, MiB]) await assert.rejects(driver.get(randomUUID(), size), BlobMissing)
    })

    it('never returns a short body for a blob shorter than its row says', async (driver) => {
      for (const size of [0, 10, MiB]) {
        const id = await putBytes(driver, randomBytes(size))
        for (const more of [1, 2 * MiB])
          await assert.rejects(async () => collect(await driver.get(id, size + more)), BlobMissing)
      }
    })

    for (const size of [0, 100, MiB])
      it(`keeps nothing of a source that fails after ${size} bytes`, async (driver) => {
        const id = randomUUID()
        const failure = new Error('the client went away')
        async function* failing() {
          yield* inChunks(randomBytes(size))
          throw failure
        }
        await assert.rejects(driver.put(id, failing()), (error) => error === failure)
        await assertNothing(driver, id)
        assert.equal(await driver.put(id, inChunks(randomBytes(3))), 3)
      })

    it('keeps nothing of a source that is aborted', async (driver) => {
      const id = randomUUID()
      const abort = new AbortController()
      const source = addAbortSignal(abort.signal, Readable.from(repeated(1024 * MiB), { objectMode: false }))
      const put = driver.put(id, source)
      setTimeout(() => abort.abort(), 50)
      await assert.rejects(put, { name: 'AbortError' })
      await assertNothing(driver, id)
    })

    it('writes an id once and leaves the first blob alone', async (driver) => {
      const bytes = randomBytes(100)
      const id = await putBytes(driver, bytes)
      for (const size of [0, 100, MiB]) {
        const source = Readable.from(inChunks(randomBytes(size)))
        await assert.rejects(driver.put(id, source))
        assert.ok(source.destroyed)
      }
      assert.ok((await collect(await driver.get(id, 100))).equals(bytes))
      assert.deepEqual(await sizes(driver), new Map([[id, 100]]))
    })

    it('lets one of many puts of an id win', async (driver) => {
      for (let round = 0; round < 20; round++) {
        const id = randomUUID()
        const bodies = Array.from({ length: 8 }, () => randomBytes(randomInt(1, 4000)))
        const outcomes = await Promise.allSettled(bodies.map((body) => driver.put(id, inChunks(body))))
        const winners = bodies.filter((_, i) => outcomes[i]?.status === 'fulfilled')
        assert.equal(winners.length, 1)
        const winner = winners[0] as Buffer
        assert.ok((await collect(await driver.get(id, winner.length))).equals(winner))
      }
    })

    for (const size of [0, 1, 100 * KiB, MiB])
      it(`takes ${size} bytes of a source whose size is known, and not one less or more`, async (driver) => {
        const bytes = randomBytes(size)
        const id = randomUUID()
        for (const wrong of [size + 1, size + MiB, size - 1, 0])
          if (wrong >= 0 && wrong !== size)
            await assert.rejects(driver.put(id, inChunks(bytes), wrong), /The source gave/)
        const failure = new Error('the client went away')
        async function* failingLate() {
          yield* inChunks(bytes)
          throw failure
        }
        await assert.rejects(driver.put(id, failingLate(), size), (error) => error === failure)
        await assertNothing(driver, id)
        assert.equal(await driver.put(id, inChunks(bytes), size), size)
        assert.ok((await collect(await driver.get(id, size))).equals(bytes))
        const again = Readable.from(inChunks(bytes))
        await assert.rejects(driver.put(id, again, size))
        assert.ok(again.destroyed)
      })

    it('removes, and again', async (driver) => {
      const [id, other] = [await putBytes(driver, randomBytes(10)), await putBytes(driver, randomBytes(10))]
      await driver.remove(id)
      await assert.rejects(driver.get(id, 10), BlobMissing)
      await driver.remove(id)
      await driver.remove(randomUUID())
      assert.deepEqual(await sizes(driver), new Map([[other, 10]]))
    })

    it('returns correct bytes or an error if the blob is removed during a read', async (driver) => {
      const bytes = randomBytes(8 * MiB)
      const id = await putBytes(driver, bytes)
      const body = (await driver.get(id, bytes.length)) as Readable
      const got: Buffer[] = []
      try {
        for await (const chunk of body) {
          got.push(chunk)
          if (got.length > 1) continue
          await driver.remove(id)
          for (let i = 0; i < 8; i++) await putBytes(driver, randomBytes(MiB))
        }
        assert.equal(Buffer.concat(got).length, bytes.length)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
      }
      const all = Buffer.concat(got)
      assert.ok(all.equals(bytes.subarray(0, all.length)))
    })

    it('takes 200 puts at a time and lists exactly what can be read', async (driver) => {
      const bodies = new Map(Array.from({ length: 200 }, (_, i) => [randomUUID() as string, randomBytes(i * 997)]))
      const begun = Date.now()
      await Promise.all([...bodies].map(([id, bytes]) => driver.put(id, inChunks(bytes))))
      const listed = await list(driver)
      assert.equal(listed.length, 200)
      for (const { id, size, modified_at } of listed) {
        assert.equal(size, bodies.get(id)?.length)
        assert.ok(Math.abs(modified_at.getTime() - begun) < 60_000)
      }
      for (const [id, bytes] of bodies) assert.ok((await collect(await driver.get(id, bytes.length))).equals(bytes))
      await Promise.all([...bodies.keys()].map((id) => driver.remove(id)))
      assert.deepEqual(await list(driver), [])
    })

    it('refuses every id that is not a UUID', async (driver) => {
      const uuid = randomUUID()
      const ids = ['', '.', '..', '../../etc/passwd', 'a'.repeat(36), uuid.toUpperCase(), `${uuid}/..`, `../${uuid}`]
      for (const id of [...ids, `${uuid}\0`, `${uuid}\n`, uuid.slice(1), ` ${uuid}`, `${uuid.slice(0, -2)}..`]) {
        await assert.rejects(driver.put(id, inChunks(randomBytes(1))), /Not a blob id/)
        await assert.rejects(driver.get(id, 1), /Not a blob id/)
        await assert.rejects(driver.remove(id), /Not a blob id/)
      }
      assert.deepEqual(await list(driver), [])
    })

    describeParts(it, parts)
    describeCopies(it, parts.part)
    describePutOver(it, parts.part)
    describeMark(it)
    describeMemory(it)
    describeOrphans(it, parts.part)

    it('checks itself and leaves nothing behind', async (driver) => {
      await Promise.all([driver.check(), driver.check()])
      assert.deepEqual(await list(driver), [])
    })

    it('finishes puts in flight before it closes, and takes none after', async (driver) => {
      const gate = Promise.withResolvers<void>()
      async function* waiting() {
        yield randomBytes(10)
        await gate.promise
      }
      const put = driver.put(randomUUID(), waiting())
      const closing = driver.close()
      assert.equal(await Promise.race([closing, sleep(20, 'waits')]), 'waits')
      gate.resolve()
      assert.equal(await put, 10)
      await closing
      await assert.rejects(putBytes(driver, randomBytes(1)))
    })
  })
}
