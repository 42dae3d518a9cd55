// The sessions of temporary credentials, as administrators see and end them.

import { ServiceError } from '../../../contract/errors.ts'
import type { MachineSession } from '../../../contract/machine-sessions.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import type { Ctx } from '../../context.ts'
import { GROUPS_ROLE } from '../roles/arn.ts'
import { findRole } from '../roles/service.ts'
import { revokeSessions } from '../session-ends/revoke.ts'
import * as store from './store.ts'

/** Live sessions, latest first. */
export async function listMachineSessions(
  ctx: Ctx,
  { limit = 100, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: MachineSession[]; next_cursor: string | null }> {
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listSessions(ctx.db, { now: ctx.now(), before, limit: limit + 1 })
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return { items: page.map(describe), next_cursor }
}

const describe = ({ kind, role_name, issuer_key, ...row }: store.ListedSession): MachineSession => ({
  ...row,
  role: kind === 'groups' ? GROUPS_ROLE : role_name,
  provider: issuer_key,
})

/** Which sessions are to end, as administrators name them. */
export interface NamedSessions {
  id?: string | undefined
  role?: string | undefined
  user_id?: string | undefined
  provider?: string | undefined
  before?: string | undefined
}

/** Ends sessions; returns how many. Throws not_found for a role that there is none of. */
export async function endMachineSessions(ctx: Ctx, named: NamedSessions): Promise<{ sessions: number }> {
  const { id, role: name, user_id, provider: issuerKey, before } = named
  const role = name === undefined ? undefined : await findRole(ctx, name)
  if (name !== undefined && !role) throw new ServiceError('not_found', 'No such role.')
  const until = before === undefined ? undefined : new Date(before).toISOString()
  return { sessions: await revokeSessions(ctx, { id, role, user_id, issuerKey, before: until }) }
}
