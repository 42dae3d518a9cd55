import type { Db } from '../../db/schema.ts'
import type { ItemError } from './item-error.ts'
import type { ObjectRow } from './store.ts'

/**
 * An object as it was seen: `blob_id` identifies its contents, `last_modified` changes with any change but one of tags, and
 * `moment` with that as well, for whoever asks about them.
 */
export type ObjectState = Pick<ObjectRow, 'key' | 'blob_id' | 'last_modified'> & { moment?: number | null }
/** Whether two objects have the same bytes, as far as is known of them, however they are encrypted. */
export const haveSameBytes = (a: ObjectRow, b: ObjectRow): boolean =>
  a.blob_id === b.blob_id ||
  (a.size === b.size && a.etag === b.etag && (a.sha256 === b.sha256 || a.sha256 === null || b.sha256 === null))

/** Whether an object is as it was seen. */
export const isSame = (seen: ObjectState, now: ObjectState): boolean =>
  seen.blob_id === now.blob_id &&
  seen.last_modified === now.last_modified &&
  ((seen.moment ?? null) === null || Number(seen.moment) === Number(now.moment))

export const findStates = async (db: Db, bucketId: string, keys: readonly string[]): Promise<ObjectState[]> =>
  keys.length === 0
    ? []
    : db
        .selectFrom('objects')
        .select(['key', 'blob_id', 'last_modified', 'moment'])
        .where('bucket_id', '=', bucketId)
        .where('key', 'in', keys)
        .execute()

/** What was seen, by key; an object that is not as it was is left alone. */
export type KnownStates = ReadonlyMap<string, ObjectState>

/** The objects that are as they were seen, if they were, and an error for each of the others. */
export function unchangedSince(there: readonly ObjectRow[], seen: KnownStates = new Map()) {
  const rows: ObjectRow[] = []
  const changed: ItemError[] = []
  for (const row of there) {
    const version = seen.get(row.key)
    if (version === undefined || isSame(version, row)) rows.push(row)
    else
      changed.push({
        key: row.key,
        code: 'changed',
        detail: `The object "${row.key}" has changed since it was listed.`,
      })
  }
  return { rows, changed }
}
