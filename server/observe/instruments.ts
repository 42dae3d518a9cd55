import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** One metric: this table makes it, describes it in docs/observability.md and names its labels, which are never names of users' things. */
interface Metric {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  labels?: readonly string[]
  buckets?: readonly number[]
  /** What becomes of the values of several processes that are scraped as one; default: their sum. */
  together?: 'sum' | 'first' | 'max'
}

const FAST = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]
const WIDE = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** Counted as things happen, in this process since its start. */
export const eventMetrics = {
  strongroom_http_requests_total: {
    type: 'counter',
    help: 'Requests that ended, by route template and status class. Route "unmatched": there is nothing at the path; "unreadable": no HTTP.',
    labels: ['method', 'route', 'status'],
  },
  strongroom_http_request_duration_seconds: {
    type: 'histogram',
    help: 'From the head of a request to the end of its answer; transfers last as long as the client takes.',
    labels: ['method', 'route'],
    buckets: WIDE,
  },
  strongroom_http_slow_requests_total: {
    type: 'counter',
    help: 'Requests whose answer took SLOW_REQUEST_MS to begin, without the time the client took to send.',
    labels: ['method', 'route'],
  },
  strongroom_http_requests_in_flight: { type: 'gauge', help: 'Requests being served now.' },
  strongroom_http_received_bytes_total: { type: 'counter', help: 'Bytes of requests, heads included, before TLS.' },
  strongroom_http_sent_bytes_total: { type: 'counter', help: 'Bytes of answers, heads included, before TLS.' },
  strongroom_actions_total: {
    type: 'counter',
    help: 'Actions recorded in the audit log, by name: uploads, logins, refusals and so on.',
    labels: ['action'],
  },
  strongroom_database_statement_seconds: {
    type: 'histogram',
    help: 'Statements sent to the database, transaction control included.',
    labels: ['kind'],
    buckets: FAST,
  },
  strongroom_database_failures_total: {
    type: 'counter',
    help: 'Statements that failed, and connections that could not be had.',
  },
  strongroom_database_wait_seconds_total: { type: 'counter', help: 'Time spent waiting for a free connection.' },
  strongroom_database_sync_seconds: {
    type: 'histogram',
    help: 'From the commit of a transaction until it is on disk (SQLite; of PostgreSQL it is a part of "commit").',
    buckets: FAST,
  },
  strongroom_storage_operation_seconds: {
    type: 'histogram',
    help: 'Calls to the storage. get: until the bytes begin; put and put_part: until they are durable, without waiting for the client.',
    labels: ['operation'],
    buckets: WIDE,
  },
  strongroom_storage_failures_total: {
    type: 'counter',
    help: 'Calls to the storage that failed, those that ended because the client left included.',
    labels: ['operation'],
  },
  strongroom_storage_written_bytes_total: { type: 'counter', help: 'Bytes of contents stored.' },
  strongroom_storage_read_bytes_total: { type: 'counter', help: 'Bytes of contents asked of the storage.' },
  strongroom_collector_removed_blobs_total: {
    type: 'counter',
    help: 'Contents removed because nothing points at them.',
  },
  strongroom_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts of this process by outcome: acknowledged, or the class of the failure.',
    labels: ['outcome'],
  },
  strongroom_webhook_attempt_seconds: {
    type: 'histogram',
    help: 'Attempts to deliver webhooks, from the DNS question to the end of the answer.',
    buckets: WIDE,
  },
  strongroom_worker_runs_total: { type: 'counter', help: 'Runs of background workers that ended.', labels: ['worker'] },
  strongroom_worker_failures_total: { type: 'counter', help: 'Runs that failed.', labels: ['worker'] },
  strongroom_worker_seconds_total: { type: 'counter', help: 'Time their runs took.', labels: ['worker'] },
  strongroom_worker_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When a run last ended without failing.',
    labels: ['worker'],
    together: 'max',
  },
} as const satisfies { [name: string]: Metric }

/** Looked at when they are asked for. */
export const snapshotMetrics = {
  strongroom_build_info: {
    type: 'gauge',
    help: 'Always 1.',
    labels: ['version', 'node', 'database', 'storage'],
    together: 'first',
  },
  strongroom_images_total: {
    type: 'counter',
    help: 'Images by what became of them: rendered, failed, hit (cache), joined (a render of someone else’s), unchanged (304), refused (503).',
    labels: ['outcome'],
  },
  strongroom_image_render_seconds_total: { type: 'counter', help: 'Time of rendering by format.', labels: ['format'] },
  strongroom_image_wait_seconds_total: { type: 'counter', help: 'Time that renders waited for a slot.' },
  strongroom_image_rendered_bytes_total: { type: 'counter', help: 'Bytes that renders made.' },
  strongroom_image_queue_length: { type: 'gauge', help: 'Renders that wait for a slot.' },
  strongroom_image_renders_in_flight: { type: 'gauge', help: 'Slots taken.' },
  strongroom_image_source_bytes: { type: 'gauge', help: 'Bytes of sources in memory.' },
  strongroom_image_pixels: { type: 'gauge', help: 'Pixels in memory.' },
  strongroom_image_cache_bytes: { type: 'gauge', help: 'Bytes on disk that the cache of images takes.' },
  strongroom_image_cache_max_bytes: { type: 'gauge', help: 'Most bytes it may take.' },
} as const satisfies { [name: string]: Metric }

