import type { ActionDetails, ActionName } from '../../../contract/actions.ts'
import { canonicalId } from '../../base/canonical-id.ts'
import type { Row } from '../../db/schema.ts'

// Events as S3 sends them: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html

type Record = Row<'audit'>
/** Where something happened, and how S3 calls it. */
interface Happening {
  name: string
  bucket: string
  key: string
  size?: number
  etag?: string
  version_id?: string | undefined
}

const detailsOf = <N extends ActionName>(record: Record): ActionDetails[N] =>
  JSON.parse(record.details) as ActionDetails[N]

/** A policy's removals are S3's expirations; whether a marker was left, or contents went. */
const removed = (byPolicy: boolean, marker: boolean): string =>
  `${byPolicy ? 'LifecycleExpiration' : 'ObjectRemoved'}:${marker ? 'DeleteMarkerCreated' : 'Delete'}`

/** What a record is to S3: nothing where S3 has no such event, two happenings for a move. */
function happeningsOf(record: Record): Happening[] {
  const { bucket, object_key: key } = record
  if (bucket === null || key === null) return []
  // A long change is several records, of which the first tells of it.
  const { part } = JSON.parse(record.details) as { part?: { number: number } }
  if (part && part.number > 1) return []
  const at = { bucket, key }
  switch (record.action as ActionName) {
    case 'upload': {
      const { size, etag, parts, version_id } = detailsOf<'upload'>(record)
      const name = parts === undefined ? 'ObjectCreated:Put' : 'ObjectCreated:CompleteMultipartUpload'
      return [{ name, ...at, size, etag, version_id }]
    }
    case 'copy': {
      const { size, etag, version_id } = detailsOf<'copy'>(record)
      return [{ name: 'ObjectCreated:Copy', ...at, size, etag, version_id }]
    }
    case 'move': {
      const { size, etag, version_id, source } = detailsOf<'move'>(record)
      return [
        { name: 'ObjectCreated:Copy', ...at, size, etag, version_id },
        { name: 'ObjectRemoved:Delete', ...source },
      ]
    }
    case 'restore': {
      const { size, version_id } = detailsOf<'restore'>(record)
      return [{ name: 'ObjectCreated:Copy', ...at, size, version_id }]
    }
    case 'update_object': {
      const { before = {}, after = {}, version_id } = detailsOf<'update_object'>(record)
      const changed = (name: string) => JSON.stringify(fieldOf(before, name)) !== JSON.stringify(fieldOf(after, name))
      const described = part !== undefined || ['content_type', 'headers', 'metadata', 'storage_class'].some(changed)
      const emptied = Object.keys(fieldOf(after, 'tags') ?? {}).length === 0
      const tagging = emptied ? 'ObjectTagging:Delete' : 'ObjectTagging:Put'
      return [{ name: described ? 'ObjectCreated:Copy' : tagging, ...at, version_id }]
    }
    case 'delete': {
      const { marker, policy_id } = detailsOf<'delete'>(record)
      return [{ name: removed(policy_id !== undefined, marker !== undefined), ...at, version_id: marker }]
    }
    case 'version_delete': {
      const { version_id, policy_id } = detailsOf<'version_delete'>(record)
      return [{ name: removed(policy_id !== undefined, false), ...at, version_id }]
    }
    default:
      return []
  }
}

const fieldOf = (side: object, name: string): object | undefined => (side as { [name: string]: object })[name]

/** Keys are written as in forms, but for slashes. */
const written = (key: string): string => encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/')

/** What an endpoint's events are about, and what they say of it. */
export interface S3Endpoint {
  id: string
  region: string
  /** Who created a bucket, by its name. */
  owners: ReadonlyMap<string, string | null>
  isFor(place: { bucket: string; key: string }): boolean
}

/** The text of a record's events, of those places that the endpoint is for; undefined if S3 has no such event. */
export function s3EventBody(record: Record, { id, region, owners, isFor }: S3Endpoint): string | undefined {
  const happenings = happeningsOf(record).filter(isFor)
  if (happenings.length === 0) return undefined
  return JSON.stringify({
    Records: happenings.map(({ name, bucket, key, size, etag, version_id }) => ({
      eventVersion: '2.2',
      eventSource: 'aws:s3',
      awsRegion: region,
      eventTime: record.time,
      eventName: name,
      userIdentity: { principalId: canonicalId(record.actor_user_id) },
      requestParameters: { sourceIPAddress: record.actor_ip ?? '' },
      responseElements: { 'x-amz-request-id': record.request_id ?? '', 'x-amz-id-2': record.request_id ?? '' },
      s3: {
        s3SchemaVersion: '1.0',
        configurationId: id,
        bucket: {
          name: bucket,
          ownerIdentity: { principalId: canonicalId(owners.get(bucket) ?? null) },
          arn: `arn:aws:s3:::${bucket}`,
        },
        object: {
          key: written(key),
          ...(size === undefined ? {} : { size }),
          ...(etag === undefined ? {} : { eTag: etag }),
          ...(version_id === undefined || version_id === 'null' ? {} : { versionId: version_id }),
          // Of one key, the later event has the greater one.
          sequencer: record.id.replaceAll('-', '').toUpperCase(),
        },
      },
    })),
  })
}

/** The text of a test. */
export const s3TestBody = (record: Record, bucket: string | null): string =>
  JSON.stringify({
    Service: 'Amazon S3',
    Event: 's3:TestEvent',
    Time: record.time,
    Bucket: bucket ?? '',
    RequestId: record.request_id ?? '',
    HostId: record.request_id ?? '',
  })
