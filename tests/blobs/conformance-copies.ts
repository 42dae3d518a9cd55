import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { ByteRange } from '../../server/base/byte-range.ts'
import { type BlobDriver, BlobMissing } from '../../server/drivers/driver.ts'
import { assertNothing, collect, putBytes } from './conformance-bytes.ts'
import { Upload } from './conformance-upload.ts'

type It = (what: string, run: (driver: BlobDriver) => Promise<void>) => void

/** The part of the suite that is about copies of ranges; `part` is the least that one but the last may have. */
export function describeCopies(it: It, part: number): void {
  it('copies ranges of a blob, of parts or not, as a new one', async (driver) => {
    const upload = await Upload.begin(driver)
    for (const [i, size] of [part, part + 1, part, 5].entries()) await upload.put(i + 1, randomBytes(size))
    await upload.complete()
    const { bytes } = upload
    const whole = await putBytes(driver, bytes)
    const end = bytes.length - 1
    const cuts: ByteRange[][] = [
      [{ start: 0, end }],
      [{ start: 3, end: 3 }],
      [
        { start: 2 * part, end },
        { start: 0, end: part - 1 },
      ],
      [
        { start: 0, end: part - 1 },
        { start: 2 * part + 1, end: 3 * part },
        { start: end - 2, end },
      ],
      [],
    ]
    for (const id of [upload.id, whole])
      for (const ranges of cuts) {
        const copy = randomUUID()
        let told = 0
        await driver.copyRanges(copy, { id, size: bytes.length }, ranges, async () => void told++)
        const expected = Buffer.concat(ranges.map(({ start, end }) => bytes.subarray(start, end + 1)))
        assert.ok((await collect(await driver.get(copy, expected.length))).equals(expected))
        assert.equal(told, ranges.length)
        const again = driver.copyRanges(copy, { id, size: bytes.length }, [{ start: 0, end: 0 }], async () => {})
        await assert.rejects(again, /exists already/)
        await driver.remove(copy)
      }
    const copy = randomUUID()
    const from = { id: upload.id, size: bytes.length }
    const copying = (source: typeof from, ranges: ByteRange[], onCopied = async () => {}) =>
      driver.copyRanges(copy, source, ranges, onCopied)
    const failure = new Error('given up')
    await assert.rejects(copying({ ...from, size: from.size + 1 }, [{ start: 0, end: from.size }]), BlobMissing)
    await assert.rejects(copying({ ...from, id: randomUUID() }, [{ start: 0, end: 1 }]), BlobMissing)
    await assert.rejects(copying(from, [{ start: 0, end: from.size }]), RangeError)
    await assert.rejects(
      copying(from, [{ start: 0, end }], () => Promise.reject(failure)),
      (error) => error === failure,
    )
    await assert.rejects(copying({ ...from, id: '../x' }, []), /Not a blob id/)
    await assert.rejects(
      driver.copyRanges('../x', from, [], async () => {}),
      /Not a blob id/,
    )
    for (const id of [upload.id, whole]) await driver.remove(id)
    await assertNothing(driver, copy)
  })

  it('copies what is a file or an object as a part, without reading it', async (driver) => {
    const source = await Upload.begin(driver)
    for (const [i, size] of [part, part + 1, 5].entries()) await source.put(i + 1, randomBytes(size))
    await source.complete()
    const { bytes } = source
    const whole = await putBytes(driver, bytes.subarray(0, part))
    const target = await Upload.begin(driver)
    const copy = (number: number, id: string, of: number, { start, end }: ByteRange, to = target) => {
      const range = { start, end }
      return driver.copyPart(to.id, to.handle, { number, size: end - start + 1 }, { id, size: of }, range)
    }
    const take = async (number: number, id: string, of: number, range: ByteRange) => {
      const ref = await copy(number, id, of, range)
      assert.ok(ref !== null)
      const size = range.end - range.start + 1
      target.sent.set(number, { bytes: bytes.subarray(range.start, range.end + 1), part: { number, size, ref } })
    }
    const { length } = bytes
    await take(1, source.id, length, { start: part, end: 2 * part })
    await take(2, whole, part, { start: 0, end: part - 1 })
    await take(3, source.id, length, { start: 2 * part + 1, end: length - 1 })
    assert.deepEqual(await target.list(), target.parts)
    assert.equal(await copy(4, randomUUID(), 5, { start: 0, end: 4 }), null)
    for (const id of [source.id, whole]) await driver.remove(id)
    await target.complete()
    await target.assertDone()
    const late = await copy(1, target.id, length, { start: 0, end: part }).catch((error: unknown) => error)
    assert.ok(late === null || late instanceof BlobMissing, 'a blob that is complete takes no part')
    await driver.remove(target.id)
    await assert.rejects(copy(1, '../x', 1, { start: 0, end: 0 }), /Not a blob id/)
    await assertNothing(driver, target.id)
  })
}
