import type { Metric } from './instruments.ts'

/** Only with BACKUP_URL, or on a standby. */
export const backupMetrics = {
  strongroom_backup_lag_seconds: {
    type: 'gauge',
    help: 'How long ago the moment is up to which the SQLite database can be recovered from the backup place; missing while it cannot be.',
    together: 'first',
  },
  strongroom_backup_up: {
    type: 'gauge',
    help: 'Whether the copy of the SQLite database at the backup place is whole and is being kept up to date.',
    together: 'first',
  },
  strongroom_standby_lag_seconds: {
    type: 'gauge',
    help: 'Of a standby that serves reads: how long ago the moment is up to which everything of the main service is here.',
    together: 'first',
  },
} as const satisfies { [name: string]: Metric }
