/** Contents of an object: a stretch of the noise of this seed, with what it must be found to be. */
export interface Content {
  from: number
  size: number
  sha256: string
  /** MD5, or of an upload in parts `md5-of-md5s-N`. */
  etag: string
}

/** Where an object is: `<bucket>/<key>`. */
export type Path = string

/** One change as its client knows it: all of it happens, or nothing. */
export interface Change {
  action: 'upload' | 'copy' | 'move' | 'delete' | 'restore'
  /** What each path holds after it; null: nothing. */
  effects: { path: Path; to: Content | null }[]
  /** ETags that come to lie in the trash under a path, and such that leave it. */
  trashed: { path: Path; etag: string }[]
  untrashed: { path: Path; etag: string }[]
  /** One audit record for each. */
  recorded: Path[]
}

/** What a server may be killed in the midst of without anyone knowing whether it was done. */
export interface Things {
  /** By `<kind> <name>`: whether it has to be there. Null: its answer was lost. */
  expected: Map<string, boolean | null>
  /** How often an action was acknowledged, and how often its answer was lost, where there is no path to count by. */
  actions: Map<string, { acknowledged: number; lost: number }>
  /** Links by their tokens, with what they must give. Null: the answer to their revocation was lost. */
  links: Map<string, { path: Path; active: boolean | null }>
  /** Jobs that were accepted, with what they are about. */
  jobs: { id: string; kind: 'copy' | 'move' | 'delete'; items: number }[]
}

/** Uploads whose bodies are rows of the database. */
export interface Small {
  acknowledged: number
  lost: number
  /** How often a kill lost the answers to several at once. */
  together: number
}
/** Answers that a kill loses are lost within this; a killed server needs longer to listen again. */
const ONE_KILL_MS = 500

/**
 * What has been acknowledged. Every path belongs to one client that does one thing at a time, so the model is exact; a
 * change whose answer was lost locks its paths until it was looked whether it happened.
 */
export class Model {
  readonly #inlineMaxBytes: number
  /** When the answer to a small upload was last lost, and how many in a row until then. */
  #cutAt = Number.NEGATIVE_INFINITY
  #cut = 0
  readonly objects = new Map<Path, Content>()
  readonly trash = new Map<Path, string[]>()
  /** Audit records by `<action> <path>`. */
  readonly records = new Map<string, number>()
  readonly locked = new Set<Path>()
  doubtful: Change[] = []
  acknowledged = 0
  lost = 0
  readonly small: Small = { acknowledged: 0, lost: 0, together: 0 }
  readonly things: Things = { expected: new Map(), actions: new Map(), links: new Map(), jobs: [] }

  /** `inlineMaxBytes`: the most that the service stores in the database. */
  constructor(inlineMaxBytes: number) {
    this.#inlineMaxBytes = inlineMaxBytes
  }

  /** The change happened. */
  apply(change: Change): void {
    for (const { path, to } of change.effects)
      if (to) this.objects.set(path, to)
      else this.objects.delete(path)
    for (const { path, etag } of change.trashed) this.trash.set(path, [...(this.trash.get(path) ?? []), etag])
    for (const { path, etag } of change.untrashed) {
      const left = this.trash.get(path) ?? []
      left.splice(left.indexOf(etag), 1)
      if (left.length === 0) this.trash.delete(path)
    }
    for (const path of change.recorded) {
      const name = `${change.action} ${path}`
      this.records.set(name, (this.records.get(name) ?? 0) + 1)
    }
  }

  /** Nobody may touch its paths until it is over. */
  begin(change: Change): void {
    for (const path of pathsOf(change)) this.locked.add(path)
  }
  acknowledge(change: Change): void {
    this.apply(change)
    this.acknowledged++
    if (this.#isSmall(change)) this.small.acknowledged++
    this.refuse(change)
  }
  /** It did not happen. */
  refuse(change: Change): void {
    for (const path of pathsOf(change)) this.locked.delete(path)
  }
  /** Its answer was lost: the paths stay locked until `resolve`. */
  doubt(change: Change): void {
    this.doubtful.push(change)
    this.lost++
    if (!this.#isSmall(change)) return
    this.small.lost++
    const now = performance.now()
    if (now - this.#cutAt > ONE_KILL_MS) this.#cut = 0
    this.#cutAt = now
    if (++this.#cut === 2) this.small.together++
  }
  /** Bodies of multipart uploads, whose ETags have a dash, are parts in the storage however small they are. */
  #isSmall({ action, effects }: Change): boolean {
    return (
      action === 'upload' && effects.every(({ to }) => to && to.size <= this.#inlineMaxBytes && !to.etag.includes('-'))
    )
  }

  /**
   * Decides for each change whose response was lost whether it happened, by the current state of its paths; returns those
   * that are neither: half of a change, or something else.
   */
  resolve(etagAt: ReadonlyMap<Path, string | null>): string[] {
    const faults: string[] = []
    for (const change of this.doubtful) {
      const now = (path: Path) => etagAt.get(path) ?? null
      const after = change.effects.every(({ path, to }) => now(path) === (to?.etag ?? null))
      const before = change.effects.every(({ path }) => now(path) === (this.objects.get(path)?.etag ?? null))
      if (after) this.apply(change)
      else if (!before)
        faults.push(
          `half done: ${change.action} of ${change.effects
            .map(
              ({ path, to }) => `${path}: was ${this.objects.get(path)?.etag}, would be ${to?.etag}, is ${now(path)}`,
            )
            .join('; ')}`,
        )
      this.refuse(change)
    }
    this.doubtful = []
    return faults
  }

  note(action: string, outcome: 'acknowledged' | 'lost'): void {
    const counts = this.things.actions.get(action) ?? { acknowledged: 0, lost: 0 }
    counts[outcome]++
    this.things.actions.set(action, counts)
    this[outcome]++
  }
}

export const pathsOf = (change: Change): Path[] => [
  ...new Set([...change.effects, ...change.trashed, ...change.untrashed].map(({ path }) => path)),
]
