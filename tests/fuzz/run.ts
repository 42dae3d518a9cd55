// npm run fuzz -- [--engine sqlite|postgres] [--seconds n] [--requests n] [--seed n] [--only regex] [--concurrency n]
import { parseArgs } from 'node:util'
import { type Engine, engines } from '../support/server.ts'
import { fuzz, randomSeed } from './fuzz.ts'
import { startTarget } from './target.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    requests: { type: 'string', default: 'Infinity' },
    seed: { type: 'string' },
    only: { type: 'string' },
    concurrency: { type: 'string', default: '8' },
    timeout: { type: 'string', default: '5' },
  },
})

/** What no request may add to the waiting of another, in milliseconds. */
const MOST_MS = 250

for (const engine of values.engine === undefined ? engines : [values.engine as Engine]) {
  const seed = values.seed === undefined ? randomSeed() : Number(values.seed)
  console.log(`${engine}, seed ${seed}`)
  const target = await startTarget(engine)
  const begun = target.memory()
  const asked = fuzz(target.url, {
    seconds: Number(values.seconds),
    requests: Number(values.requests),
    seed,
    concurrency: Number(values.concurrency),
    timeoutMs: Number(values.timeout) * 1000,
    ...(values.only === undefined ? {} : { only: new RegExp(values.only) }),
    say: console.log,
    rescue: target.rescue,
  })
  const { result: outcome, longestMs } = await target.stretches.during(() => asked)
  const { rss, peak } = target.memory()
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  console.log(`requests ${outcome.requests}, statuses ${JSON.stringify(outcome.statuses)}`)
  const missed = outcome.missed.length > 0 ? `; never: ${outcome.missed.join(' ')}` : ''
  console.log(
    `operations answered with success: ${outcome.operations - outcome.missed.length} of ${outcome.operations}${missed}`,
  )
  console.log(`slowest ${Math.round(outcome.slowestMs)} ms; memory ${mb(begun.rss)} → ${mb(rss)}, peak ${mb(peak)}`)
  console.log(`longest without a turn: ${Math.round(longestMs)} ms of processor time`)
  if (longestMs > MOST_MS) {
    console.log(`a request kept others waiting for more than ${MOST_MS} ms`)
    process.exitCode = 1
  }
  const { verify, audit } = await target.finish()
  console.log(`${verify.trim()}\n${audit.trim()}`)
  if (outcome.findings.length > 0) {
    console.log(`${outcome.findings.length} finding(s); again with --seed ${seed}`)
    process.exitCode = 1
  }
}
