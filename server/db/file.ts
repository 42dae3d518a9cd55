import { databaseFile } from './engine.ts'
import { foreignFile, lockFile } from './sqlite/file.ts'

export { InUse } from './sqlite/file.ts'

/**
 * The first of the database's files that this process cannot read and write; undefined when it can, and for a server.
 */
export function unusableFile(url: string): string | undefined {
  const file = databaseFile(url)
  return file === undefined ? undefined : foreignFile(file)
}

/**
 * Takes a SQLite database for this process alone, until the function it returns is called or the process ends. Does
 * nothing for a server, which several processes may use. Throws a Refusal when another process has the database.
 */
export function lockForService(url: string): () => void {
  const file = databaseFile(url)
  return file === undefined ? () => undefined : lockFile(file)
}
