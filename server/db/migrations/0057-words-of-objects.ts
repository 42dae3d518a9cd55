import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Most characters of a value in a word: a key of an index of PostgreSQL has at most 2,704 bytes. */
const MOST = 200
/** Smaller objects are not in the index of sizes: they are the many, and cost nothing there. */
const LARGE = 65_536

/**
 * What objects are found by: their tags and metadata as words, and indexes of their type, size, time and writer. The words are
 * written by triggers, so that no change of an object can leave them out; those of the objects that are there already, by the migration
 * `0062`. Only adds.
 */
export const wordsOfObjects = ({ engine, id, bytewise }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const statements = [
      `create table object_words (
        bucket_id ${id} not null,
        word ${bytewise} not null,
        key ${bytewise} not null,
        constraint object_words_pkey primary key (bucket_id, word, key)
      )${engine === 'sqlite' ? ' without rowid' : ''}`,
      ...(engine === 'sqlite' ? sqliteWords : postgresWords),
      'create index objects_by_type on objects (bucket_id, content_type, key)',
      `create index objects_by_large_size on objects (bucket_id, size, key) where size >= ${LARGE}`,
      'create index objects_by_time on objects (bucket_id, last_modified, key)',
      'create index objects_by_writer on objects (bucket_id, created_by, key) where created_by is not null',
      // What is not known of objects of attached buckets cannot be found yet.
      'create index external_blobs_unread on external_blobs (bucket_id) where hydrated_at is null',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})

/** The words of a row: `k:project` and `t:project=apollo` of a tag, `m:camera=nikon` of metadata; each once. */
const sqliteWordsOf = (row: string): string => `
  select 'k:' || tag.key as word from json_each(${row}.tags) tag
  union select 't:' || tag.key || '=' || substr(tag.value, 1, ${MOST}) from json_each(${row}.tags) tag
  union select 'm:' || pair.key || '=' || substr(pair.value, 1, ${MOST}) from json_each(${row}.metadata) pair`

const hasWords = (row: string): string => `(${row}.tags is not null or ${row}.metadata <> '{}')`

const sqliteInsert = `insert into object_words (bucket_id, word, key)
  select new.bucket_id, word, new.key from (${sqliteWordsOf('new')});`
const sqliteDelete = `delete from object_words where bucket_id = old.bucket_id and key = old.key
  and word in (${sqliteWordsOf('old')});`

const sqliteWords = [
  `create trigger objects_words_added after insert on objects when ${hasWords('new')} begin
    ${sqliteInsert}
  end`,
  `create trigger objects_words_changed after update of bucket_id, key, tags, metadata on objects
    when old.tags is not new.tags or old.metadata <> new.metadata or old.key <> new.key or old.bucket_id <> new.bucket_id
    begin
    ${sqliteDelete}
    ${sqliteInsert}
  end`,
  `create trigger objects_words_removed after delete on objects when ${hasWords('old')} begin
    ${sqliteDelete}
  end`,
]

const postgresWords = [
  // Whoever writes meanwhile waits, so that no change is between the words and the triggers.
  'lock table objects in share row exclusive mode',
  // What cannot be a text of PostgreSQL came from an engine that is attached, and cannot be searched for.
  `create or replace function strongroom_words(tags text, metadata text) returns setof text language plpgsql immutable as $$
  begin
    return query
      select 'k:' || t.key from json_each_text(coalesce(tags, '{}')::json) t
      union select 't:' || t.key || '=' || left(t.value, ${MOST}) from json_each_text(coalesce(tags, '{}')::json) t
      union select 'm:' || m.key || '=' || left(m.value, ${MOST}) from json_each_text(metadata::json) m;
  exception when data_exception then
    return;
  end $$`,
  `create function strongroom_note_words() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'INSERT' and ${hasWords('old')} then
      delete from object_words where bucket_id = old.bucket_id and key = old.key
        and word in (select strongroom_words(old.tags, old.metadata));
    end if;
    if tg_op <> 'DELETE' and ${hasWords('new')} then
      insert into object_words (bucket_id, word, key)
        select new.bucket_id, word, new.key from strongroom_words(new.tags, new.metadata) word
        on conflict do nothing;
    end if;
    return null;
  end $$`,
  `create trigger objects_words_added after insert on objects for each row when ${hasWords('new')}
    execute function strongroom_note_words()`,
  `create trigger objects_words_changed after update of bucket_id, key, tags, metadata on objects for each row
    when (old.tags is distinct from new.tags or old.metadata <> new.metadata or old.key <> new.key
      or old.bucket_id <> new.bucket_id)
    execute function strongroom_note_words()`,
  `create trigger objects_words_removed after delete on objects for each row when ${hasWords('old')}
    execute function strongroom_note_words()`,
]
