import { expiryNotices as accessKeyNotices } from '../access/access-keys/service.ts'
import { forgetApprovals } from '../access/agent-limits/approvals/decide.ts'
import { expiryWorker } from '../access/auth/expiry.ts'
import { resetSender } from '../access/auth/send-resets.ts'
import { forgetMails, mailDispatcher } from '../access/mail/dispatcher.ts'
import { oauthExpiry } from '../access/oauth/grants.ts'
import { temporaryExpiry } from '../access/temporary/expiry.ts'
import { expiryNotices as tokenNotices } from '../access/tokens/service.ts'
import { collector, orphanCollector } from '../blobs/collector.ts'
import type { Config } from '../config/config.ts'
import type { Role } from '../config/role.ts'
import type { Ctx } from '../context.ts'
import { auditPurger } from '../features/audit/purge.ts'
import { auditSealer } from '../features/audit/seal.ts'
import { serviceKeyWorker } from '../features/encryption/rotate.ts'
import { imageCacheWorker } from '../features/images/service.ts'
import { forgetInventories, inventoryWorker } from '../features/inventories/workers.ts'
import { forgetRuns, policyWorker } from '../features/policies/workers.ts'
import { shareUpkeep } from '../features/shares/service.ts'
import { diskKeeper } from '../features/system/disks.ts'
import { webhookDispatcher } from '../features/webhooks/dispatcher.ts'
import { webhookKeeper } from '../features/webhooks/retention.ts'
import { measured, newMeter } from '../observe/meter.ts'
import { telemetryOf } from '../observe/telemetry.ts'
import { releasedBuckets } from '../storage/attached/release.ts'
import { hintWorker } from '../storage/attached/scans/hints.ts'
import { forgetScans, scanWorker } from '../storage/attached/scans/scan.ts'
import { forkWorker } from '../storage/forks/expiry.ts'
import { snapshotWorker } from '../storage/history/snapshots/expiry.ts'
import { trashWorker } from '../storage/history/trash/service.ts'
import { forgetJobs, jobWorker } from '../storage/jobs/runner.ts'
import { clockKeeper } from '../storage/locks/clock.ts'
import { fillWords } from '../storage/objects/query/filling/fill.ts'
import { replicator } from '../storage/replication/worker.ts'
import { storageWatch } from '../storage/storages/health.ts'
import { copyWorker } from '../storage/storages/mirrors/copies.ts'
import { scrubber } from '../storage/storages/mirrors/scrub.ts'
import { abandonedUploads } from '../storage/uploads/expiry.ts'
import { sweeper } from '../storage/uploads/service.ts'
import { usageRecorder } from '../storage/usage/record.ts'
import { reservationSweeper } from '../storage/usage/reservations/sweeper.ts'
import { typeCounter } from '../storage/usage/types/count.ts'
import { quotaWarnings } from '../storage/usage/warnings/announce.ts'
import type { ClockDoubt } from './clock.ts'
import { memoryRelease } from './memory.ts'

/** Background work. Any number of processes may run the same worker: it claims its work by rows. */
export interface Worker {
  name: string
  /** Milliseconds from the end of one run to the start of the next. */
  every: number | ((config: Config) => number)
  /** It works on this process's own state, so every process that answers requests runs it. */
  local?: true
  /** It deletes by age: it does not run while the clock is in doubt. */
  deletesByAge?: true
  run(ctx: Ctx): Promise<void>
  /** Also starts a run when notified, not only on the timer, until the returned function is called. */
  listen?(ctx: Ctx): () => void
}

/** Every worker of the service. */
const workers: readonly Worker[] = [
  collector,
  orphanCollector,
  copyWorker,
  scrubber,
  replicator,
  serviceKeyWorker,
  trashWorker,
  snapshotWorker,
  forkWorker,
  expiryWorker,
  oauthExpiry,
  temporaryExpiry,
  tokenNotices,
  accessKeyNotices,
  resetSender,
  mailDispatcher,
  forgetMails,
  forgetApprovals,
  sweeper,
  abandonedUploads,
  reservationSweeper,
  clockKeeper,
  jobWorker,
  fillWords,
  scanWorker,
  hintWorker,
  forgetScans,
  releasedBuckets,
  forgetJobs,
  shareUpkeep,
  imageCacheWorker,
  policyWorker,
  forgetRuns,
  inventoryWorker,
  forgetInventories,
  webhookDispatcher,
  webhookKeeper,
  auditSealer,
  auditPurger,
  usageRecorder,
  typeCounter,
  quotaWarnings,
  memoryRelease,
  diskKeeper,
  storageWatch,
]

/** The workers of a process with this role. */
export const workersOf = (role: Role): readonly Worker[] =>
  role === 'web' ? workers.filter(({ local }) => local) : workers

/**
 * Runs a worker once, counted and traced; rejects where the run does, and without a run while the clock is in doubt.
 */
export async function runWorker(worker: Worker, ctx: Ctx, clockDoubt: ClockDoubt): Promise<void> {
  const { metrics, traces } = telemetryOf(ctx.config)
  const name = { worker: worker.name }
  const doubt = worker.deletesByAge ? clockDoubt() : null
  if (doubt !== null) {
    metrics.strongroom_worker_runs_total.inc(name)
    metrics.strongroom_worker_failures_total.inc(name)
    ctx.log.error({ worker: worker.name }, `deletion by age is suspended: ${doubt}`)
    return
  }
  const meter = newMeter(null, traces?.beginRun(`worker ${worker.name}`))
  let failed = false
  try {
    await measured(meter, () => worker.run(ctx))
    metrics.strongroom_worker_last_success_timestamp_seconds.set(name, ctx.now().getTime() / 1000)
  } catch (error) {
    failed = true
    metrics.strongroom_worker_failures_total.inc(name)
    throw error
  } finally {
    metrics.strongroom_worker_runs_total.inc(name)
    metrics.strongroom_worker_seconds_total.inc(name, (performance.now() - meter.began) / 1000)
    meter.span?.end({ failed })
  }
}

/** Runs workers on their timers until `stop`, which resolves when none is running. A failed run is logged. */
export function startWorkers(ctx: Ctx, workers: readonly Worker[], clockDoubt: ClockDoubt): { stop(): Promise<void> } {
  let stopping = false
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  const schedule = (worker: Worker) => {
    const every = typeof worker.every === 'number' ? worker.every : worker.every(ctx.config)
    // A random spread of a fifth keeps replicas that started together apart.
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        const run = runWorker(worker, ctx, clockDoubt)
          .catch((error: unknown) => ctx.log.error({ err: error, worker: worker.name }, 'worker run failed'))
          .finally(() => {
            running.delete(run)
            if (!stopping) schedule(worker)
          })
        running.add(run)
      },
      every * (0.9 + Math.random() * 0.2),
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
