import { isDeepStrictEqual } from 'node:util'
import type { operations } from '../../../contract/apply.ts'
import type { Configuration } from '../../../contract/configuration.ts'
import { listedKinds } from '../../../contract/names.ts'
import type { Reply } from '../../../contract/route.ts'
import type { Invitation } from '../../../contract/users.ts'
import { sectionNames } from '../../access/settings/effective.ts'
import type { Ctx } from '../../context.ts'
import { asServiceError } from '../../http/failure.ts'
import type { AnyEntry, Existing, Kind } from './kind.ts'
import { settingsSection } from './kinds/settings.ts'
import { kinds } from './kinds.ts'
import { type Planned, planOf } from './plan.ts'
import { readAsked } from './read.ts'

/**
 * Makes the service have what a configuration names, one change after another, each in a transaction of its own; the first
 * that fails ends it. `body` is not checked yet. Throws invalid_request with all that is wrong with it, before anything is
 * changed.
 */
export async function apply(ctx: Ctx, body: unknown): Promise<Reply<typeof operations.apply>> {
  const asked = await readAsked(body)
  const { planned, kept, unchanged } = await planOf(ctx, asked)
  if (!asked.dryRun) await makeAll(ctx, planned)
  return { changes: planned.map(({ change }) => change), kept, unchanged }
}

async function makeAll(ctx: Ctx, planned: readonly Planned[]): Promise<void> {
  for (const [i, { change, run }] of planned.entries())
    try {
      const made = await run()
      change.result = 'done'
      if (isInvited(made)) change.invitation = made.invitation
    } catch (error) {
      const { code, message } = asServiceError(error as Error, false, ctx.log)
      change.result = 'failed'
      change.problem = { code, detail: message }
      for (const { change: later } of planned.slice(i + 1)) later.result = 'not_reached'
      return
    }
}

const isInvited = (made: unknown): made is { invitation: Invitation } => made instanceof Object && 'invitation' in made

/** A configuration that names all that is there, without secrets and what is so by default. */
export async function exportConfiguration(ctx: Ctx): Promise<{ configuration: Configuration }> {
  const configuration: { [kind: string]: unknown } = {}
  for (const name of listedKinds) {
    const entries: AnyEntry[] = []
    for await (const existing of kinds[name].list(ctx)) entries.push(entryOf(kinds[name], existing))
    if (entries.length > 0) configuration[name] = entries
  }
  const settings: { [section: string]: AnyEntry } = {}
  for (const section of sectionNames) {
    const kind = settingsSection(section)
    const existing = await kind.find(ctx, section)
    if (!existing) continue
    const { section: _section, ...changed } = entryOf(kind, existing)
    const fields = Object.entries(changed).filter(([field]) => !ctx.config.fixedSettings[`${section}.${field}`])
    if (fields.length > 0) settings[section] = Object.fromEntries(fields)
  }
  return { configuration: { ...configuration, ...(Object.keys(settings).length > 0 && { settings }) } }
}

/** What is there as an entry: its name first, and without what a new one would have anyway. */
function entryOf({ named, defaults }: Kind<AnyEntry>, { name, fields, written }: Existing<AnyEntry>): AnyEntry {
  const others = Object.entries({ ...fields, ...written }).filter(
    ([field, value]) => field !== named && value !== undefined && !isDeepStrictEqual(value, defaults[field]),
  )
  return { [named]: name, ...Object.fromEntries(others) }
}
