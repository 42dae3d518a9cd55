import { Registry } from 'prom-client'
import { DEFAULT_STORAGE, type StorageHealth } from '../../../contract/storages.ts'
import { findQueue as findMails } from '../../access/mail/store.ts'
import { within } from '../../base/deadline.ts'
import { version } from '../../base/version.ts'
import { databaseOf, isShort, measureDisks } from '../../blobs/room.ts'
import { findCollectable } from '../../blobs/sizes.ts'
import type { Ctx } from '../../context.ts'
import { engineOf } from '../../db/engine.ts'
import { backupMetrics } from '../../observe/backup-metrics.ts'
import {
  instrumentsOf,
  poolMetrics,
  probeMetrics,
  type SnapshotMetrics,
  snapshotMetrics,
} from '../../observe/instruments.ts'
import { detached } from '../../observe/meter.ts'
import { type Counted, ofAll, sumMetrics } from '../../observe/processes.ts'
import { type QueueMetrics, queueMetrics } from '../../observe/shared-metrics.ts'
import { processMetrics, telemetryOf } from '../../observe/telemetry.ts'
import { sumStored } from '../../storage/buckets/quotas/store.ts'
import { findQueue as findJobs } from '../../storage/jobs/queue.ts'
import { findReplicas } from '../../storage/replication/settings.ts'
import { checkAllStorages, lookAt } from '../../storage/storages/health.ts'
import { findCopiesDue } from '../../storage/storages/mirrors/settings.ts'
import { countOpenUploads } from '../../storage/uploads/store.ts'
import { findUnsealed } from '../audit/store.ts'
import { imageStatus } from '../images/service.ts'
import { findQueue as findPolicyRuns } from '../policies/store.ts'
import { webhookStatus } from '../webhooks/status.ts'
import { describeBackup } from './backup.ts'
import { sharedFor } from './share-result.ts'

/** Milliseconds that probe results are reused, and that database and storage have to respond. */
const FRESH_MS = 10_000
const DEADLINE_MS = 3000

type Queues = Awaited<ReturnType<typeof findQueues>>

/**
 * Every metric of the service at this address as text: all its processes added up, plus the shared queues. Does not
 * fail if database, storage or other processes do not respond.
 */
export async function scrape(ctx: Ctx): Promise<string> {
  const { queues, storages } = look(ctx)
  const { found, expected } = await ofAll(() => ownMetrics(ctx))
  const registry = new Registry()
  const metrics = instrumentsOf(probeMetrics, registry)
  const told = await queues
  metrics.strongroom_database_up.set(told ? 1 : 0)
  setStorages(metrics, await storages)
  metrics.strongroom_processes.set(found.length)
  metrics.strongroom_processes_expected.set(expected)
  if (told) setQueues(instrumentsOf(queueMetrics, registry), told, ctx.now().getTime())
  return `${await sumMetrics(found)}\n${await registry.metrics()}`
}

/** This process's own metrics. */
export async function ownMetrics(ctx: Ctx): Promise<Counted> {
  const { config } = ctx
  const registry = new Registry()
  const metrics = instrumentsOf(snapshotMetrics, registry)
  metrics.strongroom_build_info.set(
    {
      version,
      node: process.versions.node,
      database: engineOf(config.databaseUrl),
      storage: config.storageUrl.startsWith('s3:') ? 's3' : 'file',
    },
    1,
  )
  const telemetry = telemetryOf(config)
  const pool = telemetry.pool()
  if (pool) {
    const connections = instrumentsOf(poolMetrics, registry)
    connections.strongroom_database_connections.set({ state: 'idle' }, pool.idle)
    connections.strongroom_database_connections.set({ state: 'busy' }, pool.open - pool.idle)
    connections.strongroom_database_connections_max.set(pool.most)
    connections.strongroom_database_connection_waiters.set(pool.waiting)
  }
  setBackup(registry, ctx)
  setImages(metrics, ctx)
  await setDisks(metrics, ctx)
  const registries = [telemetry.registry, registry, processMetrics()]
  return (await Promise.all(registries.map((one) => one.getMetricsAsJSON()))).flat()
}

