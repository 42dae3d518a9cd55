import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './schema.ts'

/**
 * A query whose text is built once per engine: for the few that run with every request, where Kysely takes longer to
 * build the text than the database to answer. `build` must use its parameters each once and in their order.
 */
export function prepared<P extends readonly unknown[], R>(
  build: (db: Db, ...parameters: P) => Compilable<R>,
): (db: Db, ...parameters: P) => Promise<R[]> {
  const compiled = new Map<unknown, CompiledQuery<R>>()
  return async (db, ...parameters) => {
    const executor = db.getExecutor()
    const engine = executor.adapter.constructor
    let query = compiled.get(engine)
    if (!query) {
      query = build(db, ...parameters).compile()
      if (query.parameters.length !== parameters.length || query.parameters.some((one, i) => one !== parameters[i]))
        throw new Error('A prepared query must use each of its parameters once, in order')
      compiled.set(engine, query)
    }
    return (await executor.executeQuery<R>({ ...query, parameters })).rows
  }
}
