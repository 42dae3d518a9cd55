/** Browsers open six connections to a server; the rest of the page needs some. */
export const SLOTS = 4
type Kind = 'small' | 'part'
interface Waiting {
  signal: AbortSignal
  enter: () => void
}

/**
 * Limits concurrent requests. Parts of large files come first, but one slot is reserved for small files while there are
 * any, so that neither blocks the other.
 */
export class Slots {
  readonly #waiting: Record<Kind, Set<Waiting>> = { small: new Set(), part: new Set() }
  readonly #busy: Record<Kind, number> = { small: 0, part: 0 }
  readonly #smallLeft: () => boolean
  constructor(smallLeft: () => boolean) {
    this.#smallLeft = smallLeft
  }

  /** Waits for a slot and returns a function that frees it. */
  async take(kind: Kind, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting[kind].delete(waiting)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        signal,
        enter: () => {
          this.#waiting[kind].delete(waiting)
          signal.removeEventListener('abort', leave)
          this.#busy[kind]++
          resolve()
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting[kind].add(waiting)
      this.#admit()
    })
    return () => {
      this.#busy[kind]--
      this.#admit()
    }
  }

  #admit(): void {
    while (this.#busy.small + this.#busy.part < SLOTS) {
      const { small, part } = this.#waiting
      const reserved = this.#smallLeft() ? 1 : 0
      const partMay = part.size > 0 && this.#busy.part < SLOTS - reserved
      const next = partMay ? part : small
      const [first] = next
      if (!first) return
      first.enter()
    }
  }
}
