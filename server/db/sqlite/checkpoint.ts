import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Commits between two checkpoints: some 16 MiB of WAL. */
const EVERY = 256
/** Frames (of 4 KiB) beyond which the WAL should restart from its beginning. */
const LONG_WAL = 16_384

type Answer = { frames: number } | { error: string }

export interface Checkpoints {
  /** To be called after each commit. */
  committed(): void
  /** Why the last checkpoint failed; undefined if it did not. The next one tries again. */
  failure(): Error | undefined
  /** Resolves when the thread and its connection are gone. */
  stop(): Promise<void>
}

/**
 * Copies the WAL into the database on a thread of its own, so that no request waits for those writes and syncs. While
 * others keep writing, the thread never quite catches up and the file would grow: once it is long, `finish` copies the
 * rest on the writer's connection, and the next commit restarts the file. The thread starts with the first checkpoint:
 * what only looks or writes little has none.
 */
export function startCheckpoints(file: string, finish: () => void): Checkpoints {
  let thread: { worker: Worker; exited: Promise<unknown> } | undefined
  let commits = 0
  let running = false
  let failure: Error | undefined
  function startThread() {
    const worker = new Worker(new URL(import.meta.url), { workerData: file })
    worker.unref()
    worker.on('message', (answer: Answer) => {
      running = false
      failure = 'error' in answer ? new Error(`Checkpoint: ${answer.error}`) : undefined
      if ('frames' in answer && answer.frames > LONG_WAL) finish()
    })
    worker.on('error', (error) => {
      failure = error as Error
    })
    return { worker, exited: once(worker, 'exit') }
  }
  return {
    committed() {
      if (++commits < EVERY || running) return
      commits = 0
      running = true
      thread ??= startThread()
      thread.worker.postMessage('checkpoint')
    },
    failure: () => failure,
    async stop() {
      if (!thread) return
      // Otherwise a process with nothing else to do exits while the connection is still open.
      thread.worker.ref()
      thread.worker.postMessage('stop')
      await thread.exited
    },
  }
}

function serveCheckpoints(file: string, port: NonNullable<typeof parentPort>): void {
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.exec('pragma synchronous = normal')
  const checkpoint = (): Answer => {
    try {
      const { log } = database.prepare('pragma wal_checkpoint(passive)').get() as { log: number }
      return { frames: log }
    } catch (error) {
      return { error: (error as Error).message }
    }
  }
  port.on('message', (order: 'checkpoint' | 'stop') => {
    if (order === 'checkpoint') return port.postMessage(checkpoint())
    database.close()
    port.close()
  })
}

if (!isMainThread && parentPort && typeof workerData === 'string') serveCheckpoints(workerData, parentPort)
