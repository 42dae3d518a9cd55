/**
 * What a column holds in both engines. A time is text in SQLite and `timestamptz` in PostgreSQL, and always an ISO 8601
 * UTC text with milliseconds here.
 */
export type Kind = 'text' | 'integer' | 'real' | 'bytes' | 'time'

/** A value as both engines have it: integers are bigint, so that none is rounded. */
export type Value = null | string | bigint | number | Uint8Array
/** The values of one row, in the order of the table's columns. */
export type Values = readonly Value[]

export interface Column {
  name: string
  kind: Kind
}

/** A table that holds rows of the service: neither a view, nor an index's own table, nor the record of migrations. */
export interface Table {
  name: string
  /** Sorted by name. */
  columns: readonly Column[]
  /** The columns of the primary key, in its order. */
  key: readonly string[]
}

/** A reader yields about this many bytes of rows at a time. */
export const BATCH_BYTES = 1024 ** 2
/** But at most this many rows. */
export const BATCH_ROWS = 2000

/** A table's name, or a column's, for a statement of either engine. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The names of columns for a statement, separated by commas. */
export const listed = (names: readonly string[]): string => names.map(quoted).join(', ')

/** The columns of a table for a statement, in its order. */
export const listedColumns = ({ columns }: Table): string => listed(columns.map(({ name }) => name))

/** Roughly how many bytes a row takes. */
export function sizeOf(values: Values): number {
  let size = 0
  for (const value of values) size += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
  return size
}

/** Sorts what a database says of its tables; throws where one has no primary key. */
export function describeTables(tables: readonly Table[]): Table[] {
  for (const { name, key } of tables) if (key.length === 0) throw new Error(`The table ${name} has no primary key`)
  return tables
    .map((table) => ({ ...table, columns: table.columns.toSorted(byName) }))
    .toSorted((one, other) => byName(one, other))
}
const byName = (one: { name: string }, other: { name: string }): number => (one.name < other.name ? -1 : 1)

/** The kind of a column by the type that it was declared with; throws for one that is not in `kinds`. */
export function kindOf(kinds: { readonly [type: string]: Kind }, table: string, column: string, type: string): Kind {
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (!kind) throw new Error(`The column ${table}.${column} has the type ${type}, which cannot be moved`)
  return kind
}
