import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { systemActor } from '../../access/actors.ts'
import type { Ctx, Step } from '../../context.ts'
import { configureStep } from '../../storage/buckets/documents/config.ts'
import { isNarrow, type LifecycleRule } from '../../storage/buckets/documents/lifecycle.ts'
import { changeStep, createStep, deleteStep } from './change.ts'
import { allowOnAll, noPolicy, type PolicyText, textOf } from './rule.ts'
import * as store from './store.ts'

/**
 * Replaces a bucket's lifecycle configuration, or with null takes it away. Each enabled rule that expires objects is
 * carried out by a policy, of which the caller becomes the author. Needs `policy` and `delete` on the whole bucket: what
 * others put is replaced too. Throws not_found.
 */
export async function setLifecycle(ctx: Ctx, bucket: string, rules: readonly LifecycleRule[] | null): Promise<void> {
  allowOnAll(ctx.actor.groups, ['policy', 'delete'], { bucket_patterns: [bucket], prefix: '' })
  await ctx.act(async (step) => {
    const changed = await lifecycleStep(step, bucket, rules)
    return changed ? undefined : step.nothing(undefined)
  })
}

/** Step: the same; the caller's rights were checked before. False if there was nothing to do. */
export async function lifecycleStep(
  step: Step,
  bucket: string,
  rules: readonly LifecycleRule[] | null,
): Promise<boolean> {
  const { bucket_id, changed } = await configureStep(step, bucket, 'lifecycle', rules)
  const wanted = new Map<string, PolicyText>()
  for (const rule of rules ?? []) {
    const text = policyOf(rule, { id: bucket_id, name: bucket })
    if (text) wanted.set(rule.id, text)
  }
  const hasReplaced = await replacePolicies(step, bucket_id, wanted)
  return changed || hasReplaced
}

/** Step: makes a bucket's lifecycle policies those of the given rules. False if they already are. */
async function replacePolicies(step: Step, bucket_id: string, wanted: ReadonlyMap<string, PolicyText>) {
  const rows = await store.lockLifecycle(step.tx, bucket_id)
  let changed = false
  for (const row of rows) {
    const text = wanted.get(row.lifecycle_rule ?? '')
    if (text && row.author_id === step.actor.user_id && isDeepStrictEqual(textOf(row), text)) continue
    changed = true
    if (text) await changeStep(step, row, text)
    else await deleteStep(step, row, 'The rule was taken out of the lifecycle configuration.')
  }
  const known = new Set(rows.map(({ lifecycle_rule }) => lifecycle_rule))
  for (const [lifecycle_rule, text] of wanted) {
    if (known.has(lifecycle_rule)) continue
    changed = true
    await createStep(step, text, { bucket_id, lifecycle_rule })
  }
  return changed
}

/** The policy that carries out a rule; undefined for one that deletes neither objects nor versions. */
function policyOf(rule: LifecycleRule, bucket: { id: string; name: string }): PolicyText | undefined {
  const { id, enabled, filter, expiration, noncurrent } = rule
  const older_than_days = expiration && 'days' in expiration ? expiration.days : null
  const date = expiration && 'date' in expiration ? expiration.date : null
  const isOfMarkers = expiration !== undefined && 'expired_delete_marker' in expiration
  const expires = isOfMarkers ? expiration.expired_delete_marker : expiration !== undefined
  if (!enabled || (!expires && !noncurrent)) return undefined
  // S3 counts days and dates for markers too, but they have neither tags nor a size.
  const expired_markers = expires && (isOfMarkers || !isNarrow(filter))
  return {
    ...noPolicy,
    name: `${bucket.name}: ${id}`,
    bucket_patterns: [bucket.name],
    prefix: filter.prefix ?? '',
    older_than_days,
    date,
    noncurrent_days: noncurrent?.days ?? null,
    keep_versions: noncurrent?.newer ?? null,
    expired_markers,
    min_size: filter.greater_than === undefined ? null : filter.greater_than + 1,
    max_size: filter.less_than === undefined ? null : filter.less_than - 1,
    tags: filter.tags ?? null,
    cron: `${minuteOf(`${bucket.id} ${id}`)} 0 * * *`,
  }
}

/** A minute of the hour, the same for the same text, so that not all policies start at midnight. */
const minuteOf = (text: string): number => createHash('sha256').update(text).digest().readUInt16BE(0) % 60

/** Deletes the lifecycle policies of buckets that are gone. */
export async function deleteOrphans(ctx: Ctx): Promise<void> {
  const system = ctx.as(systemActor)
  for (const { id } of await store.findOrphans(ctx.db, ORPHANS_AT_ONCE))
    await system.act(async (step) => {
      const row = await store.lockPolicy(step.tx, id)
      return row ? deleteStep(step, row, 'The bucket was deleted.') : step.nothing(undefined)
    })
}
const ORPHANS_AT_ONCE = 100
