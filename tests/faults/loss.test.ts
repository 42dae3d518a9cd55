// A few runs of what `node tests/faults/loss.ts` does two hundred times: docs/faults.md.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loseOnce } from './loss.ts'

/** Another one each day: what it finds can be repeated by the number it prints. */
const seed = Math.floor(Date.now() / 86_400_000)

describe('a machine that burns', () => {
  for (const [failing, burning] of [
    [false, 'one'],
    [true, 'both'],
  ] as const)
    it(`loses nothing acknowledged before the moment that recover says, ${failing ? 'though the place fails at random' : 'which is close'}, and has its bytes from a mirror (${burning})`, {
      timeout: 300_000,
    }, async (t) => {
      const { lost, wrongBytes, acknowledged, lag, afterwards } = await loseOnce(seed + Number(failing), {
        failing,
        burning,
      })
      t.diagnostic(
        `seed ${seed + Number(failing)}: ${acknowledged} acknowledged, ${afterwards} after the moment, ${lag} s`,
      )
      assert.deepEqual([lost, wrongBytes], [[], 0])
      assert.ok(acknowledged > 0)
      // A second between two files, and what a machine under load needs.
      if (!failing) assert.ok(lag < 10, `${lag} s`)
    })
})
