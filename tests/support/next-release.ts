import path from 'node:path'
import { sql } from 'kysely'
import { migrations } from '../../server/db/migrations/index.ts'

/** The next release's migration: it adds a column with a default, and a table. */
export const NEXT = '9000-next'

/** Makes this process the next release, until the returned function is called. */
export function beNextRelease(): () => void {
  migrations[NEXT] = (t) => ({
    async up(db) {
      await sql.raw(`alter table buckets add column colour ${t.text} default 'none' not null`).execute(db)
      await sql.raw(`create table paints (id ${t.id} primary key)`).execute(db)
    },
  })
  return () => delete migrations[NEXT]
}

const here = `file://${path.resolve(import.meta.filename)}`
const code = `import { beNextRelease } from ${JSON.stringify(here)}; beNextRelease()`
/** Makes a process that is spawned with this environment the next release. */
export const NEXT_RELEASE = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
