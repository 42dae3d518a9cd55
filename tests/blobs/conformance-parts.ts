import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  type BlobDriver,
  BlobMissing,
  type StoredBlob,
  type StoredPart,
  UnnamedPartsRefused,
} from '../../server/drivers/driver.ts'
import { STORED_SEGMENT } from '../../server/segments/layout.ts'
import type { PartsOfEngine } from './conformance.ts'
import {
  assertNothing,
  collect,
  inChunks,
  KiB,
  list,
  MiB,
  repeated,
  residentMemory,
  sizes,
} from './conformance-bytes.ts'
import { Upload } from './conformance-upload.ts'

type It = (what: string, run: (driver: BlobDriver) => Promise<void>) => void

/** The part of the suite that is about blobs in parts. */
export function describeParts(it: It, { part, large, leavesOut, keepsEach }: PartsOfEngine): void {
  const begin = Upload.begin

  it('creates a blob from parts that arrive in any order', async (driver) => {
    const upload = await begin(driver)
    for (const number of [3, 1, 2]) {
      await upload.put(number, randomBytes(number === 3 ? 1234 : part + number))
      assert.deepEqual(await upload.list(), upload.parts)
      await assertNothing(driver, upload.id)
    }
    await upload.complete()
    await upload.assertDone()
    const [{ modified_at }] = (await list(driver)) as [StoredBlob]
    assert.ok(Math.abs(modified_at.getTime() - Date.now()) < 60_000)
    await assert.rejects(driver.put(upload.id, inChunks(randomBytes(1))))
    await assert.rejects(driver.beginParts(upload.id))
    await upload.assertDone()
  })

  it('creates a blob from one part, and from parts with gaps in their numbers', async (driver) => {
    for (const numbers of [[1], [10_000], [2, 77, 10_000]]) {
      const upload = await begin(driver)
      for (const number of numbers) await upload.put(number, randomBytes(part))
      await upload.complete()
      await upload.assertDone()
      await driver.remove(upload.id)
    }
  })

  it('keeps what was sent as one part until it is removed, or the latest', async (driver) => {
    const upload = await begin(driver)
    await upload.put(2, randomBytes(10))
    const remove = (one: StoredPart) => driver.removePart(upload.id, upload.handle, one)
    const earlier = [await upload.put(1, randomBytes(part)), await upload.put(1, randomBytes(part))]
    await upload.put(1, randomBytes(part))
    assert.equal((await upload.list()).length, keepsEach ? 4 : 2)
    for (const one of [...earlier, ...earlier]) await remove(one)
    assert.deepEqual(await upload.list(), upload.parts)
    for (const one of earlier) await assert.rejects(upload.complete([one, upload.parts[1] as StoredPart]), BlobMissing)
    await assertNothing(driver, upload.id)
    await upload.complete()
    for (const one of [...upload.parts, ...earlier]) await remove(one)
    await upload.assertDone()
    // Of the same size: it was made of other bytes.
    for (const one of earlier) await assert.rejects(upload.complete([one, upload.parts[1] as StoredPart]), BlobMissing)
    await upload.complete()
    await upload.assertDone()
  })

  it('takes parts at the same time', async (driver) => {
    const upload = await begin(driver)
    await Promise.all([5, 1, 4, 2, 8, 3, 7, 6].map((number) => upload.put(number, randomBytes(part + number))))
    assert.deepEqual(await upload.list(), upload.parts)
    await upload.complete()
    await upload.assertDone()
  })

  it('makes a blob of one of those that are sent as the same part at the same time', async (driver) => {
    for (let round = 0; round < 5; round++) {
      const upload = await begin(driver)
      const bodies = Array.from({ length: 6 }, () => randomBytes(part))
      const sent = await Promise.all(bodies.map(async (bytes) => ({ bytes, part: await upload.put(1, bytes) })))
      const listed = await upload.list()
      assert.equal(listed.length, keepsEach ? 6 : 1)
      const outcomes = await Promise.allSettled(sent.map(({ part }) => upload.complete([part])))
      const done = sent.filter((_, i) => outcomes[i]?.status === 'fulfilled')
      assert.equal(done.length, 1)
      for (const [i, one] of outcomes.entries()) {
        if (one.status === 'rejected') assert.ok(one.reason instanceof BlobMissing, `${one.reason}`)
        else upload.sent.set(1, sent[i] as (typeof sent)[number])
      }
      for (const { part } of sent) await driver.removePart(upload.id, upload.handle, part)
      await upload.assertDone()
      await driver.remove(upload.id)
    }
  })

  it('keeps nothing of a part of the wrong size or of a source that fails', async (driver) => {
    const upload = await begin(driver)
    const bytes = randomBytes(part)
    const failure = new Error('the client went away')
    async function* failing(after: number) {
      yield* inChunks(bytes.subarray(0, after))
      throw failure
    }
    const refuseAll = async () => {
      const send = (source: AsyncIterable<Uint8Array>, size: number) =>
        driver.putPart(upload.id, upload.handle, { number: 1, size }, source)
      for (const size of [part - 1, part + 1, 0, 5, 2 * part])
        await assert.rejects(send(inChunks(bytes), size), /The source gave/)
      for (const after of [0, 10, part - 1, part])
        await assert.rejects(send(failing(after), part), (error) => error === failure)
      const stream = Readable.from(inChunks(bytes))
      await assert.rejects(send(stream, part - 1))
      assert.ok(stream.destroyed)
      assert.deepEqual(await upload.list(), upload.parts)
    }
    await refuseAll()
    await upload.put(1, randomBytes(part))
    await refuseAll()
    await upload.complete()
    await upload.assertDone()
  })

  it('completes again and again', async (driver) => {
    const upload = await begin(driver)
    await upload.put(1, randomBytes(part))
    await upload.put(2, randomBytes(20))
    await upload.complete()
    await upload.complete()
    await driver.abortParts(upload.id, upload.handle)
    await upload.complete()
    await upload.assertDone()
    await assert.rejects(upload.complete(upload.parts.slice(0, 1)), BlobMissing)
    await assert.rejects(
      driver.putPart(upload.id, upload.handle, { number: 1, size: 9 }, inChunks(randomBytes(9))),
      BlobMissing,
    )
    await upload.assertDone()
  })

  it('ends the same however often it is told to complete at the same time', async (driver) => {
    const upload = await begin(driver)
    await upload.put(1, randomBytes(part))
    await upload.put(2, randomBytes(20))
    const outcomes = await Promise.allSettled([upload.complete(), upload.complete(), upload.complete()])
    assert.ok(outcomes.some(({ status }) => status === 'fulfilled'))
    await upload.complete()
    await upload.assertDone()
  })

  it('completes only with parts that are there', async (driver) => {
    const upload = await begin(driver)
    const first = await upload.put(1, randomBytes(part))
    const second = await upload.put(2, randomBytes(part))
    const third = await upload.put(3, randomBytes(part))
    const other = { ...second, ref: third.ref.replace(/^3-/, '2-') }
    const wrong = [
      [first, { ...third, number: 4, ref: third.ref.replace(/^3-/, '4-') }],
      [first, other],
    ]
    for (const parts of [...wrong, [{ ...first, size: part - 1 }], [first, { ...second, size: part + 1 }]])
      await assert.rejects(upload.complete(parts), BlobMissing)
    for (const parts of [[], [second, first], [first, first]]) await assert.rejects(upload.complete(parts))
    await assertNothing(driver, upload.id)
    assert.deepEqual(await upload.list(), [first, second, third])
    await upload.complete()
    await upload.assertDone()
    await upload.complete()
  })

  it('leaves out what was sent and is not named, or says that it is in the way', async (driver) => {
    for (const named of [[2, 3, 5, 9], [2], [9], [3, 9], [2, 5, 10]]) {
      const upload = await begin(driver)
      for (const number of [2, 3, 5, 9, 10]) await upload.put(number, randomBytes(number === 10 ? 11 : part + number))
      const wanted = upload.parts.filter(({ number }) => named.includes(number))
      if (!leavesOut) {
        const before = await upload.list()
        await assert.rejects(upload.complete(wanted), UnnamedPartsRefused)
        assert.deepEqual(await upload.list(), before)
        await assertNothing(driver, upload.id)
      } else for (const { number } of upload.parts) if (!named.includes(number)) upload.sent.delete(number)
      await upload.complete()
      await upload.assertDone()
      await upload.complete()
      await driver.remove(upload.id)
    }
  })

  it('aborts, and again', async (driver) => {
    const [upload, empty, other] = [await begin(driver), await begin(driver), await begin(driver)]
    await upload.put(1, randomBytes(part))
    await upload.put(2, randomBytes(part))
    await other.put(1, randomBytes(part))
    for (const { id, handle } of [upload, empty, upload]) await driver.abortParts(id, handle)
    assert.deepEqual(await upload.list(), [])
    await assert.rejects(upload.complete(), BlobMissing)
    await assert.rejects(upload.put(1, randomBytes(part)), BlobMissing)
    await assertNothing(driver, upload.id)
    await other.complete()
    await other.assertDone()
  })

  it('removes a blob in parts, and one that is unfinished', async (driver) => {
    const [done, unfinished] = [await begin(driver), await begin(driver)]
    for (const upload of [done, unfinished]) {
      await upload.put(1, randomBytes(part))
      await upload.put(2, randomBytes(30))
    }
    await done.complete()
    assert.deepEqual([...(await sizes(driver)).keys()], [done.id])
    for (const upload of [done, unfinished, done]) {
      await driver.remove(upload.id)
      await assertNothing(driver, upload.id)
      assert.deepEqual(await upload.list(), [])
      await assert.rejects(upload.complete(), BlobMissing)
      await assert.rejects(upload.put(3, randomBytes(part)), BlobMissing)
    }
    assert.deepEqual(await list(driver), [])
  })

  it('returns any range across parts', async (driver) => {
    const upload = await begin(driver)
    for (const [i, size] of [part, part + 1, part + 17, 5].entries()) await upload.put(i + 1, randomBytes(size))
    await upload.complete()
    const { id, bytes } = upload
    const ends = [0, part, 2 * part + 1, 3 * part + 18, bytes.length]
    const near = (position: number, by: number) =>
      Math.min(Math.max(position + randomInt(-by, by + 1), 0), bytes.length - 1)
    const check = async (a: number, b: number) => {
      const [start, end] = [Math.min(a, b), Math.max(a, b)]
      const body = await driver.get(id, bytes.length, { start, end })
      assert.equal(body instanceof Uint8Array, end - start < STORED_SEGMENT)
      assert.ok((await collect(body)).equals(bytes.subarray(start, end + 1)), `${start}-${end} differs`)
    }
    for (let i = 0; i < 1000; i++) {
      const end = ends[i % ends.length] as number
      if (i % 50 === 0) await check(randomInt(bytes.length), randomInt(bytes.length))
      else if (i % 2) await check(near(end, 40 * KiB), near(end, 20 * KiB))
      else await check(near(end, 3), near(end, 150 * KiB))
    }
    for (const more of [1, MiB])
      await assert.rejects(async () => collect(await driver.get(id, bytes.length + more)), BlobMissing)
  })

  it('returns correct bytes or an error if a multipart blob is removed during a read', async (driver) => {
    const upload = await begin(driver)
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) await upload.put(number, randomBytes(Math.max(part, MiB)))
    await upload.complete()
    const { bytes } = upload
    const body = (await driver.get(upload.id, bytes.length)) as Readable
    let got = 0
    const read = async () => {
      for await (const chunk of body) {
        if (got === 0) await driver.remove(upload.id)
        assert.ok(bytes.subarray(got, got + chunk.length).equals(chunk))
        got += chunk.length
      }
      assert.equal(got, bytes.length)
    }
    await read().catch((error) => {
      if (error instanceof assert.AssertionError) throw error
    })
    assert.ok(got > 0)
  })

  it(`needs little memory for a part of ${large / MiB} MiB`, async (driver) => {
    const upload = await begin(driver)
    const before = residentMemory()
    let most = 0
    const watch = (seen: number) => {
      if (seen % (16 * MiB) < 64 * KiB) most = Math.max(most, residentMemory() - before)
    }
    const ref = await driver.putPart(upload.id, upload.handle, { number: 1, size: large }, repeated(large, watch))
    await upload.complete([{ number: 1, size: large, ref }])
    let read = 0
    for await (const chunk of (await driver.get(upload.id, large)) as Readable) {
      read += chunk.length
      watch(read)
    }
    assert.equal(read, large)
    assert.ok(most < 100 * MiB, `grew by ${Math.round(most / MiB)} MiB`)
  })

  it('refuses handles, numbers, sizes and ids from outside', async (driver) => {
    const { id, handle } = await begin(driver)
    const put = (to: string, by: string, number: number, size = 3) =>
      driver.putPart(to, by, { number, size }, inChunks(randomBytes(3)))
    for (const by of ['', '.', '../..', '/etc', 'x\n', 'made-up', `${handle}x`]) {
      await assert.rejects(put(id, by, 1))
      await assert.rejects(driver.completeParts(id, by, [{ number: 1, size: 3, ref: '1-1-00000000' }]))
    }
    for (const number of [0, -1, 1.5, 10_001, Number.NaN, Number.POSITIVE_INFINITY, '../1' as never])
      await assert.rejects(put(id, handle, number), /Invalid part number/)
    for (const size of [-1, 1.5, Number.NaN]) await assert.rejects(put(id, handle, 1, size), /Invalid part size/)
    for (const ref of ['', '..', '../1-1-00000000', '1-1-00000000/..', 'manifest', 'a b', '</ETag>', '2\n']) {
      await assert.rejects(driver.completeParts(id, handle, [{ number: 1, size: 3, ref }]))
      if (keepsEach) await assert.rejects(driver.removePart(id, handle, { number: 1, ref }))
    }
    for (const to of ['', '..', '../../etc/passwd', id.toUpperCase(), `${id}/..`, `${id}\n`, `${id}.d`]) {
      await assert.rejects(driver.beginParts(to), /Not a blob id/)
      await assert.rejects(put(to, handle, 1), /Not a blob id/)
      await assert.rejects(driver.removePart(to, handle, { number: 1, ref: '1-1-00000000' }), /Not a blob id/)
      await assert.rejects(driver.listParts(to, handle), /Not a blob id/)
      await assert.rejects(driver.completeParts(to, handle, []), /Not a blob id/)
      await assert.rejects(driver.abortParts(to, handle), /Not a blob id/)
      await assert.rejects(driver.partUrl(to, handle, 1, { expiresIn: 60, size: 3 }), /Not a blob id/)
      await assert.rejects(driver.directUrl(to, { expiresIn: 60, contentType: 'a/b', contentDisposition: '' }), /id/)
    }
    assert.deepEqual(await driver.listParts(id, handle), [])
    assert.deepEqual(await list(driver), [])
  })
}
