import { randomUUID } from 'node:crypto'
import { Refusal } from '../../base/refusal.ts'
import { Torn } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { Fenced, giveBackEpoch, newestEpoch, type Own, takeEpoch } from './epochs.ts'
import { assertAtAll, highestEpoch } from './fence.ts'

export interface TakeOver {
  /** Where the former service looks, the backup place first: of two that take over at once, the first place decides. */
  places: readonly NamedFiles[]
  secretKeys: readonly string[]
  own: Own
  report(line: string): void
}

/** The epoch that comes next for a database which knows of one itself. */
export async function nextEpoch(
  places: readonly NamedFiles[],
  secretKeys: readonly string[],
  { instance, number }: Pick<Own, 'instance' | 'number'>,
): Promise<Own> {
  const highest = await highestEpoch(places, secretKeys)
  return { instance, number: Math.max(number, highest) + 1, holder: randomUUID() }
}

/**
 * Takes an epoch at all places, and then makes its database the one that may write (`finish`). Where that fails, the epoch is given
 * back, so that the former service can be started again: there is always one that may write. Throws a Refusal if another one
 * was faster.
 */
export async function takeOver(
  { places, secretKeys, own, report }: TakeOver,
  finish: (assertOwn: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const taken: NamedFiles[] = []
  try {
    for (const place of places)
      try {
        await takeEpoch(place, secretKeys, own, new Date())
        taken.push(place)
      } catch (error) {
        if (error instanceof Fenced) throw error
        report(
          `Could not be told that this database takes over: ${(error as Error).message}. Make sure that the old service is off.`,
        )
      }
    await finish(() => assertAtAll(places, secretKeys, own))
  } catch (error) {
    // What was half written is finished by whoever is started next, with this epoch.
    if (error instanceof Torn) throw error
    await giveBack({ places: taken, secretKeys, own, report })
    const why = (error as Error).message.replace(/\.$/, '')
    throw new Refusal(
      error instanceof Fenced
        ? `It does not take over: ${why}.`
        : `It does not take over: ${why}. The former service may write again: start it if it has ended.`,
      { cause: error },
    )
  }
}

/** Whether a place says that this epoch is the newest, and was taken; undefined if no place says anything. */
export async function isTaken(
  places: readonly NamedFiles[],
  secretKeys: readonly string[],
  own: Own,
): Promise<boolean | undefined> {
  const looks = await Promise.allSettled(places.map((place) => newestEpoch(place, secretKeys)))
  const found = looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value?.header] : []))
  if (found.length === 0) return undefined
  if (found.some((one) => one && one.number > own.number)) return false
  return found.some((one) => one?.number === own.number && one.holder === own.holder)
}

async function giveBack({ places, secretKeys, own, report }: TakeOver): Promise<void> {
  for (const place of places)
    try {
      await giveBackEpoch(place, secretKeys, own)
    } catch (error) {
      report(
        `Could not be told that this database does not take over: ${(error as Error).message}. The former service is refused until that is told, or another takes over.`,
      )
    }
}
