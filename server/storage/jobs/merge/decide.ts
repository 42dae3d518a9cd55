// What becomes of keys that a fork has changed: the list of a merge, which a dry run shows.

import type { Decision, Side } from '../../../../contract/jobs.ts'
import { isKeyText } from '../../../../contract/names.ts'
import { refusal, type Upkeep } from '../../../context.ts'
import type { ObjectRow, Row } from '../../../db/schema.ts'
import type { HeldBucket } from '../../buckets/service.ts'
import { type Compared, isConflict, isTaken } from '../../forks/compare.ts'
import { isKept } from '../../history/retire.ts'
import { isTrashed } from '../../history/trash/service.ts'
import { findLocked } from '../../locks/gate.ts'
import { withTags } from '../../objects/describe.ts'
import { type ItemError, itemError } from '../../objects/item-error.ts'
import { readRefusal } from '../../objects/read-rights.ts'
import { findTaken } from '../../objects/store.ts'

/** A key that is to change in the origin: what it is there, and what the fork has of it; null for no object. */
export interface Turn {
  key: string
  /** Where the fork's object comes: the same key, or another name, which is free. */
  dest: string
  wanted: Row<'objects'> | null
  /** What it replaces, or what is deleted. */
  current: ObjectRow | null
  /** What the origin has under the key. */
  origin: Row<'objects'> | null
}
export interface Decided {
  turns: Turn[]
  /** The conflicts that were decided for the origin. */
  kept: Turn[]
  errors: ItemError[]
}

/** What is done with conflicts. */
export interface Decisions {
  of: ReadonlyMap<string, Pick<Decision, 'take' | 'dest_key'>>
  others: Side | undefined
}

/** How many names are tried for an object that comes beside another. */
const MOST_NAMES = 10

/**
 * Step: what becomes of keys in the origin. Those that nobody decided, or that the actor may not change, get errors; so do all
 * that the actor may not read, whether they are the same in both or not.
 */
export async function decideMerge(
  step: Upkeep,
  [fork, origin]: readonly [HeldBucket, HeldBucket],
  compared: readonly Compared[],
  decisions: Decisions,
): Promise<Decided> {
  const errors: ItemError[] = []
  const turns: Turn[] = []
  const beside: Turn[] = []
  const named = new Map<string, string>()
  const kept: Turn[] = []
  for (const one of compared) {
    if (!one.byFork) continue
    const { key, fork: wanted, origin: there } = one
    const turn: Turn = { key, dest: key, wanted, current: there, origin: there }
    const unread = unreadable(step, [fork, origin], turn)
    const isOpen = isConflict(one)
    if (unread) errors.push(unread)
    if (unread || (!isOpen && !isTaken(one))) continue
    const { take, dest_key } = isOpen
      ? (decisions.of.get(key) ?? { take: decisions.others })
      : { take: 'fork' as const }
    const refused = refusalOf(step, [fork, origin], { ...turn, dest: dest_key ?? key })
    if (refused) errors.push(refused)
    else if (take === undefined) errors.push(undecided(key))
    // What the fork has deleted has nothing to come beside what the origin has.
    else if (take === 'origin' || (take === 'both' && !wanted)) kept.push(turn)
    else if (take === 'both' && there) {
      beside.push({ ...turn, current: null })
      if (dest_key !== undefined) named.set(key, dest_key)
    } else turns.push(turn)
  }
  const free = await nameAll(step, [fork, origin], beside, named)
  errors.push(...free.errors)
  const leaving = turns.flatMap(({ current }) => (current && !isKept(origin, current) ? [current] : []))
  const locked = await findLocked(step, leaving, { ends: !isTrashed(origin) })
  const allowed = turns.filter(({ key, current }) => {
    const fault = current && locked.get(current)
    if (fault) errors.push(itemError(key, fault))
    return !fault
  })
  return { turns: [...allowed, ...free.turns], kept, errors }
}

const undecided = (key: string): ItemError => ({
  key,
  code: 'conflict',
  detail: `Both the fork and its origin have changed "${key}".`,
})

type Asked = Pick<Turn, 'key' | 'dest' | 'wanted' | 'origin'>

/** Why the actor may not know whether a key is the same in a fork and its origin; null if they may. */
function unreadable(
  { actor }: Pick<Upkeep, 'actor'>,
  [fork, origin]: readonly [HeldBucket, HeldBucket],
  { key, wanted, origin: there }: Asked,
): ItemError | null {
  const refused =
    readRefusal(actor, fork.name, key, wanted ? { row: wanted } : {}) ??
    readRefusal(actor, origin.name, key, there ? { row: there } : {})
  return refused && itemError(key, refused)
}

/** Why the actor may not change a key of the origin so; null if they may. */
export function refusalOf(
  step: Pick<Upkeep, 'actor'>,
  buckets: readonly [HeldBucket, HeldBucket],
  asked: Asked,
): ItemError | null {
  const { key, dest, wanted, origin: there } = asked
  const [, { name }] = buckets
  const unread = unreadable(step, buckets, asked)
  if (unread) return unread
  const refused = wanted
    ? refusal(step.actor, 'write', name, dest === key && there ? withTags(there) : dest)
    : refusal(step.actor, 'delete', name, there ? withTags(there) : key)
  return refused && itemError(key, refused)
}

/** Finds names that are free in the origin for objects that come beside others; those that were asked for must be. */
async function nameAll(
  step: Upkeep,
  [fork, origin]: readonly [HeldBucket, HeldBucket],
  beside: readonly Turn[],
  named: ReadonlyMap<string, string>,
): Promise<{ turns: Turn[]; errors: ItemError[] }> {
  const turns: Turn[] = []
  const errors: ItemError[] = []
  const used = new Set<string>()
  let left = [...beside]
  for (let n = 1; left.length > 0; n++) {
    const tried = left.map((turn) => ({ ...turn, dest: named.get(turn.key) ?? nameBeside(turn.key, fork.name, n) }))
    const names = tried.map(({ dest }) => dest)
    const taken = await findTaken(step.tx, origin.id, names)
    left = []
    for (const turn of tried) {
      const { key, dest } = turn
      const refused = isKeyText(dest, 1) ? refusalOf(step, [fork, origin], turn) : tooLong(key)
      const isFree = !taken.has(dest) && !used.has(dest)
      if (refused) errors.push(refused)
      else if (isFree) {
        used.add(dest)
        turns.push(turn)
      } else if (named.has(key) || n === MOST_NAMES) errors.push(nameTaken(key, dest))
      else left.push(turn)
    }
  }
  return { turns, errors }
}

const tooLong = (key: string): ItemError => ({
  key,
  code: 'invalid_request',
  detail: `Another name for "${key}" would be too long.`,
})

/** The error for an object whose other name is not free. */
export const nameTaken = (key: string, dest: string): ItemError => ({
  key,
  code: 'already_exists',
  detail: `The name "${dest}" is taken.`,
})

/** `2026/cat.jpg` beside itself, from the fork `preview`: `2026/cat (preview).jpg`, then `2026/cat (preview 2).jpg`. */
function nameBeside(key: string, fork: string, n: number): string {
  const start = key.slice(0, -1).lastIndexOf('/') + 1
  const name = key.slice(start)
  const mark = ` (${fork}${n === 1 ? '' : ` ${n}`})`
  if (name.endsWith('/')) return `${key.slice(0, start)}${name.slice(0, -1)}${mark}/`
  const dot = name.lastIndexOf('.')
  const end = dot > 0 ? dot : name.length
  return `${key.slice(0, start)}${name.slice(0, end)}${mark}${name.slice(end)}`
}
