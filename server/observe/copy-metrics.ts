/** Counted of second copies and of the reading of all copies. */
export const copyMetrics = {
  strongroom_other_copy_reads_total: {
    type: 'counter',
    help: 'Reads that went to the other copy of a blob because one was damaged, missing, unreachable or too slow.',
  },
  strongroom_copies_made_total: {
    type: 'counter',
    help: 'Copies written to a place of a storage with a mirror: `new`, `existing`, or `healed` ones.',
    labels: ['kind'],
  },
  strongroom_scrubbed_bytes_total: { type: 'counter', help: 'Bytes of copies that were read and compared.' },
  strongroom_scrub_damaged_total: { type: 'counter', help: 'Copies that were found missing or damaged by that.' },
} as const

/** Of copies that are waiting to be made; across all processes. */
export const copyQueueMetrics = {
  strongroom_copies_due: {
    type: 'gauge',
    help: 'Copies that a place of a storage with a mirror lacks, by the name of the storage at that place.',
    labels: ['storage'],
  },
  strongroom_copies_oldest_due_seconds: {
    type: 'gauge',
    help: 'How long the copy that has waited longest has been due.',
    labels: ['storage'],
  },
} as const
