import { ServiceError } from '../../../contract/errors.ts'
import type { Copied } from '../database.ts'

/** Rejects, naming the tools that copy a PostgreSQL database. */
export const refuseBackup = (): Promise<Copied> =>
  Promise.reject(
    new ServiceError(
      'invalid_request',
      '`backup` copies SQLite databases. Of PostgreSQL, use pg_dump or pg_basebackup, then copy the blobs: docs/operations.md.',
    ),
  )
