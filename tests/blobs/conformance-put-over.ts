import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { BlobDriver } from '../../server/drivers/driver.ts'
import { assertNothing, collect, inChunks, KiB, MiB, putBytes } from './conformance-bytes.ts'
import { Upload } from './conformance-upload.ts'

type It = (what: string, run: (driver: BlobDriver) => Promise<void>) => void

/** The part of the suite that is about blobs that are written again; `part` is the least that one but the last may have. */
export function describePutOver(it: It, part: number): void {
  it('writes a blob in the place of one, of one in parts, and of none', async (driver) => {
    const upload = await Upload.begin(driver)
    for (const [i, size] of [part, 7].entries()) await upload.put(i + 1, randomBytes(size))
    await upload.complete()
    for (const id of [await putBytes(driver, randomBytes(MiB)), upload.id, randomUUID()])
      for (const size of [300 * KiB, 0, 3 * MiB, 10]) {
        const bytes = randomBytes(size)
        assert.equal(await driver.putOver(id, inChunks(bytes), size), size)
        assert.ok((await collect(await driver.get(id, size))).equals(bytes))
      }
    assert.equal((await Array.fromAsync(driver.list())).length, 3)
    for await (const { id } of driver.list()) await driver.remove(id)
    await assertNothing(driver, upload.id)
  })

  it('leaves what was there, and can be read meanwhile, where the new bytes do not come whole', async (driver) => {
    const bytes = randomBytes(MiB)
    const id = await putBytes(driver, bytes)
    const readable = async () => assert.ok((await collect(await driver.get(id, MiB))).equals(bytes))
    async function* failing() {
      yield randomBytes(700 * KiB)
      await readable()
      throw new Error('The source has failed')
    }
    await assert.rejects(driver.putOver(id, failing(), MiB), /The source has failed/)
    await readable()
    await assert.rejects(driver.putOver(id, inChunks(randomBytes(5)), MiB))
    await assert.rejects(driver.putOver(id, inChunks(randomBytes(MiB + 1)), MiB))
    await readable()
    await assert.rejects(driver.putOver('../x', inChunks(bytes), MiB))
  })
}
