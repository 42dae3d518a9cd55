import { expiryWorker } from './auth/service.ts'
import { collector } from './blobs/collector.ts'
import type { Ctx } from './context.ts'
import { imageCacheWorker } from './images/service.ts'
import { forgetJobs, jobWorker } from './jobs/service.ts'
import { forgetRuns, policyWorker } from './policies/service.ts'
import { forgetAccesses } from './shares/service.ts'
import { expiryNotices } from './tokens/service.ts'
import { trashWorker } from './trash/service.ts'
import { sweeper } from './uploads/service.ts'
import { webhookDispatcher } from './webhooks/dispatcher.ts'
import { webhookKeeper } from './webhooks/keeping.ts'

/** Work outside of requests. Any number of processes may run the same one: it claims what it does by rows. */
export interface Worker {
  name: string
  /** Milliseconds from the end of one run to the start of the next. */
  every: number
  run(ctx: Ctx): Promise<void>
  /** Begins to work also when it is told to, not on the timer alone; until the function it gives is called. */
  listen?(ctx: Ctx): () => void
}

/** Every worker of the service. */
export const workers: readonly Worker[] = [
  collector,
  trashWorker,
  expiryWorker,
  expiryNotices,
  sweeper,
  jobWorker,
  forgetJobs,
  forgetAccesses,
  imageCacheWorker,
  policyWorker,
  forgetRuns,
  webhookDispatcher,
  webhookKeeper,
]

/** Runs the workers on their timers until `stop`, which resolves when none is running. A failed run is logged. */
export function startWorkers(ctx: Ctx): { stop(): Promise<void> } {
  let stopping = false
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  const schedule = (worker: Worker) => {
    // A spread of a fifth keeps replicas that started together apart.
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        const run = worker
          .run(ctx)
          .catch((error: unknown) => ctx.log.error({ err: error, worker: worker.name }, 'a worker failed'))
          .finally(() => {
            running.delete(run)
            if (!stopping) schedule(worker)
          })
        running.add(run)
      },
      worker.every * (0.9 + Math.random() * 0.2),
    )
    timer.unref()
    timers.add(timer)
  }
  for (const worker of workers) schedule(worker)
  const listening = workers.flatMap((worker) => worker.listen?.(ctx) ?? [])
  return {
    async stop() {
      stopping = true
      for (const end of listening) end()
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}
