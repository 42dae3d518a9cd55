import { machineUptime } from '../../base/uptime.ts'

/**
 * What a standby knows of the life of the main service, by this machine's uptime alone: two clocks need not agree. What is there
 * when it first looks may be old; what comes after it has had everything is a sign of life.
 */
export class Hearing {
  /** Since when it has had everything that there was. */
  #caughtUpAt: number | undefined
  #heardAt: number | undefined
  #fresh: number | null = null

  /** When everything was here that the main service had until then; null if that is not known yet. */
  get fresh(): number | null {
    return this.#fresh
  }
  /** Something new was found, by a look that began then. */
  heard(began: number): void {
    if (this.#caughtUpAt !== undefined) this.#heardAt = began
  }
  /** There is no more for now. */
  caughtUp(began: number): void {
    this.#caughtUpAt ??= began
    if (this.#heardAt !== undefined) this.#fresh = this.#heardAt
  }
  /** The place cannot be read: what comes next may be old. */
  lost(): void {
    this.#caughtUpAt = undefined
  }
  /** Whether it was looked for so long, in milliseconds, and nothing was heard. */
  isSilentFor(ms: number): boolean {
    if (this.#caughtUpAt === undefined) return false
    return machineUptime() - Math.max(this.#caughtUpAt, this.#heardAt ?? 0) >= ms
  }
}
