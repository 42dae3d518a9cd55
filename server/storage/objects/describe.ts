import { ServiceError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import type { ObjectHeaders, Tags } from '../../../contract/shapes.ts'
import { shownType } from '../../base/media-type.ts'
import { encryptionField } from '../../encryption/describe.ts'
import type { TaggedKey } from '../../iam/decide.ts'
import { aclOf } from '../buckets/documents/acl.ts'
import type { HeldBucket } from '../buckets/service.ts'
import { versionName } from '../history/retire.ts'
import { lockField } from '../locks/lock.ts'
import type { ObjectRow } from './store.ts'

/** Size limit of an object's metadata, in bytes of JSON. */
export const METADATA_BYTES = 8192

/** The metadata as it is stored; throws invalid_request if it is too large. */
export function metadataText(metadata: { [name: string]: string }): string {
  const text = JSON.stringify(metadata)
  if (Buffer.byteLength(text) <= METADATA_BYTES) return text
  throw new ServiceError('invalid_request', `body.metadata must not hold more than ${METADATA_BYTES} bytes.`, {
    faults: [{ path: 'body.metadata', message: `must not hold more than ${METADATA_BYTES} bytes` }],
  })
}

/** Where an object's website sends those who ask for it: one of its headers, which S3 copies with none. */
export const REDIRECT_LOCATION = 'x-amz-website-redirect-location'

/** Stored headers with another redirect, or none. */
export function withRedirect(headers: string | null, location: string | undefined): string | null {
  const { [REDIRECT_LOCATION]: _, ...others } = (headers === null ? {} : JSON.parse(headers)) as ObjectHeaders
  return textUnlessEmpty({ ...others, ...(location === undefined ? {} : { [REDIRECT_LOCATION]: location }) })
}

/** What describes an object to those who read it. */
export interface Description {
  content_type: string
  headers?: ObjectHeaders | undefined
  metadata: { [name: string]: string }
  tags?: Tags | undefined
}

/** A description as it is stored. */
export const describedAs = ({ content_type, headers, metadata, tags }: Description) => ({
  content_type,
  headers: textUnlessEmpty(headers),
  metadata: JSON.stringify(metadata),
  tags: textUnlessEmpty(tags),
})
export const textUnlessEmpty = (record: object = {}): string | null =>
  Object.keys(record).length === 0 ? null : JSON.stringify(record)

/** The object as the API returns it. `versioning`: its bucket's, without which the `null` version is not named. */
export const describeObject = (
  row: ObjectRow,
  bucket: string,
  versioning: HeldBucket['versioning'] = null,
): StoredObject => ({
  bucket,
  key: row.key,
  ...versionOf(versioning, row),
  size: row.size,
  etag: row.etag,
  content_type: shownType(row),
  ...(row.sha256 === null ? {} : { sha256: row.sha256 }),
  ...(row.checksums === null ? {} : { checksums: JSON.parse(row.checksums) }),
  ...(row.headers === null ? {} : { headers: JSON.parse(row.headers) }),
  metadata: JSON.parse(row.metadata),
  ...(row.tags === null ? {} : { tags: JSON.parse(row.tags) }),
  ...encryptionField(row),
  ...lockField(row),
  ...aclField(row),
  created_at: row.created_at,
  last_modified: row.last_modified,
  created_by: row.created_by,
})

/** What an object's ACL grants, where it is not its owner's alone. */
export const aclField = ({ acl }: Pick<ObjectRow, 'acl'>) => (acl === null ? {} : { acl: [...aclOf(acl)] })

/** How an object's version is called, if its bucket keeps versions. */
export function versionOf(
  versioning: HeldBucket['versioning'],
  { version_id }: Pick<ObjectRow, 'version_id'>,
): { version_id?: string } {
  const name = versionName(versioning, version_id)
  return name === undefined ? {} : { version_id: name }
}

/** An object's key with its tags, as policies are asked about it. */
export const withTags = ({ key, tags }: Pick<ObjectRow, 'key' | 'tags'>): TaggedKey => ({
  key,
  tags: tags === null ? null : (JSON.parse(tags) as Tags),
})
