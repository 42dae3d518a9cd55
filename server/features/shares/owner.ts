import { decide } from '../../../contract/permissions.ts'
import type { Ctx } from '../../context.ts'
import type { ShareRow } from './store.ts'

/** The keys or prefixes that a link is for. */
export const targetsOf = ({ kind, target }: ShareRow): string[] =>
  kind === 'selection' ? (JSON.parse(target) as string[]) : [target]

/** Whether a link is the caller's; with a token that has a scope, one of theirs that they could create with it. */
export const isTheirs = ({ actor }: Pick<Ctx, 'actor'>, row: ShareRow): boolean =>
  row.created_by === actor.user_id &&
  (actor.scope === undefined || targetsOf(row).every((key) => decide(actor.groups, 'share', row.bucket, key).allowed))
