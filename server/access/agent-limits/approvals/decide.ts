import type { Approval } from '../../../../contract/agents.ts'
import { ServiceError } from '../../../../contract/errors.ts'
import { isAdmin } from '../../../../contract/permissions.ts'
import { decodeCursor, pageOf } from '../../../base/cursor.ts'
import { DAY_MS, HOUR_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import * as store from './store.ts'

/** How long the agent may make what was approved, and is told what was rejected. */
const HOLDS_MS = DAY_MS
const FORGOTTEN_MS = 30 * DAY_MS

const missing = () => new ServiceError('not_found', 'No such approval.')

/** Whose approvals the caller sees: of their agents, or as an administrator of all; an agent its own. */
const visible = ({ actor }: Ctx) => ({
  userId: isAdmin(actor.groups) ? null : (actor.user_id ?? ''),
  agentId: actor.scope === undefined ? undefined : (actor.agent?.id ?? ''),
})

const isVisible = (ctx: Ctx, row: store.NamedApproval): boolean => {
  const { userId, agentId } = visible(ctx)
  return (userId === null || row.user_id === userId) && (agentId === undefined || row.agent_id === agentId)
}

const describe = (row: store.NamedApproval, now: Date): Approval => ({
  id: row.id,
  agent_id: row.agent_id,
  agent: row.agent,
  status:
    (row.status === 'waiting' || row.status === 'approved') && Date.parse(row.expires_at) <= now.getTime()
      ? 'expired'
      : row.status,
  reason: row.reason,
  objects: row.objects,
  bytes: Number(row.bytes),
  actions: JSON.parse(row.actions),
  requested_at: row.requested_at,
  expires_at: row.expires_at,
  decided_at: row.decided_at,
  decided_by: row.decided_by,
  done_at: row.done_at,
})

/** What agents asked for, latest first. */
export async function listApprovals(
  ctx: Ctx,
  query: {
    limit?: number | undefined
    cursor?: string | undefined
    agent_id?: string | undefined
    status?: Approval['status'] | undefined
  },
) {
  const { limit = 100, cursor, agent_id, status } = query
  const [before] = decodeCursor(cursor, 1) ?? []
  const { userId, agentId } = visible(ctx)
  if (agentId !== undefined && agent_id !== undefined && agent_id !== agentId) return { items: [], next_cursor: null }
  const wanted = { userId, agentId: agentId ?? agent_id, status, before }
  const rows = await store.listApprovals(ctx.db, wanted, { now: ctx.now(), limit: limit + 1 })
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return { items: page.map((row) => describe(row, ctx.now())), next_cursor }
}

/** One of them. Throws not_found. */
export async function getApproval(ctx: Ctx, id: string): Promise<Approval> {
  const row = await store.findApproval(ctx.db, id)
  if (!row || !isVisible(ctx, row)) throw missing()
  return describe(row, ctx.now())
}

/**
 * Approves or rejects what an agent asked for: by whoever made the agent, or an administrator. Throws conflict if that was
 * decided already, or is over.
 */
export const decideApproval = (ctx: Ctx, id: string, decision: 'approved' | 'rejected'): Promise<Approval> =>
  ctx.act(async ({ tx, record, now }) => {
    const row = await store.lockApproval(tx, id)
    if (!row || !isVisible(ctx, row)) throw missing()
    const { status } = describe(row, now())
    if (status !== 'waiting') throw new ServiceError('conflict', `The request does not wait: it is ${status}.`)
    const change = {
      status: decision,
      decided_at: now().toISOString(),
      decided_by: ctx.actor.user_id,
      expires_at: new Date(now().getTime() + HOLDS_MS).toISOString(),
    }
    await store.updateApproval(tx, id, change)
    const { agent_id, agent, reason, objects, bytes } = row
    record({
      name: decision === 'approved' ? 'approval_approve' : 'approval_reject',
      resource: { type: 'approval', id },
      details: { approval_id: id, agent_id, agent, reason, objects, bytes: Number(bytes) },
    })
    return describe({ ...row, ...change }, now())
  })

/** Deletes what was over a month ago. */
export const forgetApprovals = {
  name: 'approval-expiry',
  every: HOUR_MS,
  deletesByAge: true as const,
  run: (ctx: Ctx): Promise<void> =>
    ctx.upkeep(({ tx }) => store.deleteOver(tx, new Date(ctx.now().getTime() - FORGOTTEN_MS))),
}
