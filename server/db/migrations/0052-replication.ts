import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What of an object its replica has as well. */
const REPLICATED = ['version_id', 'size', 'etag', 'content_type', 'headers', 'metadata', 'tags']

/**
 * Replicas of buckets, and the changes that they lack. These are queued by triggers, so that no change of an object can leave
 * it out. Only adds a nullable column, tables and triggers, which do nothing without a replica.
 */
export const replication = (types: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const { engine, id, bytewise, text, bigint, integer, timestamp } = types
    for (const statement of [
      `alter table buckets add column replication ${text}`,
      `create table replications (
        bucket_id ${id} not null constraint replications_pkey primary key references buckets (id) on delete cascade,
        storage_id ${integer} not null,
        prefix ${text} not null,
        encrypted ${text} not null,
        role ${text},
        existing ${integer} not null,
        configured_at ${timestamp} not null,
        walked_to ${bytewise},
        walk_before ${bigint} not null,
        paused_at ${timestamp},
        error ${text},
        failures ${integer} not null,
        retry_at ${timestamp}
      )`,
      `create table replication_queue (
        bucket_id ${id} not null references replications (bucket_id) on delete cascade,
        key ${bytewise} not null,
        version_id ${id} not null,
        moment ${bigint} not null,
        since ${bigint} not null,
        size ${bigint} not null,
        attempts ${integer} not null,
        next_at ${timestamp},
        reason ${text},
        token ${id},
        leased_until ${timestamp},
        constraint replication_queue_pkey primary key (bucket_id, key, version_id)
      )`,
      'create index replication_queue_waiting on replication_queue (bucket_id, moment) where reason is null',
      'create index replication_queue_claimed on replication_queue (token) where token is not null',
      'create index replication_queue_failed on replication_queue (bucket_id, key) where reason is not null',
      ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
    ])
      await sql.raw(statement).execute(db)
  },
})

/** Queues what a key is now. A row that failed starts anew; whoever works on it sees that its moment is another one. */
const queue = (values: string): string => `
  insert into replication_queue (bucket_id, key, version_id, moment, since, size, attempts)
  values (${values}, 0)
  on conflict (bucket_id, key, version_id) do update set moment = excluded.moment, size = excluded.size, attempts = 0,
    since = case when replication_queue.reason is null then replication_queue.since else excluded.since end,
    reason = null, next_at = null`
const CHANGED = "new.bucket_id, new.key, coalesce(new.version_id, ''), new.moment, new.moment, new.size"

/** Whether the replica has to change as well: not for a lock, or bytes that are only elsewhere. */
const differs = (isDistinct: string): string =>
  [
    '(old.moment <> new.moment and old.blob_id <> new.blob_id)',
    ...REPLICATED.map((column) => `old.${column} ${isDistinct} new.${column}`),
  ].join(' or ')

const sqliteTriggers = [
  `create trigger objects_replicated_by_insert after insert on objects
    when exists (select 1 from replications where bucket_id = new.bucket_id)
    begin ${queue(CHANGED)};
  end`,
  `create trigger objects_replicated_by_change after update on objects
    when exists (select 1 from replications where bucket_id = new.bucket_id) and (${differs('is not')})
    begin ${queue(CHANGED)};
  end`,
  `create trigger objects_replicated_by_delete after delete on objects
    when exists (select 1 from replications where bucket_id = old.bucket_id)
    begin ${queue("old.bucket_id, old.key, '-', strongroom_moment(old.moment), strongroom_moment(old.moment), 0")};
  end`,
  `create trigger buckets_revised_by_replication after update of replication on buckets
    begin update instance set revision = revision + 1; end`,
]

const postgresTriggers = [
  `create function strongroom_replicate() returns trigger language plpgsql as $$
  declare
    deleted_at bigint;
  begin
    if tg_op = 'DELETE' then
      if exists (select 1 from replications where bucket_id = old.bucket_id) then
        deleted_at := strongroom_moment(old.moment);
        ${queue("old.bucket_id, old.key, '-', deleted_at, deleted_at, 0")};
      end if;
    elsif exists (select 1 from replications where bucket_id = new.bucket_id) then
      ${queue(CHANGED)};
    end if;
    return null;
  end $$`,
  `create trigger objects_replicated after insert or delete on objects for each row
    execute function strongroom_replicate()`,
  `create trigger objects_replicated_by_change after update on objects for each row
    when (${differs('is distinct from')}) execute function strongroom_replicate()`,
]
