import assert from 'node:assert/strict'
import { createHash, randomInt, randomUUID } from 'node:crypto'
import v8 from 'node:v8'
import vm from 'node:vm'
import { type BlobBody, type BlobDriver, BlobMissing, type StoredBlob } from '../../server/drivers/driver.ts'

export const KiB = 1024
export const MiB = 1024 * KiB

/** All of a body; rejects when the stream does. */
export async function collect(body: BlobBody): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.concat(await body.toArray())
}

export async function putBytes(driver: BlobDriver, bytes: Uint8Array): Promise<string> {
  const id = randomUUID()
  await driver.put(id, inChunks(bytes))
  return id
}

export const list = (driver: BlobDriver): Promise<StoredBlob[]> => Array.fromAsync(driver.list())
export const sizes = async (driver: BlobDriver) => new Map((await list(driver)).map(({ id, size }) => [id, size]))
export const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

export async function assertNothing(driver: BlobDriver, id: string): Promise<void> {
  await assert.rejects(driver.get(id, 1), BlobMissing)
  assert.deepEqual(await list(driver), [])
}

/** The bytes in chunks of random sizes up to 100 KiB. */
export async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const size = randomInt(1, 100 * KiB)
    yield bytes.subarray(at, at + size)
    at += size
  }
}

export async function* repeated(size: number, watch?: (given: number) => void): AsyncGenerator<Uint8Array> {
  for (let given = 0; given < size; given += 64 * KiB) {
    yield Buffer.alloc(64 * KiB, given & 255)
    watch?.(given + 64 * KiB)
  }
}

v8.setFlagsFromString('--expose-gc')
const collectGarbage = vm.runInNewContext('gc') as () => void
/** Bytes, without what is garbage by now. */
export function residentMemory(): number {
  collectGarbage()
  return process.memoryUsage.rss()
}
