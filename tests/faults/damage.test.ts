// A short run of what `node tests/faults/damage.ts` does with ten thousand blobs: docs/faults.md.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { onS3 } from '../support/server.ts'
import { damageMany } from './damage.ts'

/** Another one each day: what it finds can be repeated by the number it prints. */
const seed = Math.floor(Date.now() / 86_400_000)

describe('a damaged disk', { skip: onS3 && 'It damages files.' }, () => {
  it('never makes a read wrong, and one scrub repairs all of it from the mirror, and names each once', async (t) => {
    const { blobs, bytes, done, reads, scrubSeconds, healSeconds, ...faults } = await damageMany(seed, 250)
    t.diagnostic(`seed ${seed}: ${JSON.stringify({ blobs, bytes, done, reads, scrubSeconds, healSeconds })}`)
    assert.deepEqual(faults, {
      wrong: [],
      refused: [],
      unreported: [],
      repeated: [],
      invented: [],
      unhealed: [],
      foundAgain: 0,
    })
    assert.deepEqual([done.flipped, done.deleted, done.cut, done.swapped], [8, 8, 2, 2])
    assert.ok(reads > 0)
  })
})
