import type { Db } from '../../db/schema.ts'
import type { ItemError } from './item-error.ts'
import type { ObjectRow } from './store.ts'

/** An object as it was seen: `blob_id` identifies its contents, `last_modified` changes with any change but one of tags. */
export type ObjectState = Pick<ObjectRow, 'key' | 'blob_id' | 'last_modified'>
export const isSame = (a: ObjectState, b: ObjectState): boolean =>
  a.blob_id === b.blob_id && a.last_modified === b.last_modified

export const findStates = async (db: Db, bucketId: string, keys: readonly string[]): Promise<ObjectState[]> =>
  keys.length === 0
    ? []
    : db
        .selectFrom('objects')
        .select(['key', 'blob_id', 'last_modified'])
        .where('bucket_id', '=', bucketId)
        .where('key', 'in', keys)
        .execute()

/** The moments of the last changes of objects, by their keys. */
export async function findMoments(db: Db, bucketId: string, keys: readonly string[]): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map()
  const rows = await db
    .selectFrom('objects')
    .select(['key', 'moment'])
    .where('bucket_id', '=', bucketId)
    .where('key', 'in', keys)
    .execute()
  return new Map(rows.map(({ key, moment }) => [key, Number(moment)]))
}

/** An object that is unlike all that there are. */
export const unlikeAny = (key: string): ObjectState => ({ key, blob_id: '', last_modified: '' })

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
