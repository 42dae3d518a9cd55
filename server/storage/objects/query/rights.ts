// Who may find an object, and by what: whoever may list it, and not by what a policy forbids them to read.
import type { Term } from '../../../../contract/query.ts'
import type { Actor } from '../../../context.ts'
import { type Asker, mayBeDenied, permits, rule } from '../../../iam/decide.ts'
import { ACTION_OF, type Asked } from '../../../iam/names-of-rights.ts'
import type { Traits } from './store.ts'

const READ_TAGS: Asked = { right: 'read', action: 's3:GetObjectTagging', exactly: true }
const READ_METADATA: Asked = { right: 'read', action: 's3:GetObject', exactly: true }

/**
 * Whether an actor may find an object of a bucket by these terms, if it is in the ranges that they may list. What policies say
 * of it is asked for each object.
 */
export function finder(actor: Actor, bucket: string, terms: readonly Term[]): (traits: Traits) => boolean {
  if (!actor.policies) return () => true
  const asksList = mayBeDenied(actor, { right: 'list', action: ACTION_OF.list }, bucket)
  const reads = [
    ...(terms.some(({ field }) => field === 'tag') ? [READ_TAGS] : []),
    ...(terms.some(({ field }) => field === 'meta') ? [READ_METADATA] : []),
  ]
  return (traits) =>
    (!asksList || permits(actor, 'list', bucket, traits.key)) &&
    reads.every((asked) => !isDenied(actor, asked, bucket, traits))
}

/** Whether a policy denies it, or that of the session does not allow it. */
function isDenied(actor: Asker, asked: Asked, bucket: string, traits: Traits): boolean {
  const ruling = rule(actor, asked, bucket, {
    key: traits.key,
    tags: traits.tags === null ? null : JSON.parse(traits.tags),
  })
  return !ruling.allowed && (ruling.denied !== undefined || ruling.outside === true)
}
