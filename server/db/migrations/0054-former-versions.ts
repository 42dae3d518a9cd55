import { type Kysely, type Migration, type RawBuilder, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** The contents of a state of which it is not known whether it was so: as if they were erased. */
const UNKNOWN = '00000000-0000-0000-0000-000000000000'
const KEYS = 500

interface Place {
  bucket_id: string
  key: string
}
type State = Record<string, unknown> & Place & { moment: number; ended: number; last_modified: unknown; sure: unknown }
/** What was under a key from a time on, until another one: a state, or nothing where a delete marker hid it. */
interface Stretch {
  from: number
  to: number
  state: State | null
  sure: boolean
}

/**
 * What buckets that keep versions were before their history began. The trash does not tell until when a version was current that was
 * deleted later, and the first migration took it for current until then. And contents that something points at again are not
 * kept by snapshots alone.
 */
export const formerVersions = ({ engine }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const micros = (column: string) =>
      sql.raw(
        engine === 'sqlite'
          ? `(strftime('%s', ${column}) * 1000000 + cast(substr(${column}, 21, 3) as integer) * 1000)`
          : `(extract(epoch from ${column}) * 1000000)::bigint`,
      )
    const [{ since } = { since: 0 }] = await run(
      db,
      sql<{ since: number }>`select moments_since as since from instance`,
    )
    if (Number(since) > 0) await repairAll(db, { since: Number(since), micros })
    await recount(db)
  },
})

const run = async <R>(db: Kysely<never>, query: RawBuilder<R>): Promise<R[]> => (await query.execute(db)).rows

interface Upgrade {
  /** When the history began. */
  since: number
  micros(column: string): RawBuilder<unknown>
}

async function repairAll(db: Kysely<never>, upgrade: Upgrade): Promise<void> {
  for (let after: Place | undefined = { bucket_id: '', key: '' }; after; ) {
    const places: Place[] = await run(
      db,
      sql<Place>`select distinct f.bucket_id, f.key from former_objects f
        join buckets b on b.id = f.bucket_id and b.versioning is not null
        where (f.bucket_id, f.key) > (${after.bucket_id}, ${after.key}) and f.ended <= ${upgrade.since}
        order by f.bucket_id, f.key limit ${KEYS}`,
    )
    for (const place of places) await repair(db, upgrade, place)
    after = places.length < KEYS ? undefined : places.at(-1)
  }
}

