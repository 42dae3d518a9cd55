import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { copyMetrics } from './copy-metrics.ts'
import { inventoryMetrics } from './inventory-metrics.ts'
import { replicationMetrics } from './replication-metrics.ts'

/**
 * One metric: this table creates it, documents it in docs/metrics.md and names its labels, which never contain user
 * data.
 */
export interface Metric {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  labels?: readonly string[]
  buckets?: readonly number[]
  /** How the values of several processes are combined in one scrape; default: their sum. */
  together?: 'sum' | 'first' | 'max'
}

const FAST = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]
const WIDE = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** Counted as things happen, in this process since it started. */
export const eventMetrics = {
  strongroom_http_requests_total: {
    type: 'counter',
    help: 'Completed requests by route template and status class. Route "unmatched": no such path; "unreadable": not HTTP.',
    labels: ['method', 'route', 'status'],
  },
  strongroom_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request’s headers to the end of its response; transfers take as long as the client does.',
    labels: ['method', 'route'],
    buckets: WIDE,
  },
  strongroom_http_slow_requests_total: {
    type: 'counter',
    help: 'Requests whose response took longer than SLOW_REQUEST_MS to start, not counting the time the client took to send.',
    labels: ['method', 'route'],
  },
  strongroom_http_requests_in_flight: { type: 'gauge', help: 'Requests currently being served.' },
  strongroom_http_received_bytes_total: { type: 'counter', help: 'Bytes of requests, including headers, before TLS.' },
  strongroom_http_sent_bytes_total: { type: 'counter', help: 'Bytes of responses, including headers, before TLS.' },
  strongroom_s3_requests_total: {
    type: 'counter',
    help: 'Completed S3 requests by operation and status. Operation "none": refused before it was known.',
    labels: ['operation', 'status'],
  },
  strongroom_s3_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from an S3 request’s headers to the end of its response.',
    labels: ['operation'],
    buckets: WIDE,
  },
  strongroom_s3_first_byte_seconds: {
    type: 'histogram',
    help: 'Time from an S3 request’s headers to the start of its response.',
    labels: ['operation'],
    buckets: WIDE,
  },
  strongroom_s3_refused_signatures_total: {
    type: 'counter',
    help: 'S3 requests refused for their signature or key, by reason.',
    labels: ['reason'],
  },
  strongroom_s3_second_chances_total: {
    type: 'counter',
    help: 'S3 requests whose signature was right only as a proxy had received them: under another host name, for example.',
  },
  strongroom_actions_total: {
    type: 'counter',
    help: 'Actions recorded in the audit log, by name: uploads, logins, denials and so on.',
    labels: ['action'],
  },
  strongroom_database_statement_seconds: {
    type: 'histogram',
    help: 'Statements sent to the database, including transaction control.',
    labels: ['kind'],
    buckets: FAST,
  },
  strongroom_database_failures_total: {
    type: 'counter',
    help: 'Failed statements and failed connection attempts.',
  },
  strongroom_database_wait_seconds_total: { type: 'counter', help: 'Time spent waiting for a free connection.' },
  strongroom_database_sync_seconds: {
    type: 'histogram',
    help: 'Time from a transaction’s commit until it is on disk (SQLite only; for PostgreSQL it is part of "commit").',
    buckets: FAST,
  },
  strongroom_storage_operation_seconds: {
    type: 'histogram',
    help: 'Time of storage calls. get: until the first byte; put and put_part: until durable, not counting waits for the client.',
    labels: ['operation'],
    buckets: WIDE,
  },
  strongroom_storage_failures_total: {
    type: 'counter',
    help: 'Failed storage calls, without those whose client disconnected or sent another length than it announced.',
    labels: ['operation'],
  },
  strongroom_storage_missing_total: {
    type: 'counter',
    help: 'Reads that found the bytes of an object missing or incomplete in storage; the log names the blob, and "strongroom verify" the object.',
  },
  strongroom_storage_written_bytes_total: { type: 'counter', help: 'Bytes written to storage.' },
  strongroom_storage_read_bytes_total: { type: 'counter', help: 'Bytes requested from storage.' },
  strongroom_collector_removed_blobs_total: {
    type: 'counter',
    help: 'Blobs removed because nothing references them.',
  },
  strongroom_damaged_reads_total: {
    type: 'counter',
    help: 'Reads of objects that failed because the stored bytes were changed or are missing, or because the key of encrypted ones cannot be had.',
    labels: ['reason'],
  },
  ...copyMetrics,
  ...replicationMetrics,
  ...inventoryMetrics,
  strongroom_webhook_attempts_total: {
    type: 'counter',
    help: 'Webhook delivery attempts by outcome: acknowledged, or the class of failure.',
    labels: ['outcome'],
  },
  strongroom_webhook_attempt_seconds: {
    type: 'histogram',
    help: 'Time of webhook delivery attempts, from the DNS lookup to the end of the response.',
    buckets: WIDE,
  },
  strongroom_mail_outcomes_total: {
    type: 'counter',
    help: 'Mails that ended, by kind and outcome: sent, failed, or unknown (the mail server did not answer). Attempts that are repeated are not counted.',
    labels: ['kind', 'outcome'],
  },
  strongroom_worker_runs_total: { type: 'counter', help: 'Completed runs of background workers.', labels: ['worker'] },
  strongroom_worker_failures_total: { type: 'counter', help: 'Failed runs of background workers.', labels: ['worker'] },
  strongroom_worker_seconds_total: {
    type: 'counter',
    help: 'Total run time of background workers.',
    labels: ['worker'],
  },
  strongroom_worker_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the worker’s last successful run.',
    labels: ['worker'],
    together: 'max',
  },
} as const satisfies { [name: string]: Metric }

