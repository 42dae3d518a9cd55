/**
 * How an engine spells the column types that migrations use. Frozen: a change here would change what an old migration
 * did.
 */
export interface ColumnTypes {
  engine: 'sqlite' | 'postgres'
  id: string
  /** Text that sorts and compares by its UTF-8 bytes. */
  bytewise: string
  text: string
  timestamp: string
  integer: string
  bigint: string
  real: string
  /** Bytes as they are. */
  binary: string
}

export const columnTypes: { [engine in ColumnTypes['engine']]: ColumnTypes } = {
  sqlite: {
    engine: 'sqlite',
    id: 'text',
    bytewise: 'text',
    text: 'text',
    timestamp: 'text',
    integer: 'integer',
    bigint: 'integer',
    real: 'real',
    binary: 'blob',
  },
  postgres: {
    engine: 'postgres',
    id: 'text collate "C"',
    bytewise: 'text collate "C"',
    text: 'text',
    timestamp: 'timestamptz(3)',
    integer: 'integer',
    bigint: 'bigint',
    real: 'double precision',
    binary: 'bytea',
  },
}
