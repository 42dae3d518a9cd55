import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './schema.ts'

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * A query whose text is built once per engine, for the few that run with every request, where Kysely takes longer to
 * build the text than the database to answer. `build` gets placeholders instead of values, so it may pass them on but
 * not look at them; there is one for each key of the *first* call's parameters. So parameters have no optional keys:
 * one that a later call leaves out throws, and one that only a later call has is ignored. Returns the rows.
 */
export function prepared<D extends Db, P extends object, R>(
  build: (db: D, parameters: P) => Compilable<R>,
): (db: D, parameters: P) => Promise<R[]> {
  const compiled = new Map<unknown, { query: CompiledQuery<R>; names: readonly (keyof P)[] }>()
  return async (db, parameters) => {
    const executor = db.getExecutor()
    const engine = executor.adapter.constructor
    let known = compiled.get(engine)
    if (!known) {
      known = compile(build(db, placeholdersFor(parameters)))
      compiled.set(engine, known)
    }
    const values = known.names.map((name) => {
      if (parameters[name] === undefined)
        throw new Error(`A prepared query was called without its parameter ${String(name)}`)
      return parameters[name]
    })
    return (await executor.executeQuery<R>({ ...known.query, parameters: values })).rows
  }
}

const placeholdersFor = <P extends object>(parameters: P): P =>
  Object.fromEntries(Object.keys(parameters).map((name) => [name, new Placeholder(name)])) as P

function compile<P, R>(query: Compilable<R>): { query: CompiledQuery<R>; names: readonly (keyof P)[] } {
  const compiled = query.compile()
  const names = compiled.parameters.map((one) => {
    if (one instanceof Placeholder) return one.name as keyof P
    throw new Error('A prepared query takes all of its values from its parameters')
  })
  return { query: compiled, names }
}
