import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { Fenced } from '../backup/epochs.ts'
import { assertAtAll, highestEpoch, placesOf, takeEpoch } from '../backup/fence.ts'
import { Unreadable } from '../backup/format.ts'
import { untold } from '../backup/recover-command.ts'
import type { Follower } from './follower.ts'

/** A main service that stored something so lately may still be at work; it stops storing within so long once it is fenced, in milliseconds. */
const ALIVE_MS = 30_000
const LAST_WORDS_MS = 3000

export interface Promotion {
  follower: Follower
  /** The place that is followed. */
  place: NamedFiles
  database: string
  report(line: string): void
  /** Awaited before the standby's database gets its final name: nobody may have it open then. */
  onFinish(): Promise<void>
}

/**
 * Makes a standby the instance that may write: records the next epoch wherever the old one would look, takes in what that has
 * still stored, and gives the database its name. Returns the text to print. Throws a Refusal if another one was faster.
 */
export async function promote(
  config: Config,
  { follower, place, database, report, onFinish }: Promotion,
): Promise<string> {
  await takeIn(follower, report)
  const { instance, number: known } = follower.own()
  const secretKeys = secretKeysOf(config)
  const others = await placesOf(config)
  const places = [place, ...others]
  try {
    const number = Math.max(known, await highestEpoch(places, secretKeys)) + 1
    const own = { instance, number, holder: randomUUID() }
    for (const failure of await takeEpoch(places, config, own)) report(untold(failure))
    if (Date.now() - Date.parse(follower.moment ?? '') < ALIVE_MS) {
      await pause(LAST_WORDS_MS)
      await takeIn(follower, report)
    }
    await assertAtAll(places, secretKeys, own)
    await onFinish()
    follower.finish(own)
    return [
      `Everything that was acknowledged until ${follower.moment} is here.`,
      `The database is ${path.resolve(database)}, and the one that may write now (epoch ${number}).`,
    ].join('\n')
  } catch (error) {
    if (!(error instanceof Fenced)) throw error
    throw new Refusal(`It was not promoted: ${error.message}.`)
  } finally {
    for (const one of others) one.close()
  }
}

/** Applies everything that can be; what cannot is said, and keeps nobody from taking over. */
async function takeIn(follower: Follower, report: (line: string) => void): Promise<void> {
  try {
    while (await follower.step());
  } catch (error) {
    if (follower.moment === null) throw error
    const what = error instanceof Unreadable ? 'Left out' : 'The backup place cannot be read'
    report(`${what}: ${(error as Error).message}`)
  }
}