function setBackup(registry: Registry, ctx: Ctx): void {
  const { state, lag_seconds, standby } = describeBackup(ctx)
  if (state === 'off' && !standby) return
  const metrics = instrumentsOf(backupMetrics, registry)
  const setOrLeaveOut = (name: keyof typeof backupMetrics, value: number | null) =>
    value === null ? registry.removeSingleMetric(name) : metrics[name].set(value)
  setOrLeaveOut('strongroom_backup_up', standby ? null : state === 'following' ? 1 : 0)
  setOrLeaveOut('strongroom_backup_lag_seconds', lag_seconds)
  setOrLeaveOut('strongroom_standby_lag_seconds', standby?.lag_seconds ?? null)
}

/** Probes the database and the storage; `queues` is undefined if the database did not respond. */
const look = sharedFor(FRESH_MS, (ctx) =>
  // Not counted as part of the request that came first.
  detached(() => ({
    queues: inTime(ctx, 'database', findQueues(ctx)),
    // Without the database, nothing says which others there are.
    storages: within(2 * DEADLINE_MS, checkAllStorages(ctx)).catch(
      async () => new Map([[DEFAULT_STORAGE, await lookAt(ctx, undefined)]]),
    ),
  })),
)

async function inTime<T>(ctx: Ctx, name: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await within(DEADLINE_MS, work)
  } catch (error) {
    ctx.log.warn({ err: error }, `metrics: the ${name} did not respond`)
    return undefined
  }
}

async function findQueues(ctx: Ctx) {
  const now = ctx.now().toISOString()
  return {
    webhooks: await webhookStatus(ctx),
    mails: await findMails(ctx.db, now),
    jobs: await findJobs(ctx.db, now),
    runs: await findPolicyRuns(ctx.db, now),
    unsealed: await findUnsealed(ctx.db),
    collectable: await findCollectable(ctx.db, now),
    uploads: await countOpenUploads(ctx.db),
    copies: await findCopiesDue(ctx.db),
    replicas: await findReplicas(ctx),
    stored: await sumStored(ctx.db),
  }
}

function setQueues(metrics: QueueMetrics, found: Queues, now: number): void {
  const { webhooks, mails, jobs, runs, unsealed, collectable, uploads, copies, replicas, stored } = found
  const age = (since: string | null) => (since === null ? 0 : Math.max(0, (now - Date.parse(since)) / 1000))
  for (const { storage, count, since } of copies) {
    metrics.strongroom_copies_due.set({ storage }, count)
    metrics.strongroom_copies_oldest_due_seconds.set({ storage }, age(since))
  }
  for (const { storage, isUp, lag_seconds, objects, bytes, failed } of replicas) {
    metrics.strongroom_replica_up.set({ storage }, isUp ? 1 : 0)
    metrics.strongroom_replica_lag_seconds.set({ storage }, lag_seconds)
    metrics.strongroom_replica_backlog_objects.set({ storage }, objects)
    metrics.strongroom_replica_backlog_bytes.set({ storage }, bytes)
    metrics.strongroom_replica_failed_objects.set({ storage }, failed)
  }
  metrics.strongroom_webhook_deliveries.set({ state: 'queued' }, webhooks.queued)
  metrics.strongroom_webhook_deliveries.set({ state: 'in_flight' }, webhooks.inFlight)
  metrics.strongroom_webhook_oldest_ready_seconds.set(webhooks.oldestReadySeconds)
  metrics.strongroom_webhook_disabled_endpoints.set(webhooks.disabledEndpoints)
  metrics.strongroom_mails.set({ state: 'queued' }, mails.queued.count)
  metrics.strongroom_mails.set({ state: 'sending' }, mails.sending)
  metrics.strongroom_mail_oldest_ready_seconds.set(age(mails.queued.since))
  metrics.strongroom_jobs.set({ state: 'queued' }, jobs.queued.count)
  metrics.strongroom_jobs.set({ state: 'running' }, jobs.running)
  metrics.strongroom_jobs_oldest_ready_seconds.set(age(jobs.queued.since))
  metrics.strongroom_policy_runs.set({ state: 'waiting' }, runs.waiting.count)
  metrics.strongroom_policy_runs.set({ state: 'running' }, runs.running)
  metrics.strongroom_policy_runs_oldest_ready_seconds.set(age(runs.waiting.since))
  metrics.strongroom_audit_unsealed_records.set(unsealed.count)
  metrics.strongroom_audit_oldest_unsealed_seconds.set(age(unsealed.since))
  metrics.strongroom_collector_blobs.set({ state: 'check' }, collectable.check)
  metrics.strongroom_collector_blobs.set({ state: 'removal' }, collectable.removal)
  metrics.strongroom_open_uploads.set(uploads)
  metrics.strongroom_stored_bytes.set({ encrypted: 'yes' }, stored.encrypted_bytes)
  metrics.strongroom_stored_bytes.set({ encrypted: 'no' }, stored.bytes - stored.encrypted_bytes)
  metrics.strongroom_stored_objects.set({ encrypted: 'yes' }, stored.encrypted_objects)
  metrics.strongroom_stored_objects.set({ encrypted: 'no' }, stored.objects - stored.encrypted_objects)
}

