import Type from 'typebox'
import { eventNames } from './events.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, NumberedPage, Page, Prefix, Timestamp } from './shapes.ts'
import { Line, Opaque, Plain } from './texts.ts'

const Name = Line(100)
const Url = Plain(2048, {
  minLength: 1,
  description: 'Receives the POSTs: http or https, without credentials or fragment, at an allowed address.',
  examples: ['https://hooks.example.com/strongroom'],
})
const Events = Type.Array(Opaque(64), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'Event names, or `*` for all.',
  examples: [['upload', 'delete']],
})
const MaxInFlight = Type.Integer({
  minimum: 1,
  maximum: 50,
  default: 2,
  description: 'Maximum deliveries in flight, across all replicas.',
})
const filter = {
  bucket: Nullable(BucketName, {
    description: 'Only events of this bucket; for moves, the source or the destination.',
  }),
  prefix: Nullable(Prefix, { description: 'Only events of keys with this prefix; requires `bucket`.' }),
}

const Format = Type.Enum(['strongroom', 's3'], {
  description:
    '`s3`: the bodies of S3’s event notifications, and only events that S3 has, about objects. `ping` is then `s3:TestEvent`.',
})

export const Webhook = Type.Object({
  id: Id,
  name: Name,
  url: Type.String(),
  events: Type.Array(Type.String()),
  ...filter,
  format: Format,
  enabled: Type.Boolean(),
  disabled_at: Nullable(Timestamp),
  disabled_reason: Nullable(Type.String(), { description: 'Null if an administrator paused it.' }),
  max_in_flight: MaxInFlight,
  rotation: Nullable(Type.Object({ promotes_at: Timestamp }), {
    description: 'When the new secret takes over; until then the old one signs `X-Strongroom-Signature`.',
  }),
  failing_since: Nullable(Timestamp, { description: 'Since when all attempts have failed.' }),
  cooling_until: Nullable(Timestamp, {
    description: 'After four consecutive failures, new deliveries wait until then; retries continue.',
  }),
  created_at: Timestamp,
  created_by: Nullable(Id),
})
export type Webhook = Type.Static<typeof Webhook>

const Secret = Type.String({ description: 'Signs every delivery. Returned only once; stored encrypted.' })
export const NewWebhook = Type.Object({ ...Webhook.properties, secret: Secret })
export type NewWebhook = Type.Static<typeof NewWebhook>

export const Delivery = Type.Object({
  id: Id,
  event: Type.String(),
  bucket: Nullable(Type.String(), {
    description: 'Where the event happened; null if it concerns no bucket, or once its audit record has been removed.',
  }),
  object_key: Nullable(Type.String(), { description: 'The object that the event concerns; null likewise.' }),
  status: Type.Enum(['queued', 'acknowledged', 'failed']),
  attempts: Type.Integer(),
  last_status_code: Nullable(Type.Integer()),
  last_error: Nullable(Type.String()),
  created_at: Timestamp,
  next_attempt_at: Nullable(Timestamp),
  acknowledged_at: Nullable(Timestamp),
})
export type Delivery = Type.Static<typeof Delivery>

export const ListedWebhook = Type.Object({
  ...Webhook.properties,
  last_delivery: Nullable(
    Type.Object({
      id: Id,
      event: Type.String(),
      status: Delivery.properties.status,
      attempts: Type.Integer(),
      at: Timestamp,
    }),
    { description: 'The latest delivery; null if there is none (any more).' },
  ),
  recent: Type.Object(
    { acknowledged: Type.Integer(), failed: Type.Integer() },
    { description: 'Outcomes of the deliveries that finished in the last 24 hours; at most the latest 500.' },
  ),
})
export type ListedWebhook = Type.Static<typeof ListedWebhook>

const Headers = Type.Record(Type.String(), Type.String())
export const Attempt = Type.Object({
  number: Type.Integer(),
  trigger: Type.Enum(['scheduled', 'manual', 'interrupted'], {
    description: '`interrupted`: the sending process ended; whether the receiver got it is unknown.',
  }),
  started_at: Timestamp,
  duration_ms: Type.Integer(),
  url: Type.String(),
  ip: Nullable(Type.String()),
  request_headers: Headers,
  status_code: Nullable(Type.Integer()),
  response_headers: Nullable(Headers),
  response_body: Nullable(Type.String(), { description: 'The first 16 KiB.' }),
  response_encoding: Nullable(Type.Enum(['utf-8', 'base64'])),
  response_truncated: Type.Boolean(),
  error_class: Nullable(Type.String(), {
    description:
      '`dns`, `blocked`, `connect`, `tls`, `timeout_headers`, `timeout_body`, `reset`, `protocol`, `http_status`, `proxy`, `secret`, `interrupted`.',
  }),
  error: Nullable(Type.String()),
})
export type Attempt = Type.Static<typeof Attempt>

/** What can be said of an endpoint. */
export const webhookFields = {
  name: Name,
  url: Url,
  events: Events,
  bucket: Type.Optional(filter.bucket),
  prefix: Type.Optional(filter.prefix),
  format: Type.Optional(Format),
  max_in_flight: Type.Optional(MaxInFlight),
  enabled: Type.Optional(Type.Boolean({ default: true })),
}

const common = { tag: 'webhooks', access: 'admin' } as const
const byId = Type.Object({ id: Id })
const byDelivery = Type.Object({ id: Id, delivery_id: Id })

