import { sql } from 'kysely'
import { prepared } from '../../db/prepare.ts'
import type { Db, Row, Tx } from '../../db/schema.ts'

/** Rows of checksums that are read at once: those of 1 GiB. */
const RUNS = 16

const sumsOf = prepared((db: Db, { id }: { id: string }) => db.selectFrom('blobs').select('sums').where('id', '=', id))
/** The checksums that the row of a blob has itself; null if it has none. */
export const findSums = async (db: Db, id: string): Promise<Uint8Array | null> =>
  (await sumsOf(db, { id }))[0]?.sums ?? null

const runsFrom = prepared((db: Db, { id, at }: { id: string; at: number }) =>
  db
    .selectFrom('blob_sums')
    .select(['start', 'size', 'sums'])
    .where('blob_id', '=', id)
    .where('start', '>=', (e) =>
      e
        .selectFrom('blob_sums')
        .select((f) => f.fn.coalesce(f.fn.max('start'), sql<number>`0`).as('start'))
        .where('blob_id', '=', id)
        .where('start', '<=', at),
    )
    .orderBy('start')
    .limit(sql.lit(RUNS)),
)
/** The checksums of a blob from the segment on that has the byte `at` of what is stored; some GiB at a time. */
export const findRuns = async (db: Db, id: string, at: number): Promise<Omit<Row<'blob_sums'>, 'blob_id'>[]> =>
  (await runsFrom(db, { id, at })).map((row) => ({ ...row, start: Number(row.start), size: Number(row.size) }))

/** How a storage is mirrored. */
export type MirrorRow = Row<'mirrors'>

export const listMirrors = (db: Db): Promise<MirrorRow[]> => db.selectFrom('mirrors').selectAll().execute()

export type DueReason = Row<'copies_due'>['reason']
const due = prepared((tx: Tx, row: Row<'copies_due'>) =>
  tx
    .insertInto('copies_due')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['blob_id', 'place'])
        // An id that was reserved when existing blobs were queued, and is used only now.
        .doUpdateSet((e) => ({
          reason: e.ref('excluded.reason'),
          queued_at: e.ref('excluded.queued_at'),
          next_at: e.ref('excluded.next_at'),
          attempts: e.ref('excluded.attempts'),
        }))
        .where('copies_due.reason', '=', sql.lit('existing'))
        // That a mirror lacks what is queued for it is no news: it was put off, where it could not be copied yet.
        .where(sql.ref('excluded.reason'), 'not in', [sql.lit('existing'), sql.lit('missing')]),
    ),
)
/** Notes that a place lacks a copy, or has a damaged one. */
export const insertDue = async (
  tx: Tx,
  { now, ...row }: { blob_id: string; place: number; reason: DueReason; now: Date },
): Promise<void> => {
  const at = now.toISOString()
  await due(tx, { ...row, queued_at: at, next_at: at, attempts: 0 })
}

/** Notes when the second copy of a blob that was removed goes as well. */
export const insertCopyRemoval = (tx: Tx, row: Row<'copy_removals'>) =>
  tx
    .insertInto('copy_removals')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
