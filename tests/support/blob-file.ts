import path from 'node:path'
import type { TestServer } from './server.ts'

/** The file that has the bytes of an object, by its key alone: in suites with one object of each key. */
export async function blobFile({ database, folder }: TestServer, key: string): Promise<string> {
  const { blob_id } = await database.db
    .selectFrom('objects')
    .select('blob_id')
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  return path.join(folder, 'blobs', blob_id.slice(-2), blob_id)
}
