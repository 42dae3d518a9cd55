import fs from 'node:fs'
import path from 'node:path'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import { databaseFile } from '../../db/engine.ts'
import { InUse, lockForService } from '../../db/file.ts'
import { readStandbyProgress } from '../../db/standby-state.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { openNamedFiles } from '../../drivers/named-files/open.ts'
import { createLog } from '../../observe/log.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { placeToRead } from '../backup/place.ts'
import { askToPromote } from './asked.ts'
import { Follower } from './follower.ts'
import { promote } from './promote.ts'
import { wasPromoted } from './promoted.ts'
import { Standby } from './standby.ts'

/** What an operator has asked for. */
export interface StandbyArguments {
  /** Default: BACKUP_URL. */
  from: string | undefined
  serve: boolean
}
export interface PromoteArguments {
  /** Default: the place that the standby follows. */
  from: string | undefined
  /** Whether it takes over from an instance that has taken over, and whose changes are not here. */
  supersede: boolean
}

/** The place to follow, and the database that the standby becomes. Throws a Refusal where there is none. */
async function open(config: Config, from: string | undefined) {
  const database = databaseFile(config.databaseUrl)
  if (database === undefined)
    throw new Refusal('DATABASE_URL is PostgreSQL, which has its own standbys: see docs/operations.md.')
  const backup = placeToRead(config, from)
  return { database, from: backup.url, place: await openNamedFiles(backup.url, backup.credentials) }
}

/**
 * Follows what a service stores at its backup place, until it is stopped or promoted; serves reads if asked. Once promoted, a
 * standby that serves goes on as the service. Returns the text to print.
 */
export async function runStandby(config: Config, { from, serve }: StandbyArguments): Promise<string> {
  const opened = await open(config, from)
  const log = createLog(config.logLevel, undefined)
  const standby = new Standby(config, { ...opened, log, serve })
  const stop = () => standby.stop()
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  try {
    return await standby.run()
  } finally {
    opened.place.close()
    log.flush()
  }
}

/** Makes a standby the service, whether or not a process follows just now. Returns the text to print. */
export async function promoteStandby(config: Config, { from, supersede }: PromoteArguments): Promise<string> {
  const found = databaseFile(config.databaseUrl)
  const progress = found === undefined ? undefined : readStandbyProgress(found)
  const { database, place, ...opened } = await open(config, from ?? progress?.from)
  try {
    for (;;) {
      const unlock = lockUnlessInUse(config)
      if (unlock) {
        try {
          if (!fs.existsSync(database)) return await promoteHere(config, { database, place, supersede, ...opened })
          if (wasPromoted(database)) return `${path.resolve(database)} is there: this standby was promoted before.`
        } finally {
          unlock()
        }
      }
      if (fs.existsSync(database)) throw new Refusal(`${path.resolve(database)} exists: this is no standby.`)
      const said = await askToPromote(database, { from: from ?? null, supersede }, () => {
        const free = lockUnlessInUse(config)
        free?.()
        return free === undefined
      })
      if (said !== undefined) return said
    }
  } finally {
    place.close()
  }
}

async function promoteHere(
  config: Config,
  opened: { database: string; place: NamedFiles; from: string; supersede: boolean },
) {
  const report = (line: string) => void process.stdout.write(`${line}\n`)
  const follower = new Follower({
    ...opened,
    secretKeys: secretKeysOf(config),
    report,
    onReplace: async () => undefined,
  })
  try {
    await follower.open()
    const text = await promote(config, {
      ...opened,
      follower,
      report,
      copies: true,
      isWanted: async () => true,
      onFinish: async () => undefined,
    })
    return `${text}\nStart the service with the same environment.`
  } finally {
    follower.close()
  }
}

function lockUnlessInUse(config: Config): (() => void) | undefined {
  try {
    return lockForService(config.databaseUrl)
  } catch (error) {
    if (error instanceof InUse) return undefined
    throw error
  }
}
