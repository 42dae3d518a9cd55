import type { Db, NewRow, Row, RowChange, Tx } from '../../../db/schema.ts'

export type ApprovalRow = Row<'agent_approvals'>

export const insertApproval = (tx: Tx, row: NewRow<'agent_approvals'>) =>
  tx.insertInto('agent_approvals').values(row).execute()

export const updateApproval = (tx: Tx, id: string, change: RowChange<'agent_approvals'>) =>
  tx.updateTable('agent_approvals').set(change).where('id', '=', id).execute()

/** What may be made by an agent at the moment, locked. */
export const lockApproved = (tx: Tx, agentId: string, now: Date): Promise<ApprovalRow[]> =>
  tx
    .selectFrom('agent_approvals')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('status', '=', 'approved')
    .where('expires_at', '>', now.toISOString())
    .orderBy('id')
    .forUpdate()
    .execute()

/** The latest that was asked for with this fingerprint and is not over, waiting or rejected. */
export const findAsked = (tx: Tx, agentId: string, fingerprint: string, now: Date): Promise<ApprovalRow | undefined> =>
  tx
    .selectFrom('agent_approvals')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('fingerprint', '=', fingerprint)
    .where('status', 'in', ['waiting', 'rejected'])
    .where('expires_at', '>', now.toISOString())
    .orderBy('id', 'desc')
    .executeTakeFirst()

export const countWaiting = async (tx: Tx, agentId: string, now: Date): Promise<number> =>
  (
    await tx
      .selectFrom('agent_approvals')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('agent_id', '=', agentId)
      .where('status', '=', 'waiting')
      .where('expires_at', '>', now.toISOString())
      .executeTakeFirstOrThrow()
  ).count

/** An approval with the name of its agent and who made that. */
export type NamedApproval = ApprovalRow & { agent: string; user_id: string }

const named = (db: Db) =>
  db
    .selectFrom('agent_approvals as p')
    .innerJoin('agents as a', 'a.id', 'p.agent_id')
    .selectAll('p')
    .select(['a.name as agent', 'a.user_id'])

export const findApproval = (db: Db, id: string): Promise<NamedApproval | undefined> =>
  named(db).where('p.id', '=', id).executeTakeFirst()

export const lockApproval = (tx: Tx, id: string): Promise<NamedApproval | undefined> =>
  named(tx).where('p.id', '=', id).forUpdate('p').executeTakeFirst()

/** Which approvals are wanted. */
export interface Wanted {
  /** Of whose agents; null for all. */
  userId: string | null
  agentId: string | undefined
  status: ApprovalRow['status'] | 'expired' | undefined
  before: string | undefined
}

/** Approvals before an id, latest first. */
export function listApprovals(
  db: Db,
  { userId, agentId, status, before }: Wanted,
  { now, limit }: { now: Date; limit: number },
): Promise<NamedApproval[]> {
  let query = named(db)
  if (userId !== null) query = query.where('a.user_id', '=', userId)
  if (agentId !== undefined) query = query.where('p.agent_id', '=', agentId)
  if (before !== undefined) query = query.where('p.id', '<', before)
  const time = now.toISOString()
  if (status === 'expired')
    query = query.where('p.status', 'in', ['waiting', 'approved']).where('p.expires_at', '<=', time)
  else if (status !== undefined) query = query.where('p.status', '=', status)
  if (status === 'waiting' || status === 'approved') query = query.where('p.expires_at', '>', time)
  return query.orderBy('p.id', 'desc').limit(limit).execute()
}

/** Deletes what was over before a time. */
export const deleteOver = async (tx: Tx, before: Date): Promise<void> => {
  await tx.deleteFrom('agent_approvals').where('expires_at', '<=', before.toISOString()).execute()
}

const objectsAt = (db: Db, bucket: string, keys: readonly string[]) =>
  db
    .selectFrom('objects as o')
    .innerJoin('buckets as b', 'b.id', 'o.bucket_id')
    .where('b.name', '=', bucket)
    .where('b.deleted_at', 'is', null)
    .where('o.key', 'in', keys)
    .orderBy('o.key')

const statesAt = (db: Db, bucket: string, keys: readonly string[]) =>
  objectsAt(db, bucket, keys).select(['o.key', 'o.blob_id', 'o.moment'])
const inNumbers = (rows: readonly { moment: number | null }[]): object[] =>
  rows.map((row) => ({ ...row, moment: Number(row.moment) }))

/** Which objects are at these keys of a bucket: those that are there, until they change. */
export const findStates = (db: Db, bucket: string, keys: readonly string[]): Promise<object[]> =>
  statesAt(db, bucket, keys).execute().then(inNumbers)

/** The same, which nobody else changes before the transaction ends. */
export const lockStates = (tx: Db, bucket: string, keys: readonly string[]): Promise<object[]> =>
  statesAt(tx, bucket, keys).forUpdate('o').execute().then(inNumbers)

/** What of the objects at these keys is the same whenever they are written in the same way. */
export const findContents = (db: Db, bucket: string, keys: readonly string[]): Promise<object[]> =>
  objectsAt(db, bucket, keys)
    .select(['o.key', 'o.size', 'o.etag', 'o.sha256', 'o.checksums', 'o.content_type', 'o.headers', 'o.metadata'])
    .select(['o.tags', 'o.storage_class', 'o.acl', 'o.encryption'])
    .execute()
    .then((rows) => rows.map((row) => ({ ...row, size: Number(row.size) })))
