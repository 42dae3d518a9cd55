import { setTimeout as pause } from 'node:timers/promises'
import { ProblemError } from '../client/index.ts'
import type { Run } from './run.ts'

/** Work of the service, and how its state is learned and shown. */
interface Work<T> {
  isOpen(state: T): boolean
  refresh(): Promise<T>
  line(state: T): string
  /** Says how to follow it again. */
  left: string
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2000
/** How long the service may be away, for example to be upgraded. */
const PATIENCE_MS = 5 * 60_000
/** How often there is a line where no terminal displays the progress. */
const LINE_EVERY_MS = 10_000

/** Waits for the end of work that the service does, and returns its last state. Leaves it running when interrupted. */
export async function follow<T>({ json, progress }: Run, started: T, work: Work<T>): Promise<T> {
  let state = started
  progress.line = () => work.line(state)
  progress.start()
  const interrupt = () => {
    progress.note(work.left)
    process.exit(130)
  }
  process.once('SIGINT', interrupt)
  let heard = Date.now()
  let noted = heard
  try {
    for (let ms = FIRST_PAUSE_MS; work.isOpen(state); ms = Math.min(LONGEST_PAUSE_MS, ms * 2)) {
      await pause(ms)
      try {
        state = await work.refresh()
        heard = Date.now()
      } catch (error) {
        if (!isAway(error) || Date.now() - heard > PATIENCE_MS) throw error
      }
      if (!progress.live && !json && Date.now() - noted >= LINE_EVERY_MS) {
        progress.note(work.line(state))
        noted = Date.now()
      }
    }
    return state
  } catch (error) {
    progress.note(work.left)
    throw error
  } finally {
    process.off('SIGINT', interrupt)
    progress.end()
  }
}

/** Whether an error is of a service that may be back soon. */
const isAway = (error: unknown): boolean =>
  error instanceof ProblemError ? error.status >= 500 || error.status === 429 : error instanceof TypeError
