import type { Metric } from './instruments.ts'

/** Only with BACKUP_URL. */
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
} as const satisfies { [name: string]: Metric }
