// When objects change: microseconds since 1970, each later than the one before, also where the clock stands or goes back.

/** What a transaction says of the changes of objects in it. */
export interface Change {
  /** By the clock of the service. */
  now: Date
  /** Who makes it: a row of `change_authors`; null for nobody who is known. */
  author: number | null
  /** Told the moment, once it is committed that objects have changed. */
  made?(moment: number): void
}

/** A change came first that has a later moment: the transaction has to run again, at a later one. */
export class LaterChange extends Error {}

/** The moments of the changes that one process makes. */
export class Moments {
  #last = 0

  /** The next moment: now, or right after the last one that is known. */
  next(now: Date): number {
    this.#last = Math.max(now.getTime() * 1000, this.#last + 1)
    return this.#last
  }

  /** Notes a moment that a change had, so that those of later ones are after it. */
  saw(moment: number): void {
    if (moment > this.#last) this.#last = moment
  }
}

/** The changes of one transaction after another on a connection that has one at a time. */
export class RunningChange {
  readonly #moments: Moments
  #change: Change | undefined
  #moment: number | undefined
  constructor(moments: Moments) {
    this.#moments = moments
  }

  /** Call where a transaction begins. */
  begin(change: Change | undefined): void {
    this.#change = change
    this.#moment = undefined
  }

  /**
   * The moment of the running transaction, which is the same for all that it changes; `floor` is that of what it replaces.
   * Throws LaterChange if that is later.
   */
  moment(floor: number): number {
    if (this.#moment === undefined) {
      this.#moments.saw(floor)
      this.#moment = this.#moments.next(this.#change?.now ?? new Date())
    } else if (floor > this.#moment) {
      this.#moments.saw(floor)
      throw new LaterChange('An object has changed at a later moment')
    }
    return this.#moment
  }

  /** Who makes the changes of the running transaction. */
  author(): number | null {
    return this.#change?.author ?? null
  }

  /** The moment of the running transaction; null if it has changed no object yet. */
  drawn(): number | null {
    return this.#moment ?? null
  }
}
