import { newId } from '../server/base/id.ts'
import { openDatabase } from '../server/db/open.ts'
import type { NewRow } from '../server/db/schema.ts'

const BATCH = 2000

/** Puts rows of objects that share one blob straight into a bucket that exists. */
export async function seedObjects(
  databaseUrl: string,
  bucket: string,
  keys: Iterable<string>,
  content_type = 'image/jpeg',
): Promise<void> {
  const database = await openDatabase(databaseUrl)
  const { id } = await database.db
    .selectFrom('buckets')
    .select('id')
    .where('name', '=', bucket)
    .executeTakeFirstOrThrow()
  const now = new Date().toISOString()
  const blob_id = newId()
  await database.transaction((tx) => tx.insertInto('blobs').values({ id: blob_id, check_after: null }).execute())
  let rows: NewRow<'objects'>[] = []
  const flush = async () => {
    const batch = rows
    rows = []
    await database.transaction(
      async (tx) => {
        await tx.insertInto('objects').values(batch).execute()
        await tx
          .insertInto('bucket_usage')
          .values({ bucket_id: id, shard: 0, bytes: 4096 * batch.length, objects: batch.length, trash_bytes: 0 })
          .onConflict((conflict) =>
            conflict.columns(['bucket_id', 'shard']).doUpdateSet((e) => ({
              bytes: e('bucket_usage.bytes', '+', e.ref('excluded.bytes')),
              objects: e('bucket_usage.objects', '+', e.ref('excluded.objects')),
            })),
          )
          .execute()
      },
      { relaxed: true },
    )
  }
  for (const key of keys) {
    rows.push({
      bucket_id: id,
      key,
      blob_id,
      size: 4096,
      etag: 'd41d8cd98f00b204e9800998ecf8427e',
      sha256: null,
      content_type,
      metadata: '{}',
      created_at: now,
      last_modified: now,
      created_by: null,
    })
    if (rows.length === BATCH) await flush()
  }
  if (rows.length > 0) await flush()
  await database.close()
}

/** `count` keys in folders of a thousand. */
export function* inFolders(count: number): Generator<string> {
  for (let i = 0; i < count; i++)
    yield `photos-${String(Math.floor(i / 1000)).padStart(4, '0')}/IMG_${String(i % 1000).padStart(4, '0')}.jpg`
}
/** `count` keys in one folder. */
export function* flat(count: number): Generator<string> {
  for (let i = 0; i < count; i++) yield `flat/IMG_${String(i).padStart(7, '0')}.jpg`
}
