import { sql } from 'kysely'
import type { KeyRange } from '../../../../contract/permissions.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Db } from '../../../db/schema.ts'
import { toEntry, type Walk } from './store.ts'

// Measures a folder for exact totals and jumps by name. A folder may hold a million objects, and on
// SQLite a statement blocks the process, so each statement reads only a few thousand keys.

/**
 * A stretch of keys without folders, `[from, to)`, and the folder that ends it (null: none; it ends at the range's end
 * or at our step).
 */
export interface Gap {
  from: string
  to: string | null
  folder: string | null
  objects: number
}

const objects = sql.table('objects')
/** Most objects in a stretch. */
const MOST_OBJECTS = 4000
/** Most folders that one statement steps over. */
const MOST_FOLDERS = 50

/**
 * Splits a range into its folders and the stretches of objects between them, each counted. Costs one index step per
 * object directly in the folder and one seek per folder.
 */
export async function measureGaps(db: Db, { bucketId, depth }: Walk, range: KeyRange): Promise<Gap[]> {
  const turn = takingTurns()
  const gaps: Gap[] = []
  for (let from = range.from; ; ) {
    const rows = await stepOver(db, bucketId, depth, { from, to: range.to })
    for (const { start, inside, objects } of rows) {
      if (inside === null) continue
      const folder = toEntry(inside, depth).name
      gaps.push({ from: start, to: folder, folder, objects: Number(objects) })
      // '0' is the byte after the folder's slash.
      from = `${folder.slice(0, -1)}0`
    }
    const last = rows.at(-1)
    if (last?.inside === null) {
      const objects = Number(last.objects)
      const next = objects < MOST_OBJECTS ? null : await keyAt(db, bucketId, { from: last.start, to: range.to })
      gaps.push({ from: last.start, to: next ?? range.to, folder: null, objects })
      if (next === null) return gaps
      from = next
    } else if (!last) return gaps
    await turn()
  }
}

/** The next folders, and how many objects precede each; stops if there is no folder within a stretch's length. */
async function stepOver(db: Db, bucketId: string, depth: number, { from, to }: KeyRange) {
  const bound = to === null ? sql`` : sql`and k.key < ${to}`
  const rest = (column: string) => sql`substr(${sql.ref(column)}, ${sql.lit(depth + 1)})`
  const afterFolder = sql`substr(g.inside, 1, ${sql.lit(depth)} + instr(${rest('g.inside')}, '/') - 1) || '0'`
  // Both databases read the inner query only as far as the outer one needs, in its order.
  const firstInside = (start: ReturnType<typeof sql>) => sql`
    select p.key from (
      select k.key from ${objects} k where k.bucket_id = ${bucketId} and k.key >= ${start} ${bound}
      order by k.key limit ${sql.lit(MOST_OBJECTS)}
    ) as p where instr(${rest('p.key')}, '/') > 0 limit 1`
  const { rows } = await sql<{ start: string; inside: string | null; objects: number }>`
    with recursive g(start, inside, n) as (
      select substr(b.name, 1, 0) || ${from}, (${firstInside(sql`${from}`)}), 1
      from buckets b where b.id = ${bucketId}
      union all
      select ${afterFolder}, (${firstInside(afterFolder)}), g.n + 1
      from g where g.inside is not null and g.n < ${sql.lit(MOST_FOLDERS)}
    )
    select g.start, g.inside, case when g.inside is null then (
      select count(*) from (
        select k.key from ${objects} k where k.bucket_id = ${bucketId} and k.key >= g.start ${bound}
        order by k.key limit ${sql.lit(MOST_OBJECTS)}
      ) as c
    ) else (
      select count(*) from ${objects} k where k.bucket_id = ${bucketId} and k.key >= g.start and k.key < g.inside
    ) end as objects
    from g order by g.n`.execute(db)
  return rows
}

/** The key after a stretch of the maximum length; null at the end of the range. */
async function keyAt(db: Db, bucketId: string, { from, to }: KeyRange): Promise<string | null> {
  const query = db.selectFrom('objects').select('key').where('bucket_id', '=', bucketId).where('key', '>=', from)
  const [row] = await (to === null ? query : query.where('key', '<', to))
    .orderBy('key')
    .offset(MOST_OBJECTS)
    .limit(1)
    .execute()
  return row?.key ?? null
}
