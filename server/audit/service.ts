import type { Action } from '../../contract/actions.ts'
import type { AuditRecord } from '../../contract/audit.ts'
import type { Actor, Ctx } from '../context.ts'
import type { Row, Tx } from '../db/schema.ts'
import { newId } from '../id.ts'
import { withoutCredentials } from '../log.ts'
import * as store from './store.ts'

const MAX_DETAILS_BYTES = 8192

/** Writes one record per action in the transaction that made the change (A3) and gives the rows back. */
export async function recordActions(
  tx: Tx,
  actor: Actor,
  now: Date,
  actions: readonly Action[],
): Promise<Row<'audit'>[]> {
  const { origin } = actor
  const rows = actions.map((action): Row<'audit'> => {
    // People type tokens into the wrong field.
    const details = withoutCredentials(JSON.stringify(action.details))
    return {
      id: newId(),
      time: now.toISOString(),
      action: action.name,
      result: action.result ?? 'success',
      status_code: action.status_code ?? null,
      error_code: action.error_code ?? null,
      actor_user_id: actor.user_id,
      actor_email: actor.email,
      actor_type: actor.type,
      auth_method: actor.auth_method,
      token_id: actor.token_id,
      session_id: actor.session_id,
      actor_ip: origin.ip,
      user_agent: origin.user_agent === null ? null : withoutCredentials(origin.user_agent).slice(0, 512),
      request_id: origin.request_id,
      method: origin.method,
      route: origin.route,
      bucket: action.bucket ?? null,
      object_key: action.key ?? null,
      resource_type: action.resource?.type ?? null,
      resource_id: action.resource?.id ?? null,
      details: Buffer.byteLength(details) > MAX_DETAILS_BYTES ? '{"truncated":true}' : details,
    }
  })
  await store.insertRecords(tx, rows)
  return rows
}

const COUNT_LIMIT = 10_000

/** One numbered page of matching records, latest first; counting stops at 10,000 (A8). */
export async function listRecords(ctx: Ctx, filter: store.Filter, page: number, pageSize: number) {
  const [rows, counted] = await Promise.all([
    store.findRecords(ctx.db, filter, (page - 1) * pageSize, pageSize),
    store.countRecords(ctx.db, filter, COUNT_LIMIT + 1),
  ])
  const total = Math.max(Math.min(counted, COUNT_LIMIT), rows.length && (page - 1) * pageSize + rows.length)
  return { items: rows.map(toRecord), total, page, page_size: pageSize, total_is_estimate: counted > COUNT_LIMIT }
}

const toRecord = ({ actor_user_id, actor_email, actor_type, details, ...row }: Row<'audit'>): AuditRecord => ({
  ...row,
  actor: { user_id: actor_user_id, email: actor_email, type: actor_type },
  details: JSON.parse(details),
})
