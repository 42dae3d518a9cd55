import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobDriver } from '../../server/drivers/driver.ts'
import { KiB, MiB, repeated, residentMemory } from './conformance-bytes.ts'

/** The part of the suite that is about what a driver holds in memory. */
export function describeMemory(it: (what: string, run: (driver: BlobDriver) => Promise<void>) => void): void {
  it('reads ahead of a slow reader only a little', async (driver) => {
    const id = randomUUID()
    await driver.put(id, repeated(64 * MiB))
    const before = residentMemory()
    const body = (await driver.get(id, 64 * MiB)) as Readable
    const reader = body[Symbol.asyncIterator]()
    await reader.next()
    await sleep(300)
    assert.ok(body.readableLength <= MiB, `${body.readableLength} bytes wait`)
    assert.ok(residentMemory() - before < 16 * MiB)
    await reader.return?.()
    assert.ok(body.destroyed)
  })

  it('needs little memory for 256 MiB', async (driver) => {
    const id = randomUUID()
    const before = residentMemory()
    let most = 0
    const watch = (seen: number) => {
      if (seen % (16 * MiB) < 64 * KiB) most = Math.max(most, residentMemory() - before)
    }
    await driver.put(id, repeated(256 * MiB, watch))
    let read = 0
    for await (const chunk of (await driver.get(id, 256 * MiB)) as Readable) {
      read += chunk.length
      watch(read)
    }
    assert.equal(read, 256 * MiB)
    assert.ok(most < 64 * MiB + 2 * driver.traits.buffered, `grew by ${Math.round(most / MiB)} MiB`)
  })
}
