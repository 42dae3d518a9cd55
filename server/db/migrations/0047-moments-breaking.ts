import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What an object is, but for its bucket and key. */
const STATE = [
  'version_id',
  'blob_id',
  'size',
  'etag',
  'sha256',
  'checksums',
  'content_type',
  'headers',
  'metadata',
  'tags',
  'storage_class',
  'lock_mode',
  'locked_until',
  'legal_hold',
  'acl',
  'encryption',
  'created_at',
  'last_modified',
  'created_by',
]
/** What may be learned of it later, or is of the same bytes elsewhere. All the rest only changes at another moment. */
const LEARNED = ['blob_id', 'sha256', 'checksums', 'encryption', 'created_at', 'last_modified', 'created_by']
const DESCRIPTION = STATE.filter((column) => !LEARNED.includes(column))

/**
 * What every key was before, from when until when. Written by triggers, so that no change of an object can leave it out.
 * Breaking because an earlier release changes objects without giving their moment.
 */
export const moments = ({ engine, id, bytewise, text, bigint, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const run = async (...statements: string[]) => {
      for (const statement of statements) await sql.raw(statement).execute(db)
    }
    const sequence =
      engine === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key'
    await run(
      ...['objects', 'versions', 'trash'].flatMap((table) => [
        `alter table ${table} add column moment ${bigint} default 0 not null`,
        `alter table ${table} add column author ${bigint}`,
      ]),
      `alter table instance add column moments_since ${bigint} default 0 not null`,
      `create table change_authors (
        id ${sequence},
        name ${text} not null,
        kind ${text} not null,
        user_id ${id},
        credential_id ${id},
        share_id ${id},
        job_id ${id}
      )`,
      'create unique index change_authors_by_name on change_authors (name)',
      `create table former_objects (
        bucket_id ${id} not null,
        key ${bytewise} not null,
        moment ${bigint} not null,
        ended ${bigint} not null,
        author ${bigint},
        ended_by ${bigint},
        version_id ${id},
        blob_id ${id} not null,
        size ${bigint} not null,
        etag ${text} not null,
        sha256 ${text},
        checksums ${text},
        content_type ${text} not null,
        headers ${text},
        metadata ${text} not null,
        tags ${text},
        storage_class ${text},
        lock_mode ${text},
        locked_until ${timestamp},
        legal_hold ${integer},
        acl ${text},
        encryption ${text},
        created_at ${timestamp} not null,
        last_modified ${timestamp} not null,
        created_by ${id},
        constraint former_objects_pkey primary key (bucket_id, key, ended, moment)
      )`,
      `create table forgotten_moments (
        bucket_id ${id} not null constraint forgotten_moments_pkey primary key references buckets (id) on delete cascade,
        moment ${bigint} not null
      )`,
    )
    await fill(db, engine)
    await run(
      'create index former_objects_by_end on former_objects (bucket_id, ended, moment, key)',
      'create index former_objects_blob on former_objects (blob_id)',
      'create index objects_by_moment on objects (bucket_id, moment)',
      ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
    )
  },
})

/**
 * What the trash and the versions know of the time before. The same key had one state at a time, so each begins at the end
 * of the one before it at the earliest.
 */
async function fill(db: Kysely<never>, engine: ColumnTypes['engine']): Promise<void> {
  const micros = (column: string) =>
    engine === 'sqlite'
      ? `(strftime('%s', ${column}) * 1000000 + cast(substr(${column}, 21, 3) as integer) * 1000)`
      : `(extract(epoch from ${column}) * 1000000)::bigint`
  const now = engine === 'sqlite' ? `(cast(strftime('%s', 'now') as integer) * 1000000)` : micros('now()')
  const later = engine === 'sqlite' ? 'max' : 'greatest'
  const former = (table: string, ended: string, more = '') => `
    insert into former_objects (bucket_id, key, moment, ended, ${STATE.join(', ')})
    select bucket_id, key, ${micros('last_modified')}, ${micros(ended)}, ${STATE.join(', ')}
    from ${table} where ${micros('last_modified')} < ${micros(ended)} ${more}
    on conflict (bucket_id, key, ended, moment) do nothing`
  for (const statement of [
    // A new database has no time before.
    `update instance set moments_since = ${now} where exists (select 1 from buckets)`,
    former('trash', 'deleted_at'),
    former('versions', 'noncurrent_at', 'and blob_id is not null'),
    `delete from former_objects where exists (select 1 from former_objects o where o.bucket_id = former_objects.bucket_id
      and o.key = former_objects.key and o.ended = former_objects.ended and o.moment < former_objects.moment)`,
    `update former_objects set moment = ${later}(moment, coalesce((select max(p.ended) from former_objects p
      where p.bucket_id = former_objects.bucket_id and p.key = former_objects.key and p.ended < former_objects.ended), 0))`,
    `update objects set moment = ${later}(${micros('last_modified')}, coalesce((select max(p.ended) from former_objects p
      where p.bucket_id = objects.bucket_id and p.key = objects.key), 0))`,
  ])
    await sql.raw(statement).execute(db)
}

