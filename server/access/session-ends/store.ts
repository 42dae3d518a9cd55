import type { ExpressionBuilder } from 'kysely'
import type { Schema, Tx } from '../../db/schema.ts'

/** Which sessions are meant; of everything that is given. */
export interface SessionFilter {
  id?: string | undefined
  roleId?: string | undefined
  userId?: string | undefined
  issuerKey?: string | undefined
  /** Only those that are of no role. */
  withoutRole?: boolean | undefined
  /** Opened until then. */
  until?: string | undefined
}

const matching = (filter: SessionFilter) => (e: ExpressionBuilder<Schema, 'temporary_credentials'>) =>
  e.and([
    ...(filter.id === undefined ? [] : [e('id', '=', filter.id)]),
    ...(filter.roleId === undefined ? [] : [e('role_id', '=', filter.roleId)]),
    ...(filter.userId === undefined ? [] : [e('user_id', '=', filter.userId)]),
    ...(filter.issuerKey === undefined ? [] : [e('issuer_key', '=', filter.issuerKey)]),
    ...(filter.withoutRole ? [e('role_id', 'is', null)] : []),
    ...(filter.until === undefined ? [] : [e('created_at', '<=', filter.until)]),
  ])

/** Ends live sessions; returns their ids. */
export const revokeMatching = async (tx: Tx, filter: SessionFilter, now: Date): Promise<string[]> =>
  (
    await tx
      .updateTable('temporary_credentials')
      .set({ revoked_at: now.toISOString() })
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now.toISOString())
      .where(matching(filter))
      .returning('id')
      .execute()
  ).map(({ id }) => id)

/** Ends the live sessions that were opened with the credentials of these; returns their ids. */
export const revokeChildren = async (tx: Tx, parents: readonly string[], now: Date): Promise<string[]> =>
  (
    await tx
      .updateTable('temporary_credentials')
      .set({ revoked_at: now.toISOString() })
      .where('parent_id', 'in', parents)
      .where('revoked_at', 'is', null)
      .returning('id')
      .execute()
  ).map(({ id }) => id)
