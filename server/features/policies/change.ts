import { newId } from '../../base/id.ts'
import type { Step } from '../../context.ts'
import { finishStep } from './finish.ts'
import { nextRun } from './moment.ts'
import { type PolicyText, textOf } from './rule.ts'
import * as store from './store.ts'

const columnsOf = (text: PolicyText, now: Date, disabledAt: string | null) => ({
  name: text.name,
  bucket_patterns: JSON.stringify(text.bucket_patterns),
  prefix: text.prefix,
  glob: text.glob,
  older_than_days: text.older_than_days,
  min_size: text.min_size,
  max_size: text.max_size,
  tags: text.tags === null ? null : JSON.stringify(text.tags),
  date: text.date,
  keep_newest: text.keep_newest,
  noncurrent_days: text.noncurrent_days,
  keep_versions: text.keep_versions,
  expired_markers: text.expired_markers ? (1 as const) : null,
  keep_snapshots: text.keep_snapshots,
  max_deletes: text.max_deletes,
  max_delete_percent: text.max_delete_percent,
  cron: text.cron,
  timezone: text.timezone,
  disabled_at: text.enabled ? null : (disabledAt ?? now.toISOString()),
})
const firstTime = (step: Step, { enabled, cron, timezone }: PolicyText, { bucket_id }: Origin): string | null =>
  enabled ? (nextRun(step, { cron, timezone, bucket_id }, step.now())?.toISOString() ?? null) : null

/** The lifecycle rule that a policy carries out. */
type Origin = Pick<store.PolicyRow, 'bucket_id' | 'lifecycle_rule'>

/** Step: creates a policy, of which the actor becomes the author. */
export async function createStep(
  step: Step,
  text: PolicyText,
  origin: Origin = { bucket_id: null, lifecycle_rule: null },
): Promise<store.PolicyRow> {
  const { tx, record, actor, now } = step
  const at = now()
  const row: store.PolicyRow = {
    id: newId(),
    ...columnsOf(text, at, null),
    next_run_at: firstTime(step, text, origin),
    revision: 1,
    author_id: actor.user_id ?? '',
    author_email: actor.email,
    created_by: actor.user_id ?? '',
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    deleted_at: null,
    ...origin,
  }
  await store.insertPolicy(tx, row)
  const { name, ...rule } = text
  record({ name: 'policy_create', resource: { type: 'policy', id: row.id }, details: { name, rule } })
  return row
}

/** Step: changes a locked policy, of which the actor becomes the author. A run in progress stops. */
export async function changeStep(step: Step, row: store.PolicyRow, after: PolicyText): Promise<void> {
  const { tx, record, actor, now } = step
  const at = now()
  const before = textOf(row)
  const sameTimes = before.enabled === after.enabled && before.cron === after.cron && before.timezone === after.timezone
  await store.updatePolicy(tx, row.id, {
    ...columnsOf(after, at, row.disabled_at),
    // If the schedule is unchanged, a missed time still counts.
    next_run_at: sameTimes ? row.next_run_at : firstTime(step, after, row),
    revision: row.revision + 1,
    author_id: actor.user_id ?? '',
    author_email: actor.email,
    updated_at: at.toISOString(),
  })
  record({
    name: 'policy_update',
    resource: { type: 'policy', id: row.id },
    details: {
      name: after.name,
      before: { ...before, author_id: row.author_id },
      after: { ...after, author_id: actor.user_id },
    },
  })
}

/** Step: deletes a locked policy, and ends its unfinished run for a reason. */
export async function deleteStep(step: Step, row: store.PolicyRow, reason: string): Promise<void> {
  const { tx, record, now } = step
  const run = await store.lockActiveRun(tx, row.id)
  if (run) await finishStep(step, run, row.name, { status: 'cancelled', reason })
  const deleted_at = now().toISOString()
  await store.updatePolicy(tx, row.id, { deleted_at, next_run_at: null, revision: row.revision + 1 })
  const { name, ...rule } = textOf(row)
  record({ name: 'policy_delete', resource: { type: 'policy', id: row.id }, details: { name, rule } })
}
