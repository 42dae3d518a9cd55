import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checksumAlgorithms } from '../../contract/shapes.ts'
import { combineCrcs, compositeOf, isCrc } from '../../server/blobs/combine.ts'
import { createDigest } from '../../server/blobs/digest.ts'
import { digestOf } from './digests.ts'

describe('checksums of several parts', () => {
  for (const algorithm of checksumAlgorithms.filter(isCrc))
    it(`combines those by ${algorithm} to that of all bytes`, async () => {
      const part = fc.oneof(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ maxLength: 5000, size: 'max' }))
      await fc.assert(
        fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (bodies) => {
          const parts = await Promise.all(
            bodies.map(async (body) => ({ size: body.length, digest: await digestOf(algorithm, body) })),
          )
          const whole = await digestOf(algorithm, Buffer.concat(bodies))
          assert.equal((await combineCrcs(algorithm, parts)).toString('hex'), whole.toString('hex'))
        }),
        { numRuns: 300 },
      )
    })

  it('combines sizes that no test could send', async () => {
    // 5 GiB of zeros, computed once as a stream.
    const zero = Buffer.alloc(1024 ** 2)
    const digest = await createDigest('crc32')
    for (let i = 0; i < 5 * 1024; i++) digest.update(zero)
    const whole = digest.digest()
    const part = await digestOf('crc32', zero)
    const parts = Array.from({ length: 5 * 1024 }, () => ({ size: zero.length, digest: part }))
    assert.deepEqual(await combineCrcs('crc32', parts), whole)
    const half = await combineCrcs('crc32', parts.slice(0, 2560))
    const halves = [0, 1].map(() => ({ size: 2560 * zero.length, digest: half }))
    assert.deepEqual(await combineCrcs('crc32', halves), whole)
  })

  it('hashes the checksums of the parts for a composite one', async () => {
    const bodies = [randomBytes(20), randomBytes(3)]
    const digests = bodies.map((body) => createHash('sha256').update(body).digest())
    const parts = digests.map((digest, i) => ({ size: bodies[i]?.length ?? 0, digest }))
    const expected = createHash('sha256').update(Buffer.concat(digests)).digest()
    assert.deepEqual(await compositeOf('sha256', parts), expected)
  })
})
