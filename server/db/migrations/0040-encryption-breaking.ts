import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Encryption at rest. Only adds nullable columns, so it takes no longer on large tables. Breaking because an earlier
 * release would answer with encrypted bytes as they are stored, and would write new contents beside an old key.
 */
export const encryption = ({ engine, text, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      ...['objects', 'versions', 'trash', 'uploads', 'buckets'].map(
        (table) => `alter table ${table} add column encryption ${text}`,
      ),
      `alter table uploads add column envelope ${text}`,
      `alter table upload_parts add column salt ${text}`,
      `alter table blobs add column envelope ${text}`,
      `alter table blobs add column service_key ${integer}`,
      'create index blobs_by_service_key on blobs (service_key, id) where service_key is not null',
      `create table encryption_keys (
        version ${integer} not null constraint encryption_keys_pkey primary key,
        sealed ${text} not null,
        created_at ${timestamp} not null,
        retired_at ${timestamp}
      )`,
      `create table kms_keys (
        name ${text} not null constraint kms_keys_pkey primary key,
        kind ${text} not null,
        endpoint ${text},
        region ${text},
        key_id ${text} not null,
        mount ${text},
        access_key_id ${text},
        secret ${text},
        created_at ${timestamp} not null,
        created_by ${text},
        disabled_at ${timestamp}
      )`,
    ])
      await sql.raw(statement).execute(db)
    if (engine === 'sqlite')
      await sql
        .raw(
          `create trigger buckets_revised_by_encryption after update of encryption on buckets
            begin update instance set revision = revision + 1; end`,
        )
        .execute(db)
  },
})
