import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { MOST_TAGS, objectHeaderNames } from '../../../contract/shapes.ts'
import { sortKeyOf } from '../../base/key-order.ts'
import { typeOf } from '../../base/media-type.ts'
import type { HeadOfObject, ListedObject } from '../../drivers/external.ts'
import { newExternalId } from '../../drivers/routing/ids.ts'
import type { ExternalObject, ExternalRow, ObjectRow } from './store.ts'

/** What an attached bucket shows. */
export interface Source {
  bucket_id: string
  storage_id: number
  /** Of the engine's keys; empty or ends with a slash. */
  prefix: string
  /** How the engine orders its lists; null: by the bytes of the keys. */
  key_order: 'segments' | null
}

/** Most milliseconds by which a list and a HEAD may differ about when an object was last written: some round. */
const ROUNDING_MS = 2000
/** What S3 engines call contents of which nobody said what they are. */
const UNKNOWN_TYPES: readonly (string | undefined)[] = [undefined, '', 'binary/octet-stream']
/** What of an engine's metadata can be stored; the rest is left out. */
const METADATA_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const PRINTABLE = /^\P{Cc}*$/u
const MOST_METADATA = 8192

/** An object as it is shown until its type and metadata are read: by its extension, without any. `now` is when it was asked for. */
export function externalOf(
  { bucket_id, storage_id, prefix, key_order }: Source,
  listed: ListedObject,
  now: Date,
): ExternalObject {
  const { key: whole, size, etag, modified_at } = listed
  const key = whole.slice(prefix.length)
  const blob_id = newExternalId(storage_id)
  const storage_class = listed.storage_class === 'STANDARD' ? null : listed.storage_class
  const modified = modified_at.toISOString()
  return {
    object: {
      bucket_id,
      key,
      version_id: null,
      blob_id,
      size,
      etag: etag ?? madeUp(listed),
      sha256: null,
      checksums: null,
      content_type: typeOf(undefined, key),
      headers: null,
      metadata: '{}',
      tags: null,
      storage_class,
      lock_mode: null,
      locked_until: null,
      legal_hold: null,
      acl: null,
      encryption: null,
      created_at: modified,
      last_modified: modified,
      created_by: null,
    },
    external: {
      blob_id,
      bucket_id,
      key: whole,
      version_id: null,
      etag,
      size,
      storage_class,
      modified_at: modified,
      tags: null,
      hydrated_at: null,
      checked_at: now.toISOString(),
      missing_since: null,
      absences: 0,
      absent_in: null,
      sort_key: key_order === 'segments' ? sortKeyOf(whole) : null,
    },
  }
}

/** An ETag for an object without one. Its form says that it is no MD5. */
const madeUp = ({ size, modified_at }: ListedObject): string =>
  `${createHash('md5')
    .update(`${seconds(modified_at)} ${size}`)
    .digest('hex')}-0`

const seconds = (time: Date | string): number => Math.floor(new Date(time).getTime() / 1000)

/** Whether the engine has the same bytes as are known. */
export function isSameContent(
  { etag, size, modified_at, version_id }: Pick<ExternalRow, 'etag' | 'size' | 'modified_at' | 'version_id'>,
  now: ListedObject & { version_id?: string | null },
): boolean {
  if (size !== now.size) return false
  if (etag === null || now.etag === null) return etag === now.etag && seconds(modified_at) === seconds(now.modified_at)
  return etag === now.etag && (version_id === null || !now.version_id || version_id === now.version_id)
}

/** Whether the same bytes were written again, perhaps with another type or metadata. */
export const isTouched = ({ modified_at }: ExternalRow, now: ListedObject): boolean =>
  Math.abs(Date.parse(modified_at) - now.modified_at.getTime()) >= ROUNDING_MS

/** An object with what a HEAD says of it. Tags of ours stay; the engine's, unless null, take the place of its earlier ones. */
export function hydrated(
  { object, external }: ExternalObject,
  head: HeadOfObject,
  { tags, now }: { tags: { [name: string]: string } | null; now: Date },
): ExternalObject {
  const storage_class = head.storage_class === 'STANDARD' ? null : head.storage_class
  const theirs = tags === null ? external.tags : textOf(tagsOf(tags))
  const isOurs = !isDeepStrictEqual(parsed(object.tags), parsed(external.tags))
  const modified = isTouched(external, head) ? head.modified_at.toISOString() : external.modified_at
  return {
    object: {
      ...object,
      content_type: typeOf(UNKNOWN_TYPES.includes(head.content_type) ? undefined : head.content_type, object.key),
      headers: textOf(
        pick(head.headers, (name, value) => isHeader(name) && PRINTABLE.test(value) && value.length <= 1024),
      ),
      metadata: metadataOf(head),
      tags: isOurs ? object.tags : theirs,
      storage_class,
      last_modified: modified,
    },
    external: {
      ...external,
      version_id: head.version_id,
      storage_class,
      modified_at: modified,
      tags: theirs,
      hydrated_at: now.toISOString(),
      checked_at: now.toISOString(),
      missing_since: null,
      absences: 0,
      absent_in: null,
    },
  }
}

/** Whether an object is described like another one; when that was read does not count. */
export const isDescribed = (one: ExternalObject, other: ExternalObject): boolean => {
  const described = ({ object, external: { hydrated_at: _when, checked_at: _asked, ...known } }: ExternalObject) => [
    object,
    known,
  ]
  return isDeepStrictEqual(described(one), described(other))
}

/**
 * An object as it is to be, with what is ours of it as it is by now: tags and the ACL may have been changed here since the engine
 * was asked. Tags are ours where they are not those that were last read.
 */
export function withLocalChanges({ object, external }: ExternalObject, now: ExternalObject): ExternalObject {
  const isOurs = !isDeepStrictEqual(parsed(now.object.tags), parsed(now.external.tags))
  return { object: { ...object, acl: now.object.acl, tags: isOurs ? now.object.tags : external.tags }, external }
}

const parsed = (json: string | null): object => (json === null ? {} : JSON.parse(json))
const textOf = (record: object): string | null => (Object.keys(record).length === 0 ? null : JSON.stringify(record))
const isHeader = (name: string): boolean => (objectHeaderNames as readonly string[]).includes(name)

const pick = (record: { [name: string]: string }, isWanted: (name: string, value: string) => boolean) =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => isWanted(name, value)))

function metadataOf({ metadata }: HeadOfObject): ObjectRow['metadata'] {
  const text = JSON.stringify(pick(metadata, (name, value) => METADATA_NAME.test(name) && PRINTABLE.test(value)))
  return Buffer.byteLength(text) <= MOST_METADATA ? text : '{}'
}

const tagsOf = (tags: { [name: string]: string }) =>
  Object.fromEntries(
    Object.entries(pick(tags, (name, value) => name !== '' && PRINTABLE.test(name + value))).slice(0, MOST_TAGS),
  )
