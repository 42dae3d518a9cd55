import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from '../types.ts'
import { audit } from './audit.ts'
import { identity } from './identity.ts'
import { instance, nameInstance } from './instance.ts'
import { jobs } from './jobs.ts'
import { policies } from './policies.ts'
import { auditGuardsOnPostgres, foldingCollation, functionsOnPostgres, searchOnPostgres } from './postgres.ts'
import { sharing } from './sharing.ts'
import { auditGuardsOnSqlite, searchOnSqlite } from './sqlite.ts'
import { storage } from './storage.ts'
import { usage } from './usage.ts'
import { webhooks } from './webhooks.ts'

/** The whole schema of the first release. */
export const initial = (types: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const run = async (statements: readonly string[]) => {
      for (const text of statements) await sql.raw(text).execute(db)
    }
    for (const tables of [identity, storage, jobs, sharing, policies, webhooks, usage, audit, instance])
      await run(tables(types))
    if (types.engine === 'sqlite') await run([...searchOnSqlite, ...auditGuardsOnSqlite])
    else await run([...functionsOnPostgres, ...searchOnPostgres(await foldingCollation(db)), ...auditGuardsOnPostgres])
    await nameInstance(db)
  },
})
