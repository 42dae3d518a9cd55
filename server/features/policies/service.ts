import { decide } from '../../../contract/permissions.ts'
import type { Policy } from '../../../contract/policies.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import type { Ctx } from '../../context.ts'
import type { NewRow } from '../../db/schema.ts'
import { finishStep } from './finish.ts'
import { findMatches, type Match, type Step } from './match.ts'
import { allowOnAll, complete, guardRail, hasOnAll, type PolicyText, ruleOf, textOf } from './rule.ts'
import { getVisible, policyMissing, summariseRun } from './runs.ts'
import { nextTime } from './schedule.ts'
import * as store from './store.ts'

const SCAN = 500
const PREVIEW_OBJECTS = 100_000
const SAMPLE = 100
const NEXT_RUNS = 5

type PolicyInput = { [K in keyof PolicyText]?: PolicyText[K] | undefined }

const columnsOf = (text: PolicyText, now: Date, disabledAt: string | null) => ({
  name: text.name,
  bucket_patterns: JSON.stringify(text.bucket_patterns),
  prefix: text.prefix,
  glob: text.glob,
  older_than_days: text.older_than_days,
  min_size: text.min_size,
  keep_newest: text.keep_newest,
  max_deletes: text.max_deletes,
  max_delete_percent: text.max_delete_percent,
  cron: text.cron,
  timezone: text.timezone,
  disabled_at: text.enabled ? null : (disabledAt ?? now.toISOString()),
})
const firstTime = ({ enabled, cron, timezone }: PolicyText, now: Date): string | null =>
  enabled && cron !== null ? (nextTime(cron, timezone, now)?.toISOString() ?? null) : null

/** Creates a policy. The caller becomes its author and needs `policy` on everything it reaches. */
export async function createPolicy(ctx: Ctx, given: PolicyInput): Promise<Policy> {
  const now = ctx.now()
  const text = complete(given, undefined, now)
  allowOnAll(ctx.actor.groups, ['policy'], text)
  const row: NewRow<'policies'> & store.PolicyRow = {
    id: newId(),
    ...columnsOf(text, now, null),
    next_run_at: firstTime(text, now),
    revision: 1,
    author_id: ctx.actor.user_id ?? '',
    author_email: ctx.actor.email,
    created_by: ctx.actor.user_id ?? '',
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    deleted_at: null,
  }
  return ctx.act(async ({ tx, record }) => {
    await store.insertPolicy(tx, row)
    const { name, ...rule } = text
    record({ name: 'policy_create', resource: { type: 'policy', id: row.id }, details: { name, rule } })
    return describe(row, undefined)
  })
}

/** Policies that the caller may change, latest first. */
export async function listPolicies(ctx: Ctx, limit: number, cursor: string | undefined) {
  let [before] = decodeCursor(cursor, 1) ?? []
  const found: store.PolicyRow[] = []
  for (;;) {
    const rows = await store.listPolicies(ctx.db, before, SCAN)
    found.push(...rows.filter((row) => hasOnAll(ctx.actor.groups, 'policy', ruleOf(row))))
    before = rows.at(-1)?.id
    if (rows.length < SCAN || found.length > limit) break
  }
  const { page, next_cursor } = pageOf(found, limit, ({ id }) => [id])
  const last = await store.findLastRuns(
    ctx.db,
    page.map(({ id }) => id),
  )
  return {
    items: page.map((row) => describe(row, last.get(row.id))),
    next_cursor,
  }
}

export async function getPolicy(ctx: Ctx, id: string): Promise<Policy> {
  const row = await getVisible(ctx, id)
  return describe(row, (await store.findLastRuns(ctx.db, [id])).get(id))
}

