import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ConfigurationChange } from '../../../contract/apply.ts'
import type { ListedKind } from '../../../contract/configuration.ts'
import type { Fault } from '../../../contract/errors.ts'
import { SECRET_FIELDS } from '../../../contract/names.ts'
import { invalidAll } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import type { AnyEntry, Existing, Kind, References } from './kind.ts'
import { kinds, phases } from './kinds.ts'
import { type Asked, type Found, MOST_FAULTS } from './read.ts'

/** A change that is to be made. */
export interface Planned {
  change: ConfigurationChange
  run(): Promise<unknown>
}
export interface Plan {
  planned: Planned[]
  kept: { kind: ConfigurationChange['kind']; name: string; reason: string }[]
  unchanged: number
}

/** Compares what is asked for with what is there. Throws invalid_request with all that is wrong with it. */
export async function planOf(ctx: Ctx, asked: Asked): Promise<Plan> {
  const plan: Plan = { planned: [], kept: [], unchanged: 0 }
  const faults = [...asked.faults]
  const references = referencesOf(ctx, asked)
  for (const { kind, found } of phases(asked)) {
    const seen = new Set<string>()
    for (const one of found) {
      await nextTurn()
      if (faults.length > MOST_FAULTS) break
      const name = kind.sameName(String(one.entry[kind.named]))
      if (seen.has(name)) faults.push({ path: `${one.path}.${kind.named}`, message: 'is named twice' })
      else faults.push(...(await planEntry(ctx, plan, { kind, references, ...one })))
      seen.add(name)
    }
  }
  if (faults.length > 0) throw invalidAll(faults.slice(0, MOST_FAULTS))
  if (asked.prune) await planDeletions(ctx, plan, asked)
  return plan
}

/** What the database holds or the request lists; with `prune`, only what will stay. */
function referencesOf(ctx: Ctx, asked: Asked): References {
  const lists = new Map<ListedKind, Set<string>>()
  const listOf = (kind: ListedKind): Set<string> => {
    const { named, sameName } = kinds[kind]
    const list = lists.get(kind) ?? new Set(asked.named(kind, named).map(sameName))
    lists.set(kind, list)
    return list
  }
  async function look(kind: ListedKind, name: string): Promise<boolean> {
    const existing = await kinds[kind].find(ctx, name)
    if (!existing || !asked.prune || !asked.listed.has(kind)) return existing !== undefined
    const removal = await existing.removal?.()
    return removal === undefined || 'kept' in removal
  }
  /** By kind and name: thousands of users may be in one group. */
  const looked = new Map<string, Promise<boolean>>()
  return {
    async has(kind, name) {
      const same = kinds[kind].sameName(name)
      if (listOf(kind).has(same)) return true
      const found = looked.get(`${kind} ${same}`) ?? look(kind, name)
      looked.set(`${kind} ${same}`, found)
      return found
    },
  }
}

/** Plans what an entry asks for; returns what is wrong with it. */
async function planEntry(
  ctx: Ctx,
  plan: Plan,
  { kind, references, entry, path }: Found & { kind: Kind<AnyEntry>; references: References },
): Promise<Fault[]> {
  const name = String(entry[kind.named])
  const before = await kind.find(ctx, name)
  const at = (fault: Fault): Fault => ({ ...fault, path: fault.path.replace(/^body\b/, () => path) })
  const wrong = await kind.check(ctx, entry, { before, references })
  if (wrong.length === 0 && before?.check) wrong.push(...(await before.check(entry)))
  if (wrong.length > 0) return wrong.map(at)
  const normal = kind.normal(entry)
  const secrets = SECRET_FIELDS[kind.kind === 'settings' ? `settings.${name}` : kind.kind] ?? []
  const given = Object.keys(normal).filter((field) => field !== kind.named && normal[field] !== undefined)
  if (!before) {
    const effects = (await kind.effects?.(ctx, normal)) ?? []
    const fields = given.map((field) => shown(secrets, { field, before: null, after: normal[field] }))
    const change = { kind: kind.kind, name, action: 'create' as const, fields, effects, result: 'planned' as const }
    plan.planned.push({ change, run: () => kind.create(ctx, normal) })
    return []
  }
  const differing = given.filter(
    (field) => !kind.onlyNew?.includes(field) && differs(secrets, before, { field, value: normal[field] }),
  )
  if (differing.length === 0) {
    plan.unchanged++
    return []
  }
  if (before.fixed) return [at({ path: `body.${kind.named}`, message: before.fixed })]
  const fixed = differing.flatMap((field) => {
    const message = kind.fixed[field]
    return message === undefined ? [] : [at({ path: `body.${field}`, message })]
  })
  if (fixed.length > 0) return fixed
  const wanted = Object.fromEntries(differing.map((field) => [field, normal[field]]))
  const change = {
    kind: kind.kind,
    name,
    action: 'update' as const,
    result: 'planned' as const,
    fields: differing.map((field) =>
      shown(secrets, { field, before: before.fields[field] ?? null, after: normal[field] }),
    ),
    effects: (await before.effects?.(wanted)) ?? [],
  }
  plan.planned.push({ change, run: () => before.update(wanted) })
  return []
}

function differs(
  secrets: readonly string[],
  { fields, hasSecret }: Existing<AnyEntry>,
  { field, value }: { field: string; value: unknown },
): boolean {
  if (!secrets.includes(field)) return !isDeepStrictEqual(fields[field] ?? null, value)
  return hasSecret !== undefined && !hasSecret(field, value as string | null)
}

const shown = (
  secrets: readonly string[],
  { field, before, after }: { field: string; before: unknown; after: unknown },
) =>
  secrets.includes(field) ? { field, before: null, after: null, secret: true } : { field, before, after, secret: false }

/** Plans the deletion of what the request does not name, of the kinds that it lists: the last kinds first. */
async function planDeletions(ctx: Ctx, plan: Plan, asked: Asked): Promise<void> {
  for (const name of [...asked.listed.keys()].reverse()) {
    const kind = kinds[name]
    const named = new Set(asked.named(name, kind.named).map(kind.sameName))
    for await (const existing of kind.list(ctx)) {
      if (named.has(kind.sameName(existing.name))) continue
      const removal = await existing.removal?.()
      if (!removal) continue
      if ('kept' in removal) {
        plan.kept.push({ kind: kind.kind, name: existing.name, reason: removal.kept })
        continue
      }
      const { effects, remove } = removal
      const change = { kind: kind.kind, name: existing.name, action: 'delete' as const, fields: [], effects }
      plan.planned.push({ change: { ...change, result: 'planned' }, run: remove })
    }
  }
}