/** Looked at by the process that is asked, for all. */
export const probeMetrics = {
  strongroom_database_up: {
    type: 'gauge',
    help: 'Whether the database answered; where it is 0, the metrics of queues are missing.',
  },
  strongroom_storage_up: { type: 'gauge', help: 'Whether bytes could be written to the storage and removed.' },
  strongroom_processes: {
    type: 'gauge',
    help: 'Processes whose values are in this scrape, added up (`serve --workers`); one that does not answer within 2 s is left out.',
  },
  strongroom_processes_expected: {
    type: 'gauge',
    help: 'Processes there should be; 0 where the primary did not answer and this scrape is of one process.',
  },
} as const satisfies { [name: string]: Metric }

/** What a server of databases adds. */
export const poolMetrics = {
  strongroom_database_connections: {
    type: 'gauge',
    help: 'Connections of the pool (PostgreSQL).',
    labels: ['state'],
  },
  strongroom_database_connections_max: { type: 'gauge', help: 'Most connections of the pool (PostgreSQL).' },
  strongroom_database_connection_waiters: {
    type: 'gauge',
    help: 'Who waits for a connection of the pool (PostgreSQL).',
  },
} as const satisfies { [name: string]: Metric }

/** What the database tells; missing where it does not. */
export const queueMetrics = {
  strongroom_webhook_deliveries: {
    type: 'gauge',
    help: 'Deliveries by state: queued (those of paused endpoints included) and in_flight. Of all processes; counted up to 10,000.',
    labels: ['state'],
  },
  strongroom_webhook_oldest_ready_seconds: {
    type: 'gauge',
    help: 'How long the longest-waiting delivery has been due that nothing holds back.',
  },
  strongroom_webhook_disabled_endpoints: { type: 'gauge', help: 'Endpoints that are paused or were disabled.' },
  strongroom_jobs: {
    type: 'gauge',
    help: 'Jobs by state: queued and running. Of all processes; counted up to 10,000.',
    labels: ['state'],
  },
  strongroom_jobs_oldest_ready_seconds: { type: 'gauge', help: 'How long the longest-waiting queued job has waited.' },
  strongroom_policy_runs: {
    type: 'gauge',
    help: 'Runs of cleanup policies that are not over: waiting and running. Of all processes.',
    labels: ['state'],
  },
  strongroom_policy_runs_oldest_ready_seconds: {
    type: 'gauge',
    help: 'How long the longest-waiting run has waited that nobody works on.',
  },
  strongroom_audit_unsealed_records: {
    type: 'gauge',
    help: 'Audit records that are not in the chain yet. Counted up to 10,000.',
  },
  strongroom_audit_oldest_unsealed_seconds: { type: 'gauge', help: 'How old the oldest of them is.' },
  strongroom_collector_blobs: {
    type: 'gauge',
    help: 'Contents waiting for the collector: check (their time to be looked at has come) and removal (their bytes are to be removed). Counted up to 10,000.',
    labels: ['state'],
  },
  strongroom_open_uploads: { type: 'gauge', help: 'Uploads in parts that are not completed. Counted up to 10,000.' },
} as const satisfies { [name: string]: Metric }

interface Kinds {
  counter: Counter
  gauge: Gauge
  histogram: Histogram
}
type Instruments<T extends { [name: string]: Metric }> = { readonly [N in keyof T]: Kinds[T[N]['type']] }
export type EventMetrics = Instruments<typeof eventMetrics>
export type SnapshotMetrics = Instruments<typeof snapshotMetrics>
export type QueueMetrics = Instruments<typeof queueMetrics>

/** The metrics of a table, in a registry of their own. */
export function instrumentsOf<T extends { [name: string]: Metric }>(table: T, registry: Registry): Instruments<T> {
  const make = (name: string, { type, help, labels = [], buckets = [], together = 'sum' }: Metric) => {
    const shared = { name, help, labelNames: labels, registers: [registry], aggregator: together }
    if (type === 'counter') return new Counter(shared)
    if (type === 'gauge') return new Gauge(shared)
    return new Histogram({ ...shared, buckets: [...buckets] })
  }
  return Object.fromEntries(Object.entries(table).map(([name, one]) => [name, make(name, one)])) as never
}
