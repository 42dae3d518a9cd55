import { type Marker, ServiceError } from '../../../contract/errors.ts'
import type { Db } from '../../db/schema.ts'
import type { HeldBucket } from '../buckets/service.ts'
import { findNewest, findVersions, hasContents, type VersionRow } from '../history/store.ts'

export const versionMissing = (bucket: string, key: string, version: string | null) =>
  new ServiceError('not_found', `The object "${key}" in bucket "${bucket}" has no version ${version ?? 'null'}.`, {
    missing: 'version',
  })

/** The refusal of what only a version with contents can have: this one is a delete marker. */
export const markerInstead = (bucket: string, key: string, row: Pick<VersionRow, 'version_id' | 'last_modified'>) =>
  new ServiceError('not_found', `This version of "${key}" in bucket "${bucket}" is a delete marker.`, {
    missing: 'version',
    marker: asMarker(row),
  })
/** A delete marker as errors tell of it. */
export const asMarker = ({ version_id, last_modified }: Pick<VersionRow, 'version_id' | 'last_modified'>): Marker => ({
  version_id: version_id ?? 'null',
  last_modified,
})

type Kept = Pick<HeldBucket, 'id' | 'name' | 'versioning'>
type Named = { key: string; version_id: string | null | undefined }

/** Why there are no contents of a key, or of the version of it that is named: an error, which tells of a delete marker. */
export async function absenceOf(db: Db, bucket: Kept, { key, version_id }: Named): Promise<ServiceError> {
  const marker = await markerAt(db, bucket, { key, version_id })
  if (version_id === undefined) return objectMissing(bucket.name, key, marker && asMarker(marker))
  return marker ? markerInstead(bucket.name, key, marker) : versionMissing(bucket.name, key, version_id)
}

/** The same for what cannot be done to a delete marker, whether it was named or is what the key has now. */
export async function unchangeable(db: Db, bucket: Kept, { key, version_id }: Named): Promise<ServiceError> {
  const marker = await markerAt(db, bucket, { key, version_id })
  if (marker) return markerInstead(bucket.name, key, marker)
  return version_id === undefined ? objectMissing(bucket.name, key) : versionMissing(bucket.name, key, version_id)
}

/** The delete marker that a version is, or without one that hides the key's versions. */
async function markerAt(db: Db, { id, versioning }: Kept, { key, version_id }: Named): Promise<VersionRow | undefined> {
  if (versioning === null) return undefined
  const [row] =
    version_id === undefined ? await findNewest(db, id, [key]) : await findVersions(db, id, [{ key, version_id }])
  return row && !hasContents(row) ? row : undefined
}

/** `marker`: the delete marker that hides its versions. */
export const objectMissing = (bucket: string, key: string, marker?: Marker) =>
  new ServiceError('not_found', `There is no object "${key}" in bucket "${bucket}".`, {
    missing: 'object',
    ...(marker === undefined ? {} : { marker }),
  })

/** What a key was at a moment is known, but not its contents. */
export const erasedSince = (key: string): ServiceError =>
  new ServiceError('erased', `The contents of "${key}" at that moment were erased since.`)
