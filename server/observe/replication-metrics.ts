/** Counted of what is replicated to buckets of engines. */
export const replicationMetrics = {
  strongroom_replicated_total: {
    type: 'counter',
    help: 'Changes written to replicas of buckets: `copied`, `deleted`, or `failed` ones, which are not tried again.',
    labels: ['outcome'],
  },
} as const

/** Of what replicas lack; across all processes. */
export const replicaMetrics = {
  strongroom_replica_up: {
    type: 'gauge',
    help: 'Whether all replicas on a storage could be written to at the last attempt.',
    labels: ['storage'],
  },
  strongroom_replica_lag_seconds: {
    type: 'gauge',
    help: 'How long the oldest change has waited to be in its replica on a storage.',
    labels: ['storage'],
  },
  strongroom_replica_backlog_objects: {
    type: 'gauge',
    help: 'Changes that wait to be in the replicas on a storage.',
    labels: ['storage'],
  },
  strongroom_replica_backlog_bytes: { type: 'gauge', help: 'Bytes of these.', labels: ['storage'] },
  strongroom_replica_failed_objects: {
    type: 'gauge',
    help: 'Changes that could not be written to the replicas on a storage, and are not tried again by themselves.',
    labels: ['storage'],
  },
} as const
