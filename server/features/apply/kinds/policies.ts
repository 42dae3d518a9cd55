import type { Fault } from '../../../../contract/errors.ts'
import type { Ctx } from '../../../context.ts'
import { complete, noPolicy, textOf } from '../../policies/rule.ts'
import { nextTime } from '../../policies/schedule.ts'
import { createPolicy, deletePolicy, updatePolicy } from '../../policies/service.ts'
import { listOwn, type PolicyRow } from '../../policies/store.ts'
import { type EntryOf, type Existing, faultsOf, type Kind, required, sorted } from '../kind.ts'
import { ambiguous } from './ambiguity.ts'

type Entry = EntryOf<'policies'>

const { name: _name, bucket_patterns: _patterns, tags, ...defaults } = noPolicy

export const policies: Kind<Entry> = {
  kind: 'policies',
  named: 'name',
  sameName: (name) => name,
  fixed: {},
  defaults: { ...defaults, tags },
  normal: ({ bucket_patterns, date, expired_markers, ...entry }) => ({
    ...entry,
    ...(bucket_patterns && { bucket_patterns: sorted(bucket_patterns) }),
    ...(date === undefined ? {} : { date: date && new Date(date).toISOString() }),
    ...(expired_markers === undefined ? {} : { expired_markers: expired_markers ?? false }),
  }),
  async check(ctx, entry, { before }): Promise<Fault[]> {
    const missing = before ? [] : required(entry, 'bucket_patterns')
    if (missing.length > 0) return missing
    return faultsOf(() => complete(entry, before && { ...noPolicy, ...(before.fields as typeof noPolicy) }, ctx.now()))
  },
  async find(ctx, name) {
    const rows = await listOwn(ctx.db, name)
    return ambiguous(rows.map((row) => existing(ctx, row)))
  },
  async *list(ctx) {
    for (const row of await listOwn(ctx.db)) yield existing(ctx, row)
  },
  create: createPolicy,
  effects: (ctx, entry) => firstRun(ctx, entry),
}

function firstRun(ctx: Ctx, { cron = null, timezone = 'UTC', enabled = true }: Partial<Entry>): string[] {
  if (cron === null || !enabled) return ['It deletes nothing until someone runs it.']
  const at = nextTime(cron, timezone, ctx.now())
  return at ? [`It deletes what it matches by itself, first at ${at.toISOString()}. A dry run says what that is.`] : []
}

const existing = (ctx: Ctx, row: PolicyRow): Existing<Entry> => {
  const { bucket_patterns, ...text } = textOf(row)
  const fields = { ...text, bucket_patterns: sorted(bucket_patterns) }
  return {
    name: row.name,
    fields,
    effects: (change) => [
      'You become its author: it runs with your permissions.',
      ...(['cron', 'timezone', 'enabled'].some((field) => field in change)
        ? firstRun(ctx, { ...fields, ...change })
        : []),
    ],
    update: (change) => updatePolicy(ctx, row.id, change),
    removal: async () => ({
      effects: ['It deletes nothing any more. A run in progress ends.'],
      remove: () => deletePolicy(ctx, row.id),
    }),
  }
}
