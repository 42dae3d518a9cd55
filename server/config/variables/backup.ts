import { integer, matching } from './readers.ts'

/** Where the database is copied to. */
export const backupVariables = {
  BACKUP_URL: {
    summary:
      'Where the SQLite database is copied to all the time, to recover it on another machine: `file:<folder>` or `s3://…` as in STORAGE_URL; `storage:<name>`: below `database/` on a registered storage; `off`: nowhere. Default: with files as storage, nowhere; with an S3 store, below `database/` there (docs/recovery.md).',
    default: '',
    read: matching(
      /^$|^off$|^file:.+|^s3:\/\/.+|^storage:[a-z0-9-]+$/,
      'file:<folder>, s3://<bucket>, storage:<name> or off',
    ),
  },
  BACKUP_S3_ACCESS_KEY_ID: {
    secret: true,
    summary: 'Access key id for the S3 store of BACKUP_URL. Default: S3_ACCESS_KEY_ID.',
    default: '',
    read: String,
  },
  BACKUP_S3_SECRET_ACCESS_KEY: {
    secret: true,
    summary: 'The secret of BACKUP_S3_ACCESS_KEY_ID.',
    default: '',
    read: String,
  },
  STANDBY_MAX_LAG_SECONDS: {
    summary:
      'A standby that has not heard from the main service for longer answers reads with 503, and is not ready; 0: it answers however old its data is (docs/recovery.md).',
    default: '0',
    read: integer(0, 86_400 * 365),
  },
}
