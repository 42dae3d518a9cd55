import { afterKey, afterPrefix } from '../../../contract/permissions.ts'
import { reachesObjects } from '../../../contract/reach.ts'
import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { isExternal } from '../../drivers/routing/ids.ts'
import { isFrozen } from '../../drivers/routing/store.ts'
import { getObject } from '../../storage/objects/service.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import * as itemStore from './items.ts'
import type { Moment } from './match-step.ts'
import { dayOf, dueOf, momentOf, nextRun } from './moment.ts'
import { conditionsAt, dueAt, folderOf, isNewer, type Rule, reachesBucket, ruleOf } from './rule.ts'
import * as store from './store.ts'

const PAGE = 1000

/** Which policies will delete an object that the caller may read, when and why. */
export async function explainPolicies(ctx: Ctx, bucket: string, key: string) {
  const object = await getObject(ctx, bucket, key)
  // Policies do not reach what others keep.
  if (isExternal(object.blob_id) && !(await isFrozen(ctx.db, object.blob_id))) return { items: [] }
  const now = ctx.now()
  const items = []
  for (let before: string | undefined; ; ) {
    const rows = await store.listPolicies(ctx.db, before, PAGE)
    for (const row of rows) {
      const rule = ruleOf(row)
      const day = dayOf(ctx, row)
      const { unlike, early } = conditionsAt(rule, momentOf(ctx, row, now), day)
      const reached =
        reachesObjects(rule) &&
        reachesBucket({ ...rule, bucket_id: row.bucket_id }, { id: object.bucket_id, name: bucket })
      if (!reached || !key.startsWith(rule.prefix) || unlike(object) !== null) continue
      const stays = rule.keep_newest !== null && (await isAmongNewest(ctx.db, rule, object, { cutoff: now, day }))
      const due = stays ? null : dueOf(ctx, row, dueAt(rule, object, day))
      items.push({
        policy_id: row.id,
        name: row.name,
        enabled: row.disabled_at === null,
        matches_now: !stays && early(object) === null,
        matches_at: due?.toISOString() ?? null,
        next_run_at: row.next_run_at,
        deletes_at: due === null ? null : deletesAt(ctx, row, due),
        reason: reasonOf(rule, bucket, stays),
      })
    }
    before = rows.at(-1)?.id
    if (rows.length < PAGE) return { items }
  }
}

/** Whether the object is among the newest keep_newest of its folder, of those that the rule selects. */
async function isAmongNewest(db: Db, rule: Rule, object: ObjectRow, at: Moment): Promise<boolean> {
  const { unlike } = conditionsAt(rule, at.cutoff, at.day)
  const moment = at.cutoff.toISOString()
  const folder = folderOf(object.key)
  const start = rule.prefix.startsWith(folder) ? rule.prefix : folder
  const filter = { bucketId: object.bucket_id, folder, since: object.last_modified, minSize: rule.min_size ?? 0 }
  let newer = 0
  for (let from = start; ; ) {
    const rows = await itemStore.listRecent(db, filter, { from, to: afterPrefix(start) }, PAGE)
    for (const row of rows) if (row.last_modified <= moment && unlike(row) === null && isNewer(row, object)) newer++
    if (newer >= (rule.keep_newest ?? 0)) return false
    const last = rows.at(-1)
    if (rows.length < PAGE || !last) return true
    from = afterKey(last.key)
  }
}

function deletesAt(ctx: Ctx, row: store.PolicyRow, due: Date): string | null {
  const { next_run_at } = row
  if (next_run_at === null) return null
  if (Date.parse(next_run_at) >= due.getTime()) return next_run_at
  // A missed run is made up for, and then deletes what has become old enough by that time.
  const now = ctx.now()
  if (Date.parse(next_run_at) <= now.getTime() && due <= now) return next_run_at
  return nextRun(ctx, row, new Date(due.getTime() - 1))?.toISOString() ?? null
}

function reasonOf(rule: Rule, bucket: string, stays: boolean) {
  const { glob, prefix, older_than_days, min_size, max_size, tags, date, keep_newest } = rule
  const parts = [`It is in bucket "${bucket}"${prefix === '' ? '' : ` under "${prefix}"`}`]
  if (glob !== null) parts.push(`matches "${glob}"`)
  if (min_size !== null) parts.push(`has at least ${min_size} bytes`)
  if (max_size !== null) parts.push(`has at most ${max_size} bytes`)
  for (const [name, value] of Object.entries(tags ?? {})) parts.push(`has the tag "${name}" = "${value}"`)
  if (older_than_days !== null) parts.push(`is deleted once it has not changed for ${older_than_days} days`)
  if (date !== null) parts.push(`is deleted from ${date} on`)
  if (keep_newest !== null)
    parts.push(
      stays
        ? `but is kept as one of the newest ${keep_newest} in its folder`
        : `is not one of the newest ${keep_newest} in its folder`,
    )
  return `${parts.join(', ')}.`
}
