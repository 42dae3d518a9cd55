import {
  type BinaryOperationNode,
  type Kysely,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
} from 'kysely'

const INT8 = 20
const NUMERIC = 1700
const TIMESTAMPTZ = 1184
/** How the texts of PostgreSQL's types become the values that both databases give, by their oid. */
export const parsers = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [NUMERIC, Number],
  [TIMESTAMPTZ, (text) => new Date(text).toISOString()],
])

/**
 * A transaction as this service needs it, whatever the database or the role has for a default: who waited for a lock has to
 * see what was committed meanwhile, or a quota is summed from before.
 */
export const beginning = <S>(db: Kysely<S>) =>
  db.transaction().setIsolationLevel('read committed').setAccessMode('read write')

/**
 * SQLSTATE of a transaction that may have failed only because of another one: serialization_failure, deadlock_detected,
 * foreign_key_violation (a reference came or went between our look and our write).
 */
const RETRYABLE = new Set(['40001', '40P01', '23503'])
export const retryable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && RETRYABLE.has(String(error.code))

/** To be in an empty list is false, as on SQLite, and not a fault of syntax. */
export class Compiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node
    const empty = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0
    const name = empty && OperatorNode.is(operator) ? operator.operator : undefined
    if (name === 'in') this.append('false')
    else if (name === 'not in') this.append('true')
    else super.visitBinaryOperation(node)
  }
}
