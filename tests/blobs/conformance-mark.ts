import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { BlobDriver } from '../../server/drivers/driver.ts'
import { list, putBytes } from './conformance-bytes.ts'

/** Whose a storage is. */
export function describeMark(it: (what: string, run: (driver: BlobDriver) => Promise<void>) => void): void {
  it('has no owner until it is claimed, and keeps that owner', async (driver) => {
    const [first, second] = [randomUUID(), randomUUID()]
    assert.equal(await driver.owner(), null)
    await driver.claimFor(first)
    assert.equal(await driver.owner(), first)
    await driver.claimFor(second)
    await driver.claimFor(first)
    assert.equal(await driver.owner(), first)
    await driver.unclaim(second)
    assert.equal(await driver.owner(), first)
    await driver.unclaim(first)
    await driver.unclaim(first)
    assert.equal(await driver.owner(), null)
    await driver.claimFor(second)
    assert.equal(await driver.owner(), second)
  })

  it('lists no mark among its blobs', async (driver) => {
    await driver.claimFor(randomUUID())
    assert.deepEqual(await list(driver), [])
    const id = await putBytes(driver, randomBytes(3))
    assert.deepEqual(
      (await list(driver)).map((blob) => blob.id),
      [id],
    )
  })

  it('is claimed by one of many at once', async (driver) => {
    const ids = Array.from({ length: 8 }, () => randomUUID())
    await Promise.all(ids.map((id) => driver.claimFor(id)))
    const owner = await driver.owner()
    assert.ok(ids.some((id) => id === owner))
    assert.equal(await driver.owner(), owner)
  })
}
