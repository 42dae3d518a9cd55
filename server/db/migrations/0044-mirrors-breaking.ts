import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Mirrors of storages. Only adds tables. Breaking because an earlier release would look for the bytes of a storage in the
 * place that it was registered with, also after its mirror has taken over.
 */
export const mirrors = ({ id, text, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table mirrors (
        storage ${integer} not null constraint mirrors_pkey primary key,
        first ${integer} not null,
        second ${integer},
        acknowledge ${text} not null,
        when_down ${text} not null,
        keep_removed_days ${integer} not null,
        changed_at ${timestamp} not null,
        walked_to ${id},
        walked_again_at ${timestamp}
      )`,
      `create table copies_due (
        blob_id ${id} not null,
        place ${integer} not null,
        reason ${text} not null,
        queued_at ${timestamp} not null,
        next_at ${timestamp} not null,
        attempts ${integer} not null,
        constraint copies_due_pkey primary key (blob_id, place)
      )`,
      'create index copies_due_by_next on copies_due (next_at)',
      `create table copy_removals (
        blob_id ${id} not null,
        place ${integer} not null,
        due_at ${timestamp} not null,
        constraint copy_removals_pkey primary key (blob_id, place)
      )`,
      'create index copy_removals_by_due on copy_removals (due_at)',
      `create table scrubs (
        place ${integer} not null constraint scrubs_pkey primary key,
        position ${id} not null,
        started_at ${timestamp} not null,
        finished_at ${timestamp},
        leased_until ${timestamp},
        checked ${integer} not null,
        damaged ${integer} not null,
        summed ${integer} not null
      )`,
    ])
      await sql.raw(statement).execute(db)
  },
})
