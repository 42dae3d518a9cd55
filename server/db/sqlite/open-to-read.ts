import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { ServiceError } from '../../../contract/errors.ts'
import { Refusal } from '../../base/refusal.ts'
import type { AllOptions, Database } from '../database.ts'
import { rootHandleGuard } from '../guard.ts'
import { appliedMigrations, compareSchema } from '../migrate.ts'
import { observeDialect } from '../observe.ts'
import type { Schema } from '../schema.ts'
import { kyselyDatabase, ReadingSqliteDialect, readerAtOnce, withoutRowLocks } from './dialect.ts'
import { isOutage } from './errors.ts'
import { LOCK_MS } from './group.ts'
import { revisionOfReader } from './revision.ts'

/**
 * Opens a SQLite file that another one writes and that has no log: reads show what was applied last. Throws a Refusal where its
 * schema is not one that this release can read.
 */
export async function openSqliteToRead(file: string, { observer }: Pick<AllOptions, 'observer'>): Promise<Database> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: LOCK_MS })
  database.exec('pragma cache_size = -8192; pragma temp_store = memory;')
  const reading = kyselyDatabase(database)
  // What is applied is on disk before it is visible, or comes again from where it came.
  const wait = () => undefined
  const revision = revisionOfReader({ committed: Number.NaN }, database, observer, wait)
  const reader = new Kysely<Schema>({
    dialect: observeDialect(
      new ReadingSqliteDialect(reading, revision, readerAtOnce(reading, { observer, isOutage, wait })),
      observer,
      isOutage,
    ),
    plugins: [withoutRowLocks, rootHandleGuard],
  })
  try {
    const { lacking } = compareSchema(await appliedMigrations(reader))
    if (lacking.length > 0)
      throw new Refusal('The main service is of an earlier release than this standby, which cannot read its database.')
  } catch (error) {
    await reader.destroy()
    throw error
  }
  // What was at a moment that has not arrived is not known yet; nothing else gets here.
  const refuse = () => Promise.reject(new ServiceError('standby', 'A standby does not know that moment yet.'))
  return {
    db: reader,
    settled: wait,
    transaction: refuse,
    settleMoment: refuse,
    migrate: refuse,
    backup: refuse,
    async check() {
      await sql`select 1`.execute(reader)
    },
    pool: () => null,
    reserve: null,
    shrinkLog: async () => true,
    async close() {
      await reader.destroy()
      if (database.isOpen) database.close()
    },
  }
}