/** Read when they are scraped. */
export const snapshotMetrics = {
  strongroom_build_info: {
    type: 'gauge',
    help: 'Always 1.',
    labels: ['version', 'node', 'database', 'storage'],
    together: 'first',
  },
  strongroom_images_total: {
    type: 'counter',
    help: 'Image requests by outcome: rendered, failed, hit (cache), joined (another request’s render), unchanged (304), refused (503).',
    labels: ['outcome'],
  },
  strongroom_image_render_seconds_total: {
    type: 'counter',
    help: 'Time spent rendering, by format.',
    labels: ['format'],
  },
  strongroom_image_wait_seconds_total: { type: 'counter', help: 'Time renders spent waiting for a slot.' },
  strongroom_image_rendered_bytes_total: { type: 'counter', help: 'Bytes produced by renders.' },
  strongroom_image_queue_length: { type: 'gauge', help: 'Renders waiting for a slot.' },
  strongroom_image_renders_in_flight: { type: 'gauge', help: 'Renders in progress.' },
  strongroom_image_source_bytes: { type: 'gauge', help: 'Bytes of source images in memory.' },
  strongroom_image_pixels: { type: 'gauge', help: 'Pixels of images in memory.' },
  strongroom_image_cache_bytes: { type: 'gauge', help: 'Disk space used by the image cache.' },
  strongroom_image_cache_max_bytes: { type: 'gauge', help: 'Maximum disk space of the image cache.' },
  strongroom_disk_free_bytes: {
    type: 'gauge',
    help: 'Free bytes of the disk of the SQLite database ("database") and of the files of the default storage ("storage").',
    labels: ['of'],
    together: 'first',
  },
  strongroom_disk_size_bytes: { type: 'gauge', help: 'Size of that disk.', labels: ['of'], together: 'first' },
  strongroom_disk_short: {
    type: 'gauge',
    help: 'Whether so little of that disk is left that uploads are refused (DISK_RESERVE_BYTES).',
    labels: ['of'],
    together: 'first',
  },
  strongroom_disk_reserve_bytes: {
    type: 'gauge',
    help: 'Size of the reserve next to the SQLite database; 0: it was let go because the disk was full, or there is none.',
    together: 'first',
  },
} as const satisfies { [name: string]: Metric }

/** Probed by the scraped process, on behalf of all. */
export const probeMetrics = {
  strongroom_database_up: {
    type: 'gauge',
    help: 'Whether the database responded; if 0, the queue metrics are missing.',
  },
  strongroom_storage_up: {
    type: 'gauge',
    help: 'Whether a test object could be written to a storage and removed, or, where there are only attached buckets, whether it can be listed. Without the label, the default storage.',
    labels: ['storage'],
  },
  strongroom_storage_latency_seconds: { type: 'gauge', help: 'How long that took.', labels: ['storage'] },
  strongroom_storage_free_bytes: {
    type: 'gauge',
    help: 'Free bytes of the disk of a storage of files.',
    labels: ['storage'],
  },
  strongroom_processes: {
    type: 'gauge',
    help: 'Processes combined in this scrape (`serve --workers`); those that do not respond within 2 s are left out.',
  },
  strongroom_processes_expected: {
    type: 'gauge',
    help: 'Processes that should be running; 0 if the primary did not respond and this scrape covers one process.',
  },
} as const satisfies { [name: string]: Metric }

/** Only with a database server. */
export const poolMetrics = {
  strongroom_database_connections: {
    type: 'gauge',
    help: 'Connections in the pool (PostgreSQL).',
    labels: ['state'],
  },
  strongroom_database_connections_max: { type: 'gauge', help: 'Maximum connections in the pool (PostgreSQL).' },
  strongroom_database_connection_waiters: {
    type: 'gauge',
    help: 'Requests waiting for a connection from the pool (PostgreSQL).',
  },
} as const satisfies { [name: string]: Metric }

interface Kinds {
  counter: Counter
  gauge: Gauge
  histogram: Histogram
}
export type Instruments<T extends { [name: string]: Metric }> = { readonly [N in keyof T]: Kinds[T[N]['type']] }
export type EventMetrics = Instruments<typeof eventMetrics>
export type SnapshotMetrics = Instruments<typeof snapshotMetrics>

/** Creates the metrics of a table, in a registry of their own. */
export function instrumentsOf<T extends { [name: string]: Metric }>(table: T, registry: Registry): Instruments<T> {
  const make = (name: string, { type, help, labels = [], buckets = [], together = 'sum' }: Metric) => {
    const shared = { name, help, labelNames: labels, registers: [registry], aggregator: together }
    if (type === 'counter') return new Counter(shared)
    if (type === 'gauge') return new Gauge(shared)
    return new Histogram({ ...shared, buckets: [...buckets] })
  }
  return Object.fromEntries(Object.entries(table).map(([name, one]) => [name, make(name, one)])) as never
}