function setStorages(
  metrics: ReturnType<typeof instrumentsOf<typeof probeMetrics>>,
  found: ReadonlyMap<string, StorageHealth>,
): void {
  metrics.strongroom_storage_up.set(found.get(DEFAULT_STORAGE)?.ok ? 1 : 0)
  for (const [storage, { ok, latency_ms, free_bytes }] of found) {
    metrics.strongroom_storage_up.set({ storage }, ok ? 1 : 0)
    metrics.strongroom_storage_latency_seconds.set({ storage }, latency_ms / 1000)
    if (free_bytes !== null) metrics.strongroom_storage_free_bytes.set({ storage }, free_bytes)
  }
}

async function setDisks(metrics: SnapshotMetrics, { config }: Ctx): Promise<void> {
  for (const disk of await measureDisks(config)) {
    if (disk.size === 0) continue
    const { of } = disk
    metrics.strongroom_disk_free_bytes.set({ of }, disk.free)
    metrics.strongroom_disk_size_bytes.set({ of }, disk.size)
    metrics.strongroom_disk_short.set({ of }, isShort(disk) ? 1 : 0)
  }
  const reserve = databaseOf(config)?.reserve
  if (reserve) metrics.strongroom_disk_reserve_bytes.set(reserve.held())
}

function setImages(metrics: SnapshotMetrics, ctx: Ctx): void {
  const status = imageStatus(ctx)
  const outcomes = {
    rendered: status.renders - status.failed,
    failed: status.failed,
    hit: status.hits,
    joined: status.joined,
    unchanged: status.unchanged,
    refused: status.refused,
  }
  for (const [outcome, count] of Object.entries(outcomes)) metrics.strongroom_images_total.inc({ outcome }, count)
  for (const [format, ms] of Object.entries(status.render_ms))
    metrics.strongroom_image_render_seconds_total.inc({ format }, ms / 1000)
  metrics.strongroom_image_wait_seconds_total.inc(status.waited_ms / 1000)
  metrics.strongroom_image_rendered_bytes_total.inc(status.bytes)
  metrics.strongroom_image_queue_length.set(status.queued)
  metrics.strongroom_image_renders_in_flight.set(status.rendering)
  metrics.strongroom_image_source_bytes.set(status.source_bytes)
  metrics.strongroom_image_pixels.set(status.pixels)
  metrics.strongroom_image_cache_bytes.set(status.cache_bytes)
  metrics.strongroom_image_cache_max_bytes.set(ctx.config.imageCacheBytes)
}
