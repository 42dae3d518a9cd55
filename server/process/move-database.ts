import path from 'node:path'
import { Refusal } from '../base/refusal.ts'
import type { Config } from '../config/config.ts'
import { databaseFile } from '../db/engine.ts'
import { moveRows, type Progress } from '../db/move/move.ts'
import { assertTarget, openSource, openTarget } from '../db/move/open.ts'
import type { Source } from '../db/move/side.ts'
import { assertWritable } from './instance/folders.ts'
import { assertMayMove } from './instance/join.ts'

/**
 * Moves everything that the configured database holds into the one of `to`, on either engine, while no service runs. The
 * source is not changed, and the target refuses services until all of it has been compared. `report` gets a line for each
 * table copied and compared. Returns what to do next; throws a Refusal where the move cannot begin or end.
 */
export async function moveDatabase(config: Config, to: string, report: (line: string) => void): Promise<string> {
  await assertMayMove(config)
  const file = databaseFile(to)
  if (file !== undefined) assertWritable(path.dirname(path.resolve(file)), 'The folder of --to')
  await assertTarget(config.databaseUrl, to)
  const source = await openSource(config.databaseUrl)
  try {
    return await fill(source, to, report)
  } catch (error) {
    throw error instanceof Refusal ? error : unfinished(error as Error)
  } finally {
    await source.close()
  }
}

async function fill(source: Source, to: string, report: (line: string) => void): Promise<string> {
  const began = performance.now()
  const target = await openTarget(to)
  try {
    const { tables, rows } = await moveRows(source, target, (progress) => report(lineOf(progress)))
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    return `Moved ${rows} rows of ${tables} tables in ${seconds} s, and compared them. The database that was moved is unchanged.\nNow set DATABASE_URL to ${shown(to)} and start the service; do not change DATA_DIR, STORAGE_URL and SECRET_KEY.`
  } finally {
    await target.close()
  }
}

const lineOf = ({ stage, table, rows, ms }: Progress): string =>
  [stage, table ?? 'all indexes and constraints', `${rows} rows`, `${(ms / 1000).toFixed(1)} s`].join('\t')

const unfinished = (error: Error): Refusal =>
  new Refusal(
    `The move was not finished: ${error.message.replaceAll(/\s+/g, ' ')}. The database that was to be moved is unchanged. Once the cause is gone, run the same command again: it starts over.`,
    { cause: error },
  )

/** A URL without its password; a file by its whole path. */
function shown(url: string): string {
  const file = databaseFile(url)
  if (file !== undefined) return `sqlite:${path.resolve(file)}`
  if (!URL.canParse(url)) return 'the one of --to'
  const place = new URL(url)
  if (place.password !== '') place.password = '***'
  return place.href
}
