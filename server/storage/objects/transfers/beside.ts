// Keeping both: what arrives where a key is taken goes beside it, under the first number that is free.
import { refusal, type Step } from '../../../context.ts'
import type { Tx } from '../../../db/schema.ts'
import { lockKeys } from '../../history/keys.ts'
import { numbered } from '../free-names.ts'
import { type ItemError, itemError } from '../item-error.ts'
import * as store from '../store.ts'
import type { Pair, TransferPlan } from './choose.ts'

/** Numbers tried for a key. */
const MOST_NUMBERS = 1000

type Rows = ReadonlyMap<string, store.ObjectRow>

/** The pairs that can go on, those whose key is taken with another one, and errors for those without. */
export interface Beside {
  pairs: Pair[]
  errors: ItemError[]
}

/**
 * Step: gives each object whose key is taken, by an object of the bucket or by one before it, the first number that is free.
 * Two folders of one name are one: the empty object that marks one replaces that of the other. Another process may take a name
 * before it is inserted here; then the change runs again from the start.
 */
export async function putBeside(
  step: Step,
  { kind, source, dest }: TransferPlan,
  pairs: readonly Pair[],
  { sources, taken }: { sources: Rows; taken: Rows },
): Promise<Beside> {
  const same = source.id === dest.id
  const filled = new Set<string>()
  const left = new Set<string>()
  const crowded = pairs.filter((pair) => {
    const row = sources.get(pair.key)
    const own = same && pair.key === pair.dest
    if (!row || (own && kind === 'move')) return false
    const old = left.has(pair.dest) ? undefined : taken.get(pair.dest)
    if (same && kind === 'move') left.add(pair.key)
    if (filled.has(pair.dest)) return true
    filled.add(pair.dest)
    return old !== undefined && (own || !(marksFolder(row) && marksFolder(old)))
  })
  if (crowded.length === 0) return { pairs: [...pairs], errors: [] }
  const names = await chooseNames(step.tx, dest.id, crowded, new Set(pairs.map((pair) => pair.dest)))
  await lockKeys(step.tx, [dest, [...names.values()]])
  const errors: ItemError[] = []
  const moved = new Set(crowded)
  const placed = pairs.flatMap((pair) => {
    if (!moved.has(pair)) return [pair]
    const name = names.get(pair)
    const refused = name === undefined ? undefined : refusal(step.actor, 'write', dest.name, name)
    if (refused) errors.push(itemError(pair.key, refused))
    else if (name === undefined)
      errors.push({
        key: pair.key,
        code: 'conflict',
        detail: `The key "${pair.dest}" is taken, and no similar name is free.`,
      })
    return name === undefined || refused ? [] : [{ key: pair.key, dest: name }]
  })
  return { pairs: placed, errors }
}

/** Whether it is the empty object that only marks a folder. */
const marksFolder = ({ key, size }: store.ObjectRow): boolean => size === 0 && key.endsWith('/')

/** The first free number of each pair's key, in the order of the pairs; `used` are keys that others of them are to get. */
async function chooseNames(
  tx: Tx,
  bucketId: string,
  pairs: readonly Pair[],
  used: Set<string>,
): Promise<Map<Pair, string>> {
  const chosen = new Map<Pair, string>()
  let groups = [...Map.groupBy(pairs, ({ dest }) => dest)].map(([key, waiting]) => ({ key, waiting, next: 1 }))
  // Twice as many in each round, so that many copies of one object take few of them.
  for (let each = 1; groups.length > 0; each *= 2) {
    const asked = groups.map((group) => ({ ...group, names: namesFrom(group, each) }))
    const there = await store.findTaken(
      tx,
      bucketId,
      asked.flatMap(({ names }) => names),
    )
    groups = asked.flatMap(({ key, waiting, next, names }) => {
      const free = names.filter((name) => !there.has(name) && !used.has(name))
      const rest = waiting.filter((pair) => {
        const name = free.shift()
        if (name === undefined) return true
        used.add(name)
        chosen.set(pair, name)
        return false
      })
      const after = next + Math.max(each, waiting.length)
      return rest.length > 0 && after <= MOST_NUMBERS ? [{ key, waiting: rest, next: after }] : []
    })
  }
  return chosen
}

/** The next names of a key that are to be tried: at least one for each of those that wait. */
function namesFrom(
  { key, waiting, next }: { key: string; waiting: readonly Pair[]; next: number },
  each: number,
): string[] {
  const length = Math.min(Math.max(each, waiting.length), MOST_NUMBERS + 1 - next)
  return Array.from({ length }, (_, i) => numbered(key, next + i)).filter((name) => name !== undefined)
}
