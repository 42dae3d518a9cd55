import { ServiceError } from '../../contract/errors.ts'
import type { Config } from '../config/config.ts'
import { isDatabaseUrl } from '../config/variables.ts'
import { databaseFile } from '../db/engine.ts'

/** What the others have that an operator may give to these. */
export interface Bare {
  to: string | undefined
  from: string | undefined
  at: string | undefined
  since: string | undefined
  dryRun: boolean
  serve: boolean
  supersede: boolean
  words: readonly string[]
}
/** Commands for which no database is opened as for the others: they change its schema, or must not write to it. */
export const bareCommands: { [name: string]: (config: Config, given: Bare) => Promise<string> } = {
  'move-database': async (config, { to, words }) => {
    if (to === undefined || words.length > 0 || !isDatabaseUrl(to))
      throw new ServiceError('invalid_request', 'Usage: strongroom move-database --to sqlite:<path> or postgres://…')
    const { moveDatabase } = await import('./move-database.ts')
    return moveDatabase(config, to, (line) => void process.stdout.write(`${line}\n`))
  },
  recover: async (config, { from, at, since, dryRun, words }) => {
    const report = (line: string) => void process.stdout.write(`${line}\n`)
    const target = databaseFile(config.databaseUrl)
    if (words.length > 0 || (target === undefined ? (from ?? at) : since) !== undefined)
      throw new ServiceError(
        'invalid_request',
        target === undefined
          ? 'Usage with PostgreSQL: strongroom recover [--since <time>] [--dry-run]'
          : 'Usage with SQLite: strongroom recover [--from <url>] [--at <time>] [--dry-run]',
      )
    if (target === undefined) {
      const { recoverServer } = await import('./backup/recover-server.ts')
      return recoverServer(config, { since, dryRun }, report)
    }
    const { recover } = await import('./backup/recover-command.ts')
    return recover(config, { target, from, at, dryRun }, report)
  },
  standby: async (config, { from, serve, words }) => {
    if (words.length > 0)
      throw new ServiceError('invalid_request', 'Usage: strongroom standby [--from <url>] [--serve]')
    const { runStandby } = await import('./standby/run.ts')
    return runStandby(config, { from, serve })
  },
  promote: async (config, { from, supersede, words }) => {
    if (words.length > 0)
      throw new ServiceError('invalid_request', 'Usage: strongroom promote [--from <url>] [--supersede]')
    const { promoteStandby } = await import('./standby/run.ts')
    return promoteStandby(config, { from, supersede })
  },
  'upgrade-database': async (config) => {
    const { upgradeDatabase } = await import('./upgrade.ts')
    return upgradeDatabase(config)
  },
}
/** Those for which there is no database yet. */
export const MAKES_DATABASE: readonly string[] = ['recover', 'standby', 'promote']
