import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

const RENEW = {
  sqlite: 'update instance set policies = lower(hex(randomblob(16)))',
  postgres: 'update instance set policies = gen_random_uuid()::text',
} as const
const HAS_POLICY = (bucket: string) =>
  `exists (select 1 from bucket_config where bucket_id = ${bucket}.id and kind = 'policy')`
/** Of which table which changes count, and when. */
const CHANGES = [
  { table: 'bucket_config', event: 'insert', when: "new.kind = 'policy'" },
  { table: 'bucket_config', event: 'update', when: "old.kind = 'policy' or new.kind = 'policy'" },
  { table: 'bucket_config', event: 'delete', when: "old.kind = 'policy'" },
  { table: 'buckets', event: 'update of name, deleted_at', when: HAS_POLICY('new') },
] as const

/**
 * A token that is another one after each change of the policy of any bucket, in the transaction that makes it, whoever makes
 * it: what is kept of policies belongs to one token. It is random, so that one of a change that was undone is not given again.
 * Breaking: an earlier release takes nothing from a policy but what it allows everyone.
 */
export const policies = ({ engine, text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table instance add column policies ${text} not null default ''`).execute(db)
    if (engine === 'postgres')
      for (const table of ['bucket_config', 'buckets']) {
        // Not all of the conditions can be evaluated: a row that is inserted has no old one.
        const branches = CHANGES.filter((one) => one.table === table).map(
          ({ event, when }) =>
            `if tg_op = '${event.split(' ')[0]?.toUpperCase()}' then if ${when} then ${RENEW.postgres}; end if; end if;`,
        )
        await sql
          .raw(
            `create function policies_of_${table}() returns trigger language plpgsql as $$ begin ${branches.join(' ')} return null; end $$`,
          )
          .execute(db)
        const events = CHANGES.filter((one) => one.table === table).map(({ event }) => event)
        await sql
          .raw(
            `create trigger ${table}_policies after ${events.join(' or ')} on ${table} for each row execute function policies_of_${table}()`,
          )
          .execute(db)
      }
    else
      for (const { table, event, when } of CHANGES)
        await sql
          .raw(
            `create trigger ${table}_policies_by_${event.split(' ')[0]} after ${event} on ${table} when ${when} begin ${RENEW.sqlite}; end`,
          )
          .execute(db)
    // Policies that are there already.
    await sql.raw(`${RENEW[engine]} where exists (select 1 from bucket_config where kind = 'policy')`).execute(db)
  },
})
