import type { ColumnDataType, Expression, Kysely } from 'kysely'

type Type = ColumnDataType | Expression<unknown>
/** How each engine spells the column types the migrations use. */
export interface ColumnTypes {
  id: Type
  /** Text that sorts and compares by its UTF-8 bytes. */
  bytewise: Type
  text: Type
  timestamp: Type
  integer: Type
  bigint: Type
  real: Type
  /** Makes `objects.key` searchable by any part of it, whatever its case; see db/search.ts. */
  addSearchIndex(db: Kysely<never>): Promise<void>
  /** Makes the table of recent audit records, the view over all, and all of it append-only; see db/audit-guards.ts. */
  guardAudit(db: Kysely<never>): Promise<void>
}
