import { currentMe } from '../api/queries.ts'

const MOST = 20

/** The place of a deed among the others, which it has from when it was done or started. */
export interface Place {
  user: string
  /** Undoes it, if it can be undone and is complete. */
  run: (() => void) | undefined
}
/** The latest deeds, the newest last. */
let places: readonly Place[] = []

/** Notes that something was changed or is being changed: from now on, Ctrl+Z undoes nothing that is older. */
export function noteDeed(): Place {
  const place: Place = { user: currentMe().id, run: undefined }
  places = [...places.slice(1 - MOST), place]
  return place
}

/** Nothing was changed after all. */
export function forgetDeed(place: Place): void {
  places = places.filter((one) => one !== place)
}

/** Offers to undo a deed, once: by what is returned, and by Ctrl+Z. `used` is called when it is undone. */
export function offerUndo(undo: () => void, used: () => void, place = noteDeed()): () => void {
  let isUsed = false
  place.run = () => {
    if (isUsed) return
    isUsed = true
    forgetDeed(place)
    used()
    undo()
  }
  return place.run
}

/**
 * Undoes the user's latest deed, however long its notice has been gone. Returns false if there is one that cannot be
 * undone: then nothing is, for what is older is not what the user means.
 */
export function undoLatest(): boolean {
  const latest = places.findLast(({ user }) => user === currentMe().id)
  latest?.run?.()
  return latest === undefined || latest.run !== undefined
}
