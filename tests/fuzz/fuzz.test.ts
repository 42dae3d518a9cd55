import assert from 'node:assert/strict'
import { it } from 'node:test'
import { repeats } from '../support/repeats.ts'
import { describeEngines, onS3 } from '../support/server.ts'
import { fuzz, randomSeed } from './fuzz.ts'
import { startTarget } from './target.ts'

const SECONDS = repeats(10)
const MOST_MEMORY = 1_000_000_000
const skip = onS3 ? 'starts services of its own, with files' : process.platform !== 'linux' && 'reads /proc'

describeEngines('fuzz', (engine) => {
  // The long run is `npm run fuzz`.
  it('answers valid, hostile and broken requests to every operation as documented', { skip }, async (t) => {
    const seed = randomSeed()
    t.diagnostic(`seed ${seed}`)
    const target = await startTarget(engine)
    try {
      const limits = { seconds: SECONDS, requests: repeats(2000), seed, concurrency: 8, timeoutMs: 15_000 }
      const { findings, requests, statuses } = await fuzz(target.url, { ...limits, rescue: target.rescue })
      t.diagnostic(`${requests} requests: ${JSON.stringify(statuses)}`)
      assert.deepEqual(findings, [])
      assert.equal((await fetch(`${target.url}/readyz`)).status, 200)
      const { peak } = target.memory()
      assert.ok(peak < MOST_MEMORY, `${peak} bytes of memory at its peak`)
    } finally {
      const { verify } = await target.finish()
      assert.match(verify, /0 missing, 0 different, 0 sealed, 0 damaged, 0 orphans, 0 aside, 0 miscounted/)
    }
  })
})
