import type { Database, DatabaseOptions } from './database.ts'
import { databaseFile } from './engine.ts'
import { type DatabaseObserver, unobserved } from './observe.ts'

export type { Database } from './database.ts'

/** Opens `sqlite:<path>` or `postgres://…`, loading that engine alone; throws on any other scheme. */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const all = {
    report: (error: Error) => process.emitWarning(error),
    migrated: () => undefined,
    connections: 20,
    observer: unobserved,
    answersWait: () => false,
    arrived: () => Number.POSITIVE_INFINITY,
    existing: false,
    turn: undefined,
    ...options,
  }
  const file = databaseFile(url)
  if (file !== undefined) return (await import('./sqlite/open.ts')).openSqlite(file, all)
  if (/^postgres(ql)?:\/\//.test(url)) return (await import('./postgres/open.ts')).openPostgres(url, all)
  throw new Error('DATABASE_URL is neither sqlite:<path> nor postgres://…')
}

/** Opens `sqlite:<path>` of a standby, which another one writes, for reading alone. */
export async function openDatabaseToRead(url: string, observer: DatabaseObserver): Promise<Database> {
  const { openSqliteToRead } = await import('./sqlite/open-to-read.ts')
  return openSqliteToRead(databaseFile(url) as string, { observer })
}