export const operations = {
  createWebhook: route({
    ...common,
    method: 'POST',
    url: '/webhooks',
    summary: 'Register a webhook endpoint',
    description: 'The response contains the secret that signs its deliveries; it is never returned again.',
    status: 201,
    body: Exactly(webhookFields),
    reply: NewWebhook,
    errors: ['invalid_request', 'limit_reached'],
    records: ['webhook_create'],
  }),

  listWebhooks: route({
    ...common,
    method: 'GET',
    url: '/webhooks',
    summary: 'List endpoints, latest first',
    status: 200,
    query: Exactly({ limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }),
    reply: Type.Object({
      ...Page(ListedWebhook).properties,
      sending: Type.Boolean({ description: 'False if webhooks are disabled (`WEBHOOKS_ENABLED`).' }),
    }),
  }),

  listEvents: route({
    ...common,
    method: 'GET',
    url: '/webhooks/events',
    summary: 'List all events, with the JSON Schema of their bodies',
    status: 200,
    reply: Type.Object({
      items: Type.Array(
        Type.Object({
          name: Type.Enum([...eventNames]),
          summary: Type.String(),
          schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
        }),
      ),
    }),
  }),

  getWebhook: route({
    ...common,
    method: 'GET',
    url: '/webhooks/{id}',
    summary: 'Get an endpoint',
    status: 200,
    params: byId,
    reply: Webhook,
    errors: ['not_found'],
  }),

  updateWebhook: route({
    ...common,
    method: 'PATCH',
    url: '/webhooks/{id}',
    summary: 'Change, pause or resume an endpoint',
    description:
      'While `enabled` is false, no new events are queued for it and queued deliveries wait, for at most seven days. Enabling it resets its failures.',
    status: 200,
    params: byId,
    body: Type.Object(
      {
        name: Type.Optional(Name),
        url: Type.Optional(Url),
        events: Type.Optional(Events),
        bucket: Type.Optional(filter.bucket),
        prefix: Type.Optional(filter.prefix),
        format: Type.Optional(Format),
        max_in_flight: Type.Optional(MaxInFlight),
        enabled: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    reply: Webhook,
    errors: ['not_found', 'invalid_request'],
    records: ['webhook_update'],
  }),

  deleteWebhook: route({
    ...common,
    method: 'DELETE',
    url: '/webhooks/{id}',
    summary: 'Delete an endpoint, its queue and its log',
    status: 204,
    params: byId,
    errors: ['not_found'],
    records: ['webhook_delete'],
  }),

  rotateWebhookSecret: route({
    ...common,
    method: 'POST',
    url: '/webhooks/{id}/rotate-secret',
    summary: 'Rotate an endpoint’s secret',
    description:
      'During the grace period `X-Strongroom-Signature` is still signed with the old secret, `X-Strongroom-Signature-Next` with the new one and `webhook-signature` with both.',
    status: 200,
    params: byId,
    body: Exactly({
      grace_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 86_400,
          description: '0: the new secret signs at once.',
        }),
      ),
    }),
    bodyOptional: true,
    reply: NewWebhook,
    errors: ['not_found', 'conflict'],
    records: ['webhook_rotate'],
  }),

  promoteWebhookSecret: route({
    ...common,
    method: 'POST',
    url: '/webhooks/{id}/promote',
    summary: 'End the grace period: sign with the new secret from now on',
    status: 200,
    params: byId,
    reply: Webhook,
    errors: ['not_found', 'conflict'],
    records: ['webhook_promote'],
  }),

  testWebhook: route({
    ...common,
    method: 'POST',
    url: '/webhooks/{id}/test',
    summary: 'Send a `ping` to an endpoint, even a disabled one',
    status: 202,
    params: byId,
    reply: Delivery,
    errors: ['not_found', 'conflict'],
    records: ['ping'],
    rate: 'costly',
  }),

  recoverWebhook: route({
    ...common,
    method: 'POST',
    url: '/webhooks/{id}/recover',
    summary: 'Requeue all failed deliveries of a period, each with a full schedule of attempts',
    status: 202,
    params: byId,
    body: Exactly({ since: Timestamp, until: Type.Optional(Timestamp) }),
    reply: Type.Object({
      requeued: Type.Integer({ description: 'At most 10,000; repeat the request for the next ones.' }),
    }),
    errors: ['not_found', 'conflict'],
    records: ['webhook_recover'],
    rate: 'costly',
  }),

  listDeliveries: route({
    ...common,
    method: 'GET',
    url: '/webhooks/{id}/deliveries',
    summary: 'List an endpoint’s deliveries, latest first',
    status: 200,
    params: byId,
    query: Exactly({
      status: Type.Optional(Delivery.properties.status),
      event: Type.Optional(Type.String({ pattern: '^[a-z_]{1,64}$' })),
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
      page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    }),
    reply: Type.Object({
      ...NumberedPage(Delivery).properties,
      total_is_estimate: Type.Boolean({ description: 'Counting stops at 10,000 matches.' }),
    }),
    errors: ['not_found'],
  }),

  getDelivery: route({
    ...common,
    method: 'GET',
    url: '/webhooks/{id}/deliveries/{delivery_id}',
    summary: 'Get a delivery with its body and all attempts',
    status: 200,
    params: byDelivery,
    reply: Type.Object({
      ...Delivery.properties,
      body: Type.String({ description: 'The exact body signed and sent at every attempt.' }),
      attempt_log: Type.Array(Attempt),
    }),
    errors: ['not_found'],
  }),

  resendDelivery: route({
    ...common,
    method: 'POST',
    url: '/webhooks/{id}/deliveries/{delivery_id}/resend',
    summary: 'Resend a delivery, with the same id and body',
    description:
      'One attempt of a finished delivery, outside its schedule. A queued one is sent now; if it is its first attempt, new deliveries wait no longer. Not possible while it is in flight.',
    status: 202,
    params: byDelivery,
    reply: Delivery,
    errors: ['not_found', 'conflict'],
    records: ['webhook_resend'],
  }),
}
