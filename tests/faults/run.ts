// npm run test:faults -- [--pair sqlite+file|sqlite-2+file|postgres+s3] [--minutes 10] [--kills 100] [--seed 1] [--only kills,…]
import { parseArgs } from 'node:util'
import { killAgainAndAgain } from './kills.ts'
import { others } from './others.ts'
import { openPair, PAIRS } from './pair.ts'
import { openSession, say } from './session.ts'

const { values } = parseArgs({
  options: {
    pair: { type: 'string', multiple: true },
    minutes: { type: 'string', default: '10' },
    kills: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    only: { type: 'string' },
    workers: { type: 'string', default: '8' },
    rest: { type: 'string', default: '60' },
  },
})
const seed = Number(values.seed)
const wanted = values.only?.split(',')
const wants = (name: string) => wanted === undefined || wanted.includes(name)
const unknown = wanted?.filter((name) => name !== 'kills' && !others.some((other) => other.name === name))
if (unknown?.length)
  throw new Error(`There is no fault ${unknown.join()}: kills, ${others.map(({ name }) => name).join(', ')}`)
let violations = 0
for (const name of PAIRS) {
  if (values.pair && !values.pair.includes(name)) continue
  const pair = await openPair(name)
  if ('missing' in pair) {
    say(`Skipped: ${name}. ${pair.missing}.`)
    continue
  }
  say(`${name}, seed ${seed}; logs of the servers in ${pair.logs}`)
  const began = Date.now()
  const session = await openSession(pair, seed, { workers: Number(values.workers), rest: Number(values.rest) })
  const { figures, faults } = session
  try {
    if (wants('kills')) {
      await killAgainAndAgain(session, { minutes: Number(values.minutes), kills: Number(values.kills) })
      await session.check(`${figures.kills} kills`)
    }
    for (const other of others) {
      if (!wants(other.name)) continue
      const why = await other.run(session)
      if (why) say(`Skipped: ${other.name} on ${name}. ${why}`)
      else await session.check(other.name)
    }
    await session.check('in the end', { last: true })
  } catch (error) {
    faults.found.push(`the suite itself: ${(error as Error).stack}`)
    say(faults.found.at(-1) ?? '')
  } finally {
    await session.end()
    await pair.stop(faults.found.length > 0)
  }
  const lost = faults.found.filter((text) => text.startsWith('lost')).length
  console.log(
    [
      '',
      `${name}: ${faults.found.length === 0 ? 'held' : 'BROKEN'}, seed ${seed}, ${Math.round((Date.now() - began) / 1000)} s`,
      `  kills               ${figures.kills}`,
      `  changes acknowledged ${figures.acknowledged}, in doubt ${figures.inDoubt}`,
      `  small uploads       ${figures.small.acknowledged} acknowledged, ${figures.small.lost} in doubt, several at once ${figures.small.together} times`,
      `  lost                ${lost}`,
      `  orphans             ${figures.orphans}`,
      `  deliveries          ${figures.deliveries}, sent again ${figures.duplicates}`,
      `  violations          ${faults.found.length}`,
      ...(faults.found.length > 0 ? [`  logs                ${pair.logs}`] : []),
      '',
    ].join('\n'),
  )
  violations += faults.found.length
}
process.exit(violations === 0 ? 0 : 1)
