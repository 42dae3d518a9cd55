import path from 'node:path'
import { counted } from '../../base/count-words.ts'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import { openNamedFiles } from '../../drivers/named-files/open.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { placesOf } from './fence.ts'
import { placeToRead } from './place.ts'
import { type Recovered, recoverDatabase } from './recover.ts'
import { nextEpoch, takeOver } from './take-over.ts'

/** What an operator has asked for. */
export interface RecoverArguments {
  /** The SQLite file to make. */
  target: string
  /** Default: BACKUP_URL. */
  from: string | undefined
  at: string | undefined
  dryRun: boolean
}

/**
 * Makes a SQLite database, which must not exist, from what is at a backup place, and records there that it is the
 * one that may write now. Returns the text to print; `report` gets a line for each step. Throws a Refusal where there is
 * nothing to recover, or something in the way.
 */
export async function recover(
  config: Config,
  { target, from, at, dryRun }: RecoverArguments,
  report: (line: string) => void,
): Promise<string> {
  const backup = placeToRead(config, from)
  const until = at === undefined ? undefined : momentOf('--at', at)
  const place = await openNamedFiles(backup.url, backup.credentials)
  const secretKeys = secretKeysOf(config)
  try {
    const found = await recoverDatabase(
      { place, secretKeys, target, at: until, report },
      async (file, { instance, epoch }) => {
        file.check()
        if (dryRun) return
        const places = [place].concat(await placesOf(config))
        const own = await nextEpoch(places, secretKeys, { instance, number: epoch })
        // The old service ends before this one can begin.
        await takeOver({ places, secretKeys, own, report }, async (assertOwn) => {
          await assertOwn()
          file.finish(own)
        })
      },
    )
    return textOf(found, { target: path.resolve(target), dryRun })
  } finally {
    place.close()
  }
}

/** The time that was given with an option. */
export function momentOf(option: string, text: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new Refusal(`${option} must be a time such as 2026-11-28T09:30:00Z.`)
  return at
}

/** How much a database holds. */
export const heldText = ({ buckets, objects, users }: Recovered['counts']): string =>
  `${counted(buckets, 'bucket')}, ${counted(objects, 'object')} and ${counted(users, 'user')}`

function textOf(
  { moment, counts, missing }: Recovered,
  { target, dryRun }: { target: string; dryRun: boolean },
): string {
  return [
    `Everything that was acknowledged until ${moment} is there: ${heldText(counts)}.`,
    missing.length === 0 ? 'Nothing at the backup place is missing or damaged.' : 'What could not be used:',
    missing.map((one) => `  - ${one}`),
    dryRun
      ? 'This was a dry run: nothing was written.'
      : `The database is ${target}. Start the service with the same environment; then "strongroom verify" compares it with the storage.`,
  ]
    .flat()
    .join('\n')
}
