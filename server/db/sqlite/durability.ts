import { sharedSync } from '../../shared-sync.ts'

/** Which commits would survive a power failure. Commits are in one log: a sync covers all that were made before it began. */
export interface Durability {
  /** A commit was made that someone may come to rely on. To be called in the turn of the commit. */
  committed(): void
  /** Until every commit that was made so far is durable; undefined when all are. */
  pending(): Promise<void> | undefined
  /** Syncs, whether or not there is anything known to be pending. */
  sync(): Promise<void>
}

/** `run` syncs the log; once it failed it has to fail for ever. */
export function newDurability(run: () => Promise<void>): Durability {
  let made = 0
  let durable = 0
  /** The sync that is under way, and how many commits it covers. */
  let under: { covers: number; done: Promise<void> } | undefined
  const sync = sharedSync(async () => {
    const current = { covers: made, done: run() }
    under = current
    try {
      await current.done
      durable = Math.max(durable, current.covers)
    } finally {
      if (under === current) under = undefined
    }
  })
  return {
    committed() {
      made++
    },
    pending() {
      if (durable >= made) return undefined
      return under && under.covers >= made ? under.done : sync()
    },
    sync,
  }
}
