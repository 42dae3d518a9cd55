import Type from 'typebox'
import { QuotaGb } from './buckets.ts'
import { route } from './route.ts'
import { BucketName, Exactly, Nullable, Timestamp } from './shapes.ts'

export const UsagePoint = Type.Object({
  time: Type.String({ format: 'date-time', description: 'Start of the hour or day (UTC).' }),
  used_bytes: Nullable(Type.Integer(), {
    description: 'Bytes of live objects at the last measurement in that period; null if there was none.',
  }),
  object_count: Nullable(Type.Integer()),
  uploaded_bytes: Type.Integer({ description: 'Bytes of contents received, including uploads that failed later.' }),
  downloaded_bytes: Type.Integer({ description: 'Bytes of contents, images and archives sent.' }),
  requests: Type.Integer(),
})
export type UsagePoint = Type.Static<typeof UsagePoint>

const EncryptedBytes = Type.Integer({ description: 'The part of `used_bytes` that is encrypted.' })
const EncryptedObjects = Type.Integer({ description: 'The part of `object_count` that is encrypted.' })

const Points = Type.Array(UsagePoint, {
  description: 'In chronological order. Periods when the service was not running are missing.',
})

export const operations = {
  usage: route({
    method: 'GET',
    url: '/usage',
    tag: 'buckets',
    summary: 'Get current usage of the buckets you can list as a whole, in total and each',
    description: 'Those you manage are included. Buckets of which you can list only folders are left out.',
    access: 'signed_in',
    status: 200,
    reply: Type.Object({
      used_bytes: Type.Integer(),
      object_count: Type.Integer(),
      trash_bytes: Type.Integer(),
      encrypted_bytes: EncryptedBytes,
      encrypted_objects: EncryptedObjects,
      buckets: Type.Array(
        Type.Object({
          name: BucketName,
          quota_gb: Nullable(QuotaGb),
          used_bytes: Type.Integer(),
          object_count: Type.Integer(),
          trash_bytes: Type.Integer(),
          encrypted_bytes: EncryptedBytes,
          encrypted_objects: EncryptedObjects,
        }),
      ),
    }),
  }),

  usageHistory: route({
    method: 'GET',
    url: '/usage/history',
    tag: 'buckets',
    summary: 'Get usage over time, by hour or day, of the buckets you can list as a whole',
    description:
      'Daily values are kept for 400 days, hourly ones for 35; a request may span at most as much. Traffic is counted in memory and written every minute. A `bucket` of which you can list only folders is refused (403).',
    access: 'signed_in',
    status: 200,
    query: Exactly({
      from: Type.Optional(Timestamp),
      to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive. Default: now.' })),
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 400,
          default: 30,
          description: 'Instead of `from`: this many days before `to`.',
        }),
      ),
      step: Type.Optional(Type.Enum(['hour', 'day'], { default: 'day' })),
      bucket: Type.Optional(BucketName),
      top: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 50,
          default: 20,
          description: 'How many buckets to list separately, largest first. The rest are added up.',
        }),
      ),
    }),
    reply: Type.Object({
      from: Timestamp,
      to: Timestamp,
      step: Type.Enum(['hour', 'day']),
      series: Type.Array(
        Type.Object({
          bucket: Nullable(BucketName, {
            description: 'Null: requests that concern no bucket. Only for administrators.',
          }),
          deleted: Type.Boolean({ description: 'The bucket no longer exists. Only for administrators.' }),
          points: Points,
        }),
        { description: 'Largest bucket first.' },
      ),
      others: Nullable(Type.Object({ buckets: Type.Integer(), points: Points }), {
        description: 'All other buckets together.',
      }),
      totals: Type.Object({
        uploaded_bytes: Type.Integer(),
        downloaded_bytes: Type.Integer(),
        requests: Type.Integer(),
      }),
      failed_deliveries: Nullable(Type.Integer(), {
        description: 'Webhook deliveries of that period that failed permanently. Null unless you are an administrator.',
      }),
    }),
    errors: ['invalid_request', 'not_found'],
  }),

  usageTypes: route({
    method: 'GET',
    url: '/usage/types',
    tag: 'buckets',
    summary: 'Get usage by content type, in the buckets you can list as a whole',
    description:
      'Counted in the background: hourly for buckets that changed in size or object count, else daily. A `bucket` of which you can list only folders is refused (403).',
    access: 'signed_in',
    status: 200,
    query: Exactly({ bucket: Type.Optional(BucketName) }),
    reply: Type.Object({
      items: Type.Array(
        Type.Object({
          content_type: Nullable(Type.String(), {
            description: 'In lower case, without parameters; null for all less common ones together.',
          }),
          used_bytes: Type.Integer(),
          object_count: Type.Integer(),
        }),
        { description: 'Largest first.' },
      ),
      counted_at: Nullable(Timestamp, {
        description: 'The time of the least recently counted bucket; null if none was counted yet.',
      }),
    }),
    errors: ['not_found'],
  }),
}
