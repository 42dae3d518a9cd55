// The bytes that the database has itself. They are written with the rows of their blobs: blobs/store.ts.
import { prepared } from '../../db/prepare.ts'
import type { Db } from '../../db/schema.ts'

/** What the database has of an inline blob. */
export interface InlineBody {
  bytes: Uint8Array
  /** Null if an earlier release wrote it, and no scrub has seen it since. */
  sums: Uint8Array | null
}
const body = prepared((db: Db, { id }: { id: string }) =>
  db
    .selectFrom('bodies')
    .innerJoin('blobs', 'blobs.id', 'bodies.blob_id')
    .select(['bytes', 'sums'])
    .where('blob_id', '=', id),
)
/** The bytes of an inline blob as they are stored, with their checksum, if it is known; undefined for any other. */
export const findBody = async (db: Db, id: string): Promise<InlineBody | undefined> => (await body(db, { id }))[0]

const sealed = prepared((db: Db, { id }: { id: string }) =>
  db
    .selectFrom('blobs')
    .leftJoin('bodies', 'bodies.blob_id', 'blobs.id')
    .select(['envelope', 'bytes', 'sums'])
    .where('blobs.id', '=', id),
)
/** How a blob is encrypted, with its bytes if it is inline; undefined if there is no such blob. */
export const findSealed = async (
  db: Db,
  id: string,
): Promise<{ envelope: string | null; bytes: Uint8Array | null; sums: Uint8Array | null } | undefined> =>
  (await sealed(db, { id }))[0]
