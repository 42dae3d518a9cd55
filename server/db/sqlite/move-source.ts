import fs from 'node:fs'
import { Refusal } from '../../base/refusal.ts'
import type { Source } from '../move/side.ts'
import { lockFile } from './file.ts'
import { openForLook } from './look.ts'
import { rowsOf, sequencesOf, tablesOf } from './move-rows.ts'

/**
 * Opens a database whose rows are to be moved, in one read transaction; no service can start on it until it is closed.
 * Nothing writes to its files. Throws a Refusal while a service is using it.
 */
export function openSqliteSource(file: string): Source {
  const unlock = lockFile(file)
  try {
    const before = stateOf(file)
    const database = openForLook(file)
    database.exec('pragma temp_store = memory; pragma cache_size = -65536; begin')
    return {
      tables: async () => tablesOf(database),
      rows: (table) => rowsOf(database, table),
      sequences: async () => sequencesOf(database),
      async assertUnchanged() {
        // A command takes no lock, and a database without a log is read as it lies.
        if (stateOf(file) !== before)
          throw new Refusal(
            'The database was changed while it was moved, so the target cannot be used. Run no other command meanwhile.',
          )
      },
      async close() {
        database.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Changes with every transaction on the database: its file and its log, when they were written, and their sizes. */
const stateOf = (file: string): string =>
  [file, `${file}-wal`]
    .map((one) => {
      const found = fs.statSync(one, { bigint: true, throwIfNoEntry: false })
      // An empty log is none.
      return found && found.size > 0n ? `${found.ino} ${found.size} ${found.mtimeNs}` : 'none'
    })
    .join(', ')
