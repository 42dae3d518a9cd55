import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { ByteRange } from '../../server/base/byte-range.ts'
import { type BlobDriver, BlobMissing } from '../../server/blobs/drivers/driver.ts'
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
}
