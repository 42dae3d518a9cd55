import type { Table, Values } from './table.ts'

/** A database whose rows can be read in the order of their primary keys. */
export interface Side {
  /** Every table of the service, as the database itself lists them. */
  tables(): Promise<Table[]>
  /** All rows of a table, in batches of about a megabyte. */
  rows(table: Table): AsyncIterable<readonly Values[]>
  /** The last number that each sequence gave out, by the table it numbers; none where it has given out none. */
  sequences(): Promise<Map<string, bigint>>
  close(): Promise<void>
}

/** What is moved: one unchanging state, which nothing here writes to. */
export interface Source extends Side {
  /** Throws a Refusal where someone has written to the database since it was opened. */
  assertUnchanged(): Promise<void>
}

/** Where it is moved to: a database with the schema, marked so that no service starts on it. */
export interface Target extends Side {
  /** Removes what migrations have inserted, and the indexes and constraints that rows can be copied without. */
  clear(): Promise<void>
  /** Inserts rows into an empty table. */
  write(table: Table, rows: AsyncIterable<readonly Values[]>): Promise<void>
  /** Makes sequences continue after these numbers. */
  setSequences(last: ReadonlyMap<string, bigint>): Promise<void>
  /** Makes everything again that `clear` removed, and fills what the engine derives from rows. */
  complete(): Promise<void>
  /** Makes all of it durable, and then removes the mark. */
  finish(): Promise<void>
}