const all = (row: string, columns: readonly string[]) => columns.map((column) => `${row}.${column}`).join(', ')
export const FORMER = `insert into former_objects (bucket_id, key, moment, author, ${STATE.join(', ')}, ended, ended_by)`
export const OLD = all('old', ['bucket_id', 'key', 'moment', 'author', ...STATE])
/** Whether anything is kept of what was. */
const IS_KEPT = 'exists (select 1 from buckets where id = old.bucket_id and (trash_days > 0 or versioning is not null))'

/** `strongroom_moment` and `strongroom_author` are functions of the connection that writes. */
const sqliteTriggers = [
  `create trigger objects_changed after update on objects when old.moment <> new.moment begin
    ${FORMER} select ${OLD}, new.moment, new.author where ${IS_KEPT};
  end`,
  `create trigger objects_deleted after delete on objects when old.moment <> strongroom_moment(old.moment) begin
    ${FORMER} select ${OLD}, strongroom_moment(old.moment), strongroom_author() where ${IS_KEPT};
  end`,
  `create trigger objects_inserted after insert on objects begin
    select strongroom_moment(coalesce((select max(ended) from former_objects
      where bucket_id = new.bucket_id and key = new.key), 0));
  end`,
  `create trigger objects_changed_silently after update of ${DESCRIPTION.join(', ')} on objects
    when old.moment = new.moment and (${DESCRIPTION.map((name) => `old.${name} is not new.${name}`).join(' or ')})
      and new.moment <> strongroom_moment(new.moment)
    begin
    select raise(abort, 'an object was changed without its moment');
  end`,
]

/** Microseconds that two clocks of the same time may be apart. */
const APART = 2_000_000

const postgresTriggers = [
  // The newest moment that was read: those of changes to come are later.
  'create sequence if not exists strongroom_settled minvalue 0 start 0',
  `create or replace function strongroom_moment(floor bigint) returns bigint language plpgsql as $$
  declare
    drawn text := current_setting('strongroom.moment', true);
    clock bigint;
    told bigint;
    moment bigint;
  begin
    if drawn is null or drawn = ''
      -- Drawn for an insert that found its key taken, and waited for whoever had it: nothing has that moment yet.
      or (floor > drawn::bigint and coalesce(current_setting('strongroom.used', true), '') = '') then
      -- Whoever waits for the transactions that run has to see this one from before its moment on.
      perform pg_current_xact_id();
      clock := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
      told := nullif(current_setting('strongroom.earliest', true), '')::bigint
        + (extract(epoch from clock_timestamp() - transaction_timestamp()) * 1000000)::bigint;
      -- All processes go by this server's clock, unless theirs is another time altogether.
      if abs(told - clock) > ${APART} then clock := told; end if;
      select greatest(clock, floor + 1, last_value + 1) into moment from strongroom_settled;
      perform set_config('strongroom.moment', moment::text, true);
      return moment;
    end if;
    moment := drawn::bigint;
    if floor > moment then
      raise exception 'an object has changed at a later moment' using errcode = '40001', detail = floor::text;
    end if;
    return moment;
  end $$`,
  `create or replace function strongroom_author() returns bigint language sql stable as
    $$ select nullif(current_setting('strongroom.author', true), '')::bigint $$`,
  `create function strongroom_keep_former() returns trigger language plpgsql as $$
  declare
    now_moment bigint;
    now_author bigint;
  begin
    if tg_op = 'DELETE' then
      now_moment := strongroom_moment(old.moment);
      now_author := strongroom_author();
    else
      now_moment := new.moment;
      now_author := new.author;
    end if;
    if now_moment <> old.moment and ${IS_KEPT} then
      ${FORMER} values (${OLD}, now_moment, now_author);
    end if;
    perform set_config('strongroom.used', '1', true);
    return null;
  end $$`,
  // What was deleted by others at a later moment, while the insert waited for them, is found here.
  `create function strongroom_check_moment() returns trigger language plpgsql as $$
  declare
    later bigint;
  begin
    if tg_op = 'INSERT' then
      select max(ended) into later from former_objects where bucket_id = new.bucket_id and key = new.key;
      perform set_config('strongroom.used', '1', true);
      perform strongroom_moment(coalesce(later, 0));
    elsif new.moment <> strongroom_moment(new.moment) then
      raise exception 'an object was changed without its moment';
    end if;
    return null;
  end $$`,
  `create trigger objects_changed after update on objects for each row when (old.moment <> new.moment)
    execute function strongroom_keep_former()`,
  'create trigger objects_deleted after delete on objects for each row execute function strongroom_keep_former()',
  `create trigger objects_changed_silently after update of ${DESCRIPTION.join(', ')} on objects for each row
    when (old.moment = new.moment and (${DESCRIPTION.map((name) => `old.${name} is distinct from new.${name}`).join(' or ')}))
    execute function strongroom_check_moment()`,
  'create trigger objects_inserted after insert on objects for each row execute function strongroom_check_moment()',
]
