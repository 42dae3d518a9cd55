import { perSystem } from '../../base/per-system.ts'

/** Sums by key, in memory that holds only what is not zero. */
class Tally {
  readonly #sums = new Map<string, number>()
  of(key: string): number {
    return this.#sums.get(key) ?? 0
  }
  add(key: string, n: number): void {
    const sum = this.of(key) + n
    if (sum === 0) this.#sums.delete(key)
    else this.#sums.set(key, sum)
  }
}

/** What is on its way through this process. */
export const underWayOf = perSystem(() => ({
  /** Uploads by who sends them. */
  uploads: new Tally(),
  /** Bytes by bucket of which the database does not know, because they are few. */
  bytes: new Tally(),
}))
