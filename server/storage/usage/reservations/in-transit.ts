import { perSystem } from '../../../base/per-system.ts'

/** Sums by key; keys with a sum of zero take no memory. */
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

/** What is in transit through this process. */
export const underWayOf = perSystem(() => ({
  /** Uploads by sender. */
  uploads: new Tally(),
  /** Bytes by bucket that the database does not know of, because they are few. */
  bytes: new Tally(),
}))
