import { type Kysely, sql } from 'kysely'

/**
 * SQLite: what is not sealed yet is queued by a trigger; records and links cannot be changed, and cannot be deleted unless
 * they are at or below the anchor, which only a purge moves, in the transaction that deletes. `insert or replace` deletes
 * without delete triggers, so a taken id is refused before.
 */
export async function guardAuditOnSqlite(db: Kysely<never>): Promise<void> {
  const refuse = (table: string, event: string, when = '') =>
    `create trigger ${table}_no_${event} before ${event} on ${table} ${when}
       begin select raise(abort, '${table} is append-only'); end`
  for (const text of [
    'create table audit_unsealed (audit_id text not null primary key) without rowid',
    'create trigger audit_enqueue after insert on audit begin insert into audit_unsealed values (new.id); end',
    refuse('audit', 'update'),
    refuse('audit', 'insert', 'when exists (select 1 from audit where id = new.id)'),
    refuse(
      'audit',
      'delete',
      `when not exists (select 1 from audit_chain c join audit_head h on c.seq <= h.anchor_seq where c.audit_id = old.id)`,
    ),
    refuse('audit_chain', 'update'),
    refuse('audit_chain', 'delete', 'when not exists (select 1 from audit_head where anchor_seq >= old.seq)'),
    refuse('audit_checkpoints', 'update'),
    refuse('audit_checkpoints', 'delete'),
  ])
    await sql.raw(text).execute(db)
}

/** PostgreSQL: the same. */
export async function guardAuditOnPostgres(db: Kysely<never>): Promise<void> {
  const refuse = (table: string, event: string, when = '') =>
    `create trigger ${table}_no_${event} before ${event} on ${table} for each row ${when}
       execute function audit_refuse()`
  for (const text of [
    'create table audit_unsealed (audit_id text collate "C" not null primary key)',
    `create function audit_enqueue() returns trigger language plpgsql as
       $$ begin insert into audit_unsealed select id from added; return null; end $$`,
    `create trigger audit_enqueue after insert on audit referencing new table as added
       for each statement execute function audit_enqueue()`,
    `create function audit_refuse() returns trigger language plpgsql as
       $$ begin raise exception '% is append-only', tg_table_name; end $$`,
    `create function audit_refuse_above_anchor() returns trigger language plpgsql as $$ begin
       if not exists (select 1 from audit_chain c join audit_head h on c.seq <= h.anchor_seq where c.audit_id = old.id)
       then raise exception 'audit is append-only'; end if; return old; end $$`,
    `create function audit_chain_refuse_above_anchor() returns trigger language plpgsql as $$ begin
       if not exists (select 1 from audit_head where anchor_seq >= old.seq)
       then raise exception 'audit_chain is append-only'; end if; return old; end $$`,
    refuse('audit', 'update'),
    refuse('audit_chain', 'update'),
    refuse('audit_checkpoints', 'update'),
    refuse('audit_checkpoints', 'delete'),
    `create trigger audit_no_delete before delete on audit for each row execute function audit_refuse_above_anchor()`,
    `create trigger audit_chain_no_delete before delete on audit_chain
       for each row execute function audit_chain_refuse_above_anchor()`,
    ...['audit', 'audit_chain', 'audit_checkpoints'].map(
      (table) =>
        `create trigger ${table}_no_truncate before truncate on ${table} for each statement execute function audit_refuse()`,
    ),
  ])
    await sql.raw(text).execute(db)
}
