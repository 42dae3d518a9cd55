import { recallUploads } from '../upload/open.ts'

const LATER_MS = 1000

/** What goes on whatever view is open; fetched once the first view has had its turn. Gives what stops the wait. */
export function startBackground(user: string): () => void {
  const timer = setTimeout(() => {
    void recallUploads(user)
    void import('../features/jobs/Running.tsx').then(({ showRunning }) => showRunning())
  }, LATER_MS)
  return () => clearTimeout(timer)
}
