import { type Kysely, sql } from 'kysely'

/** SQLite has `instr`; the same name lets one SQL text serve both. The planner inlines it. */
export const functionsOnPostgres: readonly string[] = [
  `create or replace function instr(haystack text, needle text) returns integer
    language sql immutable parallel safe as 'select strpos($1, $2)'`,
]

/**
 * The collation that folds most letters: from 17 on there is one that folds all; before, the default folds ASCII only.
 */
export async function foldingCollation(db: Kysely<never>): Promise<string> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(db)
  return (rows[0]?.version ?? 0) >= 170_000 ? 'pg_c_utf8' : 'default'
}

/** pg_trgm on the folded key. Both small forms of Σ are one letter. */
export const searchOnPostgres = (collation: string): string[] => [
  'create extension if not exists pg_trgm',
  `create or replace function fold_key(key text) returns text language sql immutable parallel safe
    as $$select translate(lower($1 collate "${collation}"), 'ς', 'σ')$$`,
  'create index objects_search on objects using gin (fold_key(key) gin_trgm_ops)',
]

const refuse = (table: string, event: string, unless?: string): string[] => [
  `create function ${table}_refuse_${event}() returns trigger language plpgsql as $$ begin
    ${unless ? `if exists (${unless}) then return old; end if;` : ''}
    raise exception '% is append-only', tg_table_name; end $$`,
  `create trigger ${table}_no_${event} before ${event} on ${table}
    for each ${event === 'truncate' ? 'statement' : 'row'} execute function ${table}_refuse_${event}()`,
]

const purged = 'select 1 from audit_chain c join audit_head h on c.seq <= h.anchor_seq where c.audit_id = old.id'

/** The same as on SQLite; `truncate` is an event of its own, and no insert deletes. */
export const auditGuardsOnPostgres: readonly string[] = [
  ...['audit_recent', 'audit_sealed', 'audit_chain', 'audit_checkpoints'].flatMap((table) => [
    ...refuse(table, 'update'),
    ...refuse(table, 'truncate'),
  ]),
  ...refuse('audit_recent', 'delete', 'select 1 from audit_sealed where id = old.id'),
  ...refuse('audit_sealed', 'delete', purged),
  ...refuse('audit_chain', 'delete', 'select 1 from audit_head where anchor_seq >= old.seq'),
  ...refuse('audit_checkpoints', 'delete'),
]
