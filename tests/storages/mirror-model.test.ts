import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { runsInTime } from '../support/runs-in-time.ts'
import { describeEngines, onS3 } from '../support/server.ts'
import { type Command, command } from './model/commands.ts'
import { Run } from './model/run.ts'
import { openWorld, type World } from './model/world.ts'

/**
 * MIRROR_RUNS: how many runs there are on each database. A failure prints a seed and a path, which MIRROR_SEED and MIRROR_PATH
 * repeat. By default there are as many as 15 seconds have room for, at most 8.
 */
const { MIRROR_RUNS, MIRROR_SEED, MIRROR_PATH } = process.env
const numRuns = MIRROR_RUNS === undefined ? 8 : Number(MIRROR_RUNS)
const MOST_MS = MIRROR_RUNS === undefined ? 15_000 : Number.POSITIVE_INFINITY
const again = {
  ...(MIRROR_SEED === undefined ? {} : { seed: Number(MIRROR_SEED) }),
  ...(MIRROR_PATH === undefined ? {} : { path: MIRROR_PATH }),
}
/** Each run needs three storages, whose upkeep is done in those after it too. */
const RUNS_OF_A_WORLD = 10

/** Many runs begin with mirrors: without these there is nothing to damage. */
const MIRROR = { op: 'mirror', to: 0, acknowledge: 'both', when_down: 'continue', keep_removed_days: 0 } as const

describeEngines('copies of storages: a model', (engine) => {
  let world: World | undefined
  before(async () => {
    if (!onS3) world = await openWorld(engine)
  })
  after(() => world?.stop())

  it('never give other bytes, whatever is damaged, away or killed, and are whole in the end', {
    skip: onS3 && 'It damages files.',
    timeout: MIRROR_RUNS === undefined ? 300_000 : 12 * 3_600_000,
  }, async (t) => {
    const sums: Record<string, number> = { runs: 0 }
    let isSpent = false
    const mirrors = fc.subarray([0, 1] as (0 | 1)[]).map((all) => all.map((at) => ({ ...MIRROR, at })))
    const given = fc
      .tuple(mirrors, fc.array(command, { minLength: 10, maxLength: 30, size: 'max' }))
      .map(([first, then]) => [...first, ...then])
    const check = runsInTime(MOST_MS, async (commands: Command[]) => {
      const number = (sums.runs ?? 0) + 1
      if (isSpent || number % RUNS_OF_A_WORLD === 0) {
        await world?.stop()
        world = await openWorld(engine)
      }
      sums.runs = number
      const steps = await Run.begin(world as World, number)
      for (const one of commands) await steps.take(one)
      isSpent = !(await steps.settle())
      for (const [name, count] of Object.entries(steps.figures)) sums[name] = (sums[name] ?? 0) + count
      if (number % 50 === 0) console.log(`${engine}: ${JSON.stringify(sums)}`)
    })
    await fc.assert(fc.asyncProperty(given, check), { numRuns, ...again, endOnFailure: true, verbose: 1 })
    t.diagnostic(JSON.stringify(sums))
  })
})
