import type { DatabaseSync } from 'node:sqlite'
import {
  BATCH_BYTES,
  BATCH_ROWS,
  describeTables,
  type Kind,
  kindOf,
  listed,
  listedColumns,
  quoted,
  sizeOf,
  type Table,
  type Value,
  type Values,
} from '../move/table.ts'

const kinds: { readonly [type: string]: Kind } = { text: 'text', integer: 'integer', real: 'real', blob: 'bytes' }

/** The rows of a statement that returns objects. */
export const select = <R>(database: DatabaseSync, text: string): R[] => database.prepare(text).all() as R[]

/** The tables of the service. Those of a search index belong to SQLite's extension, which lists them as `shadow`. */
export const tablesOf = (database: DatabaseSync): Table[] =>
  describeTables(
    select<{ name: string }>(
      database,
      `select name from pragma_table_list
        where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'
          and name not like 'kysely\\_%' escape '\\'`,
    ).map(({ name }) => {
      const columns = select<{ name: string; type: string; pk: number }>(
        database,
        `select name, lower(type) as type, pk from pragma_table_info('${name}')`,
      )
      const key = columns.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
      return {
        name,
        columns: columns.map((one) => ({ name: one.name, kind: kindOf(kinds, name, one.name, one.type) })),
        key: key.map((one) => one.name),
      }
    }),
  )

/** All rows in the order of the primary key, integers as bigint. */
export async function* rowsOf(database: DatabaseSync, table: Table): AsyncGenerator<readonly Values[], void, void> {
  const statement = database.prepare(
    `select ${listedColumns(table)} from ${quoted(table.name)} order by ${listed(table.key)}`,
  )
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  let batch: Values[] = []
  let bytes = 0
  for (const row of statement.iterate()) {
    const values = row as unknown as Value[]
    batch.push(values)
    bytes += sizeOf(values)
    if (bytes < BATCH_BYTES && batch.length < BATCH_ROWS) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** The largest number that each table with `autoincrement` has had. */
export function sequencesOf(database: DatabaseSync): Map<string, bigint> {
  const statement = database.prepare('select name, seq from sqlite_sequence')
  statement.setReadBigInts(true)
  return new Map(statement.all().map(({ name, seq }) => [String(name), seq as bigint]))
}
