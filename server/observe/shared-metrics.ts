import { copyQueueMetrics } from './copy-metrics.ts'
import type { Instruments, Metric } from './instruments.ts'
import { replicaMetrics } from './replication-metrics.ts'

/** Read from the database; missing if it does not respond. */
export const queueMetrics = {
  ...copyQueueMetrics,
  ...replicaMetrics,
  strongroom_webhook_deliveries: {
    type: 'gauge',
    help: 'Webhook deliveries by state: queued (including paused endpoints) and in_flight. Across all processes; counted up to 10,000.',
    labels: ['state'],
  },
  strongroom_webhook_oldest_ready_seconds: {
    type: 'gauge',
    help: 'How long the oldest ready delivery has been due.',
  },
  strongroom_webhook_disabled_endpoints: { type: 'gauge', help: 'Webhook endpoints that are paused or disabled.' },
  strongroom_mails: {
    type: 'gauge',
    help: 'Mails by state: queued (including those that are tried again later) and sending. Across all processes; counted up to 10,000.',
    labels: ['state'],
  },
  strongroom_mail_oldest_ready_seconds: { type: 'gauge', help: 'How long the oldest ready mail has been due.' },
  strongroom_jobs: {
    type: 'gauge',
    help: 'Jobs by state: queued and running. Across all processes; counted up to 10,000.',
    labels: ['state'],
  },
  strongroom_jobs_oldest_ready_seconds: { type: 'gauge', help: 'How long the oldest queued job has waited.' },
  strongroom_policy_runs: {
    type: 'gauge',
    help: 'Unfinished cleanup policy runs by state: waiting and running. Across all processes.',
    labels: ['state'],
  },
  strongroom_policy_runs_oldest_ready_seconds: {
    type: 'gauge',
    help: 'How long the oldest unclaimed run has waited.',
  },
  strongroom_audit_unsealed_records: {
    type: 'gauge',
    help: 'Audit records not sealed into the chain yet. Counted up to 10,000.',
  },
  strongroom_audit_oldest_unsealed_seconds: { type: 'gauge', help: 'Age of the oldest unsealed audit record.' },
  strongroom_collector_blobs: {
    type: 'gauge',
    help: 'Blobs waiting for the collector: check (due for a check) and removal (bytes to be removed). Counted up to 10,000.',
    labels: ['state'],
  },
  strongroom_open_uploads: { type: 'gauge', help: 'Unfinished multipart uploads. Counted up to 10,000.' },
  strongroom_stored_bytes: {
    type: 'gauge',
    help: 'Bytes of the objects and versions of all buckets, by whether they are encrypted. For each bucket: GET /usage.',
    labels: ['encrypted'],
  },
  strongroom_stored_objects: {
    type: 'gauge',
    help: 'Objects of all buckets, by whether they are encrypted.',
    labels: ['encrypted'],
  },
} as const satisfies { [name: string]: Metric }

export type QueueMetrics = Instruments<typeof queueMetrics>
