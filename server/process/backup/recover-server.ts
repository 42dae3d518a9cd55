import { randomUUID } from 'node:crypto'
import { cliActor } from '../../access/actors.ts'
import { counted } from '../../base/count-words.ts'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import { type Ctx, createContext } from '../../context.ts'
import { isReplica } from '../../db/look.ts'
import { createLog } from '../../observe/log.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { countHeld, findNewestTime, writeEpoch } from '../instance/store.ts'
import { withSystem } from '../with-system.ts'
import { type Compared, compareCopies } from './compare-copies.ts'
import { epochIn, placesOf } from './fence.ts'
import { heldText, momentOf } from './recover-command.ts'
import { takeOver } from './take-over.ts'

/** What an operator has asked for. */
export interface ServerArguments {
  /** Compares only contents whose upload began after this time; undefined: all. */
  since: string | undefined
  dryRun: boolean
}

/**
 * Makes a PostgreSQL database that was promoted or restored the one that may write: checks that it and the storages belong
 * together, takes the next epoch, and compares its rows with the bytes that there are. Returns the text to print; `report`
 * gets a line for each finding. Throws a Refusal if it must not take over.
 */
export async function recoverServer(
  config: Config,
  { since, dryRun }: ServerArguments,
  report: (line: string) => void,
): Promise<string> {
  const from = since === undefined ? undefined : momentOf('--since', since)
  if (!dryRun && (await isReplica(config.databaseUrl)))
    throw new Refusal(
      'The PostgreSQL server of DATABASE_URL is a standby that follows another one. Promote it first (pg_promote()), or look with --dry-run.',
    )
  const log = createLog(config.logLevel, process.stderr)
  return withSystem(config, log, { storage: false }, async (system) => {
    const ctx = createContext(system, cliActor)
    // Before the comparison: whoever still writes to the same storages ends now.
    const epoch = dryRun ? undefined : await takeDatabaseOver(ctx, report)
    const moment = await findNewestTime(ctx.db)
    const compared = await compareCopies(ctx, { since: from, moment, report })
    return [
      `The last change in the database is of ${moment?.toISOString() ?? 'no time'}: ${heldText(await countHeld(ctx.db))}.`,
      ...textOf(compared),
      epoch === undefined
        ? 'This was a dry run: nothing was changed.'
        : `This database is the one that may write now (epoch ${epoch}). Start the service with the same environment.`,
    ].join('\n')
  })
}

/** Takes the next epoch for this database: in it first, then wherever the former service looks. */
async function takeDatabaseOver({ db, config, upkeep }: Ctx, report: (line: string) => void): Promise<number> {
  const before = await epochIn(db)
  const own = { ...before, number: before.number + 1, holder: randomUUID() }
  if (!(await upkeep(({ tx }) => writeEpoch(tx, before, own))))
    throw new Refusal('Another "recover" has taken over this database at the same time. Nothing more was done.')
  const places = await placesOf(config, db)
  try {
    if (places.length === 0)
      report('Neither the storage nor a mirror of it is there to tell: make sure that the old service is off.')
    await takeOver({ places, secretKeys: secretKeysOf(config), own, report }, (assertOwn) => assertOwn())
    return own.number
  } finally {
    for (const place of places) place.close()
  }
}

function textOf({ blobs, nowhere, unknown, lacking, newer, unnamed, away }: Compared): string[] {
  const are = (count: number) => (count === 1 ? 'is' : 'are')
  const contents = (count: number) => counted(count, 'content')
  return [
    ...away.map(({ storage, why }) => `The storage "${storage}" cannot be used now: ${why}.`),
    nowhere === 0 && unknown === 0
      ? `All bytes that the database names are there (${contents(blobs)} compared).`
      : `Of ${contents(blobs)} that the database names, the bytes of ${nowhere} are on no copy.`,
    ...(unknown > 0
      ? [`Of ${contents(unknown)}, it is not known, because no copy was found where one could be looked for.`]
      : []),
    ...lacking.map(
      ({ storage, count }) =>
        `The storage "${storage}" lacks ${contents(count)} that ${are(count)} read from the other copy until ${count === 1 ? 'it is' : 'they are'} back.`,
    ),
    ...(newer.count > 0
      ? [
          `${contents(newer.count)} (${newer.bytes} bytes) ${are(newer.count)} newer than the database, which has no names for them.`,
        ]
      : []),
    ...(unnamed > 0
      ? [`${contents(unnamed)} on the storages ${are(unnamed)} older and not in the database: see "strongroom verify".`]
      : []),
  ]
}
