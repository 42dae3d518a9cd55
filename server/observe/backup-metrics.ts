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
    help: 'Of a standby that serves reads: for how long it has not heard from the main service, or not had everything; missing while it has not since it was started.',
    together: 'first',
  },
} as const satisfies { [name: string]: Metric }
