import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import { Torn } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { placesOf } from '../backup/fence.ts'
import { Unreadable } from '../backup/format.ts'
import { isTaken, nextEpoch, takeOver } from '../backup/take-over.ts'
import { type Follower, NeedsCopy } from './follower.ts'

/**
 * A main service that was not heard of for so long is taken to be off. Any other ends within a few seconds once it is fenced, and may
 * store something until then: there was nothing more if nothing came for LAST_WORDS_MS, or after MOST_WORDS times of that. In
 * milliseconds.
 */
const ALIVE_MS = 30_000
const LAST_WORDS_MS = 3000
const MOST_WORDS = 10

export interface Promotion {
  follower: Follower
  /** The place that is followed. */
  place: NamedFiles
  database: string
  report(line: string): void
  /** Whether a new copy of the database may be fetched for it, however long that takes. */
  copies: boolean
  /** Whether it takes over from an instance that has taken over itself, and whose changes are not here. */
  supersede: boolean
  /** Whether anybody still asks for it, as of now: a promotion that was asked for long ago is not made. */
  isWanted(): Promise<boolean>
  /** Awaited before the standby's database gets its final name: nobody may have it open then. */
  onFinish(): Promise<void>
}

/**
 * Makes a standby the instance that may write: takes the next epoch wherever the old one would look, takes in what that has
 * still stored, and gives the database its name. Returns the text to print. Throws a Refusal if another one was faster, or it
 * cannot be; then the old one may write again.
 */
export async function promote(config: Config, promotion: Promotion): Promise<string> {
  const { follower, place, database, report, onFinish } = promotion
  await takeIn(promotion)
  follower.assertReady()
  const secretKeys = secretKeysOf(config)
  const others = await placesOf(config)
  const places = [place, ...others]
  try {
    const { instance, number: known } = follower.own()
    const begun = follower.promoting && { instance, ...follower.promoting }
    const isBegun = begun !== undefined && (await isTaken(places, secretKeys, begun)) === true
    const own = isBegun ? begun : await nextEpoch(places, secretKeys, { instance, number: known })
    if (!isBegun && own.number > known + 1 && !promotion.supersede)
      throw new Refusal(
        `Another instance has taken over (epoch ${own.number - 1}), and what it has changed is not here. A standby follows it by itself: ask again once it does. If that instance is gone for good: promote --supersede.`,
      )
    if (!(await promotion.isWanted())) throw new Refusal('Nobody asks for it any more.')
    // Before it is taken: who is started after a crash finishes what was begun.
    follower.notePromotion(own)
    const isSilent = follower.hearing.isSilentFor(ALIVE_MS)
    try {
      await takeOver({ places, secretKeys, own, report }, async (assertOwn) => {
        await assertOwn()
        if (!isSilent) await hearOut(promotion)
        await assertOwn()
        await onFinish()
        follower.finish(own)
      })
    } catch (error) {
      if (!(error instanceof Torn)) follower.notePromotion(undefined)
      throw error
    }
    return [
      `Everything that was acknowledged until ${follower.moment} is here.`,
      `The database is ${path.resolve(database)}, and the one that may write now (epoch ${own.number}).`,
    ].join('\n')
  } finally {
    for (const one of others) one.close()
  }
}

/** Whether a promotion that was not finished still has its epoch; undefined while no place says. Where it has not, forgets it. */
export async function isUnfinished(
  config: Config,
  { follower, place }: Pick<Promotion, 'follower' | 'place'>,
): Promise<boolean | undefined> {
  const epoch = follower.promoting
  if (!epoch) return false
  const others = await placesOf(config)
  try {
    const { instance } = follower.own()
    const found = await isTaken([place, ...others], secretKeysOf(config), { instance, ...epoch })
    if (found === false) follower.notePromotion(undefined)
    return found
  } finally {
    for (const one of others) one.close()
  }
}

async function hearOut(promotion: Promotion): Promise<void> {
  const { follower } = promotion
  for (let i = 0; i < MOST_WORDS; i++) {
    const before = follower.number
    await pause(LAST_WORDS_MS)
    await takeIn(promotion)
    if (follower.number === before) return
  }
}

/** Applies everything that can be; what cannot is said, and keeps nobody from taking over. */
async function takeIn({ follower, report, copies }: Promotion): Promise<void> {
  try {
    while (await follower.step({ copies }));
  } catch (error) {
    if (follower.moment === null || error instanceof NeedsCopy || error instanceof Torn) throw error
    const what = error instanceof Unreadable ? 'Left out' : 'The backup place cannot be read'
    report(`${what}: ${(error as Error).message}`)
  }
}
