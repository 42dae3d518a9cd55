import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BlobDriver, BlobMissing } from '../../server/drivers/driver.ts'
import { assertNothing, collect, inChunks, KiB, list, MiB, putBytes } from './conformance-bytes.ts'
import { Upload } from './conformance-upload.ts'

type It = (what: string, run: (driver: BlobDriver) => Promise<void>) => void

const aside = async (driver: BlobDriver) => new Set((await Array.fromAsync(driver.listAside())).map(({ id }) => id))

/** The part of the suite that is about blobs that are set aside. */
export function describeOrphans(it: It, part: number): void {
  it('sets a blob aside, where nothing finds it, and restores it', async (driver) => {
    const bodies = [0, 1, 64 * KiB, 3 * MiB].map((size) => randomBytes(size))
    const ids = await Promise.all(bodies.map((bytes) => putBytes(driver, bytes)))
    const begun = Date.now()
    for (const id of ids) await driver.setAside(id)
    assert.deepEqual(await list(driver), [])
    for (const [i, id] of ids.entries()) {
      await assert.rejects(driver.get(id, bodies[i]?.length ?? 0), BlobMissing)
      await driver.remove(id)
      await driver.setAside(id)
    }
    const listed = await Array.fromAsync(driver.listAside())
    assert.deepEqual(
      listed.map(({ id, size }) => [id, size]).sort(),
      ids.map((id, i) => [id, bodies[i]?.length]).sort(),
    )
    for (const { modified_at } of listed) assert.ok(Math.abs(modified_at.getTime() - begun) < 60_000)
    await driver.check()
    for (const id of [...ids, ...ids]) await driver.bringBack(id)
    assert.equal((await list(driver)).length, ids.length)
    assert.deepEqual(await aside(driver), new Set())
    for (const [i, id] of ids.entries()) {
      const bytes = bodies[i] as Buffer
      assert.ok((await collect(await driver.get(id, bytes.length))).equals(bytes))
    }
  })

  it('sets a multipart blob aside completely, and restores it', async (driver) => {
    const upload = await Upload.begin(driver)
    await upload.put(1, randomBytes(part))
    await upload.put(2, randomBytes(20))
    await upload.complete()
    await upload.assertDone()
    await driver.setAside(upload.id)
    await assertNothing(driver, upload.id)
    assert.deepEqual(await aside(driver), new Set([upload.id]))
    await driver.bringBack(upload.id)
    await upload.assertDone()
    assert.deepEqual(await aside(driver), new Set())
  })

  it('reports when a blob was set aside, not its age', async (driver) => {
    const id = await putBytes(driver, randomBytes(10))
    const [blob] = await list(driver)
    // Engines keep whole seconds.
    await sleep(1100)
    await driver.setAside(id)
    const [moved] = await Array.fromAsync(driver.listAside())
    assert.ok(blob && moved && moved.modified_at > blob.modified_at)
  })

  it('deletes blobs that were set aside, and nothing else', async (driver) => {
    const [id, other, kept] = [
      await putBytes(driver, randomBytes(10)),
      await putBytes(driver, randomBytes(10)),
      await putBytes(driver, randomBytes(10)),
    ]
    for (const one of [id, other]) await driver.setAside(one)
    for (const one of [id, id, kept, randomUUID()]) await driver.removeAside(one)
    assert.deepEqual(await aside(driver), new Set([other]))
    assert.deepEqual(
      (await list(driver)).map((blob) => blob.id),
      [kept],
    )
    await driver.bringBack(id)
    await assert.rejects(driver.get(id, 10), BlobMissing)
    await driver.removeAside(other)
  })

  it('leaves what is there alone when it brings back, and takes the later one when it sets aside again', async (driver) => {
    const bytes = randomBytes(10)
    const id = await putBytes(driver, randomBytes(20))
    await driver.setAside(id)
    await driver.put(id, inChunks(bytes))
    await driver.bringBack(id)
    assert.ok((await collect(await driver.get(id, 10))).equals(bytes))
    await driver.setAside(id)
    await driver.bringBack(id)
    assert.ok((await collect(await driver.get(id, 10))).equals(bytes))
    await driver.removeAside(id)
  })

  it('sets nothing aside where there is nothing', async (driver) => {
    assert.deepEqual(await aside(driver), new Set())
    for (const change of [driver.setAside, driver.bringBack, driver.removeAside]) {
      await change(randomUUID())
      for (const id of ['', '..', 'orphans', `${randomUUID()}.d`, `../${randomUUID()}`])
        await assert.rejects(change(id), /Not a blob id/)
    }
    assert.deepEqual(await aside(driver), new Set())
  })
}
