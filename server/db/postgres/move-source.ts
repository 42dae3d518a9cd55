import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { Refusal } from '../../base/refusal.ts'
import type { Source } from '../move/side.ts'
import { listed } from '../move/table.ts'
import { isLocked } from './errors.ts'
import { connectForMove, rowsOf, select, sequencesOf, tablesOf } from './move-rows.ts'

/** A connection that has just ended is listed a moment longer. */
const LOOKS = 20
const LOOK_PAUSE_MS = 100

/**
 * Opens a database whose rows are to be moved, in one read-only snapshot. Its tables are locked against writes until it is
 * closed. Throws a Refusal while a service is connected.
 */
export async function openPostgresSource(url: string): Promise<Source> {
  const client = await connectForMove(url, 'DATABASE_URL')
  try {
    await assertStopped(client)
    const tables = await tablesOf(client)
    await client.query("begin isolation level repeatable read read only; set local lock_timeout = '10s'")
    // Before the snapshot, which the first query takes.
    await client.query(`lock table ${listed(tables.map(({ name }) => name))} in share mode`).catch((error: Error) => {
      if (!isLocked(error)) throw error
      throw new Refusal(
        'Someone is writing to the database of DATABASE_URL. Stop every service and command on it first.',
      )
    })
    return {
      tables: async () => tables,
      rows: (table) => rowsOf(client, table),
      sequences: () => sequencesOf(client),
      // The lock has kept everyone from writing.
      assertUnchanged: async () => undefined,
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

/**
 * Throws a Refusal while a service, or another command, is connected to the database. Each process of a service always has
 * a connection, and an advisory lock would say no more: behind a pooler it belongs to nobody.
 */
async function assertStopped(client: pg.Client): Promise<void> {
  for (let look = 1; ; look++) {
    const [[count = '0'] = []] = await select(
      client,
      `select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and application_name in ('', 'strongroom', current_setting('application_name'))`,
    )
    if (count === '0') return
    if (look === LOOKS)
      throw new Refusal(
        `A service is using the database of DATABASE_URL (${count} connections). Stop every process of it first; behind a pooler, give the address of PostgreSQL itself.`,
      )
    await pause(LOOK_PAUSE_MS)
  }
}
