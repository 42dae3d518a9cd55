import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What an inventory says of a version. */
const VERSION = [
  'bucket_id',
  'key',
  'seq',
  'version_id',
  'blob_id',
  'size',
  'etag',
  'sha256',
  'checksums',
  'content_type',
  'metadata',
  'tags',
  'storage_class',
  'lock_mode',
  'locked_until',
  'legal_hold',
  'encryption',
  'created_at',
  'last_modified',
  'created_by',
]

/**
 * Inventories: what is in buckets, written as tables. While one is written, triggers keep what versions were when it began.
 * Only adds tables and triggers, which do nothing unless versions are being listed.
 */
export const inventories = (types: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const { engine, id, bytewise, text, bigint, integer, timestamp } = types
    for (const statement of [
      `create table inventories (
        id ${id} not null constraint inventories_pkey primary key,
        bucket_id ${id},
        name ${text} not null,
        prefix ${bytewise} not null,
        versions ${text} not null,
        format ${text} not null,
        columns ${text},
        changes ${integer} not null,
        rows_per_file ${integer} not null,
        dest_bucket ${text} not null,
        dest_prefix ${bytewise} not null,
        schedule ${text},
        hour ${integer} not null,
        disabled_at ${timestamp},
        next_run_at ${timestamp},
        revision ${integer} not null,
        author_id ${id} not null,
        author_email ${text},
        created_at ${timestamp} not null,
        created_by ${id} not null,
        updated_at ${timestamp} not null,
        deleted_at ${timestamp}
      )`,
      "create unique index inventories_by_name on inventories (coalesce(bucket_id, ''), name) where deleted_at is null",
      'create index inventories_due on inventories (next_run_at) where next_run_at is not null',
      `create table inventory_runs (
        id ${id} not null constraint inventory_runs_pkey primary key,
        inventory_id ${id} not null references inventories (id) on delete cascade,
        trigger ${text} not null,
        status ${text} not null,
        reason ${text},
        settings ${text} not null,
        author_id ${id} not null,
        author_email ${text},
        requester ${text},
        moment ${bigint},
        folder ${text},
        buckets ${text} not null,
        place ${text} not null,
        files ${text} not null,
        rows ${bigint} not null,
        bytes ${bigint} not null,
        no_changes ${text},
        runner ${id},
        leased_until ${timestamp},
        cancel_at ${timestamp},
        created_at ${timestamp} not null,
        started_at ${timestamp},
        finished_at ${timestamp}
      )`,
      'create index inventory_runs_by_inventory on inventory_runs (inventory_id, id)',
      'create unique index inventory_runs_open on inventory_runs (inventory_id) where finished_at is null',
      `create table inventory_buckets (
        run_id ${id} not null references inventory_runs (id) on delete cascade,
        bucket_id ${id} not null references buckets (id) on delete cascade,
        seq ${bigint} not null,
        constraint inventory_buckets_pkey primary key (bucket_id, run_id)
      )`,
      `create table inventory_versions (
        run_id ${id} not null references inventory_runs (id) on delete cascade,
        bucket_id ${id} not null,
        key ${bytewise} not null,
        seq ${bigint} not null,
        version_id ${id},
        blob_id ${id},
        size ${bigint} not null,
        etag ${text} not null,
        sha256 ${text},
        checksums ${text},
        content_type ${text} not null,
        metadata ${text} not null,
        tags ${text},
        storage_class ${text},
        lock_mode ${text},
        locked_until ${timestamp},
        legal_hold ${integer},
        encryption ${text},
        created_at ${timestamp} not null,
        last_modified ${timestamp} not null,
        created_by ${id},
        constraint inventory_versions_pkey primary key (run_id, seq)
      )`,
      'create index inventory_versions_by_key on inventory_versions (run_id, bucket_id, key, seq)',
      ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
    ])
      await sql.raw(statement).execute(db)
  },
})

/** The first change of a version after a run began decides. */
const KEEP = `insert into inventory_versions (run_id, ${VERSION.join(', ')})
  select r.run_id, ${VERSION.map((column) => `old.${column}`).join(', ')} from inventory_buckets r
  where r.bucket_id = old.bucket_id and r.seq >= old.seq`
const IS_LISTED = 'exists (select 1 from inventory_buckets where bucket_id = old.bucket_id)'

const sqliteTriggers = ['update', 'delete'].map(
  (change) => `create trigger versions_listed_${change} after ${change} on versions when ${IS_LISTED} begin
    ${KEEP} on conflict (run_id, seq) do nothing;
  end`,
)

const postgresTriggers = [
  `create function strongroom_keep_listed() returns trigger language plpgsql as $$
  begin
    if ${IS_LISTED} then
      ${KEEP} on conflict (run_id, seq) do nothing;
    end if;
    return null;
  end $$`,
  `create trigger versions_listed after update or delete on versions for each row
    execute function strongroom_keep_listed()`,
]
