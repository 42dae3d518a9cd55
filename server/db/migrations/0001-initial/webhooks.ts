import type { ColumnTypes } from '../types.ts'

/** Endpoints, the deliveries to them, and every attempt at one. */
export const webhooks = ({ id, bytewise, text, timestamp, integer }: ColumnTypes): string[] => [
  `create table webhooks (
    id ${id} primary key,
    name ${text} not null,
    url ${text} not null,
    events ${text} not null,
    secret ${text} not null,
    created_at ${timestamp} not null,
    created_by ${id},
    disabled_at ${timestamp},
    bucket ${bytewise},
    prefix ${bytewise},
    next_secret ${text},
    promotes_at ${timestamp},
    max_in_flight ${integer} default 2 not null,
    disabled_reason ${text},
    failing_since ${timestamp},
    failed_deliveries ${integer} default 0 not null,
    failures_in_row ${integer} default 0 not null,
    cooling_until ${timestamp}
  )`,
  `create table webhook_deliveries (
    id ${id} primary key,
    webhook_id ${id} not null references webhooks (id) on delete cascade,
    audit_id ${id} not null,
    event ${text} not null,
    body ${text} not null,
    status ${text} not null,
    attempts ${integer} not null,
    last_status_code ${integer},
    last_error ${text},
    created_at ${timestamp} not null,
    next_attempt_at ${timestamp},
    acknowledged_at ${timestamp},
    schedule_from ${integer} default 0 not null,
    resend_from ${text},
    lease_token ${id},
    lease_until ${timestamp},
    leased_at ${timestamp},
    interruptions ${integer} default 0 not null,
    constraint webhook_deliveries_once unique (audit_id, webhook_id)
  )`,
  `create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, id) where status = 'queued'`,
  'create index webhook_deliveries_leased on webhook_deliveries (webhook_id, lease_until) where lease_token is not null',
  // What an endpoint that is cooling down still gets: everything but first attempts.
  `create index webhook_deliveries_begun on webhook_deliveries (webhook_id, next_attempt_at, id)
    where status = 'queued' and (attempts > 0 or event = 'ping')`,
  // What one that is disabled still gets.
  `create index webhook_deliveries_pings on webhook_deliveries (webhook_id) where status = 'queued' and event = 'ping'`,
  'create index webhook_deliveries_latest on webhook_deliveries (webhook_id, created_at, id)',
  `create index webhook_deliveries_failed on webhook_deliveries (created_at) where status = 'failed'`,
  `create table webhook_attempts (
    id ${id} primary key,
    delivery_id ${id} not null references webhook_deliveries (id) on delete cascade,
    number ${integer} not null,
    trigger ${text} not null,
    started_at ${timestamp} not null,
    duration_ms ${integer} not null,
    url ${text} not null,
    ip ${text},
    request_headers ${text} not null,
    response_headers ${text},
    status_code ${integer},
    response_body ${text},
    response_encoding ${text},
    response_truncated ${integer} not null,
    error_class ${text},
    error ${text}
  )`,
  'create index webhook_attempts_delivery on webhook_attempts (delivery_id, id)',
]
