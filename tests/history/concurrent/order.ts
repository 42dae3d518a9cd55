// The plain model of a bucket that several change at once: what was done, in the order of the moments that the answers named.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'

/** What a key has: contents that no other write has, and what describes them. */
export interface Item {
  text: string
  type: string
  metadata: Record<string, string>
  tags: Record<string, string>
}
export type State = Readonly<Record<string, Item>>

/** A request, from when it was sent until its answer was there: numbers that count up in the order in which that happened. */
export interface Span {
  what: string
  sent: number
  answered: number
}
/** What a request has done to the bucket, at the moment that its answer named. */
export interface Change extends Span {
  moment: string
  /** What it made of the bucket; throws where it could not have been done then. */
  apply(state: State, past: Past): State
}
/** What a request has seen of a key: it read it, was refused because of it, or found nothing to do. */
export interface Sight extends Span {
  key: string
  holds(item: Item | undefined, past: Past): boolean
}

/** What the bucket was after each moment, as the model has it. */
export class Past {
  readonly #states: { moment: string; state: State }[] = [{ moment: '', state: {} }]

  add(moment: string, state: State): void {
    this.#states.push({ moment, state })
  }
  get now(): State {
    return this.at('9')
  }
  /** After the last change at or before a moment. */
  at(moment: string): State {
    return this.#states.findLast((one) => one.moment <= moment)?.state ?? {}
  }
  /** Before the changes of a moment. */
  before(moment: string): State {
    return this.#states.findLast((one) => one.moment < moment)?.state ?? {}
  }
  /** Whether a key ever had this. */
  had(key: string, item: Item): boolean {
    return this.#states.some(({ state }) => isDeepStrictEqual(state[key], item))
  }
  get moments(): string[] {
    return this.#states.slice(1).map(({ moment }) => moment)
  }
  /** What a key was, from which place in the order on. */
  of(key: string) {
    const turns: { from: number; item: Item | undefined }[] = []
    for (const [from, { state }] of this.#states.entries())
      if (from === 0 || !isDeepStrictEqual(state[key], turns.at(-1)?.item)) turns.push({ from, item: state[key] })
    return turns
  }
}

export const changedKeys = (before: State, after: State): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .sort()

export const without = (state: State, ...keys: string[]): State =>
  Object.fromEntries(Object.entries(state).filter(([key]) => !keys.includes(key)))

/** What a key has; throws if it has nothing. */
export function itemOf(state: State, key: string, what: string): Item {
  return state[key] ?? assert.fail(`${what}: ${key} was not there, there were ${Object.keys(state)}`)
}

export interface Replayed {
  past: Past
  /** How many changes had the moment of another one. */
  shared: number
}

/**
 * Does all changes again in the order of their moments. Throws where that is none: a change that was answered before another one
 * was sent has to come first, and two of the same key cannot be at once.
 */
export function replay(changes: readonly Change[]): Replayed {
  const past = new Past()
  const ordered = changes.toSorted((a, b) => (a.moment < b.moment ? -1 : a.moment > b.moment ? 1 : a.sent - b.sent))
  assertInTime(ordered)
  let shared = 0
  for (const group of Object.values(Object.groupBy(ordered, ({ moment }) => moment))) {
    const touched = new Set<string>()
    let state = past.now
    for (const change of group ?? []) {
      const after = change.apply(state, past)
      for (const key of changedKeys(state, after)) {
        assert.ok(!touched.has(key), `${change.what}: ${key} changed twice at ${change.moment}`)
        touched.add(key)
      }
      state = after
    }
    shared += (group?.length ?? 1) - 1
    past.add(group?.[0]?.moment ?? '', state)
  }
  return { past, shared }
}

/** Asserts that what was answered before something else was sent has an earlier moment. */
function assertInTime(ordered: readonly Change[]): void {
  for (const [i, later] of ordered.entries())
    for (const earlier of ordered.slice(0, i))
      assert.ok(
        earlier.sent < later.answered,
        `${later.what} was answered before ${earlier.what} was sent, and is at ${later.moment}, not before ${earlier.moment}`,
      )
  // At the same moment, neither may have been over before the other.
  for (const [i, one] of ordered.entries())
    for (const other of ordered.slice(i + 1)) {
      if (other.moment !== one.moment) break
      assert.ok(one.answered > other.sent && other.answered > one.sent, `${one.what} and ${other.what} share a moment`)
    }
}

/**
 * Asserts that what was seen of a key is what it was at some time while the request ran: neither before a change that had
 * been answered, nor after one that had not been sent.
 */
export function assertSeen(past: Past, changes: readonly Change[], sights: readonly Sight[]): void {
  const moments = ['', ...past.moments]
  for (const sight of sights) {
    const turns = past.of(sight.key)
    const possible = turns.filter(({ from }, i) => {
      const begun = changes.filter(({ moment }) => moment === moments[from])
      const ending = turns[i + 1]
      const ended = ending && changes.filter(({ moment }) => moment === moments[ending.from])
      const hadCome = begun.length === 0 || begun.some(({ sent }) => sent < sight.answered)
      return hadCome && (!ended || ended.some(({ answered }) => answered > sight.sent))
    })
    assert.ok(
      possible.some(({ item }) => sight.holds(item, past)),
      `${sight.what}: not so while it ran, when ${sight.key} was ${JSON.stringify(possible)}`,
    )
  }
}
