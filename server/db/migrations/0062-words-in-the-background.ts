import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Most characters of a value in a word: a key of an index of PostgreSQL has at most 2,704 bytes. */
const MOST = 200

/**
 * The words that objects are found by, anew: an equals sign in a name is written as `%3D`, so that each word is of one name. The words of
 * objects that are there already are written in the background, and `words_to` says how far.
 */
export const wordsInTheBackground = ({ engine, id, bytewise, text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      ...(engine === 'sqlite'
        ? ['added', 'changed', 'removed'].map((name) => `drop trigger if exists objects_words_${name}`)
        : // Whoever writes meanwhile waits.
          ['lock table objects in share row exclusive mode']),
      'drop table object_words',
      `create table object_words (
        bucket_id ${id} not null,
        word ${bytewise} not null,
        key ${bytewise} not null,
        constraint object_words_pkey primary key (bucket_id, word, key)
      )${engine === 'sqlite' ? ' without rowid' : ''}`,
      ...(engine === 'sqlite' ? sqliteTriggers : [postgresWords]),
      `alter table instance add column words_to ${text}`,
      // Null: all are written.
      "update instance set words_to = '' where exists (select 1 from objects)",
    ])
      await sql.raw(statement).execute(db)
  },
})

/** A name in a word; what is escaped has no other form. */
const escaped = (name: string): string => `replace(replace(${name}, '%', '%25'), '=', '%3D')`

const sqliteWordsOf = (row: string): string => `
  select 'k:' || ${escaped('tag.key')} as word from json_each(${row}.tags) tag
  union select 't:' || ${escaped('tag.key')} || '=' || substr(tag.value, 1, ${MOST}) from json_each(${row}.tags) tag
  union select 'm:' || ${escaped('pair.key')} || '=' || substr(pair.value, 1, ${MOST}) from json_each(${row}.metadata) pair`

const hasWords = (row: string): string => `(${row}.tags is not null or ${row}.metadata <> '{}')`

const sqliteInsert = `insert or ignore into object_words (bucket_id, word, key)
  select new.bucket_id, word, new.key from (${sqliteWordsOf('new')});`
const sqliteDelete = `delete from object_words where bucket_id = old.bucket_id and key = old.key
  and word in (${sqliteWordsOf('old')});`

const sqliteTriggers = [
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

/** What cannot be a text of PostgreSQL came from an engine that is attached, and cannot be searched for. */
const postgresWords = `create or replace function strongroom_words(tags text, metadata text)
  returns setof text language plpgsql immutable as $$
  begin
    return query
      select 'k:' || ${escaped('t.key')} from json_each_text(coalesce(tags, '{}')::json) t
      union select 't:' || ${escaped('t.key')} || '=' || left(t.value, ${MOST}) from json_each_text(coalesce(tags, '{}')::json) t
      union select 'm:' || ${escaped('m.key')} || '=' || left(m.value, ${MOST}) from json_each_text(metadata::json) m;
  exception when data_exception then
    return;
  end $$`
