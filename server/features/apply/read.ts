import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import { operations } from '../../../contract/apply.ts'
import { Configuration, type ListedKind } from '../../../contract/configuration.ts'
import type { Fault } from '../../../contract/errors.ts'
import { listedKinds } from '../../../contract/names.ts'
import { Exactly } from '../../../contract/shapes.ts'
import { type Section, sectionNames } from '../../access/settings/effective.ts'
import { faultsIn } from '../../http/validation.ts'
import type { AnyEntry } from './kind.ts'

/** An entry where a request has it. */
export interface Found {
  /** Where it is: `body.configuration.users.2`. */
  path: string
  entry: AnyEntry
}
/** What a request asks for, as far as its shape is right. */
export interface Asked {
  dryRun: boolean
  prune: boolean
  listed: ReadonlyMap<ListedKind, readonly Found[]>
  sections: ReadonlyMap<Section, Found>
  /** Entries that name something, whatever else is wrong with them. */
  named(kind: ListedKind, field: string): string[]
  faults: Fault[]
}

const AT = 'body.configuration'
/** Entries are checked so many at a time; others have their turn in between. */
const AT_ONCE = 50
/** Nobody reads more. */
export const MOST_FAULTS = 100

const { dry_run, prune } = operations.apply.body.properties
const Outer = Exactly({ configuration: Type.Object({}, { additionalProperties: true }), dry_run, prune })
const Lists = Exactly({
  ...Object.fromEntries(
    listedKinds.map((kind) => [kind, Type.Optional(Type.Array(Type.Unknown(), { maxItems: maxItemsOf(kind) }))]),
  ),
  settings: Type.Optional(
    Exactly(Object.fromEntries(sectionNames.map((name) => [name, Type.Optional(Type.Unknown())]))),
  ),
})

function maxItemsOf(kind: ListedKind): number {
  return (Configuration.properties[kind] as { maxItems?: number }).maxItems ?? 0
}

const shapeOf = (kind: ListedKind): object => (Configuration.properties[kind] as unknown as { items: object }).items
const shapeOfSection = (section: Section): object =>
  (Configuration.properties.settings as unknown as { properties: { [name: string]: object } }).properties[
    section
  ] as object

const isObject = (value: unknown): value is AnyEntry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a request's body, and finds all that is wrong with its shape. */
export async function readAsked(body: unknown): Promise<Asked> {
  const faults = faultsIn(Outer, body, 'body')
  const given = isObject(body) ? body : {}
  const configuration = isObject(given.configuration) ? given.configuration : {}
  faults.push(...faultsIn(Lists, configuration, AT))
  const names = new Map<ListedKind, readonly unknown[]>()
  const listed = new Map<ListedKind, Found[]>()
  for (const kind of listedKinds) {
    const list = configuration[kind]
    if (!Array.isArray(list) || list.length > maxItemsOf(kind)) continue
    names.set(kind, list)
    const right: Found[] = []
    for (const [i, entry] of list.entries()) {
      if (i % AT_ONCE === 0) await nextTurn()
      const path = `${AT}.${kind}.${i}`
      const wrong = faults.length > MOST_FAULTS ? [] : faultsIn(shapeOf(kind), entry, path)
      faults.push(...wrong)
      if (wrong.length === 0) right.push({ path, entry })
    }
    listed.set(kind, right)
  }
  const sections = new Map<Section, Found>()
  for (const section of sectionNames) {
    const fields = isObject(configuration.settings) ? configuration.settings[section] : undefined
    if (fields === undefined) continue
    const path = `${AT}.settings.${section}`
    const wrong = faultsIn(shapeOfSection(section), fields, path)
    faults.push(...wrong)
    if (wrong.length === 0) sections.set(section, { path, entry: { ...(fields as AnyEntry), section } })
  }
  return {
    dryRun: given.dry_run === true,
    prune: given.prune === true,
    listed,
    sections,
    faults,
    named: (kind, field) =>
      (names.get(kind) ?? []).flatMap((entry) =>
        isObject(entry) && typeof entry[field] === 'string' ? [entry[field] as string] : [],
      ),
  }
}
