import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What sending takes: leases, schedules, secrets that change, filters, the clock of failures, every attempt. */
export const webhooks = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const endpoints = db.schema.alterTable('webhook_endpoints')
    const deliveries = db.schema.alterTable('webhook_deliveries')
    for (const column of [
      endpoints.addColumn('bucket', t.bytewise),
      endpoints.addColumn('prefix', t.bytewise),
      endpoints.addColumn('next_secret', t.text),
      endpoints.addColumn('promotes_at', t.timestamp),
      endpoints.addColumn('max_in_flight', t.integer, (c) => c.notNull().defaultTo(2)),
      endpoints.addColumn('disabled_reason', t.text),
      endpoints.addColumn('failing_since', t.timestamp),
      endpoints.addColumn('failed_deliveries', t.integer, (c) => c.notNull().defaultTo(0)),
      endpoints.addColumn('failures_in_row', t.integer, (c) => c.notNull().defaultTo(0)),
      endpoints.addColumn('cooling_until', t.timestamp),
      deliveries.addColumn('schedule_from', t.integer, (c) => c.notNull().defaultTo(0)),
      deliveries.addColumn('resend_from', t.text),
      deliveries.addColumn('lease_token', t.id),
      deliveries.addColumn('lease_until', t.timestamp),
      deliveries.addColumn('leased_at', t.timestamp),
      deliveries.addColumn('interruptions', t.integer, (c) => c.notNull().defaultTo(0)),
    ])
      await column.execute()

    const index = (name: string) => db.schema.createIndex(name).on('webhook_deliveries')
    await index('webhook_deliveries_leased')
      .columns(['endpoint_id', 'lease_until'] as never[])
      .where(sql.ref('lease_token'), 'is not', sql.lit(null))
      .execute()
    // What an endpoint that is cooling down still gets: everything but first attempts.
    await index('webhook_deliveries_begun')
      .columns(['endpoint_id', 'next_attempt_at', 'id'] as never[])
      .where(sql<boolean>`status = 'queued' and (attempts > 0 or event = 'ping')` as never)
      .execute()
    // What one that is disabled still gets.
    await index('webhook_deliveries_pings')
      .columns(['endpoint_id'])
      .where(sql<boolean>`status = 'queued' and event = 'ping'` as never)
      .execute()
    await index('webhook_deliveries_latest').columns(['endpoint_id', 'created_at', 'id']).execute()

    await db.schema
      .createTable('webhook_attempts')
      .addColumn('id', t.id, (c) => c.primaryKey())
      .addColumn('delivery_id', t.id, (c) => c.notNull().references('webhook_deliveries.id').onDelete('cascade'))
      .addColumn('number', t.integer, (c) => c.notNull())
      .addColumn('trigger', t.text, (c) => c.notNull())
      .addColumn('started_at', t.timestamp, (c) => c.notNull())
      .addColumn('duration_ms', t.integer, (c) => c.notNull())
      .addColumn('url', t.text, (c) => c.notNull())
      .addColumn('ip', t.text)
      .addColumn('request_headers', t.text, (c) => c.notNull())
      .addColumn('response_headers', t.text)
      .addColumn('status_code', t.integer)
      .addColumn('response_body', t.text)
      .addColumn('response_encoding', t.text)
      .addColumn('response_truncated', t.integer, (c) => c.notNull())
      .addColumn('error_class', t.text)
      .addColumn('error', t.text)
      .execute()
    await db.schema
      .createIndex('webhook_attempts_delivery')
      .on('webhook_attempts')
      .columns(['delivery_id', 'id'])
      .execute()
  },
})
