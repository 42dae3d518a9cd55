import type { BucketAction } from '../../../contract/permissions.ts'
import type { Ctx } from '../../context.ts'
import { permits } from '../../iam/decide.ts'
import type { ShareRow } from './store.ts'

/** The permissions that whoever creates a link needs on all of its target. */
export const rightsToShare = (kind: ShareRow['kind']): readonly BucketAction[] => [
  'share',
  kind === 'upload' ? 'write' : 'read',
]

/** The keys or prefixes that a link is for. */
export const targetsOf = ({ kind, target }: ShareRow): string[] =>
  kind === 'selection' ? (JSON.parse(target) as string[]) : [target]

/**
 * Whether a link is the caller's; with a token that has a scope, one of theirs that they could create with it, and for an agent,
 * one that it created.
 */
export const isShareOwner = ({ actor }: Pick<Ctx, 'actor'>, row: ShareRow): boolean =>
  row.created_by === actor.user_id &&
  (actor.agent === undefined || row.agent_id === actor.agent.id) &&
  (actor.scope === undefined ||
    rightsToShare(row.kind).every((right) => targetsOf(row).every((key) => permits(actor, right, row.bucket, key))))
