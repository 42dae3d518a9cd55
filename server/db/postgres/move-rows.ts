import pg from 'pg'
import { Refusal } from '../../base/refusal.ts'
import {
  BATCH_BYTES,
  BATCH_ROWS,
  type Column,
  describeTables,
  type Kind,
  kindOf,
  listedColumns,
  quoted,
  sizeOf,
  type Table,
  type Value,
  type Values,
} from '../move/table.ts'

const kinds: { readonly [type: string]: Kind } = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  'double precision': 'real',
  bytea: 'bytes',
  'timestamp(3) with time zone': 'time',
}

/** Turns PostgreSQL's texts into values. */
const readers: { readonly [kind in Kind]: (text: string) => Value } = {
  text: (text) => text,
  integer: BigInt,
  real: Number,
  bytes: (text) => Buffer.from(text.slice(2), 'hex'),
  time: (text) => new Date(text).toISOString(),
}

/** Rows of the first batch, before anything is known of their size. */
const FIRST_ROWS = 100

/** One connection for a move, which no time limit of the server or the role ends. Throws a Refusal. */
export async function connectForMove(url: string, called: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    fallback_application_name: 'strongroom move-database',
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser: () => (text: unknown) => text },
  })
  // A statement that is under way, or the next one, fails with it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set extra_float_digits = 1;
      set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set standard_conforming_strings = on`)
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw new Refusal(`The database of ${called} cannot be opened: ${(error as Error).message}.`, { cause: error })
  }
}

/** Rows as arrays of texts. */
export async function select(client: pg.Client, text: string): Promise<string[][]> {
  return (await client.query<string[]>({ text, rowMode: 'array' })).rows
}

/** Condition for `pg_class c`: what the service's migrations have made, not an extension. */
export const OURS = `c.relnamespace = current_schema()::regnamespace
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

/** The tables of the service. */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const columns = await select(
    client,
    `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), array_position(i.indkey::int[], a.attnum::int)
      from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.relkind in ('r', 'p') and c.relname not like 'kysely\\_%' and ${OURS}
      order by c.relname, a.attnum`,
  )
  const tables = new Map<string, { columns: Column[]; key: { name: string; at: number }[] }>()
  for (const [table = '', name = '', type = '', at] of columns) {
    const known = tables.get(table) ?? { columns: [], key: [] }
    tables.set(table, known)
    known.columns.push({ name, kind: kindOf(kinds, table, name, type) })
    if (typeof at === 'string') known.key.push({ name, at: Number(at) })
  }
  return describeTables(
    [...tables].map(([name, { columns, key }]) => ({
      name,
      columns,
      key: key.toSorted((one, other) => one.at - other.at).map((one) => one.name),
    })),
  )
}

/**
 * All rows in the order of the primary key, texts by their bytes as on SQLite. Must be called in a transaction, and be read
 * to its end.
 */
export async function* rowsOf(client: pg.Client, table: Table): AsyncGenerator<readonly Values[], void, void> {
  const { name, columns, key } = table
  const isText = new Set(columns.flatMap((one) => (one.kind === 'text' ? [one.name] : [])))
  const order = key.map((one) => `${quoted(one)}${isText.has(one) ? ' collate "C"' : ''}`)
  await client.query(`declare moving no scroll cursor for
    select ${listedColumns(table)} from ${quoted(name)} order by ${order}`)
  const read = columns.map(({ kind }) => readers[kind])
  const fetch = (count: number) => {
    const next = select(client, `fetch ${count} from moving`)
    next.catch(() => undefined)
    return next
  }
  let next = fetch(FIRST_ROWS)
  for (;;) {
    const texts = await next
    if (texts.length === 0) break
    const rows = texts.map((row) =>
      row.map((text: string | null, at) => (text === null ? null : (read[at] as (text: string) => Value)(text))),
    )
    const each = rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length
    // The server reads the next ones meanwhile.
    next = fetch(Math.min(BATCH_ROWS, Math.max(1, Math.floor(BATCH_BYTES / each))))
    yield rows
  }
  await client.query('close moving')
}

/** The last number of each identity column that has given out one, by its table. */
export async function sequencesOf(client: pg.Client): Promise<Map<string, bigint>> {
  const last = new Map<string, bigint>()
  for (const [table = '', , sequence = ''] of await identitiesOf(client)) {
    const [[value = '', called] = []] = await select(client, `select last_value, is_called from ${sequence}`)
    if (called === 't') last.set(table, BigInt(value))
  }
  return last
}

/** Table, column and sequence (quoted) of each identity column. */
export const identitiesOf = (client: pg.Client): Promise<string[][]> =>
  select(
    client,
    `select c.relname, a.attname, pg_get_serial_sequence(quote_ident(c.relname), a.attname)
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
      where ${OURS}`,
  )
