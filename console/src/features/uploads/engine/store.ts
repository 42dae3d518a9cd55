import { type Item, type State, states, unsent } from './item.ts'

const RATE_MS = 6_000

/** The files of one folder. */
export interface Group {
  key: string
  name: string
  bucket: string
  items: Set<Item>
  bytes: number
  sent: number
  counts: Record<State, number>
}
/** What waits for room in a bucket. */
export interface Waiting {
  files: number
  /** What they still need. */
  bytes: number
  /** The server's words. */
  detail: string
}
/** What the dock shows at one moment. */
export interface Snapshot {
  version: number
  counts: Readonly<Record<State, number>>
  /** All files except cancelled, skipped and interrupted ones: what this page has sent and will send. */
  files: number
  bytes: number
  sent: number
  /** The current rate in bytes per second; null while nothing is sent. */
  rate: number | null
  held: boolean
  /** The server is unreachable. */
  offline: boolean
  /** Full buckets, and what waits for room in them. */
  full: ReadonlyMap<string, Waiting>
  groups: readonly Group[]
}

const noCounts = () => Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>
/** Faster updates cannot be read, and painting slows down sending. */
const TOLD_MS = 250
const soon = (work: () => void): void => {
  // A hidden page has no frames and no viewers.
  const inFrame = () => (document.hidden ? work() : requestAnimationFrame(work))
  setTimeout(inFrame, TOLD_MS)
}

/** This page's uploads and their totals, which change with every file. Listeners are notified a few times a second. */
export class UploadStore {
  readonly items = new Map<string, Item>()
  readonly byState = new Map<State, Set<Item>>(states.map((state) => [state, new Set()]))
  readonly #groups = new Map<string, Group>()
  readonly #listeners = new Set<() => void>()
  readonly #samples: { at: number; sent: number }[] = []
  #bytes = 0
  #sent = 0
  /** Only ever grows with what is sent; the rate is measured by it. */
  #moved = 0
  #scheduled = false
  #snapshot: Snapshot
  held = false
  offline = false

  constructor() {
    this.#snapshot = this.#take(0)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  readonly snapshot = (): Snapshot => this.#snapshot

  those(state: State): ReadonlySet<Item> {
    return this.byState.get(state) as Set<Item>
  }
  count(...of: readonly State[]): number {
    return of.reduce((sum, state) => sum + this.those(state).size, 0)
  }
  /** Whether leaving the page would lose something. */
  get isBusy(): boolean {
    return this.count(...unsent) > this.count('error')
  }

  add(items: readonly Item[]): void {
    for (const item of items) {
      this.items.set(item.id, item)
      this.byState.get(item.state)?.add(item)
      this.#bytes += item.size
      const group = this.#groupOf(item)
      group.items.add(item)
      group.bytes += item.size
      group.counts[item.state]++
    }
    this.tell()
  }
  set(item: Item, state: State): void {
    if (item.state === state) return
    const group = this.#groupOf(item)
    this.byState.get(item.state)?.delete(item)
    group.counts[item.state]--
    const [counted, counts] = [isCounted(item.state), isCounted(state)]
    item.state = state
    this.byState.get(state)?.add(item)
    group.counts[state]++
    if (state === 'done') this.sent(item, item.size)
    if (counted !== counts) {
      const sign = counts ? 1 : -1
      this.#bytes += sign * item.size
      this.#sent += sign * item.sent
      group.bytes += sign * item.size
      group.sent += sign * item.sent
    }
    this.tell()
  }
  sent(item: Item, bytes: number): void {
    const change = bytes - item.sent
    if (change === 0) return
    item.sent = bytes
    if (isCounted(item.state)) {
      this.#sent += change
      this.#groupOf(item).sent += change
    }
    if (change > 0) this.#moved += change
    this.tell()
  }
  remove(items: Iterable<Item>): void {
    for (const item of [...items]) {
      const group = this.#groupOf(item)
      this.items.delete(item.id)
      this.byState.get(item.state)?.delete(item)
      group.items.delete(item)
      group.counts[item.state]--
      if (isCounted(item.state)) {
        this.#bytes -= item.size
        this.#sent -= item.sent
        group.bytes -= item.size
        group.sent -= item.sent
      }
      if (group.items.size === 0) this.#groups.delete(group.key)
    }
    this.tell()
  }

  /** Up to so many items, those that need attention first. */
  rows(limit: number, of: Iterable<Item> | undefined = undefined): Item[] {
    const rows: Item[] = []
    if (of) {
      const all = [...of]
      for (const state of states) {
        for (const item of all) if (item.state === state && rows.length < limit) rows.push(item)
        if (rows.length >= limit) break
      }
      return rows
    }
    for (const state of states)
      for (const item of this.those(state)) {
        if (rows.length >= limit) return rows
        rows.push(item)
      }
    return rows
  }

  /** Notifies the listeners within a moment. */
  tell(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    soon(() => {
      this.#scheduled = false
      this.#snapshot = this.#take(this.#snapshot.version + 1)
      for (const listener of this.#listeners) listener()
    })
  }

  #groupOf({ batch, group }: Item): Group {
    const key = `${batch.id}/${group}`
    const known = this.#groups.get(key)
    if (known) return known
    const made: Group = { key, name: group, bucket: batch.bucket, ...emptyGroup() }
    this.#groups.set(key, made)
    return made
  }

  #take(version: number): Snapshot {
    const counts = Object.fromEntries(states.map((state) => [state, this.those(state).size])) as Record<State, number>
    return {
      version,
      counts,
      files: this.items.size - counts.cancelled - counts.skipped - counts.lost,
      bytes: this.#bytes,
      sent: this.#sent,
      rate: this.#rate(counts.running > 0 && !this.offline),
      held: this.held,
      offline: this.offline,
      full: this.#full(),
      groups: [...this.#groups.values()],
    }
  }

  #full(): ReadonlyMap<string, Waiting> {
    const full = new Map<string, Waiting>()
    for (const { batch, size, sent, problem } of this.those('full')) {
      const { files, bytes, detail } = full.get(batch.bucket) ?? { files: 0, bytes: 0, detail: problem?.detail ?? '' }
      full.set(batch.bucket, { files: files + 1, bytes: bytes + size - sent, detail })
    }
    return full
  }

  #rate(isMoving: boolean): number | null {
    const at = Date.now()
    const samples = this.#samples
    if (!isMoving) samples.length = 0
    else if (at - (samples.at(-1)?.at ?? 0) >= 200) samples.push({ at, sent: this.#moved })
    while (samples.length > 2 && at - (samples[0]?.at ?? at) > RATE_MS) samples.shift()
    const [first, last] = [samples[0], samples.at(-1)]
    if (!first || !last || last.at - first.at < 500) return null
    return ((last.sent - first.sent) * 1000) / (last.at - first.at)
  }
}

const emptyGroup = () => ({ items: new Set<Item>(), bytes: 0, sent: 0, counts: noCounts() })
const isCounted = (state: State): boolean => state !== 'cancelled' && state !== 'skipped' && state !== 'lost'
