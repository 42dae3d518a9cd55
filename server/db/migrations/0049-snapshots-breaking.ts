import { type Kysely, type Migration, sql } from 'kysely'
import { FORMER, OLD } from './0047-moments-breaking.ts'
import type { ColumnTypes } from './types.ts'

/**
 * Snapshots: moments of buckets whose contents are kept; and forks: buckets that began as others were. Breaking because an
 * earlier release deletes what only snapshots keep.
 */
export const snapshots = ({ engine, id, bytewise, text, bigint, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table bucket_usage add column history_bytes ${bigint} default 0 not null`,
      `create table snapshots (
        id ${id} not null constraint snapshots_pkey primary key,
        bucket_id ${id} not null references buckets (id) on delete cascade,
        name ${bytewise} not null,
        moment ${bigint} not null,
        note ${text},
        created_at ${timestamp} not null,
        created_by ${id},
        expires_at ${timestamp}
      )`,
      'create unique index snapshots_by_name on snapshots (bucket_id, name)',
      'create index snapshots_by_moment on snapshots (bucket_id, moment)',
      'create index snapshots_by_end on snapshots (expires_at) where expires_at is not null',
      `create table ended_snapshots (
        bucket_id ${id} not null constraint ended_snapshots_pkey primary key references buckets (id) on delete cascade,
        ended_at ${timestamp} not null
      )`,
      `create table history_contents (
        bucket_id ${id} not null references buckets (id),
        blob_id ${id} not null references blobs (id),
        key ${bytewise} not null,
        version_id ${id},
        size ${bigint} not null,
        etag ${text} not null,
        sha256 ${text},
        encryption ${text},
        constraint history_contents_pkey primary key (bucket_id, blob_id)
      )`,
      'create index history_contents_blob on history_contents (blob_id)',
      `create index history_contents_keyed on history_contents (encryption)
        where encryption is not null and encryption <> 'AES256' and encryption <> 'SSE-C'`,
      `create table bucket_forks (
        bucket_id ${id} not null constraint bucket_forks_pkey primary key references buckets (id) on delete cascade,
        origin_id ${id} not null,
        origin_moment ${bigint} not null,
        prefix ${bytewise} not null,
        placeholder_id ${id},
        job_id ${id},
        filled_to ${bytewise},
        filled_at ${timestamp},
        objects ${bigint} default 0 not null,
        erased ${bigint} default 0 not null,
        expires_at ${timestamp}
      )`,
      'create index bucket_forks_by_end on bucket_forks (expires_at) where expires_at is not null',
      ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
    ])
      await sql.raw(statement).execute(db)
  },
})

/** Whether anything is kept of what was. */
const IS_KEPT = `(exists (select 1 from buckets where id = old.bucket_id and (trash_days > 0 or versioning is not null))
  or exists (select 1 from snapshots where bucket_id = old.bucket_id))`

/** No change of a bucket is at or before the moment of a snapshot that is there already: what draws such a moment runs again. */
const notBefore = (row: 'old' | 'new', moment: string) =>
  `select strongroom_moment(moment + 1) from snapshots where bucket_id = ${row}.bucket_id and moment >= ${moment};`

const sqliteTriggers = [
  'drop trigger if exists objects_changed',
  'drop trigger if exists objects_deleted',
  'drop trigger if exists objects_inserted',
  `create trigger objects_changed after update on objects when old.moment <> new.moment begin
    ${notBefore('new', 'new.moment')}
    ${FORMER} select ${OLD}, new.moment, new.author where ${IS_KEPT};
  end`,
  `create trigger objects_deleted after delete on objects when old.moment <> strongroom_moment(old.moment) begin
    ${notBefore('old', 'strongroom_moment(old.moment)')}
    ${FORMER} select ${OLD}, strongroom_moment(old.moment), strongroom_author() where ${IS_KEPT};
  end`,
  `create trigger objects_inserted after insert on objects begin
    select strongroom_moment(coalesce((select max(ended) from former_objects
      where bucket_id = new.bucket_id and key = new.key), 0));
    ${notBefore('new', 'strongroom_moment(0)')}
  end`,
]

/** The first moment after that of the last snapshot. */
const afterSnapshots = (row: 'old' | 'new') =>
  `coalesce((select max(moment) + 1 from snapshots where bucket_id = ${row}.bucket_id), 0)`

const postgresTriggers = [
  `create or replace function strongroom_keep_former() returns trigger language plpgsql as $$
  declare
    now_moment bigint;
    now_author bigint;
  begin
    if tg_op = 'DELETE' then
      now_moment := strongroom_moment(greatest(old.moment, ${afterSnapshots('old')}));
      now_author := strongroom_author();
    else
      now_moment := new.moment;
      now_author := new.author;
    end if;
    if now_moment <> old.moment and ${IS_KEPT} then
      ${FORMER} values (${OLD}, now_moment, now_author);
    end if;
    perform set_config('strongroom.used', '1', true);
    if tg_op <> 'DELETE' then perform strongroom_moment(${afterSnapshots('new')}); end if;
    return null;
  end $$`,
  `create or replace function strongroom_check_moment() returns trigger language plpgsql as $$
  declare
    later bigint;
  begin
    if tg_op = 'INSERT' then
      select max(ended) into later from former_objects where bucket_id = new.bucket_id and key = new.key;
      perform set_config('strongroom.used', '1', true);
      perform strongroom_moment(greatest(coalesce(later, 0), ${afterSnapshots('new')}));
    elsif new.moment <> strongroom_moment(new.moment) then
      raise exception 'an object was changed without its moment';
    end if;
    return null;
  end $$`,
]
