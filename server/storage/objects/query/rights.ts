// Who may find an object, and by what: whoever may list it, and not by what a policy forbids them to read.
import type { Term } from '../../../../contract/query.ts'
import type { Actor } from '../../../context.ts'
import type { Asker } from '../../../iam/asker.ts'
import { concerning, permits, rule } from '../../../iam/decide.ts'
import { ACTION_OF, type Asked } from '../../../iam/names-of-rights.ts'
import type { ObjectRow } from '../store.ts'
import type { Traits } from './store.ts'

const READ_TAGS: Asked = { right: 'read', action: 's3:GetObjectTagging', exactly: true }
const READ_METADATA: Asked = { right: 'read', action: 's3:GetObject', exactly: true }

/**
 * Whether an actor may find an object of a bucket by these terms, if it is in the ranges that they may list. What policies say
 * of it is asked for each object.
 */
export function finder(
  actor: Actor,
  bucket: string,
  terms: readonly Term[],
): (traits: Pick<Traits, 'key' | 'tags'>) => boolean {
  if (!actor.policies) return () => true
  const asksList = isConcerned(actor, { right: 'list', action: ACTION_OF.list }, bucket)
  const reads = [
    ...(terms.some(({ field }) => field === 'tag') ? [READ_TAGS] : []),
    ...(terms.some(({ field }) => field === 'meta') ? [READ_METADATA] : []),
  ]
  return (traits) =>
    (!asksList || permits(actor, 'list', bucket, traits.key)) &&
    reads.every((asked) => !isDenied(actor, asked, bucket, traits))
}

/**
 * An object as a caller may know of it who was not asked for each of its parts: without the tags and the metadata that a policy
 * forbids them to read.
 */
export function withoutDenied(actor: Actor, bucket: string): (row: ObjectRow) => ObjectRow {
  if (!actor.policies) return (row) => row
  const [asksTags, asksMetadata] = [READ_TAGS, READ_METADATA].map((asked) => isConcerned(actor, asked, bucket))
  if (!asksTags && !asksMetadata) return (row) => row
  return (row) => ({
    ...row,
    ...(asksTags && row.tags !== null && isDenied(actor, READ_TAGS, bucket, row) ? { tags: null } : {}),
    ...(asksMetadata && row.metadata !== '{}' && isDenied(actor, READ_METADATA, bucket, row) ? { metadata: '{}' } : {}),
  })
}

/** Whether a policy may say something else of this action on one key of a bucket than on another. */
const isConcerned = (asker: Asker, asked: Asked, bucket: string): boolean =>
  asker.policies?.ofSession !== undefined || concerning(asker, asked, bucket).length > 0

/** Whether a policy denies it, or that of the session does not allow it. */
function isDenied(actor: Asker, asked: Asked, bucket: string, traits: Pick<Traits, 'key' | 'tags'>): boolean {
  const ruling = rule(actor, asked, bucket, {
    key: traits.key,
    tags: traits.tags === null ? null : JSON.parse(traits.tags),
  })
  return !ruling.allowed && (ruling.denied !== undefined || ruling.outside === true)
}
