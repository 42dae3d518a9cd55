import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

/** SQL of the audit chain: links, head, checkpoints and records that are not sealed yet. */
export type HeadRow = Row<'audit_head'>
export type CheckpointRow = Row<'audit_checkpoints'>

export const findHead = (db: Db): Promise<HeadRow | undefined> =>
  db.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirst()

/** The head, locked until the transaction ends; undefined if another process has locked it, or there is none. */
export const lockHead = (tx: Tx): Promise<HeadRow | undefined> =>
  tx.selectFrom('audit_head').selectAll().where('id', '=', 1).forUpdate().skipLocked().executeTakeFirst()
/** Like `lockHead`, but waits for the other process. */
export const waitForHead = (tx: Tx): Promise<HeadRow | undefined> =>
  tx.selectFrom('audit_head').selectAll().where('id', '=', 1).forUpdate().executeTakeFirst()

export const insertHead = (tx: Tx, row: NewRow<'audit_head'>) =>
  tx
    .insertInto('audit_head')
    .values(row)
    .onConflict((c) => c.column('id').doNothing())
    .execute()
export const updateHead = (tx: Tx, change: RowChange<'audit_head'>) =>
  tx.updateTable('audit_head').set(change).where('id', '=', 1).execute()

export const isAnyRecent = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('audit_recent').select('id').limit(1).execute()).length > 0

/** Records after `after` that are not sealed yet. */
export const listRecent = (db: Db, after: string, limit: number): Promise<Row<'audit'>[]> =>
  db.selectFrom('audit_recent').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()

/** Moves recent records to the sealed ones and inserts their links. */
export async function insertLinks(tx: Tx, links: readonly NewRow<'audit_chain'>[]): Promise<void> {
  const ids = links.map(({ audit_id }) => audit_id)
  await tx
    .insertInto('audit_sealed')
    .expression((e) => e.selectFrom('audit_recent').selectAll().where('id', 'in', ids))
    .execute()
  await tx.insertInto('audit_chain').values(links).execute()
  await tx.deleteFrom('audit_recent').where('id', 'in', ids).execute()
}

/** Records before a given one, sealed or not, that say how long records are kept; latest first. */
export function listRetentionRecords(db: Db, before: Row<'audit'> | undefined, limit: number): Promise<Row<'audit'>[]> {
  const query = db
    .selectFrom('audit')
    .selectAll()
    .where('action', 'in', ['settings_update', 'audit_purge'])
    .where('details', 'like', '%"retention_days"%')
  const rest =
    before === undefined ? query : query.where((e) => e(e.refTuple('time', 'id'), '<', e.tuple(before.time, before.id)))
  return rest.orderBy('time', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

export const findLink = (db: Db, seq: number): Promise<Row<'audit_chain'> | undefined> =>
  db.selectFrom('audit_chain').selectAll().where('seq', '=', seq).executeTakeFirst()
export const findLastLink = (db: Db): Promise<Row<'audit_chain'> | undefined> =>
  db.selectFrom('audit_chain').selectAll().orderBy('seq', 'desc').limit(1).executeTakeFirst()

/** Links from `from` to `to` with their records; `id` is null where the record is missing. */
export const listLinks = (db: Db, from: number, to: number, limit: number) =>
  db
    .selectFrom('audit_chain')
    .leftJoin('audit_sealed', 'audit_sealed.id', 'audit_chain.audit_id')
    .selectAll('audit_sealed')
    .select(['audit_chain.seq', 'audit_chain.audit_id', 'audit_chain.row_hash', 'audit_chain.chain_hash'])
    .where('audit_chain.seq', '>=', from)
    .where('audit_chain.seq', '<=', to)
    .orderBy('audit_chain.seq')
    .limit(limit)
    .execute()
export type LinkedRecord = Awaited<ReturnType<typeof listLinks>>[number]

/** Sealed records after `after`, each with its link's number. */
export const listSealed = (db: Db, after: string, limit: number) =>
  db
    .selectFrom(
      db.selectFrom('audit_sealed').select('id').where('id', '>', after).orderBy('id').limit(limit).as('some'),
    )
    .leftJoin('audit_chain', 'audit_chain.audit_id', 'some.id')
    .select(['some.id', 'audit_chain.seq'])
    .orderBy('some.id')
    .execute()
export const findSealed = (db: Db, id: string): Promise<Row<'audit'> | undefined> =>
  db.selectFrom('audit_sealed').selectAll().where('id', '=', id).executeTakeFirst()

/** Deletes the links up to the anchor, and their records. The caller updates the head in the same transaction. */
export async function deleteLinks(tx: Tx, upTo: number, recordIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('audit_sealed').where('id', 'in', recordIds).execute()
  await tx.deleteFrom('audit_chain').where('seq', '<=', upTo).execute()
}

export const findLastCheckpoint = (db: Db): Promise<CheckpointRow | undefined> =>
  db.selectFrom('audit_checkpoints').selectAll().orderBy('n', 'desc').limit(1).executeTakeFirst()
export const findCheckpoint = (db: Db, n: number): Promise<CheckpointRow | undefined> =>
  db.selectFrom('audit_checkpoints').selectAll().where('n', '=', n).executeTakeFirst()
export const insertCheckpoint = (tx: Tx, row: CheckpointRow) => tx.insertInto('audit_checkpoints').values(row).execute()

/** Checkpoints of links from `from` to `to` after number `after`, with the hash that the chain has at that link. */
export const listCheckpoints = (
  db: Db,
  { after, from, to }: { after: number; from: number; to: number },
  limit: number,
) =>
  db
    .selectFrom('audit_checkpoints')
    .leftJoin('audit_chain', 'audit_chain.seq', 'audit_checkpoints.seq')
    .selectAll('audit_checkpoints')
    .select('audit_chain.chain_hash as linked')
    .where('audit_checkpoints.n', '>', after)
    .where('audit_checkpoints.seq', '>=', from)
    .where('audit_checkpoints.seq', '<=', to)
    .orderBy('audit_checkpoints.n')
    .limit(limit)
    .execute()