/** Reads what is known of one key, each table once: a key may have very many versions. */
async function repair(db: Kysely<never>, upgrade: Upgrade, { bucket_id, key }: Place): Promise<void> {
  const { since, micros } = upgrade
  const ofKey = sql`bucket_id = ${bucket_id} and key = ${key}`
  const rows = await run(
    db,
    sql<Omit<State, 'sure'>>`select * from former_objects where ${ofKey} and moment <= ${since}`,
  )
  const versions = await run(
    db,
    sql<{ began: number; ended: number; marker: number }>`select ${micros('last_modified')} as began,
      ${micros('noncurrent_at')} as ended, case when blob_id is null then 1 else 0 end as marker
      from versions where ${ofKey} order by 1`,
  )
  const trashed = await run(
    db,
    sql<{ blob_id: string }>`select t.blob_id from former_objects f join trash t on t.blob_id = f.blob_id
      and t.bucket_id = f.bucket_id and t.key = f.key
      where f.bucket_id = ${bucket_id} and f.key = ${key} and f.moment <= ${since}
        and (${micros('t.deleted_at')} > ${since} or (t.version_id is null and t.reason = 'overwritten'))`,
  )
  const asVersion = new Set(versions.map(({ ended }) => Number(ended)))
  const asTrash = new Set(trashed.map(({ blob_id }) => blob_id))
  /** Whether it was current until it ended: as a version, as what was overwritten, or by what was deleted since. */
  const isSure = ({ ended, blob_id }: Omit<State, 'sure'>) =>
    Number(ended) > since || asVersion.has(Number(ended)) || asTrash.has(String(blob_id))
  const former = rows.map((row): State => ({ ...row, sure: isSure(row) }) as State)
  if (former.every(({ sure }) => sure)) return
  const [object] = await run(db, sql<State>`select * from objects where ${ofKey} and moment <= ${since}`)
  const snapshots = await run(
    db,
    sql<{ moment: number }>`select moment from snapshots where bucket_id = ${bucket_id} and moment <= ${since}`,
  )
  // What a snapshot keeps is kept, though perhaps it had ended by then.
  const isHeld = (from: number, to: number) => snapshots.some(({ moment }) => moment >= from && moment < to)
  const begins = [...new Set(versions.map(({ began }) => Number(began)))]
  const nextOf = new Map(begins.map((began, i) => [began, begins[i + 1] ?? Number.POSITIVE_INFINITY]))
  const stretches: Stretch[] = [
    ...former.map((state) => ({
      from: microsOf(state.last_modified),
      to: Number(state.ended),
      state,
      sure: state.sure === true,
    })),
    ...versions
      .filter(({ marker }) => Number(marker) === 1)
      .map(({ began }) => ({
        from: Number(began),
        to: nextOf.get(Number(began)) ?? Number.POSITIVE_INFINITY,
        state: null,
        sure: true,
      })),
    ...(object
      ? [{ from: microsOf(object.last_modified), to: Number.POSITIVE_INFINITY, state: object, sure: true }]
      : []),
  ]
  await run(db, sql`delete from former_objects where ${ofKey} and moment <= ${since}`)
  // What the object is since then stays in its row: a change of that would be one of the object.
  const until = object ? Number(object.moment) : Number.POSITIVE_INFINITY
  for (const { from, to, state, sure } of inOrder(stretches)) {
    const ended = Math.min(to, until)
    if (state === null || from >= ended) continue
    const isKept = sure || isHeld(from, ended)
    const { sure: _, ...columns } = { ...state, moment: from, ended, ...(isKept ? {} : { blob_id: UNKNOWN }) }
    const names = Object.keys(columns).map((name) => sql.ref(name))
    await run(
      db,
      sql`insert into former_objects (${sql.join(names)}) values (${sql.join(Object.values(columns))})
        on conflict do nothing`,
    )
  }
}

const microsOf = (time: unknown): number => (time instanceof Date ? time.getTime() : Date.parse(String(time))) * 1000

/** Of stretches, which was the current one when: of those at a time the one that began last. In order, none over another. */
function inOrder(stretches: readonly Stretch[]): Stretch[] {
  const begun = stretches.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)
  const bounds = [...new Set(begun.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const open: Stretch[] = []
  const found: Stretch[] = []
  let next = 0
  for (const [i, from] of bounds.entries()) {
    for (let one = begun[next]; one && one.from <= from; one = begun[++next]) open.push(one)
    for (let top = open.at(-1); top && top.to <= from; top = open.at(-1)) open.pop()
    const [current, last, to] = [open.at(-1), found.at(-1), bounds[i + 1]]
    if (!current || to === undefined) continue
    if (last && last.state === current.state && last.to === from) last.to = to
    else found.push({ ...current, from, to })
  }
  return found
}

/** Counts what snapshots alone keep, without what something points at again. */
async function recount(db: Kysely<never>): Promise<void> {
  const pointed = sql.join(
    ['objects', 'versions', 'trash'].map(
      (table) => sql`exists (select 1 from ${sql.table(table)} p where p.blob_id = history_contents.blob_id)`,
    ),
    sql` or `,
  )
  const gone = await run(
    db,
    sql<{ bucket_id: string; size: number }>`delete from history_contents where ${pointed} returning bucket_id, size`,
  )
  for (const [bucket_id, some = []] of Map.groupBy(gone, (row) => row.bucket_id)) {
    const bytes = some.reduce((sum, { size }) => sum + Number(size), 0)
    await run(
      db,
      sql`update bucket_usage set history_bytes = history_bytes - ${bytes} where bucket_id = ${bucket_id}
        and shard = (select min(shard) from bucket_usage u where u.bucket_id = ${bucket_id})`,
    )
  }
}
