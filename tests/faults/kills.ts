import { setTimeout as pause } from 'node:timers/promises'
import { type Session, say } from './session.ts'

/** Milliseconds after it listens at which a server is killed: mostly early, up to six seconds. */
const FROM = 500
const TO = 6000
/** How many kills come before a server listens. */
const BEFORE_READY = 0.1
/** How many hit one process of a server of several, while the others go on. */
const ONE_PROCESS = 0.6
const CHECK_EVERY = 40

/**
 * Kills servers with SIGKILL and restarts them immediately, for a time or a number of kills; replicas independently. Checks
 * now and then, not at the end.
 */
export async function killAgainAndAgain(session: Session, limits: { minutes: number; kills: number }): Promise<void> {
  const { pair, random, figures } = session
  let left = limits.minutes * 60_000
  while (left > 0 && figures.kills < limits.kills) {
    const began = Date.now()
    const until = Math.min(limits.kills, figures.kills + CHECK_EVERY)
    const over = () => Date.now() - began > left || figures.kills >= until
    await Promise.all(
      pair.replicas.map(async (replica, i) => {
        while (!over()) {
          await pause(FROM + (TO - FROM) * random.next() ** 2)
          if (pair.env.PROCESSES && random.chance(ONE_PROCESS)) {
            if (replica.killProcess(random.int(0, 7))) figures.kills++
            continue
          }
          await replica.kill('SIGKILL')
          figures.kills++
          while (random.chance(BEFORE_READY)) {
            const starting = session.start(i)
            await pause(random.int(50, 1500))
            await replica.kill('SIGKILL')
            await starting
            figures.kills++
          }
          await session.start(i)
        }
      }),
    )
    left -= Date.now() - began
    if (left > 0 && figures.kills < limits.kills) await session.check(`${figures.kills} kills`)
  }
  const starts = figures.starts.toSorted((a, b) => a - b)
  say(
    `starts: ${starts.length}, median ${Math.round(starts[starts.length >> 1] ?? 0)} ms, longest ${Math.round(starts.at(-1) ?? 0)} ms`,
  )
}
