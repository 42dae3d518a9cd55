import { sharedSync } from '../../base/shared-sync.ts'

/**
 * Which commits would survive a power failure. They share one log, so a sync covers every commit made before it
 * started.
 */
export interface Durability {
  /** Notes a commit that someone may rely on. To be called in the turn of the commit. */
  committed(): void
  /** Resolves when every commit made so far is durable; undefined when all are. */
  pending(): Promise<void> | undefined
  /** The sync in progress, if any. */
  syncing(): Promise<void> | undefined
  /** Syncs, even if no commit is known to be pending. */
  sync(): Promise<void>
}

/** `run` syncs the log; once it has failed it must always fail. Commits that could share a sync share a commit already. */
export function newDurability(run: () => Promise<void>): Durability {
  let made = 0
  let durable = 0
  /** The sync in progress, and how many commits it covers. */
  let under: { covers: number; done: Promise<void> } | undefined
  const sync = sharedSync(
    async () => {
      const current = { covers: made, done: run() }
      under = current
      try {
        await current.done
        durable = Math.max(durable, current.covers)
      } finally {
        if (under === current) under = undefined
      }
    },
    () => undefined,
  )
  return {
    committed() {
      made++
    },
    pending() {
      if (durable >= made) return undefined
      return under && under.covers >= made ? under.done : sync()
    },
    syncing: () => under?.done,
    sync,
  }
}
