import { recallUploads } from '../features/uploads/open.ts'
import { isOutdated } from './new-version.ts'

const LATER_MS = 1000

/** What somebody does before they open a menu. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown'] as const

/**
 * Starts background work after the first view, and loads what menus need once somebody is there. Returns a function that cancels
 * the wait.
 */
export function startBackground(user: string): () => void {
  const waits = new AbortController()
  const timer = setTimeout(() => {
    start(recallUploads(user))
    start(import('../features/jobs/Running.tsx').then(({ showRunning }) => showRunning()))
    for (const sign of SIGNS) addEventListener(sign, loadMenus, { signal: waits.signal, passive: true })
  }, LATER_MS)
  const loadMenus = () => {
    waits.abort()
    start(import('../ui/OpenedMenu.tsx'))
  }
  return () => {
    clearTimeout(timer)
    waits.abort()
  }
}

const start = (work: Promise<unknown>): void =>
  void work.catch((error: unknown) => {
    // The user did not request it: the next view that fails to load reports the new version.
    if (!isOutdated(error)) throw error
  })
