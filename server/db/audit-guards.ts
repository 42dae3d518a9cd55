import { type Kysely, sql } from 'kysely'

/**
 * SQLite: the table of recent records, the view over both, and triggers. Records and links cannot be changed. A recent
 * record can be deleted once it is sealed; a sealed one and its link once they are at or below the anchor, which only a
 * purge moves, in the transaction that deletes. `insert or replace` deletes without delete triggers, so a taken id is
 * refused before.
 */
export async function guardAuditOnSqlite(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{ definition: string }>`
    select name || ' ' || type || case when "notnull" then ' not null' else '' end as definition
    from pragma_table_info('audit_sealed')`.execute(db)
  const columns = rows.map(({ definition }) => definition).join(', ')
  const refuse = (table: string, event: string, when = '') =>
    `create trigger ${table}_no_${event} before ${event} on ${table} ${when}
       begin select raise(abort, '${table} is append-only'); end`
  for (const text of [
    // Without a rowid it is one tree, so that a commit writes one page of it.
    `create table audit_recent (${columns}, primary key (id)) without rowid`,
    VIEW,
    ...['audit_recent', 'audit_sealed'].flatMap((table) => [
      refuse(table, 'update'),
      refuse(table, 'insert', `when exists (select 1 from ${table} where id = new.id)`),
    ]),
    refuse('audit_recent', 'delete', 'when not exists (select 1 from audit_sealed where id = old.id)'),
    refuse('audit_sealed', 'delete', `when not exists (${PURGED})`),
    refuse('audit_chain', 'update'),
    refuse('audit_chain', 'delete', 'when not exists (select 1 from audit_head where anchor_seq >= old.seq)'),
    refuse('audit_checkpoints', 'update'),
    refuse('audit_checkpoints', 'delete'),
  ])
    await sql.raw(text).execute(db)
}

const VIEW = 'create view audit as select * from audit_sealed union all select * from audit_recent'
const PURGED = 'select 1 from audit_chain c join audit_head h on c.seq <= h.anchor_seq where c.audit_id = old.id'

/** PostgreSQL: the same. */
export async function guardAuditOnPostgres(db: Kysely<never>): Promise<void> {
  const refuse = (table: string, event: string, unless?: string) => [
    `create function ${table}_refuse_${event}() returns trigger language plpgsql as $$ begin
       ${unless ? `if exists (${unless}) then return old; end if;` : ''}
       raise exception '% is append-only', tg_table_name; end $$`,
    `create trigger ${table}_no_${event} before ${event} on ${table}
       for each ${event === 'truncate' ? 'statement' : 'row'} execute function ${table}_refuse_${event}()`,
  ]
  for (const text of [
    // It is emptied every second: the dead rows are to be swept before they are many.
    `create table audit_recent (like audit_sealed, primary key (id))
       with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
    VIEW,
    ...['audit_recent', 'audit_sealed', 'audit_chain', 'audit_checkpoints'].flatMap((table) => [
      ...refuse(table, 'update'),
      ...refuse(table, 'truncate'),
    ]),
    ...refuse('audit_recent', 'delete', 'select 1 from audit_sealed where id = old.id'),
    ...refuse('audit_sealed', 'delete', PURGED),
    ...refuse('audit_chain', 'delete', 'select 1 from audit_head where anchor_seq >= old.seq'),
    ...refuse('audit_checkpoints', 'delete'),
  ])
    await sql.raw(text).execute(db)
}
