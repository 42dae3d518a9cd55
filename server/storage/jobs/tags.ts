// What becomes of the tags of a job's objects.
import { ServiceError } from '../../../contract/errors.ts'
import type { TagChange } from '../../../contract/jobs.ts'
import { MOST_TAGS, type Tags } from '../../../contract/shapes.ts'
import { invalid } from '../../base/invalid.ts'
import { denial, refusal, refusalBefore, type Step } from '../../context.ts'
import { writing } from '../../iam/names-of-rights.ts'
import type { HeldBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { lockCurrent, tagAllCurrent } from '../objects/current.ts'
import { textUnlessEmpty, versionOf, withTags } from '../objects/describe.ts'
import { type ItemError, itemError } from '../objects/item-error.ts'
import { type KnownStates, unchangedSince } from '../objects/object-state.ts'
import type { ObjectRow } from '../objects/store.ts'
import { holdSource } from './held.ts'
import type { CreateJob } from './request.ts'

/** Throws invalid_request for a change that says nothing, or two things of one tag. */
export function assertTagChange(change: TagChange | undefined): asserts change is TagChange {
  const { add, remove, replace } = change ?? {}
  if (!add && !remove && !replace) throw invalid('body.tags', 'must have add, remove or replace')
  if (replace && (add || remove)) throw invalid('body.tags.replace', 'cannot be combined with add or remove')
  const both = remove?.find((name) => add && Object.hasOwn(add, name))
  if (both !== undefined) throw invalid('body.tags.remove', `has "${both}", which is added`)
}

/** The tags that an object gets which has these. */
function tagsAfter(before: Tags, { add, remove = [], replace }: TagChange): Tags {
  if (replace) return replace
  const left = Object.entries(before).filter(([name]) => !remove.includes(name))
  return { ...Object.fromEntries(left), ...add }
}

const isSame = (a: Tags, b: Tags): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, value]) => Object.hasOwn(b, name) && b[name] === value)

const tooMany = (key: string): ItemError => ({
  key,
  code: 'invalid_request',
  detail: `The object "${key}" would have more than ${MOST_TAGS} tags.`,
})

/**
 * Step: changes the tags of these objects, and records each that did not have them already. What has changed since it was seen,
 * may not be tagged or would have too many tags is left alone and gets an error.
 */
export async function tagStep(
  step: Step,
  request: CreateJob,
  keys: readonly string[],
  { job_id, seen }: { job_id: string; seen: KnownStates },
): Promise<{ done: number; errors: ItemError[]; isUnchanged: boolean }> {
  const { tx, actor } = step
  const bucket = await holdSource(tx, request, 'read')
  const errors: ItemError[] = []
  const allowed = keys.filter((key) => {
    const refused = refusalBefore(actor, 'write', bucket.name, key)
    if (refused) errors.push(itemError(key, refused))
    return !refused
  })
  await lockKeys(tx, [bucket, allowed])
  const there = await lockCurrent(tx, bucket.id, allowed)
  const found = new Set(there.map(({ key }) => key))
  for (const key of allowed) if (!found.has(key)) errors.push(itemError(key, objectMissing(bucket, key)))
  const { rows, changed } = unchangedSince(there, seen)
  errors.push(...changed)
  const turned = new Map<string | null, string[]>()
  let done = 0
  for (const row of rows) {
    const before: Tags = row.tags === null ? {} : JSON.parse(row.tags)
    const after = tagsAfter(before, request.tags ?? {})
    const refused = refusalOf(step, bucket, row)
    if (refused) errors.push(itemError(row.key, refused))
    else if (Object.keys(after).length > MOST_TAGS) errors.push(tooMany(row.key))
    else {
      done++
      if (isSame(before, after)) continue
      const text = textUnlessEmpty(after)
      const alike = turned.get(text)
      if (alike) alike.push(row.key)
      else turned.set(text, [row.key])
      const details = { before: { tags: before }, after: { tags: after }, ...versionOf(bucket.versioning, row), job_id }
      step.record({ name: 'update_object', bucket: bucket.name, key: row.key, details })
    }
  }
  for (const [tags, those] of turned) step.awaitAtCommit(tagAllCurrent(tx, { bucketId: bucket.id, keys: those }, tags))
  return { done, errors, isUnchanged: turned.size === 0 }
}

const refusalOf = ({ actor }: Step, { name }: HeldBucket, row: ObjectRow): ServiceError | null =>
  denial(actor, writing('PutObjectTagging'), name, withTags(row)) ?? refusal(actor, 'write', name, withTags(row))

const objectMissing = ({ name }: HeldBucket, key: string): ServiceError =>
  new ServiceError('not_found', `There is no object "${key}" in bucket "${name}".`)
