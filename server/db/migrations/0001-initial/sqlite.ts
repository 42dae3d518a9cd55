/** A trigram index of the keys beside their table, kept by triggers; it holds no copy of the keys. */
export const searchOnSqlite: readonly string[] = [
  `create virtual table object_search using fts5(
    key, content='objects', content_rowid='rowid', tokenize='trigram', detail=none, columnsize=0)`,
  `create trigger object_search_insert after insert on objects begin
    insert into object_search(rowid, key) values (new.rowid, new.key); end`,
  `create trigger object_search_delete after delete on objects begin
    insert into object_search(object_search, rowid, key) values ('delete', old.rowid, old.key); end`,
  `create trigger object_search_rename after update of key on objects begin
    insert into object_search(object_search, rowid, key) values ('delete', old.rowid, old.key);
    insert into object_search(rowid, key) values (new.rowid, new.key); end`,
]

const refuse = (table: string, event: string, when = ''): string =>
  `create trigger ${table}_no_${event} before ${event} on ${table} ${when}
    begin select raise(abort, '${table} is append-only'); end`

const purged = 'select 1 from audit_chain c join audit_head h on c.seq <= h.anchor_seq where c.audit_id = old.id'

/**
 * Records and links cannot be changed. A recent record can be deleted once it is sealed; a sealed one and its link once
 * they are at or below the anchor, which only a purge moves, in the transaction that deletes. `insert or replace`
 * deletes without delete triggers, so an id that is taken is refused before.
 */
export const auditGuardsOnSqlite: readonly string[] = [
  refuse('audit_recent', 'update'),
  refuse('audit_recent', 'insert', 'when exists (select 1 from audit_recent where id = new.id)'),
  refuse('audit_recent', 'delete', 'when not exists (select 1 from audit_sealed where id = old.id)'),
  refuse('audit_sealed', 'update'),
  refuse('audit_sealed', 'insert', 'when exists (select 1 from audit_sealed where id = new.id)'),
  refuse('audit_sealed', 'delete', `when not exists (${purged})`),
  refuse('audit_chain', 'update'),
  refuse('audit_chain', 'delete', 'when not exists (select 1 from audit_head where anchor_seq >= old.seq)'),
  refuse('audit_checkpoints', 'update'),
  refuse('audit_checkpoints', 'delete'),
]
