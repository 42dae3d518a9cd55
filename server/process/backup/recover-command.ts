import path from 'node:path'
import { counted } from '../../base/count-words.ts'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import { databaseFile } from '../../db/engine.ts'
import { openNamedFiles } from '../../drivers/named-files/open.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { placesOf } from './fence.ts'
import { placeToRead } from './place.ts'
import { type Recovered, recoverDatabase } from './recover.ts'
import { nextEpoch, takeOver } from './take-over.ts'

/** What an operator has asked for. */
export interface RecoverArguments {
  /** Default: BACKUP_URL. */
  from: string | undefined
  at: string | undefined
  dryRun: boolean
}

/**
 * Makes the configured SQLite database, which must not exist, from what is at a backup place, and records there that it is the
 * one that may write now. Returns the text to print; `report` gets a line for each step. Throws a Refusal where there is
 * nothing to recover, or something in the way.
 */
export async function recover(
  config: Config,
  { from, at, dryRun }: RecoverArguments,
  report: (line: string) => void,
): Promise<string> {
  const target = databaseFile(config.databaseUrl)
  if (target === undefined)
    throw new Refusal('DATABASE_URL is PostgreSQL, which has its own backups: see docs/recovery.md.')
  const backup = placeToRead(config, from)
  const until = at === undefined ? undefined : momentOf(at)
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

function momentOf(text: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new Refusal('--at must be a time such as 2026-11-28T09:30:00Z.')
  return at
}

function textOf(
  { moment, counts, missing }: Recovered,
  { target, dryRun }: { target: string; dryRun: boolean },
): string {
  const held = `${counted(counts.buckets, 'bucket')}, ${counted(counts.objects, 'object')} and ${counted(counts.users, 'user')}`
  return [
    `Everything that was acknowledged until ${moment} is there: ${held}.`,
    missing.length === 0 ? 'Nothing at the backup place is missing or damaged.' : 'What could not be used:',
    missing.map((one) => `  - ${one}`),
    dryRun
      ? 'This was a dry run: nothing was written.'
      : `The database is ${target}. Start the service with the same environment; then "strongroom verify" compares it with the storage.`,
  ]
    .flat()
    .join('\n')
}
