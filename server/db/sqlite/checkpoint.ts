import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Commits between two checkpoints: some 16 MiB of WAL. */
const EVERY = 256
/** Frames (of 4 KiB) beyond which the WAL should restart from its beginning. */
const LONG_WAL = 16_384

type Order = 'checkpoint' | 'truncate' | 'stop'
type Answer = { frames: number } | { truncated: boolean } | { error: string }

export interface Checkpoints {
  /** To be called after each commit. */
  committed(): void
  /** Why the last checkpoint failed; undefined if it did not. The next one tries again. */
  failure(): Error | undefined
  /**
   * Copies the WAL and empties its file, unless someone is reading from it or writing just then; resolves to whether that
   * was done.
   */
  truncate(): Promise<boolean>
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
  let truncating: ReturnType<typeof Promise.withResolvers<boolean>> | undefined
  function startThread() {
    const worker = new Worker(new URL(import.meta.url), { workerData: file })
    worker.unref()
    worker.on('message', (answer: Answer) => {
      if ('truncated' in answer) return endTruncating(answer.truncated)
      running = false
      failure = 'error' in answer ? new Error(`Checkpoint: ${answer.error}`) : undefined
      if ('frames' in answer && answer.frames > LONG_WAL) finish()
    })
    worker.on('error', (error) => {
      failure = error as Error
    })
    worker.on('exit', () => endTruncating(false))
    return { worker, exited: once(worker, 'exit') }
  }
  function endTruncating(truncated: boolean) {
    truncating?.resolve(truncated)
    truncating = undefined
  }
  return {
    truncate() {
      if (!truncating) {
        truncating = Promise.withResolvers()
        thread ??= startThread()
        thread.worker.postMessage('truncate')
      }
      return truncating.promise
    },
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
  /**
   * First without a lock, so that little is left to copy while nobody may write. The rest waits for nobody: it would hold
   * the lock for as long as a reader goes on.
   */
  const truncate = (): Answer => {
    checkpoint()
    database.exec('pragma busy_timeout = 0')
    let truncated = false
    try {
      const { busy } = database.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
      truncated = busy === 0
    } catch {
      // It is tried again.
    }
    database.exec('pragma busy_timeout = 10000')
    return { truncated }
  }
  port.on('message', (order: Order) => {
    if (order === 'checkpoint') return port.postMessage(checkpoint())
    if (order === 'truncate') return port.postMessage(truncate())
    database.close()
    port.close()
  })
}

if (!isMainThread && parentPort && typeof workerData === 'string') serveCheckpoints(workerData, parentPort)
