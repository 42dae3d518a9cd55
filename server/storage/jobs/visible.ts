import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Actor, Ctx } from '../../context.ts'
import type { JobActor } from './request.ts'
import * as store from './store.ts'

/** Whose jobs the caller sees: their own, or all as an administrator; with a token that has a scope, what it started. */
export function visibleItems({
  user_id,
  groups,
  scope,
  token_id,
}: Actor): Pick<store.JobFilter, 'createdBy' | 'token'> {
  const createdBy = isAdmin(groups) ? null : user_id
  return scope ? { createdBy, token: token_id ?? '' } : { createdBy }
}

/** A job that the caller sees; throws not_found. */
export async function own(ctx: Ctx, id: string): Promise<store.JobRow> {
  const row = await store.findJob(ctx.db, id)
  const { createdBy, token } = visibleItems(ctx.actor)
  const isSeen = (one: store.JobRow) =>
    (createdBy === null || one.created_by === createdBy) &&
    (token === undefined || (JSON.parse(one.actor) as JobActor).token_id === token)
  if (row && isSeen(row)) return row
  throw new ServiceError('not_found', 'There is no such job.')
}
