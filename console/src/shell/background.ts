import { recallUploads } from '../features/uploads/open.ts'
import { isOutdated } from './new-version.ts'

const LATER_MS = 1000

/** Starts background work and loads what menus need, after the first view. Returns a function that cancels the wait. */
export function startBackground(user: string): () => void {
  const timer = setTimeout(() => {
    const running = import('../features/jobs/Running.tsx').then(({ showRunning }) => showRunning())
    for (const work of [recallUploads(user), running, import('../ui/OpenedMenu.tsx')])
      work.catch((error: unknown) => {
        // The user did not request it: the next view that fails to load reports the new version.
        if (!isOutdated(error)) throw error
      })
  }, LATER_MS)
  return () => clearTimeout(timer)
}
