import { ServiceError } from '../../../contract/errors.ts'
import type { Policy } from '../../../contract/policies.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx, Step } from '../../context.ts'
import { permits } from '../../iam/decide.ts'
import { changeStep, createStep, deleteStep } from './change.ts'
import { versionOf } from './items.ts'
import { findMatches } from './match.ts'
import { type Excluded, type Match, nothingExcluded } from './match-step.ts'
import {
  allowOnAll,
  assertMayManagePolicy,
  complete,
  type Given,
  guardRail,
  mayManagePolicy,
  type PolicyText,
  rightOf,
  ruleOf,
  textOf,
} from './rule.ts'
import { getVisible, policyMissing, summariseRun } from './runs.ts'
import { nextTime } from './schedule.ts'
import * as store from './store.ts'

const SCAN = 500
const PREVIEW_OBJECTS = 100_000
const SAMPLE = 100
const NEXT_RUNS = 5

/** Creates a policy. The caller becomes its author and needs `policy` on everything it reaches. */
export async function createPolicy(ctx: Ctx, given: Given): Promise<Policy> {
  const text = complete(given, undefined, ctx.now())
  assertMayManagePolicy(ctx.actor, text)
  return ctx.act(async (step) => describe(await createStep(step, text), undefined))
}

/** Policies that the caller may change, latest first. */
export async function listPolicies(ctx: Ctx, limit: number, cursor: string | undefined) {
  let [before] = decodeCursor(cursor, 1) ?? []
  const found: store.PolicyRow[] = []
  for (;;) {
    const rows = await store.listPolicies(ctx.db, before, SCAN)
    found.push(...rows.filter((row) => mayManagePolicy(ctx.actor, ruleOf(row))))
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
export async function updatePolicy(ctx: Ctx, id: string, change: Given): Promise<Policy> {
  await getVisible(ctx, id)
  await ctx.act(async (step) => {
    const row = await lockOwn(ctx, step, id)
    const after = complete(change, textOf(row), ctx.now())
    assertMayManagePolicy(ctx.actor, after)
    await changeStep(step, row, after)
  })
  return getPolicy(ctx, id)
}

/** Deletes a policy; the same action records its unfinished run as cancelled. */
export async function deletePolicy(ctx: Ctx, id: string): Promise<undefined> {
  await getVisible(ctx, id)
  await ctx.act(async (step) => deleteStep(step, await lockOwn(ctx, step, id), 'The policy was deleted.'))
}

/** Step: a policy that the caller may change here; throws not_found, or conflict if a lifecycle rule decides. */
async function lockOwn(ctx: Ctx, { tx }: Step, id: string): Promise<store.PolicyRow> {
  const row = await store.lockPolicy(tx, id)
  if (!row || !mayManagePolicy(ctx.actor, ruleOf(row))) throw policyMissing()
  if (row.lifecycle_rule === null) return row
  throw new ServiceError(
    'conflict',
    "The policy carries out a rule of its bucket's S3 lifecycle configuration. Change it there, with an S3 client.",
  )
}

/** What a policy would delete now. Examines at most 100,000 objects and lists those that the caller may list. */
export async function previewPolicy(ctx: Ctx, given: Given) {
  const cutoff = ctx.now()
  const text = complete(given, undefined, cutoff)
  allowOnAll(ctx.actor.groups, ['policy', rightOf(text)], text)
  const sum = { examined: 0, matched: 0, bytes: 0 }
  const excluded = nothingExcluded()
  const objects: (Pick<Match, 'bucket' | 'key' | 'size' | 'last_modified'> & ReturnType<typeof versionOf>)[] = []
  let oldest: string | null = null
  let newest: string | null = null
  let whole = true
  for await (const step of findMatches(ctx.db, text, { cutoff, day: DAY_MS })) {
    sum.examined += step.examined
    sum.matched += step.matches.length
    for (const name of Object.keys(excluded) as (keyof Excluded)[]) excluded[name] += step.excluded[name]
    for (const one of step.matches) {
      sum.bytes += one.size
      if (oldest === null || one.last_modified < oldest) oldest = one.last_modified
      if (newest === null || one.last_modified > newest) newest = one.last_modified
      const { bucket, key, size, last_modified } = one
      if (objects.length < SAMPLE && permits(ctx.actor, 'list', bucket, key))
        objects.push({ bucket, key, size, last_modified, ...versionOf(one) })
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
    lifecycle:
      row.lifecycle_rule === null
        ? null
        : { bucket: ruleOf(row).bucket_patterns[0] ?? '', rule_id: row.lifecycle_rule },
  }
}
