import { currentMe } from '../api/queries.ts'

const MOST = 20

interface Offer {
  user: string
  run: () => void
}
/** How the latest actions can be undone, the newest last. */
let offers: readonly Offer[] = []

/** Offers to undo something, once: by what is returned, and by Ctrl+Z. `used` is called when it is undone. */
export function offerUndo(undo: () => void, used: () => void): () => void {
  const offer: Offer = {
    user: currentMe().id,
    run: () => {
      if (!offers.includes(offer)) return
      offers = offers.filter((one) => one !== offer)
      used()
      undo()
    },
  }
  offers = [...offers.slice(1 - MOST), offer]
  return offer.run
}

/** Undoes the user's latest action that can be undone, however long its notice has been gone. */
export function undoLatest(): void {
  offers.findLast(({ user }) => user === currentMe().id)?.run()
}
