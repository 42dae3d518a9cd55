import type { StoredObject } from '../../contract/objects.ts'
import type { ObjectRow } from './store.ts'

/** The object as the API shows it. */
export const describeObject = (row: ObjectRow, bucket: string): StoredObject => ({
  bucket,
  key: row.key,
  size: row.size,
  etag: row.etag,
  content_type: row.content_type,
  ...(row.sha256 === null ? {} : { sha256: row.sha256 }),
  metadata: JSON.parse(row.metadata),
  created_at: row.created_at,
  last_modified: row.last_modified,
  created_by: row.created_by,
})
