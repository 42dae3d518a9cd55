import {
  type BinaryOperationNode,
  type Dialect,
  type Kysely,
  OperatorNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
} from 'kysely'
import pg from 'pg'
import type { Revision, WithRevision } from '../kept.ts'
import { PooledDriver } from './driver.ts'

const INT8 = 20
const NUMERIC = 1700
const TIMESTAMPTZ = 1184
/** By oid: turns PostgreSQL's texts into the values that both engines return. */
const parsers = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [NUMERIC, Number],
  [TIMESTAMPTZ, (text) => new Date(text).toISOString()],
])

const UNKEPT =
  'The pooler between this service and PostgreSQL does not keep prepared statements, so queries are planned each time. PgBouncer keeps them from 1.21 on, with max_prepared_statements'

/** `in ()` is false, as on SQLite, instead of a syntax error. */
class Compiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node
    const empty = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0
    const name = empty && OperatorNode.is(operator) ? operator.operator : undefined
    if (name === 'in') this.append('false')
    else if (name === 'not in') this.append('true')
    else super.visitBinaryOperation(node)
  }
}

/** The adapter of connections on which what is read may be kept. */
export class KeepingAdapter extends PostgresAdapter implements WithRevision {
  readonly revision: Revision
  constructor(revision: Revision) {
    super()
    this.revision = revision
  }
}

/**
 * Kysely's dialect over a pool, with empty lists as on SQLite. `report` gets what an administrator should know. With a
 * `revision`, what is read outside of transactions may be kept.
 */
export const serverDialect = (pool: pg.Pool, report: (error: Error) => void, revision?: Revision): Dialect => ({
  createAdapter: () => (revision ? new KeepingAdapter(revision) : new PostgresAdapter()),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  createQueryCompiler: () => new Compiler(),
  createDriver: () => new PooledDriver(pool, () => report(new Error(UNKEPT))),
})

/**
 * A pool of at most `most` connections, whose values are as the schema says. It keeps `least` of them however idle it is.
 * The server lists them under `name`, unless the URL has another one.
 */
export const openPool = (url: string, most: number, { least = 0, name = 'strongroom look' } = {}): pg.Pool =>
  new pg.Pool({
    connectionString: url,
    fallback_application_name: name,
    max: most,
    min: least,
    pipeline: true,
    connectionTimeoutMillis: 10_000,
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  })