/** Changes a policy; needs `policy` on what it reached before and will reach. The caller becomes its author. */
export async function updatePolicy(ctx: Ctx, id: string, change: PolicyInput): Promise<Policy> {
  await getVisible(ctx, id)
  const now = ctx.now()
  await ctx.act(async ({ tx, record }) => {
    const row = await store.lockPolicy(tx, id)
    if (!row || !hasOnAll(ctx.actor.groups, 'policy', ruleOf(row))) throw policyMissing()
    const before = textOf(row)
    const after = complete(change, before, now)
    allowOnAll(ctx.actor.groups, ['policy'], after)
    const sameTimes =
      before.enabled === after.enabled && before.cron === after.cron && before.timezone === after.timezone
    await store.updatePolicy(tx, id, {
      ...columnsOf(after, now, row.disabled_at),
      // If the schedule is unchanged, a missed time still counts.
      next_run_at: sameTimes ? row.next_run_at : firstTime(after, now),
      revision: row.revision + 1,
      author_id: ctx.actor.user_id ?? '',
      author_email: ctx.actor.email,
      updated_at: now.toISOString(),
    })
    record({
      name: 'policy_update',
      resource: { type: 'policy', id },
      details: {
        name: after.name,
        before: { ...before, author_id: row.author_id },
        after: { ...after, author_id: ctx.actor.user_id },
      },
    })
  })
  return getPolicy(ctx, id)
}

/** Deletes a policy; the same action records its unfinished run as cancelled. */
export async function deletePolicy(ctx: Ctx, id: string): Promise<undefined> {
  await getVisible(ctx, id)
  await ctx.act(async (step) => {
    const { tx, record } = step
    const row = await store.lockPolicy(tx, id)
    if (!row || !hasOnAll(ctx.actor.groups, 'policy', ruleOf(row))) throw policyMissing()
    const run = await store.lockActiveRun(tx, id)
    if (run) await finishStep(step, run, row.name, { status: 'cancelled', reason: 'The policy was deleted.' })
    const deleted_at = ctx.now().toISOString()
    await store.updatePolicy(tx, id, { deleted_at, next_run_at: null, revision: row.revision + 1 })
    const { name, ...rule } = textOf(row)
    record({ name: 'policy_delete', resource: { type: 'policy', id }, details: { name, rule } })
  })
}

/** What a policy would delete now. Examines at most 100,000 objects and lists those that the caller may list. */
export async function previewPolicy(ctx: Ctx, given: PolicyInput) {
  const cutoff = ctx.now()
  const text = complete(given, undefined, cutoff)
  allowOnAll(ctx.actor.groups, ['policy', 'delete'], text)
  const sum = { examined: 0, matched: 0, bytes: 0 }
  const excluded: Step['excluded'] = { glob: 0, min_size: 0, keep_newest: 0, older_than_days: 0 }
  const objects: Pick<Match, 'bucket' | 'key' | 'size' | 'last_modified'>[] = []
  let oldest: string | null = null
  let newest: string | null = null
  let whole = true
  for await (const step of findMatches(ctx.db, text, cutoff)) {
    sum.examined += step.examined
    sum.matched += step.matches.length
    for (const name of Object.keys(excluded) as (keyof typeof excluded)[]) excluded[name] += step.excluded[name]
    for (const one of step.matches) {
      sum.bytes += one.size
      if (oldest === null || one.last_modified < oldest) oldest = one.last_modified
      if (newest === null || one.last_modified > newest) newest = one.last_modified
      const { bucket, key, size, last_modified } = one
      if (objects.length < SAMPLE && decide(ctx.actor.groups, 'list', bucket, key).allowed)
        objects.push({ bucket, key, size, last_modified })
    }
    if (sum.examined >= PREVIEW_OBJECTS || ctx.stopping.aborted) {
      whole = false
      break
    }
  }
  return {
    cutoff: cutoff.toISOString(),
    complete: whole,
    ...sum,
    oldest,
    newest,
    excluded,
    sample: objects.map(({ key }) => key),
    objects,
    would_stop: guardRail(text, sum),
    next_runs: nextTimes(text, cutoff),
  }
}

function nextTimes({ cron, timezone }: PolicyText, now: Date): string[] {
  const times: string[] = []
  for (let at: Date | null = now; cron !== null && at && times.length < NEXT_RUNS; ) {
    at = nextTime(cron, timezone, at)
    if (at) times.push(at.toISOString())
  }
  return times
}

function describe(row: store.PolicyRow, lastRun: store.RunRow | undefined): Policy {
  return {
    id: row.id,
    ...textOf(row),
    bucket_patterns: [...textOf(row).bucket_patterns],
    next_run_at: row.next_run_at,
    last_run: lastRun ? summariseRun(lastRun) : null,
    author_id: row.author_id,
    author_email: row.author_email,
    created_by: row.created_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
