import { recallUploads } from '../features/uploads/open.ts'
import { isOutdated } from './outdated.ts'

const LATER_MS = 1000

/** What goes on whatever view is open; fetched once the first view has had its turn. Gives what stops the wait. */
export function startBackground(user: string): () => void {
  const timer = setTimeout(() => {
    const running = import('../features/jobs/Running.tsx').then(({ showRunning }) => showRunning())
    for (const work of [recallUploads(user), running])
      work.catch((error: unknown) => {
        // Nobody asked for it: the next view that cannot be fetched tells that there is a newer page.
        if (!isOutdated(error)) throw error
      })
  }, LATER_MS)
  return () => clearTimeout(timer)
}
