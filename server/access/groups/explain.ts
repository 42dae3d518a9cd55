// Why someone may do something, or may not.
import { ServiceError } from '../../../contract/errors.ts'
import type { BucketAction } from '../../../contract/names.ts'
import { mayManageUsers, reasons } from '../../../contract/permissions.ts'
import type { Ctx } from '../../context.ts'
import type { StatementOf } from '../../iam/asker.ts'
import { type Ruling, rule } from '../../iam/decide.ts'
import { systemActor } from '../actors.ts'
import { actorOfUser } from '../sessions/service.ts'
import { describeGrant } from './describe.ts'
import { grantingGroupsOf } from './service.ts'
import * as store from './store.ts'

/** Whether a user (default: the caller) may do something, and every grant that allows it. */
export async function explainPermission(
  ctx: Ctx,
  query: { user_id?: string | undefined; action: BucketAction; bucket: string; key?: string | undefined },
) {
  const { user_id = ctx.actor.user_id ?? '', action, bucket, key = '' } = query
  if (user_id !== ctx.actor.user_id && !mayManageUsers(ctx.actor.groups))
    throw new ServiceError('forbidden', 'You need the "users.manage" permission to check other users.')
  const [user] = await store.findExistingUsers(ctx.db, [user_id])
  if (!user) throw new ServiceError('not_found', 'No such user.')
  const groups = await grantingGroupsOf(ctx.db, user_id)
  const grants = new Map(groups.flatMap((group) => group.grants.map((grant) => [grant.id, grant] as const)))
  const found = user.disabled_at === null ? reasons(groups, action, bucket, key) : []
  const own = user_id === ctx.actor.user_id
  const actor = await actorOfUser(own ? ctx : { ...ctx, actor: systemActor }, user_id, null)
  const ruling = actor && rule(actor, action, bucket, key)
  const decided = ruling && statementIn(ruling)
  const via = [...found].map(({ group_id, group, grant_id }) => {
    const grant = grant_id === null ? undefined : grants.get(grant_id)
    return { group_id, group, grant: grant ? describeGrant(grant) : null }
  })
  const where = key === '' ? `bucket "${bucket}"` : `key "${key}" of bucket "${bucket}"`
  const names = [...new Set(via.map(({ group }) => `"${group}"`))].join(', ')
  const allowed = ruling?.allowed ?? false
  const reason = decided
    ? `"${action}" on ${where} is ${allowed ? 'allowed' : 'denied'} by statement ${named(decided)} of the policy of ${decided.of === 'bucket' ? `bucket "${bucket}"` : `the user`}.`
    : allowed
      ? `"${action}" on ${where} is allowed through ${names}.`
      : user.disabled_at !== null
        ? 'The user is disabled.'
        : groups.length === 0
          ? `"${action}" on ${where} is not allowed: the user is in no group.`
          : `No group of the user grants "${action}" on ${where}.`
  return { allowed, reason, via, statement: decided ? describeStatement(decided) : null }
}

/** The statement of a policy that decided; undefined where grants did. */
function statementIn(ruling: Ruling): StatementOf | undefined {
  if (!ruling.allowed) return ruling.denied
  return 'statement' in ruling.via ? ruling.via : undefined
}

const describeStatement = ({ of, statement }: StatementOf) => ({
  policy_of: of,
  sid: statement.sid,
  index: statement.index,
  effect: statement.effect,
})

/** How a statement is called: by its name, or by its place. */
const named = ({ statement: { sid, index } }: StatementOf): string => (sid ? `"${sid}"` : String(index + 1))
