import { collectDefaultMetrics, Registry } from 'prom-client'
import { perSystem } from '../base/per-system.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { engineOf } from '../db/engine.ts'
import type { DatabaseObserver } from '../db/observe.ts'
import { BlobMissing } from '../drivers/driver.ts'
import type { BlobObserver } from '../drivers/observe.ts'
import { type EventMetrics, eventMetrics, instrumentsOf } from './instruments.ts'
import { currentMeter } from './meter.ts'
import type { Tracing } from './traces.ts'

/** The service's own metrics and traces. */
export interface Telemetry {
  registry: Registry
  metrics: EventMetrics
  /** Undefined if tracing is off. */
  traces: Tracing | undefined
  /** The database connection pool; null with SQLite. */
  pool: Database['pool']
}

export const telemetryOf = perSystem((): Telemetry => {
  const registry = new Registry()
  return { registry, metrics: instrumentsOf(eventMetrics, registry), traces: undefined, pool: () => null }
})

let own: Registry | undefined
/** Memory, CPU, garbage collection and event loop lag of the process. */
export function processMetrics(): Registry {
  if (!own) {
    own = new Registry()
    collectDefaultMetrics({ register: own })
  }
  return own
}

const SYSTEMS = { sqlite: 'sqlite', postgres: 'postgresql' } as const

/** Observes database calls for metrics, for the current request, and for traces (statement text, never values). */
export function databaseObserver(config: Config): DatabaseObserver {
  const { metrics } = telemetryOf(config)
  const seconds = metrics.strongroom_database_statement_seconds
  const kinds = new Map<string, { observe(value: number): void }>()
  const system = SYSTEMS[engineOf(config.databaseUrl)]
  return {
    statement(kind, text, began, error) {
      const ms = performance.now() - began
      let histogram = kinds.get(kind)
      if (!histogram) {
        histogram = seconds.labels({ kind })
        kinds.set(kind, histogram)
      }
      histogram.observe(ms / 1000)
      if (error !== undefined) metrics.strongroom_database_failures_total.inc()
      const meter = currentMeter()
      if (!meter) return
      meter.databaseMs += ms
      meter.statements++
      meter.span?.step(
        `database ${kind}`,
        began,
        { 'db.system.name': system, 'db.operation.name': kind, 'db.query.text': text },
        error,
      )
    },
    waited(began, error) {
      const ms = performance.now() - began
      metrics.strongroom_database_wait_seconds_total.inc(ms / 1000)
      if (error !== undefined) metrics.strongroom_database_failures_total.inc()
      const meter = currentMeter()
      if (!meter) return
      meter.databaseMs += ms
      if (ms >= 1) meter.span?.step('database wait', began, { 'db.system.name': system }, error)
    },
    synced(began) {
      const ms = performance.now() - began
      metrics.strongroom_database_sync_seconds.observe(ms / 1000)
      const meter = currentMeter()
      if (!meter) return
      meter.databaseMs += ms
      meter.span?.step('database sync', began, { 'db.system.name': system })
    },
  }
}

/** Observes storage calls likewise. */
export function blobObserver(config: Config): BlobObserver {
  const { metrics } = telemetryOf(config)
  return ({ operation, began, clientMs, read = 0, written = 0, error, bySource }) => {
    const ms = performance.now() - began - clientMs
    metrics.strongroom_storage_operation_seconds.observe({ operation }, ms / 1000)
    if (error !== undefined && !bySource) metrics.strongroom_storage_failures_total.inc({ operation })
    if (operation === 'get' && error instanceof BlobMissing) metrics.strongroom_storage_missing_total.inc()
    if (read > 0) metrics.strongroom_storage_read_bytes_total.inc(read)
    if (written > 0) metrics.strongroom_storage_written_bytes_total.inc(written)
    const meter = currentMeter()
    if (!meter) return
    meter.storageMs += ms
    meter.clientMs += clientMs
    const bytes = read + written
    meter.span?.step(`storage ${operation}`, began, bytes > 0 ? { 'strongroom.storage.bytes': bytes } : {}, error)
  }
}
