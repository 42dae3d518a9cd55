import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { BlobDriver, StoredPart } from '../../server/drivers/driver.ts'
import { collect, inChunks, sizes } from './conformance-bytes.ts'

/** A blob that is arriving, and what it will be. */
export class Upload {
  readonly sent = new Map<number, { bytes: Buffer; part: StoredPart }>()
  readonly driver: BlobDriver
  readonly id: string
  readonly handle: string
  constructor(driver: BlobDriver, id: string, handle: string) {
    this.driver = driver
    this.id = id
    this.handle = handle
  }
  static async begin(driver: BlobDriver): Promise<Upload> {
    const id = randomUUID()
    return new Upload(driver, id, await driver.beginParts(id))
  }

  async put(number: number, bytes: Buffer): Promise<StoredPart> {
    const ref = await this.driver.putPart(this.id, this.handle, { number, size: bytes.length }, inChunks(bytes))
    const part = { number, size: bytes.length, ref }
    this.sent.set(number, { bytes, part })
    return part
  }
  get parts(): StoredPart[] {
    return [...this.sent.values()].map(({ part }) => part).sort((a, b) => a.number - b.number)
  }
  get bytes(): Buffer {
    return Buffer.concat(this.parts.map(({ number }) => this.sent.get(number)?.bytes as Buffer))
  }
  list(): Promise<StoredPart[]> {
    return this.driver.listParts(this.id, this.handle)
  }
  complete(parts = this.parts): Promise<void> {
    return this.driver.completeParts(this.id, this.handle, parts)
  }
  /** The blob is there, whole and alone, and nothing of the parts. */
  async assertDone(): Promise<void> {
    const { driver, id, bytes } = this
    assert.ok((await collect(await driver.get(id, bytes.length))).equals(bytes))
    assert.deepEqual(await sizes(driver), new Map([[id, bytes.length]]))
    assert.deepEqual(await this.list(), [])
  }
}
