import type { ExpressionBuilder } from 'kysely'
import type { Row, Schema, Tx } from '../../db/schema.ts'

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

/** A session that somebody has ended, which may have expired before. */
export type Ended = Pick<Row<'temporary_credentials'>, 'id' | 'expires_at'>

/** Ends sessions; also those that have expired, since what they have begun may go on. */
export const revokeMatching = (tx: Tx, filter: SessionFilter, now: Date): Promise<Ended[]> =>
  tx
    .updateTable('temporary_credentials')
    .set({ revoked_at: now.toISOString() })
    .where('revoked_at', 'is', null)
    .where(matching(filter))
    .returning(['id', 'expires_at'])
    .execute()

/** The same for those that were opened with the credentials of these. */
export const revokeChildren = (tx: Tx, parents: readonly string[], now: Date): Promise<Ended[]> =>
  tx
    .updateTable('temporary_credentials')
    .set({ revoked_at: now.toISOString() })
    .where('parent_id', 'in', parents)
    .where('revoked_at', 'is', null)
    .returning(['id', 'expires_at'])
    .execute()
