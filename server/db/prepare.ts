import { hash } from 'node:crypto'
import type { Compilable, CompiledQuery, KyselyPlugin } from 'kysely'
import type { Db } from './schema.ts'

/** A prepared query that is being executed. Only a query of the same text has the same name, in any process. */
export interface Prepared extends CompiledQuery {
  name: string
  /** In a transaction, whoever asks need not wait for the answer; see `prepared`. */
  blind: boolean
}
export const isPrepared = (query: CompiledQuery): query is Prepared => 'name' in query

/** An adapter of Kysely's for a database in this process, which answers before anyone else gets a turn. */
export interface AnswersAtOnce {
  /**
   * Executes a query outside of transactions, as its connection would, without the promises of one that has to be waited
   * for. A promise is returned where what was read is not durable yet and the caller has to wait for that.
   */
  readAtOnce<R>(query: CompiledQuery<R>, values: readonly unknown[]): R[] | Promise<R[]>
}

/** Where a value is in the parameters: a key, or that of a list, a position and perhaps a column. */
type Place = readonly (string | number)[]
class Placeholder {
  readonly place: Place
  constructor(place: Place) {
    this.place = place
  }
}

/** A plugin that makes other queries of those that are prepared: with it, each is built anew. */
export interface RewritingPlugin extends KyselyPlugin {
  rewrites: true
}

/** Longer lists are rare, and each length would be a query of its own. */
const MOST_LISTED = 4
const NO_LISTS: readonly number[] = []

/**
 * A query whose text is built once per engine, for those that run with many requests: Kysely takes longer to build the text
 * than the database to answer, and PostgreSQL keeps the plan. `build` gets placeholders instead of values, so it may pass
 * them on but not look at them. A parameter may be a list of values or of rows, whose texts are built for each length;
 * with more than 4 entries the query is built anew each time. There is a placeholder for each key of the *first* call's
 * parameters. So parameters and rows have no optional keys: one that a later call leaves out throws, and one that only a
 * later call has is ignored. Returns the rows. Of a change that returns none, `blind` says that nothing has to be known but
 * that it succeeds: then a transaction on a server continues at once, and fails at its commit if the change does.
 */
export function prepared<D extends Db, P extends object, R>(
  build: (db: D, parameters: P) => Compilable<R>,
  { blind = false } = {},
): (db: D, parameters: P) => Promise<R[]> {
  let lists: readonly (keyof P)[] | undefined
  const compiled = new Map<unknown, Map<string, Compiled<R>>>()
  return async (db, parameters) => {
    lists ??= (Object.keys(parameters) as (keyof P)[]).filter((name) => Array.isArray(parameters[name]))
    const lengths = lists.length === 0 ? NO_LISTS : lists.map((name) => (parameters[name] as readonly unknown[]).length)
    const executor = db.getExecutor()
    const isAnew = executor.plugins.some((plugin) => 'rewrites' in plugin)
    if (isAnew || lengths.some((length) => length > MOST_LISTED))
      return (await executor.executeQuery<R>(build(db, parameters).compile())).rows
    const engine = executor.adapter.constructor
    let texts = compiled.get(engine)
    if (!texts) {
      texts = new Map<string, Compiled<R>>()
      compiled.set(engine, texts)
    }
    const shape = lengths.join()
    let known = texts.get(shape)
    if (!known) {
      known = compile(build(db, placeholdersFor(parameters)))
      texts.set(shape, known)
    }
    const values = known.places.map((place) => valueAt(parameters, place))
    const { adapter } = executor as { adapter: Partial<AnswersAtOnce> }
    if (adapter.readAtOnce) return adapter.readAtOnce(known.query, values)
    const query: Prepared & CompiledQuery<R> = { ...known.query, parameters: values, name: known.name, blind }
    // As `executeQuery` does it, but for the plugins, none of which changes results: they would be asked one after another.
    const { rows } = await executor.provideConnection((connection) => connection.executeQuery<R>(query))
    return rows
  }
}

function valueAt(parameters: object, place: Place): unknown {
  let value: unknown = parameters
  for (const step of place) value = (value as Record<string | number, unknown>)[step]
  if (value === undefined) throw new Error(`A prepared query was called without its parameter ${place.join('.')}`)
  return value
}

const isRow = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const placeholdersFor = <P extends object>(parameters: P): P =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, placeholderFor([name], value)])) as P

function placeholderFor(place: Place, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry, i) => placeholderFor([...place, i], entry))
  if (!isRow(value)) return new Placeholder(place)
  return Object.fromEntries(Object.keys(value).map((column) => [column, new Placeholder([...place, column])]))
}

interface Compiled<R> {
  query: CompiledQuery<R>
  name: string
  /** Where each of its values comes from. */
  places: readonly Place[]
}

function compile<R>(query: Compilable<R>): Compiled<R> {
  const compiled = query.compile()
  const places = compiled.parameters.map((one) => {
    if (one instanceof Placeholder) return one.place
    throw new Error('A prepared query takes all of its values from its parameters')
  })
  return { query: compiled, name: hash('sha256', compiled.sql, 'base64url').slice(0, 24), places }
}
