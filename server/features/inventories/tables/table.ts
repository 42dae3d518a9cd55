/** What a column has: texts; true or false; whole numbers; times as ISO 8601 texts; moments as microseconds since 1970. */
export type ColumnKind = 'text' | 'flag' | 'integer' | 'time' | 'moment'

export interface TableColumn {
  name: string
  kind: ColumnKind
  /** Whether no two rows have the same, so that it is not worth looking for repetitions. */
  distinct?: true
}

export type Cell = string | number | boolean | null
/** What some rows have in a column; a single value is that of all of them. */
export type Cells = readonly Cell[] | Cell

/** Rows, column by column. */
export interface TablePage {
  rows: number
  /** In the order of the table's columns. */
  columns: readonly Cells[]
}

/** Writes rows as a file of a table, piece by piece. */
export interface TableWriter {
  /** Takes rows; resolves to the bytes that come next, which may be none. */
  add(page: TablePage): Promise<Uint8Array>
  /** The rest of the file. */
  end(): Promise<Uint8Array>
  /** Ends what is not wanted any more. Does nothing after `end`. */
  drop(): void
}

/** The value of a row in a column. */
export const cellOf = (cells: Cells, row: number): Cell =>
  typeof cells === 'object' && cells !== null ? (cells[row] ?? null) : cells
