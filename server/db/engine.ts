const SQLITE = 'sqlite:'

export type Engine = 'sqlite' | 'postgres'

/** The engine of a DATABASE_URL. */
export const engineOf = (url: string): Engine => (url.startsWith(SQLITE) ? 'sqlite' : 'postgres')

/** The SQLite file that a DATABASE_URL names, as it is written there; undefined for a server. */
export const databaseFile = (url: string): string | undefined =>
  url.startsWith(SQLITE) ? url.slice(SQLITE.length) : undefined
