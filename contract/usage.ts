import Type from 'typebox'
import { QuotaGb } from './buckets.ts'
import { route } from './route.ts'
import { BucketName, Exactly, Nullable, Timestamp } from './shapes.ts'

export const UsagePoint = Type.Object({
  time: Type.String({ format: 'date-time', description: 'When the hour or day (UTC) begins.' }),
  used_bytes: Nullable(Type.Integer(), {
    description: 'Bytes of live objects as they were found last within that time; null where nobody looked.',
  }),
  object_count: Nullable(Type.Integer()),
  uploaded_bytes: Type.Integer({ description: 'Bytes of contents received, also of uploads that failed later.' }),
  downloaded_bytes: Type.Integer({ description: 'Bytes sent of contents, images and archives.' }),
  requests: Type.Integer(),
})
export type UsagePoint = Type.Static<typeof UsagePoint>

const Points = Type.Array(UsagePoint, {
  description: 'In order of time. A time at which the service did not run is missing.',
})

export const operations = {
  usage: route({
    method: 'GET',
    url: '/usage',
    tag: 'buckets',
    summary: 'Totals over the buckets you have a grant on, and each',
    access: 'signed_in',
    status: 200,
    reply: Type.Object({
      used_bytes: Type.Integer(),
      object_count: Type.Integer(),
      trash_bytes: Type.Integer(),
      buckets: Type.Array(
        Type.Object({
          name: BucketName,
          quota_gb: Nullable(QuotaGb),
          used_bytes: Type.Integer(),
          object_count: Type.Integer(),
          trash_bytes: Type.Integer(),
        }),
      ),
    }),
  }),

  usageHistory: route({
    method: 'GET',
    url: '/usage/history',
    tag: 'buckets',
    summary: 'Usage over time, by hour or day, of the buckets you have a grant on',
    description:
      'Days are kept for 400 days, hours for 35: that is also the most one request may span. Traffic is counted in memory and written every minute.',
    access: 'signed_in',
    status: 200,
    query: Exactly({
      from: Type.Optional(Timestamp),
      to: Type.Optional(Type.String({ format: 'date-time', description: 'Excluded. Default: now.' })),
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 400,
          default: 30,
          description: 'Instead of `from`: so many days up to `to`.',
        }),
      ),
      step: Type.Optional(Type.Enum(['hour', 'day'], { default: 'day' })),
      bucket: Type.Optional(BucketName),
      top: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 50,
          default: 20,
          description: 'How many buckets are told apart: those that held most. The rest is added up.',
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
            description: 'Null: requests that are about no bucket. Only for administrators.',
          }),
          deleted: Type.Boolean({ description: 'The bucket is not there any more. Only for administrators.' }),
          points: Points,
        }),
        { description: 'The bucket that held most first.' },
      ),
      others: Nullable(Type.Object({ buckets: Type.Integer(), points: Points }), {
        description: 'All further buckets together.',
      }),
      totals: Type.Object({
        uploaded_bytes: Type.Integer(),
        downloaded_bytes: Type.Integer(),
        requests: Type.Integer(),
      }),
      failed_deliveries: Nullable(Type.Integer(), {
        description: 'Webhook deliveries of that time that failed for good. Null for who is no administrator.',
      }),
    }),
    errors: ['invalid_request', 'not_found'],
  }),

  usageTypes: route({
    method: 'GET',
    url: '/usage/types',
    tag: 'buckets',
    summary: 'What is stored by content type, in the buckets you have a grant on',
    description: 'Counted in the background: hourly where a bucket changed in size or number, else daily.',
    access: 'signed_in',
    status: 200,
    query: Exactly({ bucket: Type.Optional(BucketName) }),
    reply: Type.Object({
      items: Type.Array(
        Type.Object({
          content_type: Nullable(Type.String(), {
            description: 'In lower case, without parameters; null for all rarer ones together.',
          }),
          used_bytes: Type.Integer(),
          object_count: Type.Integer(),
        }),
        { description: 'The one with most bytes first.' },
      ),
      counted_at: Nullable(Timestamp, {
        description: 'Of the bucket that was counted longest ago; null while none was counted.',
      }),
    }),
    errors: ['not_found'],
  }),
}
