import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import fc from 'fast-check'
import { createCRC64 } from 'hash-wasm'
import { createDigest } from '../../server/blobs/digest.ts'
import { digestOf } from './digests.ts'

type Algorithm = Parameters<typeof createDigest>[0]

const hexOf = async (algorithm: Algorithm, ...pieces: Uint8Array[]) =>
  (await digestOf(algorithm, ...pieces)).toString('hex')
const digits = Buffer.from('123456789')
const hashed = (algorithm: string) => createHash(algorithm).update(digits).digest('hex')
const known = {
  crc32: 'cbf43926',
  crc32c: 'e3069283',
  crc64nvme: 'ae8b14860a799888',
  md5: hashed('md5'),
  sha1: hashed('sha1'),
  sha256: hashed('sha256'),
}
const algorithms = Object.keys(known) as (keyof typeof known)[]

it('computes the known answers, and those of no bytes', async () => {
  for (const algorithm of algorithms) {
    assert.equal(await hexOf(algorithm, digits), known[algorithm], algorithm)
    assert.equal(await hexOf(algorithm), await hexOf(algorithm, Buffer.alloc(0)), algorithm)
  }
  for (const crc of ['crc32', 'crc32c', 'crc64nvme'] as const) assert.match(await hexOf(crc), /^(0{8}){1,2}$/)
})

it('does not depend on how the bytes are split, nor on another digest at the same time', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 5000 })), async (pieces) => {
      for (const algorithm of algorithms) {
        const [split, whole] = [await createDigest(algorithm), await createDigest(algorithm)]
        for (const piece of pieces) split.update(piece)
        whole.update(Buffer.concat(pieces))
        assert.deepEqual(split.digest(), whole.digest(), algorithm)
      }
    }),
  ))

it('computes the CRC-64/NVME that another library does, of every length that ends a stretch', async () => {
  const other = await createCRC64('9a6c9329ac4bc9b5')
  const bytes = Buffer.alloc(300_000)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 2_654_435_761) >>> 13
  const lengths = [1, 7, 8, 9, 4096, 16_383, 16_384, 16_385, 98_303, 98_304, 98_305, 114_689, 300_000]
  for (const length of lengths) {
    const piece = bytes.subarray(0, length)
    other.init()
    other.update(piece)
    assert.equal(await hexOf('crc64nvme', piece), other.digest('hex'), String(length))
  }
})
