// A short run of what `npm run test:faults` does for long: docs/faults.md.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { killAgainAndAgain } from './kills.ts'
import { openPair, PAIRS } from './pair.ts'
import { openSession } from './session.ts'

const SECONDS = 8
/** Another one each day: what it finds can be repeated by the number it prints. */
const seed = Math.floor(Date.now() / 86_400_000)

// Most of their time they wait for leases of what was killed.
describe('faults', { concurrency: true }, () => {
  for (const name of PAIRS)
    it(`${name}: kill -9 under load loses nothing that was acknowledged`, { timeout: 300_000 }, async (t) => {
      const pair = await openPair(name)
      if ('missing' in pair) return t.skip(pair.missing)
      const session = await openSession(pair, seed, { workers: 4, rest: 60 })
      const { found } = session.faults
      try {
        await killAgainAndAgain(session, { minutes: SECONDS / 60, kills: 8 })
        await session.check('in the end', { last: true })
        t.diagnostic(
          `seed ${seed}: ${session.figures.kills} kills, ${session.figures.acknowledged} changes acknowledged`,
        )
        assert.deepEqual(found, [])
        assert.ok(session.figures.kills > 0)
        assert.ok(session.figures.small.acknowledged > 0)
      } finally {
        await session.end()
        await pair.stop(found.length > 0)
      }
    })
})
